/* SPDX-License-Identifier: MIT */
/* device.c -- a kernel of attention run over its batches in every way, every word that came
 * held against the library */
#include "families/attend/device.h"

#include "suite/compare.h"
#include "suite/digest.h"

#include <stdlib.h>
#include <string.h>

/* ---- one batch ------------------------------------------------------------------------------- */

static void describe(char *text, size_t size, const attend_set *set, const attend_way *way)
{
    snprintf(text, size,
             "%zu requests, %zu keys, %zu queries, %zu heads on %zu of %zu, blocks of %zu, seed "
             "%u, %zu to %zu in %zu parts behind %zu chunks",
             set->count, set->keys, set->queries, set->heads, set->kv_heads, set->dim, set->slots,
             (unsigned)set->seed, way->first, way->last, way->splits, way->shared);
}

/* Counts the rows that differ, and says where the first does. */
static void compare(attend_trial *r, const attend_set *set, const attend_batch *b,
                    const attend_way *way)
{
    conform_result *result = r->result;
    const size_t width = b->out_bytes / (b->rows * set->dim), row = set->dim * width;
    const size_t first = b->row_at[way->first], each = set->queries * set->heads;
    for (size_t i = first; i < first + (way->last - way->first) * each; i++) {
        size_t d = 0;
        if (memcmp(b->out + i * row, b->right + i * row, row) == 0 && b->lse[i] == b->right_lse[i])
            continue;
        result->status = CONFORM_FAILED;
        if (result->differ++ > 0)
            continue;
        describe(result->why, sizeof result->why, set, way);
        while (d < row && b->out[i * row + d] == b->right[i * row + d])
            d++;
        size_t used = strlen(result->why);
        snprintf(result->why + used, sizeof result->why - used,
                 ": row %zu: lse %08x, not %08x; from channel %zu on", i, (unsigned)b->lse[i],
                 (unsigned)b->right_lse[i], d / width);
    }
    result->inputs += (way->last - way->first) * each;
}

/* Queries `first` to `last` - 1 of a request, as a request. */
static sf8_attend some_queries(const sf8_attend *a, size_t first, size_t last)
{
    sf8_attend some = *a;
    size_t q = (size_t)sf8_format_bits(a->q_words) / 8;
    size_t out = (size_t)sf8_format_bits(a->out_words) / 8;
    some.queries = some.q.tokens = some.out.tokens = last - first;
    some.first += (int64_t)first;
    some.q.words = (const uint8_t *)a->q.words + first * a->q.token_stride * q;
    some.out.words = (uint8_t *)a->out.words + first * a->out.token_stride * out;
    some.lse += first * a->heads;
    return some;
}

const char *attend_launch(attend_trial *r, const attend_set *set, const attend_way *way,
                          attend_batch *b)
{
    static sf8_attend prompts[ATTEND_REQUESTS];
    double seconds;
    gpu_attend g;
    memset(&g, 0, sizeof g);
    g.kernel = r->kernel;
    g.unit = b->model;
    g.requests = b->request + way->first;
    g.count = way->last - way->first;
    g.splits = way->splits;
    g.shared = way->shared;
    g.at_once = way->at_once;
    if (way->prompts) {
        for (size_t i = 0; i < g.count * way->prompts; i++)
            prompts[i] = some_queries(&g.requests[i / way->prompts],
                                      set->queries * (i % way->prompts) / way->prompts,
                                      set->queries * (i % way->prompts + 1) / way->prompts);
        g.requests = prompts;
        g.count *= way->prompts;
    }
    memset(b->out, 0x5a, b->out_bytes);
    memset(b->lse, 0x5a, b->rows * 4);
    const char *wrong = gpu_attend_run(&g, &seconds);
    if (!wrong)
        compare(r, set, b, way);
    return wrong;
}

static int brief(const attend_trial *r, conform_tier tier)
{
    return r->device->emulated && tier != TIER_SOAK;
}

static size_t number_of(const attend_trial *r)
{
    size_t count;
    return (size_t)(r->kernel - gpu_attends(&count));
}

/* On this processor, where a model takes long, a batch is run in one way, or in the first and
 * another if it is part of the digest; and of the batches that are not each kernel has a share. */
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

/* The same batch again and again, one with a prefix; on this processor once, if at all. */
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
    const gpu_attend_kernel *k = gpu_attends(&count);
    memset(r, 0, sizeof *r);
    r->result = result;
    sf8_sha256_begin(&r->hash);
    result->status = CONFORM_PASSED;
    for (size_t i = 0; i < count; i++)
        if (strcmp(k[i].name, c->subject) == 0) {
            r->kernel = &k[i];
            return 1;
        }
    set_broken(result, "no kernel", c->subject);
    return 0;
}

void attend_case_run(const conform_case *c, const gpu_device *device, conform_tier tier,
                     conform_result *result, char **record)
{
    attend_trial r;
    attend_set set;
    const char *wrong = NULL;
    if (!open_run(&r, c, result))
        return;
    r.device = device;
    for (size_t i = 0; !wrong && attend_set_at(r.kernel, tier, device->emulated, i, &set); i++)
        wrong = leaves_out(&r, &set, i, tier) ? NULL : try_set(&r, &set, tier);
    sf8_sha256_end(&r.hash, result->digest);
    if (!wrong)
        wrong = try_again(&r, tier);
    if (!wrong)
        wrong = attend_try_words(&r);
    if (!wrong)
        wrong = attend_measure(r.kernel, device, result->speed, &result->speeds);
    for (size_t i = 0; i < result->speeds && !wrong; i++)
        result->seconds += (double)result->speed[i].took * 1e-9;
    if (device->emulated)
        result->speeds = 0;
    if (wrong)
        set_broken(result, "the device:", wrong);
    else if (record)
        *record = record_digest_text(c, result, r.hashed);
    if (result->status == CONFORM_PASSED)
        attend_speed_text(result->why, sizeof result->why, result->speed, result->speeds);
}

void attend_replay(const conform_case *c, const record_case *record, conform_result *result)
{
    attend_trial r;
    attend_set set;
    const char *wrong = NULL;
    if (!open_run(&r, c, result))
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
    else if (record_agrees(record, "requests", result))
        attend_speed_text(result->why, sizeof result->why, record->speed, record->speeds);
}
