/* SPDX-License-Identifier: MIT */
/* ref_block.h -- the reference for blocks with a scale: each recipe as straight-line code on MPFR
 *
 * Written from what the stacks compute, not from the library's programs; it includes no header of
 * the library. Numbers are f32 bit patterns. Each f32 operation is MPFR's, rounded once to 24 bits
 * to nearest even with f32's subnormals and overflow; NaN results are 7fc00000. ref_f32_open()
 * allocates what these functions need in the calling thread, and ref_f32_close() frees it.
 */
#ifndef PROOF_REF_BLOCK_H
#define PROOF_REF_BLOCK_H

#include "mpfr/ref.h"

typedef uint32_t word;

void ref_f32_open(void);
void ref_f32_close(void);

word ref_f32_add(word a, word b);
word ref_f32_sub(word a, word b);
word ref_f32_mul(word a, word b);
word ref_f32_div(word a, word b);
word ref_f32_fma(word a, word b, word c); /* a * b + c, rounded once */
/* 1/x, correctly rounded, with subnormal operands and results as 0. */
word ref_f32_rcp_flushed(word a);
/* Of a number and NaN, the number; the first of two equal ones. */
word ref_f32_min(word a, word b);
word ref_f32_max(word a, word b);
/* NaN if one of the two is. */
word ref_f32_nan_min(word a, word b);
word ref_f32_nan_max(word a, word b);
int ref_f32_is_nan(word a);
int ref_f32_less(word a, word b);
word ref_f32_abs(word a);
word ref_f32_neg(word a);
word ref_f32_trunc(word a);
word ref_f32_rint(word a);
/* The constant p/q and the power 2^n, 0 below -149 and infinity above 127. */
word ref_f32_ratio(unsigned long p, uint64_t q);
word ref_f32_pow2(long n);
/* floor(log2 a) of a positive number; *power receives whether a is a power of two. */
long ref_f32_log2(word a, int *power);
/* floor, and ceil, of log2 a rounded to 24 bits. */
word ref_f32_log2_floor(word a);
word ref_f32_log2_ceil(word a);
word ref_f32_round(word a); /* to the nearest integer, ties away from 0 */

/* The formats of elements, scales and offsets. */
enum ref_narrow {
    REF_E2M1,
    REF_E3M2,
    REF_E2M3,
    REF_E4M3,
    REF_E5M2,
    REF_E4M3FNUZ,
    REF_E8M0,
    REF_F16,
    REF_BF16
};
enum { REF_NARROWS = REF_BF16 + 1 };
/* Converts to a code. Overflow and infinity give the largest number in formats that saturate, and
 * NaN gives the NaN that CUDA writes, or the largest positive number. `mode` as in ref.h. */
uint32_t ref_narrowed(enum ref_narrow f, word a, int mode);
word ref_widened(enum ref_narrow f, uint32_t code);

/* The format of the current tensor, for each thread: stacks may compute in the tensor's own format.
 * REF_NARROWS means f32. */
void ref_tensor(int format);
word ref_own(word a);

/* The number of columns of the current block, whose elements come row by row. */
void ref_shape(size_t columns);
size_t ref_columns(void);

/* ---- recipes --------------------------------------------------------------------------------- */

enum { REF_BLOCK_MOST = 16384 };
enum { REF_G_NONE, REF_G_ENCODE, REF_G_DECODE, REF_G_GIVEN };

typedef struct ref_block {
    uint32_t scale, offset; /* codes */
    uint32_t code[REF_BLOCK_MOST];
} ref_block;

typedef struct ref_recipe {
    const char *name, *element;
    int block; /* 0: a row */
    int g, approximate;
    int bits, scale_bits; /* of a code, of a scale's code */
    /* Quantizes n elements; the value of a code in a block with such a scale and offset. */
    void (*quantize)(ref_block *b, const word *x, size_t n, word g);
    word (*value)(uint32_t scale, uint32_t offset, word g, uint32_t code);
} ref_recipe;

/* NULL after the last. */
const ref_recipe *ref_recipe_at(size_t i);

/* The global scale that the recipe's stack computes from the amax of a tensor; NULL for a recipe
 * without one. */
typedef word ref_global_scale(word amax);
ref_global_scale *ref_recipe_g(const char *name);

/* ---- products -------------------------------------------------------------------------------- */

enum { REF_DOT_FORMATS = 4 }; /* f64, f32, bf16, f16 */
const char *ref_dot_format(int f);
/* alpha times the sum of n products of four values, rounded once; a sum that is zero gives +0. */
uint64_t ref_dot(int f, mpfr_rnd_t mode, const word (*factors)[4], size_t n, word alpha);

#endif
