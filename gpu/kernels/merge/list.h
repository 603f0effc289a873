/* SPDX-License-Identifier: MIT */
/* list.h -- the kernels that join parts: X(rule, struct, format, whether parts have sums, what the
 * stack's own kernel uses where these use the operations of docs/spec/attend/merging.md) */
#ifndef SOFTFP8_GPU_KERNELS_MERGE_LIST_H
#define SOFTFP8_GPU_KERNELS_MERGE_LIST_H

#define MERGE_RULES(X, words)                                                                      \
    X("vllm", vllm, words, 0, "expf and logf of CUDA, division rounded correctly")                 \
    X("vllm-triton", vllm_triton, words, 0, "ex2.approx and div.full")                             \
    X("flashinfer", flashinfer, words, 0, "ex2.approx.ftz, lg2.approx.ftz and fast division")      \
    X("flashinfer-states", flashinfer_states, words, 0,                                            \
      "ex2.approx.ftz, lg2.approx.ftz, and products with __fdividef(1, sum)")                      \
    X("fa3", fa3, words, 0, "ex2.approx.ftz, lg2.approx.ftz and rcp.approx.ftz")                   \
    X("segments", segments, words, 1, "ex2.approx and div.full, and no lse")                       \
    X("partitions", partitions, words, 1, "expf of CUDA, __fdividef, and no lse")
#define MERGE_LIST(X) MERGE_RULES(X, f32) MERGE_RULES(X, bf16)

#endif
