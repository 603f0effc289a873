/* SPDX-License-Identifier: MIT */
/* test_attend_known.c -- attention: NaN that must not be seen, results known without a reference,
 * formats */
#define _POSIX_C_SOURCE 200809L

#include "attend/attend_run.h"

/* ---- poison ---------------------------------------------------------------------------------- */

/* All bytes of slots that no position uses, and scales of them. */
static void poison_unused(side *s, uint8_t byte)
{
    for (size_t block = 0; block < s->s.blocks; block++)
        for (size_t slot = 0; slot < s->s.slots; slot++) {
            int used = 0;
            for (size_t b = 0; b < r.a.block_count; b++)
                used |= r.blocks[b] == (int64_t)block && b * s->s.slots + slot < r.a.keys;
            if (used)
                continue;
            for (size_t h = 0; h < s->s.heads; h++) {
                size_t row = ref_row(s, block, slot, h);
                size_t scales = s->kind.group == 0   ? 0
                                : s->kind.group == 1 ? 4
                                                     : s->s.dim / s->kind.group;
                memset(s->scales + row * scales, byte, scales);
                for (size_t d = 0; d < s->s.dim; d++) {
                    shape bytes = s->s;
                    bytes.bits = s->kind.bits < 8 ? 8 : s->kind.bits;
                    uint64_t at = formula(s->order, &bytes, block, slot, h, d);
                    if (s->kind.bits < 8)
                        s->data[at / 2] = byte;
                    else
                        memset(s->data + at * s->kind.bits / 8, byte, s->kind.bits / 8);
                }
            }
        }
}

Test(attend_known, unused_slots)
{
    static const uint8_t bytes[] = {0x7f, 0xff, 0x7c, 0xfe};
    for (size_t i = 0; i < 60; i += one_in(10)) {
        sizes z = {1 + pseudo_random() % 300, 1 + i % 3, 4, 2, 64, 64, 32};
        z.queries = z.queries < z.keys ? z.queries : z.keys;
        request_begin(&r, z, (int)(i % CACHES), (int)(i / 10 % 3), (sf8_attend_sums)(i / 3 % 3),
                      SF8_BF16);
        run_whole(&r, NULL);
        keep();
        poison_unused(&r.k, bytes[i % 4]);
        poison_unused(&r.v, bytes[i / 4 % 4]);
        run_whole(&r, NULL);
        EXPECT(kept(), "%s, %zu keys", r.k.kind.name, z.keys);
    }
}

/* One NaN in a key: rows from its position on are NaN, in all channels; in a value: in its channel
 * alone. Rows before are what they were. */
Test(attend_known, one_nan)
{
    for (size_t i = 0; i < 36; i += one_in(6)) {
        sizes z = {100, 100, 2, 1, 64, 64, 16};
        size_t position = i * 7 % 100, channel = i % 64;
        int in_key = i % 2;
        request_begin(&r, z, E4M3_CACHE, (int)(i / 2 % 3), (sf8_attend_sums)(i / 6 % 3), SF8_BF16);
        run_whole(&r, i % 4 < 2 ? NULL : "core");
        keep();
        side *s = in_key ? &r.k : &r.v;
        s->data[element_at(s, position, 0, channel)] = 0x7f;
        run_whole(&r, i % 4 < 2 ? NULL : "core");
        for (size_t row = 0; row < 200; row++)
            for (size_t c = 0; c < 64; c++) {
                int nan = row / 2 >= position && (in_key || c == channel);
                uint32_t right = nan ? 0x7fc00000 : kept_out[row * 64 + c];
                EXPECT(r.out[row * 64 + c] == right, "%zu: row %zu, channel %zu: %08x, not %08x", i,
                       row, c, r.out[row * 64 + c], right);
            }
        for (size_t row = 0; row < 200; row++)
            EXPECT(r.lse[row] == (in_key && row / 2 >= position ? 0x7fc00000 : kept_lse[row]),
                   "%zu: lse %zu", i, row);
    }
}

/* ---- what anyone can compute ----------------------------------------------------------------- */

/* Keys of 0: each weight is 1, the mean of integers is exact in every order. */
Test(attend_known, uniform)
{
    for (size_t i = 0; i < 30; i += one_in(5)) {
        sizes z = {(size_t)1 << i % 12, 1, 2, 1, 64, 64, 16};
        request_begin(&r, z, BF16_CACHE, NHD, (sf8_attend_sums)(i % 3), SF8_BF16);
        memset(r.k.data, 0, sizeof r.k.data);
        for (size_t p = 0; p < z.keys; p++)
            for (size_t c = 0; c < 64; c++) {
                uint16_t word = (uint16_t)(sf8_f32_bits((float)((p + c) % 2 * 8)) >> 16);
                memcpy(r.v.data + 2 * element_at(&r.v, p, 0, c), &word, 2);
            }
        r.a.v.scale = NULL;
        run_whole(&r, NULL);
        float lse = sf8_f32_from_bits(r.lse[0]), right = logf((float)z.keys);
        cr_expect(fabsf(lse - right) <= 0x1p-22f * right, "%zu keys: lse %a", z.keys, (double)lse);
        for (size_t c = 0; c < 64; c++)
            EXPECT(r.out[c] == (z.keys == 1 ? sf8_f32_bits((float)(c % 2 * 8)) : 0x40800000),
                   "%zu keys: channel %zu: %08x", z.keys, c, r.out[c]);
    }
}

/* Keys of one element, so far apart that all weights but one are 0. */
Test(attend_known, one_hot)
{
    for (size_t i = 0; i < 12; i++) {
        sizes z = {500, 1, 1, 1, 64, 64, 16};
        size_t chosen = i * 41;
        uint16_t big = 0x4480, one = 0x3f80; /* 1024, 1 */
        request_begin(&r, z, BF16_CACHE, HND, (sf8_attend_sums)(i % 3), SF8_BF16);
        memset(r.k.data, 0, sizeof r.k.data);
        memset(r.q16, 0, sizeof r.q16);
        r.q16[5] = one;
        r.a.scale = sf8_f32_bits(1);
        r.a.k.scale = r.a.v.scale = NULL;
        memcpy(r.k.data + 2 * element_at(&r.k, chosen, 0, 5), &big, 2);
        run_whole(&r, NULL);
        for (size_t c = 0; c < 64; c++) {
            uint16_t value;
            memcpy(&value, r.v.data + 2 * element_at(&r.v, chosen, 0, c), 2);
            EXPECT(r.out[c] == (uint32_t)value << 16, "key %zu, channel %zu: %08x", chosen, c,
                   r.out[c]);
        }
        /* log2 e rounded, times 1024, times ln 2 rounded: 1024 - 2^-14 */
        cr_expect(r.lse[0] == sf8_f32_bits(mul(mul(1024, LOG2E), LN2)), "%08x", r.lse[0]);
    }
}

/* No key at all: 0 and -infinity; with a sink its lse. */
Test(attend_known, nothing)
{
    sizes z = {64, 1, 2, 1, 64, 64, 16};
    request_begin(&r, z, BF16_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
    for (int i = 0; i < 2; i++) {
        r.a.keys = i ? 64 : 0;
        r.a.first = 200; /* the window has gone past all of them */
        r.a.left = 10;
        run_whole(&r, NULL);
        for (size_t c = 0; c < 128; c++)
            EXPECT(r.out[c] == 0, "channel %zu: %08x", c, r.out[c]);
        cr_expect(r.lse[0] == 0xff800000 && r.lse[1] == 0xff800000);
    }
    r.a.sinks = r.sinks;
    r.sinks[0] = 0;
    r.sinks[1] = 0xff800000;
    run_whole(&r, NULL);
    cr_expect(r.out[0] == 0 && r.lse[0] == 0 && r.lse[1] == 0xff800000, "%08x %08x", r.lse[0],
              r.lse[1]);
}

/* A maximum of -0 is +0 in a piece; a channel of -0 stays so if nothing is joined to it. */
static void signs_of_zero(void)
{
    sizes z = {200, 1, 1, 1, 64, 64, 16};
    static uint32_t piece[66];
    request_begin(&r, z, F32_CACHE, NHD, SF8_ATTEND_EXACT, SF8_F32);
    memset(r.k.data, 0, sizeof r.k.data);
    memset(r.q32, 0, sizeof r.q32);
    r.q32[0] = sf8_f32_bits(1);
    r.a.scale = sf8_f32_bits(-1);
    r.a.k.scale = r.a.v.scale = NULL;
    r.a.first = 3; /* the other chunks are nothing */
    for (size_t p = 0; p < 4; p++)
        for (size_t c = 0; c < 64; c++) {
            /* the weight of key 0 is 1, of others 0.14: their products round to -0 */
            uint32_t value = p ? 0x80000001 : 0, key = p ? sf8_f32_bits(2) : 0;
            memcpy(r.v.data + 4 * element_at(&r.v, p, 0, c), &value, 4);
            memcpy(r.k.data + 4 * element_at(&r.k, p, 0, 0), &key, 4);
        }
    for (size_t parts = 0; parts < 4; parts++) {
        if (parts == 0)
            run_whole(&r, NULL);
        else
            run_parts(0, parts);
        for (size_t c = 0; c < 64; c++)
            EXPECT(r.out[c] == 0x80000000, "%zu parts: channel %zu: %08x", parts, c, r.out[c]);
    }
    cr_expect(sf8_attend_part(&r.a, 0, 1, piece, attend_room, attend_room_words) == SF8_OK);
    cr_expect(piece[0] == 0, "%08x", piece[0]);
}

Test(attend_known, signs_of_zero)
{
    signs_of_zero();
}

/* By the definition: a test is a process of its own, and no level was chosen in it yet. */
Test(attend_known, signs_of_zero_portable)
{
    setenv("SOFTFP8_SIMD", "portable", 1);
    signs_of_zero();
}

/* Scales that are powers of two: as if the elements had them. */
Test(attend_known, powers_of_two)
{
    sizes z = {300, 2, 4, 2, 64, 64, 16};
    for (int sums = 0; sums < 3; sums++) {
        request_begin(&r, z, F32_CACHE, NHD, (sf8_attend_sums)sums, SF8_BF16);
        r.k.scale[0] = r.k.scale[1] = sf8_f32_bits(4);
        r.v.scale[0] = sf8_f32_bits(0.5f);
        r.v.scale[1] = sf8_f32_bits(2);
        run_whole(&r, NULL);
        keep();
        for (size_t p = 0; p < z.keys; p++)
            for (size_t h = 0; h < 2; h++)
                for (size_t d = 0; d < 64; d++) {
                    float word;
                    uint8_t *k = r.k.data + 4 * element_at(&r.k, p, h, d);
                    uint8_t *v = r.v.data + 4 * element_at(&r.v, p, h, d);
                    memcpy(&word, k, 4);
                    word *= 4;
                    memcpy(k, &word, 4);
                    memcpy(&word, v, 4);
                    word *= h ? 2 : 0.5f;
                    memcpy(v, &word, 4);
                }
        r.a.k.scale = r.a.v.scale = NULL;
        run_whole(&r, NULL);
        cr_expect(kept(), "%s", sf8_attend_sums_name((sf8_attend_sums)sums));
    }
}

/* ---- formats of the result ------------------------------------------------------------------- */

Test(attend_known, out_words)
{
    sizes z = {70, 3, 2, 1, 64, 64, 16};
    const sf8_format formats[] = {SF8_F16, SF8_BF16};
    for (size_t f = 0; f < COUNT(formats); f++) {
        request_begin(&r, z, E4M3_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
        run_whole(&r, NULL);
        keep();
        r.a.out_words = formats[f];
        r.a.out.head_stride = 67; /* with gaps between heads, at an odd address */
        r.a.out.token_stride = 150;
        r.a.out.words = (char *)r.out + 1;
        run_whole(&r, NULL);
        for (size_t row = 0; row < 6; row++)
            for (size_t c = 0; c < 67; c++) {
                uint16_t word, right = 0xa5a5;
                memcpy(&word, (char *)r.out + 1 + 2 * (row / 2 * 150 + row % 2 * 67 + c), 2);
                if (c < 64)
                    right = (uint16_t)sf8_convert(formats[f], SF8_F32, kept_out[row * 64 + c],
                                                  SF8_OCP_NOSAT);
                EXPECT(word == right, "row %zu, channel %zu: %04x, not %04x", row, c, word, right);
            }
    }
}

/* Queries of 8 bits, with a scale. */
Test(attend_known, queries_of_8_bits)
{
    sizes z = {130, 2, 4, 2, 128, 128, 16};
    static uint8_t codes[2 * 4 * 128];
    for (int sums = 0; sums < 3; sums++) {
        request_begin(&r, z, E4M3_CACHE, NHD, (sf8_attend_sums)sums, SF8_BF16);
        for (size_t i = 0; i < sizeof codes; i++)
            codes[i] = (uint8_t)(pseudo_random() % 0x7e | (pseudo_random() & 0x80));
        r.a.q_words = SF8_E4M3;
        r.a.q.words = codes;
        r.a.q_scale = r.q_scale;
        r.a.q_scales = 2;
        run_whole(&r, NULL);
        against_reference((size_t)sums, "e4m3 queries");
    }
}

/* ---- caches ---------------------------------------------------------------------------------- */

/* What the values of recipes have beside e * s, as their formulas say. */
Test(attend_known, factor_of_a_cache)
{
    static const struct {
        const char *recipe;
        uint32_t g, factor;
    } rows[] = {
        {"kv-vllm", 0x3e800000, 0x3e800000},                 /* e g * */
        {"mxfp8-e4m3-floor", 0x3f800000, 0x3f800000},        /* e s * */
        {"nvfp4-vllm", 0x40400000, 0x3eaaaaab},              /* e s * g / */
        {"nvfp4-compressed", 0x40400000, 0x3eaaaaab},        /* e f * bf16, f = s / g */
        {"nvfp4-flashinfer-append", 0x40400000, 0x40400000}, /* e s * g * */
        {"nvfp4-modelopt-static", 0x45280000, 0x3f800000},   /* s * g / 2688 */
        {"kv-vllm-token-bound", 0x40400000, 0x3f800000},     /* g bounds s, which is stored */
        {"mxint8-floor", 0x3f800000, 0x3c800000},            /* e / 64 * s */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sf8_recipe recipe;
        EXPECT(sf8_recipe_named(&recipe, rows[i].recipe) == SF8_OK, "%s", rows[i].recipe);
        uint32_t got = sf8_attend_cache_scale(&recipe, rows[i].g);
        EXPECT(got == rows[i].factor, "%s: %08x, not %08x", rows[i].recipe, got, rows[i].factor);
    }
    EXPECT(sf8_attend_cache_scale(NULL, 0x40400000) == 0x3f800000, "without a recipe");
}
