/* SPDX-License-Identifier: MIT */
/* run.c -- cases: the kernels of attention, run over all batches in every way */
#include "families/attend/device.h"

#include "suite/compare.h"

#include <inttypes.h>
#include <string.h>

/* ---- batches --------------------------------------------------------------------------------- */

static int brief(const kernel_run *r)
{
    return r->emulated && r->tier != TIER_SOAK;
}

static size_t number_of(const kernel_run *r)
{
    size_t count;
    return (size_t)((const gpu_attend_kernel *)r->kernel - gpu_attends(&count));
}

/* On this processor a model is slow. There a batch is run in one way, or if it is part of the
 * digest in the first and one other; each kernel gets a share of the remaining batches. */
static int passes_over(const kernel_run *r, const attend_set *set, size_t i)
{
    attend_way way;
    size_t ways = 0;
    while (attend_way_at(set, ways, &way))
        ways++;
    if (!brief(r) || (i == 0 && !set->extra))
        return 0;
    if (set->prefix)
        return i != ATTEND_SHARED_FIRST + number_of(r) % ATTEND_SHARED_WAYS;
    return i != (number_of(r) + set->seed * 3 + set->keys) % ways;
}

static int set_at(const kernel_run *r, size_t i, void *data)
{
    attend_set *set = data;
    if (!attend_set_at(r->kernel, r->tier, r->emulated, i, set))
        return SETS_END;
    if (!set->extra)
        return SET_HASHED;
    return brief(r) && !set->always && (i + number_of(r)) % 8 != 0 ? SET_SKIPPED : SET_EXTRA;
}

static const char *make(const kernel_run *r, const void *set, void *data)
{
    return attend_batch_make(data, r->kernel, set, 1);
}

static const char *hash(kernel_run *r, const attend_batch *b, const uint8_t *out,
                        const uint32_t *lse)
{
    sf8_sha256_add(&r->hash, out, b->out_bytes);
    sf8_sha256_add(&r->hash, (const unsigned char *)lse, b->rows * 4);
    r->hashed += b->rows;
    return NULL;
}

static const char *launch(kernel_run *r, const void *data, void *batch, int hashed)
{
    const attend_set *set = data;
    attend_batch *b = batch;
    attend_way way;
    const char *wrong = NULL;
    for (size_t i = 0; !wrong && attend_way_at(set, i, &way); i++) {
        if (passes_over(r, set, i))
            continue;
        wrong = attend_launch(r, set, &way, b);
        if (i == 0 && hashed && !wrong)
            hash(r, b, b->out, b->lse);
    }
    return wrong;
}

static const char *right(kernel_run *r, const void *set, void *batch)
{
    const attend_batch *b = batch;
    (void)set;
    return hash(r, b, b->right, b->right_lse);
}

/* Runs the same batch repeatedly, one with a prefix; on this processor once, if at all. */
static const char *try_again(kernel_run *r)
{
    attend_batch b;
    attend_set set;
    attend_way way = {0, 0, 3, 0, 0, 0};
    int times = brief(r) ? (int)(number_of(r) % 4 == 0) : 100;
    if (times == 0)
        return NULL;
    attend_set_with_prefix(&set);
    const char *wrong = attend_batch_make(&b, r->kernel, &set, 1);
    way.last = set.count;
    way.shared = set.prefix;
    for (int i = 0; i < times && !wrong; i++)
        wrong = attend_launch(r, &set, &way, &b);
    attend_batch_free(&b);
    return wrong;
}

static const char *more(kernel_run *r)
{
    const char *wrong = try_again(r);
    return wrong ? wrong : attend_try_words(r);
}

/* ---- the family ------------------------------------------------------------------------------ */

/* Whether a block of the kernel has the shared memory that it needs. If not, the case is not run.
 */
static int has_room(kernel_run *r)
{
    char why[GPU_TEXT];
    uint64_t most, needs = gpu_attend_shared(r->kernel);
    const char *wrong = r->device ? gpu_shared(&most) : NULL;
    if (wrong)
        return set_broken(r->result, "the device:", wrong);
    if (!r->device || needs <= most)
        return 1;
    snprintf(why, sizeof why,
             "needs %" PRIu64 " bytes of shared memory in a block, the GPU has %" PRIu64, needs,
             most);
    return set_not_run(r->result, why);
}

static const char *measure(kernel_run *r)
{
    return attend_measure(r->kernel, r->device, r->job->record != NULL, r->result->speed,
                          &r->result->speeds);
}

static void say(const kernel_run *r, const conform_speed *speed, size_t count)
{
    attend_speed_text(r->result->why, sizeof r->result->why, speed, count);
}

KERNEL_LIST(list, gpu_attends)

static const kernel_family kernels = {
    .group = "attend",
    .counts = "requests",
    .list = list,
    KERNEL_TYPES(gpu_attend_kernel, char, attend_set, attend_batch),
    .open = has_room,
    .set_at = set_at,
    .make = make,
    .free = attend_batch_free,
    .launch = launch,
    .right = right,
    .more = more,
    .measure = measure,
    .say = say};

const conform_family attend_family = {.name = "attend",
                                      .begins = "attend-device",
                                      .inputs = "queries",
                                      .subjects = "the kernel",
                                      .against = "the library's results",
                                      .timed = 1,
                                      .on_device = 1,
                                      .cases = kernel_cases,
                                      .kernels = &kernels,
                                      .run = kernel_case_run,
                                      .replay = kernel_case_replay};
