/* SPDX-License-Identifier: MIT */
/* arith_plan.c -- when a fast loop may do an operation, and what the core computes for it
 * beforehand */
#include "arrays/arith.h"
#include "softfp8/scalar.h"

#include <string.h>

SF8_PRIVATE uint64_t sf8_array_one(sf8_array_op op, sf8_format f, uint64_t a, uint64_t b,
                                   uint64_t c, sf8_policy policy)
{
#define SF8_CASE(any, name)                                                                        \
    case SF8_ARRAY_##name:                                                                         \
        return sf8_##name(f, a, b, policy).code;
#define SF8_CASE_EXTREMUM(any, name, greater, magnitude, number) SF8_CASE(any, name)
    switch (op) {
        SF8_BINARY_ARITHMETIC(SF8_CASE, any)
        SF8_EXTREMA(SF8_CASE_EXTREMUM, any)
    case SF8_ARRAY_fma:
    case SF8_ARRAY_OPS:
        break;
    }
#undef SF8_CASE
#undef SF8_CASE_EXTREMUM
    return sf8_fma(f, a, b, c, policy).code;
}

/* The operands and every exact result must be far from the ends of f32's exponents: products from
 * 2^-100, results of divisions up to 2^101, and the power of two that rounds, 2^22 above them. Each
 * result in f32 is exact, or rounded to odd, or rounded as the policy rounds, or to nearest. The
 * last, with 24 >= 2p + 2 bits, does not change a second rounding to nearest of a sum or division
 * of p bits: a sum that is inexact lies next to an operand, never next to a midpoint, and neither
 * does a division. */
SF8_PRIVATE int sf8_arith_can(sf8_format f, sf8_policy policy, sf8_array_op op)
{
    return op <= SF8_ARRAY_fma && f.is_signed && f.has_zero && f.man_bits >= 1 && f.man_bits <= 5 &&
           sf8_format_bits(f) <= 8 && sf8_format_emax(f) <= 50 && sf8_core_quantum(f) >= -50 &&
           policy.round < SF8_SR && !policy.overflow_test && !policy.flush &&
           !policy.round_past_max && !policy.beyond_max && !policy.below_normal;
}

/* The code of 2^(emax + 1), which overflows in every rounding mode. Arithmetic goes by no format in
 * between, where that power of two may be infinite. */
static uint8_t sf8_arith_overflow(sf8_format f, sf8_policy policy, uint32_t sign)
{
    int32_t field = sf8_format_emax(f) + 1 + SF8_F32.bias;
    uint32_t bits = sign << 31 | (uint32_t)field << 23;
    policy.via = SF8_VIA_NONE;
    return (uint8_t)sf8_core_convert(f, SF8_F32, bits, policy, 0).code;
}

/* Whether a and b give *nan, which is taken from the first pair that is asked for. */
static int sf8_arith_is_one(const sf8_arith_plan *p, uint32_t a, uint32_t b, int32_t *nan)
{
    int32_t code = (int32_t)sf8_array_one(p->op, p->f, a, b, 0, p->policy);
    if (*nan < 0)
        *nan = code;
    return *nan == code;
}

/* A loop divides by zero, and what that gives overflows. Returns 1 if so it is, but for 0 / 0. Of
 * the signs of two operands only whether they differ matters. */
static int sf8_arith_zero_overflows(const sf8_arith_plan *p, int32_t *nan)
{
    uint32_t sign = (uint32_t)sf8_format_sign_bit(p->f);
    return sf8_array_one(p->op, p->f, 1, 0, 0, p->policy) == p->over[0] &&
           sf8_array_one(p->op, p->f, 1 | sign, 0, 0, p->policy) == p->over[1] &&
           sf8_arith_is_one(p, 0, 0, nan) &&
           (p->nan_is_neg_zero || sf8_arith_is_one(p, sign, 0, nan));
}

/* Without infinity, what is special is a NaN operand, and 0 / 0. The result of a NaN depends on the
 * code of the first one. Returns the result of all that is special, or -1 if there are others. */
static int32_t sf8_arith_one_nan(const sf8_arith_plan *p)
{
    uint32_t sign = (uint32_t)sf8_format_sign_bit(p->f);
    int32_t nan = -1;
    if (p->f.has_inf || (p->op == SF8_ARRAY_div && !sf8_arith_zero_overflows(p, &nan)) ||
        (p->nan_is_neg_zero && !sf8_arith_is_one(p, sign, 0, &nan)))
        return -1;
    for (uint32_t code = p->max + 1u; code <= p->mag_mask; code++)
        if (!sf8_arith_is_one(p, code, 0, &nan) || !sf8_arith_is_one(p, code | sign, 0, &nan))
            return -1;
    return nan < 0 ? 0 : nan;
}

SF8_PRIVATE sf8_arith_plan sf8_arith_make(sf8_format f, sf8_policy policy, sf8_array_op op,
                                          size_t n)
{
    sf8_arith_plan plan;
    plan.f = f;
    plan.policy = policy;
    plan.op = op;
    plan.n = n;
    plan.sign_bit = (uint8_t)sf8_format_sign_bit(f);
    plan.mag_mask = (uint8_t)sf8_format_mag_mask(f);
    plan.max = (uint8_t)sf8_format_max(f);
    plan.over[0] = sf8_arith_overflow(f, policy, 0);
    plan.over[1] = sf8_arith_overflow(f, policy, 1);
    plan.nan_is_neg_zero = f.nan == SF8_NANS_NEG_ZERO;
    plan.one_nan = sf8_arith_one_nan(&plan);
    return plan;
}

/* The classes of all bytes: those of the format's codes, repeated to fill 256. */
static void sf8_arith_classes(sf8_format f, uint8_t *of)
{
    size_t mag = (size_t)sf8_format_mag_mask(f) + 1, codes = 2 * mag;
    size_t finite = (size_t)sf8_format_max(f) + 1;
    memset(of, SF8_ARITH_NUMBER, finite);
    memset(of + mag, SF8_ARITH_NUMBER + 1, finite);
    of[0] = SF8_ARITH_ZERO;
    of[mag] = sf8_is_nan(f, mag) ? (uint8_t)SF8_ARITH_NAN : (uint8_t)(SF8_ARITH_ZERO + 1);
    for (size_t x = finite; x < mag; x++)
        for (size_t sign = 0; sign < 2; sign++)
            of[x + sign * mag] = (uint8_t)(sf8_is_inf(f, x) ? SF8_ARITH_INF + sign
                                                            : (size_t)SF8_ARITH_NAN);
    for (; codes < 256; codes *= 2)
        memcpy(of + codes, of, codes);
}

/* A code of each class but NaN; if there is no infinity or no -0, another code. */
static uint8_t sf8_arith_code(sf8_format f, uint32_t class_)
{
    uint64_t sign = class_ & 1 && (class_ > 1 || sf8_format_has_neg_zero(f))
                        ? sf8_format_sign_bit(f)
                        : 0;
    uint32_t kind = class_ & 6u;
    if (kind == SF8_ARITH_INF)
        return (uint8_t)(sign | (f.has_inf ? sf8_format_inf(f) : 1));
    return (uint8_t)(sign | (kind != SF8_ARITH_ZERO));
}

/* The class of a product. fma only needs to know whether it is infinite or invalid. */
static uint8_t sf8_arith_product(uint32_t a, uint32_t b)
{
    uint32_t sign = (a ^ b) & 1, kind_a = a & 6u, kind_b = b & 6u;
    if (kind_a != SF8_ARITH_INF && kind_b != SF8_ARITH_INF)
        return (uint8_t)(SF8_ARITH_NUMBER | sign);
    if (kind_a == SF8_ARITH_ZERO || kind_b == SF8_ARITH_ZERO)
        return SF8_ARITH_INVALID;
    return (uint8_t)(SF8_ARITH_INF | sign);
}

static uint8_t sf8_arith_pair(const sf8_arith_plan *plan, uint32_t a, uint32_t b)
{
    sf8_format f = plan->f;
    if (plan->op != SF8_ARRAY_fma)
        return (uint8_t)sf8_array_one(plan->op, f, sf8_arith_code(f, a), sf8_arith_code(f, b), 0,
                                      plan->policy);
    if (a == SF8_ARITH_INVALID) /* in fma only; others have no operand of that class */
        return (uint8_t)sf8_core_made_nan(f, plan->policy);
    /* a product of class a: a times the smallest number */
    return (uint8_t)sf8_array_one(SF8_ARRAY_fma, f, sf8_arith_code(f, a), 1, sf8_arith_code(f, b),
                                  plan->policy);
}

/* Returns 1 if a result is special for operands of these classes, neither of them NaN. */
static int sf8_arith_is_special(const sf8_arith_plan *plan, uint32_t a, uint32_t b)
{
    uint32_t kind_a = a & 6u, kind_b = b & 6u;
    if (plan->op == SF8_ARRAY_div && kind_b == SF8_ARITH_ZERO)
        return 1;
    return plan->f.has_inf && (kind_a >= SF8_ARITH_INF || kind_b == SF8_ARITH_INF);
}

SF8_PRIVATE void sf8_arith_fill(const sf8_arith_plan *plan, sf8_arith_specials *table)
{
    sf8_format f = plan->f;
    memset(table, 0, sizeof *table);
    sf8_arith_classes(f, table->of);
    for (uint32_t code = 0; code < 256; code++)
        if (table->of[code] == SF8_ARITH_NAN)
            table->nan[code] = (uint8_t)sf8_array_one(plan->op, f, (uint8_t)code, 0, 0,
                                                      plan->policy);
    for (uint32_t a = 0; a < SF8_ARITH_NAN; a++)
        for (uint32_t b = 0; b < SF8_ARITH_INVALID; b++) {
            if (a < SF8_ARITH_INVALID)
                table->product[8 * a + b] = sf8_arith_product(a, b);
            if (sf8_arith_is_special(plan, a, b))
                table->pair[8 * a + b] = sf8_arith_pair(plan, a, b);
        }
}
