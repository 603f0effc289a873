/* SPDX-License-Identifier: MIT */
/* device.c -- cases: a kernel that joins parts, with every result compared */
#include "families/merge/device.h"

#include "suite/compare.h"

#include <string.h>

/* ---- a set ----------------------------------------------------------------------------------- */

/* Reports where a row is wrong for the first time. */
static void describe(const kernel_run *r, const merge_set *set, const merge_words *w, size_t row)
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

static void compare(kernel_run *r, const merge_set *set, const merge_words *w, int times)
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

static const char *hash(kernel_run *r, const merge_set *set, const void *out, size_t bytes,
                        const uint32_t *lse)
{
    sf8_sha256_add(&r->hash, out, bytes);
    sf8_sha256_add(&r->hash, (const unsigned char *)lse, set->rows * 4);
    r->hashed += set->rows;
    return NULL;
}

/* On a device the sets of two parts are run a hundred times. */
static const char *launch(kernel_run *r, const void *made_of, void *data, int hashed)
{
    const merge_set *set = made_of;
    const merge_words *w = data;
    const int times = set->parts > 2 ? 1 : r->emulated ? 2 : 100;
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
    if (wrong)
        return wrong;
    compare(r, set, w, times);
    return hashed ? hash(r, set, w->out, w->bytes, w->lse) : NULL;
}

static const char *right(kernel_run *r, const void *set, void *data)
{
    const merge_words *w = data;
    return hash(r, set, w->right, w->bytes, w->right_lse);
}

/* ---- the family ------------------------------------------------------------------------------ */

static void close(kernel_run *r)
{
    if (r->device)
        r->result->seconds = seconds_now() - r->began;
}

static void say_theirs(const kernel_run *r, const conform_speed *speed, size_t count)
{
    const gpu_merge_kernel *k = r->kernel;
    (void)speed, (void)count;
    snprintf(r->result->why, sizeof r->result->why,
             "here what docs/spec/attend/merging.md says; in the stack's own kernel: %s",
             k->theirs);
}

KERNEL_LIST(list, gpu_merges)

static const kernel_family kernels = {.group = "merge",
                                      .counts = "rows",
                                      .list = list,
                                      KERNEL_TYPES(gpu_merge_kernel, char, merge_set, merge_words),
                                      .set_at = merge_set_at,
                                      .make = merge_words_make,
                                      .free = merge_words_free,
                                      .launch = launch,
                                      .right = right,
                                      .close = close,
                                      .say = say_theirs};

const conform_family merge_family = {.name = "merge",
                                     .begins = "merge-device",
                                     .inputs = "parts",
                                     .subjects = "the kernel",
                                     .against = "the library's results",
                                     .on_device = 1,
                                     .cases = kernel_cases,
                                     .kernels = &kernels,
                                     .run = kernel_case_run,
                                     .replay = kernel_case_replay};
