/* SPDX-License-Identifier: MIT */
/* expected.c -- what the results have that the policy that was expected has not: one change of it,
 * or the fields in which another policy differs
 */
#include "diagnose/policy/expected.h"

#include <stdio.h>
#include <string.h>

const char *expected_read(const char *text, sf8_format to, sf8_format from,
                          char full[EXPECTED_TEXT], sf8_policy *rules)
{
    char name[64];
    size_t first = strspn(text, " ,"), size = strcspn(text + first, " ,");
    int has_name = !memchr(text + first, '=', size);
    snprintf(name, sizeof name, "%.*s", has_name ? (int)size : 0, text + first);
    const char *found = sf8_policy_for(has_name ? name : "ocp", to, from);
    if (!found || size >= sizeof name)
        return NULL;
    int used = snprintf(full, EXPECTED_TEXT, "%s%s%s", found, has_name ? "" : " ",
                        text + (has_name ? first + size : first));
    return used < EXPECTED_TEXT && sf8_policy_read(full, rules, NULL) == SF8_OK ? found : NULL;
}

/* With another field, or another value of it. 0 if that is the same policy. */
static int changed(const identify_set *set, const identify_cause *row, sf8_policy *policy)
{
    sf8_policy before = identify_relevant(*policy, set->from, set->to, 0);
    sf8_policy_set(policy, row->name, row->value);
    return policy->round != SF8_SR &&
           !identify_same_policy(before, identify_relevant(*policy, set->from, set->to, 0));
}

/* A source of up to 32 bits is rounded to f32 by no policy. */
static int is_sought(const identify_set *set, const identify_cause *row, int rounding)
{
    int is_round = strcmp(row->name, "round") == 0;
    if (is_round || row->of || row->apply || !row->value)
        return is_round && rounding;
    return !rounding && (strcmp(row->name, "via") != 0 || strncmp(row->value, "f32", 3) != 0 ||
                         sf8_format_bits(set->from) > 32);
}

/* Of subnormal operands and results those that are flushed may be the only ones that matter. */
static int is_more(const expected_change *found, const identify_cause *row)
{
    return found->row && strcmp(row->value, "both") == 0 &&
           strcmp(row->name, found->row->name) == 0;
}

static size_t add_fields(const identify_set *set, int rounding, size_t n,
                         expected_change found[EXPECTED_CHANGES])
{
    const identify_cause *row;
    for (size_t i = 0; n < EXPECTED_CHANGES && (row = identify_cause_at(i)) != NULL; i++) {
        expected_change *c = &found[n];
        *c = (expected_change){.row = row, .policy = set->rules};
        if (is_sought(set, row, rounding) && changed(set, row, &c->policy) &&
            !(n > 0 && is_more(&found[n - 1], row)) && identify_gives(set, c->policy))
            n++;
    }
    return n;
}

static int is_among(const expected_change *found, size_t n, sf8_format to)
{
    int known = 0;
    for (size_t i = 0; i < n; i++)
        known |= identify_same_format(found[i].to, to);
    return known;
}

/* The results as codes of another format. */
static size_t add_readings(const identify_set *set, expected_change found[EXPECTED_CHANGES])
{
    identify_reading list[IDENTIFY_READINGS];
    size_t n = 0;
    int count = identify_readings(set->from, set->to, list);
    for (int i = 0; i < count && n < EXPECTED_CHANGES; i++) {
        identify_set read = *set;
        read.to = list[i].to;
        if (strcmp(list[i].name, "codes") != 0 || is_among(found, n, read.to) ||
            !identify_gives(&read, set->rules))
            continue;
        found[n] = (expected_change){.policy = set->rules, .to = read.to};
        snprintf(found[n].words, sizeof found[n].words, "%s", list[i].words);
        n++;
    }
    return n;
}

size_t expected_changes(const identify_set *set, expected_change found[EXPECTED_CHANGES])
{
    size_t n = add_fields(set, 1, 0, found);
    n = add_fields(set, 0, n, found);
    return n ? n : add_readings(set, found);
}

/* The row of a field of a policy; NULL if the field changes no code of a conversion. */
static const identify_cause *row_of(sf8_policy policy, const char *field)
{
    char value[16];
    sf8_policy_get(policy, field, value, sizeof value);
    const identify_cause *row = identify_cause_of(field, value);
    return row && (!row->of || strcmp(field, "round") == 0) ? row : NULL;
}

size_t expected_apart(const identify_set *set, sf8_policy other,
                      const identify_cause *found[EXPECTED_CHANGES])
{
    const char *field;
    sf8_policy policy = set->rules;
    size_t n = 0;
    for (size_t i = 0; n < EXPECTED_CHANGES && (field = sf8_policy_field_at(i)) != NULL; i++) {
        const identify_cause *row = row_of(other, field), *own = row_of(set->rules, field);
        if (!row || row == own)
            continue;
        sf8_policy_set(&policy, field, row->value);
        found[n++] = row;
    }
    for (size_t i = 0; i < n;) { /* what is not needed is left out */
        const identify_cause *own = row_of(set->rules, found[i]->name);
        sf8_policy less = policy;
        if (own)
            sf8_policy_set(&less, own->name, own->value);
        if (!own || !identify_gives(set, less)) {
            i++;
            continue;
        }
        policy = less;
        memmove(&found[i], &found[i + 1], (--n - i) * sizeof found[0]);
    }
    return n;
}

/* Whether a word sets a field. */
static int sets(const char *word, const char *field)
{
    size_t size = strlen(field);
    return strncmp(word, field, size) == 0 && word[size] == '=';
}

void expected_rule(const char *text, size_t round, const identify_cause *change, char *rule,
                   size_t size)
{
    size_t used = strcspn(text, " ,");
    const char *word = text + used;
    int is_round = change && strcmp(change->name, "round") == 0;
    snprintf(rule, size, "%.*s, %s", (int)used, text,
             round == SF8_SR ? "sr" : identify_roundings[round]);
    while (*(word += strspn(word, " ,"))) {
        int length = (int)strcspn(word, " ,");
        used = strlen(rule);
        if (!sets(word, "round") && !(change && sets(word, change->name)))
            snprintf(rule + used, size - used, ", %.*s", length, word);
        word += length;
    }
    used = strlen(rule);
    if (change && !is_round)
        snprintf(rule + used, size - used, ", %s=%s", change->name, change->value);
}
