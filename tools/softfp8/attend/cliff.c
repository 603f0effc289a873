/* SPDX-License-Identifier: MIT */
/* cliff.c -- a key is looked for among more and more others, in caches of several kinds
 *
 * A head of 64 channels. Keys are normal; four channels have the same large offset in all of them,
 * as the keys of real models do: it cancels in the softmax, but a code's scale has to reach it. The
 * query makes scores of standard deviation 2 with them; one key more, the needle, has the score
 * that gives it half of all weight among 131,072 in exact arithmetic. Values are 64 words of signs
 * with noise, the needle's is its own. It is found if the output is nearer to that word than to any
 * other, and has a quarter of it at least.
 *
 * Everything is a function of the seed, and of integers, the library and functions of doubles that
 * are rounded to floats at once.
 */
#include "base/random.h"
#include "attend/cliff.h"
#include "cli/text_table.h"

#include "recipes/recipes.h"
#include "base/json_writer.h"
#include "softfp8_attend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 64, WORDS = 64, OUTLIERS = 4, SLOTS = 16, GROUP = 32, RESIDUAL = 128 };

static const char *const recipes[CLIFF_CACHES] = {NULL,           "kv-vllm",
                                                  "kv-vllm-e5m2", "nvfp4-flashinfer-append",
                                                  "mxfp4-even",   "int4-per-token-head",
                                                  "kivi-int4"};
enum { CACHE_BF16, CACHE_KIVI = CLIFF_CACHES - 1 };

void cliff_lengths(cliff_options *o, const char *text)
{
    const char *end = text + strlen(text);
    o->count = 0;
    do {
        size_t n;
        if (o->count == CLIFF_LENGTHS || !size_read(&text, end, &n) || n < GROUP ||
            n > (size_t)1 << 22 || n % GROUP != 0 || (*text && *text != ','))
            fail("expected up to %d multiples of %d, from %d to 4194304, separated by commas",
                 CLIFF_LENGTHS, GROUP, GROUP);
        o->lengths[o->count++] = n;
    } while (*text++ == ',');
}

/* ---- a head ---------------------------------------------------------------------------------- */

typedef struct head {
    uint64_t state;
    size_t length;
    float *keys, *values;          /* [length][DIM] */
    float query[DIM], offset[DIM]; /* the offset is in the keys */
    float needle[DIM], needle_value[DIM];
    signed char word[WORDS][DIM];
} head;

static uint32_t random_word(head *h)
{
    return (uint32_t)(word_random_linear(&h->state) >> 32);
}

/* The sum of four of uniform, times sqrt 3: standard deviation 1. */
static float normal(head *h)
{
    int64_t sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (int32_t)random_word(h);
    return (float)((double)sum * 0x1p-32 * 1.7320508075688772);
}

static void head_begin(head *h, const cliff_options *o, size_t length, size_t trial)
{
    double square = 0, spread = 2, margin = log(131072) + spread * spread / 2;
    h->state = o->seed * WORD_RANDOM_STEP + trial * 7919 + length;
    h->length = length;
    for (int w = 0; w < WORDS; w++)
        for (int c = 0; c < DIM; c++)
            h->word[w][c] = random_word(h) >> 31 ? 1 : -1;
    for (int c = 0; c < DIM; c++) {
        h->query[c] = normal(h);
        h->offset[c] = 0;
        square += (double)h->query[c] * (double)h->query[c];
    }
    for (int i = 0; i < OUTLIERS; i++)
        h->offset[random_word(h) % DIM] = (float)(random_word(h) >> 31 ? o->outlier : -o->outlier);
    for (int c = 0; c < DIM; c++) {
        double unit = (double)h->query[c] / sqrt(square);
        h->query[c] = (float)(spread * unit);
        h->needle[c] = (float)(margin / spread * unit + (double)h->offset[c]);
        h->needle_value[c] = (float)h->word[0][c] + 0.25f * normal(h);
    }
    for (size_t j = 0; j < length; j++) {
        const signed char *word = h->word[1 + random_word(h) % (WORDS - 1)];
        for (int c = 0; c < DIM; c++) {
            h->keys[j * DIM + (size_t)c] = normal(h) + h->offset[c];
            h->values[j * DIM + (size_t)c] = (float)word[c] + 0.25f * normal(h);
        }
    }
}

/* ---- caches ---------------------------------------------------------------------------------- */

typedef struct store {
    sf8_recipe recipe;
    int cache, is_key;
    float g;
    uint8_t *codes;
    uint32_t *scales, *offsets;
} store;

static float largest(const float *x, size_t n, float most)
{
    for (size_t i = 0; i < n; i++)
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    return most;
}

static void store_begin(store *s, int cache, const float *x, size_t rows, const float *needle)
{
    const sf8_recipe_row *row;
    s->cache = cache;
    s->g = 1;
    if (cache == CACHE_BF16)
        return;
    row = recipe_of_name(recipes[cache], &s->recipe);
    if (s->recipe.has_g != SF8_G_NONE)
        s->g = sf8_f32_from_bits(
            recipe_g_auto(row, sf8_f32_bits(largest(x, rows * DIM, largest(needle, DIM, 0)))));
}

/* Rows as the cache gives them back. */
static void store_rows(store *s, float *to, const float *from, size_t rows)
{
    sf8_status status = SF8_OK;
    if (s->cache == CACHE_BF16) {
        for (size_t i = 0; i < rows * DIM; i++)
            to[i] = sf8_f32_from_bits(
                (uint32_t)sf8_convert(SF8_BF16, SF8_F32, sf8_f32_bits(from[i]), SF8_OCP_NOSAT)
                << 16);
        return;
    }
    if (s->cache == CACHE_KIVI && s->is_key) {
        status |= sf8_quantize_columns_n(&s->recipe, s->codes, s->scales, s->offsets, SF8_F32, from,
                                         rows, DIM, s->g);
        status |= sf8_dequantize_columns_n(&s->recipe, SF8_F32, to, s->codes, s->scales, s->offsets,
                                           rows, DIM, s->g);
    } else {
        status |= sf8_quantize_n(&s->recipe, s->codes, s->scales, s->offsets, SF8_F32, from, rows,
                                 DIM, s->g);
        status |= sf8_dequantize_n(&s->recipe, SF8_F32, to, s->codes, s->scales, s->offsets, rows,
                                   DIM, s->g);
    }
    if (status != SF8_OK)
        fail("recipe %s cannot store %zu rows", recipes[s->cache], rows);
}

/* Of rows from `first` on, in a cache of this many rows: KIVI keeps its newest rows in f16. */
static void store_tail(const store *s, float *to, const float *from, size_t first, size_t rows,
                       size_t of)
{
    size_t tail = s->is_key ? sf8_kivi_tail_keys(of, RESIDUAL) : sf8_kivi_tail_values(of, RESIDUAL);
    size_t begin = of - tail > first ? of - tail - first : 0;
    for (size_t i = begin * DIM; s->cache == CACHE_KIVI && i < rows * DIM; i++) {
        uint64_t half = sf8_convert(SF8_F16, SF8_F32, sf8_f32_bits(from[i]), SF8_OCP_NOSAT);
        to[i] = sf8_f32_from_bits((uint32_t)sf8_convert(SF8_F32, SF8_F16, half, SF8_OCP_NOSAT));
    }
}

/* ---- looking for it -------------------------------------------------------------------------- */

typedef struct search {
    head h;
    store key, value;
    float *keys, *values; /* as the caches give them back */
    int64_t *blocks;
    uint32_t *room;
    size_t room_words;
} search;

static int is_found(const search *s, const float *out)
{
    double best = -INFINITY, needle = 0;
    for (int w = 0; w < WORDS; w++) {
        double share = 0;
        for (int c = 0; c < DIM; c++)
            share += (double)out[c] * s->h.word[w][c] / DIM;
        needle = w == 0 ? share : needle;
        best = share > best ? share : best;
    }
    return needle == best && needle >= 0.25;
}

static sf8_attend request_of(search *s, float *out)
{
    sf8_attend a;
    size_t bytes = s->h.length * DIM * sizeof(float);
    memset(&a, 0, sizeof a);
    a.scale = 0x3f800000;
    a.left = a.right = -1;
    a.keys = s->h.length;
    a.queries = a.heads = 1;
    a.k.words = a.v.words = SF8_F32;
    a.k.image.layout = a.v.image.layout = sf8_kv_nhd(s->h.length / SLOTS, SLOTS, 1, DIM, 32);
    a.k.image.data = (uint8_t *)s->keys;
    a.v.image.data = (uint8_t *)s->values;
    a.k.image.size = a.v.image.size = bytes;
    a.blocks = s->blocks;
    a.block_count = s->h.length / SLOTS;
    a.q_words = a.out_words = SF8_F32;
    a.q = (sf8_kv_words){s->h.query, 1, DIM, DIM, DIM};
    a.out = (sf8_kv_room){out, 1, DIM, DIM, DIM};
    return a;
}

static void store_part(store *s, float *to, const float *from, size_t first, size_t rows, size_t of)
{
    store_rows(s, to + first * DIM, from, rows);
    store_tail(s, to + first * DIM, from, first, rows, of);
}

/* The group of rows with the needle in it, to where it belongs. */
static void put_needle(search *s, size_t at)
{
    float group[GROUP * DIM];
    size_t first = at / GROUP * GROUP, bytes = DIM * sizeof(float);
    memcpy(group, s->h.keys + first * DIM, sizeof group);
    memcpy(group + (at - first) * DIM, s->h.needle, bytes);
    store_part(&s->key, s->keys, group, first, GROUP, s->h.length);
    memcpy(group, s->h.values + first * DIM, sizeof group);
    memcpy(group + (at - first) * DIM, s->h.needle_value, bytes);
    store_part(&s->value, s->values, group, first, GROUP, s->h.length);
}

static void take_needle(search *s, size_t at)
{
    size_t first = at / GROUP * GROUP;
    store_part(&s->key, s->keys, s->h.keys + first * DIM, first, GROUP, s->h.length);
    store_part(&s->value, s->values, s->h.values + first * DIM, first, GROUP, s->h.length);
}

static void look_in(search *s, int cache, const cliff_options *o, size_t *found)
{
    size_t n = s->h.length;
    s->key.is_key = 1;
    store_begin(&s->key, cache, s->h.keys, n, s->h.needle);
    store_begin(&s->value, cache, s->h.values, n, s->h.needle_value);
    store_part(&s->key, s->keys, s->h.keys, 0, n, n);
    store_part(&s->value, s->values, s->h.values, 0, n, n);
    for (size_t d = 0; d < o->depths; d++) {
        float out[DIM];
        size_t at = o->depths == 1 ? n / 2 : d * (n - 1) / (o->depths - 1);
        sf8_attend a = request_of(s, out);
        put_needle(s, at);
        if (sf8_attend_n(&a, s->room, s->room_words) != SF8_OK)
            fail("%s", sf8_attend_reason(sf8_attend_check(&a)));
        found[d] += (size_t)is_found(s, out);
        take_needle(s, at);
    }
}

static void search_begin(search *s, const cliff_options *o)
{
    size_t most = 0, n;
    for (size_t i = 0; i < o->count; i++)
        most = o->lengths[i] > most ? o->lengths[i] : most;
    n = most * DIM;
    s->h.keys = allocate(n, sizeof(float));
    s->h.values = allocate(n, sizeof(float));
    s->keys = allocate(n, sizeof(float));
    s->values = allocate(n, sizeof(float));
    s->key.codes = s->value.codes = allocate(n, 1);
    s->key.scales = s->value.scales = allocate(n, sizeof(uint32_t));
    s->key.offsets = s->value.offsets = allocate(n, sizeof(uint32_t));
    s->blocks = allocate(most / SLOTS, sizeof *s->blocks);
    for (size_t i = 0; i < most / SLOTS; i++)
        s->blocks[i] = (int64_t)i;
    s->h.length = most;
    sf8_attend a = request_of(s, NULL);
    s->room_words = sf8_attend_room(&a);
    s->room = allocate(s->room_words, sizeof *s->room);
}

static void search_end(search *s)
{
    free(s->h.keys);
    free(s->h.values);
    free(s->keys);
    free(s->values);
    free(s->key.codes);
    free(s->key.scales);
    free(s->key.offsets);
    free(s->blocks);
    free(s->room);
}

/* ---- the table ------------------------------------------------------------------------------- */

static size_t all_depths(const cliff_options *o, const cliff_result *r, size_t cache, size_t length)
{
    size_t sum = 0;
    for (size_t d = 0; d < o->depths; d++)
        sum += r->found[cache][length][d];
    return sum;
}

static void print_table(const cliff_options *o, const cliff_result *r)
{
    printf(
        "keys found, in percent of %zu trials (%zu depths, %zu heads each); outlier channels: %g\n",
        o->depths * o->trials, o->depths, o->trials, o->outlier);
    char layout[16 * CLIFF_LENGTHS] = "%-10s", text[32 * CLIFF_LENGTHS] = "keys";
    for (size_t i = 0; i < o->count; i++) {
        strcat(layout, " %8s");
        snprintf(text + strlen(text), sizeof text - strlen(text), "\t%zu", o->lengths[i]);
    }
    text_table *table = text_table_new(layout);
    text_table_row(table, "%s", text);
    for (size_t c = 0; c < CLIFF_CACHES; c++) {
        snprintf(text, sizeof text, "%s", cliff_caches[c]);
        for (size_t i = 0; i < o->count; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "\t%.1f",
                     100.0 * (double)all_depths(o, r, c, i) / (double)(o->depths * o->trials));
        text_table_row(table, "%s", text);
    }
    text_table_print(table, stdout);
}

static void put_length(json_writer *j, const cliff_options *o, size_t keys, const size_t *found)
{
    jw_begin(jw_space(j, "\n    "), NULL, '{');
    jw_unsigned(j, "keys", keys);
    jw_begin(j, "found", '[');
    for (size_t d = 0; d < o->depths; d++)
        jw_unsigned(j, NULL, found[d]);
    jw_end(j);
    jw_end(j);
}

static void write_json(output *out, const cliff_options *o, const cliff_result *r)
{
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '{');
    jw_real(&j, "outlier", o->outlier, 6);
    jw_unsigned(&j, "trials", o->trials);
    jw_unsigned(&j, "depths", o->depths);
    jw_begin(&j, "caches", '[');
    for (size_t c = 0; c < CLIFF_CACHES; c++) {
        jw_begin(jw_space(&j, "\n  "), NULL, '{');
        jw_text(&j, "cache", cliff_caches[c]);
        jw_begin(&j, "lengths", '[');
        for (size_t i = 0; i < o->count; i++)
            put_length(&j, o, o->lengths[i], r->found[c][i]);
        jw_end(&j);
        jw_end(&j);
    }
    jw_end(jw_space(&j, "\n"));
    jw_end(&j);
}

void cliff_run(const cliff_options *o)
{
    static cliff_result r;
    search s;
    memset(&s, 0, sizeof s);
    outputs_check(&o->json, 1, NULL, 0);
    search_begin(&s, o);
    for (size_t i = 0; i < o->count; i++)
        for (size_t t = 0; t < o->trials; t++) {
            head_begin(&s.h, o, o->lengths[i], t);
            for (int c = 0; c < CLIFF_CACHES; c++)
                look_in(&s, c, o, r.found[c][i]);
        }
    search_end(&s);
    if (!output_is_standard(o->json))
        print_table(o, &r);
    if (o->json) {
        output *json = output_open(o->json);
        write_json(json, o, &r);
        output_close(json);
    }
}
