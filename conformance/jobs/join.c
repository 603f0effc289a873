/* SPDX-License-Identifier: MIT */
/* join.c -- puts the jobs of several folders together */
#include "jobs/plan.h"
#include "jobs/text.h"

#include "base/memory.h"
#include "softfp8/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(char why[JOBS_WHY], const char *format, const kept_job *a, const kept_job *b)
{
    snprintf(why, JOBS_WHY, format, a->path, a->host, b->path, b->host);
    return 0;
}

static int add(const job_folder *folder, const kept_job **whole, char why[JOBS_WHY])
{
    for (size_t i = 0; i < plan_jobs(jobs_plan(folder)); i++) {
        const kept_job *job = jobs_at(folder, i);
        if (!job)
            continue;
        if (whole[i] &&
            (whole[i]->size != job->size || memcmp(whole[i]->body, job->body, job->size) != 0))
            return refuse(why,
                          "the same job has two results: %.350s of %.60s, and %.350s of %.60s; do "
                          "it again on both",
                          whole[i], job);
        if (!whole[i])
            whole[i] = job;
    }
    return 1;
}

static int check_gaps(const job_plan *plan, const kept_job *const *whole, char why[JOBS_WHY])
{
    size_t missing = 0, first = 0;
    for (size_t i = plan_jobs(plan); i-- > 0;) {
        if (!whole[i]) {
            missing++;
            first = i;
        }
    }
    if (!missing)
        return 1;
    const plan_entry *e = plan_entry_of(plan, first);
    snprintf(why, JOBS_WHY,
             "%zu of %zu jobs are missing, the first is %s, part %zu of %u; the same command with "
             "the same folder does what is missing",
             missing, plan_jobs(plan), e->name, first - e->first + 1, e->of);
    return 0;
}

int jobs_join(job_folder *const *folders, size_t count, const kept_job ***whole, char why[JOBS_WHY])
{
    char how[JOBS_WHY];
    const job_plan *plan = jobs_plan(folders[0]);
    const kept_job **list = allocate(plan_jobs(plan), sizeof list[0]);
    int good = 1;
    for (size_t i = 0; i < count && good; i++) {
        good = plan_same(jobs_plan(folders[i]), plan, how);
        if (!good)
            snprintf(why, JOBS_WHY, "%.300s is the folder of another run than %.300s: there %.300s",
                     jobs_name(folders[i]), jobs_name(folders[0]), how);
        good = good && add(folders[i], list, why);
    }
    good = good && check_gaps(plan, list, why);
    if (good)
        *whole = list;
    else
        free(list);
    return good;
}

void jobs_digest(const job_plan *plan, const kept_job *const *whole, char digest[65])
{
    sf8_sha256 hash;
    char text[65];
    plan_digest(plan, text);
    sf8_sha256_begin(&hash);
    sf8_sha256_add(&hash, text, 64);
    for (size_t i = 0; i < plan_jobs(plan); i++) {
        text_digest(whole[i]->body, whole[i]->size, text);
        sf8_sha256_add(&hash, text, 64);
    }
    sf8_sha256_end(&hash, digest);
}
