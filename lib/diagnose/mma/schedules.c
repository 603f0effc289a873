/* SPDX-License-Identifier: MIT */
/* schedules.c -- words of sums over a long K: the schedules that give them, sought */
#include "diagnose/mma/schedules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const mma_scalings[MMA_SCALINGS] = {"none", "product-first", "sum-first"};

static size_t explained_by(const sf8_mma *m, sf8_mma_schedule s, const mma_scheduled_rows *rows)
{
    size_t good = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const mma_result *r = &rows->row[i];
        uint32_t d;
        s.scale_a = rows->words_a[i];
        s.scale_b = rows->words_b[i];
        good += sf8_mma_matmul(m, &s, &d, &r->c, r->x, 1, 1, r->k) == SF8_OK &&
                mma_store(r->stored, d) == r->d;
    }
    return good;
}

static int better_first(const void *a, const void *b)
{
    const mma_schedule_trial *x = a, *y = b;
    if (x->explained != y->explained)
        return x->explained < y->explained ? 1 : -1;
    if (x->changes != y->changes)
        return x->changes < y->changes ? -1 : 1;
    return y->known - x->known;
}

const sf8_mma_schedule_row *mma_schedule_known(const char *unit, const sf8_mma_schedule *s,
                                               size_t *at)
{
    const sf8_mma_schedule_row *row;
    while ((row = sf8_mma_schedule_at((*at)++)) != NULL)
        if (strcmp(row->unit, unit) == 0 && row->promote == s->promote &&
            row->splits == s->splits && row->scaling == s->scaling)
            return row;
    return NULL;
}

/* One schedule; `other` is the name of the unit if it is another one, else NULL. */
static void try_schedule(mma_schedules *found, const char *unit, const char *other,
                         const sf8_mma *m, const sf8_mma_schedule *asked, const sf8_mma_schedule *s,
                         const mma_scheduled_rows *rows)
{
    int scaled = s->scaling != SF8_MMA_UNSCALED;
    if (found->count == MMA_SCHEDULES)
        return;
    mma_schedule_trial *t = &found->trial[found->count++];
    snprintf(t->name, sizeof t->name, "%s%s%spromote=%zu splits=%zu%s%s", other ? "unit=" : "",
             other ? other : "", other ? " " : "", s->promote, s->splits, scaled ? " scales=" : "",
             scaled ? mma_scalings[s->scaling] : "");
    size_t first = 0;
    t->known = mma_schedule_known(other ? other : unit, s, &first) != NULL;
    t->other = other;
    t->schedule = *s;
    t->explained = explained_by(m, *s, rows);
    t->changes = (size_t)(other != NULL) + (s->promote != asked->promote) +
                 (s->splits != asked->splits) + (s->scaling != asked->scaling);
}

/* Scales belong to stretches of a length: with them the interval is as it was asked about. */
static void try_unit(mma_schedules *found, const char *unit, const char *other, const sf8_mma *m,
                     const sf8_mma_schedule *asked, const mma_scheduled_rows *rows)
{
    static const size_t promotes[] = {0, 1, 2, 4, 8, 16, 32}, splits[] = {1, 2, 4, 8};
    int scaled = asked->scaling != SF8_MMA_UNSCALED;
    uint32_t first = scaled ? SF8_MMA_SCALES_FIRST : SF8_MMA_UNSCALED;
    uint32_t last = scaled ? SF8_MMA_SUM_FIRST : SF8_MMA_UNSCALED;
    for (size_t p = 0; p < sizeof promotes / sizeof promotes[0]; p++) {
        for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++) {
            sf8_mma_schedule s = *asked;
            s.promote = promotes[p];
            s.splits = splits[i];
            for (s.scaling = first; s.scaling <= last; s.scaling++)
                if (!scaled || s.promote == asked->promote)
                    try_schedule(found, unit, other, m, asked, &s, rows);
        }
    }
}

void mma_schedules_try(search_context *context, mma_schedules *found, const char *unit,
                       const sf8_mma *m, const sf8_mma_schedule *asked,
                       const mma_scheduled_rows *rows)
{
    const sf8_mma_row *other;
    found->explained = explained_by(m, *asked, rows);
    try_unit(found, unit, NULL, m, asked, rows);
    for (size_t i = 0; (other = sf8_mma_at(i)) != NULL; i++) {
        sf8_mma o;
        if (strcmp(other->unit, unit) != 0 &&
            sf8_mma_read(&o, other, m->a, m->b, m->out) == SF8_OK &&
            o.scale_block == m->scale_block && memcmp(&o, m, sizeof o) != 0)
            try_unit(found, unit, other->unit, &o, asked, rows);
    }
    search_sort(context, found->trial, found->count, sizeof found->trial[0], better_first);
}
