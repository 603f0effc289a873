/* SPDX-License-Identifier: MIT */
/* test_compare.c -- order, signs and classes, after IEEE 754-2019; integers */
#include "check.h"

typedef struct sign_row {
    const char *format;
    uint64_t a, b, abs, copy_sign;
} sign_row;

Test(compare, signs)
{
    static const sign_row rows[] = {
        {"e4m3", 0xb8, 0x38, 0x38, 0x38},     {"e4m3", 0x38, 0xff, 0x38, 0xb8},
        {"e4m3", 0xff, 0x00, 0x7f, 0x7f},     {"e4m3", 0x80, 0x80, 0x00, 0x80},
        {"e4m3fnuz", 0x80, 0xc0, 0x80, 0x80}, {"e4m3fnuz", 0x00, 0xc0, 0x00, 0x00},
        {"e4m3fnuz", 0x40, 0x80, 0x40, 0x40}, {"e4m3fnuz", 0x40, 0xc0, 0x40, 0xc0},
        {"e8m0", 0x7f, 0xff, 0x7f, 0x7f},     {"e2m1", 0x1b, 0xf2, 0x03, 0x03},
        {"ue4m3", 0xb8, 0xff, 0x38, 0x38},    {"e5m2", 0xfd, 0x3c, 0x7d, 0x7d},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_format f = format_of(rows[i].format);
        EXPECT(sf8_abs(f, rows[i].a) == rows[i].abs, "abs %zu", i);
        EXPECT(sf8_copy_sign(f, rows[i].a, rows[i].b) == rows[i].copy_sign, "copy_sign %zu", i);
    }
}

typedef struct order_row {
    const char *policy_name, *format;
    uint64_t a, b;
    int32_t order;
    uint32_t flags, flags_signaling;
    int32_t total, total_reversed; /* a <= b, b <= a in the total order */
} order_row;

Test(compare, orders)
{
    static const order_row rows[] = {
        {"ocp", "e4m3", 0x38, 0x40, SF8_LESS, 0, 0, 1, 0},
        {"ocp", "e4m3", 0x38, 0xc0, SF8_GREATER, 0, 0, 0, 1},
        {"ocp", "e4m3", 0xb8, 0xc0, SF8_GREATER, 0, 0, 0, 1},
        {"ocp", "e4m3", 0x80, 0x00, SF8_EQUAL, 0, 0, 1, 0},
        {"ocp", "e4m3", 0x38, 0x38, SF8_EQUAL, 0, 0, 1, 1},
        {"ocp", "e4m3", 0x7e, 0x7f, SF8_UNORDERED, 0, NV, 1, 0},
        {"ocp", "e4m3", 0xff, 0xfe, SF8_UNORDERED, 0, NV, 1, 0},
        {"ocp", "e5m2", 0xfc, 0xfb, SF8_LESS, 0, 0, 1, 0},
        {"ocp", "e5m2", 0x7d, 0x3c, SF8_UNORDERED, NV, NV, 0, 1},
        {"ocp", "e5m2", 0x7d, 0x7e, SF8_UNORDERED, NV, NV, 1, 0},
        {"ocp", "e5m2", 0xfe, 0xfd, SF8_UNORDERED, NV, NV, 1, 0},
        {"riscv", "e5m2", 0x7d, 0x3c, SF8_UNORDERED, 0, NV, 0, 1},
        {"ocp", "e4m3fnuz", 0x80, 0xff, SF8_UNORDERED, 0, NV, 1, 0},
        {"ocp", "e4m3fnuz", 0x81, 0x00, SF8_LESS, 0, 0, 1, 0},
        {"p3109-satnone", "p3109_k8p4se", 0x80, 0xff, SF8_UNORDERED, 0, NV, 1, 0},
        {"p3109-satnone", "p3109_k8p4uf", 0xff, 0x00, SF8_UNORDERED, 0, NV, 1, 0},
        {"ocp", "p3109_k8p4uf", 0xff, 0x00, SF8_UNORDERED, 0, NV, 0, 1},
        {"p3109-satnone", "e5m2", 0x7f, 0xfc, SF8_UNORDERED, 0, NV, 1, 0},
        {"ocp", "e8m0", 0x00, 0x01, SF8_LESS, 0, 0, 1, 0},
        {"ocp", "e2m1", 0x0f, 0x07, SF8_LESS, 0, 0, 1, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const order_row *x = &rows[i];
        sf8_format f = format_of(x->format);
        sf8_policy policy = policy_of(x->policy_name);
        uint32_t flags = ~0u, signaling = ~0u;
        EXPECT(sf8_compare(f, x->a, x->b, policy, &flags) == x->order, "row %zu", i);
        EXPECT(sf8_compare_signaling(f, x->a, x->b, policy, &signaling) == x->order, "row %zu", i);
        EXPECT(sf8_compare(f, x->a, x->b, policy, NULL) == x->order, "row %zu", i);
        EXPECT(flags == x->flags && signaling == x->flags_signaling, "row %zu: flags", i);
        EXPECT(sf8_total_order(f, x->a, x->b, policy) == x->total, "row %zu: total", i);
        EXPECT(sf8_total_order(f, x->b, x->a, policy) == x->total_reversed, "row %zu: total", i);
    }
    cr_expect(sf8_e4m3_eq(0x00, 0x80) && !sf8_e4m3_eq(0x7f, 0x7f) && sf8_e4m3_lt(0xb8, 0x00));
    cr_expect(sf8_e4m3_le(0x38, 0x38) && !sf8_e4m3_le(0x7f, 0x38) && !sf8_e4m3_lt(0x38, 0x38));
    cr_expect(sf8_e4m3_compare(0x38, 0xff) == SF8_UNORDERED && sf8_e4m3_total_order(0x80, 0x00));
}

Test(compare, classes)
{
    static const struct {
        const char *format;
        uint64_t code;
        int32_t class;
    } rows[] = {
        {"e5m2", 0x7d, SF8_CLASS_SIGNALING_NAN}, {"e5m2", 0xfd, SF8_CLASS_SIGNALING_NAN},
        {"e5m2", 0x7e, SF8_CLASS_QUIET_NAN},     {"e5m2", 0xfc, SF8_CLASS_NEG_INFINITY},
        {"e5m2", 0x84, SF8_CLASS_NEG_NORMAL},    {"e5m2", 0x83, SF8_CLASS_NEG_SUBNORMAL},
        {"e5m2", 0x80, SF8_CLASS_NEG_ZERO},      {"e5m2", 0x00, SF8_CLASS_POS_ZERO},
        {"e5m2", 0x01, SF8_CLASS_POS_SUBNORMAL}, {"e5m2", 0x7b, SF8_CLASS_POS_NORMAL},
        {"e5m2", 0x7c, SF8_CLASS_POS_INFINITY},  {"e4m3", 0x7f, SF8_CLASS_QUIET_NAN},
        {"e4m3", 0x7e, SF8_CLASS_POS_NORMAL},    {"e4m3fnuz", 0x80, SF8_CLASS_QUIET_NAN},
        {"e8m0", 0x00, SF8_CLASS_POS_NORMAL},    {"e8m0", 0xff, SF8_CLASS_QUIET_NAN},
        {"e2m1", 0x09, SF8_CLASS_NEG_SUBNORMAL}, {"p3109_k8p1uf", 0x01, SF8_CLASS_POS_NORMAL},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        EXPECT(sf8_class(format_of(rows[i].format), rows[i].code, SF8_OCP) == rows[i].class,
               "%s %02" PRIx64, rows[i].format, rows[i].code);
    cr_expect(sf8_e5m2_class(0x7d) == SF8_CLASS_SIGNALING_NAN);
}

typedef struct to_integer_row {
    const char *policy_name, *format;
    uint64_t code;
    int32_t width, is_signed, exact;
    uint64_t out;
    uint32_t flags;
} to_integer_row;

/* IEEE 754-2019, 5.8; invalid ones: PTX ISA cvt, RISC-V F 11.7, the x86 integer indefinite. */
Test(compare, to_integer)
{
    static const to_integer_row rows[] = {
        {"ocp", "e4m3", 0x3c, 32, 1, 0, 2, 0},
        {"ocp", "e4m3", 0x3c, 32, 1, 1, 2, NX},
        {"ocp", "e4m3", 0xc2, 32, 1, 0, 0xfffffffe, 0}, /* -2.5 */
        {"ocp round=rna", "e4m3", 0xc2, 32, 1, 0, 0xfffffffd, 0},
        {"ocp round=rnz", "e4m3", 0xbc, 32, 1, 1, 0xffffffff, NX}, /* -1.5 */
        {"ocp round=rz", "e4m3", 0xbc, 8, 1, 1, 0xff, NX},
        {"ocp round=ru", "e4m3", 0x01, 8, 0, 1, 1, NX},
        {"ocp round=rd", "e4m3", 0x81, 8, 1, 0, 0xff, 0},
        {"ocp", "e4m3", 0xa8, 8, 0, 1, 0, NX},    /* -0.25 */
        {"ocp", "e4m3", 0xb8, 8, 0, 1, 0, NV},    /* -1 */
        {"ocp", "e4m3", 0x7e, 8, 1, 1, 0x7f, NV}, /* 448 */
        {"ocp", "e4m3", 0x70, 8, 1, 0, 0x7f, NV}, /* 128 */
        {"ocp", "e4m3", 0xf0, 8, 1, 0, 0x80, 0},  /* -128 */
        {"ocp", "e4m3", 0xfe, 8, 1, 0, 0x80, NV},
        {"ocp", "e5m2", 0x7c, 64, 0, 0, 0xffffffffffffffff, NV},
        {"ocp", "e5m2", 0xfc, 64, 1, 0, 0x8000000000000000, NV},
        {"ocp", "e4m3", 0x7f, 32, 1, 0, 0, NV},
        {"riscv", "e4m3", 0xff, 32, 1, 0, 0x7fffffff, NV},
        {"riscv", "e4m3", 0x7f, 64, 0, 0, 0xffffffffffffffff, NV},
        {"ocp integer=indefinite", "e4m3", 0x7f, 32, 0, 0, 0xffffffff, NV},
        {"ocp integer=indefinite", "e5m2", 0x7b, 16, 1, 0, 0x8000, NV},
        {"ptx", "e4m3", 0x7f, 32, 1, 0, 0, NV},
        {"ptx", "e4m3", 0x7f, 64, 1, 0, 0x8000000000000000, NV},
        {"ptx", "e4m3", 0x7f, 64, 0, 0, 0x8000000000000000, NV},
        {"ptx", "f64", 0x7ff8000000000000, 64, 1, 0, 0x8000000000000000, NV},
        {"ptx", "f64", 0xfff0000000000001, 32, 1, 0, 0x80000000, NV},
        {"ptx", "f64", 0x7ff8000000000000, 32, 0, 0, 0x80000000, NV},
        {"ptx", "f64", 0x7ff8000000000000, 8, 1, 0, 0x80, NV},
        {"ptx", "f64", 0x7ff0000000000000, 32, 1, 0, 0x7fffffff, NV},
        {"ptx", "f32", 0x7fc00000, 32, 1, 0, 0, NV},
        {"ocp", "e8m0", 0xbe, 64, 0, 0, 0x8000000000000000, 0},
        {"ocp", "e8m0", 0xbe, 64, 1, 0, 0x7fffffffffffffff, NV},
        {"ocp", "e8m0", 0xbf, 64, 0, 0, 0xffffffffffffffff, NV},
        {"ocp", "e8m0", 0x7e, 8, 0, 1, 0, NX}, /* 0.5, a tie */
        {"ocp", "e8m0", 0x00, 8, 0, 1, 0, NX},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const to_integer_row *x = &rows[i];
        sf8_result r = sf8_to_integer(format_of(x->format), x->code, x->width, x->is_signed,
                                      policy_of(x->policy_name), x->exact);
        EXPECT(r.code == x->out && r.flags == x->flags,
               "%s, %s %02" PRIx64 " to %d: %" PRIx64 " flags %x, not %" PRIx64 " flags %x",
               x->policy_name, x->format, x->code, x->width, r.code, r.flags, x->out, x->flags);
    }
    cr_expect(sf8_e4m3_to_i8(0xfe, SF8_OCP) == -128 && sf8_e4m3_to_u8(0x7e, SF8_OCP) == 255);
    cr_expect(sf8_e5m2_to_i32(0xfb, SF8_OCP) == -57344);
}

typedef struct from_integer_row {
    const char *policy_name, *format;
    int64_t in;
    uint64_t out;
    uint32_t flags;
} from_integer_row;

Test(compare, from_integer)
{
    static const from_integer_row rows[] = {
        {"ocp", "e4m3", 0, 0x00, 0},
        {"ocp", "e4m3", 17, 0x58, NX},
        {"ocp", "e4m3", 19, 0x5a, NX},
        {"ocp", "e4m3", -448, 0xfe, 0},
        {"ocp", "e4m3", 464, 0x7e, NX},
        {"ocp", "e4m3", 465, 0x7e, OF | NX},
        {"ocp-nosat", "e5m2", 61440, 0x7c, OF | NX},
        {"ocp-nosat", "e5m2", -61439, 0xfb, NX},
        {"ocp", "ue4m3", -1, 0x00, NV},
        {"ocp", "e8m0", 0, 0x00, UF | NX},
        {"ocp", "e8m0", INT64_MAX, 0xbe, NX},
        {"ocp negative=abs", "e8m0", INT64_MIN, 0xbe, 0},
        {"ocp round=ru", "e2m1", -5, 0x0e, NX},
        /* 3 * 2^40 - 1 lies below the tie of 2^41 and 2^42; through f32 it would become it. */
        {"ml_dtypes", "e8m0", INT64_C(3298534883327), 0xa8, NX},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_result r = sf8_from_i64(format_of(rows[i].format), rows[i].in,
                                    policy_of(rows[i].policy_name));
        EXPECT(r.code == rows[i].out && r.flags == rows[i].flags,
               "%s, %" PRId64 " to %s: %02" PRIx64 " flags %x, not %02" PRIx64 " flags %x",
               rows[i].policy_name, rows[i].in, rows[i].format, r.code, r.flags, rows[i].out,
               rows[i].flags);
    }
    sf8_result r = sf8_from_u64(SF8_E8M0, UINT64_MAX, SF8_OCP);
    cr_expect(r.code == 0xbf && r.flags == NX);
    cr_expect(sf8_u64_to_e5m2(UINT64_MAX, SF8_OCP) == 0x7b);
    cr_expect(sf8_i8_to_e4m3(-128, SF8_OCP) == 0xf0);
}
