/* SPDX-License-Identifier: MIT */
/* clock.c -- the time of the benchmark */
#include "bench.h"

#include <time.h>

double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
