/* SPDX-License-Identifier: MIT */
/* folder.c -- the folder of a run: reads what is finished, adds what becomes finished
 *
 * Several processes may use one folder at a time, such as the shards of a run on a shared disk.
 * Each writes its files under names of its own and renames them, and the plan is the same for all.
 */
#include "base/disk.h"
#include "units/file.h"
#include "units/plan.h"
#include "units/text.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_MOST = 4096 };

static const char aside_name[] = ".softfp8.XXXXXX", plan_name_of_file[] = "plan.txt";

/* A finished unit, and the memory that it points into. */
typedef struct kept {
    unit u;
    char *bytes, *path;
} kept;

struct unit_folder {
    char *name;
    const unit_plan *plan;
    unit_plan *own; /* the plan, if it was read from the folder */
    char digest[65];
    char host[256];
    kept *units; /* by index */
};

static int cannot(char why[UNITS_WHY], const char *what, const char *path)
{
    snprintf(why, UNITS_WHY, "cannot %s %.700s: %s", what, path, strerror(errno));
    return 0;
}

static char *join(const char *folder, const char *name)
{
    return text_of("%s/%s", folder, name);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Writes the file under another name, then renames it. */
static int write_whole(const char *folder, const char *path, const char *text, size_t size,
                       char why[UNITS_WHY])
{
    char *aside = join(folder, aside_name);
    int good = disk_write(aside, text, size) && rename(aside, path) == 0;
    if (!good) {
        cannot(why, "write", path);
        if (aside[0])
            unlink(aside);
    }
    free(aside);
    return good;
}

/* ---- reading units --------------------------------------------------------------------------- */

static int damaged(char why[UNITS_WHY], const char *path, size_t line, const char *expected)
{
    snprintf(why, UNITS_WHY, "%.700s:%zu: expected %s; delete this file to run its unit again",
             path, line, expected);
    return 0;
}

static void forget(kept *k)
{
    free(k->bytes);
    free(k->path);
    memset(k, 0, sizeof *k);
}

static int take(unit_folder *f, const char *path, const char *name, const char *text, size_t size,
                char why[UNITS_WHY])
{
    char right[UNIT_FILE_NAME];
    const char *expected;
    size_t line;
    kept k = {{0}, NULL, NULL};
    if (!(k.bytes = unit_file_parse(text, size, f->digest, &k.u, &line, &expected)))
        return damaged(why, path, line, expected);
    size_t index = plan_index(f->plan, k.u.name, k.u.part);
    if (index == (size_t)-1 || plan_entry_of(f->plan, index)->of != k.u.of) {
        free(k.bytes);
        return damaged(why, path, 3, "a unit of the plan");
    }
    unit_file_name(&k.u, right);
    if (strcmp(name, right) != 0) {
        free(k.bytes);
        return damaged(why, path, 3, "the unit that the file is named after");
    }
    forget(&f->units[index]);
    f->units[index] = k;
    f->units[index].path = join(f->name, name);
    f->units[index].u.path = f->units[index].path;
    return 1;
}

static int read_entry(unit_folder *f, const char *name, char why[UNITS_WHY])
{
    size_t length = strlen(name), size;
    char *path = join(f->name, name);
    int good = 1;
    if (length > 5 && name[0] != '.' && strcmp(name + length - 5, ".unit") == 0) {
        char *text = disk_read(path, UNIT_SIZE, &size, why);
        good = text && take(f, path, name, text, size, why);
        free(text);
    } else if (strncmp(name, aside_name, 9) == 0) {
        disk_remove_abandoned(path);
    }
    free(path);
    return good;
}

static int read_units(unit_folder *f, char why[UNITS_WHY])
{
    DIR *dir = opendir(f->name);
    struct dirent *entry;
    int good = 1;
    if (!dir)
        return cannot(why, "read", f->name);
    while (good && (entry = readdir(dir)) != NULL)
        good = read_entry(f, entry->d_name, why);
    closedir(dir);
    return good;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The plan in the folder; NULL with an empty *why if there is none. */
static unit_plan *read_plan(const char *folder, char why[UNITS_WHY])
{
    char *path = join(folder, plan_name_of_file), *text = NULL;
    const char *expected;
    size_t size, line;
    unit_plan *plan = NULL;
    why[0] = '\0';
    if (access(path, F_OK) == 0 && (text = disk_read(path, UNIT_SIZE, &size, why)) != NULL &&
        !(plan = plan_parse(text, size, &line, &expected)))
        snprintf(why, UNITS_WHY, "%.700s:%zu: expected %s", path, line, expected);
    free(text);
    free(path);
    return plan;
}

static int write_plan(const char *folder, const unit_plan *plan, char why[UNITS_WHY])
{
    size_t size;
    char *path = join(folder, plan_name_of_file), *text = plan_text(plan, &size);
    int good = write_whole(folder, path, text, size, why);
    free(text);
    free(path);
    return good;
}

/* The folder has this plan, or gets it. */
static int agree(const char *folder, const unit_plan *plan, char why[UNITS_WHY])
{
    char how[UNITS_WHY];
    unit_plan *there = read_plan(folder, why);
    if (!there)
        return !why[0] && write_plan(folder, plan, why);
    int good = plan_same(there, plan, how);
    if (!good)
        snprintf(why, UNITS_WHY, "%.300s is the folder of another run: there %.600s", folder, how);
    plan_free(there);
    return good;
}

static unit_folder *open_folder(const char *folder, const unit_plan *plan, unit_plan *own,
                                char why[UNITS_WHY])
{
    unit_folder *f = allocate(1, sizeof *f);
    f->name = text_of("%s", folder);
    f->plan = plan;
    f->own = own;
    plan_digest(plan, f->digest);
    if (gethostname(f->host, sizeof f->host - 1) != 0 || !f->host[0])
        strcpy(f->host, "unknown");
    f->units = allocate(plan_units(plan), sizeof f->units[0]);
    if (read_units(f, why))
        return f;
    units_close(f);
    return NULL;
}

unit_folder *units_open(const char *folder, const unit_plan *plan, char why[UNITS_WHY])
{
    if (strlen(folder) + UNIT_FILE_NAME > PATH_MOST) {
        snprintf(why, UNITS_WHY, "%.700s...: the name of the folder is too long", folder);
        return NULL;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        cannot(why, "make the folder", folder);
        return NULL;
    }
    return agree(folder, plan, why) ? open_folder(folder, plan, NULL, why) : NULL;
}

unit_folder *units_read(const char *folder, char why[UNITS_WHY])
{
    unit_plan *plan = read_plan(folder, why);
    if (plan)
        return open_folder(folder, plan, plan, why);
    if (!why[0])
        snprintf(why, UNITS_WHY, "%.700s: expected the folder of a run, with a file plan.txt",
                 folder);
    return NULL;
}

const unit_plan *units_plan(const unit_folder *folder)
{
    return folder->plan;
}

const char *units_name(const unit_folder *folder)
{
    return folder->name;
}

const unit *units_at(const unit_folder *folder, size_t index)
{
    return folder->units[index].path ? &folder->units[index].u : NULL;
}

void units_close(unit_folder *folder)
{
    if (!folder)
        return;
    for (size_t i = 0; i < plan_units(folder->plan); i++)
        forget(&folder->units[i]);
    free(folder->units);
    free(folder->name);
    plan_free(folder->own);
    free(folder);
}

/* ---- changing -------------------------------------------------------------------------------- */

int units_keep(unit_folder *folder, const unit *u, char why[UNITS_WHY])
{
    char name[UNIT_FILE_NAME];
    unit whole = *u;
    size_t index = plan_index(folder->plan, u->name, u->part), size;
    if (index == (size_t)-1) {
        snprintf(why, UNITS_WHY, "%.200s, part %u: not in the plan", u->name, u->part + 1);
        return 0;
    }
    whole.of = plan_entry_of(folder->plan, index)->of;
    whole.host = folder->host;
    unit_file_name(&whole, name);
    char *path = join(folder->name, name);
    char *text = unit_file_text(&whole, folder->digest, &size);
    int good = write_whole(folder->name, path, text, size, why) &&
               take(folder, path, name, text, size, why);
    free(text);
    free(path);
    return good;
}

int units_drop(unit_folder *folder, size_t index, char why[UNITS_WHY])
{
    kept *k = &folder->units[index];
    if (k->path && unlink(k->path) != 0 && errno != ENOENT)
        return cannot(why, "remove", k->path);
    forget(k);
    return 1;
}

/* ---- progress -------------------------------------------------------------------------------- */

unit_progress units_progress(const unit_folder *folder)
{
    unit_progress p = {0, plan_units(folder->plan), 0, 0};
    for (size_t i = 0; i < p.all; i++) {
        const unit *u = units_at(folder, i);
        p.done += u != NULL;
        p.seconds += u ? u->seconds : 0;
    }
    for (size_t i = 0; i < p.all;) {
        const plan_entry *e = plan_entry_of(folder->plan, i);
        unit_progress own = {0, e->of, 0, 0};
        for (size_t end = i + e->of; i < end; i++) {
            const unit *u = units_at(folder, i);
            own.done += u != NULL;
            own.seconds += u ? u->seconds : 0;
        }
        const unit_progress *pace = own.done ? &own : &p;
        if (pace->done)
            p.left += (double)(own.all - own.done) * pace->seconds / (double)pace->done;
    }
    return p;
}
