/* SPDX-License-Identifier: MIT */
/* check_kv.c -- the kernels of KV caches on this processor: bytes by hand, each written once
 *
 * The suite's cases kv-* hold the kernels against the library. Here are a few literals, so that the
 * two cannot be wrong in the same way, and how often a byte is written, which images do not tell.
 */
#include "device.h"
#include "expect.h"
#include "softfp8/kv_caches.h"

#include <stdlib.h>
#include <string.h>

extern unsigned char *gpu_shim_kv_writes;

enum { ROOM = 1 << 17 };

static uint16_t words[4 * ROOM];
static uint8_t image[2 * ROOM], scales[ROOM];
static unsigned char writes[2 * ROOM];

static const gpu_kv_kernel *kernel(const char *name)
{
    size_t count;
    const gpu_kv_kernel *list = gpu_kv_kernels(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    }
    printf("no kernel %s\n", name);
    exit(1);
}

static gpu_kv call(const char *name, const sf8_kv_layout *l, const int64_t *slots, size_t tokens)
{
    gpu_kv b;
    memset(&b, 0, sizeof b);
    b.kernel = kernel(name);
    b.layout = l;
    b.tokens = tokens;
    b.slots = slots;
    b.tensor = words;
    b.token_stride = (size_t)(l->heads * l->dim);
    b.head_stride = (size_t)l->dim;
    b.tensor_bytes = tokens * b.token_stride * (strstr(name, "f32") ? 4 : 2);
    b.image = image;
    b.scales = scales;
    b.image_bytes = (size_t)sf8_kv_size(l);
    b.scale_bytes = (size_t)sf8_kv_scales_size(l);
    return b;
}

static void run(const gpu_kv *b)
{
    double seconds;
    const char *wrong = gpu_kv_run(b, &seconds);
    EXPECT(!wrong, "%s: %s", b->kernel->name, wrong);
}

static uint32_t word_at(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, 4);
    return word;
}

/* bf16 words under a scale: the code of vLLM's cache, which divides, and of what multiplies by the
 * reciprocal, computed by both formulas in IEEE arithmetic; quotients that are ties. */
static void divide_is_not_multiply(void)
{
    static const struct {
        uint32_t scale;
        uint16_t word;
        uint8_t divided, multiplied;
    } rows[] = {
        {0x3b1db6db, 0x3a4f, 0x2a, 0x2b}, {0x3bc66666, 0x3a1b, 0x1c, 0x1d},
        {0x3bcaaaab, 0x3a2b, 0x1e, 0x1d}, {0x3b966666, 0x3a6b, 0x25, 0x24},
        {0x3bb99999, 0x3a11, 0x1d, 0x1c}, {0x3c466666, 0x3a1b, 0x14, 0x15},
    };
    static const int64_t slot[1] = {1};
    sf8_kv_layout l = sf8_kv_nhd(1, 2, 1, 1, 8);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        float g;
        memcpy(&g, &rows[i].scale, 4);
        words[0] = rows[i].word;
        gpu_kv b = call("kv-store/kv-vllm/bf16", &l, slot, 1);
        b.g = &g;
        b.g_count = 1;
        memset(image, 0xa5, 2);
        run(&b);
        EXPECT(image[0] == 0xa5 && image[1] == rows[i].divided, "%zu: %02x", i, image[1]);
        b.kernel = kernel("kv-store/kv-vllm-scaled/bf16");
        run(&b);
        EXPECT(image[1] == rows[i].multiplied, "%zu: %02x", i, image[1]);
    }
}

/* NaN, infinities, 464 and the next: saturated, clamped, not saturated. */
static void out_of_range(void)
{
    static const uint16_t x[8] = {0x7fc0, 0xffc1, 0x7f80, 0xff80, 0x43e8, 0x43e9, 0x8000, 0x0001};
    static const struct {
        const char *name;
        uint8_t codes[8];
    } rows[] = {
        {"kv-store/kv-vllm/bf16", {0x7f, 0x7f, 0x7e, 0xfe, 0x7e, 0x7e, 0x80, 0}},
        {"kv-store/kv-vllm-scaled/bf16", {0x7e, 0x7e, 0x7e, 0xfe, 0x7e, 0x7e, 0x80, 0}},
        {"kv-store/kv-vllm-e5m2/bf16", {0x7f, 0x7f, 0x7b, 0xfb, 0x5f, 0x5f, 0x80, 0}},
    };
    static const int64_t slot[1] = {0};
    sf8_kv_layout l = sf8_kv_nhd(1, 1, 1, 8, 8);
    memcpy(words, x, sizeof x);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gpu_kv b = call(rows[i].name, &l, slot, 1);
        run(&b);
        for (size_t d = 0; d < 8; d++)
            EXPECT(image[d] == rows[i].codes[d], "%s, %zu: %02x", rows[i].name, d, image[d]);
    }
    gpu_kv b = call("kv-store/kv-nosat/bf16", &l, slot, 1);
    run(&b);
    EXPECT((image[2] & 0x7f) == 0x7f && (image[3] & 0x7f) == 0x7f, "infinity is NaN");
    EXPECT(image[4] == 0x7e && (image[5] & 0x7f) == 0x7f, "%02x, %02x", image[4], image[5]);
}

/* vLLM int4_per_token_head, measured: the zero point 4 in the last bits of the scale 3e888889. */
static void int4_by_hand(void)
{
    static const float x[8] = {-1, .5f, 2, -.25f, 3, 1.25f, 0, .75f};
    static const uint8_t codes[4] = {0x60, 0x3c, 0x9f, 0x74};
    static const int64_t slot[1] = {2};
    sf8_kv_layout l = sf8_kv_with_scales(sf8_kv_hnd(1, 4, 1, 8, 4), 8, 32, 0);
    memcpy(words, x, sizeof x);
    gpu_kv b = call("kv-store/int4-per-token-head/f32", &l, slot, 1);
    run(&b);
    EXPECT(memcmp(image + 8, codes, 4) == 0, "%02x %02x", image[8], image[9]);
    EXPECT(word_at(scales + 8) == 0x3e888884, "%08x", (unsigned)word_at(scales + 8));
}

/* fp8_ds_mla: 656 bytes; amax 1 is the scale 3b124925, amax 0 FLT_MIN; the tail is as it was. */
static void ds_mla_by_hand(void)
{
    static const int64_t slot[1] = {1};
    static uint16_t tail[64];
    sf8_kv_layout l = sf8_kv_ds_mla(1, 2);
    memset(words, 0, 1024);
    memset(image, 0xa5, 1312);
    words[128 + 77] = 0xbf80;
    for (size_t i = 0; i < 64; i++)
        tail[i] = (uint16_t)(0x7f81 + i);
    gpu_kv b = call("kv-store/kv-vllm-ds-mla/bf16", &l, slot, 1);
    b.tail = tail;
    b.tail_bytes = sizeof tail;
    b.tail_stride = 64;
    run(&b);
    EXPECT(word_at(image + 656 + 512) == 0x00800000, "%08x", (unsigned)word_at(image + 1168));
    EXPECT(word_at(image + 656 + 516) == 0x3b124925, "%08x", (unsigned)word_at(image + 1172));
    EXPECT(image[656 + 128 + 77] == 0xfe && image[656] == 0, "%02x", image[656 + 205]);
    EXPECT(memcmp(image + 656 + 528, tail, sizeof tail) == 0, "the tail");
    for (size_t i = 0; i < 656; i++)
        EXPECT(image[i] == 0xa5, "byte %zu of the other slot", i);
}

/* Each byte of the tokens' rows is written once, no other at all. */
static void written_once(const char *name, const sf8_kv_layout *l)
{
    static const int64_t slot[3] = {3, -1, 0};
    gpu_kv b = call(name, l, slot, 3);
    size_t rows = 2 * (size_t)(l->heads * l->dim) * l->bits / 8, once = 0, more = 0;
    if (b.image_bytes > sizeof writes || b.tensor_bytes > sizeof words) {
        EXPECT(0, "no room for %s", name);
        return;
    }
    memset(writes, 0, sizeof writes);
    gpu_shim_kv_writes = writes;
    run(&b);
    gpu_shim_kv_writes = NULL;
    for (size_t i = 0; i < b.image_bytes; i++) {
        once += writes[i] == 1;
        more += writes[i] > 1;
    }
    EXPECT(once == rows && more == 0, "%s, %u heads of %u: %zu bytes once, not %zu; %zu more often",
           name, (unsigned)l->heads, (unsigned)l->dim, once, rows, more);
}

/* Chunks of 16 bytes of a token just below 512, where a block of threads ends, and above. */
static void every_chunk_once(void)
{
    static const struct {
        uint64_t heads, chunks;
    } rows[] = {{511, 1}, {512, 1}, {513, 1}, {40, 16}, {5, 128}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t heads = rows[i].heads, dim = 16 * rows[i].chunks;
        for (uint32_t order = 0; order < SF8_KV_ORDERS; order++) {
            sf8_kv_layout l = sf8_kv_dense(order, order != SF8_KV_ROWS, 1, 4, heads, dim, 8);
            written_once("kv-store/kv-vllm/bf16", &l);
            written_once("kv-store/kv-vllm-e5m2/f32", &l);
            l = sf8_kv_dense(order, 1, 1, 4, heads, dim / 2, 16);
            written_once("kv-store/copy16", &l);
        }
        sf8_kv_layout l = sf8_kv_nhd(1, 4, heads, dim, 8);
        l = sf8_kv_with_scales(l, dim, 32, 0);
        written_once("kv-store/int8-per-token-head/f16", &l);
    }
}

/* Arrays told too short; what a kernel cannot take. */
static void refused(void)
{
    static const int64_t slot[1] = {0};
    double seconds;
    sf8_kv_layout l = sf8_kv_nhd(1, 1, 2, 16, 8), other = sf8_kv_nhd(1, 1, 2, 16, 16);
    gpu_kv b = call("kv-store/kv-vllm/bf16", &l, slot, 1);
    b.image_bytes--;
    const char *wrong = gpu_kv_run(&b, &seconds);
    EXPECT(wrong && strcmp(wrong, "it wrote beyond its image") == 0, "%s", wrong ? wrong : "");
    b = call("kv-store/kv-vllm/bf16", &other, slot, 1);
    wrong = gpu_kv_run(&b, &seconds);
    EXPECT(wrong && strcmp(wrong, "not a layout of this kernel") == 0, "%s", wrong ? wrong : "");
    l = sf8_kv_with_scales(l, 32, 32, 0);
    b = call("kv-store/fp8-per-token-head/bf16", &l, slot, 1);
    wrong = gpu_kv_run(&b, &seconds);
    EXPECT(wrong && strcmp(wrong, "not a layout of this kernel") == 0, "%s", wrong ? wrong : "");
    l = sf8_kv_nhd(1 << 25, 128, 1, 1, 8);
    b = call("kv-store/kv-vllm/bf16", &l, slot, 1);
    wrong = gpu_kv_run(&b, &seconds);
    EXPECT(wrong && strcmp(wrong, "too large a cache") == 0, "%s", wrong ? wrong : "");
    EXPECT(gpu_source("kv") && strlen(gpu_source("kv")) == 64, "its source");
}

int main(void)
{
    divide_is_not_multiply();
    out_of_range();
    int4_by_hand();
    ds_mla_by_hand();
    every_chunk_once();
    refused();
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
