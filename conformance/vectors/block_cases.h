/* SPDX-License-Identifier: MIT */
/* block_cases.h -- blocks that are worth quantizing, one after another, for a tensor */
#ifndef SOFTFP8_CONFORM_BLOCK_CASES_H
#define SOFTFP8_CONFORM_BLOCK_CASES_H

#include "vectors/kinds.h"

/* Takes a block: the values of `c`, row by row. Returns 1 to end the walk. */
typedef int (*block_taker)(void *context, vector_case *c, const char *name);

/* Calls `take` for each block of a group of the kind quantize: largest magnitudes at and beside all
 * powers of two; elements where their code changes; largest magnitudes where the scale's code
 * changes; zeros, NaN, infinities. Of blocks with more than 1024 elements there are fewer.
 *
 * g->second   the global scale, if the group has one
 * top         the largest magnitude, a word of g->tensor; one of NaN for no limit */
void walk_tensor(const vector_group *g, vector_case *c, uint64_t top, block_taker take,
                 void *context);

#endif
