/* SPDX-License-Identifier: MIT */
/* bench.h -- the rows of the benchmark, what is measured of each, and its reports
 *
 * A row is an operation on arrays under a policy, on a level of SIMD. It is compared with the
 * function of one value before it is measured. Beside it, repeat by repeat, two yardsticks run:
 *
 *     copy    memcpy of half the bytes that the row reads and writes, so that it moves as many
 *     read    a sum of all bytes that the row reads
 *
 * A ratio is the median of the ratios within one repeat, and above 1 where the row is the faster.
 */
#ifndef SOFTFP8_BENCH_H
#define SOFTFP8_BENCH_H

#include "files/io.h"
#include "softfp8_blocks.h"
#include "softfp8_mma.h"

enum {
    BENCH_OPERANDS = 3,
    BENCH_REPEATS_MOST = 1000,
    BENCH_SIZES_MOST = 16,
    BENCH_MILLION = 1000000
};

/* ---- rows ------------------------------------------------------------------------------------ */

/* What an operation works on. Arrays hold codes as the array functions take them. */
typedef struct bench_work {
    size_t n;
    uint8_t *dst;
    uint8_t *src[BENCH_OPERANDS];
    sf8_format to, from;
    sf8_policy policy;
    const char *level;        /* of SIMD, for conversions without random words */
    int32_t bits;             /* of a packed code */
    const sf8_recipe *recipe; /* of rows on blocks */
    const sf8_mma *mma;       /* of rows on matrix units */
} bench_work;

typedef enum bench_yardstick {
    YARD_MEMORY, /* beside copy and read */
    YARD_NONE,   /* one call for each value: memory is no limit; always a million */
    YARD_DATA,   /* the three kinds of data beside one another; a million */
    YARD_SWEEP,  /* all 2^32 inputs once, with compare */
    YARD_MATMUL, /* a product of matrices, 2^30 products */
    YARD_ATTEND  /* attention, 2^24 elements of keys and as many of values */
} bench_yardstick;

typedef struct bench_operation {
    int operands;
    void (*run)(const bench_work *w);
    /* What dst[i] must be, by the function of one value, and how many there are if not n. */
    uint64_t (*right)(const bench_work *w, size_t i);
    size_t (*results)(const bench_work *w);
    int any_nan;         /* another NaN is right as well */
    const char *missing; /* why it is not in this build, or NULL */
} bench_operation;

extern const bench_operation bench_convert, bench_convert_sr, bench_convert_seeded, bench_add,
    bench_sub, bench_mul, bench_div, bench_fma, bench_pack, bench_unpack, bench_quantize,
    bench_dequantize, bench_mma;
extern const bench_operation bench_call_nothing, bench_call_ocp, bench_call_nosat,
    bench_call_policy, bench_call_convert, bench_call_add, bench_call_mul, bench_call_fma,
    bench_call_add_policy, bench_call_div_policy, bench_call_fma_policy;
extern const bench_operation bench_mpfr_encode, bench_mpfr_add, bench_mpfr_mul, bench_mpfr_fma;

/* What is right for value i, by the functions of one value, which get format and policy as
 * arguments. */
uint64_t bench_convert_right(const bench_work *w, size_t i),
    bench_add_right(const bench_work *w, size_t i), bench_mul_right(const bench_work *w, size_t i),
    bench_div_right(const bench_work *w, size_t i), bench_sub_right(const bench_work *w, size_t i),
    bench_fma_right(const bench_work *w, size_t i);

typedef struct bench_row {
    char name[48];
    const bench_operation *operation; /* NULL: a sweep */
    bench_yardstick yardstick;
    const char *to_name, *from_name, *policy_name, *round;
    sf8_format to, from;
    sf8_policy policy;
    const char *level;
    int32_t bits;
    sf8_recipe recipe;
    sf8_mma mma;
    const char *sums; /* of attention */
    int jobs;         /* of a sweep; 0: all processors; of a product of matrices */
} bench_row;

/* The rows of this build and processor, in order; `level`: on that level alone, or NULL. */
const bench_row *bench_rows(const char *level, size_t *count);

/* ---- targets --------------------------------------------------------------------------------- */

typedef enum bench_measure {
    OVER_COPY, /* at least */
    OVER_READ, /* at least; of the bytes read alone */
    IN_NS,     /* at most, for a value */
    IN_SECONDS,
    OVER_GAUSS, /* at most: the slower of mixed and bits, over gauss */
    OVER_ROW    /* at most: ns over those of another row */
} bench_measure;

typedef struct bench_target {
    const char *row; /* its name */
    uint64_t n;
    bench_measure measure;
    double bound;
    const char *other; /* row of OVER_ROW */
    const char *level; /* only on that level, or NULL */
} bench_target;

extern const bench_target bench_targets[]; /* closed with a row NULL */
extern const char *const bench_measures[];

/* ---- measuring ------------------------------------------------------------------------------- */

typedef enum bench_data { DATA_GAUSS, DATA_MIXED, DATA_BITS, DATA_CODES } bench_data;
extern const char *const bench_data_names[]; /* closed with NULL */

typedef enum bench_status { BENCH_MEASURED, BENCH_NOT_RUN, BENCH_WRONG } bench_status;

typedef struct bench_verdict {
    const bench_target *target;
    double got;
    int met;
} bench_verdict;

typedef struct bench_result {
    const bench_row *row;
    uint64_t n;
    bench_data data;
    bench_status status;
    char why[160];
    int repeats;
    double least, median; /* ns for a value */
    double rate;          /* GB/s read and written, at the least; as are the next two */
    double copy_rate, read_rate;
    double over_copy, over_read; /* 0: not measured */
    double kinds[3];             /* ns for a value of gauss, mixed, bits; or 0 */
    double over_gauss;
    double seconds; /* of a sweep */
    int verdicts;
    bench_verdict verdict[3];
} bench_result;

typedef struct bench_options {
    const char *only, *level;
    int list, all, quick;
    bench_data data;
    int repeats; /* 0: as usual */
    int sizes;   /* 0: as usual */
    uint64_t size[BENCH_SIZES_MOST];
    const char *json, *html;
} bench_options;

/* Measures the row at n, or says in the result why not. */
void bench_measure_row(const bench_row *row, uint64_t n, const bench_options *o, bench_result *r);
/* What the targets say of the last of the results. */
void bench_judge(bench_result *results, size_t count);

/* Of a clock that only goes forward. */
double bench_seconds(void);
/* All 2^32 inputs of f32 in `jobs` processes; the seconds it took, and whether all were right. */
double bench_sweep(const bench_row *row, int *right);
/* One of `parts` parts of a row's work; 1 if all of it was right. */
typedef int (*bench_part)(const bench_row *row, unsigned part, unsigned parts);
/* The seconds in which that many processes do a part each, this one the first; whether all were
 * right. */
double bench_by_processes(const bench_row *row, unsigned jobs, bench_part part, int *right);
/* A whole product of matrices in `jobs` processes, likewise. */
double bench_matmul(const bench_row *row, int *right);
/* Attention, likewise. */
double bench_attend(const bench_row *row, int *right);
int bench_processors(void);

/* ---- operands -------------------------------------------------------------------------------- */

/* Bytes of an operand of bench_dequantize. */
size_t bench_blocks_bytes(const bench_work *w, int operand);
/* The same of bench_mma. */
size_t bench_mma_bytes(int operand);
/* Bytes of an element of an array. */
size_t bench_element(sf8_format f);
/* Memory for that many bytes in dst (at 0) and the operands (1 to 3), all touched; NULL, or why
 * not. The memory is kept for the next row. */
const char *bench_room(const size_t size[BENCH_OPERANDS + 1], uint8_t *room[BENCH_OPERANDS + 1]);
void bench_room_free(void);
void bench_fill(uint8_t *at, sf8_format f, bench_data data, size_t n, uint64_t seed);

/* ---- reports --------------------------------------------------------------------------------- */

typedef struct bench_machine {
    char processor[128], compiler[64], flags[256], level[16], date[32], pages[64], load[16];
    int processors;
} bench_machine;

void bench_machine_get(bench_machine *m, const char *level);
const char *bench_size_text(uint64_t n, char text[32]);
/* "0.93 copy" */
const char *bench_target_text(const bench_target *t, char text[64]);

void bench_table_head(output *out, const bench_machine *m);
void bench_table_row(output *out, const bench_result *r);
void bench_table_end(output *out, const bench_result *results, size_t count);
void bench_json(output *out, const bench_machine *m, const bench_options *o,
                const bench_result *results, size_t count);

#endif
