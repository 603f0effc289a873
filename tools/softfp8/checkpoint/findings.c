/* SPDX-License-Identifier: MIT */
/* findings.c -- what is odd in a checkpoint, and what is unusual */
#include "checkpoint/report.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scales of caches and inputs ------------------------------------------------------------- */

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

/* ---- lists ----------------------------------------------------------------------------------- */

const char *finding_name(const finding *f)
{
    return f->layer ? f->layer->name : f->tensor->name;
}

/* Unless the text is empty. */
static void add(finding_list *list, const layer *l, const safetensor *t, const char *text)
{
    if (!*text)
        return;
    list->at = grow(list->at, list->count, &list->room, sizeof *list->at);
    finding f = {l, t, text_of("%s", text)};
    list->at[list->count++] = f;
}

static void free_list(finding_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->at[i].text);
    free(list->at);
}

void checkpoint_free_findings(checkpoint *c)
{
    free_list(&c->findings);
    free_list(&c->remarks);
}

/* ---- findings -------------------------------------------------------------------------------- */

/* "; negative scales: 3" */
static void add_count(char *text, size_t size, size_t count, const char *what)
{
    size_t used = strlen(text);
    if (count)
        snprintf(text + used, size - used, "%s%s: %zu", used ? "; " : "", what, count);
}

static void add_text(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    if (*more)
        snprintf(text + used, size - used, "%s%s", used ? "; " : "", more);
}

/* What is odd in a layer, or "". */
static void findings_of(const checkpoint *c, const found *f, char *text, size_t size)
{
    const layer_measure *m = &f->m;
    char more[512];
    text[0] = '\0';
    if (!f->layer.scheme) {
        snprintf(text, size, "%s fit no scheme", f->layer.why);
        return;
    }
    add_count(text, size, m->nan_codes, "NaN codes");
    add_count(text, size, m->nan_scales, "NaN or infinite scales");
    add_count(text, size, m->negative_scales, "negative scales");
    add_count(text, size, m->nan_offsets, "NaN or infinite offsets");
    /* A block of zeros has the scale 0 by some recipes. */
    add_count(text, size, m->zero_scales == m->scales ? m->scales : 0, "scales, which are all 0");
    if (f->layer.second && !(m->g > 0 && m->g - m->g == 0)) {
        snprintf(more, sizeof more, "%s is %g", f->layer.second->name, (double)m->g);
        add_text(text, size, more);
    }
    add_count(text, size, m->infinite_values, "infinite values");
    add_count(text, size, m->nan_values > m->nan_codes ? m->nan_values : 0, "NaN values");
    add_count(text, size, m->nan_reference, "NaN or infinite values in the reference");
    checkpoint_judge(c, f, more, sizeof more);
    add_text(text, size, more);
}

/* Scales of caches and of inputs, of which each has to be a positive number. */
static void find_odd_scalars(checkpoint *c)
{
    for (size_t i = 0; i < c->tensors.count; i++) {
        const safetensor *t = &c->tensors.tensor[i];
        scalars n = {0, 0, 0, 0, 0};
        char text[128] = "";
        add_scalars(&n, c, t, cache_scales);
        add_scalars(&n, c, t, input_scales);
        add_count(text, sizeof text, n.odd, "scales that are not positive numbers");
        add(&c->findings, NULL, t, text);
    }
}

/* ---- layers of one kind ---------------------------------------------------------------------- */

/* A layer among those whose names differ in numbers alone. */
typedef struct member {
    const found *f;
    char kind[SAFETENSORS_NAME];
} member;

/* "model.layers.#.mlp.up_proj" */
static void kind_of(const char *name, char kind[SAFETENSORS_NAME])
{
    size_t n = 0;
    for (; *name; name++) {
        int digit = isdigit((unsigned char)*name) != 0;
        if (!digit || n == 0 || kind[n - 1] != '#')
            kind[n++] = digit ? '#' : *name;
    }
    kind[n] = '\0';
}

/* By kind, and by size. */
static int by_kind(const void *a, const void *b)
{
    const member *x = a, *y = b;
    int order = strcmp(x->kind, y->kind);
    if (order)
        return order;
    return (x->f->m.rms > y->f->m.rms) - (x->f->m.rms < y->f->m.rms);
}

/* Layers of one kind in the order of their size: those beyond a wide gap, of which there are fewer
 * than on the other side of it, get a remark. Weights of one kind do differ, but rarely so much. */
static void remark_kind(checkpoint *c, const member *list, size_t count)
{
    enum { FEWEST = 4 };
    const double wide = 6;
    size_t low = 0, high = count; /* the usual ones: from low to before high */
    char text[256];
    for (size_t i = 1; count >= FEWEST && i < count; i++)
        if (list[i].f->m.rms >= wide * list[i - 1].f->m.rms) {
            low = i <= (count - 1) / 2 ? i : low;
            high = i > count / 2 && high == count ? i : high;
        }
    for (size_t i = 0; i < count; i++) {
        if (i >= low && i < high)
            continue;
        double size = list[i].f->m.rms, least = list[low].f->m.rms, most = list[high - 1].f->m.rms;
        snprintf(
            text, sizeof text,
            "the RMS of its values is %.3g; that of %zu layers of the same kind is %.3g to %.3g",
            size, high - low, least, most);
        if (!list[i].f->like) /* a reference says more */
            add(&c->remarks, &list[i].f->layer, NULL, text);
    }
}

static void find_unusual(checkpoint *c)
{
    member *list = allocate(c->layers, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < c->layers; i++) {
        const found *f = &c->layer[i];
        if (!f->layer.scheme || f->m.rms == 0 || f->m.nan_values || f->m.infinite_values)
            continue;
        list[count].f = f;
        kind_of(f->layer.name, list[count++].kind);
    }
    if (count)
        qsort(list, count, sizeof *list, by_kind);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && strcmp(list[i].kind, list[end].kind) == 0;)
            end++;
        remark_kind(c, list + i, end - i);
    }
    free(list);
}

void checkpoint_find(checkpoint *c)
{
    char text[2048];
    for (size_t i = 0; i < c->layers; i++) {
        const found *f = &c->layer[i];
        findings_of(c, f, text, sizeof text);
        add(&c->findings, &f->layer, NULL, text);
        c->corrected += !*text && checkpoint_is_corrected(f);
        if (*text)
            continue;
        checkpoint_clipped(f, text, sizeof text);
        add(&c->remarks, &f->layer, NULL, text);
        if (!*text && f->m.largest_codes > f->m.codes / 4)
            snprintf(text, sizeof text, "%zu of %zu codes are at an end of their range",
                     f->m.largest_codes, f->m.codes);
        else
            text[0] = '\0';
        add(&c->remarks, &f->layer, NULL, text);
    }
    find_odd_scalars(c);
    find_unusual(c);
}
