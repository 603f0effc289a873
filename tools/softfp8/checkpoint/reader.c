/* SPDX-License-Identifier: MIT */
/* reader.c -- the values of a quantized layer, one tile of the matrix after the other */
#include "checkpoint/reader.h"
#include "checkpoint/gguf_blocks.h"
#include "recipes/recipes.h"

#include <stdlib.h>
#include <string.h>

/* Values of a tile. COLUMNS is a multiple of the columns of any block. */
enum { TILE = 1 << 20, COLUMNS = 128 };

/* ---- plain tensors --------------------------------------------------------------------------- */

static uint32_t word_of(const unsigned char *bytes, size_t width)
{
    uint32_t word = 0;
    for (size_t i = width; i-- > 0;)
        word = word << 8 | bytes[i];
    return word;
}

/* 0: no format of floating-point numbers that a plain tensor has. */
static size_t plain_width(const char *dtype)
{
    return strcmp(dtype, "F32") == 0                                 ? 4
           : strcmp(dtype, "BF16") == 0 || strcmp(dtype, "F16") == 0 ? 2
                                                                     : 0;
}

/* As f32. A bf16 is the upper half of one. */
static uint32_t plain_value(const char *dtype, uint32_t word)
{
    uint32_t f32 = dtype[0] == 'B' ? word << 16 : word;
    if (dtype[1] == '1')
        return (uint32_t)sf8_convert(SF8_F32, SF8_F16, word, SF8_OCP_NOSAT);
    return (f32 & 0x7fffffff) <= 0x7f800000
               ? f32
               : (uint32_t)sf8_convert(SF8_F32, SF8_F32, f32, SF8_OCP_NOSAT);
}

int layer_plain(const safetensors *s, const safetensor *t, size_t at, size_t count, float *values)
{
    size_t width = plain_width(t->dtype);
    if (!width || at + count > t->count)
        return 0;
    unsigned char *bytes = allocate(count, width);
    safetensors_read(s, t, at * width, bytes, count * width);
    for (size_t i = 0; i < count; i++)
        values[i] = sf8_f32_from_bits(plain_value(t->dtype, word_of(bytes + i * width, width)));
    free(bytes);
    return 1;
}

void layer_plain_tile(const layer_reader *r, const safetensors *files, const safetensor *t,
                      float *values)
{
    size_t all = r->l->shape.columns, whole = r->columns == all;
    size_t lines = whole ? 1 : r->rows, count = whole ? r->rows * all : r->columns;
    for (size_t i = 0; i < lines; i++)
        layer_plain(files, t, (r->row + i) * all + r->column, count, values + i * count);
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* The scales as codes of the recipe: those in 16 bits become f32, exactly. */
static void read_scales(layer_reader *r)
{
    const safetensor *t = r->l->scale;
    size_t width = (size_t)sf8_format_bits(r->recipe.scale) > 8 ? plain_width(t->dtype) : 1;
    unsigned char *bytes = allocate(t->count, width);
    r->scale_count = t->count;
    r->scales = allocate(t->count, sizeof *r->scales);
    safetensors_read(r->files, t, 0, bytes, t->count * width);
    for (size_t i = 0; i < t->count; i++) {
        uint32_t word = word_of(bytes + i * width, width);
        r->scales[i] = width == 1 ? word : plain_value(t->dtype, word);
    }
    free(bytes);
}

/* Those of the tile, as the library takes them. */
static void take_scales(layer_reader *r)
{
    const layer *l = r->l;
    size_t all = sf8_recipe_blocks(&r->recipe, l->shape.columns);
    size_t blocks = sf8_recipe_blocks(&r->recipe, r->columns);
    size_t lines = sf8_recipe_scale_rows(&r->recipe, r->rows);
    size_t first = r->row / l->matrix * sf8_recipe_scale_rows(&r->recipe, l->matrix) +
                   sf8_recipe_scale_rows(&r->recipe, r->row % l->matrix);
    size_t left = r->recipe.block ? r->column / (size_t)r->recipe.block : 0;
    for (size_t i = 0; i < lines * blocks; i++) {
        size_t from = (first + i / blocks) * all + left + i % blocks;
        r->tile_scales[i] = r->scales[l->scheme->per_tensor ? 0 : from];
        r->narrow_scales[i] = (uint8_t)r->tile_scales[i];
    }
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void layer_open(layer_reader *r, const safetensors *files, const layer *l)
{
    memset(r, 0, sizeof *r);
    r->files = files;
    r->l = l;
    r->g = 1;
    if (l->scheme->recipe)
        recipe_of_name(l->scheme->recipe, &r->recipe);
    if (l->second)
        layer_plain(files, l->second, 0, 1, &r->g);
    if (!l->block)
        read_scales(r);
    /* Whole rows if a tile has room for those of a block. */
    size_t of = l->block ? 1 : (size_t)sf8_recipe_rows(&r->recipe),
           columns = l->shape.columns ? l->shape.columns : 1;
    size_t rows = TILE / columns / of * of;
    r->rows_most = rows ? rows : of;
    r->columns_most = rows ? columns : least(columns, TILE / of / COLUMNS * COLUMNS);
    r->most = least(r->rows_most, l->shape.rows) * least(r->columns_most, l->shape.columns);
    r->codes = allocate(r->most, 1);
    r->x = allocate(r->most, sizeof *r->x);
    r->tile_scales = allocate(r->most, sizeof *r->tile_scales);
    r->narrow_scales = allocate(r->most, 1);
    if (!l->block)
        return;
    const gguf_type *type = gguf_type_named(l->codes->dtype);
    r->image = allocate(r->most / type->elements, type->bytes);
    r->scales = allocate(r->most, sizeof *r->scales);
    r->offsets = allocate(r->most, sizeof *r->offsets);
    r->gaps = allocate(r->most, sizeof *r->gaps);
}

void layer_close(layer_reader *r)
{
    free(r->scales);
    free(r->offsets);
    free(r->image);
    free(r->gaps);
    free(r->codes);
    free(r->x);
    free(r->tile_scales);
    free(r->narrow_scales);
}

static void read_codes(layer_reader *r)
{
    size_t bits = (size_t)sf8_recipe_bits(&r->recipe), all = r->l->shape.columns * bits / 8;
    size_t bytes = r->columns * bits / 8, whole = bytes == all;
    size_t lines = whole ? 1 : r->rows, size = whole ? r->rows * all : bytes;
    for (size_t i = 0; i < lines; i++)
        safetensors_read(r->files, r->l->codes, (uint64_t)(r->row + i) * all + r->column * bits / 8,
                         r->codes + i * size, size);
    for (size_t i = 0; r->swapped && i < r->rows * bytes; i++)
        r->codes[i] = (uint8_t)(r->codes[i] << 4 | r->codes[i] >> 4);
}

static void dequantize(const layer_reader *r, const uint8_t *codes, uint32_t *values)
{
    const sf8_recipe *recipe = &r->recipe;
    sf8_status status = sf8_recipe_bits(recipe) < 8
                            ? sf8_dequantize_packed_n(recipe, SF8_F32, values, codes,
                                                      r->narrow_scales, r->rows, r->columns, r->g)
                            : sf8_dequantize_n(recipe, SF8_F32, values, codes, r->tile_scales, NULL,
                                               r->rows, r->columns, r->g);
    if (status != SF8_OK)
        fail("internal error: the layer '%s' cannot be read", r->l->name);
}

/* ---- blocks of .gguf files ------------------------------------------------------------------- */

static void multiply(const layer_reader *r, uint32_t *values)
{
    for (size_t i = 0; r->l->second && i < r->rows * r->columns; i++)
        values[i] = sf8_f32_bits(sf8_f32_from_bits(values[i]) * r->g);
}

/* What codes are worth, by the recipe. */
static void dequantize_blocks(const layer_reader *r, const uint8_t *codes, uint32_t *values)
{
    if (sf8_dequantize_n(&r->recipe, SF8_F32, values, codes, r->scales, r->offsets, r->rows,
                         r->columns, 1) != SF8_OK)
        fail("internal error: the layer '%s' cannot be read", r->l->name);
    multiply(r, values);
}

static void take_block(layer_reader *r, size_t i, const gguf_type *type)
{
    const uint8_t *block = r->image + i * type->bytes;
    float x[GGUF_BLOCK_MOST];
    gguf_block_scales(r->l->block, block, &r->scales[i], &r->offsets[i]);
    if (!r->l->block->values)
        return;
    r->l->block->values(block, sf8_f32_from_bits(r->scales[i]), sf8_f32_from_bits(r->offsets[i]), x,
                        r->gaps + i * type->elements);
    for (size_t k = 0; k < type->elements; k++)
        r->x[i * type->elements + k] = sf8_f32_bits(x[k]);
}

static void take_blocks(layer_reader *r)
{
    const layer *l = r->l;
    const gguf_type *type = gguf_type_named(l->codes->dtype);
    size_t count = r->rows * r->columns / type->elements;
    uint64_t first = ((uint64_t)r->row * l->shape.columns + r->column) / type->elements;
    safetensors_read(r->files, l->codes, first * type->bytes, r->image, count * type->bytes);
    if (l->second)
        layer_plain(r->files, l->second, l->second->count > 1 ? r->row / l->matrix : 0, 1, &r->g);
    if (!l->block->recipe) {
        r->scale_count = count;
        for (size_t i = 0; i < count; i++)
            take_block(r, i, type);
        return;
    }
    r->scale_count = r->rows * r->columns / (size_t)r->recipe.block;
    if (sf8_blocks_image_load(&r->recipe, r->codes, r->scales, r->offsets, r->image, r->rows,
                              r->columns) != SF8_OK)
        fail("internal error: the layer '%s' cannot be read", l->name);
    dequantize_blocks(r, r->codes, r->x);
}

int layer_next(layer_reader *r)
{
    const layer *l = r->l;
    r->column += r->columns;
    if (r->column == l->shape.columns) {
        r->column = 0;
        r->row += r->rows;
    }
    if (r->row >= l->shape.rows || l->shape.columns == 0)
        return 0;
    r->rows = least(r->rows_most, l->matrix - r->row % l->matrix);
    r->columns = least(r->columns_most, l->shape.columns - r->column);
    if (l->block) {
        take_blocks(r);
        return 1;
    }
    take_scales(r);
    read_codes(r);
    dequantize(r, r->codes, r->x);
    return 1;
}

/* The values of the code 1, or what one code more is worth if codes are integers. */
static void block_units(const layer_reader *r, uint32_t *units)
{
    size_t count = r->rows * r->columns;
    if (!r->l->block->recipe) {
        for (size_t i = 0; i < count; i++)
            units[i] = sf8_f32_bits(r->gaps[i]);
        return;
    }
    uint8_t *codes = allocate(r->most, 1);
    uint32_t *zeros = allocate(r->most, sizeof *zeros);
    uint64_t one = sf8_convert(r->recipe.element, SF8_F32, sf8_f32_bits(1), SF8_OCP);
    dequantize_blocks(r, codes, zeros);
    memset(codes, r->recipe.integer ? 1 : (int)one, r->most);
    dequantize_blocks(r, codes, units);
    for (size_t i = 0; i < count; i++)
        units[i] = sf8_f32_bits(sf8_f32_from_bits(units[i]) - sf8_f32_from_bits(zeros[i]));
    free(zeros);
    free(codes);
}

void layer_units(const layer_reader *r, uint32_t *units)
{
    if (r->l->block) {
        block_units(r, units);
        return;
    }
    uint8_t *ones = allocate(r->most, 1);
    uint64_t one = sf8_convert(r->recipe.element, SF8_F32, sf8_f32_bits(1), SF8_OCP);
    memset(ones, (int)(sf8_recipe_bits(&r->recipe) < 8 ? one << 4 | one : one), r->most);
    dequantize(r, ones, units);
    free(ones);
}
