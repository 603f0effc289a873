/* SPDX-License-Identifier: MIT */
/* rows.c -- the rows of the benchmark, and what they should reach */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row, or with `levels` one for each level of SIMD. */
typedef struct row_spec {
    const char *name;
    const bench_operation *operation;
    const char *to, *from, *policy_name, *round;
    bench_yardstick yardstick;
    int levels, bits, jobs;
    const char *recipe, *unit, *sums;
} row_spec;

#define BEST .levels = 0
#define LEVELS .levels = 1
#define ENCODE(name, to, from, policy_name, ...)                                                   \
    {                                                                                              \
        name, &bench_convert, to, from, policy_name, NULL, YARD_MEMORY, __VA_ARGS__                \
    }
#define ROUND(name, round, ...)                                                                    \
    {                                                                                              \
        name, &bench_convert, "e4m3", "f32", "ocp", round, YARD_MEMORY, __VA_ARGS__                \
    }
#define DECODE(name, to, from, ...)                                                                \
    {                                                                                              \
        name, &bench_convert, to, from, "ocp-nosat", NULL, YARD_MEMORY, __VA_ARGS__                \
    }
#define ARITHMETIC(name, op, f, ...)                                                               \
    {                                                                                              \
        name, &bench_##op, f, f, "ocp", NULL, YARD_MEMORY, __VA_ARGS__                             \
    }
#define PACK(name, op, n)                                                                          \
    {                                                                                              \
        name, &bench_##op, NULL, NULL, NULL, NULL, YARD_MEMORY, .bits = n                          \
    }
#define CALL(name, op, from, policy_name)                                                          \
    {                                                                                              \
        name, &bench_##op, "e4m3", from, policy_name, NULL, YARD_NONE, .levels = 0                 \
    }
#define DATA(name, op, policy_name, ...)                                                           \
    {                                                                                              \
        name, &bench_##op, "e4m3", "f32", policy_name, NULL, YARD_DATA, __VA_ARGS__                \
    }
#define QUANTIZE(name)                                                                             \
    {                                                                                              \
        "quantize/" name, &bench_quantize, NULL, "f32", NULL, NULL, YARD_MEMORY, .levels = 1,      \
                                                                                 .recipe = name    \
    }
#define DEQUANTIZE(name)                                                                           \
    {                                                                                              \
        "dequantize/" name, &bench_dequantize, "f32", NULL, NULL, NULL, YARD_MEMORY,               \
            .levels = 1, .recipe = name                                                            \
    }
#define SWEEP(name, n)                                                                             \
    {                                                                                              \
        name, NULL, "e4m3", "f32", "ocp", NULL, YARD_SWEEP, .levels = 1, .jobs = n                 \
    }

#define MMA(name, from, of)                                                                        \
    {                                                                                              \
        "mma/" name, &bench_mma, "f32", from, NULL, NULL, YARD_NONE, .levels = 1, .unit = of       \
    }
#define MATMUL(name, of, n)                                                                        \
    {                                                                                              \
        name, NULL, "f32", "e4m3", NULL, NULL, YARD_MATMUL, .levels = 1, .jobs = n, .unit = of     \
    }

#define ATTEND(by)                                                                                 \
    {                                                                                              \
        "attend/" by, NULL, "f32", "e4m3", NULL, NULL, YARD_ATTEND, .levels = 1, .sums = by        \
    }

static const row_spec specs[] = {
    ENCODE("f32_to_e4m3/ocp", "e4m3", "f32", "ocp", LEVELS),
    ENCODE("f32_to_e4m3/ocp-nosat", "e4m3", "f32", "ocp-nosat", LEVELS),
    ENCODE("f32_to_e5m2/ocp", "e5m2", "f32", "ocp", LEVELS),
    ENCODE("f32_to_e5m2/ocp-nosat", "e5m2", "f32", "ocp-nosat", LEVELS),
    ENCODE("f32_to_e2m1", "e2m1", "f32", "ocp", LEVELS),
    ENCODE("f32_to_e3m2", "e3m2", "f32", "ocp", BEST),
    ENCODE("f32_to_e2m3", "e2m3", "f32", "ocp", BEST),
    ENCODE("f32_to_ue4m3", "ue4m3", "f32", "ocp", BEST),
    ENCODE("f32_to_e8m0", "e8m0", "f32", "ocp", BEST),
    ENCODE("f32_to_e4m3fnuz", "e4m3fnuz", "f32", "ocp", BEST),
    ENCODE("f32_to_e5m2fnuz", "e5m2fnuz", "f32", "ocp", BEST),
    ENCODE("f32_to_f16", "f16", "f32", "ocp-nosat", BEST),
    ENCODE("f32_to_bf16", "bf16", "f32", "ocp-nosat", BEST),
    ROUND("f32_to_e4m3/rna", "rna", BEST),
    ROUND("f32_to_e4m3/rz", "rz", BEST),
    ROUND("f32_to_e4m3/ru", "ru", BEST),
    ROUND("f32_to_e4m3/rd", "rd", BEST),
    ROUND("f32_to_e4m3/ro", "ro", BEST),
    {"f32_to_e4m3/sr", &bench_convert_sr, "e4m3", "f32", "ocp", "sr", YARD_MEMORY, BEST},
    {"f32_to_e4m3/seeded", &bench_convert_seeded, "e4m3", "f32", "ocp", "sr", YARD_MEMORY, BEST},
    ENCODE("f16_to_e4m3", "e4m3", "f16", "ocp", LEVELS),
    ENCODE("f16_to_e5m2", "e5m2", "f16", "ocp", LEVELS),
    ENCODE("bf16_to_e4m3", "e4m3", "bf16", "ocp", LEVELS),
    ENCODE("bf16_to_e5m2", "e5m2", "bf16", "ocp", LEVELS),
    ENCODE("f64_to_e4m3", "e4m3", "f64", "ocp", BEST),
    ENCODE("f64_to_f16", "f16", "f64", "ocp-nosat", BEST),
    ENCODE("f64_to_bf16", "bf16", "f64", "ocp-nosat", BEST),
    ENCODE("f64_to_f32", "f32", "f64", "ocp-nosat", LEVELS),
    DECODE("e4m3_to_f32", "f32", "e4m3", LEVELS),
    DECODE("e5m2_to_f32", "f32", "e5m2", LEVELS),
    DECODE("e2m1_to_f32", "f32", "e2m1", LEVELS),
    DECODE("e4m3_to_f16", "f16", "e4m3", LEVELS),
    DECODE("e5m2_to_f16", "f16", "e5m2", LEVELS),
    DECODE("e4m3_to_bf16", "bf16", "e4m3", LEVELS),
    DECODE("e2m1_to_f16", "f16", "e2m1", BEST),
    ENCODE("e4m3_to_e5m2", "e5m2", "e4m3", "ocp", LEVELS),
    ENCODE("e5m2_to_e4m3", "e4m3", "e5m2", "ocp", LEVELS),
    ENCODE("e4m3fnuz_to_e4m3", "e4m3", "e4m3fnuz", "ocp", BEST),
    ARITHMETIC("e4m3_add", add, "e4m3", BEST),
    ARITHMETIC("e4m3_sub", sub, "e4m3", BEST),
    ARITHMETIC("e4m3_mul", mul, "e4m3", BEST),
    ARITHMETIC("e4m3_div", div, "e4m3", BEST),
    ARITHMETIC("e4m3_fma", fma, "e4m3", BEST),
    ARITHMETIC("e5m2_add", add, "e5m2", BEST),
    ARITHMETIC("e5m2_sub", sub, "e5m2", BEST),
    ARITHMETIC("e5m2_mul", mul, "e5m2", BEST),
    ARITHMETIC("e5m2_div", div, "e5m2", BEST),
    ARITHMETIC("e5m2_fma", fma, "e5m2", BEST),
    PACK("pack/4", pack, 4),
    PACK("pack/6", pack, 6),
    PACK("unpack/4", unpack, 4),
    PACK("unpack/6", unpack, 6),
    QUANTIZE("mxfp4-floor"),
    QUANTIZE("mxfp4-rceil"),
    QUANTIZE("mxfp8-e4m3-floor"),
    QUANTIZE("nvfp4-vllm"),
    QUANTIZE("nvfp4-modelopt"),
    DEQUANTIZE("mxfp4-floor"),
    DEQUANTIZE("mxfp8-e4m3-floor"),
    DEQUANTIZE("nvfp4-vllm"),
    DEQUANTIZE("nvfp4-modelopt"),
    DATA("data/f32_to_e4m3", convert, "ocp", LEVELS),
    {"data/quantize/mxfp4-floor", &bench_quantize, NULL, "f32", NULL, NULL, YARD_DATA, .levels = 1,
     .recipe = "mxfp4-floor"},
    DATA("data/call/f32_to_e4m3/ocp", call_ocp, "ocp", BEST),
    CALL("call/nothing", call_nothing, "e4m3", "ocp"),
    CALL("call/f32_to_e4m3/ocp", call_ocp, "f32", "ocp"),
    CALL("call/f32_to_e4m3/ocp-nosat", call_nosat, "f32", "ocp-nosat"),
    CALL("call/sf8_f32bits_to_e4m3", call_policy, "f32", "ocp"),
    CALL("call/sf8_convert", call_convert, "f32", "ocp"),
    CALL("call/e4m3_add", call_add, "e4m3", "ocp"),
    CALL("call/e4m3_mul", call_mul, "e4m3", "ocp"),
    CALL("call/e4m3_fma", call_fma, "e4m3", "ocp"),
    CALL("call/sf8_e4m3_add", call_add_policy, "e4m3", "ocp"),
    CALL("call/sf8_e4m3_div", call_div_policy, "e4m3", "ocp"),
    CALL("call/sf8_e4m3_fma", call_fma_policy, "e4m3", "ocp"),
    MMA("hopper-qgmma", "e4m3", "hopper-qgmma"),
    MMA("blackwell-tcgen05", "e4m3", "blackwell-tcgen05"),
    MMA("hopper-mma-fp8", "e4m3", "hopper-mma-fp8"),
    MMA("sm120-mxf8f6f4", "e4m3", "sm120-mxf8f6f4"),
    MMA("sm120-mxf4nvf4", "e2m1", "sm120-mxf4nvf4"),
    MATMUL("matmul/hopper-qgmma", "hopper-qgmma", 1),
    MATMUL("matmul-2/hopper-qgmma", "hopper-qgmma", 2),
    ATTEND("exact"),
    ATTEND("mma-f16"),
    ATTEND("mma-bf16"),
    CALL("mpfr/f32_to_e4m3", mpfr_encode, "f32", "ocp"),
    CALL("mpfr/e4m3_add", mpfr_add, "e4m3", "ocp"),
    CALL("mpfr/e4m3_mul", mpfr_mul, "e4m3", "ocp"),
    CALL("mpfr/e4m3_fma", mpfr_fma, "e4m3", "ocp"),
    SWEEP("sweep/f32_to_e4m3", 1),
    SWEEP("sweep-all/f32_to_e4m3", 0),
};

enum { SPECS = sizeof specs / sizeof specs[0] };

static void resolve(bench_row *row)
{
    sf8_status status = SF8_OK, more = SF8_OK;
    if (row->to_name)
        row->to = sf8_format_named(row->to_name, &status);
    if (row->from_name && status == SF8_OK)
        row->from = sf8_format_named(row->from_name, &status);
    if (row->policy_name)
        row->policy = sf8_policy_named(row->policy_name, &more);
    if (row->round && more == SF8_OK)
        more = sf8_policy_set(&row->policy, "round", row->round);
    if (status != SF8_OK || more != SF8_OK)
        abort();
}

static void add(bench_row *row, const row_spec *s, const char *level)
{
    memset(row, 0, sizeof *row);
    snprintf(row->name, sizeof row->name, s->levels ? "%s/%s" : "%s", s->name, level);
    row->operation = s->operation;
    row->yardstick = s->yardstick;
    row->to_name = s->to;
    row->from_name = s->from;
    row->policy_name = s->policy_name;
    row->round = s->round;
    row->level = level;
    row->bits = s->bits;
    row->jobs = s->jobs;
    row->sums = s->sums;
    if (s->recipe && sf8_recipe_named(&row->recipe, s->recipe) != SF8_OK)
        abort();
    resolve(row);
    if (s->unit && sf8_mma_named(&row->mma, s->unit, row->from, row->from, row->to) != SF8_OK)
        abort();
}

const bench_row *bench_rows(const char *level, size_t *count)
{
    bench_row *rows = NULL;
    size_t levels = 0, n = 0;
    while (sf8_simd_at(levels))
        levels++;
    rows = allocate(SPECS * levels, sizeof rows[0]);
    for (size_t i = 0; i < SPECS; i++) {
        if (!specs[i].levels) {
            add(&rows[n++], &specs[i], sf8_simd());
            continue;
        }
        /* the highest first */
        for (size_t k = levels; k-- > 0;) {
            if (!level || strcmp(level, sf8_simd_at(k)) == 0)
                add(&rows[n++], &specs[i], sf8_simd_at(k));
        }
    }
    *count = n;
    return rows;
}

/* ---- targets --------------------------------------------------------------------------------- */

const char *const bench_measures[] = {"copy", "read", "ns", "s", "gauss", "times"};

/* What prototypes reached, less about 10 %: docs/benchmarks/arrays.md, "Goals". A target with a
 * level is that of a row without a level in its name, where that level is in use. */
const bench_target bench_targets[] = {
#define BOTH(measure, n, bound, level)                                                             \
    {"f32_to_e4m3/ocp/" level, n, measure, bound, NULL, NULL},                                     \
        {"f32_to_e4m3/ocp-nosat/" level, n, measure, bound, NULL, NULL},                           \
        {"f32_to_e5m2/ocp/" level, n, measure, bound, NULL, NULL},                                 \
        {"f32_to_e5m2/ocp-nosat/" level, n, measure, bound, NULL, NULL},
    /* encode */
    BOTH(OVER_COPY, 1000, 0.13, "avx512") BOTH(IN_NS, 1000, 0.145, "avx512")
        BOTH(OVER_COPY, 1000000, 0.93, "avx512") BOTH(OVER_READ, 100000000, 0.70, "avx512")
            BOTH(OVER_COPY, 100000000, 0.60, "avx512") BOTH(IN_NS, 1000, 0.21, "avx2")
                BOTH(OVER_COPY, 1000000, 0.80, "avx2") BOTH(OVER_COPY, 1000000, 0.19, "portable")
                    BOTH(OVER_COPY, 100000000, 0.21, "portable")
#undef BOTH
                        {"data/f32_to_e4m3/avx512", BENCH_MILLION, OVER_GAUSS, 1.10, NULL, NULL},
    {"data/f32_to_e4m3/avx2", BENCH_MILLION, OVER_GAUSS, 1.10, NULL, NULL},
    {"data/f32_to_e4m3/portable", BENCH_MILLION, OVER_GAUSS, 1.10, NULL, NULL},
    {"f16_to_e4m3/avx512", 1000000, OVER_COPY, 0.85, NULL, NULL},
    {"f16_to_e5m2/avx512", 1000000, OVER_COPY, 0.85, NULL, NULL},
    {"bf16_to_e4m3/avx512", 1000000, OVER_COPY, 0.70, NULL, NULL},
    {"bf16_to_e5m2/avx512", 1000000, OVER_COPY, 0.70, NULL, NULL},
#define BOTH(measure, n, bound, level)                                                             \
    {"e4m3_to_f32/" level, n, measure, bound, NULL, NULL},                                         \
        {"e5m2_to_f32/" level, n, measure, bound, NULL, NULL},
    /* decode */
    BOTH(OVER_COPY, 1000, 0.30, "avx512") BOTH(IN_NS, 1000, 0.065, "avx512")
        BOTH(OVER_COPY, 1000000, 0.95, "avx512") BOTH(OVER_COPY, 100000000, 0.95, "avx512")
            BOTH(OVER_COPY, 1000000, 0.78, "avx2") BOTH(OVER_COPY, 1000000, 0.30, "portable")
#undef BOTH
                {"e4m3_to_f16/avx512", 1000000, OVER_COPY, 0.90, NULL, NULL},
    {"e5m2_to_f16/avx512", 1000000, OVER_COPY, 0.90, NULL, NULL},
    /* blocks, packed */
    {"quantize/mxfp4-floor/avx512", 1000000, OVER_COPY, 0.55, NULL, NULL},
    {"quantize/mxfp4-floor/avx512", 1000, IN_NS, 0.25, NULL, NULL},
    {"quantize/mxfp8-e4m3-floor/avx512", 1000000, OVER_COPY, 0.58, NULL, NULL},
    {"quantize/mxfp8-e4m3-floor/avx512", 1000, IN_NS, 0.25, NULL, NULL},
    {"quantize/nvfp4-vllm/avx512", 1000000, OVER_COPY, 0.30, NULL, NULL},
    {"quantize/nvfp4-vllm/avx512", 1000000, IN_NS, 0.50, NULL, NULL},
    {"quantize/mxfp4-floor/portable", 1000000, IN_NS, 1.0, NULL, NULL},
    {"dequantize/mxfp4-floor/avx512", 1000000, OVER_COPY, 0.95, NULL, NULL},
    {"data/quantize/mxfp4-floor/avx512", BENCH_MILLION, OVER_GAUSS, 1.15, NULL, NULL},
    {"data/quantize/mxfp4-floor/avx2", BENCH_MILLION, OVER_GAUSS, 1.15, NULL, NULL},
    {"data/quantize/mxfp4-floor/portable", BENCH_MILLION, OVER_GAUSS, 1.15, NULL, NULL},
    /* arithmetic */
    {"e4m3_add", 1000000, IN_NS, 0.40, NULL, "avx512"},
    {"e4m3_mul", 1000000, IN_NS, 0.40, NULL, "avx512"},
    {"e4m3_fma", 1000000, IN_NS, 0.65, NULL, "avx512"},
    {"e5m2_add", 1000000, IN_NS, 0.40, NULL, "avx512"},
    {"e5m2_mul", 1000000, IN_NS, 0.40, NULL, "avx512"},
    {"e5m2_fma", 1000000, IN_NS, 0.65, NULL, "avx512"},
    {"e4m3_add", 1000000, IN_NS, 0.50, NULL, "avx2"},
    {"e4m3_mul", 1000000, IN_NS, 0.50, NULL, "avx2"},
    {"e5m2_add", 1000000, IN_NS, 0.50, NULL, "avx2"},
    {"e5m2_mul", 1000000, IN_NS, 0.50, NULL, "avx2"},
    {"e4m3_add", 1000000, IN_NS, 0.50, NULL, "portable"},
    {"e4m3_mul", 1000000, IN_NS, 0.50, NULL, "portable"},
    {"e5m2_add", 1000000, IN_NS, 0.50, NULL, "portable"},
    {"e5m2_mul", 1000000, IN_NS, 0.50, NULL, "portable"},
    /* calls for one value */
    {"call/f32_to_e4m3/ocp", BENCH_MILLION, IN_NS, 2.5, NULL, NULL},
    {"call/f32_to_e4m3/ocp-nosat", BENCH_MILLION, IN_NS, 2.5, NULL, NULL},
    {"data/call/f32_to_e4m3/ocp", BENCH_MILLION, OVER_GAUSS, 1.05, NULL, NULL},
    {"call/sf8_convert", BENCH_MILLION, OVER_ROW, 2.5, "call/f32_to_e4m3/ocp", NULL},
    {"call/e4m3_add", BENCH_MILLION, IN_NS, 2.6, NULL, NULL},
    {"call/e4m3_mul", BENCH_MILLION, IN_NS, 2.6, NULL, NULL},
    {"call/e4m3_fma", BENCH_MILLION, IN_NS, 2.7, NULL, NULL},
    /* matrix units, for a product: a sum of 32 of them takes 32 times as long */
    {"mma/hopper-qgmma/avx512", BENCH_MILLION, IN_NS, 0.26, NULL, NULL},
    {"mma/blackwell-tcgen05/avx512", BENCH_MILLION, IN_NS, 0.347, NULL, NULL},
    {"mma/hopper-qgmma/portable", BENCH_MILLION, IN_NS, 1.04, NULL, NULL},
    {"mma/blackwell-tcgen05/portable", BENCH_MILLION, IN_NS, 1.04, NULL, NULL},
    {"matmul-2/hopper-qgmma/avx512", (uint64_t)1 << 30, IN_SECONDS, 0.5, NULL, NULL},
    {"matmul-2/hopper-qgmma/avx2", (uint64_t)1 << 30, IN_SECONDS, 0.5, NULL, NULL},
    {"attend/exact/avx512", (uint64_t)1 << 24, IN_SECONDS, 1.0, NULL, NULL},
    {"attend/exact/avx2", (uint64_t)1 << 24, IN_SECONDS, 1.0, NULL, NULL},
    {"attend/mma-f16/avx512", (uint64_t)1 << 24, IN_SECONDS, 1.0, NULL, NULL},
    {"attend/mma-bf16/avx512", (uint64_t)1 << 24, IN_SECONDS, 1.0, NULL, NULL},
    /* all inputs, with compare */
    {"sweep/f32_to_e4m3/avx512", (uint64_t)1 << 32, IN_SECONDS, 0.75, NULL, NULL},
    {"sweep/f32_to_e4m3/avx2", (uint64_t)1 << 32, IN_SECONDS, 1.0, NULL, NULL},
    {"sweep/f32_to_e4m3/portable", (uint64_t)1 << 32, IN_SECONDS, 4.5, NULL, NULL},
    {"sweep-all/f32_to_e4m3/avx512", (uint64_t)1 << 32, IN_SECONDS, 0.40, NULL, NULL},
    {NULL, 0, OVER_COPY, 0, NULL, NULL},
};

static double measured(const bench_result *r, const bench_target *t, const bench_result *results,
                       size_t count)
{
    switch (t->measure) {
    case OVER_COPY:
        return r->over_copy;
    case OVER_READ:
        return r->over_read;
    case IN_NS:
        return r->least;
    case IN_SECONDS:
        return r->seconds;
    case OVER_GAUSS:
        return r->over_gauss;
    case OVER_ROW:
        break;
    }
    for (size_t i = 0; i < count; i++) {
        if (results[i].status == BENCH_MEASURED && strcmp(results[i].row->name, t->other) == 0)
            return r->least / results[i].least;
    }
    return 0;
}

void bench_judge(bench_result *results, size_t count)
{
    bench_result *r = &results[count - 1];
    if (r->status != BENCH_MEASURED)
        return;
    for (const bench_target *t = bench_targets; t->row; t++) {
        if (t->n != r->n || strcmp(t->row, r->row->name) != 0 ||
            (t->level && strcmp(t->level, r->row->level) != 0))
            continue;
        double got = measured(r, t, results, count);
        int at_least = t->measure == OVER_COPY || t->measure == OVER_READ;
        if (got > 0)
            r->verdict[r->verdicts++] = (bench_verdict){
                t, got, at_least ? got >= t->bound : got <= t->bound};
    }
}
