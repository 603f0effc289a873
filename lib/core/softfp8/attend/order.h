/* SPDX-License-Identifier: MIT */
/* order.h -- attention as other stacks order it: what an order is
 *
 * attend.h defines one order of operations. Kernels in use have other orders and therefore give
 * other bits. Here an order is a row of choices. docs/spec/attend/orders.md defines
 * the operations of each choice.
 *
 *     part      the keys of a row, all or a split; it has an output and the log of its sum
 *     tile      a fixed number of keys of a part, counted from its first key, whose maximum and
 *               weights are computed together; tiles are taken in ascending or descending order
 *     joining   how parts are combined
 *
 * 2^x and the logarithms of elementary.h, and correctly rounded divisions, replace approximate
 * instructions (ex2.approx, rcp.approx, lg2.approx, div.full).
 */
#ifndef SOFTFP8_ATTEND_ORDER_H
#define SOFTFP8_ATTEND_ORDER_H

#include "softfp8/attend/attend.h"

/* What is multiplied. "Half" is bf16, or f16 if the query is f16.
 *
 *     SF8_OPERANDS_F32      elements times the scale, in f32
 *     SF8_OPERANDS_SCALED   the same, rounded to half
 *     SF8_OPERANDS_PLAIN    elements without the scale, rounded to half
 *     SF8_OPERANDS_CODES    codes of e4m3, also of the query
 */
enum { SF8_OPERANDS_F32, SF8_OPERANDS_SCALED, SF8_OPERANDS_PLAIN, SF8_OPERANDS_CODES };

/* How the product of query and key is summed.
 *
 *     SF8_PRODUCTS_CHAIN     one fma after the other
 *     SF8_PRODUCTS_THREADS   eight sums, of the elements d with the same d mod 8, as two threads
 *                            compute them together
 *     SF8_PRODUCTS_UNIT      by the matrix unit
 *     SF8_PRODUCTS_AVX2      32 sums, of the elements d with the same d mod 32: four registers of
 *                            eight, of which the first and third, second and fourth, then both are
 *                            added; then l and l + 4, then neighbours twice
 */
enum { SF8_PRODUCTS_CHAIN, SF8_PRODUCTS_THREADS, SF8_PRODUCTS_UNIT, SF8_PRODUCTS_AVX2 };

/* How products become weights. s is a product, m the largest so far, and c the factor: all scales
 * and log2 e.
 *
 *     folded         2^fma(s, c, offset - m c), where the term in offset is an fma, and 0 if m is
 *                    -infinity; earlier sums are rescaled by 2^((m before - m) c)
 *     folded twice   2^fma(s, c, -(m c)); rescaled by 2^fma(m before, c, -(m c))
 *     scaled         c without log2 e, x = s c, m the largest x: 2^((x - m) log2 e); rescaled by
 *                    2^((m before - m) log2 e)
 *     folded apart   2^fma(s, c, -(m c)); rescaled by 2^(m before c - m c)
 *     natural        as scaled, with e^(x - m) and e^(m before - m)
 *     scaled-2       c with log2 e, x = s c, m the largest x: 2^(x - m); rescaled by
 *                    2^(m before - m)
 *     folded-rounded  2^((s c) - (m c)), of which each product is rounded; rescaled by
 *                    2^((m before - m) c)
 */
enum {
    SF8_SCORE_FOLDED,
    SF8_SCORE_FOLDED_TWICE,
    SF8_SCORE_SCALED,
    SF8_SCORE_FOLDED_APART,
    SF8_SCORE_NATURAL,
    SF8_SCORE_SCALED_2,
    SF8_SCORE_FOLDED_ROUNDED
};

/* Where the scale of the scores is applied: to products, in c; or its square root to query and key,
 * in f32, before they are rounded. */
enum { SF8_SCALE_ON_PRODUCTS, SF8_SCALE_ON_BOTH };

/* How weights are summed.
 *
 *     SF8_SUM_CHAIN     one after the other
 *     SF8_SUM_QUADS     four sums, of the keys j with the same j / 2 mod 4, then (0 + 2) + (1 + 3)
 *     SF8_SUM_HALVES    a tile by halves, then fma(sum, factor, that)
 *     SF8_SUM_UNIT      the matrix unit adds rounded weights times 1
 *     SF8_SUM_THREADS   128 sums, of the keys j with the same j mod 128; then each 32 of them by
 *                       halves, then the four results
 *     SF8_SUM_PAIRS     two sums, of the keys j with the same j mod 2, then both
 *     SF8_SUM_OCTETS    of each tile eight sums, of the keys j with the same j mod 8, the first of
 *                       which begins with the sum so far; then
 *                       ((0 + 2) + (4 + 6)) + ((1 + 3) + (5 + 7))
 *     SF8_SUM_SIXTEENS  sixteen sums, of the keys j with the same j mod 16; then by halves
 *     SF8_SUM_BITS      2^n sums for n digits of `sum_bits`. Digit d stands for bit d of the number
 *                       of a key of the tile, of which the lowest is bit 1. Keys that are alike in
 *                       these bits have the same sum. Sums that differ in the first digit are
 *                       joined first. `sum_seed` says what they begin with.
 *     SF8_SUM_GROUPS    two groups of quads, for the tiles with even and odd numbers. In each quad
 *                       neighbours are added, then octets; the groups are added in the end. It goes
 *                       with SF8_VALUES_GROUPS.
 */
enum {
    SF8_SUM_CHAIN,
    SF8_SUM_QUADS,
    SF8_SUM_HALVES,
    SF8_SUM_UNIT,
    SF8_SUM_THREADS,
    SF8_SUM_PAIRS,
    SF8_SUM_OCTETS,
    SF8_SUM_SIXTEENS,
    SF8_SUM_BITS,
    SF8_SUM_GROUPS
};

/* What the sums of SF8_SUM_BITS begin with in a tile.
 *
 *     SF8_SEED_KEPT   each with what it has, times the factor; they are joined in the end of a part
 *     SF8_SEED_FIRST  the first with the sum so far times the factor, the others with 0
 *     SF8_SEED_PAIR   the two that are joined last with half of that, the others with 0
 *     SF8_SEED_TILE   all with 0; then fma(sum so far, factor, the sum of the tile)
 *     SF8_SEED_OWN    all with 0; then fma(what it has, factor, that) for each; they are joined in
 *                     the end of a part
 */
enum { SF8_SEED_KEPT, SF8_SEED_FIRST, SF8_SEED_PAIR, SF8_SEED_TILE, SF8_SEED_OWN };

/* What a weight is rounded to before it is multiplied by values. */
enum { SF8_WEIGHT_F32, SF8_WEIGHT_HALF, SF8_WEIGHT_E4M3 };

/* How weights times values are summed.
 *
 *     SF8_VALUES_CHAIN       one fma after the other
 *     SF8_VALUES_UNIT        by the matrix unit, with one accumulator for the whole part
 *     SF8_VALUES_UNIT_TILE   `promote` tiles by the unit, beginning with 0; then that is added
 *     SF8_VALUES_THREADS     products are rounded to half; those of eight keys are summed by
 *                            neighbours; four warps take sixteen keys each in turn
 *     SF8_VALUES_CHAIN_HALF  as chain, but sums are rounded to half after each operation
 *     SF8_VALUES_GROUPS      by the unit. The first half of the channels as SF8_VALUES_UNIT. The
 *                            other half takes two tiles at once: it is rescaled for both, then the
 *                            second tile is added, then the first, with its weights times the
 *                            factor of the second before they are rounded
 */
enum {
    SF8_VALUES_CHAIN,
    SF8_VALUES_UNIT,
    SF8_VALUES_UNIT_TILE,
    SF8_VALUES_THREADS,
    SF8_VALUES_CHAIN_HALF,
    SF8_VALUES_GROUPS
};

/* How a part ends.
 *
 *     SF8_END_GUARDED      channels times 1 / sum;
 *                          if the sum is 0 or NaN, 0 and an lse of -infinity
 *     SF8_END_LOG2         the same; the lse is log 2 times that to base 2
 *     SF8_END_SCALE        as guarded; the lse has the factor without log2 e
 *     SF8_END_RECIPROCAL   channels times 1 / sum, or 0 if there was no key
 *     SF8_END_QUOTIENT     channels / sum, where the sum began as 1
 *     SF8_END_WEIGHTS      weights are multiplied by 1 / (sum + 1e-6) before they are rounded
 *     SF8_END_NORMALISED   weights are multiplied by 1 / sum, or 0 if that is 0 or NaN, before
 *                          they are rounded
 */
enum {
    SF8_END_GUARDED,
    SF8_END_RECIPROCAL,
    SF8_END_QUOTIENT,
    SF8_END_WEIGHTS,
    SF8_END_NORMALISED,
    SF8_END_LOG2,
    SF8_END_SCALE
};

/* Where the scale of values is applied: to the values, if operands are scaled; to 1 / sum, or to
 * the channels where none is multiplied by that; or to the output, rounded to half, which is then
 * rounded again; or to the output in f32, after parts are joined. */
enum { SF8_V_IN_VALUES, SF8_V_IN_INVERSE, SF8_V_ON_OUTPUT, SF8_V_ON_JOINED };

/* What happens to keys of a tile that take no part: they are left out; they are multiplied as zeros
 * with weight 0; or they are multiplied as what their slots contain, and as zeros behind the last
 * slot of the last block. */
enum { SF8_OTHERS_LEFT_OUT, SF8_OTHERS_ZERO, SF8_OTHERS_AS_THEY_ARE };

/* How keys are split into parts.
 *
 *     SF8_SPLIT_NONE       one part
 *     SF8_SPLIT_COUNT      n parts, given with the call, of tiles / n tiles each, rounded up
 *     SF8_SPLIT_SEGMENTS   `size` parts likewise
 *     SF8_SPLIT_SIZE       parts of `size` keys
 *     SF8_SPLIT_PREFIX     two parts; the number of keys of the first is given with the call
 *     SF8_SPLIT_KEYS       n parts, given with the call, of keys / n keys each, rounded up
 */
enum {
    SF8_SPLIT_NONE,
    SF8_SPLIT_COUNT,
    SF8_SPLIT_SEGMENTS,
    SF8_SPLIT_SIZE,
    SF8_SPLIT_PREFIX,
    SF8_SPLIT_KEYS
};

/* How parts are joined.
 *
 *     SF8_JOIN_VLLM         vLLM's merge_attn_states.cu: the result so far with the next part
 *     SF8_JOIN_FA3          FlashAttention-3's combine
 *     SF8_JOIN_FLASHINFER   FlashInfer's states
 *     SF8_JOIN_SEGMENTS     Triton's reduce_segments, of channels that are not yet divided
 *     SF8_JOIN_PARTITIONS   the reduce of PagedAttention v2
 *     SF8_JOIN_FA4          FlashAttention-4's combine: that of FlashAttention-3 with 2^x
 *     SF8_JOIN_SGLANG       SGLang's second stage of decode: the result so far with the next part
 *     SF8_JOIN_GLOBAL       weights are the base to the power of (lse of the part - that of all),
 * as FlashAttention-2, FlashMLA and AITER join
 */
enum {
    SF8_JOIN_VLLM,
    SF8_JOIN_FA3,
    SF8_JOIN_FLASHINFER,
    SF8_JOIN_SEGMENTS,
    SF8_JOIN_PARTITIONS,
    SF8_JOIN_FA4,
    SF8_JOIN_SGLANG,
    SF8_JOIN_GLOBAL
};

/* What a cap does to scores.
 *
 *     SF8_CAP_NONE     requests with a cap are refused
 *     SF8_CAP_PRODUCT  tanh(product * (scales / cap)) is the product, and the cap the scale of it
 *     SF8_CAP_SCORE    cap * tanh(score / cap) is the score
 */
enum { SF8_CAP_NONE, SF8_CAP_PRODUCT, SF8_CAP_SCORE };

/* Where a sink comes.
 *
 *     SF8_SINK_NONE    requests with sinks are refused
 *     SF8_SINK_FIRST   the first part begins with it as its largest score, and the sum 1
 *     SF8_SINK_LAST    its weight is added to the sum of the first part in the end; the largest
 *                      score stays what it was, or becomes 0 if it is -infinity
 *     SF8_SINK_KEY     the same, but it is rescaled by the larger of its score and the others
 *     SF8_SINK_JOINED  its weight is added to the sum of parts, where parts are joined
 */
enum { SF8_SINK_NONE, SF8_SINK_FIRST, SF8_SINK_LAST, SF8_SINK_KEY, SF8_SINK_JOINED };

/* An order. These choices require others:
 *
 *     SF8_END_GUARDED        folded scores, base e; SF8_END_LOG2 and SF8_END_SCALE too; only with
 *                            these an offset, from -126 to 126
 *     base 2                 folded scores, or SF8_SCORE_SCALED_2
 *     SF8_SCALE_ON_BOTH      scaled or natural scores, and operands in f32 or scaled
 *     SF8_END_WEIGHTS        tile 0, since weights are divided once; SF8_END_NORMALISED too
 *     weight_factor          sums of weights that are not rounded
 *     SF8_JOIN_SEGMENTS      one part; or SF8_SPLIT_SEGMENTS, scaled or natural scores,
 *                            SF8_END_QUOTIENT
 *     SF8_JOIN_PARTITIONS    scaled or natural scores, since parts pass on their largest score
 *     SF8_JOIN_FLASHINFER    base 2; the others but SF8_JOIN_GLOBAL base e; not required if there
 * is one part SF8_VALUES_GROUPS      SF8_SUM_GROUPS, and that needs these; scores that are not
 * folded once SF8_CAP_SCORE          scaled or natural scores; it and SF8_CAP_PRODUCT
 * SF8_SCALE_ON_PRODUCTS SF8_SINK_FIRST         scaled or natural scores, and SF8_END_QUOTIENT;
 * SF8_SINK_JOINED SF8_JOIN_SGLANG or SF8_JOIN_GLOBAL
 */
typedef struct sf8_attend_order {
    const char *name;
    int32_t tile, descends; /* keys of a tile; 0: all of a part */
    uint32_t operands;
    int32_t all_numbers; /* codes are read as sf8_kv_all_numbers says, if half is bf16 */
    const char *unit;    /* a unit of mma/units.h, or "" if none is needed */
    uint32_t dot, score;
    int32_t offset; /* of folded scores: weights are 2^offset times as large */
    uint32_t sum, weight, values, end, v_scale, others;
    uint32_t split;
    int32_t size;
    int32_t half_parts; /* 1: the output of a part is rounded to half */
    uint32_t join;
    int32_t base2; /* 1: logarithms are to base 2 */
    /* Tiles of requests without a causal mask or a window, and of those of one query: 0 is `tile`.
     */
    int32_t full_tile, decode_tile;
    /* A maximum that is larger by 2^n at most, n = rescale_after, is not taken over. */
    int32_t rescale_after;
    int32_t sum_rounded; /* 1: sums are of rounded weights */
    int32_t promote;     /* of SF8_VALUES_UNIT_TILE; else 1 */
    /* Before they are rounded, weights are multiplied by this; channels by its inverse in the end.
     */
    int32_t weight_factor;
    int32_t scale_on; /* SF8_SCALE_... */
    int32_t out_e4m3; /* 1: outputs are rounded to e4m3, as a kernel with FP8 outputs does */
    int32_t sum_bits; /* of SF8_SUM_BITS: digits from 1 to 9, each once; else 0 */
    uint32_t sum_seed, cap, sink;
    uint32_t
        out_scale; /* f32: outputs are multiplied by 1 / this before they are rounded to e4m3 */
    const char *product, *versions, *source, *evidence, *open;
} sf8_attend_order;

/* Whether the number of parts is given with the call. */
SF8_FN int32_t sf8_attend_order_counts(const sf8_attend_order *o)
{
    return o->split == SF8_SPLIT_COUNT || o->split == SF8_SPLIT_KEYS;
}

/* ---- scores ---------------------------------------------------------------------------------- */

/* Whether a score is a product times the factor. */
SF8_FN int32_t sf8_attend_order_scales(const sf8_attend_order *o)
{
    return o->score == SF8_SCORE_SCALED || o->score == SF8_SCORE_NATURAL ||
           o->score == SF8_SCORE_SCALED_2;
}

/* The factor by which products are multiplied. */
SF8_FN uint32_t sf8_attend_order_factor(const sf8_attend_order *o, uint32_t scale, uint32_t q_scale,
                                        uint32_t k_scale)
{
    uint32_t scales = sf8_f32_mul(q_scale, k_scale);
    if (o->scale_on == SF8_SCALE_ON_BOTH)
        return scales;
    if (o->score == SF8_SCORE_FOLDED || o->score == SF8_SCORE_FOLDED_ROUNDED ||
        o->score == SF8_SCORE_SCALED_2)
        return sf8_f32_mul(sf8_f32_mul(scale, SF8_F32_LOG2E), scales);
    scale = sf8_f32_mul(scale, scales);
    return sf8_attend_order_scales(o) ? scale : sf8_f32_mul(scale, SF8_F32_LOG2E);
}

/* A product or a score with a cap. `by` is what the product is multiplied by, or the cap itself. */
SF8_LONG uint32_t sf8_attend_order_capped(const sf8_attend_order *o, uint32_t x, uint32_t by)
{
    if (o->cap == SF8_CAP_PRODUCT)
        return sf8_f32_tanh(sf8_f32_mul(x, by));
    return sf8_f32_mul(by, sf8_f32_tanh(sf8_f32_div(x, by)));
}

/* The score, of which the maximum is taken. */
SF8_FN uint32_t sf8_attend_order_score(const sf8_attend_order *o, uint32_t product, uint32_t factor)
{
    return sf8_attend_order_scales(o) ? sf8_f32_mul(product, factor) : product;
}

SF8_LONG uint32_t sf8_attend_order_weight(const sf8_attend_order *o, uint32_t score,
                                          uint32_t factor, uint32_t most)
{
    uint32_t less;
    if (sf8_attend_order_scales(o)) {
        less = sf8_f32_sub(score, most == SF8_F32_NEG_INF ? 0 : most);
        if (o->score == SF8_SCORE_SCALED_2)
            return sf8_f32_exp2(less);
        return o->score == SF8_SCORE_NATURAL ? sf8_f32_exp(less)
                                             : sf8_f32_exp2(sf8_f32_mul(less, SF8_F32_LOG2E));
    }
    less = most == SF8_F32_NEG_INF ? 0
                                   : sf8_f32_fma(most, factor, sf8_f32_of(o->offset) ^ 0x80000000u);
    if (o->score == SF8_SCORE_FOLDED_ROUNDED)
        return sf8_f32_exp2(sf8_f32_sub(sf8_f32_mul(score, factor), less));
    return sf8_f32_exp2(sf8_f32_fma(score, factor, less ^ 0x80000000u));
}

/* The factor for sums so far when the maximum changes from `before` to *most; 0 for the first tile.
 * A maximum that is not much larger is not taken over: *most becomes `before`. */
SF8_LONG uint32_t sf8_attend_order_rescale(const sf8_attend_order *o, uint32_t before,
                                           uint32_t factor, uint32_t *most)
{
    uint32_t x, scaled = (uint32_t)sf8_attend_order_scales(o), natural;
    if (before == SF8_F32_NEG_INF)
        return 0;
    natural = sf8_f32_sub(before, *most);
    if (o->score == SF8_SCORE_FOLDED_TWICE)
        x = sf8_f32_fma(before, factor, sf8_f32_mul(*most, factor) ^ 0x80000000u);
    else if (o->score == SF8_SCORE_FOLDED_APART)
        x = sf8_f32_sub(sf8_f32_mul(before, factor), sf8_f32_mul(*most, factor));
    else if (o->score == SF8_SCORE_SCALED_2)
        x = natural;
    else
        x = sf8_f32_mul(natural, scaled ? SF8_F32_LOG2E : factor);
    if (o->rescale_after && !sf8_f32_is_nan(x) &&
        sf8_f32_order(x) >= sf8_f32_order(sf8_f32_of(-o->rescale_after))) {
        *most = before;
        return SF8_F32_ONE;
    }
    return o->score == SF8_SCORE_NATURAL ? sf8_f32_exp(natural) : sf8_f32_exp2(x);
}

#endif
