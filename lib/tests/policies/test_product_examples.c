/* SPDX-License-Identifier: MIT */
/* test_product_examples.c -- single values and blocks that products gave
 *
 * Each line is a value or a block for which softfp8 once gave another code than the product that
 * its row names, or said nothing about the difference. The packages of the values are those of
 * vectors/products/policies.txt; the others are named here.
 */
#include "blocks/blocks.h"
#include "softfp8_vectors.h"
#include "table.h"

#include <math.h>

/* ---- words ----------------------------------------------------------------------------------- */

Test(product_examples, words)
{
    table known = table_read("policies/product_examples.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        sf8_format from = format_of(x->word[1]), to = format_of(x->word[2]);
        const char *policy = sf8_policy_for(x->word[0], to, from);
        cr_assert(policy != NULL, "%s, %s to %s", x->word[0], x->word[1], x->word[2]);
        uint64_t code = sf8_convert(to, from, table_hex(x, 3), sf8_policy_named(policy, NULL));
        EXPECT(code == table_hex(x, 4), "%s (%s), %s %s to %s: %" PRIx64 ", not %s", x->word[0],
               policy, x->word[1], x->word[3], x->word[2], code, x->word[4]);
    }
    cr_expect(known.count == 22, "%zu", known.count);
    table_free(&known);
}

/* What a product is known to do otherwise stands in the row. */
Test(product_examples, known_differences)
{
    static const char *const rows[][2] = {
        {"fbgemm", "7f8005aa gives aa"},
        {"torch-decode", "7e00 or fe00"},
        {"torch-decode-fnuz", "7ff8000020000000"},
        {"onnx-saturate-e8m0", "the reference gives 01 for 2^-127"},
        {"onnx-nosat-e8m0", "the reference gives 00 for zero"},
        {"openvino-e5m2", "36fffffe gives 01"},
        {"ggml-ue4m3", "3a7fffff, just below 2^-10, gives 01"},
        {"xla", "FP6 is refused by 0.10.2"},
        {"p3109-4.0-satnone", "the report has infinity"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const sf8_policy_row *p;
        size_t at = 0;
        while ((p = sf8_policy_at(at)) != NULL && strcmp(p->name, rows[i][0]) != 0)
            at++;
        EXPECT(p && strstr(p->open, rows[i][1]), "%s: \"%s\"", rows[i][0], p ? p->open : "no row");
    }
    const sf8_recipe_row *r;
    for (size_t i = 0; (r = sf8_recipe_at(i)) != NULL; i++)
        if (strcmp(r->name, "mxfp4-even") == 0)
            EXPECT(strstr(r->open, "ff there, 2^(128 - emax) here"), "%s", r->open);
}

/* ---- chips ----------------------------------------------------------------------------------- */

/* AArch64's FCVTXN, of VIXL's traces of a chip: what overflows is the largest finite number. */
Test(product_examples, round_to_odd_of_aarch64)
{
    static const uint64_t rows[][3] = {
        /* f64, by odd=bounded as the chip, by round=ro alone */
        {0x7fefffffffffffff, 0x7f7fffff, 0x7f800000}, {0xffefffffffffffff, 0xff7fffff, 0xff800000},
        {0x47effffff0000000, 0x7f7fffff, 0x7f7fffff}, {0x3ff0000000000001, 0x3f800001, 0x3f800001},
        {0x7ff0000000000000, 0x7f800000, 0x7f800000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t chip = sf8_convert(SF8_F32, SF8_F64, rows[i][0],
                                    policy_of("ocp-nosat round=ro odd=bounded"));
        uint64_t plain = sf8_convert(SF8_F32, SF8_F64, rows[i][0], policy_of("ocp-nosat round=ro"));
        EXPECT(chip == rows[i][1] && plain == rows[i][2], "%" PRIx64 ": %" PRIx64 " %" PRIx64,
               rows[i][0], chip, plain);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* 64 b2 is -78; times 2^(f9 - 7f): -6.48e36. The product with 2^122 alone would be infinite. */
Test(product_examples, mxint8_is_read_back)
{
    static const char *const names[] = {"mxint8-floor", "mxint8-microxcaling"};
    const uint8_t code = 0xb2;
    const uint32_t scale = 0xf9;
    for (size_t i = 0; i < COUNT(names); i++) {
        sf8_recipe r = recipe_of(names[i]);
        uint32_t value = 0;
        cr_assert(sf8_dequantize_n(&r, SF8_F32, &value, &code, &scale, NULL, 1, 1, 0) == SF8_OK);
        EXPECT(value == 0xfc9c0000, "%s: %08x", names[i], value);
    }
}

/* ModelOpt from 0.45 on has no scale below 2^-9. */
Test(product_examples, least_scale_of_modelopt)
{
    static const float x[3] = {0x6p-11f, 0, 0x1p-13f}, y[2] = {1e-5f, 5e-6f};
    EXPECT_BLOCK(made_of("nvfp4-modelopt", x, 3, 1), 1, 0x01, "300");
    EXPECT_BLOCK(made_of("nvfp4-modelopt-0.44", x, 3, 1), 1, 0x00, "777");
    sf8_recipe r = recipe_of("nvfp4-modelopt");
    float g = 0;
    cr_assert(sf8_recipe_g(&r, SF8_F32, 6, &g) == SF8_OK);
    EXPECT_BLOCK(made_of("nvfp4-modelopt", y, 2, g), 1, 0x01, "42");
}

/* torchao 0.18.0: ceil(log2(amax / max)) in f32, 1 for a scale of 00, no NaN for infinity. */
Test(product_examples, torchao_release)
{
    const float log2 = sf8_f32_from_bits(0x43400001), edge = sf8_f32_from_bits(0x42c00001);
    static const float tiny[1] = {0x1p-119f}, inf[1] = {INFINITY}, top[1] = {0x1.cp127f};
    EXPECT_BLOCK(made_of("mxfp4-torchao-rceil", &log2, 1, 0), 1, 0x84, "7");
    EXPECT_BLOCK(made_of("mxfp4-rceil", &log2, 1, 0), 1, 0x85, "5");
    EXPECT(made_of("mxfp4-torchao-rceil", &edge, 1, 0).scale == 0x83, "log2 in f32");
    EXPECT(made_of("mxfp4-rceil", &edge, 1, 0).scale == 0x84, "without log2");
    EXPECT(made_of("mxfp8-e4m3-torchao-floor", tiny, 1, 0).code[0] == 0x70, "floor");
    EXPECT(made_of("mxfp8-e4m3-torchao-rceil", tiny, 1, 0).code[0] == 0x00, "rceil");
    EXPECT(made_of("mxfp8-e4m3-torchao-floor", inf, 1, 0).scale == 0xf7, "infinity, e4m3");
    EXPECT(made_of("mxfp8-e4m3-torchao-rceil", inf, 1, 0).scale == 0xfe, "infinity, rceil");
    EXPECT(made_of("mxfp4-torchao-floor", inf, 1, 0).scale == 0xfd, "infinity, e2m1");
    static const char *const beside_nan[] = {"mxfp8-e4m3-torchao-floor", "mxfp8-e4m3-torchao-even",
                                             "mxfp8-e4m3-torchao-ceil",  "mxfp8-e5m2-torchao-floor",
                                             "mxfp8-e5m2-torchao-even",  "mxfp8-e5m2-torchao-ceil"};
    for (size_t i = 0; i < COUNT(beside_nan); i++) {
        made m = made_of(beside_nan[i], (const float[]){1, NAN, -1}, 3, 0);
        EXPECT(m.code[0] == 0x00 && m.code[2] == 0x80, "%s: %02x %02x", beside_nan[i], m.code[0],
               m.code[2]);
    }
    EXPECT(made_of("mxfp8-e4m3-floor", (const float[]){1, NAN}, 2, 0).code[0] == 0x7f, "main");
    EXPECT(made_of("mxfp4-torchao-even", top, 1, 0).scale == 0xfd, "7f600000");
    EXPECT(made_of("mxfp4-even", top, 1, 0).scale == 0xfd, "7f600000, torchao's main branch");
}

/* torch computes 15 / (high - low) as a reciprocal times 15: of 7 it is 40092493, not 40092492. */
Test(product_examples, number_by_tensor_of_torch)
{
    static const float x[2] = {0, 7};
    EXPECT(made_of("kvquant-int4", x, 2, 0).scale == 0x40092493, "%08x",
           made_of("kvquant-int4", x, 2, 0).scale);
}
