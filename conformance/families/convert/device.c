/* SPDX-License-Identifier: MIT */
/* device.c -- conversions on the GPU: step tables of all inputs, compared here, written and
 * replayed */
#include "families/convert/convert.h"
#include "record/record.h"
#include "suite/right.h"

#include <stdlib.h>
#include <string.h>

/* ---- a sweep --------------------------------------------------------------------------------- */

static const gpu_device_subject *find_device_subject(const char *name)
{
    size_t count = 0;
    const gpu_device_subject *list = gpu_device_subjects(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    }
    return NULL;
}

static gpu_sweep sweep_of(const comparison *k, const gpu_device_subject *subject)
{
    gpu_sweep sweep;
    const oracle *o = k->oracle;
    memset(&sweep, 0, sizeof sweep);
    sweep.subject = subject;
    sweep.list = k->inputs->list;
    sweep.count = k->inputs->count;
    sweep.check = oracle_is_conversion(o);
    if (sweep.check) {
        sweep.from = oracle_source(o)->format;
        sweep.to = oracle_target(o)->format;
        sweep.policy = o->policy[0];
        sweep.relu = oracle_is_relu(o);
        memcpy(sweep.random, o->random, sizeof sweep.random);
    }
    return sweep;
}

/* 1 + ... + n */
static uint64_t triangle(uint64_t n)
{
    return n & 1 ? n * ((n + 1) / 2) : n / 2 * (n + 1);
}

/* Compares the device's counts and sums with the rows and with the oracle here. Another compiler
 * made the oracle on the device, so that an error in it is noticed. */
static int lane_adds_up(const comparison *k, const gpu_sweep *sweep, const gpu_lane *lane,
                        int number, conform_result *result)
{
    right_codes codes;
    uint64_t sum = 0, weighted = 0, right_sum = 0, right_weighted = 0, differ = 0, end;
    right_open(&codes, k->oracle, k->inputs, number);
    size_t at = 0;
    for (uint64_t i = k->begin; i < k->end; i = end) {
        uint64_t right = right_at(&codes, i, &end), got;
        end = end < k->end ? end : k->end;
        while (at + 1 < lane->rows && lane->row[at + 1].index <= i)
            at++;
        if (at + 1 < lane->rows && lane->row[at + 1].index < end)
            end = lane->row[at + 1].index;
        uint64_t weight = triangle(end) - triangle(i);
        got = lane->row[at].code;
        sum += got * (end - i);
        weighted += got * weight;
        right_sum += right * (end - i);
        right_weighted += right * weight;
        differ += got != right ? end - i : 0;
    }
    if (sum != lane->sum || weighted != lane->weighted)
        return set_broken(result, "the rows that were returned do not give all codes of",
                          k->c->subject);
    if (sweep->check && (right_sum != lane->right_sum || right_weighted != lane->right_weighted ||
                         differ != lane->differ))
        return set_broken(result,
                          "the oracle on the device differs from the one here:", k->c->subject);
    return 1;
}

static void take_answer(const comparison *k, const gpu_sweep *sweep, const gpu_answer *answer,
                        conform_result *result, char **record)
{
    code_tables tables;
    memset(&tables, 0, sizeof tables);
    result->seconds = answer->seconds;
    result->subject_seconds = answer->subject_seconds;
    if (answer->lanes != sweep->subject->lanes) {
        set_broken(result, "the device did not return all lanes of", k->c->subject);
        return;
    }
    tables.lanes = answer->lanes;
    for (int i = 0; i < answer->lanes; i++) {
        tables.row[i] = answer->lane[i].row;
        tables.rows[i] = answer->lane[i].rows;
        if (!lane_adds_up(k, sweep, &answer->lane[i], i, result))
            return;
    }
    compare_tables(k, &tables, result);
    result->seconds = answer->seconds;
    if (record)
        *record = record_case_text(k, sweep->subject, &tables, result, answer->seconds);
}

/* A sweep of inputs in no order, so that neighbours are arbitrary. */
static const char *try_neighbours(const comparison *k, const gpu_sweep *sweep,
                                  conform_result *result)
{
    static uint64_t words[NEIGHBOURS];
    gpu_sweep other = *sweep;
    gpu_answer answer;
    neighbours_fill(k->oracle, words, NEIGHBOURS);
    other.list = words;
    other.count = NEIGHBOURS;
    other.check = 0;
    const char *wrong = gpu_run(&other, &answer);
    if (wrong)
        return wrong;
    for (int lane = 0; lane < answer.lanes; lane++) {
        const gpu_lane *l = &answer.lane[lane];
        for (size_t row = 0; row < l->rows; row++) {
            size_t end = row + 1 < l->rows ? (size_t)l->row[row + 1].index : NEIGHBOURS;
            for (size_t i = (size_t)l->row[row].index; i < end; i++)
                neighbours_check(k, words[i], lane, l->row[row].code, result);
        }
    }
    result->seconds += answer.seconds;
    result->subject_seconds += answer.subject_seconds;
    gpu_answer_free(&answer);
    return NULL;
}

/* ---- a case ---------------------------------------------------------------------------------- */

static void run_sweep(const conform_job *j, comparison *k, const gpu_device_subject *subject)
{
    gpu_answer answer;
    gpu_sweep sweep = sweep_of(k, subject);
    const char *wrong = gpu_run(&sweep, &answer);
    if (!wrong) {
        if (answer.too_many)
            set_broken(j->result, "codes that change too often in", j->c->subject);
        else
            take_answer(k, &sweep, &answer, j->result, j->record);
        gpu_answer_free(&answer);
        if (j->result->status != CONFORM_BROKEN && subject->lanes > 1)
            wrong = try_neighbours(k, &sweep, j->result);
    }
    if (wrong)
        set_broken(j->result, "the device:", wrong);
}

void convert_device_run(const conform_job *j)
{
    inputs in;
    comparison k;
    const gpu_device_subject *subject = find_device_subject(j->c->subject);
    if (!subject) {
        set_broken(j->result, "no subject", j->c->subject);
        return;
    }
    const char *sass = gpu_device_sass(subject);
    snprintf(j->result->sass, sizeof j->result->sass, "%s", sass ? sass : "");
    if (subject->needs && !j->device->emulated && strcmp(subject->needs, j->device->target) != 0) {
        j->result->status = CONFORM_NOT_RUN;
        snprintf(j->result->why, sizeof j->result->why, "needs %s", subject->needs);
        return;
    }
    /* The same inputs whatever the tier, so that every record has them. */
    int all = j->c->domain == DOMAIN_ALL && !j->device->emulated;
    if (!convert_open(&k, &in, j, all ? TIER_FULL : TIER_QUICK))
        return;
    run_sweep(j, &k, subject);
    inputs_close(&in);
}

/* ---- a record -------------------------------------------------------------------------------- */

/* If all lanes returned the same, the digest does not depend on the expected result. */
static void check_digest(const record_case *record, const code_tables *tables,
                         conform_result *result)
{
    for (int lane = 1; lane < tables->lanes; lane++) {
        if (tables->row[lane] != tables->row[0] &&
            (tables->rows[lane] != tables->rows[0] ||
             memcmp(tables->row[lane], tables->row[0],
                    tables->rows[0] * sizeof tables->row[0][0]) != 0))
            return;
    }
    if (strcmp(record->digest, result->digest) != 0)
        set_broken(result, "its table has not the digest that was recorded:", result->digest);
}

static void be_stale(conform_result *result, const char *why)
{
    result->status = CONFORM_STALE;
    snprintf(result->why, sizeof result->why, "%s", why);
}

void convert_replay(const conform_job *j)
{
    const record_case *record = j->c->record;
    inputs in;
    comparison k;
    code_tables tables;
    char why[CONFORM_TEXT];
    if (j->c->domain == DOMAIN_ALL && !record->whole && !record->emulated) {
        be_stale(j->result, "a set of inputs, where the suite asks all");
        return;
    }
    if (!convert_open(&k, &in, j, record->whole ? TIER_FULL : TIER_QUICK))
        return;
    void *rows = record_index(record, &in, &tables, why);
    if (rows) {
        compare_tables(&k, &tables, j->result);
        check_digest(record, &tables, j->result);
    } else {
        be_stale(j->result, why);
    }
    free(rows);
    inputs_close(&in);
}
