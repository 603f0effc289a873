/* SPDX-License-Identifier: MIT */
/* recipes_weights.h -- the named recipes of tools that quantize weights; recipes.h explains the
 * rows
 *
 * compressed-tensors with llm-compressor, ModelOpt, torchao, GGUF, MLX and auto-round. They compute
 * on a processor, so that each operation is rounded as IEEE 754 says. "own" is the format of the
 * weights.
 *
 * The rows were compared with the products on weights of bf16, f16 and f32 (torchao: bf16 and f32).
 * A generator made normal weights, ties, subnormal and huge numbers; vectors/products has digests
 * of the results. Devices, torch.compile and Triton were not compared. On a device torch divides by
 * a number of the host by multiplying by its reciprocal.
 */
#ifndef SOFTFP8_RECIPES_WEIGHTS_H
#define SOFTFP8_RECIPES_WEIGHTS_H

/* 448 * 6 / amax and its inverse; 1 for zeros. */
#define SF8_G_ENCODES "amax 1 2688 amax / FLT_MAX min ifzero"
#define SF8_G_DECODES "amax 1 amax 2688 / ifzero"

#define SF8_WEIGHTS_DATE ", 2026-11-22"
#define SF8_WEIGHTS_DEVICE "devices and compiled code"

/* compressed-tensors, as llm-compressor calls it. It adds a zero point of 0 after the division,
 * which turns -0 into +0. The global scale is computed in the format of the weights: 1 / amax,
 * where amax is at least the least normal number, and 2688 times that, each rounded; 1 where that
 * is not finite, as for small f16. Fused layers, such as q, k and v, share the largest of their
 * scales.
 *
 * The scale of MX is the amax rounded to one bit of mantissa, whatever the elements are, as a bit
 * pattern of the weights' own format. A subnormal f16 from 3/4 of the least normal number on
 * becomes that number. A smaller one has the scale 1, as if amax were `one`, 2^emax.
 *
 * The scale of FP8 is amax / 448, rounded to the format of the weights and stored in it. A scale
 * that rounds to 0 becomes torch.finfo(format).eps, the distance from 1 to the next number. The
 * program computes that distance as 3 (4/3 - 1) - 1, where 4/3 is rounded to the format. In f16 the
 * result is negative, so the program takes the power of two of its exponent. */
#define SF8_G_COMPRESSED                                                                           \
    "amax 2^-126 own 2^-14 2^-126 ifzero nmax rcp own 2688 * own 1 finite-or"
#define SF8_RECIPE_COMPRESSED_MX(X, name, element, emax, one, element_of, function)                \
    X(name, element, "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",                            \
      "amax 1535 / own 2^-126 own + " one                                                          \
      " amax 2^-126 own 2^-14 2^-126 ifzero nmax ifzero exponent-even1 " emax " - pow2",           \
      "", "", element_of, "e s * bf16", "amax=nan",                                                \
      "compressed-tensors", "0.20.0", function,                                                    \
      "verified on a CPU: compressed-tensors 0.20.0 by llm-compressor 0.14.0.1, weights of "       \
      "bf16, f16, "                                                                                \
      "f32, 1,966,080 blocks, 0 differences but where the scale is infinite "                      \
      "there" SF8_WEIGHTS_DATE                                                                     \
      "; ran on a CPU: llm-compressor 0.14.0.1, oneshot and save_pretrained, 147,456 blocks of "   \
      "bf16, f16, "                                                                                \
      "f32, 0 differences" SF8_WEIGHTS_DATE,                                                       \
      "an amax that rounds up to 2^128, of f16 to 2^16: there the scale is infinite, its code "    \
      "the low byte of an integer, 7f on x86, and all codes are 0; NaN and infinite elements")
#define SF8_COMPRESSED_EPS "0x1.555556p0 own 1 - 3 * 1 - exponent pow2"
#define SF8_RECIPE_COMPRESSED_FP8(X, name, block, properties, scheme, generated, other, oneshot)   \
    X(name, "e4m3", "cuda-satfinite", "", block, "f32", "ocp-nosat", "",                           \
      "amax 448 / own " SF8_COMPRESSED_EPS " amax 448 / own ifzero", "", "", "x s / own 0 +",      \
      "e s * own", properties, "compressed-tensors", "0.20.0", scheme,                             \
      "verified on a CPU: compressed-tensors 0.20.0 by llm-compressor 0.14.0.1, weights of "       \
      "bf16, f16, "                                                                                \
      "f32, "                                                                                      \
      generated ", and " other ", 0 differences" SF8_WEIGHTS_DATE                                  \
      "; ran on a CPU: llm-compressor 0.14.0.1, oneshot and save_pretrained, " oneshot             \
      " of bf16, f16, f32, 0 differences" SF8_WEIGHTS_DATE,                                        \
      "NaN and infinite elements; " SF8_WEIGHTS_DEVICE)
#define SF8_RECIPES_COMPRESSED(X)                                                                  \
    X("nvfp4-compressed", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",          \
      "g amax 6 / own *", "", "s g /", "x f / 0 +", "e f * bf16", "g=encode zero=20 amax=nan",     \
      "compressed-tensors", "0.20.0", "generate_gparam, quantize, decompress",                     \
      "verified on a CPU: compressed-tensors 0.20.0 by llm-compressor 0.14.0.1, weights of "       \
      "bf16, f16, "                                                                                \
      "f32, 7,864,320 blocks, 0 differences" SF8_WEIGHTS_DATE,                                     \
      "the codes of NaN elements; whether a version takes the scale 20 for NaN",                   \
      SF8_G_COMPRESSED)                                                                            \
    SF8_RECIPE_COMPRESSED_MX(X, "mxfp4-compressed", "e2m1", "2", "4", "x s / own 0 +",             \
                             "MXFP4PackedCompressor")                                              \
    SF8_RECIPE_COMPRESSED_MX(X, "mxfp8-compressed", "e4m3", "8", "256", "x s / own 0 +",           \
                             "MXFP8QuantizationCompressor")                                        \
    X("mxfp6-compressed", "e2m3", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",               \
      "amax 1919 / own 2^-126 own + 4 amax 2^-126 own 2^-14 2^-126 ifzero nmax ifzero "            \
      "exponent-even3 2 - pow2",                                                                   \
      "", "", "x s / own", "e s * bf16", "amax=nan", "compressed-tensors", "0.20.1",               \
      "MXFP6PackedCompressor, MXFP6A16 and MXFP6A8",                                               \
      "ran on a CPU: compressed-tensors 0.20.1, calculate_qparams, MXFP6PackedCompressor.compress, "\
      "decompress, 24,576 blocks of f32, bf16, f16, 0 differences but where the scale is infinite "\
      "there, 2026-11-30",                                                                         \
      "an amax that rounds up to 2^128, of f16 to 2^16: there the scale is infinite, its code 7f, and "\
      "all codes are zero; llm-compressor, which may give a zero point; NaN and infinite elements")\
    SF8_RECIPE_COMPRESSED_FP8(X, "fp8-compressed-channel", 0, "amax=nan",                          \
                              "llm-compressor's FP8_DYNAMIC: one scale for a row of weights",      \
                              "6,240 rows of 4096", "6,426 rows of 48 to 512", "16,128 rows")      \
    SF8_RECIPE_COMPRESSED_FP8(X, "fp8-compressed-block128", 128, "amax=nan rows=128",              \
                              "llm-compressor's FP8_BLOCK: one scale for 128 x 128 weights",       \
                              "1,728 blocks of 128 x 128",                                         \
                              "162 blocks of matrices whose sides 128 does not divide",            \
                              "414 blocks")

/* ModelOpt. For NVFP4 it sets the sign if x < 0, and reads the code 8 as +0. MX uses the ceil of a
 * log2 in f32. Codes of MXFP4 are found by comparing with the midpoints of neighbours, so that ties
 * go toward zero; zero has the code 8. */
#define SF8_MODELOPT_NVFP4_OPEN                                                                    \
    "g of a tensor of zeros, here 1; NaN and infinite elements; " SF8_WEIGHTS_DEVICE
#define SF8_RECIPES_MODELOPT(X)                                                                    \
    X("nvfp4-modelopt", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",            \
      "amax 6 g * / 1 amax 6 g * / ifzero 2^-9 nmax 448 nmin", "", "s g *", "x f / 0 +",           \
      "e 0 + s g * * own", "g=decode amax=nan",                                                    \
      "ModelOpt", "0.47.0", "NVFP4QTensor.quantize, dequantize",                                   \
      "verified on a CPU: ModelOpt 0.47.0, NVFP4QTensor, weights of bf16, f16, f32, 7,864,320 "    \
      "blocks, 0 "                                                                                 \
      "differences" SF8_WEIGHTS_DATE,                                                              \
      SF8_MODELOPT_NVFP4_OPEN, SF8_G_DECODES)                                                      \
    X("nvfp4-modelopt-0.44", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",       \
      "amax 6 g * / 1 amax 6 g * / ifzero", "", "s g *", "x f / 0 +", "e 0 + s g * * own",         \
      "g=decode amax=nan",                                                                         \
      "ModelOpt", "0.37 to 0.44", "NVFP4QTensor.quantize, dequantize, torch from 2.13",            \
      "verified on a CPU: ModelOpt 0.44.0, NVFP4QTensor with torch 2.15, weights of bf16, f16, "   \
      "f32, "                                                                                      \
      "7,864,320 blocks, 0 differences" SF8_WEIGHTS_DATE                                           \
      "; source: ModelOpt 5a4242fa, NVFP4QTensor",                                                 \
      "a scale above 448 is NaN there before torch 2.13; " SF8_MODELOPT_NVFP4_OPEN,                \
      SF8_G_DECODES)                                                                               \
    X("nvfp4-modelopt-static", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",     \
      "amax 6 / 1 amax 6 / ifzero 448 * g 6 / / 2^-9 nmax 448 nmin", "", "s g 2688 / *",           \
      "x f / 0 +", "e 0 + s g 2688 / * * own", "g=given amax=nan",                                 \
      "ModelOpt", "0.47.0",                                                                        \
      "NVFP4QTensor with calibrated amax of blocks and tensor: g is the amax of the tensor",       \
      "verified on a CPU: ModelOpt 0.47.0, NVFP4QTensor, static, weights of bf16, f16, f32, "      \
      "1,572,864 "                                                                                 \
      "blocks, 0 differences" SF8_WEIGHTS_DATE,                                                    \
      "its four_over_six; NaN and infinite elements; " SF8_WEIGHTS_DEVICE, "amax")                 \
    X("mxfp8-modelopt", "e4m3", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",                 \
      "amax 448 / log2-ceil -127 max 127 min pow2", "", "1 s /", "x f *", "e s * own", "amax=nan", \
      "ModelOpt", "0.47.0", "MXFP8QTensor.quantize, dequantize",                                   \
      "verified on a CPU: ModelOpt 0.47.0, MXFP8QTensor, weights of bf16, f16, f32, 1,966,080 "    \
      "blocks, 0 "                                                                                 \
      "differences" SF8_WEIGHTS_DATE,                                                              \
      "the sign of a NaN's code; " SF8_WEIGHTS_DEVICE)                                             \
    X("mxfp4-modelopt", "e2m1", "cuda-satfinite", "round=rnz", 32, "e8m0", "ocp-nosat", "",        \
      "amax 6 / log2-ceil -127 max pow2", "", "", "x s / 0 neg x s / ifzero", "e s * own",         \
      "amax=nan",                                                                                  \
      "ModelOpt", "0.47.0", "MXFP4QTensor.quantize, dequantize",                                   \
      "verified on a CPU: ModelOpt 0.47.0, MXFP4QTensor, weights of bf16, f16, f32, 1,966,080 "    \
      "blocks, 0 "                                                                                 \
      "differences" SF8_WEIGHTS_DATE                                                               \
      "; ran on a CPU: SGLang 0.5.23, MXFP4QuantizeUtil, a copy that has log2 in the tensor's "    \
      "format, "                                                                                   \
      "65,536 blocks of f32, 0 differences, bf16 other scales of 1.6 to 9.5 %, f16 0.2 to 0.9 %"   \
      SF8_WEIGHTS_DATE "; ran on a CPU: SGLang 0.5.23, MXFP4QuantizeUtil.dequantize, 196,608 "     \
      "blocks of "                                                                                 \
      "bf16, f16, f32, 0 differences" SF8_WEIGHTS_DATE,                                            \
      "NaN and infinite elements: the scale 00 and codes 8 there; " SF8_WEIGHTS_DEVICE)            \
    X("fp8-modelopt-block128", "e4m3", "cuda-satfinite", "", 128, "f32", "ocp-nosat", "",          \
      "amax 448 / own", "", "", "x s / own", "e s * own", "amax=nan rows=128",                     \
      "ModelOpt", "0.47.0", "FP8QTensor with block_sizes {-1: 128, -2: 128}; a checkpoint that "   \
      "export_hf_checkpoint writes is fp8-modelopt-export-block128",                               \
      "verified on a CPU: ModelOpt 0.47.0, FP8QTensor, weights of bf16, f16, f32, 1,536 blocks "   \
      "of 128 x "                                                                                  \
      "128, 0 differences" SF8_WEIGHTS_DATE,                                                       \
      "blocks of zeros, whose codes are NaN here; NaN and infinite elements; " SF8_WEIGHTS_DEVICE) \
    X("fp8-modelopt-export-block128", "e4m3", "cuda-satfinite", "", 128, "f32", "ocp-nosat", "",   \
      "amax 448 /", "", "", "x s /", "e s *", "amax=nan rows=128",                                 \
      "ModelOpt", "0.47.0",                                                                        \
      "export_hf_checkpoint after FP8_2D_BLOCKWISE_WEIGHT_ONLY_CFG: get_weight_scaling_factor, "   \
      "to_quantized_weight",                                                                       \
      "verified on a CPU: ModelOpt 0.47.0, get_weight_scaling_factor and to_quantized_weight, "    \
      "weights of "                                                                                \
      "bf16, f16, f32, 1,536 blocks of 128 x 128, 0 differences" SF8_WEIGHTS_DATE,                 \
      "blocks of zeros, which it refuses; the value of a code; NaN and infinite elements; "        \
      SF8_WEIGHTS_DEVICE)

/* torchao's release. Where the scale is 2^-127, floor, even and ceil divide by 2^-126 instead, and
 * rceil multiplies by 1. A block with an infinity has the exponent 128 less emax. A block with NaN
 * has the scale NaN, and its numbers are divided by infinity. */
#define SF8_TORCHAO_MX_EVIDENCE(also)                                                              \
    "verified on a CPU: torchao 0.18.0, to_mx and to_dtype, weights of bf16, f32, 589,824 "        \
    "blocks, 0 "                                                                                   \
    "differences" also SF8_WEIGHTS_DATE
#define SF8_RECIPE_TORCHAO_MX(X, name, element, exponent, emax, mode, also, open)                  \
    X(name, element, "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",                            \
      "amax " exponent " amax finite-or 128 nmin " emax " - pow2", "",                             \
      "s 1 0 / finite-or 2^-126 max", "x f /", "e s * own", "amax=nan",                            \
      "torchao", "0.18.0", "to_mx, " mode ", to_dtype", SF8_TORCHAO_MX_EVIDENCE(also), open)
#define SF8_RECIPES_TORCHAO_MX(X, format, element, emax, most, even, also, codes)                  \
    SF8_RECIPE_TORCHAO_MX(X, format "-torchao-floor", element, "exponent", emax, "FLOOR", also,    \
                          codes "; devices; compiled code")                                        \
    SF8_RECIPE_TORCHAO_MX(X, format "-torchao-even", element, even, emax, "EVEN", also,            \
                          codes "; devices; compiled code")                                        \
    SF8_RECIPE_TORCHAO_MX(X, format "-torchao-ceil", element, "exponent-up", emax, "CEIL", also,   \
                          codes "; devices; compiled code")                                        \
    X(format "-torchao-rceil", element, "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",         \
      "amax " most " / log2-ceil -127 nmax 127 nmin pow2", "", "s 2^-127 - 1 s rcp ifzero",        \
      "x f *", "e s * own", "amax=nan",                                                            \
      "torchao", "0.18.0", "to_mx, RCEIL, to_dtype", SF8_TORCHAO_MX_EVIDENCE(also),                \
      codes "; devices, whose instruction for the scale has no log2")
#define SF8_TORCHAO_NARROW " but for codes of NaN", "the codes of a block with NaN"
#define SF8_TORCHAO_BYTE " but for the sign of NaN", "the sign of a NaN's code"
/* `also` and `codes` are one argument of a caller; another macro splits them. */
#define SF8_RECIPES_TORCHAO_OF(X, ...) SF8_RECIPES_TORCHAO_MX(X, __VA_ARGS__)
#define SF8_RECIPES_TORCHAO(X)                                                                     \
    X("nvfp4-torchao", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",             \
      "amax 6 / g / 2^-6 nmax 448 nmin", "", "1 g / s /", "x f * -6 nmax 6 nmin",                  \
      "e g s * * own", "g=decode amax=nan",                                                        \
      "torchao", "0.18.0",                                                                         \
      "nvfp4_quantize in nvfp4_tensor.py, NVFP4Tensor.dequantize",                                 \
      "verified on a CPU: torchao 0.18.0, nvfp4_quantize and dequantize, weights of bf16, f32, "   \
      "5,242,880 "                                                                                 \
      "blocks, 0 differences" SF8_WEIGHTS_DATE "; source: torchao 36027d8, nvfp4_tensor.py",       \
      "the codes beside a NaN scale: by the NaN's payload there, 3 or 4, 7 here; g of a tensor "   \
      "of zeros, here 1; " SF8_WEIGHTS_DEVICE,                                                     \
      SF8_G_DECODES)                                                                               \
    SF8_RECIPES_TORCHAO_OF(X, "mxfp4", "e2m1", "2", "6", "exponent-even1", SF8_TORCHAO_NARROW)     \
    SF8_RECIPES_TORCHAO_OF(X, "mxfp6-e3m2", "e3m2", "4", "28", "exponent-even2",                   \
                           SF8_TORCHAO_NARROW)                                                     \
    SF8_RECIPES_TORCHAO_OF(X, "mxfp6-e2m3", "e2m3", "2", "7.5", "exponent-even3",                  \
                           SF8_TORCHAO_NARROW)                                                     \
    SF8_RECIPES_TORCHAO_OF(X, "mxfp8-e4m3", "e4m3", "8", "448", "exponent-even3",                  \
                           SF8_TORCHAO_BYTE)                                                       \
    SF8_RECIPES_TORCHAO_OF(X, "mxfp8-e5m2", "e5m2", "15", "57344", "exponent-even2",               \
                           SF8_TORCHAO_BYTE)

/* GGUF, by the Python package. Weights are converted to f32 first. Elements are divided by the
 * scale before it is stored as f16. MXFP4 and NVFP4 take the nearest magnitude by argmin, the lower
 * of equal ones, and zeros become +0.
 *
 * NVFP4 of ggml: the scale's encoder rounds ties away from zero, limits subnormal numbers to 7, and
 * makes everything from 248 on 448. The program tests amax instead of amax / 6: below 6 * 2^-6, and
 * below 1488. */
#define SF8_GGUF_NEAREST "x s / x s / * 2^-4 - x s / 0 ifpos"
#define SF8_RECIPES_GGUF(X)                                                                        \
    X("q8_0-gguf", "int8", "cuda-satfinite", "", 32, "f16", "ocp-nosat", "",                       \
      "amax 127 /", "", "amax 127 / 0 amax 127 / rcp ifzero", "x f * 0 finite-or round", "e s *",  \
      "amax=nan image=1",                                                                          \
      "gguf", "0.19.0", "Q8_0.quantize_blocks, dequantize_blocks",                                 \
      "verified on a CPU: gguf 0.19.0, quantize and dequantize, weights of bf16, f16, f32, "       \
      "1,966,080 "                                                                                 \
      "blocks, 0 differences" SF8_WEIGHTS_DATE,                                                    \
      "NaN and infinite elements")                                                                 \
    X("q4_0-gguf", "uint4", "cuda-satfinite", "", 32, "f16", "ocp-nosat", "",                      \
      "peak -8 /", "", "peak -8 / 0 peak -8 / rcp ifzero",                                         \
      "x f * 8.5 + 0 finite-or trunc 15 min 0 max", "e 8 - s *", "amax=nan nibbles=half image=1",  \
      "gguf", "0.19.0", "Q4_0.quantize_blocks, dequantize_blocks",                                 \
      "verified on a CPU: gguf 0.19.0, quantize and dequantize, weights of bf16, f16, f32, "       \
      "1,966,080 "                                                                                 \
      "blocks, 0 differences" SF8_WEIGHTS_DATE,                                                    \
      "NaN and infinite elements")                                                                 \
    X("q4_1-gguf", "uint4", "cuda-satfinite", "", 32, "f16", "ocp-nosat", "",                      \
      "high low - 15 /", "low", "high low - 15 / 0 high low - 15 / rcp ifzero",                    \
      "x low - f * 0.5 + 0 finite-or trunc 15 min 0 max", "s e * o +",                             \
      "offset=f16 amax=nan nibbles=half image=1",                                                  \
      "gguf", "0.19.0", "Q4_1.quantize_blocks, dequantize_blocks",                                 \
      "verified on a CPU: gguf 0.19.0, quantize and dequantize, weights of bf16, f16, f32, "       \
      "405,504 "                                                                                   \
      "blocks, 0 differences" SF8_WEIGHTS_DATE,                                                    \
      "the sign of a smallest value that is zero; NaN and infinite elements")                      \
    X("mxfp4-gguf", "e2m1", "cuda-satfinite", "round=rnz", 32, "e8m0", "ocp-nosat", "",            \
      "amax log2-floor 2 - pow2", "", "", SF8_GGUF_NEAREST, "e s *",                               \
      "amax=nan nibbles=half image=1",                                                             \
      "gguf", "0.19.0", "MXFP4.quantize_blocks, dequantize_blocks",                                \
      "verified on a CPU: gguf 0.19.0, quantize and dequantize, weights of bf16, f16, f32, "       \
      "786,432 "                                                                                   \
      "blocks, 0 differences from amax 2^-125 on" SF8_WEIGHTS_DATE,                                \
      "amax below 2^-125: the byte of the scale wraps there and all codes are 0, 00 here; the "    \
      "scale ff, which is read as 2^128 there; NaN and infinite elements")                         \
    X("nvfp4-gguf", "e2m1", "cuda-satfinite", "round=rnz", 16, "e4m3", "cuda-satfinite",           \
      "round=rna",                                                                                 \
      "amax 0x1.7ffffep-4 - amax 0x1.73fffep10 - 448 amax 6 / ifpos "                              \
      "amax 6 / 0x1.cp-7 nmin ifpos",                                                              \
      "", "", "s 0 " SF8_GGUF_NEAREST " ifzero", "e 0 + s *", "amax=nan nibbles=half image=4",     \
      "ggml", "not recorded",                                                                      \
      "quantize_row_nvfp4_ref, scales of 4 bytes, as gguf 0.19.0 reads them",                      \
      "verified on a CPU: ggml, its reference in C as compiled by gcc 12.2, read by gguf "         \
      "0.19.0, weights "                                                                           \
      "of bf16, f16, f32, 3,932,160 blocks, 0 differences up to amax 2688" SF8_WEIGHTS_DATE,       \
      "amax above 2688: distances in f32 meet there, and the first is taken; the scales 7f, read " \
      "as 0, and ff; NaN and infinite elements")

/* MLX on a CPU. Divisions are rounded to the format of the tensor. The scale of MX is rounded up to
 * a power of two, and is 1 where amax / max is 0. Codes of e2m1 are found by argmin over the
 * distances, so that ties go to the lower magnitude, and zeros become +0. */
#define SF8_MLX_NEAREST "x s / own x s / own * 2^-4 - x s / own 0 ifpos"
#define SF8_MLX_RAN(blocks, differ)                                                                \
    "verified on a CPU: MLX 0.32.4, mx.quantize and mx.dequantize, tensors of bf16, f16, f32, "    \
    blocks " blocks, 0 differences" differ SF8_WEIGHTS_DATE
#define SF8_MLX_DEVICES                                                                            \
    "the kernels for Metal and CUDA, which round ties to even and keep -0; NaN and infinite "      \
    "elements; "
#define SF8_RECIPE_MLX_MX(X, name, element, round, most, element_of, from, mode)                   \
    X(name, element, "cuda-satfinite", round, 32, "e8m0", "ocp-nosat", "round=ru",                 \
      "amax " most " / own 1 amax " most " / own ifzero", "", "", element_of, "e s * bf16",        \
      "amax=nan", "MLX", "0.32.4", mode, SF8_MLX_RAN("786,432", " from amax " from " on"),         \
      SF8_MLX_DEVICES "a smaller amax: the byte of the scale wraps there, or 2^-127 is flushed")
#define SF8_RECIPES_MLX(X)                                                                         \
    SF8_RECIPE_MLX_MX(X, "mxfp4-mlx", "e2m1", "round=rnz", "6",                                    \
                      "x s / x s / * 2^-4 - x s / 0 ifpos", "6 x 2^-127",                          \
                      "mx.quantize with mode mxfp4, on a CPU")                                     \
    SF8_RECIPE_MLX_MX(X, "mxfp8-mlx", "e4m3", "", "448", "x s /", "448 x 2^-127",                  \
                      "mx.quantize with mode mxfp8, on a CPU")                                     \
    X("nvfp4-mlx", "e2m1", "cuda-satfinite", "round=rnz", 16, "e4m3", "cuda-satfinite", "",        \
      "amax 6 / own", "", "", "s 0 " SF8_MLX_NEAREST " ifzero", "e s * bf16", "amax=nan", "MLX",   \
      "0.32.4", "mx.quantize with mode nvfp4 and without a global scale, on a CPU",                \
      SF8_MLX_RAN("1,572,864", " up to amax 2688"),                                                \
      SF8_MLX_DEVICES "a larger amax: distances meet there, and the first is taken; a global "     \
                      "scale")

/* auto-round, rounding to nearest, and its export. NVFP4: a -0 after the division is exported as
 * +0. MX rounds by adding 1/2 of the last place in f32: a value just below 1/2 of the least number,
 * `under`, becomes that number. A block of zeros has the exponent 1 less emax, or 1. */
#define SF8_AUTO_ROUND_RAN "verified on a CPU: auto-round 0.16.1, "
#define SF8_AUTO_ROUND_SEARCH                                                                      \
    "its search, which is the default without disable_opt_rtn=True; AutoRound on a CPU makes a "   \
    "model of f16 or f32 one of bf16 first"
#define SF8_AUTO_ROUND_MX_RAN                                                                      \
    SF8_AUTO_ROUND_RAN "data type and QuantLinear.pack, weights of bf16, f16, f32, 491,520 blocks, "
#define SF8_AUTO_ROUND_MX_OPEN                                                                     \
    "scales that f16 has not, of weights in f16; values that the weights' format has not; NaN "    \
    "and infinite elements; " SF8_AUTO_ROUND_SEARCH
#define SF8_RECIPE_AUTO_ROUND(X, name, element, scale_of, least, under, type, differ)              \
    X(name, element, "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "", scale_of, "", "",          \
      "x s / " under " - " least " x s / " under " + " least " neg x s / ifzero ifzero 0 +",       \
      "e s * own", "amax=nan", "auto-round", "0.16.1", "data type " type,                          \
      SF8_AUTO_ROUND_MX_RAN differ SF8_WEIGHTS_DATE, SF8_AUTO_ROUND_MX_OPEN)
#define SF8_AUTO_ROUND_SAME "0 differences but where f16 has no such scale"
#define SF8_RECIPES_AUTO_ROUND(X)                                                                  \
    X("nvfp4-auto-round", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",          \
      "g amax 6 rcp * *", "", "s 0 s g rcp * rcp ifzero", "x f * x f * * 2^-4 - x f * 0 ifpos",    \
      "f 0 e f rcp * ifzero own", "g=encode amax=nan",                                             \
      "auto-round", "0.16.1", "data type nv_fp4, QuantLinear.pack",                                \
      SF8_AUTO_ROUND_RAN "data type and QuantLinear.pack, weights of bf16, f16, f32, 1,966,080 "   \
      "blocks, 0 differences but the sign of values that are zero" SF8_WEIGHTS_DATE,               \
      "the sign of values that are zero; infinite elements; " SF8_AUTO_ROUND_SEARCH,               \
      "amax 0 amax rcp 2688 * ifzero")                                                             \
    SF8_RECIPE_AUTO_ROUND(X, "mxfp4-auto-round", "e2m1",                                           \
                          "amax 2 amax ifzero log2-floor 2 - -127 max pow2", "2^-1",               \
                          "0x1.fffffep-3", "mx_fp4", SF8_AUTO_ROUND_SAME)                          \
    SF8_RECIPE_AUTO_ROUND(X, "mxfp8-auto-round", "e4m3",                                           \
                          "amax 2 amax ifzero log2-floor 8 - -127 max pow2", "2^-9",               \
                          "0x1.fffffep-11", "mx_fp8", SF8_AUTO_ROUND_SAME)                         \
    SF8_RECIPE_AUTO_ROUND(X, "mxfp4-auto-round-rceil", "e2m1",                                     \
                          "amax 12 amax ifzero 6 / log2-ceil -127 max pow2", "2^-1",               \
                          "0x1.fffffep-3", "mx_fp4_rceil", SF8_AUTO_ROUND_SAME)                    \
    SF8_RECIPE_AUTO_ROUND(X, "mxfp8-auto-round-rceil", "e4m3",                                     \
                          "amax 896 amax ifzero 448 / log2-ceil -127 max pow2", "2^-9",            \
                          "0x1.fffffep-11", "mx_fp8_rceil", SF8_AUTO_ROUND_SAME)

/* Tenstorrent's block floating point: 16 elements share the largest exponent field, 8 bits without a
 * code for NaN. An element is a sign and an integer of 7, 3 or 1 bits, with the unit 2^-6, 2^-2 or
 * 1. The packer shifts the mantissa to the shared exponent first, and bits that fall off do not
 * count; then it rounds to nearest even. 0 has no sign. */
#define SF8_RECIPE_BFP(X, name, element, drop, unit, function)                                     \
    X(name, element, "cuda-satfinite", "missing_nan=zero", 16, "e=8,m=0,signed=0,nan=none,zero=0", \
      "cuda-satfinite", "missing_nan=max", "amax exponent pow2", "", "",                           \
      "x s / 2^23 * trunc " drop " * rint " unit " * 0 +", "e s *", "amax=nan",                    \
      "tt-metal", "034fc8c", function " of blockfloat_common.cpp, unpacked by convert_bfp_to_u32", \
      "verified on a CPU: tt-metal 034fc8c, blockfloat_common.cpp compiled alone, f32, bf16, "     \
      "f16, "                                                                                      \
      "3,932,160 blocks, 0 differences from amax 2^-103 on, 2026-11-25",                           \
      "NaN and infinite elements; amax below 2^-103, where subnormal numbers count as normal "     \
      "ones "                                                                                      \
      "and small exponents wrap; the order in a tile; what the device's packer rounds")
#define SF8_RECIPES_BFP(X)                                                                         \
    SF8_RECIPE_BFP(X, "bfp8-tenstorrent", "e=1,m=6,bias=1,nan=none", "2^-17", "2^-6", "Bfp8_b")    \
    SF8_RECIPE_BFP(X, "bfp4-tenstorrent", "e=1,m=2,bias=1,nan=none", "2^-21", "2^-2", "Bfp4_b")    \
    SF8_RECIPE_BFP(X, "bfp2-tenstorrent", "e=1,m=0,bias=1", "2^-23", "1", "Bfp2_b")

#define SF8_RECIPES_WEIGHTS(X)                                                                     \
    SF8_RECIPES_COMPRESSED(X)                                                                      \
    SF8_RECIPES_MODELOPT(X)                                                                        \
    SF8_RECIPES_TORCHAO(X)                                                                         \
    SF8_RECIPES_GGUF(X)                                                                            \
    SF8_RECIPES_MLX(X)                                                                             \
    SF8_RECIPES_AUTO_ROUND(X)                                                                      \
    SF8_RECIPES_BFP(X)

#endif
