/* SPDX-License-Identifier: MIT */
/* truth.c -- a row of attention in doubles, as it should be or with something otherwise */
#include "diagnose/attend/output.h"
#include "diagnose/attend/stores.h"

#include <math.h>
#include <string.h>

static const double ln2 = 0.6931471805599453;

/* ---- formats --------------------------------------------------------------------------------- */

attend_numbers attend_numbers_of(int format)
{
    static const attend_numbers of[] = {{53, -1022, INFINITY}, {4, -6, 448},     {3, -14, 57344},
                                        {8, -126, INFINITY},   {11, -14, 65504}, {4, -7, 240}};
    return of[format];
}

/* 2^exponent */
static double power_of_2(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The last place of a normal number. */
static inline double place_of(double x, attend_numbers n)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    return power_of_2((exponent < n.least ? n.least : exponent) - n.bits + 1);
}

/* Adding a number whose last place is that of the result rounds to it. */
static inline double rounded_to(double x, attend_numbers n)
{
    double much = place_of(x, n) * 0x1.8p52, rounded = (x + much) - much;
    if (!isfinite(x))
        return x;
    return rounded > n.most ? n.most : rounded < -n.most ? -n.most : rounded;
}

double attend_rounded(double x, int format)
{
    return format == ATTEND_AS_IT_IS ? x : rounded_to(x, attend_numbers_of(format));
}

double attend_last_place(double x, int format)
{
    return isfinite(x) && format != ATTEND_AS_IT_IS ? place_of(x, attend_numbers_of(format)) : 0;
}

static double clipped(double x, double most)
{
    return most > 0 ? (x > most ? most : x < -most ? -most : x) : x;
}

static double changed_element(double x, double clip, int cast, double scale)
{
    x = clipped(x, clip);
    return scale > 0 ? attend_rounded(x / scale, cast) * scale : attend_rounded(x, cast);
}

/* ---- products -------------------------------------------------------------------------------- */

static size_t kv_head(const attend_problem *r, const attend_head_map *map, size_t head)
{
    size_t kv = head / (r->heads / r->kv_heads);
    size_t first = (size_t)map->first, second = (size_t)map->second;
    switch (map->kind) {
    case ATTEND_IN_TURN:
        return head % r->kv_heads;
    case ATTEND_FIRST_HEAD:
        return 0;
    case ATTEND_NEXT_HEAD:
        return (kv + 1) % r->kv_heads;
    case ATTEND_LAST_HEAD:
        return (kv + r->kv_heads - 1) % r->kv_heads;
    case ATTEND_NEIGHBOUR_HEAD:
        return (kv ^ 1) < r->kv_heads ? kv ^ 1 : kv;
    case ATTEND_HEADS_EXCHANGED:
        return kv == first ? second : kv == second ? first : kv;
    case ATTEND_HEAD_REPLACED:
        return kv == first ? second : kv;
    default:
        return kv;
    }
}

/* The element of a head that is read for the d-th. */
static size_t element_at(size_t d, size_t dim, int dims)
{
    size_t half = dim / 2;
    switch (dims) {
    case ATTEND_HALVES_EXCHANGED:
        return (d + half) % dim;
    case ATTEND_PAIRS_AS_HALVES:
        return d < half ? 2 * d : 2 * (d - half) + 1;
    case ATTEND_HALVES_AS_PAIRS:
        return d % 2 * half + d / 2;
    default:
        return d;
    }
}

/* The elements from *first to before *end are used. */
static void elements_of(const attend_problem *r, size_t dim, int dims, size_t *first, size_t *end)
{
    *first = dims == ATTEND_SECOND_HALF ? dim / 2 : dims == ATTEND_REST_ALONE ? r->v.dim : 0;
    *end = dims == ATTEND_FIRST_HALF ? dim / 2 : dims == ATTEND_WITHOUT_REST ? r->v.dim : dim;
}

/* In eight sums. They end in memory, so that compilers keep them as vectors. */
enum { SUMS = 8 };

static double sum_of_eight(const double *sum)
{
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

#define DOT(name, type)                                                                            \
    static void name(const double *q, const type *k, size_t dim, double *sums, double *dot,        \
                     float *size)                                                                  \
    {                                                                                              \
        double sum[SUMS] = {0}, magnitude[SUMS] = {0};                                             \
        size_t d = 0;                                                                              \
        for (; d + SUMS <= dim; d += SUMS)                                                         \
            for (size_t i = 0; i < SUMS; i++) {                                                    \
                double x = q[d + i] * (double)k[d + i];                                            \
                sum[i] += x;                                                                       \
                magnitude[i] += fabs(x);                                                           \
            }                                                                                      \
        memcpy(sums, sum, sizeof sum);                                                             \
        memcpy(sums + SUMS, magnitude, sizeof magnitude);                                          \
        for (; d < dim; d++) {                                                                     \
            double x = q[d] * (double)k[d];                                                        \
            sums[0] += x;                                                                          \
            sums[SUMS] += fabs(x);                                                                 \
        }                                                                                          \
        *dot = sum_of_eight(sums);                                                                 \
        *size = (float)sum_of_eight(sums + SUMS);                                                  \
    }
DOT(dot_of, double)
DOT(dot_as_is, float)
#undef DOT

/* Elements with a clip and a cast. */
static void change_elements(const float *x, size_t dim, double clip, int cast, double scale,
                            double *to)
{
    const attend_numbers n = attend_numbers_of(cast);
    if (cast && scale > 0)
        for (size_t d = 0; d < dim; d++)
            to[d] = rounded_to(clipped((double)x[d], clip) / scale, n) * scale;
    else if (cast)
        for (size_t d = 0; d < dim; d++)
            to[d] = rounded_to(clipped((double)x[d], clip), n);
    else if (clip > 0)
        for (size_t d = 0; d < dim; d++)
            to[d] = clipped((double)x[d], clip);
    else
        for (size_t d = 0; d < dim; d++)
            to[d] = (double)x[d];
}

static void compute_dots(const attend_problem *r, const attend_change *c, size_t query, size_t head,
                         const attend_row *t, double *dot, float *size)
{
    const attend_reads *how = &c->reads;
    const attend_kept *side = how->values_as_keys ? &r->v : &r->k;
    size_t dim = r->k.dim, kv = kv_head(r, &how->heads, head), first, end;
    const attend_head keys = how->stored_k ? attend_head_of(r, &r->k, (size_t)how->stored_k, kv)
                                           : attend_head_of(r, side, 0, kv);
    int is_changed = how->clip_k > 0 || how->cast_k;
    const float *q = (how->q_given ? r->q_given : r->q) + (query * r->heads + head) * dim;
    elements_of(r, dim, how->dims, &first, &end);
    change_elements(q, dim, how->clip_q, how->cast_q, 0, t->own_q);
    if (how->dims) { /* queries are turned instead of keys, the other way round */
        memcpy(t->own_k, t->own_q, dim * sizeof *t->own_k);
        for (size_t d = 0; d < dim; d++)
            t->own_q[element_at(d, dim, how->dims)] = t->own_k[d];
    }
    for (size_t j = 0; j < r->keys; j++) {
        const float *k = keys.values + j * keys.step;
        if (is_changed) {
            change_elements(k, dim, how->clip_k, how->cast_k, how->scale_k, t->own_k);
            dot_of(t->own_q + first, t->own_k + first, end - first, t->sums, &dot[j], &size[j]);
        } else {
            dot_as_is(t->own_q + first, k + first, end - first, t->sums, &dot[j], &size[j]);
        }
    }
}

/* Those of a row: kept with it, or computed in place of the older ones there. */
static const attend_row_dots *row_dots(const attend_judged_output *j, const attend_change *c,
                                       size_t query, size_t head, attend_row *t)
{
    size_t row = query * j->r->heads + head;
    attend_row_dots *of = t->kept.of + row % t->kept.places * 2;
    int has[2];
    for (int i = 0; i < 2; i++)
        has[i] = of[i].row == row + 1 && memcmp(&of[i].reads, &c->reads, sizeof c->reads) == 0;
    if (has[0])
        return of;
    const attend_row_dots newer = of[1];
    of[1] = of[0];
    of[0] = newer;
    if (has[1])
        return of;
    of->row = row + 1;
    of->reads = c->reads;
    compute_dots(j->r, c, query, head, t, of->dot, of->size);
    return of;
}

/* The products of a row, kept or computed. */
static const double *dots_of(attend_judged_output *j, const attend_change *c, size_t query,
                             size_t head, attend_row *t, const float **size)
{
    attend_dots *kept = &j->right;
    size_t row = query * j->r->heads + head, at = row * j->r->keys;
    if (!kept->dot || memcmp(&c->reads, &kept->reads, sizeof c->reads) != 0) {
        const attend_row_dots *one = row_dots(j, c, query, head, t);
        *size = one->size;
        return one->dot;
    }
    if (!kept->has[row])
        compute_dots(j->r, c, query, head, t, kept->dot + at, kept->size + at);
    kept->has[row] = 1;
    *size = kept->size + at;
    return kept->dot + at;
}

/* ---- scores ---------------------------------------------------------------------------------- */

/* The keys from `from` to before `to`, without those from `skip` to before `end`. */
typedef struct taking {
    size_t from, to, skip, end;
} taking;

static size_t key_between(int64_t p, size_t keys)
{
    return p < 0 ? 0 : (uint64_t)p > keys ? keys : (size_t)p;
}

static taking taking_of(const attend_problem *r, const attend_change *c, size_t query)
{
    int64_t position = (c->mask_first ? 0 : r->a.first) + (int64_t)query;
    taking k = {0, r->keys, c->to ? c->from : 0, c->to};
    if (r->a.right >= 0 && !c->no_mask)
        k.to = key_between(position + r->a.right + c->causal + 1, r->keys);
    if (c->mask_added) {
        size_t to = key_between((c->mask_added == 2 ? 0 : r->a.first) + (int64_t)query + 1,
                                r->keys);
        k.to = to < k.to ? to : k.to;
    }
    if (c->own_window)
        k.from = key_between(r->a.first + (int64_t)query - c->own_window + 1, r->keys);
    else if (r->a.left >= 0 && !c->no_window)
        k.from = key_between(r->a.first + (int64_t)query - r->a.left - c->window, r->keys);
    if (c->multiple && k.to > r->keys - r->keys % c->multiple)
        k.to = r->keys - r->keys % c->multiple;
    k.from = k.from < k.to ? k.from : k.to;
    return k;
}

/* The key that is read for key j. */
static size_t read_key(const attend_change *c, size_t j, int is_value)
{
    size_t page = c->page ? j / c->page : 0, at = c->page ? j % c->page : 0;
    if (c->pages == ATTEND_PAGE_REPEATED && page == c->first)
        return c->second * c->page + at;
    if (c->pages == (is_value ? ATTEND_V_PAGES_EXCHANGED : ATTEND_K_PAGES_EXCHANGED) &&
        (page == c->first || page == c->second))
        return (page == c->first ? c->second : c->first) * c->page + at;
    return j;
}

/* A power of the scale of the queries of a head. */
static double q_power(const attend_problem *r, size_t head, int power)
{
    return power ? pow(attend_q_scale(r, head / (r->heads / r->kv_heads)), power) : 1;
}

/* Scores to t->weight, which is -infinity for keys that take no part; the largest, and that of the
 * sink. */
static double scores_of(attend_judged_output *j, const attend_change *c, size_t query, size_t head,
                        taking k, attend_row *t)
{
    const attend_problem *r = j->r;
    const float *size;
    const double *dot = dots_of(j, c, query, head, t, &size);
    double scale = (double)sf8_f32_from_bits(r->a.scale) * (c->scores != 0 ? c->scores : 1) *
                   q_power(r, head, c->q_scores);
    double cap = c->no_cap ? 0 : c->own_cap > 0 ? c->own_cap : (double)sf8_f32_from_bits(r->a.cap);
    double most = -INFINITY;
    if (c->no_scores)
        scale = 0;
    t->taking = 0;
    t->most = 0;
    for (size_t i = 0; i < r->keys; i++) {
        t->weight[i] = -INFINITY;
        if (i < k.from || i >= k.to || (i >= k.skip && i < k.end))
            continue;
        size_t at = c->pages ? read_key(c, i, 0) : i;
        double x = dot[at] * scale, magnitude = (double)size[at] * fabs(scale);
        if (c->zero_k && i >= c->zero_from && i < c->zero_to)
            x = magnitude = 0;
        x = cap > 0 ? cap * tanh(x / cap) : x;
        t->weight[i] = x;
        t->most = magnitude > t->most ? magnitude : t->most;
        most = x > most || isnan(x) ? x : most;
        t->taking++;
    }
    return most;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* How a weight p that is off by a standard deviation is rounded: to the other side of a tie with
 * some probability. */
static void slack_of(attend_row *t, size_t k, double p, double deviation, int format, double unit)
{
    const double root2 = 1.4142135623730951, rare = 1e-6;
    attend_numbers n = attend_numbers_of(format);
    double place = p > 0 ? place_of(p, n) : 0, at = p / place;
    t->slack[k] = deviation * unit;
    t->flip[k] = 0;
    if (format == ATTEND_AS_IT_IS || !(p > 0) || deviation > place)
        return;
    double chance = erfc(fabs(at - floor(at) - 0.5) * place / (deviation * root2)) / 2;
    if (p > n.most)
        chance = 0;
    t->slack[k] = sqrt(chance) * place * unit;
    t->flip[k] = chance > rare ? place * unit : 0;
}

/* The weights of one tile, with the maximum of those so far; returns that. */
static double round_tile(const attend_weights *w, size_t first, size_t end, double so_far,
                         double most, double sum, double magnitude, attend_row *t)
{
    double here = so_far;
    for (size_t k = first; k < end; k++)
        here = t->weight[k] > here ? t->weight[k] : here;
    so_far = here - so_far <= w->lag * ln2 ? so_far : here;
    double back = exp(so_far - most), factor = w->factor > 0 ? w->factor : 1;
    factor /= w->is_normalised ? sum : 1;
    for (size_t k = first; k < end; k++) {
        double x = t->weight[k], p = isinf(x) ? 0 : exp(x - so_far) * factor;
        t->room[k] = attend_rounded(p, w->format) / factor * back;
        if (!t->noise)
            continue;
        double size = fabs(x) > magnitude ? fabs(x) : magnitude;
        double deviation = isinf(x) ? 0 : 1.5 * t->noise->score * size + t->noise->weight;
        slack_of(t, k, p, p * deviation, w->format, back / factor);
        t->sum_slack += isinf(x)
                            ? 0
                            : (p / factor * back * deviation) * (p / factor * back * deviation);
    }
    return so_far;
}

/* Scores to weights as they are rounded, part for part and tile for tile. `most` is the largest,
 * and the keys that take part end before `to`. */
static void round_weights(const attend_problem *r, const attend_weights *w, double most, double sum,
                          size_t to, attend_row *t)
{
    size_t tile = w->tile && !w->is_normalised ? w->tile : r->keys + 1, part = r->keys + 1;
    double magnitude = 8 * t->most / (double)r->k.dim;
    if (w->parts > 1)
        part = ((to + tile - 1) / tile + w->parts - 1) / w->parts * tile;
    else if (w->part)
        part = w->part;
    t->sum_slack = 0;
    for (size_t from = 0, next; from < r->keys; from = next) {
        size_t last = from + part < r->keys ? from + part : r->keys;
        size_t tiles = (last - from + tile - 1) / tile;
        double so_far = -INFINITY;
        for (size_t i = 0; i < tiles; i++) {
            size_t first = from + (w->descends ? tiles - 1 - i : i) * tile;
            size_t end = first + tile < last ? first + tile : last;
            so_far = round_tile(w, first, end, so_far, most, sum, magnitude, t);
        }
        next = last;
        part = w->has_prefix ? r->keys : part;
    }
    t->sum_slack = sqrt(t->sum_slack) / sum;
    memcpy(t->weight, t->room, r->keys * sizeof *t->weight);
}

/* Scores to weights that are not yet divided; their sum. */
static double weights_of(const attend_problem *r, const attend_change *c, size_t head, double most,
                         size_t to, attend_row *t)
{
    double sink = -INFINITY, sum = 0;
    if (r->a.sinks && !c->no_sinks)
        sink = (double)sf8_f32_from_bits(r->a.sinks[head]);
    else if (c->sinks_added)
        sink = c->sinks_added == 2 ? r->own_sinks[head] : c->sink;
    most = sink > most ? sink : most;
    int is_rounded = c->weights.format != ATTEND_AS_IT_IS || t->noise;
    for (size_t i = 0; i < r->keys; i++) {
        double w = isinf(t->weight[i]) ? 0 : exp(t->weight[i] - most);
        sum += w;
        if (!is_rounded)
            t->weight[i] = w;
    }
    if (!isinf(sink))
        sum += exp(sink - most);
    t->lse = sum == 0 ? -INFINITY : most + log(sum);
    t->largest = 1 / sum;
    if (!is_rounded)
        return sum;
    round_weights(r, &c->weights, most, sum, to, t);
    if (c->weights.sum_rounded) {
        sum = isinf(sink) ? 0 : exp(sink - most);
        for (size_t i = 0; i < r->keys; i++)
            sum += t->weight[i];
    }
    return sum;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Values that are added: of some keys, in a few channels at a time, whose sums stay in registers;
 * and keys at a time that stay near. */
enum { TOGETHER = 8, NEAR = 32 };

/* Weights times values. */
static void add_plain(const double *w, const float *v, size_t step, size_t keys, size_t columns,
                      double *out)
{
    size_t i = 0;
    for (; i + TOGETHER <= columns; i += TOGETHER) {
        double sum[TOGETHER];
        memcpy(sum, out + i, sizeof sum);
        for (size_t j = 0; j < keys; j++)
            for (size_t n = 0; n < TOGETHER; n++)
                sum[n] += w[j] * (double)v[j * step + i + n];
        memcpy(out + i, sum, sizeof sum);
    }
    for (; i < columns; i++)
        for (size_t j = 0; j < keys; j++)
            out[i] += w[j] * (double)v[j * step + i];
}

/* The same, with all that is measured. */
static void add_measured(const double *w, const float *v, size_t step, size_t keys, size_t columns,
                         attend_channels of, attend_row *t)
{
    double *out = t->out + of.first, *spread = t->spread + of.first, *lost = t->lost + of.first;
    double power[TOGETHER] = {0};
    size_t i = 0;
    for (; i + TOGETHER <= columns; i += TOGETHER) {
        double sum[TOGETHER], size[TOGETHER], all[TOGETHER];
        memcpy(sum, out + i, sizeof sum);
        memcpy(size, spread + i, sizeof size);
        memcpy(all, lost + i, sizeof all);
        for (size_t j = 0; j < keys; j++)
            for (size_t n = 0; n < TOGETHER; n++) {
                double one = (double)v[j * step + i + n], x = w[j] * one;
                sum[n] += x;
                size[n] += fabs(x);
                all[n] += t->largest * fabs(one);
                power[n] += x * x;
            }
        memcpy(out + i, sum, sizeof sum);
        memcpy(spread + i, size, sizeof size);
        memcpy(lost + i, all, sizeof all);
    }
    for (; i < columns; i++)
        for (size_t j = 0; j < keys; j++) {
            double one = (double)v[j * step + i], x = w[j] * one;
            out[i] += x;
            spread[i] += fabs(x);
            lost[i] += t->largest * fabs(one);
            power[0] += x * x;
        }
    for (size_t n = 0; n < TOGETHER; n++)
        t->power += power[n];
}

/* Divides the weights of keys first to end - 1. */
static void divide_weights(size_t first, size_t end, double sum, attend_row *t)
{
    for (size_t j = first; j < end; j++)
        t->weight[j] /= sum;
    for (size_t j = first; j < end && t->noise; j++) {
        t->slack[j] /= sum;
        t->flip[j] /= sum;
    }
}

/* The elements of a value as they are changed, to t->own_v. */
static void change_value(const attend_problem *r, const attend_change *c, const float *row,
                         attend_channels of, attend_row *t)
{
    size_t used, unused;
    if (!c->v_dims && (c->cast_v || !(c->scale_v > 0))) {
        change_elements(row + of.first, of.count, c->clip_v, c->cast_v, c->scale_v, t->own_v);
        return;
    }
    elements_of(r, r->v.dim, c->v_dims, &used, &unused);
    for (size_t i = 0; i < of.count; i++) {
        size_t d = of.first + i;
        double x = d < used || d >= unused ? 0 : (double)row[element_at(d, r->v.dim, c->v_dims)];
        t->own_v[i] = changed_element(x, c->clip_v, c->cast_v, c->scale_v);
    }
}

/* A value that is changed. What is lost is that of the value as it is. */
static void add_changed(double w, const float *v, attend_channels of, attend_row *t)
{
    double *out = t->out + of.first, *spread = t->spread + of.first, *lost = t->lost + of.first;
    for (size_t i = 0; i < of.count; i++)
        out[i] += w * t->own_v[i];
    for (size_t i = 0; i < of.count && t->measures; i++) {
        double x = w * t->own_v[i];
        spread[i] += fabs(x);
        lost[i] += t->largest * fabs((double)v[i]);
        t->power += x * x;
    }
}

/* Adds keys first to end - 1. */
static void add_values(const attend_problem *r, const attend_change *c, size_t kv, size_t first,
                       size_t end, double sum, attend_channels of, attend_row *t)
{
    const attend_head head = c->stored_v         ? attend_head_of(r, &r->v, (size_t)c->stored_v, kv)
                             : c->keys_as_values ? attend_head_of(r, &r->k, 0, kv)
                                                 : attend_head_of(r, &r->v, 0, kv);
    int is_changed = c->clip_v > 0 || c->cast_v || c->v_dims;
    int is_single = is_changed || c->pages || c->zero_v;
    divide_weights(first, end, sum, t);
    for (size_t j = first, next; j < end; j = next) {
        next = is_single ? j + 1 : j + NEAR < end ? j + NEAR : end;
        const float *row = head.values + (c->pages ? read_key(c, j, 1) : j) * head.step;
        if (c->zero_v && j >= c->zero_from && j < c->zero_to)
            continue;
        if (is_changed) {
            change_value(r, c, row, of, t);
            add_changed(t->weight[j], row + of.first, of, t);
        } else if (t->measures) {
            add_measured(t->weight + j, row + of.first, head.step, next - j, of.count, of, t);
        } else {
            add_plain(t->weight + j, row + of.first, head.step, next - j, of.count,
                      t->out + of.first);
        }
    }
}

static void row_of(const attend_judged_output *j, const attend_change *c, size_t row, size_t *query,
                   size_t *head)
{
    const attend_problem *r = j->r;
    *query = row / r->heads;
    *head = row % r->heads;
    switch (c->rows) {
    case ATTEND_ROW_OF_NEXT_HEAD:
        *head = (*head + 1) % r->heads;
        break;
    case ATTEND_ROW_OF_NEXT_QUERY:
        *query = (*query + 1) % r->queries;
        break;
    case ATTEND_TRANSPOSED:
        *query = row % r->queries;
        *head = row / r->queries;
        break;
    default:
        break;
    }
}

const attend_kept *attend_values_of(const attend_judged_output *j, const attend_change *c,
                                    size_t row, size_t *kv)
{
    size_t query, head;
    row_of(j, c, row, &query, &head);
    *kv = kv_head(j->r, &c->v_heads, head);
    return c->keys_as_values ? &j->r->k : &j->r->v;
}

/* Whether all values are numbers of a format times a scale, up to `off` of them; *scale becomes the
 * one that fits best. */
static int is_all_times(const attend_judged_output *j, int format, double *scale, double off,
                        size_t enough)
{
    size_t others = 0;
    double both = 0, squares = 0;
    for (size_t row = 0; row < j->rows; row++)
        for (size_t c = 0; c < j->columns; c++) {
            double x = attend_got(j, row, c), code = attend_rounded(x / *scale, format);
            if (!(fabs(code * *scale - x) <= off * fabs(x)))
                return 0;
            others += x != 0;
            both += code * x;
            squares += code * code;
        }
    if (others < enough)
        return 0;
    *scale = off > 0 ? both / squares : *scale;
    return 1;
}

int attend_is_all(const attend_judged_output *j, int format)
{
    enum { ENOUGH = 12 };
    double one = 1;
    return is_all_times(j, format, &one, 0, ENOUGH);
}

/* The largest value is 8 to 15 times a power of two, as a number of e4m3. The scale is one that has
 * it at 448, as a scale of the largest magnitude does; else the largest that will do. */
double attend_scale_of_all(const attend_judged_output *j)
{
    enum { ENOUGH = 48, LEAST = -9, MOST = 5 };
    double most = 0, off = ldexp(1, -j->out->format.man_bits);
    off = off > 0x1p-20 ? off : 0x1p-20;
    for (size_t row = 0; row < j->rows; row++)
        for (size_t c = 0; c < j->columns; c++)
            most = fmax(most, fabs(attend_got(j, row, c)));
    for (int m = 15; m >= 8 && isfinite(most) && most > 0; m--)
        for (int k = m == 14 ? MOST : LEAST; k <= MOST; k++) {
            double scale = most / ldexp(m, k);
            if (m * (1 << (k > 0 ? k : 0)) <= 448 &&
                is_all_times(j, ATTEND_E4M3, &scale, off, ENOUGH))
                return scale;
        }
    return 0;
}

void attend_true_channels(attend_judged_output *j, const attend_change *c, size_t row,
                          attend_channels of, attend_row *t)
{
    const attend_problem *r = j->r;
    size_t end = of.first + of.count, query, head;
    row_of(j, c, row, &query, &head);
    taking k = taking_of(r, c, query);
    double most = scores_of(j, c, query, head, k, t);
    double sum = weights_of(r, c, head, most, k.to, t);
    memset(t->out + of.first, 0, of.count * sizeof *t->out);
    memset(t->spread + of.first, 0, of.count * sizeof *t->spread);
    memset(t->lost + of.first, 0, of.count * sizeof *t->lost);
    t->power = 0;
    size_t kv = kv_head(r, &c->v_heads, head);
    size_t skip = k.skip < k.from ? k.from : k.skip < k.to ? k.skip : k.to;
    size_t again = k.end < skip ? skip : k.end < k.to ? k.end : k.to;
    add_values(r, c, kv, k.from, skip, sum, of, t);
    add_values(r, c, kv, again, k.to, sum, of, t);
    double factor = (c->values != 0 ? c->values : 1) * (c->not_divided ? sum : 1) *
                    q_power(r, head, c->q_values);
    for (size_t i = of.first; i < end && factor != 1; i++) {
        t->out[i] *= factor;
        t->spread[i] *= fabs(factor);
        t->lost[i] *= fabs(factor);
    }
    t->power *= factor * factor;
    for (size_t i = of.first; i < end && (c->clip_out > 0 || c->cast_out); i++)
        t->out[i] = changed_element(t->out[i], c->clip_out, c->cast_out, c->scale_out);
    for (size_t i = of.first; i < end && c->raw_out; i++) {
        t->out[i] /= c->scale_out;
        t->spread[i] /= c->scale_out;
        t->lost[i] /= c->scale_out;
    }
    t->power /= c->raw_out ? c->scale_out * c->scale_out : 1;
    t->factor = fabs(c->raw_out ? factor / c->scale_out : factor);
}

void attend_true_row(attend_judged_output *j, const attend_change *c, size_t row, attend_row *t)
{
    attend_true_channels(j, c, row, (attend_channels){0, j->columns}, t);
}
