/* SPDX-License-Identifier: MIT */
/* recipes.c -- which recipe made codes and scales: the values quantized by each, compared */
#include "diagnose/layout/layout.h"
#include "diagnose/global_scale.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 }; /* elements that are quantized at once */

/* The matrix as the quantizer had it: a block is part of a row. */
typedef struct quantized {
    size_t rows, columns, blocks;
    float *x;
    size_t high; /* rows of a block */
    uint8_t *codes;
    uint32_t *scales;
} quantized;

/* From a row on that begins a block. */
static quantized arrange(const layout_data *d, const layout_reading *h, size_t from)
{
    int turned = h->at[AXIS_ALONG] == ALONG_COLUMNS;
    size_t grid[2], sides[2], block = layout_block(d, h);
    quantized q = {
        turned ? d->columns : d->rows, turned ? d->rows : d->columns, 0, NULL, 1, NULL, NULL};
    layout_grid(d, h, grid);
    layout_sides(d, h, sides);
    q.high = turned ? 1 : sides[0];
    size_t rows = MOST / q.columns / q.high * q.high;
    rows = rows > 0 ? rows : q.high;
    q.rows = q.rows - from < rows ? q.rows - from : rows;
    q.blocks = grid[turned ? 0 : 1];
    q.x = search_allocate(d->context, q.rows * q.columns, sizeof *q.x);
    q.codes = search_allocate(d->context, q.rows * q.columns, 1);
    q.scales = search_allocate(d->context, q.rows * q.blocks, sizeof *q.scales);
    uint32_t *scales = layout_scales(d, h);
    for (size_t row = 0; row < q.rows; row++)
        for (size_t column = 0; column < q.columns; column++) {
            size_t line = from + row, r = turned ? column : line, c = turned ? line : column;
            size_t i = row * q.columns + column, at = row / q.high * q.blocks + column / block;
            size_t first = from / q.high * q.blocks;
            q.x[i] = d->x[r * d->columns + c];
            q.codes[i] = (uint8_t)layout_code(d, layout_code_index(d, h, r, c));
            q.scales[at] = scales[turned ? column / block * grid[1] + line : first + at];
        }
    search_free(d->context, scales);
    return q;
}

static void end(const layout_data *d, quantized *q)
{
    search_free(d->context, q->x);
    search_free(d->context, q->codes);
    search_free(d->context, q->scales);
}

/* A scale of the recipe as it lies in the file. */
static uint32_t as_stored(const layout_data *d, const layout_reading *h, uint32_t code)
{
    int offset;
    layout_scale_format(h->at[AXIS_SCALE], &offset);
    if (h->at[AXIS_G] == G_FOLDED)
        return sf8_f32_to_e4m3(sf8_e4m3_to_f32((uint8_t)code) * layout_factor_of(d->rule, d->g),
                               SF8_CUDA_SATFINITE);
    if (d->width == 2) /* a scale of f32 was rounded to bf16 */
        return (uint32_t)sf8_convert(SF8_BF16, SF8_F32, code, SF8_OCP_NOSAT) << 16;
    return code - (uint32_t)offset;
}

/* Whether a matrix of this size has as many scales by the recipe as with such blocks. */
static int has_sides(const sf8_recipe_row *row, const layout_data *d, size_t rows, size_t columns)
{
    sf8_recipe recipe;
    sf8_recipe_named(&recipe, row->name);
    return sf8_recipe_scale_rows(&recipe, d->rows) == (d->rows + rows - 1) / rows &&
           sf8_recipe_blocks(&recipe, d->columns) == (d->columns + columns - 1) / columns;
}

static int is_meant(const layout_data *d, const layout_reading *h, const sf8_recipe_row *row)
{
    int offset, scale = h->at[AXIS_SCALE];
    sf8_format element, format, wanted = layout_scale_format(scale, &offset);
    sf8_status status;
    const layout_value *value = layout_value_at(AXIS_ELEMENT, d->bits, h->at[AXIS_ELEMENT]);
    format = sf8_format_named(row->scale, &status);
    if (scale == SCALE_LEFT_OUT || scale == SCALE_FLOAT_LEFT_OUT || scale == SCALE_SUBNORMAL ||
        layout_is_rounded(scale) || status != SF8_OK ||
        memcmp(&format, &wanted, sizeof format) != 0)
        return 0;
    element = sf8_format_named(row->element, &status);
    size_t sides[2];
    layout_sides(d, h, sides);
    int turned = h->at[AXIS_ALONG] == ALONG_COLUMNS;
    return status == SF8_OK && strcmp(row->element, value->name) == 0 &&
           sf8_format_bits(element) == d->bits && scale != SCALE_FLOAT_INVERTED &&
           has_sides(row, d, turned ? sides[1] : sides[0], turned ? sides[0] : sides[1]);
}

/* A scale of the file as the recipe has it: the inverse of as_stored. */
static uint32_t as_made(const layout_data *d, const layout_reading *h, uint32_t stored)
{
    int offset;
    layout_scale_format(h->at[AXIS_SCALE], &offset);
    if (h->at[AXIS_SCALE] == SCALE_UNSIGNED)
        return stored & 0x7f;
    return d->width > 1 ? stored : (stored + (uint32_t)offset) & 0xff;
}

/* A block of rows [row, end) and columns [from, to) with the scale that is stored. */
static sf8_block stored_block(const sf8_recipe *r, const quantized *q, const size_t rows[2],
                              const size_t columns[2], uint32_t scale, float g)
{
    sf8_block block;
    sf8_block_begin(&block, sf8_f32_bits(g));
    for (size_t i = rows[0]; i < rows[1]; i++)
        for (size_t c = columns[0]; c < columns[1]; c++)
            sf8_block_take(r, &block, sf8_f32_bits(q->x[i * q->columns + c]),
                           i == rows[0] && c == columns[0]);
    sf8_block_give_scale(r, &block, scale, 0);
    return block;
}

/* How many codes differ from those that the recipe gives with the scales of the file. */
static uint64_t own_codes(const layout_data *d, const layout_reading *h, const quantized *q,
                          const sf8_recipe *r, float g)
{
    uint64_t differ = 0;
    size_t wide = r->block ? (size_t)r->block : q->columns;
    for (size_t k = 0; k < (q->rows + q->high - 1) / q->high * q->blocks; k++) {
        size_t row = k / q->blocks * q->high, column = k % q->blocks * wide;
        size_t rows[2] = {row, row + q->high < q->rows ? row + q->high : q->rows};
        size_t columns[2] = {column, column + wide < q->columns ? column + wide : q->columns};
        sf8_block block = stored_block(r, q, rows, columns, as_made(d, h, q->scales[k]), g);
        for (size_t i = rows[0]; i < rows[1]; i++)
            for (size_t c = columns[0]; c < columns[1]; c++) {
                size_t at = i * q->columns + c;
                differ += sf8_block_code(r, &block, sf8_f32_bits(q->x[at])) != q->codes[at];
            }
    }
    return differ;
}

/* g as a recipe wants it: what is given, or what gives the same factor by its own rule. */
static float g_for(const layout_data *d, const layout_reading *h, const sf8_recipe_row *row)
{
    layout_g_rule rule = layout_g_rule_of(row);
    float g = layout_g(d, h);
    if (rule.divides == d->rule.divides && rule.unit == d->rule.unit)
        return g;
    return layout_g_of(rule, layout_factor_of(d->rule, g));
}

static layout_recipe compare(const layout_data *d, const layout_reading *h, const quantized *q,
                             const sf8_recipe_row *row)
{
    layout_recipe found = {row->name, 0, 0, 0, h->at[AXIS_G] == G_FOLDED};
    float g = g_for(d, h, row);
    uint32_t mask = h->at[AXIS_SCALE] == SCALE_UNSIGNED ? 0x7f : 0xffffffff;
    size_t count = q->rows * q->columns;
    uint8_t *codes = search_allocate(d->context, count, 1);
    uint32_t *scales = search_allocate(d->context, q->rows * q->blocks, sizeof *scales);
    sf8_recipe named, room;
    sf8_recipe_named(&named, row->name);
    const sf8_recipe *recipe = sf8_recipe_for(&named, d->from, &room);
    sf8_quantize_n(recipe, codes, scales, NULL, SF8_F32, q->x, q->rows, q->columns, g);
    for (size_t i = 0; i < count; i++)
        found.codes += codes[i] != q->codes[i];
    for (size_t i = 0; i < (q->rows + q->high - 1) / q->high * q->blocks; i++)
        found.scales += (as_stored(d, h, scales[i]) & mask) != (q->scales[i] & mask);
    if (row == d->recipe && !found.folded)
        found.own_codes = own_codes(d, h, q, recipe, g);
    search_free(d->context, codes);
    search_free(d->context, scales);
    return found;
}

static int by_difference(const void *a, const void *b)
{
    const layout_recipe *r = a, *s = b;
    uint64_t first = r->codes + r->scales, second = s->codes + s->scales;
    return first != second ? (first > second) - (first < second) : strcmp(r->name, s->name);
}

/* Whether the recipe gives all codes and scales with this global scale. */
static int is_exact_with(const layout_data *d, const layout_reading *h, const quantized *q,
                         const sf8_recipe_row *row, float g)
{
    layout_data trial = *d;
    layout_reading reading = *h;
    trial.has_g = 1;
    trial.g = g;
    reading.at[AXIS_G] = G_GIVEN;
    layout_recipe found = compare(&trial, &reading, q, row);
    return found.codes == 0 && found.scales == 0;
}

/* The global scale by the recipe's own rule; 0 if it has none for these values. */
static float own_g(const layout_data *d, const sf8_recipe_row *row)
{
    sf8_recipe recipe;
    uint32_t amax = 0;
    for (size_t i = 0; i < d->rows * d->columns; i++) {
        uint32_t mag = sf8_f32_bits(d->x[i]) & 0x7fffffff;
        amax = mag > amax && mag < SF8_F32_INF ? mag : amax;
    }
    sf8_recipe_named(&recipe, row->name);
    return sf8_f32_from_bits(global_scale_of(&recipe, d->from, amax));
}

enum { GUESSES = 512 };

/* Numbers that g may be, those of a kind together, the likely first. */
typedef struct guesses {
    float list[GUESSES], least, most;
    size_t count;
} guesses;

static void guess(guesses *g, float x)
{
    if (x >= g->least && x <= g->most && g->count < GUESSES)
        g->list[g->count++] = x;
}

static void guess_multiples(guesses *g, float step)
{
    for (float n = (float)(uint64_t)(g->least / step); n * step <= g->most; n++)
        guess(g, n * step);
}

/* Of powers of two or ten, the largest that is at most x. */
static float power_below(float base, float x)
{
    float power = 1;
    while (power > x)
        power /= base;
    while (power * base <= x)
        power *= base;
    return power;
}

static void guess_all(guesses *g, const layout_data *d, const sf8_recipe_row *row, float estimate)
{
    guess(g, own_g(d, row));
    for (int n = 2; d->has_g && n <= 1024; n++) {
        guess(g, d->g * (float)n);
        guess(g, d->g / (float)n);
    }
    guess_multiples(g, power_below(2, estimate / 128));
    guess_multiples(g, power_below(10, estimate / 1000));
    float inverse = 1 / estimate, step = power_below(2, inverse / 128);
    for (float n = (float)(uint64_t)(0.99f * inverse / step); n * step <= 1.01f * inverse; n++)
        guess(g, 1 / (n * step));
}

float layout_exact_g(const layout_data *d, const layout_reading *h, const sf8_recipe_row *row,
                     float estimate)
{
    guesses g = {.least = estimate * 0.99f, .most = estimate * 1.01f};
    float exact = 0;
    guess_all(&g, d, row, estimate);
    quantized q = arrange(d, h, 0);
    for (size_t i = 0; i < g.count && exact == 0; i++) {
        if (is_exact_with(d, h, &q, row, g.list[i]))
            exact = g.list[i];
    }
    end(d, &q);
    return exact;
}

/* Whether the recipe gives every code and scale of the rows from `row` on. */
static int is_exact_from(const layout_data *d, const layout_reading *h, const char *name,
                         size_t row, size_t rows)
{
    const sf8_recipe_row *recipe = NULL;
    int is_exact = 1;
    for (size_t i = 0; !recipe || strcmp(recipe->name, name) != 0; i++)
        recipe = sf8_recipe_at(i);
    while (row < rows && is_exact) {
        quantized q = arrange(d, h, row);
        layout_recipe found = compare(d, h, &q, recipe);
        is_exact = found.codes + found.scales == 0;
        row += q.rows;
        end(d, &q);
    }
    return is_exact;
}

const layout_recipe *layout_expected(const layout_data *d, const layout_recipes *recipes)
{
    for (size_t i = 0; d->recipe && i < recipes->count; i++) {
        if (strcmp(recipes->list[i].name, d->recipe->name) == 0)
            return &recipes->list[i];
    }
    return NULL;
}

layout_recipes layout_recipes_of(const layout_data *d, const layout_reading *h,
                                 const sf8_recipe_row *only)
{
    layout_recipes all;
    memset(&all, 0, sizeof all);
    quantized q = arrange(d, h, 0);
    all.rows = q.rows;
    all.elements = q.rows * q.columns;
    all.scales = (q.rows + q.high - 1) / q.high * q.blocks;
    all.all = h->at[AXIS_ALONG] == ALONG_COLUMNS ? d->columns : d->rows;
    const sf8_recipe_row *row;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++) {
        if (all.count < sizeof all.list / sizeof all.list[0] && (!only || row == only) &&
            is_meant(d, h, row))
            all.list[all.count++] = compare(d, h, &q, row);
    }
    if (all.count > 0)
        qsort(all.list, all.count, sizeof all.list[0], by_difference);
    end(d, &q);
    const layout_recipe *best = layout_expected(d, &all);
    best = best && best->codes + best->scales == 0 ? best : all.list;
    all.is_exact = all.count > 0 && best->codes + best->scales == 0 &&
                   is_exact_from(d, h, best->name, all.rows, all.all);
    return all;
}
