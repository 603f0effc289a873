/* SPDX-License-Identifier: MIT */
/* shared_cuda.c -- the shared memory of the GPU */
#include "device.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

const char *gpu_shared(uint64_t *bytes)
{
    static char text[2 * GPU_TEXT];
    int device = 0, most = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    *bytes = (uint64_t)most;
    if (error == cudaSuccess)
        return NULL;
    snprintf(text, sizeof text, "cudaDeviceGetAttribute: %s", cudaGetErrorString(error));
    return text;
}
