/* SPDX-License-Identifier: MIT */
/* input.c -- the bytes of a file, of whatever kind, as a set of observed results; codes and pairs
 * of words as lines of hexadecimal text
 *
 * Words are those of base/words.h; leading zeros do not matter. The first line may name the
 * columns.
 */
#include "identify/identify.h"
#include "files/tensor_file.h"
#include "base/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_BITS = 20 }; /* a source with more is not given as a whole table */

static const char steps_title[] = "# softfp8: step table";

const char *const identify_kinds[] = {"raw", "words", "pairs", "steps", NULL};

/* ---- which kind ------------------------------------------------------------------------------ */

/* The bytes of a byte order mark, which spreadsheets write before text. */
static size_t mark_of(const char *data, size_t size)
{
    static const char mark[] = "\xef\xbb\xbf";
    return size >= 3 && memcmp(data, mark, 3) == 0 ? 3 : 0;
}

/* The line at `at`, without its end. */
static const char *line_end(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

/* Lines of ASCII; a comment may have any characters but controls. */
static int is_text(const char *data, const char *end)
{
    for (const char *line = data, *next; line < end; line = next + 1) {
        next = line_end(line, end);
        const char *comment = words_end(line, next);
        for (const char *c = line; c < next; c++)
            if (((unsigned char)*c < ' ' && *c != '\r' && *c != '\t') || *c == 127 ||
                ((unsigned char)*c > '~' && c < comment))
                return 0;
    }
    return 1;
}

/* The number of words in the first line that has any; at most 2. The first goes to `words`. */
static size_t first_words(const char *data, const char *end, text_word words[1])
{
    size_t count = 0;
    for (const char *line = data, *next; line < end && count == 0; line = next + 1) {
        next = line_end(line, end);
        size_t length = (size_t)(next - line);
        count = words_split(line, length - (length && next[-1] == '\r'), words, 1);
    }
    return count;
}

/* More digits are no number, but bytes that look like digits: 256 codes 38 are "888...". */
enum { LONGEST = 64 };

identify_kind identify_detect(const char *data, size_t size)
{
    if (size >= sizeof steps_title - 1 && memcmp(data, steps_title, sizeof steps_title - 1) == 0)
        return IDENTIFY_STEPS;
    size_t mark = mark_of(data, size);
    text_word first = {NULL, 0};
    data += mark;
    size -= mark;
    if (!is_text(data, data + (size < 4096 ? size : 4096)))
        return IDENTIFY_RAW;
    size_t words = first_words(data, data + size, &first);
    return first.length > LONGEST ? IDENTIFY_RAW : words > 1 ? IDENTIFY_PAIRS : IDENTIFY_WORDS;
}

/* ---- raw bytes ------------------------------------------------------------------------------- */

/* Leaves out the head of a .npy file of codes of `width` bytes. */
static int skip_head(const char **data, size_t *size, size_t width, input_error *error)
{
    size_t begin;
    input_error wrong;
    if (!npy_is(*data, *size))
        return 1;
    if (!npy_codes_head(*data, *size, width, &begin, &wrong))
        return input_wrong(error, 0, "%s",
                           strstr(wrong.text, "structured")
                               ? "a .npy file with columns; expected an array of codes, or the "
                                 "text or CSV that 'softfp8 gen' writes"
                               : wrong.text);
    *data += begin;
    *size -= begin;
    return 1;
}

static int read_raw(const char *data, size_t size, identify_set *set, input_error *error)
{
    int bits = sf8_format_bits(set->to), width = bits <= 8    ? 1
                                                 : bits <= 16 ? 2
                                                 : bits <= 32 ? 4
                                                              : 8;
    if (sf8_format_bits(set->from) > TABLE_BITS)
        return input_wrong(error, 0,
                           "%s has too many inputs for raw codes; give pairs or a step table",
                           set->from_name);
    uint64_t words = identify_words_of(set->from);
    if (!skip_head(&data, &size, (size_t)width, error))
        return 0;
    if (size != words * (uint64_t)width)
        return input_wrong(error, 0,
                           "expected %llu bytes, %d for each of the %llu inputs of %s, found %llu",
                           (unsigned long long)words * (unsigned)width, width,
                           (unsigned long long)words, set->from_name, (unsigned long long)size);
    const unsigned char *bytes = (const unsigned char *)data;
    for (uint64_t word = 0; word < words; word++) {
        uint64_t code = 0;
        for (int i = width - 1; i >= 0; i--)
            code = code << 8 | bytes[word * (uint64_t)width + (uint64_t)i];
        if (code & ~sf8_format_code_mask(set->to))
            return input_wrong(error, 0, "input %llx: code %llx: too wide; %s has %d bits",
                               (unsigned long long)word, (unsigned long long)code, set->to_name,
                               bits);
        identify_add(set, word, word, code, 0);
    }
    return 1;
}

/* ---- step tables ----------------------------------------------------------------------------- */

/* The formats of the head, compared with those asked for. */
static int take_formats(const sf8_steps_head *head, identify_set *set, identify_given *given,
                        input_error *error)
{
    if (set->from_name[0] && !identify_same_format(set->from, head->from))
        return input_wrong(error, 2, "the step table converts from %s, but --from is %s",
                           head->from_name, set->from_name);
    if (set->to_name[0] && !identify_same_format(set->to, head->to))
        return input_wrong(error, 2, "the step table converts to %s, but --to is %s", head->to_name,
                           set->to_name);
    set->from = head->from;
    set->to = head->to;
    if (!set->from_name[0])
        memcpy(set->from_name, head->from_name, sizeof set->from_name);
    if (!set->to_name[0])
        memcpy(set->to_name, head->to_name, sizeof set->to_name);
    memcpy(given->policy_name, head->policy_name, sizeof given->policy_name);
    return 1;
}

static int read_steps(const char *data, size_t size, identify_given *given, identify_set *set,
                      input_error *error)
{
    sf8_steps_head head;
    sf8_text_error wrong;
    size_t count;
    if (sf8_steps_read(data, size, &head, NULL, 0, &count, &wrong) == SF8_BAD_TEXT)
        return input_wrong(error, wrong.line, "expected %s", wrong.expected);
    if (!take_formats(&head, set, given, error))
        return 0;
    sf8_step *steps = allocate(count, sizeof *steps);
    sf8_steps_read(data, size, &head, steps, count, &count, &wrong);
    for (size_t i = 0; i < count; i++) {
        uint64_t top = sf8_format_code_mask(set->from);
        uint64_t last = i + 1 < count ? steps[i + 1].first - 1 : top;
        identify_add(set, steps[i].first, last, steps[i].code, steps[i].flags);
    }
    free(steps);
    set->has_flags = 1;
    return 1;
}

int identify_read(const char *data, size_t size, identify_given *given, identify_set *set,
                  input_error *error)
{
    identify_kind kind = given->kind;
    set->inputs = 0;
    set->words = NULL;
    set->runs = NULL;
    set->count = set->room = 0;
    set->has_flags = 0;
    given->policy_name[0] = '\0';
    if (kind != IDENTIFY_STEPS && (!set->from_name[0] || !set->to_name[0]))
        return input_wrong(error, 0, "%s are missing: this kind of file does not name its formats",
                           "--from and --to");
    size_t mark = kind == IDENTIFY_RAW ? 0 : mark_of(data, size);
    data += mark;
    size -= mark;
    int good = kind == IDENTIFY_RAW     ? read_raw(data, size, set, error)
               : kind == IDENTIFY_WORDS ? identify_read_words(data, size, set, error)
               : kind == IDENTIFY_PAIRS ? identify_read_pairs(data, size, set, error)
                                        : read_steps(data, size, given, set, error);
    if (!good)
        identify_free(set);
    return good;
}

/* ---- codes and pairs of words as lines of hexadecimal text ----------------------------------- */

enum { WORDS_MOST = 3, ALL_FLAGS = 0x1f };

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
