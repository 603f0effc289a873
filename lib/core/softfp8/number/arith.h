/* SPDX-License-Identifier: MIT */
/* arith.h -- arithmetic: the exact result in integers, then one rounding
 *
 * Defined for formats of at most SF8_ARITH_PRECISION bits of significand and any exponent range.
 * Sums align their operands in 62 bits. Where the exponents are too far apart for that, the operand
 * with the smaller exponent is jammed (see sf8_shift_right_jam). It is then so small that every
 * rounding depends only on whether it is zero; sf8_core_sum has the argument.
 */
#ifndef SOFTFP8_ARITH_H
#define SOFTFP8_ARITH_H

#include "softfp8/number/convert.h"

#define SF8_ARITH_PRECISION 24

/* Formats of a higher precision have their subnormals normalised before arithmetic. */
#define SF8_ARITH_NARROW 6

SF8_FN uint32_t sf8_core_is_narrow(sf8_format f)
{
    return f.man_bits < SF8_ARITH_NARROW;
}

/* An operand: sig < 2^(man_bits+1). In formats that are not narrow also sig >= 2^man_bits, unless
 * sig is 0. */
SF8_FN sf8_number sf8_core_operand(sf8_format f, uint64_t code, sf8_policy policy)
{
    sf8_number x = sf8_core_unpack(f, code, policy);
    if (!sf8_core_is_narrow(f) && x.sig != 0) {
        int32_t up = sf8_clz64(x.sig) - (63 - f.man_bits);
        x.sig <<= up;
        x.exponent -= up;
    }
    return x;
}

/* The least and the greatest exponent of bit 0 that sf8_core_operand returns. */
SF8_FN int32_t sf8_core_low(sf8_format f)
{
    int32_t normal = sf8_format_emin(f) - f.man_bits;
    return sf8_core_is_narrow(f) ? normal : normal - f.man_bits;
}

SF8_FN int32_t sf8_core_high(sf8_format f)
{
    return sf8_format_emax(f) - f.man_bits;
}

/* The NaN of an operation with a NaN among its two operands: the result carries the first one. */
SF8_COLD sf8_result sf8_core_nan2(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy)
{
    uint32_t flags = sf8_core_is_signaling(f, b, policy) ? (uint32_t)SF8_INVALID : 0u;
    if (sf8_is_nan(f, a))
        return sf8_core_propagate(f, f, a, policy, flags);
    return sf8_core_propagate(f, f, b, policy, flags);
}

/* The exponent of the last bit of a subnormal number. */
SF8_FN int32_t sf8_core_quantum(sf8_format f)
{
    return sf8_format_emin(f) - f.man_bits;
}

/* Returns 1 if every product plus an addend is an integer below 2^61 in units of quantum^2, and the
 * quantum is a multiple of that unit with at least one bit between. Then sums and products can be
 * computed as sums and products of integers. */
SF8_FN uint32_t sf8_core_is_fixed(sf8_format f)
{
    int32_t quantum = sf8_core_quantum(f);
    int32_t bits = sf8_format_emax(f) + 1 - quantum;
    return sf8_core_is_narrow(f) && quantum <= -1 && 2 * bits <= 60 && bits - quantum <= 60;
}

#if SF8_USE_TABLES
/* The values of all formats with 4 bits of exponent and 3 of mantissa, by code, in units of their
 * quantum. The compiler evaluates the same expression as in sf8_core_unpack. */
#define SF8_E4M3_MAG(m) ((((m)&7) | ((m) > 7) << 3) << (((m) >> 3) - ((m) > 7)))
#define SF8_E4M3_VALUE(c) ((c) < 128 ? SF8_E4M3_MAG((c)&127) : -SF8_E4M3_MAG((c)&127))
#define SF8_E4M3_4(c)                                                                              \
    SF8_E4M3_VALUE(c), SF8_E4M3_VALUE(c + 1), SF8_E4M3_VALUE(c + 2), SF8_E4M3_VALUE(c + 3)
#define SF8_E4M3_16(c) SF8_E4M3_4(c), SF8_E4M3_4(c + 4), SF8_E4M3_4(c + 8), SF8_E4M3_4(c + 12)
#define SF8_E4M3_64(c) SF8_E4M3_16(c), SF8_E4M3_16(c + 16), SF8_E4M3_16(c + 32), SF8_E4M3_16(c + 48)
static SF8_CONSTEXPR const int32_t sf8_e4m3_values[256] = {SF8_E4M3_64(0), SF8_E4M3_64(64),
                                                           SF8_E4M3_64(128), SF8_E4M3_64(192)};
#endif

SF8_FN int64_t sf8_core_signed(uint32_t sign, uint64_t sig)
{
    return (int64_t)((sig ^ (UINT64_C(0) - sign)) + sign);
}

/* The value of a finite code in units of the quantum, for a fixed format. */
SF8_FN int64_t sf8_core_fixed_value(sf8_format f, uint64_t code, sf8_policy policy)
{
#if SF8_USE_TABLES
    if (f.exp_bits == 4 && f.man_bits == 3 && !(policy.flush & SF8_FLUSH_INPUTS))
        return sf8_e4m3_values[code];
#endif
    sf8_number x = sf8_core_unpack(f, code, policy);
    return sf8_core_signed(x.sign, x.sig << (x.exponent - sf8_core_quantum(f)));
}

/* The sign of a sum of two values of signs a and b. Two negative values have a negative sum, and so
 * have two negative zeros. A sum of other values that is zero is positive, or negative when
 * rounding down. */
SF8_FN uint32_t sf8_core_sum_sign(int64_t sum, uint32_t a, uint32_t b, sf8_policy policy)
{
    uint32_t sign = (uint32_t)((uint64_t)sum >> 63) | (a & b);
    if (policy.round == SF8_RD)
        sign |= (a | b) & (sum == 0);
    return sign;
}

SF8_FN uint64_t sf8_core_magnitude(int64_t sum)
{
    uint64_t negative = (uint64_t)sum >> 63;
    return ((uint64_t)sum ^ (UINT64_C(0) - negative)) + negative;
}

/* x + y where the exponents may be farther apart than 62 bits can hold. */
SF8_FN sf8_result sf8_core_sum_far(sf8_format f, sf8_policy policy, sf8_number x, int32_t x_bits,
                                   sf8_number y, int32_t y_bits, uint32_t random)
{
    uint32_t x_higher = x.exponent >= y.exponent;
    sf8_number high = x_higher ? x : y;
    sf8_number low = x_higher ? y : x;
    int32_t room = 60 - (x_higher ? x_bits : y_bits);
    int32_t d = high.exponent - low.exponent;
    if (high.sig == 0) {
        high.exponent = low.exponent;
        d = 0;
    } else if (d > room) {
        low.sig = sf8_shift_right_jam(low.sig, d - room);
        d = room;
    }
    int64_t sum = sf8_core_signed(high.sign, high.sig << d) + sf8_core_signed(low.sign, low.sig);
    return sf8_core_round_number(f, policy, sf8_core_sum_sign(sum, x.sign, y.sign, policy),
                                 high.exponent - d, sf8_core_magnitude(sum), random);
}

/* x + y, rounded; x.sig < 2^x_bits, y.sig < 2^y_bits. `span` is the largest difference of exponents
 * that can occur; it is a constant if the format is one.
 *
 * If the operand of larger exponent, shifted left up to bit 60, always reaches the other's
 * position, the sum is exact. Otherwise (d > room) the second operand is jammed. In units of the
 * jammed bit, the first one, if not 0, is then at least 2^room (narrow formats) or has its leading
 * one at bit 59 (other formats, normalised); the second one is below 2^(2p), or 2^p if it is not a
 * product. With p <= 6, or with both normalised, the sum keeps at least p + 34 bits above the
 * jammed one: enough for every rounding mode and 32 random bits. */
SF8_FN sf8_result sf8_core_sum(sf8_format f, sf8_policy policy, sf8_number x, int32_t x_bits,
                               sf8_number y, int32_t y_bits, int32_t span, uint32_t random)
{
    if (span > 60 - x_bits || span > 60 - y_bits)
        return sf8_core_sum_far(f, policy, x, x_bits, y, y_bits, random);
    int32_t exponent = sf8_min(x.exponent, y.exponent);
    int64_t sum = sf8_core_signed(x.sign, x.sig << (x.exponent - exponent)) +
                  sf8_core_signed(y.sign, y.sig << (y.exponent - exponent));
    return sf8_core_round_number(f, policy, sf8_core_sum_sign(sum, x.sign, y.sign, policy),
                                 exponent, sf8_core_magnitude(sum), random);
}

SF8_COLD sf8_result sf8_core_add_special(sf8_format f, uint64_t a, uint64_t b, uint32_t negate_b,
                                         sf8_policy policy)
{
    if (sf8_is_nan(f, a) || sf8_is_nan(f, b))
        return sf8_core_nan2(f, a, b, policy);
    uint32_t sign_a = sf8_core_sign(f, a), sign_b = sf8_core_sign(f, b) ^ negate_b;
    if (!sf8_is_inf(f, a))
        return sf8_core_infinity(f, policy, sign_b, 0);
    if (sf8_is_inf(f, b) && sign_a != sign_b)
        return sf8_core_invalid(f, policy);
    return sf8_core_infinity(f, policy, sign_a, 0);
}

SF8_FN sf8_result sf8_core_add_or_sub(sf8_format f, uint64_t a, uint64_t b, uint32_t negate_b,
                                      sf8_policy policy, uint32_t random)
{
    a &= sf8_format_code_mask(f);
    b &= sf8_format_code_mask(f);
    if (SF8_RARE(sf8_is_special(f, a) | sf8_is_special(f, b)))
        return sf8_core_add_special(f, a, b, negate_b, policy);
    if (sf8_core_is_fixed(f)) {
        /* In units of half the quantum, so that one bit is cut off. */
        int64_t x = sf8_core_fixed_value(f, a, policy), y = sf8_core_fixed_value(f, b, policy);
        int64_t sum = negate_b ? x - y : x + y;
        uint32_t sign_b = sf8_core_sign(f, b) ^ negate_b;
        uint32_t sign = sf8_core_sum_sign(sum, sf8_core_sign(f, a), sign_b, policy);
        sf8_result r = sf8_core_round_fixed(f, policy, sign, sf8_core_quantum(f) - 1,
                                            2 * sf8_core_magnitude(sum), random);
        /* A sum below the smallest normal number is exact. What is flushed underflows, and so does
         * zero where there is none. */
        if (f.has_zero && !(policy.flush & SF8_FLUSH_OUTPUTS))
            r.flags &= ~(uint32_t)SF8_UNDERFLOW;
        return r;
    }
    sf8_number x = sf8_core_operand(f, a, policy);
    sf8_number y = sf8_core_operand(f, b, policy);
    y.sign ^= negate_b;
    int32_t bits = f.man_bits + 1;
    return sf8_core_sum(f, policy, x, bits, y, bits, sf8_core_high(f) - sf8_core_low(f), random);
}

SF8_FN sf8_result sf8_core_add(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy,
                               uint32_t random)
{
    return sf8_core_add_or_sub(f, a, b, 0, policy, random);
}

SF8_FN sf8_result sf8_core_sub(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy,
                               uint32_t random)
{
    return sf8_core_add_or_sub(f, a, b, 1, policy, random);
}

SF8_FN uint32_t sf8_core_is_zero(sf8_format f, uint64_t code, sf8_policy policy)
{
    return !sf8_is_special(f, code) && sf8_core_unpack(f, code, policy).sig == 0;
}

SF8_COLD sf8_result sf8_core_mul_special(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy)
{
    if (sf8_is_nan(f, a) || sf8_is_nan(f, b))
        return sf8_core_nan2(f, a, b, policy);
    if (sf8_core_is_zero(f, a, policy) || sf8_core_is_zero(f, b, policy))
        return sf8_core_invalid(f, policy);
    return sf8_core_infinity(f, policy, sf8_core_sign(f, a) ^ sf8_core_sign(f, b), 0);
}

SF8_FN sf8_result sf8_core_mul(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy,
                               uint32_t random)
{
    a &= sf8_format_code_mask(f);
    b &= sf8_format_code_mask(f);
    if (SF8_RARE(sf8_is_special(f, a) | sf8_is_special(f, b)))
        return sf8_core_mul_special(f, a, b, policy);
    if (sf8_core_is_fixed(f)) {
        int64_t x = sf8_core_fixed_value(f, a & sf8_format_mag_mask(f), policy);
        int64_t y = sf8_core_fixed_value(f, b & sf8_format_mag_mask(f), policy);
        return sf8_core_round_fixed(f, policy, sf8_core_sign(f, a ^ b), 2 * sf8_core_quantum(f),
                                    (uint64_t)(x * y), random);
    }
    sf8_number x = sf8_core_operand(f, a, policy);
    sf8_number y = sf8_core_operand(f, b, policy);
    return sf8_core_round_number(f, policy, x.sign ^ y.sign, x.exponent + y.exponent, x.sig * y.sig,
                                 random);
}

SF8_COLD sf8_result sf8_core_fma_special(sf8_format f, uint64_t a, uint64_t b, uint64_t c,
                                         sf8_policy policy)
{
    uint32_t product_nan = (sf8_is_inf(f, a) && sf8_core_is_zero(f, b, policy)) ||
                           (sf8_is_inf(f, b) && sf8_core_is_zero(f, a, policy));
    uint32_t product_inf = sf8_is_inf(f, a) || sf8_is_inf(f, b);
    uint32_t sign = sf8_core_sign(f, a) ^ sf8_core_sign(f, b);
    if (sf8_is_nan(f, a) || sf8_is_nan(f, b) || sf8_is_nan(f, c)) {
        uint32_t bad = product_nan || sf8_core_is_signaling(f, b, policy) ||
                       sf8_core_is_signaling(f, c, policy);
        uint64_t first = sf8_is_nan(f, a) ? a : sf8_is_nan(f, b) ? b : c;
        return sf8_core_propagate(f, f, first, policy, bad ? (uint32_t)SF8_INVALID : 0u);
    }
    if (product_nan || (product_inf && sf8_is_inf(f, c) && sign != sf8_core_sign(f, c)))
        return sf8_core_invalid(f, policy);
    return sf8_core_infinity(f, policy, product_inf ? sign : sf8_core_sign(f, c), 0);
}

/* a * b + c. */
SF8_FN sf8_result sf8_core_fma(sf8_format f, uint64_t a, uint64_t b, uint64_t c, sf8_policy policy,
                               uint32_t random)
{
    a &= sf8_format_code_mask(f);
    b &= sf8_format_code_mask(f);
    c &= sf8_format_code_mask(f);
    if (SF8_RARE(sf8_is_special(f, a) | sf8_is_special(f, b) | sf8_is_special(f, c)))
        return sf8_core_fma_special(f, a, b, c, policy);
    if (sf8_core_is_fixed(f)) {
        int32_t quantum = sf8_core_quantum(f);
        int64_t product = sf8_core_fixed_value(f, a, policy) * sf8_core_fixed_value(f, b, policy);
        int64_t sum = product + sf8_core_fixed_value(f, c, policy) * (INT64_C(1) << -quantum);
        uint32_t sign = sf8_core_sum_sign(sum, sf8_core_sign(f, a ^ b), sf8_core_sign(f, c),
                                          policy);
        return sf8_core_round_fixed(f, policy, sign, 2 * quantum, sf8_core_magnitude(sum), random);
    }
    sf8_number x = sf8_core_operand(f, a, policy);
    sf8_number y = sf8_core_operand(f, b, policy);
    sf8_number z = sf8_core_operand(f, c, policy);
    int32_t bits = f.man_bits + 1;
    int32_t low = sf8_core_low(f), high = sf8_core_high(f);
    int32_t above = 2 * high - low, below = high - 2 * low;
    x.sig *= y.sig;
    x.exponent += y.exponent;
    x.sign ^= y.sign;
    return sf8_core_sum(f, policy, x, 2 * bits, z, bits, above > below ? above : below, random);
}

SF8_COLD sf8_result sf8_core_div_special(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy)
{
    uint32_t sign = sf8_core_sign(f, a) ^ sf8_core_sign(f, b);
    uint32_t by_zero = sf8_core_is_zero(f, b, policy);
    if (sf8_is_nan(f, a) || sf8_is_nan(f, b))
        return sf8_core_nan2(f, a, b, policy);
    if ((sf8_is_inf(f, a) && sf8_is_inf(f, b)) || (by_zero && sf8_core_is_zero(f, a, policy)))
        return sf8_core_invalid(f, policy);
    if (by_zero && policy.dialect == SF8_DIALECT_P3109)
        return sf8_result_of(sf8_core_made_nan(f, policy), SF8_DIVBYZERO);
    if (sf8_is_inf(f, a))
        return sf8_core_infinity(f, policy, sign, 0);
    if (sf8_is_inf(f, b))
        return sf8_core_round_number(f, policy, sign, 0, 0, 0);
    return sf8_core_infinity(f, policy, sign, SF8_DIVBYZERO);
}

/* a / b: the quotient has at least p + 34 bits and is jammed by the remainder. */
SF8_FN sf8_result sf8_core_div(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy,
                               uint32_t random)
{
    a &= sf8_format_code_mask(f);
    b &= sf8_format_code_mask(f);
    sf8_number x = sf8_core_operand(f, a, policy);
    sf8_number y = sf8_core_operand(f, b, policy);
    if (SF8_RARE(sf8_is_special(f, a) | sf8_is_special(f, b) | (y.sig == 0)))
        return sf8_core_div_special(f, a, b, policy);
    int32_t up = 60 - f.man_bits;
    uint64_t sig;
    if (f.man_bits < 8) {
        sig = (x.sig << up) / y.sig;
        sig |= sig * y.sig != x.sig << up;
    } else {
        /* A long division in two steps, of 36 and 24 bits, by a divisor of up to 24 bits. */
        uint64_t first = (x.sig << 36) / y.sig;
        uint64_t rest = ((x.sig << 36) - first * y.sig) << 24;
        sig = (first << 24) | (rest / y.sig) | (rest % y.sig != 0);
        up = 60;
    }
    int32_t exponent = x.exponent - y.exponent - up;
    return sf8_core_round_number(f, policy, x.sign ^ y.sign, exponent, sig, random);
}

/* The first `bits` bits of the square root of sig, 2^60 <= sig < 2^62, digit by digit: two bits of
 * sig give one bit of the root, beginning with its leading one. One more bit is 1 if the root is
 * not exact. */
SF8_FN uint64_t sf8_core_isqrt(uint64_t sig, int32_t bits)
{
    uint64_t root = 0, rest = 0;
    for (int32_t i = 0; i < bits; i++) {
        rest = (rest << 2) | ((sig >> 60) & 3);
        sig <<= 2;
        uint64_t trial = (root << 2) | 1;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    return (root << 1) | (rest != 0 || (sig & ((UINT64_C(1) << 62) - 1)) != 0);
}

SF8_FN sf8_result sf8_core_sqrt(sf8_format f, uint64_t a, sf8_policy policy, uint32_t random)
{
    a &= sf8_format_code_mask(f);
    if (SF8_RARE(sf8_is_special(f, a))) {
        if (sf8_is_nan(f, a))
            return sf8_core_propagate(f, f, a, policy, 0);
        if (sf8_core_sign(f, a))
            return sf8_core_invalid(f, policy);
        return sf8_core_infinity(f, policy, 0, 0);
    }
    sf8_number x = sf8_core_unpack(f, a, policy);
    if (x.sig == 0)
        return sf8_core_round_number(f, policy, x.sign, 0, 0, random);
    if (x.sign)
        return sf8_core_invalid(f, policy);
    /* Normalises sig to [2^60, 2^62) with an even exponent, so that the root lies in [2^30, 2^31) *
     * 2^(exponent/2). */
    int32_t up = sf8_clz64(x.sig) - 2;
    up -= (x.exponent - up) & 1;
    int32_t bits = f.man_bits + (policy.round == SF8_SR ? 35 : 3);
    int32_t exponent = (x.exponent - up) / 2 + 31 - (bits + 1);
    return sf8_core_round_number(f, policy, 0, exponent, sf8_core_isqrt(x.sig << up, bits), random);
}

/* The IEEE remainder a - b * n, where n is the integer nearest to a / b, the even one in a tie. It
 * is always exact. */
SF8_FN sf8_result sf8_core_rem(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy,
                               uint32_t random)
{
    a &= sf8_format_code_mask(f);
    b &= sf8_format_code_mask(f);
    if (sf8_is_nan(f, a) || sf8_is_nan(f, b))
        return sf8_core_nan2(f, a, b, policy);
    if (sf8_is_inf(f, a) || sf8_core_is_zero(f, b, policy))
        return sf8_core_invalid(f, policy);
    sf8_number x = sf8_core_unpack(f, a, policy);
    if (sf8_is_inf(f, b))
        return sf8_core_round_number(f, policy, x.sign, x.exponent, x.sig, random);
    sf8_number y = sf8_core_unpack(f, b, policy);
    int32_t d = x.exponent - y.exponent;
    if (d < -34) /* |a| < |b| / 2, as precisions are below 32 */
        return sf8_core_round_number(f, policy, x.sign, x.exponent, x.sig, random);
    if (d < 0) {
        y.sig <<= -d;
        y.exponent += d;
        d = 0;
    }
    /* Computed modulo 2b, so that the parity of the quotient is known. Then 2b < 2^26 where d >
     * 0. */
    uint64_t modulus = 2 * y.sig;
    uint64_t rest = x.sig % modulus;
    while (d > 0) {
        int32_t step = d < 36 ? d : 36;
        rest = (rest << step) % modulus;
        d -= step;
    }
    uint32_t odd = rest >= y.sig;
    uint32_t sign = x.sign;
    rest -= odd ? y.sig : 0;
    if (rest > y.sig - rest || (rest == y.sig - rest && odd)) {
        rest = y.sig - rest;
        sign ^= 1;
    }
    return sf8_core_round_number(f, policy, sign, y.exponent, rest, random);
}

/* Rounds to an integral value in the same format. With `exact`, SF8_INEXACT is raised if the value
 * was not integral. A result beyond the format's range (possible if 2^man_bits > max) overflows by
 * the policy. */
SF8_FN sf8_result sf8_core_rint(sf8_format f, uint64_t a, sf8_policy policy, int32_t exact,
                                uint32_t random)
{
    a &= sf8_format_code_mask(f);
    if (SF8_RARE(sf8_is_special(f, a)))
        return sf8_core_convert_special(f, f, a, policy);
    sf8_number x = sf8_core_unpack(f, a, policy);
    if (x.exponent >= 0)
        return sf8_core_round_number(f, policy, x.sign, x.exponent, x.sig, random);
    sf8_result part = sf8_core_integer_part(x, policy, random);
    if (!f.has_zero && part.code == 0) /* no operand is zero here, so the result is not an exact
                                          zero */
        return sf8_core_missing_zero(f, policy, 0);
    sf8_result r = sf8_core_round_number(f, policy, x.sign, 0, part.code, random);
    if (exact)
        r.flags |= part.flags;
    return r;
}

/* a * 2^n. */
SF8_FN sf8_result sf8_core_scalb(sf8_format f, uint64_t a, int32_t n, sf8_policy policy,
                                 uint32_t random)
{
    a &= sf8_format_code_mask(f);
    if (SF8_RARE(sf8_is_special(f, a)))
        return sf8_core_convert_special(f, f, a, policy);
    sf8_number x = sf8_core_unpack(f, a, policy);
    n = n > 20000 ? 20000 : n < -20000 ? -20000 : n;
    return sf8_core_round_number(f, policy, x.sign, x.exponent + n, x.sig, random);
}

#endif
