/* SPDX-License-Identifier: MIT */
/* merge.c -- softfp8 merge: one report or record from the folders of the shards of a run */
#include "cli/options.h"
#include "conform/recording.h"
#include "conform/reports.h"
#include "conform/unit_run.h"
#include "conform/selection.h"
#include "files/io.h"
#include "runs/store.h"

#include "record/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct merge_request {
    conform_options o;
    const char *records, *record; /* the folders that are read; the one that is written */
    report_paths reports;
} merge_request;

static const cli_option options[] = {
    GROUP(merge_request, reports, report_options),
    {"--record", "DIR", "also writes the record into this folder, if the run was of softfp8 record",
     PATH(merge_request, record)},
    {"--strict", NULL, "treats a skipped case as an error", FLAG(merge_request, o.strict)},
    GROUP(merge_request, records, conform_records),
    {.kind = OPTION_END},
};

static const char *value_of(const unit_plan *plan, const char *key)
{
    const char *value = plan_value(plan, key);
    return value ? value : "";
}

/* What the run was asked to do. */
static void read_options(const unit_plan *plan, conform_options *o)
{
    static const char *const tiers[] = {"quick", "full", "soak"};
    const char *tier = value_of(plan, "tier"), *only = value_of(plan, "only");
    o->only = only[0] ? only : NULL;
    while (o->tier < TIER_SOAK && strcmp(tier, tiers[o->tier]) != 0)
        o->tier++;
    o->device_only = strcmp(value_of(plan, "program"), "record") == 0;
}

/* The folders of the run must be those of this program: it judges by its own cases. */
static void check_source(const char *path, const unit_plan *plan, const conform_options *o,
                         const run_machine *m)
{
    char why[UNITS_WHY];
    const char *program = value_of(plan, "program");
    if (strcmp(program, "conform") != 0 && strcmp(program, "record") != 0)
        fail("%s: a run of '%s'; expected one of conform or record", path, program);
    unit_plan *mine = run_plan(program, o, m);
    unit_folder *folder = units_open(path, mine, why);
    if (!folder)
        fail("%s", why);
    units_close(folder);
    plan_free(mine);
}

static unit_folder **open_folders(char *const *paths, size_t count)
{
    unit_folder **folders = allocate(count, sizeof folders[0]);
    for (size_t i = 0; i < count; i++)
        folders[i] = unit_folder_read(paths[i]);
    return folders;
}

/* Writes the record, if that is wanted. */
static void write_record(const merge_request *q, const run_machine *m, const run_store *s,
                         const report *r)
{
    if (!q->record)
        return;
    if (!q->o.device_only)
        fail("--record: the folders are of a run of softfp8 conform, which leaves no record");
    recording_write(q->record, m, s, r->cases, r->results, r->count, NULL);
}

static int report_all(const merge_request *q, const run_machine *m, run_store *s)
{
    char last[96] = "digest: ";
    const conform_case **cases;
    report r = report_head(&q->o, m);
    r.results = conform_run(&q->o, &cases, &r.count);
    r.cases = cases;
    write_record(q, m, s, &r);
    units_digest(s->plan, s->whole, last + strlen(last));
    strcat(last, "\n");
    reports_write(&q->reports, &r, last);
    int status = report_exit(&r);
    free((void *)r.cases);
    free((void *)r.results);
    return status;
}

static int run(int argc, char **argv)
{
    char why[CONFORM_LONG];
    const unit **whole;
    run_store store;
    merge_request q;
    memset(&q, 0, sizeof q);
    q.o = conform_begin();
    size_t count = options_read(&command_merge, argc, argv, &q);
    if (count == 0)
        fail("no DIR given; expected the folders of all shards of a run");
    outputs_check(q.reports.path, REPORT_KINDS, NULL, 0);
    unit_folder **folders = open_folders(argv, count);
    const unit_plan *plan = units_plan(folders[0]);
    run_machine machine = machine_of(plan);
    if (machine.gpu.pretended)
        fail("cannot use %s: a pretended device made it; it proves nothing",
             units_name(folders[0]));
    read_options(plan, &q.o);
    q.o.no_gpu = machine.no_gpu;
    /* What records a GPU replays no records. */
    if (!q.o.device_only && !records_open(&q.o, q.records, SOFTFP8_RECORDS_DIR, why))
        fail("%s", why);
    check_source(units_name(folders[0]), plan, &q.o, &machine);
    if (!units_merge(folders, count, &whole, why) || !run_store_merged(&store, plan, whole, why))
        fail("%s", why);
    q.o.store = &store.store;
    int status = report_all(&q, &machine, &store);
    for (size_t i = 0; i < count; i++)
        units_close(folders[i]);
    free(folders);
    free(whole);
    return status;
}

const command command_merge = {
    .name = "merge",
    .purpose = "Joins the parts of a run that several machines shared.",
    .example = "  $ softfp8 merge shard1 shard2 shard3 --html report.html\n",
    .usage = "merge [options] DIR...",
    .about = "Reads the folders that softfp8 conform --out or softfp8 record --out wrote, those of "
             "all shards of one run. Reports what one machine would have reported if it had done "
             "all of it. No part of a case may be missing, and all must have the same program, "
             "sources, options and device. A part that was run twice must have the same result "
             "both times. Otherwise a message names the files. The digest in the last line does "
             "not depend on how the run was divided or stopped.",
    .more = "  $ softfp8 merge --record h200 shard1 shard2\n"
            "Exit status: 0 all passed; 1 a mismatch; 2 folders that do not belong together, or a "
            "part that is missing or damaged; 3 with --strict, or if the run was of chosen cases: "
            "something was skipped.",
    .options = options,
    .operands = "DIR",
    .operands_most = OPERANDS_ANY,
    .complete = "file",
    .run = run,
};
