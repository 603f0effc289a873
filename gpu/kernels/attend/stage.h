/* SPDX-License-Identifier: MIT */
/* stage.h -- keys and values of a chunk: where they are, and their way to shared memory
 *
 * Elements that are stored as they are in the image are copied while lanes compute. Shared memory
 * has two buffers: while one chunk is computed, the next one is copied to the other. Elements that
 * must be converted first pass through registers to a single buffer. Round n of a piece processes
 * its n-th chunk. The rows of chunks of even rounds are in places[0], those of odd rounds in
 * places[1].
 *
 *     round n, STAGE   the copies of chunk n + 1 begin, those of chunk n are awaited; the blocks of
 *                      chunk n + 2 and the scales of rows of chunk n + 1 are read
 *     round n, JOIN    the rows of chunk n + 2 replace those of chunk n
 */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_STAGE_H
#define SOFTFP8_GPU_KERNELS_ATTEND_STAGE_H

#include "kernels/attend/work.h"

namespace kernels
{

namespace attention
{

/* ---- where rows are -------------------------------------------------------------------------- */

SHIM_FN inline bool looked_at(const item &t, uint32_t key)
{
    return key >= t.from && key < t.to;
}

/* The block of a key; block 0 for a key that no row sees, which is not read. */
SHIM_FN inline uint32_t block_of(const work &w, const item &t, uint32_t key)
{
    return looked_at(t, key) ? w.blocks[t.table + w.by_slots.of(key)] : 0;
}

template <class Cache>
SHIM_FN void put_place(const work &w, const item &t, places &p, uint32_t key, uint32_t block)
{
    const uint32_t slot = key - w.by_slots.of(key) * w.by_slots.by, j = key % CHUNK;
    p.k[j] = w.k.row(block, slot, t.head);
    p.v[j] = w.v.row(block, slot, t.head);
    if constexpr (Cache::bits == 4) {
        p.k_scales[j] = w.k.scale_row(block, slot, t.head);
        p.v_scales[j] = w.v.scale_row(block, slot, t.head);
    } else {
        p.block[j] = block;
    }
}

/* ---- beside the arithmetic ------------------------------------------------------------------- */

/* Copies the keys of a chunk that are seen, which are at multiples of 16. If a whole number of rows
 * fits a round of the lanes, each lane has the same position in all of its rows. */
SHIM_FN inline void copy_chunk(const work &w, const places &p, uint32_t number, unsigned char *room)
{
    const uint32_t units = w.by_units.by;
    const uint32_t j = w.by_units.of(number), at = 16 * (number - j * units);
    unsigned char *k = room + j * w.k_stride + at, *v = room + w.v_at + j * w.v_stride + at;
    if (w.rows_each) {
        const uint32_t more = w.rows_each;
        for (uint32_t row = j; row < CHUNK; row += more) {
            shim::copy16(number, k, p.k[row] + at);
            shim::copy16(number, v, p.v[row] + at);
            k += more * w.k_stride;
            v += more * w.v_stride;
        }
        return;
    }
    for (uint32_t i = number; i < CHUNK * units; i += THREADS) {
        const uint32_t row = w.by_units.of(i), from = 16 * (i - row * units);
        shim::copy16(number, room + row * w.k_stride + from, p.k[row] + from);
        shim::copy16(number, room + w.v_at + row * w.v_stride + from, p.v[row] + from);
    }
}

/* Any keys: those that no row sees are not read, and are 0. */
SHIM_FN inline void read_chunk(const work &w, const item &t, const places &p, uint32_t first,
                               uint32_t number, unsigned char *room)
{
    const uint32_t units = w.by_units.by;
    for (uint32_t i = number; i < CHUNK * units; i += THREADS) {
        const uint32_t j = w.by_units.of(i), at = 16 * (i - j * units);
        packet k = {{0, 0, 0, 0}}, v = {{0, 0, 0, 0}};
        if (looked_at(t, first + j)) {
            k = get_codes_at<16>(p.k[j] + at);
            v = get_codes_at<16>(p.v[j] + at);
        }
        put16(room + j * w.k_stride + at, k);
        put16(room + w.v_at + j * w.v_stride + at, v);
    }
}

SHIM_FN inline void bring_chunk(const work &w, const item &t, const places &p, uint32_t first,
                                uint32_t number, unsigned char *room)
{
    if (w.aligned && first >= t.from && first + CHUNK <= t.to)
        copy_chunk(w, p, number, room);
    else
        read_chunk(w, t, p, first, number, room);
}

/* ---- through registers ----------------------------------------------------------------------- */

/* Loads 16 elements of a key, or 0 if no row sees it: then nothing is read. */
template <class Cache> struct fetched {
    packet p[Cache::packets];
    uint32_t scale, row_scale;
    bool there;

    SHIM_FN void get(const work &w, const side &s, const item &t, const uint8_t *row,
                     const uint8_t *scales, uint32_t key, uint32_t part)
    {
        scale = row_scale = 0;
        there = looked_at(t, key);
        if (!there)
            return;
        Cache::get(p, row + part * (PIECE * Cache::bits / 8));
        if (Cache::grouped)
            scale = *s.scale(scales, key - w.by_slots.of(key) * w.by_slots.by, s.by_scale.of(part));
        if (Cache::bits == 4 && !Cache::grouped)
            row_scale = get4_at(scales);
    }

    template <class Sums> SHIM_FN void put(unsigned char *to) const
    {
        const packet none = {{0, 0, 0, 0}};
        if (there) {
            Cache::template put<Sums>(to, p, scale, row_scale);
            return;
        }
        put16(to, none);
        if (Cache::kept == 16)
            put16(to + 16, none);
    }
};

/* A piece of a chunk: that of a lane, or one that is THREADS pieces further. */
struct cursor {
    uint32_t j, part;

    SHIM_FN cursor(const work &w, uint32_t number)
        : j(w.by_parts.of(number)), part(number - j * w.by_parts.by)
    {
    }
    SHIM_FN void move(const work &w)
    {
        const uint32_t rows = w.by_parts.of(THREADS);
        j += rows;
        part += THREADS - rows * w.by_parts.by;
        if (part >= w.by_parts.by) {
            part -= w.by_parts.by;
            j++;
        }
    }
};

/* Several pieces are loaded before the first one is stored. */
template <class Cache, class Sums>
SHIM_FN void convert_chunk(const work &w, const item &t, const places &p, uint32_t first,
                           uint32_t number, unsigned char *room)
{
    constexpr uint32_t most = 4 / Cache::packets;
    for (cursor at(w, number), to = at; at.j < CHUNK;) {
        fetched<Cache> k[most], v[most];
        SHIM_UNROLL
        for (uint32_t n = 0; n < most; n++, at.move(w)) {
            if (at.j >= CHUNK)
                continue;
            k[n].get(w, w.k, t, p.k[at.j], p.k_scales[at.j], first + at.j, at.part);
            v[n].get(w, w.v, t, p.v[at.j], p.v_scales[at.j], first + at.j, at.part);
        }
        SHIM_UNROLL
        for (uint32_t n = 0; n < most; n++, to.move(w)) {
            if (to.j >= CHUNK)
                continue;
            unsigned char *piece = room + to.part * (PIECE * Cache::kept / 8);
            k[n].template put<Sums>(piece + to.j * w.k_stride);
            v[n].template put<Sums>(piece + w.v_at + to.j * w.v_stride);
        }
    }
}

/* ---- scales of rows -------------------------------------------------------------------------- */

/* Each lane has a key of the chunk, or a value. An offset is left out. */
template <class Cache>
SHIM_FN float own_scale(const work &w, const item &t, const places &p, uint32_t first,
                        uint32_t number)
{
    const uint32_t j = number % CHUNK, key = first + j;
    const side &s = number < CHUNK ? w.k : w.v;
    if (!looked_at(t, key) || !s.by_row)
        return 0.0f;
    if constexpr (Cache::bits == 4)
        return float_of(get4_at((number < CHUNK ? p.k_scales : p.v_scales)[j]) & ~15u);
    else
        return float_of(
            get4_at(s.scale_row(p.block[j], key - w.by_slots.of(key) * w.by_slots.by, t.head)));
}

} // namespace attention

} // namespace kernels

#endif
