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
static int add_given(const conform_catalog *catalog, const char *what, const char *folder,
                     char why[CONFORM_LONG])
{
    struct stat status;
    if (strcmp(folder, "none") == 0)
        return 1;
    const char *wrong = stat(folder, &status) != 0           ? strerror(errno)
                        : !S_ISDIR(status.st_mode)           ? "not a folder"
                        : !records_add(catalog, folder, why) ? why
                        : !records_at(0)                     ? "no record in it"
                                                             : NULL;
    if (wrong && wrong != why)
        snprintf(why, CONFORM_LONG, "%s %.700s: %s", what, folder, wrong);
    return !wrong;
}

int records_open(const conform_options *o, const char *given, const char *sources,
                 char why[CONFORM_LONG])
{
    char path[RECORD_PATH];
    static int opened;
    const char *environment = getenv("SOFTFP8_RECORDS");
    int chosen = !o->only || conform_can_begin(o->only, "record");
    if (opened || (!given && !(environment && *environment) && !chosen))
        return 1;
    opened = 1;
    if (given)
        return add_given(o->catalog, "--records", given, why);
    if (environment && *environment)
        return add_given(o->catalog, "SOFTFP8_RECORDS", environment, why);
    if (records_installed(path))
        return records_add(o->catalog, path, why);
    return !records_is_folder(sources) || records_add(o->catalog, sources, why);
}
