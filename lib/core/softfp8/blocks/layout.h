/* SPDX-License-Identifier: MIT */
/** @file
 * layout.h -- where the scale of a block lies in memory
 *
 * The scales of a matrix form a matrix of their own: it has a row for each row of elements and a
 * column for each block of a row. The layouts here are those that matrix units and caches read. An
 * offset counts scales. Each (row, column) has one offset; the other offsets pad a tile.
 *
 *     linear     row * columns + column
 *     128x4      tiles of 128 rows and 4 columns, 512 scales each; the tiles of a row of tiles
 *                follow one another. A tile is 32 lines of 16 scales: line r has four columns of
 *                each of the rows r, r + 32, r + 64 and r + 96.
 *     8x4        tiles of 8 rows and 4 columns, 32 scales each; a tile is stored row by row
 *     4-token    groups of 4 rows: column by column, the four rows side by side
 *
 * The last one is how a cache keeps the scales of V, where a row is a token. It is often written
 * as t' = t/4*4 + s/(S/4), s' = s%(S/4)*4 + t%4, offset = t'*S + s', with S columns. That is the
 * same if S is a multiple of 4. Otherwise the formula leaves the page or gives one offset twice.
 */
#ifndef SOFTFP8_LAYOUT_H
#define SOFTFP8_LAYOUT_H

#include "softfp8/number/bits.h"

/** The layouts. */
enum { SF8_LAYOUT_LINEAR, SF8_LAYOUT_128X4, SF8_LAYOUT_8X4, SF8_LAYOUT_4TOKEN, SF8_LAYOUT_COUNT };
/** One of SF8_LAYOUT_*. */
typedef uint32_t sf8_layout;

/** Returns the number of rows of a tile; 0 for a layout without tiles. */
SF8_FN uint64_t sf8_layout_tile_rows(sf8_layout which)
{
    return which == SF8_LAYOUT_128X4 ? 128 : which == SF8_LAYOUT_8X4 ? 8 : 0;
}

/** Returns how many tiles of length `side` cover n. */
SF8_FN uint64_t sf8_layout_tiles(uint64_t n, uint64_t side)
{
    return n / side + (n % side != 0);
}

/** Returns 1 if the layout has a place for each scale of a matrix of this size, else 0. */
SF8_FN uint32_t sf8_layout_fits(sf8_layout which, uint64_t rows, uint64_t columns)
{
    return which < SF8_LAYOUT_COUNT &&
           (which != SF8_LAYOUT_4TOKEN || (rows % 4 == 0 && columns % 4 == 0));
}

/** Returns the number of scales that a matrix takes, padding included; UINT64_MAX if that is 2^63
 * or more. */
SF8_FN uint64_t sf8_layout_size(sf8_layout which, uint64_t rows, uint64_t columns)
{
    const uint64_t most = UINT64_C(1) << 63;
    uint64_t side = sf8_layout_tile_rows(which);
    if (side != 0) {
        if (rows > most || columns > most)
            return UINT64_MAX;
        rows = side * sf8_layout_tiles(rows, side);
        columns = 4 * sf8_layout_tiles(columns, 4);
    }
    return rows != 0 && columns > (most - 1) / rows ? UINT64_MAX : rows * columns;
}

/** Returns the offset of the scale in row i and column k of a matrix with this number of columns.
 */
SF8_FN uint64_t sf8_layout_offset(sf8_layout which, uint64_t columns, uint64_t i, uint64_t k)
{
    uint64_t tile = i / 128 * sf8_layout_tiles(columns, 4) + k / 4;
    switch (which) {
    case SF8_LAYOUT_128X4:
        return tile * 512 + i % 32 * 16 + i / 32 % 4 * 4 + k % 4;
    case SF8_LAYOUT_8X4:
        tile = i / 8 * sf8_layout_tiles(columns, 4) + k / 4;
        return tile * 32 + i % 8 * 4 + k % 4;
    case SF8_LAYOUT_4TOKEN:
        return i / 4 * 4 * columns + k * 4 + i % 4;
    default:
        return i * columns + k;
    }
}

/** A position in the matrix of scales. */
typedef struct sf8_place {
    uint64_t row, column;
} sf8_place;

/** Returns the position of the scale at an offset, which must be below sf8_layout_size(). It is
 * padding if its row or column is not below that of the matrix. `columns` must not be 0. */
SF8_FN sf8_place sf8_layout_place(sf8_layout which, uint64_t columns, uint64_t offset)
{
    uint64_t across = sf8_layout_tiles(columns, 4), tile, in;
    sf8_place p;
    switch (which) {
    case SF8_LAYOUT_128X4:
        tile = offset / 512;
        in = offset % 512;
        p.row = tile / across * 128 + in / 4 % 4 * 32 + in / 16;
        p.column = tile % across * 4 + in % 4;
        break;
    case SF8_LAYOUT_8X4:
        tile = offset / 32;
        in = offset % 32;
        p.row = tile / across * 8 + in / 4;
        p.column = tile % across * 4 + in % 4;
        break;
    case SF8_LAYOUT_4TOKEN:
        in = offset % (4 * columns);
        p.row = offset / (4 * columns) * 4 + in % 4;
        p.column = in / 4;
        break;
    default:
        p.row = offset / columns;
        p.column = offset % columns;
        break;
    }
    return p;
}

#endif
