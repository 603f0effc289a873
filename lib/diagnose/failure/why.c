/* SPDX-License-Identifier: MIT */
/* why.c -- what an implementation did instead, for a message */
#include "diagnose/failure/failure.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 4, FEW = 8 }; /* inputs; so few may be of many formats */
#define SUBSTANTIAL 0.1      /* what the nearest policy may leave of the inputs that differ */

/* ---- the inputs of a cast, each once --------------------------------------------------------- */

typedef struct inputs {
    uint64_t *input, *code;
    size_t count, wrong;
} inputs;

static inputs inputs_of(failure_case *c)
{
    inputs all = {search_allocate(&c->context, c->count, sizeof(uint64_t)),
                  search_allocate(&c->context, c->count, sizeof(uint64_t)), 0, 0};
    for (size_t i = 0; i < c->count; i++) {
        size_t at = c->order[i];
        if (i > 0 && c->in[0][at] == c->in[0][c->order[i - 1]])
            continue;
        all.input[all.count] = c->in[0][at];
        all.code[all.count++] = c->got[at];
        all.wrong += c->differ[at];
    }
    return all;
}

/* One input that gave two codes. */
static int depends_on_more(const failure_case *c)
{
    const sf8_test *t = c->test;
    char one[32], two[32], *text = c->report->mistake;
    for (size_t k = 1; k < c->count; k++) {
        size_t i = c->order[k - 1], j = c->order[k];
        if (c->in[0][i] != c->in[0][j] || c->got[i] == c->got[j])
            continue;
        size_t first = i < j ? i : j, second = i < j ? j : i;
        failure_add(text, FAILURE_TEXT, "the result depends on more than the input: ");
        failure_add_both(text, FAILURE_TEXT, t->from, c->in[0][first]);
        failure_add(text, FAILURE_TEXT, " gave %s in element %zu and %s in element %zu",
                    failure_hex(t->to, c->got[first], one), first,
                    failure_hex(t->to, c->got[second], two), second);
        return 1;
    }
    return 0;
}

/* ---- what the search says -------------------------------------------------------------------- */

/* Names with commas, the first few, and how many more there are. */
static void add_listed(char *text, const char *name, const char *before, size_t i, size_t count)
{
    if (i < SHOWN)
        failure_add(text, FAILURE_TEXT, "%s%s%s%s", i ? ", " : "", name,
                    before[0] ? " before " : "", before);
    if (i == count - 1 && count > SHOWN)
        failure_add(text, FAILURE_TEXT, ", and %zu more", count - SHOWN);
}

/* A policy with its own rounding, whose name no earlier explanation has. */
static int is_other_name(const sf8_diagnosis *d, size_t i)
{
    int other = i > 0 && d->list[i].count == 0;
    for (size_t k = 0; k < i; k++)
        other &= strcmp(d->list[k].rule, d->list[i].rule) != 0;
    return other;
}

static void name_policy(const sf8_diagnosis *d, char *text)
{
    size_t others = 0, n = 0;
    failure_add(text, FAILURE_TEXT, "%s", d->list[0].rule);
    for (size_t i = 0; i < d->count; i++)
        others += (size_t)is_other_name(d, i);
    if (d->follower_count > 0) {
        failure_add(text, FAILURE_TEXT, " (products: ");
        for (size_t i = 0; i < d->follower_count; i++)
            add_listed(text, d->followers[i].name, d->followers[i].before, i, d->follower_count);
        failure_add(text, FAILURE_TEXT, ")");
    } else if (others > 0) {
        failure_add(text, FAILURE_TEXT, " (also ");
        for (size_t i = 0; i < d->count; i++)
            if (is_other_name(d, i))
                add_listed(text, d->list[i].policy, "", n++, others);
        failure_add(text, FAILURE_TEXT, ")");
    }
}

/* Takes over what explains every input. 0 if nothing does, or another format explains a few. */
static int is_explained(const sf8_diagnosis *d, const inputs *all, failure_report *r)
{
    char *text = r->matches;
    if (d->verdict > SF8_VERDICT_CHANGED)
        return 0;
    const sf8_explanation *e = &d->list[0];
    const sf8_cause *last = e->count > 0 ? &e->cause[e->count - 1] : NULL;
    const char *reading = last && strcmp(last->name, "reading") == 0 ? strstr(e->rule, ", if ") : 0;
    if (reading && all->count < FEW)
        return 0;
    if (d->verdict == SF8_VERDICT_POLICY)
        name_policy(d, text);
    else
        failure_add(text, FAILURE_TEXT, "%.*s", reading ? (int)(reading - e->rule) : FAILURE_TEXT,
                    e->rule);
    failure_add(text, FAILURE_TEXT, ", on all inputs%s", reading ? reading : "");
    if (d->mistake[0])
        failure_add(r->mistake, FAILURE_TEXT, "%s", d->mistake);
    else
        failure_add(r->mistake, FAILURE_TEXT, "the policy %s", e->rule);
    if (all->wrong == 1 && all->count < FEW)
        failure_add(r->mistake, FAILURE_TEXT,
                    " (only one input differs, so that there may be other reasons)");
    return 1;
}

/* What explains most inputs. */
static void say_nearest(const sf8_diagnosis *d, const inputs *all, char *text)
{
    char left[32], wrong[32], count[32];
    if (d->verdict != SF8_VERDICT_NEAREST ||
        (double)d->list[0].differ > (double)all->wrong * SUBSTANTIAL)
        return;
    failure_add(text, FAILURE_TEXT,
                "%s%s%s%s gives all but %s of %s inputs; the expected policy "
                "all but %s",
                d->list[0].rule, d->mistake[0] ? " (" : "", d->mistake, d->mistake[0] ? ")" : "",
                failure_number(d->list[0].differ, left), failure_number(all->count, count),
                failure_number(all->wrong, wrong));
}

static void see_reference(char *text)
{
    failure_add(text, FAILURE_TEXT,
                "%sno policy gives the codes in want for these inputs. If the kernel casts other "
                "values, such as scaled ones, pass those as inputs",
                text[0] ? "; " : "");
}

static void explain_cast(failure_case *c)
{
    inputs all = inputs_of(c);
    sf8_cast_results results = {.from = c->test->from,
                                .to = c->test->to,
                                .inputs = all.input,
                                .codes = all.code,
                                .count = all.count,
                                .expected = c->expected};
    sf8_diagnosis *d = NULL;
    if (sf8_diagnose_cast(&results, &d) == SF8_NO_ROOM)
        c->context.no_memory(&c->context, 0);
    if (d && is_explained(d, &all, c->report)) {
        sf8_diagnosis_free(d);
        return;
    }
    if (!failure_in_codes(c)) {
        if (d)
            say_nearest(d, &all, c->report->nearest);
        if (!c->expected)
            see_reference(c->report->seen);
    }
    sf8_diagnosis_free(d);
}

void failure_explain(failure_case *c)
{
    if (c->test->mistake)
        failure_add(c->report->mistake, FAILURE_TEXT, "%s", c->test->mistake);
    else if (c->operands != 1 || c->test->random)
        failure_in_codes(c);
    else if (!failure_in_order(c) && !depends_on_more(c))
        explain_cast(c);
}
