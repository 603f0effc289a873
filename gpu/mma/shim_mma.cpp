/* SPDX-License-Identifier: MIT */
/* shim_mma.cpp -- the instructions of matrix units by their models, for this processor */
#include "mma/engine.h"

const char *gpu_mma_sass(const gpu_mma *)
{
    return nullptr;
}
