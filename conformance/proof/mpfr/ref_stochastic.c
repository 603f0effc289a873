/* SPDX-License-Identifier: MIT */
/* ref_stochastic.c -- docs/spec/rounding.md: stochastic rounding, in rational arithmetic
 *
 * nu = (|x| - lo) / (hi - lo) is an mpq, where lo and hi are MPFR's results toward and away from
 * zero. The term to which a rule adds the random number is an integer, computed once for each x.
 */
#include "mpfr/ref.h"

/* nu of x between two numbers of the same sign. */
static void fraction(mpq_t nu, mpfr_srcptr x, mpfr_srcptr lo, mpfr_srcptr hi)
{
    mpq_t gap, low;
    mpq_inits(gap, low, (mpq_ptr)0);
    mpfr_get_q(nu, x);
    mpfr_get_q(low, lo);
    mpfr_get_q(gap, hi);
    mpq_sub(nu, nu, low);
    mpq_sub(gap, gap, low);
    if (mpq_sgn(gap) != 0)
        mpq_div(nu, nu, gap);
    mpq_clears(gap, low, (mpq_ptr)0);
}

/* floor(nu * 2^bits + half / 2) */
static uint64_t scaled_floor(const mpq_t nu, int bits, unsigned half)
{
    mpz_t n, d;
    mpz_inits(n, d, (mpz_ptr)0);
    mpz_mul_2exp(n, mpq_numref(nu), (mp_bitcnt_t)bits + 1);
    mpz_addmul_ui(n, mpq_denref(nu), half);
    mpz_mul_2exp(d, mpq_denref(nu), 1);
    mpz_fdiv_q(n, n, d);
    uint64_t result = mpz_get_ui(n);
    mpz_clears(n, d, (mpz_ptr)0);
    return result;
}

/* rint(nu * 2^bits), ties to even: in a tie floor(nu * 2^bits + 1/2) is one too many if odd. */
static uint64_t scaled_even(const mpq_t nu, int bits)
{
    uint64_t r = scaled_floor(nu, bits, 1);
    mpq_t twice;
    mpq_init(twice);
    mpq_mul_2exp(twice, nu, (mp_bitcnt_t)bits + 1);
    int tie = mpz_cmp_ui(mpq_denref(twice), 1) == 0 && mpz_odd_p(mpq_numref(twice));
    mpq_clear(twice);
    return tie && (r & 1) ? r - 1 : r;
}

static uint64_t term(const mpq_t nu, int rule, int bits)
{
    switch (rule) {
    case 0:
        return scaled_floor(nu, bits, 0);
    case 1:
        return scaled_floor(nu, bits + 1, 0);
    default:
        return scaled_even(nu, bits);
    }
}

static int goes_up(const ref_work *w, uint64_t t, uint32_t word)
{
    uint64_t one = (uint64_t)1 << w->sr_bits;
    uint64_t r = word & (one - 1);
    if (w->sr_rule == 1)
        return t + 2 * r + 1 >= 2 * one;
    return t + r >= one;
}

/* Neighbours on the grid of the format; and with an unbounded exponent, for tininess. */
void ref_sr_round(ref_work *w, int rule, int bits)
{
    w->sr_rule = rule;
    w->sr_bits = bits;
    if (w->kind != REF_IS_NUMBER)
        return;
    mpfr_ptr lo = w->free[0], hi = w->free[1];
    ref_mpfr_round(lo, w->x, MPFR_RNDZ, w->f, 0);
    ref_mpfr_round(hi, w->x, MPFR_RNDA, w->f, 0);
    fraction(w->sr_nu, w->x, lo, hi);
    w->sr_term_free = term(w->sr_nu, rule, bits);
    /* 0: not tiny, 1: tiny if rounded down with an unbounded exponent, 2: tiny in any case */
    w->sr_tiny = (mpfr_cmpabs(lo, w->min_normal) < 0) + (mpfr_cmpabs(hi, w->min_normal) < 0);
    if (w->tiny_before && mpfr_cmpabs(w->x, w->min_normal) < 0)
        w->sr_tiny = 2;

    lo = w->r[0];
    hi = w->r[1];
    ref_mpfr_round(lo, w->x, MPFR_RNDZ, w->f, 1);
    ref_mpfr_round(hi, w->x, MPFR_RNDA, w->f, 1);
    fraction(w->sr_nu, w->x, lo, hi);
    w->sr_term = term(w->sr_nu, rule, bits);
    w->sr_lo = ref_magnitude(w->f, lo, 1);
    w->sr_hi = ref_magnitude(w->f, hi, 1);
    w->rounded[0].inexact = !mpfr_equal_p(lo, hi);
}

/* Neighbouring integers; inexact is not raised. */
void ref_sr_round_integral(ref_work *w, int rule, int bits)
{
    w->sr_rule = rule;
    w->sr_bits = bits;
    if (w->kind != REF_IS_NUMBER)
        return;
    mpfr_rint(w->r[0], w->x, MPFR_RNDZ);
    mpfr_rint(w->r[1], w->x, MPFR_RNDA);
    fraction(w->sr_nu, w->x, w->r[0], w->r[1]);
    w->sr_term = w->sr_term_free = term(w->sr_nu, rule, bits);
    w->sr_lo = ref_magnitude(w->f, w->r[0], 1);
    w->sr_hi = ref_magnitude(w->f, w->r[1], 1);
    w->sr_tiny = 0;
    w->rounded[0].inexact = 0;
}

ref_answer ref_sr_finish(ref_work *w, uint32_t word, int saturate, int *up)
{
    *up = 0;
    if (w->kind == REF_IS_NUMBER) {
        *up = goes_up(w, w->sr_term, word);
        w->rounded[0].magnitude = *up ? w->sr_hi : w->sr_lo;
        w->rounded[0].tiny = w->sr_tiny + !goes_up(w, w->sr_term_free, word) >= 2;
    }
    /* mode 0 is one that does not round toward zero: overflow is left to the policy */
    return ref_finish(w, REF_RNE, saturate);
}

/* The number of random numbers that round up, in the form in which IEEE P3109 gives their
 * probabilities: nu * 2^n rounded down, to nearest with ties up, to nearest with ties to even. */
uint64_t ref_sr_count(const ref_work *w)
{
    switch (w->sr_rule) {
    case 0:
        return scaled_floor(w->sr_nu, w->sr_bits, 0);
    case 1:
        return scaled_floor(w->sr_nu, w->sr_bits, 1);
    default:
        return scaled_even(w->sr_nu, w->sr_bits);
    }
}
