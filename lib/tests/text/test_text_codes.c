/* SPDX-License-Identifier: MIT */
/* test_text_codes.c -- text of every code: read back, and no shorter decimal would do */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "softfp8/number/convert.h"

/* A NaN need only stay one: its code is the policy's. */
static void check_code(sf8_format f, const char *name, uint64_t code, sf8_text_style style)
{
    char text[2000];
    size_t length = 0, error = 0;
    cr_assert_eq(sf8_to_text(f, code, style, text, sizeof text, &length), SF8_OK);
    cr_assert_eq(length, strlen(text));
    sf8_result r = {0, 0};
    cr_assert_eq(sf8_from_text(f, text, SF8_OCP_NOSAT, &r, &error), SF8_OK, "%s", text);
    if (sf8_is_nan(f, code)) {
        cr_assert(sf8_is_nan(f, r.code));
        return;
    }
    uint32_t allowed = style == SF8_TEXT_SHORTEST ? SF8_INEXACT | SF8_UNDERFLOW : 0;
    if (!f.has_zero && code == 0)
        allowed |= SF8_UNDERFLOW;
    cr_assert_eq(r.code, code, "%s %" PRIx64 ": %s reads as %" PRIx64, name, code, text, r.code);
    cr_assert_eq(r.flags & ~allowed, 0, "%s %s: flags %x", name, text, r.flags);
    if (sf8_is_special(f, code))
        return;
    cr_assert_eq(sf8_from_text(f, text, SF8_OCP, &r, &error), SF8_OK);
    cr_assert_eq(r.code, code, "%s %s saturating", name, text);
}

static void check_all_codes(sf8_format f, const char *name, int styles)
{
    for (uint64_t code = 0; code <= sf8_format_code_mask(f); code++) {
        for (int style = 0; style < styles; style++)
            check_code(f, name, code, (sf8_text_style)style);
    }
}

Test(text_codes, narrow_formats)
{
    sf8_format f;
    const char *name;
    for (size_t i = 0; (name = sf8_format_at(i, &f)) != NULL; i++) {
        if (sf8_format_bits(f) <= 8)
            check_all_codes(f, name, 3);
    }
}

Test(text_codes, p3109_formats)
{
    for (int k = 3; k <= 8; k++) {
        for (int p = 1; p <= k; p++) {
            for (int kind = 0; kind < 4; kind++) {
                if (sf8_p3109_exists(k, p, kind & 1))
                    check_all_codes(sf8_p3109_format(k, p, kind & 1, kind >> 1), "p3109", 3);
            }
        }
    }
}

Test(text_codes, f16)
{
    check_all_codes(SF8_F16, "f16", 3);
}

Test(text_codes, bf16)
{
    check_all_codes(SF8_BF16, "bf16", 1);
}

/* Rows at the ends of what is valid: no number is below 2^-2099, none as large as 2^4096. */
Test(text_codes, extreme_rows)
{
    const sf8_format rows[] = {
        sf8_format_row(11, 52, 1, SF8_NANS_IEEE, 1, 1, 2048),
        sf8_format_row(11, 52, 1, SF8_NANS_IEEE, 1, 1, -2048),
        sf8_format_row(11, 51, 1, SF8_NANS_NONE, 0, 1, 2048),
        sf8_format_row(11, 0, 0, SF8_NANS_TOP, 0, 0, 2048),
        sf8_format_row(11, 0, 0, SF8_NANS_TOP, 0, 0, -2048),
        sf8_format_row(1, 52, 1, SF8_NANS_NEG_ZERO, 1, 1, 0),
        sf8_format_row(1, 1, 0, SF8_NANS_NONE, 0, 1, 0),
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sf8_format f = rows[i];
        cr_assert(sf8_format_valid(f));
        uint64_t max = sf8_format_max(f);
        uint64_t normal = sf8_format_min_normal(f);
        uint64_t power = max >> f.man_bits << f.man_bits;
        uint64_t codes[] = {0, 1, 2, 3, max, max - 1, max / 2, max / 3, normal, power};
        for (size_t j = 0; j < sizeof codes / sizeof codes[0]; j++) {
            for (int style = 0; style < 3 && codes[j] <= max; style++)
                check_code(f, "row", codes[j], (sf8_text_style)style);
        }
    }
}

/* The numbers below the smallest normal one, here 0.25, are as far apart as those above: 0.2 is in
 * its interval [0.1875, 0.3125], and not only 0.3, which is as near. */
Test(text_codes, smallest_normal)
{
    sf8_format f = sf8_format_row(3, 1, 1, SF8_NANS_IEEE, 1, 1, 3);
    char text[SF8_TEXT_SIZE];
    cr_assert_eq(sf8_to_text(f, 2, SF8_TEXT_SHORTEST, text, sizeof text, NULL), SF8_OK);
    cr_expect_str_eq(text, "0.2");
}

/* ---- the fewest digits, and of these the nearest --------------------------------------------- */

typedef struct best {
    int digits; /* 0 if no decimal was found */
    double distance;
} best;

static best found[FORMATS][256];

static double distance_of(sf8_format f, uint64_t code, double x)
{
    double value = sf8_f64_from_bits(sf8_convert(SF8_F64, f, code, SF8_OCP));
    return x < value ? value - x : x - value;
}

/* Every format's code for a decimal, by way of f64: no decimal of three digits is so close to a
 * midpoint of a narrow format that its f64 could be the midpoint itself. */
static void note(int digits, double x)
{
    sf8_format f;
    for (size_t i = 0; sf8_format_at(i, &f); i++) {
        if (sf8_format_bits(f) > 8)
            continue;
        sf8_result r = sf8_convert_flags(f, SF8_F64, sf8_f64_bits(x), SF8_OCP_NOSAT);
        if (r.flags & SF8_OVERFLOW)
            continue;
        best *b = &found[i][r.code];
        double distance = distance_of(f, r.code, x);
        if (b->digits == 0 || (b->digits == digits && distance < b->distance)) {
            b->digits = digits;
            b->distance = distance;
        }
    }
}

/* Significant digits of what SHORTEST gives. */
static int count_digits(const char *text)
{
    int count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text == '0' && count) {
            zeros++;
        } else if (*text >= '1' && *text <= '9') {
            count += zeros + 1;
            zeros = 0;
        }
    }
    return count;
}

Test(text_codes, no_fewer_digits)
{
    for (int n = 1; n < 1000; n++) {
        for (int exponent = -45; n % 10 && exponent <= 40; exponent++) {
            char text[40];
            snprintf(text, sizeof text, "%de%d", n, exponent);
            note(1 + (n > 9) + (n > 99), strtod(text, NULL));
        }
    }
    sf8_format f;
    const char *name;
    size_t checked = 0;
    for (size_t i = 0; (name = sf8_format_at(i, &f)) != NULL; i++) {
        if (sf8_format_bits(f) > 8)
            continue;
        for (uint64_t code = f.has_zero; code <= sf8_format_max(f); code++) {
            char text[SF8_TEXT_SIZE];
            cr_assert_eq(sf8_to_text(f, code, SF8_TEXT_SHORTEST, text, sizeof text, NULL), SF8_OK);
            best b = found[i][code];
            cr_assert_eq(count_digits(text), b.digits, "%s %" PRIx64 ": %s", name, code, text);
            cr_assert_eq(distance_of(f, code, strtod(text, NULL)), b.distance,
                         "%s %" PRIx64 ": %s is not the nearest", name, code, text);
            checked++;
        }
    }
    cr_assert_gt(checked, 1500);
}

/* printf rounds correctly to any number of digits: ours are no more than the first that it needs.
 * (They may be fewer, where only the farther of the two decimals reads back.) */
Test(text_codes, f64_no_more_than_printf)
{
    uint64_t state = 5;
    for (int i = 0; i < 100000; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t code = state ^ state >> 33;
        if (i % 16 == 0)
            code = code >> 52 << 52; /* powers of two */
        if (sf8_is_special(SF8_F64, code))
            continue;
        char text[SF8_TEXT_SIZE], enough[40];
        cr_assert_eq(sf8_to_text(SF8_F64, code, SF8_TEXT_SHORTEST, text, sizeof text, NULL),
                     SF8_OK);
        cr_assert_eq(sf8_f64_bits(strtod(text, NULL)), code, "%s", text);
        int digits = 0;
        do
            snprintf(enough, sizeof enough, "%.*e", digits++, sf8_f64_from_bits(code));
        while (sf8_f64_bits(strtod(enough, NULL)) != code);
        cr_assert_leq(count_digits(text), digits, "%s %s", text, enough);
    }
}
