/* SPDX-License-Identifier: MIT */
/* test_formats_family.c -- the P3109 family, rows made at run time, invalid rows */
#include "table.h"

static uint64_t value_of(sf8_format f, uint64_t code)
{
    return sf8_convert(SF8_F64, f, code, SF8_OCP_NOSAT);
}

Test(formats_family, spots)
{
    table known = table_read("scalar/p3109_values.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        uint64_t bits = value_of(format_of(x->word[0]), table_hex(x, 1));
        EXPECT(bits == sf8_f64_bits(strtod(x->word[2], NULL)), "%s %s: %016" PRIx64, x->word[0],
               x->word[1], bits);
    }
    cr_expect(known.count == 32, "%zu", known.count);
    table_free(&known);
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
    EXPECT(value_of(f, is_signed ? half / 2 : half) == sf8_f64_bits(1), "%s: one", name);
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
    cr_expect(value_of(format_of("p3109_k4p2sf"), 7) == sf8_f64_bits(3));
    cr_expect(value_of(SF8_E2M1, 7) == sf8_f64_bits(6));
    cr_expect(value_of(SF8_E2M1, 8) == sf8_f64_bits(-0.0));
    cr_expect(sf8_is_nan(format_of("p3109_k4p2sf"), 8));
    cr_expect(value_of(format_of("p3109_k8p1uf"), 0x7f) == sf8_f64_bits(0.5));
    cr_expect(value_of(SF8_E8M0, 0x7f) == sf8_f64_bits(1));
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
        EXPECT(value_of(f, c) == sf8_f64_bits(values[c]), "%02" PRIx64, c);
        EXPECT(value_of(f, c | 16) == sf8_f64_bits(-values[c]), "%02" PRIx64, c | 16);
        EXPECT(sf8_convert(f, SF8_F64, sf8_f64_bits(-values[c]), SF8_OCP) == (c | 16), "%02" PRIx64,
               c);
    }
    cr_expect(sf8_convert(f, SF8_F64, sf8_f64_bits(4.5), SF8_OCP) == 0x0c); /* tie to even */
    cr_expect(sf8_convert(f, SF8_F64, sf8_f64_bits(5.5), SF8_OCP) == 0x0e);
    cr_expect(sf8_convert(f, SF8_F64, sf8_f64_bits(100), SF8_OCP) == 0x0f);
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
    cr_expect(value_of(f, 0x7f) == sf8_f64_bits(1.875));
    cr_expect(value_of(f, 0x78) == sf8_f64_bits(1));
    cr_expect(value_of(f, 0x01) == sf8_f64_bits(0x1p-17));
    cr_expect(value_of(f, 0x80) == sf8_f64_bits(-0.0));
    cr_expect(sf8_convert(f, SF8_F64, sf8_f64_bits(2), SF8_OCP) == 0x7f);
    cr_expect(sf8_convert(f, SF8_F64, sf8_f64_bits(-1.9375), SF8_OCP) == 0xff);
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
    cr_expect(value_of(f, 1) == sf8_f64_bits(0x1p-100) &&
              value_of(f, 7) == sf8_f64_bits(0x1.8p-97));
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
    cr_expect(sf8_convert_flags(SF8_F32, SF8_F64, sf8_f64_bits(1), SF8_OCP).code == 0x3f800000);
    cr_expect(sf8_convert_flags(wide, SF8_F64, sf8_f64_bits(1), SF8_OCP).code == 0x7f000000);
}

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
    table known = table_read("scalar/valid_rows.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        int32_t row[8];
        for (size_t k = 0; k < COUNT(row); k++)
            row[k] = (int32_t)strtol(x->word[k], NULL, 10);
        sf8_format f = sf8_format_row(row[0], row[1], row[2], row[3], row[4], row[5], row[6]);
        EXPECT(sf8_format_valid(f) == row[7], "%s", x->note);
        sf8_result r = sf8_add(f, 0, 0, SF8_OCP);
        int32_t computes = row[7] && row[1] < 24;
        EXPECT((r.flags == SF8_UNSUPPORTED) == !computes, "%s: flags %x", x->note, r.flags);
        EXPECT(computes || r.code == 0, "%s: code", x->note);
        if (!row[7])
            expect_refused(f, x->note);
    }
    cr_expect(known.count == 32, "%zu", known.count);
    table_free(&known);
}
