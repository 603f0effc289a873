/* SPDX-License-Identifier: MIT */
/* kv.h -- what the tests of KV cache images share: the stacks' index formulas, images with guards,
 * and a slow writer that does not use the library's layouts */
#ifndef SF8_TEST_KV_H
#define SF8_TEST_KV_H

#include "check.h"
#include "random.h"
#include "softfp8_blocks.h"
#include "softfp8_kv_store.h"

/* ---- the formulas ---------------------------------------------------------------------------- */

enum { NHD, HND, X_PACKED, COLUMNS, KINDS };

static const char *const kinds[] = {"nhd", "hnd", "x-packed", "columns"};

typedef struct shape {
    uint64_t blocks, slots, heads, dim;
    uint32_t bits;
} shape;

/* vLLM csrc/cache_kernels.cu: reshape_and_cache_flash (both), reshape_and_cache (K, V). In
 * elements. */
static inline uint64_t formula(int kind, const shape *s, uint64_t blk, uint64_t off, uint64_t h,
                               uint64_t d)
{
    uint64_t x = 16 / (s->bits / 8);
    uint64_t block_stride = s->slots * s->heads * s->dim;
    switch (kind) {
    case NHD: /* page_stride = num_heads * head_size, head_stride = head_size */
        return blk * block_stride + off * (s->heads * s->dim) + h * s->dim + d;
    case HND: /* page_stride = head_size, head_stride = block_size * head_size */
        return blk * block_stride + off * s->dim + h * (s->slots * s->dim) + d;
    case X_PACKED:
        return blk * s->heads * (s->dim / x) * s->slots * x + h * (s->dim / x) * s->slots * x +
               (d / x) * s->slots * x + off * x + d % x;
    default:
        return blk * s->heads * s->dim * s->slots + h * s->dim * s->slots + d * s->slots + off;
    }
}

static inline sf8_kv_layout layout_of(int kind, const shape *s)
{
    sf8_kv_layout l;
    sf8_status status = sf8_kv_layout_named(&l, kinds[kind], s->blocks, s->slots, s->heads, s->dim,
                                            (int32_t)s->bits);
    cr_assert(status == SF8_OK, "%s: %d", kinds[kind], (int)status);
    return l;
}

/* ---- images ---------------------------------------------------------------------------------- */

enum { GUARD = 64, IMAGE_MOST = 3 * 128 * 8 * 576 * 2 + 2 * GUARD, CANARY = 0xa5 };

/* An image with a guard before and behind it; `want` is what it has to be. */
static uint8_t image_room[IMAGE_MOST], want_room[IMAGE_MOST];
static uint8_t *const image = image_room + GUARD, *const want = want_room + GUARD;

static inline void images_begin(size_t size)
{
    cr_assert(size + 2 * GUARD <= IMAGE_MOST);
    memset(image_room, CANARY, size + 2 * GUARD);
    memset(want_room, CANARY, size + 2 * GUARD);
}

static inline int images_same(size_t size)
{
    return memcmp(image_room, want_room, size + 2 * GUARD) == 0;
}

static inline sf8_kv_image image_of(const sf8_kv_layout *l, uint8_t *data, uint8_t *scales)
{
    sf8_kv_image i;
    i.layout = *l;
    i.data = data;
    i.size = (size_t)sf8_kv_size(l);
    i.scales = scales;
    i.scales_size = (size_t)sf8_kv_scales_size(l);
    return i;
}

/* ---- slots ----------------------------------------------------------------------------------- */

enum { TOKENS_MOST = 1024 };

static int64_t slot_room[TOKENS_MOST];
static uint8_t seen_room[TOKENS_MOST];

/* Tokens in no order: the first has the last slot, every fifth has none. */
static inline sf8_kv_slots permuted(size_t count, uint64_t total)
{
    sf8_kv_slots s = {slot_room, count, 0, 0, seen_room, sizeof seen_room};
    uint64_t place = total - 1, step = total > 8 ? total / 2 + 1 : 1;
    static uint8_t used[4 * TOKENS_MOST];
    cr_assert(count <= TOKENS_MOST && total <= sizeof used && total / 8 < sizeof seen_room);
    memset(used, 0, total);
    memset(seen_room, 0xff, sizeof seen_room);
    for (size_t i = 0; i < count; i++) {
        slot_room[i] = i % 10 == 4 ? -1 : INT64_MIN;
        if (i % 5 == 4)
            continue;
        while (used[place])
            place = (place + 1) % total;
        used[place] = 1;
        slot_room[i] = (int64_t)place;
        place = (place + step) % total;
    }
    return s;
}

/* All slots, in order. */
static inline sf8_kv_slots in_order(size_t total)
{
    sf8_kv_slots s = {slot_room, total, 0, 0, seen_room, sizeof seen_room};
    cr_assert(total <= TOKENS_MOST);
    for (size_t i = 0; i < total; i++)
        slot_room[i] = (int64_t)i;
    return s;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Word i at any address, as a float; bytes of f32, bf16 or f16. */
static inline float word_at(sf8_format f, const void *words, size_t i)
{
    uint16_t half;
    float word;
    if (sf8_format_bits(f) == 32) {
        memcpy(&word, (const char *)words + 4 * i, 4);
        return word;
    }
    memcpy(&half, (const char *)words + 2 * i, 2);
    return sf8_f32_from_bits(f.exp_bits == 8
                                 ? (uint32_t)half << 16
                                 : (uint32_t)sf8_convert(SF8_F32, SF8_F16, half, SF8_OCP_NOSAT));
}

/* ---- recipes --------------------------------------------------------------------------------- */

/* A recipe as a row: elements, block, scale format and the programs. */
static inline sf8_recipe recipe_read(const char *element, int32_t block, const char *scale,
                                     const char *scale_of, const char *element_of,
                                     const char *value_of)
{
    sf8_recipe_row row = {.name = "test", element, "cuda-satfinite", "", block, scale, "ocp-nosat",
                          "", scale_of, "", "", element_of, value_of, ""};
    sf8_recipe r;
    cr_assert(sf8_recipe_read(&r, &row) == SF8_OK, "%s", element);
    return r;
}

static inline sf8_recipe recipe_called(const char *name)
{
    sf8_recipe r;
    cr_assert(sf8_recipe_named(&r, name) == SF8_OK, "no recipe %s", name);
    return r;
}

/* vLLM's scaled_vec_conversion: x / scale in f32, satfinite; and back. */
static inline sf8_recipe given_divide(const char *element)
{
    return recipe_read(element, 0, "f32", "g", "x s /", "e s *");
}

#endif
