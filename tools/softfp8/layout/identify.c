/* SPDX-License-Identifier: MIT */
/* identify.c -- softfp8 layout identify: the files, the families that may be meant, the end
 */
#include "layout/layout.h"
#include "cli/options.h"
#include "files/blocks_file.h"
#include "recipes/recipes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    const char *codes, *scales, *values, *from, *recipe, *g, *json;
    tensor_shape shape;
    int layout, quick; /* layout: the index in blocks_layouts */
} settings;

/* In the order of blocks_layouts. */
static const int place_values[] = {PLACE_LINEAR, PLACE_128X4, PLACE_8X4, PLACE_4TOKEN};

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

/* ---- g --------------------------------------------------------------------------------------- */

static float read_g(const char *text)
{
    uint32_t bits;
    const char *wrong = recipe_g_wrong(text, &bits);
    if (wrong)
        fail("--global-scale %s: %s", text, wrong);
    float g;
    memcpy(&g, &bits, sizeof g);
    if (!(g > 0) || g - g != 0)
        fail("--global-scale %s: expected a number above 0", text);
    return g;
}

static void set_g(layout_data *d, const settings *o)
{
    const sf8_recipe_row *row = d->recipe;
    d->rule = layout_g_rule_of(row);
    d->g = o->g ? read_g(o->g) : layout_g_of(d->rule, 1);
    if (!o->g)
        return;
    d->has_g = 1;
    if (row && !strstr(row->properties, "g="))
        fail("--global-scale: recipe %s has no global scale", row->name);
    float inverse = 1 / d->g;
    if (inverse - inverse != 0)
        fail("--global-scale %s: its inverse is too large for f32", o->g);
}

/* ---- the recipe ------------------------------------------------------------------------------ */

/* The recipe's row, if its blocks can be had here. */
static const sf8_recipe_row *recipe_of(const char *name)
{
    sf8_recipe recipe;
    const sf8_recipe_row *row = recipe_of_name(name, &recipe);
    int element = strcmp(row->element, "e2m1") == 0 || strcmp(row->element, "e4m3") == 0 ||
                  strcmp(row->element, "e5m2") == 0;
    int byte = strcmp(row->scale, "e4m3") == 0 || strcmp(row->scale, "e8m0") == 0;
    int scale = byte || (strcmp(row->scale, "f32") == 0 && strcmp(row->element, "e2m1") != 0);
    int block = row->block == 16 || row->block == 32 || row->block == 64 || row->block == 128 ||
                (row->block == 0 && strstr(row->properties, "per=token"));
    if (!element || !scale || !block)
        fail("recipe %s: expected one of e2m1, e4m3 or e5m2, in blocks of 16, 32, 64 or 128 or in "
             "whole rows, with scales of a byte, or with e4m3 and e5m2 of f32",
             name);
    return row;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void read_codes(layout_data *d, const char *path)
{
    const sf8_recipe_row *row = d->recipe;
    size_t count = d->rows * d->columns;
    d->codes = layout_bytes(path, "codes", 0, &d->codes_size);
    d->bits = row ? (strcmp(row->element, "e2m1") == 0 ? 4 : 8) : d->codes_size == count ? 8 : 4;
    if (d->bits == 4 && d->columns % 2 != 0)
        fail("--shape %zu,%zu: 4-bit codes need an even number of columns", d->rows, d->columns);
    size_t expected = d->bits == 4 ? count / 2 : count;
    if (d->codes_size != expected)
        fail_at(input_name(path), 0, "%zu bytes, expected %zu: %zu x %zu codes of %d bits",
                d->codes_size, expected, d->rows, d->columns, d->bits);
}

/* A size that there could have been, once: families have blocks of the same size. */
static void append_size(char text[512], const layout_data *d, const layout_reading *h,
                        const char *layout)
{
    size_t sides[2], used = strlen(text);
    char entry[64];
    layout_sides(d, h, sides);
    if (d->width > 1)
        snprintf(entry, sizeof entry, "%zu (f32 for %zu x %zu)", layout_scale_bytes(d, h), sides[0],
                 sides[1]);
    else
        snprintf(entry, sizeof entry, "%zu (%s of %zu)", layout_scale_bytes(d, h), layout,
                 layout_block(d, h));
    if (!strstr(text, entry))
        snprintf(text + used, 512 - used, "%s%s", used ? ", " : "", entry);
}

/* Says which sizes there could have been. */
static _Noreturn void refuse_scales(layout_data *d, const char *path, const settings *o)
{
    const sf8_recipe_row *row = d->recipe;
    char text[512] = "";
    size_t last = row ? d->width : d->bits == 8 ? 4 : 1;
    for (size_t width = row ? d->width : 1; width <= last; width += 3) {
        layout_reading list[LAYOUT_FAMILIES];
        d->width = width;
        size_t count = layout_families(d, place_values[o->layout], list);
        for (size_t i = 0; i < count; i++)
            for (int p = 0; blocks_layouts[p] && (p == 0 || width == 1); p++) {
                size_t stored[2];
                list[i].at[AXIS_PLACE] = (uint8_t)place_values[p];
                layout_stored(d, &list[i], stored);
                if (sf8_layout_fits((sf8_layout)p, stored[0], stored[1]))
                    append_size(text, d, &list[i], blocks_layouts[p]);
            }
    }
    fail_at(input_name(path), 0, "%zu bytes of scales; for %zu x %zu codes expected one of %s",
            d->scales_size, d->rows, d->columns, text);
}

static int is_better(const layout_result *r, const layout_result *best)
{
    if (r->verdict != best->verdict)
        return r->verdict < best->verdict;
    return layout_share(&r->list[0].score) > layout_share(&best->list[0].score) + 0.001;
}

/* The search of the width whose best reading explains the most; 0 readings if none fits. A later
 * width has to explain more than chance would. */
static layout_result search_widths(layout_data *d, const settings *o, size_t own)
{
    const sf8_recipe_row *row = d->recipe;
    static const size_t widths[] = {1, 4, 2};
    int is_byte = row && strcmp(row->scale, "f32") != 0;
    layout_result best;
    size_t best_width = is_byte || !row ? 1 : 4;
    memset(&best, 0, sizeof best);
    for (int i = 0; i < 3; i++) {
        layout_reading plain[LAYOUT_FAMILIES];
        d->width = widths[i];
        if ((own && d->width != own) || (row && !is_byte && d->width == 1))
            continue;
        size_t count = layout_families(d, place_values[o->layout], plain);
        layout_result r = layout_search(d, plain, count, o->quick);
        if (r.count && (!best.count || is_better(&r, &best))) {
            free(best.list);
            best = r;
            best_width = d->width;
        } else {
            free(r.list);
        }
    }
    d->width = best_width;
    return best;
}

static void check_values(const layout_data *d, const char *path)
{
    for (size_t i = 0; i < d->rows * d->columns; i++) {
        if (d->x[i] != 0 && d->x[i] - d->x[i] == 0)
            return;
    }
    fail_at(input_name(path), 0, "all values are 0, infinite or NaN; expected some other values");
}

static int run(int argc, char **argv)
{
    settings o;
    memset(&o, 0, sizeof o);
    options_read(&layout_identify, argc, argv, &o);
    static const char *const needed[] = {"codes", "scales", "expected"};
    options_need(needed, 3, "codes, scales and expected values are needed");
    layout_data d;
    size_t own;
    memset(&d, 0, sizeof d);
    d.recipe = o.recipe ? recipe_of(o.recipe) : NULL;
    const char *inputs[] = {o.codes, o.scales, o.values};
    const char *outputs[] = {o.json};
    outputs_check(outputs, 1, inputs, 3);
    d.context = &cli_search;
    d.rows = o.shape.rows;
    d.columns = o.shape.columns;
    set_g(&d, &o);
    layout_values(&d, o.values, o.from);
    check_values(&d, o.values);
    read_codes(&d, o.codes);
    own = d.bits == 4 ||
          (d.recipe && strcmp(d.recipe->scale, "f32") != 0); /* bytes, if they must be */
    d.scales = own ? layout_bytes(o.scales, "scales", own, &d.scales_size)
                   : layout_scale_file(o.scales, &d.scales_size, &own);
    layout_result r = search_widths(&d, &o, own);
    if (r.count == 0)
        refuse_scales(&d, o.scales, &o);
    if (o.json)
        layout_json(o.json, &d, &r);
    if (!output_is_standard(o.json))
        layout_print(&d, &r, o.scales);
    int status = r.verdict == LAYOUT_EXPECTED ? STATUS_HELD : STATUS_MISMATCH;
    free(d.codes);
    free(d.scales);
    free(d.x);
    free(r.list);
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
