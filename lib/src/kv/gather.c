/* SPDX-License-Identifier: MIT */
/* gather.c -- tokens read, or copied, from the images of KV caches */
#include "kv/image.h"
#include "scalar/tensor_word.h"

#include <string.h>

/* ---- pieces ---------------------------------------------------------------------------------- */

/* The elements of a row that are in a piece, beginning with its element `at`. */
typedef struct sf8_kv_got {
    size_t token, head, d, n, at;
} sf8_kv_got;

typedef struct sf8_kv_gathering {
    const sf8_kv_call *c;
    sf8_recipe r;
    float g;
    size_t block;     /* elements of a run with one scale; 0: all of them, scale `given` */
    uint32_t given;   /* its code */
    int32_t alone;    /* a block is larger than a piece: each run is a part of one block */
    size_t most;      /* elements of a piece */
    int32_t in_place; /* elements are written directly to their place if they are contiguous */
    unsigned char *at, *end;
    size_t n, runs;
    sf8_kv_got run[SF8_KV_RUNS];
    unsigned char words[SF8_KV_WORDS];
    uint8_t codes[SF8_KV_PIECE];
    uint32_t scales[SF8_KV_SCALES];
} sf8_kv_gathering;

static uint32_t sf8_kv_get_scale(const sf8_kv_call *c, uint64_t block, uint64_t slot, size_t head,
                                 size_t d)
{
    const sf8_kv_layout *l = &c->l;
    const uint8_t *array = l->scales == SF8_KV_SCALES_APART ? c->scales : c->data;
    uint64_t k = l->group <= l->dim ? d / l->group : 0;
    uint16_t half;
    uint32_t word;
    array += sf8_kv_scale_at(l, block, slot, l->group <= l->dim ? head : 0, k);
    if (l->scale_bits == 8)
        return *array;
    if (l->scale_bits == 16) {
        memcpy(&half, array, 2);
        return half;
    }
    memcpy(&word, array, 4);
    return word;
}

/* Writes the elements of a run to their place. */
static void sf8_kv_put_words(const sf8_kv_call *c, const sf8_kv_got *run, const unsigned char *from)
{
    for (size_t i = 0, some; i < run->n; i += some) {
        unsigned char *at;
        some = sf8_kv_room_at(c, run->token, run->head, run->d + i, &at, run->n - i);
        memcpy(at, from + i * c->width, some * c->width);
    }
}

/* Reads the piece, and writes its elements to their place. */
static void sf8_kv_gather_piece(sf8_kv_gathering *s)
{
    const sf8_kv_call *c = s->c;
    size_t block = s->block && !s->alone ? s->block : s->block ? s->n : sf8_kv_block_of(s->n);
    if (s->n == 0)
        return;
    for (size_t i = 0; s->block == 0 && i * block < s->n; i++)
        s->scales[i] = s->given;
    s->r.block = (int32_t)block;
    (void)sf8_dequantize_n(&s->r, c->format, s->in_place ? s->at : s->words, s->codes, s->scales,
                           NULL, 1, s->n, s->g);
    for (size_t i = 0; i < s->runs && !s->in_place; i++)
        sf8_kv_put_words(c, &s->run[i], s->words + s->run[i].at * c->width);
    s->n = s->runs = 0;
}

static void sf8_kv_add_got(sf8_kv_gathering *s, uint64_t block, uint64_t slot, sf8_kv_got run)
{
    const sf8_kv_call *c = s->c;
    unsigned char *to;
    (void)sf8_kv_room_at(c, run.token, run.head, run.d, &to, run.n);
    if (s->n + run.n > s->most || s->runs == SF8_KV_RUNS || s->alone ||
        (s->in_place && to != s->end))
        sf8_kv_gather_piece(s);
    if (s->n == 0)
        s->at = to;
    s->end = to + run.n * c->width;
    run.at = s->n;
    sf8_kv_get(&c->l, c->data, block, slot, run.head, run.d, s->codes + s->n, run.n);
    if (s->alone)
        s->scales[0] = sf8_kv_get_scale(c, block, slot, run.head, run.d);
    else if (s->block)
        for (size_t i = 0; i < run.n; i += s->block)
            s->scales[(s->n + i) / s->block] = sf8_kv_get_scale(c, block, slot, run.head,
                                                                run.d + i);
    s->n += run.n;
    s->run[s->runs++] = run;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* The scale that a reader uses where the scale is given. */
static uint32_t sf8_kv_given(const sf8_recipe *r, float g)
{
    sf8_block b;
    sf8_block_begin(&b, sf8_f32_bits(g));
    sf8_block_scale(r, &b);
    return b.scale;
}

static void sf8_kv_gather_part(sf8_kv_gathering *s, const sf8_kv_slots *slots, const sf8_kv_part *p)
{
    const sf8_kv_layout *l = &s->c->l;
    size_t dim = (size_t)l->dim, whole = s->alone || !s->block ? 2 : s->block;
    size_t unit = s->most - s->most % whole;
    uint64_t block, slot;
    s->g = p->g;
    s->given = s->block ? 0 : sf8_kv_given(&s->r, s->g);
    for (size_t token = p->first; token < p->last; token++) {
        if (!sf8_kv_find(l, slots, token, &block, &slot))
            continue;
        for (size_t head = p->from; head < p->to; head++)
            for (size_t d = 0, n; d < dim; d += n) {
                sf8_kv_got run = {token, head, d, 0, 0};
                size_t end = s->alone ? s->block - d % s->block : dim - d;
                n = end < dim - d ? end : dim - d;
                n = run.n = n < unit ? n : unit;
                sf8_kv_add_got(s, block, slot, run);
            }
    }
    sf8_kv_gather_piece(s);
}

static void sf8_kv_dequantize(const sf8_kv_call *call, const sf8_kv_slots *slots)
{
    sf8_kv_call c = *call;
    sf8_kv_part part = {0, 0, 0, 0, 0};
    sf8_kv_gathering s;
    sf8_recipe own;
    sf8_kv_merge(&c);
    s.c = &c;
    s.r = *sf8_recipe_for(c.recipe, c.format, &own);
    s.n = s.runs = 0;
    s.at = s.end = NULL;
    s.block = 0;
    if (c.l.scales != SF8_KV_SCALES_GIVEN)
        s.block = (size_t)(c.l.group <= c.l.dim ? c.l.group : c.l.dim);
    s.in_place = sf8_kv_in_place(&c);
    s.most = s.in_place ? (size_t)SF8_KV_PIECE : SF8_KV_WORDS / c.width;
    if (s.block && s.block < s.most / SF8_KV_SCALES)
        s.most = s.block * SF8_KV_SCALES;
    s.alone = s.block > s.most;
    while (sf8_kv_next_part(&c, s.most, slots->count, &part))
        sf8_kv_gather_part(&s, slots, &part);
}

/* ---- the entry point ------------------------------------------------------------------------- */

static sf8_kv_words sf8_kv_words_of(sf8_kv_room room)
{
    sf8_kv_words w = {room.words, room.tokens, room.dim, room.token_stride, room.head_stride};
    return w;
}

static sf8_kv_call sf8_kv_call_of_gather(const sf8_kv_gather *s)
{
    sf8_kv_call c = sf8_kv_call_of(&s->image, s->recipe, s->to, s->g, s->g_count);
    c.first = sf8_kv_words_of(s->first);
    c.second = sf8_kv_words_of(s->second);
    c.gathers = 1;
    return c;
}

sf8_status sf8_kv_gather_n(const sf8_kv_gather *gathers, size_t n, const sf8_kv_slots *slots,
                           sf8_kv_error *error)
{
    size_t token, item;
    for (item = 0; item < n; item++) {
        sf8_kv_call c = sf8_kv_call_of_gather(&gathers[item]);
        uint32_t reason = sf8_kv_check_call(&c, slots->count);
        token = 0;
        if (reason == SF8_KV_GOOD)
            reason = sf8_kv_check_slots(slots, c.l.blocks * c.l.slots, 1, &token);
        if (reason != SF8_KV_GOOD)
            return sf8_kv_told(error, reason, item, token);
    }
    for (item = 0; item < n; item++) {
        sf8_kv_call c = sf8_kv_call_of_gather(&gathers[item]);
        if (c.recipe)
            sf8_kv_dequantize(&c, slots);
        else
            sf8_kv_copy(&c, slots);
        sf8_kv_copy_tails(&c, slots);
    }
    return sf8_kv_told(error, SF8_KV_GOOD, 0, 0);
}
