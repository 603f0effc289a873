/* SPDX-License-Identifier: MIT */
/* stochastic.c -- which rule of stochastic rounding gave these codes */
#include "diagnose/operation/rules.h"
#include "softfp8/core.h"

#include <string.h>

enum { BEST = 8, KEPT = 512 }; /* all rules that give every code are kept; of others the best */

/* The number of which the low bits count. */
static uint32_t random_of(const rules_rule *rule, int width, uint32_t random)
{
    int inverted = rule->way == RULES_LOW_INVERTED || rule->way == RULES_HIGH_INVERTED;
    int high = rule->way == RULES_HIGH || rule->way == RULES_HIGH_INVERTED;
    int n = (int)rule->policy.sr_bits;
    random = inverted ? ~random : random;
    if (!high || n >= width)
        return random;
    random &= width < 32 ? (UINT32_C(1) << width) - 1 : UINT32_MAX;
    return random >> (width - n);
}

static sf8_result compute(const rules_results *r, const rules_rule *rule, const rules_row *row)
{
    return sf8_convert_sr(r->function.result.format, r->function.operand[0].format, row->operand[0],
                          rule->policy, random_of(rule, r->width, row->random));
}

/* All numbers of bits, places and rules with one policy. */
static void try_policy(const rules_search *s, const char *name)
{
    int bits = s->r->function.result.format.man_bits, width = s->r->width;
    int most = bits > 40 ? 58 - bits : 32;
    rules_rule rule = rules_named(name, SF8_SR);
    for (int n = 1; n <= width && n <= most; n++)
        for (uint32_t which = SF8_SR_A; which <= SF8_SR_C; which++)
            for (rules_way way = RULES_LOW; way <= RULES_HIGH_INVERTED; way++) {
                rule.policy.sr_bits = (unsigned)n & 63;
                rule.policy.sr_rule = which & 3;
                rule.way = way;
                if (n < width || way == RULES_LOW || way == RULES_LOW_INVERTED)
                    rules_try(s, &rule, NULL);
            }
}

/* A rounding that takes no random numbers. */
static void try_fixed(const rules_search *s, const char *name)
{
    for (uint32_t round = 0; round < SF8_SR && !s->f->is_fixed; round++) {
        rules_rule rule = rules_named(name, round);
        if (rules_count(s->r, &rule, s->r->count, 0)) {
            s->f->is_fixed = 1;
            s->f->fixed = rule;
        }
    }
}

/* The policies for the conversion, the plain one first: what tells rules apart are the values
 * between two codes, for which all policies are alike. The others are tried if it leaves some rows,
 * with the rules that are the best by it; the first that explains all is then tried with all. */
void stochastic_search(rules_results *r, rules_found *f)
{
    sf8_format to = r->function.result.format, from = r->function.operand[0].format;
    const char *plain = sf8_format_bits(to) > 8 ? "ocp-nosat" : "ocp";
    const sf8_policy_row *row;
    rules_search s = rules_begin(r, f, KEPT, BEST, 1);
    rules_rule start[BEST];
    r->compute = compute;
    try_fixed(&s, plain);
    try_policy(&s, plain);
    size_t best = f->found < BEST ? f->found : BEST;
    memcpy(start, f->rule, best * sizeof start[0]);
    for (size_t i = 0; (row = sf8_policy_at(i)) != NULL; i++) {
        if (strcmp(row->name, plain) == 0 || !sf8_policy_holds(row, to, from))
            continue;
        if (!f->is_fixed)
            try_fixed(&s, row->name);
        for (size_t k = 0; k < best && f->rule[0].codes < r->count; k++) {
            rules_rule rule = rules_named(row->name, SF8_SR);
            rule.way = start[k].way;
            rule.policy.sr_bits = start[k].policy.sr_bits;
            rule.policy.sr_rule = start[k].policy.sr_rule;
            if (rules_count(r, &rule, r->count, 0))
                try_policy(&s, row->name);
            else
                rules_try(&s, &rule, NULL);
        }
    }
    rules_end(&s);
}
