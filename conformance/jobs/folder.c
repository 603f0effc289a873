/* SPDX-License-Identifier: MIT */
/* folder.c -- the folder of a run: reads what is finished, adds what becomes finished
 *
 * Several processes may use one folder at a time, such as the shards of a run on a shared disk.
 * Each writes its files under names of its own and renames them, and the plan is the same for all.
 */
#include "base/disk.h"
#include "jobs/file.h"
#include "jobs/plan.h"
#include "jobs/text.h"

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

/* A finished job, and the memory that it points into. */
typedef struct kept {
    kept_job job;
    char *bytes, *path;
} kept;

struct job_folder {
    char *name;
    const job_plan *plan;
    job_plan *own; /* the plan, if it was read from the folder */
    char digest[65];
    char host[256];
    kept *jobs; /* by index */
};

static int cannot(char why[JOBS_WHY], const char *what, const char *path)
{
    snprintf(why, JOBS_WHY, "cannot %s %.700s: %s", what, path, strerror(errno));
    return 0;
}

static char *join(const char *folder, const char *name)
{
    return text_of("%s/%s", folder, name);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Writes the file under another name, then renames it. */
static int write_whole(const char *folder, const char *path, const char *text, size_t size,
                       char why[JOBS_WHY])
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

/* ---- reading jobs --------------------------------------------------------------------------- */

static int damaged(char why[JOBS_WHY], const char *path, size_t line, const char *expected)
{
    snprintf(why, JOBS_WHY, "%.700s:%zu: expected %s; delete this file to run its job again", path,
             line, expected);
    return 0;
}

static void forget(kept *k)
{
    free(k->bytes);
    free(k->path);
    memset(k, 0, sizeof *k);
}

static int take(job_folder *f, const char *path, const char *name, const char *text, size_t size,
                char why[JOBS_WHY])
{
    char right[JOB_FILE_NAME];
    const char *expected;
    size_t line;
    kept k = {{0}, NULL, NULL};
    if (!(k.bytes = job_file_parse(text, size, f->digest, &k.job, &line, &expected)))
        return damaged(why, path, line, expected);
    size_t index = plan_index(f->plan, k.job.name, k.job.part);
    if (index == (size_t)-1 || plan_entry_of(f->plan, index)->of != k.job.of) {
        free(k.bytes);
        return damaged(why, path, 3, "a job of the plan");
    }
    job_file_name(&k.job, right);
    if (strcmp(name, right) != 0) {
        free(k.bytes);
        return damaged(why, path, 3, "the job that the file is named after");
    }
    forget(&f->jobs[index]);
    f->jobs[index] = k;
    f->jobs[index].path = join(f->name, name);
    f->jobs[index].job.path = f->jobs[index].path;
    return 1;
}

static int read_entry(job_folder *f, const char *name, char why[JOBS_WHY])
{
    size_t length = strlen(name), size;
    char *path = join(f->name, name);
    int good = 1;
    if (length > 4 && name[0] != '.' && strcmp(name + length - 4, ".job") == 0) {
        char *text = disk_read(path, JOB_SIZE, &size, why);
        good = text && take(f, path, name, text, size, why);
        free(text);
    } else if (strncmp(name, aside_name, 9) == 0) {
        disk_remove_abandoned(path);
    }
    free(path);
    return good;
}

static int read_jobs(job_folder *f, char why[JOBS_WHY])
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
static job_plan *read_plan(const char *folder, char why[JOBS_WHY])
{
    char *path = join(folder, plan_name_of_file), *text = NULL;
    const char *expected;
    size_t size, line;
    job_plan *plan = NULL;
    why[0] = '\0';
    if (access(path, F_OK) == 0 && (text = disk_read(path, JOB_SIZE, &size, why)) != NULL &&
        !(plan = plan_parse(text, size, &line, &expected)))
        snprintf(why, JOBS_WHY, "%.700s:%zu: expected %s", path, line, expected);
    free(text);
    free(path);
    return plan;
}

static int write_plan(const char *folder, const job_plan *plan, char why[JOBS_WHY])
{
    size_t size;
    char *path = join(folder, plan_name_of_file), *text = plan_text(plan, &size);
    int good = write_whole(folder, path, text, size, why);
    free(text);
    free(path);
    return good;
}

/* The folder has this plan, or gets it. */
static int agree(const char *folder, const job_plan *plan, char why[JOBS_WHY])
{
    char how[JOBS_WHY];
    job_plan *there = read_plan(folder, why);
    if (!there)
        return !why[0] && write_plan(folder, plan, why);
    int good = plan_same(there, plan, how);
    if (!good)
        snprintf(why, JOBS_WHY, "%.300s is the folder of another run: there %.600s", folder, how);
    plan_free(there);
    return good;
}

static job_folder *open_folder(const char *folder, const job_plan *plan, job_plan *own,
                               char why[JOBS_WHY])
{
    job_folder *f = allocate(1, sizeof *f);
    f->name = text_of("%s", folder);
    f->plan = plan;
    f->own = own;
    plan_digest(plan, f->digest);
    if (gethostname(f->host, sizeof f->host - 1) != 0 || !f->host[0])
        strcpy(f->host, "unknown");
    f->jobs = allocate(plan_jobs(plan), sizeof f->jobs[0]);
    if (read_jobs(f, why))
        return f;
    jobs_close(f);
    return NULL;
}

job_folder *jobs_open(const char *folder, const job_plan *plan, char why[JOBS_WHY])
{
    if (strlen(folder) + JOB_FILE_NAME > PATH_MOST) {
        snprintf(why, JOBS_WHY, "%.700s...: the name of the folder is too long", folder);
        return NULL;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        cannot(why, "make the folder", folder);
        return NULL;
    }
    return agree(folder, plan, why) ? open_folder(folder, plan, NULL, why) : NULL;
}

job_folder *jobs_read(const char *folder, char why[JOBS_WHY])
{
    job_plan *plan = read_plan(folder, why);
    if (plan)
        return open_folder(folder, plan, plan, why);
    if (!why[0])
        snprintf(why, JOBS_WHY, "%.700s: expected the folder of a run, with a file plan.txt",
                 folder);
    return NULL;
}

const job_plan *jobs_plan(const job_folder *folder)
{
    return folder->plan;
}

const char *jobs_name(const job_folder *folder)
{
    return folder->name;
}

const kept_job *jobs_at(const job_folder *folder, size_t index)
{
    return folder->jobs[index].path ? &folder->jobs[index].job : NULL;
}

void jobs_close(job_folder *folder)
{
    if (!folder)
        return;
    for (size_t i = 0; i < plan_jobs(folder->plan); i++)
        forget(&folder->jobs[i]);
    free(folder->jobs);
    free(folder->name);
    plan_free(folder->own);
    free(folder);
}

/* ---- changing -------------------------------------------------------------------------------- */

int jobs_keep(job_folder *folder, const kept_job *job, char why[JOBS_WHY])
{
    char name[JOB_FILE_NAME];
    kept_job whole = *job;
    size_t index = plan_index(folder->plan, job->name, job->part), size;
    if (index == (size_t)-1) {
        snprintf(why, JOBS_WHY, "%.200s, part %u: not in the plan", job->name, job->part + 1);
        return 0;
    }
    whole.of = plan_entry_of(folder->plan, index)->of;
    whole.host = folder->host;
    job_file_name(&whole, name);
    char *path = join(folder->name, name);
    char *text = job_file_text(&whole, folder->digest, &size);
    int good = write_whole(folder->name, path, text, size, why) &&
               take(folder, path, name, text, size, why);
    free(text);
    free(path);
    return good;
}

int jobs_drop(job_folder *folder, size_t index, char why[JOBS_WHY])
{
    kept *k = &folder->jobs[index];
    if (k->path && unlink(k->path) != 0 && errno != ENOENT)
        return cannot(why, "remove", k->path);
    forget(k);
    return 1;
}

/* ---- progress -------------------------------------------------------------------------------- */

job_progress jobs_progress(const job_folder *folder)
{
    job_progress p = {0, plan_jobs(folder->plan), 0, 0};
    for (size_t i = 0; i < p.all; i++) {
        const kept_job *job = jobs_at(folder, i);
        p.done += job != NULL;
        p.seconds += job ? job->seconds : 0;
    }
    for (size_t i = 0; i < p.all;) {
        const plan_entry *e = plan_entry_of(folder->plan, i);
        job_progress own = {0, e->of, 0, 0};
        for (size_t end = i + e->of; i < end; i++) {
            const kept_job *job = jobs_at(folder, i);
            own.done += job != NULL;
            own.seconds += job ? job->seconds : 0;
        }
        const job_progress *pace = own.done ? &own : &p;
        if (pace->done)
            p.left += (double)(own.all - own.done) * pace->seconds / (double)pace->done;
    }
    return p;
}
