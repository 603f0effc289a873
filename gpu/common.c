/* SPDX-License-Identifier: MIT */
/* common.c -- what is the same with CUDA and without */
#include "device.h"
#include "kernels/list.h"
#include "rbits.h"

#include <string.h>

/* By pairs, a name and a hash, and NULL; written by source_hash.c when this is built. */
extern const char *const gpu_source_table[];

const char *gpu_source(const char *group)
{
    for (const char *const *row = gpu_source_table; *row; row += 2)
        if (strcmp(row[0], group) == 0)
            return row[1];
    return NULL;
}

uint32_t gpu_rbits_slice(int bytes, uint32_t word, int lane)
{
    return rbits_slice(bytes, word, lane);
}

#define QUANTIZE(recipe, rule, approximate)                                                        \
    {"quantize/" recipe "/f32", recipe, "f32", 0, approximate},                                    \
        {"quantize/" recipe "/bf16", recipe, "bf16", 0, approximate},                              \
        {"quantize/" recipe "/f16", recipe, "f16", 0, approximate},
#define DEQUANTIZE(recipe, rule, approximate)                                                      \
    {"dequantize/" recipe "/f32", recipe, "f32", 1, approximate},                                  \
        {"dequantize/" recipe "/bf16", recipe, "bf16", 1, approximate},                            \
        {"dequantize/" recipe "/f16", recipe, "f16", 1, approximate},

const gpu_kernel *gpu_kernels(size_t *count)
{
    static const gpu_kernel kernels[] = {KERNELS_QUANTIZE(QUANTIZE) KERNELS_DEQUANTIZE(DEQUANTIZE)};
    *count = sizeof kernels / sizeof kernels[0];
    return kernels;
}
