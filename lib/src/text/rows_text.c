/* SPDX-License-Identifier: MIT */
/* rows_text.c -- formats and policies as text: a name, and fields that differ from it
 *
 *     e=4 m=3 bias=11 nan=top          a format that has no name
 *     e4m3 bias=11                     a named one with another bias
 *     ocp round=rz                     a policy and a field of it
 *
 * Words are separated by blanks or commas; with commas alone the text is one word for a shell, for
 * the head of a file, and in the name of a function.
 */
#include "softfp8.h"
#include "text/names.h"
#include "text/words.h"

#include <string.h>

/* ---- formats --------------------------------------------------------------------------------- */

enum {
    SF8_FIELD_E,
    SF8_FIELD_M,
    SF8_FIELD_BIAS,
    SF8_FIELD_SIGNED,
    SF8_FIELD_NAN,
    SF8_FIELD_INF,
    SF8_FIELD_ZERO,
    SF8_FORMAT_FIELDS
};

typedef struct sf8_format_field {
    const char *name, *values; /* separated by blanks; "" for a number */
} sf8_format_field;

static const sf8_format_field sf8_format_fields[SF8_FORMAT_FIELDS] = {
    {"e", ""},
    {"m", ""},
    {"bias", ""},
    {"signed", "0 1"},
    {"nan", "none ieee top neg-zero"},
    {"inf", "0 1"},
    {"zero", "0 1"}};

const char *sf8_format_field_at(size_t i)
{
    return i < SF8_FORMAT_FIELDS ? sf8_format_fields[i].name : NULL;
}

const char *sf8_format_field_values(size_t i)
{
    return i < SF8_FORMAT_FIELDS ? sf8_format_fields[i].values : NULL;
}

/* The fields as numbers, and which of them the text gives. */
typedef struct sf8_format_draft {
    int32_t value[SF8_FORMAT_FIELDS];
    int given[SF8_FORMAT_FIELDS];
} sf8_format_draft;

static sf8_status sf8_draft_take(sf8_format_draft *draft, const sf8_text_word *word)
{
    for (int i = 0; i < SF8_FORMAT_FIELDS; i++) {
        if (strcmp(word->name, sf8_format_fields[i].name) != 0)
            continue;
        const char *values = sf8_format_fields[i].values;
        if (draft->given[i])
            return SF8_BAD_TEXT;
        draft->given[i] = 1;
        if (!*values)
            return sf8_number_read(word->value, &draft->value[i]) ? SF8_OK : SF8_BAD_TEXT;
        draft->value[i] = sf8_place_in(values, word->value);
        return draft->value[i] < 0 ? SF8_BAD_TEXT : SF8_OK;
    }
    return SF8_UNKNOWN_NAME;
}

static void sf8_draft_of(sf8_format_draft *draft, sf8_format f)
{
    const int32_t values[SF8_FORMAT_FIELDS] = {f.exp_bits, f.man_bits, f.bias,    f.is_signed,
                                               f.nan,      f.has_inf,  f.has_zero};
    memset(draft, 0, sizeof *draft);
    memcpy(draft->value, values, sizeof values);
}

/* The format of a draft. What is not given, and has no base, is as in IEEE 754: an infinity and
 * NaNs of the top exponent if there is a mantissa to tell them apart, and a bias of 2^(e-1) - 1. */
static sf8_status sf8_draft_format(sf8_format_draft *draft, int has_base, sf8_format *format)
{
    int32_t *v = draft->value;
    if (!has_base) {
        if (!draft->given[SF8_FIELD_E] || !draft->given[SF8_FIELD_M])
            return SF8_BAD_FORMAT;
        if (!draft->given[SF8_FIELD_BIAS] && v[SF8_FIELD_E] >= 1 && v[SF8_FIELD_E] <= 11)
            v[SF8_FIELD_BIAS] = (1 << (v[SF8_FIELD_E] - 1)) - 1;
        if (!draft->given[SF8_FIELD_SIGNED])
            v[SF8_FIELD_SIGNED] = 1;
        if (!draft->given[SF8_FIELD_ZERO])
            v[SF8_FIELD_ZERO] = 1;
        if (!draft->given[SF8_FIELD_NAN])
            v[SF8_FIELD_NAN] = v[SF8_FIELD_M] ? SF8_NANS_IEEE : SF8_NANS_NONE;
        if (!draft->given[SF8_FIELD_INF])
            v[SF8_FIELD_INF] = v[SF8_FIELD_NAN] == SF8_NANS_IEEE;
    }
    for (int i = SF8_FIELD_E; i <= SF8_FIELD_M; i++)
        if (v[i] < 0 || v[i] > 52)
            return SF8_BAD_FORMAT;
    sf8_format f = sf8_format_row(v[SF8_FIELD_E], v[SF8_FIELD_M], v[SF8_FIELD_SIGNED],
                                  v[SF8_FIELD_NAN], v[SF8_FIELD_INF], v[SF8_FIELD_ZERO],
                                  v[SF8_FIELD_BIAS]);
    if (!sf8_format_valid(f))
        return SF8_BAD_FORMAT;
    *format = f;
    return SF8_OK;
}

sf8_status sf8_format_read(const char *text, sf8_format *format, size_t *at)
{
    sf8_format base;
    sf8_format_draft draft = {{0}, {0}};
    sf8_text_word word;
    int has_base = 0;
    if (!text)
        return sf8_stopped_at(at, 0, SF8_UNKNOWN_NAME);
    if (sf8_format_by_name(text, format) == SF8_OK)
        return SF8_OK;
    for (size_t next = 0, words = 0; sf8_word_next(text, next, &word); next = word.end, words++) {
        sf8_status status = SF8_UNKNOWN_NAME;
        if (word.has_value) {
            status = sf8_draft_take(&draft, &word);
        } else if (words == 0) {
            status = sf8_format_by_name(word.name, &base);
            has_base = status == SF8_OK;
            if (has_base)
                sf8_draft_of(&draft, base);
        }
        if (status != SF8_OK)
            return sf8_stopped_at(at, word.at, status);
    }
    sf8_status status = text[0] ? sf8_draft_format(&draft, has_base, format) : SF8_UNKNOWN_NAME;
    return status == SF8_OK ? status : sf8_stopped_at(at, strlen(text), status);
}

sf8_format sf8_format_named(const char *name, sf8_status *status)
{
    sf8_format format = SF8_E4M3;
    sf8_status result = sf8_format_by_name(name, &format);
    if (result != SF8_OK && name && strchr(name, '='))
        result = sf8_format_read(name, &format, NULL);
    if (status)
        *status = result == SF8_OK ? SF8_OK : SF8_UNKNOWN_NAME;
    return format;
}

/* ---- policies -------------------------------------------------------------------------------- */

/* Sets a field that is not among those of *given, a bit each, and adds it there. */
static sf8_status sf8_policy_take(sf8_policy *policy, uint64_t *given, const sf8_text_word *word)
{
    uint64_t field = UINT64_C(1) << sf8_policy_field_index(word->name);
    if (*given & field)
        return SF8_BAD_TEXT;
    *given |= field;
    return sf8_policy_set(policy, word->name, word->value);
}

sf8_status sf8_policy_read(const char *text, sf8_policy *policy, size_t *at)
{
    sf8_policy read = SF8_OCP;
    sf8_text_word word;
    size_t words = 0;
    uint64_t given = 0;
    if (!text)
        return sf8_stopped_at(at, 0, SF8_UNKNOWN_NAME);
    for (size_t next = 0; sf8_word_next(text, next, &word); next = word.end, words++) {
        sf8_status status = SF8_UNKNOWN_NAME;
        if (word.has_value)
            status = sf8_policy_take(&read, &given, &word);
        else if (words == 0)
            status = sf8_policy_by_name(word.name, &read);
        if (status != SF8_OK)
            return sf8_stopped_at(at, word.at, status);
    }
    if (words == 0)
        return sf8_stopped_at(at, 0, SF8_UNKNOWN_NAME);
    *policy = read;
    return SF8_OK;
}

sf8_policy sf8_policy_named(const char *name, sf8_status *status)
{
    sf8_policy policy = SF8_OCP;
    sf8_status result = sf8_policy_by_name(name, &policy);
    if (result != SF8_OK && name && strchr(name, '='))
        result = sf8_policy_read(name, &policy, NULL);
    if (status)
        *status = result == SF8_OK ? SF8_OK : SF8_UNKNOWN_NAME;
    return policy;
}
