/* SPDX-License-Identifier: MIT */
/* check_images.c -- images of blocks have the bytes of a GGUF file on every processor
 *
 *     check_images
 *
 * Scales and offsets are little-endian there, whatever the order of this processor's bytes is. The
 * bytes below follow from the layouts of ggml's block_q8_0, block_q4_1 and block_nvfp4. It needs no
 * test framework, so that it also runs for another processor.
 */
#include "softfp8_blocks.h"

#include <stdio.h>
#include <string.h>

typedef struct image {
    const char *recipe;
    size_t size, scales;
    uint32_t scale[4], offset[1];
    uint8_t head[4]; /* scales and offsets; then codes */
} image;

static const image images[] = {
    {"q8_0-gguf", 34, 1, {0x3c01}, {0}, {0x01, 0x3c}},
    {"q4_1-gguf", 20, 1, {0x2e66}, {0xb5fc}, {0x66, 0x2e, 0xfc, 0xb5}},
    {"nvfp4-gguf", 36, 4, {0x38, 0x01, 0x7e, 0x40}, {0}, {0x38, 0x01, 0x7e, 0x40}},
};

static int failures;

static void need(int condition, const char *recipe, const char *what)
{
    if (!condition) {
        failures++;
        printf("%s: %s\n", recipe, what);
    }
}

/* The bytes of the codes: one of each, or two in a byte, of a block's halves. */
static size_t put_codes(const sf8_recipe *r, uint8_t *to, const uint8_t *codes, size_t n)
{
    size_t half = (size_t)r->block / 2, count = 0;
    if (sf8_recipe_bits(r) == 8) {
        memcpy(to, codes, n);
        return n;
    }
    for (size_t block = 0; block < n; block += 2 * half)
        for (size_t i = 0; i < half; i++)
            to[count++] = (uint8_t)(codes[block + i] | codes[block + half + i] << 4);
    return count;
}

static void check(const image *m)
{
    uint8_t codes[64], want[64], got[64], again[64];
    uint32_t scales[4] = {0}, offsets[4] = {0};
    size_t size = 0, heads = m->size % 16, n;
    sf8_recipe r;
    need(sf8_recipe_named(&r, m->recipe) == SF8_OK, m->recipe, "no such recipe");
    n = (size_t)r.block * m->scales;
    for (size_t i = 0; i < n; i++)
        codes[i] = (uint8_t)(i * 37 & (sf8_recipe_bits(&r) == 8 ? 255 : 15));
    memcpy(want, m->head, heads);
    need(heads + put_codes(&r, want + heads, codes, n) == m->size, m->recipe, "the test itself");
    need(sf8_blocks_image_size(&r, 1, n, &size) == SF8_OK && size == m->size, m->recipe, "size");
    need(sf8_blocks_image_store(&r, got, codes, m->scale, m->offset, 1, n) == SF8_OK, m->recipe,
         "store");
    need(memcmp(got, want, m->size) == 0, m->recipe, "other bytes");
    need(sf8_blocks_image_load(&r, again, scales, offsets, want, 1, n) == SF8_OK, m->recipe,
         "load");
    need(memcmp(again, codes, n) == 0, m->recipe, "other codes");
    for (size_t i = 0; i < m->scales; i++)
        need(scales[i] == m->scale[i], m->recipe, "another scale");
    need(r.offset_at != SF8_OFFSET_WORD || offsets[0] == m->offset[0], m->recipe, "another offset");
}

int main(void)
{
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++)
        check(&images[i]);
    printf("%zu images, %d failures\n", sizeof images / sizeof images[0], failures);
    return failures != 0;
}
