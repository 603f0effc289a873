/* SPDX-License-Identifier: MIT */
/* doctor_advice.c -- one sentence from the counts, by thresholds
 *
 *     NaN or infinity in the tensor      look for where they come from
 *     all is zero                        any scale but one by amax
 *     as asked will do                   keep it
 *     else                               the first way of its kind in the table that will do; where
 *                                        there is none, the one whose median channel is best
 *
 * A way will do that makes nothing NaN, clips nothing, makes at most one value of DOCTOR_FLUSHED
 * zero where it is a floating-point format of 8 bits (coarser grids have a 0 to round to), and
 * whose median channel is at most 1 dB worse than the best of its kind. Two ways are of one kind if
 * both are floating-point or both integer, with the same number of bits.
 */
#include "kv/doctor_measure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(kv_report *r, const char *format, ...)
{
    size_t used = strlen(r->advice);
    va_list list;
    va_start(list, format);
    vsnprintf(r->advice + used, sizeof r->advice - used, format, list);
    va_end(list);
}

static int is_kin(const kv_report *r, size_t i)
{
    const sf8_recipe *a = &r->ways[0].recipe, *b = &r->ways[i].recipe;
    return sf8_recipe_bits(a) == sf8_recipe_bits(b) && !a->integer == !b->integer;
}

/* The way of that kind with the least noise that makes nothing NaN; the first of equals. */
static size_t best_of(const kv_report *r)
{
    size_t best = 0;
    for (size_t i = 1; i < r->count; i++) {
        if (!is_kin(r, i) || r->tally[i].made_wrong)
            continue;
        if (r->tally[best].made_wrong || r->noise[i].ratio < r->noise[best].ratio)
            best = i;
    }
    return best;
}

static int will_do(const kv_report *r, size_t i, size_t best)
{
    const kv_tally *t = &r->tally[i];
    const sf8_recipe *recipe = &r->ways[i].recipe;
    int is_coarse = recipe->integer || sf8_recipe_bits(recipe) < 8;
    return is_kin(r, i) && t->made_wrong == 0 && t->clipped == 0 &&
           (is_coarse || t->flushed * DOCTOR_FLUSHED <= t->count) &&
           r->noise[i].ratio <= r->noise[best].ratio * DOCTOR_DECIBEL;
}

/* "8-bit floating-point": the kind of the first way. */
static const char *kind_of(const kv_report *r, char text[32])
{
    const sf8_recipe *recipe = &r->ways[0].recipe;
    snprintf(text, 32, "%u-bit %s", (unsigned)sf8_recipe_bits(recipe),
             recipe->integer ? "integer" : "floating-point");
    return text;
}

static double percent(uint64_t part, uint64_t whole)
{
    return 100 * (double)part / (double)whole;
}

static void name_way(kv_report *r, size_t i)
{
    const kv_way *way = &r->ways[i];
    if (way->row && strcmp(way->name, way->row->name) != 0)
        say(r, "the recipe %s (%s)", way->row->name, way->name);
    else if (way->row)
        say(r, "the recipe %s", way->row->name);
    else if (way->unit == KV_HEADS)
        say(r, "one scale per head (%s)", way->name);
    else
        say(r, "the scale %.9g (%s)", (double)sf8_f32_from_bits(way->g), way->name);
}

/* What speaks against the first way, the worst of it. */
static void name_fault(kv_report *r, size_t better)
{
    const kv_tally *t = &r->tally[0];
    char from[32], to[32];
    if (t->made_wrong)
        say(r, "as configured, %llu number%s NaN or infinite", (ull)t->made_wrong,
            t->made_wrong == 1 ? " becomes" : "s become");
    else if (t->clipped)
        say(r, "as configured, %llu value%s clipped", (ull)t->clipped,
            t->clipped == 1 ? " is" : "s are");
    else if (t->flushed * DOCTOR_FLUSHED > t->count)
        say(r, "as configured, %.3g %% of the values become zero", percent(t->flushed, t->count));
    else
        say(r, "as configured, the errors are larger");
    if (t->made_wrong) /* without those, so that the errors of the others say little */
        say(r, "; with it none does, and SQNR is %s dB",
            kv_decibels(r->sums[better].squares, r->sums[better].energy, to));
    else if (t->clipped)
        say(r, "; SQNR goes from %s to %s dB",
            kv_decibels(r->sums[0].squares, r->sums[0].energy, from),
            kv_decibels(r->sums[better].squares, r->sums[better].energy, to));
    else
        say(r, "; the median channel's SQNR goes from %s to %s dB",
            kv_decibels(r->noise[0].ratio, r->noise[0].is_there, from),
            kv_decibels(r->noise[better].ratio, r->noise[better].is_there, to));
}

static void look_first(kv_report *r)
{
    const kv_values *v = &r->values;
    size_t channel = v->bad_at % r->shape.channels;
    say(r,
        "First find out where %llu NaN and %llu infinite values come from. The first is at token "
        "%zu, ",
        (ull)v->nan, (ull)v->infinite, v->bad_at / r->shape.channels);
    if (r->shape.heads > 1)
        say(r, "head %zu, ", channel / r->shape.size);
    say(r, "channel %zu. No scale keeps them from the tokens that attend to theirs.",
        channel % r->shape.size);
}

/* A warning behind the advice. */
static void name_outliers(kv_report *r)
{
    say(r, ".");
    if (r->outliers)
        say(r, " %zu outlier channel%s would crush the others in integers that share one scale.",
            r->outliers, r->outliers == 1 ? "" : "s");
}

void kv_doctor_advice(kv_report *r)
{
    const kv_values *v = &r->values;
    const kv_tally *t = &r->tally[0];
    char kind[32];
    r->advice[0] = '\0';
    if (v->nan || v->infinite) {
        look_first(r);
        return;
    }
    if (v->zero == v->count) {
        say(r, "All values are 0: use any scale above 0, but not one computed from amax: it would "
               "be 0, "
               "and 0 / 0 is NaN.");
        return;
    }
    size_t best = best_of(r), i = 0;
    while (i < r->count && !will_do(r, i, best))
        i++;
    int enough = i < r->count;
    i = enough ? i : best;
    if (i == 0 && t->flushed + v->zero == v->count) {
        say(r, "All values become 0, with any %s storage: they are too small for a scale",
            kind_of(r, kind));
    } else if (i > 0) {
        say(r, "Use ");
        name_way(r, i);
        if (!enough)
            say(r, ", the best %s storage here", kind_of(r, kind));
        say(r, ": ");
        name_fault(r, i);
    } else if (enough) {
        say(r,
            "Keep it: nothing is clipped, %.3g %% of the values become zero, and no other %s "
            "storage is more than 1 dB better",
            percent(t->flushed, v->count), kind_of(r, kind));
    } else {
        say(r,
            "Keep it, although %llu values are clipped and %llu become zero: no other %s storage "
            "is "
            "better",
            (ull)t->clipped, (ull)t->flushed, kind_of(r, kind));
    }
    name_outliers(r);
}
