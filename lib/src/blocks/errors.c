/* SPDX-License-Identifier: MIT */
/* errors.c -- quantized matrices read element by element: requantizing, and quantization errors */
#include "softfp8/scalar.h"
#include "softfp8_blocks.h"

#include <string.h>

#include "blocks/block_vector.h"
#include "blocks/given.h"
#include "scalar/tensor_word.h"

/* The state of a reader: the block that it read last. */
typedef struct sf8_block_cursor {
    const sf8_blocks *from;
    sf8_block block;
    size_t at; /* its number, SIZE_MAX before the first */
    size_t columns;
} sf8_block_cursor;

/* The value of an element, as f32. */
static uint32_t sf8_cursor_value(void *cursor, size_t row, size_t column)
{
    sf8_block_cursor *c = (sf8_block_cursor *)cursor;
    const sf8_blocks *from = c->from;
    size_t columns = c->columns;
    const sf8_recipe *r = from->recipe;
    size_t block = r->block ? (size_t)r->block : columns;
    size_t at = row / sf8_recipe_rows(r) * sf8_recipe_blocks(r, columns) + column / block;
    if (at != c->at) {
        uint32_t offset = r->offset_at == SF8_OFFSET_WORD ? from->offsets[at] : 0;
        sf8_block_read(r, &c->block, from->scales[at], offset, sf8_f32_bits(from->g));
        c->at = at;
    }
    return sf8_block_value(r, &c->block, from->codes[row * columns + column]);
}

sf8_status sf8_requantize_n(const sf8_recipe *recipe, uint8_t *codes, uint32_t *scales,
                            uint32_t *offsets, float g, const sf8_blocks *from, size_t rows,
                            size_t columns)
{
    sf8_block_cursor c;
    sf8_in_blocks m = sf8_in_blocks_of(0, recipe, codes, scales, offsets, SF8_F32, NULL, rows,
                                       columns, g);
    if (sf8_blocks_given(recipe, codes, scales, offsets, codes, rows, columns) != SF8_OK ||
        sf8_blocks_read_given(from, codes, rows, columns) != SF8_OK ||
        sf8_matrix_check(SF8_F32, rows, columns) != SF8_OK)
        return SF8_BAD_CALL;
    c.from = from;
    c.at = SIZE_MAX;
    c.columns = columns;
    sf8_quantize_tiles(&m, sf8_recipe_rows(recipe), sf8_tile_wide(recipe, columns),
                       sf8_cursor_value, &c);
    return SF8_OK;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static double sf8_f32_value(uint32_t word)
{
    float f;
    memcpy(&f, &word, sizeof f);
    return (double)f;
}

/* Returns 1 if the code is a largest finite number of its format, or an end of the integer
 * range. */
static uint32_t sf8_code_is_most(const sf8_recipe *r, uint32_t code)
{
    if (!r->integer)
        return (code & sf8_format_mag_mask(r->element)) == sf8_format_max(r->element);
    uint32_t most = (2u << (r->integer - 1)) - 1, half = most >> 1;
    code &= most;
    return r->is_signed ? code == half || code == half + 1 || code == half + 2
                        : code == most || code == 0;
}

static void sf8_report_take(sf8_block_report *report, const sf8_recipe *r, uint32_t code,
                            uint32_t x, uint32_t v)
{
    uint32_t size_x = sf8_f32_magnitude(x), size_v = sf8_f32_magnitude(v);
    report->count++;
    if (sf8_f32_is_nan(x) || sf8_f32_is_nan(v)) {
        report->nan++;
        return;
    }
    report->saturated += sf8_code_is_most(r, code) && size_v < size_x;
    report->zeros_lost += size_v == 0 && size_x != 0;
    if (size_x == SF8_F32_INF || size_v == SF8_F32_INF) {
        report->infinite++;
        return;
    }
    double a = sf8_f32_value(x), error = a - sf8_f32_value(v);
    double magnitude = error < 0 ? -error : error;
    report->most = magnitude > report->most ? magnitude : report->most;
    report->sum_x2 += a * a;
    report->sum_error2 += error * error;
}

sf8_status sf8_block_errors(sf8_block_report *report, const sf8_blocks *blocks, sf8_format from,
                            const void *src, size_t rows, size_t columns)
{
    sf8_block_cursor c;
    sf8_block_report sum;
    sf8_status status = sf8_blocks_read_given(blocks, src, rows, columns);
    if (status == SF8_OK)
        status = sf8_matrix_check(from, rows, columns);
    if (status != SF8_OK)
        return status;
    memset(&sum, 0, sizeof sum);
    c.from = blocks;
    c.at = SIZE_MAX;
    c.columns = columns;
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < columns; i++)
            sf8_report_take(&sum, blocks->recipe, blocks->codes[row * columns + i],
                            sf8_word_load(from, src, row * columns + i),
                            sf8_cursor_value(&c, row, i));
    *report = sum;
    return SF8_OK;
}
