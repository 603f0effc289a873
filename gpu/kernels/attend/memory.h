/* SPDX-License-Identifier: MIT */
/* memory.h -- loads and stores, and where the rows of keys and values are in the image of a cache
 */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_MEMORY_H
#define SOFTFP8_GPU_KERNELS_ATTEND_MEMORY_H

#include "kernels/codes.h"
#include "kernels/f32.h"

#if defined(__CUDA_ARCH__)
#define ATTEND_ROLLED _Pragma("unroll 1")
#else
#define ATTEND_ROLLED
#endif

namespace kernels
{

namespace attention
{

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
SHIM_FN inline void get8(uint32_t to[2], const void *from)
{
    LANE_GPU(uint2 two = *static_cast<const uint2 *>(from); to[0] = two.x; to[1] = two.y;)
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
    /* A loop: these instructions would be issued for aligned codes too, if the compiler predicated
     * them. */
    ATTEND_ROLLED
    for (int i = bytes - 1; i >= 0; i--) {
        for (int k = bytes / 4 - 1; k > 0; k--)
            p.word[k] = p.word[k] << 8 | p.word[k - 1] >> 24;
        p.word[0] = p.word[0] << 8 | from[i];
    }
    return p;
}

/* ---- one side of the cache ------------------------------------------------------------------- */

/* Keys, or values. A scale belongs to some pieces of a row (`by_scale`), or is 4 bytes for the
 * whole row (`by_row`). There may be none. With `four`, scales of 4 tokens are together
 * (docs/spec/kv/images.md), `columns` a row. */
struct side {
    const uint8_t *image, *scales; /* of scale 0 of block 0 */
    uint64_t block_stride, head_stride, scale_block_stride, scale_head_stride;
    uint32_t slot_stride, scale_slot_stride, scale_slots; /* scale_slots: bits of a slot */
    divider by_scale;                                     /* pieces that share a scale */
    uint32_t four, columns, by_row;

    SHIM_FN const uint8_t *row(uint64_t block, uint32_t slot, uint32_t head) const
    {
        return row_from(image + head * head_stride, block, slot);
    }

    /* Where the scales of a row begin, or those of its four rows. */
    SHIM_FN const uint8_t *scale_row(uint64_t block, uint32_t slot, uint32_t head) const
    {
        return scale_row_from(scales + head * scale_head_stride, block, slot);
    }

    /* From those of block 0 on. */
    SHIM_FN const uint8_t *row_from(const uint8_t *base, uint64_t block, uint64_t slot) const
    {
        return base + block * block_stride + slot * slot_stride;
    }

    SHIM_FN const uint8_t *scale_row_from(const uint8_t *base, uint64_t block, uint32_t slot) const
    {
        const uint64_t first = slot & scale_slots;
        return base + block * scale_block_stride + first * scale_slot_stride;
    }

    SHIM_FN const uint8_t *scale(const uint8_t *row_of_scales, uint32_t slot, uint32_t k) const
    {
        if (!four)
            return row_of_scales + k;
        uint32_t place = 4 * k + slot % 4;
        return row_of_scales + uint64_t{place / columns} * scale_slot_stride + place % columns;
    }
};

/* 4 bytes, from any address. */
SHIM_FN inline uint32_t get4_at(const uint8_t *at)
{
    if ((reinterpret_cast<uintptr_t>(at) & 3) == 0)
        return get4(at);
    uint32_t word = 0;
    ATTEND_ROLLED
    for (int i = 3; i >= 0; i--)
        word = word << 8 | at[i];
    return word;
}

} // namespace attention

} // namespace kernels

#endif
