/* SPDX-License-Identifier: MIT */
/* softfp8_kv_policy.h -- what schedulers decide about caches of keys and values, in integers
 *
 * Whether a shared prefix is read once for all requests, into how many parts a row of keys is cut,
 * and whether blocks of one pool may be taken for those of another. None of it changes what is in a
 * cache; all of it changes in which order a row is summed, or what is made of its bytes.
 * docs/spec/cache-scheduling.md has the rules.
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

/* A batch, as vLLM's use_cascade_attention is asked about it (v0.27.1, where cascades are off
 * unless they are asked for). */
typedef struct sf8_kv_batch {
    uint32_t prefix, requests; /* tokens that all have in front; both below 2^24 */
    uint32_t query_heads, heads, processors, ranks; /* of the device; that share the context */
    int32_t decodes; /* each request has one query; else there is a prefill among them */
    int32_t special; /* ALiBi, a sliding window, local attention */
} sf8_kv_batch;

/* Whether the prefix is read once, for all, and each rest by itself, to be merged (softfp8_f32.h).
 * SF8_BAD_CALL if heads or processors are 0 or above 65535, query heads no multiple of heads, or
 * the others too large; *cascades then is as it was. */
SF8_API sf8_status sf8_kv_cascades(const sf8_kv_batch *b, int32_t *cascades);

/* ---- splits ---------------------------------------------------------------------------------- */

/* What FlashAttention-3's num_splits_heuristic (hopper/heuristics.h) is told: blocks of queries,
 * all in all and of one head; processors; blocks of keys; bytes of the keys and values of one head,
 * below 2^31; whether a mask is causal or local; the most splits that there may be, 128 there. */
typedef struct sf8_kv_tiles {
    uint32_t blocks, query_blocks, processors, key_blocks, head_bytes, most;
    int32_t causal;
} sf8_kv_tiles;

/* Into how many parts the keys are cut. SF8_BAD_CALL if blocks, processors, key_blocks or most are
 * 0 or above 65535; *splits then is as it was. */
SF8_API sf8_status sf8_kv_splits(const sf8_kv_tiles *t, uint32_t *splits);

/* ---- pools ----------------------------------------------------------------------------------- */

/* What has to be known of a pool before its blocks go to another one, or are found again by the
 * hash of a prefix: where things lie, by what recipe they were written, or, without one, which
 * words they are, and the scales, of keys, values and heads in whatever order both have. */
typedef struct sf8_kv_pool {
    sf8_kv_layout layout;
    const sf8_recipe *recipe; /* NULL: words as they are */
    sf8_format words;
    const uint32_t *scale; /* words of f32 */
    size_t count;
} sf8_kv_pool;

/* What is not the same; how many blocks there are does not count. Scales are the same if their
 * words are, for else what is read is another number; recipes if what they read is, for vLLM's
 * store and one that multiplies by the reciprocal may share a pool. */
enum {
    SF8_KV_UNLIKE_CODES = 1,  /* element, group, format of scales, or how a code is read */
    SF8_KV_UNLIKE_SCALES = 2, /* given scales */
    SF8_KV_UNLIKE_ORDER = 4,  /* NHD and HND, x-packed; linear scales and 4-token */
    SF8_KV_UNLIKE_PAGE = 8,   /* slots of a block, strides */
    SF8_KV_UNLIKE_SHAPE = 16  /* heads, elements, bits, tail */
};

/* 0: blocks of the one may be taken for blocks of the other, byte for byte. */
SF8_API uint32_t sf8_kv_unlike(const sf8_kv_pool *a, const sf8_kv_pool *b);

#ifdef __cplusplus
}
#endif

#endif
