/* SPDX-License-Identifier: MIT */
/* steps_line.h -- the lines of a step table: the one place that defines how each is written
 *
 * A table has exactly one text. The reader parses the lines of the head leniently, writes them
 * again with the functions below, and requires the same text. vectors/README.md is the grammar.
 */
#ifndef SOFTFP8_STEPS_LINE_H
#define SOFTFP8_STEPS_LINE_H

#include "softfp8_vectors.h"
#include "softfp8/scalar.h"
#include "softfp8/sha256.h"

#include <string.h>

enum {
    SF8_LINE_TITLE,
    SF8_LINE_FUNCTION,
    SF8_LINE_FROM,
    SF8_LINE_TO,
    SF8_LINE_POLICY,
    SF8_LINE_FIELDS, /* one line a field of sf8_policy */
#define SF8_COUNT_FIELD(name, width, values) +1
    SF8_LINE_RANDOM = SF8_LINE_FIELDS SF8_POLICY_FIELDS(SF8_COUNT_FIELD),
#undef SF8_COUNT_FIELD
    SF8_LINE_COLUMNS,
    SF8_HEAD_LINES
};

enum { SF8_LINE_SIZE = 512, SF8_DIGEST_DIGITS = 64, SF8_ALL_FLAGS = 0x1f };

static const char sf8_line_hex[] = "0123456789abcdef";

/* The numbers of a format row in the order of sf8_format_row. */
enum { SF8_ROW_NAN = 3, SF8_ROW_VALUES = 7 };
static const char *const sf8_row_keys[SF8_ROW_VALUES] = {
    " exp=", " man=", " signed=", " nan=", " inf=", " zero=", " bias="};
static const char *const sf8_nan_kinds[] = {"none", "ieee", "top", "neg-zero"};

/* A line under construction. Every line of the grammar is shorter than SF8_LINE_SIZE. */
typedef struct sf8_line {
    char text[SF8_LINE_SIZE];
    size_t length;
} sf8_line;

static inline int sf8_line_is(const sf8_line *line, const char *text, size_t length)
{
    return length == line->length && memcmp(text, line->text, length) == 0;
}

static inline void sf8_line_add(sf8_line *line, const char *text)
{
    size_t n = strlen(text), room = sizeof line->text - line->length;
    n = n < room ? n : room;
    memcpy(line->text + line->length, text, n);
    line->length += n;
}

static inline void sf8_line_add_hex(sf8_line *line, uint64_t value, int32_t digits)
{
    while (digits-- > 0)
        line->text[line->length++] = sf8_line_hex[value >> (4 * digits) & 15];
}

static inline void sf8_line_add_decimal(sf8_line *line, uint64_t value)
{
    char digits[21];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    sf8_line_add(line, digits + at);
}

static inline void sf8_line_add_format(sf8_line *line, const char *name, sf8_format f)
{
    int32_t values[SF8_ROW_VALUES] = {f.exp_bits, f.man_bits, f.is_signed, f.nan,
                                      f.has_inf,  f.has_zero, f.bias};
    sf8_line_add(line, name);
    for (int i = 0; i < SF8_ROW_VALUES; i++) {
        sf8_line_add(line, sf8_row_keys[i]);
        if (i == SF8_ROW_NAN) {
            sf8_line_add(line, sf8_nan_kinds[values[i]]);
        } else {
            if (values[i] < 0)
                sf8_line_add(line, "-");
            sf8_line_add_decimal(line, (uint64_t)(values[i] < 0 ? -values[i] : values[i]));
        }
    }
}

static inline sf8_status sf8_line_add_field(sf8_line *line, sf8_policy policy, size_t i)
{
    char value[SF8_NAME_SIZE];
    const char *field = sf8_policy_field_at(i);
    sf8_status status = sf8_policy_get(policy, field, value, sizeof value);
    if (status != SF8_OK)
        return status;
    sf8_line_add(line, "# ");
    sf8_line_add(line, field);
    sf8_line_add(line, ": ");
    sf8_line_add(line, value);
    return sf8_policy_set(&policy, field, value); /* a number may be out of its range */
}

/* The i-th line of the head, without its end. */
static inline sf8_status sf8_head_line(sf8_line *line, const sf8_steps_head *head, size_t i)
{
    line->length = 0;
    switch (i) {
    case SF8_LINE_TITLE:
        sf8_line_add(line, "# softfp8: step table 1");
        return SF8_OK;
    case SF8_LINE_FUNCTION:
        sf8_line_add(line, "# function: ");
        sf8_line_add(line, head->from_name);
        sf8_line_add(line, "_to_");
        sf8_line_add(line, head->to_name);
        return SF8_OK;
    case SF8_LINE_FROM:
        sf8_line_add(line, "# from: ");
        sf8_line_add_format(line, head->from_name, head->from);
        return SF8_OK;
    case SF8_LINE_TO:
        sf8_line_add(line, "# to: ");
        sf8_line_add_format(line, head->to_name, head->to);
        return SF8_OK;
    case SF8_LINE_POLICY:
        sf8_line_add(line, "# policy: ");
        sf8_line_add(line, head->policy_name);
        return SF8_OK;
    case SF8_LINE_RANDOM:
        sf8_line_add(line, "# random: ");
        sf8_line_add_hex(line, head->random, 8);
        return SF8_OK;
    case SF8_LINE_COLUMNS:
        sf8_line_add(line, "# columns: first-input-word code flags");
        return SF8_OK;
    default:
        return sf8_line_add_field(line, head->policy, i - SF8_LINE_FIELDS);
    }
}

/* Fields from this one on were added after the first tables were published. Their lines are omitted
 * if the value is ocp's, so that those tables stay as they are. */
enum { SF8_LATER_FIELDS = 22 };

static inline int sf8_head_left_out(const sf8_steps_head *head, size_t i)
{
    char own[32] = "", usual[32] = "";
    if (i < (size_t)SF8_LINE_FIELDS + SF8_LATER_FIELDS || i >= (size_t)SF8_LINE_RANDOM)
        return 0;
    sf8_policy_get(head->policy, sf8_policy_field_at(i - SF8_LINE_FIELDS), own, sizeof own);
    sf8_policy_get(SF8_OCP, sf8_policy_field_at(i - SF8_LINE_FIELDS), usual, sizeof usual);
    return strcmp(own, usual) == 0;
}

/* ---- what both sides require ------------------------------------------------------------------
 */

/* The number of leading characters that a name may have. */
static inline size_t sf8_name_length(const char *text)
{
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-=,");
}

static inline int sf8_name_is_good(const char name[SF8_NAME_SIZE])
{
    if (!memchr(name, 0, SF8_NAME_SIZE))
        return 0;
    return name[0] != '\0' && name[sf8_name_length(name)] == '\0';
}

/* If a name is that of a known format, it must be this format. */
static inline int sf8_name_fits(const char *name, sf8_format f)
{
    sf8_word word;
    if (sf8_word_named(name, &word) != SF8_OK)
        return 1;
    return word.kind == SF8_WORD_FLOAT && memcmp(&word.format, &f, sizeof f) == 0;
}

static inline int32_t sf8_hex_digits(sf8_format f)
{
    return (sf8_format_bits(f) + 3) / 4;
}

/* The two lines of the end. */
static inline void sf8_rows_line(sf8_line *line, uint64_t rows)
{
    line->length = 0;
    sf8_line_add(line, "# rows: ");
    sf8_line_add_decimal(line, rows);
}

static inline void sf8_digest_line(sf8_line *line, sf8_sha256 *digest)
{
    char digits[SF8_DIGEST_DIGITS + 1];
    sf8_sha256_end(digest, digits);
    line->length = 0;
    sf8_line_add(line, "# sha256: ");
    sf8_line_add(line, digits);
}

#endif
