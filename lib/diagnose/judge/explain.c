/* SPDX-License-Identifier: MIT */
/* explain.c -- what explains codes that the uncertainty does not excuse
 *
 * One field of the policy is changed, or all values are multiplied by one factor, or cut to a
 * narrower format. Such a change explains the codes only if every code of a sample is excused then,
 * in which are those that are outside. First nothing of the uncertainty is left: so an explanation
 * of every bit comes before one of all but noise. All that explain equally much are listed.
 */
#include "diagnose/judge/judge.h"
#include "diagnose/numbers.h"
#include "diagnose/policy/identify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LISTED = 4, FEW = 16, SOME = 4 };

int judge_policies(sf8_policy policy, sf8_format to, sf8_policy ends[2])
{
    ends[0] = ends[1] = policy;
    if (policy.round == SF8_SR) { /* either neighbour */
        ends[0].round = SF8_RD;
        ends[1].round = SF8_RU;
    }
    return (to.is_signed || policy.negative != SF8_NEG_ABS) && policy.overflow != SF8_TO_ZERO &&
           policy.round_past_max == SF8_ROUND_PAST_MAX_OVERFLOW &&
           policy.beyond_max == SF8_BEYOND_MAX_OVERFLOW &&
           (to.has_zero || policy.missing_zero == SF8_ZERO_MIN);
}

/* ---- changed values -------------------------------------------------------------------------- */

/* Two units in the last place of f32: a product and a quotient. */
#define SLACK 0x1p-22

static double rounded_to(sf8_format f, unsigned round, double x)
{
    sf8_policy policy = SF8_OCP_NOSAT;
    uint64_t bits;
    policy.round = round & SF8_ROUND_MASK;
    memcpy(&bits, &x, sizeof bits);
    return judge_value(f, sf8_convert(f, SF8_F64, bits, policy));
}

void judge_changed(const judge_change *change, double *x, judge_interval *allowed)
{
    double below = *x - allowed->low, above = allowed->high - *x, factor = change->factor;
    if (isnan(*x) || isnan(allowed->low) || isinf(*x))
        return;
    if (change->before) {
        double most = *x * (1 - ldexp(1, -change->by.man_bits));
        *allowed = (judge_interval){fmin(*x, most), fmax(*x, most)};
        return;
    }
    if (change->is_rounded)
        *x = rounded_to(change->by, change->round, *x);
    *x *= factor;
    double slack = factor == 1 ? 0 : fabs(*x) * SLACK;
    allowed->low = *x - change->left * factor * below - slack;
    allowed->high = *x + change->left * factor * above + slack;
}

/* ---- what a sample says ---------------------------------------------------------------------- */

static int excuse(const judge_rounding *r, double x, judge_interval allowed, uint64_t got,
                  void *none)
{
    sf8_judged_one one;
    (void)none;
    return judge_element(r, x, allowed, got, 0, &one);
}

int judge_holds(judge_trial *t, sf8_policy policy, const judge_change *change)
{
    return t->each(t, policy, change, excuse, NULL);
}

/* Makes the interval of factors narrower. */
static int narrow(const judge_rounding *r, double x, judge_interval allowed, uint64_t got,
                  void *factors)
{
    (void)x;
    return judge_narrow_factors(r, allowed, got, factors);
}

int judge_factors(judge_trial *t, const judge_change *change, double ends[2])
{
    ends[0] = 0;
    ends[1] = INFINITY;
    return t->each(t, t->policy, change, narrow, ends);
}

static int add_lean(const judge_rounding *r, double x, judge_interval allowed, uint64_t got,
                    void *sum)
{
    *(double *)sum += isnan(allowed.low) ? 0 : judge_leans(r, x, got);
    return 1;
}

/* The sum of judge_leans of the sample. */
static double lean(judge_trial *t, const judge_change *change)
{
    double sum = 0;
    t->each(t, t->policy, change, add_lean, &sum);
    return sum;
}

/* ---- changes --------------------------------------------------------------------------------- */

typedef struct explaining {
    diagnosis_run *run;
    judge_trial *t;
    double left;
    const char *found;
    int count;
} explaining;

static void add(explaining *e, const char *words)
{
    if (e->count++ < LISTED)
        e->found = diagnosis_text(e->run, "%s%s%s", e->found, e->found[0] ? "; or " : "", words);
}

/* Fields of the policy: rounding, what becomes of small and of large values. */
static void try_fields(explaining *e)
{
    static const char *const names[] = {"round", "flush", "overflow"};
    const judge_change change = {.factor = 1, .left = e->left};
    const identify_cause *row;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (size_t i = 0; (row = identify_cause_at(i)) != NULL; i++) {
            sf8_policy policy = e->t->policy, ends[2];
            if (row->apply || !row->value || strcmp(row->name, names[n]) != 0 ||
                sf8_policy_set(&policy, row->name, row->value) != SF8_OK ||
                policy.round == SF8_SR || sf8_policy_pack(policy) == sf8_policy_pack(e->t->policy))
                continue;
            if (judge_policies(policy, e->t->to, ends) && judge_holds(e->t, policy, &change))
                add(e, row->words);
        }
}

static const struct {
    const char *name, *words;
    unsigned round;
} values[] = {{"bf16", "rounded to bf16", SF8_RNE},
              {"f16", "rounded to f16", SF8_RNE},
              {"bf16", "cut to bf16, not rounded", SF8_RZ},
              {"f16", "cut to f16, not rounded", SF8_RZ}};

const char *judge_values_at(size_t i, judge_change *change)
{
    if (i >= sizeof values / sizeof values[0])
        return NULL;
    *change = (judge_change){.factor = 1,
                             .is_rounded = 1,
                             .by = sf8_format_named(values[i].name, NULL),
                             .round = values[i].round};
    return values[i].words;
}

const char *judge_values_say(diagnosis_run *run, const char *words, const judge_change *change)
{
    return diagnosis_text(run, "the values are %s%s", words,
                          change->round == SF8_RNE ? " first" : "");
}

static void try_formats(explaining *e)
{
    judge_change change;
    const char *words;
    for (size_t i = e->left > 0 ? 2 : 0; (words = judge_values_at(i, &change)) != NULL; i++) {
        change.before = e->left > 0;
        if (judge_holds(e->t, e->t->policy, &change)) {
            add(e, judge_values_say(e->run, words, &change));
            return; /* what is cut to f16 is also within a unit of bf16 */
        }
    }
}

/* Where all flips are excused, but lie on one side: the factor with which they lie on both. */
static double balanced(explaining *e, double low, double high)
{
    judge_change change = {.factor = low};
    int sign = lean(e->t, &change) > 0 ? 1 : -1; /* of codes by too small a factor */
    change.factor = high;
    if (sign < 0 || lean(e->t, &change) >= 0)
        return 0;
    for (int i = 0; i < 30; i++) {
        change.factor = (low + high) / 2;
        if (lean(e->t, &change) > 0)
            low = change.factor;
        else
            high = change.factor;
    }
    return (low + high) / 2;
}

static void try_factor(explaining *e)
{
    double ends[2], number;
    judge_change change = {.factor = 1, .left = e->left};
    char text[NUMBER_TEXT];
    if (!judge_factors(e->t, &change, ends) || ends[0] <= 0 || isinf(ends[1]))
        return;
    if (e->left > 0 && ends[0] <= 1 && ends[1] >= 1) {
        number = balanced(e, ends[0], ends[1]);
        if (number > 0)
            add(e, diagnosis_text(e->run,
                                  "the values are about %.5g times the exact ones, as with a scale "
                                  "that is too %s",
                                  number, number < 1 ? "large" : "small"));
        return;
    }
    if (ends[0] <= 1 && ends[1] >= 1)
        return;
    number_shortest(ends[0], ends[1], text, &change.factor);
    if (!judge_holds(e->t, e->t->policy, &change))
        return;
    add(e, e->left > 0
               ? diagnosis_text(e->run,
                                "the values are %s times the exact ones, as with a scale "
                                "that is too %s",
                                number_interval(ends[0], ends[1], text),
                                change.factor < 1 ? "large" : "small")
               : diagnosis_text(e->run,
                                "the values are %s times the exact ones, as with a scale %.4g "
                                "times as large",
                                text, 1 / change.factor));
}

/* Few codes have many explanations. With the uncertainty much is excused that is not explained. So
 * some codes have to be outside, and a factor needs flips on one side, or a code that is far
 * outside: else the uncertainty is perhaps only somewhat larger than was stated. */
const char *judge_explain(diagnosis_run *run, judge_trial *t, const sf8_judgement *j)
{
    explaining e = {run, t, 0, "", 0};
    if (j->codes.differ < SOME)
        return "";
    int is_sided = j->sides.is_one_sided || j->codes.worst.of_allowed > JUDGE_FAR;
    for (; e.left <= 1 && e.count == 0 &&
           (e.left == 0 || j->codes.outside >= FEW || j->sides.is_one_sided);
         e.left++) {
        if (t->policy.round != SF8_SR && (e.left == 0 || j->codes.outside > 0))
            try_fields(&e); /* where all is excused already, most fields would hold */
        if (e.left == 0 || is_sided) {
            try_factor(&e);
            try_formats(&e);
        }
    }
    return e.count > LISTED ? diagnosis_text(run, "%s; or %d others", e.found, e.count - LISTED)
                            : e.found;
}
