/* SPDX-License-Identifier: MIT */
/* attend_order_2026.h -- attention as FlashAttention-2, FlashMLA, AITER, FlyDSL, FlashInfer's CuTe
 * DSL, and Triton kernels of vLLM and SGLang compute it, in float and double: written from their
 * sources, without anything of the library
 */
#ifndef SF8_TEST_ATTEND_ORDER_2026_H
#define SF8_TEST_ATTEND_ORDER_2026_H

#include "attend/attend_order_stacks.h"

static const o_unit o_ampere = {8, 24, 24, -126};

/* e^(lse of a part - lse of all), as combine_attn_seqk_parallel, combine.cu and reduce.cu have it:
 * lane i of a warp has parts i, i + 32, ... */
static inline void o_join_global(o_row *r, const o_part *part, size_t parts, int base2, int sinks)
{
    float most = -INFINITY, lane[32] = {0}, all = INFINITY;
    for (size_t i = 0; i < parts; i++)
        most = o_max(most, part[i].lse);
    most = most == -INFINITY ? 0 : most;
    for (size_t i = 0; i < parts; i++) {
        float less = o_sub(part[i].lse, most);
        lane[i % 32] = o_add(lane[i % 32], base2 ? o_exp2(less) : o_exp(less));
    }
    for (size_t half = 16; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] = o_add(lane[l], lane[l + half]);
    r->lse = -INFINITY;
    if (lane[0] != 0 && !isnan(lane[0]))
        r->lse = all = o_add(base2 ? o_log2(lane[0]) : o_log(lane[0]), most);
    if (sinks && all != INFINITY) /* combine.cu of FlashMLA, in base 2 */
        all = o_add(all, o_log2(o_add(1, o_exp2(o_sub(o_mul(r->sink, O_LOG2E), all)))));
    memset(r->out, 0, sizeof r->out);
    for (size_t i = 0; i < parts; i++) {
        float less = o_sub(part[i].lse, all), scale = base2 ? o_exp2(less) : o_exp(less);
        for (size_t x = 0; x < r->columns; x++)
            r->out[x] = fmaf(scale, part[i].out[x], r->out[x]);
    }
}

/* The only part, or several joined. */
static inline void o_join_parts_global(o_row *r, const o_part *part, size_t parts, int base2,
                                       int sinks)
{
    if (parts > 1) {
        o_join_global(r, part, parts, base2, sinks);
        return;
    }
    memcpy(r->out, part[0].out, sizeof r->out);
    r->lse = part[0].lse;
}

/* ---- FlashAttention-2, csrc/flash_attn/src: softmax.h, flash_fwd_kernel.h ---------------------
 */

static inline void o_fa2_part(const o_row *r, size_t tile, int unfused, size_t first, size_t end,
                              o_part *p)
{
    static float q[O_DIM], key[O_DIM], value[128], s[128];
    float row_sum[4] = {0}, c = o_scale_log2(r, 1), inverse;
    memset(p, 0, sizeof *p);
    p->most = -INFINITY;
    for (size_t d = 0; d < r->dim; d++)
        q[d] = o_half(r, r->q[d]);
    for (size_t n = (end - first + tile - 1) / tile; n-- > 0;) {
        size_t at = first + n * tile;
        float before = p->most, scores_scale, max_scaled;
        for (size_t j = 0; j < tile; j++) {
            if (!o_takes(r, at + j) || at + j >= end)
                continue;
            for (size_t d = 0; d < r->dim; d++)
                key[d] = o_half(r, o_mul(r->k[(at + j) * r->dim + d], r->k_scale));
            s[j] = o_capped_product(r, o_sum(&o_ampere, q, key, r->dim, 0), 1);
            p->most = o_max(p->most, s[j]);
        }
        scores_scale = before == -INFINITY ? 0 : o_exp2(o_mul(o_sub(before, p->most), c));
        max_scaled = p->most == -INFINITY ? 0 : o_mul(p->most, c);
        for (size_t l = 0; l < 4; l++)
            row_sum[l] = o_mul(row_sum[l], scores_scale);
        for (size_t j = 0; j < tile; j++) {
            float x = unfused ? o_sub(o_mul(s[j], c), max_scaled) : fmaf(s[j], c, -max_scaled);
            s[j] = o_takes(r, at + j) && at + j < end ? o_exp2(x) : 0;
            row_sum[j % 8 / 2] = o_add(row_sum[j % 8 / 2], s[j]);
        }
        for (size_t x = 0; x < r->columns; x++) {
            for (size_t j = 0; j < tile; j++)
                value[j] = o_takes(r, at + j) && at + j < end
                               ? o_half(r, o_mul(r->v[x * O_STRIDE + at + j], r->v_scale))
                               : 0;
            for (size_t j = 0; j < tile && x == 0; j++)
                s[j] = o_half(r, s[j]);
            p->out[x] = o_sum(&o_ampere, s, value, tile, o_mul(p->out[x], scores_scale));
        }
    }
    p->sum = o_add(o_add(row_sum[0], row_sum[2]), o_add(row_sum[1], row_sum[3]));
    inverse = p->sum == 0 || isnan(p->sum) ? 1 : o_div(1, p->sum);
    for (size_t x = 0; x < r->columns; x++)
        p->out[x] = o_mul(p->out[x], inverse);
    p->lse = p->sum == 0 || isnan(p->sum) ? -INFINITY : fmaf(p->most, o_scale(r, 1), o_log(p->sum));
}

static inline void o_fa2(o_row *r, size_t tile, int unfused, size_t splits)
{
    static o_part part[O_PARTS];
    size_t lo, each = o_each(r, tile, splits, &lo);
    for (size_t i = 0; i < splits; i++) {
        size_t first = o_least((lo + i * each) * tile, r->to);
        o_fa2_part(r, tile, unfused, first, o_least((lo + (i + 1) * each) * tile, r->to), &part[i]);
    }
    o_join_parts_global(r, part, splits, 0, 0);
}

/* ---- PyTorch, FlashAttentionKernel.cpp: kvSplitSize 512, vectors of 16 in f32 ------------------
 */

static inline void o_torch_flash_cpu(o_row *r)
{
    enum { KV = 512 };
    static float s[KV];
    float qk_max = -INFINITY, qk_sum = 0, reciprocal, c = o_mul(r->scale, o_mul(r->q_scale, 1));
    memset(r->out, 0, sizeof r->out);
    for (size_t n = r->from / KV * KV; n < r->to; n += KV) {
        float tmp_max = qk_max, lane[16] = {0}, exp_tmp;
        for (size_t j = 0; j < KV; j++) {
            if (!o_takes(r, n + j))
                continue;
            s[j] = 0;
            for (size_t d = 0; d < r->dim; d++)
                s[j] = fmaf(r->q[d], o_mul(r->k[(n + j) * r->dim + d], r->k_scale), s[j]);
            s[j] = o_mul(s[j], c);
            tmp_max = o_max(tmp_max, s[j]);
        }
        exp_tmp = qk_max == -INFINITY ? 0 : o_exp(o_sub(qk_max, tmp_max));
        for (size_t j = 0; j < KV; j++) {
            s[j] = o_takes(r, n + j) ? o_exp(o_sub(s[j], tmp_max)) : 0;
            lane[j % 16] = o_add(lane[j % 16], s[j]);
        }
        for (size_t half = 8; half > 0; half /= 2)
            for (size_t l = 0; l < half; l++)
                lane[l] = o_add(lane[l], lane[l + half]);
        qk_sum = fmaf(exp_tmp, qk_sum, lane[0]);
        qk_max = tmp_max;
        for (size_t x = 0; x < r->columns; x++) {
            r->out[x] = o_mul(r->out[x], exp_tmp);
            for (size_t j = 0; j < KV && n + j < r->to; j++)
                if (o_takes(r, n + j))
                    r->out[x] = fmaf(s[j], o_mul(r->v[x * O_STRIDE + n + j], r->v_scale),
                                     r->out[x]);
        }
    }
    reciprocal = qk_sum == 0 ? 1 : o_div(1, qk_sum);
    for (size_t x = 0; x < r->columns; x++)
        r->out[x] = o_mul(r->out[x], reciprocal);
    r->lse = qk_sum == 0 ? -INFINITY : o_add(qk_max, o_log(qk_sum));
}

/* ---- FlashMLA, sm_90: dense/splitkv_mla.cuh, sparse_fp8/splitkv_mla.cuh -----------------------
 */

/* A block of 64 keys: the products of the keys, and the largest so far times the scale. */
typedef struct o_mla_block {
    float s[64], w[64], rounded[64], scale_for_old;
} o_mla_block;

static inline void o_mla_scores(const o_row *r, const float *q, float c, size_t at, size_t end,
                                float *m, o_mla_block *b)
{
    static float key[O_DIM];
    float cur_max = -INFINITY, old = *m;
    for (size_t j = 0; j < 64; j++) {
        if (!o_takes(r, at + j) || at + j >= end)
            continue;
        for (size_t d = 0; d < r->dim; d++)
            key[d] = o_half(r, o_mul(r->k[(at + j) * r->dim + d], r->k_scale));
        b->s[j] = o_sum(&o_hgmma, q, key, r->dim, 0);
        cur_max = o_max(cur_max, b->s[j]);
    }
    *m = o_max(old, o_mul(cur_max, c));
    b->scale_for_old = old == -INFINITY ? 0 : o_exp2(o_sub(old, *m));
    for (size_t j = 0; j < 64; j++) {
        b->w[j] = o_takes(r, at + j) && at + j < end ? o_exp2(fmaf(b->s[j], c, -*m)) : 0;
        b->rounded[j] = o_half(r, b->w[j]);
    }
}

static inline float o_mla_values(const o_row *r, const float *w, size_t at, size_t end, size_t x,
                                 float sum)
{
    float value[64];
    for (size_t j = 0; j < 64; j++)
        value[j] = o_takes(r, at + j) && at + j < end
                       ? o_half(r, o_mul(r->v[x * O_STRIDE + at + j], r->v_scale))
                       : 0;
    return o_sum(&o_hgmma, w, value, 64, sum);
}

/* cur_sum += rP(i) + rP(i + 1): the thread of a quad, by octets. */
static inline float o_mla_cur_sum(const float *w, size_t thread, int pairs)
{
    float sum = 0;
    for (size_t j = 2 * thread; j < 64; j += 8)
        sum = pairs ? o_add(sum, o_add(w[j], w[j + 1])) : o_add(o_add(sum, w[j]), w[j + 1]);
    return sum;
}

/* Two warpgroups take two blocks; the second one has the right half of the output. */
static inline void o_flashmla_part(const o_row *r, size_t first, size_t end, o_part *p)
{
    static float q[O_DIM], p0[64];
    static o_mla_block a, b;
    float L[2][4] = {{0}}, M = -INFINITY, c = o_mul(o_scale(r, 1), O_LOG2E);
    memset(p, 0, sizeof *p);
    for (size_t d = 0; d < r->dim; d++)
        q[d] = o_half(r, r->q[d]);
    for (size_t at = first; at < end; at += 128) {
        int last = at + 64 >= end;
        float scale1 = 1, scale_o1;
        o_mla_scores(r, q, c, at, end, &M, &a);
        if (!last) {
            o_mla_scores(r, q, c, at + 64, end, &M, &b);
            scale1 = b.scale_for_old;
        }
        scale_o1 = o_mul(scale1, a.scale_for_old);
        for (size_t t = 0; t < 4; t++) {
            L[0][t] = o_mul(fmaf(L[0][t], a.scale_for_old, o_mla_cur_sum(a.w, t, 1)), scale1);
            L[1][t] = fmaf(L[1][t], scale_o1, last ? 0 : o_mla_cur_sum(b.w, t, 1));
        }
        for (size_t j = 0; j < 64; j++)
            p0[j] = o_half(r, o_mul(a.w[j], scale1));
        for (size_t x = 0; x < r->columns; x++) {
            float out = p->out[x];
            if (x < r->columns / 2) {
                out = o_mla_values(r, a.rounded, at, end, x, o_mul(out, a.scale_for_old));
                if (!last)
                    out = o_mla_values(r, b.rounded, at + 64, end, x, o_mul(out, scale1));
            } else {
                out = o_mul(out, scale_o1);
                if (!last)
                    out = o_mla_values(r, b.rounded, at + 64, end, x, out);
                out = o_mla_values(r, p0, at, end, x, out);
            }
            p->out[x] = out;
        }
    }
    for (size_t i = 0; i < 2; i++) /* shfl_xor 1, then 2 */
        L[i][0] = o_add(o_add(L[i][0], L[i][1]), o_add(L[i][2], L[i][3]));
    p->sum = o_add(L[0][0], L[1][0]);
    for (size_t x = 0; x < r->columns && p->sum != 0; x++)
        p->out[x] = o_div(p->out[x], p->sum);
    p->lse = p->sum == 0 ? -INFINITY : o_add(o_log2(p->sum), M);
}

/* Blocks one after the other; the sum of the sink is added where the request is in one part. */
static inline void o_flashmla_sparse_part(const o_row *r, size_t first, size_t end, int alone,
                                          o_part *p)
{
    static float q[O_DIM];
    static o_mla_block a;
    float rL[4] = {0}, rM = -INFINITY, c = o_mul(o_scale(r, 1), O_LOG2E), o_scale_of;
    memset(p, 0, sizeof *p);
    for (size_t d = 0; d < r->dim; d++)
        q[d] = o_half(r, r->q[d]);
    for (size_t at = first; at < end; at += 64) {
        o_mla_scores(r, q, c, at, end, &rM, &a);
        for (size_t t = 0; t < 4; t++)
            rL[t] = fmaf(rL[t], a.scale_for_old, o_mla_cur_sum(a.w, t, 0));
        for (size_t x = 0; x < r->columns; x++)
            p->out[x] = o_mla_values(r, a.rounded, at, end, x, o_mul(p->out[x], a.scale_for_old));
    }
    p->sum = o_add(o_add(rL[0], rL[1]), o_add(rL[2], rL[3]));
    o_scale_of = p->sum;
    if (alone && r->has_sink)
        o_scale_of = o_add(p->sum, o_exp2(o_sub(o_mul(r->sink, O_LOG2E), rM)));
    o_scale_of = p->sum == 0 ? 0 : o_div(1, o_scale_of);
    for (size_t x = 0; x < r->columns; x++)
        p->out[x] = o_mul(p->out[x], o_scale_of);
    p->lse = p->sum == 0 ? -INFINITY : o_add(o_log2(p->sum), rM);
}

static inline void o_flashmla(o_row *r, int sparse, size_t splits)
{
    static o_part part[O_PARTS];
    size_t lo, each = o_each(r, 64, splits, &lo);
    for (size_t i = 0; i < splits; i++) {
        size_t first = o_least((lo + i * each) * 64, r->to);
        size_t end = o_least((lo + (i + 1) * each) * 64, r->to);
        if (sparse)
            o_flashmla_sparse_part(r, first, end, splits == 1, &part[i]);
        else
            o_flashmla_part(r, first, end, &part[i]);
    }
    o_join_parts_global(r, part, splits, 1, sparse && r->has_sink);
}

/* ---- MLA on CDNA3: AITER's mi3xx_v32_fwd_decode_m16x8_fp8_fp8.cuh, FlyDSL's kernel -------------
 */

static inline float o_e4m3fnuz(float x)
{
    float y = o_narrow(x, 4, -7, INFINITY);
    return fabsf(y) > 240 ? copysignf(240, y) : y;
}

/* 16 products of e4m3fnuz: those of even and of odd numbers, each cut off toward zero below
 * 2^(their largest exponent - 24), and both rounded down there; then c, rounded down at 24 bits,
 * and dropped if it is more than 25 below; the result rounded down to 32 bits, then to nearest. */
static inline float o_mfma_fp8(const float *a, const float *b, float c)
{
    double sum[2] = {0}, all, top_c;
    int e[2] = {-126, -126}, top, low, place;
    for (size_t i = 0; i < 16; i++) {
        int field = o_field(a[i], -7) + o_field(b[i], -7);
        if (a[i] != 0 && b[i] != 0 && field > e[i % 2])
            e[i % 2] = field;
    }
    for (size_t i = 0; i < 16; i++)
        sum[i % 2] += trunc(ldexp((double)a[i] * (double)b[i], 24 - e[i % 2]));
    top = e[0] > e[1] ? e[0] : e[1];
    all = floor(ldexp(sum[0], e[0] - top)) + floor(ldexp(sum[1], e[1] - top));
    low = c == 0 ? -126 : o_field(c, -126);
    if (low < top - 25)
        c = 0;
    place = low > top ? low : top;
    all = floor(ldexp(all, 8 + top - place));
    top_c = floor(ldexp((double)c, 24 - place));
    all += ldexp(top_c, 8);
    if (all == 0)
        return 0;
    frexp(all, &low);
    if (low > 32)
        all = ldexp(floor(ldexp(all, 32 - low)), low - 32);
    return (float)ldexp(all, place - 32);
}

static inline float o_mfma(const float *a, const float *b, size_t n, float c)
{
    for (size_t i = 0; i < n; i += 16)
        c = o_mfma_fp8(a + i, b + i, c);
    return c;
}

/* 8 products of 16 bits: cut off toward zero below 2^(the largest exponent - 24), then as above. */
static inline float o_mfma_16(const float *a, const float *b, float c)
{
    double sum = 0;
    int e = -126, low = c == 0 ? -126 : o_field(c, -126), place;
    for (size_t i = 0; i < 8; i++) {
        int field = o_field(a[i], -126) + o_field(b[i], -126);
        if (a[i] != 0 && b[i] != 0 && field > e)
            e = field;
    }
    for (size_t i = 0; i < 8; i++)
        sum += trunc(ldexp((double)a[i] * (double)b[i], 24 - e));
    place = low > e ? low : e;
    sum = floor(ldexp(sum, 8 + e - place)) + ldexp(floor(ldexp((double)c, 24 - place)), 8);
    if (sum == 0)
        return 0;
    frexp(sum, &low);
    if (low > 32)
        sum = ldexp(floor(ldexp(sum, 32 - low)), low - 32);
    return (float)ldexp(sum, place - 32);
}

static inline float o_mfma_half(const float *a, const float *b, size_t n, float c)
{
    for (size_t i = 0; i < n; i += 8)
        c = o_mfma_16(a + i, b + i, c);
    return c;
}

/* A lane has keys 4 g to 4 g + 3 of both halves of a tile of 32, g = lane / 16. */
static inline float o_lane_sum(const float *w, size_t g, int packed)
{
    const float *low = w + 4 * g, *high = low + 16;
    float x[2];
    if (!packed) { /* FlyDSL: one after the other */
        x[0] = 0;
        for (size_t i = 0; i < 8; i++)
            x[0] = o_add(x[0], i < 4 ? low[i] : high[i - 4]);
        return x[0];
    }
    for (size_t i = 0; i < 2; i++) /* v_pk_add_f32 */
        x[i] = o_add(o_add(low[i], low[i + 2]), o_add(high[i], high[i + 2]));
    return o_add(x[0], x[1]);
}

static inline void o_cdna3_part(const o_row *r, int packed, size_t first, size_t end, o_part *p)
{
    static float q[O_DIM], key[O_DIM], value[32], s[32];
    float c = o_mul(r->scale, o_mul(r->q_scale, r->k_scale)), inverse;
    memset(p, 0, sizeof *p);
    p->most = -INFINITY;
    for (size_t d = 0; d < r->dim; d++)
        q[d] = o_e4m3fnuz(o_mul(r->q[d], o_div(1, r->q_scale)));
    for (size_t at = first; at < end; at += 32) {
        float before = p->most, rescale, lane[4];
        for (size_t j = 0; j < 32; j++) {
            if (!o_takes(r, at + j) || at + j >= end)
                continue;
            for (size_t d = 0; d < r->dim; d++)
                key[d] = o_e4m3fnuz(r->k[(at + j) * r->dim + d]);
            s[j] = o_mul(o_mfma(q, key, r->dim, 0), c);
            p->most = o_max(p->most, s[j]);
        }
        rescale = before == -INFINITY ? 0 : o_exp2(o_mul(o_sub(before, p->most), O_LOG2E));
        for (size_t j = 0; j < 32; j++)
            s[j] = o_takes(r, at + j) && at + j < end ? o_exp2(o_mul(o_sub(s[j], p->most), O_LOG2E))
                                                      : 0;
        for (size_t g = 0; g < 4; g++)
            lane[g] = o_lane_sum(s, g, packed);
        /* lanes 32 apart, then 16 */
        p->sum = fmaf(rescale, p->sum, o_add(o_add(lane[0], lane[2]), o_add(lane[1], lane[3])));
        for (size_t j = 0; j < 32; j++)
            s[j] = o_e4m3fnuz(s[j]);
        for (size_t x = 0; x < r->columns; x++) {
            for (size_t j = 0; j < 32; j++)
                value[j] = o_takes(r, at + j) && at + j < end
                               ? o_e4m3fnuz(r->v[x * O_STRIDE + at + j])
                               : 0;
            p->out[x] = o_mfma(s, value, 32, o_mul(p->out[x], rescale));
        }
    }
    inverse = p->most == -INFINITY ? 0 : o_div(1, p->sum);
    for (size_t x = 0; x < r->columns; x++)
        p->out[x] = o_mul(p->out[x], o_mul(inverse, r->v_scale));
    p->lse = p->most == -INFINITY ? -INFINITY : o_add(p->most, o_log(p->sum));
}

static inline void o_cdna3(o_row *r, int packed, size_t splits)
{
    static o_part part[O_PARTS];
    size_t lo, each = o_each(r, 32, splits, &lo);
    for (size_t i = 0; i < splits; i++) {
        size_t first = o_least((lo + i * each) * 32, r->to);
        o_cdna3_part(r, packed, first, o_least((lo + (i + 1) * each) * 32, r->to), &part[i]);
    }
    o_join_parts_global(r, part, splits, 0, 0);
}

/* ---- AITER, unified_attention.py, and MSLK, splitk_kernels.py: Triton, scores to the base 2
 * ------
 */

static inline float o_dot_of(int mslk, const float *a, const float *b, size_t n, float c)
{
    return mslk ? o_sum(&o_hgmma, a, b, n, c) : o_mfma_half(a, b, n, c);
}

static inline void o_triton_base2(o_row *r, int mslk)
{
    enum { TILE_SIZE = 64 };
    static float q[O_DIM], key[O_DIM], value[TILE_SIZE], s[TILE_SIZE], tree[TILE_SIZE];
    float qk_scale = o_mul(o_mul(r->scale, O_LOG2E), r->q_scale), one_over_L;
    float M = r->has_sink ? o_mul(r->sink, O_LOG2E) : -INFINITY, L = r->has_sink ? 1 : 0;
    memset(r->out, 0, sizeof r->out);
    for (size_t d = 0; d < r->dim; d++)
        q[d] = o_half(r, r->q[d]);
    for (size_t at = r->from / TILE_SIZE * TILE_SIZE; at < r->to; at += TILE_SIZE) {
        float m_j = M, alpha;
        for (size_t j = 0; j < TILE_SIZE; j++) {
            if (!o_takes(r, at + j))
                continue;
            for (size_t d = 0; d < r->dim; d++)
                key[d] = o_half(r, o_mul(r->k[(at + j) * r->dim + d], r->k_scale));
            s[j] = o_mul(qk_scale, o_dot_of(mslk, q, key, r->dim, 0));
            m_j = o_max(m_j, s[j]);
        }
        alpha = M == -INFINITY ? 0 : o_exp2(o_sub(M, m_j));
        for (size_t j = 0; j < TILE_SIZE; j++)
            tree[j] = s[j] = o_takes(r, at + j) ? o_exp2(o_sub(s[j], m_j)) : 0;
        for (size_t half = TILE_SIZE / 2; half > 0; half /= 2)
            for (size_t i = 0; i < half; i++)
                tree[i] = o_add(tree[i], tree[i + half]);
        L = fmaf(L, alpha, tree[0]);
        M = m_j;
        for (size_t j = 0; j < TILE_SIZE; j++)
            s[j] = o_half(r, s[j]);
        for (size_t x = 0; x < r->columns; x++) {
            for (size_t j = 0; j < TILE_SIZE; j++)
                value[j] = o_takes(r, at + j)
                               ? o_half(r, o_mul(r->v[x * O_STRIDE + at + j], r->v_scale))
                               : 0;
            r->out[x] = o_dot_of(mslk, s, value, TILE_SIZE, o_mul(r->out[x], alpha));
        }
    }
    one_over_L = M == -INFINITY ? 0 : o_div(1, L);
    for (size_t x = 0; x < r->columns; x++)
        r->out[x] = mslk && L != 0 ? o_div(r->out[x], L) : o_mul(r->out[x], one_over_L);
    r->lse = M == -INFINITY ? -INFINITY : o_add(o_mul(M, 0x1.62e430p-1f), o_log(L));
}

/* ---- FlashInfer, cute_dsl/attention/roles: softmax.py, softmax_math.py, correction.py -----------
 */

static inline void o_cute(o_row *r)
{
    static float q[O_DIM], key[O_DIM], value[128], s[128];
    float row_max = -INFINITY, row_sum = 0, c = o_scale_log2(r, 1);
    memset(r->out, 0, sizeof r->out);
    for (size_t d = 0; d < r->dim; d++)
        q[d] = o_half(r, r->q[d]);
    for (size_t at = r->from / 128 * 128; at < r->to; at += 128) {
        float old = row_max, acc_scale, minus, sums[4][2] = {{0}};
        for (size_t j = 0; j < 128; j++) {
            if (!o_takes(r, at + j))
                continue;
            for (size_t d = 0; d < r->dim; d++)
                key[d] = o_half(r, o_mul(r->k[(at + j) * r->dim + d], r->k_scale));
            s[j] = o_sum(&o_hgmma, q, key, r->dim, 0);
            row_max = o_max(row_max, s[j]);
        }
        acc_scale = old == -INFINITY ? 0 : o_exp2(o_mul(c, o_sub(old, row_max)));
        minus = row_max == -INFINITY ? 0 : o_mul(-row_max, c);
        for (size_t j = 0; j < 128; j++)
            s[j] = o_takes(r, at + j) ? o_exp2(fmaf(s[j], c, minus)) : 0;
        sums[0][0] = sums[0][1] = o_mul(row_sum, o_mul(acc_scale, 0.5f));
        for (size_t j = 0; j < 128; j++)
            sums[j / 32][j % 2] = o_add(sums[j / 32][j % 2], s[j]);
        for (size_t i = 0; i < 2; i++)
            sums[0][i] = o_add(o_add(sums[0][i], sums[1][i]), o_add(sums[2][i], sums[3][i]));
        row_sum = o_add(sums[0][0], sums[0][1]);
        for (size_t j = 0; j < 128; j++)
            s[j] = o_half(r, s[j]);
        for (size_t x = 0; x < r->columns; x++) {
            for (size_t j = 0; j < 128; j++)
                value[j] = o_takes(r, at + j)
                               ? o_half(r, o_mul(r->v[x * O_STRIDE + at + j], r->v_scale))
                               : 0;
            r->out[x] = o_sum(&o_hgmma, s, value, 128, o_mul(r->out[x], acc_scale));
        }
    }
    for (size_t x = 0; x < r->columns && row_max != -INFINITY; x++)
        r->out[x] = o_mul(r->out[x], o_div(1, row_sum));
    r->lse = row_max == -INFINITY ? -INFINITY : o_add(o_log2(row_sum), o_mul(c, row_max));
}

/* ---- vLLM, triton_decode_attention.py; SGLang, extend_attention.py ----------------------------
 */

/* Parts of cdiv(cur_batch_seq_len, NUM_KV_SPLITS) keys; the tiles of a part begin with it. */
static inline void o_vllm_decode(o_row *r, size_t splits)
{
    static o_part part;
    size_t each = (r->to + splits - 1) / splits;
    float e_sum = 0, e_max = -INFINITY;
    memset(r->out, 0, sizeof r->out);
    for (size_t i = 0; i < splits; i++) {
        size_t first = o_least(i * each, r->to), end = o_least(first + each, r->to);
        if (r->from > first && r->from < end) /* windows: the tile with the first key */
            first += (r->from - first) / 32 * 32;
        if (end <= first || r->from >= end)
            continue;
        o_sglang_part(r, 0, first, end, 32, &part);
        o_sglang_add(r, &part, &e_max, &e_sum);
    }
    for (size_t x = 0; x < r->columns && e_max != -INFINITY; x++) {
        r->out[x] = splits > 1 ? o_div(r->out[x], e_sum) : r->out[x];
        r->out[x] = o_mul(r->out[x], r->v_scale);
    }
    r->lse = splits == 1 && e_max != -INFINITY ? part.lse
             : e_max == -INFINITY              ? -INFINITY
                                               : o_add(e_max, o_log(e_sum));
}

/* The kernel of one stage: BLOCK_N 64, and the sink after the last tile. */
static inline void o_sglang_extend(o_row *r)
{
    static o_part part;
    float sum;
    o_sglang_part(r, 0, r->from / 64 * 64, r->to, 64, &part);
    if (part.most == -INFINITY && !r->has_sink) {
        memset(r->out, 0, sizeof r->out);
        r->lse = -INFINITY;
        return;
    }
    sum = r->has_sink ? o_add(part.sum, o_sglang_exp(o_sub(r->sink, part.most))) : part.sum;
    for (size_t x = 0; x < r->columns; x++)
        r->out[x] = o_mul(o_div(part.acc[x], sum), r->v_scale);
    r->lse = o_add(part.most, o_log(sum));
}

#endif
