/* SPDX-License-Identifier: MIT */
/* kernel_run.c -- runs the cases of a family of kernels, and replays their records */
#include "families/kernel_run.h"

#include "base/memory.h"
#include "suite/compare.h"

#include <stdlib.h>
#include <string.h>

static const kernel_family *family_of(const kernel_run *r)
{
    return r->job->c->family->kernels;
}

/* The name of the i-th kernel, and the kernel; NULL if there are no more. */
static const char *name_at(const kernel_family *f, size_t i, const void **kernel)
{
    size_t count;
    const char *list = f->list(&count);
    if (i >= count)
        return NULL;
    *kernel = list + i * f->entry_bytes;
    return *(const char *const *)*kernel;
}

void kernel_cases(case_list *list)
{
    const char *name;
    const void *kernel;
    for (size_t i = 0; (name = name_at(list->family->kernels, i, &kernel)) != NULL; i++)
        case_list_add(list, (conform_case){.subject = name}, "%s%s", list->family->begins,
                      strchr(name, '/'));
}

static int begin(kernel_run *r, const conform_job *j, const gpu_device *device)
{
    const kernel_family *f = j->c->family->kernels;
    const char *name;
    memset(r, 0, sizeof *r);
    r->job = j;
    r->result = j->result;
    r->device = device;
    r->tier = device && j->o ? j->o->tier : TIER_QUICK;
    r->emulated = !device || device->emulated;
    r->group = f->group;
    r->began = seconds_now();
    r->own = allocate(1, f->own_bytes);
    r->result->status = CONFORM_PASSED;
    sf8_sha256_begin(&r->hash);
    for (size_t i = 0; (name = name_at(f, i, &r->kernel)) != NULL; i++) {
        if (strcmp(name, j->c->subject) == 0)
            break;
    }
    if (!name)
        return set_broken(r->result, "no kernel", j->c->subject);
    return !f->open || f->open(r);
}

static int set_at(const kernel_run *r, size_t i, void *set)
{
    const kernel_family *f = family_of(r);
    return f->set_at ? f->set_at(r, i, set) : i == 0 ? SET_HASHED : SETS_END;
}

/* Runs the sets, or of a replay hashes what is right. */
static const char *take_sets(kernel_run *r)
{
    const kernel_family *f = family_of(r);
    void *set = allocate(1, f->set_bytes), *data = allocate(1, f->data_bytes);
    const char *wrong = NULL;
    int kind;
    for (size_t i = 0; !wrong && (kind = set_at(r, i, set)) != SETS_END; i++) {
        if (kind == SET_SKIPPED || (kind == SET_EXTRA && !r->device))
            continue;
        if (f->make)
            wrong = f->make(r, set, data);
        if (!wrong)
            wrong = r->device ? f->launch(r, set, data, kind == SET_HASHED)
                              : f->right(r, set, data);
        if (f->free)
            f->free(data);
    }
    free(set);
    free(data);
    sf8_sha256_end(&r->hash, r->result->digest);
    return wrong;
}

static void say(const kernel_run *r, const conform_speed *speed, size_t speeds)
{
    if (r->result->status == CONFORM_PASSED && family_of(r)->say)
        family_of(r)->say(r, speed, speeds);
}

static void run_timed(kernel_run *r)
{
    record_speeds(r->job, family_of(r)->measure(r));
    say(r, r->result->speed, r->result->speeds);
}

static void run_sets(kernel_run *r)
{
    const kernel_family *f = family_of(r);
    const char *wrong = take_sets(r);
    if (!wrong && f->more)
        wrong = f->more(r);
    if (wrong)
        set_broken(r->result, "the device:", wrong);
    if (f->close)
        f->close(r);
    if (!wrong && f->right)
        record_digest(r->job, r->group, r->hashed);
    if (!f->measure)
        say(r, NULL, 0);
}

void kernel_case_run(const conform_job *j)
{
    kernel_run r;
    if (begin(&r, j, j->device)) {
        if (conform_is_timed(j->c, j->part))
            run_timed(&r);
        else
            run_sets(&r);
    }
    free(r.own);
}

static void replay_sets(kernel_run *r)
{
    const kernel_family *f = family_of(r);
    const record_case *record = r->job->c->record;
    const char *wrong = take_sets(r);
    r->result->inputs = r->hashed;
    if (wrong) {
        set_broken(r->result, "the library:", wrong);
    } else if (record_agrees(r->job, f->counts)) {
        r->result->speeds = record->speeds;
        say(r, record->speed, record->speeds);
    }
    if (f->close)
        f->close(r);
}

void kernel_case_replay(const conform_job *j)
{
    kernel_run r;
    const record_case *record = j->c->record;
    if (begin(&r, j, NULL)) {
        if (!record->group || strcmp(record->group, r.group) == 0) {
            replay_sets(&r);
        } else {
            r.result->status = CONFORM_STALE;
            snprintf(r.result->why, sizeof r.result->why,
                     "its kernel was one of the group %s, now of %s", record->group, r.group);
        }
    }
    free(r.own);
}
