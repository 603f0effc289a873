/* SPDX-License-Identifier: MIT */
/* words.c -- a candidate in words */
#include "search/failing/row.h"
#include "search/policy/fields.h"

#include <string.h>

/* A field with this value; "" where nothing is to be said. */
static const char *meaning_of(const char *field, const char *value)
{
    const policy_words *row = policy_words_of(field, value);
    return !row ? "" : row->does ? row->does : row->words;
}

/* ---- candidates ------------------------------------------------------------------------------ */

void words_add(words *w, const char *text)
{
    size_t n = strlen(text);
    if (n >= CONFORM_LONG - w->used)
        return;
    memcpy(w->text + w->used, text, n + 1);
    w->used += n;
}

static int is_changed(const candidate *d, const char *field, size_t length)
{
    for (int i = 0; i < d->changes; i++) {
        const char *name = d->change[i]->field;
        if (strlen(name) == length && strncmp(name, field, length) == 0)
            return 1;
    }
    return 0;
}

/* The policy that it begins with: "cuda-nosat round=rz", without the fields that are changed. Of
 * another policy than the row's only the rounding is the row's. */
static void add_policy(words *w, const search *s, const candidate *d)
{
    const conform_step *step = &s->c->oracle[d->step];
    char field[80];
    words_add(w, d->policy ? d->policy : step->policy);
    for (const char *at = step->fields ? step->fields : ""; *at;) {
        size_t n = strcspn(at, " "), name = strcspn(at, "=");
        int rounding = strncmp(at, "round", name) == 0 || strncmp(at, "sr_", 3) == 0;
        snprintf(field, sizeof field, " %.*s", (int)n, at);
        if (!is_changed(d, at, name) && (!d->policy || rounding))
            words_add(w, field);
        at += n + (at[n] == ' ');
    }
}

/* Which step it is, where there are several. */
static void add_step(words *w, const search *s, int step)
{
    if (s->step == 0)
        return;
    words_add(w, " in the step ");
    words_add(w, s->c->oracle[step].function);
}

/* "does what cuda-satfinite does with round=rna: ties go away from zero" */
static void add_changes(words *w, const search *s, const candidate *d)
{
    words_add(w, "does what ");
    add_policy(w, s, d);
    words_add(w, " does with");
    for (int i = 0; i < d->changes; i++) {
        words_add(w, " ");
        words_add(w, d->change[i]->field);
        words_add(w, "=");
        words_add(w, d->change[i]->value);
    }
    add_step(w, s, d->step);
    for (int i = 0; i < d->changes; i++) {
        const char *meaning = meaning_of(d->change[i]->field, d->change[i]->value);
        words_add(w, *meaning ? i ? ", and " : ": " : "");
        words_add(w, meaning);
    }
}

/* "does what ocp does with ties_up: ties go toward +infinity" */
static void add_model(words *w, const search *s, const model *m)
{
    char text[160];
    words_add(w, "does what ");
    words_add(w, sf8_policy_at(m->m.policy_index)->name);
    if (sf8_policy_named(sf8_policy_at(m->m.policy_index)->name, NULL).round != m->m.round) {
        words_add(w, " round=");
        words_add(w, identify_roundings[m->m.round]);
    }
    words_add(w, " does");
    for (int i = 0; i < m->m.changes; i++) {
        const identify_change *c = &m->list[m->m.change[i]];
        words_add(w, i ? " " : " with ");
        words_add(w, c->field ? c->field : identify_defect_name(c->defect));
        words_add(w, c->field ? "=" : "");
        words_add(w, c->value);
    }
    add_step(w, s, s->step);
    for (int i = 0; i < m->m.changes; i++) {
        const identify_change *c = &m->list[m->m.change[i]];
        words_add(w, i ? ", and " : ": ");
        words_add(w, c->field ? meaning_of(c->field, c->value)
                              : identify_words(c, &m->seen, m->to, text));
    }
    words_add(w, m->reading[0] ? ", but " : "");
    words_add(w, m->reading);
}

void words_add_candidate(words *w, const search *s, const candidate *d)
{
    if (d->model) {
        add_model(w, s, d->model);
    } else if (d->via) {
        words_add(w, "rounds twice, through ");
        words_add(w, d->via);
        words_add(w, " (");
        words_add(w, d->via_round);
        words_add(w, "), and then does what ");
        add_policy(w, s, d);
        words_add(w, " does");
    } else if (d->once) {
        words_add(w, "rounds once, straight from the operand, as ");
        add_policy(w, s, d);
        words_add(w, " does");
    } else if (d->changes) {
        add_changes(w, s, d);
    } else {
        words_add(w, "does exactly what the policy ");
        add_policy(w, s, d);
        words_add(w, " does");
    }
}

void words_add_number(words *w, uint64_t n)
{
    char text[32];
    words_add(w, grouped(n, text));
}
