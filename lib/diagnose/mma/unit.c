/* SPDX-License-Identifier: MIT */
/* unit.c -- sf8_diagnose_unit: the results of a matrix unit, and which rule gives them, for users
 */
#include "diagnose/diagnosis.h"
#include "diagnose/mma/diagnose.h"
#include "diagnose/policy/identify.h"
#include "softfp8_diagnose.h"

/* Whether the unit can add `k` products. */
static int adds(const sf8_mma *m, size_t k)
{
    size_t unit = (size_t)m->k, group = (size_t)m->group, block = (size_t)m->scale_block;
    return k > 0 && (k <= unit || k % unit == 0) && (!group || k % group == 0) &&
           (!block || k % block == 0);
}

static sf8_status take(const sf8_unit_results *r, sf8_mma *m, mma_stored *stored)
{
    sf8_status status = sf8_mma_named(m, r->unit, r->a, r->b, r->out);
    if (status != SF8_OK)
        return status;
    *stored = identify_same_format(r->stored, r->out)     ? MMA_STORED
              : identify_same_format(r->stored, SF8_BF16) ? MMA_STORED_BF16
                                                          : MMA_STORED_F16;
    if (*stored != MMA_STORED &&
        (!identify_same_format(r->out, SF8_F32) ||
         (*stored == MMA_STORED_F16 && !identify_same_format(r->stored, SF8_F16))))
        return SF8_BAD_FORMAT;
    int has_scales = r->scales_a && r->scales_b;
    return r->count > 0 && adds(m, r->k) && (!m->scale_block || has_scales) ? SF8_OK : SF8_BAD_CALL;
}

static mma_result row_of(const sf8_unit_results *r, const sf8_mma *m, mma_stored stored, size_t i)
{
    size_t at = i * r->k, block = (size_t)m->scale_block, scale = block ? at / block : 0;
    mma_result row = {.k = r->k, .c = r->c ? r->c[i] : 0, .d = r->results[i], .stored = stored};
    row.x.a = (const char *)r->codes_a + at * sf8_mma_code_bytes(r->a);
    row.x.b = (const char *)r->codes_b + at * sf8_mma_code_bytes(r->b);
    row.x.scale_a = block ? r->scales_a + scale : NULL;
    row.x.scale_b = block ? r->scales_b + scale : NULL;
    return row;
}

/* The first row that the unit does not explain; `count` if it explains all. */
static size_t first_wrong(const sf8_mma *m, const mma_result *rows, size_t count)
{
    size_t i = 0;
    while (i < count && mma_store(rows[i].stored, mma_model(m, &rows[i])) == rows[i].d)
        i++;
    return i;
}

static void tell(diagnosis_run *run, const mma_rule *rule, sf8_unit_diagnosis *to)
{
    sf8_unit_rule *list = diagnosis_allocate(run, MMA_RULES, sizeof *list);
    to->count = to->found < MMA_RULES ? to->found : MMA_RULES;
    for (size_t i = 0; i < to->count; i++)
        list[i] = (sf8_unit_rule){diagnosis_text(run, "%s", rule[i].name), rule[i].explained};
    to->list = list;
}

static sf8_status search(diagnosis_run *run, const void *results, void *diagnosis)
{
    const sf8_unit_results *r = results;
    sf8_unit_diagnosis *to = diagnosis;
    search_context *context = &run->context;
    mma_stored stored;
    sf8_mma m;
    sf8_status status = take(r, &m, &stored);
    if (status != SF8_OK)
        return status;
    mma_result *rows = search_allocate(context, r->count, sizeof *rows);
    for (size_t i = 0; i < r->count; i++)
        rows[i] = row_of(r, &m, stored, i);
    mma_diagnosis *d = search_allocate(context, 1, sizeof *d);
    mma_diagnose(d, context, r->unit, &m, rows, r->count);
    to->explained = d->explained;
    to->is_expected = d->explained == r->count;
    to->first = first_wrong(&m, rows, r->count);
    to->tried = d->tried;
    to->found = to->is_expected
                    ? mma_other_fits(d->rule, MMA_RULES, context, r->unit, &m, rows, r->count)
                    : d->found;
    tell(run, d->rule, to);
    to->verdict = to->is_expected                     ? SF8_VERDICT_POLICY
                  : !to->count                        ? SF8_VERDICT_NONE
                  : to->list[0].explained == r->count ? SF8_VERDICT_CHANGED
                                                      : SF8_VERDICT_NEAREST;
    to->is_cut_short = search_is_over(context);
    return SF8_OK;
}

sf8_status sf8_diagnose_unit(const sf8_unit_results *results, sf8_unit_diagnosis **diagnosis)
{
    void *d;
    sf8_status status = diagnosis_make(
        diagnosis_limits(results->seconds, results->progress, results->user), search, results,
        sizeof **diagnosis, &d);
    *diagnosis = d;
    return status;
}

void sf8_unit_diagnosis_free(sf8_unit_diagnosis *diagnosis)
{
    diagnosis_free(diagnosis);
}
