/* SPDX-License-Identifier: MIT */
/* write.c -- writing records: the texts of the files from those of the cases
 *
 * A case's text is what its process passes to the writing process: the line of its seconds, the
 * line of its source, its tables, its own line. Tables are named by their content, so that a
 * repeated table is recognised at once.
 */
#include "record/text.h"

#include <stdlib.h>
#include <string.h>

struct record_writer {
    gpu_device device;
    char toolkit[GPU_TEXT], date[GPU_TEXT], version[GPU_TEXT];
    record_source source[RECORD_GROUPS];
    size_t sources;
    uint64_t *ids; /* of the tables written so far */
    size_t tables, room, cases;
    record_text file[RECORD_FILES]; /* the lines of the cases, without checks in RECORD_CASES */
    char before[RECORD_NAME + 1];   /* the first word of the last line of the seconds */
};

/* ---- the text of a case ---------------------------------------------------------------------- */

/* The head and the rows of a table; its name is the digest of what follows the name. */
static void add_table(record_text *t, const record_table *table, uint64_t *id)
{
    record_text rows = {NULL, 0, 0, 0};
    record_text_print(&rows, "in=%d out=%d rows=%zu\n", table->in_bytes, table->out_bytes,
                      table->rows);
    for (size_t i = 0; i < table->rows; i++)
        record_text_print(&rows, "%0*llx %0*llx\n", 2 * table->in_bytes,
                          (unsigned long long)table->row[i].index, 2 * table->out_bytes,
                          (unsigned long long)table->row[i].code);
    t->failed |= rows.failed;
    *id = rows.failed ? 0 : record_id(rows.text, rows.size);
    record_text_print(t, "table %016llx ", (unsigned long long)*id);
    if (!rows.failed)
        record_text_add(t, rows.text, rows.size);
    free(rows.text);
}

/* Opcodes separated by commas. */
static void add_sass(record_text *t, const record_entry *e)
{
    record_text_print(t, " sass=");
    if (!e->sass_shown || !e->sass[0]) {
        record_text_print(t, e->sass_shown ? "none\n" : "not-shown\n");
        return;
    }
    for (const char *c = e->sass; *c; c++)
        record_text_add(t, *c == ' ' ? "," : c, 1);
    record_text_add(t, "\n", 1);
}

/* " TOKENS:BYTES:TOOK:COPY:AS-THEY-ARE:THREE" */
static void add_speed(record_text *t, const conform_speed *v)
{
    const uint64_t number[6] = {v->tokens, v->bytes, v->took, v->copy, v->as_they_are, v->three};
    for (int i = 0; i < 6; i++)
        record_text_print(t, "%c%llu", i ? ':' : ' ', (unsigned long long)number[i]);
}

void record_add_seconds(record_text *t, const record_entry *e)
{
    record_text_print(t, "%s %llu.%06llu", e->name, (unsigned long long)(e->microseconds / 1000000),
                      (unsigned long long)(e->microseconds % 1000000));
    for (size_t i = 0; i < e->speeds; i++)
        add_speed(t, &e->speed[i]);
    record_text_print(t, "\n");
}

char *record_entry_text(const record_entry *e, const record_source *source,
                        const record_table *table)
{
    record_text t = {NULL, 0, 0, 0};
    uint64_t id[GPU_LANES] = {0};
    int same = 1;
    record_add_seconds(&t, e);
    record_text_print(&t, "source.%s %s\n", source->group, source->digest);
    for (int i = 0; i < e->lanes; i++) {
        if (i > 0 && e->table[i] == e->table[i - 1])
            id[i] = id[i - 1];
        else
            add_table(&t, &table[e->table[i]], &id[i]);
        same &= id[i] == id[0];
    }
    record_text_print(&t, "%s group=%s inputs=%s:%llu", e->name, source->group,
                      e->kind[0] ? e->kind
                      : e->whole ? "all"
                                 : "set",
                      (unsigned long long)e->inputs);
    if (!e->whole && !e->kind[0])
        record_text_print(&t, ":%s", e->list_digest);
    if (!e->kind[0])
        record_text_print(&t, " lanes=%d tables=", e->lanes);
    for (int i = 0; i < (same && e->lanes ? 1 : e->lanes); i++)
        record_text_print(&t, "%s%016llx", i ? "," : "", (unsigned long long)id[i]);
    record_text_print(&t, " digest=%s differ=%llu", e->digest, (unsigned long long)e->differ);
    add_sass(&t, e);
    if (t.failed) {
        free(t.text);
        return NULL;
    }
    return t.text;
}

/* ---- the writer ------------------------------------------------------------------------------ */

/* A valid value of the head: the rest of a line, printable, not empty, without blanks around it. */
static void clean(char out[GPU_TEXT], const char *in)
{
    size_t n = 0;
    for (; in && *in == ' '; in++)
        ;
    for (; in && *in && n + 1 < GPU_TEXT; in++)
        out[n++] = (char)(*in >= ' ' && *in <= '~' ? *in : '?');
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = '\0';
    if (n == 0)
        snprintf(out, GPU_TEXT, "unknown");
}

static void add_checked(record_text *t, const char *before, const char *line, size_t size)
{
    char check[9];
    record_check(before, line, size, check);
    record_text_add(t, line, size);
    record_text_print(t, " #%s\n", check);
}

/* Adds the lines of a text, each with its check; *before is the first word of the last line. */
static void add_lines(record_text *t, const char *lines, char before[RECORD_NAME + 1])
{
    for (const char *end; *lines; lines = end + 1) {
        end = strchr(lines, '\n');
        add_checked(t, before, lines, (size_t)(end - lines));
        size_t word = strcspn(lines, " ");
        snprintf(before, RECORD_NAME + 1, "%.*s", (int)word, lines);
    }
}

record_writer *record_begin(const record_head *head)
{
    record_writer *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    char target[GPU_TEXT];
    clean(w->device.name, head->device.name);
    clean(w->device.driver, head->device.driver);
    clean(target, head->device.target);
    memcpy(w->device.target, target, sizeof w->device.target - 1);
    w->device.emulated = head->device.emulated != 0;
    w->device.pretended = head->device.pretended != 0;
    clean(w->toolkit, head->toolkit);
    clean(w->date, head->date);
    clean(w->version, head->version);
    add_lines(&w->file[RECORD_SECONDS], "softfp8-record-seconds 1\n", w->before);
    return w;
}

/* The end of the line, before its "\n"; NULL if the line has no end. */
static const char *line_end(const char *at, const char *end)
{
    return at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
}

static int add_source(record_writer *w, const char *line, size_t size)
{
    record_source source;
    char text[RECORD_GROUP + 80];
    if (size >= sizeof text)
        return 0;
    memcpy(text, line, size);
    text[size] = '\0';
    memset(&source, 0, sizeof source);
    if (sscanf(text, "source.%16[a-z0-9] %64[0-9a-f]", source.group, source.digest) != 2)
        return 0;
    for (size_t i = 0; i < w->sources; i++) {
        if (strcmp(w->source[i].group, source.group) == 0)
            return strcmp(w->source[i].digest, source.digest) == 0;
    }
    if (w->sources == RECORD_GROUPS)
        return 0;
    w->source[w->sources++] = source;
    return 1;
}

/* Adds a table with its head, unless it was added before. */
static int take_table(record_writer *w, const char *text, size_t size)
{
    static const char head[] = "table ";
    size_t length = sizeof head - 1;
    if (size < length + 16 || memcmp(text, head, length) != 0)
        return 0;
    uint64_t id = strtoull(text + length, NULL, 16);
    for (size_t i = 0; i < w->tables; i++) {
        if (w->ids[i] == id)
            return 1;
    }
    if (w->tables == w->room) {
        size_t room = 2 * w->room + 64;
        uint64_t *ids = realloc(w->ids, room * sizeof ids[0]);
        if (!ids)
            return 0;
        w->ids = ids;
        w->room = room;
    }
    w->ids[w->tables++] = id;
    record_text_add(&w->file[RECORD_TABLES], text, size);
    return 1;
}

/* The tables are between the second line and the last; rows begin with a digit, heads with a
 * 't'. */
static int add_tables(record_writer *w, const char *at, const char *end)
{
    while (at < end) {
        const char *stop = at;
        do
            stop = line_end(stop, end) + 1;
        while (stop < end && *stop != 't');
        if (!take_table(w, at, (size_t)(stop - at)))
            return 0;
        at = stop;
    }
    return 1;
}

int record_add(record_writer *w, const char *text, size_t size)
{
    const char *end = text + size, *first = line_end(text, end);
    const char *second = first ? line_end(first + 1, end) : NULL, *last = end - 1;
    if (!second || end[-1] != '\n' || !add_source(w, first + 1, (size_t)(second - first - 1)))
        return 0;
    while (last[-1] != '\n')
        last--;
    if (last <= second || !add_tables(w, second + 1, last))
        return 0;
    add_checked(&w->file[RECORD_SECONDS], w->before, text, (size_t)(first - text));
    size_t name = strcspn(text, " ");
    if (name > RECORD_NAME)
        return 0;
    memcpy(w->before, text, name);
    w->before[name] = '\0';
    record_text_add(&w->file[RECORD_CASES], last, (size_t)(end - last));
    w->cases++;
    return !w->file[RECORD_CASES].failed && !w->file[RECORD_TABLES].failed &&
           !w->file[RECORD_SECONDS].failed;
}

void record_free(record_writer *w)
{
    for (int i = 0; w && i < RECORD_FILES; i++)
        free(w->file[i].text);
    if (w)
        free(w->ids);
    free(w);
}

/* ---- the texts of the files ------------------------------------------------------------------ */

/* The digest ends the line that was begun. */
static void close_file(record_text *t)
{
    char digest[65] = "";
    if (!t->failed)
        record_sha256(t->text, t->size, digest);
    record_text_print(t, "%s\n", digest);
}

static void write_cases(const record_writer *w, const record_text other[], record_text *t)
{
    record_text lines = {NULL, 0, 0, 0};
    char before[RECORD_NAME + 1] = "", tables[65] = "", seconds[65] = "";
    record_text_print(&lines, "softfp8-record 1\ngpu %s\ndriver %s\ntoolkit %s\ntarget %s\n",
                      w->device.name, w->device.driver, w->toolkit, w->device.target);
    record_text_print(&lines, "emulated %s\ndate %s\nversion %s\n",
                      gpu_emulated_text(&w->device), w->date, w->version);
    for (size_t i = 0; i < w->sources; i++)
        record_text_print(&lines, "source.%s %s\n", w->source[i].group, w->source[i].digest);
    t->failed |= lines.failed;
    if (!t->failed)
        add_lines(t, lines.text, before);
    if (!t->failed && w->cases > 0)
        add_lines(t, w->file[RECORD_CASES].text, before);
    free(lines.text);
    if (!t->failed && !other[RECORD_TABLES].failed && !other[RECORD_SECONDS].failed) {
        record_sha256(other[RECORD_TABLES].text, other[RECORD_TABLES].size, tables);
        record_sha256(other[RECORD_SECONDS].text, other[RECORD_SECONDS].size, seconds);
    }
    record_text_print(t, "end cases=%zu tables=%s seconds=%s sha256=", w->cases, tables, seconds);
    close_file(t);
}

static int read_back(const record_text file[], char why[CONFORM_LONG])
{
    record_contents r;
    record_error e;
    const char *text[RECORD_FILES];
    size_t size[RECORD_FILES];
    for (int i = 0; i < RECORD_FILES; i++) {
        text[i] = file[i].text;
        size[i] = file[i].size;
    }
    if (record_read(&r, text, size, &e)) {
        record_contents_free(&r);
        return 1;
    }
    snprintf(why, CONFORM_LONG, "what was to be written cannot be read: %s:%zu: %s",
             record_file_name[e.file], e.line, e.what);
    return 0;
}

int record_compose(record_writer *w, char *text[RECORD_FILES], size_t size[RECORD_FILES],
                   char why[CONFORM_LONG])
{
    record_text t[RECORD_FILES];
    memset(t, 0, sizeof t);
    record_text_print(&t[RECORD_TABLES], "softfp8-record-tables 1\n");
    record_text_add(&t[RECORD_TABLES], w->file[RECORD_TABLES].text, w->file[RECORD_TABLES].size);
    record_text_print(&t[RECORD_TABLES], "end tables=%zu sha256=", w->tables);
    close_file(&t[RECORD_TABLES]);
    record_text_add(&t[RECORD_SECONDS], w->file[RECORD_SECONDS].text, w->file[RECORD_SECONDS].size);
    record_text_print(&t[RECORD_SECONDS], "end cases=%zu sha256=", w->cases);
    close_file(&t[RECORD_SECONDS]);
    write_cases(w, t, &t[RECORD_CASES]);
    int good = 1;
    for (int i = 0; i < RECORD_FILES; i++)
        good &= !t[i].failed;
    if (!good)
        snprintf(why, CONFORM_LONG, "not enough memory for the record");
    else if (w->cases == 0)
        good = snprintf(why, CONFORM_LONG, "no case to write") < 0;
    else
        good = read_back(t, why);
    for (int i = 0; i < RECORD_FILES; i++) {
        if (!good)
            free(t[i].text);
        text[i] = good ? t[i].text : NULL;
        size[i] = t[i].size;
    }
    return good;
}
