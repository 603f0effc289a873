/* SPDX-License-Identifier: MIT */
/* ref_round.c -- docs/spec/rounding.md: rounding by MPFR, then overflow, missing codes and flags
 *
 * MPFR rounds to p bits in the modes rne, rz, ru, rd with an open exponent range. For the numbers
 * below the smallest normal one emin is then narrowed, and mpfr_check_range and mpfr_subnormalize
 * finish the rounding from the ternary value, without double rounding. There is no emax: overflow
 * is decided here, from the rounded magnitude, since MPFR's would give an infinity that many
 * formats lack. Modes that MPFR does not have are a choice between the neighbours lo and hi, which
 * are its results in rz and away from zero: rna, rnz, ro, and rne with a precision of 1 bit, where
 * MPFR's ties go away from zero and not to the even code.
 */
#include "mpfr/ref.h"

void ref_open(ref_work *w, const ref_format *result)
{
    w->f = result;
    w->tiny_before = 0;
    w->from = NULL;
    w->holds = w->keeps_infinity = 0;
    mpfr_init2(w->x, ref_exact_bits(result));
    mpfr_init2(w->t, ref_exact_bits(result));
    mpfr_init2(w->cut, 63);
    mpfr_init2(w->between, 64);
    mpfr_init2(w->mid, result->man_bits + 2);
    mpfr_init2(w->min_normal, 2);
    mpfr_set_ui_2exp(w->min_normal, 1, result->emin, MPFR_RNDZ);
    for (int mode = 0; mode < REF_MODES; mode++) {
        mpfr_init2(w->r[mode], result->man_bits + 1);
        mpfr_init2(w->free[mode], result->man_bits + 1);
    }
    mpq_init(w->sr_nu);
}

void ref_close(ref_work *w)
{
    mpfr_clears(w->x, w->t, w->cut, w->between, w->mid, w->min_normal, (mpfr_ptr)0);
    for (int mode = 0; mode < REF_MODES; mode++)
        mpfr_clears(w->r[mode], w->free[mode], (mpfr_ptr)0);
    mpq_clear(w->sr_nu);
}

void ref_mpfr_round(mpfr_t r, mpfr_srcptr x, mpfr_rnd_t mode, const ref_format *f, int bounded)
{
    int ternary = mpfr_set(r, x, mode);
    if (!bounded || mpfr_get_exp(r) > f->emin)
        return; /* a normal number has its p bits */
    /* MPFR's emin is the exponent of the smallest number written as 0.1 * 2^emin. The operand is
     * outside of the narrow range, so it is not touched while that holds, and check_range has to
     * come before subnormalize. */
    mpfr_set_emin(f->emin - f->man_bits + 1);
    ternary = mpfr_check_range(r, ternary, mode);
    mpfr_subnormalize(r, ternary, mode);
    mpfr_set_emin(mpfr_get_emin_min());
}

/* -1, 0, 1: x is nearer to lo, halfway, nearer to hi. lo + hi is an odd multiple of the quantum of
 * at most p + 1 bits, so that its half is exact. */
static int nearer(ref_work *w, mpfr_srcptr lo, mpfr_srcptr hi)
{
    mpfr_add(w->mid, lo, hi, MPFR_RNDZ);
    mpfr_div_2ui(w->mid, w->mid, 1, MPFR_RNDZ);
    return mpfr_cmpabs(w->x, w->mid);
}

static int is_odd(const ref_work *w, mpfr_srcptr v, int bounded)
{
    return (int)(ref_magnitude(w->f, v, bounded) & 1);
}

void ref_nearest_even(ref_work *w, mpfr_t r, mpfr_srcptr lo, mpfr_srcptr hi, int bounded)
{
    int side = nearer(w, lo, hi);
    int up = side > 0 || (side == 0 && is_odd(w, lo, bounded));
    mpfr_set(r, up ? hi : lo, MPFR_RNDZ);
}

/* The roundings of x on the grid of the format, or with an unbounded exponent. */
static void round_all(ref_work *w, mpfr_t r[REF_MODES], int bounded)
{
    const ref_format *f = w->f;
    ref_mpfr_round(r[REF_RZ], w->x, MPFR_RNDZ, f, bounded);
    if (mpfr_equal_p(r[REF_RZ], w->x)) {
        for (int mode = 0; mode < REF_MODES; mode++)
            mpfr_set(r[mode], r[REF_RZ], MPFR_RNDZ);
        return;
    }
    ref_mpfr_round(r[REF_RU], w->x, MPFR_RNDU, f, bounded);
    ref_mpfr_round(r[REF_RD], w->x, MPFR_RNDD, f, bounded);
    mpfr_srcptr lo = r[REF_RZ];
    mpfr_srcptr hi = w->negative ? r[REF_RD] : r[REF_RU];
    if (f->man_bits > 0)
        ref_mpfr_round(r[REF_RNE], w->x, MPFR_RNDN, f, bounded);
    else
        ref_nearest_even(w, r[REF_RNE], lo, hi, bounded);
    int side = nearer(w, lo, hi);
    mpfr_set(r[REF_RNA], side >= 0 ? hi : lo, MPFR_RNDZ);
    mpfr_set(r[REF_RNZ], side > 0 ? hi : lo, MPFR_RNDZ);
    mpfr_set(r[REF_RO], is_odd(w, lo, bounded) ? lo : hi, MPFR_RNDZ);
}

static void take(ref_work *w, int mode)
{
    w->rounded[mode].magnitude = ref_magnitude(w->f, w->r[mode], 1);
    w->rounded[mode].inexact = !mpfr_equal_p(w->r[mode], w->x);
}

void ref_round(ref_work *w)
{
    if (w->kind != REF_IS_NUMBER)
        return;
    int below = mpfr_cmpabs(w->x, w->min_normal) < 0;
    round_all(w, w->r, 1);
    for (int mode = 0; mode < REF_MODES; mode++) {
        take(w, mode);
        w->rounded[mode].tiny = below;
    }
    if (!below || w->tiny_before)
        return;
    round_all(w, w->free, 0);
    for (int mode = 0; mode < REF_MODES; mode++)
        w->rounded[mode].tiny = mpfr_cmpabs(w->free[mode], w->min_normal) < 0;
}

void ref_round_in(ref_work *w, int mode)
{
    static const mpfr_rnd_t mpfr_mode[REF_MODES] = {MPFR_RNDN, MPFR_RNDF, MPFR_RNDZ, MPFR_RNDU,
                                                    MPFR_RNDD, MPFR_RNDF, MPFR_RNDF};
    if (w->kind != REF_IS_NUMBER)
        return;
    ref_mpfr_round(w->r[mode], w->x, mpfr_mode[mode], w->f, 1);
    take(w, mode);
    w->rounded[mode].tiny = mpfr_cmpabs(w->x, w->min_normal) < 0;
    if (!w->rounded[mode].tiny || w->tiny_before)
        return;
    ref_mpfr_round(w->free[mode], w->x, mpfr_mode[mode], w->f, 0);
    w->rounded[mode].tiny = mpfr_cmpabs(w->free[mode], w->min_normal) < 0;
}

void ref_integral(mpfr_t r, mpfr_srcptr x, int mode)
{
    switch (mode) {
    case REF_RNE:
        mpfr_rint(r, x, MPFR_RNDN);
        break;
    case REF_RNA:
        mpfr_round(r, x);
        break;
    case REF_RZ:
        mpfr_rint(r, x, MPFR_RNDZ);
        break;
    case REF_RU:
        mpfr_rint(r, x, MPFR_RNDU);
        break;
    case REF_RD:
        mpfr_rint(r, x, MPFR_RNDD);
        break;
    case REF_RNZ: /* away from zero if more than one half is cut off */
        mpfr_frac(r, x, MPFR_RNDZ);
        mpfr_mul_2ui(r, r, 1, MPFR_RNDZ);
        mpfr_rint(r, x, mpfr_cmp_si(r, 1) > 0 || mpfr_cmp_si(r, -1) < 0 ? MPFR_RNDA : MPFR_RNDZ);
        break;
    default: /* the neighbour that is not even: whose half is not an integer */
        mpfr_rint(r, x, MPFR_RNDZ);
        mpfr_div_2ui(r, r, 1, MPFR_RNDZ);
        if (mpfr_integer_p(r) && !mpfr_integer_p(x))
            mpfr_rint(r, x, MPFR_RNDA);
        else
            mpfr_mul_2ui(r, r, 1, MPFR_RNDZ);
        break;
    }
}

void ref_round_integral(ref_work *w, int exact)
{
    if (w->kind != REF_IS_NUMBER)
        return;
    for (int mode = 0; mode < REF_MODES; mode++) {
        ref_integral(w->t, w->x, mode);
        mpfr_set(w->r[mode], w->t, MPFR_RNDZ);
        take(w, mode);
        w->rounded[mode].inexact &= exact;
        w->rounded[mode].tiny = 0;
    }
}

/* ---- wider formats --------------------------------------------------------------------------- */

/* Returns 1 if the value is a value of the format. */
static int holds_value(ref_work *w, mpfr_srcptr v)
{
    const ref_format *f = w->f;
    if (mpfr_zero_p(v))
        return f->has_zero;
    if (mpfr_signbit(v) && !f->is_signed)
        return 0;
    ref_mpfr_round(w->r[REF_RZ], v, MPFR_RNDZ, f, 1);
    return mpfr_equal_p(w->r[REF_RZ], v) && ref_magnitude(f, w->r[REF_RZ], 1) <= (int64_t)f->max;
}

static int same_row(const ref_format *a, const ref_format *b)
{
    return a->exp_bits == b->exp_bits && a->man_bits == b->man_bits &&
           a->is_signed == b->is_signed && a->bias == b->bias && a->nans == b->nans &&
           a->has_inf == b->has_inf && a->has_zero == b->has_zero;
}

/* Returns 1 if the format of the result holds every finite value of `from`. For narrow formats all
 * codes are tried. For others the largest number, the smallest, and the precision decide: all of
 * them have normal numbers. */
static int holds_all(ref_work *w, const ref_format *from)
{
    ref_operand o;
    int holds = w->f->man_bits >= from->man_bits && w->f->is_signed >= from->is_signed;
    if (from->table) {
        for (uint64_t code = 0; code >> from->width == 0; code++)
            if (mpfr_number_p(from->table[code].value) && !holds_value(w, from->table[code].value))
                return 0;
        return 1;
    }
    ref_operand_init(&o);
    for (int i = 0; i < 2; i++) {
        ref_decode(from, i == 0 ? 1 : from->max, &o);
        holds = holds && holds_value(w, o.value);
    }
    ref_operand_clear(&o);
    return holds;
}

void ref_from(ref_work *w, const ref_format *from)
{
    if (w->from != from) {
        w->from = from;
        w->holds = !same_row(from, w->f) && w->f->has_inf && holds_all(w, from);
    }
    w->keeps_infinity = w->holds;
}

/* ---- codes and flags ------------------------------------------------------------------------- */

static uint64_t signed_code(const ref_format *f, int negative, uint64_t magnitude)
{
    return negative ? ref_sign_bit(f) | magnitude : magnitude;
}

static ref_answer answer(uint64_t code, unsigned flags)
{
    ref_answer a = {code, flags};
    return a;
}

ref_answer ref_nan(const ref_format *f, unsigned flags)
{
    switch (f->nans) {
    case REF_NANS_IEEE:
        return answer(f->inf | (uint64_t)1 << (f->man_bits - 1), flags);
    case REF_NANS_TOP:
        return answer(f->top, flags);
    case REF_NANS_NEG_ZERO:
        return answer(ref_sign_bit(f), flags);
    default: /* missing_nan and nan_flags of the policies */
        return answer(f->max, flags | REF_INVALID);
    }
}

/* The result of `special`: infinity; NaN in a format without it; else the largest number. */
static uint64_t special(const ref_format *f, int negative)
{
    if (f->has_inf)
        return signed_code(f, negative, f->inf);
    if (f->nans != REF_NANS_NONE)
        return ref_nan(f, 0).code;
    return signed_code(f, negative, f->max);
}

uint64_t ref_beyond(const ref_format *f, int negative, int saturate)
{
    return saturate ? signed_code(f, negative, f->max) : special(f, negative);
}

static ref_answer infinite(const ref_format *f, int negative, int saturate)
{
    if (negative && !f->is_signed)
        return answer(0, REF_INVALID);
    uint64_t code = ref_beyond(f, negative, saturate);
    return answer(code, f->has_inf && !saturate ? 0 : REF_INVALID);
}

static ref_answer zero(const ref_format *f, int negative, unsigned flags)
{
    if (!f->has_zero)
        return answer(0, REF_UNDERFLOW | REF_INEXACT);
    return answer(signed_code(f, negative && ref_has_neg_zero(f), 0), flags);
}

/* Where only subnormals are finite a result can be tiny and too large at once. */
static ref_answer overflow(const ref_format *f, int negative, ref_rounded r, int mode, int saturate)
{
    int inward = mode == REF_RZ || mode == (negative ? REF_RU : REF_RD);
    unsigned flags = REF_OVERFLOW | REF_INEXACT | (r.tiny ? REF_UNDERFLOW : 0);
    return answer(ref_beyond(f, negative, saturate || inward), flags);
}

static ref_answer number(const ref_format *f, int negative, ref_rounded r, int mode, int saturate)
{
    unsigned flags = r.inexact ? REF_INEXACT : 0;
    if (r.inexact && r.tiny)
        flags |= REF_UNDERFLOW;
    int to_zero = r.magnitude == (f->has_zero ? 0 : -1);
    if (negative && !f->is_signed && !(to_zero && f->has_zero))
        return answer(0, REF_INVALID);
    if (to_zero)
        return zero(f, negative, flags);
    if (r.magnitude > (int64_t)f->max)
        return overflow(f, negative, r, mode, saturate);
    return answer(signed_code(f, negative, (uint64_t)r.magnitude), flags);
}

ref_answer ref_finish(const ref_work *w, int mode, int saturate)
{
    const ref_format *f = w->f;
    switch (w->kind) {
    case REF_IS_NUMBER:
        return number(f, w->negative, w->rounded[mode], mode, saturate);
    case REF_IS_ZERO:
        return zero(f, mode == REF_RD ? w->negative_rd : w->negative, 0);
    case REF_IS_INFINITE:
        return infinite(f, w->negative, saturate && !w->keeps_infinity);
    case REF_IS_QUOTIENT:
        if (w->negative && !f->is_signed)
            return infinite(f, 1, saturate);
        return answer(infinite(f, w->negative, saturate).code, REF_DIVBYZERO);
    case REF_IS_NAN:
        return ref_nan(f, w->flags);
    default:
        return ref_nan(f, REF_INVALID);
    }
}
