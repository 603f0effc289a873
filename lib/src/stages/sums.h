/* SPDX-License-Identifier: MIT */
/* sums.h -- the sum of a row of intervals, in the order of a step */
#ifndef SOFTFP8_STAGES_SUMS_H
#define SOFTFP8_STAGES_SUMS_H

#include "arrays/array.h"
#include "softfp8_stages.h"

/* The sum of a[0] b[0], a[1] b[1], ...; without b of a[0], a[1], ... With `bounds` the order `any`
 * gives every sum that it allows. */
SF8_PRIVATE sf8_span sf8_stage_sum(const sf8_stage_step *s, const sf8_span *a, const sf8_span *b,
                                   size_t n, int32_t bounds);

#endif
