/* SPDX-License-Identifier: MIT */
/* f32_attention.c -- a row of attention and argmax in f32, NaN and all */
#include "softfp8_f32.h"

void sf8_f32_exp2_n(uint32_t *y, const uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = sf8_f32_exp2(x[i]);
}

void sf8_f32_log_n(uint32_t *y, const uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = sf8_f32_log(x[i]);
}

sf8_softmax sf8_f32_softmax_n(sf8_order order, uint32_t *weights, const uint32_t *scores, size_t n)
{
    sf8_softmax row = {SF8_F32_NEG_INF, 0, SF8_F32_NEG_INF};
    uint32_t any = 0;
    for (size_t j = 0; j < n; j++) {
        row.most = sf8_f32_most(row.most, scores[j]);
        any |= scores[j] != SF8_F32_NEG_INF;
    }
    for (size_t j = 0; j < n; j++) {
        uint32_t less = sf8_f32_mul(sf8_f32_sub(scores[j], row.most), SF8_F32_LOG2E);
        weights[j] = scores[j] == SF8_F32_NEG_INF ? 0 : sf8_f32_exp2(less);
    }
    if (!any)
        return row;
    row.sum = sf8_f32_sum_n(order, weights, n);
    row.lse = sf8_f32_add(row.most, sf8_f32_log(row.sum));
    for (size_t j = 0; j < n; j++)
        weights[j] = sf8_f32_div(weights[j], row.sum);
    return row;
}

void sf8_f32_weighted_n(uint32_t *out, const uint32_t *weights, const uint32_t *values, size_t keys,
                        size_t channels, int32_t skip)
{
    for (size_t c = 0; c < channels; c++) {
        uint32_t sum = 0;
        for (size_t j = 0; j < keys; j++) {
            if (!skip || sf8_f32_magnitude(weights[j]) != 0)
                sum = sf8_f32_fma(weights[j], values[j * channels + c], sum);
        }
        out[c] = sum;
    }
}

size_t sf8_f32_argmax(const uint32_t *x, size_t n)
{
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        if (sf8_f32_is_nan(x[i]))
            return i;
        if (sf8_f32_order(x[i]) > sf8_f32_order(x[best]))
            best = i;
    }
    return best;
}

size_t sf8_f32_argmax_greater(const uint32_t *x, size_t n, size_t start)
{
    uint32_t best = SF8_F32_NEG_INF;
    for (size_t i = 0; i < n; i++) {
        if (!sf8_f32_is_nan(x[i]) && sf8_f32_order(x[i]) > sf8_f32_order(best)) {
            best = x[i];
            start = i;
        }
    }
    return start;
}
