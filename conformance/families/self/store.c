/* SPDX-License-Identifier: MIT */
/* store.c -- where stores put keys and values: images against the stacks' index formulas
 *
 * vLLM csrc/cache_kernels.cu, reshape_and_cache and reshape_and_cache_flash, written out. Whole
 * images are compared; bytes that belong to no token must keep their first value.
 */
#include "families/self/self.h"
#include "softfp8_blocks.h"
#include "softfp8_kv_store.h"

#include <stdlib.h>
#include <string.h>

enum { NHD, HND, X_PACKED, COLUMNS, KINDS };
enum { CANARY = 0xa5, TOKENS_MOST = 64, WORDS_MOST = 3 * TOKENS_MOST * 1024, IMAGE_MOST = 1 << 19 };

static const char *const kinds[KINDS] = {"nhd", "hnd", "x-packed", "columns"};

typedef struct store_shape {
    int kind;
    size_t blocks, slots, heads, dim;
    int bits;
} store_shape;

/* In elements. */
static size_t index_of(const store_shape *s, size_t place, size_t h, size_t d)
{
    size_t b = place / s->slots, t = place % s->slots, x = 128 / (size_t)s->bits;
    size_t head = b * s->heads + h;
    switch (s->kind) {
    case NHD:
        return (place * s->heads + h) * s->dim + d;
    case HND:
        return (head * s->slots + t) * s->dim + d;
    case X_PACKED:
        return ((head * (s->dim / x) + d / x) * s->slots + t) * x + d % x;
    default:
        return (head * s->dim + d) * s->slots + t;
    }
}

/* What is stored: elements of bf16, or of f32 that are divided; strides in elements, 0:
 * contiguous. */
typedef struct store_task {
    store_shape s;
    const void *words;
    size_t tokens, token_stride, head_stride;
    const int64_t *slot;
    const float *scale; /* NULL: copied unchanged */
    size_t scales;
} store_task;

static uint8_t came[IMAGE_MOST], right[IMAGE_MOST];

static void place_words(const store_task *t)
{
    size_t bytes = (size_t)t->s.bits / 8;
    for (size_t i = 0; i < t->tokens; i++)
        for (size_t h = 0; t->slot[i] >= 0 && h < t->s.heads; h++)
            for (size_t d = 0; d < t->s.dim; d++) {
                size_t from = i * t->token_stride + h * t->head_stride + d;
                uint8_t *to = right + index_of(&t->s, (size_t)t->slot[i], h, d) * bytes;
                float x;
                if (!t->scale) {
                    memcpy(to, (const char *)t->words + from * bytes, bytes);
                    continue;
                }
                memcpy(&x, (const char *)t->words + from * sizeof x, sizeof x);
                *to = sf8_f32_to_e4m3(x / t->scale[t->scales > 1 ? h : 0], SF8_CUDA_SATFINITE);
            }
}

static sf8_status store_words(const store_task *t)
{
    static uint8_t seen[TOKENS_MOST * 8];
    sf8_recipe r;
    sf8_kv_slots slots = {t->slot, t->tokens, 0, 0, seen, sizeof seen};
    sf8_kv_store s;
    memset(&s, 0, sizeof s);
    if (sf8_recipe_named(&r, "kv-vllm") != SF8_OK ||
        sf8_kv_layout_named(&s.image.layout, kinds[t->s.kind], t->s.blocks, t->s.slots, t->s.heads,
                            t->s.dim, t->s.bits) != SF8_OK)
        return SF8_BAD_CALL;
    s.image.data = came;
    s.image.size = (size_t)sf8_kv_size(&s.image.layout);
    s.recipe = t->scale ? &r : NULL;
    s.from = t->scale ? SF8_F32 : t->s.bits == 8 ? SF8_E4M3 : SF8_BF16;
    s.first.words = t->words;
    s.first.tokens = t->tokens;
    s.first.dim = t->s.dim;
    s.first.token_stride = t->token_stride;
    s.first.head_stride = t->head_stride;
    s.g = t->scale;
    s.g_count = t->scale ? t->scales : 0;
    return sf8_kv_store_n(&s, 1, &slots, NULL);
}

/* Compares whole images of the library and of the formula. Returns how many of their bytes belong
 * to no token. */
static size_t check_store(self_checks *c, const store_task *task)
{
    store_task t = *task;
    size_t size = t.s.blocks * t.s.slots * t.s.heads * t.s.dim * (size_t)t.s.bits / 8, other = 0,
           kept = 0;
    if (t.head_stride == 0)
        t.head_stride = t.s.dim;
    if (t.token_stride == 0)
        t.token_stride = t.s.heads * t.s.dim;
    memset(came, CANARY, sizeof came);
    memset(right, CANARY, sizeof right);
    self_check(c, kinds[t.s.kind], store_words(&t), SF8_OK);
    place_words(&t);
    for (size_t i = 0; i < IMAGE_MOST; i++) {
        other += came[i] != right[i];
        kept += i < size && came[i] == CANARY;
    }
    self_check(c, kinds[t.s.kind], other, 0);
    return kept;
}

static unsigned char room[4 * WORDS_MOST + 16];
static int64_t order[TOKENS_MOST];

/* Values of up to 16 bits that say where they are from, and differ from the canary. */
static void fill_places(size_t bytes)
{
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = (unsigned char)(i / bytes * 37 % 127 + i % bytes);
}

static void fill_floats(void)
{
    for (size_t i = 0; i < WORDS_MOST; i++) {
        float x = ((float)(i * 2654435761u % 4096) - 2048) / 64;
        memcpy(room + 4 * i, &x, sizeof x);
    }
}

/* Tokens in no order, every fifth without a slot. */
static void permute(size_t tokens, size_t total)
{
    for (size_t i = 0; i < tokens; i++)
        order[i] = i % 5 == 4 ? -1 : (int64_t)((i * 7 + 3) % total);
}

static void run_slots(self_checks *c)
{
    store_task t = {{NHD, 3, 16, 2, 64, 16}, room, 40, 0, 0, order, NULL, 0};
    fill_places(2);
    for (t.s.kind = 0; t.s.kind < KINDS; t.s.kind++) {
        permute(40, 47);
        size_t kept = check_store(c, &t);
        self_check(c, "slots that no token has", kept / 256, 16);
        order[7] = 48;
        self_check(c, "a slot beyond the last",
                   store_words(&(store_task){t.s, room, 40, 128, 64, order, NULL, 0}),
                   SF8_BAD_CALL);
        order[7] = order[8];
        self_check(c, "a slot twice",
                   store_words(&(store_task){t.s, room, 40, 128, 64, order, NULL, 0}),
                   SF8_BAD_CALL);
    }
}

/* Chunks of 16 bytes of a token near 512, 640 and 1024 bytes: all of them are written. */
static void run_coverage(self_checks *c)
{
    static const size_t rows[][2] = {{7, 73}, {8, 64}, {9, 57}, {40, 16}, {8, 128}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int bits = 8; bits <= 16; bits += 8) {
            store_task t = {{X_PACKED, 1, 8, rows[i][0], rows[i][1] * 128 / (size_t)bits, bits},
                            room,
                            8,
                            0,
                            0,
                            order,
                            NULL,
                            0};
            memset(room, 0x42, sizeof room);
            for (size_t k = 0; k < 8; k++)
                order[k] = (int64_t)k;
            self_check(c, "bytes that were not written", check_store(c, &t), 0);
        }
}

static void run_layouts(self_checks *c)
{
    static const size_t sizes[] = {64, 80, 96, 128, 192, 256, 576}, slots[] = {1, 8, 16, 32};
    fill_places(2);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t k = 0; k < sizeof slots / sizeof slots[0]; k++)
            for (int kind = 0; kind < KINDS; kind++) {
                store_task t = {
                    {kind, 3, slots[k], 3, sizes[i], 16}, room, 3, 0, 0, order, NULL, 0};
                permute(3, 3 * slots[k]);
                check_store(c, &t);
            }
}

static void run_heads(self_checks *c)
{
    static const float scale[4] = {.025f, 2 * 5, 4 * 7, .3f};
    fill_floats();
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t scales = 1; scales <= 4; scales += 3) {
            store_task t = {{kind, 2, 16, 4, 64, 8}, room, 20, 0, 0, order, scale, scales};
            permute(20, 31);
            check_store(c, &t);
        }
}

/* All words of 16 bits: NaN with its payload, -0, subnormals. */
static void run_auto(self_checks *c)
{
    for (uint32_t i = 0; i < 0x10000; i++) {
        uint16_t word = (uint16_t)i;
        memcpy(room + 2 * i, &word, 2);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        store_task t = {{kind, 1, 64, 2, 512, 16}, room, 64, 0, 0, order, NULL, 0};
        for (size_t k = 0; k < 64; k++)
            order[k] = (int64_t)(63 - k);
        check_store(c, &t);
    }
}

/* Keys as a slice of Q, K and V in one tensor, heads with a gap, and odd addresses: the same bytes
 * as without gaps, and the source is unchanged. */
static void run_strided(self_checks *c)
{
    static const float scale = .3f;
    static unsigned char before[sizeof room];
    fill_floats();
    memcpy(before, room, sizeof room);
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t skew = 0; skew < 4; skew++) {
            store_task t = {
                {kind, 2, 16, 4, 64, 8}, room + skew, 20, 3 * 4 * 72, 72, order, &scale, 1};
            permute(20, 31);
            check_store(c, &t);
            self_check(c, "the source", (uint64_t)memcmp(before, room, sizeof room), 0);
        }
}

const self_table self_store[] = {
    {"store/slot_mapping", run_slots},
    {"store/x_packed_covers_all_bytes", run_coverage},
    {"store/layout_nhd_hnd", run_layouts},
    {"store/per_head_scale", run_heads},
    {"store/auto_dtype_bits", run_auto},
    {"store/strided_input", run_strided},
    {NULL, NULL},
};
