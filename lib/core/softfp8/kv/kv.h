/* SPDX-License-Identifier: MIT */
/* kv.h -- KV caches: how a code is read back, and how a scale is computed
 *
 * How a cache is stored is a recipe (blocks/block.h, kv/recipes.h). This header has, as data,
 *
 *     readers   how a kernel turns a code e and the scale s into a number of its format: a program,
 *               then one conversion. A reader whose program does not use s leaves the scale to the
 *               attention's products: the scale is folded.
 *     rules     how the amax of the elements that share a scale becomes that scale: a program
 *
 * All values are f32 bit patterns, as in f32/arith.h.
 */
#ifndef SOFTFP8_KV_H
#define SOFTFP8_KV_H

#include "softfp8/blocks/block.h"

/* ---- readers --------------------------------------------------------------------------------- */

/* Readers: X(name, format of the codes, 1 if all codes are numbers, format of the result, program
 * over e and s, source, what is not established). All codes are numbers for a reader that moves
 * bits and does not know NaN and infinity. */
#define SF8_KV_READS_AS "vLLM fp8/nvidia/quant_utils.cuh scaled_vec_conversion"
#define SF8_KV_READERS_OF(X, element, suffix)                                                      \
    X("vllm-half" suffix, element, 0, "f16", "e s *", SF8_KV_READS_AS, "")                         \
    X("vllm-bf16" suffix, element, 0, "bf16", "e s *", SF8_KV_READS_AS, "")                        \
    X("vllm-float" suffix, element, 0, "f32", "e s *", SF8_KV_READS_AS " to one float", "")        \
    X("vllm-float2" suffix, element, 0, "f32", "e s * f16",                                        \
      SF8_KV_READS_AS " to 2, 4 and 8 floats, by way of half2", "")
#define SF8_KV_READERS(X)                                                                          \
    SF8_KV_READERS_OF(X, "e4m3", "")                                                               \
    SF8_KV_READERS_OF(X, "e5m2", "-e5m2")                                                          \
    X("vllm-rocm-half", "e4m3fnuz", 0, "f16", "e s *", "vLLM fp8/amd/quant_utils.cuh", "")         \
    X("vllm-rocm-bf16", "e4m3fnuz", 0, "bf16", "e s *", "vLLM fp8/amd/quant_utils.cuh", "")        \
    X("vllm-rocm-float", "e4m3fnuz", 0, "f32", "e s *", "vLLM fp8/amd/quant_utils.cuh", "")        \
    X("vllm-triton-half", "e4m3", 0, "f16", "e s *",                                               \
      "vLLM triton_unified_attention.py, queries of half", "")                                     \
    X("vllm-triton-bf16", "e4m3", 0, "bf16", "e s *",                                              \
      "vLLM triton_unified_attention.py, queries of bf16", "")                                     \
    X("vllm-ds-mla", "e4m3", 0, "bf16", "e s *",                                                   \
      "vLLM cp_gather_and_upconvert_fp8_kv_cache, s the scale of the tile", "")                    \
    X("flashinfer-bf16", "e4m3", 1, "bf16", "e", "FlashInfer vec_dtypes.cuh fast_dequant_f8f16x4", \
      "the 7 subnormal codes, if the product of bf16 takes what is subnormal for 0")               \
    X("flashinfer-bf16-e5m2", "e5m2", 1, "bf16", "e",                                              \
      "FlashInfer vec_dtypes.cuh fast_dequant_f8f16x4",                                            \
      "the 3 subnormal codes, if the product of bf16 takes what is subnormal for 0")               \
    X("flashinfer-half", "e4m3", 1, "f16", "e",                                                    \
      "FlashInfer vec_dtypes.cuh fast_dequant_f8f16x4, before sm_89", "")                          \
    X("flashinfer-half-e5m2", "e5m2", 0, "f16", "e", "FlashInfer vec_dtypes.cuh, bytes moved",     \
      "which NaN: its mantissa is that of the code there")                                         \
    X("sglang-half", "e4m3", 0, "f16", "e", "SGLang, a cast; k_scale goes to the products", "")    \
    X("sglang-bf16", "e4m3", 0, "bf16", "e", "SGLang, a cast; k_scale goes to the products", "")   \
    X("minisgl-bf16", "e4m3", 0, "bf16", "e", "mini-sglang's FP8 pool, a cast", "")                \
    X("fa3", "e4m3", 0, "f32", "e",                                                                \
      "FlashAttention-3: codes are multiplied as such, by k_descale the logits, by v_descale "     \
      "what comes out",                                                                            \
      "")

typedef struct sf8_kv_reader {
    sf8_format element, out;
    sf8_program value_of;
} sf8_kv_reader;

/* Returns a format without its NaNs and infinity: their codes continue the numbers. */
SF8_FN sf8_format sf8_kv_all_numbers(sf8_format f)
{
    f.nan = SF8_NANS_NONE;
    f.has_inf = 0;
    return f;
}

/* Reads a code with the scale s, an f32. */
SF8_LONG uint32_t sf8_kv_read(const sf8_kv_reader *r, uint32_t code, uint32_t s)
{
    uint32_t variable[SF8_VAR_COUNT];
    for (int32_t i = 0; i < SF8_VAR_COUNT; i++)
        variable[i] = 0;
    variable[SF8_VAR_s] = s;
    variable[SF8_VAR_e] =
        (uint32_t)sf8_core_convert(SF8_F32, r->element, code, SF8_OCP_NOSAT, 0).code;
    return sf8_block_stored(r->out, SF8_OCP_NOSAT, sf8_program_run(&r->value_of, variable));
}

/* Returns 1 if the reader leaves the scale to the products. */
SF8_FN int32_t sf8_kv_folds(const sf8_kv_reader *r)
{
    int32_t asks = 0;
    for (int32_t i = 0; i < r->value_of.count; i++)
        asks |= r->value_of.term[i].op == SF8_TERM_VARIABLE &&
                r->value_of.term[i].word == SF8_VAR_s;
    return !asks;
}

/* ---- rules of scales ------------------------------------------------------------------------- */

/* Rules: X(name, program over amax, whether a NaN reaches amax, source, what is not established).
 * Where the divisor is a number on the host, torch multiplies by its reciprocal. */
#define SF8_KV_CALC "vLLM attention.py calc_kv_scales, "
#define SF8_KV_RULES(X)                                                                            \
    X("amax-200", "amax 200 /", SF8_AMAX_NAN, SF8_KV_CALC "K_SCALE_CONSTANT on the device", "")    \
    X("amax-200-rcp", "amax 1 200 / *", SF8_AMAX_NAN, SF8_KV_CALC "K_SCALE_CONSTANT on the host",  \
      "")                                                                                          \
    X("amax-100", "amax 100 /", SF8_AMAX_NAN, SF8_KV_CALC "V_SCALE_CONSTANT on the device", "")    \
    X("amax-100-rcp", "amax 1 100 / *", SF8_AMAX_NAN, SF8_KV_CALC "V_SCALE_CONSTANT on the host",  \
      "")                                                                                          \
    X("amax-448", "amax 448 /", SF8_AMAX_NAN, "calibration by torch on the device", "")            \
    X("amax-448-rcp", "amax 1 448 / *", SF8_AMAX_NAN, "calibration by torch, 448 on the host", "") \
    X("tensor", "amax 448 /", SF8_AMAX_NUMBER, "vLLM dynamic_scaled_fp8_quant", "")                \
    X("token", "amax 448 / 1 229376 / max", SF8_AMAX_NUMBER,                                       \
      "vLLM dynamic_per_token_scaled_fp8_quant", "")                                               \
    X("token-head", "amax 448 / 1e-6 max", SF8_AMAX_NUMBER, "vLLM fp8_per_token_head",             \
      "NaN elements")                                                                              \
    X("token-head-int8", "amax 127 / 1e-6 max", SF8_AMAX_NUMBER, "vLLM int8_per_token_head",       \
      "NaN elements")                                                                              \
    X("ds-mla", "amax 448 / 2^-126 max", SF8_AMAX_NUMBER, "vLLM concat_and_cache_ds_mla", "")      \
    X("indexer", "amax 1e-4 max 448 /", SF8_AMAX_NUMBER, "vLLM indexer_k_quant_and_cache", "")

typedef struct sf8_kv_rule {
    sf8_program scale_of;
    uint32_t amax_nan; /* SF8_AMAX_NUMBER or SF8_AMAX_NAN */
} sf8_kv_rule;

/* Returns the scale of elements with this largest magnitude. It is NaN if there was no number, or
 * if a NaN counts and there was one. */
SF8_LONG uint32_t sf8_kv_scale_of(const sf8_kv_rule *rule, uint32_t amax)
{
    uint32_t variable[SF8_VAR_COUNT];
    for (int32_t i = 0; i < SF8_VAR_COUNT; i++)
        variable[i] = 0;
    variable[SF8_VAR_amax] = amax;
    return sf8_program_run(&rule->scale_of, variable);
}

/* Which elements share a scale: the tensor, a head, a token, or a head of a token. */
enum { SF8_KV_PER_TENSOR, SF8_KV_PER_HEAD, SF8_KV_PER_TOKEN, SF8_KV_PER_TOKEN_HEAD };

/* Returns the index of the scale of an element. */
SF8_FN uint64_t sf8_kv_scale_index(int32_t per, uint64_t heads, uint64_t token, uint64_t head)
{
    return per == SF8_KV_PER_HEAD         ? head
           : per == SF8_KV_PER_TOKEN      ? token
           : per == SF8_KV_PER_TOKEN_HEAD ? token * heads + head
                                          : 0;
}

/* Returns the number of scales. */
SF8_FN uint64_t sf8_kv_scale_count(int32_t per, uint64_t tokens, uint64_t heads)
{
    if (tokens == 0 || heads == 0)
        return 0;
    return sf8_kv_scale_index(per, heads, tokens - 1, heads - 1) + 1;
}

#endif
