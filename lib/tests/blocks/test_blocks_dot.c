/* SPDX-License-Identifier: MIT */
/* test_blocks_dot.c -- exact products of quantized rows, requantizing, and reports
 *
 * Sums were worked out by hand: the codes are 0 .5 1 1.5 2 3 4 6 in e2m1, 38 is 1 and 40 is 2 in
 * e4m3, 127 + n is 2^n in e8m0.
 */
#include "blocks/blocks.h"

#include <math.h>

static sf8_result dot(const sf8_blocks *a, const sf8_blocks *b, sf8_format to, size_t n,
                      float alpha)
{
    sf8_result r = {0, 0};
    cr_assert(sf8_blocks_dot(to, SF8_OCP_NOSAT, &r, a, b, n, alpha) == SF8_OK);
    return r;
}

/* 18 elements in blocks of 16: (6 6 + 1 1) 1 2 + (4 .5 - 3 3) 2 1 = 74 - 14 = 60. */
Test(blocks_dot, by_hand)
{
    static const uint8_t a[18] = {7, 2, [16] = 6, 5}, b[18] = {7, 2, [16] = 1, 0xd};
    static const uint32_t scales_a[2] = {0x38, 0x40}, scales_b[2] = {0x40, 0x38};
    sf8_recipe r = recipe_of("nvfp4-te");
    sf8_blocks x = {&r, a, scales_a, NULL, 1}, y = {&r, b, scales_b, NULL, 1};
    EXPECT(dot(&x, &y, SF8_F32, 18, 1).code == 0x42700000u, "60");
    EXPECT(dot(&x, &y, SF8_F32, 18, -.5f).code == 0xc1f00000u, "-30");
    EXPECT(dot(&x, &y, SF8_F16, 18, 1).code == 0x5380, "60");
    EXPECT(dot(&x, &y, SF8_BF16, 18, 1).code == 0x4270, "60");
    EXPECT(dot(&x, &y, SF8_F64, 18, 1).code == UINT64_C(0x404e000000000000), "60");
    EXPECT(dot(&x, &y, SF8_F32, 16, 1).code == 0x42940000u, "74: the first block");
    EXPECT(dot(&x, &y, SF8_F32, 0, 1).code == 0, "none");
}

/* A sum that f32 loses: 2^60 + 1 - 2^60. And one rounding only: 2^24 + 1 + 2^-30 is above the tie.
 */
Test(blocks_dot, exact)
{
    sf8_recipe r = recipe_of("mxfp4-floor");
    uint8_t a[96] = {2, [32] = 2, [64] = 0xa}, b[96] = {2, [32] = 2, [64] = 2};
    uint32_t one[3] = {127, 127, 127}, scales[3] = {127 + 60, 127, 127 + 60};
    sf8_blocks x = {&r, a, scales, NULL, 0}, y = {&r, b, one, NULL, 0};
    EXPECT(dot(&x, &y, SF8_F32, 96, 1).code == 0x3f800000u, "1");
    scales[0] = 127 + 24, scales[2] = 127 - 30, a[64] = 2;
    sf8_result tie = dot(&x, &y, SF8_F32, 64, 1), above = dot(&x, &y, SF8_F32, 96, 1);
    EXPECT(tie.code == 0x4b800000u && tie.flags == SF8_INEXACT, "2^24: %08x", (uint32_t)tie.code);
    EXPECT(above.code == 0x4b800001u, "2^24 + 2: %08x", (uint32_t)above.code);
    a[64] = 0xa; /* below the tie */
    EXPECT(dot(&x, &y, SF8_F32, 96, 1).code == 0x4b800000u, "2^24");
    sf8_policy up = SF8_OCP_NOSAT;
    up.round = SF8_RU;
    sf8_result result;
    cr_assert(sf8_blocks_dot(SF8_F32, up, &result, &x, &y, 64, 1) == SF8_OK);
    EXPECT(result.code == 0x4b800001u, "upward");
    /* the ends: 6 6 2^127 2^127, and 2^-127 2^-127 / 4 */
    uint8_t six = 7, half = 1;
    uint32_t most = 254, least = 0;
    sf8_blocks p = {&r, &six, &most, NULL, 0}, q = {&r, &half, &least, NULL, 0};
    EXPECT(dot(&p, &p, SF8_F64, 1, 1).code == UINT64_C(0x5022000000000000), "36 * 2^254");
    EXPECT(dot(&q, &q, SF8_F64, 1, 1).code == UINT64_C(0x2ff0000000000000), "2^-256");
    EXPECT(dot(&p, &p, SF8_F32, 1, 1).code == 0x7f800000u, "overflow");
    EXPECT(dot(&q, &q, SF8_F32, 1, -1).code == 0x80000000u, "underflow");
}

Test(blocks_dot, specials)
{
    sf8_recipe r = recipe_of("mxfp8-e5m2-floor"); /* 7c is infinity, 7e NaN, 3c 1 */
    uint32_t one = 127, nan = 255;
    static const struct {
        uint8_t a[2], b[2];
        float alpha;
        uint32_t want;
    } rows[] = {
        {{0x7c, 0x3c}, {0x3c, 0x3c}, 1, 0x7f800000},
        {{0x7c, 0x3c}, {0xbc, 0x3c}, 1, 0xff800000},
        {{0x7c, 0x7c}, {0x3c, 0xbc}, 1, 0x7fc00000},
        {{0x7c, 0x3c}, {0x00, 0x3c}, 1, 0x7fc00000},
        {{0x7e, 0x3c}, {0x00, 0x3c}, 1, 0x7fc00000},
        {{0x3c, 0x3c}, {0x3c, 0x3c}, NAN, 0x7fc00000},
        {{0x3c, 0x3c}, {0x3c, 0x3c}, -INFINITY, 0xff800000},
        {{0x3c, 0x3c}, {0x3c, 0xbc}, INFINITY, 0x7fc00000},
        {{0x3c, 0x3c}, {0x3c, 0xbc}, -1, 0x00000000},
        {{0x80, 0x80}, {0x3c, 0x3c}, 1, 0x00000000},
        {{0x7c, 0x3c}, {0x3c, 0x3c}, 0, 0x7fc00000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_blocks a = {&r, rows[i].a, &one, NULL, 0}, b = {&r, rows[i].b, &one, NULL, 0};
        uint64_t code = dot(&a, &b, SF8_F32, 2, rows[i].alpha).code;
        EXPECT(code == rows[i].want, "%zu: %08x", i, (uint32_t)code);
        b.scales = &nan;
        EXPECT(dot(&a, &b, SF8_F32, 2, 1).code == 0x7fc00000u, "a NaN scale");
    }
}

/* x = 6 in a tensor of amax 6, y = 3 in one of amax 12: G is 448 and 224, g the inverse. */
Test(blocks_dot, global_scales)
{
    static const float x[2] = {6, -3}, y[2] = {12, 3};
    sf8_recipe encode = recipe_of("nvfp4-te"), decode = recipe_of("nvfp4-modelopt");
    sf8_recipe none = recipe_of("mxfp4-floor");
    uint8_t a[2], b[2], c[2];
    uint32_t sa, sb, sc;
    cr_assert(sf8_quantize_n(&encode, a, &sa, NULL, SF8_F32, x, 1, 2, 448) == SF8_OK);
    cr_assert(sf8_quantize_n(&encode, b, &sb, NULL, SF8_F32, y, 1, 2, 224) == SF8_OK);
    cr_assert(sf8_quantize_n(&decode, c, &sc, NULL, SF8_F32, y, 1, 2, 0x1p-7f) == SF8_OK);
    sf8_blocks p = {&encode, a, &sa, NULL, 448}, q = {&encode, b, &sb, NULL, 224};
    sf8_blocks s = {&decode, c, &sc, NULL, 0x1p-7f}, t = {&none, c, &sc, NULL, 77};
    /* 6 12 - 3 3 = 63; 3/12 of 6 is 1.5, a code */
    EXPECT(sf8_blocks_alpha(&p, &q) == 1 / (448.0f * 224.0f), "encode, encode");
    EXPECT(sf8_blocks_alpha(&p, &s) == 0x1p-7f / 448, "encode, decode");
    EXPECT(sf8_blocks_alpha(&s, &s) == 0x1p-14f, "decode, decode");
    EXPECT(sf8_blocks_alpha(&t, &t) == 1, "none");
    sf8_recipe paged = recipe_of("nvfp4-flashinfer-paged");
    sf8_blocks u = {&paged, c, &sc, NULL, 4};
    EXPECT(sf8_blocks_alpha(&u, &t) == .25f, "encode-448");
    float good = sf8_blocks_alpha(&p, &q);
    EXPECT(dot(&p, &q, SF8_BF16, 2, good).code == 0x427c, "63");
    EXPECT(dot(&p, &s, SF8_BF16, 2, sf8_blocks_alpha(&p, &s)).code == 0x427c, "63");
}

/* Row i of a with row j of b, K = 33 in blocks of 32 and 16; the element behind the results is
 * unchanged. */
Test(blocks_dot, matmul)
{
    enum { M = 2, N = 3, K = 33 };
    uint8_t a[M * K], b[N * K];
    uint32_t sa[M * 2] = {127, 128, 126, 127}, sb[N * 3];
    sf8_recipe mx = recipe_of("mxfp4-floor"), nv = recipe_of("nvfp4-te");
    float d[M * N + 1];
    uint16_t half[M * N];
    for (size_t i = 0; i < M * K; i++) /* row 0: 1, row 1: 2; its last element 1 */
        a[i] = i < K ? 2 : i == M * K - 1 ? 2 : 4;
    for (size_t i = 0; i < N * K; i++) /* row j: .5, 1, -1 */
        b[i] = i < K ? 1 : i < 2 * K ? 2 : 0xa;
    for (size_t i = 0; i < N * 3; i++)
        sb[i] = i % 3 == 2 ? 0x40 : 0x38; /* 1 1 2 */
    sf8_blocks x = {&mx, a, sa, NULL, 0}, y = {&nv, b, sb, NULL, 1};
    /* row 0: 32 b + 2 2 b = 36 b; row 1: 32 2/2 b + 1 2 b = 34 b */
    static const float want[M * N] = {18, 36, -36, 17, 34, -34};
    d[M * N] = 77;
    cr_assert(sf8_blocks_matmul(SF8_F32, SF8_OCP_NOSAT, d, &x, M, &y, N, K, 1) == SF8_OK);
    for (size_t i = 0; i < M * N; i++)
        EXPECT(d[i] == want[i], "%zu: %g", i, (double)d[i]);
    EXPECT(d[M * N] == 77, "behind");
    cr_assert(sf8_blocks_matmul(SF8_F16, SF8_OCP_NOSAT, half, &x, M, &y, N, K, .5f) == SF8_OK);
    EXPECT(half[0] == 0x4880 && half[5] == 0xcc40, "%x %x", half[0], half[5]);
    double wide[M * N];
    cr_assert(sf8_blocks_matmul(SF8_F64, SF8_OCP_NOSAT, wide, &x, M, &y, N, K, 1) == SF8_OK);
    EXPECT(wide[5] == -34, "%g", wide[5]);
}

Test(blocks_dot, refused)
{
    uint8_t code = 0;
    uint32_t scale = 0, offset = 0, word = 77;
    sf8_recipe mx = recipe_of("mxfp4-floor"), kivi = recipe_of("kivi-int4");
    sf8_blocks a = {&mx, &code, &scale, NULL, 0}, b = {&kivi, &code, &scale, &offset, 0};
    sf8_result r = {5, 5};
    sf8_policy sr = SF8_OCP_NOSAT;
    sr.round = SF8_SR;
    sf8_policy ok = SF8_OCP_NOSAT;
    EXPECT(sf8_blocks_dot(SF8_F32, ok, &r, &a, &b, 1, 1) == SF8_BAD_CALL, "offsets");
    EXPECT(sf8_blocks_dot(SF8_F32, ok, &r, &b, &a, 1, 1) == SF8_BAD_CALL, "offsets");
    EXPECT(sf8_blocks_dot(SF8_E4M3, ok, &r, &a, &a, 1, 1) == SF8_BAD_FORMAT, "e4m3");
    EXPECT(sf8_blocks_dot(SF8_F32, sr, &r, &a, &a, 1, 1) == SF8_BAD_CALL, "sr");
    EXPECT(sf8_blocks_matmul(SF8_F32, ok, &word, &a, SIZE_MAX, &a, 2, 0, 1) == SF8_BAD_CALL, "m");
    EXPECT(sf8_blocks_matmul(SF8_F32, ok, &word, &a, 1, &a, 2, SIZE_MAX, 1) == SF8_BAD_CALL, "k");
    EXPECT(r.code == 5 && word == 77, "written to");
    EXPECT(sf8_blocks_matmul(SF8_F32, ok, &word, &a, 0, &a, 2, 1, 1) == SF8_OK && word == 77, "0");
    EXPECT(sf8_blocks_matmul(SF8_F32, ok, &word, &a, SIZE_MAX, &a, 0, 0, 1) == SF8_OK && word == 77,
           "many rows of no columns");
    sf8_block_report report = {.count = 9};
    float x = 1;
    EXPECT(sf8_block_errors(&report, &a, SF8_E4M3, &x, 1, 1) == SF8_BAD_FORMAT, "e4m3");
    EXPECT(sf8_block_errors(&report, &a, SF8_F32, &x, 2, PTRDIFF_MAX) == SF8_BAD_CALL, "sizes");
    EXPECT(sf8_requantize_n(&mx, &code, &scale, NULL, 0, &a, 2, PTRDIFF_MAX) == SF8_BAD_CALL, "");
    EXPECT(report.count == 9 && code == 0, "written to");
}

/* mxfp4, blocks of 32, to nvfp4, blocks of 16, is quantizing what was read back; so is KIVI's. */
Test(blocks_dot, requantized)
{
    enum { ROWS = 2, COLUMNS = 37 };
    static const char *const names[] = {"mxfp4-even", "nvfp4-te",           "nvfp4-compressed",
                                        "kivi-int4",  "fp8-per-token-head", "nvfp4-torchao"};
    float x[ROWS * COLUMNS], back[ROWS * COLUMNS];
    uint8_t codes[ROWS * COLUMNS], want[ROWS * COLUMNS], got[ROWS * COLUMNS];
    uint32_t scales[6], offsets[6], want_s[6], want_o[6], got_s[6], got_o[6];
    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = (float)((int)(i * 7919 % 101) - 50) / 16;
    for (size_t i = 0; i < COUNT(names); i++)
        for (size_t k = 0; k < COUNT(names); k++) {
            sf8_recipe a = recipe_of(names[i]), b = recipe_of(names[k]);
            sf8_blocks from = {&a, codes, scales, offsets, 3};
            memset(want_s, 0, sizeof want_s), memset(got_s, 0, sizeof got_s);
            memset(want_o, 0, sizeof want_o), memset(got_o, 0, sizeof got_o);
            cr_assert(sf8_quantize_n(&a, codes, scales, offsets, SF8_F32, x, ROWS, COLUMNS, 3) ==
                      SF8_OK);
            cr_assert(sf8_dequantize_n(&a, SF8_F32, back, codes, scales, offsets, ROWS, COLUMNS,
                                       3) == SF8_OK);
            cr_assert(sf8_quantize_n(&b, want, want_s, want_o, SF8_F32, back, ROWS, COLUMNS, 5) ==
                      SF8_OK);
            cr_assert(sf8_requantize_n(&b, got, got_s, got_o, 5, &from, ROWS, COLUMNS) == SF8_OK);
            EXPECT(memcmp(want, got, sizeof got) == 0 && memcmp(want_s, got_s, sizeof got_s) == 0 &&
                       memcmp(want_o, got_o, sizeof got_o) == 0,
                   "%s to %s", names[i], names[k]);
        }
}

/* e2m1 with the scale 1: 8 is clipped to 6, .2 to 0, 2.5 to 2, NaN, infinity. */
Test(blocks_dot, report)
{
    static const float x[7] = {8, .25f, 2.5f, NAN, -INFINITY, -7, 0};
    static const uint16_t bf[2] = {0x4100, 0x3f80};
    static const uint8_t codes[7] = {7, 0, 4, 7, 0xf, 0xf, 0};
    uint32_t one = 127;
    sf8_recipe r = recipe_of("mxfp4-floor");
    sf8_blocks b = {&r, codes, &one, NULL, 0};
    sf8_block_report e;
    cr_assert(sf8_block_errors(&e, &b, SF8_F32, x, 1, 7) == SF8_OK);
    EXPECT(e.count == 7 && e.nan == 1 && e.infinite == 1 && e.zeros_lost == 1, "counts");
    EXPECT(e.saturated == 3, "8, -infinity, -7: %d", (int)e.saturated);
    EXPECT(e.most == 2, "%g", e.most);
    EXPECT(e.sum_error2 == 4 + .0625 + .25 + 1 && e.sum_x2 == 64 + .0625 + 6.25 + 49, "%g %g",
           e.sum_error2, e.sum_x2);
    cr_assert(sf8_block_errors(&e, &b, SF8_BF16, bf, 1, 2) == SF8_OK);
    EXPECT(e.count == 2 && e.sum_x2 == 65 && e.sum_error2 == 5, "%g", e.sum_error2);
}
