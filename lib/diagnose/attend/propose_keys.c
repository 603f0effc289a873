/* SPDX-License-Identifier: MIT */
/* propose_keys.c -- which keys or pages are missing or exchanged, as it follows from an output */
#include "diagnose/attend/explain.h"

#include <math.h>
#include <string.h>

enum { PAGE = ATTEND_PAGE, LARGEST = 64, KEPT = 3, ROWS_MOST = 4, CHANNELS = 32 };

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
    double *factor;   /* [rows]: of the output, over weights times values */
    double *out;      /* [rows][columns] */
    double *got;      /* the same */
    float *value;     /* [rows][keys][columns] */
    double *sum;      /* [rows][pages + 1][columns]: weight times value of all pages before */
    double *weight;   /* [rows][pages + 1] */
    double *of_key;   /* [rows][keys] */
    double *unmasked; /* the same, as if all keys took part */
    double *plain;    /* [rows][pages + 1][columns]: value of all keys before that take part */
    double *taking;   /* [rows][pages + 1]: how many those are */
    double *zero;     /* [rows]: the weight of a score of zero */
    double *along;    /* [rows][keys][2]: value times what is off, and times what was got */
    double *off; /* [rows][3]: squares of what is off, that times what was got, squares of that */
    int not_divided;
    double noise; /* squares that tell nothing */
    const attend_problem *r;
} page_sums;

static double *sum_at(const page_sums *s, size_t row, size_t page)
{
    return s->sum + (row * (s->pages + 1) + page) * s->columns;
}

/* The values of a key. */
static float *value_at(const page_sums *s, size_t row, size_t key)
{
    return s->value + (row * s->keys + key) * s->columns;
}

static double *along_at(const page_sums *s, size_t row, size_t key)
{
    return s->along + (row * s->keys + key) * 2;
}

static double *plain_at(const page_sums *s, size_t row, size_t page)
{
    return s->plain + (row * (s->pages + 1) + page) * s->columns;
}

/* Weights as if all keys took part, in the measure of those that do; 0 where none does. */
static void unmask(attend_explaining *e, const attend_change *change, size_t i, page_sums *s)
{
    attend_change all = *change;
    double *w = s->of_key + i * s->keys, *to = s->unmasked + i * s->keys, unit = 0, most = 0;
    all.no_mask = all.no_window = 1;
    all.multiple = all.to = 0;
    attend_true_channels(e->j, &all, e->sample[i], (attend_channels){0, 1}, e->t);
    for (size_t k = 0; k < s->keys; k++)
        if (w[k] > most && e->t->weight[k] > 0) {
            most = w[k];
            unit = w[k] / e->t->weight[k];
        }
    for (size_t k = 0; k < s->keys; k++)
        to[k] = unit * e->t->weight[k];
}

/* What bounds squares_of_exchange() from below. */
static void project(size_t i, page_sums *s)
{
    const double *got = s->got + i * s->columns, *out = s->out + i * s->columns;
    double *off = s->off + i * 3;
    for (size_t k = 0; k < s->columns; k++) {
        off[0] += (out[k] - got[k]) * (out[k] - got[k]);
        off[1] += (out[k] - got[k]) * got[k];
        off[2] += got[k] * got[k];
    }
    for (size_t key = 0; key < s->keys; key++) {
        const float *v = value_at(s, i, key);
        double *along = along_at(s, i, key);
        for (size_t k = 0; k < s->columns; k++) {
            along[0] += (out[k] - got[k]) * (double)v[k];
            along[1] += got[k] * (double)v[k];
        }
    }
}

/* A row: its weights, and the sums of the pages. */
static void sum_pages(attend_explaining *e, const attend_change *change, size_t i, page_sums *s)
{
    const attend_problem *r = s->r;
    double both = 0, squares = 0;
    size_t kv;
    const attend_kept *side = attend_values_of(e->j, change, e->sample[i], &kv);
    attend_true_row(e->j, change, e->sample[i], e->t);
    for (size_t k = 0; k < s->columns; k++) {
        s->out[i * s->columns + k] = e->t->out[k * s->step];
        s->got[i * s->columns + k] = attend_got(e->j, e->sample[i], k * s->step);
    }
    for (size_t key = 0; key < s->keys; key++) {
        double w = e->t->weight[key], *to = sum_at(s, i, key / PAGE + 1);
        const float *from = side->values + (key * r->kv_heads + kv) * r->v.dim;
        float *v = value_at(s, i, key);
        for (size_t k = 0; k < s->columns; k++)
            v[k] = from[k * s->step];
        s->of_key[i * s->keys + key] = w;
        s->weight[i * (s->pages + 1) + key / PAGE + 1] += w;
        for (size_t k = 0; k < s->columns && w != 0; k++) {
            to[k] += w * (double)v[k];
            plain_at(s, i, key / PAGE + 1)[k] += (double)v[k];
        }
        s->taking[i * (s->pages + 1) + key / PAGE + 1] += w > 0;
    }
    s->zero[i] = exp(-e->t->lse);
    for (size_t page = 1; page <= s->pages; page++) {
        s->weight[i * (s->pages + 1) + page] += s->weight[i * (s->pages + 1) + page - 1];
        s->taking[i * (s->pages + 1) + page] += s->taking[i * (s->pages + 1) + page - 1];
        for (size_t k = 0; k < s->columns; k++) {
            sum_at(s, i, page)[k] += sum_at(s, i, page - 1)[k];
            plain_at(s, i, page)[k] += plain_at(s, i, page - 1)[k];
        }
    }
    for (size_t k = 0; k < s->columns; k++) {
        double sum = sum_at(s, i, s->pages)[k];
        both += sum * s->out[i * s->columns + k];
        squares += sum * sum;
    }
    s->factor[i] = squares > 0 ? both / squares : 1;
    for (size_t k = 0; k < (s->pages + 1) * s->columns; k++)
        sum_at(s, i, 0)[k] *= s->factor[i];
    unmask(e, change, i, s);
    project(i, s);
}

static page_sums page_sums_new(attend_explaining *e, const attend_guess *base)
{
    const attend_problem *r = e->j->r;
    search_context *c = r->context;
    attend_change change = base->change;
    page_sums s;
    memset(&s, 0, sizeof s);
    s.r = r;
    s.rows = e->rows < ROWS_MOST ? e->rows : ROWS_MOST;
    s.pages = (r->keys + PAGE - 1) / PAGE;
    s.keys = r->keys;
    s.not_divided = change.not_divided;
    s.step = e->j->columns > CHANNELS ? e->j->columns / CHANNELS : 1;
    s.columns = (e->j->columns + s.step - 1) / s.step;
    s.noise = e->noise * (double)(s.rows * s.columns) / (double)(e->rows * e->channels.count);
    s.out = search_allocate(c, s.rows * s.columns, sizeof *s.out);
    s.got = search_allocate(c, s.rows * s.columns, sizeof *s.got);
    s.value = search_allocate(c, s.rows * s.keys * s.columns, sizeof *s.value);
    s.sum = search_allocate(c, s.rows * (s.pages + 1) * s.columns, sizeof *s.sum);
    s.plain = search_allocate(c, s.rows * (s.pages + 1) * s.columns, sizeof *s.plain);
    s.taking = search_allocate(c, s.rows * (s.pages + 1), sizeof *s.taking);
    s.zero = search_allocate(c, s.rows + 1, sizeof *s.zero);
    s.along = search_allocate(c, s.rows * s.keys * 2, sizeof *s.along);
    s.off = search_allocate(c, s.rows * 3, sizeof *s.off);
    s.weight = search_allocate(c, s.rows * (s.pages + 1), sizeof *s.weight);
    s.of_key = search_allocate(c, s.rows * s.keys, sizeof *s.of_key);
    s.unmasked = search_allocate(c, s.rows * s.keys, sizeof *s.unmasked);
    s.factor = search_allocate(c, s.rows + 1, sizeof *s.factor);
    change.cast_out = 0; /* what is rounded is about as large */
    for (size_t i = 0; i < s.rows; i++)
        sum_pages(e, &change, i, &s);
    return s;
}

static void page_sums_free(page_sums *s)
{
    search_context *c = s->r->context;
    search_free(c, s->out);
    search_free(c, s->got);
    search_free(c, s->value);
    search_free(c, s->sum);
    search_free(c, s->plain);
    search_free(c, s->taking);
    search_free(c, s->zero);
    search_free(c, s->along);
    search_free(c, s->off);
    search_free(c, s->weight);
    search_free(c, s->of_key);
    search_free(c, s->unmasked);
    search_free(c, s->factor);
}

/* Pages `first` to before `second` missing; or with `repeated` that many pages from the first on
 * read as those from the second on. */
static double squares_of_pages(const page_sums *s, size_t first, size_t second, size_t repeated,
                               double enough)
{
    double squares = 0;
    for (size_t i = 0; i < s->rows && squares < enough; i++) {
        const double *w = s->weight + i * (s->pages + 1), *got = s->got + i * s->columns;
        const double *out = s->out + i * s->columns, *a = sum_at(s, i, first),
                     *b = sum_at(s, i, second);
        double rest = 1 - (w[second] - w[first]);
        if (repeated) {
            const double *a1 = sum_at(s, i, first + repeated),
                         *b1 = sum_at(s, i, second + repeated);
            rest = 1 - (w[first + repeated] - w[first]) + (w[second + repeated] - w[second]);
            rest = s->not_divided ? 1 : rest;
            for (size_t k = 0; k < s->columns; k++)
                squares += attend_square(got[k], (out[k] - (a1[k] - a[k]) + (b1[k] - b[k])) / rest);
            continue;
        }
        if (!(rest > 1e-9))
            return INFINITY;
        rest = s->not_divided ? 1 : rest;
        for (size_t k = 0; k < s->columns; k++)
            squares += attend_square(got[k], (out[k] - (b[k] - a[k])) / rest);
    }
    return squares;
}

/* Pages `first` to before `second` that are zeros: keys (4, 5) have the score 0, values (4, 6) add
 * nothing. */
static double squares_of_zeros(const page_sums *s, size_t first, size_t second, int kind,
                               double enough)
{
    double squares = 0;
    for (size_t i = 0; i < s->rows && squares < enough; i++) {
        const double *w = s->weight + i * (s->pages + 1), *n = s->taking + i * (s->pages + 1);
        const double *got = s->got + i * s->columns, *out = s->out + i * s->columns;
        const double *a = sum_at(s, i, first), *b = sum_at(s, i, second);
        const double *from = plain_at(s, i, first), *to = plain_at(s, i, second);
        double rest = kind == 6 ? 1
                                : 1 - (w[second] - w[first]) + (n[second] - n[first]) * s->zero[i];
        if (!(rest > 1e-9))
            return INFINITY;
        rest = s->not_divided ? 1 : rest;
        for (size_t k = 0; k < s->columns; k++) {
            double with = kind == 5 ? s->factor[i] * s->zero[i] * (to[k] - from[k]) : 0;
            squares += attend_square(got[k], (out[k] - (b[k] - a[k]) + with) / rest);
        }
    }
    return squares;
}

/* Pages of `page` keys exchanged, of the values; or of the keys, which is another thing where a
 * mask or a window cuts one of them. */
typedef struct exchange {
    size_t first, second, page;
    int of_keys;
} exchange;

/* By how much the weights change that the at-th values of both pages have. */
static void weights_change(const page_sums *s, const exchange *x, size_t row, size_t at,
                           double change[2])
{
    const double *w = s->of_key + row * s->keys, *all = s->unmasked + row * s->keys;
    size_t a = x->first * x->page + at, b = x->second * x->page + at;
    change[0] = (x->of_keys ? (w[a] > 0 ? all[b] : 0) : w[b]) - w[a];
    change[1] = (x->of_keys ? (w[b] > 0 ? all[a] : 0) : w[a]) - w[b];
}

/* No more than squares_of_exchange(): |o + c|^2 >= |o|^2 + 2 o c, where o is what is off and c the
 * change of the output. */
static double least_of_exchange(const page_sums *s, const exchange *x)
{
    const double near = 1e-9; /* errors of its own */
    double squares = 0;
    for (size_t i = 0; i < s->rows; i++) {
        const double *off = s->off + i * 3;
        double along[2] = {0, 0}, rest = 1, change[2];
        for (size_t at = 0; at < x->page; at++) {
            const double *a = along_at(s, i, x->first * x->page + at);
            const double *b = along_at(s, i, x->second * x->page + at);
            weights_change(s, x, i, at, change);
            rest += x->of_keys && !s->not_divided ? change[0] + change[1] : 0;
            along[0] += change[0] * a[0] + change[1] * b[0];
            along[1] += change[0] * a[1] + change[1] * b[1];
        }
        double more = 1 - rest, size = off[0] + more * (2 * off[1] + more * off[2]);
        double least = size + 2 * s->factor[i] * (along[0] + more * along[1]);
        squares += (least > 0 ? least : isnan(least) ? NAN : 0) / (rest * rest);
        squares -= near * (off[0] + more * more * off[2]) / (rest * rest);
    }
    return squares;
}

static double squares_of_exchange(const page_sums *s, const exchange *x, double enough)
{
    double squares = 0;
    if (least_of_exchange(s, x) > enough)
        return INFINITY;
    for (size_t i = 0; i < s->rows && squares < enough; i++) {
        double change[CHANNELS * 2] = {0}, rest = 1, to[2];
        for (size_t at = 0; at < x->page; at++) {
            const float *a = value_at(s, i, x->first * x->page + at);
            const float *b = value_at(s, i, x->second * x->page + at);
            weights_change(s, x, i, at, to);
            rest += x->of_keys && !s->not_divided ? to[0] + to[1] : 0;
            for (size_t k = 0; k < s->columns; k++)
                change[k] += to[0] * (double)a[k] + to[1] * (double)b[k];
        }
        for (size_t k = 0; k < s->columns; k++)
            squares += attend_square(s->got[i * s->columns + k],
                                     (s->out[i * s->columns + k] + s->factor[i] * change[k]) /
                                         rest);
    }
    return squares;
}

static double squares_without_key(const page_sums *s, size_t key, double enough)
{
    double squares = 0;
    for (size_t i = 0; i < s->rows && squares < enough; i++) {
        double w = s->of_key[i * s->keys + key];
        const float *v = value_at(s, i, key);
        if (!(w < 1))
            return INFINITY;
        for (size_t k = 0; k < s->columns; k++)
            squares += attend_square(s->got[i * s->columns + k], (s->out[i * s->columns + k] -
                                                                  s->factor[i] * w * (double)v[k]) /
                                                                     (s->not_divided ? 1 : 1 - w));
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

static attend_mistake keys_of(const char *name, size_t first, size_t end, int kind)
{
    return (attend_mistake){name, "", ATTEND_OF_KEYS, kind, {(double)first, (double)end, 0}};
}

static attend_mistake of_pages(const char *name, int kind, size_t a, size_t b, size_t page)
{
    return (attend_mistake){name, "", ATTEND_OF_PAGES, kind, {(double)a, (double)b, (double)page}};
}

/* Where several ranges leave about the same, the shortest comes first: pages beside it have no
 * weight. */
static double for_length(const page_sums *s, double squares, size_t pages)
{
    return (squares > s->noise ? squares : s->noise) * (1 + 0.01 * (double)pages);
}

/* Adds what keys first to end - 1 have of a row, as far as there are keys: to *weight, and to `sum`
 * of its columns. */
static void add_keys(const page_sums *s, size_t row, size_t first, size_t end, double sign,
                     double *weight, double *sum)
{
    for (size_t key = first; key < end && key < s->keys; key++) {
        double w = sign * s->of_key[row * s->keys + key];
        const float *v = value_at(s, row, key);
        *weight += w;
        for (size_t k = 0; k < s->columns && w != 0; k++)
            sum[k] += s->factor[row] * w * (double)v[k];
    }
}

/* Keys `from` to before `to` missing: whole pages, and the keys around them. */
static double squares_of_range(const page_sums *s, size_t from, size_t to)
{
    size_t a = (from + PAGE / 2) / PAGE, b = to == s->keys ? s->pages : (to + PAGE / 2) / PAGE;
    double squares = 0;
    if (from >= to || a > b)
        return INFINITY;
    for (size_t i = 0; i < s->rows; i++) {
        const double *w = s->weight + i * (s->pages + 1), *got = s->got + i * s->columns;
        const double *out = s->out + i * s->columns;
        double sum[CHANNELS * 2], weight = w[b] - w[a];
        for (size_t k = 0; k < s->columns; k++)
            sum[k] = sum_at(s, i, b)[k] - sum_at(s, i, a)[k];
        add_keys(s, i, from, a * PAGE, 1, &weight, sum);
        add_keys(s, i, a * PAGE, from, -1, &weight, sum);
        if (to < s->keys) {
            add_keys(s, i, b * PAGE, to, 1, &weight, sum);
            add_keys(s, i, to, b * PAGE, -1, &weight, sum);
        }
        double rest = s->not_divided ? 1 : 1 - weight;
        if (!(rest > 1e-9))
            return INFINITY;
        for (size_t k = 0; k < s->columns; k++)
            squares += attend_square(got[k], (out[k] - sum[k]) / rest);
    }
    return squares;
}

/* The range of keys around one of whole pages that leaves least, if that is clearly less. */
static void fit_range(const page_sums *s, double alike, attend_mistake *m)
{
    size_t at[2] = {(size_t)m->number[0], (size_t)m->number[1]};
    double least = squares_of_range(s, at[0], at[1]);
    const double whole = least > s->noise ? least : s->noise;
    for (int round = 0; round < 2; round++)
        for (int side = 0; side < 2; side++) {
            size_t low = at[side] > PAGE ? at[side] - PAGE : 0, nearest = at[side];
            for (size_t x = low; x <= low + 2 * PAGE && x <= s->keys; x++) {
                double squares = squares_of_range(s, side ? at[0] : x, side ? x : at[1]);
                if (squares < least) {
                    least = squares;
                    nearest = x;
                }
            }
            at[side] = nearest;
        }
    if (alike * least < whole) {
        m->number[0] = (double)at[0];
        m->number[1] = (double)at[1];
    }
}

size_t attend_propose_keys(attend_explaining *e, const attend_guess *base,
                           attend_mistake list[ATTEND_PROPOSED_MOST])
{
    page_sums s = page_sums_new(e, base);
    best keys = {.count = 0}, missing = {.count = 0}, repeated = {.count = 0},
         values = {.count = 0}, exchanged = {.count = 0}, zeros[3] = {{.count = 0}};
    static const char *const of_zeros[][2] = {
        {"keys-zero", "keys and values"}, {"k-zero", "keys"}, {"v-zero", "values of keys"}};
    double plain = squares_left(&s);
    size_t n = 0;
#define ENOUGH(b) ((b).count < KEPT ? plain : (b).squares[KEPT - 1])
#define KEEP(b, what, of)                                                                          \
    do {                                                                                           \
        double squares_ = (of);                                                                    \
        const attend_mistake what_ = (what);                                                       \
        if (squares_ < ENOUGH(b))                                                                  \
            keep(&(b), &what_, squares_);                                                          \
    } while (0)
    for (size_t key = 0; key < s.keys; key++) {
        attend_mistake one = keys_of("key-missing", key, 0, 3);
        one.text = "the same key is missing in every row";
        KEEP(keys, one, squares_without_key(&s, key, ENOUGH(keys)));
    }
    for (int of = 0; of < 3 && base->count == 0; of++)
        for (size_t a = 0; a < s.pages; a++)
            for (size_t b = a + 1; b <= s.pages; b++) {
                attend_mistake one = keys_of(of_zeros[of][0], a * PAGE,
                                             b == s.pages ? s.keys : b * PAGE, 4 + of);
                one.text = of_zeros[of][1];
                KEEP(zeros[of], one,
                     for_length(&s, squares_of_zeros(&s, a, b, 4 + of, ENOUGH(zeros[of])), b - a));
            }
    for (size_t a = 0; a < s.pages; a++)
        for (size_t b = a + 1; b <= s.pages; b++)
            KEEP(missing, keys_of("keys-missing", a * PAGE, b == s.pages ? s.keys : b * PAGE, 2),
                 for_length(&s, squares_of_pages(&s, a, b, 0, ENOUGH(missing)), b - a));
    for (size_t many = 1; many <= LARGEST / PAGE; many *= 2) {
        size_t page = many * PAGE, whole = s.keys / page;
        for (size_t a = 0; a < whole; a++)
            for (size_t b = 0; b < whole; b++) {
                if (a != b)
                    KEEP(repeated, of_pages("page-repeated", ATTEND_PAGE_REPEATED, a, b, page),
                         squares_of_pages(&s, a * many, b * many, many, ENOUGH(repeated)));
                if (a >= b)
                    continue;
                KEEP(values, of_pages("pages-exchanged", ATTEND_V_PAGES_EXCHANGED, a, b, page),
                     squares_of_exchange(&s, &(exchange){a, b, page, 0}, ENOUGH(values)));
                KEEP(exchanged, of_pages("pages-exchanged", ATTEND_K_PAGES_EXCHANGED, a, b, page),
                     squares_of_exchange(&s, &(exchange){a, b, page, 1}, ENOUGH(exchanged)));
            }
    }
#undef KEEP
#undef ENOUGH
    for (size_t i = 0; i < missing.count; i++)
        fit_range(&s, attend_alike(e), &missing.of[i]);
    const best *const all[] = {&keys,      &missing,  &repeated, &values,
                               &exchanged, &zeros[0], &zeros[1], &zeros[2]};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (size_t k = 0; k < all[i]->count; k++)
            list[n++] = all[i]->of[k];
    page_sums_free(&s);
    return n;
}
