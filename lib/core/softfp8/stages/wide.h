/* SPDX-License-Identifier: MIT */
/* wide.h -- e^x, 2^x, tanh x, erf x and 1 / sqrt x of f32, correctly rounded in every mode
 *
 * The first four are computed as fixed-point numbers of 32 bits before the point and 96 after it.
 * The relative error stays below 2^-70. Their values are irrational but where a comment says
 * otherwise, so that a result is never exact, and one more bit stands for what is cut off. The
 * result would be rounded wrongly only if a value was nearer than 2^-70 to a boundary. The nearest
 * one for any f32 input is expected at about 2^-56, since there are 2^32 of them and 24 bits are
 * kept. No search for the nearest one was made.
 */
#ifndef SOFTFP8_STAGES_WIDE_H
#define SOFTFP8_STAGES_WIDE_H

#include "softfp8/f32/elementary.h"

/* (high * 2^64 + low) * 2^-96. */
typedef struct sf8_wide {
    uint64_t high, low;
} sf8_wide;

SF8_FN sf8_wide sf8_wide_of(uint64_t high, uint64_t low)
{
    sf8_wide w = {high, low};
    return w;
}

/* 1, ln 2, log2 e and 2 / sqrt(pi), cut off. */
#define SF8_WIDE_ONE sf8_wide_of(UINT64_C(1) << 32, 0)
#define SF8_WIDE_LN2 sf8_wide_of(UINT64_C(0xb17217f7), UINT64_C(0xd1cf79abc9e3b398))
#define SF8_WIDE_LOG2E sf8_wide_of(UINT64_C(0x171547652), UINT64_C(0xb82fe1777d0ffda0))
#define SF8_WIDE_ERF sf8_wide_of(UINT64_C(0x120dd7504), UINT64_C(0x29b6d11ae3a914fe))

SF8_FN sf8_wide sf8_wide_add(sf8_wide a, sf8_wide b)
{
    uint64_t low = a.low + b.low;
    return sf8_wide_of(a.high + b.high + (low < a.low), low);
}

SF8_FN sf8_wide sf8_wide_sub(sf8_wide a, sf8_wide b)
{
    return sf8_wide_of(a.high - b.high - (a.low < b.low), a.low - b.low);
}

SF8_FN uint32_t sf8_wide_limb(sf8_wide a, int32_t i)
{
    return (uint32_t)((i < 2 ? a.low : a.high) >> (i & 1) * 32);
}

/* The product, cut off; it must be below 2^32. */
SF8_LONG sf8_wide sf8_wide_mul(sf8_wide a, sf8_wide b)
{
    uint32_t limb[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int32_t i = 0; i < 4; i++) {
        uint64_t carry = 0;
        for (int32_t j = 0; j < 4; j++) {
            carry += (uint64_t)sf8_wide_limb(a, i) * sf8_wide_limb(b, j) + limb[i + j];
            limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        limb[i + 4] = (uint32_t)carry;
    }
    return sf8_wide_of((uint64_t)limb[6] << 32 | limb[5], (uint64_t)limb[4] << 32 | limb[3]);
}

SF8_LONG sf8_wide sf8_wide_div_by(sf8_wide a, uint32_t n)
{
    uint64_t rest = 0, part[2] = {0, 0};
    for (int32_t i = 3; i >= 0; i--) {
        rest = rest << 32 | sf8_wide_limb(a, i);
        part[i / 2] = part[i / 2] << 32 | rest / n;
        rest %= n;
    }
    return sf8_wide_of(part[1], part[0]);
}

SF8_FN int32_t sf8_wide_below(sf8_wide a, sf8_wide b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/* a / b, cut off, for a below b and b below 2^31. */
SF8_LONG sf8_wide sf8_wide_div(sf8_wide a, sf8_wide b)
{
    sf8_wide quotient = {0, 0};
    for (int32_t i = 0; i < 96; i++) {
        int32_t one;
        a = sf8_wide_add(a, a);
        one = !sf8_wide_below(a, b);
        a = one ? sf8_wide_sub(a, b) : a;
        quotient = sf8_wide_add(quotient, quotient);
        quotient.low |= (uint32_t)one;
    }
    return quotient;
}

/* sig * 2^exponent, cut off; it must be below 2^32. */
SF8_FN sf8_wide sf8_wide_scaled(uint64_t sig, int32_t exponent)
{
    int32_t up = exponent + 96;
    if (up >= 64)
        return sf8_wide_of(sig << (up - 64), 0);
    if (up > 0)
        return sf8_wide_of(sig >> (64 - up), sig << up);
    return sf8_wide_of(0, up > -64 ? sig >> -up : 0);
}

SF8_FN uint32_t sf8_wide_result(uint32_t sign, int32_t exponent, uint64_t sig, uint32_t round)
{
    sf8_policy policy = SF8_OCP_NOSAT;
    policy.round = round & SF8_ROUND_MASK;
    return (uint32_t)sf8_core_round_number(SF8_F32, policy, sign, exponent, sig, 0).code;
}

/* a * 2^exponent, which is not exact, rounded. */
SF8_LONG uint32_t sf8_wide_round(uint32_t sign, sf8_wide a, int32_t exponent, uint32_t round)
{
    int32_t up;
    exponent -= 32;
    if (a.high == 0) {
        a = sf8_wide_of(a.low, 0);
        exponent -= 64;
    }
    up = a.high == 0 ? 0 : sf8_clz64(a.high);
    if (up != 0)
        a.high = a.high << up | a.low >> (64 - up);
    return sf8_wide_result(sign, exponent - up + 3, a.high >> 3 | 1, round);
}

/* The value of a finite f32 number as sig * 2^exponent, with the leading bit of sig at bit 23. */
SF8_FN uint32_t sf8_wide_split(uint32_t x, int32_t *exponent)
{
    uint32_t above = 0;
    *exponent = sf8_f32_split(sf8_f32_magnitude(x), &above) - 23;
    return above | 0x800000u;
}

/* ---- e^x and 2^x ----------------------------------------------------------------------------- */

/* e^r for r below 1, by the series of r / 64. */
SF8_LONG sf8_wide sf8_wide_exp_small(sf8_wide r)
{
    sf8_wide p = SF8_WIDE_ONE, part = {r.high >> 6, r.low >> 6 | r.high << 58};
    for (uint32_t n = 12; n > 0; n--)
        p = sf8_wide_add(SF8_WIDE_ONE, sf8_wide_div_by(sf8_wide_mul(part, p), n));
    for (int32_t i = 0; i < 6; i++)
        p = sf8_wide_mul(p, p);
    return p;
}

/* e^x, or e^-x, is the result times 2^*exponent; x is below 256 and not 0. */
SF8_LONG sf8_wide sf8_wide_exp(uint32_t negative, sf8_wide x, int32_t *exponent)
{
    int32_t k = (int32_t)(sf8_wide_mul(x, SF8_WIDE_LOG2E).high >> 32) + (int32_t)negative;
    sf8_wide whole = sf8_wide_mul(SF8_WIDE_LN2, sf8_wide_of((uint64_t)(uint32_t)k << 32, 0));
    *exponent = negative ? -k : k;
    return sf8_wide_exp_small(negative ? sf8_wide_sub(whole, x) : sf8_wide_sub(x, whole));
}

/* What both powers are where no series is needed: whether *result was set. */
SF8_FN int32_t sf8_f32_power_special(uint32_t x, uint32_t most, uint32_t least, uint32_t round,
                                     uint32_t *result)
{
    uint32_t magnitude = sf8_f32_magnitude(x), negative = x >> 31;
    if (sf8_f32_is_nan(x))
        *result = SF8_F32_NAN;
    else if (magnitude == SF8_F32_INF)
        *result = negative ? 0 : SF8_F32_INF;
    else if (magnitude == 0)
        *result = SF8_F32_ONE;
    else if (magnitude > (negative ? least : most))
        *result = sf8_wide_result(0, negative ? -300 : 300, 1, round);
    else if (magnitude < 0x32000000u) /* 2^-27: 1 and less than half of its last place */
        *result = sf8_wide_result(0, -60, (UINT64_C(1) << 60) + (negative ? UINT64_MAX : 1), round);
    else
        return 0;
    return 1;
}

/* e^x. Above 89 it overflows, below -104 it is less than half of the smallest number. */
SF8_LONG uint32_t sf8_f32_exp_rounded(uint32_t x, uint32_t round)
{
    uint32_t result = 0;
    int32_t exponent = 0;
    if (sf8_f32_power_special(x, 0x42b20000u, 0x42d00000u, round, &result))
        return result;
    uint64_t sig = sf8_wide_split(x, &exponent);
    sf8_wide y = sf8_wide_exp(x >> 31, sf8_wide_scaled(sig, exponent), &exponent);
    return sf8_wide_round(0, y, exponent, round);
}

/* 2^x. That of an integer is exact. */
SF8_LONG uint32_t sf8_f32_exp2_rounded(uint32_t x, uint32_t round)
{
    uint32_t result = 0;
    int32_t exponent = 0, k;
    if (sf8_f32_power_special(x, 0x43000000u, 0x43170000u, round, &result))
        return result;
    uint64_t sig = sf8_wide_split(x, &exponent);
    sf8_wide f = sf8_wide_scaled(sig, exponent);
    k = (int32_t)(f.high >> 32);
    f.high &= 0xffffffffu;
    if (f.high == 0 && f.low == 0)
        return sf8_wide_result(0, x >> 31 ? -k : k, 1, round);
    if (x >> 31) {
        f = sf8_wide_sub(SF8_WIDE_ONE, f);
        k = -k - 1;
    }
    return sf8_wide_round(0, sf8_wide_exp_small(sf8_wide_mul(f, SF8_WIDE_LN2)), k, round);
}

/* ---- tanh x and erf x ------------------------------------------------------------------------ */

/* A number just below sig * 2^exponent. */
SF8_FN uint32_t sf8_wide_below_of(uint32_t sign, uint64_t sig, int32_t exponent, uint32_t round)
{
    return sf8_wide_result(sign, exponent - 36, (sig << 36) - 1, round);
}

/* (1 - e) / (1 + e) with e = e^-2|x|. Below 2^-13 it is x less x^3 / 3, which is less than
 * half of the last place; from 10 on it is 1 less 2 e. */
SF8_LONG uint32_t sf8_f32_tanh_rounded(uint32_t x, uint32_t round)
{
    uint32_t magnitude = sf8_f32_magnitude(x), sign = x >> 31;
    int32_t exponent = 0;
    if (sf8_f32_is_nan(x))
        return SF8_F32_NAN;
    if (magnitude == 0)
        return x;
    if (magnitude == SF8_F32_INF)
        return SF8_F32_ONE | sign << 31;
    if (magnitude >= 0x41200000u)
        return sf8_wide_below_of(sign, 0x800000, -23, round);
    uint64_t sig = sf8_wide_split(x, &exponent);
    if (magnitude < 0x39000000u)
        return sf8_wide_below_of(sign, sig, exponent, round);
    sf8_wide e = sf8_wide_exp(1, sf8_wide_scaled(sig, exponent + 1), &exponent);
    e = exponent == 0
            ? e
            : sf8_wide_of(e.high >> -exponent, e.low >> -exponent | e.high << (64 + exponent));
    e = sf8_wide_div(sf8_wide_sub(SF8_WIDE_ONE, e), sf8_wide_add(SF8_WIDE_ONE, e));
    return sf8_wide_round(sign, e, 0, round);
}

/* 2 / sqrt(pi) x e^(-x^2) (1 + 2 x^2 / 3 + (2 x^2)^2 / (3 * 5) + ...), whose terms are all above 0.
 * From 4 on it is 1 less than half of the last place. */
SF8_LONG uint32_t sf8_f32_erf_rounded(uint32_t x, uint32_t round)
{
    uint32_t magnitude = sf8_f32_magnitude(x), sign = x >> 31;
    int32_t exponent = 0, down = 0;
    if (sf8_f32_is_nan(x))
        return SF8_F32_NAN;
    if (magnitude == 0)
        return x;
    if (magnitude == SF8_F32_INF)
        return SF8_F32_ONE | sign << 31;
    if (magnitude >= 0x40800000u)
        return sf8_wide_below_of(sign, 0x800000, -23, round);
    uint64_t sig = sf8_wide_split(x, &exponent);
    sf8_wide square = sf8_wide_scaled(sig * sig, 2 * exponent), sum = SF8_WIDE_ONE, term = sum;
    sf8_wide twice = sf8_wide_add(square, square);
    for (uint32_t n = 3; term.high | term.low; n += 2) {
        term = sf8_wide_div_by(sf8_wide_mul(term, twice), n);
        sum = sf8_wide_add(sum, term);
    }
    sum = sf8_wide_mul(sum, SF8_WIDE_ERF);
    if (square.high | square.low)
        sum = sf8_wide_mul(sum, sf8_wide_exp(1, square, &down));
    return sf8_wide_round(sign, sf8_wide_mul(sum, sf8_wide_scaled(sig, -23)), exponent + 23 + down,
                          round);
}

/* ---- 1 / sqrt x ------------------------------------------------------------------------------ */

/* floor(sqrt a) for a below 2^62. */
SF8_LONG uint64_t sf8_wide_sqrt(uint64_t a)
{
    uint64_t root = 0;
    for (int32_t i = 30; i >= 0; i--) {
        uint64_t next = root | UINT64_C(1) << i;
        root = next * next <= a ? next : root;
    }
    return root;
}

/* With x = sig * 2^(2 h) and sig of 24 or 25 bits, it is sqrt(2^84 / sig) * 2^(-42 - h). The root
 * of the integer part has at least 30 bits, and a bit says whether anything was cut off. */
SF8_LONG uint32_t sf8_f32_rsqrt_rounded(uint32_t x, uint32_t round)
{
    int32_t exponent = 0;
    if (sf8_f32_is_nan(x))
        return SF8_F32_NAN;
    if (sf8_f32_magnitude(x) == 0)
        return SF8_F32_INF | (x & 0x80000000u);
    if (x >> 31)
        return SF8_F32_NAN;
    if (x == SF8_F32_INF)
        return 0;
    uint64_t sig = sf8_wide_split(x, &exponent);
    if (exponent & 1) {
        sig <<= 1;
        exponent--;
    }
    uint64_t high = (UINT64_C(1) << 60) / sig, rest = (UINT64_C(1) << 60) % sig << 24;
    uint64_t quotient = (high << 24) + rest / sig, root = sf8_wide_sqrt(quotient);
    uint32_t inexact = root * root != quotient || rest % sig != 0;
    return sf8_wide_result(0, -42 - exponent / 2 - 1, root << 1 | inexact, round);
}

#endif
