/* SPDX-License-Identifier: MIT */
/* line.h -- a line of the input of `convert` taken apart, without any effect of its own */
#ifndef SOFTFP8_CONVERT_LINE_H
#define SOFTFP8_CONVERT_LINE_H

#include "cli/cli.h"

/* What a line holds: a word, or with `values` a number as text; with `random` a random word of 8
 * digits behind it, after blanks. */
typedef struct convert_form {
    int digits;    /* of the word */
    uint64_t mask; /* the bits it may have */
    int values;
    int random;
} convert_form;

typedef struct convert_line {
    uint64_t word;     /* without `values` */
    const char *value; /* with them: the text, closed with 0; part of the line */
    uint32_t random;
} convert_line;

/* LINE_EMPTY has no words: nothing, or a comment. */
typedef enum convert_kind { LINE_EMPTY, LINE_WORD, LINE_BAD } convert_kind;

/* text[length] is 0; a 0 before it is a bad character. Closes the number in `text` with 0. */
convert_kind convert_line_read(convert_form form, char *text, size_t length, convert_line *line,
                               input_error *error);

#endif
