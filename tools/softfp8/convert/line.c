/* SPDX-License-Identifier: MIT */
/* line.c -- a line of the input of `convert` taken apart */
#include "convert/line.h"
#include "base/words.h"

#include <stdio.h>
#include <string.h>

enum { RANDOM_DIGITS = 8, FIELDS = 3 };

static convert_kind bad(convert_line *line, text_word f, const char *expected)
{
    line->bad = f.text;
    line->bad_length = f.length;
    snprintf(line->expected, sizeof line->expected, "%s", expected);
    return LINE_BAD;
}

static convert_kind bad_word(convert_line *line, text_word f, int digits, const char *what)
{
    char text[64];
    snprintf(text, sizeof text, "%s%d hexadecimal digits", what, digits);
    return bad(line, f, text);
}

static convert_kind bad_code(convert_line *line, text_word f, int digits)
{
    char text[sizeof line->expected];
    snprintf(text, sizeof text, "%d hexadecimal digit%s; numbers such as 500 need --as-numbers",
             digits, digits == 1 ? "" : "s");
    return bad(line, f, text);
}

convert_kind convert_line_read(convert_form form, char *text, size_t length, convert_line *line)
{
    text_word words[FIELDS];
    size_t count = words_split(text, length, words, FIELDS), most = 1 + (size_t)form.random;
    memset(line, 0, sizeof *line);
    if (count == 0)
        return LINE_EMPTY;
    if (form.values) { /* the number is closed with 0 */
        line->value = words[0].text;
        text[(size_t)(words[0].text - text) + words[0].length] = '\0';
    }
    if (form.values && strlen(line->value) != words[0].length)
        return bad(line, words[0], "a number");
    if (!form.values && !words_hex(words[0], form.digits, &line->word))
        return bad_code(line, words[0], form.digits);
    if (line->word & ~form.mask) {
        char mask[64];
        snprintf(mask, sizeof mask, "a code up to %0*llx", form.digits,
                 (unsigned long long)form.mask);
        return bad(line, words[0], mask);
    }
    if (count > most)
        return bad(line, words[most], "the end of the line");
    uint64_t random = 0;
    if (form.random && count == 1)
        return bad_word(line, words[0], RANDOM_DIGITS, "a random number after it, ");
    if (form.random && !words_hex(words[1], RANDOM_DIGITS, &random))
        return bad_word(line, words[1], RANDOM_DIGITS, "a random number, ");
    line->random = (uint32_t)random;
    return LINE_WORD;
}
