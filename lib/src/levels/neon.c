/* SPDX-License-Identifier: MIT */
/* neon.c -- the level neon */
#include "levels/loops.h"

#if SF8_HAS_NEON
#include "arrays/neon.h"
#include "simd/neon.h"

#include "mma/mma_columns.h"

SF8_PRIVATE const sf8_level *sf8_level_neon(void)
{
    static const sf8_kernels arrays = {
        sf8_neon16_encode, NULL, NULL, sf8_neon16_decode, NULL, NULL, NULL, NULL, NULL, NULL};
    static const sf8_level level = {"neon", &arrays, NULL, NULL, NULL, NULL, SF8_MMA_LOOPS, NULL};
    return &level;
}

#include "simd/end.h"
#endif
