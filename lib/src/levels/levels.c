/* SPDX-License-Identifier: MIT */
/* levels.c -- the table of levels, and which of them this processor can run
 *
 * The two variables here are written once, with what any thread would write: the highest level of
 * the processor, and that or a lower one that the environment variable SOFTFP8_SIMD names. No
 * result depends on them.
 */
#include "levels/level.h"
#include "text/names.h"

#if SF8_HAS_AVX
#include <cpuid.h>
#endif
#include <stdlib.h>
#include <string.h>

/* From the lowest. A processor that has a level has all lower ones. */
static const sf8_level *(*const sf8_levels[])(void) = {
    sf8_level_portable,
#if SF8_HAS_AVX
    sf8_level_avx2,
    sf8_level_avx512,
#elif SF8_HAS_NEON
    sf8_level_neon,
#endif
};

/* Identifying the processor can take microseconds in a virtual machine. */
static size_t sf8_level_found(void)
{
#if SF8_HAS_AVX
    unsigned int a, b, c = 0, d; /* f16c has no name in older compilers */
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
    int avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                 __builtin_cpu_supports("avx512vbmi");
    return avx2 ? avx512 ? 2 : 1 : 0;
#else
    return sizeof sf8_levels / sizeof sf8_levels[0] - 1;
#endif
}

#if SF8_HAS_AVX || SF8_HAS_NEON
/* Returns what a function found, and finds it once. */
#define SF8_KNOWN(find)                                                                            \
    static size_t known; /* level + 1 */                                                           \
    size_t level = __atomic_load_n(&known, __ATOMIC_RELAXED);                                      \
    if (SF8_RARE(level == 0)) {                                                                    \
        level = find() + 1;                                                                        \
        __atomic_store_n(&known, level, __ATOMIC_RELAXED);                                         \
    }                                                                                              \
    return level - 1;
#else
#define SF8_KNOWN(find) return find();
#endif

static size_t sf8_level_highest(void)
{
    SF8_KNOWN(sf8_level_found)
}

static size_t sf8_level_chosen(void)
{
    size_t highest = sf8_level_highest();
    const char *wanted = highest > 0 ? getenv("SOFTFP8_SIMD") : NULL;
    for (size_t level = 0; wanted && level < highest; level++)
        if (strcmp(wanted, sf8_levels[level]()->name) == 0)
            return level;
    return highest;
}

static size_t sf8_level_index(void){SF8_KNOWN(sf8_level_chosen)}
#undef SF8_KNOWN

SF8_PRIVATE const sf8_level *sf8_level_now(void)
{
    return sf8_levels[sf8_level_index()]();
}

SF8_PRIVATE const sf8_level *sf8_level_named(const char *name)
{
    static const sf8_level core = {"core", NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    for (size_t level = sf8_level_highest() + 1; level-- > 0;)
        if (sf8_is_named(sf8_levels[level]()->name, name))
            return sf8_levels[level]();
    return sf8_is_named(core.name, name) ? &core : NULL;
}

const char *sf8_simd(void)
{
    return sf8_level_now()->name;
}

const char *sf8_simd_at(size_t i)
{
    return i <= sf8_level_highest() ? sf8_levels[i]()->name : NULL;
}
