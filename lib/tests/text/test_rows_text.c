/* SPDX-License-Identifier: MIT */
/* test_rows_text.c -- formats and policies that are written by their fields
 */
#include "table.h"

static int number(const table_line *x, size_t i)
{
    return (int)strtol(x->word[i], NULL, 10);
}

Test(rows_text, formats)
{
    table known = table_read("text/format_texts.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        sf8_format f = SF8_F64;
        sf8_status status = SF8_BAD_TEXT;
        size_t at = 77;
        int nan = strcmp(x->word[3], "none") == 0   ? SF8_NANS_NONE
                  : strcmp(x->word[3], "ieee") == 0 ? SF8_NANS_IEEE
                  : strcmp(x->word[3], "top") == 0  ? SF8_NANS_TOP
                                                    : SF8_NANS_NEG_ZERO;
        sf8_format want = sf8_format_row(number(x, 0), number(x, 1), number(x, 2), nan,
                                         number(x, 4), number(x, 5), number(x, 6));
        EXPECT(sf8_format_read(x->note, &f, &at) == SF8_OK && at == 77, "\"%s\"", x->note);
        EXPECT(same_format(f, want), "\"%s\"", x->note);
        sf8_format named = sf8_format_named(x->note, &status);
        EXPECT(status == SF8_OK && same_format(named, want), "\"%s\"", x->note);
    }
    cr_expect(known.count == 19, "%zu", known.count);
    table_free(&known);
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

/* Each bad text says what is wrong and where, and leaves the format alone. */
static void refused_format(const char *text, sf8_status status, size_t offset)
{
    sf8_format f = SF8_F64;
    sf8_status named;
    size_t at = 77;
    EXPECT(sf8_format_read(text, &f, &at) == status, "\"%s\"", text);
    EXPECT(at == offset, "\"%s\": at %zu", text, at);
    EXPECT(same_format(f, SF8_F64), "\"%s\"", text);
    EXPECT(same_format(sf8_format_named(text, &named), SF8_E4M3), "\"%s\"", text);
    EXPECT(named == SF8_UNKNOWN_NAME, "\"%s\"", text);
    EXPECT(sf8_format_read(text, &f, NULL) == status, "\"%s\"", text);
}

static void refused_policy(const char *text, sf8_status status, size_t offset)
{
    sf8_policy p = SF8_OCP_NOSAT;
    sf8_status named;
    size_t at = 77;
    EXPECT(sf8_policy_read(text, &p, &at) == status, "\"%s\"", text);
    EXPECT(at == offset, "\"%s\": at %zu", text, at);
    EXPECT(same_policy(p, SF8_OCP_NOSAT), "\"%s\"", text);
    sf8_policy_named(text, &named);
    EXPECT(named == SF8_UNKNOWN_NAME, "\"%s\"", text);
}

Test(rows_text, refused)
{
    char word[300] = "e=4 m=3 ";
    sf8_format f;
    memset(word + 8, 'x', 290);
    cr_expect(sf8_format_read(word, &f, NULL) == SF8_UNKNOWN_NAME);
    refused_format("", SF8_UNKNOWN_NAME, 0);
    refused_policy("", SF8_UNKNOWN_NAME, 0);
    table known = table_read("text/bad_rows.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        sf8_status status = strcmp(x->word[1], "unknown") == 0    ? SF8_UNKNOWN_NAME
                            : strcmp(x->word[1], "bad-text") == 0 ? SF8_BAD_TEXT
                                                                  : SF8_BAD_FORMAT;
        size_t offset = (size_t)number(x, 2);
        if (strcmp(x->word[0], "format") == 0)
            refused_format(x->note, status, offset);
        else
            refused_policy(x->note, status, offset);
    }
    cr_expect(known.count == 42, "%zu", known.count);
    table_free(&known);
}
