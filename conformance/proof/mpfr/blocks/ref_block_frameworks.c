/* SPDX-License-Identifier: MIT */
/* ref_block_frameworks.c -- FP8 of torchao and transformers, and the caches of
 * DeepSeek-V4 and V4.1 */
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

/* ---- DeepSeek-V4 ------------------------------------------------------------------------------
 */

/* max(amax, floor), where NaN is ignored; and 2^ceil(log2 of that / 448), or of that times 1/448,
 * as a code. */
static word floored(const word *x, size_t n)
{
    return ref_f32_max(ref_amax(x, n, 0), ref_f32_ratio(1, 10000));
}

static uint32_t within_448(word y)
{
    y = ref_f32_min(ref_f32_max(y, ref_f32_neg(REF_448)), REF_448);
    return ref_narrowed(REF_E4M3, y, REF_RNE);
}

/* raw_scale = block_max / fp8_max; x / scale */
static void v4(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = e8m0_of(ref_f32_log2_ceil(ref_f32_div(floored(x, n), REF_448)));
    for (size_t i = 0; i < n; i++)
        b->code[i] = within_448(ref_f32_div(x[i], ref_e8m0(b->scale)));
}

/* amax * (1.0 / fp8_max); x * exp2(-exponent) */
static void v4_times(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = e8m0_of(ref_f32_log2_ceil(ref_f32_mul(floored(x, n), ref_f32_ratio(1, 448))));
    for (size_t i = 0; i < n; i++)
        b->code[i] = within_448(ref_f32_mul(x[i], ref_f32_div(REF_1, ref_e8m0(b->scale))));
}

/* quantize_dsv41_half_group: NaN first, then infinity; else 2^k for the ratio, at least 1e-4 */
static void v41_fp8(ref_block *b, const word *x, size_t n, word g)
{
    word amax = amax_of(x, n);
    int power;
    (void)g;
    b->scale = 255;
    for (size_t i = 0; i < n && !is_finite(amax); i++)
        b->code[i] = ref_f32_is_nan(amax) || ref_f32_abs(x[i]) == REF_INF ? 0x7f
                                                                          : x[i] >> 24 & 0x80;
    if (!is_finite(amax))
        return;
    word low = ref_f32_ratio(1, 10000);
    word ratio = ref_f32_max(ref_f32_div(ref_f32_max(amax, low), REF_448), low);
    long k = ref_f32_log2(ratio, &power);
    k += !power;
    b->scale = (uint32_t)(k + 127);
    for (size_t i = 0; i < n; i++)
        b->code[i] = within_448(ref_f32_mul(x[i], ref_f32_pow2(-k)));
}

/* clamp(amax * (1.0 / 6.0), 2^-9, 448).to(e4m3); div_rn */
static void v41_fp4(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word sf = ref_f32_mul(ref_amax(x, n, 0), ref_f32_ratio(1, 6));
    sf = ref_f32_min(ref_f32_max(sf, ref_f32_pow2(-9)), REF_448);
    b->scale = ref_narrowed(REF_E4M3, sf, REF_RNE);
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(REF_E2M1, ref_f32_div(x[i], ref_e4m3(b->scale)), REF_RNE);
}

/* quantize_dsv41_group16: what is not finite makes the scale 7f and all codes 0. */
static void v41_fp4_flashinfer(ref_block *b, const word *x, size_t n, word g)
{
    word amax = amax_of(x, n);
    (void)g;
    if (!is_finite(amax)) {
        b->scale = 0x7f;
        for (size_t i = 0; i < n; i++)
            b->code[i] = 0;
        return;
    }
    word sf = ref_f32_min(ref_f32_max(ref_f32_div(amax, REF_6), ref_f32_pow2(-9)), REF_448);
    b->scale = ref_narrowed(REF_E4M3, sf, REF_RNE);
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(REF_E2M1, ref_f32_div(x[i], ref_e4m3(b->scale)), REF_RNE);
}

/* amax = max(amax, 6 * 2^-126); ceil(log2(amax * (1/6))) within [-127, 127]; x * (1 / scale) */
static void v4_indexer(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word amax = ref_f32_max(ref_amax(x, n, 0), ref_f32_mul(REF_6, ref_f32_pow2(-126)));
    word e = ref_f32_log2_ceil(ref_f32_mul(amax, ref_f32_ratio(1, 6)));
    b->scale = e8m0_of(ref_f32_min(ref_f32_max(e, ref_number(-127)), ref_number(127)));
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(
            REF_E2M1, ref_f32_mul(x[i], ref_f32_div(REF_1, ref_e8m0(b->scale))), REF_RNE);
}

REF_VALUE(e4m3_e8m0, ref_f32_mul(ref_e4m3(code), ref_e8m0(scale)))
REF_VALUE(e2m1_e4m3, ref_f32_mul(ref_e2m1(code), ref_e4m3(scale)))
REF_VALUE(e2m1_e8m0, ref_f32_mul(ref_e2m1(code), ref_e8m0(scale)))

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
    ROW("fp8-group64-deepseek-v4", 64, 8, v4, e4m3_e8m0),
    ROW("fp8-group64-deepseek-v4-compressed", 64, 8, v4_times, e4m3_e8m0),
    ROW("mxfp8-deepseek-v4.1", 32, 8, v4_times, e4m3_e8m0),
    ROW("mxfp8-deepseek-v4.1-flashinfer", 32, 8, v41_fp8, e4m3_e8m0),
    {"nvfp4-deepseek-v4.1", "e2m1", 16, REF_G_NONE, 0, 4, 8, v41_fp4, e2m1_e4m3},
    {"nvfp4-deepseek-v4.1-flashinfer", "e2m1", 16, REF_G_NONE, 0, 4, 8, v41_fp4_flashinfer,
     e2m1_e4m3},
    {"mxfp4-deepseek-v4-indexer", "e2m1", 32, REF_G_NONE, 0, 4, 8, v4_indexer, e2m1_e8m0},
    {0},
};
