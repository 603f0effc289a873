/* SPDX-License-Identifier: MIT */
/* tensor_word.h -- elements of a tensor of f32, bf16 or f16, one at a time */
#ifndef SOFTFP8_TENSOR_WORD_H
#define SOFTFP8_TENSOR_WORD_H

#include "softfp8/scalar.h"
#include "softfp8.h"

#include <string.h>

/* Returns SF8_OK if a tensor may have this format and `n` elements. */
static inline sf8_status sf8_matrix_check(sf8_format f, size_t rows, size_t columns)
{
    const sf8_format formats[3] = {SF8_F32, SF8_BF16, SF8_F16};
    uint32_t known = 0;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        known |= memcmp(&f, &formats[i], sizeof f) == 0;
    if (!known)
        return SF8_BAD_FORMAT;
    return rows != 0 && columns > PTRDIFF_MAX / 4 / rows ? SF8_BAD_CALL : SF8_OK;
}

/* Returns element i as f32. A NaN of bf16 keeps its bits, and so does one of f32. */
static inline uint32_t sf8_word_load(sf8_format f, const void *src, size_t i)
{
    uint32_t word;
    uint16_t half;
    if (sf8_format_bits(f) == 32) {
        memcpy(&word, (const unsigned char *)src + 4 * i, 4);
        return word;
    }
    memcpy(&half, (const unsigned char *)src + 2 * i, 2);
    if (f.exp_bits == 8)
        return (uint32_t)half << 16;
    return (uint32_t)sf8_core_convert(SF8_F32, SF8_F16, half, SF8_OCP_NOSAT, 0).code;
}

static inline void sf8_word_store(sf8_format f, void *dst, size_t i, uint32_t word)
{
    if (sf8_format_bits(f) == 32) {
        memcpy((unsigned char *)dst + 4 * i, &word, 4);
        return;
    }
    uint16_t half = (uint16_t)sf8_core_convert(f, SF8_F32, word, SF8_OCP_NOSAT, 0).code;
    memcpy((unsigned char *)dst + 2 * i, &half, 2);
}

#endif
