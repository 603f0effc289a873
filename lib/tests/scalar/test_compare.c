/* SPDX-License-Identifier: MIT */
/* test_compare.c -- order, signs and classes, after IEEE 754-2019; integers */
#include "table.h"

Test(compare, signs)
{
    table known = table_read("scalar/signs.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        sf8_format f = format_of(x->word[0]);
        EXPECT(sf8_abs(f, table_hex(x, 1)) == table_hex(x, 3), "abs %zu", i);
        EXPECT(sf8_copy_sign(f, table_hex(x, 1), table_hex(x, 2)) == table_hex(x, 4),
               "copy_sign %zu", i);
    }
    cr_expect(known.count == 12, "%zu", known.count);
    table_free(&known);
}

static int32_t order_named(const char *name)
{
    return strcmp(name, "less") == 0      ? SF8_LESS
           : strcmp(name, "equal") == 0   ? SF8_EQUAL
           : strcmp(name, "greater") == 0 ? SF8_GREATER
                                          : SF8_UNORDERED;
}

Test(compare, orders)
{
    table known = table_read("scalar/orders.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        sf8_format f = format_of(x->word[0]);
        sf8_policy policy = policy_of(table_rest(x, 8));
        uint64_t a = table_hex(x, 1), b = table_hex(x, 2);
        int32_t order = order_named(x->word[3]);
        uint32_t flags = ~0u, signaling = ~0u;
        EXPECT(sf8_compare(f, a, b, policy, &flags) == order, "row %zu", i);
        EXPECT(sf8_compare_signaling(f, a, b, policy, &signaling) == order, "row %zu", i);
        EXPECT(sf8_compare(f, a, b, policy, NULL) == order, "row %zu", i);
        EXPECT(flags == (uint32_t)table_flags(x->word[4]) &&
                   signaling == (uint32_t)table_flags(x->word[5]),
               "row %zu: flags", i);
        EXPECT(sf8_total_order(f, a, b, policy) == (int32_t)table_hex(x, 6), "row %zu: total", i);
        EXPECT(sf8_total_order(f, b, a, policy) == (int32_t)table_hex(x, 7), "row %zu: total", i);
    }
    cr_expect(known.count == 20, "%zu", known.count);
    table_free(&known);
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

Test(compare, to_integer)
{
    table known = table_read("scalar/to_integer.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        int32_t width = (int32_t)strtol(x->word[2], NULL, 10);
        sf8_result r = sf8_to_integer(format_of(x->word[0]), table_hex(x, 1), width,
                                      (int32_t)table_hex(x, 3), policy_of(table_rest(x, 7)),
                                      (int32_t)table_hex(x, 4));
        EXPECT(r.code == table_hex(x, 5) && r.flags == (uint32_t)table_flags(x->word[6]),
               "%s, %s %s to %d: %" PRIx64 " flags %x, not %s flags %s", table_rest(x, 7),
               x->word[0], x->word[1], width, r.code, r.flags, x->word[5], x->word[6]);
    }
    cr_expect(known.count == 35, "%zu", known.count);
    table_free(&known);
    cr_expect(sf8_e4m3_to_i8(0xfe, SF8_OCP) == -128 && sf8_e4m3_to_u8(0x7e, SF8_OCP) == 255);
    cr_expect(sf8_e5m2_to_i32(0xfb, SF8_OCP) == -57344);
}

Test(compare, from_integer)
{
    table known = table_read("scalar/from_integer.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        int64_t in = strtoll(x->word[1], NULL, 10);
        sf8_result r = sf8_from_i64(format_of(x->word[0]), in, policy_of(table_rest(x, 4)));
        EXPECT(r.code == table_hex(x, 2) && r.flags == (uint32_t)table_flags(x->word[3]),
               "%s, %s to %s: %02" PRIx64 " flags %x, not %s flags %s", table_rest(x, 4),
               x->word[1], x->word[0], r.code, r.flags, x->word[2], x->word[3]);
    }
    cr_expect(known.count == 14, "%zu", known.count);
    table_free(&known);
    sf8_result r = sf8_from_u64(SF8_E8M0, UINT64_MAX, SF8_OCP);
    cr_expect(r.code == 0xbf && r.flags == NX);
    cr_expect(sf8_u64_to_e5m2(UINT64_MAX, SF8_OCP) == 0x7b);
    cr_expect(sf8_i8_to_e4m3(-128, SF8_OCP) == 0xf0);
}
