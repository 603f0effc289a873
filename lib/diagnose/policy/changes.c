/* SPDX-License-Identifier: MIT */
/* changes.c -- the explanations that are sought: what can be changed, and how that is said */
#include "diagnose/policy/identify.h"

#include <stdio.h>
#include <string.h>

enum {
    GROUP_STEPS = IDENTIFY_GROUPS, /* a row's steps, or another reading */
    GROUP_FIELDS, /* of a step; those of the next begin GROUP_STEP_FIELDS further on */
    GROUP_STEP_FIELDS = 64
};
enum { COST_STEPS = 10, COST_STEP_BEFORE = 11 };

/* ---- fields ---------------------------------------------------------------------------------- */

typedef struct changes {
    identify_change *list;
    int count;
} changes;

/* A change of this group and cost, nothing else of which is set; of a list that is full its last.
 */
static identify_change *add(changes *all, int group, int cost)
{
    if (all->count < IDENTIFY_CHANGES_MOST)
        all->count++;
    identify_change *c = &all->list[all->count - 1];
    memset(c, 0, sizeof *c);
    c->group = group;
    c->cost = cost;
    return c;
}

static int group_of(const char *field)
{
    int i = 0;
    while (strcmp(sf8_policy_field_at((size_t)i), field) != 0)
        i++;
    return GROUP_FIELDS + i;
}

static void add_field(changes *all, const identify_cause *cause, const char *value)
{
    identify_change *c = add(all, group_of(cause->name), cause->cost);
    c->cause = cause;
    snprintf(c->value, sizeof c->value, "%s", value);
}

/* Numbers of random bits count only where there are any. */
static void add_random_bits(changes *all, const identify_cause *cause)
{
    for (int bits = 1; bits <= 32; bits++) {
        char value[16];
        snprintf(value, sizeof value, "%d", bits);
        add_field(all, cause, value);
    }
}

/* The fields of a policy: those that make another converter of it, or all that it has. */
static void add_fields(changes *all, int every, int random)
{
    const identify_cause *cause;
    for (size_t i = 0; (cause = identify_cause_at(i)) != NULL; i++) {
        if (cause->apply || cause->of == IDENTIFY_OF_FLAGS || (cause->of && !every))
            continue;
        if (cause->value)
            add_field(all, cause, cause->value);
        else if (random)
            add_random_bits(all, cause);
    }
}

static void add_mistakes(changes *all, sf8_format from, sf8_format to, const identify_seen *seen)
{
    const identify_cause *cause;
    unsigned facts = identify_facts_of(seen, from, to);
    for (size_t i = 0; (cause = identify_cause_at(i)) != NULL; i++)
        if (cause->apply && !(cause->when & ~facts))
            add(all, (int)cause->group, cause->cost)->cause = cause;
}

/* Those that can make a difference between the formats of a set. */
static int set_changes(const identify_subject *s, const identify_cells *cells,
                       identify_change list[IDENTIFY_CHANGES_MOST])
{
    changes all = {list, 0};
    add_fields(&all, 0, 0);
    add_mistakes(&all, s->from, s->to, &cells->seen);
    return all.count;
}

static int is_right(const identify_subject *s, const identify_cells *cells, const identify_model *m,
                    const identify_cell *cell, uint64_t *code)
{
    *code = identify_code(m, &cells->seen, s->from, s->to, cell->first);
    return *code == cell->code;
}

void identify_subject_of_set(identify_subject *s, const identify_set *set)
{
    memset(s, 0, sizeof *s);
    s->converts = 1;
    s->from = set->from;
    s->to = set->to;
    s->most = IDENTIFY_CHANGES;
    s->changes = set_changes;
    s->is_right = is_right;
}

/* ---- of a case ------------------------------------------------------------------------------- */

/* Rounded through a narrower format first, or once from the first operand; read otherwise. */
static void add_steps(changes *all, const identify_subject *s)
{
    static const char *const middle[] = {"f16", "bf16", "f32", "e5m2"};
    static const char *const round[] = {"rne", "rz"};
    if (s->step > 0)
        add(all, GROUP_STEPS, COST_STEPS)->via = "";
    for (int i = 0; s->converts && i < 8; i++) {
        identify_change *c = add(all, GROUP_STEPS, COST_STEPS);
        c->via = middle[i / 2];
        snprintf(c->value, sizeof c->value, "%s", round[i % 2]);
    }
    for (int i = 0; i < s->readings; i++)
        add(all, GROUP_STEPS, IDENTIFY_COST_READING)->reading = &s->reading[i];
}

int identify_case_changes(const identify_subject *s, const identify_cells *cells,
                          identify_change list[IDENTIFY_CHANGES_MOST])
{
    changes all = {list, 0};
    add_fields(&all, 1, s->policy.round == SF8_SR);
    for (int i = 0; i < all.count; i++)
        list[i].step = s->step;
    if (s->converts)
        add_mistakes(&all, s->from, s->to, &cells->seen);
    add_steps(&all, s);
    for (int step = s->step - 1; step >= 0; step--) {
        int first = all.count;
        if (s->rounds[step])
            add_fields(&all, 1, 0);
        for (int i = first; i < all.count; i++) {
            list[i].step = step;
            list[i].group += GROUP_STEP_FIELDS * (s->step - step);
            list[i].cost = COST_STEP_BEFORE;
        }
    }
    return all.count;
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *identify_words(const identify_change *change, const identify_seen *seen, sf8_format to,
                           char text[160])
{
    const identify_cause *cause = change->cause;
    if (!cause || !cause->seen)
        return cause ? cause->words : "";
    int digits = (sf8_format_bits(to) + 3) / 4;
    const uint64_t *codes = seen->code[cause->seen];
    char number[SF8_TEXT_SIZE] = "";
    sf8_to_text(to, codes[0], SF8_TEXT_EXACT, number, sizeof number, NULL);
    if (strlen(number) > 24)
        number[0] = '\0';
    int n = snprintf(text, 160, "%s %0*llx", cause->words, digits, (unsigned long long)codes[0]);
    if (number[0])
        n += snprintf(text + n, 160 - (size_t)n, " (%s)", number);
    if (codes[1] != codes[0])
        snprintf(text + n, 160 - (size_t)n, ", with a sign %0*llx", digits,
                 (unsigned long long)codes[1]);
    return text;
}
