/* SPDX-License-Identifier: MIT */
/* stage.h -- keys and values of a chunk: where they are, and their way to shared memory
 *
 * Elements that are stored as they are in the image, packed ones too, are copied while lanes
 * compute. Shared memory has two buffers: while one chunk is computed, the next one is copied to
 * the other. Elements that must be converted first pass through registers to a single buffer. Round
 * n of a piece processes its n-th chunk. The rows of chunks of even rounds are in places[0], those
 * of odd rounds in places[1].
 *
 *     round n, STAGE   the copies of chunk n + 1 begin, those of chunk n are awaited; the blocks of
 *                      chunk n + 2 and the scales of chunk n + 1 are read; factors of chunk n are
 *                      prepared
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

SHIM_FN inline uint32_t slot_of(const work &w, uint32_t key)
{
    return key - w.by_slots.of(key) * w.by_slots.by;
}

/* Where rows of a head, and their scales, begin in block 0. */
struct row_bases {
    const uint8_t *row, *scales;
};

SHIM_FN inline row_bases bases_of(const work &w, const item &t, bool values)
{
    const side &s = w.of(values);
    return {s.row(0, 0, t.head), s.scale_row(0, 0, t.head)};
}

/* Of key j of a chunk, or of its value: how far its place is behind the first one, in bytes. */
SHIM_FN inline uint32_t place_at(bool value, uint32_t j)
{
    return (CHUNK * value + j) * static_cast<uint32_t>(sizeof(const uint8_t *));
}

SHIM_FN inline const uint8_t *&pointer_at(const uint8_t *(*all)[CHUNK], uint32_t at)
{
    return *reinterpret_cast<const uint8_t **>(reinterpret_cast<unsigned char *>(all) + at);
}

/* at: from place_at. */
template <class Cache>
SHIM_FN void put_place(const side &s, const row_bases &bases, places &p, uint32_t at, uint32_t slot,
                       uint32_t block)
{
    pointer_at(p.row, at) = s.row_from(bases.row, block, slot);
    if constexpr (Cache::bits == 4)
        pointer_at(p.scales, at) = s.scale_row_from(bases.scales, block, slot);
    else
        p.block[at / sizeof(const uint8_t *) % CHUNK] = block;
}

/* ---- beside the arithmetic ------------------------------------------------------------------- */

/* Copies the keys of a chunk that are seen, which are at multiples of 16. If a whole number of rows
 * fits a round of the lanes, each lane has the same position in all of its rows. */
SHIM_FN inline void copy_chunk(const work &w, const layout &lay, const places &p, uint32_t number,
                               unsigned char *room)
{
    const uint32_t units = w.by_units.by;
    const uint32_t j = w.by_units.of(number), at = 16 * (number - j * units);
    unsigned char *k = room + j * lay.k_stride + at, *v = room + lay.v_at + j * lay.v_stride + at;
    if (w.rows_each) {
        const uint32_t more = w.rows_each;
        for (uint32_t row = j; row < CHUNK; row += more) {
            shim::copy16(number, k, p.row[0][row] + at);
            shim::copy16(number, v, p.row[1][row] + at);
            k += more * lay.k_stride;
            v += more * lay.v_stride;
        }
        return;
    }
    for (uint32_t i = number; i < CHUNK * units; i += THREADS) {
        const uint32_t row = w.by_units.of(i), from = 16 * (i - row * units);
        shim::copy16(number, room + row * lay.k_stride + from, p.row[0][row] + from);
        shim::copy16(number, room + lay.v_at + row * lay.v_stride + from, p.row[1][row] + from);
    }
}

/* The same with a constant number of units of 16 bytes a row, which divides that of the lanes. */
template <uint32_t units>
SHIM_FN void copy_rows(const layout &lay, const places &p, uint32_t number, unsigned char *room)
{
    const uint32_t j = number / units, at = 16 * (number % units);
    unsigned char *k = room + j * lay.k_stride + at, *v = room + lay.v_at + j * lay.v_stride + at;
    SHIM_UNROLL
    for (uint32_t row = 0; row < CHUNK; row += THREADS / units) {
        shim::copy16(number, k + row * lay.k_stride, p.row[0][j + row] + at);
        shim::copy16(number, v + row * lay.v_stride, p.row[1][j + row] + at);
    }
}

/* Any keys: those that no row sees are not read, and are 0. */
SHIM_FN inline void read_chunk(const work &w, const layout &lay, const item &t, const places &p,
                               uint32_t first, uint32_t number, unsigned char *room)
{
    const uint32_t units = w.by_units.by;
    ATTEND_ROLLED
    for (uint32_t i = number; i < CHUNK * units; i += THREADS) {
        const uint32_t j = w.by_units.of(i), at = 16 * (i - j * units);
        packet k = {{0, 0, 0, 0}}, v = {{0, 0, 0, 0}};
        if (looked_at(t, first + j)) {
            k = get_codes_at<16>(p.row[0][j] + at);
            v = get_codes_at<16>(p.row[1][j] + at);
        }
        put16(room + j * lay.k_stride + at, k);
        put16(room + lay.v_at + j * lay.v_stride + at, v);
    }
}

/* units: if they are a constant; else 0. */
template <uint32_t units>
SHIM_FN void bring_chunk(const work &w, const layout &lay, const item &t, const places &p,
                         uint32_t first, uint32_t number, unsigned char *room)
{
    if (!w.aligned || first < t.from || first + CHUNK > t.to)
        read_chunk(w, lay, t, p, first, number, room);
    else if constexpr (units > 0)
        copy_rows<units>(lay, p, number, room);
    else
        copy_chunk(w, lay, p, number, room);
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
            scale = *s.scale(scales, slot_of(w, key), s.by_scale.of(part));
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
SHIM_FN void convert_chunk(const work &w, const layout &lay, const item &t, const places &p,
                           uint32_t first, uint32_t number, unsigned char *room)
{
    constexpr uint32_t most = 4 / Cache::packets;
    for (cursor at(w, number), to = at; at.j < CHUNK;) {
        fetched<Cache> k[most], v[most];
        SHIM_UNROLL
        for (uint32_t n = 0; n < most; n++, at.move(w)) {
            if (at.j >= CHUNK)
                continue;
            const uint8_t *k_scales = nullptr, *v_scales = nullptr;
            if constexpr (Cache::bits == 4) {
                k_scales = p.scales[0][at.j];
                v_scales = p.scales[1][at.j];
            }
            k[n].get(w, w.k, t, p.row[0][at.j], k_scales, first + at.j, at.part);
            v[n].get(w, w.v, t, p.row[1][at.j], v_scales, first + at.j, at.part);
        }
        SHIM_UNROLL
        for (uint32_t n = 0; n < most; n++, to.move(w)) {
            if (to.j >= CHUNK)
                continue;
            unsigned char *piece = room + to.part * (PIECE * Cache::kept / 8);
            k[n].template put<Sums>(piece + to.j * lay.k_stride);
            v[n].template put<Sums>(piece + lay.v_at + to.j * lay.v_stride);
        }
    }
}

/* ---- scales of rows -------------------------------------------------------------------------- */

/* The bits of the scale of the lane's key of the chunk, or of its value. */
template <class Cache>
SHIM_FN uint32_t own_scale(const work &w, const item &t, const places &p, uint32_t first,
                           uint32_t number)
{
    const uint32_t j = number % CHUNK, key = first + j;
    const bool value = number >= CHUNK;
    const side &s = w.of(value);
    if (!looked_at(t, key) || !s.by_row)
        return 0;
    if constexpr (Cache::bits == 4)
        return get4_at(p.scales[value][j]);
    else
        return get4_at(s.scale_row(p.block[j], slot_of(w, key), t.head));
}

/* ---- factors of packed codes ----------------------------------------------------------------- */

template <bool first, class A, class B> struct choose {
    using type = A;
};

template <class A, class B> struct choose<false, A, B> {
    using type = B;
};

/* Two keys of a chunk, or two values, that an instruction takes together: lanes prepare their
 * factors as halves of a word. */
struct key_pair {
    uint32_t first, second;
};

SHIM_FN inline key_pair pair_of(bool values, uint32_t n)
{
    if (values)
        return {2 * n, 2 * n + 1};
    return {n / 8 * 16 + n % 8, n / 8 * 16 + n % 8 + 8};
}

/* Where a pair of values stands among those of a lane that takes them: c, then its 8 pairs. */
SHIM_FN inline uint32_t value_place(uint32_t n)
{
    return n % 4 * 8 + n / 4;
}

/* The codes of the scales of four pieces, from `part` on: two if two pieces share each of them. 0
 * if no row sees the key. */
template <class Cache>
SHIM_FN uint32_t four_scales(const work &w, const side &s, const item &t, const uint8_t *scales,
                             uint32_t key, uint32_t part)
{
    if (!looked_at(t, key))
        return 0;
    uint32_t four = 0;
    const uint32_t slot = slot_of(w, key);
    ATTEND_ROLLED
    for (uint32_t i = Cache::scale_bytes; i-- > 0;)
        four = four << 8 | *s.scale(scales, slot, s.by_scale.of(part + i * 4 / Cache::scale_bytes));
    return four;
}

/* A lane has a pair, and four of its 8 pieces: of keys those of lane 64 and above. */
template <class Cache> struct group_scales {
    uint32_t first, second;

    /* Of a pair's first key, or its second one. */
    SHIM_FN static uint32_t place_of(uint32_t number, bool second)
    {
        const bool values = number >= CHUNK;
        const key_pair two = pair_of(values, number % CHUNK / 2);
        return place_at(values, second ? two.second : two.first);
    }

    /* places_at: of the two keys. */
    SHIM_FN void get(const work &w, const item &t, places &p, uint32_t chunk, uint32_t number,
                     const uint32_t *places_at)
    {
        const uint8_t *a = pointer_at(p.scales, places_at[0]);
        const uint8_t *b = pointer_at(p.scales, places_at[1]);
        if (w.plain_scales && chunk >= t.from && chunk + CHUNK <= t.to) {
            const uint32_t at = number % 2 * Cache::scale_bytes;
            if constexpr (Cache::scale_bytes == 4) {
                first = get4(a + at);
                second = get4(b + at);
            } else {
                first = get2(a + at);
                second = get2(b + at);
            }
            return;
        }
        const bool values = number >= CHUNK;
        const key_pair two = pair_of(values, number % CHUNK / 2);
        const side &s = w.of(values);
        first = four_scales<Cache>(w, s, t, a, chunk + two.first, number % 2 * 4);
        second = four_scales<Cache>(w, s, t, b, chunk + two.second, number % 2 * 4);
    }

    /* Where a lane puts its factors. */
    SHIM_FN static uint32_t factors_at(uint32_t number)
    {
        const uint32_t n = number % CHUNK / 2;
        if (number < CHUNK)
            return 4 * (8 * n + number % 2 * 4);
        return PACKED_SCALES + 4 * (32 * (number % 2 * 4) + value_place(n));
    }

    /* If a scale is large, *large becomes the number of the round. */
    SHIM_FN void put(uint32_t number, unsigned char *to, uint32_t *large, uint32_t round) const
    {
        packet p;
        Cache::factors(p.word, first, second);
        if (!Cache::are_usual(first, second) && Cache::rare_factors(p.word, first, second))
            *large = round;
        if (number < CHUNK) {
            put16(to, p);
            return;
        }
        SHIM_UNROLL
        for (uint32_t i = 0; i < 4; i++)
            put4(to + 128 * i, p.word[i]);
    }
};

struct no_scales {
};

template <class Cache, bool grouped>
using scales_of = typename choose<grouped, group_scales<Cache>, no_scales>::type;

/* Two factors for the whole row of a key: halves of two words. */
template <class Cache>
SHIM_FN void put_row_factors(uint32_t row_scale, uint32_t number, unsigned char *to)
{
    const uint32_t key = number % CHUNK;
    if (number < CHUNK)
        to += 8 * (key / 16 * 8 + key % 8) + key / 8 % 2 * 2;
    else
        to += PACKED_SCALES + 8 * value_place(key / 2) + key % 2 * 2;
    put2(to, Cache::even_factor(row_scale));
    put2(to + 4, Cache::odd_factor(row_scale));
}

} // namespace attention

} // namespace kernels

#endif
