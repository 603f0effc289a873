/* SPDX-License-Identifier: MIT */
/* layout.c -- softfp8 layout: where scales lie, moved, and found out */
#include "layout/layout.h"
#include "cli/options.h"
#include "files/blocks_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    int from, to, layout;
    tensor_shape shape;
    const char *out;
} settings;

static const cli_option options[] = {
    {"--layout", NULL, "the layout of the scales", WORD(settings, layout, blocks_layouts)},
    GROUP(settings, shape, shape_option),
    {.kind = OPTION_END},
};

static const cli_option move_options[] = {
    {"--from-layout", NULL, "the layout of FILE", WORD(settings, from, blocks_layouts)},
    {"--to-layout", NULL, "the layout to write", WORD(settings, to, blocks_layouts)},
    GROUP(settings, shape, shape_option),
    GROUP(settings, out, output_option),
    {.kind = OPTION_END},
};

#define SHAPE_OF_SCALES "The shape is that of the matrix of scales: R rows with C scales each."

static const command layout_offset, layout_place, layout_move;

/* Reads the options of a subcommand, and needs as many operands. */
static settings settings_of(const command *c, int argc, char **argv, const char *needed)
{
    settings s = {.from = -1, .to = -1, .layout = -1};
    size_t count = options_read(c, argc, argv, &s);
    if (s.shape.rows == 0)
        fail("--shape is missing: the rows and columns of the matrix of scales");
    if (count != c->operands_most)
        fail("missing operands; expected %s", needed);
    if (c->options == options ? s.layout < 0 : s.from < 0 || s.to < 0)
        fail("--%slayout is missing; expected %s",
             c->options == options ? "" : s.from < 0 ? "from-" : "to-", needed);
    return s;
}

static size_t places_of(int layout, tensor_shape shape)
{
    size_t size;
    if (sf8_layout_places((sf8_layout)layout, shape.rows, shape.columns, &size) != SF8_OK)
        fail("--shape %zu,%zu: %s needs multiples of 4 for both", shape.rows, shape.columns,
             sf8_layout_name((sf8_layout)layout));
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

static int offset_run(int argc, char **argv)
{
    settings o = settings_of(&layout_offset, argc, argv, "--layout, --shape and ROW COLUMN");
    places_of(o.layout, o.shape);
    size_t row = number_of("row", argv[0], o.shape.rows);
    size_t column = number_of("column", argv[1], o.shape.columns);
    printf("%llu\n", (unsigned long long)sf8_layout_offset((sf8_layout)o.layout, o.shape.columns,
                                                           row, column));
    return STATUS_HELD;
}

static int place_run(int argc, char **argv)
{
    settings o = settings_of(&layout_place, argc, argv, "--layout, --shape and OFFSET");
    size_t at = number_of("offset", argv[0], places_of(o.layout, o.shape));
    sf8_place p = sf8_layout_place((sf8_layout)o.layout, o.shape.columns, at);
    if (p.row >= o.shape.rows || p.column >= o.shape.columns)
        printf("padding\n");
    else
        printf("%llu %llu\n", (unsigned long long)p.row, (unsigned long long)p.column);
    return STATUS_HELD;
}

static int move_run(int argc, char **argv)
{
    settings o = settings_of(&layout_move, argc, argv,
                             "--from-layout, --to-layout, --shape and a FILE");
    output_check_input(o.out, argv[0]);
    size_t before = places_of(o.from, o.shape), after = places_of(o.to, o.shape), size;
    char *data = tensor_whole(argv[0], &size);
    size = npy_codes(argv[0], "scales", data, size, 1);
    if (size != before)
        fail_at(input_name(argv[0]), 0, "%zu bytes, expected %zu: %zu x %zu scales in %s", size,
                before, o.shape.rows, o.shape.columns, sf8_layout_name((sf8_layout)o.from));
    uint8_t *linear = allocate(o.shape.rows * o.shape.columns, 1), *moved = allocate(after, 1);
    sf8_layout_load_n((sf8_layout)o.from, linear, (const uint8_t *)data, o.shape.rows,
                      o.shape.columns);
    sf8_layout_store_n((sf8_layout)o.to, moved, linear, o.shape.rows, o.shape.columns);
    output *out = output_open(o.out);
    output_write(out, moved, after);
    output_close(out);
    free(data);
    free(linear);
    free(moved);
    return STATUS_HELD;
}

static const command layout_offset = {
    .name = "layout offset",
    .purpose = "Computes the byte offset of a scale.",
    .example = "  $ softfp8 layout offset --layout 128x4 --shape 300,28 33 5\n  533\n",
    .usage = "layout offset --layout L --shape R,C ROW COLUMN",
    .about = SHAPE_OF_SCALES,
    .options = options,
    .operands = "ROW COLUMN",
    .operands_most = 2,
    .run = offset_run,
};

static const command layout_place = {
    .name = "layout place",
    .purpose = "Computes which scale lies at an offset: row and column, or padding.",
    .example = "  $ softfp8 layout place --layout 128x4 --shape 300,28 533\n  33 5\n",
    .usage = "layout place --layout L --shape R,C OFFSET",
    .about = SHAPE_OF_SCALES,
    .options = options,
    .operands = "OFFSET",
    .operands_most = 1,
    .run = place_run,
};

static const command layout_move = {
    .name = "layout move",
    .purpose = "Moves the scales of a file from one layout to another.",
    .example = "  $ softfp8 layout move --from-layout 128x4 --to-layout linear \\\n"
               "        --shape 300,28 sf.bin -o l.bin\n",
    .usage = "layout move --from-layout L --to-layout L --shape R,C [-o FILE] FILE",
    .about = SHAPE_OF_SCALES " FILE has raw bytes, or is a .npy file of bytes. The output is raw.",
    .options = move_options,
    .operands = "FILE",
    .operands_most = 1,
    .complete = "file",
    .run = move_run,
};

static const command *const verbs[] = {&layout_identify, &layout_offset, &layout_place,
                                       &layout_move, NULL};

const command command_layout = {
    .name = "layout",
    .purpose = "Moves block scales between layouts; finds misread blocks.",
    .example = "  $ softfp8 layout offset --layout 128x4 --shape 300,28 33 5\n  533\n",
    .about = "A layout is the order in which the scales of blocks lie in memory. "
             "docs/spec/blocks/memory.md defines them: linear (row by row), 128x4 (the swizzled "
             "layout of cuBLAS and CUTLASS, in tiles of 128 rows and 4 columns), 8x4 (tiles of 8 "
             "rows), 4-token (groups of 4 tokens in a cache). 'softfp8 layout identify --help' shows "
             "the options of layout identify, and so on.",
    .verbs = verbs,
};
