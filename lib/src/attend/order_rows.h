/* SPDX-License-Identifier: MIT */
/* order_rows.h -- the known orders of attention, each a row of the choices of order.h */
#ifndef SF8_ATTEND_ORDER_ROWS_H
#define SF8_ATTEND_ORDER_ROWS_H

#include "softfp8/attend/order.h"

/*    name, tile, descends, operands, all numbers, unit, dot, score, offset,
 *    sum, weight, values, end, scale of values, others,
 *    split, size, half parts, join, base 2,
 *    full tile, decode tile, rescale after, sum rounded, promote, weight factor, scale on,
 *    out e4m3, sum bits, sum seed, cap, sink, out scale,
 *    product, versions, source, evidence, open */
#define SF8_ATTEND_COMMON(cap, sink)                                                               \
    0, 0, 0, 0, 1, 1, SF8_SCALE_ON_PRODUCTS, 0, 0, 0, SF8_CAP_##cap, SF8_SINK_##sink, 0
#define SF8_ATTEND_DECODE(tile)                                                                    \
    0, tile, 0, 0, 1, 1, SF8_SCALE_ON_PRODUCTS, 0, 0, 0, SF8_CAP_PRODUCT, SF8_SINK_LAST, 0
#define SF8_ATTEND_FA3_OPEN                                                                        \
    "the tile, which depends on head, mask and pages; which keys share an instruction, as values " \
    "are turned in the kernel; whether offset and products are fused"
#define SF8_ATTEND_FA3_FP8(X, name, tile, tiles, values, product, versions, source, evidence)      \
    X(name, tile, 1, SF8_OPERANDS_CODES, 0, "hopper-qgmma", SF8_PRODUCTS_UNIT, SF8_SCORE_FOLDED,   \
      8, SF8_SUM_QUADS, SF8_WEIGHT_E4M3, values, SF8_END_GUARDED, SF8_V_IN_INVERSE,                \
      SF8_OTHERS_AS_THEY_ARE, SF8_SPLIT_COUNT, 0, 0, SF8_JOIN_FA3, 0, tiles, product, versions,    \
      source, evidence, SF8_ATTEND_FA3_OPEN)
#define SF8_ATTEND_FA3_BF16(X, name, split, half, join, product, versions, source, evidence)       \
    X(name, 128, 1, SF8_OPERANDS_SCALED, 0, "hopper-hgmma", SF8_PRODUCTS_UNIT, SF8_SCORE_FOLDED,   \
      0, SF8_SUM_QUADS, SF8_WEIGHT_HALF, SF8_VALUES_UNIT, SF8_END_GUARDED, SF8_V_IN_VALUES,        \
      SF8_OTHERS_AS_THEY_ARE, split, 0, half, join, 0, SF8_ATTEND_COMMON(PRODUCT, NONE), product,  \
      versions, source, evidence, SF8_ATTEND_FA3_OPEN)
#define SF8_ATTEND_TRITON(X, name, tile, split, size, versions, source, evidence)                  \
    X(name, tile, 0, SF8_OPERANDS_SCALED, 0, "hopper-hmma", SF8_PRODUCTS_UNIT, SF8_SCORE_SCALED,   \
      0, SF8_SUM_HALVES, SF8_WEIGHT_HALF, SF8_VALUES_UNIT, SF8_END_QUOTIENT, SF8_V_IN_VALUES,      \
      SF8_OTHERS_ZERO, split, size, 0, SF8_JOIN_SEGMENTS, 0, SF8_ATTEND_COMMON(SCORE, FIRST),      \
      "vLLM", versions, source, evidence,                                                          \
      "the order of tl.sum; which fma the compiler makes; the unit, which depends on the rows of " \
      "a block; a tile without a key of a window leaves 0 as the largest score; tanh, which is "   \
      "made of exponentials; no lse is returned")
#define SF8_ATTEND_TRITON_PATH "vllm/v1/attention/ops/triton_unified_attention.py at "
#define SF8_ATTEND_TRITON_EVIDENCE                                                                 \
    "source: " SF8_ATTEND_TRITON_PATH "v0.27.1, and the same order at 00139433"
#define SF8_ATTEND_PAGED(X, name, split, size, source)                                             \
    X(name, 0, 0, SF8_OPERANDS_SCALED, 0, "", SF8_PRODUCTS_THREADS, SF8_SCORE_SCALED, 0,           \
      SF8_SUM_THREADS, SF8_WEIGHT_HALF, SF8_VALUES_THREADS, SF8_END_WEIGHTS, SF8_V_IN_VALUES,      \
      SF8_OTHERS_ZERO, split, size, 1, SF8_JOIN_PARTITIONS, 0, SF8_ATTEND_COMMON(NONE, NONE),      \
      "vLLM", "up to July 2026", source,                                                           \
      "source: csrc/attention/attention_kernels.cuh at the parent of d715b3aa1",                   \
      "blocks of 16 keys and 128 threads; no lse is returned")
#define SF8_ATTEND_F32(X, name, half, source)                                                      \
    X(name, 128, 0, SF8_OPERANDS_F32, 0, "", SF8_PRODUCTS_CHAIN, SF8_SCORE_SCALED, 0,              \
      SF8_SUM_CHAIN, SF8_WEIGHT_F32, SF8_VALUES_CHAIN, SF8_END_QUOTIENT, SF8_V_IN_VALUES,          \
      SF8_OTHERS_LEFT_OUT, SF8_SPLIT_COUNT, 0, half, SF8_JOIN_VLLM, 0,                             \
      SF8_ATTEND_COMMON(SCORE, KEY), "vLLM", "0.27.1", source,                                     \
      "source: csrc/attention/merge_attn_states.cu at v0.27.1",                                    \
      "the attention of the parts: f32 here, one fma after the other")

/* FlashAttention-4; `after` is its threshold of rescaling. */
#define SF8_ATTEND_FA4(X, name, operands, unit, offset, weight, v_scale, after, source, open)      \
    X(name, 128, 1, operands, 0, unit, SF8_PRODUCTS_UNIT, SF8_SCORE_FOLDED, offset,                \
      SF8_SUM_OCTETS, weight, SF8_VALUES_UNIT, SF8_END_LOG2, v_scale, SF8_OTHERS_AS_THEY_ARE,      \
      SF8_SPLIT_COUNT, 0, 0, SF8_JOIN_FA4, 0, 0, 0, after, 0, 1, 1, 0, 0, 0, 0, SF8_CAP_NONE,      \
      SF8_SINK_LAST, 0, "FlashAttention-4", "0251105a", source,                                    \
      "source: flash-attention flash_attn/cute/ at 0251105a", open)
#define SF8_ATTEND_FA4_OPEN                                                                        \
    "part of the exponentials are polynomials; which products and sums the compiler fuses; the "   \
    "order in which the combine adds the weights of parts; keys behind the last one, which are "   \
    "zeros without pages"
#define SF8_ATTEND_BLACKWELL_OPEN                                                                  \
    "the unit: tcgen05 with 16-bit operands is not known, blackwell-hmma is in its place; "
/* Both stages of the decode that is grouped: several query heads for one of the cache. */
#define SF8_ATTEND_SGLANG(X, name, operands, unit, weight, source, open)                           \
    X(name, 32, 0, operands, 0, unit, SF8_PRODUCTS_UNIT, SF8_SCORE_SCALED, 0, SF8_SUM_HALVES,      \
      weight, SF8_VALUES_UNIT, SF8_END_QUOTIENT, SF8_V_ON_JOINED, SF8_OTHERS_ZERO,                 \
      SF8_SPLIT_COUNT, 0, 0, SF8_JOIN_SGLANG, 0, SF8_ATTEND_COMMON(SCORE, JOINED), "SGLang",       \
      "0.5.23", "decode_attention_fwd_grouped: " source,                                           \
      "source: sglang/kernels/ops/attention/decode_attention.py of the wheel 0.5.23",              \
      open "the order of tl.sum; which fma the compiler makes; the unit, which depends on the "    \
           "GPU; no lse is returned")

#define SF8_ATTEND_TORCH_EVIDENCE                                                                  \
    "ran on a CPU: PyTorch 2.15.0, AVX-512, bf16 1 of 9216 outputs differs, f32 9376 of 22016 by " \
    "3.2e-7 of the largest or less, 2026-11-30; "                                                  \
    "source: aten/src/ATen/native/transformers/attention.cpp"
#define SF8_ATTEND_TORCH_OPEN                                                                      \
    "the exponentials; MKL's sums with fewer than 16 queries or more than 384 keys"
#define SF8_ATTEND_LLAMA_EVIDENCE                                                                  \
    "ran on a CPU: llama-cpp-python 0.3.36, AVX2, 2550 of 32256 outputs differ, by 3.9e-4 of the " \
    "largest or less, 2026-11-30; source: ggml/src/ggml-cpu/ops.cpp, vec.cpp at 0c1e57098"
#define SF8_ATTEND_LLAMA_OPEN                                                                      \
    "exponentials are those of the C library; queries have to be given in f16, for half is that "  \
    "of the queries; several threads, which split 512 keys or more; other instruction sets"

#define SF8_ATTEND_FA3_SOURCE "source: flash-attention hopper/ at 0251105a"
#define SF8_ATTEND_VLLM_SOURCE                                                                     \
    "source: vllm-project/flash-attention hopper/tile_size.h, utils.h at 617264c1"

#define SF8_ATTEND_ORDERS(X)                                                                       \
    SF8_ATTEND_FA3_FP8(X, "fa3-fp8", 160, SF8_ATTEND_COMMON(PRODUCT, NONE), SF8_VALUES_UNIT,       \
                       "FlashAttention-3", "0251105a", "e4m3, pages without TMA, heads of 128",    \
                       SF8_ATTEND_FA3_SOURCE)                                                      \
    SF8_ATTEND_FA3_FP8(X, "fa3-fp8-two-level", 160, SF8_ATTEND_COMMON(PRODUCT, LAST),              \
                       SF8_VALUES_UNIT_TILE, "vLLM's FlashAttention-3", "as of vLLM 0.27.1",       \
                       "FP8 two-level accumulation",                                               \
                       "source: vllm-project/flash-attention hopper/, as vLLM 0.27.1 pins it")     \
    SF8_ATTEND_FA3_BF16(X, "fa3-bf16", SF8_SPLIT_COUNT, 0, SF8_JOIN_FA3, "FlashAttention-3",       \
                        "0251105a", "16 bits, heads of 128, causal or paged",                      \
                        SF8_ATTEND_FA3_SOURCE)                                                     \
    X("flashinfer", 64, 0, SF8_OPERANDS_PLAIN, 1, "hopper-hmma", SF8_PRODUCTS_UNIT,                \
      SF8_SCORE_FOLDED_TWICE, 0, SF8_SUM_UNIT, SF8_WEIGHT_HALF, SF8_VALUES_UNIT,                   \
      SF8_END_RECIPROCAL, SF8_V_ON_OUTPUT, SF8_OTHERS_ZERO, SF8_SPLIT_COUNT, 0, 0,                 \
      SF8_JOIN_FLASHINFER, 1, SF8_ATTEND_COMMON(PRODUCT, KEY), "FlashInfer", "fb28d724",           \
      "attention/prefill.cuh, cascade.cuh; vLLM flashinfer.py",                                    \
      "source: include/flashinfer/attention/ at fb28d724",                                         \
      "the tile; warps along keys, which have states of their own; where chunks end; the factor "  \
      "by way of double")                                                                          \
    SF8_ATTEND_TRITON(X, "vllm-triton", 32, SF8_SPLIT_NONE, 0, "0.27.1",                           \
                      "kernel_unified_attention_2d", SF8_ATTEND_TRITON_EVIDENCE)                   \
    SF8_ATTEND_TRITON(X, "vllm-triton-3d", 32, SF8_SPLIT_SEGMENTS, 16, "0.27.1",                   \
                      "kernel_unified_attention_3d with queries of 8 bits",                        \
                      SF8_ATTEND_TRITON_EVIDENCE)                                                  \
    SF8_ATTEND_PAGED(X, "paged-v1", SF8_SPLIT_NONE, 0, "PagedAttention v1")                        \
    SF8_ATTEND_PAGED(X, "paged-v2", SF8_SPLIT_SIZE, 512, "PagedAttention v2")                      \
    SF8_ATTEND_FA3_BF16(X, "cascade-bf16", SF8_SPLIT_PREFIX, 1, SF8_JOIN_VLLM, "vLLM", "0.27.1",   \
                        "flash_attn.py cascade_attention, merge_attn_states.cu",                   \
                        "source: vllm/v1/attention/backends/flash_attn.py at v0.27.1")             \
    SF8_ATTEND_F32(X, "split-f32", 0, "f32 throughout; merge_attn_states.cu of f32")               \
    SF8_ATTEND_F32(X, "split-bf16", 1, "f32, but for parts in 16 bits; merge_attn_states.cu")      \
    SF8_ATTEND_FA3_FP8(X, "fa3-fp8-vllm", 192, SF8_ATTEND_DECODE(96), SF8_VALUES_UNIT_TILE,        \
                       "vLLM's FlashAttention-3", "617264c1",                                      \
                       "e4m3, heads of 128, FP8 two-level accumulation; the small tile up to 64 "  \
                       "queries times heads of a group",                                           \
                       SF8_ATTEND_VLLM_SOURCE)                                                     \
    SF8_ATTEND_FA4(X, "fa4-16", SF8_OPERANDS_SCALED, "blackwell-hmma", 0, SF8_WEIGHT_HALF,         \
                   SF8_V_IN_VALUES, 8, "16 bits, heads of 128, sm_100",                            \
                   SF8_ATTEND_BLACKWELL_OPEN SF8_ATTEND_FA4_OPEN)                                  \
    SF8_ATTEND_FA4(X, "fa4-fp8", SF8_OPERANDS_CODES, "blackwell-tcgen05", 8, SF8_WEIGHT_E4M3,      \
                   SF8_V_IN_INVERSE, 0, "e4m3, heads of 128, sm_100", SF8_ATTEND_FA4_OPEN)         \
    X("cudnn-sm100", 128, 0, SF8_OPERANDS_SCALED, 0, "blackwell-hmma", SF8_PRODUCTS_UNIT,          \
      SF8_SCORE_FOLDED_APART, 0, SF8_SUM_PAIRS, SF8_WEIGHT_HALF, SF8_VALUES_UNIT,                  \
      SF8_END_RECIPROCAL, SF8_V_IN_VALUES, SF8_OTHERS_ZERO, SF8_SPLIT_NONE, 0, 0, SF8_JOIN_VLLM,   \
      0, SF8_ATTEND_COMMON(NONE, NONE), "cuDNN frontend", "1.23.0 (3929da2e)",                     \
      "generated/sdpa/sm100, d128_fprop_kernel.h: bf16",                                           \
      "source: include/cudnn_frontend/generated/sdpa/sm100/prefill at 3929da2e",                   \
      SF8_ATTEND_BLACKWELL_OPEN                                                                    \
      "the lse, which is that of the kernel's two results, the largest score and the sum")         \
    SF8_ATTEND_SGLANG(X, "sglang-triton", SF8_OPERANDS_PLAIN, "hopper-hmma", SF8_WEIGHT_HALF,      \
                      "16-bit cache", "")                                                          \
    SF8_ATTEND_SGLANG(X, "sglang-triton-fp8", SF8_OPERANDS_CODES, "hopper-mma-fp8",                \
                      SF8_WEIGHT_E4M3, "e4m3 cache; queries are cast with the scale 1",            \
                      "the factor by way of double; ")                                             \
    X("torch-math", 0, 0, SF8_OPERANDS_F32, 0, "", SF8_PRODUCTS_CHAIN, SF8_SCORE_NATURAL, 0,       \
      SF8_SUM_SIXTEENS, SF8_WEIGHT_F32, SF8_VALUES_CHAIN, SF8_END_NORMALISED, SF8_V_IN_VALUES,     \
      SF8_OTHERS_ZERO, SF8_SPLIT_NONE, 0, 0, SF8_JOIN_VLLM, 0, 0, 0, 0, 0, 1, 1,                   \
      SF8_SCALE_ON_BOTH, 0, 0, 0, SF8_CAP_NONE, SF8_SINK_NONE, 0, "PyTorch", "2.15.0",             \
      "SDPBackend.MATH on a CPU with AVX-512", SF8_ATTEND_TORCH_EVIDENCE, SF8_ATTEND_TORCH_OPEN)   \
    X("llama-cpp", 1, 0, SF8_OPERANDS_SCALED, 0, "", SF8_PRODUCTS_AVX2, SF8_SCORE_NATURAL, 0,      \
      SF8_SUM_HALVES, SF8_WEIGHT_F32, SF8_VALUES_CHAIN_HALF, SF8_END_RECIPROCAL, SF8_V_IN_VALUES,  \
      SF8_OTHERS_LEFT_OUT, SF8_SPLIT_NONE, 0, 0, SF8_JOIN_VLLM, 0,                                 \
      SF8_ATTEND_COMMON(PRODUCT, KEY), "llama.cpp", "0c1e57098",                                   \
      "ggml-cpu: flash attention, f16 cache, AVX2, below 64 queries", SF8_ATTEND_LLAMA_EVIDENCE,   \
      SF8_ATTEND_LLAMA_OPEN)

/* ---- kernels of 2026 ------------------------------------------------------------------------- */

#define SF8_ATTEND_FA2(X, name, tile, score, split, product, versions, source, evidence, open)     \
    X(name, tile, 1, SF8_OPERANDS_SCALED, 0, "ampere-hmma", SF8_PRODUCTS_UNIT, score, 0,           \
      SF8_SUM_QUADS, SF8_WEIGHT_HALF, SF8_VALUES_UNIT, SF8_END_SCALE, SF8_V_IN_VALUES,             \
      SF8_OTHERS_ZERO, split, 0, 0, SF8_JOIN_GLOBAL, 0, SF8_ATTEND_COMMON(PRODUCT, NONE), product, \
      versions, source, evidence, open)
#define SF8_ATTEND_FA2_OPEN                                                                        \
    "the tile, which depends on head, mask and GPU: 32, 64 or 128; the unit, hopper-hmma on "      \
    "Hopper; the lse of a row without keys, which is +infinity there"
#define SF8_ATTEND_FA2_SOURCE "source: flash-attention csrc/flash_attn/src/ at 0251105a"

/* FlashMLA: K is the latent and the rope part of a token, 576 elements, V the latent, 512. */
#define SF8_ATTEND_FLASHMLA(X, name, sum, bits, seed, values, end, sink, source, evidence, open)   \
    X(name, 64, 0, SF8_OPERANDS_SCALED, 0, "hopper-hgmma", SF8_PRODUCTS_UNIT,                      \
      SF8_SCORE_FOLDED_APART, 0, sum, SF8_WEIGHT_HALF, values, end, SF8_V_IN_VALUES,               \
      SF8_OTHERS_ZERO, SF8_SPLIT_COUNT, 0, 0, SF8_JOIN_GLOBAL, 1, 0, 0, 0, 0, 1, 1,                \
      SF8_SCALE_ON_PRODUCTS, 0, bits, seed, SF8_CAP_NONE, sink, 0, "FlashMLA", "9241ae3e", source, \
      evidence, open)

/* MLA decode on CDNA3, whose codes are e4m3fnuz. */
#define SF8_ATTEND_CDNA3_MLA(X, name, bits, product, versions, source, evidence, open)             \
    X(name, 32, 0, SF8_OPERANDS_CODES, 0, "cdna3-fp8", SF8_PRODUCTS_UNIT, SF8_SCORE_SCALED, 0,     \
      SF8_SUM_BITS, SF8_WEIGHT_E4M3, SF8_VALUES_UNIT, SF8_END_RECIPROCAL, SF8_V_IN_INVERSE,        \
      SF8_OTHERS_ZERO, SF8_SPLIT_COUNT, 0, 0, SF8_JOIN_GLOBAL, 0, 0, 0, 0, 0, 1, 1,                \
      SF8_SCALE_ON_PRODUCTS, 0, bits, SF8_SEED_TILE, SF8_CAP_NONE, SF8_SINK_NONE, 0, product,      \
      versions, source, evidence, open)
#define SF8_ATTEND_CDNA3_OPEN                                                                      \
    "which keys share an instruction's halves, as weights stay where they were computed; the "     \
    "scales of queries and keys, which the caller folds into that of the scores, and of values; "  \
    "gfx950, which has e4m3 and another unit; where the metadata cut a request into parts, and "   \
    "the reduce of fewer than four"

#define SF8_ATTEND_TORCH_FLASH_EVIDENCE                                                            \
    "ran on a CPU: PyTorch 2.15.0, AVX-512, f32 49712 of 57344 outputs differ, by 2.2e-6 of the "  \
    "largest or less, 2026-11-30; source: aten/src/ATen/native/cpu/FlashAttentionKernel.cpp at "   \
    "008ec6b1"

#define SF8_ATTEND_ORDERS_2026(X)                                                                  \
    SF8_ATTEND_TRITON(X, "vllm-triton-3d-16", 16, SF8_SPLIT_SEGMENTS, 16, "00139433",              \
                      "kernel_unified_attention with IS_3D: decode with queries of 16 bits",       \
                      "source: " SF8_ATTEND_TRITON_PATH "00139433")                                \
    X("vllm-triton-decode", 32, 0, SF8_OPERANDS_PLAIN, 0, "hopper-hmma", SF8_PRODUCTS_UNIT,        \
      SF8_SCORE_SCALED, 0, SF8_SUM_HALVES, SF8_WEIGHT_HALF, SF8_VALUES_UNIT, SF8_END_QUOTIENT,     \
      SF8_V_ON_JOINED, SF8_OTHERS_ZERO, SF8_SPLIT_KEYS, 0, 0, SF8_JOIN_SGLANG, 0,                  \
      SF8_ATTEND_COMMON(SCORE, NONE), "vLLM", "0155494b",                                          \
      "decode_attention_fwd_grouped, MLA decode among others: 16-bit cache",                       \
      "source: vllm/v1/attention/ops/triton_decode_attention.py at 0155494b",                      \
      "an FP8 cache, whose values are multiplied in tf32 with weights that are not rounded; the "  \
      "order of tl.sum; which fma the compiler makes; the unit, which depends on the GPU; tiles "  \
      "of 16 on AMD with heads of 576")                                                            \
    X("sglang-extend", 64, 0, SF8_OPERANDS_PLAIN, 0, "hopper-hmma", SF8_PRODUCTS_UNIT,             \
      SF8_SCORE_SCALED, 0, SF8_SUM_HALVES, SF8_WEIGHT_HALF, SF8_VALUES_UNIT, SF8_END_QUOTIENT,     \
      SF8_V_ON_JOINED, SF8_OTHERS_ZERO, SF8_SPLIT_NONE, 0, 0, SF8_JOIN_SGLANG, 0,                  \
      SF8_ATTEND_COMMON(SCORE, LAST), "SGLang", "0.5.23",                                          \
      "extend_attention: the kernel of one stage; that of two without a prefix. 16-bit cache, "    \
      "heads of 128, Hopper",                                                                      \
      "source: sglang/kernels/ops/attention/extend_attention.py of the wheel 0.5.23",              \
      "a prefix in the kernel of two stages, whose tiles begin anew behind it and whose values "   \
      "are multiplied by their scale tile by tile; the order of tl.sum; which fma the compiler "   \
      "makes; the unit and the tile, 32 to 128, which depend on the GPU")                          \
    SF8_ATTEND_FA2(X, "fa2", 64, SF8_SCORE_FOLDED, SF8_SPLIT_NONE, "FlashAttention-2", "0251105a", \
                   "flash_fwd_kernel.h, heads of 128, A100", SF8_ATTEND_FA2_SOURCE,                \
                   SF8_ATTEND_FA2_OPEN)                                                            \
    SF8_ATTEND_FA2(X, "fa2-split", 128, SF8_SCORE_FOLDED, SF8_SPLIT_COUNT, "FlashAttention-2",     \
                   "0251105a", "flash_fwd_splitkv_kernel, heads of 128, two parts or more",        \
                   SF8_ATTEND_FA2_SOURCE, SF8_ATTEND_FA2_OPEN)                                     \
    SF8_ATTEND_FA2(X, "torch-flash", 64, SF8_SCORE_FOLDED_ROUNDED, SF8_SPLIT_NONE, "PyTorch",      \
                   "as FlashAttention-2 0251105a with UNFUSE_FMA",                                 \
                   "SDPBackend.FLASH_ATTENTION on an NVIDIA GPU, heads of 128",                    \
                   SF8_ATTEND_FA2_SOURCE ", whose softmax.h says that PyTorch sets UNFUSE_FMA",    \
                   "which commit PyTorch pins; " SF8_ATTEND_FA2_OPEN)                              \
    X("torch-flash-cpu", 512, 0, SF8_OPERANDS_F32, 0, "", SF8_PRODUCTS_CHAIN, SF8_SCORE_NATURAL,   \
      0, SF8_SUM_BITS, SF8_WEIGHT_F32, SF8_VALUES_CHAIN, SF8_END_RECIPROCAL, SF8_V_IN_VALUES,      \
      SF8_OTHERS_ZERO, SF8_SPLIT_NONE, 0, 0, SF8_JOIN_VLLM, 0, 0, 0, 0, 0, 1, 1,                   \
      SF8_SCALE_ON_PRODUCTS, 0, 4321, SF8_SEED_TILE, SF8_CAP_NONE, SF8_SINK_NONE, 0, "PyTorch",    \
      "2.15.0", "SDPBackend.FLASH_ATTENTION on a CPU with AVX-512: f32",                           \
      SF8_ATTEND_TORCH_FLASH_EVIDENCE,                                                             \
      "the exponentials, exp_u20 of a vector; the sums of MKL; the last keys of a tile that make " \
      "no vector of 16, whose weights are added one by one at last; 16 bits, whose weights are "   \
      "rounded and multiplied by a matrix unit")                                                   \
    SF8_ATTEND_FLASHMLA(X, "flashmla", SF8_SUM_GROUPS, 0, 0, SF8_VALUES_GROUPS, SF8_END_QUOTIENT,  \
                        SF8_SINK_NONE, "dense decode, sm_90, 16 bits",                             \
                        "source: csrc/sm90/decode/dense/splitkv_mla.cuh at 9241ae3e",              \
                        "the lse of the kernel, which is this one / log2 e; where the metadata "   \
                        "cut a request into parts")                                                \
    SF8_ATTEND_FLASHMLA(X, "flashmla-sparse", SF8_SUM_BITS, 23, SF8_SEED_OWN, SF8_VALUES_UNIT,     \
                        SF8_END_RECIPROCAL, SF8_SINK_JOINED,                                       \
                        "sparse decode over records of 656 bytes, sm_90; the keys in the order "   \
                        "of the indices",                                                          \
                        "source: csrc/sm90/decode/sparse_fp8/splitkv_mla.cuh at 9241ae3e",         \
                        "keys have to be given as bf16: the kernel rounds the scale of a record "  \
                        "to bf16, and code times that to bf16; indices of -1, whose rope part "    \
                        "is that of token 0")                                                      \
    SF8_ATTEND_CDNA3_MLA(X, "aiter-mla", 25143, "AITER", "e4048607",                               \
                         "MLA decode in HIP, gfx942, e4m3fnuz",                                    \
                         "source: csrc/kernels/mla/hk/mi3xx_v32_fwd_decode_m16x8_fp8_fp8.cuh, "    \
                         "reduce.cu at e4048607",                                                  \
                         "its assembly kernels, which are binaries; " SF8_ATTEND_CDNA3_OPEN)       \
    SF8_ATTEND_CDNA3_MLA(X, "flydsl-mla", 43, "FlyDSL", "11c4174d",                                \
                         "MLA decode, gfx942, "                                                    \
                         "e4m3fnuz",                                                               \
                         "source: kernels/attention/mla_fwd_decode_m16x8_fp8_fp8.py at 11c4174d",  \
                         SF8_ATTEND_CDNA3_OPEN)                                                    \
    X("aiter-triton", 64, 0, SF8_OPERANDS_SCALED, 0, "cdna3-f16", SF8_PRODUCTS_UNIT,               \
      SF8_SCORE_SCALED_2, 0, SF8_SUM_HALVES, SF8_WEIGHT_HALF, SF8_VALUES_UNIT, SF8_END_RECIPROCAL, \
      SF8_V_IN_VALUES, SF8_OTHERS_ZERO, SF8_SPLIT_NONE, 0, 0, SF8_JOIN_VLLM, 0,                    \
      SF8_ATTEND_COMMON(NONE, FIRST), "AITER", "e4048607",                                         \
      "unified_attention in Triton: one part, 16 bits, gfx942",                                    \
      "source: aiter/ops/triton/_triton_kernels/attention/unified_attention.py at e4048607",       \
      "caps, which are made of 2^x; FP8, whose scales are in the factor and in 1 / sum; the "      \
      "tile, 16 to 64 by the size of a block; the order of tl.sum; which fma the compiler makes; " \
      "a tile without a key of a window leaves 0 as the largest score")                            \
    X("mslk-splitk", 64, 0, SF8_OPERANDS_SCALED, 0, "hopper-hmma", SF8_PRODUCTS_UNIT,              \
      SF8_SCORE_SCALED_2, 0, SF8_SUM_HALVES, SF8_WEIGHT_HALF, SF8_VALUES_UNIT, SF8_END_QUOTIENT,   \
      SF8_V_IN_VALUES, SF8_OTHERS_ZERO, SF8_SPLIT_NONE, 0, 0, SF8_JOIN_VLLM, 0,                    \
      SF8_ATTEND_COMMON(NONE, NONE), "MSLK, xFormers", "2a3c8978",                                 \
      "Triton split-K in one part: 16 bits; what xFormers ca6d2aa0 calls",                         \
      "source: mslk/attention/fmha/_triton/splitk_kernels.py at 2a3c8978",                         \
      "several parts; FP8, whose weights are scaled by the largest of each row; the tile, 16 to "  \
      "128 by the shape; the order of tl.sum; which fma the compiler makes; the unit; the lse, "   \
      "which is divided by log2 e")                                                                \
    X("flashinfer-cute", 128, 0, SF8_OPERANDS_SCALED, 0, "blackwell-hmma", SF8_PRODUCTS_UNIT,      \
      SF8_SCORE_FOLDED, 0, SF8_SUM_BITS, SF8_WEIGHT_HALF, SF8_VALUES_UNIT, SF8_END_RECIPROCAL,     \
      SF8_V_IN_VALUES, SF8_OTHERS_ZERO, SF8_SPLIT_NONE, 0, 0, SF8_JOIN_FLASHINFER, 1, 0, 0, 0, 0,  \
      1, 1, SF8_SCALE_ON_PRODUCTS, 0, 671, SF8_SEED_PAIR, SF8_CAP_NONE, SF8_SINK_NONE, 0,          \
      "FlashInfer", "fb28d724", "cute_dsl/attention, prefill: 16 bits, sm_100",                    \
      "source: flashinfer/cute_dsl/attention/roles/ at fb28d724",                                  \
      SF8_ATTEND_BLACKWELL_OPEN                                                                    \
      "caps and sinks, which are variants that the caller writes; FP8, whose weights follow the "  \
      "format of the values without a factor")

#endif
