/* SPDX-License-Identifier: MIT */
/* doctor_ways.c -- the ways to store a tensor that are compared, and their scales */
#include "kv/doctor_measure.h"
#include "diagnose/global_scale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- stores whose scale is given ------------------------------------------------------------- */

/* The scale of a row is g, whatever is in the row. 0 if the element cannot be stored so. */
static int given(kv_way *way, const char *element, const char *policy, const char *element_of)
{
    const sf8_recipe_row row = {
        .name = "",
        .element = element,
        .element_policy = policy,
        .element_fields = "",
        .block = 0,
        .scale = "f32",
        .scale_policy = "ocp-nosat",
        .scale_fields = "",
        .scale_of = "g",
        .offset_of = "",
        .factor_of = "",
        .element_of = element_of,
        .value_of = "e s *",
        .properties = "g=decode",
        .source = "",
        .open = "",
    };
    return sf8_recipe_read(&way->recipe, &row) == SF8_OK;
}

/* Where a code is an end of its range: half the step to its inner neighbour, by its own value. */
static void find_ends(kv_way *way)
{
    const sf8_recipe *r = &way->recipe;
    uint32_t bits = sf8_recipe_bits(r), count = 1u << bits;
    uint32_t sign = r->integer && r->is_signed ? 1u << (bits - 1) : 0;
    memset(way->half, 0, sizeof way->half);
    way->is_offset = r->offset_at != SF8_OFFSET_NONE;
    for (uint32_t code = 0; code < count; code++) {
        int is_end = !r->integer
                         ? (code & sf8_format_mag_mask(r->element)) == sf8_format_max(r->element)
                     : sign ? code == sign || code == sign - 1 || code == sign + 1
                            : code == 0 || code == count - 1;
        uint32_t inner = code == 0 ? 1 : code - 1;
        if (r->integer && code & sign)
            inner = code + 1;
        if (!is_end)
            continue;
        double e = (double)sf8_f32_from_bits(sf8_f32_magnitude(sf8_block_element(r, code)));
        double n = (double)sf8_f32_from_bits(sf8_f32_magnitude(sf8_block_element(r, inner)));
        way->half[code] = way->is_offset ? 1 : (e - n) / 2 / e;
    }
}

/* What has one scale, or one row of blocks, as the recipe's row says. */
static int unit_of(const sf8_recipe *r)
{
    return r->per == SF8_PER_NONE     ? KV_NONE
           : r->per == SF8_PER_TENSOR ? KV_TENSOR
           : r->per == SF8_PER_TOKEN  ? KV_TOKEN
                                      : KV_TOKEN_HEAD;
}

static int scale_from(const sf8_recipe *r)
{
    if (sf8_recipe_scale_given(r))
        return KV_GIVEN;
    /* g that is the amax of the tensor itself is no bound that somebody has to choose */
    if (r->has_g)
        return r->has_g == SF8_G_GIVEN && r->g_of.count != 1 ? KV_G_ASKED : KV_G_AUTO;
    return r->per == SF8_PER_TENSOR ? KV_OF_TENSOR : KV_ITSELF;
}

/* One scale for the tensor: 1, or its amax by a divisor. */
static void scaled_by(kv_way *way, int scale, float divisor)
{
    way->unit = KV_TENSOR;
    way->scale = scale;
    way->divisor = divisor;
    way->g = scale == KV_GIVEN ? 0x3f800000u : 0;
    find_ends(way);
}

int kv_way_store(kv_way *way, const char *format, const char *policy)
{
    memset(way, 0, sizeof *way);
    if (!given(way, format, policy, "x g /"))
        return 0;
    snprintf(way->name, sizeof way->name, "%.24s, given", format);
    scaled_by(way, KV_GIVEN, 0);
    return 1;
}

void kv_way_recipe(kv_way *way, const sf8_recipe_row *row)
{
    memset(way, 0, sizeof *way);
    way->row = row;
    sf8_recipe_read(&way->recipe, row);
    snprintf(way->name, sizeof way->name, "%.60s", row->name);
    way->unit = unit_of(&way->recipe);
    way->scale = scale_from(&way->recipe);
    way->g = way->scale == KV_GIVEN ? 0x3f800000u : 0;
    find_ends(way);
}

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct way_row {
    const char *name;
    const char *recipe;               /* a name, or NULL and: */
    const char *element, *element_of; /* saturating */
    int unit, scale;                  /* of a recipe its own, but for KV_CHANNEL */
    float divisor;
    int nan_reaches;
} way_row;

/* Of a format the order is from the simplest scale on: advice takes the first that will do. */
static const way_row rows[] = {
    {"e4m3, scale 1", NULL, "e4m3", "x g /", KV_TENSOR, KV_GIVEN, 0, 0},
    {"e4m3, amax / 448", NULL, "e4m3", "x g /", KV_TENSOR, KV_BY_AMAX, 448, 0},
    {"e4m3, amax / 200", NULL, "e4m3", "x g /", KV_TENSOR, KV_BY_AMAX, 200, 1},
    {"e4m3, amax / 100", NULL, "e4m3", "x g /", KV_TENSOR, KV_BY_AMAX, 100, 1},
    {"e4m3, head's amax / 448", NULL, "e4m3", "x g /", KV_HEADS, KV_BY_AMAX, 448, 0},
    {"fp8-per-token", "fp8-per-token", NULL, NULL, 0, 0, 0, 0},
    {"fp8-per-token-head", "fp8-per-token-head", NULL, NULL, 0, 0, 0, 0},
    {"mxfp8-e4m3-floor", "mxfp8-e4m3-floor", NULL, NULL, 0, 0, 0, 0},
    {"e5m2, scale 1", NULL, "e5m2", "x g /", KV_TENSOR, KV_GIVEN, 0, 0},
    {"int8, amax / 127", NULL, "int8", "x g / nan-to-0 rint 127 min -128 max", KV_TENSOR,
     KV_BY_AMAX, 127, 0},
    {"int8-per-token-head", "int8-per-token-head", NULL, NULL, 0, 0, 0, 0},
    {"int4, amax / 7", NULL, "int4", "x g / nan-to-0 rint 7 min -8 max", KV_TENSOR, KV_BY_AMAX, 7,
     0},
    {"int4-per-token-head", "int4-per-token-head", NULL, NULL, 0, 0, 0, 0},
    {"kivi-int4, keys", "kivi-int4", NULL, NULL, KV_CHANNEL, 0, 0, 0},
    {"kivi-int4, values", "kivi-int4", NULL, NULL, 0, 0, 0, 0},
    {"nvfp4-vllm", "nvfp4-vllm", NULL, NULL, 0, 0, 0, 0},
    {"mxfp4-vllm", "mxfp4-vllm", NULL, NULL, 0, 0, 0, 0},
    {"sglang-kvfp4", "sglang-kvfp4", NULL, NULL, 0, 0, 0, 0},
};

/* The row of a recipe that there is. */
static const sf8_recipe_row *recipe_row(const char *name)
{
    size_t i = 0;
    while (strcmp(sf8_recipe_at(i)->name, name) != 0)
        i++;
    return sf8_recipe_at(i);
}

static void way_of(kv_way *way, const way_row *row)
{
    if (row->recipe) {
        kv_way_recipe(way, recipe_row(row->recipe));
        way->unit = row->unit == KV_CHANNEL ? KV_CHANNEL : way->unit;
    } else {
        memset(way, 0, sizeof *way);
        given(way, row->element, "cuda-satfinite", row->element_of);
        scaled_by(way, row->scale, row->divisor);
        way->unit = row->unit;
        way->nan_reaches = row->nan_reaches;
    }
    snprintf(way->name, sizeof way->name, "%s", row->name);
}

int kv_way_needs_amax(const kv_way *way)
{
    return way->scale == KV_BY_AMAX || way->scale == KV_OF_TENSOR || way->scale == KV_G_AUTO;
}

static void add_way(kv_way *ways, size_t *count, int one_pass)
{
    *count += !(one_pass && kv_way_needs_amax(&ways[*count]));
}

/* A format that was asked for, of which the table has no scale by amax. It comes first: the cache
 * need not change. */
static void own_ways(kv_way *ways, size_t *count, const char *name, int one_pass)
{
    sf8_format f = ways[0].recipe.element;
    float most = sf8_f32_from_bits((uint32_t)sf8_convert(SF8_F32, f, sf8_format_max(f), SF8_OCP));
    if (!name || strcmp(name, "e4m3") == 0)
        return;
    for (int by_amax = strcmp(name, "e5m2") == 0; by_amax < 2; by_amax++) {
        kv_way *way = &ways[*count];
        memset(way, 0, sizeof *way);
        given(way, name, "cuda-satfinite", "x g /");
        scaled_by(way, by_amax ? KV_BY_AMAX : KV_GIVEN, by_amax ? most : 0);
        if (by_amax)
            snprintf(way->name, sizeof way->name, "%.24s, amax / %.9g", name, (double)most);
        else
            snprintf(way->name, sizeof way->name, "%.24s, scale 1", name);
        add_way(ways, count, one_pass);
    }
}

/* Whether the table has the recipe. */
static int is_usual(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].recipe && strcmp(rows[i].recipe, name) == 0)
            return 1;
    return 0;
}

/* A bound is nobody's to choose. */
static void other_ways(kv_way *ways, size_t *count, int one_pass)
{
    const sf8_recipe_row *row;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL && *count < KV_WAYS_MOST; i++) {
        kv_way *way = &ways[*count];
        if (is_usual(row->name))
            continue;
        kv_way_recipe(way, row);
        if (way->scale == KV_G_ASKED)
            continue;
        way->scale = way->scale == KV_GIVEN ? KV_G_AUTO : way->scale;
        add_way(ways, count, one_pass);
    }
}

void kv_ways(kv_way *ways, size_t *count, const char *format, int one_pass, int all)
{
    own_ways(ways, count, format, one_pass);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        way_of(&ways[*count], &rows[i]);
        add_way(ways, count, one_pass);
    }
    if (all)
        other_ways(ways, count, one_pass);
}

/* ---- scales by amax -------------------------------------------------------------------------- */

static uint32_t by(uint32_t amax, float divisor)
{
    return sf8_f32_div(amax, sf8_f32_bits(divisor));
}

/* A row that is the tensor, of which pieces are seen: the scale that its amax alone gives, from
 * then on as one that is given. */
static int settle_tensor(kv_way *way, const kv_values *values)
{
    static const sf8_program given_scale = {1, {{SF8_TERM_VARIABLE, SF8_VAR_g}}};
    sf8_recipe *r = &way->recipe;
    uint32_t amax = r->amax_nan && values->nan ? SF8_F32_NAN : values->amax;
    uint8_t code;
    if (r->offset_at != SF8_OFFSET_NONE || sf8_format_bits(r->scale) != 32)
        return 0;
    sf8_quantize_n(r, &code, &way->g, NULL, SF8_F32, &amax, 1, 1, 0);
    r->scale_of = given_scale;
    r->has_g = SF8_G_GIVEN;
    return 1;
}

int kv_way_settle(kv_way *way, const kv_values *values, const kv_shape *shape)
{
    if (way->scale == KV_OF_TENSOR)
        return settle_tensor(way, values);
    if (way->scale == KV_G_AUTO)
        way->g = global_scale_of(&way->recipe, SF8_F32, values->amax);
    if (way->scale != KV_BY_AMAX)
        return 1;
    way->g = by(way->nan_reaches && values->nan ? SF8_F32_NAN : values->amax, way->divisor);
    if (way->unit != KV_HEADS)
        return 1;
    way->head_g = allocate(shape->heads, sizeof way->head_g[0]);
    for (size_t i = 0; i < shape->heads; i++)
        way->head_g[i] = by(values->head_amax[i], way->divisor);
    return 1;
}

void kv_way_free(kv_way *way)
{
    free(way->head_g);
    way->head_g = NULL;
}
