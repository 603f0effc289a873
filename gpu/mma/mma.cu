/* SPDX-License-Identifier: MIT */
/* mma.cu -- the instructions of matrix units, for the GPU */
#include "mma/engine.h"
#include "mma/sparse.h"

extern "C" {
/* By row; written by sass_table.c when this is built. 0 rows: no disassembler was there. */
extern const char *const gpu_mma_opcodes[];
extern const int gpu_mma_opcodes_rows;
extern const char *const gpu_mma_sparse_opcodes[];
extern const int gpu_mma_sparse_opcodes_rows;
}

const char *gpu_mma_sass(const gpu_mma *m)
{
    size_t count, row = static_cast<size_t>(m - gpu_mmas(&count));
    if (gpu_mma_opcodes_rows == 0)
        return nullptr;
    return row < static_cast<size_t>(gpu_mma_opcodes_rows) && gpu_mma_opcodes[row]
               ? gpu_mma_opcodes[row]
               : "";
}

const char *gpu_mma_sparse_sass(const gpu_mma *m)
{
    size_t count, row = static_cast<size_t>(m - gpu_mma_sparses(&count));
    if (gpu_mma_sparse_opcodes_rows == 0)
        return nullptr;
    return row < static_cast<size_t>(gpu_mma_sparse_opcodes_rows) && gpu_mma_sparse_opcodes[row]
               ? gpu_mma_sparse_opcodes[row]
               : "";
}
