/* SPDX-License-Identifier: MIT */
/* pair.h -- a block by two similar recipes, which distinguishes them */
#ifndef SF8_TEST_DISTINCT_PAIR_H
#define SF8_TEST_DISTINCT_PAIR_H

#include <math.h>
#include <stdint.h>

/* A block of a recipe: scale and offset, codes, and what they are read as. */
typedef struct distinct_block {
    const char *name;
    float g;
    uint32_t scale, offset;
    uint8_t code[3];
    uint32_t value[3];
} distinct_block;

/* The same three elements by two recipes. The results are those of the stacks' formulas, written
 * out as straight-line code on MPFR, which shares nothing with the library (conformance/proof,
 * ref_block*.c). The two blocks differ only in what is listed here. */
typedef struct distinct_pair {
    float x[3];
    distinct_block a, b;
} distinct_pair;

#endif
