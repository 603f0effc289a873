/* SPDX-License-Identifier: MIT */
/* rules.c -- the rules of docs/spec that lead from a value to its result, in sentences
 *
 * The order is that in which docs/spec asks: what the operand is, rounding, the sign, zero, range.
 */
#include "explain/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- sentences ------------------------------------------------------------------------------- */

CLI_PRINTF(3, 4)
static void say(answer *a, const char *field, const char *format, ...)
{
    rule *r = &a->rules[a->rule_count++];
    va_list list;
    r->field = field;
    if (field)
        sf8_policy_get(a->q->policy, field, r->value, sizeof r->value);
    va_start(list, format);
    vsnprintf(r->text, sizeof r->text, format, list);
    va_end(list);
}

/* What the result is called: "448", "NaN", "-inf". */
static const char *result_text(const answer *a, char text[NUMBER_TEXT])
{
    return code_text(a->q->to, a->result.code, text);
}

static void code_digits(const answer *a, uint64_t code, char text[20])
{
    *hex_write(text, code, word_digits(sf8_format_bits(a->q->to)), hex_lower) = '\0';
}

/* " and raises invalid": what the rule itself raises. */
static const char *raising(const answer *a, char text[80])
{
    char flags[64];
    snprintf(text, 80, a->result.flags ? " and raises %s" : " and raises no flag",
             flags_text(a->result.flags, flags));
    return text;
}

/* ---- NaN and infinity ------------------------------------------------------------------------ */

/* Where NaN has no code, or is treated so. */
static void say_missing_nan(answer *a, const char *what)
{
    char value[NUMBER_TEXT];
    sf8_format f = a->q->to;
    unsigned to = a->q->policy.missing_nan;
    const char *is = to < SF8_MISSING_ZERO   ? "the largest finite number"
                     : to != SF8_MISSING_INF ? "zero"
                     : f.has_inf             ? "infinity"
                                             : "the largest finite number";
    result_text(a, value);
    if (f.nan != SF8_NANS_NONE)
        say(a, "nan", "%s is treated as if %s had no NaN", what, a->q->to_name);
    if (sf8_is_inf(f, a->result.code))
        say(a, "missing_nan", "it becomes infinity");
    else if (f.nan != SF8_NANS_NONE)
        say(a, "missing_nan", "it becomes %s, %s", is, value);
    else
        say(a, "missing_nan", "%s has no NaN: it becomes %s, %s", a->q->to_name, is, value);
}

static void say_nan_code(answer *a)
{
    static const char *const codes[] = {
        "only the leading mantissa bit is set", "every mantissa bit is set",
        "the operand's leading mantissa bits and the quiet bit",
        "only the last mantissa bit is set", "the operand's leading mantissa bits as they are"};
    sf8_format f = a->q->to;
    if (sf8_is_inf(f, a->result.code))
        say(a, "nan_code", "%s; all are 0: the code of infinity", codes[a->q->policy.nan_code]);
    else if (f.nan == SF8_NANS_IEEE)
        say(a, "nan_code", "%s", codes[a->q->policy.nan_code]);
}

static const char *nan_place(sf8_format f)
{
    return f.nan == SF8_NANS_TOP    ? "all magnitude bits set"
           : f.nan == SF8_NANS_IEEE ? "exponent field all ones"
                                    : "at the code that -0 would have";
}

static void say_nan(answer *a)
{
    sf8_format f = a->q->to;
    if (a->q->from_name && sf8_core_is_signaling(a->operand_format, a->operand, a->q->policy))
        say(a, NULL, "the operand is a signaling NaN: invalid");
    if (f.nan == SF8_NANS_NONE || a->q->policy.nan == SF8_NAN_AS_MISSING) {
        char flags[80];
        say_missing_nan(a, "NaN");
        say(a, "nan_flags", "NaN is lost%s", raising(a, flags));
        return;
    }
    if (sf8_is_nan(f, a->result.code))
        say(a, "nan", "NaN stays NaN, %s", nan_place(f));
    say_nan_code(a);
    if (a->sign && f.is_signed && f.nan != SF8_NANS_NEG_ZERO) {
        int kept = (a->result.code & sf8_format_sign_bit(f)) != 0;
        say(a, "nan_sign", kept ? "it keeps the sign of the operand" : "its sign is dropped");
    }
}

/* Where overflow or inf, as `field` says, led to. */
static void say_limit(answer *a, const char *field, unsigned to, const char *what)
{
    char value[NUMBER_TEXT];
    sf8_format f = a->q->to;
    result_text(a, value);
    if (to == SF8_TO_MAX) {
        say(a, field, "%s gives the largest finite number, %s", what, value);
    } else if (f.has_inf) {
        say(a, field, "%s gives infinity", what);
    } else if (to == SF8_TO_INF) {
        say(a, field, "%s would give infinity, but %s has none: the largest finite number, %s",
            what, a->q->to_name, value);
    } else if (f.nan != SF8_NANS_NONE) {
        say(a, field, "%s gives NaN, as %s has no infinity", what, a->q->to_name);
        if (a->q->policy.nan == SF8_NAN_AS_MISSING)
            say_missing_nan(a, "that NaN");
        else if (a->round_sign && f.is_signed && f.nan != SF8_NANS_NEG_ZERO)
            say(a, "made_nan_sign", "that NaN is %s",
                a->q->policy.made_nan_sign ? "negative, as the value is" : "positive");
    } else {
        say(a, field, "%s, but %s has neither infinity nor NaN: it becomes %s, %s", what,
            a->q->to_name, to == SF8_TO_ZERO ? "zero" : "the largest finite number", value);
    }
}

static void say_negative(answer *a, int finite)
{
    char code[20], flags[80];
    const char *field = "negative";
    code_digits(a, a->result.code, code);
    if (a->q->policy.negative >= SF8_NEG_NAN && sf8_is_nan(a->q->to, a->result.code))
        strcpy(code, "NaN");
    else if (a->q->policy.negative == SF8_NEG_NAN && finite)
        field = "round"; /* rz and ru go toward zero, whatever negative says */
    say(a, field, "%s has no negative numbers: the value becomes %s%s", a->q->to_name, code,
        raising(a, flags));
}

static void say_dropped_sign(answer *a)
{
    if (a->sign && !a->round_sign)
        say(a, "negative", "the sign is dropped, as %s has none", a->q->to_name);
}

static void say_infinite(answer *a)
{
    char flags[80];
    say_dropped_sign(a);
    if (answer_is_negative(a)) {
        say_negative(a, 0);
        return;
    }
    if (a->q->policy.inf == SF8_TO_MAX && sf8_is_inf(a->q->to, a->result.code))
        say(a, NULL, "%s holds every number of the operand's format and keeps infinity",
            a->q->to_name);
    else
        say_limit(a, "inf", a->q->policy.inf, "infinity");
    if (!sf8_is_inf(a->q->to, a->result.code) && !(a->result.flags & SF8_DIVBYZERO))
        say(a, "inf_flags", "infinity is lost%s", raising(a, flags));
}

/* ---- zero ------------------------------------------------------------------------------------ */

static void say_missing_zero(answer *a)
{
    char value[NUMBER_TEXT];
    int kept = a->kind == VALUE_FINITE && a->q->policy.missing_zero == SF8_ZERO_NAN_EXACT;
    if (a->kind == VALUE_FINITE && a->q->policy.missing_zero == SF8_ZERO_NAN_BELOW)
        say(a, "missing_zero", "the value is below the smallest number of %s: NaN", a->q->to_name);
    else if (sf8_is_nan(a->q->to, a->result.code))
        say(a, "missing_zero", "%s has no zero: NaN", a->q->to_name);
    else
        say(a, "missing_zero", "%s has no zero: it becomes the smallest number, %s%s",
            a->q->to_name, result_text(a, value), kept ? ", as the value is not zero itself" : "");
}

static void say_zero(answer *a)
{
    if (a->flushed)
        say(a, "flush", "the subnormal operand is taken as zero");
    if (!a->q->to.has_zero)
        say_missing_zero(a);
    else if (a->sign && !sf8_format_has_neg_zero(a->q->to))
        say(a, NULL, "%s has no -0: the result is 0", a->q->to_name);
    else
        say(a, NULL, "exact: %s has %s", a->q->to_name, a->sign ? "-0" : "0");
}

/* ---- rounding -------------------------------------------------------------------------------- */

/* How the random number decided: the rules a, b, c of docs/spec/rounding.md with both sides. */
static void say_stochastic(answer *a, const char *chosen)
{
    sf8_policy policy = a->q->policy;
    int n = (int)policy.sr_bits;
    uint64_t random = a->q->random & ((UINT64_C(1) << n) - 1);
    char what[64], of[64] = "";
    if (random != a->q->random)
        snprintf(of, sizeof of, ", R = %llx being the low %d bits of %x",
                 (unsigned long long)random, n, (unsigned)a->q->random);
    if (policy.sr_rule == SF8_SR_B) {
        random = 2 * random + 1;
        n++;
    }
    int cut = a->shift - n;
    uint64_t nu = cut > 0 ? a->rest >> cut : a->rest << -cut;
    if (policy.sr_rule == SF8_SR_C && cut > 0) {
        uint64_t half = UINT64_C(1) << (cut - 1), below = a->rest & (2 * half - 1);
        nu += below > half || (below == half && (nu & 1));
    }
    snprintf(what, sizeof what, "%s(nu 2^%d) + %s", policy.sr_rule == SF8_SR_C ? "rint" : "floor",
             n, policy.sr_rule == SF8_SR_B ? "2R+1" : "R");
    say(a, "round", "by rule %c, %s = %llx + %llx %s %llx (hex)%s: rounds %s zero, to %s",
        "abc"[policy.sr_rule], what, (unsigned long long)nu, (unsigned long long)random,
        nu + random >= UINT64_C(1) << n ? ">=" : "<", (unsigned long long)(UINT64_C(1) << n), of,
        a->up ? "away from" : "toward", chosen);
}

/* The even or odd one of the two codes was taken. */
static void say_parity(answer *a, const char *what, const char *chosen)
{
    char code[20];
    if (a->rounded < 0 || a->rounded > (int64_t)sf8_format_max(a->q->to)) {
        say(a, "round", "%s code, which is that of %s", what, chosen);
        return;
    }
    code_digits(a, a->up ? a->hi.code : a->lo.code, code);
    say(a, "round", "%s code: %s = %s", what, code, chosen);
}

static void say_tie(answer *a, const char *chosen)
{
    if (a->q->policy.round == SF8_RNA)
        say(a, "round", "a tie goes away from zero, to %s", chosen);
    else if (a->q->policy.round == SF8_RNZ)
        say(a, "round", "a tie goes toward zero, to %s", chosen);
    else if (a->q->to.man_bits == 0 && a->q->policy.tie_p1 == SF8_TIE_AWAY)
        say(a, "tie_p1", "a tie at one bit of precision goes away from zero, to %s", chosen);
    else
        say_parity(a, "a tie goes to the even", chosen);
}

/* The fields that set a->forced. */
static void say_forced(answer *a)
{
    char lo[NUMBER_TEXT], hi[NUMBER_TEXT];
    number_text(a->lo.value, lo);
    number_text(a->hi.value, hi);
    if (a->up)
        say(a, "above_least", "between the two smallest numbers, %s and %s, the upper one is taken",
            lo, hi);
    else
        say(a, "below_normal",
            "rounding would give %s, the smallest normal number, but values below it stay below "
            "it: %s",
            hi, lo);
}

/* How x came to lo or hi. */
static void say_rounding(answer *a)
{
    char chosen[NUMBER_TEXT + 16];
    number_text(a->up ? a->hi.value : a->lo.value, chosen);
    if (a->rounded > (int64_t)sf8_format_max(a->q->to))
        strcat(chosen, ", which is out of range");
    switch (a->q->policy.round) {
    case SF8_RNE:
    case SF8_RNA:
    case SF8_RNZ:
        if (a->side == 0)
            say_tie(a, chosen);
        else
            say(a, "round", "rounds to the nearer, %s", chosen);
        break;
    case SF8_RZ:
        say(a, "round", "rounds toward zero, to %s", chosen);
        break;
    case SF8_RU:
        say(a, "round", "rounds up, to %s", chosen);
        break;
    case SF8_RD:
        say(a, "round", "rounds down, to %s", chosen);
        break;
    case SF8_RO:
        say_parity(a, "rounds to the odd", chosen);
        break;
    default:
        say_stochastic(a, chosen);
    }
}

/* What `round_past_max` or `beyond_max` makes of a value that is too large; 0 if they leave it to
 * overflow. */
static int say_beyond(answer *a)
{
    char value[NUMBER_TEXT], code[20];
    sf8_policy policy = a->q->policy;
    sf8_format f = a->q->to;
    int carries = a->kept == (int64_t)sf8_format_max(f);
    uint64_t beyond;
    if (policy.overflow_test ||
        !sf8_core_beyond(f, policy, (uint64_t)a->kept, (uint64_t)a->rounded, 0, &beyond))
        return 0;
    result_text(a, value);
    code_digits(a, a->result.code, code);
    if (carries && policy.round_past_max == SF8_ROUND_PAST_MAX_NAN)
        say(a, "round_past_max", "rounding up from the largest finite number gives NaN");
    else if (carries)
        say(a, "round_past_max",
            "rounding up from the largest finite number gives the next code, %s, which is %s", code,
            value);
    else if (policy.beyond_max == SF8_BEYOND_MAX_NEXT)
        say(a, "beyond_max", "above the largest finite number the code counts on: %s, which is %s",
            code, value);
    else
        say(a, "beyond_max",
            "the exponent field can still hold the value: the largest finite number, %s", value);
    return 1;
}

static void say_overflow(answer *a)
{
    char max[NUMBER_TEXT], value[NUMBER_TEXT];
    sf8_format f = a->q->to;
    int64_t largest = (int64_t)sf8_format_max(f);
    number_text(number_of(f, (uint64_t)largest), max);
    if (say_beyond(a))
        return;
    if (a->rounded <= largest && a->q->policy.overflow_test == SF8_OVERFLOW_TEST_EXPONENT)
        say(a, "overflow_test", "a number with the largest exponent counts as an overflow");
    else if (a->rounded <= largest)
        say(a, "overflow_test", "the value is too large: it is compared with %s before rounding",
            max);
    if (!sf8_core_rounds_inward(f, a->q->policy, a->round_sign)) {
        say_limit(a, "overflow", a->q->policy.overflow, "a finite overflow");
        return;
    }
    result_text(a, value);
    if (a->q->policy.round == SF8_RO)
        say(a, "odd", "the code of the largest finite number is odd, so the result stays there: %s",
            value);
    else
        say(a, "round", "rounds toward zero, so not past the largest finite number, %s", value);
}

/* Results below the normal range, and the flag underflow where it is not obvious. */
static void say_small(answer *a)
{
    char least[NUMBER_TEXT];
    sf8_format f = a->q->to;
    int64_t normal = (int64_t)sf8_format_min_normal(f);
    int32_t emin = sf8_format_emin(f);
    number_text(sf8_core_number(0, emin, 1), least);
    if (a->rounded > 0 && a->rounded < normal) {
        int bits = sf8_msb64((uint64_t)a->rounded) + 1, p = f.man_bits + 1;
        say(a, NULL, "subnormal, below %s: %d of %d significant bits", least, bits, p);
        if (a->q->policy.flush & SF8_FLUSH_OUTPUTS)
            say(a, "flush", "the subnormal result becomes zero");
    } else if (a->rounded == 0 && f.has_zero) {
        say(a, NULL, "the result underflows to zero%s",
            a->round_sign && !sf8_format_has_neg_zero(f) ? ", which has no sign here" : "");
    } else if (a->x.exponent < emin && !a->is_exact && a->rounded == normal && normal) {
        say(a, "tininess", "%s",
            a->q->policy.tininess == SF8_TINY_BEFORE
                ? "the value is below the normal range: underflow"
            : a->result.flags & SF8_UNDERFLOW
                ? "rounded to full precision it is below the normal range: underflow"
                : "rounded to full precision it is normal: no underflow");
    }
}

static void say_finite(answer *a)
{
    say_dropped_sign(a);
    if (answer_is_negative(a) && (a->rounded > 0 || !a->q->to.has_zero)) {
        say_negative(a, 1);
        return;
    }
    if (a->kept < 0 && a->q->policy.missing_zero == SF8_ZERO_NAN_BELOW) {
        say_missing_zero(a);
        return;
    }
    if (a->forced)
        say_forced(a);
    else if (a->is_exact)
        say(a, NULL, "exact: %s has the value", a->q->to_name);
    else if (!a->beyond)
        say_rounding(a);
    if (a->rounded < 0)
        say_missing_zero(a);
    else if (a->overflows)
        say_overflow(a);
    else
        say_small(a);
}

/* "f32, then f16" */
static void say_via(answer *a)
{
    static const char *const formats[] = {"", "f32", "f16", "bf16", "f32, then f16",
                                          "f16 toward zero", "bf16 toward zero"};
    const question *q = a->q;
    if (answer_took_via(a)) {
        char value[NUMBER_TEXT];
        say(a, "via", "first converted to %s: %s", formats[q->policy.via],
            code_text(a->operand_format, a->operand, value));
    } else if (q->from_name && a->kind == VALUE_NAN &&
               sf8_core_widens_via(q->to, q->from, q->policy))
        say(a, "via", "converted to f32 by the policy, then to %s", q->to_name);
}

/* An operation without a value: it makes a NaN. */
static void say_invalid(answer *a)
{
    say(a, NULL, "%s: the operation is invalid", a->invalid);
    if (a->q->to.nan == SF8_NANS_NONE || a->q->policy.nan == SF8_NAN_AS_MISSING)
        say_missing_nan(a, "the NaN of an invalid operation");
    else
        say_nan_code(a);
}

/* What an operation does before its exact result is rounded. */
static void say_operation(answer *a)
{
    static const char *const numbers[] = {"first", "second", "third"};
    for (int i = 0; i < 3; i++) {
        if (a->flushed_operands >> i & 1)
            say(a, "flush", "the %s operand is subnormal and is taken as zero", numbers[i]);
    }
    if (a->note)
        say(a, a->note_field, "%s", a->note);
}

/* A division by zero in the P3109 dialect. */
static int is_nan_by_dialect(const answer *a)
{
    return a->q->policy.dialect == SF8_DIALECT_P3109 && a->result.flags & SF8_DIVBYZERO;
}

void find_rules(answer *a)
{
    say_via(a);
    say_operation(a);
    if (a->invalid)
        say_invalid(a);
    else if (is_nan_by_dialect(a))
        say(a, "dialect", "a division by zero gives NaN");
    else if (a->kind == VALUE_NAN)
        say_nan(a);
    else if (a->kind == VALUE_INFINITE)
        say_infinite(a);
    else if (a->kind == VALUE_ZERO)
        say_zero(a);
    else
        say_finite(a);
}
