/* SPDX-License-Identifier: MIT */
/* measure.c -- the codes, scales and values of a layer, read a few rows at a time */
#include "checkpoint/layers.h"
#include "recipes/recipes.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 128 }; /* a multiple of the rows of any block */

/* ---- words ----------------------------------------------------------------------------------- */

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
    return strcmp(dtype, "F32") == 0 ? 4 : strcmp(dtype, "BF16") == 0 || strcmp(dtype, "F16") == 0
                                           ? 2
                                           : 0;
}

static float plain_value(const char *dtype, uint32_t word)
{
    sf8_format f = dtype[0] == 'B' ? SF8_BF16 : dtype[1] == '1' ? SF8_F16 : SF8_F32;
    return sf8_f32_from_bits((uint32_t)sf8_convert(SF8_F32, f, word, SF8_OCP_NOSAT));
}

int layer_plain(const safetensors *s, const safetensor *t, size_t at, size_t count, float *values)
{
    size_t width = plain_width(t->dtype);
    if (!width || at + count > t->count)
        return 0;
    unsigned char *bytes = allocate(count ? count : 1, width);
    safetensors_read(s, t, at * width, bytes, count * width);
    for (size_t i = 0; i < count; i++)
        values[i] = plain_value(t->dtype, word_of(bytes + i * width, width));
    free(bytes);
    return 1;
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* The scales as codes of the recipe: those in 16 bits become f32, exactly. */
static uint32_t *read_scales(const safetensors *s, const layer *l, const sf8_recipe *recipe)
{
    const safetensor *t = l->scale;
    size_t width = (size_t)sf8_format_bits(recipe->scale) > 8 ? plain_width(t->dtype) : 1;
    size_t needed = l->scheme->per_tensor ? l->shape.rows : t->count;
    unsigned char *bytes = allocate(t->count ? t->count : 1, width);
    uint32_t *scales = allocate(needed ? needed : 1, sizeof *scales);
    safetensors_read(s, t, 0, bytes, t->count * width);
    for (size_t i = 0; i < needed; i++) {
        uint32_t word = word_of(bytes + (l->scheme->per_tensor ? 0 : i * width), width);
        scales[i] = width == 1 ? word : sf8_f32_bits(plain_value(t->dtype, word));
    }
    free(bytes);
    return scales;
}

static void measure_scales(const uint32_t *scales, size_t count, const sf8_recipe *recipe,
                           layer_measure *m)
{
    m->scales = count;
    for (size_t i = 0; i < count; i++) {
        double value = sf8_f32_from_bits(
            (uint32_t)sf8_convert(SF8_F32, recipe->scale, scales[i], SF8_OCP_NOSAT));
        if (!(value - value == 0)) { /* not finite */
            m->nan_scales++;
        } else if (value == 0) {
            m->zero_scales++;
        } else if (value < 0) {
            m->negative_scales++;
        } else {
            m->least_scale = m->least_scale == 0 || value < m->least_scale ? value : m->least_scale;
            m->largest_scale = value > m->largest_scale ? value : m->largest_scale;
        }
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The largest magnitude of a number, as bits of f32: those of numbers are ordered like them. */
static uint32_t largest_bits(const uint32_t *x, size_t count)
{
    const uint32_t infinite = 0x7f800000;
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t size = x[i] & 0x7fffffff;
        size = size < infinite ? size : 0;
        most = size > most ? size : most;
    }
    return most;
}

static void compare_values(const uint32_t *x, const float *y, size_t count, layer_measure *m)
{
    for (size_t i = 0; i < count; i++) {
        double right = (double)y[i], difference = (double)sf8_f32_from_bits(x[i]) - right;
        difference = difference < 0 ? -difference : difference;
        m->signal += right * right;
        m->noise += difference * difference;
        m->worst = difference > m->worst ? difference : m->worst;
    }
    m->compared += count;
}

static size_t count_nan(const sf8_recipe *recipe, const uint8_t *codes, size_t count)
{
    uint8_t is_nan[256];
    size_t nan = 0;
    for (unsigned code = 0; code < 256; code++)
        is_nan[code] = sf8_is_nan(recipe->element, code) != 0;
    for (size_t i = 0; i < count; i++)
        nan += is_nan[codes[i]];
    return nan;
}

/* Some rows of a layer as f32. */
typedef struct part {
    size_t row, rows;
    uint8_t *codes, *packed_scales;
    uint32_t *x;
} part;

static void read_part(const safetensors *s, const layer *l, const sf8_recipe *recipe,
                      const uint32_t *scales, part *p, layer_measure *m)
{
    size_t columns = l->shape.columns, blocks = sf8_recipe_blocks(recipe, columns);
    size_t bits = (size_t)sf8_recipe_bits(recipe), row_bytes = columns * bits / 8;
    size_t first = p->row / l->matrix * sf8_recipe_scale_rows(recipe, l->matrix) +
                   sf8_recipe_scale_rows(recipe, p->row % l->matrix);
    const uint32_t *here = scales + first * blocks;
    sf8_status status;
    safetensors_read(s, l->codes, (uint64_t)p->row * row_bytes, p->codes, p->rows * row_bytes);
    if (bits < 8) { /* its formats have no NaN; a scale is a byte */
        for (size_t i = 0; i < p->rows * blocks; i++)
            p->packed_scales[i] = (uint8_t)here[i];
        status = sf8_dequantize_packed_n(recipe, SF8_F32, p->x, p->codes, p->packed_scales,
                                         p->rows, columns, m->g);
    } else {
        m->nan_codes += count_nan(recipe, p->codes, p->rows * columns);
        status = sf8_dequantize_n(recipe, SF8_F32, p->x, p->codes, here, NULL, p->rows, columns,
                                  m->g);
    }
    if (status != SF8_OK)
        fail("internal error: the layer '%s' cannot be read", l->name);
}

void layer_measure_all(const safetensors *s, const layer *l, const safetensors *other,
                       const safetensor *like, float *values, layer_measure *m)
{
    sf8_recipe recipe;
    size_t columns = l->shape.columns, room = ROWS * (columns ? columns : 1);
    uint32_t amax = 0;
    memset(m, 0, sizeof *m);
    m->g = 1;
    recipe_of_name(l->scheme->recipe, &recipe);
    if (l->second)
        layer_plain(s, l->second, 0, 1, &m->g);
    uint32_t *scales = read_scales(s, l, &recipe);
    measure_scales(scales, l->scheme->per_tensor ? 1 : l->scale->count, &recipe, m);
    part p = {0, 0, allocate(room, 1), allocate(room, 1), allocate(room, sizeof *p.x)};
    float *y = like ? allocate(room, sizeof *y) : NULL;
    for (; p.row < l->shape.rows; p.row += p.rows) {
        size_t left = l->matrix - p.row % l->matrix;
        p.rows = left < ROWS ? left : ROWS;
        size_t count = p.rows * columns;
        read_part(s, l, &recipe, scales, &p, m);
        uint32_t most = largest_bits(p.x, count);
        amax = most > amax ? most : amax;
        if (y) {
            layer_plain(other, like, p.row * columns, count, y);
            compare_values(p.x, y, count, m);
        }
        if (values)
            memcpy(values + p.row * columns, p.x, count * sizeof *p.x);
    }
    m->amax = (double)sf8_f32_from_bits(amax);
    free(y);
    free(p.x);
    free(p.packed_scales);
    free(p.codes);
    free(scales);
}
