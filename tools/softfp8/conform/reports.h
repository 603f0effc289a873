/* SPDX-License-Identifier: MIT */
/* reports.h -- the reports of conform: a table, and the files that were asked for */
#ifndef SOFTFP8_CONFORM_REPORTS_H
#define SOFTFP8_CONFORM_REPORTS_H

#include "cli/options.h"
#include "report/report.h"
#include "runs/plan.h"

enum { REPORT_HTML, REPORT_JSON, REPORT_JUNIT, REPORT_KINDS };

typedef struct report_paths {
    const char *path[REPORT_KINDS];
} report_paths;

/* --html, --json and --junit: a report_paths. */
extern const cli_option report_options[];

/* The head of a report of today; cases and results are added. */
report report_head(const conform_options *o, const run_machine *m);
/* Writes the files, and the table with `last` behind it unless a file is standard output. */
void reports_write(const report_paths *paths, const report *r, const char *last);

#endif
