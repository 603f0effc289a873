/* SPDX-License-Identifier: MIT */
/* merge.c -- combines the reports of all shards of a run
 *
 * A report has for each case the results of the parts that its shard ran. The parts of all shards
 * are put in order and merged like the parts of one run.
 */
#include "record/merge.h"

#include "report/json_reader.h"
#include "search/engine.h"
#include "suite/family.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* What all reports have in common, and the number of this one. */
typedef struct head {
    const char *path;
    char version[32], date[64], gpu[CONFORM_TEXT], driver[CONFORM_TEXT], toolkit[32];
    char missing[CONFORM_TEXT], tier[16], only[CONFORM_LONG];
    uint64_t schema, shard, shards;
} head;

typedef struct piece {
    size_t index; /* of the case */
    const char *path;
    conform_result result;
} piece;

typedef struct pieces {
    piece *list;
    size_t count, room;
} pieces;

struct report_merge {
    pieces all;
    head *heads;
    size_t count;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static int
wrong(merge_error *error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    error->path = NULL;
    error->line = 0;
    return 0;
}

/* ---- one report ------------------------------------------------------------------------------ */

static uint64_t hex_word(json *j)
{
    char text[32], *end;
    if (!json_text(j, text, sizeof text) || !text[0] ||
        strspn(text, "0123456789abcdef") != strlen(text) || strlen(text) > 16)
        json_fail(j, "expected a word in hexadecimal digits");
    return strtoull(text, &end, 16);
}

static void read_ranges(json *j, conform_result *r, size_t *count)
{
    char key[32];
    json_array(j);
    for (size_t i = 0; json_element(j); i++) {
        conform_range range = {0, 0, 0, 0};
        json_object(j);
        while (json_key(j, key, sizeof key)) {
            if (strcmp(key, "first") == 0)
                range.first = hex_word(j);
            else if (strcmp(key, "last") == 0)
                range.last = hex_word(j);
            else if (strcmp(key, "got") == 0)
                range.got = hex_word(j);
            else if (strcmp(key, "expected") == 0)
                range.right = hex_word(j);
            else
                json_skip(j);
        }
        if (i >= CONFORM_RANGES) {
            json_fail(j, "expected at most 64 ranges");
            return;
        }
        r->range[i] = range;
        *count = i + 1;
    }
}

static conform_status read_status(json *j)
{
    static const char *const names[] = {"passed", "failed", "known", "not_run", "stale", "broken"};
    char text[16];
    json_text(j, text, sizeof text);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0)
            return (conform_status)i;
    }
    json_fail(j, "expected a status");
    return CONFORM_BROKEN;
}

/* 64 hexadecimal digits, or null. */
static void read_digest(json *j, char digest[65])
{
    char text[80];
    if (!json_text(j, text, sizeof text))
        return;
    if (strlen(text) != 64 || strspn(text, "0123456789abcdef") != 64)
        json_fail(j, "expected a digest of 64 hexadecimal digits");
    else
        memcpy(digest, text, 65);
}

static unsigned read_small(json *j)
{
    uint64_t value = json_integer(j);
    if (value > 1 << 20)
        json_fail(j, "expected a smaller number");
    return (unsigned)value;
}

/* What a line must contain, and what must be consistent. */
typedef struct said {
    int status;
    size_t ranges;
} said;

static void read_result(json *j, const char *key, conform_result *r, said *line)
{
    if (strcmp(key, "status") == 0) {
        r->status = read_status(j);
        line->status = 1;
    } else if (strcmp(key, "inputs") == 0)
        r->inputs = json_integer(j);
    else if (strcmp(key, "differ") == 0)
        r->differ = json_integer(j);
    else if (strcmp(key, "crossed") == 0)
        r->crossed = json_integer(j);
    else if (strcmp(key, "seconds") == 0)
        r->seconds = json_number(j);
    else if (strcmp(key, "subject_seconds") == 0)
        r->subject_seconds = json_number(j);
    else if (strcmp(key, "first_part") == 0)
        r->first_part = read_small(j);
    else if (strcmp(key, "parts") == 0)
        r->parts = read_small(j);
    else if (strcmp(key, "of") == 0)
        r->of = read_small(j);
    else if (strcmp(key, "at_begin") == 0)
        r->at_begin = json_boolean(j);
    else if (strcmp(key, "at_end") == 0)
        r->at_end = json_boolean(j);
    else if (strcmp(key, "digest") == 0)
        read_digest(j, r->digest);
    else if (strcmp(key, "why") == 0)
        json_text(j, r->why, sizeof r->why);
    else if (strcmp(key, "diagnosis") == 0)
        json_text(j, r->diagnosis, sizeof r->diagnosis);
    else if (strcmp(key, "sass") == 0)
        json_text(j, r->sass, sizeof r->sass);
    else if (strcmp(key, "origin") == 0)
        json_text(j, r->origin, sizeof r->origin);
    else if (strcmp(key, "range_count") == 0)
        r->range_count = json_integer(j);
    else if (strcmp(key, "ranges") == 0)
        read_ranges(j, r, &line->ranges);
    else
        json_skip(j);
}

/* Returns SIZE_MAX if there is no case of that name. */
static size_t find_case(json *j, const char *name)
{
    const conform_case *c;
    char message[256];
    for (size_t i = 0; (c = conform_case_at(i)) != NULL; i++) {
        if (strcmp(c->name, name) == 0)
            return i;
    }
    snprintf(message, sizeof message, "no case '%.200s' in this suite", name);
    json_fail(j, message);
    return SIZE_MAX;
}

/* Refuses a status that does not follow from its counts, and counts that contradict each other: such a
 * line is not a valid result. */
static void check_result(json *j, const conform_case *c, const conform_result *r, const said *line)
{
    uint64_t kept = r->range_count < CONFORM_RANGES ? r->range_count : CONFORM_RANGES;
    int ranges = !c->family->inputs; /* of words */
    if (!line->status)
        json_fail(j, "expected a case with a status");
    if (r->parts == 0 || r->first_part + r->parts > r->of)
        json_fail(j, "expected a case with parts");
    if (r->differ > r->inputs || r->range_count > r->differ || line->ranges != kept ||
        (r->differ > 0 && ranges) != (r->range_count > 0) ||
        (!r->differ && (r->at_begin || r->at_end)))
        json_fail(j, "the counts of inputs, of those that differ and of ranges do not fit");
    if (r->status <= CONFORM_KNOWN && (r->inputs == 0 || !r->digest[0]))
        json_fail(j, "expected a result with inputs and a digest");
    int wrong = r->differ || r->crossed;
    if ((r->status == CONFORM_PASSED && wrong) || (r->status == CONFORM_KNOWN && !wrong) ||
        (r->status == CONFORM_FAILED && !wrong && !c->known) ||
        (r->status == CONFORM_KNOWN && !c->known))
        json_fail(j, "the status is not that of what differs");
}

static void read_case(json *j, const char *path, pieces *all)
{
    said line = {0, 0};
    char key[32], name[CONFORM_LONG] = "";
    if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 1024;
        all->list = reallocate(all->list, all->room, sizeof all->list[0]);
    }
    piece *p = &all->list[all->count++];
    memset(p, 0, sizeof *p);
    p->path = path;
    json_object(j);
    while (json_key(j, key, sizeof key)) {
        if (strcmp(key, "name") == 0)
            json_text(j, name, sizeof name);
        else
            read_result(j, key, &p->result, &line);
    }
    p->index = find_case(j, name);
    if (p->index != SIZE_MAX)
        check_result(j, conform_case_at(p->index), &p->result, &line);
}

static void read_report(json *j, head *h, pieces *all)
{
    char key[32];
    const struct {
        const char *key;
        char *text;
        size_t size;
    } texts[] = {
        {"softfp8", h->version, sizeof h->version},
        {"date", h->date, sizeof h->date},
        {"gpu", h->gpu, sizeof h->gpu},
        {"driver", h->driver, sizeof h->driver},
        {"toolkit", h->toolkit, sizeof h->toolkit},
        {"missing", h->missing, sizeof h->missing},
        {"tier", h->tier, sizeof h->tier},
        {"only", h->only, sizeof h->only},
    };
    json_object(j);
    while (json_key(j, key, sizeof key)) {
        size_t i = 0, count = sizeof texts / sizeof texts[0];
        while (i < count && strcmp(key, texts[i].key) != 0)
            i++;
        if (i < count)
            json_text(j, texts[i].text, texts[i].size);
        else if (strcmp(key, "schema") == 0)
            h->schema = json_integer(j);
        else if (strcmp(key, "shard") == 0)
            h->shard = json_integer(j);
        else if (strcmp(key, "shards") == 0)
            h->shards = json_integer(j);
        else if (strcmp(key, "cases") == 0)
            for (json_array(j); json_element(j);)
                read_case(j, h->path, all);
        else
            json_skip(j);
    }
    if (h->schema != 1 || h->shards < 1 || h->shard < 1 || h->shard > h->shards)
        json_fail(j, "expected a report of softfp8 conform --json");
}

report_merge *merge_begin(void)
{
    return allocate(1, sizeof(report_merge));
}

int merge_add(report_merge *m, const char *path, const char *text, size_t size, merge_error *error)
{
    json j;
    m->heads = reallocate(m->heads, m->count + 1, sizeof m->heads[0]);
    head *h = &m->heads[m->count++];
    memset(h, 0, sizeof *h);
    h->path = path;
    json_open(&j, text, size);
    read_report(&j, h, &m->all);
    if (json_close(&j))
        return 1;
    error->path = path;
    error->line = j.line;
    snprintf(error->text, sizeof error->text, "%s", j.wrong);
    return 0;
}

/* ---- all reports ----------------------------------------------------------------------------- */

static int same(const head *h, const char *what, const char *first, const char *text,
                merge_error *error)
{
    return strcmp(first, text) == 0 ||
           wrong(error, "%s: the %s is not that of the first report: '%.100s', expected '%.100s'",
                 h->path, what, text, first);
}

static int check_heads(const head *heads, size_t count, merge_error *error)
{
    const head *first = &heads[0];
    for (size_t i = 0; i < count; i++) {
        const head *h = &heads[i];
        if (!same(h, "version", first->version, h->version, error) ||
            !same(h, "GPU", first->gpu, h->gpu, error) ||
            !same(h, "driver", first->driver, h->driver, error) ||
            !same(h, "toolkit", first->toolkit, h->toolkit, error) ||
            !same(h, "tier", first->tier, h->tier, error) ||
            !same(h, "choice of cases", first->only, h->only, error))
            return 0;
        if (h->shards != first->shards)
            return wrong(error, "%s: a report of %llu shards; expected %llu", h->path,
                         (unsigned long long)h->shards, (unsigned long long)first->shards);
        for (size_t k = 0; k < i; k++) {
            if (heads[k].shard == h->shard)
                return wrong(error, "%s: shard %llu appears twice", h->path,
                             (unsigned long long)h->shard);
        }
    }
    if (count != first->shards)
        return wrong(error, "%llu reports; expected one for each of %llu shards",
                     (unsigned long long)count, (unsigned long long)first->shards);
    return 1;
}

static int compare_pieces(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    if (x->result.first_part != y->result.first_part)
        return x->result.first_part < y->result.first_part ? -1 : 1;
    return 0;
}

/* Returns how many pieces the case that begins at `at` has, if they are all its parts; else 0. */
static size_t pieces_of_case(const pieces *all, size_t at, conform_tier tier, merge_error *error)
{
    const piece *first = &all->list[at];
    const char *name = conform_case_at(first->index)->name;
    unsigned part = 0, of = conform_parts(conform_case_at(first->index), tier);
    size_t i = at;
    for (; i < all->count && all->list[i].index == first->index; i++) {
        const conform_result *r = &all->list[i].result;
        if (r->of != of || r->first_part != part) {
            wrong(error, "%s: the parts of %s do not fit those of the suite", all->list[i].path,
                  name);
            return 0;
        }
        part += r->parts;
    }
    if (part == of)
        return i - at;
    wrong(error, "%s: parts of %s are missing", all->list[i - 1].path, name);
    return 0;
}

static int merge_cases(const pieces *all, report *r, merge_error *error)
{
    const conform_case **cases = allocate(all->count + 1, sizeof cases[0]);
    conform_result *results = allocate(all->count + 1, sizeof results[0]);
    const conform_result **parts = allocate(all->count + 1, sizeof parts[0]);
    size_t n = 1;
    r->cases = cases;
    r->results = results;
    for (size_t at = 0; at < all->count && n > 0; at += n) {
        n = pieces_of_case(all, at, r->tier, error);
        for (size_t i = 0; i < n; i++)
            parts[i] = &all->list[at + i].result;
        if (n > 0) {
            cases[r->count] = conform_case_at(all->list[at].index);
            conform_merge(cases[r->count], parts, n, &results[r->count]);
            r->count++;
        }
    }
    free(parts);
    return n > 0;
}

/* Checks that every case of the run is there, and no other. */
static int check_cases(const report *r, merge_error *error)
{
    conform_options o;
    conform_choice at = {0, 0, 0, 0, 0};
    const conform_case *c;
    memset(&o, 0, sizeof o);
    o.tier = r->tier;
    o.only = r->only;
    for (size_t i = 0; (c = conform_next(&o, &at)) != NULL || i < r->count; i++) {
        if (c && (i >= r->count || c != r->cases[i]))
            return wrong(error, "no report has the case %s", c->name);
        if (!c)
            return wrong(error, "the case %s is not one of the run", r->cases[i]->name);
    }
    return 1;
}

static const char *or_null(const char *text)
{
    return text[0] ? text : NULL;
}

static int merge_all(report_merge *m, report *r, merge_error *error)
{
    static const char *const tiers[] = {"quick", "full", "soak"};
    static head first; /* the report points to its texts */
    if (!check_heads(m->heads, m->count, error))
        return 0;
    first = m->heads[0];
    if (m->all.count > 0)
        qsort(m->all.list, m->all.count, sizeof m->all.list[0], compare_pieces);
    int tier = 0;
    while (tier < 3 && strcmp(first.tier, tiers[tier]) != 0)
        tier++;
    if (tier == 3)
        return wrong(error, "%s: expected a tier: quick, full or soak", first.path);
    r->tier = (conform_tier)tier;
    if (!merge_cases(&m->all, r, error))
        return 0;
    r->shards = 1;
    r->date = or_null(first.date);
    r->only = or_null(first.only);
    r->version = or_null(first.version);
    r->gpu = or_null(first.gpu);
    r->driver = or_null(first.driver);
    r->toolkit = or_null(first.toolkit);
    r->missing = or_null(first.missing);
    return check_cases(r, error);
}

int merge_end(report_merge *m, report *r, merge_error *error)
{
    memset(r, 0, sizeof *r);
    int good = merge_all(m, r, error);
    if (!good) {
        free((void *)r->cases);
        free((void *)r->results);
    }
    free(m->all.list);
    free(m->heads);
    free(m);
    return good;
}
