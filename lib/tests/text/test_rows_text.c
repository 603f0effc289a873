/* SPDX-License-Identifier: MIT */
/* test_rows_text.c -- formats and policies that are written by their fields
 *
 * The rows expected here are those of docs/spec/formats.md, and the conditions that it lists.
 */
#include "check.h"

static int same_format(sf8_format a, sf8_format b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

Test(rows_text, formats)
{
    static const struct {
        const char *text;
        int e, m, is_signed, nan, inf, zero, bias;
    } rows[] = {
        {"e=4 m=3 nan=top", 4, 3, 1, SF8_NANS_TOP, 0, 1, 7},                   /* e4m3 */
        {"e=5 m=2", 5, 2, 1, SF8_NANS_IEEE, 1, 1, 15},                         /* e5m2 */
        {"e=2 m=1 nan=none", 2, 1, 1, SF8_NANS_NONE, 0, 1, 1},                 /* e2m1 */
        {"e=8 m=0 signed=0 nan=top zero=0", 8, 0, 0, SF8_NANS_TOP, 0, 0, 127}, /* e8m0 */
        {"e=4 m=3 bias=8 nan=neg-zero", 4, 3, 1, SF8_NANS_NEG_ZERO, 0, 1, 8},  /* e4m3fnuz */
        {"e=11 m=52", 11, 52, 1, SF8_NANS_IEEE, 1, 1, 1023},                   /* f64 */
        {"m=3,e=4,nan=top", 4, 3, 1, SF8_NANS_TOP, 0, 1, 7},
        {"  e=4, m=3 ,nan=top,", 4, 3, 1, SF8_NANS_TOP, 0, 1, 7},
        {"e=4 m=0", 4, 0, 1, SF8_NANS_NONE, 0, 1, 7},
        {"e=4 m=0 nan=top inf=1", 4, 0, 1, SF8_NANS_TOP, 1, 1, 7},
        {"e=3 m=2 bias=-4 nan=none inf=1", 3, 2, 1, SF8_NANS_NONE, 1, 1, -4},
        {"e=4 m=3 bias=2048", 4, 3, 1, SF8_NANS_IEEE, 1, 1, 2048},
        {"e=4 m=3 bias=-2048", 4, 3, 1, SF8_NANS_IEEE, 1, 1, -2048},
        {"e4m3 bias=11", 4, 3, 1, SF8_NANS_TOP, 0, 1, 11},
        {"e4m3,signed=0", 4, 3, 0, SF8_NANS_TOP, 0, 1, 7},
        {"e5m2 m=3", 5, 3, 1, SF8_NANS_IEEE, 1, 1, 15},
        {"float8_e4m3fn nan=none", 4, 3, 1, SF8_NANS_NONE, 0, 1, 7},
        {"p3109_k8p4se inf=0", 4, 3, 1, SF8_NANS_NEG_ZERO, 0, 1, 8},
        {"e4m3", 4, 3, 1, SF8_NANS_TOP, 0, 1, 7},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_format f = SF8_F64, named, want;
        sf8_status status = SF8_BAD_TEXT;
        size_t at = 77;
        want = sf8_format_row(rows[i].e, rows[i].m, rows[i].is_signed, rows[i].nan, rows[i].inf,
                              rows[i].zero, rows[i].bias);
        EXPECT(sf8_format_read(rows[i].text, &f, &at) == SF8_OK && at == 77, "\"%s\"",
               rows[i].text);
        EXPECT(same_format(f, want), "\"%s\"", rows[i].text);
        named = sf8_format_named(rows[i].text, &status);
        EXPECT(status == SF8_OK && same_format(named, want), "\"%s\"", rows[i].text);
    }
}

/* Each bad text says what is wrong and where, and leaves the format alone. */
Test(rows_text, no_format)
{
    static const struct {
        const char *text;
        sf8_status status;
        size_t at;
    } bad[] = {
        {"", SF8_UNKNOWN_NAME, 0},
        {"e4m33", SF8_UNKNOWN_NAME, 0},
        {"e4m33 bias=7", SF8_UNKNOWN_NAME, 0},
        {"e=4 x=3", SF8_UNKNOWN_NAME, 4},
        {"e=4 m=3 e4m3", SF8_UNKNOWN_NAME, 8},
        {"e4m3 e5m2 bias=3", SF8_UNKNOWN_NAME, 5},
        {"=", SF8_UNKNOWN_NAME, 0},
        {"E=4 m=3", SF8_UNKNOWN_NAME, 0},
        {"e=4 m=", SF8_BAD_TEXT, 4},
        {"e=4 m=3x", SF8_BAD_TEXT, 4},
        {"e=4  m=+3", SF8_BAD_TEXT, 5},
        {"e=4 m=- bias=3", SF8_BAD_TEXT, 4},
        {"e=4 m=3 bias=12345", SF8_BAD_TEXT, 8},
        {"e=4 m=3 nan=all", SF8_BAD_TEXT, 8},
        {"e=4 m=3 nan=", SF8_BAD_TEXT, 8},
        {"e=4 m=3 nan=to", SF8_BAD_TEXT, 8},
        {"e=4 m=3 inf=2", SF8_BAD_TEXT, 8},
        {"e=4 m=3 e=4", SF8_BAD_TEXT, 8},
        {"e=4", SF8_BAD_FORMAT, 3},
        {"m=3", SF8_BAD_FORMAT, 3},
        {"bias=3", SF8_BAD_FORMAT, 6},
        {"e=0 m=3", SF8_BAD_FORMAT, 7},
        {"e=12 m=3", SF8_BAD_FORMAT, 8},
        {"e=-1 m=3", SF8_BAD_FORMAT, 8},
        {"e=256 m=3", SF8_BAD_FORMAT, 9},
        {"e=260 m=3", SF8_BAD_FORMAT, 9},
        {"e=4 m=259", SF8_BAD_FORMAT, 9},
        {"e=4 m=53", SF8_BAD_FORMAT, 8},
        {"e=4 m=-1", SF8_BAD_FORMAT, 8},
        {"e=4 m=3 bias=2049", SF8_BAD_FORMAT, 17},
        {"e=4 m=3 inf=0", SF8_BAD_FORMAT, 13},
        {"e=4 m=3 nan=neg-zero signed=0", SF8_BAD_FORMAT, 29},
        {"e=4 m=3 nan=top zero=0", SF8_BAD_FORMAT, 22},
        {"e5m2 nan=top m=52 e=11", SF8_BAD_FORMAT, 22},
    };
    char word[300] = "e=4 m=3 ";
    memset(word + 8, 'x', 290);
    for (size_t i = 0; i < COUNT(bad); i++) {
        sf8_format f = SF8_F64;
        sf8_status status;
        size_t at = 77;
        EXPECT(sf8_format_read(bad[i].text, &f, &at) == bad[i].status, "\"%s\"", bad[i].text);
        EXPECT(at == bad[i].at, "\"%s\": at %zu", bad[i].text, at);
        EXPECT(same_format(f, SF8_F64), "\"%s\"", bad[i].text);
        EXPECT(same_format(sf8_format_named(bad[i].text, &status), SF8_E4M3), "\"%s\"",
               bad[i].text);
        EXPECT(status == SF8_UNKNOWN_NAME, "\"%s\"", bad[i].text);
        EXPECT(sf8_format_read(bad[i].text, &f, NULL) == bad[i].status, "\"%s\"", bad[i].text);
    }
    sf8_format f;
    cr_expect(sf8_format_read(word, &f, NULL) == SF8_UNKNOWN_NAME);
}

/* Every field that the library lists can be written, and the lists end. */
Test(rows_text, fields)
{
    static const char *const names[] = {"e", "m", "bias", "signed", "nan", "inf", "zero"};
    size_t i = 0;
    for (; sf8_format_field_at(i); i++)
        EXPECT(strcmp(sf8_format_field_at(i), names[i]) == 0, "%s", names[i]);
    cr_expect(i == COUNT(names));
    cr_expect(sf8_format_field_values(i) == NULL);
    cr_expect(strcmp(sf8_format_field_values(0), "") == 0);
    cr_expect(strcmp(sf8_format_field_values(4), "none ieee top neg-zero") == 0);
}

static int same_policy(sf8_policy a, sf8_policy b)
{
    return sf8_policy_pack(a) == sf8_policy_pack(b);
}

Test(rows_text, policies)
{
    sf8_policy p = SF8_OCP, want = SF8_OCP_NOSAT;
    size_t at = 77;
    cr_expect(sf8_policy_read("ocp-nosat", &p, &at) == SF8_OK && same_policy(p, want));
    want.round = SF8_RZ;
    want.nan = SF8_NAN_AS_MISSING;
    cr_expect(sf8_policy_read("ocp-nosat round=rz,nan=as-missing", &p, &at) == SF8_OK);
    cr_expect(same_policy(p, want) && at == 77);
    want = SF8_OCP;
    want.round = SF8_RU;
    cr_expect(sf8_policy_read("round=ru", &p, NULL) == SF8_OK && same_policy(p, want));
    sf8_status status = SF8_BAD_TEXT;
    cr_expect(same_policy(sf8_policy_named("ocp round=ru", &status), want) && status == SF8_OK);
}

Test(rows_text, no_policy)
{
    static const struct {
        const char *text;
        sf8_status status;
        size_t at;
    } bad[] = {
        {"", SF8_UNKNOWN_NAME, 0},
        {"ocq", SF8_UNKNOWN_NAME, 0},
        {"ocq round=rz", SF8_UNKNOWN_NAME, 0},
        {"round=rz ocp", SF8_UNKNOWN_NAME, 9},
        {"ocp rund=rz", SF8_UNKNOWN_NAME, 4},
        {"ocp round=rx", SF8_BAD_TEXT, 4},
        {"ocp sr_bits=33", SF8_BAD_TEXT, 4},
        {"ocp round=", SF8_BAD_TEXT, 4},
        {"ocp round=rz round=ru", SF8_BAD_TEXT, 13}, /* given twice, as of a format */
        {"below_normal=stay,nan=kept below_normal=stay", SF8_BAD_TEXT, 27},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        sf8_policy p = SF8_OCP_NOSAT;
        sf8_status status;
        size_t at = 77;
        EXPECT(sf8_policy_read(bad[i].text, &p, &at) == bad[i].status, "\"%s\"", bad[i].text);
        EXPECT(at == bad[i].at, "\"%s\": at %zu", bad[i].text, at);
        EXPECT(same_policy(p, SF8_OCP_NOSAT), "\"%s\"", bad[i].text);
        sf8_policy_named(bad[i].text, &status);
        EXPECT(status == SF8_UNKNOWN_NAME, "\"%s\"", bad[i].text);
    }
}
