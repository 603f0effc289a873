/* SPDX-License-Identifier: MIT */
/* result.h -- the result of a part of a case as the text of a job, and back
 *
 * The body has what does not depend on when, where or how fast the part was run; `about` has the
 * rest. docs/internals/jobs.md has the grammar.
 */
#ifndef SOFTFP8_RUNS_RESULT_H
#define SOFTFP8_RUNS_RESULT_H

#include "suite/conform.h"
#include "jobs/jobs.h"

/* The two texts of a job, from malloc. `text` is what the part leaves for a record, or NULL. */
char *result_body(const conform_result *r, const char *text, size_t *size);
char *result_about(const conform_result *r, const char *text);
/* Reads both. Returns NULL, or what was expected in them. */
const char *result_read(const kept_job *job, conform_result *r);
/* The text for the record, from malloc; NULL if the job has none. */
char *result_text(const kept_job *job, size_t *size);

#endif
