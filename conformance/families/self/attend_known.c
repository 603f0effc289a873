/* SPDX-License-Identifier: MIT */
/* attend_known.c -- attention over a cache: this build against known results
 *
 * They come from a second implementation in float (lib/tests/attend/attend_order_ref.h, attend.h),
 * or can be computed by hand.
 */
#include "families/attend/small_request.h"
#include "softfp8_f32.h"

#include <math.h>
#include <string.h>

static attend_small small;
static uint32_t kept[SMALL_OUT];

static size_t cut_of(const sf8_attend_order *o, size_t prefix)
{
    return o->split == SF8_SPLIT_PREFIX ? prefix : 1;
}

/* ---- known words ----------------------------------------------------------------------------- */

/* Element d of key j is code (j 37 + d 11) mod 119, of a value (j 53 + d 29) mod 101, the sign
 * (j + d) / 3 mod 2; query d (d 5 mod 13 - 6) / 16. */
static void begin_known(void)
{
    attend_small_begin(&small, SMALL_E4M3, (attend_sizes){700, 1, 1, 1, 64, 16});
    for (size_t j = 0; j < 700; j++)
        for (size_t d = 0; d < 64; d++) {
            uint8_t sign = (uint8_t)(128 * ((j + d) / 3 % 2));
            *attend_small_at(&small, small.k, j, 0, d) = (uint8_t)((j * 37 + d * 11) % 119 + sign);
            *attend_small_at(&small, small.v, j, 0, d) = (uint8_t)((j * 53 + d * 29) % 101 + sign);
        }
    for (size_t d = 0; d < 64; d++)
        small.q[d] = (uint16_t)(word_of((float)((int)(d * 5 % 13) - 6) / 16) >> 16);
    small.k_scale[0] = word_of(0x1p-6f);
    small.v_scale[0] = word_of(0.0115f);
}

typedef struct known_row {
    const char *name;
    uint32_t word[3], lse;
} known_row;

/* Of codes. */
static const known_row of_codes[] = {
    {"exact", {0x3a845975, 0x3adbd475, 0xba670629}, 0x40d1f8e4},
    {"mma-f16", {0x3a84854f, 0x3adbfe47, 0xba66b8b1}, 0x40d1f8e4},
    {"mma-bf16", {0x3a82b52f, 0x3adbfd54, 0xba6676e9}, 0x40d1f8e4},
    {"fa3-fp8", {0x3a5de704, 0x3ad06af5, 0xba7d76af}, 0x40d1f8e4},
    {"fa3-fp8-two-level", {0x3a5e0634, 0x3ad06bef, 0xba7d77c2}, 0x40d1f8e4},
    {"fa3-bf16", {0x3a84f373, 0x3ad92a80, 0xba6647f5}, 0x40d1f8e5},
    {"flashinfer", {0x3a840000, 0x3adb0000, 0xba670000}, 0x41177668},
    {"vllm-triton", {0x3a85ac98, 0x3ad951f1, 0xba66f66b}, 0x40d1f8e4},
    {"vllm-triton-3d", {0x3a84e377, 0x3ada8d3c, 0xba66282c}, 0x40d1f8e4},
    {"paged-v1", {0x3a870000, 0x3ad90000, 0xba6c0000}, 0x40d1f8e4},
    {"paged-v2", {0x3a86e3d1, 0x3adac349, 0xba698665}, 0x40d1f8e4},
    {"cascade-bf16", {0x3a8581e5, 0x3adae53b, 0xba65bb7e}, 0x40d1f8e5},
    {"split-f32", {0x3a845970, 0x3adbd470, 0xba670627}, 0x40d1f8e5},
    {"split-bf16", {0x3a841dd4, 0x3adbac3c, 0xba68b5a7}, 0x40d1f8e5},
};

/* Words of f32 in which every operation rounds: word i is that of a hash, +- [1/4, 1); of keys from
 * 0 on, of values from 2^20, of the query, the upper half, from 2^21. Scales 0.7 and 1.3. */
static uint32_t hashed(uint32_t i)
{
    uint32_t h = (i + 1) * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    return (h & 0x80000000) | (0x3e800000 + (h >> 7 & 0xffffff));
}

static void begin_hashed(void)
{
    attend_small_begin(&small, SMALL_F32, (attend_sizes){130, 1, 1, 1, 64, 16});
    for (uint32_t j = 0; j < 130; j++)
        for (uint32_t d = 0; d < 64; d++) {
            uint32_t k = hashed(j * 64 + d), v = hashed((1u << 20) + j * 64 + d);
            memcpy(attend_small_at(&small, small.k, j, 0, d), &k, 4);
            memcpy(attend_small_at(&small, small.v, j, 0, d), &v, 4);
        }
    for (uint32_t d = 0; d < 64; d++)
        small.q[d] = (uint16_t)(hashed((1u << 21) + d) >> 16);
    small.k_scale[0] = word_of(0.7f);
    small.v_scale[0] = word_of(1.3f);
}

static const known_row of_words[] = {
    {"exact", {0x3d9fd662, 0x3c63edef, 0x3d3f246b}, 0x409d4c6f},
    {"mma-f16", {0x3d9fdf3c, 0x3c63c434, 0x3d3f01ac}, 0x409d4c79},
    {"mma-bf16", {0x3d9fadf9, 0x3c662e04, 0x3d3f9994}, 0x409d4c57},
    {"fa3-bf16", {0x3d9fa248, 0x3c63ccef, 0x3d3ef0f5}, 0x409d4c95},
    {"flashinfer", {0x3d9f0000, 0x3c630000, 0x3d3f0000}, 0x40e2f13c},
    {"vllm-triton", {0x3d9f9705, 0x3c63399b, 0x3d3ec466}, 0x409d4c96},
    {"vllm-triton-3d", {0x3d9f57d0, 0x3c62577d, 0x3d3efd61}, 0x409d4c96},
    {"paged-v1", {0x3da00000, 0x3c680000, 0x3d400000}, 0x409d4c96},
    {"cascade-bf16", {0x3d9f3280, 0x3c62bff7, 0x3d3de1bc}, 0x409d4c96},
    {"split-f32", {0x3d9fd664, 0x3c63ede0, 0x3d3f2471}, 0x409d4c6e},
};

static void check_known(self_checks *c, const known_row *row, size_t prefix)
{
    sf8_status status;
    sf8_attend_sums sums = sf8_attend_sums_named(row->name, &status);
    const sf8_attend_order *o = sf8_attend_order_named(row->name);
    for (int core = 0; core < 2; core++) {
        int ran = status == SF8_OK ? attend_small_level(&small, sums, core ? "core" : NULL)
                  : o ? attend_small_order(&small, o, o->split == SF8_SPLIT_PREFIX ? prefix : 2)
                      : 0;
        self_check(c, row->name, (uint64_t)ran, 1);
        for (size_t k = 0; k < 3; k++)
            self_check(c, row->name, small.out[k], row->word[k]);
        self_check(c, row->name, small.lse[0], row->lse);
    }
}

static void run_ref(self_checks *c)
{
    begin_known();
    for (size_t i = 0; i < sizeof of_codes / sizeof of_codes[0]; i++)
        check_known(c, &of_codes[i], 128);
    begin_hashed();
    for (size_t i = 0; i < sizeof of_words / sizeof of_words[0]; i++)
        check_known(c, &of_words[i], 64);
}

/* ---- what can be worked out ------------------------------------------------------------------ */

/* Scores 0, -1, ..., -31 to the base 2, each key with a channel of its own: weights are 2^8, 2^7,
 * ... as e4m3, the last of them 2^-9; 2^-10 is a tie, and 0. Their sum, before they are rounded, is
 * 43ffffff by quads, 1 / sum 3b000001; without the offset what is below 2^-9 is 0. */
static void run_offset(self_checks *c)
{
    sf8_attend_order o = *sf8_attend_order_named("fa3-fp8");
    attend_small_begin(&small, SMALL_E4M3, (attend_sizes){32, 1, 1, 1, 64, 16});
    attend_small_fill(&small, small.k, 0);
    attend_small_fill(&small, small.v, 0);
    attend_small_query(&small, 1);
    small.a.scale = 0x3f317218; /* ln 2: times log2 e it is 1 */
    for (size_t j = 0; j < 32; j++) {
        attend_small_put(&small, small.k, j, 0, 0, -(float)(j % 8));
        attend_small_put(&small, small.k, j, 0, 1, -(float)(j / 8 * 8));
        attend_small_put(&small, small.v, j, 0, j, 1);
    }
    for (o.offset = 8; o.offset >= 0; o.offset -= 8) {
        int last = 9 + o.offset;
        attend_small_order(&small, &o, 1);
        for (int i = 0; i < 32; i++)
            self_check(c, "a weight", small.out[i],
                       i <= last ? ((uint32_t)(126 - i) << 23) + 1 : 0);
    }
}

/* Scores 0 and -240, integers: exact in every order; PagedAttention adds 1e-6, which is gone in
 * bf16. */
static void run_integer(self_checks *c)
{
    for (size_t i = 0; i < 14; i++) {
        const sf8_attend_order *o = sf8_attend_order_at(i);
        attend_small_begin(&small, SMALL_E4M3, (attend_sizes){600, 1, 1, 1, 64, 16});
        attend_small_fill(&small, small.k, -240);
        attend_small_query(&small, 1);
        small.a.scale = word_of(1);
        for (size_t d = 0; d < 64; d++)
            attend_small_put(&small, small.k, 321, 0, d, 0);
        for (size_t p = 0; p < 600; p++)
            for (size_t d = 0; d < 64; d++)
                attend_small_put(&small, small.v, p, 0, d, (float)((int)((p * 7 + d) % 31) - 15));
        o ? attend_small_order(&small, o, cut_of(o, 256))
          : attend_small_run(&small, (sf8_attend_sums)(i - 11), 0);
        for (size_t d = 0; d < 64; d++) {
            uint32_t word = o && o->end == SF8_END_WEIGHTS ? to_bf16(small.out[d]) : small.out[d];
            self_check(c, o ? o->name : "the definition", word & 0x7fffffff,
                       word_of(fabsf((float)((int)((321 * 7 + d) % 31) - 15))));
        }
    }
}

/* 256 keys of 0: the mean of 0 and 8 is 4, but for PagedAttention, which adds 1e-6. */
static void run_uniform(self_checks *c)
{
    for (size_t i = 0; i < 14; i++) {
        const sf8_attend_order *o = sf8_attend_order_at(i);
        if (o && o->end == SF8_END_WEIGHTS)
            continue;
        attend_small_begin(&small, SMALL_E4M3, (attend_sizes){256, 1, 1, 1, 64, 16});
        attend_small_fill(&small, small.k, 0);
        for (size_t p = 0; p < 256; p++)
            for (size_t d = 0; d < 64; d++)
                attend_small_put(&small, small.v, p, 0, d, (p + d) % 2 ? 8.0f : 0.0f);
        o ? attend_small_order(&small, o, cut_of(o, 128))
          : attend_small_run(&small, (sf8_attend_sums)(i - 11), 0);
        for (size_t d = 0; d < 64; d++)
            self_check(c, o ? o->name : "the definition", small.out[d], 0x40800000);
    }
}

/* 131,072 keys, the score of number 100 to the base 2 is 5, of others 0; values 1, its own 0, or in
 * odd channels 1/32. One level of sums of 13 bits ends at 1/8, and beyond its bound; two levels
 * keep the key. */
static void run_long(self_checks *c)
{
    const double n = 131072, all = n + 31, even = (n - 1) / all, odd = n / all;
    attend_small_begin(&small, SMALL_E4M3, (attend_sizes){256, 1, 1, 1, 32, 128});
    attend_small_fill(&small, small.k, 0);
    attend_small_fill(&small, small.v, 1);
    attend_small_query(&small, 0);
    small.q[0] = 0x3f80;
    attend_small_put(&small, small.k, 100, 0, 0, 5);
    for (size_t d = 0; d < 32; d++)
        attend_small_put(&small, small.v, 100, 0, d, d % 2 ? 0x1p-5f : 0);
    for (size_t b = 2; b < 1024; b++)
        small.blocks[b] = small.blocks[1];
    small.a.block_count = 1024;
    small.a.keys = 131072;
    small.a.first = 131071;
    small.a.scale = 0x3f317218;
    attend_small_order(&small, sf8_attend_order_named("fa3-fp8"), 1);
    double error = fabs((double)value_of(small.out[0]) - even);
    self_check(c, "one level leaves its bound", error > even * (0x1p-4 + 4096 * 0x1p-13 + 0x1p-18),
               1);
    self_check(c, "and loses the key", small.out[0] == small.out[1], 1);
    attend_small_order(&small, sf8_attend_order_named("fa3-fp8-two-level"), 1);
    self_check(c, "two levels", fabs((double)value_of(small.out[0]) - even) < 0x1p-22, 1);
    self_check(c, "keep the key", fabs((double)value_of(small.out[1]) - odd) < 0x1p-22, 1);
}

/* Values stored as e5m2: off by 2^-3 of their magnitudes at most, and by more than a hundredth of
 * that. */
static void run_e5m2(self_checks *c)
{
    attend_small_begin(&small, SMALL_F32, (attend_sizes){300, 1, 1, 1, 64, 16});
    attend_small_fill(&small, small.k, 0);
    attend_small_run(&small, SF8_ATTEND_EXACT, 0);
    memcpy(kept, small.out, sizeof kept);
    double spread[64] = {0}, largest = 0;
    unsigned beyond = 0;
    for (size_t p = 0; p < 300; p++)
        for (size_t d = 0; d < 64; d++) {
            float x;
            uint8_t *at = attend_small_at(&small, small.v, p, 0, d);
            memcpy(&x, at, sizeof x);
            spread[d] += fabs((double)x) / 300;
            x = sf8_e5m2_to_f32(sf8_f32_to_e5m2(x, SF8_OCP));
            memcpy(at, &x, sizeof x);
        }
    attend_small_run(&small, SF8_ATTEND_EXACT, 0);
    for (size_t d = 0; d < 64; d++) {
        double error = fabs((double)value_of(small.out[d]) - (double)value_of(kept[d]));
        beyond += error > spread[d] * 0x1p-3;
        largest = error / spread[d] > largest ? error / spread[d] : largest;
    }
    self_check(c, "beyond the bound", beyond, 0);
    self_check(c, "more than a hundredth of it", largest > 0x1p-3 / 100, 1);
}

const self_table self_attend_known[] = {
    {"attend/ref_fixed_order", run_ref},
    {"attend/weights_in_e4m3_times_256", run_offset},
    {"attend/exact_integer", run_integer},
    {"attend/uniform", run_uniform},
    {"attend/long_accumulate", run_long},
    {"attend/e5m2_bound", run_e5m2},
    {NULL, NULL},
};
