/* SPDX-License-Identifier: MIT */
/* operation.c -- the exact result of an operation on codes, and the reason for each of its flags
 *
 * An exact result is rounded like any other number, so find.c and rules.c go on from here. Formats
 * with arithmetic have at most 24 bits of precision: a product has 48, and 60 bits of a sum, a
 * quotient or a root, with what is cut off as bit 0, decide every rounding.
 */
#include "explain/explain.h"
#include "softfp8/number/arith.h"

#include <stdio.h>
#include <string.h>

int is_explained(sf8_function_op op)
{
    return op == SF8_OP_add || op == SF8_OP_sub || op == SF8_OP_mul || op == SF8_OP_div ||
           op == SF8_OP_sqrt || op == SF8_OP_mulAdd;
}

/* ---- exact results --------------------------------------------------------------------------- */

/* The leading bit of sig, which is not 0, is moved to bit 59. */
static sf8_number at_59(sf8_number x)
{
    int32_t up = 59 - sf8_msb64(x.sig);
    x.sig <<= up;
    x.exponent -= up;
    return x;
}

/* x + y; a sum of zero has sig 0. Bits that are cut off belong to the smaller number: then the
 * leading bits of the two are 12 or more apart, and at most one is lost by cancellation. */
static exact_number sum_of(sf8_number x, sf8_number y)
{
    if (x.sig == 0 || y.sig == 0)
        return exact_of_number(x.sig ? x : y);
    x = at_59(x);
    y = at_59(y);
    sf8_number high = x.exponent >= y.exponent ? x : y;
    sf8_number low = x.exponent >= y.exponent ? y : x;
    int32_t d = high.exponent - low.exponent;
    int cut = d > 63 || (low.sig & ((UINT64_C(1) << d) - 1)) != 0;
    low.sig = sf8_shift_right_jam(low.sig, d);
    uint64_t sig = high.sig + low.sig;
    uint32_t sign = high.sign;
    if (x.sign != y.sign) {
        sig = high.sig - low.sig;
        if (high.sig < low.sig) {
            sig = low.sig - high.sig;
            sign = low.sign;
        }
    }
    exact_number zero = {0, 0, 0, 0, 0, 0};
    return sig ? exact_of_bits(sign, high.exponent, sig, cut) : zero;
}

static sf8_number product_of(sf8_number x, sf8_number y)
{
    return sf8_core_number(x.sign ^ y.sign, x.exponent + y.exponent, x.sig * y.sig);
}

/* x / y, neither of them 0, bit by bit. */
static exact_number quotient_of(sf8_number x, sf8_number y)
{
    int32_t up = sf8_msb64(y.sig) - sf8_msb64(x.sig), bits = 61;
    uint64_t rest = up > 0 ? x.sig << up : x.sig, divisor = up < 0 ? y.sig << -up : y.sig;
    uint64_t quotient = 0;
    for (int32_t i = 0; i < bits; i++) {
        int fits = rest >= divisor;
        quotient = quotient << 1 | (unsigned)fits;
        rest = (rest - (fits ? divisor : 0)) << 1;
    }
    return exact_of_bits(x.sign ^ y.sign, x.exponent - y.exponent - up - bits,
                         quotient << 1 | (rest != 0), rest != 0);
}

/* The root of a positive number: see sf8_core_sqrt. */
static exact_number root_of(sf8_number x)
{
    int32_t up = sf8_clz64(x.sig) - 2, bits = 60;
    up -= (x.exponent - up) & 1;
    uint64_t root = sf8_core_isqrt(x.sig << up, bits);
    return exact_of_bits(0, (x.exponent - up) / 2 + 31 - (bits + 1), root, (int)(root & 1));
}

/* ---- as text --------------------------------------------------------------------------------- */

/* A negative operand behind an operator stands in parentheses. */
static void add_operand(answer *a, int i)
{
    char value[NUMBER_TEXT];
    const char *text = code_short(a->q->to, a->operands[i], value);
    if (a->flushed_operands >> i & 1)
        text = "0";
    add_text(a->exact, EXACT_TEXT, i > 0 && text[0] == '-' ? "(%s)" : "%s", text);
}

static uint64_t odd_part(uint64_t n, int32_t *exponent)
{
    for (; !(n & 1); n >>= 1)
        ++*exponent;
    return n;
}

/* " = 2/3": a quotient in its lowest terms. */
static void add_fraction(char text[EXACT_TEXT], sf8_number x, sf8_number y)
{
    int32_t up = x.exponent, down = y.exponent;
    uint64_t n = odd_part(x.sig, &up), d = odd_part(y.sig, &down), a = n, b = d;
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    n /= a;
    d /= a;
    int32_t power = up - down;
    if (d == 1)
        return;
    if (power > 0 && power < 38)
        n <<= power;
    if (power < 0 && power > -38)
        d <<= -power;
    add_text(text, EXACT_TEXT, " = %s%llu/%llu", x.sign != y.sign ? "-" : "", (unsigned long long)n,
             (unsigned long long)d);
    if (power >= 38 || power <= -38)
        add_text(text, EXACT_TEXT, " * 2^%d", power);
}

/* " = 2.25", " = 0x1.55555555...p-1, about 0.6666666667" */
static void add_value(char text[EXACT_TEXT], exact_number x)
{
    char number[NUMBER_TEXT];
    if (!x.cut) {
        add_text(text, EXACT_TEXT, " = %s",
                 number_text(sf8_core_number(x.sign, x.exponent - SF8_POINT, x.sig), number));
        return;
    }
    add_text(text, EXACT_TEXT, " = %s", exact_hex(x, number));
    sf8_result r = sf8_core_round_number(SF8_F64, SF8_OCP_NOSAT, x.sign, x.exponent - SF8_POINT,
                                         x.sig, 0);
    if (!(r.flags & (SF8_OVERFLOW | SF8_UNDERFLOW)))
        add_text(text, EXACT_TEXT, ", about %.10g", sf8_f64_from_bits(r.code));
}

static void add_terms(answer *a)
{
    static const char *const signs[SF8_OP_COUNT] = {
        [SF8_OP_add] = " + ", [SF8_OP_sub] = " - ", [SF8_OP_mul] = " * ", [SF8_OP_div] = " / "};
    sf8_function_op op = a->q->function->op;
    add_text(a->exact, EXACT_TEXT, op == SF8_OP_sqrt ? "sqrt(" : "");
    add_operand(a, 0);
    if (op == SF8_OP_sqrt) {
        add_text(a->exact, EXACT_TEXT, ")");
        return;
    }
    add_text(a->exact, EXACT_TEXT, "%s", op == SF8_OP_mulAdd ? " * " : signs[op]);
    add_operand(a, 1);
    if (op == SF8_OP_mulAdd) {
        add_text(a->exact, EXACT_TEXT, " + ");
        add_operand(a, 2);
    }
}

/* ---- finite operands ------------------------------------------------------------------------- */

static void take_exact(answer *a, exact_number x)
{
    a->x = x;
    a->sign = x.sign;
    a->kind = x.sig ? VALUE_FINITE : VALUE_ZERO;
}

static void take_zero(answer *a, uint32_t sign)
{
    exact_number zero = {sign, 0, 0, 0, 0, 0};
    take_exact(a, zero);
}

static void take_sum(answer *a, sf8_number x, sf8_number y)
{
    exact_number sum = sum_of(x, y);
    if (sum.sig == 0) {
        int down = a->q->policy.round == SF8_RD;
        sum.sign = x.sign == y.sign ? x.sign : (uint32_t)down;
        if (x.sign != y.sign) {
            a->note_field = "round";
            a->note = down ? "terms of opposite signs cancel: -0 where results are rounded down"
                           : "terms of opposite signs cancel: +0, and -0 only where round=rd";
        }
    }
    take_exact(a, sum);
}

static void take_quotient(answer *a, sf8_number x, sf8_number y)
{
    if (y.sig == 0) {
        a->kind = VALUE_INFINITE;
        a->sign = x.sign ^ y.sign;
        a->note = "a number that is not zero, divided by zero, is infinite";
        if (x.sig == 0)
            a->invalid = "0 / 0 has no value";
    } else if (x.sig == 0) {
        take_zero(a, x.sign ^ y.sign);
    } else {
        take_exact(a, quotient_of(x, y));
    }
}

static void take_root(answer *a, sf8_number x)
{
    if (x.sig == 0)
        take_zero(a, x.sign);
    else if (x.sign)
        a->invalid = "a negative number has no square root";
    else
        take_exact(a, root_of(x));
}

static void take_numbers(answer *a)
{
    sf8_number x[3];
    sf8_format f = a->q->to;
    memset(x, 0, sizeof x);
    for (int i = 0; i < a->q->function->operands; i++) {
        x[i] = sf8_core_unpack(f, a->operands[i], a->q->policy);
        a->flushed_operands |= (unsigned)(number_of(f, a->operands[i]).sig != x[i].sig) << i;
    }
    switch (a->q->function->op) {
    case SF8_OP_sub:
        x[1].sign ^= 1;
        take_sum(a, x[0], x[1]);
        break;
    case SF8_OP_mul:
        take_exact(a, exact_of_number(product_of(x[0], x[1])));
        break;
    case SF8_OP_mulAdd:
        take_sum(a, product_of(x[0], x[1]), x[2]);
        break;
    case SF8_OP_div:
        take_quotient(a, x[0], x[1]);
        break;
    case SF8_OP_sqrt:
        take_root(a, x[0]);
        break;
    default:
        take_sum(a, x[0], x[1]);
    }
    add_terms(a);
    if (a->kind == VALUE_ZERO && !a->invalid)
        add_text(a->exact, EXACT_TEXT, a->sign && sf8_format_has_neg_zero(f) ? " = -0" : " = 0");
    if (a->kind != VALUE_FINITE || a->invalid)
        return;
    if (a->q->function->op == SF8_OP_div)
        add_fraction(a->exact, x[0], x[1]);
    add_value(a->exact, a->x);
}

/* ---- infinities and NaNs --------------------------------------------------------------------- */

static uint32_t sign_of(const answer *a, int i)
{
    return sf8_core_sign(a->q->to, a->operands[i]);
}

static int is_infinite(const answer *a, int i)
{
    return sf8_is_inf(a->q->to, a->operands[i]);
}

static int is_zero(const answer *a, int i)
{
    return (int)sf8_core_is_zero(a->q->to, a->operands[i], a->q->policy);
}

static int zero_times_infinity(const answer *a)
{
    return (is_infinite(a, 0) && is_zero(a, 1)) || (is_infinite(a, 1) && is_zero(a, 0));
}

/* A sum of which one term, or both, are infinite. */
static void take_infinite_sum(answer *a, int first, uint32_t first_sign, int second,
                              uint32_t second_sign)
{
    a->sign = first ? first_sign : second_sign;
    a->note = "a sum with an infinite term is infinite";
    if (first && second && first_sign != second_sign)
        a->invalid = "a sum of infinities of opposite signs has no value";
}

static void take_infinite_quotient(answer *a)
{
    a->sign = sign_of(a, 0) ^ sign_of(a, 1);
    if (is_infinite(a, 0) && is_infinite(a, 1)) {
        a->invalid = "inf / inf has no value";
    } else if (is_infinite(a, 1)) {
        a->note = "a finite number divided by infinity is zero";
        take_zero(a, a->sign);
    }
}

static void take_infinity(answer *a)
{
    uint32_t product = sign_of(a, 0) ^ sign_of(a, 1);
    a->kind = VALUE_INFINITE;
    switch (a->q->function->op) {
    case SF8_OP_mul:
        a->sign = product;
        a->invalid = zero_times_infinity(a) ? "0 * inf has no value" : NULL;
        break;
    case SF8_OP_mulAdd:
        take_infinite_sum(a, is_infinite(a, 0) || is_infinite(a, 1), product, is_infinite(a, 2),
                          sign_of(a, 2));
        a->invalid = zero_times_infinity(a) ? "0 * inf has no value" : a->invalid;
        break;
    case SF8_OP_div:
        take_infinite_quotient(a);
        break;
    case SF8_OP_sqrt:
        a->sign = 0;
        a->invalid = sign_of(a, 0) ? "a negative number has no square root" : NULL;
        break;
    default:
        take_infinite_sum(a, is_infinite(a, 0), sign_of(a, 0), is_infinite(a, 1),
                          sign_of(a, 1) ^ (a->q->function->op == SF8_OP_sub));
    }
}

static int has_signaling(const answer *a)
{
    int found = 0;
    for (int i = 0; i < a->q->function->operands; i++)
        found |= (int)sf8_core_is_signaling(a->q->to, a->operands[i], a->q->policy);
    return found;
}

/* Why an operation with a NaN is invalid all the same; NULL if it is not. */
static const char *invalid_beside_nan(const answer *a)
{
    if (has_signaling(a))
        return "an operand is a signaling NaN";
    if (a->q->function->op == SF8_OP_mulAdd && zero_times_infinity(a))
        return "the product is 0 * inf, whatever is added";
    return NULL;
}

void take_operation(answer *a)
{
    static const char *const notes[] = {"the first NaN counts: it is the first operand",
                                        "the first NaN counts: it is the second operand",
                                        "the first NaN counts: it is the third operand"};
    sf8_format f = a->q->to;
    int special = 0;
    a->operand_format = f;
    for (int i = a->q->function->operands - 1; i >= 0; i--) {
        special |= sf8_is_special(f, a->operands[i]) != 0;
        if (!sf8_is_nan(f, a->operands[i]))
            continue;
        a->kind = VALUE_NAN;
        a->operand = a->operands[i];
        a->sign = sign_of(a, i);
        a->note = notes[i];
    }
    if (!special) {
        take_numbers(a);
    } else {
        add_terms(a);
        if (a->kind != VALUE_NAN)
            take_infinity(a);
    }
    if (a->invalid) {
        a->kind = VALUE_NAN;
        a->note = NULL;
    }
}

/* ---- flags ----------------------------------------------------------------------------------- */

static const char *invalid_reason(const answer *a)
{
    if (a->invalid)
        return a->invalid;
    if (a->kind == VALUE_NAN) {
        const char *reason = invalid_beside_nan(a);
        return reason ? reason : "NaN is lost, by nan_flags";
    }
    if (answer_is_negative(a))
        return "the format has no negative numbers";
    return a->kind == VALUE_INFINITE ? "infinity is lost, by inf_flags" : "the format has no zero";
}

static void underflow_reason(const answer *a, char text[RULE_TEXT])
{
    char least[NUMBER_TEXT];
    number_text(sf8_core_number(0, sf8_format_emin(a->q->to), 1), least);
    if (a->rounded < 0 || a->kind == VALUE_ZERO)
        snprintf(text, RULE_TEXT, "the format has no zero");
    else if (a->is_exact)
        snprintf(text, RULE_TEXT, "a subnormal result is flushed to zero");
    else
        snprintf(text, RULE_TEXT, "%s below %s, the smallest normal number, and inexact",
                 a->q->policy.tininess == SF8_TINY_BEFORE
                     ? "the exact result is"
                     : "rounded to full precision, the result is",
                 least);
}

const char *flag_reason(const answer *a, int bit, char text[RULE_TEXT])
{
    uint32_t flag = UINT32_C(1) << bit;
    const char *lost = a->kind == VALUE_INFINITE ? "infinity is lost, by inf_flags"
                       : a->kind == VALUE_NAN    ? "NaN is lost, by nan_flags"
                                                 : NULL;
    if (!(a->result.flags & flag))
        return NULL;
    if (flag == SF8_INVALID)
        return invalid_reason(a);
    if (flag == SF8_DIVBYZERO)
        return "a number that is not zero is divided by zero";
    if (lost)
        return lost;
    if (flag == SF8_OVERFLOW)
        return "the rounded value is beyond the largest finite number";
    if (flag == SF8_INEXACT)
        return "the result is not the exact value";
    underflow_reason(a, text);
    return text;
}
