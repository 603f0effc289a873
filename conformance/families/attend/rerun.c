/* SPDX-License-Identifier: MIT */
/* rerun.c -- a request of attention run again after a change: results, and saved results */
#include "families/attend/rerun.h"

#include "suite/compare.h"
#include "softfp8/kv/caches.h"
#include "softfp8_f32.h"

#include <stdlib.h>
#include <string.h>

/* ---- runs ------------------------------------------------------------------------------------ */

void rerun_end(attend_rerun *w)
{
    attend_batch_free(&w->b);
    free(w->kept);
    free(w->kept_lse);
    w->kept = NULL;
    w->kept_lse = NULL;
    memset(&w->b, 0, sizeof w->b);
}

int rerun_begin(attend_rerun *w)
{
    rerun_end(w);
    w->wrong = attend_batch_make(&w->b, w->r->kernel, &w->set, 0);
    return !w->wrong;
}

void rerun_differs(attend_rerun *w, const char *what, size_t row)
{
    conform_result *result = w->r->result;
    result->status = CONFORM_FAILED;
    if (result->differ++ == 0)
        snprintf(result->why, sizeof result->why, "%s: row %zu %s", w->name, row, what);
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

void rerun_keep(attend_rerun *w)
{
    w->kept = malloc(w->b.out_bytes);
    w->kept_lse = malloc(w->b.rows * 4);
    if (w->wrong || !w->kept || !w->kept_lse) {
        w->wrong = w->wrong ? w->wrong : "not enough memory for what came";
        return;
    }
    memcpy(w->kept, w->b.out, w->b.out_bytes);
    memcpy(w->kept_lse, w->b.lse, w->b.rows * 4);
}

size_t rerun_row(const attend_rerun *w, size_t request, size_t query)
{
    return w->b.row_at[request] + query * w->set.heads;
}

int rerun_is_same(const attend_rerun *w, size_t row, size_t kept)
{
    const size_t each = w->b.out_bytes / w->b.rows;
    return memcmp(w->b.out + row * each, w->kept + kept * each, each) == 0 &&
           w->b.lse[row] == w->kept_lse[kept];
}

void rerun_same(attend_rerun *w, size_t first, size_t last, size_t kept)
{
    for (size_t i = first; i < last && !w->wrong; i++)
        if (!rerun_is_same(w, i, kept + i - first))
            rerun_differs(w, "is not what it was", i);
}

uint32_t rerun_word(const attend_rerun *w, size_t row, size_t c)
{
    uint32_t word;
    memcpy(&word, w->b.out + 4 * (row * w->set.dim + c), 4);
    return word;
}

void rerun_nans(attend_rerun *w, size_t first, size_t last, size_t channels)
{
    for (size_t i = first; i < last && !w->wrong; i++)
        for (size_t c = 0; c < w->set.dim; c++) {
            uint32_t due = channels == 1 ? c == 7 : c < channels;
            if (sf8_f32_is_nan(rerun_word(w, i, c)) == due)
                continue;
            rerun_differs(w, due ? "hides a NaN" : "has a NaN in a row that should have none", i);
            break;
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

void rerun_fill(const attend_rerun *w, int values, rerun_place p, int byte, int whole)
{
    const sf8_attend_cache *c = rerun_side(w, values);
    const sf8_kv_layout *l = &c->image.layout;
    const size_t bits = l->bits, n = rerun_scales_each(l);
    for (size_t head = 0; head < w->set.kv_heads; head++) {
        uint8_t *row = c->image.data + sf8_kv_element_at(l, p.block, p.slot, head, 0);
        if (whole)
            memset(row, byte, w->set.dim * bits / 8);
        else if (bits >= 8)
            memset(row + 7 * bits / 8, byte, bits / 8);
        for (size_t i = 0; i < n && (whole || (i == 0 && bits < 8)); i++)
            memset(rerun_scales(c) + sf8_kv_scale_at(l, p.block, p.slot, head, i), byte,
                   l->scale_bits / 8);
    }
}
