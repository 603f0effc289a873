/* SPDX-License-Identifier: MIT */
/* fake_record.c -- the command record on cases with invented results, which do not run
 *
 *     softfp8-test-fake_record ARGUMENT...    as softfp8 record; "no GPU" if FAKE_GPU is "none"
 *
 * The catalog and the functions of the suite that are defined here replace the real ones.
 */
#include "cli/cli.h"
#include "families/families.h"
#include "record/text.h"

#include <stdlib.h>
#include <string.h>

static void replay(const conform_job *j)
{
    (void)j;
}

static const conform_family host = {.name = "host"}, gpu = {.on_device = 1, .replay = replay};
static const conform_case cases[] = {
    {.name = "fake/right", .family = &gpu},   {.name = "cuda-host/not-of-the-gpu", .family = &host},
    {.name = "fake/wrong", .family = &gpu},   {.name = "fake/known", .family = &gpu},
    {.name = "fake/broken", .family = &gpu},  {.name = "fake/not-run", .family = &gpu},
    {.name = "fake/no-text", .family = &gpu}, {.name = "fake/hyphen", .family = &gpu},
};

enum { CASES = sizeof cases / sizeof cases[0] };

static const conform_result results[CASES] = {
    {.status = CONFORM_PASSED, .inputs = 16, .seconds = 0.25},
    {.status = CONFORM_PASSED, .inputs = 16, .seconds = 100},
    {.status = CONFORM_FAILED, .inputs = 16, .differ = 3, .seconds = 0.5},
    {.status = CONFORM_KNOWN, .inputs = 16, .differ = 1, .seconds = 0.0625},
    {.status = CONFORM_BROKEN, .why = "ended by signal 11"},
    {.status = CONFORM_NOT_RUN, .why = "needs sm_100a"},
    {.status = CONFORM_PASSED, .inputs = 16},
    {.status = CONFORM_PASSED, .inputs = 16},
};

static const conform_case *case_at(size_t i)
{
    return i < CASES ? &cases[i] : NULL;
}

static const conform_family *const none = NULL;
const conform_catalog conform_all = {&none, case_at};

const char *conform_gpu(gpu_device *device)
{
    static const gpu_device h200 = {"NVIDIA H200", "580.95.05", "sm_90a", 0};
    const char *fake = getenv("FAKE_GPU");
    *device = h200;
    return fake && strcmp(fake, "none") == 0 ? "no GPU" : NULL;
}

/* The first half of the inputs gives 0, the other half 1. */
static void keep_result(const conform_options *o, const conform_case *c, const conform_result *r)
{
    gpu_row row[] = {{0, 0}, {8, 1}};
    record_table table = {0, 1, 1, row, 2, 0};
    record_source source = {"fp8", ""};
    record_entry e;
    memset(&e, 0, sizeof e);
    memset(source.digest, '1', 64);
    memset(e.digest, '2', 64);
    snprintf(e.name, sizeof e.name, "%s", c->name);
    if (strcmp(c->name, "fake/hyphen") == 0)
        memcpy(source.group, "f-8", 3);
    e.whole = e.lanes = 1;
    e.inputs = 16;
    e.differ = r->differ;
    e.microseconds = (uint64_t)(r->seconds * 1e6);
    conform_result whole = *r;
    whole.parts = whole.of = 1;
    memset(whole.digest, '2', 64);
    char *text = record_entry_text(&e, &source, &table);
    int leaves = strcmp(c->name, "fake/no-text") != 0;
    o->store->keep(o->store->context, c, &whole, leaves ? text : NULL, strlen(text), 0.125);
    free(text);
}

conform_result *conform_run(const conform_options *o, const conform_case ***chosen, size_t *count)
{
    const conform_case **list = allocate(CASES, sizeof list[0]), *c;
    conform_result *copies = allocate(CASES, sizeof copies[0]);
    conform_choice at = {0, 0, 0};
    *count = 0;
    while ((c = conform_next(o, &at)) != NULL) {
        copies[*count] = results[c - cases];
        list[(*count)++] = c;
    }
    /* in any order */
    for (size_t i = *count; i-- > 0;) {
        if (copies[i].status <= CONFORM_KNOWN)
            keep_result(o, list[i], &copies[i]);
    }
    *chosen = list;
    return copies;
}

int main(int argc, char **argv)
{
    fail_as("record");
    return command_record.run(argc, argv);
}
