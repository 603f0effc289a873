/* SPDX-License-Identifier: MIT */
/* blocks.c -- matrices quantized in blocks and read back, packed, as rows of the benchmark
 *
 * A matrix is one row. What is right comes from the core, block by block; results are asked for in
 * order, so that the block of the last one is kept.
 */
#include "bench.h"

#include <string.h>

enum { G = 448 }; /* the global scale; without one it is not looked at */

static size_t blocks_of(const bench_work *w)
{
    return sf8_recipe_blocks(w->recipe, w->n);
}

static size_t packed_of(const bench_work *w)
{
    return sf8_packed_size((int32_t)sf8_recipe_bits(w->recipe), w->n);
}

/* ---- quantizing: packed codes, and behind them the scales ------------------------------------ */

static void quantize(const bench_work *w)
{
    sf8_quantize_packed_n_at(w->level, w->recipe, w->dst, w->dst + packed_of(w), SF8_F32, w->src[0],
                             1, w->n, G);
}

static size_t quantized(const bench_work *w)
{
    return packed_of(w) + blocks_of(w);
}

/* The block that begins after that many elements, and the codes of it at `codes`. */
static uint32_t quantized_block(const bench_work *w, size_t first, uint8_t *codes)
{
    size_t block = (size_t)w->recipe->block, count = w->n - first;
    const uint8_t *at = w->src[0] + 4 * first;
    uint32_t x[256];
    sf8_block b;
    count = count < block ? count : block;
    memcpy(x, at, 4 * count);
    sf8_block_begin(&b, sf8_f32_bits(G));
    for (size_t i = 0; i < count; i++)
        sf8_block_take(w->recipe, &b, x[i], i == 0);
    sf8_block_scale(w->recipe, &b);
    for (size_t i = 0; i < block; i++)
        codes[i] = i < count ? (uint8_t)sf8_block_code(w->recipe, &b, x[i]) : 0;
    return b.scale;
}

static uint64_t quantize_right(const bench_work *w, size_t i)
{
    static uint8_t codes[256];
    static const uint8_t *of;
    static size_t kept;
    size_t packed = packed_of(w), block = (size_t)w->recipe->block;
    size_t bits = sf8_recipe_bits(w->recipe), first = i * 8 / bits / block * block;
    if (i >= packed) {
        of = NULL;
        return quantized_block(w, (i - packed) * block, codes);
    }
    if (i == 0 || of != w->src[0] || kept != first)
        (void)quantized_block(w, first, codes);
    of = w->src[0];
    kept = first;
    return bits == 4 ? (uint64_t)(codes[2 * i - first] | codes[2 * i - first + 1] << 4)
                     : codes[i - first];
}

const bench_operation bench_quantize = {1, quantize, quantize_right, quantized, 0, NULL};

/* ---- reading back: packed codes, and scales -------------------------------------------------- */

size_t bench_blocks_bytes(const bench_work *w, int operand)
{
    return operand == 0 ? packed_of(w) : blocks_of(w);
}

static void dequantize(const bench_work *w)
{
    sf8_dequantize_packed_n_at(w->level, w->recipe, SF8_F32, w->dst, w->src[0], w->src[1], 1, w->n,
                               G);
}

static uint64_t dequantize_right(const bench_work *w, size_t i)
{
    sf8_block b;
    uint32_t byte = w->src[0][sf8_recipe_bits(w->recipe) == 4 ? i / 2 : i];
    uint32_t code = sf8_recipe_bits(w->recipe) == 4 ? byte >> i % 2 * 4 & 15 : byte;
    sf8_block_read(w->recipe, &b, w->src[1][i / (size_t)w->recipe->block], 0, sf8_f32_bits(G));
    return sf8_block_value(w->recipe, &b, code);
}

const bench_operation bench_dequantize = {2, dequantize, dequantize_right, NULL, 0, NULL};
