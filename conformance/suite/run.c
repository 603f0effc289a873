/* SPDX-License-Identifier: MIT */
/* run.c -- runs all selected cases, in parts, in the processes of a pool
 *
 * Opening a GPU takes longer than most of its cases. Therefore one process runs all parts that need
 * it, one after the other; if it ends, another one continues with the next part. This process forks
 * and never opens a GPU.
 */
#include "search/failing/failing.h"
#include "search/engine.h"
#include "suite/compare.h"
#include "suite/family.h"
#include "suite/pool.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 64 };

/* A part of a case; or a case that failed, which is to be explained. */
typedef struct task {
    size_t index; /* index of the case among those selected */
    conform_part part;
    int explain;
} task;

typedef struct chosen_case {
    size_t first;         /* its first task; its others follow */
    unsigned tasks, left; /* the number of its tasks, and how many of them are not done */
} chosen_case;

typedef struct run {
    const conform_options *o;
    size_t count;
    const conform_case **cases;
    conform_result *results; /* of the cases */
    chosen_case *chosen;
    task *tasks;           /* for the device, for the rest, and explanations as they arise */
    conform_result *parts; /* the number of tasks that are parts */
    size_t task_count, part_count;
    size_t device_next, device_end; /* the remaining tasks of the device */
    int device_busy;
    size_t next;   /* the others */
    uint64_t done; /* parts */
} run;

/* ---- what is chosen -------------------------------------------------------------------------- */

enum { ON_DEVICE, USES_GPU, ELSEWHERE };

/* Cases that need the GPU, whether the suite or another library opens it, run one after the
 * other. */
static int group_of(const conform_case *c)
{
    if (conform_on_device(c))
        return ON_DEVICE;
    return !c->record && c->family->uses_gpu && c->family->uses_gpu(c) ? USES_GPU : ELSEWHERE;
}

static void add_tasks(run *r, int group)
{
    conform_choice at = {0, 0, 0, 0, 0};
    for (size_t i = 0; i < r->count; i++) {
        const conform_case *c = conform_next(r->o, &at);
        if (group_of(c) != group)
            continue;
        r->chosen[i].first = r->task_count;
        r->chosen[i].tasks = r->chosen[i].left = at.end - at.first;
        for (unsigned part = at.first; part < at.end; part++)
            r->tasks[r->task_count++] = (task){i, {part, at.of}, 0};
    }
}

static void choose(run *r)
{
    conform_choice at = {0, 0, 0, 0, 0};
    size_t tasks = 0;
    for (; conform_next(r->o, &at); r->count++)
        tasks += at.end - at.first;
    r->cases = allocate(r->count, sizeof r->cases[0]);
    r->results = allocate(r->count, sizeof r->results[0]);
    r->chosen = allocate(r->count, sizeof r->chosen[0]);
    r->tasks = allocate(tasks + r->count, sizeof r->tasks[0]);
    r->parts = allocate(tasks, sizeof r->parts[0]);
    at = (conform_choice){0, 0, 0, 0, 0};
    for (size_t i = 0; i < r->count; i++) {
        r->cases[i] = conform_next(r->o, &at);
        /* until it is known: a case without a result has not passed */
        r->results[i].status = CONFORM_BROKEN;
        snprintf(r->results[i].why, sizeof r->results[i].why, "no result came");
    }
    add_tasks(r, ON_DEVICE);
    r->device_end = r->task_count;
    add_tasks(r, USES_GPU);
    r->next = r->task_count;
    add_tasks(r, ELSEWHERE);
    r->part_count = r->task_count;
}

/* ---- results --------------------------------------------------------------------------------- */

static void case_is_done(const run *r, size_t index)
{
    if (r->o->done)
        r->o->done(r->o->context, r->cases[index], &r->results[index]);
}

/* All parts are done. If there are differences, they are explained next. */
static void put_together(run *r, size_t index)
{
    const conform_result *parts[PARTS_MOST];
    const chosen_case *chosen = &r->chosen[index];
    size_t n = 0;
    for (; n < chosen->tasks && n < PARTS_MOST; n++)
        parts[n] = &r->parts[chosen->first + n];
    conform_merge(r->cases[index], parts, n, &r->results[index]);
    if (r->results[index].status == CONFORM_FAILED && r->results[index].differ > 0 &&
        r->cases[index]->oracle[0].function)
        r->tasks[r->task_count++] = (task){index, {0, 1}, 1};
    else
        case_is_done(r, index);
}

static void take(void *context, size_t i, const conform_result *result, const char *text,
                 size_t size)
{
    run *r = context;
    const task *t = &r->tasks[i];
    if (t->explain) {
        /* without an explanation, for whatever reason, the case still failed */
        if (result->status == CONFORM_FAILED)
            memcpy(r->results[t->index].diagnosis, result->diagnosis, sizeof result->diagnosis);
        case_is_done(r, t->index);
        return;
    }
    r->parts[i] = *result;
    r->parts[i].first_part = t->part.index;
    r->parts[i].parts = 1;
    r->parts[i].of = t->part.of;
    if (size > 0 && r->o->record)
        r->o->record(r->o->context, r->cases[t->index], text, size);
    if (r->o->progress)
        r->o->progress(r->o->context, r->cases[t->index], ++r->done, r->part_count);
    if (--r->chosen[t->index].left == 0)
        put_together(r, t->index);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static int next(void *context, size_t *first, size_t *end)
{
    run *r = context;
    if (r->device_next < r->device_end && !r->device_busy) {
        r->device_busy = 1;
        *first = r->device_next;
        *end = r->device_end;
        return 1;
    }
    if (r->next == r->task_count)
        return 0;
    *first = r->next++;
    *end = *first + 1;
    return 1;
}

static void ended(void *context, size_t left, size_t end)
{
    run *r = context;
    if (end <= r->device_end) {
        r->device_busy = 0;
        r->device_next = left;
    }
}

/* In a separate process. Its tasks run in a standard floating-point environment, even if the
 * program was linked to flush subnormals. */
static int work(void *context, size_t i, conform_result *result, char **text)
{
    const run *r = context;
    const task *t = &r->tasks[i];
    const conform_case *c = r->cases[t->index];
    fesetenv(FE_DFL_ENV);
    if (t->explain) {
        *result = r->results[t->index];
        explain_failure(c, r->o, result);
        return 1;
    }
    conform_run_part(c, r->o, t->part, result, r->o->record ? text : NULL);
    /* an error may have made the device unusable: the next process opens it again */
    return !conform_on_device(c) || result->status != CONFORM_BROKEN;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void skip_device(run *r, const char *missing)
{
    static conform_result result;
    result.status = CONFORM_NOT_RUN;
    snprintf(result.why, sizeof result.why, "%s", missing);
    while (r->device_next < r->device_end)
        take(r, r->device_next++, &result, NULL, 0);
}

conform_result *conform_run(const conform_options *o, const conform_case ***chosen, size_t *count)
{
    static const double limits[] = {120, 600, 6000};
    static run r;
    gpu_device device;
    memset(&r, 0, sizeof r);
    r.o = o;
    choose(&r);
    const char *missing = r.device_end > 0 ? conform_gpu(&device) : NULL;
    if (missing) /* libraries find that out themselves, and report it in their own words */
        skip_device(&r, missing);
    r.device_end = r.next;
    pool_user user = {
        next, work, take, ended, &r, o->jobs, o->limit > 0 ? o->limit : limits[o->tier]};
    pool_run(&user);
    free(r.chosen);
    free(r.tasks);
    free(r.parts);
    *chosen = r.cases;
    *count = r.count;
    return r.results;
}
