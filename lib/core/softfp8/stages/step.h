/* SPDX-License-Identifier: MIT */
/** @file
 * step.h -- one step before a quantizer: what it computes for an element, and where it rounds
 *
 * docs/spec/stages.md defines each kind. A step is data; its text is read by sf8_stage_read.
 */
#ifndef SOFTFP8_STAGES_STEP_H
#define SOFTFP8_STAGES_STEP_H

#include "softfp8/stages/span.h"

/** The kinds of steps: X(enumerator, name). A kind whose name is followed by -gate multiplies by
 * the other half of the row. */
#define SF8_STEP_KINDS(X)                                                                          \
    X(ROUND, "round")                                                                              \
    X(ADD, "add")                                                                                  \
    X(MULTIPLY, "multiply")                                                                        \
    X(DIVIDE, "divide")                                                                            \
    X(RMS_NORM, "rms-norm")                                                                        \
    X(LAYER_NORM, "layer-norm")                                                                    \
    X(RELU, "relu")                                                                                \
    X(RELU2, "relu2")                                                                              \
    X(SILU, "silu")                                                                                \
    X(GELU, "gelu")                                                                                \
    X(GELU_TANH, "gelu-tanh")                                                                      \
    X(SWIGLU_CLAMP, "swiglu-clamp")                                                                \
    X(ROPE, "rope")                                                                                \
    X(SOFTMAX, "softmax")                                                                          \
    X(HADAMARD, "hadamard")

#define SF8_STEP_KIND(id, name) SF8_STEP_##id,
enum { SF8_STEP_KINDS(SF8_STEP_KIND) SF8_STEP_KIND_COUNT };
#undef SF8_STEP_KIND

/** The format of a result, or of an intermediate result. */
enum { SF8_STEP_F32, SF8_STEP_BF16, SF8_STEP_F16 };

/** How the elements of a row are summed.
 *
 *     SF8_SUMS_SEQUENTIAL  one after the other, beginning with +0
 *     SF8_SUMS_TREE        neighbours are added, level by level; the last of an odd level moves up
 *     SF8_SUMS_LANES       thread t of `lanes` takes `each` neighbours, then the `each` that come
 *                          lanes * each later, and so on, and adds them to +0; `join` says how the
 *                          threads are added
 *     SF8_SUMS_TORCH       as PyTorch sums a row on a CPU with vectors of `lanes` floats
 *     SF8_SUMS_EXACT       exactly, then one rounding
 *     SF8_SUMS_ANY         in an order that is not known, of which no element passes through more
 *                          than `depth` additions. As a value, the exact sum
 */
enum {
    SF8_SUMS_SEQUENTIAL,
    SF8_SUMS_TREE,
    SF8_SUMS_LANES,
    SF8_SUMS_TORCH,
    SF8_SUMS_EXACT,
    SF8_SUMS_ANY
};

/** How threads are added: neighbours first; t and t + lanes / 2 first; one after the other. */
enum { SF8_JOINS_NEIGHBOURS, SF8_JOINS_HALVES, SF8_JOINS_CHAIN };

/** Which part of a row a gated step applies its function to; the rest is the factor. With
 * SF8_GATE_ARRAY it is the whole row, and the factor is an array. */
enum {
    SF8_GATE_NONE,
    SF8_GATE_FIRST,
    SF8_GATE_SECOND,
    SF8_GATE_EVEN,
    SF8_GATE_ODD,
    SF8_GATE_ARRAY
};

/** x / (1 + e^-x), or x times 1 / (1 + e^-x). */
enum { SF8_FORM_QUOTIENT, SF8_FORM_PRODUCT };

/** e^x itself, or 2 to the power of x times log2 e, which is rounded. */
enum { SF8_EXP_E, SF8_EXP_2 };

/** The reciprocal root is rounded once; or the root is rounded and then 1 / root. */
enum { SF8_RSTD_ONCE, SF8_RSTD_TWICE };

/** eps is added to the mean square; or to its root. */
enum { SF8_EPS_INSIDE, SF8_EPS_OUTSIDE };

/** Rope turns pairs of the first and the second half of a head, or of neighbours. */
enum { SF8_ROPE_NEOX, SF8_ROPE_INTERLEAVED };

enum { SF8_STEP_NAME = 16, SF8_STEP_ARRAYS = 2 };

/** A step. What a field means depends on the kind; one that it does not use is 0. */
typedef struct sf8_stage_step {
    uint32_t kind;
    uint32_t via, via_round; /**< the format of the result, and how it is rounded */
    uint32_t mid, mid_round; /**< the same for the intermediate result */
    uint32_t sums, lanes, each, join, depth;
    uint32_t fuse; /**< 1: products enter sums unrounded, by an fma */
    uint32_t gate, form, exp, rstd, eps_at, plus_one, style;
    uint32_t ulps;      /**< how far an approximate function may be off, in f32 numbers */
    uint32_t dim, head; /**< of rope: elements turned, of how many; of hadamard: dim is the size */
    uint32_t eps, alpha, limit, scale;          /**< f32 */
    char array[SF8_STEP_ARRAYS][SF8_STEP_NAME]; /**< names of arrays; "" for none */
} sf8_stage_step;

/* ---- roundings ------------------------------------------------------------------------------- */

SF8_LONG uint32_t sf8_step_round_one(uint32_t format, uint32_t round, uint32_t a)
{
    sf8_policy policy = SF8_OCP_NOSAT;
    policy.round = round & SF8_ROUND_MASK;
    if (format == SF8_STEP_BF16) {
        uint64_t code = sf8_core_convert(SF8_BF16, SF8_F32, a, policy, 0).code;
        return (uint32_t)sf8_core_convert(SF8_F32, SF8_BF16, code, SF8_OCP_NOSAT, 0).code;
    }
    if (format == SF8_STEP_F16) {
        uint64_t code = sf8_core_convert(SF8_F16, SF8_F32, a, policy, 0).code;
        return (uint32_t)sf8_core_convert(SF8_F32, SF8_F16, code, SF8_OCP_NOSAT, 0).code;
    }
    return a;
}

SF8_LONG sf8_span sf8_step_round(uint32_t format, uint32_t round, sf8_span a)
{
    uint32_t lo;
    if (format == SF8_STEP_F32)
        return a;
    lo = sf8_step_round_one(format, round, a.lo);
    return sf8_span_is_one(a) ? sf8_span_of(lo)
                              : sf8_span_from(lo, sf8_step_round_one(format, round, a.hi));
}

/* The intermediate result, and the result, of a step. */
SF8_FN sf8_span sf8_step_mid(const sf8_stage_step *s, sf8_span a)
{
    return sf8_step_round(s->mid, s->mid_round, a);
}

SF8_FN sf8_span sf8_step_out(const sf8_stage_step *s, sf8_span a)
{
    return sf8_step_round(s->via, s->via_round, a);
}

/* ---- activations ----------------------------------------------------------------------------- */

/* e^x, or e^-x, of which the error may be `ulps`. */
SF8_LONG sf8_span sf8_step_exp(const sf8_stage_step *s, sf8_span x, uint32_t ulps)
{
    if (s->exp == SF8_EXP_2)
        return sf8_span_map(SF8_SPAN_EXP2, sf8_span_mul(x, sf8_span_of(SF8_F32_LOG2E)), ulps);
    return sf8_span_map(SF8_SPAN_EXP, x, ulps);
}

/* x / (1 + e^-z), where z is x or a multiple of it. */
SF8_LONG sf8_span sf8_step_swish(const sf8_stage_step *s, sf8_span x, sf8_span z, uint32_t ulps)
{
    sf8_span one = sf8_span_of(SF8_F32_ONE);
    sf8_span below = sf8_span_add(one, sf8_step_exp(s, sf8_span_neg(z), ulps));
    if (s->form == SF8_FORM_QUOTIENT)
        return sf8_span_div(x, below);
    return sf8_span_mul(x, sf8_span_div(one, below));
}

/* (x / 2) (1 + erf(x / sqrt 2)), and (x / 2) (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). */
SF8_LONG sf8_span sf8_step_gelu(const sf8_stage_step *s, sf8_span x, uint32_t ulps)
{
    sf8_span half = sf8_span_mul(sf8_span_of(0x3f000000u), x), f;
    if (s->kind == SF8_STEP_GELU) {
        f = sf8_span_map(SF8_SPAN_ERF, sf8_span_mul(x, sf8_span_of(0x3f3504f3u)), ulps);
    } else {
        sf8_span cube = sf8_span_mul(sf8_span_mul(x, x), x);
        f = sf8_span_add(x, sf8_span_mul(sf8_span_of(0x3d372713u), cube));
        f = sf8_span_map(SF8_SPAN_TANH, sf8_span_mul(sf8_span_of(0x3f4c422au), f), ulps);
    }
    return sf8_span_mul(half, sf8_span_add(sf8_span_of(SF8_F32_ONE), f));
}

/* The activation of a step, without the gate. */
SF8_LONG sf8_span sf8_step_activate(const sf8_stage_step *s, sf8_span x, uint32_t ulps)
{
    switch (s->kind) {
    case SF8_STEP_RELU:
        return sf8_span_most(x, sf8_span_of(0));
    case SF8_STEP_RELU2:
        x = sf8_step_mid(s, sf8_span_most(x, sf8_span_of(0)));
        return sf8_span_mul(x, x);
    case SF8_STEP_SILU:
        return sf8_step_swish(s, x, x, ulps);
    default:
        return sf8_step_gelu(s, x, ulps);
    }
}

/* gate / (1 + e^-(alpha gate)) * (up + 1), of a gate that is at most `limit`, and of up between
 * -limit and limit. Each intermediate result is rounded. */
SF8_LONG sf8_span sf8_step_clamped(const sf8_stage_step *s, sf8_span gate, sf8_span up,
                                   uint32_t ulps)
{
    sf8_span one = sf8_span_of(SF8_F32_ONE), limit = sf8_span_of(s->limit), z, y;
    gate = sf8_span_least(gate, limit);
    up = sf8_span_least(sf8_span_most(up, sf8_span_neg(limit)), limit);
    z = sf8_step_mid(s, sf8_span_mul(gate, sf8_span_of(s->alpha)));
    if (s->form == SF8_FORM_QUOTIENT) {
        y = sf8_step_swish(s, gate, z, ulps);
    } else {
        y = sf8_span_add(one, sf8_step_exp(s, sf8_span_neg(z), ulps));
        y = sf8_span_mul(gate, sf8_step_mid(s, sf8_span_div(one, y)));
    }
    return sf8_span_mul(sf8_step_mid(s, sf8_span_add(up, one)), sf8_step_mid(s, y));
}

SF8_LONG sf8_span sf8_step_gated(const sf8_stage_step *s, sf8_span gate, sf8_span up, uint32_t ulps)
{
    if (s->kind == SF8_STEP_SWIGLU_CLAMP)
        return sf8_step_clamped(s, gate, up, ulps);
    return sf8_span_mul(sf8_step_mid(s, sf8_step_activate(s, gate, ulps)), up);
}

/* ---- norms, and rope ------------------------------------------------------------------------- */

/* 1 / sqrt(v + eps), or 1 / (sqrt(v) + eps). */
SF8_LONG sf8_span sf8_step_rstd(const sf8_stage_step *s, sf8_span v, uint32_t ulps)
{
    sf8_span one = sf8_span_of(SF8_F32_ONE), eps = sf8_span_of(s->eps);
    if (s->eps_at == SF8_EPS_OUTSIDE)
        return sf8_span_div(one, sf8_span_add(sf8_span_map(SF8_SPAN_SQRT, v, ulps), eps));
    v = sf8_span_add(v, eps);
    if (s->rstd == SF8_RSTD_TWICE)
        return sf8_span_div(one, sf8_span_map(SF8_SPAN_SQRT, v, ulps));
    return sf8_span_map(SF8_SPAN_RSQRT, v, ulps);
}

/* The factor of a norm: w, or w + 1. */
SF8_FN sf8_span sf8_step_factor(const sf8_stage_step *s, sf8_span w)
{
    return s->plus_one ? sf8_span_add(sf8_span_of(SF8_F32_ONE), w) : w;
}

/* a c - b d, or a c + b d. Products are rounded as intermediate results, but for a c with an fma.
 */
SF8_LONG sf8_span sf8_step_turned(const sf8_stage_step *s, sf8_span a, sf8_span c, sf8_span b,
                                  sf8_span d, uint32_t minus)
{
    sf8_span second = sf8_step_mid(s, sf8_span_mul(b, d));
    second = minus ? sf8_span_neg(second) : second;
    if (s->fuse)
        return sf8_span_fma(a, c, second);
    return sf8_span_add(sf8_step_mid(s, sf8_span_mul(a, c)), second);
}

#endif
