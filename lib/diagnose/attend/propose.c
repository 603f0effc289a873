/* SPDX-License-Identifier: MIT */
/* propose.c -- mistakes whose numbers follow from an output: where something is clipped, factors */
#include "diagnose/attend/explain.h"

#include <math.h>

enum { ROWS_MOST = 4, CHANNELS = 32 };

/* Squares with something clipped there, up to `enough`. */
static double squares_at(attend_explaining *e, const attend_guess *base, const attend_mistake *m,
                         size_t rows, attend_channels of, double most, double enough)
{
    attend_guess guess = *base;
    attend_mistake one = *m;
    one.number[0] = most;
    if (!attend_guess_add(e->j->r, &guess, &one))
        return INFINITY;
    return attend_squares(e, rows, of, &guess.change, enough);
}

/* Where a clip leaves least: in steps of 2^(1/4) from the largest magnitude down, then between. */
static int fit_clip(attend_explaining *e, const attend_guess *base, attend_care care,
                    attend_mistake *m, double amax)
{
    enum { OCTAVES = 5 };
    static const int rounds[] = {2, 18, 44};
    const double golden = 0.6180339887498949, step = care == ATTEND_ROUGH ? 0.5 : 0.25;
    size_t most = care == ATTEND_ROUGH ? ROWS_MOST / 2 : ROWS_MOST,
           rows = e->rows < most ? e->rows : most;
    attend_channels of = e->channels;
    of.count = care == ATTEND_ROUGH && of.count > CHANNELS / 2 ? CHANNELS / 2 : of.count;
    double plain = attend_squares(e, rows, of, &base->change, INFINITY), least = plain, at = 0;
    for (double from = step; from <= OCTAVES; from += step) {
        double squares = squares_at(e, base, m, rows, of, amax * exp2(-from), least);
        if (squares < least) {
            least = squares;
            at = -from;
        }
    }
    if (at == 0 || !(least < 0.8 * plain))
        return 0;
    double low = at - step, high = at + step;
    double x = high - golden * (high - low), y = low + golden * (high - low);
    double of_x = squares_at(e, base, m, rows, of, amax * exp2(x), INFINITY),
           of_y = squares_at(e, base, m, rows, of, amax * exp2(y), INFINITY);
    for (int i = 0; i < rounds[care]; i++) {
        if (of_x < of_y) {
            high = y;
            y = x;
            of_y = of_x;
            x = high - golden * (high - low);
            of_x = squares_at(e, base, m, rows, of, amax * exp2(x), INFINITY);
        } else {
            low = x;
            x = y;
            of_x = of_y;
            y = low + golden * (high - low);
            of_y = squares_at(e, base, m, rows, of, amax * exp2(y), INFINITY);
        }
    }
    m->number[0] = amax * exp2((low + high) / 2);
    return 1;
}

static double largest(const float *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fabs((double)x[i]) > most ? fabs((double)x[i]) : most;
    return most;
}

/* The largest magnitude of the output, if several values have it; else 0. */
static double limit_of_output(const attend_judged_output *j)
{
    enum { ENOUGH = 4 };
    double most = 0;
    size_t n = 0;
    for (size_t row = 0; row < j->rows; row++)
        for (size_t c = 0; c < j->columns; c++) {
            double x = fabs(attend_got(j, row, c));
            n = x > most ? 1 : n + (x == most);
            most = x > most ? x : most;
        }
    return n >= ENOUGH && isfinite(most) ? most : 0;
}

/* The largest magnitude of what a field has. */
static double amax_of(const attend_problem *r, attend_field field)
{
    return field == ATTEND_OF_Q   ? largest(r->q, r->queries * r->heads * r->k.dim)
           : field == ATTEND_OF_K ? largest(r->k.values, r->keys * r->kv_heads * r->k.dim)
                                  : largest(r->v.values, r->keys * r->kv_heads * r->v.dim);
}

/* The factor of the output that leaves least. */
static int fit_factor(attend_explaining *e, const attend_guess *base, attend_mistake *m)
{
    double both = 0, right = 0;
    for (size_t i = 0; i < e->rows; i++) {
        attend_true_channels(e->j, &base->change, e->sample[i], e->channels, e->t);
        for (size_t c = e->channels.first; c < e->channels.first + e->channels.count; c++) {
            both += attend_got(e->j, e->sample[i], c) * e->t->out[c];
            right += e->t->out[c] * e->t->out[c];
        }
    }
    m->number[0] = both / right;
    return isfinite(m->number[0]) && m->number[0] != 0 && fabs(m->number[0] - 1) >= 0.01;
}

int attend_fit(attend_explaining *e, const attend_guess *base, attend_care care,
               attend_mistake *one)
{
    int is_element = (one->field & (ATTEND_OF_Q | ATTEND_OF_K | ATTEND_OF_V)) != 0;
    if (one->field == ATTEND_OF_V_SCALE && one->kind == 3)
        return fit_factor(e, base, one);
    if (!is_element || one->kind != 0)
        return 0;
    double amax = amax_of(e->j->r, one->field);
    return isfinite(amax) && amax > 0 && fit_clip(e, base, care, one, amax);
}

static size_t propose_clips(attend_explaining *e, const attend_guess *base, attend_care care,
                            attend_mistake *list)
{
    static const attend_mistake of[] = {{"q-clipped", "queries clipped at", ATTEND_OF_Q, 0, {0, 0}},
                                        {"k-clipped", "keys clipped at", ATTEND_OF_K, 0, {0, 0}},
                                        {"v-clipped", "values clipped at", ATTEND_OF_V, 0, {0, 0}}};
    size_t n = 0;
    for (size_t i = 0; i < 3; i++) {
        list[n] = of[i];
        n += (size_t)attend_fit(e, base, care, &list[n]);
    }
    double limit = limit_of_output(e->j);
    if (limit > 0 && limit != 448 && limit != 240 && limit != 57344)
        list[n++] = (attend_mistake){
            "out-clipped", "the output is clipped at", ATTEND_OF_OUT, 0, {limit, 0}};
    return n;
}

/* The heads of the cache whose rows have nearly all of the errors, if they are one or two: how
 * many. */
static size_t odd_heads(const attend_explaining *e, size_t odd[2])
{
    enum { MUCH = 64 };
    const attend_problem *r = e->j->r;
    double most[2] = {0, 0}, rest = 0;
    odd[0] = odd[1] = 0;
    for (size_t kv = 0; kv < r->kv_heads; kv++) {
        double squares = 0;
        for (size_t row = 0; row < e->j->rows; row++)
            if (row % r->heads / (r->heads / r->kv_heads) == kv)
                squares += e->plain_row[row];
        int at = squares > most[0] ? 0 : squares > most[1] ? 1 : 2;
        rest = at < 2 ? fmax(rest, most[1]) : fmax(rest, squares);
        if (at == 0) {
            most[1] = most[0];
            odd[1] = odd[0];
        }
        if (at < 2) {
            most[at] = squares;
            odd[at] = kv;
        }
    }
    return most[0] > MUCH * most[1] ? 1 : most[1] > MUCH * rest ? 2 : 0;
}

/* Two heads of keys, values or both exchanged, or one that is read as another. */
static size_t propose_heads(attend_explaining *e, const attend_guess *base, attend_mistake *list)
{
    static const attend_mistake of[] = {
        {"heads-exchanged", "key/value heads exchanged", ATTEND_OF_HEADS, 0, {0, 0}},
        {"k-heads-exchanged", "heads of keys exchanged", ATTEND_OF_K_HEADS, 0, {0, 0}},
        {"v-heads-exchanged", "heads of values exchanged", ATTEND_OF_V_HEADS, 0, {0, 0}},
        {"head-replaced", "a key/value head replaced", ATTEND_OF_HEADS, 1, {0, 0}},
        {"k-head-replaced", "a head of keys replaced", ATTEND_OF_K_HEADS, 1, {0, 0}},
        {"v-head-replaced", "a head of values replaced", ATTEND_OF_V_HEADS, 1, {0, 0}}};
    const attend_problem *r = e->j->r;
    size_t odd[2], count = r->kv_heads > 2 ? odd_heads(e, odd) : 0, n = 0;
    for (size_t i = 0; i < 6 && count > 0; i++) {
        attend_mistake one = of[i];
        double least = INFINITY;
        int is_exchange = i < 3;
        if (is_exchange != (count == 2))
            continue;
        one.kind = is_exchange ? ATTEND_HEADS_EXCHANGED : ATTEND_HEAD_REPLACED;
        for (size_t kv = 0; kv < r->kv_heads; kv++) {
            attend_guess guess = *base;
            one.number[0] = (double)odd[0];
            one.number[1] = (double)kv;
            if (kv == odd[0] || (is_exchange && kv != odd[1]) || !attend_guess_add(r, &guess, &one))
                continue;
            double squares = attend_squares(e, e->rows, e->channels, &guess.change, least);
            if (squares < least) {
                least = squares;
                list[n] = one;
            }
        }
        n += (size_t)(least < INFINITY);
    }
    return n;
}

size_t attend_propose(attend_explaining *e, const attend_guess *base, attend_care care,
                      attend_mistake list[ATTEND_PROPOSED_MOST])
{
    attend_guess one = *base;
    size_t n = 0;
    const attend_mistake no_keys = {"", "", ATTEND_OF_KEYS, 3, {0, 0}};
    if (!isfinite(e->plain) || search_is_over(e->j->r->context))
        return 0;
    if (base->change.clip_out == 0 && attend_guess_add(e->j->r, &one, &no_keys))
        n = attend_propose_keys(e, base, list);
    n += propose_clips(e, base, care, list + n);
    if (base->count == 0) {
        n += propose_heads(e, base, list + n);
        n += attend_propose_rules(e, base, list + n);
    }
    /* where there is another mistake already */
    list[n] = (attend_mistake){"output-factor", "the output is", ATTEND_OF_V_SCALE, 3, {0, 0}};
    return n + (size_t)(base->count > 0 && attend_fit(e, base, care, &list[n]));
}
