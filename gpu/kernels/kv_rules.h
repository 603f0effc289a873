/* SPDX-License-Identifier: MIT */
/* kv_rules.h -- what the kernels of KV caches know of a recipe, of the same name as its row
 *
 *     bits, group         of an element; elements with one scale, 0: those of a row
 *     given               the scale is g itself
 *     nan_counts, ranged  a NaN of the group is its amax; low and high are wanted, not amax
 *     open(g)             what depends on g alone
 *     scale(c, a, b)      the word of the scale of what has amax a; or of high a and -low b
 *     coder(c, scale)     what elements are coded with, from that word
 *     encode<each>(word, x, k)   the codes of elements; k: the coder
 *     decode<each>(x, word, c, scale)   the values of codes
 *
 * Recipes of blocks are those of rules.h, put into this form by kv_blocks.
 */
#ifndef SOFTFP8_GPU_KERNELS_KV_RULES_H
#define SOFTFP8_GPU_KERNELS_KV_RULES_H

#include "kernels/rules.h"

namespace kernels
{

SHIM_FN inline float add(float a, float b)
{
    LANE_GPU(return __fadd_rn(a, b);)
    LANE_MODEL(return made(a + b);)
}

/* Of a number of 32 bits. */
SHIM_FN inline int whole(float a)
{
    LANE_GPU(return __float2int_rz(a);)
    LANE_MODEL(return static_cast<int>(a);)
}

SHIM_FN inline float of_whole(int a)
{
    LANE_GPU(return __int2float_rn(a);)
    LANE_MODEL(return static_cast<float>(a);)
}

/* To the nearest integer, ties away from zero: 1/2 is added in f32 and the rest cut. NaN and what
 * is beyond them become the bounds. */
SHIM_FN inline int nearest_away(float y, float low, float high)
{
    float half = float_of(0x3f000000u | (bits_of(y) & 0x80000000u));
    return whole(most(least(add(y, half), high), low));
}

struct coder {
    float s, f, o;
};

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Scales of f32, elements of FP8. */
template <class Element, int size> struct kv_fp8 {
    static constexpr int bits = 8, group = size;
    static constexpr bool given = false, nan_counts = false, ranged = false;

    SHIM_FN static constants open(float g)
    {
        return {g, 0.0f, 0.0f};
    }
    SHIM_FN static coder code(constants, uint32_t scale)
    {
        return {float_of(scale), 0.0f, 0.0f};
    }
    /* x / s */
    template <int each> SHIM_FN static void encode(uint32_t word[4], float *x, coder k)
    {
        for (int i = 0; i < each; i++)
            x[i] = div(x[i], k.s);
        pack_bytes<Element, each>(word, x);
    }
    template <int each>
    SHIM_FN static void decode(float *x, const uint32_t word[4], constants, uint32_t scale)
    {
        unpack_bytes<Element, each>(x, word);
        for (int i = 0; i < each; i++)
            x[i] = mul(x[i], float_of(scale));
    }
};

/* The scale is given: g is what it is. */
template <class Element> struct kv_given : kv_fp8<Element, 0> {
    static constexpr bool given = true;

    SHIM_FN static uint32_t scale(constants c, uint32_t, uint32_t)
    {
        return bits_of(c.g);
    }
};

using kv_vllm = kv_given<of_e4m3>;
using kv_vllm_e5m2 = kv_given<of_e5m2>;

/* x (1 / s), brought into the range, by which NaN becomes 448. */
template <int each> SHIM_FN inline void encode_clamped(uint32_t word[4], float *x, float f)
{
    for (int i = 0; i < each; i++)
        x[i] = most(least(mul(x[i], f), 448.0f), -448.0f);
    pack_bytes<of_e4m3, each>(word, x);
}

struct kv_vllm_scaled : kv_given<of_e4m3> {
    SHIM_FN static constants open(float g)
    {
        return {g, rcp(g), 0.0f};
    }
    SHIM_FN static coder code(constants c, uint32_t)
    {
        return {c.g, c.a, 0.0f};
    }
    template <int each> SHIM_FN static void encode(uint32_t word[4], float *x, coder k)
    {
        encode_clamped<each>(word, x, k.f);
    }
};

/* Without saturation: what rounds to more than 448, infinity among it, is NaN. 464 is half way to
 * 480, which would be the next code, and goes to the even one, 448. */
struct kv_nosat : kv_given<of_e4m3> {
    template <int each> SHIM_FN static void encode(uint32_t word[4], float *x, coder k)
    {
        uint32_t lost[2] = {0, 0};
        for (int i = 0; i < each; i++) {
            x[i] = div(x[i], k.s);
            if (magnitude(x[i]) > 464.0f)
                lost[i / 4] |= 0x7fu << 8 * (i % 4);
        }
        pack_bytes<of_e4m3, each>(word, x);
        word[0] |= lost[0];
        word[1] |= lost[1];
    }
};

struct kv_ds_mla : kv_fp8<of_e4m3, 128> {
    SHIM_FN static uint32_t scale(constants, uint32_t amax, uint32_t)
    {
        return bits_of(most(div(float_of(amax), 448.0f), 0x1p-126f));
    }
};

struct kv_indexer : kv_fp8<of_e4m3, 128> {
    SHIM_FN static uint32_t scale(constants, uint32_t amax, uint32_t)
    {
        return bits_of(div(most(float_of(amax), 1e-4f), 448.0f));
    }
};

/* ---- a scale for each row -------------------------------------------------------------------- */

struct fp8_per_token_head : kv_fp8<of_e4m3, 0> {
    SHIM_FN static uint32_t scale(constants, uint32_t amax, uint32_t)
    {
        return bits_of(most(div(float_of(amax), 448.0f), 1e-6f));
    }
    SHIM_FN static coder code(constants, uint32_t scale)
    {
        return {float_of(scale), rcp(float_of(scale)), 0.0f};
    }
    template <int each> SHIM_FN static void encode(uint32_t word[4], float *x, coder k)
    {
        encode_clamped<each>(word, x, k.f);
    }
};

struct int8_per_token_head : fp8_per_token_head {
    SHIM_FN static uint32_t scale(constants, uint32_t amax, uint32_t)
    {
        return bits_of(most(div(float_of(amax), 127.0f), 1e-6f));
    }
    template <int each> SHIM_FN static void encode(uint32_t word[4], float *x, coder k)
    {
        word[0] = word[1] = 0;
        for (int i = 0; i < each; i++) {
            int code = nearest_away(mul(x[i], k.f), -128.0f, 127.0f);
            word[i / 4] |= (static_cast<uint32_t>(code) & 0xff) << 8 * (i % 4);
        }
    }
    template <int each>
    SHIM_FN static void decode(float *x, const uint32_t word[4], constants, uint32_t scale)
    {
        for (int i = 0; i < each; i++) {
            int code = static_cast<int8_t>(word[i / 4] >> 8 * (i % 4) & 0xff);
            x[i] = mul(of_whole(code), float_of(scale));
        }
    }
};

/* The zero point is in the last 4 bits of the scale's word. The store computes with the scale as it
 * was before, the reader clears them. */
struct int4_per_token_head : fp8_per_token_head {
    static constexpr int bits = 4;
    static constexpr bool ranged = true;

    SHIM_FN static uint32_t scale(constants, uint32_t high, uint32_t minus_low)
    {
        float s = most(div(add(float_of(high), float_of(minus_low)), 15.0f), 1e-6f);
        return bits_of(s);
    }
    SHIM_FN static uint32_t zero(uint32_t scale, uint32_t minus_low)
    {
        return static_cast<uint32_t>(
            nearest_away(div(float_of(minus_low), float_of(scale)), 0.0f, 15.0f));
    }
    template <int each> SHIM_FN static void encode(uint32_t word[4], float *x, coder k)
    {
        word[0] = 0;
        for (int i = 0; i < each; i++) {
            int code = nearest_away(add(mul(x[i], k.f), k.o), 0.0f, 15.0f);
            word[0] |= static_cast<uint32_t>(code) << 4 * i;
        }
    }
    template <int each>
    SHIM_FN static void decode(float *x, const uint32_t word[4], constants, uint32_t scale)
    {
        int o = static_cast<int>(scale & 15);
        for (int i = 0; i < each; i++) {
            int code = static_cast<int>(word[0] >> 4 * i & 15);
            x[i] = mul(of_whole(code - o), float_of(scale & ~15u));
        }
    }
};

/* ---- blocks of 4 bits ------------------------------------------------------------------------ */

template <class Rule> struct kv_blocks {
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
    template <int each> SHIM_FN static void encode(uint32_t word[4], float *x, coder k)
    {
        for (int i = 0; i < each; i++)
            x[i] = mul(x[i], k.f);
        word[0] = pack_e2m1<each, false>(x);
    }
    template <int each>
    SHIM_FN static void decode(float *x, const uint32_t word[4], constants c, uint32_t scale)
    {
        for (int i = 0; i < each; i++)
            x[i] = Rule::value(c, scale, e2m1_wide(word[0] >> 4 * i & 15));
    }
};

using kv_nvfp4_te = kv_blocks<nvfp4_te>;
using kv_mxfp4_even = kv_blocks<mxfp4_even>;

} // namespace kernels

#endif
