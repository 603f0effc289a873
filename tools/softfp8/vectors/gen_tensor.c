/* SPDX-License-Identifier: MIT */
/* gen_tensor.c -- softfp8 gen quantize --format npy: a tensor that is hard to quantize right
 *
 * All blocks of a tensor share the global scale, which a stack computes from the largest magnitude
 * of the tensor. Then that is a fixed number, one unit above 512, and blocks beyond it are left
 * out.
 */
#include "vectors/gen_tensor.h"
#include "files/blocks_file.h"
#include "vectors/block_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 0x44000000 }; /* 512 as f32 */

const cli_option tensor_own_options[] = {
    HEADING("A tensor, with gen quantize --format npy"),
    {"--global-scale", "G",
     "the global scale: a number above 0, its f32 bits as 0x and 8 hexadecimal digits, or auto, "
     "the default. With auto the tensor has no NaN and no magnitude above 512, so that a stack "
     "computes the same global scale from it",
     TEXT(tensor_options, g)},
    {"--blocks", "FILE", "writes the codes and scales to expect, as 'softfp8 quantize -o' does",
     PATH(tensor_options, blocks)},
    {"--reasons", "FILE", "writes a line for each block: its first row, and why it is there",
     PATH(tensor_options, names)},
    {.kind = OPTION_END},
};

int gen_tensor_given(const tensor_options *o)
{
    return o->g || o->blocks || o->names;
}

/* The tensor while it grows, and the names of its blocks. */
typedef struct growing {
    const vector_group *g;
    tensor t;
    size_t height, room, names_room; /* rows of a block; rows, and names, there is room for */
    char (*name)[CASE_NAME];
} growing;

static int take_block(void *context, vector_case *c, const char *name)
{
    growing *w = context;
    const vector_words *v = case_field(w->g, c, "values");
    size_t width = tensor_width(w->t.format), block = w->t.shape.rows / w->height;
    w->t.shape.columns = v->count / w->height;
    if (w->t.shape.rows + w->height > w->room) {
        w->room = 2 * w->room + 64 * w->height;
        w->t.words = reallocate(w->t.words, w->room * w->t.shape.columns, width);
    }
    w->name = grow(w->name, block, &w->names_room, sizeof w->name[0]);
    for (size_t i = 0; i < v->count; i++)
        array_put(w->t.format, w->t.words, w->t.shape.rows * w->t.shape.columns + i, v->word[i]);
    snprintf(w->name[block], CASE_NAME, "%s", name);
    w->t.shape.rows += w->height;
    return 0;
}

static void write_blocks(const char *path, const vector_group *g, const tensor *t)
{
    const char *why;
    blocks b;
    blocks_paths to = {.whole = path};
    memset(&b, 0, sizeof b);
    b.head.row = recipe_of_name(g->head[0], &b.head.recipe);
    b.head.from = t->format_name;
    b.head.shape = t->shape;
    b.head.g = g->second;
    if (!blocks_measure(&b.head, &why))
        fail("%s: %zu x %zu elements: %s", g->head[0], t->shape.rows, t->shape.columns, why);
    blocks_allocate(&b);
    if (sf8_quantize_n(&b.head.recipe, b.codes, b.scales, b.offsets, t->format, t->words,
                       t->shape.rows, t->shape.columns, sf8_f32_from_bits(b.head.g)) != SF8_OK)
        fail("internal error: the tensor cannot be quantized");
    blocks_write(&b, &to);
    blocks_free(&b);
}

static void write_names(const char *path, const growing *w)
{
    output *out = output_open(path);
    for (size_t i = 0; i * w->height < w->t.shape.rows; i++)
        output_print(out, "%zu %s\n", i * w->height, w->name[i]);
    output_close(out);
}

void gen_tensor(const char *path, const json_options *kind, const tensor_options *o)
{
    static vector_group g;
    const char *const outputs[] = {path, o->blocks, o->names};
    outputs_check(outputs, 3, NULL, 0);
    gen_quantize_group(&g, kind);
    const char *second = g.recipe.has_g && !o->g ? "auto" : o->g;
    uint64_t mask = sf8_format_mag_mask(g.tensor);
    int is_auto = second && strcmp(second, "auto") == 0;
    uint64_t top = is_auto ? sf8_convert(g.tensor, SF8_F32, LARGEST, SF8_OCP_NOSAT) + 1 : mask;
    uint32_t amax = (uint32_t)sf8_convert(SF8_F32, g.tensor, top, SF8_OCP_NOSAT);
    g.second = recipe_g(g.row, second, g.tensor, amax);
    growing w = {.g = &g, .height = (size_t)sf8_recipe_rows(&g.recipe)};
    w.t.format = g.tensor;
    w.t.format_name = g.head[1];
    vector_case c;
    memset(&c, 0, sizeof c);
    walk_tensor(&g, &c, top, take_block, &w);
    if (o->blocks)
        write_blocks(o->blocks, &g, &w.t);
    if (o->names)
        write_names(o->names, &w);
    output *out = output_open(path);
    tensor_write_npy(out, &w.t);
    output_close(out);
    case_free(&c);
    tensor_free(&w.t);
    free(w.name);
}
