/* SPDX-License-Identifier: MIT */
/* mma.h -- instructions of matrix units compared with their models
 *
 * There are four families. The subject of a case is an instruction of gpu_mmas(), and `rbits` is
 * the kind of its inputs. Directed ones and single products are made by the suite. The tiles of a
 * sweep are made on the device (gpu/device.h), and a sample is computed again here. The sparse
 * instructions are those of gpu_mma_sparses(). Products of matrices are those of gpu_gemms(), with
 * each kind of inputs of gemm.h in each of GEMM_SHAPES sizes.
 */
#ifndef SOFTFP8_CONFORM_MMA_H
#define SOFTFP8_CONFORM_MMA_H

#include "diagnose/mma/diagnose.h"
#include "families/kernel_run.h"
#include "softfp8_mma.h"

enum { MMA_DIRECTED, MMA_SINGLE, MMA_SWEEPS, MMA_SPARSE = 64 };

extern const conform_family mma_family, mma_sweep_family, mma_sparse_family, mma_gemm_family;
extern const kernel_family mma_kernels, mma_sparse_kernels, mma_gemm_kernels;

/* Long sweeps have 16 parts. */
unsigned mma_sweep_parts(const conform_case *c, conform_tier tier);

/* Returns 1 if machine code, as gpu_mma_sass() reports it, is what the unit's model describes: one
 * instruction of its kind; for hopper-mma-fp8 the chain of two HMMA and an addition that ptxas 13.0
 * generates. */
int mma_is_modelled(const gpu_mma *m, const char *sass);

/* The state of one run of a case, for directed.c, sparse.c and tiles.c. */
typedef struct mma_run_state {
    const conform_case *c;
    const gpu_mma *mma;
    sf8_mma unit;
    const gpu_device *device; /* NULL: the library multiplies the tiles */
    conform_result *result;
    sf8_sha256 *hash;                  /* the digest of the results */
    const char *wrong;                 /* the device's error, or NULL */
    gpu_mma_miss miss[GPU_MMA_MISSES]; /* the first differences, with C among their terms */
    size_t misses;
} mma_run_state;

/* Runs `count` tiles and compares each element with the library; `what` names them in a message. */
void mma_try(mma_run_state *r, const void *a, const void *b, const uint32_t *c, uint32_t count,
             int scale_d, const char *what);
/* The same for tiles that were already multiplied. */
void mma_compare(mma_run_state *r, const gpu_mma_tiles *t, const char *what);

/* The codes of a row as the unit takes them: with the signs of the instruction's immediates.
 * Applying it twice restores them. */
void mma_sign_codes(const mma_run_state *r, unsigned char *a, unsigned char *b);
/* A row in the syntax of `softfp8 mma`, without separators between codes. */
enum { MMA_ROW = 32, MMA_ROW_TEXT = 2 * MMA_ROW + 1 };
void mma_row_text(char text[MMA_ROW_TEXT], const unsigned char *codes, const gpu_mma *m);
/* Explains the differences: the rule that explains them, and the first row reduced to as few terms
 * as still differ. `evaluate` tries a row; it gets codes as the unit takes them. */
void mma_tell_misses(const mma_run_state *r, mma_evaluate evaluate, void *context, char *text,
                     size_t size);

/* Counts and keeps an element that differs; mma_differs reports it. */
void mma_missed(mma_run_state *r, const gpu_mma_miss *miss, const char *what);
/* Fails the case, and reports its first element that differs with its whole row. */
void mma_differs(mma_run_state *r, const gpu_mma_miss *miss, const char *what);

/* ---- sparse A -------------------------------------------------------------------------------- */

/* Where along k the kept code i of a row is; and the codes of a row of B that the kept ones
 * multiply. */
size_t mma_sparse_place(const unsigned char *kept, size_t i);
void mma_sparse_gather(const unsigned char *kept, const unsigned char *b, unsigned char *codes);
void mma_sparse(mma_run_state *r);
uint32_t mma_sparse_on_device(mma_run_state *r, const mma_result *row);

/* ---- products by a vendor's library ---------------------------------------------------------- */

enum { GEMM_SHAPES = 4 };
const char *mma_gemm_shape(uint32_t shape);

void mma_directed(mma_run_state *r);
void mma_single(mma_run_state *r);

#endif
