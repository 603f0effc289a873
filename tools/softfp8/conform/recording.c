/* SPDX-License-Identifier: MIT */
/* recording.c -- the record that the jobs of a run give, and what is said of it */
#include "conform/recording.h"

#include "record/record.h"
#include "runs/result.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A case that is in the record: what it took, and whether it was right. */
static void show_written(output *out, recording *t, const conform_case *c, const conform_result *r)
{
    static const char *const verdict[] = {"right", "WRONG", "known"};
    t->written++;
    t->wrong += r->status == CONFORM_FAILED;
    t->seconds += r->seconds;
    if (!out)
        return;
    output_print(out, "%10.6f  %10llu  %10llu  %s  %s\n", r->seconds, (unsigned long long)r->inputs,
                 (unsigned long long)r->differ,
                 r->status <= CONFORM_KNOWN ? verdict[r->status] : "WRONG", c->name);
}

/* `refused`: it has run, and the record cannot take what it left. */
static void show_left_out(recording *t, const conform_case *c, const conform_result *r, int refused)
{
    if (!refused && r->status == CONFORM_NOT_RUN) {
        t->why = t->not_run++ ? t->why : r->why;
        return;
    }
    t->broken++;
    note("left out: %s: %s", c->name,
         refused     ? "a record cannot state what its run wrote"
         : r->why[0] ? r->why
                     : "the GPU run wrote no result");
}

static void show_end(output *out, const recording *t, const char *folder)
{
    if (!out)
        return;
    output_print(out, "%zu cases in %s, %.3f s of the GPU, %zu wrong", t->written, folder,
                 t->seconds, t->wrong);
    if (t->broken)
        output_print(out, ", %zu broken and left out", t->broken);
    if (t->not_run)
        output_print(out, ", %zu skipped (%s)", t->not_run, t->why);
    output_print(out, "\n");
}

static record_writer *begin(const run_machine *m)
{
    char date[32];
    time_t now = time(NULL);
    struct tm broken;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &broken));
    record_head head = {m->gpu, m->toolkit ? m->toolkit : "unknown", date, sf8_version()};
    return record_begin(&head);
}

static const kept_job *job_of(const run_store *s, const conform_case *c, unsigned part)
{
    size_t index = plan_index(s->plan, c->name, part);
    if (index == (size_t)-1)
        return NULL;
    return s->whole ? s->whole[index] : jobs_at(s->folder, index);
}

/* Adds what a case left, with its speeds if they are known. Returns 1 and its result; 0 if it left
 * nothing; below 0 if the record refuses that. */
static int add_case(record_writer *w, const run_store *s, const conform_case *c, conform_result *r)
{
    const kept_job *job = job_of(s, c, 0), *timed = job_of(s, c, 1);
    size_t size;
    char *text = job && !result_read(job, r) ? result_text(job, &size) : NULL;
    char *speeds = timed ? result_text(timed, &size) : NULL;
    char *joined = text ? record_join(text, speeds) : NULL;
    int added = !joined ? 0 : record_add(w, joined, strlen(joined)) ? 1 : -1;
    free(text);
    free(speeds);
    free(joined);
    return added;
}

recording recording_write(const char *folder, const run_machine *m, const run_store *s,
                          const conform_case *const *cases, const conform_result *results,
                          size_t count, output *out)
{
    static conform_result r;
    recording t = {0, 0, 0, 0, 0, ""};
    char why[CONFORM_LONG];
    record_writer *w = begin(m);
    if (out)
        output_print(out, "   seconds      inputs      differ         case\n");
    for (size_t i = 0; i < count; i++) {
        const conform_result *whole = &results[i];
        const int added = add_case(w, s, cases[i], &r);
        if (added <= 0) {
            show_left_out(&t, cases[i], whole, added < 0);
            continue;
        }
        show_written(out, &t, cases[i], whole->status <= CONFORM_KNOWN ? whole : &r);
        if (whole->status == CONFORM_BROKEN) {
            t.broken++;
            note("left out: the speed of %s: %s", cases[i]->name, whole->why);
        }
    }
    if (t.written > 0 && !record_write(w, folder, why))
        fail("%s", why);
    if (t.written > 0)
        show_end(out, &t, folder);
    else
        note("nothing was recorded%s%s", t.not_run ? ": " : "", t.why);
    record_free(w);
    return t;
}
