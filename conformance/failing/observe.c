/* SPDX-License-Identifier: MIT */
/* observe.c -- what came in a case that failed, as a set of observed results
 *
 * A run tells of every input that differs what came; the others gave what the row says.
 */
#include "failing/row.h"

#include "suite/right.h"

#include <string.h>

/* Where what came changes more often it is noise, which no model explains. */
enum { MANY = 1 << 16 };

typedef struct observer {
    identify_set *set;
    const inputs *in;
    right_codes right;
    uint64_t at;    /* the index of the next input to be added */
    uint64_t got;   /* what came last */
    size_t changes; /* of what came */
} observer;

static void add(observer *x, uint64_t end, uint64_t code)
{
    if (!x->in->list)
        identify_add(x->set, x->at, end - 1, code, 0);
    for (uint64_t i = x->at; x->in->list && i < end; i++)
        identify_add(x->set, x->in->list[i], x->in->list[i], code, 0);
    x->at = end;
}

/* The inputs up to `end` gave what the row says. */
static void add_right(observer *x, uint64_t end)
{
    while (x->at < end) {
        uint64_t stop, code = right_at(&x->right, x->at, &stop);
        add(x, stop < end ? stop : end, code);
    }
}

static void add_came(void *watcher, uint64_t first, uint64_t last, uint64_t got)
{
    observer *x = watcher;
    const inputs *in = x->in;
    uint64_t end = in->list ? identify_lower_bound(in->list, x->at, in->count, last) : last;
    x->changes += x->changes == 0 || x->got != got;
    x->got = got;
    if (x->changes > MANY)
        return;
    add_right(x, in->list ? identify_lower_bound(in->list, x->at, in->count, first) : first);
    add(x, end + 1, got);
}

/* The inputs of the last run, by how many they were: those of the quick tier, or all there are. */
static int open_again(const failing *f, inputs *in)
{
    char why[CONFORM_TEXT];
    for (int tier = TIER_QUICK; tier <= TIER_FULL; tier++) {
        if (!inputs_open(in, &f->oracle, f->c->domain, (conform_tier)tier, why))
            return 0;
        if (in->count == f->inputs)
            return 1;
        inputs_close(in);
    }
    return 0;
}

int observe(const failing *f, identify_set *set)
{
    static conform_result result;
    inputs in;
    oracle watched = f->oracle;
    const sf8_word *from = oracle_source(&watched), *to = oracle_target(&watched);
    if (!f->row.converts || !watched.alike || from->kind != SF8_WORD_FLOAT ||
        to->kind != SF8_WORD_FLOAT || !open_again(f, &in))
        return 0;
    set->from = from->format;
    set->to = to->format;
    set->words = in.list; /* which are the set's from now on */
    observer x = {.set = set, .in = &in};
    right_open(&x.right, &f->oracle, &in, 0);
    watched.differs = add_came;
    watched.watcher = &x;
    conform_run_against(f->c, f->o, &watched, &result);
    if (x.changes == 0 || x.changes > MANY || result.inputs != in.count)
        return 0;
    add_right(&x, in.count);
    return 1;
}
