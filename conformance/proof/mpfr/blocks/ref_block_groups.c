/* SPDX-License-Identifier: MIT */
/* ref_block_groups.c -- groups of SGLang, vLLM and DeepSeek-V3: 8-bit codes with a scale of f32 */
#include "mpfr/blocks/ref_block_recipes.h"

#define REF_127 0x42fe0000u
#define REF_128 0x43000000u

/* max(amax, 1 / least): 1e10 for SGLang and vLLM, 1e4 for DeepSeek. */
static word amax_of(const word *x, size_t n, uint64_t least)
{
    return ref_f32_max(ref_amax(x, n, 0), ref_f32_ratio(1, least));
}

static word top_of(int integer)
{
    return integer ? REF_127 : REF_448;
}

/* amax / top, or amax * (1 / top) with that constant rounded first. */
static word over_top(const word *x, size_t n, int integer)
{
    return ref_f32_div(amax_of(x, n, 10000000000u), top_of(integer));
}

static word times_inverse(const word *x, size_t n, int integer)
{
    word inverse = integer ? ref_f32_ratio(1, 127) : ref_f32_ratio(1, 448);
    return ref_f32_mul(amax_of(x, n, 10000000000u), inverse);
}

/* min(max(y, -448), 448): NaN is the lower bound. */
static uint32_t fp8(word y)
{
    y = ref_f32_min(ref_f32_max(y, ref_f32_neg(REF_448)), REF_448);
    return ref_narrowed(REF_E4M3, y, REF_RNE);
}

/* The same with 127, then cut off by the conversion. */
static uint32_t cut8(word y)
{
    y = ref_f32_min(ref_f32_max(y, ref_f32_neg(REF_128)), REF_127);
    return ref_integer(ref_f32_trunc(y), 8);
}

typedef uint32_t cast(word y);
typedef word operation(word a, word b);

/* cast(op(x, by)); an element like the one before it has its code. */
static void codes(ref_block *b, const word *x, size_t n, operation *op, word by, cast *to)
{
    for (size_t i = 0; i < n; i++)
        b->code[i] = i > 0 && x[i] == x[i - 1] ? b->code[i - 1] : to(op(x[i], by));
}

/* y_s = absmax / max; y_s_inv = 1.0 / y_s; clamp(y * y_s_inv) */
REF_STORE(sglang_triton, b->scale = over_top(x, n, 0);
          codes(b, x, n, ref_f32_mul, ref_f32_div(REF_1, b->scale), fp8))
REF_STORE(sglang_triton_int8, b->scale = over_top(x, n, 1);
          codes(b, x, n, ref_f32_mul, ref_f32_div(REF_1, b->scale), cut8))

/* y_s = _absmax * (1.0 / fp8_max); clamp(y / y_s) */
REF_STORE(vllm_triton, b->scale = times_inverse(x, n, 0);
          codes(b, x, n, ref_f32_div, b->scale, fp8))
REF_STORE(vllm_triton_int8, b->scale = over_top(x, n, 1);
          codes(b, x, n, ref_f32_div, b->scale, cut8))

/* exp2(ceil(log2(s))) */
static word up_to_power(word s)
{
    word e = ref_f32_log2_ceil(s);
    for (int i = -149; i <= 127; i++) {
        if (!ref_f32_less(ref_number(i), e))
            return ref_f32_pow2(i);
    }
    return REF_INF;
}

REF_STORE(sglang_triton_ue8m0, b->scale = up_to_power(over_top(x, n, 0));
          codes(b, x, n, ref_f32_div, b->scale, fp8))
REF_STORE(vllm_triton_ue8m0, b->scale = up_to_power(times_inverse(x, n, 0));
          codes(b, x, n, ref_f32_div, b->scale, fp8))

/* round(x * (127 / absmax)), ties away, as torch's and libdevice's round: |codes| stay below 128 as
 * long as absmax is a number. */
static uint32_t nearest8(word y)
{
    word r = ref_f32_is_nan(y) ? 0 : ref_f32_round(y);
    return ref_integer(ref_f32_max(ref_f32_min(r, ref_f32_pow2(31)), ref_f32_neg(ref_f32_pow2(31))),
                       8);
}

REF_STORE(sglang_token_int8, b->scale = over_top(x, n, 1);
          codes(b, x, n, ref_f32_mul, ref_f32_div(REF_127, amax_of(x, n, 10000000000u)), nearest8))

/* scale_inv = amax * (1 / max), stored; scale = max / amax, multiplied with. */
static word cuda_factor(const word *x, size_t n, int integer)
{
    return ref_f32_div(top_of(integer), amax_of(x, n, 10000000000u));
}

/* fminf(y, 448) and a conversion that saturates. */
static uint32_t fp8_upper(word y)
{
    return ref_narrowed(REF_E4M3, ref_f32_min(y, REF_448), REF_RNE);
}

static uint32_t fp8_own_upper(word y)
{
    return fp8_upper(ref_own(y));
}

/* 2^ of the exponent field, one more where the mantissa is not 0. */
static word bits_up_to_power(word s)
{
    int power;
    if (s == REF_INF)
        return REF_NAN;
    long e = ref_f32_log2(s, &power);
    return ref_f32_pow2(e + !power);
}

REF_STORE(sglang_cuda, b->scale = times_inverse(x, n, 0);
          codes(b, x, n, ref_f32_mul, cuda_factor(x, n, 0), fp8_upper))
REF_STORE(sglang_cuda_int8, b->scale = times_inverse(x, n, 1);
          codes(b, x, n, ref_f32_mul, cuda_factor(x, n, 1), cut8))
REF_STORE(sglang_cuda_ue8m0, b->scale = bits_up_to_power(times_inverse(x, n, 0));
          codes(b, x, n, ref_f32_mul, ref_f32_div(REF_1, b->scale), fp8))
REF_STORE(sglang_cuda_packed, b->scale = bits_up_to_power(times_inverse(x, n, 0));
          codes(b, x, n, ref_f32_mul, ref_own(ref_f32_div(REF_1, b->scale)), fp8_own_upper))

/* s = max(amax, 1e-4) / 448; with ue8m0 exp2(ceil(log2(s))); x / s */
static uint32_t fp8_free(word y)
{
    return ref_narrowed(REF_E4M3, y, REF_RNE);
}

REF_STORE(deepseek, b->scale = ref_f32_div(amax_of(x, n, 10000), REF_448);
          codes(b, x, n, ref_f32_div, b->scale, fp8_free))
REF_STORE(deepseek_ue8m0, b->scale = up_to_power(ref_f32_div(amax_of(x, n, 10000), REF_448));
          codes(b, x, n, ref_f32_div, b->scale, fp8_free))

/* V3.2: amax * (1/448), with round_scale up to a power of two by the bits; clamp(x / s). */
REF_STORE(deepseek_v32, b->scale = ref_f32_mul(amax_of(x, n, 10000), ref_f32_ratio(1, 448));
          codes(b, x, n, ref_f32_div, b->scale, fp8))
REF_STORE(deepseek_v32_ue8m0,
          b->scale = bits_up_to_power(ref_f32_mul(amax_of(x, n, 10000), ref_f32_ratio(1, 448)));
          codes(b, x, n, ref_f32_div, b->scale, fp8))

/* DeepGEMM's per_block_cast_to_fp8 and per_token_cast_to_fp8: sf = max(amax, 1e-4) / 448, with
 * ue8m0 up to a power of two by log2 or by the bits; x * (1 / sf). SGLang's copy:
 * x * (448 / max(amax, 1e-4)), which torch computes as a reciprocal times 448. */
REF_STORE(vllm_block, b->scale = ref_f32_div(amax_of(x, n, 10000), REF_448);
          codes(b, x, n, ref_f32_mul, ref_f32_div(REF_1, b->scale), fp8_free))
REF_STORE(vllm_block_ue8m0, b->scale = up_to_power(ref_f32_div(amax_of(x, n, 10000), REF_448));
          codes(b, x, n, ref_f32_mul, ref_f32_div(REF_1, b->scale), fp8_free))
REF_STORE(deepgemm_block_ue8m0,
          b->scale = bits_up_to_power(ref_f32_div(amax_of(x, n, 10000), REF_448));
          codes(b, x, n, ref_f32_mul, ref_f32_div(REF_1, b->scale), fp8_free))
REF_STORE(sglang_block, word amax = amax_of(x, n, 10000); b->scale = ref_f32_div(amax, REF_448);
          codes(b, x, n, ref_f32_mul, ref_f32_mul(ref_f32_div(REF_1, amax), REF_448), fp8_free))
REF_VALUE(fp8_value, ref_f32_mul(ref_e4m3(code), scale))
REF_VALUE(int8_value, ref_f32_mul(ref_from_int8(code), scale))

#define ROW(name, block, approximate, quantize, value)                                             \
    {                                                                                              \
        name, "e4m3", block, REF_G_NONE, approximate, 8, 32, quantize, value                       \
    }

const ref_recipe ref_group_recipes[] = {
    ROW("fp8-group64-sglang-triton", 64, 0, sglang_triton, fp8_value),
    ROW("fp8-group128-sglang-triton", 128, 0, sglang_triton, fp8_value),
    ROW("fp8-group128-sglang-triton-ue8m0", 128, 0, sglang_triton_ue8m0, fp8_value),
    ROW("int8-group128-sglang-triton", 128, 0, sglang_triton_int8, int8_value),
    ROW("int8-per-token-sglang", 0, 0, sglang_token_int8, int8_value),
    ROW("fp8-group128-sglang", 128, 1, sglang_cuda, fp8_value),
    ROW("fp8-group128-sglang-ue8m0", 128, 0, sglang_cuda_ue8m0, fp8_value),
    ROW("fp8-group128-sglang-ue8m0-packed", 128, 0, sglang_cuda_packed, fp8_value),
    ROW("int8-group128-sglang", 128, 1, sglang_cuda_int8, int8_value),
    ROW("fp8-group64-vllm-triton", 64, 0, vllm_triton, fp8_value),
    ROW("fp8-group128-vllm-triton", 128, 0, vllm_triton, fp8_value),
    ROW("fp8-group128-vllm-triton-ue8m0", 128, 0, vllm_triton_ue8m0, fp8_value),
    ROW("int8-group128-vllm-triton", 128, 0, vllm_triton_int8, int8_value),
    ROW("fp8-group128-deepseek", 128, 0, deepseek, fp8_value),
    ROW("fp8-group128-deepseek-ue8m0", 128, 0, deepseek_ue8m0, fp8_value),
    ROW("fp8-group128-deepseek-v3.2", 128, 0, deepseek_v32, fp8_value),
    ROW("fp8-group128-deepseek-v3.2-ue8m0", 128, 0, deepseek_v32_ue8m0, fp8_value),
    ROW("fp8-group128-deepgemm", 128, 0, vllm_block, fp8_value),
    ROW("fp8-group128-deepgemm-ue8m0", 128, 0, deepgemm_block_ue8m0, fp8_value),
    ROW("fp8-block128-vllm", 128, 0, vllm_block, fp8_value),
    ROW("fp8-block128-vllm-ue8m0", 128, 0, vllm_block_ue8m0, fp8_value),
    ROW("fp8-block128-deepgemm", 128, 0, vllm_block, fp8_value),
    ROW("fp8-block128-deepgemm-ue8m0", 128, 0, deepgemm_block_ue8m0, fp8_value),
    ROW("fp8-block128-sglang", 128, 0, sglang_block, fp8_value),
    {0},
};
