/* SPDX-License-Identifier: MIT */
/* attends.c -- cases of attention: one query over the keys and values of a cache; their tags
 *
 * Keys and values are codes of a recipe whose scale is given, or words. There is one head, and the
 * query sees all keys.
 */
#include "base/memory.h"
#include "softfp8_attend.h"
#include "softfp8_blocks.h"
#include "softfp8_kv_store.h"
#include "suite/input_sets.h"
#include "vectors/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE, K_SCALE, V_SCALE, SCALES, KEYS_MOST = 4096, NO_KEY = -1 };

static const sf8_attend_order *order_of(const vector_group *g)
{
    return sf8_attend_order_named(g->head[0]);
}

/* The keys and values: a recipe of 8 bits for all heads, or words. */
static const char *open_cache(vector_group *g)
{
    const char *name = g->head[1];
    if (tensor_format(name, &g->cache))
        return NULL;
    if (sf8_recipe_named(&g->recipe, name) != SF8_OK || !sf8_recipe_scale_given(&g->recipe) ||
        sf8_recipe_bits(&g->recipe) != 8)
        return "a recipe of 8 bits whose scale is given, such as kv-vllm, or f32, bf16 or f16";
    g->has_recipe = 1;
    g->cache = g->recipe.element;
    return NULL;
}

static const char *open_attend(vector_group *g)
{
    sf8_status status;
    const char *expected;
    sf8_attend_sums_named(g->head[0], &status);
    if (status != SF8_OK && !order_of(g))
        return "exact, mma-f16, mma-bf16, or an order that 'softfp8 attend --orders' lists";
    if ((expected = open_cache(g)) != NULL)
        return expected;
    if (!tensor_format(g->head[2], &g->tensor))
        return "f32, bf16 or f16 as the format of the query and the output";
    g->rows = strtoul(g->head[3], NULL, 10);
    if (g->rows == 0 || g->rows % 8 != 0 || g->rows > 1024)
        return "a head of 8 to 1024 elements, a multiple of 8";
    group_field(g, "q", sf8_format_bits(g->tensor), g->rows, 0);
    group_field(g, "k", sf8_format_bits(g->cache), 0, 0);
    group_field(g, "v", sf8_format_bits(g->cache), 0, 0);
    group_field(g, "scales", 32, SCALES, 0);
    group_field(g, "out", sf8_format_bits(g->tensor), g->rows, 1);
    group_field(g, "lse", 32, 1, 1);
    return NULL;
}

/* ---- computing ------------------------------------------------------------------------------- */

/* The cache as an image of one block. Key `without` is left out; `turned`: the last key first. */
static void *image_of(sf8_attend_cache *cache, const vector_group *g, const vector_words *w,
                      const uint32_t *scale, int without, int turned)
{
    size_t dim = g->rows, keys = w->count / dim, left = keys - (without != NO_KEY), at = 0;
    size_t width = (size_t)sf8_format_bits(g->cache) / 8;
    uint8_t *data = allocate(left * dim, width);
    for (size_t i = 0; i < keys; i++) {
        size_t key = turned ? keys - 1 - i : i;
        if ((int)key == without)
            continue;
        for (size_t d = 0; d < dim; d++)
            array_put(g->cache, data, at++, w->word[key * dim + d]);
    }
    memset(cache, 0, sizeof *cache);
    sf8_kv_layout_named(&cache->image.layout, "nhd", 1, left, 1, dim, (int32_t)(8 * width));
    cache->image.data = data;
    cache->image.size = left * dim * width;
    cache->recipe = g->has_recipe ? &g->recipe : NULL;
    cache->words = g->cache;
    cache->scale = scale;
    cache->scales = 1;
    return data;
}

/* An output and its lse. */
typedef struct attended {
    uint32_t out[1024], lse;
} attended;

/* Returns 0 if the order cannot compute this. */
static int attend(const vector_group *g, vector_case *c, int without, int turned, attended *z)
{
    static const int64_t block = 0;
    const vector_words *q = case_field(g, c, "q"), *k = case_field(g, c, "k");
    const vector_words *scales = case_field(g, c, "scales");
    const sf8_attend_order *order = order_of(g);
    uint32_t scale[SCALES], query[1024];
    size_t dim = g->rows;
    for (int i = 0; i < SCALES; i++)
        scale[i] = (uint32_t)scales->word[i];
    for (size_t i = 0; i < dim; i++)
        array_put(g->tensor, query, i, q->word[i]);
    sf8_attend a = {.scale = scale[SCALE], .left = -1, .right = -1, .queries = 1, .heads = 1};
    a.sums = order ? SF8_ATTEND_EXACT : sf8_attend_sums_named(g->head[0], NULL);
    a.keys = k->count / dim - (without != NO_KEY);
    a.blocks = &block;
    a.block_count = 1;
    a.q_words = a.out_words = g->tensor;
    a.q = (sf8_kv_words){query, 1, dim, dim, dim};
    a.out = (sf8_kv_room){z->out, 1, dim, dim, dim};
    a.lse = &z->lse;
    void *of_k = image_of(&a.k, g, k, &scale[K_SCALE], without, turned);
    void *of_v = image_of(&a.v, g, case_field(g, c, "v"), &scale[V_SCALE], without, turned);
    int good = order ? sf8_attend_order_check(order, &a, 1) == SF8_ATTEND_GOOD
                     : sf8_attend_check(&a) == SF8_ATTEND_GOOD;
    size_t words = !good ? 0 : order ? sf8_attend_order_room(order, &a, 1) : sf8_attend_room(&a);
    uint32_t *room = allocate(words + 1, sizeof room[0]);
    memset(z, 0, sizeof *z);
    if (good)
        good = (order ? sf8_attend_order_n(order, &a, 1, room, words)
                      : sf8_attend_n(&a, room, words)) == SF8_OK;
    free(room);
    free(of_k);
    free(of_v);
    return good;
}

static const char *run_attend(const vector_group *g, vector_case *c)
{
    attended z;
    const vector_words *k = case_field(g, c, "k"), *v = case_field(g, c, "v");
    vector_words *out = case_field(g, c, "out"), *lse = case_field(g, c, "lse");
    if (k->count == 0 || k->count % g->rows != 0 || k->count != v->count ||
        k->count / g->rows > KEYS_MOST)
        return "as many values as keys, 1 to 4096, each with the elements of a head";
    words_resize(out, g->rows);
    words_resize(lse, 1);
    if (!attend(g, c, NO_KEY, 0, &z))
        return "a head, scales and a cache that the order can compute with";
    for (size_t i = 0; i < g->rows; i++)
        out->word[i] = array_get(g->tensor, z.out, i);
    lse->word[0] = z.lse;
    return NULL;
}

/* ---- tags ------------------------------------------------------------------------------------ */

static vector_tags words_tags(sf8_format f, const vector_words *w)
{
    vector_tags tags = 0;
    for (size_t i = 0; i < w->count; i++)
        tags |= tag_if(sf8_is_nan(f, w->word[i]) != 0, TAG_NAN) |
                tag_if(sf8_is_inf(f, w->word[i]) != 0, TAG_INFINITE);
    return tags;
}

/* All keys are the same, or the query is zero. */
static int equal_scores(const vector_group *g, vector_case *c)
{
    const vector_words *q = case_field(g, c, "q"), *k = case_field(g, c, "k");
    int same = 1, zero = 1;
    for (size_t i = g->rows; i < k->count; i++)
        same &= k->word[i] == k->word[i - g->rows];
    for (size_t i = 0; i < q->count; i++)
        zero &= (q->word[i] & sf8_format_mag_mask(g->tensor)) == 0;
    return same || zero;
}

static int same_result(const vector_group *g, const attended *a, const attended *b)
{
    size_t bytes = g->rows * (size_t)sf8_format_bits(g->tensor) / 8;
    return a->lse == b->lse && memcmp(a->out, b->out, bytes) == 0;
}

static vector_tags tags_of_attend(const vector_group *g, vector_case *c)
{
    attended z, other;
    const vector_words *k = case_field(g, c, "k");
    size_t keys = k->count / g->rows;
    vector_tags tags = words_tags(g->tensor, case_field(g, c, "q")) | words_tags(g->cache, k) |
                       words_tags(g->cache, case_field(g, c, "v"));
    attend(g, c, NO_KEY, 0, &z);
    int idle = 0;
    for (size_t i = 0; i < keys && keys > 1; i++)
        idle |= attend(g, c, (int)i, 0, &other) && same_result(g, &z, &other);
    int turned = attend(g, c, NO_KEY, 1, &other) && !same_result(g, &z, &other);
    tags |= tag_if(keys == 1, TAG_ONE_KEY) |
            tag_if(keys > 1 && equal_scores(g, c), TAG_EQUAL_SCORES) | tag_if(idle, TAG_IDLE_KEY) |
            tag_if(turned, TAG_ORDER);
    return tags ? tags : tag_if(1, TAG_PLAIN);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

enum attend_input { RANDOM, EQUAL, NEEDLE, NAN_KEY, NAN_VALUE, INPUTS };

/* A finite number of about one, of either sign. */
static uint64_t about_one(sf8_format f, uint64_t *state)
{
    uint32_t word = 0x3e800000 + (word_random(state) & 0x81ffffff);
    return sf8_convert(f, SF8_F32, word, SF8_OCP);
}

static uint64_t number(sf8_format f, uint32_t word)
{
    return sf8_convert(f, SF8_F32, word, SF8_OCP);
}

static void draw(vector_words *w, size_t count, sf8_format f, uint64_t *state)
{
    words_resize(w, count);
    for (size_t i = 0; i < count; i++)
        w->word[i] = about_one(f, state);
}

static void change(const vector_group *g, vector_case *c, enum attend_input what, size_t keys)
{
    vector_words *q = case_field(g, c, "q"), *k = case_field(g, c, "k");
    vector_words *v = case_field(g, c, "v");
    size_t dim = g->rows, middle = keys / 2 * dim;
    for (size_t i = dim; what == EQUAL && i < k->count; i++)
        k->word[i] = k->word[i - dim];
    /* A score far above the others: 64 in each element, with the sign of the query's. */
    for (size_t i = 0; what == NEEDLE && i < dim; i++) {
        uint32_t minus = q->word[i] & sf8_format_sign_bit(g->tensor) ? 0x80000000u : 0;
        k->word[middle + i] = number(g->cache, 0x42800000u | minus);
    }
    if (what == NAN_KEY)
        k->word[middle + 1] = number(g->cache, 0x7fc00000);
    if (what == NAN_VALUE)
        v->word[middle + 1] = number(g->cache, 0x7fc00000);
}

static int nth_attend(const vector_group *g, size_t i, vector_case *c, char name[CASE_NAME])
{
    static const size_t counts[] = {1, 2, 5, 16, 17, 33};
    static const char *const names[INPUTS] = {"random", "equal", "needle", "nan-key", "nan-value"};
    size_t n = i / INPUTS;
    uint64_t state = i;
    vector_words *scales = case_field(g, c, "scales");
    if (n >= sizeof counts / sizeof counts[0])
        return 0;
    draw(case_field(g, c, "q"), g->rows, g->tensor, &state);
    draw(case_field(g, c, "k"), counts[n] * g->rows, g->cache, &state);
    draw(case_field(g, c, "v"), counts[n] * g->rows, g->cache, &state);
    words_resize(scales, SCALES);
    scales->word[SCALE] = 0x3e800000;                                /* 1/4 */
    scales->word[K_SCALE] = g->has_recipe ? 0x3f99999a : 0x3f800000; /* 1.2 */
    scales->word[V_SCALE] = g->has_recipe ? 0x3dcccccd : 0x3f800000; /* 0.1 */
    change(g, c, (enum attend_input)(i % INPUTS), counts[n]);
    snprintf(name, CASE_NAME, "%zu-keys-%s", counts[n], names[i % INPUTS]);
    return 1;
}

const vector_kind kind_attend = {
    .name = "attend",
    .head = {{"order", 's', 0}, {"cache", 's', 0}, {"words", 's', 0}, {"dim", 'n', 0}},
    .open = open_attend,
    .run = run_attend,
    .tags = tags_of_attend,
    .nth = nth_attend,
};
