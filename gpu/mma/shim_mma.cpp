/* SPDX-License-Identifier: MIT */
/* shim_mma.cpp -- the instructions of matrix units by their models, for this processor */
#include "mma/engine.h"
#include "mma/sparse.h"

const char *gpu_mma_sass(const gpu_mma *)
{
    return nullptr;
}

const char *gpu_mma_sparse_sass(const gpu_mma *)
{
    return nullptr;
}
