/* SPDX-License-Identifier: MIT */
/* posix.c -- what the command uses of POSIX and WASI lacks, for the build for WebAssembly
 *
 * Nothing can start a process. What would need one says so and exits with 2, and nothing above has
 * to know.
 */
#define _GNU_SOURCE 1 /* getentropy */
#include "posix.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* WASI has no current folder. wasi-libc keeps one for those who set it. */
__attribute__((constructor)) static void enter_folder(void)
{
    const char *folder = getenv("PWD");
    if (folder)
        (void)chdir(folder);
}

/* ---- processes ------------------------------------------------------------------------------- */

static _Noreturn void no_processes(void)
{
    fflush(stdout);
    fputs("softfp8: this build cannot start processes\n", stderr);
    exit(2);
}

static int not_here(void)
{
    errno = ENOSYS;
    return -1;
}

pid_t fork(void)
{
    no_processes();
}

int socketpair(int domain, int type, int protocol, int ends[2])
{
    (void)domain, (void)type, (void)protocol, (void)ends;
    no_processes();
}

int pipe(int ends[2])
{
    (void)ends;
    return not_here();
}

pid_t waitpid(pid_t pid, int *status, int options)
{
    (void)pid, (void)status, (void)options;
    return not_here();
}

int execvp(const char *file, char *const arguments[])
{
    (void)file, (void)arguments;
    return not_here();
}

int kill(pid_t pid, int number)
{
    (void)pid, (void)number;
    return not_here();
}

pid_t getppid(void)
{
    return 1;
}

int setpgid(pid_t pid, pid_t group)
{
    (void)pid, (void)group;
    return not_here();
}

int dup2(int from, int to)
{
    (void)from, (void)to;
    return not_here();
}

int gethostname(char *name, size_t size)
{
    snprintf(name, size, "wasm");
    return 0;
}

int setrlimit(int resource, const struct rlimit *limit)
{
    (void)resource, (void)limit;
    return not_here();
}

/* ---- signals and jumps ----------------------------------------------------------------------- */

int sigemptyset(unsigned char *set)
{
    *set = 0;
    return 0;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    (void)before;
    return signal(number, action->sa_handler) == SIG_ERR ? -1 : 0;
}

void longjmp(jmp_buf buffer, int value)
{
    (void)buffer, (void)value;
    fflush(stdout);
    fputs("softfp8: not enough memory\n", stderr);
    exit(2);
}

/* ---- files ----------------------------------------------------------------------------------- */

mode_t umask(mode_t mask)
{
    (void)mask;
    return 022;
}

int fchmod(int fd, mode_t mode)
{
    (void)fd, (void)mode;
    return 0;
}

char *realpath(const char *path, char *room)
{
    return room ? strcpy(room, path) : strdup(path);
}

/* Six characters in the place of the X at the end. */
static void set_name(char *path)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char random[6];
    size_t length = strlen(path);
    (void)getentropy(random, sizeof random);
    for (size_t i = 0; i < sizeof random; i++)
        path[length - 1 - i] = characters[random[i] % 32];
}

int mkstemp(char *path)
{
    int fd;
    do {
        set_name(path);
        fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    } while (fd < 0 && errno == EEXIST);
    return fd;
}

char *mkdtemp(char *path)
{
    set_name(path);
    return mkdir(path, 0700) == 0 ? path : NULL;
}
