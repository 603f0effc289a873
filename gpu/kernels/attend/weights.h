/* SPDX-License-Identifier: MIT */
/* weights.h -- weights of a chunk: the largest score of a row, powers of two, and their sum.
 * A lane has keys n and n + 32 of each row of its warp. */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_WEIGHTS_H
#define SOFTFP8_GPU_KERNELS_ATTEND_WEIGHTS_H

#include "kernels/attend/piece.h"

namespace kernels
{

namespace attention
{

ATTEND_PIECE
SHIM_FN bool ATTEND_OF::looks(const row_state &s, uint32_t key) const
{
    return (s.mask >> key & 1) != 0;
}

ATTEND_PIECE
SHIM_FN void ATTEND_OF::find_most(shim::stage at, uint32_t number, lane &l,
                                  unsigned char *shared) const
{
    const uint32_t n = number % 32;
    const bool all = whole(at, l);
    l.runs = all ? 1 : state(shared).runs;
    l.plain = l.runs == 1 && !l.large;
    const float *own_scores = reinterpret_cast<const float *>(own<SCORE>(l, number, shared));
    SHIM_UNROLL
    for (uint32_t i = 0; i < each; i++) {
        const uint32_t r = number / 32 * each + i;
        const row_state &s = state(shared).row[r];
        uint32_t x[2];
        SHIM_UNROLL
        for (uint32_t k = 0; k < 2; k++) {
            l.score[i][k] = own_scores[i * SCORE_STRIDE + 32 * k];
            x[k] = ordered(l.score[i][k]);
        }
        if (!all) {
            const uint32_t least = ordered(nothing().most);
            x[0] = looks(s, n) ? x[0] : least;
            x[1] = looks(s, n + 32) ? x[1] : least;
        }
        l.shared[i] = x[0] > x[1] ? x[0] : x[1];
    }
}

ATTEND_PIECE
SHIM_FN void ATTEND_OF::weigh(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const
{
    if (whole(at, l))
        weigh_rows<true>(number, l, shared);
    else
        weigh_rows<false>(number, l, shared);
}

/* all: each row sees all keys. */
ATTEND_PIECE
template <bool all>
SHIM_FN void ATTEND_OF::weigh_rows(uint32_t number, lane &l, unsigned char *shared) const
{
    const shared_state<rows> &s = state(shared);
    SHIM_UNROLL
    for (uint32_t i = 0; i < each; i++) {
        const uint32_t r = number / 32 * each + i;
        const float high = ::kernels::sum(float_of_ordered(l.shared[i]), 0.0f); /* no -0 */
        float weight[2], by_scale[2];
        SHIM_UNROLL
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t key = number % 32 + 32 * k;
            const bool takes = (all || looks(s.row[r], key)) && !is_nothing({high, 0.0f});
            const float power = power_to_one(less(l.score[i][k], high));
            weight[k] = takes ? power : 0.0f;
            by_scale[k] = weight[k];
            if (by_row(w.v))
                by_scale[k] = takes ? mul(power, s.v_scale[key]) : 0.0f;
        }
        l.highest[i] = high;
        l.shared[i] = bits_of(::kernels::sum(weight[0], weight[1]));
        put_weights(l, i, number, by_scale, shared);
    }
}

/* Among the weights of a row. */
ATTEND_PIECE
SHIM_FN uint32_t ATTEND_OF::weight_place(uint32_t key)
{
    const uint32_t block = key / 16, n = key % 16;
    if constexpr (packed)
        return n % 8 / 2 * 16 + 4 * block + n / 8 * 2 + n % 2;
    else if constexpr (fixed)
        return n % 4 * 16 + 4 * block + n / 4;
    else
        return 16 * block + n % 4 * 4 + n / 4;
}

/* Of keys n and n + 32, and the warp's row i. */
ATTEND_PIECE
SHIM_FN void ATTEND_OF::put_weights(const lane &l, uint32_t i, uint32_t number, const float *weight,
                                    unsigned char *shared) const
{
    const uint32_t r = number / 32 * each + i, n = number % 32;
    if constexpr (Sums::unit) {
        const uint32_t both = Sums::narrow(weight[0], weight[1]);
        put2(own<LOW>(l, number, shared) + i * lay().weight_stride, both & 0xffff);
        put2(own<HIGH>(l, number, shared) + i * lay().weight_stride, both >> 16);
    } else {
        weights_of(shared, n)[r] = weight[0];
        weights_of(shared, n + 32)[r] = weight[1];
    }
}

/* By fma: the weights of 8 rows together. */
ATTEND_PIECE
SHIM_FN float *ATTEND_OF::weights_of(unsigned char *shared, uint32_t key) const
{
    return reinterpret_cast<float *>(shared + lay().weight_at) + key * rows;
}

/* Lane i of a warp has its i-th row. Values are selected by masks: a condition would require
 * that the lane's values have addresses. */
ATTEND_PIECE
SHIM_FN void ATTEND_OF::join_row(shim::stage at, uint32_t number, lane &l,
                                 unsigned char *shared) const
{
    uint32_t highest = 0, weights = 0;
    SHIM_UNROLL
    for (uint32_t i = 0; i < each; i++) {
        const uint32_t own = 0u - static_cast<uint32_t>(number % 32 == i);
        highest |= bits_of(l.highest[i]) & own;
        weights |= l.shared[i] & own;
    }
    if (number % 32 >= each)
        return;
    row_state &s = *reinterpret_cast<row_state *>(own<ROW>(l, number, shared));
    joint j = join_heads(l.span, {float_of(highest), float_of(weights)});
    put16(&s, {{bits_of(j.before), bits_of(j.after), j.take, 0}});
    l.span = j.both;
    if (!ends(at, l))
        return;
    j = join_spans({s.whole_most, s.whole_sum}, l.span);
    l.span = {nothing().most, 0.0f};
    s.whole_most = j.both.most;
    s.whole_sum = j.both.sum;
    s.whole_before = j.before;
    s.whole_after = j.after;
    s.whole_take = j.take;
}

} // namespace attention

} // namespace kernels

#endif
