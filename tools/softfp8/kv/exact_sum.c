/* SPDX-License-Identifier: MIT */
/* exact_sum.c -- sums of many terms m 2^e without rounding */
#include "kv/exact_sum.h"

#include <math.h>
#include <string.h>

/* ---- adding up ------------------------------------------------------------------------------- */

/* Bins overlap: the last begins at bit 579 and has 128. With 32 bits in a limb of 64 each bin can
 * be added without looking at carries. */
enum { LIMBS = (EXACT_BINS + 128) / 32 + 2 };

/* Adds 128 bits from bit `at` on, or takes them away. */
static void add_bits(int64_t *limb, uint64_t low, uint64_t high, int at, int negative)
{
    const uint64_t word[4] = {low & 0xffffffffu, low >> 32, high & 0xffffffffu, high >> 32};
    for (int i = 0; i < 4; i++) {
        uint64_t moved = word[i] << (at % 32);
        int64_t first = (int64_t)(moved & 0xffffffffu), second = (int64_t)(moved >> 32);
        limb[at / 32 + i] += negative ? -first : first;
        limb[at / 32 + i + 1] += negative ? -second : second;
    }
}

/* Carries, so that each limb has 32 bits and the last a sign. */
static void carry(int64_t *limb)
{
    for (int i = 0; i + 1 < LIMBS; i++) {
        int64_t low = limb[i] & INT64_C(0xffffffff);
        limb[i + 1] += (limb[i] - low) / INT64_C(0x100000000);
        limb[i] = low;
    }
}

/* A magnitude in limbs, as a double: 64 bits from the first that is not 0, and in the last of them
 * whether anything follows, so that the conversion rounds once. */
static double magnitude_of(const int64_t *limb)
{
    int top = LIMBS - 1;
    while (top > 2 && limb[top] == 0)
        top--;
    uint64_t bits = (uint64_t)limb[top] << 32 | (uint64_t)limb[top - 1];
    uint64_t next = (uint64_t)limb[top - 2];
    int shift = 0;
    if (bits == 0)
        return ldexp((double)next, EXACT_LEAST + 32 * (top - 2));
    for (; !(bits >> 63); shift++)
        bits <<= 1;
    bits |= shift > 32 ? next << (shift - 32) : next >> (32 - shift);
    int more = shift < 32 && (next << shift & 0xffffffffu) != 0;
    for (int i = 0; i < top - 2; i++)
        more |= limb[i] != 0;
    return ldexp((double)(bits | (uint64_t)more), EXACT_LEAST + 32 * (top - 1) - shift);
}

double exact_value(const exact_sum *s)
{
    int64_t limb[LIMBS];
    memset(limb, 0, sizeof limb);
    for (int i = 0; i < EXACT_BINS; i++) {
        uint64_t low = s->low[i], high = s->high[i];
        int negative = high >> 63 != 0;
        if (negative) {
            high = ~high + (low == 0);
            low = ~low + 1;
        }
        if (low | high)
            add_bits(limb, low, high, i, negative);
    }
    carry(limb);
    int negative = limb[LIMBS - 1] < 0;
    for (int i = 0; negative && i < LIMBS; i++)
        limb[i] = -limb[i];
    if (negative)
        carry(limb);
    double magnitude = magnitude_of(limb);
    return negative ? -magnitude : magnitude;
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* A finite f32 as an integer of 24 bits times 2^e. */
static uint64_t significand(uint32_t word, int *e)
{
    uint32_t field = word >> 23 & 255u;
    *e = (int)(field ? field : 1) - 150;
    return (word & 0x7fffffu) | (field ? 0x800000u : 0u);
}

/* The square of m 2^e, by halves where it has more than 64 bits. */
static void add_square(exact_sum *s, uint64_t m, int e)
{
    uint64_t low = m & 0xffffffffu, high = m >> 32;
    exact_add(s, 0, low * low, 2 * e);
    if (high) {
        exact_add(s, 0, low * high, 2 * e + 33);
        exact_add(s, 0, high * high, 2 * e + 64);
    }
}

void exact_add_error(exact_sum *errors, exact_sum *squares, exact_sum *energy, uint32_t x,
                     uint32_t value)
{
    int ex, ev;
    uint64_t mx = significand(x, &ex), mv = significand(value, &ev);
    int x_negative = x >> 31 != 0, v_negative = value >> 31 != 0;
    exact_add(energy, 0, mx * mx, 2 * ex);
    if (mx == 0)
        ex = ev;
    if (mv == 0)
        ev = ex;
    int least = ex < ev ? ex : ev;
    if (ex - least > 38 || ev - least > 38) {
        /* Too far apart for one integer: v - x in two terms, its square in three. */
        exact_add(errors, v_negative, mv, ev);
        exact_add(errors, !x_negative, mx, ex);
        exact_add(squares, 0, mv * mv, 2 * ev);
        exact_add(squares, 0, mx * mx, 2 * ex);
        exact_add(squares, x_negative == v_negative, mx * mv, ex + ev + 1);
        return;
    }
    int64_t a = (int64_t)(mx << (ex - least)), b = (int64_t)(mv << (ev - least));
    int64_t error = (v_negative ? -b : b) - (x_negative ? -a : a);
    uint64_t size = (uint64_t)(error < 0 ? -error : error);
    exact_add(errors, error < 0, size, least);
    add_square(squares, size, least);
}
