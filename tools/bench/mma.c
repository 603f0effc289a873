/* SPDX-License-Identifier: MIT */
/* mma.c -- products of matrices as matrix units form them, as rows of the benchmark
 *
 * mma/...: a million products, as sums of 64 with an accumulator each; matmul/...: 1024 x 1024 x
 * 1024, by one process or by some, each with its share of the rows. Operands are codes of normally
 * distributed numbers, so that all are finite.
 */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SIDE = 125, K = 64, MOST_SCALES = SIDE * K / 16 };
enum { WHOLE = 1024, HELD_WORDS = 4096 };

/* ---- a million products ---------------------------------------------------------------------- */

size_t bench_mma_bytes(int operand)
{
    return operand == 2 ? SIDE * SIDE * sizeof(uint32_t) : SIDE * K;
}

/* Scales of about 1: as many as one for 16 elements. */
static const uint8_t *scales_of(const sf8_mma *m)
{
    static uint8_t scales[MOST_SCALES];
    for (size_t i = 0; i < MOST_SCALES; i++)
        scales[i] = (uint8_t)(m->scale.exp_bits == 8 ? 125 + i % 5 : 0x30 + i % 17);
    return scales;
}

static const uint32_t *accumulators(const bench_work *w)
{
    return (const uint32_t *)(const void *)w->src[2];
}

static void sums(const bench_work *w)
{
    sf8_mma_operands x = {w->src[0], w->src[1], scales_of(w->mma), scales_of(w->mma)};
    sf8_mma_matmul_at(w->level, w->mma, NULL, (uint32_t *)(void *)w->dst, accumulators(w), x, SIDE,
                      SIDE, K);
}

static size_t sums_count(const bench_work *w)
{
    (void)w;
    return SIDE * SIDE;
}

static uint64_t sum_right(const bench_work *w, size_t i)
{
    size_t row = i / SIDE, column = i % SIDE;
    size_t scales = w->mma->scale_block ? K / (size_t)w->mma->scale_block : 0;
    return sf8_mma_dot(w->mma, w->src[0] + row * K, w->src[1] + column * K,
                       scales_of(w->mma) + row * scales, scales_of(w->mma) + column * scales, K,
                       accumulators(w)[i]);
}

const bench_operation bench_mma = {3, sums, sum_right, sums_count, 0, NULL};

/* ---- 1024 x 1024 x 1024 ---------------------------------------------------------------------- */

static uint8_t *whole_a, *whole_b;
static uint32_t *whole_d; /* shared with the processes */

static int share(const bench_row *row, unsigned part, unsigned parts)
{
    size_t first = WHOLE * part / parts, end = WHOLE * (part + 1) / parts;
    sf8_mma_operands x = {whole_a + first * WHOLE, whole_b, NULL, NULL};
    return sf8_mma_matmul_at(row->level, &row->mma, NULL, whole_d + first * WHOLE, NULL, x,
                             end - first, WHOLE, WHOLE) == SF8_OK;
}

/* Some of the results, from all over the matrix. */
static int holds(const bench_row *row)
{
    for (size_t i = 0; i < HELD_WORDS; i++) {
        size_t at = i * 257 * 997 % (WHOLE * WHOLE);
        if (whole_d[at] != sf8_mma_dot(&row->mma, whole_a + at / WHOLE * WHOLE,
                                       whole_b + at % WHOLE * WHOLE, NULL, NULL, WHOLE, 0))
            return 0;
    }
    return 1;
}

double bench_matmul(const bench_row *row, int *right)
{
    size_t bytes = WHOLE * WHOLE * sizeof whole_d[0];
    whole_a = allocate(WHOLE, WHOLE);
    whole_b = allocate(WHOLE, WHOLE);
    whole_d = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (whole_d == MAP_FAILED)
        fail("not enough memory");
    memset(whole_d, 0xff, bytes);
    bench_fill(whole_a, row->from, DATA_GAUSS, WHOLE * WHOLE, 1);
    bench_fill(whole_b, row->from, DATA_GAUSS, WHOLE * WHOLE, 2);
    double seconds = bench_by_processes(row, row->jobs ? (unsigned)row->jobs : 1, share, right);
    *right = *right && holds(row);
    munmap(whole_d, bytes);
    free(whole_a);
    free(whole_b);
    return seconds;
}
