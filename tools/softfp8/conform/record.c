/* SPDX-License-Identifier: MIT */
/* record.c -- softfp8 record: what the GPU returns, written down to be replayed without it */
#include "cli/options.h"
#include "conform/selection.h"
#include "files/io.h"

#include "../gpu/device.h"
#include "record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef struct record_request {
    conform_options o;
    const char *folder;
} record_request;

/* What the cases left, in the order in which they were done. */
typedef struct left_text {
    const conform_case *c;
    char *text;
    size_t size;
} left_text;

typedef struct left_texts {
    left_text *list;
    size_t count, room;
} left_texts;

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
    {"--out", "DIR", "the folder for the record; it is created if it does not exist",
     PATH(record_request, folder)},
    GROUP(record_request, o, conform_selection),
    {.kind = OPTION_END},
};

static record_request request_of(int argc, char **argv)
{
    record_request q;
    memset(&q, 0, sizeof q);
    q.o.tier = TIER_FULL;
    q.o.shards = 1;
    q.o.device_only = 1;
    options_read(&command_record, argc, argv, &q);
    return q;
}

static void check_request(const record_request *q)
{
    struct stat status;
    conform_choice at = {0, 0, 0, 0, 0};
    if (!q->folder)
        fail("--out DIR is missing: the folder for the record");
    if (stat(q->folder, &status) == 0 && !S_ISDIR(status.st_mode))
        fail("cannot write into %s: it is not a folder", q->folder);
    if (q->o.only && !conform_next(&q->o, &at)) {
        const char *near = nearest_name(q->o.only, device_name_at);
        if (near)
            fail("no GPU case '%s'; did you mean '%s'?", q->o.only, near);
        fail("no GPU case '%s'; 'softfp8 conform --list' lists them", q->o.only);
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

static void keep(void *context, const conform_case *c, const char *text, size_t size)
{
    left_texts *left = context;
    if (left->count == left->room) {
        left->room = 2 * left->room + 64;
        left->list = reallocate(left->list, left->room, sizeof left->list[0]);
    }
    left_text *t = &left->list[left->count++];
    t->c = c;
    t->text = allocate(size, 1);
    t->size = size;
    memcpy(t->text, text, size);
}

static const left_text *text_of(const left_texts *left, const conform_case *c)
{
    for (size_t i = 0; i < left->count; i++) {
        if (left->list[i].c == c)
            return &left->list[i];
    }
    return NULL;
}

static void watch(void *context, const conform_case *c, uint64_t parts, uint64_t of)
{
    (void)context;
    progress(c->name, parts, of);
}

/* ---- what is said ---------------------------------------------------------------------------- */

typedef struct tally {
    size_t written, wrong, broken, not_run;
    double seconds;
    const char *why; /* the first of those not run was not */
} tally;

/* A case that is in the record: what it took, and whether it was right. */
static void show_written(output *out, tally *t, const conform_case *c, const conform_result *r)
{
    static const char *const verdict[] = {"right", "WRONG", "known"};
    t->written++;
    t->wrong += r->status == CONFORM_FAILED;
    t->seconds += r->seconds;
    output_print(out, "%10.6f  %10llu  %10llu  %s  %s\n", r->seconds, (unsigned long long)r->inputs,
                 (unsigned long long)r->differ,
                 verdict[r->status <= CONFORM_KNOWN ? r->status : CONFORM_FAILED], c->name);
}

static void show_left_out(tally *t, const conform_case *c, const conform_result *r)
{
    if (r->status == CONFORM_NOT_RUN) {
        t->why = t->not_run++ ? t->why : r->why;
        return;
    }
    t->broken++;
    note("left out: %s: %s", c->name, r->why[0] ? r->why : "the GPU run wrote no result");
}

static void show_end(output *out, const tally *t, const char *folder)
{
    output_print(out, "%zu cases in %s, %.3f s of the GPU, %zu wrong", t->written, folder,
                 t->seconds, t->wrong);
    if (t->broken)
        output_print(out, ", %zu broken and left out", t->broken);
    if (t->not_run)
        output_print(out, ", %zu skipped (%s)", t->not_run, t->why);
    output_print(out, "\n");
}

/* ---- the command ----------------------------------------------------------------------------- */

static record_writer *begin(const gpu_device *device)
{
    char date[32];
    time_t now = time(NULL);
    struct tm broken;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &broken));
    const char *toolkit = gpu_toolkit();
    record_head head = {*device, toolkit ? toolkit : "unknown", date, sf8_version()};
    record_writer *w = record_begin(&head);
    if (!w)
        fail("not enough memory for the record");
    return w;
}

static int run(int argc, char **argv)
{
    record_request q = request_of(argc, argv);
    left_texts left = {NULL, 0, 0};
    gpu_device device;
    char why[CONFORM_LONG];
    tally t = {0, 0, 0, 0, 0, ""};
    check_request(&q);
    const char *missing = conform_gpu(&device);
    if (missing) {
        note("%s", missing);
        return STATUS_NOT_RUN;
    }
    q.o.record = keep;
    q.o.progress = watch;
    q.o.context = &left;
    const conform_case **cases;
    size_t count;
    conform_result *results = conform_run(&q.o, &cases, &count);
    progress_end();
    output *out = output_open(NULL);
    record_writer *w = begin(&device);
    output_print(out, "   seconds      inputs      differ         case\n");
    for (size_t i = 0; i < count; i++) {
        const left_text *text = text_of(&left, cases[i]);
        if (text && record_add(w, text->text, text->size))
            show_written(out, &t, cases[i], &results[i]);
        else
            show_left_out(&t, cases[i], &results[i]);
    }
    if (t.written > 0 && !record_write(w, q.folder, why))
        fail("%s", why);
    if (t.written > 0)
        show_end(out, &t, q.folder);
    else
        note("nothing was recorded%s%s", t.not_run ? ": " : "", t.why);
    output_close(out);
    record_free(w);
    for (size_t i = 0; i < left.count; i++)
        free(left.list[i].text);
    free(left.list);
    free(results);
    free(cases);
    if (t.wrong || t.broken)
        return STATUS_MISMATCH;
    return t.written == 0 || (q.o.only && t.not_run) ? STATUS_NOT_RUN : STATUS_HELD;
}

const command command_record = {
    .name = "record",
    .purpose = "Records what a GPU returns; conform can replay it anywhere.",
    .example = "  $ softfp8 record --out conformance/records/h200\n",
    .usage = "record --out DIR [options]",
    .about = "Runs the GPU cases, on every input of 32 bits or fewer, and writes the results into "
             "DIR: cases.txt, tables.txt and seconds.txt. With --only the record contains only "
             "these cases. A wrong result does not stop the "
             "recording; conform reports it when it replays the record. A broken case is left out "
             "and named. The files in DIR are "
             "replaced only when all new ones are on disk. Standard output has one row per case, "
             "with the seconds that the GPU took.",
    .more = "Exit status: 0 written, and all results are right; 1 a mismatch or a broken case; 3 "
            "no GPU, or with --only: something was skipped.",
    .options = options,
    .operands = "--out names the folder",
    .run = run,
};
