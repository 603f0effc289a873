/* SPDX-License-Identifier: MIT */
/* panel.h -- a matrix of operands that is decoded once and then multiplied by many rows
 *
 * sf8_mma_matmul decodes both matrices of every call. If it multiplies a single row, nearly all of
 * its time goes there. A panel keeps the second matrix as the loops of tile.h need it.
 */
#ifndef SF8_MMA_PANEL_H
#define SF8_MMA_PANEL_H

#include "mma/tile.h"

/* Products are rows; those of one instruction come in the order in which it adds them. */
typedef struct sf8_mma_panel {
    size_t stride;    /* columns, and some more, so that each can begin a tile */
    char *value;      /* float [k][stride] */
    char *exponent;   /* int16_t [k][stride] */
    char *floor;      /* int16_t [k / step][SF8_TILE_SETS][stride] */
    uint8_t *special; /* [k / step][stride]: 1 if an operand is not finite */
} sf8_mma_panel;

/* The scratch memory of a panel, in uint32_t. */
SF8_PRIVATE uint64_t sf8_mma_panel_room(uint64_t columns, uint64_t k);
/* Prepares the products of a unit. Returns 0 if it has no panels: the level has no loops for it, or
 * its operands have scales. */
SF8_PRIVATE int32_t sf8_mma_panels_begin(sf8_mma_tiles *j, const sf8_mma *m);
/* Lays a panel out in its scratch memory, and fills it with zeros. */
SF8_PRIVATE void sf8_mma_panel_begin(sf8_mma_panel *p, const sf8_mma_tiles *j, size_t columns,
                                     size_t k, uint32_t *room);
/* Decodes a part: codes[columns][count] are products `k` and on of the columns `column` and on.
 * Both k and count are multiples of the unit's products. */
SF8_PRIVATE void sf8_mma_panel_fill(const sf8_mma_panel *p, sf8_mma_tiles *j, const void *codes,
                                    size_t column, size_t columns, size_t k, size_t count);
/* Adds the products of a row of `count` codes, with those from `k` on of the columns `column` and
 * on, to c. Returns how many columns are computed; the definition must compute those behind them,
 * which are unchanged. */
SF8_PRIVATE size_t sf8_mma_panel_sum(const sf8_mma_panel *p, sf8_mma_tiles *j, const void *row,
                                     size_t column, size_t columns, size_t k, size_t count,
                                     uint32_t *c);

#endif
