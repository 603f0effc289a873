/* SPDX-License-Identifier: MIT */
/* dequantize.c -- softfp8 dequantize: blocks of codes with scales back to a tensor */
#include "files/blocks_file.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "softfp8 dequantize [options] FILE\n"
    "softfp8 dequantize --recipe NAME --shape ROWS,COLUMNS --codes FILE --scales FILE\n"
    "                   [--offsets FILE] [--g G] [--layout L] [options]\n"
    "softfp8 dequantize --recipe NAME --shape ROWS,COLUMNS --image FILE [options]\n"
    "\n"
    "Reads what 'softfp8 quantize' writes, as the recipe's stack reads it: one file\n"
    "with a head, or codes, scales and offsets alone, or an image of GGUF. A file\n"
    "that is not what its head says, or whose bytes do not fit the shape, is refused.\n"
    "\n"
    "  --to FORMAT      f32, bf16 or f16: numbers are rounded to nearest (f32)\n"
    "  --format F       npy (bf16 as <u2), raw words, or text: a row a line; npy\n"
    "                   with -o, text without\n"
    "  -o FILE          the tensor; it appears when it is complete, or not at all\n"
    "\n"
    "  --recipe NAME    'softfp8 recipes' lists them\n"
    "  --g G            the second scale: a number or 8 hexadecimal digits of f32\n"
    "  --layout L       of the scales: linear, 128x4, 8x4, 4-token\n"
    "\n"
    "  $ softfp8 dequantize w.blocks\n"
    "  $ softfp8 dequantize --recipe mxfp4-floor --shape 2,64 --codes c --scales s\n";

static const char *const forms[] = {"npy", "raw", "text", NULL};
enum { FORM_AUTO = -1, AS_NPY, AS_RAW, AS_TEXT };

typedef struct options {
    const char *recipe, *g, *to, *path;
    tensor_shape shape;
    int layout; /* -1: not said */
    int form;
    blocks_paths from;
} options;

static void take_operand(options *o, const char *text)
{
    if (o->from.whole)
        fail("one file only: '%s' and then '%s'", o->from.whole, text);
    o->from.whole = text;
}

static options options_of(int argc, char **argv)
{
    options o;
    memset(&o, 0, sizeof o);
    o.layout = o.form = FORM_AUTO;
    o.to = "f32";
    arguments a = arguments_of(argc, argv);
    while (arguments_next(&a)) {
        if (argument_is(&a, "recipe"))
            o.recipe = argument_value(&a);
        else if (argument_is(&a, "to"))
            o.to = tensor_formats[argument_word(&a, tensor_formats)];
        else if (argument_is(&a, "shape"))
            o.shape = tensor_shape_of("--shape", argument_value(&a));
        else if (argument_is(&a, "g"))
            o.g = argument_value(&a);
        else if (argument_is(&a, "layout"))
            o.layout = argument_word(&a, blocks_layouts);
        else if (argument_is(&a, "format"))
            o.form = argument_word(&a, forms);
        else if (argument_is(&a, "o") || argument_is(&a, "output"))
            o.path = argument_value(&a);
        else if (argument_is(&a, "codes"))
            o.from.codes = argument_value(&a);
        else if (argument_is(&a, "scales"))
            o.from.scales = argument_value(&a);
        else if (argument_is(&a, "offsets"))
            o.from.offsets = argument_value(&a);
        else if (argument_is(&a, "image"))
            o.from.image = argument_value(&a);
        else if (a.option && !argument_help(&a, &command_dequantize))
            argument_unknown(&a);
        else if (!a.option)
            take_operand(&o, a.text);
    }
    return o;
}

/* A file with a head says all of it; otherwise the head is made of the options. */
static void settle(const options *o, blocks_head *h)
{
    const char *why;
    const blocks_paths *p = &o->from;
    int parts = p->codes || p->scales || p->offsets || p->image;
    if (p->whole && (parts || o->recipe || o->shape.rows || o->g || o->layout >= 0))
        fail("%s has a head; --recipe, --shape, --g, --layout and the parts are for none",
             input_name(p->whole));
    if (p->whole)
        return;
    if (p->image && (p->codes || p->scales || p->offsets))
        fail("--image FILE has codes, scales and offsets");
    if (!p->image && (!p->codes || !p->scales))
        fail("a FILE is needed, or --codes FILE and --scales FILE");
    if (!o->recipe || !o->shape.rows)
        fail("--%s needs --recipe NAME and --shape ROWS,COLUMNS", p->image ? "image" : "codes");
    h->row = recipe_of_name(o->recipe, &h->recipe);
    if (o->g && strcmp(o->g, "auto") == 0)
        fail("--g auto: there is no tensor to take it from");
    h->g = recipe_g(h->row, o->g, SF8_F32, 0);
    h->shape = o->shape;
    h->layout = o->layout >= 0 ? (sf8_layout)o->layout : SF8_LAYOUT_LINEAR;
    if (!p->image && (h->recipe.offset_at == SF8_OFFSET_WORD) != (p->offsets != NULL))
        fail("%s: %s", h->row->name,
             p->offsets ? "it has no --offsets" : "--offsets FILE is missing");
    if (!blocks_measure(h, &why))
        fail("--shape %zu,%zu, layout %s: %s", h->shape.rows, h->shape.columns,
             sf8_layout_name(h->layout), why);
    if ((output_is_standard(p->codes) != 0) + (output_is_standard(p->scales) != 0) +
            (output_is_standard(p->offsets) != 0) >
        1)
        fail("two parts cannot both come from standard input");
}

static int run(int argc, char **argv)
{
    options o = options_of(argc, argv);
    blocks b;
    memset(&b, 0, sizeof b);
    settle(&o, &b.head);
    output_check(o.path);
    blocks_read(&b, &o.from);
    tensor t = {.format_name = o.to, .format = format_of_name(o.to), .shape = b.head.shape};
    t.words = allocate(t.shape.rows * t.shape.columns, tensor_width(t.format));
    if (sf8_dequantize_n(&b.head.recipe, t.format, t.words, b.codes, b.scales, b.offsets,
                         t.shape.rows, t.shape.columns, sf8_f32_from_bits(b.head.g)) != SF8_OK)
        fail("cannot be read back");
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

const command command_dequantize = {"dequantize", "blocks of codes with scales to a tensor", help,
                                    run};
