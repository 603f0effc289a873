/* SPDX-License-Identifier: MIT */
/* orders.c -- attention in the orders of other stacks: listed and computed */
#include "attend/attend.h"
#include "cli/text_table.h"

#include <stdio.h>
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
                                        "parts of 512 keys", "--prefix-keys N"};
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

size_t attend_order_cut(const sf8_attend_order *o, size_t splits, size_t prefix, int has_prefix)
{
    if (o->split == SF8_SPLIT_PREFIX && (splits || !has_prefix))
        fail("--order %s needs --prefix-keys: the number of keys in the first of its two parts",
             o->name);
    if (o->split != SF8_SPLIT_PREFIX && has_prefix)
        fail("--prefix-keys needs an order with a prefix, such as cascade-bf16");
    if (o->split != SF8_SPLIT_COUNT && splits)
        fail("--order %s decides its own parts: leave out --splits", o->name);
    return has_prefix ? prefix : splits ? splits : 1;
}

void attend_run_order(attend_request *r, const sf8_attend_order *o, size_t cut, uint32_t *out,
                      uint32_t *lse)
{
    sf8_attend a = r->a;
    a.out.words = out;
    a.lse = lse;
    uint32_t why = sf8_attend_order_check(o, &a, cut);
    if (why != SF8_ATTEND_GOOD)
        fail("--order %s: %s", o->name, sf8_attend_reason(why));
    const char *wrong = attend_compute_order(&a, o, cut, out, lse);
    if (wrong)
        fail("%s", wrong);
}
