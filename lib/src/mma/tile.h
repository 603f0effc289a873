/* SPDX-License-Identifier: MIT */
/* tile.h -- tiles of a product of matrices: what the loops over lanes work on
 *
 * A tile is the operands of one sum for each of its elements, decoded. Each loop does a row of it,
 * all columns side by side. Where a loop cannot do an element, it says so and leaves it as it was;
 * the definition does that one.
 */
#ifndef SF8_MMA_TILE_H
#define SF8_MMA_TILE_H

#include "arrays/inline.h"
#include "softfp8_mma.h"

enum {
    SF8_TILE_ROWS = 64,
    SF8_TILE_COLUMNS = 64,
    SF8_TILE_K = 32,     /* products, all sets together */
    SF8_TILE_SETS = 2,   /* sums of an instruction that do not have the same products */
    SF8_TILE_GROUPS = 4, /* groups of a sum, and products of each */
    SF8_TILE_GROUP = 16,
    SF8_TILE_NONE = -1000, /* the exponent of what is not there; a sum of two is below all others */
};

/* Between these exponents of the largest term all sums of values are normal numbers of f32. Below,
 * all products are zero; above, nothing is left of them beside the accumulator. */
enum { SF8_TILE_LEAST = -100, SF8_TILE_LARGEST = 119 };

/* How a unit's sums are done: `values` are the numbers themselves, products of which no power of
 * two brings out of the range of f32; `parts`, significands and exponents; `groups`, integers. */
enum { SF8_TILE_VALUES, SF8_TILE_PARTS, SF8_TILE_GROUPED };

/* So many bits of mantissa are kept, and moved up to where they are in the word; a sum that is
 * rounded to zero has no sign where `positive`. */
typedef struct sf8_mma_rounding {
    int32_t kept, shift, nearest, positive;
} sf8_mma_rounding;

/* Products set * count to (set + 1) * count are a set. b is turned, so that columns are neighbours;
 * `columns`, a multiple of 32, are worked on. A floor is the unit's exponent of zero where one of
 * the operands of a set is zero. */
typedef struct sf8_mma_tile {
    int32_t way, count, columns, fraction, zero;
    int32_t man, bias, mag_mask, sign; /* of accumulators and results */
    int32_t point;                     /* of the product of a group and its scales */
    sf8_mma_rounding sum, addition;
    int16_t a_exp[SF8_TILE_ROWS][SF8_TILE_K];
    int16_t b_exp[SF8_TILE_K][SF8_TILE_COLUMNS];
    int16_t a_floor[SF8_TILE_SETS][SF8_TILE_ROWS], b_floor[SF8_TILE_SETS][SF8_TILE_COLUMNS];
    int32_t a_special[SF8_TILE_ROWS], b_special[SF8_TILE_COLUMNS]; /* -1 or 0 */
    /* of groups the elements in units of the least, and scales' significands and exponents */
    union {
        float a[SF8_TILE_ROWS][SF8_TILE_K];
        int16_t a_whole[SF8_TILE_ROWS][SF8_TILE_GROUPS][SF8_TILE_GROUP];
    };
    union {
        float b[SF8_TILE_K][SF8_TILE_COLUMNS];
        int16_t b_whole[SF8_TILE_GROUPS][SF8_TILE_GROUP][SF8_TILE_COLUMNS];
    };
    int16_t a_scale[SF8_TILE_ROWS][SF8_TILE_GROUPS], a_scale_exp[SF8_TILE_ROWS][SF8_TILE_GROUPS];
    int16_t b_scale[SF8_TILE_GROUPS][SF8_TILE_COLUMNS];
    int16_t b_scale_exp[SF8_TILE_GROUPS][SF8_TILE_COLUMNS];
} sf8_mma_tile;

/* What the products of a row add up to: for each column the largest exponent and two partial sums,
 * in units of 2^(top - fraction). */
typedef struct sf8_mma_partial {
    int16_t top[SF8_TILE_COLUMNS];
    int32_t first[SF8_TILE_COLUMNS], other[SF8_TILE_COLUMNS];
} sf8_mma_partial;

/* The loops of a level. `left` becomes -1 where the definition has to do an element, whose word is
 * then as it was; else it stays. What is returned is not 0 if there is one. */
typedef struct sf8_mma_loops {
    /* The sums of a set and the accumulators c, of one row. */
    int32_t (*sum)(const sf8_mma_tile *t, int32_t set, size_t row, uint32_t *c, int32_t *left);
    /* The products alone, from exponents of at least p->top on. */
    void (*products)(const sf8_mma_tile *t, int32_t set, size_t row, sf8_mma_partial *p);
    /* c + x as IEEE 754 adds. */
    int32_t (*add)(const sf8_mma_tile *t, uint32_t *c, const uint32_t *x, int32_t *left);
} sf8_mma_loops;

/* NULL where there are none. */
SF8_PRIVATE const sf8_mma_loops *sf8_mma_loops_of(int32_t level);

/* A code as the loops take it: the value or the significand, and the exponent. */
typedef struct sf8_mma_decoded {
    float value;
    int16_t exponent, special; /* -1 or 0 */
} sf8_mma_decoded;

/* A product of matrices: its tile, and the codes of 8 bits or less. */
typedef struct sf8_mma_tiles {
    const sf8_mma *m;
    sf8_mma_operands x;
    size_t k;                   /* of a row of the matrices */
    const sf8_mma_loops *loops; /* NULL: the definition alone */
    int32_t sets, step;         /* sums, products of an instruction or a sum */
    uint8_t order[SF8_TILE_K];  /* the k of each product */
    sf8_mma_decoded a[256], b[256];
    sf8_mma_tile tile;
} sf8_mma_tiles;

/* A part of the result, of no more rows and columns than a tile. */
typedef struct sf8_mma_block {
    size_t row, rows, column, columns;
} sf8_mma_block;

/* On a level; -1: by the definition alone. */
SF8_PRIVATE void sf8_mma_tiles_begin(sf8_mma_tiles *j, const sf8_mma *m, sf8_mma_operands x,
                                     size_t k, int32_t level);
/* The products first to end, from the words of a block on. */
SF8_PRIVATE void sf8_mma_tiles_sum(sf8_mma_tiles *j, sf8_mma_block at, size_t first, size_t end,
                                   uint32_t c[][SF8_TILE_COLUMNS]);

#endif
