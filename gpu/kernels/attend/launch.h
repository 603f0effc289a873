/* SPDX-License-Identifier: MIT */
/* launch.h -- starts a kernel of attention for a cache, a kind of sums and a number of rows */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_LAUNCH_H
#define SOFTFP8_GPU_KERNELS_ATTEND_LAUNCH_H

#include "kernels/attend/attend.h"

namespace kernels
{

namespace attention
{

/* Returns true if the scales of four pieces are `bytes` neighbours at a multiple of `bytes`. */
inline bool are_plain(const side &s, uint32_t bytes)
{
    const uint64_t at = reinterpret_cast<uintptr_t>(s.scales) | s.scale_block_stride |
                        s.scale_slot_stride | s.scale_head_stride;
    return !s.four && s.by_scale.by * bytes == 4 && at % bytes == 0;
}

/* Returns true if codes may stay packed: two pieces have one scale where they must. */
template <class Cache> bool may_pack(const work &w)
{
    if constexpr (Cache::bits == 4 && Cache::grouped)
        return w.k.by_scale.by * Cache::scale_bytes % 4 == 0 &&
               w.v.by_scale.by * Cache::scale_bytes % 4 == 0;
    else
        return true;
}

/* What depends on the form of keys in shared memory. */
template <class Cache, class Piece> work fitted(work w)
{
    w.lay = Piece::laid_out(w.lay.dim);
    w.by_units = divider_of(w.lay.dim * Piece::kept / 128);
    w.rows_each = THREADS % w.by_units.by == 0 ? THREADS / w.by_units.by : 0;
    if constexpr (Piece::grouped)
        w.plain_scales = are_plain(w.k, Cache::scale_bytes) && are_plain(w.v, Cache::scale_bytes);
    return w;
}

template <class Cache, class Sums, int tiles, int wide, int fixed>
const char *launch_pieces(const work &w, uint32_t steps, bool prepare)
{
    using piece = attend_piece<Cache, Sums, tiles, wide, fixed>;
    piece body = {fitted<Cache, piece>(w), steps};
    return prepare ? shim::prepare_phases(body) : shim::launch_phases(body);
}

/* With 128 channels a lane needs so few registers that more blocks run at once. Few rows of that
 * number have kernels of their own, in which it is a constant. */
template <class Cache, class Sums, int rows>
const char *launch_wide(const work &w, uint32_t steps, bool prepare)
{
    constexpr int tiles = rows / 8, most = rows == 8 ? 2 : 1;
#if !defined(ATTEND_ONE_WIDTH) /* the variants with double checks are compiled only once */
    if constexpr (Sums::unit) {
        if constexpr (rows == 8)
            if (w.lay.dim == THREADS && may_pack<Cache>(w))
                return launch_pieces<Cache, Sums, tiles, 1, THREADS>(w, steps, prepare);
        if (w.lay.dim <= THREADS)
            return launch_pieces<Cache, Sums, tiles, 1, 0>(w, steps, prepare);
    }
#endif
    return launch_pieces<Cache, Sums, tiles, most, 0>(w, steps, prepare);
}

} // namespace attention

} // namespace kernels

#endif
