/* SPDX-License-Identifier: MIT */
/* error.c -- bounds of what attention may be wrong by */
#include "diagnose/attend/error.h"

#include <math.h>
#include <string.h>

const attend_error_bound attend_error_bounds[ATTEND_ERROR_BOUNDS] = {
    {"f32", "f32 throughout", 1, 0x1p-24, 0, 0, 1, 0x1p-24, 0},
    {"f16", "f16 units, weights in f16", 16, 0x1.8p-23, 0x1p-11, 0x1p-24, 16, 0x1p-22, 0x1p-10},
    {"bf16", "bf16 units, weights in bf16", 16, 0x1.8p-23, 0x1p-8, 0, 16, 0x1p-22, 0x1p-8},
    {"bf16-parts", "partial results in bf16", 16, 0x1.8p-23, 0x1p-7, 0, 16, 0x1p-22, 0x1p-8},
    {"fp8-two", "FP8 units, weights in e4m3, two levels of sums", 32, 0x1p-12, 0x1p-4, 0x1p-18,
     4096, 0x1p-11, 0x1p-4},
    {"fp8-one", "FP8 units, weights in e4m3, one accumulator of 13 bits", 32, 0x1p-12, 0x1p-4,
     0x1p-18, 32, 0x1p-13, 0x1p-4},
};

const attend_error_bound *attend_error_bound_named(const char *word)
{
    for (size_t i = 0; i < ATTEND_ERROR_BOUNDS; i++)
        if (strcmp(attend_error_bounds[i].word, word) == 0)
            return &attend_error_bounds[i];
    return NULL;
}

static double last_place(double x, int mantissa, int least)
{
    int exponent = x == 0 ? least : ilogb(x);
    return ldexp(1, (exponent < least ? least : exponent) - mantissa);
}

double attend_error_score(const attend_error_bound *b, const attend_error_row *row)
{
    return ceil((double)row->dim / b->step) * b->of * row->most;
}

double attend_error_out(const attend_error_bound *b, const attend_error_row *row, sf8_format out)
{
    double n = (double)row->keys, spread = row->spread;
    double weight = expm1(2 * attend_error_score(b, row)) + 0x1p-21 + n * 0x1p-24 + b->weight;
    double v = spread * (weight + ceil(n / b->sum) * b->sum_of);
    v += b->least * n * spread; /* a weight below that may become 0 */
    return v + last_place(row->out, out.man_bits, 1 - out.bias) * 0.5000001;
}
