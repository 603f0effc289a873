/* SPDX-License-Identifier: MIT */
/* run.c -- runs all selected cases, in parts, in the processes of a pool
 *
 * Opening a GPU takes longer than most of its cases. Therefore a process that needs it runs many
 * parts, one after the other; if it ends, another one continues with the next part. This process
 * forks and never opens a GPU.
 */
#include "base/memory.h"
#include "suite/compare.h"
#include "suite/family.h"
#include "suite/pool.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 64, DEVICE_MOST = 16 /* processes that use the GPU at a time */ };

/* A part of a case; or a case that failed, which is to be explained. */
typedef struct job {
    size_t index; /* index of the case among those selected */
    conform_part part;
    int explain;
} job;

typedef struct chosen_case {
    size_t first;         /* its first job; its others follow */
    unsigned jobs, left; /* the number of its jobs, and how many of them are not done */
    int finished;
} chosen_case;

/* Jobs of one kind, in the order in which they are begun. */
enum { ON_DEVICE, ELSEWHERE, USES_GPU, ALONE, LANES };
typedef struct lane {
    long *jobs;
    size_t count, next;
    int running, most; /* processes */
} lane;

typedef struct run {
    const conform_options *o;
    size_t count;
    const conform_case **cases;
    conform_result *results; /* of the cases */
    chosen_case *chosen;
    job *jobs;           /* the parts, in the order of the cases; explanations as they arise */
    conform_result *parts; /* of the jobs that are parts */
    size_t job_count, part_count;
    lane lanes[LANES];
    uint64_t done; /* parts */
} run;

/* ---- what is chosen -------------------------------------------------------------------------- */

/* Cases for which another library opens the GPU run one after the other. */
static int lane_of(const run *r, const job *t)
{
    const conform_case *c = r->cases[t->index];
    if (t->explain)
        return ELSEWHERE;
    if (conform_on_device(c))
        return conform_is_timed(c, t->part) ? ALONE : ON_DEVICE;
    return !c->record && c->family->uses_gpu && c->family->uses_gpu(c) ? USES_GPU : ELSEWHERE;
}

static int is_skipped(const conform_options *o, const conform_case *c)
{
    return o->no_gpu && conform_on_device(c);
}

/* The parts of a case that belong to the shard. *number is that of the case's first part among
 * all parts that can be run. */
static void add_parts(run *r, const conform_case *c, unsigned of, uint64_t *number)
{
    unsigned shards = r->o->shards ? r->o->shards : 1;
    chosen_case *chosen = &r->chosen[r->count];
    chosen->first = r->job_count;
    for (unsigned part = 0; part < of; part++) {
        if (is_skipped(r->o, c) || (*number)++ % shards == r->o->shard)
            r->jobs[r->job_count++] = (job){r->count, {part, of}, 0};
    }
    chosen->jobs = chosen->left = (unsigned)(r->job_count - chosen->first);
    if (chosen->jobs > 0)
        r->cases[r->count++] = c;
}

static void choose(run *r)
{
    conform_choice at = {0, 0, 0};
    size_t jobs = 0, cases = 0;
    uint64_t number = 0;
    const conform_case *c;
    for (; conform_next(r->o, &at); cases++)
        jobs += at.of;
    r->cases = allocate(cases, sizeof r->cases[0]);
    r->chosen = allocate(cases, sizeof r->chosen[0]);
    r->jobs = allocate(jobs + cases, sizeof r->jobs[0]);
    at = (conform_choice){0, 0, 0};
    while ((c = conform_next(r->o, &at)) != NULL)
        add_parts(r, c, at.of, &number);
    r->part_count = r->job_count;
    r->results = allocate(r->count, sizeof r->results[0]);
    r->parts = allocate(r->part_count, sizeof r->parts[0]);
    for (int i = 0; i < LANES; i++)
        r->lanes[i].jobs = allocate(jobs + cases, sizeof r->lanes[i].jobs[0]);
}

/* ---- results --------------------------------------------------------------------------------- */

static void add_to_lane(run *r, size_t i)
{
    lane *l = &r->lanes[lane_of(r, &r->jobs[i])];
    l->jobs[l->count++] = (long)i;
}

static void case_is_done(run *r, size_t index)
{
    r->chosen[index].finished = 1;
    if (r->o->done)
        r->o->done(r->o->context, r->cases[index], &r->results[index]);
}

/* Combines the parts that were run. */
static void put_together(run *r, size_t index)
{
    const conform_result *parts[PARTS_MOST];
    const chosen_case *chosen = &r->chosen[index];
    size_t n = 0;
    for (unsigned i = 0; i < chosen->jobs && n < PARTS_MOST; i++) {
        const conform_result *part = &r->parts[chosen->first + i];
        if (part->parts)
            parts[n++] = part;
    }
    if (n > 0)
        conform_merge(r->cases[index], parts, n, &r->results[index]);
}

/* All parts are done. If there are differences, they are explained next. */
static void judge_case(run *r, size_t index)
{
    put_together(r, index);
    if (r->results[index].status == CONFORM_FAILED && r->results[index].differ > 0 &&
        r->cases[index]->oracle[0].function && r->o->explain) {
        r->jobs[r->job_count] = (job){index, {0, 1}, 1};
        add_to_lane(r, r->job_count++);
    } else {
        case_is_done(r, index);
    }
}

static void take_part(run *r, size_t i, const conform_result *result)
{
    const job *t = &r->jobs[i];
    r->parts[i] = *result;
    r->parts[i].first_part = t->part.index;
    r->parts[i].parts = 1;
    r->parts[i].of = t->part.of;
    r->done++;
    if (--r->chosen[t->index].left == 0)
        judge_case(r, t->index);
}

static void take(void *context, long i, const conform_result *result, const char *text, size_t size,
                 double took)
{
    run *r = context;
    const job *t = &r->jobs[i];
    const conform_case *c = r->cases[t->index];
    if (t->explain) {
        /* without an explanation, for whatever reason, the case still failed */
        if (result->status == CONFORM_FAILED)
            memcpy(r->results[t->index].diagnosis, result->diagnosis, sizeof result->diagnosis);
        case_is_done(r, t->index);
        return;
    }
    take_part(r, (size_t)i, result);
    if (r->o->store)
        r->o->store->keep(r->o->store->context, c, &r->parts[i], size ? text : NULL, size, took);
    if (r->o->progress)
        r->o->progress(r->o->context, c, r->done, r->part_count);
}

/* The run was stopped. A failure that was found counts; otherwise nothing is known of a case unless
 * all its parts were run. */
static void close_case(run *r, size_t index)
{
    conform_result *result = &r->results[index];
    const chosen_case *chosen = &r->chosen[index];
    int failed = 0;
    for (unsigned i = 0; i < chosen->jobs; i++) {
        const conform_result *part = &r->parts[chosen->first + i];
        failed |= part->parts && (part->status == CONFORM_FAILED || part->status >= CONFORM_STALE);
    }
    if (failed) {
        put_together(r, index);
    } else {
        memset(result, 0, sizeof *result);
        result->status = CONFORM_NOT_RUN;
        result->of = r->jobs[chosen->first].part.of;
        snprintf(result->why, sizeof result->why, "stopped before it was run");
    }
    case_is_done(r, index);
}

/* ---- jobs ----------------------------------------------------------------------------------- */

/* A job and its place in the order. */
typedef struct ranked_task {
    size_t rank, job;
} ranked_task;

static int compare_ranks(const void *a, const void *b)
{
    const ranked_task *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

static int same_family(const conform_case *a, const conform_case *b)
{
    size_t n = strcspn(a->name, "/");
    return n == strcspn(b->name, "/") && memcmp(a->name, b->name, n) == 0;
}

/* Finds, for each case, the first one of its family. */
static size_t *family_heads(const run *r)
{
    size_t *head = allocate(r->count, sizeof head[0]);
    for (size_t i = 1; i < r->count; i++) {
        head[i] = head[i - 1];
        if (same_family(r->cases[i], r->cases[head[i]]))
            continue;
        for (head[i] = 0; !same_family(r->cases[i], r->cases[head[i]]);)
            head[i]++;
    }
    return head;
}

/* The first part of each family, then the second of each: a run that is stopped early has seen
 * something of everything. */
static void deal(run *r, ranked_task *list, size_t count)
{
    size_t *head = family_heads(r), *ranks = allocate(r->count, sizeof ranks[0]);
    for (size_t i = 0; i < count; i++)
        list[i].rank = ranks[head[r->jobs[list[i].job].index]]++;
    qsort(list, count, sizeof list[0], compare_ranks);
    for (size_t i = 0; i < count; i++)
        add_to_lane(r, list[i].job);
    free(head);
    free(ranks);
}

/* Takes what is known already, and deals the rest. */
static void begin(run *r)
{
    static conform_result result, skipped = {.status = CONFORM_NOT_RUN};
    ranked_task *list = allocate(r->part_count, sizeof list[0]);
    size_t count = 0;
    for (size_t i = 0; i < r->part_count; i++) {
        const job *t = &r->jobs[i];
        const conform_case *c = r->cases[t->index];
        if (is_skipped(r->o, c)) {
            snprintf(skipped.why, sizeof skipped.why, "%s", r->o->no_gpu);
            take_part(r, i, &skipped);
        } else if (r->o->store && r->o->store->find(r->o->store->context, c, t->part, &result)) {
            take_part(r, i, &result);
        } else {
            list[count++].job = i;
        }
    }
    deal(r, list, count);
    free(list);
}

/* A process may begin with a job of this kind. */
static int may_begin(const run *r, int k)
{
    int running = 0;
    for (int i = 0; i < LANES; i++)
        running += r->lanes[i].running;
    return k == ALONE ? running == 0
                      : r->lanes[k].running < r->lanes[k].most && !r->lanes[ALONE].running;
}

static int next(void *context, long before, long *chosen)
{
    run *r = context;
    int begins = before == POOL_NONE, kind = begins ? LANES : lane_of(r, &r->jobs[before]);
    for (int k = 0; k < LANES; k++) {
        lane *l = &r->lanes[k];
        int goes_on = k == kind && (k == ON_DEVICE || k == ALONE);
        if (l->next == l->count || !(begins ? may_begin(r, k) : goes_on))
            continue;
        *chosen = l->jobs[l->next++];
        l->running += begins;
        return 1;
    }
    return 0;
}

static void ended(void *context, long last)
{
    run *r = context;
    r->lanes[lane_of(r, &r->jobs[last])].running--;
}

/* In a separate process. Its jobs run in a standard floating-point environment, even if the
 * program was linked to flush subnormals. */
static int work(void *context, long i, conform_result *result, char **text)
{
    const run *r = context;
    const job *t = &r->jobs[i];
    const conform_case *c = r->cases[t->index];
    fesetenv(FE_DFL_ENV);
    if (t->explain) {
        *result = r->results[t->index];
        r->o->explain(c, r->o, result);
        return 1;
    }
    conform_run_part(c, r->o, t->part, result, r->o->record ? text : NULL);
    /* an error may have made the device unusable: the next process opens it again */
    return !conform_on_device(c) || result->status != CONFORM_BROKEN;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* The device gets half of the processes, or all if there is nothing else to do. */
static void set_limits(run *r, int processes)
{
    int device = processes > 1 && r->lanes[ELSEWHERE].count > 0 ? (processes + 1) / 2 : processes;
    r->lanes[ON_DEVICE].most = device < DEVICE_MOST ? device : DEVICE_MOST;
    r->lanes[ELSEWHERE].most = processes;
    r->lanes[USES_GPU].most = 1;
}

conform_result *conform_run(const conform_options *o, const conform_case ***chosen, size_t *count)
{
    static const double limits[] = {120, 600, 6000};
    static run r;
    memset(&r, 0, sizeof r);
    r.o = o;
    choose(&r);
    begin(&r);
    pool_user user = {
        next, work, take, ended, &r, o->processes, o->limit > 0 ? o->limit : limits[o->tier]};
    set_limits(&r, pool_processes(&user));
    pool_run(&user);
    for (size_t i = 0; i < r.count; i++) {
        if (!r.chosen[i].finished)
            close_case(&r, i);
    }
    if (o->left)
        *o->left = (size_t)(r.part_count - r.done);
    free(r.chosen);
    free(r.jobs);
    free(r.parts);
    for (int i = 0; i < LANES; i++)
        free(r.lanes[i].jobs);
    *chosen = r.cases;
    *count = r.count;
    return r.results;
}
