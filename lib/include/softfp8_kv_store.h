/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_kv_store.h -- storing tokens in the images of KV caches, and gathering them
 *
 * softfp8/kv/layout.h says where elements and scales lie; a recipe (softfp8_blocks.h) says how they
 * are encoded. An image is the memory of a cache as bytes.
 */
#ifndef SOFTFP8_KV_STORE_H
#define SOFTFP8_KV_STORE_H

#include "softfp8.h"
#include "softfp8/blocks/block.h"
#include "softfp8/kv/image.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Makes a dense layout by its name.
 *
 * @param layout receives the layout; unchanged unless SF8_OK is returned
 * @param name   "nhd", "hnd", "x-packed", "columns"; "ds-mla", which needs 1 head of 512 elements
 * of 8 bits; or "indexer", which needs 1 head, 8 bits, and has a scale for each slot. MLA entries
 *     are "nhd" with 1 head of kv_c and k_pe together.
 * @param blocks the number of blocks
 * @param slots  slots of a block
 * @param heads  heads of a token
 * @param dim    elements of a head
 * @param bits   bits of an element
 * @return SF8_UNKNOWN_NAME for another name; SF8_BAD_CALL if sf8_kv_check refuses the layout */
SF8_API sf8_status sf8_kv_layout_named(sf8_kv_layout *layout, const char *name, size_t blocks,
                                       size_t slots, size_t heads, size_t dim, int32_t bits);
/** Returns the text of a reason of sf8_kv_check or of sf8_kv_error; NULL for another number. */
SF8_API const char *sf8_kv_reason(uint32_t reason);

/** What to do with a slot beyond the last one: refuse the call, or skip that token. */
enum { SF8_KV_OUTSIDE_REFUSE, SF8_KV_OUTSIDE_SKIP };
/** What to do if a store has a slot twice: refuse the call, or let the last of its tokens count. */
enum { SF8_KV_TWICE_REFUSE, SF8_KV_TWICE_LAST };

/** The slot of each token: token i goes to slot[i], which lies in block slot[i] / slots of the
 * layout. A negative slot skips its token. There may be fewer slots than tokens; the other tokens
 * are padding. A gather may read a slot twice. */
typedef struct sf8_kv_slots {
    const int64_t *slot;
    size_t count;
    uint32_t outside, twice; /**< SF8_KV_OUTSIDE_*, SF8_KV_TWICE_* */
    uint8_t *seen;           /**< of a store: scratch memory of any content, to find double slots */
    size_t seen_size;        /**< its size, at least sf8_kv_seen_size() */
} sf8_kv_slots;

/** Returns the scratch memory that a store needs, in bytes; SIZE_MAX if the layout is invalid. */
SF8_API size_t sf8_kv_seen_size(const sf8_kv_layout *layout);

/** Why a call was refused (SF8_KV_*), and where: the index of the store or gather, and the token.
 */
typedef struct sf8_kv_error {
    uint32_t reason;
    size_t item, token;
} sf8_kv_error;

/** What is stored in one image. The elements of a row are those of `first` followed by those of
 * `second`, if it has any: kv_c and k_pe. Where the layout has a tail, `second` is the tail and is
 * copied unchanged.
 *
 * With a recipe the elements are quantized. If the layout has no scales, the scale must be given:
 * the recipe's program is "g". Otherwise the recipe's blocks must be the groups of the layout; a
 * recipe with one scale for a row uses the scale of a head or a token, as the layout has it.
 * Without a recipe elements are copied bit for bit. */
typedef struct sf8_kv_store {
    sf8_kv_image image;
    const sf8_recipe *recipe; /**< NULL: copied */
    sf8_format from;          /**< f32, bf16, f16; when copied, any of the same width */
    sf8_kv_words first, second;
    /** The global scale, or the given scale: one, or one for each head; NULL: 1. Only one where all
     * heads of a token share their scales. */
    const float *g;
    size_t g_count; /**< the number of these */
} sf8_kv_store;

/** What is gathered from one image, like sf8_kv_store in the other direction. The recipe is the
 * reader's; it may differ from the one that stored. */
typedef struct sf8_kv_gather {
    sf8_kv_image image; /**< only read */
    const sf8_recipe *recipe;
    sf8_format to;
    sf8_kv_room first, second;
    const float *g;
    size_t g_count;
} sf8_kv_gather;

/** Stores tokens in images, such as those of K and V, in the same slots.
 *
 * Everything is checked before anything is written. Bytes that belong to no element, scale or tail
 * of a stored token stay unchanged. Images, tokens and scratch memory may not overlap.
 *
 * @param stores what to store in each image
 * @param n      the number of images
 * @param slots  where each token goes
 * @param error  if not NULL, receives the reason of a refusal
 * @return SF8_BAD_FORMAT or SF8_BAD_CALL; no image is changed then */
SF8_API sf8_status sf8_kv_store_n(const sf8_kv_store *stores, size_t n, const sf8_kv_slots *slots,
                                  sf8_kv_error *error);

/** Gathers tokens from images: token i from slot[i]. The output of a token that is skipped stays
 * unchanged. Parameters and status are as those of sf8_kv_store_n. */
SF8_API sf8_status sf8_kv_gather_n(const sf8_kv_gather *gathers, size_t n,
                                   const sf8_kv_slots *slots, sf8_kv_error *error);

#ifdef __cplusplus
}
#endif

#endif
