/* SPDX-License-Identifier: MIT */
/* fuzz_text.c -- libFuzzer: properties of reading and writing, for any text and any row
 *
 * The first 8 bytes make a row and a rounding mode, the rest is the text.
 * clang -fsanitize=fuzzer,address,undefined -Ilib/include -Ilib/core and all of lib/src
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "softfp8.h"

#define HEAD 8
#define LONGEST 4000

/* A finite code, in all styles, reads back; with a buffer one too small nothing is written. */
static void check_written(sf8_format f, uint64_t code)
{
    for (int style = 0; style < 3; style++) {
        char text[1600];
        size_t length = 0;
        CHECK(sf8_to_text(f, code, (sf8_text_style)style, text, sizeof text, &length) == SF8_OK);
        CHECK(length == strlen(text));
        CHECK(style == SF8_TEXT_EXACT || length < 40);
        sf8_result r;
        CHECK(sf8_from_text(f, text, SF8_OCP_NOSAT, &r, NULL) == SF8_OK);
        CHECK(sf8_is_nan(f, code) ? sf8_is_nan(f, r.code) : r.code == code);
        char *exact = malloc(length + 1);
        CHECK(exact);
        CHECK(sf8_to_text(f, code, (sf8_text_style)style, exact, length, NULL) == SF8_NO_ROOM);
        CHECK(sf8_to_text(f, code, (sf8_text_style)style, exact, length + 1, NULL) == SF8_OK);
        CHECK(strcmp(exact, text) == 0);
        free(exact);
    }
}

/* Whether `length` characters of `text` begin a number. */
static int begins_number(const char *text, size_t length)
{
    static const char *const ENDS[] = {"",      "0",   "inf", "nf", "f",  "nity",
                                       "inity", "ity", "ty",  "y",  "an", "n"};
    char whole[LONGEST + 8];
    sf8_result r;
    memcpy(whole, text, length);
    for (size_t i = 0; i < sizeof ENDS / sizeof ENDS[0]; i++) {
        strcpy(whole + length, ENDS[i]);
        if (sf8_from_text(SF8_E4M3, whole, SF8_OCP, &r, NULL) == SF8_OK)
            return 1;
    }
    return 0;
}

static void check_error(const char *text, size_t error)
{
    CHECK(error <= strlen(text));
    CHECK(begins_number(text, error));
    CHECK(text[error] == 0 || !begins_number(text, error + 1));
}

static sf8_format row_of(const uint8_t *data)
{
    sf8_format f;
    if (data[0] < 128)
        return sf8_format_at(data[0] % 32, &f) ? f : SF8_E4M3;
    f.exp_bits = data[0] & 15;
    f.man_bits = data[1] & 63;
    f.is_signed = data[2] & 1;
    f.nan = data[2] >> 1 & 3;
    f.has_inf = data[2] >> 3 & 1;
    f.has_zero = !(data[2] >> 4 & 1);
    f.bias = (int16_t)((data[3] | data[4] << 8) % 4097 - 2048);
    /* The core counts codes in 63 bits. */
    if (sf8_format_mag_bits(f) > 62 && f.nan != SF8_NANS_IEEE)
        f.man_bits = 50;
    return f;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD || size > LONGEST)
        return 0;
    char *text = malloc(size - HEAD + 1);
    CHECK(text);
    memcpy(text, data + HEAD, size - HEAD);
    text[size - HEAD] = 0;
    sf8_format f = row_of(data);
    sf8_policy policy = SF8_OCP_NOSAT;
    policy.round = data[5] % SF8_SR & SF8_ROUND_MASK;
    policy.flush = data[6] & 3u;
    policy.sr_bits = 1 + (data[7] & 7u);
    policy.sr_rule = data[6] >> 2 & 1u;
    sf8_result r = {0, 0};
    size_t error = 0;
    sf8_status status = sf8_from_text(f, text, policy, &r, &error);
    CHECK((status == SF8_BAD_FORMAT) == !sf8_format_valid(f));
    if (status == SF8_OK) {
        CHECK((r.code & ~sf8_format_code_mask(f)) == 0);
        check_written(f, r.code);
    } else if (status == SF8_BAD_TEXT) {
        check_error(text, error);
    }
    free(text);
    return 0;
}
