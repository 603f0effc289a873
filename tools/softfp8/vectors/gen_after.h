/* SPDX-License-Identifier: MIT */
/* gen_after.h -- inputs of a stage whose results are given: gen quantize --after */
#ifndef SOFTFP8_GEN_AFTER_H
#define SOFTFP8_GEN_AFTER_H

#include "quantize/after.h"

/* Rows of inputs of a stage. */
typedef struct stage_inverse {
    sf8_stage stage;
    sf8_stage unrounded; /* the same, with all results in f32 */
    after_arrays arrays;
    sf8_format x;          /* the format of the inputs */
    size_t columns, width; /* of a row of inputs, and of results */
    size_t filler; /* the number of results at the end of a row that make up its sum of squares */
    /* Memory: of results of both stages, and of inputs. */
    uint32_t *result, *plain, *input, *best;
    double *wanted;
    sf8_span *work;
} stage_inverse;

/* Reads what the options say, for results in blocks of `block`; fails if a step of the stage has no
 * inverse here. */
stage_inverse inverse_open(const after_choice *after, sf8_format x, size_t block);
void inverse_close(stage_inverse *s);
/* Which share of the sum of squares that a norm allows results from column `at` on would take; 0
 * without a norm. */
double inverse_share(const stage_inverse *s, size_t at, const double *result, size_t count);

/* How good the result of an element is: 0 for none. `plain` is that of the unrounded stage. */
typedef int (*inverse_judge)(const void *context, size_t column, uint32_t result, uint32_t plain);

/* Writes `columns` inputs, f32 words that are numbers of the format x, for which the unrounded
 * stage gives about wanted[0 .. width - filler). Of some tries those with the best results. */
void inverse_row(stage_inverse *s, const double *wanted, inverse_judge judge, const void *context,
                 uint32_t *inputs);

#endif
