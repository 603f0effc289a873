/* SPDX-License-Identifier: MIT */
/* judge.c -- another kernel's output, read and judged: the verdict as text */
#include "attend/attend.h"
#include "cli/text_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BOUNDS = ATTEND_ERROR_BOUNDS };
static const attend_error_bound *const bounds = attend_error_bounds;
const char *const attend_bounds[BOUNDS + 2] = {"f32",     "f16",     "bf16", "bf16-parts",
                                               "fp8-two", "fp8-one", "any",  NULL};

/* Without a word the bound of the output's format, or a narrower one. */
static attend_question question_of(const attend_judged *what, sf8_format out)
{
    attend_question asked = what->asked;
    if (!what->has_by) {
        asked.wider = 1;
        asked.by = (size_t)(sf8_format_bits(out) == 32 ? 0 : out.man_bits == 10 ? 1 : 2);
    } else if (asked.by == BOUNDS) {
        asked.wider = 1;
        asked.by = BOUNDS - 1;
    }
    return asked;
}

static void read_judged(const attend_request *r, const attend_judged *what, tensor *out,
                        tensor *lse)
{
    size_t rows = r->queries * r->heads, columns = r->v.dim;
    memset(lse, 0, sizeof *lse);
    *out = tensor_read(what->out, what->from, (tensor_shape){0, 0});
    if (out->dimensions == 3 && (out->axis[0] != r->queries || out->axis[1] != r->heads))
        fail_at(input_name(what->out), 0,
                "the shape is (%zu, %zu, %zu); expected (%zu, %zu, %zu): queries, heads, elements",
                out->axis[0], out->axis[1], out->axis[2], r->queries, r->heads, columns);
    if (out->shape.rows != rows || out->shape.columns != columns)
        fail_at(input_name(what->out), 0, "%zu rows of %zu; expected %zu of %zu, as in the request",
                out->shape.rows, out->shape.columns, rows, columns);
    if (!what->lse)
        return;
    *lse = tensor_read(what->lse, NULL, (tensor_shape){0, 0});
    if (lse->shape.rows * lse->shape.columns != rows || sf8_format_bits(lse->format) != 32)
        fail_at(input_name(what->lse), 0, "expected %zu f32 values, one for each row", rows);
}

/* ---- what is said ---------------------------------------------------------------------------- */

static void say_bits(const attend_verdict *v)
{
    text_table *table = text_table_new("sums %-10s %s");
    for (int sums = 0; sums < SF8_ATTEND_SUMS_COUNT; sums++)
        if (v->tried[sums])
            text_table_row(table, "%s\t%zu of %zu values are equal%s",
                           sf8_attend_sums_name((sf8_attend_sums)sums), v->same[sums], v->words,
                           v->same[sums] == v->words ? ": the output follows this definition" : "");
    text_table_print(table, stdout);
}

static void say_orders(const attend_request *r, const attend_verdict *v)
{
    for (size_t i = 0; i < v->orders; i++) {
        const sf8_attend_order *o = v->order[i];
        printf("order %s", o->name);
        if (o->split == SF8_SPLIT_PREFIX)
            printf(", a prefix of %zu keys", v->cut[i]);
        else if (o->split == SF8_SPLIT_COUNT)
            printf(", %zu part%s", v->cut[i], v->cut[i] == 1 ? "" : "s");
        printf(": %zu of %zu values are equal: the output equals this order in every bit\n",
               v->words, v->words);
    }
    if (!v->orders && v->nearest)
        printf(
            "no other stack's order; of the nearest, %s, %zu of the %zu values tried are equal\n",
            v->nearest->name, v->nearest_same, r->v.dim);
}

static void say_bound(const attend_verdict *v, const attend_question *asked)
{
    if (!v->notes.bound)
        printf("outside the error bound of: %s (%.3g times it)\n", bounds[asked->by].name,
               v->worst[asked->by]);
    if (v->inside < BOUNDS)
        printf("inside the error bound of: %s (%.3g of it)\n", bounds[v->inside].name,
               v->worst[v->inside]);
    if (!v->notes.bound && v->inside < BOUNDS && !(v->change && v->change[0]))
        printf("if your kernel works this way, add --by %s\n", bounds[v->inside].word);
}

static void say_lse(const attend_request *r, const attend_verdict *v)
{
    static const char *const bases[ATTEND_BASES] = {"base e", "base 2",
                                                    "converted from base 2 to base e twice"};
    size_t rows = r->queries * r->heads;
    if (!v->notes.has_lse)
        return;
    if (v->other_base >= 0)
        printf("lse: %s, expected %s\n", bases[v->other_base], bases[v->due]);
    else if (v->fits[v->due] == rows)
        printf("lse: %s\n", bases[v->due]);
    else
        printf("lse: wrong; %zu of %zu rows fit base e, %zu base 2\n", v->fits[0], rows,
               v->fits[1]);
}

static void say_change(const attend_verdict *v, int has_recipe)
{
    if (!v->has_changes)
        return;
    if (!v->change) {
        if (!v->notes.bound)
            printf("no known single mistake explains the errors%s\n",
                   has_recipe ? "" : "; if the cache is FP8 or FP4, add --recipe");
        return;
    }
    if (v->change == attend_scores_change)
        printf("likely mistake: the scores are %.4g times what they should be, as by a scale of "
               "keys, or of scores, that is too large by this factor",
               v->scores_factor);
    else if (v->change[0])
        printf("likely mistake: %s", v->change);
    else
        printf("%sthe output is %.6g times the true value",
               v->notes.bound ? "note: " : "likely mistake: ", v->factor);
    printf("; with it corrected, the error is %.2g times as large\n", v->left);
}

static void say_row(const attend_request *r, const attend_worst *w)
{
    printf("  query %zu head %zu: ", w->row / r->heads, w->row % r->heads);
    if (w->nans) {
        printf("%zu of %zu channels are NaN, but no key that takes part gives NaN\n", w->nans,
               r->v.dim);
        return;
    }
    if (isinf(w->error)) {
        printf("the output hides a NaN: a key or value that takes part is NaN\n");
        return;
    }
    printf("channel %zu is %.9g, the true value is %.9g; the error is %.3g times the bound",
           w->place, w->got, w->right, w->error);
    if (w->is_missing)
        printf("; key %zu, of weight %.3g, seems to be missing", w->key, w->weight);
    printf("\n");
}

static void say_all(const attend_request *r, const attend_verdict *v, const attend_question *asked,
                    int has_recipe)
{
    say_bits(v);
    say_orders(r, v);
    say_bound(v, asked);
    say_lse(r, v);
    say_change(v, has_recipe);
    printf("the worst rows, compared with the error bound of %s:\n", bounds[asked->by].name);
    for (size_t i = 0; i < v->rows; i++)
        say_row(r, &v->row[i]);
    attend_notes_say(&v->notes);
}

/* ---- all ------------------------------------------------------------------------------------- */

int attend_say_verdict(attend_request *r, attend_judged *what)
{
    tensor out, lse;
    attend_verdict v;
    const attend_problem p = {r->queries,
                              r->heads,
                              r->kv_heads,
                              r->keys,
                              {r->k.dim, r->k.scale, r->k.values},
                              {r->v.dim, r->v.scale, r->v.values},
                              r->queries_f32,
                              r->a};
    read_judged(r, what, &out, &lse);
    const attend_question asked = question_of(what, out.format);
    const attend_output given = {out.format, out.words, lse.words};
    const char *wrong = attend_judge(&p, &given, &asked, &v);
    if (wrong)
        fail("%s", wrong);
    if (!what->quiet)
        say_all(r, &v, &asked, what->has_recipe);
    what->notes = v.notes;
    tensor_free(&out);
    if (lse.words)
        tensor_free(&lse);
    return v.notes.good;
}
