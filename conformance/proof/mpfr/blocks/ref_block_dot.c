/* SPDX-License-Identifier: MIT */
/* ref_block_dot.c -- the reference for products of quantized rows: an exact sum in MPFR
 *
 * 2,500 bits hold any such sum: products of four f32 lie between 2^-596 and 2^512. The last
 * operation, with alpha, is MPFR's own in the precision and range of the result.
 */
#include "mpfr/blocks/ref_block.h"

enum { EXACT = 2500 };

/* Precision, and the exponents of MPFR for the least subnormal and the largest number. */
static const struct {
    const char *name;
    mpfr_prec_t precision;
    mpfr_exp_t least, most;
    int man_bits, bias, bits;
} formats[REF_DOT_FORMATS] = {
    {"f64", 53, -1073, 1024, 52, 1023, 64},
    {"f32", 24, -148, 128, 23, 127, 32},
    {"bf16", 8, -132, 128, 7, 127, 16},
    {"f16", 11, -23, 16, 10, 15, 16},
};

const char *ref_dot_format(int f)
{
    return formats[f].name;
}

static uint64_t encode(int f, mpfr_srcptr r)
{
    uint64_t sign = mpfr_signbit(r) ? UINT64_C(1) << (formats[f].bits - 1) : 0;
    uint64_t inf = (UINT64_C(1) << (formats[f].bits - 1)) - (UINT64_C(1) << formats[f].man_bits);
    if (mpfr_nan_p(r))
        return inf + (UINT64_C(1) << (formats[f].man_bits - 1));
    if (mpfr_inf_p(r))
        return sign | inf;
    if (mpfr_zero_p(r))
        return sign;
    mpfr_t m;
    mpfr_init2(m, EXACT);
    mpfr_abs(m, r, MPFR_RNDZ);
    long e = mpfr_get_exp(m) - 1, lowest = 1 - formats[f].bias;
    long unit = (e < lowest ? lowest : e) - formats[f].man_bits;
    mpfr_mul_2si(m, m, -unit, MPFR_RNDZ);
    uint64_t steps = mpfr_get_uj(m, MPFR_RNDZ);
    mpfr_clear(m);
    uint64_t field = e < lowest ? 0 : (uint64_t)(e - lowest);
    return sign | ((field << formats[f].man_bits) + steps);
}

/* From the bits: a float would come without its subnormal numbers where they are flushed. */
static void widen(mpfr_t v, word a)
{
    unsigned long field = a >> 23 & 255, mantissa = a & 0x7fffffu;
    if (field == 255 && mantissa)
        mpfr_set_nan(v);
    else if (field == 255)
        mpfr_set_inf(v, 1);
    else
        mpfr_set_ui_2exp(v, field ? mantissa | 0x800000u : mantissa,
                         (field ? (long)field : 1) - 150, MPFR_RNDZ);
    mpfr_setsign(v, v, a >> 31 != 0, MPFR_RNDZ);
}

uint64_t ref_dot(int f, mpfr_rnd_t mode, const word (*factors)[4], size_t n, word alpha)
{
    mpfr_t sum, product, factor, result;
    mpfr_inits2(EXACT, sum, product, factor, (mpfr_ptr)0);
    mpfr_init2(result, formats[f].precision);
    mpfr_set_zero(sum, 1);
    for (size_t i = 0; i < n; i++) {
        mpfr_set_ui(product, 1, MPFR_RNDZ);
        for (int k = 0; k < 4; k++) {
            widen(factor, factors[i][k]);
            mpfr_mul(product, product, factor, MPFR_RNDZ);
        }
        mpfr_add(sum, sum, product, MPFR_RNDZ);
    }
    widen(factor, alpha);
    int zero = mpfr_zero_p(sum) || mpfr_zero_p(factor);
    int ternary = mpfr_mul(result, sum, factor, mode);
    mpfr_set_emin(formats[f].least);
    mpfr_set_emax(formats[f].most);
    ternary = mpfr_check_range(result, ternary, mode);
    mpfr_subnormalize(result, ternary, mode);
    ref_start_thread();
    if (zero && mpfr_zero_p(result))
        mpfr_set_zero(result, 1);
    uint64_t code = encode(f, result);
    mpfr_clears(sum, product, factor, result, (mpfr_ptr)0);
    return code;
}
