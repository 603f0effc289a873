/* SPDX-License-Identifier: MIT */
/* chain_math.h -- what the links of the chain compute with: f32, e^x and log, e4m3, attention,
 * argmax
 */
#ifndef SOFTFP8_GPU_KERNELS_CHAIN_MATH_H
#define SOFTFP8_GPU_KERNELS_CHAIN_MATH_H

#include "kernels/codes.h"

namespace kernels
{

namespace links
{

/* ---- f32, beyond lane.h ---------------------------------------------------------------------- */

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

/* 2^x and log x by the operations of SPEC.md, section 10. */
SHIM_FN inline float exp2_of(float x)
{
    const uint32_t factor[6] = {0x391d3330u, 0x3aaf6b31u, 0x3c1d9a72u,
                                0x3d6357dcu, 0x3e75fdecu, 0x3f317218u};
    if (is_nan(x))
        return not_a_number();
    if (x >= 128.0f)
        return infinity();
    if (x < -151.0f)
        return 0.0f;
    float shifted = sum(x, 12582912.0f);
    float f = less(x, less(shifted, 12582912.0f)), p = float_of(factor[0]);
    for (int i = 1; i < 6; i++)
        p = fused(p, f, float_of(factor[i]));
    p = fused(p, f, 1.0f);
    int k = static_cast<int>(bits_of(shifted)) - 0x4b400000, half = k / 2;
    p = mul(p, float_of(static_cast<uint32_t>(half + 127) << 23));
    return mul(p, float_of(static_cast<uint32_t>(k - half + 127) << 23));
}

SHIM_FN inline float log_of(float x)
{
    int k = 0;
    if (is_nan(x) || x < 0.0f)
        return not_a_number();
    if (x == 0.0f)
        return negative(infinity());
    if (bits_of(x) == 0x7f800000u)
        return x;
    if (bits_of(x) < 0x00800000u) {
        x = mul(x, 8388608.0f);
        k = -23;
    }
    int above = static_cast<int>(bits_of(x)) - 0x3f2aaaab;
    int field = (above - (above < 0 ? 0x7fffff : 0)) / 0x800000;
    float m = float_of(bits_of(x) - (static_cast<uint32_t>(field) << 23));
    float s = div(less(m, 1.0f), sum(m, 1.0f)), r = mul(s, s), p = float_of(0x3e638e39u);
    p = fused(p, r, float_of(0x3e924925u));
    p = fused(p, r, float_of(0x3ecccccdu));
    p = fused(p, r, float_of(0x3f2aaaabu));
    p = fused(mul(p, r), s, sum(s, s));
    return fused(static_cast<float>(k + field), float_of(0x3f317218u), p);
}

/* ---- the cache ------------------------------------------------------------------------------- */

SHIM_FN inline uint32_t code_of(float q)
{
    return of_e4m3::narrow(q, 0.0f) & 0xff;
}

/* Stored by division and read back. Without saturation what is above 464 is NaN. */
SHIM_FN inline float stored(float x, float scale, bool nosat)
{
    float q = div(x, scale);
    if (nosat && magnitude(q) > 464.0f)
        return not_a_number();
    return mul(of_e4m3::wide(code_of(q)), scale);
}

SHIM_FN inline float via_bf16(float x)
{
    return of_bf16::wide(of_bf16::narrow(x, 0.0f) & 0xffff);
}

/* ---- a row of attention ---------------------------------------------------------------------- */

enum { TOKENS = 4, CHANNELS = 8, VOCABULARY = 14 };

struct row {
    float most, all, lse, weight[TOKENS];
};

SHIM_FN inline row attend(const float *score)
{
    row r = {negative(infinity()), 0.0f, negative(infinity()), {0, 0, 0, 0}};
    bool any = false;
    for (int j = 0; j < TOKENS; j++) {
        r.most = kernels::most(r.most, score[j]);
        any = any || bits_of(score[j]) != 0xff800000u;
    }
    for (int j = 0; j < TOKENS; j++) {
        float x = mul(less(score[j], r.most), float_of(0x3fb8aa3bu));
        r.weight[j] = bits_of(score[j]) == 0xff800000u ? 0.0f : exp2_of(x);
        r.all = sum(r.all, r.weight[j]);
    }
    if (!any) {
        r.all = 0.0f;
        return r;
    }
    r.lse = sum(r.most, log_of(r.all));
    for (int j = 0; j < TOKENS; j++)
        r.weight[j] = div(r.weight[j], r.all);
    return r;
}

/* Key after key; `stride` between their values. */
SHIM_FN inline float weighted(const row &r, const float *value, int stride, bool skip)
{
    float out = 0.0f;
    for (int j = 0; j < TOKENS; j++)
        if (!skip || (bits_of(r.weight[j]) & 0x7fffffffu) != 0)
            out = fused(r.weight[j], value[j * stride], out);
    return out;
}

/* PyTorch's rule; and `x > best` from -infinity. */
SHIM_FN inline uint32_t argmax(const float *x, int n)
{
    int best = 0;
    for (int i = 0; i < n; i++) {
        if (is_nan(x[i]))
            return static_cast<uint32_t>(i);
        best = x[i] > x[best] ? i : best;
    }
    return static_cast<uint32_t>(best);
}

SHIM_FN inline uint32_t argmax_greater(const float *x, int n, uint32_t start)
{
    float best = negative(infinity());
    for (int i = 0; i < n; i++) {
        if (x[i] > best) {
            best = x[i];
            start = static_cast<uint32_t>(i);
        }
    }
    return start;
}

} // namespace links

} // namespace kernels

#endif
