/* SPDX-License-Identifier: MIT */
/* four.h -- bf16 to caches of 4 bits: a lane has 32 elements, two in a word
 *
 * kv.h codes any cache from any tensor, each element by itself. These kernels are for caches whose
 * rows are whole: they compute two elements at once where that is exact, and fewer places.
 */
#ifndef SOFTFP8_GPU_KERNELS_KV_FOUR_H
#define SOFTFP8_GPU_KERNELS_KV_FOUR_H

#include "kernels/kv/kv.h"

namespace kernels
{

/* ---- two bf16 in a word ---------------------------------------------------------------------- */

SHIM_FN inline float low_of(uint32_t two)
{
    return float_of(two << 16);
}

SHIM_FN inline float high_of(uint32_t two)
{
    return float_of(two & 0xffff0000u);
}

SHIM_FN inline uint32_t twice(uint32_t half)
{
    return half | half << 16;
}

#if !defined(__CUDA_ARCH__)
/* Both halves of a result. No result of these kernels is near the ends of f32's range. */
template <class F> inline uint32_t both(uint32_t a, uint32_t b, const F &f)
{
    return of_bf16::narrow(f(low_of(a), low_of(b)), f(high_of(a), high_of(b)));
}
#endif

/* The larger magnitudes, whatever their signs; NaN if one is. */
SHIM_FN inline uint32_t larger_of(uint32_t a, uint32_t b)
{
    LANE_GPU(uint32_t d; asm("max.NaN.xorsign.abs.bf16x2 %0, %1, %2;"
                             : "=r"(d)
                             : "r"(a), "r"(b));
             return d;)
    LANE_MODEL(return both(a, b, [](float x, float y) {
                          x = magnitude(x);
                          return is_nan(x) || x > magnitude(y) ? x : magnitude(y);
                      });)
}

/* The larger, and the smaller ones; NaN if one is. */
SHIM_FN inline uint32_t highest_of(uint32_t a, uint32_t b)
{
    LANE_GPU(uint32_t d; asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); return d;)
    LANE_MODEL(return both(a, b, [](float x, float y) { return is_nan(x) || x > y ? x : y; });)
}

SHIM_FN inline uint32_t lowest_of(uint32_t a, uint32_t b)
{
    LANE_GPU(uint32_t d; asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); return d;)
    LANE_MODEL(return both(a, b, [](float x, float y) { return is_nan(x) || x < y ? x : y; });)
}

/* a b, and a b + c. */
SHIM_FN inline uint32_t times(uint32_t a, uint32_t b)
{
    LANE_GPU(uint32_t d; asm("fma.rn.bf16x2 %0, %1, %2, %3;" /* products alone begin with sm_90 */
                             : "=r"(d)
                             : "r"(a), "r"(b), "r"(0x80008000u));
             return d;)
    LANE_MODEL(return both(a, b, [](float x, float y) { return mul(x, y); });)
}

SHIM_FN inline uint32_t times_plus(uint32_t a, float b, float c)
{
    const uint32_t bb = twice(bits_of(b) >> 16), cc = twice(bits_of(c) >> 16);
    LANE_GPU(uint32_t d; asm("fma.rn.bf16x2 %0, %1, %2, %3;"
                             : "=r"(d)
                             : "r"(a), "r"(bb), "r"(cc));
             return d;)
    LANE_MODEL(return both(a, bb, [&](float x, float y) { return add(mul(x, y), low_of(cc)); });)
}

SHIM_FN inline uint32_t less_of(uint32_t a, uint32_t b)
{
    LANE_GPU(uint32_t d; asm("min.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); return d;)
    LANE_MODEL(return both(a, b, [](float x, float y) { return least(x, y); });)
}

/* The smaller of positive halves, as integers. */
SHIM_FN inline uint32_t smaller_of(uint32_t a, uint32_t b)
{
    LANE_GPU(return __vminu2(a, b);)
    LANE_MODEL(const uint32_t high = a >> 16 < b >> 16 ? a : b;
               const uint32_t low = (a & 0xffff) < (b & 0xffff) ? a : b;
               return (high & 0xffff0000u) | (low & 0xffff);)
}

/* ---- codes of e2m1 --------------------------------------------------------------------------- */

/* Of the four elements of two words: their digits are bytes in the order 0 2 1 3. */
SHIM_FN inline uint32_t with_signs(uint32_t digits, uint32_t a, uint32_t b)
{
    return digits | (permute(a, b, 0xfbd9) & 0x08080808u);
}

/* Eight codes of the bytes of two times four elements. */
SHIM_FN inline uint32_t joined(uint32_t first, uint32_t second)
{
    return permute(first + (first >> 12), second + (second >> 12), 0x5410);
}

/* The digits of a and b, magnitudes below 7 after a product with the factor f, which need not be
 * exact in bf16. Here y = |x| f, rounded to f32.
 *
 * A code of e2m1 in [2^e, 2^(e+1)), e at least 0, is n + 2e with n = 2 y 2^-e, and n is even where
 * the code is. So n is 2 y 2^-e rounded to an integer, ties to even. The subnormal codes of e4m3,
 * and the smallest normal ones, are 2^-9 apart and their codes count them: the conversion of 2 y
 * 2^-e 2^-9 returns n. All factors here but f are powers of two, so that y is rounded as before.
 *
 * e must be known before y is. It is taken from x f in bf16, f rounded too, which is wrong by less
 * than 1 %. That does no harm: from 1.75 to 2.25 times 2^e both neighbours give the same code, that
 * of 2^(e+1). */
struct e2m1_scaled {
    uint32_t near; /* f, twice */
    float small;   /* f 2^-9 */

    SHIM_FN static e2m1_scaled of(float f)
    {
        return {of_bf16::narrow(f, f), mul(f, 0x1p-9f)};
    }
    /* Whether f is from 2^-100 to 2^100, and no y is 7 or more. */
    SHIM_FN static bool good(float f, float amax)
    {
        const bool usual = bits_of(f) - (27u << 23) <= 200u << 23;
        const bool small = mul(amax, f) < 7.0f;
        return usual & small;
    }
    /* 2 2^-e: the exponent field of x f, which is 127 + e, taken from 255. */
    SHIM_FN uint32_t power(uint32_t x) const
    {
        return smaller_of(~times(x, near) & 0x7f807f80u, 0x40004000u);
    }
    SHIM_FN uint32_t digits(uint32_t a, uint32_t b) const
    {
        const uint32_t one = power(a), other = power(b);
        a = times(a, one);
        b = times(b, other);
        const uint32_t low = of_e4m3::narrow(mul(magnitude(low_of(a)), small),
                                             mul(magnitude(low_of(b)), small));
        const uint32_t high = of_e4m3::narrow(mul(magnitude(high_of(a)), small),
                                              mul(magnitude(high_of(b)), small));
        /* The fields are 128 - e; 2e is added to each byte. */
        return ((low & 0xffff) | high << 16) + 0x01010100u - (one >> 6) - (other << 2);
    }
};

/* The same, if the factor is a power of two. The product y is exact in bf16, or below 2^-126.
 * Codes up to 4 are 2 y rounded to an integer, those from 4 to 6 are y + 2, and those from 6 y / 2
 * + 4; the least of the three is right. Each sum is rounded in bf16, which has only the integers
 * from 128 to 256, to the even one of two neighbours. */
struct e2m1_power {
    uint32_t factor;

    SHIM_FN uint32_t two(uint32_t x) const
    {
        const uint32_t y = times(x & 0x7fff7fffu, factor);
        return less_of(less_of(times_plus(y, 2.0f, 128.0f), times_plus(y, 1.0f, 130.0f)),
                       times_plus(y, 0.5f, 132.0f));
    }
    SHIM_FN uint32_t digits(uint32_t a, uint32_t b) const
    {
        return permute(two(a), two(b), 0x6240);
    }
};

/* The codes of 8 elements. */
template <class Digits> SHIM_FN inline uint32_t codes_of(const packet &p, Digits d)
{
    const uint32_t first = with_signs(d.digits(p.word[0], p.word[1]), p.word[0], p.word[1]);
    const uint32_t second = with_signs(d.digits(p.word[2], p.word[3]), p.word[2], p.word[3]);
    return joined(first, second);
}

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

template <class Rule> struct kv_four_of;
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
