/* SPDX-License-Identifier: MIT */
/* measure.c -- what is in the codes, scales and values of a layer, and how they fit a reference */
#include "checkpoint/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- codes and scales ------------------------------------------------------------------------ */

/* Whether a code is that of the largest or the smallest value: of a floating-point format with
 * either sign, of integers -127 counts as -128. */
static int is_largest(const sf8_recipe *recipe, unsigned code)
{
    unsigned bits = sf8_recipe_bits(recipe), half = 1u << (bits - 1);
    if (!recipe->integer)
        return (code & (half - 1)) == (sf8_format_max(recipe->element) & (half - 1));
    return recipe->is_signed ? code == half - 1 || code == half || code == half + 1
                             : code == 0 || code == 2 * half - 1;
}

/* Codes in bytes; of blocks of a .gguf file each is alone in its byte, else two of 4 bits. */
static void measure_codes(const layer_reader *r, layer_measure *m)
{
    const sf8_recipe *recipe = &r->recipe;
    unsigned bits = sf8_recipe_bits(recipe), both = bits == 4 && !r->l->block;
    uint8_t is_nan[256], largest[256];
    size_t count = r->rows * r->columns / (both ? 2 : 1);
    for (unsigned code = 0; code < 256; code++) { /* narrower formats have no NaN */
        is_nan[code] = bits == 8 && !recipe->integer && sf8_is_nan(recipe->element, code) != 0;
        largest[code] = (uint8_t)(both ? is_largest(recipe, code & 15) +
                                             is_largest(recipe, code >> 4)
                                       : is_largest(recipe, code));
    }
    m->codes += r->rows * r->columns;
    for (size_t i = 0; i < count; i++) {
        m->nan_codes += is_nan[r->codes[i]];
        m->largest_codes += largest[r->codes[i]];
    }
}

/* Those of the layer, or of a tile of blocks. */
static void measure_scales(const layer_reader *r, layer_measure *m)
{
    const sf8_format format = r->l->scheme->recipe ? r->recipe.scale : SF8_F32;
    const int has_offset = r->recipe.offset_at == SF8_OFFSET_WORD;
    const sf8_format offset = has_offset ? r->recipe.offset : SF8_F32;
    m->scales += r->scale_count;
    for (size_t i = 0; i < r->scale_count; i++) {
        double value = sf8_f32_from_bits(
            (uint32_t)sf8_convert(SF8_F32, format, r->scales[i], SF8_OCP_NOSAT));
        if (r->l->block && (has_offset || !r->l->scheme->recipe)) {
            float second = sf8_f32_from_bits(
                (uint32_t)sf8_convert(SF8_F32, offset, r->offsets[i], SF8_OCP_NOSAT));
            m->nan_offsets += !(second - second == 0);
        }
        if (r->l->block && r->l->block->is_signed)
            value = fabs(value);
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

typedef struct totals {
    size_t numbers, infinite, nan;
    uint32_t most; /* the largest magnitude of a number: the bits of f32 are ordered like them */
    double squares;
} totals;

static void add_values(totals *t, const uint32_t *x, size_t count)
{
    const uint32_t infinite = 0x7f800000;
    for (size_t i = 0; i < count; i++) {
        uint32_t size = x[i] & 0x7fffffff;
        if (size >= infinite) {
            t->infinite += size == infinite;
            t->nan += size > infinite;
            continue;
        }
        double value = (double)sf8_f32_from_bits(size);
        t->numbers++;
        t->most = size > t->most ? size : t->most;
        t->squares += value * value;
    }
}

static double amax_of(const totals *t)
{
    if (t->infinite)
        return INFINITY;
    return t->nan && !t->numbers ? NAN : (double)sf8_f32_from_bits(t->most);
}

/* ---- the reference --------------------------------------------------------------------------- */

/* The gap above each power of two that a code can have: that of 2^(i - 127) is gap[i], within the
 * exponents of normal numbers. */
typedef struct gaps {
    double gap[256], largest;
    int far_only; /* no value is judged alone */
    double lost;  /* what no scale that was rounded to 0 stands for */
    int low, high;
} gaps;

/* The largest code with the least scale. */
static double least_largest(const layer_reader *r)
{
    sf8_block b;
    sf8_block_read(&r->recipe, &b, 1, 0, sf8_f32_bits(r->g));
    return (double)sf8_f32_from_bits(
        sf8_block_value(&r->recipe, &b, (uint32_t)sf8_format_max(r->recipe.element)));
}

static gaps gaps_of(const layer_reader *r)
{
    const sf8_format f = r->recipe.element;
    gaps g = {.far_only = 0};
    if (r->l->block && (!r->l->scheme->recipe || r->recipe.integer)) { /* all gaps are units */
        g.far_only = 1;
        for (int i = 0; i < 256; i++)
            g.gap[i] = 1;
        return g;
    }
    g.lost = fabs(least_largest(r));
    g.largest = (double)sf8_f32_from_bits(
        (uint32_t)sf8_convert(SF8_F32, f, sf8_format_max(f), SF8_OCP_NOSAT));
    g.low = 128 - f.bias;
    g.high = (int)(sf8_f32_bits((float)g.largest) >> 23);
    for (int i = 0; i < 256; i++)
        g.gap[i] = ldexp(1, (i < g.low ? g.low : i > g.high ? g.high : i) - 127 - f.man_bits);
    return g;
}

/* One value, with unit: what the code 1 is worth there. */
static void add_pair(layer_fit *fit, const gaps *g, double x, double y, double unit, size_t place)
{
    double right = fit->factor * y, error = fabs(x - right), size = fabs(right);
    double gap = unit * g->gap[g->far_only ? 0 : sf8_f32_bits((float)(size / unit)) >> 23 & 255];
    /* A sixteenth more: scales and quotients are rounded too. */
    double half = gap * (0.5 + 0.0625);
    fit->values++;
    fit->signal += y * y;
    fit->own += x * x;
    fit->product += x * y;
    if (g->far_only) {
        fit->noise += error * error;
        fit->gaps += gap * gap;
        return;
    }
    if (error > half && unit > 0 && size >= fabs(x) && x * right >= 0 &&
        fabs(x) >= unit * g->largest * (1 - 1e-6)) {
        fit->clipped++;
        fit->cut += error * error;
        return;
    }
    fit->lost += unit == 0 && fabs(y) > g->lost;
    fit->noise += error * error;
    fit->gaps += gap * gap;
    if (error <= half)
        return;
    fit->unlike++;
    if (error <= gap * (1 + 0.0625))
        return;
    fit->first = fit->beyond ? fit->first : place;
    fit->beyond++;
}

/* Adds the tile of a reader to a fit, and what m has of its reference, if m is not NULL. */
static void add_tile(layer_fit *fit, const gaps *g, const layer_reader *r, const float *y,
                     const uint32_t *units, layer_measure *m)
{
    for (size_t i = 0; i < r->rows * r->columns; i++) {
        double x = (double)sf8_f32_from_bits(r->x[i]), right = (double)y[i];
        double difference = fabs(x - right);
        if (m) {
            m->nan_reference += !(right - right == 0);
            m->worst = difference > m->worst ? difference : m->worst;
        }
        if (difference - difference == 0)
            add_pair(fit, g, x, right, fabs((double)sf8_f32_from_bits(units[i])),
                     (r->row + i / r->columns) * r->l->shape.columns + r->column + i % r->columns);
    }
}

/* The memory for a tile of a reference. */
typedef struct beside {
    const safetensors *files;
    const safetensor *like;
    float *y;
    uint32_t *units;
    gaps gaps;
} beside;

static beside beside_open(const layer_reader *r, const safetensors *files, const safetensor *like)
{
    beside b = {.files = files, .like = like};
    if (!like)
        return b;
    b.gaps = gaps_of(r);
    b.y = allocate(r->most, sizeof *b.y);
    b.units = allocate(r->most, sizeof *b.units);
    return b;
}

static void beside_add(const beside *b, const layer_reader *r, layer_fit *fit, layer_measure *m)
{
    if (!b->like)
        return;
    layer_plain_tile(r, b->files, b->like, b->y);
    layer_units(r, b->units);
    add_tile(fit, &b->gaps, r, b->y, b->units, m);
}

static void beside_close(beside *b)
{
    free(b->y);
    free(b->units);
}

void layer_compare(const safetensors *s, const layer *l, const safetensors *other,
                   const safetensor *like, int swapped, layer_fit *fit)
{
    layer_reader r;
    double factor = fit->factor;
    memset(fit, 0, sizeof *fit);
    fit->factor = factor;
    layer_open(&r, s, l);
    r.swapped = swapped;
    beside b = beside_open(&r, other, like);
    while (layer_next(&r))
        beside_add(&b, &r, fit, NULL);
    beside_close(&b);
    layer_close(&r);
}

/* ---- a layer --------------------------------------------------------------------------------- */

static void keep_values(const layer_reader *r, float *values)
{
    for (size_t i = 0; i < r->rows; i++)
        memcpy(values + (r->row + i) * r->l->shape.columns + r->column, r->x + i * r->columns,
               r->columns * sizeof *values);
}

void layer_measure_all(const safetensors *s, const layer *l, const safetensors *other,
                       const safetensor *like, float *values, layer_measure *m)
{
    layer_reader r;
    totals t = {0, 0, 0, 0, 0};
    memset(m, 0, sizeof *m);
    m->fit.factor = 1;
    layer_open(&r, s, l);
    m->g = r.g;
    if (!l->block)
        measure_scales(&r, m);
    beside b = beside_open(&r, other, like);
    while (layer_next(&r)) {
        if (l->block)
            measure_scales(&r, m);
        m->g = m->g > 0 && m->g - m->g == 0 ? r.g : m->g;
        if (l->scheme->recipe)
            measure_codes(&r, m);
        if (!layer_has_values(l))
            continue;
        add_values(&t, r.x, r.rows * r.columns);
        beside_add(&b, &r, &m->fit, m);
        if (values)
            keep_values(&r, values);
    }
    m->nan_values = t.nan;
    m->infinite_values = t.infinite;
    m->amax = layer_has_values(l) ? amax_of(&t) : NAN;
    m->rms = t.numbers ? sqrt(t.squares / (double)t.numbers) : 0;
    beside_close(&b);
    layer_close(&r);
}
