/* SPDX-License-Identifier: MIT */
/* stop.c -- when a long run stops before its end: a signal, or a budget of seconds */
#include "base/stop.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static double began, seconds;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void catch_signal(int signal)
{
    if (caught)
        _exit(3);
    caught = signal;
}

void stop_watch(double budget)
{
    struct sigaction action = {.sa_handler = catch_signal};
    began = now();
    seconds = budget;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
}

static int is_used_up(void)
{
    return seconds > 0 && now() - began >= seconds;
}

int stop_asked(void)
{
    return caught || is_used_up();
}

double stop_left(void)
{
    return seconds > 0 ? began + seconds + (int)STOP_GRACE - now() : 1e9;
}

const char *stop_reason(void)
{
    static char text[64];
    if (caught)
        return caught == SIGTERM ? "SIGTERM" : "SIGINT";
    if (!is_used_up())
        return NULL;
    snprintf(text, sizeof text, "the budget of %g seconds", seconds);
    return text;
}
