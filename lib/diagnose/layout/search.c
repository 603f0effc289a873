/* SPDX-License-Identifier: MIT */
/* search.c -- all readings within two changes of a plain one, scored and ranked; the verdict */
#include "diagnose/layout/score.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What explains less than this share is compared with the expected recipe alone. */
static const double enough = 0.99;

/* ---- families -------------------------------------------------------------------------------- */

static layout_reading family(int element, int block, int scale, int g, int place)
{
    layout_reading h = {{0}, 0};
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
    if (strstr(row->properties, "nibbles=half"))
        h.at[AXIS_ORDER] = ORDER_HALVES;
    return h;
}

size_t layout_families(const layout_data *d, int place, layout_reading list[LAYOUT_FAMILIES])
{
    int no_g = d->has_g ? G_NONE : G_GIVEN;
    if (d->recipe) {
        list[0] = of_recipe(d->recipe, place);
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
    search_context *context;
    layout_found *list;
    size_t count, room;
} found_list;

static void add(found_list *l, const layout_reading *plain, const layout_reading *h, int cost)
{
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 256;
        l->list = search_reallocate(l->context, l->list, l->room, sizeof *l->list);
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

/* What the files say about values of axes, found once. */
typedef struct files {
    const layout_data *d;
    /* Of scales: whether one has a sign; one is subnormal as e4m3; all are powers of two. */
    int has_sign, has_subnormal, powers;
    uint8_t has_code[256];
} files;

static int has_subnormal(const layout_data *d)
{
    for (size_t i = 0; i < d->scales_size; i++) {
        if ((d->scales[i] & 0x78) == 0 && (d->scales[i] & 7) != 0)
            return 1;
    }
    return 0;
}

/* Whether all scales of more than a byte are powers of two. */
static int all_powers(const layout_data *d)
{
    size_t high = d->width - 2; /* the upper half of a little-endian word */
    for (size_t i = 0; i + d->width <= d->scales_size; i += d->width) {
        if ((d->scales[i + high] & 0x7f) || (high && (d->scales[i] || d->scales[i + 1])))
            return 0;
    }
    return 1;
}

static files files_of(const layout_data *d)
{
    files f = {.d = d,
               .has_sign = has_sign(d),
               .has_subnormal = has_subnormal(d),
               .powers = d->width == 1 || all_powers(d)};
    for (size_t i = 0; d->bits == 8 && i < d->codes_size; i++)
        f.has_code[d->codes[i]] = 1;
    return f;
}

/* Whether a code is NaN or infinite. */
static int has_lost(const files *f, const layout_reading *h)
{
    layout_meaning m;
    int lost = 0;
    layout_meaning_of(f->d, h, &m);
    for (int c = 0; c < 256; c++)
        lost |= f->has_code[c] && m.lost[c];
    return lost;
}

/* Whether scales can have been rounded to those of the files after the codes were computed. */
static int may_be_rounded(const files *f, const layout_reading *plain, const layout_reading *h)
{
    int scale = plain->at[AXIS_SCALE];
    return f->powers && (scale == SCALE_E8M0 || scale == SCALE_FLOAT) && h->at[AXIS_G] != G_FREE &&
           layout_decode(f->d, h) == 1;
}

/* Whether such a value can be meant at all. */
static int is_possible(const files *f, const layout_reading *plain, const layout_reading *h)
{
    const layout_data *d = f->d;
    layout_reading given = *h;
    int g = h->at[AXIS_G], scale = h->at[AXIS_SCALE];
    given.at[AXIS_G] = G_GIVEN;
    if (g != G_GIVEN && g != G_FREE &&
        (!d->has_g || layout_decode(d, h) == layout_decode(d, &given)))
        return 0;
    if (layout_is_rounded(scale) ? !may_be_rounded(f, plain, h)
                                 : (d->width > 1) != (scale >= SCALE_FLOAT))
        return 0;
    if ((scale == SCALE_UNSIGNED && !f->has_sign) || (scale == SCALE_LEAKED && d->width > 1) ||
        (scale == SCALE_SUBNORMAL && (!f->has_subnormal || plain->at[AXIS_SCALE] != SCALE_E4M3)))
        return 0;
    if (h->at[AXIS_OVERFLOW] == OVERFLOW_LOST && !has_lost(f, h))
        return 0;
    return g != G_FOLDED || scale == SCALE_E4M3 || scale == SCALE_UNSIGNED;
}

/* All readings with up to `changes` axes from `axis` on changed. */
static void add_changed(const files *f, found_list *l, const layout_reading *plain,
                        const layout_reading *h, int axis, int cost, int changes)
{
    const layout_data *d = f->d;
    for (; axis < AXES; axis++) {
        for (int v = 0; layout_value_at(axis, d->bits, v); v++) {
            layout_reading next = *h;
            if (v == plain->at[axis])
                continue;
            next.at[axis] = (uint8_t)v;
            next.factor = axis == AXIS_G && v == G_FREE ? 1 : h->factor;
            int more = cost + layout_cost(d, axis, v);
            if (is_possible(f, plain, &next) && layout_fits(d, &next))
                add(l, plain, &next, more);
            if (changes > 1)
                add_changed(f, l, plain, &next, axis + 1, more, changes - 1);
        }
    }
}

static int by_reading(const void *a, const void *b)
{
    const layout_found *f = a, *g = b;
    int order = memcmp(f->reading.at, g->reading.at, sizeof f->reading.at);
    return order ? order : (f->cost > g->cost) - (f->cost < g->cost);
}

/* A reading that several families lead to counts for the nearest. */
static void remove_twins(found_list *l)
{
    size_t kept = 0;
    if (l->count == 0)
        return;
    search_sort(l->context, l->list, l->count, sizeof *l->list, by_reading);
    for (size_t i = 0; i < l->count; i++) {
        if (kept == 0 || !layout_same(&l->list[kept - 1].reading, &l->list[i].reading))
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
    return layout_share(&f->score) - f->cost * price / 10 - wide;
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
 * beside them: that is one change. What overflowed may come on top of a free factor. */
static found_list list_all(const layout_data *d, const layout_reading *plain, size_t count,
                           int quick)
{
    found_list l = {d->context, NULL, 0, 0};
    files f = files_of(d);
    for (size_t i = 0; i < count; i++) {
        if (layout_fits(d, &plain[i]))
            add(&l, &plain[i], &plain[i], 0);
        add_changed(&f, &l, &plain[i], &plain[i], 0, 0, quick ? 1 : 2);
        if (quick) { /* a factor with an overflow is still simple */
            layout_reading scaled = plain[i];
            scaled.at[AXIS_G] = G_FREE;
            scaled.factor = 1;
            add_changed(&f, &l, &plain[i], &scaled, AXIS_OVERFLOW, layout_cost(d, AXIS_G, G_FREE),
                        1);
        }
        if (!d->has_g || plain[i].at[AXIS_G] == G_NONE || d->width > 1)
            continue;
        layout_reading powers = plain[i];
        powers.at[AXIS_SCALE] = SCALE_E8M0;
        powers.at[AXIS_G] = G_NONE;
        if (layout_fits(d, &powers))
            add(&l, &plain[i], &powers, 10);
        if (!quick)
            add_changed(&f, &l, &plain[i], &powers, 0, 10, 1);
    }
    remove_twins(&l);
    return l;
}

/* A factor of 1, or an overflow of nothing, is no change. */
static int is_idle(const layout_found *f)
{
    return (f->reading.at[AXIS_G] == G_FREE && f->reading.factor == 1) ||
           (f->reading.at[AXIS_OVERFLOW] && f->score.beyond == 0);
}

static void remove_idle(layout_result *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (!is_idle(&r->list[i]))
            r->list[kept++] = r->list[i];
    }
    r->count = kept;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static int explains_all(const layout_score *s)
{
    return s->explained == s->counted;
}

/* The reading with `g` as it would be given to the command, if it is as plain with it. */
static int with_g(const layout_data *d, const layout_found *f, double g, layout_data *given,
                  layout_found *again)
{
    layout_reading list[LAYOUT_FAMILIES];
    *given = *d;
    given->has_g = 1;
    given->g = (float)g;
    *again = *f;
    again->reading.at[AXIS_G] = G_GIVEN;
    size_t count = layout_families(given, f->plain.at[AXIS_PLACE], list);
    for (size_t i = 0; i < count; i++) {
        layout_reading plain = f->plain;
        plain.at[AXIS_G] = G_GIVEN;
        if (layout_same(&list[i], &plain))
            return 1;
    }
    return 0;
}

/* Whether the reading with this g explains every element. */
static int g_is_right(const layout_data *d, const layout_found *f, double g)
{
    layout_data given;
    layout_found again;
    if (!with_g(d, f, g, &given, &again))
        return 0;
    layout_score_all(&given, &again, 1, 0);
    return explains_all(&again.score);
}

static double rounded(double g)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", g);
    return strtod(text, NULL);
}

/* The g to give instead of what the first reading does with the given one. */
static void find_g(const layout_data *d, layout_result *r)
{
    const layout_found *first = &r->list[0];
    layout_data given;
    layout_found again;
    double g = (double)layout_g(d, &first->reading);
    if (first->reading.at[AXIS_G] == first->plain.at[AXIS_G] ||
        first->reading.at[AXIS_G] == G_FOLDED ||
        (d->recipe && !strstr(d->recipe->properties, "g=")))
        return;
    double exact = d->recipe ? (double)layout_exact_g(d, &first->reading, d->recipe, (float)g) : 0;
    if (exact > 0 && with_g(d, first, exact, &given, &again))
        r->recipes = layout_recipes_of(&given, &again.reading, NULL);
    r->g_is_exact = exact > 0 && r->recipes.is_exact;
    if (r->g_is_exact) {
        r->g = exact;
    } else if (g_is_right(d, first, rounded(g))) {
        r->g = rounded(g);
    } else if (g_is_right(d, first, (double)(float)g)) {
        r->g = (double)(float)g;
    }
}

/* Puts a reading first. */
static void promote(layout_result *r, const layout_found *f)
{
    size_t at = 0;
    while (at + 1 < r->count && !layout_same(&r->list[at].reading, &f->reading))
        at++;
    memmove(r->list + 1, r->list, at * sizeof *r->list);
    r->list[0] = *f;
}

static layout_recipes recipes_of(const layout_data *d, const layout_found *f)
{
    layout_recipes none;
    memset(&none, 0, sizeof none);
    if (layout_share(&f->score) >= enough)
        return layout_recipes_of(d, &f->reading, NULL);
    return d->recipe ? layout_recipes_of(d, &f->reading, d->recipe) : none;
}

/* The plain reading is right if a recipe gives every code and scale, whatever else might be read:
 * some recipes do not take the nearest code. Another one has to explain every element. */
static void judge(const layout_data *d, layout_result *r)
{
    r->verdict = LAYOUT_UNEXPLAINED;
    if (!r->is_complete)
        return;
    if (r->has_plain)
        r->recipes = recipes_of(d, &r->plain);
    if (r->has_plain && (r->recipes.is_exact || explains_all(&r->plain.score))) {
        promote(r, &r->plain);
        r->verdict = LAYOUT_EXPECTED;
        return;
    }
    const layout_found *first = &r->list[0];
    int is_near = layout_share(&first->score) >= enough;
    if (is_near && first->cost == 0)
        r->verdict = LAYOUT_PARTLY;
    if (first->cost == 0 || !is_near) /* then the expected recipe with the expected reading */
        return;
    layout_recipes of_plain = r->recipes;
    memset(&r->recipes, 0, sizeof r->recipes);
    if (first->reading.at[AXIS_G] != G_FREE)
        r->recipes = recipes_of(d, first);
    find_g(d, r);
    if (explains_all(&first->score) || (r->recipes.is_exact && first->score.explained > 0))
        r->verdict = LAYOUT_MISMATCH;
    else if (r->recipes.count == 0)
        r->recipes = of_plain;
}

/* Of the width that d has. */
static layout_result search_width(const layout_data *d, int place, int quick)
{
    layout_reading plain[LAYOUT_FAMILIES];
    size_t count = layout_families(d, place, plain);
    layout_result r;
    memset(&r, 0, sizeof r);
    found_list l = list_all(d, plain, count, quick);
    r.list = l.list;
    if (l.count == 0)
        return r;
    r.tried = l.count;
    r.count = l.count;
    layout_fit_all(d, r.list, r.count);
    r.is_complete = layout_score_all(d, r.list, r.count, 1);
    search_sort(d->context, r.list, r.count, sizeof *r.list, by_merit);
    find_plain(&r);
    r.count = r.count < LAYOUT_KEPT ? r.count : LAYOUT_KEPT;
    if (!quick && r.is_complete && layout_has_sample(d)) {
        r.is_complete = layout_score_all(d, r.list, r.count, 0) &&
                        layout_score_all(d, &r.plain, r.has_plain ? 1 : 0, 0);
        search_sort(d->context, r.list, r.count, sizeof *r.list, by_merit);
    }
    remove_idle(&r);
    for (size_t i = 0; i < d->rows * d->columns; i++)
        r.wrong += (size_t)(d->x[i] - d->x[i] != 0);
    judge(d, &r);
    layout_compare_all(d, r.list, r.count);
    return r;
}

/* A later width has to explain more than chance would. */
static int is_better(const layout_result *r, const layout_result *best)
{
    if (r->verdict != best->verdict)
        return r->verdict < best->verdict;
    return layout_share(&r->list[0].score) > layout_share(&best->list[0].score) + 0.001;
}

layout_result layout_search(layout_data *d, int place, size_t width, int quick)
{
    static const size_t widths[] = {1, 4, 2};
    int is_byte = d->recipe && strcmp(d->recipe->scale, "f32") != 0;
    size_t best_width = is_byte || !d->recipe ? 1 : 4;
    layout_result best;
    memset(&best, 0, sizeof best);
    for (int i = 0; i < 3; i++) {
        d->width = widths[i];
        if ((width && d->width != width) || (d->recipe && !is_byte && d->width == 1) ||
            (best.count && search_is_over(d->context)))
            continue;
        layout_result r = search_width(d, place, quick);
        if (r.count && (!best.count || is_better(&r, &best))) {
            search_free(d->context, best.list);
            best = r;
            best_width = d->width;
        } else {
            search_free(d->context, r.list);
        }
    }
    d->width = best_width;
    return best;
}
