/* SPDX-License-Identifier: MIT */
/* recipes.h -- the named recipes of KV caches; blocks/recipes.h explains the rows
 *
 * With g=given the scale is not computed from the row but passed by the caller. The program of the
 * scale is "g", so that s = g, the number by which codes are multiplied when they are read. A stack
 * that multiplies by an encode scale has 1/s as its factor. The program of g helps a caller to
 * choose a scale: the largest magnitude of the tensor divided by that of the format. There is one
 * such scale for the tensor, or one for each of its heads: per=tensor.
 *
 * Where torch computes with bf16 or f16, each operation is rounded to that format: "bf16", "f16". A
 * division by a number on the host is a multiplication by its reciprocal in f32.
 */
#ifndef SOFTFP8_KV_RECIPES_H
#define SOFTFP8_KV_RECIPES_H

/* A row with one scale, which is given. */
#define SF8_G_OVER(most) "amax 1 amax " most " / ifzero"
#define SF8_RECIPE_KV(X, name, element, policy, fields, factor_of, element_of, most, ...)          \
    X(name, element, policy, fields, 0, "f32", "ocp-nosat", "", "g", "", factor_of, element_of,    \
      "e s *", "g=given per=tensor", __VA_ARGS__, SF8_G_OVER(most))

#define SF8_KV_NAN_OPEN "the sign of a NaN's code on a device"

/* vLLM. The cache is divided by the scale. The queries and outputs that the same run quantizes are
 * multiplied by the reciprocal and clamped, which turns NaN into 448. */
#define SF8_RECIPES_KV_VLLM(X)                                                                     \
    SF8_RECIPE_KV(X, "kv-vllm", "e4m3", "cuda-satfinite", "", "", "x s /", "448",                  \
                  "vLLM", "0.27.1",                                                                \
                  "reshape_and_cache, fp8/nvidia/quant_utils.cuh scaled_vec_conversion",           \
                  "source: vLLM 0.27.1, fp8/nvidia/quant_utils.cuh",                               \
                  SF8_KV_NAN_OPEN)                                                                 \
    SF8_RECIPE_KV(X, "kv-vllm-e5m2", "e5m2", "cuda-satfinite", "", "", "x s /", "57344",           \
                  "vLLM", "0.27.1", "reshape_and_cache with kv_cache_dtype fp8_e5m2",              \
                  "source: vLLM 0.27.1, fp8/nvidia/quant_utils.cuh",                               \
                  SF8_KV_NAN_OPEN)                                                                 \
    SF8_RECIPE_KV(X, "kv-vllm-triton", "e4m3", "cuda-satfinite", "", "", "x s /~", "448",          \
                  "vLLM", "0.27.1", "triton_reshape_and_cache_flash.py",                           \
                  "source: vLLM 0.27.1, triton_reshape_and_cache_flash.py",                        \
                  "by how much its division misses: rounded, as here, it is kv-vllm; "             \
                  SF8_KV_NAN_OPEN)                                                                 \
    SF8_RECIPE_KV(X, "kv-vllm-scaled", "e4m3", "cuda-satfinite", "", "1 s /",                      \
                  "x f * 448 min -448 max", "448",                                                 \
                  "vLLM", "0.33.0", "static_scaled_fp8_quant, scale inverted",                     \
                  "ran on a CPU: vLLM 0.33.0, static per tensor, 400,000 elements, 0 "             \
                  "differences, "                                                                  \
                  "2026-11-22; source: vLLM 0.27.1, fp8/common.cuh",                               \
                  "")                                                                              \
    X("kv-vllm-dynamic", "e4m3", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "", "amax 448 /",    \
      "", "1 s /", "x f * 448 min -448 max", "e s *", "per=tensor",                                \
      "vLLM", "0.33.0",                                                                            \
      "dynamic_scaled_fp8_quant: a row is the tensor",                                             \
      "ran on a CPU: vLLM 0.33.0, dynamic per tensor, 64 tensors, 0 differences, 2026-11-22",      \
      "NaN elements")                                                                              \
    X("kv-vllm-token-bound", "e4m3", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",              \
      "amax g min 448 / 1 229376 / max", "", "", "x s / 448 min -448 max", "e s *",                \
      "g=given per=token",                                                                         \
      "vLLM", "0.27.1",                                                                            \
      "dynamic_per_token_scaled_fp8_quant with scale_ub, which is g",                              \
      "source: vLLM 0.27.1, fp8/common.cu",                                                        \
      "NaN elements", SF8_G_OVER("1"))                                                             \
    X("kv-vllm-ds-mla", "e4m3", "cuda-satfinite", "", 128, "f32", "ocp-nosat", "",                 \
      "amax 448 / 2^-126 max", "", "", "x s /", "e s *", "",                                       \
      "vLLM", "0.27.1",                                                                            \
      "concat_and_cache_ds_mla, the 512 elements of fp8_ds_mla",                                   \
      "source: vLLM 0.27.1, cache_kernels.cu",                                                     \
      SF8_KV_NAN_OPEN)                                                                             \
    X("kv-vllm-indexer", "e4m3", "cuda-satfinite", "", 128, "f32", "ocp-nosat", "",                \
      "amax 1e-4 max 448 /", "", "", "x s /", "e s *", "",                                         \
      "vLLM", "0.27.1",                                                                            \
      "indexer_k_quant_and_cache",                                                                 \
      "ran interpreted: DeepSeek-V3, act_quant with blocks of 1 x 128, 6 x 1,000,000 blocks, 0 "   \
      "differences, 2026-11-22; source: vLLM 0.27.1, cache_kernels.cu",                            \
      SF8_KV_NAN_OPEN)                                                                             \
    X("kv-vllm-indexer-ue8m0", "e4m3", "cuda-satfinite", "", 128, "f32", "ocp-nosat", "",          \
      "amax 1e-4 max amax 1e-4 max - amax 1e-4 max 448 / exponent-up pow2 amax ifzero", "", "",    \
      "x s /", "e s *", "",                                                                        \
      "vLLM", "0.27.1",                                                                            \
      "indexer_k_quant_and_cache with scales of powers of two",                                    \
      "ran interpreted: DeepSeek-V3, act_quant with ue8m0, 6 x 1,000,000 blocks, f32 10,452 "      \
      "differ "                                                                                    \
      "just above a power of two, 2026-11-22; source: vLLM 0.27.1, cache_kernels.cu",              \
      "log2f just above a power of two; " SF8_KV_NAN_OPEN)

/* vLLM on MI300. A half is divided by a float, so that the division is in f32, and the result is
 * rounded to half. */
#define SF8_RECIPES_KV_ROCM(X)                                                                     \
    SF8_RECIPE_KV(X, "kv-vllm-rocm", "e4m3fnuz", "hip-ocp", "", "", "x s /", "224",                \
                  "vLLM", "0.27.1", "reshape_and_cache on MI300, from bf16 and f32",               \
                  "source: vLLM 0.27.1, fp8/amd/quant_utils.cuh",                                  \
                  "whether the instruction is as the header's software")                           \
    SF8_RECIPE_KV(X, "kv-vllm-rocm-f16", "e4m3fnuz", "hip-ocp", "", "", "x s / f16",               \
                  "224",                                                                           \
                  "vLLM", "0.27.1", "reshape_and_cache on MI300, from f16",                        \
                  "source: vLLM 0.27.1, fp8/amd/quant_utils.cuh",                                  \
                  "as kv-vllm-rocm; whether a compiler divides in f16 at once")                    \
    SF8_RECIPE_KV(X, "kv-vllm-rocm-scaled", "e4m3fnuz", "hip-ocp", "", "1 s /",                    \
                  "x f * 224 min -224 max", "224",                                                 \
                  "vLLM", "0.27.1", "static_scaled_fp8_quant on MI300, scale inverted",            \
                  "source: vLLM 0.27.1, fp8/common.cuh",                                           \
                  "as kv-vllm-rocm; NaN elements")

/* SGLang: torch in the tensor's own format, and a cast without a clamp. The scale is a tensor on
 * the device, or a Python number. */
#define SF8_KV_SGLANG_OPEN                                                                         \
    "whether the scale is rounded to the tensor's format first; " SF8_KV_NAN_OPEN
#define SF8_KV_SGLANG_RAN                                                                          \
    "ran on a CPU: SGLang 0.5.23, set_kv_buffer with torch 2.15, 400,000 elements, 0 "             \
    "differences, "                                                                                \
    "2026-11-22"
#define SF8_KV_SGLANG_READ "source: SGLang, memory_pool.py, version not recorded"
#define SF8_RECIPES_KV_SGLANG_BY(X, half, suffix, policy, when, versions, evidence)                \
    SF8_RECIPE_KV(X, "kv-sglang-" half suffix, "e4m3", policy, "", "", "x s / " half, "448",       \
                  "SGLang", versions,                                                              \
                  "MHATokenToKVPool.set_kv_buffer, tensors of " half ", " when, evidence,          \
                  SF8_KV_SGLANG_OPEN)                                                              \
    SF8_RECIPE_KV(X, "kv-sglang-" half "-float" suffix, "e4m3", policy, "", "1 s /",               \
                  "x f * " half, "448", "SGLang", versions,                                        \
                  "MHATokenToKVPool.set_kv_buffer, its scale a number on the host, tensors of "    \
                  half ", " when, evidence, SF8_KV_NAN_OPEN)
#define SF8_RECIPES_KV_SGLANG(X)                                                                   \
    SF8_RECIPES_KV_SGLANG_BY(X, "bf16", "", "torch-2.13", "torch from 2.13", "0.5.23",             \
                             SF8_KV_SGLANG_RAN)                                                    \
    SF8_RECIPES_KV_SGLANG_BY(X, "f16", "", "torch-2.13", "torch from 2.13", "0.5.23",              \
                             SF8_KV_SGLANG_RAN)                                                    \
    SF8_RECIPES_KV_SGLANG_BY(X, "bf16", "-2.12", "torch-2.12", "torch up to 2.12", "not recorded", \
                             SF8_KV_SGLANG_READ)                                                   \
    SF8_RECIPES_KV_SGLANG_BY(X, "f16", "-2.12", "torch-2.12", "torch up to 2.12", "not recorded",  \
                             SF8_KV_SGLANG_READ)

/* mini-sglang: torch.clamp keeps NaN and limits larger values to 448, so that the cast saturates
 * with every version of torch. There is no scale; here it is 1. */
#define SF8_RECIPES_KV_MINI(X)                                                                     \
    X("kv-minisgl", "e4m3", "torch-2.13", "", 0, "f32", "ocp-nosat", "", "1", "", "", "x",         \
      "e s *", "per=none",                                                                         \
      "mini-sglang", "20fcd7f3",                                                                   \
      "its FP8 pool: x.clamp(-448, 448).to(float8_e4m3fn)",                                        \
      "ran on a CPU: mini-sglang 20fcd7f3, FP8 pool, 400,000 elements, 0 differences, 2026-11-22", \
      "there is no scale in the cache; " SF8_KV_NAN_OPEN)

/* TensorRT-LLM: the encode scale is rounded to the tensor's format, and so is the product. */
#define SF8_RECIPES_KV_TRTLLM(X)                                                                   \
    SF8_RECIPE_KV(X, "kv-trtllm-bf16", "e4m3", "cuda-satfinite", "", "1 s / bf16", "x f * bf16",   \
                  "448",                                                                           \
                  "TensorRT-LLM", "not recorded",                                                  \
                  "unfusedAttentionKernels, kvScaleOrigQuant, tensors of bf16",                    \
                  "source: TensorRT-LLM unfusedAttentionKernels, version not recorded",            \
                  "kvScaleQuantOrig is a number of its own there: 1/s and s here")                 \
    SF8_RECIPE_KV(X, "kv-trtllm-f16", "e4m3", "cuda-satfinite", "", "1 s / f16", "x f * f16",      \
                  "448",                                                                           \
                  "TensorRT-LLM", "not recorded",                                                  \
                  "unfusedAttentionKernels, kvScaleOrigQuant, tensors of f16",                     \
                  "source: TensorRT-LLM unfusedAttentionKernels, version not recorded",            \
                  "as kv-trtllm-bf16")                                                             \
    SF8_RECIPE_KV(X, "kv-trtllm-int8", "int8", "cuda-satfinite", "", "1 s /",                      \
                  "x f * rint 127 nmin -128 nmax", "127",                                          \
                  "TensorRT-LLM", "not recorded",                                                  \
                  "unfusedAttentionKernels, cvt.rni.sat.s8.f32; NaN 0",                            \
                  "source: TensorRT-LLM unfusedAttentionKernels, version not recorded",            \
                  "as kv-trtllm-bf16")

#define SF8_RECIPES_KV(X)                                                                          \
    SF8_RECIPES_KV_VLLM(X)                                                                         \
    SF8_RECIPES_KV_ROCM(X)                                                                         \
    SF8_RECIPES_KV_SGLANG(X)                                                                       \
    SF8_RECIPES_KV_MINI(X)                                                                         \
    SF8_RECIPES_KV_TRTLLM(X)

#endif
