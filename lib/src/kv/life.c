/* SPDX-License-Identifier: MIT */
/* life.c -- with which scale a layer's cache is written, and with which it is read, event by
 * event */
#include "softfp8_kv.h"

#include <string.h>

#define SF8_ONE 0x3f800000u

static int32_t sf8_kv_positive(uint32_t word)
{
    return !sf8_f32_is_nan(word) && sf8_f32_order(word) > 0;
}

static int32_t sf8_kv_negative(uint32_t word)
{
    return !sf8_f32_is_nan(word) && sf8_f32_order(word) < 0;
}

static uint32_t sf8_kv_doubled(const sf8_kv_life *l, uint32_t word)
{
    return l->doubled ? sf8_f32_mul(word, 0x40000000u) : word;
}

/* The same for all heads. */
static void sf8_kv_fill(uint32_t scale[SF8_KV_HEADS_MOST], uint32_t word)
{
    for (int32_t i = 0; i < SF8_KV_HEADS_MOST; i++)
        scale[i] = word;
}

/* The host has one number. As in torch's max, a NaN stays NaN. */
static void sf8_kv_life_copy(sf8_kv_life *l)
{
    for (int32_t side = 0; side < SF8_KV_SIDES; side++) {
        l->host[side] = l->device[side][0];
        for (uint32_t i = 1; i < l->heads; i++)
            l->host[side] = sf8_f32_most_or_nan(l->host[side], l->device[side][i]);
    }
}

static void sf8_kv_all(sf8_kv_life *l, int32_t side, uint32_t word)
{
    sf8_kv_fill(l->device[side], word);
    l->host[side] = word;
}

/* ---- the beginning --------------------------------------------------------------------------- */

sf8_kv_life sf8_kv_life_begin(void)
{
    static const char *const rules[SF8_KV_SIDES] = {"amax-200", "amax-100", "amax-200"};
    sf8_kv_life l;
    memset(&l, 0, sizeof l);
    l.heads = 1;
    for (int32_t side = 0; side < SF8_KV_SIDES; side++) {
        (void)sf8_kv_rule_named(&l.rule[side], rules[side]);
        sf8_kv_all(&l, side, SF8_ONE);
        sf8_kv_fill(l.stored[side], SF8_ONE);
        l.first[side] = SF8_ONE;
    }
    return l;
}

sf8_kv_life sf8_kv_life_calculating(uint32_t calibrating)
{
    sf8_kv_life l = sf8_kv_life_begin();
    l.calibrating = calibrating;
    l.calculates = 1;
    return l;
}

/* ---- from a checkpoint ----------------------------------------------------------------------- */

/* Loads the scales of keys and values; returns 0 if they are refused. */
static int32_t sf8_kv_load_two(const sf8_kv_life *l, const uint32_t scale[SF8_KV_SIDES],
                               uint32_t *k, uint32_t *v)
{
    *k = scale[SF8_KV_K];
    *v = scale[SF8_KV_V];
    if (sf8_kv_negative(*k) && sf8_kv_negative(*v)) {
        *k = *v = SF8_ONE;
        return 1;
    }
    if (!sf8_kv_positive(*k))
        return 0;
    if (!sf8_kv_positive(*v))
        *v = *k;
    *k = sf8_kv_doubled(l, *k);
    *v = sf8_kv_doubled(l, *v);
    return 1;
}

sf8_status sf8_kv_load(sf8_kv_life *l, const uint32_t scale[SF8_KV_SIDES])
{
    uint32_t k, v, q = scale[SF8_KV_Q];
    if (!l->calculates) {
        if (!sf8_kv_load_two(l, scale, &k, &v))
            return SF8_BAD_CALL;
        l->heads = 1;
        sf8_kv_all(l, SF8_KV_K, k);
        sf8_kv_all(l, SF8_KV_V, v);
    }
    if (sf8_kv_positive(q))
        l->calculates = 0;
    sf8_kv_all(l, SF8_KV_Q, sf8_kv_positive(q) ? sf8_kv_doubled(l, q) : SF8_ONE);
    return SF8_OK;
}

sf8_status sf8_kv_load_heads(sf8_kv_life *l, const uint32_t *keys, const uint32_t *values,
                             uint32_t heads, const uint32_t *queries, uint32_t query_heads)
{
    if (heads == 0 || heads > SF8_KV_HEADS_MOST || query_heads == 0 || query_heads % heads != 0)
        return SF8_BAD_CALL;
    uint32_t group = query_heads / heads;
    l->heads = heads;
    for (uint32_t i = 0; i < heads; i++) {
        l->device[SF8_KV_K][i] = sf8_kv_doubled(l, keys[i]);
        l->device[SF8_KV_V][i] = sf8_kv_doubled(l, values[i]);
        uint32_t most = queries[i * group];
        for (uint32_t k = 1; k < group; k++)
            most = sf8_f32_most_or_nan(most, queries[i * group + k]);
        l->device[SF8_KV_Q][i] = sf8_kv_doubled(l, most);
    }
    l->calculates = 0;
    sf8_kv_life_copy(l);
    return SF8_OK;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void sf8_kv_calculate(sf8_kv_life *l, const sf8_kv_event *event)
{
    for (int32_t side = 0; side < SF8_KV_SIDES; side++) {
        uint32_t amax = event->word[l->latent && side == SF8_KV_V ? SF8_KV_K : side];
        sf8_kv_all(l, side, sf8_kv_doubled(l, sf8_kv_scale_of(&l->rule[side], amax)));
    }
}

/* Returns 1 if a scale was computed. Only a request reaches the place where scales are first read,
 * and only a request writes. */
static int32_t sf8_kv_life_run(sf8_kv_life *l, const sf8_kv_event *event)
{
    int32_t request = event->what == SF8_KV_REQUEST, calculates;
    if (l->life == SF8_KV_KEPT)
        calculates = l->calculates && l->calibrating >> event->what & 1;
    else
        calculates = request;
    if (calculates) {
        sf8_kv_calculate(l, event);
        l->calculates = 0;
    }
    if (request && !l->has_first) {
        memcpy(l->first, l->host, sizeof l->first);
        l->has_first = 1;
    }
    if (request && !l->has_stored) {
        memcpy(l->stored, l->device, sizeof l->stored);
        l->has_stored = 1;
    }
    return calculates;
}

int32_t sf8_kv_step(sf8_kv_life *l, const sf8_kv_event *event)
{
    switch (event->what) {
    case SF8_KV_DUMMY:
    case SF8_KV_PROFILE:
    case SF8_KV_REQUEST:
        return sf8_kv_life_run(l, event);
    case SF8_KV_SET:
        for (int32_t side = 0; side < SF8_KV_SIDES; side++)
            sf8_kv_fill(l->device[side], event->word[side]);
        return 1;
    case SF8_KV_COPY:
        sf8_kv_life_copy(l);
        return 0;
    case SF8_KV_CLEAR:
        l->has_stored = 0;
        return 0;
    default:
        return 0;
    }
}

/* ---- what is written by, and what is read by ------------------------------------------------- */

/* read / written, divided as IEEE 754 says. */
static double sf8_kv_factor(uint32_t read, uint32_t written)
{
    double a, b;
    if (read == written)
        return 1;
    a = (double)sf8_f32_from_bits(read);
    b = (double)sf8_f32_from_bits(written);
    return a / b;
}

sf8_kv_trace sf8_kv_trace_of(const sf8_kv_life *l, int32_t side, uint32_t head)
{
    sf8_kv_trace t = {SF8_F32_NAN, SF8_F32_NAN, SF8_F32_NAN, 0, 0, 0};
    uint32_t heads = l->heads > 1 ? l->heads : (uint32_t)SF8_KV_HEADS_MOST;
    if (side < 0 || side >= SF8_KV_SIDES || head >= heads) {
        t.new_factor = t.old_factor = (double)sf8_f32_from_bits(SF8_F32_NAN);
        return t;
    }
    t.writes = l->device[side][head];
    t.reads = t.writes;
    if (l->life == SF8_KV_KEPT && l->reads == SF8_KV_READS_HOST)
        t.reads = l->host[side];
    else if (l->life == SF8_KV_KEPT && l->reads == SF8_KV_READS_FIRST)
        t.reads = l->has_first ? l->first[side] : l->host[side];
    t.stored = l->has_stored && l->life != SF8_KV_OF_TOKEN ? l->stored[side][head] : t.reads;
    t.agrees = t.writes == t.reads && t.reads == t.stored;
    t.new_factor = sf8_kv_factor(t.reads, t.writes);
    t.old_factor = sf8_kv_factor(t.reads, t.stored);
    return t;
}
