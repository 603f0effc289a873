/* SPDX-License-Identifier: MIT */
/* ref_block_choice.c -- NVFP4 with a choice between two scales, 4 over 6, and in blocks of 16 x 16
 *
 * Elements come row by row; ref_columns() is how many of them a row of the block has.
 */
#include "mpfr/blocks/ref_block_recipes.h"

enum { MAE, MSE };
enum { ROWS = 16 };

static void quantized(ref_block *b, const word *x, size_t n, word scale, word factor)
{
    b->scale = scale;
    for (size_t i = 0; i < n; i++)
        b->code[i] = ref_narrowed(REF_E2M1, ref_f32_mul(x[i], factor), REF_RNE);
}

static word size_of(word d, int mode)
{
    return mode == MSE ? ref_f32_mul(d, d) : ref_f32_abs(d);
}

/* The errors of the rows, joined: row i and i + 8, then + 4, + 2, + 1. */
static word joined(word row[ROWS])
{
    for (int h = ROWS / 2; h > 0; h /= 2)
        for (int i = 0; i < h; i++)
            row[i] = ref_f32_add(row[i], row[i + h]);
    return row[0];
}

/* ---- Transformer Engine ---------------------------------------------------------------------- */

/* min(6 M / amax, FLT_MAX), 1 if amax is 0 */
static word encode_scale(word amax, long m)
{
    return ref_f32_abs(amax) == 0 ? REF_1
                                  : ref_f32_min(ref_f32_div(ref_number(6 * m), amax), REF_FLT_MAX);
}

static word te_factor(uint32_t scale, word g)
{
    word product = ref_f32_mul(ref_e4m3(scale), ref_f32_div(REF_1, g));
    return ref_f32_min(ref_f32_div(REF_1, product), REF_FLT_MAX);
}

/* How far the values of a block are from x: in order over a row. */
static word te_error(const ref_block *b, const word *x, size_t n, word g, word amax, long m,
                     int mode, int fast)
{
    word row[ROWS] = {0}, s = ref_e4m3(b->scale);
    for (size_t i = 0; i < n; i++) {
        word d, y = ref_f32_mul(ref_e2m1(b->code[i]), s);
        if (fast)
            d = ref_f32_sub(y, ref_f32_mul(x[i], g));
        else
            d = ref_f32_sub(ref_f32_div(ref_f32_mul(y, amax), ref_number(6 * m)), x[i]);
        row[i / ref_columns()] = ref_f32_add(row[i / ref_columns()], size_of(d, mode));
    }
    return joined(row);
}

/* g: the amax of the tensor, or with fast math the encode scale. base = amax / 6 * G */
static void te(ref_block *b, const word *x, size_t n, word g, long m, int mode, int fast)
{
    static _Thread_local ref_block four;
    word encode = fast ? g : encode_scale(g, m);
    word base = ref_f32_mul(ref_f32_div(ref_amax(x, n, 0), REF_6), encode);
    uint32_t s6 = ref_narrowed(REF_E4M3, base, REF_RNE);
    uint32_t s4 = ref_narrowed(REF_E4M3, ref_f32_mul(base, ref_f32_ratio(3, 2)), REF_RNE);
    quantized(b, x, n, s6, te_factor(s6, encode));
    quantized(&four, x, n, s4, te_factor(s4, encode));
    ref_choose(b, &four, te_error(&four, x, n, encode, g, m, mode, fast),
               te_error(b, x, n, encode, g, m, mode, fast));
}

#define TE(name, m, mode, fast)                                                                    \
    static void name(ref_block *b, const word *x, size_t n, word g)                                \
    {                                                                                              \
        te(b, x, n, g, m, mode, fast);                                                             \
    }
TE(te_256_mae, 256, MAE, 0)
TE(te_256_mae_fast, 256, MAE, 1)
TE(te_256_mse, 256, MSE, 0)
TE(te_256_mse_fast, 256, MSE, 1)
TE(te_448_mae, 448, MAE, 0)
TE(te_448_mae_fast, 448, MAE, 1)
TE(te_448_mse, 448, MSE, 0)

/* min(amax (G (1/6)), FLT_MAX), as nvfp4-te */
static void te_16x16(ref_block *b, const word *x, size_t n, word g)
{
    word sf = ref_f32_mul(ref_amax(x, n, 0), ref_f32_mul(g, ref_f32_ratio(1, 6)));
    uint32_t s = ref_narrowed(REF_E4M3, ref_f32_min(sf, REF_FLT_MAX), REF_RNE);
    quantized(b, x, n, s, te_factor(s, g));
}

/* ---- vLLM ------------------------------------------------------------------------------------ */

static word approximate(word y)
{
    return ref_f32_rcp_flushed(y);
}

/* sf = G (amax ~rcp(6 or 4)); f = sf ? ~rcp(sf ~rcp(G)) : 0; r = f ? ~rcp(f) : 0;
 * err += dx dx + dy dy, d = q r - x */
static word vllm_one(ref_block *b, const word *x, size_t n, word g, long at)
{
    word sf = ref_f32_mul(g, ref_f32_mul(ref_amax(x, n, 0), approximate(ref_number(at))));
    uint32_t s = ref_narrowed(REF_E4M3, sf, REF_RNE);
    word f = s == 0 ? 0 : approximate(ref_f32_mul(ref_e4m3(s), approximate(g)));
    word r = ref_f32_abs(f) == 0 ? 0 : approximate(f), error = 0, last = 0;
    quantized(b, x, n, s, f);
    for (size_t i = 0; i < n; i++) {
        word d = ref_f32_sub(ref_f32_mul(ref_e2m1(b->code[i]), r), x[i]);
        d = ref_f32_mul(d, d);
        if (i % 2 == 1)
            error = ref_f32_add(error, ref_f32_add(last, d));
        else if (i + 1 == n)
            error = ref_f32_add(error, d);
        last = d;
    }
    return error;
}

static void vllm(ref_block *b, const word *x, size_t n, word g)
{
    static _Thread_local ref_block four;
    word error4 = vllm_one(&four, x, n, g, 4), error6 = vllm_one(b, x, n, g, 6);
    ref_choose(b, &four, error4, error6);
}

/* ---- readers --------------------------------------------------------------------------------- */

static word times_amax(uint32_t scale, word amax, uint32_t code, long m)
{
    word y = ref_f32_mul(ref_e2m1(code), ref_e4m3(scale));
    return ref_f32_div(ref_f32_mul(y, amax), ref_number(6 * m));
}

REF_VALUE(times_amax_256, times_amax(scale, g, code, 256))
REF_VALUE(times_amax_448, times_amax(scale, g, code, 448))

#define ROW(name, g, approximate, quantize, value)                                                 \
    {                                                                                              \
        name, "e2m1", 16, g, approximate, 4, 8, quantize, value                                    \
    }

const ref_recipe ref_choice_recipes[] = {
    ROW("nvfp4-te-4over6", REF_G_GIVEN, 0, te_256_mae, times_amax_256),
    ROW("nvfp4-te-16x16-4over6", REF_G_GIVEN, 0, te_256_mae, times_amax_256),
    ROW("nvfp4-te-4over6-fast", REF_G_ENCODE, 0, te_256_mae_fast, ref_over_g),
    ROW("nvfp4-te-16x16-4over6-fast", REF_G_ENCODE, 0, te_256_mae_fast, ref_over_g),
    ROW("nvfp4-te-4over6-mse", REF_G_GIVEN, 0, te_256_mse, times_amax_256),
    ROW("nvfp4-te-16x16-4over6-mse", REF_G_GIVEN, 0, te_256_mse, times_amax_256),
    ROW("nvfp4-te-4over6-mse-fast", REF_G_ENCODE, 0, te_256_mse_fast, ref_over_g),
    ROW("nvfp4-te-16x16-4over6-mse-fast", REF_G_ENCODE, 0, te_256_mse_fast, ref_over_g),
    ROW("nvfp4-te-4over6-448", REF_G_GIVEN, 0, te_448_mae, times_amax_448),
    ROW("nvfp4-te-16x16-4over6-448", REF_G_GIVEN, 0, te_448_mae, times_amax_448),
    ROW("nvfp4-te-4over6-448-fast", REF_G_ENCODE, 0, te_448_mae_fast, ref_over_g),
    ROW("nvfp4-te-16x16-4over6-448-fast", REF_G_ENCODE, 0, te_448_mae_fast, ref_over_g),
    ROW("nvfp4-te-4over6-448-mse", REF_G_GIVEN, 0, te_448_mse, times_amax_448),
    ROW("nvfp4-te-16x16", REF_G_ENCODE, 0, te_16x16, ref_over_g),
    ROW("nvfp4-vllm-4over6", REF_G_ENCODE, 1, vllm, ref_over_g),
    {0},
};
