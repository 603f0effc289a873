/* SPDX-License-Identifier: MIT */
/* softfp8_attend.h -- attention over a quantized cache, whose bits do not depend on how it is split
 *
 * <softfp8/attend/attend.h> says what one chunk of keys is and how chunks are joined; here are
 * whole requests, and the parts that splits or a shared prefix make of them:
 * docs/spec/attention.md.
 */
#ifndef SOFTFP8_ATTEND_H_
#define SOFTFP8_ATTEND_H_

#include "softfp8.h"
#include "softfp8/attend/attend.h"
#include "softfp8/attend/order.h"
#include "softfp8/blocks/block.h"
#include "softfp8/kv/image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the products of a chunk are summed. exact: by fma of f32. f16, bf16: queries, keys, weights
 * and values are rounded to that, and summed as mma.sync m16n8k16 of Hopper sums them, 16 at a time
 * (unit hopper-hmma); what is exact in the format, as codes of 8 and 4 bits are, is not changed. */
typedef enum sf8_attend_sums {
    SF8_ATTEND_EXACT,
    SF8_ATTEND_MMA_F16,
    SF8_ATTEND_MMA_BF16
} sf8_attend_sums;

enum { SF8_ATTEND_SUMS_COUNT = 3 };

/* "exact", "mma-f16", "mma-bf16". The name, or NULL; SF8_UNKNOWN_NAME for another. */
SF8_API const char *sf8_attend_sums_name(sf8_attend_sums sums);
SF8_API sf8_attend_sums sf8_attend_sums_named(const char *name, sf8_status *status);

/* Keys or values: an image, and the recipe by which it was stored. What an element stands for
 * without the scale that all of its row have is read: e of a format, e - o of an integer with an
 * offset, e s where a row has several blocks. A scale of the row, in the image, comes in with the
 * score or the weight of its key. `scale` is what remains, one word of f32, or one for each head of
 * the cache: the scale that was given to the store, or the second scale of a block format, as a
 * factor; NULL: 1. Without a recipe elements are words of `words`: f32, f16, bf16. */
typedef struct sf8_attend_cache {
    sf8_kv_image image; /* only read */
    const sf8_recipe *recipe;
    sf8_format words;
    const uint32_t *scale;
    size_t scales;
} sf8_attend_cache;

/* One request. Query i has the position first + i, and looks at the keys from its position - left
 * to its position + right, of those from 0 to keys - 1; left or right negative: without end. Causal
 * is right 0. Head h of `heads` reads head h / (heads / heads of the cache). A key at position p
 * lies in block blocks[p / slots], slot p mod slots. q, out and lse are words of any alignment. */
typedef struct sf8_attend {
    sf8_attend_sums sums;
    uint32_t scale, cap;     /* of scores, f32; cap +0: none */
    const uint32_t *q_scale; /* 1, or one for each head of the cache; NULL: 1 */
    size_t q_scales;
    const uint32_t *sinks; /* one for each head, f32; NULL: none */
    int64_t left, right, first;
    size_t keys, queries, heads;
    sf8_attend_cache k, v;
    const int64_t *blocks;
    size_t block_count;
    sf8_format q_words, out_words; /* f32, f16, bf16; q also of 8 bits */
    sf8_kv_words q;                /* [queries][heads][dim of k] */
    sf8_kv_room out;               /* [queries][heads][dim of v] */
    uint32_t *lse;                 /* [queries][heads], f32; NULL: not wanted */
    int32_t lse_base2;
} sf8_attend;

#define SF8_ATTEND_REASONS(X)                                                                      \
    X(GOOD, "nothing is wrong")                                                                    \
    X(BAD_SUMS, "unknown way to sum products")                                                     \
    X(BAD_SHAPE, "the number of heads must be a multiple of that of the cache, above 0")           \
    X(BAD_DIM, "a head needs a multiple of 8 elements (of 16 with mma), at most 1024")             \
    X(BAD_WORDS, "unsupported format or size of the values")                                       \
    X(BAD_SCALE, "expected one scale, or one for each head of the cache, and a finite cap of at "  \
                 "least 0 whose inverse is finite")                                                \
    X(BAD_POSITION, "positions above 2^61")                                                        \
    X(BAD_CACHE, "an invalid cache, one that is too short, or one without a place for the recipe") \
    X(UNLIKE, "keys and values differ in heads or slots")                                          \
    X(FEW_BLOCKS, "fewer blocks than the keys need")                                               \
    X(BAD_BLOCK, "a block that the cache does not have")                                           \
    X(BAD_ORDER, "this order does not support the request")

enum {
#define SF8_ATTEND_REASON(id, text) SF8_ATTEND_##id,
    SF8_ATTEND_REASONS(SF8_ATTEND_REASON)
#undef SF8_ATTEND_REASON
        SF8_ATTEND_REASON_COUNT
};

/* SF8_ATTEND_GOOD, or why a request is none. Nothing is read but blocks. */
SF8_API uint32_t sf8_attend_check(const sf8_attend *a);
SF8_API const char *sf8_attend_reason(uint32_t reason);

/* The whole request. `room` is of sf8_attend_room words, of any content. SF8_BAD_CALL, and nothing
 * is written, where sf8_attend_check says why or the room is too little. */
SF8_API size_t sf8_attend_room(const sf8_attend *a);
SF8_API sf8_status sf8_attend_n(const sf8_attend *a, uint32_t *room, size_t room_words);
/* The same on a level by its name (sf8_simd_at), or "core", by the definition, one operation of
 * integers at a time; SF8_UNKNOWN_NAME if there is no such level. */
SF8_API sf8_status sf8_attend_at(const char *level, const sf8_attend *a, uint32_t *room,
                                 size_t room_words);

/* ---- parts ----------------------------------------------------------------------------------- */

/* Chunks first_chunk to last_chunk - 1 of a request, into pieces: one for each whole span among
 * them, one for each chunk of a span that is not whole. Spans that the request ends are whole. A
 * piece is, for each query, for each head, most, sum and the values of each channel: 2 + dim words;
 * pieces follow one another. */
SF8_API size_t sf8_attend_chunks(const sf8_attend *a);
SF8_API size_t sf8_attend_pieces(const sf8_attend *a, size_t first_chunk, size_t last_chunk);
SF8_API size_t sf8_attend_piece_words(const sf8_attend *a);
SF8_API sf8_status sf8_attend_part(const sf8_attend *a, size_t first_chunk, size_t last_chunk,
                                   uint32_t *pieces, uint32_t *room, size_t room_words);

/* The pieces of some chunks, where they lie. */
typedef struct sf8_attend_parted {
    size_t first_chunk, last_chunk;
    const uint32_t *pieces;
} sf8_attend_parted;

/* Out and lse of parts that follow one another from chunk 0 to the last: as sf8_attend_n gives
 * them. */
SF8_API sf8_status sf8_attend_joined(const sf8_attend *a, const sf8_attend_parted *parts, size_t n,
                                     uint32_t *room, size_t room_words);

/* ---- other orders ----------------------------------------------------------------------------
 *
 * The same as other stacks compute it: <softfp8/attend/order.h> says what an order is.
 */

/* The i-th order, or NULL. One by name, or NULL; it may be copied and changed. */
SF8_API const sf8_attend_order *sf8_attend_order_at(size_t i);
SF8_API const sf8_attend_order *sf8_attend_order_named(const char *name);

/* Why an order is none for a request, or SF8_ATTEND_GOOD. `sums` and `lse_base2` of the request do
 * not count: the lse has the base of the order. SF8_ATTEND_BAD_ORDER for caps and sinks, scales of
 * single rows, a choice that <softfp8/attend/order.h> does not have or that does not go with
 * another (what it says of each), no unit, codes that are not e4m3 where these are multiplied, a
 * window where whole rows are in the memory of a kernel (SF8_VALUES_THREADS), a tile or a head that
 * is no multiple of the unit's k, a tile that is no power of two where it is summed by halves, and
 * for a `cut` that is none: the number of parts, from 1 to 65536 (SF8_SPLIT_COUNT), or the keys of
 * the first of two, at most all of them (SF8_SPLIT_PREFIX). Of others the cut does not count. */
SF8_API uint32_t sf8_attend_order_check(const sf8_attend_order *o, const sf8_attend *a, size_t cut);

/* The whole request in that order. Room, result and refusal are as those of sf8_attend_n. */
SF8_API size_t sf8_attend_order_room(const sf8_attend_order *o, const sf8_attend *a, size_t cut);
SF8_API sf8_status sf8_attend_order_n(const sf8_attend_order *o, const sf8_attend *a, size_t cut,
                                      uint32_t *room, size_t room_words);

/* What an order does with the parts of a row, by itself. `join` is one of SF8_JOIN_; `parts` are n
 * times 2 + columns words: the lse of the part's stack, or of SEGMENTS and PARTITIONS the largest
 * score; the sum of its exponentials, at which the others do not look; its channels, which SEGMENTS
 * has not divided yet. `fuse` is SF8_FUSE_SUM of softfp8_f32.h, as orders have it, or
 * SF8_FUSE_NONE. SF8_BAD_CALL where there is no part, no such choice, or for SEGMENTS a number of
 * parts that is no power of two up to SF8_JOIN_SEGMENTS_MOST; then nothing is written. */
enum { SF8_JOIN_SEGMENTS_MOST = 64 };

SF8_API sf8_status sf8_attend_join_n(uint32_t join, int32_t fuse, uint32_t *out, uint32_t *lse,
                                     const uint32_t *parts, size_t n, size_t columns);

#ifdef __cplusplus
}
#endif

#endif
