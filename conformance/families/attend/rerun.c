/* SPDX-License-Identifier: MIT */
/* rerun.c -- a request of attention run again after a change */
#include "families/attend/rerun.h"

#include "suite/compare.h"
#include "softfp8/kv/caches.h"

#include <string.h>

/* ---- runs ------------------------------------------------------------------------------------ */

void rerun_end(attend_rerun *w)
{
    attend_batch_free(&w->b);
    memset(&w->b, 0, sizeof w->b);
}

int rerun_begin(attend_rerun *w)
{
    rerun_end(w);
    w->wrong = attend_batch_make(&w->b, w->r->kernel, &w->set, 0);
    return !w->wrong;
}

void rerun_run(attend_rerun *w, size_t splits)
{
    const attend_way way = {0, w->set.count, splits, 0, 0, 0};
    const uint64_t before = w->r->result->differ;
    char why[CONFORM_LONG];
    if (!w->wrong)
        w->wrong = attend_batch_right(&w->b, &w->set);
    if (!w->wrong)
        w->wrong = attend_launch(w->r, &w->set, &way, &w->b);
    if (before == 0 && w->r->result->differ > 0) {
        snprintf(why, sizeof why, "%s", w->r->result->why);
        snprintf(w->r->result->why, sizeof w->r->result->why, "%s: %.900s", w->name, why);
    }
}

/* ---- caches ---------------------------------------------------------------------------------- */

const sf8_attend_cache *rerun_side(const attend_rerun *w, int values)
{
    return values ? &w->b.request[0].v : &w->b.request[0].k;
}

uint8_t *rerun_scales(const sf8_attend_cache *c)
{
    return c->image.layout.scales == SF8_KV_SCALES_APART ? c->image.scales : c->image.data;
}

size_t rerun_scales_each(const sf8_kv_layout *l)
{
    if (l->scales == SF8_KV_SCALES_GIVEN)
        return 0;
    return l->scale_bits == 32 ? 1 : (size_t)(l->dim / l->group);
}

rerun_place rerun_place_of(const attend_rerun *w, size_t request, size_t position)
{
    const size_t slots = w->set.slots;
    const int64_t block = w->b.request[request].blocks[position / slots];
    return (rerun_place){(size_t)block, position % slots};
}
