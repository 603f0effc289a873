/* SPDX-License-Identifier: MIT */
/* codes.c -- codes of caches, by casts, recipes and readers: tables and counts
 *
 * The results are those of the stacks' formulas, computed by hand or counted by programs of plain
 * float; lib/tests has them with their derivations.
 */
#include "families/self/self.h"
#include "softfp8_blocks.h"
#include "softfp8_kv.h"

#include <string.h>

enum { FINITE = 65280, MOST = 16 };

#define QUIET UINT32_C(0x7fc00000)
#define INF UINT32_C(0x7f800000)
#define MINUS UINT32_C(0x80000000)

static float value_of(uint32_t word)
{
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

#define CHECK_BLOCKS(c, rows) self_check_blocks(c, rows, sizeof(rows) / sizeof(rows)[0])

/* ---- codes ----------------------------------------------------------------------------------- */

/* Divisions whose results are ties of e4m3, and multiplications by the reciprocal that are not: six
 * pairs of a scale and a bf16, and all values from 2^-11 to amax with 256 scales amax / 448 and
 * amax / 200. */
static void run_div_recip(self_checks *c)
{
    static const struct {
        uint32_t scale, value;
        uint8_t divided, multiplied;
    } rows[] = {
        {0x3b1db6db, 0x3a4f, 0x2a, 0x2b}, {0x3bc66666, 0x3a1b, 0x1c, 0x1d},
        {0x3bcaaaab, 0x3a2b, 0x1e, 0x1d}, {0x3b966666, 0x3a6b, 0x25, 0x24},
        {0x3bb99999, 0x3a11, 0x1d, 0x1c}, {0x3c466666, 0x3a1b, 0x14, 0x15},
    };
    static const struct {
        float divisor;
        unsigned codes, scales;
    } all[] = {{448, 192, 14}, {200, 348, 26}};
    static uint16_t x[2048];
    static uint8_t a[2048], b[2048];
    sf8_recipe divide, multiply;
    uint32_t scale;
    self_check(c, "kv-vllm", sf8_recipe_named(&divide, "kv-vllm"), SF8_OK);
    self_check(c, "kv-vllm-scaled", sf8_recipe_named(&multiply, "kv-vllm-scaled"), SF8_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (uint32_t e = 0; e < 3; e++) {
            uint16_t word = (uint16_t)(rows[i].value + (e << 7));
            float g = value_of(rows[i].scale);
            sf8_quantize_n(&divide, a, &scale, NULL, SF8_BF16, &word, 1, 1, g);
            sf8_quantize_n(&multiply, b, &scale, NULL, SF8_BF16, &word, 1, 1, g);
            self_check(c, "divided", a[0], rows[i].divided + 8 * e);
            self_check(c, "multiplied", b[0], rows[i].multiplied + 8 * e);
        }
    for (size_t i = 0; i < 2; i++) {
        unsigned codes = 0, scales = 0;
        for (uint32_t amax = 0x3f80; amax < 0x4080; amax++) {
            float g = value_of(amax << 16) / all[i].divisor;
            size_t n = 0;
            unsigned other = 0;
            for (uint32_t word = 0x3a00; word <= amax; word++)
                x[n++] = (uint16_t)word;
            sf8_quantize_n(&divide, a, &scale, NULL, SF8_BF16, x, 1, n, g);
            sf8_quantize_n(&multiply, b, &scale, NULL, SF8_BF16, x, 1, n, g);
            for (size_t k = 0; k < n; k++)
                other += a[k] != b[k];
            codes += other;
            scales += other != 0;
        }
        self_check(c, "codes that differ", codes, all[i].codes);
        self_check(c, "scales under which they do", scales, all[i].scales);
    }
}

/* For how many finite values of bf16 the codes differ between a division and a clamped product,
 * SGLang's bf16, and TensorRT-LLM's product. */
static void run_matrix(self_checks *c)
{
    static const char *const names[4] = {"kv-vllm", "kv-vllm-scaled", "kv-sglang-bf16",
                                         "kv-trtllm-bf16"};
    static const struct {
        uint32_t scale;
        unsigned other[3];
    } rows[] = {
        {0x3ccccccd, {0, 152, 152}}, {0x3dcccccd, {0, 152, 152}}, {0x3e99999a, {2, 72, 70}},
        {0x3eaaaaab, {0, 156, 156}}, {0x3c498589, {0, 128, 126}}, {0x3f350481, {0, 92, 94}},
        {0x3f800000, {0, 0, 0}},     {0x3f000000, {0, 0, 0}},
    };
    static uint16_t x[FINITE];
    static uint8_t code[4][FINITE];
    size_t n = 0;
    for (uint32_t word = 0; word < 0x10000; word++)
        if ((word & 0x7f80) != 0x7f80)
            x[n++] = (uint16_t)word;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t k = 0; k < 4; k++) {
            sf8_recipe r;
            uint32_t scale;
            self_check(c, names[k], sf8_recipe_named(&r, names[k]), SF8_OK);
            sf8_quantize_n(&r, code[k], &scale, NULL, SF8_BF16, x, 1, FINITE,
                           value_of(rows[i].scale));
        }
        for (size_t k = 1; k < 4; k++) {
            unsigned other = 0;
            for (size_t w = 0; w < FINITE; w++)
                other += code[0][w] != code[k][w];
            self_check(c, names[k], other, rows[i].other[k - 1]);
        }
    }
}

/* FlashInfer's reader, which moves bits: all codes are numbers; for codes that are numbers it
 * equals a conversion. */
static void run_fast(self_checks *c)
{
    static const struct {
        const char *reader;
        uint8_t code;
        uint16_t word;
    } rows[] = {
        {"flashinfer-bf16", 0x7f, 0x43f0},      {"flashinfer-bf16", 0xff, 0xc3f0},
        {"flashinfer-bf16-e5m2", 0x7c, 0x4780}, {"flashinfer-bf16-e5m2", 0x7d, 0x47a0},
        {"flashinfer-bf16-e5m2", 0x7e, 0x47c0}, {"flashinfer-bf16-e5m2", 0x7f, 0x47e0},
    };
    sf8_kv_reader r;
    uint16_t word;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        self_check(c, rows[i].reader, sf8_kv_reader_named(&r, rows[i].reader), SF8_OK);
        sf8_kv_read_n(&r, &word, &rows[i].code, 1, 1);
        self_check(c, rows[i].reader, word, rows[i].word);
    }
    for (int e5m2 = 0; e5m2 < 2; e5m2++) {
        sf8_format f = e5m2 ? SF8_E5M2 : SF8_E4M3;
        sf8_kv_reader_named(&r, e5m2 ? "flashinfer-bf16-e5m2" : "flashinfer-bf16");
        for (uint32_t code = 0; code < 256; code++) {
            uint8_t byte = (uint8_t)code;
            if ((code & 0x7f) >= (e5m2 ? 0x7c : 0x7f))
                continue;
            sf8_kv_read_n(&r, &word, &byte, 1, 1);
            self_check(c, "a number", word, sf8_convert(SF8_BF16, f, code, SF8_OCP_NOSAT));
        }
    }
}

/* The limits of both formats, with a cast that saturates, one that does not, and a clamp before
 * it. */
static void run_boundary(self_checks *c)
{
    static const struct {
        uint32_t x;
        uint8_t satfinite, nosat, e5m2, e5m2_nosat;
    } rows[] = {
        {0x3a800000, 0x00, 0x00, 0x14, 0x14},    {0x3a800001, 0x01, 0x01, 0x14, 0x14},
        {0x43d80000, 0x7e, 0x7e, 0x5f, 0x5f},    {0x43d7ffff, 0x7d, 0x7d, 0x5f, 0x5f},
        {0x43e80000, 0x7e, 0x7e, 0x5f, 0x5f},    {0x43e80001, 0x7e, 0x7f, 0x5f, 0x5f},
        {0x43f00000, 0x7e, 0x7f, 0x60, 0x60},    {INF, 0x7e, 0x7f, 0x7b, 0x7c},
        {INF | MINUS, 0xfe, 0xff, 0xfb, 0xfc},   {QUIET, 0x7f, 0x7f, 0x7f, 0x7f},
        {QUIET | MINUS, 0x7f, 0x7f, 0x7f, 0x7f}, {0x476fffff, 0x7e, 0x7f, 0x7b, 0x7b},
        {0x47700000, 0x7e, 0x7f, 0x7b, 0x7c},    {MINUS, 0x80, 0x80, 0x80, 0x80},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t x = rows[i].x;
        self_check(c, "satfinite", sf8_f32bits_to_e4m3(x, SF8_CUDA_SATFINITE), rows[i].satfinite);
        self_check(c, "nosat", sf8_f32bits_to_e4m3(x, SF8_CUDA_NOSAT), rows[i].nosat);
        self_check(c, "e5m2", sf8_f32bits_to_e5m2(x, SF8_CUDA_SATFINITE), rows[i].e5m2);
        self_check(c, "e5m2 nosat", sf8_f32bits_to_e5m2(x, SF8_CUDA_NOSAT), rows[i].e5m2_nosat);
    }
}

/* Thresholds of e2m1 and the values next to them, to even; SGLang's ties go away from 0; NaN is 6,
 * or 0. */
static void run_e2m1(self_checks *c)
{
    static const struct {
        uint32_t tie;
        uint8_t below, even, above;
    } rows[] = {{0x3e800000, 0, 0, 1}, {0x3f400000, 1, 2, 2}, {0x3fa00000, 2, 2, 3},
                {0x3fe00000, 3, 4, 4}, {0x40200000, 4, 4, 5}, {0x40600000, 5, 6, 6},
                {0x40a00000, 6, 6, 7}};
    static const self_block blocks[] = {
        {"nvfp4-te", 0x43e00000, 2, {0x40c00000, QUIET}, 0x7e, {7, 7}},
        {"nvfp4-flashinfer-append", 0x3b800000, 2, {0x40c00000, QUIET}, 0x78, {7, 0}},
        {"sglang-kvfp4", 0, 4, {0x40c00000, 0x3e800000, 0x3fa00000, 0x40200000}, 127, {7, 1, 3, 5}},
        {"sglang-kvfp4", 0, 2, {0x40c00000, 0x40a00000}, 127, {7, 7}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (uint32_t minus = 0; minus < 2; minus++) {
            uint32_t x = rows[i].tie | minus << 31, sign = minus << 3;
            self_check(c, "below", sf8_f32bits_to_e2m1(x - 1, SF8_CUDA_SATFINITE),
                       rows[i].below | sign);
            self_check(c, "a tie", sf8_f32bits_to_e2m1(x, SF8_CUDA_SATFINITE), rows[i].even | sign);
            self_check(c, "above", sf8_f32bits_to_e2m1(x + 1, SF8_CUDA_SATFINITE),
                       rows[i].above | sign);
        }
    CHECK_BLOCKS(c, blocks);
}

/* The nearest of the magnitudes of e2m1 in ascending order, the first of those that are as near. */
static uint32_t nearest_of_eight(float x)
{
    static const float values[8] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    float size = x < 0 ? -x : x;
    uint32_t best = 0;
    for (uint32_t i = 1; i < 8; i++) {
        volatile float here = size < values[i] ? values[i] - size : size - values[i];
        volatile float least = size < values[best] ? values[best] - size : size - values[best];
        if (here < least)
            best = i;
    }
    return best | (x < 0 ? 8 : 0);
}

enum { TO_SIX, TO_ZERO, AWAY, LOWER, CASTS };

static void self_casts(self_checks *c, sf8_policy policy[CASTS])
{
    static const char *const fields[CASTS][3] = {{"rne", "max", "max"},
                                                 {"rne", "zero", "max"},
                                                 {"rna", "zero", "max"},
                                                 {"rnz", "zero", "zero"}};
    for (int k = 0; k < CASTS; k++) {
        policy[k] = SF8_CUDA_SATFINITE;
        self_check(c, fields[k][0], sf8_policy_set(&policy[k], "round", fields[k][0]), SF8_OK);
        self_check(c, fields[k][1], sf8_policy_set(&policy[k], "missing_nan", fields[k][1]),
                   SF8_OK);
        self_check(c, fields[k][2], sf8_policy_set(&policy[k], "inf", fields[k][2]), SF8_OK);
    }
}

static void check_cast_ends(self_checks *c, const sf8_policy policy[CASTS])
{
    static const struct {
        uint32_t x;
        uint8_t code[CASTS];
    } rows[] = {
        {0x3e800000, {0, 0, 1, 0}}, {0x3f400000, {2, 2, 2, 1}}, {0x3fa00000, {2, 2, 3, 2}},
        {0x3fe00000, {4, 4, 4, 3}}, {0x40200000, {4, 4, 5, 4}}, {0x40600000, {6, 6, 6, 5}},
        {0x40a00000, {6, 6, 7, 6}}, {0x41000000, {7, 7, 7, 7}}, {INF, {7, 7, 7, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int k = 0; k < CASTS; k++) {
            uint32_t x = rows[i].x;
            self_check(c, "a tie", sf8_f32bits_to_e2m1(x, policy[k]), rows[i].code[k]);
            self_check(c, "below 0", sf8_f32bits_to_e2m1(x | MINUS, policy[k]),
                       rows[i].code[k] | 8u);
            if (i > 6)
                continue;
            self_check(c, "below", sf8_f32bits_to_e2m1(x - 1, policy[k]), i);
            self_check(c, "above", sf8_f32bits_to_e2m1(x + 1, policy[k]), i + 1);
        }
    for (int k = 0; k < CASTS; k++) {
        self_check(c, "-0", sf8_f32bits_to_e2m1(MINUS, policy[k]), 8);
        self_check(c, "NaN", sf8_f32bits_to_e2m1(QUIET, policy[k]), k == TO_SIX ? 7 : 0);
        self_check(c, "-NaN", sf8_f32bits_to_e2m1(QUIET | MINUS, policy[k]), k == TO_SIX ? 7 : 0);
    }
}

/* Four casts to e2m1: to even with NaN 6, as cuda_fp4.h has it; the same with NaN 0, as FlashInfer;
 * ties away, by SGLang's thresholds with >=; and nearest by argmin, the lower of two: nvfp4-argmin.
 * For all values of bf16, which include each tie: how many codes differ for each two casts. 254
 * values are NaN. */
static void run_e2m1_casts(self_checks *c)
{
    static const unsigned other[CASTS][CASTS] = {
        {0, 254, 262, 262}, {254, 0, 8, 8}, {262, 8, 0, 16}, {262, 8, 16, 0}};
    sf8_policy policy[CASTS];
    unsigned differ[CASTS][CASTS] = {{0}}, far = 0, wrong = 0;
    self_casts(c, policy);
    check_cast_ends(c, policy);
    for (uint32_t word = 0; word < 0x10000; word++) {
        uint32_t code[CASTS];
        for (int k = 0; k < CASTS; k++)
            code[k] = sf8_f32bits_to_e2m1(word << 16, policy[k]);
        for (int k = 0; k < CASTS; k++)
            for (int l = 0; l < CASTS; l++)
                differ[k][l] += code[k] != code[l];
        if (word != 0x8000 && (word & 0x7f80) != 0x7f80 &&
            code[LOWER] != nearest_of_eight(value_of(word << 16)))
            (word & 0x7fff) > 0x4d00 ? far++ : wrong++;
    }
    for (int k = 0; k < CASTS; k++)
        for (int l = 0; l < CASTS; l++)
            self_check(c, "words with another code", differ[k][l], other[k][l]);
    /* above 2^27 all distances are equal in f32: 127 values and 100 times 128, of both signs */
    self_check(c, "the search has another code up to 2^27", wrong, 0);
    self_check(c, "beyond", far, 25854);
}

/* One element of 16 that is not 0: which half of which byte. */
static void run_nibble(self_checks *c)
{
    for (size_t at = 0; at < MOST; at++) {
        uint8_t codes[MOST] = {0}, packed[MOST / 2];
        codes[at] = 7;
        sf8_pack_n(4, packed, codes, MOST);
        for (size_t i = 0; i < MOST / 2; i++)
            self_check(c, "a byte", packed[i], i != at / 2 ? 0 : at % 2 ? 0x70 : 0x07);
    }
}

/* The exponents of MX scales of e2m1 by floor, even, ceil, rceil. */
static void run_e8m0(self_checks *c)
{
    static const char *const names[4] = {"mxfp4-floor", "mxfp4-even", "mxfp4-ceil", "mxfp4-rceil"};
    static const struct {
        uint32_t amax;
        uint8_t scale[4];
    } rows[] = {
        {0x3f800000, {125, 125, 125, 125}}, {0x3fa00000, {125, 125, 126, 125}},
        {0x3fcccccd, {125, 125, 126, 126}}, {0x3fe00000, {125, 126, 126, 126}},
        {0x40400000, {126, 126, 127, 126}}, {0x4040a3d7, {126, 126, 127, 127}},
        {0x40c00000, {127, 127, 128, 127}}, {0x40d00000, {127, 127, 128, 128}},
        {0x40e00000, {127, 128, 128, 128}}, {0x41000000, {128, 128, 128, 128}},
        {0x3f7fffff, {124, 125, 125, 125}}, {0x3f800001, {125, 125, 126, 125}},
        {INF, {255, 255, 255, 255}},        {QUIET, {255, 255, 255, 255}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t k = 0; k < 4; k++) {
            sf8_recipe r;
            uint32_t scale = 0;
            uint8_t code;
            self_check(c, names[k], sf8_recipe_named(&r, names[k]), SF8_OK);
            sf8_quantize_n(&r, &code, &scale, NULL, SF8_F32, &rows[i].amax, 1, 1, 0);
            self_check(c, names[k], scale, rows[i].scale[k]);
        }
}

const self_table self_codes[] = {
    {"codes/div_vs_recip", run_div_recip},
    {"codes/recipes_matrix", run_matrix},
    {"codes/fast_dequant", run_fast},
    {"codes/boundary_vectors", run_boundary},
    {"codes/e2m1", run_e2m1},
    {"codes/e2m1_casts", run_e2m1_casts},
    {"codes/e2m1_nibble", run_nibble},
    {"codes/e8m0_modes", run_e8m0},
    {NULL, NULL},
};
