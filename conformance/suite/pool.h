/* SPDX-License-Identifier: MIT */
/* pool.h -- jobs in separate processes, several at a time, each with a time limit */
#ifndef SOFTFP8_CONFORM_POOL_H
#define SOFTFP8_CONFORM_POOL_H

#include "suite/conform.h"

#include <sys/types.h>

enum { POOL_NONE = -1 };

/* What the user of the pool provides. Jobs are numbers of the user's. */
typedef struct pool_user {
    /* Chooses a job: for a new process, if `before` is POOL_NONE; otherwise for one that has done
     * the job `before`. Returns 0 if there is none now; such a process ends. */
    int (*next)(void *context, long before, long *job);
    /* In the process: does a job. *text, if any, is from malloc. If it returns 0 the process
     * ends. */
    int (*work)(void *context, long job, conform_result *result, char **text);
    /* In this process: receives a result, which took this many seconds. It is broken, with a
     * reason, if the process crashed, hung or could not be started. */
    void (*take)(void *context, long job, const conform_result *result, const char *text,
                 size_t size, double took);
    /* A process has ended; `last` was its last job. */
    void (*ended)(void *context, long last);
    void *context;
    int processes; /* at a time; 0: the number of processors */
    double limit; /* time limit of a job in seconds */
} pool_user;

/* Runs until there is nothing more to do, or until stop_asked(): then no job is begun, and no
 * result comes of those that had to be ended. */
void pool_run(const pool_user *user);
/* The number of processes at a time. */
int pool_processes(const pool_user *user);

/* Waits for a child process, but not longer than `limit` seconds. Returns 0 if it has not ended. A
 * process that is stuck in a driver does not end even when it is killed, so that waitpid alone
 * could block for ever. */
int process_ended(pid_t pid, double limit, int *status);

#endif
