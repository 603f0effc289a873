/* SPDX-License-Identifier: MIT */
/* poison.c -- requests of attention beside NaN that must not be seen, and with one that must not be
 * lost */
#include "families/attend/rerun.h"

#include "softfp8/kv/caches.h"

#include <string.h>

enum { BLOCKS = 32 /* of a table, including its padding */ };

/* Fills a row of each head with this byte: all of it and its scales; or element 7 and the first
 * scale, and with 4 bits only that scale. */
static void fill(const attend_rerun *w, int values, rerun_place p, int byte, int whole)
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

/* NaN, of keys and values. */
static void spoil(const attend_rerun *w, size_t request, size_t first, size_t last)
{
    for (size_t p = first; p < last; p++)
        for (int values = 0; values < 2; values++)
            fill(w, values, rerun_place_of(w, request, p), 0xff, 1);
}

static int is_used(const attend_rerun *w, size_t block, size_t slot)
{
    for (size_t r = 0; r < w->set.count; r++)
        for (size_t p = 0; p < w->b.request[r].keys; p++) {
            rerun_place at = rerun_place_of(w, r, p);
            if (at.block == block && at.slot == slot)
                return 1;
        }
    return 0;
}

/* Slots that belong to nobody, of one block or of all. */
static void fill_unused(const attend_rerun *w, size_t block, int all, int byte)
{
    const sf8_kv_layout *l = &rerun_side(w, 0)->image.layout;
    for (size_t b = 0; b < l->blocks; b++)
        for (size_t slot = 0; slot < l->slots && (all || b == block); slot++)
            for (int values = 0; values < 2 && !is_used(w, b, slot); values++)
                fill(w, values, (rerun_place){b, slot}, byte, 1);
}

/* ---- poison ---------------------------------------------------------------------------------- */

/* NaN in all slots that belong to nobody; then zeros. */
static void run_unused(attend_rerun *w)
{
    rerun_run(w, 1);
    fill_unused(w, 0, 1, 0);
    rerun_run(w, 2);
}

/* Block 0, which belongs to nobody and pads the tables, is NaN; then zeros. */
static void run_null(attend_rerun *w)
{
    static int64_t tables[2][BLOCKS];
    while (is_used(w, 0, 0)) {
        w->set.seed++;
        if (!rerun_begin(w))
            return;
    }
    for (size_t r = 0; r < 2; r++) {
        sf8_attend *a = &w->b.request[r];
        memset(tables[r], 0, sizeof tables[r]);
        memcpy(tables[r], a->blocks, a->block_count * sizeof tables[r][0]);
        a->blocks = tables[r];
        a->block_count = BLOCKS;
    }
    rerun_run(w, 2);
    fill_unused(w, 0, 0, 0);
    rerun_run(w, 1);
}

/* NaN where the last query sees it and earlier queries do not. */
static void run_future(attend_rerun *w)
{
    const size_t keys = w->b.request[0].keys;
    rerun_run(w, 1);
    spoil(w, 0, keys - 1, keys);
    rerun_run(w, 3);
}

/* NaN in one element of the second query's own key: its rows and later ones become NaN. */
static void run_one_key(attend_rerun *w)
{
    rerun_run(w, 1);
    fill(w, 0, rerun_place_of(w, 0, w->b.request[0].keys - 2), 0xff, 0);
    rerun_run(w, 1);
}

/* The same in a value: only its channel; in blocks with a scale, the channels of the block. */
static void run_one_value(attend_rerun *w)
{
    rerun_run(w, 1);
    fill(w, 1, rerun_place_of(w, 0, w->b.request[0].keys - 2), 0xff, 0);
    rerun_run(w, 2);
}

/* The whole other request is NaN. */
static void run_neighbour(attend_rerun *w)
{
    rerun_run(w, 2);
    spoil(w, 0, 0, w->b.request[0].keys);
    rerun_run(w, 1);
}

/* A request of 16 slots has NaN in all but 5; its block passes to a request that has these 5. */
static void run_reuse(attend_rerun *w)
{
    sf8_attend *a = &w->b.request[0];
    rerun_run(w, 1);
    a->keys = 16;
    spoil(w, 0, 5, 16);
    rerun_run(w, 1);
    a->keys = 5;
    rerun_run(w, 1);
}

/* One NaN key, however the keys are split: NaN in every row of its request. */
static void run_hides(attend_rerun *w)
{
    static const size_t splits[] = {1, 2, 3, 4, 7, 16};
    rerun_run(w, 1);
    fill(w, 0, rerun_place_of(w, 0, 70), 0xff, 0);
    for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++)
        rerun_run(w, splits[i]);
}

const attend_word attend_poison_words[] = {
    {"unused_slots", run_unused, 0, 0, 0, 0, 0},
    {"null_block", run_null, 0, 0, 0, 0, 0},
    {"masked_future", run_future, 0, 0, 0, 0, 0},
    {"one_key", run_one_key, 0, 0, 0, 0, 0},
    {"one_value", run_one_value, 0, 0, 0, 0, 0},
    {"neighbour_isolation", run_neighbour, 0, 0, 0, 0, 0},
    {"slot_reuse", run_reuse, 1, 5, 1, 0, 0},
    {"split_hides", run_hides, 0, 0, 0, 0, 0},
    {NULL, NULL, 0, 0, 0, 0, 0},
};
