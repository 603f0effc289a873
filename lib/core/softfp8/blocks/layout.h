/* SPDX-License-Identifier: MIT */
/* layout.h -- where the scale of a block lies in memory
 *
 * The scales of a matrix are a matrix: a row of it for each row of elements, a column for each
 * block along it. The layouts here are those that matrix units and caches read. An offset is in
 * scales; (row, column) and offset are a bijection, but for the places that pad a tile.
 *
 *     linear     row * columns + column
 *     128x4      tiles of 128 rows and 4 columns, 512 scales each, those of a row of tiles side by
 *                side. In a tile 32 lines of 16: line r has the rows r, r + 32, r + 64, r + 96,
 *                four columns of each.
 *     8x4        tiles of 8 rows and 4 columns, 32 scales each, a tile row by row
 *     4-token    groups of 4 rows: column by column, the four rows side by side
 *
 * The last is how a cache keeps the scales of V, a row being a token. It is often written
 * as t' = t/4*4 + s/(S/4), s' = s%(S/4)*4 + t%4, offset = t'*S + s', with S columns; that is the
 * same where S is a multiple of 4, and leaves the page or collides where it is not.
 */
#ifndef SOFTFP8_LAYOUT_H
#define SOFTFP8_LAYOUT_H

#include "softfp8/number/bits.h"

enum { SF8_LAYOUT_LINEAR, SF8_LAYOUT_128X4, SF8_LAYOUT_8X4, SF8_LAYOUT_4TOKEN, SF8_LAYOUT_COUNT };
typedef uint32_t sf8_layout;

/* Of a tile: 0 rows where there are none. */
SF8_FN uint64_t sf8_layout_tile_rows(sf8_layout which)
{
    return which == SF8_LAYOUT_128X4 ? 128 : which == SF8_LAYOUT_8X4 ? 8 : 0;
}

SF8_FN uint64_t sf8_layout_tiles(uint64_t n, uint64_t side)
{
    return n / side + (n % side != 0);
}

/* Whether the layout has a place for each scale of such a matrix. */
SF8_FN uint32_t sf8_layout_fits(sf8_layout which, uint64_t rows, uint64_t columns)
{
    return which < SF8_LAYOUT_COUNT &&
           (which != SF8_LAYOUT_4TOKEN || (rows % 4 == 0 && columns % 4 == 0));
}

/* The places that a matrix takes, padding included; 0 if there are none, and UINT64_MAX if they are
 * 2^63 or more. */
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

/* The place of the scale in row i and column k of the matrix; of its columns the number is asked.
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

typedef struct sf8_place {
    uint64_t row, column;
} sf8_place;

/* What lies at an offset below the size. It is padding if the row or the column is not below those
 * of the matrix. There has to be a column. */
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
