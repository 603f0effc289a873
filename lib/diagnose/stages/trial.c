/* SPDX-License-Identifier: MIT */
/* trial.c -- computes a stage, quantizes its result, and counts what differs from a kernel's */
#include "diagnose/stages/fused.h"
#include "softfp8_judge.h"

#include <stdio.h>
#include <string.h>

enum { FUSED_ROWS = 8 };

/* ---- one trial ------------------------------------------------------------------------------- */

sf8_format fused_format(const sf8_stage *stage)
{
    uint32_t via = stage->count ? stage->step[stage->count - 1].via : SF8_STEP_F32;
    return via == SF8_STEP_BF16 ? SF8_BF16 : via == SF8_STEP_F16 ? SF8_F16 : SF8_F32;
}

/* The values as the quantizer reads them: as they are, or in 16 bits. */
static const void *as_tensor(fused_search *s, sf8_format of, size_t count)
{
    if (of.man_bits == 23)
        return s->y;
    sf8_convert_n(of, s->half, SF8_F32, s->y, count, SF8_OCP_NOSAT);
    return s->half;
}

/* Writes the elements of each head elsewhere. */
static void place(fused_search *s, const fused_try *t, uint32_t *values, size_t rows)
{
    const sf8_stage_step *rope = t->stage.step;
    uint32_t *other = s->before;
    if (t->places == FUSED_IN_PLACE)
        return;
    while (rope->kind != SF8_STEP_ROPE)
        rope++;
    size_t head = rope->head ? rope->head : s->width, dim = rope->dim ? rope->dim : head;
    for (size_t at = 0; at < rows * s->width; at += head) {
        for (size_t i = 0; i < dim; i++) {
            size_t half = i < dim / 2 ? i + dim / 2 : i - dim / 2;
            size_t even = i < dim / 2 ? 2 * i : 2 * (i - dim / 2) + 1;
            size_t to = t->places == FUSED_HALVES ? half : even;
            if (t->places == FUSED_UNWOVEN)
                other[i] = values[at + to];
            else
                other[to] = values[at + i];
        }
        memcpy(values + at, other, dim * sizeof *values);
    }
}

static sf8_status run_stage(fused_search *s, const fused_try *t, const fused_part *p)
{
    sf8_status status = sf8_stage_run(&t->stage, s->y, p->x, p->rows, s->f->columns, p->inputs,
                                      s->input_count, s->work);
    if (status == SF8_OK)
        place(s, t, s->y, p->rows);
    return status;
}

sf8_status fused_try_on(fused_search *s, fused_try *t, const fused_part *p)
{
    const sf8_fused_results *f = s->f;
    sf8_format of = fused_format(&t->stage);
    size_t count = p->rows * s->width, blocks = (p->rows + s->high - 1) / s->high * s->across;
    sf8_status status = run_stage(s, t, p);
    if (status == SF8_OK)
        status = sf8_quantize_n(f->recipe, s->codes, s->scales, NULL, of, as_tensor(s, of, count),
                                p->rows, s->width, f->g);
    t->codes = t->scales = 0;
    for (size_t i = 0; status == SF8_OK && i < count; i++)
        t->codes += s->codes[i] != p->codes[i];
    for (size_t i = 0; status == SF8_OK && p->scales && i < blocks; i++)
        t->scales += s->scales[i] != p->scales[i];
    return status;
}

/* ---- judged ---------------------------------------------------------------------------------- */

/* What rounding errors of the stage do not excuse: of its functions, of the order of its sums. */
static sf8_status judge(fused_search *s, fused_try *t, int functions, int sums, size_t *outside,
                        const char **mistake)
{
    const sf8_fused_results *f = s->f;
    sf8_stage wide = fused_uncertain(&t->stage, functions, sums);
    sf8_format of = fused_format(&t->stage);
    sf8_status status = run_stage(s, t, &s->all);
    if (status == SF8_OK)
        status = sf8_stage_bounds(&wide, s->lower, s->upper, f->x, f->x, f->rows, f->columns,
                                  s->all.inputs, s->input_count, s->work);
    if (status != SF8_OK)
        return status;
    place(s, t, s->lower, f->rows);
    place(s, t, s->upper, f->rows);
    sf8_uncertainty u = {.between = {s->lower, s->upper}, .between_format = SF8_F32};
    sf8_block_flips flips = {.recipe = f->recipe,
                             .from = of,
                             .inputs = as_tensor(s, of, f->rows * s->width),
                             .rows = f->rows,
                             .columns = s->width,
                             .codes = f->codes,
                             .scales = f->scales,
                             .g = f->g,
                             .uncertainty = &u};
    sf8_judgement *j;
    *outside = SIZE_MAX;
    status = sf8_judge_blocks(&flips, &j);
    if (status == SF8_OK) {
        t->codes = j->codes.differ;
        t->scales = j->scales.differ;
        *outside = j->codes.outside + j->scales.outside;
        if (mistake && *outside > 0)
            *mistake = diagnosis_text(s->run, "%s", j->mistake);
        sf8_judgement_free(j);
    }
    return status == SF8_BAD_CALL ? SF8_OK : status; /* a recipe that the judge does not know */
}

sf8_status fused_judge(fused_search *s, fused_try *t, fused_excuse *excuse)
{
    *excuse = (fused_excuse){.mistake = ""};
    sf8_status status = judge(s, t, 1, 1, &excuse->outside, &excuse->mistake);
    t->outside = excuse->outside;
    return status;
}

/* The codes of one block by a scale that is given. */
static void code_block(fused_search *s, const uint32_t *values, size_t at, uint8_t *codes)
{
    const sf8_fused_results *f = s->f;
    size_t row = at / s->across * s->high, column = at % s->across * s->wide;
    size_t end_row = f->rows - row < s->high ? f->rows : row + s->high;
    size_t end = s->width - column < s->wide ? s->width : column + s->wide;
    sf8_recipe room;
    const sf8_recipe *r = sf8_recipe_for(f->recipe, fused_format(f->stage), &room);
    sf8_block taken;
    uint32_t g;
    memcpy(&g, &f->g, sizeof g);
    sf8_block_begin(&taken, g);
    for (size_t i = row; i < end_row; i++)
        for (size_t j = column; j < end; j++)
            sf8_block_take(r, &taken, values[i * s->width + j], i == row && j == column);
    if (f->scales)
        sf8_block_give_scale(r, &taken, f->scales[at], 0);
    else
        sf8_block_scale(r, &taken);
    for (size_t i = row; i < end_row; i++)
        for (size_t j = column; j < end; j++)
            codes[i * s->width + j] = (uint8_t)sf8_block_code(r, &taken, values[i * s->width + j]);
}

/* Counts the codes that can be one only, and the rows of which less than half are so, though some
 * code of them is excused. The last trial was that of all rows. */
static void count_pinned(fused_search *s, fused_excuse *excuse)
{
    const sf8_fused_results *f = s->f;
    size_t blocks = (f->rows + s->high - 1) / s->high * s->across;
    uint8_t *most = search_allocate(&s->run->context, f->rows * s->width, 1);
    uint8_t *exact = search_allocate(&s->run->context, f->rows * s->width, 1);
    for (size_t at = 0; at < blocks; at++) {
        code_block(s, s->lower, at, s->codes);
        code_block(s, s->upper, at, most);
        code_block(s, s->y, at, exact);
    }
    for (size_t row = 0; row < f->rows; row++) {
        size_t pinned = 0, differ = 0;
        for (size_t i = row * s->width; i < (row + 1) * s->width; i++) {
            pinned += s->codes[i] == most[i];
            differ += exact[i] != f->codes[i];
        }
        excuse->pinned += pinned;
        excuse->untested += differ > 0 && 2 * pinned < s->width;
    }
}

sf8_status fused_judge_apart(fused_search *s, fused_try *t, fused_excuse *excuse)
{
    sf8_status status = judge(s, t, 0, 1, &excuse->functions, NULL);
    if (status == SF8_OK)
        status = judge(s, t, 1, 0, &excuse->sums, NULL);
    if (status == SF8_OK)
        status = judge(s, t, 1, 1, &excuse->outside, NULL);
    if (status == SF8_OK)
        count_pinned(s, excuse);
    return status;
}

/* ---- the rows that are tried first ----------------------------------------------------------- */

static int row_differs(const fused_search *s, size_t row)
{
    return memcmp(s->codes + row * s->width, s->f->codes + row * s->width, s->width) != 0;
}

static void copy_rows(fused_search *s, const size_t *first, size_t groups)
{
    const sf8_fused_results *f = s->f;
    search_context *c = &s->run->context;
    size_t rows = groups * s->high, scale_words = s->across;
    uint32_t *x = search_allocate(c, rows * f->columns, sizeof *x);
    uint8_t *codes = search_allocate(c, rows * s->width, 1);
    uint32_t *scales = search_allocate(c, groups * scale_words, sizeof *scales);
    sf8_stage_input *inputs = search_allocate(c, s->input_count, sizeof *inputs);
    for (size_t i = 0; i < s->input_count; i++) {
        const sf8_stage_input *in = &s->inputs[i];
        inputs[i] = *in;
        if (in->rows == 1)
            continue;
        uint32_t *values = search_allocate(c, rows * in->columns, sizeof *values);
        for (size_t k = 0; k < groups; k++)
            memcpy(values + k * s->high * in->columns, in->values + first[k] * in->columns,
                   s->high * in->columns * sizeof *values);
        inputs[i].values = values;
        inputs[i].rows = rows;
    }
    for (size_t k = 0; k < groups; k++) {
        memcpy(x + k * s->high * f->columns, f->x + first[k] * f->columns,
               s->high * f->columns * sizeof *x);
        memcpy(codes + k * s->high * s->width, f->codes + first[k] * s->width, s->high * s->width);
        if (f->scales)
            memcpy(scales + k * scale_words, f->scales + first[k] / s->high * scale_words,
                   scale_words * sizeof *scales);
    }
    s->some = (fused_part){x, inputs, codes, f->scales ? scales : NULL, rows};
}

void fused_choose_rows(fused_search *s)
{
    size_t first[2 * FUSED_ROWS], groups = 0, whole = s->f->rows / s->high, wanted = 0;
    for (size_t k = 0; k < whole && groups < FUSED_ROWS; k++) {
        int differs = 0;
        for (size_t i = 0; i < s->high; i++)
            differs |= row_differs(s, k * s->high + i);
        if (differs)
            first[groups++] = k * s->high;
    }
    for (size_t k = 0; k < FUSED_ROWS && whole > 0; k++, wanted += whole / FUSED_ROWS)
        if (wanted < whole)
            first[groups++] = wanted * s->high;
    copy_rows(s, first, groups);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The arrays that were given, and each with the other sign under the name "-NAME". */
static void take_inputs(fused_search *s)
{
    const sf8_fused_results *f = s->f;
    search_context *c = &s->run->context;
    s->inputs = search_allocate(c, 2 * f->input_count, sizeof *s->inputs);
    s->input_count = 2 * f->input_count;
    for (size_t i = 0; i < f->input_count; i++) {
        const sf8_stage_input *in = &f->inputs[i];
        sf8_stage_input *other = &s->inputs[f->input_count + i];
        size_t count = in->rows * in->columns, size = in->name ? strlen(in->name) + 2 : 1;
        char *name = search_allocate(c, size, 1);
        uint32_t *values = search_allocate(c, in->values ? count : 0, sizeof *values);
        if (in->name)
            snprintf(name, size, "-%s", in->name);
        for (size_t k = 0; in->values && k < count; k++)
            values[k] = in->values[k] ^ 0x80000000u;
        s->inputs[i] = *in;
        *other = (sf8_stage_input){name, values, in->rows, in->columns};
    }
    s->all.inputs = s->inputs;
}

void fused_prepare(fused_search *s)
{
    const sf8_fused_results *f = s->f;
    search_context *c = &s->run->context;
    size_t count;
    s->width = sf8_stage_columns(f->stage, f->columns);
    s->across = sf8_recipe_blocks(f->recipe, s->width);
    s->high = sf8_recipe_rows(f->recipe);
    s->wide = f->recipe->block ? (size_t)f->recipe->block : s->width;
    s->all = (fused_part){f->x, f->inputs, f->codes, f->scales, f->rows};
    count = (f->rows + 2 * FUSED_ROWS * s->high) * s->width;
    s->work = search_allocate(c, 3 * f->columns, sizeof *s->work);
    s->y = search_allocate(c, count, sizeof *s->y);
    s->before = search_allocate(c, (f->rows + 2 * FUSED_ROWS * s->high) * f->columns,
                                sizeof *s->before);
    s->lower = search_allocate(c, count, sizeof *s->lower);
    s->upper = search_allocate(c, count, sizeof *s->upper);
    s->half = search_allocate(c, count, sizeof *s->half);
    s->codes = search_allocate(c, count, 1);
    s->scales = search_allocate(c, count / (s->width ? s->width : 1) * s->across,
                                sizeof *s->scales);
    s->change = search_allocate(c, FUSED_CHANGES, sizeof *s->change);
    s->changes = fused_changes(f->stage, s->change);
    take_inputs(s);
}
