/* SPDX-License-Identifier: MIT */
/* blocks.c -- cases of quantize and dequantize: a matrix, its codes and scales; their tags */
#include "base/memory.h"
#include "vectors/block_trace.h"
#include "vectors/kinds.h"

#include <stdlib.h>
#include <string.h>

/* ---- the head of a group --------------------------------------------------------------------- */

static const sf8_recipe_row *row_named(const char *name)
{
    const sf8_recipe_row *row = NULL;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL && strcmp(row->name, name) != 0;)
        i++;
    return row;
}

static const char *open_blocks(vector_group *g)
{
    g->row = row_named(g->head[0]);
    if (!g->row || sf8_recipe_named(&g->recipe, g->head[0]) != SF8_OK)
        return "a recipe that 'softfp8 recipes' lists";
    if (!tensor_format(g->head[1], &g->tensor))
        return "f32, bf16 or f16 as the format of the values";
    g->rows = g->head[2][0] ? strtoul(g->head[2], NULL, 10) : 1;
    return g->rows && g->rows <= 65536 ? NULL : "from 1 to 65536 rows";
}

/* The fields of the quantized matrix. */
static void stored_fields(vector_group *g, int output)
{
    group_field(g, "codes", (int)sf8_recipe_bits(&g->recipe), 0, output);
    group_field(g, "scales", sf8_format_bits(g->recipe.scale), 0, output);
    if (g->recipe.offset_at == SF8_OFFSET_WORD)
        group_field(g, "offsets", sf8_format_bits(g->recipe.offset), 0, output);
}

static const char *open_quantize(vector_group *g)
{
    const char *expected = open_blocks(g);
    if (expected)
        return expected;
    group_field(g, "values", sf8_format_bits(g->tensor), 0, 0);
    if (g->recipe.has_g)
        group_field(g, "g", 32, 1, 0);
    stored_fields(g, 1);
    return NULL;
}

static const char *open_dequantize(vector_group *g)
{
    const char *expected = open_blocks(g);
    if (expected)
        return expected;
    stored_fields(g, 0);
    if (g->recipe.has_g)
        group_field(g, "g", 32, 1, 0);
    group_field(g, "values", sf8_format_bits(g->tensor), 0, 1);
    return NULL;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* A matrix as the library takes it. */
typedef struct matrix {
    size_t columns, scales; /* of a row; all */
    void *values;
    uint8_t *codes;
    uint32_t *scale, *offset;
    float g;
} matrix;

static size_t scales_of(const vector_group *g, size_t columns)
{
    return sf8_recipe_scale_rows(&g->recipe, g->rows) * sf8_recipe_blocks(&g->recipe, columns);
}

static matrix matrix_of(const vector_group *g, vector_case *c, size_t count)
{
    matrix m = {.columns = count / g->rows};
    const vector_words *given = case_field(g, c, "g");
    m.scales = scales_of(g, m.columns);
    m.values = allocate(count, sizeof(uint32_t));
    m.codes = allocate(count, 1);
    m.scale = allocate(m.scales, sizeof m.scale[0]);
    m.offset = allocate(m.scales, sizeof m.offset[0]);
    m.g = given ? sf8_f32_from_bits((uint32_t)given->word[0]) : 1;
    return m;
}

static void matrix_free(matrix *m)
{
    free(m->values);
    free(m->codes);
    free(m->scale);
    free(m->offset);
}

static void words_from(vector_words *w, const uint32_t *from, size_t count)
{
    words_resize(w, count);
    for (size_t i = 0; i < count; i++)
        w->word[i] = from[i];
}

static void words_to(uint32_t *to, const vector_words *w)
{
    for (size_t i = 0; i < w->count; i++)
        to[i] = (uint32_t)w->word[i];
}

static const char whole_rows[] = "as many values as the rows have elements, at least one a row";

static const char *run_quantize(const vector_group *g, vector_case *c)
{
    vector_words *values = case_field(g, c, "values"), *codes = case_field(g, c, "codes");
    vector_words *offsets = case_field(g, c, "offsets");
    size_t count = values->count;
    if (count == 0 || count % g->rows != 0)
        return whole_rows;
    matrix m = matrix_of(g, c, count);
    for (size_t i = 0; i < count; i++)
        array_put(g->tensor, m.values, i, values->word[i]);
    sf8_status status = sf8_quantize_n(&g->recipe, m.codes, m.scale, m.offset, g->tensor, m.values,
                                       g->rows, m.columns, m.g);
    words_resize(codes, count);
    for (size_t i = 0; i < count; i++)
        codes->word[i] = m.codes[i];
    words_from(case_field(g, c, "scales"), m.scale, m.scales);
    if (offsets)
        words_from(offsets, m.offset, m.scales);
    matrix_free(&m);
    return status == SF8_OK ? NULL : "a matrix that the recipe can quantize";
}

static const char *run_dequantize(const vector_group *g, vector_case *c)
{
    vector_words *values = case_field(g, c, "values"), *codes = case_field(g, c, "codes");
    vector_words *scales = case_field(g, c, "scales"), *offsets = case_field(g, c, "offsets");
    size_t count = codes->count;
    if (count == 0 || count % g->rows != 0)
        return whole_rows;
    if (scales->count != scales_of(g, count / g->rows) ||
        (offsets && offsets->count != scales->count))
        return "one scale, and one offset if the recipe has offsets, for each block";
    matrix m = matrix_of(g, c, count);
    for (size_t i = 0; i < count; i++)
        m.codes[i] = (uint8_t)codes->word[i];
    words_to(m.scale, scales);
    if (offsets)
        words_to(m.offset, offsets);
    sf8_status status = sf8_dequantize_n(&g->recipe, g->tensor, m.values, m.codes, m.scale,
                                         m.offset, g->rows, m.columns, m.g);
    words_resize(values, count);
    for (size_t i = 0; i < count; i++)
        values->word[i] = array_get(g->tensor, m.values, i);
    matrix_free(&m);
    return status == SF8_OK ? NULL : "a matrix that the recipe can read back";
}

/* ---- tags ------------------------------------------------------------------------------------ */

static int is_zero(sf8_format f, uint64_t word)
{
    return (word & sf8_format_mag_mask(f)) == 0;
}

static vector_tags value_tags(sf8_format f, uint64_t word)
{
    return tag_if(sf8_is_nan(f, word) != 0, TAG_NAN) |
           tag_if(sf8_is_inf(f, word) != 0, TAG_INFINITE) |
           tag_if(is_zero(f, word) && word, TAG_NEG_ZERO);
}

static vector_tags scale_code_tags(sf8_format f, uint64_t code)
{
    uint64_t magnitude = code & sf8_format_mag_mask(f);
    return tag_if(sf8_is_nan(f, code) != 0, TAG_SCALE_NAN) |
           tag_if(magnitude > 0 && magnitude < sf8_format_min_normal(f), TAG_SCALE_SUBNORMAL);
}

/* How the scale of a block became its code. */
static vector_tags scale_tags(const sf8_recipe *r, const sf8_block *b, int second)
{
    const sf8_program *program = second ? &r->second_of : &r->scale_of;
    uint32_t word = trace_of(program, b->variable).result;
    sf8_format f = r->scale;
    uint64_t least = sf8_convert(SF8_F32, f, f.has_zero ? 1 : 0, SF8_OCP_NOSAT);
    uint32_t magnitude = sf8_f32_magnitude(word);
    sf8_result stored = sf8_core_convert(f, SF8_F32, word, r->scale_policy, 0);
    vector_tags tags = scale_code_tags(f, b->scale);
    if (sf8_format_bits(f) == 32 || magnitude > SF8_F32_INF)
        return tags;
    int over = magnitude == SF8_F32_INF || (stored.flags & SF8_OVERFLOW);
    int tie = conversion_is_tie(f, SF8_F32, word);
    return tags | tag_if(over, TAG_SCALE_OVERFLOW) | tag_if(tie, TAG_SCALE_TIE) |
           tag_if(magnitude > 0 && magnitude < least, TAG_SCALE_UNDERFLOW) |
           tag_if(!over && !tie && conversion_is_inexact(f, SF8_F32, word), TAG_SCALE_ROUNDED);
}

static vector_tags element_tags(const sf8_recipe *r, sf8_block *b, uint32_t x)
{
    element_fate fate = element_fate_of(r, b, x);
    int zero = r->integer ? fate.code == 0 && r->offset_at == SF8_OFFSET_NONE
                          : is_zero(r->element, fate.code);
    if (fate.is_nan)
        return 0;
    return tag_if(fate.is_tie, TAG_ELEMENT_TIE) | tag_if(fate.is_saturated, TAG_ELEMENT_SATURATED) |
           tag_if(zero && sf8_f32_magnitude(x), TAG_ELEMENT_ZERO);
}

/* A block of `count` elements, as words of the tensor's format. */
static vector_tags block_tags(const vector_group *g, const uint64_t *word, size_t count,
                              size_t columns, uint32_t global_scale)
{
    sf8_recipe room;
    const sf8_recipe *r = sf8_recipe_for(&g->recipe, g->tensor, &room);
    uint64_t most = 0, mask = (UINT64_C(1) << g->tensor.man_bits) - 1;
    uint32_t *x = allocate(count, sizeof x[0]), errors[2];
    vector_tags tags = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t magnitude = word[i] & sf8_format_mag_mask(g->tensor);
        most = magnitude > most ? magnitude : most;
        x[i] = (uint32_t)sf8_convert(SF8_F32, g->tensor, word[i], SF8_OCP_NOSAT);
        tags |= value_tags(g->tensor, word[i]);
    }
    sf8_block b;
    block_of_rows(r, &b, x, count, columns, global_scale);
    int second = sf8_recipe_chooses(r) && columns == count &&
                 block_choice(r, x, count, global_scale, errors);
    tags |= scale_tags(r, &b, second);
    for (size_t i = 0; i < count; i++)
        tags |= element_tags(r, &b, x[i]);
    free(x);
    int finite = most <= sf8_format_max(g->tensor), low = (most & mask) + 1 <= 2;
    return tags | tag_if(most == 0, TAG_ZERO_BLOCK) |
           tag_if(most && finite && (low || (most & mask) == mask), TAG_AMAX_POWER_OF_TWO);
}

vector_tags tags_of_block(const vector_group *g, const uint64_t *word, size_t count,
                          uint32_t second)
{
    return block_tags(g, word, count, count, second);
}

/* Calls block_tags for each block of the matrix. */
static vector_tags tags_of_quantize(const vector_group *g, vector_case *c)
{
    const vector_words *values = case_field(g, c, "values"), *second = case_field(g, c, "g");
    size_t columns = values->count / g->rows, height = (size_t)sf8_recipe_rows(&g->recipe);
    size_t width = g->recipe.block ? (size_t)g->recipe.block : columns;
    uint64_t *block = allocate(height * width, sizeof block[0]);
    vector_tags tags = tag_if(columns % width != 0, TAG_SHORT_BLOCK);
    for (size_t top = 0; top < g->rows; top += height) {
        for (size_t left = 0; left < columns; left += width) {
            size_t n = 0, right = left + width < columns ? left + width : columns;
            for (size_t i = top; i < top + height && i < g->rows; i++)
                for (size_t k = left; k < right; k++)
                    block[n++] = values->word[i * columns + k];
            tags |= block_tags(g, block, n, right - left, second ? (uint32_t)second->word[0] : 0);
        }
    }
    free(block);
    return tags ? tags : tag_if(1, TAG_PLAIN);
}

static vector_tags tags_of_dequantize(const vector_group *g, vector_case *c)
{
    const vector_words *codes = case_field(g, c, "codes"), *scales = case_field(g, c, "scales");
    const vector_words *values = case_field(g, c, "values");
    size_t columns = codes->count / g->rows;
    int32_t block = g->recipe.block;
    vector_tags tags = tag_if(block && columns % (size_t)block != 0, TAG_SHORT_BLOCK);
    int special = 0;
    for (size_t i = 0; i < scales->count; i++)
        tags |= scale_code_tags(g->recipe.scale, scales->word[i]);
    for (size_t i = 0; i < codes->count && !g->recipe.integer; i++) {
        tags |= value_tags(g->recipe.element, codes->word[i]);
        special |= sf8_is_special(g->recipe.element, codes->word[i]) != 0;
    }
    special |= (tags >> TAG_SCALE_NAN & 1) != 0;
    for (size_t i = 0; i < values->count; i++) {
        uint64_t magnitude = values->word[i] & sf8_format_mag_mask(g->tensor);
        tags |= tag_if(magnitude && magnitude < sf8_format_min_normal(g->tensor), TAG_SUBNORMAL) |
                tag_if(!special && sf8_is_inf(g->tensor, values->word[i]),
                       TAG_OVERFLOW_TO_INFINITY);
    }
    return tags ? tags : tag_if(1, TAG_PLAIN);
}

/* ---- the kinds ------------------------------------------------------------------------------- */

const vector_kind kind_quantize = {
    .name = "quantize",
    .head = {{"recipe", 's', 0}, {"from", 's', 0}, {"rows", 'n', 1}},
    .open = open_quantize,
    .run = run_quantize,
    .tags = tags_of_quantize,
    .nth = nth_quantize,
};

const vector_kind kind_dequantize = {
    .name = "dequantize",
    .head = {{"recipe", 's', 0}, {"to", 's', 0}, {"rows", 'n', 1}},
    .open = open_dequantize,
    .run = run_dequantize,
    .tags = tags_of_dequantize,
    .nth = nth_dequantize,
};
