/* SPDX-License-Identifier: MIT */
/* orders.c -- attention computed by a definition or in another stack's order, and recognised */
#include "diagnose/attend/attend.h"
#include "diagnose/attend/output.h"

#include <stdlib.h>

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

/* One row of a request: the last query, the first head. */
static sf8_attend sample_of(const attend_problem *r)
{
    sf8_attend a = r->a;
    size_t last = r->queries - 1;
    a.q.words = (const char *)a.q.words +
                last * a.q.token_stride * (size_t)sf8_format_bits(a.q_words) / 8;
    a.first += (int64_t)last;
    a.k.image.layout.heads = a.v.image.layout.heads = a.heads = 1; /* strides stay */
    a.queries = a.q.tokens = a.out.tokens = 1;
    a.out.token_stride = a.out.head_stride = r->v.dim;
    return a;
}

/* How many words of the output from the at-th on are these. */
static size_t same_words(const attend_output *given, size_t at, const uint32_t *out, size_t count)
{
    size_t same = 0;
    for (size_t i = 0; i < count; i++)
        same += (size_t)attend_same_word(given, at + i, out[i]);
    return same;
}

/* Whether an order has all words of the output. *best gets how many of one row. */
static int is_order(const attend_problem *r, const attend_output *given, const sf8_attend_order *o,
                    size_t cut, uint32_t *out, size_t *best)
{
    size_t words = r->queries * r->heads * r->v.dim;
    *best = 0;
    if (r->queries == 0)
        return 0;
    sf8_attend a = sample_of(r);
    a.out.words = out;
    a.lse = NULL;
    if (sf8_attend_order_check(o, &a, cut) != SF8_ATTEND_GOOD ||
        attend_compute_order(&a, o, cut, out, NULL))
        return 0;
    *best = same_words(given, (r->queries - 1) * r->heads * r->v.dim, out, r->v.dim);
    return *best == r->v.dim && !attend_compute_order(&r->a, o, cut, out, NULL) &&
           same_words(given, 0, out, words) == words;
}

int attend_judge_orders(const attend_problem *r, const attend_output *given,
                        const attend_question *asked, attend_verdict *v)
{
    static const size_t counts[] = {1, 2, 3, 4};
    uint32_t *out = search_allocate(r->context, r->queries * r->heads * r->v.dim + 1, sizeof *out);
    const sf8_attend_order *o;
    size_t best;
    for (size_t i = 0; (o = sf8_attend_order_at(i)) && v->orders < ATTEND_ORDERS; i++) {
        size_t tries = o->split == SF8_SPLIT_COUNT && !asked->splits
                           ? sizeof counts / sizeof counts[0]
                           : 1;
        int is = 0;
        if (o->split == SF8_SPLIT_PREFIX && !asked->has_prefix)
            continue;
        for (size_t k = 0; k < tries && !is; k++) {
            size_t cut = o->split == SF8_SPLIT_PREFIX ? asked->prefix
                         : asked->splits              ? asked->splits
                                                      : counts[k];
            is = is_order(r, given, o, cut, out, &best);
            if (is) {
                v->order[v->orders] = o;
                v->cut[v->orders++] = cut;
            }
            if (best > v->nearest_same) {
                v->nearest_same = best;
                v->nearest = o;
            }
        }
    }
    search_free(r->context, out);
    return v->orders > 0;
}
