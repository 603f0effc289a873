/* SPDX-License-Identifier: MIT */
/* begin.h -- a piece begins: places, queries, scales; and the copies of each chunk */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_BEGIN_H
#define SOFTFP8_GPU_KERNELS_ATTEND_BEGIN_H

#include "kernels/attend/piece.h"

namespace kernels
{

namespace attention
{

/* Rows that do not exist have no output, and read what the last row reads. */
ATTEND_PIECE
SHIM_FN void ATTEND_OF::open(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const
{
    l.t = w.items[at.step];
    l.first = shim::keep(first_chunk(l.t));
    l.last = shim::keep(last_chunk(l.t));
    l.span = nothing();
    for (float &x : l.total)
        x = 0.0f;
    l.factor = w.factors[l.t.head];
    if constexpr (fixed)
        keep_all<0>(l, number);
    if constexpr (grouped)
        for (int i = 0; i < 2; i++)
            l.places_at[i] = shim::keep(group_scales<Cache>::place_of(number, i));
    const item &t = l.t;
    if (number == 0)
        state(shared).large = 0;
    for (uint32_t r = number; r < rows; r += threads) {
        const row &from = w.rows[t.first_row + (r < t.rows ? r : t.rows - 1)];
        row_state s = {0, 0, 0, 0, nothing().most, 0, 0, 0, from.from, from.to, 0};
        state(shared).row[r] = s;
    }
    const uint32_t key = l.first * CHUNK + number; /* of two chunks */
    const uint32_t block = block_of(w, t, key), slot = slot_of(w, key);
    for (int value = 0; value < 2; value++)
        put_place<Cache>(w.of(value), bases_of(w, t, value), state(shared).at[number / CHUNK],
                         place_at(value, number % CHUNK), slot, block);
    const row_bases own_bases = bases_of(w, t, number >= CHUNK);
    l.bases = {shim::keep(own_bases.row), shim::keep(own_bases.scales)};
    l.place = shim::keep(place_at(number >= CHUNK, number % CHUNK));
    for (uint32_t i = number; i < rows * lay().dim / 2; i += threads) {
        uint32_t r = i / (lay().dim / 2), d = i % (lay().dim / 2) * 2;
        float low = 0.0f, high = 0.0f;
        if (r < t.rows) {
            low = query(w, w.rows[t.first_row + r].q_at + d);
            high = query(w, w.rows[t.first_row + r].q_at + d + 1);
        }
        unsigned char *to = shared + lay().q_at + r * lay().q_stride;
        if constexpr (fixed) {
            const uint32_t two = Sums::narrow(low, high);
            put2(to + query_place(d), two & 0xffff);
            put2(to + query_place(d + 1), two >> 16);
        } else if constexpr (Sums::unit) {
            put4(to + 2 * d, Sums::narrow(low, high));
        } else {
            put4(to + 4 * d, bits_of(low));
            put4(to + 4 * d + 4, bits_of(high));
        }
    }
}

/* Of an element of a query: those of two steps are together for each lane c. The packed codes
 * that a register has are not neighbours. */
ATTEND_PIECE
SHIM_FN uint32_t ATTEND_OF::query_place(uint32_t d)
{
    const uint32_t k = packed ? d % 2 * 2 + d % 4 / 2 : d % 4;
    return d / 32 * 64 + d % 16 / 4 * 16 + d / 16 % 2 * 8 + 2 * k;
}

ATTEND_PIECE
SHIM_FN void ATTEND_OF::stage(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const
{
    l.large = may_be_large;
    shared_state<rows> &s = state(shared);
    const uint32_t first = first_key(at, l), next = first + CHUNK, which = at.round % 2;
    const bool more = l.first + at.round + 1 < l.last;
    if constexpr (copied) {
        if (at.round == 0) {
            bring_chunk<units>(w, lay(), l.t, s.at[0], first, number, shared);
            shim::commit(number);
        }
        if (more)
            bring_chunk<units>(w, lay(), l.t, s.at[1 - which], next, number,
                               shared + (1 - which) * lay().next);
        shim::commit(number);
    } else {
        convert_chunk<Cache, Sums>(w, lay(), l.t, s.at[which], first, number, shared);
    }
    const uint32_t then = next + CHUNK + number % CHUNK;
    const uint32_t back = w.by_slots.of(then);
    const bool seen = looked_at(l.t, then);
    l.slot = then - back * w.by_slots.by;
    if constexpr (grouped)
        read_groups(at, number, l, more, s, shared);
    else
        read_scales(at, number, l, more, s, shared + lay().scale_at);
    /* Loaded last: the scales would be awaited together with it. */
    l.block = seen ? w.blocks[l.t.table + back] : 0;
    for (uint32_t r = number; r < rows && !whole(at, l); r += threads)
        s.row[r].mask = mask_of(first, s.row[r].from, s.row[r].to);
    if constexpr (copied)
        shim::template arrived<1>(number);
}

/* Those of the next chunk are loaded while lanes compute. */
ATTEND_PIECE
SHIM_FN void ATTEND_OF::read_scales(shim::stage at, uint32_t number, lane &l, bool more,
                                    shared_state<rows> &s, unsigned char *factors) const
{
    const uint32_t first = first_key(at, l), which = at.round % 2;
    constexpr uint32_t offset = Cache::bits == 4 ? 15 : 0;
    if (at.round == 0)
        l.scale = own_scale<Cache>(w, l.t, s.at[0], first, number);
    (number < CHUNK ? s.k_scale : s.v_scale)[number % CHUNK] = float_of(l.scale & ~offset);
    if constexpr (packed)
        put_row_factors<Cache>(l.scale, number, factors);
    if (more)
        l.scale = own_scale<Cache>(w, l.t, s.at[1 - which], first + CHUNK, number);
}

ATTEND_PIECE
SHIM_FN void ATTEND_OF::read_groups(shim::stage at, uint32_t number, lane &l, bool more,
                                    shared_state<rows> &s, unsigned char *shared) const
{
    const uint32_t first = first_key(at, l), which = at.round % 2;
    if (at.round == 0)
        l.group.get(w, l.t, s.at[0], first, number, l.places_at);
    l.group.put(number, own<FACTORS>(l, number, shared), &s.large, at.round + 1);
    if (more)
        l.group.get(w, l.t, s.at[1 - which], first + CHUNK, number, l.places_at);
}

} // namespace attention

} // namespace kernels

#endif
