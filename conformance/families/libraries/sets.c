/* SPDX-License-Identifier: MIT */
/* sets.c -- requests of attention for other libraries: their values, and how these are encoded
 *
 * Values are codes of e4m3 or e5m2 times a power of two, so that every format of a row can
 * represent them.
 */
#include "families/libraries/libraries.h"

#include "softfp8_f32.h"
#include "suite/input_sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which ----------------------------------------------------------------------------------- */

/* Lengths near the ends of tiles of 16, 64, 128. */
static const attend_lib_set sets[] = {
    {LIBS_ONE_KEY, 2, 1, 300, 8, 2, 64, 0, 0, 0},    {LIBS_ONE_KEY, 1, 1, 65, 4, 4, 128, 0, 0, 0},
    {LIBS_ONE_KEY, 1, 24, 24, 4, 2, 64, 1, 0, 0},    {LIBS_ONE_KEY, 1, 5, 133, 4, 2, 64, 1, 0, 0},
    {LIBS_ONE_KEY, 1, 5, 133, 4, 2, 64, 0, 0, 0},    {LIBS_UNIFORM, 1, 1, 64, 4, 1, 64, 0, 0, 0},
    {LIBS_UNIFORM, 2, 1, 256, 8, 2, 64, 0, 0, 0},    {LIBS_RANDOM, 1, 1, 1, 8, 2, 64, 0, 1, 0},
    {LIBS_RANDOM, 1, 1, 2, 8, 2, 64, 0, 2, 0},       {LIBS_RANDOM, 1, 1, 15, 8, 8, 64, 0, 3, 0},
    {LIBS_RANDOM, 1, 1, 16, 8, 2, 64, 0, 4, 0},      {LIBS_RANDOM, 1, 1, 17, 8, 1, 64, 0, 5, 0},
    {LIBS_RANDOM, 1, 1, 63, 8, 2, 64, 0, 6, 0},      {LIBS_RANDOM, 1, 1, 64, 8, 1, 128, 0, 7, 0},
    {LIBS_RANDOM, 3, 1, 65, 8, 2, 64, 0, 8, 0},      {LIBS_RANDOM, 1, 1, 127, 4, 4, 128, 0, 9, 0},
    {LIBS_RANDOM, 1, 1, 128, 8, 2, 64, 0, 10, 0},    {LIBS_RANDOM, 2, 1, 129, 8, 2, 64, 0, 11, 0},
    {LIBS_RANDOM, 1, 1, 257, 8, 2, 128, 0, 12, 0},   {LIBS_RANDOM, 1, 1, 1025, 4, 1, 64, 0, 13, 0},
    {LIBS_RANDOM, 1, 17, 17, 4, 2, 64, 1, 14, 0},    {LIBS_RANDOM, 1, 129, 129, 2, 1, 64, 1, 15, 0},
    {LIBS_RANDOM, 1, 65, 65, 2, 2, 128, 1, 16, 0},   {LIBS_RANDOM, 1, 3, 130, 4, 2, 64, 0, 17, 0},
    {LIBS_RANDOM, 1, 33, 160, 2, 1, 64, 1, 18, 0},   {LIBS_RANDOM, 16, 1, 3, 8, 2, 64, 0, 24, 1},
    {LIBS_RANDOM, 4, 1, 33, 8, 2, 64, 0, 25, 1},     {LIBS_RANDOM, 1, 17, 17, 8, 2, 64, 1, 26, 1},
    {LIBS_NAN, 2, 1, 40, 4, 2, 64, 0, 19, 0},        {LIBS_NAN, 2, 24, 24, 4, 2, 64, 1, 20, 0},
    {LIBS_NAN, 2, 7, 40, 4, 2, 64, 1, 21, 0},        {LIBS_NEEDLE, 1, 1, 2053, 1, 1, 64, 0, 22, 0},
    {LIBS_PARTS, 1, 32, 32, 8, 8, 64, 0, 27, 0},     {LIBS_PARTS, 1, 17, 17, 4, 4, 128, 0, 28, 0},
    {LIBS_NEEDLE, 1, 1, 131072, 1, 1, 64, 0, 23, 0},
};

enum { LONG = 100000, SETS = sizeof sets / sizeof sets[0] };

static int can(const attend_lib *lib, conform_tier tier, const attend_lib_set *set)
{
    if (lib->merges || set->kind == LIBS_PARTS)
        return lib->merges && set->kind == LIBS_PARTS;
    if (set->keys > LONG)
        return !lib->few_keys && (lib->gpu || tier != TIER_QUICK);
    if (set->queries == 1)
        return 1;
    if (lib->one_query || (set->causal && lib->mask == LIBS_NO_MASK) ||
        (!set->causal && lib->mask == LIBS_ALWAYS))
        return 0;
    return !set->causal || set->queries == set->keys || lib->mask != LIBS_UPPER_LEFT;
}

int attend_lib_set_at(const attend_lib *lib, conform_tier tier, size_t i, attend_lib_set *set)
{
    for (size_t k = 0; k < SETS; k++)
        if (can(lib, tier, &sets[k]) && i-- == 0) {
            *set = sets[k];
            return 1;
        }
    return 0;
}

void attend_lib_set_text(const attend_lib_set *set, char *text, size_t size)
{
    static const char *const kinds[] = {"one key", "uniform",   "random",
                                        "needle",  "a NaN key", "two parts"};
    const char *kind = set->flat ? "small scores" : kinds[set->kind];
    snprintf(text, size, "%s: %zu of %zu on %zu heads of %zu, %zu quer%s, %zu keys%s", kind,
             set->batch, set->heads, set->kv_heads, set->dim, set->queries,
             set->queries == 1 ? "y" : "ies", set->keys, set->causal ? ", causal" : "");
}

/* ---- values ---------------------------------------------------------------------------------- */

static int is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static size_t q_at(const attend_lib_set *s, size_t b, size_t i, size_t h)
{
    return ((b * s->queries + i) * s->heads + h) * s->dim;
}

static size_t k_at(const attend_lib_set *s, size_t b, size_t j, size_t h)
{
    return ((b * s->keys + j) * s->kv_heads + h) * s->dim;
}

/* The value of a code whose exponent is one of five around 1, of any sign and mantissa. */
static float drawn(sf8_format f, uint64_t *state)
{
    uint64_t r = word_random(state);
    uint32_t mantissa = (uint32_t)(r & ((1u << f.man_bits) - 1)) << (23 - f.man_bits);
    uint32_t exponent = 124 + (uint32_t)((r >> 8) % 5);
    return sf8_f32_from_bits((uint32_t)(r >> 63) << 31 | exponent << 23 | mantissa);
}

static void fill_random(const attend_lib *lib, const attend_lib_set *s, attend_lib_values *x)
{
    const sf8_format of_codes = is(lib->kv, "e4m3")   ? SF8_E4M3
                                : is(lib->kv, "e5m2") ? SF8_E5M2
                                : s->seed % 2         ? SF8_E5M2
                                                      : SF8_E4M3;
    uint64_t state = 20261122 + s->seed;
    for (size_t i = 0; i < x->q_count; i++)
        x->q[i] = drawn(SF8_E4M3, &state) * (s->flat ? 0x1p-6f : 0.5f);
    for (size_t i = 0; i < x->k_count; i++) {
        x->k[i] = drawn(of_codes, &state);
        x->v[i] = drawn(of_codes, &state);
    }
    x->scale = sf8_f32_from_bits(s->dim == 64 ? 0x3e000000 : 0x3db504f3); /* 1 / sqrt d */
    x->nan_at = k_at(s, 0, 11, 1) + 5;
    if (s->kind == LIBS_NAN)
        x->k[x->nan_at] = NAN;
}

/* Odd integers of 3 bits: no sum of products is -0. */
static float odd(size_t b, size_t j, size_t h, size_t c)
{
    uint32_t key = (uint32_t)j * 0x9e3779b1 >> 20; /* so that keys a power of two apart differ
                                                      too */
    return (float)(2 * (int)((key + c * 3 + h * 5 + b * 3) % 8) - 7);
}

/* A query uses one channel, in which the score of one key is 0, that of others -112, and that of
 * masked keys 112: weights are 1 and 0 in f32. Channel 0 has the last key. */
static size_t key_of(const attend_lib_set *s, size_t b, size_t h, size_t c)
{
    if (s->causal)
        return s->keys - s->queries + c;
    return c == 0 ? s->keys - 1 : (c * 37 + h * 11 + b * 5 - 37) % s->keys;
}

static void fill_one_key(const attend_lib_set *s, attend_lib_values *x)
{
    const size_t group = s->heads / s->kv_heads;
    x->scale = 1;
    for (size_t b = 0; b < s->batch; b++) {
        for (size_t j = 0; j < s->keys; j++)
            for (size_t h = 0; h < s->kv_heads; h++)
                for (size_t c = 0; c < s->dim; c++) {
                    size_t key = key_of(s, b, h, c), at = k_at(s, b, j, h) + c;
                    x->k[at] = j == key ? 0 : s->causal && j > key ? 112.0f : -112.0f;
                    x->v[at] = odd(b, j, h, c);
                }
        for (size_t i = 0; i < s->queries; i++)
            for (size_t h = 0; h < s->heads; h++) {
                size_t look = s->causal ? i : (i * 7 + h * 3 + b) % s->dim;
                x->q[q_at(s, b, i, h) + look] = 1;
                for (size_t c = 0; c < s->dim; c++)
                    x->right[q_at(s, b, i, h) + c] = odd(b, key_of(s, b, h / group, look),
                                                         h / group, c);
            }
    }
}

/* Half of the keys, in even channels the earlier ones, have 8 more than the other half. */
static void fill_uniform(const attend_lib_set *s, attend_lib_values *x)
{
    uint64_t state = 5;
    x->scale = 1;
    for (size_t i = 0; i < x->q_count; i++) {
        x->q[i] = drawn(SF8_E4M3, &state);
        x->right[i] = (float)(4 + 4 * (i % s->dim % 3));
    }
    for (size_t i = 0; i < x->k_count; i++) {
        size_t c = i % s->dim, j = i / s->dim / s->kv_heads % s->keys;
        x->v[i] = (float)((j < s->keys / 2) != (c % 2 == 1) ? 8 + 4 * (c % 3) : 4 * (c % 3));
    }
}

/* The score of the last key is 5 to base 2, that of others 0. The other values are 1 and -1
 * alternating; its own makes up a 64th of the output. */
static void fill_needle(const attend_lib_set *s, attend_lib_values *x)
{
    x->scale = sf8_f32_from_bits(0x3f317218);
    x->q[0] = 1;
    x->k[k_at(s, 0, s->keys - 1, 0)] = 5;
    for (size_t i = 0; i < x->k_count; i++) {
        size_t c = i % s->dim, j = i / s->dim;
        x->v[i] = j == s->keys - 1 ? (float)(s->keys / 2048) : (c + j) % 2 ? -1.0f : 1.0f;
    }
}

/* Outputs of two parts, and their lse: equal, close, far apart, and of a part without keys. */
static void fill_parts(const attend_lib_set *s, attend_lib_values *x)
{
    uint64_t state = 20261122 + s->seed;
    const size_t rows = x->v_count / 2;
    for (size_t i = 0; i < x->q_count; i++) {
        x->q[i] = drawn(SF8_E4M3, &state);
        x->k[i] = drawn(SF8_E5M2, &state);
    }
    for (size_t i = 0; i < rows; i++) {
        float a = (float)(word_random(&state) % 256) / 16 - 8, near = drawn(SF8_E4M3, &state);
        const float apart[8] = {0, near, 5, -INFINITY, near, -12, -near, 60};
        x->v[i] = i % 16 == 6 ? -INFINITY : a;
        x->v[rows + i] = a + apart[i % 8];
    }
}

int attend_lib_fill(const attend_lib *lib, const attend_lib_set *s, attend_lib_values *x)
{
    const int exact = s->kind == LIBS_ONE_KEY || s->kind == LIBS_UNIFORM;
    const int codes = is(lib->kv, "e4m3") || is(lib->kv, "e5m2");
    memset(x, 0, sizeof *x);
    x->q_count = s->batch * s->queries * s->heads * s->dim;
    x->k_count = s->batch * s->keys * s->kv_heads * s->dim;
    x->v_count = s->kind == LIBS_PARTS ? 2 * x->q_count / s->dim : x->k_count;
    x->q = calloc(x->q_count, sizeof x->q[0]);
    x->k = calloc(x->k_count, sizeof x->k[0]);
    x->v = calloc(x->v_count, sizeof x->v[0]);
    x->right = exact ? calloc(x->q_count, sizeof x->right[0]) : NULL;
    x->q_scale = !is(lib->q, "e4m3") ? 1 : s->flat ? 0x1p-7f : 0.25f;
    x->k_scale = codes ? 0.5f : 1;
    x->v_scale = codes ? 2.0f : 1;
    if (!x->q || !x->k || !x->v || (exact && !x->right))
        return 0;
    if (s->kind == LIBS_ONE_KEY)
        fill_one_key(s, x);
    else if (s->kind == LIBS_UNIFORM)
        fill_uniform(s, x);
    else if (s->kind == LIBS_PARTS)
        fill_parts(s, x);
    else if (s->kind == LIBS_NEEDLE)
        fill_needle(s, x);
    else
        fill_random(lib, s, x);
    return 1;
}

void attend_lib_read(const attend_lib *lib, const attend_lib_set *s, attend_lib_values *x)
{
    if (s->kind == LIBS_NAN && lib->nan == LIBS_NAN_READ)
        x->k[x->nan_at] = (is(lib->kv, "e5m2") ? 98304 : 480) * x->k_scale;
}

void attend_lib_values_free(attend_lib_values *x)
{
    free(x->q);
    free(x->k);
    free(x->v);
    free(x->right);
}

/* ---- words ----------------------------------------------------------------------------------- */

sf8_format attend_lib_format(const char *name)
{
    return sf8_format_named(name, NULL);
}

/* Returns 1 if the encoded numbers are the values; all NaN are equal. */
static int are(const float *back, const float *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sf8_f32_bits(back[i]) != sf8_f32_bits(x[i]) && !isnan(x[i]))
            return 0;
    return 1;
}

void *attend_lib_words(const char *format, const float *x, size_t count, float scale)
{
    const sf8_format f = attend_lib_format(format);
    const size_t width = (size_t)sf8_format_bits(f) / 8;
    unsigned char *words = malloc(count * width);
    float *scaled = malloc(count * sizeof scaled[0]), *back = malloc(count * sizeof back[0]);
    int good = words && scaled && back;
    for (size_t i = 0; good && i < count; i++)
        scaled[i] = x[i] / scale;
    if (good && width == 4) {
        memcpy(words, scaled, count * width);
    } else if (good) {
        sf8_convert_n(f, words, SF8_F32, scaled, count, SF8_OCP_NOSAT);
        sf8_convert_n(SF8_F32, back, f, words, count, SF8_OCP_NOSAT);
        good = are(back, scaled, count);
    }
    free(scaled);
    free(back);
    if (good)
        return words;
    free(words);
    return NULL;
}
