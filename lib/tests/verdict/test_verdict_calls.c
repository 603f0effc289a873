/* SPDX-License-Identifier: MIT */
/* test_verdict_calls.c -- unusual arguments: a result or a refusal, soon, and the same everywhere
 */
#include "check.h"
#include "softfp8_attend.h"
#include "softfp8_blocks.h"
#include "softfp8_mma.h"
#include "softfp8_vectors.h"

#include <time.h>

/* ---- levels ---------------------------------------------------------------------------------- */

/* "core" is the definition, of every function that takes a level. */
Test(verdict_calls, core_is_a_level)
{
    enum { N = 1000 };
    static float from[N];
    static uint32_t random[N];
    static uint8_t got[N], want[N];
    static const char *const policies[] = {"ocp", "ocp-nosat", "ml_dtypes", "llvm"};
    for (uint32_t i = 0; i < N; i++) {
        uint32_t word = i * 0x9e3779b9u; /* NaNs and infinities among them */
        memcpy(&from[i], &word, sizeof word);
        random[i] = word * 0x85ebca6bu;
    }
    for (size_t p = 0; p < COUNT(policies); p++) {
        sf8_status status;
        sf8_policy policy = sf8_policy_named(policies[p], &status);
        cr_assert(status == SF8_OK);
        for (size_t i = 0; i < N; i++)
            want[i] = (uint8_t)sf8_convert(SF8_E4M3, SF8_F32, sf8_f32_bits(from[i]), policy);
        cr_expect(sf8_convert_n_at("core", SF8_E4M3, got, SF8_F32, from, N, policy) == SF8_OK);
        cr_expect(memcmp(got, want, N) == 0, "%s", policies[p]);
    }
    sf8_policy sr = SF8_OCP;
    sr.round = SF8_SR;
    for (size_t i = 0; i < N; i++)
        want[i] =
            (uint8_t)sf8_convert_sr(SF8_E4M3, SF8_F32, sf8_f32_bits(from[i]), sr, random[i]).code;
    cr_expect(sf8_convert_sr_n_at("core", SF8_E4M3, got, SF8_F32, from, N, sr, random) == SF8_OK);
    cr_expect(memcmp(got, want, N) == 0, "stochastic");
    /* By way of f16, in two steps. */
    sf8_policy via = SF8_OCP;
    via.via = SF8_VIA_F16;
    for (size_t i = 0; i < N; i++)
        want[i] = (uint8_t)sf8_convert(SF8_E4M3, SF8_F32, sf8_f32_bits(from[i]), via);
    cr_expect(sf8_convert_n_at("core", SF8_E4M3, got, SF8_F32, from, N, via) == SF8_OK);
    cr_expect(memcmp(got, want, N) == 0, "via f16");
}

/* The names that no function takes. */
Test(verdict_calls, no_level)
{
    static const char *const wrong[] = {"", "Core", "core ", "garbage", "avx", NULL};
    float x[32] = {0};
    uint8_t code[32];
    uint32_t scale[32], d[64] = {0};
    sf8_recipe recipe;
    sf8_mma mma;
    sf8_mma_operands operands = {d, d, NULL, NULL};
    sf8_attend attend;
    memset(&attend, 0, sizeof attend);
    cr_assert(sf8_recipe_named(&recipe, "mxfp8-compressed") == SF8_OK);
    cr_assert(sf8_mma_named(&mma, "hopper-qgmma", SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_OK);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        const char *w = wrong[i];
        cr_expect(sf8_convert_n_at(w, SF8_E4M3, code, SF8_F32, x, 32, SF8_OCP) == SF8_UNKNOWN_NAME);
        cr_expect(sf8_convert_sr_n_at(w, SF8_E4M3, code, SF8_F32, x, 32, SF8_OCP, d) ==
                  SF8_UNKNOWN_NAME);
        cr_expect(sf8_quantize_n_at(w, &recipe, code, scale, NULL, SF8_F32, x, 1, 32, 1) ==
                  SF8_UNKNOWN_NAME);
        cr_expect(sf8_dequantize_n_at(w, &recipe, SF8_F32, x, code, scale, NULL, 1, 32, 1) ==
                  SF8_UNKNOWN_NAME);
        cr_expect(sf8_mma_matmul_at(w, &mma, NULL, d, NULL, operands, 1, 1, 32) ==
                  SF8_UNKNOWN_NAME);
        cr_expect(sf8_attend_at(w, &attend, NULL, 0) == SF8_UNKNOWN_NAME);
    }
    cr_expect(sf8_quantize_n_at("core", &recipe, code, scale, NULL, SF8_F32, x, 1, 32, 1) ==
              SF8_OK);
    cr_expect(sf8_mma_matmul_at("core", &mma, NULL, d, NULL, operands, 1, 1, 32) == SF8_OK);
}

/* ---- sums of no products --------------------------------------------------------------------- */

/* Parts of K without products are zeros; -0 plus one of them is 0. However many there are, the call
 * returns at once. */
Test(verdict_calls, splits_of_nothing, .timeout = 20)
{
    static const struct {
        size_t splits;
        uint32_t c, d;
    } cases[] = {{0, 0x80000000, 0x80000000},
                 {1, 0x80000000, 0x80000000},
                 {2, 0x80000000, 0},
                 {3, 0x80000000, 0},
                 {(size_t)1 << 62, 0x80000000, 0},
                 {2, 0x3f800000, 0x3f800000},
                 {SIZE_MAX, 0x3f800000, 0x3f800000},
                 {2, 0xff800000, 0xff800000},
                 {(size_t)1 << 62, 0xff800000, 0xff800000}};
    sf8_mma mma;
    uint32_t none[1] = {0}, d;
    sf8_mma_operands operands = {none, none, NULL, NULL};
    cr_assert(sf8_mma_named(&mma, "hopper-qgmma", SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf8_mma_schedule s = {0, cases[i].splits, SF8_MMA_UNSCALED, NULL, NULL};
        d = 1;
        cr_expect(sf8_mma_matmul(&mma, &s, &d, &cases[i].c, operands, 1, 1, 0) == SF8_OK);
        cr_expect(d == cases[i].d, "%zu splits: %08x", cases[i].splits, (unsigned)d);
    }
}

/* ---- integers of a width that there is not ----------------------------------------------------
 */

Test(verdict_calls, widths_of_integers)
{
    const uint64_t e4m3 = 0x45, byte = 3; /* 3.25, and 3 */
    for (int32_t bits = -1; bits <= 65; bits++) {
        int32_t good = bits == 8 || bits == 16 || bits == 32 || bits == 64;
        sf8_function to, from;
        cr_assert(sf8_function_named("e4m3_to_i8", &to) == SF8_OK);
        cr_assert(sf8_function_named("i8_to_e4m3", &from) == SF8_OK);
        to.result.bits = from.operand[0].bits = bits;
        sf8_result r = sf8_function_call(&to, &e4m3, SF8_OCP, 0, 1);
        cr_expect(r.code == (good ? 3u : 0) &&
                      r.flags == (good ? (uint32_t)SF8_INEXACT : SF8_UNSUPPORTED),
                  "to %d bits: %x %x", bits, (unsigned)r.code, (unsigned)r.flags);
        r = sf8_function_call(&from, &byte, SF8_OCP, 0, 1);
        cr_expect(r.code == (good ? 0x44u : 0) && r.flags == (good ? 0u : SF8_UNSUPPORTED),
                  "from %d bits: %x %x", bits, (unsigned)r.code, (unsigned)r.flags);
    }
}

/* ---- the size of a layout that is invalid -------------------------------------------------------
 */

/* One block of 4 slots with 2 heads of 8 bytes: 64 bytes. With scales of 4 bytes, one for each row,
 * in 8 more bytes of a slot: they begin at 64, 16 bytes apart, and the last two end at 64 + 3 * 8
 * + 8. As an array, 4 * 8 bytes. */
Test(verdict_calls, sizes_with_groups_of_nothing)
{
    sf8_kv_layout l = {.blocks = 1,
                       .slots = 4,
                       .heads = 2,
                       .dim = 8,
                       .bits = 8,
                       .slot_stride = 16,
                       .head_stride = 8,
                       .block_stride = 64};
    cr_expect(sf8_kv_size(&l) == 64 && sf8_kv_scales_size(&l) == 0, "without scales");
    l.scale_bits = 32;
    l.scale_slot_stride = 8;
    l.scale_head_stride = 4;
    for (uint32_t scales = SF8_KV_SCALES_APART; scales <= SF8_KV_SCALES_INSIDE; scales++) {
        uint32_t inside = scales == SF8_KV_SCALES_INSIDE;
        l.scales = scales;
        l.scale_at = inside ? 64 : 0;
        l.group = 8;
        cr_expect(sf8_kv_size(&l) == (inside ? 96 : 64), "%u", (unsigned)scales);
        cr_expect(sf8_kv_scales_size(&l) == (inside ? 0 : 32), "%u", (unsigned)scales);
        l.group = 0;
        cr_expect(sf8_kv_check(&l) != SF8_KV_GOOD);
        cr_expect(sf8_kv_size(&l) == UINT64_MAX, "%u", (unsigned)scales);
        cr_expect(sf8_kv_scales_size(&l) == (inside ? 0 : UINT64_MAX), "%u", (unsigned)scales);
    }
}
