/* SPDX-License-Identifier: MIT */
/* list.h -- the block kernels: X(recipe, rule, approximate), each for tensors of f32, bf16, f16
 *
 * Recipes that read codes back in the same way share one kernel.
 */
#ifndef SOFTFP8_GPU_KERNELS_LIST_H
#define SOFTFP8_GPU_KERNELS_LIST_H

#define KERNELS_QUANTIZE(X)                                                                        \
    X("nvfp4-te", nvfp4_te, 0)                                                                     \
    X("nvfp4-vllm", nvfp4_vllm, 1)                                                                 \
    X("nvfp4-torchao", nvfp4_torchao, 0)                                                           \
    X("mxfp4-floor", mxfp4_floor, 0)                                                               \
    X("mxfp4-even", mxfp4_even, 0)                                                                 \
    X("mxfp4-ceil", mxfp4_ceil, 0)                                                                 \
    X("mxfp4-rceil", mxfp4_rceil, 0)                                                               \
    X("mxfp8-e4m3-floor", mxfp8_e4m3_floor, 0)                                                     \
    X("mxfp8-e4m3-even", mxfp8_e4m3_even, 0)                                                       \
    X("mxfp8-e4m3-ceil", mxfp8_e4m3_ceil, 0)                                                       \
    X("mxfp8-e4m3-rceil", mxfp8_e4m3_rceil, 0)                                                     \
    X("mxfp8-e5m2-floor", mxfp8_e5m2_floor, 0)                                                     \
    X("mxfp8-e5m2-even", mxfp8_e5m2_even, 0)                                                       \
    X("mxfp8-e5m2-ceil", mxfp8_e5m2_ceil, 0)                                                       \
    X("mxfp8-e5m2-rceil", mxfp8_e5m2_rceil, 0)
#define KERNELS_DEQUANTIZE(X)                                                                      \
    X("nvfp4-te", nvfp4_te, 0)                                                                     \
    X("nvfp4-torchao", nvfp4_torchao, 0)                                                           \
    X("mxfp4-floor", mxfp4_floor, 0)                                                               \
    X("mxfp8-e4m3-floor", mxfp8_e4m3_floor, 0)                                                     \
    X("mxfp8-e5m2-floor", mxfp8_e5m2_floor, 0)

#endif
