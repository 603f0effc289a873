/* SPDX-License-Identifier: MIT */
/* words.h -- the words of a line, read in one way by every command
 *
 * Words are separated by blanks, tabs and commas. `#` and `//` begin a comment, which ends with the
 * line. A word of hexadecimal digits may begin with 0x. Nothing here ends the program, and a line
 * need not end with 0.
 */
#ifndef SOFTFP8_BASE_WORDS_H
#define SOFTFP8_BASE_WORDS_H

#include "base/error.h"

typedef struct text_word {
    const char *text;
    size_t length;
} text_word;

static inline int words_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',';
}

/* Where a comment begins, or the end. */
const char *words_end(const char *text, const char *end);
/* The next word from *at on, which is moved behind it; 0 at the end or before a comment. */
int words_next(const char **at, const char *end, text_word *word);
/* All words of a line without its comment: how many, or most + 1 if there are more. */
size_t words_split(const char *text, size_t length, text_word *words, size_t most);

/* input_expected of a word. */
#define word_expected(error, what, word, ...)                                                      \
    input_expected(error, what, (word).text, (word).length, __VA_ARGS__)

/* The word without 0x. */
text_word words_digits(text_word word);
/* Whether it has exactly `digits` hexadecimal digits; their value. */
int words_hex(text_word word, int digits, uint64_t *value);
/* The same of any number of digits whose value has at most 64 bits. */
int words_value(text_word word, uint64_t *value);

#endif
