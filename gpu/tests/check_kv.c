/* SPDX-License-Identifier: MIT */
/* check_kv.c -- the kernels of KV caches on this processor: bytes by hand, each written once
 *
 * The suite's cases kv-* hold the kernels against the library. Here are a few literals, so that the
 * two cannot be wrong in the same way, and how often a byte is written, which images do not tell.
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

/* bf16 values and a scale; the code of vLLM's cache, which divides, and that of a store that
 * multiplies by the reciprocal. Both formulas were computed in IEEE arithmetic; the divisions are
 * ties. */
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
    gpu_kv b = call("kv-store/int4-per-token-head-interpreted/f32", &l, slot, 1);
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

/* So many bytes of an array are written once, no other at all. */
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

/* concat_and_cache_mla has one scale for kv_c and k_pe, which lie in tensors of their own;
 * fp8_ds_mla leaves k_pe as it is (ds_mla_by_hand). */
static void mla_has_one_scale(void)
{
    static const int64_t slot[1] = {0};
    static const float g = 0.5f;
    static uint16_t k_pe[32] = {0x3f80, 0x4000, [31] = 0xc080}; /* 1, 2, ... -4 */
    sf8_kv_layout l = sf8_kv_nhd(1, 1, 1, 64, 8);
    memset(words, 0, 64);
    words[31] = 0x4040; /* 3 */
    gpu_kv b = call("kv-store/kv-vllm/bf16", &l, slot, 1);
    b.g = &g;
    b.g_count = 1;
    b.tensor_bytes = b.tail_bytes = 64;
    b.token_stride = b.tail_stride = b.second = 32;
    b.tail = k_pe;
    run(&b);
    EXPECT(image[31] == 0x4c && image[32] == 0x40 && image[33] == 0x48 && image[63] == 0xd0,
           "%02x %02x %02x %02x", image[31], image[32], image[33], image[63]);
    b.kernel = kernel("kv-gather/kv-vllm/bf16");
    static uint16_t back[32];
    b.tail = back;
    run(&b);
    EXPECT(memcmp(back, k_pe, sizeof back) == 0 && words[31] == 0x4040, "and back");
}

/* Scales as they are computed in practice, a largest magnitude of bf16 divided by 448 and 200, and
 * values of 12 exponents below. Division by the scale and multiplication by its reciprocal differ
 * in 192 and 336 of 393,216 codes, with 14 and 26 of 256 scales; both formulas were counted in IEEE
 * arithmetic. */
static void divided_or_multiplied(void)
{
    static const float over[2] = {448.0f, 200.0f};
    static const unsigned codes[2] = {192, 336}, affected[2] = {14, 26};
    static const uint32_t first[2] = {0x3980, 0x3a00};
    static const int64_t slot[1] = {0};
    static uint8_t divided[1536];
    sf8_kv_layout l = sf8_kv_nhd(1, 1, 1, 1536, 8);
    for (int rule = 0; rule < 2; rule++) {
        unsigned differ = 0, scales_differ = 0;
        for (uint32_t amax = 0x3f80; amax < 0x4080; amax++) {
            uint32_t bits = amax << 16;
            float g;
            unsigned here = 0;
            memcpy(&g, &bits, 4);
            g /= over[rule];
            for (uint32_t i = 0; i < 1536; i++)
                words[i] = (uint16_t)(first[rule] + i);
            gpu_kv b = call("kv-store/kv-vllm/bf16", &l, slot, 1);
            b.g = &g;
            b.g_count = 1;
            run(&b);
            memcpy(divided, image, sizeof divided);
            b.kernel = kernel("kv-store/kv-vllm-scaled/bf16");
            run(&b);
            for (size_t i = 0; i < sizeof divided; i++)
                here += divided[i] != image[i];
            differ += here;
            scales_differ += here != 0;
        }
        EXPECT(differ == codes[rule] && scales_differ == affected[rule], "%u codes, %u scales",
               differ, scales_differ);
    }
}

/* NVFP4's global scale must not be folded into the first: of the 119 normal scales of e4m3 times
 * 1.4e-3, 75 come out as subnormal numbers or zero. */
static void folded_scales_are_lost(void)
{
    static const int64_t slot[1] = {0};
    unsigned lost = 0;
    float x[119];
    sf8_kv_layout l = sf8_kv_nhd(1, 1, 1, 119, 8);
    for (uint32_t code = 8; code < 127; code++)
        x[code - 8] = sf8_e4m3_to_f32((uint8_t)code) * 1.4e-3f;
    memcpy(words, x, sizeof x);
    gpu_kv b = call("kv-store/kv-vllm/f32", &l, slot, 1);
    run(&b);
    for (size_t i = 0; i < 119; i++)
        lost += image[i] < 8;
    EXPECT(lost == 75, "%u", lost);
}

/* FlashInfer moves bits: NaN is 480, the infinity of e5m2 65536, what is behind it goes on. */
static void bits_that_are_moved(void)
{
    static const int64_t slot[1] = {0};
    static const uint8_t e4m3[4] = {0x7f, 0xff, 0x01, 0x7e}, e5m2[4] = {0x7c, 0x7d, 0x7e, 0x7f};
    static const float from_e4m3[4] = {480, -480, 0x1p-9f, 448};
    static const float from_e5m2[4] = {65536, 81920, 98304, 114688};
    float x[4];
    sf8_kv_layout l = sf8_kv_nhd(1, 1, 1, 4, 8);
    memcpy(image, e4m3, 4);
    gpu_kv b = call("kv-gather/kv-flashinfer/f32", &l, slot, 1);
    run(&b);
    memcpy(x, words, sizeof x);
    EXPECT(memcmp(x, from_e4m3, sizeof x) == 0, "%g %g %g %g", x[0], x[1], x[2], x[3]);
    memcpy(image, e5m2, 4);
    b.kernel = kernel("kv-gather/kv-flashinfer-e5m2/f32");
    run(&b);
    memcpy(x, words, sizeof x);
    EXPECT(memcmp(x, from_e5m2, sizeof x) == 0, "%g %g %g %g", x[0], x[1], x[2], x[3]);
}

/* FNUZ: 240 is 7f, NaN and infinity 80, there is no -0; e5m2 without saturation; a NaN's sign. */
static void other_casts(void)
{
    static const uint16_t x[8] = {0x4370, 0x7fc0, 0xff80, 0x8000, 0x4367, 0x4369, 0x476f, 0x4770};
    static const uint8_t fnuz[8] = {0x7f, 0x80, 0x80, 0x00, 0x7e, 0x7f, 0x7f, 0x7f};
    static const int64_t slot[1] = {0};
    sf8_kv_layout l = sf8_kv_nhd(1, 1, 1, 8, 8);
    memcpy(words, x, sizeof x);
    gpu_kv b = call("kv-store/kv-vllm-rocm/bf16", &l, slot, 1);
    run(&b);
    for (size_t i = 0; i < 8; i++)
        EXPECT(image[i] == fnuz[i], "fnuz %zu: %02x", i, image[i]);
    b.kernel = kernel("kv-store/kv-nosat-e5m2/bf16");
    run(&b);
    EXPECT(image[2] == 0xfc && image[6] == 0x7b && image[7] == 0x7c, "%02x %02x %02x", image[2],
           image[6], image[7]); /* 61184 and 61440 */
    words[0] = 0xffc0;
    b.kernel = kernel("kv-store/kv-minisgl/bf16");
    run(&b);
    EXPECT(image[0] == 0xff && image[1] == 0x7f, "%02x %02x", image[0], image[1]);
}

/* SGLang's ties go away from zero: 0.25, 1.25, 2.5, 5 under the scale 1, of amax 6. */
static void ties_away(void)
{
    static const float x[16] = {.25f, 1.25f, 2.5f, 5, -.25f, 6, -0.0f, -.125f};
    static const uint8_t codes[4] = {0x31, 0x75, 0x79, 0x80};
    static const int64_t slot[1] = {0};
    sf8_kv_layout l = sf8_kv_with_scales(sf8_kv_nhd(1, 1, 1, 16, 4), 16, 8, 0);
    memcpy(words, x, sizeof x);
    gpu_kv b = call("kv-store/sglang-kvfp4/f32", &l, slot, 1);
    run(&b);
    EXPECT(memcmp(image, codes, 4) == 0 && scales[0] == 127, "%02x %02x %02x %02x, %02x", image[0],
           image[1], image[2], image[3], scales[0]);
}

/* What is said of a tensor by kv-vllm-dynamic: its codes are those of kv-vllm-scaled by amax / 448,
 * and a scale for all rows of a token is that of its largest. */
static void scale_of_all_rows(void)
{
    static const int64_t slot[1] = {0};
    uint8_t codes[120];
    float g;
    sf8_kv_layout given = sf8_kv_nhd(1, 1, 5, 24, 8);
    sf8_kv_layout l = sf8_kv_with_scales(given, 120, 32, 0);
    for (size_t i = 0; i < 120; i++)
        words[i] = (uint16_t)(0x3f00 + 37 * i % 256);
    words[71] = 0xc0e0; /* -7 */
    gpu_kv b = call("kv-store/kv-vllm-dynamic/bf16", &l, slot, 1);
    run(&b);
    memcpy(codes, image, sizeof codes);
    EXPECT(word_at(scales) == 0x3c800000 && codes[71] == 0xfe, "%08x", (unsigned)word_at(scales));
    memcpy(&g, scales, 4);
    b = call("kv-store/kv-vllm-scaled/bf16", &given, slot, 1);
    b.g = &g;
    b.g_count = 1;
    run(&b);
    EXPECT(memcmp(codes, image, sizeof codes) == 0, "the same codes");
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
    divide_is_not_multiply();
    out_of_range();
    int4_by_hand();
    ds_mla_by_hand();
    every_chunk_once();
    every_scale_once();
    mla_has_one_scale();
    divided_or_multiplied();
    folded_scales_are_lost();
    bits_that_are_moved();
    other_casts();
    ties_away();
    scale_of_all_rows();
    in_few_accesses();
    one_thing_misaligned();
    copies_go_round();
    refused();
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
