/* SPDX-License-Identifier: MIT */
/* row.c -- a true row: its memory, that of kept products, how far an output is from it */
#include "diagnose/attend/output.h"

#include <math.h>
#include <string.h>

static attend_kept_dots kept_dots_new(const attend_problem *r)
{
    enum { MOST = 1 << 20, LEAST = 16 };
    size_t keys = r->keys + 1, rows = r->queries * r->heads, n;
    attend_kept_dots kept = {.places = MOST / keys > LEAST ? MOST / keys : LEAST};
    kept.places = rows < kept.places ? rows + 1 : kept.places;
    n = 2 * kept.places;
    kept.of = search_allocate(r->context, n, sizeof *kept.of);
    kept.dot = search_allocate(r->context, n * keys, sizeof *kept.dot);
    kept.size = search_allocate(r->context, n * keys, sizeof *kept.size);
    for (size_t i = 0; i < n; i++) {
        kept.of[i].dot = kept.dot + i * keys;
        kept.of[i].size = kept.size + i * keys;
    }
    return kept;
}

attend_row attend_row_new(const attend_problem *r)
{
    attend_row row;
    memset(&row, 0, sizeof row);
    row.context = r->context;
    row.measures = 1;
    row.out = search_allocate(r->context, r->v.dim, sizeof *row.out);
    row.spread = search_allocate(r->context, r->v.dim, sizeof *row.spread);
    row.lost = search_allocate(r->context, r->v.dim, sizeof *row.lost);
    row.weight = search_allocate(r->context, r->keys + 1, sizeof *row.weight);
    row.room = search_allocate(r->context, r->keys + 1, sizeof *row.room);
    row.own_q = search_allocate(r->context, r->k.dim + 1, sizeof *row.own_q);
    row.own_k = search_allocate(r->context, r->k.dim + 1, sizeof *row.own_k);
    row.own_v = search_allocate(r->context, r->v.dim + 1, sizeof *row.own_v);
    row.sums = search_allocate(r->context, 16, sizeof *row.sums);
    row.kept = kept_dots_new(r);
    row.claim = search_allocate(r->context, 4 * r->v.dim, sizeof *row.claim);
    row.slack = search_allocate(r->context, r->keys + 1, sizeof *row.slack);
    row.flip = search_allocate(r->context, r->keys + 1, sizeof *row.flip);
    return row;
}

void attend_row_free(attend_row *row)
{
    search_free(row->context, row->out);
    search_free(row->context, row->spread);
    search_free(row->context, row->lost);
    search_free(row->context, row->weight);
    search_free(row->context, row->room);
    search_free(row->context, row->own_q);
    search_free(row->context, row->own_k);
    search_free(row->context, row->own_v);
    search_free(row->context, row->sums);
    search_free(row->context, row->kept.of);
    search_free(row->context, row->kept.dot);
    search_free(row->context, row->kept.size);
    search_free(row->context, row->claim);
    search_free(row->context, row->slack);
    search_free(row->context, row->flip);
}

void attend_keep_dots(attend_judged_output *j)
{
    enum { MOST = 1 << 24 };
    search_context *context = j->r->context;
    size_t n = j->rows * j->r->keys;
    memset(&j->right, 0, sizeof j->right);
    if (j->r->keys > 0 && j->rows > MOST / j->r->keys)
        return;
    j->right.dot = search_allocate(context, n + 1, sizeof *j->right.dot);
    j->right.size = search_allocate(context, n + 1, sizeof *j->right.size);
    j->right.has = search_allocate(context, j->rows + 1, 1);
}

void attend_free_dots(attend_judged_output *j)
{
    search_context *context = j->r->context;
    search_free(context, j->right.dot);
    search_free(context, j->right.size);
    search_free(context, j->right.has);
}

/* ---- errors, over each bound ----------------------------------------------------------------- */

/* The least magnitude that is rounded to infinity. */
static double overflow_of(sf8_format f)
{
    int most = (1 << f.exp_bits) - 2 - f.bias;
    return ldexp(2, most) - ldexp(0.5, most - f.man_bits);
}

double attend_error(double got, double right, sf8_format f)
{
    if (isnan(got) || isnan(right))
        return isnan(got) && isnan(right) ? 0 : INFINITY;
    if (isinf(right))
        return got == right ? 0 : INFINITY;
    if (!isinf(got))
        return fabs(got - right);
    double least = overflow_of(f), beyond = got > 0 ? right : -right;
    return beyond >= least ? 0 : least - beyond;
}

static double bound_of(const attend_error_bound *b, const attend_problem *r, const attend_row *row,
                       size_t c, sf8_format out)
{
    const attend_error_row e = {row->most, row->spread[c], row->out[c], row->taking, r->k.dim};
    /* a weight is lost by its size beside the largest, which may be that of a sink */
    double lost = row->lost[c] - (double)row->taking * row->spread[c];
    return attend_error_out(b, &e, out) + (lost > 0 ? b->least * lost : 0);
}

void attend_row_errors(const attend_judged_output *j, size_t row, const attend_row *t,
                       double worst[ATTEND_ERROR_BOUNDS])
{
    for (size_t b = 0; b < ATTEND_ERROR_BOUNDS; b++)
        worst[b] = 0;
    for (size_t c = 0; c < j->columns; c++) {
        double error = attend_error(attend_got(j, row, c), t->out[c], j->out->format);
        for (size_t b = 0; b < ATTEND_ERROR_BOUNDS && error > 0; b++) {
            double ratio = isinf(error) ? INFINITY
                                        : error / bound_of(&attend_error_bounds[b], j->r, t, c,
                                                           j->out->format);
            worst[b] = ratio > worst[b] ? ratio : worst[b];
        }
    }
}
