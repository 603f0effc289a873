/* SPDX-License-Identifier: MIT */
/* codes.h -- what caches need in addition to codes.h: other casts to FP8, FNUZ, integers, ties of
 * e2m1 */
#ifndef SOFTFP8_GPU_KERNELS_KV_CODES_H
#define SOFTFP8_GPU_KERNELS_KV_CODES_H

#include "kernels/kv/place.h"
#include "kernels/rules.h"

namespace kernels
{

SHIM_FN inline float add(float a, float b)
{
    LANE_GPU(return __fadd_rn(a, b);)
    LANE_MODEL(return made(a + b);)
}

/* Rounded to bf16 or f16, and back. */
template <class Half> SHIM_FN inline float rounded(float x)
{
    return is_nan(x) ? x : Half::wide(Half::narrow(x, x) & 0xffff);
}

/* The codes of `each` elements of 8 bits. */
template <class Element, int each> SHIM_FN inline void pack_piece(uint32_t *word, const float *x)
{
    for (int i = 0; i < each; i += 4)
        word[i / 4] = (Element::narrow(x[i], x[i + 1]) & 0xffff) |
                      Element::narrow(x[i + 2], x[i + 3]) << 16;
}

/* ---- integers -------------------------------------------------------------------------------- */

/* Of a number of 32 bits. */
SHIM_FN inline int whole(float a)
{
    LANE_GPU(return __float2int_rz(a);)
    LANE_MODEL(return static_cast<int>(a);)
}

SHIM_FN inline float of_whole(int a)
{
    LANE_GPU(return __int2float_rn(a);)
    LANE_MODEL(return static_cast<float>(a);)
}

/* To the nearest integer, ties away from zero: 1/2 is added in f32, and the result is truncated.
 * NaN and values out of range become the bounds. With 0 as the lower one a negative y becomes less
 * than 1, and so 0, by either sign of 1/2. */
SHIM_FN inline int nearest_away(float y, float low, float high)
{
    float half = low < 0.0f ? float_of(0x3f000000u | (bits_of(y) & 0x80000000u)) : 0.5f;
    return whole(most(least(add(y, half), high), low));
}

/* The same with ties to the even integer, and 0 for NaN. At 3 * 2^22 the last place of f32 is 1, so
 * that the sum rounds; the bounds are smaller integers. */
SHIM_FN inline int nearest_even(float y, float low, float high)
{
    float sum = add(most(least(y, high), low), 12582912.0f);
    return is_nan(y) ? 0 : whole(add(sum, -12582912.0f));
}

/* ---- FP8 ------------------------------------------------------------------------------------- */

/* Without saturation: a value that rounds to more than 448, including infinity, is NaN. 464 is
 * halfway to 480, which would be the next code, and goes to the even one, 448. */
struct e4m3_nosat : of_e4m3 {
    SHIM_FN static uint32_t narrow(float low, float high)
    {
        uint32_t two = of_e4m3::narrow(low, high);
        two |= magnitude(low) > 464.0f ? 0x7fu : 0;
        return two | (magnitude(high) > 464.0f ? 0x7f00u : 0);
    }
};

/* A value that rounds to more than 57344, 7b, is infinity, 7c; 61440, which is halfway, goes there
 * too. */
struct e5m2_nosat : of_e5m2 {
    SHIM_FN static uint32_t narrow(float low, float high)
    {
        uint32_t two = of_e5m2::narrow(low, high);
        two ^= magnitude(low) >= 61440.0f ? 0x07u : 0;
        return two ^ (magnitude(high) >= 61440.0f ? 0x0700u : 0);
    }
};

/* A NaN keeps its sign. */
struct e4m3_signed : of_e4m3 {
    SHIM_FN static uint32_t narrow(float low, float high)
    {
        uint32_t two = of_e4m3::narrow(low, high);
        two |= is_nan(low) ? bits_of(low) >> 24 & 0x80u : 0;
        return two | (is_nan(high) ? bits_of(high) >> 16 & 0x8000u : 0);
    }
};

/* FNUZ: the codes of e4m3 mean half of their value, 7f means 240 and 80 NaN; there is no -0.
 * Infinity and NaN are NaN, a value that is too large is 240. */
struct e4m3fnuz {
    static constexpr int bits = 8;

    SHIM_FN static uint32_t one(float x, uint32_t code)
    {
        if (!(magnitude(x) < float_of(0x7f800000u)) || code == 0x80)
            return magnitude(x) < 1.0f ? 0 : 0x80;
        return magnitude(x) > 232.0f ? code | 1 : code;
    }
    SHIM_FN static uint32_t narrow(float low, float high)
    {
        uint32_t two = of_e4m3::narrow(mul(2.0f, low), mul(2.0f, high));
        return one(low, two & 0xff) | one(high, two >> 8 & 0xff) << 8;
    }
    /* As f16; one exponent less is half, and no code of e4m3 is subnormal there. */
    SHIM_FN static uint32_t half(uint32_t code, uint32_t twice)
    {
        if (code == 0x80)
            return 0x7fff;
        if ((code & 0x7f) == 0x7f)
            return 0x5b80 | (code & 0x80) << 8;
        return twice & 0x7fff ? twice - 0x0400 : 0;
    }
    SHIM_FN static uint32_t halves(uint32_t codes)
    {
        uint32_t two = of_e4m3::halves(codes);
        return half(codes & 0xff, two & 0xffff) | half(codes >> 8 & 0xff, two >> 16) << 16;
    }
};

/* The value of the low 8 bits: exponent and mantissa are moved to their place in f32, and a product
 * corrects the bias. */
template <int mantissa, int bias> SHIM_FN inline float moved(uint32_t code)
{
    const float two = float_of(static_cast<uint32_t>(127 + 127 - bias) << 23);
    return mul(float_of((code & 0x80) << 24 | (code & 0x7f) << (23 - mantissa)), two);
}

/* ---- e2m1: the codes of 8 elements ----------------------------------------------------------- */

struct to_even {
    SHIM_FN static uint32_t pack(const float *x)
    {
        return pack_e2m1<8, false>(x);
    }
};

/* NaN is 0. */
struct to_even_or_zero {
    SHIM_FN static uint32_t pack(const float *x)
    {
        float y[8];
        for (int i = 0; i < 8; i++)
            y[i] = is_nan(x[i]) ? 0.0f : x[i];
        return pack_e2m1<8, false>(y);
    }
};

/* Ties go away from zero, -0 becomes +0, NaN becomes 0: the code of a magnitude is the number of
 * midpoints that are not above it. */
struct away_or_zero {
    SHIM_FN static uint32_t digit(float x)
    {
        const float middles[7] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f};
        uint32_t code = 0;
        for (float middle : middles)
            code += magnitude(x) >= middle;
        return is_nan(x) || x == 0.0f ? 0 : code | (bits_of(x) >> 28 & 8);
    }
    SHIM_FN static uint32_t pack(const float *x)
    {
        uint32_t codes = 0;
        for (int i = 0; i < 8; i++)
            codes |= digit(x[i]) << 4 * i;
        return codes;
    }
};

} // namespace kernels

#endif
