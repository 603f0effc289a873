/* SPDX-License-Identifier: MIT */
/* recipes_frameworks.h -- FP8 of torchao, transformers, quanto and vLLM; MX and NVFP4 of NNCF, JAX
 * and others; recipes.h explains the rows
 *
 * These functions use torch on tensors of any format. The rows were compared with the products'
 * own code on a CPU, with torch 2.15.0. The tensors had weights, ties and their neighbours,
 * subnormal and huge numbers, zeros of both signs, infinities and NaN.
 */
#ifndef SOFTFP8_RECIPES_FRAMEWORKS_H
#define SOFTFP8_RECIPES_FRAMEWORKS_H

#define SF8_FRAMEWORKS_DATE ", 2026-11-30"
#define SF8_FRAMEWORKS_CLAMP " -448 nmax 448 nmin"
#define SF8_FRAMEWORKS_NAN "the sign of a NaN's code; devices and compiled code"

/* torchao's Float8Tensor rounds the scale to the format of the tensor. Then it divides in f32. For
 * a row on a GPU it may call a kernel of MSLK, which is another rule. */
#define SF8_RECIPE_TORCHAO_FP8(X, name, block, properties, granularity, blocks)                    \
    X(name, "e4m3", "cuda-satfinite", "", block, "f32", "ocp-nosat", "", "amax 448 / own", "", "", \
      "x s /" SF8_FRAMEWORKS_CLAMP, "e s * own", properties, "torchao", "0.18.0",                  \
      "Float8Tensor.from_hp, dequantize, granularity " granularity,                                \
      "ran on a CPU: torchao 0.18.0, Float8Tensor.from_hp and dequantize, " blocks                 \
      " of f32, bf16, f16, 0 differences but the sign of NaN" SF8_FRAMEWORKS_DATE,                 \
      "e5m2; the bounds of amax, which are optional; " SF8_FRAMEWORKS_NAN)

/* torchao's float8 training keeps f, by which elements are multiplied. A matrix product takes its
 * inverse, which is the scale here. It computes f in f64; the f32 operations of this row give the
 * same bits. */
#define SF8_TORCHAO_TRAINING "448 amax 1e-12 nmax /"
#define SF8_RECIPE_TORCHAO_TRAINING(X, name, f, how)                                               \
    X(name, "e4m3", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "", f " rcp", "", f,              \
      "x f *" SF8_FRAMEWORKS_CLAMP, "e s *", "amax=nan", "torchao", "0.18.0",                      \
      "hp_tensor_to_float8_dynamic with AXISWISE scaling" how                                      \
      "; the scale is the inverse of Float8TrainingTensor's",                                      \
      "ran on a CPU: torchao 0.18.0, hp_tensor_to_float8_dynamic" how                              \
      ", 18,432 rows of 128 of f32, bf16, f16, 0 differences but the sign of "                     \
      "NaN" SF8_FRAMEWORKS_DATE,                                                                   \
      "e5m2; to_original_precision, which divides by f; " SF8_FRAMEWORKS_NAN)

/* transformers computes f = 448 * (1 / amax), and f = 1 if amax is 0 or NaN. */
#define SF8_TRANSFORMERS_F "amax amax rcp 448 * 1 ifpos"
#define SF8_RECIPE_TRANSFORMERS(X, name, block, scale, scale_of, factor_of, properties, how,       \
                                blocks)                                                            \
    X(name, "e4m3", "cuda-satfinite", "", block, scale, "ocp-nosat", "", scale_of, "", factor_of,  \
      "x f *" SF8_FRAMEWORKS_CLAMP, "e s * own", "amax=nan" properties, "transformers", "5.24.0",  \
      "Fp8Quantize, Fp8Dequantize, weight_block_size " how,                                        \
      "ran on a CPU: transformers 5.24.0, Fp8Quantize and Fp8Dequantize, " blocks                  \
      " of f32, bf16, f16, 0 differences but the sign of NaN" SF8_FRAMEWORKS_DATE,                 \
      "matrices whose sides the block does not divide, which stay as they "                        \
      "are; " SF8_FRAMEWORKS_NAN)

/* NNCF, its path on numpy. A scale below the eps of f32, 2^-23, becomes that. Elements are divided
 * by the f32 scale, also in NVFP4, where e4m3 of scale / g is stored. e4m3 is rounded by way of
 * f16, as in OpenVINO. A code of e2m1 that rounds to 0 is 8, -0. */
#define SF8_NNCF_EVIDENCE(function, blocks)                                                        \
    "ran on a CPU: NNCF 3.4.0, do_float_quantization and do_float_dequantization with " function   \
    ", numpy without OpenVINO, " blocks " of f32, bf16, f16, 0 differences" SF8_FRAMEWORKS_DATE
#define SF8_NNCF_OPEN                                                                              \
    "its path with OpenVINO, which it takes if that is installed; NaN and infinite elements"
#define SF8_NNCF_POW2 " log2-ceil -127 nmax 127 nmin pow2"
#define SF8_NNCF_NEAREST "x f / x f / * 2^-4 - x f / 0 neg ifpos"
#define SF8_RECIPES_NNCF(X)                                                                        \
    X("nvfp4-nncf", "e2m1", "cuda-satfinite", "", 16, "e4m3", "ocp-nosat", "",                     \
      "amax 6 / 2^-23 nmax g / f16", "", "amax 6 / 2^-23 nmax", SF8_NNCF_NEAREST, "e s g * *",     \
      "g=decode amax=nan", "NNCF", "3.4.0", "do_float_quantization, CompressWeightsMode.NVFP4",    \
      SF8_NNCF_EVIDENCE("NVFP4", "12,288 blocks"), SF8_NNCF_OPEN,                                  \
      "amax 6 / 2^-23 nmax 448 / 2^-23 nmax")                                                      \
    X("mxfp4-nncf", "e2m1", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",                     \
      "amax 6 / 2^-23 nmax" SF8_NNCF_POW2, "", "s", SF8_NNCF_NEAREST, "e s *", "amax=nan", "NNCF", \
      "3.4.0", "do_float_quantization, CompressWeightsMode.MXFP4",                                 \
      SF8_NNCF_EVIDENCE("MXFP4", "12,288 blocks"), SF8_NNCF_OPEN)                                  \
    X("mxfp8-nncf", "e4m3", "ocp-nosat", "made_nan_sign=signed", 32, "e8m0", "ocp-nosat", "",      \
      "amax 448 / 2^-23 nmax" SF8_NNCF_POW2, "", "", "x s / f16", "e s *", "amax=nan", "NNCF",     \
      "3.4.0", "do_float_quantization, CompressWeightsMode.MXFP8_E4M3",                            \
      SF8_NNCF_EVIDENCE("MXFP8_E4M3", "12,288 blocks"), SF8_NNCF_OPEN)                             \
    X("fp8-group128-nncf", "e4m3", "ocp-nosat", "", 128, "f32", "ocp-nosat", "",                   \
      "amax 448 / 2^-23 nmax", "", "", "x s / f16", "e s *", "amax=nan", "NNCF", "3.4.0",          \
      "do_float_quantization, CompressWeightsMode.FP8_E4M3, group_size 128",                       \
      SF8_NNCF_EVIDENCE("FP8_E4M3", "12,288 groups"), SF8_NNCF_OPEN)

/* JAX. XLA multiplies by 1/6 and by 1/s where the source divides. In a block whose scale is 0 a
 * zero becomes NaN, for which e2m1 has no code: 8. Its MXFP8 and MXFP4 are mxfp8-e4m3-rceil and
 * mxfp4-rceil. */
#define SF8_RECIPES_JAX(X)                                                                         \
    X("nvfp4-jax", "e2m1", "cuda-satfinite", "missing_nan=neg-zero", 16, "e4m3", "cuda-satfinite", \
      "", "amax g / 1 6 / * 0 nmax 448 nmin", "", "", "x g / s rcp * -6 nmax 6 nmin", "e s * g *", \
      "g=decode amax=nan", "JAX", "0.12.0.1",                                                      \
      "quantize of scaled_matmul_stablehlo, nvfp4: jax.nn.scaled_dot_general",                     \
      "ran on a CPU: JAX 0.12.0.1, quantize of scaled_matmul_stablehlo with mode nvfp4, jit and "  \
      "not, 3 global scales, "                                                                     \
      "36,864 blocks of f32, bf16, f16, 0 differences but subnormal numbers of "                   \
      "f32" SF8_FRAMEWORKS_DATE,                                                                   \
      "subnormal numbers of f32, which XLA takes as 0; "                                           \
      "the value of a code; NaN and infinite elements",                                            \
      SF8_G_DECODES)

/* vLLM's scaled_quantize computes in the format of the tensor: f = 448 * (1 / amax). */
#define SF8_RECIPE_VLLM_SCALED(X, name, properties, shape, blocks)                                 \
    X(name, "e4m3", "cuda-satfinite", "", 128, "f32", "ocp-nosat", "",                             \
      "amax 1e-12 own nmax rcp own 448 * own rcp", "", "amax 1e-12 own nmax rcp own 448 * own",    \
      "x f * own" SF8_FRAMEWORKS_CLAMP, "e s *", "amax=nan" properties, "vLLM", "0.33.0",          \
      "scaled_quantize of quant_utils.py, group_shape " shape,                                     \
      "ran on a CPU: vLLM 0.33.0, scaled_quantize, " blocks " of f32, bf16, f16, 0 differences "   \
      "but the sign of NaN" SF8_FRAMEWORKS_DATE,                                                   \
      "compute_dtype other than the tensor's; " SF8_FRAMEWORKS_NAN)
#define SF8_RECIPES_VLLM_SCALED(X)                                                                 \
    SF8_RECIPE_VLLM_SCALED(X, "fp8-group128-vllm-scaled", "", "(1, 128)", "18,432 groups")         \
    SF8_RECIPE_VLLM_SCALED(X, "fp8-block128-vllm-scaled", " rows=128", "(128, 128)", "96 blocks")

/* SGLang's weights for AMD: amax is rounded as a bit pattern; codes that round to 0 have no sign.
 */
#define SF8_SGLANG_RNE "amax 2^-126 nmax exponent-even1"
#define SF8_SGLANG_NEAREST "x s / x s / * 2^-4 - x s / 0 ifpos"
#define SF8_RECIPES_FRAMEWORKS_FP4(X)                                                              \
    X("mxfp4-sglang-rne", "e2m1", "cuda-satfinite", "missing_nan=zero", 32, "e8m0", "ocp-nosat",   \
      "", SF8_SGLANG_RNE " 127 - 127 " SF8_SGLANG_RNE " 2 - ifpos 127 finite-or -127 max pow2",    \
      "", "", SF8_SGLANG_NEAREST, "e s *", "amax=nan", "SGLang", "0.5.23",                         \
      "_quantize_block_fp8_weight_to_mxfp4_rne of fp8_utils.py, behind block_quant_dequant",       \
      "ran on a CPU: SGLang 0.5.23, _quantize_block_fp8_weight_to_mxfp4_rne with scales of 1, "    \
      "49,152 blocks of "                                                                          \
      "f32, bf16, f16, 0 differences" SF8_FRAMEWORKS_DATE,                                         \
      "NaN elements")                                                                              \
    X("mxfp4-vllm-ultraquant", "e2m1", "cuda-satfinite", "round=rnz", 32, "e8m0", "ocp-nosat", "", \
      "amax 0 finite-or 0 amax 0.156 * 0x1.6a09e6p0 * log2-floor -126 max 127 min pow2 ifzero",    \
      "", "", "x s / 0.25 + 0 x s / max x s / 0x1.8p-24 x s / fma ifpos",                          \
      "s 2^-127 - 0 e s * ifzero", "amax=nan", "vLLM", "0.33.0",                                   \
      "ultraquant_encode of ultraquant/reference.py with rotate=False",                            \
      "ran on a CPU: vLLM 0.33.0, ultraquant_encode with rotate=False and ultraquant_dequant, "    \
      "49,152 blocks of "                                                                          \
      "f32, bf16, f16, 0 differences" SF8_FRAMEWORKS_DATE,                                         \
      "f32: amax some units of the last place beside 2^(k + 1/2) / 0.156, where log2 in f32 "      \
      "decides; its rotation; NaN and infinite elements")

/* comfy-kitchen's rows of int8: the scale is f32, and the division in the format of the tensor. */
#define SF8_RECIPES_FRAMEWORKS_ROWS(X)                                                             \
    X("int8-row-comfy-kitchen", "int8", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",           \
      "amax 127 / 1e-30 nmax", "", "s own 2^-126 own 2^-14 2^-126 own ifzero s own ifzero",        \
      "x f / own rint -128 nmax 127 nmin", "e s *", "amax=nan", "comfy-kitchen", "0.2.40",         \
      "quantize_int8_rowwise, eager",                                                              \
      "ran on a CPU: comfy-kitchen 0.2.40, quantize_int8_rowwise, 18,432 rows of 64 of f32, "      \
      "bf16, f16, 0 differences" SF8_FRAMEWORKS_DATE,                                              \
      "its rotation and stochastic rounding; its kernels for devices; NaN and infinite elements")  \
    SF8_RECIPE_QUANTO(X, "fp8-row-quanto", "e4m3", "448", "qfloat8_e4m3fn")                        \
    SF8_RECIPE_QUANTO(X, "fp8-e5m2-row-quanto", "e5m2", "57344", "qfloat8_e5m2")

/* optimum-quanto: a scale that rounds to 0 stays 0. */
#define SF8_RECIPE_QUANTO(X, name, element, most, type)                                            \
    X(name, element, "cuda-satfinite", "", 0, "f32", "ocp-nosat", "", "amax " most " / own", "",   \
      "", "x s / own -" most " nmax " most " nmin", "e s * own", "amax=nan", "optimum-quanto",     \
      "0.2.7", "AbsmaxOptimizer, quantize_symmetric with " type ", axis 0",                        \
      "ran on a CPU: optimum-quanto 0.2.7, AbsmaxOptimizer's rule and quantize_symmetric "         \
      "with " type ", 36,864 rows of 64 of f32, bf16, f16, 0 differences but the sign of "         \
      "NaN" SF8_FRAMEWORKS_DATE,                                                                   \
      SF8_FRAMEWORKS_NAN)

#define SF8_RECIPES_FRAMEWORKS(X)                                                                  \
    SF8_RECIPE_TORCHAO_FP8(X, "fp8-row-torchao", 0, "amax=nan", "PerRow", "18,432 rows of 128")    \
    SF8_RECIPE_TORCHAO_FP8(X, "fp8-group128-torchao", 128, "amax=nan", "PerBlock([1, 128])",       \
                           "18,432 groups")                                                        \
    SF8_RECIPE_TORCHAO_FP8(X, "fp8-block128-torchao", 128, "amax=nan rows=128",                    \
                           "PerBlock([128, 128])", "288 blocks")                                   \
    SF8_RECIPE_TORCHAO_TRAINING(X, "fp8-row-torchao-training", SF8_TORCHAO_TRAINING, "")           \
    SF8_RECIPE_TORCHAO_TRAINING(X, "fp8-row-torchao-training-pow2",                                \
                                SF8_TORCHAO_TRAINING " log2-floor pow2",                           \
                                " and round_scales_to_power_of_2")                                 \
    SF8_RECIPE_TRANSFORMERS(X, "fp8-group128-transformers", 128, "f32", SF8_TRANSFORMERS_F " rcp", \
                            SF8_TRANSFORMERS_F, "", "(1, 128)", "18,432 groups")                   \
    SF8_RECIPE_TRANSFORMERS(X, "fp8-block128-transformers", 128, "f32", SF8_TRANSFORMERS_F " rcp", \
                            SF8_TRANSFORMERS_F, " rows=128", "(128, 128)", "288 blocks")           \
    SF8_RECIPE_TRANSFORMERS(X, "fp8-block128-transformers-ue8m0", 128, "e8m0",                     \
                            SF8_TRANSFORMERS_F " rcp 2^-126 nmax log2-ceil pow2", "s rcp",         \
                            " rows=128", "(128, 128), scale_fmt ue8m0", "288 blocks")              \
    SF8_RECIPES_NNCF(X)                                                                            \
    SF8_RECIPES_JAX(X)                                                                             \
    SF8_RECIPES_VLLM_SCALED(X)                                                                     \
    SF8_RECIPES_FRAMEWORKS_FP4(X)                                                                  \
    SF8_RECIPES_FRAMEWORKS_ROWS(X)

#endif
