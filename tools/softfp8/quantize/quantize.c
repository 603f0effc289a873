/* SPDX-License-Identifier: MIT */
/* quantize.c -- softfp8 quantize: a tensor to blocks of codes with scales, as a stack does it */
#include "files/blocks_file.h"
#include "quantize/report.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "softfp8 quantize --recipe NAME [options] TENSOR\n"
    "\n"
    "Quantizes a matrix in blocks with a scale each, bit for bit as the recipe's\n"
    "stack does. TENSOR is a .npy file (<f4, <f2; <u2 as bf16), or raw words.\n"
    "What was lost is reported on stderr.\n"
    "\n"
    "  --recipe NAME     'softfp8 recipes' lists them\n"
    "  --from FORMAT     f32, bf16 or f16; needed for bf16 and for raw words\n"
    "  --shape ROWS,COLUMNS    of raw words\n"
    "  --g G             the second scale, where the recipe has one: a number, a word\n"
    "                    of f32 (0x43e00000), or auto: from the tensor's amax, by\n"
    "                    the recipe's own formula. Layers that are fused later (q, k\n"
    "                    and v) share the g of the largest amax: give that one\n"
    "  --layout L        of the scales: linear, 128x4, 8x4, 4-token\n"
    "  -o FILE           one file: a head in text, codes, scales, offsets\n"
    "  --codes FILE, --scales FILE, --offsets FILE    or each alone, without head\n"
    "  --image FILE      scales before the codes of their blocks, as in a tensor of\n"
    "                    GGUF, for the recipes that have such an image\n"
    "  --report          the report on standard output\n"
    "\n"
    "Codes are packed row by row, the first in the low bits, each row padded to a\n"
    "byte. Some recipes pack element j of a block with j + half a block. Scales and\n"
    "offsets are words of 1, 2 or 4 bytes, the least first. Where a block has several\n"
    "rows there is a row of scales for them together.\n"
    "\n"
    "  $ softfp8 quantize --recipe nvfp4-te --g auto -o w.blocks w.npy\n"
    "  $ softfp8 dequantize -o back.npy w.blocks\n";

typedef struct options {
    const char *recipe, *from, *g, *path;
    tensor_shape shape;
    sf8_layout layout;
    blocks_paths to;
    int report;
} options;

static void take_operand(options *o, const char *text)
{
    if (o->path)
        fail("one tensor only: '%s' and then '%s'", o->path, text);
    o->path = text;
}

static options options_of(int argc, char **argv)
{
    options o;
    memset(&o, 0, sizeof o);
    arguments a = arguments_of(argc, argv);
    while (arguments_next(&a)) {
        if (argument_is(&a, "recipe"))
            o.recipe = argument_value(&a);
        else if (argument_is(&a, "from"))
            o.from = tensor_formats[argument_word(&a, tensor_formats)];
        else if (argument_is(&a, "shape"))
            o.shape = tensor_shape_of("--shape", argument_value(&a));
        else if (argument_is(&a, "g"))
            o.g = argument_value(&a);
        else if (argument_is(&a, "layout"))
            o.layout = (sf8_layout)argument_word(&a, blocks_layouts);
        else if (argument_is(&a, "o") || argument_is(&a, "output"))
            o.to.whole = argument_value(&a);
        else if (argument_is(&a, "codes"))
            o.to.codes = argument_value(&a);
        else if (argument_is(&a, "scales"))
            o.to.scales = argument_value(&a);
        else if (argument_is(&a, "offsets"))
            o.to.offsets = argument_value(&a);
        else if (argument_is(&a, "image"))
            o.to.image = argument_value(&a);
        else if (argument_flag(&a, "report"))
            o.report = 1;
        else if (a.option && !argument_help(&a, &command_quantize))
            argument_unknown(&a);
        else if (!a.option)
            take_operand(&o, a.text);
    }
    return o;
}

static void check_outputs(const options *o, const blocks_head *h)
{
    const blocks_paths *to = &o->to;
    int parts = to->codes || to->scales || to->offsets;
    int offsets = h->recipe.offset_at == SF8_OFFSET_WORD;
    if (!to->whole && !parts && !to->image && !o->report)
        fail("an output is missing: -o FILE, or --codes and --scales, or --report");
    if (to->whole && parts)
        fail("-o FILE has all parts; without it --codes, --scales and --offsets");
    if (parts && (!to->codes || !to->scales))
        fail("--codes FILE and --scales FILE go together");
    if (to->offsets && !offsets)
        fail("--offsets %s: %s has none", to->offsets, h->row->name);
    if (parts && offsets && !to->offsets)
        fail("%s needs --offsets FILE", h->row->name);
    const char *const outputs[] = {to->whole, to->codes, to->scales, to->offsets, to->image};
    const char *const inputs[] = {o->path};
    outputs_check(outputs, 5, inputs, 1);
    if (o->report && (output_is_standard(to->whole) || output_is_standard(to->codes) ||
                      output_is_standard(to->scales) || output_is_standard(to->offsets) ||
                      output_is_standard(to->image)))
        fail("--report is for standard output, and so is an output");
}

/* The largest magnitude; NaN if there are only such. */
static uint32_t largest_of(const tensor *t)
{
    uint32_t amax = SF8_F32_NAN;
    for (size_t i = 0; i < t->shape.rows * t->shape.columns; i++)
        amax = sf8_f32_most(amax, sf8_f32_magnitude(tensor_f32(t, i)));
    return amax;
}

static void say(const options *o, const char *text)
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
    options o = options_of(argc, argv);
    blocks b;
    const char *why;
    char report[REPORT_SIZE] = "";
    memset(&b, 0, sizeof b);
    if (!o.recipe)
        fail("--recipe NAME is missing");
    if (!o.path)
        fail("a tensor is needed, or - for standard input");
    b.head.row = recipe_of_name(o.recipe, &b.head.recipe);
    check_outputs(&o, &b.head);
    if (!o.g || strcmp(o.g, "auto") != 0)
        recipe_g(b.head.row, o.g, SF8_F32, 0); /* before a long file is read */
    tensor t = tensor_read(o.path, o.from, o.shape);
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
        fail_at(input_name(o.path), 0, "cannot be quantized");
    quantize_report(&b, &t, report);
    blocks_write(&b, &o.to);
    say(&o, report);
    blocks_free(&b);
    tensor_free(&t);
    return STATUS_HELD;
}

const command command_quantize = {"quantize", "a tensor to blocks of codes with scales", help, run};
