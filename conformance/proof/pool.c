/* SPDX-License-Identifier: MIT */
/* pool.c -- the threads that work on the jobs of the list of rows
 *
 * Threads take jobs in the order of the list under one lock. The main thread prints each row when
 * it and all rows before it are done. MPFR has a separate exponent range and flags for each thread
 * if it was built so; otherwise one thread does everything.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/memory.h"
#include "base/stop.h"
#include "prove.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };

/* A job: the part of a row. It is that of the plan with the same index. */
typedef struct job {
    const row *row;
    const char *name; /* in the plan */
    unsigned part, of;
    enum { OF_ANOTHER_SHARD, TO_DO, DONE } state;
    outcome found;
} job;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t progress;
    const options *o;
    job_plan *plan;
    job_folder *folder; /* NULL: nothing is kept */
    job *jobs;
    size_t count, next, ours, left; /* jobs: all, those of this shard, of these to be done */
    int running;                    /* threads */
    int stopping;
    char why[JOBS_WHY]; /* a job could not be kept; else empty */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .progress = PTHREAD_COND_INITIALIZER};

/* ---- threads --------------------------------------------------------------------------------- */

static double thread_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void run_slice(const row *r, unsigned slice, outcome *found)
{
    worker w;
    memset(&w, 0, sizeof w);
    w.row = r;
    w.tier = pool.o->tier;
    w.part = slice % r->work.parts;
    w.f = &ref_formats[(unsigned)r->first + slice / r->work.parts];
    w.sf = library_format(w.f);
    fill_policy(w.policy, r->work.tiny_before);
    ref_open(&w.ref, w.f);
    w.ref.tiny_before = r->work.tiny_before;
    r->work.run(&w);
    ref_close(&w.ref);
    outcome_add(found, &w.found);
    free(w.found.report);
}

static outcome run_job(const job *p)
{
    outcome found = {0, 0, 0, NULL};
    double start = thread_time();
    uint64_t slices = (uint64_t)p->row->formats * p->row->work.parts;
    unsigned end = (unsigned)(slices * (p->part + 1) / p->of);
    for (unsigned slice = (unsigned)(slices * p->part / p->of); slice < end; slice++)
        run_slice(p->row, slice, &found);
    found.seconds = thread_time() - start;
    return found;
}

/* Keeps a job, one thread at a time; why not, if that fails. */
static bool keep(const job *p, const outcome *found, char why[JOBS_WHY])
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    char *body = outcome_text(found, p->row->work.modes);
    kept_job kept = {.name = p->name,
                     .part = p->part,
                     .seconds = found->seconds,
                     .about = "compiler " __VERSION__ "\n",
                     .body = body,
                     .size = strlen(body)};
    pthread_mutex_lock(&one);
    bool good = jobs_keep(pool.folder, &kept, why);
    pthread_mutex_unlock(&one);
    free(body);
    return good;
}

/* The next job that is to be done; NULL if none is to be begun. */
static job *take_job(void)
{
    while (pool.next < pool.count && pool.jobs[pool.next].state != TO_DO)
        pool.next++;
    return pool.stopping || stop_asked() || pool.next == pool.count ? NULL
                                                                    : &pool.jobs[pool.next++];
}

static void *thread_main(void *unused)
{
    job *p;
    (void)unused;
    ref_start_thread();
    pthread_mutex_lock(&pool.lock);
    while ((p = take_job()) != NULL) {
        pthread_mutex_unlock(&pool.lock);
        char why[JOBS_WHY];
        outcome found = run_job(p);
        bool kept = !pool.folder || keep(p, &found, why);
        pthread_mutex_lock(&pool.lock);
        p->found = found;
        p->state = DONE;
        pool.left--;
        if (!kept)
            memcpy(pool.why, why, sizeof why);
        if (!kept || (found.mismatches && pool.o->stop))
            pool.stopping = 1;
        pthread_cond_signal(&pool.progress);
    }
    pool.running--;
    pthread_cond_signal(&pool.progress);
    pthread_mutex_unlock(&pool.lock);
    mpfr_free_cache();
    return NULL;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* A job that is kept already is done, unless it failed and is to be done again. */
static void find_kept(size_t index)
{
    job *p = &pool.jobs[index];
    const kept_job *kept = pool.folder ? jobs_at(pool.folder, index) : NULL;
    char modes[MODES_SIZE];
    if (!kept)
        return;
    read_job(kept, &p->found, modes);
    p->state = DONE;
    if (p->found.mismatches && pool.o->redo) {
        if (!jobs_drop(pool.folder, index, pool.why))
            give_up(pool.why);
        free(p->found.report);
        memset(&p->found, 0, sizeof p->found);
        p->state = TO_DO;
    }
}

static void list_jobs(row *const *rows)
{
    const char *name;
    unsigned of;
    pool.count = plan_jobs(pool.plan);
    pool.jobs = allocate(pool.count, sizeof *pool.jobs);
    job *p = pool.jobs;
    for (size_t i = 0; (name = plan_name(pool.plan, i, &of)) != NULL; i++)
        for (unsigned part = 0; part < of; part++, p++)
            *p = (job){.row = rows[i], .name = name, .part = part, .of = of};
    for (size_t i = 0; i < pool.count; i++) {
        if (i % pool.o->shards != pool.o->shard)
            continue;
        pool.jobs[i].state = TO_DO;
        find_kept(i);
        pool.ours++;
        pool.left += pool.jobs[i].state == TO_DO;
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

/* The jobs of a row that this run is still to do; the first one of the row is given. */
static unsigned left_of(const job *p)
{
    unsigned left = 0;
    for (unsigned i = 0; i < p->of; i++)
        left += p[i].state == TO_DO;
    return left;
}

/* The row with what is done of it; a row of which this shard has no job is left out. A row has
 * cases, but not in each of its jobs. */
static void print_jobs(const job *p, totals *all)
{
    outcome sum = {0, 0, 0, NULL};
    unsigned done = 0, left = left_of(p);
    for (unsigned i = 0; i < p->of; i++) {
        done += p[i].state == DONE;
        outcome_add(&sum, &p[i].found);
    }
    if (done)
        print_row(p->row->name, p->row->work.modes, &sum);
    if (done + left)
        add_total(all, &sum, left == 0 && (sum.cases || done < p->of));
    free(sum.report);
}

static void show_progress(const job *p)
{
    static int told;
    if (stop_asked() && !told++)
        fprintf(stderr, "softfp8-compare-mpfr: stopping; the jobs that are running are finished\n");
    else if (isatty(2))
        fprintf(stderr, "%zu/%zu %-40s\r", (size_t)(p - pool.jobs), pool.count, p->row->name);
}

static void wait_a_second(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_cond_timedwait(&pool.progress, &pool.lock, &until);
}

/* Prints rows as they are done, then those that were begun when no thread goes on, or when the time
 * for them is over. The lock stays with the caller: what still runs then changes nothing more. */
static void print_table(totals *all)
{
    const job *p = pool.jobs, *end = p + pool.count;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        for (; p < end && left_of(p) == 0; p += p->of)
            print_jobs(p, all);
        if (p == end || !pool.running || stop_left() <= 0)
            break;
        show_progress(p);
        wait_a_second();
    }
    for (; p < end; p += p->of)
        print_jobs(p, all);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void print_digest(void)
{
    const kept_job **whole;
    char digest[65];
    if (pool.folder && pool.o->shards == 1 && jobs_join(&pool.folder, 1, &whole, pool.why)) {
        jobs_digest(pool.plan, whole, digest);
        printf("digest: %s\n", digest);
        free(whole);
    }
}

/* Says what is left of a run that was stopped, and how to go on. */
static void say_stopped(void)
{
    fflush(stdout);
    fprintf(stderr, "softfp8-compare-mpfr: stopped by %s; %zu of %zu jobs are left", stop_reason(),
            pool.left, pool.ours);
    fprintf(stderr, pool.folder ? "; the same command goes on with them\n"
                                : ", and nothing is kept without --keep DIR\n");
}

static int start_threads(pthread_t threads[MAX_THREADS])
{
    int count = mpfr_buildopt_tls_p() ? pool.o->threads : 1;
    pool.running = count;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, thread_main, NULL) != 0)
            abort();
    return count;
}

int run_rows(const options *o)
{
    pthread_t threads[MAX_THREADS];
    totals all = {0, 0, 0, 0, 0};
    size_t count;
    row *const *rows = select_rows(o, &count);
    pool.o = o;
    pool.plan = plan_of(o, rows, count);
    if (o->out && !(pool.folder = jobs_open(o->out, pool.plan, pool.why)))
        give_up(pool.why);
    list_jobs(rows);
    stop_watch(o->budget);
    print_head();
    int started = start_threads(threads);
    print_table(&all);
    print_totals(&all);
    int stopped = pool.left && stop_reason();
    if (pool.why[0])
        give_up(pool.why);
    if (!pool.left)
        print_digest();
    else if (stopped)
        say_stopped();
    int status = all.failed ? 1 : stopped ? 3 : all.passed == all.rows ? 0 : 1;
    fflush(stdout);
    if (pool.running)
        _exit(status);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return status;
}
