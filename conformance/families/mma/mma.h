/* SPDX-License-Identifier: MIT */
/* mma.h -- instructions of matrix units held against their models
 *
 * There are four families. The subject of a case is an instruction of gpu_mmas(), and `rbits` the
 * kind of its inputs: directed ones, made by the suite, and single products; or a sweep, whose
 * tiles are made on the device (gpu/device.h), and some of them come back to be computed again. The
 * sparse instructions are those of gpu_mma_sparses(). Products of matrices are those of
 * gpu_gemms(), with each kind of inputs of gemm.h in each of GEMM_SHAPES sizes.
 */
#ifndef SOFTFP8_CONFORM_MMA_H
#define SOFTFP8_CONFORM_MMA_H

#include "../../../gpu/device.h"
#include "search/mma/diagnose.h"
#include "record/record.h"
#include "suite/family.h"
#include "softfp8/sha256.h"
#include "softfp8_mma.h"

enum { MMA_DIRECTED, MMA_SINGLE, MMA_SWEEPS, MMA_SPARSE = 64 };

extern const conform_family mma_family, mma_sweep_family, mma_sparse_family, mma_gemm_family;

void mma_run(const conform_job *j);
void mma_replay(const conform_job *j);
/* Long sweeps have 16 parts. */
unsigned mma_sweep_parts(const conform_case *c, conform_tier tier);
void mma_sweep_run(const conform_job *j);

/* Whether such machine code, as gpu_mma_sass() tells it, is that of a unit's model: one instruction
 * of its kind; of hopper-mma-fp8 the chain of two HMMA and an addition that ptxas 13.0 makes. */
int mma_is_modelled(const gpu_mma *m, const char *sass);

/* The state of one run of a case; directed.c, sparse.c and tiles.c work on it. */
typedef struct mma_run_state {
    const conform_case *c;
    const gpu_mma *mma;
    sf8_mma unit;
    const gpu_device *device; /* NULL: the library multiplies the tiles */
    conform_result *result;
    sf8_sha256 hash;                   /* of the words that came */
    const char *wrong;                 /* what the device said, or NULL */
    gpu_mma_miss miss[GPU_MMA_MISSES]; /* the first ones, C among their terms */
    size_t misses;
} mma_run_state;

/* Runs `count` tiles and holds each element against the library; `what` names them in a message. */
void mma_try(mma_run_state *r, const void *a, const void *b, const uint32_t *c, uint32_t count,
             int scale_d, const char *what);
/* The same where the tiles are multiplied already. */
void mma_compare(mma_run_state *r, const gpu_mma_tiles *t, const char *what);

/* The codes of a row as the unit takes them: with the signs of the instruction's immediates, which
 * undoes it too. */
void mma_sign_codes(const mma_run_state *r, unsigned char *a, unsigned char *b);
/* A row as `softfp8 mma` reads it: the codes run together. */
enum { MMA_ROW = 32, MMA_ROW_TEXT = 2 * MMA_ROW + 1 };
void mma_row_text(char text[MMA_ROW_TEXT], const unsigned char *codes, const gpu_mma *m);
/* Of what was missed: the rule that explains it, and the first row with as few terms as will do,
 * each tried by `evaluate`, which gets codes as the unit takes them. */
void mma_tell_misses(const mma_run_state *r, mma_evaluate evaluate, void *context, char *text,
                     size_t size);

/* Counts and keeps an element that differs, and reports it as mma_differs does. */
void mma_missed(mma_run_state *r, const gpu_mma_miss *miss, const char *what);
/* The case has failed. Its first element that differs is reported with its whole row. */
void mma_differs(mma_run_state *r, const gpu_mma_miss *miss, const char *what);

/* ---- sparse A -------------------------------------------------------------------------------- */

/* Where along k the kept code i of a row is; the codes of a row of B that the kept ones meet. */
size_t mma_sparse_place(const unsigned char *kept, size_t i);
void mma_sparse_gather(const unsigned char *kept, const unsigned char *b, unsigned char *codes);
void mma_sparse(mma_run_state *r);
uint32_t mma_sparse_on_device(mma_run_state *r, const mma_result *row);

/* ---- products by a vendor's library ---------------------------------------------------------- */

enum { GEMM_SHAPES = 4 };
const char *mma_gemm_shape(uint32_t shape);
void mma_gemm_run(const conform_job *j);
void mma_gemm_replay(const conform_job *j);

void mma_directed(mma_run_state *r);
void mma_single(mma_run_state *r);

#endif
