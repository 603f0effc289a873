/* SPDX-License-Identifier: MIT */
/* recipes_frameworks.h -- FP8 of torchao and transformers; recipes.h explains the rows
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
                            " rows=128", "(128, 128), scale_fmt ue8m0", "288 blocks")

#endif

