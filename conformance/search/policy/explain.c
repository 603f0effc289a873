/* SPDX-License-Identifier: MIT */
/* explain.c -- what made the codes of a set: a policy, or one with changes, or another reading */
#include "search/policy/identify.h"

#include <stdlib.h>
#include <string.h>

/* The counts of the other reading; drops it if it is not much closer than the plain one. */
static void judge_other(identify_findings *f, word_set *boundaries)
{
    identify_other *other = &f->other;
    if (!other->found)
        return;
    f->other_candidates = identify_candidates(&other->set, &f->other_count);
    f->other_closest = identify_closest(f->other_candidates, f->other_count);
    if (f->other_closest->codes > 0) {
        identify_count_all(&other->set, f->other_candidates, f->other_count, boundaries);
        f->other_closest = identify_closest(f->other_candidates, f->other_count);
    }
    if (f->other_closest->codes > f->closest->codes / 2) {
        identify_other_free(other);
        other->found = 0;
    }
}

/* Looks for an explanation of what no policy explains. */
static void search(identify_findings *f)
{
    word_set boundaries = {NULL, 0, 0, UINT64_MAX}, other_boundaries = boundaries;
    identify_diagnosis *d = &f->diagnosis;
    identify_count_all(f->set, f->candidates, f->count, &boundaries);
    f->closest = identify_closest(f->candidates, f->count);
    identify_read_otherwise(f->set, &f->other);
    judge_other(f, &other_boundaries);
    f->cells = identify_cut(f->set, &boundaries);
    f->of_other = f->other.found && f->other_closest->codes > 0;
    if (f->of_other) {
        f->other_cells = identify_cut(&f->other.set, &other_boundaries);
        identify_search(&f->other_cells, f->other_candidates, f->other_count, d);
    } else {
        identify_search(&f->cells, f->candidates, f->count, d);
        if (f->other.found && d->count > 0 && d->found[0].differ > 0)
            d->count = 0; /* the other reading explains all */
    }
    free(boundaries.words);
    free(other_boundaries.words);
}

void identify_explain(const identify_set *set, identify_findings *f)
{
    memset(f, 0, sizeof *f);
    f->set = set;
    f->candidates = identify_candidates(set, &f->count);
    f->closest = identify_closest(f->candidates, f->count);
    if (set->product)
        f->product = identify_of_product(set);
    if (f->closest->codes > 0)
        search(f);
}

void identify_findings_free(identify_findings *f)
{
    identify_other_free(&f->other);
    identify_cells_free(&f->cells);
    identify_cells_free(&f->other_cells);
    free(f->other_candidates);
    free(f->candidates);
}
