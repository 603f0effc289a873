/* SPDX-License-Identifier: MIT */
/* json.c -- what the search found, as JSON */
#include "layout/layout.h"
#include "base/json_writer.h"

static void put_changes(json_writer *j, const sf8_layout_reading *r)
{
    jw_begin(j, "changes", '[');
    for (size_t i = 0; i < r->count; i++) {
        const sf8_layout_change *c = &r->change[i];
        jw_begin(j, NULL, '{');
        jw_text(j, "axis", c->axis);
        jw_text(j, "is", c->is);
        jw_text(j, "read_as", c->read_as);
        if (c->factor != 0)
            jw_real(j, "factor", c->factor, 6);
        if (c->elements)
            jw_unsigned(j, "elements", c->elements);
        jw_end(j);
    }
    jw_end(j);
}

static void put_reading(json_writer *j, const sf8_layout_reading *r)
{
    jw_begin(jw_space(j, "\n  "), NULL, '{');
    jw_unsigned(j, "counted", r->counted);
    jw_unsigned(j, "explained", r->explained);
    jw_real(j, "relative_l2", r->relative_l2, 6);
    jw_real(j, "cosine", r->cosine, 8);
    jw_unsigned(j, "differ", r->differ);
    jw_unsigned(j, "differ_explained", r->differ_explained);
    jw_unsigned(j, "differ_by_first", r->differ_by_first);
    put_changes(j, r);
    jw_end(j);
}

static void put_recipes(json_writer *j, const sf8_layout_diagnosis *d)
{
    jw_begin(jw_space(j, "\n"), "recipes", '[');
    for (size_t i = 0; i < d->recipe_count; i++) {
        jw_begin(jw_space(j, "\n  "), NULL, '{');
        jw_text(j, "name", d->recipes[i].name);
        jw_unsigned(j, "codes_differ", d->recipes[i].codes_differ);
        jw_unsigned(j, "scales_differ", d->recipes[i].scales_differ);
        jw_end(j);
    }
    jw_end(j);
}

/* Codes and scales apart, by the recipe that is expected. */
static void put_expected(json_writer *j, const sf8_layout_diagnosis *d)
{
    const sf8_layout_recipe *r = d->expected_recipe;
    if (!r)
        return;
    jw_begin(jw_space(j, "\n"), "expected", '{');
    jw_text(j, "name", r->name);
    jw_unsigned(j, "codes_differ", r->codes_differ);
    jw_unsigned(j, "codes_differ_for_your_scales", r->codes_differ_for_scales);
    jw_unsigned(j, "scales_differ", r->scales_differ);
    jw_unsigned(j, "codes_compared", d->codes_compared);
    jw_unsigned(j, "scales_compared", d->scales_compared);
    jw_end(j);
}

/* The factor by which the values are off what a reading has; 0 if it has none. */
static double factor_of(const sf8_layout_reading *r)
{
    double factor = 0;
    for (size_t i = 0; i < r->count; i++)
        factor += r->change[i].factor;
    return factor;
}

static const char *verdict_of(const sf8_layout_diagnosis *d)
{
    const sf8_layout_reading *first = &d->list[0];
    if (d->verdict == SF8_VERDICT_POLICY)
        return "plain";
    if (d->verdict == SF8_VERDICT_CHANGED)
        return factor_of(first) != 0 ? "factor" : "mismatch";
    return first->count == 0 && 99 * first->counted <= 100 * first->explained ? "partly" : "none";
}

void layout_json(const char *path, const sf8_layout_results *results, const sf8_layout_diagnosis *d)
{
    output *out = output_open(path);
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '{');
    jw_unsigned(&j, "rows", results->rows);
    jw_unsigned(&j, "columns", results->columns);
    jw_signed(&j, "bits", d->bits);
    jw_unsigned(&j, "tried", d->tried);
    jw_text(jw_space(&j, "\n"), "verdict", verdict_of(d));
    jw_unsigned(&j, "not_counted", d->not_counted);
    jw_begin(jw_space(&j, "\n"), "readings", '[');
    for (size_t i = 0; i < d->count; i++)
        put_reading(&j, &d->list[i]);
    jw_end(&j);
    if (factor_of(&d->list[0]) != 0) {
        jw_space(&j, "\n");
        jw_real(&j, "factor", factor_of(&d->list[0]), 6);
    }
    if (d->global_scale > 0) {
        jw_space(&j, "\n");
        jw_real(&j, "g", d->global_scale, 9);
    }
    put_expected(&j, d);
    put_recipes(&j, d);
    jw_unsigned(jw_space(&j, "\n"), "rows_compared", d->rows_compared);
    jw_end(&j);
    output_close(out);
}
