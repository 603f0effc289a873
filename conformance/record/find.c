/* SPDX-License-Identifier: MIT */
/* find.c -- where the GPU records are that are replayed */
#include "record/find.h"

#include "record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Checks that a folder that the user named has a record. */
static int add_given(const char *what, const char *folder, char why[CONFORM_LONG])
{
    struct stat status;
    if (strcmp(folder, "none") == 0)
        return 1;
    const char *wrong = stat(folder, &status) != 0  ? strerror(errno)
                        : !S_ISDIR(status.st_mode)  ? "not a folder"
                        : !records_add(folder, why) ? why
                        : !records_at(0)            ? "no record in it"
                                                    : NULL;
    if (wrong && wrong != why)
        snprintf(why, CONFORM_LONG, "%s %.700s: %s", what, folder, wrong);
    return !wrong;
}

int records_open(const char *given, const char *sources, char why[CONFORM_LONG])
{
    char path[RECORD_PATH];
    const char *environment = getenv("SOFTFP8_RECORDS");
    if (given)
        return add_given("--records", given, why);
    if (environment && *environment)
        return add_given("SOFTFP8_RECORDS", environment, why);
    if (records_installed(path))
        return records_add(path, why);
    return !records_is_folder(sources) || records_add(sources, why);
}
