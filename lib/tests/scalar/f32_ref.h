/* SPDX-License-Identifier: MIT */
/* f32_ref.h -- sums, norms and products by the processor's own f32, in the orders of softfp8_f32.h
 *
 * For a compiler that rounds each operation to f32, so not with -ffast-math. A NaN is 7fc00000.
 */
#ifndef SF8_TEST_F32_REF_H
#define SF8_TEST_F32_REF_H

#include "softfp8_f32.h"

#include <math.h>

enum { REF_LONGEST = 8192, REF_NAN = 0x7fc00000 };

static inline uint32_t ref_bits(float x)
{
    return x != x ? REF_NAN : sf8_f32_bits(x);
}

static inline float ref_number(uint32_t bits)
{
    return sf8_f32_from_bits(bits);
}

/* Neighbours are added, level by level; the last of an odd level moves up. */
static inline float ref_tree(float *x, size_t n)
{
    for (; n > 1; n = (n + 1) / 2)
        for (size_t i = 0; i < n; i += 2)
            x[i / 2] = i + 1 < n ? x[i] + x[i + 1] : x[i];
    return n ? x[0] : 0;
}

static inline float ref_add_product(float sum, float a, float b, int32_t fuse)
{
    float product = a * b;
    return fuse & SF8_FUSE_SUM ? fmaf(a, b, sum) : sum + product;
}

/* The sum of a[i], or of a[i] b[i]. */
static inline float ref_sum(sf8_order order, int32_t fuse, const uint32_t *a, const uint32_t *b,
                            size_t n)
{
    static float part[REF_LONGEST];
    size_t threads = order == SF8_ORDER_WARP ? 32 : order == SF8_ORDER_BLOCK ? 1024 : 1;
    if (order == SF8_ORDER_TREE) {
        for (size_t i = 0; i < n; i++)
            part[i] = b ? ref_number(a[i]) * ref_number(b[i]) : ref_number(a[i]);
        return ref_tree(part, n);
    }
    for (size_t t = 0; t < threads; t++) {
        part[t] = 0;
        for (size_t i = t; i < n; i += threads)
            part[t] = b ? ref_add_product(part[t], ref_number(a[i]), ref_number(b[i]), fuse)
                        : part[t] + ref_number(a[i]);
    }
    return ref_tree(part, threads);
}

static inline sf8_moments ref_welford(int32_t fuse, const uint32_t *x, size_t n)
{
    float mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        float before = ref_number(x[i]) - mean, step = before / (float)(i + 1);
        mean = mean + step;
        squares = ref_add_product(squares, before, ref_number(x[i]) - mean, fuse);
    }
    sf8_moments m = {ref_bits(mean), 0, ref_bits(squares / (float)n)};
    return m;
}

static inline sf8_moments ref_moments(sf8_order order, int32_t fuse, const uint32_t *x, size_t n)
{
    if (order == SF8_ORDER_WELFORD)
        return ref_welford(fuse, x, n);
    float mean = ref_sum(order, 0, x, NULL, n) / (float)n;
    float mean_square = ref_sum(order, fuse, x, x, n) / (float)n, square = mean * mean;
    float variance = fuse & SF8_FUSE_LAST ? fmaf(-mean, mean, mean_square) : mean_square - square;
    sf8_moments m = {ref_bits(mean), ref_bits(mean_square), ref_bits(variance)};
    return m;
}

#endif
