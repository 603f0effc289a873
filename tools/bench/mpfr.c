/* SPDX-License-Identifier: MIT */
/* mpfr.c -- MPFR doing what the calls of call.c do: e4m3 by rne, saturating */
#include "bench.h"

#ifdef SOFTFP8_HAVE_MPFR

#include <mpfr.h>
#include <stdlib.h>

#define MISSING NULL

static mpfr_t values[256], result;

/* Once; the exponents are those of the subnormals too, so that mpfr_subnormalize can round them. */
static void begin(void)
{
    static int begun;
    if (begun)
        return;
    begun = 1;
    for (int i = 0; i < 256; i++) {
        mpfr_init2(values[i], 4);
        mpfr_set_flt(values[i], sf8_e4m3_to_f32((uint8_t)i), MPFR_RNDN);
    }
    mpfr_init2(result, 4);
    mpfr_set_emin(-8);
}

/* What remains to be done after the MPFR operation: the format's range, and the code. */
static uint8_t code(int ternary)
{
    mpfr_check_range(result, ternary, MPFR_RNDN);
    mpfr_subnormalize(result, ternary, MPFR_RNDN);
    if (mpfr_nan_p(result))
        return 0x7f;
    int sign = mpfr_signbit(result) ? 0x80 : 0;
    if (mpfr_zero_p(result))
        return (uint8_t)sign;
    if (mpfr_cmpabs(result, values[0x7e]) > 0)
        return (uint8_t)(sign | 0x7e);
    long exponent;
    double m = mpfr_get_d_2exp(&exponent, result, MPFR_RNDN);
    int field = (int)exponent + 6;
    int significand = abs((int)(m * 16));
    return (uint8_t)(sign |
                     (field < 1 ? significand >> (1 - field) : (field << 3) | (significand & 7)));
}

static void encode(const bench_work *w)
{
    const float *x = (const float *)(const void *)w->src[0];
    begin();
    for (size_t i = 0; i < w->n; i++)
        w->dst[i] = code(mpfr_set_flt(result, x[i], MPFR_RNDN));
}

static void add(const bench_work *w)
{
    begin();
    for (size_t i = 0; i < w->n; i++)
        w->dst[i] = code(mpfr_add(result, values[w->src[0][i]], values[w->src[1][i]], MPFR_RNDN));
}

static void mul(const bench_work *w)
{
    begin();
    for (size_t i = 0; i < w->n; i++)
        w->dst[i] = code(mpfr_mul(result, values[w->src[0][i]], values[w->src[1][i]], MPFR_RNDN));
}

static void fused(const bench_work *w)
{
    begin();
    for (size_t i = 0; i < w->n; i++)
        w->dst[i] = code(mpfr_fma(result, values[w->src[0][i]], values[w->src[1][i]],
                                  values[w->src[2][i]], MPFR_RNDN));
}

#else

#define MISSING "MPFR was not found when configuring"

static void encode(const bench_work *w)
{
    (void)w;
}
#define add encode
#define mul encode
#define fused encode

#endif

const bench_operation bench_mpfr_encode = {1, encode, bench_convert_right, NULL, 1, MISSING};
const bench_operation bench_mpfr_add = {2, add, bench_add_right, NULL, 1, MISSING};
const bench_operation bench_mpfr_mul = {2, mul, bench_mul_right, NULL, 1, MISSING};
const bench_operation bench_mpfr_fma = {3, fused, bench_fma_right, NULL, 1, MISSING};
