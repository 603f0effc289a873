/* SPDX-License-Identifier: MIT */
/* mistakes.c -- which of the mistakes of mistake_rows.h a request can have, and what they change
 *
 * To add one, add a row there. If it changes something that no row changes yet, it needs a field in
 * attend_change as well, and truth.c has to compute it.
 */
#include "diagnose/attend/mistake_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ways to round weights: what they are multiplied by before; by how much a maximum may be larger
 * and is not taken over; whether they are divided by their sum before. */
static const struct {
    const char *name, *text;
    int format;
    double factor, lag;
    int is_normalised;
} weights[] = {
    {"", "", ATTEND_BF16, 1, 0, 0},
    {"", "", ATTEND_F16, 1, 0, 0},
    {"", "", ATTEND_E4M3, 256, 0, 0},
    {"", "", ATTEND_E4M3, 448, 0, 0},
    {"", "", ATTEND_E4M3, 448, 0, 1},
    {"weights-e4m3", "weights rounded to e4m3 without a factor", ATTEND_E4M3, 1, 0, 0},
    {"weights-e4m3-16", "weights rounded to e4m3 with the factor 16", ATTEND_E4M3, 16, 0, 0},
    {"weights-e4m3-normalised",
     "weights divided by their sum before they are rounded to e4m3, without a factor", ATTEND_E4M3,
     1, 0, 1},
    {"weights-clip-lag-4", "weights clip at 448: the factor 256, and a maximum that lags by 2^4",
     ATTEND_E4M3, 256, 4, 0},
    {"weights-clip-lag-8", "weights clip at 448: the factor 256, and a maximum that lags by 2^8",
     ATTEND_E4M3, 256, 8, 0},
    {"weights-e5m2", "weights rounded to e5m2", ATTEND_E5M2, 1, 0, 0},
};

int attend_weights_at(size_t i, attend_mistake *one)
{
    if (i >= sizeof weights / sizeof weights[0])
        return 0;
    *one = (attend_mistake){weights[i].name, weights[i].text, ATTEND_OF_WEIGHTS, (int)i, {0, 0}};
    return 1;
}

const char *attend_loss_of_order(const sf8_attend_order *o)
{
    int is_normalised = o->end == SF8_END_WEIGHTS || o->end == SF8_END_NORMALISED;
    double factor = ldexp(o->weight_factor, o->offset);
    for (size_t i = 0; o->weight == SF8_WEIGHT_E4M3 && i < sizeof weights / sizeof weights[0]; i++)
        if (weights[i].text[0] && weights[i].format == ATTEND_E4M3 && weights[i].factor == factor &&
            weights[i].lag == o->rescale_after && weights[i].is_normalised == is_normalised)
            return weights[i].text;
    return o->out_e4m3 ? "the output is rounded to e4m3" : NULL;
}

/* ---- what a request can have ----------------------------------------------------------------- */

static double scale_of(const attend_kept *side)
{
    double s = (double)sf8_f32_from_bits(side->scale);
    return s != 0 ? s : 1;
}

/* Whether some scale of queries is another number than this. */
static int q_differs(const attend_problem *r, double x)
{
    for (size_t kv = 0; kv < r->kv_heads; kv++)
        if (attend_q_scale(r, kv) != x)
            return 1;
    return 0;
}

/* A number of keys, pages or a place; 0 for a factor below 1. */
static size_t whole(double x)
{
    return x > 0 ? (size_t)x : 0;
}

static int is_possible(const attend_problem *r, const attend_mistake *m)
{
    double k = scale_of(&r->k), v = scale_of(&r->v);
    int of_q = q_differs(r, 1), other_k = q_differs(r, k), other_v = q_differs(r, v);
    int has_k = r->k.scale != 0, has_v = r->v.scale != 0;
    size_t number = whole(m->number[0]);
    switch (m->field) {
    case ATTEND_OF_K_SCALE:
        return m->kind == 2 ? of_q && other_k && other_v : m->kind ? has_v && k != v : k != 1;
    case ATTEND_OF_V_SCALE:
        return m->kind == 2 ? of_q && other_k && other_v : m->kind ? has_k && k != v : v != 1;
    case ATTEND_OF_Q_SCALE:
        return of_q && (m->kind == 0   ? 1
                        : m->kind == 1 ? has_k && other_k
                                       : has_v && other_v && k != v);
    case ATTEND_OF_SCALES:
        return m->kind ? has_k && has_v && k != v : k != 1 && v != 1;
    case ATTEND_OF_QK_SCALES:
        return of_q && k != 1;
    case ATTEND_OF_ALL_SCALES:
        return of_q && k != 1 && v != 1;
    case ATTEND_OF_MASK:
        if (m->kind >= 4)
            return r->a.right < 0 && (m->kind == 4 ? r->queries > 1 : r->a.first != 0);
        return r->a.right >= 0 && (m->kind != 3 || r->a.first != 0);
    case ATTEND_OF_WINDOW:
        return r->a.left >= 0;
    case ATTEND_OF_CAP:
        return r->a.cap != 0;
    case ATTEND_OF_SINKS:
        return r->a.sinks != NULL;
    case ATTEND_OF_HEADS:
    case ATTEND_OF_K_HEADS:
    case ATTEND_OF_V_HEADS:
        return r->kv_heads >
                   (m->kind == ATTEND_LAST_HEAD || m->kind == ATTEND_NEIGHBOUR_HEAD ? 2 : 1) &&
               (m->kind != ATTEND_IN_TURN || r->heads > r->kv_heads) &&
               (m->kind != ATTEND_NEIGHBOUR_HEAD || r->kv_heads % 2 == 0);
    case ATTEND_OF_K_DIMS:
    case ATTEND_OF_V_DIMS: {
        int of_both = m->kind == ATTEND_WITHOUT_REST || m->kind == ATTEND_REST_ALONE;
        size_t dim = m->field == ATTEND_OF_K_DIMS ? r->k.dim : r->v.dim;
        return of_both ? r->k.dim > r->v.dim : dim % 2 == 0;
    }
    case ATTEND_OF_KEYS:
        return r->keys % number != 0 && r->keys > number;
    case ATTEND_OF_SIDES:
        return r->k.dim == r->v.dim;
    case ATTEND_OF_Q: /* codes are cast again, or what they were before is */
        return m->kind == 0 || number == 1 ? r->q_given && of_q : !r->q_given;
    case ATTEND_OF_ROWS:
        return m->kind == ATTEND_ROW_OF_NEXT_HEAD    ? r->heads > 1
               : m->kind == ATTEND_ROW_OF_NEXT_QUERY ? r->queries > 1
                                                     : r->heads > 1 && r->queries > 1;
    default:
        return 1;
    }
}

/* Other ways to store keys, values, or both. */
static size_t add_stores(const attend_problem *r, attend_mistake *list, size_t n)
{
    static const attend_field fields[] = {ATTEND_OF_K, ATTEND_OF_V, ATTEND_OF_KV};
    char k[ATTEND_STORES], v[ATTEND_STORES];
    const attend_store *way;
    attend_stores_of(r, &r->k, k);
    attend_stores_of(r, &r->v, v);
    for (size_t i = 1; (way = attend_store_at(i)) != NULL; i++) {
        const int has[] = {k[i], v[i], k[i] && v[i]};
        for (int of = 0; of < 3; of++)
            if (has[of])
                list[n++] = (attend_mistake){
                    way->name[of], way->text, fields[of], ATTEND_STORED + (int)i - 1, {0, 0}};
    }
    return n;
}

size_t attend_mistakes_of(const attend_problem *r, attend_mistake list[ATTEND_MISTAKES_MOST])
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
        if (is_possible(r, &mistakes[i]))
            list[n++] = mistakes[i];
    return add_stores(r, list, n);
}

int attend_is_rare(const attend_mistake *m)
{
    return (m->field & ATTEND_OF_KV) && m->kind >= ATTEND_STORED &&
           attend_store_at((size_t)m->kind - ATTEND_STORED + 1)->is_rare;
}

/* ---- what they change ------------------------------------------------------------------------ */

static void multiply(double *factor, double by)
{
    *factor = (*factor != 0 ? *factor : 1) * by;
}

static void change_scales(const attend_problem *r, attend_change *c, const attend_mistake *m)
{
    double k = scale_of(&r->k), v = scale_of(&r->v);
    if (m->field & ATTEND_OF_K_SCALE) {
        multiply(&c->scores, m->kind ? (m->kind == 2 ? 1 : v) / k : pow(k, m->number[0]));
        c->q_scores += m->kind == 2;
    }
    if (m->field & ATTEND_OF_V_SCALE) {
        multiply(&c->values, m->kind == 3 ? m->number[0]
                             : m->kind    ? (m->kind == 2 ? 1 : k) / v
                                          : pow(v, m->number[0]));
        c->q_values += m->kind == 2;
    }
    if (m->field & ATTEND_OF_Q_SCALE) {
        if (m->kind)
            multiply(&c->scores, m->kind == 2 ? v : k);
        c->q_scores += m->kind ? -1 : (int)m->number[0];
    }
}

static void change_scores(const attend_problem *r, attend_change *c, const attend_mistake *m)
{
    double scale = (double)sf8_f32_from_bits(r->a.scale);
    if (m->kind)
        c->no_scores = 1;
    else
        multiply(&c->scores, pow(scale, m->number[0]) * m->number[1]);
}

static void change_keys(attend_change *c, const attend_mistake *m)
{
    if (m->kind == 1) {
        c->multiple = (size_t)m->number[0];
        return;
    }
    if (m->kind >= 4) {
        c->zero_from = (size_t)m->number[0];
        c->zero_to = (size_t)m->number[1];
        c->zero_k = m->kind != 6;
        c->zero_v = m->kind != 5;
        return;
    }
    c->from = (size_t)m->number[0];
    c->to = m->kind == 3 ? c->from + 1 : (size_t)m->number[1];
}

static void change_elements(attend_change *c, const attend_mistake *m)
{
    int32_t *cast = m->field == ATTEND_OF_Q   ? &c->reads.cast_q
                    : m->field == ATTEND_OF_K ? &c->reads.cast_k
                                              : &c->cast_v;
    double *clip = m->field == ATTEND_OF_Q   ? &c->reads.clip_q
                   : m->field == ATTEND_OF_K ? &c->reads.clip_k
                                             : &c->clip_v;
    int is_stored = m->field != ATTEND_OF_Q && m->kind >= ATTEND_STORED;
    if (is_stored)
        *(m->field == ATTEND_OF_K ? &c->reads.stored_k : &c->stored_v) = m->kind - ATTEND_STORED +
                                                                         1;
    int is_uncast = m->field == ATTEND_OF_Q && m->kind == 0 && m->number[0] < 0;
    c->reads.q_given |= m->field == ATTEND_OF_Q && (is_uncast || (m->kind && m->number[0] > 0));
    if (is_stored)
        ; /* a claimed order rounds what is stored as well */
    else if (m->kind || is_uncast)
        *cast = m->kind;
    else
        *clip = m->number[0];
    if (!is_stored && (m->kind || is_uncast) && m->field != ATTEND_OF_Q) /* with scale 1 */
        *(m->field == ATTEND_OF_K ? &c->reads.scale_k : &c->scale_v) = 0;
}

static attend_head_map heads_of(const attend_mistake *m)
{
    return (attend_head_map){m->kind, (int32_t)m->number[0], (int32_t)m->number[1]};
}

static void change(const attend_problem *r, attend_change *c, const attend_mistake *m)
{
    attend_mistake one = *m;
    switch (m->field) {
    case ATTEND_OF_K_SCALE:
    case ATTEND_OF_V_SCALE:
    case ATTEND_OF_SCALES:
    case ATTEND_OF_Q_SCALE:
    case ATTEND_OF_QK_SCALES:
    case ATTEND_OF_ALL_SCALES:
        change_scales(r, c, m);
        break;
    case ATTEND_OF_SCORES:
    case ATTEND_OF_BASE:
        change_scores(r, c, m);
        break;
    case ATTEND_OF_MASK:
        c->no_mask = m->kind == 1;
        c->causal = (int64_t)m->number[0];
        c->mask_first = m->kind == 3;
        c->mask_added = m->kind > 3 ? m->kind - 3 : 0;
        break;
    case ATTEND_OF_WINDOW:
        c->no_window = m->kind == 1;
        c->window = m->kind == 2 ? (int64_t)m->number[0] : 0;
        c->own_window = m->kind == 3 ? (int64_t)m->number[0] + 1 : 0;
        break;
    case ATTEND_OF_CAP:
        c->no_cap = m->kind == 0;
        c->own_cap = m->kind == 1 ? m->number[0] : 0;
        break;
    case ATTEND_OF_SINKS:
        c->no_sinks = m->kind == 0;
        c->sinks_added = m->kind;
        c->sink = m->number[0];
        break;
    case ATTEND_OF_HEADS:
    case ATTEND_OF_K_HEADS:
    case ATTEND_OF_V_HEADS:
        if (m->field & ATTEND_OF_K_HEADS)
            c->reads.heads = heads_of(m);
        if (m->field & ATTEND_OF_V_HEADS)
            c->v_heads = heads_of(m);
        break;
    case ATTEND_OF_K_DIMS:
        c->reads.dims = m->kind;
        break;
    case ATTEND_OF_V_DIMS:
        c->v_dims = m->kind;
        break;
    case ATTEND_OF_KEYS:
        change_keys(c, m);
        break;
    case ATTEND_OF_PAGES:
        c->pages = m->kind;
        c->page = (size_t)m->number[2];
        c->first = (size_t)m->number[0];
        c->second = (size_t)m->number[1];
        break;
    case ATTEND_OF_SIDES:
        c->reads.values_as_keys = m->kind != 2;
        c->keys_as_values = m->kind != 1;
        break;
    case ATTEND_OF_Q:
    case ATTEND_OF_K:
    case ATTEND_OF_V:
        change_elements(c, m);
        break;
    case ATTEND_OF_KV:
        one.field = ATTEND_OF_K;
        change_elements(c, &one);
        one.field = ATTEND_OF_V;
        change_elements(c, &one);
        break;
    case ATTEND_OF_OUT:
        c->clip_out = m->kind == 0 ? m->number[0] : 0;
        c->cast_out = m->kind > 0 ? m->kind : 0;
        c->scale_out = m->kind > 0 ? m->number[0] : 0;
        c->raw_out = m->kind > 0 && m->number[1] != 0;
        c->not_divided = m->kind < 0;
        break;
    case ATTEND_OF_ROWS:
        c->rows = m->kind;
        break;
    case ATTEND_OF_WEIGHTS:
        c->weights = (attend_weights){.format = weights[m->kind].format,
                                      .tile = (size_t)m->number[0],
                                      .descends = m->number[1] != 0,
                                      .is_normalised = weights[m->kind].is_normalised,
                                      .factor = weights[m->kind].factor,
                                      .lag = weights[m->kind].lag};
        break;
    default:
        break;
    }
}

/* Whether two change the output alone, by a factor each: that of one cannot be told from that of
 * the other. Each row has its own sum of weights, so it takes several rows to tell it from a scale
 * with a name; from a factor without one nothing does. */
static int are_factors(const attend_problem *r, const attend_mistake *a, const attend_mistake *b)
{
    int is_sum = a->field == ATTEND_OF_OUT && a->kind < 0;
    return is_sum && b->field == ATTEND_OF_V_SCALE && (b->kind == 3 || r->queries * r->heads == 1);
}

int attend_guess_add(const attend_problem *r, attend_guess *guess, const attend_mistake *one)
{
    for (size_t i = 0; i < guess->count; i++)
        if ((guess->of[i].field & one->field) != 0 || are_factors(r, &guess->of[i], one) ||
            are_factors(r, one, &guess->of[i]))
            return 0;
    if (guess->count == ATTEND_TOGETHER)
        return 0;
    guess->of[guess->count++] = *one;
    change(r, &guess->change, one);
    return 1;
}

/* ---- in words -------------------------------------------------------------------------------- */

/* "keys clipped at" */
static int takes_number(const char *text)
{
    size_t n = strlen(text);
    return n > 3 && strcmp(text + n - 3, " at") == 0;
}

/* "the kernel follows fa3-fp8 offset=0" */
static int order_text(const attend_mistake *m, const sf8_attend_order *order, char *text,
                      size_t size)
{
    char words[SF8_ORDER_TEXT_SIZE];
    sf8_attend_order own;
    if (!order || !attend_order_changed(order, (size_t)m->number[0], &own) ||
        sf8_attend_order_write(&own, words, sizeof words) != SF8_OK)
        return 0;
    return snprintf(text, size, "the order %s", words);
}

static const char *side_name(attend_field field)
{
    return field == ATTEND_OF_K ? "keys" : field == ATTEND_OF_V ? "values" : "keys and values";
}

static size_t mistake_text(const attend_mistake *m, const sf8_attend_order *order, char *text,
                           size_t size)
{
    size_t first = whole(m->number[0]), second = whole(m->number[1]), page = whole(m->number[2]);
    int used;
    if (m->field & ATTEND_OF_KV && m->kind >= ATTEND_STORED)
        used = snprintf(text, size, "%s are %s", side_name(m->field), m->text);
    else if (m->field & ATTEND_OF_HEADS && m->kind >= ATTEND_HEADS_EXCHANGED)
        used = snprintf(text, size, "%s: head %zu %s head %zu", m->text, first,
                        m->kind == ATTEND_HEADS_EXCHANGED ? "and" : "is read as", second);
    else if (m->field == ATTEND_OF_ORDER)
        used = order_text(m, order, text, size);
    else if (m->field == ATTEND_OF_WEIGHTS && first > 0)
        used = snprintf(text, size, "%s, in tiles of %zu keys", m->text, first);
    else if (m->field == ATTEND_OF_KEYS && m->kind == 2)
        used = snprintf(text, size, "keys %zu to %zu missing", first, second - 1);
    else if (m->field == ATTEND_OF_PAGES && m->kind == ATTEND_PAGE_REPEATED)
        used = snprintf(
            text, size, "keys %zu to %zu read in place of keys %zu to %zu: a page of %zu keys",
            second * page, second * page + page - 1, first * page, first * page + page - 1, page);
    else if (m->field == ATTEND_OF_PAGES)
        used = snprintf(
            text, size, "keys or values of %zu to %zu and %zu to %zu exchanged: pages of %zu keys",
            first * page, first * page + page - 1, second * page, second * page + page - 1, page);
    else if (m->field == ATTEND_OF_V_SCALE && m->kind == 3)
        used = snprintf(text, size, "%s %.4g times the true value", m->text, m->number[0]);
    else if (m->field == ATTEND_OF_KEYS && m->kind == 3)
        used = snprintf(text, size, "%s: key %zu", m->text, first);
    else if (m->field == ATTEND_OF_OUT && m->kind > 0 && m->number[0] > 0)
        used = snprintf(text, size, "%s %.4g", m->text, m->number[0]);
    else if (m->field == ATTEND_OF_WINDOW && m->kind == 3 && m->number[1] < 0)
        used = snprintf(text, size, "%s %zu keys, which the request does not have", m->text, first);
    else if (m->field == ATTEND_OF_WINDOW && m->kind == 3)
        used = snprintf(text, size, "%s %zu keys, not %zu", m->text, first, second);
    else if (m->field == ATTEND_OF_CAP && m->kind == 1 && !(m->number[1] > 0))
        used = snprintf(text, size, "%s %.4g, which the request does not ask for", m->text,
                        m->number[0]);
    else if (m->field == ATTEND_OF_CAP && m->kind == 1)
        used = snprintf(text, size, "%s %.4g, not at %.4g", m->text, m->number[0], m->number[1]);
    else if (m->field == ATTEND_OF_SINKS && m->kind == 1)
        used = snprintf(text, size, "%s %.4g in each head, which the request does not have",
                        m->text, m->number[0]);
    else if (m->field == ATTEND_OF_KEYS && m->kind >= 4)
        used = snprintf(text, size, "%s %zu to %zu read as zeros, like a page that was not written",
                        m->text, first, second - 1);
    else if (takes_number(m->text))
        used = snprintf(text, size, "%s %.4g", m->text, m->number[0]);
    else
        used = snprintf(text, size, "%s", m->text);
    return used < 0 ? 0 : (size_t)used < size ? (size_t)used : size - 1;
}

void attend_guess_text(const attend_guess *guess, const sf8_attend_order *order,
                       char text[ATTEND_TEXT])
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < guess->count; i++) {
        if (i > 0 && used + 8 < ATTEND_TEXT)
            used += (size_t)snprintf(text + used, ATTEND_TEXT - used, "; and: ");
        used += mistake_text(&guess->of[i], order, text + used, ATTEND_TEXT - used);
    }
}
