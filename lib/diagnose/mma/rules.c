/* SPDX-License-Identifier: MIT */
/* rules.c -- what a unit with one parameter changed computes, and which changes are tried */
#include "diagnose/mma/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t mma_store(mma_stored stored, uint32_t sum)
{
    sf8_format to = stored == MMA_STORED_BF16 ? SF8_BF16 : SF8_F16;
    return stored == MMA_STORED ? sum : (uint32_t)sf8_convert(to, SF8_F32, sum, SF8_OCP_NOSAT);
}

/* ---- rules ----------------------------------------------------------------------------------- */

uint32_t mma_rule_word(const mma_rule *rule, const mma_result *row)
{
    if (!rule->by_itself)
        return mma_model(&rule->m, row);
    uint32_t c = row->c;
    size_t most = (size_t)rule->m.k;
    for (size_t at = 0; at < row->k; at += most) {
        size_t k = row->k - at < most ? row->k - at : most;
        c = sf8_mma_added(&rule->m, c, sf8_core_mma_dot(&rule->m, row->x, at, k, 0));
    }
    return c;
}

int mma_apply_change(mma_rule *rule, const mma_change *c)
{
    size_t used = strlen(rule->name);
    if (strcmp(c->name, "c") == 0)
        rule->by_itself = 1;
    else if (sf8_mma_set(&rule->m, c->name, c->value) != SF8_OK)
        return 0;
    snprintf(rule->name + used, sizeof rule->name - used, "%s%s=%s", used ? " " : "", c->name,
             c->value);
    rule->changes++;
    return 1;
}

/* ---- parameters ------------------------------------------------------------------------------ */

typedef struct list {
    mma_change *change;
    size_t count;
} list;

static void add_change(list *s, mma_axis axis, const char *name, const char *value, int with_others,
                       int distance)
{
    mma_change *c = &s->change[s->count];
    if (s->count == MMA_CHANGES)
        return;
    memset(c, 0, sizeof *c);
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->value, sizeof c->value, "%s", value);
    c->axis = axis;
    c->with_others = with_others;
    c->distance = distance;
    s->count++;
}

static void add_words(list *s, mma_axis axis, const char *name, const char *words)
{
    for (const char *at = words; *at;) {
        char value[16];
        size_t n = strcspn(at, " ");
        snprintf(value, sizeof value, "%.*s", (int)n, at);
        add_change(s, axis, name, value, 1, 0);
        at += n + (at[n] == ' ');
    }
}

static void add_number(list *s, mma_axis axis, const char *name, int value, int unit,
                       int with_others)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    add_change(s, axis, name, text, with_others, abs(value - unit));
}

size_t mma_list_changes(mma_change changes[MMA_CHANGES], const sf8_mma *m)
{
    list room = {changes, 0}, *s = &room;
    for (int f = 1; f <= 40; f++)
        add_number(s, MMA_AXIS_FRACTION, "fraction", f, m->fraction, 1);
    for (int length = 1; length <= 64; length *= 2)
        add_number(s, MMA_AXIS_LENGTH, "length", length, m->length, 1);
    add_words(s, MMA_AXIS_ORDER, "order", "fused chain independent two-stage interleaved");
    add_words(s, MMA_AXIS_CUT, "cut", "zero down");
    add_words(s, MMA_AXIS_PRODUCTS, "products", "raw normalised");
    add_words(s, MMA_AXIS_SUM, "sum", "f32 f16");
    for (int bits = 22; bits >= 7; bits--) {
        char name[16];
        snprintf(name, sizeof name, "e8m%d", bits);
        add_change(s, MMA_AXIS_SUM, "sum", name, 1, 0);
    }
    add_words(s, MMA_AXIS_ROUND, "round", "rz rne rna ru rd ro rnz");
    add_words(s, MMA_AXIS_C, "c", "by-itself");
    add_words(s, MMA_AXIS_UNDERFLOW, "underflow", "signed positive");
    for (int zero = -140; zero <= -100; zero++)
        add_number(s, MMA_AXIS_ZERO, "zero", zero, m->zero, zero <= -131 && zero >= -133);
    for (int zero = -30; zero <= -8; zero++)
        add_number(s, MMA_AXIS_ZERO, "zero", zero, m->zero, zero <= -20 && zero >= -22);
    return s->count;
}
