/* SPDX-License-Identifier: MIT */
/* words.c -- the verdict about an output of attention, as text */
#include "diagnose/attend/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { BOUNDS = ATTEND_ERROR_BOUNDS };
static const attend_error_bound *const bounds = attend_error_bounds;

/* ---- a text that grows ----------------------------------------------------------------------- */

void attend_put(attend_text *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t length = (size_t)vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (w->used + length + 1 > w->room) {
        w->room = 2 * w->room + length + 1;
        w->text = search_reallocate(w->context, w->text, w->room, 1);
    }
    va_start(list, format);
    vsnprintf(w->text + w->used, length + 1, format, list);
    va_end(list);
    w->used += length;
}

/* ---- factors ----------------------------------------------------------------------------------
 */

void attend_factors_text(const attend_verdict *v, char *text, size_t size)
{
    if (v->scores_factor == 1) {
        snprintf(text, size, "the output is %.6g times the true value", v->factor);
        return;
    }
    int used = snprintf(text, size,
                        "the scores are %.4g times what they should be, as with a wrong scale of "
                        "keys, of queries or of scores",
                        v->scores_factor);
    if (v->factor != 1)
        snprintf(text + used, size - (size_t)used,
                 ", and the output is %.4g times the true value, as with a wrong scale of values",
                 v->factor);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* What the bound that was asked for is of: "f32 throughout", "the order fa3-fp8 tile=96". */
static void put_bound(attend_text *w, const char *before, const attend_question *asked)
{
    char text[SF8_ORDER_TEXT_SIZE];
    if (!asked->by_order) {
        attend_put(w, "%s%s", before, bounds[asked->by].name);
        return;
    }
    sf8_attend_order_write(asked->order, text, sizeof text);
    attend_put(w, "%sthe order %s", before, text);
}

static double of_bound(const attend_verdict *v, const attend_question *asked)
{
    return asked->by_order ? v->of_order : v->worst[asked->by];
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static const char *base_name(int base)
{
    static const char *const names[ATTEND_BASES] = {"base e", "base 2",
                                                    "converted from base 2 to base e twice"};
    return names[base];
}

/* Whether the logarithm alone is wrong. */
static int is_lse_alone(const attend_verdict *v)
{
    return !v->notes.lse && (v->notes.same || v->notes.bound);
}

/* What the logarithms are off by, and of which factor that is the logarithm. */
static void put_offset(attend_text *w, const attend_verdict *v)
{
    double factor = attend_factor_of(v->lse_offset, v->offset_base);
    attend_put(w, "%s, %s by %.4g in every row", base_name(v->offset_base),
               v->lse_offset > 0 ? "too large" : "too small", fabs(v->lse_offset));
    if (factor > 0)
        attend_put(w, ": the logarithm of %g, as if the sum of weights had this factor", factor);
    attend_put(w, v->offset_base == v->due ? "\n" : "; expected %s\n", base_name(v->due));
}

static void put_lse(attend_text *w, const attend_problem *r, const attend_verdict *v)
{
    size_t rows = r->queries * r->heads;
    int is_known = v->other_base >= 0 || v->lse_offset != 0;
    const char *kind = !is_lse_alone(v) ? "" : is_known ? "likely mistake: " : "unexplained: ";
    if (!v->notes.has_lse)
        return;
    attend_put(w, "%slse: ", kind);
    if (v->other_base >= 0)
        attend_put(w, "%s, expected %s\n", base_name(v->other_base), base_name(v->due));
    else if (v->lse_offset != 0)
        put_offset(w, v);
    else if (v->fits[v->due] == rows)
        attend_put(w, "%s\n", base_name(v->due));
    else if (v->notes.lse)
        attend_put(w, "%s, within the error bound; %zu of %zu rows are close\n", base_name(v->due),
                   v->fits[v->due], rows);
    else
        attend_put(w, "wrong; %zu of %zu rows fit base e, %zu base 2\n", v->fits[0], rows,
                   v->fits[1]);
}

/* The definition and the orders that an output equals. */
static void put_same(attend_text *w, const attend_verdict *v, const char *before)
{
    for (int sums = 0; sums < SF8_ATTEND_SUMS_COUNT; sums++)
        if (v->tried[sums] && v->same[sums] == v->words) {
            attend_put(w, "%sthe definition with --sums %s", before,
                       sf8_attend_sums_name((sf8_attend_sums)sums));
            before = " and ";
        }
    for (size_t i = 0; i < v->orders; i++) {
        const sf8_attend_order *o = v->order[i];
        char text[SF8_ORDER_TEXT_SIZE];
        sf8_attend_order_write(o, text, sizeof text);
        attend_put(w, "%sthe order %s", before, text);
        if (o->split == SF8_SPLIT_PREFIX)
            attend_put(w, " (a prefix of %zu keys)", v->cut[i]);
        else if (sf8_attend_order_counts(o))
            attend_put(w, " (%zu part%s)", v->cut[i], v->cut[i] == 1 ? "" : "s");
        before = " and ";
    }
    attend_put(w, "\n");
}

/* The changes that explain an output, and what they leave. */
static void put_change(attend_text *w, const attend_verdict *v)
{
    char factors[256];
    attend_factors_text(v, factors, sizeof factors);
    if (!v->change[0][0])
        attend_put(w, "%s\n", factors);
    else
        for (size_t i = 0; i < v->changes; i++)
            attend_put(w, "%s%s", v->change[i], i + 1 < v->changes ? "; or: " : "\n");
    attend_put(w, "with it corrected, the error is %.2g times as large", v->left);
    if (v->corrected < BOUNDS)
        attend_put(w, ", inside the error bound of: %s (%.3g of it)", bounds[v->corrected].name,
                   v->of_corrected);
    attend_put(w, "\n");
}

static void put_inside(attend_text *w, const attend_verdict *v, const attend_question *asked)
{
    if (asked->by_order && v->notes.bound) {
        put_bound(w, "inside the error bound of: ", asked);
        attend_put(w, " (%.3g of it)\n", v->of_order);
        return;
    }
    attend_put(w, "inside the error bound of: %s (%.3g of it)\n", bounds[v->inside].name,
               v->worst[v->inside]);
}

/* Whether a cache has numbers of 8 bits. */
static int has_bytes(const sf8_attend_cache *cache)
{
    return cache->recipe && sf8_format_bits(cache->recipe->element) == 8;
}

/* What to do with an output that nothing explains. A bound that is far wider than its errors is no
 * advice: the next mistake would lie in it as well. */
static void put_advice(attend_text *w, const attend_problem *r, const attend_verdict *v)
{
    int is_narrow = !has_bytes(&r->a.k) || !has_bytes(&r->a.v); /* no operands of FP8 units */
    if (v->inside < BOUNDS && v->is_usual && !(is_narrow && bounds[v->inside].operand >= 0x1p-4))
        attend_put(
            w, "if your kernel computes in this way (%s), give the bound %s, or better its order\n",
            bounds[v->inside].name, bounds[v->inside].word);
    if (!r->has_recipe)
        attend_put(w, "if the cache is FP8 or FP4, give its recipe\n");
}

/* The first lines: what the output is, and what to do. */
static void put_verdict(attend_text *w, const attend_problem *r, const attend_verdict *v,
                        const attend_question *asked)
{
    int is_note = attend_is_factor(v) && v->notes.bound;
    if (is_lse_alone(v))
        put_lse(w, r, v);
    if (v->changes && !is_note) {
        attend_put(w, "likely mistake: ");
        put_change(w, v);
    } else if (v->notes.same || v->notes.bound || v->is_changed) {
        int is_other = v->is_changed && (asked->order || v->loss || !v->notes.bound);
        attend_put(w, "%s: ",
                   is_other          ? "another order"
                   : is_lse_alone(v) ? "the output is as expected"
                                     : "as expected");
        if (v->notes.same || v->is_changed)
            put_same(w, v, "every bit equals ");
        else
            put_inside(w, v, asked);
        if (v->loss)
            attend_put(w, "likely mistake: %s\n", v->loss);
        if (v->is_noted)
            put_same(w, v, "note: its bits also equal ");
        if (is_note) {
            attend_put(w, "note: ");
            put_change(w, v);
        }
    } else {
        put_bound(w, "unexplained: outside the error bound of: ", asked);
        attend_put(w, " (%.3g times it), and no known single mistake explains the errors\n",
                   of_bound(v, asked));
        put_advice(w, r, v);
    }
}

/* ---- what it rests on ------------------------------------------------------------------------ */

static void put_bits(attend_text *w, const attend_problem *r, const attend_verdict *v)
{
    for (int sums = 0; sums < SF8_ATTEND_SUMS_COUNT; sums++)
        if (v->tried[sums])
            attend_put(w, "sums %-10s %zu of %zu values%s are equal\n",
                       sf8_attend_sums_name((sf8_attend_sums)sums), v->same[sums],
                       v->compared[sums], v->compared[sums] < v->words ? " tried" : "");
    if (!v->orders && v->nearest)
        attend_put(
            w,
            "no other stack's order; of the nearest, %s, %zu of the %zu values tried are equal\n",
            v->nearest->name, v->nearest_same, r->v.dim);
}

/* The bounds that the verdict does not name. */
static void put_bounds(attend_text *w, const attend_verdict *v, const attend_question *asked)
{
    int is_named = v->notes.bound && !v->notes.same && (!v->changes || attend_is_factor(v));
    if (!v->notes.bound && v->changes) {
        put_bound(w, "outside the error bound of: ", asked);
        attend_put(w, " (%.3g times it)\n", of_bound(v, asked));
    }
    if (v->inside < BOUNDS && !is_named)
        put_inside(w, v, asked);
}

static void put_row(attend_text *w, const attend_problem *r, const attend_worst *of)
{
    attend_put(w, "  query %zu head %zu: ", of->row / r->heads, of->row % r->heads);
    if (of->nans) {
        attend_put(w, "%zu of %zu channels are NaN, but no key that takes part gives NaN\n",
                   of->nans, r->v.dim);
        return;
    }
    if (isnan(of->right)) {
        attend_put(w, "the output hides a NaN: a key or value that takes part is NaN\n");
        return;
    }
    attend_put(w, "channel %zu is %.9g, the true value is %.9g; the error is %.3g times the bound",
               of->place, of->got, of->right, of->error);
    if (of->is_missing)
        attend_put(w, "; key %zu, of weight %.3g, seems to be missing", of->key, of->weight);
    attend_put(w, "\n");
}

/* Errors that lean to one side, and errors that are far smaller than a kernel's. */
static void put_notes(attend_text *w, const attend_notes *n)
{
    double mean, errors;
    if (attend_notes_lean(n, &mean, &errors))
        attend_put(w,
                   "the errors lean %s zero: by %.2g of a channel's spread on average, which is "
                   "%.3g standard errors\n",
                   mean < 0 ? "toward" : "away from", fabs(mean), errors);
    if (attend_notes_too_near(n))
        attend_put(w,
                   "no error is more than %.2g %% of that bound, and %zu of %zu values are the "
                   "true value, rounded: this may be a reference rather than a kernel's output, or "
                   "the bound is too wide to show a mistake\n",
                   100 * n->of_bound, n->rounded, n->words);
}

void attend_put_all(attend_text *w, const attend_problem *r, const attend_verdict *v,
                    const attend_question *asked)
{
    put_verdict(w, r, v, asked);
    if (v->zero_to)
        attend_put(
            w, "keys %zu to %zu of the request are zeros, as values too: was that page written?\n",
            v->zero_from, v->zero_to - 1);
    put_bits(w, r, v);
    put_bounds(w, v, asked);
    if (!is_lse_alone(v))
        put_lse(w, r, v);
    put_bound(w, "the worst rows, compared with the error bound of ", asked);
    attend_put(w, ":\n");
    for (size_t i = 0; i < v->rows; i++)
        put_row(w, r, &v->row[i]);
    put_notes(w, &v->notes);
}
