/* SPDX-License-Identifier: MIT */
/* narrow.h -- from f64 to f32 by instructions of x86-64: what both levels share
 *
 * An instruction rounds to nearest even, toward zero, up or down. The other modes are made of
 * roundings toward zero. To odd: where a number is changed, its last bit becomes 1. To nearest with
 * ties to either side: half a unit in the last place of f32 is added first, or a little less, so
 * that a tie stays below the next number.
 *
 * Let 2^e be the power of two of a number x, or 2^-126 if that is larger. Then half a unit is
 * h = 2^(e - 24), and the last bit of x is worth at least 2^-52 times its own power of two. For
 * ties toward zero h (1 - 2^-53) is added. If x is h beyond a number of f32, or more, the lack of
 * 2^-53 h is less than the last bit of x, also where x is subnormal in f32: such an x is at least
 * h. So exactly those that are more than h beyond reach the next number, and the sum, cut off to
 * f64 and then to f32, is the rounded number. If x is below h, no sum reaches 2 h. Beyond the range
 * the result does not matter.
 */
#ifndef SF8_ARRAY_NARROW_H
#define SF8_ARRAY_NARROW_H

#include "arrays/array.h"

/* The exponent field of f64; that of 2^-126. */
#define SF8_F64_FIELD 0x7ff0000000000000
#define SF8_F64_LEAST ((1023LL - 126) << 52)

/* What a power of two is multiplied by before it is added. */
SF8_FN double sf8_narrow_half(int32_t round)
{
    return round == SF8_RNA ? 0x1p-24 : 0x1.fffffffffffffp-25;
}

#endif
