/* SPDX-License-Identifier: MIT */
/* propose.c -- mistakes whose numbers follow from an output: which keys are missing, where
 * something is clipped
 */
#include "diagnose/attend/explain.h"

#include <math.h>
#include <string.h>

enum { PAGE = ATTEND_PAGE, KEPT = 2, ROWS_MOST = 4, CHANNELS = 32 };

/* The best of a kind, the first ones first. */
typedef struct best {
    attend_mistake of[KEPT];
    double squares[KEPT];
    size_t count;
} best;

static void keep(best *b, const attend_mistake *one, double squares)
{
    size_t at = b->count < KEPT ? b->count++ : KEPT;
    for (; at > 0 && squares < b->squares[at - 1]; at--)
        if (at < KEPT) {
            b->of[at] = b->of[at - 1];
            b->squares[at] = b->squares[at - 1];
        }
    if (at < KEPT) {
        b->of[at] = *one;
        b->squares[at] = squares;
    }
}

/* ---- keys ------------------------------------------------------------------------------------
 *
 * What is left out, or read twice, changes an output by sums over pages that are computed once.
 */

typedef struct page_sums {
    size_t rows, pages, keys, columns, step;
    double factor;  /* of the output */
    double *out;    /* [rows][columns] */
    double *got;    /* the same */
    double *sum;    /* [rows][pages + 1][columns]: weight times value of all pages before */
    double *weight; /* [rows][pages + 1] */
    double *of_key; /* [rows][keys] */
    size_t *kv;     /* [rows] */
    const attend_kept *side; /* whose values they are */
    const attend_problem *r;
} page_sums;

static double *sum_at(const page_sums *s, size_t row, size_t page)
{
    return s->sum + (row * (s->pages + 1) + page) * s->columns;
}

static page_sums page_sums_new(attend_explaining *e, const attend_guess *base)
{
    const attend_problem *r = e->j->r;
    search_context *c = r->context;
    page_sums s;
    memset(&s, 0, sizeof s);
    s.r = r;
    s.rows = e->rows < ROWS_MOST ? e->rows : ROWS_MOST;
    s.pages = (r->keys + PAGE - 1) / PAGE;
    s.keys = r->keys;
    s.factor = base->change.values != 0 ? base->change.values : 1;
    s.step = e->j->columns > CHANNELS ? e->j->columns / CHANNELS : 1;
    s.columns = (e->j->columns + s.step - 1) / s.step;
    s.out = search_allocate(c, s.rows * s.columns, sizeof *s.out);
    s.got = search_allocate(c, s.rows * s.columns, sizeof *s.got);
    s.sum = search_allocate(c, s.rows * (s.pages + 1) * s.columns, sizeof *s.sum);
    s.weight = search_allocate(c, s.rows * (s.pages + 1), sizeof *s.weight);
    s.of_key = search_allocate(c, s.rows * s.keys, sizeof *s.of_key);
    s.kv = search_allocate(c, s.rows + 1, sizeof *s.kv);
    for (size_t i = 0; i < s.rows; i++) {
        s.side = attend_values_of(e->j, &base->change, e->sample[i], &s.kv[i]);
        attend_true_row(e->j, &base->change, e->sample[i], e->t);
        for (size_t k = 0; k < s.columns; k++) {
            s.out[i * s.columns + k] = e->t->out[k * s.step];
            s.got[i * s.columns + k] = attend_got(e->j, e->sample[i], k * s.step);
        }
        for (size_t key = 0; key < s.keys; key++) {
            double w = e->t->weight[key], *to = sum_at(&s, i, key / PAGE + 1);
            const float *v = s.side->values + (key * r->kv_heads + s.kv[i]) * r->v.dim;
            s.of_key[i * s.keys + key] = w;
            s.weight[i * (s.pages + 1) + key / PAGE + 1] += w;
            for (size_t k = 0; k < s.columns && w != 0; k++)
                to[k] += s.factor * w * (double)v[k * s.step];
        }
        for (size_t page = 1; page <= s.pages; page++) {
            s.weight[i * (s.pages + 1) + page] += s.weight[i * (s.pages + 1) + page - 1];
            for (size_t k = 0; k < s.columns; k++)
                sum_at(&s, i, page)[k] += sum_at(&s, i, page - 1)[k];
        }
    }
    return s;
}

static void page_sums_free(page_sums *s)
{
    search_context *c = s->r->context;
    search_free(c, s->out);
    search_free(c, s->got);
    search_free(c, s->sum);
    search_free(c, s->weight);
    search_free(c, s->of_key);
    search_free(c, s->kv);
}

/* Pages `first` to before `second` missing; or with `is_repeated` page `first` read as the second.
 */
static double squares_of_pages(const page_sums *s, size_t first, size_t second, int is_repeated,
                               double enough)
{
    double squares = 0;
    for (size_t i = 0; i < s->rows && squares < enough; i++) {
        const double *w = s->weight + i * (s->pages + 1), *got = s->got + i * s->columns;
        const double *out = s->out + i * s->columns, *a = sum_at(s, i, first),
                     *b = sum_at(s, i, second);
        double rest = 1 - (w[second] - w[first]);
        if (is_repeated) {
            const double *a1 = sum_at(s, i, first + 1), *b1 = sum_at(s, i, second + 1);
            rest = 1 - (w[first + 1] - w[first]) + (w[second + 1] - w[second]);
            for (size_t k = 0; k < s->columns; k++)
                squares += attend_square(got[k], (out[k] - (a1[k] - a[k]) + (b1[k] - b[k])) / rest);
            continue;
        }
        if (!(rest > 1e-9))
            return INFINITY;
        for (size_t k = 0; k < s->columns; k++)
            squares += attend_square(got[k], (out[k] - (b[k] - a[k])) / rest);
    }
    return squares;
}

static double squares_of_exchange(const page_sums *s, size_t first, size_t second, double enough)
{
    const attend_problem *r = s->r;
    double squares = 0;
    for (size_t i = 0; i < s->rows && squares < enough; i++) {
        const double *w = s->of_key + i * s->keys;
        double change[CHANNELS * 2] = {0};
        for (size_t at = 0; at < PAGE; at++) {
            size_t a = first * PAGE + at, b = second * PAGE + at;
            const float *va = s->side->values + (a * r->kv_heads + s->kv[i]) * r->v.dim;
            const float *vb = s->side->values + (b * r->kv_heads + s->kv[i]) * r->v.dim;
            for (size_t k = 0; k < s->columns; k++)
                change[k] += (w[a] - w[b]) * ((double)va[k * s->step] - (double)vb[k * s->step]);
        }
        for (size_t k = 0; k < s->columns; k++)
            squares += attend_square(s->got[i * s->columns + k],
                                     s->out[i * s->columns + k] - s->factor * change[k]);
    }
    return squares;
}

static double squares_without_key(const page_sums *s, size_t key, double enough)
{
    double squares = 0;
    for (size_t i = 0; i < s->rows && squares < enough; i++) {
        double w = s->of_key[i * s->keys + key];
        const float *v = s->side->values + (key * s->r->kv_heads + s->kv[i]) * s->r->v.dim;
        if (!(w < 1))
            return INFINITY;
        for (size_t k = 0; k < s->columns; k++)
            squares += attend_square(
                s->got[i * s->columns + k],
                (s->out[i * s->columns + k] - s->factor * w * (double)v[k * s->step]) / (1 - w));
    }
    return squares;
}

static double squares_left(const page_sums *s)
{
    double squares = 0;
    for (size_t i = 0; i < s->rows * s->columns; i++)
        squares += attend_square(s->got[i], s->out[i]);
    return squares;
}

static size_t propose_keys(attend_explaining *e, const attend_guess *base, attend_mistake *list)
{
    page_sums s = page_sums_new(e, base);
    best missing = {.count = 0}, keys = {.count = 0}, repeated = {.count = 0},
         exchanged = {.count = 0};
    double plain = squares_left(&s);
    size_t whole = s.keys / PAGE, n = 0;
#define ENOUGH(b) ((b).count < KEPT ? plain : (b).squares[KEPT - 1])
    for (size_t key = 0; key < s.keys; key++) {
        double squares = squares_without_key(&s, key, ENOUGH(keys));
        const attend_mistake one = {"key-missing",
                                    "the same key is missing in every row",
                                    ATTEND_OF_KEYS,
                                    3,
                                    {(double)key, 0}};
        if (squares < ENOUGH(keys))
            keep(&keys, &one, squares);
    }
    for (size_t a = 0; a < s.pages; a++)
        for (size_t b = 0; b <= s.pages; b++) {
            double to = b == s.pages ? (double)s.keys : (double)(b * PAGE);
            const attend_mistake range = {
                "keys-missing", "", ATTEND_OF_KEYS, 2, {(double)(a * PAGE), to}};
            const attend_mistake twice = {
                "page-repeated", "", ATTEND_OF_PAGES, ATTEND_PAGE_REPEATED, {(double)a, (double)b}};
            const attend_mistake both = {"pages-exchanged",
                                         "",
                                         ATTEND_OF_PAGES,
                                         ATTEND_V_PAGES_EXCHANGED,
                                         {(double)a, (double)b}};
            double squares = b > a ? squares_of_pages(&s, a, b, 0, ENOUGH(missing)) : INFINITY;
            if (squares < ENOUGH(missing))
                keep(&missing, &range, squares);
            squares = a < whole && b < whole && a != b
                          ? squares_of_pages(&s, a, b, 1, ENOUGH(repeated))
                          : INFINITY;
            if (squares < ENOUGH(repeated))
                keep(&repeated, &twice, squares);
            squares = a < b && b < whole ? squares_of_exchange(&s, a, b, ENOUGH(exchanged))
                                         : INFINITY;
            if (squares < ENOUGH(exchanged))
                keep(&exchanged, &both, squares);
        }
#undef ENOUGH
    const best *const all[] = {&keys, &missing, &repeated, &exchanged};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < all[i]->count; k++)
            list[n++] = all[i]->of[k];
    for (size_t k = 0; k < exchanged.count; k++) {
        list[n] = exchanged.of[k];
        list[n++].kind = ATTEND_K_PAGES_EXCHANGED;
    }
    page_sums_free(&s);
    return n;
}

/* ---- clips ----------------------------------------------------------------------------------- */

/* Squares with something clipped there. */
static double squares_at(attend_explaining *e, const attend_guess *base, const attend_mistake *m,
                         double most)
{
    attend_guess guess = *base;
    attend_mistake one = *m;
    one.number[0] = most;
    if (!attend_guess_add(e->j->r, &guess, &one))
        return INFINITY;
    return attend_squares(e, e->rows < ROWS_MOST ? e->rows : ROWS_MOST, e->channels, &guess.change);
}

/* Where a clip leaves least: in steps of 2^(1/4) from the largest magnitude down, then between. */
static int propose_clip(attend_explaining *e, const attend_guess *base, attend_mistake *m,
                        double amax)
{
    enum { STEPS = 20, ROUNDS = 18 };
    const double golden = 0.6180339887498949, step = 0.25;
    size_t rows = e->rows < ROWS_MOST ? e->rows : ROWS_MOST;
    double plain = attend_squares(e, rows, e->channels, &base->change), least = plain, at = 0;
    for (int i = 1; i <= STEPS; i++) {
        double squares = squares_at(e, base, m, amax * exp2(-i * step));
        if (squares < least) {
            least = squares;
            at = -i * step;
        }
    }
    if (at == 0 || !(least < 0.8 * plain))
        return 0;
    double low = at - step, high = at + step;
    double x = high - golden * (high - low), y = low + golden * (high - low);
    double of_x = squares_at(e, base, m, amax * exp2(x)),
           of_y = squares_at(e, base, m, amax * exp2(y));
    for (int i = 0; i < ROUNDS; i++) {
        if (of_x < of_y) {
            high = y;
            y = x;
            of_y = of_x;
            x = high - golden * (high - low);
            of_x = squares_at(e, base, m, amax * exp2(x));
        } else {
            low = x;
            x = y;
            of_x = of_y;
            y = low + golden * (high - low);
            of_y = squares_at(e, base, m, amax * exp2(y));
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

static size_t propose_clips(attend_explaining *e, const attend_guess *base, attend_mistake *list)
{
    const attend_problem *r = e->j->r;
    attend_mistake of[] = {{"q-clipped", "queries clipped at", ATTEND_OF_Q, 0, {0, 0}},
                           {"k-clipped", "keys clipped at", ATTEND_OF_K, 0, {0, 0}},
                           {"v-clipped", "values clipped at", ATTEND_OF_V, 0, {0, 0}}};
    const double most[] = {largest(r->q, r->queries * r->heads * r->k.dim),
                           largest(r->k.values, r->keys * r->kv_heads * r->k.dim),
                           largest(r->v.values, r->keys * r->kv_heads * r->v.dim)};
    size_t n = 0;
    for (size_t i = 0; i < 3; i++)
        if (isfinite(most[i]) && most[i] > 0 && propose_clip(e, base, &of[i], most[i]))
            list[n++] = of[i];
    double limit = limit_of_output(e->j);
    if (limit > 0 && limit != 448 && limit != 240 && limit != 57344)
        list[n++] = (attend_mistake){
            "out-clipped", "the output is clipped at", ATTEND_OF_OUT, 0, {limit, 0}};
    return n;
}

/* The factor of the output that leaves least, where there is another mistake already. */
static size_t propose_factor(attend_explaining *e, const attend_guess *base, attend_mistake *list)
{
    double both = 0, right = 0;
    for (size_t i = 0; i < e->rows; i++) {
        attend_true_channels(e->j, &base->change, e->sample[i], e->channels, e->t);
        for (size_t c = e->channels.first; c < e->channels.first + e->channels.count; c++) {
            both += attend_got(e->j, e->sample[i], c) * e->t->out[c];
            right += e->t->out[c] * e->t->out[c];
        }
    }
    double factor = both / right;
    if (base->count == 0 || !isfinite(factor) || factor == 0 || fabs(factor - 1) < 0.01)
        return 0;
    list[0] = (attend_mistake){"output-factor", "the output is", ATTEND_OF_V_SCALE, 3, {factor, 0}};
    return 1;
}

size_t attend_propose(attend_explaining *e, const attend_guess *base,
                      attend_mistake list[ATTEND_PROPOSED_MOST])
{
    attend_guess one = *base;
    size_t n = 0;
    const attend_mistake no_keys = {"", "", ATTEND_OF_KEYS, 3, {0, 0}};
    if (!isfinite(e->plain) || search_is_over(e->j->r->context))
        return 0;
    if (base->change.cast_out == 0 && base->change.clip_out == 0 && !base->change.not_divided &&
        attend_guess_add(e->j->r, &one, &no_keys))
        n = propose_keys(e, base, list);
    n += propose_clips(e, base, list + n);
    return n + propose_factor(e, base, list + n);
}
