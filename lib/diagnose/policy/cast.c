/* SPDX-License-Identifier: MIT */
/* cast.c -- sf8_diagnose_cast: the results of a cast, and what explains them, for users */
#include "diagnose/diagnosis.h"
#include "diagnose/policy/expected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_BITS = 20, WORDS = 256, SENTENCE = 1024 };
enum { SEARCHED = 1 << 16, SAMPLE = 1 << 13 }; /* inputs; of more than these a sample */

int sf8_cause_at(size_t i, sf8_cause *cause)
{
    const identify_cause *row;
    for (size_t k = 0; (row = identify_cause_at(k)) != NULL; k++) {
        if (row->of != IDENTIFY_OF_FLAGS && i-- == 0) {
            *cause = (sf8_cause){row->name, row->value ? row->value : "", row->words};
            return 1;
        }
    }
    return 0;
}

/* ---- the results as a set -------------------------------------------------------------------- */

typedef struct report report;

typedef struct cast_search {
    diagnosis_run *run;
    report *report;
    const sf8_cast_results *results;
    identify_set all, set; /* all results; what is searched, which may be a sample */
    int is_sample;
    identify_findings *found;
    char expected[EXPECTED_TEXT];
    expected_change change[EXPECTED_CHANGES]; /* of the expected policy: each explains all */
    size_t changes;
} cast_search;

typedef struct pair {
    uint64_t input, code;
} pair;

static int compare_pairs(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    return x->input != y->input ? (x->input < y->input ? -1 : 1)
                                : (x->code > y->code) - (x->code < y->code);
}

static int is_wrong(const identify_set *set, const pair *p)
{
    return set->product && sf8_convert(set->to, set->from, p->input, set->rules) != p->code;
}

static void add_pair(identify_set *set, const pair *p)
{
    set->words[set->inputs] = p->input;
    identify_add(set, p->input, p->input, p->code, 0);
}

/* Half of the sample are wrong codes if there are enough; each half is spread over all inputs. */
static void take_sample(cast_search *s, const pair *list, size_t n)
{
    size_t total[2] = {0, 0}, seen[2] = {0, 0}, wanted[2];
    for (size_t i = 0; i < n; i++)
        total[is_wrong(&s->all, &list[i])]++;
    wanted[1] = SAMPLE / 2 + (total[0] < SAMPLE / 2 ? SAMPLE / 2 - total[0] : 0);
    wanted[1] = wanted[1] < total[1] ? wanted[1] : total[1];
    wanted[0] = SAMPLE - wanted[1];
    s->set.words = search_allocate(&s->run->context, SAMPLE, sizeof s->set.words[0]);
    for (size_t i = 0; i < n; i++) {
        int wrong = is_wrong(&s->all, &list[i]);
        size_t k = seen[wrong]++;
        if (k * wanted[wrong] / total[wrong] != (k + 1) * wanted[wrong] / total[wrong])
            add_pair(&s->set, &list[i]);
    }
}

/* Fills the sets. */
static sf8_status take_pairs(cast_search *s)
{
    const sf8_cast_results *r = s->results;
    pair *list = search_allocate(&s->run->context, r->count, sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++)
        list[i] = (pair){r->inputs[i], r->codes[i]};
    qsort(list, r->count, sizeof *list, compare_pairs);
    for (size_t i = 0; i < r->count; i++) {
        if (n == 0 || list[n - 1].input != list[i].input)
            list[n++] = list[i];
        else if (list[n - 1].code != list[i].code)
            return SF8_BAD_CALL;
    }
    s->all.words = search_allocate(&s->run->context, n, sizeof s->all.words[0]);
    for (size_t i = 0; i < n; i++)
        add_pair(&s->all, &list[i]);
    s->is_sample = n > SEARCHED;
    if (s->is_sample)
        take_sample(s, list, n);
    search_free(&s->run->context, list);
    return SF8_OK;
}

static sf8_status take_expected(cast_search *s)
{
    identify_set *set = &s->all;
    set->product = expected_read(s->results->expected, set->to, set->from, s->expected,
                                 &set->rules);
    if (!set->product)
        return SF8_UNKNOWN_NAME;
    set->changed = strchr(s->expected, '=') ? s->expected : NULL;
    return set->rules.round == SF8_SR ? SF8_BAD_CALL : SF8_OK;
}

static sf8_status take(cast_search *s)
{
    const sf8_cast_results *r = s->results;
    if (!sf8_format_valid(r->from) || !sf8_format_valid(r->to))
        return SF8_BAD_FORMAT;
    uint64_t from = sf8_format_code_mask(r->from), to = sf8_format_code_mask(r->to);
    if (r->count == 0 ||
        (!r->inputs && (sf8_format_bits(r->from) > TABLE_BITS || r->count != from + 1)))
        return SF8_BAD_CALL;
    for (size_t i = 0; i < r->count; i++)
        if ((r->inputs && r->inputs[i] > from) || r->codes[i] > to)
            return SF8_BAD_CALL;
    s->all.context = &s->run->context;
    s->all.from = r->from;
    s->all.to = r->to;
    sf8_status status = r->expected ? take_expected(s) : SF8_OK;
    s->set = s->all;
    if (status == SF8_OK && r->inputs)
        status = take_pairs(s);
    for (size_t i = 0; !r->inputs && i < r->count; i++)
        identify_add(&s->all, i, i, r->codes[i], 0);
    if (!s->is_sample)
        s->set = s->all;
    return status;
}

/* ---- what was found -------------------------------------------------------------------------- */

/* The texts of an explanation. */
typedef struct kept {
    char words[5][WORDS], value[5][16], rule[SENTENCE];
} kept;

/* A diagnosis with all that it points to, in one block of memory. */
struct report {
    sf8_diagnosis d;
    char mistake[SENTENCE], policy[EXPECTED_TEXT];
    sf8_follower followers[IDENTIFY_PRODUCTS];
    sf8_explanation *list;
    kept *texts;
};

static void add(char *text, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, SENTENCE - used, "%s", more);
}

static void add_name(char *text, const sf8_cause *c)
{
    add(text, c->name);
    add(text, c->value[0] ? "=" : "");
    add(text, c->value);
}

/* A rounding that is not the policy's own is the first cause. */
static void explain(sf8_explanation *e, kept *k, size_t policy_index, size_t round, uint64_t differ)
{
    e->policy = sf8_policy_at(policy_index)->name;
    e->round = identify_roundings[round];
    e->differ = differ;
    e->rule = k->rule;
    add(k->rule, e->policy);
    if (sf8_policy_named(e->policy, NULL).round == round)
        return;
    explanation_add(e, "round", e->round, identify_cause_of("round", e->round)->words);
    add(k->rule, ", ");
    add(k->rule, e->round);
}

static void explain_model(const identify_view *v, const identify_reading *reading,
                          const identify_model *m, sf8_explanation *e, kept *k)
{
    explain(e, k, m->policy_index, m->round, m->differ);
    for (int i = 0; i < m->changes; i++) {
        const identify_change *c = &v->diagnosis.list[m->change[i]];
        snprintf(k->value[i], sizeof k->value[i], "%s", c->value);
        const char *words = identify_words(c, &v->cells.seen, v->set->to, k->words[i]);
        if (words != k->words[i])
            snprintf(k->words[i], WORDS, "%s", words);
        explanation_add(e, c->cause->name, k->value[i], k->words[i]);
        add(k->rule, i ? ", " : " with ");
        add_name(k->rule, &e->cause[e->count - 1]);
    }
    if (reading) {
        snprintf(k->words[4], WORDS, "%s", reading->words);
        explanation_add(e, "reading", "", k->words[4]);
        add(k->rule, ", if ");
        add(k->rule, reading->words);
    }
}

/* One change of the expected policy. */
static void explain_change(const cast_search *s, const expected_change *c, sf8_explanation *e,
                           kept *k, char policy[EXPECTED_TEXT])
{
    snprintf(policy, EXPECTED_TEXT, "%s", s->expected);
    e->policy = policy;
    e->round = identify_roundings[c->policy.round];
    e->rule = k->rule;
    expected_rule(s->expected, c->policy.round, c->row, k->rule, sizeof k->rule);
    if (c->row) {
        explanation_add(e, c->row->name, c->row->value, c->row->words);
    } else {
        snprintf(k->words[0], WORDS, "%s", c->words);
        snprintf(k->value[0], sizeof k->value[0], "%s", c->factor);
        explanation_add(e, c->factor[0] ? "factor" : "reading", k->value[0], k->words[0]);
        add(k->rule, c->factor[0] ? ", with the inputs times " : ", if ");
        add(k->rule, c->factor[0] ? c->factor : c->words);
    }
    explanation_say(s->run, e);
}

/* ---- what is otherwise than it should be ----------------------------------------------------- */

/* "gives infinity, or NaN where there is none" is one of them for a format. */
static void add_for(sf8_format to, char *text, const char *words)
{
    const char *either = strstr(words, ", or "), *none = strstr(words, " where there is none");
    if (!either || !none) {
        add(text, words);
        return;
    }
    size_t first = (size_t)(either - words), used = strlen(text);
    while (!to.has_inf && words[first - 1] != ' ')
        first--;
    snprintf(text + used, SENTENCE - used, "%.*s%.*s", (int)first, words,
             to.has_inf ? 0 : (int)(none - either - 5), either + 5);
}

/* A field whose words do not say which value it has is named. */
static void add_words(const cast_search *s, char *text, const char *field, const char *value,
                      const char *words)
{
    int named = strcmp(field, "round") != 0 && strcmp(field, "flush") != 0 &&
                strcmp(field, "via") != 0;
    add(text, text[0] ? "; " : "");
    add_for(s->all.to, text, words);
    if (!named || !value[0])
        return;
    add(text, " (");
    add(text, field);
    add(text, "=");
    add(text, value);
    add(text, ")");
}

/* That of another policy, which gives every code. */
static void apart(const cast_search *s, const identify_candidate *c, report *r)
{
    const identify_cause *row[EXPECTED_CHANGES];
    size_t n = s->all.product ? expected_apart(&s->set, c->policy, row) : 0;
    for (size_t i = 0; i < n; i++)
        add_words(s, r->mistake, row[i]->name, row[i]->value, row[i]->words);
    for (size_t i = 0; !s->all.product && i < r->list[0].count; i++)
        add_words(s, r->mistake, "round", "", r->list[0].cause[i].words);
}

/* That of a policy with changes. */
static void changed(const cast_search *s, const sf8_explanation *e, size_t round, char *text)
{
    int other = e->count > 0 && strcmp(e->cause[0].name, "round") == 0;
    if (s->all.product ? round != s->all.rules.round : other)
        add_words(s, text, "round", e->round, identify_cause_of("round", e->round)->words);
    for (size_t i = (size_t)other; i < e->count; i++)
        add_words(s, text, e->cause[i].name, e->cause[i].value, e->cause[i].words);
}

/* That of one change, and which others would do the same. */
static void alike(const cast_search *s, char *text)
{
    const expected_change *c = s->change;
    if (c->row)
        add_words(s, text, c->row->name, c->row->value, c->row->words);
    else
        add(text, c->words);
    for (size_t i = 1; i < s->changes; i++) {
        add(text, i > 1 ? ", " : " (these inputs do not distinguish it from ");
        add(text, c[i].row ? c[i].row->name : c[i].words);
        add(text, c[i].row ? "=" : "");
        add(text, c[i].row ? c[i].row->value : "");
    }
    add(text, s->changes > 1 ? ")" : "");
}

/* ---- the report ------------------------------------------------------------------------------ */

static report *make(const cast_search *s, size_t count)
{
    report *r = s->report;
    r->list = diagnosis_allocate(s->run, count, sizeof r->list[0]);
    r->texts = diagnosis_allocate(s->run, count, sizeof r->texts[0]);
    r->d.count = count;
    r->d.list = r->list;
    r->d.mistake = r->mistake;
    r->d.followers = r->followers;
    r->d.verdict = SF8_VERDICT_NONE;
    return r;
}

/* Explanations of a sample that do not explain all are dropped, unless none is left. */
static void keep_complete(report *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->d.count; i++) {
        if (r->list[i].differ == 0)
            r->list[n++] = r->list[i];
    }
    if (n == 0 && r->d.count > 0) {
        r->d.verdict = r->list[0].differ <= r->d.wrong / 2 ? SF8_VERDICT_NEAREST : SF8_VERDICT_NONE;
        n = r->d.verdict == SF8_VERDICT_NEAREST;
    }
    r->d.count = n;
}

static report *report_matches(cast_search *s)
{
    identify_product products[IDENTIFY_PRODUCTS];
    const identify_findings *f = s->found;
    size_t count = 0;
    const identify_candidate **match = identify_matches(&s->set, f->plain.candidates,
                                                        f->plain.count, &count);
    report *r = make(s, count);
    for (size_t i = 0; i < count; i++) {
        identify_candidate c = *match[i];
        if (s->is_sample)
            identify_compare(&s->all, &c, NULL);
        explain(&r->list[i], &r->texts[i], c.policy_index, c.round, c.codes);
        explanation_say(s->run, &r->list[i]);
    }
    r->d.verdict = SF8_VERDICT_POLICY;
    if (s->changes > 0)
        alike(s, r->mistake);
    else
        apart(s, match[0], r);
    int n = identify_products(&s->set, f->plain.candidates, products);
    for (int i = 0; i < n; i++)
        r->followers[i] = (sf8_follower){products[i].name, products[i].before};
    r->d.follower_count = (size_t)n;
    return r;
}

static report *report_changes(cast_search *s)
{
    report *r = make(s, s->changes);
    for (size_t i = 0; i < s->changes; i++)
        explain_change(s, &s->change[i], &r->list[i], &r->texts[i], r->policy);
    alike(s, r->mistake);
    r->d.verdict = SF8_VERDICT_CHANGED;
    return r;
}

/* A policy that is much nearer than the expected one, though no change brings it nearer. */
static report *report_closest(cast_search *s)
{
    identify_candidate c = *s->found->plain.closest;
    int near = s->all.product && c.codes <= s->found->product.codes / 2;
    report *r = make(s, (size_t)near);
    if (!r || !near)
        return r;
    if (s->is_sample)
        identify_compare(&s->all, &c, NULL);
    r->d.verdict = SF8_VERDICT_NEAREST;
    explain(&r->list[0], &r->texts[0], c.policy_index, c.round, c.codes);
    explanation_say(s->run, &r->list[0]);
    changed(s, &r->list[0], c.round, r->mistake);
    return r;
}

static report *report_models(cast_search *s)
{
    const identify_view *v = s->found->best;
    const identify_reading *reading = v == &s->found->read ? &s->found->other.reading : NULL;
    report *r = v ? make(s, (size_t)v->diagnosis.count) : report_closest(s);
    if (!r || !v)
        return r;
    r->d.verdict = identify_is_complete(s->found) ? SF8_VERDICT_CHANGED : SF8_VERDICT_NEAREST;
    for (size_t i = 0; i < r->d.count; i++) {
        identify_model m = v->diagnosis.found[i];
        if (s->is_sample && (i == 0 || m.differ == 0))
            m.differ = identify_count_model(&s->all, reading, &v->cells.seen, &m);
        explain_model(v, reading, &m, &r->list[i], &r->texts[i]);
        explanation_say(s->run, &r->list[i]);
        if (i == 0)
            changed(s, &r->list[0], m.round, r->mistake);
    }
    return r;
}

/* Inputs for which the expected policy gives another code; without one, the closest policy. */
static uint64_t count_wrong(const cast_search *s)
{
    identify_candidate c = *s->found->plain.closest;
    if (s->all.product)
        c.policy = s->all.rules;
    if (s->is_sample || s->all.product)
        identify_compare(&s->all, &c, NULL);
    return c.codes;
}

/* Whether a named policy gives every code, with its own rounding. */
static int is_named(const identify_findings *f)
{
    int named = 0;
    for (size_t i = 0; i < f->plain.count; i++) {
        const identify_candidate *c = &f->plain.candidates[i];
        named |= c->codes == 0 &&
                 sf8_policy_named(sf8_policy_at(c->policy_index)->name, NULL).round == c->round;
    }
    return named;
}

/* What gives every code of a sample has to give all. Returns whether something did that does not.
 */
static int verify(cast_search *s)
{
    identify_findings *f = s->found;
    int fooled = 0;
    for (size_t i = 0; i < f->plain.count; i++) {
        identify_candidate *c = &f->plain.candidates[i];
        if (c->codes > 0)
            continue;
        identify_compare(&s->all, c, NULL);
        fooled |= c->codes > 0;
    }
    if (s->all.product && f->product.codes == 0)
        identify_compare(&s->all, &f->product, NULL);
    f->plain.closest = identify_closest(f->plain.candidates, f->plain.count);
    return fooled;
}

static void search(cast_search *s)
{
    identify_findings *f = s->found;
    identify_begin(&s->set, f);
    int fooled = s->is_sample && verify(s);
    uint64_t left = f->plain.closest->codes;
    if (s->all.product && f->product.codes > 0)
        s->changes = expected_changes(&s->all, s->change);
    if (left > 0 && s->all.product && s->changes < EXPECTED_CHANGES &&
        (s->changes == 0 || !s->change[0].row))
        s->changes += (size_t)expected_factor(&s->all, &s->change[s->changes]);
    if (left > 0 && s->changes == 0 && !fooled) {
        identify_continue(f);
        identify_say_factor(&s->all, f);
    }
    uint64_t wrong = count_wrong(s);
    report *r = s->changes > 0 && !is_named(f) ? report_changes(s)
                : left == 0                    ? report_matches(s)
                                               : report_models(s);
    r->d.wrong = wrong;
    r->d.is_expected = s->all.product && wrong == 0;
    r->d.is_cut_short = search_is_over(&s->run->context);
    if (s->is_sample)
        keep_complete(r);
}

static sf8_status run(diagnosis_run *run, const void *results, void *diagnosis)
{
    cast_search *s = search_allocate(&run->context, 1, sizeof *s);
    s->run = run;
    s->report = diagnosis;
    s->results = results;
    sf8_status status = take(s);
    if (status != SF8_OK)
        return status;
    s->found = search_allocate(&run->context, 1, sizeof *s->found);
    search(s);
    return SF8_OK;
}

sf8_status sf8_diagnose_cast(const sf8_cast_results *r, sf8_diagnosis **diagnosis)
{
    void *made;
    sf8_status status = diagnosis_make(diagnosis_limits(r->seconds, r->progress, r->user), run, r,
                                       sizeof(report), &made);
    *diagnosis = made;
    return status;
}

void sf8_diagnosis_free(sf8_diagnosis *diagnosis)
{
    diagnosis_free(diagnosis);
}
