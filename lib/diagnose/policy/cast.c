/* SPDX-License-Identifier: MIT */
/* cast.c -- sf8_diagnose_cast: the results of a cast, and what explains them, for users */
#include "diagnose/policy/identify.h"
#include "diagnose/policy/fields.h"
#include "softfp8_diagnose.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_BITS = 20, WORDS = 160, SENTENCE = 1024 };

int sf8_cause_at(size_t i, sf8_cause *cause)
{
    const policy_words *row;
    for (size_t k = 0; (row = policy_words_at(k)) != NULL; k++) {
        if (row->when == WORDS_OF_A_ROW && strcmp(row->field, "round") != 0)
            continue;
        if (i-- == 0) {
            *cause = (sf8_cause){row->field, row->value ? row->value : "", row->words};
            return 1;
        }
    }
    if (i >= IDENTIFY_DEFECT_COUNT)
        return 0;
    *cause = (sf8_cause){identify_defect_name((int)i), "", identify_defect_words((int)i)};
    return 1;
}

/* ---- the results as a set -------------------------------------------------------------------- */

/* A search with its memory: the context comes first, so that a pointer to it is one to all. */
typedef struct cast_search {
    search_context context;
    jmp_buf out; /* where there is no memory */
    const sf8_cast_results *results;
    identify_set set;
    identify_findings *found;
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

/* Fills the set. */
static sf8_status take_pairs(cast_search *s)
{
    const sf8_cast_results *r = s->results;
    pair *list = search_allocate(&s->context, r->count, sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++)
        list[i] = (pair){r->inputs[i], r->codes[i]};
    qsort(list, r->count, sizeof *list, compare_pairs);
    s->set.words = search_allocate(&s->context, r->count, sizeof s->set.words[0]);
    for (size_t i = 0; i < r->count; i++) {
        if (n > 0 && s->set.words[n - 1] == list[i].input) {
            if (list[i].code != list[i - 1].code)
                return SF8_BAD_CALL;
            continue;
        }
        s->set.words[n++] = list[i].input;
        identify_add(&s->set, list[i].input, list[i].input, list[i].code, 0);
    }
    search_free(&s->context, list);
    return SF8_OK;
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
    if (r->expected && !sf8_policy_for(r->expected, r->to, r->from))
        return SF8_UNKNOWN_NAME;
    s->set.context = &s->context;
    s->set.from = r->from;
    s->set.to = r->to;
    s->set.product = r->expected;
    if (r->inputs)
        return take_pairs(s);
    for (size_t i = 0; i < r->count; i++)
        identify_add(&s->set, i, i, r->codes[i], 0);
    return SF8_OK;
}

/* ---- what was found -------------------------------------------------------------------------- */

/* A diagnosis with all its texts, in one block of memory. */
typedef struct kept {
    char words[5][WORDS], value[5][16], sentence[SENTENCE];
} kept;

static void add(char *text, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, SENTENCE - used, "%s", more);
}

static void add_cause(sf8_explanation *e, const char *name, const char *value, const char *words)
{
    e->cause[e->count++] = (sf8_cause){name, value, words};
}

static void say(sf8_explanation *e, char *sentence)
{
    add(sentence, e->policy);
    for (size_t i = 0; i < e->count; i++) {
        add(sentence, i ? " " : " with ");
        add(sentence, e->cause[i].name);
        add(sentence, e->cause[i].value[0] ? "=" : "");
        add(sentence, e->cause[i].value);
    }
    for (size_t i = 0; i < e->count; i++) {
        add(sentence, i ? ", and " : ": ");
        add(sentence, e->cause[i].words);
    }
    e->words = sentence;
}

/* A rounding that is not the policy's own is the first cause. */
static void explain(sf8_explanation *e, size_t policy_index, size_t round, uint64_t differ)
{
    e->policy = sf8_policy_at(policy_index)->name;
    e->round = identify_roundings[round];
    e->differ = differ;
    if (sf8_policy_named(e->policy, NULL).round != round)
        add_cause(e, "round", e->round, policy_words_of("round", e->round)->words);
}

static void explain_model(const identify_view *v, const identify_reading *reading,
                          const identify_model *m, sf8_explanation *e, kept *k)
{
    explain(e, m->policy_index, m->round, m->differ);
    for (int i = 0; i < m->changes; i++) {
        const identify_change *c = &v->diagnosis.list[m->change[i]];
        snprintf(k->value[i], sizeof k->value[i], "%s", c->value);
        const char *words = identify_words(c, &v->cells.seen, v->set->to, k->words[i]);
        if (words != k->words[i])
            snprintf(k->words[i], WORDS, "%s", words);
        add_cause(e, c->field ? c->field : identify_defect_name(c->defect), k->value[i],
                  k->words[i]);
    }
    if (reading) {
        snprintf(k->words[4], WORDS, "%s", reading->words);
        add_cause(e, "reading", "", k->words[4]);
    }
    say(e, k->sentence);
}

static sf8_diagnosis *make(size_t count, sf8_explanation **list, kept **texts)
{
    size_t size = sizeof(sf8_diagnosis) + count * (sizeof(sf8_explanation) + sizeof(kept));
    sf8_diagnosis *d = calloc(1, size);
    if (!d)
        return NULL;
    *list = (sf8_explanation *)(d + 1);
    *texts = (kept *)(*list + count);
    d->count = count;
    d->list = *list;
    return d;
}

static sf8_diagnosis *report(const identify_findings *f)
{
    sf8_explanation *list;
    kept *texts;
    size_t count = 0;
    const identify_view *best = f->best;
    const identify_candidate **matches = NULL;
    if (f->plain.closest->codes == 0)
        matches = identify_matches(f->set, f->plain.candidates, f->plain.count, &count);
    else if (best)
        count = (size_t)best->diagnosis.count;
    sf8_diagnosis *d = make(count, &list, &texts);
    for (size_t i = 0; d && i < count; i++) {
        if (matches) {
            explain(&list[i], matches[i]->policy_index, matches[i]->round, 0);
            say(&list[i], texts[i].sentence);
        } else {
            explain_model(best, best == &f->read ? &f->other.reading : NULL,
                          &best->diagnosis.found[i], &list[i], &texts[i]);
        }
    }
    if (!d)
        return NULL;
    d->verdict = matches                   ? SF8_VERDICT_POLICY
                 : !best                   ? SF8_VERDICT_NONE
                 : identify_is_complete(f) ? SF8_VERDICT_CHANGED
                                           : SF8_VERDICT_NEAREST;
    d->wrong = f->set->product ? f->product.codes : f->plain.closest->codes;
    d->is_expected = f->set->product && f->product.codes == 0;
    return d;
}

static void no_memory(search_context *context, size_t bytes)
{
    (void)bytes;
    longjmp(((cast_search *)context)->out, 1);
}

static sf8_status run(cast_search *s, sf8_diagnosis **diagnosis)
{
    if (setjmp(s->out))
        return SF8_NO_ROOM;
    sf8_status status = take(s);
    if (status != SF8_OK)
        return status;
    s->found = search_allocate(&s->context, 1, sizeof *s->found);
    identify_explain(&s->set, s->found);
    *diagnosis = report(s->found);
    if (*diagnosis)
        (*diagnosis)->is_cut_short = search_is_over(&s->context);
    return *diagnosis ? SF8_OK : SF8_NO_ROOM;
}

sf8_status sf8_diagnose_cast(const sf8_cast_results *results, sf8_diagnosis **diagnosis)
{
    cast_search s;
    memset(&s, 0, sizeof s);
    s.context.no_memory = no_memory;
    s.context.progress = results->progress;
    s.context.user = results->user;
    s.context.deadline = results->seconds > 0 ? search_seconds() + results->seconds : 0;
    s.context.tracks = 1;
    s.results = results;
    *diagnosis = NULL;
    sf8_status status = run(&s, diagnosis);
    search_free_all(&s.context);
    return status;
}

void sf8_diagnosis_free(sf8_diagnosis *diagnosis)
{
    free(diagnosis);
}
