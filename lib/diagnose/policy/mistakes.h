/* SPDX-License-Identifier: MIT */
/* mistakes.h -- what each mistake of a converter does to a code; causes.c alone reads it
 *
 * A function returns 1 if it has decided the code, x->code; else it may have changed the operand or
 * the policy with which the code is computed.
 */
#ifndef SOFTFP8_IDENTIFY_MISTAKES_H
#define SOFTFP8_IDENTIFY_MISTAKES_H

#include "diagnose/policy/operand.h"

static int gives(identify_operand *x, uint64_t code)
{
    x->code = code;
    return 1;
}

static uint64_t sign_of(const identify_operand *x)
{
    return x->sign ? sf8_format_sign_bit(x->to) : 0;
}

static int no_sticky(identify_operand *x)
{
    sf8_format finer = sf8_format_row(11, x->to.man_bits + 1, 1, SF8_NANS_NONE, 0, 1,
                                      1 - sf8_format_emin(x->to));
    sf8_policy truncate = SF8_OCP;
    truncate.round = SF8_RZ;
    x->word = sf8_core_convert(finer, x->from, x->word, truncate, 0).code;
    x->from = finer;
    return 0;
}

/* Beyond the number after the largest a tie is an overflow like any other value. */
static int ties_up(identify_operand *x)
{
    if (operand_is_tie(x->value, x->to) &&
        operand_wide_magnitude(x, SF8_RZ) <= sf8_format_max(x->to))
        x->policy.round = x->sign ? SF8_RZ : SF8_RNA;
    return 0;
}

static int subnormal_cut(identify_operand *x)
{
    if (operand_is_tiny(x->value, x->to))
        x->policy.round = SF8_RZ;
    return 0;
}

/* The operand becomes a number of the free format, whose code this is. */
static void replace(identify_operand *x, uint64_t code)
{
    x->from = operand_free_format(x->to);
    x->word = code;
}

/* Subnormal results are cut next; but up from 0 they are rounded. */
static void cut_tiny(identify_operand *x)
{
    if (operand_is_tiny(x->value, x->to) &&
        (sf8_rounds_to_nearest(x->policy.round) || !operand_is_below_least(x->value, x->to)))
        x->policy.round = SF8_RZ;
}

static int subnormal_twice(identify_operand *x)
{
    if (!operand_is_tiny(x->value, x->to))
        return 0;
    replace(x, operand_free_code(x, x->policy.round));
    cut_tiny(x);
    return 0;
}

static int carry_lost_first(identify_operand *x)
{
    uint64_t one = UINT64_C(1) << x->to.man_bits, code = operand_free_code(x, x->policy.round);
    int fits = operand_wide_magnitude(x, x->policy.round) <= sf8_format_max(x->to);
    int is_carried = code != operand_free_code(x, SF8_RZ) && (code & (one - 1)) == 0;
    replace(x, is_carried && fits ? code - one : code);
    cut_tiny(x);
    return 0;
}

/* The square of a significand that is at least that of 2, of which the top bits say enough. */
static int log_rounded(identify_operand *x)
{
    int top = sf8_msb64(x->value.sig | 1);
    uint64_t s = top > 31 ? x->value.sig >> (top - 31) : x->value.sig << (31 - top);
    x->policy.round = s * s >= UINT64_C(1) << 63 ? SF8_RU : SF8_RD;
    return 0;
}

static int flush_early(identify_operand *x)
{
    return operand_is_tiny(x->value, x->to) &&
           gives(x, operand_convert(x, operand_with_sign(x, 0)));
}

static int below_least_zero(identify_operand *x)
{
    return operand_is_below_least(x->value, x->to) &&
           gives(x, operand_convert(x, operand_with_sign(x, 0)));
}

static int below_half_zero(identify_operand *x)
{
    operand_value twice = x->value;
    twice.top++;
    return operand_is_below_least(twice, x->to) &&
           gives(x, operand_convert(x, operand_with_sign(x, 0)));
}

/* A subnormal result as one of a format with another bias, of which each code is worth half or
 * twice as much. */
static int shifted(identify_operand *x, int by, uint64_t mask)
{
    sf8_format other = x->to;
    other.bias = (other.bias + by) & 0x7fff;
    return operand_is_tiny(x->value, x->to) &&
           gives(x, sf8_core_convert(other, x->from, x->word, x->policy, 0).code &
                        (mask | sf8_format_sign_bit(x->to)));
}

static int subnormal_half(identify_operand *x)
{
    return shifted(x, -1, sf8_format_mag_mask(x->to));
}

static int subnormal_double(identify_operand *x)
{
    return shifted(x, 1, sf8_format_mag_mask(x->to));
}

static int subnormal_double_cut(identify_operand *x)
{
    return shifted(x, 1, sf8_format_min_normal(x->to) - 1);
}

/* Below the smallest normal number the exponent field counts on below 0, and its lowest bits
 * remain. What is below `low` gives zero. */
static int sinks_to(identify_operand *x, uint64_t mask)
{
    if (!operand_is_tiny(x->value, x->to))
        return 0;
    if (x->value.top < x->seen->low)
        return gives(x, operand_convert(x, operand_with_sign(x, 0)));
    uint64_t code = operand_free_code(x, x->policy.round) &
                    sf8_format_mag_mask(operand_free_format(x->to));
    uint64_t less = (uint64_t)(1023 - x->to.bias) << x->to.man_bits;
    uint64_t up = code - less == sf8_format_min_normal(x->to) &&
                  x->policy.below_normal == SF8_BELOW_STAY;
    code = (code - less - up) & mask;
    return gives(x, code ? sign_of(x) | code : operand_convert(x, operand_with_sign(x, 0)));
}

static int exponent_sinks(identify_operand *x)
{
    return sinks_to(x, sf8_format_mag_mask(x->to));
}

static int exponent_sinks_or(identify_operand *x)
{
    return sinks_to(x, sf8_format_code_mask(x->to));
}

/* An exponent below that of subnormal numbers. */
static int exponent_unsigned(identify_operand *x)
{
    return x->value.sig > 0 && x->value.top < sf8_format_emin(x->to) - 1 &&
           gives(x, sign_of(x) | sf8_format_max(x->to));
}

/* The normal power of two that the mantissa is rounded up to, if the format has it; else 0. */
static uint64_t carried(const identify_operand *x)
{
    uint64_t up = operand_wide_magnitude(x, x->policy.round);
    uint64_t mantissa = up & ((UINT64_C(1) << x->to.man_bits) - 1);
    if (mantissa > 0 || up >> x->to.man_bits < 2 || up > sf8_format_max(x->to))
        return 0;
    return operand_wide_magnitude(x, SF8_RZ) < up ? up : 0;
}

static int carry_stuck(identify_operand *x)
{
    uint64_t m = carried(x);
    return m && gives(x, sign_of(x) | (m - 1));
}

static int carry_lost(identify_operand *x)
{
    uint64_t m = carried(x);
    return m && gives(x, sign_of(x) | (m - (UINT64_C(1) << x->to.man_bits)));
}

static int zero_unsigned(identify_operand *x)
{
    return gives(x, 0);
}

static int exact_zero_unsigned(identify_operand *x)
{
    return x->value.sig == 0 && gives(x, 0);
}

static int small_unsigned(identify_operand *x)
{
    return x->value.sig > 0 && gives(x, 0);
}

static int zero_signed(identify_operand *x)
{
    return x->sign && gives(x, sign_of(x));
}

static int exact_zero_signed(identify_operand *x)
{
    return x->value.sig == 0 && zero_signed(x);
}

static int nan_cut(identify_operand *x)
{
    sf8_nan nan = sf8_core_nan_of(x->from, x->word, x->policy);
    return gives(x, sign_of(x) | sf8_format_inf(x->to) | nan.payload >> (64 - x->to.man_bits));
}

static int nan_as_inf(identify_operand *x)
{
    return gives(x, operand_convert(x, operand_with_sign(x, sf8_format_inf(x->from))));
}

static int as_overflow(identify_operand *x)
{
    return gives(x, operand_convert(x, operand_with_sign(x, sf8_format_max(x->from))));
}

static int nan_as_overflow(identify_operand *x)
{
    return as_overflow(x);
}

static int inf_as_overflow(identify_operand *x)
{
    return as_overflow(x);
}

static int nan_quiet_only(identify_operand *x)
{
    return !(x->word >> (x->from.man_bits - 1) & 1) && as_overflow(x);
}

static int nan_or_one(identify_operand *x)
{
    sf8_nan nan = sf8_core_nan_of(x->from, x->word, x->policy);
    uint64_t kept = nan.payload >> (64 - x->to.man_bits);
    return gives(x, sign_of(x) | sf8_format_inf(x->to) | (kept ? kept : 1));
}

/* The word of the source, rounded as an integer to the mantissa bits of the target; with its sign,
 * to which a carry can add. */
static uint64_t rounded_word(const identify_operand *x)
{
    int drop = x->from.man_bits - x->to.man_bits;
    uint64_t word = x->word, half = drop > 0 ? UINT64_C(1) << (drop - 1) : 0;
    if (drop <= 0)
        return word << -drop;
    if (x->policy.round == SF8_RNE)
        word += half - 1 + (word >> drop & 1);
    else if (x->policy.round == SF8_RNA)
        word += half;
    return word >> drop;
}

static int nan_rounded(identify_operand *x)
{
    sf8_format rounded = x->from;
    rounded.man_bits = x->to.man_bits;
    uint64_t flips = (rounded_word(x) & sf8_format_mag_mask(rounded)) < sf8_format_inf(rounded);
    return gives(x, operand_convert(x, x->word ^ (flips ? sf8_format_sign_bit(x->from) : 0)));
}

static int nan_rounded_bits(identify_operand *x)
{
    sf8_format rounded = x->from;
    rounded.man_bits = x->to.man_bits;
    uint64_t top = rounded_word(x) - sf8_format_inf(rounded);
    top -= x->sign ? sf8_format_sign_bit(rounded) : 0;
    return gives(x, (sign_of(x) + sf8_format_inf(x->to) + top) & sf8_format_code_mask(x->to));
}

static int nan_quiet_rounded(identify_operand *x)
{
    x->word |= UINT64_C(1) << (x->from.man_bits - 1);
    return nan_rounded_bits(x);
}

static int max_overflows(identify_operand *x)
{
    return operand_is_over(x->from, x->to, x->word, 1) && as_overflow(x);
}

static int overflows(const identify_operand *x)
{
    return (sf8_core_convert(x->to, x->from, x->word, x->policy, 0).flags & SF8_OVERFLOW) != 0;
}

/* What is rounded overflows as it would in rounding to nearest. */
static int over_directed(identify_operand *x)
{
    identify_operand rounded = *x;
    if (!overflows(x))
        return 0;
    if (x->policy.overflow_test != SF8_OVERFLOW_TEST_EXACT)
        replace(&rounded, operand_free_code(x, x->policy.round));
    rounded.policy.round = SF8_RNE;
    return gives(x, operand_convert(&rounded, rounded.word));
}

/* The number after all that the exponent field has, if the operand is rounded up to it; else 0. */
static uint64_t carried_over(const identify_operand *x)
{
    uint64_t m = operand_wide_magnitude(x, x->policy.round), top = sf8_format_mag_mask(x->to);
    return m > top && operand_wide_magnitude(x, SF8_RZ) <= top ? m : 0;
}

static int carry_wraps(identify_operand *x)
{
    return carried_over(x) && gives(x, sign_of(x));
}

static int carry_into_sign(identify_operand *x)
{
    uint64_t m = carried_over(x);
    return m && gives(x, (sign_of(x) + m) & sf8_format_code_mask(x->to));
}

/* Whether a magnitude has the exponent of the largest number: then it gives that. */
static int saturates(identify_operand *x, unsigned round)
{
    uint64_t max = sf8_format_max(x->to);
    return operand_wide_magnitude(x, round) >> x->to.man_bits == max >> x->to.man_bits &&
           gives(x, sign_of(x) | max);
}

static int top_saturates(identify_operand *x)
{
    return saturates(x, SF8_RZ);
}

static int top_saturates_rounded(identify_operand *x)
{
    return saturates(x, x->policy.round);
}

/* As f32, which most converters take. */
static identify_operand as_f32(const identify_operand *x)
{
    identify_operand wide = *x;
    uint64_t payload = x->word & ((UINT64_C(1) << x->from.man_bits) - 1);
    wide.from = SF8_F32;
    wide.word = sf8_core_convert(SF8_F32, x->from, x->word, SF8_OCP_NOSAT, 0).code;
    if (sf8_is_nan(x->from, x->word) && x->from.man_bits <= SF8_F32.man_bits)
        wide.word = operand_with_sign(&wide, sf8_format_inf(SF8_F32)) |
                    payload << (SF8_F32.man_bits - x->from.man_bits);
    return wide;
}

/* The rounded word with the bias of the target, cut to `mask`; 0 if an exponent below 0 gives that.
 */
static uint64_t rebiased(const identify_operand *source, sf8_format to, uint64_t mask, int low_zero)
{
    sf8_format rounded = source->from;
    rounded.man_bits = to.man_bits;
    uint64_t word = rounded_word(source), m = word & sf8_format_mag_mask(rounded);
    uint64_t less = (uint64_t)(rounded.bias - to.bias) << to.man_bits;
    uint64_t sign = word & sf8_format_sign_bit(rounded) ? sf8_format_sign_bit(to) : 0;
    return low_zero && m < less ? 0 : sign | ((m - less) & mask);
}

static int rebias_only(identify_operand *x)
{
    identify_operand wide = as_f32(x);
    return gives(x, rebiased(&wide, x->to, sf8_format_mag_mask(x->to), 0));
}

static int rebias_over(identify_operand *x)
{
    return (sf8_is_special(x->from, x->word) ||
            operand_wide_magnitude(x, x->policy.round) > sf8_format_max(x->to)) &&
           rebias_only(x);
}

static int rebias_low_zero(identify_operand *x)
{
    return gives(x, rebiased(x, x->to, sf8_format_code_mask(x->to), 1));
}

static int rebias_low_zero_f32(identify_operand *x)
{
    identify_operand wide = as_f32(x);
    return rebias_low_zero(&wide) && gives(x, wide.code);
}

static int wrap_to(identify_operand *x, uint64_t mask)
{
    uint64_t m = operand_wide_magnitude(x, x->policy.round);
    return m > sf8_format_max(x->to) && gives(x, (sign_of(x) | (m & mask)));
}

static int wrap(identify_operand *x)
{
    return wrap_to(x, sf8_format_mag_mask(x->to));
}

static int wrap_or(identify_operand *x)
{
    return wrap_to(x, sf8_format_code_mask(x->to));
}

static int clamp(identify_operand *x)
{
    uint64_t most = x->seen->code[IDENTIFY_SEEN_OVER][0] & sf8_format_mag_mask(x->to);
    uint64_t m = operand_wide_magnitude(x, x->policy.round);
    if (m > most)
        return gives(x, x->seen->code[IDENTIFY_SEEN_OVER][x->sign]);
    return m > sf8_format_max(x->to) && gives(x, sign_of(x) | m);
}

static int over_code(identify_operand *x)
{
    return overflows(x) && gives(x, x->seen->code[IDENTIFY_SEEN_OVER][x->sign]);
}

static int inf_code(identify_operand *x)
{
    return gives(x, x->seen->code[IDENTIFY_SEEN_INF][x->sign]);
}

static int nan_code(identify_operand *x)
{
    return gives(x, x->seen->code[IDENTIFY_SEEN_NAN][x->sign]);
}

static int zero_code(identify_operand *x)
{
    return x->value.sig == 0 && gives(x, x->seen->code[IDENTIFY_SEEN_ZERO][x->sign]);
}

static int sign_dropped(identify_operand *x)
{
    return gives(x, x->code & sf8_format_mag_mask(x->to));
}

#endif
