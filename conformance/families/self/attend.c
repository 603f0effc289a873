/* SPDX-License-Identifier: MIT */
/* attend.c -- attention over a cache, this build compared with itself: parts, prefixes,
 * chunks, neighbours; by the definition, whose bits depend on none of these, and in the orders of
 * other stacks */
#include "families/attend/small_request.h"
#include "softfp8_f32.h"

#include <math.h>
#include <string.h>

static attend_small small, other;
static uint32_t kept[SMALL_OUT], kept_lse[SMALL_OUT / 8];

static void keep(void)
{
    memcpy(kept, small.out, sizeof kept);
    memcpy(kept_lse, small.lse, sizeof kept_lse);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Parts, of which some have no key. By the definition: the same bits. By FlashAttention-3:
 * different bits that are close to each other. */
static void run_splits(self_checks *c)
{
    static const size_t parts[] = {1, 2, 3, 7, 16, 40};
    const sf8_attend_order *fa3 = sf8_attend_order_named("fa3-bf16");
    unsigned moved = 0;
    attend_small_begin(&small, SMALL_E4M3, (attend_sizes){1100, 2, 4, 2, 64, 16});
    for (int sums = 0; sums < SF8_ATTEND_SUMS_COUNT; sums++) {
        attend_small_run(&small, (sf8_attend_sums)sums, 0);
        keep();
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            attend_small_run(&small, (sf8_attend_sums)sums, parts[i]);
            attend_small_same(c, "parts", small.out, kept, 2 * 4 * 64);
            attend_small_same(c, "lse of parts", small.lse, kept_lse, 2 * 4);
        }
    }
    attend_small_order(&small, fa3, 1);
    keep();
    for (size_t i = 1; i < sizeof parts / sizeof parts[0]; i++) {
        unsigned far = 0;
        attend_small_order(&small, fa3, parts[i]);
        for (size_t k = 0; k < 2 * 4 * 64; k++) {
            moved += small.out[k] != kept[k];
            far += fabsf(value_of(small.out[k]) - value_of(kept[k])) > 0x1p-11f;
        }
        self_check(c, "fa3-bf16 in splits", far, 0);
    }
    self_check(c, "splits of fa3-bf16 differ from one part", moved > 0, 1);
}

/* 640 keys, 512 and 128, parts in f32 and in bf16: of the results in bf16 about a third differ. */
static void run_bf16_partial(self_checks *c)
{
    sf8_attend_order f32 = *sf8_attend_order_named("split-f32"), bf16;
    unsigned words = 0, halves = 0;
    f32.split = SF8_SPLIT_PREFIX;
    bf16 = f32;
    bf16.half_parts = 1;
    attend_small_begin(&small, SMALL_F32, (attend_sizes){640, 8, 1, 1, 64, 16});
    attend_small_order(&small, &f32, 512);
    keep();
    attend_small_order(&small, &bf16, 512);
    for (size_t i = 0; i < 8 * 64; i++) {
        words += small.out[i] != kept[i];
        halves += to_bf16(small.out[i]) != to_bf16(kept[i]);
    }
    self_check(c, "all words of f32 differ", words > 8 * 64 * 98 / 100, 1);
    self_check(c, "at least a quarter of bf16", halves > 8 * 64 / 4, 1);
    self_check(c, "at most two fifths", halves < 8 * 64 * 2 / 5, 1);
}

/* The keys from `first` on, as a separate request. */
static void rest_of(size_t first, size_t keys)
{
    other = small;
    other.a.k.image.data = other.k;
    other.a.v.image.data = other.v;
    other.a.k.scale = other.k_scale;
    other.a.v.scale = other.v_scale;
    other.a.q.words = other.q;
    other.a.out.words = other.out;
    other.a.lse = other.lse;
    other.a.blocks = other.blocks + first / 16;
    other.a.block_count = (keys + 15) / 16;
    other.a.keys = keys;
    other.a.right = -1;
    other.a.first = 0;
    if (other.a.k.recipe)
        other.a.k.recipe = other.a.v.recipe = &other.recipe;
}

/* A prefix that all queries share, and keys of each after it: by the definition as a whole; in
 * vLLM's order FlashAttention on both, rounded to bf16 and merged. */
static void run_cascade(self_checks *c)
{
    const sf8_attend_order *fa3 = sf8_attend_order_named("fa3-bf16");
    static uint32_t prefix[64];
    attend_small_begin(&small, SMALL_BF16, (attend_sizes){400, 1, 1, 1, 64, 16});
    attend_small_run(&small, SF8_ATTEND_EXACT, 0);
    keep();
    attend_small_run(&small, SF8_ATTEND_EXACT, 2);
    attend_small_same(c, "by the definition", small.out, kept, 64);
    for (size_t cut = 208; cut <= 256; cut += 48) { /* within a tile, and between two */
        attend_small_order(&small, sf8_attend_order_named("cascade-bf16"), cut);
        rest_of(0, cut);
        self_check(c, "the prefix", (uint64_t)attend_small_order(&other, fa3, 1), 1);
        for (size_t i = 0; i < 64; i++)
            prefix[i] = to_bf16(other.out[i]);
        uint32_t lse = other.lse[0];
        rest_of(cut, 400 - cut);
        self_check(c, "the rest", (uint64_t)attend_small_order(&other, fa3, 1), 1);
        for (size_t i = 0; i < 64; i++)
            other.out[i] = to_bf16(other.out[i]);
        sf8_merged m = sf8_f32_merge_n(SF8_MERGE_VLLM, prefix, prefix, lse, other.out, other.lse[0],
                                       64);
        attend_small_same(c, "vLLM's cascade", small.out, prefix, 64);
        self_check(c, "its lse", small.lse[0], m.lse);
    }
}

/* Requests behind a prefix: blocks that all have, then three of each one's own, of which the i-th
 * has 1 + i 13 mod 47 keys; one query each, the last position. `other` becomes the i-th, all of it
 * or what is behind the prefix. */
enum { OWN = 48 };

static void request_of(size_t i, size_t prefix, int whole)
{
    static int64_t table[SMALL_BLOCKS];
    const size_t own = 1 + i * 13 % 47, shared = whole ? prefix : 0, row = small.a.heads * 64;
    rest_of(0, shared + own);
    memcpy(table, small.blocks, shared / 16 * sizeof table[0]);
    memcpy(table + shared / 16, small.blocks + (prefix + i * OWN) / 16, 3 * sizeof table[0]);
    other.a.blocks = table;
    other.a.queries = other.a.q.tokens = other.a.out.tokens = 1;
    other.a.q.words = other.q + i * row;
    other.a.first = (int64_t)(shared + own) - 1;
}

/* All queries over the prefix, once, by the definition; each is joined with its own keys. */
static void run_shared(self_checks *c, size_t requests, size_t prefix)
{
    static uint32_t of_all[8 * 64 * 2 * 66], of_one[8 * 2 * 66], mine[8 * 2 * 66], room[1 << 16];
    const size_t words = sizeof room / sizeof room[0], chunks = prefix / 64;
    rest_of(0, chunks * 64);
    self_check(c, "the prefix, of all", sf8_attend_part(&other.a, 0, chunks, of_all, room, words),
               SF8_OK);
    const size_t row = sf8_attend_piece_words(&other.a) / requests;
    const size_t pieces = sf8_attend_pieces(&other.a, 0, chunks);
    for (size_t i = 0; i < requests; i++) {
        request_of(i, prefix, 1);
        const size_t end = sf8_attend_chunks(&other.a), n = small.a.heads * 64;
        const sf8_attend_parted parts[2] = {{0, chunks, of_one}, {chunks, end, mine}};
        attend_small_run(&other, SF8_ATTEND_EXACT, 0);
        memcpy(kept, other.out, n * 4);
        memcpy(kept_lse, other.lse, small.a.heads * 4);
        for (size_t p = 0; p < pieces; p++)
            memcpy(of_one + p * row, of_all + (p * requests + i) * row, row * 4);
        self_check(c, "its own", sf8_attend_part(&other.a, chunks, end, mine, room, words), SF8_OK);
        memset(other.out, 0, n * 4);
        self_check(c, "both", sf8_attend_joined(&other.a, parts, 2, room, words), SF8_OK);
        attend_small_same(c, "of many, by the definition", other.out, kept, n);
        attend_small_same(c, "its lse", other.lse, kept_lse, small.a.heads);
    }
}

/* The same by vLLM: FlashAttention-3 over the prefix for all queries, and for each over its own
 * keys, both rounded to bf16, and merged. */
static void run_shared_vllm(self_checks *c, size_t requests, size_t prefix)
{
    static uint32_t of_all[SMALL_OUT], of_all_lse[SMALL_OUT / 8], out[2 * 64];
    const sf8_attend_order *fa3 = sf8_attend_order_named("fa3-bf16");
    const size_t n = small.a.heads * 64;
    rest_of(0, prefix);
    self_check(c, "the prefix, of all", (uint64_t)attend_small_order(&other, fa3, 1), 1);
    memcpy(of_all_lse, other.lse, sizeof of_all_lse);
    for (size_t i = 0; i < requests * n; i++)
        of_all[i] = to_bf16(other.out[i]);
    for (size_t i = 0; i < requests; i++) {
        request_of(i, prefix, 1);
        attend_small_order(&other, sf8_attend_order_named("cascade-bf16"), prefix);
        memcpy(kept, other.out, n * 4);
        memcpy(kept_lse, other.lse, small.a.heads * 4);
        request_of(i, prefix, 0);
        self_check(c, "its own", (uint64_t)attend_small_order(&other, fa3, 1), 1);
        for (size_t k = 0; k < n; k++)
            other.out[k] = to_bf16(other.out[k]);
        for (size_t h = 0; h < small.a.heads; h++) {
            sf8_merged m = sf8_f32_merge_n(SF8_MERGE_VLLM, out + h * 64, of_all + i * n + h * 64,
                                           of_all_lse[i * small.a.heads + h], other.out + h * 64,
                                           other.lse[h], 64);
            self_check(c, "its lse", kept_lse[h], m.lse);
        }
        attend_small_same(c, "of many, vLLM's cascade", kept, out, n);
    }
}

/* 8 requests, the least for which vLLM cascades, behind 256 keys, the fewest; 17 behind a prefix
 * that is not whole chunks; 64. */
static void run_cascade_all(self_checks *c)
{
    static const struct {
        size_t requests, prefix, heads;
    } rows[] = {{8, 256, 2}, {17, 272, 2}, {64, 512, 1}};
    run_cascade(c);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t n = rows[i].requests, keys = rows[i].prefix + n * OWN;
        attend_small_begin(&small, SMALL_BF16, (attend_sizes){keys, n, rows[i].heads, 1, 64, 16});
        run_shared(c, n, rows[i].prefix);
        run_shared_vllm(c, n, rows[i].prefix);
    }
}

/* ---- the rest of the batch, the past --------------------------------------------------------- */

/* One query alone, and among others; with NaN in the other head of the cache. */
static void run_batch(self_checks *c)
{
    const attend_sizes z = {500, 8, 4, 2, 64, 16};
    attend_small_begin(&small, SMALL_E4M3, z);
    for (int sums = 0; sums < SF8_ATTEND_SUMS_COUNT; sums++) {
        attend_small_run(&small, (sf8_attend_sums)sums, 0);
        keep();
        for (size_t i = 0; i < 8; i += 3) {
            sf8_attend all = small.a;
            small.a.queries = small.a.q.tokens = small.a.out.tokens = 1;
            small.a.first += (int64_t)i;
            small.a.q.words = small.q + i * 4 * 64;
            attend_small_run(&small, (sf8_attend_sums)sums, 0);
            small.a = all;
            attend_small_same(c, "alone", small.out, kept + i * 4 * 64, 4 * 64);
        }
    }
    attend_small_run(&small, SF8_ATTEND_EXACT, 0);
    keep();
    for (size_t p = 0; p < 500; p++)
        for (size_t d = 0; d < 64; d++)
            *attend_small_at(&small, small.k, p, 1, d) = *attend_small_at(&small, small.v, p, 1,
                                                                          d) = 0x7f;
    attend_small_run(&small, SF8_ATTEND_EXACT, 0);
    for (size_t i = 0; i < 8; i++)
        attend_small_same(c, "beside NaN", small.out + i * 4 * 64, kept + i * 4 * 64, 2 * 64);
}

/* A prefix's pieces, computed by another request, joined with those of this request. */
static void run_prefix(self_checks *c)
{
    static uint32_t pieces[2][64 * 66], room[1 << 16];
    size_t words = sizeof room / sizeof room[0];
    for (size_t chunks = 1; chunks < 17; chunks += 5) {
        sf8_attend_parted parts[2] = {{0, chunks, pieces[0]}, {chunks, 18, pieces[1]}};
        attend_small_begin(&small, SMALL_E4M3, (attend_sizes){1100, 1, 1, 1, 64, 16});
        attend_small_run(&small, SF8_ATTEND_EXACT, 0);
        keep();
        sf8_attend prefix = small.a; /* the keys after it did not exist yet */
        prefix.keys = chunks * 64;
        prefix.right = -1;
        prefix.block_count = chunks * 4;
        self_check(c, "a prefix", sf8_attend_part(&prefix, 0, chunks, pieces[0], room, words),
                   SF8_OK);
        self_check(c, "the rest", sf8_attend_part(&small.a, chunks, 18, pieces[1], room, words),
                   SF8_OK);
        memset(small.out, 0, sizeof small.out);
        self_check(c, "both", sf8_attend_joined(&small.a, parts, 2, room, words), SF8_OK);
        attend_small_same(c, "a hit", small.out, kept, 64);
    }
}

/* A prefill in pieces of 7 queries, each over the keys that exist by then. */
static void run_chunked(self_checks *c)
{
    attend_small_begin(&small, SMALL_E4M3, (attend_sizes){333, 40, 2, 1, 64, 16});
    attend_small_run(&small, SF8_ATTEND_MMA_BF16, 0);
    keep();
    for (size_t i = 0; i < 40; i += 7) {
        sf8_attend all = small.a;
        size_t n = i + 7 < 40 ? 7 : 40 - i;
        small.a.queries = small.a.q.tokens = small.a.out.tokens = n;
        small.a.first += (int64_t)i;
        small.a.keys = (size_t)small.a.first + n;
        small.a.q.words = small.q + i * 2 * 64;
        attend_small_run(&small, SF8_ATTEND_MMA_BF16, 0);
        small.a = all;
        attend_small_same(c, "a chunk of a prefill", small.out, kept + i * 2 * 64, n * 2 * 64);
    }
}

const self_table self_attend[] = {
    {"attend/splits_equiv", run_splits},
    {"attend/split_bf16_partial", run_bf16_partial},
    {"attend/cascade_equiv", run_cascade_all},
    {"attend/batch_invariance", run_batch},
    {"attend/prefix_hit_equals_cold", run_prefix},
    {"attend/chunked_equals_whole", run_chunked},
    {NULL, NULL},
};
