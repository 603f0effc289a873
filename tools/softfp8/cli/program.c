/* SPDX-License-Identifier: MIT */
/* program.c -- the beginning and the end of a program: signals, standard output */
#include "cli/cli.h"
#include "files/unfinished.h"
#include "base/descriptors.h"

#include <signal.h>
#include <stdio.h>

static void on_signal(int number)
{
    unfinished_remove();
    signal(number, SIG_DFL);
    raise(number);
}

void program_begin(void)
{
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
    descriptors_reserve();
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        if (signal(deadly[i], on_signal) == SIG_IGN)
            signal(deadly[i], SIG_IGN);
    }
    signal(SIGXFSZ, SIG_IGN); /* the write then fails, and says so */
    /* A closed pipe is a reader who has seen enough. */
    signal(SIGPIPE, on_signal);
}

int program_end(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        fail("cannot write to standard output");
    return status;
}
