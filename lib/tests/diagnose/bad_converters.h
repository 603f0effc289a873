/* SPDX-License-Identifier: MIT */
/* bad_converters.h -- converters with mistakes, written without the library
 *
 * They give e4m3, but for those that name another format. They are written as such code is written:
 * a value as a double, scaled and rounded.
 */
#ifndef SOFTFP8_TESTS_BAD_CONVERTERS_H
#define SOFTFP8_TESTS_BAD_CONVERTERS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- values ---------------------------------------------------------------------------------- */

/* The absolute value of an IEEE-like word; infinity and NaN as such. */
static double decode(uint32_t word, int exp_bits, int man_bits)
{
    uint32_t field = word >> man_bits & ((1u << exp_bits) - 1);
    uint32_t mantissa = word & ((1u << man_bits) - 1);
    int bias = (1 << (exp_bits - 1)) - 1;
    if (field == (1u << exp_bits) - 1)
        return mantissa ? NAN : INFINITY;
    if (field == 0)
        return ldexp(mantissa, 1 - bias - man_bits);
    return ldexp(mantissa + (double)(1u << man_bits), (int)field - bias - man_bits);
}

static double half_even(double x)
{
    double low = floor(x), rest = x - low;
    return rest > 0.5 || (rest == 0.5 && fmod(low, 2) == 1) ? low + 1 : low;
}

static double half_away(double x)
{
    return floor(x + 0.5);
}

static double half_down(double x)
{
    return ceil(x - 0.5);
}

/* x >= 0 rounded to a significand of `bits` bits, the exponent not below emin. */
static double round_to(double x, int bits, int emin, double (*nearest)(double))
{
    int e;
    if (x == 0 || isinf(x))
        return x;
    frexp(x, &e);
    e = e - 1 > emin ? e - 1 : emin;
    double unit = ldexp(1, e - bits + 1);
    return nearest(x / unit) * unit;
}

static double to_f16(double x)
{
    double r = round_to(x, 11, -14, half_even);
    return r > 65504 ? INFINITY : r;
}

static double to_bf16(double x)
{
    return round_to(x, 8, -126, half_even);
}

/* The code of a value that e4m3 has, as if its exponent field were wider. */
static uint32_t encode(double x)
{
    int e;
    if (x < ldexp(1, -6))
        return (uint32_t)ldexp(x, 9);
    double m = frexp(x, &e);
    return (uint32_t)(e + 6) * 8 + (uint32_t)(m * 16) - 8;
}

/* ---- the bad converters ---------------------------------------------------------------------- */

enum { NAN_CODE = 0x7f, MAX_CODE = 0x7e };

typedef uint32_t (*converter)(double x, uint32_t sign);

/* What is right: rounds to nearest even, saturates, one NaN. */
static uint32_t good(double x, uint32_t sign)
{
    if (isnan(x))
        return NAN_CODE;
    double r = round_to(x, 4, -6, half_even);
    return sign | (r > 448 ? MAX_CODE : encode(r));
}

static uint32_t ties_away(double x, uint32_t sign)
{
    if (isnan(x))
        return NAN_CODE;
    double r = round_to(x, 4, -6, half_away);
    return sign | (r > 448 ? MAX_CODE : encode(r));
}

static uint32_t ties_down(double x, uint32_t sign)
{
    if (isnan(x))
        return NAN_CODE;
    double r = round_to(x, 4, -6, half_down);
    return sign | (r > 448 ? MAX_CODE : encode(r));
}

static uint32_t flush(double x, uint32_t sign)
{
    uint32_t code = good(x, sign);
    return (code & 0x7f) < 8 ? code & 0x80 : code;
}

/* And what is flushed loses its sign. */
static uint32_t flush_unsigned(double x, uint32_t sign)
{
    uint32_t code = good(x, sign);
    return (code & 0x7f) < 8 ? 0 : code;
}

static uint32_t via_f16(double x, uint32_t sign)
{
    return good(isnan(x) ? x : to_f16(x), sign);
}

static uint32_t via_bf16(double x, uint32_t sign)
{
    return good(isnan(x) ? x : to_bf16(x), sign);
}

/* The mantissa is rounded alone: where it carries into the next power of two, it stays or is 0. */
static uint32_t carry(double x, uint32_t sign, uint32_t lost)
{
    uint32_t code = good(x, sign), magnitude = code & 0x7f;
    int is_carried = magnitude > 8 && magnitude % 8 == 0 && x < ldexp(1, (int)magnitude / 8 - 7);
    return is_carried ? code - lost : code;
}

static uint32_t carry_stuck(double x, uint32_t sign)
{
    return carry(x, sign, 1);
}

static uint32_t carry_lost(double x, uint32_t sign)
{
    return carry(x, sign, 8);
}

/* Overflow gives NaN without a sign, and is found by comparing the operand. */
static uint32_t early(double x, uint32_t sign)
{
    if (isnan(x) || x > 448)
        return NAN_CODE;
    return sign | encode(round_to(x, 4, -6, half_even));
}

/* Overflow saturates, infinity gives a NaN with its sign; that of NaN is lost. */
static uint32_t nan_unsigned(double x, uint32_t sign)
{
    return isinf(x) ? sign | NAN_CODE : good(x, sign);
}

static uint32_t zero_unsigned(double x, uint32_t sign)
{
    uint32_t code = good(x, sign);
    return code == 0x80 ? 0 : code;
}

/* No test for overflow; infinity saturates. */
static uint32_t wrap(double x, uint32_t sign)
{
    if (isnan(x) || isinf(x))
        return good(x, sign);
    return sign | (encode(round_to(x, 4, -6, half_even)) & 0x7f);
}

/* Clamps to 240, the largest number of another E4M3. */
static uint32_t clamp_240(double x, uint32_t sign)
{
    return good(x > 240 ? 240 : x, sign);
}

static uint32_t nan_zero(double x, uint32_t sign)
{
    return isnan(x) ? 0 : good(x, sign);
}

/* e4m3fnuz: half the values, one NaN at 80, no -0; overflow and infinity give NaN. */
static uint32_t fnuz(double x, uint32_t sign)
{
    double r = isnan(x) ? x : round_to(2 * x, 4, -6, half_even);
    if (isnan(r) || r > 480)
        return 0x80;
    return r == 0 ? 0 : sign | encode(r);
}

/* Random codes, as far as anyone can tell. */
static uint32_t noise(double x, uint32_t sign)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits ^ sign) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(bits >> 40 & 0x7f);
}

/* As hardware without subnormal numbers does it, which looks at the operand's exponent alone. */
static uint32_t flush_early_unsigned(double x, uint32_t sign)
{
    return x < ldexp(1, -6) ? 0 : good(x, sign);
}

/* A stage of a pipeline: it cuts, has no subnormal numbers, and clamps; NaN is one more large
 * number. */
static uint32_t requantizer(double x, uint32_t sign)
{
    if (x < ldexp(1, -6))
        return 0;
    double r = isnan(x) || isinf(x) ? INFINITY : round_to(x, 4, -6, floor);
    return sign | (r > 448 ? MAX_CODE : encode(r));
}

/* f32 is cut to f16 on its way. */
static uint32_t cut_f16(double x, uint32_t sign)
{
    return good(isnan(x) || isinf(x) ? x : round_to(x, 11, -14, floor), sign);
}

/* Truncates, but NaN for what overflows. */
static uint32_t cut_nan(double x, uint32_t sign)
{
    double r = isnan(x) ? x : round_to(x, 4, -6, floor);
    return isnan(r) ? NAN_CODE : sign | (r > 448 ? NAN_CODE : encode(r));
}

/* One code in twenty has a wrong bit. */
static uint32_t flips(double x, uint32_t sign)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits ^ sign) * UINT64_C(0x9e3779b97f4a7c15);
    bits ^= bits >> 29;
    uint32_t flip = bits % 20 == 0 && !isnan(x) ? 1u << (bits >> 40 & 7) : 0;
    return good(x, sign) ^ flip;
}

/* Ties go away from zero, and from 16 to 28 each code is one too high, which nothing explains. */
static uint32_t ties_and_more(double x, uint32_t sign)
{
    return ties_away(x, sign) + (x >= 16 && x < 28);
}

/* Two mistakes, of which one is known. */
static uint32_t flush_and_more(double x, uint32_t sign)
{
    return flush(x, sign) + (x >= 16 && x < 28);
}

/* ---- of other formats */

typedef struct small {
    int precision, emin;
    double max;
} small;

static const small e5m2 = {3, -14, 57344}, e2m1 = {2, 0, 6};

static uint32_t encode_to(const small *f, double x)
{
    int e;
    if (x < ldexp(1, f->emin))
        return (uint32_t)ldexp(x, f->precision - 1 - f->emin);
    double m = frexp(x, &e);
    return (uint32_t)((e - f->emin) << (f->precision - 1)) + (uint32_t)ldexp(m, f->precision) -
           (1u << (f->precision - 1));
}

/* e2m1; what is below its least number gives 0. */
static uint32_t least_e2m1(double x, uint32_t sign)
{
    if (isnan(x))
        return 7;
    if (x < 0.5)
        return sign;
    double r = round_to(x, 2, 0, half_even);
    return sign | encode_to(&e2m1, r > e2m1.max ? e2m1.max : r);
}

/* e2m1; some of the values that round up to its least number give 0. */
static uint32_t some_small_e2m1(double x, uint32_t sign)
{
    return x > 0.3 && x < 0.4 ? sign : least_e2m1(x > 0.25 && x < 0.5 ? 0.5 : x, sign);
}

/* e2m1; all that is below 0.68 gives 0. */
static uint32_t most_small_e2m1(double x, uint32_t sign)
{
    return x < 0.68 ? sign : least_e2m1(x, sign);
}

/* e5m2, truncated; but what overflows gives infinity. */
static uint32_t cut_inf_e5m2(double x, uint32_t sign)
{
    double r = isnan(x) ? x : round_to(x, 3, -14, floor);
    return sign | (isnan(r) ? 0x7e : r > e5m2.max ? 0x7c : encode_to(&e5m2, r));
}

/* e5m2, rounded down; but what is below its least number gives 0. */
static uint32_t down_least_e5m2(double x, uint32_t sign)
{
    if (isnan(x))
        return sign | 0x7e;
    double r = x < ldexp(1, -16) ? 0 : round_to(x, 3, -14, sign ? ceil : floor);
    return sign | (r > e5m2.max ? sign || isinf(x) ? 0x7c : 0x7b : encode_to(&e5m2, r));
}

/* Eight bits with five of exponent, of which the last two codes alone are infinity and NaN. */
static uint32_t cfloat_e5m2(double x, uint32_t sign)
{
    double r = isnan(x) ? x : round_to(x, 3, -14, half_even);
    return sign | (isnan(r) ? 0x7f : r > 81920 ? 0x7e : encode_to(&e5m2, r));
}

/* ---- more of them */

static uint32_t cut_bf16(double x, uint32_t sign)
{
    return good(isnan(x) || isinf(x) ? x : round_to(x, 8, -126, floor), sign);
}

static uint32_t exact_zero_unsigned(double x, uint32_t sign)
{
    return x == 0 ? 0 : good(x, sign);
}

static uint32_t small_unsigned(double x, uint32_t sign)
{
    uint32_t code = good(x, sign);
    return x != 0 && code == 0x80 ? 0 : code;
}

static uint32_t sign_dropped(double x, uint32_t sign)
{
    (void)sign;
    return good(x, 0);
}

static uint32_t nan_to_max(double x, uint32_t sign)
{
    return sign | (isnan(x) || isinf(x) || good(x, 0) > MAX_CODE ? (uint32_t)MAX_CODE : good(x, 0));
}

static uint32_t subnormal_cut(double x, uint32_t sign)
{
    return x < ldexp(1, -6) ? sign | encode(round_to(x, 4, -6, floor)) : good(x, sign);
}

static uint32_t max_overflows(double x, uint32_t sign)
{
    return isnan(x) || x >= 448 || good(x, 0) == NAN_CODE ? sign | NAN_CODE : good(x, sign);
}

static uint32_t inf_one(double x, uint32_t sign)
{
    return isinf(x) ? sign | 0x38 : good(x, sign);
}

static uint32_t nan_one(double x, uint32_t sign)
{
    return isnan(x) ? 0x38 : good(x, sign);
}

static double half_to_plus(double x)
{
    return floor(x + 0.5);
}

static uint32_t ties_up(double x, uint32_t sign)
{
    if (isnan(x))
        return NAN_CODE;
    double r = round_to(x, 4, -6, sign ? half_down : half_to_plus);
    return sign | (r > 448 ? (uint32_t)MAX_CODE : encode(r));
}

/* The mistake is made in the second of two steps. */
static uint32_t via_f16_up(double x, uint32_t sign)
{
    return ties_up(isnan(x) ? x : to_f16(x), sign);
}

static uint32_t no_sticky(double x, uint32_t sign)
{
    return good(isnan(x) || isinf(x) ? x : round_to(x, 5, -6, floor), sign);
}

static uint32_t zero_signed(double x, uint32_t sign)
{
    uint32_t code = fnuz(x, sign);
    return code == 0 ? sign : code;
}

static uint32_t exact_zero_signed(double x, uint32_t sign)
{
    return x == 0 ? sign : fnuz(x, sign);
}

static uint32_t wrap_or(double x, uint32_t sign)
{
    if (isnan(x) || isinf(x))
        return good(x, sign);
    return (sign | encode(round_to(x, 4, -6, half_even))) & 0xff;
}

static uint32_t over_code(double x, uint32_t sign)
{
    return !isnan(x) && round_to(x, 4, -6, half_even) > 448 ? sign | 0x38 : good(x, sign);
}

static uint32_t nan_operand; /* for those that look at the bits of NaN */

/* bf16 to e5m2; what is rounded up past the largest number gives NaN. */
static uint32_t nan_cut(double x, uint32_t sign)
{
    if (isnan(x) || x >= 65536)
        return sign | 0x7c | (isnan(x) ? nan_operand >> 5 & 3 : 0);
    double r = round_to(x, 3, -14, half_even);
    return sign | (r > e5m2.max ? 0x7f : encode_to(&e5m2, r));
}

static uint32_t nan_as_inf(double x, uint32_t sign)
{
    double r = isnan(x) ? INFINITY : round_to(x, 3, -14, half_even);
    return sign | (isinf(r) ? 0x7c : r > e5m2.max ? 0x7b : encode_to(&e5m2, r));
}

/* e5m2, rounded up. */
static uint32_t nan_as_overflow(double x, uint32_t sign)
{
    double r = isnan(x) ? 65536 : round_to(x, 3, -14, sign ? floor : ceil);
    return sign | (r > e5m2.max ? sign && !isinf(r) ? 0x7b : 0x7c : encode_to(&e5m2, r));
}

/* What PyTorch 2.12 does: what is too large becomes NaN, with its sign. */
static uint32_t torch_before(double x, uint32_t sign)
{
    double r = isnan(x) ? x : round_to(x, 4, -6, half_even);
    return sign | (r <= 448 ? encode(r) : (uint32_t)NAN_CODE);
}

/* e5m2 as IEEE 754 has it. */
static uint32_t ieee_e5m2(double x, uint32_t sign)
{
    double r = isnan(x) || isinf(x) ? x : round_to(x, 3, -14, half_even);
    return isnan(r) ? 0x7e : sign | (r > e5m2.max ? 0x7c : encode_to(&e5m2, r));
}

/* ---- as other programs have been seen to do it */

/* What a mantissa of three bits rounds to, with the exponent of e4m3 as a number of any size. */
static int rounded_free(double x)
{
    int e;
    frexp(x, &e);
    return (e + 6) * 8 + (int)half_even(ldexp(x, 4 - e)) - 8;
}

static double with_four_bits(double x, double (*nearest)(double))
{
    return round_to(x, 4, -1000, nearest);
}

static uint32_t carry_wraps(double x, uint32_t sign)
{
    return x >= 496 && x < 512 ? sign : good(x, sign);
}

static uint32_t carry_into_sign(double x, uint32_t sign)
{
    return x >= 496 && x < 512 ? sign ^ 0x80 : good(x, sign);
}

static uint32_t top_saturates(double x, uint32_t sign)
{
    return x >= 256 && x < 512 ? sign | MAX_CODE : torch_before(x, sign);
}

static uint32_t top_saturates_rounded(double x, uint32_t sign)
{
    return x >= 248 && x < 496 ? sign | MAX_CODE : torch_before(x, sign);
}

/* Rounded up, but below 2^-10 is 0. */
static uint32_t below_half_zero(double x, uint32_t sign)
{
    if (isnan(x) || x < ldexp(1, -10))
        return isnan(x) ? NAN_CODE : sign;
    double r = round_to(x, 4, -6, sign ? floor : ceil);
    return sign | (r > 448 ? (uint32_t)MAX_CODE : encode(r));
}

static uint32_t subnormal_twice(double x, uint32_t sign)
{
    double r = x < ldexp(1, -6) ? with_four_bits(x, half_even) : x;
    return r < ldexp(1, -6) ? sign | encode(round_to(r, 4, -6, floor)) : good(r, sign);
}

static uint32_t carry_lost_first(double x, uint32_t sign)
{
    int e;
    if (isnan(x) || isinf(x))
        return good(x, sign);
    double r = with_four_bits(x, half_even), down = with_four_bits(x, floor);
    if (r > down && r <= 448 && frexp(r, &e) == 0.5)
        r /= 2;
    return sign | (r > 448 ? (uint32_t)MAX_CODE : encode(round_to(r, 4, -6, floor)));
}

/* e8m0, of which the exponent is the nearest to the logarithm. */
static uint32_t log_rounded(double x, uint32_t sign)
{
    if (isnan(x) || isinf(x) || sign)
        return 0xff;
    return x < ldexp(1, -127) ? 0 : (uint32_t)floor(log2(x) + 127.5);
}

static uint32_t subnormal_half(double x, uint32_t sign)
{
    return x < ldexp(1, -6) ? sign | (uint32_t)half_even(ldexp(x, 8)) : good(x, sign);
}

static uint32_t subnormal_double(double x, uint32_t sign)
{
    return x < ldexp(1, -6) ? sign | (uint32_t)half_even(ldexp(x, 10)) : good(x, sign);
}

static uint32_t subnormal_double_cut(double x, uint32_t sign)
{
    return x < ldexp(1, -6) ? sign | ((uint32_t)half_even(ldexp(x, 10)) & 7) : good(x, sign);
}

static uint32_t exponent_sinks(double x, uint32_t sign)
{
    if (x < ldexp(1, -6))
        return x < ldexp(1, -9) ? sign : sign | ((uint32_t)rounded_free(x) & 0x7f);
    return good(x, sign);
}

static uint32_t exponent_sinks_or(double x, uint32_t sign)
{
    if (x < ldexp(1, -6))
        return x < ldexp(1, -9) ? sign : sign | ((uint32_t)rounded_free(x) & 0xff);
    return good(x, sign);
}

static uint32_t exponent_unsigned(double x, uint32_t sign)
{
    return x > 0 && x < ldexp(1, -7) ? sign | MAX_CODE : good(x, sign);
}

/* From bf16. */
static uint32_t nan_quiet_only(double x, uint32_t sign)
{
    return isnan(x) && !(nan_operand & 0x40) ? sign | MAX_CODE : good(x, sign);
}

static uint32_t nan_or_one(double x, uint32_t sign)
{
    uint32_t bits = nan_operand >> 5 & 3;
    return isnan(x) ? sign | 0x7c | (bits ? bits : 1) : ieee_e5m2(x, sign);
}

/* bf16 rounded as an integer to `bits` bits of mantissa. */
static uint32_t rounded_bits(uint32_t word, int bits)
{
    int drop = 7 - bits;
    return (word + (1u << (drop - 1)) - 1 + (word >> drop & 1)) >> drop;
}

static uint32_t nan_rounded(double x, uint32_t sign)
{
    uint32_t rounded = rounded_bits(nan_operand & 0x7fff, 3);
    return isnan(x) ? (rounded > 0x7ff ? sign ^ 0x80 : sign) | NAN_CODE : good(x, sign);
}

/* From bf16 to e5m2: the lowest eight bits are those that an exponent of five bits would have. */
static uint32_t nan_rounded_bits(double x, uint32_t sign)
{
    uint32_t rounded = rounded_bits(nan_operand & 0x7fff, 2);
    return isnan(x) ? (sign + rounded - 0x380) & 0xff : ieee_e5m2(x, sign);
}

static uint32_t nan_quiet_rounded(double x, uint32_t sign)
{
    uint32_t rounded = rounded_bits((nan_operand & 0x7fff) | 0x40, 2);
    return isnan(x) ? (sign + rounded - 0x380) & 0xff : ieee_e5m2(x, sign);
}

/* e5m2, rounded down; infinity is one more large number. */
static uint32_t inf_as_overflow(double x, uint32_t sign)
{
    double r = isnan(x) || isinf(x) ? x : round_to(x, 3, -14, sign ? ceil : floor);
    if (isnan(r))
        return 0x7e;
    return sign | (r <= e5m2.max ? encode_to(&e5m2, r) : sign ? 0x7c : 0x7b);
}

/* From bf16: the exponent with another bias. */
static uint32_t rebiased_bits(uint32_t mask, uint32_t least)
{
    uint32_t rounded = rounded_bits(nan_operand, 3), magnitude = rounded & 0x7ff;
    return magnitude < least ? 0 : (rounded >> 4 & 0x80) | ((magnitude - 960) & mask);
}

static uint32_t rebias_only(double x, uint32_t sign)
{
    (void)x;
    (void)sign;
    return rebiased_bits(0x7f, 0);
}

static uint32_t rebias_over(double x, uint32_t sign)
{
    int over = isnan(x) || round_to(x, 4, -6, half_even) > 448;
    return over ? rebiased_bits(0x7f, 0) : good(x, sign);
}

static uint32_t rebias_low_zero(double x, uint32_t sign)
{
    (void)x;
    (void)sign;
    return rebiased_bits(0xff, 960);
}

/* From f16: as f32 it is bf16 with bits that do not matter here but for ties. */
static uint32_t rebias_low_zero_f32(double x, uint32_t sign)
{
    float f = (float)x;
    uint32_t word, payload = (nan_operand & 0x3ff) << 13;
    memcpy(&word, &f, sizeof word);
    word = (isnan(x) ? 0x7f800000 | payload : word) | sign << 24;
    word += 0x7ffff + (word >> 20 & 1);
    uint32_t magnitude = word >> 20 & 0x7ff;
    return magnitude < 960 ? 0 : (word >> 24 & 0x80) | ((magnitude - 960) & 0xff);
}

static uint32_t zero_code(double x, uint32_t sign)
{
    return x == 0 ? 0x80 : good(x, sign);
}

/* e4m3, truncated; 448 up to 512, and NaN from there on. */
static uint32_t cut_top(double x, uint32_t sign)
{
    if (isnan(x) || x >= 512)
        return sign | NAN_CODE;
    double r = round_to(x, 4, -6, floor);
    return sign | (r > 448 ? (uint32_t)MAX_CODE : encode(r));
}

/* e4m3, truncated, without subnormal numbers and -0; NaN from 256 on. */
static uint32_t four_mistakes(double x, uint32_t sign)
{
    if (x < ldexp(1, -6))
        return 0;
    return sign | (isnan(x) || x >= 256 ? (uint32_t)NAN_CODE : encode(round_to(x, 4, -6, floor)));
}

/* e2m1; nearly all that is below its smallest normal number but one gives 0. */
static uint32_t nearly_flushed_e2m1(double x, uint32_t sign)
{
    return x < 0.74 ? sign : least_e2m1(x, sign);
}

/* The exponent of bf16 is cut, but not that of half of the values: no mistake that is known. */
static uint32_t some_sink(double x, uint32_t sign)
{
    uint32_t code = exponent_sinks(x, sign);
    return x < ldexp(1, -6) && (code & 1) ? good(x, sign) : code;
}

/* clang-format off */
#define BAD_CONVERTERS(X) \
    X(good) X(ties_away) X(ties_down) X(flush) X(flush_unsigned) X(via_f16) X(via_bf16) \
    X(early) X(nan_unsigned) X(zero_unsigned) X(wrap) X(clamp_240) X(nan_zero) X(fnuz) \
    X(noise) X(flush_early_unsigned) X(requantizer) X(cut_f16) X(cut_nan) X(flips) \
    X(ties_and_more) X(flush_and_more) X(least_e2m1) X(some_small_e2m1) X(most_small_e2m1) \
    X(cut_inf_e5m2) X(down_least_e5m2) X(cfloat_e5m2) X(cut_bf16) X(exact_zero_unsigned) \
    X(small_unsigned) X(sign_dropped) X(nan_to_max) X(subnormal_cut) X(max_overflows) \
    X(inf_one) X(nan_one) X(ties_up) X(no_sticky) X(zero_signed) X(exact_zero_signed) \
    X(wrap_or) X(over_code) X(nan_cut) X(nan_as_inf) X(nan_as_overflow) X(torch_before) \
    X(via_f16_up) X(carry_stuck) X(carry_lost) \
    X(carry_wraps) X(carry_into_sign) X(top_saturates) X(top_saturates_rounded) \
    X(below_half_zero) X(subnormal_twice) X(carry_lost_first) X(log_rounded) X(subnormal_half) \
    X(subnormal_double) X(subnormal_double_cut) X(exponent_sinks) X(exponent_sinks_or) \
    X(exponent_unsigned) X(nan_quiet_only) X(nan_or_one) X(nan_rounded) X(nan_rounded_bits) \
    X(nan_quiet_rounded) X(inf_as_overflow) X(rebias_only) X(rebias_over) X(rebias_low_zero) \
    X(rebias_low_zero_f32) X(zero_code) X(some_sink) X(cut_top) X(four_mistakes) \
    X(nearly_flushed_e2m1)
/* clang-format on */

static inline converter converter_named(const char *name)
{
#define NAMED(known)                                                                               \
    if (strcmp(name, #known) == 0)                                                                 \
        return known;
    BAD_CONVERTERS(NAMED)
#undef NAMED
    return NULL;
}

#endif
