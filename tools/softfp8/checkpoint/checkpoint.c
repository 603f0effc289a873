/* SPDX-License-Identifier: MIT */
/* checkpoint.c -- softfp8 checkpoint: which formats a checkpoint has, what is odd in it, how far
 * its values are from others
 */
#include "checkpoint/report.h"
#include "cli/options.h"
#include "files/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    const char *output, *json, *html, *tensor, *extract;
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
    {"--list", NULL, "shows each quantized layer: recipe, shape, scales, global scale, amax",
     FLAG(settings, list)},
    {"--schemes", NULL,
     "lists the schemes that are known: the names of their tensors, the recipe, and the evidence",
     FLAG(settings, schemes)},
    {"--reference", "FILE",
     "a .safetensors or .gguf file, or a folder of them, with the layers before they were "
     "quantized, in f32, bf16 or f16. Shows the error of each layer, the worst first, and finds "
     "layers that cannot be "
     "a rounding of it. May be given several times",
     .kind = OPTION_CALL, .take = take_reference, .complete = "file"},
    {"--tensor", "NAME",
     "writes the values of one layer, or of one tensor that is not quantized, as .npy in f32; "
     "needs -o",
     TEXT(settings, tensor)},
    {"--extract", "NAME",
     "writes one tensor as it is in the file, codes as bytes, as .npy; needs -o. 'layout identify' "
     "and other commands read it as FILE.safetensors:NAME or FILE.gguf:NAME, too",
     TEXT(settings, extract)},
    GROUP(settings, output, output_option),
    GROUP(settings, json, json_option),
    GROUP(settings, html, html_option),
    {.kind = OPTION_END},
};

/* ---- the layers ------------------------------------------------------------------------------ */

/* No file that is read may be written; a folder may have it. */
static void open_all(safetensors *s, const char *const *paths, size_t count, const settings *o)
{
    for (size_t i = 0; i < count; i++)
        safetensors_add(s, paths[i]);
    for (size_t i = 0; i < s->files; i++) {
        output_check_input(o->output, s->path[i]);
        output_check_input(o->json, s->path[i]);
    }
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

/* Whether some of the last axes are the columns, so that the values lie in the same order. */
static int has_columns(const safetensor *t, size_t columns)
{
    size_t product = 1;
    for (int i = t->dimensions; i-- > 0 && product < columns;)
        product *= t->axis[i];
    return product == columns || t->count == 0;
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
    if (t && !has_columns(t, l->shape.columns))
        fail_at(c->reference.path[t->file], 0,
                "%s has rows of %zu values; the layer has rows of %zu, perhaps because one of them "
                "is transposed",
                t->name, t->dimensions ? t->axis[t->dimensions - 1] : 1, l->shape.columns);
    return t;
}

static void measure_layers(checkpoint *c)
{
    const found *missing = NULL;
    size_t compared = 0;
    for (size_t i = 0; i < c->layers; i++) {
        found *f = &c->layer[i];
        if (!f->layer.scheme)
            continue;
        int compared_to = c->reference.count && layer_has_values(&f->layer);
        f->like = compared_to ? reference_of(c, &f->layer) : NULL;
        missing = f->like ? missing : f;
        compared += f->like != NULL;
        layer_measure_all(&c->tensors, &f->layer, &c->reference, f->like, NULL, &f->m);
    }
    if (c->reference.files && missing && !compared)
        fail_at(c->reference.path[0], 0,
                "the reference has the weights of no layer; expected names such as %s.weight",
                missing->layer.name);
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
    if (l && !layer_has_values(l))
        fail("--tensor %s: the values of %s are not read; --extract writes its blocks", name,
             l->codes->dtype);
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

/* Its words or codes, not their values. */
static void extract_tensor(const checkpoint *c, const char *from, const char *name,
                           const char *path)
{
    size_t size;
    char *bytes = safetensors_npy(&c->tensors, safetensors_named(&c->tensors, from, name), "<u2",
                                  &size);
    output *out = output_open(path);
    output_write(out, bytes, size);
    output_close(out);
    free(bytes);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void write_text(output *out, const settings *o, const checkpoint *c)
{
    output_print(out, "%zu tensor%s in %zu file%s, %zu quantized layer%s\n", c->tensors.count,
                 c->tensors.count == 1 ? "" : "s", c->tensors.files,
                 c->tensors.files == 1 ? "" : "s", c->layers - c->unknown,
                 c->layers - c->unknown == 1 ? "" : "s");
    checkpoint_show_schemes(out, c);
    checkpoint_show_rest(out, c);
    checkpoint_show_findings(out, c);
    if (o->list)
        checkpoint_show_list(out, c);
    if (c->reference.files)
        checkpoint_show_errors(out, c, o->list);
    checkpoint_show_next(out, c);
}

typedef struct reported {
    const settings *o;
    checkpoint *c;
} reported;

static void put_json(output *out, const void *report)
{
    checkpoint_json(out, ((const reported *)report)->c);
}

static void put_words(output *out, const void *report)
{
    const reported *r = report;
    write_text(out, r->o, r->c);
}

static int report(const settings *o, checkpoint *c)
{
    measure_layers(c);
    checkpoint_find(c);
    page_write(&(page_report){.command = "checkpoint",
                              .json = o->json,
                              .html = o->html,
                              .text = o->output,
                              .put_json = put_json,
                              .put_words = put_words,
                              .report = &(reported){o, c}});
    return c->findings.count ? STATUS_MISMATCH : STATUS_HELD;
}

/* Fails on options that cannot be combined. */
static void check_options(const settings *o, size_t count)
{
    if (o->schemes &&
        (count || o->list || o->references || o->tensor || o->extract || o->output || o->json))
        fail("--schemes cannot be combined with other options or files");
    if (!o->schemes && count == 0)
        fail("no FILE given; expected .safetensors or .gguf files, or a folder");
    if (o->tensor && (!o->output || o->list || o->references || o->json))
        fail("--tensor needs -o FILE, and excludes --list, --reference and --json");
    if (o->extract && (!o->output || o->list || o->references || o->json || o->tensor))
        fail("--extract needs -o FILE, and excludes --list, --reference, --json and --tensor");
}

static int run(int argc, char **argv)
{
    settings o;
    checkpoint c;
    int status = STATUS_HELD;
    memset(&o, 0, sizeof o);
    memset(&c, 0, sizeof c);
    size_t count = options_read(&command_checkpoint, argc, argv, &o);
    check_options(&o, count);
    if (o.schemes) {
        checkpoint_list_schemes();
        return STATUS_HELD;
    }
    const char *const *paths = (const char *const *)argv;
    const char *const outputs[] = {o.output, o.json};
    open_all(&c.tensors, paths, count, &o);
    open_all(&c.reference, o.reference, o.references, &o);
    outputs_check(outputs, 2, NULL, 0);
    find_layers(&c);
    if (o.tensor)
        write_tensor(&c, o.tensor, o.output);
    else if (o.extract)
        extract_tensor(&c, paths[0], o.extract, o.output);
    else
        status = report(&o, &c);
    checkpoint_free_findings(&c);
    free(c.layer);
    safetensors_close(&c.tensors);
    safetensors_close(&c.reference);
    return status;
}

const command command_checkpoint = {
    .name = "checkpoint",
    .purpose = "Shows which formats a model's files have, and finds damage.",
    .example = "  $ softfp8 checkpoint models/deepseek\n",
    .usage = "checkpoint [options] FILE...\n"
             "checkpoint --tensor NAME -o VALUES.npy FILE...\n"
             "checkpoint --extract NAME -o CODES.npy FILE...\n"
             "checkpoint --schemes",
    .about =
        "Reads .safetensors files, or all of a folder, and finds the quantized layers by the "
        "names, dtypes and shapes of their tensors: NVFP4, MXFP4, MXFP8 and FP8, as ModelOpt, "
        "compressed-tensors, DeepSeek, gpt-oss, ComfyUI and MLX write them. .gguf files of "
        "llama.cpp "
        "are read, too, with all parts of a model. It names the recipe of "
        "each, which is the rule by which codes and scales become values; other commands take "
        "that name.\n"
        "All codes and scales are read. Findings are codes, scales and values that are NaN or "
        "infinite, negative scales, scales that are all 0, scales with an unexpected shape, and "
        "scales of KV caches or inputs that are not positive. With --reference, so are layers "
        "that no rounding of the reference gives: a wrong factor and swapped nibbles are named. "
        "A layer with much larger or smaller values than others of its kind is shown, but is no "
        "finding. The exit status is 1 if there is a finding.",
    .more = "  $ softfp8 checkpoint --reference bf16.safetensors fp8.safetensors\n",
    .options = options,
    .operands = "FILE",
    .operands_most = OPERANDS_ANY,
    .complete = "file",
    .run = run,
};
