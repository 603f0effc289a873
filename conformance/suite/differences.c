/* SPDX-License-Identifier: MIT */
/* differences.c -- results: collecting ranges, merging parts, and the verdict */
#include "suite/compare.h"
#include "suite/digest.h"

#include <string.h>
#include <time.h>

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int set_broken(conform_result *result, const char *what, const char *name)
{
    result->status = CONFORM_BROKEN;
    snprintf(result->why, sizeof result->why, "%.80s %.160s", what, name);
    return 0;
}

int set_not_run(conform_result *result, const char *why)
{
    result->status = CONFORM_NOT_RUN;
    snprintf(result->why, sizeof result->why, "%s", why);
    return 0;
}

int is_good(const comparison *k, uint64_t got, uint64_t right)
{
    const sf8_word *target = oracle_target(k->oracle);
    if (got == right)
        return 1;
    return k->c->nan_class && target->kind == SF8_WORD_FLOAT && sf8_is_nan(target->format, right) &&
           sf8_is_nan(target->format, got);
}

void differences_add(differences *d, uint64_t index, uint64_t end, uint64_t got, uint64_t right)
{
    conform_result *result = d->result;
    const oracle *o = d->k->oracle;
    uint64_t last = inputs_at(d->k->inputs, end - 1);
    if (o->differs)
        o->differs(o->watcher, inputs_at(d->k->inputs, index), last, got);
    result->differ += end - index;
    result->at_begin |= index == d->k->begin;
    result->at_end |= end == d->k->end;
    if (d->open && index == d->last_index + 1) {
        if (result->range_count <= CONFORM_RANGES)
            result->range[result->range_count - 1].last = last;
    } else {
        if (result->range_count < CONFORM_RANGES)
            result->range[result->range_count] = (conform_range){inputs_at(d->k->inputs, index),
                                                                 last, got, right};
        result->range_count++;
    }
    d->open = 1;
    d->last_index = end - 1;
}

/* ---- parts put together ---------------------------------------------------------------------- */

/* `joined`: the first range of the part continues the last one of the previous part. */
static void add_ranges(conform_result *sum, const conform_result *part, int joined)
{
    for (uint64_t i = 0; i < part->range_count && i < CONFORM_RANGES; i++) {
        const conform_range *range = &part->range[i];
        if (i == 0 && joined) {
            if (sum->range_count <= CONFORM_RANGES)
                sum->range[sum->range_count - 1].last = range->last;
        } else if (sum->range_count - (uint64_t)joined + i < CONFORM_RANGES) {
            sum->range[sum->range_count - (uint64_t)joined + i] = *range;
        }
    }
    sum->range_count += part->range_count - (uint64_t)joined;
}

static void judge(const conform_case *c, conform_result *result)
{
    if (result->status != CONFORM_PASSED && result->status != CONFORM_FAILED)
        return;
    result->status = result->differ || result->crossed ? CONFORM_FAILED : CONFORM_PASSED;
    if (c->known && !result->differ && !result->crossed && result->parts == result->of) {
        result->status = CONFORM_FAILED;
        snprintf(result->why, sizeof result->why,
                 "now matches: remove its entry from the known differences");
    }
}

/* A part that could not be run does not hide the differences of another one. */
static int severity(conform_status status)
{
    static const conform_status order[] = {CONFORM_PASSED, CONFORM_KNOWN, CONFORM_NOT_RUN,
                                           CONFORM_FAILED, CONFORM_STALE, CONFORM_BROKEN};
    int i = 0;
    while (order[i] != status)
        i++;
    return i;
}

void conform_merge(const conform_case *c, const conform_result *const *parts, size_t count,
                   conform_result *r)
{
    *r = *parts[0];
    for (size_t i = 1; i < count; i++) {
        const conform_result *part = parts[i];
        if (severity(part->status) > severity(r->status)) {
            r->status = part->status;
            memcpy(r->why, part->why, sizeof r->why);
        }
        if (part->speeds) {
            memcpy(r->speed, part->speed, sizeof r->speed);
            r->speeds = part->speeds;
            if (r->status == CONFORM_PASSED)
                memcpy(r->why, part->why, sizeof r->why);
        }
        if (!r->diagnosis[0])
            memcpy(r->diagnosis, part->diagnosis, sizeof r->diagnosis);
        int neighbours = parts[i - 1]->first_part + parts[i - 1]->parts == part->first_part;
        add_ranges(r, part, neighbours && r->at_end && part->at_begin);
        r->at_end = part->at_end;
        r->inputs += part->inputs;
        r->differ += part->differ;
        r->crossed += part->crossed;
        r->parts += part->parts;
        r->seconds += part->seconds;
        r->subject_seconds += part->subject_seconds;
        digest_sum(r->digest, part->digest);
    }
    judge(c, r);
}
