/* SPDX-License-Identifier: MIT */
/* ref_block_frameworks.c -- FP8 of torchao and transformers */
#include "mpfr/blocks/ref_block_tools.h"

#include <string.h>

/* torch.clamp to the largest numbers, where NaN stays NaN, and the cast. */
static uint32_t clamped(word y)
{
    y = ref_f32_nan_min(ref_f32_nan_max(y, ref_f32_neg(REF_448)), REF_448);
    return ref_narrowed(REF_E4M3, y, REF_RNE);
}

static void scaled(ref_block *b, const word *x, size_t n, word factor)
{
    for (size_t i = 0; i < n; i++)
        b->code[i] = i > 0 && x[i] == x[i - 1] ? b->code[i - 1]
                                               : clamped(ref_f32_mul(x[i], factor));
}

/* ---- torchao --------------------------------------------------------------------------------- */

/* scale = amax / 448 in the format of the tensor, then as f32; clamp(x.to(f32) / scale). */
REF_STORE(torchao, b->scale = ref_own(ref_f32_div(amax_of(x, n), REF_448));
          for (size_t i = 0; i < n; i++) b->code[i] = i > 0 && x[i] == x[i - 1]
                                                          ? b->code[i - 1]
                                                          : clamped(ref_f32_div(x[i], b->scale)))
REF_VALUE(own_value, ref_own(ref_f32_mul(ref_e4m3(code), scale)))

/* amax.to(f64); 448 / clamp(amax, min=1e-12); to(f32). A division of f64 whose result is rounded to
 * f32 is computed here with 53 bits and then with 24. The result is between 448 / 2^128 and 448e12,
 * so that no subnormal number occurs. */
static word training_factor(word amax)
{
    mpfr_t y, bound;
    word result;
    if (!is_finite(amax))
        return ref_f32_div(REF_448, amax);
    mpfr_inits2(53, y, bound, (mpfr_ptr)0);
    float f;
    memcpy(&f, &amax, sizeof f);
    mpfr_set_flt(y, f, MPFR_RNDN);
    mpfr_set_str(bound, "1e-12", 10, MPFR_RNDN);
    mpfr_max(y, y, bound, MPFR_RNDN);
    mpfr_ui_div(y, 448, y, MPFR_RNDN);
    f = mpfr_get_flt(y, MPFR_RNDN);
    memcpy(&result, &f, sizeof f);
    mpfr_clears(y, bound, (mpfr_ptr)0);
    return result;
}

/* exp2(floor(log2(factor))) of a number that is not 0. */
static word down_to_power(word factor)
{
    word e = ref_f32_log2_floor(factor);
    for (int i = 127; i >= -149 && is_finite(factor); i--) {
        if (!ref_f32_less(e, ref_number(i)))
            return ref_f32_pow2(i);
    }
    return factor;
}

REF_STORE(training, word f = training_factor(amax_of(x, n)); b->scale = ref_f32_div(REF_1, f);
          scaled(b, x, n, f))
REF_STORE(training_pow2, word f = down_to_power(training_factor(amax_of(x, n)));
          b->scale = ref_f32_div(REF_1, f); scaled(b, x, n, f))
REF_VALUE(f32_value, ref_f32_mul(ref_e4m3(code), scale))

/* ---- transformers ---------------------------------------------------------------------------- */

/* scales = 448 / amax, which torch computes as reciprocal times 448; 1 unless amax > 0. */
static word transformers_factor(word amax)
{
    if (ref_f32_is_nan(amax) || amax == 0)
        return REF_1;
    return ref_f32_mul(ref_f32_div(REF_1, amax), REF_448);
}

REF_STORE(transformers, word f = transformers_factor(amax_of(x, n));
          b->scale = ref_f32_div(REF_1, f); scaled(b, x, n, f))

/* inv_scales = pow(2, ceil(log2(max(1 / scales, FLT_MIN)))), stored as e8m0; x * (1 / that). */
static void transformers_ue8m0(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word inverse = ref_f32_div(REF_1, transformers_factor(amax_of(x, n)));
    b->scale = e8m0_of(ref_f32_log2_ceil(ref_f32_nan_max(inverse, ref_f32_pow2(-126))));
    scaled(b, x, n, ref_f32_div(REF_1, ref_e8m0(b->scale)));
}

#define ROW(name, block, scale_bits, quantize, value)                                              \
    {                                                                                              \
        name, "e4m3", block, REF_G_NONE, 0, 8, scale_bits, quantize, value                         \
    }

const ref_recipe ref_framework_recipes[] = {
    ROW("fp8-row-torchao", 0, 32, torchao, own_value),
    ROW("fp8-group128-torchao", 128, 32, torchao, own_value),
    ROW("fp8-block128-torchao", 128, 32, torchao, own_value),
    ROW("fp8-row-torchao-training", 0, 32, training, f32_value),
    ROW("fp8-row-torchao-training-pow2", 0, 32, training_pow2, f32_value),
    ROW("fp8-group128-transformers", 128, 32, transformers, own_value),
    ROW("fp8-block128-transformers", 128, 32, transformers, own_value),
    ROW("fp8-block128-transformers-ue8m0", 128, 8, transformers_ue8m0, e4m3_own),
    {0},
};
