/* SPDX-License-Identifier: MIT */
/* diagnose_model.c -- what came in a case that failed, given to identify
 *
 * One run tells of every input that differs what came; the others gave what the row says. That is a
 * set of observed results as a user of identify has it in a file.
 */
#include "search/diagnose_search.h"

#include "suite/right.h"

#include <stdlib.h>
#include <string.h>

/* More stretches that differ are noise, which no model explains. */
enum { MANY = 1 << 16 };

/* ---- what came ------------------------------------------------------------------------------- */

typedef struct stretch {
    uint64_t first, last, got; /* words */
} stretch;

typedef struct stretches {
    stretch *list;
    size_t count, room;
} stretches;

static void keep_stretch(void *watcher, uint64_t first, uint64_t last, uint64_t got)
{
    stretches *all = watcher;
    stretch *end = all->count > 0 ? &all->list[all->count - 1] : NULL;
    if (end && end->got == got && end->last + 1 == first) {
        end->last = last;
        return;
    }
    if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 1024;
        all->list = reallocate(all->list, all->room, sizeof all->list[0]);
    }
    all->list[all->count++] = (stretch){first, last, got};
}

/* The inputs of the run, by how many they were: those of the quick tier, or all there are. */
static int open_again(const search *s, uint64_t count, inputs *in)
{
    char why[CONFORM_TEXT];
    int bits = oracle_source(&s->row)->bits;
    if (!inputs_open(in, &s->row, s->c->domain, TIER_QUICK, why))
        return 0;
    if (in->count != count) {
        inputs_close(in);
        in->count = UINT64_C(1) << (bits & 63);
    }
    return in->count == count;
}

/* The results of all inputs, in their order. */
static void fill_set(const search *s, const inputs *in, const stretches *all, identify_set *set)
{
    right_codes right;
    size_t k = 0;
    right_open(&right, &s->row, in, 0);
    for (uint64_t at = 0, end; at < in->count; at = end) {
        uint64_t code = right_at(&right, at, &end);
        while (at < end) {
            uint64_t first = inputs_at(in, at), last = first, came = code;
            while (k < all->count && all->list[k].last < first)
                k++;
            const stretch *next = k < all->count ? &all->list[k] : NULL;
            int differs = next && next->first <= first;
            if (differs)
                came = next->got;
            if (!in->list) {
                last = end - 1;
                if (next && (differs ? next->last : next->first - 1) < last)
                    last = differs ? next->last : next->first - 1;
            }
            identify_add(set, first, last, came, 0);
            at += last - first + 1;
        }
    }
}

/* One conversion between formats, the same in all lanes. */
static int observe(const search *s, inputs *in, identify_set *set)
{
    conform_result result;
    stretches all = {NULL, 0, 0};
    oracle watched = s->row;
    const sf8_function *f = &s->row.function[0];
    if (s->row.steps != 1 || !s->row.alike || f->op != SF8_OP_CONVERT ||
        f->operand[0].kind != SF8_WORD_FLOAT || f->result.kind != SF8_WORD_FLOAT)
        return 0;
    watched.differs = keep_stretch;
    watched.watcher = &all;
    conform_run_against(s->c, s->o, &watched, &result);
    int good = all.count > 0 && all.count <= MANY && result.status == CONFORM_FAILED &&
               open_again(s, result.inputs, in);
    if (good) {
        *set = (identify_set){.from = f->operand[0].format, .to = f->result.format};
        set->words = in->list;
        fill_set(s, in, &all, set);
    }
    free(all.list);
    return good;
}

/* ---- what identify says ---------------------------------------------------------------------- */

uint64_t model_code(const void *of_model, uint64_t word)
{
    const model *x = of_model;
    word = x->swap_words ? identify_swapped(word) : word;
    uint64_t code = identify_code(&x->m, &x->seen, x->from, x->to, word);
    return x->swap_codes ? identify_swapped(code) : code;
}

/* Takes over what explains every result. */
static int take(const identify_findings *f, model *m)
{
    const identify_diagnosis *d = &f->diagnosis;
    const identify_cells *cells = identify_diagnosed(f);
    int changed = d->count > 0 && d->found[0].differ == 0;
    int other = f->other.found && (changed ? f->of_other : f->other_closest->codes == 0);
    memset(m, 0, sizeof *m);
    m->from = other ? f->other.set.from : f->set->from;
    m->to = other ? f->other.set.to : f->set->to;
    if (other) {
        m->swap_words = f->other.swap_words;
        m->swap_codes = f->other.swap_codes;
        memcpy(m->reading, f->other.words, sizeof m->reading);
    }
    if (f->closest->codes == 0) {
        m->m = identify_model_of(f->closest);
        return 1;
    }
    if (!changed) {
        m->m = identify_model_of(other ? f->other_closest : f->closest);
        return other;
    }
    m->m = d->found[0];
    m->seen = cells->seen;
    memcpy(m->list, d->list, sizeof m->list);
    return 1;
}

int find_model(const search *s, model *m)
{
    identify_set set;
    inputs in;
    if (!observe(s, &in, &set))
        return 0;
    identify_findings *f = allocate(1, sizeof *f);
    identify_explain(&set, f);
    int found = take(f, m);
    identify_findings_free(f);
    free(f);
    identify_free(&set); /* the words are those of the inputs */
    return found;
}
