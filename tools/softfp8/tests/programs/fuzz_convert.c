/* SPDX-License-Identifier: MIT */
/* fuzz_convert.c -- libFuzzer: any line, any form, against a reader of its own
 *
 * The first byte makes the form, the rest is the line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../lib/tests/fuzz.h"
#include "convert/line.h"

static convert_form form_of(uint8_t byte)
{
    static const int bits[] = {4, 6, 8, 16, 19, 32, 64, 3};
    int width = bits[byte & 7];
    convert_form form = {(width + 3) / 4, UINT64_MAX >> (64 - width), byte >> 3 & 1, byte >> 4 & 1};
    return form;
}

/* A word as the C library reads it; 0 if it is not `digits` digits and no more. */
static int reads_as(const char *text, int digits, uint64_t *word)
{
    char *end;
    if (strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0) {
        if (strlen(text) == 2)
            return 0;
        text += 2;
    }
    size_t n = strspn(text, "0123456789abcdefABCDEF");
    *word = strtoull(text, &end, 16);
    return n == (size_t)digits && text[n] == '\0';
}

/* The same line by strtok, without its comment; the kind it must have. */
static convert_kind reference(convert_form form, char *text, convert_line *line)
{
    char *field[4] = {NULL, NULL, NULL, NULL};
    int count = 0;
    char *slashes = strstr(text, "//");
    if (slashes)
        *slashes = '\0';
    text[strcspn(text, "#")] = '\0';
    for (char *f = strtok(text, " \t,"); f && count < 4; f = strtok(NULL, " \t,"))
        field[count++] = f;
    if (count == 0)
        return LINE_EMPTY;
    uint64_t random = 0;
    line->value = field[0];
    if (!form.values && (!reads_as(field[0], form.digits, &line->word) || line->word > form.mask))
        return LINE_BAD;
    if (count != 1 + form.random || (form.random && !reads_as(field[1], 8, &random)))
        return LINE_BAD;
    line->random = (uint32_t)random;
    return LINE_WORD;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t length = size - 1;
    char *text = malloc(size), *copy = malloc(size);
    CHECK(text && copy);
    memcpy(text, data + 1, length);
    text[length] = '\0';
    memcpy(copy, text, size);
    convert_form form = form_of(data[0]);
    convert_line line, expected = {0};
    input_error error = {.text = ""};
    convert_kind kind = convert_line_read(form, text, length, &line, &error);
    CHECK((kind == LINE_BAD) == (error.text[0] != '\0'));
    CHECK(strlen(error.text) < sizeof error.text - 1);
    if (strlen(copy) == length) {
        CHECK(kind == reference(form, copy, &expected));
        if (kind == LINE_WORD) {
            CHECK(line.random == expected.random);
            CHECK(form.values ? strcmp(line.value, expected.value) == 0
                              : line.word == expected.word);
        }
    } else if (kind == LINE_WORD) {
        CHECK(strchr(copy, '#') || strstr(copy, "//")); /* a 0 byte only in a comment */
    }
    free(text);
    free(copy);
    return 0;
}
