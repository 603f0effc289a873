/* SPDX-License-Identifier: MIT */
/* gemm.h -- products of matrices by a vendor's library: which schedule gives these results?
 *
 * The inputs distinguish schedules. They are GEMM_PERIOD rows of GEMM_K codes each. Larger matrices
 * repeat the same rows, so that a library's choice for any size can be tested with little
 * computation here. K is 96 instructions long, so that no stretch of 2, 4, ... instructions is a
 * half, a quarter or an eighth of it; then splits and stretches would be the same sums.
 */
#ifndef SOFTFP8_CONFORM_MMA_GEMM_H
#define SOFTFP8_CONFORM_MMA_GEMM_H

#include "../../../gpu/device.h"
#include "softfp8_mma.h"

/* Inputs. U is in instruction i for row i, -U in instruction j for column j, and something small in
 * all of them: the result at (i, j) shows how much of the small part was kept beside U.
 *
 *     interval  U is 2^14, the small part 2^-6: lost in a chain of the unit, kept by f32 (T17)
 *     tree      U is 2^19, the small part 2^-12: lost in f32 too (T18)
 *     scales    two products, and three factors: each order rounds to different results (T19)
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

/* How a product may be formed: by such a unit, with such stretches and splits of K
 * (sf8_mma_schedule); then the sum, alpha and the two scales are multiplied in one of 15 orders. */
typedef struct gemm_order {
    const char *unit;
    size_t promote, splits;
    uint32_t factors;
} gemm_order;

enum { GEMM_FACTORS = 15, GEMM_DOCUMENTED = 0, GEMM_TEXT = 128 };

/* The i-th order that is tried for a kind of inputs; returns 0 if there are no more. No two of them
 * are the same arithmetic. */
int gemm_order_at(size_t i, int kind, gemm_order *order);
/* What the library is documented to do: a schedule by name, with this many splits. Returns 0 for an
 * unknown schedule. */
int gemm_expected(const char *schedule, size_t splits, gemm_order *order);
/* "promote=4 splits=1 (cutlass-promote4, cublaslt-promoted)" */
void gemm_order_text(const gemm_order *order, int kind, char text[GEMM_TEXT]);

/* Computes the results by an order, in format `out`, for as many rows as there are up to
 * GEMM_PERIOD. Returns 0 if K cannot be divided in that way. */
int gemm_model(const gemm_inputs *in, const gemm_order *order, const char *out, size_t rows,
               uint32_t *d);

/* Compares rows * columns results with GEMM_WORDS: how many differ, and the first one. */
uint64_t gemm_differ(const uint32_t *d, size_t rows, size_t columns, const uint32_t *right,
                     size_t *first);

/* The orders that give all results, the first GEMM_FITS of them; and the one that gives most of
 * them. */
enum { GEMM_FITS = 4 };
typedef struct gemm_found {
    size_t tried, fits;
    gemm_order fit[GEMM_FITS];
    gemm_order best;
    uint64_t best_differ;
} gemm_found;

/* Adds one order with its results; *found is all 0 before the first. */
void gemm_try(gemm_found *found, const gemm_order *order, const uint32_t *words, const uint32_t *d,
              size_t rows, size_t columns);
/* Tries all of them; returns 0 if memory is exhausted. */
int gemm_identify(const gemm_inputs *in, int kind, const char *out, const uint32_t *d, size_t rows,
                  size_t columns, gemm_found *found);

#endif
