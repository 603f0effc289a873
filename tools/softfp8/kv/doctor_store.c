/* SPDX-License-Identifier: MIT */
/* doctor_store.c -- a piece of a tensor, stored one way and read back
 *
 * The order in which a way takes the values is its own: `place` says where each is in the piece.
 */
#include "kv/doctor_measure.h"

#include <string.h>

/* ---- orders of the values -------------------------------------------------------------------- */

/* Head by head: [heads][tokens][size]. */
static void arrange_heads(kv_work *w)
{
    const kv_shape *s = &w->r->shape;
    size_t i = 0;
    for (size_t h = 0; h < s->heads; h++)
        for (size_t t = 0; t < w->tokens; t++)
            for (size_t d = 0; d < s->size; d++)
                w->places[i++] = (uint32_t)(t * s->channels + h * s->size + d);
}

/* Group by group of tokens, in each channel by channel: [groups][channels][tokens]. */
static void arrange_channels(kv_work *w)
{
    const kv_shape *s = &w->r->shape;
    size_t i = 0;
    for (size_t t = 0; t < w->tokens; t += DOCTOR_GROUP) {
        size_t end = w->tokens - t < DOCTOR_GROUP ? w->tokens : t + DOCTOR_GROUP;
        for (size_t c = 0; c < s->channels; c++)
            for (size_t k = t; k < end; k++)
                w->places[i++] = (uint32_t)(k * s->channels + c);
    }
}

static const uint32_t *arrange(kv_work *w, int unit)
{
    w->place = NULL;
    if (unit == KV_HEADS)
        arrange_heads(w);
    else if (unit == KV_CHANNEL)
        arrange_channels(w);
    else
        return w->x;
    w->place = w->places;
    for (size_t i = 0; i < w->count; i++)
        w->arranged[i] = w->x[w->place[i]];
    return w->arranged;
}

/* ---- one way --------------------------------------------------------------------------------- */

/* Adds the square of an error in double: of a channel in the order of tokens, of a token in that of
 * channels. */
static void add_detail(kv_channel *c, unsigned fate, uint32_t x, uint32_t value)
{
    c->wrong += (fate & KV_WRONG) != 0;
    c->clipped += (fate & KV_CLIPPED) != 0;
    c->flushed += (fate & KV_FLUSHED) != 0;
    if (fate & KV_WRONG)
        return;
    double a = (double)sf8_f32_from_bits(x), error = (double)sf8_f32_from_bits(value) - a;
    c->squares += error * error;
    c->energy += a * a;
}

static void detail(kv_work *w, size_t place, unsigned fate, uint32_t x, uint32_t value)
{
    size_t channels = w->r->shape.channels;
    kv_channel *t = &w->token[place / channels];
    uint32_t size = sf8_f32_magnitude(x);
    add_detail(&w->r->values.channel[place % channels], fate, x, value);
    add_detail(t, fate, x, value);
    if (size < SF8_F32_INF && size > t->amax)
        t->amax = size;
}

/* What the cast would do to numbers if it did not saturate. */
static void cast_without(kv_work *w, const kv_way *way, kv_tally *t, const uint32_t *x, size_t at,
                         size_t rows, size_t columns, uint32_t g)
{
    sf8_recipe r = way->recipe;
    if (r.integer)
        return;
    r.element_policy = sf8_policy_named("cuda-nosat", NULL);
    sf8_quantize_n(&r, w->other, w->scales, w->offsets, SF8_F32, x + at, rows, columns,
                   sf8_f32_from_bits(g));
    for (size_t i = 0; i < rows * columns; i++) {
        if (sf8_f32_magnitude(x[at + i]) >= SF8_F32_INF)
            continue;
        uint32_t e = sf8_f32_magnitude(sf8_block_element(&r, w->other[i]));
        t->cast_nan += e > SF8_F32_INF;
        t->cast_infinite += e == SF8_F32_INF;
    }
}

/* The values of codes one step inward, where they end. */
static void read_inward(kv_work *w, const kv_way *way, size_t at, size_t rows, size_t columns,
                        uint32_t g)
{
    for (size_t i = 0; i < rows * columns; i++) {
        uint8_t code = w->codes[at + i];
        w->other[i] = (uint8_t)(way->half[code] == 0 ? code : code == 0 ? 1 : code - 1);
    }
    sf8_dequantize_n(&way->recipe, SF8_F32, w->inward + at, w->other, w->scales, w->offsets, rows,
                     columns, sf8_f32_from_bits(g));
}

/* Rows of a way from the at-th value on, with one g. */
static void store(kv_work *w, size_t i, const uint32_t *x, size_t at, size_t rows, size_t columns,
                  uint32_t g)
{
    kv_way *way = &w->r->ways[i];
    kv_tally *t = &w->r->tally[i];
    const sf8_recipe *r = &way->recipe;
    size_t scales = rows * sf8_recipe_blocks(r, columns);
    if (rows == 0)
        return;
    sf8_quantize_n(r, w->codes + at, w->scales, w->offsets, SF8_F32, x + at, rows, columns,
                   sf8_f32_from_bits(g));
    sf8_dequantize_n(r, SF8_F32, w->values + at, w->codes + at, w->scales, w->offsets, rows,
                     columns, sf8_f32_from_bits(g));
    if (way->is_offset)
        read_inward(w, way, at, rows, columns, g);
    if (i == 0)
        cast_without(w, way, t, x, at, rows, columns, g);
    t->bytes += rows * ((columns * sf8_recipe_bits(r) + 7) / 8);
    if (way->unit != KV_TENSOR && way->unit != KV_HEADS && way->unit != KV_NONE)
        t->bytes += scales * (size_t)((sf8_format_bits(r->scale) + 7) / 8);
    if (r->offset_at == SF8_OFFSET_WORD)
        t->bytes += scales * (size_t)((sf8_format_bits(r->offset) + 7) / 8);
}

static void store_all(kv_work *w, size_t i, const uint32_t *x)
{
    const kv_shape *s = &w->r->shape;
    const kv_way *way = &w->r->ways[i];
    size_t whole = w->tokens / DOCTOR_GROUP * DOCTOR_GROUP;
    switch (way->unit) {
    case KV_HEADS:
        for (size_t h = 0; h < s->heads; h++)
            store(w, i, x, h * w->tokens * s->size, w->tokens, s->size, way->head_g[h]);
        break;
    case KV_CHANNEL:
        store(w, i, x, 0, whole / DOCTOR_GROUP * s->channels, DOCTOR_GROUP, way->g);
        if (w->tokens > whole)
            store(w, i, x, whole * s->channels, s->channels, w->tokens - whole, way->g);
        break;
    case KV_TOKEN_HEAD:
        store(w, i, x, 0, w->tokens * s->heads, s->size, way->g);
        break;
    default:
        store(w, i, x, 0, w->tokens, s->channels, way->g);
    }
}

/* In double, of a channel in the order of tokens. */
static void add_noise(double *noise, uint32_t x, uint32_t value)
{
    double a = (double)sf8_f32_from_bits(x), error = (double)sf8_f32_from_bits(value) - a;
    noise[0] += error * error;
    noise[1] += a * a;
}

void kv_take_way(kv_work *w, size_t i)
{
    const kv_way *way = &w->r->ways[i];
    kv_tally *t = &w->r->tally[i];
    const uint32_t *x = arrange(w, way->unit);
    size_t channels = w->r->shape.channels, begin = w->first * channels, channel = 0;
    double *noise = w->noise + 2 * channels * i;
    store_all(w, i, x);
    for (size_t k = 0; k < w->count; k++) {
        size_t place = w->place ? w->place[k] : k;
        unsigned fate = kv_tally_add(t, way, x[k], w->codes[k], w->values[k],
                                     way->is_offset ? w->inward[k] : 0, begin + place);
        if (w->place)
            channel = place % channels;
        if (!(fate & KV_WRONG))
            add_noise(noise + 2 * channel, x[k], w->values[k]);
        if (i == 0)
            detail(w, place, fate, x[k], w->values[k]);
        channel = channel + 1 == channels ? 0 : channel + 1;
    }
}
