/* SPDX-License-Identifier: MIT */
/* words.c -- a model of the engine in words */
#include "failing/row.h"

#include <string.h>

void words_add(words *w, const char *text)
{
    size_t n = strlen(text);
    if (n >= CONFORM_LONG - w->used)
        return;
    memcpy(w->text + w->used, text, n + 1);
    w->used += n;
}

static int is_changed(const failing *f, const identify_model *m, const char *field, size_t length)
{
    for (int i = 0; i < m->changes; i++) {
        const identify_change *c = &f->d.list[m->change[i]];
        const char *name = identify_is_field(c) ? c->cause->name : "";
        if (strlen(name) == length && strncmp(name, field, length) == 0)
            return 1;
    }
    return 0;
}

/* The policy that it begins with: "cuda-nosat round=rz", without the fields that are changed. Of
 * another policy than the row's only the rounding is the row's. */
static void add_policy(words *w, const failing *f, const identify_model *m, int step)
{
    const conform_step *own = &f->c->oracle[step];
    int named = m->policy_index != IDENTIFY_ROW && step == f->row.step;
    char field[80];
    words_add(w, named ? sf8_policy_at(m->policy_index)->name : own->policy);
    for (const char *at = own->fields ? own->fields : ""; *at;) {
        size_t n = strcspn(at, " "), name = strcspn(at, "=");
        int rounding = strncmp(at, "round", name) == 0 || strncmp(at, "sr_", 3) == 0;
        snprintf(field, sizeof field, " %.*s", (int)n, at);
        if (!is_changed(f, m, at, name) && (!named || rounding))
            words_add(w, field);
        at += n + (at[n] == ' ');
    }
}

static void add_step(words *w, const failing *f, int step)
{
    if (f->row.step == 0)
        return;
    words_add(w, " in the step ");
    words_add(w, f->c->oracle[step].function);
}

/* " with round=rna ties_up"; where there are several steps, behind the changes of each its name. */
static void add_changes(words *w, const failing *f, const identify_model *m)
{
    int any = 0, step = f->row.step;
    for (int i = 0; i < m->changes; i++) {
        const identify_change *c = &f->d.list[m->change[i]];
        int of = identify_is_field(c) ? c->step : f->row.step;
        if (!c->cause)
            continue;
        if (any && of != step)
            add_step(w, f, step);
        words_add(w, !any++ ? " with " : of != step ? " and " : " ");
        words_add(w, c->cause->name);
        words_add(w, identify_is_field(c) ? "=" : "");
        words_add(w, c->value);
        step = of;
    }
    if (any)
        add_step(w, f, step);
}

/* ": ties go toward +infinity, and NaN keeps its sign, but these are codes of e5m2" */
static void add_meanings(words *w, const failing *f, const identify_seen *seen,
                         const identify_model *m)
{
    char text[160];
    int any = 0;
    for (int i = 0; i < m->changes; i++) {
        const identify_change *c = &f->d.list[m->change[i]];
        const char *meaning = identify_words(c, seen, f->row.to, text);
        words_add(w, !*meaning ? "" : any++ ? ", and " : ": ");
        words_add(w, meaning);
    }
    for (int i = 0; i < m->changes; i++) {
        const identify_reading *reading = f->d.list[m->change[i]].reading;
        words_add(w, reading ? ", but " : "");
        words_add(w, reading ? reading->words : "");
    }
}

/* What becomes of the steps: " twice, through f16 (rne)", " once, straight from the operand", or
 * "". */
static void add_steps(words *w, const failing *f, const identify_model *m)
{
    for (int i = 0; i < m->changes; i++) {
        const identify_change *c = &f->d.list[m->change[i]];
        if (!c->via)
            continue;
        words_add(w, *c->via ? "rounds twice, through " : "rounds once, straight from the operand");
        words_add(w, c->via);
        words_add(w, *c->via ? " (" : "");
        words_add(w, *c->via ? c->value : "");
        words_add(w, *c->via ? "), and then " : m->changes == 1 ? ", as " : ", and ");
        if (!*c->via && m->changes == 1)
            return;
    }
    words_add(w, m->changes == 0 ? "does exactly what the policy " : "does what ");
}

void words_add_model(words *w, const failing *f, const identify_seen *seen, const identify_model *m)
{
    const identify_change *first = m->changes == 1 ? &f->d.list[m->change[0]] : NULL;
    add_steps(w, f, m);
    add_policy(w, f, m, first && identify_is_field(first) ? first->step : f->row.step);
    words_add(w, " does");
    add_changes(w, f, m);
    add_meanings(w, f, seen, m);
}

void words_add_number(words *w, uint64_t n)
{
    char text[32];
    words_add(w, grouped(n, text));
}
