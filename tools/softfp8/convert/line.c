/* SPDX-License-Identifier: MIT */
/* line.c -- a line of the input of `convert` taken apart */
#include "convert/line.h"
#include "base/words.h"

#include <string.h>

enum { RANDOM_DIGITS = 8, FIELDS = 3 };

convert_kind convert_line_read(convert_form form, char *text, size_t length, convert_line *line,
                               input_error *error)
{
    text_word words[FIELDS];
    size_t count = words_split(text, length, words, FIELDS), most = 1 + (size_t)form.random;
    uint64_t random = 0;
    memset(line, 0, sizeof *line);
    if (count == 0)
        return LINE_EMPTY;
    if (form.values) { /* the number is closed with 0 */
        line->value = words[0].text;
        text[(size_t)(words[0].text - text) + words[0].length] = '\0';
    }
    if (form.values && strlen(line->value) != words[0].length)
        word_expected(error, NULL, words[0], "a number");
    else if (!form.values && !words_hex(words[0], form.digits, &line->word))
        word_expected(error, NULL, words[0],
                      "%d hexadecimal digit%s; numbers such as 500 need --as-numbers", form.digits,
                      form.digits == 1 ? "" : "s");
    else if (line->word & ~form.mask)
        word_expected(error, NULL, words[0], "a code up to %0*llx", form.digits,
                      (unsigned long long)form.mask);
    else if (count > most)
        word_expected(error, NULL, words[most], "the end of the line");
    else if (form.random && count == 1)
        word_expected(error, NULL, words[0], "a random number after it, %d hexadecimal digits",
                      RANDOM_DIGITS);
    else if (form.random && !words_hex(words[1], RANDOM_DIGITS, &random))
        word_expected(error, NULL, words[1], "a random number, %d hexadecimal digits",
                      RANDOM_DIGITS);
    else {
        line->random = (uint32_t)random;
        return LINE_WORD;
    }
    return LINE_BAD;
}
