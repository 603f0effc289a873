/* SPDX-License-Identifier: MIT */
/* reader.c -- the values of a quantized layer, one tile of the matrix after the other */
#include "checkpoint/reader.h"
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
    recipe_of_name(l->scheme->recipe, &r->recipe);
    if (l->second)
        layer_plain(files, l->second, 0, 1, &r->g);
    read_scales(r);
    /* Whole rows if a tile has room for those of a block. */
    size_t of = (size_t)sf8_recipe_rows(&r->recipe),
           columns = l->shape.columns ? l->shape.columns : 1;
    size_t rows = TILE / columns / of * of;
    r->rows_most = rows ? rows : of;
    r->columns_most = rows ? columns : least(columns, TILE / of / COLUMNS * COLUMNS);
    r->most = least(r->rows_most, l->shape.rows) * least(r->columns_most, l->shape.columns);
    r->codes = allocate(r->most, 1);
    r->x = allocate(r->most, sizeof *r->x);
    r->tile_scales = allocate(r->most, sizeof *r->tile_scales);
    r->narrow_scales = allocate(r->most, 1);
}

void layer_close(layer_reader *r)
{
    free(r->scales);
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
    take_scales(r);
    read_codes(r);
    dequantize(r, r->codes, r->x);
    return 1;
}

void layer_units(const layer_reader *r, uint32_t *units)
{
    uint8_t *ones = allocate(r->most, 1);
    uint64_t one = sf8_convert(r->recipe.element, SF8_F32, sf8_f32_bits(1), SF8_OCP);
    memset(ones, (int)(sf8_recipe_bits(&r->recipe) < 8 ? one << 4 | one : one), r->most);
    dequantize(r, ones, units);
    free(ones);
}
