/* SPDX-License-Identifier: MIT */
/* report.c -- what quantizing a tensor did to it, in numbers
 *
 * Errors are of the elements that are numbers and were read back as numbers. Sums are in double, in
 * the order of the tensor; they are for people, and their last digits are not promised.
 */
#include "quantize/report.h"
#include "vectors/block_trace.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct worst {
    double error;
    size_t at;
} worst;

typedef struct summary {
    size_t saturated, nans, nans_back, infinities, zero_blocks, compared;
    uint32_t least_scale, largest_scale;
    worst absolute, relative;
    double squares, error_squares, products, back_squares;
} summary;

static int is_number(uint32_t word)
{
    return sf8_f32_magnitude(word) < SF8_F32_INF;
}

static void keep_worst(worst *w, double error, size_t at)
{
    if (error > w->error) {
        w->error = error;
        w->at = at;
    }
}

static void compare(summary *s, uint32_t word, uint32_t back, size_t at)
{
    s->nans += sf8_f32_is_nan(word) != 0;
    s->nans_back += sf8_f32_is_nan(back) != 0;
    s->infinities += sf8_f32_magnitude(word) == SF8_F32_INF;
    if (!is_number(word) || !is_number(back))
        return;
    double x = (double)sf8_f32_from_bits(word), y = (double)sf8_f32_from_bits(back);
    double error = fabs(y - x);
    s->compared++;
    keep_worst(&s->absolute, error, at);
    if (x != 0)
        keep_worst(&s->relative, error / fabs(x), at);
    s->squares += x * x;
    s->error_squares += error * error;
    s->products += x * y;
    s->back_squares += y * y;
}

/* The elements of the i-th block, from the first-th of the tensor on. */
/* A block of rows and columns, its scale the i-th. */
static void add_block(summary *s, const blocks *b, const uint32_t *x, const size_t rows[2],
                      const size_t columns[2], size_t i)
{
    const sf8_recipe *r = &b->head.recipe;
    size_t wide = columns[1] - columns[0], n = (rows[1] - rows[0]) * wide;
    uint32_t *of = allocate(n, sizeof of[0]);
    sf8_block block;
    for (size_t row = rows[0]; row < rows[1]; row++)
        memcpy(of + (row - rows[0]) * wide, x + row * b->head.shape.columns + columns[0],
               wide * sizeof of[0]);
    block_of_rows(r, &block, of, n, wide, b->head.g);
    int all_zero = 1;
    for (size_t k = 0; k < n; k++) {
        s->saturated += (size_t)element_fate_of(r, &block, of[k]).is_saturated;
        all_zero &= sf8_f32_magnitude(of[k]) == 0;
    }
    s->zero_blocks += (size_t)all_zero;
    s->least_scale = i == 0 || b->scales[i] < s->least_scale ? b->scales[i] : s->least_scale;
    s->largest_scale = b->scales[i] > s->largest_scale ? b->scales[i] : s->largest_scale;
    free(of);
}

static summary summary_of(const blocks *b, const tensor *t)
{
    const blocks_head *h = &b->head;
    size_t columns = h->shape.columns, block = h->recipe.block ? (size_t)h->recipe.block : columns;
    size_t n = h->shape.rows * columns, i = 0;
    summary s = {.saturated = 0};
    uint32_t *x = allocate(n, sizeof x[0]), *back = allocate(n, sizeof back[0]);
    for (size_t k = 0; k < n; k++)
        x[k] = tensor_f32(t, k);
    sf8_dequantize_n(&h->recipe, SF8_F32, back, b->codes, b->scales, b->offsets, h->shape.rows,
                     columns, sf8_f32_from_bits(h->g));
    size_t high = sf8_recipe_rows(&h->recipe);
    for (size_t row = 0; row < h->shape.rows; row += high)
        for (size_t at = 0; at < columns; at += block, i++) {
            const size_t rows[2] = {row, h->shape.rows - row < high ? h->shape.rows : row + high};
            const size_t of[2] = {at, columns - at < block ? columns : at + block};
            add_block(&s, b, x, rows, of, i);
        }
    for (size_t k = 0; k < n; k++)
        compare(&s, x[k], back[k], k);
    free(x);
    free(back);
    return s;
}

/* Adds a line to the text. */
CLI_PRINTF(2, 3)
static void line(char **text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    *text += vsnprintf(*text, 200, format, list);
    va_end(list);
}

static void worst_line(char **text, const char *what, const worst *w, size_t columns)
{
    line(text, "%-15s%.6g", what, w->error);
    if (w->error > 0)
        line(text, " at row %zu, column %zu", w->at / columns, w->at % columns);
    line(text, "\n");
}

void quantize_report(const blocks *b, const tensor *t, char text[REPORT_SIZE])
{
    const blocks_head *h = &b->head;
    summary s = summary_of(b, t);
    int digits = word_digits(sf8_format_bits(h->recipe.scale));
    line(&text, "%-15s%s, from %s", "recipe", h->row->name, h->from);
    if (h->recipe.has_g)
        line(&text, ", g %08x = %.9g", (unsigned)h->g, (double)sf8_f32_from_bits(h->g));
    line(&text, "\n%-15s%zu in %zu rows\n", "elements", h->shape.rows * h->shape.columns,
         h->shape.rows);
    line(&text, "%-15s%zu, %zu of them all zero\n", "blocks", h->scale_rows * h->blocks,
         s.zero_blocks);
    line(&text, "%-15s%0*x to %0*x\n", "scales", digits, (unsigned)s.least_scale, digits,
         (unsigned)s.largest_scale);
    line(&text, "%-15s%zu\n", "saturated", s.saturated);
    line(&text, "%-15s%zu before, %zu after\n", "NaN", s.nans, s.nans_back);
    line(&text, "%-15s%zu\n", "infinite", s.infinities);
    if (s.compared == 0) {
        line(&text, "%-15s%s\n", "errors", "none: no value is a number both before and after");
        return;
    }
    worst_line(&text, "max abs error", &s.absolute, h->shape.columns);
    worst_line(&text, "max rel error", &s.relative, h->shape.columns);
    line(&text, "%-15s%.6g\n", "RMS error", sqrt(s.error_squares / (double)s.compared));
    if (s.squares > 0 && s.error_squares > 0)
        line(&text, "%-15s%.6g dB\n", "SQNR", 10 * log10(s.squares / s.error_squares));
    else
        line(&text, "%-15s%s\n", "SQNR", s.squares > 0 ? "inf dB" : "none: all values are 0");
    if (s.squares > 0 && s.back_squares > 0)
        line(&text, "%-15s%.9g\n", "cosine", s.products / (sqrt(s.squares) * sqrt(s.back_squares)));
    else
        line(&text, "%-15s%s\n", "cosine", "none: all values are 0 before or after");
}
