/* SPDX-License-Identifier: MIT */
/* shim.cpp -- the engine and all kernels for this processor */
#define GPU_SM_100A 1 /* the models are those of every instruction */
#define GPU_PARTS 1
#define GPU_PART 0
#include "samples.h"
#include "engine.h"

uint64_t gpu_shim_chunk = 0;

const char *gpu_device_sass(const gpu_device_subject *)
{
    return nullptr;
}
