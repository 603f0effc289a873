/* SPDX-License-Identifier: MIT */
/* check_attend.c -- the kernels of attention: requests in a batch and alone, packed codes, images
 * that stay on the device, and what is refused
 *
 * The suite's cases attend-device/ compare every word with the library.
 */
#include "device.h"
#include "expect.h"
#include "softfp8/kv/caches.h"
#include "softfp8_attend.h"
#include "softfp8_blocks.h"
#include "softfp8_mma.h"

#include <stdlib.h>
#include <string.h>

enum { DIM = 64, KEYS = 4096, SLOTS = 16, HEADS = 2, ONE = 0x38 /* of e4m3 */, NAN_CODE = 0x7f };

static uint8_t k_image[KEYS * DIM], v_image[KEYS * DIM];
static int64_t blocks[KEYS / SLOTS];
static float q[8 * HEADS * DIM], out[8 * HEADS * DIM];
static uint32_t lse[8 * HEADS], k_scale, v_scale;
static sf8_recipe recipe;
static sf8_mma unit;

static const gpu_attend_kernel *kernel(const char *name)
{
    size_t count;
    const gpu_attend_kernel *list = gpu_attends(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    printf("no kernel %s\n", name);
    exit(1);
}

static uint32_t bits(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

/* Keys of 0, values of 1, scales 1, one query that is 1, no mask. */
static sf8_attend request(const gpu_attend_kernel *k, size_t keys, size_t queries)
{
    sf8_attend a;
    sf8_status status;
    memset(&a, 0, sizeof a);
    memset(k_image, 0, sizeof k_image);
    memset(v_image, ONE, sizeof v_image);
    for (size_t i = 0; i < KEYS / SLOTS; i++)
        blocks[i] = (int64_t)(KEYS / SLOTS - 1 - i);
    for (size_t i = 0; i < sizeof q / sizeof q[0]; i++)
        q[i] = 1;
    k_scale = v_scale = 0x3f800000;
    a.sums = sf8_attend_sums_named(k->sums, &status);
    a.scale = 0x3f800000;
    a.left = a.right = -1;
    a.keys = keys;
    a.queries = queries;
    a.first = (int64_t)(keys - queries);
    a.heads = HEADS;
    a.k.image.layout = sf8_kv_nhd(KEYS / SLOTS, SLOTS, 1, DIM, 8);
    a.k.image.data = k_image;
    a.k.image.size = sizeof k_image;
    a.k.recipe = &recipe;
    a.k.words = SF8_F32;
    a.k.scale = &k_scale;
    a.k.scales = 1;
    a.v = a.k;
    a.v.image.data = v_image;
    a.v.scale = &v_scale;
    a.blocks = blocks;
    a.block_count = (keys + SLOTS - 1) / SLOTS;
    a.q_words = a.out_words = SF8_F32;
    a.q = (sf8_kv_words){q, queries, DIM, HEADS * DIM, DIM};
    a.out = (sf8_kv_room){out, queries, DIM, HEADS * DIM, DIM};
    a.lse = lse;
    a.lse_base2 = 1;
    return a;
}

/* Of this position in the images. */
static size_t at(size_t key)
{
    return ((size_t)blocks[key / SLOTS] * SLOTS + key % SLOTS) * DIM;
}

static const char *run(const gpu_attend_kernel *k, const sf8_attend *a, size_t count, size_t splits,
                       size_t shared)
{
    gpu_attend b;
    double seconds;
    memset(&b, 0, sizeof b);
    b.kernel = k;
    b.unit = &unit;
    b.requests = a;
    b.count = count;
    b.splits = splits;
    b.shared = shared;
    return gpu_attend_run(&b, &seconds);
}

/* ---- packed codes of four bits --------------------------------------------------------------- */

enum { LONG = 128, ONE_CODES = 0x22 };

/* Codes of the scales 1 and 2. The code after that of a scale doubles it, or adds 1 / 8. */
typedef struct packed_cache {
    const char *kernel, *recipe;
    uint32_t group;
    uint8_t one, two;
    int doubles, most; /* of the exponents of scales */
} packed_cache;

static const packed_cache packed_caches[] = {
    {"attend/nvfp4/mma-f16/8", "nvfp4-flashinfer-append", 16, 0x38, 0x40, 0, 0},
    {"attend/mxfp4/mma-f16/8", "mxfp4-even", 32, 127, 128, 1, 12},
    {"attend/mxfp4/mma-f16/8", "mxfp4-even", 16, 127, 128, 1, 8}, /* is converted */
};

static uint8_t codes[2][KEYS * LONG / 2], scales[2][KEYS * LONG / 16 + 1];
static sf8_recipe packed_recipe;

/* Keys and values of 1, scales 1, with scales from an odd address on, or those of four tokens
 * together. */
static sf8_attend packed_request(const packed_cache *p, size_t keys, size_t queries, int odd,
                                 int four)
{
    sf8_attend a = request(kernel(p->kernel), keys, queries);
    memset(codes, ONE_CODES, sizeof codes);
    memset(scales, p->one, sizeof scales);
    for (int i = 0; i < 2; i++) {
        sf8_attend_cache *c = i ? &a.v : &a.k;
        sf8_kv_layout l = sf8_kv_nhd(KEYS / SLOTS, SLOTS, 1, LONG, 4);
        c->image.layout = sf8_kv_with_scales(l, p->group, 8, 0);
        c->image.layout.scale_order = four ? SF8_LAYOUT_4TOKEN : c->image.layout.scale_order;
        c->image.data = codes[i];
        c->image.size = sizeof codes[i];
        c->image.scales = scales[i] + odd;
        c->image.scales_size = KEYS * LONG / p->group;
        c->recipe = &packed_recipe;
    }
    a.q = (sf8_kv_words){q, queries, LONG, HEADS * LONG, LONG};
    a.out = (sf8_kv_room){out, queries, LONG, HEADS * LONG, LONG};
    return a;
}

/* The code of a scale of a key. */
static uint8_t *scale_of(const sf8_kv_image *image, size_t key, size_t group)
{
    return image->scales +
           sf8_kv_scale_at(&image->layout, (uint64_t)blocks[key / SLOTS], key % SLOTS, 0, group);
}

/* One key has a much higher score than others by the scale of one group. Its value is returned,
 * whose scales differ, from 2^more on. */
static void packed_needle(const packed_cache *p, size_t key, int way, int more)
{
    const size_t groups = LONG / p->group;
    sf8_attend a = packed_request(p, 300, 1, way % 2, way / 2);
    a.scale = bits(10);
    *scale_of(&a.k.image, key, key % groups) = (uint8_t)(p->two + more);
    for (size_t g = 0; g < groups; g++)
        *scale_of(&a.v.image, key, g) = (uint8_t)(p->one + g + (size_t)more);
    const char *wrong = run(kernel(p->kernel), &a, 1, 1, 0);
    EXPECT(!wrong, "%s: %s", p->kernel, wrong);
    for (size_t d = 0; d < HEADS * LONG; d++) {
        const size_t g = d % LONG / p->group;
        const float right = p->doubles ? (float)(1 << (g + (size_t)more)) : 1 + (float)g / 8;
        EXPECT(out[d] == right, "%s, key %zu, %zu: %a", p->kernel, key, d, (double)out[d]);
    }
}

/* The suite has no scales of MXFP4 above 2^9, for which a factor is too large for f16. */
static void packed(const packed_cache *p)
{
    EXPECT(sf8_recipe_named(&packed_recipe, p->recipe) == SF8_OK, "no recipe %s", p->recipe);
    for (int more = 0; more <= p->most; more += 4)
        for (int way = 0; way < 4; way++)
            packed_needle(p, (size_t)(60 + 73 * way), way, more);
}

/* ---- batches --------------------------------------------------------------------------------- */

enum { BATCH = 64, EACH = 8 /* blocks */, ROW = HEADS * DIM };

static float batch_q[BATCH * ROW], batch_out[BATCH * ROW], alone_out[BATCH * ROW];
static uint32_t batch_lse[BATCH * HEADS], alone_lse[BATCH * HEADS];
static sf8_attend batch[BATCH];

/* Requests of 1 to 128 keys in blocks of their own; every seventh has a NaN among its values, and
 * what nobody looks at is NaN. */
static void make_batch(const gpu_attend_kernel *k)
{
    uint32_t seed = 1;
    for (size_t i = 0; i < BATCH; i++) {
        batch[i] = request(k, 1 + i % (BATCH / 2) * 37 % (EACH * SLOTS), 1);
        batch[i].blocks = blocks + i % (KEYS / SLOTS / EACH) * EACH;
        batch[i].q.words = batch_q + i * ROW;
        batch[i].out.words = batch_out + i * ROW;
        batch[i].lse = batch_lse + i * HEADS;
        batch[i].scale = 0x3e000000;
    }
    memset(k_image, NAN_CODE, sizeof k_image);
    memset(v_image, NAN_CODE, sizeof v_image);
    for (size_t i = 0; i < KEYS / SLOTS / EACH; i++)
        for (size_t key = 0; key < batch[i].keys; key++)
            for (size_t d = 0; d < DIM; d++) {
                seed = seed * 1664525 + 1013904223;
                k_image[at(i * EACH * SLOTS + key) + d] = (uint8_t)(seed >> 24 & 0xbf);
                v_image[at(i * EACH * SLOTS + key) + d] = (uint8_t)(seed >> 16 & 0xbf);
            }
    for (size_t i = 0; i < KEYS / SLOTS / EACH; i += 7)
        v_image[at(i * EACH * SLOTS) + 3] = NAN_CODE;
    for (size_t i = 0; i < BATCH * ROW; i++) {
        seed = seed * 1664525 + 1013904223;
        batch_q[i] = (float)(int32_t)seed * 0x1p-31f;
    }
}

/* `n` of them, from the first on, are as each is alone. */
static void try_batch(const gpu_attend_kernel *k, size_t first, size_t n, size_t splits)
{
    memset(batch_out, 0x5a, sizeof batch_out);
    memset(batch_lse, 0x5a, sizeof batch_lse);
    const char *wrong = run(k, batch + first, n, splits, 0);
    EXPECT(!wrong, "%s, batch of %zu: %s", k->name, n, wrong);
    EXPECT(memcmp(batch_out + first * ROW, alone_out + first * ROW, n * ROW * 4) == 0 &&
               memcmp(batch_lse + first * HEADS, alone_lse + first * HEADS, n * HEADS * 4) == 0,
           "%s: in a batch of %zu from request %zu on otherwise than alone", k->name, n, first);
}

/* Of each size from 1 to 64, at one position or another. */
static void batches(const gpu_attend_kernel *k, size_t step)
{
    size_t nan = 0;
    make_batch(k);
    for (size_t i = 0; i < BATCH; i++) {
        const char *wrong = run(k, &batch[i], 1, 1, 0);
        EXPECT(!wrong, "%s: %s", k->name, wrong);
    }
    memcpy(alone_out, batch_out, sizeof alone_out);
    memcpy(alone_lse, batch_lse, sizeof alone_lse);
    for (size_t i = 0; i < BATCH * ROW; i++)
        nan += bits(alone_out[i]) == 0x7fc00000;
    EXPECT(nan == 2 * 5 * HEADS, "%s: %zu words are NaN", k->name, nan);
    for (size_t n = 1; n <= BATCH; n += n + step > BATCH && n < BATCH ? BATCH - n : step)
        try_batch(k, n * 11 % (BATCH - n + 1), n, 1 + n % 3);
}

/* ---- images that stay on the device ---------------------------------------------------------- */

static const char *run_images(const gpu_attend_kernel *k, const sf8_attend *a,
                              gpu_attend_images *images)
{
    gpu_attend b;
    double seconds;
    memset(&b, 0, sizeof b);
    b.kernel = k;
    b.unit = &unit;
    b.requests = a;
    b.count = b.splits = 1;
    b.times = 1; /* otherwise the images are compared after the run */
    b.images = images;
    return gpu_attend_run(&b, &seconds);
}

/* Values are copied to the device by the first run alone, and again once that copy is freed. */
static void kept_images(const gpu_attend_kernel *k)
{
    static const float right[] = {1, 1, 4};
    gpu_attend_images images = {{NULL, NULL, NULL, NULL}};
    sf8_attend a = request(k, 70, 1);
    for (int i = 0; i < 3; i++) {
        const char *wrong = i == 2 ? gpu_attend_images_free(&images) : NULL;
        EXPECT(!wrong, "%s: %s", k->name, wrong);
        wrong = run_images(k, &a, &images);
        EXPECT(!wrong && out[0] == right[i], "%s, run %d: %a %s", k->name, i, (double)out[0],
               wrong ? wrong : "");
        memset(v_image, 0x48, sizeof v_image); /* 4 */
    }
    const char *wrong = gpu_attend_images_free(&images);
    EXPECT(!wrong && !images.room[0], "%s: %s", k->name, wrong ? wrong : "not freed");
    a.q_words = SF8_E4M3;
    EXPECT(run_images(k, &a, &images) && !images.room[0], "%s: images of a refused run", k->name);
}

/* ---- refused --------------------------------------------------------------------------------- */

static void refused(const gpu_attend_kernel *k, const sf8_attend *a, size_t count, size_t splits,
                    size_t shared, const char *why)
{
    memset(out, 0x5a, sizeof out);
    const char *wrong = run(k, a, count, splits, shared);
    EXPECT(wrong && strcmp(wrong, why) == 0, "%s: %s", why, wrong ? wrong : "taken");
    EXPECT(bits(out[0]) == 0x5a5a5a5a, "%s: written", why);
}

static void refusals(void)
{
    const gpu_attend_kernel *k = kernel("attend/e4m3/exact/8");
    sf8_attend a[2] = {request(k, 200, 1), request(k, 200, 1)}, one = a[0];
    int64_t others[KEYS / SLOTS];
    refused(k, a, 0, 1, 0, "no requests, or parts");
    refused(k, a, 1, 0, 0, "no requests, or parts");
    refused(kernel("attend/e5m2/exact/8"), a, 1, 1, 0, "not a cache of this kernel");
    refused(kernel("attend/e4m3/mma-f16/8"), a, 1, 1, 0, "not the sums of this kernel");
    a[1].cap = 0x3f800000;
    refused(k, a, 2, 1, 0, "requests that are not alike");
    a[1] = one;
    memcpy(others, blocks, sizeof others);
    others[7] = 0;
    a[1].blocks = others;
    refused(k, a, 2, 1, 2, "requests that do not share their first keys");
    a[1].blocks = blocks;
    a[1].keys = 127;
    refused(k, a, 2, 1, 2, "requests that do not share their first keys");
    one.keys = 17;
    one.block_count = 1;
    refused(k, &one, 1, 1, 0, sf8_attend_reason(SF8_ATTEND_FEW_BLOCKS));
    one = request(k, 200, 1);
    one.k.image.layout = sf8_kv_nhd(KEYS / SLOTS, SLOTS, 1, DIM - 8, 8);
    one.v.image.layout = one.k.image.layout;
    one.q.dim = one.out.dim = DIM - 8;
    refused(k, &one, 1, 1, 0, "not a size of this kernel");
    one = request(k, 200, 1);
    one.q_words = SF8_E4M3;
    refused(k, &one, 1, 1, 0, "words that no kernel takes");
}

int main(void)
{
    static const char *const names[] = {"attend/e4m3/exact/8", "attend/e4m3/mma-f16/8",
                                        "attend/e4m3/mma-bf16/8", "attend/e4m3/mma-f16/32"};
    open_device();
    if (sf8_recipe_named(&recipe, "kv-vllm") != SF8_OK)
        return 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const gpu_attend_kernel *k = kernel(names[i]);
        sf8_format f = strstr(names[i], "bf16") ? SF8_BF16 : SF8_F16;
        if (sf8_mma_named(&unit, "hopper-hmma", f, f, SF8_F32) != SF8_OK)
            return 1;
        for (size_t n = 0; i == 1 && n < sizeof packed_caches / sizeof packed_caches[0]; n++)
            packed(&packed_caches[n]);
        batches(k, i == 0 ? 1 : 21);
    }
    kept_images(kernel(names[0]));
    refusals();
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0;
}
