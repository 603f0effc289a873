/* SPDX-License-Identifier: MIT */
/* rules.h -- the recipes for the kernels of KV caches, each with the name of its row
 *
 *     bits, group         of an element; elements with one scale, 0: those of a row
 *     given               the scale is g itself
 *     nan_counts, ranged  a NaN of the group makes its amax NaN; low and high are needed, not amax
 *     open(g)             what depends on g alone
 *     scale(c, a, b)      the stored scale for amax a; or for high a and -low b
 *     coder(c, scale)     what elements are coded with, computed from that scale
 *     encode(word, x, k)  the codes of a piece; k: the coder
 *     decode<n>(x, word, c, scale)   the values of n codes
 *
 * Most are combined from an element (codes.h, kv/codes.h), how it is scaled, and the rule of the
 * scale. kv_blocks adapts the recipes of blocks in ../rules.h to this form.
 */
#ifndef SOFTFP8_GPU_KERNELS_KV_RULES_H
#define SOFTFP8_GPU_KERNELS_KV_RULES_H

#include "kernels/kv/codes.h"
#include "kernels/divide.h"

namespace kernels
{

/* What elements are coded with. s is the scale, f its reciprocal, o the zero point. For `divided`,
 * s and f belong to the divisor of divide.h, o is its limit, and elements are multiplied by power.
 */
struct coder {
    float s, f, o, power = 1.0f;
};

/* ---- the way of an element to what is converted ---------------------------------------------- */

/* x / s, for casts to which all large values are the same (divide.h). `factor` changes elements
 * before at() does. */
struct divided {
    SHIM_FN static coder of(float s)
    {
        divisor d = divisor_of(s);
        return {d.s, d.r, d.top, d.power};
    }
    template <int count> SHIM_FN static void factor(float *x, coder k)
    {
        if (k.power != 1.0f)
            for (int i = 0; i < count; i++)
                x[i] = mul(x[i], k.power);
    }
    SHIM_FN static float at(float x, coder k)
    {
        return quotient(limited(x, k.o), k.s, k.f);
    }
};

/* What does not need a factor of its own. */
struct direct {
    SHIM_FN static coder of(float s)
    {
        return {s, 0.0f, 0.0f};
    }
    template <int count> SHIM_FN static void factor(float *, coder)
    {
    }
};

/* x / s by the division of IEEE 754. */
struct divided_fully : direct {
    SHIM_FN static float at(float x, coder k)
    {
        return div(x, k.s);
    }
};

/* x (1 / s) */
struct multiplied : direct {
    SHIM_FN static coder of(float s)
    {
        return {s, rcp(s), 0.0f};
    }
    SHIM_FN static float at(float x, coder k)
    {
        return mul(x, k.f);
    }
};

/* The same, with the factor rounded to bf16 or f16. */
template <class Half> struct multiplied_by : multiplied {
    SHIM_FN static coder of(float s)
    {
        return {s, rounded<Half>(rcp(s)), 0.0f};
    }
};

/* The result is rounded to bf16 or f16. */
template <class Way, class Half> struct rounded_to : Way {
    SHIM_FN static float at(float x, coder k)
    {
        return rounded<Half>(Way::at(x, k));
    }
};

/* Clamped to the range, which turns NaN into the largest number. */
template <class Way, int largest> struct clamped : Way {
    SHIM_FN static float at(float x, coder k)
    {
        const float top = static_cast<float>(largest);
        return most(least(Way::at(x, k), top), -top);
    }
};

/* For casts that saturate there, x / s clamped to a range: NaN counts as the largest value, and the
 * cast does the rest. */
template <int largest> struct clamped<divided, largest> : divided {
    SHIM_FN static float at(float x, coder k)
    {
        return quotient(most(least(x, k.o), -k.o), k.s, k.f);
    }
};

/* x */
struct as_it_is : direct {
    SHIM_FN static float at(float x, coder)
    {
        return x;
    }
};

/* ---- scales of f32 --------------------------------------------------------------------------- */

/* amax / largest */
template <int largest> struct by_largest {
    SHIM_FN static float of(constants, float amax)
    {
        return over<largest>(amax);
    }
};

struct of_token_head {
    SHIM_FN static float of(constants, float amax)
    {
        return most(over<448>(amax), 1e-6f);
    }
};

struct of_token {
    SHIM_FN static float of(constants, float amax)
    {
        constexpr float bottom = 1.0f / 229376.0f;
        return most(over<448>(amax), bottom);
    }
};

/* g is an upper bound of amax. */
struct of_token_bound {
    SHIM_FN static float of(constants c, float amax)
    {
        return of_token::of(c, least(amax, c.g));
    }
};

struct of_group128 {
    SHIM_FN static float of(constants, float amax)
    {
        return over<448>(most(amax, 1e-10f));
    }
};

struct of_ds_mla {
    SHIM_FN static float of(constants, float amax)
    {
        return most(over<448>(amax), 0x1p-126f);
    }
};

struct of_indexer {
    SHIM_FN static float of(constants, float amax)
    {
        return over<448>(most(amax, 1e-4f));
    }
};

/* The next power of two; infinity stays infinity. */
struct of_indexer_ue8m0 {
    SHIM_FN static float of(constants c, float amax)
    {
        uint32_t s = bits_of(of_indexer::of(c, amax));
        return s == 0x7f800000u ? float_of(s) : float_of((s + 0x007fffffu) & 0x7f800000u);
    }
};

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Elements of FP8, read as e s. */
template <class Element, class Way, class Scale, int size> struct kv_bytes {
    static constexpr int bits = 8, group = size;
    static constexpr bool given = false, nan_counts = false, ranged = false;

    SHIM_FN static constants open(float g)
    {
        return {g, 0.0f, 0.0f};
    }
    SHIM_FN static uint32_t scale(constants c, uint32_t amax, uint32_t)
    {
        float s = Scale::of(c, float_of(amax));
        return is_nan(s) ? of_f32::nan : bits_of(s);
    }
    SHIM_FN static coder code(constants, uint32_t scale)
    {
        return Way::of(float_of(scale));
    }
    SHIM_FN static void encode(uint32_t word[4], float *x, coder k)
    {
        Way::template factor<kv_piece>(x, k);
        for (uint32_t i = 0; i < kv_piece; i++)
            x[i] = Way::at(x[i], k);
        pack_piece<Element, kv_piece>(word, x);
    }
    template <int count>
    SHIM_FN static void decode(float *x, const uint32_t *word, constants, uint32_t scale)
    {
        unpack_bytes<Element, count>(x, word);
        for (uint32_t i = 0; i < count; i++)
            x[i] = mul(x[i], float_of(scale));
    }
};

/* The scale is given: it is g. */
template <class Element, class Way> struct kv_given : kv_bytes<Element, Way, void, 0> {
    static constexpr bool given = true;

    SHIM_FN static uint32_t scale(constants c, uint32_t, uint32_t)
    {
        return bits_of(c.g);
    }
};

using kv_vllm = kv_given<of_e4m3, divided>;
using kv_vllm_e5m2 = kv_given<of_e5m2, divided>;
using kv_vllm_scaled = kv_given<of_e4m3, clamped<multiplied, 448>>;
using kv_nosat = kv_given<e4m3_nosat, divided>;
using kv_nosat_e5m2 = kv_given<e5m2_nosat, divided>;
using kv_vllm_rocm = kv_given<e4m3fnuz, divided_fully>;
using kv_vllm_rocm_f16 = kv_given<e4m3fnuz, rounded_to<divided_fully, of_f16>>;
using kv_vllm_rocm_scaled = kv_given<e4m3fnuz, clamped<multiplied, 224>>;
using kv_sglang_bf16 = kv_given<of_e4m3, rounded_to<divided, of_bf16>>;
using kv_sglang_f16 = kv_given<of_e4m3, rounded_to<divided, of_f16>>;
using kv_sglang_bf16_float = kv_given<of_e4m3, rounded_to<multiplied, of_bf16>>;
using kv_sglang_f16_float = kv_given<of_e4m3, rounded_to<multiplied, of_f16>>;
using kv_sglang_bf16_nosat = kv_given<e4m3_nosat, rounded_to<divided, of_bf16>>;
using kv_sglang_f16_nosat = kv_given<e4m3_nosat, rounded_to<divided, of_f16>>;
using kv_sglang_bf16_float_nosat = kv_given<e4m3_nosat, rounded_to<multiplied, of_bf16>>;
using kv_sglang_f16_float_nosat = kv_given<e4m3_nosat, rounded_to<multiplied, of_f16>>;
using kv_minisgl = kv_given<e4m3_signed, as_it_is>;
using kv_trtllm_bf16 = kv_given<of_e4m3, rounded_to<multiplied_by<of_bf16>, of_bf16>>;
using kv_trtllm_f16 = kv_given<of_e4m3, rounded_to<multiplied_by<of_f16>, of_f16>>;

using kv_vllm_dynamic = kv_bytes<of_e4m3, clamped<multiplied, 448>, by_largest<448>, 0>;
using kv_vllm_token_bound = kv_bytes<of_e4m3, clamped<divided, 448>, of_token_bound, 0>;
using fp8_per_token = kv_bytes<of_e4m3, clamped<divided, 448>, of_token, 0>;
using fp8_per_token_head = kv_bytes<of_e4m3, clamped<multiplied, 448>, of_token_head, 0>;
using fp8_group128 = kv_bytes<of_e4m3, clamped<divided, 448>, of_group128, 128>;
using kv_ds_mla = kv_bytes<of_e4m3, divided, of_ds_mla, 128>;
using kv_indexer = kv_bytes<of_e4m3, divided, of_indexer, 128>;
using kv_indexer_ue8m0 = kv_bytes<of_e4m3, divided, of_indexer_ue8m0, 128>;

/* A reader that moves bits: all codes are numbers, and 7f of e4m3 is 480. The scale is left to the
 * products. */
template <int mantissa, int bias> struct kv_moved : kv_given<of_e4m3, divided> {
    template <int count>
    SHIM_FN static void decode(float *x, const uint32_t *word, constants, uint32_t)
    {
        for (uint32_t i = 0; i < count; i++)
            x[i] = moved<mantissa, bias>(word[i / 4] >> 8 * (i % 4));
    }
};

using kv_flashinfer = kv_moved<3, 7>;
using kv_flashinfer_e5m2 = kv_moved<2, 15>;

/* ---- integers -------------------------------------------------------------------------------- */

/* Codes of int8, as e s. */
struct int8_values {
    template <int count>
    SHIM_FN static void decode(float *x, const uint32_t *word, constants, uint32_t scale)
    {
        for (uint32_t i = 0; i < count; i++) {
            int code = static_cast<int8_t>(word[i / 4] >> 8 * (i % 4) & 0xff);
            x[i] = mul(of_whole(code), float_of(scale));
        }
    }
};

struct int8_per_token_head : fp8_per_token_head {
    SHIM_FN static uint32_t scale(constants, uint32_t amax, uint32_t)
    {
        return bits_of(most(over<127>(float_of(amax)), 1e-6f));
    }
    SHIM_FN static void encode(uint32_t word[4], float *x, coder k)
    {
        word[0] = word[1] = word[2] = word[3] = 0;
        for (uint32_t i = 0; i < kv_piece; i++) {
            int code = nearest_away(mul(x[i], k.f), -128.0f, 127.0f);
            word[i / 4] |= (static_cast<uint32_t>(code) & 0xff) << 8 * (i % 4);
        }
    }
    template <int count>
    SHIM_FN static void decode(float *x, const uint32_t *word, constants c, uint32_t scale)
    {
        int8_values::decode<count>(x, word, c, scale);
    }
};

/* To the nearest integer, ties to the even one; NaN is 0. */
struct kv_trtllm_int8 : kv_given<of_e4m3, multiplied> {
    SHIM_FN static void encode(uint32_t word[4], float *x, coder k)
    {
        word[0] = word[1] = word[2] = word[3] = 0;
        for (uint32_t i = 0; i < kv_piece; i++) {
            int code = nearest_even(mul(x[i], k.f), -128.0f, 127.0f);
            word[i / 4] |= (static_cast<uint32_t>(code) & 0xff) << 8 * (i % 4);
        }
    }
    template <int count>
    SHIM_FN static void decode(float *x, const uint32_t *word, constants c, uint32_t scale)
    {
        int8_values::decode<count>(x, word, c, scale);
    }
};

/* The zero point is in the last 4 bits of the scale. The store computes with the scale before it is
 * put there; the reader clears these bits. */
struct int4_per_token_head : fp8_per_token_head {
    static constexpr int bits = 4;
    static constexpr bool ranged = true;

    SHIM_FN static uint32_t scale(constants, uint32_t high, uint32_t minus_low)
    {
        float s = most(over<15>(add(float_of(high), float_of(minus_low))), 1e-6f);
        return bits_of(s);
    }
    SHIM_FN static uint32_t zero(uint32_t scale, uint32_t minus_low)
    {
        const divisor d = divisor_of(float_of(scale));
        const float x = limited(mul(float_of(minus_low), d.power), d.top);
        return static_cast<uint32_t>(nearest_away(quotient(x, d.s, d.r), 0.0f, 15.0f));
    }
    SHIM_FN static void encode(uint32_t word[4], float *x, coder k)
    {
        word[0] = word[1] = 0;
        for (uint32_t i = 0; i < kv_piece; i++) {
            int code = nearest_away(add(mul(x[i], k.f), k.o), 0.0f, 15.0f);
            word[i / 8] |= static_cast<uint32_t>(code) << 4 * (i % 8);
        }
    }
    template <int count>
    SHIM_FN static void decode(float *x, const uint32_t *word, constants, uint32_t scale)
    {
        int o = static_cast<int>(scale & 15);
        for (uint32_t i = 0; i < count; i++) {
            int code = static_cast<int>(word[i / 8] >> 4 * (i % 8) & 15);
            x[i] = mul(of_whole(code - o), float_of(scale & ~15u));
        }
    }
};

/* ---- blocks of 4 bits ------------------------------------------------------------------------ */

template <class Rule, class Digits = to_even> struct kv_blocks {
    static constexpr int bits = 4, group = Rule::block;
    static constexpr bool given = false, nan_counts = Rule::nan_counts, ranged = false;

    SHIM_FN static constants open(float g)
    {
        return Rule::open(g);
    }
    SHIM_FN static uint32_t scale(constants c, uint32_t amax, uint32_t)
    {
        return Rule::scale(c, amax);
    }
    SHIM_FN static coder code(constants c, uint32_t scale)
    {
        return {0.0f, Rule::factor(c, scale), 0.0f};
    }
    SHIM_FN static void encode(uint32_t word[4], float *x, coder k)
    {
        for (uint32_t i = 0; i < kv_piece; i++)
            x[i] = mul(x[i], k.f);
        word[0] = Digits::pack(x);
        word[1] = Digits::pack(x + 8);
    }
    template <int count>
    SHIM_FN static void decode(float *x, const uint32_t *word, constants c, uint32_t scale)
    {
        for (uint32_t i = 0; i < count; i++)
            x[i] = Rule::value(c, scale, e2m1_wide(word[i / 8] >> 4 * (i % 8) & 15));
    }
};

/* Reciprocals by an instruction that may miss the last bit are correctly rounded here, as in the
 * recipe, on a GPU too. */
using kv_nvfp4_vllm = kv_blocks<nvfp4_vllm_by<rcp_flushed>>;

/* The same, except for a block whose scale is 0 and whose amax is not: its factor is infinite. If
 * amax is 0, bit 8 is set beside the code of the scale, of which the image stores a byte. */
struct nvfp4_trtllm : nvfp4_vllm_by<rcp_flushed> {
    SHIM_FN static uint32_t scale(constants c, uint32_t amax)
    {
        return nvfp4_vllm_by<rcp_flushed>::scale(c, amax) | (amax == 0 ? 0x100u : 0);
    }
    SHIM_FN static float factor(constants c, uint32_t code)
    {
        return code & 0x100 ? 0.0f : rcp_flushed::of(mul(scale_of(code & 0xff), c.b));
    }
};

using kv_nvfp4_trtllm = kv_blocks<nvfp4_trtllm>;
using kv_nvfp4_te = kv_blocks<nvfp4_te>;
using kv_mxfp4_even = kv_blocks<mxfp4_even>;

/* The code 00 of a scale means 0. */
struct kv_mxfp4_vllm : kv_blocks<mxfp4_even> {
    SHIM_FN static coder code(constants c, uint32_t scale)
    {
        return {scale ? 1.0f : 0.0f, mxfp4_even::factor(c, scale), 0.0f};
    }
    SHIM_FN static void encode(uint32_t word[4], float *x, coder k)
    {
        kv_blocks<mxfp4_even>::encode(word, x, k);
        if (k.s == 0.0f)
            word[0] = word[1] = 0;
    }
    template <int count>
    SHIM_FN static void decode(float *x, const uint32_t *word, constants c, uint32_t scale)
    {
        kv_blocks<mxfp4_even>::decode<count>(x, word, c, scale);
        for (uint32_t i = 0; i < count && scale == 0; i++)
            x[i] = 0.0f;
    }
};

/* With g as a decode scale. A scale of 0 gives zeros; NaN becomes 0. */
struct nvfp4_flashinfer : nvfp4 {
    SHIM_FN static constants open(float g)
    {
        return {g, mul(6.0f, g), 0.0f};
    }
    SHIM_FN static uint32_t scale(constants c, uint32_t amax)
    {
        return e4m3_scale(div(float_of(amax), c.a));
    }
    SHIM_FN static float factor(constants c, uint32_t code)
    {
        float s = scale_of(code);
        return s == 0.0f ? 0.0f : rcp(mul(s, c.g));
    }
    SHIM_FN static float value(constants c, uint32_t code, float e)
    {
        return mul(mul(e, scale_of(code)), c.g);
    }
};

using kv_nvfp4_flashinfer = kv_blocks<nvfp4_flashinfer, to_even_or_zero>;

/* SGLang: the next power of two above amax / 6, ties away from zero, -0 to +0, NaN to 0. */
/* The ceil of a log2 that was rounded to f32: a value that is at most 2^(p - 1) ln 2 units of the
 * last place above 2^k, |k| in [2^p, 2^(p + 1)), counts as 2^k. Here it is at least 1e-10, and
 * therefore normal. */
struct by_sglang {
    SHIM_FN static uint32_t scale(uint32_t amax)
    {
        float s = div(float_of(amax), 6.0f);
        uint32_t bits = bits_of(is_nan(s) ? s : most(s, 1e-10f));
        if (bits >= 0x7f800000u)
            return 0xff;
        uint32_t e = bits >> 23, size = e < 127 ? 126 - e : e - 127, p = 0;
        while (size >> p > 1)
            p++;
        return e + ((bits & 0x7fffffu) > (45426u << p) >> 17); /* ln 2 is 45426 / 2^16 */
    }
};

struct sglang_kvfp4 : mx<of_e2m1, by_sglang> {
    static constexpr int block = 16;
};

using kv_sglang_kvfp4 = kv_blocks<sglang_kvfp4, away_or_zero>;

} // namespace kernels

#endif
