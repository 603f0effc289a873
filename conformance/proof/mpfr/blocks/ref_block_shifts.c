/* SPDX-License-Identifier: MIT */
/* ref_block_shifts.c -- block floating point as Tenstorrent packs it, by shifts of words
 *
 * From the text of tt-metal's blockfloat_common.cpp. It does not say what this does for infinity
 * and NaN, and it packs subnormal numbers as if they were normal: here a block with infinity or NaN
 * has codes of 0 and values that are infinite or NaN, and subnormal numbers are numbers.
 */
#include "mpfr/blocks/ref_block_recipes.h"

#include <stddef.h>

/* An element of `bits` bits and a sign, beside the shared exponent field. */
static uint32_t packed(word x, uint32_t shared, int bits)
{
    uint32_t exponent = x >> 23 & 255, mantissa = x & 0x7fffff, left = 24 - (uint32_t)bits;
    if (shared == 255)
        return 0;
    if (exponent == 0)
        mantissa <<= 1;
    else
        mantissa |= 1u << 23;
    mantissa = shared - exponent < 32 ? mantissa >> (shared - exponent) : 0;
    uint32_t rest = mantissa & ((1u << left) - 1), half = 1u << (left - 1);
    mantissa >>= left;
    if (rest > half || (rest == half && (mantissa & 1)))
        mantissa++;
    if (mantissa >> bits)
        mantissa = (1u << bits) - 1;
    return mantissa ? x >> 31 << bits | mantissa : 0;
}

static void pack(ref_block *b, const word *x, size_t n, int bits)
{
    b->scale = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t exponent = x[i] >> 23 & 255;
        b->scale = exponent > b->scale ? exponent : b->scale;
    }
    for (size_t i = 0; i < n; i++)
        b->code[i] = packed(x[i], b->scale, bits);
}

static word unpacked(uint32_t scale, uint32_t code, int bits)
{
    uint32_t size = code & ((1u << bits) - 1);
    word magnitude;
    if (scale == 255)
        magnitude = size ? REF_INF : REF_NAN;
    else
        magnitude = ref_f32_mul(ref_number((int)size), ref_f32_pow2((long)scale - 126 - bits));
    return code >> bits && magnitude != REF_NAN ? ref_f32_neg(magnitude) : magnitude;
}

#define SIZE(name, bits)                                                                           \
    static void pack_##name(ref_block *b, const word *x, size_t n, word g)                         \
    {                                                                                              \
        (void)g;                                                                                   \
        pack(b, x, n, bits);                                                                       \
    }                                                                                              \
    static word unpack_##name(uint32_t scale, uint32_t offset, word g, uint32_t code)              \
    {                                                                                              \
        (void)offset, (void)g;                                                                     \
        return unpacked(scale, code, bits);                                                        \
    }
SIZE(bfp8, 7)
SIZE(bfp4, 3)
SIZE(bfp2, 1)

const ref_recipe ref_shifts_recipes[] = {
    {"bfp8-tenstorrent", "e4m3", 16, REF_G_NONE, 0, 8, 8, pack_bfp8, unpack_bfp8},
    {"bfp4-tenstorrent", "e2m1", 16, REF_G_NONE, 0, 4, 8, pack_bfp4, unpack_bfp4},
    {"bfp2-tenstorrent", "e2m1", 16, REF_G_NONE, 0, 2, 8, pack_bfp2, unpack_bfp2},
    {0},
};
