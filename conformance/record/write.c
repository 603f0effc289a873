/* SPDX-License-Identifier: MIT */
/* write.c -- writing records: the texts of the files from those of the cases
 *
 * A case's text is what its process passes to the writing process: the line of its seconds, the
 * line of its source, its tables, its own line. Tables are named by their content, so that a
 * repeated table is recognised at once.
 */
#include "base/memory.h"
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
    text_buffer file[RECORD_FILES]; /* the lines of the cases, without checks in RECORD_CASES */
    char before[RECORD_NAME + 1];   /* the first word of the last line of the seconds */
};

/* ---- the text of a case ---------------------------------------------------------------------- */

/* The head and the rows of a table; its name is the digest of what follows the name. */
static void add_table(text_buffer *t, const record_table *table, uint64_t *id)
{
    text_buffer rows = {NULL, 0, 0};
    text_print(&rows, "in=%d out=%d rows=%zu\n", table->in_bytes, table->out_bytes, table->rows);
    for (size_t i = 0; i < table->rows; i++)
        text_print(&rows, "%0*llx %0*llx\n", 2 * table->in_bytes,
                   (unsigned long long)table->row[i].index, 2 * table->out_bytes,
                   (unsigned long long)table->row[i].code);
    *id = record_id(rows.bytes, rows.size);
    text_print(t, "table %016llx ", (unsigned long long)*id);
    text_add(t, rows.bytes, rows.size);
    free(rows.bytes);
}

/* Opcodes separated by commas. */
static void add_sass(text_buffer *t, const record_entry *e)
{
    text_print(t, " sass=");
    if (!e->sass_shown || !e->sass[0]) {
        text_print(t, e->sass_shown ? "none\n" : "not-shown\n");
        return;
    }
    for (const char *c = e->sass; *c; c++)
        text_add(t, *c == ' ' ? "," : c, 1);
    text_add(t, "\n", 1);
}

/* " TOKENS:BYTES:TOOK:COPY:AS-THEY-ARE:THREE" */
static void add_speed(text_buffer *t, const conform_speed *v)
{
    const uint64_t number[6] = {v->tokens, v->bytes, v->took, v->copy, v->as_they_are, v->three};
    for (int i = 0; i < 6; i++)
        text_print(t, "%c%llu", i ? ':' : ' ', (unsigned long long)number[i]);
}

void record_add_seconds(text_buffer *t, const record_entry *e)
{
    text_print(t, "%s %llu.%06llu", e->name, (unsigned long long)(e->microseconds / 1000000),
               (unsigned long long)(e->microseconds % 1000000));
    for (size_t i = 0; i < e->speeds; i++)
        add_speed(t, &e->speed[i]);
    text_print(t, "\n");
}

char *record_entry_text(const record_entry *e, const record_source *source,
                        const record_table *table)
{
    text_buffer t = {NULL, 0, 0};
    uint64_t id[GPU_LANES] = {0};
    int same = 1;
    record_add_seconds(&t, e);
    text_print(&t, "source.%s %s\n", source->group, source->digest);
    for (int i = 0; i < e->lanes; i++) {
        if (i > 0 && e->table[i] == e->table[i - 1])
            id[i] = id[i - 1];
        else
            add_table(&t, &table[e->table[i]], &id[i]);
        same &= id[i] == id[0];
    }
    text_print(&t, "%s group=%s inputs=%s:%llu", e->name, source->group,
               e->kind[0] ? e->kind
               : e->whole ? "all"
                          : "set",
               (unsigned long long)e->inputs);
    if (!e->whole && !e->kind[0])
        text_print(&t, ":%s", e->list_digest);
    if (!e->kind[0])
        text_print(&t, " lanes=%d tables=", e->lanes);
    for (int i = 0; i < (same && e->lanes ? 1 : e->lanes); i++)
        text_print(&t, "%s%016llx", i ? "," : "", (unsigned long long)id[i]);
    text_print(&t, " digest=%s differ=%llu", e->digest, (unsigned long long)e->differ);
    add_sass(&t, e);
    return t.bytes;
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

static void add_checked(text_buffer *t, const char *before, const char *line, size_t size)
{
    char check[9];
    record_check(before, strlen(before), line, size, check);
    text_add(t, line, size);
    text_print(t, " #%s\n", check);
}

/* Adds the lines of a text, each with its check; *before is the first word of the last line. */
static void add_lines(text_buffer *t, const char *lines, char before[RECORD_NAME + 1])
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
    record_writer *w = allocate(1, sizeof *w);
    char target[GPU_TEXT];
    clean(w->device.name, head->device.name);
    clean(w->device.driver, head->device.driver);
    clean(target, head->device.target);
    memcpy(w->device.target, target, sizeof w->device.target - 1);
    w->device.emulated = head->device.emulated != 0;
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
    w->ids = grow(w->ids, w->tables, &w->room, sizeof w->ids[0]);
    w->ids[w->tables++] = id;
    text_add(&w->file[RECORD_TABLES], text, size);
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
    text_add(&w->file[RECORD_CASES], last, (size_t)(end - last));
    w->cases++;
    return 1;
}

void record_free(record_writer *w)
{
    for (int i = 0; w && i < RECORD_FILES; i++)
        free(w->file[i].bytes);
    if (w)
        free(w->ids);
    free(w);
}

/* ---- the texts of the files ------------------------------------------------------------------ */

/* The digest ends the line that was begun. */
static void close_file(text_buffer *t)
{
    char digest[65];
    text_digest(t->bytes, t->size, digest);
    text_print(t, "%s\n", digest);
}

static void write_cases(const record_writer *w, const text_buffer other[], text_buffer *t)
{
    text_buffer lines = {NULL, 0, 0};
    char before[RECORD_NAME + 1] = "", tables[65], seconds[65];
    text_print(&lines, "softfp8-record 1\ngpu %s\ndriver %s\ntoolkit %s\ntarget %s\n",
               w->device.name, w->device.driver, w->toolkit, w->device.target);
    text_print(&lines, "emulated %s\ndate %s\nversion %s\n", gpu_emulated_text(&w->device), w->date,
               w->version);
    for (size_t i = 0; i < w->sources; i++)
        text_print(&lines, "source.%s %s\n", w->source[i].group, w->source[i].digest);
    add_lines(t, lines.bytes, before);
    if (w->cases > 0)
        add_lines(t, w->file[RECORD_CASES].bytes, before);
    free(lines.bytes);
    text_digest(other[RECORD_TABLES].bytes, other[RECORD_TABLES].size, tables);
    text_digest(other[RECORD_SECONDS].bytes, other[RECORD_SECONDS].size, seconds);
    text_print(t, "end cases=%zu tables=%s seconds=%s sha256=", w->cases, tables, seconds);
    close_file(t);
}

static int read_back(const text_buffer file[], char why[CONFORM_LONG])
{
    record_contents r;
    input_error e;
    const char *text[RECORD_FILES];
    size_t size[RECORD_FILES];
    for (int i = 0; i < RECORD_FILES; i++) {
        text[i] = file[i].bytes;
        size[i] = file[i].size;
    }
    if (record_read(&r, text, size, &e)) {
        record_contents_free(&r);
        return 1;
    }
    snprintf(why, CONFORM_LONG, "what was to be written cannot be read: %s:%llu: %s",
             record_file_name[e.file], (unsigned long long)e.line, e.text);
    return 0;
}

int record_compose(record_writer *w, char *text[RECORD_FILES], size_t size[RECORD_FILES],
                   char why[CONFORM_LONG])
{
    text_buffer t[RECORD_FILES];
    memset(t, 0, sizeof t);
    text_print(&t[RECORD_TABLES], "softfp8-record-tables 1\n");
    text_add(&t[RECORD_TABLES], w->file[RECORD_TABLES].bytes, w->file[RECORD_TABLES].size);
    text_print(&t[RECORD_TABLES], "end tables=%zu sha256=", w->tables);
    close_file(&t[RECORD_TABLES]);
    text_add(&t[RECORD_SECONDS], w->file[RECORD_SECONDS].bytes, w->file[RECORD_SECONDS].size);
    text_print(&t[RECORD_SECONDS], "end cases=%zu sha256=", w->cases);
    close_file(&t[RECORD_SECONDS]);
    write_cases(w, t, &t[RECORD_CASES]);
    int good = w->cases > 0;
    if (good)
        good = read_back(t, why);
    else
        snprintf(why, CONFORM_LONG, "no case to write");
    for (int i = 0; i < RECORD_FILES; i++) {
        if (!good)
            free(t[i].bytes);
        text[i] = good ? t[i].bytes : NULL;
        size[i] = t[i].size;
    }
    return good;
}
