/* SPDX-License-Identifier: MIT */
/* observe.c -- what came in a case that failed, given to identify
 *
 * One run tells of every input that differs what came; the others gave what the row says. That is a
 * set of observed results as a user of identify has it in a file.
 */
#include "search/failing/row.h"

#include "suite/right.h"

#include <stdlib.h>
#include <string.h>

/* Where what came changes more often it is noise, which no model explains. */
enum { MANY = 1 << 16 };

/* ---- what came ------------------------------------------------------------------------------- */

typedef struct stretch {
    uint64_t first, last, got; /* words */
} stretch;

typedef struct stretches {
    stretch *list;
    size_t count, room;
    size_t changes; /* of what came, from one to the next */
} stretches;

static void keep_stretch(void *watcher, uint64_t first, uint64_t last, uint64_t got)
{
    stretches *all = watcher;
    stretch *end = all->count > 0 ? &all->list[all->count - 1] : NULL;
    all->changes += !end || end->got != got;
    if (all->changes > MANY)
        return;
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

/* An operand of the step, and what came of it. */
typedef struct pair {
    uint64_t word, code;
} pair;

typedef struct filler {
    const stretches *all;
    size_t next; /* the first stretch that does not lie before */
    identify_set *set;
    oracle before; /* the steps before, of which there may be none */
    pair *pairs;   /* if there are */
    size_t count;
} filler;

/* The result of an input, or of neighbouring ones up to `last` that all should give `code`. Returns
 * the last of them that gave the same. */
static uint64_t add_result(filler *f, uint64_t first, uint64_t last, uint64_t code)
{
    const stretches *all = f->all;
    while (f->next < all->count && all->list[f->next].last < first)
        f->next++;
    if (f->next < all->count) {
        const stretch *s = &all->list[f->next];
        int differs = s->first <= first;
        uint64_t end = differs ? s->last : s->first - 1;
        code = differs ? s->got : code;
        last = end < last ? end : last;
    }
    if (f->pairs) {
        last = first;
        f->pairs[f->count++] = (pair){oracle_call(&f->before, first), code};
    } else {
        identify_add(f->set, first, last, code, 0);
    }
    return last;
}

/* The results of all inputs, in their order. */
static void add_results(filler *f, const search *s, const inputs *in)
{
    right_codes right;
    right_open(&right, &s->row, in, 0);
    for (uint64_t at = 0, end; at < in->count; at = end) {
        uint64_t code = right_at(&right, at, &end);
        while (at < end) {
            uint64_t first = inputs_at(in, at), last = in->list ? first : end - 1;
            at += add_result(f, first, last, code) - first + 1;
        }
    }
}

static int by_word(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    return x->word < y->word ? -1 : x->word > y->word;
}

/* The pairs as a set; 0 if an operand has two results: then it is not this step alone. */
static int add_pairs(filler *f)
{
    identify_set *set = f->set;
    qsort(f->pairs, f->count, sizeof f->pairs[0], by_word);
    set->words = allocate(f->count, sizeof set->words[0]);
    for (size_t i = 0; i < f->count; i++) {
        const pair *p = &f->pairs[i];
        if (i > 0 && p->word == p[-1].word) {
            if (p->code != p[-1].code)
                return 0;
            continue;
        }
        set->words[set->inputs] = p->word;
        identify_add(set, p->word, p->word, p->code, 0);
    }
    return 1;
}

/* The set of what came, which is about the last step: 0 if there is none. */
static int fill_set(const search *s, const stretches *all, inputs *in, identify_set *set)
{
    enum { PAIRS_MOST = 1 << 22 };
    filler f = {all, 0, set, s->row, NULL, 0};
    f.before.steps = s->step;
    if (s->step == 0) {
        set->words = in->list; /* which are the set's from now on */
        add_results(&f, s, in);
        return 1;
    }
    int good = in->count <= PAIRS_MOST;
    if (good) {
        f.pairs = allocate(in->count, sizeof f.pairs[0]);
        add_results(&f, s, in);
        good = add_pairs(&f);
        free(f.pairs);
    }
    inputs_close(in);
    return good;
}

/* The last step is a conversion between formats, the same in all lanes. */
static int observe(const search *s, identify_set *set)
{
    conform_result result;
    stretches all = {NULL, 0, 0, 0};
    inputs in;
    oracle watched = s->row;
    const sf8_function *f = &s->row.function[s->step];
    memset(set, 0, sizeof *set);
    if (s->row.steps != s->step + 1 || !s->row.alike || f->op != SF8_OP_CONVERT ||
        f->operand[0].kind != SF8_WORD_FLOAT || f->result.kind != SF8_WORD_FLOAT)
        return 0;
    set->from = f->operand[0].format;
    set->to = f->result.format;
    watched.differs = keep_stretch;
    watched.watcher = &all;
    conform_run_against(s->c, s->o, &watched, &result);
    int good = all.count > 0 && all.changes <= MANY && result.status == CONFORM_FAILED &&
               open_again(s, result.inputs, &in) && fill_set(s, &all, &in, set);
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
    int found = 0;
    if (observe(s, &set)) {
        identify_findings *f = allocate(1, sizeof *f);
        identify_explain(&set, f);
        found = take(f, m);
        identify_findings_free(f);
        free(f);
    }
    identify_free(&set);
    return found;
}
