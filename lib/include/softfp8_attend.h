/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_attend.h -- attention over a quantized cache, whose bits do not depend on how it is split
 *
 * softfp8/attend/attend.h defines what one chunk of keys gives and how chunks are joined. This
 * header computes whole requests, and the parts of requests that splits or a shared prefix make.
 * docs/spec/attend/attention.md defines every result.
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

/** How the products of a chunk are summed.
 *
 * SF8_ATTEND_EXACT sums by fma in f32. SF8_ATTEND_MMA_F16 and SF8_ATTEND_MMA_BF16 round queries,
 * keys, weights and values to that format, and sum them 16 at a time like Hopper's mma.sync
 * m16n8k16 (unit hopper-hmma). Values that are exact in the format, such as codes of 8 and 4 bits,
 * are not changed by that rounding. */
typedef enum sf8_attend_sums {
    SF8_ATTEND_EXACT,
    SF8_ATTEND_MMA_F16,
    SF8_ATTEND_MMA_BF16
} sf8_attend_sums;

enum { SF8_ATTEND_SUMS_COUNT = 3 };

/** Returns the name of a way to sum: "exact", "mma-f16" or "mma-bf16"; NULL for another number. */
SF8_API const char *sf8_attend_sums_name(sf8_attend_sums sums);
/** Returns a way to sum by its name. If `status` is not NULL, it receives SF8_OK, or
 * SF8_UNKNOWN_NAME; then SF8_ATTEND_EXACT is returned. */
SF8_API sf8_attend_sums sf8_attend_sums_named(const char *name, sf8_status *status);

/** The keys or the values of a request: an image, and the recipe by which it was stored.
 *
 * What is read from the image is the value of an element without the scale that its whole row
 * shares: e for a format, e - o for integers with an offset, e * s where a row has several blocks.
 * A scale of the whole row, if the image has one, is applied to the score or the weight of its key.
 */
typedef struct sf8_attend_cache {
    sf8_kv_image image;       /**< only read */
    const sf8_recipe *recipe; /**< how elements were stored; NULL: they are numbers of `words` */
    sf8_format words;         /**< without a recipe: f32, f16 or bf16 */
    /** The remaining factor, f32: what sf8_attend_cache_scale gives for the scale that was given to
     * the store, or the global scale. One, or one for each head of the cache; NULL: 1. */
    const uint32_t *scale;
    size_t scales; /**< the number of these factors */
} sf8_attend_cache;

/** One request.
 *
 * Query i has the position first + i. It sees the keys from its position - left to its position +
 * right, as far as they lie between 0 and keys - 1. A negative left or right means no limit; causal
 * attention has right 0. Head h of `heads` reads head h / (heads / heads of the cache) of the
 * cache. The key at position p lies in block blocks[p / slots], slot p mod slots. q and out
 * need no alignment. */
typedef struct sf8_attend {
    sf8_attend_sums sums;
    uint32_t scale, cap;     /**< scale and soft cap of the scores, f32; cap +0: none */
    const uint32_t *q_scale; /**< one, or one for each head of the cache; NULL: 1 */
    size_t q_scales;
    const uint32_t *sinks; /**< one for each head, f32; NULL: none */
    int64_t left, right, first;
    size_t keys, queries, heads;
    sf8_attend_cache k, v;
    const int64_t *blocks;
    size_t block_count;
    sf8_format q_words, out_words; /**< formats of q and out: f32, f16, bf16; q also of 8 bits */
    sf8_kv_words q;                /**< [queries][heads][dim of k] */
    sf8_kv_room out;               /**< [queries][heads][dim of v] */
    uint32_t *lse;                 /**< [queries][heads], f32; NULL: not wanted */
    int32_t lse_base2;             /**< 1: lse is a logarithm to base 2; 0: a natural logarithm */
} sf8_attend;

/** Why a request is refused: X(name, text). */
#define SF8_ATTEND_REASONS(X)                                                                      \
    X(GOOD, "nothing is wrong")                                                                    \
    X(BAD_SUMS, "unknown way to sum products")                                                     \
    X(BAD_SHAPE, "the number of query heads must be a multiple, above 0, of that of key heads")    \
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

/** Why a request is refused. */
enum {
#define SF8_ATTEND_REASON(id, text) SF8_ATTEND_##id,
    SF8_ATTEND_REASONS(SF8_ATTEND_REASON)
#undef SF8_ATTEND_REASON
        SF8_ATTEND_REASON_COUNT
};

/** Checks a request. Returns SF8_ATTEND_GOOD, or the reason for which it is refused. Of the arrays
 * it points to, only `blocks` is read. */
SF8_API uint32_t sf8_attend_check(const sf8_attend *a);
/** Returns the text of a reason. */
SF8_API const char *sf8_attend_reason(uint32_t reason);
/** Returns the remaining factor of a cache: of the recipe's value of an element all but e * s, or
 * but e where the scale is given. f32.
 *
 * @param recipe how elements were stored; NULL: 1
 * @param g      the scale that was given to the store, or the global scale, f32; without one 1 */
SF8_API uint32_t sf8_attend_cache_scale(const sf8_recipe *recipe, uint32_t g);

/** Returns how many uint32_t of scratch memory sf8_attend_n needs for a request. */
SF8_API size_t sf8_attend_room(const sf8_attend *a);
/** Computes a whole request.
 *
 * @param a          the request; receives out and lse through its pointers
 * @param room       scratch memory of any content
 * @param room_words its size in uint32_t, at least sf8_attend_room(a)
 * @return SF8_BAD_CALL if sf8_attend_check refuses the request or the scratch memory is too small
 */
SF8_API sf8_status sf8_attend_n(const sf8_attend *a, uint32_t *room, size_t room_words);
/** Like sf8_attend_n, on a level by its name (see sf8_simd_at), or with "core" by the definition,
 * one integer operation at a time. Returns SF8_UNKNOWN_NAME for another level. */
SF8_API sf8_status sf8_attend_at(const char *level, const sf8_attend *a, uint32_t *room,
                                 size_t room_words);

/* ---- parts ----------------------------------------------------------------------------------- */

/** Returns the number of chunks of keys of a request. */
SF8_API size_t sf8_attend_chunks(const sf8_attend *a);
/** Returns how many pieces the chunks first_chunk to last_chunk - 1 give: one for each whole span
 * of chunks among them, and one for each chunk of a span that is not whole. A span that ends with
 * the request counts as whole. */
SF8_API size_t sf8_attend_pieces(const sf8_attend *a, size_t first_chunk, size_t last_chunk);
/** Returns the size of a piece in uint32_t. For each query and each head it has the maximum, the
 * sum, and the value of each channel: 2 + dim numbers. Pieces follow one another. */
SF8_API size_t sf8_attend_piece_words(const sf8_attend *a);
/** Computes the chunks first_chunk to last_chunk - 1 of a request into pieces.
 *
 * @param a           the request; its out and lse are not written
 * @param first_chunk the first chunk
 * @param last_chunk  one past the last chunk
 * @param pieces      receives sf8_attend_pieces() pieces of sf8_attend_piece_words() uint32_t each
 * @param room        scratch memory, as in sf8_attend_n
 * @param room_words  its size
 * @return as sf8_attend_n; SF8_BAD_CALL also for chunks that the request does not have */
SF8_API sf8_status sf8_attend_part(const sf8_attend *a, size_t first_chunk, size_t last_chunk,
                                   uint32_t *pieces, uint32_t *room, size_t room_words);

/** The pieces of the chunks first_chunk to last_chunk - 1, as sf8_attend_part wrote them. */
typedef struct sf8_attend_parted {
    size_t first_chunk, last_chunk;
    const uint32_t *pieces;
} sf8_attend_parted;

/** Joins the pieces of n parts into out and lse, bit for bit as sf8_attend_n computes them.
 *
 * @param a          the request
 * @param parts      parts that follow one another from chunk 0 to the last
 * @param n          the number of parts
 * @param room       scratch memory, as in sf8_attend_n
 * @param room_words its size
 * @return as sf8_attend_n; SF8_BAD_CALL also if the parts leave a gap or overlap */
SF8_API sf8_status sf8_attend_joined(const sf8_attend *a, const sf8_attend_parted *parts, size_t n,
                                     uint32_t *room, size_t room_words);

/* ---- other orders ---------------------------------------------------------------------------- */

/** Returns the i-th order of softfp8/attend/order.h, in which other stacks compute attention; NULL
 * past the end. */
SF8_API const sf8_attend_order *sf8_attend_order_at(size_t i);
/** Returns an order by its name, or NULL. It may be copied and changed. */
SF8_API const sf8_attend_order *sf8_attend_order_named(const char *name);

/** Reads an order: a name, fields, or a name and the fields in which it differs, separated by
 * blanks or commas: "fa3-fp8 tile=96". Without a name the fields change `split-f32`. The words of
 * `direction` stand alone: "tile=64 descending". An order that differs from the named one has no
 * product, source and evidence. docs/spec/attend/orders.md has the fields.
 *
 * @param text  the text
 * @param order receives the order; stays as it was if the result is not SF8_OK
 * @param at    if not NULL, receives the place of the word that is wrong
 * @return SF8_UNKNOWN_NAME for an unknown name or field, SF8_BAD_TEXT for a value that the field
 *     does not have, or that is given twice */
SF8_API sf8_status sf8_attend_order_read(const char *text, sf8_attend_order *order, size_t *at);
/** Writes an order as sf8_attend_order_read reads it: the name of the known order to which it comes
 * nearest, and the fields in which it differs.
 *
 * @param order the order
 * @param text  receives the text and a closing 0
 * @param size  the size of `text` in bytes; SF8_ORDER_TEXT_SIZE is enough
 * @return SF8_BAD_TEXT if a field has a value without a name; SF8_NO_ROOM if `size` is too small */
SF8_API sf8_status sf8_attend_order_write(const sf8_attend_order *order, char *text, size_t size);
enum { SF8_ORDER_TEXT_SIZE = 512 };

/** Returns the name of the i-th field of an order, or NULL past the end. */
SF8_API const char *sf8_attend_order_field_at(size_t i);
/** Returns the values of the i-th field, separated by blanks; "" for a number, and for `unit`,
 * which is the name of a unit or "none"; NULL past the end. */
SF8_API const char *sf8_attend_order_field_values(size_t i);
/** Writes the value of a field as text. Returns SF8_UNKNOWN_NAME for an unknown field, and as
 * sf8_attend_order_write. */
SF8_API sf8_status sf8_attend_order_get(const sf8_attend_order *order, const char *field,
                                        char *text, size_t size);
/** Sets a field by the text of its value. Returns SF8_UNKNOWN_NAME for an unknown field and
 * SF8_BAD_TEXT for an unknown value or a number out of range. */
SF8_API sf8_status sf8_attend_order_set(sf8_attend_order *order, const char *field,
                                        const char *value);

/** Checks whether an order can compute a request. Returns SF8_ATTEND_GOOD or the reason why not.
 *
 * The fields `sums` and `lse_base2` of the request are ignored: the order decides both. Returns
 * SF8_ATTEND_BAD_ORDER for
 *
 * - a cap or sinks, if the order has none, or scales of single rows;
 * - a choice that softfp8/attend/order.h does not list, or that cannot be combined with another;
 * - an unknown unit;
 * - codes other than e4m3 where the unit multiplies codes;
 * - a window where the kernel keeps whole rows in memory (SF8_VALUES_THREADS);
 * - a tile or a head that is no multiple of the unit's k;
 * - a tile that is no power of two where it is summed by halves;
 * - a `cut` out of range.
 *
 * sf8_attend_order_reason says which.
 *
 * @param o   the order
 * @param a   the request
 * @param cut with SF8_SPLIT_COUNT the number of parts, 1 to 65536; with SF8_SPLIT_PREFIX the number
 *     of keys of the first part, at most all; otherwise ignored */
SF8_API uint32_t sf8_attend_order_check(const sf8_attend_order *o, const sf8_attend *a, size_t cut);
/** Returns why sf8_attend_order_check refuses a request, in words: "operands=codes needs caches of
 * e4m3"; NULL if it does not. */
SF8_API const char *sf8_attend_order_reason(const sf8_attend_order *o, const sf8_attend *a,
                                            size_t cut);

/** Returns how many uint32_t of scratch memory sf8_attend_order_n needs. */
SF8_API size_t sf8_attend_order_room(const sf8_attend_order *o, const sf8_attend *a, size_t cut);
/** Computes a whole request in the given order. Scratch memory, results and status are as those of
 * sf8_attend_n; `cut` is as in sf8_attend_order_check. */
SF8_API sf8_status sf8_attend_order_n(const sf8_attend_order *o, const sf8_attend *a, size_t cut,
                                      uint32_t *room, size_t room_words);

/** The largest number of parts that SF8_JOIN_SEGMENTS can join. */
enum { SF8_JOIN_SEGMENTS_MOST = 64 };

/** Joins the parts of one row as an order does.
 *
 * @param join    one of SF8_JOIN_*
 * @param fuse    SF8_FUSE_SUM, as the orders have it, or SF8_FUSE_NONE (softfp8_f32.h)
 * @param out     receives `columns` channels
 * @param lse     receives the lse
 * @param parts   n parts of 2 + columns numbers, f32. The first is the part's lse; with
 *     SF8_JOIN_SEGMENTS and SF8_JOIN_PARTITIONS its largest score. The second is the sum of the
 *     exponentials, which only these two use. Then follow the channels, which are not yet divided
 *     by the sum with SF8_JOIN_SEGMENTS.
 * @param n       the number of parts
 * @param columns the number of channels
 * @return SF8_BAD_CALL for an unknown join or n = 0, and with SF8_JOIN_SEGMENTS for an n that is no
 *     power of two or exceeds SF8_JOIN_SEGMENTS_MOST */
SF8_API sf8_status sf8_attend_join_n(uint32_t join, int32_t fuse, uint32_t *out, uint32_t *lse,
                                     const uint32_t *parts, size_t n, size_t columns);

#ifdef __cplusplus
}
#endif

#endif
