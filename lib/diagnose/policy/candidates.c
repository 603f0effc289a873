/* SPDX-License-Identifier: MIT */
/* candidates.c -- policies with a rounding, each compared with a set of observed results */
#include "diagnose/policy/identify.h"
#include "softfp8/number/convert.h"

#include <string.h>

/* A sparse set with fewer words is compared word by word, a larger one step by step. */
enum { FEW_WORDS = 4096 };

/* ---- a candidate ----------------------------------------------------------------------------- */

/* The fields that only say what happens near the ends of the range. */
static void drop_ends(sf8_policy *policy, sf8_format to)
{
    int nearest = sf8_rounds_to_nearest(policy->round);
    uint64_t top = sf8_format_mag_mask(to);
    if (policy->overflow_test ||
        (policy->round_past_max == SF8_ROUND_PAST_MAX_NEXT && sf8_format_max(to) == top) ||
        (policy->round_past_max == SF8_ROUND_PAST_MAX_NAN && to.nan == SF8_NANS_NONE))
        policy->round_past_max = SF8_ROUND_PAST_MAX_OVERFLOW;
    if (policy->overflow_test || sf8_format_max(to) == top ||
        (policy->beyond_max == SF8_BEYOND_MAX_MAX && to.has_inf))
        policy->beyond_max = SF8_BEYOND_MAX_OVERFLOW;
    if (to.has_zero || !nearest)
        policy->above_least = SF8_ABOVE_NEAREST;
    if (!to.has_zero)
        policy->below_normal = SF8_BELOW_ROUND;
}

sf8_policy identify_relevant(sf8_policy policy, sf8_format from, sf8_format to, int flags)
{
    sf8_policy zero = sf8_policy_default(), p3109 = zero;
    if (!sf8_core_takes_via(from, policy) && !sf8_core_widens_via(to, from, policy))
        policy.via = zero.via;
    drop_ends(&policy, to);
    if (policy.round != SF8_SR) {
        policy.sr_rule = zero.sr_rule;
        policy.sr_bits = zero.sr_bits;
    }
    policy.integer = zero.integer;
    p3109.dialect = SF8_DIALECT_P3109;
    if (sf8_core_keeps_infinity(to, from, zero) == sf8_core_keeps_infinity(to, from, p3109) &&
        sf8_core_signs_zero(to, zero) == sf8_core_signs_zero(to, p3109))
        policy.dialect = zero.dialect;
    if (!flags) {
        policy.tininess = zero.tininess;
        policy.quiet = zero.quiet;
        policy.inf_flags = zero.inf_flags;
        policy.nan_flags = zero.nan_flags;
    }
    if (policy.round != SF8_RO)
        policy.odd = zero.odd;
    if (to.man_bits > 0 || policy.round != SF8_RNE)
        policy.tie_p1 = zero.tie_p1;
    if (to.is_signed || !from.is_signed)
        policy.negative = zero.negative;
    if (to.has_zero)
        policy.missing_zero = zero.missing_zero;
    /* With `via` the first step looks at bits = infinity too. */
    if (to.nan != SF8_NANS_IEEE && !(policy.via && policy.nan_code == SF8_NAN_BITS))
        policy.nan_code = zero.nan_code;
    if (to.nan == SF8_NANS_NONE)
        policy.nan = zero.nan;
    if (to.nan != SF8_NANS_NONE && policy.nan == SF8_NAN_KEPT)
        policy.missing_nan = zero.missing_nan;
    if (!to.is_signed || to.nan == SF8_NANS_NEG_ZERO || to.nan == SF8_NANS_NONE)
        policy.nan_sign = policy.made_nan_sign = 0;
    if (from.nan == SF8_NANS_NONE) {
        policy.nan = zero.nan;
        policy.missing_nan = zero.missing_nan;
        policy.nan_code = zero.nan_code;
        policy.nan_sign = zero.nan_sign;
    }
    return policy;
}

/* Notes an input whose code differs, if it is the first. */
static void note_first(const identify_run *run, uint64_t word, identify_candidate *c)
{
    if (c->codes > 0)
        return;
    c->first = word;
    c->first_code = run->code;
}

/* The same for an input whose code is right and whose flags differ. */
static void note_flags(const identify_run *run, uint64_t word, identify_candidate *c)
{
    if (c->flags > c->codes)
        return;
    c->first_raised = word;
    c->first_flags = run->flags;
}

static void count_word(const identify_set *set, const identify_run *run, uint64_t word,
                       identify_candidate *c)
{
    sf8_result r = sf8_core_convert(set->to, set->from, word, c->policy, 0);
    int code = r.code != run->code, flags = set->has_flags && r.flags != run->flags;
    if (code)
        note_first(run, word, c);
    else if (flags)
        note_flags(run, word, c);
    c->codes += (uint64_t)code;
    c->flags += (uint64_t)(code || flags);
}

static void compare_words(const identify_set *set, identify_candidate *c)
{
    for (size_t i = 0; i < set->count; i++) {
        const identify_run *run = &set->runs[i];
        if (!set->words) {
            for (uint64_t word = run->first; word <= run->last; word++)
                count_word(set, run, word, c);
            continue;
        }
        uint64_t end = i + 1 < set->count ? set->runs[i + 1].at : set->inputs;
        for (uint64_t at = run->at; at < end; at++)
            count_word(set, run, set->words[at], c);
    }
}

/* Counts the part of the set from step->first to `last`, where the candidate's result is the
 * step's. *at is the run where the part begins, or one before, and moves on. */
static void compare_step(const identify_set *set, const sf8_step *step, uint64_t last, size_t *at,
                         identify_candidate *c)
{
    for (; *at < set->count && set->runs[*at].first <= last; ++*at) {
        const identify_run *run = &set->runs[*at];
        uint64_t from = run->first > step->first ? run->first : step->first;
        uint64_t to = run->last < last ? run->last : last;
        int code = run->code != step->code;
        int flags = set->has_flags && run->flags != step->flags;
        if ((code || flags) && from <= to) {
            uint64_t n = identify_count(set, run, from, to);
            if (set->words)
                from =
                    n > 0 ? set->words[identify_lower_bound(set->words, run->at, set->inputs, from)]
                          : from;
            if (code && n > 0)
                note_first(run, from, c);
            else if (n > 0)
                note_flags(run, from, c);
            c->codes = identify_sum(c->codes, code ? n : 0);
            c->flags = identify_sum(c->flags, n);
        }
        if (run->last > last)
            return;
    }
}

void identify_compare(const identify_set *set, identify_candidate *c, search_words *boundaries)
{
    sf8_steps walk;
    sf8_step step, next;
    c->codes = c->flags = 0;
    if ((set->words && set->inputs < FEW_WORDS) ||
        sf8_steps_begin(&walk, set->from, set->to, c->policy, 0) != SF8_OK ||
        !sf8_steps_next(&walk, &step)) {
        compare_words(set, c);
        return;
    }
    size_t at = 0;
    int more = 1;
    while (more) {
        more = sf8_steps_next(&walk, &next);
        compare_step(set, &step, more ? next.first - 1 : UINT64_MAX, &at, c);
        if (boundaries)
            search_words_add(boundaries, step.first);
        step = next;
    }
}

/* Whether a policy differs at the ends of a run: most that do not fit are seen through here. */
static int differs_at_ends(const identify_set *set, sf8_policy policy)
{
    for (size_t i = 0; i < set->count; i++) {
        const identify_run *run = &set->runs[i];
        for (int last = 0; last < 2; last++) {
            uint64_t word = last ? run->last : run->first;
            if (sf8_core_convert(set->to, set->from, word, policy, 0).code != run->code)
                return 1;
        }
    }
    return 0;
}

int identify_gives(const identify_set *set, sf8_policy policy)
{
    identify_candidate c;
    memset(&c, 0, sizeof c);
    c.policy = policy;
    if (differs_at_ends(set, policy))
        return 0;
    identify_compare(set, &c, NULL);
    return c.codes == 0;
}

/* Sets the counts of candidate i as those of an earlier one that gives the same results, if any. */
static int take_from_twin(const identify_set *set, identify_candidate *list, size_t i)
{
    sf8_policy key = identify_relevant(list[i].policy, set->from, set->to, set->has_flags);
    for (size_t j = 0; j < i; j++) {
        if (list[j].left_out ||
            !identify_same_policy(
                key, identify_relevant(list[j].policy, set->from, set->to, set->has_flags)))
            continue;
        list[i].codes = list[j].codes;
        list[i].flags = list[j].flags;
        return 1;
    }
    return 0;
}

int identify_is_meant(const identify_set *set, const sf8_policy_row *row)
{
    const char *wanted = set->product ? sf8_policy_for(set->product, set->to, set->from) : NULL;
    return (wanted && strcmp(wanted, row->name) == 0) || sf8_policy_holds(row, set->to, set->from);
}

/* A policy for HiF8, which cannot be identified, is no explanation of another format. */
static int is_for_hif8(const identify_candidate *c)
{
    return strcmp(sf8_policy_at(c->policy_index)->to, "hif8") == 0;
}

static void judge(const identify_set *set, identify_candidate *list, size_t i)
{
    list[i].codes = list[i].flags = 1;
    if (!take_from_twin(set, list, i) && !differs_at_ends(set, list[i].policy))
        identify_compare(set, &list[i], NULL);
}

identify_candidate *identify_candidates(const identify_set *set, size_t *count)
{
    size_t policies = 0;
    int explained = 0;
    while (sf8_policy_at(policies))
        policies++;
    *count = policies * IDENTIFY_ROUNDINGS;
    identify_candidate *list = search_allocate(set->context, *count, sizeof *list);
    for (size_t i = 0; i < *count; i++) {
        identify_candidate *c = &list[i];
        c->policy_index = i / IDENTIFY_ROUNDINGS;
        c->round = i % IDENTIFY_ROUNDINGS;
        c->policy = sf8_policy_named(sf8_policy_at(c->policy_index)->name, NULL);
        c->policy.round = (unsigned)c->round & SF8_ROUND_MASK;
        c->codes = c->flags = UINT64_MAX;
        c->order = identify_order(set, c->policy_index, c->round);
        c->left_out = c->round ? list[i - 1].left_out
                               : !identify_is_meant(set, sf8_policy_at(c->policy_index));
        if (!c->left_out)
            judge(set, list, i);
        explained |= c->codes == 0;
        search_tell(set->context, "policies", i, *count);
    }
    for (size_t i = 0; !explained && i < *count; i++) {
        identify_candidate *c = &list[i];
        if (!c->left_out || is_for_hif8(c))
            continue;
        judge(set, list, i);
        c->left_out = c->codes > 0;
        if (c->left_out)
            c->codes = c->flags = UINT64_MAX;
    }
    search_tell(set->context, "policies", *count, *count);
    return list;
}

void identify_count_all(const identify_set *set, identify_candidate *list, size_t count,
                        search_words *boundaries)
{
    for (size_t i = 0; i < count; i++) {
        if (!list[i].left_out && !take_from_twin(set, list, i))
            identify_compare(set, &list[i], boundaries);
        search_tell(set->context, "policies", i, count);
    }
    search_tell(set->context, "policies", count, count);
}

const identify_candidate *identify_closest(const identify_candidate *c, size_t count)
{
    const identify_candidate *best = c;
    for (size_t i = 1; i < count; i++) {
        if (c[i].codes < best->codes || (c[i].codes == 0 && identify_is_before(&c[i], best)))
            best = &c[i];
    }
    return best;
}

identify_candidate identify_of_product(const identify_set *set)
{
    identify_candidate c;
    const char *policy_name = sf8_policy_for(set->product, set->to, set->from);
    memset(&c, 0, sizeof c);
    c.policy_index = identify_policy_index(policy_name);
    c.policy = set->changed ? set->rules : sf8_policy_named(policy_name, NULL);
    c.round = c.policy.round;
    c.order = identify_order(set, c.policy_index, c.round);
    identify_compare(set, &c, NULL);
    return c;
}
