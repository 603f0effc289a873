/* SPDX-License-Identifier: MIT */
/* blocks.h -- block kernels against the library: matrices, expected and actual results
 *
 * The subject of a case of this family is a kernel that quantizes matrices or reads them back. All
 * matrices are made here from seeds, the same on every machine.
 */
#ifndef SOFTFP8_CONFORM_BLOCKS_H
#define SOFTFP8_CONFORM_BLOCKS_H

#include "families/kernel_run.h"
#include "softfp8_blocks.h"

/* ---- matrices -------------------------------------------------------------------------------- */

/* The contents of a matrix. */
typedef enum block_data {
    BLOCKS_SEEDED, /* blocks of all kinds: ordinary, zero, one outlier, subnormal, NaN ... */
    BLOCKS_WORDS,  /* every 16-bit value, in every position of a block */
    BLOCKS_CODES   /* every code with every scale */
} block_data;

typedef struct block_matrix {
    block_data data;
    size_t rows, columns;
    float g;
    uint64_t seed;
    size_t period; /* rows repeat after this many, all with ordinary blocks; 0: they do not
                      repeat */
} block_matrix;

/* A matrix and its blocks, in the library's form: packed codes, linear and tiled scales. */
typedef struct block_arrays {
    size_t tensor_bytes, code_bytes, row_bytes, scale_count, tiled_bytes;
    void *tensor;
    uint8_t *codes, *scales, *tiled;
    uint8_t *loose; /* the codes, one to a byte */
} block_arrays;

/* The i-th matrix of a kernel; returns 0 if there are no more. */
int block_matrix_at(const gpu_kernel *kernel, const sf8_recipe *recipe, size_t i, block_matrix *m);
/* Makes its elements, or its codes and scales, and the expected results. Returns 0 if memory is
 * exhausted. */
int block_arrays_make(block_arrays *a, const gpu_kernel *kernel, const sf8_recipe *recipe,
                      const block_matrix *m);
void block_arrays_free(void *arrays);

/* ---- cases ----------------------------------------------------------------------------------- */

extern const conform_family blocks_family;
/* The block kernels: each runs over all matrices in both layouts, and is measured on a GPU. */
extern const kernel_family block_kernels;

#endif
