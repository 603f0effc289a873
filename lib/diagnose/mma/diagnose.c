/* SPDX-License-Identifier: MIT */
/* diagnose.c -- the rules that explain what a unit does not, sought
 *
 * A rule is first compared with a sample, most of it rows that the unit does not explain; what does
 * well there is compared with all rows.
 */
#include "diagnose/mma/diagnose.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLE = 64, KEPT = 128, BASES = 16 };

/* The part of the rows that differ that an explanation explains. */
enum { WORTH = 4 };

typedef struct candidate {
    mma_rule rule;
    int distance;
    size_t score; /* rows of the sample */
    size_t all;   /* of all rows, once they are counted for all that are compared */
} candidate;

typedef struct search {
    search_context *context;
    mma_diagnosis *d;
    const mma_result *rows;
    size_t count;
    const mma_result *sample[SAMPLE + SAMPLE / 3]; /* those that differ come first */
    size_t differ, sampled;
    mma_change change[MMA_CHANGES];
    size_t changes;
    candidate *kept; /* the best by the sample */
    size_t kept_count;
    candidate single[MMA_CHANGES]; /* of the unit at hand */
} search;

static int explains(const mma_rule *rule, const mma_result *row)
{
    return mma_store(row->stored, mma_rule_word(rule, row)) == row->d;
}

/* ---- scores ---------------------------------------------------------------------------------- */

/* Some of the rows that differ, and some that do not, evenly. */
static void take_sample(search *s, const mma_rule *unit)
{
    size_t total[2] = {0, 0}, most[2] = {SAMPLE, SAMPLE / 3};
    s->sampled = 0;
    for (size_t i = 0; i < s->count; i++)
        total[explains(unit, &s->rows[i])]++;
    for (int right = 0; right < 2; right++) {
        size_t want = total[right] < most[right] ? total[right] : most[right], seen = 0, taken = 0;
        for (size_t i = 0; i < s->count && taken < want; i++) {
            if (explains(unit, &s->rows[i]) != right)
                continue;
            if (seen++ * want / total[right] >= taken) {
                s->sample[s->sampled++] = &s->rows[i];
                taken++;
            }
        }
        s->differ = right ? s->differ : s->sampled;
    }
}

/* How many rows of the sample it explains; fewer are counted where too many of those that differ
 * are not among them, or where it cannot be more than `beyond`. */
static size_t score_beyond(const search *s, const mma_rule *rule, size_t beyond)
{
    size_t good = 0;
    for (size_t i = 0; i < s->sampled && good + s->sampled - i > beyond; i++) {
        good += (size_t)explains(rule, s->sample[i]);
        if (i < s->differ && i + 1 - good > s->differ - s->differ / WORTH)
            break;
    }
    return good;
}

static size_t score(const search *s, const mma_rule *rule)
{
    return score_beyond(s, rule, 0);
}

static int is_better(const void *one, const void *other)
{
    const candidate *a = one, *b = other;
    if (a->all != b->all)
        return a->all > b->all;
    if (a->score != b->score)
        return a->score > b->score;
    if (a->rule.changes != b->rule.changes)
        return a->rule.changes < b->rule.changes;
    return a->distance < b->distance;
}

/* Into its place among the best. */
static void keep(candidate *list, size_t *count, size_t most, const candidate *c)
{
    search_keep(list, count, most, sizeof *c, c, is_better);
}

/* Tries a rule; it is kept if it does better than `beyond` rows of the sample. */
static void try_rule(search *s, candidate *c, size_t beyond)
{
    c->score = score_beyond(s, &c->rule, beyond == SIZE_MAX ? 0 : beyond);
    s->d->tried += beyond != SIZE_MAX;
    if (c->score > beyond)
        keep(s->kept, &s->kept_count, KEPT, c);
}

/* ---- the search ------------------------------------------------------------------------------ */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Whether there is time left; says which change is tried with others. */
static int goes_on(const search *s, size_t change)
{
    search_tell(s->context, "rules", change, s->changes);
    return !search_is_over(s->context);
}

/* The unit, or another, with one change. */
static void try_singles(search *s, const candidate *base, size_t beyond)
{
    for (size_t i = 0; i < s->changes; i++) {
        candidate *c = &s->single[i];
        *c = *base;
        c->distance = s->change[i].distance;
        if (!mma_apply_change(&c->rule, &s->change[i]) ||
            memcmp(&c->rule.m, &base->rule.m, sizeof c->rule.m) == 0) {
            c->score = base->score;
            if (!c->rule.by_itself)
                continue;
        }
        try_rule(s, c, beyond);
    }
}

/* An order first: that of a lowered product has no length. */
static int apply_changes(candidate *c, const mma_change *const *change, int count)
{
    c->distance = 0;
    for (int orders = 1; orders >= 0; orders--)
        for (int i = 0; i < count; i++) {
            if ((change[i]->axis == MMA_AXIS_ORDER) != orders)
                continue;
            if (!mma_apply_change(&c->rule, change[i]))
                return 0;
            c->distance += change[i]->distance;
        }
    return 1;
}

static void try_pairs(search *s, const candidate *base, size_t beyond)
{
    for (size_t i = 0; i < s->changes && goes_on(s, i); i++)
        for (size_t k = i + 1; k < s->changes; k++) {
            candidate c = *base;
            const mma_change *const pair[] = {&s->change[i], &s->change[k]};
            if (pair[0]->axis != pair[1]->axis && pair[0]->with_others && pair[1]->with_others &&
                apply_changes(&c, pair, 2))
                try_rule(s, &c, larger(beyond, larger(s->single[i].score, s->single[k].score)));
        }
}

/* The parameters that describe an adder. */
static int is_main(mma_axis axis)
{
    return axis == MMA_AXIS_FRACTION || axis == MMA_AXIS_LENGTH || axis == MMA_AXIS_ORDER ||
           axis == MMA_AXIS_SUM || axis == MMA_AXIS_ROUND;
}

/* A new sample, of rows that the best rule so far does not explain. */
static void sample_again(search *s, const mma_rule *best)
{
    candidate *kept = search_allocate(s->context, KEPT, sizeof *kept);
    size_t count = 0;
    take_sample(s, best);
    for (size_t i = 0; i < s->kept_count; i++) {
        candidate c = s->kept[i];
        c.score = score(s, &c.rule);
        keep(kept, &count, KEPT, &c);
    }
    memcpy(s->kept, kept, count * sizeof *kept);
    search_free(s->context, kept);
}

/* The unit with three changes, if that does better than all that was tried before. */
static void try_triples(search *s, const candidate *base)
{
    const mma_change *change[MMA_CHANGES];
    size_t count = 0;
    for (size_t i = 0; i < s->changes; i++)
        if (is_main(s->change[i].axis))
            change[count++] = &s->change[i];
    for (size_t i = 0; i < count && goes_on(s, i); i++)
        for (size_t k = i + 1; k < count; k++)
            for (size_t l = k + 1; change[i]->axis != change[k]->axis && l < count; l++) {
                candidate c = *base;
                const mma_change *const three[] = {change[i], change[k], change[l]};
                size_t beyond = s->kept[0].score;
                if (change[k]->axis == change[l]->axis || !apply_changes(&c, three, 3))
                    continue;
                s->d->tried++;
                c.score = score_beyond(s, &c.rule, beyond);
                if (c.score > beyond)
                    keep(s->kept, &s->kept_count, KEPT, &c);
            }
}

/* Whether the scales are the same. */
static int is_like(const sf8_mma *a, const sf8_mma *b)
{
    return a->scale_block == b->scale_block && memcmp(&a->scale, &b->scale, sizeof a->scale) == 0;
}

/* The unit itself, and the others for such rows that are not the same rule; how many. */
static size_t list_bases(search *s, const char *unit, const sf8_mma *m, candidate bases[BASES])
{
    const sf8_mma_row *row;
    size_t count = 1;
    memset(bases, 0, BASES * sizeof bases[0]);
    bases[0].rule.m = *m;
    for (size_t i = 0; (row = sf8_mma_at(i)) != NULL && count < BASES; i++) {
        sf8_mma other;
        int known = 0;
        if (strcmp(row->unit, unit) == 0 || sf8_mma_read(&other, row, m->a, m->b, m->out) != SF8_OK)
            continue;
        for (size_t k = 0; k < count; k++)
            known |= memcmp(&bases[k].rule.m, &other, sizeof other) == 0;
        if (known || !is_like(&other, m))
            continue;
        bases[count].rule.m = other;
        bases[count].rule.changes = 1;
        snprintf(bases[count].rule.name, MMA_RULE_NAME, "unit=%s", row->unit);
        count++;
    }
    for (size_t k = 0; k < count; k++)
        bases[k].score = score(s, &bases[k].rule);
    return count;
}

static void count_all(search *s, mma_rule *rule)
{
    rule->explained = 0;
    for (size_t i = 0; i < s->count; i++)
        rule->explained += (size_t)explains(rule, &s->rows[i]);
}

/* Those kept, by all rows; beside one that explains all only such. Whether there is one. */
static int judge(search *s, candidate *best, size_t *found)
{
    size_t least = s->d->explained + (s->count - s->d->explained + WORTH - 1) / WORTH;
    int all = 0;
    *found = 0;
    for (size_t i = 0; i < s->kept_count; i++) {
        if (!s->kept[i].rule.explained)
            count_all(s, &s->kept[i].rule);
        all |= s->kept[i].rule.explained == s->count;
    }
    least = all ? s->count : least;
    s->d->found = 0;
    for (size_t i = 0; i < s->kept_count; i++) {
        candidate c = s->kept[i];
        c.all = c.rule.explained;
        if (c.all < least)
            continue;
        s->d->found++;
        keep(best, found, MMA_RULES, &c);
    }
    return all;
}

static void run_search(search *s, const char *unit, const sf8_mma *m)
{
    candidate bases[BASES], best[MMA_RULES];
    size_t found = 0, count = list_bases(s, unit, m, bases);
    s->changes = mma_list_changes(s->change, m);
    for (size_t i = 1; i < count; i++)
        try_rule(s, &bases[i], bases[0].score);
    for (size_t i = 0; i < count; i++)
        try_singles(s, &bases[i], larger(bases[0].score, bases[i].score));
    int all = judge(s, best, &found);
    /* What another unit with a change explains, two changes of this one may explain too. */
    for (size_t i = 0; i < (all ? 1 : count) && !(all && best[0].rule.changes == 1); i++) {
        try_singles(s, &bases[i], SIZE_MAX); /* their scores alone */
        try_pairs(s, &bases[i], larger(bases[0].score, bases[i].score));
    }
    if (!judge(s, best, &found) && found) {
        sample_again(s, &best[0].rule);
        try_triples(s, &bases[0]);
    }
    judge(s, best, &found);
    for (size_t i = 0; i < found; i++)
        s->d->rule[i] = best[i].rule;
    search_tell(s->context, "rules", 1, 1);
}

void mma_diagnose(mma_diagnosis *d, search_context *context, const char *unit, const sf8_mma *m,
                  const mma_result *rows, size_t count)
{
    search *s = search_allocate(context, 1, sizeof *s);
    mma_rule itself;
    memset(&itself, 0, sizeof itself);
    memset(d, 0, sizeof *d);
    itself.m = *m;
    s->context = context;
    s->d = d;
    s->rows = rows;
    s->count = d->rows = count;
    s->kept = search_allocate(context, KEPT, sizeof *s->kept);
    count_all(s, &itself);
    d->explained = itself.explained;
    take_sample(s, &itself);
    if (s->differ)
        run_search(s, unit, m);
    search_free(context, s->kept);
    search_free(context, s);
}

/* ---- what else explains all rows ------------------------------------------------------------- */

static int explains_all(const search *s, const mma_rule *rule)
{
    size_t i = 0;
    while (i < s->count && explains(rule, &s->rows[i]))
        i++;
    return i == s->count;
}

static size_t keep_fit(search *s, const candidate *c, candidate *fit, size_t *kept, size_t most)
{
    if (!explains_all(s, &c->rule))
        return 0;
    keep(fit, kept, most, c);
    return 1;
}

static size_t list_fits(search *s, const char *unit, const sf8_mma *m, candidate *fit, size_t *kept,
                        size_t most)
{
    candidate bases[BASES];
    size_t found = 0, count = list_bases(s, unit, m, bases);
    s->changes = mma_list_changes(s->change, m);
    for (size_t i = 1; i < count; i++)
        found += keep_fit(s, &bases[i], fit, kept, most);
    for (size_t i = 0; i < s->changes; i++) {
        candidate c = bases[0];
        c.distance = 1 + s->change[i].distance;
        if (mma_apply_change(&c.rule, &s->change[i]) &&
            (c.rule.by_itself || memcmp(&c.rule.m, m, sizeof *m) != 0))
            found += keep_fit(s, &c, fit, kept, most);
    }
    return found;
}

size_t mma_other_fits(mma_rule *rule, size_t most, search_context *context, const char *unit,
                      const sf8_mma *m, const mma_result *rows, size_t count)
{
    search *s = search_allocate(context, 1, sizeof *s);
    candidate *fit = search_allocate(context, most, sizeof *fit);
    size_t kept = 0;
    s->context = context;
    s->rows = rows;
    s->count = count;
    size_t found = list_fits(s, unit, m, fit, &kept, most);
    for (size_t i = 0; i < kept; i++) {
        rule[i] = fit[i].rule;
        rule[i].explained = count;
    }
    search_free(context, fit);
    search_free(context, s);
    return found;
}

void mma_diagnosis_text(const mma_diagnosis *d, char *text, size_t size)
{
    const mma_rule *best = &d->rule[0];
    if (d->explained == d->rows)
        snprintf(text, size, "the unit explains all %zu rows", d->rows);
    else if (!d->found)
        snprintf(text, size,
                 "no rule of %zu tried explains what the unit does not: %zu of %zu rows", d->tried,
                 d->rows - d->explained, d->rows);
    else
        snprintf(text, size, "%s explains %s%zu %srows, the unit %zu%s%s", best->name,
                 best->explained == d->rows ? "all " : "", best->explained,
                 best->explained == d->rows ? "" : "of them ", d->explained,
                 d->found > 1 ? "; or " : "", d->found > 1 ? d->rule[1].name : "");
}
