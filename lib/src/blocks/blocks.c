/* SPDX-License-Identifier: MIT */
/* blocks.c -- matrices quantized in blocks, and read back */
#include "blocks/given.h"
#include "blocks/block_vector.h"
#include "scalar/tensor_word.h"
#include "text/names.h"

#include <string.h>

size_t sf8_recipe_blocks(const sf8_recipe *recipe, size_t columns)
{
    size_t block = (size_t)recipe->block;
    return block == 0 ? columns != 0 : columns / block + (columns % block != 0);
}

sf8_status sf8_recipe_g(const sf8_recipe *recipe, sf8_format tensor, float amax, float *g)
{
    sf8_recipe own;
    sf8_status status = sf8_matrix_check(tensor, 0, 0);
    if (status == SF8_OK && (recipe->has_g == SF8_G_NONE || recipe->g_of.count == 0))
        status = SF8_BAD_CALL;
    if (status != SF8_OK)
        return status;
    uint32_t word = sf8_recipe_g_word(sf8_recipe_for(recipe, tensor, &own), sf8_f32_bits(amax));
    memcpy(g, &word, sizeof word);
    return SF8_OK;
}

size_t sf8_recipe_scale_rows(const sf8_recipe *recipe, size_t rows)
{
    size_t each = sf8_recipe_rows(recipe);
    return rows / each + (rows % each != 0);
}

/* ---- by the core, one by one ----------------------------------------------------------------- */

static uint32_t sf8_blocks_word(void *from, size_t row, size_t column)
{
    const sf8_in_blocks *m = (const sf8_in_blocks *)from;
    return sf8_word_load(m->tensor, m->words, row * m->columns + column);
}

static void sf8_dequantize_tile(const sf8_in_blocks *d, sf8_tile t, size_t at)
{
    size_t bytes = sf8_packed_size(d->bits, d->columns);
    sf8_block b;
    sf8_block_read(d->r, &b, d->scale_bytes ? d->scale_bytes[at] : d->scales[at],
                   d->r->offset_at == SF8_OFFSET_WORD ? d->offsets[at] : 0, d->g);
    for (size_t row = t.row; row < t.row_end; row++)
        for (size_t column = t.column; column < t.column_end; column++) {
            uint8_t code;
            sf8_codes_get(d->bits, d->codes + row * bytes, column, &code, 1);
            sf8_word_store(d->tensor, d->words, row * d->columns + column,
                           sf8_block_value(d->r, &b, code));
        }
}

SF8_PRIVATE void sf8_blocks_by_core(sf8_in_blocks *m, size_t high, size_t wide)
{
    sf8_tile t;
    size_t at = 0;
    if (!m->back)
        sf8_quantize_tiles(m, high, wide, sf8_blocks_word, m);
    else
        for (sf8_tile_first(&t); sf8_tile_next(&t, high, wide, m->rows, m->columns); at++)
            sf8_dequantize_tile(m, t, at);
}

/* ---- by loops over lanes where there are, else by the core ----------------------------------- */

static sf8_status sf8_blocks_convert(const sf8_level *level, const sf8_in_blocks *call)
{
    sf8_in_blocks m = *call;
    sf8_recipe own;
    const void *scales = m.scales ? (const void *)m.scales : m.scale_bytes;
    if (!level)
        return SF8_UNKNOWN_NAME;
    sf8_status status = sf8_blocks_given(m.r, m.codes, scales, m.offsets, m.words, m.rows,
                                         m.columns);
    if (status == SF8_OK)
        status = sf8_matrix_check(m.tensor, m.rows, m.columns);
    if (status != SF8_OK)
        return status;
    m.r = sf8_recipe_for(m.r, m.tensor, &own);
    if (!level->blocks || !sf8_tiles_convert(level, &m))
        sf8_blocks_by_core(&m, sf8_recipe_rows(m.r), sf8_tile_wide(m.r, m.columns));
    return SF8_OK;
}

/* With nibbles=half, whole blocks are converted to one code a byte and then packed, a piece at a
 * time. */
enum { SF8_HALVES_PIECE = 4096 };

static size_t sf8_halves_piece(const sf8_recipe *r, size_t left)
{
    size_t block = (size_t)r->block, most = SF8_HALVES_PIECE / block * block;
    return left < most ? left : most;
}

static sf8_status sf8_halves_check(sf8_format tensor, const sf8_recipe *r, size_t rows,
                                   size_t columns)
{
    sf8_status status = sf8_matrix_check(tensor, rows, columns);
    if (status == SF8_OK && (r->block > SF8_HALVES_PIECE || columns % (size_t)r->block != 0))
        return SF8_BAD_CALL;
    return status;
}

static sf8_status sf8_blocks_halves(const sf8_level *level, const sf8_in_blocks *whole)
{
    uint8_t codes[SF8_HALVES_PIECE];
    size_t n, columns = whole->columns, width = (size_t)sf8_format_bits(whole->tensor) / 8;
    sf8_status status = sf8_halves_check(whole->tensor, whole->r, whole->rows, columns);
    for (size_t at = 0; status == SF8_OK && at < whole->rows * columns; at += n) {
        sf8_in_blocks m = *whole;
        uint8_t *packed = whole->codes + at / 2;
        n = sf8_halves_piece(m.r, columns - at % columns);
        m.words += at * width;
        m.scale_bytes += at / (size_t)m.r->block;
        m.rows = 1;
        m.columns = n;
        m.bits = 8;
        m.codes = codes;
        if (m.back)
            (void)sf8_recipe_unpack_n(m.r, codes, packed, n);
        status = sf8_blocks_convert(level, &m);
        if (!m.back)
            (void)sf8_recipe_pack_n(m.r, packed, codes, n);
    }
    return status;
}

/* Packed codes need scales of one byte, and no offsets. */
static sf8_status sf8_blocks_packed(const sf8_level *level, sf8_in_blocks m, const uint8_t *scales)
{
    if (!level)
        return SF8_UNKNOWN_NAME;
    if (sf8_blocks_given(m.r, m.codes, scales, scales, m.words, m.rows, m.columns) != SF8_OK ||
        sf8_format_bits(m.r->scale) > 8 || m.r->offset_at != SF8_OFFSET_NONE)
        return SF8_BAD_CALL;
    m.bits = (int32_t)sf8_recipe_bits(m.r);
    m.scale_bytes = (uint8_t *)scales;
    return m.r->nibbles == SF8_NIBBLES_HALF ? sf8_blocks_halves(level, &m)
                                            : sf8_blocks_convert(level, &m);
}

/* ---- the entry points ------------------------------------------------------------------------ */

sf8_status sf8_quantize_n(const sf8_recipe *recipe, uint8_t *codes, uint32_t *scales,
                          uint32_t *offsets, sf8_format from, const void *src, size_t rows,
                          size_t columns, float g)
{
    sf8_in_blocks m = sf8_in_blocks_of(0, recipe, codes, scales, offsets, from, src, rows, columns,
                                       g);
    return sf8_blocks_convert(sf8_level_now(), &m);
}

sf8_status sf8_quantize_n_at(const char *level, const sf8_recipe *recipe, uint8_t *codes,
                             uint32_t *scales, uint32_t *offsets, sf8_format from, const void *src,
                             size_t rows, size_t columns, float g)
{
    sf8_in_blocks m = sf8_in_blocks_of(0, recipe, codes, scales, offsets, from, src, rows, columns,
                                       g);
    return sf8_blocks_convert(sf8_level_named(level), &m);
}

sf8_status sf8_dequantize_n(const sf8_recipe *recipe, sf8_format to, void *dst,
                            const uint8_t *codes, const uint32_t *scales, const uint32_t *offsets,
                            size_t rows, size_t columns, float g)
{
    sf8_in_blocks m = sf8_in_blocks_of(1, recipe, codes, scales, offsets, to, dst, rows, columns,
                                       g);
    return sf8_blocks_convert(sf8_level_now(), &m);
}

sf8_status sf8_dequantize_n_at(const char *level, const sf8_recipe *recipe, sf8_format to,
                               void *dst, const uint8_t *codes, const uint32_t *scales,
                               const uint32_t *offsets, size_t rows, size_t columns, float g)
{
    sf8_in_blocks m = sf8_in_blocks_of(1, recipe, codes, scales, offsets, to, dst, rows, columns,
                                       g);
    return sf8_blocks_convert(sf8_level_named(level), &m);
}

sf8_status sf8_quantize_packed_n(const sf8_recipe *recipe, uint8_t *packed, uint8_t *scales,
                                 sf8_format from, const void *src, size_t rows, size_t columns,
                                 float g)
{
    return sf8_blocks_packed(
        sf8_level_now(),
        sf8_in_blocks_of(0, recipe, packed, NULL, NULL, from, src, rows, columns, g), scales);
}

sf8_status sf8_dequantize_packed_n(const sf8_recipe *recipe, sf8_format to, void *dst,
                                   const uint8_t *packed, const uint8_t *scales, size_t rows,
                                   size_t columns, float g)
{
    return sf8_blocks_packed(
        sf8_level_now(), sf8_in_blocks_of(1, recipe, packed, NULL, NULL, to, dst, rows, columns, g),
        scales);
}

sf8_status sf8_quantize_packed_n_at(const char *level, const sf8_recipe *recipe, uint8_t *packed,
                                    uint8_t *scales, sf8_format from, const void *src, size_t rows,
                                    size_t columns, float g)
{
    return sf8_blocks_packed(
        sf8_level_named(level),
        sf8_in_blocks_of(0, recipe, packed, NULL, NULL, from, src, rows, columns, g), scales);
}

sf8_status sf8_dequantize_packed_n_at(const char *level, const sf8_recipe *recipe, sf8_format to,
                                      void *dst, const uint8_t *packed, const uint8_t *scales,
                                      size_t rows, size_t columns, float g)
{
    return sf8_blocks_packed(
        sf8_level_named(level),
        sf8_in_blocks_of(1, recipe, packed, NULL, NULL, to, dst, rows, columns, g), scales);
}
