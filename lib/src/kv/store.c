/* SPDX-License-Identifier: MIT */
/* store.c -- tokens quantized, or copied, into the images of KV caches */
#include "kv/image.h"
#include "scalar/tensor_word.h"

#include <string.h>

/* ---- pieces ---------------------------------------------------------------------------------- */

/* The elements of a row that are in a piece, beginning with its element `at`. */
typedef struct sf8_kv_run {
    uint64_t block, slot;
    size_t head, d, n, at;
} sf8_kv_run;

typedef struct sf8_kv_storing {
    const sf8_kv_call *c;
    sf8_recipe r;
    float g;
    size_t group;     /* elements with one scale; 0: all of them */
    size_t most;      /* elements of a piece */
    int32_t in_place; /* elements are read in place if they are contiguous */
    const unsigned char *at, *end;
    size_t n, runs;
    sf8_kv_run run[SF8_KV_RUNS];
    unsigned char words[SF8_KV_WORDS];
    uint8_t codes[SF8_KV_PIECE];
    uint32_t scales[SF8_KV_SCALES];
} sf8_kv_storing;

/* The place of the scale of the block that begins at element d of a run; if the run has all rows of
 * a token, that of head 0. */
static void sf8_kv_put_scale(const sf8_kv_call *c, const sf8_kv_run *run, size_t d, uint32_t scale)
{
    const sf8_kv_layout *l = &c->l;
    uint8_t *array = l->scales == SF8_KV_SCALES_APART ? c->scales : c->data;
    uint8_t byte = (uint8_t)scale;
    uint16_t half = (uint16_t)scale;
    array += sf8_kv_scale_at(l, run->block, run->slot, run->head, d / l->group);
    if (l->scale_bits == 8)
        *array = byte;
    else if (l->scale_bits == 16)
        memcpy(array, &half, 2);
    else
        memcpy(array, &scale, 4);
}

/* Quantizes the piece, and writes its codes and scales to their places. */
static void sf8_kv_store_piece(sf8_kv_storing *s)
{
    const sf8_kv_call *c = s->c;
    size_t block = s->group ? s->group : sf8_kv_block_of(s->n);
    if (s->n == 0)
        return;
    s->r.block = (int32_t)block;
    (void)sf8_quantize_n(&s->r, s->codes, s->scales, NULL, c->format, s->at, 1, s->n, s->g);
    for (size_t i = 0; i < s->runs; i++) {
        const sf8_kv_run *run = &s->run[i];
        sf8_kv_put(&c->l, c->data, run->block, run->slot, run->head, run->d, s->codes + run->at,
                   run->n);
        if (c->l.scales == SF8_KV_SCALES_GIVEN)
            continue;
        for (size_t k = (run->at + block - 1) / block; k * block < run->at + run->n; k++)
            sf8_kv_put_scale(c, run, run->d + (k * block - run->at), s->scales[k]);
    }
    s->n = s->runs = 0;
}

static void sf8_kv_add_run(sf8_kv_storing *s, size_t token, sf8_kv_run run)
{
    const unsigned char *from;
    size_t width = s->c->width, some;
    if (s->in_place) {
        (void)sf8_kv_word(s->c, token, run.head, run.d, &from, run.n);
        if (s->n != 0 && from != s->end)
            sf8_kv_store_piece(s);
        s->at = s->n == 0 ? from : s->at;
        s->end = from + run.n * width;
    } else {
        s->at = s->words;
        for (size_t i = 0; i < run.n; i += some) {
            some = sf8_kv_word(s->c, token, run.head, run.d + i, &from, run.n - i);
            memcpy(s->words + (s->n + i) * width, from, some * width);
        }
    }
    run.at = s->n;
    s->n += run.n;
    s->run[s->runs++] = run;
}

/* ---- a block larger than a piece ------------------------------------------------------------- */

static uint32_t sf8_kv_load_word(const sf8_kv_call *c, size_t token, size_t head, size_t d)
{
    const unsigned char *at;
    (void)sf8_kv_word(c, token, head, d, &at, 1);
    return sf8_word_load(c->format, at, 0);
}

/* Quantizes elements from run->d on, of one row or of all rows, by the core. */
static void sf8_kv_store_block(const sf8_kv_storing *s, size_t token, sf8_kv_run run)
{
    const sf8_kv_call *c = s->c;
    size_t heads = c->l.group <= c->l.dim ? 1 : (size_t)c->l.heads, first = run.head;
    sf8_block b;
    sf8_block_begin(&b, sf8_f32_bits(s->g));
    for (size_t h = 0; h < heads; h++)
        for (size_t d = run.d; d < run.d + run.n; d++)
            sf8_block_take(&s->r, &b, sf8_kv_load_word(c, token, first + h, d),
                           h == 0 && d == run.d);
    sf8_block_scale(&s->r, &b);
    sf8_kv_put_scale(c, &run, run.d, b.scale);
    for (size_t h = 0; h < heads; h++)
        for (size_t d = run.d; d < run.d + run.n; d += 2) {
            uint8_t codes[2];
            size_t n = run.d + run.n - d < 2 ? 1 : 2;
            for (size_t i = 0; i < n; i++)
                codes[i] = (uint8_t)sf8_block_code(&s->r, &b,
                                                   sf8_kv_load_word(c, token, first + h, d + i));
            sf8_kv_put(&c->l, c->data, run.block, run.slot, first + h, d, codes, n);
        }
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* Processes a row. With a scale for all rows of a token, the first row stands for all of them, and
 * they are in one piece. */
static void sf8_kv_store_row(sf8_kv_storing *s, size_t token, sf8_kv_run run)
{
    const sf8_kv_layout *l = &s->c->l;
    size_t dim = (size_t)l->dim, group = s->group ? s->group : 2;
    size_t heads = s->group > dim ? (size_t)l->heads : 1;
    size_t unit = dim * heads < s->most ? dim : s->most - s->most % group;
    if (group > s->most || heads > SF8_KV_RUNS) {
        run.n = group > dim ? dim : group;
        for (run.d = 0; run.d < dim; run.d += run.n)
            sf8_kv_store_block(s, token, run);
        return;
    }
    for (run.d = 0; run.d < dim; run.d += run.n) {
        run.n = dim - run.d < unit ? dim - run.d : unit;
        if (s->n + run.n * heads > s->most || s->runs + heads > SF8_KV_RUNS)
            sf8_kv_store_piece(s);
        sf8_kv_run one = run;
        for (; one.head < run.head + heads; one.head++)
            sf8_kv_add_run(s, token, one);
    }
}

static void sf8_kv_store_part(sf8_kv_storing *s, const sf8_kv_slots *slots, const sf8_kv_part *p)
{
    const sf8_kv_layout *l = &s->c->l;
    size_t step = s->group > l->dim ? (size_t)l->heads : 1;
    s->g = p->g;
    for (size_t token = p->first; token < p->last; token++) {
        sf8_kv_run run = {0, 0, 0, 0, 0, 0};
        if (sf8_kv_find(l, slots, token, &run.block, &run.slot))
            for (run.head = p->from; run.head < p->to; run.head += step)
                sf8_kv_store_row(s, token, run);
    }
    sf8_kv_store_piece(s);
}

static void sf8_kv_quantize(const sf8_kv_call *call, const sf8_kv_slots *slots)
{
    sf8_kv_call c = *call;
    sf8_kv_part part = {0, 0, 0, 0, 0};
    sf8_kv_storing s;
    sf8_recipe own;
    sf8_kv_merge(&c);
    s.c = &c;
    s.r = *sf8_recipe_for(c.recipe, c.format, &own);
    s.n = s.runs = 0;
    s.at = s.end = NULL;
    s.group = c.l.scales == SF8_KV_SCALES_GIVEN ? 0 : (size_t)c.l.group;
    s.in_place = sf8_kv_in_place(&c);
    s.most = s.in_place ? (size_t)SF8_KV_PIECE : SF8_KV_WORDS / c.width;
    if (s.group && s.group < s.most / SF8_KV_SCALES)
        s.most = s.group * SF8_KV_SCALES;
    while (sf8_kv_next_part(&c, s.most, slots->count, &part))
        sf8_kv_store_part(&s, slots, &part);
}

/* ---- the entry point ------------------------------------------------------------------------- */

static sf8_kv_call sf8_kv_call_of_store(const sf8_kv_store *s)
{
    sf8_kv_call c = sf8_kv_call_of(&s->image, s->recipe, s->from, s->g, s->g_count);
    c.first = s->first;
    c.second = s->second;
    return c;
}

sf8_status sf8_kv_store_n(const sf8_kv_store *stores, size_t n, const sf8_kv_slots *slots,
                          sf8_kv_error *error)
{
    for (size_t i = 0; i < n; i++) {
        sf8_kv_call c = sf8_kv_call_of_store(&stores[i]);
        uint32_t reason = sf8_kv_check_call(&c, slots->count);
        size_t token = 0;
        if (reason == SF8_KV_GOOD && (c.l.blocks != stores[0].image.layout.blocks ||
                                      c.l.slots != stores[0].image.layout.slots))
            reason = SF8_KV_UNLIKE;
        if (reason == SF8_KV_GOOD && i == 0)
            reason = sf8_kv_check_slots(slots, c.l.blocks * c.l.slots, 0, &token);
        if (reason != SF8_KV_GOOD)
            return sf8_kv_told(error, reason, i, token);
    }
    for (size_t i = 0; i < n; i++) {
        sf8_kv_call c = sf8_kv_call_of_store(&stores[i]);
        if (c.recipe)
            sf8_kv_quantize(&c, slots);
        else
            sf8_kv_copy(&c, slots);
        sf8_kv_copy_tails(&c, slots);
    }
    return sf8_kv_told(error, SF8_KV_GOOD, 0, 0);
}
