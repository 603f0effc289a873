/* SPDX-License-Identifier: MIT */
/* timing.h -- how long a kernel takes: the median of some launches */
#ifndef SOFTFP8_GPU_KERNELS_TIMING_H
#define SOFTFP8_GPU_KERNELS_TIMING_H

#include "shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace kernels
{

enum { TIMES = 64, WARM = 5000 };

/* The number of copies of `bytes` bytes between which launches alternate, to use `around` bytes. */
inline uint64_t places_for(uint64_t bytes, uint64_t around)
{
    const uint64_t most = GPU_KV_COPIES, n = bytes ? (around + bytes - 1) / bytes : 1;
    return n < 1 ? 1 : n < most ? n : most;
}

inline int by_time(const void *a, const void *b)
{
    double x = *static_cast<const double *>(a), y = *static_cast<const double *>(b);
    return x < y ? -1 : x > y;
}

/* Launches that are not timed: at least one, for this many seconds. */
template <class Launch>
const char *warm_up(const Launch &launch, double until, shim::clock *clock)
{
    double all = 0, now = 0;
    const char *error = nullptr;
    for (int i = 0; i == 0 || (i < WARM && all < until && !error); i++) {
        error = clock->mark(0);
        if (!error)
            error = launch();
        if (!error)
            error = clock->mark(1);
        if (!error)
            error = clock->wait();
        if (!error)
            error = clock->seconds(0, 1, &now);
        all += now + 1e-5; /* the least time that a launch takes in addition */
    }
    return error;
}

/* The median of some launches. Each begins when the device has finished something else, so that
 * launch overhead is not in the time. */
template <class Launch> const char *time_launches(const Launch &launch, int times, double *seconds)
{
    double took[TIMES];
    shim::clock clock;
    times = times < TIMES ? times : TIMES;
    const char *error = clock.begin();
    if (!error)
        error = warm_up(launch, times > 0 ? shim::warm : 0, &clock);
    for (int i = 0; i < times && !error; i++) {
        error = shim::occupy();
        if (!error)
            error = clock.mark(0);
        if (!error)
            error = launch();
        if (!error)
            error = clock.mark(1);
        if (!error)
            error = clock.wait();
        if (!error)
            error = clock.seconds(0, 1, &took[i]);
    }
    const char *now = clock.end();
    if (!error && times > 0) {
        qsort(took, static_cast<size_t>(times), sizeof took[0], by_time);
        *seconds = took[times / 2];
    }
    return error ? error : now;
}

} // namespace kernels

#endif
