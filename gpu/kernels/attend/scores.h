/* SPDX-License-Identifier: MIT */
/* scores.h -- scores of a chunk: products of queries and keys, scales, caps */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_SCORES_H
#define SOFTFP8_GPU_KERNELS_ATTEND_SCORES_H

#include "kernels/attend/piece.h"

namespace kernels
{

namespace attention
{

ATTEND_PIECE
SHIM_FN float ATTEND_OF::score_of(const sf8_attend_factor &f, float dot, float k_scale) const
{
    return mul(by_row(w.k) ? mul(dot, k_scale) : dot, float_of(f.scale));
}

ATTEND_PIECE
SHIM_FN float ATTEND_OF::with_cap(const lane &l, float x) const
{
    return capped(x, float_of(l.factor.per_cap), float_of(l.factor.cap_log2e));
}

/* Lane r, c of warp n: keys 16 n + r and 8 more. */
ATTEND_PIECE
template <bool large>
SHIM_FN void ATTEND_OF::dot_operands(shim::stage at, uint32_t i, uint32_t number, lane &l,
                                     unsigned char *shared) const
{
    if (i == 0) {
        l.large = large;
        for (float &x : l.dot)
            x = 0.0f;
    }
    if constexpr (packed)
        packed_keys<large>(at, i, number, l, shared);
    SHIM_UNROLL
    for (uint32_t low = 0; low < 2 && !packed; low++) {
        const unsigned char *from = own<K>(l, number, chunk_at(at, shared)) +
                                    8 * low * lay().k_stride + 16 * i * unit;
        if constexpr (kept == 8) {
            uint32_t four = get4(from);
            l.a[0][low] = Cache::template operands<Sums>(four & 0xffff);
            l.a[0][low + 2] = Cache::template operands<Sums>(four >> 16);
        } else {
            uint32_t two[2];
            get8(two, from);
            l.a[0][low] = two[0];
            l.a[0][low + 2] = two[1];
        }
    }
    const unsigned char *queries = own<QUERY>(l, number, shared);
    if constexpr (fixed)
        get_two(i, l, queries + i / 2 * 64);
    else
        get_tiles(l, queries + 32 * i, 8 * lay().q_stride);
}

/* B of the tiles, whose rows are `more` bytes apart. */
ATTEND_PIECE
SHIM_FN void ATTEND_OF::get_tiles(lane &l, const unsigned char *from, uint32_t more) const
{
    SHIM_UNROLL
    for (uint32_t t = 0; t < tiles; t++)
        get8(l.b[t], from + t * more);
}

/* B of step i; with even i that of the next step too. */
ATTEND_PIECE
SHIM_FN void ATTEND_OF::get_two(uint32_t i, lane &l, const unsigned char *from) const
{
    if (i % 2) {
        l.b[0][0] = l.b_next[0];
        l.b[0][1] = l.b_next[1];
        return;
    }
    const packet p = get16(from);
    l.b[0][0] = p.word[0];
    l.b[0][1] = p.word[1];
    l.b_next[0] = p.word[2];
    l.b_next[1] = p.word[3];
}

/* Lane r, c: four codes of keys 16 n + r and 8 more, and their factors. */
ATTEND_PIECE
template <bool large>
SHIM_FN void ATTEND_OF::packed_keys(shim::stage at, uint32_t i, uint32_t number, lane &l,
                                    unsigned char *shared) const
{
    const unsigned char *from = own<K>(l, number, chunk_at(at, shared)) + 8 * i;
    const unsigned char *factors = own<K_FACTOR>(l, number, shared);
    if (Cache::grouped && i % 4 == 0)
        get_factors(l, factors + 4 * i);
    if (!Cache::grouped && i == 0)
        get8(l.factors, factors);
    Cache::template keys<large>(l.a[0], get2(from), get2(from + 8 * lay().k_stride),
                                l.factors + (Cache::grouped ? i % 4 : 0));
}

ATTEND_PIECE
SHIM_FN void ATTEND_OF::get_factors(lane &l, const unsigned char *from) const
{
    const packet p = get16(from);
    SHIM_UNROLL
    for (uint32_t k = 0; k < 4; k++)
        l.factors[k] = p.word[k];
}

/* By fma: lane n has key n % 64 and four rows. Eighths are added as soon as two are
 * computed. */
ATTEND_PIECE
SHIM_FN void ATTEND_OF::dots(shim::stage at, uint32_t number, const lane &l,
                             unsigned char *shared) const
{
    const uint32_t key = number % CHUNK, first = number / CHUNK * 4, eighth = lay().dim / 8;
    const unsigned char *k = chunk_at(at, shared) + key * lay().k_stride;
    const float *q = reinterpret_cast<const float *>(shared + lay().q_at) + first * lay().dim;
    float before[3][4], now[4] = {0, 0, 0, 0};
    SHIM_UNROLL
    for (uint32_t n = 0; n < 8; n++) {
        for (float &x : now)
            x = 0.0f;
        for (uint32_t d = n * eighth; d < (n + 1) * eighth; d += 2) {
            float x[2];
            Cache::wide2(x, k + d * unit);
            SHIM_UNROLL
            for (uint32_t r = 0; r < 4; r++) {
                now[r] = fused(q[r * lay().dim + d], x[0], now[r]);
                now[r] = fused(q[r * lay().dim + d + 1], x[1], now[r]);
            }
        }
        SHIM_UNROLL
        for (uint32_t r = 0; r < 4; r++) {
            if (n & 1)
                now[r] = ::kernels::sum(before[0][r], now[r]);
            if ((n & 3) == 3)
                now[r] = ::kernels::sum(before[1][r], now[r]);
            if ((n & 7) == 7)
                now[r] = ::kernels::sum(before[2][r], now[r]);
            before[n & 1 ? n & 2 ? 2 : 1 : 0][r] = now[r];
        }
    }
    for (uint32_t r = 0; r < 4; r++) {
        const float x = score_of(l.factor, now[r], state(shared).k_scale[key]);
        score(shared, first + r)[key] = l.factor.per_cap == 0 ? x : with_cap(l, x);
    }
}

/* There are several runs only if the chunk is at the edge of what some rows see. Sums by fma
 * treat each row separately: one run. */
ATTEND_PIECE
SHIM_FN void ATTEND_OF::count_runs(shim::stage at, const lane &l, shared_state<rows> &s) const
{
    const item &t = l.t;
    const uint32_t first = first_key(at, l), end = first + CHUNK;
    uint32_t n = 0;
    bool same = (t.inner_from == t.from || t.inner_from <= first) &&
                (t.inner_to == t.to || t.inner_to >= end);
    same = same || !Sums::unit;
    s.begin[n++] = 0;
    for (uint32_t r = 1; r < rows && !same; r++)
        if (s.row[r].mask != s.row[r - 1].mask)
            s.begin[n++] = r;
    s.runs = n;
    s.begin[n] = rows;
}

ATTEND_PIECE
SHIM_FN void ATTEND_OF::scores(shim::stage at, uint32_t number, lane &l,
                               unsigned char *shared) const
{
    shared_state<rows> &s = state(shared);
    if (number == 0 && !whole(at, l))
        count_runs(at, l, s);
    if constexpr (Sums::unit) {
        SHIM_UNROLL
        for (uint32_t i = 0; i < 4 * tiles; i++)
            l.dot[i] = score_of(l.factor, l.dot[i], s.k_scale[key_of(number, i)]);
        if (l.factor.per_cap != 0)
            for (float &x : l.dot)
                x = with_cap(l, x);
        SHIM_UNROLL
        for (uint32_t i = 0; i < 4 * tiles; i++)
            reinterpret_cast<float *>(
                own<DOT>(l, number,
                         shared))[(i / 4 * 8 + i % 2) * SCORE_STRIDE + (i & 2 ? 8 : 0)] = l.dot[i];
    }
}

/* Of a lane's i-th score. */
ATTEND_PIECE
SHIM_FN uint32_t ATTEND_OF::key_of(uint32_t number, uint32_t i)
{
    return number / 32 * 16 + number % 32 / 4 + (i & 2 ? 8 : 0);
}

} // namespace attention

} // namespace kernels

#endif
