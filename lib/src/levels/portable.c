/* SPDX-License-Identifier: MIT */
/* portable.c -- the level portable, for any processor
 *
 * On x86-64, where rounding to nearest can be had by one instruction, plain plans are done by
 * arrays/sse2.h; elsewhere, and for other plans, by arrays/plain_kernel.h.
 */
#include "levels/loops.h"

#if SF8_HAS_X86
#include "simd/sse2.h"
#elif SF8_HAS_VECTORS
#include "simd/portable.h"
#else
#define SF8_ON(name) sf8_portable_##name
#define SF8_TARGET
#endif

#if defined(__x86_64__) && !defined(__AVX2__)
#define SF8_SHIFTS 0 /* SSE2 shifts all lanes alike */
#else
#define SF8_SHIFTS 1
#endif
#define SF8_PLAIN_TOO (!SF8_HAS_X86) /* there they go by sse2.h */
#define SF8_SR_TOO 1
#define SF8_F16C 0
#include "arrays/plain_kernel.h"
#include "arrays/wide_kernel.h"
#undef SF8_F16C
#undef SF8_SR_TOO
#undef SF8_PLAIN_TOO
#undef SF8_SHIFTS
#include "arrays/portable.h"
#if SF8_HAS_X86
#include "arrays/sse2.h"
#define SF8_OPS_SCALE4 NULL
#define SF8_OPS_FIND4 NULL
#include "blocks/block_kernel.h"
#define SF8_OF_X86(loop) loop
#else
#define SF8_OF_X86(loop) NULL
#endif
#include "mma/mma_columns.h"

static const sf8_kernels sf8_portable_arrays = {SF8_PLAIN(encode),
                                                SF8_OF_X86(sf8_plain_sse2),
                                                NULL,
                                                sf8_portable_decode,
                                                SF8_PLAIN(narrow),
                                                SF8_OF_X86(sf8_scaled_sse2),
                                                SF8_PLAIN(wide),
                                                SF8_PLAIN(sr),
                                                sf8_portable_random,
                                                sf8_portable_byte_table};

SF8_PRIVATE const sf8_kernels *sf8_portable_kernels(void)
{
    return &sf8_portable_arrays;
}

SF8_PRIVATE const sf8_level *sf8_level_portable(void)
{
    static const sf8_level level = {"portable", &sf8_portable_arrays,      NULL,          NULL,
                                    NULL,       SF8_OF_X86(&SF8_OPS(ops)), SF8_MMA_LOOPS, NULL};
    return &level;
}

#undef SF8_OF_X86
#include "simd/end.h"
