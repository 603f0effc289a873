/* SPDX-License-Identifier: MIT */
/* record.c -- softfp8 record: what the GPU returns, written down to be replayed without it */
#include "cli/options.h"
#include "conform/recording.h"
#include "conform/selection.h"
#include "conform/job_run.h"

#include "suite/family.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LIMIT = 600 /* seconds for a part of a case */ };

typedef struct record_request {
    conform_options o;
    const char *folder;
    job_request jobs;
} record_request;

/* ---- arguments ------------------------------------------------------------------------------- */

static const char *device_name_at(size_t i)
{
    const conform_case *c;
    for (size_t k = 0; (c = conform_case_at(k)) != NULL; k++) {
        if (conform_is_recorded(c) && i-- == 0)
            return c->name;
    }
    return NULL;
}

static const cli_option options[] = {
    {"--keep", "DIR", "writes the record into this folder, which is created if it does not exist",
     PATH(record_request, folder)},
    GROUP(record_request, o, conform_selection),
    HEADING("How to run them"),
    GROUP(record_request, o, conform_sharing),
    GROUP(record_request, jobs, job_options),
    {.kind = OPTION_END},
};

static record_request request_of(int argc, char **argv)
{
    record_request q;
    memset(&q, 0, sizeof q);
    q.o = conform_begin();
    /* Digests leave the further inputs of the full tier out, and tables have all inputs in any. */
    q.o.tier = TIER_QUICK;
    q.o.device_only = q.o.record = 1;
    options_read(&command_record, argc, argv, &q);
    q.o.limit = q.o.limit > 0 ? q.o.limit : LIMIT;
    return q;
}

static void check_request(const record_request *q)
{
    struct stat status;
    conform_choice at = {0, 0, 0};
    if (!q->folder)
        fail("--keep DIR is missing: the folder for the record");
    if (stat(q->folder, &status) == 0 && !S_ISDIR(status.st_mode))
        fail("cannot write into %s: it is not a folder", q->folder);
    if (q->o.only && !conform_next(&q->o, &at)) {
        const char *near = nearest_name(q->o.only, device_name_at);
        if (near)
            fail("no GPU case '%s'; did you mean '%s'?", q->o.only, near);
        fail("no GPU case '%s'; 'softfp8 conform --list' lists them", q->o.only);
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static void watch(void *context, const conform_case *c, uint64_t parts, uint64_t of)
{
    (void)context;
    progress(c->name, parts, of);
}

static int run_cases(record_request *q, const run_machine *machine)
{
    run_store store;
    const conform_case **cases;
    size_t count;
    job_plan *plan = run_plan("record", &q->o, machine);
    char *jobs = text_of("%s/jobs", q->folder);
    q->o.progress = watch;
    if (mkdir(q->folder, 0777) != 0 && errno != EEXIST)
        fail("cannot make %s: %s", q->folder, strerror(errno));
    job_begin(&q->jobs, &store, jobs, plan, &q->o);
    conform_result *results = conform_run(&q->o, &cases, &count);
    progress_end();
    output *out = output_open(NULL);
    recording t = recording_write(q->folder, machine, &store, cases, results, count, out);
    output_close(out);
    int stopped = job_stopped(&store, &q->o);
    job_end(&store);
    plan_free(plan);
    free(jobs);
    free(results);
    free(cases);
    if (stopped)
        return STATUS_NOT_RUN;
    if (t.wrong || t.broken)
        return STATUS_MISMATCH;
    return t.written == 0 || (q->o.only && t.not_run) ? STATUS_NOT_RUN : STATUS_HELD;
}

static int run(int argc, char **argv)
{
    static run_machine machine;
    record_request q = request_of(argc, argv);
    if (q.jobs.status)
        return job_status(q.jobs.status);
    check_request(&q);
    machine = machine_here();
    if (machine.no_gpu) {
        note("%s", machine.no_gpu);
        return STATUS_NOT_RUN;
    }
    return run_cases(&q, &machine);
}

const command command_record = {
    .name = "record",
    .purpose = "Records what a GPU returns; conform can replay it anywhere.",
    .example = "  $ softfp8 record --keep conformance/records/h200\n",
    .usage = "record --keep DIR [options]",
    .about = "Runs the GPU cases, on every input of 32 bits or fewer, and writes the results into "
             "DIR: cases.txt, tables.txt and seconds.txt. With --only the record contains only "
             "these cases. A wrong result does not stop the "
             "recording; conform reports it when it replays the record. A case that crashes or "
             "hangs is left out, and a message names it. The files in DIR are "
             "replaced only when all new ones are on disk. Standard output has one row per case, "
             "with the seconds that the GPU took.\n"
             "Each finished part of a case is kept in DIR/jobs. If the run is stopped, the record "
             "has the cases that are finished, and the same command does the rest. DIR/jobs can "
             "be deleted when the record is complete.",
    .more = "  $ softfp8 record --keep h200 --budget 300\n"
            "Exit status: 0 written, and all results are right; 1 a mismatch, or a case that "
            "crashed or hung; 3 no GPU, stopped early, or with --only: something was skipped.",
    .options = options,
    .operands = "--keep names the folder",
    .run = run,
};
