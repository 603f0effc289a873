/* SPDX-License-Identifier: MIT */
/* reports.c -- the reports of conform: a table, and the files that were asked for */
#include "conform/reports.h"
#include "files/io.h"

#include <string.h>
#include <time.h>

const cli_option report_options[] = {
    {"--html", "FILE",
     "writes a web page with all results, a filter, and drawings of what differs. It is one file "
     "that loads nothing; #filter=failed after its address sets the filter",
     PATH(report_paths, path[REPORT_HTML])},
    GROUP(report_paths, path[REPORT_JSON], json_option),
    {"--junit", "FILE", "writes JUnit XML for CI systems", PATH(report_paths, path[REPORT_JUNIT])},
    {.kind = OPTION_END},
};

static const char *date_now(char text[32])
{
    time_t now = time(NULL);
    struct tm broken;
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &broken));
    return text;
}

report report_head(const conform_options *o, const run_machine *m)
{
    static char date[32];
    report r;
    memset(&r, 0, sizeof r);
    r.date = date_now(date);
    r.gpu = m->no_gpu ? NULL : m->gpu.name;
    r.driver = m->no_gpu ? NULL : m->gpu.driver;
    r.toolkit = m->toolkit;
    r.missing = m->missing;
    r.version = sf8_version();
    r.tier = o->tier;
    r.only = o->only;
    r.shard = o->shard;
    r.shards = o->shards;
    r.strict = o->strict;
    return r;
}

void reports_write(const report_paths *paths, const report *r, const char *last)
{
    static void (*const write[])(const report *, report_put, void *) = {report_html, report_json,
                                                                        report_junit};
    output *out[REPORT_KINDS] = {NULL};
    int standard = 0;
    for (int i = 0; i < REPORT_KINDS; i++) {
        standard |= output_is_standard(paths->path[i]);
        if (!paths->path[i])
            continue;
        out[i] = output_open(paths->path[i]);
        write[i](r, output_put, out[i]);
    }
    outputs_close(out, REPORT_KINDS);
    if (standard)
        return;
    output *table = output_open(NULL);
    report_table(r, output_put, table);
    output_print(table, "%s", last);
    output_close(table);
}
