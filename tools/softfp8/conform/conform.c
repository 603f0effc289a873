/* SPDX-License-Identifier: MIT */
/* conform.c -- softfp8 conform: implementations compared with the library, case by case */
#include "cli/options.h"
#include "conform/selection.h"
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

enum { HTML, JSON, JUNIT, REPORTS };
enum { REPORT_MOST = 1 << 28 }; /* bytes of a report that is merged */

typedef struct conform_request {
    conform_options o;
    int list, merging;
    char **merge; /* the reports, or NULL */
    size_t merge_count;
    const char *records; /* the folder of them, "none", or NULL: the usual one */
    const char *path[REPORTS];
} conform_request;

/* ---- arguments ------------------------------------------------------------------------------- */

/* "I/N", I from 1 to N. */
static void take_shard(void *place, const cli_option *option, const char *value)
{
    conform_options *o = place;
    (void)option;
    char *slash, *end;
    errno = 0;
    unsigned long i = strtoul(value, &slash, 10), n = 0;
    if (value[0] >= '0' && value[0] <= '9' && *slash == '/' && slash[1] >= '0' && slash[1] <= '9') {
        n = strtoul(slash + 1, &end, 10);
        if (*end || errno)
            n = 0;
    }
    if (i < 1 || i > n || n > 1000000)
        fail("expected I/N with I from 1 to N, for example 2/8");
    o->shard = (unsigned)i - 1;
    o->shards = (unsigned)n;
}

static const char *const tiers[] = {"quick", "full", "soak", NULL};

static const cli_option options[] = {
    HEADING("Which cases"),
    {"--list", NULL,
     "lists the cases and runs nothing: the name; all inputs or a sample; function, policy and "
     "fields of each step; whether any NaN is accepted for NaN; whether a difference is known",
     FLAG(conform_request, list)},
    GROUP(conform_request, o, conform_selection),
    {"--tier", NULL,
     "how much is tested. quick, the default: a sample of 32-bit operands. full: all 2^32 of them, "
     "and more random operands. soak: the most random operands",
     WORD(conform_request, o.tier, tiers)},
    HEADING("How to run them"),
    {"--jobs", "N", "runs N cases at a time, at most 64. Default: the number of processors",
     NUMBER(conform_request, o.jobs, 1, 64)},
    {"--shard", "I/N",
     "runs part I of N, counted from 1, so that N machines can share the work. Long cases are cut "
     "into ranges of inputs",
     CALL(conform_request, o, take_shard)},
    {"--merge", NULL,
     "runs nothing: merges the --json reports of all shards of one run into one report",
     FLAG(conform_request, merging)},
    {"--strict", NULL, "treats a skipped case as an error", FLAG(conform_request, o.strict)},
    {"--records", "DIR",
     "the GPU records to replay: a folder of records, a single record, or none. Default: the "
     "environment variable SOFTFP8_RECORDS, else the installed folder, else the one in the sources",
     PATH(conform_request, records)},
    HEADING("Output"),
    {"--html", "FILE",
     "writes a web page with all results, a filter, and drawings of what differs. It is one file "
     "that loads nothing; #filter=failed after its address sets the filter",
     PATH(conform_request, path[HTML])},
    GROUP(conform_request, path[JSON], json_option),
    {"--junit", "FILE", "writes JUnit XML for CI systems", PATH(conform_request, path[JUNIT])},
    {.kind = OPTION_END},
};

static conform_request request_of(int argc, char **argv)
{
    conform_request q;
    memset(&q, 0, sizeof q);
    q.o.shards = 1;
    q.merge_count = options_read(&command_conform, argc, argv, &q);
    if (!q.merging && q.merge_count > 0)
        fail("unexpected '%s'; --only chooses cases", argv[0]);
    if (q.merging && (q.list || q.o.only || q.o.tier || q.o.shards != 1))
        fail("--merge reads reports: leave out --list, --only, --tier and --shard");
    if (q.merging && q.merge_count == 0)
        fail("--merge: no FILE given; expected the JSON reports of all shards");
    q.merge = q.merging ? argv : NULL;
    return q;
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
        if (d > 0 && d < least) {
            least = d;
            strcpy(family, name);
        }
    }
    return family[0] ? family : NULL;
}

/* That there is no such case is an error; that none falls to the shard is not. */
static void check_chosen(const conform_options *o)
{
    conform_options whole = *o;
    conform_choice at = {0, 0, 0, 0, 0};
    whole.shard = 0;
    whole.shards = 1;
    if (!conform_next(&whole, &at) && o->only) {
        const char *near = nearest_name(o->only, conform_name_at);
        char family[64];
        if (near)
            fail("no case '%s'; did you mean '%s'?", o->only, near);
        if (nearest_family(o->only, family))
            fail("no case '%s'; did you mean '%s/*'?", o->only, family);
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
    return status;
}

const command command_conform = {
    .name = "conform",
    .purpose = "Tests GPUs and libraries against this model, on all inputs.",
    .example = "  $ softfp8 conform\n",
    .usage = "conform [options]\n"
             "conform --merge [options] FILE...",
    .about = "Tests the conversions and kernels of CUDA headers, of the GPU and of other "
             "libraries. A case has a name, for example cuda-host/float_to_fp8/e4m3/nosat, and an "
             "expected value from this library. Each case runs in its own process: on every input "
             "if the operand has 32 bits or less, otherwise on the critical set and random "
             "operands. Checks whose dependency is missing are reported as skipped. If FILE is -, "
             "it is standard output, and the table is not written.",
    .more = "  $ softfp8 conform --only 'cuda-host/*e4m3*' --tier full --html report.html\n"
            "Exit status: 0 all passed; 1 a mismatch, or a broken or stale case; 3 with --only or "
            "--strict, something was skipped.",
    .options = options,
    .operands = "FILE",
    .operands_most = OPERANDS_ANY,
    .complete = "file",
    .run = run,
};
