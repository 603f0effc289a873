/* SPDX-License-Identifier: MIT */
/* policy.c -- decisions about KV caches: tables of calls and their results */
#include "families/self/self.h"
#include "softfp8_blocks.h"
#include "softfp8_f32.h"
#include "softfp8_kv.h"
#include "softfp8_kv_policy.h"
#include "softfp8_kv_store.h"

#include <string.h>

enum { ONE = 0x3f800000, HALF = 0x3f000000, TWO = 0x40000000, QUIET = 0x7fc00000 };

#define NONE UINT32_C(0xbf800000) /* -1, as in a checkpoint that has no scale */

/* ---- scales ---------------------------------------------------------------------------------- */

/* vLLM kv_cache.py: keys, values and queries of a checkpoint, NONE where it has none. */
static void run_roundtrip(self_checks *c)
{
    static const struct {
        const char *what;
        uint32_t k, v, q;
        int refused;
        uint32_t want_k, want_v, want_q;
    } rows[] = {
        {"both", HALF, TWO, NONE, 0, HALF, TWO, ONE},
        {"keys alone", HALF, NONE, NONE, 0, HALF, HALF, ONE},
        {"none", NONE, NONE, NONE, 0, ONE, ONE, ONE},
        {"queries", HALF, TWO, TWO, 0, HALF, TWO, TWO},
        {"values alone", NONE, HALF, NONE, 1, ONE, ONE, ONE},
        {"0", 0, 0, NONE, 1, ONE, ONE, ONE},
        {"NaN", QUIET, QUIET, NONE, 1, ONE, ONE, ONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t scale[] = {rows[i].k, rows[i].v, rows[i].q};
        sf8_kv_life l = sf8_kv_life_begin();
        self_check(c, rows[i].what, sf8_kv_load(&l, scale) != SF8_OK, (uint64_t)rows[i].refused);
        self_check(c, rows[i].what, sf8_kv_trace_of(&l, SF8_KV_K, 0).reads, rows[i].want_k);
        self_check(c, rows[i].what, sf8_kv_trace_of(&l, SF8_KV_V, 0).reads, rows[i].want_v);
        self_check(c, rows[i].what, sf8_kv_trace_of(&l, SF8_KV_Q, 0).reads, rows[i].want_q);
    }
}

static int32_t step(sf8_kv_life *l, int32_t what, uint32_t word)
{
    const sf8_kv_event e = {what, {word, word, word}};
    return sf8_kv_step(l, &e);
}

/* A scale that is set after loading, and after the first request: which reader still uses the
 * earlier one. With scales of heads the host has the largest. */
static void run_mirror(self_checks *c)
{
    static const uint32_t heads[3] = {HALF, TWO, ONE};
    for (int32_t reads = SF8_KV_READS_DEVICE; reads <= SF8_KV_READS_FIRST; reads++) {
        sf8_kv_life l = sf8_kv_life_begin();
        uint32_t device = reads == SF8_KV_READS_DEVICE, first = reads == SF8_KV_READS_FIRST;
        l.reads = reads;
        step(&l, SF8_KV_SET, TWO);
        self_check(c, "set after loading", sf8_kv_trace_of(&l, SF8_KV_K, 0).reads,
                   device ? TWO : ONE);
        self_check(c, "and agrees", (uint64_t)sf8_kv_trace_of(&l, SF8_KV_K, 0).agrees, device);
        step(&l, SF8_KV_COPY, 0);
        step(&l, SF8_KV_REQUEST, ONE);
        step(&l, SF8_KV_SET, HALF);
        step(&l, SF8_KV_COPY, 0);
        self_check(c, "set after a request", sf8_kv_trace_of(&l, SF8_KV_V, 0).reads,
                   first ? TWO : HALF);
        l = sf8_kv_life_begin();
        l.reads = reads;
        self_check(c, "heads", sf8_kv_load_heads(&l, heads, heads, 3, heads, 3), SF8_OK);
        for (uint32_t i = 0; i < 3; i++)
            self_check(c, "a head", sf8_kv_trace_of(&l, SF8_KV_K, i).reads,
                       device ? heads[i] : TWO);
    }
}

/* Which of a dummy run, the run that measures memory and two requests sets the scale. The amax of
 * each is twice that of the one before, beginning with 200. */
static void run_calibration(self_checks *c)
{
    static const struct {
        uint32_t calibrating;
        int sets;
        uint32_t scale;
    } rows[] = {
        {1u << SF8_KV_REQUEST, 2, 0x40800000},
        {1u << SF8_KV_REQUEST | 1u << SF8_KV_PROFILE, 1, TWO},
        {7, 0, ONE},
        {0, -1, ONE},
    };
    static const int32_t runs[] = {SF8_KV_DUMMY, SF8_KV_PROFILE, SF8_KV_REQUEST, SF8_KV_REQUEST};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sf8_kv_life l = sf8_kv_life_calculating(rows[i].calibrating);
        for (int k = 0; k < 4; k++)
            self_check(c, "a run", (uint64_t)step(&l, runs[k], 0x43480000 + ((uint32_t)k << 23)),
                       k == rows[i].sets);
        self_check(c, "the scale", sf8_kv_trace_of(&l, SF8_KV_K, 0).writes, rows[i].scale);
    }
}

/* ---- a prefix that was found ----------------------------------------------------------------- */

enum { PREFIX = 16, TOKENS = 20, CHANNELS = 32 };

typedef struct prefix_model {
    uint16_t k[TOKENS * CHANNELS], v[TOKENS * CHANNELS];           /* words of bf16, as computed */
    uint32_t read_k[TOKENS * CHANNELS], read_v[TOKENS * CHANNELS]; /* of f32, as read */
    uint8_t cache[2][2 * PREFIX * CHANNELS];
    uint32_t query[CHANNELS], out[CHANNELS];
} prefix_model;

static void prefix_fill(prefix_model *m)
{
    uint32_t random = 1;
    for (size_t i = 0; i < TOKENS * CHANNELS; i++) {
        random = random * 1664525 + 1013904223;
        m->k[i] = (uint16_t)((random >> 16 & 0x80ff) | 0x3f00);
        random = random * 1664525 + 1013904223;
        m->v[i] = (uint16_t)((random >> 16 & 0x80ff) | 0x3f80);
    }
    for (size_t i = 0; i < CHANNELS; i++)
        m->query[i] = i % 3 ? 0x3e000000 : 0xbe000000;
}

static sf8_kv_image prefix_image(prefix_model *m, int side)
{
    sf8_kv_image i;
    memset(&i, 0, sizeof i);
    i.layout = sf8_kv_nhd(2, PREFIX, 1, CHANNELS, 8);
    i.data = m->cache[side];
    i.size = sizeof m->cache[side];
    return i;
}

/* Tokens from `first` on are stored with the scale .025 or .05, on both sides. */
static uint64_t prefix_store(prefix_model *m, const sf8_recipe *r, size_t first, size_t count)
{
    static const float scale[2] = {.025f, .05f};
    int64_t slot[TOKENS];
    uint8_t seen[2 * PREFIX / 8 + 1];
    sf8_kv_slots slots = {slot, count, 0, 0, seen, sizeof seen};
    sf8_kv_store s[2];
    memset(s, 0, sizeof s);
    for (int side = 0; side < 2; side++) {
        s[side].image = prefix_image(m, side);
        s[side].recipe = r;
        s[side].from = SF8_BF16;
        s[side].first.words = (side ? m->v : m->k) + first * CHANNELS;
        s[side].first.tokens = count;
        s[side].first.dim = s[side].first.head_stride = s[side].first.token_stride = CHANNELS;
        s[side].g = &scale[side];
        s[side].g_count = 1;
    }
    for (size_t i = 0; i < count; i++)
        slot[i] = (int64_t)(first + i);
    return sf8_kv_store_n(s, 2, &slots, NULL) == SF8_OK;
}

/* The first tokens from the cache, the others as they were computed. */
static uint64_t prefix_read(prefix_model *m, const sf8_recipe *r, size_t count)
{
    static const float scale[2] = {.025f, .05f};
    int64_t slot[TOKENS];
    sf8_kv_slots slots = {slot, count, 0, 0, NULL, 0};
    sf8_kv_gather g[2];
    memset(g, 0, sizeof g);
    for (size_t i = 0; i < TOKENS * CHANNELS; i++) {
        m->read_k[i] = (uint32_t)m->k[i] << 16;
        m->read_v[i] = (uint32_t)m->v[i] << 16;
    }
    for (int side = 0; side < 2; side++) {
        g[side].image = prefix_image(m, side);
        g[side].recipe = r;
        g[side].to = SF8_F32;
        g[side].first.words = side ? m->read_v : m->read_k;
        g[side].first.tokens = count;
        g[side].first.dim = g[side].first.head_stride = g[side].first.token_stride = CHANNELS;
        g[side].g = &scale[side];
        g[side].g_count = 1;
    }
    for (size_t i = 0; i < count; i++)
        slot[i] = (int64_t)i;
    return sf8_kv_gather_n(g, 2, &slots, NULL) == SF8_OK;
}

/* The last query over all tokens. */
static void prefix_attend(prefix_model *m)
{
    uint32_t score[TOKENS];
    for (size_t j = 0; j < TOKENS; j++)
        score[j] = sf8_f32_dot_n(SF8_ORDER_TREE, 0, m->query, m->read_k + j * CHANNELS, CHANNELS);
    sf8_f32_softmax_n(SF8_ORDER_TREE, score, score, TOKENS);
    sf8_f32_weighted_n(m->out, score, m->read_v, TOKENS, CHANNELS, 0);
}

/* All tokens of a prompt at once, and the prefix found in the cache. If all are read from the
 * cache, the output is the same, bit for bit. If a prefill reads what it has just computed (SGLang,
 * ragged prefill), the output depends on whether the prefix was found. */
static void run_prefix(self_checks *c)
{
    static const char *const names[] = {"kv-vllm", "kv-vllm-scaled", "kv-sglang-bf16",
                                        "kv-trtllm-bf16"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        static prefix_model cold, hit, fresh;
        sf8_recipe r;
        unsigned other = 0;
        memset(&cold, 0, sizeof cold);
        prefix_fill(&cold);
        hit = fresh = cold;
        self_check(c, names[i], sf8_recipe_named(&r, names[i]), SF8_OK);
        self_check(c, "cold", prefix_store(&cold, &r, 0, TOKENS) && prefix_read(&cold, &r, TOKENS),
                   1);
        self_check(c, "hit", prefix_store(&hit, &r, 0, PREFIX), 1);
        memset(hit.k, 0xff, PREFIX * CHANNELS * 2); /* they are not computed again */
        memset(hit.v, 0xff, PREFIX * CHANNELS * 2);
        self_check(c, "hit",
                   prefix_store(&hit, &r, PREFIX, TOKENS - PREFIX) && prefix_read(&hit, &r, TOKENS),
                   1);
        self_check(c, "fresh",
                   prefix_store(&fresh, &r, 0, TOKENS) && prefix_read(&fresh, &r, PREFIX), 1);
        prefix_attend(&cold);
        prefix_attend(&hit);
        prefix_attend(&fresh);
        for (size_t k = 0; k < CHANNELS; k++) {
            self_check(c, "a prefix that was found", hit.out[k], cold.out[k]);
            other += fresh.out[k] != cold.out[k];
        }
        self_check(c, "computed and stored values give different outputs", other > 0, 1);
    }
}

/* ---- pools ----------------------------------------------------------------------------------- */

static void run_transfer(self_checks *c)
{
    static const uint32_t scale[2] = {0x3ccccccd, 0x3d4ccccd}, other[2] = {0x3ccccccc, 0x3d4ccccd};
    sf8_recipe e4m3, e5m2, fnuz;
    self_check(c, "recipes",
               sf8_recipe_named(&e4m3, "kv-vllm") == SF8_OK &&
                   sf8_recipe_named(&e5m2, "kv-vllm-e5m2") == SF8_OK &&
                   sf8_recipe_named(&fnuz, "kv-vllm-rocm") == SF8_OK,
               1);
    sf8_kv_pool a = {sf8_kv_nhd(64, 16, 8, 128, 8), &e4m3, SF8_BF16, scale, 2}, b = a;
    b.layout.blocks = 7;
    self_check(c, "more blocks", sf8_kv_unlike(&a, &b), 0);
    b.recipe = &e5m2;
    self_check(c, "e5m2", sf8_kv_unlike(&a, &b), SF8_KV_UNLIKE_CODES);
    b.recipe = &fnuz;
    self_check(c, "FNUZ", sf8_kv_unlike(&a, &b), SF8_KV_UNLIKE_CODES);
    b = a;
    b.scale = other;
    self_check(c, "the last bit of a scale", sf8_kv_unlike(&a, &b), SF8_KV_UNLIKE_SCALES);
    b = a;
    b.layout = sf8_kv_hnd(64, 16, 8, 128, 8);
    self_check(c, "HND", sf8_kv_unlike(&a, &b), SF8_KV_UNLIKE_ORDER | SF8_KV_UNLIKE_PAGE);
    b.layout = sf8_kv_nhd(64, 32, 8, 128, 8);
    self_check(c, "pages of 32", sf8_kv_unlike(&a, &b), SF8_KV_UNLIKE_PAGE);
    b.layout = sf8_kv_nhd(64, 16, 4, 256, 8);
    self_check(c, "heads", sf8_kv_unlike(&a, &b), SF8_KV_UNLIKE_SHAPE | SF8_KV_UNLIKE_PAGE);
    a.recipe = NULL;
    b = a;
    b.words = SF8_F16;
    self_check(c, "bf16 taken for f16", sf8_kv_unlike(&a, &b), SF8_KV_UNLIKE_CODES);
}

/* ---- integers -------------------------------------------------------------------------------- */

/* vLLM use_cascade_attention: the smallest batch of requests with one query for which it returns
 * true. */
static void run_cascade(self_checks *c)
{
    static const struct {
        uint32_t query_heads, heads, processors, first;
    } rows[] = {
        {16, 8, 132, 17}, {32, 8, 132, 17}, {64, 8, 132, 17}, {28, 4, 132, 34},
        {32, 32, 132, 8}, {32, 8, 108, 14}, {32, 32, 108, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sf8_kv_batch b = {256, 0, rows[i].query_heads, rows[i].heads, rows[i].processors, 1, 1, 0};
        for (b.requests = 1; b.requests < 64; b.requests++) {
            int32_t is = 7;
            self_check(c, "a call", sf8_kv_cascades(&b, &is), SF8_OK);
            self_check(c, "requests", (uint64_t)is, b.requests >= rows[i].first);
            b.decodes = 0;
            self_check(c, "a call", sf8_kv_cascades(&b, &is), SF8_OK);
            self_check(c, "with a prefill", (uint64_t)is, b.requests >= 8);
            b.decodes = 1;
        }
    }
}

/* FlashAttention-3 num_splits_heuristic: 640 keys, 8 heads, 132 multiprocessors; and where floats
 * decide. */
static void run_splits(self_checks *c)
{
    static const uint32_t want[17] = {5, 5, 5, 4, 3, 5, 2, 2, 3, 3, 3, 4, 5, 1, 1, 1, 1};
    static const uint32_t floats[][4] = {
        {1, 78, 20, 18}, {1, 78, 40, 35}, {1, 100, 20, 18}, {3, 144, 20, 18}, {1, 108, 100, 86},
    };
    for (uint32_t batch = 1; batch <= 17; batch++) {
        sf8_kv_tiles t = {8 * batch, 1, 132, 5, 0, 128, 0};
        uint32_t splits = 0;
        self_check(c, "a call", sf8_kv_splits(&t, &splits), SF8_OK);
        self_check(c, "requests", splits, want[batch - 1]);
    }
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        sf8_kv_tiles t = {floats[i][0], 1, floats[i][1], floats[i][2], 0, 128, 0};
        uint32_t splits = 0;
        self_check(c, "a call", sf8_kv_splits(&t, &splits), SF8_OK);
        self_check(c, "near 0.85", splits, floats[i][3]);
    }
}

/* 80 layers, 8 heads of 128; one vector of 128 for keys and for values. */
static void run_bytes(self_checks *c)
{
    static const sf8_kv_shape large = {80, 8, 128, 0, 0}, one = {1, 1, 128, 0, 0},
                              latent = {1, 0, 0, 512, 64};
    static const struct {
        const char *type;
        const sf8_kv_shape *shape;
        uint64_t bytes;
    } rows[] = {
        {"bf16", &large, 327680},
        {"fp8", &large, 163840},
        {"fp8-per-token-head", &one, 264},
        {"int4-per-token-head", &one, 136},
        {"kivi-int4", &one, 160},
        {"kivi-int2", &one, 96},
        {"nvfp4", &one, 144},
        {"mla-fp8-ds", &latent, 656},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sf8_kv_type t;
        uint64_t num = 0, den = 0, tokens = 0;
        self_check(c, rows[i].type, sf8_kv_type_named(&t, rows[i].type), SF8_OK);
        self_check(c, rows[i].type, sf8_kv_token_bytes(&t, rows[i].shape, &num, &den), SF8_OK);
        self_check(c, rows[i].type, num, rows[i].bytes);
        self_check(c, rows[i].type, den, 1);
        self_check(c, "tokens", sf8_kv_tokens(&t, rows[i].shape, UINT64_C(40) << 30, &tokens),
                   SF8_OK);
        self_check(c, "tokens", tokens, (UINT64_C(40) << 30) / rows[i].bytes);
    }
}

const self_table self_policy[] = {
    {"policy/scale_roundtrip", run_roundtrip},
    {"policy/scale_mirror", run_mirror},
    {"policy/scale_calibration_trace", run_calibration},
    {"policy/prefix_hit_equals_cold", run_prefix},
    {"policy/transfer_metadata", run_transfer},
    {"policy/cascade_gate", run_cascade},
    {"policy/num_splits", run_splits},
    {"policy/bytes_per_token", run_bytes},
    {NULL, NULL},
};
