/* SPDX-License-Identifier: MIT */
/* ref_block_weights.c -- how tools quantize weights: compressed-tensors, ModelOpt, torchao, GGUF,
 * MLX, auto-round
 *
 * They compute by torch or numpy on a processor, so a NaN reaches amax.
 */
#include "reference/blocks/ref_block_recipes.h"

#include <string.h>

static word amax_of(const word *x, size_t n)
{
    return ref_amax(x, n, 1);
}

static int is_zero(word y)
{
    return ref_f32_abs(y) == 0;
}

static int is_finite(word y)
{
    return !ref_f32_is_nan(y) && ref_f32_abs(y) != REF_INF;
}

/* The e8m0 code of 2^e, where e is an integer as f32, not below -127. NaN and values that are too
 * large give ff. */
static uint32_t e8m0_of(word e)
{
    if (ref_f32_is_nan(e) || ref_f32_less(ref_number(127), e))
        return 255;
    uint32_t code = 0;
    while (code < 254 && ref_f32_less(ref_number((long)code - 127), e))
        code++;
    return code;
}

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

/* The bit pattern of amax is increased by 1/4 of a binade as an integer, and its mantissa cleared.
 * From 2^k 7/4 on that is 2^(k + 1); among subnormal numbers, from 3/4 of the least normal one on.
 * If the result is 0, f16 has no power of two for it, and the scale is 1. */
static uint32_t compressed_mx_scale(word amax, long emax)
{
    int power;
    word tiny = own_tiny(), limit = ref_f32_mul(tiny, ref_f32_ratio(3, 4));
    int is_f16 = ref_f32_less(ref_f32_pow2(-126), tiny);
    if (!is_finite(amax))
        return 255;
    if (ref_f32_less(amax, limit))
        return is_f16 ? 127 : 0;
    if (ref_f32_less(amax, tiny))
        return e8m0_of(ref_number(ref_f32_log2(tiny, &power) - emax));
    long e = ref_f32_log2(amax, &power);
    word up = ref_f32_mul(ref_f32_pow2(e), ref_f32_ratio(7, 4));
    return e8m0_of(ref_number(e + !ref_f32_less(amax, up) - emax));
}

static void compressed_mxfp4(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = compressed_mx_scale(amax_of(x, n), 2);
    for (size_t i = 0; i < n; i++)
        b->code[i] = signed_by_less(ref_own(ref_f32_div(x[i], ref_e8m0(b->scale))));
}

static void compressed_mxfp8(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = compressed_mx_scale(amax_of(x, n), 8);
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(
            REF_E4M3, ref_f32_add(ref_own(ref_f32_div(x[i], ref_e8m0(b->scale))), 0), REF_RNE);
}

static word compressed_mxfp4_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    return ref_bf16(ref_f32_mul(ref_e2m1(code), ref_e8m0(scale)));
}

static word compressed_mxfp8_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    return ref_bf16(ref_f32_mul(ref_e4m3(code), ref_e8m0(scale)));
}

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
static word modelopt_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset;
    return ref_own(ref_f32_mul(ref_e2m1(code == 8 ? 0 : code), ref_f32_mul(ref_e4m3(scale), g)));
}

static word modelopt_static_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    return modelopt_value(scale, offset, ref_f32_div(g, ref_number(2688)), code);
}

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

static word e2m1_own(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    return ref_own(ref_f32_mul(ref_e2m1(code), ref_e8m0(scale)));
}

static word e4m3_own(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    return ref_own(ref_f32_mul(ref_e4m3(code), ref_e8m0(scale)));
}

/* amax / 448 and the divisions in the format of the weights. */
static void modelopt_fp8(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = ref_own(ref_f32_div(amax_of(x, n), REF_448));
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(REF_E4M3, ref_own(ref_f32_div(x[i], b->scale)), REF_RNE);
}

static word modelopt_fp8_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    return ref_own(ref_f32_mul(ref_e4m3(code), scale));
}

/* The same in f32, as get_weight_scaling_factor and to_quantized_weight do it. */
static void modelopt_export(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = ref_f32_div(amax_of(x, n), REF_448);
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(REF_E4M3, ref_f32_div(x[i], b->scale), REF_RNE);
}

static word modelopt_export_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    return ref_f32_mul(ref_e4m3(code), scale);
}

/* ---- GGUF ------------------------------------------------------------------------------------ */

static word inverse_or_0(word d)
{
    return is_zero(d) ? 0 : ref_f32_div(REF_1, d);
}

/* d = amax / 127, round(x (1/d)), ties away, d stored as f16. */
static void q8_0(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word d = ref_f32_div(amax_of(x, n), ref_number(127)), id = inverse_or_0(d);
    b->scale = ref_narrowed(REF_F16, d, REF_RNE);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_mul(x[i], id);
        b->code[i] = ref_integer(is_finite(y) ? ref_f32_round(y) : 0, 8);
    }
}

static word q8_0_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    return ref_f32_mul(ref_from_int8(code), ref_widened(REF_F16, scale));
}

/* d is the first element of the largest magnitude over -8; trunc(x (1/d) + 8.5) within [0, 15]. */
static void q4_0(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word amax = amax_of(x, n), peak = amax;
    for (size_t i = n; i-- > 0;)
        if (!ref_f32_is_nan(amax) && ref_f32_abs(x[i]) == amax)
            peak = x[i];
    word d = ref_f32_div(peak, ref_number(-8)), id = inverse_or_0(d);
    b->scale = ref_narrowed(REF_F16, d, REF_RNE);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_add(ref_f32_mul(x[i], id), ref_f32_ratio(17, 2));
        y = is_finite(y) ? ref_f32_trunc(y) : 0;
        b->code[i] = ref_integer(ref_f32_max(ref_f32_min(y, ref_number(15)), 0), 4);
    }
}

static word q4_0_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    return ref_f32_mul(ref_number((long)code - 8), ref_widened(REF_F16, scale));
}

/* d = (max - min) / 15, trunc((x - min) (1/d) + 1/2) within [0, 15]; d and min stored as f16. */
static void q4_1(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word low = x[0], high = x[0], amax = amax_of(x, n);
    for (size_t i = 1; i < n; i++) {
        low = ref_f32_less(x[i], low) ? x[i] : low;
        high = ref_f32_less(high, x[i]) ? x[i] : high;
    }
    if (ref_f32_is_nan(amax))
        low = high = amax;
    word d = ref_f32_div(ref_f32_sub(high, low), ref_number(15)), id = inverse_or_0(d);
    b->scale = ref_narrowed(REF_F16, d, REF_RNE);
    b->offset = ref_narrowed(REF_F16, low, REF_RNE);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_mul(ref_f32_sub(x[i], low), id);
        y = ref_f32_add(y, ref_f32_ratio(1, 2));
        y = is_finite(y) ? ref_f32_trunc(y) : 0;
        b->code[i] = ref_integer(ref_f32_max(ref_f32_min(y, ref_number(15)), 0), 4);
    }
}

static word q4_1_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)g;
    return ref_f32_add(ref_f32_mul(ref_widened(REF_F16, scale), ref_number((long)code)),
                       ref_widened(REF_F16, offset));
}

/* Which of 0, 1/2, ..., 6, 0, -1/2, ... is the nearest, the first of equal ones: up to 1/4 it is 0.
 */
static uint32_t nearest(word y)
{
    static const word middles[7] = {0x3e800000, 0x3f400000, 0x3fa00000, 0x3fe00000,
                                    0x40200000, 0x40600000, 0x40a00000};
    uint32_t code = 0;
    for (int k = 0; k < 7 && !ref_f32_is_nan(y); k++)
        code += ref_f32_less(middles[k], ref_f32_abs(y)) ? 1u : 0;
    return code && y >> 31 ? code + 8 : code;
}

static void gguf_mxfp4(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word amax = amax_of(x, n);
    b->scale = 0;
    if (!is_finite(amax))
        b->scale = 255;
    else if (amax != 0)
        b->scale = e8m0_of(ref_f32_sub(ref_f32_log2_floor(amax), REF_2));
    for (size_t i = 0; i < n; i++)
        b->code[i] = nearest(ref_f32_div(x[i], ref_e8m0(b->scale)));
}

static word gguf_mxfp4_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    return ref_f32_mul(ref_e2m1(code), ref_e8m0(scale));
}

/* ggml_fp32_to_ue4m3(amax / 6): ties away; below 2^-6 at most the code 7, from 248 on 448. */
static uint32_t ue4m3(word y)
{
    if (ref_f32_is_nan(y))
        return 0x7f;
    if (!ref_f32_less(y, ref_number(248)))
        return 0x7e;
    uint32_t code = ref_narrowed(REF_E4M3, y, REF_RNA);
    return code > 7 && ref_f32_less(y, ref_f32_pow2(-6)) ? 7 : code;
}

static void gguf_nvfp4(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = ue4m3(ref_f32_div(amax_of(x, n), REF_6));
    for (size_t i = 0; i < n; i++)
        b->code[i] = b->scale == 0 ? 0 : nearest(ref_f32_div(x[i], ref_e4m3(b->scale)));
}

static word gguf_nvfp4_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    return ref_f32_mul(ref_e2m1(code == 8 ? 0 : code), ref_e4m3(scale));
}

/* ---- MLX ------------------------------------------------------------------------------------- */

/* The least power of two that is not below amax / most, that being rounded to the tensor's format;
 * 1 in place of 0. */
static void mlx_mx_scale(ref_block *b, const word *x, size_t n, word most)
{
    word q = ref_own(ref_f32_div(amax_of(x, n), most));
    if (q == 0)
        q = REF_1;
    for (b->scale = 0; b->scale < 254 && ref_f32_less(ref_e8m0(b->scale), q);)
        b->scale++;
    if (!is_finite(q))
        b->scale = 255;
}

static void mlx_mxfp4(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    mlx_mx_scale(b, x, n, REF_6);
    for (size_t i = 0; i < n; i++)
        b->code[i] = nearest(ref_f32_div(x[i], ref_e8m0(b->scale)));
}

static void mlx_mxfp8(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    mlx_mx_scale(b, x, n, REF_448);
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(REF_E4M3, ref_f32_div(x[i], ref_e8m0(b->scale)), REF_RNE);
}

/* to_fp8(amax / 6); 0 where that is 0. */
static void mlx_nvfp4(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = ref_narrowed(REF_E4M3, ref_own(ref_f32_div(amax_of(x, n), REF_6)), REF_RNE);
    for (size_t i = 0; i < n; i++)
        b->code[i] = b->scale == 0 ? 0 : nearest(ref_own(ref_f32_div(x[i], ref_e4m3(b->scale))));
}

static word mlx_nvfp4_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    return ref_bf16(ref_f32_mul(ref_e2m1(code), ref_e4m3(scale)));
}

/* ---- auto-round ------------------------------------------------------------------------------ */

/* G * (amax * (1/6)); x * (1 / (SF * (1/G))); what rounds to zero is +0. */
static word auto_round_factor(uint32_t scale, word g)
{
    word inverse = ref_f32_mul(ref_e4m3(scale), ref_f32_div(REF_1, g));
    return is_zero(ref_e4m3(scale)) ? 0 : ref_f32_div(REF_1, inverse);
}

static void auto_round(ref_block *b, const word *x, size_t n, word g)
{
    word sf = ref_f32_mul(amax_of(x, n), ref_f32_div(REF_1, REF_6));
    b->scale = ref_narrowed(REF_E4M3, ref_f32_mul(g, sf), REF_RNE);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_mul(x[i], auto_round_factor(b->scale, g));
        uint32_t code = ref_f32_is_nan(y) ? 0 : ref_narrowed(REF_E2M1, y, REF_RNE);
        b->code[i] = code == 8 ? 0 : code;
    }
}

static word auto_round_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset;
    word factor = auto_round_factor(scale, g);
    return is_zero(factor) ? 0 : ref_own(ref_f32_mul(ref_e2m1(code), ref_f32_div(REF_1, factor)));
}

/* What is just below 1/2 of the least number goes up: 1/2 added to it is 1 in f32. -0 becomes +0.
 */
static uint32_t auto_round_code(enum ref_narrow f, word y)
{
    word half = f == REF_E2M1 ? ref_f32_pow2(-2) : ref_f32_pow2(-10);
    if (y == 0x80000000u)
        return 0;
    if (ref_f32_abs(y) == half - 1)
        return 1 | (y >> 31 ? f == REF_E2M1 ? 8u : 128u : 0);
    return ref_narrowed(f, y, REF_RNE);
}

/* floor(log2f(amax)) - emax, or ceil(log2f(amax / most)); of zeros 1 in place of the logarithm. */
static void auto_round_mx(ref_block *b, const word *x, size_t n, enum ref_narrow f, int up)
{
    word amax = amax_of(x, n), e = REF_1;
    if (up) {
        word q = ref_f32_div(amax, f == REF_E2M1 ? REF_6 : REF_448);
        e = amax == 0 ? REF_1 : is_zero(q) ? ref_number(-127) : ref_f32_log2_ceil(q);
    } else {
        e = ref_f32_sub(amax == 0 ? REF_1 : ref_f32_log2_floor(amax),
                        ref_number(f == REF_E2M1 ? 2 : 8));
    }
    b->scale = ref_f32_is_nan(amax) ? 0 : e8m0_of(e);
    for (size_t i = 0; i < n; i++)
        b->code[i] = auto_round_code(f, ref_f32_div(x[i], ref_e8m0(b->scale)));
}

static void auto_round_mxfp4(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    auto_round_mx(b, x, n, REF_E2M1, 0);
}

static void auto_round_mxfp8(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    auto_round_mx(b, x, n, REF_E4M3, 0);
}

static void auto_round_mxfp4_rceil(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    auto_round_mx(b, x, n, REF_E2M1, 1);
}

static void auto_round_mxfp8_rceil(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    auto_round_mx(b, x, n, REF_E4M3, 1);
}

/* ---- second scales --------------------------------------------------------------------------- */

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

ref_second_scale *ref_weights_g(const char *name)
{
    static const struct {
        const char *name;
        ref_second_scale *g;
    } rows[] = {{"nvfp4-compressed", compressed_g}, {"nvfp4-modelopt", decode_g},
                {"nvfp4-modelopt-0.44", decode_g},  {"nvfp4-modelopt-static", amax_g},
                {"nvfp4-torchao", decode_g},        {"nvfp4-auto-round", auto_round_g}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(name, rows[i].name) == 0)
            return rows[i].g;
    return NULL;
}

static const ref_recipe rows[] = {
    {"nvfp4-compressed", "e2m1", 16, REF_G_ENCODE, 0, 4, 8, compressed, compressed_value},
    {"mxfp4-compressed", "e2m1", 32, 0, 0, 4, 8, compressed_mxfp4, compressed_mxfp4_value},
    {"mxfp8-compressed", "e4m3", 32, 0, 0, 8, 8, compressed_mxfp8, compressed_mxfp8_value},
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
    {"q8_0-gguf", "e4m3", 32, 0, 0, 8, 16, q8_0, q8_0_value},
    {"q4_0-gguf", "e2m1", 32, 0, 0, 4, 16, q4_0, q4_0_value},
    {"q4_1-gguf", "e2m1", 32, 0, 0, 4, 16, q4_1, q4_1_value},
    {"mxfp4-gguf", "e2m1", 32, 0, 0, 4, 8, gguf_mxfp4, gguf_mxfp4_value},
    {"nvfp4-gguf", "e2m1", 16, 0, 0, 4, 8, gguf_nvfp4, gguf_nvfp4_value},
    {"mxfp4-mlx", "e2m1", 32, 0, 0, 4, 8, mlx_mxfp4, compressed_mxfp4_value},
    {"mxfp8-mlx", "e4m3", 32, 0, 0, 8, 8, mlx_mxfp8, compressed_mxfp8_value},
    {"nvfp4-mlx", "e2m1", 16, 0, 0, 4, 8, mlx_nvfp4, mlx_nvfp4_value},
    {"nvfp4-auto-round", "e2m1", 16, REF_G_ENCODE, 0, 4, 8, auto_round, auto_round_value},
    {"mxfp4-auto-round", "e2m1", 32, 0, 0, 4, 8, auto_round_mxfp4, e2m1_own},
    {"mxfp8-auto-round", "e4m3", 32, 0, 0, 8, 8, auto_round_mxfp8, e4m3_own},
    {"mxfp4-auto-round-rceil", "e2m1", 32, 0, 0, 4, 8, auto_round_mxfp4_rceil, e2m1_own},
    {"mxfp8-auto-round-rceil", "e4m3", 32, 0, 0, 8, 8, auto_round_mxfp8_rceil, e4m3_own},
};

const ref_recipe *ref_weights_recipe_at(size_t i)
{
    size_t n = sizeof rows / sizeof rows[0];
    return i < n ? &rows[i] : ref_torchao_recipe_at(i - n);
}
