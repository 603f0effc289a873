/* SPDX-License-Identifier: MIT */
/* compare.h -- operations that do not round: sign, class, order, minimum and maximum, neighbours
 *
 * They return codes as they are. In the P3109 dialect the results that are floating-point numbers
 * are projected instead, by sf8_core_projected; but neighbours are not.
 */
#ifndef SOFTFP8_COMPARE_H
#define SOFTFP8_COMPARE_H

#include "softfp8/number/convert.h"

/* Sign operations act on codes and raise no flag. The sign of a NaN is changed like any other,
 * except that a NaN which is the code of -0 stays as it is. Zero stays as it is in a format without
 * -0. In an unsigned format abs and copy_sign change nothing, and the negation of a value above
 * zero is a negative value (see the policy field `negative`). */
SF8_FN uint64_t sf8_core_with_sign(sf8_format f, uint64_t code, uint32_t sign)
{
    uint64_t mag = code & sf8_format_mag_mask(f);
    if (f.nan == SF8_NANS_NEG_ZERO && mag == 0)
        return code;
    return mag | (sign ? sf8_format_sign_bit(f) : 0);
}

SF8_FN uint64_t sf8_core_abs(sf8_format f, uint64_t a)
{
    return sf8_core_with_sign(f, a & sf8_format_code_mask(f), 0);
}

SF8_FN uint64_t sf8_core_copy_sign(sf8_format f, uint64_t a, uint64_t b)
{
    if (f.nan == SF8_NANS_NEG_ZERO && (b & sf8_format_code_mask(f)) == sf8_format_sign_bit(f))
        b = 0;
    return sf8_core_with_sign(f, a & sf8_format_code_mask(f), sf8_core_sign(f, b));
}

/* The sign of a code that is not NaN. A zero may have none; see sf8_core_signs_zero. */
SF8_FN uint32_t sf8_core_has_sign(sf8_format f, uint64_t code, sf8_policy policy)
{
    return sf8_core_sign(f, code) &&
           ((code & sf8_format_mag_mask(f)) != 0 || sf8_core_signs_zero(f, policy));
}

/* The magnitude of a code with a sign, rounded to its own format. */
SF8_COLD sf8_result sf8_core_projected(sf8_format f, uint64_t code, uint32_t sign,
                                       sf8_policy policy)
{
    if (sf8_is_nan(f, code))
        return sf8_core_propagate(f, f, code, policy, 0);
    if (sf8_is_inf(f, code))
        return sf8_core_infinity(f, policy, sign, 0);
    sf8_number x = sf8_core_unpack(f, code, policy);
    return sf8_core_round_number(f, policy, sign, x.exponent, x.sig, 0);
}

/* abs and copy_sign with a policy, whose dialect decides. */
SF8_FN sf8_result sf8_core_abs_flags(sf8_format f, uint64_t a, sf8_policy policy)
{
    a &= sf8_format_code_mask(f);
    if (policy.dialect == SF8_DIALECT_P3109)
        return sf8_core_projected(f, a, 0, policy);
    return sf8_result_of(sf8_core_abs(f, a), 0);
}

SF8_FN sf8_result sf8_core_copy_sign_flags(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy)
{
    a &= sf8_format_code_mask(f);
    b &= sf8_format_code_mask(f);
    if (policy.dialect == SF8_DIALECT_P3109)
        return sf8_core_projected(f, sf8_is_nan(f, a) || !sf8_is_nan(f, b) ? a : b,
                                  sf8_core_has_sign(f, b, policy), policy);
    return sf8_result_of(sf8_core_copy_sign(f, a, b), 0);
}

SF8_FN sf8_result sf8_core_negate(sf8_format f, uint64_t a, sf8_policy policy)
{
    a &= sf8_format_code_mask(f);
    if (policy.dialect == SF8_DIALECT_P3109)
        return sf8_core_projected(f, a, !sf8_core_sign(f, a), policy);
    if (f.is_signed)
        return sf8_result_of(sf8_core_with_sign(f, a, !sf8_core_sign(f, a)), 0);
    if (sf8_is_nan(f, a) || (f.has_zero && a == 0) || policy.negative == SF8_NEG_ABS)
        return sf8_result_of(a, 0);
    return sf8_core_negative(f, policy, 0);
}

SF8_FN int32_t sf8_core_class(sf8_format f, uint64_t a, sf8_policy policy)
{
    a &= sf8_format_code_mask(f);
    uint64_t mag = a & sf8_format_mag_mask(f);
    int32_t kind = SF8_CLASS_POS_NORMAL;
    if (sf8_is_nan(f, a))
        return sf8_core_is_signaling(f, a, policy) ? SF8_CLASS_SIGNALING_NAN : SF8_CLASS_QUIET_NAN;
    if (sf8_is_inf(f, a))
        kind = SF8_CLASS_POS_INFINITY;
    else if (mag == 0 && f.has_zero)
        kind = SF8_CLASS_POS_ZERO;
    else if (mag < sf8_format_min_normal(f))
        kind = SF8_CLASS_POS_SUBNORMAL;
    /* The classes of the two signs mirror each other. */
    return sf8_core_sign(f, a) ? SF8_CLASS_NEG_ZERO + SF8_CLASS_POS_ZERO - kind : kind;
}

/* Returns an integer that grows with the value of a code that is not NaN. The two zeros are
 * equal. */
SF8_FN int64_t sf8_core_order(sf8_format f, uint64_t code)
{
    int64_t mag = (int64_t)(code & sf8_format_mag_mask(f));
    return sf8_core_sign(f, code) ? -mag : mag;
}

/* Returns SF8_LESS, SF8_EQUAL, SF8_GREATER or SF8_UNORDERED, as 2's complement in `code`. A NaN
 * raises SF8_INVALID if it is signaling, or if the comparison is. */
SF8_FN sf8_result sf8_core_compare(sf8_format f, uint64_t a, uint64_t b, int32_t signaling,
                                   sf8_policy policy)
{
    a &= sf8_format_code_mask(f);
    b &= sf8_format_code_mask(f);
    if (sf8_is_nan(f, a) || sf8_is_nan(f, b)) {
        uint32_t bad = signaling || sf8_core_is_signaling(f, a, policy) ||
                       sf8_core_is_signaling(f, b, policy);
        return sf8_result_of(SF8_UNORDERED, bad ? (uint32_t)SF8_INVALID : 0u);
    }
    int64_t x = sf8_core_order(f, a), y = sf8_core_order(f, b);
    return sf8_result_of((uint64_t)(int64_t)((x > y) - (x < y)), 0);
}

/* The key of IEEE 754's totalOrder: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN, with NaNs
 * ordered by payload. A NaN that is the code of -0 is the least, and in the P3109 dialect every
 * NaN. */
SF8_FN int64_t sf8_core_total_key(sf8_format f, uint64_t code, sf8_policy policy)
{
    if (sf8_is_nan(f, code) && (f.nan == SF8_NANS_NEG_ZERO || policy.dialect == SF8_DIALECT_P3109))
        return INT64_MIN;
    return sf8_core_order(f, code) - (int64_t)sf8_core_has_sign(f, code, policy);
}

SF8_FN uint32_t sf8_core_total_order(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy)
{
    a &= sf8_format_code_mask(f);
    b &= sf8_format_code_mask(f);
    return sf8_core_total_key(f, a, policy) <= sf8_core_total_key(f, b, policy);
}

/* The eight minimum and maximum operations of IEEE 754-2019, selected by three choices: `greater`
 * for a maximum, `magnitude` to compare magnitudes first, `number` to prefer a number to a NaN. -0
 * is less than +0. */
SF8_FN sf8_result sf8_core_extremum(sf8_format f, uint64_t a, uint64_t b, int32_t greater,
                                    int32_t magnitude, int32_t number, sf8_policy policy)
{
    a &= sf8_format_code_mask(f);
    b &= sf8_format_code_mask(f);
    uint32_t nan_a = (uint32_t)sf8_is_nan(f, a), nan_b = (uint32_t)sf8_is_nan(f, b), flags = 0;
    if (nan_a || nan_b) {
        uint32_t bad = sf8_core_is_signaling(f, a, policy) || sf8_core_is_signaling(f, b, policy);
        flags = bad ? (uint32_t)SF8_INVALID : 0u;
        if (!number || (nan_a && nan_b))
            return sf8_core_propagate(f, f, nan_a ? a : b, policy, flags);
        a = b = nan_a ? b : a;
    }
    int64_t x = sf8_core_total_key(f, a, policy), y = sf8_core_total_key(f, b, policy);
    uint64_t mag_a = a & sf8_format_mag_mask(f), mag_b = b & sf8_format_mag_mask(f);
    int32_t a_greater = magnitude && mag_a != mag_b ? mag_a > mag_b : x > y;
    uint64_t code = a_greater == !!greater ? a : b;
    if (policy.dialect == SF8_DIALECT_P3109)
        code = sf8_core_projected(f, code, sf8_core_sign(f, code), policy).code;
    return sf8_result_of(code, flags);
}

/* The least value above a (`up`), or the greatest below it. The neighbour of the largest finite
 * number is infinity, or in a format without infinity what the policy's overflow rule gives. The
 * neighbour of infinity is infinity. Below the least value of an unsigned format there is zero, or
 * NaN, as the policy says. In the P3109 dialect each of these is NaN, but not infinity beside the
 * largest number. Only a signaling NaN raises a flag. */
SF8_FN sf8_result sf8_core_next(sf8_format f, uint64_t a, int32_t up, sf8_policy policy)
{
    a &= sf8_format_code_mask(f);
    uint64_t mag = a & sf8_format_mag_mask(f);
    uint32_t sign = sf8_core_sign(f, a);
    uint64_t sign_bit = sf8_format_sign_bit(f);
    if (sf8_is_nan(f, a))
        return sf8_core_propagate(f, f, a, policy, 0);
    uint32_t outward = f.has_zero && mag == 0 ? 1 : sign == !up;
    uint32_t is_least = mag == 0 && !up && !f.is_signed;
    uint32_t is_most = outward && (f.has_inf ? sf8_is_inf(f, a) : mag == sf8_format_max(f));
    if (policy.dialect == SF8_DIALECT_P3109 && (is_least | is_most))
        return sf8_result_of(sf8_core_made_nan(f, policy), 0);
    if (outward && sf8_is_inf(f, a))
        return sf8_result_of(a, 0);
    if (mag == 0 && (f.has_zero || !up)) {
        if (up)
            return sf8_result_of(1, 0);
        if (f.is_signed)
            return sf8_result_of(sign_bit | 1, 0);
        return sf8_result_of(policy.negative == SF8_NEG_NAN ? sf8_core_made_nan(f, policy) : 0, 0);
    }
    if (outward && mag == sf8_format_max(f)) {
        uint32_t rule = f.has_inf ? (uint32_t)SF8_TO_INF : policy.overflow;
        return sf8_result_of(sf8_core_limit(f, policy, rule, sign), 0);
    }
    mag = outward ? mag + 1 : mag - 1;
    if (mag == 0 && !sf8_core_signs_zero(f, policy))
        return sf8_result_of(0, 0);
    return sf8_result_of(mag | (a & sign_bit), 0);
}

#endif
