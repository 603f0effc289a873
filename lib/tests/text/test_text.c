/* SPDX-License-Identifier: MIT */
/* test_text.c -- values as text: literals, all codes of small formats, and strtod
 *
 * Literal vectors come from exact fractions (Python's fractions.Fraction: the decimal text, the
 * value of the code by the definition in docs/spec/formats.md, and the midpoints to its
 * neighbours).
 */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softfp8.h"
#include "softfp8/number/convert.h"

static sf8_format named(const char *name)
{
    sf8_status status;
    sf8_format f = sf8_format_named(name, &status);
    cr_assert_eq(status, SF8_OK, "%s", name);
    return f;
}

static sf8_result read_text(sf8_format f, const char *text, sf8_policy policy)
{
    sf8_result r = {0, 0};
    size_t error = 0;
    sf8_status status = sf8_from_text(f, text, policy, &r, &error);
    cr_assert_eq(status, SF8_OK, "%.60s: bad at %zu", text, error);
    return r;
}

static sf8_policy rounding(unsigned round)
{
    sf8_policy policy = SF8_OCP_NOSAT;
    policy.round = round & SF8_ROUND_MASK;
    return policy;
}

/* ---- literals -------------------------------------------------------------------------------- */

typedef struct written {
    const char *format;
    uint64_t code;
    const char *shortest;
    const char *exact;
    const char *hex;
} written;

static const written WRITTEN[] = {
    {"e4m3", 0x7e, "450", "448", "0x1.cp+8"}, /* 450 is in [432, 464], 440 farther, no N00 in it */
    {"e4m3", 0x01, "0.002", "0.001953125", "0x1p-9"},
    {"e4m3", 0x07, "0.014", "0.013671875", "0x1.cp-7"},
    {"e4m3", 0x3c, "1.5", "1.5", "0x1.8p+0"},
    {"e4m3", 0x00, "0", "0", "0x0p+0"},
    {"e4m3", 0x80, "-0", "-0", "-0x0p+0"},
    {"e4m3", 0x7f, "nan", "nan", "nan"},
    {"e4m3", 0xff, "-nan", "-nan", "-nan"},
    {"e5m2", 0x7b, "60000", "57344", "0x1.cp+15"}, /* 60000 is in (53248, 61440) */
    {"e5m2", 0x01, "0.00002", "0.0000152587890625", "0x1p-16"},
    {"e5m2", 0x7c, "inf", "inf", "inf"},
    {"e5m2", 0xfc, "-inf", "-inf", "-inf"},
    {"e5m2", 0x7d, "nan", "nan", "nan"},
    {"e5m2", 0xfe, "-nan", "-nan", "-nan"},
    {"e2m1", 0x07, "6", "6", "0x1.8p+2"},
    {"e2m1", 0x09, "-0.5", "-0.5", "-0x1p-1"},
    {"e2m3", 0x06, "0.8", "0.75", "0x1.8p-1"}, /* 0.7 is as near: the even digit */
    {"e3m4", 0x6f, "15.5", "15.5", "0x1.fp+3"},
    {"e4m3fnuz", 0x7f, "240", "240", "0x1.ep+7"},
    {"e4m3fnuz", 0x80, "nan", "nan", "nan"},
    {"e8m0", 0x00, "6e-39", NULL, "0x1p-127"},
    {"e8m0", 0x7f, "1", "1", "0x1p+0"},
    {"e8m0", 0x89, "1000", "1024", "0x1p+10"},
    {"e8m0", 0xfe, "2e38", "170141183460469231731687303715884105728", "0x1p+127"},
    {"e8m0", 0xff, "nan", "nan", "nan"},
    {"f16", 0x7bff, "65500", "65504", "0x1.ffcp+15"},
    {"f16", 0x0001, "6e-8", "0.000000059604644775390625", "0x1p-24"},
    {"bf16", 0x7f7f, "3.39e38", "338953138925153547590470800371487866880", "0x1.fep+127"},
    {"bf16", 0x4049, "3.14", "3.140625", "0x1.92p+1"},
    {"f32", 0x00000001, "1e-45", NULL, "0x1p-149"},
    {"f32", 0x7f7fffff, "3.4028235e38", "340282346638528859811704183484516925440",
     "0x1.fffffep+127"},
    {"f32", 0x7f000000, "1.7014118e38", "170141183460469231731687303715884105728", "0x1p+127"},
    {"f32", 0x3dcccccd, "0.1", "0.100000001490116119384765625", "0x1.99999ap-4"},
    {"f32", 0x33d6bf95, "1e-7", "1.0000000116860974230803549289703369140625e-7", "0x1.ad7f2ap-24"},
    {"f64", 0x3fb999999999999a, "0.1", NULL, "0x1.999999999999ap-4"},
    {"f64", 0x44b52d02c7e14af6, "1e23", "99999999999999991611392", "0x1.52d02c7e14af6p+76"},
    {"f64", 0x44b52d02c7e14af7, "1.0000000000000001e23", "100000000000000008388608",
     "0x1.52d02c7e14af7p+76"},
    /* 5.68434188608080148...: ..01 is nearer, but below the power of two and reads as its
     * predecessor; ..02 is as long. */
    {"f64", 0x3d30000000000000, "5.684341886080802e-14", "5.684341886080801486968994140625e-14",
     "0x1p-44"},
    {"f64", 0x4350000000000000, "18014398509481984", "18014398509481984", "0x1p+54"},
    {"f64", 0x43f0000000000000, "1.8446744073709552e19", "18446744073709551616", "0x1p+64"},
    {"f64", 0x3ee4f8b588e368f1, "0.00001", NULL, "0x1.4f8b588e368f1p-17"},
    {"f64", 0x3ee4f8b588e368f0, "9.999999999999999e-6", NULL, "0x1.4f8b588e368fp-17"},
    {"f64", 0x7fefffffffffffff, "1.7976931348623157e308", NULL, "0x1.fffffffffffffp+1023"},
    {"f64", 0x0010000000000000, "2.2250738585072014e-308", NULL, "0x1p-1022"},
    {"f64", 0x000fffffffffffff, "2.225073858507201e-308", NULL, "0x1.ffffffffffffep-1023"},
    {"f64", 0x8000000000000001, "-5e-324", NULL, "-0x1p-1074"},
};

Test(text, written_literals)
{
    for (size_t i = 0; i < sizeof WRITTEN / sizeof WRITTEN[0]; i++) {
        const written *w = &WRITTEN[i];
        const char *expected[] = {w->shortest, w->exact, w->hex};
        for (int style = 0; style < 3; style++) {
            char text[2000];
            size_t length = 0;
            sf8_status status = sf8_to_text(named(w->format), w->code, (sf8_text_style)style, text,
                                            sizeof text, &length);
            cr_assert_eq(status, SF8_OK);
            cr_expect_eq(length, strlen(text));
            if (expected[style])
                cr_expect_str_eq(text, expected[style], "%s %" PRIx64 ": %s, not %s", w->format,
                                 w->code, text, expected[style]);
        }
    }
}

typedef struct reading {
    const char *format;
    const char *text;
    unsigned round;
    uint64_t code;
    uint32_t flags;
} reading;

static const reading READ[] = {
    {"f64", "2.2250738585072011e-308", SF8_RNE, 0x000fffffffffffff, 3},
    {"f64", "2.2250738585072014e-308", SF8_RNE, 0x0010000000000000, 1},
    {"f64", "9007199254740993", SF8_RNE, 0x4340000000000000, 1},
    {"f64", "9007199254740993", SF8_RNA, 0x4340000000000001, 1},
    {"f64", "9007199254740995", SF8_RNZ, 0x4340000000000001, 1},
    {"f64", "9007199254740995.00000000000000000001", SF8_RNZ, 0x4340000000000002, 1},
    {"f64", "9007199254740993.0000000000000000000000000000000001", SF8_RNE, 0x4340000000000001, 1},
    {"f64", "9007199254740995", SF8_RNE, 0x4340000000000002, 1},
    {"f64", "5e-324", SF8_RNE, 1, 3},
    /* half of the smallest is 2.47032822920623272088284396434110686182...e-324 */
    {"f64", "2.4703282292062327208e-324", SF8_RNE, 0, 3},
    {"f64", "2.4703282292062327209e-324", SF8_RNE, 1, 3},
    {"f64", "0x1p-1075", SF8_RNE, 0, 3},
    {"f64", "0x1p-1075", SF8_RNA, 1, 3},
    {"f64", "0x1.0000000000000000000000000000000000001p-1075", SF8_RNE, 1, 3},
    {"f64", "1.7976931348623157e308", SF8_RNE, 0x7fefffffffffffff, 1},
    {"f64", "1.7976931348623158e308", SF8_RNE, 0x7fefffffffffffff, 1},
    {"f64", "1.7976931348623159e308", SF8_RNE, 0x7ff0000000000000, 5},
    {"f64", "1.7976931348623159e308", SF8_RZ, 0x7fefffffffffffff, 1},
    {"f64", "1e400", SF8_RNE, 0x7ff0000000000000, 5},
    {"f64", "-1e400", SF8_RU, 0xffefffffffffffff, 5},
    {"f64", "1e-400", SF8_RNE, 0, 3},
    {"f64", "1e-400", SF8_RU, 1, 3},
    {"f64", "-1e-400", SF8_RD, 0x8000000000000001, 3},
    {"f64", "-1e-400", SF8_RZ, 0x8000000000000000, 3},
    {"f64", "1e99999999999999999999999999", SF8_RNE, 0x7ff0000000000000, 5},
    {"f64", "1e-99999999999999999999999999", SF8_RO, 1, 3},
    {"f64", "0e99999999999999999999999999", SF8_RNE, 0, 0},
    {"f64", "-0.000", SF8_RNE, 0x8000000000000000, 0},
    {"f64", "1e23", SF8_RNE, 0x44b52d02c7e14af6, 1},
    {"f64", "1e23", SF8_RU, 0x44b52d02c7e14af7, 1},
    {"f64", "6.02214076E+23", SF8_RNE, 0x44dfe185ca57c517, 1},
    {"f64", "+.5", SF8_RNE, 0x3fe0000000000000, 0},
    {"f64", "5.", SF8_RNE, 0x4014000000000000, 0},
    {"f64", "0X1.8P-3", SF8_RNE, 0x3fc8000000000000, 0},
    {"f64", "0x200000000000010000800000000000", SF8_RNE, 0x4740000000000001, 1},
    {"f64", "0x200000000000010000000000000000", SF8_RNE, 0x4740000000000000, 1},
    {"f64", "0xABC", SF8_RNE, 0x40a5780000000000, 0},
    {"f64", "0x.00000000000000000000000000000001p128", SF8_RNE, 0x3ff0000000000000, 0},
    {"f64", "0x1p-1074", SF8_RNE, 1, 0},
    {"f64", "-INF", SF8_RNE, 0xfff0000000000000, 0},
    {"f64", "Infinity", SF8_RNE, 0x7ff0000000000000, 0},
    {"f64", "NaN", SF8_RNE, 0x7ff8000000000000, 0},
    {"f64", "-nan", SF8_RNE, 0x7ff8000000000000, 0},
    {"e4m3", "448", SF8_RNE, 0x7e, 0},
    {"e4m3", "464", SF8_RNE, 0x7e, 1}, /* a tie: even */
    {"e4m3", "464.00000000000000000000000000000000000000000000000001", SF8_RNE, 0x7f, 5},
    {"e4m3", "432", SF8_RNE, 0x7e, 1},
    {"e4m3", "431.99999999999999999999999999999999999999999999999999", SF8_RNE, 0x7d, 1},
    {"e4m3", "0.0009765625", SF8_RNE, 0x00, 3},
    {"e4m3", "0.00097656250000000000000000000000000000001", SF8_RNE, 0x01, 3},
    {"e4m3", "inf", SF8_RNE, 0x7f, 16},
    {"e4m3fnuz", "-0", SF8_RNE, 0x00, 0},
    {"e4m3fnuz", "-nan", SF8_RNE, 0x80, 0},
    {"e8m0", "-1", SF8_RNE, 0x00, 16},
    {"e8m0", "0", SF8_RNE, 0x00, 3},
    {"e8m0", "3", SF8_RNE, 0x80, 1}, /* a tie of 2 and 4: the even code */
    {"e8m0", "6", SF8_RNE, 0x82, 1},
    {"ue4m3", "-0", SF8_RNE, 0x00, 0},
};

Test(text, read_literals)
{
    for (size_t i = 0; i < sizeof READ / sizeof READ[0]; i++) {
        const reading *x = &READ[i];
        sf8_result r = read_text(named(x->format), x->text, rounding(x->round));
        cr_expect(r.code == x->code && r.flags == x->flags, "%s %s: %" PRIx64 " flags %x",
                  x->format, x->text, r.code, r.flags);
    }
}

Test(text, policies)
{
    sf8_policy policy = SF8_OCP;
    cr_expect_eq(read_text(SF8_E4M3, "1e9", policy).code, 0x7e);
    cr_expect_eq(read_text(SF8_E4M3, "-inf", policy).code, 0xfe);
    cr_expect_eq(read_text(SF8_E2M1, "nan", policy).flags, SF8_INVALID);
    policy.nan_sign = SF8_NAN_SIGNED;
    cr_expect_eq(read_text(SF8_E4M3, "-nan", policy).code, 0xff);
    cr_expect_eq(read_text(SF8_F32, "-NAN", policy).code, 0xffc00000);
    policy.negative = SF8_NEG_ABS;
    cr_expect_eq(read_text(SF8_UE4M3, "-1.5", policy).code, 0x3c);
}

/* The offset is the length of the longest beginning that a number could have. */
Test(text, bad_input)
{
    static const struct {
        const char *text;
        size_t error;
    } BAD[] = {
        {"", 0},          {" 1", 0},        {"1 ", 1},        {"+", 1},         {"-", 1},
        {"+-1", 1},       {"--1", 1},       {".", 1},         {"..", 1},        {"-.e5", 2},
        {"1.2.3", 3},     {"e5", 0},        {"1e", 2},        {"1e+", 3},       {"1e+-5", 3},
        {"1e5.", 3},      {"1e5e5", 3},     {"1p5", 1},       {"1,5", 1},       {"1_000", 1},
        {"0x", 2},        {"0x.", 3},       {"0x.p1", 3},     {"0xg", 2},       {"0x1p", 4},
        {"0x1p+", 5},     {"0x1.8p-", 7},   {"0x1.8p-3x", 8}, {"0x1pa", 4},     {"00x1", 2},
        {"x1", 0},        {"i", 1},         {"in", 2},        {"infi", 4},      {"infinit", 7},
        {"infx", 3},      {"infinityx", 8}, {"inf ", 3},      {"n", 1},         {"na", 2},
        {"nax", 2},       {"nan(1)", 3},    {"nanx", 3},      {"-infini7y", 7}, {"1f", 1},
        {"0x1.8p3.5", 7}, {"1e5\n", 3},     {"\t1", 0},       {"1\xff", 1},     {"\xe9", 0},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        sf8_result r = {77, 88};
        size_t error = 999;
        sf8_status status = sf8_from_text(SF8_F64, BAD[i].text, SF8_OCP, &r, &error);
        cr_expect_eq(status, SF8_BAD_TEXT, "%s", BAD[i].text);
        cr_expect_eq(error, BAD[i].error, "%s: %zu", BAD[i].text, error);
        cr_expect(r.code == 77 && r.flags == 88);
        cr_expect_eq(sf8_from_text(SF8_F64, BAD[i].text, SF8_OCP, &r, NULL), SF8_BAD_TEXT);
    }
}

Test(text, bad_format)
{
    sf8_format f = SF8_E4M3;
    f.exp_bits = 12;
    char text[SF8_TEXT_SIZE];
    sf8_result r;
    cr_expect_eq(sf8_from_text(f, "1", SF8_OCP, &r, NULL), SF8_BAD_FORMAT);
    cr_expect_eq(sf8_to_text(f, 1, SF8_TEXT_SHORTEST, text, sizeof text, NULL), SF8_BAD_FORMAT);
}

Test(text, room)
{
    static const struct {
        uint64_t code;
        sf8_text_style style;
    } CASES[] = {{0x80000001, SF8_TEXT_SHORTEST}, {0x80000001, SF8_TEXT_EXACT},
                 {0x80000001, SF8_TEXT_HEX},      {0x3dcccccd, SF8_TEXT_EXACT},
                 {0xff800000, SF8_TEXT_EXACT},    {0, SF8_TEXT_SHORTEST}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char whole[SF8_TEXT_SIZE], text[SF8_TEXT_SIZE];
        size_t length;
        cr_assert_eq(sf8_to_text(SF8_F32, CASES[i].code, CASES[i].style, whole, sizeof whole, NULL),
                     SF8_OK);
        for (size_t size = 0; size <= strlen(whole) + 1; size++) {
            memset(text, '#', sizeof text);
            sf8_status status = sf8_to_text(SF8_F32, CASES[i].code, CASES[i].style, text, size,
                                            &length);
            cr_expect_eq(status, size <= strlen(whole) ? SF8_NO_ROOM : SF8_OK);
            size_t used = status == SF8_OK ? size : 0;
            cr_expect(used == 0 || strcmp(text, whole) == 0);
            for (size_t j = used; j < sizeof text; j++)
                cr_assert_eq(text[j], '#');
        }
        cr_expect_eq(length, strlen(whole));
    }
    uint64_t longest = 0x000fffffffffffff; /* 767 digits, the most of f64 */
    char text[1100];
    size_t n;
    cr_expect_eq(sf8_to_text(SF8_F64, longest, SF8_TEXT_EXACT, text, 773, &n), SF8_NO_ROOM);
    cr_expect_eq(sf8_to_text(SF8_F64, longest, SF8_TEXT_EXACT, text, 774, &n), SF8_OK);
    cr_expect_eq(n, 767 + strlen(".e-308"));
}

/* ---- strtod ---------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* One of several shapes; those near the midpoint of two neighbours need long double to hold it. */
static void random_text(char *text, size_t size, uint64_t *state)
{
    uint64_t a = next_random(state), b = next_random(state);
    double x = sf8_f64_from_bits(a);
    if (x != x || x - x != 0)
        x = 1;
    double next = sf8_f64_from_bits(sf8_f64_bits(x) + 1);
    long double middle = x + ((long double)next - x) / 2;
    switch (b % 8) {
    case 0:
        snprintf(text, size, "%.*e", (int)(b >> 8) % 20, x);
        break;
    case 1:
        snprintf(text, size, "%" PRIu64 "e%d", a >> (b >> 8) % 64, (int)((b >> 16) % 640) - 340);
        break;
    case 2:
        snprintf(text, size, "%" PRIu64 ".%" PRIu64 "E%d", a, b, (int)((b >> 16) % 60) - 30);
        break;
    case 3:
        snprintf(text, size, "%.*Le", 15 + (int)(b >> 8) % 800, middle);
        break;
    case 4:
        snprintf(text, size, "%La", middle);
        break;
    case 5:
        snprintf(text, size, "0x%" PRIx64 ".%" PRIx64 "p%d", a, b, (int)((b >> 16) % 2300) - 1200);
        break;
    case 6:
        snprintf(text, size, "%.*f", (int)(b >> 8) % 40, sf8_f64_from_bits(a >> 2 | a >> 63 << 63));
        break;
    default: /* a short decimal of few bits: exact, or just not */
        snprintf(text, size, "%s%d.%d", a >> 63 ? "-" : "", (int)(a % 1000), (int)(b % 10000));
        break;
    }
}

Test(text, as_strtod)
{
    uint64_t state = 20240607;
    for (int i = 0; i < 400000; i++) {
        char text[1200];
        random_text(text, sizeof text, &state);
        uint64_t code = read_text(SF8_F64, text, SF8_OCP_NOSAT).code;
        cr_assert_eq(code, sf8_f64_bits(strtod(text, NULL)), "%s: %" PRIx64, text, code);
        code = read_text(SF8_F32, text, SF8_OCP_NOSAT).code;
        cr_assert_eq(code, sf8_f32_bits(strtof(text, NULL)), "%s: %" PRIx64, text, code);
    }
}
