/* SPDX-License-Identifier: MIT */
/* json.c -- what the search found, as JSON */
#include "layout/layout.h"
#include "base/json_writer.h"

static void put_changes(json_writer *j, const layout_data *d, const layout_found *f)
{
    jw_begin(j, "changes", '[');
    for (int axis = 0; axis < AXES; axis++) {
        const layout_value *v = layout_value_at(axis, d->bits, f->reading.at[axis]);
        const layout_value *plain = layout_value_at(axis, d->bits, f->plain.at[axis]);
        if (v == plain)
            continue;
        jw_begin(j, NULL, '{');
        jw_text(j, "axis", layout_axis_name(axis));
        jw_text(j, "is", v->name);
        jw_text(j, "read_as", plain->name);
        if (axis == AXIS_G && f->reading.at[axis] == G_FREE)
            jw_real(j, "factor", (double)f->reading.factor, 6);
        if (axis == AXIS_OVERFLOW)
            jw_unsigned(j, "elements", f->score.beyond);
        jw_end(j);
    }
    jw_end(j);
}

static void put_reading(json_writer *j, const layout_data *d, const layout_found *f)
{
    const layout_score *s = &f->score;
    jw_begin(jw_space(j, "\n  "), NULL, '{');
    jw_unsigned(j, "counted", s->counted);
    jw_unsigned(j, "explained", s->explained);
    jw_real(j, "relative_l2", layout_l2(s), 6);
    jw_real(j, "cosine", layout_cosine(s), 8);
    jw_unsigned(j, "differ", f->differ);
    jw_unsigned(j, "differ_explained", f->by_this);
    jw_unsigned(j, "differ_by_first", f->by_first);
    put_changes(j, d, f);
    jw_end(j);
}

static void put_recipes(json_writer *j, const layout_recipes *recipes)
{
    jw_begin(jw_space(j, "\n"), "recipes", '[');
    for (size_t i = 0; i < recipes->count; i++) {
        jw_begin(jw_space(j, "\n  "), NULL, '{');
        jw_text(j, "name", recipes->list[i].name);
        jw_unsigned(j, "codes_differ", recipes->list[i].codes);
        jw_unsigned(j, "scales_differ", recipes->list[i].scales);
        jw_end(j);
    }
    jw_end(j);
}

/* Codes and scales apart, by the recipe that is expected. */
static void put_expected(json_writer *j, const layout_data *d, const layout_recipes *recipes)
{
    const layout_recipe *r = layout_expected(d, recipes);
    if (!r)
        return;
    jw_begin(jw_space(j, "\n"), "expected", '{');
    jw_text(j, "name", r->name);
    jw_unsigned(j, "codes_differ", r->codes);
    jw_unsigned(j, "codes_differ_for_your_scales", r->own_codes);
    jw_unsigned(j, "scales_differ", r->scales);
    jw_unsigned(j, "codes_compared", recipes->elements);
    jw_unsigned(j, "scales_compared", recipes->scales);
    jw_end(j);
}

static const char *verdict_of(const layout_result *r)
{
    const layout_found *first = &r->list[0];
    if (r->verdict == LAYOUT_EXPECTED)
        return "plain";
    if (r->verdict == LAYOUT_MISMATCH)
        return first->reading.at[AXIS_G] == G_FREE ? "factor" : "mismatch";
    return r->verdict == LAYOUT_PARTLY ? "partly" : "none";
}

void layout_json(const char *path, const layout_data *d, const layout_result *r)
{
    output *out = output_open(path);
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '{');
    jw_unsigned(&j, "rows", d->rows);
    jw_unsigned(&j, "columns", d->columns);
    jw_signed(&j, "bits", d->bits);
    jw_unsigned(&j, "tried", r->tried);
    jw_text(jw_space(&j, "\n"), "verdict", verdict_of(r));
    jw_unsigned(&j, "not_counted", r->wrong);
    jw_begin(jw_space(&j, "\n"), "readings", '[');
    for (size_t i = 0; i < r->count; i++)
        put_reading(&j, d, &r->list[i]);
    jw_end(&j);
    if (r->list[0].reading.at[AXIS_G] == G_FREE) {
        jw_space(&j, "\n");
        jw_real(&j, "factor", (double)r->list[0].reading.factor, 6);
    }
    if (r->g > 0) {
        jw_space(&j, "\n");
        jw_real(&j, "g", r->g, 9);
    }
    put_expected(&j, d, &r->recipes);
    put_recipes(&j, &r->recipes);
    jw_unsigned(jw_space(&j, "\n"), "rows_compared", r->recipes.rows);
    jw_end(&j);
    output_close(out);
}
