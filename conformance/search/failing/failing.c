/* SPDX-License-Identifier: MIT */
/* failing.c -- the smallest change to a row's rules that explains all that differs
 *
 * A candidate is the row's oracle with something changed. At the first input of each range that was
 * kept it must give what came; then the case is run against it. Where that run differs, it tells
 * what came at more inputs: these join the ones that every later candidate has to get right, so
 * few of the thousands of candidates are ever run.
 */
#include "search/failing/failing.h"

#include "search/failing/row.h"

#include <stdio.h>
#include <string.h>

enum { POLICIES = 3 };
static const double SECONDS = 4, LONG_ENOUGH = 30;

/* ---- candidates ------------------------------------------------------------------------------ */

static void add_change(search *s, const char *field, const char *value, size_t length)
{
    if (s->changes == LIST || length >= sizeof s->list[0].value)
        return;
    s->list[s->changes].field = field;
    snprintf(s->list[s->changes].value, sizeof s->list[0].value, "%.*s", (int)length, value);
    s->changes++;
}

/* Every value of every field; numbers of random bits only where they count. */
static void list_changes(search *s)
{
    const char *field;
    for (size_t i = 0; (field = sf8_policy_field_at(i)) != NULL; i++) {
        const char *at = sf8_policy_field_values(i);
        while (*at) {
            size_t n = strcspn(at, " ");
            add_change(s, field, at, n);
            at += n + (at[n] == ' ');
        }
    }
    for (int bits = 1; s->row.policy[s->step].round == SF8_SR && bits <= 32; bits++) {
        char text[16];
        add_change(s, "sr_bits", text, (size_t)snprintf(text, sizeof text, "%d", bits));
    }
}

/* Rounded to the format `via` first, as an assignment to a variable of that type would. */
static int put_via(const candidate *d, oracle *o)
{
    const sf8_function f = o->function[d->step];
    sf8_status status;
    sf8_format middle = sf8_format_named(d->via, &status);
    if (status != SF8_OK || o->steps == CONFORM_STEPS || f.op != SF8_OP_CONVERT ||
        f.operand[0].kind != SF8_WORD_FLOAT || f.result.kind != SF8_WORD_FLOAT)
        return 0;
    for (int i = o->steps; i > d->step; i--) {
        o->function[i] = o->function[i - 1];
        o->policy[i] = o->policy[i - 1];
    }
    o->steps++;
    o->function[d->step] = sf8_function_convert(f.operand[0].format, middle);
    o->function[d->step + 1] = sf8_function_convert(middle, f.result.format);
    o->policy[d->step] = sf8_policy_named("ocp-nosat", NULL);
    return sf8_policy_set(&o->policy[d->step], "nan_sign", "signed") == SF8_OK &&
           sf8_policy_set(&o->policy[d->step], "nan_code", "payload") == SF8_OK &&
           sf8_policy_set(&o->policy[d->step], "round", d->via_round) == SF8_OK;
}

/* The last step's conversion from the operand of the first; a relu behind it stays. */
static int put_once(const search *s, oracle *o)
{
    char name[64];
    const char *from = s->c->oracle[0].function, *to = s->c->oracle[s->step].function;
    const char *from_end = strstr(from, "_to_");
    to = strstr(to, "_to_");
    if (s->step == 0 || !from_end || !to)
        return 0;
    snprintf(name, sizeof name, "%.*s%s", (int)(from_end - from), from, to);
    if (sf8_function_named(name, &o->function[0]) != SF8_OK)
        return 0;
    o->policy[0] = s->row.policy[s->step];
    for (int i = s->step + 1; i < s->row.steps; i++) {
        o->function[i - s->step] = s->row.function[i];
        o->policy[i - s->step] = s->row.policy[i];
    }
    o->steps = s->row.steps - s->step;
    return 1;
}

static int oracle_of(const search *s, const candidate *d, oracle *o)
{
    *o = s->row;
    if (d->model) {
        o->model = model_code;
        o->of_model = d->model;
        o->model_step = d->step;
    }
    sf8_policy *policy = &o->policy[d->step];
    if (d->policy) {
        sf8_policy row = *policy;
        *policy = sf8_policy_named(d->policy, NULL);
        policy->round = row.round;
        policy->sr_rule = row.sr_rule;
        policy->sr_bits = row.sr_bits;
    }
    for (int i = 0; i < d->changes; i++) {
        if (sf8_policy_set(policy, d->change[i]->field, d->change[i]->value) != SF8_OK)
            return 0;
    }
    return (!d->via || put_via(d, o)) && (!d->once || put_once(s, o));
}

/* ---- trying ---------------------------------------------------------------------------------- */

/* Of lanes that have other random words each, some one gave what came. */
static int is_right(const search *s, const oracle *o, const conform_range *probe)
{
    int lanes = o->alike ? 1 : GPU_LANES;
    for (int lane = 0; lane < lanes; lane++) {
        if (is_good(&s->k, probe->got, oracle_call_lane(o, probe->first, lane)))
            return 1;
    }
    return 0;
}

/* Runs the case against it: how many inputs differ; what came there is kept. */
static uint64_t run_against(search *s, const oracle *o)
{
    conform_result result;
    conform_run_against(s->c, s->o, o, &result);
    if (result.status != CONFORM_PASSED && result.status != CONFORM_FAILED)
        return UINT64_MAX; /* the record of a set has no other inputs than the row's */
    s->inputs = result.inputs;
    for (size_t i = 0; i < kept_ranges(&result) && s->probes < PROBES; i++)
        s->probe[s->probes++] = result.range[i];
    return result.differ;
}

/* Of those that are right as often, the simple ones: the others are mostly the same and more. */
static void keep_near(search *s, const candidate *d, size_t right)
{
    int at = NEAR;
    while (at > 0 && s->near_right[at - 1] < right)
        at--;
    int simple = d->changes + (d->policy != NULL) <= 1;
    if (at == NEAR || (at > 0 && s->near_right[at - 1] == right && !simple))
        return;
    for (int i = NEAR - 1; i > at; i--) {
        s->near[i] = s->near[i - 1];
        s->near_right[i] = s->near_right[i - 1];
    }
    s->near[at] = *d;
    s->near_right[at] = right;
}

static void keep_least(search *s, const candidate *d, uint64_t left)
{
    if (left >= s->least_left)
        return;
    s->least_left = left;
    s->least = *d;
}

/* Whether it explains everything. */
static int try(search *s, const candidate *d)
{
    oracle o;
    size_t right = 0, more = s->kept;
    if (seconds_now() > s->deadline || !oracle_of(s, d, &o))
        return 0;
    for (size_t i = 0; i < s->kept; i++)
        right += (size_t)is_right(s, &o, &s->probe[i]);
    keep_near(s, d, right);
    while (right == s->kept && more < s->probes && is_right(s, &o, &s->probe[more]))
        more++;
    if (right < s->kept || more < s->probes)
        return 0;
    uint64_t left = run_against(s, &o);
    keep_least(s, d, left);
    return left == 0;
}

/* ---- the search ------------------------------------------------------------------------------ */

static int is_rounding_step(const oracle *o, int step)
{
    return (int)o->function[step].op < SF8_OP_COUNT;
}

static int try_change_in(search *s, candidate *d, int step)
{
    for (int i = 0; is_rounding_step(&s->row, step) && i < s->changes; i++) {
        *d = (candidate){.step = step, .changes = 1, .change = {&s->list[i]}};
        if (try(s, d))
            return 1;
    }
    return 0;
}

static int try_change(search *s, candidate *d)
{
    return try_change_in(s, d, s->step);
}

static int try_change_before(search *s, candidate *d)
{
    for (int step = s->step - 1; step >= 0; step--) {
        if (try_change_in(s, d, step))
            return 1;
    }
    return 0;
}

static int try_policy(search *s, candidate *d)
{
    const sf8_policy_row *row;
    for (size_t i = 0; (row = sf8_policy_at(i)) != NULL; i++) {
        *d = (candidate){.step = s->step, .policy = row->name};
        if (oracle_policy_holds(&s->row, row) && try(s, d))
            return 1;
    }
    return 0;
}

static int try_steps(search *s, candidate *d)
{
    static const char *const middle[] = {"f16", "bf16", "f32", "e5m2"};
    static const char *const round[] = {"rne", "rz"};
    *d = (candidate){.step = s->step, .once = 1};
    if (try(s, d))
        return 1;
    for (int i = 0; i < 8; i++) {
        *d = (candidate){.step = s->step, .via = middle[i / 2], .via_round = round[i % 2]};
        if (try(s, d))
            return 1;
    }
    return 0;
}

static int try_two(search *s, candidate *d)
{
    for (int i = 0; i < s->changes; i++) {
        for (int k = i + 1; k < s->changes; k++) {
            if (s->list[i].field == s->list[k].field)
                continue;
            *d = (candidate){.step = s->step, .changes = 2, .change = {&s->list[i], &s->list[k]}};
            if (try(s, d))
                return 1;
        }
    }
    return 0;
}

static int try_policy_changed(search *s, candidate *d)
{
    const sf8_policy_row *row;
    for (int k = 0; k < s->changes; k++) {
        for (size_t i = 0; (row = sf8_policy_at(i)) != NULL; i++) {
            *d = (candidate){
                .step = s->step, .policy = row->name, .changes = 1, .change = {&s->list[k]}};
            if (oracle_policy_holds(&s->row, row) && try(s, d))
                return 1;
        }
    }
    return 0;
}

/* What identify finds among all policies: up to three changes, defects that are no field, other
 * formats. It cannot be interrupted, so it needs a limit that leaves time for it. */
static int try_model(search *s, candidate *d)
{
    static model m;
    *d = (candidate){.step = s->step, .model = &m};
    if ((s->o->limit > 0 && s->o->limit < LONG_ENOUGH) || !find_model(s, &m))
        return 0;
    s->deadline = seconds_now() + SECONDS;
    return try(s, d);
}

/* ---- what is said ---------------------------------------------------------------------------- */

/* Named policies that do the same as a change. */
static void add_policies(words *w, search *s)
{
    const sf8_policy_row *row;
    const char *name[POLICIES];
    int n = 0;
    for (size_t i = 0; n < POLICIES && (row = sf8_policy_at(i)) != NULL; i++) {
        candidate d = {.step = s->step, .policy = row->name};
        if (oracle_policy_holds(&s->row, row) && try(s, &d))
            name[n++] = row->name;
    }
    for (int i = 0; i < n; i++) {
        words_add(w, i ? ", " : n == 1 ? "; so does the policy " : "; so do the policies ");
        words_add(w, name[i]);
    }
}

static void tell(search *s, const candidate *d, words *w)
{
    words_add(w, "on all ");
    words_add_number(w, s->inputs);
    words_add(w, " inputs tried it ");
    words_add_candidate(w, s, d);
    if (d->changes == 1 && !d->policy && d->step == s->step)
        add_policies(w, s);
}

/* Those that are right at most ranges are run too. How many inputs differ by the row's rules. */
static uint64_t find_closest(search *s)
{
    oracle o;
    double end = seconds_now() + SECONDS / 2;
    for (int i = 0; i < NEAR && s->near_right[i] && seconds_now() < end; i++) {
        if (oracle_of(s, &s->near[i], &o))
            keep_least(s, &s->near[i], run_against(s, &o));
    }
    return run_against(s, &s->row);
}

/* Nothing explains all. What explains half of it, by ranges or by inputs, and makes nothing worse
 * is told. */
static void tell_closest(search *s, words *w)
{
    oracle o;
    size_t right = 0;
    uint64_t row = find_closest(s);
    int closer = row != UINT64_MAX && s->least_left < row && oracle_of(s, &s->least, &o);
    for (size_t i = 0; closer && i < s->kept; i++)
        right += (size_t)is_right(s, &o, &s->probe[i]);
    if (!closer || (2 * right < s->kept && s->least_left > row / 2)) {
        words_add(w, "nothing known explains it: no policy, no change of one or two of its fields, "
                     "no rounding twice");
        return;
    }
    words_add(w, "no single rule explains all: in ");
    words_add_number(w, right);
    words_add(w, " of ");
    words_add_number(w, s->kept);
    words_add(w, " ranges, by their first inputs, it ");
    words_add_candidate(w, s, &s->least);
    words_add(w, "; under that rule ");
    words_add_number(w, s->least_left);
    words_add(w, " of the inputs tried still differ, under the row's ");
    words_add_number(w, row);
}

void diagnose(const conform_case *c, const conform_options *o, conform_result *result)
{
    static int (*const ways[])(search *, candidate *) = {
        try_change, try_policy, try_steps, try_change_before, try_two, try_policy_changed, try_model};
    static search s; /* too large for a stack */
    candidate d;
    char why[CONFORM_TEXT];
    words w = {result->diagnosis, 0};
    memset(&s, 0, sizeof s);
    result->diagnosis[0] = '\0';
    s.c = c;
    s.o = o;
    s.kept = s.probes = kept_ranges(result);
    if (s.kept == 0 || !c->oracle[0].function || !oracle_open(&s.row, c, why))
        return;
    s.k = (comparison){c, &s.row, NULL, 0, 0};
    memcpy(s.probe, result->range, s.kept * sizeof s.probe[0]);
    s.step = s.row.steps - 1;
    while (s.step > 0 && !is_rounding_step(&s.row, s.step))
        s.step--;
    double seconds = o->limit > 0 && o->limit < 2 * SECONDS ? o->limit / 2 : SECONDS;
    s.deadline = seconds_now() + seconds;
    s.least_left = UINT64_MAX;
    list_changes(&s);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (ways[i](&s, &d)) {
            tell(&s, &d, &w);
            return;
        }
    }
    tell_closest(&s, &w);
}
