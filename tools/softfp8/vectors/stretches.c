/* SPDX-License-Identifier: MIT */
/* stretches.c -- a large table of cases, written in stretches that are kept in a folder */
#include "vectors/stretches.h"
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
    stretches *s = place;
    (void)o;
    if (!shard_read(value, &s->shard, &s->shards))
        fail("expected I/N with I from 1 to N, for example 2/8");
}

static void say_status(void *place, const cli_option *o, const char *value);

const cli_option stretches_options[] = {
    HEADING("Large tables"),
    {"--keep", "DIR",
     "writes the table in stretches of 2^20 cases, and keeps each finished stretch in DIR. The "
     "same command again does what is missing",
     PATH(stretches, folder)},
    {"--shard", "I/N", "with --keep, writes only every N-th stretch, from the I-th on",
     .kind = OPTION_CALL, .take = take_shard},
    {"--budget", "SECONDS", "with --keep, begins no further stretch after this time",
     REAL(stretches, budget, 1, 1000000000)},
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

/* Beside the stretches are files "3-of-16.XXXXXX", which are being written, or were when gen was
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

static unit_folder *open_folder(const char *name, const unit_plan *plan)
{
    char why[UNITS_WHY], *cases = text_of("%s/cases", name);
    unit_folder *folder = plan ? units_open(name, plan, why) : units_read(name, why);
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
    const stretches *s;
    unit_folder *folder;
    const char *name;
    uint64_t cases;
    stretch_write *write;
    void *context;
} run;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* First the file, then the unit that says that it is complete. */
static void write_stretch(const run *r, unsigned part, unsigned of)
{
    char *path = file_of(r->s->folder, part, of), body[200], digest[65], why[UNITS_WHY];
    double start = seconds_now();
    uint64_t first = (uint64_t)part * STRETCH, end = first + STRETCH;
    output *out = output_open(path);
    out->digest = allocate(1, sizeof *out->digest);
    sf8_sha256_begin(out->digest);
    r->write(r->context, out, first, end < r->cases ? end : r->cases);
    output_digest(out, digest);
    snprintf(body, sizeof body, "bytes %llu\nsha256 %s\n", (unsigned long long)out->written,
             digest);
    output_close(out);
    free(path);
    unit u = {.name = r->name,
              .part = part,
              .seconds = seconds_now() - start,
              .about = "",
              .body = body,
              .size = strlen(body)};
    if (!units_keep(r->folder, &u, why))
        fail("%s", why);
}

static int run_all(const run *r, unsigned of)
{
    unsigned left = 0;
    for (unsigned part = r->s->shard; part < of; part += r->s->shards) {
        if (units_at(r->folder, part))
            continue;
        if (stop_asked())
            left++;
        else
            write_stretch(r, part, of);
    }
    if (left)
        note("stopped by %s; %u of %u stretches are left; the same command goes on with them",
             stop_reason(), left, (of - r->s->shard + r->s->shards - 1) / r->s->shards);
    return left ? STATUS_NOT_RUN : STATUS_HELD;
}

int stretches_run(const stretches *s, unit_plan *plan, const char *name, uint64_t cases,
                  stretch_write *write, void *context)
{
    uint64_t of = (cases + STRETCH - 1) / STRETCH;
    if (of > UNIT_PARTS)
        fail("%llu cases are too many: --keep has at most 2^44", (unsigned long long)cases);
    plan_add(plan, name, (unsigned)of);
    run r = {s, open_folder(s->folder, plan), name, cases, write, context};
    stop_watch(s->budget);
    int status = run_all(&r, (unsigned)of);
    units_close(r.folder);
    return status;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Copies the file of a unit, which must be the one that was written. */
static void copy_stretch(output *out, const unit *u)
{
    char digest[65], body[200];
    uint64_t size = 0;
    sf8_sha256 hash;
    char *folder = text_of("%.*s", (int)(strrchr(u->path, '/') - u->path), u->path);
    char *path = file_of(folder, u->part, u->of);
    input *in = input_open(path);
    sf8_sha256_begin(&hash);
    for (size_t n; (n = input_more(in)) > 0; in->at = in->end) {
        output_write(out, in->buffer + in->at, n);
        sf8_sha256_add(&hash, in->buffer + in->at, n);
        size += n;
    }
    sf8_sha256_end(&hash, digest);
    snprintf(body, sizeof body, "bytes %llu\nsha256 %s\n", (unsigned long long)size, digest);
    if (strcmp(body, u->body) != 0)
        fail("%s: expected the cases that %s describes; remove both, and write them again", path,
             u->path);
    input_close(in);
    free(path);
    free(folder);
}

static unit_folder *open_written(const char *name)
{
    unit_folder *folder = open_folder(name, NULL);
    const char *program = plan_value(units_plan(folder), "program");
    if (!program || strcmp(program, "gen") != 0)
        fail("%s is not a folder of gen --keep, but of '%s'", name, program ? program : "");
    return folder;
}

static void say_status(void *place, const cli_option *o, const char *value)
{
    unit_folder *folder = open_written(value);
    unit_progress p = units_progress(folder);
    output *out = output_open(NULL);
    (void)place, (void)o;
    output_print(out, "%zu of %zu stretches are written, in %.0f core-seconds\n", p.done, p.all,
                 p.seconds);
    if (p.done < p.all && p.done > 0)
        output_print(out, "%zu are left, about %.0f core-seconds by the pace so far\n",
                     p.all - p.done, p.left);
    output_close(out);
    units_close(folder);
    exit(STATUS_HELD);
}

void stretches_merge(char *const *names, size_t count, const char *path)
{
    unit_folder **folders = allocate(count, sizeof *folders);
    char why[UNITS_WHY];
    const unit **whole;
    for (size_t i = 0; i < count; i++)
        folders[i] = open_written(names[i]);
    const unit_plan *plan = units_plan(folders[0]);
    if (!units_merge(folders, count, &whole, why))
        fail("%s", why);
    output *out = output_open(path);
    for (size_t i = 0; i < plan_units(plan); i++)
        copy_stretch(out, whole[i]);
    output_close(out);
    free(whole);
    for (size_t i = 0; i < count; i++)
        units_close(folders[i]);
    free(folders);
}
