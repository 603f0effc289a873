/* SPDX-License-Identifier: MIT */
/* report.c -- softfp8 checkpoint: what was found, as text */
#include "checkpoint/report.h"
#include "cli/text_table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the report ------------------------------------------------------------------------------ */

static int is_scale_of(const checkpoint *c, const safetensor *t)
{
    for (size_t i = 0; i < c->layers; i++) {
        const layer *l = &c->layer[i].layer;
        if (t == l->codes || t == l->scale || t == l->second)
            return 1;
    }
    return 0;
}

/* A whole word at the end, or the last of several: "k_scale" of "attn.k_scale", not of
 * "blk_scale". */
static int ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0 &&
           (n == m || !isalnum((unsigned char)name[n - m - 1]));
}

static const char *const cache_scales[] = {"k_scale", "v_scale", "kv_scale", NULL};
static const char *const input_scales[] = {"input_scale", "activation_scale", "input_global_scale",
                                           NULL};

/* Adds a tensor if its name has one of the ends and its values can be read. */
static void add_scalars(scalars *n, const checkpoint *c, const safetensor *t,
                        const char *const *ends)
{
    int named = 0;
    for (size_t k = 0; ends[k]; k++)
        named |= ends_with(t->name, ends[k]);
    float *values = named ? allocate(t->count ? t->count : 1, sizeof *values) : NULL;
    if (named && layer_plain(&c->tensors, t, 0, t->count, values)) {
        n->tensors++;
        for (size_t i = 0; i < t->count; i++) {
            double value = (double)values[i];
            if (!(value > 0 && value < INFINITY)) {
                n->odd++;
                continue;
            }
            n->least = n->positive == 0 || value < n->least ? value : n->least;
            n->most = value > n->most ? value : n->most;
            n->positive++;
        }
    }
    free(values);
}

static scalars scalars_of(const checkpoint *c, const char *const *ends)
{
    scalars n = {0, 0, 0, 0, 0};
    for (size_t i = 0; i < c->tensors.count; i++)
        add_scalars(&n, c, &c->tensors.tensor[i], ends);
    return n;
}

scalars checkpoint_cache_scales(const checkpoint *c)
{
    return scalars_of(c, cache_scales);
}

scalars checkpoint_input_scales(const checkpoint *c)
{
    return scalars_of(c, input_scales);
}

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

size_t checkpoint_rest(const checkpoint *c)
{
    size_t rest = 0;
    for (size_t i = 0; i < c->tensors.count; i++)
        rest += !is_scale_of(c, &c->tensors.tensor[i]);
    return rest;
}

void checkpoint_show_schemes(output *out, const checkpoint *c)
{
    const layer_scheme *scheme;
    for (size_t i = 0; (scheme = layer_scheme_at(i)) != NULL; i++) {
        size_t count = checkpoint_layers_of(c, scheme);
        if (count)
            output_print(out, "  %5zu  %s: recipe %s%s%s\n", count, scheme->name, scheme->recipe,
                         scheme->second ? ", g is " : "", scheme->second ? scheme->second + 1 : "");
    }
    if (c->unknown)
        output_print(out, "  %5zu  with scales, but of no scheme that is known\n", c->unknown);
}

void checkpoint_show_rest(output *out, const checkpoint *c)
{
    scalars caches = checkpoint_cache_scales(c), inputs = checkpoint_input_scales(c);
    size_t rest = checkpoint_rest(c);
    if (rest)
        output_print(out, "  %5zu  tensors that belong to no quantized layer%s\n", rest,
                     caches.tensors || inputs.tensors ? "; among them" : "");
    show_scalars(out, &caches, "scales of KV caches");
    show_scalars(out, &inputs, "scales of inputs");
}

/* ---- findings -------------------------------------------------------------------------------- */

/* "; negative scales: 3" */
static void add_finding(char *text, size_t size, size_t count, const char *what)
{
    size_t used = strlen(text);
    if (count)
        snprintf(text + used, size - used, "%s%s: %zu", used ? "; " : "", what, count);
}

/* What is odd in a layer, or "". */
static void findings_of(const found *f, char *text, size_t size)
{
    const layer_measure *m = &f->m;
    text[0] = '\0';
    if (!f->layer.scheme) {
        snprintf(text, size, "%s fit no scheme", f->layer.why);
        return;
    }
    add_finding(text, size, m->nan_codes, "NaN codes");
    add_finding(text, size, m->nan_scales, "NaN or infinite scales");
    add_finding(text, size, m->negative_scales, "negative scales");
    /* A block of zeros has the scale 0 by some recipes. */
    add_finding(text, size, m->zero_scales == m->scales ? m->scales : 0, "scales, which are all 0");
    size_t used = strlen(text);
    if (f->layer.second && !(m->g > 0 && m->g - m->g == 0))
        snprintf(text + used, size - used, "%s%s is %g", used ? "; " : "", f->layer.second->name,
                 (double)m->g);
}

/* Scales of caches and of inputs, of which each has to be a positive number. */
static void find_odd_scalars(checkpoint *c)
{
    for (size_t i = 0; i < c->tensors.count; i++) {
        const safetensor *t = &c->tensors.tensor[i];
        finding *f = &c->finding[c->findings];
        scalars n = {0, 0, 0, 0, 0};
        add_scalars(&n, c, t, cache_scales);
        add_scalars(&n, c, t, input_scales);
        f->tensor = t;
        add_finding(f->text, sizeof f->text, n.odd, "scales that are not positive numbers");
        c->findings += n.odd != 0;
    }
}

void checkpoint_find(checkpoint *c)
{
    c->finding = allocate(c->layers + c->tensors.count + 1, sizeof *c->finding);
    for (size_t i = 0; i < c->layers; i++) {
        finding *f = &c->finding[c->findings];
        findings_of(&c->layer[i], f->text, sizeof f->text);
        f->layer = f->text[0] ? &c->layer[i].layer : NULL;
        c->findings += f->text[0] != '\0';
    }
    find_odd_scalars(c);
}

const char *finding_name(const finding *f)
{
    return f->layer ? f->layer->name : f->tensor->name;
}

void checkpoint_show_findings(output *out, const checkpoint *c)
{
    if (c->findings)
        output_print(out, "findings\n");
    for (size_t i = 0; i < c->findings; i++)
        output_print(out, "  %s: %s\n", finding_name(&c->finding[i]), c->finding[i].text);
    if (!c->findings && c->layers)
        output_print(out, "nothing odd in the codes and scales\n");
}

/* A word as a shell takes it. */
static void show_word(output *out, const char *word)
{
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
    for (size_t i = 0; i < c->findings; i++) {
        const finding *f = &c->finding[i];
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
    if (c->findings)
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
        char g[32] = "-";
        if (!f->layer.scheme) {
            text_table_row(table, "%s\tnot known\t%s", f->layer.name, f->layer.why);
            continue;
        }
        if (f->layer.second)
            snprintf(g, sizeof g, "%.9g", (double)f->m.g);
        text_table_row(table, "%s\t%s\t%zu, %zu\t%.6g to %.6g\t%zu\t%s\t%.6g", f->layer.name,
                       f->layer.scheme->recipe, f->layer.shape.rows, f->layer.shape.columns,
                       f->m.least_scale, f->m.largest_scale, f->m.zero_scales, g, f->m.amax);
    }
    text_table_write(table, out);
}

/* ---- errors ---------------------------------------------------------------------------------- */

double found_sqnr(const found *f)
{
    return f->m.noise == 0 ? INFINITY : 10 * log10(f->m.signal / f->m.noise);
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
            missing += c->layer[i].layer.scheme != NULL;
    }
    if (count)
        qsort(order, count, sizeof *order, worst_first);
    text_table *table = text_table_new("%7s  %12s  %12s  %s");
    text_table_row(table, "SQNR/dB\tworst error\tamax\tlayer");
    for (size_t i = 0; i < count && (all || i < SHOWN); i++)
        text_table_row(table, "%.2f\t%.6g\t%.6g\t%s", found_sqnr(order[i]), order[i]->m.worst,
                       order[i]->m.amax, order[i]->layer.name);
    text_table_write(table, out);
    if (!all && count > SHOWN)
        output_print(out, "and %zu layers with smaller errors; --list shows all\n", count - SHOWN);
    if (missing)
        output_print(out, "%zu layers are not in the reference\n", missing);
    free(order);
}

/* ---- the schemes ----------------------------------------------------------------------------- */

void checkpoint_list_schemes(void)
{
    const layer_scheme *s;
    for (size_t i = 0; (s = layer_scheme_at(i)) != NULL; i++)
        printf("%s\n  codes     NAME%s, %s\n  scales    NAME%s, %s%s\n%s%s%s  recipe    %s\n"
               "  evidence  %s\n",
               s->name, s->codes, s->code_dtypes, s->scale, s->scale_dtypes,
               s->per_tensor ? ", one for all" : "", s->second ? "  g         NAME" : "",
               s->second ? s->second : "", s->second ? ", F32\n" : "", s->recipe, s->source);
}
