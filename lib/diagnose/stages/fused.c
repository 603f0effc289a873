/* SPDX-License-Identifier: MIT */
/* fused.c -- tries a stage as stated, with one change, and with two
 *
 * A stage of a tensor takes seconds, so that changes are tried on a few rows first: those with
 * codes that differ, and some others. What explains every code of these is tried on all rows. What
 * explains nearly all is judged: whether rounding errors excuse the rest.
 */
#include "diagnose/stages/fused.h"
#include "softfp8_judge.h"

#include <string.h>

enum { FUSED_ROWS = 8, FUSED_LISTED = 6, FUSED_PARTIAL = 6, FUSED_FEW = 1000 };

/* Rows of a tensor, and the arrays of the stage for them. */
typedef struct fused_part {
    const uint32_t *x;
    const sf8_stage_input *inputs;
    const uint8_t *codes;
    const uint32_t *scales; /* or NULL */
    size_t rows;
} fused_part;

typedef struct fused_search {
    diagnosis_run *run;
    const sf8_fused_results *f;
    size_t width, across, high; /* columns of the result; blocks in a row; rows of a block */
    fused_part all, some;
    fused_change *change;
    size_t changes;
    /* memory for one trial */
    sf8_span *work;
    uint32_t *y, *before, *lower, *upper, *scales;
    uint16_t *half;
    uint8_t *codes;
} fused_search;

/* Up to two changes of the stage as stated, and what differs then. */
typedef struct fused_try {
    const fused_change *change[2];
    sf8_stage stage;
    int amax; /* scales come from the result before its last rounding */
    size_t codes, scales, outside;
} fused_try;

static size_t differing(const fused_try *t)
{
    return t->codes + t->scales;
}

/* ---- one trial ------------------------------------------------------------------------------- */

static sf8_format result_format(const sf8_stage *stage)
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

/* The codes of a block by a scale that is given. */
static void code_block(fused_search *s, const fused_part *p, size_t row, size_t column,
                       uint32_t scale)
{
    const sf8_recipe *r = s->f->recipe;
    size_t wide = r->block ? (size_t)r->block : s->width;
    size_t end_row = p->rows - row < s->high ? p->rows : row + s->high;
    size_t end = s->width - column < wide ? s->width : column + wide;
    sf8_block taken;
    uint32_t g;
    memcpy(&g, &s->f->g, sizeof g);
    sf8_block_begin(&taken, g);
    for (size_t i = row; i < end_row; i++)
        for (size_t j = column; j < end; j++)
            sf8_block_take(r, &taken, s->y[i * s->width + j], i == row && j == column);
    sf8_block_give_scale(r, &taken, scale, 0);
    for (size_t i = row; i < end_row; i++)
        for (size_t j = column; j < end; j++)
            s->codes[i * s->width + j] = (uint8_t)sf8_block_code(r, &taken, s->y[i * s->width + j]);
}

/* Scales of the values before the last rounding, and the codes of the values after it. */
static sf8_status quantize_early(fused_search *s, const fused_try *t, const fused_part *p)
{
    const sf8_fused_results *f = s->f;
    sf8_stage early = t->stage;
    size_t wide = f->recipe->block ? (size_t)f->recipe->block : s->width;
    early.step[early.count - 1].via = SF8_STEP_F32;
    sf8_status status = sf8_stage_run(&early, s->before, p->x, p->rows, f->columns, p->inputs,
                                      f->input_count, s->work);
    if (status == SF8_OK)
        status = sf8_quantize_n(f->recipe, s->codes, s->scales, NULL, SF8_F32, s->before, p->rows,
                                s->width, f->g);
    for (size_t i = 0; status == SF8_OK && i * s->high < p->rows; i++)
        for (size_t k = 0; k < s->across; k++)
            code_block(s, p, i * s->high, k * wide, s->scales[i * s->across + k]);
    return status;
}

/* Computes a stage for these rows and counts what differs. */
static sf8_status try_on(fused_search *s, fused_try *t, const fused_part *p)
{
    const sf8_fused_results *f = s->f;
    sf8_format of = result_format(&t->stage);
    size_t count = p->rows * s->width, blocks = (p->rows + s->high - 1) / s->high * s->across;
    sf8_status status = sf8_stage_run(&t->stage, s->y, p->x, p->rows, f->columns, p->inputs,
                                      f->input_count, s->work);
    if (status != SF8_OK)
        return status;
    status = t->amax ? quantize_early(s, t, p)
                     : sf8_quantize_n(f->recipe, s->codes, s->scales, NULL, of,
                                      as_tensor(s, of, count), p->rows, s->width, f->g);
    t->codes = t->scales = 0;
    for (size_t i = 0; i < count; i++)
        t->codes += s->codes[i] != p->codes[i];
    for (size_t i = 0; p->scales && i < blocks; i++)
        t->scales += s->scales[i] != p->scales[i];
    return status;
}

/* Counts the codes and scales that no rounding error of the stage excuses. */
static sf8_status judge(fused_search *s, fused_try *t)
{
    const sf8_fused_results *f = s->f;
    sf8_stage wide = fused_uncertain(&t->stage);
    sf8_format of = result_format(&t->stage);
    sf8_status status = sf8_stage_run(&t->stage, s->y, f->x, f->rows, f->columns, f->inputs,
                                      f->input_count, s->work);
    if (status == SF8_OK)
        status = sf8_stage_bounds(&wide, s->lower, s->upper, f->x, f->x, f->rows, f->columns,
                                  f->inputs, f->input_count, s->work);
    if (status != SF8_OK)
        return status;
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
    t->outside = SIZE_MAX;
    status = sf8_judge_blocks(&flips, &j);
    if (status == SF8_OK) {
        t->codes = j->codes.differ;
        t->scales = j->scales.differ;
        t->outside = j->codes.outside + j->scales.outside;
        sf8_judgement_free(j);
    }
    return status == SF8_BAD_CALL ? SF8_OK : status; /* a recipe that the judge does not know */
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
    sf8_stage_input *inputs = search_allocate(c, f->input_count, sizeof *inputs);
    for (size_t i = 0; i < f->input_count; i++) {
        const sf8_stage_input *in = &f->inputs[i];
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

/* Takes groups of rows with codes that differ from those of the last trial, and others between. */
static void choose_rows(fused_search *s)
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

/* ---- the search ------------------------------------------------------------------------------ */

static int make(const fused_search *s, fused_try *t, const fused_change *a, const fused_change *b)
{
    memset(t, 0, sizeof *t);
    t->stage = *s->f->stage;
    if (a && b && a->step < b->step) {
        const fused_change *first = a;
        a = b;
        b = first;
    }
    t->change[0] = a;
    t->change[1] = b;
    for (int i = 0; i < 2; i++)
        t->amax |= t->change[i] && t->change[i]->field == FUSED_AMAX;
    if (t->amax && b && (a->field == FUSED_VIA || b->field == FUSED_VIA))
        return 0;
    return (!a || fused_apply(&t->stage, a)) && (!b || fused_apply(&t->stage, b));
}

/* The fewest changes first, then the fewest differences. */
static int is_better(const void *item, const void *other)
{
    const fused_try *a = item, *b = other;
    return differing(a) < differing(b);
}

typedef struct fused_found {
    fused_try exact[FUSED_LISTED], near[FUSED_PARTIAL];
    size_t exacts, nears;
} fused_found;

/* Tries a stage on the few rows, and on all if it explains these. */
static sf8_status consider(fused_search *s, fused_found *found, fused_try *t)
{
    sf8_status status = try_on(s, t, &s->some);
    if (status != SF8_OK)
        return status;
    if (differing(t) == 0) {
        status = try_on(s, t, &s->all);
        if (status == SF8_OK && differing(t) == 0) {
            if (found->exacts < FUSED_LISTED)
                found->exact[found->exacts++] = *t;
            return status;
        }
        t->codes = t->scales = 0; /* as the other trials: on the few rows */
    }
    search_keep(found->near, &found->nears, FUSED_PARTIAL, sizeof *t, t, is_better);
    return status;
}

static sf8_status try_changes(fused_search *s, fused_found *found, int pairs)
{
    for (size_t a = 0; a < s->changes; a++)
        for (size_t b = pairs ? a + 1 : s->changes; b <= s->changes; b++) {
            const fused_change *one = &s->change[a], *two = b < s->changes ? &s->change[b] : NULL;
            fused_try t;
            if (search_is_over(&s->run->context))
                return SF8_OK;
            if ((pairs && !two) || (two && one->step == two->step && one->field == two->field))
                continue;
            if (!make(s, &t, one, two))
                continue;
            sf8_status status = consider(s, found, &t);
            if (status != SF8_OK)
                return status;
        }
    return SF8_OK;
}

/* Of those that are near one whose rest is small, and excused. */
static sf8_status judge_near(fused_search *s, fused_found *found, fused_try *best, int *is_found)
{
    *is_found = 0;
    for (size_t i = 0; i < found->nears; i++) {
        fused_try *t = &found->near[i];
        if (t->amax)
            continue;
        sf8_status status = judge(s, t);
        if (status != SF8_OK)
            return status;
        if (t->outside > 0 || t->codes > s->f->rows * s->width / FUSED_FEW + 2)
            continue;
        if (!*is_found || differing(t) < differing(best))
            *best = *t;
        *is_found = 1;
    }
    return SF8_OK;
}

/* ---- the result ------------------------------------------------------------------------------ */

static void list(fused_search *s, sf8_fused_diagnosis *d, const fused_try *tries, size_t count)
{
    sf8_fused_explanation *e = diagnosis_allocate(s->run, count, sizeof *e);
    d->list = e;
    d->count = count;
    for (size_t i = 0; i < count; i++) {
        const fused_try *t = &tries[i];
        char text[SF8_STAGE_TEXT_SIZE];
        int two = t->change[1] != NULL;
        if (sf8_stage_write(&t->stage, text, sizeof text) != SF8_OK)
            text[0] = '\0';
        e[i] = (sf8_fused_explanation){
            .stage = diagnosis_text(s->run, "%s", text),
            .words = two ? diagnosis_text(s->run, "%s, and %s", t->change[1]->words,
                                          t->change[0]->words)
                         : diagnosis_text(s->run, "%s", t->change[0]->words),
            .changes = two ? 2 : 1,
            .codes = t->codes,
            .scales = t->scales,
            .outside = t->outside};
    }
}

static sf8_status search(fused_search *s, sf8_fused_diagnosis *d, const fused_try *stated)
{
    fused_found found = {.exacts = 0};
    fused_try best;
    int is_excused = stated->outside == 0, is_found = 0;
    sf8_status status = try_changes(s, &found, 0);
    if (status == SF8_OK && found.exacts == 0 && !is_excused) {
        status = judge_near(s, &found, &best, &is_found);
        if (status == SF8_OK && !is_found) {
            status = try_changes(s, &found, 1);
            if (status == SF8_OK && found.exacts == 0)
                status = judge_near(s, &found, &best, &is_found);
        }
    }
    if (status != SF8_OK)
        return status;
    d->verdict = is_excused                 ? SF8_FUSED_EXCUSED
                 : found.exacts || is_found ? SF8_FUSED_CHANGED
                                            : SF8_FUSED_NONE;
    if (found.exacts) {
        list(s, d, found.exact, found.exacts);
        return SF8_OK;
    }
    if (is_found) {
        list(s, d, &best, 1);
        return SF8_OK;
    }
    if (is_excused || found.nears == 0)
        return SF8_OK;
    best = found.near[0];
    status = try_on(s, &best, &s->all);
    if (status == SF8_OK && 2 * differing(&best) <= d->codes_differ + d->scales_differ) {
        d->verdict = SF8_FUSED_NEAREST;
        best.outside = differing(&best);
        list(s, d, &best, 1);
    }
    return status;
}

static void prepare(fused_search *s)
{
    const sf8_fused_results *f = s->f;
    search_context *c = &s->run->context;
    size_t count;
    s->width = sf8_stage_columns(f->stage, f->columns);
    s->across = sf8_recipe_blocks(f->recipe, s->width);
    s->high = sf8_recipe_rows(f->recipe);
    s->all = (fused_part){f->x, f->inputs, f->codes, f->scales, f->rows};
    count = (f->rows + 2 * FUSED_ROWS * s->high) * s->width;
    s->work = search_allocate(c, 3 * f->columns, sizeof *s->work);
    s->y = search_allocate(c, count, sizeof *s->y);
    s->before = search_allocate(c, count, sizeof *s->before);
    s->lower = search_allocate(c, count, sizeof *s->lower);
    s->upper = search_allocate(c, count, sizeof *s->upper);
    s->half = search_allocate(c, count, sizeof *s->half);
    s->codes = search_allocate(c, count, 1);
    s->scales = search_allocate(c, count / (s->width ? s->width : 1) * s->across,
                                sizeof *s->scales);
    s->change = search_allocate(c, FUSED_CHANGES, sizeof *s->change);
    s->changes = fused_changes(f->stage, s->change);
}

static sf8_status diagnose(diagnosis_run *run, const void *results, void *diagnosis)
{
    const sf8_fused_results *f = results;
    sf8_fused_diagnosis *d = diagnosis;
    fused_search s = {.run = run, .f = f};
    fused_try stated;
    prepare(&s);
    make(&s, &stated, NULL, NULL);
    sf8_status status = try_on(&s, &stated, &s.all);
    if (status != SF8_OK)
        return status;
    d->codes = f->rows * s.width;
    d->scales = f->scales ? (f->rows + s.high - 1) / s.high * s.across : 0;
    d->codes_differ = stated.codes;
    d->scales_differ = stated.scales;
    if (differing(&stated) > 0) {
        choose_rows(&s);
        status = judge(&s, &stated);
        d->outside = stated.outside;
        if (status == SF8_OK)
            status = search(&s, d, &stated);
    }
    if (status == SF8_OK)
        d->message = fused_message(run, f, d);
    return status;
}

sf8_status sf8_diagnose_fused(const sf8_fused_results *results, sf8_fused_diagnosis **diagnosis)
{
    const sf8_fused_results *f = results;
    const char *name;
    void *made = NULL;
    if (!diagnosis)
        return SF8_BAD_CALL;
    *diagnosis = NULL;
    if (!f || !f->stage || !f->x || !f->recipe || !f->codes || (f->input_count && !f->inputs) ||
        f->recipe->offset_at != SF8_OFFSET_NONE ||
        sf8_stage_wrong(f->stage, f->rows, f->columns, f->inputs, f->input_count, &name))
        return SF8_BAD_CALL;
    sf8_status status = diagnosis_make(diagnosis_limits(f->seconds, NULL, NULL), diagnose, f,
                                       sizeof **diagnosis, &made);
    *diagnosis = made;
    return status;
}

void sf8_fused_diagnosis_free(sf8_fused_diagnosis *diagnosis)
{
    diagnosis_free(diagnosis);
}
