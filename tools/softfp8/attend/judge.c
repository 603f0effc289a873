/* SPDX-License-Identifier: MIT */
/* judge.c -- another kernel's output, read and judged: the verdict as text */
#include "attend/attend.h"
#include "cli/text_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOUNDS = ATTEND_ERROR_BOUNDS };
static const attend_error_bound *const bounds = attend_error_bounds;
const char *const attend_bounds[BOUNDS + 2] = {"f32",     "f16",     "bf16", "bf16-parts",
                                               "fp8-two", "fp8-one", "any",  NULL};

/* Without a word the bound of the output's format, or a narrower one. */
static attend_question question_of(const attend_judged *what, sf8_format out)
{
    attend_question asked = what->asked;
    if (!what->has_by && asked.order && attend_can_claim(asked.order)) {
        asked.by_order = asked.wider = 1;
        asked.by = BOUNDS - 1;
    } else if (!what->has_by) {
        asked.wider = 1;
        asked.by = (size_t)(sf8_format_bits(out) == 32 ? 0 : out.man_bits == 10 ? 1 : 2);
    } else if (asked.by == BOUNDS) {
        asked.wider = 1;
        asked.by = BOUNDS - 1;
    }
    return asked;
}

/* Whether the axes of a file are these two, apart from those of 1. */
static int has_axes(const tensor *t, size_t first, size_t second)
{
    size_t want[2] = {first, second}, at = 0;
    for (int i = 0; i < t->dimensions; i++) {
        while (at < 2 && want[at] == 1)
            at++;
        if (t->axis[i] == 1)
            continue;
        if (at == 2 || t->axis[i] != want[at++])
            return 0;
    }
    while (at < 2 && want[at] == 1)
        at++;
    return at == 2;
}

/* The logarithms by rows, also of a file [heads][queries]: its shape decides. */
static tensor read_lse(const attend_request *r, const char *path)
{
    size_t rows = r->queries * r->heads;
    tensor t = tensor_read(path, NULL, (tensor_shape){0, 0});
    if (sf8_format_bits(t.format) != 32)
        fail_at(input_name(path), 0, "the format is %s; expected f32", t.format_name);
    if ((t.dimensions == 1 && t.axis[0] == rows) || has_axes(&t, r->queries, r->heads))
        return t;
    if (!has_axes(&t, r->heads, r->queries))
        fail_at(input_name(path), 0,
                "%zu rows of %zu; expected the shape (%zu, %zu): queries, heads; or (%zu, %zu)",
                t.shape.rows, t.shape.columns, r->queries, r->heads, r->heads, r->queries);
    uint32_t *turned = allocate(rows, sizeof *turned);
    for (size_t row = 0; row < rows; row++)
        turned[row] = ((uint32_t *)t.words)[row % r->heads * r->queries + row / r->heads];
    free(t.words);
    t.words = turned;
    return t;
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
    if (what->lse)
        *lse = read_lse(r, what->lse);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* What the bound that was asked for is of: "f32 throughout", "the order fa3-fp8 tile=96". */
static const char *bound_name(const attend_question *asked)
{
    static char text[SF8_ORDER_TEXT_SIZE + 16] = "the order ";
    if (!asked->by_order)
        return bounds[asked->by].name;
    sf8_attend_order_write(asked->order, text + strlen("the order "), SF8_ORDER_TEXT_SIZE);
    return text;
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

static void say_lse(const attend_request *r, const attend_verdict *v)
{
    size_t rows = r->queries * r->heads;
    const char *kind = !is_lse_alone(v)     ? ""
                       : v->other_base >= 0 ? "likely mistake: "
                                            : "unexplained: ";
    if (!v->notes.has_lse)
        return;
    printf("%slse: ", kind);
    if (v->other_base >= 0)
        printf("%s, expected %s\n", base_name(v->other_base), base_name(v->due));
    else if (v->fits[v->due] == rows)
        printf("%s\n", base_name(v->due));
    else if (v->notes.lse)
        printf("%s, within the error bound; %zu of %zu rows are close\n", base_name(v->due),
               v->fits[v->due], rows);
    else
        printf("wrong; %zu of %zu rows fit base e, %zu base 2\n", v->fits[0], rows, v->fits[1]);
}

/* The definition and the orders that an output equals. */
static void say_same(const attend_verdict *v)
{
    const char *before = "every bit equals ";
    for (int sums = 0; sums < SF8_ATTEND_SUMS_COUNT; sums++)
        if (v->tried[sums] && v->same[sums] == v->words) {
            printf("%sthe definition with --sums %s", before,
                   sf8_attend_sums_name((sf8_attend_sums)sums));
            before = " and ";
        }
    for (size_t i = 0; i < v->orders; i++) {
        const sf8_attend_order *o = v->order[i];
        char text[SF8_ORDER_TEXT_SIZE];
        sf8_attend_order_write(o, text, sizeof text);
        printf("%sthe order %s", before, text);
        if (o->split == SF8_SPLIT_PREFIX)
            printf(" (a prefix of %zu keys)", v->cut[i]);
        else if (sf8_attend_order_counts(o))
            printf(" (%zu part%s)", v->cut[i], v->cut[i] == 1 ? "" : "s");
        before = " and ";
    }
    printf("\n");
}

/* The changes that explain an output, and what they leave. */
static void say_change(const attend_verdict *v)
{
    char factors[256];
    attend_factors_text(v, factors, sizeof factors);
    if (!v->change[0][0])
        printf("%s\n", factors);
    else
        for (size_t i = 0; i < v->changes; i++)
            printf("%s%s", v->change[i], i + 1 < v->changes ? "; or: " : "\n");
    printf("with it corrected, the error is %.2g times as large", v->left);
    if (v->corrected < BOUNDS)
        printf(", inside the error bound of: %s (%.3g of it)", bounds[v->corrected].name,
               v->of_corrected);
    printf("\n");
}

static void say_inside(const attend_verdict *v, const attend_question *asked)
{
    if (asked->by_order && v->notes.bound) {
        printf("inside the error bound of: %s (%.3g of it)\n", bound_name(asked), v->of_order);
        return;
    }
    printf("inside the error bound of: %s (%.3g of it)\n", bounds[v->inside].name,
           v->worst[v->inside]);
}

/* What to do with an output that nothing explains. */
static void say_advice(const attend_verdict *v, int has_recipe)
{
    if (v->inside < BOUNDS)
        printf("if your kernel computes in this way (%s), add --by %s\n", bounds[v->inside].name,
               bounds[v->inside].word);
    if (!has_recipe)
        printf("if the cache is FP8 or FP4, add --recipe\n");
}

/* The first lines: what the output is, and what to do. */
static void say_verdict(const attend_request *r, const attend_verdict *v,
                        const attend_question *asked, int has_recipe)
{
    int is_note = attend_is_factor(v) && v->notes.bound;
    if (is_lse_alone(v))
        say_lse(r, v);
    if (v->changes && !is_note) {
        printf("likely mistake: ");
        say_change(v);
    } else if (v->notes.same || v->notes.bound || v->is_changed) {
        int is_other = v->is_changed && (asked->order || !v->notes.bound);
        printf("%s: ", is_other          ? "another order"
                       : is_lse_alone(v) ? "the output is as expected"
                                         : "as expected");
        if (v->notes.same || v->is_changed)
            say_same(v);
        else
            say_inside(v, asked);
        if (is_note) {
            printf("note: ");
            say_change(v);
        }
    } else {
        printf("unexplained: outside the error bound of: %s (%.3g times it), and no known single "
               "mistake explains the errors\n",
               bound_name(asked), of_bound(v, asked));
        say_advice(v, has_recipe);
    }
}

/* ---- what it rests on ------------------------------------------------------------------------ */

static void say_bits(const attend_request *r, const attend_verdict *v)
{
    text_table *table = text_table_new("sums %-10s %s");
    for (int sums = 0; sums < SF8_ATTEND_SUMS_COUNT; sums++)
        if (v->tried[sums])
            text_table_row(table, "%s\t%zu of %zu values%s are equal",
                           sf8_attend_sums_name((sf8_attend_sums)sums), v->same[sums],
                           v->compared[sums], v->compared[sums] < v->words ? " tried" : "");
    text_table_print(table, stdout);
    if (!v->orders && v->nearest)
        printf(
            "no other stack's order; of the nearest, %s, %zu of the %zu values tried are equal\n",
            v->nearest->name, v->nearest_same, r->v.dim);
}

/* The bounds that the verdict does not name. */
static void say_bounds(const attend_verdict *v, const attend_question *asked)
{
    int is_named = v->notes.bound && !v->notes.same && (!v->changes || attend_is_factor(v));
    if (!v->notes.bound && v->changes)
        printf("outside the error bound of: %s (%.3g times it)\n", bound_name(asked),
               of_bound(v, asked));
    if (v->inside < BOUNDS && !is_named)
        say_inside(v, asked);
}

static void say_row(const attend_request *r, const attend_worst *w)
{
    printf("  query %zu head %zu: ", w->row / r->heads, w->row % r->heads);
    if (w->nans) {
        printf("%zu of %zu channels are NaN, but no key that takes part gives NaN\n", w->nans,
               r->v.dim);
        return;
    }
    if (isnan(w->right)) {
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
    say_verdict(r, v, asked, has_recipe);
    say_bits(r, v);
    say_bounds(v, asked);
    if (!is_lse_alone(v))
        say_lse(r, v);
    printf("the worst rows, compared with the error bound of %s:\n", bound_name(asked));
    for (size_t i = 0; i < v->rows; i++)
        say_row(r, &v->row[i]);
    attend_notes_say(&v->notes);
}

/* ---- all ------------------------------------------------------------------------------------- */

int attend_say_verdict(attend_request *r, attend_judged *what)
{
    tensor out, lse;
    attend_verdict *v = &what->verdict;
    const attend_problem p = {r->queries,
                              r->heads,
                              r->kv_heads,
                              r->keys,
                              {r->k.dim, r->k.scale, r->k.values},
                              {r->v.dim, r->v.scale, r->v.values},
                              r->queries_f32,
                              r->a,
                              &cli_search,
                              r->q_given};
    read_judged(r, what, &out, &lse);
    const attend_question asked = question_of(what, out.format);
    const attend_output given = {out.format, out.words, lse.words};
    const char *wrong = attend_judge(&p, &given, &asked, v);
    if (wrong)
        fail("%s", wrong);
    if (!what->quiet)
        say_all(r, v, &asked, what->has_recipe);
    tensor_free(&out);
    if (lse.words)
        tensor_free(&lse);
    return v->notes.good;
}
