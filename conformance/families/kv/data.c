/* SPDX-License-Identifier: MIT */
/* data.c -- the tokens and images of a set, and the library's results */
#include "base/memory.h"
#include "base/random.h"
#include "families/kv/kv.h"

#include <stdlib.h>
#include <string.h>

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- words ----------------------------------------------------------------------------------- */

enum { ORDINARY, ZERO, SUBNORMAL, WITH_NAN, WITH_INF, ANY, LARGE, EQUAL, KINDS };

/* A number of the format with an exponent `power` above that of 1. */
static uint32_t word_with(sf8_format f, uint64_t random, int exponent)
{
    uint32_t mantissa = (uint32_t)random & ((1u << f.man_bits) - 1);
    uint32_t sign = (uint32_t)(random >> 40 & 1) << (f.exp_bits + f.man_bits);
    int field = exponent + f.bias, most = (1 << f.exp_bits) - 2;
    field = field < 0 ? 0 : field > most ? most : field;
    return sign | (uint32_t)field << f.man_bits | mantissa;
}

static uint32_t ordinary_word(sf8_format f, uint64_t random)
{
    return word_with(f, random, (int)(random >> 50) % 9 - 4);
}

static uint32_t infinity_of(sf8_format f)
{
    return ((1u << f.exp_bits) - 1) << f.man_bits;
}

static uint32_t seeded_word(sf8_format f, unsigned kind, uint64_t random)
{
    uint32_t sign = (uint32_t)(random >> 40 & 1) << (f.exp_bits + f.man_bits);
    uint32_t mantissa = (uint32_t)random & ((1u << f.man_bits) - 1), inf = infinity_of(f);
    switch (kind) {
    case ZERO:
        return sign;
    case SUBNORMAL:
        return sign | mantissa >> (random >> 60) % (uint64_t)f.man_bits;
    case WITH_NAN:
        return random >> 60 ? ordinary_word(f, random) : sign | inf | 1 | mantissa;
    case WITH_INF:
        return random >> 60 ? ordinary_word(f, random) : sign | inf;
    case ANY:
        return sign | ((uint32_t)random & (inf | (inf - 1)));
    case LARGE:
        return word_with(f, random, 6 + (int)(random >> 50) % 9);
    case EQUAL:
        return (uint32_t)(f.bias + 1) << f.man_bits;
    default:
        return ordinary_word(f, random);
    }
}

/* Zeros, infinities, NaNs, the least and the largest subnormals. */
static uint32_t special_word(sf8_format f, size_t which)
{
    uint32_t sign = 1u << (f.exp_bits + f.man_bits), inf = infinity_of(f), one = 1u << f.man_bits;
    const uint32_t words[9] = {
        sign, 0, inf, inf | sign, inf | one >> 1, inf | sign | 1, 1, sign | (one - 1), inf - 1};
    return words[which % 9];
}

static void put_word(unsigned char *tensor, size_t width, size_t i, uint32_t word)
{
    uint16_t half = (uint16_t)word;
    if (width == 4)
        memcpy(tensor + 4 * i, &word, 4);
    else if (width == 2)
        memcpy(tensor + 2 * i, &half, 2);
    else
        tensor[i] = (unsigned char)word;
}

/* A row where the first element of each group is the largest: 448, 127, 6 or 7.5 times a power of
 * two, or a number next to that; the others are smaller. */
static uint32_t step_word(const kv_subject *s, size_t row, size_t d, uint64_t random)
{
    sf8_format f = s->words;
    size_t group = s->group ? s->group : 128;
    int man = f.man_bits, bits = s->kernel->bits, power = (int)(row / 3 % 31) - 15;
    int top = s->recipe.integer == 8 ? 6 : bits == 8 ? 8 : 2;
    uint32_t large = top == 6 ? 63u << (man - 6) : top == 8 ? 3u << (man - 2) : 1u << (man - 1);
    int field = f.bias + top + power;
    field = field < 12 ? 12 : field > (1 << f.exp_bits) - 2 ? (1 << f.exp_bits) - 2 : field;
    if (d % group == 0)
        return ((uint32_t)field << man | large) + (uint32_t)(row % 3) - 1;
    return word_with(f, random, field - f.bias - 1 - (int)(random >> 50) % 11);
}

size_t kv_word_index(const kv_arrays *a, size_t token, size_t head, size_t d)
{
    return a->tensor_at + token * a->token_stride + head * a->head_stride + d;
}

/* The elements of a row of the tensor. */
static void fill_row(const kv_arrays *a, const kv_subject *s, const kv_set *set, size_t row,
                     uint64_t *state)
{
    size_t width = kv_width(s), dim = set->dim - set->second, at = row * dim;
    size_t special = row / 9 % 128, first = kv_word_index(a, row / set->heads, row % set->heads, 0);
    unsigned kind = set->data == KV_SEEDED ? (unsigned)(word_random(state) % KINDS) : ORDINARY;
    for (size_t d = 0; d < dim; d++) {
        uint64_t random = word_random(state);
        uint32_t word;
        if (width == 1)
            word = (uint32_t)random;
        else if (set->data == KV_WORDS)
            word = width == 2 ? (uint32_t)(at + d)
                              : (uint32_t)(at + d) << 16 | ((uint32_t)random & 0xffff);
        else if (set->data == KV_DIRECTED && d == (special + 128 * (row % 4)) % dim)
            word = special_word(s->words, row % 9);
        else if (set->data == KV_STEPS)
            word = step_word(s, row, d, random);
        else
            word = seeded_word(s->words, kind, random);
        put_word(a->tensor, width, first + d, word);
    }
}

/* ---- where ----------------------------------------------------------------------------------- */

static sf8_kv_layout dense(const kv_set *set, uint32_t bits, kv_place place)
{
    uint32_t order = place == KV_XPACKED   ? SF8_KV_XPACKED
                     : place == KV_COLUMNS ? SF8_KV_COLUMNS
                                           : SF8_KV_ROWS;
    uint32_t by_head = place != KV_NHD && place != KV_PAGE_K && place != KV_MLA &&
                       place != KV_TOKEN;
    return sf8_kv_dense(order, by_head, set->blocks, set->slots, set->heads, set->dim, bits);
}

/* Padding after each row and each block. */
static void pad(sf8_kv_layout *l, size_t bytes)
{
    uint64_t row = sf8_kv_bytes(l->dim, l->bits) + bytes;
    uint64_t *inner = &l->slot_stride, *outer = &l->head_stride, n = l->slots;
    if (bytes == 0)
        return;
    if (l->order != SF8_KV_ROWS) {
        l->head_stride += bytes;
        l->block_stride = l->heads * l->head_stride + bytes;
        return;
    }
    if (l->slot_stride > l->head_stride || (l->slots == 1 && l->heads > 1)) {
        inner = &l->head_stride;
        outer = &l->slot_stride;
        n = l->heads;
    }
    *inner = row;
    *outer = n * row + bytes;
    l->block_stride = (inner == &l->head_stride ? l->slots : l->heads) * *outer + bytes;
}

static sf8_kv_layout layout_of(const kv_subject *s, const kv_set *set)
{
    sf8_kv_layout l = dense(set, (uint32_t)s->kernel->bits, s->place);
    int token = s->place == KV_TOKEN || s->place == KV_TOKEN_HND;
    uint64_t group = s->group ? s->group : token ? set->heads * set->dim : set->dim;
    if (s->place == KV_DS_MLA)
        return sf8_kv_ds_mla(set->blocks, set->slots);
    if (s->place == KV_INDEXER)
        return sf8_kv_indexer(set->blocks, set->slots, set->dim, group);
    pad(&l, set->pad);
    if (s->given)
        return l;
    l = sf8_kv_with_scales(l, group, (uint32_t)sf8_format_bits(s->recipe.scale) <= 8 ? 8 : 32,
                           s->place == KV_HND || s->place == KV_PAGE_V || s->place == KV_TOKEN_HND);
    if (s->place == KV_PAGE_K || s->place == KV_PAGE_V)
        l = sf8_kv_behind(l);
    if (s->place == KV_PAGE_V)
        l.scale_order = SF8_LAYOUT_4TOKEN;
    return l;
}

/* In no order. Every fifth token is skipped, one of them for a slot beyond the last. */
static void fill_slots(int64_t *slot, const kv_set *set)
{
    size_t total = set->blocks * set->slots, step = total / 2 + 1, at = total - 1;
    while (step > 1) { /* without a common factor */
        size_t a = step, b = total;
        while (b) {
            size_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            break;
        step++;
    }
    for (size_t i = 0; i < set->tokens; i++) {
        slot[i] = i % 10 == 4 ? -1 : i % 10 == 9 ? (int64_t)(total + i) : (int64_t)at;
        if (i % 5 != 4)
            at = (at + step) % total;
    }
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* How elements are arranged, and the size of the tensor. */
static size_t lie(kv_arrays *a, const kv_set *set)
{
    size_t dim = set->dim - set->second, row = set->heads * dim;
    a->parts = a->layout.tail ? (size_t)a->layout.tail : set->second;
    a->token_stride = row;
    a->head_stride = dim;
    a->tail_stride = a->parts;
    if (set->lie == KV_FUSED) {
        a->token_stride = 4 * row;
        a->tensor_at = 2 * row;
        a->tail_stride += a->parts ? 8 : 0;
    } else if (set->lie == KV_APART) {
        a->head_stride = dim + 3;
        a->token_stride = set->heads * a->head_stride + 5;
        a->tensor_at = 1;
        a->tail_stride += a->parts ? 3 : 0;
    } else if (set->lie == KV_BESIDE) {
        a->head_stride = 2 * dim;
        a->token_stride = 2 * row;
        a->tensor_at = dim;
    } else if (set->lie == KV_BY_HEAD) {
        a->token_stride = dim;
        a->head_stride = set->tokens * dim;
    }
    return set->lie == KV_BY_HEAD ? set->tokens * row
                                  : set->tokens * a->token_stride + a->tensor_at;
}

static void make_room(kv_arrays *a, const kv_subject *s, const kv_set *set)
{
    a->tensor_bytes = lie(a, set) * kv_width(s);
    a->tail_bytes = set->tokens * a->tail_stride * kv_width(s);
    a->image_bytes = (size_t)sf8_kv_size(&a->layout);
    a->scale_bytes = (size_t)sf8_kv_scales_size(&a->layout);
    a->g_count = set->by_head ? set->heads : 1;
    a->tensor = allocate(1, a->tensor_bytes);
    a->tail = allocate(1, a->tail_bytes + 1);
    a->image = allocate(1, a->image_bytes);
    a->scales = allocate(1, a->scale_bytes + 1);
    if (!set->timed) {
        a->right_tensor = allocate(1, a->tensor_bytes);
        a->right_tail = allocate(1, a->tail_bytes + 1);
        a->right_image = allocate(1, a->image_bytes);
        a->right_scales = allocate(1, a->scale_bytes + 1);
    }
    a->slot = allocate(1, set->tokens * sizeof a->slot[0]);
    a->g = allocate(1, a->g_count * sizeof a->g[0]);
}

void kv_arrays_free(void *arrays)
{
    kv_arrays *a = arrays;
    free(a->tensor);
    free(a->tail);
    free(a->image);
    free(a->scales);
    free(a->right_tensor);
    free(a->right_tail);
    free(a->right_image);
    free(a->right_scales);
    free(a->slot);
    free(a->g);
    memset(a, 0, sizeof *a);
}

/* Scales for a reader: ordinary ones, and every eighth of any bits. */
static void fill_scales(kv_arrays *a, const kv_subject *s, uint64_t *state)
{
    const sf8_kv_layout *l = &a->layout;
    uint8_t *array = l->scales == SF8_KV_SCALES_APART ? a->scales : a->image;
    for (uint64_t b = 0; b < l->blocks; b++)
        for (uint64_t t = 0; t < l->slots; t++)
            for (uint64_t h = 0; h < sf8_kv_scale_heads(l); h++)
                for (uint64_t k = 0; k < sf8_kv_scale_columns(l); k++) {
                    uint64_t random = word_random(state);
                    uint32_t scale = (uint32_t)random & 0x7fffffffu;
                    if (random >> 61 && l->scale_bits == 32)
                        scale = 0x3c000000u + (scale & 0x03ffffffu);
                    else if (random >> 61)
                        scale = (s->recipe.scale.man_bits ? 0x30 : 0x78) + scale % 16;
                    memcpy(array + sf8_kv_scale_at(l, b, t, h, k), &scale, l->scale_bits / 8);
                }
}

/* The first bytes, repeated. */
static void repeat(unsigned char *to, size_t bytes, size_t period)
{
    for (size_t i = period; i < bytes; i += period)
        memcpy(to + i, to + i - period, bytes - i < period ? bytes - i : period);
}

/* Fills the inputs of a store or of a gather; the outputs are filled with the canary. For sets that
 * are only timed, a part is made and repeated. */
static void fill(kv_arrays *a, const kv_subject *s, const kv_set *set)
{
    uint64_t state = set->seed * 977;
    int back = s->kernel->back;
    size_t tokens = set->timed && set->tokens > 256 ? 256 : set->tokens;
    size_t row = a->token_stride * kv_width(s);
    size_t codes = set->timed && a->image_bytes > 999983 ? 999983 : a->image_bytes;
    memset(a->tensor, set->canary, a->tensor_bytes);
    memset(a->tail, set->canary, a->tail_bytes);
    memset(a->image, set->canary, a->image_bytes);
    memset(a->scales, set->canary, a->scale_bytes);
    for (size_t i = 0; i < tokens * set->heads && !back; i++)
        fill_row(a, s, set, i, &state);
    if (!back && tokens < set->tokens)
        repeat(a->tensor, a->tensor_bytes, tokens * row);
    for (size_t i = 0; i < a->tail_bytes && !back; i++)
        a->tail[i] = (unsigned char)word_random(&state);
    for (size_t i = 0; i < codes && back; i++)
        a->image[i] = set->data == KV_WORDS ? (uint8_t)(i * 17 + i / 256)
                                            : (uint8_t)word_random(&state);
    if (back && codes < a->image_bytes)
        repeat(a->image, a->image_bytes, codes);
    if (back && a->layout.scales != SF8_KV_SCALES_GIVEN)
        fill_scales(a, s, &state);
    for (size_t h = 0; h < a->g_count; h++) {
        uint32_t bits = set->g + (uint32_t)h * 0x00480000u; /* each a little larger */
        a->g[h] = float_of(bits);
    }
    fill_slots(a->slot, set);
}

/* ---- what the library makes of them ---------------------------------------------------------- */

static const char *right_of(kv_arrays *a, const kv_subject *s, const kv_set *set)
{
    sf8_kv_image image = {a->layout, a->right_image, a->image_bytes, a->right_scales,
                          a->scale_bytes};
    sf8_kv_slots slots = {a->slot, set->tokens, SF8_KV_OUTSIDE_SKIP, SF8_KV_TWICE_REFUSE, NULL, 0};
    sf8_kv_error error = {0, 0, 0};
    const sf8_recipe *recipe = s->copies ? NULL : &s->recipe;
    size_t seen = sf8_kv_seen_size(&a->layout), parts = a->parts;
    size_t dim = set->dim - set->second, skip = a->tensor_at * kv_width(s);
    sf8_status status;
    slots.seen = allocate(seen, 1);
    slots.seen_size = seen;
    if (s->kernel->back) {
        sf8_kv_gather g = {
            image,
            recipe,
            s->words,
            {a->right_tensor + skip, set->tokens, dim, a->token_stride, a->head_stride},
            {parts ? a->right_tail : NULL, parts ? set->tokens : 0, parts, a->tail_stride, parts},
            s->copies ? NULL : a->g,
            s->copies ? 0 : a->g_count};
        status = sf8_kv_gather_n(&g, 1, &slots, &error);
    } else {
        sf8_kv_store g = {
            image,
            recipe,
            s->words,
            {a->tensor + skip, set->tokens, dim, a->token_stride, a->head_stride},
            {parts ? a->tail : NULL, parts ? set->tokens : 0, parts, a->tail_stride, parts},
            s->copies ? NULL : a->g,
            s->copies ? 0 : a->g_count};
        status = sf8_kv_store_n(&g, 1, &slots, &error);
    }
    free(slots.seen);
    return status == SF8_OK ? NULL : sf8_kv_reason(error.reason);
}

const char *kv_arrays_make(kv_arrays *a, const kv_subject *s, const kv_set *set)
{
    memset(a, 0, sizeof *a);
    a->layout = layout_of(s, set);
    if (sf8_kv_check(&a->layout) != SF8_KV_GOOD)
        return sf8_kv_reason(sf8_kv_check(&a->layout));
    make_room(a, s, set);
    fill(a, s, set);
    if (set->timed)
        return NULL;
    memcpy(a->right_image, a->image, a->image_bytes);
    memcpy(a->right_scales, a->scales, a->scale_bytes);
    memcpy(a->right_tensor, a->tensor, a->tensor_bytes);
    memcpy(a->right_tail, a->tail, a->tail_bytes);
    return right_of(a, s, set);
}
