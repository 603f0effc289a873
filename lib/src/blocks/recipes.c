/* SPDX-License-Identifier: MIT */
/* recipes.c -- recipes by name, and their programs from text */
#include "softfp8/scalar.h"
#include "softfp8/blocks/recipes.h"
#include "softfp8_blocks.h"
#include "text/names.h"

#include <string.h>

/* Copies the next word of a text, at most `room` - 1 characters. Returns the rest of the text; the
 * word is "" at the end. Returns NULL if it is longer. */
static const char *sf8_next_word(const char **text, char *word, size_t room)
{
    *text += strspn(*text, " ");
    size_t length = strcspn(*text, " ");
    if (length >= room)
        return NULL;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return word;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* "6", "0.125", "2^-6", "FLT_MAX": exactly an f32. */
static int32_t sf8_term_number(const char *word, uint32_t *value)
{
    uint64_t code;
    sf8_result r;
    if (strcmp(word, "FLT_MAX") == 0) {
        *value = 0x7f7fffffu;
        return 1;
    }
    if (strncmp(word, "2^", 2) == 0) {
        if (sf8_from_text(SF8_F32, word + 2, SF8_OCP_NOSAT, &r, NULL) != SF8_OK)
            return 0;
        code = sf8_f32_pow2((uint32_t)r.code);
    } else {
        if (sf8_from_text(SF8_F32, word, SF8_OCP_NOSAT, &r, NULL) != SF8_OK)
            return 0;
        code = r.code;
    }
    *value = (uint32_t)code;
    return 1;
}

static int32_t sf8_term_read(sf8_term *term, const char *word)
{
    static const char *const variables[] = {
#define SF8_VARIABLE(name) #name,
        SF8_PROGRAM_VARIABLES(SF8_VARIABLE)
#undef SF8_VARIABLE
    };
    static const char *const ops[] = {
#define SF8_TERM(id, name, operands) name,
        SF8_PROGRAM_OPS(SF8_TERM)
#undef SF8_TERM
    };
    for (uint32_t i = 0; i < SF8_VAR_COUNT; i++) {
        if (strcmp(word, variables[i]) == 0) {
            term->op = SF8_TERM_VARIABLE;
            term->word = i;
            return 1;
        }
    }
    for (uint32_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (strcmp(word, ops[i]) == 0) {
            term->op = SF8_TERM_VARIABLE + 1 + i;
            term->word = 0;
            return 1;
        }
    }
    term->op = SF8_TERM_NUMBER;
    return sf8_term_number(word, &term->word);
}

int32_t sf8_program_read(sf8_program *program, const char *text)
{
    sf8_program p;
    char word[24];
    int32_t depth = 0;
    if (!text)
        return 0;
    memset(&p, 0, sizeof p);
    for (;;) {
        if (!sf8_next_word(&text, word, sizeof word))
            return 0;
        if (!word[0])
            break;
        if (p.count == SF8_PROGRAM_TERMS || !sf8_term_read(&p.term[p.count], word))
            return 0;
        int32_t operands = sf8_term_operands(p.term[p.count].op);
        if (depth < operands || depth - operands + 1 > SF8_PROGRAM_STACK)
            return 0;
        depth += 1 - operands;
        p.count++;
    }
    if (p.count && depth != 1)
        return 0;
    *program = p;
    return 1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The programs at the end of a row may be omitted, and are then NULL. C++17 has no designators, and
 * this file is also part of the single header. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
const sf8_recipe_row *sf8_recipe_at(size_t i)
{
    static const sf8_recipe_row rows[] = {
#define SF8_RECIPE_ROW(...) {__VA_ARGS__},
        SF8_RECIPES(SF8_RECIPE_ROW)
#undef SF8_RECIPE_ROW
    };
    return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* "round=rna missing_nan=zero" */
static int32_t sf8_recipe_fields(sf8_policy *policy, const char *fields)
{
    char word[48];
    for (;;) {
        if (!sf8_next_word(&fields, word, sizeof word))
            return 0;
        if (!word[0])
            return 1;
        char *value = strchr(word, '=');
        if (!value)
            return 0;
        *value++ = '\0';
        if (sf8_policy_set(policy, word, value) != SF8_OK)
            return 0;
    }
}

static int32_t sf8_recipe_policy(sf8_policy *policy, const char *policy_name, const char *fields)
{
    sf8_status status;
    *policy = sf8_policy_named(policy_name, &status);
    return status == SF8_OK && sf8_recipe_fields(policy, fields) && policy->round != SF8_SR;
}

const char *sf8_recipe_per_name(int32_t per)
{
    static const char *const names[SF8_PER_COUNT] = {"row",   "none",       "tensor",
                                                     "token", "token-head", "block"};
    return per >= 0 && per < SF8_PER_COUNT ? names[per] : NULL;
}

/* "e2m1", "int4", "uint2": integers have 1 to 8 bits. */
static int32_t sf8_recipe_element(sf8_recipe *r, const char *name)
{
    sf8_status status;
    const char *digit = strncmp(name, "uint", 4) == 0  ? name + 4
                        : strncmp(name, "int", 3) == 0 ? name + 3
                                                       : NULL;
    if (digit) {
        r->is_signed = name[0] == 'i';
        r->integer = digit[0] - '0';
        return r->integer >= 1 && r->integer <= 8 && digit[1] == '\0';
    }
    r->element = sf8_format_named(name, &status);
    return status == SF8_OK && sf8_format_valid(r->element) && sf8_format_bits(r->element) <= 8;
}

/* "none", "tensor", "token", "token-head". */
static int32_t sf8_recipe_per(const char *name)
{
    for (int32_t per = SF8_PER_NONE; per < SF8_PER_BLOCK; per++)
        if (strcmp(name, sf8_recipe_per_name(per)) == 0)
            return per;
    return SF8_PER_ROW;
}

/* "128": 1 to 4096. */
static int32_t sf8_recipe_count(int32_t *count, const char *digits)
{
    int32_t n = 0;
    for (; *digits >= '0' && *digits <= '9' && n <= 4096; digits++)
        n = 10 * n + (*digits - '0');
    *count = n;
    return *digits == '\0' && n >= 1 && n <= 4096;
}

static int32_t sf8_recipe_errors(sf8_recipe *r, const char *name)
{
    static const char *const names[] = {"sum", "pairs", "halves", "most"};
    for (r->errors = 0; r->errors < 4; r->errors++)
        if (strcmp(name, names[r->errors]) == 0)
            return 1;
    return 0;
}

static int32_t sf8_recipe_property(sf8_recipe *r, const char *word)
{
    static const char digits[] = "0123456789abcdef";
    if (strcmp(word, "g=encode") == 0) {
        r->has_g = SF8_G_ENCODE;
    } else if (strcmp(word, "g=decode") == 0) {
        r->has_g = SF8_G_DECODE;
    } else if (strcmp(word, "g=given") == 0) {
        r->has_g = SF8_G_GIVEN;
    } else if (strncmp(word, "per=", 4) == 0) {
        r->per = sf8_recipe_per(word + 4);
        return r->per != SF8_PER_ROW && r->block == 0;
    } else if (strncmp(word, "rows=", 5) == 0) {
        return sf8_recipe_count(&r->rows, word + 5) && r->rows > 1;
    } else if (strncmp(word, "image=", 6) == 0) {
        return sf8_recipe_count(&r->image, word + 6);
    } else if (strcmp(word, "nibbles=half") == 0) {
        r->nibbles = SF8_NIBBLES_HALF;
    } else if (strncmp(word, "errors=", 7) == 0) {
        return sf8_recipe_errors(r, word + 7);
    } else if (strcmp(word, "tie=second") == 0) {
        r->tie_second = 1;
    } else if (strcmp(word, "amax=nan") == 0) {
        r->amax_nan = SF8_AMAX_NAN;
    } else if (strcmp(word, "offset=in-scale") == 0) {
        r->offset_at = SF8_OFFSET_IN_SCALE;
    } else if (strncmp(word, "offset=", 7) == 0) {
        sf8_status status;
        r->offset_at = SF8_OFFSET_WORD;
        r->offset = sf8_format_named(word + 7, &status);
        return status == SF8_OK && sf8_format_valid(r->offset) && sf8_format_bits(r->offset) <= 32;
    } else if (strncmp(word, "zero=", 5) == 0 && strlen(word) == 7) {
        const char *high = strchr(digits, word[5]), *low = strchr(digits, word[6]);
        r->scale_zero = high && low ? (uint32_t)(16 * (high - digits) + (low - digits)) : 0;
        return r->scale_zero != 0;
    } else {
        return 0;
    }
    return 1;
}

static int32_t sf8_recipe_properties(sf8_recipe *r, const char *properties)
{
    char word[24];
    for (;;) {
        if (!sf8_next_word(&properties, word, sizeof word))
            return 0;
        if (!word[0])
            return 1;
        if (!sf8_recipe_property(r, word))
            return 0;
    }
}

/* The program of g may use only amax. */
static int32_t sf8_recipe_g_of(sf8_recipe *r, const char *text)
{
    if (!sf8_program_read(&r->g_of, text ? text : ""))
        return 0;
    for (int32_t i = 0; i < r->g_of.count; i++)
        if (r->g_of.term[i].op == SF8_TERM_VARIABLE && r->g_of.term[i].word != SF8_VAR_amax)
            return 0;
    return 1;
}

/* A choice needs a program of errors, no offset, and a number of rows that can be joined pairwise.
 * Codes in bytes by halves need 4 bits and blocks of an even number of elements of one row, and so
 * do images. */
static int32_t sf8_recipe_fits(const sf8_recipe *r)
{
    int32_t rows = (int32_t)sf8_recipe_rows(r), chooses = r->second_of.count != 0;
    if (chooses != (r->error_of.count != 0) ||
        (chooses &&
         (r->offset_at != SF8_OFFSET_NONE || rows > SF8_CHOICE_ROWS || (rows & (rows - 1)) != 0)))
        return 0;
    if (r->nibbles == SF8_NIBBLES_HALF &&
        (sf8_recipe_bits(r) != 4 || r->block < 2 || r->block % 2 != 0 || rows > 1))
        return 0;
    return r->image == 0 || (r->block > 0 && rows == 1 && r->offset_at != SF8_OFFSET_IN_SCALE &&
                             (int64_t)sf8_recipe_bits(r) * r->block % 8 == 0);
}

/* Texts that may not be NULL; sf8_program_read and names of formats and policies refuse it. */
static int32_t sf8_recipe_has_texts(const sf8_recipe_row *row)
{
    return row->element && row->element_fields && row->scale_fields && row->properties;
}

sf8_status sf8_recipe_read(sf8_recipe *recipe, const sf8_recipe_row *row)
{
    sf8_recipe r;
    sf8_status status;
    memset(&r, 0, sizeof r);
    r.element = r.offset = SF8_F32;
    r.block = row->block;
    r.per = row->block > 0 ? SF8_PER_BLOCK : SF8_PER_ROW;
    r.scale = sf8_format_named(row->scale, &status);
    if (row->block < 0 || status != SF8_OK || !sf8_format_valid(r.scale) ||
        sf8_format_bits(r.scale) > 32 || !sf8_recipe_has_texts(row) ||
        !sf8_recipe_element(&r, row->element) ||
        !sf8_recipe_policy(&r.element_policy, row->element_policy, row->element_fields) ||
        !sf8_recipe_policy(&r.scale_policy, row->scale_policy, row->scale_fields) ||
        !sf8_program_read(&r.scale_of, row->scale_of) ||
        !sf8_program_read(&r.offset_of, row->offset_of) ||
        !sf8_program_read(&r.factor_of, row->factor_of) ||
        !sf8_program_read(&r.element_of, row->element_of) ||
        !sf8_program_read(&r.value_of, row->value_of) ||
        !sf8_recipe_properties(&r, row->properties) || !sf8_recipe_g_of(&r, row->g_of) ||
        !sf8_program_read(&r.second_of, row->second_of ? row->second_of : "") ||
        !sf8_program_read(&r.error_of, row->error_of ? row->error_of : "") ||
        !sf8_recipe_fits(&r) || !r.scale_of.count || !r.element_of.count || !r.value_of.count ||
        (r.offset_at != SF8_OFFSET_NONE) != (r.offset_of.count != 0))
        return SF8_BAD_CALL;
    *recipe = r;
    return SF8_OK;
}

sf8_status sf8_recipe_named(sf8_recipe *recipe, const char *name)
{
    const sf8_recipe_row *row;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++) {
        if (sf8_is_named(row->name, name))
            return sf8_recipe_read(recipe, row);
    }
    return SF8_UNKNOWN_NAME;
}
