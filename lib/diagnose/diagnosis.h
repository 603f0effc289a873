/* SPDX-License-Identifier: MIT */
/* diagnosis.h -- what the public functions share: a search that may run out of memory or of time,
 * and a diagnosis that is freed as a whole
 */
#ifndef SOFTFP8_DIAGNOSE_DIAGNOSIS_H
#define SOFTFP8_DIAGNOSE_DIAGNOSIS_H

#include "diagnose/search.h"
#include "softfp8_diagnose.h"

#include <setjmp.h>

/* The memory of `context` ends with the search, that of `kept` with the diagnosis. */
typedef struct diagnosis_run {
    search_context context; /* first: a pointer to it is one to the run */
    search_context kept;
    jmp_buf out; /* where there is no memory */
} diagnosis_run;

/* A public function: `results` are what it was given, `diagnosis` is what it fills in, all 0. */
typedef sf8_status (*diagnosis_search)(diagnosis_run *run, const void *results, void *diagnosis);

/* Runs it, as long and with the progress that `limits` has. Returns its status, or SF8_NO_ROOM; if
 * that is not SF8_OK, *diagnosis is NULL. */
sf8_status diagnosis_make(search_context limits, diagnosis_search search, const void *results,
                          size_t size, void **diagnosis);
void diagnosis_free(void *diagnosis);
/* No end if it is 0 seconds. */
search_context diagnosis_limits(double seconds,
                                void (*progress)(void *, const char *, uint64_t, uint64_t),
                                void *user);

/* Memory of the diagnosis, all 0; a text in it. */
void *diagnosis_allocate(diagnosis_run *run, size_t count, size_t size);
const char *diagnosis_text(diagnosis_run *run, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* An explanation for users, put together. */
void explanation_add(sf8_explanation *e, const char *name, const char *value, const char *words);
/* "ocp with round=rz: rounds toward zero", from the policy and its causes. */
void explanation_say(diagnosis_run *run, sf8_explanation *e);
/* What its causes say. */
const char *explanation_causes(diagnosis_run *run, const sf8_explanation *e, const char *between);

#endif
