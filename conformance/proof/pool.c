/* SPDX-License-Identifier: MIT */
/* pool.c -- the threads that work on the list of rows, and the table of results
 *
 * Threads take slices in the order of the list under one lock. The main thread prints each row when
 * it and all rows before it are done. MPFR has a separate exponent range and flags for each thread
 * if it was built so; otherwise one thread does everything.
 */
#define _POSIX_C_SOURCE 200809L
#include "prove.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };

static row *const *selected;
static size_t n_selected;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t progress;
    size_t next_row;
    unsigned next_slice;
    int tier, stopping, stop_wanted;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, 0, 0};

static unsigned slices_of(const row *r)
{
    return (unsigned)r->formats * r->work.parts;
}

/* ---- threads --------------------------------------------------------------------------------- */

static unsigned long long thread_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
}

/* The next slice of the list; NULL at its end. */
static row *take_slice(unsigned *slice)
{
    row *r = NULL;
    pthread_mutex_lock(&pool.lock);
    if (!pool.stopping && pool.next_row < n_selected) {
        r = selected[pool.next_row];
        *slice = pool.next_slice++;
        if (pool.next_slice == slices_of(r)) {
            pool.next_row++;
            pool.next_slice = 0;
        }
    }
    pthread_mutex_unlock(&pool.lock);
    return r;
}

static void run_slice(row *r, unsigned slice)
{
    unsigned long long start = thread_time();
    worker w;
    memset(&w, 0, sizeof w);
    w.row = r;
    w.tier = pool.tier;
    w.part = slice % r->work.parts;
    w.f = &ref_formats[(unsigned)r->first + slice / r->work.parts];
    w.sf = library_format(w.f);
    fill_policy(w.policy, r->work.tiny_before);
    ref_open(&w.ref, w.f);
    w.ref.tiny_before = r->work.tiny_before;
    r->work.run(&w);
    ref_close(&w.ref);
    atomic_fetch_add(&r->cases, w.cases);
    atomic_fetch_add(&r->mismatches, w.mismatches);
    atomic_fetch_add(&r->nanoseconds, thread_time() - start);

    pthread_mutex_lock(&pool.lock);
    atomic_fetch_add(&r->slices_done, 1);
    if (w.mismatches && pool.stop_wanted)
        pool.stopping = 1;
    pthread_cond_signal(&pool.progress);
    pthread_mutex_unlock(&pool.lock);
}

static void *thread_main(void *unused)
{
    unsigned slice;
    row *r;
    (void)unused;
    ref_start_thread();
    while ((r = take_slice(&slice)) != NULL)
        run_slice(r, slice);
    mpfr_free_cache();
    return NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* n with commas. */
static const char *grouped(unsigned long long n, char text[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", n), k = 0;
    for (int i = 0; i < length; i++) {
        text[k++] = digits[i];
        if ((length - 1 - i) % 3 == 0 && i < length - 1)
            text[k++] = ',';
    }
    text[k] = '\0';
    return text;
}

static void print_row(const row *r)
{
    char cases[32];
    const char *slash = strchr(r->name, '/');
    printf("%-16.*s %-15s %-8s %18s %11llu %9.2f\n", (int)(slash - r->name), r->name, slash + 1,
           r->work.modes, grouped(atomic_load(&r->cases), cases), atomic_load(&r->mismatches),
           (double)atomic_load(&r->nanoseconds) * 1e-9);
    if (r->report)
        fputs(r->report, stdout);
    fflush(stdout);
}

static int row_done(const row *r)
{
    return atomic_load(&r->slices_done) == slices_of(r);
}

/* Prints rows as they are done, until the list is done or a signal to stop arrives. */
static void print_table(size_t *printed)
{
    int terminal = isatty(2);
    pthread_mutex_lock(&pool.lock);
    while (*printed < n_selected) {
        row *r = selected[*printed];
        if (row_done(r)) {
            pthread_mutex_unlock(&pool.lock);
            print_row(r);
            ++*printed;
            pthread_mutex_lock(&pool.lock);
            continue;
        }
        if (pool.stopping)
            break;
        if (terminal)
            fprintf(stderr, "%zu/%zu %-40s %3u%%\r", *printed, n_selected, r->name,
                    100 * atomic_load(&r->slices_done) / slices_of(r));
        pthread_cond_wait(&pool.progress, &pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
}

/* After a stop: the rows that were begun, with their results so far. */
static void print_begun(size_t printed)
{
    for (size_t i = printed; i < n_selected; i++)
        if (atomic_load(&selected[i]->slices_done) > 0)
            print_row(selected[i]);
}

static bool print_total(void)
{
    unsigned long long cases = 0, mismatches = 0;
    size_t passed = 0, failed = 0;
    char text[2][32];
    for (size_t i = 0; i < n_selected; i++) {
        cases += atomic_load(&selected[i]->cases);
        mismatches += atomic_load(&selected[i]->mismatches);
        if (atomic_load(&selected[i]->mismatches))
            failed++;
        else if (row_done(selected[i]) && atomic_load(&selected[i]->cases))
            passed++;
    }
    if (passed + failed < n_selected)
        printf("%zu rows were not finished\n", n_selected - passed - failed);
    printf("total: %zu rows, %s cases, %s mismatches\n", passed + failed, grouped(cases, text[0]),
           grouped(mismatches, text[1]));
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed == 0 && passed == n_selected;
}

bool run_rows(const options *o)
{
    pthread_t threads[MAX_THREADS];
    int jobs = o->jobs > MAX_THREADS ? MAX_THREADS : o->jobs;
    size_t printed = 0;
    selected = select_rows(o, &n_selected);
    pool.tier = o->tier;
    pool.stop_wanted = o->stop;
    if (!mpfr_buildopt_tls_p())
        jobs = 1;
    printf("%-16s %-15s %-8s %18s %11s %9s\n", "operation", "format", "modes", "cases",
           "mismatches", "seconds");
    for (int i = 0; i < jobs; i++)
        if (pthread_create(&threads[i], NULL, thread_main, NULL) != 0)
            abort();
    print_table(&printed);
    for (int i = 0; i < jobs; i++)
        pthread_join(threads[i], NULL);
    print_begun(printed);
    return print_total();
}
