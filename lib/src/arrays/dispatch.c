/* SPDX-License-Identifier: MIT */
/* dispatch.c -- which kernels this processor can run
 *
 * The two variables here are written once, with what any thread would write: the highest level of
 * the processor, and that or a lower one that the environment variable SOFTFP8_SIMD names. No
 * result depends on them.
 */
#include "arrays/array.h"
#include "text/names.h"

#if SF8_HAS_AVX
#include <cpuid.h>
#endif
#include <stdlib.h>
#include <string.h>

/* From the lowest. A processor that has a level has all lower ones. */
static const sf8_kernels *(*const sf8_levels[SF8_LEVELS])(void) = {
    sf8_portable_kernels,
#if SF8_HAS_AVX
    sf8_avx2_kernels,
    sf8_avx512_kernels,
#elif SF8_HAS_NEON
    sf8_neon_kernels,
#endif
};

SF8_PRIVATE const sf8_kernels *sf8_kernels_of(int32_t level)
{
    return sf8_levels[level]();
}

#if SF8_HAS_AVX
/* Identifying the processor can take microseconds in a virtual machine. */
static int32_t sf8_level_found(void)
{
    unsigned int a, b, c = 0, d; /* f16c has no name in older compilers */
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi"))
        return SF8_LEVEL_AVX512;
    return avx2 ? SF8_LEVEL_AVX2 : SF8_LEVEL_PORTABLE;
}
#endif

SF8_PRIVATE int32_t sf8_level_highest(void)
{
#if SF8_HAS_AVX
    static int32_t known; /* level + 1 */
    int32_t level = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (SF8_RARE(level == 0)) {
        level = sf8_level_found() + 1;
        __atomic_store_n(&known, level, __ATOMIC_RELAXED);
    }
    return level - 1;
#else
    return SF8_LEVELS - 1;
#endif
}

static int32_t sf8_level_chosen(void)
{
    int32_t highest = sf8_level_highest();
    const char *wanted = highest > 0 ? getenv("SOFTFP8_SIMD") : NULL;
    for (int32_t level = 0; wanted && level < highest; level++) {
        if (strcmp(wanted, sf8_kernels_of(level)->name) == 0)
            return level;
    }
    return highest;
}

SF8_PRIVATE int32_t sf8_level(void)
{
#if SF8_HAS_AVX || SF8_HAS_NEON
    static int32_t known; /* level + 1 */
    int32_t level = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (SF8_RARE(level == 0)) {
        level = sf8_level_chosen() + 1;
        __atomic_store_n(&known, level, __ATOMIC_RELAXED);
    }
    return level - 1;
#else
    return sf8_level_chosen();
#endif
}

SF8_PRIVATE int32_t sf8_level_named(const char *name)
{
    int32_t level = sf8_level_highest();
    while (level >= 0 && !sf8_is_named(sf8_kernels_of(level)->name, name))
        level--;
    return level >= 0 ? level : sf8_is_named("core", name) ? SF8_LEVEL_CORE : SF8_LEVEL_NONE;
}

const char *sf8_simd(void)
{
    return sf8_kernels_of(sf8_level())->name;
}

const char *sf8_simd_at(size_t i)
{
    return i <= (size_t)sf8_level_highest() ? sf8_kernels_of((int32_t)i)->name : NULL;
}
