/* SPDX-License-Identifier: MIT */
/* lists_absent.c -- the lists where there is no CUDA toolkit or no C++ compiler: empty, with the
 * reason */
#include "../device.h"

const char *gpu_toolkit(void)
{
    return NULL;
}

const char *gpu_host_missing(void)
{
    return SOFTFP8_GPU_MISSING;
}

const gpu_subject *gpu_host_subjects(size_t *count)
{
    *count = 0;
    return NULL;
}
