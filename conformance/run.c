/* SPDX-License-Identifier: MIT */
/* run.c -- all cases that are chosen, each in a process of its own, several at a time
 *
 * A child runs one case and writes its result to a pipe. What it does to itself, a crash, a hang,
 * an exit of its own, is the result of that case alone.
 */
#include "conform.h"

#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MOST = 64 };

typedef struct child {
    pid_t pid; /* 0: free */
    int fd;
    size_t index; /* of the case */
    size_t got;   /* bytes of the result */
    double deadline;
    double began;
} child;

typedef struct pool {
    const conform_options *o;
    const conform_case **cases;
    conform_result *results;
    size_t count, started;
    int jobs, running;
    child children[JOBS_MOST];
} pool;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double limit_of(const conform_options *o)
{
    static const double limits[] = {120, 1200, 12000};
    return o->limit > 0 ? o->limit : limits[o->tier];
}

/* ---- one child ------------------------------------------------------------------------------- */

static _Noreturn void be_child(const pool *p, size_t index, int fd)
{
    static conform_result result;
    conform_run_case(p->cases[index], p->o, &result);
    const char *at = (const char *)&result;
    for (size_t done = 0; done < sizeof result;) {
        ssize_t n = write(fd, at + done, sizeof result - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            _exit(1);
        done += (size_t)n;
    }
    _exit(0);
}

static void say_broken(conform_result *r, const char *why, int number)
{
    memset(r, 0, sizeof *r);
    r->status = CONFORM_BROKEN;
    snprintf(r->why, sizeof r->why, why, number);
}

static void start(pool *p)
{
    size_t index = p->started++;
    int ends[2];
    child *c = p->children;
    while (c->pid)
        c++;
    if (pipe(ends) != 0) {
        say_broken(&p->results[index], "no pipe: error %d", errno);
        return;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        be_child(p, index, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        say_broken(&p->results[index], "no process: error %d", errno);
        return;
    }
    double now = seconds();
    *c = (child){pid, ends[0], index, 0, now + limit_of(p->o), now};
    p->running++;
}

/* The child has ended, or has been ended for its time is over. */
static void finish(pool *p, child *c, int late)
{
    int status = 0;
    conform_result *r = &p->results[c->index];
    if (late)
        kill(c->pid, SIGKILL);
    close(c->fd);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (late)
        say_broken(r, "no answer within %d seconds", (int)limit_of(p->o));
    else if (WIFSIGNALED(status))
        say_broken(r, "ended by signal %d", WTERMSIG(status));
    else if (c->got != sizeof *r)
        say_broken(r, "ended without a result, status %d", WEXITSTATUS(status));
    if (r->status == CONFORM_BROKEN && r->seconds == 0)
        r->seconds = seconds() - c->began;
    if (p->o->done)
        p->o->done(p->o->context, p->cases[c->index], r);
    c->pid = 0;
    p->running--;
}

static void take(pool *p, child *c)
{
    conform_result *r = &p->results[c->index];
    char *at = (char *)r + c->got, beyond;
    size_t room = sizeof *r - c->got;
    ssize_t n = room ? read(c->fd, at, room) : read(c->fd, &beyond, 1);
    if (n > 0 && room)
        c->got += (size_t)n;
    else if (n == 0 || (n < 0 && errno != EINTR))
        finish(p, c, 0);
}

static void wait_some(pool *p)
{
    struct pollfd fds[JOBS_MOST];
    child *of[JOBS_MOST];
    nfds_t n = 0;
    double now = seconds(), next = now + 3600;
    for (int i = 0; i < p->jobs; i++) {
        child *c = &p->children[i];
        if (!c->pid)
            continue;
        if (c->deadline <= now) {
            finish(p, c, 1);
            continue;
        }
        next = c->deadline < next ? c->deadline : next;
        of[n] = c;
        fds[n++] = (struct pollfd){c->fd, POLLIN, 0};
    }
    if (n == 0 || poll(fds, n, (int)((next - now) * 1000) + 1) <= 0)
        return;
    for (nfds_t i = 0; i < n; i++) {
        if (fds[i].revents)
            take(p, of[i]);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static int is_chosen(const conform_options *o, const conform_case *c)
{
    return !o->only || fnmatch(o->only, c->name, 0) == 0;
}

static void *memory(size_t count, size_t size)
{
    void *m = calloc(count ? count : 1, size);
    if (!m) {
        fputs("no memory for the results\n", stderr);
        exit(2);
    }
    return m;
}

conform_result *conform_run(const conform_options *o, const conform_case ***chosen, size_t *count)
{
    static pool p;
    memset(&p, 0, sizeof p);
    size_t all = 0, seen = 0;
    while (conform_case_at(all))
        all++;
    p.o = o;
    p.cases = memory(all, sizeof p.cases[0]);
    for (size_t i = 0; i < all; i++) {
        const conform_case *c = conform_case_at(i);
        if (is_chosen(o, c) && seen++ % (o->shards ? o->shards : 1) == o->shard)
            p.cases[p.count++] = c;
    }
    p.results = memory(p.count, sizeof p.results[0]);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    p.jobs = o->jobs > 0 ? o->jobs : processors > 0 ? (int)processors : 1;
    p.jobs = p.jobs < JOBS_MOST ? p.jobs : JOBS_MOST;
    fflush(NULL); /* or the children would write it again */
    while (p.started < p.count || p.running > 0) {
        while (p.started < p.count && p.running < p.jobs)
            start(&p);
        if (p.running > 0)
            wait_some(&p);
    }
    *chosen = p.cases;
    *count = p.count;
    return p.results;
}
