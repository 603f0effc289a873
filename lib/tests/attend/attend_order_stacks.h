/* SPDX-License-Identifier: MIT */
/* attend_order_stacks.h -- attention as stacks of 2026 compute it, in float and double: written
 * from their sources, without anything of the library
 */
#ifndef SF8_TEST_ATTEND_ORDER_STACKS_H
#define SF8_TEST_ATTEND_ORDER_STACKS_H

#include "attend/attend_order_ops.h"

/* The tile with the first key, and the number of tiles of each of `splits` parts. */
static inline size_t o_each(const o_row *r, size_t tile, size_t splits, size_t *lo)
{
    size_t hi = (r->to + tile - 1) / tile;
    *lo = r->from / tile;
    hi = hi < *lo ? *lo : hi;
    return (hi - *lo + splits - 1) / splits;
}

static inline size_t o_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- FlashAttention-4, flash_attn/cute: softmax.py, flash_fwd_sm100.py ------------------------
 */

/* utils.py fadd_reduce: four packed pairs of sums, of which the first begins with `init`. */
static inline float o_fadd_reduce(const float *w, size_t n, float init)
{
    float even[4] = {init, 0, 0, 0}, odd[4] = {0};
    for (size_t j = 0; j < n; j += 8)
        for (size_t i = 0; i < 4; i++) {
            even[i] = o_add(even[i], w[j + 2 * i]);
            odd[i] = o_add(odd[i], w[j + 2 * i + 1]);
        }
    even[0] = o_add(even[0], even[1]);
    odd[0] = o_add(odd[0], odd[1]);
    even[2] = o_add(even[2], even[3]);
    odd[2] = o_add(odd[2], odd[3]);
    return o_add(o_add(even[0], even[2]), o_add(odd[0], odd[2]));
}

static inline void o_fa4_part(const o_row *r, int fp8, size_t first, size_t end, o_part *p)
{
    enum { TILE = 128 };
    static float q[O_DIM], key[O_DIM], value[TILE], s[TILE], w[TILE];
    const o_unit *unit = fp8 ? &o_tcgen05 : &o_hgmma;
    float c = o_mul(o_mul(r->scale, O_LOG2E), o_mul(r->q_scale, fp8 ? r->k_scale : 1));
    float threshold = fp8 ? 0 : 8, offset = fp8 ? 8 : 0, scale;
    int none;
    memset(p, 0, sizeof *p);
    p->most = -INFINITY;
    for (size_t d = 0; d < r->dim; d++)
        q[d] = fp8 ? o_e4m3(o_mul(r->q[d], o_div(1, r->q_scale))) : o_half(r, r->q[d]);
    for (size_t i = (end - first + TILE - 1) / TILE; i-- > 0;) {
        size_t at = first + i * TILE;
        float old = p->most, alpha = 0, bias;
        for (size_t j = 0; j < TILE; j++) {
            if (!o_takes(r, at + j) || at + j >= end)
                continue;
            for (size_t d = 0; d < r->dim; d++)
                key[d] = fp8 ? o_e4m3(r->k[(at + j) * r->dim + d])
                             : o_half(r, o_mul(r->k[(at + j) * r->dim + d], r->k_scale));
            s[j] = o_sum(unit, q, key, r->dim, 0);
            p->most = o_max(p->most, s[j]);
        }
        if (old != -INFINITY) {
            float x = o_mul(o_sub(old, p->most), c);
            alpha = o_exp2(x);
            if (threshold > 0 && x >= -threshold) {
                p->most = old;
                alpha = 1;
            }
        }
        bias = fmaf(-p->most, c, offset);
        for (size_t j = 0; j < TILE; j++)
            w[j] = o_takes(r, at + j) && at + j < end ? o_exp2(fmaf(s[j], c, bias)) : 0;
        p->sum = o_fadd_reduce(w, TILE, o_mul(p->sum, alpha));
        for (size_t j = 0; j < TILE; j++)
            w[j] = fp8 ? o_e4m3(w[j]) : o_half(r, w[j]);
        for (size_t x = 0; x < r->columns; x++) {
            for (size_t j = 0; j < TILE; j++)
                value[j] = fp8 ? o_e4m3(r->v[x * O_STRIDE + at + j])
                               : o_half(r, o_mul(r->v[x * O_STRIDE + at + j], r->v_scale));
            p->out[x] = o_sum(unit, w, value, TILE, o_mul(p->out[x], alpha));
        }
    }
    if (r->has_sink && r->part == 0) { /* the correction warps, learnable_sink */
        p->most = p->most == -INFINITY ? 0 : p->most;
        p->sum = o_add(p->sum, o_exp2(fmaf(O_LOG2E, r->sink, -fmaf(p->most, c, -offset))));
    }
    none = p->sum == 0 || isnan(p->sum);
    scale = o_mul(o_div(1, none ? 1 : p->sum), fp8 ? r->v_scale : 1);
    for (size_t x = 0; x < r->columns; x++)
        p->out[x] = o_mul(p->out[x], scale);
    p->lse = none ? -INFINITY
                  : o_mul(fmaf(p->most, c, o_sub(o_log2(p->sum), offset)), 0x1.62e430p-1f);
}

/* flash_fwd_combine.py */
static inline void o_fa4(o_row *r, int fp8, size_t splits)
{
    static o_part part[O_PARTS];
    size_t lo, each = o_each(r, 128, splits, &lo);
    float most = -INFINITY, weight[O_PARTS], sum = 0;
    for (size_t i = 0; i < splits; i++) {
        size_t first = o_least((lo + i * each) * 128, r->to);
        r->part = i;
        o_fa4_part(r, fp8, first, o_least((lo + (i + 1) * each) * 128, r->to), &part[i]);
        most = o_max(most, part[i].lse);
    }
    memcpy(r->out, part[0].out, sizeof r->out);
    r->lse = part[0].lse;
    if (splits == 1)
        return;
    for (size_t i = 0; i < splits; i++) {
        float less = o_mul(most == -INFINITY ? 0 : most, O_LOG2E);
        weight[i] = o_exp2(fmaf(part[i].lse, O_LOG2E, -less));
        sum = o_add(sum, weight[i]);
    }
    o_join_parts(r, part, weight, splits, sum);
    r->lse = o_add(o_log(sum), most);
}

/* ---- cuDNN frontend, d128_fprop_kernel.h of sm100 ---------------------------------------------
 */

/* total_max is that of scores times the factor; total_sum is a float2. */
static inline void o_cudnn(o_row *r)
{
    enum { TILE = 128 };
    static float q[O_DIM], key[O_DIM], value[TILE], s[TILE], w[TILE];
    float c = o_mul(o_mul(r->scale, o_mul(r->q_scale, 1)), O_LOG2E);
    float total_max = -INFINITY, x = 0, y = 0, sum, beta;
    memset(r->out, 0, sizeof r->out);
    for (size_t d = 0; d < r->dim; d++)
        q[d] = o_half(r, r->q[d]);
    for (size_t at = r->from / TILE * TILE; at < r->to; at += TILE) {
        float row_max = -INFINITY, before = total_max, minus, alpha;
        for (size_t j = 0; j < TILE; j++) {
            if (!o_takes(r, at + j))
                continue;
            for (size_t d = 0; d < r->dim; d++)
                key[d] = o_half(r, o_mul(r->k[(at + j) * r->dim + d], r->k_scale));
            s[j] = o_sum(&o_hgmma, q, key, r->dim, 0);
            row_max = o_max(row_max, s[j]);
        }
        total_max = o_max(total_max, o_mul(row_max, c));
        minus = total_max == -INFINITY ? 0 : -total_max;
        alpha = o_exp2(total_max == -INFINITY ? -INFINITY : o_sub(before, total_max));
        x = o_mul(alpha, x);
        y = o_mul(alpha, y);
        for (size_t j = 0; j < TILE; j++) {
            float *of = j % 2 ? &y : &x;
            w[j] = o_takes(r, at + j) ? o_exp2(fmaf(c, s[j], minus)) : 0;
            *of = o_add(*of, w[j]);
            w[j] = o_half(r, w[j]);
        }
        for (size_t channel = 0; channel < r->columns; channel++) {
            for (size_t j = 0; j < TILE; j++)
                value[j] = o_takes(r, at + j)
                               ? o_half(r, o_mul(r->v[channel * O_STRIDE + at + j], r->v_scale))
                               : 0;
            r->out[channel] = o_sum(&o_hgmma, w, value, TILE, o_mul(r->out[channel], alpha));
        }
    }
    sum = o_add(x, y);
    beta = sum == 0 ? 0 : o_div(1, sum);
    for (size_t channel = 0; channel < r->columns; channel++)
        r->out[channel] = o_mul(r->out[channel], beta);
    r->lse = sum == 0 ? -INFINITY : o_add(o_mul(total_max, 0x1.62e430p-1f), o_log(sum));
}

/* ---- SGLang, decode_attention.py: _fwd_grouped_kernel_stage1, _fwd_kernel_stage2 --------------
 */

static inline float o_sglang_exp(float x)
{
    return o_exp2(o_mul(x, O_LOG2E));
}

static inline void o_sglang_part(const o_row *r, int fp8, size_t first, size_t end, size_t BLOCK_N,
                                 o_part *p)
{
    static float q[O_DIM], key[O_DIM], value[64], s[64], w[64];
    float sm_scale_withk = o_mul(r->scale, o_mul(r->q_scale, r->k_scale));
    memset(p, 0, sizeof *p);
    p->most = -INFINITY;
    for (size_t d = 0; d < r->dim; d++)
        q[d] = fp8 ? o_e4m3(o_mul(r->q[d], o_div(1, r->q_scale))) : o_half(r, r->q[d]);
    for (size_t at = first; at < end; at += BLOCK_N) {
        float n_e_max = p->most, re_scale;
        for (size_t j = 0; j < BLOCK_N; j++) {
            if (!o_takes(r, at + j) || at + j >= end)
                continue;
            for (size_t d = 0; d < r->dim; d++)
                key[d] = fp8 ? o_e4m3(r->k[(at + j) * r->dim + d])
                             : o_half(r, r->k[(at + j) * r->dim + d]);
            s[j] = o_mul(fp8 ? o_lowered(q, key, r->dim, 0) : o_sum(&o_hgmma, q, key, r->dim, 0),
                         sm_scale_withk);
            s[j] = o_capped_score(r, s[j]);
            n_e_max = o_max(n_e_max, s[j]);
        }
        re_scale = p->most == -INFINITY ? 0 : o_sglang_exp(o_sub(p->most, n_e_max));
        for (size_t j = 0; j < BLOCK_N; j++)
            w[j] = o_takes(r, at + j) && at + j < end ? o_sglang_exp(o_sub(s[j], n_e_max)) : 0;
        memcpy(s, w, sizeof s); /* tl.sum: by halves */
        for (size_t half = BLOCK_N / 2; half > 0; half /= 2)
            for (size_t i = 0; i < half; i++)
                s[i] = o_add(s[i], s[i + half]);
        p->sum = fmaf(p->sum, re_scale, s[0]);
        p->most = n_e_max;
        for (size_t j = 0; j < BLOCK_N; j++)
            w[j] = fp8 ? o_e4m3(w[j]) : o_half(r, w[j]);
        for (size_t x = 0; x < r->columns; x++) {
            float acc = o_mul(p->out[x], re_scale);
            for (size_t j = 0; j < BLOCK_N; j++) {
                float v = r->v[x * O_STRIDE + at + j];
                value[j] = !o_takes(r, at + j) || at + j >= end ? 0
                           : fp8                                ? o_e4m3(v)
                                                                : o_half(r, v);
            }
            p->out[x] = fp8 ? o_lowered(w, value, BLOCK_N, acc)
                            : o_sum(&o_hgmma, w, value, BLOCK_N, acc);
        }
    }
    memcpy(p->acc, p->out, sizeof p->acc);
    for (size_t x = 0; x < r->columns && p->most != -INFINITY; x++)
        p->out[x] = o_div(p->out[x], p->sum);
    p->lse = p->most == -INFINITY ? -INFINITY : o_add(p->most, o_log(p->sum));
}

/* Adds a part to the output so far. */
static inline void o_sglang_add(o_row *r, const o_part *p, float *e_max, float *e_sum)
{
    float n_e_max = o_max(p->lse, *e_max);
    float old_scale = *e_max == -INFINITY ? 0 : o_sglang_exp(o_sub(*e_max, n_e_max));
    float exp_logic = o_sglang_exp(o_sub(p->lse, n_e_max));
    for (size_t x = 0; x < r->columns; x++)
        r->out[x] = fmaf(exp_logic, p->out[x], o_mul(r->out[x], old_scale));
    *e_sum = fmaf(*e_sum, old_scale, exp_logic);
    *e_max = n_e_max;
}

static inline void o_sglang(o_row *r, int fp8, size_t splits)
{
    static o_part part;
    size_t lo, each = o_each(r, 32, splits, &lo);
    float e_sum = 0, e_max = -INFINITY;
    memset(r->out, 0, sizeof r->out);
    for (size_t i = 0; i < splits; i++) {
        size_t first = o_least((lo + i * each) * 32, r->to);
        size_t end = o_least((lo + (i + 1) * each) * 32, r->to);
        if (end <= first)
            continue;
        o_sglang_part(r, fp8, first, end, 32, &part);
        o_sglang_add(r, &part, &e_max, &e_sum);
    }
    if (r->has_sink)
        e_sum = o_add(e_sum, o_sglang_exp(o_sub(r->sink, e_max)));
    for (size_t x = 0; x < r->columns && e_max != -INFINITY; x++)
        r->out[x] = o_mul(o_div(r->out[x], e_sum), r->v_scale);
    r->lse = e_max == -INFINITY ? -INFINITY : o_add(e_max, o_log(e_sum));
}

/* ---- PyTorch, SDPBackend.MATH on a CPU: attention.cpp -----------------------------------------
 */

/* MKL adds one fma after the other; the softmax has a register of sixteen sums. */
static inline void o_torch(o_row *r)
{
    static float q[O_DIM], p[O_STRIDE];
    float root = sqrtf(r->scale), most = -INFINITY, lane[16] = {0}, inverse;
    for (size_t d = 0; d < r->dim; d++)
        q[d] = o_mul(r->q[d], root);
    for (size_t j = r->from; j < r->to; j++) {
        p[j] = 0;
        for (size_t d = 0; d < r->dim; d++)
            p[j] = fmaf(q[d], o_mul(o_mul(r->k[j * r->dim + d], r->k_scale), root), p[j]);
        p[j] = o_mul(p[j], r->q_scale); /* 1 in PyTorch */
        most = o_max(most, p[j]);
    }
    for (size_t j = r->from; j < r->to; j++) {
        p[j] = o_exp(o_sub(p[j], most));
        lane[j % 16] = o_add(lane[j % 16], p[j]);
    }
    for (size_t half = 8; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] = o_add(lane[l], lane[l + half]);
    inverse = o_div(1, lane[0]);
    for (size_t x = 0; x < r->columns; x++) {
        r->out[x] = 0;
        for (size_t j = r->from; j < r->to; j++)
            r->out[x] = fmaf(o_mul(p[j], inverse), o_mul(r->v[x * O_STRIDE + j], r->v_scale),
                             r->out[x]);
    }
    r->lse = o_add(most, o_log(lane[0]));
}

/* ---- llama.cpp, ggml-cpu: flash_attn_ext_f16_one_chunk ----------------------------------------
 */

/* ggml_vec_dot_f16 with AVX2: sum[register][lane], and GGML_F32x8_REDUCE. */
static inline float o_ggml_dot(const float *x, const float *y, size_t n)
{
    float sum[4][8] = {{0}}, t[4];
    for (size_t i = 0; i < n; i += 32)
        for (size_t j = 0; j < 4; j++)
            for (size_t l = 0; l < 8; l++)
                sum[j][l] = fmaf(x[i + 8 * j + l], y[i + 8 * j + l], sum[j][l]);
    for (size_t l = 0; l < 8; l++)
        sum[0][l] = o_add(o_add(sum[0][l], sum[2][l]), o_add(sum[1][l], sum[3][l]));
    for (size_t l = 0; l < 4; l++)
        t[l] = o_add(sum[0][l], sum[0][l + 4]);
    return o_add(o_add(t[0], t[1]), o_add(t[2], t[3]));
}

static inline void o_llama(o_row *r)
{
    static float q[O_DIM], key[O_DIM];
    float S = 0, M = -INFINITY, inverse;
    memset(r->out, 0, sizeof r->out);
    for (size_t d = 0; d < r->dim; d++)
        q[d] = o_half(r, r->q[d]);
    for (size_t j = r->from; j < r->to; j++) {
        float s, ms = 1, vs = 1;
        for (size_t d = 0; d < r->dim; d++)
            key[d] = o_half(r, o_mul(r->k[j * r->dim + d], r->k_scale));
        s = o_mul(o_capped_product(r, o_ggml_dot(key, q, r->dim), 1), o_scale(r, 1));
        if (s > M) {
            ms = M == -INFINITY ? 0 : o_exp(o_sub(M, s));
            M = s;
        } else {
            vs = o_exp(o_sub(s, M));
        }
        for (size_t x = 0; x < r->columns; x++) {
            float v = o_half(r, o_mul(r->v[x * O_STRIDE + j], r->v_scale));
            r->out[x] = o_half(r, fmaf(v, vs, o_half(r, o_mul(r->out[x], ms))));
        }
        S = fmaf(S, ms, vs);
    }
    if (r->has_sink && r->sink > M) {
        float ms = M == -INFINITY ? 0 : o_exp(o_sub(M, r->sink));
        for (size_t x = 0; x < r->columns; x++)
            r->out[x] = o_mul(r->out[x], ms);
        S = fmaf(S, ms, 1);
        M = r->sink;
    } else if (r->has_sink) {
        S = o_add(S, o_exp(o_sub(r->sink, M)));
    }
    inverse = S == 0 ? 0 : o_div(1, S);
    for (size_t x = 0; x < r->columns; x++)
        r->out[x] = o_mul(r->out[x], inverse);
    r->lse = M == -INFINITY ? -INFINITY : o_add(M, o_log(S));
}

#endif
