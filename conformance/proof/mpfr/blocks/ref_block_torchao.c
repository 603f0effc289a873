/* SPDX-License-Identifier: MIT */
/* ref_block_torchao.c -- how torchao's release quantizes: NVFP4, and MX in four modes
 *
 * The exponent of the scale is computed on the word of amax, by integers; a NaN reaches it.
 */
#include "mpfr/blocks/ref_block_recipes.h"

/* (amax / 6) / g within [2^-6, 448]; x * ((1/g) / SF) within [-6, 6] */
static void nvfp4(ref_block *b, const word *x, size_t n, word g)
{
    word sf = ref_f32_div(ref_f32_div(ref_amax(x, n, 1), REF_6), g);
    sf = ref_f32_nan_min(ref_f32_nan_max(sf, ref_f32_pow2(-6)), REF_448);
    b->scale = ref_narrowed(REF_E4M3, sf, REF_RNE);
    word factor = ref_f32_div(ref_f32_div(REF_1, g), ref_e4m3(b->scale));
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_mul(x[i], factor);
        y = ref_f32_nan_min(ref_f32_nan_max(y, ref_f32_neg(REF_6)), REF_6);
        b->code[i] = ref_narrowed(REF_E2M1, y, REF_RNE);
    }
}

static word nvfp4_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset;
    word s = ref_f32_mul(ref_e4m3(scale), g);
    return ref_own(ref_f32_mul(ref_e2m1(code), s));
}

struct mx {
    enum ref_narrow f;
    int emax, man_bits;
    word most;
};
static const struct mx formats[] = {
    [REF_E2M1] = {REF_E2M1, 2, 1, REF_6},        [REF_E3M2] = {REF_E3M2, 4, 2, 0x41e00000u},
    [REF_E2M3] = {REF_E2M3, 2, 3, 0x40f00000u},  [REF_E4M3] = {REF_E4M3, 8, 3, REF_448},
    [REF_E5M2] = {REF_E5M2, 15, 2, 0x47600000u},
};

/* The biased exponent of the word, after what rounds it was added, less emax; 0 if it is less. Of
 * infinity it is 255 and the word may not be rounded further. NaN has the code 255. */
static void by_exponent(ref_block *b, const word *x, size_t n, const struct mx *m, uint32_t more)
{
    word amax = ref_amax(x, n, 1), divisor;
    uint32_t field = (amax == REF_INF ? amax : amax + more) >> 23;
    b->scale = field > (uint32_t)m->emax ? field - (uint32_t)m->emax : 0;
    divisor = b->scale == 0 ? ref_f32_pow2(-126) : ref_f32_pow2((long)b->scale - 127);
    if (ref_f32_is_nan(amax)) {
        b->scale = 255;
        divisor = REF_INF;
    }
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(m->f, ref_f32_div(x[i], divisor), REF_RNE);
}

static void floor_of(ref_block *b, const word *x, size_t n, const struct mx *m)
{
    by_exponent(b, x, n, m, 0);
}

static void even_of(ref_block *b, const word *x, size_t n, const struct mx *m)
{
    by_exponent(b, x, n, m, 1u << (22 - m->man_bits));
}

static void ceil_of(ref_block *b, const word *x, size_t n, const struct mx *m)
{
    by_exponent(b, x, n, m, 0x7fffff);
}

/* ceil(log2f(amax / most)) within [-127, 127]; times its inverse, or 1 for the code 0. */
static void rceil_of(ref_block *b, const word *x, size_t n, const struct mx *m)
{
    word q = ref_f32_div(ref_amax(x, n, 1), m->most), e = ref_f32_log2_ceil(q), factor = REF_1;
    b->scale = 0;
    if (ref_f32_is_nan(q))
        b->scale = 255;
    while (b->scale < 254 && q != 0 &&
           ref_f32_less(ref_f32_sub(ref_f32_ratio(b->scale, 1), ref_f32_ratio(127, 1)), e))
        b->scale++;
    if (b->scale != 0)
        factor = b->scale == 255 ? REF_NAN : ref_f32_pow2(127 - (long)b->scale);
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(m->f, ref_f32_mul(x[i], factor), REF_RNE);
}

#define MODE(name, f, mode)                                                                        \
    static void name##_##mode(ref_block *b, const word *x, size_t n, word g)                       \
    {                                                                                              \
        (void)g;                                                                                   \
        mode##_of(b, x, n, &formats[f]);                                                           \
    }
#define FORMAT(name, f)                                                                            \
    MODE(name, f, floor)                                                                           \
    MODE(name, f, even)                                                                            \
    MODE(name, f, ceil)                                                                            \
    MODE(name, f, rceil)                                                                           \
    static word name##_value(uint32_t scale, uint32_t offset, word g, uint32_t code)               \
    {                                                                                              \
        (void)offset, (void)g;                                                                     \
        return ref_own(ref_f32_mul(ref_widened(f, code), ref_e8m0(scale)));                        \
    }
FORMAT(e2m1, REF_E2M1)
FORMAT(e3m2, REF_E3M2)
FORMAT(e2m3, REF_E2M3)
FORMAT(e4m3, REF_E4M3)
FORMAT(e5m2, REF_E5M2)

#define ROWS(name, f, bits)                                                                        \
    {name "-torchao-floor", #f, 32, REF_G_NONE, 0, bits, 8, f##_floor, f##_value},                 \
        {name "-torchao-even", #f, 32, REF_G_NONE, 0, bits, 8, f##_even, f##_value},               \
        {name "-torchao-ceil", #f, 32, REF_G_NONE, 0, bits, 8, f##_ceil, f##_value},               \
    {                                                                                              \
        name "-torchao-rceil", #f, 32, REF_G_NONE, 0, bits, 8, f##_rceil, f##_value                \
    }

const ref_recipe ref_torchao_recipes[] = {
    {"nvfp4-torchao", "e2m1", 16, REF_G_DECODE, 0, 4, 8, nvfp4, nvfp4_value},
    ROWS("mxfp4", e2m1, 4),
    ROWS("mxfp6-e3m2", e3m2, 6),
    ROWS("mxfp6-e2m3", e2m3, 6),
    ROWS("mxfp8-e4m3", e4m3, 8),
    ROWS("mxfp8-e5m2", e5m2, 8),
    {0},
};
