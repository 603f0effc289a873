/* SPDX-License-Identifier: MIT */
/* span.h -- intervals of f32 numbers: what a value may be if some results are not known exactly
 *
 * A value that is known is an interval of one number. Every operation rounds to nearest even.
 * Rounding never reverses an order, so that the ends of a result are results for ends of the
 * operands, and each number between is that for some real numbers between. The interval contains
 * every result that the operands can give; it may be larger, since operands that depend on each
 * other count as independent.
 *
 * {NaN, NaN} is a NaN, or a result of which nothing is known.
 */
#ifndef SOFTFP8_STAGES_SPAN_H
#define SOFTFP8_STAGES_SPAN_H

#include "softfp8/stages/wide.h"

/** The numbers from lo to hi, as bit patterns of f32. */
typedef struct sf8_span {
    uint32_t lo, hi;
} sf8_span;

SF8_FN sf8_span sf8_span_from(uint32_t lo, uint32_t hi)
{
    sf8_span s = {lo, hi};
    return s;
}

SF8_FN sf8_span sf8_span_of(uint32_t a)
{
    return sf8_span_from(a, a);
}

SF8_FN int32_t sf8_span_is_one(sf8_span a)
{
    return a.lo == a.hi;
}

/* An interval, or {NaN, NaN} if an end is NaN. */
SF8_FN sf8_span sf8_span_known(uint32_t lo, uint32_t hi)
{
    return sf8_f32_is_nan(lo) || sf8_f32_is_nan(hi) ? sf8_span_of(SF8_F32_NAN)
                                                    : sf8_span_from(lo, hi);
}

SF8_FN sf8_span sf8_span_neg(sf8_span a)
{
    return sf8_f32_is_nan(a.lo) ? a : sf8_span_from(a.hi ^ 0x80000000u, a.lo ^ 0x80000000u);
}

/* Puts one more result into an interval. */
SF8_FN sf8_span sf8_span_join(sf8_span a, uint32_t b)
{
    if (sf8_f32_is_nan(a.lo) || sf8_f32_is_nan(b))
        return sf8_span_of(SF8_F32_NAN);
    return sf8_span_from(sf8_f32_least(a.lo, b), sf8_f32_most(a.hi, b));
}

SF8_LONG sf8_span sf8_span_add(sf8_span a, sf8_span b)
{
    uint32_t lo = sf8_f32_add(a.lo, b.lo);
    if (sf8_span_is_one(a) && sf8_span_is_one(b))
        return sf8_span_of(lo);
    return sf8_span_known(lo, sf8_f32_add(a.hi, b.hi));
}

SF8_FN sf8_span sf8_span_sub(sf8_span a, sf8_span b)
{
    return sf8_span_add(a, sf8_span_neg(b));
}

SF8_LONG sf8_span sf8_span_mul(sf8_span a, sf8_span b)
{
    sf8_span p = sf8_span_of(sf8_f32_mul(a.lo, b.lo));
    if (sf8_span_is_one(a) && sf8_span_is_one(b))
        return p;
    p = sf8_span_join(p, sf8_f32_mul(a.lo, b.hi));
    p = sf8_span_join(p, sf8_f32_mul(a.hi, b.lo));
    return sf8_span_join(p, sf8_f32_mul(a.hi, b.hi));
}

/* Nothing is known of a quotient by what may be 0. */
SF8_LONG sf8_span sf8_span_div(sf8_span a, sf8_span b)
{
    sf8_span q = sf8_span_of(sf8_f32_div(a.lo, b.lo));
    if (sf8_span_is_one(a) && sf8_span_is_one(b))
        return q;
    if (sf8_f32_order(b.lo) <= 0 && sf8_f32_order(b.hi) >= 0)
        return sf8_span_of(SF8_F32_NAN);
    q = sf8_span_join(q, sf8_f32_div(a.lo, b.hi));
    q = sf8_span_join(q, sf8_f32_div(a.hi, b.lo));
    return sf8_span_join(q, sf8_f32_div(a.hi, b.hi));
}

SF8_LONG sf8_span sf8_span_fma(sf8_span a, sf8_span b, sf8_span c)
{
    sf8_span s = sf8_span_of(sf8_f32_fma(a.lo, b.lo, c.lo));
    if (sf8_span_is_one(a) && sf8_span_is_one(b) && sf8_span_is_one(c))
        return s;
    s = sf8_span_join(s, sf8_f32_fma(a.lo, b.lo, c.hi));
    for (int32_t i = 1; i < 4; i++) {
        uint32_t x = i & 1 ? a.hi : a.lo, y = i & 2 ? b.hi : b.lo;
        s = sf8_span_join(s, sf8_f32_fma(x, y, c.lo));
        s = sf8_span_join(s, sf8_f32_fma(x, y, c.hi));
    }
    return s;
}

SF8_FN sf8_span sf8_span_most(sf8_span a, sf8_span b)
{
    return sf8_span_from(sf8_f32_most_or_nan(a.lo, b.lo), sf8_f32_most_or_nan(a.hi, b.hi));
}

SF8_FN sf8_span sf8_span_least(sf8_span a, sf8_span b)
{
    return sf8_span_from(sf8_f32_least_or_nan(a.lo, b.lo), sf8_f32_least_or_nan(a.hi, b.hi));
}

/* ---- functions ------------------------------------------------------------------------------- */

enum { SF8_SPAN_SQRT, SF8_SPAN_RSQRT, SF8_SPAN_EXP, SF8_SPAN_EXP2, SF8_SPAN_TANH, SF8_SPAN_ERF };

SF8_LONG uint32_t sf8_span_function(uint32_t function, uint32_t x)
{
    switch (function) {
    case SF8_SPAN_SQRT:
        return sf8_f32_sqrt(x);
    case SF8_SPAN_RSQRT:
        return sf8_f32_rsqrt_rounded(x, SF8_RNE);
    case SF8_SPAN_EXP:
        return sf8_f32_exp_rounded(x, SF8_RNE);
    case SF8_SPAN_EXP2:
        return sf8_f32_exp2_rounded(x, SF8_RNE);
    case SF8_SPAN_TANH:
        return sf8_f32_tanh_rounded(x, SF8_RNE);
    default:
        return sf8_f32_erf_rounded(x, SF8_RNE);
    }
}

/* The f32 number `steps` numbers above `a`, or below if that is negative; at most infinity. */
SF8_FN uint32_t sf8_f32_step_by(uint32_t a, int64_t steps)
{
    int64_t order = sf8_f32_order(a) + steps;
    if (sf8_f32_is_nan(a))
        return a;
    if (order > (int64_t)SF8_F32_INF || order < -(int64_t)SF8_F32_INF)
        order = order > 0 ? (int64_t)SF8_F32_INF : -(int64_t)SF8_F32_INF;
    return order < 0 ? (uint32_t)-order | 0x80000000u : (uint32_t)order;
}

/* A function that rises or falls everywhere, whose result may be `ulps` f32 numbers away from the
 * correctly rounded one. */
SF8_LONG sf8_span sf8_span_map(uint32_t function, sf8_span x, uint32_t ulps)
{
    sf8_span y = sf8_span_of(sf8_span_function(function, x.lo));
    if (!sf8_span_is_one(x))
        y = sf8_span_join(y, sf8_span_function(function, x.hi));
    if (ulps == 0)
        return y;
    return sf8_span_from(sf8_f32_step_by(y.lo, -(int64_t)ulps), sf8_f32_step_by(y.hi, ulps));
}

#endif
