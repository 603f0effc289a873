/* SPDX-License-Identifier: MIT */
/* report.h -- what is said of a run: a table for the terminal, JSON, JUnit XML, a page of HTML
 *
 * A report is written by pieces through `put`; files are the caller's.
 */
#ifndef SOFTFP8_CONFORM_REPORT_H
#define SOFTFP8_CONFORM_REPORT_H

#include "suite/conform.h"

typedef void (*report_put)(void *context, const char *text, size_t size);

/* A run and where it took place. A text that is NULL stands for what is not there. */
typedef struct report {
    const conform_case *const *cases;
    const conform_result *results;
    size_t count;
    conform_tier tier;
    const char *only;       /* the glob that chose the cases */
    unsigned shard, shards; /* shard from 0, as in conform_options */
    int strict;
    const char *version; /* of softfp8 */
    const char *date;    /* "2026-11-21T12:00:00Z" */
    const char *gpu, *driver;
    const char *toolkit; /* whose headers are compiled in */
    const char *missing; /* why there are no host subjects */
} report;

/* "all", "set", "blocks", "rows" */
const char *domain_text(const conform_case *c);

/* 0: all held. 1: a case failed, was broken or stale. 3: nothing of these, but a case was not run
 * and the run was strict or named its cases; or there was no case at all. */
int report_exit(const report *r);

void report_table(const report *r, report_put put, void *context);
void report_json(const report *r, report_put put, void *context);
void report_junit(const report *r, report_put put, void *context);
void report_html(const report *r, report_put put, void *context);

#endif
