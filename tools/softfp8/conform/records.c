/* SPDX-License-Identifier: MIT */
/* records.c -- where the records of GPUs are that conform replays */
#include "conform/records.h"

#include "cli/cli.h"
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

static void add(const char *folder)
{
    char why[CONFORM_LONG];
    if (!records_add(folder, why))
        fail("%s", why);
}

/* A folder that was asked for has a record. */
static void add_given(const char *what, const char *folder)
{
    struct stat status;
    if (strcmp(folder, "none") == 0)
        return;
    if (stat(folder, &status) != 0)
        fail("%s %s: %s", what, folder, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        fail("%s %s: not a folder", what, folder);
    add(folder);
    if (!records_at(0))
        fail("%s %s: no record in it", what, folder);
}

/* "BIN/../share/softfp8/records", by where the program lies. */
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

void records_open(const char *given)
{
    char path[PATH_ROOM];
    const char *environment = getenv("SOFTFP8_RECORDS");
    if (given)
        add_given("--records", given);
    else if (environment && *environment)
        add_given("SOFTFP8_RECORDS", environment);
    else if (is_installed(path))
        add(path);
    else if (is_folder(SOFTFP8_RECORDS_DIR))
        add(SOFTFP8_RECORDS_DIR);
}
