/* SPDX-License-Identifier: MIT */
/** @file
 * image.h -- the image of a KV cache, and the tokens outside of it, as functions take them
 */
#ifndef SOFTFP8_KV_IMAGE_H
#define SOFTFP8_KV_IMAGE_H

#include "softfp8/kv/caches.h"

/** An image of a cache: its layout, its bytes, and the array of scales where the layout keeps them
 * apart. Numbers are in the byte order of this machine. */
typedef struct sf8_kv_image {
    sf8_kv_layout layout;
    uint8_t *data;
    size_t size;
    uint8_t *scales;
    size_t scales_size;
} sf8_kv_image;

/** The elements of tokens outside a cache, to be read. Element d of a head is at words[token *
 * token_stride + head * head_stride + d]. Strides are in elements and may be 0. No alignment is
 * needed. */
typedef struct sf8_kv_words {
    const void *words;
    size_t tokens, dim, token_stride, head_stride;
} sf8_kv_words;

/** The same, to be written. */
typedef struct sf8_kv_room {
    void *words;
    size_t tokens, dim, token_stride, head_stride;
} sf8_kv_room;

#endif
