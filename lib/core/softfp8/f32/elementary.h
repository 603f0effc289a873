/* SPDX-License-Identifier: MIT */
/* elementary.h -- 2^x, e^x, log x, log2 x and tanh x in f32, with the same bits on every machine
 *
 * They are computed by f32 operations alone. None is correctly rounded: the definition is the order
 * of the operations (docs/spec/f32/functions.md). In units of the last place,
 * the error of 2^x is at most 0.84, of e^x 0.94, of the logarithms below 3, and of tanh x 3.6.
 */
#ifndef SOFTFP8_ELEMENTARY_H
#define SOFTFP8_ELEMENTARY_H

#include "softfp8/f32/arith.h"

#define SF8_F32_ONE UINT32_C(0x3f800000)
#define SF8_F32_NEG_INF UINT32_C(0xff800000)
#define SF8_F32_LOG2E UINT32_C(0x3fb8aa3b)
#define SF8_F32_LN2 UINT32_C(0x3f317218)

/* 2^k 2^f with f between -1/2 and 1/2. 2^k is applied as two factors, neither of which is
 * subnormal. Only the last product can be subnormal, so that it rounds once. */
SF8_LONG uint32_t sf8_f32_exp2_of(int32_t k, uint32_t f)
{
    SF8_TABLE uint32_t factor[6] = {0x391d3330u, 0x3aaf6b31u, 0x3c1d9a72u,
                                    0x3d6357dcu, 0x3e75fdecu, 0x3f317218u};
    uint32_t p = factor[0];
    for (int32_t i = 1; i < 6; i++)
        p = sf8_f32_fma(p, f, factor[i]);
    p = sf8_f32_fma(p, f, SF8_F32_ONE);
    int32_t half = k / 2;
    p = sf8_f32_mul(p, (uint32_t)(half + 127) << 23);
    return sf8_f32_mul(p, (uint32_t)(k - half + 127) << 23);
}

/* 2^x is 2^k 2^f, where k is the integer nearest to x. Adding 1.5 * 2^23 leaves k in the last bits
 * of the sum; f is exact. */
SF8_LONG uint32_t sf8_f32_exp2(uint32_t x)
{
    int64_t order = sf8_f32_order(x);
    if (sf8_f32_is_nan(x))
        return SF8_F32_NAN;
    if (order >= 0x43000000) /* 128 */
        return SF8_F32_INF;
    if (order < -0x43170000) /* -151 */
        return 0;
    uint32_t shifted = sf8_f32_add(x, 0x4b400000u);
    uint32_t f = sf8_f32_sub(x, sf8_f32_sub(shifted, 0x4b400000u));
    return sf8_f32_exp2_of((int32_t)shifted - 0x4b400000, f);
}

/* e^x is 2^k 2^f, where k is the integer nearest to x log2 e, and f is the rest of that product.
 * Its second factor, log2 e, is the sum of two f32 numbers. Above 89 and below -104 the result is
 * known. */
SF8_LONG uint32_t sf8_f32_exp(uint32_t x)
{
    int64_t order = sf8_f32_order(x);
    if (sf8_f32_is_nan(x))
        return SF8_F32_NAN;
    if (order > 0x42b20000)
        return SF8_F32_INF;
    if (order < -0x42d00000)
        return 0;
    uint32_t shifted = sf8_f32_fma(x, SF8_F32_LOG2E, 0x4b400000u);
    uint32_t whole = sf8_f32_sub(shifted, 0x4b400000u);
    uint32_t f = sf8_f32_fma(x, SF8_F32_LOG2E, whole ^ 0x80000000u);
    f = sf8_f32_fma(x, 0x32a57060u, f); /* log2 e - 3fb8aa3b: the second of the two */
    return sf8_f32_exp2_of((int32_t)shifted - 0x4b400000, f);
}

/* log x is k ln 2 + log m, with m in [2/3, 4/3). log m = 2 s + 2/3 s^3 + ... + 2/9 s^9 with s = (m
 * - 1) / (m + 1), whose magnitude is at most 1/5: the next term is below 2^-28 of the result. For a
 * positive number, returns log m, and k through the pointer. */
SF8_LONG uint32_t sf8_f32_log_of(uint32_t x, int32_t *exponent)
{
    int32_t k = 0;
    if (x < 0x00800000u) {
        x = sf8_f32_mul(x, 0x4b000000u); /* 2^23 */
        k = -23;
    }
    int32_t above = (int32_t)x - 0x3f2aaaab; /* 2/3, rounded up */
    int32_t field = (above - (above < 0 ? 0x7fffff : 0)) / 0x800000;
    uint32_t m = x - ((uint32_t)field << 23);
    uint32_t s = sf8_f32_div(sf8_f32_sub(m, SF8_F32_ONE), sf8_f32_add(m, SF8_F32_ONE));
    uint32_t r = sf8_f32_mul(s, s), p = 0x3e638e39u; /* 2/9 */
    p = sf8_f32_fma(p, r, 0x3e924925u);              /* 2/7 */
    p = sf8_f32_fma(p, r, 0x3ecccccdu);              /* 2/5 */
    p = sf8_f32_fma(p, r, 0x3f2aaaabu);              /* 2/3 */
    *exponent = k + field;
    return sf8_f32_fma(sf8_f32_mul(p, r), s, sf8_f32_add(s, s));
}

/* The logarithm of zero, a negative number, NaN or infinity is the same to any base. */
SF8_FN int32_t sf8_f32_log_special(uint32_t x, uint32_t *log)
{
    *log = sf8_f32_magnitude(x) == 0 ? SF8_F32_NEG_INF
           : x == SF8_F32_INF        ? SF8_F32_INF
                                     : SF8_F32_NAN;
    return sf8_f32_magnitude(x) == 0 || x >= SF8_F32_INF;
}

SF8_LONG uint32_t sf8_f32_log(uint32_t x)
{
    uint32_t log;
    int32_t k;
    if (sf8_f32_log_special(x, &log))
        return log;
    log = sf8_f32_log_of(x, &k);
    return sf8_f32_fma(sf8_f32_of(k), SF8_F32_LN2, log);
}

SF8_LONG uint32_t sf8_f32_log2(uint32_t x)
{
    uint32_t log;
    int32_t k;
    if (sf8_f32_log_special(x, &log))
        return log;
    log = sf8_f32_log_of(x, &k);
    return sf8_f32_fma(log, SF8_F32_LOG2E, sf8_f32_of(k));
}

/* Below 1/4: the first terms of the series; the next one is below 2^-32 of the result. Otherwise,
 * with e = e^-2|x|, (1 - e) / (1 + e) with the sign of x. */
SF8_LONG uint32_t sf8_f32_tanh(uint32_t x)
{
    SF8_TABLE uint32_t factor[5] = {0xbc11371bu, 0x3cb327a4u, 0xbd5d0dd1u, 0x3e088889u,
                                    0xbeaaaaabu};
    uint32_t magnitude = sf8_f32_magnitude(x), square, p = factor[0], e;
    if (sf8_f32_is_nan(x))
        return SF8_F32_NAN;
    if (magnitude < 0x3e800000u) {
        square = sf8_f32_mul(x, x);
        for (int32_t i = 1; i < 5; i++)
            p = sf8_f32_fma(p, square, factor[i]);
        return sf8_f32_fma(sf8_f32_mul(p, square), x, x) | (x & 0x80000000u);
    }
    e = sf8_f32_exp2(sf8_f32_mul(magnitude, 0xc038aa3bu));
    return sf8_f32_div(sf8_f32_sub(SF8_F32_ONE, e), sf8_f32_add(SF8_F32_ONE, e)) |
           (x & 0x80000000u);
}

#endif
