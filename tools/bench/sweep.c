/* SPDX-License-Identifier: MIT */
/* sweep.c -- all 2^32 words of f32 through the array function, and every result compared
 *
 * The right codes come from the step table of the conversion: constant over a row of it, so that
 * filling and comparing cost little beside the conversion. Chunks stay in the first cache. Each
 * process has a stretch of its own.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 4096, STEPS_MOST = 8192, JOBS_MOST = 256 };

static uint32_t words[CHUNK];
static uint8_t want[CHUNK], got[CHUNK];
static sf8_step steps[STEPS_MOST];
static size_t steps_count;

double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int bench_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > JOBS_MOST ? JOBS_MOST : (int)n;
}

static void make_steps(const bench_row *row)
{
    sf8_steps walk;
    steps_count = 0;
    if (sf8_steps_begin(&walk, row->from, row->to, row->policy, 0) != SF8_OK)
        abort();
    while (steps_count < STEPS_MOST && sf8_steps_next(&walk, &steps[steps_count]))
        steps_count++;
    if (steps_count == STEPS_MOST)
        abort();
}

/* The input words. With stores of 16 bytes this takes half as long as the conversion itself. */
#define COUNT_UP(name)                                                                             \
    static void name(uint32_t first)                                                               \
    {                                                                                              \
        for (uint32_t i = 0; i < CHUNK; i++)                                                       \
            words[i] = first + i;                                                                  \
    }
COUNT_UP(count_up_narrow)
#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("avx2"))) COUNT_UP(count_up_wide)

    static void count_up(uint32_t first)
{
    if (__builtin_cpu_supports("avx2"))
        count_up_wide(first);
    else
        count_up_narrow(first);
}
#else
#define count_up count_up_narrow
#endif

static int chunk(const bench_row *row, uint64_t first)
{
    size_t at = sf8_steps_find(steps, steps_count, first);
    count_up((uint32_t)first);
    for (size_t i = 0; i < CHUNK; at++) {
        uint64_t end = at + 1 < steps_count ? steps[at + 1].first : (uint64_t)1 << 32;
        size_t length = end - first < CHUNK ? (size_t)(end - first) : CHUNK;
        memset(want + i, (int)steps[at].code, length - i);
        i = length;
    }
    sf8_convert_n_at(row->level, row->to, got, row->from, words, CHUNK, row->policy);
    return memcmp(got, want, CHUNK) == 0;
}

/* The `part`-th of all parts; 1 if all of it was right. */
static int stretch(const bench_row *row, unsigned part, unsigned parts)
{
    uint64_t chunks = ((uint64_t)1 << 32) / CHUNK;
    int right = 1;
    for (uint64_t i = chunks * part / parts; right && i < chunks * (part + 1) / parts; i++)
        right = chunk(row, i * CHUNK);
    return right;
}

double bench_by_processes(const bench_row *row, unsigned jobs, bench_part part, int *right)
{
    unsigned begun = 0;
    fflush(NULL);
    double start = bench_seconds();
    *right = 1;
    for (unsigned i = 1; i < jobs; i++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(part(row, i, jobs) ? 0 : 1);
        if (pid > 0)
            begun++;
        else
            *right &= part(row, i, jobs);
    }
    *right &= part(row, 0, jobs);
    for (unsigned i = 0; i < begun; i++) {
        int status = 1;
        if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
            *right = 0;
    }
    return bench_seconds() - start;
}

double bench_sweep(const bench_row *row, int *right)
{
    make_steps(row);
    return bench_by_processes(row, (unsigned)(row->jobs ? row->jobs : bench_processors()), stretch,
                              right);
}
