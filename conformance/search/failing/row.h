/* SPDX-License-Identifier: MIT */
/* row.h -- what is tried to explain a case that failed, and how that is said */
#ifndef SOFTFP8_CONFORM_ROW_H
#define SOFTFP8_CONFORM_ROW_H

#include "suite/compare.h"
#include "report/parts.h"
#include "search/policy/identify.h"

enum { PROBES = 1024, LIST = 160, CHANGED = 2, NEAR = 8 };

typedef struct change {
    const char *field;
    char value[16];
} change;

typedef struct candidate {
    int step;           /* where the changes are; the row's last that rounds, but for `change` */
    const char *policy; /* in place of the row's, or NULL */
    int changes;
    const change *change[CHANGED];
    const char *via, *via_round; /* rounded to this format first, so; or NULL */
    int once;                    /* in one step where the row has more */
    const struct model *model;   /* in the place of the step */
} candidate;

/* What identify finds: a policy with changes that no field may have, perhaps of other words. */
typedef struct model {
    identify_model m;
    identify_seen seen;
    identify_change list[IDENTIFY_CHANGES_MOST];
    sf8_format from, to;
    int swap_words, swap_codes;
    char reading[160]; /* "these are codes of e5m2", or "" */
} model;

typedef struct search {
    const conform_case *c;
    const conform_options *o;
    comparison k; /* of the row */
    oracle row;
    int step; /* the last that rounds */
    change list[LIST];
    int changes;
    conform_range probe[PROBES]; /* what came at `first` */
    size_t probes, kept;         /* the first are those of the result */
    double deadline;
    uint64_t inputs;      /* on which one was proved */
    candidate near[NEAR]; /* right at most ranges, in how many, the best first */
    size_t near_right[NEAR];
    candidate least;     /* fewest differences in a run, this many */
    uint64_t least_left; /* UINT64_MAX: none was run */
} search;

/* The code that it gives: a model for an oracle. */
uint64_t model_code(const void *of_model, uint64_t word);
/* Runs the case once more, has identify explain all that came, and puts what it finds into *m. 0 if
 * it does not explain all, and where the last step is no conversion between formats. */
int find_model(const search *s, model *m);

/* A text of CONFORM_LONG bytes that grows; what has no room is left out. */
typedef struct words {
    char *text;
    size_t used;
} words;

void words_add(words *w, const char *text);
void words_add_number(words *w, uint64_t n);
/* "does what cuda-satfinite does with round=rna: ties go away from zero" */
void words_add_candidate(words *w, const search *s, const candidate *d);

#endif
