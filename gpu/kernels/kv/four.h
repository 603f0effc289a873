/* SPDX-License-Identifier: MIT */
/* four.h -- bf16 to caches of 4 bits: a lane has 32 elements, two in a word
 *
 * kv.h codes any cache from any tensor, each element by itself. These kernels are for caches whose
 * rows are whole: they compute two elements at once where that is exact, and fewer places.
 */
#ifndef SOFTFP8_GPU_KERNELS_KV_FOUR_H
#define SOFTFP8_GPU_KERNELS_KV_FOUR_H

#include "kernels/kv/kv.h"
#include "kernels/kv/pairs.h"

namespace kernels
{

/* ---- groups ---------------------------------------------------------------------------------- */

/* The largest magnitude of some packets, twice; NaN if one is. */
template <int packets> SHIM_FN inline uint32_t largest_of(const packet *p)
{
    uint32_t a = p[0].word[0];
    SHIM_UNROLL
    for (int i = 1; i < 4 * packets; i++)
        a = larger_of(a, p[i / 4].word[i % 4]);
    return larger_of(a, a << 16 | a >> 16) & 0x7fff7fffu;
}

/* Whether an instruction converts to e2m1. Then nothing is faster than one by one. */
#if defined(__CUDA_ARCH__) && GPU_SM_100A
constexpr bool four_by_unit = true;
#else
constexpr bool four_by_unit = false;
#endif

/* The codes of a piece as kv.h computes them. */
template <class Rule>
SHIM_FN inline void one_by_one(uint32_t codes[2], const packet x[2], coder how)
{
    float one[kv_piece];
    uint32_t all[4];
    for (uint32_t i = 0; i < kv_piece; i++)
        one[i] = of_bf16::at(x[i / 8], static_cast<int>(i % 8));
    Rule::encode(all, one, how);
    codes[0] = all[0];
    codes[1] = all[1];
}

/* A group has a scale of e4m3. */
template <class Rule> struct four_scaled {
    static constexpr int packets = 2;

    /* Writes the codes and returns that of the scale. */
    SHIM_FN static uint32_t code(uint32_t codes[2], const packet *x, constants c)
    {
        const float amax = low_of(largest_of<packets>(x));
        if (is_nan(amax))
            return slowly(
                codes, x, c,
                most(float_of(of_bf16::most_number(x[0])), float_of(of_bf16::most_number(x[1]))));
        const uint32_t scale = Rule::scale(c, bits_of(amax), 0);
        const float f = Rule::code(c, scale).f;
        if (four_by_unit || !e2m1_scaled::good(f, amax))
            return slowly(codes, x, c, amax);
        const e2m1_scaled d = e2m1_scaled::of(f);
        codes[0] = codes_of(x[0], d);
        codes[1] = codes_of(x[1], d);
        return scale;
    }
    SHIM_FN static uint32_t slowly(uint32_t codes[2], const packet *x, constants c, float amax)
    {
        const uint32_t scale = Rule::scale(c, bits_of(amax), 0);
        one_by_one<Rule>(codes, x, Rule::code(c, scale));
        return scale;
    }
};

/* A group has a scale of e8m0, for which no element is 7 or more after the product. */
template <class Rule, bool zero_is_zero> struct four_power {
    static constexpr int packets = 4;

    SHIM_FN static uint32_t code(uint32_t codes[4], const packet *x, constants c)
    {
        const uint32_t scale = Rule::scale(c, largest_of<packets>(x) << 16, 0);
        const coder how = Rule::code(c, scale);
        if (four_by_unit) {
            one_by_one<Rule>(codes, x, how);
            one_by_one<Rule>(codes + 2, x + 2, how);
            return scale;
        }
        const e2m1_power d = {twice(bits_of(how.f) >> 16)};
        SHIM_UNROLL
        for (int i = 0; i < packets; i++)
            codes[i] = codes_of(x[i], d);
        if (scale == 0xff || (zero_is_zero && scale == 0))
            for (int i = 0; i < packets; i++)
                codes[i] = scale ? 0x77777777u : 0;
        return scale;
    }
};

/* SGLang's groups. In bf16 the least number above 3 2^k is larger than what its logarithm takes for
 * 3 2^k, so that the scale, the next power of two above amax / 6, only asks where amax is beside
 * it. */
struct four_away {
    using rule = kv_sglang_kvfp4;
    static constexpr int packets = 2;
    static constexpr uint32_t least = 0x5e; /* the scale of 1e-10 6 */

    SHIM_FN static uint32_t scale_of(uint32_t amax)
    {
        const uint32_t field = (amax + 63) >> 7;
        return amax >= 0x7f80 ? 0xff : field > least + 2 ? field - 2 : least;
    }
    /* With a scale of up to 2^16 no product with its reciprocal is 0, and loses its sign. */
    SHIM_FN static uint32_t code(uint32_t codes[2], const packet *x, constants c)
    {
        const uint32_t scale = scale_of(largest_of<packets>(x) & 0xffff);
        if (scale > 127 + 16) {
            one_by_one<rule>(codes, x, rule::code(c, scale));
            return scale;
        }
        const e2m1_away d = {twice((254 - scale) << 7)};
        codes[0] = codes_of(x[0], d);
        codes[1] = codes_of(x[1], d);
        return scale;
    }
};

template <class Rule> struct kv_four_of;
template <> struct kv_four_of<kv_sglang_kvfp4> {
    using type = four_away;
};
template <class Rule, class Digits> struct kv_four_of<kv_blocks<Rule, Digits>> {
    using type = four_scaled<kv_blocks<Rule, Digits>>;
};
template <> struct kv_four_of<kv_mxfp4_even> {
    using type = four_power<kv_mxfp4_even, false>;
};
template <> struct kv_four_of<kv_mxfp4_vllm> {
    using type = four_power<kv_mxfp4_vllm, true>;
};

/* ---- places ---------------------------------------------------------------------------------- */

/* What a lane has: 32 neighbouring elements of a row. */
struct four_lane {
    constants c;
    bool there; /* otherwise there is no such row, or its token is skipped */
    uint32_t token, head, share, block, slot;
    packet x[4];
};

/* Whole rows of multiples of 32 elements, with codes at multiples of 16 bytes. Their order is
 * SF8_KV_ROWS, as in all caches with scales of their own. */
inline bool kv_takes_four(const cache &m)
{
    const uint64_t places = reinterpret_cast<uintptr_t>(m.image) | m.block_stride | m.slot_stride |
                            m.head_stride;
    return m.dim % 32 == 0 && m.whole_words && places % 16 == 0 && m.split == UINT32_MAX &&
           m.rows == 1;
}

/* Finds elements from the d-th of a row on, and loads them. */
SHIM_FN inline void four_load(const cache &m, uint32_t row, uint32_t d, four_lane &l)
{
    l.token = m.by_heads.of(row);
    l.head = row - l.token * m.by_heads.by;
    l.there = m.place(l.token, &l.block, &l.slot);
    if (!l.there)
        return;
    const uint16_t *from = static_cast<const uint16_t *>(m.tensor) + d +
                           (l.token * m.token_stride + l.head * m.word_head_stride);
    SHIM_UNROLL
    for (int i = 0; i < 4; i++)
        l.x[i] = fetch_whole(from + i * of_bf16::each);
}

SHIM_FN inline void four_put(const cache &m, const four_lane &l, uint32_t d,
                             const uint32_t codes[4])
{
    uint8_t *to = m.image + (l.block * m.block_stride + l.slot * m.slot_stride +
                             l.head * m.head_stride + d / 2);
    put_whole<16>(to, codes);
}

/* The row's scales, as cache::scale() expects them. */
SHIM_FN inline item four_scales(const cache &m, const four_lane &l)
{
    item t = {nullptr, 0, 0, 0, 0, l.slot, 0};
    t.scales = l.block * m.scale_block_stride + l.head * m.scale_head_stride +
               (m.four ? l.slot & ~3u : l.slot) * m.scale_slot_stride;
    return t;
}

/* ---- stores ---------------------------------------------------------------------------------- */

template <class Rule> struct kv_store_four {
    using how = typename kv_four_of<Rule>::type;
    static constexpr int bits = 4, together = 1, packets = 4, each = of_bf16::each;
    static constexpr uint32_t groups = packets / how::packets, of_step = 32 * groups;

    cache m;
    uint32_t steps;

    struct lane : four_lane {
        uint32_t shared[1];
    };

    SHIM_FN void begin(lane &l) const
    {
        l.c = kept(Rule::open(m.g[0]));
    }

    SHIM_FN static uint32_t join(uint32_t a, uint32_t)
    {
        return a;
    }

    SHIM_FN void load(uint32_t step, uint32_t number, lane &l) const
    {
        const uint32_t i = step * of_step + number * groups;
        l.shared[0] = 0;
        l.there = false;
        if (i >= m.items)
            return;
        const uint32_t row = m.by_groups.of(i);
        l.share = i - row * m.by_groups.by;
        four_load(m, row, l.share * Rule::group, l);
    }

    SHIM_FN void store(uint32_t, uint32_t, lane &l) const
    {
        if (!l.there)
            return;
        const constants c = m.g_stride ? Rule::open(m.g[l.head * m.g_stride]) : l.c;
        uint32_t codes[packets], scales[groups];
        SHIM_UNROLL
        for (uint32_t k = 0; k < groups; k++)
            scales[k] = how::code(codes + k * how::packets, l.x + k * how::packets, c);
        four_put(m, l, l.share * Rule::group, codes);
        const item t = four_scales(m, l);
        uint8_t *const first = m.scale(t, l.share);
        put_byte(first, scales[0] & 0xff);
        if (groups == 2)
            put_byte(m.four ? m.scale(t, l.share + 1) : first + 1, scales[groups - 1] & 0xff);
    }

    SHIM_FN void rest(shim::place at) const
    {
        m.move_tails(at, false);
    }
};

/* The integer below 16 that is in the last bits of the result; x is not negative. */
SHIM_FN inline uint32_t truncated(float x)
{
    LANE_GPU(return __float_as_uint(__fadd_rz(x, 8388608.0f));)
    LANE_MODEL(return 0x4b000000u + static_cast<uint32_t>(x);)
}

/* Rows of 32 elements for each of `lanes` lanes. */
template <int lanes> struct kv_store_four_int4 {
    using rule = int4_per_token_head;
    static constexpr int bits = 4, together = lanes, packets = 4, each = of_bf16::each;
    static constexpr uint32_t of_step = 32 / lanes;

    cache m;
    uint32_t steps;

    struct lane : four_lane {
        bool numbers; /* none of its elements is NaN */
        uint32_t shared[2];
    };

    SHIM_FN void begin(lane &) const
    {
    }

    SHIM_FN static uint32_t join(uint32_t a, uint32_t b)
    {
        return bits_of(most(float_of(a), float_of(b)));
    }

    /* The largest, and the smallest with its sign changed. */
    SHIM_FN static void span(lane &l)
    {
        uint32_t a = l.x[0].word[0], b = a;
        SHIM_UNROLL
        for (int i = 1; i < 4 * packets; i++) {
            a = highest_of(a, l.x[i / 4].word[i % 4]);
            b = lowest_of(b, l.x[i / 4].word[i % 4]);
        }
        a = highest_of(a, a << 16 | a >> 16) << 16;
        b = lowest_of(b, b << 16 | b >> 16) << 16;
        l.numbers = !is_nan(float_of(a));
        if (!l.numbers)
            a = b = of_f32::nan;
        SHIM_UNROLL
        for (int i = 0; i < packets * each && !l.numbers; i++) {
            const float x = of_bf16::at(l.x[i / each], i % each);
            a = bits_of(most(float_of(a), x));
            b = bits_of(least(float_of(b), x));
        }
        l.shared[0] = a;
        l.shared[1] = b ^ 0x80000000u;
    }

    SHIM_FN void load(uint32_t step, uint32_t number, lane &l) const
    {
        const uint32_t row = step * of_step + number / lanes;
        l.shared[0] = l.shared[1] = 0;
        l.there = false;
        if (row >= m.items)
            return;
        l.share = number % lanes;
        four_load(m, row, l.share * 32, l);
        if (l.there)
            span(l);
    }

    /* What is truncated to a code, before it is limited to a range: it does not fall if x grows. */
    SHIM_FN static float above(float x, coder how)
    {
        return add(add(mul(x, how.f), how.o), 0.5f);
    }

    SHIM_FN static uint32_t eight(const packet &p, coder how)
    {
        uint32_t codes = 0, more = 0;
        SHIM_UNROLL
        for (int i = 7; i >= 0; i--) {
            codes = codes * 16 + truncated(above(of_bf16::at(p, i), how));
            more = more * 16 + 0x4b000000u;
        }
        return codes - more;
    }

    SHIM_FN static uint32_t zero(uint32_t scale, uint32_t minus_low, float reciprocal)
    {
        const float s = float_of(scale);
        if (s > 0x1p64f)
            return rule::zero(scale, minus_low);
        const float x = limited(float_of(minus_low), mul(s, 0x1p18f));
        return static_cast<uint32_t>(nearest_away(quotient(x, s, reciprocal), 0.0f, 15.0f));
    }

    SHIM_FN void store(uint32_t, uint32_t, lane &l) const
    {
        if (!l.there)
            return;
        const uint32_t scale = rule::scale({}, l.shared[0], l.shared[1]);
        coder how = rule::code({}, scale);
        const uint32_t o = zero(scale, l.shared[1], how.f);
        how.o = of_whole(static_cast<int>(o));
        if (l.share == 0)
            put_scale(m.scale(four_scales(m, l), 0), (scale & ~15u) | o, m.scale_bytes);
        const float high = float_of(l.shared[0]);
        const float low = float_of(l.shared[1] ^ 0x80000000u);
        uint32_t codes[packets];
        const bool from_0 = above(low, how) >= 0.0f, to_15 = above(high, how) < 16.0f;
        if (l.numbers & from_0 & to_15) {
            SHIM_UNROLL
            for (int i = 0; i < packets; i++)
                codes[i] = eight(l.x[i], how);
        } else {
            one_by_one<rule>(codes, l.x, how);
            one_by_one<rule>(codes + 2, l.x + 2, how);
        }
        four_put(m, l, l.share * 32, codes);
    }

    SHIM_FN void rest(shim::place at) const
    {
        m.move_tails(at, false);
    }
};

} // namespace kernels

#endif
