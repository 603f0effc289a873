/* SPDX-License-Identifier: MIT */
/* fake_conform.c -- the command conform on the cases of fake_cases.h, whose results are made up
 *
 *     softfp8-test-fake_conform ARGUMENT...              as softfp8 conform
 *     softfp8-test-fake_conform report FORM              one report with a fixed head
 *
 * What stands for the catalog and for conform.h's runs here takes the place of the real ones.
 */
#include "cli/cli.h"
#include "device.h"
#include "fake_cases.h"
#include "families/families.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const conform_case *case_at(size_t i)
{
    return i < FAKE_CASES ? &fake_cases[i] : NULL;
}

static const conform_family *const none = NULL;
const conform_catalog conform_all = {&none, case_at};

const char *conform_gpu(gpu_device *device)
{
    (void)device;
    return "no GPU";
}

conform_result *conform_run(const conform_options *o, const conform_case ***chosen, size_t *count)
{
    const conform_case **cases = allocate(FAKE_CASES, sizeof cases[0]), *c;
    conform_result *results = allocate(FAKE_CASES, sizeof results[0]);
    conform_choice at = {0, 0, 0};
    size_t n = 0, job = 0;
    while ((c = conform_next(o, &at)) != NULL) {
        if (job++ % o->shards != o->shard)
            continue;
        cases[n] = c;
        results[n] = fake_results[c - fake_cases];
        if (o->done)
            o->done(o->context, c, &results[n]);
        n++;
    }
    *chosen = cases;
    *count = n;
    return results;
}

static void put_stdout(void *context, const char *text, size_t size)
{
    (void)context;
    fwrite(text, 1, size, stdout);
}

static int show(const char *form)
{
    const conform_case *cases[FAKE_CASES];
    for (size_t i = 0; i < FAKE_CASES; i++)
        cases[i] = &fake_cases[i];
    report r = {.cases = cases,
                .results = fake_results,
                .count = FAKE_CASES,
                .shards = 1,
                .version = "1.2.3",
                .date = "2026-11-21T12:34:56Z",
                .toolkit = "13.0"};
    if (strcmp(form, "table") == 0)
        report_table(&r, put_stdout, NULL);
    else if (strcmp(form, "json") == 0)
        report_json(&r, put_stdout, NULL);
    else if (strcmp(form, "junit") == 0)
        report_junit(&r, put_stdout, NULL);
    else if (strcmp(form, "html") == 0)
        report_html(&r, put_stdout, NULL);
    else
        return STATUS_USAGE;
    return STATUS_HELD;
}

int main(int argc, char **argv)
{
    fake_fill();
    fail_as("conform");
    if (argc == 3 && strcmp(argv[1], "report") == 0)
        return show(argv[2]);
    return command_conform.run(argc, argv);
}
