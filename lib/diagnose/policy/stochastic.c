/* SPDX-License-Identifier: MIT */
/* stochastic.c -- which rule of stochastic rounding made these codes */
#include "diagnose/policy/stochastic.h"
#include "softfp8/core.h"

#include <string.h>

/* The number of which the low bits count. */
static uint32_t random_of(const stochastic_rule *rule, int width, uint32_t random)
{
    int inverted = rule->bits == SR_LOW_INVERTED || rule->bits == SR_HIGH_INVERTED;
    int high = rule->bits == SR_HIGH || rule->bits == SR_HIGH_INVERTED;
    int n = (int)rule->policy.sr_bits;
    random = inverted ? ~random : random;
    if (!high || n >= width)
        return random;
    random &= width < 32 ? (UINT32_C(1) << width) - 1 : UINT32_MAX;
    return random >> (width - n);
}

uint64_t stochastic_code(sf8_format to, sf8_format from, const stochastic_rule *rule, int width,
                         const stochastic_row *row)
{
    return sf8_convert_sr(to, from, row->input, rule->policy, random_of(rule, width, row->random))
        .code;
}

typedef struct search {
    stochastic_findings *f;
    sf8_format to, from;
    int width;
    const stochastic_row *rows;
    size_t count;
} search;

/* How many rows a rule explains; no more are counted once it cannot reach `least`. */
static size_t count_rows(const search *s, const stochastic_rule *rule, size_t least)
{
    size_t good = 0;
    for (size_t i = 0; i < s->count && good + s->count - i >= least; i++)
        good += stochastic_code(s->to, s->from, rule, s->width, &s->rows[i]) == s->rows[i].code;
    return good;
}

/* Into its place: the rules that explain the most rows, in the order in which they came. */
static void keep(search *s, const stochastic_rule *rule)
{
    stochastic_findings *f = s->f;
    size_t at = f->found;
    while (at > 0 && rule->explained > f->rule[at - 1].explained)
        at--;
    if (at == STOCHASTIC_RULES || (at >= STOCHASTIC_BEST && rule->explained < s->count))
        return;
    f->found += f->found < STOCHASTIC_RULES;
    for (size_t i = f->found - 1; i > at; i--)
        f->rule[i] = f->rule[i - 1];
    f->rule[at] = *rule;
}

static void try_rule(search *s, stochastic_rule *rule)
{
    const stochastic_findings *f = s->f;
    size_t last = f->found < STOCHASTIC_BEST ? 0 : f->rule[STOCHASTIC_BEST - 1].explained;
    size_t least = last < s->count ? last + 1 : s->count;
    s->f->tried++;
    rule->explained = count_rows(s, rule, least);
    if (rule->explained >= least)
        keep(s, rule);
}

/* All numbers of bits, places and rules with one policy. */
static void try_policy(search *s, const char *name)
{
    int most = s->to.man_bits > 40 ? 58 - s->to.man_bits : 32;
    stochastic_rule rule = {.policy_name = name, .policy = sf8_policy_named(name, NULL)};
    rule.policy.round = SF8_SR;
    for (int n = 1; n <= s->width && n <= most; n++)
        for (uint32_t which = SF8_SR_A; which <= SF8_SR_C; which++)
            for (int bits = SR_LOW; bits <= SR_HIGH_INVERTED; bits++) {
                rule.policy.sr_bits = (unsigned)n & 63;
                rule.policy.sr_rule = which & 3;
                rule.bits = (stochastic_bits)bits;
                if (n < s->width || bits == SR_LOW || bits == SR_LOW_INVERTED)
                    try_rule(s, &rule);
            }
}

/* A rounding that takes no random numbers. */
static void try_fixed(search *s, const char *name)
{
    stochastic_rule rule = {.policy_name = name, .policy = sf8_policy_named(name, NULL)};
    for (uint32_t round = 0; round < SF8_SR && !s->f->is_fixed; round++) {
        rule.policy.round = round & 7;
        rule.explained = count_rows(s, &rule, s->count);
        if (rule.explained == s->count) {
            s->f->is_fixed = 1;
            s->f->fixed = rule;
        }
    }
}

/* The policies for the conversion, the plain one first: what tells rules apart are the values
 * between two codes, for which all policies are alike. The others are tried if it leaves some rows,
 * with the rules that are the best by it; the first that explains all is then tried with all. */
void stochastic_search(stochastic_findings *f, sf8_format to, sf8_format from, int width,
                       const stochastic_row *rows, size_t count)
{
    search s = {f, to, from, width, rows, count};
    const char *plain = sf8_format_bits(to) > 8 ? "ocp-nosat" : "ocp";
    const sf8_policy_row *row;
    memset(f, 0, sizeof *f);
    f->rows = count;
    try_fixed(&s, plain);
    try_policy(&s, plain);
    size_t best = f->found < STOCHASTIC_BEST ? f->found : STOCHASTIC_BEST;
    stochastic_rule start[STOCHASTIC_BEST];
    memcpy(start, f->rule, sizeof start);
    for (size_t i = 0; (row = sf8_policy_at(i)) != NULL; i++) {
        sf8_policy policy = sf8_policy_named(row->name, NULL);
        if (strcmp(row->name, plain) == 0 || !sf8_policy_holds(row, to, from))
            continue;
        if (!f->is_fixed)
            try_fixed(&s, row->name);
        for (size_t k = 0; k < best && f->rule[0].explained < count; k++) {
            stochastic_rule rule = {
                .policy_name = row->name, .policy = policy, .bits = start[k].bits};
            rule.policy.round = SF8_SR;
            rule.policy.sr_bits = start[k].policy.sr_bits;
            rule.policy.sr_rule = start[k].policy.sr_rule;
            if (count_rows(&s, &rule, count) < count)
                try_rule(&s, &rule);
            else
                try_policy(&s, row->name);
        }
    }
}
