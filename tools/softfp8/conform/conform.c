/* SPDX-License-Identifier: MIT */
/* conform.c -- softfp8 conform: implementations held against the library, case by case */
#include "files/io.h"

#include "../gpu/device.h"
#include "record/find.h"
#include "record/merge.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "softfp8 conform [options]\n"
    "\n"
    "Holds what is offered elsewhere, the conversions of the CUDA headers and of the\n"
    "GPU, against this library: every input where there are 2^32 or fewer. What\n"
    "could not be run is counted as not run.\n"
    "\n"
    "  --list            the cases: name, domain, oracle; runs nothing\n"
    "  --only GLOB       the cases whose name fits; * stands for any text, / too\n"
    "  --tier T          quick; full: all 2^32 inputs; soak: the longest campaigns\n"
    "  --jobs N          cases at a time; as many as there are processors\n"
    "  --shard I/N       the I-th of N parts of the inputs, from 1\n"
    "  --merge FILE...   runs nothing: the --json reports of all shards as one\n"
    "  --limit SECONDS   for a case, or a part of a long one; 120, 600, 6000 by tier\n"
    "  --strict          what could not be run is an error\n"
    "  --records DIR     what GPUs returned, to be replayed; DIR none: nothing\n"
    "  --html FILE       a page to look at\n"
    "  --json FILE       the same to compute with\n"
    "  --junit FILE      the same for CI; FILE - replaces the table on stdout\n"
    "\n"
    "Exit status: 0 all held, 1 a mismatch, a broken or stale case, 3 --only or\n"
    "--strict and something was not run.\n"
    "\n"
    "  softfp8 conform\n"
    "  softfp8 conform --only 'cuda-host/*e4m3*' --tier full --html report.html\n";

enum { HTML, JSON, JUNIT, REPORTS };
enum { REPORT_MOST = 1 << 28 }; /* bytes of a report that is merged */

typedef struct conform_request {
    conform_options o;
    int list;
    char **merge; /* the reports, or NULL */
    size_t merge_count;
    const char *records; /* the folder of them, "none", or NULL: the usual one */
    const char *path[REPORTS];
} conform_request;

/* ---- arguments ------------------------------------------------------------------------------- */

/* "I/N", I from 1 to N. */
static void take_shard(arguments *a, conform_options *o)
{
    const char *value = argument_value(a);
    char *slash, *end;
    errno = 0;
    unsigned long i = strtoul(value, &slash, 10), n = 0;
    if (value[0] >= '0' && value[0] <= '9' && *slash == '/' && slash[1] >= '0' && slash[1] <= '9') {
        n = strtoul(slash + 1, &end, 10);
        if (*end || errno)
            n = 0;
    }
    if (i < 1 || i > n || n > 1000000)
        fail("--shard %s: expected I/N, I from 1 to N", value);
    o->shard = (unsigned)i - 1;
    o->shards = (unsigned)n;
}

static conform_request request_of(int argc, char **argv)
{
    static const char *const tiers[] = {"quick", "full", "soak", NULL};
    conform_request q;
    memset(&q, 0, sizeof q);
    q.o.shards = 1;
    q.merge = allocate((size_t)argc, sizeof q.merge[0]);
    int merge = 0;
    arguments a = arguments_of(argc, argv);
    while (arguments_next(&a)) {
        if (argument_help(&a, &command_conform))
            continue;
        if (argument_flag(&a, "list"))
            q.list = 1;
        else if (argument_flag(&a, "merge"))
            merge = 1;
        else if (argument_flag(&a, "strict"))
            q.o.strict = 1;
        else if (argument_is(&a, "only"))
            q.o.only = argument_value(&a);
        else if (argument_is(&a, "tier"))
            q.o.tier = (conform_tier)argument_word(&a, tiers);
        else if (argument_is(&a, "jobs"))
            q.o.jobs = (int)argument_number(&a, 1, 64);
        else if (argument_is(&a, "shard"))
            take_shard(&a, &q.o);
        else if (argument_is(&a, "limit"))
            q.o.limit = (double)argument_number(&a, 1, 1000000);
        else if (argument_is(&a, "records"))
            q.records = argument_value(&a);
        else if (argument_is(&a, "html"))
            q.path[HTML] = argument_value(&a);
        else if (argument_is(&a, "json"))
            q.path[JSON] = argument_value(&a);
        else if (argument_is(&a, "junit"))
            q.path[JUNIT] = argument_value(&a);
        else if (a.option)
            argument_unknown(&a);
        else
            q.merge[q.merge_count++] = a.list[a.at];
    }
    if (!merge && q.merge_count > 0)
        fail("no operand is expected: '%s'; --only chooses cases", q.merge[0]);
    if (merge && (q.list || q.o.only || q.o.tier || q.o.shards != 1))
        fail("--merge: the reports say what was run; no --list, --only, --tier, --shard with it");
    if (merge && q.merge_count == 0)
        fail("--merge: expected the reports of the shards");
    if (!merge) {
        free(q.merge);
        q.merge = NULL;
    }
    return q;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static const char *case_name_at(size_t i)
{
    const conform_case *c = conform_case_at(i);
    return c ? c->name : NULL;
}

/* That there is no such case is an error; that none falls to the shard is not. */
static void check_chosen(const conform_options *o)
{
    conform_options whole = *o;
    conform_choice at = {0, 0, 0, 0, 0};
    whole.shard = 0;
    whole.shards = 1;
    if (!conform_next(&whole, &at) && o->only) {
        const char *near = nearest_name(o->only, case_name_at);
        if (near)
            fail("no case '%s'; did you mean '%s'?", o->only, near);
        fail("no case '%s'; 'softfp8 conform --list' lists them", o->only);
    }
}

static int list_cases(const conform_options *o)
{
    output *out = output_open(NULL);
    const conform_case *c;
    conform_choice at = {0, 0, 0, 0, 0};
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

/* ---- reports --------------------------------------------------------------------------------- */

static void check_paths(const conform_request *q)
{
    outputs_check(q->path, REPORTS, (const char *const *)q->merge, q->merge ? q->merge_count : 0);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void watch(void *context, const conform_case *c, uint64_t parts, uint64_t of)
{
    (void)context;
    progress(c->name, parts, of);
}

static const char *date_now(char text[32])
{
    time_t now = time(NULL);
    struct tm broken;
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &broken));
    return text;
}

/* Runs the cases; what the report needs to know of the run. */
static void run_cases(const conform_request *q, report *r)
{
    static char date[32];
    static gpu_device device;
    const conform_case **cases;
    conform_options o = q->o;
    memset(r, 0, sizeof *r);
    r->date = date_now(date);
    o.progress = watch;
    if (!conform_gpu(&device)) {
        r->gpu = device.name;
        r->driver = device.driver;
    }
    r->results = conform_run(&o, &cases, &r->count);
    progress_end();
    r->cases = cases;
    r->tier = o.tier;
    r->only = o.only;
    r->shard = o.shard;
    r->shards = o.shards;
    r->strict = o.strict;
    r->version = sf8_version();
    r->toolkit = gpu_toolkit();
    r->missing = gpu_host_missing();
}

static void write_reports(const conform_request *q, const report *r)
{
    static void (*const write[])(const report *, report_put, void *) = {report_html, report_json,
                                                                        report_junit};
    output *out[REPORTS] = {NULL};
    int standard = 0;
    for (int i = 0; i < REPORTS; i++) {
        standard |= output_is_standard(q->path[i]);
        if (!q->path[i])
            continue;
        out[i] = output_open(q->path[i]);
        write[i](r, output_put, out[i]);
    }
    outputs_close(out, REPORTS);
    if (standard)
        return;
    output *table = output_open(NULL);
    report_table(r, output_put, table);
    output_close(table);
}

static _Noreturn void merge_failed(const merge_error *error)
{
    if (error->path)
        fail_at(error->path, error->line, "%s", error->text);
    fail("%s", error->text);
}

static void merge_reports(const conform_request *q, report *r)
{
    report_merge *m = merge_begin();
    merge_error error;
    for (size_t i = 0; i < q->merge_count; i++) {
        size_t size;
        char *text = input_whole(q->merge[i], &size, REPORT_MOST);
        if (!merge_add(m, input_name(q->merge[i]), text, size, &error))
            merge_failed(&error);
        free(text);
    }
    if (!merge_end(m, r, &error))
        merge_failed(&error);
}

static int run(int argc, char **argv)
{
    report r;
    char why[CONFORM_LONG];
    conform_request q = request_of(argc, argv);
    if (!records_open(q.records, SOFTFP8_RECORDS_DIR, why))
        fail("%s", why);
    if (q.merge) {
        check_paths(&q);
        merge_reports(&q, &r);
        r.strict = q.o.strict;
    } else {
        check_chosen(&q.o);
        if (q.list)
            return list_cases(&q.o);
        check_paths(&q);
        if (!conform_prepare(&q.o, why))
            fail("%s", why);
        run_cases(&q, &r);
    }
    write_reports(&q, &r);
    int status = report_exit(&r);
    free((void *)r.cases);
    free((void *)r.results);
    free(q.merge);
    return status;
}

const command command_conform = {"conform", "implementations held against the library, all inputs",
                                 help, run};
