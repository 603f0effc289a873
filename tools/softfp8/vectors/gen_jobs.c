/* SPDX-License-Identifier: MIT */
/* gen_jobs.c -- a large table of cases, written in jobs that are kept in a folder */
#include "vectors/gen_jobs.h"
#include "base/disk.h"
#include "base/stop.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ---- options --------------------------------------------------------------------------------- */

static void take_shard(void *place, const cli_option *o, const char *value)
{
    gen_jobs *s = place;
    (void)o;
    if (!shard_read(value, &s->shard, &s->shards))
        fail("expected I/N with I from 1 to N, for example 2/8");
}

static void say_status(void *place, const cli_option *o, const char *value);

const cli_option gen_job_options[] = {
    HEADING("Large tables"),
    {"--keep", "DIR",
     "writes the table in jobs of 2^20 cases, and keeps each finished job in DIR. The "
     "same command again does what is missing",
     PATH(gen_jobs, folder)},
    {"--shard", "I/N", "with --keep, writes only every N-th job, from the I-th on",
     .kind = OPTION_CALL, .take = take_shard},
    {"--budget", "SECONDS", "with --keep, begins no further job after this time",
     REAL(gen_jobs, budget, 1, 1000000000)},
    {"--status", "DIR", "writes no case: says how much of the table in DIR is there",
     .kind = OPTION_CALL, .take = say_status},
    {.kind = OPTION_END},
};

/* ---- files ----------------------------------------------------------------------------------- */

/* "DIR/cases/3-of-16" */
static char *file_of(const char *folder, unsigned part, unsigned of)
{
    return text_of("%s/cases/%u-of-%u", folder, part + 1, of);
}

/* Beside the jobs are files "3-of-16.XXXXXX", which are being written, or were when gen was
 * killed. */
static void remove_abandoned(const char *cases)
{
    DIR *dir = opendir(cases);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char *path = text_of("%s/%s", cases, entry->d_name);
        if (strstr(entry->d_name, "."))
            disk_remove_abandoned(path);
        free(path);
    }
    if (dir)
        closedir(dir);
}

static job_folder *open_folder(const char *name, const job_plan *plan)
{
    char why[JOBS_WHY], *cases = text_of("%s/cases", name);
    job_folder *folder = plan ? jobs_open(name, plan, why) : jobs_read(name, why);
    if (!folder)
        fail("%s", why);
    if (plan && mkdir(cases, 0777) != 0 && errno != EEXIST)
        fail("cannot make the folder %s: %s", cases, strerror(errno));
    if (plan)
        remove_abandoned(cases);
    free(cases);
    return folder;
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct run {
    const gen_jobs *s;
    job_folder *folder;
    const char *name;
    uint64_t cases;
    gen_write *write;
    void *context;
} run;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* First the file, then the job that says that it is complete. */
static void write_job(const run *r, unsigned part, unsigned of)
{
    char *path = file_of(r->s->folder, part, of), body[200], digest[65], why[JOBS_WHY];
    double start = seconds_now();
    uint64_t first = (uint64_t)part * JOB_CASES, end = first + JOB_CASES;
    output *out = output_open(path);
    out->digest = allocate(1, sizeof *out->digest);
    sf8_sha256_begin(out->digest);
    r->write(r->context, out, first, end < r->cases ? end : r->cases);
    output_digest(out, digest);
    snprintf(body, sizeof body, "bytes %llu\nsha256 %s\n", (unsigned long long)out->written,
             digest);
    output_close(out);
    free(path);
    kept_job job = {.name = r->name,
                    .part = part,
                    .seconds = seconds_now() - start,
                    .about = "",
                    .body = body,
                    .size = strlen(body)};
    if (!jobs_keep(r->folder, &job, why))
        fail("%s", why);
}

static int run_all(const run *r, unsigned of)
{
    unsigned left = 0;
    for (unsigned part = r->s->shard; part < of; part += r->s->shards) {
        if (jobs_at(r->folder, part))
            continue;
        if (stop_asked())
            left++;
        else
            write_job(r, part, of);
    }
    if (left)
        note("stopped by %s; %u of %u jobs are left; the same command goes on with them",
             stop_reason(), left, (of - r->s->shard + r->s->shards - 1) / r->s->shards);
    return left ? STATUS_NOT_RUN : STATUS_HELD;
}

int gen_jobs_run(const gen_jobs *s, job_plan *plan, const char *name, uint64_t cases,
                 gen_write *write, void *context)
{
    uint64_t of = (cases + JOB_CASES - 1) / JOB_CASES;
    if (of > JOB_PARTS)
        fail("%llu cases are too many: --keep has at most 2^44", (unsigned long long)cases);
    plan_add(plan, name, (unsigned)of);
    run r = {s, open_folder(s->folder, plan), name, cases, write, context};
    stop_watch(s->budget);
    int status = run_all(&r, (unsigned)of);
    jobs_close(r.folder);
    return status;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* Copies the file of a job, which must be the one that was written. */
static void copy_job(output *out, const kept_job *job)
{
    char digest[65], body[200];
    uint64_t size = 0;
    sf8_sha256 hash;
    char *folder = text_of("%.*s", (int)(strrchr(job->path, '/') - job->path), job->path);
    char *path = file_of(folder, job->part, job->of);
    input *in = input_open(path);
    sf8_sha256_begin(&hash);
    for (size_t n; (n = input_more(in)) > 0; in->at = in->end) {
        output_write(out, in->buffer + in->at, n);
        sf8_sha256_add(&hash, in->buffer + in->at, n);
        size += n;
    }
    sf8_sha256_end(&hash, digest);
    snprintf(body, sizeof body, "bytes %llu\nsha256 %s\n", (unsigned long long)size, digest);
    if (strcmp(body, job->body) != 0)
        fail("%s: expected the cases that %s describes; remove both, and write them again", path,
             job->path);
    input_close(in);
    free(path);
    free(folder);
}

static job_folder *open_written(const char *name)
{
    job_folder *folder = open_folder(name, NULL);
    const char *program = plan_value(jobs_plan(folder), "program");
    if (!program || strcmp(program, "gen") != 0)
        fail("%s is not a folder of gen --keep, but of '%s'", name, program ? program : "");
    return folder;
}

static void say_status(void *place, const cli_option *o, const char *value)
{
    job_folder *folder = open_written(value);
    job_progress p = jobs_progress(folder);
    output *out = output_open(NULL);
    (void)place, (void)o;
    output_print(out, "%zu of %zu jobs are written, in %.0f core-seconds\n", p.done, p.all,
                 p.seconds);
    if (p.done < p.all && p.done > 0)
        output_print(out, "%zu are left, about %.0f core-seconds by the pace so far\n",
                     p.all - p.done, p.left);
    output_close(out);
    jobs_close(folder);
    exit(STATUS_HELD);
}

void gen_jobs_join(char *const *names, size_t count, const char *path)
{
    job_folder **folders = allocate(count, sizeof *folders);
    char why[JOBS_WHY];
    const kept_job **whole;
    for (size_t i = 0; i < count; i++)
        folders[i] = open_written(names[i]);
    const job_plan *plan = jobs_plan(folders[0]);
    if (!jobs_join(folders, count, &whole, why))
        fail("%s", why);
    output *out = output_open(path);
    for (size_t i = 0; i < plan_jobs(plan); i++)
        copy_job(out, whole[i]);
    output_close(out);
    free(whole);
    for (size_t i = 0; i < count; i++)
        jobs_close(folders[i]);
    free(folders);
}
