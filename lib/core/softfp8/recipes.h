/* SPDX-License-Identifier: MIT */
/* recipes.h -- the named recipes: how stacks quantize blocks
 *
 * A recipe is a row: its name; the elements, a format or "int4", "uint2"; the policy of their
 * conversion with the fields that are otherwise; how many elements have one scale, 0 for a row;
 * the scale's format, policy and fields; the programs of scale, offset, factor, element and value;
 * other properties; where the rule comes from; what in it is not established.
 *
 * `g` is the second scale as the stack is given it: an encode scale, 448 * 6 / amax of the tensor,
 * where the properties say g=encode, its inverse where they say g=decode; by g=encode-448 it is
 * 448 / amax; by g=given, g=given/224 it is handed in as such, see kv_recipes.h.
 *
 * Properties: amax=nan, a NaN of the block reaches the scale; zero=38, the code of a zero scale;
 * offset=word, offset=in-scale. What a row without blocks is: per=tensor, per=token with all its
 * heads, per=token-head; per=none, there is no scale in the cache. Blocks lie in a head of a token.
 */
#ifndef SOFTFP8_RECIPES_H
#define SOFTFP8_RECIPES_H

#include "kv_recipes.h"

/* NVFP4: 16 elements of e2m1, a scale of e4m3 without its sign, one f32 for the tensor.
 *
 * nvfp4-argmin: of the magnitudes 0, 1/2, ..., 6 in this order the one whose distance is the least,
 * the first of equal ones, so the lower in a tie; the sign is put on by x < 0. The distances of an
 * infinity are all infinite, and the first is 0. Those of NaN are all NaN, which torch.argmin takes
 * for less than any number, the first of them: 0 again, and NaN < 0 is false. */
#define SF8_RECIPES_NVFP4(X)                                                                       \
    X("nvfp4-vllm", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",                \
      "g amax 6 rcp~ * *", "", "s 0 s g rcp~ * rcp~ ifzero", "x f *", "e s * g /", "g=encode",     \
      "vLLM cvt_warp_fp16_to_fp4",                                                                 \
      "the last bit of the approximate reciprocals; the value of a "                               \
      "code, which the matrix product computes")                                                   \
    X("nvfp4-trtllm", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",              \
      "g amax 6 rcp~ * *", "", "amax 0 s g rcp~ * rcp~ ifzero", "x f *", "e s * g /", "g=encode",  \
      "TensorRT-LLM cvt_warp_fp16_to_fp4", "as nvfp4-vllm")                                        \
    X("nvfp4-te", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",                  \
      "amax g 1 6 / * * FLT_MAX min", "", "1 s 1 g / * / FLT_MAX min", "x f *", "e s * g /",       \
      "g=encode", "Transformer Engine; TensorRT-LLM without fast math in quantization",            \
      "the value of a code")                                                                       \
    X("nvfp4-modelopt", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",            \
      "amax 6 g * / 1 amax 6 g * / ifzero", "", "s g *", "x f / 0 +", "e s g * *",                 \
      "g=decode amax=nan", "ModelOpt NVFP4QTensor",                                                \
      "a scale above 448 is NaN there before torch 2.13")                                          \
    X("nvfp4-argmin", "e2m1", "cuda-satfinite", "round=rnz missing_nan=zero inf=zero", 16,         \
      "e4m3", "cuda-satfinite", "", "amax 6 g * /", "", "s g *", "x f / 0 +", "e s g * *",         \
      "g=decode amax=nan",                                                                         \
      "a loader of checkpoints that takes the nearest of 0 to 6 by argmin over the distances: "    \
      "the arithmetic of that search",                                                             \
      "quotients above 2^25, where distances in f32 meet and the first is taken, 0 from 2^27 "     \
      "on: the largest here; distances in fewer bits")                                             \
    X("nvfp4-compressed", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",          \
      "g amax 6 / *", "", "s g /", "x f /", "e f *", "g=encode zero=20 amax=nan",                  \
      "compressed-tensors",                                                                        \
      "the codes of NaN elements; whether a version takes the scale 20 for NaN")                   \
    X("nvfp4-compressed-bf16", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",     \
      "g amax 6 / *", "", "s g /", "x f / bf16", "e f *", "g=encode zero=20 amax=nan",             \
      "compressed-tensors, its Triton kernel on tensors of bf16", "as nvfp4-compressed")           \
    X("nvfp4-trtllm-ue8m0", "e2m1", "cuda-satfinite", "", 16, "e8m0", "cuda-satfinite",            \
      "round=ru", "g amax 6 rcp~ * *", "", "amax 0 s g rcp~ * rcp~ ifzero", "x f *", "e s * g /",  \
      "g=encode", "TensorRT-LLM cvt_warp_fp16_to_fp4 with scales of powers of two",                \
      "as nvfp4-vllm; the reader of the scale 00; g is 1 where there is none")                     \
    X("mxfp4-trtllm", "e2m1", "cuda-satfinite", "", 32, "e8m0", "cuda-satfinite", "round=ru",      \
      "g amax 6 rcp~ * *", "", "amax 0 s g rcp~ * rcp~ ifzero", "x f *", "e s * g /", "g=encode",  \
      "the same, 32 elements with one scale", "as nvfp4-trtllm-ue8m0")                             \
    X("nvfp4-torchao", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",             \
      "amax 6 / g / 2^-6 nmax 448 nmin", "", "1 g / s /", "x f * -6 nmax 6 nmin", "e s g * *",     \
      "g=decode amax=nan", "torchao nvfp4_tensor",                                                 \
      "the codes beside a NaN scale: by the NaN's payload there, 3 or 4, 7 here; versions that "   \
      "divide by g s")                                                                             \
    X("nvfp4-torchao-bf16", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",        \
      "amax 6 / g / 2^-6 nmax 448 nmin", "", "1 g / s /", "x f * -6 nmax 6 nmin",                  \
      "e s g * bf16 *", "g=decode amax=nan",                                                       \
      "torchao nvfp4_tensor of a tensor of bf16: its reader rounds s g", "as nvfp4-torchao")       \
    X("nvfp4-flashinfer", "e2m1", "cuda-satfinite", "missing_nan=zero", 16, "e4m3",                \
      "cuda-satfinite", "", "amax 6 g * /", "", "s 0 1 s g * / ifzero", "x f *", "e s * g *",      \
      "g=decode", "FlashInfer append to a paged cache",                                            \
      "it is built with approximate division; here it is exact")                                   \
    X("nvfp4-flashinfer-paged", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",    \
      "g amax 6 rcp~ * *", "", "amax 0 s g rcp~ * rcp~ ifzero", "x f *", "e s * 1 g / *",          \
      "g=encode-448",                                                                              \
      "FlashInfer nvfp4_quantize_paged_kv_cache: the kernel is TensorRT-LLM's, "                   \
      "g without the 6, so that scales end at 75",                                                 \
      "the last bit of the approximate reciprocals")

/* MX: 32 elements, a scale of e8m0: a power of two from the exponent of the largest magnitude, less
 * that of the format's largest number, emax. What is too small is 2^-127, what is not finite NaN.
 */
#define SF8_RECIPE_MX(X, name, element, scale_of, round, source, open)                             \
    X(name, element, "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", round, scale_of, "", "",       \
      "x s /", "e s *", "amax=nan", source, open)
#define SF8_MX_OPEN                                                                                \
    "values in f16: torchao rounds the scale to it first; the codes of e2m1, e3m2, e2m3 beside a " \
    "NaN scale; versions of torchao that divide by 2^-126 "                                        \
    "where the scale is 2^-127"
#define SF8_RECIPES_MX_OF(X, name, element, emax, max, even)                                       \
    SF8_RECIPE_MX(X, name "-floor", element, "amax exponent " emax " - pow2", "",                  \
                  "OCP MX 1.0, section 6.3; torchao FLOOR", SF8_MX_OPEN)                           \
    SF8_RECIPE_MX(X, name "-even", element, "amax " even " " emax " - pow2", "", "torchao EVEN",   \
                  SF8_MX_OPEN)                                                                     \
    SF8_RECIPE_MX(X, name "-ceil", element, "amax exponent-up " emax " - pow2", "",                \
                  "torchao CEIL", SF8_MX_OPEN)                                                     \
    SF8_RECIPE_MX(X, name "-rceil", element, "amax 1 " max " / *", "round=ru",                     \
                  "torchao RCEIL; cuBLAS; TensorRT-LLM",                                           \
                  "the codes of e2m1, e3m2, e2m3 beside a NaN scale")
#define SF8_RECIPES_MX(X)                                                                          \
    SF8_RECIPES_MX_OF(X, "mxfp4", "e2m1", "2", "6", "exponent-even1")                              \
    SF8_RECIPES_MX_OF(X, "mxfp6-e3m2", "e3m2", "4", "28", "exponent-even2")                        \
    SF8_RECIPES_MX_OF(X, "mxfp6-e2m3", "e2m3", "2", "7.5", "exponent-even3")                       \
    SF8_RECIPES_MX_OF(X, "mxfp8-e4m3", "e4m3", "8", "448", "exponent-even3")                       \
    SF8_RECIPES_MX_OF(X, "mxfp8-e5m2", "e5m2", "15", "57344", "exponent-even2")                    \
    X("mxint8-floor", "int8", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",                   \
      "amax exponent pow2", "", "", "x s / 64 * rint 127 min -127 max", "e s * 64 /", "amax=nan",  \
      "OCP MX 1.0, ties to even", "whether -128 is used: not here")                                \
    X("mxfp4-vllm", "e2m1", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",                     \
      "amax exponent-even1 2 - pow2", "", "", "s 2^-127 - 0 x s / ifzero",                         \
      "s 2^-127 - 0 e s * ifzero", "amax=nan",                                                     \
      "vLLM MXFP4: as mxfp4-even, but the scale 00 stands for 0", "NaN and infinite elements")     \
    X("sglang-kvfp4", "e2m1", "cuda-satfinite", "round=rna missing_nan=zero", 16, "e8m0",          \
      "ocp-nosat", "", "amax 6 / 1e-10 nmax exponent-up pow2", "", "", "x s / 0 +", "e s *",       \
      "amax=nan", "SGLang KVFP4QuantizeUtil",                                                      \
      "log2 just above a power of two, and amax / 6 where it is compiled; the "                    \
      "scale's code, NaN or infinity made an integer: ff here")

/* microxcaling: the exponent is the floor of a log2 in f32, elements are rounded by adding 1/2 of
 * the last place and cutting. In f32 that sum is 1 too for what is just below 1/2 of the least
 * subnormal, `under` for `half`. -0 becomes 0. */
#define SF8_RECIPE_MICRO(X, name, element, emax, half, under)                                      \
    X(name "-microxcaling", element, "cuda-satfinite", "round=rna", 32, "e8m0", "ocp-nosat", "",   \
      "amax 2^-126 amax ifzero log2-floor " emax " - pow2", "", "",                                \
      "x s / " under " - " half " x s / " under " + " half " neg x s / ifzero ifzero 0 +",         \
      "e s *", "amax=nan", "microxcaling mx_ops.py, round nearest, on tensors of f32",             \
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
      "x s / 64 * half trunc 127 nmin -127 nmax", "e s * 64 /", "amax=nan",                        \
      "microxcaling mx_ops.py, round nearest, on tensors of f32", SF8_MICRO_OPEN)

/* Blocks of 8-bit codes with a scale of f32. */
#define SF8_RECIPES_BYTES(X)                                                                       \
    X("fp8-group128", "e4m3", "cuda-satfinite", "", 128, "f32", "ocp-nosat", "",                   \
      "amax 1e-10 max 448 /", "", "", "x s / 448 min -448 max", "e s *", "",                       \
      "vLLM per_token_group_quant_8bit, eps 1e-10", "NaN elements")                                \
    X("fp8-group128-ue8m0", "e4m3", "cuda-satfinite", "", 128, "e8m0", "ocp-nosat", "",            \
      "amax 1e-10 max 448 / 1e-10 max exponent-up pow2", "", "", "x s / 448 min -448 max",         \
      "e s *", "", "vLLM per_token_group_quant_8bit with scales of powers of two",                 \
      "log2f just above a power of two; NaN elements")                                             \
    X("fp8-per-token", "e4m3", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",                    \
      "amax 448 / 1 229376 / max", "", "", "x s / 448 min -448 max", "e s *", "per=token",         \
      "vLLM dynamic_per_token_scaled_fp8_quant",                                                   \
      "the upper bound of the scale, which is optional")                                           \
    X("fp8-per-token-head", "e4m3", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",               \
      "amax 448 / 1e-6 max", "", "1 s /", "x f * 448 min -448 max", "e s *", "per=token-head",     \
      "vLLM fp8_per_token_head", "NaN elements")                                                   \
    X("int8-per-token-head", "int8", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",              \
      "amax 127 / 1e-6 max", "", "1 s /", "x f * half trunc 127 min -128 max", "e s *",            \
      "per=token-head",                                                                            \
      "vLLM int8_per_token_head", "NaN elements")

/* Integers with an offset. */
#define SF8_KVQUANT_OPEN                                                                           \
    "there are no codes there, only values: the code of NaN is 0 here, which reads 0 as well"
#define SF8_RECIPES_INT(X)                                                                         \
    X("int4-per-token-head", "uint4", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",             \
      "high low - 15 / 1e-6 max", "low neg s / half trunc 15 min 0 max", "1 s /",                  \
      "x f * o + half trunc 15 min 0 max", "e o - s *", "offset=in-scale per=token-head",          \
      "vLLM int4_per_token_head, behind its rotation", "NaN elements")                             \
    X("kivi-int4", "uint4", "cuda-satfinite", "", 32, "f16", "ocp-nosat", "",                      \
      "high low - f16 1 15 / * f16", "low", "", "x low - f16 s / f16 0 nmax 15 nmin rint",         \
      "e s * f16 o + f16", "offset=f16", "KIVI new_pack.py on a GPU",                              \
      "where all elements are the same a conversion of NaN to an integer: 0 here")                 \
    X("kivi-int2", "uint2", "cuda-satfinite", "", 32, "f16", "ocp-nosat", "",                      \
      "high low - f16 1 3 / * f16", "low", "", "x low - f16 s / f16 0 nmax 3 nmin rint",           \
      "e s * f16 o + f16", "offset=f16", "KIVI new_pack.py on a GPU", "as kivi-int4")              \
    X("kvquant-int4", "uint4", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "", "15 high low - /", \
      "low s *", "", "s x * o - rint 0 nmax 15 nmin", "e o + s / finite-or-0",                     \
      "offset=f32 amax=nan per=token",                                                             \
      "KVQuant quant_fn_zp without clamp, its outliers left out",                                  \
      SF8_KVQUANT_OPEN)                                                                            \
    X("kvquant-int4-clamp", "uint4", "cuda-satfinite", "", 0, "f32", "ocp-nosat", "",              \
      "15 high low - /", "low s * rint -15 nmax 0 nmin", "", "s x * o - rint 0 nmax 15 nmin",      \
      "e o + s / finite-or-0", "offset=f32 amax=nan per=token",                                    \
      "KVQuant quant_fn_zp with clamp, its outliers left out", SF8_KVQUANT_OPEN)

#define SF8_RECIPES(X)                                                                             \
    SF8_RECIPES_NVFP4(X)                                                                           \
    SF8_RECIPES_MX(X)                                                                              \
    SF8_RECIPES_MICRO(X)                                                                           \
    SF8_RECIPES_BYTES(X)                                                                           \
    SF8_RECIPES_INT(X)                                                                             \
    SF8_RECIPES_KV(X)

#endif
