/* SPDX-License-Identifier: MIT */
/* ref_block_engines.c -- vLLM 0.33, its triton_kernels, Transformer Engine: MXFP4, MXFP8, NVFP4,
 * TurboQuant's values, blockwise FP8
 */
#include "mpfr/blocks/ref_block_recipes.h"

static void codes(ref_block *b, const word *x, size_t n, word factor, enum ref_narrow f, int mode)
{
    for (size_t i = 0; i < n; i++)
        b->code[i] = i > 0 && x[i] == x[i - 1] ? b->code[i - 1]
                                               : ref_narrowed(f, ref_f32_mul(x[i], factor), mode);
}

/* The same with + 0, after which there is no -0. */
static void codes_plus_0(ref_block *b, const word *x, size_t n, word factor)
{
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_mul(x[i], factor);
        b->code[i] = y == 0x80000000u ? 0 : ref_narrowed(REF_E2M1, y, REF_RNE);
    }
}

/* The e8m0 code of 2^min(max(ceil(log2 a), -127), 127); a is not NaN. */
static uint32_t ceil_code(word a)
{
    word e = a == 0 ? ref_number(-127) : ref_f32_log2_ceil(a);
    for (int i = -127; i < 127; i++)
        if (!ref_f32_less(ref_number(i), e))
            return (uint32_t)(i + 127);
    return 254;
}

/* ---- vLLM ------------------------------------------------------------------------------------ */

/* ceil(log2(max(amax, 2^-126) / 448)) within [-127, 127]; x / 2^that */
static void vllm_mxfp8(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word amax = ref_f32_max(ref_amax(x, n, 0), ref_f32_pow2(-126));
    b->scale = ceil_code(ref_f32_div(amax, REF_448));
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(REF_E4M3, ref_f32_div(x[i], ref_e8m0(b->scale)), REF_RNE);
}

/* 1 / y, or 0 where y is 0 */
static word get_reciprocal(word y)
{
    return ref_f32_abs(y) == 0 ? 0 : ref_f32_div(REF_1, y);
}

/* scale = g (amax (1/6)); output_scale = get_reciprocal of scale * (1/g), where 0 is 1e8 */
static void vllm_nvfp4_ref(ref_block *b, const word *x, size_t n, word g)
{
    word sf = ref_f32_mul(g, ref_f32_mul(ref_amax(x, n, 0), ref_f32_ratio(1, 6)));
    b->scale = ref_narrowed(REF_E4M3, sf, REF_RNE);
    word s = ref_f32_mul(ref_e4m3(b->scale), ref_f32_div(REF_1, g));
    codes_plus_0(b, x, n, get_reciprocal(ref_f32_abs(s) == 0 ? ref_number(100000000) : s));
}

/* The exponent of amax rounded to one bit of mantissa, ties away, less 2; 127 where it is 128. */
static void vllm_downcast(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word amax = ref_amax(x, n, 0);
    if (ref_f32_is_nan(amax) || amax == REF_INF)
        b->scale = 255;
    else {
        long e = (long)((amax + 0x200000u) >> 23) - 127;
        e = e > 127 ? 127 : e - 2;
        b->scale = e < -127 ? 0 : (uint32_t)(e + 127);
    }
    codes(b, x, n, ref_f32_div(REF_1, ref_e8m0(b->scale)), REF_E2M1, REF_RNE);
}

/* max(amax / 6, 2^-9), up to an e4m3; x * (1 / that) */
static void vllm_ds_mla(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word sf = ref_f32_max(ref_f32_div(ref_amax(x, n, 0), REF_6), ref_f32_pow2(-9));
    b->scale = 1;
    while (b->scale < 0x7e && ref_f32_less(ref_e4m3(b->scale), sf))
        b->scale++;
    codes(b, x, n, ref_f32_div(REF_1, ref_e4m3(b->scale)), REF_E2M1, REF_RNE);
}

static word ds_mla_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    word y = ref_f32_mul(ref_e2m1(code), ref_e4m3(scale));
    return ref_bf16(y);
}

/* ---- TurboQuant's values --------------------------------------------------------------------- */

/* scale = max((max - min) / n, 1e-8); int((x - min) / scale + 0.5) within [0, n] */
static void turbo(ref_block *b, const word *x, size_t n, long most, int bits)
{
    word low = REF_NAN, high = REF_NAN;
    for (size_t i = 0; i < n; i++) {
        low = ref_f32_min(low, x[i]);
        high = ref_f32_max(high, x[i]);
    }
    low = ref_f32_is_nan(low) ? REF_NAN : low;
    word scale = ref_f32_div(ref_f32_sub(high, low), ref_number(most));
    scale = ref_f32_max(scale, ref_f32_ratio(1, 100000000));
    b->scale = ref_narrowed(REF_F16, scale, REF_RNE);
    b->offset = ref_narrowed(REF_F16, low, REF_RNE);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_add(ref_f32_div(ref_f32_sub(x[i], low), scale), ref_f32_ratio(1, 2));
        y = ref_f32_min(ref_f32_max(ref_f32_trunc(y), 0), ref_number(most));
        b->code[i] = ref_integer(y, bits);
    }
}

REF_STORE(turbo4, turbo(b, x, n, 15, 4))
REF_STORE(turbo3, turbo(b, x, n, 7, 3))

static word turbo_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)g;
    word y = ref_f32_mul(ref_number((long)code), ref_widened(REF_F16, scale));
    return ref_f32_add(y, ref_widened(REF_F16, offset));
}

/* ---- triton_kernels -------------------------------------------------------------------------- */

/* The exponent field of amax / max, with ROUND_UP of that + 0x007fffff; times 1 / scale, 0 where
 * the field is 0. */
static void triton_kernels(ref_block *b, const word *x, size_t n, word most, int up,
                           enum ref_narrow f, int mode)
{
    word descale = ref_f32_div(ref_amax(x, n, 0), most);
    if (ref_f32_is_nan(descale) || descale == REF_INF)
        b->scale = 255;
    else
        b->scale = (descale + (up ? 0x7fffffu : 0)) >> 23;
    word factor = b->scale == 0 ? 0 : ref_f32_div(REF_1, ref_e8m0(b->scale));
    codes(b, x, n, factor, f, mode);
}

REF_STORE(triton_kernels_mxfp4, triton_kernels(b, x, n, REF_6, 1, REF_E2M1, REF_RNA))
REF_STORE(triton_kernels_mxfp4_down, triton_kernels(b, x, n, REF_6, 0, REF_E2M1, REF_RNA))
REF_STORE(triton_kernels_mxfp8, triton_kernels(b, x, n, REF_448, 1, REF_E4M3, REF_RNE))

/* ---- Transformer Engine ---------------------------------------------------------------------- */

static word own_max(void)
{
    if (ref_own(REF_FLT_MAX) != REF_INF)
        return REF_FLT_MAX;
    word bf16 = 0x7f7f0000u; /* which is infinite in f16 */
    return ref_own(bf16) == bf16 ? bf16 : ref_number(65504);
}

/* scale = max / amax; infinite: the largest of the tensor's format; with powers of two the mantissa
 * is cut; 1 where amax is 0. The reciprocal is stored. */
static void te(ref_block *b, const word *x, size_t n, word most, int pow2, int eps)
{
    word amax = ref_amax(x, n, 0);
    if (eps)
        amax = ref_f32_max(amax, ref_f32_ratio(1, 1000));
    word f = ref_f32_div(most, amax);
    if (!eps && (f == REF_INF || ref_f32_is_nan(f)))
        f = own_max();
    if (pow2)
        f = f < 0x800000u ? ref_f32_pow2(-127) : f & 0x7f800000u;
    if (amax == 0)
        f = REF_1;
    b->scale = ref_f32_div(REF_1, f);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && x[i] == x[i - 1]) {
            b->code[i] = b->code[i - 1];
            continue;
        }
        word y = ref_f32_nan_max(ref_f32_mul(x[i], f), ref_f32_neg(most));
        b->code[i] = ref_narrowed(most == REF_448 ? REF_E4M3 : REF_E5M2, ref_f32_nan_min(y, most),
                                  REF_RNE);
    }
}

#define REF_57344 0x47600000u
#define TE(name, most, pow2, eps)                                                                  \
    static void name(ref_block *b, const word *x, size_t n, word g)                                \
    {                                                                                              \
        (void)g;                                                                                   \
        te(b, x, n, most, pow2, eps);                                                              \
    }
TE(te_pow2, REF_448, 1, 0)
TE(te_pow2_eps, REF_448, 1, 1)
TE(te_f32, REF_448, 0, 0)
TE(te_f32_eps, REF_448, 0, 1)
TE(te_e5m2_pow2, REF_57344, 1, 0)
TE(te_e5m2_f32, REF_57344, 0, 0)

/* amax (1/448), rounded up to a power of two of e8m0, too large is 2^127; x (1/s). The largest
 * magnitude is searched from 0 on, by comparisons: NaN is not found. */
static void te_mx(ref_block *b, const word *x, size_t n, unsigned most, enum ref_narrow f)
{
    word sf = ref_f32_mul(ref_f32_max(ref_amax(x, n, 0), 0), ref_f32_ratio(1, most));
    b->scale = ref_narrowed(REF_E8M0, ref_f32_nan_min(sf, ref_f32_pow2(127)), REF_RU);
    codes(b, x, n, ref_f32_div(REF_1, ref_e8m0(b->scale)), f, REF_RNE);
}

REF_STORE(te_mxfp8, te_mx(b, x, n, 448, REF_E4M3))
REF_STORE(te_mxfp8_e5m2, te_mx(b, x, n, 57344, REF_E5M2))

/* 2^ceil(log2(amax / 6)); x * (1 / that) + 0 */
static void te_mxfp4(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word amax = ref_amax(x, n, 0);
    b->scale = ceil_code(ref_f32_div(amax, REF_6));
    codes_plus_0(b, x, n, ref_f32_div(REF_1, ref_e8m0(b->scale)));
}

/* e * scale */
#define VALUE(name, e, s)                                                                          \
    static word name(uint32_t scale, uint32_t offset, word g, uint32_t code)                       \
    {                                                                                              \
        (void)offset, (void)g;                                                                     \
        return ref_f32_mul(ref_widened(e, code), s);                                               \
    }
VALUE(e4m3_value, REF_E4M3, scale)
VALUE(e5m2_value, REF_E5M2, scale)
VALUE(mxfp4_value, REF_E2M1, ref_e8m0(scale))
VALUE(mxfp8_value, REF_E4M3, ref_e8m0(scale))
VALUE(mxfp8_e5m2_value, REF_E5M2, ref_e8m0(scale))

#define NVFP4(name, g, approximate, quantize, value)                                               \
    {                                                                                              \
        name, "e2m1", 16, g, approximate, 4, 8, quantize, value                                    \
    }
#define MX(name, element, bits, quantize, value)                                                   \
    {                                                                                              \
        name, element, 32, REF_G_NONE, 0, bits, 8, quantize, value                                 \
    }
#define TURBO(name, bits, quantize)                                                                \
    {                                                                                              \
        name, "e2m1", 0, REF_G_NONE, 0, bits, 16, quantize, turbo_value                            \
    }
#define FP8(name, element, quantize)                                                               \
    {                                                                                              \
        name, #element, 128, REF_G_NONE, 0, 8, 32, quantize, element##_value                       \
    }

const ref_recipe ref_engine_recipes[] = {
    MX("mxfp8-e4m3-vllm", "e4m3", 8, vllm_mxfp8, mxfp8_value),
    NVFP4("nvfp4-vllm-ref", REF_G_ENCODE, 0, vllm_nvfp4_ref, ref_over_g),
    MX("mxfp4-vllm-downcast", "e2m1", 4, vllm_downcast, mxfp4_value),
    NVFP4("nvfp4-vllm-ds-mla", REF_G_NONE, 0, vllm_ds_mla, ds_mla_value),
    TURBO("int4-vllm-turboquant-values", 4, turbo4),
    TURBO("int3-vllm-turboquant-values", 3, turbo3),
    MX("mxfp4-triton-kernels", "e2m1", 4, triton_kernels_mxfp4, mxfp4_value),
    MX("mxfp4-triton-kernels-down", "e2m1", 4, triton_kernels_mxfp4_down, mxfp4_value),
    MX("mxfp8-e4m3-triton-kernels", "e4m3", 8, triton_kernels_mxfp8, mxfp8_value),
    FP8("fp8-group128-te", e4m3, te_pow2),
    FP8("fp8-group128-te-eps", e4m3, te_pow2_eps),
    FP8("fp8-group128-te-f32", e4m3, te_f32),
    FP8("fp8-group128-te-f32-eps", e4m3, te_f32_eps),
    FP8("fp8-e5m2-group128-te", e5m2, te_e5m2_pow2),
    FP8("fp8-e5m2-group128-te-f32", e5m2, te_e5m2_f32),
    FP8("fp8-block128-te", e4m3, te_pow2),
    FP8("fp8-block128-te-eps", e4m3, te_pow2_eps),
    FP8("fp8-block128-te-f32", e4m3, te_f32),
    FP8("fp8-block128-te-f32-eps", e4m3, te_f32_eps),
    FP8("fp8-e5m2-block128-te", e5m2, te_e5m2_pow2),
    FP8("fp8-e5m2-block128-te-f32", e5m2, te_e5m2_f32),
    MX("mxfp8-te", "e4m3", 8, te_mxfp8, mxfp8_value),
    MX("mxfp8-e5m2-te", "e5m2", 8, te_mxfp8_e5m2, mxfp8_e5m2_value),
    MX("mxfp8-te-32x32", "e4m3", 8, te_mxfp8, mxfp8_value),
    MX("mxfp4-te", "e2m1", 4, te_mxfp4, mxfp4_value),
    {0},
};
