/* SPDX-License-Identifier: MIT */
/* neon.h -- the vocabulary of Advanced SIMD: four words
 *
 * It has what products of matrices need. Conversions of arrays are written with lanes of 16 bits.
 */
#define SF8_ON(name) sf8_neon_##name
#define SF8_TARGET
#define SF8_LANES 4
#define SF8_X int16x8_t
#include "simd/words.h"

SF8_OF_TWO(larger16, vmaxq_s16(x, y))
