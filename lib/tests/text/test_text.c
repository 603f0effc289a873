/* SPDX-License-Identifier: MIT */
/* test_text.c -- values as text: literals, all codes of small formats, and strtod
 *
 * The literals are in written.txt and read.txt.
 */
#include "softfp8/number/convert.h"
#include "table.h"

static sf8_result read_text(sf8_format f, const char *text, sf8_policy policy)
{
    sf8_result r = {0, 0};
    size_t error = 0;
    sf8_status status = sf8_from_text(f, text, policy, &r, &error);
    cr_assert_eq(status, SF8_OK, "%.60s: bad at %zu", text, error);
    return r;
}

/* ---- literals -------------------------------------------------------------------------------- */

Test(text, written_literals)
{
    table known = table_read("text/written.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        for (size_t style = 0; style < 3; style++) {
            char text[2000];
            size_t length = 0;
            cr_assert(sf8_to_text(format_of(x->word[0]), table_hex(x, 1), (sf8_text_style)style,
                                  text, sizeof text, &length) == SF8_OK);
            cr_expect_eq(length, strlen(text));
            EXPECT(strcmp(x->word[2 + style], "?") == 0 || strcmp(x->word[2 + style], text) == 0,
                   "%s %s: %s, not %s", x->word[0], x->word[1], text, x->word[2 + style]);
        }
    }
    cr_expect(known.count == 46, "%zu", known.count);
    table_free(&known);
}

Test(text, read_literals)
{
    table known = table_read("text/read.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        sf8_policy policy = SF8_OCP_NOSAT;
        cr_assert(sf8_policy_set(&policy, "round", x->word[2]) == SF8_OK);
        sf8_result r = read_text(format_of(x->word[0]), x->word[1], policy);
        EXPECT(r.code == table_hex(x, 3) && r.flags == table_hex(x, 4),
               "%s %s: %" PRIx64 " flags %x", x->word[0], x->word[1], r.code, r.flags);
    }
    cr_expect(known.count == 58, "%zu", known.count);
    table_free(&known);
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
