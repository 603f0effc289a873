/* SPDX-License-Identifier: MIT */
/* pool.h -- tasks in processes of their own, several at a time, each with a time limit */
#ifndef SOFTFP8_CONFORM_POOL_H
#define SOFTFP8_CONFORM_POOL_H

#include "suite/conform.h"

/* What the pool asks of its user; tasks are numbers of the user's. */
typedef struct pool_user {
    /* The tasks from *first to before *end, for one process, in order; 0 if there is none now. */
    int (*next)(void *context, size_t *first, size_t *end);
    /* In the process: does a task. *text, if any, is from malloc. 0: the process ends after it. */
    int (*work)(void *context, size_t task, conform_result *result, char **text);
    /* Back here: its result. One that crashed, hung or was not started is broken, with a reason. */
    void (*take)(void *context, size_t task, const conform_result *result, const char *text,
                 size_t size);
    /* A process is gone; its tasks from `left` to before `end` were not done. */
    void (*ended)(void *context, size_t left, size_t end);
    void *context;
    int jobs;     /* at a time; 0: as many as there are processors */
    double limit; /* seconds for a task */
} pool_user;

/* Runs until there is nothing more to do. */
void pool_run(const pool_user *user);

#endif
