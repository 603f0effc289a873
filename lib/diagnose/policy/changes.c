/* SPDX-License-Identifier: MIT */
/* changes.c -- the explanations that are sought: what can be changed, and how that is said */
#include "diagnose/policy/identify.h"
#include "diagnose/policy/fields.h"

#include <stdio.h>
#include <string.h>

/* Of each group a model has one at most; every field is a group of its own. */
enum {
    GROUP_VIA,
    GROUP_TIE,
    GROUP_SUB,
    GROUP_ZERO,
    GROUP_NAN,
    GROUP_OVER,
    GROUP_SIGN,
    GROUP_INF,
    GROUP_STEPS, /* a row's steps, or another reading */
    GROUP_FIELDS /* of a step; those of the next begin GROUP_STEP_FIELDS further on */
};
enum { GROUP_STEP_FIELDS = 64 };
/* What is often wrong is thought of first. Between a field and a defect lies another policy,
 * IDENTIFY_COST_POLICY. */
enum {
    COST_OFTEN = 4,
    COST_FIELD = 8,
    COST_STEPS = 10,
    COST_STEP_BEFORE = 11,
    COST_DEFECT = 12,
    COST_SEEN = 24
};
enum { TABLE_BITS = 20 }; /* the wider rows of the models exist up to here */

typedef struct defect_row {
    const char *name;
    int group, cost;
    identify_needs needs;
    const char *words;
} defect_row;

#define ROW(name, group, cost, needs, words)                                                       \
    {#name, GROUP_##group, COST_##cost, IDENTIFY_NEEDS_##needs, words},
static const defect_row rows[] = {IDENTIFY_DEFECTS(ROW)};
#undef ROW

const char *identify_defect_name(int defect)
{
    return rows[defect].name;
}

const char *identify_defect_words(int defect)
{
    return rows[defect].words;
}

identify_needs identify_defect_needs(int defect)
{
    return rows[defect].needs;
}

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
    c->defect = -1;
    c->group = group;
    c->cost = cost;
    return c;
}

static int group_of(const char *field)
{
    int i = 0;
    if (strcmp(field, "via") == 0)
        return GROUP_VIA;
    while (strcmp(sf8_policy_field_at((size_t)i), field) != 0)
        i++;
    return GROUP_FIELDS + i;
}

static void add_field(changes *all, const policy_words *row, const char *value, int cost)
{
    identify_change *c = add(all, group_of(row->field), cost);
    c->field = row->field;
    snprintf(c->value, sizeof c->value, "%s", value);
}

/* Numbers of random bits count only where there are any. */
static void add_random_bits(changes *all, const policy_words *row, int cost)
{
    for (int bits = 1; bits <= 32; bits++) {
        char value[16];
        snprintf(value, sizeof value, "%d", bits);
        add_field(all, row, value, cost);
    }
}

/* The fields of a policy: those that make another converter of it, or all that it has. */
static void add_fields(changes *all, int every, int random)
{
    const policy_words *row;
    for (size_t i = 0; (row = policy_words_at(i)) != NULL; i++) {
        int cost = row->when == WORDS_OFTEN ? COST_OFTEN : COST_FIELD;
        int sought = every || row->when != WORDS_OF_A_ROW;
        if (row->value && sought)
            add_field(all, row, row->value, cost);
        else if (sought && random)
            add_random_bits(all, row, cost);
    }
}

/* ---- defects --------------------------------------------------------------------------------- */

static int applies(int defect, sf8_format from, sf8_format to, const identify_seen *seen)
{
    switch (rows[defect].group) {
    case GROUP_VIA:
        return identify_can_be_cut(from) &&
               !identify_same_format(to, defect == IDENTIFY_N_cut_f16 ? SF8_F16 : SF8_BF16);
    case GROUP_NAN:
        if (defect == IDENTIFY_N_nan_code)
            return seen->has_nan;
        return from.has_inf && (defect != IDENTIFY_N_nan_cut || to.nan == SF8_NANS_IEEE);
    case GROUP_INF:
        return seen->has_inf;
    case GROUP_OVER:
        if (defect == IDENTIFY_N_wrap || defect == IDENTIFY_N_wrap_or)
            return seen->wraps && sf8_format_bits(to) <= TABLE_BITS;
        return seen->has_over && (defect != IDENTIFY_N_clamp || sf8_format_bits(to) <= TABLE_BITS);
    case GROUP_ZERO:
        if (defect == IDENTIFY_N_zero_signed || defect == IDENTIFY_N_exact_zero_signed)
            return to.nan == SF8_NANS_NEG_ZERO;
        return sf8_format_has_neg_zero(to);
    case GROUP_SIGN:
        return to.is_signed && from.is_signed;
    default:
        return to.has_zero && sf8_format_bits(to) <= TABLE_BITS;
    }
}

static void add_defects(changes *all, sf8_format from, sf8_format to, const identify_seen *seen)
{
    for (int defect = 0; defect < IDENTIFY_DEFECT_COUNT; defect++) {
        if (applies(defect, from, to, seen))
            add(all, rows[defect].group, rows[defect].cost)->defect = defect;
    }
}

/* Those that can make a difference between the formats of a set. */
static int set_changes(const identify_subject *s, const identify_cells *cells,
                       identify_change list[IDENTIFY_CHANGES_MOST])
{
    changes all = {list, 0};
    add_fields(&all, 0, 0);
    add_defects(&all, s->from, s->to, &cells->seen);
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
        add_defects(&all, s->from, s->to, &cells->seen);
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

static const char *seen_words(int defect, const uint64_t codes[2], sf8_format to, char text[160])
{
    int digits = (sf8_format_bits(to) + 3) / 4;
    char number[SF8_TEXT_SIZE] = "";
    sf8_to_text(to, codes[0], SF8_TEXT_EXACT, number, sizeof number, NULL);
    if (strlen(number) > 24)
        number[0] = '\0';
    int n = snprintf(text, 160, "%s %0*llx", rows[defect].words, digits,
                     (unsigned long long)codes[0]);
    if (number[0])
        n += snprintf(text + n, 160 - (size_t)n, " (%s)", number);
    if (codes[1] != codes[0])
        snprintf(text + n, 160 - (size_t)n, ", with a sign %0*llx", digits,
                 (unsigned long long)codes[1]);
    return text;
}

const char *identify_words(const identify_change *change, const identify_seen *seen, sf8_format to,
                           char text[160])
{
    if (change->field) {
        const policy_words *row = policy_words_of(change->field, change->value);
        return row ? row->words : "";
    }
    switch (change->defect) {
    case IDENTIFY_N_clamp:
    case IDENTIFY_N_over_code:
        return seen_words(change->defect, seen->over, to, text);
    case IDENTIFY_N_inf_code:
        return seen_words(change->defect, seen->inf, to, text);
    case IDENTIFY_N_nan_code:
        return seen_words(change->defect, seen->nan, to, text);
    default:
        return rows[change->defect].words;
    }
}
