/* SPDX-License-Identifier: MIT */
/* mma_absent.c -- matrix units where their instructions cannot be compiled: the reason is returned
 */
#include "device.h"

#include <string.h>

const char *gpu_mma_sass(const gpu_mma *m)
{
    (void)m;
    return NULL;
}

const char *gpu_mma_run(const gpu_mma_tiles *t)
{
    (void)t;
    return SOFTFP8_MMA_MISSING;
}

const char *gpu_mma_sweep_run(const gpu_mma_sweep *s, gpu_mma_answer *answer)
{
    (void)s;
    memset(answer, 0, sizeof *answer);
    return SOFTFP8_MMA_MISSING;
}

const char *gpu_mma_sparse_sass(const gpu_mma *m)
{
    (void)m;
    return NULL;
}

const char *gpu_mma_sparse_run(const gpu_mma_sparse_tiles *t)
{
    (void)t;
    return SOFTFP8_MMA_MISSING;
}
