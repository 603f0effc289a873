/* SPDX-License-Identifier: MIT */
/* ref_block_flashinfer.c -- FlashInfer's quantizers and stores of a cache: NVFP4, MXFP4, MXFP8 */
#include "mpfr/blocks/ref_block_recipes.h"

static word approximate(word y)
{
    return ref_f32_rcp_flushed(y);
}

static void codes(ref_block *b, const word *x, size_t n, word factor)
{
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(REF_E2M1, ref_f32_mul(x[i], factor), REF_RNE);
}

/* The thresholds between codes are compared with |y|, and no comparison with NaN holds: it is 0. */
static void codes_compared(ref_block *b, const word *x, size_t n, word factor)
{
    codes(b, x, n, factor);
    for (size_t i = 0; i < n; i++)
        if (ref_f32_is_nan(ref_f32_mul(x[i], factor)))
            b->code[i] = 0;
}

/* ---- nvfp4_quantize -------------------------------------------------------------------------- */

/* g (amax ~rcp(6)) */
static word encoded(word amax, word g)
{
    return ref_f32_mul(g, ref_f32_mul(amax, approximate(REF_6)));
}

/* ~rcp(s ~rcp(g)) */
static word encoding_factor(uint32_t scale, word g)
{
    return approximate(ref_f32_mul(ref_e4m3(scale), approximate(g)));
}

/* The factor is 0 where the stored byte is. */
static void quantize(ref_block *b, const word *x, size_t n, word g)
{
    b->scale = ref_narrowed(REF_E4M3, encoded(ref_amax(x, n, 0), g), REF_RNE);
    codes(b, x, n, b->scale == 0 ? 0 : encoding_factor(b->scale, g));
}

/* The factor is 0 where the largest magnitude is. */
static void quantize_0_7_2(ref_block *b, const word *x, size_t n, word g)
{
    word amax = ref_amax(x, n, 0);
    b->scale = ref_narrowed(REF_E4M3, encoded(amax, g), REF_RNE);
    codes(b, x, n, amax == 0 ? 0 : encoding_factor(b->scale, g));
}

/* sf6 = G (amax ~rcp(6)), sf4 = 1.5 sf6; |e SF ~rcp(G) - x| of each half */
static word over_one(ref_block *b, const word *x, size_t n, word g, word sf)
{
    uint32_t s = ref_narrowed(REF_E4M3, sf, REF_RNE);
    word half[2] = {0, 0};
    b->scale = s;
    codes(b, x, n, encoding_factor(s, g));
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_mul(ref_e2m1(b->code[i]), ref_e4m3(s));
        y = ref_f32_sub(ref_f32_mul(y, approximate(g)), x[i]);
        word *to = &half[i >= (n + 1) / 2];
        *to = ref_f32_add(*to, ref_f32_abs(y));
    }
    return ref_f32_add(half[0], half[1]);
}

static void quantize_over(ref_block *b, const word *x, size_t n, word g)
{
    static _Thread_local ref_block four;
    word amax = ref_amax(x, n, 0), sf = encoded(amax, g);
    word error6 = over_one(b, x, n, g, sf);
    ref_choose(b, &four, over_one(&four, x, n, g, ref_f32_mul(sf, ref_f32_ratio(3, 2))), error6);
    for (size_t i = 0; i < n && amax == 0; i++)
        b->code[i] = 0;
}

/* ---- stores of a cache ----------------------------------------------------------------------- */

/* 1 / (s g), or 0 where s is */
static word decoding_factor(uint32_t scale, word g)
{
    return scale == 0 ? 0 : ref_f32_div(REF_1, ref_f32_mul(ref_e4m3(scale), g));
}

/* amax / (6 g) */
static void append(ref_block *b, const word *x, size_t n, word g)
{
    word sf = ref_f32_div(ref_amax(x, n, 0), ref_f32_mul(REF_6, g));
    b->scale = ref_narrowed(REF_E4M3, sf, REF_RNE);
    codes_compared(b, x, n, decoding_factor(b->scale, g));
}

/* amax * __frcp_rn(6 g), and __frcp_rn(s g) */
static void append_mla(ref_block *b, const word *x, size_t n, word g)
{
    word sf = ref_f32_mul(ref_amax(x, n, 0), ref_f32_div(REF_1, ref_f32_mul(REF_6, g)));
    b->scale = ref_narrowed(REF_E4M3, sf, REF_RNE);
    codes_compared(b, x, n, decoding_factor(b->scale, g));
}

/* The squares of (|e| s) g - |x|, added in order. Where s is 0, so is |e| s, whatever e is. */
static word append_error(ref_block *b, const word *x, size_t n, word g, word sf)
{
    word sum = 0;
    b->scale = ref_narrowed(REF_E4M3, sf, REF_RNE);
    codes_compared(b, x, n, decoding_factor(b->scale, g));
    for (size_t i = 0; i < n; i++) {
        word e = ref_f32_mul(ref_e2m1(b->code[i] & 7), ref_e4m3(b->scale));
        word d = ref_f32_sub(ref_f32_mul(e, g), ref_f32_abs(x[i]));
        sum = ref_f32_add(sum, ref_f32_mul(d, d));
    }
    return sum;
}

static void append_over(ref_block *b, const word *x, size_t n, word g)
{
    static _Thread_local ref_block four;
    word sf = ref_f32_div(ref_amax(x, n, 0), ref_f32_mul(REF_6, g));
    word error6 = append_error(b, x, n, g, sf);
    ref_choose(b, &four, append_error(&four, x, n, g, ref_f32_mul(sf, ref_f32_ratio(3, 2))),
               error6);
}

/* ~rcp(g) (amax ~rcp(6)); ~rcp(s g) */
static uint32_t kv_scale(word amax, word g)
{
    word sf = ref_f32_mul(approximate(g), ref_f32_mul(amax, approximate(REF_6)));
    return ref_narrowed(REF_E4M3, sf, REF_RNE);
}

static word kv_factor(uint32_t scale, word g)
{
    return approximate(ref_f32_mul(ref_e4m3(scale), g));
}

static void kv(ref_block *b, const word *x, size_t n, word g)
{
    b->scale = kv_scale(ref_amax(x, n, 0), g);
    codes(b, x, n, b->scale == 0 ? 0 : kv_factor(b->scale, g));
}

static void kv_0_7_2(ref_block *b, const word *x, size_t n, word g)
{
    word amax = ref_amax(x, n, 0);
    b->scale = kv_scale(amax, g);
    codes(b, x, n, amax == 0 ? 0 : kv_factor(b->scale, g));
}

/* ---- MX -------------------------------------------------------------------------------------- */

/* amax ~rcp(most), rounded up; too large is 2^127. The factor is made of the byte: that of 254 has
 * the exponent field 0, and that of 0 is 0. */
static word mx(ref_block *b, const word *x, size_t n, word most)
{
    word sf = ref_f32_mul(ref_amax(x, n, 0), approximate(most));
    b->scale = ref_narrowed(REF_E8M0, ref_f32_nan_min(sf, ref_f32_pow2(127)), REF_RU);
    return b->scale == 0 || b->scale >= 254 ? 0 : (254 - b->scale) << 23;
}

REF_STORE(mxfp4, codes(b, x, n, mx(b, x, n, REF_6)))

/* amax times the number of f32 next to 1/6, rounded up; x times the inverse of that */
static void mxfp4_invariant(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word sf = ref_f32_mul(ref_amax(x, n, 0), ref_f32_ratio(1, 6));
    b->scale = ref_narrowed(REF_E8M0, ref_f32_nan_min(sf, ref_f32_pow2(127)), REF_RU);
    codes(b, x, n, ref_f32_div(REF_1, ref_e8m0(b->scale)));
}

/* fmaxf(fminf(y, 448), -448) of NaN is 448. */
static void mxfp8(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word factor = mx(b, x, n, REF_448);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_mul(x[i], factor);
        b->code[i] = ref_narrowed(REF_E4M3, ref_f32_is_nan(y) ? REF_448 : y, REF_RNE);
    }
}

/* ---- readers --------------------------------------------------------------------------------- */

REF_VALUE(times_g, ref_f32_mul(ref_f32_mul(ref_e2m1(code), ref_e4m3(scale)), g))
REF_VALUE(times_g_own, ref_own(times_g(scale, offset, g, code)))
REF_VALUE(mxfp4_value, ref_f32_mul(ref_e2m1(code), ref_e8m0(scale)))
REF_VALUE(mxfp8_value, ref_f32_mul(ref_e4m3(code), ref_e8m0(scale)))

#define ENCODE(name, quantize)                                                                     \
    {                                                                                              \
        name, "e2m1", 16, REF_G_ENCODE, 1, 4, 8, quantize, ref_over_g                              \
    }
#define DECODE(name, approximate, quantize, value)                                                 \
    {                                                                                              \
        name, "e2m1", 16, REF_G_DECODE, approximate, 4, 8, quantize, value                         \
    }

const ref_recipe ref_flashinfer_recipes[] = {
    ENCODE("nvfp4-flashinfer", quantize),
    ENCODE("nvfp4-flashinfer-0.7.2", quantize_0_7_2),
    ENCODE("nvfp4-flashinfer-4over6", quantize_over),
    DECODE("nvfp4-flashinfer-append", 0, append, times_g),
    DECODE("nvfp4-flashinfer-append-mla", 0, append_mla, times_g),
    DECODE("nvfp4-flashinfer-append-4over6", 0, append_over, times_g),
    DECODE("nvfp4-flashinfer-kv", 1, kv, times_g_own),
    DECODE("nvfp4-flashinfer-kv-0.7.2", 1, kv_0_7_2, times_g_own),
    {"mxfp4-flashinfer", "e2m1", 32, REF_G_NONE, 1, 4, 8, mxfp4, mxfp4_value},
    {"mxfp4-flashinfer-invariant", "e2m1", 32, REF_G_NONE, 0, 4, 8, mxfp4_invariant, mxfp4_value},
    {"mxfp8-flashinfer", "e4m3", 32, REF_G_NONE, 1, 8, 8, mxfp8, mxfp8_value},
    {0},
};
