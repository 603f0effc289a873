/* SPDX-License-Identifier: MIT */
/* tile.h -- the blocks of a matrix one after the other, each with several rows and columns, and
 * their scales by the core */
#ifndef SF8_BLOCK_TILE_H
#define SF8_BLOCK_TILE_H

#include "softfp8_blocks.h"

/* An element as f32. */
typedef uint32_t sf8_tile_word(void *from, size_t row, size_t column);

/* The rows and columns that share a scale. */
typedef struct sf8_tile {
    size_t row, row_end, column, column_end;
} sf8_tile;

static inline void sf8_tile_first(sf8_tile *t)
{
    t->row = t->row_end = t->column = t->column_end = 0;
}

/* The columns of a block. */
static inline size_t sf8_tile_wide(const sf8_recipe *r, size_t columns)
{
    return r->block ? (size_t)r->block : columns;
}

/* With blocks of `high` rows and `wide` columns, steps to the first block, then to the next on the
 * right, then to the first of the next rows; returns 0 behind the last. */
static inline int32_t sf8_tile_next(sf8_tile *t, size_t high, size_t wide, size_t rows,
                                    size_t columns)
{
    if (t->row_end == 0 || t->column_end == columns) {
        t->row = t->row_end;
        t->row_end = rows - t->row < high ? rows : t->row + high;
        t->column_end = 0;
    }
    t->column = t->column_end;
    t->column_end = columns - t->column < wide ? columns : t->column + wide;
    return t->row < rows && columns != 0;
}

/* Computes the block's scale, offset and factor. */
static inline void sf8_tile_scale(const sf8_recipe *r, sf8_block *b, uint32_t g, sf8_tile t,
                                  sf8_tile_word *word, void *from)
{
    sf8_choice c;
    sf8_block_begin(b, g);
    for (size_t row = t.row; row < t.row_end; row++)
        for (size_t i = t.column; i < t.column_end; i++)
            sf8_block_take(r, b, word(from, row, i), row == t.row && i == t.column);
    if (!sf8_recipe_chooses(r)) {
        sf8_block_scale(r, b);
        return;
    }
    sf8_choice_begin(r, &c, b);
    for (size_t row = t.row; row < t.row_end; row++)
        for (size_t i = t.column; i < t.column_end; i++)
            sf8_choice_take(r, &c, word(from, row, i), (uint32_t)(row - t.row),
                            (uint32_t)(i - t.column), (uint32_t)(t.column_end - t.column));
    *b = *sf8_choice_end(r, &c);
}

#endif
