/* SPDX-License-Identifier: MIT */
/* decimal.h -- a finite value as decimal digits: all of them, or the fewest
 *
 * The value and the midpoints to its neighbours are written as integers of one scale. Then strings
 * of digits can be compared.
 */
#ifndef SOFTFP8_DECIMAL_H
#define SOFTFP8_DECIMAL_H

#include "text/bignum.h"
#include "softfp8/number/convert.h"
#include "softfp8/number/policies.h"

/* An integer in decimal digits 0 to 9, padded with zeros on the left, so that two of them compare
 * like strings. It is long enough for m * 5^2101 with m < 2^55: 1486 digits. */
#define SF8_DECIMAL_WIDTH 1494

/* A decimal: the digits first to last of a row, with the decimal point after the first, times
 * 10^exponent. The first and last digits are not zero, except for the number zero, which is the one
 * digit 0. */
typedef struct sf8_decimal {
    uint8_t digit[SF8_DECIMAL_WIDTH];
    int32_t first;
    int32_t last;
    int32_t exponent;
    int32_t plain; /* to be written without an exponent */
} sf8_decimal;

/* Fills `digit` with the integer sig * 2^exponent / 10^s, s = min(exponent, 0); returns s. */
static inline int32_t sf8_decimal_expand(uint8_t *digit, uint64_t sig, int32_t exponent)
{
    sf8_big a;
    sf8_big_set(&a, sig);
    if (exponent < 0) {
        sf8_big_mul_pow5(&a, -exponent);
    } else {
        sf8_big_mul_add(&a, UINT32_C(1) << (exponent % 32), 0);
        sf8_big_raise(&a, exponent / 32);
    }
    memset(digit, 0, SF8_DECIMAL_WIDTH);
    for (int32_t i = SF8_DECIMAL_WIDTH - 1; a.count; i -= 9) {
        uint32_t group = sf8_big_div(&a, 1000000000);
        for (int32_t j = i; group; j--) {
            digit[j] = (uint8_t)(group % 10);
            group /= 10;
        }
    }
    return exponent < 0 ? exponent : 0;
}

/* Finds the ends of the digits; `scale` is the exponent of the last place of the row. */
static inline void sf8_decimal_trim(sf8_decimal *d, int32_t scale)
{
    d->first = 0;
    d->last = SF8_DECIMAL_WIDTH - 1;
    while (d->first < SF8_DECIMAL_WIDTH - 1 && d->digit[d->first] == 0)
        d->first++;
    while (d->last > d->first && d->digit[d->last] == 0)
        d->last--;
    d->exponent = d->digit[d->first] ? SF8_DECIMAL_WIDTH - 1 - d->first + scale : 0;
}

/* `from` truncated after `place`, or with `up` the next decimal of that length above. No carry
 * leaves the row, which has space for twice the largest value. */
static inline void sf8_decimal_cut(uint8_t *digit, const uint8_t *from, int32_t place, int32_t up)
{
    memcpy(digit, from, (size_t)place + 1);
    memset(digit + place + 1, 0, (size_t)(SF8_DECIMAL_WIDTH - 1 - place));
    if (!up)
        return;
    while (digit[place] == 9)
        digit[place--] = 0;
    digit[place]++;
}

/* Returns 1 if truncating `digit` after `place` must round up to be nearest. */
static inline int32_t sf8_decimal_cuts_up(const uint8_t *digit, int32_t place)
{
    if (place == SF8_DECIMAL_WIDTH - 1)
        return 0;
    if (digit[place + 1] != 5)
        return digit[place + 1] > 5;
    for (int32_t i = place + 2; i < SF8_DECIMAL_WIDTH; i++) {
        if (digit[i])
            return 1;
    }
    return digit[place] & 1;
}

/* The decimals that round to one code: from low to high, with both ends or without. */
typedef struct sf8_interval {
    uint8_t low[SF8_DECIMAL_WIDTH];
    uint8_t high[SF8_DECIMAL_WIDTH];
    int32_t closed;
} sf8_interval;

static inline int32_t sf8_interval_contains(const sf8_interval *range, const uint8_t *digit)
{
    int32_t above_low = memcmp(digit, range->low, SF8_DECIMAL_WIDTH);
    int32_t above_high = memcmp(digit, range->high, SF8_DECIMAL_WIDTH);
    return range->closed ? above_low >= 0 && above_high <= 0 : above_low > 0 && above_high < 0;
}

/* Replaces the digits of `d` by the fewest in the range. For each length only the two decimals next
 * to the value matter: if the range has any of that length it has one of these. Since the range is
 * not symmetric at a power of two, it may be the farther one. At the full length the first of them
 * is the value itself. */
static inline void sf8_decimal_shorten(sf8_decimal *d, int32_t scale, const sf8_interval *range)
{
    uint8_t shorter[SF8_DECIMAL_WIDTH];
    for (int32_t place = d->first; place < SF8_DECIMAL_WIDTH; place++) {
        int32_t up = sf8_decimal_cuts_up(d->digit, place);
        sf8_decimal_cut(shorter, d->digit, place, up);
        if (sf8_interval_contains(range, shorter))
            break;
        sf8_decimal_cut(shorter, d->digit, place, !up);
        if (sf8_interval_contains(range, shorter))
            break;
    }
    memcpy(d->digit, shorter, SF8_DECIMAL_WIDTH);
    sf8_decimal_trim(d, scale);
}

/* The number of characters without an exponent. */
static inline int32_t sf8_decimal_plain_length(const sf8_decimal *d)
{
    int32_t count = d->last - d->first + 1;
    if (d->exponent < 0)
        return 1 - d->exponent + count;
    return count <= d->exponent + 1 ? d->exponent + 1 : count + 1;
}

/* All digits of the value, or the fewest. The distances to the midpoints are 2/4 of a unit in the
 * last place; below a power of two, where the unit is half as large, 1/4. */
static inline void sf8_decimal_of(sf8_decimal *d, sf8_format f, uint64_t magnitude,
                                  int32_t shortest)
{
    sf8_number x = sf8_core_unpack(f, magnitude, SF8_OCP);
    int32_t scale = sf8_decimal_expand(d->digit, 4 * x.sig, x.exponent - 2);
    sf8_decimal_trim(d, scale);
    if (!shortest) {
        d->plain = sf8_decimal_plain_length(d) <= 40; /* read easily enough: 2^127 has 39 digits */
        return;
    }
    if (x.sig) {
        uint64_t mantissa = magnitude & ((UINT64_C(1) << f.man_bits) - 1);
        uint32_t halved = mantissa == 0 && magnitude > sf8_format_min_normal(f);
        sf8_interval range;
        sf8_decimal_expand(range.low, 4 * x.sig - 2 + halved, x.exponent - 2);
        sf8_decimal_expand(range.high, 4 * x.sig + 2, x.exponent - 2);
        range.closed = !(magnitude & 1);
        sf8_decimal_shorten(d, scale, &range);
    }
    d->plain = d->exponent >= -5 && d->exponent < 17;
}

#endif
