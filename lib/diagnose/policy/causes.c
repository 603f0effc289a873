/* SPDX-License-Identifier: MIT */
/* causes.c -- what can be wrong with a converter, a row each: fields of a policy, and mistakes
 *
 * A row has all that the search, the command and the libraries need: its name and value, how
 * far-fetched it is, and what it says; of a mistake also when it can be made, and the function that
 * makes it. A new row needs no other edit.
 */
#include "diagnose/policy/mistakes.h"

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
