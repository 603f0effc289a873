/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_kv_policy.h -- what schedulers decide about KV caches, in integers
 *
 * Whether a shared prefix is read once for all requests, into how many parts a row of keys is
 * split, and whether blocks of one pool can be used in another. No decision changes what a cache
 * contains; each changes the order in which a row is summed, or how its bytes are read.
 * docs/spec/kv/scheduling.md has the rules.
 */
#ifndef SOFTFP8_KV_POLICY_H
#define SOFTFP8_KV_POLICY_H

#include "softfp8.h"
#include "softfp8/blocks/block.h"
#include "softfp8/kv/caches.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- cascades -------------------------------------------------------------------------------- */

/** The arguments of vLLM's use_cascade_attention (v0.27.1, where cascades are off by default). */
typedef struct sf8_kv_batch {
    uint32_t prefix, requests;   /**< tokens that all requests share; requests; both below 2^24 */
    uint32_t query_heads, heads; /**< heads of queries; heads of keys and values */
    uint32_t processors, ranks;  /**< multiprocessors of the device; ranks that share the context */
    int32_t decodes;             /**< 1 if each request has one query; 0 if some are prefills */
    int32_t special;             /**< 1 for ALiBi, a sliding window or local attention */
} sf8_kv_batch;

/** Decides whether the prefix is computed once for all requests, and merged with the rest of each
 * (softfp8_f32.h). *cascades receives 1 or 0. Returns SF8_BAD_CALL, and leaves *cascades unchanged,
 * if a number of heads or processors is 0 or above 65535, if `query_heads` is no multiple of
 * `heads`, or if another number is too large. */
SF8_API sf8_status sf8_kv_cascades(const sf8_kv_batch *b, int32_t *cascades);

/* ---- splits ---------------------------------------------------------------------------------- */

/** The arguments of FlashAttention-3's num_splits_heuristic (hopper/heuristics.h). */
typedef struct sf8_kv_tiles {
    uint32_t blocks;       /**< blocks of queries, over all heads and requests */
    uint32_t query_blocks; /**< blocks of queries of one head */
    uint32_t processors;   /**< multiprocessors of the device */
    uint32_t key_blocks;   /**< blocks of keys */
    uint32_t head_bytes;   /**< bytes of the keys and values of one head, below 2^31 */
    uint32_t most;         /**< the largest number of splits, 128 in FlashAttention-3 */
    int32_t causal;        /**< 1 if the mask is causal or local */
} sf8_kv_tiles;

/** Computes into how many parts the keys are split, to *splits. Returns SF8_BAD_CALL, and leaves
 * *splits unchanged, if blocks, processors, key_blocks or most is 0 or above 65535. */
SF8_API sf8_status sf8_kv_splits(const sf8_kv_tiles *t, uint32_t *splits);

/* ---- pools ----------------------------------------------------------------------------------- */

/** What must be known of a pool before its blocks are copied to another one, or found again by the
 * hash of a prefix. The scales are those of keys, values and heads, in an order that both pools
 * share. */
typedef struct sf8_kv_pool {
    sf8_kv_layout layout;
    const sf8_recipe *recipe; /**< how elements were stored; NULL: they are numbers of `words` */
    sf8_format words;
    const uint32_t *scale; /**< f32 */
    size_t count;
} sf8_kv_pool;

/** What differs between two pools. The number of blocks does not count. Scales are equal if their
 * bit patterns are. Recipes are equal if they read a code in the same way: the store of vLLM and a
 * store that multiplies by the reciprocal may share a pool. */
enum {
    SF8_KV_UNLIKE_CODES = 1,  /**< element, group, format of scales, or how a code is read */
    SF8_KV_UNLIKE_SCALES = 2, /**< given scales */
    SF8_KV_UNLIKE_ORDER = 4,  /**< NHD and HND, x-packed; linear scales and 4-token */
    SF8_KV_UNLIKE_PAGE = 8,   /**< slots of a block, strides */
    SF8_KV_UNLIKE_SHAPE = 16  /**< heads, elements, bits, tail */
};

/** Compares two pools. Returns 0 if blocks of one can be used in the other, byte for byte; else the
 * SF8_KV_UNLIKE_* bits of what differs. */
SF8_API uint32_t sf8_kv_unlike(const sf8_kv_pool *a, const sf8_kv_pool *b);

#ifdef __cplusplus
}
#endif

#endif
