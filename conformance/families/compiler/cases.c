/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the casts of the C compiler, as it compiled them for this processor
 *
 * A reference on the CPU often rounds with such a cast. It is an instruction of the processor or a
 * function of the compiler's library, such as __truncdfhf2 from double to _Float16. A cast that
 * passes through float rounds twice. Any NaN is accepted where NaN is right. There are no casts to
 * integers: C leaves values that are out of range undefined.
 */
#include "families/convert/convert.h"

#define CASTS(X)                                                                                   \
    X(f64_to_f32, double, float, DOMAIN_SET)                                                       \
    X(f32_to_f64, float, double, DOMAIN_SET)                                                       \
    X(i32_to_f32, int32_t, float, DOMAIN_SET)                                                      \
    X(ui32_to_f32, uint32_t, float, DOMAIN_SET)                                                    \
    X(i64_to_f32, int64_t, float, DOMAIN_SET)                                                      \
    X(ui64_to_f32, uint64_t, float, DOMAIN_SET)                                                    \
    X(i64_to_f64, int64_t, double, DOMAIN_SET)                                                     \
    X(ui64_to_f64, uint64_t, double, DOMAIN_SET)

/* Elsewhere clang calls functions that the library of a gcc before 12 does not have. */
#if defined(__FLT16_MANT_DIG__) && (!defined(__clang__) || defined(__aarch64__))
__extension__ typedef _Float16 float16;
#define CASTS_16(X)                                                                                \
    X(f64_to_f16, double, float16, DOMAIN_SET)                                                     \
    X(f32_to_f16, float, float16, DOMAIN_ALL)                                                      \
    X(f16_to_f32, float16, float, DOMAIN_ALL)                                                      \
    X(f16_to_f64, float16, double, DOMAIN_ALL)                                                     \
    X(i32_to_f16, int32_t, float16, DOMAIN_SET)                                                    \
    X(ui64_to_f16, uint64_t, float16, DOMAIN_SET)
#else
#define CASTS_16(X)
#endif

#define SUBJECT(name, from, to, words)                                                             \
    static void name(const void *in, void *out, size_t n)                                          \
    {                                                                                              \
        const from *x = in;                                                                        \
        to *y = out;                                                                               \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = (to)x[i];                                                                       \
    }                                                                                              \
    static const gpu_subject subject_##name = {#name, NULL, sizeof(from), sizeof(to), 1, name};
CASTS(SUBJECT)
CASTS_16(SUBJECT)

#define ROW(called, from, to, words)                                                               \
    {.name = "compiler/" #called,                                                                  \
     .subject = #called,                                                                           \
     .domain = words,                                                                              \
     .oracle = {{#called, "ocp-nosat", NULL}},                                                     \
     .nan_class = 1,                                                                               \
     .data = &subject_##called},
static const conform_case rows[] = {CASTS(ROW) CASTS_16(ROW)};

static void run(const conform_job *j)
{
    inputs in;
    comparison k;
    if (!convert_open(&k, &in, j, j->o->tier))
        return;
    compare_subject(&k, j->c->data, j->result);
    inputs_close(&in);
}

const conform_family compiler_family = {
    .name = "compiler", FAMILY_ROWS(rows), .parts = convert_parts, .run = run};
