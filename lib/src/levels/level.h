/* SPDX-License-Identifier: MIT */
/* level.h -- a level: all loops that are compiled for one kind of processor
 *
 * A file of this folder makes a level: it includes a vocabulary of lib/simd and the loops that are
 * written with it, and has one table of them. levels.c has the table of levels. Where a level has
 * NULL, the definition computes, one value at a time; in `sf8_kernels` and for pack and unpack, the
 * portable loops. No result depends on the level.
 */
#ifndef SF8_LEVEL_H
#define SF8_LEVEL_H

#include "scalar/private.h"
#include "simd/target.h"

struct sf8_arith_plan;

typedef struct sf8_level {
    const char *name;
    const struct sf8_kernels *arrays;
    void (*arith)(const struct sf8_arith_plan *plan, uint8_t *dst, const uint8_t *a,
                  const uint8_t *b, const uint8_t *c);
    /* Both process the groups of 64 codes among the n, bits = 4 or 6, and return how many codes
     * that was. */
    size_t (*pack)(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n);
    size_t (*unpack)(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n);
    const struct sf8_lanes_ops *blocks;
    const struct sf8_mma_loops *mma;
    const struct sf8_attend_ops *attend;
} sf8_level;

/* The level of calls that name none; and that of a name, or NULL. "core" is a level without loops,
 * "portable" one that every processor has. */
SF8_PRIVATE const sf8_level *sf8_level_now(void);
SF8_PRIVATE const sf8_level *sf8_level_named(const char *name);

SF8_PRIVATE const sf8_level *sf8_level_portable(void);
#if SF8_HAS_AVX
SF8_PRIVATE const sf8_level *sf8_level_avx2(void);
SF8_PRIVATE const sf8_level *sf8_level_avx512(void);
#elif SF8_HAS_NEON
SF8_PRIVATE const sf8_level *sf8_level_neon(void);
#endif

/* The names of a level's loops, by kind: those of arrays/f32_kernel.h, of loops in plain C, of
 * arithmetic, of blocks, of matrix units, of attention. */
#define SF8_KERNEL(name) SF8_ON(f32_##name)
#define SF8_PLAIN(name) SF8_ON(plain_##name)
#define SF8_ARITH(name) SF8_ON(arith_##name)
#define SF8_OPS(name) SF8_ON(ops_##name)
#define SF8_MMA(name) SF8_ON(mma_##name)
#define SF8_ATT(name) SF8_ON(attend_##name)

#endif
