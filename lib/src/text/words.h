/* SPDX-License-Identifier: MIT */
/* words.h -- the words of a text that describes a row: a name, and FIELD=VALUE
 *
 * Words are separated by blanks or commas.
 */
#ifndef SOFTFP8_WORDS_H
#define SOFTFP8_WORDS_H

#include "softfp8.h"

#include <string.h>

/* The longest word: a name or a field with its value. */
enum { SF8_WORD_SIZE = 64 };

/* A word of a text: FIELD=VALUE, or a name alone, whose value is empty. */
typedef struct sf8_text_word {
    char name[SF8_WORD_SIZE];
    char value[SF8_WORD_SIZE];
    int has_value;
    size_t at, end; /* in the text */
} sf8_text_word;

/* Cuts the next word at or after `at`; returns 0 if there is none or if it is too long, which no
 * good word is: then its name is empty. */
static inline int sf8_word_next(const char *text, size_t at, sf8_text_word *word)
{
    static const char separators[] = " ,";
    word->at = at + strspn(text + at, separators);
    size_t length = strcspn(text + word->at, separators);
    word->end = word->at + length;
    word->name[0] = word->value[0] = '\0';
    word->has_value = 0;
    if (length == 0)
        return 0;
    if (length >= SF8_WORD_SIZE)
        return 1;
    memcpy(word->name, text + word->at, length);
    word->name[length] = '\0';
    char *equals = strchr(word->name, '=');
    word->has_value = equals != NULL;
    if (equals) {
        memcpy(word->value, equals + 1, strlen(equals));
        *equals = '\0';
    }
    return 1;
}

static inline sf8_status sf8_stopped_at(size_t *at, size_t where, sf8_status status)
{
    if (at)
        *at = where;
    return status;
}

/* A number of at most `digits` digits, perhaps with a sign; returns 0 for any other text. */
static inline int sf8_digits_read(const char *text, size_t digits, int32_t *value)
{
    int32_t negative = *text == '-';
    text += negative;
    size_t n = strlen(text);
    if (n == 0 || n > digits || strspn(text, "0123456789") != n)
        return 0;
    for (*value = 0; *text; text++)
        *value = 10 * *value + (*text - '0');
    if (negative)
        *value = -*value;
    return 1;
}

/* The same, of up to four digits. */
static inline int sf8_number_read(const char *text, int32_t *value)
{
    return sf8_digits_read(text, 4, value);
}

#endif
