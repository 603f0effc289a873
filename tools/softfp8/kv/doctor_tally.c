/* SPDX-License-Identifier: MIT */
/* doctor_tally.c -- what became of the values of a tensor, counted on codes */
#include "kv/doctor_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kv_tally_begin(kv_tally *t)
{
    memset(t, 0, sizeof *t);
    t->absolute_at = KV_NOWHERE;
    t->errors = allocate(1, sizeof *t->errors);
    t->squares = allocate(1, sizeof *t->squares);
    t->energy = allocate(1, sizeof *t->energy);
}

void kv_tally_free(kv_tally *t)
{
    free(t->errors);
    free(t->squares);
    free(t->energy);
}

static double value_of(uint32_t word)
{
    return (double)sf8_f32_from_bits(word);
}

/* Farther out than the end of the codes by more than rounding does. Of half a step 2^-16 is spared:
 * scales were rounded. */
static int is_clipped(const kv_way *w, uint32_t x, uint32_t code, uint32_t value, uint32_t inward)
{
    double a = value_of(x), v = value_of(value), half = w->half[code];
    const double spared = 1 + 1.0 / 65536;
    if (half == 0)
        return 0;
    if (w->is_offset) {
        double step = v - value_of(inward), out = a - v;
        return (step > 0 ? out : -out) > fabs(step) / 2 * spared && step != 0;
    }
    return fabs(a) - fabs(v) > fabs(v) * half * spared;
}

static void keep_most(kv_tally *t, double error, double x, size_t at)
{
    if (error > t->most_absolute ||
        (error > 0 && error == t->most_absolute && at < t->absolute_at)) {
        t->most_absolute = error;
        t->absolute_at = at;
    }
    if (x > 0 && error / x > t->most_relative)
        t->most_relative = error / x;
}

unsigned kv_tally_add(kv_tally *t, const kv_way *w, uint32_t x, uint32_t code, uint32_t value,
                      uint32_t inward, size_t at)
{
    const sf8_recipe *r = &w->recipe;
    uint32_t size_x = sf8_f32_magnitude(x), size_v = sf8_f32_magnitude(value);
    unsigned fate = 0;
    t->count++;
    t->codes[code & 255]++;
    if (!r->integer) {
        uint64_t magnitude = code & sf8_format_mag_mask(r->element);
        t->subnormal += magnitude != 0 && magnitude < sf8_format_min_normal(r->element);
    }
    if (size_x >= SF8_F32_INF || size_v >= SF8_F32_INF) {
        t->made_wrong += size_x < SF8_F32_INF;
        /* The cast made it so, and not the scale. */
        t->above += size_x < SF8_F32_INF && !w->is_offset && !r->integer &&
                    sf8_f32_magnitude(sf8_block_element(r, code)) >= SF8_F32_INF;
        t->lost_nan += size_x > SF8_F32_INF && size_v <= SF8_F32_INF;
        return KV_WRONG;
    }
    t->compared++;
    if (size_v == 0 && size_x != 0) {
        t->flushed++;
        fate |= KV_FLUSHED;
    }
    if (w->half[code & 255] != 0) {
        double a = fabs(value_of(x)), v = fabs(value_of(value));
        t->above += !w->is_offset && a > v * (1 + 1.0 / 1048576);
        if (is_clipped(w, x, code & 255, value, inward)) {
            t->clipped++;
            fate |= KV_CLIPPED;
        }
    }
    keep_most(t, fabs(value_of(value) - value_of(x)), fabs(value_of(x)), at);
    exact_add_error(t->errors, t->squares, t->energy, x, value);
    return fate;
}

kv_sums kv_tally_sums(const kv_tally *t)
{
    kv_sums s = {exact_value(t->errors), exact_value(t->squares), exact_value(t->energy)};
    return s;
}

const char *kv_decibels(double squares, double energy, char text[32])
{
    double decibels = energy > 0 && squares > 0 ? 10 * log10(energy / squares) : 0;
    if (energy > 0 && squares > 0) /* a small negative number is not to be seen as -0.00 */
        snprintf(text, 32, "%.2f", fabs(decibels) < 0.005 ? 0 : decibels);
    else
        snprintf(text, 32, "%s", energy > 0 ? "inf" : "none");
    return text;
}

/* ---- codes that are used --------------------------------------------------------------------- */

/* One more number, if it is not among the first `count`. */
static int add_number(uint32_t *list, int count, uint32_t word)
{
    for (int i = 0; i < count; i++)
        if (list[i] == word)
            return count;
    list[count] = word;
    return count + 1;
}

kv_used kv_tally_used(const kv_tally *t, const kv_way *w)
{
    uint32_t number[256], used[256], magnitude[256], used_magnitude[256];
    kv_used u = {0, 0, 0, 0};
    for (uint32_t code = 0; code < 1u << sf8_recipe_bits(&w->recipe); code++) {
        uint32_t e = sf8_block_element(&w->recipe, code), size = sf8_f32_magnitude(e);
        if (size >= SF8_F32_INF)
            continue;
        e = size ? e : 0; /* -0 is 0 */
        u.numbers_of = add_number(number, u.numbers_of, e);
        if (t->codes[code])
            u.numbers = add_number(used, u.numbers, e);
        if (size)
            u.magnitudes_of = add_number(magnitude, u.magnitudes_of, size);
        if (size && t->codes[code])
            u.magnitudes = add_number(used_magnitude, u.magnitudes, size);
    }
    return u;
}
