/* SPDX-License-Identifier: MIT */
/* orders.c -- attention in the orders of other stacks: listed, computed, recognised */
#include "attend/attend.h"
#include "cli/text_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- listed ---------------------------------------------------------------------------------- */

/* A text in lines of 76 columns behind 4. */
static void put_wrapped(text_table *table, const char *text)
{
    while (*text) {
        size_t length = strlen(text);
        if (length > 76) {
            length = 76;
            while (length > 1 && text[length] != ' ')
                length--;
        }
        text_table_row(table, "    %.*s", (int)length, text);
        text += length + (text[length] == ' ');
    }
}

void attend_orders_list(void)
{
    static const char *const parts[] = {"one part", "--splits N", "16 segments",
                                        "parts of 512 keys", "--prefix N"};
    text_table *table = text_table_new("%-18s %s");
    const sf8_attend_order *o;
    for (size_t i = 0; (o = sf8_attend_order_at(i)); i++) {
        text_table_row(table, "%s\t%s", o->name, parts[o->split]);
        text_table_row(table, "    %s %s", o->product, o->versions);
        put_wrapped(table, o->source);
        put_wrapped(table, o->evidence);
        if (o->open[0]) {
            text_table_row(table, "    open:");
            put_wrapped(table, o->open);
        }
    }
    text_table_print(table, stdout);
}

const sf8_attend_order *attend_order_of_name(const char *name)
{
    const sf8_attend_order *o = sf8_attend_order_named(name);
    if (!o)
        fail("no order '%s'; 'softfp8 attend --orders' lists them", name);
    return o;
}

/* ---- computed -------------------------------------------------------------------------------- */

static void run_order(const sf8_attend_order *o, const sf8_attend *a, size_t cut)
{
    size_t words = sf8_attend_order_room(o, a, cut);
    uint32_t *room;
    if (words == SIZE_MAX)
        fail("a request too large for memory");
    room = allocate(words + 1, sizeof *room);
    sf8_attend_order_n(o, a, cut, room, words);
    free(room);
}

size_t attend_order_cut(const sf8_attend_order *o, size_t splits, size_t prefix, int has_prefix)
{
    if (o->split == SF8_SPLIT_PREFIX && (splits || !has_prefix))
        fail("--order %s: two parts, the first of which has --prefix keys", o->name);
    if (o->split != SF8_SPLIT_PREFIX && has_prefix)
        fail("--prefix is for an order with a prefix, as cascade-bf16 is");
    if (o->split != SF8_SPLIT_COUNT && splits)
        fail("--order %s has parts of its own: no --splits", o->name);
    return has_prefix ? prefix : splits ? splits : 1;
}

void attend_run_order(attend_request *r, const sf8_attend_order *o, size_t cut, uint32_t *out,
                      uint32_t *lse)
{
    sf8_attend a = r->a;
    uint32_t why;
    a.out.words = out;
    a.lse = lse;
    why = sf8_attend_order_check(o, &a, cut);
    if (why != SF8_ATTEND_GOOD)
        fail("--order %s: %s", o->name, sf8_attend_reason(why));
    run_order(o, &a, cut);
}

/* ---- recognised ------------------------------------------------------------------------------ */

static int same_word(const tensor *t, size_t at, uint32_t word)
{
    uint64_t want = sf8_convert(t->format, SF8_F32, word, SF8_OCP_NOSAT);
    uint32_t got = sf8_format_bits(t->format) == 32 ? ((const uint32_t *)t->words)[at]
                                                    : ((const uint16_t *)t->words)[at];
    return want == got || (sf8_is_nan(t->format, want) && sf8_is_nan(t->format, got));
}

/* One row of a request: the last query, the first head. */
static sf8_attend sample_of(const attend_request *r)
{
    sf8_attend a = r->a;
    size_t last = r->queries - 1;
    a.q.words = (const char *)a.q.words +
                last * a.q.token_stride * (size_t)sf8_format_bits(a.q_words) / 8;
    a.first += (int64_t)last;
    a.k.image.layout.heads = a.v.image.layout.heads = a.heads = 1; /* strides stay */
    a.queries = a.q.tokens = a.out.tokens = 1;
    a.out.token_stride = a.out.head_stride = r->v.dim;
    return a;
}

/* How many of its words are those of the file. */
static size_t sample_same(const attend_request *r, const tensor *t, const uint32_t *out)
{
    size_t same = 0, row = (r->queries - 1) * r->heads;
    for (size_t c = 0; c < r->v.dim; c++)
        same += (size_t)same_word(t, row * r->v.dim + c, out[c]);
    return same;
}

/* Whether an order has all words of the file; said if so. *best gets how many of the sample. */
static int is_order(attend_request *r, const tensor *t, const sf8_attend_order *o, size_t cut,
                    uint32_t *out, size_t *best)
{
    sf8_attend a;
    size_t words = r->queries * r->heads * r->v.dim, same = 0;
    *best = 0;
    if (r->queries == 0)
        return 0;
    a = sample_of(r);
    a.out.words = out;
    a.lse = NULL;
    if (sf8_attend_order_check(o, &a, cut) != SF8_ATTEND_GOOD)
        return 0;
    run_order(o, &a, cut);
    *best = sample_same(r, t, out);
    if (*best != r->v.dim)
        return 0;
    attend_run_order(r, o, cut, out, NULL);
    for (size_t i = 0; i < words; i++)
        same += (size_t)same_word(t, i, out[i]);
    if (same != words)
        return 0;
    printf("order %s", o->name);
    if (o->split == SF8_SPLIT_PREFIX)
        printf(", a prefix of %zu keys", cut);
    else if (o->split == SF8_SPLIT_COUNT)
        printf(", %zu part%s", cut, cut == 1 ? "" : "s");
    printf(": %zu of %zu words are the same: this is that order\n", same, words);
    return 1;
}

int attend_judge_orders(attend_request *r, const tensor *t, size_t splits, size_t prefix,
                        int has_prefix)
{
    static const size_t counts[] = {1, 2, 3, 4};
    uint32_t *out = allocate(r->queries * r->heads * r->v.dim + 1, sizeof *out);
    const sf8_attend_order *o, *nearest = NULL;
    size_t most = 0, best;
    int found = 0;
    for (size_t i = 0; (o = sf8_attend_order_at(i)); i++) {
        size_t tries = o->split == SF8_SPLIT_COUNT && !splits ? sizeof counts / sizeof counts[0]
                                                              : 1;
        int is = 0;
        if (o->split == SF8_SPLIT_PREFIX && !has_prefix)
            continue;
        for (size_t k = 0; k < tries && !is; k++) {
            size_t cut = o->split == SF8_SPLIT_PREFIX ? prefix : splits ? splits : counts[k];
            is = is_order(r, t, o, cut, out, &best);
            if (best > most) {
                most = best;
                nearest = o;
            }
        }
        found |= is;
    }
    if (!found && nearest)
        printf(
            "no other stack's order; of %s, the nearest, %zu of the %zu tried words are the same\n",
            nearest->name, most, r->v.dim);
    free(out);
    return found;
}
