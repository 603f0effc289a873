/* SPDX-License-Identifier: MIT */
/* job_run.c -- runs in jobs: the folder of finished parts, what stops a run, how far it is */
#include "conform/job_run.h"
#include "files/io.h"

#include "runs/result.h"
#include "base/stop.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const cli_option job_options[] = {
    {"--redo-failed", NULL, "with --keep: runs again what failed before",
     FLAG(job_request, redo_failed)},
    {"--budget", "SECONDS",
     "stops after this time, with the parts that are finished by then. The first part of every "
     "family of cases is run first, then the second of every family, and so on",
     REAL(job_request, budget, 1, 100000000)},
    {"--status", "DIR", "runs nothing: says how far the run in DIR is, and how long the rest takes",
     PATH(job_request, status)},
    {.kind = OPTION_END},
};

job_folder *job_folder_read(const char *path)
{
    char why[JOBS_WHY], *inner = text_of("%s/jobs", path);
    job_folder *folder = jobs_read(access(inner, F_OK) == 0 ? inner : path, why);
    if (!folder)
        fail("%s", why);
    free(inner);
    return folder;
}

/* ---- how far a run is ------------------------------------------------------------------------ */

/* "42 s", "12 min", "3.5 h" */
static const char *time_text(double seconds, char text[32])
{
    if (seconds < 120)
        snprintf(text, 32, "%.0f s", seconds);
    else if (seconds < 7200)
        snprintf(text, 32, "%.0f min", seconds / 60);
    else
        snprintf(text, 32, "%.1f h", seconds / 3600);
    return text;
}

/* The jobs of a family of cases, or of all. */
typedef struct pace {
    const char *name;
    size_t length, done, all, skipped, failed;
    double seconds; /* of the jobs that are done */
} pace;

static void count_job(pace *p, const kept_job *job)
{
    static conform_result r;
    p->all++;
    if (!job)
        return;
    p->done++;
    p->seconds += job->seconds;
    if (result_read(job, &r))
        return;
    p->skipped += r.status == CONFORM_NOT_RUN;
    p->failed += r.status == CONFORM_FAILED || r.status == CONFORM_STALE;
}

/* By the pace of the family, or of all jobs if none of the family is done. */
static double time_left(const pace *p, const pace *all)
{
    const pace *known = p->done ? p : all;
    return known->done ? (double)(p->all - p->done) * known->seconds / (double)known->done : 0;
}

static pace *family_of(pace **list, size_t *count, const char *name)
{
    size_t length = strcspn(name, "/"), i = 0;
    while (i < *count &&
           ((*list)[i].length != length || memcmp((*list)[i].name, name, length) != 0))
        i++;
    if (i == *count) {
        *list = reallocate(*list, *count + 1, sizeof **list);
        (*list)[(*count)++] = (pace){name, length, 0, 0, 0, 0, 0};
    }
    return &(*list)[i];
}

static pace *count_families(const job_folder *folder, pace *all, size_t *count)
{
    const job_plan *plan = jobs_plan(folder);
    pace *list = NULL;
    const char *name;
    unsigned of;
    size_t index = 0;
    *count = 0;
    memset(all, 0, sizeof *all);
    for (size_t i = 0; (name = plan_name(plan, i, &of)) != NULL; i++) {
        pace *family = family_of(&list, count, name);
        for (unsigned part = 0; part < of; part++, index++) {
            count_job(family, jobs_at(folder, index));
            count_job(all, jobs_at(folder, index));
        }
    }
    return list;
}

static void put_pace(output *out, const pace *p, double left)
{
    char took[32], rest[32];
    output_print(out, "%-20.*s %7zu %7zu %7zu %7zu %9s %9s\n", (int)p->length, p->name, p->done,
                 p->all - p->done, p->failed, p->skipped, time_text(p->seconds, took),
                 p->done || left > 0 ? time_text(left, rest) : "unknown");
}

int job_status(const char *path)
{
    char rest[32];
    pace all;
    size_t count;
    double left = 0;
    job_folder *folder = job_folder_read(path);
    pace *families = count_families(folder, &all, &count);
    output *out = output_open(NULL);
    output_print(out, "%-20s %7s %7s %7s %7s %9s %9s\n", "parts of", "done", "left", "failed",
                 "skipped", "took", "left");
    for (size_t i = 0; i < count; i++) {
        put_pace(out, &families[i], time_left(&families[i], &all));
        left += time_left(&families[i], &all);
    }
    all.name = "all";
    all.length = 3;
    put_pace(out, &all, left);
    if (all.done == all.all)
        output_print(out, "The run is complete.\n");
    else if (all.done > 0)
        output_print(out, "The rest takes about %s on one core.\n", time_text(left, rest));
    output_close(out);
    free(families);
    jobs_close(folder);
    return STATUS_HELD;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void cannot_keep(const char *why)
{
    fail("%s", why);
}

void job_begin(const job_request *q, run_store *s, const char *path, const job_plan *plan,
               conform_options *o)
{
    char why[JOBS_WHY];
    static size_t left_over;
    memset(s, 0, sizeof *s);
    o->left = &left_over;
    if (q->redo_failed && !path)
        fail("--redo-failed needs --keep DIR: the folder with the results");
    stop_watch(q->budget);
    if (!path)
        return;
    job_folder *folder = jobs_open(path, plan, why);
    if (!folder || !run_store_open(s, folder, cannot_keep, why) ||
        (q->redo_failed && !run_store_drop_failed(s, why)))
        fail("%s", why);
    o->store = &s->store;
}

/* The jobs of this shard, and how many of them are done. */
static size_t count_done(const run_store *s, const conform_options *o, size_t *all, double *left)
{
    size_t done = 0;
    double seconds = 0;
    *all = 0;
    for (size_t i = o->shard; i < plan_jobs(s->plan); i += o->shards) {
        const kept_job *job = jobs_at(s->folder, i);
        ++*all;
        done += job != NULL;
        seconds += job ? job->seconds : 0;
    }
    *left = done ? (double)(*all - done) * seconds / (double)done : 0;
    return done;
}

int job_stopped(const run_store *s, const conform_options *o)
{
    size_t all;
    char text[32];
    double left;
    if (!stop_reason() || *o->left == 0)
        return 0;
    if (!s->folder) {
        note("stopped by %s: %zu parts of cases were not run; with --keep DIR a run can be "
             "continued",
             stop_reason(), *o->left);
        return 1;
    }
    size_t done = count_done(s, o, &all, &left);
    note("stopped by %s: %zu of %zu parts are done; the same command does the rest, which takes "
         "about %s on one core",
         stop_reason(), done, all, done ? time_text(left, text) : "an unknown time");
    return 1;
}

void job_end(run_store *s)
{
    jobs_close(s->folder);
}
