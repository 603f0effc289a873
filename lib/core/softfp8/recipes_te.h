/* SPDX-License-Identifier: MIT */
/* recipes_te.h -- Transformer Engine: blockwise FP8 and MXFP4; the rows are those of recipes.h
 *
 * Float8Blockwise computes the factor first, max / amax, and stores the reciprocal of that as the
 * scale. A factor that overflows, where amax is below 1.3e-36, is the largest number of the
 * tensor's format. A block of zeros has the factor 1. With powers of two, which is the default, the
 * mantissa of the factor is cut off. With an eps, 1e-3 in the rows here, amax is eps at the least.
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
      "ran: Transformer Engine d0067d0, BlockwiseQuantizerReference, " blocks                      \
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

#define SF8_RECIPES_TE(X)                                                                          \
    SF8_RECIPES_TE_BLOCKWISE(X, "fp8-group128", "fp8-e5m2-group128", 128, "", "blocks of 1 x 128", \
                             "163,840")                                                            \
    X("mxfp4-te", "e2m1", "cuda-satfinite", "", 32, "e8m0", "ocp-nosat", "",                       \
      "amax 6 / log2-ceil -127 max 127 min pow2", "", "1 s /", "x f * 0 +", "e s *", "",           \
      "Transformer Engine", "2.20.2", "NVFP4QuantizerRef with pow_2_scales, blocks of 1 x 32",     \
      "ran: Transformer Engine d0067d0, _quantize_blockwise_reference with pow_2_scales, 163,840 " \
      "blocks of f32, bf16, f16, 0 differences, 2026-11-22",                                       \
      "the sign of a zero on a device; NaN elements")

#endif
