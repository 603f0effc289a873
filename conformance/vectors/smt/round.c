/* SPDX-License-Identifier: MIT */
/* round.c -- the rounding of an exact number, in SMT-LIB
 *
 * The number is sig * 2^exponent. Its leading one is moved to bit K-1 of a register of K bits. Then
 * `shift` low bits are cut off, so that man_bits + 1 remain, or fewer below the smallest normal
 * number. At least two bits are cut off. The register has four more bits, for a carry and for
 * shifts beyond K: with a shift of K + 2 the number is an eighth of the quantum.
 */
#include "softfp8/number/round.h"
#include "vectors/smt/text.h"

#include <stdio.h>

typedef struct rounding {
    smt_text *t;
    const char *name;
    sf8_format to;
    sf8_policy policy;
    int width;     /* of the significand */
    int k;         /* K */
    int wide;      /* of the register */
    int magnitude; /* bits of a signed magnitude that is out of range */
} rounding;

static const char *magnitude(const rounding *r, char text[SMT_CONSTANT], int64_t value)
{
    return smt_constant(text, value, r->magnitude);
}

/* NAME.up: what is added before `shift` bits are cut off; `odd` is the lowest kept bit. */
static void define_up(const rounding *r)
{
    smt_text *t = r->t;
    char zero[SMT_CONSTANT], one[SMT_CONSTANT], arguments[128];
    smt_constant(zero, 0, r->wide);
    smt_constant(one, 1, r->wide);
    snprintf(arguments, sizeof arguments,
             "(sign (_ BitVec 1)) (shift (_ BitVec %d)) (odd (_ BitVec 1))", r->wide);
    smt_define(t, r->name, ".up", arguments, r->wide);
    smt_let(t, "midpoint", "(bvshl %s (bvsub shift %s))", one, one);
    smt_let(t, "all", "(bvsub (bvshl %s shift) %s)", one, one);
    switch (r->policy.round) {
    default:
        if (r->to.man_bits == 0 && r->policy.tie_p1 == SF8_TIE_AWAY)
            smt_result(t, "midpoint");
        else
            smt_result(t, "(bvadd (bvsub midpoint %s) ((_ zero_extend %d) odd))", one, r->wide - 1);
        return;
    case SF8_RNA:
        smt_result(t, "midpoint");
        return;
    case SF8_RZ:
        smt_result(t, "%s", zero);
        return;
    case SF8_RU:
        smt_result(t, "(ite (= sign #b1) %s all)", zero);
        return;
    case SF8_RD:
        smt_result(t, "(ite (= sign #b1) all %s)", zero);
        return;
    case SF8_RO:
        smt_result(t, "(ite (= odd #b1) %s all)", zero);
        return;
    case SF8_RNZ:
        smt_result(t, "(bvsub midpoint %s)", one);
        return;
    }
}

/* e: the exponent of the leading one; norm: the significand with that bit in front. */
static void let_normalised(const rounding *r)
{
    smt_text *t = r->t;
    char emin[SMT_CONSTANT], top[SMT_CONSTANT], all[SMT_CONSTANT];
    smt_constant(emin, sf8_format_emin(r->to), SMT_EXPONENT);
    smt_constant(top, r->width - 1, SMT_EXPONENT);
    smt_print(t, "\n  (let ((zeros ");
    for (int i = r->width - 1; i > 0; i--)
        smt_print(t, "(ite (= ((_ extract %d %d) sig) #b1) %s\n    ", i, i,
                  smt_constant(all, r->width - 1 - i, SMT_EXPONENT));
    smt_print(t, "%s", smt_constant(all, r->width - 1, SMT_EXPONENT));
    for (int i = r->width - 1; i > 0; i--)
        smt_print(t, ")");
    smt_print(t, "))");
    t->open++;
    smt_let(t, "zero", "(= sig (_ bv0 %d))", r->width);
    smt_let(t, "e", "(ite zero %s (bvsub (bvadd exponent %s) zeros))", emin, top);
    /* A shift is a word as wide as what is shifted. */
    int pad = r->wide - r->width, low = r->k - r->width;
    if (r->wide >= SMT_EXPONENT)
        smt_let(t, "places", "((_ zero_extend %d) zeros)", r->wide - SMT_EXPONENT);
    else
        smt_let(t, "places", "((_ extract %d 0) zeros)", r->wide - 1);
    smt_let(t, "norm", "(bvshl (bvshl ((_ zero_extend %d) sig) (_ bv%d %d)) places)", pad, low,
            r->wide);
}

/* base, shift, kept, mag, inexact */
static void let_rounded(const rounding *r)
{
    smt_text *t = r->t;
    int man = r->to.man_bits, more = r->magnitude - SMT_EXPONENT;
    char emin[SMT_CONSTANT], zero[SMT_CONSTANT], most[SMT_CONSTANT], lost[SMT_CONSTANT];
    char resize[64];
    smt_constant(emin, sf8_format_emin(r->to), SMT_EXPONENT);
    smt_constant(zero, 0, SMT_EXPONENT);
    smt_constant(most, man + 3, SMT_EXPONENT);
    smt_let(t, "above", "(ite (bvsge e %s) (bvsub e %s) %s)", emin, emin, zero);
    smt_let(t, "under", "(ite (bvslt e %s) (bvsub %s e) %s)", emin, emin, zero);
    smt_let(t, "below", "(ite (bvugt under %s) %s under)", most, most);
    if (r->wide >= SMT_EXPONENT)
        snprintf(resize, sizeof resize, "(_ zero_extend %d)", r->wide - SMT_EXPONENT);
    else
        snprintf(resize, sizeof resize, "(_ extract %d 0)", r->wide - 1);
    smt_let(t, "shift", "(bvadd (%s below) (_ bv%d %d))", resize, r->k - 1 - man, r->wide);
    smt_let(t, "base", "(bvshl (bvsub ((_ sign_extend %d) above) %s) (_ bv%d %d))", more,
            magnitude(r, lost, !r->to.has_zero), man, r->magnitude);
    if (r->wide > r->magnitude)
        snprintf(resize, sizeof resize, "(_ extract %d 0)", r->magnitude - 1);
    else
        snprintf(resize, sizeof resize, "(_ zero_extend %d)", r->magnitude - r->wide);
    smt_let(t, "kept", "(bvadd base (%s (bvlshr norm shift)))", resize);
    smt_let(t, "up", "(%s.up sign shift ((_ extract 0 0) kept))", r->name);
    smt_let(t, "nearest", "(bvadd base (%s (bvlshr (bvadd norm up) shift)))", resize);
    smt_let(t, "inexact", "(not (= (bvshl (bvlshr norm shift) shift) norm))");
}

/* mag: the magnitude after the fields that change single roundings; over: it is out of range. */
static void let_magnitude(const rounding *r)
{
    smt_text *t = r->t;
    sf8_policy p = r->policy;
    char zero[SMT_CONSTANT], one[SMT_CONSTANT], min[SMT_CONSTANT], max[SMT_CONSTANT];
    magnitude(r, zero, 0);
    magnitude(r, one, 1);
    magnitude(r, min, (int64_t)sf8_format_min_normal(r->to));
    magnitude(r, max, (int64_t)sf8_format_max(r->to));
    if (p.above_least == SF8_ABOVE_UP && !r->to.has_zero && sf8_rounds_to_nearest(p.round))
        smt_let(t, "mag", "(ite (= kept %s) (ite inexact %s %s) nearest)", zero, one, zero);
    else if (p.below_normal == SF8_BELOW_STAY && r->to.has_zero)
        smt_let(t, "mag", "(ite (and (bvslt kept nearest) (= nearest %s)) kept nearest)", min);
    else
        smt_let(t, "mag", "nearest");
    smt_let(t, "beyond", "(bvsgt mag %s)", max);
    if (p.overflow_test == SF8_OVERFLOW_TEST_EXACT)
        smt_let(t, "over", "(or (bvsgt kept %s) (and (= kept %s) inexact))", max, max);
    else if (p.overflow_test == SF8_OVERFLOW_TEST_EXPONENT)
        smt_let(
            t, "over", "(or beyond (bvsge mag %s))",
            magnitude(r, one,
                      (int64_t)(sf8_format_mag_mask(r->to) >> r->to.man_bits << r->to.man_bits)));
    else
        smt_let(t, "over", "beyond");
}

/* tiny, flags, and `own`, the magnitude after subnormal results were flushed */
static void let_flags(const rounding *r)
{
    smt_text *t = r->t;
    sf8_policy p = r->policy;
    char zero[SMT_CONSTANT], none[SMT_CONSTANT], min[SMT_CONSTANT];
    int man = r->to.man_bits;
    smt_constant(none, 0, r->wide);
    smt_let(t, "low", "(and (= above (_ bv0 %d)) (= (bvlshr (bvlshr norm shift) (_ bv%d %d)) %s))",
            SMT_EXPONENT, man, r->wide, none);
    if (p.tininess == SF8_TINY_BEFORE) {
        smt_let(t, "tiny", "low");
    } else {
        smt_let(t, "less", "(bvsub shift (_ bv1 %d))", r->wide);
        if (man)
            smt_let(t, "last", "((_ extract 0 0) (bvlshr norm less))");
        else
            smt_let(t, "last", "#b%d", !r->to.has_zero);
        smt_let(t, "tiny",
                "(and low (= (bvlshr (bvlshr (bvadd norm (%s.up sign less last)) shift) (_ bv%d "
                "%d)) %s))",
                r->name, man, r->wide, none);
    }
    magnitude(r, zero, 0);
    magnitude(r, min, (int64_t)sf8_format_min_normal(r->to));
    if (p.flush & SF8_FLUSH_OUTPUTS)
        smt_let(t, "flushed", "(and (bvsgt mag %s) (bvslt mag %s))", zero, min);
    else
        smt_let(t, "flushed", "false");
    smt_let(t, "own", "(ite flushed %s mag)", zero);
    smt_let(t, "flags",
            "(bvor (ite inexact #b00001 #b00000) (ite over #b00101 #b00000) (ite (and inexact "
            "tiny) #b00010 #b00000) (ite flushed #b00011 #b00000))");
}

/* The code of a magnitude with a sign bit: what smt_let takes. */
static void let_code(const rounding *r, const char *name, const char *sign, const char *mag)
{
    int bits = sf8_format_mag_bits(r->to);
    if (r->to.is_signed)
        smt_let(r->t, name, "(concat %s ((_ extract %d 0) %s))", sign, bits - 1, mag);
    else
        smt_let(r->t, name, "((_ extract %d 0) %s)", bits - 1, mag);
}

/* limit: the code of a number out of range, by the fields overflow and round. */
static void let_limit(const rounding *r)
{
    smt_text *t = r->t;
    sf8_policy p = r->policy;
    int bits = sf8_format_bits(r->to);
    char plus[SMT_CONSTANT], minus[SMT_CONSTANT], most[SMT_CONSTANT], least[SMT_CONSTANT];
    int64_t max = (int64_t)sf8_format_max(r->to), sign = (int64_t)sf8_format_sign_bit(r->to);
    smt_constant(plus, (int64_t)sf8_core_limit(r->to, p, p.overflow, 0), bits);
    smt_constant(minus, (int64_t)sf8_core_limit(r->to, p, p.overflow, r->to.is_signed), bits);
    smt_constant(most, max, bits);
    smt_constant(least, max | sign, bits);
    smt_let(t, "inward", "%s",
            p.round == SF8_RZ                                            ? "true"
            : p.round == SF8_RU                                          ? "(= sign #b1)"
            : p.round == SF8_RD                                          ? "(= sign #b0)"
            : p.round == SF8_RO && p.odd == SF8_ODD_BOUNDED && (max & 1) ? "true"
                                                                         : "false");
    smt_let(t, "limit", "(ite (= sign #b1) (ite inward %s %s) (ite inward %s %s))", least, minus,
            most, plus);
}

/* next: the code that the fields `round_past_max` and `beyond_max` give; counts: whether they
 * decide. */
static void let_next(const rounding *r)
{
    smt_text *t = r->t;
    sf8_policy p = r->policy;
    int bits = sf8_format_bits(r->to);
    int64_t max = (int64_t)sf8_format_max(r->to), sign_bit = (int64_t)sf8_format_sign_bit(r->to);
    char most[SMT_CONSTANT], last[SMT_CONSTANT], plus[SMT_CONSTANT], minus[SMT_CONSTANT];
    magnitude(r, most, max);
    magnitude(r, last, (int64_t)sf8_format_mag_mask(r->to));
    smt_let(t, "fits", "(and over (bvsle mag %s))", last);
    let_code(r, "counted", "sign", "mag");
    const char *at_max = "false", *above_max = "false";
    smt_constant(plus, 0, bits);
    smt_constant(minus, 0, bits);
    if (p.round_past_max == SF8_ROUND_PAST_MAX_NEXT) {
        at_max = "fits";
    } else if (p.round_past_max == SF8_ROUND_PAST_MAX_NAN && r->to.nan != SF8_NANS_NONE) {
        int64_t nan = (int64_t)(sf8_core_made_nan(r->to, p) & sf8_format_mag_mask(r->to));
        int always = r->to.nan == SF8_NANS_NEG_ZERO;
        int taken = p.made_nan_sign == SF8_MADE_SIGNED;
        smt_constant(plus, always ? nan | sign_bit : nan, bits);
        smt_constant(minus, always || taken ? nan | sign_bit : nan, bits);
        at_max = "over";
    }
    if (p.round_past_max == SF8_ROUND_PAST_MAX_NAN)
        smt_let(t, "carried", "(ite (= sign #b1) %s %s)", minus, plus);
    else
        smt_let(t, "carried", "counted");
    if (p.beyond_max == SF8_BEYOND_MAX_NEXT ||
        (p.beyond_max == SF8_BEYOND_MAX_MAX && !r->to.has_inf))
        above_max = "fits";
    smt_constant(plus, max, bits);
    smt_constant(minus, max | sign_bit, bits);
    if (p.beyond_max == SF8_BEYOND_MAX_MAX)
        smt_let(t, "banded", "(ite (= sign #b1) %s %s)", minus, plus);
    else
        smt_let(t, "banded", "counted");
    smt_let(t, "counts", "(ite (= kept %s) %s %s)", most, at_max, above_max);
    smt_let(t, "next", "(ite (= kept %s) carried banded)", most);
}

/* The result for a negative number in an unsigned format, and for one that rounds to a zero that
 * the format lacks. */
static void print_refused(const rounding *r, const char *result)
{
    smt_text *t = r->t;
    sf8_policy p = r->policy;
    char negative[SMT_CONSTANT], exact[SMT_CONSTANT], near[SMT_CONSTANT], zero[SMT_CONSTANT];
    magnitude(r, zero, 0);
    if (r->to.is_signed || p.negative == SF8_NEG_ABS)
        smt_let(t, "refused", "false");
    else if (r->to.has_zero)
        smt_let(t, "refused", "(and (= sign #b1) (bvsgt mag %s))", zero);
    else
        smt_let(t, "refused", "(and (= sign #b1) (not zero))");
    if (r->to.has_zero)
        smt_let(t, "missing", "false");
    else
        smt_let(t, "missing", "(bvslt %s %s)",
                p.missing_zero == SF8_ZERO_NAN_BELOW ? "kept" : "mag", zero);
    if (r->to.is_signed)
        smt_both(negative, r->to, sf8_result_of(0, 0));
    else
        smt_both(negative, r->to,
                 sf8_core_negative(r->to, p, p.round == SF8_RZ || p.round == SF8_RU));
    smt_both(exact, r->to, sf8_core_missing_zero(r->to, p, 1));
    smt_both(near, r->to, sf8_core_missing_zero(r->to, p, 0));
    smt_result(t, "(ite refused %s (ite missing (ite zero %s %s) %s))", negative, exact, near,
               result);
}

void smt_define_round(smt_text *t, const char *name, sf8_format to, sf8_policy policy, int width)
{
    int k = (width > to.man_bits + 1 ? width : to.man_bits + 1) + 2;
    rounding r = {t, name, to, policy, width, k, k + 4, SMT_EXPONENT + to.man_bits + 2};
    char arguments[128];
    define_up(&r);
    snprintf(arguments, sizeof arguments,
             "(minus (_ BitVec 1)) (exponent (_ BitVec %d)) (sig (_ BitVec %d))", SMT_EXPONENT,
             width);
    smt_define(t, name, ".round", arguments, 5 + sf8_format_bits(to));
    smt_let(t, "sign", !to.is_signed && policy.negative == SF8_NEG_ABS ? "#b0" : "minus");
    let_normalised(&r);
    let_rounded(&r);
    let_magnitude(&r);
    let_flags(&r);
    if (to.nan == SF8_NANS_NEG_ZERO)
        smt_let(t, "shown", "(ite (= own (_ bv0 %d)) #b0 sign)", r.magnitude);
    else
        smt_let(t, "shown", "sign");
    let_code(&r, "code", "shown", "own");
    let_limit(&r);
    int counts = (policy.round_past_max || policy.beyond_max) && !policy.overflow_test;
    if (counts)
        let_next(&r);
    const char *beyond = policy.overflow == SF8_TO_MAX ? "(or over beyond)" : "over";
    char result[128];
    snprintf(result, sizeof result, "(concat flags (ite %s %s code))", beyond,
             counts ? "(ite counts next limit)" : "limit");
    print_refused(&r, result);
}
