/* SPDX-License-Identifier: MIT */
/* ref_order.c -- docs/spec/comparisons.md: comparisons, extrema, neighbours, signs; and integers
 */
#include "mpfr/ref.h"

static int is_nan(const ref_operand *a)
{
    return mpfr_nan_p(a->value) != 0;
}

static ref_answer answer(uint64_t code, unsigned flags)
{
    ref_answer a = {code, flags};
    return a;
}

int ref_compare(const ref_operand *a, const ref_operand *b, int signaling, unsigned *flags)
{
    int nan = is_nan(a) || is_nan(b);
    *flags = a->signaling || b->signaling || (nan && signaling) ? REF_INVALID : 0;
    if (nan)
        return REF_UNORDERED;
    int order = mpfr_cmp(a->value, b->value);
    return order < 0 ? REF_LESS : order > 0 ? REF_GREATER : REF_EQUAL;
}

/* Where a NaN lies: -1 below all numbers, 1 above; 0 if it is a number. */
static int nan_side(const ref_format *f, const ref_operand *a)
{
    if (!is_nan(a))
        return 0;
    return f->nans == REF_NANS_NEG_ZERO || a->negative ? -1 : 1;
}

/* NaNs of one sign are ordered by payload, signaling before quiet; the codes have that order. */
int ref_total_order(const ref_format *f, const ref_operand *a, const ref_operand *b)
{
    int side = nan_side(f, a);
    if (side != nan_side(f, b))
        return side < nan_side(f, b);
    if (side != 0)
        return side < 0 ? a->code >= b->code : a->code <= b->code;
    int order = mpfr_cmp(a->value, b->value);
    return order < 0 || (order == 0 && (a->negative || !b->negative));
}

int ref_class(const ref_format *f, const ref_operand *a)
{
    if (is_nan(a))
        return a->signaling ? REF_SIGNALING_NAN : REF_QUIET_NAN;
    int positive;
    if (mpfr_inf_p(a->value))
        positive = REF_POS_INFINITY;
    else if (mpfr_zero_p(a->value))
        positive = REF_POS_ZERO;
    else /* |a| >= 2^emin, in MPFR's convention 0.1 * 2^(emin + 1) */
        positive = mpfr_get_exp(a->value) > f->emin ? REF_POS_NORMAL : REF_POS_SUBNORMAL;
    return a->negative ? REF_NEG_INFINITY + REF_POS_INFINITY - positive : positive;
}

/* Returns 1 if a is before b, with -0 before +0. */
static int precedes(const ref_operand *a, const ref_operand *b)
{
    int order = mpfr_cmp(a->value, b->value);
    return order < 0 || (order == 0 && a->negative && !b->negative);
}

ref_answer ref_extremum(const ref_format *f, const ref_operand *a, const ref_operand *b,
                        int greater, int magnitude, int number)
{
    unsigned flags = a->signaling || b->signaling ? REF_INVALID : 0;
    if (is_nan(a) || is_nan(b)) {
        if (!number || (is_nan(a) && is_nan(b)))
            return ref_nan(f, flags);
        return answer(is_nan(a) ? b->code : a->code, flags);
    }
    int order = magnitude ? mpfr_cmpabs(a->value, b->value) : 0;
    int a_first = order != 0 ? order < 0 : precedes(a, b);
    return answer(a_first != greater ? a->code : b->code, flags);
}

/* next_up(a) is the smallest value above a: a plus less than the smallest quantum, rounded up. */
static ref_answer next_number(ref_work *w, const ref_operand *a, int up, int saturate)
{
    const ref_format *f = w->f;
    int mode = up ? REF_RU : REF_RD;
    mpfr_set_si_2exp(w->t, up ? 1 : -1, f->emin - f->man_bits - 1, MPFR_RNDZ);
    mpfr_add(w->x, a->value, w->t, MPFR_RNDZ);
    w->kind = REF_IS_NUMBER;
    w->negative = mpfr_signbit(w->x) != 0;
    ref_round_in(w, mode);
    if (w->rounded[mode].magnitude > (int64_t)f->max)
        return answer(ref_beyond(f, w->negative, saturate && !f->has_inf), 0);
    return answer(ref_finish(w, mode, saturate).code, 0);
}

ref_answer ref_next(ref_work *w, const ref_operand *a, int up, int saturate)
{
    const ref_format *f = w->f;
    if (is_nan(a))
        return ref_nan(f, a->signaling ? REF_INVALID : 0);
    if (mpfr_inf_p(a->value)) {
        int outward = a->negative != up;
        return answer(outward ? a->code : (a->code - 1), 0);
    }
    if (!up && !f->is_signed && a->code == 0) /* zero, or the smallest number in a format without
                                                 zero */
        return answer(0, 0);
    return next_number(w, a, up, saturate);
}

/* Returns 1 if the operand has no code with the other sign. */
static int has_one_sign(const ref_format *f, const ref_operand *a)
{
    if (is_nan(a))
        return !f->is_signed || f->nans == REF_NANS_NEG_ZERO;
    return mpfr_zero_p(a->value) && !ref_has_neg_zero(f);
}

ref_answer ref_negate(const ref_format *f, const ref_operand *a)
{
    if (has_one_sign(f, a))
        return answer(a->code, 0);
    if (!f->is_signed)
        return answer(0, REF_INVALID);
    return answer(a->code ^ ref_sign_bit(f), 0);
}

static uint64_t with_sign(const ref_format *f, const ref_operand *a, int negative)
{
    if (!f->is_signed || has_one_sign(f, a))
        return a->code;
    return (a->code & f->top) | (negative ? ref_sign_bit(f) : 0);
}

uint64_t ref_abs(const ref_format *f, const ref_operand *a)
{
    return with_sign(f, a, 0);
}

uint64_t ref_copy_sign(const ref_format *f, const ref_operand *a, const ref_operand *b)
{
    int positive_nan = is_nan(b) && f->nans == REF_NANS_NEG_ZERO;
    return with_sign(f, a, b->negative && !positive_nan);
}

/* ---- integers -------------------------------------------------------------------------------- */

/* Bits of the smallest and the largest integer of a type. */
static uint64_t smallest(int width, int is_signed)
{
    return is_signed ? (uint64_t)1 << (width - 1) : 0;
}

static uint64_t largest(int width, int is_signed)
{
    return UINT64_MAX >> (64 - width + is_signed);
}

/* r, an integer, against the number that `bits` and a sign are. */
static int compare_bits(mpfr_srcptr r, uint64_t bits, int negative)
{
    mpfr_t end;
    mpfr_init2(end, 64);
    mpfr_set_uj(end, bits, MPFR_RNDZ);
    mpfr_setsign(end, end, negative, MPFR_RNDZ);
    int order = mpfr_cmp(r, end);
    mpfr_clear(end);
    return order;
}

/* Converts r, an integer, to the type; a is what it was rounded from. */
static ref_answer integer_answer(mpfr_srcptr r, const ref_operand *a, int width, int is_signed,
                                 int exact)
{
    uint64_t low = smallest(width, is_signed), high = largest(width, is_signed);
    if (compare_bits(r, low, 1) < 0)
        return answer(low, REF_INVALID);
    if (compare_bits(r, high, 0) > 0)
        return answer(high, REF_INVALID);
    uint64_t bits = mpfr_signbit(r) ? (uint64_t)mpfr_get_sj(r, MPFR_RNDZ)
                                    : (uint64_t)mpfr_get_uj(r, MPFR_RNDZ);
    int inexact = exact && !mpfr_equal_p(r, a->value);
    return answer(bits & (UINT64_MAX >> (64 - width)), inexact ? REF_INEXACT : 0);
}

ref_answer ref_to_integer(const ref_operand *a, int width, int is_signed, int mode, int exact)
{
    if (is_nan(a))
        return answer(0, REF_INVALID);
    if (mpfr_inf_p(a->value))
        return answer(a->negative ? smallest(width, is_signed) : largest(width, is_signed),
                      REF_INVALID);
    mpfr_t r;
    mpfr_init2(r, 64); /* the integers next to a value of 53 bits have no more than that, if any */
    ref_integral(r, a->value, mode);
    ref_answer result = integer_answer(r, a, width, is_signed, exact);
    mpfr_clear(r);
    return result;
}
