/* SPDX-License-Identifier: MIT */
/* tiles.c -- blocks of several rows by loops over lanes
 *
 * The rows of a block are copied one behind the other, and so are neighbouring blocks. They become
 * blocks of one row, for which there are loops. A choice between two scales is left to the core.
 */
#include "blocks/block_vector.h"

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

/* The recipe whose blocks of one row have the elements of these blocks. */
static sf8_recipe sf8_tiles_recipe(const sf8_recipe *r, const sf8_tiles *s)
{
    sf8_recipe flat = *r;
    flat.rows = 1;
    flat.block = (int32_t)(s->rows * s->wide);
    return flat;
}

/* Copies the elements of these blocks, one behind the other, or back. */
static void sf8_tiles_copy(const sf8_in_blocks *m, const sf8_tiles *s, unsigned char *words)
{
    size_t width = (size_t)sf8_format_bits(m->tensor) / 8;
    for (size_t i = 0; i < s->rows; i++)
        for (size_t k = 0; k < s->count; k++) {
            unsigned char *flat = words + sf8_tiles_at(s, k, i) * width;
            unsigned char *at = m->words +
                                ((s->row + i) * m->columns + s->column + k * s->wide) * width;
            memcpy(m->back ? at : flat, m->back ? flat : at, s->wide * width);
        }
}

static void sf8_tiles_codes(const sf8_in_blocks *m, const sf8_tiles *s, uint8_t *codes)
{
    size_t bytes = sf8_packed_size(m->bits, m->columns);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t k = 0; k < s->count; k++) {
            uint8_t *flat = codes + sf8_tiles_at(s, k, i), *row = m->codes + (s->row + i) * bytes;
            if (m->back)
                sf8_codes_get(m->bits, row, s->column + k * s->wide, flat, s->wide);
            else
                sf8_codes_put(m->bits, row, s->column + k * s->wide, flat, s->wide);
        }
}

/* Blocks of one row. */
static int32_t sf8_lanes_convert(const sf8_level *level, const sf8_in_blocks *m)
{
#if SF8_HAS_X86
    return m->back ? sf8_lanes_dequantize(level, m) : sf8_lanes_quantize(level, m);
#else
    (void)level;
    (void)m;
    return 0;
#endif
}

/* `at` is the number of the first block. */
static int32_t sf8_tiles_some(const sf8_level *level, const sf8_in_blocks *m, const sf8_tiles *s,
                              size_t at)
{
    unsigned char words[4 * SF8_TILES_MOST];
    uint8_t codes[SF8_TILES_MOST];
    sf8_recipe flat = sf8_tiles_recipe(m->r, s);
    sf8_in_blocks row = *m;
    row.r = &flat;
    row.words = words;
    row.codes = codes;
    row.bits = 8;
    row.rows = 1;
    row.columns = s->rows * s->columns;
    row.scales = m->scales ? m->scales + at : NULL;
    row.offsets = m->offsets ? m->offsets + at : NULL;
    row.scale_bytes = m->scale_bytes ? m->scale_bytes + at : NULL;
    if (m->back)
        sf8_tiles_codes(m, s, codes);
    else
        sf8_tiles_copy(m, s, words);
    if (!sf8_lanes_convert(level, &row))
        return 0;
    if (m->back)
        sf8_tiles_copy(m, s, words);
    else
        sf8_tiles_codes(m, s, codes);
    return 1;
}

/* A reader does not need the choice. */
SF8_PRIVATE int32_t sf8_tiles_convert(const sf8_level *level, const sf8_in_blocks *m)
{
    sf8_tile t;
    size_t high = sf8_recipe_rows(m->r), wide = sf8_tile_wide(m->r, m->columns), at = 0;
    if (!m->back && sf8_recipe_chooses(m->r))
        return 0;
    if (high == 1)
        return sf8_lanes_convert(level, m);
    if (m->r->block == 0 || high * wide > SF8_TILES_MOST)
        return 0;
    sf8_tile_first(&t);
    while (sf8_tile_next(&t, high, wide, m->rows, m->columns)) {
        sf8_tiles s = sf8_tiles_from(m->r, t, m->columns);
        if (!sf8_tiles_some(level, m, &s, at))
            return 0;
        t.column_end = s.column + s.columns;
        at += s.count;
    }
    return 1;
}
