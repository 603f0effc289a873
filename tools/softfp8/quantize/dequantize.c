/* SPDX-License-Identifier: MIT */
/* dequantize.c -- softfp8 dequantize: blocks of codes with scales back to a tensor */
#include "cli/options.h"
#include "files/blocks_file.h"

#include <stdio.h>
#include <string.h>

static const char *const forms[] = {"npy", "raw", "text", NULL};
enum { FORM_AUTO = -1, AS_NPY, AS_RAW, AS_TEXT };

typedef struct settings {
    const char *recipe, *g, *to, *path;
    tensor_shape shape;
    int layout; /* -1: not said */
    int form;
    blocks_paths from;
} settings;

static const cli_option options[] = {
    HEADING("Output"),
    {"--to", NULL, "the format of the values, rounded to nearest from f32. Default: f32",
     NAME(settings, to, tensor_formats)},
    {"--format", NULL,
     "npy (bf16 as <u2), raw data, or text: one row per line, in digits that read back exactly. "
     "Default: npy with -o, text without",
     WORD(settings, form, forms)},
    GROUP(settings, path, output_option),
    HEADING("Input without a header"),
    {"--recipe", "NAME", "the recipe ('softfp8 recipes' lists all)", TEXT(settings, recipe),
     .name_at = recipe_name_at},
    GROUP(settings, shape, shape_option),
    {"--codes", "FILE", "the codes; needs --scales", PATH(settings, from.codes)},
    {"--scales", "FILE", "the scales", PATH(settings, from.scales)},
    {"--offsets", "FILE", "the offsets, for recipes that have them", PATH(settings, from.offsets)},
    {"--image", "FILE", "the blocks as quantize --image writes them", PATH(settings, from.image)},
    {"--global-scale", "G", "the global scale: a number, or its f32 bits as 8 hexadecimal digits",
     TEXT(settings, g)},
    {"--layout", NULL, "the layout of the scales", WORD(settings, layout, blocks_layouts)},
    {.kind = OPTION_END},
};

/* The global scale of stored blocks: there is no tensor to compute it from. */
static uint32_t given_g(const sf8_recipe_row *row, const char *text)
{
    uint32_t g;
    int has_g = strstr(row->properties, "g=") != NULL;
    if (has_g && !text)
        fail("%s needs --global-scale: the global scale that the blocks were made with", row->name);
    const char *wrong = has_g ? recipe_g_wrong(text, &g) : NULL;
    if (wrong)
        fail("--global-scale %s: %s", text,
             strcmp(text, "auto") == 0 ? "expected a number; there is no tensor to compute it from"
                                       : wrong);
    return recipe_g(row, text, SF8_F32, 0);
}

/* A file with a head says all of it; otherwise the head is made of the options. */
static void settle(const settings *o, blocks_head *h)
{
    const char *why;
    const blocks_paths *p = &o->from;
    int parts = p->codes || p->scales || p->offsets || p->image;
    if (p->whole && (parts || o->recipe || o->shape.rows || o->g || o->layout >= 0))
        fail("%s has a header: leave out --recipe, --shape, --global-scale, --layout, --codes, "
             "--scales, "
             "--offsets",
             input_name(p->whole));
    if (p->whole)
        return;
    if (p->image && (p->codes || p->scales || p->offsets))
        fail("--image FILE contains codes, scales and offsets: leave out --codes, --scales, "
             "--offsets");
    if (!p->image && (!p->codes || !p->scales))
        fail("no FILE given; expected FILE, or --codes FILE and --scales FILE");
    if (!o->recipe || !o->shape.rows)
        fail("--%s needs --recipe NAME and --shape ROWS,COLUMNS", p->image ? "image" : "codes");
    h->row = recipe_of_name(o->recipe, &h->recipe);
    h->g = given_g(h->row, o->g);
    h->shape = o->shape;
    h->layout = o->layout >= 0 ? (sf8_layout)o->layout : SF8_LAYOUT_LINEAR;
    if (!p->image && (h->recipe.offset_at == SF8_OFFSET_WORD) != (p->offsets != NULL))
        fail("%s: %s", h->row->name,
             p->offsets ? "this recipe has no offsets: leave out --offsets"
                        : "--offsets FILE is missing");
    if (!blocks_measure(h, &why))
        fail("--shape %zu,%zu, layout %s: %s", h->shape.rows, h->shape.columns,
             sf8_layout_name(h->layout), why);
    if ((output_is_standard(p->codes) != 0) + (output_is_standard(p->scales) != 0) +
            (output_is_standard(p->offsets) != 0) >
        1)
        fail("only one part can come from standard input");
}

static int run(int argc, char **argv)
{
    settings o = {.to = "f32", .layout = FORM_AUTO, .form = FORM_AUTO};
    o.from.whole = options_read(&command_dequantize, argc, argv, &o) ? argv[0] : NULL;
    blocks b;
    memset(&b, 0, sizeof b);
    settle(&o, &b.head);
    const char *inputs[] = {o.from.whole, o.from.codes, o.from.scales, o.from.offsets};
    outputs_check(&o.path, 1, inputs, o.from.whole ? 1 : 4);
    blocks_read(&b, &o.from);
    tensor t = {.format_name = o.to, .format = format_of_name(o.to), .shape = b.head.shape};
    t.words = allocate(t.shape.rows * t.shape.columns, tensor_width(t.format));
    if (sf8_dequantize_n(&b.head.recipe, t.format, t.words, b.codes, b.scales, b.offsets,
                         t.shape.rows, t.shape.columns, sf8_f32_from_bits(b.head.g)) != SF8_OK)
        fail("internal error: the blocks cannot be read back");
    int form = o.form != FORM_AUTO ? o.form : o.path ? AS_NPY : AS_TEXT;
    output *out = output_open(o.path);
    if (form == AS_NPY)
        tensor_write_npy(out, &t);
    else if (form == AS_RAW)
        tensor_write_raw(out, &t);
    else
        tensor_write_text(out, &t);
    output_close(out);
    blocks_free(&b);
    tensor_free(&t);
    return STATUS_HELD;
}

const command command_dequantize = {
    .name = "dequantize",
    .purpose = "Turns quantized blocks back into a tensor.",
    .example = "  $ softfp8 dequantize -o back.npy w.blocks\n",
    .usage = "dequantize [options] FILE\n"
             "dequantize --recipe NAME --shape R,C --codes FILE --scales FILE\n"
             "dequantize --recipe NAME --shape R,C --image FILE [options]",
    .about = "Reads what quantize writes, as the recipe's stack reads it: one file with a header, "
             "or codes, scales and offsets in separate files (raw bytes, or .npy), or GGUF blocks. A file with a header "
             "needs no other options. A file that contradicts its header, or whose size does not "
             "fit the shape, is refused.",
    .more = "  $ softfp8 dequantize --recipe mxfp4-floor --shape 2,64 --codes c --scales s\n",
    .options = options,
    .operands = "file",
    .operands_most = 1,
    .complete = "file",
    .run = run,
};
