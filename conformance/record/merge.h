/* SPDX-License-Identifier: MIT */
/* merge.h -- combines the reports of all shards of a run */
#ifndef SOFTFP8_CONFORM_MERGE_H
#define SOFTFP8_CONFORM_MERGE_H

#include "report/report.h"

/* What is wrong, in a line of a report, or with all of them together (path NULL). */
typedef struct merge_error {
    const char *path;
    uint64_t line;
    char text[CONFORM_LONG];
} merge_error;

typedef struct report_merge report_merge;

report_merge *merge_begin(void);
/* Adds a report that was written with --json: a text with a closing 0. `path` names it in messages
 * and must stay valid. Returns 0 and *error if it is not valid. */
int merge_add(report_merge *m, const char *path, const char *text, size_t size, merge_error *error);
/* r receives what a single run would have reported; what it points to stays valid. Returns 0 and
 * *error if the reports are not all the shards of one run. Ends the merge in either case. */
int merge_end(report_merge *m, report *r, merge_error *error);

#endif
