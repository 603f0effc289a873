/* SPDX-License-Identifier: MIT */
/* changes.c -- what can be changed in a policy, and how that is said */
#include "search/policy/identify.h"
#include "search/policy/fields.h"

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
    GROUP_FIELDS
};
/* What is often wrong is thought of first. */
enum { COST_OFTEN = 1, COST_FIELD = 2, COST_DEFECT = 3, COST_SEEN = 6 };
enum { TABLE_BITS = 20 }; /* the wider rows of the models exist up to here */

typedef struct defect_row {
    const char *name;
    int group;
    const char *words;
} defect_row;

#define ROW(name, group, words) {#name, GROUP_##group, words},
static const defect_row rows[] = {IDENTIFY_DEFECTS(ROW)};
#undef ROW

const char *identify_defect_name(int defect)
{
    return rows[defect].name;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static int add_fields(identify_change *list)
{
    const policy_words *row;
    int n = 0;
    for (size_t i = 0; (row = policy_words_at(i)) != NULL; i++) {
        if (!row->words)
            continue;
        identify_change *c = &list[n++];
        c->field = row->field;
        snprintf(c->value, sizeof c->value, "%s", row->value);
        c->defect = -1;
        c->cost = row->often ? COST_OFTEN : COST_FIELD;
        c->group = GROUP_FIELDS;
        while (strcmp(sf8_policy_field_at((size_t)(c->group - GROUP_FIELDS)), c->field) != 0)
            c->group++;
    }
    return n;
}

/* ---- defects --------------------------------------------------------------------------------- */

static int applies(int defect, const identify_set *set, const identify_seen *seen)
{
    sf8_format from = set->from, to = set->to;
    switch (rows[defect].group) {
    case GROUP_VIA:
        return identify_cuts_bf16(from);
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

int identify_changes(const identify_set *set, const identify_seen *seen,
                     identify_change list[IDENTIFY_CHANGES_MOST])
{
    int n = add_fields(list);
    for (int defect = 0; defect < IDENTIFY_DEFECT_COUNT; defect++) {
        if (!applies(defect, set, seen))
            continue;
        list[n].field = NULL;
        list[n].value[0] = '\0';
        list[n].defect = defect;
        list[n].group = rows[defect].group;
        list[n].cost = defect >= IDENTIFY_N_clamp ? COST_SEEN : COST_DEFECT;
        n++;
    }
    return n;
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
