/* SPDX-License-Identifier: MIT */
/* round.h -- the one function that rounds an exact value to a code, and its special cases
 *
 * The exact finite magnitude is given as an integer sig, 0 <= sig < 2^63; `shift`, the number of
 * its low bits that are to be cut off (1 to 63); and `above`, its exponent relative to the
 * smallest:
 *
 *      bit 62                        shift              0
 *          0 .. 0  1 m m m m m m m m . f f f f f f f f j       kept = sig >> shift
 *                  | man_bits bits |
 *
 * The unit of `kept` is the quantum 2^(emin + above - man_bits). If above > 0, the leading one of
 * sig is bit shift + man_bits. If above = 0 it is that bit or a lower one; in the latter case the
 * number is subnormal or zero. Bit 0 may be a jammed sticky bit if it lies below every bit that the
 * rounding depends on. For stochastic rounding these are the top sr_bits + 1 of the bits cut off.
 *
 * The magnitude code is kept plus above * 2^man_bits. A magnitude is an integer that grows with the
 * value, so that a carry out of the mantissa gives the next exponent, also from the subnormals. In
 * a format without zero the code is 1 less, since no exponent field is reserved for subnormals.
 */
#ifndef SOFTFP8_ROUND_H
#define SOFTFP8_ROUND_H

#include "softfp8/number/format.h"
#include "softfp8/number/policy.h"

/* The bit position of the leading one of a normalised significand. */
#define SF8_POINT 61

/* Returns what is added to a significand before its low `shift` (1 to 63) bits are cut off, so that
 * the carry does the rounding. `odd` is the lowest kept bit. Every nonzero remainder r, 0 < r <
 * 2^shift, must carry or not as the mode says; r = 0 never carries. */
SF8_FN uint64_t sf8_core_increment(sf8_policy policy, int32_t p1, uint32_t sign, int32_t shift,
                                   uint32_t odd, uint32_t random)
{
    uint64_t midpoint = UINT64_C(1) << (shift - 1);
    uint64_t all = midpoint + (midpoint - 1);
    switch (policy.round) {
    default: /* SF8_RNE: a tie carries if the kept part is odd */
        if (p1 && policy.tie_p1 == SF8_TIE_AWAY)
            return midpoint;
        return midpoint - 1 + odd;
    case SF8_RNA:
        return midpoint;
    case SF8_RZ:
        return 0;
    case SF8_RU:
        return sign ? 0 : all;
    case SF8_RD:
        return sign ? all : 0;
    case SF8_RO:
        return odd ? 0 : all;
    case SF8_RNZ:
        return midpoint - 1;
    case SF8_SR: {
        /* With n random bits R and nu = r / 2^shift, P3109 rounds away when
         *   A: floor(nu 2^n) + R >= 2^n
         *   B: floor(nu 2^(n+1)) + 2R+1 >= 2^(n+1), which is A with n+1 bits and 2R+1
         *   C: rint(nu 2^n) + R >= 2^n, rint to nearest even
         * For A, R aligned with the top of the cut bits carries in exactly these cases. If fewer
         * than n bits are cut, the low bits of R are added to zeros and have no effect. For C the
         * carry must come from r >= (2^n - R) 2^k - 2^(k-1), k = shift - n, and in the case of
         * equality only if 2^n - R is even, that is if R is even. */
        int32_t n = (int32_t)policy.sr_bits;
        uint64_t word = random & ((UINT64_C(1) << n) - 1);
        if (policy.sr_rule == SF8_SR_B) {
            word = 2 * word + 1;
            n++;
        }
        if (n >= shift)
            return word >> (n - shift);
        word <<= shift - n;
        if (policy.sr_rule == SF8_SR_C)
            word += (UINT64_C(1) << (shift - n - 1)) - ((word >> (shift - n)) & 1);
        return word;
    }
    }
}

/* What the NaN of an operand contributes: its sign as the policy's nan_sign reads it, its actual
 * sign, and its mantissa bits from bit 63 down. All are zero for a NaN that an operation makes. */
typedef struct sf8_nan {
    uint32_t sign;
    uint32_t operand_sign;
    uint64_t payload;
} sf8_nan;

/* Returns a NaN of `f`, or what replaces it if `f` has none or the policy says so. */
SF8_FN uint64_t sf8_core_nan(sf8_format f, sf8_policy policy, sf8_nan nan)
{
    uint64_t sign_bit = sf8_format_sign_bit(f);
    uint64_t sign_code = nan.sign ? sign_bit : 0;
    uint64_t operand_sign = nan.operand_sign ? sign_bit : 0;
    if (f.nan != SF8_NANS_NONE && policy.nan == SF8_NAN_KEPT) {
        if (f.nan == SF8_NANS_NEG_ZERO)
            return sign_bit;
        if (f.nan == SF8_NANS_TOP)
            return sf8_format_mag_mask(f) | sign_code;
        uint64_t quiet = UINT64_C(1) << (f.man_bits - 1);
        uint64_t m = quiet;
        if (policy.nan_code == SF8_NAN_ONES)
            m = 2 * quiet - 1;
        else if (policy.nan_code == SF8_NAN_PAYLOAD)
            m = quiet | (nan.payload >> (64 - f.man_bits));
        else if (policy.nan_code == SF8_NAN_SIGNALING)
            m = 1;
        else if (policy.nan_code == SF8_NAN_BITS && nan.payload)
            m = nan.payload >> (64 - f.man_bits);
        return sf8_format_inf(f) | m | sign_code;
    }
    switch (policy.missing_nan) {
    default:
        return sf8_format_max(f);
    case SF8_MISSING_SIGNED_MAX:
        return sf8_format_max(f) | operand_sign;
    case SF8_MISSING_ZERO:
        return 0;
    case SF8_MISSING_SIGNED_ZERO:
        return sf8_format_has_neg_zero(f) ? operand_sign : 0;
    case SF8_MISSING_OPPOSITE_ZERO:
        return sf8_format_has_neg_zero(f) ? operand_sign ^ sign_bit : 0;
    case SF8_MISSING_INF:
        return (f.has_inf ? sf8_format_inf(f) : sf8_format_max(f)) | operand_sign;
    case SF8_MISSING_NEG_ZERO:
        return sf8_format_has_neg_zero(f) ? sign_bit : 0;
    }
}

/* Returns the NaN that an operation makes, without payload: positive, or with the sign of a value
 * that has become a NaN, if the policy's made_nan_sign says so. */
SF8_FN uint64_t sf8_core_nan_with(sf8_format f, sf8_policy policy, uint32_t sign)
{
    sf8_nan made = {0, 0, 0};
    made.sign = made.operand_sign = sign & (policy.made_nan_sign == SF8_MADE_SIGNED);
    return sf8_core_nan(f, policy, made);
}

SF8_FN uint64_t sf8_core_made_nan(sf8_format f, sf8_policy policy)
{
    return sf8_core_nan_with(f, policy, 0);
}

SF8_FN uint32_t sf8_core_lost_flags(uint32_t rule)
{
    switch (rule) {
    default:
        return SF8_INVALID;
    case SF8_LOST_NONE:
        return 0;
    case SF8_LOST_INEXACT:
        return SF8_INEXACT;
    case SF8_LOST_OVERFLOW:
        return SF8_OVERFLOW | SF8_INEXACT;
    }
}

/* Returns the result for a NaN operand. `flags` already has SF8_INVALID if one was signaling. */
SF8_COLD sf8_result sf8_core_nan_result(sf8_format f, sf8_policy policy, sf8_nan nan,
                                        uint32_t flags)
{
    if (f.nan == SF8_NANS_NONE || policy.nan == SF8_NAN_AS_MISSING)
        flags |= sf8_core_lost_flags(policy.nan_flags);
    return sf8_result_of(sf8_core_nan(f, policy, nan), flags);
}

/* Returns the result of an invalid operation. */
SF8_COLD sf8_result sf8_core_invalid(sf8_format f, sf8_policy policy)
{
    return sf8_result_of(sf8_core_made_nan(f, policy), SF8_INVALID);
}

/* Returns the code for a value beyond the largest finite number, of a sign, by a rule SF8_TO_*. */
SF8_FN uint64_t sf8_core_limit(sf8_format f, sf8_policy policy, uint32_t rule, uint32_t sign)
{
    uint64_t sign_code = sign ? sf8_format_sign_bit(f) : 0;
    if (rule == SF8_TO_MAX)
        return sf8_format_max(f) | sign_code;
    if (f.has_inf)
        return sf8_format_inf(f) | sign_code;
    if (rule != SF8_TO_INF && f.nan != SF8_NANS_NONE)
        return sf8_core_nan_with(f, policy, sign);
    if (rule == SF8_TO_ZERO)
        return sf8_format_has_neg_zero(f) ? sign_code : 0;
    return sf8_format_max(f) | sign_code;
}

/* Returns the result for a negative value in an unsigned format, unless the policy takes its
 * magnitude. A finite value is `inward` if its mode rounds it toward zero. */
SF8_COLD sf8_result sf8_core_negative(sf8_format f, sf8_policy policy, uint32_t inward)
{
    if (policy.negative == SF8_NEG_NAN_ALL || (policy.negative == SF8_NEG_NAN && !inward))
        return sf8_core_invalid(f, policy);
    return sf8_result_of(0, SF8_INVALID);
}

/* Returns the result for zero (`exact`), or for a value that rounds to zero, in a format without
 * zero. */
SF8_COLD sf8_result sf8_core_missing_zero(sf8_format f, sf8_policy policy, uint32_t exact)
{
    if (policy.missing_zero == SF8_ZERO_NAN || policy.missing_zero == SF8_ZERO_NAN_BELOW ||
        (exact && policy.missing_zero == SF8_ZERO_NAN_EXACT))
        return sf8_core_invalid(f, policy);
    return sf8_result_of(0, SF8_UNDERFLOW | SF8_INEXACT);
}

/* Returns the result for an infinite exact value. A division by zero passes SF8_DIVBYZERO in
 * `flags` and raises only that. Otherwise, if the infinity is lost, the policy says which flag is
 * raised. */
SF8_COLD sf8_result sf8_core_infinity(sf8_format f, sf8_policy policy, uint32_t sign,
                                      uint32_t flags)
{
    if (!f.is_signed && sign && policy.negative != SF8_NEG_ABS)
        return sf8_core_negative(f, policy, 0);
    uint64_t code = sf8_core_limit(f, policy, policy.inf, sign & f.is_signed);
    if (flags == 0 && !sf8_is_inf(f, code))
        flags = sf8_core_lost_flags(policy.inf_flags);
    return sf8_result_of(code, flags);
}

/* Returns 1 if the value is tiny: below the smallest normal number, either before rounding or when
 * it is rounded to the target's precision with an unbounded exponent. In the second case one bit
 * less is cut off a number just below the smallest normal one; no smaller number can round up that
 * far. */
SF8_FN uint32_t sf8_core_is_tiny(sf8_format to, sf8_policy policy, uint32_t sign, uint64_t sig,
                                 int32_t shift, int32_t above, uint32_t random)
{
    uint32_t below = (above == 0) & (sig >> shift >> to.man_bits == 0);
    if (policy.tininess == SF8_TINY_BEFORE)
        return below;
    /* With 1 bit of precision the parity of the code decides a tie. The code that 2^(emin-1) would
     * have is one less than that of 2^emin. If only one bit is cut off here, none would be cut off
     * there. */
    int32_t less = shift - 1 + (shift == 1);
    uint32_t odd = to.man_bits ? (uint32_t)(sig >> less) & 1 : !to.has_zero;
    uint64_t up = sf8_core_increment(policy, to.man_bits == 0, sign, less, odd, random);
    return below & ((shift == 1) | ((sig + up) >> shift >> to.man_bits == 0));
}

/* Returns 1 if the rounding mode itself takes an overflow toward zero, so that the policy's
 * overflow rule does not apply. */
SF8_FN uint32_t sf8_core_rounds_inward(sf8_format to, sf8_policy policy, uint32_t sign)
{
    uint32_t odd_max = policy.odd == SF8_ODD_BOUNDED && (sf8_format_max(to) & 1);
    return (policy.round == SF8_RZ) | ((policy.round == SF8_RU) & sign) |
           ((policy.round == SF8_RD) & (sign ^ 1)) | ((policy.round == SF8_RO) & odd_max);
}

/* For the fields `round_past_max` and `beyond_max`: returns 1, and *code, if they decide what
 * becomes of a result that is too large but whose exponent fits the field; 0 if `overflow` decides.
 * Its magnitude is `kept` before and `mag` after rounding. */
SF8_COLD uint32_t sf8_core_beyond(sf8_format to, sf8_policy policy, uint64_t kept, uint64_t mag,
                                  uint32_t sign, uint64_t *code)
{
    uint64_t max = sf8_format_max(to), last = sf8_format_mag_mask(to);
    uint64_t sign_code = sign ? sf8_format_sign_bit(to) : 0;
    *code = mag | sign_code;
    if (kept == max) {
        if (policy.round_past_max == SF8_ROUND_PAST_MAX_NEXT && mag <= last)
            return 1;
        *code = sf8_core_nan_with(to, policy, sign);
        return policy.round_past_max == SF8_ROUND_PAST_MAX_NAN && to.nan != SF8_NANS_NONE;
    }
    if (policy.beyond_max == SF8_BEYOND_MAX_NEXT && mag <= last)
        return 1;
    *code = max | sign_code;
    return policy.beyond_max == SF8_BEYOND_MAX_MAX && mag <= last && !to.has_inf;
}

/* Returns 1 if zero has a sign. P3109 has one zero, also in the formats of IEEE 754, all of which
 * have more than 8 bits; it does not know other formats. */
SF8_FN uint32_t sf8_core_signs_zero(sf8_format to, sf8_policy policy)
{
    return (to.nan != SF8_NANS_NEG_ZERO) &
           ((policy.dialect != SF8_DIALECT_P3109) | (sf8_format_bits(to) <= 8));
}

/* Rounds once. See the head of this file for sig, shift and above. */
SF8_FN sf8_result sf8_core_round(sf8_format to, sf8_policy policy, uint32_t sign, uint64_t sig,
                                 int32_t shift, int32_t above, uint32_t random)
{
    if (!to.is_signed && policy.negative == SF8_NEG_ABS)
        sign = 0;
    /* In a format without zero, magnitudes are counted from 1 here, so that none is negative. */
    uint64_t first = !to.has_zero;
    uint64_t base = (uint64_t)(uint32_t)above << to.man_bits;
    uint64_t kept = base + (sig >> shift);
    uint32_t odd = (uint32_t)(kept ^ first) & 1;
    uint64_t up = sf8_core_increment(policy, to.man_bits == 0, sign, shift, odd, random);
    uint64_t mag = base + ((sig + up) >> shift);
    uint64_t max = sf8_format_max(to) + first;
    uint32_t inexact = (sig & ((UINT64_C(1) << shift) - 1)) != 0;
    if (policy.above_least == SF8_ABOVE_UP && !to.has_zero && kept == first &&
        sf8_rounds_to_nearest(policy.round))
        mag = first + inexact;
    if (policy.below_normal == SF8_BELOW_STAY && to.has_zero && kept < mag &&
        mag == sf8_format_min_normal(to))
        mag = kept;
    uint32_t over = mag > max;
    if (policy.overflow_test == SF8_OVERFLOW_TEST_EXACT)
        over = (kept > max) | ((kept == max) & inexact);
    else if (policy.overflow_test == SF8_OVERFLOW_TEST_EXPONENT)
        over |= mag >> to.man_bits >= (sf8_format_mag_mask(to) >> to.man_bits) + first;
    uint32_t flags = inexact | (over * (SF8_OVERFLOW | SF8_INEXACT));

    if (!to.is_signed && sign && (to.has_zero ? mag > 0 : sig != 0))
        return sf8_core_negative(to, policy, policy.round == SF8_RZ || policy.round == SF8_RU);
    if (!to.has_zero && (mag == 0 || (kept == 0 && policy.missing_zero == SF8_ZERO_NAN_BELOW)))
        return sf8_core_missing_zero(to, policy, sig == 0);
    flags |= (inexact & sf8_core_is_tiny(to, policy, sign, sig, shift, above, random)) *
             SF8_UNDERFLOW;
    if (policy.flush & SF8_FLUSH_OUTPUTS) {
        if (mag > 0 && mag < sf8_format_min_normal(to)) {
            mag = 0;
            flags |= SF8_UNDERFLOW | SF8_INEXACT;
        }
    }

    uint64_t sign_code = (uint64_t)(sign & to.is_signed) << sf8_format_mag_bits(to);
    uint64_t code_sign = sf8_core_signs_zero(to, policy) ? sign_code
                                                         : sf8_select(mag == 0, 0, sign_code);
    if (SF8_RARE((policy.round_past_max | policy.beyond_max) && over && !policy.overflow_test)) {
        uint64_t code;
        if (sf8_core_beyond(to, policy, kept - first, mag - first, sign & to.is_signed, &code))
            return sf8_result_of(code, flags);
    }
    if (policy.overflow == SF8_TO_MAX)
        return sf8_result_of(((over || mag > max ? max : mag) - first) | code_sign, flags);
    uint64_t limit = sf8_core_limit(to, policy, policy.overflow, sign & to.is_signed);
    limit = sf8_select(sf8_core_rounds_inward(to, policy, sign), sf8_format_max(to) | sign_code,
                       limit);
    return sf8_result_of(sf8_select(over, limit, (mag - first) | code_sign), flags);
}

/* Rounds sig * 2^(exponent - SF8_POINT). The leading one of sig is bit SF8_POINT; it may be lower,
 * or sig may be 0, if exponent <= emin. The low `zeros` bits of sig are 0. */
SF8_FN sf8_result sf8_core_round_short(sf8_format to, sf8_policy policy, uint32_t sign,
                                       int32_t exponent, uint64_t sig, int32_t zeros,
                                       uint32_t random)
{
    int32_t above = exponent - sf8_format_emin(to);
    int32_t below = sf8_negative_part(above);
    /* All values whose exponent does not fit the field overflow alike: it has room for at most one
     * exponent beyond emax. A much larger one would not fit a wide magnitude. */
    if (to.man_bits > 40)
        above = sf8_min(above, sf8_format_emax(to) - sf8_format_emin(to) + 2);
    int32_t normal = SF8_POINT - to.man_bits;
    int32_t shift = normal - below;
    /* With a shift of 63 nothing is kept, and sig < 2^62 is below one half. With larger shifts only
     * stochastic rounding can distinguish values. */
    if (policy.round == SF8_SR)
        sig = sf8_shift_right_jam(sig, shift > 63 ? shift - 63 : 0);
    shift = sf8_min(shift, 63);
    /* If a subnormal number loses no bit when it is shifted down, the shift that remains is that of
     * the normal numbers. With constant formats it is a constant. */
    uint32_t moves = policy.round != SF8_SR && zeros >= 63 - normal;
    sig >>= moves ? sf8_min(-below, 63 - normal) : 0;
    return sf8_core_round(to, policy, sign, sig, moves ? normal : shift, above - below, random);
}

/* The same for any bits. */
SF8_FN sf8_result sf8_core_round_normal(sf8_format to, sf8_policy policy, uint32_t sign,
                                        int32_t exponent, uint64_t sig, uint32_t random)
{
    return sf8_core_round_short(to, policy, sign, exponent, sig, 0, random);
}

/* Rounds sig * 2^exponent for any sig < 2^62. */
SF8_FN sf8_result sf8_core_round_number(sf8_format to, sf8_policy policy, uint32_t sign,
                                        int32_t exponent, uint64_t sig, uint32_t random)
{
    int32_t msb = sf8_msb64(sig | 1);
    int32_t emin = sf8_format_emin(to);
    int32_t above = (exponent + msb - emin) & -(int32_t)(sig != 0);
    return sf8_core_round_normal(to, policy, sign, emin + above, sig << (SF8_POINT - msb), random);
}

/* Rounds sig * 2^exponent for any sig < 2^62, where the exponent is a constant and so low that at
 * least one bit of every value is cut off: 1 <= emin - man_bits - exponent <= SF8_POINT - man_bits.
 * The leading one, or the place where a normal number would have it, is then found in one step. */
SF8_FN sf8_result sf8_core_round_fixed(sf8_format to, sf8_policy policy, uint32_t sign,
                                       int32_t exponent, uint64_t sig, uint32_t random)
{
    int32_t least = sf8_format_emin(to) - exponent;
    int32_t top = sf8_msb64(sig | UINT64_C(1) << least);
    return sf8_core_round(to, policy, sign, sig << (SF8_POINT - top), SF8_POINT - to.man_bits,
                          top - least, random);
}

#endif
