/* SPDX-License-Identifier: MIT */
/* convert.h -- unpacking codes; conversions between formats and with integers, with one rounding */
#ifndef SOFTFP8_CONVERT_H
#define SOFTFP8_CONVERT_H

#include "softfp8/number/round.h"

/* A finite value, sig * 2^exponent. */
typedef struct sf8_number {
    uint64_t sig;
    int32_t exponent;
    uint32_t sign;
} sf8_number;

SF8_FN sf8_number sf8_core_number(uint32_t sign, int32_t exponent, uint64_t sig)
{
    sf8_number x;
    x.sig = sig;
    x.exponent = exponent;
    x.sign = sign;
    return x;
}

SF8_FN uint32_t sf8_core_sign(sf8_format f, uint64_t code)
{
    return (uint32_t)(code >> sf8_format_mag_bits(f)) & f.is_signed;
}

/* Returns the value of a finite code. sig is not normalised: sig < 2^(man_bits+1). */
SF8_FN sf8_number sf8_core_unpack(sf8_format f, uint64_t code, sf8_policy policy)
{
    uint64_t low_bits = (UINT64_C(1) << f.man_bits) - 1;
    uint64_t magnitude = code & sf8_format_mag_mask(f);
    /* 1 if the exponent field is not 0: only then does the subtraction wrap around. */
    uint64_t normal = f.has_zero ? (low_bits - magnitude) >> 63 : 1;
    /* The exponent field, counted from 1. What is left of the magnitude without it is the
     * significand. In a format without zero it may be -1. */
    uint64_t field = (magnitude >> f.man_bits) - normal;
    uint64_t sig = magnitude - (field << f.man_bits);
    if (policy.flush & SF8_FLUSH_INPUTS)
        sig &= UINT64_C(0) - normal;
    return sf8_core_number(sf8_core_sign(f, code), (int32_t)field + 1 - f.bias - f.man_bits, sig);
}

/* Returns what the NaN of an operand contributes to the NaN of the result. */
SF8_FN sf8_nan sf8_core_nan_of(sf8_format f, uint64_t code, sf8_policy policy)
{
    sf8_nan nan;
    uint32_t bit = sf8_core_sign(f, code);
    nan.operand_sign = f.nan == SF8_NANS_NEG_ZERO && policy.nan_sign != SF8_NAN_SIGN_BIT ? 0 : bit;
    nan.sign = policy.nan_sign == SF8_NAN_POSITIVE ? 0 : nan.operand_sign;
    nan.payload = f.man_bits ? code << (64 - f.man_bits) : 0;
    return nan;
}

/* In a format of the IEEE kind a NaN is signaling if its leading mantissa bit is 0. */
SF8_FN uint32_t sf8_core_is_signaling(sf8_format f, uint64_t code, sf8_policy policy)
{
    if (f.nan != SF8_NANS_IEEE || (policy.quiet && sf8_format_bits(f) <= 8) || !sf8_is_nan(f, code))
        return 0;
    return !((code >> (f.man_bits - 1)) & 1);
}

/* The result in `to` for a NaN of `from`. */
SF8_COLD sf8_result sf8_core_propagate(sf8_format to, sf8_format from, uint64_t code,
                                       sf8_policy policy, uint32_t flags)
{
    if (sf8_core_is_signaling(from, code, policy))
        flags |= SF8_INVALID;
    return sf8_core_nan_result(to, policy, sf8_core_nan_of(from, code, policy), flags);
}

/* Returns 1 if the largest finite number of `a` is at least that of `b`. */
SF8_COLD uint32_t sf8_core_reaches(sf8_format a, sf8_format b)
{
    sf8_number x = sf8_core_unpack(a, sf8_format_max(a), sf8_policy_default());
    sf8_number y = sf8_core_unpack(b, sf8_format_max(b), sf8_policy_default());
    int32_t x_zeros = sf8_clz64(x.sig), y_zeros = sf8_clz64(y.sig);
    int32_t x_top = x.exponent - x_zeros, y_top = y.exponent - y_zeros;
    return x_top != y_top ? x_top > y_top : x.sig << x_zeros >= y.sig << y_zeros;
}

/* The precision that the finite values of a format need: one bit more than its mantissa, or less if
 * the smallest normal number is the only finite number above the subnormals. */
SF8_COLD int32_t sf8_core_precision(sf8_format f)
{
    uint64_t max = sf8_format_max(f);
    return max > sf8_format_min_normal(f) ? f.man_bits + 1 : 64 - sf8_clz64((max - 1) | 1);
}

/* Returns 1 if `to` is a different format that holds every finite value of `from`. All of these are
 * multiples of the smallest number of `from`. */
SF8_COLD uint32_t sf8_core_is_wider(sf8_format to, sf8_format from)
{
    uint32_t same = to.exp_bits == from.exp_bits && to.man_bits == from.man_bits &&
                    to.is_signed == from.is_signed && to.nan == from.nan &&
                    to.has_inf == from.has_inf && to.has_zero == from.has_zero &&
                    to.bias == from.bias;
    return !same && to.is_signed >= from.is_signed && to.has_zero >= from.has_zero &&
           to.man_bits + 1 >= sf8_core_precision(from) &&
           sf8_format_emin(to) - to.man_bits <= sf8_format_emin(from) - from.man_bits &&
           sf8_core_reaches(to, from);
}

/* Saturation is a rule of the narrow format. Therefore a wider format with an infinity keeps an
 * infinite operand, whatever the field `inf` says. */
SF8_COLD uint32_t sf8_core_keeps_infinity(sf8_format to, sf8_format from, sf8_policy policy)
{
    return to.has_inf && policy.dialect != SF8_DIALECT_P3109 && sf8_core_is_wider(to, from);
}

SF8_COLD sf8_result sf8_core_convert_special(sf8_format to, sf8_format from, uint64_t code,
                                             sf8_policy policy)
{
    if (sf8_is_nan(from, code))
        return sf8_core_propagate(to, from, code, policy, 0);
    if (sf8_core_keeps_infinity(to, from, policy))
        policy.inf = SF8_TO_INF;
    return sf8_core_infinity(to, policy, sf8_core_sign(from, code), 0);
}

/* Converts a finite value with one rounding. */
SF8_FN sf8_result sf8_core_convert_once(sf8_format to, sf8_format from, uint64_t code,
                                        sf8_policy policy, uint32_t random)
{
    code &= sf8_format_code_mask(from);
    if (SF8_RARE(sf8_is_special(from, code)))
        return sf8_core_convert_special(to, from, code, policy);
    sf8_number x = sf8_core_unpack(from, code, policy);
    /* If the source's subnormals lie below the target's normal numbers, their leading zeros do not
     * matter: the significand is in position after a constant shift. */
    if (sf8_format_emin(from) <= sf8_format_emin(to))
        return sf8_core_round_short(to, policy, x.sign, x.exponent + from.man_bits,
                                    x.sig << (SF8_POINT - from.man_bits),
                                    SF8_POINT - from.man_bits, random);
    return sf8_core_round_number(to, policy, x.sign, x.exponent, x.sig, random);
}

/* The policy of the first of two steps. */
SF8_FN sf8_policy sf8_core_via_step(void)
{
    sf8_policy policy = sf8_policy_default();
    policy.overflow = SF8_TO_SPECIAL;
    policy.inf = SF8_TO_SPECIAL;
    policy.nan_code = SF8_NAN_PAYLOAD;
    policy.nan_sign = SF8_NAN_SIGNED;
    return policy;
}

/* The format that the field `via` of a policy names. */
SF8_FN sf8_format sf8_core_via_format(sf8_policy policy)
{
    if (policy.via == SF8_VIA_BF16 || policy.via == SF8_VIA_BF16_RZ)
        return SF8_BF16;
    return policy.via == SF8_VIA_NONE || policy.via == SF8_VIA_F32 ? SF8_F32 : SF8_F16;
}

/* How the first of two steps rounds. */
SF8_FN uint32_t sf8_core_via_round(sf8_policy policy)
{
    return policy.via == SF8_VIA_F16_RZ || policy.via == SF8_VIA_BF16_RZ ? SF8_RZ : SF8_RNE;
}

/* Returns 1 if a source does not fit into the format of the policy's `via`. If it fits, the first
 * step would be exact and would keep a NaN, so that one step is enough. */
SF8_FN uint32_t sf8_core_takes_via(sf8_format from, sf8_policy policy)
{
    sf8_format via = sf8_core_via_format(policy);
    if (policy.via == SF8_VIA_NONE)
        return 0;
    return from.man_bits > via.man_bits || sf8_format_emax(from) > sf8_format_emax(via) ||
           sf8_format_emin(from) - from.man_bits < sf8_format_emin(via) - via.man_bits;
}

/* Returns 1 if a conversion from 8 bits or less to a wider format passes through f32. */
SF8_FN uint32_t sf8_core_widens_via(sf8_format to, sf8_format from, sf8_policy policy)
{
    return policy.via == SF8_VIA_F32 && sf8_format_bits(from) <= 8 && sf8_format_bits(to) > 8 &&
           (to.man_bits != 23 || to.exp_bits != 8);
}

/* Converts to the format of the policy's `via` as processors do: keeping infinity. A NaN becomes
 * quiet with its sign and leading bits; the bits stay unchanged if the policy says so. */
SF8_FN uint64_t sf8_core_first_step(sf8_format from, uint64_t code, sf8_policy policy)
{
    sf8_format via = sf8_core_via_format(policy);
    sf8_policy step = sf8_core_via_step();
    step.round = sf8_core_via_round(policy) & SF8_ROUND_MASK;
    if (policy.nan_code == SF8_NAN_BITS)
        step.nan_code = SF8_NAN_BITS;
    if (policy.via == SF8_VIA_F32_F16 && (from.man_bits > 23 || from.exp_bits > 8)) {
        code = sf8_core_convert_once(SF8_F32, from, code, step, 0).code;
        from = SF8_F32;
    }
    return sf8_core_convert_once(via, from, code, step, 0).code;
}

/* Converts in two steps. The policy and the flags are those of the step that involves the narrow
 * format. */
SF8_COLD sf8_result sf8_core_convert_via(sf8_format to, sf8_format from, uint64_t code,
                                         sf8_policy policy, uint32_t random)
{
    if (!sf8_core_takes_via(from, policy)) {
        sf8_result r = sf8_core_convert_once(SF8_F32, from, code, policy, random);
        r.code = sf8_core_convert_once(to, SF8_F32, r.code, sf8_core_via_step(), 0).code;
        return r;
    }
    code = sf8_core_first_step(from, code, policy);
    return sf8_core_convert_once(to, sf8_core_via_format(policy), code, policy, random);
}

/* Converts any format to any other. Bits of `code` above the format's width are ignored. */
SF8_FN sf8_result sf8_core_convert(sf8_format to, sf8_format from, uint64_t code, sf8_policy policy,
                                   uint32_t random)
{
    if (SF8_RARE(policy.via != SF8_VIA_NONE &&
                 (sf8_core_takes_via(from, policy) || sf8_core_widens_via(to, from, policy))))
        return sf8_core_convert_via(to, from, code, policy, random);
    return sf8_core_convert_once(to, from, code, policy, random);
}

/* Converts an integer that is given as sign and magnitude. */
SF8_FN sf8_result sf8_core_from_integer(sf8_format to, uint32_t sign, uint64_t magnitude,
                                        sf8_policy policy, uint32_t random)
{
    int32_t excess = (magnitude >> 62 != 0) + (int32_t)(magnitude >> 63);
    return sf8_core_round_number(to, policy, sign, excess, sf8_shift_right_jam(magnitude, excess),
                                 random);
}

SF8_FN sf8_result sf8_core_from_i64(sf8_format to, int64_t x, sf8_policy policy, uint32_t random)
{
    uint64_t magnitude = x < 0 ? UINT64_C(0) - (uint64_t)x : (uint64_t)x;
    return sf8_core_from_integer(to, x < 0, magnitude, policy, random);
}

SF8_FN sf8_result sf8_core_from_u64(sf8_format to, uint64_t x, sf8_policy policy, uint32_t random)
{
    return sf8_core_from_integer(to, 0, x, policy, random);
}

/* Rounds a finite number to an integer and returns its magnitude. A magnitude above 2^64 - 1 is
 * saturated and raises SF8_OVERFLOW. SF8_INEXACT is raised if the number was not an integer. */
SF8_FN sf8_result sf8_core_integer_part(sf8_number x, sf8_policy policy, uint32_t random)
{
    if (x.exponent >= 0) {
        if (x.sig == 0)
            return sf8_result_of(0, 0);
        if (x.exponent > sf8_clz64(x.sig))
            return sf8_result_of(UINT64_MAX, SF8_OVERFLOW);
        return sf8_result_of(x.sig << x.exponent, 0);
    }
    int32_t shift = -x.exponent;
    if (shift > 62) {
        x.sig = sf8_shift_right_jam(x.sig, shift - 62);
        shift = 62;
    }
    uint64_t up = sf8_core_increment(policy, 0, x.sign, shift, (uint32_t)(x.sig >> shift) & 1,
                                     random);
    uint32_t inexact = (x.sig & ((UINT64_C(1) << shift) - 1)) != 0;
    return sf8_result_of((x.sig + up) >> shift, inexact);
}

/* The integer of `width` bits that stands for a NaN (kind 0), for a value that is too small (-1),
 * or for one that is too large (1). */
SF8_COLD sf8_result sf8_core_integer_invalid(sf8_format from, sf8_policy policy, int32_t width,
                                             int32_t is_signed, int32_t kind)
{
    uint64_t all = UINT64_MAX >> (64 - width);
    uint64_t largest = is_signed ? all >> 1 : all;
    uint64_t smallest = is_signed ? largest + 1 : 0;
    uint64_t bits = kind < 0 ? smallest : largest;
    if (policy.integer == SF8_INT_INDEFINITE)
        bits = is_signed ? smallest : largest;
    else if (kind == 0 && policy.integer == SF8_INT_PTX)
        bits = width == 64 || sf8_format_bits(from) == 64 ? UINT64_C(1) << (width - 1) : 0;
    else if (kind == 0 && policy.integer == SF8_INT_ZERO)
        bits = 0;
    return sf8_result_of(bits, SF8_INVALID);
}

/* Converts to an integer of 8, 16, 32 or 64 bits and returns its two's complement bits. A value
 * that is out of range after rounding raises SF8_INVALID. With `exact`, SF8_INEXACT is raised if
 * the value was not an integer. */
SF8_FN sf8_result sf8_core_to_integer(sf8_format from, uint64_t code, int32_t width,
                                      int32_t is_signed, sf8_policy policy, int32_t exact,
                                      uint32_t random)
{
    code &= sf8_format_code_mask(from);
    if (SF8_RARE(sf8_is_special(from, code))) {
        int32_t kind = sf8_is_nan(from, code) ? 0 : sf8_core_sign(from, code) ? -1 : 1;
        return sf8_core_integer_invalid(from, policy, width, is_signed, kind);
    }
    sf8_number x = sf8_core_unpack(from, code, policy);
    sf8_result r = sf8_core_integer_part(x, policy, random);
    uint64_t all = UINT64_MAX >> (64 - width);
    uint64_t limit = is_signed ? (all >> 1) + x.sign : x.sign ? 0 : all;
    if (r.code > limit || (r.flags & SF8_OVERFLOW))
        return sf8_core_integer_invalid(from, policy, width, is_signed, x.sign ? -1 : 1);
    if (x.sign)
        r.code = (UINT64_C(0) - r.code) & all;
    if (!exact)
        r.flags = 0;
    return r;
}

#endif
