/* SPDX-License-Identifier: MIT */
/* ref_block.c -- how the stacks quantize blocks of four bits: NVFP4, MXFP4 and their relatives
 *
 * In stacks that use torch a NaN reaches amax, and clamping keeps it. In kernels of CUDA and Triton
 * minimum and maximum ignore NaN. In most stacks a code is read back by a matrix product; the order
 * of the factors here is the one that the recipe declares.
 */
#include "mpfr/blocks/ref_block_recipes.h"

/* ---- what the elements have in common -------------------------------------------------------- */

static void times(ref_block *b, enum ref_narrow f, const word *x, size_t n, word factor)
{
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(f, ref_f32_mul(x[i], factor), REF_RNE);
}

static void over(ref_block *b, enum ref_narrow f, const word *x, size_t n, word divisor)
{
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(f, ref_f32_div(x[i], divisor), REF_RNE);
}

/* ---- NVFP4 ----------------------------------------------------------------------------------- */

static word approximate_sf(const word *x, size_t n, word g)
{
    word amax = ref_amax(x, n, 0);
    return ref_f32_mul(g, ref_f32_mul(amax, ref_f32_rcp_flushed(REF_6)));
}

static word approximate_factor(uint32_t scale, word g)
{
    return ref_f32_rcp_flushed(ref_f32_mul(ref_e4m3(scale), ref_f32_rcp_flushed(g)));
}

/* G * (amax * ~rcp(6)); SF != 0 ? ~rcp(SF * ~rcp(G)) : 0 */
static void vllm(ref_block *b, const word *x, size_t n, word g)
{
    b->scale = ref_narrowed(REF_E4M3, approximate_sf(x, n, g), REF_RNE);
    times(b, REF_E2M1, x, n, b->scale == 0 ? 0 : approximate_factor(b->scale, g));
}

/* The same with a test whether amax is 0. */
static void trtllm(ref_block *b, const word *x, size_t n, word g)
{
    b->scale = ref_narrowed(REF_E4M3, approximate_sf(x, n, g), REF_RNE);
    times(b, REF_E2M1, x, n, ref_amax(x, n, 0) == 0 ? 0 : approximate_factor(b->scale, g));
}

/* The same with a scale of a power of two, rounded up. */
static void trtllm_ue8m0(ref_block *b, const word *x, size_t n, word g)
{
    word sf = approximate_sf(x, n, g), factor = 0;
    b->scale = ref_narrowed(REF_E8M0, ref_f32_nan_min(sf, ref_f32_pow2(127)), REF_RU);
    if (ref_amax(x, n, 0) != 0) {
        word product = ref_f32_mul(ref_e8m0(b->scale), ref_f32_rcp_flushed(g));
        factor = ref_f32_rcp_flushed(product);
    }
    times(b, REF_E2M1, x, n, factor);
}

/* min(amax * (G * (1/6)), FLT_MAX); min(1 / (SF * (1/G)), FLT_MAX) */
static void te(ref_block *b, const word *x, size_t n, word g)
{
    word sf = ref_f32_mul(ref_amax(x, n, 0), ref_f32_mul(g, ref_f32_ratio(1, 6)));
    b->scale = ref_narrowed(REF_E4M3, ref_f32_min(sf, REF_FLT_MAX), REF_RNE);
    word product = ref_f32_mul(ref_e4m3(b->scale), ref_f32_div(REF_1, g));
    times(b, REF_E2M1, x, n, ref_f32_min(ref_f32_div(REF_1, product), REF_FLT_MAX));
}

/* The same, where a NaN in the block counts. The Python reference tests 0 <= y <= 1/4 first, which
 * is true for -0. No comparison is true for NaN, which gives 0. */
static void te_ref(ref_block *b, const word *x, size_t n, word g)
{
    word sf = ref_f32_mul(ref_amax(x, n, 1), ref_f32_mul(g, ref_f32_ratio(1, 6)));
    b->scale = ref_narrowed(REF_E4M3, ref_f32_nan_min(sf, REF_FLT_MAX), REF_RNE);
    word product = ref_f32_mul(ref_e4m3(b->scale), ref_f32_div(REF_1, g));
    word factor = ref_f32_nan_min(ref_f32_div(REF_1, product), REF_FLT_MAX);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_mul(x[i], factor);
        b->code[i] = ref_f32_is_nan(y) || y == 0x80000000u ? 0 : ref_narrowed(REF_E2M1, y, REF_RNE);
    }
}

/* amax / (6 g); the code is the number of the seven midpoints between neighbours that are below x /
 * (SF g), which is the lower code in a tie, with the sign of a value below 0. An infinity is
 * equally far from all, and no distance of NaN is the least: both give the first, 0. */
static void argmin(ref_block *b, const word *x, size_t n, word g)
{
    static const word middles[7] = {0x3e800000, 0x3f400000, 0x3fa00000, 0x3fe00000,
                                    0x40200000, 0x40600000, 0x40a00000};
    word sf = ref_f32_div(ref_amax(x, n, 1), ref_f32_mul(REF_6, g));
    b->scale = ref_narrowed(REF_E4M3, sf, REF_RNE);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_div(x[i], ref_f32_mul(ref_e4m3(b->scale), g)), size = ref_f32_abs(y);
        b->code[i] = !ref_f32_is_nan(y) && ref_f32_less(y, 0) ? 8 : 0;
        for (int k = 0; k < 7 && !ref_f32_is_nan(y) && size != REF_INF; k++)
            b->code[i] += (uint8_t)ref_f32_less(middles[k], size);
    }
}

/* (e SF) (1 / G), (e SF) / G of e8m0, e (SF g) */
static word value_inverse(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset;
    word inverse = ref_f32_div(REF_1, g);
    return ref_f32_mul(ref_f32_mul(ref_e2m1(code), ref_e4m3(scale)), inverse);
}

REF_VALUE(value_e8m0, ref_f32_div(ref_f32_mul(ref_e2m1(code), ref_e8m0(scale)), g))
REF_VALUE(value_product, ref_f32_mul(ref_e2m1(code), ref_f32_mul(ref_e4m3(scale), g)))

/* ---- MX: the exponent of the scale ----------------------------------------------------------- */

struct mx {
    enum ref_narrow f;
    int emax, man_bits;
    word max;
};
static const struct mx mx[] = {
    [REF_E2M1] = {REF_E2M1, 2, 1, REF_6},        /* 6 */
    [REF_E3M2] = {REF_E3M2, 4, 2, 0x41e00000u},  /* 28 */
    [REF_E2M3] = {REF_E2M3, 2, 3, 0x40f00000u},  /* 7.5 */
    [REF_E4M3] = {REF_E4M3, 8, 3, REF_448},      /* 448 */
    [REF_E5M2] = {REF_E5M2, 15, 2, 0x47600000u}, /* 57344 */
};

static void mx_exponent(ref_block *b, const word *x, size_t n, const struct mx *m,
                        enum ref_mx_mode mode)
{
    b->scale = ref_mx_scale(x, n, mode, m->emax, m->man_bits);
    over(b, m->f, x, n, ref_e8m0(b->scale));
}

/* amax * (1 / max), rounded up to a power of two. */
static void mx_rceil(ref_block *b, const word *x, size_t n, const struct mx *m)
{
    word descale = ref_f32_mul(ref_amax(x, n, 1), ref_f32_div(REF_1, m->max));
    b->scale = ref_narrowed(REF_E8M0, descale, REF_RU);
    over(b, m->f, x, n, ref_e8m0(b->scale));
}

/* ceil(log2(max(amax / 6, 1e-10))), ties away from zero, the sign by x < 0, NaN 0. */
static void kvfp4(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word sixth = ref_f32_div(ref_amax(x, n, 1), REF_6);
    sixth = ref_f32_nan_max(sixth, ref_f32_ratio(1, 10000000000u));
    b->scale = 255;
    if (sixth != REF_INF && !ref_f32_is_nan(sixth)) {
        word e = ref_f32_log2_ceil(sixth);
        for (b->scale = 0; b->scale < 254; b->scale++) { /* the first exponent that is not less */
            word size = ref_f32_ratio(b->scale < 127 ? 127 - b->scale : b->scale - 127, 1);
            if (!ref_f32_less(b->scale < 127 ? ref_f32_neg(size) : size, e))
                break;
        }
    }
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_div(x[i], ref_e8m0(b->scale));
        int zero = ref_f32_is_nan(y) || y == 0x80000000u;
        b->code[i] = zero ? 0 : ref_narrowed(REF_E2M1, y, REF_RNA);
    }
}

/* With q the place of the last bit of an element of this size: sign * floor(|y| / q + 1/2) * q,
 * within the largest. */
static word micro_element(const struct mx *m, word y, int least)
{
    int power;
    word magnitude = ref_f32_abs(y);
    long e = magnitude == 0 ? least : ref_f32_log2(magnitude, &power);
    word q = ref_f32_pow2((e < least ? least : e) - m->man_bits);
    word steps = ref_f32_trunc(ref_f32_add(ref_f32_div(magnitude, q), 0x3f000000u));
    word to = ref_f32_min(ref_f32_mul(steps, q), m->max);
    return (y & 0x80000000u) && magnitude != 0 ? ref_f32_neg(to) : to;
}

static void micro(ref_block *b, const word *x, size_t n, const struct mx *m, int least)
{
    b->scale = ref_micro_scale(x, n, m->emax);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_div(x[i], ref_e8m0(b->scale));
        if (!ref_f32_is_nan(y) && ref_f32_abs(y) != REF_INF)
            y = micro_element(m, y, least);
        b->code[i] = ref_narrowed(m->f, y, REF_RNE);
    }
}

/* Like mxfp4-even, but the scale 00 means 0, and nothing is divided by it. */
static void mxfp4_vllm(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    mx_exponent(b, x, n, &mx[REF_E2M1], REF_MX_EVEN);
    for (size_t i = 0; i < n && b->scale == 0; i++)
        b->code[i] = 0;
}

static word mxfp4_vllm_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    word s = scale == 0 ? 0 : ref_e8m0(scale);
    return scale == 0 ? 0 : ref_f32_mul(ref_e2m1(code), s);
}

#define MX_OF(name, f, least)                                                                      \
    static void name##_micro(ref_block *b, const word *x, size_t n, word g)                        \
    {                                                                                              \
        (void)g;                                                                                   \
        micro(b, x, n, &mx[f], least);                                                             \
    }                                                                                              \
    static void name##_floor(ref_block *b, const word *x, size_t n, word g)                        \
    {                                                                                              \
        (void)g;                                                                                   \
        mx_exponent(b, x, n, &mx[f], REF_MX_FLOOR);                                                \
    }                                                                                              \
    static void name##_even(ref_block *b, const word *x, size_t n, word g)                         \
    {                                                                                              \
        (void)g;                                                                                   \
        mx_exponent(b, x, n, &mx[f], REF_MX_EVEN);                                                 \
    }                                                                                              \
    static void name##_ceil(ref_block *b, const word *x, size_t n, word g)                         \
    {                                                                                              \
        (void)g;                                                                                   \
        mx_exponent(b, x, n, &mx[f], REF_MX_CEIL);                                                 \
    }                                                                                              \
    static void name##_rceil(ref_block *b, const word *x, size_t n, word g)                        \
    {                                                                                              \
        (void)g;                                                                                   \
        mx_rceil(b, x, n, &mx[f]);                                                                 \
    }                                                                                              \
    static word name##_value(uint32_t scale, uint32_t offset, word g, uint32_t code)               \
    {                                                                                              \
        (void)offset, (void)g;                                                                     \
        return ref_f32_mul(ref_widened(f, code), ref_e8m0(scale));                                 \
    }
MX_OF(e2m1, REF_E2M1, 0)
MX_OF(e3m2, REF_E3M2, -2)
MX_OF(e2m3, REF_E2M3, 0)
MX_OF(e4m3, REF_E4M3, -6)
MX_OF(e5m2, REF_E5M2, -14)

#define MX_ROWS(name, f, bits)                                                                     \
    {name "-floor", #f, 32, REF_G_NONE, 0, bits, 8, f##_floor, f##_value},                         \
        {name "-even", #f, 32, REF_G_NONE, 0, bits, 8, f##_even, f##_value},                       \
        {name "-ceil", #f, 32, REF_G_NONE, 0, bits, 8, f##_ceil, f##_value},                       \
        {name "-rceil", #f, 32, REF_G_NONE, 0, bits, 8, f##_rceil, f##_value},                     \
    {                                                                                              \
        name "-microxcaling", #f, 32, REF_G_NONE, 0, bits, 8, f##_micro, f##_value                 \
    }

static const ref_recipe rows[] = {
    {"nvfp4-vllm", "e2m1", 16, REF_G_ENCODE, 1, 4, 8, vllm, ref_over_g},
    {"nvfp4-trtllm", "e2m1", 16, REF_G_ENCODE, 1, 4, 8, trtllm, ref_over_g},
    {"nvfp4-te", "e2m1", 16, REF_G_ENCODE, 0, 4, 8, te, ref_over_g},
    {"nvfp4-te-ref", "e2m1", 16, REF_G_ENCODE, 0, 4, 8, te_ref, ref_over_g},
    {"nvfp4-argmin", "e2m1", 16, REF_G_DECODE, 0, 4, 8, argmin, value_product},
    {"nvfp4-trtllm-ue8m0", "e2m1", 16, REF_G_ENCODE, 1, 4, 8, trtllm_ue8m0, value_e8m0},
    {"mxfp4-trtllm", "e2m1", 32, REF_G_ENCODE, 1, 4, 8, trtllm_ue8m0, value_e8m0},
    {"nvfp4-flashinfer-paged", "e2m1", 16, REF_G_ENCODE, 1, 4, 8, vllm, value_inverse},
    {"nvfp4-flashinfer-paged-0.7.2", "e2m1", 16, REF_G_ENCODE, 1, 4, 8, trtllm, value_inverse},
    MX_ROWS("mxfp4", e2m1, 4),
    MX_ROWS("mxfp6-e3m2", e3m2, 6),
    MX_ROWS("mxfp6-e2m3", e2m3, 6),
    MX_ROWS("mxfp8-e4m3", e4m3, 8),
    MX_ROWS("mxfp8-e5m2", e5m2, 8),
    {"sglang-kvfp4", "e2m1", 16, REF_G_NONE, 0, 4, 8, kvfp4, e2m1_value},
    {"mxfp4-vllm", "e2m1", 32, REF_G_NONE, 0, 4, 8, mxfp4_vllm, mxfp4_vllm_value},
    {0},
};

const ref_recipe *ref_recipe_at(size_t i)
{
    static const ref_recipe *const lists[] = {rows,
                                              ref_other_recipes,
                                              ref_kv_recipes,
                                              ref_weights_recipes,
                                              ref_gguf_recipes,
                                              ref_torchao_recipes,
                                              ref_shifts_recipes,
                                              ref_group_recipes,
                                              ref_engine_recipes,
                                              ref_choice_recipes,
                                              ref_flashinfer_recipes,
                                              ref_framework_recipes};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
        for (const ref_recipe *r = lists[k]; r->name; r++)
            if (i-- == 0)
                return r;
    return NULL;
}
