/* SPDX-License-Identifier: MIT */
/* reading.c -- where a reading finds codes and scales in their files */
#include "diagnose/layout/layout.h"

#include <string.h>

/* How each value of AXIS_PLACE uses a layout: through it once or twice, or (-1) what was linear was
 * taken through its inverse. */
static const struct {
    sf8_layout layout;
    int times;
} places[] = {
    {SF8_LAYOUT_LINEAR, 0}, {SF8_LAYOUT_LINEAR, 0}, {SF8_LAYOUT_128X4, 1}, {SF8_LAYOUT_8X4, 1},
    {SF8_LAYOUT_4TOKEN, 1}, {SF8_LAYOUT_128X4, -1}, {SF8_LAYOUT_8X4, -1},  {SF8_LAYOUT_4TOKEN, -1},
    {SF8_LAYOUT_128X4, 2},  {SF8_LAYOUT_LINEAR, 0},
};

static size_t up_to(size_t n, size_t side)
{
    return (n + side - 1) / side * side;
}

size_t layout_block(const layout_data *d, const layout_reading *h)
{
    int block = h->at[AXIS_BLOCK];
    if (block == BLOCK_ALL)
        return h->at[AXIS_ALONG] == ALONG_COLUMNS ? d->rows : d->columns;
    return block == BLOCK_128 ? 128 : (size_t)16 << block;
}

void layout_sides(const layout_data *d, const layout_reading *h, size_t sides[2])
{
    size_t block = layout_block(d, h);
    int along = h->at[AXIS_ALONG], all = h->at[AXIS_BLOCK] == BLOCK_ALL;
    sides[0] = along == ALONG_ROWS ? 1 : along == ALONG_BOTH && all ? d->rows : block;
    sides[1] = along == ALONG_COLUMNS ? 1 : block;
}

void layout_grid(const layout_data *d, const layout_reading *h, size_t grid[2])
{
    size_t sides[2];
    layout_sides(d, h, sides);
    grid[0] = up_to(d->rows, sides[0]) / sides[0];
    grid[1] = up_to(d->columns, sides[1]) / sides[1];
}

void layout_stored(const layout_data *d, const layout_reading *h, size_t stored[2])
{
    size_t grid[2];
    layout_grid(d, h, grid);
    int turned = h->at[AXIS_TURN] != 0;
    stored[0] = grid[turned ? 1 : 0];
    stored[1] = grid[turned ? 0 : 1];
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Values of AXIS_ROWS: three permutations, of scales, of codes, of both. Where row r lies. */
static size_t row_of(const layout_reading *h, int codes, size_t rows, size_t r)
{
    int value = h->at[AXIS_ROWS], half = (int)(r >= rows / 2);
    int who = (value - 1) / 3;
    if (value == 0 || who == (codes ? 0 : 1))
        return r;
    switch ((value - 1) % 3) {
    case 0:
        return half ? r - rows / 2 : r + rows / 2;
    case 1: /* row i of the upper half is the 2i-th, of the lower half the one after */
        return half ? 2 * (r - rows / 2) + 1 : 2 * r;
    default:
        return r / 2 + (r % 2 ? rows / 2 : 0);
    }
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* Where the i-th of eight codes lies in AWQ's word. */
static const uint8_t awq[8] = {0, 4, 1, 5, 2, 6, 3, 7};

size_t layout_code_index(const layout_data *d, const layout_reading *h, size_t row, size_t column)
{
    size_t r = row_of(h, 1, d->rows, row), block = layout_block(d, h), at;
    if (h->at[AXIS_PACKING] == PACKING_COLUMNS)
        at = 2 * (r / 2 * d->columns + column) + r % 2;
    else if (h->at[AXIS_PACKING] == PACKING_TRANSPOSED)
        at = column * d->rows + r;
    else
        at = r * d->columns + column;
    switch (h->at[AXIS_ORDER]) {
    case ORDER_HIGH:
        return at ^ 1;
    case ORDER_REVERSED:
        return at ^ 7;
    case ORDER_AWQ:
        return (at & ~(size_t)7) + awq[at & 7];
    case ORDER_HALVES: {
        size_t in = at % block, half = block / 2;
        return at - in + 2 * (in % half) + in / half;
    }
    default:
        return at;
    }
}

unsigned layout_code(const layout_data *d, size_t index)
{
    return d->bits == 8 ? d->codes[index] : (unsigned)d->codes[index / 2] >> index % 2 * 4 & 15;
}

static int codes_fit(const layout_data *d, const layout_reading *h)
{
    size_t count = d->rows * d->columns;
    int order = h->at[AXIS_ORDER], rows = h->at[AXIS_ROWS];
    if (d->bits == 8 && (order != ORDER_LOW || h->at[AXIS_PACKING] == PACKING_COLUMNS))
        return 0;
    if (h->at[AXIS_PACKING] == PACKING_COLUMNS && d->rows % 2 != 0)
        return 0;
    if (rows != 0 && (d->rows % 2 != 0 || ((rows - 1) % 3 != 0 && d->rows < 4)))
        return 0;
    if ((order == ORDER_REVERSED || order == ORDER_AWQ) && count % 8 != 0)
        return 0;
    return order != ORDER_HALVES || count % layout_block(d, h) == 0;
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* The place of a scale in the file. */
static size_t scale_index(const layout_reading *h, const size_t stored[2], size_t row,
                          size_t column)
{
    int place = h->at[AXIS_PLACE], times = places[place].times;
    sf8_layout layout = places[place].layout;
    size_t pitch = layout == SF8_LAYOUT_4TOKEN ? stored[1] : up_to(stored[1], 4);
    if (place == PLACE_LINEAR)
        return row * stored[1] + column;
    if (place == PLACE_PADDED)
        return row * pitch + column;
    if (place == PLACE_WORDS)
        return 4 * (column / 4 * up_to(stored[0], 4) + row) + column % 4;
    if (times < 0) {
        sf8_place p = sf8_layout_place(layout, pitch, row * pitch + column);
        return (size_t)(p.row * pitch + p.column);
    }
    size_t at = (size_t)sf8_layout_offset(layout, stored[1], row, column);
    if (times == 2)
        at = (size_t)sf8_layout_offset(layout, pitch, at / pitch, at % pitch);
    return at;
}

size_t layout_scale_bytes(const layout_data *d, const layout_reading *h)
{
    size_t stored[2];
    layout_stored(d, h, stored);
    int place = h->at[AXIS_PLACE];
    if (place == PLACE_LINEAR)
        return stored[0] * stored[1] * d->width;
    if (place == PLACE_PADDED)
        return stored[0] * up_to(stored[1], 4) * d->width;
    if (place == PLACE_WORDS)
        return up_to(stored[0], 4) * up_to(stored[1], 4);
    return (size_t)sf8_layout_size(places[place].layout, stored[0], stored[1]);
}

/* Rows behind the last are padding, which need not be: to multiples of 4, 8, 32 or 128. For scales
 * of more than a byte rows are not padded. */
static int size_fits(const layout_data *d, const layout_reading *h, const size_t stored[2])
{
    static const size_t sides[] = {1, 4, 8, 32, 128};
    size_t bytes = layout_scale_bytes(d, h), last = 0;
    int place = h->at[AXIS_PLACE];
    if (bytes == d->scales_size || d->width > 1)
        return bytes == d->scales_size;
    if (place == PLACE_LINEAR || place == PLACE_PADDED) {
        size_t pitch = bytes / stored[0];
        for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
            if (up_to(stored[0], sides[i]) * pitch == d->scales_size)
                return 1;
        }
        return 0;
    }
    if (places[place].times != 1 || d->scales_size > bytes)
        return 0;
    for (size_t row = 0; row < stored[0]; row++) { /* the file may end behind its last scale */
        size_t at = scale_index(h, stored, row, stored[1] - 1);
        last = at > last ? at : last;
    }
    return last + 1 == d->scales_size;
}

/* Whether the scales are bytes of e8m0, which DeepGEMM packs into words. */
static int is_of_powers(const layout_reading *h)
{
    int scale = h->at[AXIS_SCALE];
    return (scale >= SCALE_E8M0 && scale <= SCALE_E8M0_HALF) || layout_is_rounded(scale);
}

int layout_fits(const layout_data *d, const layout_reading *h)
{
    size_t stored[2];
    layout_stored(d, h, stored);
    int place = h->at[AXIS_PLACE], scales_rows = h->at[AXIS_ROWS];
    if (!codes_fit(d, h) || !sf8_layout_fits(places[place].layout, stored[0], stored[1]))
        return 0;
    if (place == PLACE_PADDED && stored[1] % 4 == 0)
        return 0;
    int is_line = stored[0] == 1 || stored[1] == 1; /* which is the same transposed */
    if (d->width > 1 && (place > PLACE_PADDED || (is_line && h->at[AXIS_TURN])))
        return 0;
    if (d->bits == 4 &&
        (h->at[AXIS_BLOCK] > BLOCK_32 || (place == PLACE_WORDS && !is_of_powers(h))))
        return 0;
    if (d->rows == 1 && h->at[AXIS_ALONG] == ALONG_BOTH &&
        !(d->recipe && strstr(d->recipe->properties, "rows=")))
        return 0; /* a row has no squares that are not parts of it, unless the recipe says so */
    if (h->at[AXIS_ALONG] != ALONG_ROWS && scales_rows != 0 && (scales_rows - 1) / 3 != 1)
        return 0; /* blocks along columns have rows of their own */
    return size_fits(d, h, stored);
}

static uint32_t scale_word(const layout_data *d, size_t at)
{
    uint32_t word = 0;
    for (size_t i = 0; i < d->width; i++)
        word |= (uint32_t)d->scales[d->width * at + i] << 8 * i;
    return d->width == 2 ? word << 16 : word;
}

uint32_t *layout_scales(const layout_data *d, const layout_reading *h)
{
    size_t grid[2], stored[2];
    layout_grid(d, h, grid);
    layout_stored(d, h, stored);
    uint32_t *all = search_allocate(d->context, grid[0] * grid[1], sizeof *all);
    for (size_t row = 0; row < grid[0]; row++) {
        size_t r = h->at[AXIS_ALONG] ? row : row_of(h, 0, grid[0], row);
        for (size_t column = 0; column < grid[1]; column++) {
            size_t at = h->at[AXIS_TURN] ? scale_index(h, stored, column, r)
                                         : scale_index(h, stored, r, column);
            all[row * grid[1] + column] = scale_word(d, at);
        }
    }
    return all;
}

/* ---- scales that were rounded after the codes -------------------------------------------------
 */

int layout_is_rounded(int scale)
{
    return scale >= SCALE_UP;
}

float *layout_amax(const layout_data *d, const layout_reading *h)
{
    size_t grid[2], sides[2];
    layout_grid(d, h, grid);
    layout_sides(d, h, sides);
    float *amax = search_allocate(d->context, grid[0] * grid[1], sizeof *amax);
    for (size_t row = 0; row < d->rows; row++) {
        float *most = amax + row / sides[0] * grid[1];
        for (size_t column = 0; column < d->columns; column++) {
            float x = d->x[row * d->columns + column], size = x < 0 ? -x : x;
            size_t at = column / sides[1];
            if (x - x == 0 && size > most[at])
                most[at] = size;
        }
    }
    return amax;
}

/* A stored scale; 0 if it is no number. */
static float stored_value(const layout_data *d, uint32_t word)
{
    if (d->width == 1)
        word = (uint32_t)sf8_convert(SF8_F32, SF8_E8M0, word, SF8_OCP_NOSAT);
    float s = sf8_f32_from_bits(word);
    return s - s == 0 ? s : 0;
}

/* A quotient may be off in its last bits. */
static const float last = 1e-6f;

/* Four scales of f32 in a word, each shifted to the place of its exponent; `how`: by the
 * reciprocal, added rather than joined, or rounded up by their bits. */
static uint32_t packed(const float *amax, size_t count, float largest, int how)
{
    uint32_t word = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t bits = sf8_f32_bits(how & 1 ? amax[k] * (1 / largest) : amax[k] / largest);
        bits += how & 4 ? 0x7fffff : 0;
        bits = k < 3 ? bits >> (23 - 8 * k) : bits << 1;
        word = how & 2 ? word + bits : word | bits;
    }
    return word;
}

/* What the codes belong to, where the bytes of a word are those of packed(); else 0. */
static void unleak(const float *amax, size_t count, float largest, uint32_t *scales)
{
    uint32_t word = 0;
    int fits = 0;
    for (size_t k = 0; k < count; k++)
        word |= (scales[k] & 0xff) << 8 * k;
    for (int how = 0; how < 8; how++)
        fits |= packed(amax, count, largest, how) == word;
    for (size_t k = 0; k < count; k++)
        scales[k] = fits ? sf8_f32_bits(amax[k] / largest) : 0;
}

void layout_unround(const layout_data *d, const layout_reading *h, const float *amax,
                    uint32_t *scales)
{
    size_t grid[2];
    layout_meaning m;
    int kind = h->at[AXIS_SCALE];
    layout_grid(d, h, grid);
    layout_meaning_of(d, h, &m);
    for (size_t i = 0; kind == SCALE_LEAKED && i < grid[0] * grid[1];) {
        size_t left = grid[1] - i % grid[1], count = left < 4 ? left : 4;
        unleak(amax + i, count, m.largest, scales + i);
        i += count;
    }
    for (size_t i = 0; kind != SCALE_LEAKED && i < grid[0] * grid[1]; i++) {
        float power = stored_value(d, scales[i]), s = amax[i] / m.largest, above = s * (1 + last);
        int down = power <= above && s < 2 * power, up = power / 2 < s && s * (1 - last) <= power;
        int fits = (down && kind != SCALE_UP) || (up && kind != SCALE_DOWN);
        scales[i] = fits ? sf8_f32_bits(s) : 0;
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

int layout_same(const layout_reading *a, const layout_reading *b)
{
    return memcmp(a->at, b->at, sizeof a->at) == 0;
}

layout_reading layout_code_part(const layout_reading *h)
{
    layout_reading part = {{0}, 0};
    part.at[AXIS_ORDER] = h->at[AXIS_ORDER];
    part.at[AXIS_PACKING] = h->at[AXIS_PACKING];
    int rows = h->at[AXIS_ROWS];
    part.at[AXIS_ROWS] = (uint8_t)(rows < 4 ? 0 : 4 + (rows - 1) % 3);
    if (h->at[AXIS_ORDER] == ORDER_HALVES)
        part.at[AXIS_BLOCK] = h->at[AXIS_BLOCK];
    return part;
}

layout_reading layout_scale_part(const layout_reading *h)
{
    layout_reading part = {{0}, 0};
    int rows = h->at[AXIS_ROWS];
    part.at[AXIS_ROWS] = (uint8_t)(rows == 0 || (rows - 1) / 3 == 1 ? 0 : 1 + (rows - 1) % 3);
    part.at[AXIS_BLOCK] = h->at[AXIS_BLOCK];
    part.at[AXIS_ALONG] = h->at[AXIS_ALONG];
    part.at[AXIS_PLACE] = h->at[AXIS_PLACE];
    part.at[AXIS_TURN] = h->at[AXIS_TURN];
    if (layout_is_rounded(h->at[AXIS_SCALE])) { /* which depends on the largest element */
        part.at[AXIS_SCALE] = h->at[AXIS_SCALE];
        part.at[AXIS_ELEMENT] = h->at[AXIS_ELEMENT];
    }
    return part;
}

layout_reading layout_meaning_part(const layout_reading *h)
{
    layout_reading part = {{0}, h->at[AXIS_G] == G_FREE ? h->factor : 0};
    part.at[AXIS_ELEMENT] = h->at[AXIS_ELEMENT];
    part.at[AXIS_SCALE] = h->at[AXIS_SCALE];
    part.at[AXIS_G] = h->at[AXIS_G];
    part.at[AXIS_OVERFLOW] = h->at[AXIS_OVERFLOW];
    return part;
}
