/* SPDX-License-Identifier: MIT */
/* device.cu -- the engine for the GPU; the kernels of the subjects are in samples.cu */
#include "engine.h"

extern "C" {
/* By row; written by sass_table.c when this is built. 0 rows: no disassembler was there. */
extern const char *const gpu_sass[];
extern const int gpu_sass_rows;
}

const char *gpu_device_sass(const gpu_device_subject *subject)
{
    size_t count;
    size_t row = static_cast<size_t>(subject - gpu_device_subjects(&count));
    if (gpu_sass_rows == 0)
        return nullptr;
    return row < static_cast<size_t>(gpu_sass_rows) && gpu_sass[row] ? gpu_sass[row] : "";
}
