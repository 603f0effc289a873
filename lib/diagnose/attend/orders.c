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

/* The queries from one on; their number is that of all. */
static sf8_attend from_query(const attend_problem *r, size_t query)
{
    sf8_attend a = r->a;
    a.q.words = (const char *)a.q.words +
                query * a.q.token_stride * (size_t)sf8_format_bits(a.q_words) / 8;
    a.first += (int64_t)query;
    return a;
}

sf8_attend attend_one_row(const attend_problem *r, size_t query)
{
    sf8_attend a = from_query(r, query);
    a.k.image.layout.heads = a.v.image.layout.heads = a.heads = 1; /* strides stay */
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

/* One more than the query in which most words are others. */
static size_t most_odd(const attend_problem *r, const attend_output *given, const uint32_t *out)
{
    size_t most = 0, odd = 0, words = r->heads * r->v.dim;
    for (size_t i = 0; i < r->queries; i++) {
        size_t others = words - same_words(given, i * words, out + i * words, words);
        odd = others > most ? i + 1 : odd;
        most = others > most ? others : most;
    }
    return odd;
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
        if (v->same[sums] > all / 2 && v->same[sums] < all)
            v->odd_query = most_odd(r, given, out);
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

/* Of a large request a few rows are compared before all: an order may take half a minute for it. */
enum { LARGE = 1 << 26, LOOKED_AT = 16, PROBES = 3 };

static int is_large(const attend_problem *r)
{
    size_t row = r->keys * (r->k.dim + r->v.dim);
    return row > 0 && r->queries * r->heads > LARGE / row;
}

/* What orders are compared with, and how many rows may still be computed for them. */
typedef struct order_search {
    const attend_problem *r;
    const attend_output *given;
    const attend_question *asked;
    attend_verdict *v;
    uint32_t *out;
    attend_row t;
    size_t probe[PROBES], probes; /* queries */
    size_t left;
} order_search;

/* The queries in whose first row most values are not the true ones, rounded: where orders differ
 * from each other sooner than elsewhere. */
static void find_probes(order_search *s)
{
    const attend_problem *r = s->r;
    attend_judged_output j = {
        .r = r, .out = s->given, .rows = r->queries * r->heads, .columns = r->v.dim};
    static const attend_change none;
    size_t odd[PROBES] = {0};
    for (size_t i = 0; i < LOOKED_AT && i + 1 < r->queries; i++) {
        size_t query = i * (r->queries - 1) / LOOKED_AT, row = query * r->heads, count = 1, k;
        attend_true_row(&j, &none, row, &s->t);
        for (size_t c = 0; c < j.columns; c++)
            count += !attend_same_word(s->given, row * j.columns + c,
                                       sf8_f32_bits((float)s->t.out[c]));
        for (k = PROBES; k > 0 && odd[k - 1] < count; k--)
            if (k < PROBES) {
                odd[k] = odd[k - 1];
                s->probe[k] = s->probe[k - 1];
            }
        if (k < PROBES) {
            odd[k] = count;
            s->probe[k] = query;
        }
    }
    for (s->probes = 0; s->probes < PROBES && odd[s->probes] > 0;)
        s->probes++;
}

/* Whether an order has the words of the first head's row of a query. */
static int has_row(order_search *s, const sf8_attend_order *whole, size_t cut, size_t query,
                   nearness *near)
{
    const attend_problem *r = s->r;
    sf8_attend a = attend_one_row(r, query);
    a.out.words = s->out;
    a.lse = NULL;
    s->left -= s->left > 0;
    if (sf8_attend_order_check(whole, &a, cut) != SF8_ATTEND_GOOD ||
        attend_compute_order(&a, whole, cut, s->out, NULL))
        return 0;
    size_t same = same_words(s->given, query * r->heads * r->v.dim, s->out, r->v.dim);
    if (near) {
        near->same = same;
        near->apart = squares_of(r, s->given, s->out);
    }
    return same == r->v.dim;
}

/* Whether an order has the words of that query, in all heads. */
static int has_odd_query(order_search *s, const sf8_attend_order *whole, size_t cut)
{
    const attend_problem *r = s->r;
    size_t query = s->v->odd_query - 1, words = r->heads * r->v.dim;
    if (!s->v->odd_query)
        return 1;
    sf8_attend a = from_query(r, query);
    a.queries = a.q.tokens = a.out.tokens = 1;
    a.out.words = s->out;
    a.lse = NULL;
    s->left -= s->left > r->heads ? r->heads : s->left;
    return sf8_attend_order_check(whole, &a, cut) != SF8_ATTEND_GOOD ||
           (!attend_compute_order(&a, whole, cut, s->out, NULL) &&
            same_words(s->given, query * words, s->out, words) == words);
}

/* Whether an order has all words of the output. */
static int is_order(order_search *s, const sf8_attend_order *o, size_t cut, nearness *near)
{
    const attend_problem *r = s->r;
    size_t words = r->queries * r->heads * r->v.dim;
    *near = (nearness){0, INFINITY};
    if (r->queries == 0)
        return 0;
    const sf8_attend_order whole = attend_order_of_request(r, o); /* a row has one query */
    if (!has_row(s, &whole, cut, r->queries - 1, near))
        return 0;
    for (size_t i = 0; i < s->probes; i++)
        if (!has_row(s, &whole, cut, s->probe[i], NULL))
            return 0;
    return (!is_large(r) || has_odd_query(s, &whole, cut)) &&
           !attend_compute_order(&r->a, o, cut, s->out, NULL) &&
           same_words(s->given, 0, s->out, words) == words;
}

/* One try: an order, cut in one way. Returns how far it is apart. */
static double try_order(order_search *s, const sf8_attend_order *o, size_t cut)
{
    attend_verdict *v = s->v;
    nearness near;
    int is = is_order(s, o, cut, &near);
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

/* Whether one row of the output lies far outside the bound of an order, which is sooner known than
 * what the order gives. */
static int is_far(order_search *s, const sf8_attend_order *o, size_t cut)
{
    enum { FAR = 4 };
    const attend_problem *r = s->r;
    attend_judged_output j = {
        .r = r, .out = s->given, .rows = r->queries * r->heads, .columns = r->v.dim};
    if (!attend_can_claim(o) || r->a.cap ||
        sf8_attend_order_check(o, &r->a, cut) != SF8_ATTEND_GOOD)
        return 0;
    const attend_claim claim = attend_claim_of(r, o, cut);
    return attend_claim_error(&j, &claim, (r->queries - 1) * r->heads, &s->t) > FAR;
}

/* An order in the cuts that are possible, until it is the output; how far it is apart. Of a large
 * request, cuts whose bound the output lies far outside of are left out, but for the first. */
static double in_all_cuts(order_search *s, const sf8_attend_order *o)
{
    const attend_question *asked = s->asked;
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
        if (k > 0 && is_large(s->r) && is_far(s, o, cut))
            continue;
        double apart = try_order(s, o, cut);
        least = apart < least ? apart : least;
    }
    return least;
}

/* The known orders; how far each is apart. Of a large request the first that it is will do, since
 * to know that takes long. */
static void known_orders(order_search *s, double far[ATTEND_ORDERS])
{
    const sf8_attend_order *o;
    size_t orders = 0;
    while (sf8_attend_order_at(orders))
        orders++;
    for (size_t i = 0; (o = sf8_attend_order_at(i)) != NULL; i++) {
        search_tell(s->r->context, "orders", i, orders);
        far[i] = s->v->orders > 0 && is_large(s->r) ? INFINITY : in_all_cuts(s, o);
    }
}

/* Of squares; and a row that takes long. */
enum { FACTOR = 16, NEAR = 512, LONG = 1 << 18 };

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

/* One of the known orders with each change of a field, in one part if the number of parts is not
 * known. What it is has copies in v->own. */
static void changes_of(order_search *s, const sf8_attend_order *o)
{
    const sf8_attend_order *nearest = s->v->nearest;
    const attend_question *asked = s->asked;
    attend_verdict *v = s->v;
    sf8_attend_order own;
    size_t cut = o->split == SF8_SPLIT_PREFIX ? asked->prefix : asked->splits ? asked->splits : 1;
    if (o->split == SF8_SPLIT_PREFIX && !asked->has_prefix)
        return;
    for (size_t c = 0; v->orders < ATTEND_OWN && s->left > 0 && attend_order_changed(o, c, &own) &&
                       !search_is_over(s->r->context);
         c++) {
        if (is_far(s, &own, cut))
            continue;
        v->own[v->orders] = own;
        try_order(s, &v->own[v->orders], cut);
        v->nearest = nearest; /* not one of v->own, which the next try overwrites */
        if (v->orders > 0 && is_large(s->r))
            return;
    }
}

/* Those that lie nearest, the nearest first, and none if the output lies far from all of them. */
static void changed_orders(order_search *s, double far[ATTEND_ORDERS])
{
    const attend_problem *r = s->r;
    double least = INFINITY, all = squares_of(r, s->given, NULL);
    for (;;) {
        size_t i = 0, next = 0;
        for (; sf8_attend_order_at(i) != NULL; i++)
            next = far[i] < far[next] ? i : next;
        const sf8_attend_order *o = sf8_attend_order_at(next);
        double apart = far[next];
        least = apart < least ? apart : least;
        if (isinf(apart) || !(apart <= FACTOR * least && apart <= all / FACTOR) || s->left == 0 ||
            (s->v->orders > 0 && is_large(r)))
            break;
        far[next] = INFINITY;
        /* where each try takes long, those whose bound is not known have to be near */
        if (r->keys * r->k.dim > LONG && (!attend_can_claim(o) || r->a.cap) && apart > all / NEAR)
            continue;
        changes_of(s, o);
    }
    s->v->is_changed = s->v->orders > 0;
}

int attend_judge_orders(const attend_problem *r, const attend_output *given,
                        const attend_question *asked, attend_verdict *v)
{
    enum { ROWS = 64 }; /* of a large request: they take seconds */
    order_search s = {.r = r, .given = given, .asked = asked, .v = v, .left = SIZE_MAX};
    double far[ATTEND_ORDERS];
    s.t = attend_row_new(r);
    s.out = search_allocate(r->context, r->queries * r->heads * r->v.dim + 1, sizeof *s.out);
    if (is_large(r))
        find_probes(&s);
    if (asked->order)
        in_all_cuts(&s, asked->order);
    int is_due = v->orders > 0;
    if (!is_due)
        known_orders(&s, far);
    is_due = is_due || (v->orders > 0 && !asked->order);
    v->is_changed = v->orders > 0 && !is_due;
    size_t nearest_same = v->nearest_same;
    s.left = is_large(r) ? ROWS : SIZE_MAX;
    if (!v->orders && (asked->order || !v->notes.same))
        changed_orders(&s, far);
    v->nearest_same = nearest_same;
    search_free(r->context, s.out);
    attend_row_free(&s.t);
    return is_due;
}
