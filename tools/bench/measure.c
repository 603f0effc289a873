/* SPDX-License-Identifier: MIT */
/* measure.c -- a row beside its yardsticks, repeat by repeat
 *
 * A sample is as many calls as take 2 ms or more. In each repeat every subject has its turn, so
 * that what slows the machine for a while slows all of them; repeats end early only where they have
 * taken long.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECTS_MOST = 3, REPEATS = 9, QUICK_REPEATS = 3, SWEEP_REPEATS = 3 };

typedef struct subject {
    void (*run)(const void *context);
    const void *context;
    uint64_t calls;
    double seconds[BENCH_REPEATS_MOST]; /* of a call */
} subject;

typedef struct plan {
    int repeats, fixed; /* fixed: no fewer */
    double sample, budget;
} plan;

static plan plan_of(const bench_options *o)
{
    plan p = {REPEATS, 0, 2e-3, 3};
    if (o->quick)
        p = (plan){QUICK_REPEATS, 0, 0.5e-3, 1};
    if (o->repeats) {
        p.repeats = o->repeats;
        p.fixed = 1;
    }
    return p;
}

/* ---- timing ---------------------------------------------------------------------------------- */

static double time_of(const subject *s, uint64_t calls)
{
    double start = bench_seconds();
    for (uint64_t i = 0; i < calls; i++)
        s->run(s->context);
    return bench_seconds() - start;
}

static void calibrate(subject *s, double sample)
{
    s->calls = 1;
    double taken = time_of(s, 1);
    while (taken < sample && s->calls < (uint64_t)1 << 40) {
        double factor = taken > sample / 100 ? 1.2 * sample / taken : 10;
        s->calls = (uint64_t)((double)s->calls * (factor > 1.5 ? factor : 1.5)) + 1;
        taken = time_of(s, s->calls);
    }
}

/* The number of repeats made. */
static int take_turns(subject *s, int subjects, const plan *p)
{
    double start = bench_seconds();
    for (int k = 0; k < subjects; k++)
        calibrate(&s[k], p->sample);
    for (int i = 0; i < p->repeats; i++) {
        if (!p->fixed && i >= 3 && bench_seconds() - start > p->budget)
            return i;
        for (int k = 0; k < subjects; k++)
            s[k].seconds[i] = time_of(&s[k], s[k].calls) / (double)s[k].calls;
    }
    return p->repeats;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int count)
{
    double sorted[BENCH_REPEATS_MOST];
    memcpy(sorted, values, (size_t)count * sizeof sorted[0]);
    qsort(sorted, (size_t)count, sizeof sorted[0], ascending);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static double least(const double *values, int count)
{
    double found = values[0];
    for (int i = 1; i < count; i++)
        found = values[i] < found ? values[i] : found;
    return found;
}

/* The median over the repeats of a's time over b's. */
static double ratio(const subject *a, const subject *b, int count)
{
    double each[BENCH_REPEATS_MOST];
    for (int i = 0; i < count; i++)
        each[i] = a->seconds[i] / b->seconds[i];
    return median(each, count);
}

/* ---- subjects -------------------------------------------------------------------------------- */

typedef struct task {
    const bench_row *row;
    bench_work work;
    size_t bytes[BENCH_OPERANDS]; /* of each operand */
    size_t results, in, out;      /* elements of dst; bytes read and written */
} task;

static void run_row(const void *context)
{
    const task *t = context;
    t->row->operation->run(&t->work);
}

static void run_copy(const void *context)
{
    /* not a call that the compiler knows */
    static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    const task *t = context;
    copy(t->work.dst, t->work.src[0], (t->in + t->out) / 2);
}

#if defined(__GNUC__)
typedef uint64_t word_of_read __attribute__((vector_size(16)));
#else
typedef uint64_t word_of_read;
#endif

static void run_read(const void *context)
{
    static volatile uint8_t sink;
    const task *t = context;
    word_of_read sum[4];
    memset(sum, 0, sizeof sum);
    for (int k = 0; k < t->row->operation->operands; k++) {
        const word_of_read *at = (const word_of_read *)(const void *)t->work.src[k];
        size_t n = t->bytes[k] / sizeof *at / 4 * 4;
        for (size_t i = 0; i < n; i += 4) {
            sum[0] += at[i];
            sum[1] += at[i + 1];
            sum[2] += at[i + 2];
            sum[3] += at[i + 3];
        }
    }
    uint8_t bytes[sizeof sum];
    memcpy(bytes, sum, sizeof sum);
    for (size_t i = 1; i < sizeof sum; i++)
        bytes[0] ^= bytes[i];
    sink = bytes[0];
    (void)sink;
}

/* ---- what a row works on --------------------------------------------------------------------- */

static void sizes_of(task *t)
{
    const bench_row *row = t->row;
    size_t n = t->work.n, element = bench_element(row->from);
    t->results = row->operation->results ? row->operation->results(&t->work) : n;
    t->out = t->results * bench_element(row->to);
    for (int k = 0; k < row->operation->operands; k++) {
        t->bytes[k] = n * element;
        if (row->operation == &bench_unpack)
            t->bytes[k] = sf8_packed_size(row->bits, n);
        if (row->operation == &bench_dequantize)
            t->bytes[k] = bench_blocks_bytes(&t->work, k);
        if (row->operation == &bench_mma)
            t->bytes[k] = bench_mma_bytes(k);
        if (row->operation == &bench_convert_sr && k == 1)
            t->bytes[k] = n * sizeof(uint32_t);
        t->in += t->bytes[k];
    }
}

static int is_wide(const bench_row *row)
{
    return sf8_format_bits(row->from) > 8;
}

static void fill(const task *t, int k, bench_data data)
{
    const bench_row *row = t->row;
    sf8_format f = row->from_name ? row->from : SF8_E4M3; /* any bytes are packed, or unpacked */
    bench_data kind = is_wide(row) ? data : DATA_CODES;
    size_t bytes = t->bytes[k];
    if (row->yardstick == YARD_DATA) {
        kind = (bench_data)k;
        bytes = t->bytes[0];
    } else if (row->operation == &bench_convert_sr && k == 1) {
        f = SF8_F32;
        kind = DATA_BITS;
    } else if (row->operation == &bench_mma) {
        f = k == 2 ? SF8_F32 : f;
        kind = DATA_GAUSS;
    }
    if (bytes)
        bench_fill(t->work.src[k], f, kind, bytes / bench_element(f), (uint64_t)k + 1);
}

/* Memory, and operands in it; NULL, or why not. dst and the first operand are large enough for
 * memcpy. */
static const char *prepare(task *t, const bench_row *row, uint64_t n, bench_data data)
{
    size_t size[BENCH_OPERANDS + 1];
    uint8_t *room[BENCH_OPERANDS + 1];
    memset(t, 0, sizeof *t);
    t->row = row;
    t->work = (bench_work){(size_t)n,   NULL,       {NULL, NULL, NULL}, row->to,      row->from,
                           row->policy, row->level, row->bits,          &row->recipe, &row->mma};
    sizes_of(t);
    size_t half = (t->in + t->out) / 2;
    size[0] = t->out > half ? t->out : half;
    for (int k = 0; k < BENCH_OPERANDS; k++)
        size[k + 1] = t->bytes[row->yardstick == YARD_DATA ? 0 : k];
    size[1] = size[1] > half ? size[1] : half;
    const char *why = bench_room(size, room);
    if (why)
        return why;
    t->work.dst = room[0];
    memset(t->work.dst, 0, t->out);
    for (int k = 0; k < BENCH_OPERANDS; k++) {
        t->work.src[k] = room[k + 1];
        fill(t, k, data);
    }
    return NULL;
}

static int is_nan(sf8_format f, uint64_t code, sf8_policy policy)
{
    int kind = sf8_class(f, code, policy);
    return kind == SF8_CLASS_SIGNALING_NAN || kind == SF8_CLASS_QUIET_NAN;
}

static uint64_t result_at(const task *t, size_t i)
{
    size_t size = bench_element(t->row->to);
    uint32_t word = 0;
    uint16_t half = 0;
    if (size == 1)
        return t->work.dst[i];
    if (size == 2) {
        memcpy(&half, t->work.dst + 2 * i, 2);
        return half;
    }
    memcpy(&word, t->work.dst + 4 * i, 4);
    return word;
}

/* All results, or of many the ends and a million between them, against the function for one value;
 * 0, and r says so, if one differs. */
static int is_right(const task *t, bench_result *r)
{
    size_t stride = t->results >> 20 | 1, end = t->results > 4096 ? t->results - 4096 : 0;
    const bench_operation *operation = t->row->operation;
    sf8_format f = t->row->to;
    int digits = (int)(2 * bench_element(f));
    operation->run(&t->work);
    for (size_t i = 0; i < t->results; i += i < 4096 || i + stride > end ? 1 : stride) {
        uint64_t got = result_at(t, i), want = operation->right(&t->work, i);
        if (got == want || (operation->any_nan && is_nan(f, got, t->row->policy) &&
                            is_nan(f, want, t->row->policy)))
            continue;
        r->status = BENCH_WRONG;
        snprintf(r->why, sizeof r->why, "element %zu of %zu is %0*llx, should be %0*llx", i,
                 t->results, digits, (unsigned long long)got, digits, (unsigned long long)want);
        return 0;
    }
    return 1;
}

/* ---- the kinds of row ------------------------------------------------------------------------ */

static void summarize(bench_result *r, const subject *s, const task *t, int count)
{
    double n = (double)r->n, bytes = (double)(t->in + t->out);
    r->repeats = count;
    r->least = least(s->seconds, count) / n * 1e9;
    r->median = median(s->seconds, count) / n * 1e9;
    r->rate = bytes / (r->least * n);
}

static void beside_memory(task *t, const plan *p, bench_result *r)
{
    static subject s[SUBJECTS_MOST];
    s[0] = (subject){.run = run_row, .context = t};
    s[1] = (subject){.run = run_copy, .context = t};
    s[2] = (subject){.run = run_read, .context = t};
    int subjects = t->row->yardstick == YARD_MEMORY ? 3 : 1;
    int count = take_turns(s, subjects, p);
    summarize(r, &s[0], t, count);
    if (subjects == 1)
        return;
    r->over_copy = ratio(&s[1], &s[0], count);
    r->over_read = ratio(&s[2], &s[0], count);
    r->copy_rate = (double)(t->in + t->out) / least(s[1].seconds, count) / 1e9;
    r->read_rate = (double)t->in / least(s[2].seconds, count) / 1e9;
}

static void beside_one_another(task *t, const plan *p, bench_result *r)
{
    static subject s[SUBJECTS_MOST];
    task kind[SUBJECTS_MOST];
    for (int k = 0; k < SUBJECTS_MOST; k++) {
        kind[k] = *t;
        kind[k].work.src[0] = t->work.src[k];
        if (!is_right(&kind[k], r))
            return;
        s[k] = (subject){.run = run_row, .context = &kind[k]};
    }
    int count = take_turns(s, SUBJECTS_MOST, p);
    summarize(r, &s[DATA_MIXED], t, count);
    for (int k = 0; k < SUBJECTS_MOST; k++)
        r->kinds[k] = median(s[k].seconds, count) / (double)r->n * 1e9;
    double mixed = ratio(&s[DATA_MIXED], &s[DATA_GAUSS], count);
    double bits = ratio(&s[DATA_BITS], &s[DATA_GAUSS], count);
    r->over_gauss = mixed > bits ? mixed : bits;
}

/* What is measured once, as a whole. */
static int is_whole(const bench_row *row)
{
    return row->yardstick == YARD_SWEEP || row->yardstick == YARD_MATMUL ||
           row->yardstick == YARD_ATTEND;
}

static void sweep(const bench_row *row, const bench_options *o, bench_result *r)
{
    double seconds[BENCH_REPEATS_MOST] = {0};
    int count = o->repeats ? o->repeats : o->quick ? 1 : SWEEP_REPEATS;
    for (int i = 0; i < count; i++) {
        int right;
        seconds[i] = row->yardstick == YARD_SWEEP    ? bench_sweep(row, &right)
                     : row->yardstick == YARD_MATMUL ? bench_matmul(row, &right)
                                                     : bench_attend(row, &right);
        if (!right) {
            r->status = BENCH_WRONG;
            snprintf(r->why, sizeof r->why, "some of the results are not right");
            return;
        }
    }
    r->repeats = count;
    r->seconds = least(seconds, count);
    r->least = r->seconds / (double)r->n * 1e9;
    r->median = median(seconds, count) / (double)r->n * 1e9;
}

void bench_measure_row(const bench_row *row, uint64_t n, const bench_options *o, bench_result *r)
{
    task t;
    plan p = plan_of(o);
    memset(r, 0, sizeof *r);
    r->row = row;
    r->n = n;
    r->data = row->operation && !is_wide(row) ? DATA_CODES : o->data;
    if (is_whole(row)) {
        r->data = row->yardstick == YARD_SWEEP ? DATA_BITS : DATA_GAUSS;
        sweep(row, o, r);
        return;
    }
    const char *why = row->operation->missing;
    if (!why)
        why = prepare(&t, row, n, o->data);
    if (why) {
        r->status = BENCH_NOT_RUN;
        snprintf(r->why, sizeof r->why, "%s", why);
    } else if (row->yardstick == YARD_DATA) {
        beside_one_another(&t, &p, r);
    } else if (is_right(&t, r)) {
        beside_memory(&t, &p, r);
    }
}
