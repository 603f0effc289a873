/* SPDX-License-Identifier: MIT */
/** @file
 * caches.h -- the layouts of known caches
 *
 * All are without padding. A caller may change the strides afterwards; sf8_kv_check says whether
 * the result is valid. It also refuses a layout whose sizes were too large.
 */
#ifndef SOFTFP8_KV_CACHES_H
#define SOFTFP8_KV_CACHES_H

#include "softfp8/kv/layout.h"

/** Returns a layout without scales, tail and padding: [heads][slots] in a block if `by_head` is 1,
 * else [slots][heads]. */
SF8_FN sf8_kv_layout sf8_kv_dense(uint32_t order, uint32_t by_head, uint64_t blocks, uint64_t slots,
                                  uint64_t heads, uint64_t dim, uint32_t bits)
{
    uint64_t row_bytes = sf8_kv_bytes(dim, bits);
    sf8_kv_layout l;
    l.order = order;
    l.bits = bits;
    l.scales = SF8_KV_SCALES_GIVEN;
    l.scale_bits = l.tail_bits = 0;
    l.scale_order = SF8_LAYOUT_LINEAR;
    l.blocks = blocks;
    l.slots = slots;
    l.heads = heads;
    l.dim = dim;
    l.slot_stride = by_head ? row_bytes : sf8_kv_times(heads, row_bytes);
    l.head_stride = by_head ? sf8_kv_times(slots, row_bytes) : row_bytes;
    l.block_stride = sf8_kv_times(slots, sf8_kv_times(heads, row_bytes));
    l.group = l.scale_at = l.tail = l.tail_at = 0;
    l.scale_block_stride = l.scale_slot_stride = l.scale_head_stride = 0;
    return l;
}

/** Returns NHD: [blocks][slots][heads][dim]. */
SF8_FN sf8_kv_layout sf8_kv_nhd(uint64_t blocks, uint64_t slots, uint64_t heads, uint64_t dim,
                                uint32_t bits)
{
    return sf8_kv_dense(SF8_KV_ROWS, 0, blocks, slots, heads, dim, bits);
}

/** Returns HND: [blocks][heads][slots][dim]. */
SF8_FN sf8_kv_layout sf8_kv_hnd(uint64_t blocks, uint64_t slots, uint64_t heads, uint64_t dim,
                                uint32_t bits)
{
    return sf8_kv_dense(SF8_KV_ROWS, 1, blocks, slots, heads, dim, bits);
}

/** @{ The layouts of K (x-packed) and of V (columns) in vLLM's reshape_and_cache. */
SF8_FN sf8_kv_layout sf8_kv_xpacked(uint64_t blocks, uint64_t slots, uint64_t heads, uint64_t dim,
                                    uint32_t bits)
{
    return sf8_kv_dense(SF8_KV_XPACKED, 1, blocks, slots, heads, dim, bits);
}

SF8_FN sf8_kv_layout sf8_kv_columns(uint64_t blocks, uint64_t slots, uint64_t heads, uint64_t dim,
                                    uint32_t bits)
{
    return sf8_kv_dense(SF8_KV_COLUMNS, 1, blocks, slots, heads, dim, bits);
}

/** @} */

/** Adds scales in an array of their own: [blocks][slots][heads][scales of a row], or if `by_head`
 * is 1 [blocks][heads][slots][scales of a row]. With a group of heads * dim a token has one scale.
 */
SF8_FN sf8_kv_layout sf8_kv_with_scales(sf8_kv_layout l, uint64_t group, uint32_t scale_bits,
                                        uint32_t by_head)
{
    uint64_t row_bytes, heads;
    l.scales = SF8_KV_SCALES_APART;
    l.group = group;
    l.scale_bits = scale_bits;
    row_bytes = group == 0 ? 0 : sf8_kv_scale_row(&l);
    heads = sf8_kv_scale_heads(&l);
    l.scale_slot_stride = by_head ? row_bytes : sf8_kv_times(heads, row_bytes);
    l.scale_head_stride = by_head ? sf8_kv_times(l.slots, row_bytes) : row_bytes;
    l.scale_block_stride = sf8_kv_times(l.slots, sf8_kv_times(heads, row_bytes));
    return l;
}

/** Moves these scales into the image, behind the rows of each block. */
SF8_FN sf8_kv_layout sf8_kv_behind(sf8_kv_layout l)
{
    l.scales = SF8_KV_SCALES_INSIDE;
    l.scale_at = l.block_stride;
    l.block_stride = l.scale_block_stride = sf8_kv_plus(l.block_stride, l.scale_block_stride);
    return l;
}

/** Makes a layout part of pages of `bytes` bytes, for example K and V alternating: only the start
 * of each block changes. */
SF8_FN sf8_kv_layout sf8_kv_in_pages(sf8_kv_layout l, uint64_t bytes)
{
    l.block_stride = bytes;
    if (l.scales == SF8_KV_SCALES_INSIDE)
        l.scale_block_stride = bytes;
    return l;
}

/** Returns vLLM's fp8_ds_mla: a token is 512 elements of e4m3, 4 scales in f32, and 64 elements of
 * bf16. */
SF8_FN sf8_kv_layout sf8_kv_ds_mla(uint64_t blocks, uint64_t slots)
{
    sf8_kv_layout l = sf8_kv_nhd(blocks, slots, 1, 512, 8);
    l.scales = SF8_KV_SCALES_INSIDE;
    l.group = 128;
    l.scale_bits = 32;
    l.scale_at = 512;
    l.tail = 64;
    l.tail_bits = 16;
    l.tail_at = 528;
    l.slot_stride = l.head_stride = 656;
    l.block_stride = sf8_kv_times(slots, 656);
    l.scale_slot_stride = l.scale_head_stride = 656;
    l.scale_block_stride = l.block_stride;
    return l;
}

/** Returns the layout of vLLM's indexer_k_quant_and_cache: a block is all elements, then all scales
 * in f32. */
SF8_FN sf8_kv_layout sf8_kv_indexer(uint64_t blocks, uint64_t slots, uint64_t dim, uint64_t group)
{
    return sf8_kv_behind(sf8_kv_with_scales(sf8_kv_nhd(blocks, slots, 1, dim, 8), group, 32, 0));
}

#endif
