/* SPDX-License-Identifier: MIT */
/* mma.h -- instructions of matrix units held against their models
 *
 * A case of the domain DOMAIN_MMA is an instruction of gpu_mmas(), its subject, and a kind of
 * inputs, in `rbits`. Here are directed ones, made by the suite, and single products; the sweeps
 * are made on the device (gpu/device.h), and some of their tiles come back to be computed again.
 * The sparse instructions, gpu_mma_sparses(), are of the kind MMA_SPARSE. From MMA_GEMMS on the
 * subject is a product of gpu_gemms(): a kind of mma_gemm.h in each of GEMM_SHAPES sizes.
 */
#ifndef SOFTFP8_CONFORM_MMA_H
#define SOFTFP8_CONFORM_MMA_H

#include "../../../gpu/device.h"
#include "suite/conform.h"
#include "search/mma/diagnose.h"
#include "record/record.h"
#include "softfp8_mma.h"

enum { MMA_DIRECTED, MMA_SINGLE, MMA_SWEEPS, MMA_SPARSE = 64, MMA_GEMMS };

/* The i-th row of the cases, made of the instructions; NULL where there are no more. */
const conform_case *mma_case_at(size_t i);

/* Of how many parts a case consists. */
unsigned mma_parts(const conform_case *c, conform_tier tier);
/* Where `record` is not NULL, what a case leaves that is no sweep goes there; sweeps leave nothing.
 */
void mma_run(const conform_case *c, const gpu_device *device, conform_tier tier, conform_part part,
             conform_result *result, char **record);
void mma_replay(const conform_case *c, const record_case *record, conform_result *result);
/* Whether the case is an instruction's whose tiles are made on the device. */
int mma_is_sweep(const conform_case *c);

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
int mma_is_gemm(const conform_case *c);
void mma_gemm_run(const conform_case *c, const gpu_device *device, conform_result *result,
                  char **record);
void mma_gemm_replay(const conform_case *c, const record_case *record, conform_result *result);

void mma_directed(mma_run_state *r);
void mma_single(mma_run_state *r);

#endif
