/* SPDX-License-Identifier: MIT */
/* recipes.h -- the named recipes: how stacks quantize blocks
 *
 * A recipe is a row with these columns: its name; the elements, a format or "int4", "uint2"; the
 * policy of their conversion, and the fields that differ from it; the number of elements with one
 * scale, 0 for a row; the scale's format, policy and fields; the programs of scale, offset, factor,
 * element and value; other properties; the product and its versions; the function in it, or the
 * origin of the rule; the evidence; what is not established.
 *
 * The plain name of a recipe is the product's newest release on PyPI when the row was written. The
 * evidence is a list of items, separated by "; ". Each begins with one of
 *
 *     ran HOW:       the product's own code ran: version, function, inputs, differences, date
 *     verified HOW:  the same, and vectors/products has the results
 *     hardware:      results of a device: which, what
 *     machine code:  what the product's compiled code computes: compiler, target, instructions
 *     source:        the product's source was read: version or commit, file
 *     document:      title, section
 *
 * HOW is "on a CPU", "on a GPU", "compiled for a CPU" (CUDA source, with a host compiler), or
 * "interpreted" (Triton's or TileLang's source, operation by operation on a CPU). Compiled code may
 * round differently: a recipe of what an interpreter computes ends in -interpreted if another one
 * has what the GPU computes.
 *
 * `g` is the global scale in the form that the stack passes. With the property g=encode scales are
 * multiplied by it, with g=decode it is the inverse of that, and with g=given it is the scale
 * itself (see kv/recipes.h). After the row there may be g_of, the program by which the stack
 * computes g from the amax of the tensor.
 *
 * Properties: amax=nan, a NaN of the block reaches the scale; zero=38, the code of a zero scale;
 * offset=word, offset=in-scale. per= says what a row without blocks is: per=tensor, per=token with
 * all its heads, per=token-head; per=none, the cache stores no scale. Blocks are parts of a head of
 * a token. Recipes of weights have no per=.
 */
#ifndef SOFTFP8_RECIPES_H
#define SOFTFP8_RECIPES_H

#include "softfp8/kv/recipes.h"
#include "softfp8/blocks/recipes_engines.h"
#include "softfp8/blocks/recipes_frameworks.h"
#include "softfp8/blocks/recipes_groups.h"
#include "softfp8/blocks/recipes_te.h"
#include "softfp8/blocks/recipes_weights.h"

/* NVFP4: 16 elements of e2m1, a scale of e4m3 without its sign, one f32 for the tensor.
 *
 * nvfp4-argmin takes, of the magnitudes 0, 1/2, ..., 6 in this order, the first one with the least
 * distance, which is the lower one in a tie; then it sets the sign if x < 0. For an infinity all
 * distances are infinite, and the first magnitude, 0, is taken. For NaN all distances are NaN;
 * torch.argmin takes NaN as less than any number, so that the first one, 0, is taken again, and NaN
 * < 0 is false. */
#define SF8_RECIPE_FLASHINFER_PAGED(X, name, versions, guard, read)                                \
    X(name, "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",                        \
      "g amax 6 rcp~ * *", "", guard " 0 s g rcp~ * rcp~ ifzero", "x f *", "e s * 1 g / *",        \
      "g=encode",                                                                                  \
      "FlashInfer", versions,                                                                      \
      "nvfp4_quantize_paged_kv_cache: the kernel of nvfp4_quantize, g without the 6, so that "     \
      "scales end at 75",                                                                          \
      "source: FlashInfer " read ", nvfp4_quantize_paged_kv_cache",                                \
      "the last bit of the approximate reciprocals", "448 amax 1e-12 max /")
#define SF8_NVFP4_DIGESTS                                                                          \
    "hardware: RTX 5080, published digests of FlashInfer 0.6.16.post3, 6 of 6 equal"
#define SF8_RECIPES_NVFP4(X)                                                                       \
    X("nvfp4-vllm", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",                \
      "g amax 6 rcp~ * *", "", "s 0 s g rcp~ * rcp~ ifzero", "x f *", "e s * g /", "g=encode",     \
      "vLLM", "0.33.0",                                                                            \
      "cvt_warp_fp16_to_fp4",                                                                      \
      "ran on a CPU: vLLM 0.33.0, ref_nvfp4_quant, 6 x 1,000,000 blocks, differences in the sign " \
      "of zero only, 2026-11-22; ran on a CPU: auto-round 0.16.1, NVFP4, 1,000,000 blocks, 0 "     \
      "differences, 2026-11-22; "                                                                  \
      SF8_NVFP4_DIGESTS                                                                            \
      "; source: vLLM 0.27.1, nvfp4_utils.cuh",                                                    \
      "the last bit of the approximate reciprocals; the value of a "                               \
      "code, which the matrix product computes", "amax rcp 2688 *")                                \
    X("nvfp4-trtllm", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",              \
      "g amax 6 rcp~ * *", "", "amax 0 s g rcp~ * rcp~ ifzero", "x f *", "e s * g /", "g=encode",  \
      "TensorRT-LLM", "2a0ce833",                                                                  \
      "cvt_warp_fp16_to_fp4; FlashInfer nvfp4_quantize up to 0.7.2",                               \
      SF8_NVFP4_DIGESTS                                                                            \
      "; source: TensorRT-LLM 2a0ce833, quantization.cuh"                                          \
      "; ran on a CPU: FlashInfer fb28d72, trace reference of NVFP4, 500,000 blocks, 2.4 % "       \
      "differ, "                                                                                   \
      "its own test allows 5 %, 2026-11-22",                                                       \
      "as nvfp4-vllm", SF8_G_ENCODES)                                                              \
    X("nvfp4-te", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",                  \
      "amax g 1 6 / * * FLT_MAX min", "", "1 s 1 g / * / FLT_MAX min", "x f *", "e s * g /",       \
      "g=encode",                                                                                  \
      "Transformer Engine", "d0067d0",                                                             \
      "quantization in NVFP4; TensorRT-LLM without fast math",                                     \
      "ran on a CPU: Transformer Engine d0067d0, NVFP4QuantizerRef, 9 x 1,000,000 blocks, "        \
      "differences in the sign of zero only, 2026-11-22; ran compiled for a CPU: FlashInfer "      \
      "0.7.4, "                                                                                    \
      "cvt_warp_fp16_to_fp4 without fast math, 786,432 blocks of bf16, f16, "                      \
      "0 differences, 2026-11-29; ran on a CPU: FlashInfer 0.7.4, quantize_reference of "          \
      "batch_invariant, "                                                                          \
      "589,824 blocks of f32, bf16, f16, 0 differences, 2026-11-29; "                              \
      SF8_NVFP4_DIGESTS,                                                                           \
      "the value of a code", SF8_G_ENCODES)                                                        \
    X("nvfp4-argmin", "e2m1", "cuda-satfinite", "round=rnz missing_nan=zero inf=zero", 16,         \
      "e4m3", "cuda-satfinite", "", "amax 6 g * /", "", "s g *", "x f / 0 +", "e s g * *",         \
      "g=decode amax=nan",                                                                         \
      "loaders of NVFP4 checkpoints", "not recorded",                                              \
      "the nearest of 0 to 6 by argmin over the distances: the arithmetic of that search",         \
      "source: torch.argmin over the distances, version not recorded",                             \
      "quotients above 2^25, where distances in f32 meet and the first is taken, 0 from 2^27 "     \
      "on: the largest here; distances in fewer bits", SF8_G_DECODES)                              \
    X("nvfp4-trtllm-ue8m0", "e2m1", "cuda-satfinite", "", 16, "e8m0", "cuda-satfinite",            \
      "round=ru", "g amax 6 rcp~ * *", "", "amax 0 s g rcp~ * rcp~ ifzero", "x f *", "e s * g /",  \
      "g=encode",                                                                                  \
      "TensorRT-LLM", "0193dbd4",                                                                  \
      "cvt_warp_fp16_to_fp4 with scales of powers of two",                                         \
      "source: TensorRT-LLM 0193dbd4, quantization.cuh",                                           \
      "as nvfp4-vllm; the reader of the scale 00; g is 1 where there is none; version 2a0ce833, "  \
      "which does not multiply by g here",                                                         \
      SF8_G_ENCODES)                                                                               \
    X("mxfp4-trtllm", "e2m1", "cuda-satfinite", "", 32, "e8m0", "cuda-satfinite", "round=ru",      \
      "g amax 6 rcp~ * *", "", "amax 0 s g rcp~ * rcp~ ifzero", "x f *", "e s * g /", "g=encode",  \
      "TensorRT-LLM", "0193dbd4",                                                                  \
      "cvt_warp_fp16_to_fp4, 32 elements with one scale",                                          \
      "source: TensorRT-LLM 0193dbd4, quantization.cuh",                                           \
      "as nvfp4-trtllm-ue8m0", SF8_G_ENCODES)                                                      \
    X("nvfp4-flashinfer-append", "e2m1", "cuda-satfinite", "missing_nan=zero", 16, "e4m3",         \
      "cuda-satfinite", "", "amax 6 g * /", "", "s 0 1 s g * / ifzero", "x f *", "e s * g *",      \
      "g=decode",                                                                                  \
      "FlashInfer", "0.7.4",                                                                       \
      "nvfp4_quantize_append_paged_kv_cache: page.cuh nvfp4_append_quantize_block",                \
      "verified compiled for a CPU: FlashInfer 0.7.4, nvfp4_append_quantize_block, "               \
      "1,572,864 blocks of f32, bf16, f16, 0 differences, 2026-11-29; source: FlashInfer "         \
      "fb28d724, page.cuh",                                                                        \
      "it is built with approximate division; here it is exact", SF8_G_DECODES)                    \
    SF8_RECIPE_FLASHINFER_PAGED(X, "nvfp4-flashinfer-paged", "0.7.4", "s", "0.7.4")                \
    SF8_RECIPE_FLASHINFER_PAGED(X, "nvfp4-flashinfer-paged-0.7.2", "fb28d724, 0.7.2.post1",        \
                                "amax", "0.7.2.post1")

/* MX: 32 elements and a scale of e8m0. The scale is a power of two: the exponent of the largest
 * magnitude, less emax, the exponent of the format's largest number. A scale that is too small
 * becomes 2^-127, one that is not finite NaN. */
#define SF8_RECIPE_MX(X, name, element, scale_of, round, product, source, evidence, open)          \
    X(name, element, "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", round, scale_of, "", "",       \
      "x s /", "e s *", "amax=nan", product, source, evidence, open)
#define SF8_MX_OPEN                                                                                \
    "values in f16: torchao rounds the scale to it first; the codes of e2m1, e3m2, e2m3 beside a " \
    "NaN scale; versions of torchao that divide by 2^-126 "                                        \
    "where the scale is 2^-127"
#define SF8_MX_SOURCE "source: torchao 36027d8, mx_tensor.py"
#define SF8_MX_RELEASE                                                                             \
    "; ran on a CPU: torchao 0.18.0, to_mx, 2 x 1,000,000 blocks, 0.6 to 10 % differ where the "   \
    "scale is 00"
#define SF8_MX_DATE ", 2026-11-22"
/* Formats that were also run with the commit of the rows. */
#define SF8_MX_COMMIT "; ran on a CPU: torchao 36027d8, to_mx, 2 x 500,000 blocks, "
#define SF8_MX_SAME SF8_MX_COMMIT "0 differences" SF8_MX_DATE
#define SF8_MX_EVEN SF8_MX_COMMIT "80 to 204 differ, amax at the top of the range" SF8_MX_DATE
#define SF8_MX_SECTION "; document: OCP Microscaling Formats 1.0, section 6.3"
/* JAX's `quantize` multiplies by 1/max as XLA compiles it. */
#define SF8_MX_JAX                                                                                 \
    "; ran on a CPU: JAX 0.12.0.1, quantize of scaled_matmul_stablehlo under jit, 12,288 blocks "  \
    "of f32, bf16, f16, 0 differences but subnormal numbers of f32, which XLA takes as 0, "        \
    "2026-11-30"
#define SF8_MX_OTHERS_EVEN4                                                                        \
    "; ran on a CPU: compressed-tensors 0.20.0, MXFP4, 500,000 blocks, 0 differences" SF8_MX_DATE  \
    "; ran interpreted: vLLM 0.33.0, Triton downcast_to_mxfp, 1,000,000 blocks of f16, 0 "         \
    "differences"                                                                                  \
    SF8_MX_DATE
#define SF8_MX_OTHERS_RCEIL8                                                                       \
    "; ran on a CPU: ModelOpt 0.47, MXFP8QTensor, 1,000,000 blocks, bf16 0 differences, f32 "      \
    "19,004 by its "                                                                               \
    "log2 in f32" SF8_MX_DATE                                                                      \
    "; ran on a CPU: vLLM 0.33.0, _mxfp8_e4m3_quantize_torch, 1,000,000 blocks, bf16 0 "           \
    "differences, f32 "                                                                            \
    "1.9 % by its log2 in f32" SF8_MX_DATE
#define SF8_MX_QUARK                                                                               \
    "; ran on a CPU: Quark 0.13, fake_quantize_mx, values of 196,608 blocks of bf16, f16, f32, 0 " \
    "differences but the sign of zero and an amax that rounds to 2^128" SF8_MX_DATE
/* Products and versions: torchao after 0.18.0; release 0.18.0 has rows of its own,
 * mx...-torchao-... */
#define SF8_MX_GIT "torchao", "36027d8, which is not released"
#define SF8_MX_OCP "OCP MX 1.0, torchao", "36027d8, which is not released"
/* `ran` of floor and ceil, of even, of rceil: the evidence besides the release. */
#define SF8_RECIPES_MX_OF(X, name, element, emax, max, even, ran, ran_even, ran_rceil)             \
    SF8_RECIPE_MX(X, name "-floor", element, "amax exponent " emax " - pow2", "", SF8_MX_OCP,      \
                  "to_mx, FLOOR", SF8_MX_SOURCE SF8_MX_SECTION ran SF8_MX_RELEASE SF8_MX_DATE,     \
                  SF8_MX_OPEN)                                                                     \
    SF8_RECIPE_MX(X, name "-even", element, "amax " even " " emax " - pow2", "", SF8_MX_GIT,       \
                  "to_mx, EVEN", SF8_MX_SOURCE ran_even SF8_MX_RELEASE SF8_MX_DATE SF8_MX_QUARK,   \
                  "amax that rounds to 2^128: ff there, 2^(128 - emax) here, as in torchao "       \
                  "0.18.0; " SF8_MX_OPEN)                                                          \
    SF8_RECIPE_MX(X, name "-ceil", element, "amax exponent-up " emax " - pow2", "", SF8_MX_GIT,    \
                  "to_mx, CEIL", SF8_MX_SOURCE ran SF8_MX_RELEASE SF8_MX_DATE, SF8_MX_OPEN)        \
    SF8_RECIPE_MX(X, name "-rceil", element, "amax 1 " max " / *", "round=ru", SF8_MX_GIT,         \
                  "to_mx, RCEIL; cuBLAS; TensorRT-LLM",                                            \
                  SF8_MX_SOURCE ran_rceil SF8_MX_RELEASE                                           \
                  " and in 1 to 2 % of f32 by its log2 in f32" SF8_MX_DATE,                        \
                  "the codes of e2m1, e3m2, e2m3 beside a NaN scale")
#define SF8_RECIPES_MX(X)                                                                          \
    SF8_RECIPES_MX_OF(X, "mxfp4", "e2m1", "2", "6", "exponent-even1", SF8_MX_SAME,                 \
                      SF8_MX_EVEN SF8_MX_OTHERS_EVEN4, SF8_MX_SAME SF8_MX_JAX)                                \
    SF8_RECIPES_MX_OF(X, "mxfp6-e3m2", "e3m2", "4", "28", "exponent-even2", "",                    \
                      "", "")                                                                      \
    SF8_RECIPES_MX_OF(X, "mxfp6-e2m3", "e2m3", "2", "7.5", "exponent-even3", "",                   \
                      "", "")                                                                      \
    SF8_RECIPES_MX_OF(X, "mxfp8-e4m3", "e4m3", "8", "448", "exponent-even3", SF8_MX_SAME,          \
                      SF8_MX_EVEN, SF8_MX_SAME SF8_MX_OTHERS_RCEIL8 SF8_MX_JAX)                               \
    SF8_RECIPES_MX_OF(X, "mxfp8-e5m2", "e5m2", "15", "57344", "exponent-even2", "",                \
                      "", "")                                                                      \
    X("mxint8-floor", "int8", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",                   \
      "amax exponent pow2", "", "", "x s / 64 * rint 127 min -127 max", "e 64 / s *", "amax=nan",  \
      "OCP MX", "1.0",                                                                             \
      "MXINT8, ties to even",                                                                      \
      "document: OCP Microscaling Formats 1.0, section 6.3",                                       \
      "whether -128 is used: not here")                                                            \
    X("mxfp4-vllm", "e2m1", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",                     \
      "amax exponent-even1 2 - pow2", "", "", "s 2^-127 - 0 x s / ifzero",                         \
      "s 2^-127 - 0 e s * ifzero", "amax=nan",                                                     \
      "vLLM", "0.33.0",                                                                            \
      "MXFP4: as mxfp4-even, but the scale 00 stands for 0",                                       \
      "ran on a CPU: vLLM 0.33.0, reference_mxfp4 of its tests, 1,000,000 blocks, differences "    \
      "where amax is subnormal or at the top of the range, 2026-11-22",                            \
      "NaN and infinite elements")                                                                 \
    X("sglang-kvfp4", "e2m1", "cuda-satfinite", "round=rna missing_nan=zero", 16, "e8m0",          \
      "ocp-nosat", "", "amax 6 / 1e-10 nmax log2-ceil pow2", "", "", "x s / 0 +", "e s *",         \
      "amax=nan",                                                                                  \
      "SGLang", "0.5.23",                                                                          \
      "KVFP4QuantizeUtil",                                                                         \
      "ran on a CPU: SGLang 0.5.23, batched_quantize not compiled, 3 x 131,072 blocks of f32, "    \
      "bf16, "                                                                                     \
      "f16 as f32, 0 differences, 2026-11-22; ran on a CPU: SGLang 0.5.23, FP4 KV by "             \
      "torch.compile, "                                                                            \
      "6 x 500,000 blocks, 0 differences but f32 0.7 % of adversarial blocks by exponents, "       \
      "2026-11-22",                                                                                \
      "log2 of a device just above a power of two, and amax / 6 where it is compiled; the "        \
      "scale's code, NaN or infinity made an integer: ff here")

/* microxcaling: the exponent is the floor of a log2 in f32. Elements are rounded by adding 1/2 of
 * the last place and truncating. In f32 that sum is also 1 for a value just below 1/2 of the least
 * subnormal (`under` for `half`). -0 becomes 0. */
#define SF8_RECIPE_MICRO(X, name, element, emax, half, under)                                      \
    X(name "-microxcaling", element, "cuda-satfinite", "round=rna", 32, "e8m0", "ocp-nosat", "",   \
      "amax 2^-126 amax ifzero log2-floor " emax " - pow2", "", "",                                \
      "x s / " under " - " half " x s / " under " + " half " neg x s / ifzero ifzero 0 +",         \
      "e s *", "amax=nan", "microxcaling", "7bc4195",                                              \
      "mx_ops.py, round nearest, on tensors of f32",                                               \
      "ran on a CPU: microxcaling 7bc4195, f32, 1,000,000 blocks, 0 differences, 2026-11-22",      \
      SF8_MICRO_OPEN)
#define SF8_MICRO_OPEN                                                                             \
    "codes: it has values alone; the last bit of its log2, correct here; its kernels of CUDA"
#define SF8_RECIPES_MICRO(X)                                                                       \
    SF8_RECIPE_MICRO(X, "mxfp4", "e2m1", "2", "2^-2", "0x1.fffffep-3")                             \
    SF8_RECIPE_MICRO(X, "mxfp6-e3m2", "e3m2", "4", "2^-5", "0x1.fffffep-6")                        \
    SF8_RECIPE_MICRO(X, "mxfp6-e2m3", "e2m3", "2", "2^-4", "0x1.fffffep-5")                        \
    SF8_RECIPE_MICRO(X, "mxfp8-e4m3", "e4m3", "8", "2^-10", "0x1.fffffep-11")                      \
    SF8_RECIPE_MICRO(X, "mxfp8-e5m2", "e5m2", "15", "2^-17", "0x1.fffffep-18")                     \
    X("mxint8-microxcaling", "int8", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",            \
      "amax 2^-126 amax ifzero log2-floor pow2", "", "",                                           \
      "x s / 64 * half trunc 127 nmin -127 nmax", "e 64 / s *", "amax=nan",                        \
      "microxcaling", "7bc4195",                                                                   \
      "mx_ops.py, round nearest, on tensors of f32",                                               \
      "ran on a CPU: microxcaling 7bc4195, int8, f32, 262,144 blocks, differences in the sign "    \
      "of zero "                                                                                   \
      "only, 2026-11-22",                                                                          \
      "the sign of a zero value: -0 there where a negative number rounds to 0, +0 here; "          \
      SF8_MICRO_OPEN)

/* Blocks of 8-bit codes with a scale of f32. vLLM's kernels for a scale of each head of a token are
 * written in Triton. Compiled for a GPU, a division by a constant becomes a product with its
 * inverse, 1 / s the reciprocal instruction, and a product and a sum are fused. Triton's
 * interpreter divides and rounds each operation. */
#define SF8_PER_TOKEN_HEAD_COMPILED(constant, also)                                                \
    "machine code: vLLM 0.33.0, its Triton kernel compiled by Triton 3.6 and 3.9 for sm_90: FMUL " \
    "by " constant ", MUFU.RCP" also ", not run"
#define SF8_PER_TOKEN_HEAD_RAN                                                                     \
    "ran interpreted: vLLM 0.33.0, per-token-head stores, 9 x 1,000,000 blocks, 0 differences, "   \
    "2026-11-22"
#define SF8_PER_TOKEN_HEAD_FUSED                                                                   \
    "whether Triton fuses: 3.9 announces that from 3.10 on it does not by default; "
#define SF8_PER_TOKEN_HEAD_OPEN                                                                    \
    "the last bit of the approximate reciprocal; other targets than sm_90; NaN elements"
#define SF8_RECIPES_BYTES(X)                                                                       \
    X("fp8-group128", "e4m3", "cuda-satfinite", "", 128, "f32", "ocp-nosat", "",                   \
      "amax 1e-10 max 448 /", "", "", "x s / 448 min -448 max", "e s *", "",                       \
      "vLLM", "0.33.0",                                                                            \
      "per_token_group_quant_8bit, eps 1e-10, the native kernel",                                  \
      "verified interpreted: SGLang 0.5.23, _per_token_group_quant_8bit_colmajor, 67,072 blocks "  \
      "of f32, "                                                                                   \
      "bf16, f16, 0 differences, 2026-11-22; "                                                     \
      "ran on a CPU: vLLM 0.33.0, per-token-group test reference, 1,000,000 blocks of f32, 0 "     \
      "differences, of bf16 and f16 where its eps counts, 2026-11-22; ran interpreted: SGLang "    \
      "0.5.23, "                                                                                   \
      "_per_token_group_quant_8bit, 1,000,000 blocks, 2.4 to 4.2 % differ because it "             \
      "multiplies by the inverse, 2026-11-22",                                                     \
      "NaN elements")                                                                              \
    X("fp8-group128-ue8m0", "e4m3", "cuda-satfinite", "", 128, "e8m0", "ocp-nosat", "",            \
      "amax 1e-10 max 448 / 1e-10 max exponent-up pow2", "", "", "x s / 448 min -448 max",         \
      "e s *", "",                                                                                 \
      "vLLM", "0.27.1",                                                                            \
      "per_token_group_quant_8bit with scales of powers of two",                                   \
      "source: vLLM 0.27.1, per_token_group_quant_8bit",                                           \
      "log2f just above a power of two; NaN elements")                                             \
    X("fp8-per-token", "e4m3", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",                    \
      "amax 448 / 1 229376 / max", "", "", "x s / 448 min -448 max", "e s *", "per=token",         \
      "vLLM", "0.33.0",                                                                            \
      "dynamic_per_token_scaled_fp8_quant",                                                        \
      "ran on a CPU: vLLM 0.33.0, dynamic per token, 1,000,000 blocks, 0 differences, "            \
      "2026-11-22; "                                                                               \
      "source: vLLM 0.33.0, fbgemm_fp8.py, activations for FBGEMM's checkpoints",                  \
      "the upper bound of the scale, which is optional")                                           \
    X("fp8-per-token-head", "e4m3", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",               \
      "amax 1 448 / * 1e-6 max", "", "s rcp~", "x f * 448 min -448 max", "e s *",                  \
      "per=token-head",                                                                            \
      "vLLM", "0.33.0",                                                                            \
      "_reshape_cache_per_token_head in Triton, compiled for a GPU: fp8_per_token_head",           \
      SF8_PER_TOKEN_HEAD_COMPILED("3b124925", ""), SF8_PER_TOKEN_HEAD_OPEN)                        \
    X("fp8-per-token-head-interpreted", "e4m3", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",   \
      "amax 448 / 1e-6 max", "", "1 s /", "x f * 448 min -448 max", "e s *", "per=token-head",     \
      "vLLM", "0.33.0",                                                                            \
      "_reshape_cache_per_token_head in Triton's interpreter: fp8_per_token_head",                 \
      SF8_PER_TOKEN_HEAD_RAN,                                                                      \
      "NaN elements")                                                                              \
    X("int8-per-token-head", "int8", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",              \
      "amax 1 127 / * 1e-6 max", "", "s rcp~",                                                     \
      "x f x f * 0.5 -0.5 ifpos fma -128 max 127 min trunc", "e s *", "per=token-head",            \
      "vLLM", "0.33.0",                                                                            \
      "_reshape_cache_per_token_head in Triton, compiled for a GPU: int8_per_token_head",          \
      SF8_PER_TOKEN_HEAD_COMPILED("3c010204", ", FFMA by the reciprocal and 0.5"),                 \
      SF8_PER_TOKEN_HEAD_FUSED SF8_PER_TOKEN_HEAD_OPEN)                                            \
    X("int8-per-token-head-interpreted", "int8", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",  \
      "amax 127 / 1e-6 max", "", "1 s /", "x f * half trunc 127 min -128 max", "e s *",            \
      "per=token-head",                                                                            \
      "vLLM", "0.33.0",                                                                            \
      "_reshape_cache_per_token_head in Triton's interpreter: int8_per_token_head",                \
      SF8_PER_TOKEN_HEAD_RAN,                                                                      \
      "NaN elements")

/* Integers with an offset. */
#define SF8_KVQUANT_OPEN                                                                           \
    "there are no codes there, only values: the code of NaN is 0 here, which reads 0 as well; "    \
    "the sign of a zero value"
#define SF8_KIVI_RAN "ran on a CPU: KIVI 876b4d2, 4 x 1,000,000 blocks, 0 differences, 2026-11-22"
#define SF8_KVQUANT_RAN                                                                            \
    "verified on a CPU: KVQuant 57a2383, quant_fn_zp, 3 x 32,768 rows of f32, bf16, f16, 0 "       \
    "differences, "                                                                                \
    "2026-11-22"
/* torch computes 15 / (high - low) as 15 (1 / (high - low)), in the format of the tensor. */
#define SF8_RECIPE_KVQUANT(X, name, element, most, clamp, how)                                     \
    X(name, element, "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",                              \
      "high low - own rcp own " most " * own", "low s * own" clamp, "",                            \
      "s x * own o - own rint 0 nmax " most " nmin", "e o + own s / own 0 finite-or",              \
      "offset=f32 amax=nan per=token", "KVQuant", "57a2383",                                       \
      "quant_fn_zp " how ", its outliers left out", SF8_KVQUANT_RAN, SF8_KVQUANT_OPEN)
#define SF8_RECIPES_INT(X)                                                                         \
    X("int4-per-token-head", "uint4", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",             \
      "high low - 1 15 / * 1e-6 max", "low neg s rcp~ * half trunc 15 min 0 max", "s rcp~",        \
      "x f o fma half trunc 15 min 0 max", "e o - s *", "offset=in-scale per=token-head",          \
      "vLLM", "0.33.0",                                                                            \
      "_reshape_cache_int4_kernel in Triton, compiled for a GPU: int4_per_token_head, behind its " \
      "rotation",                                                                                  \
      SF8_PER_TOKEN_HEAD_COMPILED("3d888889", ", FFMA by the reciprocal and the zero point"),      \
      SF8_PER_TOKEN_HEAD_FUSED SF8_PER_TOKEN_HEAD_OPEN)                                            \
    X("int4-per-token-head-interpreted", "uint4", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "", \
      "high low - 15 / 1e-6 max", "low neg s / half trunc 15 min 0 max", "1 s /",                  \
      "x f * o + half trunc 15 min 0 max", "e o - s *", "offset=in-scale per=token-head",          \
      "vLLM", "0.33.0",                                                                            \
      "_reshape_cache_int4_kernel in Triton's interpreter: int4_per_token_head, behind its "       \
      "rotation",                                                                                  \
      SF8_PER_TOKEN_HEAD_RAN,                                                                      \
      "NaN elements")                                                                              \
    X("kivi-int4", "uint4", "cuda-satfinite", "", 32, "f16", "ocp-nosat", "",                      \
      "high low - f16 1 15 / * f16", "low", "", "x low - f16 s / f16 0 nmax 15 nmin rint",         \
      "e s * f16 o + f16", "offset=f16",                                                           \
      "KIVI", "876b4d2",                                                                           \
      "new_pack.py on a GPU",                                                                      \
      SF8_KIVI_RAN,                                                                                \
      "where all elements are the same a conversion of NaN to an integer: 0 here")                 \
    X("kivi-int2", "uint2", "cuda-satfinite", "", 32, "f16", "ocp-nosat", "",                      \
      "high low - f16 1 3 / * f16", "low", "", "x low - f16 s / f16 0 nmax 3 nmin rint",           \
      "e s * f16 o + f16", "offset=f16",                                                           \
      "KIVI", "876b4d2",                                                                           \
      "new_pack.py on a GPU",                                                                      \
      SF8_KIVI_RAN,                                                                                \
      "as kivi-int4")                                                                              \
    SF8_RECIPE_KVQUANT(X, "kvquant-int4", "uint4", "15", "", "without clamp")                      \
    SF8_RECIPE_KVQUANT(X, "kvquant-int4-clamp", "uint4", "15", " rint -15 nmax 0 nmin",            \
                       "with clamp")                                                               \
    SF8_RECIPE_KVQUANT(X, "kvquant-int2", "uint2", "3", "", "of 2 bits, without clamp")            \
    SF8_RECIPE_KVQUANT(X, "kvquant-int2-clamp", "uint2", "3", " rint -3 nmax 0 nmin",              \
                       "of 2 bits, with clamp")

#define SF8_RECIPES(X)                                                                             \
    SF8_RECIPES_NVFP4(X)                                                                           \
    SF8_RECIPES_WEIGHTS(X)                                                                         \
    SF8_RECIPES_MX(X)                                                                              \
    SF8_RECIPES_MICRO(X)                                                                           \
    SF8_RECIPES_BYTES(X)                                                                           \
    SF8_RECIPES_GROUPS(X)                                                                          \
    SF8_RECIPES_FRAMEWORKS(X)                                                                      \
    SF8_RECIPES_ENGINES(X)                                                                         \
    SF8_RECIPES_TE(X)                                                                              \
    SF8_RECIPES_INT(X)                                                                             \
    SF8_RECIPES_KV(X)

#endif
