/* SPDX-License-Identifier: MIT */
/* ref_block_common.c -- helpers of several files of reference recipes: amax, MX scales, integers,
 * values and rounding of a few formats
 */
#include "mpfr/blocks/ref_block_recipes.h"

word ref_amax(const word *x, size_t n, int nan_counts)
{
    word amax = REF_NAN;
    for (size_t i = 0; i < n; i++) {
        if (nan_counts && ref_f32_is_nan(x[i]))
            return REF_NAN;
        amax = ref_f32_max(amax, ref_f32_abs(x[i]));
    }
    return ref_f32_is_nan(amax) ? REF_NAN : amax;
}

/* ---- scales of MX ---------------------------------------------------------------------------- */

uint32_t ref_mx_scale(const word *x, size_t n, enum ref_mx_mode mode, int emax, int man_bits)
{
    int power;
    word amax = ref_amax(x, n, 1);
    if (ref_f32_is_nan(amax) || amax == REF_INF)
        return 255;
    if (amax == 0)
        return 0;
    long e = ref_f32_log2(amax, &power);
    /* 2^e (2 - 2^-(man_bits + 1)) */
    word limit = ref_f32_mul(ref_f32_pow2(e), ref_f32_sub(REF_2, ref_f32_pow2(-man_bits - 1)));
    if (mode == REF_MX_CEIL)
        e += !power;
    else if (mode == REF_MX_EVEN && e >= -126)
        e += !ref_f32_less(amax, limit);
    e -= emax;
    return (uint32_t)((e < -127 ? -127 : e) + 127);
}

uint32_t ref_micro_scale(const word *x, size_t n, int emax)
{
    word amax = ref_amax(x, n, 1);
    word e = ref_f32_log2_floor(amax == 0 ? ref_f32_pow2(-126) : amax);
    if (ref_f32_is_nan(e) || e == REF_INF)
        return 255;
    for (int i = -127; i <= 127; i++) {
        if (!ref_f32_less(ref_number(i), ref_f32_sub(e, ref_number(emax))))
            return (uint32_t)(i + 127);
    }
    return 255;
}

/* ---- integers -------------------------------------------------------------------------------- */

uint32_t ref_integer(word y, int bits)
{
    mpfr_t v;
    if (ref_f32_is_nan(y))
        return 0;
    mpfr_init2(v, 32);
    uint32_t magnitude = 0, m = y & 0x7fffffu, e = y >> 23 & 255;
    mpfr_set_ui_2exp(v, m + 0x800000, (long)e - 150, MPFR_RNDZ);
    if (e != 0)
        magnitude = (uint32_t)mpfr_get_ui(v, MPFR_RNDZ);
    mpfr_clear(v);
    return (y >> 31 ? 0 - magnitude : magnitude) & ((2u << (bits - 1)) - 1);
}

word ref_number(long n)
{
    word magnitude = ref_f32_ratio((unsigned long)(n < 0 ? -n : n), 1);
    return n < 0 ? ref_f32_neg(magnitude) : magnitude;
}

word ref_from_int8(uint32_t code)
{
    return ref_number(code < 128 ? (int)code : (int)code - 256);
}

/* ---- formats --------------------------------------------------------------------------------- */

word ref_e2m1(uint32_t code)
{
    return ref_widened(REF_E2M1, code);
}

word ref_e4m3(uint32_t code)
{
    return ref_widened(REF_E4M3, code);
}

word ref_e8m0(uint32_t code)
{
    return ref_widened(REF_E8M0, code);
}

word ref_f16(word y)
{
    return ref_widened(REF_F16, ref_narrowed(REF_F16, y, REF_RNE));
}

word ref_bf16(word y)
{
    return ref_widened(REF_BF16, ref_narrowed(REF_BF16, y, REF_RNE));
}

word ref_over_g(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset;
    return ref_f32_div(ref_f32_mul(ref_e2m1(code), ref_e4m3(scale)), g);
}

void ref_choose(ref_block *b, const ref_block *a, word error_a, word error_b)
{
    if (!ref_f32_is_nan(error_a) && !ref_f32_is_nan(error_b) && ref_f32_less(error_a, error_b))
        *b = *a;
}
