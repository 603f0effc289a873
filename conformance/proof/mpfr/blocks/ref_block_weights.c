/* SPDX-License-Identifier: MIT */
/* ref_block_weights.c -- how tools quantize weights: compressed-tensors and ModelOpt, and the
 * global scales of all such tools */
#include "mpfr/blocks/ref_block_tools.h"

#include <string.h>

/* To e2m1, the sign by y < 0: -0 is +0. */
static uint32_t signed_by_less(word y)
{
    return y == 0x80000000u ? 0 : ref_narrowed(REF_E2M1, y, REF_RNE);
}

/* ---- compressed-tensors ---------------------------------------------------------------------- */

/* G * (amax / 6), where the division is in the format of the weights; a code 0 is replaced by
 * 0.125; x / (SF / G), where -0 becomes +0. */
static void compressed(ref_block *b, const word *x, size_t n, word g)
{
    word sf = ref_f32_mul(g, ref_own(ref_f32_div(amax_of(x, n), REF_6)));
    b->scale = ref_narrowed(REF_E4M3, sf, REF_RNE);
    if (b->scale == 0)
        b->scale = 0x20;
    for (size_t i = 0; i < n; i++)
        b->code[i] = signed_by_less(ref_f32_div(x[i], ref_f32_div(ref_e4m3(b->scale), g)));
}

/* decompress() gives bf16, whatever the weights were. */
static word compressed_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset;
    word y = ref_f32_mul(ref_e2m1(code), ref_f32_div(ref_e4m3(scale), g));
    return ref_bf16(y);
}

/* The least normal number of the format of the weights. */
static word own_tiny(void)
{
    return ref_own(ref_f32_pow2(-126)) == 0 ? ref_f32_pow2(-14) : ref_f32_pow2(-126);
}

/* The bit pattern of amax is increased by 1/parts of a binade as an integer, and its mantissa
 * cleared. For 4 parts, from 2^k 7/4 on that is 2^(k + 1); among subnormal numbers, from 3/4 of the
 * least normal one on.
 * If the result is 0, f16 has no power of two for it, and the scale is 1. */
static uint32_t compressed_mx_scale(word amax, long emax, unsigned long parts)
{
    int power;
    word tiny = own_tiny(), limit = ref_f32_mul(tiny, ref_f32_ratio(parts - 1, parts));
    int is_f16 = ref_f32_less(ref_f32_pow2(-126), tiny);
    if (!is_finite(amax))
        return 255;
    if (ref_f32_less(amax, limit))
        return is_f16 ? 127 : 0;
    if (ref_f32_less(amax, tiny))
        return e8m0_of(ref_number(ref_f32_log2(tiny, &power) - emax));
    long e = ref_f32_log2(amax, &power);
    word up = ref_f32_mul(ref_f32_pow2(e), ref_f32_ratio(2 * parts - 1, parts));
    return e8m0_of(ref_number(e + !ref_f32_less(amax, up) - emax));
}

static void compressed_mxfp4(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = compressed_mx_scale(amax_of(x, n), 2, 4);
    for (size_t i = 0; i < n; i++)
        b->code[i] = signed_by_less(ref_own(ref_f32_div(x[i], ref_e8m0(b->scale))));
}

static void compressed_mxfp8(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = compressed_mx_scale(amax_of(x, n), 8, 4);
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(
            REF_E4M3, ref_f32_add(ref_own(ref_f32_div(x[i], ref_e8m0(b->scale))), 0), REF_RNE);
}

/* MXFP6: rounded to 3 bits of mantissa, and no zero point. */
static void compressed_mxfp6(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = compressed_mx_scale(amax_of(x, n), 2, 16);
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(REF_E2M3, ref_own(ref_f32_div(x[i], ref_e8m0(b->scale))),
                                  REF_RNE);
}

REF_VALUE(e2m3_bf16, ref_bf16(ref_f32_mul(ref_widened(REF_E2M3, code), ref_e8m0(scale))))

/* The distance from 1 to the next number of the format of the weights. */
static word own_eps(void)
{
    int power = -7;
    while (ref_own(ref_f32_add(REF_1, ref_f32_pow2(power - 1))) != REF_1)
        power--;
    return ref_f32_pow2(power);
}

/* A scale that rounds to 0 becomes eps. */
static void compressed_fp8(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = ref_own(ref_f32_div(amax_of(x, n), REF_448));
    if (b->scale == 0)
        b->scale = own_eps();
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(REF_E4M3, ref_f32_add(ref_own(ref_f32_div(x[i], b->scale)), 0),
                                  REF_RNE);
}

/* ---- ModelOpt -------------------------------------------------------------------------------- */

/* The scale, 1 for 0, within [2^-9, 448]; x / (SF g), its sign by x < 0. */
static void modelopt_codes(ref_block *b, const word *x, size_t n, word divisor)
{
    for (size_t i = 0; i < n; i++)
        b->code[i] = signed_by_less(ref_f32_div(x[i], divisor));
}

static word within(word y)
{
    return ref_f32_nan_min(ref_f32_nan_max(y, ref_f32_pow2(-9)), REF_448);
}

static void modelopt(ref_block *b, const word *x, size_t n, word g)
{
    word sf = ref_f32_div(amax_of(x, n), ref_f32_mul(REF_6, g));
    b->scale = ref_narrowed(REF_E4M3, within(is_zero(sf) ? REF_1 : sf), REF_RNE);
    modelopt_codes(b, x, n, ref_f32_mul(ref_e4m3(b->scale), g));
}

/* No bounds. */
static void modelopt_0_44(ref_block *b, const word *x, size_t n, word g)
{
    word sf = ref_f32_div(amax_of(x, n), ref_f32_mul(REF_6, g));
    b->scale = ref_narrowed(REF_E4M3, is_zero(sf) ? REF_1 : sf, REF_RNE);
    modelopt_codes(b, x, n, ref_f32_mul(ref_e4m3(b->scale), g));
}

/* G is the amax of the tensor: (amax / 6) 448 / (G / 6), amax / 6 being 1 where it is 0. */
static void modelopt_static(ref_block *b, const word *x, size_t n, word g)
{
    word sf = ref_f32_div(amax_of(x, n), REF_6);
    sf = ref_f32_mul(is_zero(sf) ? REF_1 : sf, REF_448);
    b->scale = ref_narrowed(REF_E4M3, within(ref_f32_div(sf, ref_f32_div(g, REF_6))), REF_RNE);
    modelopt_codes(b, x, n, ref_f32_mul(ref_e4m3(b->scale), ref_f32_div(g, ref_number(2688))));
}

/* Code 8 is +0 in the reader's table. */
REF_VALUE(modelopt_value,
          ref_own(ref_f32_mul(ref_e2m1(code == 8 ? 0 : code), ref_f32_mul(ref_e4m3(scale), g))))
REF_VALUE(modelopt_static_value,
          modelopt_value(scale, offset, ref_f32_div(g, ref_number(2688)), code))

/* ceil(log2f(amax / most)) within [-127, 127]; NaN is not above 0, which leaves -127. */
static void modelopt_mxfp8(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word q = ref_f32_div(amax_of(x, n), REF_448);
    word e = ref_f32_is_nan(q) || q == 0 ? ref_number(-127) : ref_f32_log2_ceil(q);
    b->scale = e8m0_of(ref_f32_min(e, ref_number(127)));
    word inverse = ref_f32_pow2(127 - (long)b->scale);
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(REF_E4M3, ref_f32_mul(x[i], inverse), REF_RNE);
}

/* Ties toward zero; what is 0 has the code 8. An infinite amax has the scale NaN here. */
static void modelopt_mxfp4(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word q = ref_f32_div(amax_of(x, n), REF_6);
    b->scale = q == REF_INF ? 255 : ref_f32_is_nan(q) || q == 0 ? 0 : e8m0_of(ref_f32_log2_ceil(q));
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_div(x[i], ref_e8m0(b->scale));
        b->code[i] = is_zero(y) ? 8 : ref_narrowed(REF_E2M1, y, REF_RNZ);
    }
}

/* amax / 448 and the divisions in the format of the weights. */
static void modelopt_fp8(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = ref_own(ref_f32_div(amax_of(x, n), REF_448));
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(REF_E4M3, ref_own(ref_f32_div(x[i], b->scale)), REF_RNE);
}

REF_VALUE(modelopt_fp8_value, ref_own(ref_f32_mul(ref_e4m3(code), scale)))

/* The same in f32, as get_weight_scaling_factor and to_quantized_weight do it. */
static void modelopt_export(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = ref_f32_div(amax_of(x, n), REF_448);
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(REF_E4M3, ref_f32_div(x[i], b->scale), REF_RNE);
}

REF_VALUE(modelopt_export_value, ref_f32_mul(ref_e4m3(code), scale))

/* ---- global scales --------------------------------------------------------------------------- */

/* generate_gparam: 2688 / amax in the format of the weights, amax being at least its `tiny`; 1
 * where that is not finite. */
static word compressed_g(word amax)
{
    word inverse = ref_own(ref_f32_div(REF_1, ref_f32_nan_max(amax, own_tiny())));
    word g = ref_own(ref_f32_mul(inverse, ref_number(2688)));
    return is_finite(g) ? g : REF_1;
}

/* amax / 2688; 1 of a tensor of zeros. */
static word decode_g(word amax)
{
    return amax == 0 ? REF_1 : ref_f32_div(amax, ref_number(2688));
}

static word amax_g(word amax)
{
    return amax;
}

static word auto_round_g(word amax)
{
    return amax == 0 ? 0 : ref_f32_mul(ref_f32_div(REF_1, amax), ref_number(2688));
}

ref_global_scale *ref_weights_g(const char *name)
{
    static const struct {
        const char *name;
        ref_global_scale *g;
    } rows[] = {{"nvfp4-compressed", compressed_g}, {"nvfp4-modelopt", decode_g},
                {"nvfp4-modelopt-0.44", decode_g},  {"nvfp4-modelopt-static", amax_g},
                {"nvfp4-torchao", decode_g},        {"nvfp4-auto-round", auto_round_g}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(name, rows[i].name) == 0)
            return rows[i].g;
    return NULL;
}

const ref_recipe ref_weights_recipes[] = {
    {"nvfp4-compressed", "e2m1", 16, REF_G_ENCODE, 0, 4, 8, compressed, compressed_value},
    {"mxfp4-compressed", "e2m1", 32, 0, 0, 4, 8, compressed_mxfp4, e2m1_bf16},
    {"mxfp8-compressed", "e4m3", 32, 0, 0, 8, 8, compressed_mxfp8, e4m3_bf16},
    {"mxfp6-compressed", "e2m3", 32, 0, 0, 6, 8, compressed_mxfp6, e2m3_bf16},
    {"fp8-compressed-channel", "e4m3", 0, 0, 0, 8, 32, compressed_fp8, modelopt_fp8_value},
    {"fp8-compressed-block128", "e4m3", 128, 0, 0, 8, 32, compressed_fp8, modelopt_fp8_value},
    {"nvfp4-modelopt", "e2m1", 16, REF_G_DECODE, 0, 4, 8, modelopt, modelopt_value},
    {"nvfp4-modelopt-0.44", "e2m1", 16, REF_G_DECODE, 0, 4, 8, modelopt_0_44, modelopt_value},
    {"nvfp4-modelopt-static", "e2m1", 16, REF_G_GIVEN, 0, 4, 8, modelopt_static,
     modelopt_static_value},
    {"mxfp8-modelopt", "e4m3", 32, 0, 0, 8, 8, modelopt_mxfp8, e4m3_own},
    {"mxfp4-modelopt", "e2m1", 32, 0, 0, 4, 8, modelopt_mxfp4, e2m1_own},
    {"fp8-modelopt-block128", "e4m3", 128, 0, 0, 8, 32, modelopt_fp8, modelopt_fp8_value},
    {"fp8-modelopt-export-block128", "e4m3", 128, 0, 0, 8, 32, modelopt_export,
     modelopt_export_value},
    {0},
};
