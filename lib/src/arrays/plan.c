/* SPDX-License-Identifier: MIT */
/* plan.c -- from a pair of formats and a policy to the few numbers that a kernel needs
 *
 * The codes come from the core. The bounds follow from the formats. The magnitude of a source
 * element grows by one unit of the target's last place with every 2^(difference of mantissa
 * widths), also beyond the target's largest number, and the exponent field says where a power of
 * two is. That is true for normal numbers of the source, so that a plan needs them to reach below
 * the target's range.
 */
#include "arrays/array.h"

#include <string.h>

/* The source's bit pattern for a magnitude of the target, normal or beyond, in units of half its
 * last place. */
SF8_FN int32_t sf8_plan_word(sf8_format to, sf8_format from, int32_t halves)
{
    int32_t rebias = (from.bias - to.bias) * (2 << to.man_bits);
    return (int32_t)((uint32_t)(halves + rebias) << (from.man_bits - to.man_bits - 1));
}

/* The largest magnitude of the source that does not overflow. If a mode rounds toward zero for one
 * sign, an overflow with that sign gives the largest number, like a value that does not
 * overflow. */
SF8_FN int32_t sf8_plan_not_over(sf8_format to, sf8_format from, sf8_policy policy)
{
    int32_t max = (int32_t)sf8_format_max(to);
    int32_t at_max = sf8_plan_word(to, from, 2 * max);
    if (policy.overflow_test)
        return at_max;
    switch (policy.round) {
    case SF8_RNE:
        return sf8_plan_word(to, from, 2 * max + 1) - (max & 1);
    case SF8_RNA:
        return sf8_plan_word(to, from, 2 * max + 1) - 1;
    case SF8_RNZ:
        return sf8_plan_word(to, from, 2 * max + 1);
    case SF8_RO:
        return max & 1 ? sf8_plan_word(to, from, 2 * max + 2) - 1 : at_max;
    default:
        return at_max;
    }
}

SF8_FN uint32_t sf8_plan_negative(sf8_format to, sf8_policy policy, uint32_t inward)
{
    return (uint32_t)sf8_core_negative(to, policy, inward).code;
}

/* The code for a value beyond the range, or for infinity. */
SF8_FN uint32_t sf8_plan_limit(sf8_format to, sf8_policy policy, uint32_t rule, uint32_t sign,
                               uint32_t inward)
{
    if (inward)
        rule = SF8_TO_MAX;
    return (uint32_t)sf8_core_limit(to, policy, rule, sign & to.is_signed);
}

SF8_FN uint32_t sf8_plan_nan(sf8_format to, sf8_format from, sf8_policy policy, uint32_t sign)
{
    uint64_t word = sf8_format_mag_mask(from) | (sign ? sf8_format_sign_bit(from) : 0);
    return (uint32_t)sf8_core_nan(to, policy, sf8_core_nan_of(from, word, policy));
}

SF8_FN sf8_class_codes sf8_plan_class(int32_t above, uint32_t positive, uint32_t negative)
{
    sf8_class_codes c = {above, (int32_t)positive, (int32_t)(positive ^ negative)};
    return c;
}

SF8_FN void sf8_plan_classes(sf8_plan *p, sf8_format to, sf8_format from, sf8_policy policy)
{
    int32_t inf = (int32_t)sf8_format_inf(from);
    uint32_t in_up = sf8_core_rounds_inward(to, policy, 0);
    uint32_t in_down = sf8_core_rounds_inward(to, policy, 1);
    uint32_t over = sf8_plan_limit(to, policy, policy.overflow, 0, in_up);
    uint32_t inf_code = sf8_plan_limit(to, policy, policy.inf, 0, 0);
    uint32_t neg_over, neg_inf;
    if (to.is_signed || policy.negative == SF8_NEG_ABS) {
        neg_over = sf8_plan_limit(to, policy, policy.overflow, 1, in_down);
        neg_inf = sf8_plan_limit(to, policy, policy.inf, 1, 0);
    } else {
        neg_over = sf8_plan_negative(to, policy, policy.round == SF8_RZ || policy.round == SF8_RU);
        neg_inf = sf8_plan_negative(to, policy, 0);
    }
    p->over = sf8_plan_class(sf8_plan_not_over(to, from, policy), over, neg_over);
    p->inf = sf8_plan_class(inf - 1, inf_code, neg_inf);
    p->nan = sf8_plan_class(inf, sf8_plan_nan(to, from, policy, 0),
                            sf8_plan_nan(to, from, policy, 1));
}

/* Returns 1 if the code of a class is its magnitude with the sign, or without. */
SF8_FN int32_t sf8_plan_simple(const sf8_class_codes *c, int32_t sign)
{
    return c->positive < sign && (c->differs == 0 || c->differs == sign);
}

SF8_FN int32_t sf8_plan_same(const sf8_class_codes *a, const sf8_class_codes *b)
{
    return a->positive == b->positive && a->differs == b->differs;
}

/* For a plain plan by rne: whether magnitudes above `special` can be handled by another element, or
 * by the clamp. The code that the clamp gives is `clamped`. A code above the largest number may
 * come from an element like any other. */
SF8_FN void sf8_plan_shorten(sf8_plan *p, sf8_format to, sf8_format from, int32_t clamped,
                             int32_t any_over)
{
    int32_t max = (int32_t)sf8_format_max(to);
    if (p->special_code <= max)
        return;
    p->bare = p->special_sign ? -1 : p->special_code;
    if (p->special_code == max + 1 && (any_over || (clamped == max + 1 && p->special_sign))) {
        p->clamp = sf8_plan_word(to, from, 2 * max + 2);
        p->shortcut = SF8_BY_CLAMP;
    } else if (!any_over && (p->special_sign || clamped != p->special_code)) {
        p->special_word = sf8_plan_word(to, from, 2 * p->special_code);
        p->shortcut = SF8_BY_WORD;
    }
}

/* Tests whether the plan is plain. An overflow that gives the largest magnitude, or the one after
 * it, is a clamp to that; otherwise overflow, infinity and NaN must give the same. It is not plain
 * if the target reaches beyond the source: then an infinity is no overflow. */
SF8_FN void sf8_plan_simplify(sf8_plan *p, sf8_format to, sf8_format from, sf8_policy policy)
{
    int32_t max = (int32_t)sf8_format_max(to), sign = (int32_t)sf8_format_sign_bit(to);
    const sf8_class_codes *special = &p->nan;
    int32_t next = p->over.positive == max + 1, any_over = 0;
    p->plain = 0;
    p->special = p->special_code = p->special_sign = p->special_word = p->bare = 0;
    p->shortcut = SF8_NO_SHORTCUT;
    p->sign = sign;
    p->clamp = sf8_plan_word(to, from, 2 * max);
    p->top = sf8_plan_word(to, from, 2 * max + 2);
    if (policy.overflow_test || !to.is_signed || !p->zero_sign || p->flush_in || p->flush_out ||
        p->over.above > p->inf.above)
        return;
    if ((p->over.positive == max || next) && p->over.differs == sign) {
        p->clamp = next ? p->top : p->clamp;
        if (!sf8_plan_same(&p->inf, &p->over)) {
            if (!sf8_plan_same(&p->inf, &p->nan))
                return;
            special = &p->inf;
        }
    } else {
        if (!sf8_plan_same(&p->over, &p->inf) || !sf8_plan_same(&p->inf, &p->nan))
            return;
        special = &p->over;
        any_over = 1;
    }
    p->special = special->above;
    p->special_code = special->positive;
    p->special_sign = special->differs;
    p->plain = sf8_plan_simple(special, sign);
    if (p->plain && p->round == SF8_RNE)
        sf8_plan_shorten(p, to, from, max + next, any_over);
}

/* Returns 1 if the negative code of a class is the positive one with these bits. */
SF8_FN int32_t sf8_plan_has_sign(const sf8_class_codes *c, int32_t sign)
{
    return (c->positive ^ c->differs) == (c->positive | sign);
}

/* Returns 1 if the negative elements of a class become zero. */
SF8_FN int32_t sf8_plan_is_zero(const sf8_class_codes *c)
{
    return c->positive == c->differs;
}

/* A shortcut by rne for formats without -0. An overflow must give the largest number or the code
 * after it, and what is special a code above the largest number. The word of max has the code max,
 * that of each code after it one more. The NaN of such a format has one code, for both signs. Where
 * the sign of an operand is dropped, an overflow has one code too, so that there is no shortcut. */
SF8_FN void sf8_plan_without_neg_zero(sf8_plan *p, int32_t max, int32_t max_word, int32_t step)
{
    int32_t next = p->over.positive == max + 1;
    const sf8_class_codes *special = sf8_plan_same(&p->inf, &p->over) ? &p->nan : &p->inf;
    if (p->round != SF8_RNE || p->flush_in || p->flush_out || p->zero_code ||
        p->over.above > p->inf.above || (p->over.positive != max && !next) ||
        !sf8_plan_same(special, &p->nan) || special->positive <= max)
        return;
    p->clamp = max_word + (next ? step : 0);
    p->special = special->above;
    p->special_word = max_word + (special->positive - max) * step;
    p->bare = 0;
    if (p->neg_keep == 0 && p->neg_add == 0 && sf8_plan_is_zero(&p->over))
        p->shortcut = SF8_BY_POSITIVE;
    else if (p->neg_keep && sf8_plan_has_sign(&p->over, p->sign) &&
             sf8_plan_has_sign(&p->nan, p->sign))
        p->shortcut = special->positive == max + next ? SF8_BY_CLAMP : SF8_BY_WORD;
}

/* The largest magnitude that becomes the smallest number of e8m0, which is half of `one`, and not
 * the second one, which is `one`. The sign does not matter: negative values have a code of their
 * own. */
SF8_FN int32_t sf8_plan_lower(sf8_policy policy, int32_t one)
{
    int32_t half = one / 2, tie = half + half / 2;
    if (policy.above_least == SF8_ABOVE_UP && sf8_rounds_to_nearest(policy.round))
        return half;
    switch (policy.round) {
    case SF8_RU:
    case SF8_RO:
        return half;
    case SF8_RZ:
    case SF8_RD:
        return one - 1;
    case SF8_RNA:
        return tie - 1;
    default:
        return tie;
    }
}

/* What zero and numbers below the smallest one of e8m0 become, if not that smallest one. It is half
 * of the source's smallest normal number. */
static void sf8_plan_small(sf8_plan *p, sf8_format to, sf8_format from, sf8_policy policy)
{
    int32_t exact = policy.missing_zero == SF8_ZERO_NAN_EXACT;
    if (exact || policy.missing_zero == SF8_ZERO_NAN_BELOW) {
        p->zero_below = exact ? 1 : (int32_t)sf8_format_min_normal(from) / 2;
        p->zero_code = (int32_t)sf8_core_missing_zero(to, policy, 1).code;
    }
    p->lower = sf8_plan_lower(policy, (int32_t)sf8_format_min_normal(from));
}

/* To e8m0 from a format with the same exponents. The source's magnitude is a code of 8 bits and a
 * fraction, unless the rounding decides what a value that is too small becomes. */
static int32_t sf8_plan_powers(sf8_plan *p, sf8_format to, sf8_format from, sf8_policy policy)
{
    int32_t bias = from.bias;
    if (to.exp_bits != 8 || to.bias != bias || from.exp_bits != 8 || bias != 127 ||
        sf8_format_emax(to) > bias || /* without NaN it reaches beyond f32 */
        policy.missing_zero == SF8_ZERO_NAN || policy.overflow_test ||
        policy.flush & SF8_FLUSH_OUTPUTS)
        return 0;
    if (policy.round == SF8_RNE && policy.tie_p1 == SF8_TIE_AWAY)
        policy.round = SF8_RNA;
    memset(p, 0, sizeof *p);
    p->powers = 1;
    p->plain = 0;
    p->round = (int32_t)policy.round;
    p->flush_in = policy.flush & SF8_FLUSH_INPUTS ? (int32_t)sf8_format_min_normal(from) : 0;
    p->keep_sign = (uint32_t)(policy.negative == SF8_NEG_ABS ? sf8_format_mag_mask(from)
                                                             : sf8_format_code_mask(from));
    p->neg_add = (int32_t)sf8_plan_negative(to, policy,
                                            policy.round == SF8_RZ || policy.round == SF8_RU);
    sf8_plan_small(p, to, from, policy);
    sf8_plan_classes(p, to, from, policy);
    int32_t max = (int32_t)sf8_format_max(to), one = (int32_t)sf8_format_min_normal(from);
    sf8_plan_without_neg_zero(p, max, max * one, one);
    return 1;
}

SF8_FN int32_t sf8_plan_of(sf8_plan *p, sf8_format to, sf8_format from, sf8_policy policy)
{
    if (policy.round_past_max || policy.beyond_max || policy.below_normal ||
        policy.overflow_test > SF8_OVERFLOW_TEST_EXACT)
        return 0;
    if (!to.has_zero && policy.round < SF8_SR)
        return sf8_plan_powers(p, to, from, policy);
    p->powers = 0;
    if (policy.round >= SF8_SR || to.man_bits < 1 || to.man_bits > 5 || !to.has_zero ||
        sf8_format_bits(to) > 8 || sf8_format_max(to) < sf8_format_min_normal(to))
        return 0;
    p->man_bits = to.man_bits;
    p->least = sf8_format_emin(to) + from.bias;
    /* The exponents that a kernel forms must exist: those of the target's numbers and of the one
     * after the largest, and from f32 that of a number 2^24 times as large. */
    if (p->least < 1 || (from.bias == 127 && (p->least < 32 || sf8_format_emax(to) > 96)))
        return 0;
    if (policy.nan == SF8_NAN_KEPT && to.nan == SF8_NANS_IEEE &&
        (policy.nan_code == SF8_NAN_PAYLOAD || policy.nan_code == SF8_NAN_BITS))
        return 0;
    p->round = (int32_t)policy.round;
    p->cut = 30 - to.man_bits;
    int32_t drop = !to.is_signed && policy.negative == SF8_NEG_ABS;
    p->keep_sign = (uint32_t)(drop ? sf8_format_mag_mask(from) : sf8_format_code_mask(from));
    p->flush_in = policy.flush & SF8_FLUSH_INPUTS ? (int32_t)sf8_format_min_normal(from) : 0;
    p->flush_out = policy.flush & SF8_FLUSH_OUTPUTS ? (int32_t)sf8_format_min_normal(to) : 0;
    p->zero_sign = sf8_format_has_neg_zero(to);
    p->neg_keep = to.is_signed ? 255 : 0;
    p->neg_add = (int32_t)sf8_format_sign_bit(to);
    p->zero_code = p->zero_below = p->lower = 0;
    if (!to.is_signed) {
        /* a value that rounds to zero is no longer negative, but it is still flushed */
        if (p->flush_out && !drop)
            return 0;
        p->neg_add = (int32_t)sf8_plan_negative(to, policy,
                                                policy.round == SF8_RZ || policy.round == SF8_RU);
    }
    sf8_plan_classes(p, to, from, policy);
    sf8_plan_simplify(p, to, from, policy);
    if (!p->zero_sign && !policy.overflow_test)
        sf8_plan_without_neg_zero(p, (int32_t)sf8_format_max(to), p->clamp,
                                  (int32_t)1 << (from.man_bits - to.man_bits));
    return 1;
}

/* What a random word becomes before it is added to a significand: sf8_core_increment's, for which a
 * rule without a name is A. Returns 0 if there are too many random bits for the bits cut off. */
static int32_t sf8_plan_random(sf8_plan *p, sf8_format to, sf8_policy policy)
{
    int32_t bits = (int32_t)policy.sr_bits;
    p->sr_shift = p->cut - bits;
    if (p->sr_shift < 2 || policy.overflow_test)
        return 0;
    p->far = 31;
    p->sr_mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    p->sr_less = policy.sr_rule == SF8_SR_C;
    p->sr_add = policy.sr_rule == SF8_SR_B || p->sr_less ? (uint32_t)1 << (p->sr_shift - 1) : 0;
    p->over.above = (int32_t)sf8_format_max(to);
    return 1;
}

/* The target's numbers are within the range of f32. */
SF8_PRIVATE int32_t sf8_plan_make_wide(sf8_plan *p, sf8_format to, sf8_policy policy)
{
    const sf8_format from = SF8_F32;
    int32_t least = sf8_format_emin(to) + from.bias;
    if (policy.round_past_max || policy.beyond_max || policy.below_normal ||
        policy.overflow_test > SF8_OVERFLOW_TEST_EXACT || policy.round > SF8_SR || !to.is_signed ||
        !to.has_zero || (sf8_format_bits(to) <= 8 && policy.round != SF8_SR) || to.man_bits < 1 ||
        to.man_bits > 20 || least < 1 || sf8_format_emax(to) > from.bias ||
        sf8_format_max(to) < sf8_format_min_normal(to) || sf8_array_drops_neg_zero(to, policy))
        return 0;
    memset(p, 0, sizeof *p);
    p->round = (int32_t)policy.round;
    p->man_bits = to.man_bits;
    p->least = least;
    p->cut = 30 - to.man_bits;
    p->far = to.man_bits + 2;
    p->flush_in = policy.flush & SF8_FLUSH_INPUTS ? (int32_t)sf8_format_min_normal(from) : 0;
    p->flush_out = policy.flush & SF8_FLUSH_OUTPUTS ? (int32_t)sf8_format_min_normal(to) : 0;
    p->zero_sign = sf8_format_has_neg_zero(to);
    p->neg_add = (int32_t)sf8_format_sign_bit(to);
    p->nan_varies = policy.nan == SF8_NAN_KEPT && to.nan == SF8_NANS_IEEE &&
                    (policy.nan_code == SF8_NAN_PAYLOAD || policy.nan_code == SF8_NAN_BITS);
    sf8_plan_classes(p, to, from, policy);
    return policy.round != SF8_SR || sf8_plan_random(p, to, policy);
}

/* By rne, compiled for the most frequent formats, since a short array takes little more time than
 * its plan. */
static int32_t sf8_plan_usual(sf8_plan *p, sf8_format to, sf8_policy policy)
{
    policy.round = SF8_RNE;
    policy.overflow_test = 0;
    policy.flush = SF8_FLUSH_NONE;
    if (sf8_same_format(to, SF8_E4M3))
        return sf8_plan_of(p, SF8_E4M3, SF8_F32, policy);
    if (sf8_same_format(to, SF8_E5M2))
        return sf8_plan_of(p, SF8_E5M2, SF8_F32, policy);
    if (sf8_same_format(to, SF8_E2M1))
        return sf8_plan_of(p, SF8_E2M1, SF8_F32, policy);
    return sf8_plan_of(p, to, SF8_F32, policy);
}

SF8_PRIVATE int32_t sf8_plan_make(sf8_plan *p, sf8_format to, sf8_format from, sf8_policy policy)
{
    if (!sf8_same_format(from, SF8_F32))
        return sf8_plan_of(p, to, from, policy);
    if (policy.round != SF8_RNE || policy.overflow_test || policy.flush)
        return sf8_plan_of(p, to, SF8_F32, policy);
    return sf8_plan_usual(p, to, policy);
}
