/* SPDX-License-Identifier: MIT */
/* gemm.h -- products of matrices by a vendor's library: which schedule gives these words?
 *
 * The inputs tell schedules apart, GEMM_PERIOD rows of GEMM_K codes each; larger matrices have the
 * same rows again and again, so that a library's choice for any size can be asked and little has to
 * be computed here. K is 96 instructions long, so that no stretch of 2, 4, ... instructions is a
 * half, a quarter or an eighth of it: one after the other these would be the same sums.
 */
#ifndef SOFTFP8_CONFORM_MMA_GEMM_H
#define SOFTFP8_CONFORM_MMA_GEMM_H

#include "../../../gpu/device.h"
#include "softfp8_mma.h"

/* Inputs. U is in instruction i for row i, -U in instruction j for column j, and something small in
 * all of them: the word at (i, j) says how much of that was not lost beside U.
 *
 *     interval  U is 2^14, the small 2^-6: lost in a chain of the unit, kept by f32 (T17)
 *     tree      U is 2^19, the small 2^-12: lost in f32 too (T18)
 *     scales    two products, and three factors: each order of them rounds to other words (T19)
 *     random    any numbers, whose exponents go up and down along k
 */
enum { GEMM_INTERVAL, GEMM_TREE, GEMM_SCALES, GEMM_RANDOM, GEMM_KINDS };
extern const char *const gemm_kinds[GEMM_KINDS];

enum { GEMM_PERIOD = 96, GEMM_K = 3072, GEMM_WORDS = GEMM_PERIOD * GEMM_PERIOD };

typedef struct gemm_inputs {
    uint8_t a[GEMM_PERIOD * GEMM_K], b[GEMM_PERIOD * GEMM_K];
    uint32_t alpha, scale_a, scale_b; /* words of f32 */
} gemm_inputs;

void gemm_fill(gemm_inputs *in, int kind);

/* How a product may be put together: by such a unit, with such stretches and splits of K
 * (sf8_mma_schedule); then the sum, alpha and the two scales multiplied in one of 15 orders. */
typedef struct gemm_order {
    const char *unit;
    size_t promote, splits;
    uint32_t factors;
} gemm_order;

enum { GEMM_FACTORS = 15, GEMM_DOCUMENTED = 0, GEMM_TEXT = 128 };

/* The i-th that is tried for a kind of inputs: 0 where there are no more. No two of them are the
 * same arithmetic. */
int gemm_order_at(size_t i, int kind, gemm_order *order);
/* What the library is documented to do: a schedule by name, in so many splits. 0: no such. */
int gemm_expected(const char *schedule, size_t splits, gemm_order *order);
/* "promote=4 splits=1 (cutlass-promote4, cublaslt-promoted)" */
void gemm_order_text(const gemm_order *order, int kind, char text[GEMM_TEXT]);

/* The words by an order, of format `out`, of as many rows as there are or GEMM_PERIOD; 0 if K does
 * not divide so. */
int gemm_model(const gemm_inputs *in, const gemm_order *order, const char *out, size_t rows,
               uint32_t *d);

/* Words that came, rows * columns of them, held against GEMM_WORDS: how many differ, the first. */
uint64_t gemm_differ(const uint32_t *d, size_t rows, size_t columns, const uint32_t *right,
                     size_t *first);

/* Which orders give all the words that came, the first GEMM_FITS of them; and the one that gives
 * most of them. */
enum { GEMM_FITS = 4 };
typedef struct gemm_found {
    size_t tried, fits;
    gemm_order fit[GEMM_FITS];
    gemm_order best;
    uint64_t best_differ;
} gemm_found;

/* One order more, by its words; *found is all 0 before the first. */
void gemm_try(gemm_found *found, const gemm_order *order, const uint32_t *words, const uint32_t *d,
              size_t rows, size_t columns);
/* All of them; 0: no memory. */
int gemm_identify(const gemm_inputs *in, int kind, const char *out, const uint32_t *d, size_t rows,
                  size_t columns, gemm_found *found);

#endif
