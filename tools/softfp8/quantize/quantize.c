/* SPDX-License-Identifier: MIT */
/* quantize.c -- softfp8 quantize: a tensor to blocks of codes with scales, as a stack does it */
#include "cli/options.h"
#include "files/blocks_file.h"
#include "quantize/after.h"
#include "quantize/report.h"

#include <stdio.h>
#include <string.h>

typedef struct settings {
    const char *recipe, *from, *g, *path;
    tensor_shape shape;
    sf8_layout layout;
    blocks_paths to;
    int report, lists;
    after_choice after;
} settings;

static const cli_option options[] = {
    HEADING("What to quantize, and how"),
    {"--recipe", "NAME", "how the blocks are quantized ('softfp8 recipes' lists all)",
     TEXT(settings, recipe), .name_at = recipe_name_at},
    {"--from", NULL,
     "the format of the tensor's values; needed for raw data and for bf16, which .npy has no type "
     "for",
     NAME(settings, from, tensor_formats)},
    GROUP(settings, shape, shape_option),
    {"--global-scale", "G",
     "the global scale that some recipes need: a number above 0, its f32 bits as 0x and 8 "
     "hexadecimal digits, or auto. auto computes it from the largest magnitude (amax) of the "
     "tensor, as the recipe does. The digits may stand without 0x if they cannot be a number: "
     "write 0x43e00000 for bits, +43e00000 for the number. Layers that are fused later (q, k and "
     "v) share the g of the largest amax",
     TEXT(settings, g)},
    {"--layout", NULL,
     "the layout of the scales; 4-token needs rows and scales per row that are multiples of 4",
     WORD(settings, layout, blocks_layouts)},
    HEADING("What is computed before"),
    GROUP(settings, after, after_options),
    {"--stages", NULL, "lists the stages of products, which --after takes by name",
     FLAG(settings, lists)},
    HEADING("Output"),
    {"-o --output", "FILE", "writes one file: a text header, codes, scales, offsets",
     PATH(settings, to.whole)},
    {"--codes", "FILE", "writes only the codes, without a header; needs --scales",
     PATH(settings, to.codes)},
    {"--scales", "FILE", "writes only the scales", PATH(settings, to.scales)},
    {"--offsets", "FILE", "writes only the offsets, for recipes that have them",
     PATH(settings, to.offsets)},
    {"--image", "FILE",
     "writes blocks as a GGUF file has them: the scales of a block before its codes; for recipes "
     "with such a format",
     PATH(settings, to.image)},
    {"--report", NULL, "writes the report to standard output; then no output file is needed",
     FLAG(settings, report)},
    {.kind = OPTION_END},
};

static void check_outputs(const settings *o, const blocks_head *h)
{
    const blocks_paths *to = &o->to;
    int parts = to->codes || to->scales || to->offsets;
    int offsets = h->recipe.offset_at == SF8_OFFSET_WORD;
    if (!to->whole && !parts && !to->image && !o->report)
        fail("no output given; expected -o FILE, or --codes and --scales, or --report");
    if (to->whole && parts)
        fail("-o FILE contains all parts: leave out --codes, --scales and --offsets");
    if (to->offsets && !offsets)
        fail("--offsets %s: %s has no offsets", to->offsets, h->row->name);
    if (parts && (!to->codes || !to->scales))
        fail("--codes FILE and --scales FILE need each other");
    if (parts && offsets && !to->offsets)
        fail("%s needs --offsets FILE", h->row->name);
    const char *const outputs[] = {to->whole, to->codes, to->scales, to->offsets, to->image};
    const char *const inputs[] = {o->path};
    outputs_check(outputs, 5, inputs, 1);
    if (o->report && (output_is_standard(to->whole) || output_is_standard(to->codes) ||
                      output_is_standard(to->scales) || output_is_standard(to->offsets) ||
                      output_is_standard(to->image)))
        fail("--report writes to standard output: send no other output there");
}

/* The largest magnitude; NaN if there are only such. */
static uint32_t largest_of(const tensor *t)
{
    uint32_t amax = SF8_F32_NAN;
    for (size_t i = 0; i < t->shape.rows * t->shape.columns; i++)
        amax = sf8_f32_most(amax, sf8_f32_magnitude(tensor_f32(t, i)));
    return amax;
}

static void say(const settings *o, const char *text)
{
    if (!o->report) {
        fputs(text, stderr);
        return;
    }
    output *out = output_open(NULL);
    output_write(out, text, strlen(text));
    output_close(out);
}

static int run(int argc, char **argv)
{
    settings o = {0};
    blocks b;
    const char *why;
    char report[REPORT_SIZE] = "";
    memset(&b, 0, sizeof b);
    o.path = options_read(&command_quantize, argc, argv, &o) ? argv[0] : NULL;
    if (o.lists) {
        after_list();
        return STATUS_HELD;
    }
    if (!o.recipe)
        fail("--recipe NAME is missing ('softfp8 recipes' lists all)");
    if (!o.path)
        fail("no TENSOR given; expected a file, or - for standard input");
    b.head.row = recipe_of_name(o.recipe, &b.head.recipe);
    check_outputs(&o, &b.head);
    after_check(&o.after);
    if (!o.g || strcmp(o.g, "auto") != 0)
        recipe_g(b.head.row, o.g, SF8_F32, 0); /* before a long file is read */
    tensor t = after_computed(&o.after, input_name(o.path), tensor_read(o.path, o.from, o.shape));
    b.head.from = t.format_name;
    b.head.shape = t.shape;
    b.head.layout = o.layout;
    b.head.g = recipe_g(b.head.row, o.g, t.format, largest_of(&t));
    if (!blocks_measure(&b.head, &why))
        fail_at(input_name(o.path), 0, "%zu x %zu elements, layout %s: %s", t.shape.rows,
                t.shape.columns, sf8_layout_name(o.layout), why);
    blocks_allocate(&b);
    if (sf8_quantize_n(&b.head.recipe, b.codes, b.scales, b.offsets, t.format, t.words,
                       t.shape.rows, t.shape.columns, sf8_f32_from_bits(b.head.g)) != SF8_OK)
        fail_at(input_name(o.path), 0, "internal error: the tensor cannot be quantized");
    quantize_report(&b, &t, report);
    blocks_write(&b, &o.to);
    say(&o, report);
    blocks_free(&b);
    tensor_free(&t);
    return STATUS_HELD;
}

const command command_quantize = {
    .name = "quantize",
    .purpose = "Quantizes a tensor in blocks with scales, as a given stack does.",
    .example = "  $ softfp8 quantize --recipe nvfp4-te --global-scale auto -o w.blocks w.npy\n",
    .usage = "quantize --recipe NAME [options] TENSOR",
    .about = "TENSOR is a .npy file of type <f4 or <f2 (or <u2 for bf16) in C order, or raw "
             "little-endian data. One dimension is one row; of more than two the last is the "
             "columns. A report on standard error says what was lost: elements that were "
             "saturated, NaN, blocks of zeros, and the errors after dequantize, over all elements "
             "that are numbers before and after.\n"
             "Codes are packed row by row, the first in the low bits, and each row is padded to a "
             "byte. Some recipes pack element j of a block with element j + half a block. Scales "
             "and offsets are little-endian values of 1, 2 or 4 bytes. A block of several rows has "
             "one row of scales.",
    .more = "  $ softfp8 quantize --recipe mxfp8-te --after relu2 -o y.blocks x.npy\n"
            "  $ softfp8 dequantize -o back.npy w.blocks\n",
    .options = options,
    .operands = "tensor",
    .operands_most = 1,
    .complete = "file",
    .run = run,
};
