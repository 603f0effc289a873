/* SPDX-License-Identifier: MIT */
/* test_policy_fields.c -- every value of every field of a policy is distinguished from another
 * value
 *
 * A row sets one field of a policy to a value and to another one. Both results are literals, so
 * that the test notices a field that is ignored, and a value that gives the same as another.
 */
#include "check.h"

typedef struct field_row {
    const char *field;
    const char *value, *neighbour;
    const char *policy_name; /* what else is set */
    const char *op;          /* "convert", or what operation() knows */
    const char *to, *from;
    uint64_t in;
    uint32_t random;
    uint64_t out;
    uint32_t flags;
    uint64_t other; /* under `neighbour` */
    uint32_t other_flags;
} field_row;

#define CONVERT(to, from, in) "convert", to, from, in, 0
#define RANDOM(to, from, in, random) "convert", to, from, in, random
#define OP(op, format, in) op, format, format, in, 0

/* clang-format off */
static const field_row rows[] = {
    {"round", "rne", "rna", "ocp", CONVERT("e4m3", "f32", 0x3f880000), 0x38, NX, 0x39, NX},
    {"round", "rna", "ru", "ocp", CONVERT("e4m3", "f32", 0x3f840000), 0x38, NX, 0x39, NX},
    {"round", "rz", "rne", "ocp", CONVERT("e4m3", "f32", 0x3f8c0000), 0x38, NX, 0x39, NX},
    {"round", "ru", "ro", "ocp", CONVERT("e4m3", "f32", 0x3f980000), 0x3a, NX, 0x39, NX},
    {"round", "rd", "rz", "ocp", CONVERT("e4m3", "f32", 0xbf840000), 0xb9, NX, 0xb8, NX},
    {"round", "ro", "rna", "ocp", CONVERT("e4m3", "f32", 0x3f840000), 0x39, NX, 0x38, NX},
    {"round", "rnz", "rne", "ocp", CONVERT("e4m3", "f32", 0x3f980000), 0x39, NX, 0x3a, NX},
    {"round", "sr", "ro", "ocp", RANDOM("e4m3", "f32", 0x3f8c0000, 0), 0x38, NX, 0x39, NX},
    {"sr_rule", "a", "b", "ocp round=sr sr_bits=1",
     RANDOM("e4m3", "f32", 0x3f860000, 1), 0x38, NX, 0x39, NX},
    {"sr_rule", "b", "c", "ocp round=sr sr_bits=2",
     RANDOM("e4m3", "f32", 0x3f820000, 3), 0x39, NX, 0x38, NX},
    {"sr_rule", "c", "a", "ocp round=sr sr_bits=1",
     RANDOM("e4m3", "f32", 0x3f860000, 1), 0x39, NX, 0x38, NX},
    {"sr_bits", "1", "2", "ocp round=sr",
     RANDOM("e4m3", "f32", 0x3f840000, 3), 0x38, NX, 0x39, NX},
    {"sr_bits", "8", "16", "ocp round=sr",
     RANDOM("e4m3", "f32", 0x3f800010, 0xffff), 0x38, NX, 0x39, NX},
    {"sr_bits", "16", "32", "ocp round=sr",
     RANDOM("e4m3", "f32", 0x3f800008, 0xffffffff), 0x38, NX, 0x39, NX},
    {"sr_bits", "32", "31", "ocp round=sr",
     RANDOM("e4m3", "f64", 0x3ff0000000020000, 0xffffffff), 0x39, NX, 0x38, NX},
    {"overflow", "max", "special", "ocp", CONVERT("e4m3", "f32", 0x43e80001),
     0x7e, OF | NX, 0x7f, OF | NX},
    {"overflow", "special", "inf", "ocp", CONVERT("e4m3", "f32", 0x43e80001),
     0x7f, OF | NX, 0x7e, OF | NX},
    {"overflow", "inf", "max", "ocp", CONVERT("e5m2", "f32", 0x47700000),
     0x7c, OF | NX, 0x7b, OF | NX},
    {"overflow", "zero", "inf", "ocp", CONVERT("e2m1", "f32", 0xc2c80000),
     0x08, OF | NX, 0x0f, OF | NX},
    {"inf", "max", "special", "ocp", CONVERT("e5m2", "f32", 0x7f800000), 0x7b, NV, 0x7c, 0},
    {"inf", "special", "inf", "ocp", CONVERT("e4m3", "f32", 0x7f800000), 0x7f, NV, 0x7e, NV},
    {"inf", "inf", "max", "ocp", CONVERT("e5m2", "f32", 0xff800000), 0xfc, 0, 0xfb, NV},
    {"inf", "zero", "special", "ocp", CONVERT("e2m1", "f32", 0xff800000), 0x08, NV, 0x0f, NV},
    {"nan", "kept", "as-missing", "ocp", CONVERT("e4m3", "f32", 0x7fc00000), 0x7f, 0, 0x7e, NV},
    {"nan", "as-missing", "kept", "ocp missing_nan=zero", CONVERT("e5m2", "f32", 0x7fc00000),
     0x00, NV, 0x7e, 0},
    {"nan_code", "quiet", "payload", "ocp", CONVERT("e5m2", "f32", 0x7fe00000), 0x7e, 0, 0x7f, 0},
    {"nan_code", "ones", "quiet", "ocp", CONVERT("e5m2", "f32", 0x7fc00000), 0x7f, 0, 0x7e, 0},
    {"nan_code", "payload", "ones", "ocp", CONVERT("e5m2", "f32", 0x7fc00000), 0x7e, 0, 0x7f, 0},
    {"nan_code", "signaling", "payload", "ocp", CONVERT("e3m4", "f32", 0x7fc80000),
     0x71, 0, 0x79, 0},
    {"nan_sign", "positive", "signed", "ocp", CONVERT("e4m3", "f32", 0xffc00000), 0x7f, 0, 0xff, 0},
    {"nan_sign", "signed", "sign-bit", "ocp", CONVERT("f32", "e4m3fnuz", 0x80),
     0x7fc00000, 0, 0xffc00000, 0},
    {"nan_sign", "sign-bit", "positive", "ocp", CONVERT("f32", "e4m3", 0xff),
     0xffc00000, 0, 0x7fc00000, 0},
    {"made_nan_sign", "positive", "signed", "ocp-nosat", CONVERT("e4m3", "f32", 0xc3e80001),
     0x7f, OF | NX, 0xff, OF | NX},
    {"made_nan_sign", "signed", "positive", "ocp-nosat", CONVERT("e4m3", "f32", 0xff800000),
     0xff, NV, 0x7f, NV},
    {"missing_nan", "max", "signed-max", "ocp", CONVERT("e2m1", "f32", 0xffc00000),
     0x07, NV, 0x0f, NV},
    {"missing_nan", "signed-max", "max", "ocp", CONVERT("e2m3", "f32", 0xffc00000),
     0x3f, NV, 0x1f, NV},
    {"missing_nan", "zero", "signed-zero", "ocp", CONVERT("e2m1", "f32", 0xffc00000),
     0x00, NV, 0x08, NV},
    {"missing_nan", "signed-zero", "opposite-zero", "ocp", CONVERT("e2m1", "f32", 0xffc00000),
     0x08, NV, 0x00, NV},
    {"missing_nan", "opposite-zero", "zero", "ocp", CONVERT("e3m2", "f32", 0x7fc00000),
     0x20, NV, 0x00, NV},
    {"negative", "clamp", "abs", "ocp", CONVERT("ue4m3", "f32", 0xbf800000), 0x00, NV, 0x38, 0},
    {"negative", "abs", "nan", "ocp", CONVERT("ue4m3", "f32", 0xbf800000), 0x38, 0, 0x7f, NV},
    {"negative", "nan", "clamp", "ocp", CONVERT("e8m0", "f32", 0xbf800000), 0xff, NV, 0x00, NV},
    {"missing_zero", "min", "nan", "ocp", CONVERT("e8m0", "f32", 0x00000000),
     0x00, UF | NX, 0xff, NV},
    {"missing_zero", "nan", "nan-exact", "ocp", CONVERT("e8m0", "f32", 0x00000001),
     0xff, NV, 0x00, UF | NX},
    {"missing_zero", "nan-exact", "min", "ocp", CONVERT("e8m0", "f32", 0x00000000),
     0xff, NV, 0x00, UF | NX},
    {"tie_p1", "code", "away", "ocp", CONVERT("e8m0", "f32", 0x40400000), 0x80, NX, 0x81, NX},
    {"tie_p1", "away", "code", "ocp", CONVERT("p3109_k8p1uf", "f32", 0x3fc00000),
     0x81, NX, 0x80, NX},
    {"odd", "neighbour", "bounded", "ocp-nosat round=ro", CONVERT("e5m2", "f32", 0x7f7fffff),
     0x7c, OF | NX, 0x7b, OF | NX},
    {"odd", "bounded", "neighbour", "p3109-4.0-satnone round=ro",
     CONVERT("p3109_k8p4ue", "f32", 0x7f7fffff), 0xfd, OF | NX, 0xfe, OF | NX},
    {"early", "no", "yes", "ocp-nosat", CONVERT("e4m3", "f32", 0x43e08000),
     0x7e, NX, 0x7f, OF | NX},
    {"early", "yes", "no", "ocp-nosat", CONVERT("e5m2", "f32", 0x476fffff),
     0x7c, OF | NX, 0x7b, NX},
    {"flush", "none", "outputs", "ocp", CONVERT("e4m3", "f32", 0xbb000000),
     0x81, 0, 0x80, UF | NX},
    {"flush", "inputs", "none", "ocp", CONVERT("f32", "e4m3", 0x81), 0x80000000, 0, 0xbb000000, 0},
    {"flush", "outputs", "inputs", "ocp", CONVERT("e4m3", "f32", 0x3b000000),
     0x00, UF | NX, 0x01, 0},
    {"flush", "both", "outputs", "ocp", CONVERT("f32", "e4m3", 0x07), 0x00000000, 0, 0x3c600000, 0},
    {"flush", "both", "inputs", "ocp", CONVERT("e4m3", "f32", 0x3b000000), 0x00, UF | NX, 0x01, 0},
    {"tininess", "after", "before", "ocp", CONVERT("e4m3", "f32", 0x3c7fffff),
     0x08, NX, 0x08, UF | NX},
    {"tininess", "before", "after", "ocp", CONVERT("e5m2", "f32", 0x387fffff),
     0x04, UF | NX, 0x04, NX},
    {"quiet", "no", "yes", "ocp", CONVERT("f32", "e5m2", 0x7d), 0x7fc00000, NV, 0x7fc00000, 0},
    {"quiet", "yes", "no", "ocp", OP("class", "e5m2", 0xfd), SF8_CLASS_QUIET_NAN, 0,
     SF8_CLASS_SIGNALING_NAN, 0},
    {"inf_flags", "invalid", "none", "ocp", CONVERT("e4m3", "f32", 0x7f800000), 0x7e, NV, 0x7e, 0},
    {"inf_flags", "none", "inexact", "ocp", CONVERT("e4m3", "f32", 0x7f800000), 0x7e, 0, 0x7e, NX},
    {"inf_flags", "inexact", "overflow", "ocp", CONVERT("e4m3", "f32", 0x7f800000),
     0x7e, NX, 0x7e, OF | NX},
    {"inf_flags", "overflow", "invalid", "ocp", CONVERT("e4m3", "f32", 0x7f800000),
     0x7e, OF | NX, 0x7e, NV},
    {"nan_flags", "invalid", "none", "ocp", CONVERT("e2m1", "f32", 0x7fc00000), 0x07, NV, 0x07, 0},
    {"nan_flags", "none", "inexact", "ocp", CONVERT("e2m1", "f32", 0x7fc00000), 0x07, 0, 0x07, NX},
    {"nan_flags", "inexact", "overflow", "ocp", CONVERT("e2m1", "f32", 0x7fc00000),
     0x07, NX, 0x07, OF | NX},
    {"nan_flags", "overflow", "invalid", "ocp", CONVERT("e2m1", "f32", 0x7fc00000),
     0x07, OF | NX, 0x07, NV},
    {"integer", "zero", "max", "ocp", OP("to_i32", "e4m3", 0x7f), 0, NV, 0x7fffffff, NV},
    {"integer", "max", "indefinite", "ocp", OP("to_i32", "e4m3", 0xff),
     0x7fffffff, NV, 0x80000000, NV},
    {"integer", "indefinite", "ptx", "ocp", OP("to_i32", "e5m2", 0x7c),
     0x80000000, NV, 0x7fffffff, NV},
    {"integer", "ptx", "zero", "ocp", OP("to_u64", "e4m3", 0x7f), 0x8000000000000000, NV, 0, NV},
    {"dialect", "ieee", "p3109", "ocp", OP("1/x", "e4m3", 0x00), 0x7e, DZ, 0x7f, DZ},
    {"dialect", "p3109", "ieee", "ocp", OP("next_up", "p3109_k8p4se", 0x7f), 0x80, 0, 0x7f, 0},
    {"dialect", "p3109", "ieee", "ocp-nosat", CONVERT("f16", "f32", 0x80000000), 0x0000, 0, 0x8000, 0},
    {"nan_code", "bits", "payload", "ocp", CONVERT("e5m2", "f32", 0x7f800001), 0x7c, NV, 0x7e, NV},
    /* A NaN that an overflow makes, and that is replaced, has its sign once. */
    {"missing_nan", "max", "zero", "ocp-nosat nan=as-missing made_nan_sign=signed",
     CONVERT("e4m3", "f32", 0xc4160000), 0x7e, OF | NX, 0x00, OF | NX},
    {"missing_nan", "signed-max", "max", "ocp-nosat nan=as-missing made_nan_sign=signed",
     CONVERT("e4m3fnuz", "f32", 0xc4160000), 0xff, OF | NX, 0x7f, OF | NX},
    {"missing_nan", "zero", "max", "ocp carry=nan nan=as-missing",
     CONVERT("e4m3fnuz", "f32", 0x437a0000), 0x00, OF | NX, 0x7f, OF | NX},
    {"missing_nan", "opposite-zero", "zero", "ocp carry=nan nan=as-missing",
     CONVERT("e4m3", "f32", 0x43eb0000), 0x80, OF | NX, 0x00, OF | NX},
    {"missing_nan", "inf", "signed-max", "ocp nan=as-missing", CONVERT("e5m2", "f32", 0xffc00000),
     0xfc, NV, 0xfb, NV},
    /* 2^-10 and a little, which is a tie without it */
    {"via", "none", "f32", "ocp", CONVERT("e4m3", "f64", 0x3f50000000000001), 0x01, UF | NX,
     0x00, UF | NX},
    {"via", "f32", "none", "ocp", CONVERT("e4m3", "f64", 0x3f50000000000001), 0x00, UF | NX,
     0x01, UF | NX},
    /* 1 + 2^-4, which is a tie, and 2^-20, 2^-9, 2^-11 + 2^-40 */
    {"via", "f16", "f32", "ocp", CONVERT("e4m3", "f32", 0x3f880008), 0x38, NX, 0x39, NX},
    {"via", "bf16", "f16", "ocp", CONVERT("e4m3", "f32", 0x3f884000), 0x38, NX, 0x39, NX},
    {"via", "f32-f16", "f16", "ocp", CONVERT("e4m3", "f64", 0x3ff1020000001000), 0x38, NX,
     0x39, NX},
    {"carry", "overflow", "next", "ocp", CONVERT("e4m3", "f32", 0x43e80001), 0x7e, OF | NX,
     0x7f, OF | NX},
    {"carry", "next", "overflow", "ocp", CONVERT("e5m2", "f32", 0x47700000), 0x7c, OF | NX,
     0x7b, OF | NX},
    {"carry", "nan", "next", "ocp-nosat", CONVERT("e5m2", "f32", 0xc7700000), 0x7e, OF | NX,
     0xfc, OF | NX},
    {"band", "overflow", "next", "ocp-nosat", CONVERT("e5m2", "f32", 0x47a00000), 0x7c, OF | NX,
     0x7d, OF | NX},
    {"band", "next", "overflow", "ocp", CONVERT("e4m3", "f32", 0x43f00000), 0x7f, OF | NX,
     0x7e, OF | NX},
    {"band", "max", "overflow", "ocp-nosat", CONVERT("e4m3", "f32", 0xc3f08000), 0xfe, OF | NX,
     0x7f, OF | NX},
    {"band", "max", "next", "ocp-nosat", CONVERT("e5m2", "f32", 0x47a00000), 0x7c, OF | NX,
     0x7d, OF | NX},
    {"missing_nan", "neg-zero", "opposite-zero", "ocp", CONVERT("e2m1", "f32", 0xffc00000), 0x08, NV,
     0x00, NV},
    {"missing_zero", "nan-below", "nan", "ocp round=ru", CONVERT("e8m0", "f32", 0x00000001), 0xff, NV,
     0x00, UF | NX},
    {"negative", "nan-all", "nan", "ocp round=ru", CONVERT("e8m0", "f32", 0xbf800000), 0xff, NV,
     0x00, NV},
    {"early", "exponent", "no", "ocp", CONVERT("ue4m3", "f32", 0x43780000), 0x7e, OF | NX,
     0x78, NX},
    {"below_normal", "round", "stay", "ocp", CONVERT("e4m3", "f32", 0x3c7fffff), 0x08, NX,
     0x07, NX},
    {"below_normal", "stay", "round", "ocp", CONVERT("e4m3", "f32", 0x3c7fffff), 0x07, NX,
     0x08, NX},
    {"above_least", "nearest", "up", "ocp", CONVERT("e8m0", "f32", 0x00400001), 0x00, NX, 0x01, NX},
    {"above_least", "up", "nearest", "ocp", CONVERT("e8m0", "f32", 0x005fffff), 0x01, NX, 0x00, NX},
};
/* clang-format on */

static sf8_result operation(const field_row *row, sf8_policy policy)
{
    sf8_format to = format_of(row->to), from = format_of(row->from);
    if (strcmp(row->op, "to_i32") == 0)
        return sf8_to_integer(from, row->in, 32, 1, policy, 0);
    if (strcmp(row->op, "to_u64") == 0)
        return sf8_to_integer(from, row->in, 64, 0, policy, 0);
    if (strcmp(row->op, "1/x") == 0)
        return sf8_div(to, 0x38, row->in, policy);
    if (strcmp(row->op, "next_up") == 0)
        return sf8_next_up(to, row->in, policy);
    if (strcmp(row->op, "class") == 0)
        return (sf8_result){(uint64_t)sf8_class(to, row->in, policy), 0};
    return sf8_convert_sr(to, from, row->in, policy, row->random);
}

static void check_half(const field_row *row, const char *value, uint64_t code, uint32_t flags)
{
    sf8_policy policy = policy_of(row->policy_name);
    cr_assert(sf8_policy_set(&policy, row->field, value) == SF8_OK, "%s=%s", row->field, value);
    sf8_result r = operation(row, policy);
    EXPECT(r.code == code && r.flags == flags,
           "%s=%s, %s %" PRIx64 ": %" PRIx64 " flags %x, not %" PRIx64 " flags %x", row->field,
           value, row->op, row->in, r.code, r.flags, code, flags);
    if (strcmp(row->op, "convert") == 0 && policy.round != SF8_SR) {
        uint64_t alone = sf8_convert(format_of(row->to), format_of(row->from), row->in, policy);
        EXPECT(alone == code, "%s=%s, code %" PRIx64 " without flags", row->field, value, alone);
    }
}

Test(policy_fields, values)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        cr_assert(rows[i].out != rows[i].other || rows[i].flags != rows[i].other_flags,
                  "row %zu tells nothing", i);
        check_half(&rows[i], rows[i].value, rows[i].out, rows[i].flags);
        check_half(&rows[i], rows[i].neighbour, rows[i].other, rows[i].other_flags);
    }
}

static size_t rows_of(const char *field, const char *value, size_t length)
{
    size_t n = 0;
    for (size_t i = 0; i < COUNT(rows); i++)
        n += strcmp(rows[i].field, field) == 0 && strlen(rows[i].value) == length &&
             strncmp(rows[i].value, value, length) == 0;
    return n;
}

/* A value without a row would be a rule that nothing checks. */
Test(policy_fields, every_value_has_a_row)
{
    size_t values = 0;
    for (size_t i = 0; sf8_policy_field_at(i); i++) {
        const char *word = sf8_policy_field_values(i);
        if (*word == '\0')
            EXPECT(rows_of(sf8_policy_field_at(i), "32", 2) == 1, "%s", sf8_policy_field_at(i));
        while (*word) {
            size_t length = strcspn(word, " ");
            EXPECT(rows_of(sf8_policy_field_at(i), word, length) >= 1, "%s=%.*s has no row",
                   sf8_policy_field_at(i), (int)length, word);
            values++;
            word += length + (word[length] == ' ');
        }
    }
    cr_expect(values == 90, "%zu values", values);
}
