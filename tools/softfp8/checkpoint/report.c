/* SPDX-License-Identifier: MIT */
/* report.c -- softfp8 checkpoint: what was found, as text */
#include "checkpoint/report.h"
#include "cli/text_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the report ------------------------------------------------------------------------------ */

static void show_scalars(output *out, const scalars *n, const char *what)
{
    if (!n->tensors)
        return;
    output_print(out, "  %5zu  %s", n->tensors, what);
    if (n->positive)
        output_print(out, ", %.6g to %.6g", n->least, n->most);
    if (n->positive && n->least == 1 && n->most == 1 && !n->odd)
        output_print(out, ": all are 1, as without a calibration");
    output_print(out, "\n");
}

size_t checkpoint_layers_of(const checkpoint *c, const layer_scheme *scheme)
{
    size_t count = 0;
    for (size_t i = 0; i < c->layers; i++)
        count += c->layer[i].layer.scheme == scheme;
    return count;
}

static void add_one(some_tensors *some, const safetensor *t)
{
    some->first = some->count++ ? some->first : t;
}

rest_tensors checkpoint_rest(const checkpoint *c)
{
    uint8_t *marks = allocate(c->tensors.count, 1);
    rest_tensors rest = {0};
    for (size_t i = 0; i < c->layers; i++) {
        const layer *l = &c->layer[i].layer;
        const safetensor *of_layer[] = {l->codes, l->scale, l->second};
        for (int k = 0; k < 3; k++)
            if (of_layer[k])
                marks[of_layer[k] - c->tensors.tensor] = 1;
    }
    for (size_t i = 0; i < c->tensors.count; i++) {
        const safetensor *t = &c->tensors.tensor[i];
        if (marks[i])
            continue;
        rest.count++;
        if (safetensors_bits(t->dtype) == 0)
            add_one(&rest.unknown, t);
        else if (t->dtype[0] == 'F' && safetensors_bits(t->dtype) <= 8)
            add_one(&rest.narrow, t);
    }
    free(marks);
    return rest;
}

static void show_scheme(output *out, const checkpoint *c, const layer_scheme *scheme, size_t count)
{
    const layer *first = NULL;
    int has_g = 0;
    for (size_t i = 0; i < c->layers; i++)
        if (c->layer[i].layer.scheme == scheme) {
            first = first ? first : &c->layer[i].layer;
            has_g |= c->layer[i].layer.second != NULL;
        }
    if (scheme->recipe)
        output_print(out, "  %5zu  %s: recipe %s%s%s\n", count, scheme->name, scheme->recipe,
                     has_g ? ", g is " : "", has_g ? scheme->second + 1 : "");
    else
        output_print(out, "  %5zu  %s: %s\n", count, scheme->name,
                     layer_has_values(first) ? "read without a recipe"
                                             : "scales alone; the codes are not looked at");
}

void checkpoint_show_schemes(output *out, const checkpoint *c)
{
    const layer_scheme *scheme;
    for (size_t i = 0; (scheme = layer_scheme_at(i)) != NULL; i++) {
        size_t count = checkpoint_layers_of(c, scheme);
        if (count)
            show_scheme(out, c, scheme, count);
    }
    if (c->unknown)
        output_print(out, "  %5zu  with scales, but of no scheme that is known\n", c->unknown);
}

static void show_some(output *out, const some_tensors *some, const char *words)
{
    if (some->count)
        output_print(out, "  %5zu  %s: %s (%s)%s\n", some->count, words, some->first->name,
                     some->first->dtype, some->count > 1 ? " and more" : "");
}

void checkpoint_show_rest(output *out, const checkpoint *c)
{
    scalars caches = checkpoint_cache_scales(c), inputs = checkpoint_input_scales(c);
    rest_tensors rest = checkpoint_rest(c);
    int among = caches.tensors || inputs.tensors || rest.narrow.count || rest.unknown.count;
    if (rest.count)
        output_print(out, "  %5zu  tensors that belong to no quantized layer%s\n", rest.count,
                     among ? "; among them" : "");
    show_scalars(out, &caches, "scales of KV caches");
    show_scalars(out, &inputs, "scales of inputs");
    show_some(out, &rest.narrow, "codes without scales of a known scheme");
    show_some(out, &rest.unknown, "of an unknown dtype, not looked at");
}

/* ---- findings -------------------------------------------------------------------------------- */

static void show_list(output *out, const char *title, const finding_list *list)
{
    if (list->count)
        output_print(out, "%s\n", title);
    for (size_t i = 0; i < list->count; i++)
        output_print(out, "  %s: %s\n", finding_name(&list->at[i]), list->at[i].text);
}

void checkpoint_show_findings(output *out, const checkpoint *c)
{
    show_list(out, "findings", &c->findings);
    if (!c->findings.count && c->layers)
        output_print(out, c->reference.files
                              ? "nothing odd in the codes and scales, and no layer far from its "
                                "reference\n"
                              : "nothing odd in the codes and scales\n");
    show_list(out, "unusual, but perhaps right", &c->remarks);
    if (c->corrected)
        output_print(out,
                     "in %zu layer%s many values are more than one code away from the reference, "
                     "as after GPTQ or training\n",
                     c->corrected, c->corrected == 1 ? "" : "s");
}

/* A word as a shell takes it. */
static void show_word(output *out, const char *name)
{
    const char *word = printable(name);
    if (*word && strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                              "_-+=:,./@%") == strlen(word)) {
        output_print(out, " %s", word);
        return;
    }
    output_print(out, " '");
    for (; *word; word++)
        if (*word == '\'')
            output_print(out, "'\\''");
        else
            output_write(out, word, 1);
    output_print(out, "'");
}

/* The files that have the tensors of a finding, each once. */
static void show_files(output *out, const checkpoint *c, const finding *f)
{
    const safetensor *part[3] = {f->tensor, NULL, NULL};
    if (f->layer) {
        part[0] = f->layer->codes;
        part[1] = f->layer->scale;
        part[2] = f->layer->second;
    }
    for (int i = 0; i < 3; i++) {
        int again = 0;
        for (int k = 0; k < i; k++)
            again |= part[i] && part[k] && part[k]->file == part[i]->file;
        if (part[i] && !again)
            show_word(out, c->tensors.path[part[i]->file]);
    }
}

void checkpoint_show_next(output *out, const checkpoint *c)
{
    for (size_t i = 0; i < c->findings.count; i++) {
        const finding *f = &c->findings.at[i];
        if (f->layer && !f->layer->scheme)
            continue;
        output_print(out, "to write the values of the first one to a file: "
                          "softfp8 checkpoint --tensor");
        show_word(out, finding_name(f));
        output_print(out, " -o values.npy");
        show_files(out, c, f);
        output_print(out, "\n");
        return;
    }
    if (c->findings.count)
        output_print(out,
                     "to see which names and dtypes are known: softfp8 checkpoint --schemes\n");
}

/* ---- the layers ------------------------------------------------------------------------------ */

void checkpoint_show_list(output *out, const checkpoint *c)
{
    text_table *table = text_table_new("%-5s  %-6s  %s  %s  %s  %s  %s");
    text_table_row(table, "layer\trecipe\trows, columns\tscales\tzero scales\tg\tamax");
    for (size_t i = 0; i < c->layers; i++) {
        const found *f = &c->layer[i];
        char g[32] = "-", amax[32] = "-";
        if (!f->layer.scheme) {
            text_table_row(table, "%s\tnot known\t%s", f->layer.name, f->layer.why);
            continue;
        }
        if (f->layer.second)
            snprintf(g, sizeof g, "%.9g", (double)f->m.g);
        if (layer_has_values(&f->layer))
            snprintf(amax, sizeof amax, "%.6g", f->m.amax);
        text_table_row(table, "%s\t%s\t%zu, %zu\t%.6g to %.6g\t%zu\t%s\t%s", f->layer.name,
                       f->layer.scheme->recipe ? f->layer.scheme->recipe : f->layer.scheme->name,
                       f->layer.shape.rows, f->layer.shape.columns, f->m.least_scale,
                       f->m.largest_scale, f->m.zero_scales, g, amax);
    }
    text_table_write(table, out);
}

/* ---- errors ---------------------------------------------------------------------------------- */

double found_sqnr(const found *f)
{
    const layer_measure *m = &f->m;
    return m->nan_values || m->infinite_values || m->nan_reference ? NAN : fit_decibels(&m->fit);
}

double found_worst(const found *f)
{
    return f->m.fit.values ? f->m.worst : NAN;
}

static int worst_first(const void *a, const void *b)
{
    const found *const *x = a, *const *y = b;
    double p = found_sqnr(*x), q = found_sqnr(*y);
    if ((p != p) != (q != q))
        return p != p ? -1 : 1;
    return p < q ? -1 : p > q ? 1 : strcmp((*x)->layer.name, (*y)->layer.name);
}

void checkpoint_show_errors(output *out, const checkpoint *c, int all)
{
    enum { SHOWN = 12 };
    const found **order = allocate(c->layers ? c->layers : 1, sizeof *order);
    size_t count = 0, missing = 0;
    for (size_t i = 0; i < c->layers; i++) {
        if (c->layer[i].like)
            order[count++] = &c->layer[i];
        else
            missing += c->layer[i].layer.scheme && layer_has_values(&c->layer[i].layer);
    }
    if (count)
        qsort(order, count, sizeof *order, worst_first);
    text_table *table = text_table_new("%7s  %12s  %8s  %12s  %s");
    text_table_row(table, "SQNR/dB\tworst error\tfactor\tamax\tlayer");
    for (size_t i = 0; i < count && (all || i < SHOWN); i++)
        text_table_row(table, "%.2f\t%.6g\t%.4f\t%.6g\t%s", found_sqnr(order[i]),
                       found_worst(order[i]), found_factor(order[i]), order[i]->m.amax,
                       order[i]->layer.name);
    text_table_write(table, out);
    if (!all && count > SHOWN)
        output_print(out, "and %zu layers with smaller errors; --list shows all\n", count - SHOWN);
    if (missing)
        output_print(out, "%zu layer%s not in the reference\n", missing,
                     missing == 1 ? " is" : "s are");
    free(order);
}

/* ---- the schemes ----------------------------------------------------------------------------- */

/* "  scales    NAME.weight_scale, F32", or nothing. */
static void show_part(const char *what, const char *end, const char *rest)
{
    if (end)
        printf("  %-8s  NAME%s%s\n", what, end, rest);
}

void checkpoint_list_schemes(void)
{
    const layer_scheme *s;
    for (size_t i = 0; (s = layer_scheme_at(i)) != NULL; i++) {
        char codes[64], scales[64];
        snprintf(codes, sizeof codes, ", %s", s->code_dtypes);
        snprintf(scales, sizeof scales, ", %s%s", s->scale_dtypes,
                 s->per_tensor ? ", one for all" : "");
        printf("%s\n", s->name);
        show_part("codes", s->codes, codes);
        show_part("scales", s->scale, scales);
        show_part("g", s->second, ", F32");
        printf("  recipe    %s\n  evidence  %s\n", s->recipe ? s->recipe : "none", s->source);
    }
}
