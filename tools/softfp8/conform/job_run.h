/* SPDX-License-Identifier: MIT */
/* job_run.h -- runs in jobs: the folder of finished parts, what stops a run, how far it is */
#ifndef SOFTFP8_CONFORM_JOB_RUN_H
#define SOFTFP8_CONFORM_JOB_RUN_H

#include "cli/options.h"
#include "runs/plan.h"
#include "runs/store.h"

typedef struct job_request {
    const char *status; /* the folder whose progress is wanted, or NULL */
    double budget;      /* seconds, or 0 */
    int redo_failed;
} job_request;

/* --redo-failed, --budget and --status: a job_request. */
extern const cli_option job_options[];

/* Reads the folder of a run, or that of a record, whose jobs are in jobs/. Ends the program with a
 * message if it is not one. */
job_folder *job_folder_read(const char *path);
/* Prints how far the run in a folder is, and returns the exit status. */
int job_status(const char *folder);
/* From now on signals and the budget stop the run. If there is a folder, its results are found and
 * further ones are kept in it. */
void job_begin(const job_request *q, run_store *s, const char *folder, const job_plan *plan,
               conform_options *o);
/* If the run was stopped before its end: says what is left and how to go on, and returns 1. */
int job_stopped(const run_store *s, const conform_options *o);
/* Closes the folder. */
void job_end(run_store *s);

#endif
