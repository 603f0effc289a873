/* SPDX-License-Identifier: MIT */
/* pack.c -- codes of few bits, packed and unpacked
 *
 * Eight codes of b bits are b bytes: a group. Packing moves its codes together within 64 bits by
 * closing the gaps between neighbours, then between pairs, then between fours; unpacking opens them
 * in the opposite order.
 */
#include "levels/level.h"
#include "softfp8.h"

#include <string.h>

/* The 64-bit integer whose least significant byte comes first in memory. */
SF8_INLINED uint64_t sf8_little(uint64_t x)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return x;
#else
    uint8_t byte[8];
    uint64_t r;
    for (int32_t i = 0; i < 8; i++)
        byte[i] = (uint8_t)(x >> 8 * i);
    memcpy(&r, byte, sizeof r);
    return r;
#endif
}

SF8_INLINED uint64_t sf8_bytes_of(int32_t bits)
{
    return UINT64_C(0x0101010101010101) * ((1u << bits) - 1);
}

SF8_INLINED uint64_t sf8_close_gaps(uint64_t x, int32_t bits)
{
    const uint64_t even8 = UINT64_C(0x00ff00ff00ff00ff), even16 = UINT64_C(0x0000ffff0000ffff);
    x &= sf8_bytes_of(bits);
    x = (x & even8) | (x & ~even8) >> (8 - bits);
    x = (x & even16) | (x & ~even16) >> 2 * (8 - bits);
    return (x & UINT32_MAX) | x >> 32 << 4 * bits;
}

SF8_INLINED uint64_t sf8_open_gaps(uint64_t x, int32_t bits)
{
    uint64_t four = (UINT64_C(1) << 4 * bits) - 1;
    uint64_t two = ((UINT64_C(1) << 2 * bits) - 1) * UINT64_C(0x0000000100000001);
    uint64_t one = ((UINT64_C(1) << bits) - 1) * UINT64_C(0x0001000100010001);
    x = (x & four) | (x >> 4 * bits & four) << 32;
    x = (x & two) | (x >> 2 * bits & two) << 16;
    return (x & one) | (x >> bits & one) << 8;
}

SF8_INLINED void sf8_pack_groups(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n)
{
    size_t group = (size_t)bits;
    for (; n >= 8; n -= 8, src += 8, dst += group) {
        uint64_t x;
        memcpy(&x, src, sizeof x);
        x = sf8_little(sf8_close_gaps(sf8_little(x), bits));
        memcpy(dst, &x, group);
    }
    if (n != 0) {
        uint64_t x = 0;
        memcpy(&x, src, n);
        x = sf8_little(sf8_close_gaps(sf8_little(x), bits));
        memcpy(dst, &x, sf8_packed_size(bits, n));
    }
}

SF8_INLINED void sf8_unpack_groups(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n)
{
    size_t group = (size_t)bits, left = sf8_packed_size(bits, n);
    /* Eight bytes are read if that many are left; those after the group are dropped. */
    for (; left >= 8 && n >= 8; n -= 8, left -= group, src += group, dst += 8) {
        uint64_t x;
        memcpy(&x, src, sizeof x);
        x = sf8_little(sf8_open_gaps(sf8_little(x), bits));
        memcpy(dst, &x, sizeof x);
    }
    for (; n >= 8; n -= 8, src += group, dst += 8) {
        uint64_t x = 0;
        memcpy(&x, src, group);
        x = sf8_little(sf8_open_gaps(sf8_little(x), bits));
        memcpy(dst, &x, sizeof x);
    }
    if (n != 0) {
        uint64_t x = 0;
        memcpy(&x, src, sf8_packed_size(bits, n));
        x = sf8_little(sf8_open_gaps(sf8_little(x), bits));
        memcpy(dst, &x, n);
    }
}

size_t sf8_packed_size(int32_t bits, size_t n)
{
    if (bits < 1 || bits > 8)
        return 0;
    return n / 8 * (size_t)bits + (n % 8 * (size_t)bits + 7) / 8;
}

static sf8_status sf8_pack_status(int32_t bits, const void *dst, const void *src, size_t n)
{
    if (bits < 1 || bits > 8)
        return SF8_BAD_FORMAT;
    return n > PTRDIFF_MAX || (n != 0 && (!dst || !src)) ? SF8_BAD_CALL : SF8_OK;
}

/* The loops compiled for the widths that are used. */
#define SF8_BY_WIDTH(groups)                                                                       \
    switch (bits) {                                                                                \
    case 4:                                                                                        \
        groups(4, dst, src, n);                                                                    \
        break;                                                                                     \
    case 6:                                                                                        \
        groups(6, dst, src, n);                                                                    \
        break;                                                                                     \
    default:                                                                                       \
        groups(bits, dst, src, n);                                                                 \
    }

sf8_status sf8_pack_n(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n)
{
    sf8_status status = sf8_pack_status(bits, dst, src, n);
    if (status != SF8_OK || n == 0)
        return status;
    const sf8_level *level = sf8_level_now();
    if ((bits == 4 || bits == 6) && level->pack) {
        size_t done = level->pack(bits, dst, src, n);
        dst += sf8_packed_size(bits, done);
        src += done;
        n -= done;
    }
    SF8_BY_WIDTH(sf8_pack_groups)
    return SF8_OK;
}

sf8_status sf8_unpack_n(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n)
{
    sf8_status status = sf8_pack_status(bits, dst, src, n);
    if (status != SF8_OK || n == 0)
        return status;
    const sf8_level *level = sf8_level_now();
    if ((bits == 4 || bits == 6) && level->unpack) {
        size_t done = level->unpack(bits, dst, src, n);
        src += sf8_packed_size(bits, done);
        dst += done;
        n -= done;
    }
    SF8_BY_WIDTH(sf8_unpack_groups)
    return SF8_OK;
}
#undef SF8_BY_WIDTH
