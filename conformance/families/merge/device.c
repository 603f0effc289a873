/* SPDX-License-Identifier: MIT */
/* device.c -- a kernel that joins parts, run over its sets, with every result compared */
#include "families/merge/device.h"

#include "suite/compare.h"
#include "suite/digest.h"
#include "softfp8/sha256.h"

#include <string.h>

typedef struct merge_trial {
    const gpu_merge_kernel *kernel;
    const gpu_device *device;
    conform_result *result;
    sf8_sha256 hash; /* the digest of the results */
    uint64_t hashed; /* rows */
} merge_trial;

/* ---- a set ----------------------------------------------------------------------------------- */

/* Reports where a row is wrong for the first time. */
static void describe(const merge_trial *r, const merge_set *set, const merge_words *w, size_t row)
{
    const size_t width = w->bytes / (set->rows * set->channels), each = set->channels * width;
    size_t at = 0;
    while (at < each && w->out[row * each + at] == w->right[row * each + at])
        at++;
    snprintf(r->result->why, sizeof r->result->why,
             "%zu parts of %zu channels, seed %u, %s: row %zu, lse %08x %08x%s: lse %08x, not "
             "%08x; from channel %zu on",
             set->parts, set->channels, (unsigned)set->seed, set->fuse ? "fma" : "no fma", row,
             (unsigned)w->part_lse[row],
             (unsigned)(set->parts > 1 ? w->part_lse[set->rows + row] : 0),
             set->parts > 2 ? " ..." : "", (unsigned)w->lse[row], (unsigned)w->right_lse[row],
             at / width);
}

static void compare(merge_trial *r, const merge_set *set, const merge_words *w, int times)
{
    const size_t each = w->bytes / set->rows;
    for (size_t row = 0; row < set->rows; row++) {
        if (memcmp(w->out + row * each, w->right + row * each, each) == 0 &&
            w->lse[row] == w->right_lse[row])
            continue;
        r->result->status = CONFORM_FAILED;
        if (r->result->differ++ == 0)
            describe(r, set, w, row);
    }
    r->result->inputs += set->rows * (size_t)times;
}

static const char *launch(merge_trial *r, const merge_set *set, merge_words *w, int times)
{
    gpu_merge m;
    memset(&m, 0, sizeof m);
    m.kernel = r->kernel;
    m.parts = set->parts;
    m.rows = set->rows;
    m.channels = set->channels;
    m.joined = set->joined;
    m.fuse = set->fuse;
    m.part_out = w->part_out;
    m.part_lse = w->part_lse;
    m.part_sum = w->part_sum;
    m.out = w->out;
    m.lse = w->lse;
    m.times = times - 1;
    m.right_out = w->right;
    m.right_lse = w->right_lse;
    memset(w->out, 0x5a, w->bytes);
    memset(w->lse, 0x5a, set->rows * 4);
    const char *wrong = gpu_merge_run(&m);
    pretend_answer(r->device, w->out, w->right, w->bytes);
    pretend_answer(r->device, w->lse, w->right_lse, set->rows * 4);
    if (!wrong)
        compare(r, set, w, times);
    return wrong;
}

static void hash(merge_trial *r, const merge_set *set, const void *out, size_t bytes,
                 const uint32_t *lse)
{
    sf8_sha256_add(&r->hash, out, bytes);
    sf8_sha256_add(&r->hash, (const unsigned char *)lse, set->rows * 4);
    r->hashed += set->rows;
}

static const char *try_set(merge_trial *r, const merge_set *set, int times)
{
    merge_words w;
    const char *wrong = merge_words_make(&w, r->kernel, set);
    if (!wrong)
        wrong = launch(r, set, &w, times);
    if (!wrong && !set->extra)
        hash(r, set, w.out, w.bytes, w.lse);
    merge_words_free(&w);
    return wrong;
}

/* ---- a case ---------------------------------------------------------------------------------- */

static int open_run(merge_trial *r, const conform_case *c, conform_result *result)
{
    size_t count;
    const gpu_merge_kernel *list = gpu_merges(&count);
    memset(r, 0, sizeof *r);
    r->result = result;
    r->kernel = begin_run(c->subject, list, count, sizeof *list, &r->hash, result);
    return r->kernel != NULL;
}

static void say_theirs(const merge_trial *r)
{
    snprintf(r->result->why, sizeof r->result->why,
             "here what docs/spec/attend/merging.md says; in the stack's own kernel: %s",
             r->kernel->theirs);
}

/* On a device the sets of two parts are run a hundred times. */
void merge_case_run(const conform_job *j)
{
    merge_trial r;
    merge_set set;
    const char *wrong = NULL;
    conform_result *result = j->result;
    const int emulated = j->device->emulated;
    double began = seconds_now();
    if (!open_run(&r, j->c, result))
        return;
    r.device = j->device;
    for (size_t i = 0; !wrong && merge_set_at(r.kernel, j->o->tier, emulated, i, &set); i++)
        wrong = try_set(&r, &set, set.parts > 2 ? 1 : emulated ? 2 : 100);
    sf8_sha256_end(&r.hash, result->digest);
    result->seconds = seconds_now() - began;
    if (wrong)
        set_broken(result, "the device:", wrong);
    else
        record_digest(j, "merge", r.hashed);
    if (result->status == CONFORM_PASSED)
        say_theirs(&r);
}

void merge_replay(const conform_job *j)
{
    merge_trial r;
    merge_set set;
    const char *wrong = NULL;
    conform_result *result = j->result;
    if (!open_run(&r, j->c, result))
        return;
    for (size_t i = 0; !wrong && merge_set_at(r.kernel, TIER_QUICK, 1, i, &set); i++) {
        merge_words w;
        wrong = merge_words_make(&w, r.kernel, &set);
        if (!wrong)
            hash(&r, &set, w.right, w.bytes, w.right_lse);
        merge_words_free(&w);
    }
    result->inputs = r.hashed;
    sf8_sha256_end(&r.hash, result->digest);
    if (wrong)
        set_broken(result, "the library:", wrong);
    else if (record_agrees(j, "rows"))
        say_theirs(&r);
}
