/* SPDX-License-Identifier: MIT */
/* failing.c -- a case that failed, given to the engine; what that found, in words */
#include "failing/failing.h"

#include "failing/row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POLICIES = 3 }; /* that are named beside a change */
/* What the search may take of a processor, whatever else runs there; and a limit of a case that
 * leaves time to observe it once more. */
static const double SECONDS = 8, LONG_ENOUGH = 30;

static double processor_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* ---- what the engine asks -------------------------------------------------------------------- */

static int open_model(identify_subject *row, const identify_cells *cells,
                      const identify_diagnosis *d, const identify_model *m)
{
    failing *f = (failing *)row;
    return seconds_now() < f->deadline && processor_seconds() < f->used_up &&
           (m->policy_index == IDENTIFY_ROW ||
            oracle_policy_holds(&f->oracle, sf8_policy_at(m->policy_index))) &&
           change_oracle(f, &cells->seen, d, m);
}

/* Of lanes that have other random words each, some one gave what came. */
static int is_right(const identify_subject *row, const identify_cells *cells,
                    const identify_model *m, const identify_cell *cell, uint64_t *code)
{
    (void)cells, (void)m;
    const failing *f = (const failing *)row;
    *code = oracle_call(&f->tried, cell->first);
    int right = is_good(&f->k, cell->code, *code);
    for (int lane = 1; !right && !f->tried.alike && lane < GPU_LANES; lane++)
        right = is_good(&f->k, cell->code, oracle_call_lane(&f->tried, cell->first, lane));
    return right;
}

/* The first inputs of the ranges that are kept of a result. */
static void add_probes(identify_subject *row, const conform_result *r)
{
    size_t ranges = r->range_count < CONFORM_RANGES ? (size_t)r->range_count : CONFORM_RANGES;
    for (size_t i = 0; i < ranges && row->probes < IDENTIFY_PROBES; i++) {
        const conform_range *range = &r->range[i];
        row->probe[row->probes++] = (identify_cell){range->first, range->first, 1, range->got, 0};
    }
}

/* UINT64_MAX where it could not be run: a record of a set has no other inputs than the row's. */
static uint64_t run_against(failing *f, const oracle *o)
{
    static conform_result result;
    conform_run_against(f->c, f->o, o, &result);
    if (result.status != CONFORM_PASSED && result.status != CONFORM_FAILED)
        return UINT64_MAX;
    f->inputs = result.inputs;
    add_probes(&f->row, &result);
    return result.differ;
}

static uint64_t prove(identify_subject *row)
{
    failing *f = (failing *)row;
    return run_against(f, &f->tried);
}

/* ---- what is said ---------------------------------------------------------------------------- */

static size_t count_right(const failing *f)
{
    size_t right = 0;
    uint64_t code;
    for (size_t i = 0; i < f->row.kept; i++)
        right += (size_t)is_right(&f->row, NULL, NULL, &f->row.probe[i], &code);
    return right;
}

/* Named policies that do the same as a change. */
static void add_policies(words *w, failing *f, const identify_cells *cells)
{
    const sf8_policy_row *policy;
    const char *name[POLICIES];
    int n = 0;
    for (size_t i = 0; n < POLICIES && (policy = sf8_policy_at(i)) != NULL; i++) {
        identify_model m = identify_case_model(&f->row, i);
        if (open_model(&f->row, cells, &f->d, &m) && count_right(f) == f->row.kept &&
            prove(&f->row) == 0)
            name[n++] = policy->name;
    }
    for (int i = 0; i < n; i++) {
        words_add(w, i ? ", " : n == 1 ? "; so does the policy " : "; so do the policies ");
        words_add(w, name[i]);
    }
}

static void tell(words *w, failing *f, const identify_cells *cells)
{
    const identify_model *m = &f->d.found[0];
    words_add(w, "on all ");
    words_add_number(w, f->inputs);
    words_add(w, " inputs tried it ");
    words_add_model(w, f, &cells->seen, m);
    if (m->policy_index == IDENTIFY_ROW && m->changes == 1 &&
        identify_is_field(&f->d.list[m->change[0]]) && f->d.list[m->change[0]].step == f->row.step)
        add_policies(w, f, cells);
}

/* Nothing explains all. Names the model that explains at least half, by ranges or by inputs, and
 * makes nothing worse. */
static void tell_closest(words *w, failing *f, const identify_cells *cells, uint64_t row)
{
    const identify_model *m = &f->d.found[0];
    size_t right = 0;
    uint64_t left = UINT64_MAX;
    if (change_oracle(f, &cells->seen, &f->d, m)) {
        right = count_right(f);
        left = run_against(f, &f->tried);
    }
    if (left >= row || (2 * right < f->row.kept && left > row / 2)) {
        words_add(w, "nothing known explains it: no policy, no change of up to three of its "
                     "fields, no rounding twice, no other format");
        return;
    }
    words_add(w, "no single rule explains all: in ");
    words_add_number(w, right);
    words_add(w, " of ");
    words_add_number(w, f->row.kept);
    words_add(w, " ranges, by their first inputs, it ");
    words_add_model(w, f, &cells->seen, m);
    words_add(w, "; under that rule ");
    words_add_number(w, left);
    words_add(w, " of the inputs tried still differ, under the row's ");
    words_add_number(w, row);
}

/* ---- the row --------------------------------------------------------------------------------- */

static int is_rounding_step(const oracle *o, int step)
{
    return (int)o->function[step].op < SF8_OP_COUNT;
}

/* What the engine has to know of the row. */
static void describe(failing *f)
{
    identify_subject *row = &f->row;
    for (int i = 0; i < f->oracle.steps; i++) {
        row->rounds[i] = is_rounding_step(&f->oracle, i);
        row->step = row->rounds[i] ? i : row->step;
    }
    const sf8_function *last = &f->oracle.function[row->step];
    row->policy = f->oracle.policy[row->step];
    row->converts = last->op == SF8_OP_CONVERT && last->operand[0].kind == SF8_WORD_FLOAT &&
                    last->result.kind == SF8_WORD_FLOAT;
    if (row->converts) {
        row->from = last->operand[0].format;
        row->to = last->result.format;
        row->readings = identify_readings(row->from, row->to, row->reading);
    }
    /* another policy in the place of its own is the first change */
    row->most = IDENTIFY_ROW_CHANGES + 1;
    row->changes = identify_case_changes;
    row->open = open_model;
    row->is_right = is_right;
    row->prove = prove;
}

void explain_failure(const conform_case *c, const conform_options *o, conform_result *result)
{
    static failing f; /* too large for a stack */
    char why[CONFORM_TEXT];
    words w = {result->diagnosis, 0};
    identify_set set;
    identify_cells cells;
    search_words boundaries = {NULL, 0, 0, NULL};
    memset(&f, 0, sizeof f);
    memset(&set, 0, sizeof set);
    memset(&cells, 0, sizeof cells);
    result->diagnosis[0] = '\0';
    f.c = c;
    f.o = o;
    add_probes(&f.row, result);
    f.row.kept = f.row.probes;
    if (f.row.kept == 0 || !c->oracle[0].function || !oracle_open(&f.oracle, c, why))
        return;
    f.k = (comparison){c, &f.oracle, NULL, 0, 0};
    describe(&f);
    uint64_t row = run_against(&f, &f.oracle);
    if ((o->limit <= 0 || o->limit >= LONG_ENOUGH) && observe(&f, &set))
        cells = identify_cut(&set, &boundaries);
    cells.set = &set;
    cells.subject = &f.row;
    f.deadline = o->limit > 0 ? seconds_now() + o->limit / 2 : INFINITY;
    f.used_up = processor_seconds() + SECONDS;
    identify_search(&cells, NULL, 0, &f.d);
    if (f.d.found[0].differ == 0)
        tell(&w, &f, &cells);
    else
        tell_closest(&w, &f, &cells, row);
    identify_cells_free(&cells);
    identify_free(&set);
    search_words_free(&boundaries);
}
