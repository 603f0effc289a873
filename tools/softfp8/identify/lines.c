/* SPDX-License-Identifier: MIT */
/* lines.c -- codes and pairs of words as lines of hexadecimal text
 *
 * Words are those of base/words.h; leading zeros do not matter. The first line may name the
 * columns.
 */
#include "identify/identify.h"
#include "base/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_BITS = 20, WORDS_MOST = 3, ALL_FLAGS = 0x1f };

/* ---- lines ----------------------------------------------------------------------------------- */

typedef struct text {
    const char *at, *end;
    uint64_t line;
    uint64_t words[WORDS_MOST];
    int count;
    int begun; /* a line of words, or of names, was there */
} text;

/* The words of a line that ends at `end`. */
static int take_line(text *t, const char *end, input_error *error)
{
    text_word words[WORDS_MOST];
    size_t count = words_split(t->at, (size_t)(end - t->at), words, WORDS_MOST);
    if (count > WORDS_MOST)
        return input_wrong(error, t->line,
                           "more than %d numbers in a line; expected an input, a code and "
                           "optional flags; leave out a column of random bits, then two "
                           "codes of one input are refused",
                           WORDS_MOST);
    t->count = (int)count;
    for (size_t i = 0; i < count; i++)
        if (!words_value(words[i], &t->words[i])) {
            word_expected(error, NULL, words[i], "a hexadecimal number%s",
                          words[i].length > 16 ? " of at most 64 bits" : "");
            error->line = t->line;
            return 0;
        }
    return 1;
}

/* Whether a line names the columns: 1 if they are those of pairs, 0 if it names none, -1 if others,
 * such as that of random words. */
static int names_columns(const text *t, const char *end, input_error *error)
{
    static const char *const known[] = {"a result",         "a result flags", "input code",
                                        "input code flags", "input result",   "input result flags"};
    char line[64];
    size_t used = 0;
    int between = 0;
    for (const char *c = t->at; c < end; c++) {
        int separator = words_separator(*c) || *c == '"';
        if (!separator && used + 2 >= sizeof line)
            return 0;
        if (!separator && between && used)
            line[used++] = ' ';
        if (!separator)
            line[used++] = (char)tolower((unsigned char)*c);
        between = separator;
    }
    line[used] = '\0';
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(line, known[i]) == 0)
            return 1;
    if (!strstr(line, " result") && !strstr(line, " code"))
        return 0;
    input_wrong(error, t->line,
                "columns '%s'; expected a,result or a,result,flags, which 'softfp8 gen "
                "--columns operands,result,flags' writes for conversions",
                line);
    return -1;
}

/* The next line that has words: 1, 0 at the end, -1 if it is wrong. */
static int next_line(text *t, input_error *error)
{
    while (t->at < t->end) {
        const char *end = memchr(t->at, '\n', (size_t)(t->end - t->at));
        const char *next = end ? end + 1 : t->end;
        end = end ? end : t->end;
        if (end > t->at && end[-1] == '\r')
            end--;
        t->line++;
        int names = t->begun ? 0 : names_columns(t, end, error);
        if (names < 0)
            return -1;
        if (names > 0) {
            t->at = next;
            t->begun = 1;
            continue;
        }
        if (!take_line(t, end, error))
            return -1;
        t->at = next;
        t->begun |= t->count > 0;
        if (t->count > 0)
            return 1;
    }
    return 0;
}

static int check_code(const text *t, uint64_t code, const identify_set *set, input_error *error)
{
    if (code & ~sf8_format_code_mask(set->to))
        return input_wrong(error, t->line, "code %llx: too wide; %s has %d bits",
                           (unsigned long long)code, set->to_name, sf8_format_bits(set->to));
    return 1;
}

/* ---- words ----------------------------------------------------------------------------------- */

int identify_read_words(const char *data, size_t size, identify_set *set, input_error *error)
{
    text t = {data, data + size, 0, {0}, 0, 0};
    uint64_t words = identify_words_of(set->from);
    int more;
    if (sf8_format_bits(set->from) > TABLE_BITS)
        return input_wrong(error, 0,
                           "expected lines 'INPUT CODE' with a blank between them, or a step "
                           "table; %s has too many inputs for a list of codes alone",
                           set->from_name);
    while ((more = next_line(&t, error)) > 0) {
        if (t.count != 1)
            return input_wrong(error, t.line, "expected one code per line, found %d", t.count);
        if (set->inputs == words)
            return input_wrong(error, t.line,
                               "too many codes; expected %llu, one for each input of %s",
                               (unsigned long long)words, set->from_name);
        if (!check_code(&t, t.words[0], set, error))
            return 0;
        identify_add(set, set->inputs, set->inputs, t.words[0], 0);
    }
    if (more < 0)
        return 0;
    if (set->inputs < words)
        return input_wrong(error, 0, "expected %llu codes, one for each input of %s, found %llu",
                           (unsigned long long)words, set->from_name,
                           (unsigned long long)set->inputs);
    return 1;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

typedef struct item {
    uint64_t word, code;
    uint32_t line, flags;
} item;

typedef struct items {
    item *list;
    size_t count, room;
} items;

static int compare_items(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->word != y->word)
        return x->word < y->word ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static int take_pair(const text *t, identify_set *set, items *all, input_error *error)
{
    if (t->count < 2)
        return input_wrong(error, t->line, "expected an input, a code and optional flags");
    if (all->count == 0)
        set->has_flags = t->count == 3;
    if (set->has_flags != (t->count == 3))
        return input_wrong(error, t->line, "flags must be in all lines or in none");
    if (t->words[0] & ~sf8_format_code_mask(set->from))
        return input_wrong(error, t->line, "input %llx: too wide; %s has %d bits",
                           (unsigned long long)t->words[0], set->from_name,
                           sf8_format_bits(set->from));
    if (!check_code(t, t->words[1], set, error))
        return 0;
    uint64_t flags = t->count == 3 ? t->words[2] : 0;
    if (flags > ALL_FLAGS)
        return input_wrong(error, t->line, "flags %llx: expected at most 1f",
                           (unsigned long long)t->words[2]);
    if (t->line > UINT32_MAX)
        return input_wrong(error, 0, "too many lines; expected fewer than 2^32");
    all->list = grow(all->list, all->count, &all->room, sizeof all->list[0]);
    item one = {t->words[0], t->words[1], (uint32_t)t->line, (uint32_t)flags};
    all->list[all->count++] = one;
    return 1;
}

static int take_pairs(const char *data, size_t size, identify_set *set, items *all,
                      input_error *error)
{
    text t = {data, data + size, 0, {0}, 0, 0};
    int more;
    while ((more = next_line(&t, error)) > 0) {
        if (!take_pair(&t, set, all, error))
            return 0;
    }
    if (more == 0 && all->count == 0)
        return input_wrong(error, 0, "no pairs; expected lines of input and code");
    return more == 0;
}

static void sort_items(items *all)
{
    for (size_t i = 1; i < all->count; i++) {
        if (compare_items(&all->list[i - 1], &all->list[i]) > 0) {
            qsort(all->list, all->count, sizeof all->list[0], compare_items);
            return;
        }
    }
}

static int contradiction(const item *one, const item *before, int flags, input_error *error)
{
    if (flags)
        return input_wrong(error, one->line,
                           "input %llx gives %llx %02x here, but %llx %02x in line %u",
                           (unsigned long long)one->word, (unsigned long long)one->code, one->flags,
                           (unsigned long long)before->code, before->flags, before->line);
    return input_wrong(error, one->line, "input %llx gives %llx here, but %llx in line %u",
                       (unsigned long long)one->word, (unsigned long long)one->code,
                       (unsigned long long)before->code, before->line);
}

/* Sorted items into the set, each word once. */
static int keep_items(const items *all, identify_set *set, input_error *error)
{
    set->words = allocate(all->count, sizeof set->words[0]);
    for (size_t i = 0; i < all->count; i++) {
        const item *one = &all->list[i], *before = i > 0 ? one - 1 : one;
        if (i > 0 && one->word == before->word) {
            if (one->code != before->code || one->flags != before->flags)
                return contradiction(one, before, set->has_flags, error);
            continue;
        }
        set->words[set->inputs] = one->word;
        identify_add(set, one->word, one->word, one->code, one->flags);
    }
    return 1;
}

int identify_read_pairs(const char *data, size_t size, identify_set *set, input_error *error)
{
    items all = {NULL, 0, 0};
    int good = take_pairs(data, size, set, &all, error);
    if (good) {
        sort_items(&all);
        good = keep_items(&all, set, error);
    }
    free(all.list);
    return good;
}
