/* SPDX-License-Identifier: MIT */
/* known.c -- kernels of attention on requests whose results can be computed by hand, or are those
 * of another request: scales, chunks */
#include "families/attend/rerun.h"

#include "softfp8/kv/caches.h"
#include "softfp8_f32.h"

#include <string.h>

enum { ONE = 0x3f800000, KEY = 3 /* that all queries see */ };

/* ---- what can be worked out ------------------------------------------------------------------ */

static uint32_t e2m1_of(float x)
{
    return (uint32_t)sf8_convert(SF8_E2M1, SF8_F32, sf8_f32_bits(x), SF8_OCP);
}

/* An integer from -6 to 6 except 5; every cache can store it. */
static void put(const attend_rerun *w, int values, rerun_place p, size_t d, int x)
{
    const sf8_attend_cache *c = rerun_side(w, values);
    const sf8_kv_layout *l = &c->image.layout;
    uint8_t *at = c->image.data + sf8_kv_element_at(l, p.block, p.slot, 0, d);
    if (l->bits == 4) {
        uint32_t code = strcmp(attend_cache(w->r), "int4") == 0 ? (uint32_t)(x + 8)
                                                                : e2m1_of((float)x);
        *at = (uint8_t)(d % 2 ? (*at & 15) | code << 4 : (*at & 0xf0) | code);
        return;
    }
    sf8_format f = l->bits == 16 ? c->words : c->recipe->element;
    uint16_t word = (uint16_t)sf8_convert(f, SF8_F32, sf8_f32_bits((float)x), SF8_OCP);
    memcpy(at, &word, l->bits / 8);
}

/* Scales of 1, of 4 bits with an offset of 8. */
static void put_ones(const attend_rerun *w, int values, rerun_place p)
{
    const sf8_attend_cache *c = rerun_side(w, values);
    const sf8_kv_layout *l = &c->image.layout;
    const uint32_t word = l->bits == 4 ? ONE + 8 : ONE;
    for (size_t i = 0; i < rerun_scales_each(l); i++) {
        uint8_t *at = rerun_scales(c) + sf8_kv_scale_at(l, p.block, p.slot, 0, i);
        if (l->scale_bits == 32)
            memcpy(at, &word, 4);
        else
            *at = strcmp(attend_cache(w->r), "nvfp4") == 0 ? 0x38 : 0x7f;
    }
}

/* Queries of 1, every scale 1; key `one` is 0 and all others are `key`; values are value(p, d) */
static void work_out(attend_rerun *w, size_t one, int key, int (*value)(size_t p, size_t d))
{
    const uint32_t words = ONE;
    for (size_t i = 0; i < w->b.rows * w->set.dim; i++)
        memcpy(w->b.q + 4 * i, &words, 4);
    for (size_t i = 0; i < ATTEND_HEADS; i++)
        w->b.k_scale[i] = w->b.v_scale[i] = w->b.q_scale[i] = ONE;
    for (size_t r = 0; r < w->set.count; r++) {
        w->b.request[r].scale = ONE;
        for (size_t p = 0; p < w->b.request[r].keys; p++) {
            rerun_place at = rerun_place_of(w, r, p);
            for (int values = 0; values < 2; values++)
                put_ones(w, values, at);
            for (size_t d = 0; d < w->set.dim; d++) {
                put(w, 0, at, d, p == one ? 0 : key);
                put(w, 1, at, d, value(p, d));
            }
        }
    }
}

static int integer_value(size_t p, size_t d)
{
    static const int values[] = {0, 1, 2, 3, 4, 6, -1, -2, -3, -4, -6};
    return values[(p * 7 + d) % 11];
}

/* Scores are 0 for one key and -384 for the others, whose weights are 0: the result is the value of
 * the one. */
static void run_integer(attend_rerun *w)
{
    work_out(w, KEY, -6, integer_value);
    rerun_run(w, 2);
}

static int uniform_value(size_t p, size_t d)
{
    return (p + d) % 2 ? 4 : 0;
}

/* 128 keys of 0: the mean of 0 and 4, and log 128. */
static void run_uniform(attend_rerun *w)
{
    work_out(w, KEY, 0, uniform_value);
    rerun_run(w, 1);
}

/* ---- scales, chunks -------------------------------------------------------------------------- */

static void put_scales(attend_rerun *w, uint32_t q, uint32_t k, uint32_t v, uint32_t others)
{
    for (size_t i = 0; i < ATTEND_HEADS; i++) {
        w->b.q_scale[i] = i ? others : q;
        w->b.k_scale[i] = i ? others : k;
        w->b.v_scale[i] = i ? others : v;
    }
}

/* Odd scales, exchanged ones, and NaN as the scales of heads that do not exist. Powers of 2, and
 * then 1 with queries that are twice as large. */
static void run_scales(attend_rerun *w)
{
    const uint32_t half = 0x3f000000, odd[2] = {0x3f333333, 0x3fa66666}; /* 0.7, 1.3 */
    const uint32_t scales[][4] = {{half, odd[0], odd[1], ONE},
                                  {half, odd[0], odd[1], 0x7fc00000},
                                  {half, odd[1], odd[0], ONE},
                                  {half, 0x40800000, half, ONE}};
    for (size_t i = 0; i < 4; i++) {
        put_scales(w, scales[i][0], scales[i][1], scales[i][2], scales[i][3]);
        rerun_run(w, 1);
    }
    put_scales(w, ONE, ONE, ONE, ONE);
    for (size_t i = 0; i < w->b.rows * w->set.dim; i++) {
        uint32_t word;
        memcpy(&word, w->b.q + 4 * i, 4);
        word = sf8_f32_mul(word, 0x40000000);
        memcpy(w->b.q + 4 * i, &word, 4);
    }
    rerun_run(w, 1);
}

/* Two heads of the cache with scales of their own; then all heads have those of one. */
static void run_per_head(attend_rerun *w)
{
    rerun_run(w, 1);
    for (size_t h = 0; h < w->set.kv_heads; h++) {
        for (size_t r = 0; r < w->set.count; r++) {
            sf8_attend *a = &w->b.request[r];
            a->q_scale = w->b.q_scale + h;
            a->k.scale = w->b.k_scale + h;
            a->v.scale = w->b.v_scale + h;
            a->q_scales = a->k.scales = a->v.scales = 1;
        }
        rerun_run(w, 2);
    }
}

/* A prompt of 9 queries in pieces of 2, 5 and 2, each over the keys that exist by then. */
static void run_chunked(attend_rerun *w)
{
    static const size_t ends[] = {0, 2, 7, 9};
    sf8_attend *a = &w->b.request[0];
    const sf8_attend all = *a;
    rerun_run(w, 1);
    for (size_t i = 0; i < 3; i++) {
        const size_t n = ends[i + 1] - ends[i];
        *a = all;
        a->first += (int64_t)ends[i];
        a->keys = (size_t)a->first + n;
        a->block_count = (a->keys + w->set.slots - 1) / w->set.slots;
        a->queries = a->q.tokens = a->out.tokens = n;
        a->q.words = w->b.q + 4 * ends[i] * w->set.heads * w->set.dim;
        w->set.queries = n;
        rerun_run(w, i + 1);
    }
}

const attend_word attend_known_words[] = {
    {"exact_integer", run_integer, 0, 0, 0, 0, 0},
    {"uniform", run_uniform, 1, 128, 2, 0, 1},
    {"scale_kneqv", run_scales, 0, 0, 0, 0, 0},
    {"descale_per_head", run_per_head, 0, 0, 0, 2, 0},
    {"chunked_equals_whole", run_chunked, 1, 150, 9, 0, 0},
    {NULL, NULL, 0, 0, 0, 0, 0},
};

/* ---- all ------------------------------------------------------------------------------------- */

/* Two requests of 100 keys and fewer, with three queries of two heads each, by f32; kernels that
 * process many rows use HND, those of e4m3 scales of rows. */
static void usual(attend_set *set, const gpu_attend_kernel *k)
{
    memset(set, 0, sizeof *set);
    set->count = 2;
    set->keys = 100;
    set->queries = 3;
    set->heads = 2;
    set->kv_heads = 1;
    set->dim = 64;
    set->slots = 16;
    set->ragged = 1;
    set->left = -1;
    set->right = 0;
    set->q_words = set->out_words = SF8_F32;
    set->hnd = k->rows != 8;
    set->by_row = set->hnd && strcmp(k->cache, "e4m3") == 0;
    set->seed = 11;
}

static void try_words(attend_rerun *w, const attend_word *word)
{
    for (; word->name && !w->wrong; word++) {
        w->name = word->name;
        usual(&w->set, w->r->kernel);
        w->set.count = word->count ? word->count : w->set.count;
        w->set.keys = word->keys ? word->keys : w->set.keys;
        w->set.queries = word->queries ? word->queries : w->set.queries;
        w->set.right = word->all ? -1 : 0;
        if (word->kv_heads) {
            w->set.kv_heads = word->kv_heads;
            w->set.heads = 2 * w->set.kv_heads;
            w->set.by_head = 1;
        }
        if (rerun_begin(w))
            word->run(w);
    }
}

const char *attend_try_words(kernel_run *r)
{
    static attend_rerun w;
    memset(&w, 0, sizeof w);
    w.r = r;
    try_words(&w, attend_poison_words);
    try_words(&w, attend_known_words);
    rerun_end(&w);
    return w.wrong;
}
