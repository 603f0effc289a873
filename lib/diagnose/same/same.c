/* SPDX-License-Identifier: MIT */
/* same.c -- sf8_diagnose_same_attention: two outputs of one request, and where they part */
#include "diagnose/same/same.h"
#include "diagnose/attend/output.h"
#include "diagnose/diagnosis.h"
#include "diagnose/policy/identify.h"
#include "softfp8_diagnose.h"

#include <math.h>

/* ---- distances ------------------------------------------------------------------------------- */

/* How far the rows that differ are from their true value. */
typedef struct distances {
    size_t rows, nearer[2]; /* rows that count; those in which an output is the nearer one */
    double squares[2];      /* of errors */
    size_t values;
} distances;

static void take_distance(const attend_problem *p, const same_outputs *o, size_t row, attend_row *t,
                          distances *to)
{
    double squares[2] = {0, 0};
    const attend_change none = {.scores = 0};
    attend_judged_output right = {.r = p, .columns = o->channels};
    attend_true_row(&right, &none, row, t);
    for (int side = 0; side < 2; side++) {
        const attend_judged_output j = {.out = &o->of[side], .columns = o->channels};
        for (size_t c = 0; c < o->channels; c++) {
            double off = attend_got(&j, row, c) - t->out[c];
            squares[side] += off * off;
        }
    }
    if (!isfinite(squares[0]) || !isfinite(squares[1]))
        return;
    to->rows++;
    to->values += o->channels;
    for (int side = 0; side < 2; side++) {
        to->squares[side] += squares[side];
        to->nearer[side] += squares[side] < squares[1 - side];
    }
}

/* Which output is the nearer one: 0 or 1; or -1 if the rows do not say it clearly, by a sign test
 * of one in a thousand and by the sum of the squares. */
static int nearer_of(const distances *x)
{
    double a = (double)x->nearer[0], b = (double)x->nearer[1];
    int side = a > b ? 0 : 1;
    return a + b >= 12 && fabs(a - b) >= 3.3 * sqrt(a + b) &&
                   x->squares[side] < x->squares[1 - side]
               ? side
               : -1;
}

static int put_distances(attend_text *w, const attend_problem *p, const same_outputs *o,
                         const same_differences *d, double errors[2])
{
    static const char *const names[] = {"A", "B"};
    distances x = {0};
    attend_row t = attend_row_new(p);
    for (size_t row = 0; row < o->queries * o->heads; row++)
        if (d->row[row])
            take_distance(p, o, row, &t, &x);
    attend_row_free(&t);
    if (!x.rows)
        return -1;
    for (int side = 0; side < 2; side++)
        errors[side] = sqrt(x.squares[side] / (double)x.values);
    int nearer = nearer_of(&x);
    if (nearer >= 0)
        attend_put(w, "%s is nearer to the true value: in ", names[nearer]);
    else
        attend_put(w, "neither is clearly nearer to the true value: A in %zu and B in ",
                   x.nearer[0]);
    attend_put(w,
               "%zu of %zu rows that differ; the root mean square error is %.3g in A, %.3g in B\n",
               x.nearer[nearer >= 0 ? nearer : 1], x.rows, errors[0], errors[1]);
    return nearer;
}

/* ---- all ------------------------------------------------------------------------------------- */

static same_known known_of(const sf8_same_attention_results *r)
{
    const sf8_attend *a = r->request;
    if (a)
        return (same_known){1, a->left, a->right, a->first, (int64_t)a->keys};
    return (same_known){r->keys > 0, -1, 0, (int64_t)r->keys - (int64_t)r->queries,
                        (int64_t)r->keys};
}

static sf8_status check(const sf8_same_attention_results *r)
{
    const sf8_attend *a = r->request;
    int is_wide = identify_same_format(r->stored, SF8_F32) ||
                  identify_same_format(r->stored, SF8_F16) ||
                  identify_same_format(r->stored, SF8_BF16);
    if (!is_wide)
        return SF8_BAD_FORMAT;
    if (r->queries == 0 || r->heads == 0 || r->dim == 0 ||
        (!a && r->keys > 0 && r->keys < r->queries))
        return SF8_BAD_CALL;
    return !a || (a->queries == r->queries && a->heads == r->heads &&
                  (size_t)a->v.image.layout.dim == r->dim)
               ? SF8_OK
               : SF8_BAD_CALL;
}

/* The patterns that there are, each a text; how many. */
static size_t take_patterns(diagnosis_run *run, const same_outputs *o, const same_differences *d,
                            const same_known *k, same_pattern pattern[SAME_AXES], const char **list)
{
    size_t count = 0;
    for (int axis = 0; axis < SAME_AXES; axis++) {
        attend_text w = {.context = &run->context};
        pattern[axis] = same_pattern_of(d, axis);
        if (pattern[axis].shape == SAME_NONE)
            continue;
        same_put_pattern(&w, o, d, k, axis, &pattern[axis]);
        list[count++] = diagnosis_text(run, "%s", w.text);
    }
    return count;
}

static void tell_orders(diagnosis_run *run, const same_orders *f, sf8_same_attention_diagnosis *to)
{
    const char **orders[] = {&to->order_a, &to->order_b};
    for (int side = 0; side < 2; side++) {
        char text[2 * SF8_ORDER_TEXT_SIZE];
        if (!f->has[side])
            continue;
        same_order_text(&f->pair[0][side], f->pairs ? &f->pair[0][1 - side] : NULL, f->keys, text,
                        sizeof text);
        *orders[side] = diagnosis_text(run, "%s", text);
    }
}

static void search_request(diagnosis_run *run, const sf8_same_attention_results *r,
                           const attend_problem *p, const same_outputs *o,
                           const same_differences *d, attend_text *w,
                           sf8_same_attention_diagnosis *to)
{
    same_orders *found = search_allocate(&run->context, 1, sizeof *found);
    double errors[2] = {0, 0};
    same_find_orders(p, o, d, r->splits, found);
    same_put_orders(w, o, found);
    tell_orders(run, found, to);
    int nearer = put_distances(w, p, o, d, errors);
    to->nearer = nearer == 0 ? 'A' : nearer == 1 ? 'B' : 0;
    to->error_a = errors[0];
    to->error_b = errors[1];
}

static sf8_status search(diagnosis_run *run, const void *results, void *diagnosis)
{
    const sf8_same_attention_results *r = results;
    sf8_same_attention_diagnosis *to = diagnosis;
    const same_outputs o = {
        r->queries, r->heads, r->dim, {{r->stored, r->a, NULL}, {r->stored, r->b, NULL}}};
    const same_known k = known_of(r);
    attend_problem p;
    same_differences d;
    same_pattern pattern[SAME_AXES];
    attend_text w = {.context = &run->context};
    sf8_status status = check(r);
    if (status == SF8_OK && r->request)
        status = attend_problem_of(&run->context, r->request, &p);
    if (status != SF8_OK)
        return status;
    same_compare(&run->context, &o, &d);
    to->is_same = d.rows == 0;
    to->rows_differ = d.rows;
    to->values_differ = d.values;
    if (to->is_same) {
        attend_put(&w, "equal in every bit: %zu row%s of %zu value%s\n", o.queries * o.heads,
                   same_s(o.queries * o.heads), o.channels, same_s(o.channels));
    } else {
        const char **list = diagnosis_allocate(run, SAME_AXES, sizeof *list);
        to->first = d.first;
        to->first_keys = k.has_keys ? same_keys_of(&k, d.first / o.heads) : 0;
        to->ulps = d.ulps;
        to->relative = d.relative;
        to->patterns = list;
        to->pattern_count = take_patterns(run, &o, &d, &k, pattern, list);
        same_put_verdict(&w, &o, &d, &k, &pattern[SAME_QUERIES], list, to->pattern_count);
        same_put_first(&w, &o, &d, &k, pattern[SAME_QUERIES].shape == SAME_FROM);
        same_put_counts(&w, &o, &d);
        same_put_sizes(&w, &o, &d);
        if (r->request)
            search_request(run, r, &p, &o, &d, &w, to);
    }
    same_put_nans(&w, &d);
    to->message = diagnosis_text(run, "%.*s", (int)w.used - 1, w.text);
    return SF8_OK;
}

sf8_status sf8_diagnose_same_attention(const sf8_same_attention_results *results,
                                       sf8_same_attention_diagnosis **diagnosis)
{
    void *d;
    sf8_status status = diagnosis_make(
        diagnosis_limits(results->seconds, results->progress, results->user), search, results,
        sizeof **diagnosis, &d);
    *diagnosis = d;
    return status;
}

void sf8_same_attention_diagnosis_free(sf8_same_attention_diagnosis *diagnosis)
{
    diagnosis_free(diagnosis);
}
