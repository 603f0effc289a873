/* SPDX-License-Identifier: MIT */
/* files.c -- the folder of a record: its files are read whole and replaced whole
 *
 * New texts are written beside the files and renamed once all of them are on the disk, the cases
 * last. If the program ends before that, the old record remains, or files that the reader
 * recognises as not belonging together.
 */
#include "record/files.h"

#include "base/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 + 512 };

static int make_path(char path[PATH_ROOM], const char *folder, const char *name)
{
    int size = snprintf(path, PATH_ROOM, "%s/%s", folder, name);
    return size > 0 && size < PATH_ROOM;
}

/* ---- reading --------------------------------------------------------------------------------- */

int record_is_there(const char *folder)
{
    char path[PATH_ROOM];
    struct stat status;
    for (int i = 0; i < RECORD_FILES; i++) {
        if (make_path(path, folder, record_file_name[i]) && lstat(path, &status) == 0)
            return 1;
    }
    return 0;
}

static int cannot(char why[CONFORM_LONG], const char *what, const char *path, const char *reason)
{
    snprintf(why, CONFORM_LONG, "%s %.700s: %s", what, path, reason);
    return 0;
}

int record_load(record_contents *r, const char *folder, char why[CONFORM_LONG])
{
    char path[PATH_ROOM], *text[RECORD_FILES] = {NULL};
    size_t size[RECORD_FILES];
    int good = 1;
    for (int i = 0; i < RECORD_FILES && good; i++) {
        if (!make_path(path, folder, record_file_name[i]))
            good = cannot(why, "cannot read", folder, "its name is too long");
        else
            good = (text[i] = disk_read(path, RECORD_SIZE, &size[i], why)) != NULL;
    }
    if (good) {
        input_error e;
        const char *const texts[RECORD_FILES] = {text[0], text[1], text[2]};
        good = record_read(r, texts, size, &e);
        if (!good)
            snprintf(why, CONFORM_LONG, "%.500s/%s:%llu: %s", folder, record_file_name[e.file],
                     (unsigned long long)e.line, e.text);
    }
    for (int i = 0; i < RECORD_FILES; i++)
        free(text[i]);
    return good;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Creates a new file beside the future one; its path goes to `aside`. */
static int write_aside(const char *folder, const char *name, const char *text, size_t size,
                       char aside[PATH_ROOM], char why[CONFORM_LONG])
{
    char form[64];
    snprintf(form, sizeof form, ".%s.XXXXXX", name);
    if (!make_path(aside, folder, form))
        return cannot(why, "cannot write", folder, "its name is too long");
    return disk_write(aside, text, size) ||
           cannot(why, "cannot write into", folder, strerror(errno));
}

/* A file can be renamed to these names. */
static int check_targets(const char *folder, char why[CONFORM_LONG])
{
    char path[PATH_ROOM];
    struct stat status;
    for (int i = 0; i < RECORD_FILES; i++) {
        if (make_path(path, folder, record_file_name[i]) && stat(path, &status) == 0 &&
            S_ISDIR(status.st_mode))
            return cannot(why, "cannot write", path, strerror(EISDIR));
    }
    return 1;
}

/* All of them, or none. */
static int write_files(const char *folder, char *const text[], const size_t size[],
                       char why[CONFORM_LONG])
{
    static const int order[RECORD_FILES] = {RECORD_TABLES, RECORD_SECONDS, RECORD_CASES};
    char aside[RECORD_FILES][PATH_ROOM], path[PATH_ROOM];
    int good = check_targets(folder, why);
    memset(aside, 0, sizeof aside);
    for (int i = 0; i < RECORD_FILES && good; i++)
        good = write_aside(folder, record_file_name[i], text[i], size[i], aside[i], why);
    for (int i = 0; i < RECORD_FILES && good; i++) {
        good = make_path(path, folder, record_file_name[order[i]]) &&
               rename(aside[order[i]], path) == 0;
        if (good)
            aside[order[i]][0] = '\0';
        else
            cannot(why, "cannot write", path, strerror(errno));
    }
    for (int i = 0; i < RECORD_FILES; i++) {
        if (aside[i][0])
            unlink(aside[i]);
    }
    return good;
}

int record_write(record_writer *w, const char *folder, char why[CONFORM_LONG])
{
    char *text[RECORD_FILES];
    size_t size[RECORD_FILES];
    if (!record_compose(w, text, size, why))
        return 0;
    int good = 1, made = mkdir(folder, 0777) == 0;
    for (int i = 0; i < RECORD_FILES; i++) {
        if (size[i] > RECORD_SIZE)
            good = cannot(why, "cannot write", record_file_name[i], "it is too large for a record");
    }
    if (good && !made && errno != EEXIST)
        good = cannot(why, "cannot make", folder, strerror(errno));
    good = good && write_files(folder, text, size, why);
    if (!good && made)
        rmdir(folder);
    for (int i = 0; i < RECORD_FILES; i++)
        free(text[i]);
    return good;
}
