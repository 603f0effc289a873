/* SPDX-License-Identifier: MIT */
/* json.c -- what was found, as JSON; numbers of inputs are strings, they can be 2^64 */
#include "identify/identify.h"
#include "base/json_writer.h"

#include <stdio.h>
#include <stdlib.h>

static void put_count(json_writer *j, const char *key, uint64_t n)
{
    char text[24] = "18446744073709551616";
    if (n != UINT64_MAX)
        snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    jw_text(j, key, text);
}

static void put_code(json_writer *j, const char *key, sf8_format f, uint64_t code)
{
    jw_hex(j, key, code, word_digits(sf8_format_bits(f)));
}

static void put_policy(json_writer *j, size_t policy_index, size_t round)
{
    jw_text(j, "policy", sf8_policy_at(policy_index)->name);
    jw_text(j, "round", identify_roundings[round]);
}

/* ---- differences ----------------------------------------------------------------------------- */

static void put_range(json_writer *j, const identify_set *set, const identify_range *range)
{
    jw_begin(jw_space(j, "\n    "), NULL, '{');
    put_code(j, "first", set->from, range->first);
    put_code(j, "last", set->from, range->last);
    put_count(j, "inputs", range->count);
    put_code(j, "got_first", set->to, range->got[0]);
    put_code(j, "got_last", set->to, range->got[1]);
    put_code(j, "expected_first", set->to, range->expected[0]);
    put_code(j, "expected_last", set->to, range->expected[1]);
    jw_text(j, "kind", identify_class_names[range->class]);
    jw_end(j);
}

static void put_differences(json_writer *j, const identify_cells *cells, const identify_model *m)
{
    size_t count;
    uint64_t of_class[IDENTIFY_CLASSES];
    identify_range *ranges = identify_ranges(cells, m, &count, of_class);
    put_count(j, "differ", m->differ);
    jw_real(j, "share", (double)m->differ / (double)cells->set->inputs, 6);
    jw_begin(j, "kinds", '{');
    for (int i = 0; i < IDENTIFY_CLASSES; i++) {
        if (of_class[i])
            put_count(j, identify_class_names[i], of_class[i]);
    }
    jw_end(j);
    jw_begin(jw_space(j, "\n  "), "ranges", '[');
    for (size_t i = 0; i < count; i++)
        put_range(j, cells->set, &ranges[i]);
    jw_end(j);
    free(ranges);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void put_fits(json_writer *j, const identify_findings *r)
{
    size_t matches;
    const identify_candidate **list = identify_matches(r->set, r->plain.candidates, r->plain.count,
                                                       &matches);
    jw_begin(jw_space(j, "\n"), "fits", '[');
    for (size_t i = 0; i < matches; i++) {
        jw_begin(jw_space(j, "\n  "), NULL, '{');
        put_policy(j, list[i]->policy_index, list[i]->round);
        if (r->set->has_flags)
            jw_bool(j, "flags", list[i]->flags == 0);
        jw_end(j);
    }
    jw_end(j);
    free(list);
}

/* The products whose policy for this conversion is among these. */
static void put_products(json_writer *j, const identify_findings *r)
{
    identify_product products[IDENTIFY_PRODUCTS];
    int n = identify_products(r->set, r->plain.candidates, products);
    jw_begin(jw_space(j, "\n"), "products", '[');
    for (int i = 0; i < n; i++) {
        jw_begin(j, NULL, '{');
        jw_text(j, "name", products[i].name);
        if (products[i].before[0])
            jw_text(j, "before", products[i].before);
        jw_end(j);
    }
    jw_end(j);
}

/* What --product asked for. */
static void put_product(json_writer *j, const identify_findings *r)
{
    const identify_set *set = r->set;
    const identify_candidate *c = &r->product;
    jw_begin(jw_space(j, "\n"), "product", '{');
    jw_text(j, "name", set->changed ? set->changed : set->product);
    put_policy(j, c->policy_index, c->round);
    put_count(j, "differ", c->codes);
    if (c->codes > 0) {
        put_code(j, "first", set->from, c->first);
        put_code(j, "got", set->to, c->first_code);
        put_code(j, "expected", set->to,
                 sf8_core_convert(set->to, set->from, c->first, c->policy, 0).code);
    }
    if (set->has_flags)
        put_count(j, "flags_differ", c->flags - c->codes);
    if (c->flags > c->codes) {
        put_code(j, "flags_first", set->from, c->first_raised);
        jw_hex(j, "flags_got", c->first_flags, 2);
        jw_hex(j, "flags_expected",
               sf8_core_convert(set->to, set->from, c->first_raised, c->policy, 0).flags, 2);
    }
    jw_end(j);
}

static void put_model(json_writer *j, const identify_view *v, const identify_model *m)
{
    put_policy(j, m->policy_index, m->round);
    jw_begin(j, "changes", '[');
    for (int i = 0; i < m->changes; i++) {
        const identify_change *change = &v->diagnosis.list[m->change[i]];
        char words[160];
        jw_begin(j, NULL, '{');
        jw_text(j, identify_is_field(change) ? "field" : "defect", change->cause->name);
        if (identify_is_field(change))
            jw_text(j, "value", change->value);
        jw_text(j, "words", identify_words(change, &v->cells.seen, v->set->to, words));
        jw_end(j);
    }
    jw_end(j);
}

/* The changes of a view's diagnosis; null where the reading alone explains as much. */
static void put_diagnosis(json_writer *j, const identify_view *v)
{
    jw_space(j, "\n");
    if (!v || v->diagnosis.found[0].changes == 0) {
        jw_null(j, "diagnosis");
        return;
    }
    const identify_diagnosis *d = &v->diagnosis;
    jw_begin(j, "diagnosis", '{');
    jw_bool(j, "complete", d->found[0].differ == 0);
    put_model(j, v, &d->found[0]);
    put_count(j, "broken", d->found[0].broken);
    put_differences(jw_space(j, "\n  "), &v->cells, &d->found[0]);
    jw_begin(jw_space(j, "\n  "), "also", '[');
    for (int i = 1; i < d->count; i++) {
        jw_begin(j, NULL, '{');
        put_model(j, v, &d->found[i]);
        jw_end(j);
    }
    jw_end(j);
    jw_end(j);
}

static void put_reading(json_writer *j, const identify_findings *r, const identify_view *v)
{
    jw_space(j, "\n");
    if (v != &r->read) {
        jw_null(j, "reading");
        return;
    }
    jw_begin(j, "reading", '{');
    jw_text(j, "as", r->other.reading.name);
    jw_text(j, "words", r->other.reading.words);
    put_policy(j, v->closest->policy_index, v->closest->round);
    put_count(j, "differ", v->closest->codes);
    jw_end(j);
}

/* The better explanation, and as "or" another that explains as much. */
static void put_explanations(json_writer *j, const identify_findings *r)
{
    put_reading(j, r, r->best);
    put_diagnosis(j, r->best);
    if (!r->second)
        return;
    jw_begin(jw_space(j, "\n"), "or", '{');
    put_reading(j, r, r->second);
    put_diagnosis(j, r->second);
    jw_end(j);
}

static void put_closest(json_writer *j, const identify_findings *r)
{
    identify_model m = identify_model_of(r->plain.closest);
    jw_begin(jw_space(j, "\n"), "closest", '{');
    put_policy(j, m.policy_index, m.round);
    put_differences(j, &r->plain.cells, &m);
    jw_end(j);
}

void identify_print_json(output *out, const void *report)
{
    const identify_findings *r = ((const identify_report *)report)->f;
    const identify_given *given = ((const identify_report *)report)->given;
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '{');
    jw_text(&j, "file", input_name(given->file));
    jw_text(&j, "from", r->set->from_name);
    jw_text(&j, "to", r->set->to_name);
    jw_text(&j, "input", identify_kinds[given->kind]);
    put_count(&j, "inputs", r->set->inputs);
    jw_bool(jw_space(&j, "\n"), "explained", r->plain.closest->codes == 0);
    if (r->set->product)
        put_product(&j, r);
    put_fits(&j, r);
    put_products(&j, r);
    if (r->plain.closest->codes != 0) {
        put_closest(&j, r);
        put_explanations(&j, r);
    }
    jw_end(&j);
}
