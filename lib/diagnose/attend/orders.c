/* SPDX-License-Identifier: MIT */
/* orders.c -- attention computed by a definition or in another stack's order, and recognised */
#include "diagnose/attend/attend.h"
#include "diagnose/attend/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char too_large[] = "the request is too large for memory";

const char *attend_compute(const sf8_attend *given, sf8_attend_sums sums, uint32_t *out,
                           uint32_t *lse)
{
    sf8_attend a = *given;
    a.sums = sums;
    a.out.words = out;
    a.lse = lse;
    size_t words = sf8_attend_room(&a);
    if (words == SIZE_MAX)
        return too_large;
    uint32_t *room = calloc(words + 1, sizeof *room);
    if (!room)
        return too_large;
    sf8_attend_n(&a, room, words);
    free(room);
    return NULL;
}

const char *attend_compute_order(const sf8_attend *given, const sf8_attend_order *o, size_t cut,
                                 uint32_t *out, uint32_t *lse)
{
    sf8_attend a = *given;
    a.out.words = out;
    a.lse = lse;
    size_t words = sf8_attend_order_room(o, &a, cut);
    if (words == SIZE_MAX)
        return too_large;
    uint32_t *room = calloc(words + 1, sizeof *room);
    if (!room)
        return too_large;
    sf8_attend_order_n(o, &a, cut, room, words);
    free(room);
    return NULL;
}

/* ---- recognised ------------------------------------------------------------------------------ */

sf8_attend attend_one_row(const attend_problem *r, size_t query)
{
    sf8_attend a = r->a;
    a.q.words = (const char *)a.q.words +
                query * a.q.token_stride * (size_t)sf8_format_bits(a.q_words) / 8;
    a.first += (int64_t)query;
    a.k.image.layout.heads = a.v.image.layout.heads = a.heads = 1; /* strides stay */
    a.q_scales = a.q_scales > 0;
    a.k.scales = a.k.scales > 0;
    a.v.scales = a.v.scales > 0;
    a.q_scales = a.q_scale ? 1 : 0;
    a.queries = a.q.tokens = a.out.tokens = 1;
    a.out.token_stride = a.out.head_stride = r->v.dim;
    return a;
}

/* The last query. */
static sf8_attend sample_of(const attend_problem *r)
{
    return attend_one_row(r, r->queries - 1);
}

/* How many words of the output from the at-th on are these. */
static size_t same_words(const attend_output *given, size_t at, const uint32_t *out, size_t count)
{
    size_t same = 0;
    for (size_t i = 0; i < count; i++)
        same += (size_t)attend_same_word(given, at + i, out[i]);
    return same;
}

/* ---- definitions ----------------------------------------------------------------------------- */

const char *attend_judge_definitions(const attend_problem *r, const attend_output *given,
                                     attend_verdict *v)
{
    enum { LARGE = 1 << 24 };
    size_t rows = r->queries * r->heads, row = r->v.dim, all = rows * row;
    int is_large = r->keys * r->k.dim > 0 && rows > LARGE / (r->keys * r->k.dim);
    uint32_t *out = search_allocate(r->context, all + 1, sizeof *out),
             *lse = search_allocate(r->context, rows + 1, sizeof *lse);
    const char *wrong = NULL;
    for (int sums = 0; sums < SF8_ATTEND_SUMS_COUNT && !wrong; sums++) {
        sf8_attend a = r->a;
        a.sums = (sf8_attend_sums)sums;
        a.out.words = out;
        a.lse = lse;
        v->tried[sums] = sf8_attend_check(&a) == SF8_ATTEND_GOOD;
        if (!v->tried[sums])
            continue;
        if (is_large) {
            sf8_attend sample = sample_of(r);
            wrong = attend_compute(&sample, a.sums, out, lse);
            v->compared[sums] = row;
            v->same[sums] = same_words(given, all - r->heads * row, out, row);
        }
        if (wrong || (is_large && v->same[sums] < row))
            continue;
        wrong = attend_compute(&r->a, a.sums, out, lse);
        v->compared[sums] = all;
        v->same[sums] = wrong ? 0 : same_words(given, 0, out, all);
        v->notes.same |= v->same[sums] == all;
    }
    search_free(r->context, out);
    search_free(r->context, lse);
    return wrong;
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* How one row of an output lies to that of an order: the words that are equal, and the sum of the
 * squares of what the others are apart. */
typedef struct nearness {
    size_t same;
    double apart;
} nearness;

/* The last row, that of the last query and the first head. */
static double squares_of(const attend_problem *r, const attend_output *given, const uint32_t *out)
{
    const attend_judged_output j = {.r = r, .out = given, .columns = r->v.dim};
    double squares = 0;
    for (size_t c = 0; c < r->v.dim; c++) {
        double off = attend_got(&j, (r->queries - 1) * r->heads, c) -
                     (out ? (double)sf8_f32_from_bits(out[c]) : 0);
        squares += off * off;
    }
    return squares;
}

sf8_attend_order attend_order_of_request(const attend_problem *r, const sf8_attend_order *o)
{
    sf8_attend_order own = *o;
    if (r->queries == 1 && o->decode_tile)
        own.tile = o->decode_tile;
    else if (r->a.right < 0 && r->a.left < 0 && o->full_tile)
        own.tile = o->full_tile;
    own.full_tile = own.decode_tile = 0;
    return own;
}

/* Whether an order has all words of the output. */
static int is_order(const attend_problem *r, const attend_output *given, const sf8_attend_order *o,
                    size_t cut, uint32_t *out, nearness *near)
{
    size_t words = r->queries * r->heads * r->v.dim;
    *near = (nearness){0, INFINITY};
    if (r->queries == 0)
        return 0;
    sf8_attend a = sample_of(r);
    const sf8_attend_order whole = attend_order_of_request(r, o); /* the sample has one query */
    a.out.words = out;
    a.lse = NULL;
    if (sf8_attend_order_check(&whole, &a, cut) != SF8_ATTEND_GOOD ||
        attend_compute_order(&a, &whole, cut, out, NULL))
        return 0;
    size_t at = (r->queries - 1) * r->heads * r->v.dim;
    near->same = same_words(given, at, out, r->v.dim);
    near->apart = squares_of(r, given, out);
    return near->same == r->v.dim && !attend_compute_order(&r->a, o, cut, out, NULL) &&
           same_words(given, 0, out, words) == words;
}

/* One try: an order, cut in one way. Returns how far it is apart. */
static double try_order(const attend_problem *r, const attend_output *given,
                        const sf8_attend_order *o, size_t cut, uint32_t *out, attend_verdict *v)
{
    nearness near;
    int is = is_order(r, given, o, cut, out, &near);
    if (is && v->orders < ATTEND_ORDERS) {
        v->order[v->orders] = o;
        v->cut[v->orders++] = cut;
    }
    if (near.same > v->nearest_same) {
        v->nearest_same = near.same;
        v->nearest = o;
    }
    return is ? 0 : near.apart;
}

/* An order in the cuts that are possible, until it is the output; how far it is apart. */
static double in_all_cuts(const attend_problem *r, const attend_output *given,
                          const sf8_attend_order *o, const attend_question *asked, uint32_t *out,
                          attend_verdict *v)
{
    static const size_t counts[] = {1, 2, 3, 4};
    int is_cut = sf8_attend_order_counts(o) && !asked->splits;
    size_t tries = is_cut ? sizeof counts / sizeof counts[0] : 1;
    double least = INFINITY;
    if (o->split == SF8_SPLIT_PREFIX && !asked->has_prefix)
        return least;
    for (size_t k = 0; k < tries && least > 0; k++) {
        size_t cut = o->split == SF8_SPLIT_PREFIX ? asked->prefix
                     : asked->splits              ? asked->splits
                                                  : counts[k];
        double apart = try_order(r, given, o, cut, out, v);
        least = apart < least ? apart : least;
    }
    return least;
}

/* The known orders; how far each is apart. */
static void known_orders(const attend_problem *r, const attend_output *given,
                         const attend_question *asked, uint32_t *out, attend_verdict *v,
                         double far[ATTEND_ORDERS])
{
    const sf8_attend_order *o;
    size_t orders = 0;
    while (sf8_attend_order_at(orders))
        orders++;
    for (size_t i = 0; (o = sf8_attend_order_at(i)) != NULL; i++) {
        search_tell(r->context, "orders", i, orders);
        far[i] = in_all_cuts(r, given, o, asked, out, v);
    }
}

/* Of squares. */
enum { FACTOR = 16, NEAR = 512, LARGE = 1 << 18 };

/* What kernels choose otherwise than a known order, a field at a time. */
static const struct {
    const char *field, *values;
} choices[] = {
    {"tile", "16 32 48 64 80 96 112 128 144 160 176 192 208 224 240 256"},
    {"direction", "ascending descending"},
    {"offset", "0 4 8"},
    {"rescale-after", "4 8"},
    {"summed", "rounded"},
    {"weights", "f32 half e4m3"},
    {"values", "chain one-level two-levels"},
    {"promote", "2 4 8"},
    {"out", "e4m3"},
};

int attend_order_changed(const sf8_attend_order *o, size_t i, sf8_attend_order *own)
{
    for (size_t c = 0; c < sizeof choices / sizeof choices[0]; c++)
        for (const char *word = choices[c].values; *word;) {
            size_t length = strcspn(word, " ");
            char value[16] = {0}, old[64];
            memcpy(value, word, length);
            word += length + (word[length] == ' ');
            *own = *o;
            sf8_attend_order_get(o, choices[c].field, old, sizeof old);
            if (strcmp(old, value) == 0 ||
                sf8_attend_order_set(own, choices[c].field, value) != SF8_OK)
                continue;
            if (i-- == 0)
                return 1;
        }
    return 0;
}

/* Whether one row of the output lies far outside the bound of an order, which is sooner known than
 * what the order gives. */
static int is_far(const attend_problem *r, const attend_output *given, const sf8_attend_order *o,
                  size_t cut, attend_row *t)
{
    enum { FAR = 4 };
    attend_judged_output j = {
        .r = r, .out = given, .rows = r->queries * r->heads, .columns = r->v.dim};
    if (!attend_can_claim(o) || r->a.cap ||
        sf8_attend_order_check(o, &r->a, cut) != SF8_ATTEND_GOOD)
        return 0;
    const attend_claim claim = attend_claim_of(r, o, cut);
    return attend_claim_error(&j, &claim, (r->queries - 1) * r->heads, t) > FAR;
}

/* The known orders with one field changed, in one part if the number of parts is not known: of
 * those that lie nearest, and not at all if the output lies far from all of them. What it is has
 * copies in v->own. */
static void changed_orders(const attend_problem *r, const attend_output *given,
                           const attend_question *asked, uint32_t *out, attend_verdict *v,
                           const double far[ATTEND_ORDERS])
{
    const sf8_attend_order *o, *nearest = v->nearest;
    double least = INFINITY;
    double all = squares_of(r, given, NULL);
    attend_row t = attend_row_new(r);
    for (size_t i = 0; sf8_attend_order_at(i) != NULL; i++)
        least = far[i] < least ? far[i] : least;
    for (size_t i = 0; (o = sf8_attend_order_at(i)) != NULL; i++) {
        if (!(far[i] <= FACTOR * least && far[i] <= all / FACTOR))
            continue;
        /* where each try takes long, those whose bound is not known have to be near */
        if (r->keys * r->k.dim > LARGE && (!attend_can_claim(o) || r->a.cap) && far[i] > all / NEAR)
            continue;
        size_t cut = o->split == SF8_SPLIT_PREFIX ? asked->prefix
                     : asked->splits              ? asked->splits
                                                  : 1;
        if (o->split == SF8_SPLIT_PREFIX && !asked->has_prefix)
            continue;
        sf8_attend_order own;
        for (size_t c = 0; v->orders < ATTEND_OWN && attend_order_changed(o, c, &own) &&
                           !search_is_over(r->context);
             c++) {
            if (is_far(r, given, &own, cut, &t))
                continue;
            v->own[v->orders] = own;
            try_order(r, given, &v->own[v->orders], cut, out, v);
            v->nearest = nearest; /* not one of v->own, which the next try overwrites */
        }
    }
    attend_row_free(&t);
    v->is_changed = v->orders > 0;
}

int attend_judge_orders(const attend_problem *r, const attend_output *given,
                        const attend_question *asked, attend_verdict *v)
{
    uint32_t *out = search_allocate(r->context, r->queries * r->heads * r->v.dim + 1, sizeof *out);
    double far[ATTEND_ORDERS];
    if (asked->order)
        in_all_cuts(r, given, asked->order, asked, out, v);
    int is_due = v->orders > 0;
    if (!is_due)
        known_orders(r, given, asked, out, v, far);
    is_due = is_due || (v->orders > 0 && !asked->order);
    v->is_changed = v->orders > 0 && !is_due;
    size_t nearest_same = v->nearest_same;
    if (!v->orders && (asked->order || !v->notes.same))
        changed_orders(r, given, asked, out, v, far);
    v->nearest_same = nearest_same;
    search_free(r->context, out);
    return is_due;
}
