/* SPDX-License-Identifier: MIT */
/* results.c -- sf8_diagnose_operation and sf8_diagnose_random, for users */
#include "diagnose/diagnosis.h"
#include "diagnose/policy/expected.h"
#include "diagnose/operation/rules.h"

#include <string.h>

/* ---- what was found -------------------------------------------------------------------------- */

static void explain(diagnosis_run *run, const rules_results *r, const rules_rule *rule,
                    sf8_explanation *e)
{
    const sf8_policy own = sf8_policy_named(rule->policy_name, NULL);
    const identify_cause *way = &rules_ways[rule->way];
    e->policy = rule->policy_name;
    e->round = rule->policy.round == SF8_SR ? "sr" : identify_roundings[rule->policy.round];
    e->differ = r->count - rule->codes;
    if (own.round != rule->policy.round)
        explanation_add(e, "round", e->round, identify_cause_of("round", e->round)->words);
    if (rule->policy.round == SF8_SR) {
        static const char *const rules[] = {"a", "b", "c"};
        const char *value = rules[rule->policy.sr_rule];
        unsigned bits = rule->policy.sr_bits;
        explanation_add(e, "sr_rule", value, identify_cause_of("sr_rule", value)->words);
        explanation_add(e, "sr_bits", diagnosis_text(run, "%u", bits),
                        diagnosis_text(run, "%u random bit%s count%s", bits, bits == 1 ? "" : "s",
                                       bits == 1 ? "s" : ""));
    }
    if (rule->cause)
        explanation_add(e, rule->cause->name, rule->cause->value, rule->cause->words);
    if (way->name &&
        (!r->width || (int)rule->policy.sr_bits < r->width || rule->way == RULES_LOW_INVERTED))
        explanation_add(e, way->name, way->value, way->words);
    if (rule->bias) {
        const sf8_word *to = &r->function.result;
        int own_bias = to->kind == SF8_WORD_FLOAT ? to->format.bias
                                                  : r->function.operand[0].format.bias;
        explanation_add(e, "bias", diagnosis_text(run, "%d", own_bias + rule->bias),
                        "the exponents have another bias");
    }
    explanation_say(run, e);
    const char *text = diagnosis_text(run, "%s, %s", e->policy, e->round);
    for (size_t i = own.round != rule->policy.round; i < e->count; i++)
        text = diagnosis_text(run, "%s, %s=%s", text, e->cause[i].name, e->cause[i].value);
    e->rule = text;
}

/* How many of the best rules are equally good; 0 if they do not give half of the codes. */
static size_t count_best(const rules_results *r, const rules_found *f)
{
    size_t n = f->complete;
    while (n < f->found && !f->complete && 2 * f->rule[n].codes >= r->count &&
           f->rule[n].codes == f->rule[0].codes)
        n++;
    return n;
}

static void report(diagnosis_run *run, const rules_results *r, const rules_found *f,
                   sf8_diagnosis *d)
{
    size_t best = count_best(r, f), fixed = f->is_fixed != 0;
    d->count = (f->complete || !fixed ? best : 0) + fixed;
    sf8_explanation *list = diagnosis_allocate(run, d->count, sizeof *list);
    size_t n = 0;
    if (fixed)
        explain(run, r, &f->fixed, &list[n++]);
    for (int whole = 1; whole >= 0; whole--) /* those that take the whole random number first */
        for (size_t i = 0; i < best && n < d->count; i++)
            if (((int)f->rule[i].policy.sr_bits == r->width) == whole)
                explain(run, r, &f->rule[i], &list[n++]);
    const rules_rule *first = fixed ? &f->fixed : f->rule;
    d->verdict = d->count == 0                                              ? SF8_VERDICT_NONE
                 : list[0].differ > 0                                       ? SF8_VERDICT_NEAREST
                 : first->cause || first->bias || (first->way && !r->width) ? SF8_VERDICT_CHANGED
                                                                            : SF8_VERDICT_POLICY;
    d->list = list;
    d->mistake = d->count ? explanation_causes(run, &list[0], "; ") : "";
    d->is_cut_short = search_is_over(&run->context);
}

/* Counts what the expected policy does not give; without one, what no policy as it is gives. */
static sf8_status compare(const rules_results *r, const rules_found *f, const char *expected,
                          sf8_diagnosis *d)
{
    char full[EXPECTED_TEXT];
    const sf8_word *to = &r->function.result, *from = &r->function.operand[0];
    sf8_format format = to->kind == SF8_WORD_FLOAT ? to->format : from->format;
    rules_rule rule = {.way = r->width ? RULES_LOW : RULES_PLAIN};
    d->wrong = r->count - f->closest;
    if (!expected)
        return SF8_OK;
    if (!expected_read(expected, format, r->width ? from->format : format, full, &rule.policy))
        return SF8_UNKNOWN_NAME;
    rules_count(r, &rule, 0, 0);
    d->wrong = r->count - rule.codes;
    d->is_expected = d->wrong == 0;
    return SF8_OK;
}

/* ---- the results ----------------------------------------------------------------------------- */

static uint64_t mask_of(const sf8_word *word)
{
    return word->bits == 64 ? UINT64_MAX : (UINT64_C(1) << word->bits) - 1;
}

/* Takes the rows; 0 if there are none, or a word is too wide. */
static int take(rules_results *r, const uint64_t *operands, const uint64_t *codes,
                const uint32_t *random)
{
    const sf8_function *f = &r->function;
    rules_row *row = search_allocate(r->context, r->count, sizeof *row);
    int good = r->count > 0;
    for (size_t i = 0; i < r->count; i++) {
        for (int k = 0; k < f->operands; k++) {
            row[i].operand[k] = *operands++;
            good &= row[i].operand[k] <= mask_of(&f->operand[k]);
        }
        row[i].code = codes[i];
        row[i].random = random ? random[i] : 0;
        good &= codes[i] <= mask_of(&f->result) && !((uint64_t)row[i].random >> r->width);
    }
    r->row = row;
    return good;
}

static sf8_status run_operation(diagnosis_run *run, const void *results, void *diagnosis)
{
    const sf8_operation_results *o = results;
    rules_results r = {.count = o->count, .context = &run->context};
    rules_found f;
    sf8_status status = sf8_function_named(o->function, &r.function);
    if (status != SF8_OK)
        return status;
    if (r.function.op == SF8_OP_CONVERT || !take(&r, o->operands, o->codes, NULL))
        return SF8_BAD_CALL;
    operation_search(&r, &f);
    report(run, &r, &f, diagnosis);
    return compare(&r, &f, o->expected, diagnosis);
}

static sf8_status run_random(diagnosis_run *run, const void *results, void *diagnosis)
{
    const sf8_random_results *x = results;
    rules_results r = {.count = x->count, .width = x->width, .context = &run->context};
    rules_found f;
    if (!sf8_format_valid(x->from) || !sf8_format_valid(x->to))
        return SF8_BAD_FORMAT;
    r.function = sf8_function_convert(x->from, x->to);
    if (x->width < 1 || x->width > 32 || !take(&r, x->inputs, x->codes, x->random))
        return SF8_BAD_CALL;
    stochastic_search(&r, &f);
    report(run, &r, &f, diagnosis);
    return compare(&r, &f, x->expected, diagnosis);
}

sf8_status sf8_diagnose_operation(const sf8_operation_results *r, sf8_diagnosis **diagnosis)
{
    void *made;
    sf8_status status = diagnosis_make(diagnosis_limits(r->seconds, r->progress, r->user),
                                       run_operation, r, sizeof(sf8_diagnosis), &made);
    *diagnosis = made;
    return status;
}

sf8_status sf8_diagnose_random(const sf8_random_results *r, sf8_diagnosis **diagnosis)
{
    void *made;
    sf8_status status = diagnosis_make(diagnosis_limits(r->seconds, r->progress, r->user),
                                       run_random, r, sizeof(sf8_diagnosis), &made);
    *diagnosis = made;
    return status;
}
