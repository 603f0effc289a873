/* SPDX-License-Identifier: MIT */
/* levels.c -- the loops of mma/lanes.h for each level */
#include "mma/tile.h"

#include <string.h>

/* Not without optimization: gcc 12 then fails on comparisons of vectors of 64 bytes. Not where gcc
 * evaluates float in a wider type, as for s390x and the x87: vectors and scalars then do not mix. */
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__cplusplus) &&                         \
    __FLT_EVAL_METHOD__ == 0

#if SF8_HAS_X86
#include <immintrin.h>
#endif

#if SF8_HAS_AVX

#define SF8_TARGET SF8_AVX512
#define SF8_LANES 16
#define SF8_LEVEL(name) sf8_mma_avx512_##name
#define SF8_LARGER(x, y) ((SF8_SHORTS)_mm512_max_epi16((__m512i)(x), (__m512i)(y)))
#include "mma/lanes.h"
#undef SF8_TARGET
#undef SF8_LANES
#undef SF8_LEVEL
#undef SF8_LARGER

#define SF8_TARGET SF8_AVX2
#define SF8_LANES 8
#define SF8_LEVEL(name) sf8_mma_avx2_##name
#define SF8_LARGER(x, y) ((SF8_SHORTS)_mm256_max_epi16((__m256i)(x), (__m256i)(y)))
#include "mma/lanes.h"
#undef SF8_TARGET
#undef SF8_LANES
#undef SF8_LEVEL
#undef SF8_LARGER
#endif

#if SF8_HAS_X86
#define SF8_LARGER(x, y) ((SF8_SHORTS)_mm_max_epi16((__m128i)(x), (__m128i)(y)))
#else
#define SF8_LARGER(x, y) SF8_CHOOSE((x) > (y), x, y)
#endif

#define SF8_TARGET
#define SF8_LANES 4
#define SF8_LEVEL(name) sf8_mma_portable_##name
#include "mma/lanes.h"
#undef SF8_TARGET
#undef SF8_LANES
#undef SF8_LEVEL
#undef SF8_LARGER

SF8_PRIVATE const sf8_mma_loops *sf8_mma_loops_of(int32_t level)
{
#if SF8_HAS_AVX
    if (level == SF8_LEVEL_AVX512)
        return &sf8_mma_avx512_loops;
    if (level == SF8_LEVEL_AVX2)
        return &sf8_mma_avx2_loops;
#endif
    (void)level;
    return &sf8_mma_portable_loops;
}

#else

SF8_PRIVATE const sf8_mma_loops *sf8_mma_loops_of(int32_t level)
{
    (void)level;
    return NULL;
}

#endif
