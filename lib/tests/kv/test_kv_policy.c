/* SPDX-License-Identifier: MIT */
/* test_kv_policy.c -- when a prefix is read once, how many parts a row is split into, which pools
 * can share blocks
 *
 * Expectations were computed from the sources of vLLM's flash_attn.py and of FlashAttention-3's
 * heuristics.h by a program in Python, whose 32-bit floats are struct's; hashes are FNV-1a of 64
 * bits over its results.
 */
#include "check.h"
#include "random.h"
#include "softfp8_blocks.h"
#include "softfp8_kv_policy.h"

#define FNV_BEGIN UINT64_C(0xcbf29ce484222325)
#define FNV_TIMES UINT64_C(0x100000001b3)

/* ---- cascades -------------------------------------------------------------------------------- */

static int32_t cascades(uint32_t prefix, uint32_t requests, uint32_t query_heads, uint32_t heads,
                        uint32_t processors, int32_t decodes)
{
    sf8_kv_batch b = {prefix, requests, query_heads, heads, processors, 1, decodes, 0};
    int32_t is = 7;
    cr_assert(sf8_kv_cascades(&b, &is) == SF8_OK);
    return is;
}

/* The first number of requests, each with one query, for which a prefix is read once; 0: none up to
 * 300. It is heads * requests > processors, where that is more than 8. */
Test(kv_policy, cascade_gate)
{
    static const struct {
        uint32_t query_heads, heads, processors, first;
    } rows[] = {
        {16, 8, 132, 17}, {32, 8, 132, 17}, {64, 8, 132, 17}, {28, 4, 132, 34}, {32, 32, 132, 8},
        {16, 8, 108, 14}, {32, 8, 108, 14}, {28, 4, 108, 28}, {32, 32, 108, 8}, {128, 1, 132, 0},
    };
    static const uint32_t prefixes[] = {256, 400, 512, 4096};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t k = 0; k < COUNT(prefixes); k++) {
            uint32_t first = 0;
            for (uint32_t n = 128; n >= 1; n--)
                if (cascades(prefixes[k], n, rows[i].query_heads, rows[i].heads, rows[i].processors,
                             1))
                    first = n;
            EXPECT(first == rows[i].first, "%u heads of %u, prefix %u: %u", rows[i].heads,
                   rows[i].query_heads, prefixes[k], first);
        }
    EXPECT(!cascades(4096, 16, 16, 8, 132, 1), "16 requests: as long as it takes without");
    EXPECT(!cascades(4096, 8, 32, 8, 108, 1) && cascades(4096, 16, 32, 8, 108, 1), "108");
    EXPECT(cascades(256, 8, 16, 8, 132, 0), "a prefill is among them");
    EXPECT(!cascades(255, 100, 32, 32, 132, 0) && cascades(256, 100, 32, 32, 132, 0), "256");
    EXPECT(!cascades(256, 7, 32, 32, 132, 0) && cascades(256, 8, 32, 32, 132, 0), "8 requests");
    sf8_kv_batch b = {4096, 64, 32, 8, 132, 1, 1, 0};
    int32_t is = 7;
    cr_assert(sf8_kv_cascades(&b, &is) == SF8_OK && is == 1);
    b.special = 1;
    EXPECT(sf8_kv_cascades(&b, &is) == SF8_OK && is == 0, "a sliding window");
    b.special = 0;
    b.ranks = 2;
    EXPECT(sf8_kv_cascades(&b, &is) == SF8_OK && is == 0, "a context on two ranks");
}

static uint32_t random_below(uint32_t n)
{
    return pseudo_random() % n;
}

Test(kv_policy, cascade_random)
{
    uint64_t hash = FNV_BEGIN;
    size_t count = 0;
    random_state = 1;
    for (int i = 0; i < 20000; i++) {
        sf8_kv_batch b;
        int32_t is = 7;
        b.heads = 1 + random_below(16);
        uint32_t group = 1 + (random_below(4) == 0 ? random_below(130) : random_below(8));
        b.query_heads = b.heads * group;
        b.prefix = random_below(4096);
        b.requests = random_below(300);
        b.processors = 1 + random_below(160);
        b.decodes = random_below(4) != 0;
        b.special = random_below(8) == 0;
        b.ranks = 1 + (random_below(8) == 0);
        cr_assert(sf8_kv_cascades(&b, &is) == SF8_OK);
        hash = (hash ^ (uint64_t)is) * FNV_TIMES;
        count += (size_t)is;
    }
    EXPECT(count == 12721 && hash == UINT64_C(0xc80cc20afd7cf49a), "%zu, %016" PRIx64, count, hash);
}

Test(kv_policy, cascades_refused)
{
    static const sf8_kv_batch wrong[] = {
        {256, 8, 32, 0, 132, 1, 1, 0},        {256, 8, 0, 8, 132, 1, 1, 0},
        {256, 8, 32, 8, 0, 1, 1, 0},          {256, 8, 33, 8, 132, 1, 1, 0},
        {256, 8, 65536, 8, 132, 1, 1, 0},     {256, 8, 65536, 65536, 132, 1, 1, 0},
        {256, 8, 32, 8, 65536, 1, 1, 0},      {1u << 24, 8, 32, 8, 132, 1, 1, 0},
        {256, 1u << 24, 32, 8, 132, 1, 1, 0},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        int32_t is = 7;
        EXPECT(sf8_kv_cascades(&wrong[i], &is) == SF8_BAD_CALL && is == 7, "%zu", i);
    }
    /* The largest that there may be: no product wraps around. */
    EXPECT(cascades((1u << 24) - 1, (1u << 24) - 1, 65534, 32767, 1, 1) == 1, "the largest");
}

/* ---- splits ---------------------------------------------------------------------------------- */

static uint32_t splits_of(const sf8_kv_tiles *t)
{
    uint32_t splits = 77;
    cr_assert(sf8_kv_splits(t, &splits) == SF8_OK);
    return splits;
}

static uint32_t splits(uint32_t blocks, uint32_t processors, uint32_t key_blocks)
{
    sf8_kv_tiles t = {blocks, 1, processors, key_blocks, 0, 128, 0};
    return splits_of(&t);
}

/* 640 keys in blocks of 128, 8 heads, 132 processors, requests of one token: 1 to 17 of them. */
Test(kv_policy, num_splits)
{
    static const uint32_t want[17] = {5, 5, 5, 4, 3, 5, 2, 2, 3, 3, 3, 4, 5, 1, 1, 1, 1};
    for (uint32_t batch = 1; batch <= 17; batch++)
        EXPECT(splits(8 * batch, 132, 5) == want[batch - 1], "%u requests: %u", batch,
               splits(8 * batch, 132, 5));
    EXPECT(splits(8, 132, 4) == 1 && splits(105, 132, 5) == 5 && splits(106, 132, 5) == 1, "");
    EXPECT(splits(104, 130, 5) == 1, "0.8 * 130 in f32 is 104");
    EXPECT(splits(1, 132, 200) == 109 && splits(1, 4, 200) == 4 && splits(3, 132, 66) == 38, "");
}

/* Where floats decide: with 78 processors 17 of 20 rounds are 0.85 in fractions, and less in
 * floats; with 100 they are less if 0.85 is a double, and not if it is a float. */
Test(kv_policy, splits_of_floats)
{
    EXPECT(splits(1, 78, 20) == 18 && splits(1, 78, 40) == 35, "78");
    EXPECT(splits(1, 100, 20) == 18 && splits(2, 100, 40) == 35, "100");
    EXPECT(splits(3, 144, 20) == 18, "144");
    EXPECT(splits(1, 108, 100) == 86, "108");
    EXPECT(splits(1, 32, 20) == 17 && splits(1, 61, 60) == 51 && splits(3, 61, 23) == 17,
           "17/20 of the fullest, and no more");
    /* The last splits have more than 2^31 blocks together, and are not fuller than 1. */
    sf8_kv_tiles t = {37137, 1, 65535, 65535, 0, 65535, 0};
    EXPECT(splits_of(&t) == 3, "%u", splits_of(&t));
}

Test(kv_policy, splits_grid)
{
    static const uint32_t keys[] = {1, 4, 5, 6, 7, 8, 10, 16, 17, 32, 33, 64, 100, 128, 200};
    uint64_t hash = FNV_BEGIN;
    for (uint32_t processors = 108; processors <= 132; processors += 24)
        for (uint32_t blocks = 1; blocks <= 132; blocks++)
            for (size_t k = 0; k < COUNT(keys); k++)
                hash = (hash ^ splits(blocks, processors, keys[k])) * FNV_TIMES;
    EXPECT(hash == UINT64_C(0x5aeb9abb2635d8a5), "%016" PRIx64, hash);
}

/* Keys and values of a head that do not fit 50 MiB are cut even if there is enough to do, where the
 * queries go over them twice and all of them. */
Test(kv_policy, splits_of_long_rows)
{
    static const struct {
        uint32_t bytes, query_blocks, most;
        int32_t causal;
        uint32_t splits;
    } rows[] = {
        {52428801, 264, 128, 0, 2}, {52428800, 264, 128, 0, 1},    {52428801, 263, 128, 0, 1},
        {52428801, 264, 128, 1, 1}, {1572864000, 264, 128, 0, 30}, {1572864000, 264, 7, 0, 7},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_kv_tiles t = {132,           rows[i].query_blocks, 132,           5,
                          rows[i].bytes, rows[i].most,         rows[i].causal};
        EXPECT(splits_of(&t) == rows[i].splits, "%zu: %u", i, splits_of(&t));
    }
    sf8_kv_tiles few = {1, 1, 132, 200, 0, 3, 0};
    EXPECT(splits_of(&few) == 3, "no more than 3");
}

Test(kv_policy, splits_refused)
{
    static const sf8_kv_tiles wrong[] = {
        {0, 1, 132, 5, 0, 128, 0},        {65536, 1, 132, 5, 0, 128, 0},
        {8, 1, 0, 5, 0, 128, 0},          {8, 1, 65536, 5, 0, 128, 0},
        {8, 1, 132, 0, 0, 128, 0},        {8, 1, 132, 65536, 0, 128, 0},
        {8, 1, 132, 5, 0, 0, 0},          {8, 1, 132, 5, 0, 65536, 0},
        {8, 1, 132, 5, 1u << 31, 128, 0},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        uint32_t is = 77;
        EXPECT(sf8_kv_splits(&wrong[i], &is) == SF8_BAD_CALL && is == 77, "%zu", i);
    }
}

/* ---- pools ----------------------------------------------------------------------------------- */

static sf8_recipe recipe_of(const char *name)
{
    sf8_recipe r;
    cr_assert(sf8_recipe_named(&r, name) == SF8_OK, "no recipe %s", name);
    return r;
}

static const uint32_t scales[2] = {0x3ccccccd, 0x3d4ccccd};

static sf8_kv_pool pool_of(const sf8_recipe *recipe)
{
    sf8_kv_pool p = {sf8_kv_nhd(64, 16, 8, 128, 8), recipe, SF8_BF16, scales, 2};
    return p;
}

#define UNLIKE(a, b, want)                                                                         \
    do {                                                                                           \
        uint32_t one_ = sf8_kv_unlike(&(a), &(b)), other_ = sf8_kv_unlike(&(b), &(a));             \
        EXPECT(one_ == (want) && other_ == (want), "line %d: %u, %u", __LINE__, one_, other_);     \
    } while (0)

Test(kv_policy, transfer_metadata)
{
    sf8_recipe e4m3 = recipe_of("kv-vllm"), e5m2 = recipe_of("kv-vllm-e5m2"),
               scaled = recipe_of("kv-vllm-scaled"), rocm = recipe_of("kv-vllm-rocm"),
               int8 = recipe_of("kv-trtllm-int8"), head = recipe_of("fp8-per-token-head");
    sf8_kv_pool a = pool_of(&e4m3), b = a;
    UNLIKE(a, b, 0);
    b.layout.blocks = 1000; /* another number of blocks */
    b.recipe = &scaled;     /* other codes here and there, read the same way */
    UNLIKE(a, b, 0);
    b.recipe = &e5m2;
    UNLIKE(a, b, SF8_KV_UNLIKE_CODES);
    b.recipe = &rocm;
    UNLIKE(a, b, SF8_KV_UNLIKE_CODES);
    b.recipe = &int8;
    UNLIKE(a, b, SF8_KV_UNLIKE_CODES);
    b.recipe = &head;
    UNLIKE(a, b, SF8_KV_UNLIKE_CODES);
    b.recipe = NULL; /* kept as bf16 */
    UNLIKE(a, b, SF8_KV_UNLIKE_CODES);
    b.layout = sf8_kv_nhd(64, 16, 8, 128, 16);
    UNLIKE(a, b, SF8_KV_UNLIKE_CODES | SF8_KV_UNLIKE_PAGE | SF8_KV_UNLIKE_SHAPE);
    a = b;
    a.words = SF8_F16; /* of the same width */
    UNLIKE(a, b, SF8_KV_UNLIKE_CODES);
}

Test(kv_policy, scales_of_pools)
{
    const uint32_t other[2] = {0x3ccccccc, 0x3d4ccccd}, nan[2] = {SF8_F32_NAN, SF8_F32_NAN};
    sf8_recipe e4m3 = recipe_of("kv-vllm");
    sf8_kv_pool a = pool_of(&e4m3), b = a;
    b.scale = other; /* the last bit: what the reciprocal of 200 makes of it */
    UNLIKE(a, b, SF8_KV_UNLIKE_SCALES);
    b.scale = scales;
    b.count = 1;
    UNLIKE(a, b, SF8_KV_UNLIKE_SCALES);
    b.scale = NULL;
    b.count = 0;
    UNLIKE(a, b, SF8_KV_UNLIKE_SCALES);
    a = b;
    UNLIKE(a, b, 0);
    a.scale = b.scale = nan; /* bit patterns are compared, not numbers */
    a.count = b.count = 2;
    UNLIKE(a, b, 0);
}

Test(kv_policy, layouts_of_pools)
{
    sf8_recipe e4m3 = recipe_of("kv-vllm"), nvfp4 = recipe_of("nvfp4-vllm");
    sf8_kv_pool a = pool_of(&e4m3), b = a;
    b.layout = sf8_kv_hnd(64, 16, 8, 128, 8);
    UNLIKE(a, b, SF8_KV_UNLIKE_ORDER | SF8_KV_UNLIKE_PAGE);
    b.layout = sf8_kv_xpacked(64, 16, 8, 128, 8);
    UNLIKE(a, b, SF8_KV_UNLIKE_ORDER | SF8_KV_UNLIKE_PAGE);
    b.layout = sf8_kv_nhd(64, 32, 8, 128, 8); /* pages of 32 */
    UNLIKE(a, b, SF8_KV_UNLIKE_PAGE);
    b.layout = sf8_kv_in_pages(sf8_kv_nhd(64, 16, 8, 128, 8), 65536);
    UNLIKE(a, b, SF8_KV_UNLIKE_PAGE);
    b.layout = sf8_kv_nhd(64, 16, 4, 256, 8); /* as many bytes */
    UNLIKE(a, b, SF8_KV_UNLIKE_SHAPE | SF8_KV_UNLIKE_PAGE);
    a.layout = b.layout = sf8_kv_nhd(64, 16, 1, 128, 8);
    b.layout = sf8_kv_hnd(64, 16, 1, 128, 8); /* of one head the same */
    b.layout.head_stride = a.layout.head_stride;
    UNLIKE(a, b, 0);
    a = b = pool_of(&nvfp4);
    a.layout = sf8_kv_behind(sf8_kv_with_scales(sf8_kv_hnd(64, 16, 8, 128, 4), 16, 8, 1));
    b.layout = a.layout;
    b.layout.scale_order = SF8_LAYOUT_4TOKEN; /* scales of V */
    UNLIKE(a, b, SF8_KV_UNLIKE_ORDER);
    b.layout = a.layout;
    b.layout.scale_at += 16;
    UNLIKE(a, b, SF8_KV_UNLIKE_PAGE);
    b.layout = a.layout;
    b.layout.group = 32;
    UNLIKE(a, b, SF8_KV_UNLIKE_SHAPE);
    a.layout = b.layout = sf8_kv_ds_mla(4, 64);
    b.layout.tail = 32;
    UNLIKE(a, b, SF8_KV_UNLIKE_SHAPE);
    b.layout = a.layout;
    b.layout.tail_at += 2;
    UNLIKE(a, b, SF8_KV_UNLIKE_PAGE);
}
