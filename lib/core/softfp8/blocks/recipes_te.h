/* SPDX-License-Identifier: MIT */
/* recipes_te.h -- Transformer Engine: blockwise FP8, MXFP8, MXFP4, NVFP4 in blocks of 16 x 16 and
 * with a choice between 4 and 6; recipes.h explains the rows
 *
 * Float8Blockwise computes the factor first, max / amax, and stores its reciprocal as the scale. A
 * factor that overflows (amax below 1.3e-36) becomes the largest number of the tensor's format. A
 * block of zeros has the factor 1. With powers of two, which is the default, the mantissa of the
 * factor is truncated. With an eps (1e-3 in the rows here), amax is at least eps.
 */
#ifndef SOFTFP8_RECIPES_TE_H
#define SOFTFP8_RECIPES_TE_H

#define SF8_TE_OWN_MAX "FLT_MAX own 0x1.fep127 own 65504 finite-or finite-or"
#define SF8_TE_FACTOR(most, cut) "amax 1 " most " amax / " SF8_TE_OWN_MAX " finite-or" cut " ifzero"
#define SF8_TE_FACTOR_EPS(most, cut) most " amax 1e-3 max /" cut
#define SF8_TE_POW2 " exponent pow2"
#define SF8_RECIPE_TE(X, name, element, block, factor, most, properties, how, blocks, open)        \
    X(name, element, "cuda-satfinite", "", block, "f32", "ocp-nosat", "", factor " rcp", "",       \
      factor, "x f * -" most " nmax " most " nmin", "e s *", properties, "Transformer Engine",     \
      "2.20.2", "Float8Blockwise, " how,                                                           \
      "verified on a CPU: Transformer Engine d0067d0, BlockwiseQuantizerReference, " blocks        \
      " blocks of f32, bf16, f16, 0 differences, 2026-11-22; source: Transformer Engine d0067d0, " \
      "recipe_common.cuh",                                                                         \
      open)
#define SF8_TE_OPEN "NaN elements"
#define SF8_TE_OPEN_POW2 "NaN and infinite elements"
#define SF8_TE_OPEN_EPS "NaN elements; an eps other than 1e-3, which is 0 by default"
#define SF8_TE_OPEN_POW2_EPS                                                                       \
    "NaN and infinite elements; an eps other than 1e-3, which is 0 by default"

/* The six rows of one shape of blocks. */
#define SF8_RECIPES_TE_BLOCKWISE(X, fp8, e5m2, block, properties, shape, blocks)                   \
    SF8_RECIPE_TE(X, fp8 "-te", "e4m3", block, SF8_TE_FACTOR("448", SF8_TE_POW2), "448",           \
                  properties, shape " of e4m3, powers of two", blocks, SF8_TE_OPEN_POW2)           \
    SF8_RECIPE_TE(X, fp8 "-te-eps", "e4m3", block, SF8_TE_FACTOR_EPS("448", SF8_TE_POW2), "448",   \
                  properties, shape " of e4m3, powers of two, eps 1e-3", blocks,                   \
                  SF8_TE_OPEN_POW2_EPS)                                                            \
    SF8_RECIPE_TE(X, fp8 "-te-f32", "e4m3", block, SF8_TE_FACTOR("448", ""), "448", properties,    \
                  shape " of e4m3, scales of any f32", blocks, SF8_TE_OPEN)                        \
    SF8_RECIPE_TE(X, fp8 "-te-f32-eps", "e4m3", block, SF8_TE_FACTOR_EPS("448", ""), "448",        \
                  properties, shape " of e4m3, scales of any f32, eps 1e-3", blocks,               \
                  SF8_TE_OPEN_EPS)                                                                 \
    SF8_RECIPE_TE(X, e5m2 "-te", "e5m2", block, SF8_TE_FACTOR("57344", SF8_TE_POW2), "57344",      \
                  properties, shape " of e5m2, powers of two", blocks, SF8_TE_OPEN_POW2)           \
    SF8_RECIPE_TE(X, e5m2 "-te-f32", "e5m2", block, SF8_TE_FACTOR("57344", ""), "57344",           \
                  properties, shape " of e5m2, scales of any f32", blocks, SF8_TE_OPEN)

/* NVFP4 by 4 over 6. A block is quantized twice: with its largest magnitude at 6, and at 4 by a
 * scale 1.5 times as large. The smaller error decides; a tie takes 6. The encode scale is min(6 M /
 * amax, FLT_MAX) with the tensor's amax, where M is 256 by default, or 448. An error is |d| or d d,
 * added in the order of the elements of a row. d is the value less x, and the value is computed
 * from the tensor's amax, which is g here. With fast math, d is the value before the division by
 * the encode scale, less x times that scale; then g is that scale, and amax is not needed. */
#define SF8_TE_ENCODE(amax, most) amax " 1 " most " " amax " / FLT_MAX min ifzero"
#define SF8_TE_MAE(d) d " " d " neg max"
#define SF8_TE_MSE(d) d " " d " *"
#define SF8_TE_CHOICE_RAN(what, blocks)                                                            \
    "NVFP4QuantizerRef with 4 over 6, blocks of " what,                                            \
    "verified on a CPU: Transformer Engine d0067d0, _quantize_blockwise_4over6_reference, "        \
    "blocks of "                                                                                   \
    what ", " blocks " blocks of f32, bf16, f16, differences in the sign of zero only, "           \
    "2026-11-22; source: Transformer Engine d0067d0, quantize_4over6_nvfp4.cuh"
#define SF8_TE_CHOICE_OPEN "the value of a code; NaN elements"
#define SF8_RECIPE_TE_EXACT(X, name, most, error, rows, ...)                                       \
    X(name, "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",                        \
      "amax 6 / " SF8_TE_ENCODE("g", most) " *", "",                                               \
      "s " SF8_TE_ENCODE("g", most) " rcp * rcp FLT_MAX min", "x f *",                             \
      "e s * g * " most " /",                                                                      \
      "g=given" rows, "Transformer Engine", "2.20.2", __VA_ARGS__, SF8_TE_CHOICE_OPEN,             \
      "amax", "amax 6 / " SF8_TE_ENCODE("g", most) " * 1.5 *",                                     \
      error("e s * g * " most " / x -"))
#define SF8_RECIPE_TE_FAST(X, name, most, error, rows, ...)                                        \
    X(name, "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "", "amax 6 / g *", "",    \
      "1 s 1 g / * / FLT_MAX min", "x f *", "e s * g /", "g=encode" rows, "Transformer Engine",    \
      "2.20.2", __VA_ARGS__, SF8_TE_CHOICE_OPEN, SF8_TE_ENCODE("amax", most),                      \
      "amax 6 / g * 1.5 *", error("e s * x g * -"))
#define SF8_RECIPES_TE_4OVER6(X)                                                                   \
    SF8_RECIPE_TE_EXACT(X, "nvfp4-te-4over6", "1536", SF8_TE_MAE, "",                              \
        SF8_TE_CHOICE_RAN("1 x 16, e4m3_max 256, MAE", "524,288"))                                 \
    SF8_RECIPE_TE_FAST(X, "nvfp4-te-4over6-fast", "1536", SF8_TE_MAE, "",                          \
        SF8_TE_CHOICE_RAN("1 x 16, e4m3_max 256, MAE, fast math", "524,288"))                      \
    SF8_RECIPE_TE_EXACT(X, "nvfp4-te-4over6-mse", "1536", SF8_TE_MSE, "",                          \
        SF8_TE_CHOICE_RAN("1 x 16, e4m3_max 256, MSE", "524,288"))                                 \
    SF8_RECIPE_TE_FAST(X, "nvfp4-te-4over6-mse-fast", "1536", SF8_TE_MSE, "",                      \
        SF8_TE_CHOICE_RAN("1 x 16, e4m3_max 256, MSE, fast math", "524,288"))                      \
    SF8_RECIPE_TE_EXACT(X, "nvfp4-te-4over6-448", "2688", SF8_TE_MAE, "",                          \
        SF8_TE_CHOICE_RAN("1 x 16, e4m3_max 448, MAE", "524,288"))                                 \
    SF8_RECIPE_TE_FAST(X, "nvfp4-te-4over6-448-fast", "2688", SF8_TE_MAE, "",                      \
        SF8_TE_CHOICE_RAN("1 x 16, e4m3_max 448, MAE, fast math", "524,288"))                      \
    SF8_RECIPE_TE_EXACT(X, "nvfp4-te-4over6-448-mse", "2688", SF8_TE_MSE, "",                      \
        SF8_TE_CHOICE_RAN("1 x 16, e4m3_max 448, MSE", "524,288"))                                 \
    SF8_RECIPE_TE_EXACT(X, "nvfp4-te-16x16-4over6", "1536", SF8_TE_MAE, " rows=16",                \
        SF8_TE_CHOICE_RAN("16 x 16, e4m3_max 256, MAE", "32,768"))                                 \
    SF8_RECIPE_TE_FAST(X, "nvfp4-te-16x16-4over6-fast", "1536", SF8_TE_MAE, " rows=16",            \
        SF8_TE_CHOICE_RAN("16 x 16, e4m3_max 256, MAE, fast math", "32,768"))                      \
    SF8_RECIPE_TE_EXACT(X, "nvfp4-te-16x16-4over6-mse", "1536", SF8_TE_MSE, " rows=16",            \
        SF8_TE_CHOICE_RAN("16 x 16, e4m3_max 256, MSE", "32,768"))                                 \
    SF8_RECIPE_TE_FAST(X, "nvfp4-te-16x16-4over6-mse-fast", "1536", SF8_TE_MSE, " rows=16",        \
        SF8_TE_CHOICE_RAN("16 x 16, e4m3_max 256, MSE, fast math", "32,768"))                      \
    SF8_RECIPE_TE_EXACT(X, "nvfp4-te-16x16-4over6-448", "2688", SF8_TE_MAE, " rows=16",            \
        SF8_TE_CHOICE_RAN("16 x 16, e4m3_max 448, MAE", "32,768"))                                 \
    SF8_RECIPE_TE_FAST(X, "nvfp4-te-16x16-4over6-448-fast", "2688", SF8_TE_MAE, " rows=16",        \
        SF8_TE_CHOICE_RAN("16 x 16, e4m3_max 448, MAE, fast math", "32,768"))

/* MXFP8Quantizer. amax begins with 0, so that a block of NaN has the scale 00. */
#define SF8_TE_MXFP8_CPU(function, blocks)                                                         \
    "verified compiled for a CPU: Transformer Engine d0067d0, " function " of "                    \
    "test_cast_mxfp8.cu, "                                                                         \
    blocks " of f32, bf16, f16, 0 differences, 2026-11-29; source: Transformer Engine d0067d0, "   \
    "quantize_mxfp8.cuh"
#define SF8_TE_MXFP8_FLASHINFER                                                                    \
    "; ran on a CPU: FlashInfer 0.7.4, quantize_mx_reference of batch_invariant, 98,304 blocks "   \
    "of f32, "                                                                                     \
    "bf16, f16, 0 differences, 2026-11-29"
#define SF8_RECIPE_TE_MXFP8(X, name, element, most, properties, how, evidence, open)               \
    X(name, element, "cuda-satfinite", "", 32, "e8m0", "cuda-satfinite", "round=ru",               \
      "amax 0 max 1 " most " / *", "", "1 s /", "x f *", "e s *", properties,                      \
      "Transformer Engine", "2.20.2", "MXFP8Quantizer, " how, evidence, open)
#define SF8_TE_MXFP8_OPEN                                                                          \
    "-0, which kernels that only cast bf16 or f16 may write as +0; a build with _ENABLE_MXFMA, "   \
    "which rounds 1/448 to bf16 or f16"
#define SF8_RECIPES_TE_MXFP8(X)                                                                    \
    SF8_RECIPE_TE_MXFP8(X, "mxfp8-te", "e4m3", "448", "", "e4m3, blocks of 1 x 32",                \
                        SF8_TE_MXFP8_CPU("compute_ref", "196,608 blocks") SF8_TE_MXFP8_FLASHINFER, \
                        SF8_TE_MXFP8_OPEN)                                                         \
    SF8_RECIPE_TE_MXFP8(X, "mxfp8-e5m2-te", "e5m2", "57344", "", "e5m2, blocks of 1 x 32",         \
                        SF8_TE_MXFP8_CPU("compute_ref", "196,608 blocks"), SF8_TE_MXFP8_OPEN)      \
    SF8_RECIPE_TE_MXFP8(X, "mxfp8-te-32x32", "e4m3", "448", "rows=32",                             \
                        "e4m3, 2D: blocks of 32 x 32; it repeats each scale for 32 rows",          \
                        SF8_TE_MXFP8_CPU("compute_ref_2d_quantize", "6,144 blocks of 32 x 32"),    \
                        "-0, which a kernel may write as +0")

#define SF8_RECIPES_TE(X)                                                                          \
    SF8_RECIPES_TE_BLOCKWISE(X, "fp8-group128", "fp8-e5m2-group128", 128, "",                      \
                             "blocks of 1 x 128", "163,840")                                       \
    SF8_RECIPES_TE_BLOCKWISE(X, "fp8-block128", "fp8-e5m2-block128", 128, "rows=128",              \
                             "blocks of 128 x 128", "1,280")                                       \
    X("nvfp4-te-ref", "e2m1", "cuda-satfinite", "missing_nan=zero", 16, "e4m3", "cuda-satfinite",  \
      "", "amax g 1 6 / * * FLT_MAX nmin", "", "1 s 1 g / * / FLT_MAX nmin", "x f * 0 +",          \
      "e s * g /", "g=encode amax=nan", "Transformer Engine", "2.20.2",                            \
      "NVFP4QuantizerRef on a CPU, where -0 is 0; nvfp4-te is the device's code",                  \
      "verified on a CPU: Transformer Engine d0067d0, _quantize_blockwise_reference, 221,184 "     \
      "blocks of "                                                                                 \
      "f32, bf16, f16, 0 differences, 2026-11-22; source: Transformer Engine d0067d0, "            \
      "reference_nvfp4.py",                                                                        \
      "the value of a code; g of a tensor of zeros, here 1", SF8_G_ENCODES)                        \
    X("nvfp4-te-16x16", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",            \
      "amax g 1 6 / * * FLT_MAX min", "", "1 s 1 g / * / FLT_MAX min", "x f *", "e s * g /",       \
      "g=encode rows=16", "Transformer Engine", "2.20.2",                                          \
      "NVFP4QuantizerRef, blocks of 16 x 16; it repeats each scale for 16 rows",                   \
      "verified on a CPU: Transformer Engine d0067d0, _quantize_blockwise_reference, 69,632 "      \
      "blocks of 16 "                                                                              \
      "x 16 of f32, bf16, f16, differences in the sign of zero only, 2026-11-22",                  \
      "the value of a code; NaN elements", SF8_TE_ENCODE("amax", "2688"))                          \
    SF8_RECIPES_TE_4OVER6(X)                                                                       \
    SF8_RECIPES_TE_MXFP8(X)                                                                        \
    X("mxfp4-te", "e2m1", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",                       \
      "amax 6 / log2-ceil -127 max 127 min pow2", "", "1 s /", "x f * 0 +", "e s *", "",           \
      "Transformer Engine", "2.20.2", "NVFP4QuantizerRef with pow_2_scales, blocks of 1 x 32",     \
      "ran on a CPU: Transformer Engine d0067d0, _quantize_blockwise_reference with "              \
      "pow_2_scales, 163,840 "                                                                     \
      "blocks of f32, bf16, f16, 0 differences, 2026-11-22",                                       \
      "the sign of a zero on a device; NaN elements")

#endif
