/* SPDX-License-Identifier: MIT */
/* json.c -- what was found, as JSON; numbers of inputs are strings, they can be 2^64 */
#include "identify/identify.h"

#include <stdio.h>
#include <stdlib.h>

static void print_string(output *out, const char *text)
{
    output_print(out, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == 127)
            output_print(out, "\\u%04x", c);
        else
            output_print(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
    }
    output_print(out, "\"");
}

static void print_key(output *out, const char *key, const char *value)
{
    output_print(out, "\"%s\": ", key);
    print_string(out, value);
}

static void print_count(output *out, const char *key, uint64_t n)
{
    if (n == UINT64_MAX)
        output_print(out, "\"%s\": \"18446744073709551616\"", key);
    else
        output_print(out, "\"%s\": \"%llu\"", key, (unsigned long long)n);
}

static void print_code(output *out, const char *key, sf8_format f, uint64_t code)
{
    output_print(out, "\"%s\": \"%0*llx\"", key, word_digits(sf8_format_bits(f)),
                 (unsigned long long)code);
}

static void print_policy(output *out, size_t policy_index, size_t round)
{
    print_key(out, "policy", sf8_policy_at(policy_index)->name);
    output_print(out, ", ");
    print_key(out, "round", identify_roundings[round]);
}

/* ---- differences ----------------------------------------------------------------------------- */

static void print_range(output *out, const identify_set *set, const identify_range *range)
{
    output_print(out, "\n    {");
    print_code(out, "first", set->from, range->first);
    output_print(out, ", ");
    print_code(out, "last", set->from, range->last);
    output_print(out, ", ");
    print_count(out, "inputs", range->count);
    output_print(out, ", ");
    print_code(out, "got_first", set->to, range->got[0]);
    output_print(out, ", ");
    print_code(out, "got_last", set->to, range->got[1]);
    output_print(out, ", ");
    print_code(out, "expected_first", set->to, range->expected[0]);
    output_print(out, ", ");
    print_code(out, "expected_last", set->to, range->expected[1]);
    output_print(out, ", ");
    print_key(out, "kind", identify_class_names[range->class]);
    output_print(out, "}");
}

static void print_differences(output *out, const identify_cells *cells, const identify_model *m)
{
    size_t count;
    uint64_t of_class[IDENTIFY_CLASSES];
    identify_range *ranges = identify_ranges(cells, m, &count, of_class);
    print_count(out, "differ", m->differ);
    output_print(out, ", \"share\": %.6g, \"kinds\": {",
                 (double)m->differ / (double)cells->set->inputs);
    for (int i = 0, n = 0; i < IDENTIFY_CLASSES; i++) {
        if (of_class[i] == 0)
            continue;
        output_print(out, n++ ? ", " : "");
        print_count(out, identify_class_names[i], of_class[i]);
    }
    output_print(out, "},\n  \"ranges\": [");
    for (size_t i = 0; i < count; i++) {
        output_print(out, i ? "," : "");
        print_range(out, cells->set, &ranges[i]);
    }
    output_print(out, "]");
    free(ranges);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void print_fits(output *out, const identify_report *r)
{
    size_t matches;
    const identify_candidate **list = identify_matches(r->candidates, r->count, &matches);
    output_print(out, ",\n\"fits\": [");
    for (size_t i = 0; i < matches; i++) {
        const identify_candidate *c = list[i];
        output_print(out, i ? ",\n  {" : "\n  {");
        print_policy(out, c->policy_index, c->round);
        if (r->set->has_flags)
            output_print(out, ", \"flags\": %s", c->flags == 0 ? "true" : "false");
        output_print(out, "}");
    }
    output_print(out, "]");
    free(list);
}

/* The products whose policy for this conversion is among these. */
static void print_products(output *out, const identify_report *r)
{
    identify_product products[IDENTIFY_PRODUCTS];
    int n = identify_products(r->set, r->candidates, products);
    output_print(out, ",\n\"products\": [");
    for (int i = 0; i < n; i++) {
        output_print(out, i ? ", {" : "{");
        print_key(out, "name", products[i].name);
        if (products[i].before[0]) {
            output_print(out, ", ");
            print_key(out, "before", products[i].before);
        }
        output_print(out, "}");
    }
    output_print(out, "]");
}

/* What --product asked for. */
static void print_product(output *out, const identify_report *r)
{
    const identify_set *set = r->set;
    const identify_candidate *c = r->product;
    output_print(out, ",\n\"product\": {");
    print_key(out, "name", set->product);
    output_print(out, ", ");
    print_policy(out, c->policy_index, c->round);
    output_print(out, ", ");
    print_count(out, "differ", c->codes);
    if (c->codes > 0) {
        output_print(out, ", ");
        print_code(out, "first", set->from, c->first);
        output_print(out, ", ");
        print_code(out, "got", set->to, c->first_code);
        output_print(out, ", ");
        print_code(out, "expected", set->to,
                   sf8_core_convert(set->to, set->from, c->first, c->policy, 0).code);
    }
    output_print(out, "}");
}

static void print_model(output *out, const identify_report *r, const identify_model *m)
{
    print_policy(out, m->policy_index, m->round);
    output_print(out, ", \"changes\": [");
    for (int i = 0; i < m->changes; i++) {
        const identify_change *change = &r->diagnosis->list[m->change[i]];
        char words[160];
        output_print(out, i ? ", {" : "{");
        print_key(out, change->field ? "field" : "defect",
                  change->field ? change->field : identify_defect_name(change->defect));
        if (change->field) {
            output_print(out, ", ");
            print_key(out, "value", change->value);
        }
        output_print(out, ", ");
        print_key(out, "words",
                  identify_words(change, &r->diagnosed->seen, r->diagnosed->set->to, words));
        output_print(out, "}");
    }
    output_print(out, "]");
}

static void print_diagnosis(output *out, const identify_report *r)
{
    const identify_diagnosis *d = r->diagnosis;
    output_print(out, ",\n\"diagnosis\": ");
    if (d->count == 0) {
        output_print(out, "null");
        return;
    }
    output_print(out, "{\"complete\": %s, ", d->found[0].differ == 0 ? "true" : "false");
    print_model(out, r, &d->found[0]);
    output_print(out, ",\n  ");
    print_differences(out, r->diagnosed, &d->found[0]);
    output_print(out, ",\n  \"also\": [");
    for (int i = 1; i < d->count; i++) {
        output_print(out, i > 1 ? ", {" : "{");
        print_model(out, r, &d->found[i]);
        output_print(out, "}");
    }
    output_print(out, "]}");
}

static void print_reading(output *out, const identify_report *r)
{
    output_print(out, ",\n\"reading\": ");
    if (!r->other->found) {
        output_print(out, "null");
        return;
    }
    output_print(out, "{");
    print_key(out, "as", r->other->name);
    output_print(out, ", ");
    print_key(out, "words", r->other->words);
    output_print(out, ", ");
    print_policy(out, r->other_closest->policy_index, r->other_closest->round);
    output_print(out, ", ");
    print_count(out, "differ", r->other_closest->codes);
    output_print(out, "}");
}

void identify_print_json(const identify_report *r)
{
    output *out = output_open(NULL);
    output_print(out, "{");
    print_key(out, "file", input_name(r->file));
    output_print(out, ", ");
    print_key(out, "from", r->set->from_name);
    output_print(out, ", ");
    print_key(out, "to", r->set->to_name);
    output_print(out, ", ");
    print_key(out, "input", identify_kinds[r->set->kind]);
    output_print(out, ", ");
    print_count(out, "inputs", r->set->inputs);
    output_print(out, ",\n\"explained\": %s", r->closest->codes == 0 ? "true" : "false");
    if (r->product)
        print_product(out, r);
    print_fits(out, r);
    print_products(out, r);
    if (r->closest->codes != 0) {
        identify_model m = identify_model_of(r->closest);
        output_print(out, ",\n\"closest\": {");
        print_policy(out, m.policy_index, m.round);
        output_print(out, ", ");
        print_differences(out, r->cells, &m);
        output_print(out, "}");
        print_reading(out, r);
        print_diagnosis(out, r);
    }
    output_print(out, "}\n");
    output_close(out);
}
