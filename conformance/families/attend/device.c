/* SPDX-License-Identifier: MIT */
/* device.c -- one run of a kernel of attention over a batch, compared with the library row by row */
#include "families/attend/device.h"

#include "suite/compare.h"

#include <string.h>

static void describe(char *text, size_t size, const attend_set *set, const attend_way *way)
{
    snprintf(text, size,
             "%zu requests, %zu keys, %zu queries, %zu heads on %zu of %zu, blocks of %zu, seed "
             "%u, %zu to %zu in %zu parts behind %zu chunks",
             set->count, set->keys, set->queries, set->heads, set->kv_heads, set->dim, set->slots,
             (unsigned)set->seed, way->first, way->last, way->splits, way->shared);
}

/* Counts the rows that differ, and reports where the first one does. */
static void compare(kernel_run *r, const attend_set *set, const attend_batch *b,
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

/* Queries `first` to last - 1 of a request, as a request. */
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

const char *attend_launch(kernel_run *r, const attend_set *set, const attend_way *way,
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
