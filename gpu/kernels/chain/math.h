/* SPDX-License-Identifier: MIT */
/* math.h -- the arithmetic of the steps of the chain: e4m3, attention, argmax */
#ifndef SOFTFP8_GPU_KERNELS_CHAIN_MATH_H
#define SOFTFP8_GPU_KERNELS_CHAIN_MATH_H

#include "kernels/codes.h"
#include "kernels/f32.h"

namespace kernels
{

namespace links
{

/* ---- the cache ------------------------------------------------------------------------------- */

SHIM_FN inline uint32_t code_of(float q)
{
    return of_e4m3::narrow(q, 0.0f) & 0xff;
}

/* Stored by division and read back. Without saturation a value above 464 is NaN. */
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

/* Key after key; `stride` is the distance between their values. */
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
