/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the project's own kernels for blocks with scales
 *
 * The subject of a row is a kernel; what is right is the library's sf8_quantize_n, sf8_dequantize_n
 * of its recipe, packed, with linear scales and with those in tiles of 128 x 4.
 */
#include "suite/cases.h"

#define ROW(family, subject)                                                                       \
    {"blocks-" family "/" subject,                                                                 \
     family "/" subject,                                                                           \
     PLACE_DEVICE,                                                                                 \
     DOMAIN_BLOCKS,                                                                                \
     {{NULL, NULL, NULL}},                                                                         \
     0,                                                                                            \
     NULL,                                                                                         \
     SLICES_NONE,                                                                                  \
     0},
#define TENSORS(family, recipe)                                                                    \
    ROW(family, recipe "/f32")                                                                     \
    ROW(family, recipe "/bf16")                                                                    \
    ROW(family, recipe "/f16")
#define MX(element)                                                                                \
    TENSORS("quantize", element "-floor")                                                          \
    TENSORS("quantize", element "-even")                                                           \
    TENSORS("quantize", element "-ceil")                                                           \
    TENSORS("quantize", element "-rceil")                                                          \
    TENSORS("dequantize", element "-floor")

/* clang-format off */
const conform_case block_cases[] = {
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
const size_t block_count = sizeof block_cases / sizeof block_cases[0];
