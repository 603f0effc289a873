/* SPDX-License-Identifier: MIT */
/* image.h -- what storing into the images of caches and gathering from them share
 *
 * Rows are processed in pieces. A piece is a sequence of runs of elements in a buffer, which one
 * call of sf8_quantize_n or sf8_dequantize_n processes as a row of blocks. The place of a run's
 * elements is computed once.
 */
#ifndef SF8_KV_IMAGE_H
#define SF8_KV_IMAGE_H

#include "scalar/private.h"
#include "softfp8_blocks.h"
#include "softfp8_kv_store.h"

/* The limits of a piece: elements, runs, scales, and bytes of collected elements. */
enum { SF8_KV_PIECE = 16384, SF8_KV_RUNS = 256, SF8_KV_SCALES = 512, SF8_KV_WORDS = 16384 };

/* What a store and a gather have in common. Only a gather writes to the elements. */
typedef struct sf8_kv_call {
    sf8_kv_layout l;
    uint8_t *data, *scales;
    size_t size, scales_size;
    const sf8_recipe *recipe;
    sf8_format format;
    size_t width; /* bytes of an element */
    sf8_kv_words first, second;
    const float *g;
    size_t g_count;
    int32_t gathers;
} sf8_kv_call;

SF8_PRIVATE sf8_kv_call sf8_kv_call_of(const sf8_kv_image *image, const sf8_recipe *recipe,
                                       sf8_format format, const float *g, size_t g_count);

/* Returns SF8_KV_GOOD, or what is wrong with a call for `slots` slots. */
SF8_PRIVATE uint32_t sf8_kv_check_call(const sf8_kv_call *c, size_t count);
/* The same for the slots themselves, of which there are `total`; *token receives the token. Scratch
 * memory is needed to find repetitions. */
SF8_PRIVATE uint32_t sf8_kv_check_slots(const sf8_kv_slots *slots, uint64_t total, int32_t gathers,
                                        size_t *token);
/* Returns the status of a reason, and stores the reason in *error. */
SF8_PRIVATE sf8_status sf8_kv_told(sf8_kv_error *error, uint32_t reason, size_t item, size_t token);

/* Finds the place of token i; returns 0 if it is skipped. The slots were checked before. */
SF8_FN int32_t sf8_kv_find(const sf8_kv_layout *l, const sf8_kv_slots *slots, size_t i,
                           uint64_t *block, uint64_t *slot)
{
    uint64_t place = (uint64_t)slots->slot[i];
    if (slots->slot[i] < 0 || place >= l->blocks * l->slots)
        return 0;
    *block = place / l->slots;
    *slot = place % l->slots;
    return 1;
}

/* Moves n elements of a row to the image, or from it. Elements have the bytes that they have there.
 * An element of 4 bits is a code in a byte; then the first index and n are even. */
SF8_PRIVATE void sf8_kv_put(const sf8_kv_layout *l, uint8_t *data, uint64_t block, uint64_t slot,
                            uint64_t head, uint64_t d, const unsigned char *from, size_t n);
SF8_PRIVATE void sf8_kv_get(const sf8_kv_layout *l, const uint8_t *data, uint64_t block,
                            uint64_t slot, uint64_t head, uint64_t d, unsigned char *to, size_t n);

/* Returns the place of element d of a row outside the image, and how many are contiguous from there
 * on, at most n. */
SF8_PRIVATE size_t sf8_kv_word(const sf8_kv_call *c, size_t token, size_t head, size_t d,
                               const unsigned char **at, size_t n);

/* The same for a gather, which writes there. */
SF8_PRIVATE size_t sf8_kv_room_at(const sf8_kv_call *c, size_t token, size_t head, size_t d,
                                  unsigned char **at, size_t n);

/* Moves what is not quantized, elements of all rows and tails: into the image, or out of it for a
 * gather. */
SF8_PRIVATE void sf8_kv_copy(const sf8_kv_call *c, const sf8_kv_slots *slots);
SF8_PRIVATE void sf8_kv_copy_tails(const sf8_kv_call *c, const sf8_kv_slots *slots);

/* If a token's rows are contiguous in the image, elements and scales alike, they count as one
 * row. */
SF8_PRIVATE void sf8_kv_merge(sf8_kv_call *c);

/* A part of the rows: tokens `first` to last - 1, and likewise heads, which share one g. */
typedef struct sf8_kv_part {
    size_t first, last, from, to;
    float g;
} sf8_kv_part;

/* Splits all rows of a call into parts. Where each head has a g, heads are processed one by one,
 * with as many tokens at a time as fill a piece of `most` elements. Part 0 is {0}. */
SF8_PRIVATE int32_t sf8_kv_next_part(const sf8_kv_call *c, size_t most, size_t count,
                                     sf8_kv_part *part);

/* Returns 1 if the elements are a dense tensor with one g: then a piece of them is processed in
 * place. */
SF8_FN int32_t sf8_kv_in_place(const sf8_kv_call *c)
{
    size_t heads = (size_t)c->l.heads;
    return c->first.dim == c->l.dim && (heads == 1 || c->first.head_stride == c->first.dim) &&
           c->first.token_stride == heads * c->first.dim && c->g_count <= 1;
}

/* The block size for which n elements of one scale are a matrix of few blocks: a power of two, or
 * n. */
SF8_FN size_t sf8_kv_block_of(size_t n)
{
    size_t power = n & (~n + 1);
    return power < 64 ? n : power > 4096 ? 4096 : power;
}

#endif
