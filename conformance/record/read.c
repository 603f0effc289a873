/* SPDX-License-Identifier: MIT */
/* read.c -- the texts of a record are parsed and compared with each other
 *
 * The order is: the tables, the cases, the seconds; then the digests of the files, which the last
 * line of the cases has. So damage is reported where it is. The digests only find files that are
 * intact and belong to different records.
 */
#include "base/memory.h"
#include "record/parse.h"

#include <stdlib.h>
#include <string.h>

typedef struct reading {
    record_contents *r;
    line_reader cases, seconds;
    /* digests of the files, computed and as the cases say */
    char digest[RECORD_FILES][65], said[RECORD_FILES][65];
    size_t used_tables, used_sources;
} reading;

/* ---- the head -------------------------------------------------------------------------------- */

/* "KEY VALUE": printable, no blank at either end. */
static int take_value(line_reader *l, const char *key, char *value, size_t room)
{
    if (!line_next_checked(l, key) || !line_take(l, key) || !line_take(l, " "))
        return 0;
    size_t length = (size_t)(l->end - l->at);
    int good = length > 0 && length < room && l->at[0] != ' ' && l->end[-1] != ' ';
    for (size_t i = 0; i < length && good; i++)
        good = l->at[i] >= ' ' && l->at[i] <= '~';
    if (!good)
        return line_wrong(l, "expected '%s' and a text of 1 to %zu printable characters", key,
                          room - 1);
    memcpy(value, l->at, length);
    value[length] = '\0';
    return 1;
}

static int is_date(const char *text)
{
    static const char form[] = "0000-00-00";
    if (strlen(text) != sizeof form - 1)
        return 0;
    for (size_t i = 0; form[i]; i++) {
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return 0;
    }
    return 1;
}

static int take_sources(reading *g)
{
    line_reader *l = &g->cases;
    record_contents *r = g->r;
    while (line_begins(l, "source.")) {
        record_source *s = &r->source[r->sources];
        if (!line_next_checked(l, "a source") || !line_take(l, "source."))
            return 0;
        if (r->sources == RECORD_GROUPS)
            return line_wrong(l, "more than %d sources", RECORD_GROUPS);
        size_t n = 0;
        while (l->at < l->end && *l->at != ' ' && n < RECORD_GROUP &&
               ((*l->at >= 'a' && *l->at <= 'z') || (*l->at >= '0' && *l->at <= '9')))
            s->group[n++] = *l->at++;
        if (n == 0 || !line_take(l, " "))
            return line_wrong(l, "expected 'source.GROUP DIGEST'");
        if (!line_take_digest(l, s->digest) || !line_is_done(l))
            return 0;
        for (size_t i = 0; i < r->sources; i++) {
            if (strcmp(r->source[i].group, s->group) == 0)
                return line_wrong(l, "the source '%s' appears twice", s->group);
        }
        r->sources++;
    }
    return 1;
}

static int take_head(reading *g)
{
    record_contents *r = g->r;
    line_reader *l = &g->cases;
    char emulated[10];
    if (!line_next_checked(l, "softfp8-record 1") || !line_take(l, "softfp8-record 1") ||
        !line_is_done(l) || !take_value(l, "gpu", r->device.name, sizeof r->device.name) ||
        !take_value(l, "driver", r->device.driver, sizeof r->device.driver) ||
        !take_value(l, "toolkit", r->toolkit, sizeof r->toolkit) ||
        !take_value(l, "target", r->device.target, sizeof r->device.target) ||
        !take_value(l, "emulated", emulated, sizeof emulated))
        return 0;
    if (!gpu_take_emulated(&r->device, emulated))
        return line_wrong(l, "expected 'emulated yes' or 'emulated no'");
    if (!take_value(l, "date", r->date, sizeof r->date))
        return 0;
    if (!is_date(r->date))
        return line_wrong(l, "expected a date as 2026-11-21");
    return take_value(l, "version", r->version, sizeof r->version) && take_sources(g);
}

/* ---- a case ---------------------------------------------------------------------------------- */

static int take_name(reading *g, record_entry *e)
{
    line_reader *l = &g->cases;
    size_t n = 0;
    while (l->at + n < l->end && l->at[n] != ' ')
        n++;
    if (!record_is_case_name(l->at, n))
        return line_wrong(l,
                          "the name of a case is FAMILY/NAME, of at most %d of the characters "
                          "a-z 0-9 . _ / = -",
                          RECORD_NAME);
    memcpy(e->name, l->at, n);
    l->at += n;
    for (size_t i = 0; i < g->r->entries; i++) {
        if (strcmp(g->r->entry[i].name, e->name) == 0)
            return line_wrong(l, "the case appears twice");
    }
    return 1;
}

/* Sources are in the order in which the cases first use them. */
static int take_group(reading *g, record_entry *e)
{
    line_reader *l = &g->cases;
    size_t n = 0;
    if (!line_take(l, " group="))
        return 0;
    while (l->at + n < l->end && l->at[n] != ' ')
        n++;
    for (size_t i = 0; i < g->r->sources; i++) {
        if (strlen(g->r->source[i].group) != n || memcmp(g->r->source[i].group, l->at, n) != 0)
            continue;
        l->at += n;
        e->source = i;
        g->used_sources += i == g->used_sources;
        return i < g->used_sources || line_wrong(l, "the sources are in another order");
    }
    return line_wrong(l, "the header has no source of this group");
}

/* "all", "set", or what another family counts. The grammar does not restrict it. */
static int take_kind(line_reader *l, record_entry *e)
{
    size_t n = 0;
    while (l->at < l->end && *l->at >= 'a' && *l->at <= 'z' && n < RECORD_GROUP)
        e->kind[n++] = *l->at++;
    return n > 0 ||
           line_wrong(l, "expected 'all:', 'set:' or the word of a family, in small letters");
}

static int take_inputs(reading *g, record_entry *e)
{
    line_reader *l = &g->cases;
    static const uint64_t most = UINT64_C(1) << 32;
    if (!line_take(l, " inputs="))
        return 0;
    if (!take_kind(l, e) || !line_take(l, ":"))
        return 0;
    e->whole = strcmp(e->kind, "all") == 0;
    if (!e->whole && strcmp(e->kind, "set") != 0)
        return line_take_number(l, UINT64_MAX, &e->inputs);
    e->kind[0] = '\0';
    if (!line_take_number(l, most, &e->inputs))
        return 0;
    if (!e->whole)
        return (line_take(l, ":") && line_take_digest(l, e->list_digest) && e->inputs > 0) ||
               line_wrong(l, "expected 'set:', the number of inputs, ':', the digest of the list");
    return (e->inputs > 1 && (e->inputs & (e->inputs - 1)) == 0) ||
           line_wrong(l, "expected a power of two as the number of all inputs");
}

/* Tables are in the order in which the cases first use them. */
static int take_table(reading *g, size_t *table)
{
    line_reader *l = &g->cases;
    record_contents *r = g->r;
    uint64_t id;
    if (!line_take_hex(l, 16, &id))
        return 0;
    for (size_t i = 0; i < g->used_tables; i++) {
        if (r->table[i].id == id) {
            *table = i;
            return 1;
        }
    }
    if (g->used_tables == r->tables || r->table[g->used_tables].id != id)
        return line_wrong(l, "table %016llx is not in %s, or the tables are in another order",
                          (unsigned long long)id, record_file_name[RECORD_TABLES]);
    *table = g->used_tables++;
    return 1;
}

static int take_tables(reading *g, record_entry *e)
{
    line_reader *l = &g->cases;
    uint64_t lanes;
    int same = 1;
    if (!line_take(l, " lanes=") || !line_take_number(l, GPU_LANES, &lanes))
        return 0;
    if (lanes == 0 || lanes == 3)
        return line_wrong(l, "expected 1, 2 or 4 lanes");
    e->lanes = (int)lanes;
    if (!line_take(l, " tables=") || !take_table(g, &e->table[0]))
        return 0;
    if (l->at == l->end || *l->at != ',') {
        for (int i = 1; i < e->lanes; i++)
            e->table[i] = e->table[0];
        return 1;
    }
    for (int i = 1; i < e->lanes; i++) {
        if (!line_take(l, ",") || !take_table(g, &e->table[i]))
            return 0;
        same &= e->table[i] == e->table[0];
    }
    return !same || line_wrong(l, "a table that all lanes share must be named once");
}

/* Opcodes separated by commas; by blanks in the entry. */
static int take_sass(line_reader *l, record_entry *e)
{
    size_t length = (size_t)(l->end - l->at);
    e->sass_shown = !(length == 9 && memcmp(l->at, "not-shown", 9) == 0);
    if (!e->sass_shown || (length == 4 && memcmp(l->at, "none", 4) == 0))
        return 1;
    if (length == 0 || length >= sizeof e->sass)
        return line_wrong(l, "expected opcodes, 'none' or 'not-shown'");
    for (size_t i = 0; i < length; i++) {
        char c = l->at[i];
        int letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (!letter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != ',')
            return line_wrong(l, "an opcode is of letters, digits, '.' and '_'");
        e->sass[i] = c == ',' ? ' ' : c;
    }
    return 1;
}

/* What the tables have for this case's inputs. */
static int check_tables(reading *g, const record_entry *e)
{
    line_reader at = g->cases;
    at.file = RECORD_TABLES;
    for (int i = 0; i < e->lanes; i++) {
        const record_table *t = &g->r->table[e->table[i]], *first = &g->r->table[e->table[0]];
        if (t->in_bytes != first->in_bytes || t->out_bytes != first->out_bytes)
            return line_wrong(&g->cases, "the tables of the lanes have words of different widths");
        if (t->in_bytes < 8 && e->inputs > UINT64_C(1) << 8 * t->in_bytes)
            return line_wrong(&g->cases, "more inputs than words of %d bytes", t->in_bytes);
        if (t->rows > e->inputs)
            return line_wrong(&g->cases, "a table has more rows than there are inputs");
        at.line = t->line + 1;
        if (e->whole && t->row[0].index != 0)
            return line_wrong(&at, "the first row is not that of 0, and %s has all inputs",
                              e->name);
        at.line = t->line + t->rows;
        if (e->whole && t->row[t->rows - 1].index >= e->inputs)
            return line_wrong(&at, "no input of %s", e->name);
    }
    return 1;
}

static int take_case(reading *g)
{
    record_contents *r = g->r;
    record_entry *e = &r->entry[r->entries];
    line_reader *l = &g->cases;
    memset(e, 0, sizeof *e);
    if (!line_next_checked(l, "a case") || !take_name(g, e) || !take_group(g, e) ||
        !take_inputs(g, e) || (!e->kind[0] && !take_tables(g, e)) || !line_take(l, " digest=") ||
        !line_take_digest(l, e->digest) || !line_take(l, " differ=") ||
        !line_take_number(l, e->inputs, &e->differ) || !line_take(l, " sass=") ||
        !take_sass(l, e) || (!e->kind[0] && !check_tables(g, e)))
        return 0;
    r->entries++;
    return 1;
}

static int take_cases(reading *g)
{
    record_contents *r = g->r;
    size_t room = 0;
    while (!line_begins(&g->cases, "end ")) {
        if (r->entries == RECORD_MOST)
            return line_wrong(&g->cases, "more than %d cases", RECORD_MOST);
        r->entry = grow(r->entry, r->entries, &room, sizeof r->entry[0]);
        if (!take_case(g))
            return 0;
    }
    return 1;
}

/* ---- the ends -------------------------------------------------------------------------------- */

/* " TOKENS:BYTES:TOOK:COPY:AS-THEY-ARE:THREE", once for each number of tokens. */
static int take_speeds(line_reader *l, record_entry *e)
{
    while (l->at < l->end) {
        uint64_t number[6];
        if (e->speeds == CONFORM_SPEEDS)
            return line_wrong(l, "more than %d speeds", CONFORM_SPEEDS);
        for (int i = 0; i < 6; i++)
            if (!line_take(l, i ? ":" : " ") || !line_take_number(l, INT64_MAX, &number[i]))
                return 0;
        const conform_speed v = {number[0], number[1], number[2], number[3], number[4], number[5]};
        e->speed[e->speeds++] = v;
    }
    return 1;
}

/* "NAME 0.012345", a line for each of the cases, followed by the speed of a kernel. */
static int take_seconds(reading *g)
{
    line_reader *l = &g->seconds;
    uint64_t whole, part = 0, count;
    if (!line_next_checked(l, "softfp8-record-seconds 1") ||
        !line_take(l, "softfp8-record-seconds 1") || !line_is_done(l))
        return 0;
    for (size_t i = 0; i < g->r->entries; i++) {
        record_entry *e = &g->r->entry[i];
        if (!line_next_checked(l, "the seconds of a case") || !line_take(l, e->name) ||
            !line_take(l, " ") || !line_take_number(l, 1000000000, &whole) || !line_take(l, "."))
            return 0;
        const char *digits = l->at;
        size_t many = l->end - digits < 6 ? 0 : strspn(digits, "0123456789");
        if (many != 6 || (l->end - digits > 6 && digits[6] != ' '))
            return line_wrong(l, "expected seconds with six digits behind the point");
        for (part = 0; digits < l->at + 6; digits++)
            part = 10 * part + (uint64_t)(*digits - '0');
        l->at = digits;
        e->speeds = 0;
        if (!take_speeds(l, e))
            return 0;
        e->microseconds = whole * 1000000 + part;
    }
    if (!line_next(l, "the end") || !line_take(l, "end cases=") ||
        !line_take_number(l, RECORD_MOST, &count) || !line_take(l, " sha256="))
        return 0;
    return count == g->r->entries ? line_take_end(l)
                                  : line_wrong(l, "expected %llu cases, found %zu",
                                               (unsigned long long)count, g->r->entries);
}

/* The last line of the cases. belong_together checks what it says about the other files. */
static int take_end(reading *g)
{
    line_reader *l = &g->cases;
    uint64_t count;
    if (!line_next(l, "the end") || !line_take(l, "end cases=") ||
        !line_take_number(l, RECORD_MOST, &count))
        return 0;
    if (count != g->r->entries || count == 0)
        return line_wrong(l, "expected %llu cases, found %zu", (unsigned long long)count,
                          g->r->entries);
    return line_take(l, " tables=") && line_take_digest(l, g->said[RECORD_TABLES]) &&
           line_take(l, " seconds=") && line_take_digest(l, g->said[RECORD_SECONDS]) &&
           line_take(l, " sha256=") && line_take_end(l);
}

static int belong_together(reading *g)
{
    line_reader *l = &g->cases;
    for (int i = RECORD_TABLES; i <= RECORD_SECONDS; i++) {
        if (strcmp(g->said[i], g->digest[i]) != 0)
            return line_wrong(l, "%s belongs to another record", record_file_name[i]);
    }
    if (g->used_tables != g->r->tables)
        return line_wrong(l, "%zu tables belong to no case", g->r->tables - g->used_tables);
    return g->used_sources == g->r->sources || line_wrong(l, "a source belongs to no case");
}

int record_read(record_contents *r, const char *const text[RECORD_FILES],
                const size_t size[RECORD_FILES], input_error *error)
{
    reading g;
    memset(r, 0, sizeof *r);
    memset(error, 0, sizeof *error);
    memset(&g, 0, sizeof g);
    g.r = r;
    line_reader tables = line_reader_of(RECORD_TABLES, text[RECORD_TABLES], size[RECORD_TABLES],
                                        error);
    g.cases = line_reader_of(RECORD_CASES, text[RECORD_CASES], size[RECORD_CASES], error);
    g.seconds = line_reader_of(RECORD_SECONDS, text[RECORD_SECONDS], size[RECORD_SECONDS], error);
    for (int i = 0; i < RECORD_FILES; i++)
        text_digest(text[i], size[i], g.digest[i]);
    if (record_read_tables(r, &tables) && take_head(&g) && take_cases(&g) && take_end(&g) &&
        take_seconds(&g) && belong_together(&g)) {
        memcpy(r->digest, g.digest[RECORD_CASES], sizeof r->digest);
        return 1;
    }
    record_contents_free(r);
    return 0;
}

void record_contents_free(record_contents *r)
{
    for (size_t i = 0; i < r->tables; i++)
        free(r->table[i].row);
    free(r->table);
    free(r->entry);
    memset(r, 0, sizeof *r);
}
