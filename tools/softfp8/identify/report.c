/* SPDX-License-Identifier: MIT */
/* report.c -- what was found, as text */
#include "identify/identify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES_SHOWN = 8, AS_GOOD_SHOWN = 5, APART_SHOWN = 3, VALUE_SIZE = 24, CHANGES_SIZE = 160 };

/* " (rounds toward zero)", or "" of the rounding that needs no word. */
static const char *round_text(size_t round, char text[64])
{
    text[0] = '\0';
    if (round != SF8_RNE)
        snprintf(text, 64, " (%s)", identify_cause_of("round", identify_roundings[round])->words);
    return text;
}

/* "POLICY, ROUND (words)" */
static void print_candidate(output *out, const identify_candidate *c)
{
    char words[64];
    output_print(out, "%s, %s%s", sf8_policy_at(c->policy_index)->name,
                 identify_roundings[c->round], round_text(c->round, words));
}

static const char *policy_name(size_t policy_index)
{
    return sf8_policy_at(policy_index)->name;
}

static void print_number(output *out, uint64_t n)
{
    if (n == UINT64_MAX)
        output_print(out, "2^64");
    else
        output_print(out, "%llu", (unsigned long long)n);
}

/* ---- the input ------------------------------------------------------------------------------- */

static void print_input(output *out, const identify_findings *r, const identify_given *given)
{
    const identify_set *set = r->set;
    output_print(out, "input: %s, %s, %s to %s, ", printable(input_name(given->file)),
                 given->kind == IDENTIFY_STEPS ? "a step table" : identify_kinds[given->kind],
                 set->from_name, set->to_name);
    if (!set->words)
        output_print(out, "all ");
    print_number(out, set->inputs);
    output_print(out, set->has_flags ? " inputs, with flags\n" : " inputs\n");
    if (given->policy_name[0])
        output_print(out, "       (the file names the policy %s; identify does not rely on it)\n",
                     given->policy_name);
}

/* ---- explained ------------------------------------------------------------------------------- */

/* The matches in the order in which they are named, and so the policies among them. */
typedef struct matches {
    const identify_candidate **list;
    size_t count;
    size_t *policies, policy_count;
} matches;

static matches matches_of(const identify_findings *r)
{
    matches m;
    m.list = identify_matches(r->set, r->plain.candidates, r->plain.count, &m.count);
    m.policies = allocate(m.count, sizeof m.policies[0]);
    m.policy_count = 0;
    for (size_t i = 0; i < m.count; i++) {
        size_t at = 0;
        while (at < m.policy_count && m.policies[at] != m.list[i]->policy_index)
            at++;
        if (at == m.policy_count)
            m.policies[m.policy_count++] = m.list[i]->policy_index;
    }
    return m;
}

static void matches_free(matches *m)
{
    free(m->list);
    free(m->policies);
}

static unsigned roundings_that_fit(const identify_findings *r, size_t policy_index)
{
    unsigned mask = 0;
    for (size_t i = 0; i < IDENTIFY_ROUNDINGS; i++)
        mask |= (unsigned)(r->plain.candidates[policy_index * IDENTIFY_ROUNDINGS + i].codes == 0)
                << i;
    return mask;
}

static void print_roundings(output *out, unsigned mask)
{
    for (size_t i = 0; i < IDENTIFY_ROUNDINGS; i++) {
        if (mask >> i & 1)
            output_print(out, " %s", identify_roundings[i]);
    }
}

static void end_alike(output *out, unsigned mask)
{
    output_print(out, ",");
    print_roundings(out, mask);
    output_print(out, " (the same code for every input here)\n");
}

/* The other policies that fit with this set of roundings. */
static void print_alike(output *out, const identify_findings *r, const matches *m, unsigned mask)
{
    int n = 0;
    for (size_t i = 0; i < m->policy_count; i++) {
        size_t p = m->policies[i];
        if (p != r->plain.closest->policy_index && roundings_that_fit(r, p) == mask)
            output_print(out, n++ ? " %s" : "also: %s", policy_name(p));
    }
    if (n > 0)
        end_alike(out, mask);
}

/* " tininess=before": the fields that differ from the policy of that name. */
static const char *changed_fields(const identify_candidate *c, char text[CHANGES_SIZE])
{
    sf8_policy before = sf8_policy_named(policy_name(c->policy_index), NULL);
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; sf8_policy_field_at(i); i++) {
        char a[16], b[16];
        sf8_policy_get(before, sf8_policy_field_at(i), a, sizeof a);
        sf8_policy_get(c->policy, sf8_policy_field_at(i), b, sizeof b);
        if (strcmp(a, b) != 0 && used < CHANGES_SIZE)
            used += (size_t)snprintf(text + used, CHANGES_SIZE - used, " %s=%s",
                                     sf8_policy_field_at(i), b);
    }
    return text;
}

/* The changed policies that give the flags; of those with the same change the first. */
static void print_changed(output *out, const identify_candidate *found, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[CHANGES_SIZE], earlier[CHANGES_SIZE];
        int again = 0;
        changed_fields(&found[i], text);
        for (size_t k = 0; k < i; k++)
            again |= strcmp(changed_fields(&found[k], earlier), text) == 0;
        if (!again)
            output_print(out, i ? ", or %s with%s" : "; %s does with%s",
                         policy_name(found[i].policy_index), text);
    }
}

static void print_flags(output *out, const identify_findings *r, const matches *m)
{
    int n = 0;
    for (size_t i = 0; i < m->count; i++) {
        const identify_candidate *c = m->list[i];
        if (c->flags != 0)
            continue;
        output_print(out, "%s%s, %s", n++ ? "; " : "flags: match ", policy_name(c->policy_index),
                     identify_roundings[c->round]);
    }
    if (n > 0) {
        output_print(out, "\n");
        return;
    }
    identify_candidate *found = allocate(m->count, sizeof *found);
    size_t changed = identify_flags_search(r->set, m->list, m->count, found);
    output_print(out, "flags: none of these policies gives them");
    print_changed(out, found, changed);
    free(found);
    if (changed == 0) {
        const identify_candidate *closest = m->list[0];
        for (size_t i = 1; i < m->count; i++)
            closest = m->list[i]->flags < closest->flags ? m->list[i] : closest;
        output_print(out, "; the closest, %s, %s, differs for ", policy_name(closest->policy_index),
                     identify_roundings[closest->round]);
        print_number(out, closest->flags);
        output_print(out, closest->flags == 1 ? " input" : " inputs");
    }
    output_print(out, "\n");
}

/* "products: torch before 2.13, tensorflow (...)" */
static void print_products(output *out, const identify_findings *r)
{
    identify_product products[IDENTIFY_PRODUCTS];
    int n = identify_products(r->set, r->plain.candidates, products);
    for (int i = 0; i < n; i++) {
        output_print(out, "%s%s", i ? ", " : "products: ", products[i].name);
        if (products[i].before[0])
            output_print(out, " before %s", products[i].before);
    }
    if (n > 0)
        output_print(out, " for %s to %s\n", r->set->from_name, r->set->to_name);
}

static const char *value_text(sf8_format f, uint64_t word, char text[VALUE_SIZE])
{
    char number[SF8_TEXT_SIZE];
    sf8_to_text(f, word, SF8_TEXT_SHORTEST, number, sizeof number, NULL);
    snprintf(text, VALUE_SIZE, "%.*s", VALUE_SIZE - 1, number);
    return text;
}

/* "1 input cannot distinguish these 31 policies and 7 roundings; give all inputs", and inputs that
 * would. */
static void print_too_few(output *out, const identify_findings *r, const matches *m)
{
    const identify_set *set = r->set;
    identify_apart apart[APART_SHOWN];
    char value[VALUE_SIZE];
    unsigned mask = 0;
    size_t roundings = 0, n = identify_tell_apart(set, m->list, m->count, apart, APART_SHOWN);
    if (n == 0)
        return;
    for (size_t i = 0; i < m->count; i++)
        mask |= 1u << m->list[i]->round;
    for (; mask; mask &= mask - 1)
        roundings++;
    output_print(out, "note: %llu input%s cannot distinguish these ",
                 (unsigned long long)set->inputs, set->inputs == 1 ? "" : "s");
    if (m->policy_count > 1)
        output_print(out, "%zu policies%s", m->policy_count, roundings > 1 ? " and " : "");
    if (roundings > 1)
        output_print(out, "%zu roundings", roundings);
    output_print(out, sf8_format_bits(set->from) <= 16 ? "; give all inputs, or for example\n"
                                                       : "; give more inputs, for example\n");
    for (size_t i = 0; i < n; i++) {
        int digits = word_digits(sf8_format_bits(set->to));
        output_print(
            out, "  %0*llx (%s), which gives %0*llx by %s, %s and %0*llx by %s, %s\n",
            word_digits(sf8_format_bits(set->from)), (unsigned long long)apart[i].word,
            value_text(set->from, apart[i].word, value), digits,
            (unsigned long long)apart[i].code[0], policy_name(m->list[0]->policy_index),
            identify_roundings[m->list[0]->round], digits, (unsigned long long)apart[i].code[1],
            policy_name(apart[i].other->policy_index), identify_roundings[apart[i].other->round]);
    }
}

static void print_explained(output *out, const identify_findings *r)
{
    const identify_candidate *best = r->plain.closest;
    matches m = matches_of(r);
    unsigned own = roundings_that_fit(r, best->policy_index);
    output_print(out, "explained: ");
    print_candidate(out, best);
    output_print(out, "\n");
    print_products(out, r);
    if (own != 1u << best->round) {
        output_print(out, "also: %s", policy_name(best->policy_index));
        end_alike(out, own & ~(1u << best->round));
    }
    print_alike(out, r, &m, own);
    for (size_t i = 0; i < m.policy_count; i++) {
        unsigned mask = roundings_that_fit(r, m.policies[i]);
        int seen = mask == own;
        for (size_t k = 0; k < i; k++)
            seen |= roundings_that_fit(r, m.policies[k]) == mask;
        if (!seen)
            print_alike(out, r, &m, mask);
    }
    print_too_few(out, r, &m);
    if (r->set->has_flags)
        print_flags(out, r, &m);
    matches_free(&m);
}

/* ---- not explained --------------------------------------------------------------------------- */

/* "00" or "00..04" */
static const char *codes_text(const uint64_t codes[2], int constant, int digits, char text[48])
{
    if (constant)
        snprintf(text, 48, "%0*llx", digits, (unsigned long long)codes[0]);
    else
        snprintf(text, 48, "%0*llx..%0*llx", digits, (unsigned long long)codes[0], digits,
                 (unsigned long long)codes[1]);
    return text;
}

static void print_range(output *out, const identify_set *set, const identify_range *range)
{
    int digits = word_digits(sf8_format_bits(set->from));
    int to_digits = word_digits(sf8_format_bits(set->to));
    uint64_t words[2] = {range->first, range->last};
    char a[VALUE_SIZE], b[VALUE_SIZE], where[48], got[48], expected[48];
    value_text(set->from, range->first, a);
    value_text(set->from, range->last, b);
    codes_text(words, range->first == range->last, digits, where);
    output_print(out, "  %s (%s%s%s) gives %s, not %s", where, a, strcmp(a, b) ? " .. " : "",
                 strcmp(a, b) ? b : "", codes_text(range->got, range->constant[0], to_digits, got),
                 codes_text(range->expected, range->constant[1], to_digits, expected));
    output_print(out, "\n");
}

static void print_classes_of(output *out, const uint64_t of_class[IDENTIFY_CLASSES])
{
    int kinds = 0;
    for (int i = 0; i < IDENTIFY_CLASSES; i++)
        kinds += of_class[i] > 0;
    for (int i = 0, n = 0; i < IDENTIFY_CLASSES; i++) {
        if (of_class[i] == 0)
            continue;
        output_print(out, n++ == 0 ? ": " : ", ");
        if (kinds == 1)
            output_print(out, "all are ");
        else
            print_number(out, of_class[i]);
        output_print(out, "%s%s", kinds == 1 ? "" : " ", identify_class_phrases[i]);
    }
    output_print(out, "\n");
}

static void print_differences(output *out, const identify_cells *cells, const identify_model *m,
                              int all)
{
    size_t count;
    uint64_t of_class[IDENTIFY_CLASSES];
    identify_range *ranges = identify_ranges(cells, m, &count, of_class);
    double share = 100 * (double)m->differ / (double)cells->set->inputs;
    print_number(out, m->differ);
    output_print(out, " of ");
    print_number(out, cells->set->inputs);
    output_print(out, " inputs differ (%.3g %%)", share);
    print_classes_of(out, of_class);
    for (size_t i = 0; i < count && (all || i < RANGES_SHOWN); i++)
        print_range(out, cells->set, &ranges[i]);
    if (!all && count > RANGES_SHOWN)
        output_print(out, "  ... and %zu more ranges; --all shows them\n", count - RANGES_SHOWN);
    free(ranges);
}

/* "overflow_test=exact" or the mistake's name */
static const char *change_text(const identify_change *c, char text[64])
{
    snprintf(text, 64, identify_is_field(c) ? "%s=%s" : "%s", c->cause->name, c->value);
    return text;
}

static void print_model(output *out, const identify_diagnosis *d, const identify_model *m)
{
    char text[64];
    output_print(out, "%s, %s", policy_name(m->policy_index), identify_roundings[m->round]);
    for (int i = 0; i < m->changes; i++)
        output_print(out, "%s%s", i == 0 ? ", with " : " and ",
                     change_text(&d->list[m->change[i]], text));
}

static void print_as_good(output *out, const identify_view *v, const identify_model *m)
{
    output_print(out, "  equally good: ");
    print_model(out, &v->diagnosis, m);
    for (int i = 0; i < m->changes; i++) {
        char words[160];
        output_print(
            out, "%s%s", i == 0 ? ": " : "; ",
            identify_words(&v->diagnosis.list[m->change[i]], &v->cells.seen, v->set->to, words));
    }
    output_print(out, "\n");
}

/* Other policies from which the same changes lead to the same codes. */
static void print_same(output *out, const identify_diagnosis *d)
{
    int n = 0;
    for (size_t p = 0; sf8_policy_at(p); p++) {
        if (p < 64 && p != d->found[0].policy_index && d->same >> p & 1)
            output_print(out, "%s%s", n++ ? " " : "  same result from: ", policy_name(p));
    }
    if (n)
        output_print(out, "\n");
}

/* A rounding and changes, a line each in words. */
static void print_changes(output *out, const identify_view *v, const identify_model *m)
{
    if (m->round != SF8_RNE)
        output_print(out, "  %s: %s\n", identify_roundings[m->round],
                     identify_cause_of("round", identify_roundings[m->round])->words);
    for (int i = 0; i < m->changes; i++) {
        char text[64], words[160];
        const identify_change *change = &v->diagnosis.list[m->change[i]];
        output_print(out, "  %s: %s\n", change_text(change, text),
                     identify_words(change, &v->cells.seen, v->set->to, words));
    }
}

/* "1200 of the 1560 inputs that differ" */
static void print_share(output *out, const identify_view *v, const identify_model *m)
{
    uint64_t left = m->differ - m->broken;
    output_print(out, "this explains ");
    print_number(out, v->cells.wrong - left);
    output_print(out, " of the ");
    print_number(out, v->cells.wrong);
    output_print(out, " inputs that differ");
    if (m->broken > 0) {
        output_print(out, ", but makes ");
        print_number(out, m->broken);
        output_print(out, m->broken == 1 ? " other wrong" : " others wrong");
    }
}

/* The diagnosis of a view: a policy and its changes, in a reading or as the user says. */
static void print_diagnosis(output *out, const identify_findings *r, const identify_view *v,
                            const char *title, int all)
{
    const identify_diagnosis *d = &v->diagnosis;
    const identify_model *best = &d->found[0];
    output_print(out, "%s: ", title);
    if (v == &r->read)
        output_print(out, "%s; ", r->other.reading.words);
    if (v != &r->read || best->changes > 0) {
        print_model(out, d, best);
        output_print(out, "; ");
    }
    if (best->differ)
        print_share(out, v, best);
    else
        output_print(out, "this explains every input");
    output_print(out, ":\n");
    if (v == &r->read && best->changes == 0) {
        char words[64];
        output_print(out, "  %s, %s%s\n", policy_name(best->policy_index),
                     identify_roundings[best->round], round_text(best->round, words));
    } else {
        print_changes(out, v, best);
        print_same(out, d);
    }
    int shown = all ? d->count : d->count < AS_GOOD_SHOWN ? d->count : AS_GOOD_SHOWN;
    for (int i = 1; best->changes > 0 && i < shown; i++)
        print_as_good(out, v, &d->found[i]);
    if (best->changes > 0 && shown < d->count)
        output_print(out, "  ... and %d more that are equally good; --all shows them\n",
                     d->count - shown);
    if (best->differ) {
        output_print(out, "  with %s, ", v == &r->read ? "this reading" : "these changes");
        print_differences(out, &v->cells, best, all);
    }
}

static void print_diagnoses(output *out, const identify_findings *r, const char *title, int all)
{
    if (r->best)
        print_diagnosis(out, r, r->best, title, all);
    if (r->second)
        print_diagnosis(out, r, r->second, "or", all);
}

/* What explains everything comes first. What is merely nearest is called so. */
static void print_unexplained(output *out, const identify_findings *r, int all)
{
    identify_model m = identify_model_of(r->plain.closest);
    output_print(out, "explained: no; no named policy and rounding gives these codes\n");
    if (identify_is_complete(r))
        print_diagnoses(out, r, "diagnosis", all);
    output_print(out, "closest: ");
    print_candidate(out, r->plain.closest);
    output_print(out, "; ");
    print_differences(out, &r->plain.cells, &m, all);
    if (identify_is_complete(r))
        return;
    print_diagnoses(out, r, "nearest", all);
    if (identify_is_rounding(&r->plain.cells, r->plain.closest))
        identify_print_rounding(out, r);
    else
        output_print(out, "diagnosis: none found\n");
}

/* ---- --product ------------------------------------------------------------------------------- */

/* How many flags differ from the product's, and which first. */
static void print_product_flags(output *out, const identify_findings *r, const char *rules)
{
    const identify_set *set = r->set;
    const identify_candidate *c = &r->product;
    char value[VALUE_SIZE], got[64], expected[64];
    uint32_t ours = sf8_core_convert(set->to, set->from, c->first_raised, c->policy, 0).flags;
    print_number(out, c->flags);
    output_print(out, " of ");
    print_number(out, set->inputs);
    output_print(
        out,
        " inputs differ;\n         the first is %0*llx (%s), which raises %02x (%s) here and "
        "%02x (%s) by %s\n",
        word_digits(sf8_format_bits(set->from)), (unsigned long long)c->first_raised,
        value_text(set->from, c->first_raised, value), (unsigned)c->first_flags,
        flags_text(c->first_flags, got), (unsigned)ours, flags_text(ours, expected), rules);
}

/* Whether the policy of the product gives these codes and flags, and if not where it first does
 * not. */
static void print_product(output *out, const identify_findings *r)
{
    const identify_set *set = r->set;
    const identify_candidate *c = &r->product;
    char value[VALUE_SIZE];
    const char *rules = set->changed ? set->changed : policy_name(c->policy_index);
    output_print(out, "product: %s", set->changed ? set->changed : set->product);
    if (!set->changed && strcmp(set->product, policy_name(c->policy_index)) != 0)
        output_print(out, ", whose policy for %s to %s is %s,", set->from_name, set->to_name,
                     policy_name(c->policy_index));
    if (c->codes == 0) {
        output_print(out, c->flags > 0 ? " gives these codes, but not these flags: "
                                       : " gives these codes\n");
        if (c->flags > 0)
            print_product_flags(out, r, rules);
        return;
    }
    uint64_t ours = sf8_core_convert(set->to, set->from, c->first, c->policy, 0).code;
    int digits = word_digits(sf8_format_bits(set->to));
    output_print(out, " does not give these codes: ");
    print_number(out, c->codes);
    output_print(out, " of ");
    print_number(out, set->inputs);
    output_print(out,
                 " inputs differ;\n         the first is %0*llx (%s), which gives %0*llx here and "
                 "%0*llx by %s\n",
                 word_digits(sf8_format_bits(set->from)), (unsigned long long)c->first,
                 value_text(set->from, c->first, value), digits, (unsigned long long)c->first_code,
                 digits, (unsigned long long)ours, rules);
    const char *open = sf8_policy_at(c->policy_index)->open;
    if (*open)
        output_print(out, "         not established about %s: %s\n", policy_name(c->policy_index),
                     open);
}

void identify_print(output *out, const void *report)
{
    const identify_report *what = report;
    const identify_findings *r = what->f;
    print_input(out, r, what->given);
    if (r->set->product)
        print_product(out, r);
    if (r->plain.closest->codes == 0)
        print_explained(out, r);
    else
        print_unexplained(out, r, what->all);
}
