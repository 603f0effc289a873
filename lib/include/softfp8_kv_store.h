/* SPDX-License-Identifier: MIT */
/* softfp8_kv_store.h -- tokens stored into the images of KV caches, and gathered from them
 *
 * <softfp8/kv/layout.h> says where things lie, a recipe of <softfp8_blocks.h> what they are. As
 * everywhere in the library nothing is allocated.
 */
#ifndef SOFTFP8_KV_STORE_H
#define SOFTFP8_KV_STORE_H

#include "softfp8.h"
#include "softfp8/blocks/block.h"
#include "softfp8/kv/image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A layout by the name that it has here: "nhd", "hnd", "x-packed", "columns", "ds-mla" (of 1 head
 * of 512 elements of 8 bits) and "indexer" (of 1 head, 8 bits, a scale for each slot). MLA entries
 * are "nhd" of 1 head, of kv_c and k_pe together. SF8_UNKNOWN_NAME for another, SF8_BAD_CALL for
 * what sf8_kv_check refuses, and *layout then is as it was. */
SF8_API sf8_status sf8_kv_layout_named(sf8_kv_layout *layout, const char *name, size_t blocks,
                                       size_t slots, size_t heads, size_t dim, int32_t bits);
/* What SF8_KV_... of sf8_kv_check, or of an error, means; NULL if there is none. */
SF8_API const char *sf8_kv_reason(uint32_t reason);

/* Which slot each token has: token i slot[i], block slot[i] / slots of the layout. There may be
 * fewer slots than tokens: the others are padding. A token with a negative slot is passed over. A
 * slot beyond the last, and one that comes twice, are refused, or, as told:
 *
 *     SF8_KV_OUTSIDE_SKIP  that token is passed over
 *     SF8_KV_TWICE_LAST    the last of the tokens counts
 *
 * To see what comes twice a store needs sf8_kv_seen_size bytes of room, of any content. A gather
 * may read a slot twice. */
enum { SF8_KV_OUTSIDE_REFUSE, SF8_KV_OUTSIDE_SKIP };
enum { SF8_KV_TWICE_REFUSE, SF8_KV_TWICE_LAST };

typedef struct sf8_kv_slots {
    const int64_t *slot;
    size_t count;
    uint32_t outside, twice;
    uint8_t *seen;
    size_t seen_size;
} sf8_kv_slots;

/* The room for a layout, or SIZE_MAX if that is none. */
SF8_API size_t sf8_kv_seen_size(const sf8_kv_layout *layout);

/* Why a call was refused, and where: which of the stores or gathers, and which token. */
typedef struct sf8_kv_error {
    uint32_t reason;
    size_t item, token;
} sf8_kv_error;

/* What is stored in one image. The elements of a row are those of `first`, then those of `second`,
 * if it has any: kv_c and k_pe. Where the layout has a tail, that is `second`, copied as it is.
 *
 * A recipe quantizes. `g` is its g: one, or one for each head (g_count), but for scales that all
 * heads of a token have together. Where the layout has no
 * scales, the recipe may not look at the elements to make one: "g" is a scale that is given. Else
 * the blocks of the recipe are the layout's groups, a recipe with a scale for a row having that of
 * a head or a token, as the layout has it. Without a recipe words are copied bit for bit, into
 * elements of their width. */
typedef struct sf8_kv_store {
    sf8_kv_image image;
    const sf8_recipe *recipe; /* NULL: copied */
    sf8_format from;          /* f32, bf16, f16; when copied any of the width */
    sf8_kv_words first, second;
    const float *g; /* NULL: 1 */
    size_t g_count;
} sf8_kv_store;

/* What is gathered from one image: as a store, the other way round. The recipe is the reader's and
 * need not be the one that stored. */
typedef struct sf8_kv_gather {
    sf8_kv_image image; /* only read */
    const sf8_recipe *recipe;
    sf8_format to;
    sf8_kv_room first, second;
    const float *g;
    size_t g_count;
} sf8_kv_gather;

/* Stores tokens in images, K and V, by the same slots. All is looked at before anything is written:
 * SF8_BAD_FORMAT or SF8_BAD_CALL, with the reason in *error, and no image is touched. What no
 * element, scale or tail of a stored token lies in is left as it is. Images, words and the room of
 * `slots` may not overlap. `error` may be NULL. */
SF8_API sf8_status sf8_kv_store_n(const sf8_kv_store *stores, size_t n, const sf8_kv_slots *slots,
                                  sf8_kv_error *error);

/* Gathers what the slots have, token i from slot[i]; words of a token that is passed over are left
 * as they are. As sf8_kv_store_n. */
SF8_API sf8_status sf8_kv_gather_n(const sf8_kv_gather *gathers, size_t n,
                                   const sf8_kv_slots *slots, sf8_kv_error *error);

#ifdef __cplusplus
}
#endif

#endif
