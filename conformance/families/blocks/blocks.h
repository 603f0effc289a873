/* SPDX-License-Identifier: MIT */
/* blocks.h -- block kernels against the library: the matrices, what is right, what came
 *
 * A case of this family is a kernel, which quantizes matrices or reads them back; its
 * subject is the kernel's name. All matrices are made here from seeds, the same on every machine.
 */
#ifndef SOFTFP8_CONFORM_BLOCKS_H
#define SOFTFP8_CONFORM_BLOCKS_H

#include "../../../gpu/device.h"
#include "record/record.h"
#include "suite/family.h"
#include "softfp8_blocks.h"

/* ---- matrices -------------------------------------------------------------------------------- */

/* What a matrix consists of. */
typedef enum block_data {
    BLOCKS_SEEDED, /* each block of a kind: ordinary, zero, one outlier, subnormal, NaN ... */
    BLOCKS_WORDS,  /* every word of 16 bits, in every position of a block */
    BLOCKS_CODES   /* every code with every scale */
} block_data;

typedef struct block_matrix {
    block_data data;
    size_t rows, columns;
    float g;
    uint64_t seed;
    size_t period; /* rows repeat after so many, ordinary blocks all; 0: they do not */
} block_matrix;

/* A matrix and its blocks, as the library has them: codes packed, scales linear and tiled. */
typedef struct block_arrays {
    size_t tensor_bytes, code_bytes, row_bytes, scale_count, tiled_bytes;
    void *tensor;
    uint8_t *codes, *scales, *tiled;
    uint8_t *loose; /* the codes, one a byte */
} block_arrays;

/* The i-th matrix of a kernel; 0 where there are no more. */
int block_matrix_at(const gpu_kernel *kernel, const sf8_recipe *recipe, size_t i, block_matrix *m);
/* Its words, or its codes and scales, and what the library makes of them. 0 for want of memory. */
int block_arrays_make(block_arrays *a, const gpu_kernel *kernel, const sf8_recipe *recipe,
                      const block_matrix *m);
void block_arrays_free(block_arrays *a);

/* ---- cases ----------------------------------------------------------------------------------- */

extern const conform_family blocks_family;
/* Runs the kernel over all matrices, both layouts, and measures it where there is a GPU. */
void blocks_run(const conform_job *j);
/* Whether the digest of what came then is that of what is right now. */
void blocks_replay(const conform_job *j);

#endif
