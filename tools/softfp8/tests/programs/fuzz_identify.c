/* SPDX-License-Identifier: MIT */
/* fuzz_identify.c -- libFuzzer: any bytes as an input of identify, and what must hold of the set
 *
 * The first byte chooses the formats, the second the kind, the third and fourth a model of a
 * converter; the rest is the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../lib/tests/fuzz.h"
#include "identify/identify.h"

#define HEAD 4

static const struct {
    const char *from, *to;
} formats[] = {
    {"e2m1", "e4m3"}, {"e4m3", "f16"},          {"f16", "e4m3"},  {"bf16", "e5m2"},
    {"f32", "e4m3"},  {"f64", "e4m3fnuz"},      {"f32", "f64"},   {"e5m2", "e8m0"},
    {"f16", "ue4m3"}, {"p3109_k3p2se", "e2m1"}, {"tf32", "e3m4"}, {"", ""},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

/* The runs are in order and no two neighbours alike; the words are ascending and of the source. */
static void check_set(const identify_set *set)
{
    CHECK(set->count > 0);
    for (size_t i = 0; i < set->count; i++) {
        const identify_run *run = &set->runs[i], *before = i > 0 ? run - 1 : run;
        CHECK(run->first <= run->last);
        CHECK((run->code & ~sf8_format_code_mask(set->to)) == 0);
        CHECK((run->last & ~sf8_format_code_mask(set->from)) == 0);
        CHECK(i == 0 || before->last < run->first);
        CHECK(i == 0 || before->code != run->code || before->flags != run->flags);
        CHECK(set->words || run->first == (i ? before->last + 1 : 0));
        CHECK(!set->words || set->words[run->at] == run->first);
    }
    for (uint64_t i = 1; set->words && i < set->inputs; i++)
        CHECK(set->words[i - 1] < set->words[i]);
}

/* The i-th observed word and its code, found by looking for it. */
static uint64_t observed(const identify_set *set, uint64_t i, uint64_t *code)
{
    uint64_t word = set->words ? set->words[i] : i;
    CHECK(identify_find(set, word, code));
    return word;
}

/* The count of differences is that of one conversion after the other. */
static void check_count(const identify_set *set, identify_candidate *c)
{
    uint64_t differ = 0, code = 0;
    identify_compare(set, c, NULL);
    for (uint64_t i = 0; i < set->inputs; i++) {
        uint64_t word = observed(set, i, &code);
        differ += sf8_convert(set->to, set->from, word, c->policy) != code;
    }
    CHECK(differ == c->codes);
}

/* A model with a change or two gives the same code for all inputs of a cell. */
static void check_cells(const identify_set *set, const identify_candidate *c, uint8_t choice)
{
    search_words boundaries = {NULL, 0, 0, NULL};
    identify_cells cells = identify_cut(set, &boundaries);
    identify_change list[IDENTIFY_CHANGES_MOST];
    identify_subject subject;
    identify_subject_of_set(&subject, set);
    int changes = subject.changes(&subject, &cells, list);
    identify_model m = identify_model_of(c);
    const identify_change *change = &list[choice % changes];
    uint64_t total = 0;
    if (identify_is_field(change))
        CHECK(sf8_policy_set(&m.policy, change->cause->name, change->value) == SF8_OK);
    else if (m.round == SF8_RNE)
        identify_put_mistake(&m, change->cause);
    for (size_t i = 0; i < cells.count; i++) {
        const identify_cell *cell = &cells.cells[i];
        CHECK(identify_code(&m, &cells.seen, set->from, set->to, cell->first) ==
              identify_code(&m, &cells.seen, set->from, set->to, cell->last));
        total += cell->count;
    }
    CHECK(total == set->inputs);
    identify_cells_free(&cells);
    free(boundaries.words);
}

static void check_search(const identify_set *set)
{
    static const uint8_t most = 64;
    search_words boundaries = {NULL, 0, 0, NULL};
    identify_diagnosis d;
    size_t count, ranges;
    uint64_t of_class[IDENTIFY_CLASSES], total = 0;
    identify_other other;
    if (set->inputs > most)
        return;
    identify_candidate *list = identify_candidates(set, &count);
    identify_count_all(set, list, count, &boundaries);
    identify_subject subject;
    identify_subject_of_set(&subject, set);
    identify_cells cells = identify_cut(set, &boundaries);
    cells.subject = &subject;
    identify_mark(&cells, set, identify_closest(list, count)->policy, NULL);
    identify_search(&cells, list, count, &d);
    identify_model m = identify_model_of(identify_closest(list, count));
    free(identify_ranges(&cells, &m, &ranges, of_class));
    for (int i = 0; i < IDENTIFY_CLASSES; i++)
        total += of_class[i];
    CHECK(total == m.differ);
    CHECK(d.count == 0 || d.found[0].differ <= m.differ);
    identify_read_otherwise(set, &other);
    identify_other_free(&other);
    identify_cells_free(&cells);
    free(boundaries.words);
    free(list);
}

static void check_read(const identify_set *set, const uint8_t *head)
{
    identify_candidate c;
    memset(&c, 0, sizeof c);
    c.policy_index = head[2] % (SF8_POLICIES(FUZZ_ONE));
    c.round = head[3] % IDENTIFY_ROUNDINGS;
    c.policy = sf8_policy_named(sf8_policy_at(c.policy_index)->name, NULL);
    c.policy.round = (unsigned)c.round & SF8_ROUND_MASK;
    check_set(set);
    if (set->inputs > 1 << 16)
        return;
    check_count(set, &c);
    check_cells(set, &c, head[3]);
    if (head[2] % 16 == 0)
        check_search(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    identify_set set;
    input_error error;
    if (size < HEAD)
        return 0;
    memset(&set, 0, sizeof set);
    strcpy(set.from_name, formats[data[0] % FORMATS].from);
    strcpy(set.to_name, formats[data[0] % FORMATS].to);
    if (set.from_name[0]) {
        set.from = sf8_format_named(set.from_name, NULL);
        set.to = sf8_format_named(set.to_name, NULL);
    }
    char *text = malloc(size - HEAD + 1); /* its own block, so that reading past it is seen */
    CHECK(text);
    memcpy(text, data + HEAD, size - HEAD);
    text[size - HEAD] = '\0';
    identify_given given = {.kind = data[1] % 5 < 4 ? (identify_kind)(data[1] % 5)
                                                    : identify_detect(text, size - HEAD)};
    if (identify_read(text, size - HEAD, &given, &set, &error))
        check_read(&set, data);
    else
        CHECK(error.text[0] && strlen(error.text) < sizeof error.text && !set.runs && !set.words);
    identify_free(&set);
    free(text);
    return 0;
}
