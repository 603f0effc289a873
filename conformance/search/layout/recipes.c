/* SPDX-License-Identifier: MIT */
/* recipes.c -- which recipe made codes and scales: the values quantized by each, compared */
#include "search/layout/layout.h"
#include "search/second_scale.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 }; /* elements that are quantized */

/* The matrix as the quantizer had it: a block is part of a row. */
typedef struct quantized {
    size_t rows, columns, blocks;
    float *x;
    size_t high; /* rows of a block */
    uint8_t *codes;
    uint32_t *scales;
} quantized;

static quantized arrange(const layout_data *d, const layout_reading *h)
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
    q.rows = q.rows < rows ? q.rows : rows;
    q.blocks = grid[turned ? 0 : 1];
    q.x = allocate(q.rows * q.columns, sizeof *q.x);
    q.codes = allocate(q.rows * q.columns, 1);
    q.scales = allocate(q.rows * q.blocks, sizeof *q.scales);
    uint32_t *scales = layout_scales(d, h);
    for (size_t row = 0; row < q.rows; row++)
        for (size_t column = 0; column < q.columns; column++) {
            size_t r = turned ? column : row, c = turned ? row : column;
            size_t i = row * q.columns + column, at = row / q.high * q.blocks + column / block;
            q.x[i] = d->x[r * d->columns + c];
            q.codes[i] = (uint8_t)layout_code(d, layout_code_index(d, h, r, c));
            q.scales[at] = scales[turned ? column / block * grid[1] + row : at];
        }
    free(scales);
    return q;
}

/* A scale of the recipe as it lies in the file. */
static uint32_t as_stored(const layout_data *d, const layout_reading *h, uint32_t code)
{
    int offset;
    layout_scale_format(h->at[AXIS_SCALE], &offset);
    if (h->at[AXIS_G] == G_FOLDED)
        return sf8_f32_to_e4m3(sf8_e4m3_to_f32((uint8_t)code) * d->decode, SF8_CUDA_SATFINITE);
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
    if (status != SF8_OK || memcmp(&format, &wanted, sizeof format) != 0)
        return 0;
    element = sf8_format_named(row->element, &status);
    size_t sides[2];
    layout_sides(d, h, sides);
    int turned = h->at[AXIS_ALONG] == ALONG_COLUMNS;
    return status == SF8_OK && strcmp(row->element, value->name) == 0 &&
           sf8_format_bits(element) == d->bits && scale != SCALE_FLOAT_INVERTED &&
           has_sides(row, d, turned ? sides[1] : sides[0], turned ? sides[0] : sides[1]);
}

static layout_recipe compare(const layout_data *d, const layout_reading *h, const quantized *q,
                             const sf8_recipe_row *row)
{
    layout_recipe found = {row->name, 0, 0, h->at[AXIS_G] == G_FOLDED};
    int g = found.folded ? G_GIVEN : h->at[AXIS_G];
    int encode = strstr(row->properties, "g=encode") != NULL;
    uint32_t mask = h->at[AXIS_SCALE] == SCALE_UNSIGNED ? 0x7f : 0xffffffff;
    size_t count = q->rows * q->columns;
    uint8_t *codes = allocate(count, 1);
    uint32_t *scales = allocate(q->rows * q->blocks, sizeof *scales);
    sf8_recipe recipe;
    sf8_recipe_named(&recipe, row->name);
    sf8_quantize_n(&recipe, codes, scales, NULL, SF8_F32, q->x, q->rows, q->columns,
                   encode ? layout_encode(d, g) : layout_decode(d, g));
    for (size_t i = 0; i < count; i++)
        found.codes += codes[i] != q->codes[i];
    for (size_t i = 0; i < (q->rows + q->high - 1) / q->high * q->blocks; i++)
        found.scales += (as_stored(d, h, scales[i]) & mask) != (q->scales[i] & mask);
    free(codes);
    free(scales);
    return found;
}

static int by_difference(const void *a, const void *b)
{
    const layout_recipe *r = a, *s = b;
    uint64_t first = r->codes + r->scales, second = s->codes + s->scales;
    return first != second ? (first > second) - (first < second) : strcmp(r->name, s->name);
}

/* Whether the recipe gives all codes and scales with this second scale. */
static int is_exact_with(const layout_data *d, const layout_reading *h, const quantized *q,
                         const sf8_recipe_row *row, float g)
{
    layout_data trial = *d;
    layout_reading reading = *h;
    int encode = strstr(row->properties, "g=encode") != NULL;
    trial.has_g = 1;
    trial.encode = encode ? g : 1 / g;
    trial.decode = encode ? 1 / g : g;
    reading.at[AXIS_G] = G_GIVEN;
    layout_recipe found = compare(&trial, &reading, q, row);
    return found.codes == 0 && found.scales == 0;
}

/* The second scale by the recipe's own rule; 0 if it has none for these values. */
static float own_g(const layout_data *d, const sf8_recipe_row *row)
{
    sf8_recipe recipe;
    uint32_t amax = 0;
    for (size_t i = 0; i < d->rows * d->columns; i++) {
        uint32_t mag = sf8_f32_bits(d->x[i]) & 0x7fffffff;
        amax = mag > amax && mag < SF8_F32_INF ? mag : amax;
    }
    sf8_recipe_named(&recipe, row->name);
    return sf8_f32_from_bits(second_scale_of(&recipe, SF8_F32, amax));
}

enum { GUESSES = 256 };

/* The multiples of `step` from least to most. */
static size_t add_multiples(float list[GUESSES], size_t count, float least, float most, float step)
{
    for (float n = (float)(uint64_t)(least / step); n * step <= most && count < GUESSES; n++) {
        if (n * step >= least)
            list[count++] = n * step;
    }
    return count;
}

float layout_exact_g(const layout_data *d, const layout_reading *h, const sf8_recipe_row *row,
                     float estimate)
{
    float guess[GUESSES], least = estimate * 0.99f, most = estimate * 1.01f, exact = 0;
    float two = 1, ten = 1;
    size_t count = 1;
    guess[0] = own_g(d, row);
    while (two > estimate / 128)
        two /= 2;
    while (two * 2 <= estimate / 128)
        two *= 2;
    while (ten > estimate / 1000)
        ten /= 10;
    while (ten * 10 <= estimate / 1000)
        ten *= 10;
    count = add_multiples(guess, count, least, most, two);
    count = add_multiples(guess, count, least, most, ten);
    quantized q = arrange(d, h);
    for (size_t i = 0; i < count && exact == 0; i++) {
        if (guess[i] >= least && guess[i] <= most && is_exact_with(d, h, &q, row, guess[i]))
            exact = guess[i];
    }
    free(q.x);
    free(q.codes);
    free(q.scales);
    return exact;
}

layout_recipes layout_recipes_of(const layout_data *d, const layout_reading *h)
{
    layout_recipes all;
    memset(&all, 0, sizeof all);
    quantized q = arrange(d, h);
    all.rows = q.rows;
    all.all = h->at[AXIS_ALONG] == ALONG_COLUMNS ? d->columns : d->rows;
    const sf8_recipe_row *row;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++) {
        if (all.count < sizeof all.list / sizeof all.list[0] && is_meant(d, h, row))
            all.list[all.count++] = compare(d, h, &q, row);
    }
    if (all.count > 0)
        qsort(all.list, all.count, sizeof all.list[0], by_difference);
    free(q.x);
    free(q.codes);
    free(q.scales);
    return all;
}
