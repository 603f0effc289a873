/* SPDX-License-Identifier: MIT */
/* ref_block_tools.h -- what the references of tools that quantize weights share
 *
 * They compute by torch or numpy on a processor, so a NaN reaches amax.
 */
#ifndef PROOF_REF_BLOCK_TOOLS_H
#define PROOF_REF_BLOCK_TOOLS_H

#include "mpfr/blocks/ref_block_recipes.h"

static inline word amax_of(const word *x, size_t n)
{
    return ref_amax(x, n, 1);
}

static inline int is_zero(word y)
{
    return ref_f32_abs(y) == 0;
}

static inline int is_finite(word y)
{
    return !ref_f32_is_nan(y) && ref_f32_abs(y) != REF_INF;
}

/* The e8m0 code of 2^e, where e is an integer as f32, not below -127. NaN and values that are too
 * large give ff. */
static inline uint32_t e8m0_of(word e)
{
    if (ref_f32_is_nan(e) || ref_f32_less(ref_number(127), e))
        return 255;
    uint32_t code = 0;
    while (code < 254 && ref_f32_less(ref_number((long)code - 127), e))
        code++;
    return code;
}

/* Values, element times scale, rounded to the format of the weights or to bf16. */
REF_VALUE(e2m1_own, ref_own(ref_f32_mul(ref_e2m1(code), ref_e8m0(scale))))
REF_VALUE(e4m3_own, ref_own(ref_f32_mul(ref_e4m3(code), ref_e8m0(scale))))
REF_VALUE(e2m1_bf16, ref_bf16(ref_f32_mul(ref_e2m1(code), ref_e8m0(scale))))
REF_VALUE(e4m3_bf16, ref_bf16(ref_f32_mul(ref_e4m3(code), ref_e8m0(scale))))

#endif
