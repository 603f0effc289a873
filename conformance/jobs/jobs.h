/* SPDX-License-Identifier: MIT */
/* jobs.h -- the folder of a long run: a small file for each finished job of it
 *
 * A job is a part of a case, or of a row of the proof: the smallest work that is kept. The plan
 * lists all jobs of a run; it is the same for every shard of the run. A folder holds the plan and
 * the result of each job that is finished, so that
 *
 * - a run that is stopped or killed loses only the jobs that were running; a second run with the
 *   same folder does those that are missing;
 * - folders of the shards of a run can be joined, whoever ran which job.
 *
 * A file is written under another name and renamed when all of it is on the disk: it is complete
 * or absent. docs/internals/jobs.md has the grammar of the files.
 */
#ifndef SOFTFP8_JOBS_H
#define SOFTFP8_JOBS_H

#include <stddef.h>

enum { JOBS_WHY = 1024, JOB_NAME = 160, JOB_PARTS = 1 << 24 };

/* ---- the plan ---------------------------------------------------------------------------------
 *
 * Terms are what all jobs of a run have in common: "program conform", "source 1f3a...",
 * "tier full", "device NVIDIA H200, driver 580.95.05". Jobs of different terms are never mixed.
 */
typedef struct job_plan job_plan;

job_plan *plan_begin(void);
/* A key consists of a-z and -; a value is one line, which may be empty. */
void plan_term(job_plan *plan, const char *key, const char *value);
/* `name` was not added before; its jobs are the parts 0 to of - 1. */
void plan_add(job_plan *plan, const char *name, unsigned of);
/* The value of a term, or NULL. */
const char *plan_value(const job_plan *plan, const char *key);
/* The i-th name in the order in which they were added, or NULL behind the last. */
const char *plan_name(const job_plan *plan, size_t i, unsigned *of);
/* The number of jobs. */
size_t plan_jobs(const job_plan *plan);
/* The index of a job in the plan, from 0; (size_t)-1 if it is not one of its jobs. */
size_t plan_index(const job_plan *plan, const char *name, unsigned part);
void plan_free(job_plan *plan);

/* ---- the folder ------------------------------------------------------------------------------ */

/* A finished job. */
typedef struct kept_job {
    const char *name;
    unsigned part, of;
    double seconds;
    const char *host;
    const char *about; /* lines "key value" about how it was computed: build, device, times.
                          They may differ where a job is done twice. */
    const char *body;  /* the result: text that does not depend on when, where or how fast */
    size_t size;       /* of the body */
    const char *path;  /* of its file */
} kept_job;

typedef struct job_folder job_folder;

/* Opens the folder of a run, creates it if necessary, and reads what is finished. Returns NULL and
 * *why if a file is damaged ("FILE:LINE: ..."), or if the folder is that of another run. The plan
 * must stay until the folder is closed. */
job_folder *jobs_open(const char *folder, const job_plan *plan, char why[JOBS_WHY]);
/* The same for a folder whose plan is not known: for `--status` and joining. */
job_folder *jobs_read(const char *folder, char why[JOBS_WHY]);
const job_plan *jobs_plan(const job_folder *folder);
const char *jobs_name(const job_folder *folder);
/* The finished job with this index of the plan, or NULL. It stays valid until the folder is
 * closed or the job is dropped. */
const kept_job *jobs_at(const job_folder *folder, size_t index);
/* Writes a job and adds it. Returns 0 and *why if it cannot be written. `host`, `of` and `path` of
 * the job are not read. */
int jobs_keep(job_folder *folder, const kept_job *job, char why[JOBS_WHY]);
/* Removes a finished job and its file, to do it again. */
int jobs_drop(job_folder *folder, size_t index, char why[JOBS_WHY]);
void jobs_close(job_folder *folder);

/* ---- several folders ------------------------------------------------------------------------- */

/* Puts the jobs of several folders together, which must be of one plan. Every job must be in
 * one of them; a job that is in two must have the same body in both. Returns 0 and *why, naming
 * the files, if not. The folders must stay open; *whole receives the job of each index of the
 * plan, from malloc. */
int jobs_join(job_folder *const *folders, size_t count, const kept_job ***whole,
              char why[JOBS_WHY]);
/* The SHA-256 of the plan and all bodies, in the order of the plan: it does not depend on how the
 * run was cut, interrupted or distributed. `whole` is from jobs_join. */
void jobs_digest(const job_plan *plan, const kept_job *const *whole, char digest[65]);

/* ---- how far a run is ------------------------------------------------------------------------ */

typedef struct job_progress {
    size_t done, all;
    double seconds; /* of the jobs that are done */
    double left;    /* an estimate for the rest: the pace of the parts of the same name where there
                       are any, else of all */
} job_progress;

job_progress jobs_progress(const job_folder *folder);

#endif
