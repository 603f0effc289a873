/* SPDX-License-Identifier: MIT */
/* f32_sums.c -- sums of f32 in a named order, and the norms computed from them */
#include "softfp8_f32.h"
#include "text/names.h"

static const char *const sf8_order_names[SF8_ORDER_COUNT] = {"sequential", "warp", "block", "tree",
                                                             "welford"};

sf8_order sf8_order_named(const char *name, sf8_status *status)
{
    for (int32_t i = 0; i < SF8_ORDER_COUNT; i++) {
        if (sf8_is_named(sf8_order_names[i], name)) {
            if (status)
                *status = SF8_OK;
            return (sf8_order)i;
        }
    }
    if (status)
        *status = SF8_UNKNOWN_NAME;
    return SF8_ORDER_SEQUENTIAL;
}

const char *sf8_order_name(sf8_order order)
{
    return (uint32_t)order < SF8_ORDER_COUNT ? sf8_order_names[order] : NULL;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The sums of 2^k neighbours, the largest k first, where the bits of n are 1: adding one is a
 * carry. At the end they are joined from the smallest on, as the levels of the tree do it. */
typedef struct sf8_tree {
    uint32_t sum[65], depth;
    uint64_t n;
} sf8_tree;

static void sf8_tree_join(sf8_tree *t)
{
    t->depth--;
    t->sum[t->depth - 1] = sf8_f32_add(t->sum[t->depth - 1], t->sum[t->depth]);
}

static void sf8_tree_add(sf8_tree *t, uint32_t x)
{
    t->sum[t->depth++] = x;
    t->n++;
    for (uint64_t carry = t->n; !(carry & 1); carry >>= 1)
        sf8_tree_join(t);
}

static uint32_t sf8_tree_end(sf8_tree *t)
{
    while (t->depth > 1)
        sf8_tree_join(t);
    return t->depth ? t->sum[0] : 0;
}

/* Adds every step-th element from `first` on to +0. Without b: the elements of a. */
static uint32_t sf8_sum_run(int32_t fuse, const uint32_t *a, const uint32_t *b, size_t first,
                            size_t step, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = first; i < n; i += step) {
        if (!b)
            sum = sf8_f32_add(sum, a[i]);
        else if (fuse & SF8_FUSE_SUM)
            sum = sf8_f32_fma(a[i], b[i], sum);
        else
            sum = sf8_f32_add(sum, sf8_f32_mul(a[i], b[i]));
        if (n - i <= step)
            break;
    }
    return sum;
}

static uint32_t sf8_ordered_sum(sf8_order order, int32_t fuse, const uint32_t *a, const uint32_t *b,
                                size_t n)
{
    sf8_tree tree;
    size_t threads = order == SF8_ORDER_WARP ? 32 : 1024;
    if (order == SF8_ORDER_SEQUENTIAL || order == SF8_ORDER_WELFORD)
        return sf8_sum_run(fuse, a, b, 0, 1, n);
    tree.depth = 0;
    tree.n = 0;
    if (order == SF8_ORDER_TREE) {
        for (size_t i = 0; i < n; i++)
            sf8_tree_add(&tree, b ? sf8_f32_mul(a[i], b[i]) : a[i]);
    } else {
        for (size_t t = 0; t < threads; t++)
            sf8_tree_add(&tree, sf8_sum_run(fuse, a, b, t, threads, n));
    }
    return sf8_tree_end(&tree);
}

uint32_t sf8_f32_sum_n(sf8_order order, const uint32_t *x, size_t n)
{
    return sf8_ordered_sum(order, SF8_FUSE_NONE, x, NULL, n);
}

uint32_t sf8_f32_dot_n(sf8_order order, int32_t fuse, const uint32_t *a, const uint32_t *b,
                       size_t n)
{
    return n ? sf8_ordered_sum(order, fuse, a, b, n) : 0;
}

/* ---- norms ----------------------------------------------------------------------------------- */

static uint32_t sf8_f32_count(size_t n)
{
    return (uint32_t)sf8_core_from_u64(SF8_F32, n, SF8_OCP_NOSAT, 0).code;
}

static sf8_moments sf8_welford(int32_t fuse, const uint32_t *x, size_t n)
{
    sf8_moments m = {0, 0, 0};
    uint32_t squares = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t before = sf8_f32_sub(x[i], m.mean);
        m.mean = sf8_f32_add(m.mean, sf8_f32_div(before, sf8_f32_count(i + 1)));
        uint32_t after = sf8_f32_sub(x[i], m.mean);
        squares = fuse & SF8_FUSE_SUM ? sf8_f32_fma(before, after, squares)
                                      : sf8_f32_add(squares, sf8_f32_mul(before, after));
    }
    m.variance = sf8_f32_div(squares, sf8_f32_count(n));
    return m;
}

sf8_moments sf8_f32_moments_n(sf8_order order, int32_t fuse, const uint32_t *x, size_t n)
{
    sf8_moments m;
    uint32_t count = sf8_f32_count(n);
    if (order == SF8_ORDER_WELFORD)
        return sf8_welford(fuse, x, n);
    m.mean = sf8_f32_div(sf8_f32_sum_n(order, x, n), count);
    m.mean_square = sf8_f32_div(sf8_f32_dot_n(order, fuse, x, x, n), count);
    m.variance = fuse & SF8_FUSE_LAST ? sf8_f32_fma(m.mean ^ 0x80000000u, m.mean, m.mean_square)
                                      : sf8_f32_sub(m.mean_square, sf8_f32_mul(m.mean, m.mean));
    return m;
}

uint32_t sf8_f32_rstd(uint32_t variance, uint32_t eps)
{
    return sf8_f32_div(SF8_F32_ONE, sf8_f32_sqrt(sf8_f32_add(variance, eps)));
}

void sf8_f32_normalize_n(uint32_t *y, const uint32_t *x, size_t n, uint32_t mean, uint32_t rstd)
{
    for (size_t i = 0; i < n; i++)
        y[i] = sf8_f32_mul(sf8_f32_sub(x[i], mean), rstd);
}
