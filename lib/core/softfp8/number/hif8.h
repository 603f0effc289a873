/* SPDX-License-Identifier: MIT */
/** @file
 * hif8.h -- HiF8 (HiFloat8, Huawei): 8 bits whose precision falls as the exponent moves away from 0
 *
 * A format of this library is a row of data, from which everything else follows: all normal numbers
 * have the same precision, and codes grow with their values. HiF8 has neither property. Its rule is
 * in this file; its largest number, smallest normal number and NaN are in format.h, which says the
 * same of every format. Only conversions and text know it. Below the sign a code is
 *
 *     dot     exponent   mantissa  value
 *     0000    -          3 bits m  2^(m - 23); m = 0 is zero, and NaN with the sign
 *     0001    0 bits     3 bits    2^0 * 1.mmm
 *     001     1 bit      3 bits    the exponent is a sign and a magnitude, of which the leading 1
 *     01      2 bits     3 bits    is not stored: s means 1 or -1, s0 and s1 mean 2, 3 or -2, -3,
 *     10      3 bits     2 bits    and so on up to 15
 *     11      4 bits     1 bit     2^15 * 1.1 is infinity
 *
 * Numbers of one precision are numbers of a row of that precision, which is called a zone here. The
 * exponent of an exact value chooses the zone, the one function of round.h rounds to it, and the
 * bits of the result are put into HiF8's order. A carry into the next zone has no mantissa bits, so
 * that it is a number there too. In every zone the last bit of a code is the last bit of the
 * mantissa, and below 2^-15 that of the code itself: of two codes the even one takes a tie.
 *
 * The values of all formats with a row and of HiF8 can be converted to each other. HiF8 is never
 * taken for the wider format (see sf8_core_keeps_infinity).
 */
#ifndef SOFTFP8_HIF8_H
#define SOFTFP8_HIF8_H

#include "softfp8/number/convert.h"

/** Returns the format HiF8. It is not valid in the sense of sf8_format_valid: conversions, text and
 * vectors take it, and every other function refuses it. */
SF8_FN sf8_format sf8_hif8_format(void)
{
    return sf8_format_row(4, 3, 1, SF8_NANS_HIF8, 1, 1, 16);
}

/** Returns 1 for HiF8. */
SF8_FN int32_t sf8_is_hif8(sf8_format f)
{
    return f.nan == SF8_NANS_HIF8 && f.exp_bits == 4 && f.man_bits == 3 && f.is_signed == 1 &&
           f.has_inf == 1 && f.has_zero == 1 && f.bias == 16;
}

/** Returns 1 if conversions take a format: a valid row, or HiF8. */
SF8_FN int32_t sf8_format_converts(sf8_format f)
{
    return sf8_format_valid(f) || sf8_is_hif8(f);
}

/* The row of HiF8's numbers from 2^exponent to 2^(exponent + 1). That of the least ones also has
 * zero; that of the largest has 2^15 as its maximum. */
SF8_FN sf8_format sf8_hif8_zone(int32_t exponent)
{
    int32_t size = exponent < 0 ? -exponent : exponent;
    if (exponent < -15)
        return sf8_format_row(5, 0, 1, SF8_NANS_NEG_ZERO, 1, 1, 23);
    return sf8_format_row(5, 3 - (size > 3) - (size > 7), 1, SF8_NANS_NEG_ZERO, 1, 1, 16);
}

/* Returns the code of `zone` that has the same meaning as a code of HiF8, and its zone. */
SF8_FN uint64_t sf8_hif8_unpack(uint64_t code, sf8_format *zone)
{
    int32_t mag = (int32_t)(code & 0x7f), exponent = -16, stored = 0;
    if (mag >= 8) {
        stored = mag >= 0x60 ? 4 : mag >= 0x40 ? 3 : mag >= 0x20 ? 2 : mag >= 0x10;
        int32_t field = mag >> (stored > 2 ? 5 - stored : 3);
        int32_t leading = 1 << stored >> 1; /* where the exponent has its sign, and a 1 */
        exponent = leading | (field & (leading - (leading > 0)));
        exponent = field & leading ? -exponent : exponent;
    }
    *zone = sf8_hif8_zone(exponent);
    uint64_t own = mag < 8 ? (uint64_t)mag
                           : (uint64_t)(exponent + 16) << zone->man_bits |
                                 ((uint64_t)mag & ((UINT64_C(1) << zone->man_bits) - 1));
    return own | (code & 0x80 ? sf8_format_sign_bit(*zone) : 0);
}

/* The reverse: the code of HiF8 for one of a zone, also for one that a carry has left. */
SF8_FN uint64_t sf8_hif8_pack(sf8_format zone, uint64_t code)
{
    uint64_t sign = code & sf8_format_sign_bit(zone) ? 0x80 : 0;
    uint64_t mag = code & sf8_format_mag_mask(zone);
    int32_t exponent = (int32_t)(mag >> zone.man_bits) - zone.bias;
    if (exponent < -15)
        return sign | (zone.man_bits ? 0 : mag);
    int32_t size = exponent < 0 ? -exponent : exponent;
    int32_t stored = (size > 0) + (size > 1) + (size > 3) + (size > 7);
    int32_t man_bits = stored > 2 ? 5 - stored : 3;
    uint64_t leading = UINT64_C(1) << stored >> 1;
    uint64_t field = ((uint64_t)size & ~leading) | (exponent < 0 ? leading : 0);
    uint64_t dot = stored > 2 ? (uint64_t)stored - 1 : 1; /* 11, 10, 01, 001, 0001 */
    uint64_t mantissa = mag & ((UINT64_C(1) << zone.man_bits) - 1);
    return sign | ((dot << stored | field) << man_bits | mantissa);
}

/* Rounds sig * 2^(exponent - SF8_POINT), whose leading one is bit SF8_POINT unless it is 0. */
SF8_FN sf8_result sf8_hif8_round(sf8_policy policy, uint32_t sign, int32_t exponent, uint64_t sig,
                                 uint32_t random)
{
    sf8_format zone = sf8_hif8_zone(sig ? exponent : -16);
    if (sig == 0)
        exponent = sf8_format_emin(zone);
    sf8_result r = sf8_core_round_normal(zone, policy, sign, exponent, sig, random);
    r.code = sf8_hif8_pack(zone, r.code);
    return r;
}

/* The code of HiF8 for a NaN or an infinity of a row. */
SF8_COLD sf8_result sf8_hif8_special(sf8_format from, uint64_t code, sf8_policy policy)
{
    sf8_format zone = sf8_hif8_zone(15);
    sf8_result r = sf8_is_nan(from, code)
                       ? sf8_core_propagate(zone, from, code, policy, 0)
                       : sf8_core_infinity(zone, policy, sf8_core_sign(from, code), 0);
    r.code = sf8_hif8_pack(zone, r.code);
    return r;
}

/* Converts a code of a row to HiF8. */
SF8_FN sf8_result sf8_core_to_hif8(sf8_format from, uint64_t code, sf8_policy policy,
                                   uint32_t random)
{
    if (sf8_core_takes_via(from, policy)) {
        code = sf8_core_first_step(from, code, policy);
        from = sf8_core_via_format(policy);
    }
    code &= sf8_format_code_mask(from);
    if (sf8_is_special(from, code))
        return sf8_hif8_special(from, code, policy);
    sf8_number x = sf8_core_unpack(from, code, policy);
    int32_t msb = sf8_msb64(x.sig | 1);
    return sf8_hif8_round(policy, x.sign, x.exponent + msb, x.sig << (SF8_POINT - msb), random);
}

/* Converts a code of HiF8 to a row. Infinity is kept in a format that holds all of HiF8: at least 4
 * bits of precision, from 2^-22 to 2^15. */
SF8_FN sf8_result sf8_core_from_hif8(sf8_format to, uint64_t code, sf8_policy policy,
                                     uint32_t random)
{
    sf8_format zone;
    code = sf8_hif8_unpack(code, &zone);
    if (!sf8_is_inf(zone, code))
        return sf8_core_convert(to, zone, code, policy, random);
    if (to.has_inf && policy.dialect != SF8_DIALECT_P3109 && to.is_signed && to.man_bits >= 3 &&
        sf8_format_emin(to) - to.man_bits <= -22 && sf8_core_reaches(to, zone))
        policy.inf = SF8_TO_INF;
    return sf8_core_infinity(to, policy, sf8_core_sign(zone, code), 0);
}

/* Converts between any two formats of which at least one is HiF8. */
SF8_COLD sf8_result sf8_core_convert_hif8(sf8_format to, sf8_format from, uint64_t code,
                                          sf8_policy policy, uint32_t random)
{
    sf8_format zone;
    if (!sf8_is_hif8(from))
        return sf8_core_to_hif8(from, code, policy, random);
    if (!sf8_is_hif8(to))
        return sf8_core_from_hif8(to, code, policy, random);
    code = sf8_hif8_unpack(code, &zone);
    return sf8_core_to_hif8(zone, code, policy, random);
}

#endif
