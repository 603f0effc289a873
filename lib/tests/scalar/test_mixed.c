/* SPDX-License-Identifier: MIT */
/* test_mixed.c -- operations on mixed formats by IEEE 754, their flags, and what is refused
 *
 * verdict/test_verdict_mixed.c has P3109's results.
 */
#include "check.h"
#include "random.h"

#include <math.h>

static sf8_operand of(const char *format, uint64_t code)
{
    sf8_operand x = {format_of(format), {0}, code, 0};
    return x;
}

static sf8_operand scaled(const char *format, uint64_t code, const char *scale_format,
                          uint64_t scale)
{
    sf8_operand x = {format_of(format), format_of(scale_format), code, scale};
    return x;
}

static sf8_result mixed(sf8_mixed_op op, const char *to, sf8_operand a, sf8_operand b,
                        sf8_operand c, const char *policy)
{
    const sf8_operand x[] = {a, b, c};
    return sf8_mixed(op, format_of(to), x, policy_of(policy), 0);
}

/* In one format the results and flags are those of the functions of one format, which are tested in
 * other ways; also with random numbers, and for NaNs with a payload. */
Test(mixed, of_one_format)
{
    static const char *const policies[] = {"ocp", "ocp-nosat",
                                           "ocp-nosat nan_code=payload nan_sign=signed",
                                           "ocp flush=both", "ocp-nosat tininess=before"};
    sf8_format f;
    for (size_t i = 0; sf8_format_at(i, &f); i++) {
        if (f.man_bits >= 24 || !sf8_format_valid(f))
            continue;
        for (size_t n = 0; n < 24000 / every(10); n++) {
            uint64_t code[3];
            sf8_operand x[3];
            const char *text = policies[n % COUNT(policies)];
            sf8_policy p = policy_of(text);
            p.round = n % 8 & SF8_ROUND_MASK;
            p.sr_rule = n % 3 & 3;
            uint32_t random = pseudo_random();
            for (int k = 0; k < 3; k++) {
                code[k] = (pseudo_random() ^ (uint64_t)pseudo_random() << 20) &
                          sf8_format_code_mask(f);
                sf8_operand one = {f, {0}, code[k], 0};
                x[k] = one;
            }
#define SAME(op, call)                                                                             \
    do {                                                                                           \
        sf8_result got = sf8_mixed(SF8_MIXED_##op, f, x, p, random), want = call;                  \
        EXPECT(got.code == want.code && got.flags == want.flags,                                   \
               "%s %s, %s, mode %d: %" PRIx64 " %" PRIx64 " %" PRIx64 ": %" PRIx64                 \
               " flags %x instead of %" PRIx64 " flags %x",                                        \
               sf8_format_at(i, NULL), #op, text, (int)p.round, code[0], code[1], code[2],         \
               got.code, got.flags, want.code, want.flags);                                        \
    } while (0)
            SAME(add, sf8_add_sr(f, code[0], code[1], p, random));
            SAME(sub, sf8_sub_sr(f, code[0], code[1], p, random));
            SAME(mul, sf8_mul_sr(f, code[0], code[1], p, random));
            SAME(div, sf8_div_sr(f, code[0], code[1], p, random));
            SAME(fma, sf8_fma_sr(f, code[0], code[1], code[2], p, random));
            SAME(sqrt, sf8_sqrt_sr(f, code[0], p, random));
            if (f.has_zero && f.is_signed && !p.flush) /* 1 / a, by the division */
                SAME(recip, sf8_div_sr(f, sf8_convert(f, SF8_F32, 0x3f800000, SF8_OCP), code[0], p,
                                       random));
        }
    }
}

Test(mixed, results)
{
    static const struct {
        sf8_mixed_op op;
        const char *to, *policy, *format[3];
        uint64_t code[3], result;
        int flags;
    } known[] = {
    /* clang-format off */
#define ROW(op, ...) {SF8_MIXED_##op, __VA_ARGS__}
        /* 1 + 2^-9 + 2^-20: no two of them are exact in f16 */
        ROW(faa, "f16", "ocp-nosat", {"e4m3", "f32", "f32"}, {0x38, 0x3b000000, 0x35800000}, 0x3c02,
            NX),
        ROW(faa, "f16", "ocp-nosat", {"e5m2", "e5m2", "f32"}, {0x7b, 0xfb, 0x33800000}, 0x0001, 0),
        ROW(faa, "f16", "ocp-nosat", {"f16", "f16", "f16"}, {0x7c00, 0x3c00, 0xfc00}, 0x7e00, NV),
        ROW(div, "f16", "ocp-nosat", {"e5m2", "f16"}, {0x7c, 0xfc00}, 0x7e00, NV),
        ROW(recip, "f16", "ocp-nosat", {"f16"}, {0x8000}, 0xfc00, DZ),
        ROW(recip, "f16", "ocp-nosat", {"e5m2"}, {0xfc}, 0x8000, 0),
        ROW(recip, "e4m3", "ocp", {"f32"}, {0x40400000}, 0x2b, NX),
        ROW(rsqrt, "f16", "ocp-nosat", {"f16"}, {0x8000}, 0xfc00, DZ),
        ROW(rsqrt, "f16", "ocp-nosat", {"f16"}, {0xfc00}, 0x7e00, NV),
        ROW(rsqrt, "f16", "ocp-nosat", {"f16"}, {0xbc00}, 0x7e00, NV),
        ROW(rsqrt, "f16", "ocp-nosat", {"f16"}, {0x7c00}, 0x0000, 0),
        ROW(rsqrt, "f16", "ocp-nosat", {"e4m3"}, {0x48}, 0x3800, 0),      /* 1/sqrt 4 */
        ROW(rsqrt, "f32", "ocp-nosat", {"e4m3"}, {0x40}, 0x3f3504f3, NX), /* 1/sqrt 2 */
        ROW(hypot, "f32", "ocp-nosat", {"e4m3", "e4m3"}, {0x44, 0xc8}, 0x40a00000, 0),
        ROW(hypot, "f32", "ocp-nosat", {"f16", "f16"}, {0xfc00, 0x3c00}, 0x7f800000, 0),
        ROW(hypot, "f16", "ocp-nosat", {"f16", "f16"}, {0x7bff, 0x7bff}, 0x7c00, OF | NX),
        ROW(hypot, "f32", "ocp-nosat", {"f32", "f32"}, {0x7f7fffff, 0x00000001}, 0x7f7fffff, NX),
        ROW(minimum_finite, "f16", "ocp-nosat", {"f16", "e4m3"}, {0xfc00, 0x40}, 0x4000, 0),
        ROW(maximum_finite, "f16", "ocp-nosat", {"f16", "e5m2"}, {0x7e00, 0x7c}, 0x7c00, 0),
        ROW(maximum_finite, "f16", "ocp-nosat", {"f16", "f16"}, {0xfc00, 0x7c00}, 0x7c00, 0),
        ROW(minimum_number, "f16", "ocp-nosat", {"f16", "f16"}, {0x7c01, 0x4000}, 0x4000, NV),
        ROW(minimum, "f16", "ocp-nosat", {"f16", "e4m3"}, {0x0000, 0x80}, 0x8000, 0),
        ROW(clamp, "e4m3", "ocp", {"f32", "e4m3", "e4m3"}, {0x41100000, 0xc8, 0x48}, 0x48, 0),
        ROW(clamp, "e4m3", "ocp", {"f32", "e4m3", "e4m3"}, {0xc1100000, 0xc8, 0x48}, 0xc8, 0),
        ROW(clamp, "e4m3", "ocp", {"f32", "e4m3", "e4m3"}, {0x3f800000, 0xc8, 0x48}, 0x38, 0),
        ROW(clamp, "e4m3", "ocp", {"f32", "e4m3", "e4m3"}, {0x3f800000, 0x48, 0xc8}, 0x7f, NV),
        /* Zeros are equal as bounds. */
        ROW(clamp, "f16", "ocp", {"f16", "f16", "f16"}, {0x3c00, 0x0000, 0x8000}, 0x8000, 0),
        /* Only the infinity that is the result decides whether it stays. */
        ROW(maximum, "f16", "ocp", {"f16", "e5m2"}, {0x7c00, 0x3c}, 0x7bff, NV),
        ROW(maximum, "f16", "ocp", {"f16", "e5m2"}, {0x7c00, 0xfc}, 0x7bff, NV),
        ROW(maximum, "f16", "ocp", {"f16", "e5m2"}, {0xfc00, 0x7c}, 0x7c00, 0),
        ROW(add, "f16", "ocp", {"f16", "e5m2"}, {0x7c00, 0x7c}, 0x7c00, 0),
        ROW(mul, "f32", "ocp", {"e5m2", "e4m3"}, {0x7c, 0x38}, 0x7f800000, 0), /* stays */
        ROW(mul, "e4m3", "ocp", {"e5m2", "e4m3"}, {0x7c, 0x38}, 0x7e, NV),
        ROW(mul, "f32", "ocp", {"e5m2", "e4m3"}, {0x7c, 0x00}, 0x7fc00000, NV),
        ROW(negate, "e4m3", "ocp", {"f32"}, {0x43fa0000}, 0xfe, OF | NX),
#undef ROW
        /* clang-format on */
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        sf8_operand x[3];
        for (int k = 0; k < 3; k++)
            x[k] = of(known[i].format[k] ? known[i].format[k] : "f32", known[i].code[k]);
        sf8_result r = mixed(known[i].op, known[i].to, x[0], x[1], x[2], known[i].policy);
        EXPECT(r.code == known[i].result && r.flags == (uint32_t)known[i].flags,
               "row %zu: %" PRIx64 " flags %x instead of %" PRIx64, i, r.code, r.flags,
               known[i].result);
    }
}

/* 2^100 (1 + 1/8) - 2^100 is exact, though the scale alone does not fit into the result. */
Test(mixed, scales)
{
    sf8_operand a = scaled("e4m3", 0x39, "e8m0", 227), b = scaled("e4m3", 0x38, "e8m0", 227);
    cr_expect(mixed(SF8_MIXED_sub, "f32", a, b, b, "ocp").code == 0x70000000); /* 2^97 */
    cr_expect(mixed(SF8_MIXED_div, "e4m3", a, b, b, "ocp").code == 0x39);
    a.scale = 255; /* NaN */
    cr_expect(mixed(SF8_MIXED_sub, "f32", a, b, b, "ocp").code == 0x7fc00000);
    cr_expect(mixed(SF8_MIXED_maximum_number, "e4m3", a, of("e4m3", 0x38), b, "ocp").code == 0x38);
    a = scaled("e4m3", 0x00, "f16", 0x7c00); /* 0 times infinity */
    sf8_result r = mixed(SF8_MIXED_convert, "f16", a, b, b, "ocp-nosat");
    cr_expect(r.code == 0x7e00 && r.flags == NV);
    r = mixed(SF8_MIXED_maximum_number, "f16", a, of("e4m3", 0x38), b, "ocp-nosat");
    cr_expect(r.code == 0x3c00 && r.flags == NV, "the operand that is not chosen is invalid");
    a = scaled("e4m3", 0x80, "e8m0", 127); /* -0 times 1, which e4m3 has in each dialect */
    cr_expect(mixed(SF8_MIXED_convert, "e4m3", a, b, b, "p3109-satfinite").code == 0x80);
    /* 2^24 15108799 8003554 = 12814011 9447365 16758569 + 1: the quotient is that of 24 bits, and
     * the next bit that is not 0 is the 72nd. */
    a = scaled("f32", 0x4b668abf, "f32", 0x4af43fc4);
    b = scaled("f32", 0x4b4386bb, "f32", 0x4b1027c5);
    r = mixed(SF8_MIXED_div, "f32", a, b, b, "ocp round=ru");
    cr_expect(r.code == 0x3f7fb72a && r.flags == NX);
    r = mixed(SF8_MIXED_div, "f32", a, b, b, "ocp round=rz");
    cr_expect(r.code == 0x3f7fb729 && r.flags == NX);
}

Test(mixed, reductions)
{
    const uint8_t x[] = {0x7e, 0xfe, 0x01, 0x38}; /* 448, -448, 2^-9, 1 */
    const uint8_t two[600] = {0x41, 0x41, 0x41};  /* 2.25 three times */
    sf8_scaled_codes a = {SF8_E4M3, {0}, x, 0}, b = {SF8_E4M3, SF8_E8M0, two, 126};
    sf8_policy p = SF8_OCP_NOSAT;
    cr_expect(sf8_reduce_add(SF8_F32, &a, 4, p, 0).code == 0x3f804000); /* 1 + 2^-9 */
    cr_expect(sf8_reduce_add(SF8_E4M3, &a, 3, p, 0).code == 0x01);
    cr_expect(sf8_reduce_add(SF8_F16, &a, 0, p, 0).code == 0x0000);
    cr_expect(sf8_reduce_mul(SF8_F16, &a, 0, p, 0).code == 0x3c00);
    cr_expect(sf8_reduce_mul(SF8_F32, &b, 3, p, 0).code == 0x3fb64000); /* (9/8)^3 */
    cr_expect(sf8_dot(SF8_F32, &a, &a, 2, p, 0).code == 0x48c40000);    /* 2 448^2 */
    cr_expect(sf8_dot(SF8_E4M3, &a, &a, 2, p, 0).flags == (OF | NX));
    const uint8_t minus[] = {0x80, 0x80};
    a.codes = minus;
    cr_expect(sf8_reduce_add(SF8_F16, &a, 2, p, 0).code == 0x0000);
    cr_expect(sf8_reduce_mul(SF8_F16, &a, 1, p, 0).code == 0x8000);
}

/* (1 - 2^-24)^n has 24 n bits of significand. */
Test(mixed, long_products)
{
    static float x[1200];
    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = 0x1.fffffep-1f;
    sf8_scaled_codes a = {SF8_F32, SF8_F32, x, 0x3f7fffff};
    cr_expect(sf8_reduce_mul(SF8_F32, &a, 500, SF8_OCP, 0).code == 0x3f7ffc18);
    cr_expect(sf8_reduce_mul(SF8_F32, &a, 1200, SF8_OCP, 0).flags == SF8_UNSUPPORTED);
    /* It does not matter how long the significand is if the product is 0, infinite or NaN. */
    static const struct {
        float value;
        sf8_result result;
    } known[] = {{-0.0f, {0x80000000, 0}}, {-INFINITY, {0xff800000, 0}}, {NAN, {0x7fc00000, 0}}};
    for (size_t i = 0; i < COUNT(known); i++)
        for (size_t at = 0; at < COUNT(x); at += COUNT(x) - 1) {
            x[at] = known[i].value;
            sf8_result r = sf8_reduce_mul(SF8_F32, &a, COUNT(x), SF8_OCP_NOSAT, 0);
            cr_expect(r.code == known[i].result.code && r.flags == 0, "%zu at %zu", i, at);
            x[at] = 0x1.fffffep-1f;
        }
}

/* 3^16131 has 25,568 bits, and 3^16132 has more. */
Test(mixed, longest_product)
{
    static uint8_t x[16132];
    memset(x, 0x3c, sizeof x); /* 1.5 */
    sf8_scaled_codes a = {SF8_E4M3, SF8_E8M0, x, 126};
    cr_expect(sf8_reduce_mul(SF8_F32, &a, 16131, SF8_OCP, 0).flags == (UF | NX));
    cr_expect(sf8_reduce_mul(SF8_F32, &a, 16132, SF8_OCP, 0).flags == SF8_UNSUPPORTED);
}

Test(mixed, refused)
{
    sf8_format bad = SF8_E4M3;
    sf8_operand x[] = {of("e4m3", 0x38), of("e4m3", 0x38), of("e4m3", 0x38)};
    bad.exp_bits = 0;
    cr_expect(sf8_mixed(SF8_MIXED_COUNT, SF8_F32, x, SF8_OCP, 0).flags == SF8_UNSUPPORTED);
    cr_expect(sf8_mixed(SF8_MIXED_add, SF8_F64, x, SF8_OCP, 0).flags == SF8_UNSUPPORTED);
    cr_expect(sf8_mixed(SF8_MIXED_add, bad, x, SF8_OCP, 0).flags == SF8_UNSUPPORTED);
    x[1].format = bad;
    cr_expect(sf8_mixed(SF8_MIXED_add, SF8_F32, x, SF8_OCP, 0).flags == SF8_UNSUPPORTED);
    cr_expect(sf8_mixed(SF8_MIXED_sqrt, SF8_F32, x, SF8_OCP, 0).code == 0x3f800000);
    x[0].scale_format = SF8_F64;
    cr_expect(sf8_mixed(SF8_MIXED_sqrt, SF8_F32, x, SF8_OCP, 0).flags == SF8_UNSUPPORTED);
    x[0].scale_format = bad; /* neither a format nor all zeros */
    cr_expect(sf8_mixed(SF8_MIXED_sqrt, SF8_F32, x, SF8_OCP, 0).flags == SF8_UNSUPPORTED);
    sf8_scaled_codes a = {SF8_F64, {0}, x, 0}, b = {SF8_E4M3, {0}, x, 0};
    cr_expect(sf8_reduce_add(SF8_F32, &a, 1, SF8_OCP, 0).flags == SF8_UNSUPPORTED);
    cr_expect(sf8_reduce_mul(SF8_F64, &b, 1, SF8_OCP, 0).flags == SF8_UNSUPPORTED);
    cr_expect(sf8_dot(SF8_F32, &b, &a, 1, SF8_OCP, 0).flags == SF8_UNSUPPORTED);
}
