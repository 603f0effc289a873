/* SPDX-License-Identifier: MIT */
/* input.c -- the bytes of a file, of whatever kind, as a set of observed results */
#include "identify/identify.h"
#include "files/tensor_file.h"
#include "base/words.h"

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
