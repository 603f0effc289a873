/* SPDX-License-Identifier: MIT */
/* check_kv_four.c -- 4-bit stores from bf16 and from f32 write the same bytes
 *
 * The kernels for bf16 in kv/four.h compute two elements at once, those for f32 in kv/kv.h one. The
 * suite holds both against the library. Here are more inputs, and rows that only one of them takes.
 */
#include "device.h"
#include "expect.h"
#include "softfp8/kv/caches.h"

#include <string.h>

enum { ROOM = 1 << 16, GROUPS = 4 };

static const struct {
    const char *recipe;
    uint64_t group; /* 0: a row */
    uint32_t bits;  /* of a scale */
} recipes[] = {{"int4-per-token-head-interpreted", 0, 32},
               {"nvfp4-te", 16, 8},
               {"nvfp4-vllm", 16, 8},
               {"nvfp4-trtllm", 16, 8},
               {"mxfp4-even", 32, 8},
               {"mxfp4-vllm", 32, 8},
               {"nvfp4-flashinfer-append", 16, 8},
               {"sglang-kvfp4", 16, 8}};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

static uint16_t narrow[ROOM], narrow_tail[ROOM];
static uint32_t wide[ROOM], wide_tail[ROOM];
static uint8_t image[2][ROOM], scales[2][ROOM];
static uint64_t state = 1;

static uint32_t next(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 33);
}

static const gpu_kv_kernel *kernel(const char *recipe, const char *tensor)
{
    size_t count;
    const gpu_kv_kernel *list = gpu_kv_kernels(&count);
    for (size_t i = 0; i < count; i++) {
        if (!list[i].back && strcmp(list[i].recipe, recipe) == 0 &&
            strcmp(list[i].tensor, tensor) == 0)
            return &list[i];
    }
    printf("no kernel of %s from %s\n", recipe, tensor);
    exit(1);
}

/* Stores the tokens from f32 and from bf16. The last `second` elements of a row are in the tail. */
static void same(int r, const sf8_kv_layout *l, size_t tokens, size_t second, const float *g,
                 size_t g_count)
{
    static int64_t slots[1024];
    const size_t dim = (size_t)l->dim - second, all = tokens * (size_t)l->heads * dim;
    for (size_t i = 0; i < tokens; i++)
        slots[i] = i % 5 == 3 ? -1 : (int64_t)(tokens - 1 - i);
    for (size_t i = 0; i < all; i++)
        wide[i] = (uint32_t)narrow[i] << 16;
    for (size_t i = 0; i < tokens * second; i++)
        wide_tail[i] = (uint32_t)narrow_tail[i] << 16;
    for (int to_bf16 = 0; to_bf16 < 2; to_bf16++) {
        gpu_kv b;
        double seconds;
        memset(&b, 0, sizeof b);
        memset(image[to_bf16], 0x5a, sizeof image[0]);
        memset(scales[to_bf16], 0x5a, sizeof scales[0]);
        b.kernel = kernel(recipes[r].recipe, to_bf16 ? "bf16" : "f32");
        b.layout = l;
        b.tokens = tokens;
        b.slots = slots;
        b.g = g;
        b.g_count = g_count;
        b.second = second;
        b.tensor = to_bf16 ? (void *)narrow : (void *)wide;
        b.tensor_bytes = all * (to_bf16 ? 2 : 4);
        b.token_stride = (size_t)l->heads * dim;
        b.head_stride = dim;
        b.tail = to_bf16 ? (void *)narrow_tail : (void *)wide_tail;
        b.tail_bytes = tokens * second * (to_bf16 ? 2 : 4);
        b.tail_stride = second;
        b.image = image[to_bf16];
        b.scales = scales[to_bf16];
        b.image_bytes = (size_t)sf8_kv_size(l);
        b.scale_bytes = (size_t)sf8_kv_scales_size(l);
        const char *wrong = gpu_kv_run(&b, &seconds);
        EXPECT(!wrong, "%s: %s", b.kernel->name, wrong);
    }
    EXPECT(memcmp(image[0], image[1], sizeof image[0]) == 0, "codes of %s, %u heads of %u",
           recipes[r].recipe, (unsigned)l->heads, (unsigned)l->dim);
    EXPECT(memcmp(scales[0], scales[1], sizeof scales[0]) == 0, "scales of %s, %u heads of %u",
           recipes[r].recipe, (unsigned)l->heads, (unsigned)l->dim);
}

/* Heads are `gap` bytes apart. */
static sf8_kv_layout layout(int r, size_t tokens, uint64_t heads, uint64_t dim, uint64_t gap)
{
    sf8_kv_layout l = sf8_kv_nhd(1, tokens, heads, dim, 4);
    l.head_stride += gap;
    l.slot_stride += gap * heads;
    l.block_stride = tokens * l.slot_stride;
    return sf8_kv_with_scales(l, recipes[r].group ? recipes[r].group : dim, recipes[r].bits, 0);
}

/* Bits of any kind; numbers around 1; few different exponents, which are all negative; zeros. */
static uint16_t input(int kind)
{
    const uint32_t bits = next();
    switch (kind) {
    case 0:
        return (uint16_t)bits;
    case 1:
        return (uint16_t)((bits & 0x81ffu) + 0x3e80u);
    case 2:
        return (uint16_t)(0xbf00u | (bits & 0xffu));
    default:
        return (uint16_t)(bits % 7 ? bits & 0x8000u : bits & 0xffffu);
    }
}

static void every_size(void)
{
    static const float g[3] = {1.0f, 0x1.8p-3f, 11.0f};
    static const struct {
        uint64_t heads, dim, gap;
        size_t second;
    } rows[] = {{3, 16, 0, 0},   {1, 32, 0, 0},  {3, 48, 0, 0},  {3, 48, 8, 0},  {3, 64, 0, 0},
                {2, 80, 0, 0},   {2, 80, 24, 0}, {2, 96, 0, 0},  {3, 128, 0, 0}, {3, 128, 4, 0},
                {3, 128, 16, 0}, {1, 160, 0, 0}, {3, 256, 0, 0}, {2, 512, 0, 0}, {1, 128, 0, 32},
                {1, 128, 0, 64}, {1, 64, 0, 16}, {1, 256, 0, 16}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int r = 0; r < RECIPES; r++) {
            if (rows[i].dim % (recipes[r].group ? recipes[r].group : 1))
                continue;
            for (int kind = 0; kind < 4; kind++) {
                const sf8_kv_layout l = layout(r, 37, rows[i].heads, rows[i].dim, rows[i].gap);
                for (size_t k = 0; k < ROOM; k++)
                    narrow[k] = input(kind);
                for (size_t k = 0; k < 37 * rows[i].second; k++)
                    narrow_tail[k] = input(kind);
                same(r, &l, 37, rows[i].second, g, rows[i].heads == 3 ? 3 : 1);
            }
        }
    }
}

/* Each number beside each mantissa of a largest magnitude. Of NVFP4 the global scale varies too, so
 * that the factor of a group has other last bits. */
static void every_number(void)
{
    for (int r = 0; r < RECIPES; r++) {
        const size_t group = recipes[r].group ? (size_t)recipes[r].group : 64;
        const size_t tokens = 65536 / (group * 64);
        const sf8_kv_layout l = layout(r, tokens, 64, group, 0);
        for (uint32_t most = 0x4080; most < 0x4100; most += group == 16 ? 1 : 3) {
            const float g = 1.0f + (float)most * 0x1.92p-19f;
            /* from 2^-7 on, and from another each time */
            uint16_t x = (uint16_t)(0x3c00 + most * 16);
            for (size_t i = 0; i < 65536; i++) {
                narrow[i] = i % group ? x++ : (uint16_t)most;
                if ((narrow[i] & 0x7fff) > most)
                    narrow[i] = (uint16_t)((narrow[i] & 0x80ff) | 0x3f80);
            }
            same(r, &l, tokens, 0, &g, 1);
        }
    }
}

/* Each largest magnitude, beside numbers of a few exponents less, both signs, and the smallest. */
static void every_largest(void)
{
    static const float g = 1.0f;
    for (int r = 0; r < RECIPES; r++) {
        const size_t group = recipes[r].group ? (size_t)recipes[r].group : 64;
        const size_t groups = ROOM / group, tokens = groups / 64;
        const sf8_kv_layout l = layout(r, tokens, 64, group, 0);
        for (size_t begin = 0; begin < 0x8000; begin += groups) {
            for (size_t i = 0; i < ROOM; i++) {
                const uint32_t most = (uint32_t)(begin + i / group), bits = next();
                const uint32_t less = i % group % 5 == 4 ? most : bits % 0x300;
                narrow[i] = (uint16_t)(most - (i % group && less <= most ? less : 0));
                if (i % group % 5 == 3)
                    narrow[i] = bits & 1;
                narrow[i] |= (uint16_t)(bits >> 16 & 0x8000u);
            }
            same(r, &l, tokens, 0, &g, 1);
        }
    }
}

int main(void)
{
    open_device();
    every_size();
    every_number();
    every_largest();
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0;
}
