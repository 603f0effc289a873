/* SPDX-License-Identifier: MIT */
/* row.h -- a case that failed, as the engine of policy/identify.h sees it */
#ifndef SOFTFP8_CONFORM_ROW_H
#define SOFTFP8_CONFORM_ROW_H

#include "report/parts.h"
#include "diagnose/policy/identify.h"
#include "suite/compare.h"

typedef struct failing failing;

/* What stands in the place of the step that a model changes: a policy with mistakes, or another
 * reading of the words. */
typedef struct converter {
    const identify_model *m;
    const identify_seen *seen;
    const identify_reading *reading; /* or NULL */
    sf8_format from, to;
} converter;

struct failing {
    identify_subject row; /* the first, so that the engine's pointer to it is one to all of this */
    const conform_case *c;
    const conform_options *o;
    comparison k;
    oracle oracle; /* of the row */
    oracle tried;  /* of the model that is open */
    converter converter;
    identify_diagnosis d;
    uint64_t inputs; /* of the last run */
    /* When the search ends, after which no model can be opened: by seconds_now(), and by the
     * seconds of a processor that this thread has used. */
    double deadline, used_up;
};

/* Runs the case as the last run did and puts what came into *set, as a user of identify has it in a
 * file: of every input, the good ones too. 0 if that is noise, which nothing explains, and where
 * the row does not begin and end with numbers or its lanes differ. */
int observe(const failing *f, identify_set *set);

/* The oracle of the row with the changes of a model. 0 if they do not go together. */
int change_oracle(failing *f, const identify_seen *seen, const identify_diagnosis *d,
                  const identify_model *m);

/* A text of CONFORM_LONG bytes that grows; what has no room is left out. */
typedef struct words {
    char *text;
    size_t used;
} words;

void words_add(words *w, const char *text);
void words_add_number(words *w, uint64_t n);
/* "does what cuda-satfinite does with round=rna: ties go away from zero" */
void words_add_model(words *w, const failing *f, const identify_seen *seen,
                     const identify_model *m);

#endif
