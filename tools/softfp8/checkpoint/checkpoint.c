/* SPDX-License-Identifier: MIT */
/* checkpoint.c -- softfp8 checkpoint: which formats a checkpoint has, what is odd in it, how far its
 * values are from others
 */
#include "checkpoint/layers.h"
#include "cli/options.h"
#include "cli/text_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    const char *output, *tensor;
    const char *reference[256];
    size_t references;
    int list, schemes;
} settings;

static void take_reference(void *place, const cli_option *option, const char *path)
{
    settings *o = place;
    (void)option;
    if (o->references == sizeof o->reference / sizeof o->reference[0])
        fail("more than 256 files");
    o->reference[o->references++] = path;
}

static const cli_option options[] = {
    HEADING("What to do"),
    {"--list", NULL, "shows each quantized layer: recipe, shape, scales, second scale, amax",
     FLAG(settings, list)},
    {"--schemes", NULL,
     "lists the schemes that are known: the names of their tensors, the recipe, and the evidence",
     FLAG(settings, schemes)},
    {"--reference", "FILE",
     "a .safetensors file with the layers before they were quantized, in f32, bf16 or f16. Shows "
     "the error of each layer, the worst first. May be given several times",
     .kind = OPTION_CALL, .take = take_reference, .complete = "file"},
    {"--tensor", "NAME",
     "writes the values of one layer, or of one tensor that is not quantized, as .npy in f32; "
     "needs -o",
     TEXT(settings, tensor)},
    GROUP(settings, output, output_option),
    {.kind = OPTION_END},
};

/* ---- the layers ------------------------------------------------------------------------------ */

typedef struct found {
    layer layer;
    layer_measure m;
    const safetensor *like; /* in the reference */
} found;

typedef struct checkpoint {
    safetensors tensors, reference;
    found *layer;
    size_t layers, unknown; /* unknown: with scales, but of no scheme */
} checkpoint;

static void open_all(safetensors *s, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        safetensors_add(s, paths[i]);
    safetensors_sort(s);
}

static void find_layers(checkpoint *c)
{
    c->layer = allocate(c->tensors.count ? c->tensors.count : 1, sizeof *c->layer);
    for (size_t i = 0; i < c->tensors.count; i++) {
        found *f = &c->layer[c->layers];
        if (!layer_of(&c->tensors, &c->tensors.tensor[i], &f->layer))
            continue;
        c->layers++;
        c->unknown += !f->layer.scheme;
    }
}

/* The tensor of a layer's weights: "NAME.weight" or "NAME". */
static const safetensor *weights_named(const safetensors *s, const char *name)
{
    char full[2 * SAFETENSORS_NAME];
    snprintf(full, sizeof full, "%s.weight", name);
    const safetensor *t = safetensors_find(s, full);
    return t ? t : safetensors_find(s, name);
}

static const safetensor *reference_of(const checkpoint *c, const layer *l)
{
    const safetensor *t = weights_named(&c->reference, l->name);
    if (t && (strcmp(t->dtype, "F32") != 0 && strcmp(t->dtype, "BF16") != 0 &&
              strcmp(t->dtype, "F16") != 0))
        fail_at(c->reference.path[t->file], 0, "%s has the dtype %s: expected F32, BF16 or F16",
                t->name, t->dtype);
    if (t && t->count != l->shape.rows * l->shape.columns)
        fail_at(c->reference.path[t->file], 0, "%s has %zu values; the layer has %zu", t->name,
                t->count, l->shape.rows * l->shape.columns);
    return t;
}

static void measure_layers(checkpoint *c)
{
    for (size_t i = 0; i < c->layers; i++) {
        found *f = &c->layer[i];
        if (!f->layer.scheme)
            continue;
        f->like = c->reference.count ? reference_of(c, &f->layer) : NULL;
        layer_measure_all(&c->tensors, &f->layer, &c->reference, f->like, NULL, &f->m);
    }
}

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

static int ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

/* Tensors with one value, by the end of their names: how many, and their range. */
static void show_scalars(output *out, const checkpoint *c, const char *const *ends,
                         const char *what)
{
    double least = INFINITY, most = -INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < c->tensors.count; i++) {
        const safetensor *t = &c->tensors.tensor[i];
        float value;
        int named = 0;
        for (size_t k = 0; ends[k]; k++)
            named |= ends_with(t->name, ends[k]);
        if (!named || t->count != 1 || !layer_plain(&c->tensors, t, 0, 1, &value))
            continue;
        count++;
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    if (count)
        output_print(out, "  %5zu  %s, %.6g to %.6g%s\n", count, what, least, most,
                     least == 1 && most == 1 ? ": all are 1, as without a calibration" : "");
}

static void show_schemes(output *out, const checkpoint *c)
{
    const layer_scheme *scheme;
    for (size_t i = 0; (scheme = layer_scheme_at(i)) != NULL; i++) {
        size_t count = 0;
        for (size_t k = 0; k < c->layers; k++)
            count += c->layer[k].layer.scheme == scheme;
        if (count)
            output_print(out, "  %5zu  %s: recipe %s%s%s\n", count, scheme->name, scheme->recipe,
                         scheme->second ? ", g is " : "", scheme->second ? scheme->second + 1 : "");
    }
    if (c->unknown)
        output_print(out, "  %5zu  with scales, but of no scheme that is known\n", c->unknown);
}

static void show_rest(output *out, const checkpoint *c)
{
    static const char *const caches[] = {"k_scale", "v_scale", "kv_scale", NULL};
    static const char *const inputs[] = {"input_scale", "activation_scale", "input_global_scale",
                                         NULL};
    size_t rest = 0;
    for (size_t i = 0; i < c->tensors.count; i++)
        rest += !is_scale_of(c, &c->tensors.tensor[i]);
    if (rest)
        output_print(out, "  %5zu  tensors that belong to no quantized layer; among them\n", rest);
    show_scalars(out, c, caches, "scales of KV caches");
    show_scalars(out, c, inputs, "scales of inputs");
}

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

static int show_findings(output *out, const checkpoint *c)
{
    char text[1024];
    int any = 0;
    for (size_t i = 0; i < c->layers; i++) {
        findings_of(&c->layer[i], text, sizeof text);
        if (!text[0])
            continue;
        if (!any++)
            output_print(out, "findings\n");
        output_print(out, "  %s: %s\n", c->layer[i].layer.name, text);
    }
    if (!any && c->layers)
        output_print(out, "nothing odd in the codes and scales\n");
    return any;
}

static void show_list(output *out, const checkpoint *c)
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

static double sqnr_of(const found *f)
{
    return f->m.noise == 0 ? INFINITY : 10 * log10(f->m.signal / f->m.noise);
}

static int worst_first(const void *a, const void *b)
{
    const found *const *x = a, *const *y = b;
    double p = sqnr_of(*x), q = sqnr_of(*y);
    return p != q ? (p < q || p != p ? -1 : 1) : strcmp((*x)->layer.name, (*y)->layer.name);
}

static void show_errors(output *out, const checkpoint *c, int all)
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
        text_table_row(table, "%.2f\t%.6g\t%.6g\t%s", sqnr_of(order[i]), order[i]->m.worst,
                       order[i]->m.amax, order[i]->layer.name);
    text_table_write(table, out);
    if (!all && count > SHOWN)
        output_print(out, "and %zu layers with smaller errors; --list shows all\n", count - SHOWN);
    if (missing)
        output_print(out, "%zu layers are not in the reference\n", missing);
    free(order);
}

/* ---- one tensor ------------------------------------------------------------------------------ */

static void write_tensor(const checkpoint *c, const char *name, const char *path)
{
    tensor t = {.format = SF8_F32, .format_name = "f32"};
    const safetensor *plain = weights_named(&c->tensors, name);
    const layer *l = NULL;
    for (size_t i = 0; i < c->layers && !l; i++)
        if (strcmp(c->layer[i].layer.name, name) == 0 || c->layer[i].layer.codes == plain)
            l = &c->layer[i].layer;
    if (l && !l->scheme)
        fail("--tensor %s: %s fit no scheme", name, l->why);
    if (!l && !plain)
        fail("--tensor %s: no layer and no tensor has that name; --list shows the layers", name);
    if (l) {
        layer_measure m;
        t.shape = l->shape;
        t.words = allocate(t.shape.rows * t.shape.columns, sizeof(float));
        layer_measure_all(&c->tensors, l, NULL, NULL, t.words, &m);
    } else {
        t.shape.columns = plain->dimensions ? plain->axis[plain->dimensions - 1] : 1;
        t.shape.rows = t.shape.columns ? plain->count / t.shape.columns : 0;
        t.words = allocate(plain->count ? plain->count : 1, sizeof(float));
        if (!layer_plain(&c->tensors, plain, 0, plain->count, t.words))
            fail("--tensor %s: the dtype %s; expected F32, BF16, F16 or a quantized layer", name,
                 plain->dtype);
    }
    output *out = output_open(path);
    tensor_write_npy(out, &t);
    output_close(out);
    tensor_free(&t);
}

/* ---- the schemes ----------------------------------------------------------------------------- */

static void list_schemes(void)
{
    const layer_scheme *s;
    for (size_t i = 0; (s = layer_scheme_at(i)) != NULL; i++)
        printf("%s\n  codes     NAME%s, %s\n  scales    NAME%s, %s%s\n%s%s%s  recipe    %s\n"
               "  evidence  %s\n",
               s->name, s->codes, s->code_dtypes, s->scale, s->scale_dtypes,
               s->per_tensor ? ", one for all" : "", s->second ? "  g         NAME" : "",
               s->second ? s->second : "", s->second ? ", F32\n" : "", s->recipe, s->source);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int report(const settings *o, checkpoint *c)
{
    output *out = output_open(o->output);
    measure_layers(c);
    output_print(out, "%zu tensors in %zu file%s, %zu quantized layer%s\n", c->tensors.count,
                 c->tensors.files, c->tensors.files == 1 ? "" : "s", c->layers - c->unknown,
                 c->layers - c->unknown == 1 ? "" : "s");
    show_schemes(out, c);
    show_rest(out, c);
    int any = show_findings(out, c);
    if (o->list)
        show_list(out, c);
    if (c->reference.files)
        show_errors(out, c, o->list);
    output_close(out);
    return any ? STATUS_MISMATCH : STATUS_HELD;
}

static int run(int argc, char **argv)
{
    settings o;
    checkpoint c;
    int status = STATUS_HELD;
    memset(&o, 0, sizeof o);
    memset(&c, 0, sizeof c);
    size_t count = options_read(&command_checkpoint, argc, argv, &o);
    if (o.schemes && (count || o.list || o.references || o.tensor || o.output))
        fail("--schemes cannot be combined with other options or files");
    if (o.schemes) {
        list_schemes();
        return STATUS_HELD;
    }
    if (count == 0)
        fail("no FILE given; expected .safetensors files");
    if (o.tensor && (!o.output || o.list || o.references))
        fail("--tensor needs -o FILE, and excludes --list and --reference");
    const char *const *paths = (const char *const *)argv;
    outputs_check(&o.output, 1, paths, count);
    open_all(&c.tensors, paths, count);
    open_all(&c.reference, o.reference, o.references);
    find_layers(&c);
    if (o.tensor)
        write_tensor(&c, o.tensor, o.output);
    else
        status = report(&o, &c);
    free(c.layer);
    safetensors_close(&c.tensors);
    safetensors_close(&c.reference);
    return status;
}

const command command_checkpoint = {
    .name = "checkpoint",
    .purpose = "Shows which formats a model's files have, and finds damage.",
    .example = "  $ softfp8 checkpoint model-00001.safetensors model-00002.safetensors\n",
    .usage = "checkpoint [options] FILE...\n"
             "checkpoint --tensor NAME -o VALUES.npy FILE...\n"
             "checkpoint --schemes",
    .about = "Reads .safetensors files, and finds the quantized layers by the names, dtypes and "
             "shapes of their tensors: NVFP4, MXFP4, MXFP8 and FP8, as ModelOpt, "
             "compressed-tensors, DeepSeek and gpt-oss write them. All codes and scales are read. "
             "It reports codes and scales that are NaN, negative scales, scales that are all 0, "
             "layers whose scales have an unexpected shape, and the scales of KV caches. The exit "
             "status is 1 if there is such a finding.",
    .more = "  $ softfp8 checkpoint --reference bf16.safetensors fp8.safetensors\n",
    .options = options,
    .operands = "FILE",
    .operands_most = OPERANDS_ANY,
    .complete = "file",
    .run = run,
};
