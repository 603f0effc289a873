/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_f32.h -- sums, norms, softmax, merged attention states and argmax in f32, each in a
 * named order
 *
 * Values are f32 bit patterns in a uint32_t. Each operation is that of IEEE 754, rounded once to
 * nearest even, with subnormals. All of them are computed with integers, so that no compiler flag
 * changes a bit. A NaN that an operation produces is 7fc00000. docs/spec/f32/sums.md defines the
 * order of every operation; softfp8/f32/elementary.h defines 2^x, log and tanh.
 */
#ifndef SOFTFP8_F32_H
#define SOFTFP8_F32_H

#include "softfp8.h"
#include "softfp8/f32/elementary.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sums ------------------------------------------------------------------------------------ */

/** The order in which a sum is formed. */
typedef enum sf8_order {
    SF8_ORDER_SEQUENTIAL, /**< one element after the other, beginning with +0 */
    SF8_ORDER_WARP,  /**< thread t of 32 adds x[t], x[t + 32], ... to +0; then the 32 sums are added
                          as a tree */
    SF8_ORDER_BLOCK, /**< the same with 1024 threads */
    SF8_ORDER_TREE,  /**< neighbours are added, level by level; the last element of an odd level
                          moves up unchanged */
    SF8_ORDER_WELFORD /**< a running mean and variance; other sums are sequential */
} sf8_order;

enum { SF8_ORDER_COUNT = 5 };

/** Where a compiler may use an fma. SF8_FUSE_SUM: a product is added to a sum unrounded.
 * SF8_FUSE_LAST: the variance is computed as fma(-mean, mean, mean_square). */
enum { SF8_FUSE_NONE = 0, SF8_FUSE_SUM = 1, SF8_FUSE_LAST = 2 };

/** Returns an order by its name: "sequential", "warp", "block", "tree" or "welford". If `status` is
 * not NULL, it receives SF8_OK, or SF8_UNKNOWN_NAME; then SF8_ORDER_SEQUENTIAL is returned. */
SF8_API sf8_order sf8_order_named(const char *name, sf8_status *status);
/** Returns the name of an order, or NULL. */
SF8_API const char *sf8_order_name(sf8_order order);

/** Returns x[0] + x[1] + ... in the given order; +0 if n is 0. */
SF8_API uint32_t sf8_f32_sum_n(sf8_order order, const uint32_t *x, size_t n);
/** Returns a[0] b[0] + a[1] b[1] + ... in the given order; +0 if n is 0. With SF8_FUSE_SUM each
 * product enters the sum unrounded. */
SF8_API uint32_t sf8_f32_dot_n(sf8_order order, int32_t fuse, const uint32_t *a, const uint32_t *b,
                               size_t n);

/* ---- norms ----------------------------------------------------------------------------------- */

/** The moments of a row. The variance is mean_square less the square of the mean, and may be below
 * 0. With SF8_ORDER_WELFORD it cannot be, and mean_square is 0. RMS norm uses mean_square alone. */
typedef struct sf8_moments {
    uint32_t mean, mean_square, variance;
} sf8_moments;

/** Returns the moments of n values, summed in the given order; `fuse` is one of SF8_FUSE_*. */
SF8_API sf8_moments sf8_f32_moments_n(sf8_order order, int32_t fuse, const uint32_t *x, size_t n);

/** Returns 1 / sqrt(variance + eps); NaN if variance + eps is below 0. */
SF8_API uint32_t sf8_f32_rstd(uint32_t variance, uint32_t eps);
/** y[i] = (x[i] - mean) * rstd. `y` may equal `x`. */
SF8_API void sf8_f32_normalize_n(uint32_t *y, const uint32_t *x, size_t n, uint32_t mean,
                                 uint32_t rstd);

/* ---- a row of attention ---------------------------------------------------------------------- */

/** @{ y[i] = 2^x[i], e^x[i], log x[i], log2 x[i] or tanh x[i]. `y` may equal `x`. */
SF8_API void sf8_f32_exp2_n(uint32_t *y, const uint32_t *x, size_t n);
SF8_API void sf8_f32_exp_n(uint32_t *y, const uint32_t *x, size_t n);
SF8_API void sf8_f32_log_n(uint32_t *y, const uint32_t *x, size_t n);
SF8_API void sf8_f32_log2_n(uint32_t *y, const uint32_t *x, size_t n);
SF8_API void sf8_f32_tanh_n(uint32_t *y, const uint32_t *x, size_t n);
/** @} */

/** What sf8_f32_softmax_n returns about a row of scores: `most` is the maximum, `sum` the sum of
 * the exponentials, and `lse` the logarithm of the sum of all e^score. */
typedef struct sf8_softmax {
    uint32_t most, sum, lse;
} sf8_softmax;

/** weights[i] = e^(scores[i] - maximum) / sum.
 *
 * The maximum is that of fmaxf, which ignores NaN. A score of -infinity has the weight +0. In a row
 * of nothing else all weights are +0, the sum is +0 and lse is -infinity. `weights` may equal
 * `scores`. */
SF8_API sf8_softmax sf8_f32_softmax_n(sf8_order order, uint32_t *weights, const uint32_t *scores,
                                      size_t n);
/** out[c] = the sum of weights[j] * values[j * channels + c] over the keys j, added one after the
 * other by an fma to +0. A weight of 0 is multiplied as well, so that 0 * NaN gives NaN, unless
 * `skip` is 1. */
SF8_API void sf8_f32_weighted_n(uint32_t *out, const uint32_t *weights, const uint32_t *values,
                                size_t keys, size_t channels, int32_t skip);

/* ---- merging two parts of a row ---------------------------------------------------------------
 */

/** The stack whose way of merging is followed. All give nearly the same numbers; they differ in the
 * base of lse, in the last bits, for an lse that is infinite or NaN, and in the output of a part
 * without keys. docs/spec/attend/merging.md defines each operation. */
typedef enum sf8_merge {
    SF8_MERGE_VLLM,        /**< "vllm": merge_attn_states.cu */
    SF8_MERGE_VLLM_TRITON, /**< "vllm-triton": triton_merge_attn_states.py */
    SF8_MERGE_FLASHINFER,  /**< "flashinfer": cascade.cuh MergeStateKernel; lse to the base 2 */
    SF8_MERGE_FA3          /**< "fa3": flash_fwd_combine_kernel.h with two splits */
} sf8_merge;

enum { SF8_MERGE_COUNT = 4 };

/** Returns a rule by its name. If `status` is not NULL, it receives SF8_OK, or SF8_UNKNOWN_NAME;
 * then SF8_MERGE_VLLM is returned. */
SF8_API sf8_merge sf8_merge_named(const char *name, sf8_status *status);
/** Returns the name of a rule, or NULL. */
SF8_API const char *sf8_merge_name(sf8_merge rule);

/** The factors of the two parts, and the lse of both together. */
typedef struct sf8_merged {
    uint32_t weight[2], lse;
} sf8_merged;

/** Merges the outputs a and b of two parts of a row (vLLM's prefix and suffix).
 *
 * What a kernel does with the result afterwards, such as a rounding to bf16, is not included.
 *
 * @param rule     the stack to follow
 * @param out      receives the merged output; may equal `a` or `b`
 * @param a        the output of the first part
 * @param lse_a    its lse, in the base of the rule
 * @param b        the output of the second part
 * @param lse_b    its lse
 * @param channels the number of channels of a, b and out
 * @return the factors and the lse. Both factors are +0 where the rule copies an output unchanged
 *     or has nothing to add. */
SF8_API sf8_merged sf8_f32_merge_n(sf8_merge rule, uint32_t *out, const uint32_t *a, uint32_t lse_a,
                                   const uint32_t *b, uint32_t lse_b, size_t channels);
/** Like sf8_f32_merge_n, for another build of the kernel. SF8_FUSE_SUM is nvcc's default, which
 * sf8_f32_merge_n assumes. With SF8_FUSE_NONE both products are rounded. */
SF8_API sf8_merged sf8_f32_merge_fused_n(sf8_merge rule, int32_t fuse, uint32_t *out,
                                         const uint32_t *a, uint32_t lse_a, const uint32_t *b,
                                         uint32_t lse_b, size_t channels);

/* ---- argmax ---------------------------------------------------------------------------------- */

/** Returns the index of the largest value by the rule of PyTorch and NumPy: NaN is above every
 * number, and the first of equal values wins. Returns 0 if n is 0. */
SF8_API size_t sf8_f32_argmax(const uint32_t *x, size_t n);
/** Returns the index that a loop `if (x[i] > best)` finds, beginning with -infinity. Returns
 * `start` if no value is above that, for example if all are NaN. */
SF8_API size_t sf8_f32_argmax_greater(const uint32_t *x, size_t n, size_t start);

#ifdef __cplusplus
}
#endif

#endif
