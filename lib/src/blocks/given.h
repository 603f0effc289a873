/* SPDX-License-Identifier: MIT */
/* given.h -- whether the pointers that a call needs are given */
#ifndef SF8_BLOCKS_GIVEN_H
#define SF8_BLOCKS_GIVEN_H

#include "softfp8_blocks.h"

/* Returns SF8_BAD_CALL if a pointer is NULL that a call with a quantized matrix needs, else SF8_OK.
 * A matrix without elements needs the recipe alone. `matrix` is the tensor. */
static inline sf8_status sf8_blocks_given(const sf8_recipe *r, const void *codes,
                                          const void *scales, const void *offsets,
                                          const void *matrix, size_t rows, size_t columns)
{
    if (!r)
        return SF8_BAD_CALL;
    if (rows == 0 || columns == 0)
        return SF8_OK;
    return !codes || !scales || !matrix || (r->offset_at == SF8_OFFSET_WORD && !offsets)
               ? SF8_BAD_CALL
               : SF8_OK;
}

/* The same for a matrix that is read. */
static inline sf8_status sf8_blocks_read_given(const sf8_blocks *b, const void *matrix, size_t rows,
                                               size_t columns)
{
    return b ? sf8_blocks_given(b->recipe, b->codes, b->scales, b->offsets, matrix, rows, columns)
             : SF8_BAD_CALL;
}

#endif
