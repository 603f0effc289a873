/* SPDX-License-Identifier: MIT */
/* test_kv_life.c -- with which scale tokens are written and read, event by event
 *
 * Expectations follow vLLM's kv_cache.py, attention.py, compressed_tensors.py and flashinfer.py
 * step by step, with scales that are powers of two, or that give powers of two when divided by 200
 * and 100.
 */
#include "check.h"
#include "softfp8_kv.h"

#include <math.h>

static int32_t step(sf8_kv_life *l, int32_t what, float k, float v, float q)
{
    sf8_kv_event e = {what, {sf8_f32_bits(k), sf8_f32_bits(v), sf8_f32_bits(q)}};
    return sf8_kv_step(l, &e);
}

static sf8_status load(sf8_kv_life *l, float k, float v, float q)
{
    const uint32_t scale[] = {sf8_f32_bits(k), sf8_f32_bits(v), sf8_f32_bits(q)};
    return sf8_kv_load(l, scale);
}

/* What head 0 of keys, of values is written by, read by, and was written by. */
static void expect_trace(const sf8_kv_life *l, int line, int32_t side, float writes, float reads,
                         float stored)
{
    sf8_kv_trace t = sf8_kv_trace_of(l, side, 0);
    EXPECT(t.writes == sf8_f32_bits(writes) && t.reads == sf8_f32_bits(reads) &&
               t.stored == sf8_f32_bits(stored),
           "line %d: side %d written by %08x, read by %08x, stored by %08x", line, side, t.writes,
           t.reads, t.stored);
    EXPECT(t.agrees == (t.writes == t.reads && t.reads == t.stored), "line %d", line);
}
#define TRACE(l, side, writes, reads, stored)                                                      \
    expect_trace(l, __LINE__, SF8_KV_##side, writes, reads, stored)
#define ALL(l, side, scale) TRACE(l, side, scale, scale, scale)

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* Both, keys alone, none, 0, NaN; with FNUZ codes twice as much, except for the 1 of a missing
 * scale. Refused: values without keys, 0, NaN. */
Test(kv_life, scale_roundtrip)
{
    static const struct {
        float k, v, q;
        int refused;
        float want_k, want_v, want_q;
    } rows[] = {
        {.5f, .25f, .125f, 0, .5f, .25f, .125f},
        {.5f, -1, -1, 0, .5f, .5f, 1}, /* kv_scale is remapped to k_scale */
        {.5f, 0, 0, 0, .5f, .5f, 1},
        {.5f, NAN, NAN, 0, .5f, .5f, 1},
        {-1, -1, -1, 0, 1, 1, 1},
        {-1, -1, 4, 0, 1, 1, 4},
        /* q_scale below 0: kv_cache.py sets that of keys, and then 1, since it is not above 0 */
        {.5f, .25f, -1, 0, .5f, .25f, 1},
        {.5f, .25f, -7, 0, .5f, .25f, 1},
        {.5f, .25f, 0, 0, .5f, .25f, 1},
        {-2, -.5f, -1, 0, 1, 1, 1},
        {-1, .5f, -1, 1, 0, 0, 0},
        {0, 0, 0, 1, 0, 0, 0},
        {0, .5f, -1, 1, 0, 0, 0},
        {0, -1, -1, 1, 0, 0, 0},
        {-1, 0, -1, 1, 0, 0, 0},
        {NAN, NAN, -1, 1, 0, 0, 0},
        {NAN, .5f, -1, 1, 0, 0, 0},
        {-1, NAN, -1, 1, 0, 0, 0},
        {-0.0f, -1, -1, 1, 0, 0, 0},
        {INFINITY, .5f, -1, 0, INFINITY, .5f, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int doubled = 0; doubled < 2; doubled++) {
            sf8_kv_life l = sf8_kv_life_begin(), before;
            l.doubled = doubled;
            before = l;
            sf8_status status = load(&l, rows[i].k, rows[i].v, rows[i].q);
            EXPECT(status == (rows[i].refused ? SF8_BAD_CALL : SF8_OK), "%zu: %d", i, status);
            if (rows[i].refused) {
                EXPECT(memcmp(&l, &before, sizeof l) == 0, "%zu: changed", i);
                continue;
            }
            int none = rows[i].k < 0, no_q = !(rows[i].q > 0);
            ALL(&l, K, rows[i].want_k * (float)(doubled && !none ? 2 : 1));
            ALL(&l, V, rows[i].want_v * (float)(doubled && !none ? 2 : 1));
            ALL(&l, Q, rows[i].want_q * (float)(doubled && !no_q ? 2 : 1));
        }
}

/* While scales are to be computed those of a checkpoint are left, but a scale of queries ends that:
 * then keys and values keep 1. */
Test(kv_life, checkpoint_and_calculation)
{
    sf8_kv_life l = sf8_kv_life_calculating(1u << SF8_KV_REQUEST);
    EXPECT(load(&l, .5f, .25f, -1) == SF8_OK, "");
    ALL(&l, K, 1);
    EXPECT(step(&l, SF8_KV_REQUEST, 400, 400, 400) == 1, "computed");
    ALL(&l, K, 2);
    ALL(&l, V, 4);
    l = sf8_kv_life_calculating(1u << SF8_KV_REQUEST);
    EXPECT(load(&l, .5f, .25f, 8) == SF8_OK, "");
    EXPECT(step(&l, SF8_KV_REQUEST, 400, 400, 400) == 0, "no longer");
    ALL(&l, K, 1);
    ALL(&l, V, 1);
    ALL(&l, Q, 8);
    l = sf8_kv_life_calculating(1u << SF8_KV_REQUEST);
    EXPECT(load(&l, NAN, 0, -1) == SF8_OK, "not looked at");
}

/* ---- the call that sets the scale ------------------------------------------------------------ */

/* dummy, profile, two requests: amax of keys is 200, 400, 800, 1600 and of values half of that. */
Test(kv_life, scale_calibration_trace)
{
    static const struct {
        uint32_t calibrating;
        int sets; /* which of the four runs */
        float scale;
    } rows[] = {
        {1u << SF8_KV_REQUEST, 2, 4},
        {1u << SF8_KV_REQUEST | 1u << SF8_KV_PROFILE, 1, 2},
        {7, 0, 1},
        {0, -1, 1},
    };
    static const int32_t runs[] = {SF8_KV_DUMMY, SF8_KV_PROFILE, SF8_KV_REQUEST, SF8_KV_REQUEST};
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_kv_life l = sf8_kv_life_calculating(rows[i].calibrating);
        for (int k = 0; k < 4; k++) {
            float amax = (float)(200 << k);
            int32_t set = step(&l, runs[k], amax, amax / 2, 2 * amax);
            EXPECT(set == (k == rows[i].sets), "%zu, run %d: %d", i, k, set);
            if (k < rows[i].sets || rows[i].sets < 0)
                ALL(&l, K, 1);
            else
                ALL(&l, K, rows[i].scale);
        }
        ALL(&l, K, rows[i].scale);
        ALL(&l, V, rows[i].scale);
        TRACE(&l, Q, rows[i].sets < 0 ? 1 : 2 * rows[i].scale,
              rows[i].sets < 0 ? 1 : 2 * rows[i].scale, rows[i].sets < 0 ? 1 : 2 * rows[i].scale);
    }
}

/* MLA: both scales are of what is given as keys, by 200 and by 100. FNUZ: twice as much. */
Test(kv_life, latent_and_doubled)
{
    sf8_kv_life l = sf8_kv_life_calculating(1u << SF8_KV_REQUEST);
    l.latent = 1;
    step(&l, SF8_KV_REQUEST, 200, 6400, 200);
    ALL(&l, K, 1);
    ALL(&l, V, 2);
    l = sf8_kv_life_calculating(1u << SF8_KV_REQUEST);
    l.doubled = 1;
    step(&l, SF8_KV_REQUEST, 200, 400, 800);
    ALL(&l, K, 2);
    ALL(&l, V, 8);
    ALL(&l, Q, 8);
}

/* A tensor of zeros, of NaN, of infinities: nothing guards the scale, and all that comes later is
 * written by it. */
Test(kv_life, no_guard)
{
    static const float amax[] = {0, NAN, INFINITY};
    static const uint32_t scale[] = {0, 0x7fc00000, 0x7f800000};
    for (size_t i = 0; i < COUNT(amax); i++) {
        sf8_kv_life l = sf8_kv_life_calculating(1u << SF8_KV_REQUEST);
        EXPECT(step(&l, SF8_KV_REQUEST, amax[i], 1, 1) == 1, "");
        EXPECT(step(&l, SF8_KV_REQUEST, 200, 1, 1) == 0, "");
        sf8_kv_trace t = sf8_kv_trace_of(&l, SF8_KV_K, 0);
        EXPECT(t.writes == scale[i] && t.agrees, "%08x", t.writes);
    }
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* New scales on the device, before and after the first request: who reads by what, and how wrong
 * that is. */
Test(kv_life, scale_mirror)
{
    static const int32_t readers[] = {SF8_KV_READS_DEVICE, SF8_KV_READS_HOST, SF8_KV_READS_FIRST};
    for (size_t i = 0; i < COUNT(readers); i++) {
        int device = readers[i] == SF8_KV_READS_DEVICE, first = readers[i] == SF8_KV_READS_FIRST;
        sf8_kv_life l = sf8_kv_life_begin();
        l.reads = readers[i];
        EXPECT(load(&l, .5f, .25f, -1) == SF8_OK, "");
        ALL(&l, K, .5f);
        EXPECT(step(&l, SF8_KV_SET, 2, 1, 1) == 1, "set"); /* the host does not know of it */
        TRACE(&l, K, 2, device ? 2 : .5f, device ? 2 : .5f);
        sf8_kv_trace t = sf8_kv_trace_of(&l, SF8_KV_K, 0);
        EXPECT(t.agrees == device && fabs(t.new_factor - (device ? 1 : .25)) < 1e-12, "%g",
               t.new_factor);
        EXPECT(step(&l, SF8_KV_COPY, 0, 0, 0) == 0, "");
        ALL(&l, K, 2);
        ALL(&l, V, 1);
        step(&l, SF8_KV_REQUEST, 1, 1, 1); /* here the first is kept */
        ALL(&l, K, 2);
        step(&l, SF8_KV_SET, 8, 4, 1); /* a reload, with tokens in the cache */
        step(&l, SF8_KV_COPY, 0, 0, 0);
        TRACE(&l, K, 8, first ? 2 : 8, 2);
        t = sf8_kv_trace_of(&l, SF8_KV_K, 0);
        EXPECT(!t.agrees && fabs(t.new_factor - (first ? .25 : 1)) < 1e-12 &&
                   fabs(t.old_factor - (first ? 1 : 4)) < 1e-12,
               "%g %g", t.new_factor, t.old_factor);
        step(&l, SF8_KV_CLEAR, 0, 0, 0);
        TRACE(&l, K, 8, first ? 2 : 8, first ? 2 : 8);
        step(&l, SF8_KV_REQUEST, 1, 1, 1);
        TRACE(&l, K, 8, first ? 2 : 8, 8);
    }
}

/* FlashInfer's backend keeps what the first request finds: a scale computed in that request is
 * seen, one computed by the run that measures memory too. */
Test(kv_life, first_request_is_kept)
{
    sf8_kv_life l = sf8_kv_life_calculating(1u << SF8_KV_REQUEST);
    l.reads = SF8_KV_READS_FIRST;
    step(&l, SF8_KV_PROFILE, 3200, 1, 1);
    TRACE(&l, K, 1, 1, 1);
    step(&l, SF8_KV_REQUEST, 400, 400, 1);
    ALL(&l, K, 2);
    ALL(&l, V, 4);
    l = sf8_kv_life_begin();
    l.reads = SF8_KV_READS_FIRST;
    step(&l, SF8_KV_DUMMY, 1, 1, 1);
    step(&l, SF8_KV_PROFILE, 1, 1, 1);
    EXPECT(load(&l, 4, 4, -1) == SF8_OK, "");
    ALL(&l, K, 4); /* nothing is kept so far */
    step(&l, SF8_KV_REQUEST, 1, 1, 1);
    EXPECT(load(&l, 16, 16, -1) == SF8_OK, "");
    TRACE(&l, K, 16, 4, 4);
}

/* One scale for each head; the host has the largest. Queries: the largest of each group. */
Test(kv_life, heads)
{
    const uint32_t k[] = {sf8_f32_bits(.5f), sf8_f32_bits(4), sf8_f32_bits(1)};
    const uint32_t v[] = {sf8_f32_bits(2), sf8_f32_bits(.25f), sf8_f32_bits(1)};
    const uint32_t q[] = {sf8_f32_bits(1),   sf8_f32_bits(8), sf8_f32_bits(2),
                          sf8_f32_bits(.5f), sf8_f32_bits(4), sf8_f32_bits(4)};
    static const float groups[] = {8, 2, 4}, keys[] = {.5f, 4, 1};
    for (int32_t reads = SF8_KV_READS_DEVICE; reads <= SF8_KV_READS_FIRST; reads++)
        for (int doubled = 0; doubled < 2; doubled++) {
            sf8_kv_life l = sf8_kv_life_begin();
            l.reads = reads;
            l.doubled = doubled;
            EXPECT(sf8_kv_load_heads(&l, k, v, 3, q, 6) == SF8_OK, "");
            step(&l, SF8_KV_REQUEST, 1, 1, 1);
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

/* ---- other lives ----------------------------------------------------------------------------- */

/* Each request has its own scale: a prefix that another one wrote is read by the wrong one. Each
 * token has its own: always right. */
Test(kv_life, of_request_and_token)
{
    sf8_kv_life l = sf8_kv_life_begin();
    l.life = SF8_KV_OF_REQUEST;
    EXPECT(step(&l, SF8_KV_PROFILE, 3200, 1, 1) == 0, "no request");
    EXPECT(step(&l, SF8_KV_REQUEST, 200, 100, 1) == 1, "");
    ALL(&l, K, 1);
    EXPECT(step(&l, SF8_KV_REQUEST, 800, 100, 1) == 1, "");
    TRACE(&l, K, 4, 4, 1);
    sf8_kv_trace t = sf8_kv_trace_of(&l, SF8_KV_K, 0);
    EXPECT(!t.agrees && fabs(t.old_factor - 4) < 1e-12 && fabs(t.new_factor - 1) < 1e-12, "%g",
           t.old_factor);
    ALL(&l, V, 1);
    step(&l, SF8_KV_CLEAR, 0, 0, 0);
    ALL(&l, K, 4);
    l = sf8_kv_life_begin();
    l.life = SF8_KV_OF_TOKEN;
    l.reads = SF8_KV_READS_FIRST;
    for (int k = 0; k < 4; k++) {
        EXPECT(step(&l, SF8_KV_REQUEST, (float)(200 << k), 1, 1) == 1, "");
        ALL(&l, K, (float)(1 << k));
    }
}

Test(kv_life, no_event)
{
    sf8_kv_life l = sf8_kv_life_begin(), before = l;
    EXPECT(step(&l, SF8_KV_CLEAR + 1, 1, 1, 1) == 0 && step(&l, -1, 1, 1, 1) == 0, "");
    EXPECT(memcmp(&l, &before, sizeof l) == 0, "changed");
    ALL(&l, K, 1);
}

/* A scale that was never loaded: 1 is read for what another process wrote by .025, 40 times too
 * much; and the factor of scales that are none. */
Test(kv_life, factors)
{
    sf8_kv_life l = sf8_kv_life_begin();
    l.reads = SF8_KV_READS_HOST;
    step(&l, SF8_KV_SET, .025f, .5f, 1);
    sf8_kv_trace t = sf8_kv_trace_of(&l, SF8_KV_K, 0);
    EXPECT(fabs(t.new_factor - 40) < 1e-5, "%g", t.new_factor);
    step(&l, SF8_KV_SET, 0, NAN, 1);
    t = sf8_kv_trace_of(&l, SF8_KV_K, 0);
    EXPECT(isinf(t.new_factor) && !t.agrees, "%g", t.new_factor);
    t = sf8_kv_trace_of(&l, SF8_KV_V, 0);
    EXPECT(isnan(t.new_factor), "%g", t.new_factor);
}
