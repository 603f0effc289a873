/* SPDX-License-Identifier: MIT */
/* gguf_blocks.h -- what is in the blocks of .gguf files: scales, offsets and values
 *
 * A block has one scale d, and for some types a second number: dmin, or an offset. Types for which
 * there is a recipe are read by it; their values are not here.
 */
#ifndef SOFTFP8_CLI_CHECKPOINT_GGUF_BLOCKS_H
#define SOFTFP8_CLI_CHECKPOINT_GGUF_BLOCKS_H

#include "files/gguf.h"

enum { GGUF_BLOCK_MOST = 256 };

typedef struct gguf_block {
    const char *type;
    int recipe;    /* read by one */
    int is_signed; /* d may be negative */
    int d, second; /* where these f16 are; NONE, or another place: see gguf_blocks.c */
    /* Values, and how far apart two of them are at most. NULL: the codes are not looked at. */
    void (*values)(const uint8_t *block, float d, float second, float *x, float *gaps);
} gguf_block;

/* The blocks of a tensor; NULL if its type has none, or if it is not as long as they say. */
const gguf_block *gguf_block_of(const safetensor *t);
/* d and the second number, which is 0 if there is none, as words of f32. */
void gguf_block_scales(const gguf_block *b, const uint8_t *block, uint32_t *d, uint32_t *second);

#endif
