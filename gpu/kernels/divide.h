/* SPDX-License-Identifier: MIT */
/* divide.h -- x / s for many x and one s, by a product and a correction
 *
 * A store divides every element by the scale of its group and casts the quotient to FP8. An IEEE
 * division is a reciprocal, a check of the exponents, five products and a branch, for every
 * element. Here the reciprocal and the check are done once for a scale. The cast must not see a
 * difference:
 *
 *     within 2^-20 <= |x / s| <= 2^17    quotient(x, s) is the IEEE quotient, bit for bit
 *     below, and zero                    it has the sign of x / s, and a magnitude below 2^-19
 *     above, and infinity                it has the sign of x / s, and a magnitude above 2^16
 *     NaN                                it is NaN
 *
 * Casts that round to e4m3 or e5m2, also by way of bf16 or f16, return the same code then. The
 * smallest midpoint of their codes is 2^-17, and everything above 61440 has one code. A cast for
 * which an infinite quotient differs from a large one, as FNUZ does, needs the IEEE division.
 *
 * How. A power of two, or its negative, brings s into [2^-64, 2^64]; elements are multiplied by it
 * too. With s' and x' for these, r for 1 / s' rounded, and x' limited to 2^18 s':
 *
 *     q = x' r        e = q s' - x'        result = q - e r        three roundings
 *
 * Why it is exact. With u = 2^-24 each rounding is a factor 1 + a, |a| <= u: e has no rounding to a
 * subnormal number, because s' >= 2^-64 and |q| >= 2^-20. So r = (1 + a) / s', and q differs from
 * x' / s' by at most 2u + u^2 of it. The last sum before it is rounded is
 *
 *     q - (q s' - x') (1 + b) r  =  x'/s' - (q - x'/s') (a + b + ab)
 *
 * which differs from x'/s' by at most (2u + u^2)^2 of it, a little more than 2^-46. That can only
 * round to another number if a midpoint of two f32 lies between. With integers X and S of 24 bits
 * for the mantissas and M for the midpoint, odd, 25 bits, |x'/s' - M / 2^24| is |2^24 X - M S| /
 * (2^24 S), or with 2^25 for X < S. It is not zero, because M S has more than 24 bits in front of
 * the trailing zeros of S. So it is N / (2^24 S) with N >= 1, and more than N 2^-49 of x'/s'. With
 * N >= 9 that is too far. The X for N from 1 to 8 are few for each S. check_divide.cpp computes all
 * of them, for all 2^23 S, and compares each quotient.
 */
#ifndef SOFTFP8_GPU_KERNELS_DIVIDE_H
#define SOFTFP8_GPU_KERNELS_DIVIDE_H

#include "kernels/lane.h"

namespace kernels
{

/* a b - c, rounded once; and c - a b. */
SHIM_FN inline float fused_less(float a, float b, float c)
{
    LANE_GPU(return __fmaf_rn(a, b, -c);)
    LANE_MODEL(return made(__builtin_fmaf(a, b, -c));)
}

SHIM_FN inline float fused_from(float c, float a, float b)
{
    LANE_GPU(return __fmaf_rn(-a, b, c);)
    LANE_MODEL(return made(__builtin_fmaf(-a, b, c));)
}

/* x with a magnitude of at most top, which is positive; NaN stays NaN. */
SHIM_FN inline float limited(float x, float top)
{
    LANE_GPU(float y; asm("min.NaN.xorsign.abs.f32 %0, %1, %2;"
                          : "=f"(y)
                          : "f"(x), "f"(top));
             return y;)
    LANE_MODEL(if (is_nan(x)) return made(x); float y = magnitude(x) < top ? magnitude(x) : top;
               return float_of(bits_of(y) | (bits_of(x) & 0x80000000u));)
}

/* 1 / s if quotient(x, s, 1 / s) is x / s, bit for bit, for all x that are 0 or of a magnitude from
 * 2^-20 to 2^20: all steps are normal numbers then. Else 0. */
SHIM_FN inline float reciprocal_for(float s)
{
    return s >= 0x1p-64f && s <= 0x1p64f ? rcp(s) : 0.0f;
}

/* What elements are divided by. */
struct divisor {
    float s, r, top, power; /* s', 1 / s', 2^18 s', the factor of elements */
};

/* For 0, infinity and NaN the factor is 1 / s, and s' is 1: the products have the right values. */
SHIM_FN inline divisor divisor_of(float s)
{
    const float least = 0x1p-64f, most = 0x1p64f, size = magnitude(s);
    float power = size < least ? 0x1p96f : size > most ? 0x1p-64f : 1.0f;
    power = float_of(bits_of(power) | (bits_of(s) & 0x80000000u));
    if (size > 0.0f && size < float_of(0x7f800000u))
        s = mul(s, power);
    else {
        power = rcp(s);
        s = 1.0f;
    }
    return {s, rcp(s), mul(s, 0x1p18f), power};
}

/* x was multiplied by the power and limited. */
SHIM_FN inline float quotient(float x, float s, float r)
{
    float q = mul(x, r), e = fused_less(q, s, x);
    return fused_from(q, e, r);
}

/* a / by as IEEE 754 divides, for a that is zero, positive or NaN: the quotient is exact while the
 * remainder is no subnormal number, and for zero. */
template <int by> SHIM_FN inline float over(float a)
{
    constexpr float s = static_cast<float>(by), r = 1.0f / s;
    if (a > 0.0f && a < 0x1p-90f)
        return div(a, s);
    return a < float_of(0x7f800000u) ? quotient(a, s, r) : a;
}

} // namespace kernels

#endif
