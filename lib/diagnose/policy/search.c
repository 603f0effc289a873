/* SPDX-License-Identifier: MIT */
/* search.c -- the smallest changes that explain what a subject gave
 *
 * First the policies themselves, then each with one change, then the best of those with one more,
 * and so on: after each round the IDENTIFY_BEAM models with the fewest differences stay. It ends
 * with the round in which a model explains everything. Where the last round leaves few inputs,
 * there is one more.
 *
 * Of a case it is its policy that is changed; another in its place counts as the first change.
 * Pairs of changes are tried all, as far as the first input that they do not explain. What explains
 * all that was observed is proved, by running the case against it.
 */
#include "diagnose/policy/identify.h"

#include <stdlib.h>
#include <string.h>

enum {
    ALIKE_MOST = 3, /* models with the same codes that stay */
    BEAM_LEAST = 6,
    WORK = 20000000 /* conversions in a round, about */
};

identify_model identify_model_of(const identify_candidate *c)
{
    identify_model m;
    memset(&m, 0, sizeof m);
    m.policy_index = c->policy_index;
    m.round = c->round;
    m.policy = c->policy;
    m.key = c->policy;
    m.differ = c->codes;
    return m;
}

static const uint64_t HASH_FIRST = UINT64_C(0xcbf29ce484222325),
                      HASH_FACTOR = UINT64_C(0x100000001b3);

static void judge_cells(const identify_cells *c, const identify_cell *cells, size_t count,
                        int hashed, uint64_t most, identify_model *m)
{
    for (size_t i = 0; i < count && m->differ <= most; i++) {
        uint64_t code;
        int right = c->subject->is_right(c->subject, c, m, &cells[i], &code);
        if (!right)
            m->differ = identify_sum(m->differ, cells[i].count);
        if (!right && cells[i].right)
            m->broken = identify_sum(m->broken, cells[i].count);
        if (hashed)
            m->hash = (m->hash ^ code) * HASH_FACTOR;
    }
}

/* Sets m->differ and m->hash, and stops counting above `most` differences. Returns 0 if the model
 * does not exist. */
static int judge(const identify_cells *c, const identify_diagnosis *d, uint64_t most,
                 identify_model *m)
{
    identify_subject *s = c->subject;
    m->hash = HASH_FIRST;
    m->differ = UINT64_MAX;
    if (s->open && !s->open(s, c, d, m))
        return 0;
    m->differ = m->broken = 0;
    judge_cells(c, s->probe, s->kept, 1, most, m);
    judge_cells(c, s->probe + s->kept, s->probes - s->kept, 0, most, m);
    judge_cells(c, c->cells, c->count, 1, most, m);
    return m->differ <= most;
}

int identify_compare_models(const identify_model *x, const identify_model *y)
{
    if (x->differ != y->differ)
        return x->differ < y->differ ? -1 : 1;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    if (x->policy_index != y->policy_index)
        return x->policy_index < y->policy_index ? -1 : 1;
    for (int i = 0; i < IDENTIFY_ROW_CHANGES; i++) {
        if (x->change[i] != y->change[i])
            return x->change[i] < y->change[i] ? -1 : 1;
    }
    return 0;
}

static int compare_models(const void *a, const void *b)
{
    return identify_compare_models(a, b);
}

/* ---- the models of a round ------------------------------------------------------------------- */

typedef struct models {
    search_context *context;
    identify_model *list;
    size_t count, room;
    size_t beam; /* the first ones; what lies behind is kept only if one more change explains all */
} models;

static void add_model(models *all, const identify_model *m)
{
    if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 1024;
        all->list = search_reallocate(all->context, all->list, all->room, sizeof all->list[0]);
    }
    all->list[all->count++] = *m;
}

/* The model that is the same converter, or NULL. */
static const identify_model *known(const models *all, const identify_model *m)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].mistakes == m->mistakes && all->list[i].others == m->others &&
            identify_same_policy(all->list[i].key, m->key))
            return &all->list[i];
    }
    return NULL;
}

static void sort_models(models *all)
{
    search_sort(all->context, all->list, all->count, sizeof all->list[0], compare_models);
}

/* How many models go into a round. */
static size_t beam_of(const identify_cells *cells, const identify_diagnosis *d)
{
    size_t work = (cells->count + 1) * (size_t)(d->changes + 1), beam = WORK / work;
    return beam < BEAM_LEAST ? BEAM_LEAST : beam > IDENTIFY_BEAM ? IDENTIFY_BEAM : beam;
}

/* The best of sorted models are the beam, of those with the same codes only some; and the best of
 * each rounding, as one that overflows in another way is far from the results until that is
 * changed: `of_each`. `rest`: the others stay behind them. */
static void prune(models *all, size_t beam, size_t of_each, int rest)
{
    size_t kept = 0, of_round[IDENTIFY_ROUNDINGS + 1] = {0};
    for (size_t i = 0; i < all->count; i++) {
        int alike = 0;
        for (size_t j = 0; j < kept; j++)
            alike += all->list[j].hash == all->list[i].hash;
        if (alike < ALIKE_MOST && !all->list[i].again &&
            (kept < beam || of_round[all->list[i].round] < of_each)) {
            of_round[all->list[i].round]++;
            identify_model m = all->list[kept];
            all->list[kept++] = all->list[i];
            all->list[i] = m;
        }
    }
    all->beam = kept;
    if (!rest)
        all->count = kept;
}

/* What can not matter in a conversion is at its first value. */
static sf8_policy key_of(const identify_cells *c, sf8_policy policy)
{
    const identify_subject *s = c->subject;
    return s->converts ? identify_relevant(policy, s->from, s->to, 0) : policy;
}

/* Puts one more change into the policy, the mistakes or the others; 0 if that changes nothing. */
static int put_change(const identify_cells *c, const identify_change *change, int index,
                      identify_model *m)
{
    sf8_policy before = m->key;
    if (identify_is_field(change) && change->step == c->subject->step) {
        sf8_policy_set(&m->policy, change->cause->name, change->value);
        m->round = m->policy.round;
        m->key = key_of(c, m->policy);
        return !identify_same_policy(before, m->key);
    }
    if (change->cause && change->cause->apply)
        identify_put_mistake(m, change->cause);
    else
        m->others += (uint64_t)(index + 1) * HASH_FACTOR; /* in any order the same */
    return 1;
}

/* `m` with one more change; 0 if that can not be, or changes nothing. */
static int change(const identify_cells *c, const identify_diagnosis *d, int index,
                  identify_model *m)
{
    const identify_change *change = &d->list[index];
    if (m->changes == IDENTIFY_ROW_CHANGES)
        return 0;
    for (int i = 0; i < m->changes; i++) {
        if (d->list[m->change[i]].group == change->group)
            return 0;
    }
    if (!put_change(c, change, index, m))
        return 0;
    int at = m->changes++;
    for (; at > 0 && m->change[at - 1] > index; at--)
        m->change[at] = m->change[at - 1];
    m->change[at] = index;
    m->cost += change->cost;
    return 1;
}

/* Whether a change makes sense with the rest of a model. */
static int fits(const identify_change *change, const identify_model *m)
{
    const identify_cause *cause = change->cause;
    return !cause || !cause->apply || (cause->rounds >> m->round & 1);
}

/* How many differences a model of the next round may have. Where a proof is dear a second change
 * may not make it worse than the first alone, which saves most of the work. After the last round
 * only what is better than all before is reported, and explains half of what is wrong. */
static uint64_t most_of(const identify_cells *cells, const identify_diagnosis *d,
                        const models *before, size_t i, int last)
{
    if (i >= before->beam)
        return 0;
    if (cells->subject->prove)
        return before->list[i].cost > 0 ? before->list[i].differ : UINT64_MAX;
    if (!last)
        return UINT64_MAX;
    return d->count > 0 && !d->found[0].broken ? d->found[0].differ - 1 : cells->wrong / 2;
}

/* The models with one change more. */
static models next_round(const identify_cells *cells, const identify_diagnosis *d,
                         const models *before, int last)
{
    models after = {cells->set->context, NULL, 0, 0, 0};
    for (size_t i = 0; i < before->count && !search_is_over(cells->set->context); i++) {
        uint64_t most = most_of(cells, d, before, i, last);
        for (int j = 0; j < d->changes; j++) {
            identify_model m = before->list[i];
            if (m.again || !fits(&d->list[j], &m) || !change(cells, d, j, &m))
                continue;
            const identify_model *twin = known(&after, &m);
            m.again = twin != NULL;
            if (twin) {
                m.differ = twin->differ;
                m.broken = twin->broken;
                m.hash = twin->hash;
            } else if (!judge(cells, d, most, &m)) {
                continue;
            }
            /* where it can be asked again, the inputs of another fault may not have been seen yet
             */
            if (cells->subject->prove || m.hash != before->list[i].hash)
                add_model(&after, &m);
        }
        search_tell(cells->set->context, "models", i, before->count);
    }
    return after;
}

/* How far the policy of a candidate is from the one that its name stands for: by its rounding. */
static unsigned own_changes(const identify_candidate *c)
{
    return sf8_policy_named(sf8_policy_at(c->policy_index)->name, NULL).round != c->policy.round;
}

/* A policy that goes by way of another format, with a rounding that is not its own. That it gives
 * all codes may be; what it gives with a change is an accident. */
static int is_hybrid(const identify_candidate *c, const identify_model *m)
{
    return m->key.via != SF8_VIA_NONE && own_changes(c) > 0;
}

static models first_round(const identify_cells *cells, const identify_candidate *candidates,
                          size_t count)
{
    models all = {cells->set->context, NULL, 0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        if (candidates[i].left_out)
            continue;
        identify_model m = identify_model_of(&candidates[i]);
        m.key = key_of(cells, m.policy);
        if (is_hybrid(&candidates[i], &m) || known(&all, &m))
            continue;
        judge(cells, NULL, UINT64_MAX, &m);
        add_model(&all, &m);
    }
    sort_models(&all);
    return all;
}

/* ---- of a case ------------------------------------------------------------------------------- */

identify_model identify_case_model(const identify_subject *s, size_t policy_index)
{
    identify_model m;
    memset(&m, 0, sizeof m);
    m.policy_index = policy_index;
    m.policy = s->policy;
    if (policy_index != IDENTIFY_ROW) {
        m.policy = sf8_policy_named(sf8_policy_at(policy_index)->name, NULL);
        m.policy.round = s->policy.round;
        m.policy.sr_rule = s->policy.sr_rule;
        m.policy.sr_bits = s->policy.sr_bits;
        m.cost = IDENTIFY_COST_POLICY;
    }
    m.round = m.policy.round;
    return m;
}

static void add_policy(const identify_cells *cells, const identify_diagnosis *d, size_t index,
                       models *all)
{
    identify_model m = identify_case_model(cells->subject, index);
    m.key = key_of(cells, m.policy);
    if (!known(all, &m) && (judge(cells, d, UINT64_MAX, &m) || index == IDENTIFY_ROW))
        add_model(all, &m);
}

/* Of sorted models that explain all that was observed the first that is proved comes first. */
static void settle(const identify_cells *c, const identify_diagnosis *d, models *all)
{
    for (size_t i = 0; i < all->count && all->list[i].differ == 0; i++) {
        identify_model *m = &all->list[i];
        uint64_t left = judge(c, d, UINT64_MAX, m) && m->differ == 0 ? c->subject->prove(c->subject)
                                                                     : 1;
        if (left == 0)
            break;
        if (judge(c, d, UINT64_MAX, m) && m->differ == 0)
            m->differ = left; /* nothing new was seen */
    }
    sort_models(all);
}

/* ---- what is reported ------------------------------------------------------------------------ */

static int same_changes(const identify_model *a, const identify_model *b)
{
    return a->round == b->round && a->changes == b->changes &&
           memcmp(a->change, b->change, (size_t)a->changes * sizeof a->change[0]) == 0;
}

enum { MENDED_FOR_BROKEN = 16 };

/* Whether a model mends too few inputs for those that it breaks. */
static int breaks(const identify_cells *cells, const identify_model *m)
{
    uint64_t left = m->differ - m->broken, mended = cells->wrong > left ? cells->wrong - left : 0;
    return m->broken > mended / MENDED_FOR_BROKEN;
}

/* The first of sorted models that breaks nothing and explains half; else the first that breaks
 * little. */
static size_t first_of(const identify_cells *cells, const models *all)
{
    size_t first = all->count;
    for (size_t i = all->count; i-- > 0;)
        if (!breaks(cells, &all->list[i]))
            first = i;
    for (size_t i = 0; !cells->subject->prove && i < all->count; i++)
        if (all->list[i].broken == 0 && all->list[i].differ <= cells->wrong / 2)
            return i;
    return first;
}

static int is_better(const identify_cells *cells, const identify_model *a, const identify_model *b)
{
    if (!cells->subject->prove && !a->broken != !b->broken)
        return !a->broken;
    return a->differ < b->differ;
}

/* Takes over the best of sorted models if they are better than what was found before. */
static void keep_found(const identify_cells *cells, identify_diagnosis *d, const models *all)
{
    size_t first = first_of(cells, all);
    if (first == all->count || (d->count > 0 && !is_better(cells, &all->list[first], &d->found[0])))
        return;
    d->count = 0;
    for (size_t i = first; i < all->count && d->count < IDENTIFY_KEPT; i++) {
        const identify_model *m = &all->list[i];
        int left_out = m->differ != all->list[first].differ || breaks(cells, m) ||
                       (!cells->subject->prove && !m->broken != !all->list[first].broken);
        for (int j = 0; j < d->count; j++)
            left_out |= same_changes(&d->found[j], m);
        if (!left_out)
            d->found[d->count++] = *m;
    }
}

/* Which other policies, changed in the same way, give the same codes. */
static void find_same(const identify_cells *cells, identify_diagnosis *d)
{
    d->same = 0;
    for (size_t p = 0; sf8_policy_at(p) && p < 64; p++) {
        if (!identify_is_meant(cells->set, sf8_policy_at(p)))
            continue;
        identify_model m = d->found[0];
        m.policy = sf8_policy_named(sf8_policy_at(p)->name, NULL);
        m.policy.round = d->found[0].policy.round;
        m.key = key_of(cells, m.policy);
        m.changes = 0;
        m.mistakes = 0;
        int changed = 1;
        for (int i = 0; i < d->found[0].changes; i++)
            changed &= change(cells, d, d->found[0].change[i], &m);
        judge(cells, d, UINT64_MAX, &m);
        if (changed && m.hash == d->found[0].hash)
            d->same |= UINT64_C(1) << p;
    }
}

/* All models of the next round, the best first. */
static models advance(const identify_cells *cells, const identify_diagnosis *d, int round,
                      const models *before)
{
    models after = next_round(cells, d, before, round >= cells->subject->most - 1);
    for (size_t i = 0; cells->subject->prove && round == 0 && sf8_policy_at(i); i++)
        add_policy(cells, d, i, &after);
    sort_models(&after);
    if (cells->subject->prove)
        settle(cells, d, &after);
    return after;
}

enum { FEW_LEFT = 4 };

/* Whether there is another round. One more than usual, if what was found leaves little. */
static int goes_on(const identify_cells *cells, const identify_diagnosis *d, int round)
{
    const identify_subject *s = cells->subject;
    if (d->count > 0 && d->found[0].differ == 0)
        return 0;
    return round < s->most ||
           (round == s->most && !s->prove && d->count > 0 && !d->found[0].broken &&
            d->found[0].differ <= cells->wrong / FEW_LEFT);
}

void identify_search(const identify_cells *cells, const identify_candidate *candidates,
                     size_t count, identify_diagnosis *d)
{
    const identify_subject *s = cells->subject;
    d->changes = s->changes(s, cells, d->list);
    d->count = 0;
    models all = {cells->set->context, NULL, 0, 0, 0};
    if (candidates)
        all = first_round(cells, candidates, count);
    else
        add_policy(cells, d, IDENTIFY_ROW, &all);
    size_t beam = beam_of(cells, d);
    keep_found(cells, d, &all);
    for (int round = 0; goes_on(cells, d, round); round++) {
        prune(&all, beam, round == 0 || !s->prove ? beam / 8 : 0, s->prove && round == 1);
        models after = advance(cells, d, round, &all);
        search_free(cells->set->context, all.list);
        all = after;
        keep_found(cells, d, &all);
    }
    search_tell(cells->set->context, "models", 1, 1);
    search_free(cells->set->context, all.list);
    if (s->prove)
        return;
    if (d->count > 0 && d->found[0].differ > cells->wrong / 2)
        d->count = 0;
    if (d->count > 0)
        find_same(cells, d);
}

int identify_is_rounding(const identify_cells *cells, const identify_candidate *c)
{
    const identify_set *set = cells->set;
    for (size_t i = 0; i < cells->count; i++) {
        const identify_cell *cell = &cells->cells[i];
        sf8_policy policy = c->policy;
        if (sf8_core_convert(set->to, set->from, cell->first, policy, 0).code == cell->code)
            continue;
        if (identify_classify(set->from, set->to, cell->first) < IDENTIFY_IS_TIE)
            return 0;
        policy.round = SF8_RU;
        uint64_t up = sf8_core_convert(set->to, set->from, cell->first, policy, 0).code;
        policy.round = SF8_RD;
        uint64_t down = sf8_core_convert(set->to, set->from, cell->first, policy, 0).code;
        if (cell->code != up && cell->code != down)
            return 0;
    }
    return 1;
}

/* For each fourth wrong input a step down where the values go up: a rounding at random makes about
 * two of three. */
int identify_is_disordered(const identify_cells *cells)
{
    const identify_set *set = cells->set;
    uint64_t down = 0, mask = sf8_format_mag_mask(set->to);
    for (size_t i = 1; i < cells->count; i++) {
        const identify_cell *a = &cells->cells[i - 1], *b = &cells->cells[i];
        down += identify_classify(set->from, set->to, a->first) >= IDENTIFY_IS_TIE &&
                identify_classify(set->from, set->to, b->first) >= IDENTIFY_IS_TIE &&
                sf8_core_sign(set->from, a->first) == sf8_core_sign(set->from, b->first) &&
                (b->code & mask) < (a->code & mask);
    }
    return down >= cells->wrong / 4;
}

/* ---- flags ----------------------------------------------------------------------------------- */

/* The bits of a choice change one field each, or two together. */
enum { FLAG_CHOICES = 128, FLAG_FIELDS = 5 };

static sf8_policy with_flags(sf8_policy policy, unsigned choice)
{
    policy.tininess = (policy.tininess ^ choice) & 1;
    policy.quiet = (policy.quiet ^ choice >> 1) & 1;
    policy.inf_flags = (policy.inf_flags ^ choice >> 2) & 3;
    policy.nan_flags = (policy.nan_flags ^ choice >> 4) & 3;
    policy.flush = (policy.flush | (choice >> 6 & SF8_FLUSH_INPUTS)) & 3;
    return policy;
}

/* How many fields a choice changes. */
static unsigned fields_of(unsigned choice)
{
    return (choice & 1) + (choice >> 1 & 1) + ((choice >> 2 & 3) != 0) + ((choice >> 4 & 3) != 0) +
           (choice >> 6 & 1);
}

/* Tries the choices of `fields` fields; 1 if one gives the flags, which c then has. tried[0 ..
 * *count) are those that do not. */
static int try_flags(const identify_set *set, sf8_policy policy, unsigned fields, sf8_policy *tried,
                     size_t *count, identify_candidate *c)
{
    for (unsigned choice = 0; choice < FLAG_CHOICES; choice++) {
        size_t i = 0;
        c->policy = with_flags(policy, choice);
        sf8_policy key = identify_relevant(c->policy, set->from, set->to, 1);
        while (i < *count && !identify_same_policy(key, tried[i]))
            i++;
        if (fields_of(choice) != fields || i < *count)
            continue;
        identify_compare(set, c, NULL);
        if (c->flags == 0)
            return 1;
        tried[(*count)++] = key;
    }
    return 0;
}

size_t identify_flags_search(const identify_set *set, const identify_candidate **matches,
                             size_t count, identify_candidate *found)
{
    sf8_policy *tried = search_allocate(set->context, count * FLAG_CHOICES, sizeof *tried);
    size_t n = 0, tries = 0;
    for (unsigned changes = 1; n == 0 && changes <= FLAG_FIELDS + 1; changes++) {
        for (size_t i = 0; i < count; i++) {
            unsigned own = own_changes(matches[i]);
            found[n] = *matches[i];
            if (own <= changes &&
                try_flags(set, matches[i]->policy, changes - own, tried, &tries, &found[n]))
                n++;
        }
    }
    search_free(set->context, tried);
    return n;
}
