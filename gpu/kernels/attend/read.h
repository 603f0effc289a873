/* SPDX-License-Identifier: MIT */
/* read.h -- keys and values: where they are in the image of a cache, and in shared memory
 *
 * A cache type defines how 16 elements of the image become a piece in shared memory, and how that
 * is read there. Codes of 8 bits and elements of 16 bits are kept as they are. Elements of 4 bits
 * become elements of 16 bits, without the scale of a row, and with the scale of a block. These are
 * bf16, in which such values are exact, or the format that the sums need.
 *
 * In shared memory keys are rows whose distance puts the accesses of a warp's lanes in different
 * banks (attend.h says which lane reads what).
 */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_READ_H
#define SOFTFP8_GPU_KERNELS_ATTEND_READ_H

#include "kernels/codes.h"
#include "kernels/f32.h"

namespace kernels
{

namespace attention
{

enum { CHUNK = 64, SPAN_CHUNKS = 16, THREADS = 128, WARPS = 4, PIECE = 16 };

/* ---- memory ---------------------------------------------------------------------------------- */

SHIM_FN inline packet get16(const void *from)
{
    LANE_GPU(uint4 v = *static_cast<const uint4 *>(from); return {{v.x, v.y, v.z, v.w}};)
    LANE_MODEL(packet p; memcpy(&p, from, sizeof p); return p;)
}

SHIM_FN inline void put16(void *to, packet p)
{
    LANE_GPU(*static_cast<uint4 *>(to) = make_uint4(p.word[0], p.word[1], p.word[2], p.word[3]);)
    LANE_MODEL(memcpy(to, &p, sizeof p);)
}

/* 4 bytes at a multiple of 4. */
SHIM_FN inline uint32_t get4(const unsigned char *from)
{
    LANE_GPU(return *reinterpret_cast<const uint32_t *>(from);)
    LANE_MODEL(uint32_t w; memcpy(&w, from, sizeof w); return w;)
}

/* 8 at a multiple of 8. */
SHIM_FN inline void get8(uint32_t to[2], const unsigned char *from)
{
    LANE_GPU(uint2 two = *reinterpret_cast<const uint2 *>(from); to[0] = two.x; to[1] = two.y;)
    LANE_MODEL(memcpy(to, from, 8);)
}

SHIM_FN inline void put4(unsigned char *to, uint32_t w)
{
    LANE_GPU(*reinterpret_cast<uint32_t *>(to) = w;)
    LANE_MODEL(memcpy(to, &w, sizeof w);)
}

SHIM_FN inline uint32_t get2(const unsigned char *from)
{
    LANE_GPU(return *reinterpret_cast<const uint16_t *>(from);)
    LANE_MODEL(uint16_t w; memcpy(&w, from, sizeof w); return w;)
}

SHIM_FN inline void put2(unsigned char *to, uint32_t w)
{
    LANE_GPU(*reinterpret_cast<uint16_t *>(to) = static_cast<uint16_t>(w);)
    LANE_MODEL(uint16_t half = static_cast<uint16_t>(w); memcpy(to, &half, sizeof half);)
}

/* 8 or 16 bytes of an image, from any address. */
template <int bytes> SHIM_FN inline packet get_codes_at(const uint8_t *from)
{
    const uintptr_t at = reinterpret_cast<uintptr_t>(from);
    packet p = {{0, 0, 0, 0}};
    if constexpr (bytes == 16) {
        if ((at & 15) == 0)
            return get16(from);
    }
    if ((at & 3) == 0) {
        for (int i = 0; i < bytes / 4; i++)
            p.word[i] = get4(from + 4 * i);
        return p;
    }
    for (int i = 0; i < bytes; i++)
        p.word[i / 4] |= static_cast<uint32_t>(from[i]) << 8 * (i % 4);
    return p;
}

/* ---- one side of the cache ------------------------------------------------------------------- */

/* Keys, or values. Scales: one for `group` elements of a row; 0: one of 4 bytes for a row, if there
 * are any. With `four` those of 4 tokens are together (docs/spec/cache-images.md), `columns` a row. */
struct side {
    const uint8_t *image, *scales; /* of scale 0 of block 0 */
    uint64_t block_stride, slot_stride, head_stride;
    uint64_t scale_block_stride, scale_slot_stride, scale_head_stride;
    uint32_t group, four, columns, by_row;

    SHIM_FN const uint8_t *row(uint64_t block, uint32_t slot, uint32_t head) const
    {
        return image + block * block_stride + slot * slot_stride + head * head_stride;
    }

    SHIM_FN const uint8_t *scale(uint64_t block, uint32_t slot, uint32_t head, uint32_t k) const
    {
        const uint8_t *at = scales + block * scale_block_stride + head * scale_head_stride;
        if (!four)
            return at + slot * scale_slot_stride + k;
        uint32_t place = 4 * k + slot % 4;
        return at + (slot & ~3u) * scale_slot_stride + place / columns * scale_slot_stride +
               place % columns;
    }

    SHIM_FN uint32_t row_scale(uint64_t block, uint32_t slot, uint32_t head) const
    {
        const uint8_t *at = scales + block * scale_block_stride + head * scale_head_stride +
                            slot * scale_slot_stride;
        if ((reinterpret_cast<uintptr_t>(at) & 3) == 0)
            return get4(at);
        return at[0] | static_cast<uint32_t>(at[1]) << 8 | static_cast<uint32_t>(at[2]) << 16 |
               static_cast<uint32_t>(at[3]) << 24;
    }
};

/* ---- cache types ----------------------------------------------------------------------------- */

/* Codes of 8 bits: a piece is 16 bytes. copied: the sums need it as it is in the image. */
template <class Element> struct bytes_cache {
    static constexpr int bits = 8, kept = 8; /* in the image, in shared memory */
    static constexpr bool grouped = false;
    template <class Operand> static constexpr bool copied = true;

    static constexpr int packets = 1;

    SHIM_FN static void get(packet *p, const uint8_t *from)
    {
        p[0] = get_codes_at<16>(from);
    }
    template <class Operand>
    SHIM_FN static void put(unsigned char *to, const packet *p, uint32_t, uint32_t)
    {
        put16(to, p[0]);
    }
    SHIM_FN static void wide2(float *x, const unsigned char *from)
    {
        uint32_t two = Element::halves(get2(from));
        x[0] = of_f16::wide(two & 0xffff);
        x[1] = of_f16::wide(two >> 16);
    }
    SHIM_FN static float wide(const unsigned char *from)
    {
        return of_f16::wide(Element::halves(*from) & 0xffff);
    }
    /* Two codes as two operands. */
    template <class Operand> SHIM_FN static uint32_t operands(uint32_t codes)
    {
        uint32_t two = Element::halves(codes);
        return Operand::of_halves(two);
    }
};

/* Elements of 16 bits: a piece is 32 bytes. */
template <class Half> struct halves_cache {
    static constexpr int bits = 16, kept = 16;
    static constexpr bool grouped = false;
    template <class Operand> static constexpr bool copied = Operand::template takes<Half>;

    static constexpr int packets = 2;

    SHIM_FN static void get(packet *p, const uint8_t *from)
    {
        p[0] = get_codes_at<16>(from);
        p[1] = get_codes_at<16>(from + 16);
    }
    template <class Operand>
    SHIM_FN static void put(unsigned char *to, const packet *p, uint32_t, uint32_t)
    {
        put16(to, Operand::template of_words<Half>(p[0]));
        put16(to + 16, Operand::template of_words<Half>(p[1]));
    }
    SHIM_FN static void wide2(float *x, const unsigned char *from)
    {
        x[0] = wide(from);
        x[1] = wide(from + 2);
    }
    SHIM_FN static float wide(const unsigned char *from)
    {
        return Half::wide(get2(from));
    }
};

/* What elements of 4 bits are converted to. */
template <class Self> struct nibbles_cache {
    static constexpr int bits = 4, kept = 16;
    template <class Operand> static constexpr bool copied = false;

    static constexpr int packets = 1;

    SHIM_FN static void get(packet *p, const uint8_t *from)
    {
        p[0] = get_codes_at<8>(from);
    }
    template <class Operand>
    SHIM_FN static void put(unsigned char *to, const packet *codes, uint32_t scale,
                            uint32_t row_scale)
    {
        for (int i = 0; i < 2; i++) {
            packet p;
            for (int k = 0; k < 4; k++) {
                uint32_t two = codes->word[i] >> 8 * k;
                float low = Self::value(two & 15, scale, row_scale);
                float high = Self::value(two >> 4 & 15, scale, row_scale);
                p.word[k] = Operand::narrow(low, high);
            }
            put16(to + 16 * i, p);
        }
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

struct nvfp4_cache : nibbles_cache<nvfp4_cache> {
    static constexpr bool grouped = true;
    SHIM_FN static float value(uint32_t code, uint32_t scale, uint32_t)
    {
        return mul(e2m1_wide(code), of_e4m3::wide(scale));
    }
};

struct mxfp4_cache : nibbles_cache<mxfp4_cache> {
    static constexpr bool grouped = true;
    SHIM_FN static float value(uint32_t code, uint32_t scale, uint32_t)
    {
        float s = scale == 255 ? not_a_number() : float_of(scale ? scale << 23 : 0x00400000u);
        return mul(e2m1_wide(code), s);
    }
};

/* An offset is in the last 4 bits of the row's scale. */
struct int4_cache : nibbles_cache<int4_cache> {
    static constexpr bool grouped = false;
    SHIM_FN static float value(uint32_t code, uint32_t, uint32_t row_scale)
    {
        LANE_GPU(return __int2float_rn(static_cast<int>(code) - static_cast<int>(row_scale & 15));)
        LANE_MODEL(
            return static_cast<float>(static_cast<int>(code) - static_cast<int>(row_scale & 15));)
    }
};

using e4m3_cache = bytes_cache<of_e4m3>;
using e5m2_cache = bytes_cache<of_e5m2>;
using f16_cache = halves_cache<of_f16>;
using bf16_cache = halves_cache<of_bf16>;

/* ---- what sums take -------------------------------------------------------------------------- */

/* Elements of 16 bits, two in a register. */
template <class Half> struct operands {
    static constexpr bool unit = true;
    template <class From> static constexpr bool takes = Half::nan == From::nan;

    SHIM_FN static uint32_t narrow(float low, float high)
    {
        return Half::narrow(low, high);
    }
    template <class From> SHIM_FN static packet of_words(packet p)
    {
        if constexpr (!takes<From>)
            for (uint32_t &w : p.word)
                w = Half::narrow(From::wide(w & 0xffff), From::wide(w >> 16));
        return p;
    }
    SHIM_FN static uint32_t of_halves(uint32_t two)
    {
        if constexpr (Half::nan == of_f16::nan)
            return two;
        else
            return Half::narrow(of_f16::wide(two & 0xffff), of_f16::wide(two >> 16));
    }
};

struct by_f16 : operands<of_f16> {
    static constexpr bool is_f16 = true;
};
struct by_bf16 : operands<of_bf16> {
    static constexpr bool is_f16 = false;
};

/* Sums by fma of f32, of elements as they are; elements of 4 bits were converted to bf16. */
struct by_fma {
    static constexpr bool unit = false;
    template <class From> static constexpr bool takes = true;

    SHIM_FN static uint32_t narrow(float low, float high)
    {
        return of_bf16::narrow(low, high);
    }
    template <class From> SHIM_FN static packet of_words(packet p)
    {
        return p;
    }
};

} // namespace attention

} // namespace kernels

#endif
