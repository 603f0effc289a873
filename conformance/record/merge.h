/* SPDX-License-Identifier: MIT */
/* merge.h -- the reports of all shards of a run, put together */
#ifndef SOFTFP8_CONFORM_MERGE_H
#define SOFTFP8_CONFORM_MERGE_H

#include "report/report.h"

/* What is wrong: in a line of a report, or with them all (path NULL). */
typedef struct merge_error {
    const char *path;
    uint64_t line;
    char text[CONFORM_LONG];
} merge_error;

typedef struct report_merge report_merge;

report_merge *merge_begin(void);
/* Adds a report that was written with --json, a text with a 0 behind its end; `path` is what
 * messages call it, and stays. 0 and *error if it is none. */
int merge_add(report_merge *m, const char *path, const char *text, size_t size, merge_error *error);
/* r gets what one run would have reported; what it points to stays. 0 and *error if they are not
 * the shards of one run, all of them. Ends the merge either way. */
int merge_end(report_merge *m, report *r, merge_error *error);

#endif
