/* SPDX-License-Identifier: MIT */
/* test_hif8.c -- HiF8: its values, conversions of every kind, text, and what refuses it
 *
 * The numbers are those of en_dtypes 0.0.4 (PyPI), as f32. Huawei's paper (arXiv 2409.16626) has the
 * least and the largest number, infinity and NaN. The examples of the policies are in
 * policies/policy_vectors.txt.
 */
#include "check.h"

#include "softfp8/number/hif8.h"
#include "softfp8_blocks.h"
#include "softfp8_vectors.h"

#include <math.h>

static const uint32_t positive[128] = {
    /* clang-format off */
    0x00000000, 0x34800000, 0x35000000, 0x35800000, 0x36000000, 0x36800000, 0x37000000, 0x37800000,
    0x3f800000, 0x3f900000, 0x3fa00000, 0x3fb00000, 0x3fc00000, 0x3fd00000, 0x3fe00000, 0x3ff00000,
    0x40000000, 0x40100000, 0x40200000, 0x40300000, 0x40400000, 0x40500000, 0x40600000, 0x40700000,
    0x3f000000, 0x3f100000, 0x3f200000, 0x3f300000, 0x3f400000, 0x3f500000, 0x3f600000, 0x3f700000,
    0x40800000, 0x40900000, 0x40a00000, 0x40b00000, 0x40c00000, 0x40d00000, 0x40e00000, 0x40f00000,
    0x41000000, 0x41100000, 0x41200000, 0x41300000, 0x41400000, 0x41500000, 0x41600000, 0x41700000,
    0x3e800000, 0x3e900000, 0x3ea00000, 0x3eb00000, 0x3ec00000, 0x3ed00000, 0x3ee00000, 0x3ef00000,
    0x3e000000, 0x3e100000, 0x3e200000, 0x3e300000, 0x3e400000, 0x3e500000, 0x3e600000, 0x3e700000,
    0x41800000, 0x41a00000, 0x41c00000, 0x41e00000, 0x42000000, 0x42200000, 0x42400000, 0x42600000,
    0x42800000, 0x42a00000, 0x42c00000, 0x42e00000, 0x43000000, 0x43200000, 0x43400000, 0x43600000,
    0x3d800000, 0x3da00000, 0x3dc00000, 0x3de00000, 0x3d000000, 0x3d200000, 0x3d400000, 0x3d600000,
    0x3c800000, 0x3ca00000, 0x3cc00000, 0x3ce00000, 0x3c000000, 0x3c200000, 0x3c400000, 0x3c600000,
    0x43800000, 0x43c00000, 0x44000000, 0x44400000, 0x44800000, 0x44c00000, 0x45000000, 0x45400000,
    0x45800000, 0x45c00000, 0x46000000, 0x46400000, 0x46800000, 0x46c00000, 0x47000000, 0x7f800000,
    0x3b800000, 0x3bc00000, 0x3b000000, 0x3b400000, 0x3a800000, 0x3ac00000, 0x3a000000, 0x3a400000,
    0x39800000, 0x39c00000, 0x39000000, 0x39400000, 0x38800000, 0x38c00000, 0x38000000, 0x38400000,
    /* clang-format on */
};

static sf8_format hif8(void)
{
    return sf8_format_named("hif8", NULL);
}

Test(hif8, values)
{
    for (uint64_t code = 0; code < 128; code++) {
        uint64_t minus = code ? positive[code] | 0x80000000 : 0x7fc00000;
        uint64_t got = sf8_convert(SF8_F32, hif8(), code, SF8_OCP_NOSAT);
        uint64_t other = sf8_convert(SF8_F32, hif8(), code | 128, SF8_OCP_NOSAT);
        EXPECT(got == positive[code], "%02" PRIx64 ": %08" PRIx64, code, got);
        EXPECT(other == minus, "%02" PRIx64 ": %08" PRIx64, code | 128, other);
    }
}

Test(hif8, examples)
{
    static const vector vectors[] = {
        {"ocp-nosat round=rna", "hif8", "f64", 0x3ff0ffffffff0000, 0x08, NX, "exact value"},
        {"ocp", "hif8", "f32", 0x47200000, 0x6e, NX, "a tie: 6e is even"},
        {"ocp", "hif8", "f32", 0x38400000, 0x7f, 0, "1.5 * 2^-15 is the number after 2^-15"},
        {"ocp", "hif8", "f32", 0x38200000, 0x7e, NX, "1.25 * 2^-15, a tie: 7e is even"},
        {"ocp", "hif8", "f32", 0x37e00000, 0x7e, NX, "1.75 * 2^-16: 2^-15 is nearer"},
        {"ocp", "hif8", "f32", 0x41780000, 0x40, NX, "15.5, a tie: to 16, another precision"},
        {"ocp", "e4m3", "hif8", 0x6f, 0x7e, NV, "infinity is lost"},
        {"ocp", "f16", "hif8", 0x6f, 0x7c00, 0, "f16 holds all of HiF8, and its infinity"},
        {"ocp", "e5m2", "hif8", 0x6f, 0x7b, NV, "e5m2 does not: infinity saturates"},
        {"ocp", "e=6 m=2", "hif8", 0x6f, 0xfb, NV, "wide enough, but of 3 bits of precision"},
        {"ocp", "e=6 m=3", "hif8", 0x6f, 0x1f8, 0, "holds all of HiF8"},
        {"ocp", "hif8", "hif8", 0x12, 0x12, 0, "to itself"},
    };
    check_vectors(vectors, COUNT(vectors));
}

/* Every number is read back from the text that it is written as. */
Test(hif8, text)
{
    static const sf8_text_style styles[] = {SF8_TEXT_SHORTEST, SF8_TEXT_EXACT, SF8_TEXT_HEX};
    for (uint64_t code = 0; code < 256; code++)
        for (size_t i = 0; i < COUNT(styles); i++) {
            char text[80] = "";
            sf8_result r = {0, 0};
            EXPECT(sf8_to_text(hif8(), code, styles[i], text, sizeof text, NULL) == SF8_OK &&
                       sf8_from_text(hif8(), text, SF8_OCP_NOSAT, &r, NULL) == SF8_OK &&
                       r.code == code && (r.flags == 0 || styles[i] == SF8_TEXT_SHORTEST),
                   "%02" PRIx64 " \"%s\" %02" PRIx64, code, text, r.code);
        }
    static const struct {
        const char *text;
        uint64_t code;
    } rows[] = {{"1.0625", 0x08}, {"1e99", 0x6f}, {"-inf", 0xef}, {"nan", 0x80},
                {"1e-99", 0x00},  {"-0", 0x00},   {"3e-7", 0x01}, {"40961", 0x6f}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_result r = {0, 0};
        sf8_from_text(hif8(), rows[i].text, SF8_OCP_NOSAT, &r, NULL);
        EXPECT(r.code == rows[i].code, "%s: %02" PRIx64, rows[i].text, r.code);
    }
}

/* Arrays, also in two steps, and with random numbers, give what the function for one value does. */
Test(hif8, arrays)
{
    enum { N = 4096 };
    static uint32_t words[N], random[N], back[N];
    static uint64_t doubles[N];
    static uint8_t codes[N], others[N];
    uint64_t state = 1;
    sf8_policy sr = policy_of("ocp-nosat round=sr"), en = policy_of("en-dtypes");
    for (size_t i = 0; i < N; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        words[i] = (uint32_t)((state >> 63 << 31) | (100 + (state >> 40) % 48) << 23 |
                              (state >> 20 & 0x7fffff));
        doubles[i] = sf8_convert(SF8_F64, SF8_F32, words[i], SF8_OCP_NOSAT) | (state >> 50 & 0xfff);
        random[i] = (uint32_t)(state >> 11);
    }
    cr_assert(sf8_convert_n(hif8(), codes, SF8_F64, doubles, N, en) == SF8_OK);
    cr_assert(sf8_convert_sr_n(hif8(), others, SF8_F32, words, N, sr, random) == SF8_OK);
    cr_assert(sf8_convert_n(SF8_F32, back, hif8(), codes, N, SF8_OCP) == SF8_OK);
    for (size_t i = 0; i < N; i++) {
        EXPECT(codes[i] == sf8_convert(hif8(), SF8_F64, doubles[i], en), "%zu", i);
        EXPECT(others[i] == sf8_convert_sr(hif8(), SF8_F32, words[i], sr, random[i]).code, "%zu",
               i);
        EXPECT(back[i] == sf8_convert(SF8_F32, hif8(), codes[i], SF8_OCP), "%zu", i);
    }
}

/* A random number of 16 bits decides by the part of a step that is cut off, whatever the step. */
Test(hif8, stochastic)
{
    static const struct {
        uint32_t word, first; /* the least random number that rounds up */
        uint64_t low, high;
    } rows[] = {{0x3f840000, 0xc000, 0x08, 0x09}, /* 1.03125: a quarter of 1/8 */
                {0x40840000, 0xc000, 0x20, 0x21}, /* 4.125: a quarter of 1/2 */
                {0x43880000, 0xe000, 0x60, 0x61}, /* 272: an eighth of 128 */
                {0x34a00000, 0xc000, 0x01, 0x02}, /* 1.25 * 2^-22 */
                {0x33800000, 0xc000, 0x00, 0x01}};
    sf8_policy sr = policy_of("ocp-nosat round=sr sr_bits=16");
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t low = sf8_convert_sr(hif8(), SF8_F32, rows[i].word, sr, rows[i].first - 1).code;
        uint64_t high = sf8_convert_sr(hif8(), SF8_F32, rows[i].word, sr, rows[i].first).code;
        EXPECT(low == rows[i].low && high == rows[i].high, "%zu: %02" PRIx64 " %02" PRIx64, i, low,
               high);
    }
}

Test(hif8, properties)
{
    sf8_format f = hif8();
    sf8_status status;
    sf8_format_named("hifloat8", &status);
    EXPECT(status == SF8_OK, "hifloat8");
    EXPECT(sf8_format_bits(f) == 8 && sf8_format_max(f) == 0x6e && sf8_format_inf(f) == 0x6f &&
               sf8_format_min_normal(f) == 0x7e && sf8_format_emin(f) == -15 &&
               sf8_format_emax(f) == 15 && !sf8_format_has_neg_zero(f),
           "properties");
    for (uint64_t code = 0; code < 256; code++) {
        double value = (double)sf8_f32_from_bits(positive[code & 127]);
        int nan = code == 0x80, inf = !nan && isinf(value);
        EXPECT(sf8_is_nan(f, code) == nan && sf8_is_inf(f, code) == inf &&
                   sf8_is_special(f, code) == (nan || inf),
               "%02" PRIx64, code);
    }
}

/* Whatever is no conversion refuses it. */
Test(hif8, refused)
{
    sf8_format f = hif8(), read;
    sf8_function function;
    sf8_steps walk;
    uint8_t codes[2] = {1, 2}, out[2] = {7, 7};
    EXPECT(!sf8_format_valid(f) && sf8_format_converts(f), "valid");
    EXPECT(sf8_add(f, 1, 2, SF8_OCP).flags == SF8_UNSUPPORTED, "add");
    EXPECT(sf8_sqrt(f, 1, SF8_OCP).flags == SF8_UNSUPPORTED, "sqrt");
    EXPECT(sf8_from_i64(f, 1, SF8_OCP).flags == SF8_UNSUPPORTED, "integer");
    EXPECT(sf8_to_integer(f, 1, 8, 1, SF8_OCP, 0).flags == SF8_UNSUPPORTED, "to integer");
    EXPECT(sf8_compare(f, 1, 2, SF8_OCP, NULL) == SF8_UNORDERED, "compare");
    EXPECT(sf8_add_n(f, out, codes, codes, 2, SF8_OCP) == SF8_BAD_FORMAT && out[0] == 7, "add_n");
    EXPECT(sf8_steps_begin(&walk, SF8_F32, f, SF8_OCP, 0) == SF8_BAD_FORMAT, "steps");
    EXPECT(sf8_format_read("hif8 bias=15", &read, NULL) == SF8_BAD_FORMAT, "changed");
    EXPECT(sf8_function_named("hif8_add", &function) == SF8_BAD_FORMAT, "function");
    EXPECT(sf8_function_named("hif8_to_i8", &function) == SF8_BAD_FORMAT, "function");
    EXPECT(sf8_function_named("f32_to_hif8", &function) == SF8_OK, "function");
    f.bias = 15;
    EXPECT(!sf8_format_converts(f), "another bias");
    sf8_recipe recipe;
    sf8_recipe_row row = *sf8_recipe_at(0);
    row.element = "hif8";
    EXPECT(sf8_recipe_read(&recipe, &row) != SF8_OK, "recipe");
}
