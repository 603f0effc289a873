/* SPDX-License-Identifier: MIT */
/* pairs.h -- two bf16 in a word: their largest magnitude, and their codes of e2m1 */
#ifndef SOFTFP8_GPU_KERNELS_KV_PAIRS_H
#define SOFTFP8_GPU_KERNELS_KV_PAIRS_H

#include "kernels/kv/codes.h"

namespace kernels
{

/* ---- two bf16 in a word ---------------------------------------------------------------------- */

SHIM_FN inline float low_of(uint32_t two)
{
    return float_of(two << 16);
}

SHIM_FN inline float high_of(uint32_t two)
{
    return float_of(two & 0xffff0000u);
}

SHIM_FN inline uint32_t twice(uint32_t half)
{
    return half | half << 16;
}

/* Both halves of a result, for the model. None is too large for f32, and below its normal numbers
 * none of these kernels needs more than the sign. */
template <class F> SHIM_FN inline uint32_t both(uint32_t a, uint32_t b, const F &f)
{
    return of_bf16::narrow(f(low_of(a), low_of(b)), f(high_of(a), high_of(b)));
}

/* The larger magnitudes, whatever their signs; NaN if one is. */
SHIM_FN inline uint32_t larger_of(uint32_t a, uint32_t b)
{
    LANE_GPU(uint32_t d; asm("max.NaN.xorsign.abs.bf16x2 %0, %1, %2;"
                             : "=r"(d)
                             : "r"(a), "r"(b));
             return d;)
    LANE_MODEL(return both(a, b, [](float x, float y) {
                          x = magnitude(x);
                          return is_nan(x) || x > magnitude(y) ? x : magnitude(y);
                      });)
}

/* The larger, and the smaller ones; NaN if one is. */
SHIM_FN inline uint32_t highest_of(uint32_t a, uint32_t b)
{
    LANE_GPU(uint32_t d; asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); return d;)
    LANE_MODEL(return both(a, b, [](float x, float y) { return is_nan(x) || x > y ? x : y; });)
}

SHIM_FN inline uint32_t lowest_of(uint32_t a, uint32_t b)
{
    LANE_GPU(uint32_t d; asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); return d;)
    LANE_MODEL(return both(a, b, [](float x, float y) { return is_nan(x) || x < y ? x : y; });)
}

/* a b, and a b + c. */
SHIM_FN inline uint32_t times(uint32_t a, uint32_t b)
{
    LANE_GPU(uint32_t d; asm("fma.rn.bf16x2 %0, %1, %2, %3;" /* products alone begin with sm_90 */
                             : "=r"(d)
                             : "r"(a), "r"(b), "r"(0x80008000u));
             return d;)
    LANE_MODEL(return both(a, b, [](float x, float y) { return mul(x, y); });)
}

SHIM_FN inline uint32_t times_plus(uint32_t a, float b, float c)
{
    const uint32_t bb = twice(bits_of(b) >> 16), cc = twice(bits_of(c) >> 16);
    LANE_GPU(uint32_t d; asm("fma.rn.bf16x2 %0, %1, %2, %3;"
                             : "=r"(d)
                             : "r"(a), "r"(bb), "r"(cc));
             return d;)
    LANE_MODEL(return both(a, bb, [&](float x, float y) { return add(mul(x, y), low_of(cc)); });)
}

SHIM_FN inline uint32_t less_of(uint32_t a, uint32_t b)
{
    LANE_GPU(uint32_t d; asm("min.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); return d;)
    LANE_MODEL(return both(a, b, [](float x, float y) { return least(x, y); });)
}

/* The smaller of positive halves, as integers. */
SHIM_FN inline uint32_t smaller_of(uint32_t a, uint32_t b)
{
    LANE_GPU(return __vminu2(a, b);)
    LANE_MODEL(const uint32_t high = a >> 16 < b >> 16 ? a : b;
               const uint32_t low = (a & 0xffff) < (b & 0xffff) ? a : b;
               return (high & 0xffff0000u) | (low & 0xffff);)
}

/* Two signed halves: the smaller of a + b and c, the larger of a + b and c, and the largest of a, b
 * and 0. No sum overflows. */
template <class F> SHIM_FN inline uint32_t each_half(uint32_t a, uint32_t b, const F &f)
{
    const int low = f(static_cast<int16_t>(a), static_cast<int16_t>(b));
    const int high = f(static_cast<int16_t>(a >> 16), static_cast<int16_t>(b >> 16));
    return (static_cast<uint32_t>(low) & 0xffff) | static_cast<uint32_t>(high) << 16;
}

SHIM_FN inline uint32_t half_of(int x)
{
    return twice(static_cast<uint32_t>(x) & 0xffff);
}

SHIM_FN inline uint32_t plus_at_most(uint32_t a, int b, int c)
{
    LANE_GPU(return __viaddmin_s16x2(a, half_of(b), half_of(c));)
    LANE_MODEL(return each_half(a, a, [&](int x, int) { return x + b < c ? x + b : c; });)
}

SHIM_FN inline uint32_t plus_at_least(uint32_t a, int b, uint32_t c)
{
    LANE_GPU(return __viaddmax_s16x2(a, half_of(b), c);)
    LANE_MODEL(return each_half(a, c, [&](int x, int y) { return x + b > y ? x + b : y; });)
}

SHIM_FN inline uint32_t largest_or_0(uint32_t a, uint32_t b)
{
    LANE_GPU(return __vimax_s16x2_relu(a, b);)
    LANE_MODEL(return each_half(a, b, [](int x, int y) {
                          return x > y ? x > 0 ? x : 0 : y > 0 ? y : 0;
                      });)
}

/* ---- codes of e2m1 --------------------------------------------------------------------------- */

/* Of the four elements of two words: their digits are bytes in the order 0 2 1 3. */
SHIM_FN inline uint32_t with_signs(uint32_t digits, uint32_t a, uint32_t b)
{
    return digits | (permute(a, b, 0xfbd9) & 0x08080808u);
}

/* Eight codes of the bytes of two times four elements. */
SHIM_FN inline uint32_t joined(uint32_t first, uint32_t second)
{
    return permute(first + (first >> 12), second + (second >> 12), 0x5410);
}

/* The digits of a and b, magnitudes below 7 after a product with the factor f, which need not be
 * exact in bf16. Here y = |x| f, rounded to f32.
 *
 * A code of e2m1 in [2^e, 2^(e+1)), e at least 0, is n + 2e with n = 2 y 2^-e, and n is even where
 * the code is. So n is 2 y 2^-e rounded to an integer, ties to even. The subnormal codes of e4m3,
 * and the smallest normal ones, are 2^-9 apart and their codes count them: the conversion of 2 y
 * 2^-e 2^-9 returns n. All factors here but f are powers of two, so that y is rounded as before.
 *
 * e must be known before y is. It is taken from x f in bf16, f rounded too, which is wrong by less
 * than 1 %. That does no harm: from 1.75 to 2.25 times 2^e both neighbours give the same code, that
 * of 2^(e+1). */
struct e2m1_scaled {
    uint32_t near; /* f, twice */
    float small;   /* f 2^-9 */

    SHIM_FN static e2m1_scaled of(float f)
    {
        return {of_bf16::narrow(f, f), mul(f, 0x1p-9f)};
    }
    SHIM_FN static uint32_t signs(uint32_t x)
    {
        return x;
    }
    /* Whether f is from 2^-100 to 2^100, and no y is 7 or more. */
    SHIM_FN static bool good(float f, float amax)
    {
        const bool usual = bits_of(f) - (27u << 23) <= 200u << 23;
        const bool small = mul(amax, f) < 7.0f;
        return usual & small;
    }
    /* 2 2^-e: the exponent field of x f, which is 127 + e, taken from 255. */
    SHIM_FN uint32_t power(uint32_t x) const
    {
        return smaller_of(~times(x, near) & 0x7f807f80u, 0x40004000u);
    }
    SHIM_FN uint32_t digits(uint32_t a, uint32_t b) const
    {
        const uint32_t one = power(a), other = power(b);
        a = times(a, one);
        b = times(b, other);
        const uint32_t low = of_e4m3::narrow(mul(magnitude(low_of(a)), small),
                                             mul(magnitude(low_of(b)), small));
        const uint32_t high = of_e4m3::narrow(mul(magnitude(high_of(a)), small),
                                              mul(magnitude(high_of(b)), small));
        /* The fields are 128 - e; 2e is added to each byte. */
        return ((low & 0xffff) | high << 16) + 0x01010100u - (one >> 6) - (other << 2);
    }
};

/* The same, if the factor is a power of two. The product y is exact in bf16, or below 2^-126.
 * Codes up to 4 are 2 y rounded to an integer, those from 4 to 6 are y + 2, and those from 6 y / 2
 * + 4; the least of the three is right. Each sum is rounded in bf16, which has only the integers
 * from 128 to 256, to the even one of two neighbours. */
struct e2m1_power {
    uint32_t factor;

    SHIM_FN static uint32_t signs(uint32_t x)
    {
        return x;
    }
    SHIM_FN uint32_t two(uint32_t x) const
    {
        const uint32_t y = times(x & 0x7fff7fffu, factor);
        return less_of(less_of(times_plus(y, 2.0f, 128.0f), times_plus(y, 1.0f, 130.0f)),
                       times_plus(y, 0.5f, 132.0f));
    }
    SHIM_FN uint32_t digits(uint32_t a, uint32_t b) const
    {
        return permute(two(a), two(b), 0x6240);
    }
};

/* The same, but ties go away from zero, and -0 becomes 0. No y is above 6.
 *
 * Let p be the pattern of y in bf16, less that of 1/2. Then a code is the largest of 0 and three
 * numbers, each divided by 64: p + 32, which is p rounded to one bit of mantissa, for codes from 2
 * on; p + 64, but at most 128, which begins code 2 at 3/4; and p + 192, but at most 64, which
 * begins code 1 at 1/4. */
struct e2m1_away {
    uint32_t factor;

    SHIM_FN static uint32_t signs(uint32_t x)
    {
        return times_plus(x, 1.0f, 0.0f);
    }
    SHIM_FN uint32_t two(uint32_t x) const
    {
        constexpr int half = 0x3f00;
        const uint32_t y = times(x & 0x7fff7fffu, factor);
        const uint32_t from_2 = plus_at_least(y, 32 - half, plus_at_most(y, 64 - half, 128));
        return largest_or_0(from_2, plus_at_most(y, 192 - half, 64)) >> 6;
    }
    SHIM_FN uint32_t digits(uint32_t a, uint32_t b) const
    {
        return permute(two(a), two(b), 0x6240);
    }
};

/* The codes of 8 elements. */
template <class Digits> SHIM_FN inline uint32_t codes_of(const packet &p, Digits d)
{
    uint32_t four[2];
    SHIM_UNROLL
    for (int i = 0; i < 2; i++) {
        const uint32_t a = p.word[2 * i], b = p.word[2 * i + 1];
        four[i] = with_signs(d.digits(a, b), Digits::signs(a), Digits::signs(b));
    }
    return joined(four[0], four[1]);
}

} // namespace kernels

#endif
