/* SPDX-License-Identifier: MIT */
/* blocks.c -- matrices quantized in blocks, and read back */
#include "softfp8/core.h"
#include "softfp8_blocks.h"

#include <string.h>

size_t sf8_recipe_blocks(const sf8_recipe *recipe, size_t columns)
{
    size_t block = (size_t)recipe->block;
    return block == 0 ? columns != 0 : columns / block + (columns % block != 0);
}

static int32_t sf8_tensor_is(sf8_format a, sf8_format b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Bytes of a word; 0 for what no tensor is of. */
static size_t sf8_tensor_width(sf8_format f)
{
    return sf8_tensor_is(f, SF8_F32)                                 ? 4
           : sf8_tensor_is(f, SF8_BF16) || sf8_tensor_is(f, SF8_F16) ? 2
                                                                     : 0;
}

static sf8_status sf8_blocks_check(sf8_format f, size_t rows, size_t columns)
{
    if (sf8_tensor_width(f) == 0)
        return SF8_BAD_FORMAT;
    return rows != 0 && columns > PTRDIFF_MAX / 4 / rows ? SF8_BAD_CALL : SF8_OK;
}

/* The i-th word of a tensor as f32. */
static uint32_t sf8_tensor_load(sf8_format f, size_t width, const void *src, size_t i)
{
    uint32_t word;
    uint16_t half;
    if (width == 4) {
        memcpy(&word, (const unsigned char *)src + 4 * i, 4);
        return word;
    }
    memcpy(&half, (const unsigned char *)src + 2 * i, 2);
    if (f.exp_bits == 8)
        return (uint32_t)half << 16;
    return (uint32_t)sf8_core_convert(SF8_F32, SF8_F16, half, SF8_OCP_NOSAT, 0).code;
}

static void sf8_tensor_store(sf8_format f, size_t width, void *dst, size_t i, uint32_t word)
{
    if (width == 4) {
        memcpy((unsigned char *)dst + 4 * i, &word, 4);
        return;
    }
    uint16_t half = (uint16_t)sf8_core_convert(f, SF8_F32, word, SF8_OCP_NOSAT, 0).code;
    memcpy((unsigned char *)dst + 2 * i, &half, 2);
}

/* A block of `count` elements that begin at the i-th of the tensor. */
static void sf8_quantize_block(const sf8_recipe *r, sf8_block *b, uint8_t *codes, sf8_format from,
                               size_t width, const void *src, size_t i, size_t count, uint32_t g)
{
    sf8_block_begin(b, g);
    for (size_t k = 0; k < count; k++)
        sf8_block_take(r, b, sf8_tensor_load(from, width, src, i + k), k == 0);
    sf8_block_scale(r, b);
    for (size_t k = 0; k < count; k++)
        codes[i + k] = (uint8_t)sf8_block_code(r, b, sf8_tensor_load(from, width, src, i + k));
}

sf8_status sf8_quantize_n(const sf8_recipe *recipe, uint8_t *codes, uint32_t *scales,
                          uint32_t *offsets, sf8_format from, const void *src, size_t rows,
                          size_t columns, float g)
{
    sf8_status status = sf8_blocks_check(from, rows, columns);
    size_t width = sf8_tensor_width(from), at = 0;
    if (status != SF8_OK)
        return status;
    size_t block = recipe->block ? (size_t)recipe->block : columns;
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column += block) {
            size_t count = columns - column < block ? columns - column : block;
            sf8_block b;
            sf8_quantize_block(recipe, &b, codes, from, width, src, row * columns + column, count,
                               sf8_f32_bits(g));
            scales[at] = b.scale;
            if (recipe->offset_at == SF8_OFFSET_WORD)
                offsets[at] = b.offset;
            at++;
        }
    return SF8_OK;
}

sf8_status sf8_dequantize_n(const sf8_recipe *recipe, sf8_format to, void *dst,
                            const uint8_t *codes, const uint32_t *scales, const uint32_t *offsets,
                            size_t rows, size_t columns, float g)
{
    sf8_status status = sf8_blocks_check(to, rows, columns);
    size_t width = sf8_tensor_width(to), at = 0;
    if (status != SF8_OK)
        return status;
    size_t block = recipe->block ? (size_t)recipe->block : columns;
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column += block) {
            size_t count = columns - column < block ? columns - column : block;
            size_t first = row * columns + column;
            sf8_block b;
            sf8_block_begin(&b, 0);
            sf8_block_read(recipe, &b, scales[at],
                           recipe->offset_at == SF8_OFFSET_WORD ? offsets[at] : 0, sf8_f32_bits(g));
            if (recipe->factor_of.count)
                b.variable[SF8_VAR_f] = sf8_program_run(&recipe->factor_of, b.variable);
            for (size_t k = 0; k < count; k++)
                sf8_tensor_store(to, width, dst, first + k,
                                 sf8_block_value(recipe, &b, codes[first + k]));
            at++;
        }
    return SF8_OK;
}
