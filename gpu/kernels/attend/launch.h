/* SPDX-License-Identifier: MIT */
/* launch.h -- starts a kernel of attention for a cache, a kind of sums and a number of rows */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_LAUNCH_H
#define SOFTFP8_GPU_KERNELS_ATTEND_LAUNCH_H

#include "kernels/attend/attend.h"

namespace kernels
{

namespace attention
{

template <class Cache, class Sums, int tiles, int wide>
const char *launch_pieces(const work &w, uint32_t steps, bool prepare)
{
    attend_piece<Cache, Sums, tiles, wide> body = {w, steps, w.all};
    return prepare ? shim::prepare_phases(body) : shim::launch_phases(body);
}

/* With 128 channels a lane needs so few registers that more blocks run at once. */
template <class Cache, class Sums, int rows>
const char *launch_wide(const work &w, uint32_t steps, bool prepare)
{
    constexpr int tiles = rows / 8, most = rows == 8 ? 2 : 1;
#if !defined(ATTEND_ONE_WIDTH) /* the variants with double checks are compiled only once */
    if constexpr (Sums::unit) {
        if (w.dim <= THREADS)
            return launch_pieces<Cache, Sums, tiles, 1>(w, steps, prepare);
    }
#endif
    return launch_pieces<Cache, Sums, tiles, most>(w, steps, prepare);
}

} // namespace attention

} // namespace kernels

#endif
