/* SPDX-License-Identifier: MIT */
/* unfinished.c -- the list of files that are still being written */
#include "files/unfinished.h"

#include <stddef.h>
#include <unistd.h>

enum { FILES_MOST = 8 };
static char *volatile files[FILES_MOST];

int unfinished_add(char *path)
{
    for (int i = 0; i < FILES_MOST; i++) {
        if (files[i])
            continue;
        files[i] = path;
        return i;
    }
    return -1;
}

void unfinished_forget(int place)
{
    files[place] = NULL;
}

void unfinished_remove(void)
{
    for (int i = 0; i < FILES_MOST; i++) {
        if (files[i])
            unlink(files[i]);
        files[i] = NULL;
    }
}
