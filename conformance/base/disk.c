/* SPDX-License-Identifier: MIT */
/* disk.c -- files that are read whole, and written beside the place where they are to stand */
#include "base/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ABANDONED = 600 /* seconds; what is being written changes far more often */ };

/* Reads `size` bytes, or up to the end of the file. */
static ssize_t read_all(int fd, char *text, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = read(fd, text + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

char *disk_read(const char *path, size_t most, size_t *size, char why[DISK_WHY])
{
    struct stat status;
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0)
        snprintf(why, DISK_WHY, "%.700s:1: cannot be read: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode) || (size_t)status.st_size > most)
        snprintf(why, DISK_WHY, "%.700s:1: not a file of at most %zu bytes", path, most);
    else if (!(text = calloc((size_t)status.st_size + 1, 1)))
        snprintf(why, DISK_WHY, "%.700s:1: not enough memory for it", path);
    if (text) {
        ssize_t n = read_all(fd, text, (size_t)status.st_size);
        if (n < 0) {
            snprintf(why, DISK_WHY, "%.700s:1: cannot be read: %s", path, strerror(errno));
            free(text);
            text = NULL;
        }
        *size = n < 0 ? 0 : (size_t)n;
    }
    if (fd >= 0)
        close(fd);
    return text;
}

int disk_write(char *path, const char *text, size_t size)
{
    int fd = mkstemp(path);
    if (fd < 0) {
        path[0] = '\0';
        return 0;
    }
    int good = 1;
    for (size_t done = 0; done < size && good;) {
        ssize_t n = write(fd, text + done, size - done);
        if (n > 0)
            done += (size_t)n;
        else
            good = n < 0 && errno == EINTR;
    }
    mode_t mask = umask(0);
    umask(mask);
    good = good && fchmod(fd, 0666 & ~mask) == 0 && fsync(fd) == 0;
    int error = errno;
    good = close(fd) == 0 && good;
    if (good)
        return 1;
    unlink(path);
    path[0] = '\0';
    errno = error;
    return 0;
}

void disk_remove_abandoned(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) &&
        time(NULL) - status.st_mtime > ABANDONED)
        unlink(path);
}
