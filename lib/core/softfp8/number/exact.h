/* SPDX-License-Identifier: MIT */
/* exact.h -- operations on mixed formats, and sums and products of any length, rounded once
 *
 * The exact result is sum / divisor, or the square root of that. The sum of products is an integer
 * of as many bits as its terms need. The first SF8_EXACT_DIGITS bits of the quotient or of the root
 * are computed one by one. One more bit says whether any bit after them is not 0. The function that
 * rounds all results then rounds this one. The caller measures all terms before it adds them.
 */
#ifndef SOFTFP8_EXACT_H
#define SOFTFP8_EXACT_H

#include "softfp8/number/arith.h"
#include "softfp8/number/compare.h"
#include "softfp8/number/mixed.h"

/* The digits that are computed: 24 of a result, 32 random bits, and more. */
#define SF8_EXACT_DIGITS 60
/* A number has at most 24 bits, and its last bit counts 2^-2070 to 2^4095. A term is a product of
 * at most four numbers, so the last bits of two terms are at most 4 * 6165 = 24,660 places apart. A
 * sum of 2^64 terms fits into 24,660 + 96 + 64 bits and a sign. */
#define SF8_EXACT_WORDS 800

enum { SF8_REAL_FINITE, SF8_REAL_INFINITE, SF8_REAL_NAN, SF8_REAL_INVALID };

/* A number of a format, or its product with a scale: sig < 2^48. SF8_REAL_INVALID is a NaN that is
 * not that of an operand. `keeps` is 1 if it is infinite and stays so in the result, whatever the
 * policy says about infinities (see sf8_core_keeps_infinity). */
typedef struct sf8_real {
    sf8_number number;
    uint32_t kind, keeps;
} sf8_real;

typedef struct sf8_exact {
    sf8_format to, nan_format;
    sf8_policy policy;
    uint64_t nan_code; /* the first NaN operand, if has_nan */
    uint32_t has_nan, flags;
    uint32_t kinds,
        signs;         /* of the terms: bit 0 +inf, 1 -inf, 2 NaN, 3 invalid; bit 0 +, bit 1 - */
    int64_t low, high; /* the least and the greatest exponent of a term that is not 0 */
    int32_t words;
    uint32_t word[SF8_EXACT_WORDS]; /* the sum in units of 2^low, as two's complement */
} sf8_exact;

SF8_FN void sf8_exact_begin(sf8_exact *e, sf8_format to, sf8_policy policy)
{
    e->to = e->nan_format = to;
    e->policy = policy;
    e->nan_code = 0;
    e->has_nan = e->flags = e->kinds = e->signs = 0;
    e->low = INT64_MAX;
    e->high = INT64_MIN;
    e->words = 0;
}

/* ---- operands -------------------------------------------------------------------------------- */

SF8_FN sf8_real sf8_real_of(uint32_t kind, uint32_t sign, int32_t exponent, uint64_t sig)
{
    sf8_real x;
    x.number = sf8_core_number(sign, exponent, sig);
    x.kind = kind;
    x.keeps = 0;
    return x;
}

SF8_FN uint32_t sf8_real_is_zero(sf8_real x)
{
    return x.kind == SF8_REAL_FINITE && x.number.sig == 0;
}

SF8_FN uint32_t sf8_real_is_nan(sf8_real x)
{
    return x.kind >= SF8_REAL_NAN;
}

/* The kind of a product: infinity times zero is invalid. */
SF8_FN uint32_t sf8_real_product(sf8_real a, sf8_real b)
{
    if (sf8_real_is_nan(a) || sf8_real_is_nan(b))
        return a.kind > b.kind ? a.kind : b.kind;
    if (a.kind == SF8_REAL_FINITE && b.kind == SF8_REAL_FINITE)
        return SF8_REAL_FINITE;
    return sf8_real_is_zero(a) || sf8_real_is_zero(b) ? SF8_REAL_INVALID : SF8_REAL_INFINITE;
}

/* The number of a code. It notes the first NaN. */
SF8_LONG sf8_real sf8_exact_read(sf8_exact *e, sf8_format f, uint64_t code)
{
    code &= sf8_format_code_mask(f);
    if (sf8_is_nan(f, code)) {
        if (!e->has_nan) {
            e->nan_format = f;
            e->nan_code = code;
        }
        e->has_nan = 1;
        if (sf8_core_is_signaling(f, code, e->policy))
            e->flags |= SF8_INVALID;
        return sf8_real_of(SF8_REAL_NAN, sf8_core_sign(f, code) & (f.nan != SF8_NANS_NEG_ZERO), 0,
                           0);
    }
    uint32_t sign = sf8_core_has_sign(f, code, e->policy);
    if (sf8_is_inf(f, code)) {
        sf8_real infinity = sf8_real_of(SF8_REAL_INFINITE, sign, 0, 0);
        infinity.keeps = sf8_core_keeps_infinity(e->to, f, e->policy) != 0;
        return infinity;
    }
    sf8_number x = sf8_core_unpack(f, code, e->policy);
    return sf8_real_of(SF8_REAL_FINITE, sign, x.exponent, x.sig);
}

SF8_LONG sf8_real sf8_exact_read_scaled(sf8_exact *e, sf8_operand x)
{
    sf8_real a = sf8_exact_read(e, x.format, x.code);
    if (x.scale_format.exp_bits == 0)
        return a;
    sf8_real s = sf8_exact_read(e, x.scale_format, x.scale);
    sf8_real r = sf8_real_of(sf8_real_product(a, s), a.number.sign ^ s.number.sign,
                             a.number.exponent + s.number.exponent, a.number.sig * s.number.sig);
    r.keeps = a.keeps | s.keeps;
    if (r.kind == SF8_REAL_INVALID)
        e->flags |= SF8_INVALID;
    if (sf8_real_is_zero(r) && e->policy.dialect == SF8_DIALECT_P3109 &&
        !(x.format.is_signed && sf8_core_signs_zero(x.format, e->policy)))
        r.number.sign = 0; /* the only zero of the format, also below a negative scale */
    return r;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Takes account of a term a b before it is added. */
SF8_FN void sf8_exact_measure(sf8_exact *e, sf8_real a, sf8_real b)
{
    uint32_t kind = sf8_real_product(a, b), sign = a.number.sign ^ b.number.sign;
    if (kind == SF8_REAL_FINITE || kind == SF8_REAL_INFINITE)
        e->signs |= 1u << sign;
    if (a.keeps || b.keeps)
        e->policy.inf = SF8_TO_INF;
    if (kind == SF8_REAL_INFINITE)
        e->kinds |= 1u << sign;
    else if (kind != SF8_REAL_FINITE)
        e->kinds |= kind == SF8_REAL_NAN ? 4 : 8;
    else if (a.number.sig != 0 && b.number.sig != 0) {
        int64_t exponent = (int64_t)a.number.exponent + b.number.exponent;
        e->low = exponent < e->low ? exponent : e->low;
        e->high = exponent > e->high ? exponent : e->high;
    }
}

/* Makes room for the terms that were measured. */
SF8_LONG void sf8_exact_make_room(sf8_exact *e)
{
    if (e->low > e->high)
        e->low = e->high = 0;
    e->words = (int32_t)((e->high - e->low + 96 + 64) / 32) + 2;
    for (int32_t i = 0; i < e->words; i++)
        e->word[i] = 0;
}

/* Adds a value below 2^48, or subtracts it, at a bit of the sum. */
SF8_LONG void sf8_exact_add_part(sf8_exact *e, uint32_t negative, uint64_t value, int32_t bit)
{
    int32_t first = bit >> 5, up = bit & 31;
    uint64_t low = value << up, high = value >> 1 >> (63 - up), carry = negative;
    for (int32_t i = 0; first + i < e->words && (i < 3 || carry != negative); i++) {
        uint32_t part = i == 0 ? (uint32_t)low : i == 1 ? (uint32_t)(low >> 32) : 0;
        if (i == 2)
            part = (uint32_t)high;
        carry += (uint64_t)e->word[first + i] + (negative ? ~part : part);
        e->word[first + i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Adds a term that was measured. */
SF8_LONG void sf8_exact_add(sf8_exact *e, sf8_real a, sf8_real b)
{
    if (sf8_real_product(a, b) != SF8_REAL_FINITE || a.number.sig == 0 || b.number.sig == 0)
        return;
    uint32_t negative = a.number.sign ^ b.number.sign;
    int32_t bit = (int32_t)((int64_t)a.number.exponent + b.number.exponent - e->low);
    for (int32_t i = 0; i < 4; i++)
        sf8_exact_add_part(e, negative,
                           (a.number.sig >> (i & 1) * 24 & 0xffffff) *
                               (b.number.sig >> (i >> 1) * 24 & 0xffffff),
                           bit + ((i & 1) + (i >> 1)) * 24);
}

/* Multiplies the sum by an integer below 2^32; returns 0 if that does not fit. */
SF8_LONG uint32_t sf8_exact_scale(sf8_exact *e, uint64_t factor)
{
    uint64_t carry = 0;
    for (int32_t i = 0; i < e->words; i++) {
        carry += e->word[i] * factor;
        e->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry == 0)
        return 1;
    if (e->words == SF8_EXACT_WORDS - 1)
        return 0;
    e->word[e->words++] = (uint32_t)carry;
    return 1;
}

/* Makes the sum its magnitude and returns its sign: that of sf8_core_sum_sign. */
SF8_LONG uint32_t sf8_exact_sign(sf8_exact *e)
{
    uint32_t negative = e->words ? e->word[e->words - 1] >> 31 : 0, any = 0;
    uint64_t carry = negative;
    for (int32_t i = 0; i < e->words; i++) {
        carry += negative ? ~e->word[i] : e->word[i];
        e->word[i] = (uint32_t)carry;
        any |= e->word[i];
        carry >>= 32;
    }
    while (e->words > 0 && e->word[e->words - 1] == 0)
        e->words--;
    return any ? negative : e->signs == 2 || (e->policy.round == SF8_RD && (e->signs & 2));
}

/* ---- results --------------------------------------------------------------------------------- */

/* The result for a NaN: that of the first NaN operand, or the NaN of an invalid operation. */
SF8_COLD sf8_result sf8_exact_nan(const sf8_exact *e, uint32_t invalid)
{
    if (!e->has_nan)
        return sf8_core_invalid(e->to, e->policy);
    return sf8_core_propagate(e->to, e->nan_format, e->nan_code, e->policy,
                              e->flags | (invalid ? (uint32_t)SF8_INVALID : 0u));
}

SF8_FN uint32_t sf8_exact_bit(const sf8_exact *e, int32_t i)
{
    return i < 0 || i >= 32 * e->words ? 0 : e->word[i >> 5] >> (i & 31) & 1;
}

/* The digits of sum / divisor, or of its square root, for a sum that is not 0. Bit 0 of the sum
 * counts 2^exponent / divisor.
 *
 * A long division gives a bit of the quotient for each bit of the sum, and zeros beyond them. Two
 * bits of a quotient give one bit of the root; the second of them counts an even power of 2. */
SF8_LONG sf8_number sf8_exact_digits(const sf8_exact *e, uint64_t divisor, int32_t exponent,
                                     uint32_t root)
{
    int32_t at = 32 * e->words - 1;
    at -= sf8_clz64(e->word[e->words - 1]) - 32;
    if (root)
        at += (at + exponent + 1) & 1;
    uint64_t rest = 0, digits = 0, difference = 0;
    while (digits >> (SF8_EXACT_DIGITS - 1) == 0) {
        uint64_t quotient = 0;
        for (uint32_t i = 0; i <= root; i++) {
            rest = 2 * rest + sf8_exact_bit(e, at--);
            uint32_t digit = rest >= divisor;
            rest -= digit ? divisor : 0;
            quotient = 2 * quotient + digit;
        }
        if (!root) {
            digits = 2 * digits + quotient;
            continue;
        }
        uint64_t trial = 4 * digits + 1;
        difference = 4 * difference + quotient;
        digits *= 2;
        if (difference >= trial) {
            difference -= trial;
            digits |= 1;
        }
    }
    /* The exponent of the last digit: that of the last bit read, halved for a root. */
    exponent = (exponent + at + 1) / (root ? 2 : 1);
    uint32_t more = rest != 0 || difference != 0;
    while (at >= 0 && !more)
        more = sf8_exact_bit(e, at--);
    return sf8_core_number(0, exponent - 1, 2 * digits | more);
}

/* sum / divisor, or its square root, rounded. */
SF8_LONG sf8_result sf8_exact_round(sf8_exact *e, sf8_real divisor, uint32_t root, uint32_t random)
{
    if ((e->kinds & 12) || sf8_real_is_nan(divisor) || (e->kinds & 3) == 3)
        return sf8_exact_nan(e, (e->kinds & 8) != 0 || divisor.kind == SF8_REAL_INVALID);
    uint32_t infinite = e->kinds & 3, sign = sf8_exact_sign(e);
    if (infinite)
        sign = infinite >> 1;
    uint32_t zero = !infinite && e->words == 0, by_zero = sf8_real_is_zero(divisor);
    uint32_t below_zero = (sign && !zero) || (divisor.number.sign && !by_zero);
    uint32_t by_infinity = divisor.kind == SF8_REAL_INFINITE;
    if ((root && below_zero) || (infinite && by_infinity) || (zero && by_zero))
        return sf8_core_invalid(e->to, e->policy);
    sign ^= divisor.number.sign;
    if (by_zero && e->policy.dialect == SF8_DIALECT_P3109)
        return sf8_result_of(sf8_core_made_nan(e->to, e->policy), SF8_DIVBYZERO);
    if (infinite || by_zero)
        return sf8_core_infinity(e->to, e->policy, sign, infinite ? 0u : (uint32_t)SF8_DIVBYZERO);
    if (zero || by_infinity)
        return sf8_core_round_number(e->to, e->policy, sign, 0, 0, random);
    int64_t exponent = e->low - divisor.number.exponent;
    exponent = exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent;
    sf8_number x = sf8_exact_digits(e, divisor.number.sig, (int32_t)exponent, root);
    return sf8_core_round_number(e->to, e->policy, sign, x.exponent, x.sig, random);
}

/* An operand that is the result, rounded. */
SF8_LONG sf8_result sf8_exact_round_real(const sf8_exact *e, sf8_real x, uint32_t random)
{
    sf8_policy policy = e->policy;
    if (x.keeps)
        policy.inf = SF8_TO_INF;
    sf8_result r = sf8_core_round_number(e->to, policy, x.number.sign, x.number.exponent,
                                         x.number.sig, random);
    if (sf8_real_is_nan(x))
        return sf8_exact_nan(e, x.kind == SF8_REAL_INVALID);
    if (x.kind == SF8_REAL_INFINITE)
        r = sf8_core_infinity(e->to, policy, x.number.sign, 0);
    r.flags |= e->flags;
    return r;
}

/* ---- choices --------------------------------------------------------------------------------- */

/* -1, 0 or 1 for the magnitudes of two numbers that are not NaN. */
SF8_LONG int32_t sf8_real_compare_magnitudes(sf8_real a, sf8_real b)
{
    uint64_t x = a.number.sig, y = b.number.sig;
    if (a.kind != b.kind || a.kind == SF8_REAL_INFINITE)
        return (a.kind > b.kind) - (a.kind < b.kind);
    if (x == 0 || y == 0)
        return (x > y) - (x < y);
    int32_t up_x = sf8_clz64(x), up_y = sf8_clz64(y);
    int32_t top_x = a.number.exponent - up_x, top_y = b.number.exponent - up_y;
    if (top_x != top_y)
        return top_x > top_y ? 1 : -1;
    x <<= up_x;
    y <<= up_y;
    return (x > y) - (x < y);
}

/* The same for their values; -0 is less than +0. */
SF8_LONG int32_t sf8_real_compare(sf8_real a, sf8_real b)
{
    if (a.number.sign != b.number.sign)
        return a.number.sign ? -1 : 1;
    int32_t order = sf8_real_compare_magnitudes(a, b);
    return a.number.sign ? -order : order;
}

SF8_LONG sf8_real sf8_real_extremum(sf8_real a, sf8_real b, uint32_t greater, uint32_t magnitude,
                                    uint32_t prefers)
{
    if (sf8_real_is_nan(a) || sf8_real_is_nan(b))
        return sf8_real_is_nan(a) == (prefers != 0) ? b : a;
    if (prefers == 2 && a.kind != b.kind)
        return a.kind == SF8_REAL_FINITE ? a : b;
    int32_t order = magnitude ? sf8_real_compare_magnitudes(a, b) : 0;
    order = order ? order : sf8_real_compare(a, b);
    return (order > 0) == greater ? a : b;
}

/* The nearest number from `low` to `high`. A NaN, or bounds in the wrong order, give NaN. All zeros
 * are equal as bounds. */
SF8_LONG sf8_real sf8_real_clamp(sf8_real x, sf8_real low, sf8_real high)
{
    uint32_t worst = x.kind > low.kind ? x.kind : low.kind;
    worst = worst > high.kind ? worst : high.kind;
    if (worst >= SF8_REAL_NAN)
        return sf8_real_of(worst, 0, 0, 0);
    uint32_t zeros = sf8_real_is_zero(low) && sf8_real_is_zero(high);
    if (!zeros && sf8_real_compare(low, high) > 0)
        return sf8_real_of(SF8_REAL_INVALID, 0, 0, 0);
    if (sf8_real_compare(x, low) <= 0)
        return low;
    return sf8_real_compare(x, high) >= 0 ? high : x;
}

SF8_LONG sf8_real sf8_real_choose(uint32_t op, const sf8_real *x, uint32_t greater,
                                  uint32_t magnitude, uint32_t prefers, sf8_policy policy)
{
    sf8_real r = x[0];
    switch (op) {
    case SF8_MIXED_clamp:
        return sf8_real_clamp(x[0], x[1], x[2]);
    case SF8_MIXED_copy_sign:
        if (sf8_real_is_nan(x[1]) && policy.dialect == SF8_DIALECT_P3109 && !sf8_real_is_nan(r))
            return x[1];
        r.number.sign = x[1].number.sign;
        return r;
    case SF8_MIXED_abs:
        r.number.sign = 0;
        return r;
    case SF8_MIXED_negate:
        r.number.sign ^= 1;
        return r;
    case SF8_MIXED_convert:
        return r;
    default:
        return sf8_real_extremum(x[0], x[1], greater, magnitude, prefers);
    }
}

/* ---- operations ------------------------------------------------------------------------------ */

/* The number of operands, or 0 for an operation that does not exist. */
SF8_FN uint32_t sf8_mixed_operands(uint32_t op)
{
    switch (op) {
#define SF8_ROW(name, operands, p, q, r, s, t, u, d, root)                                         \
    case SF8_MIXED_##name:                                                                         \
        return operands;
        SF8_MIXED_SUMS(SF8_ROW)
#undef SF8_ROW
#define SF8_ROW(name, operands, greater, magnitude, prefers)                                       \
    case SF8_MIXED_##name:                                                                         \
        return operands;
        SF8_MIXED_CHOICES(SF8_ROW)
#undef SF8_ROW
    default:
        return 0;
    }
}

/* (p q + r s + t u) / d, where the letters are indices of v. */
SF8_LONG sf8_result sf8_exact_row(sf8_exact *e, const sf8_real *v, uint32_t p, uint32_t q,
                                  uint32_t r, uint32_t s, uint32_t t, uint32_t u, uint32_t d,
                                  uint32_t root, uint32_t random)
{
    const uint32_t of[6] = {p, q, r, s, t, u};
    for (int32_t i = 0; i < 6 && of[i] != SF8_OF_NONE; i += 2)
        sf8_exact_measure(e, v[of[i]], v[of[i + 1]]);
    sf8_exact_make_room(e);
    for (int32_t i = 0; i < 6 && of[i] != SF8_OF_NONE; i += 2)
        sf8_exact_add(e, v[of[i]], v[of[i + 1]]);
    return sf8_exact_round(e, v[d], root, random);
}

/* An operation that exists. */
SF8_LONG sf8_result sf8_exact_operate(sf8_exact *e, uint32_t op, const sf8_operand *operand,
                                      uint32_t random)
{
    const sf8_real one = sf8_real_of(SF8_REAL_FINITE, 0, 0, 1);
    sf8_real v[6] = {one, one, one, one, one, one};
    v[SF8_OF_MINUS].number.sign = 1;
    for (uint32_t i = 0; i < sf8_mixed_operands(op); i++)
        v[SF8_OF_A + i] = sf8_exact_read_scaled(e, operand[i]);
    switch (op) {
#define SF8_ROW(name, operands, p, q, r, s, t, u, d, root)                                         \
    case SF8_MIXED_##name:                                                                         \
        return sf8_exact_row(e, v, SF8_OF_##p, SF8_OF_##q, SF8_OF_##r, SF8_OF_##s, SF8_OF_##t,     \
                             SF8_OF_##u, SF8_OF_##d, root, random);
        SF8_MIXED_SUMS(SF8_ROW)
#undef SF8_ROW
#define SF8_ROW(name, operands, greater, magnitude, prefers)                                       \
    case SF8_MIXED_##name:                                                                         \
        return sf8_exact_round_real(                                                               \
            e, sf8_real_choose(op, v + SF8_OF_A, greater, magnitude, prefers, e->policy), random);
        SF8_MIXED_CHOICES(SF8_ROW)
#undef SF8_ROW
    default:
        return sf8_result_of(0, SF8_INVALID);
    }
}

#endif
