/* SPDX-License-Identifier: MIT */
/* part.c -- one part of a case, in this process: its oracle, its inputs, what it is compared with
 */
#include "families/attend/device.h"
#include "families/libraries/libraries.h"
#include "families/blocks/blocks.h"
#include "families/kv/caches.h"
#include "families/chain/chain.h"
#include "suite/compare.h"
#include "families/kv/kv.h"
#include "families/merge/device.h"
#include "families/mma/mma.h"
#include "record/record.h"
#include "suite/right.h"
#include "families/published/silicon.h"

#include <stdlib.h>
#include <string.h>

static int not_run(conform_result *result, const char *why)
{
    result->status = CONFORM_NOT_RUN;
    snprintf(result->why, sizeof result->why, "%s", why);
    return 0;
}

/* The inputs of that tier, by the oracle of the row whatever it is compared with; and the part of
 * them. */
static int open_inputs(comparison *k, inputs *in, conform_tier tier, conform_part part,
                       conform_result *result)
{
    oracle rule;
    char why[CONFORM_TEXT];
    if (!oracle_open(&rule, k->c, why) || !inputs_open(in, &rule, k->c->domain, tier, why))
        return set_broken(result, "the row:", why);
    k->inputs = in;
    k->begin = in->count / part.of * part.index;
    k->end = part.index + 1 == part.of ? in->count : in->count / part.of * (part.index + 1);
    return 1;
}

/* ---- host ------------------------------------------------------------------------------------ */

static const gpu_subject *find_subject(const char *name)
{
    size_t count = 0;
    const gpu_subject *list = gpu_host_subjects(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    }
    return NULL;
}

static void run_host(comparison *k, conform_tier tier, conform_part part, conform_result *result)
{
    inputs in;
    if (gpu_host_missing()) {
        not_run(result, gpu_host_missing());
        return;
    }
    const gpu_subject *subject = find_subject(k->c->subject);
    if (!subject)
        set_broken(result, "no subject", k->c->subject);
    else if (open_inputs(k, &in, tier, part, result)) {
        compare_subject(k, subject, result);
        inputs_close(&in);
    }
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* The conversion of the case at hand: a subject is told words and no more. */
static struct {
    const char *level;
    sf8_format to, from;
    sf8_policy policy;
} array;

static void convert_array(const void *in, void *out, size_t n)
{
    sf8_convert_n_at(array.level, array.to, out, array.from, in, n, array.policy);
}

static int word_bytes(sf8_format f)
{
    int bits = sf8_format_bits(f);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static int has_level(const char *name)
{
    const char *level;
    for (size_t i = 0; (level = sf8_simd_at(i)) != NULL; i++) {
        if (strcmp(level, name) == 0)
            return 1;
    }
    return 0;
}

static void run_arrays(comparison *k, conform_tier tier, conform_part part, conform_result *result)
{
    inputs in;
    oracle row;
    char why[CONFORM_TEXT];
    if (!has_level(k->c->subject)) {
        snprintf(why, sizeof why, "no %s here", k->c->subject);
        not_run(result, why);
    } else if (!oracle_open(&row, k->c, why) || !oracle_is_conversion(&row)) {
        set_broken(result, "the row: no conversion:", k->c->name);
    } else if (open_inputs(k, &in, tier, part, result)) {
        array.level = k->c->subject;
        array.to = oracle_target(&row)->format;
        array.from = oracle_source(&row)->format;
        array.policy = row.policy[0];
        const gpu_subject subject = {k->c->subject,        NULL, word_bytes(array.from),
                                     word_bytes(array.to), 1,    convert_array};
        compare_subject(k, &subject, result);
        inputs_close(&in);
    }
}

/* ---- device ---------------------------------------------------------------------------------- */

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

/* What the device counted and summed, against the rows and against the oracle here. The codes of
 * the oracle there were made by another compiler: so a wrong one is seen. */
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
        return set_broken(result, "the rows that came do not tell all codes of", k->c->subject);
    if (sweep->check && (right_sum != lane->right_sum || right_weighted != lane->right_weighted ||
                         differ != lane->differ))
        return set_broken(result, "the oracle on the device is not the one here:", k->c->subject);
    return 1;
}

static void take_answer(comparison *k, const gpu_sweep *sweep, const gpu_answer *answer,
                        conform_result *result, char **record)
{
    code_tables tables;
    memset(&tables, 0, sizeof tables);
    result->seconds = answer->seconds;
    result->subject_seconds = answer->subject_seconds;
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

/* A sweep of words in no order: neighbours are any. */
static const char *try_neighbours(comparison *k, const gpu_sweep *sweep, conform_result *result)
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

static void run_device(comparison *k, conform_tier tier, conform_part part, conform_result *result,
                       char **record)
{
    static gpu_device device;
    static int opened;
    const char *missing = opened ? NULL : gpu_open(&device);
    inputs in;
    opened = !missing;
    if (missing) { /* it was there when it was asked for */
        set_broken(result, "the device:", missing);
        return;
    }
    if (k->c->domain == DOMAIN_BLOCKS) {
        blocks_run(k->c, &device, result, record);
        return;
    }
    if (k->c->domain == DOMAIN_KV) {
        kv_run(k->c, &device, tier, result, record);
        return;
    }
    if (k->c->domain == DOMAIN_ATTEND) {
        attend_case_run(k->c, &device, tier, result, record);
        return;
    }
    if (k->c->domain == DOMAIN_MERGE) {
        merge_case_run(k->c, &device, tier, result, record);
        return;
    }
    if (k->c->domain == DOMAIN_ROWS) {
        chain_device_run(k->c, &device, result);
        return;
    }
    if (k->c->domain == DOMAIN_MMA) {
        mma_run(k->c, &device, tier, part, result, record);
        return;
    }
    const gpu_device_subject *subject = find_device_subject(k->c->subject);
    if (!subject) {
        set_broken(result, "no subject", k->c->subject);
        return;
    }
    const char *sass = gpu_device_sass(subject);
    snprintf(result->sass, sizeof result->sass, "%s", sass ? sass : "");
    if (subject->needs && !device.emulated && strcmp(subject->needs, device.target) != 0) {
        result->status = CONFORM_NOT_RUN;
        snprintf(result->why, sizeof result->why, "needs %s", subject->needs);
        return;
    }
    /* The same inputs whatever the tier, so that every record has them. */
    int all = k->c->domain == DOMAIN_ALL && !device.emulated;
    if (!open_inputs(k, &in, all ? TIER_FULL : TIER_QUICK, part, result))
        return;
    gpu_answer answer;
    gpu_sweep sweep = sweep_of(k, subject);
    const char *wrong = gpu_run(&sweep, &answer);
    if (!wrong) {
        if (answer.too_many)
            set_broken(result, "codes that change too often in", k->c->subject);
        else
            take_answer(k, &sweep, &answer, result, record);
        gpu_answer_free(&answer);
        if (result->status != CONFORM_BROKEN && subject->lanes > 1)
            wrong = try_neighbours(k, &sweep, result);
    }
    if (wrong)
        set_broken(result, "the device:", wrong);
    inputs_close(&in);
}

/* ---- records --------------------------------------------------------------------------------- */

/* Where all lanes gave the same the digest does not depend on what is right. */
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

static void run_record(comparison *k, conform_result *result)
{
    static const conform_part whole = {0, 1};
    const record_case *record = record_case_of(k->c);
    inputs in;
    if (!record) {
        set_broken(result, "no record of", k->c->name);
        return;
    }
    snprintf(result->origin, sizeof result->origin, "%s", record->origin);
    snprintf(result->sass, sizeof result->sass, "%s", record->sass ? record->sass : "");
    if (record->stale) {
        result->status = CONFORM_STALE;
        snprintf(result->why, sizeof result->why, "%s", record->stale);
        return;
    }
    if (k->c->domain == DOMAIN_BLOCKS) {
        blocks_replay(k->c, record, result);
        return;
    }
    if (k->c->domain == DOMAIN_KV) {
        kv_replay(k->c, record, result);
        return;
    }
    if (k->c->domain == DOMAIN_ATTEND) {
        attend_replay(k->c, record, result);
        return;
    }
    if (k->c->domain == DOMAIN_MERGE) {
        merge_replay(k->c, record, result);
        return;
    }
    if (k->c->domain == DOMAIN_MMA) {
        mma_replay(k->c, record, result);
        return;
    }
    if (k->c->domain == DOMAIN_ALL && !record->whole && !record->emulated) {
        result->status = CONFORM_STALE;
        snprintf(result->why, sizeof result->why, "a set of inputs, where the suite asks all");
        return;
    }
    if (!open_inputs(k, &in, record->whole ? TIER_FULL : TIER_QUICK, whole, result))
        return;
    code_tables tables;
    char why[CONFORM_TEXT];
    void *rows = record_index(record, &in, &tables, why);
    if (rows) {
        compare_tables(k, &tables, result);
        check_digest(record, &tables, result);
    } else {
        result->status = CONFORM_STALE;
        snprintf(result->why, sizeof result->why, "%s", why);
    }
    free(rows);
    inputs_close(&in);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void run_part(comparison *k, const conform_options *o, conform_part part,
                     conform_result *result, char **record)
{
    const conform_tier tier = o->tier;
    switch (k->c->place) {
    case PLACE_HOST:
        run_host(k, tier, part, result);
        break;
    case PLACE_ARRAYS:
        run_arrays(k, tier, part, result);
        break;
    case PLACE_DEVICE:
        run_device(k, tier, part, result, record);
        break;
    case PLACE_RECORD:
        run_record(k, result);
        break;
    case PLACE_SILICON:
        silicon_run(k->c, result);
        break;
    case PLACE_CHAIN:
        chain_run(k->c, result);
        break;
    case PLACE_CACHES:
        caches_run(k->c, result);
        break;
    case PLACE_LIBS:
        attend_lib_run(k->c, o, result);
        break;
    }
}

/* A known case differs as its row says where a run of the same inputs against what the row says
 * finds nothing. */
static void judge_known(const conform_case *c, const conform_options *o, conform_part part,
                        conform_result *result)
{
    static conform_result other;
    conform_case as = *c;
    oracle rule;
    comparison k = {c, &rule, NULL, 0, 0};
    char why[CONFORM_TEXT];
    memcpy(as.oracle, c->known->as, sizeof as.oracle);
    memset(&other, 0, sizeof other);
    if (!oracle_open(&rule, &as, why)) {
        set_broken(result, "what the row knows:", why);
        return;
    }
    run_part(&k, o, part, &other, NULL);
    if (other.status == CONFORM_PASSED && !other.differ && !other.crossed)
        result->status = CONFORM_KNOWN;
    else
        snprintf(result->why, sizeof result->why,
                 "differs, but not only as the row says: on %llu inputs otherwise",
                 (unsigned long long)(other.differ + other.crossed));
}

void conform_run_part(const conform_case *c, const conform_options *o, conform_part part,
                      conform_result *result, char **record)
{
    oracle rule;
    comparison k = {c, &rule, NULL, 0, 0};
    char why[CONFORM_TEXT];
    memset(result, 0, sizeof *result);
    result->first_part = part.index;
    result->parts = 1;
    result->of = part.of;
    if (record)
        *record = NULL;
    /* A record of a case that is no more has no oracle, and says so. */
    if (c->oracle[0].function && !oracle_open(&rule, c, why))
        set_broken(result, "the row:", why);
    else
        run_part(&k, o, part, result, record);
    if (c->known && result->status == CONFORM_FAILED)
        judge_known(c, o, part, result);
}

void conform_run_against(const conform_case *c, const conform_options *o, const oracle *other,
                         conform_result *result)
{
    comparison k = {c, other, NULL, 0, 0};
    conform_options quick = *o;
    quick.tier = TIER_QUICK;
    memset(result, 0, sizeof *result);
    result->parts = result->of = 1;
    run_part(&k, &quick, (conform_part){0, 1}, result, NULL);
}
