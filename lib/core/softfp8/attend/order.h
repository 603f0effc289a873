/* SPDX-License-Identifier: MIT */
/* order.h -- attention as other stacks order it: what an order is, and the known orders
 *
 * attend.h defines one order of operations. Kernels in use have other orders and therefore give
 * other bits. Here an order is a row of choices. docs/spec/attend/orders.md defines
 * the operations of each choice.
 *
 *     part      the keys of a row, all or a split; it has an output and the log of its sum
 *     tile      a fixed number of keys of a part, counted from its first key, whose maximum and
 *               weights are computed together; tiles are taken in ascending or descending order
 *     joining   how parts are combined
 *
 * 2^x and the logarithms of elementary.h, and correctly rounded divisions, replace approximate
 * instructions (ex2.approx, rcp.approx, lg2.approx, div.full).
 */
#ifndef SOFTFP8_ATTEND_ORDER_H
#define SOFTFP8_ATTEND_ORDER_H

#include "softfp8/attend/attend.h"

/* What is multiplied. "Half" is bf16, or f16 if the query is f16.
 *
 *     SF8_OPERANDS_F32      elements times the scale, in f32
 *     SF8_OPERANDS_SCALED   the same, rounded to half
 *     SF8_OPERANDS_PLAIN    elements without the scale, rounded to half
 *     SF8_OPERANDS_CODES    codes of e4m3, also of the query
 */
enum { SF8_OPERANDS_F32, SF8_OPERANDS_SCALED, SF8_OPERANDS_PLAIN, SF8_OPERANDS_CODES };

/* How the product of query and key is summed.
 *
 *     SF8_PRODUCTS_CHAIN     one fma after the other
 *     SF8_PRODUCTS_THREADS   eight sums, of the elements d with the same d mod 8, as two threads
 *                            compute them together
 *     SF8_PRODUCTS_UNIT      by the matrix unit
 *     SF8_PRODUCTS_AVX2      32 sums, of the elements d with the same d mod 32: four registers of
 *                            eight, of which the first and third, second and fourth, then both are
 *                            added; then l and l + 4, then neighbours twice
 */
enum { SF8_PRODUCTS_CHAIN, SF8_PRODUCTS_THREADS, SF8_PRODUCTS_UNIT, SF8_PRODUCTS_AVX2 };

/* How products become weights. s is a product, m the largest so far, and c the factor: all scales
 * and log2 e.
 *
 *     folded         2^fma(s, c, offset - m c), where the term in offset is an fma, and 0 if m is
 *                    -infinity; earlier sums are rescaled by 2^((m before - m) c)
 *     folded twice   2^fma(s, c, -(m c)); rescaled by 2^fma(m before, c, -(m c))
 *     scaled         c without log2 e, x = s c, m the largest x: 2^((x - m) log2 e); rescaled by
 *                    2^((m before - m) log2 e)
 *     folded apart   2^fma(s, c, -(m c)); rescaled by 2^(m before c - m c)
 *     natural        as scaled, with e^(x - m) and e^(m before - m)
 */
enum {
    SF8_SCORE_FOLDED,
    SF8_SCORE_FOLDED_TWICE,
    SF8_SCORE_SCALED,
    SF8_SCORE_FOLDED_APART,
    SF8_SCORE_NATURAL
};

/* Where the scale of the scores is applied: to products, in c; or its square root to query and key,
 * in f32, before they are rounded. */
enum { SF8_SCALE_ON_PRODUCTS, SF8_SCALE_ON_BOTH };

/* How weights are summed.
 *
 *     SF8_SUM_CHAIN     one after the other
 *     SF8_SUM_QUADS     four sums, of the keys j with the same j / 2 mod 4, then (0 + 2) + (1 + 3)
 *     SF8_SUM_HALVES    a tile by halves, then fma(sum, factor, that)
 *     SF8_SUM_UNIT      the matrix unit adds rounded weights times 1
 *     SF8_SUM_THREADS   128 sums, of the keys j with the same j mod 128; then each 32 of them by
 *                       halves, then the four results
 *     SF8_SUM_PAIRS     two sums, of the keys j with the same j mod 2, then both
 *     SF8_SUM_OCTETS    of each tile eight sums, of the keys j with the same j mod 8, the first of
 *                       which begins with the sum so far; then
 *                       ((0 + 2) + (4 + 6)) + ((1 + 3) + (5 + 7))
 *     SF8_SUM_SIXTEENS  sixteen sums, of the keys j with the same j mod 16; then by halves
 */
enum {
    SF8_SUM_CHAIN,
    SF8_SUM_QUADS,
    SF8_SUM_HALVES,
    SF8_SUM_UNIT,
    SF8_SUM_THREADS,
    SF8_SUM_PAIRS,
    SF8_SUM_OCTETS,
    SF8_SUM_SIXTEENS
};

/* What a weight is rounded to before it is multiplied by values. */
enum { SF8_WEIGHT_F32, SF8_WEIGHT_HALF, SF8_WEIGHT_E4M3 };

/* How weights times values are summed.
 *
 *     SF8_VALUES_CHAIN       one fma after the other
 *     SF8_VALUES_UNIT        by the matrix unit, with one accumulator for the whole part
 *     SF8_VALUES_UNIT_TILE   `promote` tiles by the unit, beginning with 0; then that is added
 *     SF8_VALUES_THREADS     products are rounded to half; those of eight keys are summed by
 *                            neighbours; four warps take sixteen keys each in turn
 *     SF8_VALUES_CHAIN_HALF  as chain, but sums are rounded to half after each operation
 */
enum {
    SF8_VALUES_CHAIN,
    SF8_VALUES_UNIT,
    SF8_VALUES_UNIT_TILE,
    SF8_VALUES_THREADS,
    SF8_VALUES_CHAIN_HALF
};

/* How a part ends.
 *
 *     SF8_END_GUARDED      channels times 1 / sum;
 *                          if the sum is 0 or NaN, 0 and an lse of -infinity
 *     SF8_END_LOG2         the same; the lse is log 2 times that to base 2
 *     SF8_END_RECIPROCAL   channels times 1 / sum, or 0 if there was no key
 *     SF8_END_QUOTIENT     channels / sum, where the sum began as 1
 *     SF8_END_WEIGHTS      weights are multiplied by 1 / (sum + 1e-6) before they are rounded
 *     SF8_END_NORMALISED   weights are multiplied by 1 / sum, or 0 if that is 0 or NaN, before
 *                          they are rounded
 */
enum {
    SF8_END_GUARDED,
    SF8_END_RECIPROCAL,
    SF8_END_QUOTIENT,
    SF8_END_WEIGHTS,
    SF8_END_NORMALISED,
    SF8_END_LOG2
};

/* Where the scale of values is applied: to the values, if operands are scaled; to 1 / sum, or to
 * the channels where none is multiplied by that; or to the output, rounded to half, which is then
 * rounded again; or to the output in f32, after parts are joined. */
enum { SF8_V_IN_VALUES, SF8_V_IN_INVERSE, SF8_V_ON_OUTPUT, SF8_V_ON_JOINED };

/* What happens to keys of a tile that take no part: they are left out; they are multiplied as zeros
 * with weight 0; or they are multiplied as what their slots contain, and as zeros behind the last
 * slot of the last block. */
enum { SF8_OTHERS_LEFT_OUT, SF8_OTHERS_ZERO, SF8_OTHERS_AS_THEY_ARE };

/* How keys are split into parts.
 *
 *     SF8_SPLIT_NONE       one part
 *     SF8_SPLIT_COUNT      n parts, given with the call, of tiles / n tiles each, rounded up
 *     SF8_SPLIT_SEGMENTS   `size` parts likewise
 *     SF8_SPLIT_SIZE       parts of `size` keys
 *     SF8_SPLIT_PREFIX     two parts; the number of keys of the first is given with the call
 */
enum { SF8_SPLIT_NONE, SF8_SPLIT_COUNT, SF8_SPLIT_SEGMENTS, SF8_SPLIT_SIZE, SF8_SPLIT_PREFIX };

/* How parts are joined.
 *
 *     SF8_JOIN_VLLM         vLLM's merge_attn_states.cu: the result so far with the next part
 *     SF8_JOIN_FA3          FlashAttention-3's combine
 *     SF8_JOIN_FLASHINFER   FlashInfer's states
 *     SF8_JOIN_SEGMENTS     Triton's reduce_segments, of channels that are not yet divided
 *     SF8_JOIN_PARTITIONS   the reduce of PagedAttention v2
 *     SF8_JOIN_FA4          FlashAttention-4's combine: that of FlashAttention-3 with 2^x
 *     SF8_JOIN_SGLANG       SGLang's second stage of decode: the result so far with the next part
 */
enum {
    SF8_JOIN_VLLM,
    SF8_JOIN_FA3,
    SF8_JOIN_FLASHINFER,
    SF8_JOIN_SEGMENTS,
    SF8_JOIN_PARTITIONS,
    SF8_JOIN_FA4,
    SF8_JOIN_SGLANG
};

/* An order. These choices require others:
 *
 *     SF8_END_GUARDED        folded scores, base e; SF8_END_LOG2 too; only with these an offset,
 *                            from -126 to 126
 *     base 2                 folded scores
 *     SF8_SCALE_ON_BOTH      scaled or natural scores, and operands in f32 or scaled
 *     SF8_END_WEIGHTS        tile 0, since weights are divided once; SF8_END_NORMALISED too
 *     weight_factor          sums of weights that are not rounded
 *     SF8_JOIN_SEGMENTS      one part; or SF8_SPLIT_SEGMENTS, scaled or natural scores,
 *                            SF8_END_QUOTIENT
 *     SF8_JOIN_PARTITIONS    scaled or natural scores, since parts pass on their largest score
 *     SF8_JOIN_FLASHINFER    base 2; the other joins base e; not required if there is one part
 */
typedef struct sf8_attend_order {
    const char *name;
    int32_t tile, descends; /* keys of a tile; 0: all of a part */
    uint32_t operands;
    int32_t all_numbers; /* codes are read as sf8_kv_all_numbers says, if half is bf16 */
    const char *unit;    /* a unit of mma/units.h, or "" if none is needed */
    uint32_t dot, score;
    int32_t offset; /* of folded scores: weights are 2^offset times as large */
    uint32_t sum, weight, values, end, v_scale, others;
    uint32_t split;
    int32_t size;
    int32_t half_parts; /* 1: the output of a part is rounded to half */
    uint32_t join;
    int32_t base2; /* 1: logarithms are to base 2 */
    /* Tiles of requests without a causal mask or a window, and of those of one query: 0 is `tile`.
     */
    int32_t full_tile, decode_tile;
    /* A maximum that is larger by 2^n at most, n = rescale_after, is not taken over. */
    int32_t rescale_after;
    int32_t sum_rounded; /* 1: sums are of rounded weights */
    int32_t promote;     /* of SF8_VALUES_UNIT_TILE; else 1 */
    /* Before they are rounded, weights are multiplied by this; channels by its inverse in the end.
     */
    int32_t weight_factor;
    int32_t scale_on; /* SF8_SCALE_... */
    int32_t out_e4m3; /* 1: outputs are rounded to e4m3, as a kernel with FP8 outputs does */
    const char *product, *versions, *source, *evidence, *open;
} sf8_attend_order;

/*    name, tile, descends, operands, all numbers, unit, dot, score, offset,
 *    sum, weight, values, end, scale of values, others,
 *    split, size, half parts, join, base 2,
 *    full tile, decode tile, rescale after, sum rounded, promote, weight factor, scale on, out
 * e4m3, product, versions, source, evidence, open */
#define SF8_ATTEND_COMMON 0, 0, 0, 0, 1, 1, SF8_SCALE_ON_PRODUCTS, 0
#define SF8_ATTEND_DECODE(tile) 0, tile, 0, 0, 1, 1, SF8_SCALE_ON_PRODUCTS, 0
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
      SF8_OTHERS_AS_THEY_ARE, split, 0, half, join, 0, SF8_ATTEND_COMMON, product, versions,       \
      source, evidence, SF8_ATTEND_FA3_OPEN)
#define SF8_ATTEND_TRITON(X, name, split, size, source)                                            \
    X(name, 32, 0, SF8_OPERANDS_SCALED, 0, "hopper-hmma", SF8_PRODUCTS_UNIT, SF8_SCORE_SCALED, 0,  \
      SF8_SUM_HALVES, SF8_WEIGHT_HALF, SF8_VALUES_UNIT, SF8_END_QUOTIENT, SF8_V_IN_VALUES,         \
      SF8_OTHERS_ZERO, split, size, 0, SF8_JOIN_SEGMENTS, 0, SF8_ATTEND_COMMON, "vLLM", "0.27.1",  \
      source, "source: vllm/v1/attention/ops/triton_unified_attention.py at v0.27.1",              \
      "the order of tl.sum; which fma the compiler makes; the unit, which depends on the rows of " \
      "a "                                                                                         \
      "block; tiles of 16 in decode without FP8; no lse is returned")
#define SF8_ATTEND_PAGED(X, name, split, size, source)                                             \
    X(name, 0, 0, SF8_OPERANDS_SCALED, 0, "", SF8_PRODUCTS_THREADS, SF8_SCORE_SCALED, 0,           \
      SF8_SUM_THREADS, SF8_WEIGHT_HALF, SF8_VALUES_THREADS, SF8_END_WEIGHTS, SF8_V_IN_VALUES,      \
      SF8_OTHERS_ZERO, split, size, 1, SF8_JOIN_PARTITIONS, 0, SF8_ATTEND_COMMON, "vLLM",          \
      "up to July 2026", source,                                                                   \
      "source: csrc/attention/attention_kernels.cuh at the parent of d715b3aa1",                   \
      "blocks of 16 keys and 128 threads; no lse is returned")
#define SF8_ATTEND_F32(X, name, half, source)                                                      \
    X(name, 128, 0, SF8_OPERANDS_F32, 0, "", SF8_PRODUCTS_CHAIN, SF8_SCORE_SCALED, 0,              \
      SF8_SUM_CHAIN, SF8_WEIGHT_F32, SF8_VALUES_CHAIN, SF8_END_QUOTIENT, SF8_V_IN_VALUES,          \
      SF8_OTHERS_LEFT_OUT, SF8_SPLIT_COUNT, 0, half, SF8_JOIN_VLLM, 0, SF8_ATTEND_COMMON, "vLLM",  \
      "0.27.1", source, "source: csrc/attention/merge_attn_states.cu at v0.27.1",                  \
      "the attention of the parts: f32 here, one fma after the other")

/* FlashAttention-4; `after` is its threshold of rescaling. */
#define SF8_ATTEND_FA4(X, name, operands, unit, offset, weight, v_scale, after, source, open)      \
    X(name, 128, 1, operands, 0, unit, SF8_PRODUCTS_UNIT, SF8_SCORE_FOLDED, offset,                \
      SF8_SUM_OCTETS, weight, SF8_VALUES_UNIT, SF8_END_LOG2, v_scale, SF8_OTHERS_AS_THEY_ARE,      \
      SF8_SPLIT_COUNT, 0, 0, SF8_JOIN_FA4, 0, 0, 0, after, 0, 1, 1, 0, 0, "FlashAttention-4",      \
      "0251105a", source, "source: flash-attention flash_attn/cute/ at 0251105a", open)
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
      SF8_SPLIT_COUNT, 0, 0, SF8_JOIN_SGLANG, 0, SF8_ATTEND_COMMON, "SGLang", "0.5.23",            \
      "decode_attention_fwd_grouped: " source,                                                     \
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
    SF8_ATTEND_FA3_FP8(X, "fa3-fp8", 160, SF8_ATTEND_COMMON, SF8_VALUES_UNIT, "FlashAttention-3",  \
                       "0251105a", "e4m3, pages without TMA, heads of 128", SF8_ATTEND_FA3_SOURCE) \
    SF8_ATTEND_FA3_FP8(X, "fa3-fp8-two-level", 160, SF8_ATTEND_COMMON, SF8_VALUES_UNIT_TILE,       \
                       "vLLM's FlashAttention-3", "as of vLLM 0.27.1",                             \
                       "FP8 two-level accumulation",                                               \
                       "source: vllm-project/flash-attention hopper/, as vLLM 0.27.1 pins it")     \
    SF8_ATTEND_FA3_BF16(X, "fa3-bf16", SF8_SPLIT_COUNT, 0, SF8_JOIN_FA3, "FlashAttention-3",       \
                        "0251105a", "16 bits, heads of 128, causal or paged",                      \
                        SF8_ATTEND_FA3_SOURCE)                                                     \
    X("flashinfer", 64, 0, SF8_OPERANDS_PLAIN, 1, "hopper-hmma", SF8_PRODUCTS_UNIT,                \
      SF8_SCORE_FOLDED_TWICE, 0, SF8_SUM_UNIT, SF8_WEIGHT_HALF, SF8_VALUES_UNIT,                   \
      SF8_END_RECIPROCAL, SF8_V_ON_OUTPUT, SF8_OTHERS_ZERO, SF8_SPLIT_COUNT, 0, 0,                 \
      SF8_JOIN_FLASHINFER, 1, SF8_ATTEND_COMMON, "FlashInfer", "fb28d724",                         \
      "attention/prefill.cuh, cascade.cuh; vLLM flashinfer.py",                                    \
      "source: include/flashinfer/attention/ at fb28d724",                                         \
      "the tile; warps along keys, which have states of their own; where chunks end; the factor "  \
      "by way of double")                                                                          \
    SF8_ATTEND_TRITON(X, "vllm-triton", SF8_SPLIT_NONE, 0, "kernel_unified_attention_2d")          \
    SF8_ATTEND_TRITON(X, "vllm-triton-3d", SF8_SPLIT_SEGMENTS, 16, "kernel_unified_attention_3d")  \
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
      0, SF8_ATTEND_COMMON, "cuDNN frontend", "1.23.0 (3929da2e)",                                 \
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
      SF8_SCALE_ON_BOTH, 0, "PyTorch", "2.15.0", "SDPBackend.MATH on a CPU with AVX-512",          \
      SF8_ATTEND_TORCH_EVIDENCE, SF8_ATTEND_TORCH_OPEN)                                            \
    X("llama-cpp", 1, 0, SF8_OPERANDS_SCALED, 0, "", SF8_PRODUCTS_AVX2, SF8_SCORE_NATURAL, 0,      \
      SF8_SUM_HALVES, SF8_WEIGHT_F32, SF8_VALUES_CHAIN_HALF, SF8_END_RECIPROCAL, SF8_V_IN_VALUES,  \
      SF8_OTHERS_LEFT_OUT, SF8_SPLIT_NONE, 0, 0, SF8_JOIN_VLLM, 0, SF8_ATTEND_COMMON, "llama.cpp", \
      "0c1e57098", "ggml-cpu: flash attention, f16 cache, AVX2, below 64 queries",                 \
      SF8_ATTEND_LLAMA_EVIDENCE, SF8_ATTEND_LLAMA_OPEN)

/* ---- scores ---------------------------------------------------------------------------------- */

/* Whether a score is a product times the factor. */
SF8_FN int32_t sf8_attend_order_scales(const sf8_attend_order *o)
{
    return o->score == SF8_SCORE_SCALED || o->score == SF8_SCORE_NATURAL;
}

/* The factor by which products are multiplied. */
SF8_FN uint32_t sf8_attend_order_factor(const sf8_attend_order *o, uint32_t scale, uint32_t q_scale,
                                        uint32_t k_scale)
{
    uint32_t scales = sf8_f32_mul(q_scale, k_scale);
    if (o->scale_on == SF8_SCALE_ON_BOTH)
        return scales;
    if (o->score == SF8_SCORE_FOLDED)
        return sf8_f32_mul(sf8_f32_mul(scale, SF8_F32_LOG2E), scales);
    scale = sf8_f32_mul(scale, scales);
    return sf8_attend_order_scales(o) ? scale : sf8_f32_mul(scale, SF8_F32_LOG2E);
}

/* The score, of which the maximum is taken. */
SF8_FN uint32_t sf8_attend_order_score(const sf8_attend_order *o, uint32_t product, uint32_t factor)
{
    return sf8_attend_order_scales(o) ? sf8_f32_mul(product, factor) : product;
}

SF8_LONG uint32_t sf8_attend_order_weight(const sf8_attend_order *o, uint32_t score,
                                          uint32_t factor, uint32_t most)
{
    uint32_t less;
    if (sf8_attend_order_scales(o)) {
        less = sf8_f32_sub(score, most == SF8_F32_NEG_INF ? 0 : most);
        return o->score == SF8_SCORE_NATURAL ? sf8_f32_exp(less)
                                             : sf8_f32_exp2(sf8_f32_mul(less, SF8_F32_LOG2E));
    }
    less = most == SF8_F32_NEG_INF ? 0
                                   : sf8_f32_fma(most, factor, sf8_f32_of(o->offset) ^ 0x80000000u);
    return sf8_f32_exp2(sf8_f32_fma(score, factor, less ^ 0x80000000u));
}

/* The factor for sums so far when the maximum changes from `before` to *most; 0 for the first tile.
 * A maximum that is not much larger is not taken over: *most becomes `before`. */
SF8_LONG uint32_t sf8_attend_order_rescale(const sf8_attend_order *o, uint32_t before,
                                           uint32_t factor, uint32_t *most)
{
    uint32_t x, scaled = (uint32_t)sf8_attend_order_scales(o), natural;
    if (before == SF8_F32_NEG_INF)
        return 0;
    natural = sf8_f32_sub(before, *most);
    if (o->score == SF8_SCORE_FOLDED_TWICE)
        x = sf8_f32_fma(before, factor, sf8_f32_mul(*most, factor) ^ 0x80000000u);
    else if (o->score == SF8_SCORE_FOLDED_APART)
        x = sf8_f32_sub(sf8_f32_mul(before, factor), sf8_f32_mul(*most, factor));
    else
        x = sf8_f32_mul(natural, scaled ? SF8_F32_LOG2E : factor);
    if (o->rescale_after && !sf8_f32_is_nan(x) &&
        sf8_f32_order(x) >= sf8_f32_order(sf8_f32_of(-o->rescale_after))) {
        *most = before;
        return SF8_F32_ONE;
    }
    return o->score == SF8_SCORE_NATURAL ? sf8_f32_exp(natural) : sf8_f32_exp2(x);
}

#endif
