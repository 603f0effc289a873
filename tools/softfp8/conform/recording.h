/* SPDX-License-Identifier: MIT */
/* recording.h -- the record that the jobs of a run give, and what is said of it */
#ifndef SOFTFP8_CONFORM_RECORDING_H
#define SOFTFP8_CONFORM_RECORDING_H

#include "files/io.h"
#include "runs/plan.h"
#include "runs/store.h"

/* What of the cases is in the record. */
typedef struct recording {
    size_t written, wrong, broken, not_run;
    double seconds;
    const char *why; /* the first skipped case was skipped */
} recording;

/* Writes the record of all finished cases into a folder, unless there is none, and a row for each
 * to `out`, which may be NULL. Cases that are broken are named on standard error. */
recording recording_write(const char *folder, const run_machine *m, const run_store *s,
                          const conform_case *const *cases, const conform_result *results,
                          size_t count, output *out);

#endif
