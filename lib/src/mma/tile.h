/* SPDX-License-Identifier: MIT */
/* tile.h -- tiles of a product of matrices: the data of the loops over lanes
 *
 * A tile is the operands of one sum for each of its elements, decoded. Each loop computes a row of
 * it, all columns in parallel. If a loop cannot compute an element, it marks it and leaves it
 * unchanged; the definition computes that one.
 */
#ifndef SF8_MMA_TILE_H
#define SF8_MMA_TILE_H

#include "levels/level.h"
#include "softfp8_mma.h"

enum {
    SF8_TILE_ROWS = 64,
    SF8_TILE_COLUMNS = 64,
    SF8_TILE_K = 32,     /* products, of all sets together */
    SF8_TILE_SETS = 2,   /* the separate sums of an instruction, which have different products */
    SF8_TILE_GROUPS = 4, /* groups of a sum, and products of each */
    SF8_TILE_GROUP = 16,
    SF8_TILE_NONE = -1000, /* the exponent of a missing product; also the sum of two is below all
                              others */
};

/* With a largest term between these exponents, all sums of `values` are normal f32 numbers. Below,
 * all products are zero; above, they contribute nothing beside the accumulator. A compiler with
 * -ffast-math may first multiply one value by the power of two of such an exponent. That is finite:
 * an infinity times the other value, which may be zero, would be NaN. */
enum { SF8_TILE_LEAST = -60, SF8_TILE_LARGEST = 119 };

/* How a unit's sums are computed. `values`: the numbers themselves, if products times any power of
 * two stay in the range of f32. `parts`: significands and exponents. `groups`: integers. */
enum { SF8_TILE_VALUES, SF8_TILE_PARTS, SF8_TILE_GROUPED };

/* This many bits of mantissa are kept, and shifted to their place in the result. With `positive`, a
 * sum that is rounded to zero has no sign. */
typedef struct sf8_mma_rounding {
    int32_t kept, shift, nearest, positive;
} sf8_mma_rounding;

/* Products set * count to (set + 1) * count - 1 are a set. b is transposed, so that columns are
 * neighbours; `columns`, a multiple of 32, are computed. A floor is the unit's exponent of zero
 * where one of the operands of a set is zero. */
typedef struct sf8_mma_tile {
    int32_t way, count, columns, fraction, zero;
    int32_t man, bias, mag_mask, sign; /* of accumulators and results */
    int32_t point;                     /* of the product of a group and its scales */
    sf8_mma_rounding sum, addition;
    int16_t a_exp[SF8_TILE_ROWS][SF8_TILE_K];
    int16_t b_exp[SF8_TILE_K][SF8_TILE_COLUMNS];
    int16_t a_floor[SF8_TILE_SETS][SF8_TILE_ROWS], b_floor[SF8_TILE_SETS][SF8_TILE_COLUMNS];
    int32_t a_special[SF8_TILE_ROWS], b_special[SF8_TILE_COLUMNS]; /* -1 or 0 */
    /* of groups: the elements in the smallest unit, and the significands and exponents of the
     * scales */
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

/* The sums of the products of a row: for each column the largest exponent, and two partial sums in
 * units of 2^(top - fraction). */
typedef struct sf8_mma_partial {
    int16_t top[SF8_TILE_COLUMNS];
    int32_t first[SF8_TILE_COLUMNS], other[SF8_TILE_COLUMNS];
} sf8_mma_partial;

/* The loops of a level. `left` becomes -1 where the definition must compute an element, whose value
 * then stays unchanged. The loops return a nonzero value if there is such an element. */
typedef struct sf8_mma_loops {
    /* Sums of a set with the accumulators c, for one row. */
    int32_t (*sum)(const sf8_mma_tile *t, int32_t set, size_t row, uint32_t *c, int32_t *left);
    /* Sums of the products alone, with exponents of at least p->top. */
    void (*products)(const sf8_mma_tile *t, int32_t set, size_t row, sf8_mma_partial *p);
    /* c + x as IEEE 754 adds. */
    int32_t (*add)(const sf8_mma_tile *t, uint32_t *c, const uint32_t *x, int32_t *left);
} sf8_mma_loops;

/* Decodes a code for the loops: the value or the significand, and the exponent. */
typedef struct sf8_mma_decoded {
    float value;
    int16_t exponent, special; /* -1 or 0 */
} sf8_mma_decoded;

/* A product of matrices: its tile, and the decoded codes of up to 8 bits. */
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

/* A part of the result, with at most the rows and columns of a tile. */
typedef struct sf8_mma_block {
    size_t row, rows, column, columns;
} sf8_mma_block;

/* Prepares a product on a level. */
SF8_PRIVATE void sf8_mma_tiles_begin(sf8_mma_tiles *j, const sf8_mma *m, sf8_mma_operands x,
                                     size_t k, const sf8_level *level);
/* Decodes the operands of the products `first` and on for the loops. */
SF8_PRIVATE void sf8_mma_tiles_load(sf8_mma_tiles *j, sf8_mma_block at, size_t first);
/* Adds the products of a row that are loaded to its results. Returns a nonzero value if some of
 * them are marked in `left`, which stay as they were. */
SF8_PRIVATE int32_t sf8_mma_tiles_row(const sf8_mma_tiles *j, size_t r, size_t columns, uint32_t *c,
                                      int32_t *left);
/* Computes the products first to end - 1, beginning with the results of a block. */
SF8_PRIVATE void sf8_mma_tiles_sum(sf8_mma_tiles *j, sf8_mma_block at, size_t first, size_t end,
                                   uint32_t c[][SF8_TILE_COLUMNS]);

#endif
