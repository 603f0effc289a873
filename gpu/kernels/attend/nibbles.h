/* SPDX-License-Identifier: MIT */
/* nibbles.h -- keys and values of 4 bits: as elements of 16 bits, or as codes that stay packed
 *
 * Elements of 4 bits become elements of 16 bits, without the scale of a row, and with the scale of
 * a block. These are bf16, in which such values are exact, or the format that the sums need.
 *
 * For sums of f16 over keys of 128 elements codes of 4 bits stay packed. Lanes make f16 of them
 * when they need them, by factors that are prepared once for each key and group.
 */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_NIBBLES_H
#define SOFTFP8_GPU_KERNELS_ATTEND_NIBBLES_H

#include "kernels/attend/memory.h"

namespace kernels
{

namespace attention
{

/* ---- two elements in a word ------------------------------------------------------------------ */

/* Two elements of 16 bits in a word. Results are exact here, or infinite, or NaN. */
template <class Half> SHIM_FN inline uint32_t two_products(uint32_t a, uint32_t b)
{
#if defined(__CUDA_ARCH__)
    uint32_t d;
    if constexpr (Half::nan == of_f16::nan)
        asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    else /* products alone begin with sm_90 */
        asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0x80008000u));
    return d;
#else
    return Half::narrow(mul(Half::wide(a & 0xffff), Half::wide(b & 0xffff)),
                        mul(Half::wide(a >> 16), Half::wide(b >> 16)));
#endif
}

/* An exact result. */
SHIM_FN inline uint32_t two_fused_f16(uint32_t a, uint32_t b, uint32_t c)
{
#if defined(__CUDA_ARCH__)
    uint32_t d;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
#else
    return of_f16::narrow(
        fused(of_f16::wide(a & 0xffff), of_f16::wide(b & 0xffff), of_f16::wide(c & 0xffff)),
        fused(of_f16::wide(a >> 16), of_f16::wide(b >> 16), of_f16::wide(c >> 16)));
#endif
}

/* The lower or the upper half, twice: a part of the instruction that takes it. */
template <int upper> SHIM_FN inline uint32_t half_twice(uint32_t two)
{
#if defined(__CUDA_ARCH__)
    uint32_t d;
    if constexpr (upper)
        asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, h}; }" : "=r"(d) : "r"(two));
    else
        asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {l, l}; }" : "=r"(d) : "r"(two));
    return d;
#else
    return permute(two, 0, upper ? 0x3232 : 0x1010);
#endif
}

template <class Half> SHIM_FN inline uint32_t two_sums(uint32_t a, uint32_t b)
{
#if defined(__CUDA_ARCH__)
    uint32_t d;
    if constexpr (Half::nan == of_f16::nan)
        asm("add.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    else
        asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(0x3f803f80u), "r"(b));
    return d;
#else
    return Half::narrow(sum(Half::wide(a & 0xffff), Half::wide(b & 0xffff)),
                        sum(Half::wide(a >> 16), Half::wide(b >> 16)));
#endif
}

/* The values of 8 codes of e2m1, two in a word. A digit of the selector looks up a magnitude. */
template <class Half> SHIM_FN inline void e2m1_words(uint32_t word[4], uint32_t codes)
{
    const uint32_t low = codes << 4; /* the signs of even codes are on top of bytes here */
    for (int i = 0; i < 2; i++) {
        const uint32_t which = codes >> 16 * i & 0x7777;
        const uint32_t signs = permute(low, codes, i ? 0xfbea : 0xd9c8) & 0x80808080u;
        if constexpr (Half::nan == of_f16::nan) { /* lower bytes are 0 */
            const uint32_t up = permute(0x3e3c3800u, 0x46444240u, which) | signs;
            word[2 * i] = permute(up, 0, 0x1404);
            word[2 * i + 1] = permute(up, 0, 0x3424);
        } else {
            const uint32_t up = permute(0x3f3f3f00u, 0x40404040u, which) | signs;
            const uint32_t down = permute(0xc0800000u, 0xc0804000u, which);
            word[2 * i] = permute(down, up, 0x5140);
            word[2 * i + 1] = permute(down, up, 0x7362);
        }
    }
}

template <class Half> SHIM_FN inline uint32_t twice(float x)
{
    return Half::narrow(x, x);
}

/* ---- packed codes ---------------------------------------------------------------------------- */

/* As f16, of the upper two of four codes of e4m3. */
SHIM_FN inline uint32_t upper_halves(uint32_t codes)
{
    LANE_GPU(uint32_t d; asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.rn.f16x2.e4m3x2 %0, h; }"
                             : "=r"(d)
                             : "r"(codes));
             return d;)
    LANE_MODEL(return of_e4m3::halves(codes >> 16);)
}

/* 8 codes of e2m1 in two halves, as f16: two[k] has code k of the lower half and of the upper half
 * if `across`; or else two[k] has codes k % 2 and k % 2 + 2 of the lower half for k < 2, of the
 * upper half for others. Values are those of e4m3 with the same bits, 2^-6 times those of e2m1. */
template <bool across> SHIM_FN inline void small_e2m1(uint32_t two[4], uint32_t codes)
{
    if constexpr (across)
        codes = permute(codes, 0, 0x3120);
    const uint32_t even = (codes << 4 & 0x80808080u) | (codes << 2 & 0x1c1c1c1cu);
    const uint32_t odd = (codes & 0x80808080u) | (codes >> 2 & 0x1c1c1c1cu);
    two[0] = of_e4m3::halves(even);
    two[1] = of_e4m3::halves(odd);
    two[2] = upper_halves(even);
    two[3] = upper_halves(odd);
}

/* Ones in the half of each of two keys that is seen. */
SHIM_FN inline uint32_t seen_halves(uint32_t seen)
{
    return (seen & 1 ? 0xffffu : 0) | (seen & 2 ? 0xffff0000u : 0);
}

/* Codes of e2m1 with scales of groups. A factor is a scale times 2^6 in f16, of two keys. */
template <class Self> struct packed_e2m1 {
    /* Of four codes each of two keys: a[0], a[2] of the first key, a[1], a[3] of the second one. */
    template <bool large>
    SHIM_FN static void keys(uint32_t a[4], uint32_t one, uint32_t other, const uint32_t *factor)
    {
        uint32_t two[4];
        small_e2m1<false>(two, permute(one, other, 0x5410));
        const uint32_t first = half_twice<0>(factor[0]), second = half_twice<1>(factor[0]);
        if constexpr (large) {
            Self::enlarge(two[0], first);
            Self::enlarge(two[1], first);
            Self::enlarge(two[2], second);
            Self::enlarge(two[3], second);
        }
        a[0] = two_products<of_f16>(two[0], first);
        a[2] = two_products<of_f16>(two[1], first);
        a[1] = two_products<of_f16>(two[2], second);
        a[3] = two_products<of_f16>(two[3], second);
    }
    /* Values of two keys become 0 unless a row sees them; seen: a bit each. */
    SHIM_FN static void mask_values(uint32_t &codes, uint32_t *factor, uint32_t seen)
    {
        const uint32_t both = seen_halves(seen);
        codes &= both;
        factor[0] &= both;
    }
    /* Of values: channels 0 to 3, of two keys each. */
    template <bool large>
    SHIM_FN static void values(uint32_t channel[4], uint32_t codes, const uint32_t *factor)
    {
        uint32_t two[4];
        small_e2m1<true>(two, codes);
        if constexpr (large)
            for (uint32_t &x : two)
                Self::enlarge(x, factor[0]);
        channel[0] = two_products<of_f16>(two[0], factor[0]);
        channel[1] = two_products<of_f16>(two[1], factor[0]);
        channel[2] = two_products<of_f16>(two[2], factor[0]);
        channel[3] = two_products<of_f16>(two[3], factor[0]);
    }
};

/* ---- cache types ----------------------------------------------------------------------------- */

/* What elements of 4 bits are converted to: f16 if the sums take that, or else bf16. */
template <class Self> struct nibbles_cache {
    static constexpr int bits = 4, kept = 16;
    template <class Operand> static constexpr bool copied = false;

    static constexpr int packets = 1;
    static constexpr uint32_t scale_bytes = 4; /* scale_bytes: of four pieces */
    static constexpr bool may_be_large = false;

    SHIM_FN static void get(packet *p, const uint8_t *from)
    {
        p[0] = get_codes_at<8>(from);
    }
    template <class Operand>
    SHIM_FN static void put(unsigned char *to, const packet *codes, uint32_t scale,
                            uint32_t row_scale)
    {
        packet p[2];
        Self::template words<typename Operand::half>(p, codes->word, scale, row_scale);
        put16(to, p[0]);
        put16(to + 16, p[1]);
    }
    SHIM_FN static void wide2(float *x, const unsigned char *from)
    {
        x[0] = wide(from);
        x[1] = wide(from + 2);
    }
    SHIM_FN static float wide(const unsigned char *from)
    {
        return of_bf16::wide(get2(from));
    }
};

/* A code of e2m1 has 2 significant bits, and one of e4m3 has 4: each product is exact in bf16, and
 * in f16, whose range it does not leave. */
struct nvfp4_cache : nibbles_cache<nvfp4_cache>, packed_e2m1<nvfp4_cache> {
    static constexpr bool grouped = true;
    /* Of four pieces of two keys, whose scales are these. */
    SHIM_FN static void factors(uint32_t factor[4], uint32_t first, uint32_t second)
    {
        for (int i = 0; i < 2; i++) {
            const uint32_t both = permute(first, second, i ? 0x7362 : 0x5140);
            factor[2 * i] = two_products<of_f16>(of_e4m3::halves(both), 0x54005400u);
            factor[2 * i + 1] = two_products<of_f16>(upper_halves(both), 0x54005400u);
        }
    }
    SHIM_FN static bool are_usual(uint32_t, uint32_t)
    {
        return true;
    }
    SHIM_FN static bool rare_factors(uint32_t *, uint32_t, uint32_t)
    {
        return false;
    }
    template <class Half>
    SHIM_FN static void words(packet p[2], const uint32_t codes[2], uint32_t scale, uint32_t)
    {
        const uint32_t two = twice<Half>(of_e4m3::wide(scale));
        for (int i = 0; i < 2; i++) {
            e2m1_words<Half>(p[i].word, codes[i]);
            for (uint32_t &w : p[i].word)
                w = two_products<Half>(w, two);
        }
    }
};

/* Products with 2^-127 to 2^127 are exact in bf16, or infinite. In f16 they are exact from 2^-23 to
 * 2^13; products with other scales are rounded from f32. */
struct mxfp4_cache : nibbles_cache<mxfp4_cache>, packed_e2m1<mxfp4_cache> {
    static constexpr bool grouped = true;
    static constexpr uint32_t scale_bytes = 2;
    static constexpr bool may_be_large = true;

    /* A scale 2^k becomes 2^(k + 6), which is rounded to 0 if all products are. If k is above 9, it
     * becomes -2^(k - 9), or -2^15, and codes must be multiplied by -2^15 first. If all factors are
     * normal numbers, their exponents are computed together. The codes are those of two groups. */
    SHIM_FN static void factors(uint32_t factor[4], uint32_t first, uint32_t second)
    {
        const uint32_t more = above_106(first, second);
        factor[0] = factor[1] = (more & 0x00ff00ffu) * 1024;
        factor[2] = factor[3] = (more & 0xff00ff00u) * 4;
    }
    /* Are they from 107 to 136? */
    SHIM_FN static bool are_usual(uint32_t first, uint32_t second)
    {
        const uint32_t more = above_106(first, second);
        return (((more - 0x01010101u) | (more + 0x01010101u)) & 0xe0e0e0e0u) == 0;
    }
    SHIM_FN static uint32_t above_106(uint32_t first, uint32_t second)
    {
        return permute(first, second, 0x5410) - 0x6a6a6a6au;
    }
    /* Other factors. Returns true if a scale is large. */
    SHIM_FN static bool rare_factors(uint32_t factor[4], uint32_t first, uint32_t second)
    {
        for (int i = 0; i < 4; i++)
            factor[i] = rare_factor(first >> 8 * (i / 2) & 255) |
                        rare_factor(second >> 8 * (i / 2) & 255) << 16;
        const uint32_t all = permute(first, second, 0x5410);
        return (((all & 0x7f7f7f7fu) + 0x77777777u) & all & 0x80808080u) != 0;
    }
    SHIM_FN static void enlarge(uint32_t &two, uint32_t factor)
    {
        const uint32_t one = 0x3c003c00u,
                       large = (factor >> 15 & 0x00010001u) * (0xf800u - 0x3c00u);
        two = two_products<of_f16>(two, one + large);
    }
    template <class Half>
    SHIM_FN static void words(packet p[2], const uint32_t codes[2], uint32_t scale, uint32_t)
    {
        const float s = scale == 255 ? not_a_number() : float_of(scale ? scale << 23 : 0x00400000u);
        const uint32_t two = twice<Half>(s);
        e2m1_words<Half>(p[0].word, codes[0]);
        e2m1_words<Half>(p[1].word, codes[1]);
        if constexpr (Half::nan == of_f16::nan) {
            if (scale - 104 > 36) {
                round_words<Half>(p, s);
                return;
            }
        }
        for (int i = 0; i < 8; i++)
            p[i / 4].word[i % 4] = two_products<Half>(p[i / 4].word[i % 4], two);
    }

  private:
    SHIM_FN static uint32_t rare_factor(uint32_t scale)
    {
        if (scale == 255)
            return of_f16::nan;
        if (scale > 136)
            return 0x8000u | (scale > 151 ? 30 : scale - 121) << 10;
        return of_f16::narrow(float_of((scale + 6) << 23), 0.0f) & 0xffff;
    }

    /* Rare, and therefore a loop. The words rotate by one in each iteration, so that all indices
     * are constants. */
    template <class Half> SHIM_FN static void round_words(packet p[2], float s)
    {
        ATTEND_ROLLED
        for (int i = 0; i < 8; i++) {
            const uint32_t w = p[0].word[0];
            for (int k = 0; k < 7; k++)
                p[k / 4].word[k % 4] = p[(k + 1) / 4].word[(k + 1) % 4];
            p[1].word[3] = Half::narrow(mul(Half::wide(w & 0xffff), s),
                                        mul(Half::wide(w >> 16), s));
        }
    }
};

/* An offset is in the last 4 bits of the row's scale. A code is put into the low bits of 1024 in
 * f16, of 128 in bf16, and from that 1024 + offset, or 128 + offset, is subtracted. */
struct int4_cache : nibbles_cache<int4_cache> {
    static constexpr bool grouped = false;

    /* Codes 0 and 2, and 1 and 3, of each of two keys, or code k of both. An odd code is 16 times
     * as large, and from 64 + code 64 + offset is subtracted. `even` and `odd` are those two, less
     * than 0. */
    SHIM_FN static uint32_t even_codes(uint32_t codes, uint32_t even)
    {
        return two_sums<of_f16>(in_1024<0x000f000fu>(codes), even);
    }
    SHIM_FN static uint32_t odd_codes(uint32_t codes, uint32_t odd)
    {
        return two_fused_f16(in_1024<0x00f000f0u>(codes), 0x2c002c00u, odd);
    }
    /* One instruction, which has one constant of the two in a register. The compiler makes two
     * instructions of the operators. */
    template <uint32_t mask> SHIM_FN static uint32_t in_1024(uint32_t codes)
    {
        LANE_GPU(uint32_t d; asm("lop3.b32 %0, %1, %2, %3, 0xea;"
                                 : "=r"(d)
                                 : "r"(codes), "n"(mask), "n"(0x64006400u));
                 return d;)
        LANE_MODEL(return (codes & mask) | 0x64006400u;)
    }
    /* As packed_e2m1 does. factor[0]: -(1024 + offset) of two keys; factor[1]: -(64 + offset). */
    template <bool>
    SHIM_FN static void keys(uint32_t a[4], uint32_t one, uint32_t other, const uint32_t *factor)
    {
        const uint32_t codes = permute(one, other, 0x5140);
        a[0] = even_codes(codes, half_twice<0>(factor[0]));
        a[2] = odd_codes(codes, half_twice<0>(factor[1]));
        a[1] = even_codes(codes >> 8, half_twice<1>(factor[0]));
        a[3] = odd_codes(codes >> 8, half_twice<1>(factor[1]));
    }
    template <bool>
    SHIM_FN static void values(uint32_t channel[4], uint32_t codes, const uint32_t *factor)
    {
        channel[0] = even_codes(codes, factor[0]);
        channel[1] = odd_codes(codes, factor[1]);
        channel[2] = even_codes(codes >> 8, factor[0]);
        channel[3] = odd_codes(codes >> 8, factor[1]);
    }
    SHIM_FN static void mask_values(uint32_t &codes, uint32_t *factor, uint32_t seen)
    {
        const uint32_t both = seen_halves(seen);
        codes &= both;
        factor[0] = (factor[0] & both) | (0xe400e400u & ~both);
        factor[1] = (factor[1] & both) | (0xd400d400u & ~both);
    }
    /* Of the row's scale. */
    SHIM_FN static uint32_t even_factor(uint32_t row_scale)
    {
        return 0xe400u | (row_scale & 15);
    }
    SHIM_FN static uint32_t odd_factor(uint32_t row_scale)
    {
        return 0xd400u | (row_scale & 15) << 4;
    }
    template <class Half>
    SHIM_FN static void words(packet p[2], const uint32_t codes[2], uint32_t, uint32_t row_scale)
    {
        constexpr uint32_t large = Half::nan == of_f16::nan ? 0x64646464u : 0x43434343u;
        const uint32_t offset = permute(row_scale & 15, large | 0x80808080u, 0x4040);
        for (int i = 0; i < 2; i++) {
            const uint32_t even = codes[i] & 0x0f0f0f0fu, odd = codes[i] >> 4 & 0x0f0f0f0fu;
            for (int k = 0; k < 2; k++) {
                const uint32_t four = permute(even, odd, k ? 0x7362 : 0x5140);
                p[i].word[2 * k] = two_sums<Half>(permute(four, large, 0x4140), offset);
                p[i].word[2 * k + 1] = two_sums<Half>(permute(four, large, 0x4342), offset);
            }
        }
    }
};

} // namespace attention

} // namespace kernels

#endif
