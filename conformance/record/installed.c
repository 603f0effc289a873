/* SPDX-License-Identifier: MIT */
/* installed.c -- where an installed program has its records */
#include "record/find.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int records_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int records_installed(char path[RECORD_PATH])
{
    static const char behind[] = "/../share/softfp8/records";
    ssize_t length = readlink("/proc/self/exe", path, RECORD_PATH - sizeof behind);
    if (length <= 0)
        return 0;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return 0;
    memcpy(slash, behind, sizeof behind);
    return records_is_folder(path);
}
