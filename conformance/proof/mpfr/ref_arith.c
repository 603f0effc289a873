/* SPDX-License-Identifier: MIT */
/* ref_arith.c -- docs/spec/operations.md: the exact results, infinite and invalid ones included
 *
 * MPFR's functions follow IEEE 754 on infinities and signed zeros, so they decide which operations
 * are invalid, which results are infinite, and the sign of a zero. Sums, products and remainders
 * are exact, since the destination is wide enough; that is checked. A division or a root that is
 * not exact is replaced by a number that lies strictly between the same two neighbours of 63 bits.
 * No rounding to 24 bits, and no threshold of 32 random bits, can distinguish the two.
 */
#include "mpfr/ref.h"

#include <stdlib.h>

static void must_be_exact(int ternary)
{
    if (ternary != 0)
        abort();
}

/* x = the result truncated at 63 bits; if that was not exact, plus half a unit. */
static void quotient_or_root(ref_work *w, int op, const ref_operand *a, const ref_operand *b)
{
    int ternary = op == REF_DIV     ? mpfr_div(w->cut, a->value, b->value, MPFR_RNDZ)
                  : op == REF_RECIP ? mpfr_ui_div(w->cut, 1, a->value, MPFR_RNDZ)
                  : op == REF_RSQRT ? mpfr_rec_sqrt(w->cut, a->value, MPFR_RNDZ)
                  : op == REF_HYPOT ? mpfr_hypot(w->cut, a->value, b->value, MPFR_RNDZ)
                                    : mpfr_sqrt(w->cut, a->value, MPFR_RNDZ);
    if (op == REF_RSQRT && mpfr_zero_p(a->value)) /* MPFR gives +inf for -0, too */
        mpfr_setsign(w->cut, w->cut, mpfr_signbit(a->value), MPFR_RNDZ);
    mpfr_set(w->between, w->cut, MPFR_RNDZ);
    if (ternary != 0 && mpfr_signbit(w->cut))
        mpfr_nextbelow(w->between);
    else if (ternary != 0)
        mpfr_nextabove(w->between);
    must_be_exact(mpfr_set(w->x, w->between, MPFR_RNDZ));
}

/* x = the result, a zero with the sign that rounding by `mode` gives it. */
static void apply(ref_work *w, int op, const ref_operand *a, const ref_operand *b,
                  const ref_operand *c, mpfr_rnd_t mode)
{
    switch (op) {
    case REF_ADD:
        must_be_exact(mpfr_add(w->x, a->value, b->value, mode));
        break;
    case REF_SUB:
        must_be_exact(mpfr_sub(w->x, a->value, b->value, mode));
        break;
    case REF_MUL:
        must_be_exact(mpfr_mul(w->x, a->value, b->value, mode));
        break;
    case REF_REM:
        must_be_exact(mpfr_remainder(w->x, a->value, b->value, mode));
        break;
    case REF_FMA:
        must_be_exact(mpfr_fma(w->x, a->value, b->value, c->value, mode));
        break;
    case REF_FAA:
        must_be_exact(mpfr_add(w->x, a->value, b->value, mode));
        must_be_exact(mpfr_add(w->x, w->x, c->value, mode));
        break;
    default:
        quotient_or_root(w, op, a, b);
        break;
    }
}

/* Kind and sign of what is in x; a NaN there is an invalid operation. */
static void settle(ref_work *w)
{
    w->negative = w->negative_rd = mpfr_signbit(w->x) != 0;
    w->flags = 0;
    w->keeps_infinity = 0;
    if (mpfr_nan_p(w->x))
        w->kind = REF_IS_INVALID;
    else if (mpfr_inf_p(w->x))
        w->kind = REF_IS_INFINITE;
    else
        w->kind = mpfr_zero_p(w->x) ? REF_IS_ZERO : REF_IS_NUMBER;
}

static int operands_of(int op)
{
    if (op == REF_FMA || op == REF_FAA)
        return 3;
    return op == REF_SQRT || op == REF_RECIP || op == REF_RSQRT ? 1 : 2;
}

/* A NaN among the operands: the result is NaN; sets the flags that it raises. */
static int nan_operand(ref_work *w, int op, const ref_operand *const o[3])
{
    int nans = 0, signaling = 0;
    for (int i = 0; i < operands_of(op); i++) {
        nans |= mpfr_nan_p(o[i]->value) != 0;
        signaling |= o[i]->signaling;
    }
    if (!nans)
        return 0;
    w->kind = REF_IS_NAN;
    w->flags = signaling ? REF_INVALID : 0;
    if (op == REF_FMA && ((mpfr_inf_p(o[0]->value) && mpfr_zero_p(o[1]->value)) ||
                          (mpfr_zero_p(o[0]->value) && mpfr_inf_p(o[1]->value))))
        w->flags = REF_INVALID;
    return 1;
}

void ref_arithmetic(ref_work *w, int op, const ref_operand *a, const ref_operand *b,
                    const ref_operand *c)
{
    const ref_operand *operands[3] = {a, b, c};
    if (nan_operand(w, op, operands))
        return;
    apply(w, op, a, b, c, MPFR_RNDZ);
    settle(w);
    if (op == REF_DIV && w->kind == REF_IS_INFINITE && mpfr_regular_p(a->value))
        w->kind = REF_IS_QUOTIENT;
    if ((op == REF_RECIP || op == REF_RSQRT) && mpfr_zero_p(a->value))
        w->kind = REF_IS_QUOTIENT;
    if (w->kind == REF_IS_ZERO) {
        apply(w, op, a, b, c, MPFR_RNDD);
        w->negative_rd = mpfr_signbit(w->x) != 0;
    }
}

void ref_convert(ref_work *w, const ref_format *from, const ref_operand *a)
{
    must_be_exact(mpfr_set(w->x, a->value, MPFR_RNDZ));
    settle(w);
    ref_from(w, from);
    if (w->kind == REF_IS_INVALID) {
        w->kind = REF_IS_NAN;
        w->flags = a->signaling ? REF_INVALID : 0;
    }
}

void ref_scalb(ref_work *w, const ref_operand *a, long n)
{
    ref_convert(w, w->f, a);
    must_be_exact(mpfr_mul_2si(w->x, w->x, n, MPFR_RNDZ));
}

void ref_from_signed(ref_work *w, int64_t n)
{
    must_be_exact(mpfr_set_sj(w->x, n, MPFR_RNDZ));
    settle(w);
}

void ref_from_unsigned(ref_work *w, uint64_t n)
{
    must_be_exact(mpfr_set_uj(w->x, n, MPFR_RNDZ));
    settle(w);
}
