/* SPDX-License-Identifier: MIT */
/* test_blocks.c -- recipes: golden blocks; zeros, underflow and extreme scales
 *
 * The codes were computed by hand from what the stacks compute, as the comments say; "measured"
 * means values that the stacks' own formulas printed in IEEE f32 elsewhere.
 */
#include "blocks/blocks.h"

#include <math.h>

static const char *const encoders[] = {"nvfp4-vllm", "nvfp4-trtllm", "nvfp4-te",
                                       "nvfp4-compressed"};

/* ---- NVFP4 ----------------------------------------------------------------------------------- */

/* Measured: G = 448, the largest magnitude 6, so that the scale is 448 and the factor 1. Bytes,
 * the even element in the low digit: 90 22 4b d4 66 7e 80 87. */
Test(blocks, golden)
{
    static const float x[16] = {.25f, -.5f, .75f, 1, -1.5f, 2,      2.5f,  -3,
                                3.5f, 4,    -5,   6, 0,     -.125f, 5.25f, -0.0f};
    static const uint8_t bytes[8] = {0x90, 0x22, 0x4b, 0xd4, 0x66, 0x7e, 0x80, 0x87};
    for (size_t i = 0; i < COUNT(encoders); i++) {
        made m = made_of(encoders[i], x, 16, 448);
        if (strcmp(encoders[i], "nvfp4-compressed") == 0) { /* -0 becomes +0 */
            EXPECT_BLOCK(m, 1, 0x7e, "0922b44d66e70870");
            continue;
        }
        EXPECT_BLOCK(m, 1, 0x7e, "0922b44d66e70878");
        for (size_t k = 0; k < 8; k++)
            EXPECT((m.code[2 * k] | m.code[2 * k + 1] << 4) == bytes[k], "byte %zu", k);
    }
}

/* Ties of e2m1 go to the even code: 0 2 2 4 4 6 6. SGLang compares with >=: away from zero. The
 * scale is that of 6: 448 / 448, 2^0. */
Test(blocks, ties)
{
    static const float x[8] = {.25f, .75f, 1.25f, 1.75f, 2.5f, 3.5f, 5, 6};
    static const float minus[8] = {-.25f, -.75f, -1.25f, -1.75f, -2.5f, -3.5f, -5, -6};
    for (size_t i = 0; i < COUNT(encoders); i++) {
        EXPECT_BLOCK(made_of(encoders[i], x, 8, 448), 1, 0x7e, "02244667");
        EXPECT_BLOCK(made_of(encoders[i], minus, 8, 448), 1, 0x7e,
                     "8aaccee"
                     "f");
    }
    EXPECT_BLOCK(made_of("mxfp4-rceil", x, 8, 0), 1, 127, "02244667");
    /* the scale is 4, and the unit 1 or 4 */
    EXPECT_BLOCK(made_of("bfp4-tenstorrent", x, 8, 0), 1, 129, "01122456");
    EXPECT_BLOCK(made_of("bfp4-tenstorrent", minus, 8, 0), 1, 129, "099aacde");
    EXPECT_BLOCK(made_of("bfp2-tenstorrent", x, 8, 0), 1, 129, "00001111");
    EXPECT_BLOCK(made_of("sglang-kvfp4", x, 8, 0), 1, 127, "12345677");
    EXPECT_BLOCK(made_of("sglang-kvfp4", minus, 8, 0), 1, 127, "9abcdeff");
}

/* A block of zeros, -0 last: four different scales. */
Test(blocks, zero_block)
{
    static const struct {
        const char *name;
        uint32_t scale;
        const char *codes;
    } rows[] = {
        {"nvfp4-vllm", 0x00, "0008"},
        {"nvfp4-trtllm", 0x00, "0008"},
        {"nvfp4-te", 0x00, "0008"},
        {"nvfp4-flashinfer-append", 0x00, "0008"},
        {"nvfp4-flashinfer-append-4over6", 0x00, "0008"},
        {"mxfp4-flashinfer", 0x00, "0008"},
        {"nvfp4-modelopt", 0x38, "0000"}, /* asks x < 0 */
        {"nvfp4-argmin", 0x00, "0000"},   /* 0 / 0, and NaN is 0 */
        {"nvfp4-compressed", 0x20, "0000"},
        {"nvfp4-torchao", 0x08, "0008"},
        {"nvfp4-modelopt-0.44", 0x38, "0000"},
        {"nvfp4-modelopt-static", 0x7e, "0000"}, /* 1 in place of 0, 448 times more */
        {"nvfp4-auto-round", 0x00, "0000"},
        {"nvfp4-gguf", 0x00, "0000"},
        {"mxfp4-compressed", 0x00, "0000"},
        {"mxfp4-modelopt", 0x00, "8888"}, /* zero is 8 there */
        {"mxfp4-gguf", 0x00, "0000"},
        {"mxfp4-auto-round", 0x7e, "0000"},
        {"mxfp4-auto-round-rceil", 0x80, "0000"},
        {"mxfp4-torchao-rceil", 0x00, "0008"},
        {"q4_0-gguf", 0x8000, "8888"}, /* 0 / -8; 8 is 0 */
        {"mxfp4-floor", 0x00, "0008"},
        {"mxfp4-vllm", 0x00, "0000"},
        {"sglang-kvfp4", 0x5e, "0000"}, /* 1e-10 is between 2^-34 and 2^-33 */
        {"kivi-int4", 0x0000, "0000"},
        {"int4-per-token-head", 0x358637b0, "0000"}, /* 1e-6 without its last 4 bits */
        {"kvquant-int4", 0x7f800000, "0000"},
        {"mxint8-floor", 0x00, "0000"},
        {"bfp4-tenstorrent", 0x00, "0000"},
    };
    static const float x[4] = {0, 0, 0, -0.0f};
    for (size_t i = 0; i < COUNT(rows); i++) {
        made m = made_of(rows[i].name, x, 4, 1);
        EXPECT_BLOCK(m, 1, rows[i].scale, rows[i].codes);
        for (size_t k = 0; k < 4; k++)
            EXPECT((m.value[k] & 0x7fffffffu) == 0, "%s: %08x", rows[i].name, m.value[k]);
    }
}

/* The largest magnitude is 2^-9, the global scale 1: 2^-9 / 6 is below 2^-10, and e4m3 has 0. */
Test(blocks, scale_underflow)
{
    static const struct {
        const char *name;
        uint32_t scale;
        const char *codes;
    } rows[] = {
        {"nvfp4-vllm", 0x00, "0808"},            /* times 0 */
        {"nvfp4-trtllm", 0x00, "7f77"},          /* times 1/0; 0 * inf is NaN, which is 7 */
        {"nvfp4-te", 0x00, "7f08"},              /* times FLT_MAX */
        {"nvfp4-modelopt", 0x01, "2a00"},        /* 2^-9 is the least */
        {"nvfp4-modelopt-0.44", 0x00, "7f77"},   /* over 0 */
        {"nvfp4-modelopt-static", 0x36, "7f00"}, /* 448 2^-9 */
        {"nvfp4-auto-round", 0x00, "0000"},      /* times 0 */
        {"nvfp4-gguf", 0x00, "0000"},
        {"nvfp4-argmin", 0x00, "0800"},     /* over 0; infinity is as far from all */
        {"nvfp4-compressed", 0x20, "0800"}, /* 2^-9 / 2^-3 */
        {"nvfp4-torchao", 0x08, "0808"},    /* 2^-9 / 2^-6 = 1/8 */
        {"nvfp4-flashinfer", 0x00, "0808"},
        {"nvfp4-flashinfer-0.7.2", 0x00, "7f77"},
        {"nvfp4-flashinfer-paged", 0x00, "0808"},
        {"nvfp4-flashinfer-paged-0.7.2", 0x00, "7f77"},
        {"nvfp4-flashinfer-kv", 0x00, "0808"},
        {"nvfp4-flashinfer-kv-0.7.2", 0x00, "7f77"},
        {"nvfp4-flashinfer-append", 0x00, "0808"},
        {"nvfp4-flashinfer-append-4over6", 0x00, "0808"}, /* times 0 with both scales */
    };
    static const float x[4] = {0x1p-9f, -0x1p-9f, 0, -0.0f};
    for (size_t i = 0; i < COUNT(rows); i++)
        EXPECT_BLOCK(made_of(rows[i].name, x, 4, 1), 1, rows[i].scale, rows[i].codes);
}

/* G = inf, of a tensor whose amax is below 2688 / FLT_MAX: the scale saturates, 1/inf is 0. */
Test(blocks, infinite_global_scale)
{
    static const float x[4] = {1e-36f, -1e-36f, 0, -0.0f};
    EXPECT_BLOCK(made_of("nvfp4-vllm", x, 4, INFINITY), 1, 0x7e, "7f77");
    EXPECT_BLOCK(made_of("nvfp4-trtllm", x, 4, INFINITY), 1, 0x7e, "7f77");
    /* 1e-36 * FLT_MAX = 340 */
    EXPECT_BLOCK(made_of("nvfp4-te", x, 4, INFINITY), 1, 0x7e, "7f08");
}

/* S = 464, 464.1, 1e5: saturated to 448, and elements clipped; 5 * 464 / 448 is above the tie 5. */
Test(blocks, scale_overflow)
{
    static const float x[4] = {6, 5, -4.5f, 1}, g[3] = {464, 464.1f, 1e5f};
    static const char *const codes[3] = {"77e2", "77e2", "77f7"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < COUNT(encoders); k++)
            EXPECT_BLOCK(made_of(encoders[k], x, 4, g[i]), 1, 0x7e, codes[i]);
}

/* g amax / 6 is 17.0000008, just above a tie of e4m3; in f32 amax / 6 loses that, g amax does not.
 */
Test(blocks, order_of_factors)
{
    float amax = from_word(0x42cbcbd4), g = from_word(0x3f8020c5);
    EXPECT(made_of("nvfp4-compressed", &amax, 1, g).scale == 0x58, "g (amax / 6): the even code");
}

/* Transformer Engine searches the largest magnitude from 0 on: the scale of NaN alone is 2^-127. */
Test(blocks, nan_alone)
{
    static const float x[2] = {NAN, NAN};
    EXPECT_BLOCK(made_of("mxfp8-te", x, 2, 0), 2, 0x00, "7f7f");
    EXPECT_BLOCK(made_of("mxfp8-e5m2-te", x, 2, 0), 2, 0x00, "7f7f");
}

/* Where amax is infinite, the scale is 2^127 and the factor 0: 0 for numbers, NaN for infinity. */
Test(blocks, infinity_of_flashinfer)
{
    static const float x[4] = {INFINITY, 1, -1e30f, -INFINITY};
    EXPECT_BLOCK(made_of("mxfp4-flashinfer", x, 4, 0), 1, 0xfe, "7087");
    EXPECT_BLOCK(made_of("mxfp8-flashinfer", x, 4, 0), 2, 0xfe, "7e00807e");
}

/* NaN is not seen by the scale in kernels of CUDA and Triton. By torch amax is NaN, clamp hands it
 * on and e4m3 has it as 7f: the whole block reads as NaN. As an element it is 6, by a comparison 0.
 */
Test(blocks, nan_elements)
{
    static const float x[3] = {6, NAN, -3};
    EXPECT_BLOCK(made_of("nvfp4-vllm", x, 3, 448), 1, 0x7e, "77d");
    EXPECT_BLOCK(made_of("nvfp4-te", x, 3, 448), 1, 0x7e, "77d");
    EXPECT_BLOCK(made_of("nvfp4-flashinfer-append", x, 3, 0x1p-8f), 1, 0x78, "70d");
    EXPECT_BLOCK(made_of("nvfp4-modelopt", x, 3, 0x1p-8f), 1, 0x7f, "777");
    EXPECT_BLOCK(made_of("nvfp4-argmin", x, 3, 0x1p-8f), 1, 0x7f, "000");
    EXPECT_BLOCK(made_of("mxfp4-floor", x, 3, 0), 1, 0xff, "777");
    EXPECT_BLOCK(made_of("mxfp8-e4m3-even", x, 3, 0), 2, 0xff, "7f7f7f");
    EXPECT_BLOCK(made_of("mxfp8-flashinfer", x, 3, 0), 2, 0x79, "7c7ef4"); /* min(NaN, 448) */
    EXPECT_BLOCK(made_of("fp8-per-token", x, 3, 0), 2, 0x3c5b6db7, "7e7ef6");
    static const char *const torch[] = {"nvfp4-torchao", "nvfp4-compressed", "nvfp4-modelopt"};
    for (size_t i = 0; i < COUNT(torch); i++) {
        made m = made_of(torch[i], x, 3, 1);
        EXPECT_BLOCK(m, 1, 0x7f, "777");
        for (size_t k = 0; k < 3; k++)
            EXPECT(m.value[k] == 0x7fc00000u, "%s: %08x", torch[i], m.value[k]);
    }
    EXPECT_BLOCK(made_of("sglang-kvfp4", x, 3, 0), 1, 0xff, "000");
    for (int clamp = 0; clamp < 2; clamp++) { /* nan_to_num: the whole channel is 0 */
        made m = made_of(clamp ? "kvquant-int4-clamp" : "kvquant-int4", x, 3, 0);
        EXPECT_BLOCK(m, 1, 0x7fc00000u, "000");
        EXPECT(m.offset == 0x7fc00000u && (m.value[0] | m.value[1] | m.value[2]) == 0, "%08x",
               m.value[0]);
    }
}

/* ---- MX -------------------------------------------------------------------------------------- */

/* Exponents of the scale by floor, even, ceil, rceil, for e2m1. Measured, but for the last three:
 * just below a power of two log2 must not be that of the power. */
Test(blocks, mx_exponents)
{
    static const struct {
        float amax;
        int exponent[4];
    } rows[] = {
        {1.0f, {-2, -2, -2, -2}},
        {1.25f, {-2, -2, -1, -2}},
        {1.6f, {-2, -2, -1, -1}},
        {1.75f, {-2, -1, -1, -1}},
        {3.0f, {-1, -1, 0, -1}},
        {3.01f, {-1, -1, 0, 0}},
        {6.0f, {0, 0, 1, 0}},
        {6.5f, {0, 0, 1, 1}},
        {7.0f, {0, 1, 1, 1}},
        {8.0f, {1, 1, 1, 1}},
        {0x1.fffffep-1f, {-3, -2, -2, -2}},
        {0x1.000002p0f, {-2, -2, -1, -2}},
        {0x1.bffffep0f, {-2, -2, -1, -1}},
    };
    static const char *const names[4] = {"mxfp4-floor", "mxfp4-even", "mxfp4-ceil", "mxfp4-rceil"};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t mode = 0; mode < 4; mode++) {
            made m = made_of(names[mode], &rows[i].amax, 1, 0);
            EXPECT(m.scale == (uint32_t)(127 + rows[i].exponent[mode]), "%s %a: %u", names[mode],
                   (double)rows[i].amax, m.scale);
        }
}

/* Where `even` goes up: at 2 - 2^-(M + 1), so at 1.75, 1.875, 1.9375; `rceil` above the largest
 * mantissa of a format: 1.5, 1.75, 1.875, 1.75, 1.75. Less emax: 2, 4, 2, 8, 15. */
Test(blocks, mx_formats)
{
    static const struct {
        const char *name;
        int emax;
        float even, rceil;
    } rows[] = {
        {"mxfp4", 2, 1.75f, 1.5f},          {"mxfp6-e3m2", 4, 1.875f, 1.75f},
        {"mxfp6-e2m3", 2, 1.9375f, 1.875f}, {"mxfp8-e4m3", 8, 1.9375f, 1.75f},
        {"mxfp8-e5m2", 15, 1.875f, 1.75f},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char even[32], rceil[32];
        uint32_t low = 127 - (uint32_t)rows[i].emax;
        float below = rows[i].even * (1 - 0x1p-23f), above = rows[i].rceil * 1.00001f;
        snprintf(even, sizeof even, "%s-even", rows[i].name);
        snprintf(rceil, sizeof rceil, "%s-rceil", rows[i].name);
        EXPECT(made_of(even, &below, 1, 0).scale == low, "%s", even);
        EXPECT(made_of(even, &rows[i].even, 1, 0).scale == low + 1, "%s", even);
        EXPECT(made_of(rceil, &rows[i].rceil, 1, 0).scale == low, "%s", rceil);
        EXPECT(made_of(rceil, &above, 1, 0).scale == low + 1, "%s", rceil);
    }
}

/* The scale ends at 2^-127; vLLM's reader takes that code for 0. */
Test(blocks, mx_least_scale)
{
    static const float x[3] = {0x1p-125f, -0x1p-126f, 0x1p-128f};
    made even = made_of("mxfp4-even", x, 3, 0), vllm = made_of("mxfp4-vllm", x, 3, 0);
    EXPECT_BLOCK(even, 1, 0, "6c1");
    EXPECT_BLOCK(vllm, 1, 0, "000");
    EXPECT(even.value[0] == 0x01000000u && vllm.value[0] == 0, "%08x", even.value[0]);
    EXPECT_BLOCK(made_of("mxfp4-vllm", (const float[]){0x1p-124f, 0x1p-127f}, 2, 0), 1, 1, "61");
    EXPECT_BLOCK(made_of("mxfp4-rceil", (const float[]){INFINITY, 1}, 2, 0), 1, 0xff, "77");
}

Test(blocks, mxint8)
{
    /* emax 0, codes are 64ths: 1.5 * 64 = 96; ties to even: 0.5 / 64; 127.5 / 64 is clipped */
    static const float x[6] = {1.5f, -1, 0x1p-7f, 0x3p-7f, 0x1.fep0f, -0x1.fep0f};
    made m = made_of("mxint8-floor", x, 6, 0);
    EXPECT_BLOCK(m, 2, 127, "60c000027f81");
    EXPECT(m.value[0] == 0x3fc00000u && m.value[5] == 0xbffe0000u, "%08x", m.value[5]);
}

/* ---- codes of 8 bits ------------------------------------------------------------------------- */

Test(blocks, fp8_least_scales)
{
    static const float zero[2] = {0, -0.0f};
    EXPECT_BLOCK(made_of("fp8-group128", zero, 2, 0), 2, 0x2a7b5123, "0080");  /* 1e-10 / 448 */
    EXPECT_BLOCK(made_of("fp8-per-token", zero, 2, 0), 2, 0x36924925, "0080"); /* 1 / 229376 */
    EXPECT_BLOCK(made_of("fp8-per-token-head", zero, 2, 0), 2, 0x358637bd, "0080"); /* 1e-6 */
    EXPECT_BLOCK(made_of("int8-per-token-head", zero, 2, 0), 2, 0x358637bd, "0000");
    EXPECT_BLOCK(made_of("int8-per-token-head-interpreted", zero, 2, 0), 2, 0x358637bd, "0000");
    EXPECT_BLOCK(made_of("fp8-group128-ue8m0", zero, 2, 0), 2, 127 - 33, "0080"); /* 1e-10 */
    /* 448 * 2^k gives 2^k; one ulp more 2^(k+1) */
    EXPECT_BLOCK(made_of("fp8-group128-ue8m0", (const float[]){448}, 1, 0), 2, 127, "7e");
    EXPECT_BLOCK(made_of("fp8-group128-ue8m0", (const float[]){448.00006f}, 1, 0), 2, 128, "76");
    /* NaN among the elements is clamped */
    EXPECT_BLOCK(made_of("fp8-group128", (const float[]){448, NAN}, 2, 0), 2, 0x3f800000u, "7e7e");
}

/* Measured: value and scale for which dividing and multiplying by the reciprocal differ. */
Test(blocks, divide_or_multiply)
{
    static const struct {
        uint32_t scale, x, divided, multiplied;
    } rows[] = {
        {0x3b1db6db, 0x3a4f, 0x2a, 0x2b}, {0x3bc66666, 0x3a1b, 0x1c, 0x1d},
        {0x3bcaaaab, 0x3a2b, 0x1e, 0x1d}, {0x3b966666, 0x3a6b, 0x25, 0x24},
        {0x3bb99999, 0x3a11, 0x1d, 0x1c}, {0x3c466666, 0x3a1b, 0x14, 0x15},
    };
    sf8_recipe_row row = *sf8_recipe_at(0);
    sf8_recipe divide, multiply;
    row.element = "e4m3";
    row.block = 0;
    row.scale = "f32";
    row.scale_policy = "ocp-nosat";
    row.scale_of = "g";
    row.factor_of = "";
    row.value_of = "e s *";
    row.element_of = "x s /";
    cr_assert(sf8_recipe_read(&divide, &row) == SF8_OK);
    row.element_of = "x 1 s / *";
    cr_assert(sf8_recipe_read(&multiply, &row) == SF8_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint16_t x = (uint16_t)rows[i].x;
        float g = from_word(rows[i].scale);
        made d = make(&divide, SF8_BF16, &x, 1, g), m = make(&multiply, SF8_BF16, &x, 1, g);
        EXPECT(d.code[0] == rows[i].divided && m.code[0] == rows[i].multiplied, "%zu: %02x %02x", i,
               d.code[0], m.code[0]);
    }
    /* the first in its recipes: 1.078125 / 448 is that scale */
    uint16_t x[2] = {0x3f8a, 0x3a4f};
    sf8_recipe token = recipe_of("fp8-per-token");
    sf8_recipe head = recipe_of("fp8-per-token-head-interpreted");
    EXPECT_BLOCK(make(&token, SF8_BF16, x, 2, 0), 2, 0x3b1db6db, "7e2a");
    EXPECT_BLOCK(make(&head, SF8_BF16, x, 2, 0), 2, 0x3b1db6db, "7e2b");
    /* a product with 1/448, as vLLM's kernel has it on a GPU, gives the next scale */
    head = recipe_of("fp8-per-token-head");
    EXPECT_BLOCK(make(&head, SF8_BF16, x, 2, 0), 2, 0x3b1db6dc, "7e2a");
}

Test(blocks, int8_ties_away)
{
    static const float x[8] = {127, 2.5f, -2.5f, .5f, -.5f, 1.5f, -127, 0.49999997f};
    /* the last: 0.49999997 + 0.5 is 1 in f32 */
    made m = made_of("int8-per-token-head", x, 8, 0);
    EXPECT_BLOCK(m, 2, 0x3f800000u, "7f03fd01ff028101");
    m = made_of("int8-per-token-head-interpreted", x, 8, 0);
    EXPECT_BLOCK(m, 2, 0x3f800000u, "7f03fd01ff028101");
    EXPECT(m.value[6] == 0xc2fe0000u, "%08x", m.value[6]);
}

/* ---- integers with an offset ----------------------------------------------------------------- */

/* Measured in the interpreter: s = 3e888889, -min/s = 3.74999976, so zp = 4, which replaces the last 4 bits. 1/s is
 * 3.7499998; the codes are its products + 4, rounded half away. */
Test(blocks, int4_hidden_offset)
{
    static const float x[8] = {-1, .5f, 2, -.25f, 3, 1.25f, 0, .75f};
    static const uint32_t values[8] = {0xbf888880, 0x3f088880, 0x40088880, 0xbe888880,
                                       0x403bbbb0, 0x3faaaaa0, 0x00000000, 0x3f4cccc0};
    made m = made_of("int4-per-token-head-interpreted", x, 8, 0);
    EXPECT_BLOCK(m, 1, 0x3e888884, "06c3f947");
    m = made_of("int4-per-token-head", x, 8, 0);
    EXPECT_BLOCK(m, 1, 0x3e888884, "06c3f947");
    for (size_t i = 0; i < 8; i++)
        EXPECT(m.value[i] == values[i], "%zu: %08x, with the scale 3e888880", i, m.value[i]);
}

Test(blocks, kivi)
{
    /* 1/15 in f32, times 30 rounded to f16: 2; 0.5 and 1.5 steps go to the even code */
    static const uint16_t x[6] = {0xcc80 /* -18 */,   0x4a00 /* 12 */,  0xcc40 /* -17 */,
                                  0xcbc0 /* -15.5 */, 0xcb80 /* -15 */, 0xcc80};
    sf8_recipe four = recipe_of("kivi-int4"), two = recipe_of("kivi-int2");
    made m = make(&four, SF8_F16, x, 6, 0);
    EXPECT_BLOCK(m, 1, 0x4000, "0f0120");
    EXPECT(m.offset == 0xcc80 && m.value[1] == 0x41400000u, "%x %08x", m.offset, m.value[1]);
    m = make(&two, SF8_F16, x, 6, 0);
    EXPECT_BLOCK(m, 1, 0x4900, "030000"); /* 30 / 3 */
    /* all the same: the scale 0, the codes 0, the value the offset */
    static const uint16_t same[3] = {0x3e00, 0x3e00, 0x3e00};
    m = make(&four, SF8_F16, same, 3, 0);
    EXPECT_BLOCK(m, 1, 0, "000");
    EXPECT(m.offset == 0x3e00 && m.value[0] == 0x3fc00000u, "%x", m.offset);
}

Test(blocks, kvquant)
{
    /* qx = 15/3.75 = 4: offset -0.5 * 4 = -2; 0.125 * 4 + 2 = 2.5 to 2 */
    static const float x[5] = {-.5f, 3.25f, .125f, .375f, 0}, same[3] = {5, 5, 5};
    made m = made_of("kvquant-int4", x, 5, 0);
    EXPECT_BLOCK(m, 1, 0x40800000u, "0f242");
    EXPECT(m.offset == 0xc0000000u && m.value[1] == 0x40500000u, "%08x", m.value[1]);
    /* the offset unrounded, or rounded and in [-15, 0]: -0.625 * 4 = -2.5 to -2; then
     * -0.625 * 4 + 2 = -0.5 */
    static const float y[3] = {-.625f, 3.125f, 0};
    m = made_of("kvquant-int4", y, 3, 0);
    EXPECT_BLOCK(m, 1, 0x40800000u, "0f2");
    EXPECT(m.offset == 0xc0200000u && m.value[2] == 0xbe000000u, "%08x", m.value[2]);
    m = made_of("kvquant-int4-clamp", y, 3, 0);
    EXPECT_BLOCK(m, 1, 0x40800000u, "0e2");
    EXPECT(m.offset == 0xc0000000u && m.value[2] == 0, "%08x", m.value[2]);
    static const float positive[2] = {1, 4.75f};
    m = made_of("kvquant-int4-clamp", positive, 2, 0);
    EXPECT_BLOCK(m, 1, 0x40800000u, "4f");
    EXPECT(m.offset == 0, "%08x", m.offset);
    /* all the same: not that value, but 0 */
    for (int clamp = 0; clamp < 2; clamp++) {
        m = made_of(clamp ? "kvquant-int4-clamp" : "kvquant-int4", same, 3, 0);
        for (size_t i = 0; i < 3; i++)
            EXPECT((m.value[i] & 0x7fffffffu) == 0, "%08x", m.value[i]);
    }
}
