/* SPDX-License-Identifier: MIT */
/* mma.c -- matrix units by name, and their sums */
#include "softfp8_mma.h"
#include "softfp8/scalar.h"
#include "softfp8/mma/units.h"
#include "text/names.h"

#include <string.h>

const sf8_mma_row *sf8_mma_at(size_t i)
{
    static const sf8_mma_row rows[] = {
#define SF8_MMA_ROW(...) {__VA_ARGS__},
        SF8_MMA_UNITS(SF8_MMA_ROW)
#undef SF8_MMA_ROW
    };
    return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

static int32_t sf8_mma_is(sf8_format f, const char *name, size_t length)
{
    char word[16];
    sf8_status status;
    if (length >= sizeof word)
        return 0;
    memcpy(word, name, length);
    word[length] = '\0';
    sf8_format named = sf8_format_named(word, &status);
    return status == SF8_OK && sf8_format_valid(f) && sf8_same_format(f, named);
}

/* Returns 1 if a list of names has this format. */
static int32_t sf8_mma_has(const char *list, sf8_format f)
{
    while (*list) {
        size_t length = strcspn(list, " +");
        if (sf8_mma_is(f, list, length))
            return 1;
        list += length;
        list += strspn(list, " +");
    }
    return 0;
}

int32_t sf8_mma_takes(const sf8_mma_row *row, sf8_format a, sf8_format b, sf8_format out)
{
    return sf8_mma_has(row->operands, a) && sf8_mma_has(row->operands, b) &&
           sf8_mma_has(row->out, out) && (strchr(row->operands, '+') || sf8_same_format(a, b));
}

/* Returns 0 if there is no order of that name. */
static int32_t sf8_mma_order(const char *name, uint32_t *order)
{
    static const char *const names[] = {"fused", "chain", "independent", "two-stage",
                                        "interleaved"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0) {
            *order = i;
            return 1;
        }
    return 0;
}

static int32_t sf8_mma_number(const char *value, int32_t least, int32_t most, int32_t *number)
{
    int32_t minus = value[0] == '-', n = 0;
    const char *digit = value + minus;
    if (!*digit)
        return 0;
    for (; *digit; digit++) {
        if (*digit < '0' || *digit > '9' || n > 1000)
            return 0;
        n = 10 * n + (*digit - '0');
    }
    n = minus ? -n : n;
    if (n < least || n > most)
        return 0;
    *number = n;
    return 1;
}

/* "f32", "f16", or f32 with a shorter mantissa, "e8m13"; no more mantissa than the result has. */
static int32_t sf8_mma_sum_format(const char *name, sf8_format out, sf8_format *sum)
{
    int32_t bits;
    sf8_status status = SF8_OK;
    sf8_format f;
    if (strncmp(name, "e8m", 3) == 0 && sf8_mma_number(name + 3, 1, 22, &bits))
        f = sf8_format_row(8, bits, 1, SF8_NANS_IEEE, 1, 1, 127);
    else
        f = sf8_format_named(name, &status);
    if (status != SF8_OK || f.exp_bits != out.exp_bits || f.man_bits > out.man_bits ||
        f.nan != SF8_NANS_IEEE || f.bias != out.bias)
        return 0;
    *sum = f;
    return 1;
}

sf8_status sf8_mma_read(sf8_mma *mma, const sf8_mma_row *row, sf8_format a, sf8_format b,
                        sf8_format out)
{
    sf8_mma m;
    if (!sf8_mma_takes(row, a, b, out))
        return SF8_BAD_FORMAT;
    memset(&m, 0, sizeof m);
    m.a = a;
    m.b = b;
    m.out = out;
    sf8_mma_sum_format(row->sum, out, &m.sum);
    m.scale_block = row->scale_block;
    if (row->scale_block)
        m.scale = sf8_format_named(row->scale, NULL);
    m.group = row->group;
    m.k = row->k;
    m.length = row->length;
    m.fraction = row->fraction;
    m.zero = row->zero;
    m.round = strcmp(row->round, "rz") == 0 ? SF8_RZ : SF8_RNE;
    m.underflow = strcmp(row->underflow, "positive") == 0 ? SF8_MMA_POSITIVE : SF8_MMA_KEEPS_SIGN;
    sf8_mma_order(row->order, &m.order);
    *mma = m;
    return SF8_OK;
}

sf8_status sf8_mma_named(sf8_mma *mma, const char *unit, sf8_format a, sf8_format b, sf8_format out)
{
    const sf8_mma_row *row;
    sf8_status status = SF8_UNKNOWN_NAME;
    for (size_t i = 0; (row = sf8_mma_at(i)) != NULL; i++) {
        if (!sf8_is_named(row->unit, unit))
            continue;
        status = sf8_mma_read(mma, row, a, b, out);
        if (status == SF8_OK)
            return SF8_OK;
    }
    return status;
}

static int32_t sf8_mma_choice(const char *value, const char *zero, const char *one,
                              uint32_t of_zero, uint32_t of_one, uint32_t *to)
{
    if (strcmp(value, zero) != 0 && strcmp(value, one) != 0)
        return 0;
    *to = strcmp(value, zero) == 0 ? of_zero : of_one;
    return 1;
}

/* The modes that depend on the value alone. */
static int32_t sf8_mma_round(const char *value, uint32_t *round)
{
    sf8_policy policy = SF8_OCP_NOSAT;
    if (sf8_policy_set(&policy, "round", value) != SF8_OK || policy.round == SF8_SR)
        return 0;
    *round = policy.round;
    return 1;
}

sf8_status sf8_mma_set(sf8_mma *mma, const char *name, const char *value)
{
    int32_t good;
    if (!name || !value)
        return name ? SF8_BAD_TEXT : SF8_UNKNOWN_NAME;
    int32_t lowered = mma->order == SF8_MMA_CHAIN || mma->order == SF8_MMA_INDEPENDENT;
    if (strcmp(name, "lowering") == 0)
        good = lowered && sf8_mma_choice(value, "chain", "independent", SF8_MMA_CHAIN,
                                         SF8_MMA_INDEPENDENT, &mma->order);
    else if (strcmp(name, "underflow") == 0)
        good = sf8_mma_choice(value, "signed", "positive", SF8_MMA_KEEPS_SIGN, SF8_MMA_POSITIVE,
                              &mma->underflow);
    else if (strcmp(name, "cut") == 0)
        good = sf8_mma_choice(value, "zero", "down", SF8_MMA_CUT_ZERO, SF8_MMA_CUT_DOWN, &mma->cut);
    else if (strcmp(name, "products") == 0)
        good = sf8_mma_choice(value, "raw", "normalised", SF8_MMA_RAW, SF8_MMA_NORMALISED,
                              &mma->products);
    else if (strcmp(name, "sum") == 0)
        good = sf8_mma_sum_format(value, mma->out, &mma->sum);
    else if (strcmp(name, "length") == 0)
        good = !mma->group && !lowered && sf8_mma_number(value, 1, 64, &mma->length);
    else if (strcmp(name, "order") == 0)
        good = !mma->scale_block && sf8_mma_order(value, &mma->order);
    else if (strcmp(name, "round") == 0)
        good = sf8_mma_round(value, &mma->round);
    else if (strcmp(name, "zero") == 0)
        good = sf8_mma_number(value, -300, 0, &mma->zero);
    else if (strcmp(name, "fraction") == 0)
        good = sf8_mma_number(value, 1, 40, &mma->fraction);
    else
        return SF8_UNKNOWN_NAME;
    return good ? SF8_OK : SF8_BAD_TEXT;
}

uint32_t sf8_mma_dot(const sf8_mma *mma, const void *a, const void *b, const uint8_t *scale_a,
                     const uint8_t *scale_b, size_t k, uint32_t c)
{
    sf8_mma_operands x;
    size_t unit = (size_t)mma->k, group = (size_t)mma->group;
    if ((k > unit && k % unit != 0) || (group && k % group != 0))
        return SF8_UNSUPPORTED;
    x.a = a;
    x.b = b;
    x.scale_a = scale_a;
    x.scale_b = scale_b;
    return sf8_core_mma_dot(mma, x, 0, k, c);
}
