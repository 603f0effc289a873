/* SPDX-License-Identifier: MIT */
/* recipes_engines.h -- vLLM 0.33, the triton_kernels that it contains, FlashInfer: NVFP4, MXFP4,
 * MXFP8, and the values of a TurboQuant cache; recipes.h explains the rows */
#ifndef SOFTFP8_RECIPES_ENGINES_H
#define SOFTFP8_RECIPES_ENGINES_H

/* vLLM. The scale of mxfp4-vllm-downcast stays finite: where amax rounds up to 2^128, it is 2^127.
 * nvfp4-vllm-ref multiplies by 1 / 1e8 where s / g is 0. The scale of ds-mla is rounded up, so that
 * no element is clipped. */
#define SF8_ENGINES_VLLM_RAN(how, what)                                                            \
    "verified " how ": vLLM 0.33.0, " what ", 0 differences, 2026-11-22"
#define SF8_RECIPES_ENGINES_VLLM(X)                                                                \
    X("mxfp8-e4m3-vllm", "e4m3", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",                \
      "amax 2^-126 max 448 / log2-ceil -127 max 127 min pow2", "", "", "x s /", "e s *", "",       \
      "vLLM", "0.33.0", "_mxfp8_e4m3_quantize_torch",                                              \
      SF8_ENGINES_VLLM_RAN("on a CPU",                                                             \
                           "_mxfp8_e4m3_quantize_torch, 3 x 65,536 blocks of f32, bf16, f16"),     \
      "log2 of a device just above a power of two; NaN elements")                                  \
    X("nvfp4-vllm-ref", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",            \
      "g amax 1 6 / * *", "", "s g rcp * 1e8 s g rcp * ifzero rcp", "x f * 0 +", "e s * g /",      \
      "g=encode", "vLLM", "0.33.0", "ref_nvfp4_quant, the emulation of NVFP4",                     \
      SF8_ENGINES_VLLM_RAN("on a CPU",                                                             \
                           "ref_nvfp4_quant, 1,966,080 blocks of f32, bf16, f16 with five g"),     \
      "NaN elements; the value of a code", "amax rcp 2688 *")                                      \
    X("mxfp4-vllm-downcast", "e2m1", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",            \
      "amax exponent-even1 127 - 127 amax exponent-even1 2 - ifpos pow2", "", "1 s /", "x f *",    \
      "e s *", "", "vLLM", "0.33.0",                                                               \
      "mxfp4_utils.py downcast_to_mxfp in Triton, tensors of bf16 and f16",                        \
      SF8_ENGINES_VLLM_RAN("interpreted", "downcast_to_mxfp, 2 x 65,536 blocks of bf16, f16"),     \
      "NaN and infinite elements; tensors of f32, which it does not take")                         \
    X("nvfp4-vllm-ds-mla", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "round=ru", \
      "amax 6 / 2^-9 max", "", "1 s /", "x f *", "e s * bf16", "", "vLLM", "03b60164",             \
      "nvfp4_ds_mla_cache_kernels.cu, the 512 elements of nvfp4_ds_mla that are not rotated",      \
      "verified compiled for a CPU: vLLM 03b60164, nvfp4_tile_scale, 3 x 65,536 blocks of bf16, "  \
      "f16, 0 differences, 2026-11-22",                                                            \
      "product and cast around nvfp4_tile_scale are not the product's; whether it is built with "  \
      "approximate division; NaN elements")

/* TurboQuant: codes are computed from the scale and the least element before these are rounded to
 * f16. The keys are first rotated by a matrix product, so that they have no row. */
#define SF8_RECIPE_TURBO(X, name, element, most, bits)                                             \
    X(name, element, "cuda-satfinite", "", 0, "f16", "ocp-nosat", "",                              \
      "high low - " most " / 1e-8 max", "low", "high low - " most " / 1e-8 max",                   \
      "x low - f / 0.5 + trunc 0 max " most " min", "e s * o +", "offset=f16 per=token-head",      \
      "vLLM", "0.33.0",                                                                            \
      "triton_turboquant_store.py _store_quantized_value, values of " bits " bits",                \
      "ran interpreted: vLLM 0.33.0, _store_quantized_value, 3 x 16,384 rows of 128 of f32, "      \
      "bf16, f16, 0 "                                                                              \
      "differences, 2026-11-22",                                                                   \
      "the sign of a zero that is the least element; NaN elements; the division of a device")
#define SF8_RECIPES_ENGINES_TURBO(X)                                                               \
    SF8_RECIPE_TURBO(X, "int4-vllm-turboquant-values", "uint4", "15", "4")                         \
    SF8_RECIPE_TURBO(X, "int3-vllm-turboquant-values", "uint3", "7", "3")

/* third_party/triton_kernels of vLLM. Its downcast_to_mxfp differs from that of vLLM itself: scales
 * are rounded up unless ROUND_DOWN is set, and ties of elements go away from 0. */
#define SF8_TRITON_KERNELS_TORCH                                                                   \
    "; ran on a CPU: triton_kernels of vLLM 0.33.0, downcast_to_mxfp_torch, 196,608 blocks of "    \
    "f32, bf16, "                                                                                  \
    "f16, 0 differences, 2026-11-22"
#define SF8_RECIPE_TRITON_KERNELS(X, name, element, fields, most, exponent, how, also)             \
    X(name, element, "cuda-satfinite", fields, 32, "e8m0", "ocp-nosat", "",                        \
      "amax " most " / " exponent " pow2", "", "s 2^-127 - 0 1 s / ifzero", "x f *", "e s *", "",  \
      "triton_kernels", "vLLM 0.33.0's copy", "downcast_to_mxfp, " how,                            \
      SF8_ENGINES_VLLM_RAN("interpreted", "triton_kernels downcast_to_mxfp " how                   \
                                          ", 3 x 65,536 blocks of f32, bf16, f16") also,           \
      "the division of a device; NaN and infinite elements")
#define SF8_RECIPES_ENGINES_TRITON_KERNELS(X)                                                      \
    SF8_RECIPE_TRITON_KERNELS(                                                                     \
        X, "mxfp4-triton-kernels", "e2m1", "round=rna", "6", "exponent-up", "with ROUND_UP",       \
        SF8_TRITON_KERNELS_TORCH "; source: transformers 5.24.0, quantize_to_mxfp4 for gpt-oss, "  \
                                 "which calls downcast_to_mxfp_torch")                             \
    SF8_RECIPE_TRITON_KERNELS(X, "mxfp4-triton-kernels-down", "e2m1", "round=rna", "6",            \
                              "exponent", "with ROUND_DOWN", SF8_TRITON_KERNELS_TORCH)             \
    SF8_RECIPE_TRITON_KERNELS(X, "mxfp8-e4m3-triton-kernels", "e4m3", "", "448", "exponent-up",    \
                              "with ROUND_UP, to e4m3", "")

/* FlashInfer. Its nvfp4_quantize is TensorRT-LLM's kernel. Without fast math
 * (FLASHINFER_DISABLE_FP4_QUANT_FAST_MATH) it computes nvfp4-te. Up to 0.7.2 a block whose scale
 * rounds to 0 was multiplied by infinity: its numbers became 6, and its zeros, NaN, did too. */
#define SF8_ENGINES_FLASHINFER_RAN(how, version, what)                                             \
    "verified " how ": FlashInfer " version ", " what ", 0 differences, 2026-11-29"
#define SF8_ENGINES_FLASHINFER_CVT "cvt_warp_fp16_to_fp4, 786,432 blocks of bf16, f16"
#define SF8_ENGINES_FLASHINFER_KV "quantize_fp16_to_e2m1_with_scaling, 655,360 blocks of bf16, f16"
#define SF8_ENGINES_FLASHINFER_OPEN                                                                \
    "the last bit of the approximate reciprocals; subnormal numbers, which its build takes as 0"
#define SF8_RECIPE_FLASHINFER(X, name, version, guard, evidence)                                   \
    X(name, "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "", "g amax 6 rcp~ * *",   \
      "", guard " 0 s g rcp~ * rcp~ ifzero", "x f *", "e s * g /", "g=encode", "FlashInfer",       \
      version, "nvfp4_quantize and fp4_quantize: cvt_warp_fp16_to_fp4", evidence,                  \
      SF8_ENGINES_FLASHINFER_OPEN "; the value of a code", SF8_G_ENCODES)
#define SF8_RECIPE_FLASHINFER_KV(X, name, version, guard, evidence)                                \
    X(name, "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",                        \
      "g rcp~ amax 6 rcp~ * *", "", guard " 0 s g * rcp~ ifzero", "x f *", "e s * g * own",        \
      "g=decode", "FlashInfer", version, "nvfp4_kv_quantize on SM100, fp4_kv_quantization.cu",     \
      evidence, SF8_ENGINES_FLASHINFER_OPEN "; NaN elements", SF8_G_DECODES)
#define SF8_RECIPES_ENGINES_FLASHINFER(X)                                                          \
    SF8_RECIPE_FLASHINFER(                                                                         \
        X, "nvfp4-flashinfer", "0.7.4", "s",                                                       \
        SF8_ENGINES_FLASHINFER_RAN("compiled for a CPU", "0.7.4", SF8_ENGINES_FLASHINFER_CVT))     \
    SF8_RECIPE_FLASHINFER(                                                                         \
        X, "nvfp4-flashinfer-0.7.2", "0.6.16.post3, 0.7.2.post1", "amax",                          \
        "hardware: RTX 5080 (sm_120), published digests of FlashInfer 0.6.16.post3 of three "      \
        "matrices, 6 of 6 equal, meyowu/nvfp4-doctor at 5b63512; " SF8_ENGINES_FLASHINFER_RAN(     \
            "compiled for a CPU", "0.7.2.post1", SF8_ENGINES_FLASHINFER_CVT))                      \
    X("nvfp4-flashinfer-append-mla", "e2m1", "cuda-satfinite", "missing_nan=zero", 16, "e4m3",     \
      "cuda-satfinite", "", "amax 6 g * rcp *", "", "s 0 s g * rcp ifzero", "x f *", "e s * g *",  \
      "g=decode", "FlashInfer", "0.7.4",                                                           \
      "page.cuh nvfp4_append_quantize_block with precise_rounding, for the cache of MLA",          \
      SF8_ENGINES_FLASHINFER_RAN("compiled for a CPU", "0.7.4",                                    \
                                 "nvfp4_append_quantize_block with precise_rounding, "             \
                                 "1,572,864 blocks of f32, bf16, "                                 \
                                 "f16"),                                                           \
      "NaN elements on a device", SF8_G_DECODES)                                                   \
    SF8_RECIPE_FLASHINFER_KV(                                                                      \
        X, "nvfp4-flashinfer-kv", "0.7.4", "s",                                                    \
        SF8_ENGINES_FLASHINFER_RAN("compiled for a CPU", "0.7.4", SF8_ENGINES_FLASHINFER_KV))      \
    SF8_RECIPE_FLASHINFER_KV(                                                                      \
        X, "nvfp4-flashinfer-kv-0.7.2", "0.7.2.post1", "amax",                                     \
        SF8_ENGINES_FLASHINFER_RAN(                                                                \
            "compiled for a CPU", "0.7.2.post1",                                                   \
            SF8_ENGINES_FLASHINFER_KV) "; source: SGLang 0.5.23, NVFP4KVQuantizeUtil, which "      \
                                       "calls it; ran on a CPU: SGLang 0.5.23, "                   \
                                       "NVFP4KVQuantizeUtil.dequantize, its reader for SM90, "     \
                                       "values of 196,608 blocks of bf16, "                        \
                                       "f16, 0 differences, 2026-11-22")

/* The scale 2^-127 has the factor 0, and 2^127, that of an infinity, too. */
#define SF8_RECIPE_FLASHINFER_MX(X, name, element, most, element_of, function, evidence)           \
    X(name, element, "cuda-satfinite", "", 32, "e8m0", "cuda-satfinite", "round=ru",               \
      "amax " most " rcp~ *", "", "s 2^-127 - 0 s rcp~ ifzero", element_of, "e s *", "",           \
      "FlashInfer", "0.7.4", function,                                                             \
      SF8_ENGINES_FLASHINFER_RAN("compiled for a CPU", "0.7.4",                                    \
                                 evidence ", 65,536 blocks of "                                    \
                                          "bf16, f16"),                                            \
      "the last bit of the approximate reciprocal; blocks of NaN")
#define SF8_RECIPES_ENGINES_FLASHINFER_MX(X)                                                       \
    SF8_RECIPE_FLASHINFER_MX(X, "mxfp4-flashinfer", "e2m1", "6", "x f *",                          \
                             "mxfp4_quantize: cvt_warp_fp16_to_fp4", "cvt_warp_fp16_to_fp4")       \
    SF8_RECIPE_FLASHINFER_MX(X, "mxfp8-flashinfer", "e4m3", "448", "x f * 448 min -448 max",       \
                             "mxfp8_quantize: cvt_warp_fp16_to_mxfp8", "cvt_warp_fp16_to_mxfp8")   \
    X("mxfp4-flashinfer-invariant", "e2m1", "cuda-satfinite", "", 32, "e8m0", "cuda-satfinite",    \
      "round=ru", "amax 1 6 / *", "", "1 s /", "x f *", "e s *", "", "FlashInfer", "0.7.4",        \
      "mxfp4_quantize with batch_invariant; of mxfp8_quantize it is mxfp8-te, of nvfp4_quantize "  \
      "nvfp4-te",                                                                                  \
      SF8_ENGINES_FLASHINFER_RAN("on a CPU", "0.7.4",                                              \
                                 "quantize_mx_reference of batch_invariant, 98,304 "               \
                                 "blocks of f32, bf16, f16"),                                      \
      "whether the kernel computes what its reference does")

/* 4 over 6 with approximate reciprocals. vLLM tries amax at 4 and at 6 with the caller's g. The
 * value is code * (1 / factor), and the squares of the errors are added in pairs. FlashInfer uses a
 * scale 1.5 times as large for 4. It adds |value - x|, where two threads take half a block each,
 * and writes 0 for a block of zeros. Its store into a cache adds the squares in order. */
#define SF8_ENGINES_OVER_VLLM "e f 0 f rcp~ ifzero * x -"
#define SF8_ENGINES_OVER_FLASHINFER "e s * g rcp~ * x -"
#define SF8_ENGINES_OVER_APPEND "e s * g * x -"
#define SF8_RECIPES_ENGINES_4OVER6(X)                                                              \
    X("nvfp4-vllm-4over6", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",         \
      "g amax 6 rcp~ * *", "", "s 0 s g rcp~ * rcp~ ifzero", "x f *", "e s * g /",                 \
      "g=encode errors=pairs", "vLLM", "0cd789b3",                                                 \
      "nvfp4_kv_cache_kernels.cu, the cache nvfp4_4over6; g is 1 / k_scale",                       \
      "verified compiled for a CPU: vLLM 0cd789b3, functions of nvfp4_kv_cache_kernels.cu, "       \
      "983,040 blocks of bf16, f16, 0 differences, 2026-11-22",                                    \
      "near ties of the errors, where a compiler may contract to FMA; the last bit of the "        \
      "approximate reciprocals; where a thread has 8 elements, halves are added; g, which the "    \
      "caller chooses; the value of a code",                                                       \
      SF8_G_ENCODES, "g amax 4 rcp~ * *", SF8_ENGINES_OVER_VLLM " " SF8_ENGINES_OVER_VLLM " *")    \
    X("nvfp4-flashinfer-4over6", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",   \
      "g amax 6 rcp~ * *", "", "s g rcp~ * rcp~", "amax 0 x f * ifzero", "e s * g /",              \
      "g=encode errors=halves", "FlashInfer", "0.7.4",                                             \
      "quantization_utils.cuh with NVFP44Over6Config, MAE, e4m3Max 448",                           \
      SF8_ENGINES_FLASHINFER_RAN("compiled for a CPU", "0.7.4", SF8_ENGINES_FLASHINFER_CVT),       \
      "where a thread has 16 elements, errors are added in order; the last bit of the "            \
      "approximate reciprocals; the amax of a row, if one is given; the value of a code",          \
      SF8_G_ENCODES, "g amax 6 rcp~ * * 1.5 *",                                                    \
      SF8_ENGINES_OVER_FLASHINFER " " SF8_ENGINES_OVER_FLASHINFER " neg max")                      \
    X("nvfp4-flashinfer-append-4over6", "e2m1", "cuda-satfinite", "missing_nan=zero", 16, "e4m3",  \
      "cuda-satfinite", "", "amax 6 g * /", "", "s 0 1 s g * / ifzero", "x f *", "e s * g *",      \
      "g=decode", "FlashInfer", "0.7.4",                                                           \
      "page.cuh nvfp4_append_quantize_block, built with FLASHINFER_NVFP4_APPEND_4OVER6: "          \
      "nvfp4_quantize_append_paged_kv_cache_with_slot_mapping",                                    \
      SF8_ENGINES_FLASHINFER_RAN("compiled for a CPU", "0.7.4",                                    \
                                 "nvfp4_append_quantize_block, "                                   \
                                 "983,040 blocks of f32, bf16, f16"),                              \
      "near ties of the errors, where a compiler may contract to FMA; it is built with "           \
      "approximate division, and here it is exact; NaN elements on a device",                      \
      SF8_G_DECODES, "amax 6 g * / 1.5 *",                                                         \
      SF8_ENGINES_OVER_APPEND " " SF8_ENGINES_OVER_APPEND " *")

/* DeepSeek-V4 and V4.1. The cache of V4 quantizes 448 of the 512 elements of a token in groups of
 * 64, and keeps the others, to which rotary embedding was applied, as bf16. V4.1 quantizes all 512:
 * in groups of 32 to e4m3, which FlashInfer calls DSV4_1, or in groups of 16 to e2m1, V41_FP4. */
#define SF8_ENGINES_V4_OPEN                                                                        \
    "log2 of a device just above a power of two; / of a device, which may be a product with an "   \
    "inverse; NaN and infinite elements"
#define SF8_RECIPE_V4_TIMES(X, name, block, function, evidence)                                    \
    X(name, "e4m3", "cuda-satfinite", "", block, "e8m0", "ocp-nosat", "",                          \
      "amax 1e-4 max 1 448 / * log2-ceil pow2", "", "s rcp", "x f * -448 max 448 min", "e s *",    \
      "", "vLLM", "0.33.0", function, evidence, SF8_ENGINES_V4_OPEN)
#define SF8_RECIPES_ENGINES_V4(X)                                                                  \
    X("fp8-group64-deepseek-v4", "e4m3", "cuda-satfinite", "", 64, "e8m0", "ocp-nosat", "",        \
      "amax 1e-4 max 448 / log2-ceil pow2", "", "", "x s / -448 max 448 min", "e s *", "", "vLLM", \
      "0.33.0",                                                                                    \
      "quantize_and_insert_k_cache of DeepSeek-V4: tokens of the sliding window; records of 584 "  \
      "bytes",                                                                                     \
      "ran interpreted: vLLM 0.33.0, quantize_and_insert_k_kernel of "                             \
      "deepseek_v4, torch for the cast to e4m3, 2,016 groups of f32, bf16, "                       \
      "f16, 0 differences, 2026-11-30",                                                            \
      SF8_ENGINES_V4_OPEN)                                                                         \
    SF8_RECIPE_V4_TIMES(X, "fp8-group64-deepseek-v4-compressed", 64,                               \
                        "_rope_quant_insert_kernel and fused_compress_quant_cache.py of "          \
                        "DeepSeek-V4 and V4.1: compressed tokens; records of 584 bytes",           \
                        "ran interpreted: vLLM 0.33.0, _rope_quant_insert_kernel of "              \
                        "deepseek_v41, torch for the cast to e4m3, 2,016 groups of f32, bf16, "    \
                        "f16, 0 differences, 2026-11-30; source: vLLM 0.33.0, "                    \
                        "deepseek_v4/common/ops/fused_compress_quant_cache.py")                    \
    SF8_RECIPE_V4_TIMES(X, "mxfp8-deepseek-v4.1", 32,                                              \
                        "_quantize_and_insert_k_mxfp8_kernel and _rope_quant_insert_mxfp8_kernel " \
                        "of DeepSeek-V4.1; records of 528 bytes",                                  \
                        "ran interpreted: vLLM 0.33.0, _quantize_and_insert_k_mxfp8_kernel, "      \
                        "torch for the cast to e4m3, 4,608 groups of f32, bf16, f16, 0 "           \
                        "differences, 2026-11-30; source: vLLM 0.33.0, "                           \
                        "_rope_quant_insert_mxfp8_kernel")                                         \
    X("mxfp8-deepseek-v4.1-flashinfer", "e4m3", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "", \
      "amax 1e-4 nmax 448 / 1e-4 nmax exponent-up pow2", "", "amax amax - s rcp amax rcp ifzero",  \
      "x f * -448 nmax 448 nmin", "e s *", "amax=nan", "FlashInfer", "0.7.4",                      \
      "cake_dsv41_fp8_cache_ops.cu, the cache DSV4_1",                                             \
      "ran compiled for a CPU: FlashInfer 0.7.4, quantize_dsv41_half_group, "                      \
      "32,768 groups of bf16, f16, infinities and NaN too, 0 differences, "                        \
      "2026-11-30",                                                                                \
      "whether the build of a device rounds otherwise")                                            \
    X("nvfp4-deepseek-v4.1", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",       \
      "amax 1 6 / * 2^-9 max 448 min", "", "", "x s /", "e s *", "", "vLLM", "0.33.0",             \
      "_rope_quant_insert_nvfp4_kernel of DeepSeek-V4.1; records of 288 bytes",                    \
      "ran interpreted: vLLM 0.33.0, _rope_quant_insert_nvfp4_kernel, torch "                      \
      "for the cast to e4m3 and comparisons for that to e2m1, 9,216 groups of "                    \
      "f32, bf16, f16, 0 differences, 2026-11-30",                                                 \
      "NaN and infinite elements")                                                                 \
    X("nvfp4-deepseek-v4.1-flashinfer", "e2m1", "cuda-satfinite", "missing_nan=zero", 16, "e4m3",  \
      "cuda-satfinite", "", "amax 6 / 2^-9 nmax 448 nmin amax amax - +", "", "", "x s /", "e s *", \
      "amax=nan", "FlashInfer", "0.7.4", "dsv41_fp4_cache_ops.cu, the cache V41_FP4",              \
      "ran compiled for a CPU: FlashInfer 0.7.4, quantize_dsv41_group16, "                         \
      "32,768 groups of bf16, f16, infinities and NaN too, 0 differences, "                        \
      "2026-11-30",                                                                                \
      "whether the build of a device rounds otherwise")                                            \
    X("mxfp4-deepseek-v4-indexer", "e2m1", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",      \
      "amax 0x1.8p-124 max 1 6 / * log2-ceil -127 max 127 min pow2", "", "s rcp", "x f *",         \
      "e s *", "", "vLLM", "0.33.0", "_quantize_mxfp4_pair of the indexer of DeepSeek-V4, V4.1",   \
      "ran interpreted: vLLM 0.33.0, _quantize_mxfp4_pair, comparisons for "                       \
      "the cast to e2m1, 6,144 groups of f32, bf16, f16, 0 differences, "                          \
      "2026-11-30",                                                                                \
      SF8_ENGINES_V4_OPEN)

#define SF8_RECIPES_ENGINES(X)                                                                     \
    SF8_RECIPES_ENGINES_VLLM(X)                                                                    \
    SF8_RECIPES_ENGINES_TURBO(X)                                                                   \
    SF8_RECIPES_ENGINES_TRITON_KERNELS(X)                                                          \
    SF8_RECIPES_ENGINES_FLASHINFER(X)                                                              \
    SF8_RECIPES_ENGINES_FLASHINFER_MX(X)                                                           \
    SF8_RECIPES_ENGINES_4OVER6(X)                                                                  \
    SF8_RECIPES_ENGINES_V4(X)

#endif
