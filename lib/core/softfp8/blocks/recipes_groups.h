/* SPDX-License-Identifier: MIT */
/* recipes_groups.h -- 8-bit codes with a scale of f32 for a group of 64 or 128 elements of a row,
 * or for a block of 128 x 128 elements of a matrix of weights
 *
 * These functions of SGLang, vLLM and DeepSeek look alike and do not give the same bits. They
 * divide amax by 448 or multiply it by 1/448, and they divide an element by the scale or multiply
 * it by an inverse. recipes.h explains the rows.
 */
#ifndef SOFTFP8_RECIPES_GROUPS_H
#define SOFTFP8_RECIPES_GROUPS_H

/* A scale of f32 that is stored as it was computed. */
#define SF8_RECIPE_GROUP(X, name, element, block, scale_of, factor_of, element_of, properties,     \
                         product, versions, source, evidence, open)                                \
    X(name, element, "cuda-satfinite", "", block, "f32", "ocp-nosat", "", scale_of, "", factor_of, \
      element_of, "e s *", properties, product, versions, source, evidence, open)

#define SF8_GROUP_FP8 "-448 max 448 min"
#define SF8_GROUP_INT8 "-128 max 127 min trunc"
#define SF8_GROUP_RAN(blocks) blocks " blocks of f32, bf16, f16, 0 differences, 2026-11-22"
#define SF8_GROUP_TRITON_OPEN                                                                      \
    "the Triton source ran as torch on a CPU, which divides correctly: / is div.full.f32 on "      \
    "NVIDIA, which may miss the last bits; NaN elements"

/* SGLang's Triton kernels, which run on ROCm and XPU and are the reference of its tests. The first
 * two are one kernel, which multiplies by 1/s. Integers are truncated, not rounded. */
#define SF8_RECIPES_GROUPS_SGLANG_TRITON(X)                                                        \
    SF8_RECIPE_GROUP(X, "fp8-group64-sglang-triton", "e4m3", 64, "amax 1e-10 max 448 /", "1 s /",  \
                     "x f * " SF8_GROUP_FP8, "", "SGLang", "0.5.23",                               \
                     "_per_token_group_quant_8bit in Triton, groups of 64",                        \
                     "verified interpreted: SGLang 0.5.23, _per_token_group_quant_8bit, "          \
                     SF8_GROUP_RAN("3 x 65,536"), SF8_GROUP_TRITON_OPEN)                           \
    SF8_RECIPE_GROUP(X, "fp8-group128-sglang-triton", "e4m3", 128, "amax 1e-10 max 448 /",         \
                     "1 s /", "x f * " SF8_GROUP_FP8, "", "SGLang", "0.5.23",                      \
                     "_per_token_group_quant_8bit in Triton, groups of 128",                       \
                     "verified interpreted: SGLang 0.5.23, _per_token_group_quant_8bit, "          \
                     SF8_GROUP_RAN("3 x 32,768"), SF8_GROUP_TRITON_OPEN)                           \
    SF8_RECIPE_GROUP(X, "fp8-group128-sglang-triton-ue8m0", "e4m3", 128,                           \
                     "amax 1e-10 max 448 / log2-ceil pow2", "", "x s / " SF8_GROUP_FP8, "",        \
                     "SGLang", "0.5.23",                                                           \
                     "_per_token_group_quant_8bit_colmajor in Triton with SCALE_UE8M0; without "   \
                     "it, it is fp8-group128",                                                     \
                     "verified interpreted: SGLang 0.5.23, _per_token_group_quant_8bit_colmajor, " \
                     SF8_GROUP_RAN("3 x 32,768"),                                                  \
                     "log2 of a device just above a power of two; " SF8_GROUP_TRITON_OPEN)         \
    SF8_RECIPE_GROUP(X, "int8-group128-sglang-triton", "int8", 128, "amax 1e-10 max 127 /",        \
                     "1 s /", "x f * " SF8_GROUP_INT8, "", "SGLang", "0.5.23",                     \
                     "_per_token_group_quant_8bit in Triton with int8: it does not round",         \
                     "verified interpreted: SGLang 0.5.23, _per_token_group_quant_8bit with "      \
                     "int8, "                                                                      \
                     SF8_GROUP_RAN("3 x 32,768"), SF8_GROUP_TRITON_OPEN)                           \
    SF8_RECIPE_GROUP(X, "int8-per-token-sglang", "int8", 0, "amax 1e-10 max 127 /",                \
                     "127 amax 1e-10 max /", "x f * round", "per=token", "SGLang", "0.5.23",       \
                     "_per_token_quant_int8 in Triton",                                            \
                     "verified interpreted: SGLang 0.5.23, _per_token_quant_int8, 3 x 1,024 "      \
                     "rows of 4,096 of "                                                           \
                     "f32, bf16, f16, 0 differences, 2026-11-22", SF8_GROUP_TRITON_OPEN)

/* What SGLang runs on CUDA. Both scales, the stored one and the one to multiply by, are computed
 * from amax separately, so that the second is not the inverse of the first. The kernel for packed
 * scales multiplies in the format of the tensor. */
#define SF8_GROUP_CUDA_RAN ", " SF8_GROUP_RAN("3 x 32,768")
#define SF8_GROUP_CUDA_OPEN                                                                        \
    "only the functions of the scale are the product's, product and cast are torch's; the kernel " \
    "is built with --use_fast_math, so the last bit and subnormals of a quotient are open"
#define SF8_RECIPES_GROUPS_SGLANG(X)                                                               \
    SF8_RECIPE_GROUP(X, "fp8-group128-sglang", "e4m3", 128, "amax 1e-10 max 1 448 / *",            \
                     "448 amax 1e-10 max /~", "x f * 448 min", "", "SGLang", "0.5.23",             \
                     "per_token_group_quant.cuh on CUDA; groups of 16, 32, 64, 256 likewise",      \
                     "verified compiled for a CPU: SGLang 0.5.23, scale functions of "             \
                     "per_token_group_quant_8bit_v2.cuh"                                           \
                     SF8_GROUP_CUDA_RAN                                                            \
                     "; source: SGLang 0.5.23, per_token_group_quant.cuh",                         \
                     SF8_GROUP_CUDA_OPEN "; a NaN element of bf16 stays NaN there")                \
    SF8_RECIPE_GROUP(X, "fp8-group128-sglang-ue8m0", "e4m3", 128,                                  \
                     "amax 1e-10 max 1 448 / * exponent-up pow2", "s rcp",                         \
                     "x f * " SF8_GROUP_FP8, "", "SGLang", "0.5.23",                               \
                     "per_token_group_quant_8bit_v2.cuh on CUDA, powers of two stored as f32",     \
                     "verified compiled for a CPU: SGLang 0.5.23, scale functions of "             \
                     "per_token_group_quant_8bit_v2.cuh"                                           \
                     SF8_GROUP_CUDA_RAN, SF8_GROUP_CUDA_OPEN "; NaN elements")                     \
    SF8_RECIPE_GROUP(X, "fp8-group128-sglang-ue8m0-packed", "e4m3", 128,                           \
                     "amax 1e-10 max 1 448 / * exponent-up pow2", "s rcp own",                     \
                     "x f * own 448 min", "", "SGLang", "0.5.23",                                  \
                     "per_token_group_quant.cuh on CUDA, tensors of bf16 and f16, exponents of "   \
                     "scales packed by four",                                                      \
                     "verified compiled for a CPU: SGLang 0.5.23, scale functions of "             \
                     "deepseek_v4/fp8_utils.cuh"                                                   \
                     SF8_GROUP_CUDA_RAN, SF8_GROUP_CUDA_OPEN "; a NaN element of bf16 stays NaN "  \
                     "there")                                                                      \
    SF8_RECIPE_GROUP(X, "int8-group128-sglang", "int8", 128, "amax 1e-10 max 1 127 / *",           \
                     "127 amax 1e-10 max /~", "x f * " SF8_GROUP_INT8, "", "SGLang", "0.5.23",     \
                     "per_token_group_quant_8bit_v2.cuh on CUDA with int8: it does not round",     \
                     "verified compiled for a CPU: SGLang 0.5.23, scale functions of "             \
                     "per_token_group_quant_8bit_v2.cuh"                                           \
                     SF8_GROUP_CUDA_RAN, SF8_GROUP_CUDA_OPEN "; NaN elements")

/* What vLLM uses where its native kernel, fp8-group128, is not available. */
#define SF8_GROUP_VLLM_RAN(function, blocks)                                                       \
    "verified interpreted: vLLM 0.33.0, " function ", " SF8_GROUP_RAN(blocks)
#define SF8_RECIPES_GROUPS_VLLM(X)                                                                 \
    SF8_RECIPE_GROUP(X, "fp8-group64-vllm-triton", "e4m3", 64, "amax 1e-10 max 1 448 / *", "",     \
                     "x s / " SF8_GROUP_FP8, "", "vLLM", "0.33.0",                                 \
                     "_per_token_group_quant_fp8 in Triton, groups of 64",                         \
                     SF8_GROUP_VLLM_RAN("_per_token_group_quant_fp8", "3 x 65,536"),               \
                     SF8_GROUP_TRITON_OPEN)                                                        \
    SF8_RECIPE_GROUP(X, "fp8-group128-vllm-triton", "e4m3", 128, "amax 1e-10 max 1 448 / *", "",   \
                     "x s / " SF8_GROUP_FP8, "", "vLLM", "0.33.0",                                 \
                     "_per_token_group_quant_fp8 and ..._colmajor in Triton, groups of 128",       \
                     SF8_GROUP_VLLM_RAN("_per_token_group_quant_fp8 and ..._colmajor",             \
                                        "2 x 3 x 32,768"),                                         \
                     SF8_GROUP_TRITON_OPEN)                                                        \
    SF8_RECIPE_GROUP(X, "fp8-group128-vllm-triton-ue8m0", "e4m3", 128,                             \
                     "amax 1e-10 max 1 448 / * log2-ceil pow2", "", "x s / " SF8_GROUP_FP8, "",    \
                     "vLLM", "0.33.0",                                                             \
                     "_per_token_group_quant_fp8 and ..._colmajor in Triton with use_ue8m0",       \
                     SF8_GROUP_VLLM_RAN("_per_token_group_quant_fp8 and ..._colmajor, use_ue8m0",  \
                                        "2 x 3 x 32,768"),                                         \
                     "log2 of a device just above a power of two; " SF8_GROUP_TRITON_OPEN)         \
    SF8_RECIPE_GROUP(X, "int8-group128-vllm-triton", "int8", 128, "amax 1e-10 max 127 /", "",      \
                     "x s / " SF8_GROUP_INT8, "", "vLLM", "0.33.0",                                \
                     "_per_token_group_quant_int8 in Triton, as SGLang 0.5.23 has it too: it "     \
                     "does not round",                                                             \
                     SF8_GROUP_VLLM_RAN("_per_token_group_quant_int8", "3 x 32,768")               \
                     "; ran interpreted: SGLang 0.5.23, _per_token_group_quant_int8, "             \
                     SF8_GROUP_RAN("3 x 32,768"), SF8_GROUP_TRITON_OPEN)

/* DeepSeek-V3 divides amax by 448 and uses log2. V3.2 multiplies by 1/448 and reads the exponent
 * bits. */
#define SF8_DEEPSEEK_TILELANG_RAN                                                                  \
    "verified interpreted: DeepSeek-V3.2-Exp 3b99a53, act_quant_kernel, 55,296 blocks of f32, "    \
    "bf16, f16, 0 "                                                                                \
    "differences, 2026-11-22"
#define SF8_DEEPSEEK_TILELANG_OPEN                                                                 \
    "the TileLang source ran with torch on a CPU in place of TileLang; NaN and infinite elements"
#define SF8_RECIPES_GROUPS_DEEPSEEK(X)                                                             \
    SF8_RECIPE_GROUP(X, "fp8-group128-deepseek", "e4m3", 128, "amax 1e-4 max 448 /", "", "x s /",  \
                     "", "DeepSeek-V3", "9b4e978",                                                 \
                     "inference/kernel.py act_quant, blocks of 1 x 128; kv-vllm-indexer is the "   \
                     "same rule",                                                                  \
                     "verified interpreted: DeepSeek-V3 9b4e978, act_quant, 163,840 blocks of "    \
                     "f32, bf16, "                                                                 \
                     "f16, 0 differences, 2026-11-22", SF8_GROUP_TRITON_OPEN)                      \
    SF8_RECIPE_GROUP(X, "fp8-group128-deepseek-ue8m0", "e4m3", 128,                                \
                     "amax 1e-4 max 448 / log2-ceil pow2", "", "x s /", "", "DeepSeek-V3",         \
                     "9b4e978",                                                                    \
                     "inference/kernel.py act_quant with scale_fmt ue8m0, powers of two stored "   \
                     "as f32",                                                                     \
                     "verified interpreted: DeepSeek-V3 9b4e978, act_quant with ue8m0, 163,840 "   \
                     "blocks of "                                                                  \
                     "f32, bf16, f16, 0 differences, 2026-11-22",                                  \
                     "log2 of a device just above a power of two; " SF8_GROUP_TRITON_OPEN)         \
    SF8_RECIPE_GROUP(X, "fp8-group128-deepseek-v3.2", "e4m3", 128, "amax 1e-4 max 1 448 / *", "",  \
                     "x s / " SF8_GROUP_FP8, "", "DeepSeek-V3.2-Exp", "3b99a53",                   \
                     "inference/kernel.py act_quant_kernel in TileLang, blocks of 1 x 128",        \
                     SF8_DEEPSEEK_TILELANG_RAN, SF8_DEEPSEEK_TILELANG_OPEN)                        \
    SF8_RECIPE_GROUP(X, "fp8-group128-deepseek-v3.2-ue8m0", "e4m3", 128,                           \
                     "amax 1e-4 max 1 448 / * exponent-up pow2", "", "x s / " SF8_GROUP_FP8, "",   \
                     "DeepSeek-V3.2-Exp", "3b99a53",                                               \
                     "inference/kernel.py act_quant_kernel with scale_fmt, powers of two by the "  \
                     "bits, stored as f32; finite elements as by fp8-group128-deepgemm-ue8m0",     \
                     SF8_DEEPSEEK_TILELANG_RAN, SF8_DEEPSEEK_TILELANG_OPEN)

/* DeepGEMM multiplies by 1/s, DeepSeek-V3 divides by s. Powers of two are found by the exponent
 * bits. */
#define SF8_RECIPES_GROUPS_DEEPGEMM(X)                                                             \
    SF8_RECIPE_GROUP(X, "fp8-group128-deepgemm", "e4m3", 128, "amax 1e-4 max 448 /", "1 s /",      \
                     "x f *", "", "DeepGEMM", "vLLM 0.33.0's copy",                                \
                     "utils/math.py per_token_cast_to_fp8, gran_k 128",                            \
                     "verified on a CPU: DeepGEMM in vLLM 0.33.0, per_token_cast_to_fp8, "         \
                     SF8_GROUP_RAN("3 x 32,768"),                                                  \
                     "amax / 448 on a device, where torch without a compiler multiplies by "       \
                     "1/448; NaN elements")                                                        \
    SF8_RECIPE_GROUP(X, "fp8-group128-deepgemm-ue8m0", "e4m3", 128,                                \
                     "amax 1e-4 max 448 / exponent-up pow2", "1 s /", "x f *", "", "DeepGEMM",     \
                     "vLLM 0.33.0's copy",                                                         \
                     "utils/math.py per_token_cast_to_fp8 with use_ue8m0, gran_k 128",             \
                     "verified on a CPU: DeepGEMM in vLLM 0.33.0, per_token_cast_to_fp8 with "     \
                     "use_ue8m0, "                                                                 \
                     SF8_GROUP_RAN("3 x 32,768"),                                                  \
                     "amax / 448 on a device, where torch without a compiler multiplies by "       \
                     "1/448; NaN elements")

/* Weights in blocks of 128 x 128: amax is that of the block. The casts of vLLM and SGLang are
 * copies of DeepGEMM's that differ in the inverse and in the powers of two. They do not clamp,
 * since 448 is never exceeded by more than a rounding error. */
#define SF8_RECIPE_BLOCK128(X, name, scale_of, factor_of, product, versions, source, ran, open)    \
    SF8_RECIPE_GROUP(X, name, "e4m3", 128, scale_of, factor_of, "x f *", "rows=128", product,      \
                     versions, source,                                                             \
                     "verified on a CPU: " ran ", 1,280 blocks of 128 x 128 of f32, bf16, f16, 0 " \
                     "differences, 2026-11-22",                                                    \
                     open "amax / 448 on a device, where torch without a compiler multiplies by "  \
                          "1/448; NaN elements")
#define SF8_RECIPES_BLOCK128(X)                                                                    \
    SF8_RECIPE_BLOCK128(X, "fp8-block128-vllm", "amax 1e-4 max 448 /", "1 s /", "vLLM", "0.33.0",  \
                        "utils/deep_gemm.py per_block_cast_to_fp8, which is DeepGEMM's",           \
                        "vLLM 0.33.0, per_block_cast_to_fp8",                                      \
                        "the rule behind the weights that DeepSeek-V3 ships: only their reader, "  \
                        "weight_dequant, is public; ")                                             \
    SF8_RECIPE_BLOCK128(X, "fp8-block128-vllm-ue8m0", "amax 1e-4 max 448 / log2-ceil pow2",        \
                        "1 s /", "vLLM", "0.33.0",                                                 \
                        "utils/deep_gemm.py per_block_cast_to_fp8 with use_ue8m0",                 \
                        "vLLM 0.33.0, per_block_cast_to_fp8 with use_ue8m0",                       \
                        "log2 of a device just above a power of two; ")                            \
    SF8_RECIPE_BLOCK128(X, "fp8-block128-deepgemm", "amax 1e-4 max 448 /", "1 s /", "DeepGEMM",    \
                        "vLLM 0.33.0's copy",                                                      \
                        "utils/math.py per_block_cast_to_fp8; fp8-block128-vllm is the same rule", \
                        "DeepGEMM in vLLM 0.33.0, per_block_cast_to_fp8", "")                      \
    SF8_RECIPE_BLOCK128(X, "fp8-block128-deepgemm-ue8m0", "amax 1e-4 max 448 / exponent-up pow2",  \
                        "1 s /", "DeepGEMM", "vLLM 0.33.0's copy",                                 \
                        "utils/math.py per_block_cast_to_fp8 with use_ue8m0",                      \
                        "DeepGEMM in vLLM 0.33.0, per_block_cast_to_fp8 with use_ue8m0", "")       \
    SF8_RECIPE_BLOCK128(X, "fp8-block128-sglang", "amax 1e-4 max 448 /",                           \
                        "amax 1e-4 max rcp 448 *", "SGLang", "0.5.23",                             \
                        "benchmark/deepseek_utils.py per_block_cast_to_fp8",                       \
                        "SGLang 0.5.23, per_block_cast_to_fp8", "")

#define SF8_RECIPES_GROUPS(X)                                                                      \
    SF8_RECIPES_GROUPS_SGLANG_TRITON(X)                                                            \
    SF8_RECIPES_GROUPS_SGLANG(X)                                                                   \
    SF8_RECIPES_GROUPS_VLLM(X)                                                                     \
    SF8_RECIPES_GROUPS_DEEPSEEK(X)                                                                 \
    SF8_RECIPES_GROUPS_DEEPGEMM(X)                                                                 \
    SF8_RECIPES_BLOCK128(X)

#endif
