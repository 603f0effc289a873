/* SPDX-License-Identifier: MIT */
/* arith_formats.c -- arithmetic over arrays: what there is for each narrow format */
#include "arrays/arith.h"
#include "softfp8/scalar.h"

#include <string.h>

/* What of the core is compiled for a format. */
#define SF8_FOLDED(f, e, m, s, nan, inf, zero, bias)                                               \
    {{e, m, s, nan, inf, zero, bias},                                                              \
     {sf8_##f##_add, sf8_##f##_sub, sf8_##f##_mul, sf8_##f##_div, NULL, sf8_##f##_rem,             \
      sf8_##f##_minimum, sf8_##f##_maximum, sf8_##f##_minimum_number, sf8_##f##_maximum_number,    \
      sf8_##f##_minimum_magnitude, sf8_##f##_maximum_magnitude,                                    \
      sf8_##f##_minimum_magnitude_number, sf8_##f##_maximum_magnitude_number},                     \
     sf8_##f##_fma,                                                                                \
     sf8_##f##_scalb},
static const sf8_array_folded sf8_array_formats[] = {SF8_NARROW_FORMATS(SF8_FOLDED)};
#undef SF8_FOLDED

static int sf8_array_same(sf8_format a, sf8_format b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

SF8_PRIVATE const sf8_array_folded *sf8_array_folded_for(sf8_format f)
{
    for (size_t i = 0; i < sizeof sf8_array_formats / sizeof sf8_array_formats[0]; i++)
        if (sf8_array_same(sf8_array_formats[i].f, f))
            return &sf8_array_formats[i];
    return NULL;
}

/* Loops compiled for the rounding too: twice as fast. */
#define SF8_LOOP_2(f, op)                                                                          \
    static void sf8_##f##_##op##_rne(uint8_t *dst, const uint8_t *a, const uint8_t *b,             \
                                     const uint8_t *c, size_t n, sf8_policy policy)                \
    {                                                                                              \
        (void)c;                                                                                   \
        policy.round = SF8_RNE;                                                                    \
        policy.early = 0;                                                                          \
        policy.flush = SF8_FLUSH_NONE;                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            dst[i] = (uint8_t)sf8_core_##op(sf8_##f##_format(), a[i], b[i], policy, 0).code;       \
    }
#define SF8_LOOPS(f)                                                                               \
    SF8_LOOP_2(f, add)                                                                             \
    SF8_LOOP_2(f, sub)                                                                             \
    SF8_LOOP_2(f, mul)                                                                             \
    SF8_LOOP_2(f, div)                                                                             \
    static void sf8_##f##_fma_rne(uint8_t *dst, const uint8_t *a, const uint8_t *b,                \
                                  const uint8_t *c, size_t n, sf8_policy policy)                   \
    {                                                                                              \
        policy.round = SF8_RNE;                                                                    \
        policy.early = 0;                                                                          \
        policy.flush = SF8_FLUSH_NONE;                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            dst[i] = (uint8_t)sf8_core_fma(sf8_##f##_format(), a[i], b[i], c[i], policy, 0).code;  \
    }
SF8_LOOPS(e4m3)
SF8_LOOPS(e5m2)
SF8_LOOPS(e2m1)
SF8_LOOPS(e3m2)
SF8_LOOPS(e2m3)
#undef SF8_LOOP_2
#undef SF8_LOOPS

SF8_PRIVATE sf8_array_rne sf8_array_rne_for(sf8_array_op op, const sf8_array_folded *folded,
                                            sf8_policy policy)
{
#define SF8_ROW(f)                                                                                 \
    {                                                                                              \
        sf8_##f##_fma,                                                                             \
        {                                                                                          \
            sf8_##f##_add_rne, sf8_##f##_sub_rne, sf8_##f##_mul_rne, sf8_##f##_div_rne,            \
                sf8_##f##_fma_rne                                                                  \
        }                                                                                          \
    }
    static const struct {
        uint8_t (*fma)(uint8_t a, uint8_t b, uint8_t c, sf8_policy policy); /* tells the format */
        sf8_array_rne loops[SF8_ARRAY_fma + 1];
    } rows[] = {SF8_ROW(e4m3), SF8_ROW(e5m2), SF8_ROW(e2m1), SF8_ROW(e3m2), SF8_ROW(e2m3)};
#undef SF8_ROW
    if (!folded || policy.round != SF8_RNE || policy.early || policy.flush || op > SF8_ARRAY_fma)
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].fma == folded->fma)
            return rows[i].loops[op];
    return NULL;
}
