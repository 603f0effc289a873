/* SPDX-License-Identifier: MIT */
/* tiles.c -- blocks of several rows by loops over lanes
 *
 * The rows of a block are copied one behind the other, and so are neighbouring blocks. They become
 * blocks of one row, for which there are loops. A choice between two scales is left to the core.
 */
#include "blocks/block_vector.h"
#include "blocks/tile.h"

#include <string.h>

/* The elements that are copied at a time: a block of 128 x 128. */
enum { SF8_TILES_MOST = 16384, SF8_TILES_BLOCKS = 256 };

/* Neighbouring blocks: rows of the matrix, columns, and the columns of a block. */
typedef struct sf8_tiles {
    size_t row, rows, column, columns, wide, count;
} sf8_tiles;

/* Starting at a block, takes all that fit and have the same width. */
static sf8_tiles sf8_tiles_from(const sf8_recipe *r, sf8_tile t, size_t columns)
{
    sf8_tiles s = {t.row, t.row_end - t.row, t.column, 0, t.column_end - t.column, 1};
    if (s.wide == (size_t)r->block) {
        s.count = SF8_TILES_MOST / (s.rows * s.wide);
        s.count = s.count < (size_t)SF8_TILES_BLOCKS ? s.count : (size_t)SF8_TILES_BLOCKS;
        if (s.count > (columns - t.column) / s.wide)
            s.count = (columns - t.column) / s.wide;
    }
    s.columns = s.wide * s.count;
    return s;
}

/* Where row i of block k is copied to. */
static size_t sf8_tiles_at(const sf8_tiles *s, size_t k, size_t i)
{
    return (k * s->rows + i) * s->wide;
}

static int32_t sf8_tiles_can(const sf8_recipe *r)
{
    return !sf8_recipe_chooses(r) && r->block != 0 &&
           sf8_recipe_rows(r) * (size_t)r->block <= SF8_TILES_MOST;
}

/* The recipe whose blocks of one row have the elements of these blocks. */
static sf8_recipe sf8_tiles_recipe(const sf8_recipe *r, const sf8_tiles *s)
{
    sf8_recipe flat = *r;
    flat.rows = 1;
    flat.block = (int32_t)(s->rows * s->wide);
    return flat;
}

static int32_t sf8_tiles_quantize_some(const sf8_level *level, const sf8_quantizing *q,
                                       const sf8_tiles *s, size_t at)
{
    unsigned char words[4 * SF8_TILES_MOST];
    uint8_t codes[SF8_TILES_MOST];
    size_t width = (size_t)sf8_format_bits(q->tensor) / 8;
    size_t bytes = sf8_packed_size(q->bits, q->columns);
    sf8_recipe flat = sf8_tiles_recipe(q->r, s);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t k = 0; k < s->count; k++)
            memcpy(words + sf8_tiles_at(s, k, i) * width,
                   q->src + ((s->row + i) * q->columns + s->column + k * s->wide) * width,
                   s->wide * width);
    sf8_quantizing row = *q;
    row.r = &flat;
    row.src = words;
    row.codes = codes;
    row.bits = 8;
    row.rows = 1;
    row.columns = s->rows * s->columns;
    row.scales = q->scales ? q->scales + at : NULL;
    row.offsets = q->offsets ? q->offsets + at : NULL;
    row.scale_bytes = q->scale_bytes ? q->scale_bytes + at : NULL;
    if (!sf8_lanes_quantize(level, &row))
        return 0;
    for (size_t i = 0; i < s->rows; i++)
        for (size_t k = 0; k < s->count; k++)
            sf8_codes_put(q->bits, q->codes + (s->row + i) * bytes, s->column + k * s->wide,
                          codes + sf8_tiles_at(s, k, i), s->wide);
    return 1;
}

SF8_PRIVATE int32_t sf8_tiles_quantize(const sf8_level *level, const sf8_quantizing *q)
{
    sf8_tile t;
    size_t at = 0;
    if (sf8_recipe_rows(q->r) == 1 && !sf8_recipe_chooses(q->r))
        return sf8_lanes_quantize(level, q);
    if (!sf8_tiles_can(q->r))
        return 0;
    sf8_tile_first(&t);
    while (sf8_tile_next(&t, q->r, q->rows, q->columns)) {
        sf8_tiles s = sf8_tiles_from(q->r, t, q->columns);
        if (!sf8_tiles_quantize_some(level, q, &s, at))
            return 0;
        t.column_end = s.column + s.columns;
        at += s.count;
    }
    return 1;
}

static int32_t sf8_tiles_dequantize_some(const sf8_level *level, const sf8_reading *d,
                                         const sf8_tiles *s, size_t at)
{
    unsigned char words[4 * SF8_TILES_MOST];
    uint8_t codes[SF8_TILES_MOST];
    size_t width = (size_t)sf8_format_bits(d->tensor) / 8;
    size_t bytes = sf8_packed_size(d->bits, d->columns);
    sf8_recipe flat = sf8_tiles_recipe(d->r, s);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t k = 0; k < s->count; k++)
            sf8_codes_get(d->bits, d->codes + (s->row + i) * bytes, s->column + k * s->wide,
                          codes + sf8_tiles_at(s, k, i), s->wide);
    sf8_reading row = *d;
    row.r = &flat;
    row.dst = words;
    row.codes = codes;
    row.bits = 8;
    row.rows = 1;
    row.columns = s->rows * s->columns;
    row.scales = d->scales ? d->scales + at : NULL;
    row.offsets = d->offsets ? d->offsets + at : NULL;
    row.scale_bytes = d->scale_bytes ? d->scale_bytes + at : NULL;
    if (!sf8_lanes_dequantize(level, &row))
        return 0;
    for (size_t i = 0; i < s->rows; i++)
        for (size_t k = 0; k < s->count; k++)
            memcpy(d->dst + ((s->row + i) * d->columns + s->column + k * s->wide) * width,
                   words + sf8_tiles_at(s, k, i) * width, s->wide * width);
    return 1;
}

/* A reader does not need the choice. */
SF8_PRIVATE int32_t sf8_tiles_dequantize(const sf8_level *level, const sf8_reading *d)
{
    sf8_tile t;
    size_t at = 0;
    if (sf8_recipe_rows(d->r) == 1)
        return sf8_lanes_dequantize(level, d);
    if (d->r->block == 0 || sf8_recipe_rows(d->r) * (size_t)d->r->block > SF8_TILES_MOST)
        return 0;
    sf8_tile_first(&t);
    while (sf8_tile_next(&t, d->r, d->rows, d->columns)) {
        sf8_tiles s = sf8_tiles_from(d->r, t, d->columns);
        if (!sf8_tiles_dequantize_some(level, d, &s, at))
            return 0;
        t.column_end = s.column + s.columns;
        at += s.count;
    }
    return 1;
}
