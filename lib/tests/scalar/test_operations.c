/* SPDX-License-Identifier: MIT */
/* test_operations.c -- arithmetic: rounded once, and the special cases of IEEE 754 and P3109 */
#include "scalar/operation.h"
#include "table.h"

Test(operations, drawn_operands)
{
    table drawn = table_read("scalar/arithmetic.txt");
    for (size_t i = 0; i < drawn.count; i++) {
        const table_line *x = &drawn.line[i];
        sf8_policy policy = SF8_OCP_NOSAT;
        cr_assert(sf8_policy_set(&policy, "round", x->word[2]) == SF8_OK);
        sf8_result r = operate(x->word[0], format_of(x->word[1]), table_hex(x, 3), table_hex(x, 4),
                               table_hex(x, 5), policy);
        EXPECT(r.code == table_hex(x, 6) && r.flags == table_hex(x, 7),
               "%s %s %s %s %s %s: %02" PRIx64 " flags %x, not %s flags %s", x->word[1], x->word[0],
               x->word[2], x->word[3], x->word[4], x->word[5], r.code, r.flags, x->word[6],
               x->word[7]);
    }
    cr_expect(drawn.count == 520, "%zu", drawn.count);
    table_free(&drawn);
}

/* clang-format off */
/* Where computing in a wider format and rounding again goes wrong; all found by sweeping every
 * operand against exact arithmetic. */
static const operation_row twice_rows[] = {
    {"ocp-nosat", "fma", "e5m2", 0x1e, 0x7a, 0x01, 0x5d, NX},  /* f32: 5c */
    {"ocp-nosat", "add", "e4m3", 0x0f, 0x31, 0, 0x31, NX},     /* bf16: 32 */
    {"ocp-nosat", "sqrt", "e3m4", 0x2f, 0, 0, 0x2f, NX},       /* f16: 30 */
    {"ocp-nosat", "sqrt", "e4m3", 0x17, 0, 0, 0x27, NX},       /* bf16: 28 */
};

/* e5m2: 7c infinity, 7d signaling, 7e quiet NaN, 3c one. IEEE 754-2019, 6.1 to 6.3, 7.2, 7.3. */
static const operation_row ieee_rows[] = {
    {"ocp-nosat", "add", "e5m2", 0x7c, 0xfc, 0, 0x7e, NV},
    {"ocp-nosat", "sub", "e5m2", 0x7c, 0x7c, 0, 0x7e, NV},
    {"ocp-nosat", "add", "e5m2", 0x7c, 0x3c, 0, 0x7c, 0},
    {"ocp-nosat", "sub", "e5m2", 0x3c, 0x7c, 0, 0xfc, 0},
    {"ocp-nosat", "add", "e5m2", 0x3c, 0xbc, 0, 0x00, 0},
    {"ocp-nosat round=rd", "add", "e5m2", 0x3c, 0xbc, 0, 0x80, 0},
    {"ocp-nosat", "add", "e5m2", 0x80, 0x80, 0, 0x80, 0},
    {"ocp-nosat", "add", "e5m2", 0x00, 0x80, 0, 0x00, 0},
    {"ocp-nosat round=rd", "add", "e5m2", 0x00, 0x80, 0, 0x80, 0},
    {"ocp-nosat", "sub", "e5m2", 0x80, 0x00, 0, 0x80, 0},
    /* a sum of zeros, for which tt_um_fp8_fpu's reference gives 00 */
    {"ocp-nosat", "sub", "e4m3ieee", 0x80, 0x00, 0, 0x80, 0},
    {"ocp-nosat round=rd", "add", "e4m3ieee", 0x00, 0x80, 0, 0x80, 0},
    {"ocp-nosat", "mul", "e5m2", 0x7c, 0x00, 0, 0x7e, NV},
    {"ocp-nosat", "mul", "e5m2", 0x80, 0xfc, 0, 0x7e, NV},
    {"ocp-nosat", "mul", "e5m2", 0x7c, 0xbc, 0, 0xfc, 0},
    {"ocp-nosat", "mul", "e5m2", 0x00, 0xbc, 0, 0x80, 0},
    {"ocp-nosat", "div", "e5m2", 0x00, 0x00, 0, 0x7e, NV},
    {"ocp-nosat", "div", "e5m2", 0x7c, 0xfc, 0, 0x7e, NV},
    {"ocp-nosat", "div", "e5m2", 0x3c, 0x00, 0, 0x7c, DZ},
    {"ocp-nosat", "div", "e5m2", 0x3c, 0x80, 0, 0xfc, DZ},
    {"ocp-nosat", "div", "e5m2", 0x7c, 0x00, 0, 0x7c, 0},
    {"ocp-nosat", "div", "e5m2", 0x7c, 0xbc, 0, 0xfc, 0},
    {"ocp-nosat", "div", "e5m2", 0xbc, 0x7c, 0, 0x80, 0},
    {"ocp-nosat", "div", "e5m2", 0x00, 0xbc, 0, 0x80, 0},
    {"ocp-nosat", "sqrt", "e5m2", 0x80, 0, 0, 0x80, 0},
    {"ocp-nosat", "sqrt", "e5m2", 0xbc, 0, 0, 0x7e, NV},
    {"ocp-nosat", "sqrt", "e5m2", 0xfc, 0, 0, 0x7e, NV},
    {"ocp-nosat", "sqrt", "e5m2", 0x7c, 0, 0, 0x7c, 0},
    {"ocp-nosat", "fma", "e5m2", 0x7c, 0x00, 0x3c, 0x7e, NV},
    {"ocp-nosat", "fma", "e5m2", 0x00, 0x7c, 0x7e, 0x7e, NV},
    {"ocp-nosat", "fma", "e5m2", 0x7c, 0x3c, 0xfc, 0x7e, NV},
    {"ocp-nosat", "fma", "e5m2", 0x3c, 0x3c, 0xfc, 0xfc, 0},
    {"ocp-nosat", "fma", "e5m2", 0x3c, 0xbc, 0x3c, 0x00, 0},
    {"ocp-nosat round=rd", "fma", "e5m2", 0x3c, 0xbc, 0x3c, 0x80, 0},
    {"ocp-nosat", "fma", "e5m2", 0x80, 0x3c, 0x80, 0x80, 0},
    {"ocp-nosat", "rem", "e5m2", 0x7c, 0x3c, 0, 0x7e, NV},
    {"ocp-nosat", "rem", "e5m2", 0x3c, 0x00, 0, 0x7e, NV},
    {"ocp-nosat", "rem", "e5m2", 0x3c, 0xfc, 0, 0x3c, 0},
    {"ocp-nosat", "rem", "e5m2", 0x45, 0x42, 0, 0xbc, 0},     /* 5 - 3 * 2 */
    {"ocp-nosat", "rem", "e5m2", 0x42, 0x40, 0, 0xbc, 0},     /* 3 - 2 * 2, a tie to even */
    {"ocp-nosat", "rem", "e5m2", 0x3c, 0x40, 0, 0x3c, 0},     /* 1 - 2 * 0, a tie to even */
    {"ocp-nosat", "rem", "e5m2", 0xc4, 0x40, 0, 0x80, 0},     /* -4 by 2 */
    {"ocp-nosat", "rem", "e5m2", 0x7b, 0x42, 0, 0xbc, 0},     /* 57344 - 3 * 19115 = -1 */
    {"ocp-nosat", "add", "e5m2", 0x7d, 0x3c, 0, 0x7e, NV},
    {"ocp-nosat", "mul", "e5m2", 0x7e, 0x7d, 0, 0x7e, NV},
    {"ocp-nosat", "add", "e5m2", 0x7e, 0x3c, 0, 0x7e, 0},
    {"llvm", "add", "e5m2", 0x7f, 0xfe, 0, 0x7f, 0},          /* the first NaN is carried */
    {"llvm", "add", "e5m2", 0xfe, 0x7f, 0, 0xfe, 0},
    {"llvm", "fma", "e5m2", 0x3c, 0xff, 0x7e, 0xff, 0},
    {"ocp", "div", "e4m3", 0x38, 0x80, 0, 0xfe, DZ},          /* no infinity: the largest */
    {"ocp-nosat", "div", "e4m3", 0x38, 0x80, 0, 0x7f, DZ},
    {"ocp", "add", "e4m3", 0x7e, 0x7e, 0, 0x7e, OF | NX},
    {"ocp-nosat", "add", "e4m3", 0x7e, 0x7e, 0, 0x7f, OF | NX},
    {"ocp", "sub", "ue4m3", 0x38, 0x40, 0, 0x00, NV},         /* -1 without a sign */
    {"ocp flush=inputs", "add", "e4m3", 0x07, 0x00, 0, 0x00, 0},
    {"ocp flush=outputs", "mul", "e4m3", 0x08, 0x30, 0, 0x00, UF | NX},
    {"ocp flush=outputs", "mul", "e4m3", 0x08, 0x38, 0, 0x08, 0}, /* least normal */
};

/* Exponents far apart: what lies below every bit kept still decides. */
static const operation_row far_rows[] = {
    {"ocp", "add", "f32", 0x3f800000, 0x00000001, 0, 0x3f800000, NX},
    {"ocp round=ru", "add", "f32", 0x3f800000, 0x00000001, 0, 0x3f800001, NX},
    {"ocp round=rz", "sub", "f32", 0x3f800000, 0x00000001, 0, 0x3f7fffff, NX},
    {"ocp round=ru", "add", "bf16", 0x0001, 0x7f00, 0, 0x7f01, NX},
    {"ocp round=rd", "fma", "bf16", 0x0001, 0x8001, 0x3f80, 0x3f7f, NX},
    {"ocp round=ru", "fma", "f32", 0x00000001, 0x00000001, 0x7f000000, 0x7f000001, NX},
    {"ocp round=ru", "add", "e8m0", 0xfd, 0x00, 0, 0xfe, NX},
    {"ocp round=rz", "add", "e8m0", 0xfd, 0x00, 0, 0xfd, NX},
    {"ocp", "scalb", "bf16", 0x0001, 253, 0, 0x7b80, 0},
    {"ocp", "scalb", "bf16", 0x7f00, 0xfffffeff, 0, 0x0008, 0},
    {"ocp", "div", "f32", 0x3f800000, 0x40400000, 0, 0x3eaaaaab, NX},
    {"ocp", "rem", "f32", 0x7f7fffff, 0x00000003, 0, 0x00000000, 0},
};

static const operation_row p3109_rows[] = {
    {"p3109-satnone", "div", "p3109_k8p4se", 0x40, 0x00, 0, 0x80, DZ}, /* x / 0 is NaN */
    {"p3109-satnone", "div", "p3109_k8p4se", 0x00, 0x00, 0, 0x80, NV},
    {"p3109-satnone", "div", "p3109_k8p4se", 0x40, 0x7f, 0, 0x00, 0},
    {"p3109-satnone", "sub", "p3109_k8p4se", 0x7f, 0x7f, 0, 0x80, NV},
    {"p3109-satnone", "add", "p3109_k8p4se", 0x7e, 0x7e, 0, 0x7f, OF | NX},
    {"p3109-satfinite", "add", "p3109_k8p4se", 0x7e, 0x7e, 0, 0x7e, OF | NX},
    {"p3109-satfinite", "mul", "p3109_k8p4se", 0x7f, 0xc0, 0, 0xfe, 0},
    {"p3109-satpropagate", "mul", "p3109_k8p4se", 0x7f, 0xc0, 0, 0xff, 0},
    {"p3109-satnone", "next_up", "p3109_k8p4se", 0x7f, 0, 0, 0x80, 0},
    {"p3109-satnone", "next_up", "p3109_k8p4se", 0x7e, 0, 0, 0x7f, 0},
    {"p3109-satnone", "next_up", "p3109_k8p4se", 0xff, 0, 0, 0xfe, 0},
    {"p3109-satnone", "next_up", "p3109_k8p4se", 0x81, 0, 0, 0x00, 0},
    {"p3109-satnone", "next_down", "p3109_k8p4se", 0xff, 0, 0, 0x80, 0},
    {"p3109-satnone", "next_down", "p3109_k8p4se", 0x00, 0, 0, 0x81, 0},
    {"p3109-satnone", "minimum", "p3109_k8p4se", 0x80, 0x40, 0, 0x80, 0},
    {"p3109-satnone", "minimum_number", "p3109_k8p4se", 0x80, 0x40, 0, 0x40, 0},
    {"p3109-satnone", "negate", "p3109_k8p4se", 0x00, 0, 0, 0x00, 0},
};

/* ml_dtypes 0.6.0, run: in f32, then rounded; sums of the largest, 1/0, 1-1, (-1)*0, nextafter. */
static const operation_row ml_dtypes_rows[] = {
    {"ml_dtypes", "add", "e4m3", 0x7e, 0x7e, 0, 0x7f, OF | NX},
    {"ml_dtypes", "add", "e4m3", 0xfe, 0xfe, 0, 0xff, OF | NX},
    {"ml_dtypes", "add", "e5m2", 0x7b, 0x7b, 0, 0x7c, OF | NX},
    {"ml_dtypes", "add", "e4m3fnuz", 0x7f, 0x7f, 0, 0x80, OF | NX},
    {"ml_dtypes", "add", "e4m3b11fnuz", 0x7f, 0x7f, 0, 0x80, OF | NX},
    {"ml_dtypes", "add", "e4m3ieee", 0x77, 0x77, 0, 0x78, OF | NX},
    {"ml_dtypes", "add", "e3m4", 0xef, 0xef, 0, 0xf0, OF | NX},
    {"ml_dtypes", "add", "e2m1", 0x07, 0x07, 0, 0x07, OF | NX},
    {"ml_dtypes", "add", "e2m3", 0x3f, 0x3f, 0, 0x3f, OF | NX},
    {"ml_dtypes", "add", "e8m0", 0xfe, 0xfe, 0, 0xff, OF | NX},
    {"ml_dtypes", "sub", "e8m0", 0x7f, 0x7f, 0, 0xff, NV},
    {"ml_dtypes", "div", "e8m0", 0x7f, 0x00, 0, 0xfe, 0},
    {"ml_dtypes", "div", "e4m3", 0x38, 0x00, 0, 0x7f, DZ},
    {"ml_dtypes", "div", "e5m2", 0x3c, 0x00, 0, 0x7c, DZ},
    {"ml_dtypes", "div", "e4m3fnuz", 0x40, 0x00, 0, 0x80, DZ},
    {"ml_dtypes", "div", "e2m1", 0x02, 0x00, 0, 0x07, DZ},
    {"ml_dtypes", "sub", "e4m3", 0x38, 0x38, 0, 0x00, 0},
    {"ml_dtypes", "mul", "e4m3", 0xb8, 0x00, 0, 0x80, 0},
    {"ml_dtypes", "mul", "e4m3fnuz", 0xc0, 0x00, 0, 0x00, 0},
    {"ml_dtypes", "add", "e4m3", 0x7f, 0x38, 0, 0x7f, 0},
    {"ml_dtypes", "negate", "e4m3", 0x7f, 0, 0, 0xff, 0},
    {"ml_dtypes", "negate", "e4m3fnuz", 0x00, 0, 0, 0x00, 0},
    {"ml_dtypes", "negate", "e4m3fnuz", 0x80, 0, 0, 0x80, 0},
    {"ml_dtypes", "next_up", "e4m3", 0x7e, 0, 0, 0x7f, 0},
    {"ml_dtypes", "next_up", "e5m2", 0x7b, 0, 0, 0x7c, 0},
    {"ml_dtypes", "next_up", "e4m3fnuz", 0x7f, 0, 0, 0x80, 0},
    {"ml_dtypes", "next_up", "e4m3ieee", 0x77, 0, 0, 0x78, 0},
    {"ml_dtypes", "next_up", "e3m4", 0x6f, 0, 0, 0x70, 0},
    {"ml_dtypes", "next_up", "e2m1", 0x07, 0, 0, 0x07, 0},
    {"ml_dtypes", "next_down", "e4m3", 0x00, 0, 0, 0x81, 0},
    {"ml_dtypes", "next_down", "e2m1", 0x00, 0, 0, 0x09, 0},
    {"ml_dtypes", "next_down", "e2m3", 0x00, 0, 0, 0x21, 0},
};

/* rint: e4m3 38 1, 3c 1.5, 40 2, 42 2.5, 44 3. scalb: by 2^n. */
static const operation_row integral_rows[] = {
    {"ocp", "rint", "e4m3", 0x3c, 0, 0, 0x40, 0},
    {"ocp", "rint", "e4m3", 0x42, 0, 0, 0x40, 0},
    {"ocp", "rint_exact", "e4m3", 0x42, 0, 0, 0x40, NX},
    {"ocp", "rint_exact", "e4m3", 0x40, 0, 0, 0x40, 0},
    {"ocp round=rna", "rint", "e4m3", 0x42, 0, 0, 0x44, 0},
    {"ocp round=rnz", "rint", "e4m3", 0x3c, 0, 0, 0x38, 0},
    {"ocp round=rnz", "rint", "e4m3", 0xc2, 0, 0, 0xc0, 0},
    {"ocp round=rnz", "rint", "e4m3", 0xc3, 0, 0, 0xc4, 0},
    {"ocp round=ro", "rint", "e4m3", 0x3c, 0, 0, 0x38, 0},
    {"ocp round=ro", "rint", "e4m3", 0x42, 0, 0, 0x44, 0},
    {"ocp round=rz", "rint", "e4m3", 0xbc, 0, 0, 0xb8, 0},
    {"ocp round=rd", "rint", "e4m3", 0xbc, 0, 0, 0xc0, 0},
    {"ocp round=ru", "rint", "e4m3", 0x01, 0, 0, 0x38, 0},
    {"ocp", "rint", "e4m3", 0xa8, 0, 0, 0x80, 0},
    {"ocp", "rint", "e4m3fnuz", 0xa8, 0, 0, 0x00, 0},
    {"ocp", "rint", "e4m3", 0x7e, 0, 0, 0x7e, 0},
    {"ocp", "rint", "e5m2", 0x7d, 0, 0, 0x7e, NV},
    {"ocp-nosat", "rint", "e5m2", 0xfc, 0, 0, 0xfc, 0},
    {"ocp", "scalb", "e4m3", 0x38, 8, 0, 0x78, 0},
    {"ocp", "scalb", "e4m3", 0x38, 9, 0, 0x7e, OF | NX},
    {"ocp-nosat", "scalb", "e4m3", 0xb8, 0x7fffffff, 0, 0x7f, OF | NX},
    {"ocp", "scalb", "e4m3", 0x38, 0xfffffff7, 0, 0x01, 0},
    {"ocp", "scalb", "e4m3", 0x38, 0xfffffff6, 0, 0x00, UF | NX},
    {"ocp", "scalb", "e4m3", 0x3c, 0xfffffff7, 0, 0x02, UF | NX},
    {"ocp", "scalb", "e4m3", 0xb8, 0x80000000, 0, 0x80, UF | NX},
    {"ocp", "scalb", "e4m3", 0x01, 17, 0, 0x78, 0},
    {"ocp-nosat", "scalb", "e5m2", 0xfc, 0xffffffff, 0, 0xfc, 0},
    {"ocp", "scalb", "e5m2", 0x7d, 1, 0, 0x7e, NV},
};
/* clang-format on */

Test(operations, not_rounded_twice)
{
    check_operations(twice_rows, COUNT(twice_rows));
}

Test(operations, ieee_special_cases)
{
    check_operations(ieee_rows, COUNT(ieee_rows));
}

Test(operations, exponents_far_apart)
{
    check_operations(far_rows, COUNT(far_rows));
}

Test(operations, p3109_dialect)
{
    check_operations(p3109_rows, COUNT(p3109_rows));
}

Test(operations, ml_dtypes)
{
    check_operations(ml_dtypes_rows, COUNT(ml_dtypes_rows));
}

Test(operations, rint_and_scalb)
{
    check_operations(integral_rows, COUNT(integral_rows));
}

/* The functions of one format, and those with flags. */
Test(operations, functions_of_one_format)
{
    cr_expect(sf8_e5m2_fma(0x1e, 0x7a, 0x01, SF8_OCP) == 0x5d);
    cr_expect(sf8_e5m2_fma_flags(0x1e, 0x7a, 0x01, SF8_OCP).flags == NX);
    cr_expect(sf8_e4m3_add(0x0f, 0x31, SF8_OCP) == 0x31);
    cr_expect(sf8_e4m3_sub(0x38, 0x38, SF8_OCP) == 0x00);
    cr_expect(sf8_e4m3_mul(0x40, 0x44, SF8_OCP) == 0x4c);
    cr_expect(sf8_e4m3_div_flags(0x38, 0x00, SF8_OCP).flags == DZ);
    cr_expect(sf8_e3m4_sqrt(0x2f, SF8_OCP) == 0x2f);
    cr_expect(sf8_e5m2_rem(0x45, 0x42, SF8_OCP) == 0xbc);
    cr_expect(sf8_e4m3_rint_flags(0x42, SF8_OCP, 1).flags == NX);
    cr_expect(sf8_e4m3_rint(0x42, SF8_OCP) == 0x40);
    cr_expect(sf8_e4m3_scalb(0x38, -9, SF8_OCP) == 0x01);
    cr_expect(sf8_e2m1_maximum(0x07, 0x02, SF8_OCP) == 0x07);
    cr_expect(sf8_e4m3fnuz_negate(0x80, SF8_OCP) == 0x80);
    cr_expect(sf8_p3109_k8p4se_next_up(0x7f, SF8_P3109_SATNONE) == 0x80);
}

/* Operations on e4m3 are compiled apart where a policy has the usual fields. With random bits,
 * which such a policy does not use, they are not. */
Test(operations, those_compiled_apart)
{
    static const char *const more[] = {"ocp early=yes", "ocp early=exponent", "ocp flush=outputs",
                                       "ocp-nosat carry=nan", "ocp round=rna"};
    for (size_t p = 0; p < POLICIES + COUNT(more); p++) {
        const char *text = p < POLICIES ? sf8_policy_at(p)->name : more[p - POLICIES];
        sf8_policy policy = policy_of(text);
        for (uint64_t pair = p % one_in(5); pair < 65536; pair += one_in(5)) {
            uint64_t a = pair >> 8, b = pair & 255, c = pair % 251;
            const sf8_result got[5] = {
                sf8_add(SF8_E4M3, a, b, policy), sf8_sub(SF8_E4M3, a, b, policy),
                sf8_mul(SF8_E4M3, a, b, policy), sf8_div(SF8_E4M3, a, b, policy),
                sf8_fma(SF8_E4M3, a, b, c, policy)};
            const sf8_result want[5] = {
                sf8_add_sr(SF8_E4M3, a, b, policy, 0), sf8_sub_sr(SF8_E4M3, a, b, policy, 0),
                sf8_mul_sr(SF8_E4M3, a, b, policy, 0), sf8_div_sr(SF8_E4M3, a, b, policy, 0),
                sf8_fma_sr(SF8_E4M3, a, b, c, policy, 0)};
            for (size_t i = 0; i < 5; i++)
                EXPECT(got[i].code == want[i].code && got[i].flags == want[i].flags,
                       "%s: operation %zu of %02x and %02x", text, i, (unsigned)a, (unsigned)b);
        }
    }
}
