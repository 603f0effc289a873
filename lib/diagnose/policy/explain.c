/* SPDX-License-Identifier: MIT */
/* explain.c -- what made the codes of a set: a policy, or one with changes, or another reading
 *
 * The set as the user gave it and the set in another reading are two views of the same results. In
 * each the changes are sought that explain it, and the better explanation comes first.
 */
#include "diagnose/policy/identify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A set with the candidates, each compared with it as far as its first difference. */
static identify_view view_of(const identify_set *set)
{
    identify_view v;
    memset(&v, 0, sizeof v);
    v.set = set;
    v.candidates = identify_candidates(set, &v.count);
    v.closest = identify_closest(v.candidates, v.count);
    return v;
}

/* Counts all differences of the candidates. */
static void count_view(identify_view *v, search_words *boundaries)
{
    identify_count_all(v->set, v->candidates, v->count, boundaries);
    v->closest = identify_closest(v->candidates, v->count);
}

static void search_view(identify_view *v, search_words *boundaries, const identify_view *plain,
                        const identify_reading *reading)
{
    v->cells = identify_cut(v->set, boundaries);
    identify_mark(&v->cells, plain->set, plain->closest->policy, reading);
    identify_subject_of_set(&v->subject, v->set);
    v->cells.subject = &v->subject;
    identify_search(&v->cells, v->candidates, v->count, &v->diagnosis);
}

static void free_view(identify_view *v)
{
    identify_cells_free(&v->cells);
    search_free(v->set ? v->set->context : NULL, v->candidates);
}

/* The other reading, if it is much closer than the plain one; or somewhat, if that is open. */
static void search_reading(identify_findings *f)
{
    search_words boundaries = {NULL, 0, 0, f->set->context};
    identify_read_otherwise(f->set, &f->other);
    if (!f->other.found)
        return;
    f->read = view_of(&f->other.set);
    count_view(&f->read, &boundaries);
    const identify_diagnosis *plain = &f->plain.diagnosis;
    int is_open = plain->count == 0 || plain->found[0].differ > 0;
    uint64_t most = is_open ? f->plain.closest->codes : f->plain.closest->codes / 2;
    if (f->read.closest->codes <= most)
        search_view(&f->read, &boundaries, &f->plain, &f->other.reading);
    search_words_free(&boundaries);
}

/* Orders the two views by what their diagnoses explain; a reading is one more change. */
static void rank(identify_findings *f)
{
    const identify_diagnosis *plain = &f->plain.diagnosis, *read = &f->read.diagnosis;
    f->best = plain->count > 0 ? &f->plain : read->count > 0 ? &f->read : NULL;
    if (plain->count == 0 || read->count == 0)
        return;
    identify_model other = read->found[0];
    other.cost += IDENTIFY_COST_READING;
    f->best = identify_compare_models(&plain->found[0], &other) <= 0 ? &f->plain : &f->read;
    f->second = f->best == &f->plain ? &f->read : &f->plain;
    if (f->second->diagnosis.found[0].differ > f->best->diagnosis.found[0].differ)
        f->second = NULL;
}

/* Looks for an explanation of what no policy explains. One that is simpler than any other reading
 * ends the search. */
void identify_continue(identify_findings *f)
{
    search_words boundaries = {NULL, 0, 0, f->set->context};
    const identify_diagnosis *d = &f->plain.diagnosis;
    count_view(&f->plain, &boundaries);
    search_view(&f->plain, &boundaries, &f->plain, NULL);
    search_words_free(&boundaries);
    if (d->count == 0 || d->found[0].differ > 0 || d->found[0].cost > IDENTIFY_COST_READING)
        search_reading(f);
    rank(f);
}

void identify_begin(const identify_set *set, identify_findings *f)
{
    memset(f, 0, sizeof *f);
    f->set = set;
    f->plain = view_of(set);
    if (set->product)
        f->product = identify_of_product(set);
}

void identify_explain(const identify_set *set, identify_findings *f)
{
    identify_begin(set, f);
    if (f->plain.closest->codes == 0)
        return;
    identify_continue(f);
    identify_say_factor(set, f);
}

void identify_say_factor(const identify_set *all, identify_findings *f)
{
    const identify_diagnosis *d = &f->read.diagnosis;
    identify_reading *named = &f->other.reading, biased = *named;
    size_t used = strlen(named->words);
    biased.to = identify_biased(all->to, named->to);
    if (!f->other.found || d->count == 0 || d->found[0].differ > 0 ||
        biased.to.bias == all->to.bias || named->swap_words || named->swap_codes ||
        identify_count_model(all, &biased, &f->read.cells.seen, &d->found[0]) > 0)
        return;
    snprintf(named->words + used, sizeof named->words - used,
             ", or are those of %g times the inputs", ldexp(1, biased.to.bias - all->to.bias));
}

void identify_findings_free(identify_findings *f)
{
    free_view(&f->plain);
    free_view(&f->read);
    identify_other_free(&f->other);
}
