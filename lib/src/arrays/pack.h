/* SPDX-License-Identifier: MIT */
/* pack.h -- packing of codes: the loops over whole groups of 64 */
#ifndef SF8_ARRAY_PACK_H
#define SF8_ARRAY_PACK_H

#include "arrays/inline.h"

#if SF8_HAS_AVX
/* Both process the groups of 64 codes among the n, bits = 4 or 6, and return how many codes that
 * was. */
SF8_PRIVATE size_t sf8_pack_avx512(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n);
SF8_PRIVATE size_t sf8_unpack_avx512(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n);
#endif

#endif
