/* SPDX-License-Identifier: MIT */
/* layout.c -- softfp8 layout: where scales lie, moved, and found out */
#include "layout/layout.h"
#include "files/blocks_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "softfp8 layout identify --codes F --scales F --values F --shape R,C [options]\n"
    "softfp8 layout offset --layout L --shape R,C ROW COLUMN\n"
    "softfp8 layout place --layout L --shape R,C OFFSET\n"
    "softfp8 layout move --from L --to L --shape R,C [-o FILE] FILE\n"
    "\n"
    "identify: which reading of packed codes and their scales gives the values? Tries\n"
    "order of nibbles, packing, rows, blocks, layout and format of scales, g: one or\n"
    "two of them changed. Says what was misread and what to do. Raw files or .npy.\n"
    "  --codes F --scales F --values F   the bytes, and what was quantized\n"
    "  --from F           of raw values: f32, bf16, f16\n"
    "  --shape R,C        of the values; a .npy file of them has it\n"
    "  --recipe NAME      of the codes; else nvfp4, mxfp4, kvfp4, mxfp8 are tried\n"
    "  --layout L         in which the scales are believed to lie; linear\n"
    "  --g VALUE          the second scale as the recipe has it, or what codes times\n"
    "                     scales are multiplied with; 3f800000 is a word of f32\n"
    "  --json FILE --quick   the same as JSON; single changes, on a sample\n"
    "\n"
    "offset, place, move: of the matrix of scales, R rows and C scales in each.\n"
    "L is linear, 128x4, 8x4 or 4-token.\n"
    "\n"
    "  softfp8 layout offset --layout 128x4 --shape 300,28 33 5           533\n"
    "  softfp8 layout move --from 128x4 --to linear --shape 300,28 sf.bin -o lin.bin\n"
    "\n"
    "Exit status: 0 the plain reading explains all, 1 another or none, 2 bad input.\n";

typedef struct options {
    int from, to, layout;
    size_t shape[2];
    const char *out, *operand[2];
    size_t operands;
} options;

static options read_options(arguments *a)
{
    options o = {-1, -1, -1, {0, 0}, NULL, {NULL, NULL}, 0};
    tensor_shape shape = {0, 0};
    while (arguments_next(a)) {
        if (argument_is(a, "layout"))
            o.layout = argument_word(a, blocks_layouts);
        else if (argument_is(a, "from"))
            o.from = argument_word(a, blocks_layouts);
        else if (argument_is(a, "to"))
            o.to = argument_word(a, blocks_layouts);
        else if (argument_is(a, "shape"))
            shape = tensor_shape_of("--shape", argument_value(a));
        else if (argument_is(a, "o") || argument_is(a, "output"))
            o.out = argument_value(a);
        else if (argument_help(a, &command_layout))
            continue;
        else if (a->option)
            argument_unknown(a);
        else if (o.operands == 2)
            fail("too much: '%s'", a->text);
        else
            o.operand[o.operands++] = a->text;
    }
    o.shape[0] = shape.rows;
    o.shape[1] = shape.columns;
    if (o.shape[0] == 0)
        fail("--shape is needed: rows of the matrix of scales, and scales in each");
    return o;
}

static size_t places_of(int layout, const size_t shape[2])
{
    size_t size;
    if (sf8_layout_places((sf8_layout)layout, shape[0], shape[1], &size) != SF8_OK)
        fail("--shape %zu,%zu: %s needs rows and columns that are multiples of 4", shape[0],
             shape[1], sf8_layout_name((sf8_layout)layout));
    return size;
}

static size_t number_of(const char *what, const char *text, size_t below)
{
    size_t n = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9' && n < below; c++)
        n = 10 * n + (size_t)(*c - '0');
    if (c == text || *c || n >= below)
        fail("%s %s: expected a number below %zu", what, text, below);
    return n;
}

static void need_operands(const options *o, size_t count, const char *which)
{
    if (o->operands != count || o->layout < 0 || o->from >= 0 || o->to >= 0 || o->out)
        fail("needed are --layout, --shape and %s", which);
}

static int offset(arguments *a)
{
    options o = read_options(a);
    need_operands(&o, 2, "ROW COLUMN");
    places_of(o.layout, o.shape);
    size_t row = number_of("row", o.operand[0], o.shape[0]);
    size_t column = number_of("column", o.operand[1], o.shape[1]);
    printf("%llu\n",
           (unsigned long long)sf8_layout_offset((sf8_layout)o.layout, o.shape[1], row, column));
    return STATUS_HELD;
}

static int place(arguments *a)
{
    options o = read_options(a);
    need_operands(&o, 1, "OFFSET");
    size_t at = number_of("offset", o.operand[0], places_of(o.layout, o.shape));
    sf8_place p = sf8_layout_place((sf8_layout)o.layout, o.shape[1], at);
    if (p.row >= o.shape[0] || p.column >= o.shape[1])
        printf("padding\n");
    else
        printf("%llu %llu\n", (unsigned long long)p.row, (unsigned long long)p.column);
    return STATUS_HELD;
}

static int move(arguments *a)
{
    options o = read_options(a);
    if (o.operands != 1 || o.from < 0 || o.to < 0 || o.layout >= 0)
        fail("needed are --from, --to, --shape and a FILE");
    size_t before = places_of(o.from, o.shape), after = places_of(o.to, o.shape), size;
    char *data = input_whole(o.operand[0], &size, SIZE_MAX / 4);
    if (size != before)
        fail_at(input_name(o.operand[0]), 0, "%zu bytes, expected %zu: %zu x %zu scales in %s",
                size, before, o.shape[0], o.shape[1], sf8_layout_name((sf8_layout)o.from));
    uint8_t *linear = allocate(o.shape[0] * o.shape[1], 1), *moved = allocate(after, 1);
    sf8_layout_load_n((sf8_layout)o.from, linear, (const uint8_t *)data, o.shape[0], o.shape[1]);
    sf8_layout_store_n((sf8_layout)o.to, moved, linear, o.shape[0], o.shape[1]);
    output *out = output_open(o.out);
    output_write(out, moved, after);
    output_close(out);
    free(data);
    free(linear);
    free(moved);
    return STATUS_HELD;
}

static int run(int argc, char **argv)
{
    arguments a = arguments_of(argc, argv);
    const char *what = argc > 1 ? argv[1] : "";
    a.at = 1;
    if (strcmp(what, "identify") == 0)
        return layout_identify(&a, &command_layout);
    if (strcmp(what, "offset") == 0)
        return offset(&a);
    if (strcmp(what, "place") == 0)
        return place(&a);
    if (strcmp(what, "move") == 0)
        return move(&a);
    a.at = 0;
    while (arguments_next(&a))
        argument_help(&a, &command_layout);
    fail("expected one of identify offset place move%s%s", *what ? ", not " : "", what);
}

const command command_layout = {"layout", "scales in memory: moved, or what is wrong", help, run};
