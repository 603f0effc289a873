/* SPDX-License-Identifier: MIT */
/* ref_block_gguf.c -- how tools quantize weights: GGUF, MLX, auto-round */
#include "mpfr/blocks/ref_block_tools.h"

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

REF_VALUE(q8_0_value, ref_f32_mul(ref_from_int8(code), ref_widened(REF_F16, scale)))

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

REF_VALUE(q4_0_value, ref_f32_mul(ref_number((long)code - 8), ref_widened(REF_F16, scale)))

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

REF_VALUE(q4_1_value, ref_f32_add(ref_f32_mul(ref_widened(REF_F16, scale), ref_number((long)code)),
                                  ref_widened(REF_F16, offset)))

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

REF_VALUE(gguf_mxfp4_value, ref_f32_mul(ref_e2m1(code), ref_e8m0(scale)))

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

REF_VALUE(gguf_nvfp4_value, ref_f32_mul(ref_e2m1(code == 8 ? 0 : code), ref_e4m3(scale)))

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

REF_VALUE(mlx_nvfp4_value, ref_bf16(ref_f32_mul(ref_e2m1(code), ref_e4m3(scale))))

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

REF_STORE(auto_round_mxfp4, auto_round_mx(b, x, n, REF_E2M1, 0))
REF_STORE(auto_round_mxfp8, auto_round_mx(b, x, n, REF_E4M3, 0))
REF_STORE(auto_round_mxfp4_rceil, auto_round_mx(b, x, n, REF_E2M1, 1))
REF_STORE(auto_round_mxfp8_rceil, auto_round_mx(b, x, n, REF_E4M3, 1))

const ref_recipe ref_gguf_recipes[] = {
    {"q8_0-gguf", "e4m3", 32, 0, 0, 8, 16, q8_0, q8_0_value},
    {"q4_0-gguf", "e2m1", 32, 0, 0, 4, 16, q4_0, q4_0_value},
    {"q4_1-gguf", "e2m1", 32, 0, 0, 4, 16, q4_1, q4_1_value},
    {"mxfp4-gguf", "e2m1", 32, 0, 0, 4, 8, gguf_mxfp4, gguf_mxfp4_value},
    {"nvfp4-gguf", "e2m1", 16, 0, 0, 4, 8, gguf_nvfp4, gguf_nvfp4_value},
    {"mxfp4-mlx", "e2m1", 32, 0, 0, 4, 8, mlx_mxfp4, e2m1_bf16},
    {"mxfp8-mlx", "e4m3", 32, 0, 0, 8, 8, mlx_mxfp8, e4m3_bf16},
    {"nvfp4-mlx", "e2m1", 16, 0, 0, 4, 8, mlx_nvfp4, mlx_nvfp4_value},
    {"nvfp4-auto-round", "e2m1", 16, REF_G_ENCODE, 0, 4, 8, auto_round, auto_round_value},
    {"mxfp4-auto-round", "e2m1", 32, 0, 0, 4, 8, auto_round_mxfp4, e2m1_own},
    {"mxfp8-auto-round", "e4m3", 32, 0, 0, 8, 8, auto_round_mxfp8, e4m3_own},
    {"mxfp4-auto-round-rceil", "e2m1", 32, 0, 0, 4, 8, auto_round_mxfp4_rceil, e2m1_own},
    {"mxfp8-auto-round-rceil", "e4m3", 32, 0, 0, 8, 8, auto_round_mxfp8_rceil, e4m3_own},
    {0},
};
