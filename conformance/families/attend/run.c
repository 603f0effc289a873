/* SPDX-License-Identifier: MIT */
/* run.c -- a case of attention: its kernel run over all batches in every way, and records
 * replayed */
#include "families/attend/device.h"

#include "suite/compare.h"

#include <inttypes.h>
#include <string.h>

/* ---- batches --------------------------------------------------------------------------------- */

static int brief(const attend_trial *r, conform_tier tier)
{
    return r->device->emulated && tier != TIER_SOAK;
}

static size_t number_of(const attend_trial *r)
{
    size_t count;
    return (size_t)(r->kernel - gpu_attends(&count));
}

/* On this processor a model is slow. There a batch is run in one way, or if it is part of the
 * digest in the first and one other; each kernel gets a share of the remaining batches. */
static int passes_over(const attend_trial *r, const attend_set *set, size_t i, conform_tier tier)
{
    attend_way way;
    size_t ways = 0;
    while (attend_way_at(set, ways, &way))
        ways++;
    if (!brief(r, tier) || (i == 0 && !set->extra))
        return 0;
    if (set->prefix)
        return i != ATTEND_SHARED_FIRST + number_of(r) % ATTEND_SHARED_WAYS;
    return i != (number_of(r) + set->seed * 3 + set->keys) % ways;
}

static int leaves_out(const attend_trial *r, const attend_set *set, size_t i, conform_tier tier)
{
    return brief(r, tier) && set->extra && !set->always && (i + number_of(r)) % 8 != 0;
}

static const char *try_set(attend_trial *r, const attend_set *set, conform_tier tier)
{
    attend_batch b;
    attend_way way;
    const char *wrong = attend_batch_make(&b, r->kernel, set, 1);
    for (size_t i = 0; !wrong && attend_way_at(set, i, &way); i++) {
        if (passes_over(r, set, i, tier))
            continue;
        wrong = attend_launch(r, set, &way, &b);
        if (i == 0 && !set->extra && !wrong) {
            sf8_sha256_add(&r->hash, b.out, b.out_bytes);
            sf8_sha256_add(&r->hash, b.lse, b.rows * 4);
            r->hashed += b.rows;
        }
    }
    attend_batch_free(&b);
    return wrong;
}

/* Runs the same batch repeatedly, one with a prefix; on this processor once, if at all. */
static const char *try_again(attend_trial *r, conform_tier tier)
{
    attend_batch b;
    attend_set set;
    attend_way way = {0, 0, 3, 0, 0, 0};
    int times = brief(r, tier) ? (int)(number_of(r) % 4 == 0) : 100;
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

/* ---- a case ---------------------------------------------------------------------------------- */

static int open_run(attend_trial *r, const conform_case *c, conform_result *result)
{
    size_t count;
    const gpu_attend_kernel *list = gpu_attends(&count);
    memset(r, 0, sizeof *r);
    r->result = result;
    r->kernel = begin_run(c->subject, list, count, sizeof *list, &r->hash, result);
    return r->kernel != NULL;
}

/* Whether a block of the kernel has the shared memory that it needs. If not, the case is not run.
 */
static int has_room(const attend_trial *r)
{
    char why[GPU_TEXT];
    uint64_t most, needs = gpu_attend_shared(r->kernel);
    const char *wrong = gpu_shared(&most);
    if (wrong)
        return set_broken(r->result, "the device:", wrong);
    if (needs <= most)
        return 1;
    snprintf(why, sizeof why,
             "needs %" PRIu64 " bytes of shared memory in a block, the GPU has %" PRIu64, needs,
             most);
    return set_not_run(r->result, why);
}

static void run_timed(const conform_job *j, const attend_trial *r)
{
    conform_result *result = j->result;
    const char *wrong = attend_measure(r->kernel, j->device, j->record != NULL, result->speed,
                                       &result->speeds);
    record_speeds(j, wrong);
    if (result->status == CONFORM_PASSED)
        attend_speed_text(result->why, sizeof result->why, result->speed, result->speeds);
}

void attend_case_run(const conform_job *j)
{
    attend_trial r;
    attend_set set;
    const char *wrong = NULL;
    conform_result *result = j->result;
    const gpu_device *device = j->device;
    const conform_tier tier = j->o->tier;
    if (!open_run(&r, j->c, result) || !has_room(&r))
        return;
    r.device = device;
    if (conform_is_timed(j->c, j->part)) {
        run_timed(j, &r);
        return;
    }
    for (size_t i = 0; !wrong && attend_set_at(r.kernel, tier, device->emulated, i, &set); i++)
        wrong = leaves_out(&r, &set, i, tier) ? NULL : try_set(&r, &set, tier);
    sf8_sha256_end(&r.hash, result->digest);
    if (!wrong)
        wrong = try_again(&r, tier);
    if (!wrong)
        wrong = attend_try_words(&r);
    if (wrong)
        set_broken(result, "the device:", wrong);
    else
        record_digest(j, "attend", r.hashed);
}

void attend_replay(const conform_job *j)
{
    attend_trial r;
    attend_set set;
    const char *wrong = NULL;
    conform_result *result = j->result;
    const record_case *record = j->c->record;
    if (!open_run(&r, j->c, result))
        return;
    for (size_t i = 0; !wrong && attend_set_at(r.kernel, TIER_QUICK, 1, i, &set); i++) {
        attend_batch b;
        if (set.extra)
            continue;
        wrong = attend_batch_make(&b, r.kernel, &set, 1);
        if (!wrong) {
            sf8_sha256_add(&r.hash, b.right, b.out_bytes);
            sf8_sha256_add(&r.hash, (const unsigned char *)b.right_lse, b.rows * 4);
            result->inputs += b.rows;
        }
        attend_batch_free(&b);
    }
    sf8_sha256_end(&r.hash, result->digest);
    if (wrong)
        set_broken(result, "the library:", wrong);
    else if (record_agrees(j, "requests")) {
        result->speeds = record->speeds;
        attend_speed_text(result->why, sizeof result->why, record->speed, record->speeds);
    }
}
