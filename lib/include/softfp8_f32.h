/* SPDX-License-Identifier: MIT */
/* softfp8_f32.h -- sums, norms, a row of attention and argmax in f32, in an order that has a name
 *
 * Values are words of f32. Each operation is that of IEEE 754, rounded once to nearest even, with
 * subnormals, in integers: no flag of a compiler changes a bit. A NaN that is made is 7fc00000.
 * docs/spec/f32-sums.md has the order of every operation; 2^x, log and tanh are those of
 * <softfp8/f32/elementary.h>.
 */
#ifndef SOFTFP8_F32_H
#define SOFTFP8_F32_H

#include "softfp8.h"
#include "softfp8/f32/elementary.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sums ------------------------------------------------------------------------------------ */

typedef enum sf8_order {
    SF8_ORDER_SEQUENTIAL, /* one after the other, to +0 */
    SF8_ORDER_WARP,       /* thread t of 32 adds x[t], x[t + 32], ... to +0; then the tree of 32 */
    SF8_ORDER_BLOCK,      /* the same of 1024 threads */
    SF8_ORDER_TREE,   /* neighbours, level by level; the last of an odd level goes up as it is */
    SF8_ORDER_WELFORD /* a running mean and variance; of moments alone, else sequential */
} sf8_order;

enum { SF8_ORDER_COUNT = 5 };

/* Where a compiler may put an fma: a product goes into a sum unrounded; mean square less the square
 * of the mean is fma(-mean, mean, mean square). */
enum { SF8_FUSE_NONE = 0, SF8_FUSE_SUM = 1, SF8_FUSE_LAST = 2 };

/* "sequential", "warp", "block", "tree", "welford"; SF8_UNKNOWN_NAME for another. The name, or
 * NULL. */
SF8_API sf8_order sf8_order_named(const char *name, sf8_status *status);
SF8_API const char *sf8_order_name(sf8_order order);

/* x[0] + x[1] + ...; a[0] b[0] + a[1] b[1] + ... A sum of nothing is +0. */
SF8_API uint32_t sf8_f32_sum_n(sf8_order order, const uint32_t *x, size_t n);
SF8_API uint32_t sf8_f32_dot_n(sf8_order order, int32_t fuse, const uint32_t *a, const uint32_t *b,
                               size_t n);

/* ---- norms ----------------------------------------------------------------------------------- */

/* The variance is mean square less the square of the mean, and may be below 0; by Welford it cannot
 * be, and mean_square is 0 there. RMS norm has mean_square alone. */
typedef struct sf8_moments {
    uint32_t mean, mean_square, variance;
} sf8_moments;

SF8_API sf8_moments sf8_f32_moments_n(sf8_order order, int32_t fuse, const uint32_t *x, size_t n);

/* 1 / sqrt(variance + eps): NaN where that is below 0. */
SF8_API uint32_t sf8_f32_rstd(uint32_t variance, uint32_t eps);
/* (x - mean) rstd; y may be x. */
SF8_API void sf8_f32_normalize_n(uint32_t *y, const uint32_t *x, size_t n, uint32_t mean,
                                 uint32_t rstd);

/* ---- a row of attention ---------------------------------------------------------------------- */

/* 2^x, e^x, log x, log2 x and tanh x, of each; y may be x. */
SF8_API void sf8_f32_exp2_n(uint32_t *y, const uint32_t *x, size_t n);
SF8_API void sf8_f32_exp_n(uint32_t *y, const uint32_t *x, size_t n);
SF8_API void sf8_f32_log_n(uint32_t *y, const uint32_t *x, size_t n);
SF8_API void sf8_f32_log2_n(uint32_t *y, const uint32_t *x, size_t n);
SF8_API void sf8_f32_tanh_n(uint32_t *y, const uint32_t *x, size_t n);

/* What is left of a row of scores: its maximum, the sum of the exponentials, the log of the sum. */
typedef struct sf8_softmax {
    uint32_t most, sum, lse;
} sf8_softmax;

/* weight = e^(score - most) / sum. The maximum is fmaxf's, which passes over NaN. A score of
 * -infinity has the weight +0; a row of nothing else has no other, its sum is +0 and its lse
 * -infinity. `weights` may be `scores`. */
SF8_API sf8_softmax sf8_f32_softmax_n(sf8_order order, uint32_t *weights, const uint32_t *scores,
                                      size_t n);
/* out[c] is the sum of weights[j] values[j][c], key after key, each by an fma to +0. A weight of 0
 * is multiplied as well, and 0 NaN is NaN, unless `skip` is set. */
SF8_API void sf8_f32_weighted_n(uint32_t *out, const uint32_t *weights, const uint32_t *values,
                                size_t keys, size_t channels, int32_t skip);

/* ---- two parts of a row put together ----------------------------------------------------------
 */

/* Which stack does it. They agree on numbers, but for the base of lse and the last bits, and not on
 * an lse that is infinite or NaN, nor on what a part without keys has as its output:
 * docs/spec/merging.md has each operation. */
typedef enum sf8_merge {
    SF8_MERGE_VLLM,        /* "vllm": merge_attn_states.cu */
    SF8_MERGE_VLLM_TRITON, /* "vllm-triton": triton_merge_attn_states.py */
    SF8_MERGE_FLASHINFER,  /* "flashinfer": cascade.cuh MergeStateKernel; lse to the base 2 */
    SF8_MERGE_FA3          /* "fa3": flash_fwd_combine_kernel.h, of two splits */
} sf8_merge;

enum { SF8_MERGE_COUNT = 4 };

/* SF8_UNKNOWN_NAME for another name. The name, or NULL. */
SF8_API sf8_merge sf8_merge_named(const char *name, sf8_status *status);
SF8_API const char *sf8_merge_name(sf8_merge rule);

/* What each part was multiplied with, and the lse of both. */
typedef struct sf8_merged {
    uint32_t weight[2], lse;
} sf8_merged;

/* Outputs a and b of the same channels, vLLM's prefix and suffix, with their lse; out may be one of
 * them. Where a rule takes an output as it is, or has nothing to add, both weights are +0. What a
 * kernel makes of out afterwards, a rounding to bf16 or a cast to FP8, is not part of it. */
SF8_API sf8_merged sf8_f32_merge_n(sf8_merge rule, uint32_t *out, const uint32_t *a, uint32_t lse_a,
                                   const uint32_t *b, uint32_t lse_b, size_t channels);
/* The same by another build: SF8_FUSE_SUM is what nvcc does unless it is told otherwise, and what
 * the function above does; with SF8_FUSE_NONE both products are rounded. */
SF8_API sf8_merged sf8_f32_merge_fused_n(sf8_merge rule, int32_t fuse, uint32_t *out,
                                         const uint32_t *a, uint32_t lse_a, const uint32_t *b,
                                         uint32_t lse_b, size_t channels);

/* ---- argmax ---------------------------------------------------------------------------------- */

/* PyTorch's and NumPy's rule: NaN is above every number, the first of equals wins. 0 of nothing. */
SF8_API size_t sf8_f32_argmax(const uint32_t *x, size_t n);
/* if (x > best), from -infinity: `start` where nothing is above that, as where all are NaN. */
SF8_API size_t sf8_f32_argmax_greater(const uint32_t *x, size_t n, size_t start);

#ifdef __cplusplus
}
#endif

#endif
