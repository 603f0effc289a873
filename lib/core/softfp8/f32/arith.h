/* SPDX-License-Identifier: MIT */
/* arith.h -- operations on f32 values, each given by its bit pattern
 *
 * Every operation rounds once to nearest even, is computed with integers, and keeps subnormals,
 * unless its name or its comment says otherwise. Block scales, the elementary functions and
 * attention are built on these.
 */
#ifndef SOFTFP8_F32_ARITH_H
#define SOFTFP8_F32_ARITH_H

#include "softfp8/number/arith.h"
#include "softfp8/number/policies.h"

#define SF8_F32_INF UINT32_C(0x7f800000)
#define SF8_F32_NAN UINT32_C(0x7fc00000)

SF8_FN uint32_t sf8_f32_magnitude(uint32_t a)
{
    return a & 0x7fffffffu;
}

SF8_FN uint32_t sf8_f32_is_nan(uint32_t a)
{
    return sf8_f32_magnitude(a) > SF8_F32_INF;
}

SF8_WHOLE uint32_t sf8_f32_add(uint32_t a, uint32_t b)
{
    return (uint32_t)sf8_core_add(SF8_F32, a, b, SF8_OCP_NOSAT, 0).code;
}

SF8_WHOLE uint32_t sf8_f32_mul(uint32_t a, uint32_t b)
{
    return (uint32_t)sf8_core_mul(SF8_F32, a, b, SF8_OCP_NOSAT, 0).code;
}

SF8_WHOLE uint32_t sf8_f32_div(uint32_t a, uint32_t b)
{
    return (uint32_t)sf8_core_div(SF8_F32, a, b, SF8_OCP_NOSAT, 0).code;
}

SF8_WHOLE uint32_t sf8_f32_sub(uint32_t a, uint32_t b)
{
    return (uint32_t)sf8_core_sub(SF8_F32, a, b, SF8_OCP_NOSAT, 0).code;
}

SF8_WHOLE uint32_t sf8_f32_fma(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)sf8_core_fma(SF8_F32, a, b, c, SF8_OCP_NOSAT, 0).code;
}

SF8_WHOLE uint32_t sf8_f32_sqrt(uint32_t a)
{
    return (uint32_t)sf8_core_sqrt(SF8_F32, a, SF8_OCP_NOSAT, 0).code;
}

SF8_FN uint32_t sf8_f32_flushed(uint32_t a)
{
    return sf8_f32_magnitude(a) < 0x00800000u ? a & 0x80000000u : a;
}

/* Returns an integer with the same order as the numbers. */
SF8_FN int64_t sf8_f32_order(uint32_t a)
{
    int64_t magnitude = sf8_f32_magnitude(a);
    return a >> 31 ? -magnitude : magnitude;
}

SF8_FN uint32_t sf8_f32_least(uint32_t a, uint32_t b)
{
    if (sf8_f32_is_nan(a))
        return b;
    return !sf8_f32_is_nan(b) && sf8_f32_order(b) < sf8_f32_order(a) ? b : a;
}

SF8_FN uint32_t sf8_f32_most(uint32_t a, uint32_t b)
{
    if (sf8_f32_is_nan(a))
        return b;
    return !sf8_f32_is_nan(b) && sf8_f32_order(b) > sf8_f32_order(a) ? b : a;
}

/* The same, but a NaN operand gives NaN. */
SF8_FN uint32_t sf8_f32_least_or_nan(uint32_t a, uint32_t b)
{
    return sf8_f32_is_nan(a) || sf8_f32_is_nan(b) ? SF8_F32_NAN : sf8_f32_least(a, b);
}

SF8_FN uint32_t sf8_f32_most_or_nan(uint32_t a, uint32_t b)
{
    return sf8_f32_is_nan(a) || sf8_f32_is_nan(b) ? SF8_F32_NAN : sf8_f32_most(a, b);
}

/* Rounds to bf16 or f16, and back. */
SF8_WHOLE uint32_t sf8_f32_via_bf16(uint32_t a)
{
    uint64_t code = sf8_core_convert(SF8_BF16, SF8_F32, a, SF8_OCP_NOSAT, 0).code;
    return (uint32_t)sf8_core_convert(SF8_F32, SF8_BF16, code, SF8_OCP_NOSAT, 0).code;
}

SF8_WHOLE uint32_t sf8_f32_via_f16(uint32_t a)
{
    uint64_t code = sf8_core_convert(SF8_F16, SF8_F32, a, SF8_OCP_NOSAT, 0).code;
    return (uint32_t)sf8_core_convert(SF8_F32, SF8_F16, code, SF8_OCP_NOSAT, 0).code;
}

/* `half` is bf16 or f16. */
SF8_FN uint32_t sf8_f32_via_half(sf8_format half, uint32_t a)
{
    return half.exp_bits == 8 ? sf8_f32_via_bf16(a) : sf8_f32_via_f16(a);
}

/* Rounds to an integer. A number of 2^23 or more already is one, since the mantissa has 23 bits. */
SF8_FN uint32_t sf8_f32_integer(uint32_t a, uint32_t round)
{
    sf8_policy policy = SF8_OCP_NOSAT;
    policy.round = round & SF8_ROUND_MASK;
    if (sf8_f32_magnitude(a) >= 0x4b000000u)
        return a;
    int64_t i = (int32_t)(uint32_t)sf8_core_to_integer(SF8_F32, a, 32, 1, policy, 0, 0).code;
    uint32_t magnitude = (uint32_t)sf8_core_from_i64(SF8_F32, i < 0 ? -i : i, policy, 0).code;
    return magnitude | (a & 0x80000000u);
}

/* Returns a small integer as f32. */
SF8_FN uint32_t sf8_f32_of(int32_t i)
{
    return (uint32_t)sf8_core_from_i64(SF8_F32, i, SF8_OCP_NOSAT, 0).code;
}

/* Returns the exponent of the bit pattern a + more. For a finite a it may become 128. */
SF8_FN uint32_t sf8_f32_exponent(uint32_t a, uint32_t more)
{
    uint32_t magnitude = sf8_f32_magnitude(a);
    if (magnitude >= SF8_F32_INF)
        return SF8_F32_NAN;
    return sf8_f32_of((int32_t)((magnitude + more) >> 23) - 127);
}

/* floor of log2 a, where log2 a is rounded to f32 first. Let a be 2^k - d units of 2^(k - 24), with
 * k = floor(log2 a) + 1. Then log2 a is k - 1.4427 2^-24 d. It rounds to k if it is nearer to k
 * than half the distance to the f32 below k. That distance is 2^(p - 24) with |k| in [2^p, 2^(p +
 * 1)), and half of it if k is 2^p. So d is at most 2^p ln 2, with p one less in that case. */
SF8_FN uint32_t sf8_f32_log2_floor(uint32_t a)
{
    SF8_TABLE uint32_t most[9] = {0, 0, 1, 2, 5, 11, 22, 44, 88}; /* for p = -1 ... 7 */
    uint32_t magnitude = sf8_f32_magnitude(a), k_size, p = 0;
    int32_t k;
    if (magnitude == 0)
        return SF8_F32_INF | 0x80000000u;
    if (a > SF8_F32_INF)
        return SF8_F32_NAN;
    if (a == SF8_F32_INF)
        return a;
    k = (int32_t)(magnitude >> 23) - 126;
    magnitude = (magnitude & 0x7fffffu) | (k > -126 ? 0x800000u : 0);
    for (k = k > -126 ? k : -125; magnitude < 0x800000u; k--)
        magnitude <<= 1;
    k_size = (uint32_t)(k < 0 ? -k : k);
    while (k_size >> p > 1)
        p++;
    p += !(k > 0 && (k_size & (k_size - 1)) == 0);
    return sf8_f32_of(k - !(k != 0 && 0x1000000u - magnitude <= most[p]));
}

/* The exponent of a positive number, and the distance of the number from 2^exponent in units of
 * 2^(exponent - 23). */
SF8_FN int32_t sf8_f32_split(uint32_t a, uint32_t *above)
{
    int32_t k = (int32_t)(a >> 23) - 127;
    uint32_t significand = (a & 0x7fffffu) | (k > -127 ? 0x800000u : 0);
    for (k = k > -127 ? k : -126; significand < 0x800000u; k--)
        significand <<= 1;
    *above = significand - 0x800000u;
    return k;
}

/* ceil of log2 a, where log2 a is rounded to f32 first. Let a be d units of 2^(k - 23) above 2^k.
 * Then log2 a is k + 1.4427 2^-23 d. It rounds to k if it is nearer to k than half the distance to
 * the f32 above k. That distance is 2^(p - 23) with |k| in [2^p, 2^(p + 1)), and half of it if k is
 * -2^p. So d is at most 2^(p - 1) ln 2, with p one less in that case. */
SF8_FN uint32_t sf8_f32_log2_ceil(uint32_t a)
{
    SF8_TABLE uint32_t most[8] = {0, 0, 1, 2, 5, 11, 22, 44}; /* for p = 0 ... 7 */
    uint32_t magnitude = sf8_f32_magnitude(a), size, p = 0, above;
    if (magnitude == 0)
        return SF8_F32_INF | 0x80000000u;
    if (a > SF8_F32_INF)
        return SF8_F32_NAN;
    if (a == SF8_F32_INF)
        return a;
    int32_t k = sf8_f32_split(a, &above);
    size = (uint32_t)(k < 0 ? -k - 1 : k); /* for each p */
    while (size >> p > 1)
        p++;
    return sf8_f32_of(k + (above > most[p])) | (k < 0 ? 0x80000000u : 0); /* -0 below 1 */
}

SF8_FN uint32_t sf8_f32_pow2(uint32_t a)
{
    if (sf8_f32_is_nan(a))
        return a;
    int64_t order = sf8_f32_order(a);
    if (order > 0x43000000) /* 128 */
        order = 0x43000000;
    if (order < -0x43160000) /* -150 */
        return 0;
    int32_t i = (int32_t)sf8_core_to_integer(SF8_F32, a, 32, 1, SF8_OCP_NOSAT, 0, 0).code;
    i = order == 0x43000000 ? 128 : i;
    return i >= -126 ? (uint32_t)(i + 127) << 23 : i >= -149 ? 1u << (i + 149) : 0;
}

#endif
