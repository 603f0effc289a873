/* SPDX-License-Identifier: MIT */
/* attend_order_ref.h -- a second implementation of attention in the orders of other stacks: in
 * float and double, without anything of the library
 *
 * Written from docs/spec/attend/orders.md and from the sources of the stacks, with a function
 * for each family of kernels.
 */
#ifndef SF8_TEST_ATTEND_ORDER_REF_H
#define SF8_TEST_ATTEND_ORDER_REF_H

#include "attend/attend_order_2026.h"

/* ---- FlashAttention-3 ------------------------------------------------------------------------ */

typedef struct o_fa {
    int fp8, two;
    size_t tile;
    size_t promote;       /* tiles */
    float offset, lag;    /* lag 0: each new maximum counts */
    int rounded, ascends; /* sums of rounded weights */
    float factor;         /* of weights before they are rounded */
} o_fa;

static inline float o_fa_weight(const o_row *r, const o_fa *f, float w)
{
    return f->fp8 ? o_e4m3(w) : o_half(r, w);
}

static inline float o_fa_operand(const o_row *r, const o_fa *f, float x, float scale)
{
    return f->fp8 ? o_e4m3(x) : o_half(r, o_mul(x, scale));
}

static inline void o_fa_part(const o_row *r, const o_fa *f, size_t first, size_t end, o_part *p)
{
    static float q[O_DIM], key[O_DIM], value[512], s[512], w[512], level[O_DIM];
    const o_unit *unit = f->fp8 ? &o_qgmma : &o_hgmma;
    float sums[4] = {0}, inverse;
    float k_scale = f->fp8 ? r->k_scale : 1, c = o_scale_log2(r, k_scale);
    size_t tiles = end > first ? (end - first + f->tile - 1) / f->tile : 0;
    memset(p, 0, sizeof *p);
    p->most = -INFINITY;
    for (size_t d = 0; d < r->dim; d++)
        q[d] = f->fp8 ? o_e4m3(o_mul(r->q[d], o_div(1, r->q_scale))) : o_half(r, r->q[d]);
    for (size_t i = 0; i < tiles; i++) {
        size_t at = first + (f->ascends ? i : tiles - 1 - i) * f->tile;
        float before = p->most, alpha;
        for (size_t j = 0; j < f->tile; j++) {
            if (!o_takes(r, at + j))
                continue;
            for (size_t d = 0; d < r->dim; d++)
                key[d] = o_fa_operand(r, f, r->k[(at + j) * r->dim + d], r->k_scale);
            s[j] = o_capped_product(r, o_sum(unit, q, key, r->dim, 0), k_scale);
            p->most = o_max(p->most, s[j]);
        }
        alpha = before == -INFINITY ? 0 : o_exp2(o_mul(o_sub(before, p->most), c));
        if (before != -INFINITY && f->lag > 0 && o_mul(o_sub(before, p->most), c) >= -f->lag) {
            p->most = before;
            alpha = 1;
        }
        for (int l = 0; l < 4; l++)
            sums[l] = o_mul(sums[l], alpha);
        for (size_t j = 0; j < f->tile; j++) {
            float less = p->most == -INFINITY ? 0 : fmaf(p->most, c, -f->offset);
            w[j] = o_takes(r, at + j) ? o_exp2(fmaf(s[j], c, -less)) : 0;
            sums[j / 2 % 4] = o_add(sums[j / 2 % 4], f->rounded ? o_fa_weight(r, f, w[j]) : w[j]);
            w[j] = o_fa_weight(r, f, f->factor > 1 ? o_mul(w[j], f->factor) : w[j]);
        }
        for (size_t x = 0; x < r->columns; x++) {
            float acc = o_mul(p->out[x], alpha);
            for (size_t j = 0; j < f->tile; j++)
                value[j] = o_fa_operand(r, f, r->v[x * O_STRIDE + at + j], r->v_scale);
            if (!f->two || i < f->promote) {
                p->out[x] = o_sum(unit, w, value, f->tile, acc);
                continue;
            }
            level[x] = i % f->promote ? o_mul(level[x], alpha) : 0;
            level[x] = o_sum(unit, w, value, f->tile, level[x]);
            p->out[x] = i + 1 == tiles || (i + 1) % f->promote == 0 ? o_add(level[x], acc) : acc;
        }
    }
    p->sum = o_add(o_add(sums[0], sums[2]), o_add(sums[1], sums[3]));
    if (r->has_sink && r->part == 0) { /* softmax.h finalize_aux */
        p->most = p->most == -INFINITY ? 0 : p->most;
        p->sum = o_add(p->sum, o_exp2(fmaf(O_LOG2E, r->sink, -fmaf(p->most, c, -f->offset))));
    }
    inverse = p->sum == 0 || isnan(p->sum) ? 0 : o_div(1, p->sum);
    if (f->fp8)
        inverse = o_mul(inverse, r->v_scale);
    for (size_t x = 0; x < r->columns; x++)
        p->out[x] = o_mul(o_mul(p->out[x], inverse), o_div(1, f->factor));
    p->lse = p->sum == 0 || isnan(p->sum)
                 ? -INFINITY
                 : fmaf(p->most, o_mul(c, 0x1.62e430p-1f), o_log(ldexpf(p->sum, -(int)f->offset)));
}

/* Splits of the tiles, and flash_fwd_combine_kernel.h. */
static inline void o_fa3_of(o_row *r, const o_fa *f, size_t splits)
{
    static o_part part[O_PARTS];
    size_t lo = r->from / f->tile, hi = (r->to + f->tile - 1) / f->tile, each;
    float most = -INFINITY, weight[O_PARTS], sum = 0;
    hi = hi < lo ? lo : hi;
    each = (hi - lo + splits - 1) / splits;
    for (size_t i = 0; i < splits; i++) {
        size_t first = (lo + i * each) * f->tile, end = (lo + (i + 1) * each) * f->tile;
        r->part = i;
        o_fa_part(r, f, first, end < r->to ? end : r->to, &part[i]);
        most = o_max(most, part[i].lse);
    }
    memcpy(r->out, part[0].out, sizeof r->out);
    r->lse = part[0].lse;
    if (splits == 1)
        return;
    for (size_t i = 0; i < splits; i++) {
        weight[i] = o_exp(o_sub(part[i].lse, most == -INFINITY ? 0 : most));
        sum = o_add(sum, weight[i]);
    }
    o_join_parts(r, part, weight, splits, sum);
    r->lse = o_add(o_log(sum), most);
}

static inline void o_fa3(o_row *r, int fp8, int two, size_t splits)
{
    const o_fa f = {fp8, two, fp8 ? 160 : 128, 1, fp8 ? 8 : 0, 0, 0, 0, 1};
    o_fa3_of(r, &f, splits);
}

/* vLLM's tile_size.h: 96 keys if one warp group has all queries. */
static inline void o_fa3_vllm(o_row *r, size_t splits)
{
    const o_fa f = {1, 1, r->queries == 1 ? 96 : 192, 1, 8, 0, 0, 0, 1};
    o_fa3_of(r, &f, splits);
}

/* Softmax as such, in e4m3: the weights of all keys are divided by their sum, times `factor`. */
static inline void o_softmax(o_row *r, float factor)
{
    static float q[O_DIM], key[O_DIM], value[O_STRIDE], w[O_STRIDE];
    float c = o_mul(r->scale, o_mul(r->q_scale, r->k_scale)), most = -INFINITY, sum = 0, inverse;
    size_t n = (r->to + 63) / 64 * 64;
    for (size_t d = 0; d < r->dim; d++)
        q[d] = o_e4m3(o_mul(r->q[d], o_div(1, r->q_scale)));
    for (size_t j = 0; j < r->to; j++) {
        for (size_t d = 0; d < r->dim; d++)
            key[d] = o_e4m3(r->k[j * r->dim + d]);
        w[j] = o_mul(o_sum(&o_qgmma, q, key, r->dim, 0), c);
        most = o_max(most, w[j]);
    }
    for (size_t j = 0; j < n; j++) {
        w[j] = j < r->to ? o_exp2(o_mul(o_sub(w[j], most), O_LOG2E)) : 0;
        sum = o_add(sum, w[j]);
    }
    inverse = o_div(1, sum);
    for (size_t j = 0; j < n; j++)
        w[j] = o_e4m3(o_mul(o_mul(w[j], inverse), factor));
    for (size_t x = 0; x < r->columns; x++) {
        for (size_t j = 0; j < n; j++)
            value[j] = j < r->to ? o_e4m3(r->v[x * O_STRIDE + j]) : 0;
        r->out[x] = o_mul(o_mul(o_sum(&o_qgmma, w, value, n, 0), o_div(1, factor)), r->v_scale);
    }
    r->lse = o_add(most, o_log(sum));
}

/* ---- merge_attn_states.cu -------------------------------------------------------------------- */

static inline void o_merge(o_row *r, const o_part *a, const o_part *b)
{
    float m = o_max(a->lse, b->lse), pa, pb, sum;
    if (m == -INFINITY) {
        memcpy(r->out, a->out, sizeof r->out);
        r->lse = -INFINITY;
        return;
    }
    pa = o_exp(o_sub(a->lse, m));
    pb = o_exp(o_sub(b->lse, m));
    sum = o_add(pa, pb);
    for (size_t x = 0; x < r->columns; x++)
        r->out[x] = fmaf(a->out[x], o_div(pa, sum), o_mul(b->out[x], o_div(pb, sum)));
    r->lse = o_add(o_log(sum), m);
}

static inline void o_cascade(o_row *r, size_t prefix)
{
    static o_part a, b;
    const o_fa f = {0, 0, 128, 1, 0, 0, 0, 0, 1};
    size_t cut = prefix < r->to ? prefix : r->to;
    r->end = cut;
    o_fa_part(r, &f, 0, cut, &a);
    r->end = 0;
    o_fa_part(r, &f, cut, r->to, &b);
    for (size_t x = 0; x < r->columns; x++) {
        a.out[x] = o_half(r, a.out[x]);
        b.out[x] = o_half(r, b.out[x]);
    }
    o_merge(r, &a, &b);
}

/* ---- FlashInfer ------------------------------------------------------------------------------ */

static inline void o_flashinfer_part(const o_row *r, size_t first, size_t end, o_part *p)
{
    static float q[O_DIM], key[O_DIM], value[64], s[64], w[64], ones[64];
    float c = o_mul(o_scale(r, r->k_scale), O_LOG2E), top, scale = 1;
    memset(p, 0, sizeof *p);
    p->most = -INFINITY;
    for (size_t d = 0; d < r->dim; d++)
        q[d] = o_half(r, r->q[d]);
    for (size_t at = first; at < end; at += 64) {
        float before = p->most, alpha;
        for (size_t j = 0; j < 64; j++) {
            ones[j] = 1;
            if (!o_takes(r, at + j))
                continue;
            for (size_t d = 0; d < r->dim; d++)
                key[d] = o_half(r, r->k[(at + j) * r->dim + d]);
            s[j] = o_capped_product(r, o_sum(&o_hgmma, q, key, r->dim, 0), r->k_scale);
            p->most = o_max(p->most, s[j]);
        }
        alpha = before == -INFINITY ? 0 : o_exp2(fmaf(before, c, -o_mul(p->most, c)));
        for (size_t j = 0; j < 64; j++)
            w[j] = o_takes(r, at + j) ? o_half(r, o_exp2(fmaf(s[j], c, -o_mul(p->most, c)))) : 0;
        p->sum = o_sum(&o_hgmma, w, ones, 64, o_mul(p->sum, alpha));
        for (size_t x = 0; x < r->columns; x++) {
            for (size_t j = 0; j < 64; j++)
                value[j] = o_takes(r, at + j) ? o_half(r, r->v[x * O_STRIDE + at + j]) : 0;
            p->out[x] = o_sum(&o_hgmma, w, value, 64, o_mul(p->out[x], alpha));
        }
    }
    top = p->most == -INFINITY ? -INFINITY : o_mul(p->most, c);
    if (r->has_sink && r->part == 0) { /* jit/attention/variants.py AttentionSink, fa2 */
        float sink = o_mul(r->sink, O_LOG2E), m = o_max(top, sink);
        scale = o_exp2(o_sub(top, m));
        p->sum = fmaf(p->sum, scale, o_exp2(o_sub(sink, m)));
        top = m;
    }
    for (size_t x = 0; x < r->columns; x++)
        p->out[x] = o_mul(o_mul(p->out[x], scale), top == -INFINITY ? 0 : o_div(1, p->sum));
    p->lse = top == -INFINITY ? -INFINITY : o_add(o_log2(p->sum), top);
}

/* cascade.cuh: states of largest, sum and output, one part after the other. */
static inline void o_flashinfer(o_row *r, size_t splits)
{
    static o_part p;
    size_t lo = r->from / 64, hi = (r->to + 63) / 64, each;
    float m = -INFINITY, d = 1;
    hi = hi < lo ? lo : hi;
    each = (hi - lo + splits - 1) / splits;
    memset(r->out, 0, sizeof r->out);
    for (size_t i = 0; i < splits; i++) {
        size_t first = (lo + i * each) * 64, end = (lo + (i + 1) * each) * 64;
        float larger, old, new;
        r->part = i;
        o_flashinfer_part(r, first, end < r->to ? end : r->to, &p);
        larger = o_max(m, p.lse);
        old = o_exp2(o_max(o_sub(m, larger), -INFINITY));
        new = o_exp2(o_max(o_sub(p.lse, larger), -INFINITY));
        d = fmaf(d, old, new);
        for (size_t x = 0; x < r->columns; x++)
            r->out[x] = fmaf(r->out[x], old, o_mul(p.out[x], new));
        m = larger;
    }
    for (size_t x = 0; x < r->columns; x++)
        r->out[x] = splits == 1 ? p.out[x] : d == 0 ? 0 : o_div(r->out[x], d);
    for (size_t x = 0; x < r->columns; x++)
        r->out[x] = o_half(r, o_mul(o_half(r, r->out[x]), r->v_scale));
    r->lse = splits == 1 ? p.lse : o_add(o_log2(d), m);
}

/* ---- Triton ---------------------------------------------------------------------------------- */

static inline float o_tree(float *w, size_t n)
{
    for (size_t half = n / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            w[i] = o_add(w[i], w[i + half]);
    return w[0];
}

static inline float o_base_e(float x)
{
    return o_exp2(o_mul(x, O_LOG2E));
}

static inline void o_triton_part(const o_row *r, size_t first, size_t end, size_t tile, o_part *p)
{
    static float q[O_DIM], key[O_DIM], value[32], s[32], w[32], tree[32];
    float c = o_mul(r->scale, o_mul(r->q_scale, 1));
    memset(p, 0, sizeof *p);
    p->most = r->has_sink && r->part == 0 ? r->sink : -INFINITY; /* init_softmax_M */
    p->sum = 1;
    for (size_t d = 0; d < r->dim; d++)
        q[d] = o_half(r, r->q[d]);
    for (size_t at = first; at < end; at += tile) {
        float before = p->most, alpha;
        for (size_t j = 0; j < tile; j++) {
            if (!o_takes(r, at + j))
                continue;
            for (size_t d = 0; d < r->dim; d++)
                key[d] = o_half(r, o_mul(r->k[(at + j) * r->dim + d], r->k_scale));
            s[j] = o_capped_score(r, o_mul(o_sum(&o_hgmma, q, key, r->dim, 0), c));
            p->most = o_max(p->most, s[j]);
        }
        alpha = before == -INFINITY ? 0 : o_base_e(o_sub(before, p->most));
        for (size_t j = 0; j < tile; j++)
            tree[j] = w[j] = o_takes(r, at + j) ? o_base_e(o_sub(s[j], p->most)) : 0;
        p->sum = fmaf(p->sum, alpha, o_tree(tree, tile));
        for (size_t j = 0; j < tile; j++)
            w[j] = o_half(r, w[j]);
        for (size_t x = 0; x < r->columns; x++) {
            for (size_t j = 0; j < tile; j++)
                value[j] = o_takes(r, at + j)
                               ? o_half(r, o_mul(r->v[x * O_STRIDE + at + j], r->v_scale))
                               : 0;
            p->out[x] = o_sum(&o_hgmma, w, value, tile, o_mul(p->out[x], alpha));
        }
    }
}

static inline void o_triton(o_row *r, int segments, size_t tile)
{
    static o_part part[16];
    float most = -INFINITY, sum, room[16], factor[16];
    size_t size = (r->keys + 16 * tile - 1) / (16 * tile) * tile;
    if (!segments) {
        o_triton_part(r, r->from / tile * tile, r->to, tile, &part[0]);
        for (size_t x = 0; x < r->columns; x++)
            r->out[x] = o_div(part[0].out[x], part[0].sum);
        r->lse = o_add(part[0].most, o_log(part[0].sum));
        return;
    }
    for (size_t i = 0; i < 16; i++) {
        size_t first = i * size, end = first + size < r->to ? first + size : r->to;
        if (r->from > first)
            first = first + (r->from - first) / tile * tile;
        r->part = i;
        o_triton_part(r, first, end, tile, &part[i]);
        most = o_max(most, part[i].most);
    }
    for (size_t i = 0; i < 16; i++) {
        factor[i] = part[i].most == -INFINITY ? 0 : o_base_e(o_sub(part[i].most, most));
        room[i] = o_mul(part[i].sum, factor[i]);
    }
    sum = o_tree(room, 16);
    for (size_t x = 0; x < r->columns; x++) {
        for (size_t i = 0; i < 16; i++)
            room[i] = o_mul(part[i].out[x], factor[i]);
        r->out[x] = sum == 0 ? 0 : o_div(o_tree(room, 16), sum);
    }
    r->lse = o_add(most, o_log(sum));
}

/* ---- PagedAttention -------------------------------------------------------------------------- */

static inline float o_block_sum(float *lane)
{
    for (size_t warp = 0; warp < 4; warp++)
        lane[warp] = o_tree(lane + 32 * warp, 32);
    return o_tree(lane, 4);
}

static inline void o_paged_part(const o_row *r, size_t first, size_t end, o_part *p)
{
    static float w[O_STRIDE];
    float lane[128] = {0}, c = o_mul(r->scale, r->q_scale), inverse;
    memset(p, 0, sizeof *p);
    p->most = -INFINITY;
    for (size_t j = first; j < end; j++) {
        float acc[8] = {0}; /* thread 0 has elements 0 to 3, 8 to 11, ..., thread 1 the others */
        for (size_t d = 0; d < r->dim; d++)
            acc[d % 8] = fmaf(o_half(r, r->q[d]),
                              o_half(r, o_mul(r->k[j * r->dim + d], r->k_scale)), acc[d % 8]);
        acc[0] = o_add(o_add(o_add(acc[0], acc[1]), acc[2]), acc[3]);
        acc[4] = o_add(o_add(o_add(acc[4], acc[5]), acc[6]), acc[7]);
        w[j] = o_mul(o_add(acc[0], acc[4]), c);
        p->most = o_max(p->most, w[j]);
    }
    for (size_t j = first; j < end; j++) {
        w[j] = o_base_e(o_sub(w[j], p->most));
        lane[(j - first) % 128] = o_add(lane[(j - first) % 128], w[j]);
    }
    p->sum = o_block_sum(lane);
    inverse = o_div(1, o_add(p->sum, 1e-6f));
    for (size_t x = 0; x < r->columns; x++) {
        float acc[4][2] = {{0}};
        for (size_t at = first; at < end; at += 8) {
            float product[8];
            float *to = &acc[(at - first) / 16 % 4][(at - first) / 8 % 2];
            for (size_t i = 0; i < 8; i++)
                product[i] = at + i < end
                                 ? o_half(r, o_mul(o_half(r, o_mul(w[at + i], inverse)),
                                                   o_half(r, o_mul(r->v[x * O_STRIDE + at + i],
                                                                   r->v_scale))))
                                 : 0;
            *to = o_add(*to, o_add(o_add(o_add(o_add(product[0], product[1]),
                                               o_add(product[2], product[3])),
                                         o_add(product[4], product[5])),
                                   o_add(product[6], product[7])));
        }
        for (size_t i = 0; i < 4; i++)
            acc[i][0] = o_add(acc[i][0], acc[i][1]);
        p->out[x] = o_half(r, o_add(o_add(acc[0][0], acc[2][0]), o_add(acc[1][0], acc[3][0])));
    }
}

static inline void o_paged(o_row *r, int two)
{
    static o_part part[O_PARTS];
    float most = -INFINITY, lane[128] = {0}, inverse, sum;
    size_t n = two && r->to > 512 ? (r->to + 511) / 512 : 1;
    for (size_t i = 0; i < n; i++) {
        size_t end = two && (i + 1) * 512 < r->to ? (i + 1) * 512 : r->to;
        o_paged_part(r, i * 512, end, &part[i]);
        most = o_max(most, part[i].most);
    }
    memcpy(r->out, part[0].out, sizeof r->out);
    r->lse = o_add(most, o_log(part[0].sum));
    if (n == 1)
        return;
    for (size_t i = 0; i < n; i++) {
        part[i].sum = o_mul(part[i].sum, o_exp(o_sub(part[i].most, most)));
        lane[i % 128] = o_add(lane[i % 128], part[i].sum);
    }
    sum = o_block_sum(lane);
    inverse = o_div(1, o_add(sum, 1e-6f));
    memset(r->out, 0, sizeof r->out);
    for (size_t i = 0; i < n; i++)
        for (size_t x = 0; x < r->columns; x++)
            r->out[x] = fmaf(o_mul(part[i].out[x], part[i].sum), inverse, r->out[x]);
    r->lse = o_add(most, o_log(sum));
}

/* ---- f32 ------------------------------------------------------------------------------------- */

static inline void o_f32_part(const o_row *r, size_t first, size_t end, o_part *p)
{
    static float s[128];
    float c = o_mul(r->scale, r->q_scale);
    memset(p, 0, sizeof *p);
    p->most = -INFINITY;
    p->sum = 1;
    for (size_t at = first; at < end; at += 128) {
        float before = p->most, alpha;
        for (size_t j = 0; j < 128; j++) {
            s[j] = 0;
            for (size_t d = 0; d < r->dim && o_takes(r, at + j); d++)
                s[j] = fmaf(r->q[d], o_mul(r->k[(at + j) * r->dim + d], r->k_scale), s[j]);
            s[j] = o_capped_score(r, o_mul(s[j], c));
            if (o_takes(r, at + j))
                p->most = o_max(p->most, s[j]);
        }
        alpha = before == -INFINITY ? 0 : o_base_e(o_sub(before, p->most));
        p->sum = o_mul(p->sum, alpha);
        for (size_t x = 0; x < r->columns; x++)
            p->out[x] = o_mul(p->out[x], alpha);
        for (size_t j = 0; j < 128; j++) {
            float w = o_base_e(o_sub(s[j], p->most));
            if (!o_takes(r, at + j))
                continue;
            p->sum = o_add(p->sum, w);
            for (size_t x = 0; x < r->columns; x++)
                p->out[x] = fmaf(w, o_mul(r->v[x * O_STRIDE + at + j], r->v_scale), p->out[x]);
        }
    }
    if (r->has_sink && r->part == 0) { /* one more key */
        float m = o_max(p->most, r->sink), old = o_base_e(o_sub(p->most, m));
        p->sum = fmaf(p->sum, old, o_base_e(o_sub(r->sink, m)));
        p->most = m;
        for (size_t x = 0; x < r->columns; x++)
            p->out[x] = o_mul(p->out[x], old);
    }
    for (size_t x = 0; x < r->columns; x++)
        p->out[x] = o_div(p->out[x], p->sum);
    p->lse = p->most == -INFINITY ? -INFINITY : o_add(p->most, o_log(p->sum));
}

/* Parts joined by merge_attn_states.cu, the result so far with the next. */
static inline void o_f32(o_row *r, int half, size_t splits)
{
    static o_part part, all;
    size_t lo = r->from / 128, hi = (r->to + 127) / 128, each;
    hi = hi < lo ? lo : hi;
    each = (hi - lo + splits - 1) / splits;
    for (size_t i = 0; i < splits; i++) {
        size_t first = (lo + i * each) * 128, end = (lo + (i + 1) * each) * 128;
        r->part = i;
        o_f32_part(r, first, end < r->to ? end : r->to, &part);
        for (size_t x = 0; x < r->columns && half; x++)
            part.out[x] = o_half(r, part.out[x]);
        if (i == 0) {
            memcpy(r->out, part.out, sizeof r->out);
            r->lse = part.lse;
            continue;
        }
        memcpy(all.out, r->out, sizeof r->out);
        all.lse = r->lse;
        o_merge(r, &all, &part);
    }
}

/* By the name of an order. */
static inline void o_run(o_row *r, const char *name, size_t cut)
{
    if (strcmp(name, "fa3-fp8-vllm") == 0)
        o_fa3_vllm(r, cut);
    else if (strncmp(name, "fa3", 3) == 0)
        o_fa3(r, strstr(name, "fp8") != NULL, strstr(name, "two") != NULL, cut);
    else if (strcmp(name, "torch-flash-cpu") == 0)
        o_torch_flash_cpu(r);
    else if (strncmp(name, "fa2", 3) == 0 || strcmp(name, "torch-flash") == 0)
        o_fa2(r, strstr(name, "split") ? 128 : 64, name[0] == 't', strstr(name, "split") ? cut : 1);
    else if (strncmp(name, "flashmla", 8) == 0)
        o_flashmla(r, strstr(name, "sparse") != NULL, cut);
    else if (strcmp(name, "aiter-mla") == 0 || strcmp(name, "flydsl-mla") == 0)
        o_cdna3(r, name[0] == 'a', cut);
    else if (strcmp(name, "aiter-triton") == 0 || strcmp(name, "mslk-splitk") == 0)
        o_triton_base2(r, name[0] == 'm');
    else if (strcmp(name, "flashinfer-cute") == 0)
        o_cute(r);
    else if (strcmp(name, "vllm-triton-decode") == 0)
        o_vllm_decode(r, cut);
    else if (strcmp(name, "sglang-extend") == 0)
        o_sglang_extend(r);
    else if (strcmp(name, "cascade-bf16") == 0)
        o_cascade(r, cut);
    else if (strcmp(name, "flashinfer") == 0)
        o_flashinfer(r, cut);
    else if (strncmp(name, "vllm-triton", 11) == 0)
        o_triton(r, strstr(name, "3d") != NULL, strstr(name, "16") ? 16 : 32);
    else if (strncmp(name, "fa4", 3) == 0)
        o_fa4(r, strstr(name, "fp8") != NULL, cut);
    else if (strcmp(name, "cudnn-sm100") == 0)
        o_cudnn(r);
    else if (strcmp(name, "torch-math") == 0)
        o_torch(r);
    else if (strcmp(name, "llama-cpp") == 0)
        o_llama(r);
    else if (strncmp(name, "sglang", 6) == 0)
        o_sglang(r, strstr(name, "fp8") != NULL, cut);
    else if (strncmp(name, "paged", 5) == 0)
        o_paged(r, strstr(name, "v2") != NULL);
    else
        o_f32(r, strstr(name, "bf16") != NULL, cut);
}

#endif
