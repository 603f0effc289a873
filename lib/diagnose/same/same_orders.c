/* SPDX-License-Identifier: MIT */
/* same_orders.c -- the pair of orders that gives two outputs of one request
 *
 * A few rows reject almost every order; only what is left is computed as a whole, or if that is a
 * large request, a number of its queries. The search ends with the first step that gives a pair:
 *
 *     1. definitions, known orders in one part, and where they have a tile for decode, each query
 *        by itself
 *     2. if that gives one of the outputs, its order in more parts, or with one field changed
 *     3. known orders in more parts
 *     4. known orders with one field changed; and again 2
 *
 * Of all pairs of a step those count that differ in the fewest fields, and of these, those with the
 * fewest changes of known orders.
 */
#include "diagnose/attend/output.h"
#include "diagnose/same/same.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BOTH = 3, FOUND = 48, ROWS = 3, PARTS = 16, UNLIKE = 100, FEW = 16, NAMED = 3 };
/* Products of queries and keys from which on a request is large. */
enum { LARGE = 1 << 24 };

typedef struct hunt {
    const attend_problem *r;
    const same_outputs *o;
    size_t splits;
    size_t query[ROWS]; /* that are tried first, those with the fewest keys before others */
    size_t rows, columns;
    size_t queries;             /* that are computed of the whole */
    uint32_t *out;              /* the whole output */
    same_order list[2][FOUND];  /* that fit the rows of A, and those of B */
    size_t count[2], beside[2]; /* of these, those that step 2 had */
} hunt;

/* ---- one order ------------------------------------------------------------------------------- */

/* The order as it computes: with the tile that it takes. */
static sf8_attend_order computing(const attend_problem *r, const same_order *o)
{
    sf8_attend_order own = attend_order_of_request(r, &o->order);
    if (o->is_alone)
        own.tile = o->order.decode_tile;
    return own;
}

/* Computes a request, or a row of it, in that order. 0 if the order does not take it. */
static int compute(const hunt *h, const sf8_attend *a, const sf8_attend_order *order,
                   const same_order *o)
{
    const char *wrong;
    sf8_attend own = *a;
    own.sums = o->sums < 0 ? SF8_ATTEND_EXACT : (sf8_attend_sums)o->sums;
    if (o->sums < 0 ? sf8_attend_order_check(order, a, o->cut) != SF8_ATTEND_GOOD
                    : sf8_attend_check(&own) != SF8_ATTEND_GOOD)
        return 0;
    wrong = o->sums < 0 ? attend_compute_order(a, order, o->cut, h->out, NULL)
                        : attend_compute(&own, own.sums, h->out, NULL);
    if (wrong) /* it does not return */
        h->r->context->no_memory(h->r->context, 0);
    return 1;
}

/* Which of A (1) and B (2) have these words from a place on. */
static int sides_of(const hunt *h, int sides, size_t at, const uint32_t *out, size_t count)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < count && sides >> side & 1; i++)
            if (!attend_same_word(&h->o->of[side], at + i, out[i]))
                sides &= ~(1 << side);
    return sides;
}

/* A query with all heads. */
static sf8_attend one_query(const attend_problem *r, size_t query)
{
    sf8_attend a = attend_one_row(r, query);
    a.heads = r->a.heads;
    a.k.image.layout.heads = r->a.k.image.layout.heads;
    a.v.image.layout.heads = r->a.v.image.layout.heads;
    a.q_scales = r->a.q_scales;
    a.k.scales = r->a.k.scales;
    a.v.scales = r->a.v.scales;
    a.out = r->a.out;
    a.out.tokens = 1;
    return a;
}

/* Which of A and B have the bits of an order: of all queries, or of some that lie apart. */
static int whole_sides(const hunt *h, const same_order *o)
{
    size_t row = h->o->heads * h->o->channels, all = h->o->queries;
    sf8_attend_order order = computing(h->r, o);
    int sides = BOTH;
    if (h->queries == all)
        return compute(h, &h->r->a, &order, o) ? sides_of(h, BOTH, 0, h->out, all * row) : 0;
    for (size_t i = 0; i < h->queries && sides; i++) {
        size_t query = i == 0 ? h->query[0] : i * (all - 1) / (h->queries - 1);
        sf8_attend a = one_query(h->r, query);
        sides = compute(h, &a, &order, o) ? sides_of(h, sides, query * row, h->out, row) : 0;
    }
    return sides;
}

/* Whether a side has the bits of an order; computed once. */
static int is_whole(const hunt *h, same_order *o, int side)
{
    if (o->is[side] < 0) {
        int sides = whole_sides(h, o);
        o->is[0] = sides & 1;
        o->is[1] = (signed char)(sides >> 1);
    }
    return o->is[side];
}

/* Tries an order on some rows, and lists it for the sides of which it has these. */
static void try_order(hunt *h, const same_order *o, int sides)
{
    sf8_attend_order order = computing(h->r, o);
    for (size_t k = 0; k < h->rows && sides; k++) {
        sf8_attend a = attend_one_row(h->r, h->query[k]);
        size_t at = h->query[k] * h->o->heads * h->o->channels;
        a.v.image.layout.dim = a.out.dim = h->columns;
        sides = compute(h, &a, &order, o) ? sides_of(h, sides, at, h->out, h->columns) : 0;
    }
    for (int side = 0; side < 2; side++)
        if (sides >> side & 1 && h->count[side] < FOUND)
            h->list[side][h->count[side]++] = *o;
}

/* ---- all that are tried ---------------------------------------------------------------------- */

/* An order in `first` to `last` parts, if it is cut, else in one; more parts than tiles are empty.
 */
static void try_cuts(hunt *h, same_order o, size_t first, size_t last, int sides)
{
    size_t tile = (size_t)computing(h->r, &o).tile, tiles = tile ? (h->r->keys - 1) / tile + 1 : 1;
    int is_cut = sf8_attend_order_counts(&o.order);
    if (o.order.split == SF8_SPLIT_PREFIX || (first > 1 && (!is_cut || h->splits)))
        return;
    if (is_cut && h->splits)
        first = last = h->splits;
    else
        last = !is_cut ? 1 : last < tiles ? last : tiles;
    o.is[0] = o.is[1] = -1;
    for (o.cut = first; o.cut <= last && !search_is_over(h->r->context); o.cut++)
        try_order(h, &o, sides);
}

static void try_definitions(hunt *h)
{
    for (int sums = 0; sums < SF8_ATTEND_SUMS_COUNT; sums++)
        try_order(h, &(same_order){.sums = sums, .is = {-1, -1}}, BOTH);
}

static void try_known(hunt *h, size_t first, size_t last)
{
    const sf8_attend_order *order;
    for (size_t i = 0; (order = sf8_attend_order_at(i)) != NULL; i++) {
        same_order o = {.order = *order, .sums = -1};
        try_cuts(h, o, first, last, BOTH);
        o.is_alone = 1;
        if (h->o->queries > 1 && order->decode_tile)
            try_cuts(h, o, first, last, BOTH);
    }
}

/* An order with each of its fields changed. */
static void try_changes(hunt *h, const same_order *from, int sides)
{
    same_order o = *from;
    size_t cut = from->cut ? from->cut : 1;
    o.changes++;
    for (size_t i = 0; attend_order_changed(&from->order, i, &o.order); i++)
        try_cuts(h, o, cut, cut, sides);
}

/* The squares of what A and B are apart from an order, in the row that is tried first. */
static void apart_from(hunt *h, const same_order *o, double squares[2])
{
    sf8_attend_order order = computing(h->r, o);
    sf8_attend a = attend_one_row(h->r, h->query[0]);
    size_t row = h->query[0] * h->o->heads;
    a.v.image.layout.dim = a.out.dim = h->columns;
    int is_computed = compute(h, &a, &order, o);
    for (int side = 0; side < 2; side++) {
        const attend_judged_output j = {
            .r = h->r, .out = &h->o->of[side], .columns = h->o->channels};
        squares[side] = is_computed ? 0 : INFINITY;
        for (size_t c = 0; c < h->columns && is_computed; c++) {
            double off = attend_got(&j, row, c) - (double)sf8_f32_from_bits(h->out[c]);
            squares[side] += isnan(off) ? 0 : off * off;
        }
    }
}

/* Of a large request only the orders that are nearest to A and to B. */
static void try_changed(hunt *h)
{
    const sf8_attend_order *order;
    int is_large = h->queries < h->o->queries;
    double squares[ATTEND_ORDERS][2], least[2] = {INFINITY, INFINITY};
    for (size_t i = 0; is_large && (order = sf8_attend_order_at(i)) != NULL; i++) {
        apart_from(h, &(same_order){.order = *order, .sums = -1, .cut = 1}, squares[i]);
        for (int side = 0; side < 2; side++)
            least[side] = squares[i][side] < least[side] ? squares[i][side] : least[side];
    }
    for (size_t i = 0; (order = sf8_attend_order_at(i)) != NULL; i++) {
        same_order o = {.order = *order, .sums = -1};
        search_tell(h->r->context, "orders with one field changed", i, ATTEND_ORDERS);
        if (!is_large || squares[i][0] <= least[0] || squares[i][1] <= least[1])
            try_changes(h, &o, BOTH);
    }
    search_tell(h->r->context, "orders with one field changed", ATTEND_ORDERS, ATTEND_ORDERS);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* The fields in which two orders differ; many if one of them is a definition. */
static size_t fields_apart(const same_order *a, const same_order *b)
{
    const char *field;
    char one[64], other[64];
    size_t n = (a->is_alone != b->is_alone) + (size_t)(a->cut != b->cut);
    if (a->sums >= 0 || b->sums >= 0)
        return UNLIKE;
    for (size_t i = 0; (field = sf8_attend_order_field_at(i)) != NULL; i++) {
        sf8_attend_order_get(&a->order, field, one, sizeof one);
        sf8_attend_order_get(&b->order, field, other, sizeof other);
        n += strcmp(one, other) != 0;
    }
    return n;
}

/* How far from the best a pair is: fields first, then changes. */
static size_t rank_of(const same_order *a, const same_order *b)
{
    return fields_apart(a, b) * UNLIKE + (size_t)(a->changes + b->changes);
}

/* The pairs of one rank that give both outputs; 1 if there is one. */
static int take_pairs(hunt *h, size_t rank, same_orders *found)
{
    for (size_t i = 0; i < h->count[0]; i++)
        for (size_t k = 0; k < h->count[1]; k++) {
            same_order *a = &h->list[0][i], *b = &h->list[1][k];
            if (rank_of(a, b) != rank || !is_whole(h, a, 0) || !is_whole(h, b, 1))
                continue;
            if (found->pairs == SAME_PAIRS) {
                found->more++;
                continue;
            }
            found->pair[found->pairs][0] = *a;
            found->pair[found->pairs++][1] = *b;
        }
    return found->pairs > 0;
}

static void best_pairs(hunt *h, same_orders *found)
{
    size_t before = 0;
    found->pairs = 0;
    for (;;) { /* from rank to rank */
        size_t rank = SIZE_MAX;
        for (size_t i = 0; i < h->count[0]; i++)
            for (size_t k = 0; k < h->count[1]; k++) {
                size_t one = rank_of(&h->list[0][i], &h->list[1][k]);
                rank = one > before && one < rank ? one : rank;
            }
        if (rank == SIZE_MAX || take_pairs(h, rank, found))
            return;
        before = rank;
    }
}

/* Whether a side has an order; that with the fewest changes in *order. */
static int single(hunt *h, int side, same_order *order)
{
    for (int changes = 0; changes < 3; changes++)
        for (size_t i = 0; i < h->count[side]; i++)
            if (h->list[side][i].changes == changes && is_whole(h, &h->list[side][i], side)) {
                *order = h->list[side][i];
                return 1;
            }
    return 0;
}

/* The orders that a side has are the beginning of a search for the other: if that has none, or
 * none that is like them. */
static void try_beside(hunt *h)
{
    same_order any;
    const int has[2] = {single(h, 0, &any), single(h, 1, &any)};
    const size_t count[2] = {h->count[0], h->count[1]};
    for (int side = 0; side < 2; side++) {
        size_t i = h->beside[side];
        if (!has[side])
            continue;
        h->beside[side] = count[side];
        for (; i < count[side] && i < SAME_PAIRS; i++)
            if (h->list[side][i].sums < 0 && is_whole(h, &h->list[side][i], side)) {
                const same_order from = h->list[side][i];
                try_cuts(h, from, 2, PARTS, 2 >> side);
                if (from.cut > 1)
                    try_cuts(h, from, 1, 1, 2 >> side);
                try_changes(h, &from, 2 >> side);
            }
    }
}

/* Two stacks are less likely than one with another tile. */
static int are_unlike(const same_orders *found)
{
    return fields_apart(&found->pair[0][0], &found->pair[0][1]) > NAMED;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void add_row(hunt *h, size_t query)
{
    for (size_t k = 0; k < h->rows; k++)
        if (h->query[k] == query)
            return;
    h->query[h->rows++] = query;
}

/* Chooses the rows, and how much of each is computed: of values without scales of their own a few
 * channels. */
static void begin(hunt *h, const same_differences *d)
{
    const sf8_attend *a = &h->r->a;
    double products = (double)h->r->keys * (double)h->r->k.dim * (double)h->o->heads;
    int has_scales = a->v.recipe && a->v.image.layout.scales != SF8_KV_SCALES_GIVEN;
    add_row(h, d->first / h->o->heads);
    add_row(h, h->o->queries - 1);
    add_row(h, h->o->queries / 2);
    h->columns = h->o->channels > FEW && !has_scales ? FEW : h->o->channels;
    h->queries = h->o->queries;
    if (products * (double)h->queries > LARGE)
        h->queries = products < LARGE ? (size_t)(LARGE / products) : 1;
}

void same_find_orders(const attend_problem *r, const same_outputs *o, const same_differences *d,
                      size_t splits, same_orders *found)
{
    hunt *h = search_allocate(r->context, 1, sizeof *h);
    memset(found, 0, sizeof *found);
    h->r = r;
    h->o = o;
    h->splits = splits;
    h->out = search_allocate(r->context, o->queries * o->heads * o->channels + 1, sizeof *h->out);
    begin(h, d);
    for (int step = 0; step < 6 && (!found->pairs || (step == 1 && are_unlike(found))); step++) {
        if (step == 0) {
            try_definitions(h);
            try_known(h, 1, 1);
        } else if (step == 2)
            try_known(h, 2, PARTS);
        else if (step == 4)
            try_changed(h);
        else
            try_beside(h);
        best_pairs(h, found);
    }
    for (int side = 0; side < 2; side++)
        found->has[side] = found->pairs || single(h, side, &found->pair[0][side]);
    found->queries = h->queries;
    found->keys = r->keys;
    found->is_cut_short = search_is_over(r->context);
    search_free(r->context, h->out);
    search_free(r->context, h);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Whether a text has " field=". */
static int names_field(const char *text, const char *field)
{
    char word[64];
    snprintf(word, sizeof word, " %s=", field);
    return strstr(text, word) != NULL;
}

void same_order_text(const same_order *o, const same_order *other, size_t keys, char *text,
                     size_t size)
{
    const char *field;
    char value[64], theirs[64];
    if (o->sums >= 0) {
        snprintf(text, size, "the definition with --sums %s",
                 sf8_attend_sums_name((sf8_attend_sums)o->sums));
        return;
    }
    size_t used = (size_t)snprintf(text, size, "the order ");
    sf8_attend_order_write(&o->order, text + used, size - used);
    int is_near = other && fields_apart(o, other) <= NAMED;
    for (size_t i = 0; is_near && (field = sf8_attend_order_field_at(i)) != NULL; i++) {
        int is_word = strcmp(field, "direction") == 0;
        sf8_attend_order_get(&o->order, field, value, sizeof value);
        sf8_attend_order_get(&other->order, field, theirs, sizeof theirs);
        if (strcmp(value, theirs) == 0 ||
            (is_word ? strstr(text, value) != NULL : names_field(text, field)))
            continue;
        used = strlen(text);
        snprintf(text + used, size - used, " %s%s%s", is_word ? "" : field, is_word ? "" : "=",
                 value);
    }
    used = strlen(text);
    if (o->is_alone)
        snprintf(text + used, size - used, ", each query by itself (tile=%d)",
                 (int)o->order.decode_tile);
    else if (other && other->is_alone && !o->order.full_tile)
        snprintf(text + used, size - used, " (tile=%d)", (int)o->order.tile);
    else if (sf8_attend_order_counts(&o->order) && (o->cut > 1 || (other && other->cut > 1)))
        snprintf(text + used, size - used, " (%zu part%s)", o->cut, o->cut == 1 ? "" : "s");
    used = strlen(text);
    if (is_near && other->order.tile != o->order.tile && !o->order.full_tile && !o->is_alone &&
        (size_t)o->order.tile >= keys)
        snprintf(text + used, size - used, " (all keys are in one tile)");
}
