/* SPDX-License-Identifier: MIT */
/* stores.c -- other ways to store keys and values: which differ, and what they give */
#include "diagnose/attend/stores.h"
#include "softfp8_blocks.h"

#include <string.h>

/* The scale: that of the cache, 1, or what the recipe's own program computes of the tensor. */
enum { SCALE_OF_CACHE, SCALE_ONE, SCALE_OF_TENSOR };

/* A head that a way stored. */
typedef struct stored_head {
    size_t way, kv;
    float *values; /* NULL: none yet */
} stored_head;

/* Twice as many as there are heads, or more if they are short; the oldest is replaced. */
struct attend_kept_otherwise {
    size_t most, next;
    stored_head *of;
    uint32_t amax; /* of the whole side */
};

/* Without a recipe it is that of the cache. */
static const attend_store stores[] = {
    {{"k-kept-bf16", "v-kept-bf16", "kv-kept-bf16"}, "kept in bf16", "bf16", SCALE_ONE, 0},
    {{"k-kept-f16", "v-kept-f16", "kv-kept-f16"}, "kept in f16", "f16", SCALE_ONE, 0},
    {{"k-kept-f32", "v-kept-f32", "kv-kept-f32"}, "kept in f32", "f32", SCALE_ONE, 1},
    {{"k-stored-scale-1", "v-stored-scale-1", "kv-stored-scale-1"},
     "stored with scale 1",
     NULL,
     SCALE_ONE,
     0},
    {{"k-stored-scale-amax", "v-stored-scale-amax", "kv-stored-scale-amax"},
     "stored with a scale of the largest magnitude",
     NULL,
     SCALE_OF_TENSOR,
     0},
    {{"k-stored-e4m3", "v-stored-e4m3", "kv-stored-e4m3"},
     "stored in e4m3 with their scale",
     "kv-vllm",
     SCALE_OF_CACHE,
     0},
    {{"k-stored-e5m2", "v-stored-e5m2", "kv-stored-e5m2"},
     "stored in e5m2 with their scale",
     "kv-vllm-e5m2",
     SCALE_OF_CACHE,
     0},
    {{"k-stored-e4m3fnuz", "v-stored-e4m3fnuz", "kv-stored-e4m3fnuz"},
     "stored in e4m3fnuz with their scale",
     "kv-vllm-rocm",
     SCALE_OF_CACHE,
     1},
    {{"k-stored-e4m3-amax", "v-stored-e4m3-amax", "kv-stored-e4m3-amax"},
     "stored in e4m3 with the scale of the largest magnitude",
     "kv-vllm",
     SCALE_OF_TENSOR,
     0},
    {{"k-stored-e5m2-amax", "v-stored-e5m2-amax", "kv-stored-e5m2-amax"},
     "stored in e5m2 with the scale of the largest magnitude",
     "kv-vllm-e5m2",
     SCALE_OF_TENSOR,
     1},
    {{"k-stored-e4m3-token", "v-stored-e4m3-token", "kv-stored-e4m3-token"},
     "stored in e4m3 with a scale for each token and head",
     "fp8-per-token-head",
     SCALE_OF_TENSOR,
     1},
    {{"k-stored-int8", "v-stored-int8", "kv-stored-int8"},
     "stored in int8 with the scale of the largest magnitude",
     "kv-trtllm-int8",
     SCALE_OF_TENSOR,
     1},
    {{"k-stored-int8-token", "v-stored-int8-token", "kv-stored-int8-token"},
     "stored in int8 with a scale for each token and head",
     "int8-per-token-head",
     SCALE_OF_TENSOR,
     1},
    {{"k-stored-nvfp4", "v-stored-nvfp4", "kv-stored-nvfp4"},
     "stored in NVFP4",
     "nvfp4-flashinfer-kv",
     SCALE_OF_TENSOR,
     1},
    {{"k-stored-mxfp8", "v-stored-mxfp8", "kv-stored-mxfp8"},
     "stored in MXFP8",
     "mxfp8-e4m3-torchao-floor",
     SCALE_OF_TENSOR,
     1},
};

const attend_store *attend_store_at(size_t i)
{
    return i > 0 && i <= sizeof stores / sizeof stores[0] ? &stores[i - 1] : NULL;
}

/* ---- what they give -------------------------------------------------------------------------- */

/* What a side was before it was stored; NULL if that is not known. */
static const float *source_of(const attend_problem *r, const attend_kept *side)
{
    const sf8_recipe *recipe = side == &r->k ? r->a.k.recipe : r->a.v.recipe;
    return side->given ? side->given : recipe ? NULL : side->values;
}

static int format_of(const char *name, sf8_format *f)
{
    static const char *const names[] = {"bf16", "f16", "f32"};
    const sf8_format formats[] = {SF8_BF16, SF8_F16, SF8_F32};
    for (size_t i = 0; i < 3 && name; i++)
        if (strcmp(name, names[i]) == 0) {
            *f = formats[i];
            return 1;
        }
    return 0;
}

static uint32_t amax_of(const float *x, size_t n)
{
    uint32_t amax = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t magnitude = sf8_f32_bits(x[i]) & 0x7fffffff;
        amax = magnitude > amax ? magnitude : amax;
    }
    return amax;
}

/* The recipe of a way and its global scale; 0 if there is none. */
static int recipe_of(const attend_problem *r, const attend_kept *side, const attend_store *way,
                     sf8_recipe *recipe, float *g)
{
    const sf8_recipe *own = side == &r->k ? r->a.k.recipe : r->a.v.recipe;
    if (way->recipe ? sf8_recipe_named(recipe, way->recipe) != SF8_OK : !own)
        return 0;
    if (!way->recipe)
        *recipe = *own;
    if (!way->recipe && !sf8_recipe_scale_given(recipe))
        return 0;
    *g = 1;
    if (way->scale == SCALE_OF_CACHE) {
        *g = sf8_f32_from_bits(side->scale);
        return side->scale && sf8_attend_cache_scale(recipe, side->scale) == side->scale;
    }
    if (way->scale == SCALE_ONE || recipe->has_g == SF8_G_NONE)
        return 1;
    uint32_t amax = r->otherwise[side == &r->v].amax;
    return amax > 0 && amax < SF8_F32_INF &&
           sf8_recipe_g(recipe, SF8_F32, sf8_f32_from_bits(amax), g) == SF8_OK && *g > 0;
}

/* Rows as a way stores them; 0 if it cannot. */
static int store_rows(const attend_problem *r, const attend_kept *side, const attend_store *way,
                      const float *from, size_t rows, float *to)
{
    size_t n = rows * side->dim;
    sf8_format f;
    sf8_recipe recipe;
    float g;
    if (format_of(way->recipe, &f)) {
        for (size_t i = 0; i < n; i++) {
            uint64_t x = sf8_convert(f, SF8_F32, sf8_f32_bits(from[i]), SF8_OCP_NOSAT);
            to[i] = sf8_f32_from_bits((uint32_t)sf8_convert(SF8_F32, f, x, SF8_OCP_NOSAT));
        }
        return 1;
    }
    if (!recipe_of(r, side, way, &recipe, &g))
        return 0;
    size_t blocks = sf8_recipe_blocks(&recipe, side->dim) * rows;
    uint8_t *codes = search_allocate(r->context, n + 1, 1);
    uint32_t *scales = search_allocate(r->context, blocks + 1, sizeof *scales);
    uint32_t *offsets = search_allocate(r->context, blocks + 1, sizeof *offsets);
    int good = sf8_quantize_n(&recipe, codes, scales, offsets, SF8_F32, from, rows, side->dim, g) ==
                   SF8_OK &&
               sf8_dequantize_n(&recipe, SF8_F32, to, codes, scales, offsets, rows, side->dim, g) ==
                   SF8_OK;
    search_free(r->context, codes);
    search_free(r->context, scales);
    search_free(r->context, offsets);
    return good;
}

/* Whether a side is as it came: a kernel of 16 bits rounds it to its own format by itself. */
static int is_as_it_came(const attend_problem *r, const attend_kept *side, size_t n)
{
    const sf8_recipe *recipe = side == &r->k ? r->a.k.recipe : r->a.v.recipe;
    return !recipe &&
           (!side->given || memcmp(side->given, side->values, n * sizeof *side->values) == 0);
}

void attend_stores_of(const attend_problem *r, const attend_kept *side, char has[ATTEND_STORES])
{
    enum { ROWS = 64 };
    size_t all = r->keys * r->kv_heads, rows = all < ROWS ? all : ROWS, n = rows * side->dim;
    float *values = search_allocate(r->context, (ATTEND_STORES + 1) * n, sizeof *values);
    memset(has, 0, ATTEND_STORES);
    memcpy(values, side->values, n * sizeof *values);
    int is_wide = is_as_it_came(r, side, n);
    for (size_t i = 1; source_of(r, side) && attend_store_at(i); i++) {
        float *own = values + i * n;
        sf8_format f;
        int is_new = !(is_wide && format_of(attend_store_at(i)->recipe, &f)) &&
                     store_rows(r, side, attend_store_at(i), source_of(r, side), rows, own);
        for (size_t k = 0; k < i && is_new; k++)
            is_new = (k > 0 && !has[k]) || memcmp(values + k * n, own, n * sizeof *own) != 0;
        has[i] = (char)is_new;
    }
    search_free(r->context, values);
}

/* ---- heads that are kept ---------------------------------------------------------------------
 */

static void keep_heads(const attend_problem *r, const attend_kept *side, attend_kept_otherwise *to)
{
    enum { VALUES = 1 << 24, MANY = 64 };
    size_t many = VALUES / (r->keys * side->dim + 1);
    const float *from = source_of(r, side);
    to->most = many > MANY ? MANY : many;
    to->most = to->most < 2 * r->kv_heads ? 2 * r->kv_heads : to->most;
    to->of = search_allocate(r->context, to->most, sizeof *to->of);
    to->amax = from ? amax_of(from, r->keys * r->kv_heads * side->dim) : 0;
}

attend_kept_otherwise *attend_stores_new(const attend_problem *r)
{
    attend_kept_otherwise *two = search_allocate(r->context, 2, sizeof *two);
    keep_heads(r, &r->k, &two[0]);
    keep_heads(r, &r->v, &two[1]);
    return two;
}

/* A head of [keys][kv heads][dim]. */
static void copy_head(const attend_problem *r, const attend_kept *side, const float *from,
                      size_t kv, float *to)
{
    for (size_t key = 0; key < r->keys; key++)
        memcpy(to + key * side->dim, from + (key * r->kv_heads + kv) * side->dim,
               side->dim * sizeof *to);
}

static void store_head(const attend_problem *r, const attend_kept *side, size_t i, size_t kv,
                       float *to)
{
    float *given = search_allocate(r->context, r->keys * side->dim + 1, sizeof *given);
    copy_head(r, side, source_of(r, side), kv, given);
    if (!store_rows(r, side, attend_store_at(i), given, r->keys, to))
        copy_head(r, side, side->values, kv, to);
    search_free(r->context, given);
}

attend_head attend_head_of(const attend_problem *r, const attend_kept *side, size_t i, size_t kv)
{
    attend_kept_otherwise *kept = r->otherwise ? &r->otherwise[side == &r->v] : NULL;
    if (i == 0 && (!kept || r->kv_heads == 1))
        return (attend_head){side->values + kv * side->dim, r->kv_heads * side->dim};
    for (size_t n = 0; n < kept->most && kept->of[n].values; n++)
        if (kept->of[n].way == i && kept->of[n].kv == kv)
            return (attend_head){kept->of[n].values, side->dim};
    stored_head *one = &kept->of[kept->next];
    kept->next = (kept->next + 1) % kept->most;
    if (!one->values)
        one->values = search_allocate(r->context, r->keys * side->dim + 1, sizeof *one->values);
    one->way = i;
    one->kv = kv;
    if (i == 0)
        copy_head(r, side, side->values, kv, one->values);
    else
        store_head(r, side, i, kv, one->values);
    return (attend_head){one->values, side->dim};
}

void attend_stores_free(const attend_problem *r)
{
    for (size_t i = 0; i < 2; i++) {
        for (size_t n = 0; n < r->otherwise[i].most; n++)
            search_free(r->context, r->otherwise[i].of[n].values);
        search_free(r->context, r->otherwise[i].of);
    }
    search_free(r->context, r->otherwise);
}
