/* SPDX-License-Identifier: MIT */
/* input_sets.c -- every boundary of a conversion and its neighbours; patterns of integers
 *
 * The result of a conversion changes only at the values of the target, halfway between two
 * neighbours of them (docs/spec/rounding.md), and halfway on the finer grid just below the smallest
 * normal number, where tininess is decided. For each of these the critical set has the word of the
 * source at it or next below, the word before, and the two after. An implementation that is
 * monotone in between, and right on the set, is right. The set does not depend on the policy.
 */
#include "suite/input_sets.h"
#include "base/memory.h"
#include "softfp8/core.h"
#include "softfp8/number/hif8.h"

#include <stdlib.h>

void word_set_add(word_set *set, uint64_t word)
{
    set->words = grow(set->words, set->count, &set->room, sizeof set->words[0]);
    set->words[set->count++] = word & set->mask;
}

void word_set_around(word_set *set, uint64_t word)
{
    for (uint64_t i = 0; i < 4; i++)
        word_set_add(set, word + i - 1);
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* One pass of a radix sort: by the digit at `shift`, stable. */
static void sort_by_digit(const uint64_t *from, uint64_t *to, uint64_t count, int shift)
{
    uint64_t at[DIGITS] = {0}, sum = 0;
    for (uint64_t i = 0; i < count; i++)
        at[from[i] >> shift & (DIGITS - 1)]++;
    for (int digit = 0; digit < DIGITS; digit++) {
        uint64_t here = at[digit];
        at[digit] = sum;
        sum += here;
    }
    for (uint64_t i = 0; i < count; i++)
        to[at[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* A radix sort, from the lowest digit on, since there may be millions of values. */
void word_set_sort(word_set *set)
{
    if (set->count == 0)
        return;
    uint64_t *other = allocate(set->count, sizeof other[0]);
    for (int shift = 0; shift < 64 && set->mask >> shift; shift += DIGIT_BITS) {
        uint64_t *sorted = other;
        sort_by_digit(set->words, sorted, set->count, shift);
        other = set->words;
        set->words = sorted;
    }
    free(other);
    set->room = set->count;
    size_t kept = 1;
    for (size_t i = 1; i < set->count; i++) {
        if (set->words[i] != set->words[kept - 1])
            set->words[kept++] = set->words[i];
    }
    set->count = kept;
}

/* The magnitude of the source at sig * 2^exponent or just below. */
static uint64_t word_below(sf8_format from, int32_t exponent, uint64_t sig)
{
    sf8_policy policy = SF8_OCP;
    policy.round = SF8_RZ;
    return sf8_core_round_number(from, policy, 0, exponent, sig, 0).code;
}

/* The value of the k-th magnitude of `to`, continuing beyond the largest, where the exponent field
 * simply grows. In a format without zero the magnitudes begin at 2^emin. */
static sf8_number lattice_value(sf8_format to, uint64_t k)
{
    uint64_t low = (UINT64_C(1) << to.man_bits) - 1;
    int32_t field = (int32_t)(k >> to.man_bits);
    int normal = field > 0 || !to.has_zero;
    int32_t exponent = (normal ? field : 1) - to.bias - to.man_bits;
    return sf8_core_number(0, exponent, (k & low) | (normal ? low + 1 : 0));
}

static void add_boundaries(word_set *set, sf8_format from, sf8_format to)
{
    uint64_t last = sf8_format_max(to) + 2;
    for (uint64_t k = 0; k <= last; k++) {
        sf8_number v = lattice_value(to, k);
        word_set_around(set, word_below(from, v.exponent, v.sig));
        word_set_around(set, word_below(from, v.exponent - 1, 2 * v.sig + 1));
        /* A quarter of the gap below 2^emin, between 2^emin and the number below it. */
        if (k == sf8_format_min_normal(to))
            word_set_around(set, word_below(from, v.exponent - 2, 4 * v.sig - 1));
        if (k == 0 && !to.has_zero)
            word_set_around(set, word_below(from, v.exponent - 1, v.sig));
    }
}

/* HiF8 has numbers of four precisions. The boundaries of each are added over its whole range. */
static void add_zones(word_set *set, sf8_format from)
{
    static const int32_t exponents[] = {-16, 0, 4, 8};
    for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; i++)
        add_boundaries(set, from, sf8_hif8_zone(exponents[i]));
}

static void add_special_magnitudes(word_set *set, sf8_format from)
{
    uint64_t top = sf8_format_mag_mask(from);
    word_set_around(set, 1);
    for (int i = 0; i < sf8_format_mag_bits(from); i++)
        word_set_around(set, UINT64_C(1) << i);
    for (uint64_t field = 0; field <= top >> from.man_bits; field++)
        word_set_around(set, field << from.man_bits);
    word_set_around(set, sf8_format_max(from));
    uint64_t nan = sf8_format_max(from) + 1;
    for (int i = 0; i < from.man_bits; i++) {
        word_set_add(set, nan | UINT64_C(1) << i);
        word_set_add(set, top ^ UINT64_C(1) << i);
    }
    word_set_add(set, top);
    word_set_add(set, top - 1);
}

/* Adds each magnitude from the begin-th value on with both signs; values beyond the magnitudes are
 * dropped. */
static void add_signs(word_set *set, size_t begin, sf8_format from)
{
    const uint64_t top = sf8_format_mag_mask(from);
    const size_t count = set->count;
    size_t kept = begin;
    for (size_t i = begin; i < count; i++) {
        if (set->words[i] <= top)
            set->words[kept++] = set->words[i];
    }
    set->count = kept;
    for (size_t i = begin; i < kept && from.is_signed; i++)
        word_set_add(set, set->words[i] | sf8_format_sign_bit(from));
}

void word_set_add_specials(word_set *set, sf8_format from)
{
    size_t begin = set->count;
    add_special_magnitudes(set, from);
    add_signs(set, begin, from);
}

void word_set_add_critical(word_set *set, sf8_format from, sf8_format to)
{
    size_t begin = set->count;
    if (sf8_is_hif8(to))
        add_zones(set, from);
    else
        add_boundaries(set, from, to);
    add_signs(set, begin, from);
    word_set_add_specials(set, from);
}

void word_set_add_near_one(word_set *set, sf8_format f, uint64_t word)
{
    uint64_t field = (uint64_t)((int64_t)f.bias + (int64_t)(word >> 58 & 31) - 16);
    uint64_t low = (UINT64_C(1) << f.man_bits) - 1;
    word_set_add(set, (word & (low | sf8_format_sign_bit(f))) |
                          ((field << f.man_bits) & sf8_format_mag_mask(f)));
}

/* ---- integers -------------------------------------------------------------------------------- */

void word_set_add_integers(word_set *set, int bits)
{
    size_t begin = set->count;
    word_set_around(set, 0);
    for (int i = 0; i < bits; i++) {
        word_set_around(set, UINT64_C(1) << i);
        for (int j = 0; j < i; j++) {
            word_set_around(set, (UINT64_C(1) << i) + (UINT64_C(1) << j));
            word_set_around(set, (UINT64_C(1) << i) - (UINT64_C(1) << j));
        }
    }
    uint64_t end = set->count;
    for (uint64_t i = begin; i < end; i++)
        word_set_add(set, UINT64_C(0) - set->words[i]);
}

/* The integer part of sig * 2^exponent, 0 if it does not fit. */
static uint64_t integer_below(int32_t exponent, uint64_t sig)
{
    if (exponent < 0)
        return exponent > -64 ? sig >> -exponent : 0;
    return exponent < 63 && sig >> (63 - exponent) == 0 ? sig << exponent : 0;
}

void word_set_add_integer_boundaries(word_set *set, sf8_format to)
{
    if (sf8_format_bits(to) > 20)
        return;
    for (uint64_t k = 0; k <= sf8_format_max(to) + 2; k++) {
        sf8_number v = lattice_value(to, k);
        uint64_t words[2] = {integer_below(v.exponent, v.sig),
                             integer_below(v.exponent - 1, 2 * v.sig + 1)};
        for (int i = 0; i < 2; i++) {
            word_set_around(set, words[i]);
            word_set_around(set, UINT64_C(0) - words[i] - 1);
        }
    }
}

/* The codes of a float at n and at n + 1/2. */
static void add_half_steps(word_set *set, sf8_format from, uint64_t n)
{
    if (n >> 60)
        return;
    word_set_around(set, word_below(from, 0, n));
    word_set_around(set, word_below(from, -1, 2 * n + 1));
}

void word_set_add_half_integers(word_set *set, sf8_format from, int bits)
{
    size_t begin = set->count;
    for (uint64_t n = 0; n <= (bits <= 8 ? UINT64_C(256) : UINT64_C(1024)); n++)
        add_half_steps(set, from, n);
    for (int i = 8; i < 60; i++) {
        for (uint64_t n = (UINT64_C(1) << i) - 2; n <= (UINT64_C(1) << i) + 1; n++)
            add_half_steps(set, from, n);
    }
    for (int i = 60; i <= 64; i++) /* beyond 2^53 there are no halves */
        word_set_around(set, word_below(from, i, 1));
    add_signs(set, begin, from);
    word_set_add_specials(set, from);
}
