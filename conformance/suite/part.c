/* SPDX-License-Identifier: MIT */
/* part.c -- one part of a case, in this process: run by its family, or its record judged */
#include "suite/recorded.h"

#include <string.h>

/* The device stays open for further parts in this process. */
static int open_device(conform_job *j)
{
    static gpu_device device;
    static int opened;
    const char *missing = opened ? NULL : gpu_open(&device);
    opened = !missing;
    j->device = &device;
    /* it was found before */
    return opened || set_broken(j->result, "the device:", missing);
}

static void judge_record(const conform_job *j)
{
    const record_case *record = j->c->record;
    conform_result *result = j->result;
    snprintf(result->origin, sizeof result->origin, "%s", record->origin);
    snprintf(result->sass, sizeof result->sass, "%s", record->sass ? record->sass : "");
    if (!record->stale) {
        j->c->family->replay(j);
        return;
    }
    result->status = CONFORM_STALE;
    snprintf(result->why, sizeof result->why, "%s", record->stale);
}

static void run_job(conform_job *j)
{
    if (j->c->record)
        judge_record(j);
    else if (!j->c->family->on_device || open_device(j))
        j->c->family->run(j);
}

/* A known difference is confirmed if the same inputs, compared with what the row says, show no
 * difference. */
static void judge_known(const conform_job *j)
{
    static conform_result other;
    conform_result *result = j->result;
    conform_case as = *j->c;
    oracle rule;
    char why[CONFORM_TEXT];
    memcpy(as.oracle, j->c->known->as, sizeof as.oracle);
    memset(&other, 0, sizeof other);
    if (!oracle_open(&rule, &as, why)) {
        set_broken(result, "what the row knows:", why);
        return;
    }
    conform_job again = {j->c, j->o, j->part, &rule, NULL, &other, NULL};
    run_job(&again);
    if (other.status == CONFORM_PASSED && !other.differ && !other.crossed)
        result->status = CONFORM_KNOWN;
    else
        snprintf(result->why, sizeof result->why,
                 "differs, but not only in the known way: %llu inputs differ otherwise",
                 (unsigned long long)(other.differ + other.crossed));
}

void conform_run_part(const conform_case *c, const conform_options *o, conform_part part,
                      conform_result *result, char **record)
{
    oracle rule;
    conform_job j = {c, o, part, c->oracle[0].function ? &rule : NULL, NULL, result, record};
    char why[CONFORM_TEXT];
    memset(result, 0, sizeof *result);
    result->first_part = part.index;
    result->parts = 1;
    result->of = part.of;
    if (record)
        *record = NULL;
    /* The record of a case that no longer exists has no oracle, and says so. */
    if (j.rule && !oracle_open(&rule, c, why))
        set_broken(result, "the row:", why);
    else
        run_job(&j);
    if (c->known && result->status == CONFORM_FAILED)
        judge_known(&j);
}

void conform_run_against(const conform_case *c, const conform_options *o, const oracle *other,
                         conform_result *result)
{
    conform_options quick = *o;
    conform_job j = {c, &quick, {0, 1}, other, NULL, result, NULL};
    quick.tier = TIER_QUICK;
    memset(result, 0, sizeof *result);
    result->parts = result->of = 1;
    run_job(&j);
}
