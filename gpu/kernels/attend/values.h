/* SPDX-License-Identifier: MIT */
/* values.h -- sums of values by weights, joined to those of the span and of the piece */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_VALUES_H
#define SOFTFP8_GPU_KERNELS_ATTEND_VALUES_H

#include "kernels/attend/piece.h"

namespace kernels
{

namespace attention
{

/* Where the n-th sum of a lane is: a channel, a row. */
ATTEND_PIECE
SHIM_FN uint32_t ATTEND_OF::channel_of(uint32_t number, uint32_t n)
{
    if constexpr (!Sums::unit)
        return number + n / 8 * threads;
    const uint32_t m = n / (4 * tiles), r = number % 32 / 4, half = n % 4 / 2;
    const uint32_t group = 32 * (number / 32 + m / 2 * WARPS);
    if constexpr (kept <= 8)
        return group + 4 * r + m % 2 * 2 + half;
    return group + m % 2 * 16 + 2 * r + half;
}

ATTEND_PIECE
SHIM_FN uint32_t ATTEND_OF::row_of(uint32_t number, uint32_t n)
{
    if constexpr (!Sums::unit)
        return n % 8;
    return n / 4 % tiles * 8 + number % 4 * 2 + n % 2;
}

/* Values of four keys; those that the run does not see are 0. */
ATTEND_PIECE
SHIM_FN void ATTEND_OF::four_values(uint32_t word[4], const unsigned char *from, uint64_t mask,
                                    bool all) const
{
    SHIM_UNROLL
    for (uint32_t k = 0; k < 4; k++)
        word[k] = get4(from + 4 * k * lay().v_stride);
    if (all)
        return;
    SHIM_UNROLL
    for (uint32_t k = 0; k < 4; k++)
        if (!(mask >> 4 * k & 1))
            word[k] = 0;
}

/* Block `block` of a run of rows; one: it is the only one, and no scale is large. */
ATTEND_PIECE
template <bool one>
SHIM_FN void ATTEND_OF::sum_operands(shim::stage at, uint32_t run, uint32_t block, uint32_t number,
                                     lane &l, unsigned char *shared) const
{
    const uint32_t c = number % 4;
    uint64_t mask = ~uint64_t{0};
    if (!one && l.runs > 1) {
        const shared_state<rows> &s = state(shared);
        mask = s.row[s.begin[run]].mask >> (16 * block + (packed ? 2 * c : c));
    }
    if (block == 0) {
        if (run > 0)
            join_run(at, run - 1, number, l, shared);
        for (float &x : l.sum)
            x = 0.0f;
    }
    if constexpr (packed)
        packed_values<one>(at, block, number, l, shared, mask);
    SHIM_UNROLL
    for (uint32_t g = 0; g < wide && !packed; g++) {
        const uint32_t group = 32 * (number / 32 + g * WARPS);
        const unsigned char *from = own<V>(l, number, chunk_at(at, shared)) +
                                    16 * block * lay().v_stride;
        uint32_t word[4] = {0, 0, 0, 0};
        if constexpr (kept == 8) {
            if (group < lay().dim)
                four_values(word, from + group, mask, one);
            SHIM_UNROLL
            for (uint32_t n = 0; n < 4; n++) {
                uint32_t which = (4 + n) << 4 | n; /* byte n of two 32-bit words */
                uint32_t two = permute(word[0], word[1], which);
                uint32_t more = permute(word[2], word[3], which);
                l.a[2 * g + n / 2][n % 2] = Cache::template operands<Sums>(two & 0xffff);
                l.a[2 * g + n / 2][n % 2 + 2] = Cache::template operands<Sums>(more & 0xffff);
            }
        } else {
            SHIM_UNROLL
            for (uint32_t m = 0; m < 2; m++) {
                if (group < lay().dim)
                    four_values(word, from + (group + 16 * m) * 2, mask, one);
                for (uint32_t n = 0; n < 2; n++) {
                    uint32_t which = n ? 0x7632 : 0x5410;
                    l.a[2 * g + m][n] = permute(word[0], word[1], which);
                    l.a[2 * g + m][n + 2] = permute(word[2], word[3], which);
                }
            }
        }
    }
    const unsigned char *weights = own<WEIGHT>(l, number, shared);
    if constexpr (fixed)
        get_two(block, l, weights + 8 * block);
    else
        get_tiles(l, weights + 32 * block, 8 * lay().weight_stride);
}

/* Lane r, c: channels 4 r to 4 r + 3 of the warp's 32, of keys 2 c, 2 c + 1, 2 c + 8 and 2 c +
 * 9 of the block. Codes of two blocks are loaded together. */
ATTEND_PIECE
template <bool one>
SHIM_FN void ATTEND_OF::packed_values(shim::stage at, uint32_t block, uint32_t number, lane &l,
                                      unsigned char *shared, uint64_t mask) const
{
    const unsigned char *factors = own<V_FACTOR>(l, number, shared);
    if (block % 2 == 0)
        shim::get_columns(number, l.codes,
                          own<V>(l, number, chunk_at(at, shared)) + 16 * block * lay().v_stride,
                          lay().v_stride);
    if (!Cache::grouped)
        get_factors(l, factors + 16 * block);
    else if (block % 2 == 0)
        get_factors(l, factors + 8 * block);
    if (!one)
        mask_values(block, l, mask);
    SHIM_UNROLL
    for (uint32_t h = 0; h < 2; h++) {
        uint32_t v[4];
        const uint32_t n = block % 2 * 2 + h;
        Cache::template values<may_be_large && !one>(v, l.codes[n],
                                                     l.factors + (Cache::grouped ? n : 2 * h));
        l.a[0][2 * h] = v[0];
        l.a[0][2 * h + 1] = v[1];
        l.a[1][2 * h] = v[2];
        l.a[1][2 * h + 1] = v[3];
    }
}

/* Values that the run does not see become 0: of the factors that were just loaded. */
ATTEND_PIECE
SHIM_FN void ATTEND_OF::mask_values(uint32_t block, lane &l, uint64_t mask)
{
    if (Cache::grouped && block % 2)
        return;
    SHIM_UNROLL
    for (uint32_t h = 0; h < (Cache::grouped ? 4 : 2); h++) {
        const uint32_t seen = static_cast<uint32_t>(mask >> 8 * h);
        if (Cache::grouped)
            Cache::mask_values(l.codes[h], l.factors + h, seen);
        else
            Cache::mask_values(l.codes[block % 2 * 2 + h], l.factors + 2 * h, seen);
    }
}

ATTEND_PIECE
SHIM_FN void ATTEND_OF::sums(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const
{
    for (float &x : l.sum)
        x = 0.0f;
    SHIM_UNROLL
    for (uint32_t g = 0; g < wide; g++) {
        const uint32_t channel = number + g * threads;
        if (channel >= lay().dim)
            continue;
        const unsigned char *v = chunk_at(at, shared) + lay().v_at + channel * unit;
        if (whole(at, l))
            sum_channel<true>(l.sum + 8 * g, v, shared);
        else
            sum_channel<false>(l.sum + 8 * g, v, shared);
    }
}

/* For 8 rows; with `all` each sees all keys. */
ATTEND_PIECE
template <bool all>
SHIM_FN void ATTEND_OF::sum_channel(float *sum, const unsigned char *v, unsigned char *shared) const
{
    const shared_state<rows> &s = state(shared);
    for (uint32_t j = 0; j < CHUNK; j++) {
        const packet *four = reinterpret_cast<const packet *>(weights_of(shared, j));
        const packet low = four[0], high = four[1];
        const float x = Cache::wide(v + j * lay().v_stride);
        SHIM_UNROLL
        for (uint32_t r = 0; r < 8; r++)
            if (all || looks(s.row[r], j))
                sum[r] = fused(float_of(r < 4 ? low.word[r] : high.word[r - 4]), x, sum[r]);
    }
}

/* Joins the sums of the rows of a run to those of the span, and these to the piece's. The rows
 * of one tile are the lane's two columns. */
ATTEND_PIECE
SHIM_FN void ATTEND_OF::join_run(shim::stage at, uint32_t run, uint32_t number, lane &l,
                                 unsigned char *shared) const
{
    const shared_state<rows> &s = state(shared);
    uint32_t low = 0, high = rows;
    if (Sums::unit && l.runs > 1) {
        low = s.begin[run];
        high = s.begin[run + 1];
        join_rows<false>(low, high, number, l, shared);
    } else {
        join_rows<true>(low, high, number, l, shared);
    }
    if (ends(at, l))
        put_span(at, low, high, number, l, shared);
}

/* all: of all rows; else of rows low to high - 1. Rows that have something before and after are
 * the usual case. */
ATTEND_PIECE
template <bool all>
SHIM_FN void ATTEND_OF::join_rows(uint32_t low, uint32_t high, uint32_t number, lane &l,
                                  unsigned char *shared) const
{
    packet of[rows_held]; /* before, after, take */
    uint32_t any = all ? 0 : 1;
    SHIM_UNROLL
    for (uint32_t k = 0; k < rows_held; k++) {
        of[k] = get16(&state(shared).row[held_row(number, k)]);
        any |= of[k].word[2];
    }
    static_assert(SF8_ATTEND_BOTH == 0, "not the usual case");
    SHIM_UNROLL
    for (uint32_t i = 0; i < held && !any; i++) {
        const uint32_t *word = of[row_number(i)].word;
        l.total[i] = fused(l.total[i], float_of(word[0]), mul(l.sum[i], float_of(word[1])));
    }
    SHIM_UNROLL
    for (uint32_t i = 0; i < held && any; i++) {
        const uint32_t k = row_number(i), r = held_row(number, k), *word = of[k].word;
        if (all || (r >= low && r < high))
            l.total[i] = joined(word[2], l.total[i], float_of(word[0]), l.sum[i],
                                float_of(word[1]));
    }
}

/* The k-th row of a lane's sums. */
ATTEND_PIECE
SHIM_FN uint32_t ATTEND_OF::held_row(uint32_t number, uint32_t k)
{
    return row_of(number, Sums::unit ? k / 2 * 4 + k % 2 : k);
}

/* The row of the lane to which its i-th sum belongs. */
ATTEND_PIECE
SHIM_BOTH constexpr uint32_t ATTEND_OF::row_number(uint32_t i)
{
    return Sums::unit ? i / 4 % tiles * 2 + i % 2 : i % 8;
}

/* For rows low to high - 1. */
ATTEND_PIECE
SHIM_FN void ATTEND_OF::put_span(shim::stage at, uint32_t low, uint32_t high, uint32_t number,
                                 lane &l, unsigned char *shared) const
{
    const shared_state<rows> &s = state(shared);
    const bool first = l.first >> w.span_shift == (l.first + at.round) >> w.span_shift;
    SHIM_UNROLL
    for (uint32_t i = 0; i < held; i++) {
        const uint32_t r = row_of(number, i), channel = channel_of(number, i);
        const row_state &of = s.row[r];
        if (r < low || r >= high || channel >= lay().dim || r >= l.t.rows)
            continue;
        uint32_t *to = w.pieces + static_cast<uint64_t>(l.t.piece + r) * (2 + lay().dim) + 2 +
                       channel;
        float before = first ? 0.0f : float_of(*to);
        *to = bits_of(joined(of.whole_take, before, of.whole_before, l.total[i], of.whole_after));
    }
}

ATTEND_PIECE
SHIM_FN void ATTEND_OF::join_last(shim::stage at, uint32_t number, lane &l,
                                  unsigned char *shared) const
{
    shared_state<rows> &s = state(shared);
    join_run(at, Sums::unit ? l.runs - 1 : 0, number, l, shared);
    put_place<Cache>(w.of(number >= CHUNK), l.bases, s.at[at.round % 2], l.place, l.slot, l.block);
}

ATTEND_PIECE
SHIM_FN void ATTEND_OF::close(shim::stage at, uint32_t number, const lane &l,
                              unsigned char *shared) const
{
    const item &t = l.t;
    const bool none = rounds(at) == 0;
    for (uint32_t i = number; none && i < t.rows * lay().dim; i += threads)
        w.pieces[static_cast<uint64_t>(t.piece + i / lay().dim) * (2 + lay().dim) + 2 +
                 i % lay().dim] = 0;
    for (uint32_t r = number; r < t.rows; r += threads) {
        uint32_t *to = w.pieces + static_cast<uint64_t>(t.piece + r) * (2 + lay().dim);
        to[0] = bits_of(state(shared).row[r].whole_most);
        to[1] = bits_of(state(shared).row[r].whole_sum);
    }
}

} // namespace attention

} // namespace kernels

#endif
