/* SPDX-License-Identifier: MIT */
/* portable.h -- the vocabulary of any processor: four words, by the compiler's own vectors
 *
 * It has no operations on floats, since a compiler may change plain ones.
 */
#define SF8_ON(name) sf8_portable_##name
#define SF8_TARGET
#define SF8_LANES 4
#include "simd/words.h"

SF8_ON_FN SF8_U SF8_ON(larger16)(SF8_U a, SF8_U b)
{
    typedef int16_t halves __attribute__((vector_size(16)));
    halves x = (halves)a, y = (halves)b, is = x > y;
    return (SF8_U)((x & is) | (y & ~is));
}
