/* SPDX-License-Identifier: MIT */
/* causes.c -- what can be wrong with a converter, a row each: fields of a policy, and mistakes
 *
 * A row has all that the search, the command and the libraries need: its name and value, how
 * far-fetched it is, and what it says; of a mistake also when it can be made, and the function that
 * makes it. A new row needs no other edit.
 */
#include "diagnose/policy/operand.h"

#include <string.h>

/* ---- when a mistake can be made -------------------------------------------------------------- */

/* Facts about the formats and about what was seen. Without a zero, or with too many bits, a format
 * has no rows of the models that are wider: NARROW has. */
enum {
    HAS_ZERO = 1,
    NARROW = 1 << 1,
    NEG_ZERO = 1 << 2,
    NAN_FOR_NEG_ZERO = 1 << 3,
    FROM_INF = 1 << 4,
    IEEE_NAN = 1 << 5,
    SIGNS = 1 << 6,
    WRAPS = 1 << 7,
    SAW_OVER = 1 << 8,
    SAW_INF = 1 << 9,
    SAW_NAN = 1 << 10,
    SAW_ZERO = 1 << 11,
    SINKS = 1 << 12,
    POWERS = 1 << 13
};

unsigned identify_facts_of(const identify_seen *seen, sf8_format from, sf8_format to)
{
    enum { TABLE_BITS = 20 };
    const struct {
        unsigned fact;
        int holds;
    } facts[] = {
        {HAS_ZERO, to.has_zero},
        {NARROW, sf8_format_bits(to) <= TABLE_BITS},
        {NEG_ZERO, sf8_format_has_neg_zero(to)},
        {NAN_FOR_NEG_ZERO, to.nan == SF8_NANS_NEG_ZERO},
        {FROM_INF, from.has_inf},
        {IEEE_NAN, to.nan == SF8_NANS_IEEE},
        {SIGNS, to.is_signed && from.is_signed},
        {WRAPS, seen->wraps},
        {SAW_OVER, seen->has[IDENTIFY_SEEN_OVER]},
        {SAW_INF, seen->has[IDENTIFY_SEEN_INF]},
        {SAW_NAN, seen->has[IDENTIFY_SEEN_NAN]},
        {SAW_ZERO, seen->has[IDENTIFY_SEEN_ZERO]},
        {SINKS, seen->sinks},
        {POWERS, to.man_bits == 0},
    };
    unsigned all = 0;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        all |= facts[i].holds ? facts[i].fact : 0;
    return all;
}

/* ---- what a mistake does --------------------------------------------------------------------- */

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

/* ---- the rows -------------------------------------------------------------------------------- */

/* What is often wrong is thought of first. Between a field and a mistake lies another policy,
 * IDENTIFY_COST_POLICY. What depends on a code that was seen comes last. */
enum { COST_OFTEN = 4, COST_FIELD = 8, COST_MISTAKE = 12, COST_SEEN = 24 };

/* The roundings that a mistake makes sense with. */
#define NEAREST_BIT(mode, name, nearest) | (uint32_t)(nearest) << (mode)
enum {
    ANY = 0xff,
    NEAREST = 0 SF8_ROUNDINGS(NEAREST_BIT),
    DIRECTED = ANY & ~NEAREST,
    RNE = 1 << SF8_RNE
};

/* A value of a field; one that is often wrong; one that is no change of a set's policy; and one
 * that changes flags alone. */
#define FIELD(field, set_to, says)                                                                 \
    {                                                                                              \
        .name = field, .value = set_to, .cost = COST_FIELD, .words = says                          \
    }
#define OFTEN(field, set_to, says)                                                                 \
    {                                                                                              \
        .name = field, .value = set_to, .cost = COST_OFTEN, .words = says                          \
    }
#define CASE(field, set_to, says)                                                                  \
    {                                                                                              \
        .name = field, .value = set_to, .cost = COST_FIELD, .words = says, .of = IDENTIFY_OF_CASE  \
    }
#define FLAGS(field, set_to, says)                                                                 \
    {                                                                                              \
        .name = field, .value = set_to, .cost = COST_FIELD, .words = says, .of = IDENTIFY_OF_FLAGS \
    }
/* A mistake; and one that gives a code that was seen, which the words end with. */
#define MAKES(called, of_group, price, with, needs, says)                                          \
    .name = #called, .value = "", .cost = price, .words = says,                                    \
    .group = IDENTIFY_GROUP_##of_group, .rounds = with, .when = needs, .apply = called
#define MISTAKE(called, of_group, with, needs, says)                                               \
    {                                                                                              \
        MAKES(called, of_group, COST_MISTAKE, with, needs, says)                                   \
    }
#define SEEN(called, of_group, needs, says)                                                        \
    {                                                                                              \
        MAKES(called, of_group, COST_SEEN, ANY, SAW_##needs, says), .seen = IDENTIFY_SEEN_##needs  \
    }

/* clang-format off */
static const identify_cause rows[] = {
    FIELD("overflow", "max", "a finite overflow gives the largest finite number"),
    FIELD("overflow", "special", "a finite overflow gives infinity, or NaN where there is none"),
    FIELD("overflow", "inf",
          "a finite overflow gives infinity, or the largest finite number where there is none"),
    FIELD("overflow", "zero",
          "a finite overflow gives infinity, NaN, or zero where there is neither"),
    FIELD("inf", "max", "infinity gives the largest finite number"),
    FIELD("inf", "special", "infinity stays, or gives NaN where there is none"),
    FIELD("inf", "inf", "infinity stays, or gives the largest finite number where there is none"),
    FIELD("inf", "zero", "infinity stays, or gives NaN, or zero where there is neither"),
    FIELD("nan", "kept", "NaN gives NaN"),
    FIELD("nan", "as-missing", "NaN gives a number"),
    FIELD("nan_code", "quiet", "NaN has the quiet bit alone"),
    FIELD("nan_code", "ones", "NaN has every mantissa bit set"),
    FIELD("nan_code", "payload", "NaN keeps its leading mantissa bits"),
    FIELD("nan_code", "signaling", "NaN has the last mantissa bit alone"),
    FIELD("nan_code", "bits",
          "NaN keeps its leading mantissa bits; if all are 0 it becomes infinity"),
    OFTEN("nan_sign", "positive", "NaN loses its sign"),
    FIELD("nan_sign", "signed", "NaN keeps its sign"),
    FIELD("nan_sign", "sign-bit", "NaN keeps its sign bit"),
    FIELD("made_nan_sign", "positive", "a NaN made from an overflow or an infinity has no sign"),
    FIELD("made_nan_sign", "signed", "a NaN made from an overflow or an infinity has its sign"),
    FIELD("missing_nan", "max", "NaN gives the largest finite number"),
    FIELD("missing_nan", "signed-max", "NaN gives the largest finite number, with its sign"),
    FIELD("missing_nan", "zero", "NaN gives +0"),
    FIELD("missing_nan", "signed-zero", "NaN gives zero, with its sign"),
    FIELD("missing_nan", "opposite-zero", "NaN gives zero, with the other sign"),
    FIELD("missing_nan", "inf",
          "NaN gives infinity, or the largest finite number where there is none"),
    FIELD("missing_nan", "neg-zero", "NaN gives -0"),
    FIELD("negative", "clamp", "a negative value gives 0"),
    FIELD("negative", "abs", "a negative value loses its sign"),
    FIELD("negative", "nan", "a negative value gives NaN, but 0 where it is rounded toward zero"),
    FIELD("negative", "nan-all", "a negative value gives NaN"),
    FIELD("missing_zero", "min", "zero gives the smallest number"),
    FIELD("missing_zero", "nan", "zero, and what rounds to it, gives NaN"),
    FIELD("missing_zero", "nan-exact", "an exact zero gives NaN"),
    FIELD("missing_zero", "nan-below", "zero, and all below the smallest number, gives NaN"),
    FIELD("tie_p1", "code", "ties go to the even code"),
    FIELD("tie_p1", "away", "ties go away from zero"),
    FIELD("odd", "neighbour", "rounding to odd goes beyond the largest finite number"),
    FIELD("odd", "bounded", "rounding to odd stays at the largest finite number"),
    FIELD("overflow_test", "rounded", "overflow is tested after rounding"),
    OFTEN("overflow_test", "exact", "overflow is tested before rounding"),
    FIELD("overflow_test", "exponent",
          "every number with the largest exponent counts as an overflow"),
    FIELD("flush", "none", "subnormal numbers are not flushed"),
    OFTEN("flush", "inputs", "subnormal operands are flushed to zero"),
    OFTEN("flush", "outputs", "subnormal results are flushed to zero"),
    FIELD("flush", "both", "subnormal operands and results are flushed to zero"),
    FLAGS("tininess", "after", "underflow is detected after rounding"),
    FLAGS("tininess", "before", "underflow is detected before rounding"),
    FLAGS("quiet", "no", "a NaN of up to 8 bits is signaling if its quiet bit is 0"),
    FLAGS("quiet", "yes", "every NaN of up to 8 bits is quiet"),
    FLAGS("inf_flags", "invalid", "an infinity that becomes NaN or a number raises invalid"),
    FLAGS("inf_flags", "none", "an infinity that becomes NaN or a number raises no flag"),
    FLAGS("inf_flags", "inexact", "an infinity that becomes NaN or a number raises inexact"),
    FLAGS("inf_flags", "overflow", "an infinity that becomes NaN or a number raises overflow"),
    FLAGS("nan_flags", "invalid", "a NaN that becomes a number raises invalid"),
    FLAGS("nan_flags", "none", "a NaN that becomes a number raises no flag"),
    FLAGS("nan_flags", "inexact", "a NaN that becomes a number raises inexact"),
    FLAGS("nan_flags", "overflow", "a NaN that becomes a number raises overflow"),
    FIELD("via", "none", "rounds once"),
    FIELD("via", "f32", "rounds twice, first to f32"),
    FIELD("via", "f16", "rounds twice, first to f16"),
    FIELD("via", "bf16", "rounds twice, first to bf16"),
    FIELD("via", "f32-f16", "rounds three times, first to f32, then to f16"),
    FIELD("via", "f16:rz", "truncates to f16 first, then rounds"),
    FIELD("via", "bf16:rz", "truncates to bf16 first, then rounds"),
    FIELD("round_past_max", "overflow", "what is rounded up from the largest number overflows"),
    FIELD("round_past_max", "next",
          "what is rounded up from the largest number gives the next code"),
    FIELD("round_past_max", "nan", "what is rounded up from the largest number gives NaN"),
    FIELD("beyond_max", "overflow", "everything above the largest number overflows"),
    FIELD("beyond_max", "next", "above the largest number the codes count on to the last"),
    FIELD("beyond_max", "max",
          "above the largest number, as far as the exponent field goes, it saturates"),
    FIELD("above_least", "nearest", "between the two smallest numbers the nearer is taken"),
    FIELD("above_least", "up", "between the two smallest numbers the upper one is taken"),
    FIELD("below_normal", "round", "subnormal numbers round up to the smallest normal number"),
    FIELD("below_normal", "stay", "no subnormal number rounds up to the smallest normal number"),
    CASE("round", "rne", "rounds to nearest, ties to even"),
    CASE("round", "rna", "ties go away from zero"),
    CASE("round", "rz", "rounds toward zero"),
    CASE("round", "ru", "rounds toward +infinity"),
    CASE("round", "rd", "rounds toward -infinity"),
    CASE("round", "ro", "rounds to odd"),
    CASE("round", "rnz", "ties go toward zero"),
    CASE("round", "sr", "rounds stochastically"),
    CASE("sr_rule", "a", "stochastic rounding by rule A"),
    CASE("sr_rule", "b", "stochastic rounding by rule B"),
    CASE("sr_rule", "c", "stochastic rounding by rule C"),
    CASE("sr_bits", NULL, "stochastic rounding looks at another number of random bits"),
    CASE("integer", "zero", "NaN gives 0, and what is out of range saturates"),
    CASE("integer", "max", "NaN gives the largest integer"),
    CASE("integer", "indefinite",
         "NaN and what is out of range give the indefinite integer of x86"),
    CASE("integer", "ptx", "NaN gives 0, from f64 or to 64 bits the top bit"),
    CASE("dialect", "ieee", "division by zero and the order of NaN are those of IEEE 754"),
    CASE("dialect", "p3109", "division by zero and the order of NaN are those of IEEE P3109"),
    MISTAKE(no_sticky, TIE, RNE, HAS_ZERO | NARROW,
            "only one bit beyond the last is looked at: more look like ties"),
    MISTAKE(ties_up, TIE, RNE, HAS_ZERO | NARROW, "ties go toward +infinity"),
    MISTAKE(subnormal_cut, TIE, NEAREST, HAS_ZERO | NARROW,
            "subnormal results are truncated, not rounded to nearest"),
    MISTAKE(subnormal_twice, TIE, ANY, HAS_ZERO | NARROW,
            "subnormal results are rounded to all mantissa bits first, and then cut"),
    MISTAKE(carry_lost_first, TIE, ANY, HAS_ZERO | NARROW,
            "all values are rounded to all mantissa bits first, where a carry into the next power "
            "of two is lost; subnormal results are then cut"),
    MISTAKE(log_rounded, TIE, NEAREST, POWERS,
            "the logarithm is rounded: from sqrt(2) times a power of two on it goes up"),
    MISTAKE(flush_early, SUB, ANY, HAS_ZERO | NARROW,
            "values below the smallest normal number are flushed to zero before rounding"),
    MISTAKE(below_least_zero, SUB, ANY, HAS_ZERO | NARROW,
            "values below the smallest number give zero, however they are rounded"),
    MISTAKE(below_half_zero, SUB, DIRECTED, HAS_ZERO | NARROW,
            "values below half of the smallest number give zero, however they are rounded"),
    MISTAKE(subnormal_half, SUB, ANY, HAS_ZERO | NARROW,
            "subnormal results are shifted by one place too many: they are half as large"),
    MISTAKE(subnormal_double, SUB, ANY, HAS_ZERO | NARROW,
            "subnormal results are shifted by one place too few: they are twice as large"),
    MISTAKE(subnormal_double_cut, SUB, ANY, HAS_ZERO | NARROW,
            "subnormal results are shifted by one place too few, and lose their first bit"),
    MISTAKE(exponent_sinks, SUB, ANY, HAS_ZERO | NARROW | SINKS,
            "subnormal results are encoded like normal numbers: the exponent wraps around below 0"),
    MISTAKE(exponent_sinks_or, SUB, ANY, HAS_ZERO | NARROW | SINKS,
            "subnormal results are encoded like normal numbers: an exponent below 0 runs into the "
            "sign"),
    MISTAKE(exponent_unsigned, SUB, ANY, HAS_ZERO | NARROW | SINKS,
            "an exponent below 0 is taken for a large one: small values give the largest number"),
    MISTAKE(top_saturates, CARRY, ANY, HAS_ZERO | NARROW,
            "every number with the largest exponent gives the largest number"),
    MISTAKE(top_saturates_rounded, CARRY, ANY, HAS_ZERO | NARROW,
            "whatever is rounded to the largest exponent gives the largest number"),
    MISTAKE(carry_stuck, CARRY, ANY, HAS_ZERO | NARROW,
            "a carry into the next power of two is dropped: the mantissa keeps its ones"),
    MISTAKE(carry_lost, CARRY, ANY, HAS_ZERO | NARROW,
            "a carry into the next power of two is lost: the result is half as large"),
    MISTAKE(zero_unsigned, ZERO, ANY, NEG_ZERO, "the sign of zero is dropped"),
    MISTAKE(exact_zero_unsigned, ZERO, ANY, NEG_ZERO,
            "the sign of an operand -0 is dropped"),
    MISTAKE(small_unsigned, ZERO, ANY, NEG_ZERO,
            "negative values that round to zero give +0"),
    MISTAKE(zero_signed, ZERO, ANY, NAN_FOR_NEG_ZERO,
            "a negative zero gives the code of -0, which is NaN here"),
    MISTAKE(exact_zero_signed, ZERO, ANY, NAN_FOR_NEG_ZERO,
            "the operand -0 gives the code of -0, which is NaN here"),
    MISTAKE(nan_cut, NAN, ANY, FROM_INF | IEEE_NAN,
            "the mantissa of NaN is cut off: a NaN can become infinity"),
    MISTAKE(nan_as_inf, NAN, ANY, FROM_INF, "NaN is treated as infinity"),
    MISTAKE(nan_as_overflow, NAN, ANY, FROM_INF, "NaN is treated as a value that overflows"),
    MISTAKE(nan_quiet_only, NAN, ANY, FROM_INF,
            "a NaN whose quiet bit is 0 is treated as a value that overflows"),
    MISTAKE(nan_or_one, NAN, ANY, FROM_INF | IEEE_NAN,
            "NaN keeps its leading mantissa bits; if all are 0 the last one is set"),
    MISTAKE(nan_rounded, NAN, NEAREST, FROM_INF,
            "NaN is rounded like a number, and a carry flips its sign"),
    MISTAKE(nan_rounded_bits, NAN, NEAREST, FROM_INF | IEEE_NAN,
            "the bits of NaN are rounded like those of a number: a NaN can become infinity or zero"),
    MISTAKE(nan_quiet_rounded, NAN, NEAREST, FROM_INF | IEEE_NAN,
            "the quiet bit of NaN is set, and its bits are rounded like those of a number"),
    MISTAKE(inf_as_overflow, INF, ANY, FROM_INF,
            "infinity is treated as a finite value that overflows"),
    MISTAKE(max_overflows, OVER, ANY, SAW_OVER,
            "the largest finite value already counts as overflow"),
    {MAKES(over_directed, OVER, COST_OFTEN, DIRECTED, SAW_OVER,
           "overflow gives infinity or NaN in this rounding too, as in rounding to nearest")},
    MISTAKE(wrap, OVER, ANY, WRAPS | NARROW, "overflow is not tested: the exponent wraps around"),
    MISTAKE(wrap_or, OVER, ANY, WRAPS | NARROW,
            "overflow is not tested: the exponent runs into the sign"),
    MISTAKE(carry_wraps, OVER, ANY, HAS_ZERO | NARROW,
            "what is rounded up past the last exponent gives 0: the carry is dropped"),
    MISTAKE(carry_into_sign, OVER, ANY, HAS_ZERO | NARROW | SIGNS,
            "what is rounded up past the last exponent gives 0: the carry changes the sign"),
    MISTAKE(rebias_over, LAST, ANY, FROM_INF | WRAPS | NARROW,
            "infinity, NaN and overflow are not tested: the exponent wraps around"),
    MISTAKE(rebias_only, LAST, ANY, FROM_INF | SINKS | NARROW,
            "nothing is tested, not even zero: the exponent is given another bias and cut"),
    MISTAKE(rebias_low_zero, LAST, ANY, FROM_INF | SINKS | NARROW,
            "only an exponent below 0 is tested, and gives 0; else it is given another bias and "
            "cut"),
    MISTAKE(rebias_low_zero_f32, LAST, ANY, FROM_INF | SINKS | NARROW,
            "of the operand as f32 only an exponent below 0 is tested, and gives 0; else it is "
            "given another bias and cut"),
    MISTAKE(sign_dropped, LAST, ANY, SIGNS, "the sign is dropped"),
    {MAKES(clamp, OVER, COST_SEEN, ANY, SAW_OVER | NARROW, "overflow is clamped to"),
     .seen = IDENTIFY_SEEN_OVER},
    SEEN(over_code, OVER, OVER, "overflow gives"),
    SEEN(inf_code, INF, INF, "infinity gives"),
    SEEN(nan_code, NAN, NAN, "every NaN gives"),
    SEEN(zero_code, ZERO, ZERO, "zero gives"),
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0] };
_Static_assert(ROWS < 256 && (int)IDENTIFY_GROUPS <= 8,
               "a model has a byte for the row of a group");

const identify_cause *identify_cause_at(size_t i)
{
    return i < ROWS ? &rows[i] : NULL;
}

const identify_cause *identify_cause_of(const char *name, const char *value)
{
    size_t i = 0;
    while (i < ROWS && (strcmp(rows[i].name, name) != 0 ||
                        (rows[i].value && strcmp(rows[i].value, value) != 0)))
        i++;
    return identify_cause_at(i);
}

void identify_put_mistake(identify_model *m, const identify_cause *mistake)
{
    m->mistakes |= (uint64_t)(mistake - rows + 1) << 8 * (int)mistake->group;
}
