/* SPDX-License-Identifier: MIT */
/* pool.c -- jobs in separate processes
 *
 * For each of its jobs a child writes a head with the result and then the text to a socket, and
 * reads from it which job is next. If the child crashes, hangs or exits, that is the result of the
 * current job.
 */
#include "suite/pool.h"

#include "suite/compare.h"
#include "base/stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if !defined(MSG_NOSIGNAL)
#define MSG_NOSIGNAL 0
#endif

enum { PROCESSES_MOST = 64, PATIENCE = 5 /* seconds for a process to end */ };

typedef struct head {
    conform_result result;
    size_t size; /* of the text that follows */
    int more;    /* the child can do another job */
} head;

typedef struct child {
    pid_t pid; /* 0: free */
    int fd;
    long job, last; /* the current one, or POOL_NONE; the last one that it was given */
    head head;
    size_t got; /* bytes of the head and the text */
    char *text;
    double began, deadline; /* of the current job */
} child;

typedef struct pool {
    const pool_user *user;
    int processes, running;
    child children[PROCESSES_MOST];
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

/* The job that this process sends next, or POOL_NONE. */
static long receive_order(int fd)
{
    long job;
    char *at = (char *)&job;
    for (size_t got = 0; got < sizeof job;) {
        ssize_t n = read(fd, at + got, sizeof job - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return POOL_NONE;
        got += (size_t)n;
    }
    return job;
}

/* The process that started it decides when it stops: a signal to all of them ends no job. */
static _Noreturn void be_child(const pool_user *user, long job, int fd)
{
    static head h;
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    for (; job != POOL_NONE; job = h.more ? receive_order(fd) : POOL_NONE) {
        char *text = NULL;
        memset(&h, 0, sizeof h);
        h.more = user->work(user->context, job, &h.result, &text);
        h.size = text ? strlen(text) : 0;
        if (!send_all(fd, &h, sizeof h) || (text && !send_all(fd, text, h.size)))
            _exit(1);
        free(text);
    }
    _exit(0);
}

/* ---- here ------------------------------------------------------------------------------------ */

static void take_broken(const pool *p, long job, double took, const char *why, int number)
{
    static conform_result result;
    memset(&result, 0, sizeof result);
    result.status = CONFORM_BROKEN;
    result.seconds = took;
    snprintf(result.why, sizeof result.why, why, number);
    p->user->take(p->user->context, job, &result, NULL, 0, took);
}

static void not_started(const pool *p, long job, const char *why)
{
    take_broken(p, job, 0, why, errno);
    p->user->ended(p->user->context, job);
}

static void start(pool *p, long job)
{
    int ends[2];
    child *c = p->children;
    while (c->pid)
        c++;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        not_started(p, job, "no socket: error %d");
        return;
    }
    pid_t self = getpid(), pid = fork();
    if (pid == 0) {
        die_with(self);
        close(ends[0]);
        for (int i = 0; i < p->processes; i++) {
            if (p->children[i].pid)
                close(p->children[i].fd);
        }
        be_child(p->user, job, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        not_started(p, job, "no process: error %d");
        return;
    }
    memset(c, 0, sizeof *c);
    c->pid = pid;
    c->fd = ends[0];
    c->job = c->last = job;
    c->began = seconds_now();
    c->deadline = c->began + p->user->limit;
    p->running++;
}

enum { BY_ITSELF, LATE, STOPPED };

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

/* Waits for a child that has closed its socket, or kills it. The time that this takes is not
 * counted against the other children. Returns 0 if even SIGKILL does not end it, because it is
 * stuck in a driver: it is given up. */
static int reap(pool *p, const child *c, int late, int *status)
{
    const double began = seconds_now();
    int done = !late && process_ended(c->pid, PATIENCE, status);
    if (!done && kill(c->pid, SIGKILL) == 0)
        done = process_ended(c->pid, PATIENCE, status);
    for (int i = 0; i < p->processes; i++)
        p->children[i].deadline += seconds_now() - began;
    return done;
}

/* The child has ended; or it was killed because its time is over, or because all stop. */
static void finish(pool *p, child *c, int how)
{
    int status = 0;
    double took = seconds_now() - c->began;
    long job = how == STOPPED ? POOL_NONE : c->job;
    close(c->fd);
    int done = reap(p, c, how != BY_ITSELF, &status);
    free(c->text);
    c->pid = 0;
    p->running--;
    if (job != POOL_NONE && !done)
        take_broken(p, job, took, "the process did not end after SIGKILL", 0);
    else if (job != POOL_NONE && how == LATE)
        take_broken(p, job, took, "no answer within %d seconds", (int)p->user->limit);
    else if (job != POOL_NONE && WIFSIGNALED(status))
        take_broken(p, job, took, "ended by signal %d", WTERMSIG(status));
    else if (job != POOL_NONE)
        take_broken(p, job, took, "ended without a result, status %d", WEXITSTATUS(status));
    p->user->ended(p->user->context, c->last);
}

/* The child gets its next job, or the order to end. */
static void give_order(pool *p, child *c)
{
    long job = POOL_NONE;
    if (c->head.more && !stop_asked() && p->user->next(p->user->context, c->last, &job))
        c->last = job;
    c->job = job;
    c->began = seconds_now();
    c->deadline = c->began + p->user->limit;
    /* if it has ended meanwhile, that is found when it is read */
    (void)send(c->fd, &job, sizeof job, MSG_NOSIGNAL);
}

/* The current result is complete: the next one begins. */
static void deliver(pool *p, child *c)
{
    static conform_result result;
    long job = c->job;
    size_t size = c->head.size;
    char *text = c->text;
    double took = seconds_now() - c->began;
    result = c->head.result;
    c->text = NULL;
    c->got = 0;
    give_order(p, c);
    p->user->take(p->user->context, job, &result, text, size, took);
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
    ssize_t n = read(c->fd, at, room);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        finish(p, c, BY_ITSELF);
        return;
    }
    c->got += (size_t)n;
    if (c->got == sizeof c->head && c->head.size > 0) {
        c->text = malloc(c->head.size);
        if (!c->text)
            finish(p, c, LATE);
    } else if (c->got == sizeof c->head + c->head.size) {
        deliver(p, c);
    }
}

static void wait_some(pool *p)
{
    struct pollfd fds[PROCESSES_MOST];
    child *of[PROCESSES_MOST];
    nfds_t n = 0;
    double now = seconds_now(), left = stop_left(), next = now + (left < 3600 ? left : 3600);
    for (int i = 0; i < p->processes; i++) {
        child *c = &p->children[i];
        if (!c->pid)
            continue;
        if (left <= 0 || c->deadline <= now) {
            finish(p, c, left <= 0 ? STOPPED : LATE);
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

int pool_processes(const pool_user *user)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int count = user->processes > 0 ? user->processes : processors > 0 ? (int)processors : 1;
    return count < PROCESSES_MOST ? count : PROCESSES_MOST;
}

void pool_run(const pool_user *user)
{
    static pool p;
    long job;
    memset(&p, 0, sizeof p);
    p.user = user;
    p.processes = pool_processes(user);
    fflush(NULL); /* otherwise the children would write it again */
    for (;;) {
        while (p.running < p.processes && !stop_asked() && user->next(user->context, POOL_NONE, &job))
            start(&p, job);
        if (p.running == 0)
            break;
        wait_some(&p);
    }
}
