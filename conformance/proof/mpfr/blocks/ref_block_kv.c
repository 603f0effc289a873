/* SPDX-License-Identifier: MIT */
/* ref_block_kv.c -- how the stacks store keys and values: FP8 and INT8 with a scale
 *
 * Where a scale is given it is g, and the reader multiplies by it.
 */
#include "mpfr/blocks/ref_block_recipes.h"

#define REF_224 0x43600000u
#define REF_464 0x43e80000u

static word f32(word y)
{
    return y;
}

static word quiet(word a)
{
    return ref_f32_is_nan(a) ? REF_NAN : a;
}

/* fmaxf(-most, fminf(y, most)): of NaN that is most. */
static word within(word y, word most)
{
    return ref_f32_max(ref_f32_min(y, most), ref_f32_neg(most));
}

/* ---- casts ----------------------------------------------------------------------------------- */

static uint32_t e4m3_satfinite(word y)
{
    return ref_narrowed(REF_E4M3, y, REF_RNE);
}

static uint32_t e5m2_satfinite(word y)
{
    return ref_narrowed(REF_E5M2, y, REF_RNE);
}

/* HIP: NaN and infinity are the NaN. */
static uint32_t fnuz(word y)
{
    return ref_f32_abs(y) == REF_INF ? 0x80 : ref_narrowed(REF_E4M3FNUZ, y, REF_RNE);
}

/* torch: the NaN has a sign. From 2.13 on what is too large is 448, before that NaN, and the tie
 * 464 is 448. */
static uint32_t torch_2_13(word y)
{
    uint32_t sign = y >> 31 << 7;
    return ref_f32_is_nan(y) ? sign | 0x7f : ref_narrowed(REF_E4M3, y, REF_RNE);
}

static uint32_t torch_2_12(word y)
{
    uint32_t sign = y >> 31 << 7;
    return ref_f32_is_nan(y) || ref_f32_less(REF_464, ref_f32_abs(y)) ? sign | 0x7f : torch_2_13(y);
}

static uint32_t s8(word y)
{
    word integer = ref_f32_is_nan(y) ? 0 : ref_f32_rint(y);
    word least = ref_f32_neg(ref_f32_ratio(128, 1));
    return ref_integer(ref_f32_max(ref_f32_min(integer, ref_f32_ratio(127, 1)), least), 8);
}

typedef uint32_t cast(word y);
typedef word half(word y);

/* ---- stores ---------------------------------------------------------------------------------- */

/* cast(half(x / s)); an element like the one before it has its code. */
static void divide(ref_block *b, const word *x, size_t n, word s, half *to, cast *by)
{
    for (size_t i = 0; i < n; i++)
        b->code[i] = i > 0 && x[i] == x[i - 1] ? b->code[i - 1] : by(to(ref_f32_div(x[i], s)));
    b->scale = quiet(s);
}

/* cast(half(x * half(1 / s))) */
static void multiply(ref_block *b, const word *x, size_t n, word s, half *factor, half *to,
                     cast *by)
{
    word f = factor(ref_f32_div(REF_1, s));
    for (size_t i = 0; i < n; i++)
        b->code[i] = by(to(ref_f32_mul(x[i], f)));
    b->scale = quiet(s);
}

/* cast(clamp(x * (1 / s))) */
static void clamped(ref_block *b, const word *x, size_t n, word s, word most, cast *by)
{
    word f = ref_f32_div(REF_1, s);
    for (size_t i = 0; i < n; i++)
        b->code[i] = by(within(ref_f32_mul(x[i], f), most));
    b->scale = quiet(s);
}

REF_STORE(vllm, divide(b, x, n, g, f32, e4m3_satfinite))
REF_STORE(vllm_e5m2, divide(b, x, n, g, f32, e5m2_satfinite))
REF_STORE(vllm_scaled, clamped(b, x, n, g, REF_448, e4m3_satfinite))
REF_STORE(rocm, divide(b, x, n, g, f32, fnuz))
REF_STORE(rocm_f16, divide(b, x, n, g, ref_f16, fnuz))
REF_STORE(rocm_scaled, clamped(b, x, n, g, REF_224, fnuz))
REF_STORE(sglang_bf16, divide(b, x, n, g, ref_bf16, torch_2_13))
REF_STORE(sglang_f16, divide(b, x, n, g, ref_f16, torch_2_13))
REF_STORE(sglang_bf16_2_12, divide(b, x, n, g, ref_bf16, torch_2_12))
REF_STORE(sglang_f16_2_12, divide(b, x, n, g, ref_f16, torch_2_12))
REF_STORE(sglang_bf16_float, multiply(b, x, n, g, f32, ref_bf16, torch_2_13))
REF_STORE(sglang_f16_float, multiply(b, x, n, g, f32, ref_f16, torch_2_13))
REF_STORE(sglang_bf16_float_2_12, multiply(b, x, n, g, f32, ref_bf16, torch_2_12))
REF_STORE(sglang_f16_float_2_12, multiply(b, x, n, g, f32, ref_f16, torch_2_12))
REF_STORE(trtllm_bf16, multiply(b, x, n, g, ref_bf16, ref_bf16, e4m3_satfinite))
REF_STORE(trtllm_f16, multiply(b, x, n, g, ref_f16, ref_f16, e4m3_satfinite))
REF_STORE(trtllm_int8, multiply(b, x, n, g, f32, f32, s8))

/* amax of the tensor / 448, 0 for a tensor of zeros. */
REF_STORE(vllm_dynamic,
          clamped(b, x, n, ref_f32_div(ref_amax(x, n, 0), REF_448), REF_448, e4m3_satfinite))

/* max(min(amax, bound) / 448, 1 / (448 * 512)); clamp(x / s) */
static void vllm_token_bound(ref_block *b, const word *x, size_t n, word g)
{
    word s = ref_f32_div(ref_f32_min(ref_amax(x, n, 0), g), REF_448);
    s = ref_f32_max(s, ref_f32_ratio(1, 448 * 512));
    for (size_t i = 0; i < n; i++)
        b->code[i] = e4m3_satfinite(within(ref_f32_div(x[i], s), REF_448));
    b->scale = s;
}

/* fmaxf(amax / 448, FLT_MIN) */
static void vllm_ds_mla(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word s = ref_f32_max(ref_f32_div(ref_amax(x, n, 0), REF_448), ref_f32_pow2(-126));
    divide(b, x, n, s, f32, e4m3_satfinite);
}

static word indexer_scale(const word *x, size_t n)
{
    return ref_f32_div(ref_f32_max(ref_amax(x, n, 0), ref_f32_ratio(1, 10000)), REF_448);
}

/* fmaxf(amax, 1e-4) / 448 */
REF_STORE(vllm_indexer, divide(b, x, n, indexer_scale(x, n), f32, e4m3_satfinite))

/* exp2f(ceilf(log2f(that))) */
static void vllm_indexer_ue8m0(ref_block *b, const word *x, size_t n, word g)
{
    int power;
    (void)g;
    word s = indexer_scale(x, n);
    if (s != REF_INF) {
        long e = ref_f32_log2(s, &power);
        s = ref_f32_pow2(e + !power);
    }
    divide(b, x, n, s, f32, e4m3_satfinite);
}

/* clamp(x, -448, 448) with NaN kept. */
static void minisgl(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    for (size_t i = 0; i < n; i++)
        b->code[i] = torch_2_12(ref_f32_is_nan(x[i]) ? x[i] : within(x[i], REF_448));
    b->scale = REF_1;
}

/* ---- readers --------------------------------------------------------------------------------- */

#define READER(name, e)                                                                            \
    static word name(uint32_t scale, uint32_t offset, word g, uint32_t code)                       \
    {                                                                                              \
        (void)offset, (void)g;                                                                     \
        return ref_f32_mul(e, scale);                                                              \
    }
READER(e4m3, ref_e4m3(code))
READER(e5m2, ref_widened(REF_E5M2, code))
READER(e4m3fnuz, ref_widened(REF_E4M3FNUZ, code))
READER(int8, ref_from_int8(code))

#define GIVEN(name, format, store)                                                                 \
    {                                                                                              \
        name, #format, 0, REF_G_GIVEN, 0, 8, 32, store, format                                     \
    }
#define OWN(name, block, store)                                                                    \
    {                                                                                              \
        name, "e4m3", block, REF_G_NONE, 0, 8, 32, store, e4m3                                     \
    }

const ref_recipe ref_kv_recipes[] = {
    GIVEN("kv-vllm", e4m3, vllm),
    GIVEN("kv-vllm-e5m2", e5m2, vllm_e5m2),
    {"kv-vllm-triton", "e4m3", 0, REF_G_GIVEN, 1, 8, 32, vllm, e4m3},
    GIVEN("kv-vllm-scaled", e4m3, vllm_scaled),
    GIVEN("kv-vllm-token-bound", e4m3, vllm_token_bound),
    GIVEN("kv-vllm-rocm", e4m3fnuz, rocm),
    GIVEN("kv-vllm-rocm-f16", e4m3fnuz, rocm_f16),
    GIVEN("kv-vllm-rocm-scaled", e4m3fnuz, rocm_scaled),
    GIVEN("kv-sglang-bf16", e4m3, sglang_bf16),
    GIVEN("kv-sglang-f16", e4m3, sglang_f16),
    GIVEN("kv-sglang-bf16-2.12", e4m3, sglang_bf16_2_12),
    GIVEN("kv-sglang-f16-2.12", e4m3, sglang_f16_2_12),
    GIVEN("kv-sglang-bf16-float", e4m3, sglang_bf16_float),
    GIVEN("kv-sglang-f16-float", e4m3, sglang_f16_float),
    GIVEN("kv-sglang-bf16-float-2.12", e4m3, sglang_bf16_float_2_12),
    GIVEN("kv-sglang-f16-float-2.12", e4m3, sglang_f16_float_2_12),
    GIVEN("kv-trtllm-bf16", e4m3, trtllm_bf16),
    GIVEN("kv-trtllm-f16", e4m3, trtllm_f16),
    {"kv-trtllm-int8", "e4m3", 0, REF_G_GIVEN, 0, 8, 32, trtllm_int8, int8},
    OWN("kv-vllm-dynamic", 0, vllm_dynamic),
    OWN("kv-vllm-ds-mla", 128, vllm_ds_mla),
    OWN("kv-vllm-indexer", 128, vllm_indexer),
    OWN("kv-vllm-indexer-ue8m0", 128, vllm_indexer_ue8m0),
    OWN("kv-minisgl", 0, minisgl),
    {0},
};
