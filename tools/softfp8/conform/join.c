/* SPDX-License-Identifier: MIT */
/* join.c -- softfp8 conform --join: one report or record from the folders of the shards of a run */
#include "conform/join.h"
#include "conform/recording.h"
#include "conform/job_run.h"
#include "files/io.h"
#include "runs/store.h"

#include "record/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *value_of(const job_plan *plan, const char *key)
{
    const char *value = plan_value(plan, key);
    return value ? value : "";
}

/* What the run was asked to do. */
static void read_options(const job_plan *plan, conform_options *o)
{
    static const char *const tiers[] = {"quick", "full", "soak"};
    const char *tier = value_of(plan, "tier"), *only = value_of(plan, "only");
    o->only = only[0] ? only : NULL;
    while (o->tier < TIER_SOAK && strcmp(tier, tiers[o->tier]) != 0)
        o->tier++;
    o->device_only = strcmp(value_of(plan, "program"), "record") == 0;
}

/* The folders of the run must be those of this program: it judges by its own cases. */
static void check_source(const char *path, const job_plan *plan, const conform_options *o,
                         const run_machine *m)
{
    char why[JOBS_WHY];
    const char *program = value_of(plan, "program");
    if (strcmp(program, "conform") != 0 && strcmp(program, "record") != 0)
        fail("%s: a run of '%s'; expected one of conform or record", path, program);
    job_plan *mine = run_plan(program, o, m);
    job_folder *folder = jobs_open(path, mine, why);
    if (!folder)
        fail("%s", why);
    jobs_close(folder);
    plan_free(mine);
}

static job_folder **open_folders(char *const *paths, size_t count)
{
    job_folder **folders = allocate(count, sizeof folders[0]);
    for (size_t i = 0; i < count; i++)
        folders[i] = job_folder_read(paths[i]);
    return folders;
}

/* Writes the record, if that is wanted. */
static void write_record(const join_request *q, const run_machine *m, const run_store *s,
                         const report *r)
{
    if (!q->record)
        return;
    if (!q->o.device_only)
        fail("--record: the folders are of a run of softfp8 conform, which leaves no record");
    recording_write(q->record, m, s, r->cases, r->results, r->count, NULL);
}

static int report_all(const join_request *q, const run_machine *m, run_store *s)
{
    char last[96] = "digest: ";
    const conform_case **cases;
    report r = report_head(&q->o, m);
    r.results = conform_run(&q->o, &cases, &r.count);
    r.cases = cases;
    write_record(q, m, s, &r);
    jobs_digest(s->plan, s->whole, last + strlen(last));
    strcat(last, "\n");
    reports_write(q->reports, &r, last);
    int status = report_exit(&r);
    free((void *)r.cases);
    free((void *)r.results);
    return status;
}

int join_folders(join_request *q, char *const *paths, size_t count)
{
    char why[CONFORM_LONG];
    const kept_job **whole;
    run_store store;
    if (count == 0)
        fail("no DIR given; --join expects the folders of all shards of a run");
    outputs_check(q->reports->path, REPORT_KINDS, NULL, 0);
    job_folder **folders = open_folders(paths, count);
    const job_plan *plan = jobs_plan(folders[0]);
    run_machine machine = machine_of(plan);
    read_options(plan, &q->o);
    q->o.no_gpu = machine.no_gpu;
    /* What records a GPU replays no records. */
    if (!q->o.device_only && !records_open(&q->o, q->records, SOFTFP8_RECORDS_DIR, why))
        fail("%s", why);
    check_source(jobs_name(folders[0]), plan, &q->o, &machine);
    if (!jobs_join(folders, count, &whole, why) || !run_store_joined(&store, plan, whole, why))
        fail("%s", why);
    q->o.store = &store.store;
    int status = report_all(q, &machine, &store);
    for (size_t i = 0; i < count; i++)
        jobs_close(folders[i]);
    free(folders);
    free(whole);
    return status;
}
