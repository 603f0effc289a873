/* SPDX-License-Identifier: MIT */
/* poison.c -- two parts of a row merged, and NaN that must not be seen or must not be lost
 *
 * Expected results of merges are those of glibc's expf and logf by each kernel's formula
 * (lib/tests/attend/test_f32_merge.c has the derivations).
 */
#include "families/attend/small_request.h"
#include "softfp8_blocks.h"
#include "softfp8_f32.h"
#include "softfp8_kv_store.h"

#include <string.h>

enum { ONE = 0x3f800000, TWO = 0x40000000, THREE = 0x40400000, FIVE = 0x40a00000 };

#define N UINT32_C(0x7fc00000)
#define INF UINT32_C(0x7f800000)
#define EMPTY UINT32_C(0xff800000)
#define MINUS_0 UINT32_C(0x80000000)

/* ---- merges ---------------------------------------------------------------------------------- */

/* Outputs 1 and 2. */
static void run_golden(self_checks *c)
{
    static const struct {
        uint32_t rules, lse_a, lse_b, weight_a, weight_b, lse, out;
    } rows[] = {
        {13, 0, 0, 0x3f000000, 0x3f000000, 0x3f317218, 0x3fc00000},
        {13, FIVE, 0, 0x3f7e4961, 0x3bdb4fb4, 0x40a03703, 0x3f80db50},
        {13, 0x42b00000, 0, ONE, 0x0041edc4, 0x42b00000, ONE},
        {2, FIVE, 0, 0x3f783e10, 0x3cf83e10, 0x40a16bad, 0x3f83e0f8},
        {15, EMPTY, THREE, 0, ONE, THREE, TWO},
        {15, THREE, EMPTY, ONE, 0, THREE, ONE},
        {15, 0x7149f2ca, 0xf149f2ca, ONE, 0, 0x7149f2ca, ONE},
        {1, EMPTY, EMPTY, 0, 0, EMPTY, ONE},
        {14, EMPTY, EMPTY, 0, 0, EMPTY, 0},
        {5, INF, THREE, 0, ONE, THREE, TWO},
        {2, INF, THREE, 0, 0, N, 0},
        {8, INF, THREE, N, 0, N, 0},
        {5, N, THREE, N, N, N, N},
        {2, N, THREE, 0, ONE, THREE, TWO},
        {8, N, THREE, N, 0, N, 0},
    };
    static const sf8_merge rules[] = {SF8_MERGE_VLLM, SF8_MERGE_FLASHINFER, SF8_MERGE_VLLM_TRITON,
                                      SF8_MERGE_FA3};
    const uint32_t a = ONE, b = TWO;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t r = 0; r < 4; r++) {
            uint32_t out;
            if (!(rows[i].rules >> r & 1))
                continue;
            sf8_merged m = sf8_f32_merge_n(rules[r], &out, &a, rows[i].lse_a, &b, rows[i].lse_b, 1);
            const char *name = sf8_merge_name(rules[r]);
            self_check(c, name, m.weight[0], rows[i].weight_a);
            self_check(c, name, m.weight[1], rows[i].weight_b);
            self_check(c, name, m.lse, rows[i].lse);
            self_check(c, name, out, rows[i].out);
        }
}

/* vLLM rounds the second product, FlashAttention-3 the first. */
static void run_fma(self_checks *c)
{
    static const uint32_t rows[][4] = {
        {0x3f810000, 0x42c00000, 0x3fd260dd, 0x3fd260de},
        {0x3f820000, 0x42c00000, 0x3fd35f27, 0x3fd35f26},
        {ONE, 0x42f10000, 0x3fe65fb4, 0x3fe65fb5},
        {ONE, 0x42ff0000, 0x3fec5ee2, 0x3fec5ee3},
    };
    for (size_t i = 0; i < 4; i++) {
        uint32_t out;
        sf8_f32_merge_n(SF8_MERGE_VLLM, &out, &rows[i][0], FIVE, &rows[i][1], 0, 1);
        self_check(c, "vllm", out, rows[i][2]);
        sf8_f32_merge_n(SF8_MERGE_FA3, &out, &rows[i][0], FIVE, &rows[i][1], 0, 1);
        self_check(c, "fa3", out, rows[i][3]);
    }
}

/* A number to three decimals. */
static uint64_t thousandths(uint32_t word)
{
    return (uint64_t)(sf8_f32_from_bits(word) * 1000 + 0.5f);
}

/* Sums 2 and 8 of the values 0 and 10 give 8. Logarithms that are taken to be of the other base
 * give 7.233 and 8.808, which a test must notice. */
static void run_base(self_checks *c)
{
    static const struct {
        sf8_merge rule;
        int base_2;
        unsigned right;
    } rows[] = {
        {SF8_MERGE_VLLM, 0, 8000},       {SF8_MERGE_VLLM_TRITON, 0, 8000},
        {SF8_MERGE_FA3, 0, 8000},        {SF8_MERGE_FLASHINFER, 1, 8000},
        {SF8_MERGE_FLASHINFER, 0, 7233}, {SF8_MERGE_VLLM, 1, 8808},
    };
    const uint32_t ten = 0x41200000, none = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t a = rows[i].base_2 ? ONE : 0x3f317218, out;
        uint32_t b = rows[i].base_2 ? THREE : 0x40051592;
        sf8_f32_merge_n(rows[i].rule, &out, &none, a, &ten, b, 1);
        self_check(c, sf8_merge_name(rows[i].rule), thousandths(out), rows[i].right);
    }
}

/* Three parts in each order: within 2^-20 of the sum of magnitudes, and not always the same. */
static void run_assoc(self_checks *c)
{
    static const uint32_t lse[3] = {0x3f9d70a4, 0xbf4ccccd, 0x3eb33333}; /* 1.23, -0.8, 0.35 */
    static const uint32_t out[3] = {0x3f8ccccd, 0xc00f5c29, 0x3f48f5c3}; /* 1.1, -2.24, 0.785 */
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    unsigned others = 0;
    for (int rule = 0; rule < SF8_MERGE_COUNT; rule++) {
        float first = 0;
        for (int i = 0; i < 6; i++) {
            const int *k = orders[i];
            uint32_t both;
            sf8_merged m = sf8_f32_merge_n((sf8_merge)rule, &both, &out[k[0]], lse[k[0]],
                                           &out[k[1]], lse[k[1]], 1);
            sf8_f32_merge_n((sf8_merge)rule, &both, &both, m.lse, &out[k[2]], lse[k[2]], 1);
            float x = sf8_f32_from_bits(both), less = i == 0 ? 0 : x - first;
            first = i == 0 ? x : first;
            others += less > 0 || less < 0;
            self_check(c, "an order", less < 0x1p-20f && less > -0x1p-20f, 1);
        }
    }
    self_check(c, "the orders differ", others > 0, 1);
}

/* Tokens without a prefix: vLLM copies the suffix. By the formula numbers and lse are unchanged,
 * except for -0, and except if the prefix's output is NaN. */
static void run_passthrough(self_checks *c)
{
    static const uint32_t suffix[4] = {THREE, 0x00000001, 0xff7fffff, MINUS_0};
    static const uint32_t prefix[4] = {0, 0, 0, 0}, nans[4] = {N, N, N, N};
    uint32_t out[4];
    for (int rule = 0; rule < SF8_MERGE_COUNT; rule++) {
        sf8_merged m = sf8_f32_merge_n((sf8_merge)rule, out, prefix, EMPTY, suffix, FIVE, 4);
        self_check(c, "lse", m.lse, FIVE);
        for (size_t i = 0; i < 3; i++)
            self_check(c, "a number", out[i], suffix[i]);
        self_check(c, "-0", out[3], 0);
        sf8_f32_merge_n((sf8_merge)rule, out, nans, EMPTY, suffix, FIVE, 4);
        self_check(c, "a NaN of the prefix", out[0], rule == SF8_MERGE_FA3 ? THREE : N);
    }
}

const self_table self_merge[] = {
    {"merge/golden", run_golden},           {"merge/fma_order", run_fma},
    {"merge/lse_base", run_base},           {"merge/assoc", run_assoc},
    {"merge/passthrough", run_passthrough}, {NULL, NULL},
};

/* ---- poison ---------------------------------------------------------------------------------- */

static attend_small small;
static uint32_t kept[SMALL_OUT], kept_lse[SMALL_OUT / 8];

static void keep(void)
{
    memcpy(kept, small.out, sizeof kept);
    memcpy(kept_lse, small.lse, sizeof kept_lse);
}

/* The i-th way to compute: the orders, then three of the definition. Returns 0 past the end. */
static const char *run_way(size_t i, size_t splits)
{
    const sf8_attend_order *o = sf8_attend_order_at(i);
    size_t first = 0;
    while (sf8_attend_order_at(first))
        first++;
    if (o) {
        attend_small_order(&small, o, o->split == SF8_SPLIT_PREFIX ? 128 : splits);
        return o->name;
    }
    if (i >= first + SF8_ATTEND_SUMS_COUNT)
        return NULL;
    attend_small_run(&small, (sf8_attend_sums)(i - first), splits);
    return sf8_attend_sums_name((sf8_attend_sums)(i - first));
}

/* Returns 1 if a way multiplies keys behind the last one. */
static int leaks(const char *name)
{
    return strncmp(name, "fa3", 3) == 0 || strcmp(name, "cascade-bf16") == 0;
}

static void poison_token(uint8_t byte, size_t position, size_t heads)
{
    size_t bytes = small.kind == SMALL_E4M3 ? 1 : 2;
    for (size_t h = 0; h < heads; h++)
        for (size_t d = 0; d < 64 * bytes; d++) {
            attend_small_at(&small, small.k, position, h, 0)[d] = byte;
            attend_small_at(&small, small.v, position, h, 0)[d] = byte;
        }
}

/* Bytes that are NaN in slots behind the last key. FlashAttention-3's order lets them through, by 0
 * * NaN: a kernel with that behaviour must be found. */
static void run_unused(self_checks *c)
{
    const char *name;
    for (int byte = 0x7f; byte <= 0xff; byte += 0x80)
        for (size_t i = 0;; i++) {
            attend_small_begin(&small, SMALL_E4M3, (attend_sizes){250, 1, 2, 1, 64, 16});
            if (!(name = run_way(i, 1)))
                break;
            keep();
            for (size_t p = 250; p < 256; p++)
                poison_token((uint8_t)byte, p, 1);
            run_way(i, 1);
            if (leaks(name))
                for (size_t d = 0; d < 2 * 64; d++)
                    self_check(c, name, small.out[d] & INF, INF);
            else
                attend_small_same(c, name, small.out, kept, 2 * 64);
            self_check(c, name, small.lse[0], kept_lse[0]);
        }
}

/* Block 0, which the padding of a table names, is NaN. */
static void run_null(self_checks *c)
{
    const char *name;
    for (size_t i = 0;; i++) {
        attend_small_begin(&small, SMALL_E4M3, (attend_sizes){250, 2, 2, 1, 64, 16});
        for (size_t b = small.a.block_count; b < SMALL_BLOCKS; b++)
            small.blocks[b] = 0;
        small.a.block_count = SMALL_BLOCKS;
        if (!(name = run_way(i, 2)))
            break;
        keep();
        memset(small.k, 0x7f, 16 * 64);
        memset(small.v, 0x7f, 16 * 64);
        run_way(i, 2);
        attend_small_same(c, name, small.out, kept, 2 * 2 * 64);
    }
}

/* NaN in the keys and values behind a query's own position, which exist for later queries. */
static void run_future(self_checks *c)
{
    for (int sums = 0; sums < SF8_ATTEND_SUMS_COUNT; sums++) {
        attend_small_begin(&small, SMALL_E4M3, (attend_sizes){100, 20, 2, 1, 64, 16});
        attend_small_run(&small, (sf8_attend_sums)sums, 0);
        keep();
        for (size_t p = 90; p < 100; p++)
            poison_token(0x7f, p, 1);
        attend_small_run(&small, (sf8_attend_sums)sums, 0);
        attend_small_same(c, "rows before", small.out, kept, 10 * 2 * 64);
        for (size_t i = 10 * 2 * 64; i < 20 * 2 * 64; i++)
            self_check(c, "rows behind", small.out[i], N);
    }
    attend_small_order(&small, sf8_attend_order_named("fa3-bf16"), 1);
    self_check(c, "FlashAttention-3 multiplies the rest of a tile", small.out[0] & INF, INF);
    attend_small_order(&small, sf8_attend_order_named("split-f32"), 1);
    self_check(c, "split-f32 does not", (small.out[0] & INF) != INF, 1);
}

/* One NaN in a key: the rows from its position on are NaN. */
static void run_one_key(self_checks *c)
{
    for (int sums = 0; sums < SF8_ATTEND_SUMS_COUNT; sums++) {
        attend_small_begin(&small, SMALL_E4M3, (attend_sizes){40, 40, 1, 1, 64, 16});
        attend_small_run(&small, (sf8_attend_sums)sums, 0);
        keep();
        *attend_small_at(&small, small.k, 25, 0, 7) = 0xff;
        attend_small_run(&small, (sf8_attend_sums)sums, 0);
        attend_small_same(c, "rows before", small.out, kept, 25 * 64);
        for (size_t i = 25 * 64; i < 40 * 64; i++)
            self_check(c, "from it on", small.out[i], N);
    }
}

/* The blocks of another request, of the same pool, are NaN. */
static void run_neighbour(self_checks *c)
{
    const char *name;
    for (size_t i = 0;; i++) {
        attend_small_begin(&small, SMALL_E4M3, (attend_sizes){500, 1, 2, 1, 64, 16});
        small.a.keys = 240; /* the first 15 blocks are ours, the others the neighbour's */
        small.a.first = 239;
        small.a.block_count = 15;
        if (!(name = run_way(i, 1)))
            break;
        keep();
        for (size_t p = 240; p < 500; p++)
            poison_token(0x7f, p, 1);
        run_way(i, 1);
        attend_small_same(c, name, small.out, kept, 2 * 64);
        self_check(c, name, small.lse[0], kept_lse[0]);
    }
}

/* A block with NaN is given to a new request, which writes 5 of its 16 slots. */
static void run_reuse(self_checks *c)
{
    static const float one = 1;
    static uint16_t words[5 * 64];
    static uint8_t seen[64];
    int64_t slot[5];
    attend_small_begin(&small, SMALL_E4M3, (attend_sizes){5, 1, 1, 1, 64, 16});
    for (size_t i = 0; i < 5 * 64; i++)
        words[i] = (uint16_t)(0x3f80 + (i * 37 % 16 << 3));
    for (int dirty = 0; dirty < 2; dirty++) {
        memset(small.k, dirty ? 0x7f : 0, small.a.k.image.size);
        memset(small.v, dirty ? 0xff : 0, small.a.v.image.size);
        for (int side = 0; side < 2; side++) {
            sf8_kv_store s;
            sf8_kv_slots slots = {slot, 5, 0, 0, seen, sizeof seen};
            memset(&s, 0, sizeof s);
            s.image = side ? small.a.v.image : small.a.k.image;
            s.recipe = &small.recipe;
            s.from = SF8_BF16;
            s.first = (sf8_kv_words){words, 5, 64, 64, 64};
            s.g = &one;
            s.g_count = 1;
            for (int64_t i = 0; i < 5; i++)
                slot[i] = small.blocks[0] * 16 + i;
            self_check(c, "a store", sf8_kv_store_n(&s, 1, &slots, NULL), SF8_OK);
        }
        attend_small_run(&small, SF8_ATTEND_EXACT, 0);
        if (!dirty)
            keep();
    }
    attend_small_same(c, "what was there before", small.out, kept, 64);
    self_check(c, "its lse", small.lse[0], kept_lse[0]);
}

/* NaN in one value: as the code 7f, by division, or 7e, by a clamp that ignores NaN. It is read as
 * it is, or by FlashInfer, for which 7f is 480. With one key the output is that value times the
 * scale. */
static void run_launder(self_checks *c)
{
    static const struct {
        const char *order, *recipe;
        uint32_t out;
    } rows[] = {
        {"vllm-triton", "kv-vllm", N},
        {"flashinfer", "kv-vllm", 0x43700000},
        {"vllm-triton", "kv-vllm-scaled", 0x43600000},
        {"flashinfer", "kv-vllm-scaled", 0x43600000},
        {"fa3-fp8", "kv-vllm", N},
        {"fa3-fp8", "kv-vllm-scaled", 0x43600000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t nan = N;
        uint32_t scale;
        uint8_t code;
        sf8_recipe r;
        attend_small_begin(&small, SMALL_E4M3, (attend_sizes){1, 1, 1, 1, 64, 16});
        small.v_scale[0] = 0x3f000000;
        self_check(c, rows[i].recipe, sf8_recipe_named(&r, rows[i].recipe), SF8_OK);
        sf8_quantize_n(&r, &code, &scale, NULL, SF8_F32, &nan, 1, 1, 0.5f);
        *attend_small_at(&small, small.v, 0, 0, 3) = code;
        attend_small_order(&small, sf8_attend_order_named(rows[i].order), 1);
        self_check(c, rows[i].order, small.out[3], rows[i].out);
    }
}

/* What FlashAttention-3 returns for a row with a NaN, NaN and an lse of -infinity, beside a good
 * part: NaN with other rules; its own combine loses it. */
static void run_finalize(self_checks *c)
{
    const sf8_attend_order *fa3 = sf8_attend_order_named("fa3-fp8");
    const uint32_t good[2] = {ONE, TWO};
    uint32_t out[2];
    attend_small_begin(&small, SMALL_E4M3, (attend_sizes){100, 1, 1, 1, 64, 16});
    *attend_small_at(&small, small.k, 50, 0, 7) = 0x7f;
    attend_small_order(&small, fa3, 1);
    self_check(c, "the output", small.out[0], N);
    self_check(c, "the lse", small.lse[0], EMPTY);
    for (int rule = 0; rule < SF8_MERGE_COUNT; rule++)
        for (int swap = 0; swap < 2; swap++) {
            sf8_f32_merge_n((sf8_merge)rule, out, swap ? small.out : good, swap ? EMPTY : FIVE,
                            swap ? good : small.out, swap ? FIVE : EMPTY, 2);
            for (size_t i = 0; i < 2; i++)
                self_check(c, sf8_merge_name((sf8_merge)rule), out[i],
                           rule == SF8_MERGE_FA3 ? good[i] : N);
        }
}

/* One NaN key in 1,000: by the definition NaN with any number of parts; FlashAttention-3 gives NaN
 * with one part, and a number with two and four. */
static void run_hides(self_checks *c)
{
    static const char *const names[] = {"fa3-fp8", "fa3-fp8-two-level", "fa3-bf16"};
    for (size_t splits = 1; splits <= 4; splits *= 2) {
        attend_small_begin(&small, SMALL_E4M3, (attend_sizes){1000, 1, 1, 1, 64, 16});
        *attend_small_at(&small, small.k, 777, 0, 5) = 0x7f;
        attend_small_run(&small, SF8_ATTEND_EXACT, splits);
        for (size_t d = 0; d < 64; d++)
            self_check(c, "the definition", small.out[d], N);
        for (size_t i = 0; i < 3; i++) {
            attend_small_order(&small, sf8_attend_order_named(names[i]), splits);
            for (size_t d = 0; d < 64; d++)
                self_check(c, names[i], (small.out[d] & INF) == INF, splits == 1);
        }
    }
}

const self_table self_poison[] = {
    {"poison/unused_slots", run_unused},
    {"poison/null_block", run_null},
    {"poison/masked_future", run_future},
    {"poison/one_key", run_one_key},
    {"poison/neighbour_isolation", run_neighbour},
    {"poison/slot_reuse", run_reuse},
    {"poison/launder", run_launder},
    {"poison/fa_finalize", run_finalize},
    {"poison/split_hides", run_hides},
    {NULL, NULL},
};
