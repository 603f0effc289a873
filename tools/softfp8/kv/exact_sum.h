/* SPDX-License-Identifier: MIT */
/* exact_sum.h -- sums of many terms m 2^e without rounding, so that no order of them matters
 *
 * A bin of 128 bits for each exponent; they are added up when the sum is asked for.
 */
#ifndef SOFTFP8_EXACT_SUM_H
#define SOFTFP8_EXACT_SUM_H

#include <stdint.h>

/* Exponents from -300 on: the square of the least f32 is 2^-298, products of two below 2^257. */
enum { EXACT_LEAST = -300, EXACT_BINS = 580 };

typedef struct exact_sum {
    uint64_t low[EXACT_BINS], high[EXACT_BINS]; /* in two's complement */
} exact_sum;

/* Adds m 2^e, or takes it away; e from EXACT_LEAST to EXACT_LEAST + EXACT_BINS - 1. A bin holds
 * 2^63 such terms. */
static inline void exact_add(exact_sum *s, int negative, uint64_t m, int e)
{
    uint64_t *low = &s->low[e - EXACT_LEAST], *high = &s->high[e - EXACT_LEAST];
    if (negative) {
        *high -= *low < m;
        *low -= m;
    } else {
        *low += m;
        *high += *low < m;
    }
}

/* The sum, rounded to nearest once. */
double exact_value(const exact_sum *s);

/* Adds the error of a value that stands for x, value - x, to `errors`, its square to `squares` and
 * the square of x to `energy`. Both are words of finite f32. */
void exact_add_error(exact_sum *errors, exact_sum *squares, exact_sum *energy, uint32_t x,
                     uint32_t value);

#endif
