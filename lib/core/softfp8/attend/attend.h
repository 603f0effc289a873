/* SPDX-License-Identifier: MIT */
/* attend.h -- attention over a cache: one chunk of keys, and how chunks are joined
 *
 * Keys are divided by their position into chunks of 64 and spans of 16 chunks, whoever computes
 * them:
 *
 *     position    0 ... 63 | 64 ... 127 | ...          | 960 ... 1023 | 1024 ...
 *     chunk           0    |     1      |              |      15      |   16
 *     span                                0                           |   1
 *
 * A chunk has its own maximum. Its partial result for a row is the maximum, the sum of the weights,
 * and the sum of weights times values, not yet divided. The chunks of a span are joined in
 * ascending order, and then the spans. Therefore a row of scores has one result, whether a kernel
 * computes it in one pass, in splits, or takes a prefix from another request.
 *
 * Scores are in base 2: a weight is 2^(score - maximum). Values are f32 bit patterns. Each
 * operation rounds once, to nearest even, and a NaN that it produces is 7fc00000. A masked key
 * takes no part: no operation reads its value or its scale.
 */
#ifndef SOFTFP8_ATTEND_H
#define SOFTFP8_ATTEND_H

#include "softfp8/f32/elementary.h"

enum {
    SF8_ATTEND_CHUNK = 64,  /* keys of a chunk */
    SF8_ATTEND_SPAN = 1024, /* keys of a span */
    SF8_ATTEND_LANES = 8    /* partial sums of a product of a query and a key */
};

/* What scores are multiplied by: docs/spec/attend/attention.md. */
typedef struct sf8_attend_factor {
    uint32_t scale;              /* factor of a product; it includes log2 e if there is no cap */
    uint32_t per_cap, cap_log2e; /* 1 / cap and cap log2 e, rounded; per_cap is 0 if there is no
                                    cap */
} sf8_attend_factor;

SF8_FN sf8_attend_factor sf8_attend_factor_of(uint32_t scale, uint32_t q_scale, uint32_t k_scale,
                                              uint32_t cap)
{
    sf8_attend_factor f = {sf8_f32_mul(scale, sf8_f32_mul(q_scale, k_scale)), 0, 0};
    if (cap == 0) {
        f.scale = sf8_f32_mul(f.scale, SF8_F32_LOG2E);
    } else {
        f.per_cap = sf8_f32_div(SF8_F32_ONE, cap);
        f.cap_log2e = sf8_f32_mul(cap, SF8_F32_LOG2E);
    }
    return f;
}

/* ---- scores ---------------------------------------------------------------------------------- */

/* The sum of 8 lanes: lane l adds the l-th eighth of the elements to +0 by fma; then neighbouring
 * lanes are added. `dim` is a multiple of 8. */
SF8_LONG uint32_t sf8_attend_dot(const uint32_t *q, const uint32_t *k, size_t dim)
{
    uint32_t lane[SF8_ATTEND_LANES] = {0};
    size_t each = dim / SF8_ATTEND_LANES;
    for (size_t d = 0; d < dim; d++)
        lane[d / each] = sf8_f32_fma(q[d], k[d], lane[d / each]);
    for (int32_t n = SF8_ATTEND_LANES; n > 1; n /= 2)
        for (int32_t l = 0; l < n / 2; l++)
            lane[l] = sf8_f32_add(lane[2 * l], lane[2 * l + 1]);
    return lane[0];
}

/* `k_scale` is the scale of the key, if keys have one each; else 1. */
SF8_LONG uint32_t sf8_attend_score(sf8_attend_factor f, uint32_t dot, uint32_t k_scale)
{
    uint32_t x = sf8_f32_mul(sf8_f32_mul(dot, k_scale), f.scale);
    return f.per_cap ? sf8_f32_mul(sf8_f32_tanh(sf8_f32_mul(x, f.per_cap)), f.cap_log2e) : x;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* `most` is NaN if a score is NaN, and -infinity if no key took part; -0 becomes +0. */
typedef struct sf8_attend_head {
    uint32_t most, sum;
} sf8_attend_head;

SF8_FN sf8_attend_head sf8_attend_nothing(void)
{
    sf8_attend_head h = {SF8_F32_NEG_INF, 0};
    return h;
}

SF8_FN uint32_t sf8_attend_is_nothing(sf8_attend_head h)
{
    return h.most == SF8_F32_NEG_INF;
}

/* The sum of 64 weights by halves: i and i + 32, then i and i + 16, and so on. `w` is
 * overwritten. */
SF8_FN uint32_t sf8_attend_sum(uint32_t w[SF8_ATTEND_CHUNK])
{
    for (int32_t n = SF8_ATTEND_CHUNK / 2; n > 0; n /= 2)
        for (int32_t i = 0; i < n; i++)
            w[i] = sf8_f32_add(w[i], w[i + n]);
    return w[0];
}

/* Key j of the chunk takes part if bit j of `mask` is set. The weight of any other key is +0. */
SF8_LONG sf8_attend_head sf8_attend_weights(uint32_t weight[SF8_ATTEND_CHUNK],
                                            const uint32_t score[SF8_ATTEND_CHUNK], uint64_t mask)
{
    sf8_attend_head h = sf8_attend_nothing();
    uint32_t sums[SF8_ATTEND_CHUNK];
    for (int32_t j = 0; j < SF8_ATTEND_CHUNK; j++)
        if (mask >> j & 1)
            h.most = sf8_f32_most_or_nan(h.most, score[j]);
    h.most = sf8_f32_add(h.most, 0);
    for (int32_t j = 0; j < SF8_ATTEND_CHUNK; j++)
        sums[j] = weight[j] = (mask >> j & 1) && !sf8_attend_is_nothing(h)
                                  ? sf8_f32_exp2(sf8_f32_sub(score[j], h.most))
                                  : 0;
    h.sum = sf8_attend_sum(sums);
    return h;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Where values have scales of their own, a weight is first multiplied by the scale of its value. */
SF8_FN uint32_t sf8_attend_weighted(uint32_t weight, uint32_t v_scale)
{
    return sf8_f32_mul(weight, v_scale);
}

/* One channel of the chunk: key after key is added by fma, beginning with +0. Its values are
 * `stride` elements apart. */
SF8_LONG uint32_t sf8_attend_channel(const uint32_t weight[SF8_ATTEND_CHUNK], const uint32_t *value,
                                     size_t stride, uint64_t mask)
{
    uint32_t sum = 0;
    for (int32_t j = 0; j < SF8_ATTEND_CHUNK; j++)
        if (mask >> j & 1)
            sum = sf8_f32_fma(weight[j], value[(size_t)j * stride], sum);
    return sum;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* The factors by which the sums of two sides are multiplied when they are joined. If one side is
 * empty, it is ignored, and the other side is the result unchanged. */
typedef struct sf8_attend_joint {
    sf8_attend_head head;
    uint32_t before, after; /* factors */
    uint32_t take;          /* SF8_ATTEND_BOTH, or the only side that counts */
} sf8_attend_joint;

enum { SF8_ATTEND_BOTH, SF8_ATTEND_BEFORE, SF8_ATTEND_AFTER };

/* before * factor + after * factor, where the second product is rounded. */
SF8_FN uint32_t sf8_attend_join(sf8_attend_joint j, uint32_t before, uint32_t after)
{
    if (j.take != SF8_ATTEND_BOTH)
        return j.take == SF8_ATTEND_BEFORE ? before : after;
    return sf8_f32_fma(before, j.before, sf8_f32_mul(after, j.after));
}

SF8_LONG sf8_attend_joint sf8_attend_joint_of(sf8_attend_head before, sf8_attend_head after)
{
    sf8_attend_joint j = {before, SF8_F32_ONE, SF8_F32_ONE, SF8_ATTEND_BOTH};
    if (sf8_attend_is_nothing(after)) {
        j.take = SF8_ATTEND_BEFORE;
    } else if (sf8_attend_is_nothing(before)) {
        j.take = SF8_ATTEND_AFTER;
        j.head = after;
    } else {
        j.head.most = sf8_f32_most_or_nan(before.most, after.most);
        j.before = sf8_f32_exp2(sf8_f32_sub(before.most, j.head.most));
        j.after = sf8_f32_exp2(sf8_f32_sub(after.most, j.head.most));
        j.head.sum = sf8_attend_join(j, before.sum, after.sum);
    }
    return j;
}

/* Adds a sink, which is one more weight without a value. `sink` is a score in base e. It comes
 * last. */
SF8_FN sf8_attend_head sf8_attend_sink(uint32_t sink)
{
    sf8_attend_head h = {sf8_f32_add(sf8_f32_mul(sink, SF8_F32_LOG2E), 0), SF8_F32_ONE};
    return h;
}

/* ---- results --------------------------------------------------------------------------------- */

/* The output of a channel; +0 if no key took part. */
SF8_FN uint32_t sf8_attend_out(sf8_attend_head h, uint32_t sum, uint32_t v_scale)
{
    return sf8_attend_is_nothing(h) ? 0 : sf8_f32_mul(sf8_f32_div(sum, h.sum), v_scale);
}

/* The logarithm of the sum of e^score to base e, or of 2^score to base 2. */
SF8_FN uint32_t sf8_attend_lse(sf8_attend_head h)
{
    return sf8_f32_add(sf8_f32_mul(h.most, SF8_F32_LN2), sf8_f32_log(h.sum));
}

SF8_FN uint32_t sf8_attend_lse2(sf8_attend_head h)
{
    return sf8_f32_add(h.most, sf8_f32_log2(h.sum));
}

/* ---- who takes part -------------------------------------------------------------------------- */

/* The bits of those of the keys `first` to first + 63 that lie in [from, to). */
SF8_FN uint64_t sf8_attend_mask(int64_t first, int64_t from, int64_t to)
{
    int64_t low = from > first ? from - first : 0, high = to - first;
    uint64_t mask;
    if (high <= low || low >= SF8_ATTEND_CHUNK)
        return 0;
    mask = high >= SF8_ATTEND_CHUNK ? UINT64_MAX : (UINT64_C(1) << high) - 1;
    return mask >> low << low;
}

#endif
