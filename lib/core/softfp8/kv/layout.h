/* SPDX-License-Identifier: MIT */
/** @file
 * layout.h -- where elements and scales lie in the image of a KV cache
 *
 * A cache is an array of blocks. A block has `slots` slots, one for each token. A token has `heads`
 * rows of `dim` elements. An image is the memory of a cache; offsets are in bytes from its start.
 *
 *     rows      block * block_stride + slot * slot_stride + head * head_stride + d * bits / 8.
 *               Two elements of 4 bits share a byte, the even d in its low half. By its strides
 *               this is NHD, [blocks][slots][heads][dim], or HND, [blocks][heads][slots][dim];
 *               they also allow for the padding of a page or a row.
 *
 *     x-packed  [blocks][heads][dim / x][slots][x], where x elements are 16 bytes
 *
 *     columns   [blocks][heads][dim][slots], in which the V of an x-packed K is stored
 *
 * In the last two the elements of a head have no gaps, and slot_stride is not used.
 *
 * Scales are either given with the call and not stored; or there is one for each `group` elements
 * of a row; or one for all rows of a token. Stored scales lie in an array of their own, or in the
 * image: behind the rows of their block, or behind each row. Scale k of a row is at
 *
 *     scale_at + block * scale_block_stride + slot * scale_slot_stride + head * scale_head_stride
 *              + k * scale_bits / 8
 *
 * With the order 4-token (blocks/layout.h), slot and k are first mapped to their place there.
 *
 * A tail is what a token stores unquantized: `tail` elements of tail_bits, at tail_at of its slot.
 * A layout with a tail has one head. caches.h has the layouts of known caches.
 */
#ifndef SOFTFP8_KV_LAYOUT_H
#define SOFTFP8_KV_LAYOUT_H

#include "softfp8/blocks/layout.h"

/** The order of the elements. */
enum { SF8_KV_ROWS, SF8_KV_XPACKED, SF8_KV_COLUMNS, SF8_KV_ORDERS };

/** Where scales are: given with the call, in an array of their own, or inside the image. */
enum { SF8_KV_SCALES_GIVEN, SF8_KV_SCALES_APART, SF8_KV_SCALES_INSIDE };

/** The largest number of slots of a block. */
enum { SF8_KV_MOST_SLOTS = 128 };

/** A layout; the head of this file explains it. */
typedef struct sf8_kv_layout {
    uint32_t order;       /**< SF8_KV_ROWS ... */
    uint32_t bits;        /**< of an element: 8, 16, 32, or in the order of rows 4 */
    uint32_t scales;      /**< SF8_KV_SCALES_* */
    uint32_t scale_bits;  /**< 8, 16 or 32 */
    uint32_t scale_order; /**< SF8_LAYOUT_LINEAR or SF8_LAYOUT_4TOKEN */
    uint32_t tail_bits;   /**< 8, 16 or 32 */
    uint64_t blocks, slots, heads, dim;
    uint64_t block_stride, slot_stride, head_stride;
    uint64_t group; /**< elements with one scale, whole bytes: it divides dim, or is heads * dim */
    uint64_t scale_at, scale_block_stride, scale_slot_stride, scale_head_stride;
    uint64_t tail, tail_at;
} sf8_kv_layout;

/** Why a layout is invalid, or a call is refused: X(name, text). */
#define SF8_KV_REASONS(X)                                                                          \
    X(GOOD, "nothing is wrong")                                                                    \
    X(BAD_ORDER, "no such order of elements or scales")                                            \
    X(BAD_SHAPE, "no heads, no elements, or a block that does not have 1 to 128 slots")            \
    X(BAD_BITS, "unsupported element width for this order")                                        \
    X(BAD_X, "a head that is not a multiple of 16 bytes")                                          \
    X(BAD_GROUP, "unsupported scale width or number of elements per scale")                        \
    X(BAD_4TOKEN, "4-token scales need multiples of 4 slots and of 4 scales per row")              \
    X(BAD_TAIL, "a tail needs one head, and must lie after the row")                               \
    X(OVERLAP, "the strides overlap")                                                              \
    X(TOO_LARGE, "the image is too large for the address space")                                   \
    X(SHORT_IMAGE, "the image is shorter than its layout")                                         \
    X(SHORT_SCALES, "the array of scales is shorter than its layout")                              \
    X(BAD_FORMAT, "unsupported format of the values")                                              \
    X(BAD_WORDS, "values of other sizes than the layout, or too large for the address space")      \
    X(FEW_TOKENS, "more slots than tokens")                                                        \
    X(BAD_RECIPE, "the layout has no place for the elements, scales or offsets of this recipe")    \
    X(BAD_G, "expected one g, or one for each head")                                               \
    X(UNLIKE, "images of different blocks or slots")                                               \
    X(NO_SEEN, "no memory to check whether a slot comes twice")                                    \
    X(OUTSIDE, "a slot after the last one")                                                        \
    X(TWICE, "a slot that comes twice")

/** Why a layout is invalid, or a call is refused. */
enum {
#define SF8_KV_REASON(id, text) SF8_KV_##id,
    SF8_KV_REASONS(SF8_KV_REASON)
#undef SF8_KV_REASON
        SF8_KV_REASON_COUNT
};

/* ---- sizes -----------------------------------------------------------------------------------
 *
 * What takes a layout here is only defined if sf8_kv_check returns SF8_KV_GOOD for it. With a group
 * of 0, or with 0 bits, some of it divides by 0; sf8_kv_size and sf8_kv_scales_size do not. */

/** @{ a * b and a + b, or UINT64_MAX if the result is larger. Since UINT64_MAX times or plus
 * anything but a factor of 0 stays UINT64_MAX, an overflow is still visible at the end of a
 * computation. */
SF8_FN uint64_t sf8_kv_times(uint64_t a, uint64_t b)
{
    return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

SF8_FN uint64_t sf8_kv_plus(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/** @} */

/** Returns the bytes of n elements of `bits` bits. */
SF8_FN uint64_t sf8_kv_bytes(uint64_t n, uint32_t bits)
{
    return bits < 8 ? n / 2 : sf8_kv_times(n, bits / 8);
}

/** Returns x, the number of elements of a chunk of 16 bytes. */
SF8_FN uint64_t sf8_kv_x(const sf8_kv_layout *l)
{
    return 128 / l->bits;
}

/** @{ The scales of a token are a matrix of sf8_kv_scale_heads rows and sf8_kv_scale_columns
 * columns. The layout must have scales. */
SF8_FN uint64_t sf8_kv_scale_heads(const sf8_kv_layout *l)
{
    return l->group <= l->dim ? l->heads : 1;
}

SF8_FN uint64_t sf8_kv_scale_columns(const sf8_kv_layout *l)
{
    return l->group <= l->dim ? l->dim / l->group : 1;
}

/** @} */

/** Returns the bytes from the first record of a block to the end of its last, where each slot and
 * head has a record of this size. */
SF8_FN uint64_t sf8_kv_span(uint64_t slots, uint64_t slot_stride, uint64_t heads,
                            uint64_t head_stride, uint64_t record)
{
    return sf8_kv_plus(sf8_kv_times(slots - 1, slot_stride),
                       sf8_kv_plus(sf8_kv_times(heads - 1, head_stride), record));
}

/** Returns 1 if no two of these records overlap: either the strides of slots enclose all heads, or
 * those of heads enclose all slots. */
SF8_FN uint32_t sf8_kv_nested(uint64_t slots, uint64_t slot_stride, uint64_t heads,
                              uint64_t head_stride, uint64_t record)
{
    uint64_t of_slot = sf8_kv_span(1, 0, heads, head_stride, record);
    uint64_t of_head = sf8_kv_span(slots, slot_stride, 1, 0, record);
    return ((heads == 1 || head_stride >= record) && (slots == 1 || slot_stride >= of_slot)) ||
           ((slots == 1 || slot_stride >= record) && (heads == 1 || head_stride >= of_head));
}

/** Returns 1 if the scales lie behind each row, as records with the same strides as the rows. */
SF8_FN uint32_t sf8_kv_scales_in_row(const sf8_kv_layout *l)
{
    return l->scales == SF8_KV_SCALES_INSIDE && l->order == SF8_KV_ROWS &&
           l->scale_slot_stride == l->slot_stride && l->scale_head_stride == l->head_stride &&
           l->scale_order == SF8_LAYOUT_LINEAR;
}

/** Returns the bytes of the scales of one row. */
SF8_FN uint64_t sf8_kv_scale_row(const sf8_kv_layout *l)
{
    return sf8_kv_bytes(sf8_kv_scale_columns(l), l->scale_bits);
}

/** Returns the bytes of the record of a row: its elements, its tail, and the scales behind it. */
SF8_FN uint64_t sf8_kv_record(const sf8_kv_layout *l)
{
    uint64_t end = sf8_kv_bytes(l->dim, l->bits), more;
    if (l->tail != 0) {
        more = sf8_kv_plus(l->tail_at, sf8_kv_bytes(l->tail, l->tail_bits));
        end = more > end ? more : end;
    }
    if (sf8_kv_scales_in_row(l)) {
        more = sf8_kv_plus(l->scale_at, sf8_kv_scale_row(l));
        end = more > end ? more : end;
    }
    return end;
}

/** Returns the bytes from the start of a block to the end of its last row. */
SF8_FN uint64_t sf8_kv_rows_span(const sf8_kv_layout *l)
{
    if (l->order != SF8_KV_ROWS)
        return sf8_kv_span(1, 0, l->heads, l->head_stride,
                           sf8_kv_times(sf8_kv_bytes(l->dim, l->bits), l->slots));
    return sf8_kv_span(l->slots, l->slot_stride, l->heads, l->head_stride, sf8_kv_record(l));
}

/** Returns the bytes from the first scale of a block to the end of its last. */
SF8_FN uint64_t sf8_kv_scales_span(const sf8_kv_layout *l)
{
    return sf8_kv_span(l->slots, l->scale_slot_stride, sf8_kv_scale_heads(l), l->scale_head_stride,
                       sf8_kv_scale_row(l));
}

/** Returns the bytes from the start of a block to the end of everything the image has of it. */
SF8_FN uint64_t sf8_kv_block_span(const sf8_kv_layout *l)
{
    uint64_t rows = sf8_kv_rows_span(l), end;
    if (l->scales != SF8_KV_SCALES_INSIDE || sf8_kv_scales_in_row(l))
        return rows;
    end = sf8_kv_plus(l->scale_at, sf8_kv_scales_span(l));
    return end > rows ? end : rows;
}

/** @{ The same of all blocks, and of the array of scales. The layout must have a group if it has
 * scales. */
SF8_FN uint64_t sf8_kv_image_span(const sf8_kv_layout *l)
{
    if (l->blocks == 0)
        return 0;
    return sf8_kv_plus(sf8_kv_times(l->blocks - 1, l->block_stride), sf8_kv_block_span(l));
}

SF8_FN uint64_t sf8_kv_array_span(const sf8_kv_layout *l)
{
    if (l->blocks == 0 || l->scales != SF8_KV_SCALES_APART)
        return 0;
    return sf8_kv_plus(sf8_kv_times(l->blocks - 1, l->scale_block_stride),
                       sf8_kv_plus(l->scale_at, sf8_kv_scales_span(l)));
}

/** @} */

/** Returns the bytes of an image. Padding behind the last block does not count. UINT64_MAX stands
 * for too many for a uint64_t, and for a layout that has scales and groups of no elements. */
SF8_FN uint64_t sf8_kv_size(const sf8_kv_layout *l)
{
    return l->scales != SF8_KV_SCALES_GIVEN && l->group == 0 ? UINT64_MAX : sf8_kv_image_span(l);
}

/** Returns the bytes of the array of scales, or 0 if the layout has none; UINT64_MAX likewise. */
SF8_FN uint64_t sf8_kv_scales_size(const sf8_kv_layout *l)
{
    return l->scales == SF8_KV_SCALES_APART && l->group == 0 ? UINT64_MAX : sf8_kv_array_span(l);
}

/* ---- validity -------------------------------------------------------------------------------- */

/** Checks the fields that describe elements and tail. Returns SF8_KV_GOOD or a reason. */
SF8_FN uint32_t sf8_kv_check_elements(const sf8_kv_layout *l)
{
    uint32_t whole = l->bits == 8 || l->bits == 16 || l->bits == 32;
    if (l->order >= SF8_KV_ORDERS)
        return SF8_KV_BAD_ORDER;
    if (l->slots < 1 || l->slots > SF8_KV_MOST_SLOTS || l->heads == 0 || l->dim == 0)
        return SF8_KV_BAD_SHAPE;
    if (!whole && (l->bits != 4 || l->order != SF8_KV_ROWS || l->dim % 2 != 0))
        return SF8_KV_BAD_BITS;
    if (l->order == SF8_KV_XPACKED && l->dim % sf8_kv_x(l) != 0)
        return SF8_KV_BAD_X;
    if (l->tail != 0 &&
        (l->heads != 1 || l->order != SF8_KV_ROWS || l->tail_at < sf8_kv_bytes(l->dim, l->bits) ||
         (l->tail_bits != 8 && l->tail_bits != 16 && l->tail_bits != 32)))
        return SF8_KV_BAD_TAIL;
    return SF8_KV_GOOD;
}

/** Checks the fields that describe scales. Returns SF8_KV_GOOD or a reason. */
SF8_FN uint32_t sf8_kv_check_scales(const sf8_kv_layout *l)
{
    if (l->scales == SF8_KV_SCALES_GIVEN)
        return SF8_KV_GOOD;
    if (l->scales > SF8_KV_SCALES_INSIDE ||
        (l->scale_order != SF8_LAYOUT_LINEAR && l->scale_order != SF8_LAYOUT_4TOKEN))
        return SF8_KV_BAD_ORDER;
    if ((l->scale_bits != 8 && l->scale_bits != 16 && l->scale_bits != 32) || l->group == 0 ||
        (l->bits == 4 && l->group % 2 != 0) ||
        (l->dim % l->group != 0 && l->group != sf8_kv_times(l->heads, l->dim)))
        return SF8_KV_BAD_GROUP;
    if (l->scale_order == SF8_LAYOUT_4TOKEN &&
        (l->scale_bits != 8 ||
         !sf8_layout_fits(SF8_LAYOUT_4TOKEN, l->slots, sf8_kv_scale_columns(l))))
        return SF8_KV_BAD_4TOKEN;
    return SF8_KV_GOOD;
}

/** Returns 1 if no rows or tails overlap. */
SF8_FN uint32_t sf8_kv_rows_nested(const sf8_kv_layout *l)
{
    if (l->order != SF8_KV_ROWS)
        return sf8_kv_nested(1, 0, l->heads, l->head_stride,
                             sf8_kv_times(sf8_kv_bytes(l->dim, l->bits), l->slots));
    return sf8_kv_nested(l->slots, l->slot_stride, l->heads, l->head_stride, sf8_kv_record(l));
}

/** Returns 1 if no scales overlap. */
SF8_FN uint32_t sf8_kv_scales_nested(const sf8_kv_layout *l)
{
    return sf8_kv_nested(l->slots, l->scale_slot_stride, sf8_kv_scale_heads(l),
                         l->scale_head_stride, sf8_kv_scale_row(l));
}

/** Returns 1 if scales inside the image overlap no row and no tail. */
SF8_FN uint32_t sf8_kv_scales_clear(const sf8_kv_layout *l)
{
    uint64_t end = sf8_kv_plus(l->scale_at, sf8_kv_scale_row(l));
    uint64_t tail_end = sf8_kv_plus(l->tail_at, sf8_kv_bytes(l->tail, l->tail_bits));
    if (l->scale_block_stride != l->block_stride)
        return 0;
    if (!sf8_kv_scales_in_row(l))
        return l->scale_at >= sf8_kv_rows_span(l);
    return sf8_kv_scale_heads(l) == l->heads && l->scale_at >= sf8_kv_bytes(l->dim, l->bits) &&
           (l->tail == 0 || end <= l->tail_at || l->scale_at >= tail_end);
}

/** Checks a layout. Returns SF8_KV_GOOD, or the reason why it is invalid.
 *
 * In a valid layout no two elements, scales or tails share a byte, except pairs of elements of 4
 * bits. All lie below sf8_kv_size or sf8_kv_scales_size, which are below 2^63. */
SF8_LONG uint32_t sf8_kv_check(const sf8_kv_layout *l)
{
    const uint64_t most = UINT64_MAX / 2;
    uint32_t reason = sf8_kv_check_elements(l), apart;
    if (reason == SF8_KV_GOOD)
        reason = sf8_kv_check_scales(l);
    if (reason != SF8_KV_GOOD)
        return reason;
    if (sf8_kv_times(l->blocks, l->slots) > most || sf8_kv_block_span(l) > most ||
        sf8_kv_image_span(l) > most || sf8_kv_array_span(l) > most)
        return SF8_KV_TOO_LARGE;
    apart = l->scales == SF8_KV_SCALES_APART;
    if (!sf8_kv_rows_nested(l) || (l->blocks > 1 && l->block_stride < sf8_kv_block_span(l)) ||
        (l->scales != SF8_KV_SCALES_GIVEN && !sf8_kv_scales_nested(l)) ||
        (l->scales == SF8_KV_SCALES_INSIDE && !sf8_kv_scales_clear(l)) ||
        (apart && l->blocks > 1 && l->scale_block_stride < sf8_kv_scales_span(l)))
        return SF8_KV_OVERLAP;
    return SF8_KV_GOOD;
}

/* ---- offsets --------------------------------------------------------------------------------- */

/** Returns the offset of an element. With elements of 4 bits it is that of their byte, whose low
 * half has the even d. */
SF8_FN uint64_t sf8_kv_element_at(const sf8_kv_layout *l, uint64_t block, uint64_t slot,
                                  uint64_t head, uint64_t d)
{
    uint64_t bytes = l->bits / 8, at = block * l->block_stride + head * l->head_stride, x;
    if (l->order == SF8_KV_ROWS)
        return at + slot * l->slot_stride + d * l->bits / 8;
    if (l->order == SF8_KV_COLUMNS)
        return at + (d * l->slots + slot) * bytes;
    x = sf8_kv_x(l);
    return at + ((d / x * l->slots + slot) * x + d % x) * bytes;
}

/** Returns the offset of scale k of a row, in the image or in the array of scales. Where all heads
 * of a token share one scale, it is scale 0 of head 0. */
SF8_FN uint64_t sf8_kv_scale_at(const sf8_kv_layout *l, uint64_t block, uint64_t slot,
                                uint64_t head, uint64_t k)
{
    if (l->scale_order == SF8_LAYOUT_4TOKEN) {
        uint64_t columns = sf8_kv_scale_columns(l);
        uint64_t place = sf8_layout_offset(SF8_LAYOUT_4TOKEN, columns, slot, k);
        slot = place / columns;
        k = place % columns;
    }
    return l->scale_at + block * l->scale_block_stride + slot * l->scale_slot_stride +
           head * l->scale_head_stride + k * (l->scale_bits / 8);
}

/** Returns the offset of element i of a tail. */
SF8_FN uint64_t sf8_kv_tail_offset(const sf8_kv_layout *l, uint64_t block, uint64_t slot,
                                   uint64_t i)
{
    return block * l->block_stride + slot * l->slot_stride + l->tail_at + i * (l->tail_bits / 8);
}

#endif
