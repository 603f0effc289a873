/* SPDX-License-Identifier: MIT */
/* test_formats_family.c -- the P3109 family, rows made at run time, invalid rows */
#include "check.h"

static uint64_t f64_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t value_of(sf8_format f, uint64_t code)
{
    return sf8_convert(SF8_F64, f, code, SF8_OCP_NOSAT);
}

/* Values of codes as the value tables of the P3109 working group have them, and gfloat 0.5.2 for
 * the largest. */
typedef struct spot {
    const char *name;
    uint64_t code;
    double value;
} spot;

/* clang-format off */
static const spot spots[] = {
    {"p3109_k4p2sf", 0x1, 0.25}, {"p3109_k4p2sf", 0x2, 0.5}, {"p3109_k4p2sf", 0x3, 0.75},
    {"p3109_k4p2sf", 0x4, 1}, {"p3109_k4p2sf", 0x5, 1.5}, {"p3109_k4p2sf", 0x6, 2},
    {"p3109_k4p2sf", 0x7, 3}, {"p3109_k4p2sf", 0x9, -0.25}, {"p3109_k4p2sf", 0xf, -3},
    {"p3109_k4p2se", 0x6, 2}, {"p3109_k4p2se", 0xe, -2},
    {"p3109_k3p2se", 0x1, 0.5}, {"p3109_k3p2se", 0x2, 1}, {"p3109_k3p2se", 0x6, -1},
    {"p3109_k3p2sf", 0x3, 1.5}, {"p3109_k3p1uf", 0x6, 4}, {"p3109_k3p1uf", 0x1, 0.125},
    {"p3109_k3p3uf", 0x6, 1.5}, {"p3109_k3p3uf", 0x1, 0.25},
    {"p3109_k8p1uf", 0x00, 0}, {"p3109_k8p1uf", 0x01, 0x1p-127}, {"p3109_k8p1uf", 0x80, 1},
    {"p3109_k8p1uf", 0xfe, 0x1p126}, {"p3109_k8p1ue", 0xfd, 0x1p125},
    {"p3109_k8p4ue", 0xfd, 53248}, {"p3109_k8p4uf", 0xfe, 57344}, {"p3109_k8p4uf", 0x01, 0x1p-18},
    {"p3109_k8p8uf", 0xfe, 1.984375}, {"p3109_k8p8uf", 0x80, 1},
    {"p3109_k8p4se", 0x7e, 224}, {"p3109_k8p3se", 0x7e, 49152}, {"p3109_k8p1se", 0x40, 1},
};
/* clang-format on */

Test(formats_family, spots)
{
    for (size_t i = 0; i < COUNT(spots); i++) {
        uint64_t bits = value_of(format_of(spots[i].name), spots[i].code);
        EXPECT(bits == f64_bits(spots[i].value), "%s %02" PRIx64 ": %016" PRIx64, spots[i].name,
               spots[i].code, bits);
    }
}

/* One zero, one NaN, infinities as the domain says; 1.0 in the middle of the positive codes. */
static void check_member(int32_t k, int32_t p, int32_t is_signed, int32_t extended)
{
    char name[32];
    snprintf(name, sizeof name, "p3109_k%dp%d%c%c", (int)k, (int)p, is_signed ? 's' : 'u',
             extended ? 'e' : 'f');
    sf8_format f = format_of(name);
    uint64_t codes = UINT64_C(1) << k, half = codes / 2;
    uint64_t nan = is_signed ? half : codes - 1;
    uint64_t inf = is_signed ? half - 1 : codes - 2;
    uint64_t nans = 0, infs = 0, zeros = 0;
    for (uint64_t c = 0; c < codes; c++) {
        nans += (uint64_t)sf8_is_nan(f, c);
        infs += (uint64_t)sf8_is_inf(f, c);
        zeros += value_of(f, c) << 1 == 0;
    }
    EXPECT(nans == 1 && sf8_is_nan(f, nan), "%s: NaN", name);
    EXPECT(infs == (extended ? 1u + (uint64_t)is_signed : 0u), "%s: infinities", name);
    EXPECT(!extended || sf8_is_inf(f, inf), "%s: infinity", name);
    EXPECT(zeros == 1 && value_of(f, 0) == 0, "%s: zero", name);
    EXPECT(value_of(f, is_signed ? half / 2 : half) == f64_bits(1), "%s: one", name);
    EXPECT(f.bias == (is_signed ? 1 << (k - p - 1) : 1 << (k - p)), "%s: bias", name);
    EXPECT(sf8_format_bits(f) == k, "%s: width", name);
    for (uint64_t c = 0; c + 1 < (is_signed ? half : codes) - 1 - (uint64_t)extended; c++)
        EXPECT(value_of(f, c) < value_of(f, c + 1), "%s: %02" PRIx64 " does not grow", name, c);
}

/* 3 <= K <= 8 and 1 <= P < K signed, 1 <= P <= K unsigned, of two domains each. */
Test(formats_family, every_member)
{
    size_t members = 0;
    for (int32_t k = 3; k <= 8; k++) {
        for (int32_t p = 1; p <= k; p++) {
            for (int32_t kind = 0; kind < 4; kind++) {
                if (p == k && kind & 1)
                    continue;
                check_member(k, p, kind & 1, kind >> 1);
                members++;
            }
        }
    }
    cr_expect(members == 120, "%zu members", members);
}

/* P3109 and what looks like it: Binary4p2sf is not e2m1, Binary8p1uf not e8m0. */
Test(formats_family, neighbours_in_name)
{
    cr_expect(value_of(format_of("p3109_k4p2sf"), 7) == f64_bits(3));
    cr_expect(value_of(SF8_E2M1, 7) == f64_bits(6));
    cr_expect(value_of(SF8_E2M1, 8) == f64_bits(-0.0));
    cr_expect(sf8_is_nan(format_of("p3109_k4p2sf"), 8));
    cr_expect(value_of(format_of("p3109_k8p1uf"), 0x7f) == f64_bits(0.5));
    cr_expect(value_of(SF8_E8M0, 0x7f) == f64_bits(1));
}

/* A 5-bit e2m2 without NaN: its sixteen positive values. */
Test(formats_family, user_row_e2m2)
{
    static const double values[16] = {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75,
                                      2, 2.5,  3,   3.5,  4, 5,    6,   7};
    sf8_format f = sf8_format_row(2, 2, 1, SF8_NANS_NONE, 0, 1, 1);
    cr_assert(sf8_format_valid(f));
    cr_expect(sf8_format_bits(f) == 5);
    for (uint64_t c = 0; c < 16; c++) {
        EXPECT(value_of(f, c) == f64_bits(values[c]), "%02" PRIx64, c);
        EXPECT(value_of(f, c | 16) == f64_bits(-values[c]), "%02" PRIx64, c | 16);
        EXPECT(sf8_convert(f, SF8_F64, f64_bits(-values[c]), SF8_OCP) == (c | 16), "%02" PRIx64, c);
    }
    cr_expect(sf8_convert(f, SF8_F64, f64_bits(4.5), SF8_OCP) == 0x0c); /* tie to even */
    cr_expect(sf8_convert(f, SF8_F64, f64_bits(5.5), SF8_OCP) == 0x0e);
    cr_expect(sf8_convert(f, SF8_F64, f64_bits(100), SF8_OCP) == 0x0f);
    cr_expect(sf8_add(f, 0x04, 0x01, SF8_OCP).code == 0x05); /* 1 + 0.25 */
    cr_expect(sf8_mul(f, 0x0f, 0x0f, SF8_OCP).code == 0x0f); /* 49 */
    cr_expect(sf8_mul(f, 0x1f, 0x0f, SF8_OCP).flags == (OF | NX));
    cr_expect(sf8_div(f, 0x04, 0x0a, SF8_OCP).code == 0x01); /* 1/3 */
    cr_expect(sf8_sqrt(f, 0x08, SF8_OCP).code == 0x06);      /* sqrt 2 = 1.414: 1.5 */
}

/* Triton's fp8e4b15: bias 15, no NaN, no infinity. */
Test(formats_family, user_row_e4b15)
{
    sf8_format f = sf8_format_row(4, 3, 1, SF8_NANS_NONE, 0, 1, 15);
    cr_assert(sf8_format_valid(f));
    cr_expect(value_of(f, 0x7f) == f64_bits(1.875));
    cr_expect(value_of(f, 0x78) == f64_bits(1));
    cr_expect(value_of(f, 0x01) == f64_bits(0x1p-17));
    cr_expect(value_of(f, 0x80) == f64_bits(-0.0));
    cr_expect(sf8_convert(f, SF8_F64, f64_bits(2), SF8_OCP) == 0x7f);
    cr_expect(sf8_convert(f, SF8_F64, f64_bits(-1.9375), SF8_OCP) == 0xff);
    cr_expect(sf8_convert(f, SF8_F32, 0x7fc00000, SF8_OCP) == 0x7f);
    cr_expect(sf8_convert(f, SF8_F16, 0x3f80, SF8_OCP) == 0x7f); /* 1.875 */
}

/* e2m1 far from 1, with bias 100: products lie far below every sum. */
Test(formats_family, user_row_with_a_bias)
{
    sf8_format f = sf8_format_row(2, 1, 1, SF8_NANS_NONE, 0, 1, 100);
    sf8_policy up = SF8_OCP;
    up.round = SF8_RU;
    cr_assert(sf8_format_valid(f));
    cr_expect(value_of(f, 1) == f64_bits(0x1p-100) && value_of(f, 7) == f64_bits(0x1.8p-97));
    cr_expect(sf8_add(f, 2, 2, SF8_OCP).code == 4 && sf8_add(f, 2, 2, SF8_OCP).flags == 0);
    cr_expect(sf8_fma(f, 7, 7, 2, SF8_OCP).code == 2 && sf8_fma(f, 7, 7, 2, SF8_OCP).flags == NX);
    cr_expect(sf8_fma(f, 7, 7, 2, up).code == 3 && sf8_fma(f, 7, 15, 2, up).code == 2);
    cr_expect(sf8_mul(f, 7, 7, up).code == 1 && sf8_mul(f, 7, 7, up).flags == (UF | NX));
}

/* 24 bits of precision are computed with, and one more is not: the call says so. */
Test(formats_family, unsupported)
{
    sf8_format wide = sf8_format_row(8, 24, 1, SF8_NANS_IEEE, 1, 1, 127);
    cr_assert(sf8_format_valid(wide));
    cr_expect(sf8_add(SF8_F32, 0x3f800000, 0x3f800000, SF8_OCP).code == 0x40000000);
    cr_expect(sf8_add(wide, 1, 1, SF8_OCP).flags == SF8_UNSUPPORTED);
    cr_expect(sf8_add(wide, 1, 1, SF8_OCP).code == 0);
    cr_expect(sf8_fma(SF8_F64, 1, 1, 1, SF8_OCP).flags == SF8_UNSUPPORTED);
    cr_expect(sf8_convert_flags(SF8_F32, SF8_F64, f64_bits(1), SF8_OCP).code == 0x3f800000);
    cr_expect(sf8_convert_flags(wide, SF8_F64, f64_bits(1), SF8_OCP).code == 0x7f000000);
}

typedef struct row_case {
    int32_t e, m, is_signed, nan, has_inf, has_zero, bias, valid;
    const char *why;
} row_case;

/* clang-format off */
static const row_case row_cases[] = {
    {4, 3, 1, SF8_NANS_TOP, 0, 1, 7, 1, "e4m3"},
    {11, 52, 1, SF8_NANS_IEEE, 1, 1, 1023, 1, "f64"},
    {1, 0, 0, SF8_NANS_NONE, 0, 1, 0, 1, "the smallest"},
    {1, 0, 1, SF8_NANS_NONE, 0, 1, 1, 1, "zero and one, signed"},
    {1, 0, 0, SF8_NANS_NONE, 0, 0, 1, 1, "two numbers without zero"},
    {2, 0, 1, SF8_NANS_TOP, 1, 1, 1, 1, "one number beside infinity and NaN"},
    {1, 1, 1, SF8_NANS_TOP, 0, 1, 1, 1, "the largest number is the smallest normal one"},
    {1, 1, 1, SF8_NANS_TOP, 1, 1, 1, 0, "no normal number left"},
    {1, 0, 1, SF8_NANS_TOP, 0, 1, 1, 0, "nothing but zero and NaN"},
    {1, 0, 1, SF8_NANS_NONE, 1, 1, 1, 0, "nothing but zero and infinity"},
    {8, 0, 0, SF8_NANS_TOP, 0, 0, 127, 1, "e8m0"},
    {4, 3, 1, SF8_NANS_TOP, 1, 1, 7, 1, "infinity below the NaN"},
    {4, 3, 1, SF8_NANS_NONE, 1, 1, 7, 1, "infinity without NaN"},
    {4, 3, 1, SF8_NANS_NONE, 0, 1, 2048, 1, "the largest bias"},
    {4, 3, 1, SF8_NANS_NONE, 0, 1, -2048, 1, "the smallest bias"},
    {0, 3, 1, SF8_NANS_NONE, 0, 1, 7, 0, "no exponent"},
    {12, 3, 1, SF8_NANS_NONE, 0, 1, 7, 0, "an exponent of 12 bits"},
    {11, 53, 0, SF8_NANS_NONE, 0, 1, 7, 0, "a mantissa of 53 bits"},
    {4, 3, 2, SF8_NANS_NONE, 0, 1, 7, 0, "signed = 2"},
    {4, 3, 1, 4, 0, 1, 7, 0, "no such NaN"},
    {4, 3, 1, SF8_NANS_NONE, 2, 1, 7, 0, "inf = 2"},
    {4, 3, 1, SF8_NANS_NONE, 0, 2, 7, 0, "zero = 2"},
    {4, 3, 1, SF8_NANS_IEEE, 0, 1, 7, 0, "IEEE's NaN without its infinity"},
    {4, 0, 1, SF8_NANS_IEEE, 1, 1, 7, 0, "IEEE's NaN without a mantissa"},
    {4, 3, 0, SF8_NANS_NEG_ZERO, 0, 1, 7, 0, "the code of -0 in an unsigned format"},
    {8, 0, 1, SF8_NANS_TOP, 0, 0, 127, 0, "signed without zero"},
    {7, 1, 0, SF8_NANS_TOP, 0, 0, 63, 0, "a mantissa without zero"},
    {4, 3, 1, SF8_NANS_NONE, 0, 1, 2049, 0, "bias 2049"},
    {4, 3, 1, SF8_NANS_NONE, 0, 1, -2049, 0, "bias -2049"},
    {1, 0, 1, SF8_NANS_TOP, 1, 1, 1, 0, "no number left"},
    {11, 52, 1, SF8_NANS_NONE, 0, 1, 1023, 0, "a magnitude of 63 bits with no code above it"},
    {11, 51, 1, SF8_NANS_NONE, 0, 1, 1023, 1, "a magnitude of 62 bits"},
};
/* clang-format on */

/* Every other call for any format refuses the row as well. */
static void expect_refused(sf8_format f, const char *why)
{
    const sf8_result results[] = {
        sf8_convert_flags(f, SF8_F32, 0, SF8_OCP),
        sf8_convert_flags(SF8_F32, f, 0, SF8_OCP),
        sf8_convert_sr(f, f, 0, SF8_OCP, 0),
        sf8_from_i64(f, 1, SF8_OCP),
        sf8_from_u64(f, 1, SF8_OCP),
        sf8_to_integer(f, 0, 32, 1, SF8_OCP, 0),
        sf8_sqrt(f, 0, SF8_OCP),
        sf8_fma(f, 0, 0, 0, SF8_OCP),
        sf8_rint(f, 0, SF8_OCP, 0),
        sf8_scalb(f, 0, 1, SF8_OCP),
        sf8_minimum(f, 0, 0, SF8_OCP),
        sf8_next_up(f, 0, SF8_OCP),
        sf8_next_down(f, 0, SF8_OCP),
        sf8_negate(f, 0, SF8_OCP),
    };
    for (size_t i = 0; i < COUNT(results); i++)
        EXPECT(results[i].flags == SF8_UNSUPPORTED && results[i].code == 0, "%s: call %zu", why, i);
    uint32_t flags = 0;
    EXPECT(sf8_compare(f, 0, 0, SF8_OCP, &flags) == SF8_UNORDERED, "%s: compare", why);
    EXPECT(flags == SF8_UNSUPPORTED, "%s: compare's flags", why);
    EXPECT(sf8_convert(f, SF8_F32, 0x3f800000, SF8_OCP) == 0, "%s: convert", why);
    EXPECT(sf8_convert(SF8_F32, f, 1, SF8_OCP) == 0, "%s: convert from", why);
    EXPECT(sf8_class(f, 0, SF8_OCP) == -1, "%s: class", why);
    EXPECT(!sf8_total_order(f, 0, 0, SF8_OCP), "%s: total_order", why);
    EXPECT(sf8_abs(f, 1) == 0 && sf8_copy_sign(f, 1, 1) == 0, "%s: signs", why);
    EXPECT(sf8_abs_flags(f, 1, SF8_OCP).flags == SF8_UNSUPPORTED &&
               sf8_copy_sign_flags(f, 1, 1, SF8_OCP).flags == SF8_UNSUPPORTED,
           "%s: signs by a policy", why);
}

Test(formats_family, validity)
{
    for (size_t i = 0; i < COUNT(row_cases); i++) {
        const row_case *x = &row_cases[i];
        sf8_format f = sf8_format_row(x->e, x->m, x->is_signed, x->nan, x->has_inf, x->has_zero,
                                      x->bias);
        EXPECT(sf8_format_valid(f) == x->valid, "%s", x->why);
        sf8_result r = sf8_add(f, 0, 0, SF8_OCP);
        int32_t computes = x->valid && x->m < 24;
        EXPECT((r.flags == SF8_UNSUPPORTED) == !computes, "%s: flags %x", x->why, r.flags);
        EXPECT(computes || r.code == 0, "%s: code", x->why);
        if (!x->valid)
            expect_refused(f, x->why);
    }
}
