/* SPDX-License-Identifier: MIT */
/* image.h -- what storing into the images of caches and gathering from them share
 *
 * Rows are worked on in pieces: runs of elements, one behind the other in a buffer, which one call
 * of sf8_quantize_n or sf8_dequantize_n takes as a row of blocks. Where the elements of a run lie
 * is looked up once.
 */
#ifndef SF8_KV_IMAGE_H
#define SF8_KV_IMAGE_H

#include "arrays/inline.h"
#include "softfp8_blocks.h"
#include "softfp8_kv_store.h"

/* A piece has at most so many elements, runs and scales, and bytes of words that were put together.
 */
enum { SF8_KV_PIECE = 16384, SF8_KV_RUNS = 256, SF8_KV_SCALES = 512, SF8_KV_WORDS = 16384 };

/* What a store and a gather have in common; words are written to by a gather alone. */
typedef struct sf8_kv_call {
    sf8_kv_layout l;
    uint8_t *data, *scales;
    size_t size, scales_size;
    const sf8_recipe *recipe;
    sf8_format format;
    size_t width; /* bytes of a word */
    sf8_kv_words first, second;
    const float *g;
    size_t g_count;
    int32_t gathers;
} sf8_kv_call;

SF8_PRIVATE sf8_kv_call sf8_kv_call_of(const sf8_kv_image *image, const sf8_recipe *recipe,
                                       sf8_format format, const float *g, size_t g_count);

/* SF8_KV_GOOD, or what is wrong with a call for so many slots. */
SF8_PRIVATE uint32_t sf8_kv_check_call(const sf8_kv_call *c, size_t count);
/* The same for slots of `total` places; *token is which. Room is needed to see repetitions. */
SF8_PRIVATE uint32_t sf8_kv_check_slots(const sf8_kv_slots *slots, uint64_t total, int32_t gathers,
                                        size_t *token);
/* The status of a reason, which goes to *error. */
SF8_PRIVATE sf8_status sf8_kv_told(sf8_kv_error *error, uint32_t reason, size_t item, size_t token);

/* Where token i is: 0 if it is passed over. The slots were looked at. */
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

/* So many elements of a row to their places in the image, or from them. An element has the bytes
 * that it has there; one of 4 bits is a code in a byte, and their number and the first are even. */
SF8_PRIVATE void sf8_kv_put(const sf8_kv_layout *l, uint8_t *data, uint64_t block, uint64_t slot,
                            uint64_t head, uint64_t d, const unsigned char *from, size_t n);
SF8_PRIVATE void sf8_kv_get(const sf8_kv_layout *l, const uint8_t *data, uint64_t block,
                            uint64_t slot, uint64_t head, uint64_t d, unsigned char *to, size_t n);

/* The word of element d of a row, and how many are side by side from there on, at most n. */
SF8_PRIVATE size_t sf8_kv_word(const sf8_kv_call *c, size_t token, size_t head, size_t d,
                               const unsigned char **at, size_t n);

/* The same of a gather, whose words are the caller's room. */
SF8_PRIVATE size_t sf8_kv_room_at(const sf8_kv_call *c, size_t token, size_t head, size_t d,
                                  unsigned char **at, size_t n);

/* Moves what is not quantized: elements of all rows, and tails; in, or out for a gather. */
SF8_PRIVATE void sf8_kv_copy(const sf8_kv_call *c, const sf8_kv_slots *slots);
SF8_PRIVATE void sf8_kv_copy_tails(const sf8_kv_call *c, const sf8_kv_slots *slots);

/* If a token's rows are one behind the other in the image, as words and scales: as one row. */
SF8_PRIVATE void sf8_kv_merge(sf8_kv_call *c);

/* Some rows: of tokens from `first` to before `last`, and of heads likewise, which have one g. */
typedef struct sf8_kv_part {
    size_t first, last, from, to;
    float g;
} sf8_kv_part;

/* All rows of a call in parts. Where each head has a g heads are worked on one by one, for so many
 * tokens at a time that a head fills a piece of `most` elements. Part 0 is {0}. */
SF8_PRIVATE int32_t sf8_kv_next_part(const sf8_kv_call *c, size_t most, size_t count,
                                     sf8_kv_part *part);

/* Whether words lie as a dense tensor of one g: then a piece of them is worked on in place. */
SF8_FN int32_t sf8_kv_in_place(const sf8_kv_call *c)
{
    size_t heads = (size_t)c->l.heads;
    return c->first.dim == c->l.dim && (heads == 1 || c->first.head_stride == c->first.dim) &&
           c->first.token_stride == heads * c->first.dim && c->g_count <= 1;
}

/* The block with which n elements of one scale are a matrix of few blocks: a power of two, or n. */
SF8_FN size_t sf8_kv_block_of(size_t n)
{
    size_t power = n & (~n + 1);
    return power < 64 ? n : power > 4096 ? 4096 : power;
}

#endif
