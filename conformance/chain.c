/* SPDX-License-Identifier: MIT */
/* chain.c -- the links of a chain of failures: tables of calls and their words */
#include "chain.h"
#include "compare.h"
#include "digest.h"
#include "softfp8_f32.h"

#include <string.h>

enum { X = 0x41333333, MOST = 8192 }; /* 11.2 */

typedef struct chain_checks {
    conform_result *result;
    sf8_sha256 hash;
} chain_checks;

static void check(chain_checks *c, const char *what, uint32_t got, uint32_t right)
{
    digest_row(&c->hash, c->result->inputs++, got);
    if (got != right && c->result->differ++ == 0)
        snprintf(c->result->why, sizeof c->result->why, "%s: %x, not %x", what, (unsigned)got,
                 (unsigned)right);
}

static uint32_t divided(uint32_t a, uint32_t b)
{
    return (uint32_t)sf8_div(SF8_F32, a, b, SF8_OCP_NOSAT).code;
}

/* vLLM calc_kv_scales: 5 / 200, 5 (1/200), and the codes of 5 by both; of all 128 mantissas of bf16
 * 120 and 8, 89 and 39. */
static void run_scale(chain_checks *c)
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
static void run_cast(chain_checks *c)
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

/* E[x^2] - E[x]^2 of n times 11.2, the last step by two operations and by fma. */
static void run_variance(chain_checks *c)
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

/* One key of three is NaN; then one value, whose weight is 0. */
static void run_nan(chain_checks *c)
{
    uint32_t score[3] = {0x3f800000, 0x7fc00000, 0x40000000}, weight[3], out[2];
    static const uint32_t value[4] = {0x40400000, 0x40800000, 0x7fc00000, 0x40a00000};
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

static void run_argmax(chain_checks *c)
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

void chain_run(const conform_case *c, conform_result *result)
{
    static const struct {
        const char *subject;
        void (*run)(chain_checks *);
    } tables[] = {
        {"scale", run_scale}, {"cast", run_cast},     {"variance", run_variance},
        {"nan", run_nan},     {"argmax", run_argmax},
    };
    chain_checks checks = {.result = result};
    double began = seconds_now();
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (strcmp(c->subject, tables[i].subject) != 0)
            continue;
        sf8_sha256_begin(&checks.hash);
        tables[i].run(&checks);
        sf8_sha256_end(&checks.hash, result->digest);
        result->status = result->differ ? CONFORM_FAILED : CONFORM_PASSED;
        result->seconds = seconds_now() - began;
        return;
    }
    set_broken(result, "the row: no table", c->subject);
}
