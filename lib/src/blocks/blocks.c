/* SPDX-License-Identifier: MIT */
/* blocks.c -- matrices quantized in blocks, and read back */
#include "blocks/given.h"
#include "blocks/block_vector.h"
#include "blocks/tile.h"
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

static uint32_t sf8_quantizing_word(void *from, size_t row, size_t column)
{
    const sf8_quantizing *q = (const sf8_quantizing *)from;
    return sf8_word_load(q->tensor, q->src, row * q->columns + column);
}

static void sf8_quantize_tile(sf8_quantizing *q, sf8_tile t, size_t at)
{
    size_t bytes = sf8_packed_size(q->bits, q->columns);
    sf8_block b;
    sf8_tile_scale(q->r, &b, q->g, t, sf8_quantizing_word, q);
    for (size_t row = t.row; row < t.row_end; row++)
        for (size_t column = t.column; column < t.column_end; column++) {
            uint8_t code = (uint8_t)sf8_block_code(q->r, &b, sf8_quantizing_word(q, row, column));
            sf8_codes_put(q->bits, q->codes + row * bytes, column, &code, 1);
        }
    if (q->scale_bytes)
        q->scale_bytes[at] = (uint8_t)b.scale;
    else
        q->scales[at] = b.scale;
    if (q->r->offset_at == SF8_OFFSET_WORD)
        q->offsets[at] = b.offset;
}

static void sf8_quantize_rows(sf8_quantizing *q)
{
    sf8_tile t;
    size_t at = 0;
    for (sf8_tile_first(&t); sf8_tile_next(&t, q->r, q->rows, q->columns); at++)
        sf8_quantize_tile(q, t, at);
}

static void sf8_dequantize_tile(const sf8_reading *d, sf8_block *b, sf8_tile t)
{
    size_t bytes = sf8_packed_size(d->bits, d->columns);
    for (size_t row = t.row; row < t.row_end; row++)
        for (size_t column = t.column; column < t.column_end; column++) {
            uint8_t code;
            sf8_codes_get(d->bits, d->codes + row * bytes, column, &code, 1);
            sf8_word_store(d->tensor, d->dst, row * d->columns + column,
                           sf8_block_value(d->r, b, code));
        }
}

static void sf8_dequantize_rows(const sf8_reading *d)
{
    sf8_tile t;
    size_t at = 0;
    for (sf8_tile_first(&t); sf8_tile_next(&t, d->r, d->rows, d->columns); at++) {
        sf8_block b;
        sf8_block_read(d->r, &b, d->scale_bytes ? d->scale_bytes[at] : d->scales[at],
                       d->r->offset_at == SF8_OFFSET_WORD ? d->offsets[at] : 0, d->g);
        sf8_dequantize_tile(d, &b, t);
    }
}

/* ---- by loops over lanes where there are, else by the core ----------------------------------- */

/* Packed codes need scales of one byte, and no offsets. */
static sf8_status sf8_blocks_pack_check(const sf8_recipe *r, const void *packed, const void *scales,
                                        const void *matrix, size_t rows, size_t columns)
{
    if (sf8_blocks_given(r, packed, scales, scales, matrix, rows, columns) != SF8_OK)
        return SF8_BAD_CALL;
    return sf8_format_bits(r->scale) > 8 || r->offset_at != SF8_OFFSET_NONE ? SF8_BAD_CALL : SF8_OK;
}

static sf8_status sf8_quantize_level(const sf8_level *level, const sf8_quantizing *call)
{
    sf8_quantizing q = *call;
    sf8_recipe own;
    const void *scales = q.scales ? (const void *)q.scales : q.scale_bytes;
    if (!level)
        return SF8_UNKNOWN_NAME;
    sf8_status status = sf8_blocks_given(q.r, q.codes, scales, q.offsets, q.src, q.rows, q.columns);
    if (status == SF8_OK)
        status = sf8_matrix_check(q.tensor, q.rows, q.columns);
    if (status != SF8_OK)
        return status;
    q.r = sf8_recipe_for(q.r, q.tensor, &own);
    if (!level->blocks || !sf8_tiles_quantize(level, &q))
        sf8_quantize_rows(&q);
    return SF8_OK;
}

static sf8_status sf8_dequantize_level(const sf8_level *level, const sf8_reading *call)
{
    sf8_reading d = *call;
    sf8_recipe own;
    const void *scales = d.scales ? (const void *)d.scales : d.scale_bytes;
    if (!level)
        return SF8_UNKNOWN_NAME;
    sf8_status status = sf8_blocks_given(d.r, d.codes, scales, d.offsets, d.dst, d.rows, d.columns);
    if (status == SF8_OK)
        status = sf8_matrix_check(d.tensor, d.rows, d.columns);
    if (status != SF8_OK)
        return status;
    d.r = sf8_recipe_for(d.r, d.tensor, &own);
    if (!level->blocks || !sf8_tiles_dequantize(level, &d))
        sf8_dequantize_rows(&d);
    return SF8_OK;
}

static sf8_quantizing sf8_quantizing_of(const sf8_recipe *r, uint8_t *codes, sf8_format from,
                                        const void *src, size_t rows, size_t columns, float g)
{
    sf8_quantizing q = {
        r,    from, (const unsigned char *)src, rows, columns, sf8_f32_bits(g), codes, 8, NULL,
        NULL, NULL};
    return q;
}

static sf8_reading sf8_reading_of(const sf8_recipe *r, sf8_format to, void *dst,
                                  const uint8_t *codes, size_t rows, size_t columns, float g)
{
    sf8_reading d = {
        r, to, (unsigned char *)dst, rows, columns, sf8_f32_bits(g), codes, 8, NULL, NULL, NULL};
    return d;
}

/* ---- the entry points ------------------------------------------------------------------------ */

sf8_status sf8_quantize_n(const sf8_recipe *recipe, uint8_t *codes, uint32_t *scales,
                          uint32_t *offsets, sf8_format from, const void *src, size_t rows,
                          size_t columns, float g)
{
    sf8_quantizing q = sf8_quantizing_of(recipe, codes, from, src, rows, columns, g);
    q.scales = scales;
    q.offsets = offsets;
    return sf8_quantize_level(sf8_level_now(), &q);
}

sf8_status sf8_quantize_n_at(const char *level, const sf8_recipe *recipe, uint8_t *codes,
                             uint32_t *scales, uint32_t *offsets, sf8_format from, const void *src,
                             size_t rows, size_t columns, float g)
{
    sf8_quantizing q = sf8_quantizing_of(recipe, codes, from, src, rows, columns, g);
    q.scales = scales;
    q.offsets = offsets;
    return sf8_quantize_level(sf8_level_named(level), &q);
}

sf8_status sf8_dequantize_n(const sf8_recipe *recipe, sf8_format to, void *dst,
                            const uint8_t *codes, const uint32_t *scales, const uint32_t *offsets,
                            size_t rows, size_t columns, float g)
{
    sf8_reading d = sf8_reading_of(recipe, to, dst, codes, rows, columns, g);
    d.scales = scales;
    d.offsets = offsets;
    return sf8_dequantize_level(sf8_level_now(), &d);
}

sf8_status sf8_dequantize_n_at(const char *level, const sf8_recipe *recipe, sf8_format to,
                               void *dst, const uint8_t *codes, const uint32_t *scales,
                               const uint32_t *offsets, size_t rows, size_t columns, float g)
{
    sf8_reading d = sf8_reading_of(recipe, to, dst, codes, rows, columns, g);
    d.scales = scales;
    d.offsets = offsets;
    return sf8_dequantize_level(sf8_level_named(level), &d);
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

static sf8_status sf8_quantize_halves(const sf8_level *level, const sf8_quantizing *whole)
{
    uint8_t codes[SF8_HALVES_PIECE];
    size_t n, columns = whole->columns, width = (size_t)sf8_format_bits(whole->tensor) / 8;
    sf8_status status = sf8_halves_check(whole->tensor, whole->r, whole->rows, columns);
    for (size_t at = 0; status == SF8_OK && at < whole->rows * columns; at += n) {
        sf8_quantizing q = *whole;
        n = sf8_halves_piece(q.r, columns - at % columns);
        q.src += at * width;
        q.scale_bytes += at / (size_t)q.r->block;
        q.rows = 1;
        q.columns = n;
        q.bits = 8;
        q.codes = codes;
        status = sf8_quantize_level(level, &q);
        (void)sf8_recipe_pack_n(q.r, whole->codes + at / 2, codes, n);
    }
    return status;
}

static sf8_status sf8_dequantize_halves(const sf8_level *level, const sf8_reading *whole)
{
    uint8_t codes[SF8_HALVES_PIECE];
    size_t n, columns = whole->columns, width = (size_t)sf8_format_bits(whole->tensor) / 8;
    sf8_status status = sf8_halves_check(whole->tensor, whole->r, whole->rows, columns);
    for (size_t at = 0; status == SF8_OK && at < whole->rows * columns; at += n) {
        sf8_reading d = *whole;
        n = sf8_halves_piece(d.r, columns - at % columns);
        d.dst += at * width;
        d.scale_bytes += at / (size_t)d.r->block;
        d.rows = 1;
        d.columns = n;
        d.bits = 8;
        d.codes = codes;
        (void)sf8_recipe_unpack_n(d.r, codes, whole->codes + at / 2, n);
        status = sf8_dequantize_level(level, &d);
    }
    return status;
}

static sf8_status sf8_quantize_packed(const sf8_level *level, const sf8_recipe *recipe,
                                      uint8_t *packed, uint8_t *scales, sf8_format from,
                                      const void *src, size_t rows, size_t columns, float g)
{
    sf8_quantizing q = sf8_quantizing_of(recipe, packed, from, src, rows, columns, g);
    sf8_status status = level ? sf8_blocks_pack_check(recipe, packed, scales, src, rows, columns)
                              : SF8_UNKNOWN_NAME;
    if (status != SF8_OK)
        return status;
    q.bits = (int32_t)sf8_recipe_bits(recipe);
    q.scale_bytes = scales;
    return recipe->nibbles == SF8_NIBBLES_HALF ? sf8_quantize_halves(level, &q)
                                               : sf8_quantize_level(level, &q);
}

static sf8_status sf8_dequantize_packed(const sf8_level *level, const sf8_recipe *recipe,
                                        sf8_format to, void *dst, const uint8_t *packed,
                                        const uint8_t *scales, size_t rows, size_t columns, float g)
{
    sf8_reading d = sf8_reading_of(recipe, to, dst, packed, rows, columns, g);
    sf8_status status = level ? sf8_blocks_pack_check(recipe, packed, scales, dst, rows, columns)
                              : SF8_UNKNOWN_NAME;
    if (status != SF8_OK)
        return status;
    d.bits = (int32_t)sf8_recipe_bits(recipe);
    d.scale_bytes = scales;
    return recipe->nibbles == SF8_NIBBLES_HALF ? sf8_dequantize_halves(level, &d)
                                               : sf8_dequantize_level(level, &d);
}

sf8_status sf8_quantize_packed_n(const sf8_recipe *recipe, uint8_t *packed, uint8_t *scales,
                                 sf8_format from, const void *src, size_t rows, size_t columns,
                                 float g)
{
    return sf8_quantize_packed(sf8_level_now(), recipe, packed, scales, from, src, rows, columns,
                               g);
}

sf8_status sf8_dequantize_packed_n(const sf8_recipe *recipe, sf8_format to, void *dst,
                                   const uint8_t *packed, const uint8_t *scales, size_t rows,
                                   size_t columns, float g)
{
    return sf8_dequantize_packed(sf8_level_now(), recipe, to, dst, packed, scales, rows, columns,
                                 g);
}

sf8_status sf8_quantize_packed_n_at(const char *level, const sf8_recipe *recipe, uint8_t *packed,
                                    uint8_t *scales, sf8_format from, const void *src, size_t rows,
                                    size_t columns, float g)
{
    return sf8_quantize_packed(sf8_level_named(level), recipe, packed, scales, from, src, rows,
                               columns, g);
}

sf8_status sf8_dequantize_packed_n_at(const char *level, const sf8_recipe *recipe, sf8_format to,
                                      void *dst, const uint8_t *packed, const uint8_t *scales,
                                      size_t rows, size_t columns, float g)
{
    return sf8_dequantize_packed(sf8_level_named(level), recipe, to, dst, packed, scales, rows,
                                 columns, g);
}
