/* SPDX-License-Identifier: MIT */
/* store.c -- the folder of jobs as the place where a run of the suite keeps its results */
#include "runs/store.h"

#include "runs/result.h"

#include <stdlib.h>
#include <string.h>

static const kept_job *job_at(const run_store *s, size_t index)
{
    return s->whole ? s->whole[index] : jobs_at(s->folder, index);
}

static int find(void *context, const conform_case *c, conform_part part, conform_result *r)
{
    const run_store *s = context;
    size_t index = plan_index(s->plan, c->name, part.index);
    const kept_job *job = index == (size_t)-1 ? NULL : job_at(s, index);
    return job && !result_read(job, r) && (s->whole || r->status != CONFORM_NOT_RUN);
}

static void keep(void *context, const conform_case *c, const conform_result *r, const char *text,
                 size_t size, double took)
{
    const run_store *s = context;
    char why[JOBS_WHY];
    if (!s->folder || r->status == CONFORM_BROKEN ||
        plan_index(s->plan, c->name, r->first_part) == (size_t)-1)
        return;
    char *copy = text ? malloc(size + 1) : NULL;
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    kept_job job = {.name = c->name, .part = r->first_part, .seconds = took};
    char *body = result_body(r, copy, &job.size), *about = result_about(r, copy);
    job.body = body;
    job.about = about;
    if (!jobs_keep(s->folder, &job, why))
        s->failed(why);
    free(copy);
    free(body);
    free(about);
}

static int check(const run_store *s, char why[JOBS_WHY])
{
    static conform_result r;
    for (size_t i = 0; i < plan_jobs(s->plan); i++) {
        const kept_job *job = job_at(s, i);
        const char *expected = job ? result_read(job, &r) : NULL;
        if (expected) {
            snprintf(why, JOBS_WHY, "%.700s: expected %s", job->path, expected);
            return 0;
        }
    }
    return 1;
}

int run_store_open(run_store *s, job_folder *folder, void (*failed)(const char *why),
                   char why[JOBS_WHY])
{
    *s = (run_store){{find, keep, s}, folder, jobs_plan(folder), NULL, failed};
    return check(s, why);
}

int run_store_joined(run_store *s, const job_plan *plan, const kept_job *const *whole,
                     char why[JOBS_WHY])
{
    *s = (run_store){{find, keep, s}, NULL, plan, whole, NULL};
    return check(s, why);
}

int run_store_drop_failed(run_store *s, char why[JOBS_WHY])
{
    static conform_result r;
    for (size_t i = 0; i < plan_jobs(s->plan); i++) {
        const kept_job *job = jobs_at(s->folder, i);
        if (job && !result_read(job, &r) &&
            (r.status == CONFORM_FAILED || r.status == CONFORM_STALE) &&
            !jobs_drop(s->folder, i, why))
            return 0;
    }
    return 1;
}
