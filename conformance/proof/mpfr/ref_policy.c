/* SPDX-License-Identifier: MIT */
/* ref_policy.c -- the fields of docs/spec/policies.md that ocp and ocp-nosat do not set
 *
 * All of them change the result for a rounded magnitude. They depend on two numbers: the rounded
 * magnitude, and the magnitude of the truncated value (rounded by rz).
 */
#include "mpfr/ref.h"

int ref_fits(const ref_format *source, const ref_format *f)
{
    mpfr_t ours, theirs;
    mpfr_inits2(64, ours, theirs, (mpfr_ptr)0);
    ref_value(f, f->max, ours);
    ref_value(source, source->max, theirs);
    int reaches = mpfr_lessequal_p(theirs, ours);
    mpfr_clears(ours, theirs, (mpfr_ptr)0);
    return reaches && source->man_bits <= f->man_bits &&
           source->emin - source->man_bits >= f->emin - f->man_bits;
}

/* The mantissa of a NaN, moved to another format: the leading bits stay. */
static uint64_t moved_mantissa(const ref_format *f, const ref_format *source, uint64_t code)
{
    uint64_t mantissa = code & (((uint64_t)1 << source->man_bits) - 1);
    int more = f->man_bits - source->man_bits;
    return more >= 0 ? mantissa << more : mantissa >> -more;
}

void ref_first_step(ref_work *w, const ref_format *source, const ref_operand *a, int mode,
                    ref_operand *to)
{
    const ref_format *f = w->f;
    if (mpfr_nan_p(a->value)) {
        uint64_t quiet = (uint64_t)1 << (f->man_bits - 1);
        uint64_t mantissa = source->nans == REF_NANS_IEEE ? moved_mantissa(f, source, a->code) : 0;
        ref_decode(f, (a->negative ? ref_sign_bit(f) : 0) | f->inf | quiet | mantissa, to);
        return;
    }
    ref_convert(w, source, a);
    ref_round(w);
    ref_decode(f, ref_finish(w, mode, 0).code, to);
}

/* The fields about a magnitude that is too large; the flags are those of an overflow. */
static int is_beyond(const ref_format *f, ref_rules r, int64_t cut, int64_t rounded)
{
    int64_t max = (int64_t)f->max, top = (int64_t)f->top;
    if (rounded <= max)
        return 0;
    if (cut == max)
        return (r.round_past_max == REF_ROUND_PAST_MAX_NEXT && rounded <= top) ||
               (r.round_past_max == REF_ROUND_PAST_MAX_NAN && f->nans != REF_NANS_NONE);
    return rounded <= top && (r.beyond_max == REF_BEYOND_MAX_NEXT ||
                              (r.beyond_max == REF_BEYOND_MAX_MAX && !f->has_inf));
}

static ref_answer beyond(const ref_work *w, ref_rules r, int64_t cut, ref_rounded rounded)
{
    const ref_format *f = w->f;
    unsigned flags = REF_OVERFLOW | REF_INEXACT | (rounded.tiny ? REF_UNDERFLOW : 0);
    uint64_t sign = w->negative ? ref_sign_bit(f) : 0;
    ref_answer a = {sign | (uint64_t)rounded.magnitude, flags};
    if (cut == (int64_t)f->max && r.round_past_max == REF_ROUND_PAST_MAX_NAN)
        a.code = ref_nan(f, 0).code; /* a NaN made here is positive in ocp */
    else if (cut > (int64_t)f->max && r.beyond_max == REF_BEYOND_MAX_MAX)
        a.code = sign | f->max;
    return a;
}

ref_answer ref_finish_rules(const ref_work *w, int mode, int saturate, ref_rules r)
{
    const ref_format *f = w->f;
    int nearest = mode == REF_RNE || mode == REF_RNA || mode == REF_RNZ;
    if (w->kind == REF_IS_ZERO && !f->has_zero && r.nan_below)
        return ref_nan(f, REF_INVALID);
    if (w->kind != REF_IS_NUMBER || (w->negative && !f->is_signed))
        return ref_finish(w, mode, saturate);
    int64_t cut = w->rounded[REF_RZ].magnitude, normal = (int64_t)1 << f->man_bits;
    int64_t top_field = (int64_t)(f->top >> f->man_bits);
    ref_work changed = *w; /* for ref_finish, which reads the magnitudes and not the numbers */
    ref_rounded *rounded = &changed.rounded[mode];
    if (r.nan_below && cut < 0)
        return ref_nan(f, REF_INVALID);
    if (r.above_least_up && !f->has_zero && cut == 0 && rounded->inexact && nearest)
        rounded->magnitude = 1;
    if (r.below_normal_stay && f->has_zero && cut < normal && rounded->magnitude == normal)
        rounded->magnitude = cut;
    if (r.early_exponent && rounded->magnitude >> f->man_bits >= top_field)
        rounded->magnitude = (int64_t)f->max + 1;
    if (is_beyond(f, r, cut, rounded->magnitude))
        return beyond(w, r, cut, *rounded);
    return ref_finish(&changed, mode, saturate);
}
