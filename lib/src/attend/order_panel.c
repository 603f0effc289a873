/* SPDX-License-Identifier: MIT */
/* order_panel.c -- attention in another stack's order: keys and values that are read once for all
 * rows
 *
 * Reading a key or a value, rounding it to an operand of the unit and decoding that takes far
 * longer than the product. Where several rows have the same keys, this is done once for each head
 * of the cache. Only what loops compute is taken from here. The rest, and all of a request with few
 * rows, is computed one operation after the other.
 */
#include "attend/order_job.h"

#include <string.h>

/* The keys that tiles may reach, in whole chunks. */
static uint64_t sf8_order_reached(const sf8_attend_order *o, uint64_t keys)
{
    uint64_t tile = o->tile > SF8_ATTEND_CHUNK ? (uint64_t)o->tile : (uint64_t)SF8_ATTEND_CHUNK;
    return sf8_kv_plus(sf8_kv_plus(keys, tile), SF8_ATTEND_CHUNK - 1) / SF8_ATTEND_CHUNK *
           SF8_ATTEND_CHUNK;
}

/* Panels of fewer rows take longer than they save; larger ones take too much memory. */
static int32_t sf8_order_has_panels(const sf8_attend_order *o, const sf8_attend *a)
{
    enum { ROWS = 4, ELEMENTS = 1 << 24 };
    const sf8_kv_layout *k = &a->k.image.layout, *v = &a->v.image.layout;
    uint64_t rows = sf8_kv_times(a->queries, a->heads / k->heads);
    uint64_t dims = k->dim + v->dim;
    return rows >= ROWS && sf8_kv_times(sf8_order_reached(o, a->keys), dims) <= ELEMENTS;
}

/* Whether products, or weights times values, are f32 operations. */
static int32_t sf8_order_has_f32(const sf8_attend_order *o)
{
    return o->dot != SF8_PRODUCTS_UNIT || o->values == SF8_VALUES_CHAIN ||
           o->values == SF8_VALUES_CHAIN_HALF || o->values == SF8_VALUES_THREADS;
}

/* Where each panel begins in the scratch memory, in uint32_t: operands of the unit; keys channel by
 * channel, of which 64 can be loaded behind the last; values. */
typedef struct sf8_order_panel_rooms {
    uint64_t v_panel, across, values, all;
} sf8_order_panel_rooms;

static sf8_order_panel_rooms sf8_order_panel_rooms_of(const sf8_attend_order *o,
                                                      const sf8_attend *a)
{
    uint64_t keys = sf8_order_reached(o, a->keys), dim = a->k.image.layout.dim;
    uint64_t columns = a->v.image.layout.dim;
    sf8_order_panel_rooms r = {0, 0, 0, 0};
    if (!sf8_order_has_panels(o, a))
        return r;
    if (o->unit && o->unit[0]) {
        r.v_panel = sf8_mma_panel_room(keys, dim);
        r.all = r.across = sf8_kv_plus(r.v_panel, sf8_mma_panel_room(columns, keys));
    }
    if (sf8_order_has_f32(o)) {
        r.values = sf8_kv_plus(r.across, sf8_kv_times(keys + SF8_ATTEND_CHUNK, dim));
        r.all = sf8_kv_plus(r.values, sf8_kv_times(keys, columns));
    }
    return r;
}

SF8_PRIVATE uint64_t sf8_order_panels_room(const sf8_attend_order *o, const sf8_attend *a)
{
    return sf8_order_panel_rooms_of(o, a).all;
}

SF8_PRIVATE void sf8_order_panels_begin(sf8_order_job *job, sf8_mma_tiles *tiles, uint32_t *room)
{
    const sf8_attend_order *o = job->o;
    sf8_order_panel_rooms r = sf8_order_panel_rooms_of(o, &job->a);
    size_t keys = (size_t)sf8_order_reached(o, job->a.keys), dim = job->read.dim;
    if (r.all == 0)
        return;
    job->reached = keys;
    if (o->unit[0] && sf8_mma_panels_begin(tiles, &job->mma)) {
        job->tiles = tiles;
        sf8_mma_panel_begin(&job->k_panel, tiles, keys, dim, room);
        sf8_mma_panel_begin(&job->v_panel, tiles, job->columns, keys, room + r.v_panel);
    }
    if (sf8_order_has_f32(o) && job->read.ops->orders) {
        job->loops = job->read.ops->orders;
        job->across = room + r.across;
        job->values = room + r.values;
        memset(job->across, 0, (keys + SF8_ATTEND_CHUNK) * dim * sizeof *job->across);
    }
}

static void sf8_order_fill_keys(sf8_order_job *job, size_t first)
{
    size_t dim = job->read.dim, n = SF8_ATTEND_CHUNK, stride = job->reached + n;
    const uint32_t *keys = sf8_order_read(job, &job->read.k, first, n);
    for (size_t i = 0; job->loops && i < n * dim; i++)
        job->across[i % dim * stride + first + i / dim] = keys[i];
    for (size_t i = 0; job->tiles && i < n * dim; i++)
        sf8_order_put(job, job->k_operand, i, keys[i]);
    if (job->tiles)
        sf8_mma_panel_fill(&job->k_panel, job->tiles, job->k_operand, first, n, 0, dim);
}

static void sf8_order_fill_values(sf8_order_job *job, size_t first)
{
    size_t columns = job->columns, n = SF8_ATTEND_CHUNK;
    const uint32_t *values = sf8_order_read(job, &job->read.v, first, n);
    if (job->loops)
        memcpy(job->values + first * columns, values, n * columns * sizeof *values);
    for (size_t i = 0; job->tiles && i < n * columns; i++)
        sf8_order_put(job, job->v_operand, i % columns * n + i / columns, values[i]);
    if (job->tiles)
        sf8_mma_panel_fill(&job->v_panel, job->tiles, job->v_operand, 0, columns, first, n);
}

SF8_PRIVATE void sf8_order_panels_fill(sf8_order_job *job, size_t kv)
{
    job->kv = kv;
    job->read_k = job->read_v = SIZE_MAX;
    for (size_t first = 0; first < job->reached; first += SF8_ATTEND_CHUNK) {
        sf8_order_fill_keys(job, first);
        sf8_order_fill_values(job, first);
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

SF8_PRIVATE int32_t sf8_order_panel_dots(sf8_order_job *job, size_t first, size_t n, uint32_t *dot)
{
    size_t dim = job->read.dim;
    unsigned int before;
    if (first + n > job->reached)
        return 0;
    if (job->o->dot != SF8_PRODUCTS_UNIT) {
        if (!job->loops)
            return 0;
        before = sf8_floats_begin();
        job->loops->dots[job->o->dot](dot, job->q, job->across + first,
                                      job->reached + SF8_ATTEND_CHUNK, dim);
        sf8_floats_end(before);
        return 1;
    }
    if (!job->tiles)
        return 0;
    memset(dot, 0, n * sizeof *dot);
    return sf8_mma_panel_sum(&job->k_panel, job->tiles, job->q_operand, first, n, 0, job->read.dim,
                             dot) == n;
}

/* The keys of a part may begin between two instructions, as they were decoded. */
SF8_PRIVATE size_t sf8_order_panel_values(sf8_order_job *job, size_t first, const uint32_t *weight,
                                          size_t n, uint32_t *sum, size_t from, size_t columns)
{
    if (!job->tiles || first + n > job->reached || first % (size_t)job->tiles->step != 0)
        return 0;
    for (size_t j = 0; j < n; j++)
        sf8_order_put(job, job->weight_operand, j, weight[j]);
    return sf8_mma_panel_sum(&job->v_panel, job->tiles, job->weight_operand, from, columns, first,
                             n, sum + from);
}

static int32_t sf8_order_half_kind(const sf8_order_job *job)
{
    if (job->o->values == SF8_VALUES_CHAIN)
        return SF8_ORDER_F32;
    return job->half.exp_bits == 8 ? SF8_ORDER_BF16 : SF8_ORDER_F16;
}

SF8_PRIVATE size_t sf8_order_loop_values(const sf8_order_job *job, size_t first,
                                         const uint32_t *weight, size_t n, uint32_t *sum)
{
    size_t columns = job->columns, done;
    const uint32_t *values;
    unsigned int before;
    if (!job->loops || !job->values || first + n > job->reached)
        return 0;
    values = job->values + first * columns;
    before = sf8_floats_begin();
    if (job->o->values == SF8_VALUES_THREADS)
        done = job->loops->eight(sum, weight, values, columns, sf8_order_half_kind(job));
    else
        done = job->loops->values(sum, weight, values, columns, n, sf8_order_half_kind(job));
    sf8_floats_end(before);
    return done;
}
