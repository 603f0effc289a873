/* SPDX-License-Identifier: MIT */
/* image.h -- the image of a KV cache, and words of tokens outside of it, as calls take them */
#ifndef SOFTFP8_KV_IMAGE_H
#define SOFTFP8_KV_IMAGE_H

#include "softfp8/kv/caches.h"

/* An image: its layout, the bytes from its first on that are there, and the array of scales where
 * the layout has them apart. Words are those of this machine. */
typedef struct sf8_kv_image {
    sf8_kv_layout layout;
    uint8_t *data;
    size_t size;
    uint8_t *scales;
    size_t scales_size;
} sf8_kv_image;

/* Words of `tokens` tokens, of any alignment: element d of a head is at words[token * token_stride
 * + head * head_stride + d]. Strides are in words, and may be 0. */
typedef struct sf8_kv_words {
    const void *words;
    size_t tokens, dim, token_stride, head_stride;
} sf8_kv_words;

typedef struct sf8_kv_room {
    void *words;
    size_t tokens, dim, token_stride, head_stride;
} sf8_kv_room;

#endif
