/* SPDX-License-Identifier: MIT */
/* image.c -- codes in bytes in the order of a recipe, and images with scales before codes */
#include "blocks/block_vector.h"
#include "softfp8_blocks.h"

/* The index of the code that is packed as the k-th of a block by halves. */
static size_t sf8_half_place(size_t block, size_t k)
{
    return k / 2 + k % 2 * (block / 2);
}

sf8_status sf8_recipe_pack_n(const sf8_recipe *recipe, uint8_t *packed, const uint8_t *codes,
                             size_t columns)
{
    size_t block = (size_t)recipe->block;
    if (recipe->nibbles != SF8_NIBBLES_HALF)
        return sf8_pack_n((int32_t)sf8_recipe_bits(recipe), packed, codes, columns);
    if (columns % block != 0 || columns > PTRDIFF_MAX)
        return SF8_BAD_CALL;
    for (size_t i = 0; i < columns; i += 2) {
        const uint8_t *of = codes + i / block * block;
        packed[i / 2] = (uint8_t)((of[sf8_half_place(block, i % block)] & 15) |
                                  of[sf8_half_place(block, i % block + 1)] << 4);
    }
    return SF8_OK;
}

sf8_status sf8_recipe_unpack_n(const sf8_recipe *recipe, uint8_t *codes, const uint8_t *packed,
                               size_t columns)
{
    size_t block = (size_t)recipe->block;
    if (recipe->nibbles != SF8_NIBBLES_HALF)
        return sf8_unpack_n((int32_t)sf8_recipe_bits(recipe), codes, packed, columns);
    if (columns % block != 0 || columns > PTRDIFF_MAX)
        return SF8_BAD_CALL;
    for (size_t i = 0; i < columns; i++) {
        uint8_t *of = codes + i / block * block;
        of[sf8_half_place(block, i % block)] = (uint8_t)(packed[i / 2] >> 4 * (i % 2) & 15);
    }
    return SF8_OK;
}

/* ---- images ---------------------------------------------------------------------------------- */

/* Bytes of a scale or an offset. */
static size_t sf8_image_word(sf8_format f)
{
    int32_t bits = sf8_format_bits(f);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
}

/* Sizes of a group of blocks. */
typedef struct sf8_image_group {
    size_t blocks, elements, scale, offset, codes, bytes;
} sf8_image_group;

static sf8_image_group sf8_image_group_of(const sf8_recipe *r)
{
    sf8_image_group g;
    g.blocks = (size_t)r->image;
    g.elements = g.blocks * (size_t)r->block;
    g.scale = sf8_image_word(r->scale);
    g.offset = r->offset_at == SF8_OFFSET_WORD ? sf8_image_word(r->offset) : 0;
    g.codes = sf8_packed_size((int32_t)sf8_recipe_bits(r), g.elements);
    g.bytes = g.blocks * (g.scale + g.offset) + g.codes;
    return g;
}

sf8_status sf8_blocks_image_size(const sf8_recipe *recipe, size_t rows, size_t columns,
                                 size_t *size)
{
    if (recipe->image <= 0)
        return SF8_BAD_CALL;
    sf8_image_group g = sf8_image_group_of(recipe);
    size_t groups = columns / g.elements, most = PTRDIFF_MAX / 8;
    if (columns % g.elements != 0 || groups > most / g.bytes ||
        (groups != 0 && rows > most / (groups * g.bytes)) ||
        (columns != 0 && rows > most / columns))
        return SF8_BAD_CALL;
    *size = rows * groups * g.bytes;
    return SF8_OK;
}

static uint8_t *sf8_image_put(uint8_t *at, uint32_t word, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *at++ = (uint8_t)(word >> 8 * i);
    return at;
}

static const uint8_t *sf8_image_get(const uint8_t *at, uint32_t *word, size_t bytes)
{
    *word = 0;
    for (size_t i = 0; i < bytes; i++)
        *word |= (uint32_t)*at++ << 8 * i;
    return at;
}

sf8_status sf8_blocks_image_store(const sf8_recipe *recipe, uint8_t *image, const uint8_t *codes,
                                  const uint32_t *scales, const uint32_t *offsets, size_t rows,
                                  size_t columns)
{
    size_t size, block = 0;
    sf8_status status = sf8_blocks_image_size(recipe, rows, columns, &size);
    if (status != SF8_OK)
        return status;
    sf8_image_group g = sf8_image_group_of(recipe);
    for (size_t i = 0; i < rows * columns; i += g.elements) {
        for (size_t k = 0; k < g.blocks; k++, block++) {
            image = sf8_image_put(image, scales[block], g.scale);
            image = sf8_image_put(image, g.offset ? offsets[block] : 0, g.offset);
        }
        (void)sf8_recipe_pack_n(recipe, image, codes + i, g.elements);
        image += g.codes;
    }
    return SF8_OK;
}

sf8_status sf8_blocks_image_load(const sf8_recipe *recipe, uint8_t *codes, uint32_t *scales,
                                 uint32_t *offsets, const uint8_t *image, size_t rows,
                                 size_t columns)
{
    size_t size, block = 0;
    sf8_status status = sf8_blocks_image_size(recipe, rows, columns, &size);
    if (status != SF8_OK)
        return status;
    sf8_image_group g = sf8_image_group_of(recipe);
    for (size_t i = 0; i < rows * columns; i += g.elements) {
        for (size_t k = 0; k < g.blocks; k++, block++) {
            uint32_t none;
            image = sf8_image_get(image, &scales[block], g.scale);
            image = sf8_image_get(image, g.offset ? &offsets[block] : &none, g.offset);
        }
        (void)sf8_recipe_unpack_n(recipe, codes + i, image, g.elements);
        image += g.codes;
    }
    return SF8_OK;
}
