/* SPDX-License-Identifier: MIT */
/* fused.c -- tries a stage as stated, with one change, and with two
 *
 * A stage of a tensor takes seconds, so that changes are tried on a few rows first: those with
 * codes that differ, and some others. What explains every code of these is tried on all rows. A
 * change of the quantizer, such as a factor of the scale, counts as a change too. What explains
 * nearly all is judged: whether rounding errors excuse the rest.
 */
#include "diagnose/stages/fused.h"

#include <string.h>

enum { FUSED_LISTED = 6, FUSED_PARTIAL = 6, FUSED_FEW = 1000 };

static size_t differing(const fused_try *t)
{
    return t->codes + t->scales;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* 0 if the changes do not go together, or the stage would not fit the tensor. */
static int make(const fused_search *s, fused_try *t, const fused_change *a, const fused_change *b)
{
    const char *name;
    memset(t, 0, sizeof *t);
    t->stage = *s->f->stage;
    if (a && b && !fused_go_together(a, b))
        return 0;
    if (a && b && a->step < b->step) {
        const fused_change *first = a;
        a = b;
        b = first;
    }
    t->change[0] = a;
    t->change[1] = b;
    for (int i = 0; i < 2; i++)
        if (t->change[i] && t->change[i]->field == FUSED_PLACES)
            t->places = t->change[i]->value[0];
    return (!a || fused_apply(&t->stage, a)) && (!b || fused_apply(&t->stage, b)) &&
           !sf8_stage_wrong(&t->stage, s->f->rows, s->f->columns, s->inputs, s->input_count, &name);
}

/* The fewest changes first, then the fewest differences. */
static int is_better(const void *item, const void *other)
{
    const fused_try *a = item, *b = other;
    return differing(a) < differing(b);
}

typedef struct fused_found {
    fused_try exact[FUSED_LISTED], near[FUSED_PARTIAL], follower;
    size_t exacts, nears, followers;
} fused_found;

static void found_exact(fused_found *found, const fused_try *t)
{
    if (found->exacts < FUSED_LISTED)
        found->exact[found->exacts++] = *t;
}

/* A stage that is right with other scales, or with codes by other scales. */
static sf8_status consider_quantizer(fused_search *s, fused_found *found, fused_try *t)
{
    int follows;
    const char *words = fused_quantizer(s, t, &s->some, &follows);
    if (!words && !follows)
        return SF8_OK;
    fused_try all = *t;
    sf8_status status = fused_try_on(s, &all, &s->all);
    if (status != SF8_OK)
        return status;
    all.quantizer = fused_quantizer(s, &all, &s->all, &follows);
    if (all.quantizer) {
        all.codes = all.scales = 0;
        found_exact(found, &all);
    } else if (follows && found->followers++ == 0) {
        found->follower = all;
    }
    return SF8_OK;
}

/* Tries a stage on the few rows, and on all if it explains these. */
static sf8_status consider(fused_search *s, fused_found *found, fused_try *t, int quantizers)
{
    sf8_status status = fused_try_on(s, t, &s->some);
    if (status != SF8_OK)
        return status;
    if (differing(t) == 0 && !quantizers) {
        status = fused_try_on(s, t, &s->all);
        if (status == SF8_OK && differing(t) == 0) {
            found_exact(found, t);
            return status;
        }
        t->codes = t->scales = 0; /* as the other trials: on the few rows */
    }
    if (quantizers)
        return consider_quantizer(s, found, t);
    search_keep(found->near, &found->nears, FUSED_PARTIAL, sizeof *t, t, is_better);
    return status;
}

/* Each change, with a change of the quantizer if `quantizers`; or each two if `pairs`. */
static sf8_status try_changes(fused_search *s, fused_found *found, int pairs, int quantizers)
{
    for (size_t a = 0; a < s->changes; a++)
        for (size_t b = pairs ? a + 1 : s->changes; b <= s->changes; b++) {
            const fused_change *one = &s->change[a], *two = b < s->changes ? &s->change[b] : NULL;
            fused_try t;
            if (search_is_over(&s->run->context))
                return SF8_OK;
            if ((pairs && !two) || !make(s, &t, one, two))
                continue;
            sf8_status status = consider(s, found, &t, quantizers);
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
        fused_excuse excuse;
        sf8_status status = fused_judge(s, t, &excuse);
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
        size_t changes = (size_t)(t->change[0] != NULL) + (size_t)(t->change[1] != NULL);
        if (sf8_stage_write(&t->stage, text, sizeof text) != SF8_OK)
            text[0] = '\0';
        e[i] = (sf8_fused_explanation){
            .stage = diagnosis_text(s->run, "%s", text),
            .words = changes == 2 ? diagnosis_text(s->run, "%s, and %s", t->change[1]->words,
                                                   t->change[0]->words)
                     : changes    ? diagnosis_text(s->run, "%s", t->change[0]->words)
                                  : "",
            .quantizer = t->quantizer ? t->quantizer : "",
            .changes = changes + (t->quantizer != NULL),
            .codes = t->codes,
            .scales = t->scales,
            .outside = t->outside};
    }
}

/* What is found: exactly, or with a rest that is excused. */
typedef struct fused_result {
    fused_found found;
    fused_try best;
    int is_found;
} fused_result;

/* One change: of the stage, or of the quantizer. */
static sf8_status search_one(fused_search *s, fused_result *r, fused_try *stated, int is_excused)
{
    fused_try t = *stated;
    sf8_status status = try_changes(s, &r->found, 0, 0);
    if (status == SF8_OK)
        status = consider(s, &r->found, &t, 1);
    if (status == SF8_OK && r->found.exacts == 0 && !is_excused)
        status = judge_near(s, &r->found, &r->best, &r->is_found);
    return status;
}

/* The stage as stated within rounding errors, with other scales or by a factor. */
static void with_mistake(fused_search *s, fused_result *r, const fused_try *stated,
                         const fused_excuse *excuse)
{
    if (r->found.exacts || r->is_found || excuse->mistake[0] == '\0' ||
        strstr(excuse->mistake, "unexplained") || strstr(excuse->mistake, "the values are"))
        return;
    r->best = *stated;
    r->best.quantizer = diagnosis_text(s->run, "%s", excuse->mistake);
    r->best.outside = 0;
    r->is_found = 1;
}

/* Two changes: of the stage and the quantizer, of scales and codes, or of the stage. */
static sf8_status search_two(fused_search *s, fused_result *r, const fused_try *stated)
{
    fused_try t = *stated;
    sf8_status status = SF8_OK;
    if (r->found.exacts == 0 && !r->is_found)
        status = try_changes(s, &r->found, 0, 1);
    s->casts = 1;
    if (status == SF8_OK && r->found.exacts == 0 && !r->is_found)
        status = consider(s, &r->found, &t, 1);
    s->casts = 0;
    if (status == SF8_OK && r->found.exacts == 0 && !r->is_found)
        status = try_changes(s, &r->found, 1, 0);
    if (status == SF8_OK && r->found.exacts == 0 && !r->is_found)
        status = judge_near(s, &r->found, &r->best, &r->is_found);
    return status;
}

/* What is nearest: all codes are right for scales that nothing explains, or half of what differs is
 * explained. */
static sf8_status nearest(fused_search *s, sf8_fused_diagnosis *d, fused_found *found)
{
    if (found->followers) {
        d->verdict = SF8_FUSED_NEAREST;
        found->follower.codes = 0;
        found->follower.outside = found->follower.scales;
        list(s, d, &found->follower, 1);
        return SF8_OK;
    }
    if (found->nears == 0)
        return SF8_OK;
    fused_try best = found->near[0];
    sf8_status status = fused_try_on(s, &best, &s->all);
    if (status == SF8_OK && 2 * differing(&best) <= d->codes_differ + d->scales_differ) {
        d->verdict = SF8_FUSED_NEAREST;
        best.outside = differing(&best);
        list(s, d, &best, 1);
    }
    return status;
}

static sf8_status search(fused_search *s, sf8_fused_diagnosis *d, fused_try *stated,
                         const fused_excuse *excuse)
{
    fused_result *r = search_allocate(&s->run->context, 1, sizeof *r);
    int is_excused = excuse->outside == 0;
    sf8_status status = search_one(s, r, stated, is_excused);
    if (status == SF8_OK && !is_excused) {
        with_mistake(s, r, stated, excuse);
        status = search_two(s, r, stated);
    }
    if (status != SF8_OK)
        return status;
    d->verdict = is_excused && !excuse->untested  ? SF8_FUSED_EXCUSED
                 : r->found.exacts || r->is_found ? SF8_FUSED_CHANGED
                 : is_excused                     ? SF8_FUSED_UNTESTED
                                                  : SF8_FUSED_NONE;
    if (r->found.exacts)
        list(s, d, r->found.exact, r->found.exacts);
    else if (r->is_found)
        list(s, d, &r->best, 1);
    else if (!is_excused)
        return nearest(s, d, &r->found);
    return SF8_OK;
}

static sf8_status diagnose(diagnosis_run *run, const void *results, void *diagnosis)
{
    const sf8_fused_results *f = results;
    sf8_fused_diagnosis *d = diagnosis;
    fused_search s = {.run = run, .f = f};
    fused_excuse excuse = {.mistake = ""};
    fused_try stated;
    fused_prepare(&s);
    if (!make(&s, &stated, NULL, NULL))
        return SF8_BAD_CALL;
    sf8_status status = fused_try_on(&s, &stated, &s.all);
    if (status != SF8_OK)
        return status;
    d->codes = f->rows * s.width;
    d->scales = f->scales ? (f->rows + s.high - 1) / s.high * s.across : 0;
    d->codes_differ = stated.codes;
    d->scales_differ = stated.scales;
    if (differing(&stated) > 0) {
        fused_choose_rows(&s);
        status = fused_judge(&s, &stated, &excuse);
        if (status == SF8_OK && excuse.outside == 0)
            status = fused_judge_apart(&s, &stated, &excuse);
        d->outside = excuse.outside;
        d->by_functions = excuse.functions;
        d->by_sums = excuse.sums;
        d->pinned = excuse.pinned;
        d->untested = excuse.untested;
        if (status == SF8_OK)
            status = search(&s, d, &stated, &excuse);
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
