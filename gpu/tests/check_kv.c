/* SPDX-License-Identifier: MIT */
/* check_kv.c -- the kernels of KV caches: rows around the end of a block of threads, how many
 * accesses are made, what is refused, and launches for compute-sanitizer
 *
 * The suite's cases kv-* compare every byte with the library.
 */
#include "device.h"
#include "expect.h"
#include "softfp8/kv/caches.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 17 };

static uint16_t words[4 * ROOM];
static uint8_t image[2 * ROOM], scales[ROOM];
static int counted; /* accesses are counted */
static unsigned char writes[2 * ROOM], scale_writes[ROOM];

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

/* Expects that this many bytes of an array are written once, and the others never. */
static void count_writes(const char *name, const unsigned char *times, size_t bytes, size_t wanted)
{
    size_t once = 0, more = 0;
    for (size_t i = 0; i < bytes; i++) {
        once += times[i] == 1;
        more += times[i] > 1;
    }
    EXPECT(!counted || (once == wanted && more == 0), "%s: %zu bytes once, not %zu; %zu more often",
           name, once, wanted, more);
}

/* Two tokens, and one that is skipped: the bytes of each in the image, and its scales in an array
 * of their own. */
static void written_once(const char *name, const sf8_kv_layout *l, size_t bytes, size_t of_scales)
{
    static const int64_t slot[3] = {3, -1, 0};
    static uint16_t tail[3 * 64];
    gpu_kv b = call(name, l, slot, 3);
    if (b.image_bytes > sizeof writes || b.tensor_bytes > sizeof words) {
        EXPECT(0, "no room for %s", name);
        return;
    }
    b.tail = tail;
    b.tail_bytes = l->tail ? sizeof tail : 0;
    b.tail_stride = (size_t)l->tail;
    memset(writes, 0, sizeof writes);
    memset(scale_writes, 0, sizeof scale_writes);
    b.writes[GPU_KV_IMAGE] = writes;
    b.writes[GPU_KV_SCALES] = scale_writes;
    run(&b);
    count_writes(name, writes, b.image_bytes, 2 * bytes);
    count_writes(name, scale_writes, b.scale_bytes, 2 * of_scales);
}

/* Chunks of 16 bytes of a token just below 512, where a block of threads ends, and above. */
static void every_chunk_once(void)
{
    static const struct {
        uint64_t heads, chunks;
    } rows[] = {{511, 1}, {512, 1}, {513, 1}, {40, 16}, {5, 128}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t heads = rows[i].heads, dim = 16 * rows[i].chunks;
        size_t row = (size_t)(heads * dim);
        for (uint32_t order = 0; order < SF8_KV_ORDERS; order++) {
            sf8_kv_layout l = sf8_kv_dense(order, order != SF8_KV_ROWS, 1, 4, heads, dim, 8);
            written_once("kv-store/kv-vllm/bf16", &l, row, 0);
            written_once("kv-store/kv-vllm-e5m2/f32", &l, row, 0);
            l = sf8_kv_dense(order, 1, 1, 4, heads, dim / 2, 16);
            written_once("kv-store/copy16", &l, row, 0);
        }
        sf8_kv_layout l = sf8_kv_nhd(1, 4, heads, dim, 8);
        sf8_kv_layout each = sf8_kv_with_scales(l, dim, 32, 0);
        sf8_kv_layout all = sf8_kv_with_scales(l, heads * dim, 32, 0);
        written_once("kv-store/int8-per-token-head-interpreted/f16", &each, row, 4 * (size_t)heads);
        written_once("kv-store/fp8-per-token/bf16", &all, row, 4);
    }
}

/* Codes of 4 bits, scales in pages and behind rows, tails. */
static void every_scale_once(void)
{
    sf8_kv_layout l = sf8_kv_with_scales(sf8_kv_hnd(1, 4, 3, 64, 4), 16, 8, 1);
    written_once("kv-store/sglang-kvfp4/bf16", &l, 96, 12);
    l = sf8_kv_behind(l);
    written_once("kv-store/nvfp4-te/bf16", &l, 108, 0);
    l.scale_order = SF8_LAYOUT_4TOKEN;
    written_once("kv-store/nvfp4-vllm/f16", &l, 108, 0);
    l = sf8_kv_with_scales(sf8_kv_nhd(1, 4, 5, 38, 4), 38, 32, 0);
    written_once("kv-store/int4-per-token-head-interpreted/bf16", &l, 95, 20);
    l = sf8_kv_ds_mla(1, 4);
    written_once("kv-store/kv-vllm-ds-mla/bf16", &l, 656, 0);
    l = sf8_kv_indexer(1, 4, 256, 128);
    written_once("kv-store/kv-vllm-indexer-ue8m0/f32", &l, 264, 0);
}

/* What is aligned is written 16 bytes at a time, codes of 8 bits and words; of 4 bits by 8. A row
 * of 24 ends with two accesses of 4. */
static void in_few_accesses(void)
{
    static const struct {
        const char *name;
        uint32_t bits, array;
        uint64_t dim, accesses;
    } rows[] = {
        {"kv-store/kv-vllm/bf16", 8, GPU_KV_IMAGE, 128, 40},
        {"kv-store/kv-vllm/f32", 8, GPU_KV_IMAGE, 128, 40},
        {"kv-store/copy16", 16, GPU_KV_IMAGE, 128, 80},
        {"kv-gather/kv-vllm/f16", 8, GPU_KV_TENSOR, 128, 80},
        {"kv-gather/kv-vllm/f32", 8, GPU_KV_TENSOR, 128, 160},
        {"kv-store/kv-vllm/bf16", 8, GPU_KV_IMAGE, 24, 21},
    };
    static const int64_t slot[1] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t accesses = 0;
        sf8_kv_layout l = sf8_kv_nhd(1, 1, 5, rows[i].dim, rows[i].bits);
        gpu_kv b = call(rows[i].name, &l, slot, 1);
        b.accesses[rows[i].array] = &accesses;
        run(&b);
        EXPECT(!counted || accesses == rows[i].accesses, "%s: %u", rows[i].name,
               (unsigned)accesses);
    }
    uint64_t accesses = 0;
    sf8_kv_layout l = sf8_kv_with_scales(sf8_kv_nhd(1, 1, 5, 128, 4), 32, 8, 0);
    gpu_kv b = call("kv-store/mxfp4-even/bf16", &l, slot, 1);
    b.accesses[GPU_KV_IMAGE] = &accesses;
    run(&b);
    EXPECT(!counted || accesses == 20, "4 bits: %u", (unsigned)accesses);
}

/* Six launches, one of them not timed, go twice through three copies of the arrays. */
static void copies_go_round(void)
{
    static const int64_t slot[1] = {0};
    sf8_kv_layout l = sf8_kv_nhd(1, 1, 1, 64, 8);
    gpu_kv b = call("kv-store/kv-vllm/bf16", &l, slot, 1);
    b.times = 5;
    b.around = 2 * (128 + 64) + 1;
    memset(writes, 0, 64);
    b.writes[GPU_KV_IMAGE] = writes;
    run(&b);
    for (size_t i = 0; i < 64; i++)
        EXPECT(!counted || writes[i] == 2, "byte %zu %u times", i, writes[i]);
}

/* Sizes smaller than the arrays; arguments that a kernel refuses. */
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
    l = sf8_kv_with_scales(l, 8, 32, 0);
    b = call("kv-store/fp8-per-token-head-interpreted/bf16", &l, slot, 1);
    wrong = gpu_kv_run(&b, &seconds);
    EXPECT(wrong && strcmp(wrong, "not a layout of this kernel") == 0, "%s", wrong ? wrong : "");
    l = sf8_kv_nhd(1, 1, 2, 16, 8);
    b = call("kv-store/kv-vllm/bf16", &l, slot, 1);
    b.image = (uint8_t *)words + b.tensor_bytes - 1;
    wrong = gpu_kv_run(&b, &seconds);
    EXPECT(wrong && strcmp(wrong, "in place") == 0, "%s", wrong ? wrong : "");
    b = call("kv-gather/kv-vllm/bf16", &l, slot, 1);
    b.head_stride = 15;
    wrong = gpu_kv_run(&b, &seconds);
    EXPECT(wrong && strcmp(wrong, "words that lie in one place") == 0, "%s", wrong ? wrong : "");
    b = call("kv-store/kv-vllm/bf16", &l, slot, 1);
    b.second = 8;
    wrong = gpu_kv_run(&b, &seconds);
    EXPECT(wrong && strcmp(wrong, "not rows of two parts") == 0, "%s", wrong ? wrong : "");
    l = sf8_kv_nhd(1 << 25, 128, 1, 1, 8);
    b = call("kv-store/kv-vllm/bf16", &l, slot, 1);
    wrong = gpu_kv_run(&b, &seconds);
    EXPECT(wrong && strcmp(wrong, "too large a cache") == 0, "%s", wrong ? wrong : "");
    EXPECT(gpu_source("kv") && strlen(gpu_source("kv")) == 64, "its source");
}

/* Two tokens of two heads, where one stride, part or address is no multiple of 16 bytes: an access
 * of 16 bytes would fail. And rows of 24 elements, which end in half a piece: the scale of the
 * first head is 1 / 448, of the second 1. */
static void one_thing_misaligned(void)
{
    static const int64_t slot[2] = {1, 2};
    static uint16_t tail[64];
    sf8_kv_layout l = sf8_kv_nhd(1, 4, 2, 32, 8), gap = l, part = sf8_kv_nhd(1, 4, 1, 48, 8);
    gpu_kv b = call("kv-store/kv-vllm/bf16", &l, slot, 2);
    for (size_t i = 0; i < 144; i++)
        words[i] = (uint16_t)(0x3f80 + i / 48);
    b.tensor_bytes = 288;
    run(&b);
    b.token_stride = 72;
    b.head_stride = 36;
    run(&b);
    b.token_stride = 68;
    b.head_stride = 32;
    run(&b);
    gap.slot_stride = 68;
    gap.block_stride = 4 * gap.slot_stride;
    b = call("kv-store/kv-vllm/bf16", &gap, slot, 2);
    run(&b);
    b = call("kv-store/kv-vllm/bf16", &part, slot, 2);
    b.second = 16;
    b.token_stride = 32;
    b.tensor_bytes = 128;
    b.tail = tail;
    b.tail_bytes = 72;
    b.tail_stride = 20;
    run(&b);
    sf8_kv_layout half = sf8_kv_with_scales(sf8_kv_nhd(1, 4, 2, 24, 8), 24, 32, 0);
    for (size_t i = 0; i < 96; i++)
        words[i] = i / 24 % 2 ? 0x43e0 : 0x3f80;
    b = call("kv-store/fp8-per-token-head-interpreted/bf16", &half, slot, 2);
    run(&b);
    EXPECT(word_at(scales + 8) == 0x3b124925 && word_at(scales + 12) == 0x3f800000, "%08x, %08x",
           (unsigned)word_at(scales + 8), (unsigned)word_at(scales + 12));
}

int main(void)
{
    counted = open_device();
    every_chunk_once();
    every_scale_once();
    in_few_accesses();
    one_thing_misaligned();
    copies_go_round();
    refused();
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
