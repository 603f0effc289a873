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

/* The words of an order, all of them, as --order takes them. */
static void put_fields(text_table *table, const sf8_attend_order *o)
{
    char words[2 * SF8_ORDER_TEXT_SIZE], value[64];
    const char *field;
    size_t used = 0;
    for (size_t i = 0; (field = sf8_attend_order_field_at(i)) != NULL; i++) {
        sf8_attend_order_get(o, field, value, sizeof value);
        int alone = strcmp(field, "direction") == 0;
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s%s%s", i ? " " : "",
                                 alone ? "" : field, alone ? "" : "=", value);
    }
    put_wrapped(table, words);
}

void attend_orders_list(const char *name)
{
    static const char *const parts[] = {"one part",          "--splits N",      "16 segments",
                                        "parts of 512 keys", "--prefix-keys N", "--splits N"};
    text_table *table = text_table_new("%-18s %s");
    const sf8_attend_order *o;
    if (name && !sf8_attend_order_named(name))
        fail("no order '%s'; 'softfp8 attend --orders' lists them", name);
    for (size_t i = 0; (o = sf8_attend_order_at(i)); i++) {
        if (name && strcmp(o->name, name) != 0)
            continue;
        text_table_row(table, "%s\t%s", o->name, parts[o->split]);
        text_table_row(table, "    %s %s", o->product, o->versions);
        put_wrapped(table, o->source);
        put_wrapped(table, o->evidence);
        if (o->open[0]) {
            text_table_row(table, "    open:");
            put_wrapped(table, o->open);
        }
        if (name) {
            text_table_row(table, "    the same, in the words of --order:");
            put_fields(table, o);
        }
    }
    text_table_print(table, stdout);
}

/* What a field may be, in words; NULL if there is no such field. */
static const char *values_of(const char *word, size_t length)
{
    const char *field, *values;
    for (size_t i = 0; (field = sf8_attend_order_field_at(i)) != NULL; i++)
        if (strlen(field) == length && memcmp(field, word, length) == 0) {
            values = sf8_attend_order_field_values(i);
            return values[0] ? values : "a unit that 'softfp8 mma --list' lists, or none";
        }
    return NULL;
}

static _Noreturn void fail_order(const char *text, size_t at, sf8_status status)
{
    const char *word = text + at, *field, *values;
    int length = (int)strcspn(word, " ,");
    size_t name = strcspn(word, "= ,"), used = 0;
    char fields[512];
    if (length == 0 || (at == 0 && word[name] != '='))
        fail("no order '%.*s'; 'softfp8 attend --orders' lists them", length, word);
    values = values_of(word, name);
    if (status == SF8_BAD_TEXT) /* a word that stands alone is a direction */
        fail("%.*s: expected %s; each field once", length, word,
             values ? values : values_of("direction", strlen("direction")));
    for (size_t i = 0; (field = sf8_attend_order_field_at(i)) != NULL && used < sizeof fields; i++)
        used += (size_t)snprintf(fields + used, sizeof fields - used, "%s%s", i ? " " : "", field);
    fail("no field '%.*s'; the fields are %s", (int)name, word, fields);
}

sf8_attend_order attend_order_of_text(const char *text)
{
    sf8_attend_order o;
    size_t at = 0;
    sf8_status status = sf8_attend_order_read(text, &o, &at);
    if (status != SF8_OK)
        fail_order(text, at, status);
    return o;
}

/* What a message calls an order. */
static const char *order_text(const sf8_attend_order *o)
{
    static char text[SF8_ORDER_TEXT_SIZE];
    return sf8_attend_order_write(o, text, sizeof text) == SF8_OK ? text : o->name;
}

/* ---- computed -------------------------------------------------------------------------------- */

size_t attend_order_cut(const sf8_attend_order *o, size_t splits, size_t prefix, int has_prefix)
{
    if (o->split == SF8_SPLIT_PREFIX && (splits || !has_prefix))
        fail("--order %s needs --prefix-keys: the number of keys in the first of its two parts",
             order_text(o));
    if (o->split != SF8_SPLIT_PREFIX && has_prefix)
        fail("--prefix-keys needs an order with a prefix, such as cascade-bf16");
    if (!sf8_attend_order_counts(o) && splits)
        fail("--order %s decides its own parts: leave out --splits", order_text(o));
    return has_prefix ? prefix : splits ? splits : 1;
}

void attend_need_order(const attend_request *r, const sf8_attend_order *o, size_t cut)
{
    const char *why = sf8_attend_order_reason(o, &r->a, cut);
    if (why)
        fail("--order %s: %s", order_text(o), why);
}

void attend_run_order(attend_request *r, const sf8_attend_order *o, size_t cut, uint32_t *out,
                      uint32_t *lse)
{
    sf8_attend a = r->a;
    attend_need_order(r, o, cut);
    a.out.words = out;
    a.lse = lse;
    const char *wrong = attend_compute_order(&a, o, cut, out, lse);
    if (wrong)
        fail("%s", wrong);
}
