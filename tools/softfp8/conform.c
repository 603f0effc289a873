/* SPDX-License-Identifier: MIT */
/* conform.c -- softfp8 conform: implementations held against the library, case by case */
#include "io.h"

#include "../gpu/device.h"
#include "report.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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
    "  --shard I/N       the I-th of N parts of the cases, from 1\n"
    "  --limit SECONDS   the time for a case; 120, 1200 and 12000 by tier\n"
    "  --strict          what could not be run is an error\n"
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

typedef struct conform_request {
    conform_options o;
    int list;
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
    arguments a = arguments_of(argc, argv);
    while (arguments_next(&a)) {
        if (argument_help(&a, &command_conform))
            continue;
        if (argument_flag(&a, "list"))
            q.list = 1;
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
        else if (argument_is(&a, "html"))
            q.path[HTML] = argument_value(&a);
        else if (argument_is(&a, "json"))
            q.path[JSON] = argument_value(&a);
        else if (argument_is(&a, "junit"))
            q.path[JUNIT] = argument_value(&a);
        else if (a.option)
            argument_unknown(&a);
        else
            fail("no operand is expected: '%s'; --only chooses cases", a.text);
    }
    return q;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static const char *case_name_at(size_t i)
{
    const conform_case *c = conform_case_at(i);
    return c ? c->name : NULL;
}

static int is_chosen(const conform_options *o, const conform_case *c)
{
    return !o->only || fnmatch(o->only, c->name, 0) == 0;
}

static uint64_t count_chosen(const conform_options *o)
{
    uint64_t count = 0;
    for (size_t i = 0; conform_case_at(i); i++)
        count += is_chosen(o, conform_case_at(i)) != 0;
    if (count == 0 && o->only) {
        const char *near = nearest_name(o->only, case_name_at);
        if (near)
            fail("no case '%s'; did you mean '%s'?", o->only, near);
        fail("no case '%s'; 'softfp8 conform --list' lists them", o->only);
    }
    return count / o->shards + (o->shard < count % o->shards);
}

static int list_cases(const conform_options *o)
{
    output *out = output_open(NULL);
    uint64_t seen = 0;
    for (size_t i = 0; conform_case_at(i); i++) {
        const conform_case *c = conform_case_at(i);
        if (!is_chosen(o, c) || seen++ % o->shards != o->shard)
            continue;
        output_print(out, "%s  %s", c->name, c->domain == DOMAIN_ALL ? "all" : "set");
        for (int k = 0; k < CONFORM_STEPS && c->oracle[k].function; k++) {
            const conform_step *s = &c->oracle[k];
            output_print(out, "%s  %s %s%s%s", k ? "  then" : "", s->function, s->policy,
                         s->fields ? " " : "", s->fields ? s->fields : "");
        }
        output_print(out, "%s%s\n", c->nan_class ? "  any NaN" : "", c->known ? "  known" : "");
    }
    output_close(out);
    return STATUS_HELD;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void put_output(void *context, const char *text, size_t size)
{
    output_write(context, text, size);
}

static void write_report(const report *r, const char *path,
                         void (*write)(const report *, report_put, void *))
{
    output *out = output_open(path);
    write(r, put_output, out);
    output_close(out);
}

static int is_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* Better now than after the run. */
static void check_path(const char *path)
{
    struct stat status;
    if (!path || is_standard(path))
        return;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        fail("cannot write %s: it is a directory", path);
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    if (slash && (size_t)(slash - path) < sizeof folder - 1)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + (slash == path), path);
    if (access(folder, W_OK | X_OK) != 0)
        fail("cannot write %s: %s", path, strerror(errno));
}

static void check_paths(const conform_request *q)
{
    for (int i = 0; i < REPORTS; i++) {
        check_path(q->path[i]);
        for (int k = 0; k < i; k++) {
            if (q->path[i] && q->path[k] && strcmp(q->path[i], q->path[k]) == 0)
                fail("two reports into '%s'", q->path[i]);
        }
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef struct watch {
    uint64_t done, total;
} watch;

static void watch_done(void *context, const conform_case *c, const conform_result *r)
{
    watch *w = context;
    (void)r;
    progress(c->name, ++w->done, w->total);
}

static const char *date_now(char text[32])
{
    time_t now = time(NULL);
    struct tm broken;
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &broken));
    return text;
}

static int run(int argc, char **argv)
{
    conform_request q = request_of(argc, argv);
    watch w = {0, count_chosen(&q.o)};
    if (q.list)
        return list_cases(&q.o);
    check_paths(&q);
    const conform_case **cases;
    char date[32];
    report r;
    memset(&r, 0, sizeof r);
    r.date = date_now(date);
    q.o.done = watch_done;
    q.o.context = &w;
    conform_result *results = conform_run(&q.o, &cases, &r.count);
    progress_end();
    r.cases = cases;
    r.results = results;
    r.tier = q.o.tier;
    r.only = q.o.only;
    r.shard = q.o.shard;
    r.shards = q.o.shards;
    r.strict = q.o.strict;
    r.version = sf8_version();
    r.toolkit = gpu_toolkit();
    r.missing = gpu_host_missing();
    int standard = 0;
    static void (*const write[])(const report *, report_put, void *) = {report_html, report_json,
                                                                        report_junit};
    for (int i = 0; i < REPORTS; i++) {
        if (q.path[i])
            write_report(&r, q.path[i], write[i]);
        standard |= is_standard(q.path[i]);
    }
    if (!standard)
        write_report(&r, NULL, report_table);
    int status = report_exit(&r);
    free(results);
    free(cases);
    return status;
}

const command command_conform = {"conform", "implementations held against the library, all inputs",
                                 help, run};
