/* SPDX-License-Identifier: MIT */
/* store.h -- the folder of jobs as the place where a run of the suite keeps its results */
#ifndef SOFTFP8_RUNS_STORE_H
#define SOFTFP8_RUNS_STORE_H

#include "suite/conform.h"
#include "jobs/jobs.h"

/* Skipped results are kept, so that folders can be joined, but run_store_open does not find them:
 * they are run again. Broken ones are not kept. */
typedef struct run_store {
    conform_store store; /* for conform_options */
    job_folder *folder;  /* or: */
    const job_plan *plan;
    const kept_job *const *whole;    /* of several folders: all are found and nothing is kept */
    void (*failed)(const char *why); /* if a result cannot be kept; it does not return */
} run_store;

/* Both check the jobs: they return 0 and *why, naming the file, if one cannot be a result. */
int run_store_open(run_store *s, job_folder *folder, void (*failed)(const char *why),
                   char why[JOBS_WHY]);
int run_store_joined(run_store *s, const job_plan *plan, const kept_job *const *whole,
                     char why[JOBS_WHY]);
/* Removes the results that failed. Returns 0 and *why if that cannot be done. */
int run_store_drop_failed(run_store *s, char why[JOBS_WHY]);

#endif
