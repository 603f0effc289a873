/* SPDX-License-Identifier: MIT */
/* arith.h -- arithmetic over arrays of bytes: its operations, and the plan of a fast loop
 *
 * A fast loop decodes to f32, which is exact, and operates there once without losing anything that
 * the final rounding depends on. Then it rounds to a magnitude code by adding a power of two. A
 * plan holds what the loop must know of format and policy. Elements with a special result (NaN,
 * infinity, division by 0) are left to the core.
 */
#ifndef SF8_ARRAY_ARITH_H
#define SF8_ARRAY_ARITH_H

#include "levels/level.h"

/* The order of the tables of functions. */
#define SF8_ARRAY_EXTREMUM(any, op, greater, magnitude, number) SF8_ARRAY_##op,
typedef enum sf8_array_op {
    SF8_ARRAY_add,
    SF8_ARRAY_sub,
    SF8_ARRAY_mul,
    SF8_ARRAY_div,
    SF8_ARRAY_fma, /* operations up to here have fast loops */
    SF8_ARRAY_rem,
    SF8_EXTREMA(SF8_ARRAY_EXTREMUM, ) SF8_ARRAY_OPS
} sf8_array_op;
#undef SF8_ARRAY_EXTREMUM

typedef struct sf8_arith_plan {
    sf8_format f;
    sf8_policy policy;
    sf8_array_op op;
    size_t n;
    uint8_t sign_bit;
    uint8_t mag_mask;
    uint8_t max;             /* the largest finite magnitude */
    uint8_t over[2];         /* the codes of an overflow of a positive and of a negative value */
    uint8_t nan_is_neg_zero; /* the code of -0 is the NaN */
    int32_t one_nan;         /* the result of each special element, or -1 if there are others */
} sf8_arith_plan;

/* One result, by the core. */
SF8_PRIVATE uint64_t sf8_array_one(sf8_array_op op, sf8_format f, uint64_t a, uint64_t b,
                                   uint64_t c, sf8_policy policy);

/* Returns 1 if a fast loop can do it, and its plan. */
SF8_PRIVATE int sf8_arith_can(sf8_format f, sf8_policy policy, sf8_array_op op);
SF8_PRIVATE sf8_arith_plan sf8_arith_make(sf8_format f, sf8_policy policy, sf8_array_op op,
                                          size_t n);

/* A fast loop has a fixed cost like this many elements by the core. Up to this many special
 * elements are done one by one; then the tables for all are filled. */
enum { SF8_ARITH_SHORT = 16, SF8_ARITH_FEW = 24 };

/* For blocks with special elements: operands by class, and for each pair of classes the result of
 * the core. For fma a pair is the class of the product, which is looked up first, and that of c. */
enum {
    SF8_ARITH_ZERO, /* plus 1 for negative operands */
    SF8_ARITH_NUMBER = 2,
    SF8_ARITH_INF = 4,
    SF8_ARITH_INVALID = 6,
    SF8_ARITH_NAN = 7
};

typedef struct sf8_arith_specials {
    uint8_t of[256];     /* the class of a code */
    uint8_t product[64]; /* 8 * class of a + class of b: the class of a * b */
    uint8_t pair[64];    /* 8 * class of a + class of b: the result, if it is special */
    uint8_t nan[256];    /* the result if this code is the first NaN among the operands */
} sf8_arith_specials;

SF8_PRIVATE void sf8_arith_fill(const sf8_arith_plan *plan, sf8_arith_specials *table);

typedef void (*sf8_arith_loop)(const sf8_arith_plan *plan, uint8_t *dst, const uint8_t *a,
                               const uint8_t *b, const uint8_t *c);

#endif
