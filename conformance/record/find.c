/* SPDX-License-Identifier: MIT */
/* find.c -- where the GPU records are that are replayed */
#include "record/find.h"

#include "record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

static int is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Checks that a folder that the user named has a record. */
static int add_given(const char *what, const char *folder, char why[CONFORM_LONG])
{
    struct stat status;
    if (strcmp(folder, "none") == 0)
        return 1;
    const char *wrong = stat(folder, &status) != 0   ? strerror(errno)
                        : !S_ISDIR(status.st_mode)   ? "not a folder"
                        : !records_add(folder, why)  ? why
                        : !records_at(0)             ? "no record in it"
                                                     : NULL;
    if (wrong && wrong != why)
        snprintf(why, CONFORM_LONG, "%s %.700s: %s", what, folder, wrong);
    return !wrong;
}

/* "BIN/../share/softfp8/records", from the location of the program. */
static int is_installed(char path[PATH_ROOM])
{
    static const char behind[] = "/../share/softfp8/records";
    ssize_t length = readlink("/proc/self/exe", path, PATH_ROOM - sizeof behind);
    if (length <= 0)
        return 0;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return 0;
    memcpy(slash, behind, sizeof behind);
    return is_folder(path);
}

int records_open(const char *given, const char *sources, char why[CONFORM_LONG])
{
    char path[PATH_ROOM];
    const char *environment = getenv("SOFTFP8_RECORDS");
    if (given)
        return add_given("--records", given, why);
    if (environment && *environment)
        return add_given("SOFTFP8_RECORDS", environment, why);
    if (is_installed(path))
        return records_add(path, why);
    return !is_folder(sources) || records_add(sources, why);
}
