/* SPDX-License-Identifier: MIT */
/* python.c -- runs python3 in a private folder */
#include "suite/python.h"

#include "suite/pool.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char python_missing[] = "no python3";

enum { PATIENCE = 5 /* seconds */, MISSING = 127, PATH_ROOM = PYTHON_PATH + 64 };
static const rlim_t file_most = (rlim_t)1 << 30;

/* ---- files ----------------------------------------------------------------------------------- */

int python_folder(char folder[PYTHON_PATH])
{
    const char *in = getenv("TMPDIR");
    int n = snprintf(folder, PYTHON_PATH, "%s/softfp8-XXXXXX", in && *in ? in : "/tmp");
    return n < PYTHON_PATH && mkdtemp(folder) != NULL;
}

/* Removes the contents of a folder, including folders that a library made there. The descriptor is
 * closed. */
static void empty(int fd, int depth)
{
    DIR *all = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    while (all && (entry = readdir(all)) != NULL) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || unlinkat(fd, name, 0) == 0)
            continue;
        if (depth > 0)
            empty(openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), depth - 1);
        unlinkat(fd, name, AT_REMOVEDIR);
    }
    if (all)
        closedir(all);
    else if (fd >= 0)
        close(fd);
}

void python_folder_remove(const char *folder)
{
    empty(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 8);
    rmdir(folder);
}

static void path_of(char path[PATH_ROOM], const char *folder, const char *name)
{
    snprintf(path, PATH_ROOM, "%.1023s/%.60s", folder, name);
}

int python_write(const char *folder, const char *name, const void *data, size_t size)
{
    char path[PATH_ROOM];
    path_of(path, folder, name);
    FILE *file = fopen(path, "wb");
    if (!file)
        return 0;
    int good = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && good;
}

char *python_read(const char *folder, const char *name, size_t most, size_t *size)
{
    char path[PATH_ROOM], *data = NULL;
    struct stat status;
    path_of(path, folder, name);
    *size = 0;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
    if (!file)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= (off_t)most)
        data = malloc((size_t)status.st_size + 1);
    if (data) {
        *size = fread(data, 1, (size_t)status.st_size, file);
        data[*size] = 0;
    }
    fclose(file);
    return data;
}

/* ---- the program ----------------------------------------------------------------------------- */

static const char *source_of(const char *name)
{
    for (size_t i = 0; i < python_source_count; i++)
        if (strcmp(python_sources[i].name, name) == 0)
            return python_sources[i].text;
    return NULL;
}

static int write_program(const char *folder, const char *const pieces[PYTHON_PIECES])
{
    char path[PATH_ROOM];
    path_of(path, folder, "run.py");
    FILE *file = fopen(path, "w");
    int good = file != NULL;
    for (size_t i = 0; good && i < PYTHON_PIECES && pieces[i]; i++) {
        const char *text = source_of(pieces[i]);
        good = text && fputs(text, file) != EOF;
    }
    if (file)
        good = fclose(file) == 0 && good;
    return good;
}

static int to_file(int fd, const char *name)
{
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return file >= 0 && dup2(file, fd) == fd;
}

/* Folders of PYTHONPATH that are relative, made absolute, since python3 is run elsewhere. */
static void keep_path(void)
{
    const char *path = getenv("PYTHONPATH");
    char here[PYTHON_PATH], *to;
    if (!path || !*path || !getcwd(here, sizeof here))
        return;
    size_t size = (strlen(path) + 1) * (strlen(here) + 3), used = 0;
    to = malloc(size);
    for (size_t n; to; path += n + 1) {
        n = strcspn(path, ":");
        used += (size_t)snprintf(to + used, size - used, "%s%s%.*s%s", *path == '/' ? "" : here,
                                 *path == '/' ? "" : "/", (int)n, path, path[n] ? ":" : "");
        if (!path[n])
            break;
    }
    if (to)
        setenv("PYTHONPATH", to, 1);
    free(to);
}

/* In the child: it leads a process group, so that wait_for also ends what it started. */
static _Noreturn void be_python(const char *folder, const char *const arguments[PYTHON_ARGUMENTS],
                                pid_t parent)
{
    char *list[PYTHON_ARGUMENTS + 4] = {(char *)"python3", (char *)"-B", (char *)"run.py"};
    const struct rlimit most = {file_most, file_most};
    int nothing;
    setpgid(0, 0);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(1);
    for (size_t i = 0; i < PYTHON_ARGUMENTS && arguments[i]; i++)
        list[3 + i] = (char *)(size_t)arguments[i];
    setrlimit(RLIMIT_FSIZE, &most);
    keep_path();
    nothing = open("/dev/null", O_RDONLY);
    if (chdir(folder) == 0 && nothing >= 0 && dup2(nothing, 0) == 0 && to_file(1, "stdout") &&
        to_file(2, "stderr"))
        execvp("python3", list);
    _exit(errno == ENOENT || errno == ENOTDIR ? MISSING : 126);
}

/* Waits for it. Returns 0 if its time is over; then it was killed. */
static int wait_for(pid_t pid, double limit, int *status)
{
    int ended = process_ended(pid, limit, status);
    kill(-pid, SIGKILL); /* also the processes that it left behind */
    if (!ended && kill(pid, SIGKILL) == 0)
        process_ended(pid, PATIENCE, status);
    return ended;
}

/* The last line that is not empty, with printable characters only. */
static void add_last_line(const char *folder, char *why, size_t size)
{
    size_t length, used = strlen(why);
    char *text = python_read(folder, "stderr", (size_t)1 << 26, &length);
    if (!text)
        return;
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = 0;
    const char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    if (*line && used + 3 < size) {
        used += (size_t)snprintf(why + used, size - used, ": ");
        for (; *line && used + 1 < size; line++)
            why[used++] = isprint((unsigned char)*line) ? *line : '?';
        why[used] = 0;
    }
    free(text);
}

const char *python_run(const char *folder, const char *const pieces[PYTHON_PIECES],
                       const char *const arguments[PYTHON_ARGUMENTS], double limit, char *why,
                       size_t size)
{
    int status = 0;
    if (!write_program(folder, pieces)) {
        snprintf(why, size, "the program of python3 cannot be written");
        return why;
    }
    pid_t self = getpid(), pid = fork();
    if (pid == 0)
        be_python(folder, arguments, self);
    if (pid < 0) {
        snprintf(why, size, "no process for python3: error %d", errno);
    } else if (!wait_for(pid, limit, &status)) {
        snprintf(why, size, "python3 did not end within %d seconds", (int)limit);
        add_last_line(folder, why, size);
    } else if (WIFSIGNALED(status)) {
        snprintf(why, size, "python3 was ended by signal %d", WTERMSIG(status));
        add_last_line(folder, why, size);
    } else if (WEXITSTATUS(status) == MISSING) {
        return python_missing;
    } else if (WEXITSTATUS(status) != 0) {
        snprintf(why, size, "python3 ended with %d", WEXITSTATUS(status));
        add_last_line(folder, why, size);
    } else {
        return NULL;
    }
    return why;
}
