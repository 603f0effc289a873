/* SPDX-License-Identifier: MIT */
/* bignum.h -- unsigned integers of a fixed capacity, enough for text
 *
 * Nothing here checks the capacity; the callers' bounds prove it. Of all valid rows the least
 * number is 2^-2099 (bias 2048, 52 mantissa bits) and the largest is below 2^4096:
 *
 *     writing   m * 5^2101, m < 2^55                       4934 bits
 *               m * 2^e, twice the largest number          4097 bits
 *     reading   SF8_BIG_READ_DIGITS + 1 digits             5319 bits
 *               the dividend of a division by 5^2301       5466 bits
 */
#ifndef SOFTFP8_BIGNUM_H
#define SOFTFP8_BIGNUM_H

#include "softfp8/number/bits.h"

#define SF8_BIG_LIMBS 176
#define SF8_BIG_READ_DIGITS 1600

/* The low limb first; the top limb is not zero, and zero has no limbs. */
typedef struct sf8_big {
    uint32_t limb[SF8_BIG_LIMBS];
    int32_t count;
} sf8_big;

static inline void sf8_big_set(sf8_big *a, uint64_t value)
{
    a->count = 0;
    for (; value; value >>= 32)
        a->limb[a->count++] = (uint32_t)value;
}

/* a = a * factor + addend, factor not 0. */
static inline void sf8_big_mul_add(sf8_big *a, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int32_t i = 0; i < a->count; i++) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        a->limb[a->count++] = (uint32_t)carry;
}

/* a = floor(a / divisor); returns the remainder. */
static inline uint32_t sf8_big_div(sf8_big *a, uint32_t divisor)
{
    uint64_t rest = 0;
    for (int32_t i = a->count - 1; i >= 0; i--) {
        rest = rest << 32 | a->limb[i];
        a->limb[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (a->count && a->limb[a->count - 1] == 0)
        a->count--;
    return (uint32_t)rest;
}

/* a = a * 2^(32 n) */
static inline void sf8_big_raise(sf8_big *a, int32_t n)
{
    if (a->count == 0)
        return;
    memmove(a->limb + n, a->limb, (size_t)a->count * sizeof a->limb[0]);
    memset(a->limb, 0, (size_t)n * sizeof a->limb[0]);
    a->count += n;
}

/* 5^n, n <= 13: the powers that fit a limb. */
static inline uint32_t sf8_big_pow5(int32_t n)
{
    uint32_t power = 1;
    while (n-- > 0)
        power *= 5;
    return power;
}

static inline void sf8_big_mul_pow5(sf8_big *a, int32_t n)
{
    for (; n > 13; n -= 13)
        sf8_big_mul_add(a, sf8_big_pow5(13), 0);
    sf8_big_mul_add(a, sf8_big_pow5(n), 0);
}

/* a = floor(a / 5^n); returns 1 if the division was not exact. The floor of a floor is the floor of
 * the whole division, which is exact only if every step is. */
static inline uint32_t sf8_big_div_pow5(sf8_big *a, int32_t n)
{
    uint32_t rest = 0;
    for (; n > 13; n -= 13)
        rest |= sf8_big_div(a, sf8_big_pow5(13));
    return (rest | sf8_big_div(a, sf8_big_pow5(n))) != 0;
}

/* Number of bits; `a` must not be zero. */
static inline int32_t sf8_big_bits(const sf8_big *a)
{
    return 32 * a->count + 32 - sf8_clz64(a->limb[a->count - 1]);
}

/* Returns the leading 64 bits, with bit 63 set, of an `a` that is not zero; *rest becomes 1 if a
 * one lies below them. */
static inline uint64_t sf8_big_top(const sf8_big *a, uint32_t *rest)
{
    uint64_t top = 0;
    int32_t room = 64; /* bits of top not filled yet */
    *rest = 0;
    for (int32_t i = a->count - 1; i >= 0; i--) {
        int32_t bits = i == a->count - 1 ? 64 - sf8_clz64(a->limb[i]) : 32;
        int32_t cut = bits > room ? bits - room : 0;
        room -= bits - cut;
        if (cut < 32)
            top |= (uint64_t)(a->limb[i] >> cut) << room;
        *rest |= (a->limb[i] & ((UINT64_C(1) << cut) - 1)) != 0;
    }
    return top;
}

#endif
