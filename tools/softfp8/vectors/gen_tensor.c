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
#include "vectors/block_trace.h"
#include "vectors/gen_after.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 0x44000000 }; /* 512 as f32 */

static void take_array(void *place, const cli_option *o, const char *text)
{
    tensor_options *options = place;
    after_take_with(&options->after, o, text);
}

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
    {"--after", "STAGE",
     "writes inputs of a stage, such as 'rms-norm w=W eps=1e-6 | via=bf16', whose results are such "
     "blocks. A kernel that keeps f32 where the stage rounds gives other codes. --blocks FILE "
     "has those of the stage",
     TEXT(tensor_options, after.stage)},
    {"--with", "NAME=FILE", "an array that the stage names, a .npy file of one row",
     .kind = OPTION_CALL, .take = take_array, .complete = "file"},
    {.kind = OPTION_END},
};

int gen_tensor_given(const tensor_options *o)
{
    return o->g || o->blocks || o->names || o->after.stage || o->after.count;
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

/* ---- inputs of a stage ----------------------------------------------------------------------- */

/* A block of results, or what one should be without the roundings of the stage. */
typedef struct stage_tensor {
    const vector_group *g;
    stage_inverse inverse;
    size_t block, used;   /* elements of a block; of the row that is being filled */
    double share;         /* of the sum of squares of this row */
    uint64_t *result;     /* the row: words of the format of the results, */
    double *wanted;       /* and what they should be rounded from */
    uint32_t *code;       /* which codes they have */
    sf8_block *scaled;    /* the blocks of the row */
    growing inputs, made; /* made: the results */
    size_t names_room, names;
    size_t found; /* elements whose result is the wanted one */
} stage_tensor;

static uint32_t word_f32(const stage_tensor *s, uint64_t word)
{
    return (uint32_t)sf8_convert(SF8_F32, s->g->tensor, word, SF8_OCP_NOSAT);
}

static const sf8_recipe *recipe_here(const stage_tensor *s, sf8_recipe *room)
{
    return sf8_recipe_for(&s->g->recipe, s->g->tensor, room);
}

/* Between a result and its neighbour: three eighths of the way, which is rounded back. */
static double between(const stage_tensor *s, uint64_t word, int up)
{
    uint64_t mask = sf8_format_mag_mask(s->g->tensor), magnitude = word & mask;
    double here = (double)sf8_f32_from_bits(word_f32(s, word));
    uint64_t next = (word & ~mask) | (up ? magnitude + 1 : magnitude - 1);
    double there = (double)sf8_f32_from_bits(word_f32(s, next));
    return here + (there - here) * 0.375;
}

static uint32_t bits_of(double x)
{
    return sf8_f32_bits((float)x);
}

/* What a result should be rounded from, so that its code, or the scale of its block, is another
 * without the rounding; itself if nothing does that. Returns whether something does. */
static int find_wanted(const stage_tensor *s, const uint64_t *word, sf8_block *b, size_t i,
                       double *wanted)
{
    sf8_recipe room;
    const sf8_recipe *r = recipe_here(s, &room);
    uint64_t magnitude = word[i] & sf8_format_mag_mask(s->g->tensor);
    uint32_t code = sf8_block_code(r, b, word_f32(s, word[i])), x[4096];
    *wanted = (double)sf8_f32_from_bits(word_f32(s, word[i]));
    if (magnitude == 0 || magnitude >= sf8_format_max(s->g->tensor) ||
        sf8_format_bits(s->g->tensor) > 16 || s->block > 4096)
        return 0;
    for (int up = 1; up >= 0; up--) {
        double v = between(s, word[i], up);
        sf8_block other;
        for (size_t k = 0; k < s->block; k++)
            x[k] = k == i ? bits_of(v) : word_f32(s, word[k]);
        block_of(r, &other, x, s->block, s->g->second);
        if (other.scale == b->scale ? sf8_block_code(r, b, bits_of(v)) == code
                                    : sf8_recipe_scale_given(r))
            continue;
        *wanted = v;
        return 1;
    }
    return 0;
}

/* 2 for an element whose result is the wanted one and whose code depends on the rounding, if that
 * is wanted; 1 for the result alone. */
static int judge_element(const void *context, size_t at, uint32_t result, uint32_t plain)
{
    const stage_tensor *s = context;
    sf8_recipe room;
    const sf8_recipe *r = recipe_here(s, &room);
    uint32_t right = word_f32(s, s->result[at]);
    int is_wanted = s->wanted[at] != (double)sf8_f32_from_bits(right);
    if (result != right)
        return 0;
    if (!is_wanted)
        return 2;
    return sf8_block_code(r, &s->scaled[at / s->block], plain) != s->code[at] ? 2 : 1;
}

static uint32_t *next_row(growing *w, size_t columns)
{
    if (w->t.shape.rows == w->room) {
        w->room = 2 * w->room + 64;
        w->t.words = reallocate(w->t.words, w->room * columns, sizeof(uint32_t));
    }
    w->t.shape.columns = columns;
    return (uint32_t *)w->t.words + w->t.shape.rows++ * columns;
}

/* Finds the inputs of the row, and computes what the stage makes of them. */
static void end_row(stage_tensor *s)
{
    stage_inverse *v = &s->inverse;
    if (s->used == 0)
        return;
    for (size_t i = s->used; i < v->width; i++) {
        s->result[i] = 0;
        s->wanted[i] = 0;
        s->code[i] = 0;
    }
    for (size_t k = s->used / s->block; k < v->width / s->block; k++)
        s->scaled[k] = s->scaled[0];
    uint32_t *in = next_row(&s->inputs, v->columns), *out = next_row(&s->made, v->width);
    inverse_row(v, s->wanted, judge_element, s, in);
    sf8_stage_run(&v->stage, out, in, 1, v->columns, v->arrays.input, v->arrays.count, v->work);
    sf8_stage_run(&v->unrounded, v->plain, in, 1, v->columns, v->arrays.input, v->arrays.count,
                  v->work);
    for (size_t i = 0; i < s->used; i++)
        s->found += (size_t)(judge_element(s, i, out[i], v->plain[i]) == 2);
    s->used = 0;
    s->share = 0;
}

/* Adds a block to the row; those that no rounding changes are left out. */
static int take_result(void *context, vector_case *c, const char *name)
{
    stage_tensor *s = context;
    stage_inverse *v = &s->inverse;
    const vector_words *words = case_field(s->g, c, "values");
    sf8_recipe room;
    const sf8_recipe *r = recipe_here(s, &room);
    sf8_block b;
    uint32_t *x = allocate(s->block, sizeof *x);
    double *wanted = allocate(s->block, sizeof *wanted);
    int tells = sf8_format_bits(s->g->tensor) > 16, finite = 1;
    for (size_t i = 0; i < s->block; i++) {
        x[i] = word_f32(s, words->word[i]);
        finite &= (x[i] & SF8_F32_INF) != SF8_F32_INF;
    }
    block_of(r, &b, x, s->block, s->g->second);
    for (size_t i = 0; i < s->block && finite; i++)
        tells |= find_wanted(s, words->word, &b, i, &wanted[i]);
    if (s->used == v->width - v->filler)
        end_row(s);
    double share = inverse_share(v, s->used, wanted, s->block);
    if (s->share + share > 0.9) {
        end_row(s);
        share = inverse_share(v, 0, wanted, s->block);
    }
    if (tells && finite && share <= 0.9) {
        for (size_t i = 0; i < s->block; i++) {
            s->result[s->used + i] = words->word[i];
            s->wanted[s->used + i] = wanted[i];
            s->code[s->used + i] = sf8_block_code(r, &b, x[i]);
        }
        s->scaled[s->used / s->block] = b;
        s->inputs.name = grow(s->inputs.name, s->names, &s->names_room, sizeof s->inputs.name[0]);
        snprintf(s->inputs.name[s->names++], CASE_NAME, "%zu %.*s", s->inputs.t.shape.rows,
                 CASE_NAME - 24, name);
        s->used += s->block;
        s->share += share;
    }
    free(x);
    free(wanted);
    return 0;
}

static void write_names_of_rows(const char *path, const stage_tensor *s)
{
    output *out = output_open(path);
    for (size_t i = 0; i < s->names; i++)
        output_print(out, "%s\n", s->inputs.name[i]);
    output_close(out);
}

/* Words of f32 that are numbers of a format, as words of it. */
static void narrow(tensor *t, const char *format_name)
{
    size_t count = t->shape.rows * t->shape.columns;
    t->format_name = format_name;
    t->format = sf8_format_named(format_name, NULL);
    void *words = allocate(count, tensor_width(t->format));
    sf8_convert_n(t->format, words, SF8_F32, t->words, count, SF8_OCP_NOSAT);
    free(t->words);
    t->words = words;
}

static void gen_after(const char *path, const json_options *kind, const tensor_options *o)
{
    static vector_group g;
    json_options results = *kind;
    sf8_stage stage = after_stage(&o->after);
    results.in = after_format(&stage);
    gen_quantize_group(&g, &results);
    const char *in = kind->in ? kind->in : "f32";
    stage_tensor s = {.g = &g, .block = g.recipe.block ? (size_t)g.recipe.block : 16};
    if (sf8_recipe_rows(&g.recipe) > 1)
        fail("--after: the blocks of %s are parts of several rows; expected a recipe whose blocks "
             "are parts of a row",
             kind->recipe);
    if (g.recipe.has_g && (!o->g || strcmp(o->g, "auto") == 0))
        fail("--after needs --global-scale G for %s: a number above 0", kind->recipe);
    g.second = recipe_g(g.row, o->g, g.tensor, 0);
    s.inverse = inverse_open(&o->after, format_of_name(in), s.block);
    if (s.inverse.filler && g.recipe.block == 0 && !sf8_recipe_scale_given(&g.recipe))
        fail("--after with a norm: %s has one block for a row; expected a recipe with shorter ones",
             kind->recipe);
    s.result = allocate(s.inverse.width, sizeof *s.result);
    s.wanted = allocate(s.inverse.width, sizeof *s.wanted);
    s.code = allocate(s.inverse.width, sizeof *s.code);
    s.scaled = allocate(s.inverse.width / s.block, sizeof *s.scaled);
    vector_case c;
    memset(&c, 0, sizeof c);
    walk_tensor(&g, &c, sf8_format_mag_mask(g.tensor), take_result, &s);
    end_row(&s);
    if (s.inputs.t.shape.rows == 0)
        fail("--after '%s': no block of %s depends on its roundings", o->after.stage, kind->recipe);
    if (s.found == 0)
        fail("--after '%s': no inputs give results that lie on ties of %s", o->after.stage,
             kind->recipe);
    narrow(&s.made.t, results.in);
    narrow(&s.inputs.t, in);
    if (o->blocks)
        write_blocks(o->blocks, &g, &s.made.t);
    if (o->names)
        write_names_of_rows(o->names, &s);
    output *out = output_open(path);
    tensor_write_npy(out, &s.inputs.t);
    output_close(out);
    case_free(&c);
    tensor_free(&s.made.t);
    tensor_free(&s.inputs.t);
    inverse_close(&s.inverse);
    free(s.inputs.name);
    free(s.result);
    free(s.wanted);
    free(s.code);
    free(s.scaled);
}

void gen_tensor(const char *path, const json_options *kind, const tensor_options *o)
{
    static vector_group g;
    const char *const outputs[] = {path, o->blocks, o->names};
    outputs_check(outputs, 3, NULL, 0);
    after_check(&o->after);
    if (o->after.stage) {
        gen_after(path, kind, o);
        return;
    }
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
