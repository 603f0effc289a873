/* SPDX-License-Identifier: MIT */
/* identify.c -- softfp8 layout identify: the files, and what is expected of them */
#include "layout/layout.h"
#include "cli/options.h"
#include "diagnose/layout/layout.h"
#include "files/blocks_file.h"
#include "recipes/recipes.h"

#include <stdlib.h>
#include <string.h>

typedef struct settings {
    const char *codes, *scales, *values, *from, *recipe, *g, *json;
    tensor_shape shape;
    int layout, quick; /* layout: the index in blocks_layouts */
} settings;

static const cli_option options[] = {
    HEADING("The data"),
    {"--codes", "FILE", "the packed codes: raw bytes, or a .npy file", PATH(settings, codes)},
    {"--scales", "FILE", "the scales, of e4m3, e8m0, f32 or bf16: raw bytes, or a .npy file",
     PATH(settings, scales)},
    {"--expected", "FILE",
     "the values that were quantized, or that another program got from the codes",
     PATH(settings, values)},
    {"--from", NULL, "the format of the values. Default: that of the .npy file, else f32",
     NAME(settings, from, tensor_formats)},
    GROUP(settings, shape, shape_option),
    HEADING("What you expect"),
    {"--recipe", "NAME",
     "the recipe that you expect: elements of e2m1, e4m3 or e5m2, with scales of a byte or of f32. "
     "Default: any of nvfp4, mxfp4, kvfp4, mxfp8, and e4m3 with scales of f32 or bf16 for 128 x "
     "128 "
     "or 128 elements, for a row, or for all",
     TEXT(settings, recipe), .name_at = recipe_name_at},
    {"--layout", NULL, "the layout of the scales that you expect. Default: linear",
     WORD(settings, layout, blocks_layouts)},
    {"--global-scale", "G",
     "the global scale of the recipe; without --recipe, a factor for codes times scales. A number, "
     "or its f32 bits as 8 hexadecimal digits",
     TEXT(settings, g)},
    HEADING("The search"),
    GROUP(settings, json, json_option),
    {"--quick", NULL, "tries single changes only, and samples 2^18 elements of a large matrix",
     FLAG(settings, quick)},
    {.kind = OPTION_END},
};

/* ---- what is expected ------------------------------------------------------------------------ */

static float read_g(const char *text, const sf8_recipe_row *row)
{
    uint32_t bits;
    const char *wrong = recipe_g_wrong(text, &bits);
    if (wrong)
        fail("--global-scale %s: %s", text, wrong);
    float g;
    memcpy(&g, &bits, sizeof g);
    if (!(g > 0) || g - g != 0)
        fail("--global-scale %s: expected a number above 0", text);
    if (row && !strstr(row->properties, "g="))
        fail("--global-scale: recipe %s has no global scale", row->name);
    float inverse = 1 / g;
    if (inverse - inverse != 0)
        fail("--global-scale %s: its inverse is too large for f32", text);
    return g;
}

/* The recipe's row, if its blocks can be had here. */
static const sf8_recipe_row *recipe_of(const char *name)
{
    sf8_recipe recipe;
    const sf8_recipe_row *row = recipe_of_name(name, &recipe);
    if (!layout_has_recipe(row))
        fail("recipe %s: expected one of e2m1, e4m3 or e5m2, in blocks of 16, 32, 64 or 128 or in "
             "whole rows, with scales of a byte, or with e4m3 and e5m2 of f32",
             name);
    return row;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Returns the bits of a code. */
static int check_codes(const sf8_layout_results *r, const sf8_recipe_row *row, const char *path)
{
    size_t count = r->rows * r->columns;
    int bits = row ? (strcmp(row->element, "e2m1") == 0 ? 4 : 8) : r->codes_size == count ? 8 : 4;
    if (bits == 4 && r->columns % 2 != 0)
        fail("--shape %zu,%zu: 4-bit codes need an even number of columns", r->rows, r->columns);
    size_t expected = bits == 4 ? count / 2 : count;
    if (r->codes_size != expected)
        fail_at(input_name(path), 0, "%zu bytes, expected %zu: %zu x %zu codes of %d bits",
                r->codes_size, expected, r->rows, r->columns, bits);
    return bits;
}

static int run(int argc, char **argv)
{
    settings o;
    memset(&o, 0, sizeof o);
    options_read(&layout_identify, argc, argv, &o);
    static const char *const needed[] = {"codes", "scales", "expected"};
    options_need(needed, 3, "codes, scales and expected values are needed");
    const sf8_recipe_row *row = o.recipe ? recipe_of(o.recipe) : NULL;
    const char *inputs[] = {o.codes, o.scales, o.values};
    const char *outputs[] = {o.json};
    outputs_check(outputs, 1, inputs, 3);
    sf8_layout_results r = {.recipe = row ? row->name : NULL,
                            .layout = (sf8_layout)o.layout,
                            .global_scale = o.g ? read_g(o.g, row) : 0,
                            .is_quick = o.quick,
                            .scales_file = strcmp(o.scales, "-") == 0 ? NULL : o.scales,
                            .progress = cli_search.progress};
    float *x = layout_values(&r, o.values, o.from, o.shape);
    uint8_t *codes = layout_bytes(o.codes, "codes", 0, &r.codes_size), *scales;
    int bits = check_codes(&r, row, o.codes);
    int powers = row && strcmp(row->scale, "e8m0") == 0;
    if (!powers && (bits == 4 || (row && strcmp(row->scale, "f32") != 0))) /* bytes, if need be */
        scales = layout_bytes(o.scales, "scales", 1, &r.scales_size);
    else
        scales = layout_scale_file(o.scales, &r.scales_size, &r.scale_width);
    if (powers && r.scale_width > 1)
        fail_at(input_name(o.scales), 0,
                "scales of %zu bytes; expected bytes (|u1), or four of them in an integer (<i4)",
                r.scale_width);
    r.values = x;
    r.codes = codes;
    r.scales = scales;
    sf8_layout_diagnosis *d;
    if (sf8_diagnose_layout(&r, &d) != SF8_OK)
        cli_search.no_memory(&cli_search, r.rows * r.columns);
    if (d->count == 0)
        fail_at(input_name(o.scales), 0,
                "%zu bytes of scales; for %zu x %zu codes expected one of %s", r.scales_size,
                r.rows, r.columns, d->sizes);
    if (o.json)
        layout_json(o.json, &r, d);
    if (!output_is_standard(o.json))
        layout_print(&r, d);
    int status = d->is_expected ? STATUS_HELD : STATUS_MISMATCH;
    sf8_layout_diagnosis_free(d);
    free(codes);
    free(scales);
    free(x);
    return status;
}

const command layout_identify = {
    .name = "layout identify",
    .purpose = "Finds out how packed codes and scales must be read to give the values.",
    .example = "  $ softfp8 layout identify --codes w.bin --scales sf.bin --expected w.npy\n",
    .usage = "layout identify --codes FILE --scales FILE --expected FILE [options]",
    .about =
        "Tries other readings, one or two changes at a time: nibble order, packing, element "
        "format, row order, length and direction of blocks, layout and format of scales, and the "
        "use of the global scale g, which may be any other number. Elements that overflowed or "
        "were clipped are counted. The report says what was misread and what to do about it, if "
        "that explains every element. Otherwise it names the closest reading.\n"
        "An element is explained if its value, divided by the scale that is read, rounds to the "
        "code that is read. The table has the best readings. 'differ' counts the elements to which "
        "a reading "
        "gives another value than the first one does; of these, 'by it' is the share that this "
        "reading explains, and 'by first' the share that the first one explains.",
    .more =
        "Exit status: 0 the expected reading is right, and explains every element or is that of "
        "a recipe; 1 it is not; 2 bad input.",
    .options = options,
    .operands = "files are named by --codes, --scales and --expected",
    .run = run,
};
