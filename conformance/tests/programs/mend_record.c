/* SPDX-License-Identifier: MIT */
/* mend_record.c -- softfp8-test-mend_record FOLDER: corrects the checks and digests of a record */
#include "mend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[MEND_FILES] = {"cases.txt", "tables.txt", "seconds.txt"};

static FILE *file_of(const char *folder, const char *name, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    if (!file) {
        perror(path);
        exit(2);
    }
    return file;
}

static char *read_text(FILE *file)
{
    enum { MOST = 1 << 24 };
    char *text = calloc(MOST + 1, 1);
    if (!text || fread(text, 1, MOST, file) == MOST)
        exit(2);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    char *text[MEND_FILES];
    if (argc != 2)
        return 2;
    for (int i = 0; i < MEND_FILES; i++)
        text[i] = read_text(file_of(argv[1], names[i], "rb"));
    mend(text);
    for (int i = 0; i < MEND_FILES; i++) {
        FILE *file = file_of(argv[1], names[i], "wb");
        fputs(text[i], file);
        if (fclose(file) != 0)
            return 2;
        free(text[i]);
    }
    return 0;
}
