/* SPDX-License-Identifier: MIT */
/* chain.c -- the steps of a chain of failures: tables of calls and their results */
#include "families/chain/chain.h"
#include "families/chain/tiny_model.h"
#include "softfp8/sha256.h"
#include "softfp8_blocks.h"
#include "softfp8_f32.h"
#include "suite/compare.h"
#include "suite/digest.h"

#include <string.h>

enum { X = 0x41333333, MOST = 8192 }; /* 11.2 */

/* The state of a table: the results so far, and whether they were right. */
typedef struct checks {
    conform_result *result;
    sf8_sha256 hash;
} checks;

static void check(checks *c, const char *what, uint64_t got, uint64_t right)
{
    digest_row(&c->hash, c->result->inputs++, got);
    if (got != right && c->result->differ++ == 0)
        snprintf(c->result->why, sizeof c->result->why, "%s: %llx, not %llx", what,
                 (unsigned long long)got, (unsigned long long)right);
}

static uint32_t divided(uint32_t a, uint32_t b)
{
    return (uint32_t)sf8_div(SF8_F32, a, b, SF8_OCP_NOSAT).code;
}

/* vLLM calc_kv_scales: 5 / 200, 5 (1/200), and the codes of 5 by both; of all 128 mantissas of bf16
 * 120 and 8, 89 and 39. */
static void run_scale(checks *c)
{
    const uint32_t two_hundred = 0x43480000;
    uint32_t inverse = divided(0x3f800000, two_hundred), count[2] = {0, 0};
    check(c, "5 / 200", divided(0x40a00000, two_hundred), 0x3ccccccd);
    check(c, "5 (1/200)", (uint32_t)sf8_mul(SF8_F32, 0x40a00000, inverse, SF8_OCP_NOSAT).code,
          0x3ccccccc);
    for (uint32_t m = 0; m < 128; m++) {
        uint32_t amax = 0x3f800000 | m << 16;
        uint32_t scale[2] = {
            divided(amax, two_hundred),
            (uint32_t)sf8_mul(SF8_F32, amax, inverse, SF8_OCP_NOSAT).code,
        };
        for (int i = 0; i < 2; i++)
            count[i] += sf8_f32bits_to_e4m3(divided(amax, scale[i]), SF8_CUDA_SATFINITE) == 0x74;
    }
    check(c, "74 of 128 by the quotient", count[0], 120);
    check(c, "74 of 128 by the product", count[1], 89);
}

/* Eight values at the scale 0.025, and the limits 432, 440, 464 and above. */
static void run_cast(checks *c)
{
    static const struct {
        uint32_t x;
        uint8_t satfinite, nosat;
    } rows[] = {
        {0x4174cccd, 0x7e, 0x7f}, {0x4195999a, 0x7e, 0x7f}, {0x4141999a, 0x7e, 0x7f},
        {0x419c0000, 0x7e, 0x7f}, {0x41866666, 0x7e, 0x7f}, {0x41a00000, 0x7e, 0x7f},
        {0x41633333, 0x7e, 0x7f}, {0x418f3333, 0x7e, 0x7f}, {0x412ccccd, 0x7e, 0x7e},
        {0x41300000, 0x7e, 0x7e}, {0x4139999a, 0x7e, 0x7e}, {0x4139999b, 0x7e, 0x7f},
        {0x7fc00000, 0x7f, 0x7f}, {0x40a00000, 0x74, 0x74},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t quotient = divided(rows[i].x, 0x3ccccccd);
        check(c, "satfinite", sf8_f32bits_to_e4m3(quotient, SF8_CUDA_SATFINITE), rows[i].satfinite);
        check(c, "nosat", sf8_f32bits_to_e4m3(quotient, SF8_CUDA_NOSAT), rows[i].nosat);
    }
}

/* The eight values are read back as one value with both casts. Of 1 12 2 one is clipped: 480 of 40
 * 480 80. */
static void run_identical(checks *c)
{
    static const uint32_t value[11] = {0x4174cccd, 0x4195999a, 0x4141999a, 0x419c0000,
                                       0x41866666, 0x41a00000, 0x41633333, 0x418f3333,
                                       0x3f800000, 0x41400000, 0x40000000};
    static const uint32_t last[2][3] = {{0x3f800000, X, 0x40000000},
                                        {0x3f800000, 0x7fc00000, 0x40000000}};
    for (uint32_t nosat = 0; nosat < 2; nosat++) {
        uint32_t read[11], same = 0;
        for (int i = 0; i < 11; i++) {
            uint8_t code = sf8_f32bits_to_e4m3(divided(value[i], 0x3ccccccd),
                                               nosat ? SF8_CUDA_NOSAT : SF8_CUDA_SATFINITE);
            read[i] = (uint32_t)sf8_mul(SF8_F32, sf8_e4m3_to_f32bits(code), 0x3ccccccd,
                                        SF8_OCP_NOSAT)
                          .code;
        }
        for (int i = 0; i < 8; i++)
            same += read[i] == (nosat ? 0x7fc00000 : X);
        check(c, nosat ? "of eight NaN" : "of eight 11.2", same, 8);
        for (int i = 0; i < 3; i++)
            check(c, nosat ? "1 NaN 2" : "1 11.2 2", read[8 + i], last[nosat][i]);
    }
}

/* E[x^2] - E[x]^2 of n times 11.2, the last step by two operations and by fma. */
static void run_variance(checks *c)
{
    static const struct {
        const char *what;
        sf8_order order;
        size_t n;
        uint32_t plain, fused;
    } rows[] = {
        {"sequential 8", SF8_ORDER_SEQUENTIAL, 8, 0x37c00000, 0x37ab851e},
        {"sequential 896", SF8_ORDER_SEQUENTIAL, 896, 0xbb428000, 0xbb425c56},
        {"sequential 8192", SF8_ORDER_SEQUENTIAL, 8192, 0xbc5cc000, 0xbc5cb1af},
        {"warp 896", SF8_ORDER_WARP, 896, 0xb8200000, 0xb823d70a},
        {"warp 1024", SF8_ORDER_WARP, 1024, 0xb8b00000, 0xb8ab851f},
        {"block 5120", SF8_ORDER_BLOCK, 5120, 0xb7000000, 0xb70f5c29},
        {"tree 8", SF8_ORDER_TREE, 8, 0, 0xb575c290},
        {"tree 8192", SF8_ORDER_TREE, 8192, 0, 0xb575c290},
        {"welford 8192", SF8_ORDER_WELFORD, 8192, 0, 0},
    };
    static uint32_t x[MOST];
    for (size_t i = 0; i < MOST; i++)
        x[i] = X;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check(c, rows[i].what, sf8_f32_moments_n(rows[i].order, 0, x, rows[i].n).variance,
              rows[i].plain);
        check(c, rows[i].what,
              sf8_f32_moments_n(rows[i].order, SF8_FUSE_LAST, x, rows[i].n).variance,
              rows[i].fused);
    }
    check(c, "1e-12 leaves NaN", sf8_f32_rstd(0xb575c290, 0x2b8cbccc), 0x7fc00000);
    check(c, "1e-6 does not", sf8_f32_rstd(0xb575c290, 0x358637bd) == 0x7fc00000, 0);
}

/* One element of a key is NaN, by every order; its score, which an added mask does not hide, and a
 * residual; one score of three; then one value, whose weight is 0. */
static void run_nan(checks *c)
{
    uint32_t score[3] = {0x3f800000, 0x7fc00000, 0x40000000}, weight[3], out[2];
    static const uint32_t value[4] = {0x40400000, 0x40800000, 0x7fc00000, 0x40a00000};
    static const uint32_t query[3] = {0x3e800000, 0x3e800000, 0x3e800000};
    static const uint32_t key[3] = {0x3f800000, 0x7fc00000, 0xbf800000};
    static const sf8_order orders[4] = {SF8_ORDER_SEQUENTIAL, SF8_ORDER_WARP, SF8_ORDER_BLOCK,
                                        SF8_ORDER_TREE};
    for (int i = 0; i < 4; i++)
        check(c, "one NaN in a key", sf8_f32_dot_n(orders[i], SF8_FUSE_SUM, query, key, 3),
              0x7fc00000);
    check(c, "NaN + -inf", (uint32_t)sf8_add(SF8_F32, score[1], 0xff800000, SF8_OCP_NOSAT).code,
          0x7fc00000);
    check(c, "1 + NaN", (uint32_t)sf8_add(SF8_F32, 0x3f800000, score[1], SF8_OCP_NOSAT).code,
          0x7fc00000);
    sf8_softmax row = sf8_f32_softmax_n(SF8_ORDER_TREE, weight, score, 3);
    check(c, "the maximum", row.most, 0x40000000);
    check(c, "the sum", row.sum, 0x7fc00000);
    for (int i = 0; i < 3; i++)
        check(c, "a weight", weight[i], 0x7fc00000);
    weight[0] = 0x3f800000;
    weight[1] = 0;
    for (int skip = 0; skip < 2; skip++) {
        sf8_f32_weighted_n(out, weight, value, 2, 2, skip);
        check(c, skip ? "0 NaN skipped" : "0 NaN", out[0], skip ? 0x40400000 : 0x7fc00000);
        check(c, "the other channel", out[1], 0x40800000);
    }
}

/* NaN as code: 7f by division, 7e where a clamp comes first, and back. Four tokens of one channel,
 * 5/8 -5/8 NaN 5/16, by the scale 0.025 24 for the tie 25, -24, NaN and 12 for the tie 12.5. A
 * prefix hit reads all; then new owners write two slots, and the others are masked. */
static void run_cache(checks *c)
{
    static const uint32_t x[4] = {0x3f200000, 0xbf200000, 0x7fc00000, 0x3ea00000};
    static const uint8_t right[2][4] = {{0x5c, 0xdc, 0x7f, 0x54}, {0x5c, 0xdc, 0x7e, 0x54}};
    static const char *const names[2] = {"kv-vllm", "kv-vllm-scaled"};
    const float g = sf8_f32_from_bits(0x3ccccccd);
    uint32_t scale, value[4], weight[4], score[4] = {0, 0, 0, 0}, out;
    for (int clamps = 1; clamps >= 0; clamps--) {
        sf8_recipe r;
        uint8_t code[4];
        check(c, names[clamps], (uint32_t)sf8_recipe_named(&r, names[clamps]), SF8_OK);
        sf8_quantize_n(&r, code, &scale, NULL, SF8_F32, x, 1, 4, g);
        sf8_dequantize_n(&r, SF8_F32, value, code, &scale, NULL, 1, 4, g);
        for (int i = 0; i < 4; i++)
            check(c, names[clamps], code[i], right[clamps][i]);
        check(c, "NaN is read as", value[2], clamps ? X : 0x7fc00000);
        sf8_f32_softmax_n(SF8_ORDER_SEQUENTIAL, weight, score, 4);
        sf8_f32_weighted_n(&out, weight, value, 4, 1, 0);
        check(c, "a prefix hit", out, clamps ? 0x40380000 : 0x7fc00000);
    }
    value[2] = 0;
    sf8_f32_weighted_n(&out, weight, value, 4, 1, 0);
    check(c, "a clean one", out, 0x3d99999a);
    value[2] = 0x7fc00000;
    score[1] = score[2] = score[3] = 0xff800000;
    sf8_f32_softmax_n(SF8_ORDER_SEQUENTIAL, weight, score, 4);
    for (int skip = 0; skip < 2; skip++) {
        sf8_f32_weighted_n(&out, weight, value, 4, 1, skip);
        check(c, skip ? "a used slot skipped" : "a used slot", out, skip ? 0x3f19999a : 0x7fc00000);
    }
    const sf8_format formats[3] = {SF8_E4M3, SF8_E5M2, SF8_E2M1};
    static const uint32_t specials[3] = {2, 8, 0};
    for (int f = 0; f < 3; f++) {
        uint32_t count = 0;
        for (uint64_t code = 0; code < 1u << sf8_format_bits(formats[f]); code++)
            count += sf8_is_special(formats[f], code) != 0;
        check(c, "codes that are no number", count, specials[f]);
    }
}

static void run_argmax(checks *c)
{
    static const struct {
        uint32_t x[3], torch, greater, from_2;
    } rows[] = {
        {{0x7fc00000, 0x7fc00000, 0x7fc00000}, 0, 0, 2},
        {{0x40a00000, 0x7fc00000, 0x40e00000}, 1, 2, 2},
        {{0x40a00000, 0x40e00000, 0x7fc00000}, 2, 1, 1},
        {{0x40a00000, 0x40a00000, 0x40a00000}, 0, 0, 0},
        {{0xff800000, 0xff800000, 0xff800000}, 0, 0, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check(c, "torch", (uint32_t)sf8_f32_argmax(rows[i].x, 3), rows[i].torch);
        check(c, "greater", (uint32_t)sf8_f32_argmax_greater(rows[i].x, 3, 0), rows[i].greater);
        check(c, "greater, from 2", (uint32_t)sf8_f32_argmax_greater(rows[i].x, 3, 2),
              rows[i].from_2);
    }
}

/* 15.3 18.7 12.1 19.5 16.8 20 14.2 17.9 behind amax 5. By 20 / 200 they are 160 192 120 192 160 192
 * 144 176 tenths: variance 599 / 100. By 20 / 448 they are 11 13 8 14 12 14 10 13 of 10/7: 3.859375
 * (10/7)^2. By 19.5 / 448, and 20 as it is, 11 13 9 14 12 20 10 13 of 39/28 but for the 20: 6.1957.
 */
static void run_cures(checks *c)
{
    static const uint32_t value[TINY_CHANNELS] = {0x4174cccd, 0x4195999a, 0x4141999a, 0x419c0000,
                                                  0x41866666, 0x41a00000, 0x41633333, 0x418f3333};
    static const struct {
        const char *what;
        uint32_t read[TINY_CHANNELS], variance, token[TINY_CHANNELS];
    } rows[TINY_WAYS] = {
        {"exact",
         {0x4174cccd, 0x4195999a, 0x4141999a, 0x419c0000, 0x41866666, 0x41a00000, 0x41633333,
          0x418f3333},
         0x40d5cb80,
         {3, 3, 2, 3, 3, 3, 3, 3}},
        {"as claimed", {X, X, X, X, X, X, X, X}, 0xb575c290, {0, 0, 0, 0, 0, 0, 0, 0}},
        {"locked", {X, X, X, X, X, X, X, X}, 0xb575c290, {2, 2, 2, 2, 2, 2, 2, 2}},
        {"nosat",
         {0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000,
          0x7fc00000},
         0x7fc00000,
         {0, 0, 0, 0, 0, 0, 0, 0}},
        {"bf16",
         {0x41750000, 0x41960000, 0x41420000, 0x419c0000, 0x41860000, 0x41a00000, 0x41630000,
          0x418f0000},
         0x40d58800,
         {3, 3, 2, 3, 3, 3, 3, 3}},
        {"a scale of the request",
         {0x41800000, 0x4199999a, 0x41400000, 0x4199999a, 0x41800000, 0x4199999a, 0x41666667,
          0x418ccccd},
         0x40bfade9,
         {3, 3, 2, 3, 3, 3, 3, 3}},
        {"fp8-per-token-head",
         {0x417b6db7, 0x41949249, 0x4136db6e, 0x41a00000, 0x41892492, 0x41a00000, 0x4164924a,
          0x41949249},
         0x40fc0a2d,
         {3, 3, 2, 3, 3, 3, 3, 3}},
        {"the largest apart",
         {0x41752493, 0x4190db6e, 0x4148924a, 0x419c0000, 0x4185b6dc, 0x41a00000, 0x415edb6e,
          0x4190db6e},
         0x40c64337,
         {3, 3, 2, 3, 3, 3, 3, 3}},
    };
    for (int way = 0; way < TINY_WAYS; way++) {
        tiny_answer a = {{0}, 0, {0}};
        tiny_run(&a, way, 0x40a00000, value);
        for (int i = 0; i < TINY_CHANNELS; i++) {
            check(c, rows[way].what, a.read[i], rows[way].read[i]);
            check(c, rows[way].what, a.token[i], rows[way].token[i]);
        }
        check(c, rows[way].what, a.variance, rows[way].variance);
    }
}

void chain_run(const conform_job *j)
{
    static const struct {
        const char *subject;
        void (*run)(checks *c);
    } tables[] = {
        {"scale", run_scale},       {"cast", run_cast},   {"identical", run_identical},
        {"variance", run_variance}, {"nan", run_nan},     {"cache", run_cache},
        {"argmax", run_argmax},     {"cures", run_cures},
    };
    conform_result *result = j->result;
    checks c = {.result = result};
    double began = seconds_now();
    sf8_sha256_begin(&c.hash);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (strcmp(tables[i].subject, j->c->subject) == 0)
            tables[i].run(&c);
    sf8_sha256_end(&c.hash, result->digest);
    result->status = result->differ ? CONFORM_FAILED : CONFORM_PASSED;
    result->seconds = seconds_now() - began;
}
