/* SPDX-License-Identifier: MIT */
/* line.h -- a row of operands of a matrix unit taken apart, without any effect of its own */
#ifndef SOFTFP8_CLI_MMA_LINE_H
#define SOFTFP8_CLI_MMA_LINE_H

#include "mma/mma.h"

/* How many codes of a row have one scale of its schedule; 0: there are no such scales. */
static inline size_t mma_stretch(const mma_row *row)
{
    int scaled = row->scheduled && row->schedule.scaling != SF8_MMA_UNSCALED;
    return scaled ? row->schedule.promote * (size_t)row->m.k : 0;
}

/* MMA_EMPTY has no words: nothing, or a comment. */
typedef enum mma_kind { MMA_EMPTY, MMA_ROW, MMA_BAD } mma_kind;

/* 'a b c' of the row's unit, 'a b sa sb c' where that or its schedule has scales; with `results` a
 * d behind. The codes go to row->a and so on, which are large enough for a code for each byte of
 * the line; row->k is how many. text[length] is 0; a 0 before it is a bad character. */
mma_kind mma_line_read(mma_row *row, int results, char *text, size_t length, input_error *e);

#endif
