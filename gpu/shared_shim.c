/* SPDX-License-Identifier: MIT */
/* shared_shim.c -- the shared memory of this processor: no limit, or one that a test sets */
#include "device.h"

#include <stdlib.h>

const char *gpu_shared(uint64_t *bytes)
{
    const char *limit = getenv("SOFTFP8_SHIM_SHARED");
    *bytes = limit ? strtoull(limit, NULL, 10) : UINT64_MAX;
    return NULL;
}
