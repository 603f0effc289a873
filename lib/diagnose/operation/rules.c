/* SPDX-License-Identifier: MIT */
/* rules.c -- how many rows a rule gives, and the best of those that were tried */
#include "diagnose/operation/rules.h"

#include <string.h>

#define WAY(field, set_to, says)                                                                   \
    {                                                                                              \
        .name = field, .value = set_to, .words = says                                              \
    }
const identify_cause rules_ways[RULES_WAYS] = {
    [RULES_BF16] = WAY("through", "bf16", "computed in bf16 and rounded again"),
    [RULES_F16] = WAY("through", "f16", "computed in f16 and rounded again"),
    [RULES_F32] = WAY("through", "f32", "computed in f32 and rounded again"),
    [RULES_NAN_NEGATIVE] = WAY("made_nan", "negative",
                               "a NaN made of numbers or infinities has its sign set, as on x86"),
    [RULES_LOW] = WAY("bits", "lowest", "of the random number the lowest bits count"),
    [RULES_HIGH] = WAY("bits", "highest", "of the random number the highest bits count"),
    [RULES_LOW_INVERTED] = WAY("bits", "lowest-inverted",
                               "of the random number the lowest bits count, inverted"),
    [RULES_HIGH_INVERTED] = WAY("bits", "highest-inverted",
                                "of the random number the highest bits count, inverted"),
};

rules_rule rules_named(const char *policy_name, uint32_t round)
{
    rules_rule rule = {.policy_name = policy_name, .policy = sf8_policy_named(policy_name, NULL)};
    rule.policy.round = round & SF8_ROUND_MASK;
    return rule;
}

int rules_count(const rules_results *r, rules_rule *rule, size_t codes, size_t flags)
{
    rule->codes = rule->flags = 0;
    for (size_t i = 0; i < r->count; i++) {
        const rules_row *row = &r->row[i];
        sf8_result got = r->compute(r, rule, row);
        size_t same = got.code == row->code, rest = r->count - 1 - i;
        rule->codes += same;
        rule->flags += same && (!r->has_flags || got.flags == row->flags);
        if (rule->codes + rest < codes || rule->flags + rest < flags)
            return 0;
    }
    return 1;
}

static int is_better(const void *one, const void *other)
{
    const rules_rule *a = one, *b = other;
    return a->codes != b->codes ? a->codes > b->codes : a->flags > b->flags;
}

void rules_try(const rules_search *s, rules_rule *rule, const rules_rule *base)
{
    const rules_results *r = s->r;
    rules_found *f = s->f;
    const rules_rule *last = f->found < s->partial ? NULL : &f->rule[s->partial - 1];
    size_t codes = last ? last->codes + (last->codes < r->count && !r->has_flags) : s->least;
    size_t flags = base && base->codes == r->count ? base->flags + 1 : 0;
    if (search_is_over(r->context))
        return;
    search_tell(r->context, "rules", f->tried, f->tried + 1);
    f->tried++;
    if (!rules_count(r, rule, flags ? r->count : codes, flags))
        return;
    if (!base && rule->codes > f->closest)
        f->closest = rule->codes;
    if ((!base || is_better(rule, base)) &&
        (!last || rule->codes == r->count || is_better(rule, last)))
        search_keep(f->rule, &f->found, s->most, sizeof *rule, rule, is_better);
}

rules_search rules_begin(const rules_results *r, rules_found *f, size_t most, size_t partial,
                         size_t least)
{
    memset(f, 0, sizeof *f);
    f->rule = search_allocate(r->context, most, sizeof f->rule[0]);
    return (rules_search){r, f, most, partial, least};
}

void rules_end(const rules_search *s)
{
    rules_found *f = s->f;
    search_tell(s->r->context, "rules", f->tried, f->tried);
    while (f->complete < f->found && f->rule[f->complete].codes == s->r->count)
        f->complete++;
}

void rules_free(const rules_results *r, rules_found *f)
{
    search_free(r->context, f->rule);
}
