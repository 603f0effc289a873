/* SPDX-License-Identifier: MIT */
/* pool.h -- tasks in separate processes, several at a time, each with a time limit */
#ifndef SOFTFP8_CONFORM_POOL_H
#define SOFTFP8_CONFORM_POOL_H

#include "suite/conform.h"

#include <sys/types.h>

/* What the user of the pool provides. Tasks are numbers of the user's. */
typedef struct pool_user {
    /* Chooses the tasks from *first to *end - 1 for one process, in order; returns 0 if there are
     * none now. */
    int (*next)(void *context, size_t *first, size_t *end);
    /* In the process: does a task. *text, if any, is from malloc. If it returns 0 the process
     * ends. */
    int (*work)(void *context, size_t task, conform_result *result, char **text);
    /* In this process: receives a result. It is broken, with a reason, if the process crashed, hung
     * or could not be started. */
    void (*take)(void *context, size_t task, const conform_result *result, const char *text,
                 size_t size);
    /* A process has ended; its tasks from `left` to end - 1 were not done. */
    void (*ended)(void *context, size_t left, size_t end);
    void *context;
    int jobs;     /* processes at a time; 0: the number of processors */
    double limit; /* time limit of a task in seconds */
} pool_user;

/* Runs until there is nothing more to do. */
void pool_run(const pool_user *user);

/* Waits for a child process, but not longer than `limit` seconds. Returns 0 if it has not ended. A
 * process that is stuck in a driver does not end even when it is killed, so that waitpid alone
 * could block for ever. */
int process_ended(pid_t pid, double limit, int *status);

#endif
