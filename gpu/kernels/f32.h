/* SPDX-License-Identifier: MIT */
/* f32.h -- more f32 than lane.h has: sums, fma, 2^x, logarithms, tanh
 *
 * The functions are those of docs/spec/f32/functions.md, operation by operation; a NaN is that of
 * a GPU.
 */
#ifndef SOFTFP8_GPU_KERNELS_F32_H
#define SOFTFP8_GPU_KERNELS_F32_H

#include "kernels/lane.h"

namespace kernels
{

SHIM_FN inline float sum(float a, float b)
{
    LANE_GPU(return __fadd_rn(a, b);)
    LANE_MODEL(return made(a + b);)
}

SHIM_FN inline float less(float a, float b)
{
    LANE_GPU(return __fsub_rn(a, b);)
    LANE_MODEL(return made(a - b);)
}

SHIM_FN inline float fused(float a, float b, float c)
{
    LANE_GPU(return __fmaf_rn(a, b, c);)
    LANE_MODEL(return made(__builtin_fmaf(a, b, c));)
}

SHIM_FN inline float root(float a)
{
    LANE_GPU(return __fsqrt_rn(a);)
    LANE_MODEL(return made(__builtin_sqrtf(a));)
}

SHIM_FN inline float negative(float a)
{
    return float_of(bits_of(a) ^ 0x80000000u);
}

SHIM_FN inline float infinity()
{
    return float_of(0x7f800000u);
}

SHIM_FN inline float not_a_number()
{
    return float_of(0x7fffffffu);
}

/* 2^k 2^f by the operations of docs/spec/f32/functions.md. */
SHIM_FN inline float exp2_parts(int k, float f)
{
    const uint32_t factor[6] = {0x391d3330u, 0x3aaf6b31u, 0x3c1d9a72u,
                                0x3d6357dcu, 0x3e75fdecu, 0x3f317218u};
    float p = float_of(factor[0]);
    for (int i = 1; i < 6; i++)
        p = fused(p, f, float_of(factor[i]));
    p = fused(p, f, 1.0f);
    int half = k / 2;
    p = mul(p, float_of(static_cast<uint32_t>(half + 127) << 23));
    return mul(p, float_of(static_cast<uint32_t>(k - half + 127) << 23));
}

/* 2^x for x from -151 to 128; the result for other x is not used. */
SHIM_FN inline float exp2_within(float x)
{
    float shifted = sum(x, 12582912.0f), f = less(x, less(shifted, 12582912.0f));
    return exp2_parts(static_cast<int>(bits_of(shifted)) - 0x4b400000, f);
}

/* Without a branch. */
SHIM_FN inline float exp2_of(float x)
{
    float p = exp2_within(most(least(x, 128.0f), -151.0f));
    p = x < -151.0f ? 0.0f : p;
    p = x >= 128.0f ? infinity() : p;
    return is_nan(x) ? not_a_number() : p;
}

/* For x that is not above 0, or NaN: at most 1. No kernel uses it now. It goes when a GPU records the
 * kernels that join parts again, since this file is among their sources. */
SHIM_FN inline float exp2_to_one(float x)
{
    float p = exp2_within(most(x, -151.0f));
    p = x < -151.0f ? 0.0f : p;
    return is_nan(x) ? not_a_number() : p;
}

SHIM_FN inline float exp_of(float x)
{
    if (is_nan(x))
        return not_a_number();
    if (x > 89.0f)
        return infinity();
    if (x < -104.0f)
        return 0.0f;
    const float log2e = float_of(0x3fb8aa3bu), shifted = fused(x, log2e, 12582912.0f);
    float f = fused(x, log2e, negative(less(shifted, 12582912.0f)));
    f = fused(x, float_of(0x32a57060u), f); /* log2 e - 3fb8aa3b */
    return exp2_parts(static_cast<int>(bits_of(shifted)) - 0x4b400000, f);
}

/* For x whose logarithm is no finite number, that logarithm; otherwise log m, and k. */
SHIM_FN inline float log_parts(float x, float *k, bool *special)
{
    float low = 0.0f;
    *k = 0.0f;
    *special = true;
    if (is_nan(x) || x < 0.0f)
        return not_a_number();
    if (x == 0.0f)
        return negative(infinity());
    if (bits_of(x) == 0x7f800000u)
        return x;
    *special = false;
    if (bits_of(x) < 0x00800000u) {
        x = mul(x, 8388608.0f);
        low = -23.0f;
    }
    int above = static_cast<int>(bits_of(x)) - 0x3f2aaaab;
    int field = (above - (above < 0 ? 0x7fffff : 0)) / 0x800000;
    float m = float_of(bits_of(x) - (static_cast<uint32_t>(field) << 23));
    float s = div(less(m, 1.0f), sum(m, 1.0f)), r = mul(s, s), p = float_of(0x3e638e39u);
    p = fused(p, r, float_of(0x3e924925u));
    p = fused(p, r, float_of(0x3ecccccdu));
    p = fused(p, r, float_of(0x3f2aaaabu));
    *k = sum(low, static_cast<float>(field));
    return fused(mul(p, r), s, sum(s, s));
}

SHIM_FN inline float log_of(float x)
{
    float k;
    bool special;
    float log = log_parts(x, &k, &special);
    return special ? log : fused(k, float_of(0x3f317218u), log);
}

SHIM_FN inline float log2_of(float x)
{
    float k;
    bool special;
    float log = log_parts(x, &k, &special);
    return special ? log : fused(log, float_of(0x3fb8aa3bu), k);
}

SHIM_FN inline float tanh_of(float x)
{
    const uint32_t factor[5] = {0xbc11371bu, 0x3cb327a4u, 0xbd5d0dd1u, 0x3e088889u, 0xbeaaaaabu};
    const float large = magnitude(x);
    const uint32_t sign = bits_of(x) & 0x80000000u;
    if (is_nan(x))
        return not_a_number();
    if (large < 0.25f) {
        float r = mul(x, x), p = float_of(factor[0]);
        for (int i = 1; i < 5; i++)
            p = fused(p, r, float_of(factor[i]));
        return float_of(bits_of(fused(mul(p, r), x, x)) | sign);
    }
    float e = exp2_of(mul(large, float_of(0xc038aa3bu)));
    return float_of(bits_of(div(less(1.0f, e), sum(1.0f, e))) | sign);
}

} // namespace kernels

#endif
