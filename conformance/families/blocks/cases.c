/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the project's own kernels for blocks with scales
 *
 * The subject of a row is a kernel. The expected result is that of the library's sf8_quantize_n and
 * sf8_dequantize_n by its recipe, packed, with linear scales and with scales in tiles of 128 x
 * 4.
 */
#include "families/blocks/blocks.h"

#define ROW(way, kernel) {.name = "blocks-" way "/" kernel, .subject = way "/" kernel},
#define TENSORS(way, recipe)                                                                       \
    ROW(way, recipe "/f32")                                                                        \
    ROW(way, recipe "/bf16")                                                                       \
    ROW(way, recipe "/f16")
#define MX(element)                                                                                \
    TENSORS("quantize", element "-floor")                                                          \
    TENSORS("quantize", element "-even")                                                           \
    TENSORS("quantize", element "-ceil")                                                           \
    TENSORS("quantize", element "-rceil")                                                          \
    TENSORS("dequantize", element "-floor")

/* clang-format off */
static const conform_case rows[] = {
    TENSORS("quantize", "nvfp4-te")
    TENSORS("quantize", "nvfp4-vllm")
    TENSORS("quantize", "nvfp4-torchao")
    TENSORS("dequantize", "nvfp4-te")
    TENSORS("dequantize", "nvfp4-torchao")
    MX("mxfp4")
    MX("mxfp8-e4m3")
    MX("mxfp8-e5m2")
};
/* clang-format on */

const conform_family blocks_family = {.name = "blocks",
                                      .begins = "blocks-quantize blocks-dequantize",
                                      .inputs = "blocks",
                                      .subjects = "the kernel",
                                      .against = "the library",
                                      .on_device = 1,
                                      FAMILY_ROWS(rows),
                                      .kernels = &block_kernels,
                                      .run = kernel_case_run,
                                      .replay = kernel_case_replay};
