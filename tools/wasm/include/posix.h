/* SPDX-License-Identifier: MIT */
/* posix.h -- what the command uses of POSIX and wasi-libc does not declare; posix.c has it
 *
 * cmake/wasm.cmake includes it before every source of a build for WebAssembly.
 */
#ifndef SOFTFP8_WASM_POSIX_H
#define SOFTFP8_WASM_POSIX_H

#include <sys/types.h>

/* A process cannot be started: the program says so and exits with 2. */
pid_t fork(void);
pid_t waitpid(pid_t pid, int *status, int options);
int execvp(const char *file, char *const arguments[]);
int kill(pid_t pid, int number);
pid_t getppid(void);
int setpgid(pid_t pid, pid_t group);
int socketpair(int domain, int type, int protocol, int ends[2]);
int pipe(int ends[2]);
int dup2(int from, int to);

/* One user, no permissions, no symbolic links. */
mode_t umask(mode_t mask);
int fchmod(int fd, mode_t mode);
char *realpath(const char *path, char *room);
int mkstemp(char *path);
char *mkdtemp(char *path);

/* A signal is one that the program raises itself. */
struct sigaction {
    void (*sa_handler)(int);
    unsigned char sa_mask;
};
int sigaction(int number, const struct sigaction *action, struct sigaction *before);
int sigemptyset(unsigned char *set);

#define AF_UNIX 0
#define MSG_NOSIGNAL 0

#endif
