/* SPDX-License-Identifier: MIT */
/* operand.c -- what an operand is to a target, and what a policy makes of it */
#include "diagnose/policy/operand.h"

/* ---- what a value is ------------------------------------------------------------------------- */

operand_value operand_value_of(sf8_format from, uint64_t word)
{
    sf8_number x = sf8_core_unpack(from, word & sf8_format_code_mask(from), sf8_policy_default());
    int32_t zeros = x.sig ? sf8_msb64(x.sig & (~x.sig + 1)) : 0;
    operand_value v = {x.sig >> zeros, x.exponent + zeros, 0, x.sign};
    v.top = v.sig ? v.exponent + sf8_msb64(v.sig) : 0;
    return v;
}

int operand_is_tiny(operand_value v, sf8_format to)
{
    return v.sig > 0 && v.top < sf8_format_emin(to);
}

int operand_is_below_least(operand_value v, sf8_format to)
{
    return v.sig > 0 && v.top < sf8_format_emin(to) - to.man_bits;
}

int operand_is_tie(operand_value v, sf8_format to)
{
    int32_t low = v.top > sf8_format_emin(to) ? v.top : sf8_format_emin(to);
    return v.sig > 0 && v.exponent == low - to.man_bits - 1;
}

int operand_is_over(sf8_format from, sf8_format to, uint64_t word, int or_equal)
{
    operand_value v = operand_value_of(from, word);
    uint64_t max = sf8_format_max(to);
    operand_value m = operand_value_of(to, max);
    if (v.sig == 0 || v.top != m.top)
        return v.sig > 0 && v.top > m.top;
    uint64_t a = v.sig << (63 - sf8_msb64(v.sig)), b = m.sig << (63 - sf8_msb64(m.sig));
    return or_equal ? a >= b : a > b;
}

const char *const identify_class_names[IDENTIFY_CLASSES] = {
    "nan",          "infinity",         "zero", "negative", "above-largest", "tie",
    "below-normal", "tie-below-normal", "other"};
const char *const identify_class_phrases[IDENTIFY_CLASSES] = {
    "NaN",
    "infinite",
    "zero",
    "negative",
    "above the largest finite number",
    "ties",
    "below the smallest normal number",
    "ties below the smallest normal number",
    "other values"};

identify_class identify_classify(sf8_format from, sf8_format to, uint64_t word)
{
    word &= sf8_format_code_mask(from);
    if (sf8_is_nan(from, word))
        return IDENTIFY_IS_NAN;
    if (sf8_is_inf(from, word))
        return IDENTIFY_IS_INF;
    operand_value v = operand_value_of(from, word);
    if (v.sig == 0)
        return IDENTIFY_IS_ZERO;
    if (v.sign && !to.is_signed)
        return IDENTIFY_IS_NEGATIVE;
    if (operand_is_over(from, to, word, 0))
        return IDENTIFY_IS_OVER;
    if (operand_is_tie(v, to))
        return operand_is_tiny(v, to) ? IDENTIFY_IS_TINY_TIE : IDENTIFY_IS_TIE;
    return operand_is_tiny(v, to) ? IDENTIFY_IS_TINY : IDENTIFY_IS_OTHER;
}

/* ---- the code -------------------------------------------------------------------------------- */

uint64_t operand_convert(const identify_operand *x, uint64_t word)
{
    return sf8_core_convert(x->to, x->from, word, x->policy, 0).code;
}

uint64_t operand_with_sign(const identify_operand *x, uint64_t magnitude)
{
    return magnitude | (x->sign ? sf8_format_sign_bit(x->from) : 0);
}

static uint64_t convert_to(const identify_operand *x, sf8_format wide, unsigned round)
{
    sf8_policy policy = x->policy;
    policy.round = round & SF8_ROUND_MASK;
    policy.overflow = SF8_TO_MAX;
    policy.overflow_test = 0;
    return sf8_core_convert(wide, x->from, x->word, policy, 0).code;
}

uint64_t operand_wide_magnitude(const identify_operand *x, unsigned round)
{
    sf8_format wide = sf8_format_row(11, x->to.man_bits, x->to.is_signed, SF8_NANS_NONE, 0,
                                     x->to.has_zero, x->to.bias);
    return convert_to(x, wide, round) & sf8_format_mag_mask(wide);
}

sf8_format operand_free_format(sf8_format to)
{
    return sf8_format_row(11, to.man_bits, 1, SF8_NANS_NONE, 0, 1, 1023);
}

uint64_t operand_free_code(const identify_operand *x, unsigned round)
{
    return convert_to(x, operand_free_format(x->to), round);
}
