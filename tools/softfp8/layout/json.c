/* SPDX-License-Identifier: MIT */
/* json.c -- what the search found, as JSON */
#include "layout/layout.h"

static void print_changes(output *out, const layout_data *d, const layout_found *f)
{
    int count = 0;
    output_print(out, "\"changes\": [");
    for (int axis = 0; axis < AXES; axis++) {
        const layout_value *v = layout_value_at(axis, d->bits, f->reading.at[axis]);
        const layout_value *plain = layout_value_at(axis, d->bits, f->plain.at[axis]);
        if (v != plain)
            output_print(out, "%s{\"axis\": \"%s\", \"is\": \"%s\", \"read_as\": \"%s\"}",
                         count++ ? ", " : "", layout_axis_name(axis), v->name, plain->name);
    }
    output_print(out, "]");
}

static void print_reading(output *out, const layout_data *d, const layout_found *f)
{
    const layout_score *s = &f->score;
    output_print(out, "  {\"counted\": %llu, \"explained\": %llu, ", (unsigned long long)s->counted,
                 (unsigned long long)s->explained);
    output_print(out, "\"relative_l2\": %.6g, \"cosine\": %.8g, ", layout_l2(s), layout_cosine(s));
    output_print(out, "\"differ\": %llu, \"differ_explained\": %llu, \"differ_by_first\": %llu, ",
                 (unsigned long long)f->differ, (unsigned long long)f->by_this,
                 (unsigned long long)f->by_first);
    print_changes(out, d, f);
    output_print(out, "}");
}

void layout_json(const char *path, const layout_data *d, const layout_result *r,
                 const layout_recipes *recipes)
{
    output *out = output_open(path);
    const char *verdict = r->factor != 0    ? "factor"
                          : !r->explained   ? "none"
                          : r->list[0].cost ? "mismatch"
                                            : "plain";
    output_print(out, "{\"rows\": %zu, \"columns\": %zu, \"bits\": %d, \"tried\": %zu,\n", d->rows,
                 d->columns, d->bits, r->tried);
    output_print(out, "\"verdict\": \"%s\", \"not_counted\": %zu,\n\"readings\": [", verdict,
                 r->wrong);
    for (size_t i = 0; i < r->count; i++) {
        output_print(out, "%s\n", i ? "," : "");
        print_reading(out, d, &r->list[i]);
    }
    output_print(out, "],\n");
    if (r->factor != 0) {
        output_print(out, "\"factor\": %.6g, \"scaled\":\n", (double)r->factor);
        print_reading(out, d, &r->scaled);
        output_print(out, ",\n");
    }
    output_print(out, "\"recipes\": [");
    for (size_t i = 0; r->explained && i < recipes->count; i++)
        output_print(
            out, "%s\n  {\"name\": \"%s\", \"codes_differ\": %llu, \"scales_differ\": %llu}",
            i ? "," : "", recipes->list[i].name, (unsigned long long)recipes->list[i].codes,
            (unsigned long long)recipes->list[i].scales);
    output_print(out, "],\n\"rows_compared\": %zu}\n", recipes->rows);
    output_close(out);
}
