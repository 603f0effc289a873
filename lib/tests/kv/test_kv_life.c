/* SPDX-License-Identifier: MIT */
/* test_kv_life.c -- with which scale tokens are written and read, event by event
 *
 * life.txt has the events and what they lead to.
 */
#include "softfp8_kv.h"
#include "table.h"

#include <math.h>

static float number(const table_line *x, size_t i)
{
    return i < x->count ? strtof(x->word[i], NULL) : 0;
}

static int has_word(const table_line *x, const char *word)
{
    size_t i = 1;
    while (i < x->count && strcmp(x->word[i], word) != 0)
        i++;
    return i < x->count;
}

static const char *const events[] = {
    [SF8_KV_DUMMY] = "dummy", [SF8_KV_PROFILE] = "profile", [SF8_KV_REQUEST] = "request",
    [SF8_KV_SET] = "set",     [SF8_KV_COPY] = "copy",       [SF8_KV_CLEAR] = "clear"};

static sf8_kv_life begin(const table_line *x)
{
    sf8_kv_life l = sf8_kv_life_begin();
    for (size_t i = 1; i < x->count; i++) {
        uint32_t computes = 0;
        if (strncmp(x->word[i], "computes=", 9) != 0)
            continue;
        for (uint32_t e = 0; e <= SF8_KV_REQUEST; e++)
            computes |= (uint32_t)(strstr(x->word[i], events[e]) != NULL) << e;
        l = sf8_kv_life_calculating(computes);
    }
    l.reads = has_word(x, "reads=host")    ? SF8_KV_READS_HOST
              : has_word(x, "reads=first") ? SF8_KV_READS_FIRST
                                           : SF8_KV_READS_DEVICE;
    l.life = has_word(x, "of=request") ? SF8_KV_OF_REQUEST
             : has_word(x, "of=token") ? SF8_KV_OF_TOKEN
                                       : l.life;
    l.latent = has_word(x, "latent");
    l.doubled = has_word(x, "doubled");
    return l;
}

static void load(sf8_kv_life *l, const table_line *x, size_t line)
{
    const uint32_t scale[] = {sf8_f32_bits(number(x, 1)), sf8_f32_bits(number(x, 2)),
                              sf8_f32_bits(number(x, 3))};
    const sf8_kv_life before = *l;
    int refused = has_word(x, "refused");
    sf8_status status = sf8_kv_load(l, scale);
    EXPECT(status == (refused ? SF8_BAD_CALL : SF8_OK), "%zu: %d", line, status);
    EXPECT(!refused || memcmp(l, &before, sizeof before) == 0, "%zu: changed", line);
}

static int same_number(uint32_t word, float x)
{
    return word == sf8_f32_bits(x) || (isnan(x) && word == 0x7fc00000);
}

static void check_trace(const sf8_kv_life *l, const table_line *x, size_t line, int32_t side)
{
    sf8_kv_trace t = sf8_kv_trace_of(l, side, 0);
    size_t reads = x->count > 2 ? 2 : 1, stored = x->count > 2 ? 3 : 1;
    EXPECT(same_number(t.writes, number(x, 1)) && same_number(t.reads, number(x, reads)) &&
               same_number(t.stored, number(x, stored)),
           "%zu: written by %08x, read by %08x, stored by %08x", line, t.writes, t.reads, t.stored);
    EXPECT(t.agrees == (t.writes == t.reads && t.reads == t.stored), "%zu: agrees", line);
}

static int same_factor(double got, float want)
{
    return (isnan(want) && isnan(got)) || got == (double)want;
}

static void check_factor(const sf8_kv_life *l, const table_line *x, size_t line)
{
    sf8_kv_trace t = sf8_kv_trace_of(l, x->word[1][0] == 'k' ? SF8_KV_K : SF8_KV_V, 0);
    EXPECT(same_factor(t.new_factor, number(x, 2)) &&
               (x->count == 3 || same_factor(t.old_factor, number(x, 3))),
           "%zu: %g %g", line, t.new_factor, t.old_factor);
}

static void step(sf8_kv_life *l, const table_line *x, size_t line)
{
    sf8_kv_event e = {
        0, {sf8_f32_bits(number(x, 1)), sf8_f32_bits(number(x, 2)), sf8_f32_bits(number(x, 3))}};
    while (e.what <= SF8_KV_CLEAR && strcmp(events[e.what], x->word[0]) != 0)
        e.what++;
    cr_assert(e.what <= SF8_KV_CLEAR, "no event %s", x->word[0]);
    int32_t set = sf8_kv_step(l, &e);
    EXPECT(x->count < 5 || set == atoi(x->word[4]), "%zu: sets %d", line, set);
}

Test(kv_life, events)
{
    sf8_kv_life l = sf8_kv_life_begin();
    table known = table_read("kv/life.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        const char *what = x->word[0];
        if (strcmp(what, "life") == 0)
            l = begin(x);
        else if (strcmp(what, "load") == 0)
            load(&l, x, i);
        else if (strcmp(what, "factor") == 0)
            check_factor(&l, x, i);
        else if (what[1] == '\0')
            check_trace(&l, x, i, what[0] == 'k' ? SF8_KV_K : what[0] == 'v' ? SF8_KV_V : SF8_KV_Q);
        else
            step(&l, x, i);
    }
    cr_expect(known.count == 271, "%zu", known.count);
    table_free(&known);
}

/* ---- heads ----------------------------------------------------------------------------------- */

/* One scale for each head; the host has the largest. Queries: the largest of each group. */
Test(kv_life, heads)
{
    const uint32_t k[] = {sf8_f32_bits(.5f), sf8_f32_bits(4), sf8_f32_bits(1)};
    const uint32_t v[] = {sf8_f32_bits(2), sf8_f32_bits(.25f), sf8_f32_bits(1)};
    const uint32_t q[] = {sf8_f32_bits(1),   sf8_f32_bits(8), sf8_f32_bits(2),
                          sf8_f32_bits(.5f), sf8_f32_bits(4), sf8_f32_bits(4)};
    static const float groups[] = {8, 2, 4}, keys[] = {.5f, 4, 1};
    const sf8_kv_event request = {SF8_KV_REQUEST,
                                  {sf8_f32_bits(1), sf8_f32_bits(1), sf8_f32_bits(1)}};
    for (int32_t reads = SF8_KV_READS_DEVICE; reads <= SF8_KV_READS_FIRST; reads++)
        for (int doubled = 0; doubled < 2; doubled++) {
            sf8_kv_life l = sf8_kv_life_begin();
            l.reads = reads;
            l.doubled = doubled;
            EXPECT(sf8_kv_load_heads(&l, k, v, 3, q, 6) == SF8_OK, "");
            EXPECT(sf8_kv_step(&l, &request) == 0, "");
            for (uint32_t head = 0; head < 3; head++) {
                float times = doubled ? 2 : 1;
                sf8_kv_trace t = sf8_kv_trace_of(&l, SF8_KV_K, head);
                float read = reads == SF8_KV_READS_DEVICE ? keys[head] : 4;
                EXPECT(t.writes == sf8_f32_bits(keys[head] * times) &&
                           t.reads == sf8_f32_bits(read * times) &&
                           t.agrees == (read == keys[head]) &&
                           fabs(t.new_factor - (double)(read / keys[head])) < 1e-12,
                       "reader %d, head %u: %08x %08x %g", reads, head, t.writes, t.reads,
                       t.new_factor);
                t = sf8_kv_trace_of(&l, SF8_KV_Q, head);
                EXPECT(t.writes == sf8_f32_bits(groups[head] * times), "queries of %u: %08x", head,
                       t.writes);
            }
        }
}

Test(kv_life, heads_refused)
{
    uint32_t many[SF8_KV_HEADS_MOST + 1];
    sf8_kv_life l = sf8_kv_life_begin(), before = l;
    for (size_t i = 0; i < COUNT(many); i++)
        many[i] = 0x40000000;
    many[2] = 0x7fc00000;
    EXPECT(sf8_kv_load_heads(&l, many, many, 0, many, 1) == SF8_BAD_CALL, "no heads");
    EXPECT(sf8_kv_load_heads(&l, many, many, 129, many, 129) == SF8_BAD_CALL, "too many");
    EXPECT(sf8_kv_load_heads(&l, many, many, 4, many, 0) == SF8_BAD_CALL, "no queries");
    EXPECT(sf8_kv_load_heads(&l, many, many, 4, many, 6) == SF8_BAD_CALL, "no groups");
    EXPECT(memcmp(&l, &before, sizeof l) == 0, "changed");
    EXPECT(sf8_kv_load_heads(&l, many, many, 128, many, 128) == SF8_OK, "as many as may be");
    EXPECT(l.host[SF8_KV_K] == 0x7fc00000, "NaN is the largest: %08x", l.host[SF8_KV_K]);
    sf8_kv_trace t = sf8_kv_trace_of(&l, SF8_KV_K, 127);
    EXPECT(t.writes == 0x40000000, "%08x", t.writes);
}

/* compressed_tensors.py looks at no scale: 0, what is below, infinity and NaN are taken. */
Test(kv_life, heads_of_any_scale)
{
    const uint32_t k[] = {0, 0x80000000, sf8_f32_bits(-2)},
                   v[] = {0x7f800000, 0x7fc00000, sf8_f32_bits(1)};
    const uint32_t q[] = {sf8_f32_bits(-1), 0, sf8_f32_bits(-4)};
    sf8_kv_life l = sf8_kv_life_begin();
    EXPECT(sf8_kv_load_heads(&l, k, v, 3, q, 3) == SF8_OK, "");
    EXPECT(l.host[SF8_KV_K] == 0 && l.host[SF8_KV_V] == 0x7fc00000 && l.host[SF8_KV_Q] == 0,
           "%08x %08x %08x", l.host[SF8_KV_K], l.host[SF8_KV_V], l.host[SF8_KV_Q]);
    for (uint32_t head = 0; head < 3; head++) {
        sf8_kv_trace t = sf8_kv_trace_of(&l, SF8_KV_K, head);
        EXPECT(t.writes == k[head] && t.agrees, "head %u: %08x", head, t.writes);
    }
}

/* Sides and heads that do not exist. */
Test(kv_life, no_such_head)
{
    const uint32_t scale[] = {sf8_f32_bits(2), sf8_f32_bits(2), sf8_f32_bits(2)};
    sf8_kv_life l = sf8_kv_life_begin();
    for (int heads = 1; heads <= 3; heads += 2) {
        const struct {
            int32_t side;
            uint32_t head;
        } none[] = {{-1, 0},
                    {SF8_KV_SIDES, 0},
                    {INT32_MIN, 0},
                    {INT32_MAX, 0},
                    {SF8_KV_K, heads == 1 ? SF8_KV_HEADS_MOST : 3},
                    {SF8_KV_Q, UINT32_MAX}};
        cr_assert(sf8_kv_load_heads(&l, scale, scale, (uint32_t)heads, scale, (uint32_t)heads) ==
                  SF8_OK);
        for (size_t i = 0; i < COUNT(none); i++) {
            sf8_kv_trace t = sf8_kv_trace_of(&l, none[i].side, none[i].head);
            EXPECT(t.writes == 0x7fc00000 && t.reads == 0x7fc00000 && t.stored == 0x7fc00000 &&
                       !t.agrees && isnan(t.new_factor) && isnan(t.old_factor),
                   "%d heads, %zu: %08x %g", heads, i, t.writes, t.new_factor);
        }
    }
    l = sf8_kv_life_begin(); /* all heads have the one */
    EXPECT(sf8_kv_trace_of(&l, SF8_KV_V, SF8_KV_HEADS_MOST - 1).writes == sf8_f32_bits(1), "");
}

Test(kv_life, no_event)
{
    sf8_kv_life l = sf8_kv_life_begin(), before = l;
    const sf8_kv_event none[] = {{SF8_KV_CLEAR + 1, {0, 0, 0}}, {-1, {0, 0, 0}}};
    EXPECT(sf8_kv_step(&l, &none[0]) == 0 && sf8_kv_step(&l, &none[1]) == 0, "");
    EXPECT(memcmp(&l, &before, sizeof l) == 0, "changed");
}
