/* SPDX-License-Identifier: MIT */
/* propose_rules.c -- windows, caps and sinks that a request does not have, or has otherwise: their
 * numbers follow from the output
 */
#include "diagnose/attend/explain.h"

#include <math.h>
#include <string.h>

enum { ROWS = 4, CHANNELS = 32 };

/* ---- windows --------------------------------------------------------------------------------- */

/* What each window of a row leaves, in `squares` [keys]: from the last key that is seen, one more
 * at a time. Weights are those without a window. */
static void add_windows(attend_explaining *e, const attend_change *change, size_t row,
                        double *squares)
{
    const attend_problem *r = e->j->r;
    size_t kv, columns = e->j->columns < CHANNELS ? e->j->columns : CHANNELS;
    const attend_kept *side = attend_values_of(e->j, change, row, &kv);
    double sum[CHANNELS] = {0}, weight = 0, all = 0;
    int64_t own = r->a.first + (int64_t)(row / r->heads);
    attend_true_row(e->j, change, row, e->t);
    for (size_t key = 0; key < r->keys; key++)
        all += e->t->weight[key];
    for (size_t n = 0; n < r->keys; n++) {
        int64_t key = own - (int64_t)n;
        for (int64_t k = n ? key : (int64_t)r->keys - 1; k >= key && k >= 0; k--) {
            const float *v = side->values + ((size_t)k * r->kv_heads + kv) * r->v.dim;
            double w = k < (int64_t)r->keys ? e->t->weight[k] : 0;
            weight += w;
            for (size_t c = 0; c < columns && w != 0; c++)
                sum[c] += w * (double)v[c];
        }
        for (size_t c = 0; c < columns; c++)
            squares[n] += attend_square(attend_got(e->j, row, c), sum[c] / (1 - all + weight));
    }
}

/* The window that leaves least; of those that leave the same, the longest. */
static size_t propose_window(attend_explaining *e, const attend_guess *base, attend_mistake *list)
{
    const attend_problem *r = e->j->r;
    attend_change change = base->change;
    size_t best = 0, rows = e->rows < ROWS ? e->rows : ROWS;
    const attend_mistake one = {"window-other", "a window of", ATTEND_OF_WINDOW, 3, {0, 0}};
    attend_guess guess = *base;
    if (!attend_guess_add(r, &guess, &one) || r->a.first < 0)
        return 0;
    double *squares = search_allocate(r->context, r->keys + 1, sizeof *squares);
    change.no_window = 1;
    for (size_t i = 0; i < rows; i++)
        add_windows(e, &change, e->sample[i], squares);
    for (size_t n = 1; n < r->keys; n++)
        best = squares[n] <= squares[best] ? n : best;
    int is_good = squares[best] < 0.5 * squares[r->keys - 1];
    if (r->a.left >= 0) {
        int64_t off = (int64_t)best - r->a.left;
        is_good = (off > 1 || off < -1) && best + 1 < r->keys;
    }
    search_free(r->context, squares);
    list[0] = one;
    list[0].name = r->a.left >= 0 ? "window-other" : "window-added";
    list[0].number[0] = (double)best;
    list[0].number[1] = (double)r->a.left;
    return (size_t)is_good;
}

/* ---- a number that leaves least -------------------------------------------------------------- */

static double squares_with(attend_explaining *e, const attend_guess *base, const attend_mistake *m,
                           double number, double enough)
{
    size_t rows = e->rows < ROWS ? e->rows : ROWS;
    attend_guess guess = *base;
    attend_mistake one = *m;
    one.number[0] = number;
    if (!attend_guess_add(e->j->r, &guess, &one))
        return INFINITY;
    return attend_squares(e, rows, e->channels, &guess.change, enough);
}

/* Between these, which are logarithms if `is_log`. */
static int fit_between(attend_explaining *e, const attend_guess *base, attend_mistake *m,
                       double from, double to, int is_log)
{
    enum { STEPS = 20, ROUNDS = 24 };
    const double golden = 0.6180339887498949, step = (to - from) / STEPS;
    double least = INFINITY, at = from;
#define SQUARES(x, enough) squares_with(e, base, m, is_log ? exp2(x) : (x), enough)
    for (int i = 0; i <= STEPS; i++) {
        double squares = SQUARES(from + i * step, least);
        if (squares < least) {
            least = squares;
            at = from + i * step;
        }
    }
    double low = at - step, high = at + step, x = high - golden * (high - low),
           y = low + golden * (high - low), of_x = SQUARES(x, INFINITY),
           of_y = SQUARES(y, INFINITY);
    for (int i = 0; i < ROUNDS; i++) {
        int is_low = of_x < of_y;
        *(is_low ? &high : &low) = is_low ? y : x;
        x = high - golden * (high - low);
        y = low + golden * (high - low);
        of_x = SQUARES(x, INFINITY);
        of_y = SQUARES(y, INFINITY);
    }
    at = (low + high) / 2;
    m->number[0] = is_log ? exp2(at) : at;
    least = SQUARES(at, INFINITY);
    double whole = nearbyint(m->number[0]);
    if (fabs(whole - m->number[0]) < 0.02 * fmax(1, fabs(whole)) &&
        squares_with(e, base, m, whole, 1.5 * least) <= 1.5 * least)
        m->number[0] = whole;
#undef SQUARES
    return isfinite(least) && least < 0.5 * squares_with(e, base, m, INFINITY, INFINITY);
}

/* ---- caps and sinks -------------------------------------------------------------------------- */

static size_t propose_cap(attend_explaining *e, const attend_guess *base, attend_mistake *list)
{
    double cap = (double)sf8_f32_from_bits(e->j->r->a.cap), most = 0;
    attend_mistake one = {"cap-other", "scores capped at", ATTEND_OF_CAP, 1, {0, cap}};
    attend_true_row(e->j, &base->change, e->sample[0], e->t);
    most = log2(e->t->most);
    if (!isfinite(most) || !fit_between(e, base, &one, most - 8, most + 1, 1) ||
        (cap > 0 && fabs(one.number[0] - cap) < 0.02 * cap))
        return 0;
    one.name = cap > 0 ? "cap-other" : "cap-added";
    list[0] = one;
    return 1;
}

/* The score of a sink of a row that makes its output smaller as it is; NaN if none does. */
static double sink_of_row(attend_explaining *e, const attend_change *change, size_t row)
{
    double both = 0, right = 0;
    attend_true_row(e->j, change, row, e->t);
    for (size_t c = 0; c < e->j->columns; c++) {
        both += attend_got(e->j, row, c) * e->t->out[c];
        right += e->t->out[c] * e->t->out[c];
    }
    double factor = both / right;
    return factor > 0 && factor < 1 ? e->t->lse + log((1 - factor) / factor) : NAN;
}

/* A sink of one score; or one for each head, if these differ and have several rows each. */
static size_t propose_sinks(attend_explaining *e, const attend_guess *base, attend_mistake *list)
{
    enum { ENOUGH = 3 };
    const double differ = 0.05;
    const attend_problem *r = e->j->r;
    attend_mistake one = {"sink-added", "a sink of the score", ATTEND_OF_SINKS, 1, {0, 0}};
    attend_guess guess = *base;
    double low = INFINITY, high = -INFINITY;
    size_t n = 0;
    if (r->a.sinks || !attend_guess_add(r, &guess, &one))
        return 0;
    for (size_t head = 0; head < r->heads; head++) {
        double sum = 0;
        for (size_t query = 0; query < r->queries; query++)
            sum += sink_of_row(e, &base->change, query * r->heads + head);
        r->own_sinks[head] = sum / (double)r->queries;
        low = fmin(low, r->own_sinks[head]);
        high = fmax(high, r->own_sinks[head]);
        if (isnan(sum))
            return 0;
    }
    if (fit_between(e, base, &one, low - 0.5, high + 0.5, 0))
        list[n++] = one;
    if (r->queries >= ENOUGH && r->heads > 1 && high - low > differ)
        list[n++] = (attend_mistake){"sinks-added",
                                     "a sink in each head, which the request does not have",
                                     ATTEND_OF_SINKS,
                                     2,
                                     {0, 0}};
    return n;
}

size_t attend_propose_rules(attend_explaining *e, const attend_guess *base,
                            attend_mistake list[ATTEND_PROPOSED_MOST])
{
    size_t n = propose_window(e, base, list);
    n += propose_cap(e, base, list + n);
    return n + propose_sinks(e, base, list + n);
}
