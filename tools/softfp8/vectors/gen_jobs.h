/* SPDX-License-Identifier: MIT */
/* gen_jobs.h -- a large table of cases, written in jobs that are kept in a folder
 *
 * A job is JOB_CASES cases. Its text is a file of its own in DIR/cases; the job in DIR has the
 * size and the SHA-256 of it. All jobs one after the other are the table.
 */
#ifndef SOFTFP8_GEN_JOBS_H
#define SOFTFP8_GEN_JOBS_H

#include "cli/options.h"
#include "files/io.h"
#include "jobs/jobs.h"

enum { JOB_CASES = 1 << 20 };

typedef struct gen_jobs {
    const char *folder;
    unsigned shard, shards; /* shard counts from 0 */
    double budget;          /* seconds; 0: no limit */
} gen_jobs;

/* --keep, --shard and --budget: jobs. */
extern const cli_option gen_job_options[];

/* Writes the cases [first, end) of the table. */
typedef void gen_write(void *context, output *out, uint64_t first, uint64_t end);

/* Writes the jobs that the folder lacks; the exit status. The plan has the terms of the table;
 * its jobs are added. */
int gen_jobs_run(const gen_jobs *s, job_plan *plan, const char *name, uint64_t cases,
                 gen_write *write, void *context);
/* Writes the table whose jobs are in these folders together. */
void gen_jobs_join(char *const *names, size_t count, const char *path);

#endif
