/* SPDX-License-Identifier: MIT */
/* mma.cu -- the instructions of matrix units, for the GPU */
#include "mma/engine.h"

const char *gpu_mma_sass(const gpu_mma *)
{
    return nullptr;
}
