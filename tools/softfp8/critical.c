/* SPDX-License-Identifier: MIT */
/* critical.c -- every boundary of a conversion and its neighbours
 *
 * The result of a conversion changes only at the values of the target, halfway between two
 * neighbours of them (SPEC.md section 2), and halfway on the finer grid just below the smallest
 * normal number, where tininess is decided. For each of these the set has the word of the source
 * at it or next below, the word before, and the two after. An implementation that is monotone in
 * between, and right on the set, is right. The set does not depend on the policy.
 */
#include "cases.h"
#include "softfp8/core.h"

#include <stdlib.h>
#include <string.h>

void word_set_add(word_set *set, uint64_t word)
{
    if (set->count == set->room) {
        set->room = set->room ? 2 * set->room : 1024;
        set->words = reallocate(set->words, set->room, sizeof set->words[0]);
    }
    set->words[set->count++] = word & set->mask;
}

void word_set_around(word_set *set, uint64_t word)
{
    for (uint64_t i = 0; i < 4; i++)
        word_set_add(set, word + i - 1);
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void word_set_sort(word_set *set)
{
    if (set->count == 0)
        return;
    qsort(set->words, set->count, sizeof set->words[0], compare_words);
    uint64_t kept = 1;
    for (uint64_t i = 1; i < set->count; i++) {
        if (set->words[i] != set->words[kept - 1])
            set->words[kept++] = set->words[i];
    }
    set->count = kept;
}

/* The magnitude of the source at sig * 2^exponent or next below. */
static uint64_t word_below(sf8_format from, int32_t exponent, uint64_t sig)
{
    sf8_env env = SF8_OCP;
    env.round = SF8_RZ;
    return sf8_core_round_number(from, env, 0, exponent, sig, 0).code;
}

/* The value of the k-th magnitude of `to`, counting on beyond the largest: the exponent field just
 * grows. For a format without zero the magnitudes begin at 2^emin. */
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
        /* Between 2^emin and the number below it, a quarter of the gap below 2^emin. */
        if (k == sf8_format_min_normal(to))
            word_set_around(set, word_below(from, v.exponent - 2, 4 * v.sig - 1));
        if (k == 0 && !to.has_zero)
            word_set_around(set, word_below(from, v.exponent - 1, v.sig));
    }
}

/* Zero, the powers of two, the largest, infinity, the kinds of NaN. */
static void add_specials(word_set *set, sf8_format from)
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

/* Each magnitude with both signs; what ran out of the magnitudes falls away. */
static void add_signs(word_set *set, sf8_format from)
{
    uint64_t top = sf8_format_mag_mask(from), count = set->count, kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (set->words[i] <= top)
            set->words[kept++] = set->words[i];
    }
    set->count = kept;
    for (uint64_t i = 0; i < kept && from.is_signed; i++)
        word_set_add(set, set->words[i] | sf8_format_sign_bit(from));
}

uint64_t *critical_words(sf8_format from, sf8_format to, uint64_t *count)
{
    word_set set = {NULL, 0, 0, UINT64_MAX};
    add_boundaries(&set, from, to);
    add_specials(&set, from);
    add_signs(&set, from);
    word_set_sort(&set);
    *count = set.count;
    return set.words;
}

int critical_exists(const sf8_function *function)
{
    return function->op == SF8_OP_CONVERT && sf8_format_bits(function->result.format) <= 20;
}
