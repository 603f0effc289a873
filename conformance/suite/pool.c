/* SPDX-License-Identifier: MIT */
/* pool.c -- tasks in separate processes
 *
 * For each of its tasks a child writes a head with the result and then the text to a pipe. If the
 * child crashes, hangs or exits, that is the result of the current task.
 */
#include "suite/pool.h"

#include "suite/compare.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MOST = 64, PATIENCE = 5 /* seconds for a process to end */ };

typedef struct head {
    conform_result result;
    size_t size; /* of the text that follows */
} head;

typedef struct child {
    pid_t pid; /* 0: free */
    int fd;
    size_t first, task, end; /* at the start; the current one; behind the last one */
    head head;
    size_t got; /* bytes of the head and the text */
    char *text;
    double began, deadline; /* of the current task */
} child;

typedef struct pool {
    const pool_user *user;
    int jobs, running;
    child children[JOBS_MOST];
} pool;

/* ---- in the child ---------------------------------------------------------------------------- */

static int send_all(int fd, const void *data, size_t size)
{
    const char *at = data;
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, at + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return 0;
        done += (size_t)n;
    }
    return 1;
}

/* A child must not outlive the program, however that ends: one that hangs would stay for ever. */
static void die_with(pid_t parent)
{
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(1);
}

static _Noreturn void be_child(const pool_user *user, size_t first, size_t end, int fd)
{
    static head h;
    int more = 1;
    for (size_t task = first; more && task < end; task++) {
        char *text = NULL;
        memset(&h, 0, sizeof h);
        more = user->work(user->context, task, &h.result, &text);
        h.size = text ? strlen(text) : 0;
        if (!send_all(fd, &h, sizeof h) || (text && !send_all(fd, text, h.size)))
            _exit(1);
        free(text);
    }
    _exit(0);
}

/* ---- here ------------------------------------------------------------------------------------ */

static void take_broken(const pool *p, size_t task, double took, const char *why, int number)
{
    static conform_result result;
    memset(&result, 0, sizeof result);
    result.status = CONFORM_BROKEN;
    result.seconds = took;
    snprintf(result.why, sizeof result.why, why, number);
    p->user->take(p->user->context, task, &result, NULL, 0);
}

static void start(pool *p, size_t first, size_t end)
{
    int ends[2];
    child *c = p->children;
    while (c->pid)
        c++;
    if (pipe(ends) != 0) {
        take_broken(p, first, 0, "no pipe: error %d", errno);
        p->user->ended(p->user->context, first + 1, end);
        return;
    }
    pid_t self = getpid(), pid = fork();
    if (pid == 0) {
        die_with(self);
        close(ends[0]);
        be_child(p->user, first, end, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        take_broken(p, first, 0, "no process: error %d", errno);
        p->user->ended(p->user->context, first + 1, end);
        return;
    }
    memset(c, 0, sizeof *c);
    c->pid = pid;
    c->fd = ends[0];
    c->first = c->task = first;
    c->end = end;
    c->began = seconds_now();
    c->deadline = c->began + p->user->limit;
    p->running++;
}

int process_ended(pid_t pid, double limit, int *status)
{
    struct timespec pause = {0, 100000};
    const double deadline = seconds_now() + limit;
    for (;;) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR))
            return 1;
        if (seconds_now() > deadline)
            return 0;
        nanosleep(&pause, NULL);
        pause.tv_nsec *= pause.tv_nsec < 5000000 ? 2 : 1;
    }
}

/* Waits for a child that has closed its pipe, or kills it. The time that this takes is not counted
 * against the other children. Returns 0 if even SIGKILL does not end it, because it is stuck in a
 * driver: it is given up. */
static int reap(pool *p, const child *c, int late, int *status)
{
    const double began = seconds_now();
    int done = !late && process_ended(c->pid, PATIENCE, status);
    if (!done && kill(c->pid, SIGKILL) == 0)
        done = process_ended(c->pid, PATIENCE, status);
    for (int i = 0; i < p->jobs; i++)
        p->children[i].deadline += seconds_now() - began;
    return done;
}

/* The child has ended, or is killed because its time is over. */
static void finish(pool *p, child *c, int late)
{
    int status = 0;
    double took = seconds_now() - c->began;
    size_t task = c->task, end = c->end;
    close(c->fd);
    int done = reap(p, c, late, &status);
    free(c->text);
    c->pid = 0;
    p->running--;
    /* If a child stops by itself between two tasks, its other tasks remain undone. */
    int quiet = task > c->first && c->got == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (task < end && !done)
        take_broken(p, task++, took, "the process did not end after SIGKILL", 0);
    else if (task < end && late)
        take_broken(p, task++, took, "no answer within %d seconds", (int)p->user->limit);
    else if (task < end && WIFSIGNALED(status))
        take_broken(p, task++, took, "ended by signal %d", WTERMSIG(status));
    else if (task < end && !quiet)
        take_broken(p, task++, took, "ended without a result, status %d", WEXITSTATUS(status));
    p->user->ended(p->user->context, task, end);
}

/* The current result is complete: the next one begins. */
static void deliver(pool *p, child *c)
{
    static conform_result result;
    size_t task = c->task++, size = c->head.size;
    char *text = c->text;
    result = c->head.result;
    c->text = NULL;
    c->got = 0;
    c->began = seconds_now();
    c->deadline = c->began + p->user->limit;
    p->user->take(p->user->context, task, &result, text, size);
    free(text);
}

static void take(pool *p, child *c)
{
    char *at = (char *)&c->head + c->got;
    size_t room = sizeof c->head - c->got;
    if (c->got >= sizeof c->head) {
        at = c->text + (c->got - sizeof c->head);
        room = c->head.size - (c->got - sizeof c->head);
    }
    ssize_t n = c->task < c->end ? read(c->fd, at, room) : 0;
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        finish(p, c, 0);
        return;
    }
    c->got += (size_t)n;
    if (c->got == sizeof c->head && c->head.size > 0) {
        c->text = malloc(c->head.size);
        if (!c->text)
            finish(p, c, 1);
    } else if (c->got == sizeof c->head + c->head.size) {
        deliver(p, c);
    }
}

static void wait_some(pool *p)
{
    struct pollfd fds[JOBS_MOST];
    child *of[JOBS_MOST];
    nfds_t n = 0;
    double now = seconds_now(), next = now + 3600;
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

void pool_run(const pool_user *user)
{
    static pool p;
    size_t first, end;
    memset(&p, 0, sizeof p);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    p.user = user;
    p.jobs = user->jobs > 0 ? user->jobs : processors > 0 ? (int)processors : 1;
    p.jobs = p.jobs < JOBS_MOST ? p.jobs : JOBS_MOST;
    fflush(NULL); /* otherwise the children would write it again */
    for (;;) {
        while (p.running < p.jobs && user->next(user->context, &first, &end))
            start(&p, first, end);
        if (p.running == 0)
            break;
        wait_some(&p);
    }
}
