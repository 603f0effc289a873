/* SPDX-License-Identifier: MIT */
/* random_bits.h -- which random bits of cvt.rs belong to which element
 *
 * The instructions to four narrow codes take one random word of 32 bits. Each element is rounded
 * by 16 bits of it, as IEEE P3109's StochasticA rounds; two elements share theirs, the second in
 * reversed order. This was found out by others on sm_100a, for e4m3x4, e5m2x4 and e2m1x4; the
 * vendor does not document it, and for the formats of 6 bits it is an assumption.
 */
#ifndef SOFTFP8_GPU_RANDOM_BITS_H
#define SOFTFP8_GPU_RANDOM_BITS_H

#include "softfp8/number/bits.h"

/* The bits of the element with this number, 0 to 3, 0 the one in the low bits of the result. The
 * codes are of 8 or 6 bits (bytes), or of 4. */
SF8_FN uint32_t rbits_slice(int bytes, uint32_t word, int lane)
{
    uint32_t bits = word >> (lane & 2 ? 16 : 0) & 0xffff;
    if (!bytes) { /* bytes 0 and 2, bytes 1 and 3 */
        uint32_t own = word >> (lane & 2 ? 8 : 0);
        bits = (own & 0xff) | (own >> 8 & 0xff00);
    }
    if (!(lane & 1))
        return bits;
    uint32_t reversed = 0;
    for (int i = 0; i < 16; i++)
        reversed |= (bits >> i & 1) << (15 - i);
    return reversed;
}

#endif
