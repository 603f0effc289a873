/* SPDX-License-Identifier: MIT */
/* mma.h -- matrix units: a sum of products as a tensor core forms it
 *
 * A unit adds a few products and the accumulator at once. No term is normalised. Each term is
 * truncated at a place that depends on the largest exponent. The sum of the truncated terms is
 * exact and is rounded once:
 *
 *              exponent e   fraction
 *     a*b      field of a + field of b    xx.xxxxxx            0 <= significand < 4
 *     c        its field                   x.xxxxxxxxxxx
 *     e_max    the largest e of all; a term that is zero has the exponent `zero`
 *     cut off  what lies below 2^(e_max - fraction), in the magnitude: toward zero
 *     sum      exact, then rounded to `sum`: toward zero, or to nearest even
 *
 * The exponent is that of the code's field; for a subnormal number it is 1 - bias, and the
 * significand is then below 1. More products than `length` are several sums, one after the other:
 * each has the result of the previous one as its accumulator. NaN, infinity times zero, and
 * infinities of both signs give the NaN of all ones. A sum of zero is +0. A result beyond the range
 * is infinite in every rounding mode.
 *
 * Everything is computed with integers; int64_t can hold the sum of each unit in units.h.
 */
#ifndef SOFTFP8_CORE_MMA_H
#define SOFTFP8_CORE_MMA_H

#include "softfp8/mma/terms.h"

/* ---- sums ------------------------------------------------------------------------------------ */

/* A term in units of 2^(e_max - fraction), truncated toward zero, or if `down` toward minus
 * infinity. */
SF8_FN int64_t sf8_mma_aligned(sf8_mma_term t, int32_t e_max, int32_t fraction, uint32_t down)
{
    int32_t shift = fraction - t.point + t.exponent - e_max;
    uint64_t magnitude = sf8_core_magnitude(t.significand);
    if (shift >= 0)
        return t.significand * (INT64_C(1) << shift);
    uint64_t kept = shift < -63 ? 0 : magnitude >> -shift;
    uint64_t lost = shift < -63 ? magnitude : magnitude & ((UINT64_C(1) << -shift) - 1);
    return t.significand < 0 ? -(int64_t)kept - (int64_t)(down && lost) : (int64_t)kept;
}

/* The sum of `count` terms after alignment: significand * 2^(exponent - point), where the exponent
 * is e_max. `c` is one more term, unless it is NULL. */
SF8_LONG sf8_mma_term sf8_mma_sum(const sf8_mma *m, sf8_mma_operands x, size_t first, uint32_t set,
                                  size_t count, const sf8_mma_term *c)
{
    sf8_mma_term sum;
    sum.kind = c ? c->kind : (uint32_t)SF8_MMA_FINITE;
    sum.exponent = c ? c->exponent : INT32_MIN / 2;
    sum.point = m->fraction;
    for (size_t i = 0; i < count; i++) {
        sf8_mma_term t = sf8_mma_nth(m, x, first, set, i);
        sum.kind |= t.kind;
        sum.exponent = t.exponent > sum.exponent ? t.exponent : sum.exponent;
    }
    sum.significand = c ? sf8_mma_aligned(*c, sum.exponent, m->fraction, m->cut) : 0;
    if (sum.kind == SF8_MMA_FINITE)
        for (size_t i = 0; i < count; i++)
            sum.significand += sf8_mma_aligned(sf8_mma_nth(m, x, first, set, i), sum.exponent,
                                               m->fraction, m->cut);
    return sum;
}

/* The NaN that a unit returns: all ones below the sign. */
SF8_FN uint32_t sf8_mma_nan(sf8_format out)
{
    return (uint32_t)sf8_format_mag_mask(out);
}

SF8_FN uint32_t sf8_mma_inf(sf8_format out, uint32_t negative)
{
    return (uint32_t)(sf8_format_inf(out) | (negative ? sf8_format_sign_bit(out) : 0));
}

/* Rounds a sum to a bit pattern of `out`. */
SF8_LONG uint32_t sf8_mma_rounded(const sf8_mma *m, sf8_mma_term sum)
{
    sf8_policy policy = SF8_OCP_NOSAT;
    uint32_t negative = sum.significand < 0;
    if (sum.kind != SF8_MMA_FINITE)
        return sum.kind == SF8_MMA_INF || sum.kind == SF8_MMA_MINUS_INF
                   ? sf8_mma_inf(m->out, sum.kind == SF8_MMA_MINUS_INF)
                   : sf8_mma_nan(m->out);
    if (sum.significand == 0)
        return 0;
    policy.round = m->round & SF8_ROUND_MASK;
    sf8_result r = sf8_core_round_number(m->sum, policy, negative, sum.exponent - sum.point,
                                         sf8_core_magnitude(sum.significand), 0);
    if (r.flags & SF8_OVERFLOW)
        return sf8_mma_inf(m->out, negative);
    if (m->underflow == SF8_MMA_POSITIVE && (r.code & sf8_format_mag_mask(m->sum)) == 0)
        return 0;
    return (uint32_t)(r.code << (m->out.man_bits - m->sum.man_bits));
}

SF8_LONG sf8_mma_term sf8_mma_accumulator(const sf8_mma *m, uint32_t c)
{
    sf8_mma_term t = sf8_mma_code(m->out, c & sf8_format_code_mask(m->out));
    if (t.significand == 0)
        t.exponent = m->zero;
    return t;
}

SF8_LONG uint32_t sf8_mma_fused(const sf8_mma *m, sf8_mma_operands x, size_t first, uint32_t set,
                                size_t count, uint32_t c)
{
    sf8_mma_term t = sf8_mma_accumulator(m, c);
    return sf8_mma_rounded(m, sf8_mma_sum(m, x, first, set, count, &t));
}

/* The addition of a lowered product: that of IEEE 754, with the NaN of a unit. */
SF8_LONG uint32_t sf8_mma_added(const sf8_mma *m, uint32_t a, uint32_t b)
{
    uint32_t sum = (uint32_t)sf8_core_add(m->out, a, b, SF8_OCP_NOSAT, 0).code;
    return sf8_is_nan(m->out, sum) ? sf8_mma_nan(m->out) : sum;
}

/* How many of the `count` products each of the two sums has. The last four may be incomplete. */
SF8_FN size_t sf8_mma_lower_half(uint32_t set, size_t count)
{
    size_t rest = count % 4, low = rest < 2 ? rest : 2;
    return count / 4 * 2 + (set == SF8_MMA_LOW ? low : rest - low);
}

SF8_LONG uint32_t sf8_mma_lowered(const sf8_mma *m, sf8_mma_operands x, size_t first, size_t count,
                                  uint32_t c)
{
    uint32_t low = sf8_mma_fused(m, x, first, SF8_MMA_LOW, sf8_mma_lower_half(SF8_MMA_LOW, count),
                                 0);
    uint32_t high = sf8_mma_fused(m, x, first, SF8_MMA_HIGH,
                                  sf8_mma_lower_half(SF8_MMA_HIGH, count),
                                  m->order == SF8_MMA_CHAIN ? low : 0);
    if (m->order == SF8_MMA_INDEPENDENT)
        high = sf8_mma_added(m, low, high);
    return sf8_mma_added(m, c, high);
}
/* ---- two stages ------------------------------------------------------------------------------ */

/* The fraction bits that remain of the products' sum and of the accumulator when they are added,
 * and of their sum. All are rounded down. */
enum { SF8_MMA_DOT_FRACTION = 32, SF8_MMA_C_FRACTION = 24, SF8_MMA_LAST_FRACTION = 31 };

/* Rounds a term down so that at most `fraction` bits remain below its leading one. */
SF8_FN sf8_mma_term sf8_mma_shortened(sf8_mma_term t, int32_t fraction)
{
    int32_t msb = sf8_msb64(sf8_core_magnitude(t.significand) | 1);
    if (msb > fraction) {
        t.significand = sf8_mma_aligned(t, t.exponent, t.point - (msb - fraction), 1);
        t.point -= msb - fraction;
    }
    return t;
}

SF8_LONG sf8_mma_term sf8_mma_met(sf8_mma_term a, int32_t a_fraction, sf8_mma_term b,
                                  int32_t b_fraction)
{
    sf8_mma_term t;
    int32_t point = a_fraction > b_fraction ? a_fraction : b_fraction;
    t.kind = a.kind | b.kind;
    t.exponent = a.exponent > b.exponent ? a.exponent : b.exponent;
    t.point = point;
    t.significand =
        sf8_mma_aligned(a, t.exponent, a_fraction, 1) * (INT64_C(1) << (point - a_fraction)) +
        sf8_mma_aligned(b, t.exponent, b_fraction, 1) * (INT64_C(1) << (point - b_fraction));
    return t;
}

/* A product beyond the range of the result counts as infinite before any sum. */
SF8_FN uint32_t sf8_mma_product_kind(const sf8_mma *m, sf8_mma_operands x, size_t first,
                                     size_t count)
{
    uint32_t kind = SF8_MMA_FINITE;
    for (size_t i = first; i < first + count; i++) {
        sf8_mma_term t = sf8_mma_product(m, x, i);
        int32_t top = sf8_msb64(sf8_core_magnitude(t.significand) | 1) - t.point + t.exponent;
        if (t.kind == SF8_MMA_FINITE && t.significand != 0 && top > sf8_format_emax(m->out))
            kind |= t.significand < 0 ? SF8_MMA_MINUS_INF : SF8_MMA_INF;
    }
    return kind;
}

/* Adds two sums, rounding down. */
SF8_FN sf8_mma_term sf8_mma_halves(const sf8_mma *m, sf8_mma_term even, sf8_mma_term odd)
{
    return sf8_mma_met(even, m->fraction, odd, m->fraction);
}

/* Adds the sum of the products and the accumulator. */
SF8_LONG uint32_t sf8_mma_joined(const sf8_mma *m, sf8_mma_term dot, uint32_t c)
{
    sf8_mma_term term = sf8_mma_accumulator(m, c);
    if (m->order == SF8_MMA_INTERLEAVED && term.exponent < dot.exponent - m->fraction - 1)
        term.significand = 0;
    return sf8_mma_rounded(
        m, sf8_mma_shortened(sf8_mma_met(dot, SF8_MMA_DOT_FRACTION, term, SF8_MMA_C_FRACTION),
                             SF8_MMA_LAST_FRACTION));
}

SF8_LONG uint32_t sf8_mma_two_stage(const sf8_mma *m, sf8_mma_operands x, size_t first,
                                    size_t count, uint32_t c)
{
    sf8_mma_term dot;
    if (m->order == SF8_MMA_INTERLEAVED)
        dot = sf8_mma_halves(m, sf8_mma_sum(m, x, first, SF8_MMA_EVEN, count - count / 2, NULL),
                             sf8_mma_sum(m, x, first, SF8_MMA_ODD, count / 2, NULL));
    else
        dot = sf8_mma_sum(m, x, first, SF8_MMA_ALL, count, NULL);
    dot.kind |= sf8_mma_product_kind(m, x, first, count);
    return sf8_mma_joined(m, dot, c);
}

/* How many stretches of `promote` instructions k products have; the last may be shorter. 0 if
 * `promote` is 0. `promote` * m->k must not exceed SIZE_MAX. */
SF8_FN size_t sf8_mma_stretches(const sf8_mma *m, size_t promote, size_t k)
{
    size_t stretch = promote * (size_t)m->k;
    return stretch ? k / stretch + (k % stretch != 0) : 0;
}

/* ---- dot products ---------------------------------------------------------------------------- */

SF8_FN size_t sf8_mma_least_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Adds the products of k elements, beginning with element `first`, to c as the unit's instructions
 * do, one after the other. k must be a multiple of m->k or less than that, and whole groups if the
 * unit has groups. If the unit has scales, `first` must be the first element of a block. c and the
 * result are bit patterns of `out`. */
SF8_FN uint32_t sf8_core_mma_dot(const sf8_mma *m, sf8_mma_operands x, size_t first, size_t k,
                                 uint32_t c)
{
    size_t end = first + k, at = first;
    uint32_t lowered = m->order == SF8_MMA_CHAIN || m->order == SF8_MMA_INDEPENDENT;
    size_t most = (size_t)(lowered ? m->k : m->length);
    while (at < end) {
        size_t count = sf8_mma_least_size(most, end - at);
        if (lowered)
            c = sf8_mma_lowered(m, x, at, count, c);
        else if (m->order == SF8_MMA_FUSED)
            c = sf8_mma_fused(m, x, at, SF8_MMA_ALL, m->group ? count / (size_t)m->group : count,
                              c);
        else
            c = sf8_mma_two_stage(m, x, at, count, c);
        at += count;
    }
    return c;
}

#endif
