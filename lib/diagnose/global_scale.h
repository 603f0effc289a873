/* SPDX-License-Identifier: MIT */
/* global_scale.h -- the global scale that a recipe's own program gives a tensor */
#ifndef SOFTFP8_DIAGNOSE_GLOBAL_SCALE_H
#define SOFTFP8_DIAGNOSE_GLOBAL_SCALE_H

#include "softfp8_blocks.h"
#include "softfp8_f32.h"

/* From the largest magnitude of a tensor of a format. 0 if there is none: it is infinite, NaN, or
 * so small that its quotient is 0. */
static inline uint32_t global_scale_of(const sf8_recipe *r, sf8_format from, uint32_t amax)
{
    float g;
    if (amax >= SF8_F32_INF || sf8_recipe_g(r, from, sf8_f32_from_bits(amax), &g) != SF8_OK)
        return 0;
    return sf8_f32_is_nan(sf8_f32_bits(g)) ? 0 : sf8_f32_bits(g);
}

#endif
