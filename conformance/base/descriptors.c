/* SPDX-License-Identifier: MIT */
/* descriptors.c -- a program that was started with a standard stream closed */
#include "base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void descriptors_reserve(void)
{
    /* Each for the other direction, but standard error, which nobody checks. */
    static const int mode[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        if (open("/dev/null", mode[fd]) != fd) /* the lowest number that is free: this one */
            _Exit(2);
    }
}
