/* SPDX-License-Identifier: MIT */
/* keep.c -- the jobs of a proof: its plan, and what is read from the folders that keep them */
#define _POSIX_C_SOURCE 200809L
#include "base/memory.h"
#include "prove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Written by gpu/source_hash.c: the second is the hash of the sources of library and proof. */
extern const char *const proof_source[];

void give_up(const char *why)
{
    fprintf(stderr, "softfp8-compare-mpfr: %s\n", why);
    exit(2);
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* A job should take seconds, since keeping it takes some hundredths of one. The formats of a
 * family take less than others. */
unsigned jobs_of(const row *r, int tier)
{
    unsigned slices = (unsigned)r->formats * r->work.parts, most = tier == FULL ? 4 : 1;
    if (r->work.jobs)
        most = tier != FULL ? 4 : r->formats > 1 ? 8 * r->work.jobs : r->work.jobs;
    return slices < most ? slices : most;
}

/* Rows of one name are told apart by "=2", "=3". */
static void add_job(job_plan *plan, const row *r, int tier)
{
    char name[JOB_NAME + 1];
    snprintf(name, sizeof name, "%s", r->name);
    for (int again = 2; plan_index(plan, name, 0) != (size_t)-1; again++)
        snprintf(name, sizeof name, "%s=%d", r->name, again);
    plan_add(plan, name, jobs_of(r, tier));
}

void row_name(const char *job_name, char name[JOB_NAME + 1])
{
    snprintf(name, JOB_NAME + 1, "%.*s", (int)strcspn(job_name, "="), job_name);
}

job_plan *plan_of(const options *o, row *const *rows, size_t count)
{
    static const char *const tiers[] = {"brief", "quick", "full"};
    job_plan *plan = plan_begin();
    plan_term(plan, "program", "prove");
    plan_term(plan, "version", sf8_version());
    plan_term(plan, "source", proof_source[1]);
    plan_term(plan, "mpfr", mpfr_get_version());
    plan_term(plan, "level", sf8_simd());
    plan_term(plan, "tier", tiers[o->tier]);
    plan_term(plan, "only", o->only ? o->only : "");
    plan_term(plan, "except", o->except ? o->except : "");
    for (size_t i = 0; i < count; i++)
        add_job(plan, rows[i], o->tier);
    return plan;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

void read_job(const kept_job *job, outcome *found, char modes[MODES_SIZE])
{
    char why[JOBS_WHY];
    if (outcome_read(found, modes, job->body)) {
        found->seconds = job->seconds;
        return;
    }
    snprintf(why, sizeof why, "%.700s: expected the result of a job of a proof", job->path);
    give_up(why);
}

/* The number of jobs in a folder that have mismatches. */
static size_t count_failed(const job_folder *folder)
{
    size_t failed = 0;
    for (size_t i = 0; i < plan_jobs(jobs_plan(folder)); i++) {
        char modes[MODES_SIZE];
        outcome found;
        if (!jobs_at(folder, i))
            continue;
        read_job(jobs_at(folder, i), &found, modes);
        failed += found.mismatches != 0;
        free(found.report);
    }
    return failed;
}

/* Opens the folder of a proof; every job in it is one that can be read. */
static job_folder *open_folder(const char *name, size_t *failed)
{
    char why[JOBS_WHY];
    job_folder *folder = jobs_read(name, why);
    if (!folder)
        give_up(why);
    const char *program = plan_value(jobs_plan(folder), "program");
    if (!program || strcmp(program, "prove") != 0) {
        snprintf(why, sizeof why, "%.600s is not the folder of a proof, but of '%.100s'", name,
                 program ? program : "");
        give_up(why);
    }
    *failed = count_failed(folder);
    return folder;
}

int print_status(const char *name)
{
    size_t failed;
    job_folder *folder = open_folder(name, &failed);
    job_progress p = jobs_progress(folder);
    printf("%zu of %zu jobs are done, in %.0f core-seconds\n", p.done, p.all, p.seconds);
    if (p.done < p.all && p.done > 0)
        printf("%zu are left, about %.0f core-seconds by the pace so far\n", p.all - p.done,
               p.left);
    if (failed)
        printf("%zu have mismatches; --redo-failed does them again\n", failed);
    jobs_close(folder);
    return 0;
}

/* ---- joining --------------------------------------------------------------------------------- */

static int print_joined(const job_plan *plan, const kept_job *const *whole)
{
    totals all = {0, 0, 0, 0, 0};
    const char *entry;
    unsigned of;
    print_head();
    for (size_t i = 0; (entry = plan_name(plan, i, &of)) != NULL; i++) {
        char modes[MODES_SIZE] = "", name[JOB_NAME + 1];
        outcome sum = {0, 0, 0, NULL};
        for (unsigned part = 0; part < of; part++) {
            outcome found;
            read_job(*whole++, &found, modes);
            outcome_add(&sum, &found);
            free(found.report);
        }
        row_name(entry, name);
        print_row(name, modes, &sum);
        add_total(&all, &sum, sum.cases != 0);
        free(sum.report);
    }
    print_totals(&all);
    return all.passed == all.rows ? 0 : 1;
}

int join_folders(char *const *names, size_t count)
{
    job_folder **folders = allocate(count, sizeof *folders);
    const kept_job **whole;
    char why[JOBS_WHY], digest[65];
    size_t failed;
    for (size_t i = 0; i < count; i++)
        folders[i] = open_folder(names[i], &failed);
    if (!jobs_join(folders, count, &whole, why))
        give_up(why);
    const job_plan *plan = jobs_plan(folders[0]);
    int status = print_joined(plan, whole);
    jobs_digest(plan, whole, digest);
    printf("digest: %s\n", digest);
    free(whole);
    for (size_t i = 0; i < count; i++)
        jobs_close(folders[i]);
    free(folders);
    return status;
}
