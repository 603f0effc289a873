/* SPDX-License-Identifier: MIT */
/* ref_block_frameworks.c -- torchao, transformers, the caches of DeepSeek-V4 and V4.1, NNCF, JAX,
 * quanto, comfy-kitchen, and functions of vLLM and SGLang */
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

/* ---- NNCF -------------------------------------------------------------------------------------
 */

/* scale / max; where(scale < eps, eps, scale) */
static word nncf_scale(const word *x, size_t n, word most)
{
    word scale = ref_f32_div(amax_of(x, n), most), eps = ref_f32_pow2(-23);
    return ref_f32_less(scale, eps) ? eps : scale;
}

/* fp32_to_fp8e4m3: f16, then e4m3; the OCP's, whose overflow is NaN. A magnitude from 465 on is
 * too large: 464 is a tie to the even 448. */
static uint32_t nncf_e4m3(word y)
{
    word half = ref_f16(y);
    if (!ref_f32_is_nan(half) && ref_f32_less(ref_number(464), ref_f32_abs(half)))
        return (y >> 24 & 0x80) | 0x7f;
    return ref_narrowed(REF_E4M3, half, REF_RNE);
}

/* The nearest quantile, even in a tie. The one of 0 is -0. NaN, for which no rule is known, is the
 * same here. */
static uint32_t nncf_e2m1(word y)
{
    uint32_t code = ref_narrowed(REF_E2M1, y, REF_RNE);
    return ref_f32_is_nan(y) || (code & 7) == 0 ? 8 : code;
}

static void nncf_nvfp4(ref_block *b, const word *x, size_t n, word g)
{
    word scale = nncf_scale(x, n, REF_6);
    b->scale = nncf_e4m3(ref_f32_div(scale, g));
    for (size_t i = 0; i < n; i++)
        b->code[i] = nncf_e2m1(ref_f32_div(x[i], scale));
}

/* 2 ** clip(ceil(log2(scale)), -127, 127) */
static uint32_t nncf_power(word scale)
{
    word e = ref_f32_log2_ceil(scale);
    return e8m0_of(ref_f32_nan_min(ref_f32_nan_max(e, ref_number(-127)), ref_number(127)));
}

static void nncf_mxfp4(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = nncf_power(nncf_scale(x, n, REF_6));
    for (size_t i = 0; i < n; i++)
        b->code[i] = nncf_e2m1(ref_f32_div(x[i], ref_e8m0(b->scale)));
}

static void nncf_mxfp8(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = nncf_power(nncf_scale(x, n, REF_448));
    for (size_t i = 0; i < n; i++)
        b->code[i] = nncf_e4m3(ref_f32_div(x[i], ref_e8m0(b->scale)));
}

REF_STORE(nncf_fp8, b->scale = nncf_scale(x, n, REF_448);
          for (size_t i = 0; i < n; i++) b->code[i] = nncf_e4m3(ref_f32_div(x[i], b->scale)))
REF_VALUE(e2m1_times_g, ref_f32_mul(ref_e2m1(code), ref_f32_mul(ref_e4m3(scale), g)))

/* scale = absmax / 6, at least eps; its global scale is max of these / 448, at least eps */
static word nncf_g(word amax)
{
    word eps = ref_f32_pow2(-23), scale = ref_f32_nan_max(ref_f32_div(amax, REF_6), eps);
    return ref_f32_nan_max(ref_f32_div(scale, REF_448), eps);
}

/* ---- JAX --------------------------------------------------------------------------------------
 */

/* x /= g; clip(amax * (1/6), 0, 448); x * (1 / s), which XLA makes of x / s; clip; NaN is 8 */
static void jax_nvfp4(ref_block *b, const word *x, size_t n, word g)
{
    word sf = ref_f32_mul(ref_f32_div(amax_of(x, n), g), ref_f32_ratio(1, 6));
    b->scale = ref_narrowed(REF_E4M3, ref_f32_nan_min(ref_f32_nan_max(sf, 0), REF_448), REF_RNE);
    word inverse = ref_f32_div(REF_1, ref_e4m3(b->scale));
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_mul(ref_f32_div(x[i], g), inverse);
        b->code[i] = ref_f32_is_nan(y) ? 8 : ref_narrowed(REF_E2M1, y, REF_RNE);
    }
}

REF_VALUE(jax_value, ref_f32_mul(ref_f32_mul(ref_e2m1(code), ref_e4m3(scale)), g))

/* ---- vLLM, SGLang -----------------------------------------------------------------------------
 */

/* scale = 448 / clamp(amax, 1e-12), by torch 448 times the reciprocal, each in the tensor's format
 */
static void vllm_scaled(ref_block *b, const word *x, size_t n, word g)
{
    word amax = ref_f32_nan_max(amax_of(x, n), ref_own(ref_f32_ratio(1, 1000000000000u)));
    word f = ref_own(ref_f32_mul(ref_own(ref_f32_div(REF_1, amax)), REF_448));
    (void)g;
    b->scale = ref_f32_div(REF_1, f);
    for (size_t i = 0; i < n; i++)
        b->code[i] = i > 0 && x[i] == x[i - 1] ? b->code[i - 1]
                                               : clamped(ref_own(ref_f32_mul(x[i], f)));
}

/* (bits of amax + 2^21) with the mantissa cleared; floor(log2) - 2 within [-127, 127], where what
 * is not finite is 127; sign only with a magnitude */
static void sglang_rne(ref_block *b, const word *x, size_t n, word g)
{
    word amax = ref_f32_nan_max(amax_of(x, n), ref_f32_pow2(-126));
    word rounded = (amax + 0x200000) & 0x7f800000;
    long e = 127;
    (void)g;
    if (rounded != REF_INF) {
        e = (long)(rounded >> 23) - 127 - 2;
        e = e < -127 ? -127 : e;
    }
    b->scale = (uint32_t)(e + 127);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_div(x[i], ref_f32_pow2(e));
        uint32_t code = ref_f32_is_nan(y) ? 0 : ref_narrowed(REF_E2M1, y, REF_RNE);
        b->code[i] = (code & 7) == 0 ? 0 : code;
    }
}

/* floor(log2(0.156 amax) + 1/2), where log2 is correct here; bucketize: how many midpoints are
 * below y, so that a tie goes to the lower value; 0 and what is not finite have the byte 0. */
static void ultraquant(ref_block *b, const word *x, size_t n, word g)
{
    static const word middles[14] = {0xc0a00000, 0xc0600000, 0xc0200000, 0xbfe00000, 0xbfa00000,
                                     0xbf400000, 0xbe800000, 0x3e800000, 0x3f400000, 0x3fa00000,
                                     0x3fe00000, 0x40200000, 0x40600000, 0x40a00000};
    word amax = amax_of(x, n), s = ref_f32_mul(amax, ref_f32_ratio(156, 1000));
    (void)g;
    b->scale = 0;
    if (is_finite(amax) && amax != 0)
        b->scale = e8m0_of(ref_f32_min(
            ref_f32_max(ref_f32_log2_floor(ref_f32_mul(s, 0x3fb504f3)), ref_number(-126)),
            ref_number(127)));
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_div(x[i], ref_e8m0(b->scale));
        int at = 0;
        while (at < 14 && (ref_f32_is_nan(y) || ref_f32_less(middles[at], y)))
            at++;
        b->code[i] = (uint32_t)(at < 7 ? 8 + 7 - at : at - 7);
    }
}

REF_VALUE(ultraquant_value, scale == 0 ? 0 : ref_f32_mul(ref_e2m1(code), ref_e8m0(scale)))

/* ---- comfy-kitchen, quanto --------------------------------------------------------------------
 */

/* scale = (amax.float() / 127).clamp(min=1e-30); x / scale in the tensor's format, where a scale
 * that is 0 there is the least normal number; round, clamp */
static void comfy_int8(ref_block *b, const word *x, size_t n, word g)
{
    word least = ref_own(ref_f32_pow2(-126)) == 0 ? ref_f32_pow2(-14) : ref_f32_pow2(-126);
    word tiny = 0x0da24260; /* 1e-30 */
    (void)g;
    b->scale = ref_f32_nan_max(ref_f32_div(amax_of(x, n), ref_number(127)), tiny);
    word by = ref_own(b->scale);
    by = by == 0 ? least : by;
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_rint(ref_own(ref_f32_div(x[i], by)));
        y = ref_f32_nan_min(ref_f32_nan_max(y, ref_number(-128)), ref_number(127));
        b->code[i] = ref_integer(y, 8);
    }
}

REF_VALUE(int8_f32, ref_f32_mul(ref_from_int8(code), scale))

/* rmax / qmax; clamp(base / scale), in the tensor's format */
static void quanto(ref_block *b, const word *x, size_t n, word most, enum ref_narrow f)
{
    b->scale = ref_own(ref_f32_div(amax_of(x, n), most));
    for (size_t i = 0; i < n; i++) {
        word y = ref_own(ref_f32_div(x[i], b->scale));
        y = ref_f32_nan_min(ref_f32_nan_max(y, ref_f32_neg(most)), most);
        b->code[i] = ref_narrowed(f, y, REF_RNE);
    }
}

REF_STORE(quanto_e4m3, quanto(b, x, n, REF_448, REF_E4M3))
REF_STORE(quanto_e5m2, quanto(b, x, n, 0x47600000, REF_E5M2))
REF_VALUE(e5m2_own, ref_own(ref_f32_mul(ref_widened(REF_E5M2, code), scale)))

/* The global scales of this file's recipes; NULL for others. */
ref_global_scale *ref_framework_g(const char *name)
{
    return strcmp(name, "nvfp4-nncf") == 0 ? nncf_g : NULL;
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
    ROW("fp8-group64-deepseek-v4", 64, 8, v4, e4m3_e8m0),
    ROW("fp8-group64-deepseek-v4-compressed", 64, 8, v4_times, e4m3_e8m0),
    ROW("mxfp8-deepseek-v4.1", 32, 8, v4_times, e4m3_e8m0),
    ROW("mxfp8-deepseek-v4.1-flashinfer", 32, 8, v41_fp8, e4m3_e8m0),
    {"nvfp4-deepseek-v4.1", "e2m1", 16, REF_G_NONE, 0, 4, 8, v41_fp4, e2m1_e4m3},
    {"nvfp4-deepseek-v4.1-flashinfer", "e2m1", 16, REF_G_NONE, 0, 4, 8, v41_fp4_flashinfer,
     e2m1_e4m3},
    {"mxfp4-deepseek-v4-indexer", "e2m1", 32, REF_G_NONE, 0, 4, 8, v4_indexer, e2m1_e8m0},
    {"nvfp4-nncf", "e2m1", 16, REF_G_DECODE, 0, 4, 8, nncf_nvfp4, e2m1_times_g},
    {"mxfp4-nncf", "e2m1", 32, REF_G_NONE, 0, 4, 8, nncf_mxfp4, e2m1_e8m0},
    ROW("mxfp8-nncf", 32, 8, nncf_mxfp8, e4m3_e8m0),
    ROW("fp8-group128-nncf", 128, 32, nncf_fp8, f32_value),
    {"nvfp4-jax", "e2m1", 16, REF_G_DECODE, 0, 4, 8, jax_nvfp4, jax_value},
    ROW("fp8-group128-vllm-scaled", 128, 32, vllm_scaled, f32_value),
    ROW("fp8-block128-vllm-scaled", 128, 32, vllm_scaled, f32_value),
    {"mxfp4-sglang-rne", "e2m1", 32, REF_G_NONE, 0, 4, 8, sglang_rne, e2m1_e8m0},
    {"mxfp4-vllm-ultraquant", "e2m1", 32, REF_G_NONE, 0, 4, 8, ultraquant, ultraquant_value},
    {"int8-row-comfy-kitchen", "e4m3", 0, REF_G_NONE, 0, 8, 32, comfy_int8, int8_f32},
    ROW("fp8-row-quanto", 0, 32, quanto_e4m3, own_value),
    {"fp8-e5m2-row-quanto", "e5m2", 0, REF_G_NONE, 0, 8, 32, quanto_e5m2, e5m2_own},
    {0},
};
