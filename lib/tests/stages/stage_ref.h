/* SPDX-License-Identifier: MIT */
/* stage_ref.h -- f32 arithmetic and the functions of stages, by MPFR, for the tests of stages */
#ifndef SF8_TEST_STAGE_REF_H
#define SF8_TEST_STAGE_REF_H

#include <mpfr.h>
#include <stdint.h>
#include <string.h>

static inline float ref_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t ref_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* An operation of MPFR on up to three numbers, rounded once to f32, subnormals included. */
typedef int (*ref_op)(mpfr_t y, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t round);

static inline float ref_round(ref_op op, float a, float b, float c, mpfr_rnd_t round)
{
    mpfr_t y, x[3];
    mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
    float in[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        mpfr_init2(x[i], 24);
        mpfr_set_flt(x[i], in[i], MPFR_RNDN);
    }
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    mpfr_init2(y, 24);
    int inexact = op(y, x[0], x[1], x[2], round);
    inexact = mpfr_check_range(y, inexact, round);
    mpfr_subnormalize(y, inexact, round);
    float result = mpfr_get_flt(y, MPFR_RNDN);
    mpfr_set_emin(least);
    mpfr_set_emax(most);
    mpfr_clear(y);
    for (int i = 0; i < 3; i++)
        mpfr_clear(x[i]);
    return result;
}

#define REF_OP(name, call)                                                                         \
    static inline int ref_##name##_op(mpfr_t y, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t round)    \
    {                                                                                              \
        (void)a, (void)b, (void)c;                                                                 \
        return call;                                                                               \
    }

REF_OP(add, mpfr_add(y, a, b, round))
REF_OP(mul, mpfr_mul(y, a, b, round))
REF_OP(div, mpfr_div(y, a, b, round))
REF_OP(fma, mpfr_fma(y, a, b, c, round))
REF_OP(sqrt, mpfr_sqrt(y, a, round))
REF_OP(rsqrt, mpfr_rec_sqrt(y, a, round))
REF_OP(exp, mpfr_exp(y, a, round))
REF_OP(exp2, mpfr_exp2(y, a, round))
REF_OP(tanh, mpfr_tanh(y, a, round))
REF_OP(erf, mpfr_erf(y, a, round))

static inline float ref_add(float a, float b)
{
    return ref_round(ref_add_op, a, b, 0, MPFR_RNDN);
}

static inline float ref_mul(float a, float b)
{
    return ref_round(ref_mul_op, a, b, 0, MPFR_RNDN);
}

static inline float ref_div(float a, float b)
{
    return ref_round(ref_div_op, a, b, 0, MPFR_RNDN);
}

static inline float ref_fma(float a, float b, float c)
{
    return ref_round(ref_fma_op, a, b, c, MPFR_RNDN);
}

static inline float ref_one(ref_op op, float a)
{
    return ref_round(op, a, 0, 0, MPFR_RNDN);
}

/* Rounded to `bits` of significand, from 2^(least - 1) on. */
static inline float ref_to(float x, int bits, int least, mpfr_rnd_t round)
{
    mpfr_t y;
    mpfr_exp_t before = mpfr_get_emin();
    mpfr_init2(y, bits);
    mpfr_set_emin(least);
    int inexact = mpfr_set_flt(y, x, round);
    inexact = mpfr_check_range(y, inexact, round);
    mpfr_subnormalize(y, inexact, round);
    float result = mpfr_get_flt(y, MPFR_RNDN);
    mpfr_set_emin(before);
    mpfr_clear(y);
    return result;
}

static inline float ref_bf16(float x)
{
    return ref_to(x, 8, -132, MPFR_RNDN);
}

/* Of numbers below 65504. */
static inline float ref_f16(float x, mpfr_rnd_t round)
{
    return ref_to(x, 11, -23, round);
}

#endif
