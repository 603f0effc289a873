/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the library's own conversions of arrays, at each level that was compiled
 *
 * The subject of a row is the level, "avx2"; its formats and policy are those of its one step. The
 * expected result is the conversion of one value. The rows cover each kind of kernel and what
 * chooses between them; the proof covers every format in every mode.
 */
#include "families/arrays/arrays.h"

#define ROW_OF(level, words, function, rule, policy, fields)                                       \
    {.name = "arrays/" level "/" function "/" rule,                                                \
     .subject = level,                                                                             \
     .domain = words,                                                                              \
     .oracle = {{function, policy, fields}}},
#define ROW(level, function, policy) ROW_OF(level, DOMAIN_ALL, function, policy, policy, NULL)
#define MODE(level, function, mode)                                                                \
    ROW_OF(level, DOMAIN_ALL, function, mode, "ocp-nosat", "round=" mode)
#define MODES(level, function)                                                                     \
    MODE(level, function, "rna")                                                                   \
    MODE(level, function, "rz")                                                                    \
    MODE(level, function, "ru")                                                                    \
    MODE(level, function, "rd")                                                                    \
    MODE(level, function, "ro")                                                                    \
    MODE(level, function, "rnz")

#define NARROW(level, to)                                                                          \
    ROW(level, "f16_to_" to, "ocp")                                                                \
    ROW(level, "f16_to_" to, "ocp-nosat")                                                          \
    ROW(level, "bf16_to_" to, "ocp")                                                               \
    ROW(level, "bf16_to_" to, "ocp-nosat")                                                         \
    ROW(level, to "_to_f16", "ocp-nosat")                                                          \
    ROW(level, to "_to_bf16", "ocp-nosat")                                                         \
    ROW(level, to "_to_f32", "ocp-nosat")

/* The most frequent formats: every value of f32 under one policy, to save time; a set of f64; the
 * modes. */
#define MISSION(level, to, policy)                                                                 \
    NARROW(level, to)                                                                              \
    ROW(level, "f32_to_" to, policy)                                                               \
    ROW_OF(level, DOMAIN_SET, "f64_to_" to, "ocp", "ocp", NULL)                                    \
    MODES(level, "f16_to_" to)

#define LEVEL(level)                                                                               \
    MISSION(level, "e4m3", "ocp")                                                                  \
    MISSION(level, "e5m2", "ocp-nosat")                                                            \
    MISSION(level, "e2m1", "ocp")                                                                  \
    NARROW(level, "e3m2")                                                                          \
    NARROW(level, "e2m3")                                                                          \
    NARROW(level, "e8m0")                                                                          \
    NARROW(level, "ue4m3")                                                                         \
    NARROW(level, "e4m3fnuz")                                                                      \
    NARROW(level, "e5m2fnuz")                                                                      \
    NARROW(level, "e3m4")                                                                          \
    MODE(level, "f32_to_e4m3", "rd")                                                               \
    ROW(level, "bf16_to_e4m3", "cuda-satfinite")                                                   \
    ROW(level, "bf16_to_e5m2", "cuda-nosat")                                                       \
    ROW(level, "bf16_to_e4m3", "torch-2.12")                                                       \
    ROW(level, "bf16_to_e5m2", "torch-2.13")                                                       \
    ROW(level, "f16_to_e4m3fnuz", "ml_dtypes")

/* clang-format off */
static const conform_case rows[] = {
    LEVEL("portable")
#if defined(__x86_64__)
    LEVEL("avx2")
    LEVEL("avx512")
#elif defined(__aarch64__)
    LEVEL("neon")
#endif
};
/* clang-format on */

const conform_family arrays_family = {
    .name = "arrays", FAMILY_ROWS(rows), .parts = convert_parts, .run = arrays_run};
