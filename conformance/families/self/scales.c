/* SPDX-License-Identifier: MIT */
/* scales.c -- scales of the recipes of caches: tables of blocks and their results
 *
 * The results are those of the stacks' formulas, computed by hand or counted by programs of plain
 * float; lib/tests has them with their derivations.
 */
#include "families/self/self.h"
#include "softfp8_blocks.h"
#include "softfp8_kv.h"

#include <string.h>

#define QUIET UINT32_C(0x7fc00000)
#define INF UINT32_C(0x7f800000)
#define MINUS UINT32_C(0x80000000)

static float value_of(uint32_t word)
{
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

void self_check_blocks(self_checks *c, const self_block *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sf8_recipe r;
        uint32_t scale = 0, offset = 0;
        uint8_t code[4] = {0, 0, 0, 0};
        self_check(c, rows[i].recipe, sf8_recipe_named(&r, rows[i].recipe), SF8_OK);
        self_check(c, rows[i].recipe,
                   sf8_quantize_n(&r, code, &scale, &offset, SF8_F32, rows[i].x, 1, rows[i].n,
                                  value_of(rows[i].g)),
                   SF8_OK);
        self_check(c, rows[i].recipe, scale, rows[i].scale);
        for (size_t k = 0; k < rows[i].n; k++)
            self_check(c, rows[i].recipe, code[k], rows[i].code[k]);
    }
}

#define CHECK_BLOCKS(c, rows) self_check_blocks(c, rows, sizeof(rows) / sizeof(rows)[0])

/* clang-format off */
/* Four stores of a block of zeros, and its scale: 00, 38, 20, 08. */
static void run_zero_block(self_checks *c)
{
    static const self_block rows[] = {
        {"nvfp4-vllm", 0x3f800000, 2, {0, MINUS}, 0x00, {0, 8}},
        {"nvfp4-trtllm", 0x3f800000, 2, {0, MINUS}, 0x00, {0, 8}},
        {"nvfp4-te", 0x3f800000, 2, {0, MINUS}, 0x00, {0, 8}},
        {"nvfp4-flashinfer-append", 0x3f800000, 2, {0, MINUS}, 0x00, {0, 8}},
        {"nvfp4-modelopt", 0x3f800000, 2, {0, MINUS}, 0x38, {0, 0}},
        {"nvfp4-compressed", 0x3f800000, 2, {0, MINUS}, 0x20, {0, 0}},
        {"nvfp4-torchao", 0x3f800000, 2, {0, MINUS}, 0x08, {0, 8}},
        {"kv-vllm-dynamic", 0, 2, {0, MINUS}, 0, {0x7e, 0x7e}},
    };
    CHECK_BLOCKS(c, rows);
}

/* amax 2^-9 under the global scale 1: 2^-9 / 6 is 0 in e4m3; ModelOpt then takes 2^-9. And 464,
 * 464.1, 1e5: 448. */
static void run_underflow_overflow(self_checks *c)
{
    static const self_block rows[] = {
        {"nvfp4-vllm", 0x3f800000, 3, {0x3b000000, 0xbb000000, 0}, 0x00, {0, 8, 0}},
        {"nvfp4-trtllm", 0x3f800000, 3, {0x3b000000, 0xbb000000, 0}, 0x00, {7, 15, 7}},
        {"nvfp4-te", 0x3f800000, 3, {0x3b000000, 0xbb000000, 0}, 0x00, {7, 15, 0}},
        {"nvfp4-modelopt", 0x3f800000, 3, {0x3b000000, 0xbb000000, 0}, 0x01, {2, 10, 0}},
        {"nvfp4-torchao", 0x3f800000, 3, {0x3b000000, 0xbb000000, 0}, 0x08, {0, 8, 0}},
        {"nvfp4-vllm", 0x43e80000, 4, {0x40c00000, 0x40a00000, 0xc0900000, 0x3f800000}, 0x7e,
         {7, 7, 14, 2}},
        {"nvfp4-te", 0x43e80ccd, 4, {0x40c00000, 0x40a00000, 0xc0900000, 0x3f800000}, 0x7e,
         {7, 7, 14, 2}},
        {"nvfp4-trtllm", 0x47c35000, 4, {0x40c00000, 0x40a00000, 0xc0900000, 0x3f800000}, 0x7e,
         {7, 7, 15, 7}},
    };
    CHECK_BLOCKS(c, rows);
}

/* The golden block's first four under G = 448; G infinite, of a tensor below 2688 / FLT_MAX. */
static void run_nvfp4_global(self_checks *c)
{
    static const self_block rows[] = {
        {"nvfp4-vllm", 0x43e00000, 4, {0x40c00000, 0xbf000000, 0x3f400000, 0x3f800000}, 0x7e,
         {7, 9, 2, 2}},
        {"nvfp4-vllm", INF, 3, {0x03aa2425, 0x83aa2425, 0}, 0x7e, {7, 15, 7}},
        {"nvfp4-trtllm", INF, 3, {0x03aa2425, 0x83aa2425, 0}, 0x7e, {7, 15, 7}},
        {"nvfp4-te", INF, 3, {0x03aa2425, 0x83aa2425, 0}, 0x7e, {7, 15, 0}},
    };
    CHECK_BLOCKS(c, rows);
}

/* The least scales, ties of integers, the offset in the last bits of a scale. */
static void run_per_token_head(self_checks *c)
{
    static const self_block rows[] = {
        {"fp8-per-token-head-interpreted", 0, 2, {0, MINUS}, 0x358637bd, {0x00, 0x80}},
        {"int8-per-token-head-interpreted", 0, 2, {0, MINUS}, 0x358637bd, {0, 0}},
        {"int4-per-token-head-interpreted", 0, 2, {0, MINUS}, 0x358637b0, {0, 0}},
        {"fp8-per-token-head-interpreted", 0, 2, {0x3f8a0000, 0x3a4f0000}, 0x3b1db6db,
         {0x7e, 0x2b}},
        {"int8-per-token-head-interpreted", 0, 4, {0x42fe0000, 0x40200000, 0xc0200000, 0x3f000000},
         0x3f800000, {0x7f, 0x03, 0xfd, 0x01}},
        {"int4-per-token-head-interpreted", 0, 3, {0x3f800000, 0x40000000, 0x40400000}, 0x3e088880,
         {7, 15, 15}},
    };
    CHECK_BLOCKS(c, rows);
}

/* Tiles of amax 448, 1, 0, NaN, subnormal, infinite. */
static void run_ds_mla(self_checks *c)
{
    static const self_block rows[] = {
        {"kv-vllm-ds-mla", 0, 4, {0x43e00000, 0x3f800000, QUIET, 0xc3e00000}, 0x3f800000,
         {0x7e, 0x38, 0x7f, 0xfe}},
        {"kv-vllm-ds-mla", 0, 2, {0x3f800000, 0xbf000000}, 0x3b124925, {0x7e, 0xf6}},
        {"kv-vllm-ds-mla", 0, 2, {0, MINUS}, 0x00800000, {0x00, 0x80}},
        {"kv-vllm-ds-mla", 0, 2, {QUIET, QUIET}, 0x00800000, {0x7f, 0x7f}},
        {"kv-vllm-ds-mla", 0, 2, {0x00000200, 0}, 0x00800000, {0x00, 0x00}},
        {"kv-vllm-ds-mla", 0, 2, {INF, 0x3f800000}, INF, {0x7f, 0x00}},
    };
    CHECK_BLOCKS(c, rows);
}
/* clang-format on */

/* amax 448 2^k and its neighbours: 2^k, 2^k and 2^(k + 1). */
static void run_indexer(self_checks *c)
{
    sf8_recipe r;
    self_check(c, "a recipe", sf8_recipe_named(&r, "kv-vllm-indexer-ue8m0"), SF8_OK);
    for (uint32_t k = 107; k < 147; k++)
        for (int beside = -1; beside <= 1; beside++) {
            uint32_t amax = (0x43e00000 + ((k - 127) << 23)) + (uint32_t)beside, scale = 0;
            uint8_t code;
            sf8_quantize_n(&r, &code, &scale, NULL, SF8_F32, &amax, 1, 1, 0);
            self_check(c, "a power of two", scale, (k + (beside > 0)) << 23);
        }
}

/* ---- rules of scales ------------------------------------------------------------------------- */

static uint32_t scale_by(const char *rule, uint32_t amax)
{
    sf8_kv_rule r;
    uint32_t scale = 0;
    if (sf8_kv_rule_named(&r, rule) != SF8_OK ||
        sf8_kv_scales_n(&r, SF8_KV_PER_TENSOR, &scale, SF8_F32, &amax, 1, 1, 1) != SF8_OK)
        return 0x12345678;
    return scale;
}

/* vLLM calc_kv_scales, for the 128 mantissas of bf16: how many of the elements that made the scale
 * are stored as 192 and 208, as 96 and 104. */
static void run_calc(self_checks *c)
{
    static const struct {
        const char *rule;
        uint8_t low, high;
        unsigned lows, highs;
    } rows[] = {{"amax-200", 0x74, 0x75, 120, 8},
                {"amax-200-rcp", 0x74, 0x75, 89, 39},
                {"amax-100", 0x6c, 0x6d, 120, 8},
                {"amax-100-rcp", 0x6c, 0x6d, 89, 39}};
    sf8_recipe store;
    self_check(c, "a recipe", sf8_recipe_named(&store, "kv-vllm"), SF8_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned lows = 0, highs = 0;
        for (uint32_t k = 0; k < 128; k++) {
            uint32_t amax = 0x3f800000 + (k << 16), stored;
            uint8_t code = 0;
            sf8_quantize_n(&store, &code, &stored, NULL, SF8_F32, &amax, 1, 1,
                           value_of(scale_by(rows[i].rule, amax)));
            lows += code == rows[i].low;
            highs += code == rows[i].high;
        }
        self_check(c, rows[i].rule, lows, rows[i].lows);
        self_check(c, rows[i].rule, highs, rows[i].highs);
    }
    self_check(c, "5 / 200", scale_by("amax-200", 0x40a00000), 0x3ccccccd);
    self_check(c, "5 (1/200)", scale_by("amax-200-rcp", 0x40a00000), 0x3ccccccc);
}

/* amax 0, NaN, infinite; and what the scale turns 0, 1 and -1 into. */
static void run_bad_amax(self_checks *c)
{
    static const struct {
        const char *rule;
        uint32_t amax, scale;
        uint8_t code[3];
    } rows[] = {
        {"amax-200", 0, 0, {0x7f, 0x7e, 0xfe}},
        {"amax-200", QUIET, QUIET, {0x7f, 0x7f, 0x7f}},
        {"amax-200", INF, INF, {0x00, 0x00, 0x80}},
        {"tensor", 0, 0, {0x7f, 0x7e, 0xfe}},
        {"token", 0, 0x36924925, {0x00, 0x7e, 0xfe}},
        {"token", QUIET, 0x36924925, {0x00, 0x7e, 0xfe}},
        {"token-head", 0, 0x358637bd, {0x00, 0x7e, 0xfe}},
        {"ds-mla", 0, 0x00800000, {0x00, 0x7e, 0xfe}},
        {"indexer", 0, 0x346facad, {0x00, 0x7e, 0xfe}},
    };
    static const uint32_t x[3] = {0, 0x3f800000, 0xbf800000};
    sf8_recipe store;
    self_check(c, "a recipe", sf8_recipe_named(&store, "kv-vllm"), SF8_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t scale = scale_by(rows[i].rule, rows[i].amax), stored;
        uint8_t code[3] = {0, 0, 0};
        self_check(c, rows[i].rule, scale, rows[i].scale);
        sf8_quantize_n(&store, code, &stored, NULL, SF8_F32, x, 1, 3, value_of(scale));
        for (size_t k = 0; k < 3; k++)
            self_check(c, rows[i].rule, code[k], rows[i].code[k]);
    }
}

const self_table self_scales[] = {
    {"scale/calc_200_100", run_calc},
    {"scale/zero_nan_inf_amax", run_bad_amax},
    {"scale/per_token_head", run_per_token_head},
    {"scale/ds_mla", run_ds_mla},
    {"scale/indexer_ue8m0", run_indexer},
    {"scale/nvfp4_global", run_nvfp4_global},
    {"scale/sf_underflow_overflow", run_underflow_overflow},
    {"scale/zero_block", run_zero_block},
    {NULL, NULL},
};
