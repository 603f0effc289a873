/* SPDX-License-Identifier: MIT */
/* attend.h -- what the tests of attention share: requests of every kind, and a slow reference
 *
 * The reference is written from docs/spec/attend/attention.md, in float, one operation a function.
 * It reads the bytes of a cache by formulas of its own, and takes from the library the sums of the
 * matrix unit alone, which have their own proof.
 */
#ifndef SF8_TEST_ATTEND_H
#define SF8_TEST_ATTEND_H

#include "kv/kv.h"
#include "softfp8_attend.h"
#include "softfp8_f32.h"
#include "softfp8_mma.h"

#include <math.h>

/* ---- caches ---------------------------------------------------------------------------------- */

typedef struct cache_kind {
    const char *name, *recipe;
    sf8_format words; /* where there is no recipe */
    uint32_t bits;
    uint32_t group;      /* 0: none; 1: the row; else elements */
    uint32_t scale_bits; /* of a group */
} cache_kind;

enum {
    F16_CACHE,
    BF16_CACHE,
    F32_CACHE,
    E4M3_CACHE,
    E5M2_CACHE,
    NVFP4_CACHE,
    MXFP4_CACHE,
    FP8_ROW_CACHE,
    INT8_ROW_CACHE,
    INT4_ROW_CACHE,
    FNUZ_CACHE,
    CACHES
};

static inline cache_kind cache_of(int kind)
{
    const cache_kind kinds_of[CACHES] = {
        {"f16", NULL, SF8_F16, 16, 0, 0},
        {"bf16", NULL, SF8_BF16, 16, 0, 0},
        {"f32", NULL, SF8_F32, 32, 0, 0},
        {"e4m3", "kv-vllm", SF8_F32, 8, 0, 0},
        {"e5m2", "kv-vllm-e5m2", SF8_F32, 8, 0, 0},
        {"nvfp4", "nvfp4-flashinfer-append", SF8_F32, 4, 16, 8},
        {"mxfp4", "mxfp4-even", SF8_F32, 4, 32, 8},
        {"fp8 rows", "fp8-per-token-head", SF8_F32, 8, 1, 32},
        {"int8 rows", "int8-per-token-head", SF8_F32, 8, 1, 32},
        {"int4 rows", "int4-per-token-head", SF8_F32, 4, 1, 32},
        {"e4m3fnuz", "kv-vllm-rocm", SF8_F32, 8, 0, 0},
    };
    cr_assert(kind >= 0 && kind < CACHES);
    return kinds_of[kind];
}

/* ---- requests -------------------------------------------------------------------------------- */

enum {
    SIDE_MOST = 1 << 22, /* bytes of an image */
    SCALES_MOST = 1 << 19,
    WORDS_MOST = 1 << 18, /* of queries, of results */
    ROWS_MOST = 1 << 12,
    BLOCKS_MOST = 1 << 13
};

typedef struct side {
    uint8_t data[SIDE_MOST], scales[SCALES_MOST];
    uint32_t scale[16];
    sf8_recipe recipe;
    cache_kind kind;
    int order; /* NHD, HND, X_PACKED */
    shape s;
} side;

/* A request, and what it points to. */
typedef struct request {
    sf8_attend a;
    side k, v;
    int64_t blocks[BLOCKS_MOST];
    uint32_t q_scale[16], sinks[64];
    uint16_t q16[WORDS_MOST];
    uint32_t q32[WORDS_MOST];
    uint32_t out[WORDS_MOST], lse[ROWS_MOST];
} request;

typedef struct sizes {
    size_t keys, queries, heads, kv_heads, dim, columns, slots;
} sizes;

static inline float normal(float most)
{
    float sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (float)(int32_t)pseudo_random() * 0x1p-33f;
    return sum * most;
}

/* Codes that are numbers. */
static inline void fill_side(side *s, int kind, int order, sizes z, size_t blocks, size_t dim)
{
    sf8_kv_layout l;
    s->kind = cache_of(kind);
    s->order = s->kind.bits == 4 || (order == X_PACKED && dim * s->kind.bits % 128 != 0) ? NHD
                                                                                         : order;
    s->s = (shape){blocks, z.slots, z.kv_heads, dim, s->kind.bits};
    l = layout_of(s->order, &s->s);
    cr_assert(sf8_kv_size(&l) <= SIDE_MOST);
    for (size_t i = 0; i < sf8_kv_size(&l) / (s->kind.bits < 8 ? 1 : s->kind.bits / 8); i++) {
        uint32_t word = sf8_f32_bits(normal(2));
        uint16_t half;
        if (kind == F32_CACHE) {
            memcpy(s->data + 4 * i, &word, 4);
        } else if (kind == BF16_CACHE || kind == F16_CACHE) {
            half = kind == BF16_CACHE
                       ? (uint16_t)(word >> 16)
                       : (uint16_t)sf8_convert(SF8_F16, SF8_F32, word, SF8_OCP_NOSAT);
            memcpy(s->data + 2 * i, &half, 2);
        } else if (kind == E4M3_CACHE || kind == FP8_ROW_CACHE) {
            s->data[i] = (uint8_t)sf8_convert(SF8_E4M3, SF8_F32, word, SF8_OCP);
        } else if (kind == FNUZ_CACHE) {
            s->data[i] = (uint8_t)sf8_convert(SF8_E4M3FNUZ, SF8_F32, word, SF8_OCP);
        } else if (kind == E5M2_CACHE) {
            s->data[i] = (uint8_t)sf8_convert(SF8_E5M2, SF8_F32, word, SF8_OCP);
        } else {
            s->data[i] = (uint8_t)pseudo_random();
        }
    }
    for (size_t i = 0; i < SCALES_MOST; i++)
        s->scales[i] = kind == NVFP4_CACHE ? (uint8_t)(0x20 + pseudo_random() % 0x20)
                                           : (uint8_t)(0x7c + pseudo_random() % 4);
    for (size_t i = 0; s->kind.scale_bits == 32 && i < SCALES_MOST / 4; i++) {
        uint32_t word = sf8_f32_bits((float)(1 + pseudo_random() % 1000) * 0x1p-12f);
        word |= pseudo_random() & 15; /* where INT4 has its offset */
        memcpy(s->scales + 4 * i, &word, 4);
    }
    for (size_t i = 0; i < COUNT(s->scale); i++)
        s->scale[i] = sf8_f32_bits((float)(1 + pseudo_random() % 1000) * 0x1p-9f);
}

static inline void cache_begin(sf8_attend_cache *c, side *s)
{
    sf8_kv_layout l = layout_of(s->order, &s->s);
    if (s->kind.group)
        l = sf8_kv_with_scales(l, s->kind.group == 1 ? s->s.dim : s->kind.group, s->kind.scale_bits,
                               s->order == HND);
    c->image = image_of(&l, s->data, s->scales);
    cr_assert(c->image.scales_size <= SCALES_MOST);
    c->words = s->kind.words;
    c->recipe = NULL;
    if (s->kind.recipe) {
        sf8_status status = sf8_recipe_named(&s->recipe, s->kind.recipe);
        cr_assert(status == SF8_OK, "%s", s->kind.recipe);
        c->recipe = &s->recipe;
    }
    c->scale = s->scale;
    c->scales = (size_t)s->s.heads;
}

/* A request over blocks in no order. Queries are elements of format `words`, at the last positions
 * of the keys. */
static inline void request_begin(request *r, sizes z, int kind, int order, sf8_attend_sums sums,
                                 sf8_format words)
{
    size_t needed = (z.keys + z.slots - 1) / z.slots, blocks = needed + 3;
    memset(&r->a, 0, sizeof r->a);
    cr_assert(blocks <= BLOCKS_MOST && z.queries * z.heads <= ROWS_MOST);
    cr_assert(z.queries * z.heads * (z.dim > z.columns ? z.dim : z.columns) <= WORDS_MOST);
    fill_side(&r->k, kind, order, z, blocks, z.dim);
    fill_side(&r->v, kind, order, z, blocks, z.columns);
    cache_begin(&r->a.k, &r->k);
    cache_begin(&r->a.v, &r->v);
    for (size_t i = 0; i < blocks; i++) {
        size_t j = pseudo_random() % (i + 1);
        r->blocks[i] = r->blocks[j];
        r->blocks[j] = (int64_t)i;
    }
    r->a.blocks = r->blocks;
    r->a.block_count = needed;
    r->a.sums = sums;
    r->a.scale = sf8_f32_bits(1.0f / sqrtf((float)z.dim));
    for (size_t i = 0; i < COUNT(r->q_scale); i++)
        r->q_scale[i] = sf8_f32_bits((float)(1 + pseudo_random() % 100) * 0x1p-6f);
    for (size_t i = 0; i < COUNT(r->sinks); i++)
        r->sinks[i] = sf8_f32_bits(normal(3));
    r->a.left = -1;
    r->a.first = (int64_t)(z.keys - z.queries);
    r->a.keys = z.keys;
    r->a.queries = z.queries;
    r->a.heads = z.heads;
    r->a.q_words = words;
    r->a.out_words = SF8_F32;
    for (size_t i = 0; i < WORDS_MOST; i++) {
        r->q32[i] = sf8_f32_bits(normal(1));
        r->q16[i] = (uint16_t)sf8_convert(words, SF8_F32, r->q32[i], SF8_OCP);
    }
    r->a.q = (sf8_kv_words){sf8_format_bits(words) == 32 ? (void *)r->q32 : (void *)r->q16,
                            z.queries, z.dim, z.heads * z.dim, z.dim};
    r->a.out = (sf8_kv_room){r->out, z.queries, z.columns, z.heads * z.columns, z.columns};
    r->a.lse = r->lse;
}

/* ---- running --------------------------------------------------------------------------------- */

static uint32_t *attend_room;
static size_t attend_room_words;

static inline void room_for(const sf8_attend *a)
{
    uint32_t why = sf8_attend_check(a);
    cr_assert(why == SF8_ATTEND_GOOD, "%s", sf8_attend_reason(why));
    attend_room_words = sf8_attend_room(a);
    free(attend_room);
    attend_room = malloc(attend_room_words * sizeof *attend_room);
    cr_assert(attend_room);
    memset(attend_room, 0xa5, attend_room_words * sizeof *attend_room);
}

/* The results of a whole pass. NULL: as sf8_attend_n. */
static inline void run_whole(request *r, const char *level)
{
    room_for(&r->a);
    memset(r->out, CANARY, sizeof r->out);
    memset(r->lse, CANARY, sizeof r->lse);
    sf8_status status = level ? sf8_attend_at(level, &r->a, attend_room, attend_room_words)
                              : sf8_attend_n(&r->a, attend_room, attend_room_words);
    cr_assert(status == SF8_OK, "%d", (int)status);
}

/* ---- the reference --------------------------------------------------------------------------- */

/* One operation each: nothing to contract. */
#define REF_OP(name, op)                                                                           \
    static inline float name(float a, float b)                                                     \
    {                                                                                              \
        volatile float r = a op b;                                                                 \
        return r;                                                                                  \
    }
REF_OP(add, +)
REF_OP(sub, -)
REF_OP(mul, *)
REF_OP(quotient, /)
#undef REF_OP

static const float LOG2E = 0x1.715476p+0f, LN2 = 0x1.62e43p-1f;

static inline float ref_pow2(float x)
{
    static const uint32_t factor[6] = {0x391d3330, 0x3aaf6b31, 0x3c1d9a72,
                                       0x3d6357dc, 0x3e75fdec, 0x3f317218};
    if (x != x || x >= 128)
        return x != x ? NAN : INFINITY;
    if (x < -151)
        return 0;
    float k = sub(add(x, 12582912), 12582912), f = sub(x, k), p = sf8_f32_from_bits(factor[0]);
    for (int i = 1; i < 6; i++)
        p = fmaf(p, f, sf8_f32_from_bits(factor[i]));
    return ldexpf(fmaf(p, f, 1), (int)k);
}

static inline float ref_tanh(float x)
{
    static const uint32_t factor[5] = {0xbc11371b, 0x3cb327a4, 0xbd5d0dd1, 0x3e088889, 0xbeaaaaab};
    float r, p = sf8_f32_from_bits(factor[0]), e;
    if (fabsf(x) < 0.25f) {
        r = mul(x, x);
        for (int i = 1; i < 5; i++)
            p = fmaf(p, r, sf8_f32_from_bits(factor[i]));
        return copysignf(fmaf(mul(p, r), x, x), x);
    }
    e = ref_pow2(mul(fabsf(x), mul(-2, LOG2E)));
    return copysignf(quotient(sub(1, e), add(1, e)), x);
}

/* The logarithms have tests of their own, against their texts. */
static inline float ref_log(float x)
{
    uint32_t word = sf8_f32_bits(x);
    sf8_f32_log_n(&word, &word, 1);
    return sf8_f32_from_bits(word);
}

static inline float ref_log2(float x)
{
    uint32_t word = sf8_f32_bits(x);
    sf8_f32_log2_n(&word, &word, 1);
    return sf8_f32_from_bits(word);
}

static inline float ref_float8(uint32_t code, int man, int bias)
{
    int exp = (int)(code & 127) >> man, frac = (int)code & ((1 << man) - 1);
    float value = exp ? ldexpf((float)(frac + (1 << man)), exp - bias - man)
                      : ldexpf((float)frac, 1 - bias - man);
    if (man == 3 && (code & 127) == 127)
        value = NAN;
    if (man == 2 && exp == 31)
        value = frac ? NAN : INFINITY;
    return code & 128 ? -value : value;
}

static inline size_t ref_row(const side *s, size_t block, size_t slot, size_t head)
{
    return s->order == HND ? (block * s->s.heads + head) * s->s.slots + slot
                           : (block * s->s.slots + slot) * s->s.heads + head;
}

/* The scale of a row, its offset going to *offset. */
static inline float ref_row_scale(const side *s, size_t row, float *offset)
{
    uint32_t word;
    memcpy(&word, s->scales + 4 * row, 4);
    *offset = 0;
    if (s->kind.bits == 4) {
        *offset = (float)(word & 15);
        word &= ~15u;
    }
    return sf8_f32_from_bits(word);
}

static inline float ref_element(const side *s, size_t block, size_t slot, size_t head, size_t d)
{
    static const float e2m1[8] = {0, .5f, 1, 1.5f, 2, 3, 4, 6};
    uint64_t at = formula(s->order,
                          &(shape){s->s.blocks, s->s.slots, s->s.heads, s->s.dim,
                                   s->kind.bits < 8 ? 8 : s->kind.bits},
                          block, slot, head, d);
    size_t row = ref_row(s, block, slot, head);
    float offset, scale;
    uint32_t code;
    if (!s->kind.recipe)
        return word_at(s->kind.words, s->data, at);
    code = s->kind.bits == 8 ? s->data[at] : (uint32_t)s->data[at / 2] >> (at % 2 * 4) & 15;
    if (strcmp(s->kind.name, "e5m2") == 0)
        return ref_float8(code, 2, 15);
    if (strcmp(s->kind.name, "e4m3fnuz") == 0) /* 7f, which is NaN in e4m3, is a number */
        return code == 128           ? NAN
               : (code & 127) == 127 ? copysignf(240, code & 128 ? -1.0f : 1.0f)
                                     : ref_float8(code, 3, 8);
    if (strcmp(s->kind.name, "int8 rows") == 0)
        return (float)(int8_t)code;
    if (s->kind.bits == 8)
        return ref_float8(code, 3, 7);
    if (s->kind.group == 1) {
        ref_row_scale(s, row, &offset);
        return (float)code - offset;
    }
    uint8_t byte = s->scales[row * (s->s.dim / s->kind.group) + d / s->kind.group];
    scale = strcmp(s->kind.name, "nvfp4") == 0 ? ref_float8(byte, 3, 7)
            : byte == 255                      ? NAN
                                               : ldexpf(1, byte - 127);
    return mul(code & 8 ? -e2m1[code & 7] : e2m1[code & 7], scale);
}

typedef struct ref_state {
    float most, sum, channel[1024];
} ref_state;

static inline float ref_operand(const request *r, float x)
{
    sf8_format f = r->a.sums == SF8_ATTEND_MMA_F16 ? SF8_F16 : SF8_BF16;
    uint64_t code = sf8_convert(f, SF8_F32, sf8_f32_bits(x), SF8_OCP_NOSAT);
    return sf8_f32_from_bits((uint32_t)sf8_convert(SF8_F32, f, code, SF8_OCP_NOSAT));
}

/* The unit's sum of n products, n a multiple of 16, and c. */
static inline float ref_unit_more(const request *r, const float *a, const float *b, size_t n,
                                  float c)
{
    sf8_format f = r->a.sums == SF8_ATTEND_MMA_F16 ? SF8_F16 : SF8_BF16;
    uint16_t x[1024], y[1024];
    sf8_mma m;
    cr_assert(sf8_mma_named(&m, "hopper-hmma", f, f, SF8_F32) == SF8_OK);
    for (size_t i = 0; i < n; i++) {
        x[i] = (uint16_t)sf8_convert(f, SF8_F32, sf8_f32_bits(a[i]), SF8_OCP_NOSAT);
        y[i] = (uint16_t)sf8_convert(f, SF8_F32, sf8_f32_bits(b[i]), SF8_OCP_NOSAT);
    }
    return sf8_f32_from_bits(sf8_mma_dot(&m, x, y, NULL, NULL, n, sf8_f32_bits(c)));
}

static inline float ref_unit(const request *r, const float *a, const float *b, size_t n)
{
    return ref_unit_more(r, a, b, n, 0);
}

static inline float ref_dot(const request *r, const float *q, const float *k, size_t dim)
{
    float lane[8];
    if (r->a.sums != SF8_ATTEND_EXACT)
        return ref_unit(r, q, k, dim);
    for (size_t l = 0; l < 8; l++) {
        lane[l] = 0;
        for (size_t d = l * dim / 8; d < (l + 1) * dim / 8; d++)
            lane[l] = fmaf(q[d], k[d], lane[l]);
    }
    return add(add(add(lane[0], lane[1]), add(lane[2], lane[3])),
               add(add(lane[4], lane[5]), add(lane[6], lane[7])));
}

static inline float ref_query(const request *r, size_t query, size_t head, size_t d)
{
    size_t at = query * r->a.q.token_stride + head * r->a.q.head_stride + d;
    if (sf8_format_bits(r->a.q_words) == 8)
        return ref_float8(((const uint8_t *)r->a.q.words)[at], 3, 7);
    return word_at(r->a.q_words, r->a.q.words, at);
}

static inline float ref_scale(const uint32_t *scale, size_t scales, size_t head)
{
    return scale ? sf8_f32_from_bits(scale[scales == 1 ? 0 : head]) : 1;
}

static inline float ref_score(const request *r, float dot, float own, size_t kv)
{
    const sf8_attend *a = &r->a;
    float factor = mul(sf8_f32_from_bits(a->scale), mul(ref_scale(a->q_scale, a->q_scales, kv),
                                                        ref_scale(a->k.scale, a->k.scales, kv)));
    float cap = sf8_f32_from_bits(a->cap);
    if (cap == 0)
        return mul(mul(dot, own), mul(factor, LOG2E));
    return mul(ref_tanh(mul(mul(mul(dot, own), factor), quotient(1, cap))), mul(cap, LOG2E));
}

static inline void ref_chunk(const request *r, size_t query, size_t head, size_t chunk,
                             ref_state *s)
{
    const sf8_attend *a = &r->a;
    size_t dim = r->k.s.dim, columns = r->v.s.dim, kv = head / (a->heads / r->k.s.heads);
    int64_t position = a->first + (int64_t)query;
    static float q[1024], k[1024], values[64][1024], column[64];
    float weight[64], sums[64], own[64];
    int part[64];
    s->most = -INFINITY;
    for (size_t d = 0; d < dim; d++)
        q[d] = ref_query(r, query, head, d);
    for (size_t j = 0; j < 64; j++) {
        int64_t p = (int64_t)(chunk * 64 + j);
        part[j] = p < (int64_t)a->keys && (a->left < 0 || p >= position - a->left) &&
                  (a->right < 0 || p <= position + a->right);
        weight[j] = 0;
        if (!part[j])
            continue;
        size_t block = (size_t)a->blocks[(size_t)p / r->k.s.slots], slot = (size_t)p % r->k.s.slots;
        float offset, scale = 1;
        own[j] = 1;
        for (size_t d = 0; d < dim; d++)
            k[d] = ref_element(&r->k, block, slot, kv, d);
        for (size_t c = 0; c < columns; c++)
            values[j][c] = ref_element(&r->v, block, slot, kv, c);
        if (r->k.kind.group == 1) {
            scale = ref_row_scale(&r->k, ref_row(&r->k, block, slot, kv), &offset);
            own[j] = ref_row_scale(&r->v, ref_row(&r->v, block, slot, kv), &offset);
        }
        weight[j] = ref_score(r, ref_dot(r, q, k, dim), scale, kv);
        s->most = s->most != s->most || weight[j] != weight[j] ? NAN
                  : weight[j] > s->most                        ? weight[j]
                                                               : s->most;
    }
    s->most = add(s->most, 0);
    for (size_t j = 0; j < 64; j++)
        sums[j] = weight[j] = part[j] && s->most != -INFINITY ? ref_pow2(sub(weight[j], s->most))
                                                              : 0;
    for (size_t n = 32; n > 0; n /= 2)
        for (size_t j = 0; j < n; j++)
            sums[j] = add(sums[j], sums[j + n]);
    s->sum = sums[0];
    for (size_t j = 0; j < 64; j++)
        if (part[j] && r->v.kind.group == 1)
            weight[j] = mul(weight[j], own[j]);
    for (size_t c = 0; c < columns; c++) {
        s->channel[c] = 0;
        for (size_t j = 0; j < 64; j++) {
            column[j] = part[j] ? values[j][c] : 0;
            if (part[j] && a->sums == SF8_ATTEND_EXACT)
                s->channel[c] = fmaf(weight[j], values[j][c], s->channel[c]);
        }
        if (a->sums != SF8_ATTEND_EXACT)
            s->channel[c] = ref_unit(r, weight, column, 64);
    }
}

static inline void ref_join(ref_state *before, const ref_state *after, size_t columns)
{
    float most, b, a;
    if (after->most == -INFINITY)
        return;
    if (before->most == -INFINITY) {
        *before = *after;
        return;
    }
    most = before->most != before->most || after->most != after->most ? NAN
           : before->most > after->most                               ? before->most
                                                                      : after->most;
    b = ref_pow2(sub(before->most, most));
    a = ref_pow2(sub(after->most, most));
    before->most = most;
    before->sum = fmaf(before->sum, b, mul(after->sum, a));
    for (size_t c = 0; c < columns; c++)
        before->channel[c] = fmaf(before->channel[c], b, mul(after->channel[c], a));
}

/* One row: out as floats, and the lse. */
static inline float ref_attend(const request *r, size_t query, size_t head, float *out)
{
    static ref_state total, span, chunk;
    const sf8_attend *a = &r->a;
    size_t columns = r->v.s.dim, chunks = (a->keys + 63) / 64;
    size_t kv = head / (a->heads / r->k.s.heads);
    float v_scale = ref_scale(a->v.scale, a->v.scales, kv);
    total.most = span.most = -INFINITY;
    total.sum = 0;
    for (size_t i = 0; i < chunks; i++) {
        ref_chunk(r, query, head, i, &chunk);
        ref_join(&span, &chunk, columns);
        if (i % 16 == 15 || i + 1 == chunks) {
            ref_join(&total, &span, columns);
            span.most = -INFINITY;
        }
    }
    if (a->sinks) {
        memset(&chunk, 0, sizeof chunk);
        chunk.most = add(mul(sf8_f32_from_bits(a->sinks[head]), LOG2E), 0);
        chunk.sum = 1;
        ref_join(&total, &chunk, columns);
    }
    for (size_t c = 0; c < columns; c++)
        out[c] = total.most == -INFINITY ? 0 : mul(quotient(total.channel[c], total.sum), v_scale);
    if (a->lse_base2)
        return add(total.most, ref_log2(total.sum));
    return add(mul(total.most, LN2), ref_log(total.sum));
}

/* An element of the result, with 7fc00000 for any NaN. */
static inline uint32_t ref_word(float x)
{
    return x != x ? 0x7fc00000 : sf8_f32_bits(x);
}

#endif
