/* SPDX-License-Identifier: MIT */
/* search.c -- all readings within two changes of a plain one, scored and ranked */
#include "search/layout/score.h"

#include <stdlib.h>
#include <string.h>

/* What explains less than this share explains nothing: rounding leaves no more than a few elements
 * beside their codes. */
static const double enough = 0.99;

/* ---- families -------------------------------------------------------------------------------- */

static layout_reading family(int element, int block, int scale, int g, int place)
{
    layout_reading h = {{0}};
    h.at[AXIS_ELEMENT] = (uint8_t)element;
    h.at[AXIS_BLOCK] = (uint8_t)block;
    h.at[AXIS_SCALE] = (uint8_t)scale;
    h.at[AXIS_G] = (uint8_t)g;
    h.at[AXIS_PLACE] = (uint8_t)place;
    return h;
}

static layout_reading of_recipe(const sf8_recipe_row *row, int place)
{
    int element = strcmp(row->element, "e5m2") == 0 ? ELEMENT_E5M2 : 0;
    int block = row->block == 0     ? BLOCK_ALL
                : row->block == 128 ? BLOCK_128
                : row->block == 64  ? BLOCK_64
                : row->block == 32  ? BLOCK_32
                                    : BLOCK_16;
    int scale = strcmp(row->scale, "e8m0") == 0   ? SCALE_E8M0
                : strcmp(row->scale, "e4m3") == 0 ? SCALE_E4M3
                                                  : SCALE_FLOAT;
    layout_reading h = family(element, block, scale, G_GIVEN, place);
    if (strstr(row->properties, "rows="))
        h.at[AXIS_ALONG] = ALONG_BOTH;
    return h;
}

size_t layout_families(const layout_data *d, const sf8_recipe_row *row, int place,
                       layout_reading list[LAYOUT_FAMILIES])
{
    int no_g = d->has_g ? G_NONE : G_GIVEN;
    if (row) {
        list[0] = of_recipe(row, place);
        return 1;
    }
    if (d->width > 1) {
        static const uint8_t kinds[4][2] = {{BLOCK_128, ALONG_BOTH},
                                            {BLOCK_128, ALONG_ROWS},
                                            {BLOCK_ALL, ALONG_ROWS},
                                            {BLOCK_ALL, ALONG_BOTH}};
        for (int i = 0; i < 4; i++) {
            list[i] = family(ELEMENT_E4M3, kinds[i][0], SCALE_FLOAT, no_g, place);
            list[i].at[AXIS_ALONG] = kinds[i][1];
        }
        return 4;
    }
    if (d->bits == 8) {
        list[0] = family(ELEMENT_E4M3, BLOCK_32, SCALE_E8M0, no_g, place);
        list[1] = family(ELEMENT_E5M2, BLOCK_32, SCALE_E8M0, no_g, place);
        list[2] = family(ELEMENT_E4M3, BLOCK_128, SCALE_E8M0, no_g, place);
        return 3;
    }
    list[0] = family(ELEMENT_E2M1, BLOCK_16, SCALE_E4M3, G_GIVEN, place);
    list[1] = family(ELEMENT_E2M1, BLOCK_32, SCALE_E8M0, no_g, place);
    list[2] = family(ELEMENT_E2M1, BLOCK_16, SCALE_E8M0, no_g, place);
    return 3;
}

/* ---- the list -------------------------------------------------------------------------------- */

typedef struct found_list {
    layout_found *list;
    size_t count, room;
} found_list;

static void add(found_list *l, const layout_reading *plain, const layout_reading *h, int cost)
{
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 256;
        l->list = reallocate(l->list, l->room, sizeof *l->list);
    }
    layout_found *f = &l->list[l->count++];
    memset(f, 0, sizeof *f);
    f->reading = *h;
    f->plain = *plain;
    f->cost = cost;
}

/* Whether any scale has bit 7, which is the sign of e4m3. */
static int has_sign(const layout_data *d)
{
    for (size_t i = 0; i < d->scales_size; i++) {
        if (d->scales[i] & 0x80)
            return 1;
    }
    return 0;
}

/* Whether such a value can be meant at all. */
static int is_possible(const layout_data *d, const layout_reading *h)
{
    int g = h->at[AXIS_G], scale = h->at[AXIS_SCALE];
    if (!d->has_g && g != G_GIVEN && g != G_NONE)
        return 0;
    if ((d->width > 1) != (scale >= SCALE_FLOAT) || (scale == SCALE_UNSIGNED && !has_sign(d)))
        return 0;
    return g != G_FOLDED || scale == SCALE_E4M3 || scale == SCALE_UNSIGNED;
}

/* All readings with up to `changes` axes from `axis` on changed. */
static void add_changed(const layout_data *d, found_list *l, const layout_reading *plain,
                        const layout_reading *h, int axis, int cost, int changes)
{
    for (; axis < AXES; axis++) {
        if (axis == AXIS_G && !d->has_g)
            continue;
        for (int v = 0; layout_value_at(axis, d->bits, v); v++) {
            layout_reading next = *h;
            if (v == plain->at[axis])
                continue;
            next.at[axis] = (uint8_t)v;
            if (is_possible(d, &next) && layout_fits(d, &next))
                add(l, plain, &next, cost + 1);
            if (changes > 1)
                add_changed(d, l, plain, &next, axis + 1, cost + 1, changes - 1);
        }
    }
}

static int by_reading(const void *a, const void *b)
{
    const layout_found *f = a, *g = b;
    int order = memcmp(&f->reading, &g->reading, sizeof f->reading);
    return order ? order : (f->cost > g->cost) - (f->cost < g->cost);
}

/* A reading that several families lead to counts for the nearest. */
static void remove_twins(found_list *l)
{
    size_t kept = 0;
    if (l->count == 0)
        return;
    qsort(l->list, l->count, sizeof *l->list, by_reading);
    for (size_t i = 0; i < l->count; i++) {
        if (kept == 0 ||
            memcmp(&l->list[kept - 1].reading, &l->list[i].reading, sizeof(layout_reading)) != 0)
            l->list[kept++] = l->list[i];
    }
    l->count = kept;
}

/* ---- ranking --------------------------------------------------------------------------------- */

/* A change has to explain more than chance would: 8 elements, and one of 2000. Where g is in the
 * scales more than one scale would do for an element, which explains some by itself. */
static double merit(const layout_found *f)
{
    double counted = f->score.counted ? (double)f->score.counted : 1;
    double price = 8 / counted > 0.0005 ? 8 / counted : 0.0005;
    double wide = f->reading.at[AXIS_G] == G_FOLDED ? 0.01 : 0;
    return layout_share(&f->score) - f->cost * price - wide;
}

static int by_merit(const void *a, const void *b)
{
    const layout_found *f = a, *g = b;
    double first = merit(f), second = merit(g);
    if (first != second)
        return first < second ? 1 : -1;
    return by_reading(a, b);
}

/* The plain reading that fits and explains the most. */
static void find_plain(layout_result *r)
{
    for (size_t i = 0; i < r->count && !r->has_plain; i++) {
        if (r->list[i].cost == 0) {
            r->plain = r->list[i];
            r->has_plain = 1;
        }
    }
}

/* All readings within two changes of the plain ones (one, if quick). Scales of e8m0 have no g
 * beside them: that is one change. */
static found_list list_all(const layout_data *d, const layout_reading *plain, size_t count,
                           int quick)
{
    found_list l = {NULL, 0, 0};
    for (size_t i = 0; i < count; i++) {
        if (layout_fits(d, &plain[i]))
            add(&l, &plain[i], &plain[i], 0);
        add_changed(d, &l, &plain[i], &plain[i], 0, 0, quick ? 1 : 2);
        if (!d->has_g || plain[i].at[AXIS_G] == G_NONE || d->width > 1)
            continue;
        layout_reading powers = plain[i];
        powers.at[AXIS_SCALE] = SCALE_E8M0;
        powers.at[AXIS_G] = G_NONE;
        if (layout_fits(d, &powers))
            add(&l, &plain[i], &powers, 1);
        if (!quick)
            add_changed(d, &l, &plain[i], &powers, 0, 1, 1);
    }
    remove_twins(&l);
    return l;
}

/* ---- a factor -------------------------------------------------------------------------------- */

/* The factor near `factor` that explains the most, the middle one of several: that of least squares
 * is off by what rounding does to the mean. */
static float refine(const layout_data *d, layout_found *f, float factor)
{
    enum { STEPS = 8 };
    layout_data scaled = *d;
    double share[2 * STEPS + 1], most = 0, sum = 0, count = 0;
    for (int step = -STEPS; step <= STEPS; step++) {
        scaled.factor = factor * (1 + (float)step / 400);
        layout_score_all(&scaled, f, 1, 1);
        share[step + STEPS] = layout_share(&f->score);
        most = share[step + STEPS] > most ? share[step + STEPS] : most;
    }
    for (int step = -STEPS; step <= STEPS; step++) {
        if (share[step + STEPS] >= most - 0.0002) {
            sum += 1 + step / 400.0;
            count++;
        }
    }
    return factor * (float)(sum / count);
}

/* Where nothing explains the data: is it one factor over all, as of a g that is wrong or missing?
 */
static void find_factor(const layout_data *d, layout_result *r)
{
    layout_data scaled = *d;
    size_t best = 0;
    for (size_t i = 1; i < r->count; i++) {
        if (layout_cosine(&r->list[i].score) > layout_cosine(&r->list[best].score) + 1e-6)
            best = i;
    }
    r->scaled = r->list[best];
    if (layout_cosine(&r->scaled.score) < 0.9)
        return;
    scaled.factor = (float)(r->scaled.score.xy / r->scaled.score.yy);
    scaled.factor = refine(d, &r->scaled, scaled.factor);
    layout_score_all(&scaled, &r->scaled, 1, 1);
    if (layout_share(&r->scaled.score) >= enough)
        r->factor = scaled.factor;
}

layout_result layout_search(const layout_data *d, const layout_reading *plain, size_t count,
                            int quick)
{
    layout_result r;
    memset(&r, 0, sizeof r);
    found_list l = list_all(d, plain, count, quick);
    r.list = l.list;
    if (l.count == 0)
        return r;
    r.tried = l.count;
    r.count = l.count;
    layout_score_all(d, r.list, r.count, 1);
    qsort(r.list, r.count, sizeof *r.list, by_merit);
    find_plain(&r);
    if (layout_share(&r.list[0].score) < enough)
        find_factor(d, &r);
    r.count = r.count < LAYOUT_KEPT ? r.count : LAYOUT_KEPT;
    if (!quick) {
        layout_score_all(d, r.list, r.count, 0);
        layout_score_all(d, &r.plain, r.has_plain ? 1 : 0, 0);
        qsort(r.list, r.count, sizeof *r.list, by_merit);
    }
    layout_compare_all(d, r.list, r.count);
    for (size_t i = 0; i < d->rows * d->columns; i++)
        r.wrong += (size_t)(d->x[i] - d->x[i] != 0);
    r.explained = layout_share(&r.list[0].score) >= enough;
    return r;
}
