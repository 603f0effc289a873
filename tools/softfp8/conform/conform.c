/* SPDX-License-Identifier: MIT */
/* conform.c -- softfp8 conform: implementations compared with the library, case by case */
#include "cli/options.h"
#include "conform/join.h"
#include "conform/selection.h"
#include "conform/job_run.h"
#include "files/io.h"

#include "record/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct conform_request {
    conform_options o;
    int list, join;
    const char *records; /* the folder of them, "none", or NULL: the usual one */
    const char *folder;  /* of the finished parts, or NULL */
    const char *record;  /* the one that --join writes, or NULL */
    job_request jobs;
    report_paths reports;
} conform_request;

/* ---- arguments ------------------------------------------------------------------------------- */

static const char *const tiers[] = {"quick", "full", "soak", NULL};

static const cli_option options[] = {
    HEADING("Which cases"),
    {"--list", NULL,
     "lists the cases and runs nothing. A line has the name; 'all' inputs, a 'set', or what is "
     "counted instead, such as 'tokens'; function, policy and fields of each step; 'any NaN' if "
     "every NaN counts as right where NaN is; and whether a difference is known",
     FLAG(conform_request, list)},
    GROUP(conform_request, o, conform_selection),
    {"--tier", NULL,
     "how much is tested. quick, the default: a sample of 32-bit operands. full: all 2^32 of them, "
     "and more random operands. soak: the most random operands",
     WORD(conform_request, o.tier, tiers)},
    HEADING("How to run them"),
    GROUP(conform_request, o, conform_sharing),
    {"--strict", NULL, "treats a skipped case as an error", FLAG(conform_request, o.strict)},
    GROUP(conform_request, records, conform_records),
    HEADING("Long runs"),
    {"--keep", "DIR",
     "keeps the result of each finished part of a case in DIR, which is created if it does not "
     "exist. After a stop the same command does what is missing, and reports all of it",
     PATH(conform_request, folder)},
    GROUP(conform_request, jobs, job_options),
    HEADING("Runs that several machines shared"),
    {"--join", NULL,
     "runs nothing: reports what one machine would have reported that had done the work of all "
     "shards. DIR... are the folders that softfp8 conform --keep or softfp8 record --keep wrote. "
     "No part of a case may be missing, and all must have the same program, sources, options and "
     "device. A part that was run twice must have the same result both times. Otherwise a message "
     "names the files. The digest in the last line does not depend on how the run was divided or "
     "stopped",
     FLAG(conform_request, join)},
    {"--record", "DIR",
     "with --join: also writes the record into this folder, if the run was of softfp8 record",
     PATH(conform_request, record)},
    HEADING("Output"),
    GROUP(conform_request, reports, report_options),
    {.kind = OPTION_END},
};

static size_t read_request(conform_request *q, int argc, char **argv)
{
    memset(q, 0, sizeof *q);
    q->o = conform_begin();
    size_t folders = options_read(&command_conform, argc, argv, q);
    if (q->join)
        options_only("join record records strict html json junit", "--join runs nothing");
    else if (folders)
        fail("unexpected '%s': --only chooses cases, and --join joins folders", argv[0]);
    else if (q->record)
        fail("--record needs --join; to write a record use softfp8 record");
    return folders;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* The family whose name a pattern begins with, misspelled: "cuda-device" for "cuda-devcie/"; or
 * NULL. */
static const char *nearest_family(const char *only, char family[64])
{
    char asked[64];
    snprintf(asked, sizeof asked, "%.*s", (int)strcspn(only, "/*"), only);
    size_t least = (strlen(asked) + 1) / 3 + 1;
    family[0] = '\0';
    for (size_t i = 0; conform_name_at(i); i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(conform_name_at(i), "/"),
                 conform_name_at(i));
        size_t d = name_distance(asked, name);
        if (strcmp(asked, name) != 0 && d < least) {
            least = d;
            strcpy(family, name);
        }
    }
    return family[0] ? family : NULL;
}

static void open_records(const conform_options *o, const char *records)
{
    char why[CONFORM_LONG];
    if (!records_open(o, records, SOFTFP8_RECORDS_DIR, why))
        fail("%s", why);
}

static void check_chosen(const conform_request *q)
{
    const conform_options all = conform_begin();
    const char *only = q->o.only, *near;
    conform_choice at = {0, 0, 0};
    char family[64];
    if (!only || conform_next(&q->o, &at))
        return;
    open_records(&all, q->records); /* their names are near too */
    near = nearest_name(only, conform_name_at);
    if (near)
        fail("no case '%s'; did you mean '%s'?", only, near);
    if (nearest_family(only, family))
        fail("no case '%s'; did you mean '%s/*'?", only, family);
    fail("no case '%s'; 'softfp8 conform --list' lists them", only);
}

static int list_cases(const conform_options *o)
{
    output *out = output_open(NULL);
    const conform_case *c;
    conform_choice at = {0, 0, 0};
    while ((c = conform_next(o, &at)) != NULL) {
        output_print(out, "%s  %s", c->name, domain_text(c));
        for (int k = 0; k < CONFORM_STEPS && c->oracle[k].function; k++) {
            const conform_step *s = &c->oracle[k];
            output_print(out, "%s  %s %s%s%s", k ? "  then" : "", s->function, s->policy,
                         s->fields ? " " : "", s->fields ? s->fields : "");
        }
        if (c->formats)
            output_print(out, "  %s %s", c->subject, c->formats);
        output_print(out, "%s%s\n", c->nan_class ? "  any NaN" : "", c->known ? "  known" : "");
    }
    output_close(out);
    return STATUS_HELD;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void watch(void *context, const conform_case *c, uint64_t parts, uint64_t of)
{
    (void)context;
    progress(c->name, parts, of);
}

/* Runs the cases, and writes what came of them. */
static int run_cases(conform_request *q)
{
    static run_machine machine;
    run_store store;
    const conform_case **cases;
    machine = machine_here();
    q->o.no_gpu = machine.no_gpu;
    q->o.progress = watch;
    job_plan *plan = run_plan("conform", &q->o, &machine);
    job_begin(&q->jobs, &store, q->folder, plan, &q->o);
    report r = report_head(&q->o, &machine);
    r.results = conform_run(&q->o, &cases, &r.count);
    r.cases = cases;
    progress_end();
    reports_write(&q->reports, &r, "");
    int status = report_exit(&r);
    if (job_stopped(&store, &q->o))
        status = STATUS_NOT_RUN;
    job_end(&store);
    plan_free(plan);
    free((void *)r.cases);
    free((void *)r.results);
    return status;
}

static int run(int argc, char **argv)
{
    char why[CONFORM_LONG];
    conform_request q;
    size_t folders = read_request(&q, argc, argv);
    if (q.join) {
        join_request join = {q.o, q.records, q.record, &q.reports};
        return join_folders(&join, argv, folders);
    }
    if (q.jobs.status)
        return job_status(q.jobs.status);
    open_records(&q.o, q.records);
    check_chosen(&q);
    if (q.list)
        return list_cases(&q.o);
    outputs_check(q.reports.path, REPORT_KINDS, NULL, 0);
    if (!conform_prepare(&q.o, why))
        fail("%s", why);
    return run_cases(&q);
}

const command command_conform = {
    .name = "conform",
    .purpose = "Tests GPUs and libraries against this model.",
    .example = "  $ softfp8 conform\n",
    .usage = "conform [options]\n"
             "conform --join [options] DIR...",
    .about = "Tests the conversions and kernels of CUDA headers, of the GPU and of other "
             "libraries. A case has a name, for example cuda-host/float_to_fp8/e4m3/nosat, and an "
             "expected value from this library. Operands of up to 16 bits are tried completely; "
             "wider ones get a critical set and random operands, and with --tier full those of 32 "
             "bits are tried completely too. A crash ends only its own case. Checks whose "
             "dependency is missing are reported as skipped. If FILE is -, "
             "it is standard output, and the table is not written.",
    .more = "  $ softfp8 conform --only 'cuda-host/*e4m3*' --tier full --html report.html\n"
            "  $ softfp8 conform --tier full --keep run --budget 3600\n"
            "  $ softfp8 conform --join shard1 shard2 shard3 --html report.html\n"
            "A run stops early at the end of its budget, on SIGTERM and on SIGINT: parts that are "
            "running are finished first, for at most 5 seconds after a budget; a second signal "
            "ends them at once. Then standard error says what is left.\n"
            "Exit status: 0 all passed; 1 a mismatch, or a broken or stale case; 2 bad usage, or "
            "folders that do not belong together, or a part that is missing or damaged; 3 stopped "
            "early, or with --only or --strict, also of the runs that are joined: something was "
            "skipped.",
    .options = options,
    .operands = "DIR",
    .operands_most = OPERANDS_ANY,
    .complete = "file",
    .run = run,
};
