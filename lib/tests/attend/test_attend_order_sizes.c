/* SPDX-License-Identifier: MIT */
/* test_attend_order_sizes.c -- orders of other stacks: how far apart they are, which NaN they hide,
 * lose and let through, and what they refuse */
#include "attend/attend_order_run.h"

#include <math.h>
#include <stddef.h>

/* ---- sizes ----------------------------------------------------------------------------------- */

enum { RUNS = 60, CHANNELS = 128 };

static uint32_t base_out[CHANNELS];

static uint32_t to_bf16(uint32_t word)
{
    return (uint32_t)sf8_convert(SF8_BF16, SF8_F32, word, SF8_OCP_NOSAT);
}

typedef struct apart {
    const char *what;
    double least, most;           /* percent of the outputs in f32 that differ */
    double bf16_least, bf16_most; /* of those rounded to bf16 */
    sf8_attend_order order;
    size_t cut, words, halves;
} apart;

/* Changes of split-f32 in one part, tiles of 128 ascending. */
static size_t aparts(apart list[8])
{
    const sf8_attend_order *f32 = sf8_attend_order_named("split-f32");
    static const apart rows[] = {
        {.what = "descending", .least = 94, .most = 99, .bf16_most = 0.1},
        {.what = "tiles of 64", .least = 38, .most = 54, .bf16_most = 0.1},
        {.what = "tiles of 16", .least = 62, .most = 78, .bf16_most = 0.1},
        {.what = "512 and 128 keys", .least = 88, .most = 96, .bf16_most = 0.1},
        {.what = "parts in bf16", .least = 99.5, .most = 100, .bf16_least = 28, .bf16_most = 37},
        {.what = "weights in bf16", .least = 99.8, .most = 100, .bf16_least = 32, .bf16_most = 48},
    };
    memcpy(list, rows, sizeof rows);
    for (size_t i = 0; i < COUNT(rows); i++) {
        list[i].order = *f32;
        list[i].cut = 1;
    }
    list[0].order.descends = 1;
    list[1].order.tile = 64;
    list[2].order.tile = 16;
    list[3].order.split = list[4].order.split = SF8_SPLIT_PREFIX;
    list[3].cut = list[4].cut = 512;
    list[4].order.half_parts = 1;
    list[5].order.weight = SF8_WEIGHT_HALF;
    return COUNT(rows);
}

/* About normal, the variance 1. */
static float gauss(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)pseudo_random() * 0x1p-32;
    return (float)sum;
}

/* 640 keys of 128 elements: which changes affect a few in ten thousand results of bf16, and which
 * one in three. */
Test(attend_order_sizes, sizes)
{
    sizes z = {640, 1, 1, 1, CHANNELS, CHANNELS, 16};
    apart list[8];
    size_t n = aparts(list), runs = RUNS / one_in(6);
    for (size_t run = 0; run < runs; run++) {
        request_begin(&r, z, F32_CACHE, NHD, SF8_ATTEND_EXACT, SF8_F32);
        r.a.k.scale = r.a.v.scale = NULL;
        for (size_t i = 0; i < 640 * CHANNELS; i++) {
            float k = gauss(), v = gauss();
            memcpy(r.k.data + 4 * element_at(&r.k, i / CHANNELS, 0, i % CHANNELS), &k, 4);
            memcpy(r.v.data + 4 * element_at(&r.v, i / CHANNELS, 0, i % CHANNELS), &v, 4);
        }
        for (size_t d = 0; d < CHANNELS; d++)
            r.q32[d] = sf8_f32_bits(gauss());
        run_order(sf8_attend_order_named("split-f32"), 1);
        memcpy(base_out, r.out, sizeof base_out);
        for (size_t i = 0; i < n; i++) {
            run_order(&list[i].order, list[i].cut);
            for (size_t c = 0; c < CHANNELS; c++) {
                list[i].words += r.out[c] != base_out[c];
                list[i].halves += to_bf16(r.out[c]) != to_bf16(base_out[c]);
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        const apart *a = &list[i];
        double all = (double)(runs * CHANNELS), words = 100 * (double)a->words / all;
        double halves = 100 * (double)a->halves / all, slack = runs < RUNS ? 5 : 0;
        cr_expect(words >= a->least - slack && words <= a->most + slack &&
                      halves >= a->bf16_least - slack && halves <= a->bf16_most + slack,
                  "%s: %.2f %% differ, %.2f %% in bf16", a->what, words, halves);
    }
}

/* ---- NaN ------------------------------------------------------------------------------------- */

/* One NaN key among 1,000. FlashAttention-3 in one split: NaN, and an lse that says there was no
 * key; in more its combine leaves that split out, and nothing is to be seen. By the definition it
 * is NaN however it is split. */
Test(attend_order_sizes, split_hides)
{
    static const char *const names[] = {"fa3-fp8", "fa3-fp8-two-level", "fa3-bf16"};
    sizes z = {1000, 1, 2, 1, 64, 64, 16};
    for (size_t i = 0; i < COUNT(names); i++)
        for (size_t splits = 1; splits <= 4; splits *= 2) {
            request_begin(&r, z, E4M3_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
            r.k.data[element_at(&r.k, 777, 0, 5)] = 0x7f;
            run_order(sf8_attend_order_named(names[i]), splits);
            for (size_t c = 0; c < 2 * 64; c++)
                EXPECT(sf8_f32_is_nan(r.out[c]) == (splits == 1), "%s, %zu splits: %08x", names[i],
                       splits, r.out[c]);
            cr_expect((r.lse[0] == 0xff800000) == (splits == 1), "%s: %08x", names[i], r.lse[0]);
            run_parts(0, splits);
            for (size_t c = 0; c < 2 * 64; c++)
                EXPECT(r.out[c] == 0x7fc00000, "%zu parts: %08x", splits, r.out[c]);
        }
}

/* NaN in the values of a slot behind the last key, in its block: 0 NaN is NaN where kernels
 * multiply what lies there. */
Test(attend_order_sizes, unused_slot)
{
    sizes z = {250, 1, 2, 1, 64, 64, 16};
    for (size_t i = 0; sf8_attend_order_at(i); i++) {
        const sf8_attend_order *o = sf8_attend_order_at(i);
        size_t cut = o->split == SF8_SPLIT_PREFIX ? 128 : 1;
        int leaks = o->others == SF8_OTHERS_AS_THEY_ARE;
        request_begin(&r, z, cache_for(o, E4M3_CACHE), NHD, SF8_ATTEND_EXACT, SF8_BF16);
        run_order(o, cut);
        keep();
        r.v.data[element_at(&r.v, 255, 0, 7)] = 0x7f;
        r.k.data[element_at(&r.k, 255, 0, 7)] = 0x7f;
        run_order(o, cut);
        for (size_t c = 0; c < 2 * 64; c++)
            EXPECT(leaks && c % 64 == 7 ? sf8_f32_is_nan(r.out[c]) : r.out[c] == kept_out[c],
                   "%s: channel %zu: %08x", o->name, c, r.out[c]);
        cr_expect(r.lse[0] == kept_lse[0], "%s", o->name);
    }
}

/* A row that no key is looked at by has no tile: 0 and -infinity, whatever lies in the slots. */
Test(attend_order_sizes, no_key)
{
    static const size_t lengths[] = {1, 150, 250, 256, 700};
    sizes z = {0, 3, 2, 1, 64, 64, 16};
    for (size_t i = 0; sf8_attend_order_at(i); i++)
        for (size_t n = 0; n < COUNT(lengths); n++)
            for (size_t beyond = 0; beyond < 600; beyond += 599) {
                const sf8_attend_order *o = sf8_attend_order_at(i);
                size_t keys = z.keys = lengths[n];
                if (o->values == SF8_VALUES_THREADS)
                    continue; /* takes no window; without one only 0 keys are none, below */
                request_begin(&r, z, cache_for(o, E4M3_CACHE), NHD, SF8_ATTEND_EXACT, SF8_BF16);
                memset(r.v.data, 0x7f, sizeof r.v.data);
                memset(r.k.data, 0x7f, sizeof r.k.data);
                r.a.first = (int64_t)(keys + 9 + beyond);
                r.a.left = 9;
                run_order(o, o->split == SF8_SPLIT_PREFIX ? keys / 2 : 1 + n % 3);
                for (size_t c = 0; c < 3 * 2 * 64; c++)
                    EXPECT(r.out[c] == 0, "%s, %zu keys: %08x", o->name, keys, r.out[c]);
                for (size_t row = 0; row < 6; row++)
                    EXPECT(r.lse[row] == 0xff800000, "%s, %zu keys: lse %08x", o->name, keys,
                           r.lse[row]);
            }
}

/* The same without any key. */
Test(attend_order_sizes, no_keys)
{
    sizes z = {16, 1, 2, 1, 64, 64, 16};
    for (size_t i = 0; sf8_attend_order_at(i); i++) {
        const sf8_attend_order *o = sf8_attend_order_at(i);
        request_begin(&r, z, cache_for(o, E4M3_CACHE), NHD, SF8_ATTEND_EXACT, SF8_BF16);
        memset(r.v.data, 0x7f, sizeof r.v.data);
        r.a.keys = 0;
        run_order(o, o->split == SF8_SPLIT_PREFIX ? 0 : 2);
        for (size_t c = 0; c < 2 * 64; c++)
            EXPECT(r.out[c] == 0, "%s: %08x", o->name, r.out[c]);
        EXPECT(r.lse[0] == 0xff800000 && r.lse[1] == 0xff800000, "%s: lse %08x", o->name, r.lse[0]);
    }
}

/* FlashInfer's reader moves bits: the code 7f is 480 to it, as if that were in a cache of bf16. */
Test(attend_order_sizes, laundered)
{
    sizes z = {70, 1, 1, 1, 64, 64, 16};
    static uint16_t words[2][70 * 64], q[64];
    uint32_t scale[2];
    request_begin(&r, z, E4M3_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
    r.k.data[element_at(&r.k, 9, 0, 3)] = 0x7f;
    r.v.data[element_at(&r.v, 40, 0, 8)] = 0xff;
    for (size_t i = 0; i < 2 * 70 * 64; i++) {
        const side *s = i < 70 * 64 ? &r.k : &r.v;
        uint32_t code = s->data[element_at(s, i / 64 % 70, 0, i % 64)];
        float x = (code & 127) == 127 ? 480 : ref_float8(code & 127, 3, 7);
        words[i / (70 * 64)][i % (70 * 64)] = (uint16_t)(sf8_f32_bits(code & 128 ? -x : x) >> 16);
    }
    memcpy(q, r.q16, sizeof q);
    scale[0] = r.k.scale[0];
    scale[1] = r.v.scale[0];
    run_order(sf8_attend_order_named("vllm-triton"), 1);
    for (size_t c = 0; c < 64; c++)
        EXPECT(sf8_f32_is_nan(r.out[c]), "channel %zu: %08x", c, r.out[c]);
    run_order(sf8_attend_order_named("flashinfer"), 1);
    keep();
    request_begin(&r, z, BF16_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
    memcpy(r.q16, q, sizeof q);
    r.k.scale[0] = scale[0];
    r.v.scale[0] = scale[1];
    for (size_t i = 0; i < 70 * 64; i++) {
        memcpy(r.k.data + 2 * element_at(&r.k, i / 64, 0, i % 64), &words[0][i], 2);
        memcpy(r.v.data + 2 * element_at(&r.v, i / 64, 0, i % 64), &words[1][i], 2);
    }
    run_order(sf8_attend_order_named("flashinfer"), 1);
    for (size_t c = 0; c < 64; c++)
        EXPECT(r.out[c] == kept_out[c] && !sf8_f32_is_nan(r.out[c]), "channel %zu: %08x, not %08x",
               c, kept_out[c], r.out[c]);
}

/* ---- 131,072 keys ---------------------------------------------------------------------------- */

/* All keys are 0 but number 100, whose score is 5 to the base 2: its weight is 2^-12 of all. Values
 * are 1, in the first channel; that of the one key is 0, in odd channels 1/32. A block of 128 has
 * that key, another all others. Codes of weights are 256 and 8, products 8: from 2^17 on an
 * accumulator that keeps 13 bits takes no 8 any more, and ends at 1/8 of the sum; neither does it
 * take 256 / 32 of the one key. */
static void needle(size_t keys)
{
    sizes z = {256, 1, 1, 1, 32, 8, 128};
    request_begin(&r, z, E4M3_CACHE, NHD, SF8_ATTEND_EXACT, SF8_F32);
    memset(r.k.data, 0, sizeof r.k.data);
    for (size_t p = 0; p < 256; p++)
        for (size_t c = 0; c < 8; c++)
            r.v.data[element_at(&r.v, p, 0, c)] = p != 100 ? 0x38 : c % 2 ? 0x10 : 0;
    r.k.data[element_at(&r.k, 100, 0, 0)] = 0x4a; /* 5 */
    for (size_t d = 0; d < 32; d++)
        r.q32[d] = d == 0 ? sf8_f32_bits(1) : 0;
    for (size_t b = 2; b < keys / 128; b++)
        r.blocks[b] = r.blocks[1];
    r.a.block_count = keys / 128;
    r.a.keys = keys;
    r.a.first = (int64_t)keys - 1;
    r.a.scale = sf8_f32_bits(0x1.62e43p-1f);
    r.a.k.scale = r.a.v.scale = NULL;
}

Test(attend_order_sizes, long_accumulate)
{
    size_t keys = (size_t)1 << (one_in(4) == 1 ? 17 : 15);
    double n = (double)keys, all = n + 31, even = (n - 1) / all, odd = n / all;
    /* |error| <= that of weights in e4m3, and of sums by 32 in one accumulator, of the sum of
     * weight |value|, which is the true value */
    double bound = even * (0x1p-4 + ceil(n / 32) * 0x1p-13 + 0x1p-18 * 32 / all);
    double out[2];
    needle(keys);
    run_order(sf8_attend_order_named("fa3-fp8"), 1);
    cr_expect(r.out[0] == r.out[1], "one level: the key is there");
    out[0] = (double)sf8_f32_from_bits(r.out[0]);
    cr_expect(fabs(out[0] - even) > bound, "one level: %.9g, bound %.3g", out[0], bound);
    run_order(sf8_attend_order_named("fa3-fp8-two-level"), 1);
    for (size_t c = 0; c < 2; c++)
        out[c] = (double)sf8_f32_from_bits(r.out[c]);
    cr_expect(fabs(out[0] - even) < 0x1p-22 && fabs(out[1] - odd) < 0x1p-22,
              "two levels: %.9g %.9g, not %.9g %.9g", out[0], out[1], even, odd);
}

/* ---- refused --------------------------------------------------------------------------------- */

static void refused(const char *what, const sf8_attend_order *o, size_t cut)
{
    static uint32_t room[1 << 20];
    uint32_t got = sf8_attend_order_check(o, &r.a, cut);
    cr_expect(got == SF8_ATTEND_BAD_ORDER, "%s: %s", what, sf8_attend_reason(got));
    memset(r.out, CANARY, sizeof r.out);
    cr_expect(sf8_attend_order_n(o, &r.a, cut, room, COUNT(room)) == SF8_BAD_CALL, "%s", what);
    for (size_t i = 0; i < 1000; i++)
        EXPECT(r.out[i] == 0xa5a5a5a5, "%s: word %zu", what, i);
}

#define REFUSED(name, cut, change)                                                                 \
    do {                                                                                           \
        sf8_attend_order o = *sf8_attend_order_named(name);                                        \
        r.a = good;                                                                                \
        change;                                                                                    \
        refused(#change " " #cut, &o, cut);                                                        \
    } while (0)

/* Orders with one choice changed: one that there is not, or that does not go with the others. */
static void changed_rows(void)
{
    static const struct {
        const char *name;
        size_t at; /* of an element of the row */
        int32_t to;
    } rows[] = {
#define CHANGED(name, member, to) {name, offsetof(sf8_attend_order, member), to}
        CHANGED("split-f32", tile, -1),
        CHANGED("split-f32", tile, 4097),
        CHANGED("split-f32", operands, 4),
        CHANGED("split-f32", dot, 4),
        CHANGED("split-f32", score, 7),
        CHANGED("split-f32", sum, 10),
        CHANGED("split-f32", weight, 3),
        CHANGED("split-f32", values, 6),
        CHANGED("split-f32", end, 7),
        CHANGED("split-f32", v_scale, 4),
        CHANGED("split-f32", others, 3),
        CHANGED("split-f32", split, 6),
        CHANGED("split-f32", join, 8),
        CHANGED("split-f32", join, -1),
        CHANGED("fa3-bf16", offset, -127),
        CHANGED("fa3-bf16", offset, 127),
        CHANGED("split-f32", offset, 1),
        CHANGED("flashinfer", offset, 1),
        CHANGED("split-f32", end, SF8_END_WEIGHTS),
        CHANGED("paged-v1", tile, 16),
        CHANGED("split-f32", join, SF8_JOIN_SEGMENTS),
        CHANGED("paged-v2", join, SF8_JOIN_SEGMENTS),
        CHANGED("vllm-triton", split, SF8_SPLIT_COUNT),
        CHANGED("vllm-triton-3d", split, SF8_SPLIT_PREFIX),
        CHANGED("vllm-triton-3d", end, SF8_END_RECIPROCAL),
        CHANGED("fa3-bf16", join, SF8_JOIN_PARTITIONS),
        CHANGED("fa3-bf16", join, SF8_JOIN_FLASHINFER),
        CHANGED("flashinfer", join, SF8_JOIN_VLLM),
        CHANGED("split-f32", end, SF8_END_LOG2),
        CHANGED("fa4-16", score, SF8_SCORE_SCALED),
        CHANGED("sglang-triton", v_scale, SF8_V_IN_VALUES),
        CHANGED("split-f32", v_scale, SF8_V_ON_JOINED),
        CHANGED("split-f32", scale_on, 2),
        CHANGED("split-f32", out_e4m3, 2),
        CHANGED("fa3-bf16", scale_on, SF8_SCALE_ON_BOTH),
        CHANGED("sglang-triton", scale_on, SF8_SCALE_ON_BOTH),
        CHANGED("flashinfer", score, SF8_SCORE_SCALED),
        CHANGED("fa3-bf16", score, SF8_SCORE_SCALED),
        CHANGED("fa3-bf16", base2, 1),
        CHANGED("flashinfer", base2, 0),
        CHANGED("split-f32", sum, SF8_SUM_UNIT),
        CHANGED("split-f32", dot, SF8_PRODUCTS_UNIT),
        CHANGED("split-f32", cap, 3),
        CHANGED("split-f32", sink, 5),
        CHANGED("split-f32", sum, SF8_SUM_BITS),
        CHANGED("split-f32", sum, SF8_SUM_GROUPS),
        CHANGED("split-f32", values, SF8_VALUES_GROUPS),
        CHANGED("split-f32", sum_bits, 12),
        CHANGED("split-f32", sum_seed, SF8_SEED_FIRST),
        CHANGED("split-f32", out_scale, 0x3f800000),
        CHANGED("split-f32", end, SF8_END_SCALE),
#undef CHANGED
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_attend_order o = *sf8_attend_order_named(rows[i].name);
        char what[64];
        cr_assert(sf8_attend_order_check(&o, &r.a, 1) == SF8_ATTEND_GOOD, "%s", o.name);
        memcpy((char *)&o + rows[i].at, &rows[i].to, sizeof rows[i].to);
        snprintf(what, sizeof what, "changed row %zu, %s", i, o.name);
        refused(what, &o, 1);
    }
}

Test(attend_order_sizes, wrong)
{
    sizes z = {100, 2, 4, 2, 64, 64, 16};
    request_begin(&r, z, E4M3_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
    sf8_attend good = r.a;
    REFUSED("fa3-fp8", 0, (void)o);
    REFUSED("fa3-fp8", 65537, (void)o);
    REFUSED("cascade-bf16", 101, (void)o);
    REFUSED("paged-v1", 1, r.a.cap = 0x3f800000);
    REFUSED("fa3-fp8", 1, r.a.cap = 0x3f800000; o.cap = SF8_CAP_SCORE);
    REFUSED("split-f32", 1, r.a.cap = 0x3f800000; o.scale_on = SF8_SCALE_ON_BOTH);
    REFUSED("paged-v1", 1, r.a.sinks = r.sinks);
    REFUSED("paged-v1", 1, r.a.sinks = r.sinks; o.sink = SF8_SINK_LAST);
    REFUSED("fa3-fp8", 1, r.a.sinks = r.sinks; o.sink = SF8_SINK_FIRST);
    REFUSED("fa3-fp8", 1, r.a.sinks = r.sinks; o.sink = SF8_SINK_KEY);
    REFUSED("fa3-fp8", 1, r.a.sinks = r.sinks; o.sink = SF8_SINK_JOINED);
    REFUSED("split-f32", 1, o.sum = SF8_SUM_BITS; o.sum_bits = 121);
    REFUSED("split-f32", 1, o.sum = SF8_SUM_BITS; o.sum_bits = 102);
    REFUSED("split-f32", 1, o.sum = SF8_SUM_BITS; o.sum_bits = 8);
    REFUSED("split-f32", 1, o.sum = SF8_SUM_BITS; o.sum_bits = 1; o.tile = 0);
    REFUSED("split-f32", 1, o.sum = SF8_SUM_BITS; o.sum_bits = 123456789; o.tile = 512);
    REFUSED("split-f32", 1, o.out_e4m3 = 1; o.out_scale = 0x00000001);
    REFUSED("split-f32", 1, o.out_e4m3 = 1; o.out_scale = 0x7f800000);
    REFUSED("vllm-triton", 1, o.unit = "none");
    REFUSED("vllm-triton", 1, o.unit = NULL);
    REFUSED("vllm-triton", 1, o.unit = "");
    REFUSED("split-f32", 1, o.unit = NULL);
    REFUSED("split-f32", 1, o.unit = "none");
    REFUSED("vllm-triton", 1, o.tile = 24);
    REFUSED("fa3-bf16", 1, o.tile = 0);
    REFUSED("fa3-fp8", 1, o.tile = 144);
    REFUSED("vllm-triton-3d", 1, o.size = 12);
    REFUSED("paged-v1", 1, r.a.left = 20);
    REFUSED("vllm-triton", 1, r.a.q_words = SF8_E4M3);
    REFUSED("fa3-fp8", 1, r.a.q_words = SF8_E5M2);
    r.a = good;
    changed_rows();
    r.a = good;
    static uint32_t room[1 << 20];
    const sf8_attend_order *f32 = sf8_attend_order_named("split-f32");
    size_t words = sf8_attend_order_room(f32, &r.a, 3);
    cr_expect(sf8_attend_order_n(f32, &r.a, 3, room, words - 1) == SF8_BAD_CALL);
    cr_expect(sf8_attend_order_n(f32, &r.a, 3, room, words) == SF8_OK);
    r.a.heads = 3;
    cr_expect(sf8_attend_order_check(f32, &r.a, 1) == SF8_ATTEND_BAD_SHAPE);
    request_begin(&r, z, FP8_ROW_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
    good = r.a;
    REFUSED("flashinfer", 1, (void)o);
    request_begin(&r, z, E5M2_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
    good = r.a;
    REFUSED("fa3-fp8", 1, (void)o);
    request_begin(&r, z, BF16_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
    good = r.a;
    REFUSED("fa3-fp8-two-level", 1, (void)o);
}
