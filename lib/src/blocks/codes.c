/* SPDX-License-Identifier: MIT */
/* codes.c -- codes of a row in memory: a byte each or packed, from any column on */
#include "blocks/block_vector.h"

#include <string.h>

/* Codes that begin within a byte. */
static void sf8_codes_put_within(int32_t bits, uint8_t *at, int32_t bit, const uint8_t *codes,
                                 size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t code = (uint32_t)codes[i] << bit;
        at[0] = (uint8_t)(bit == 0 ? code : at[0] | code);
        if (bit + bits > 8)
            at[1] = (uint8_t)(code >> 8);
        bit += bits;
        at += bit >> 3;
        bit &= 7;
    }
}

SF8_PRIVATE void sf8_codes_put(int32_t bits, uint8_t *row, size_t column, const uint8_t *codes,
                               size_t n)
{
    int32_t bit = (int32_t)(column % 8) * bits % 8;
    uint8_t *at = row + column / 8 * (size_t)bits + column % 8 * (size_t)bits / 8;
    if (bits == 8)
        memcpy(at, codes, n);
    else if (bit == 0)
        (void)sf8_pack_n(bits, at, codes, n);
    else
        sf8_codes_put_within(bits, at, bit, codes, n);
}

SF8_PRIVATE void sf8_codes_get(int32_t bits, const uint8_t *row, size_t column, uint8_t *codes,
                               size_t n)
{
    int32_t bit = (int32_t)(column % 8) * bits % 8;
    const uint8_t *at = row + column / 8 * (size_t)bits + column % 8 * (size_t)bits / 8;
    if (bits == 8) {
        memcpy(codes, at, n);
        return;
    }
    if (bit == 0) {
        (void)sf8_unpack_n(bits, codes, at, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t two = bit + bits > 8 ? at[0] | (uint32_t)at[1] << 8 : at[0];
        codes[i] = (uint8_t)(two >> bit & ((1u << bits) - 1));
        bit += bits;
        at += bit >> 3;
        bit &= 7;
    }
}
