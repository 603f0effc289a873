/* SPDX-License-Identifier: MIT */
/* fit.c -- which scale the codes of a cache have, given the values that were stored
 *
 * Each code says between which two scales its value was divided by one of them. The scale that the
 * most codes allow is the answer: it is then used, by the library's own division and cast, and
 * every code is compared. So a few codes that were damaged, or belong to another request, do not
 * hide it.
 */
#include "inspect/inspect.h"
#include "diagnose/numbers.h"
#include "softfp8/f32/arith.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a group of values that may share a scale. */
enum { SAMPLE = 1 << 12, F32_ONE = 0x3f800000 };

typedef struct fit {
    const inspect_report *r;
    const unsigned char *codes;
    const tensor *values;
    double half[257], value[257]; /* of a code without sign: where it begins, and what it is */
    const char *policy;
} fit;

static double number(uint32_t word)
{
    return (double)sf8_f32_from_bits(word);
}

/* Where a code begins and ends, as magnitudes: between it and its neighbours. The largest one ends
 * nowhere, and what becomes zero says little. */
static void set_ends(fit *f)
{
    unsigned max = (unsigned)sf8_format_max(f->r->format);
    for (unsigned code = 0; code <= max; code++)
        f->value[code] = fabs(inspect_value(f->r, code));
    for (unsigned code = 1; code <= max; code++)
        f->half[code] = (f->value[code - 1] + f->value[code]) / 2;
    f->half[max + 1] = INFINITY;
}

/* ---- scales that a code allows --------------------------------------------------------------- */

typedef struct span {
    double low, high;
} span;

/* 0: it says nothing. */
static int span_of(const fit *f, size_t i, span *s)
{
    uint64_t mask = sf8_format_mag_mask(f->r->format), code = f->codes[i] & mask;
    double x = fabs(number(tensor_f32(f->values, i)));
    if (!(x > 0 && x < INFINITY) || code == 0 || code > sf8_format_max(f->r->format))
        return 0;
    s->low = x / f->half[code + 1];
    s->high = x / f->half[code];
    return 1;
}

typedef struct end {
    double at;
    int step; /* +1 where a span begins */
} end;

static int compare_ends(const void *a, const void *b)
{
    const end *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : y->step - x->step;
}

/* The scales that the most codes of a sample allow; 0 if no code says anything. */
static int common_span(const fit *f, const size_t *list, size_t count, span *best)
{
    size_t step = (count + SAMPLE - 1) / SAMPLE, n = 0;
    long open = 0, most = 0;
    end *ends = allocate(2 * SAMPLE, sizeof ends[0]);
    for (size_t i = 0; i < count; i += step) {
        span s;
        if (!span_of(f, list[i], &s))
            continue;
        ends[n++] = (end){s.low, 1};
        ends[n++] = (end){s.high, -1};
    }
    qsort(ends, n, sizeof ends[0], compare_ends);
    for (size_t i = 0; i + 1 < n; i++) {
        open += ends[i].step;
        if (open > most) {
            most = open;
            *best = (span){ends[i].at, ends[i + 1].at};
        }
    }
    free(ends);
    return most > 0;
}

/* All codes that agree with the span make it narrower. */
static void narrow(const fit *f, const size_t *list, size_t count, span *best)
{
    for (size_t i = 0; i < count; i++) {
        span s, both = *best;
        if (!span_of(f, list[i], &s))
            continue;
        both.low = s.low > both.low ? s.low : both.low;
        both.high = s.high < both.high ? s.high : both.high;
        if (both.low <= both.high)
            *best = both;
    }
}

/* ---- one scale ------------------------------------------------------------------------------- */

/* The shortest number of the span, as f32. Where all codes are the largest one, it has no low end.
 */
static uint32_t plain_scale(span s)
{
    char text[NUMBER_TEXT];
    double scale;
    (void)number_shortest(s.low > 0 ? s.low : s.high / 2, s.high, text, &scale);
    return sf8_f32_bits((float)scale);
}

static int is_code_of(const fit *f, size_t i, uint32_t scale, sf8_policy policy)
{
    sf8_format format = f->r->format;
    uint32_t x = sf8_f32_div(tensor_f32(f->values, i), scale);
    uint64_t code = sf8_convert(format, SF8_F32, x, policy);
    return code == f->codes[i] || (sf8_is_nan(format, code) && sf8_is_nan(format, f->codes[i]));
}

static uint64_t misses_of(const fit *f, const size_t *list, size_t count, uint32_t scale,
                          size_t *first)
{
    sf8_policy policy = sf8_policy_named(f->policy, NULL);
    uint64_t misses = 0;
    for (size_t i = count; i-- > 0;)
        if (!is_code_of(f, list[i], scale, policy)) {
            misses++;
            *first = list[i];
        }
    return misses;
}

/* amax / 448 where that is the scale: how most programs compute it. */
static uint32_t scale_of_amax(const fit *f, const size_t *list, size_t count)
{
    uint32_t amax = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t x = sf8_f32_magnitude(tensor_f32(f->values, list[i]));
        amax = x < SF8_F32_INF && x > amax ? x : amax;
    }
    return sf8_f32_div(
        amax, (uint32_t)sf8_convert(SF8_F32, f->r->format, sf8_format_max(f->r->format), SF8_OCP));
}

/* A scale, how many codes it does not give, and the first of them. */
typedef struct fitted {
    uint32_t scale;
    uint64_t misses;
    size_t first;
    int of_amax, no_limit; /* amax / 448; a cast that does not saturate */
} fitted;

static fitted fit_group(fit *f, const size_t *list, size_t count)
{
    static const char *const policies[] = {"cuda-satfinite", "cuda-nosat"};
    fitted best = {.misses = UINT64_MAX};
    span s;
    if (!common_span(f, list, count, &s)) /* zeros: any scale */
        s = (span){1, 1};
    narrow(f, list, count, &s);
    const uint32_t scales[] = {scale_of_amax(f, list, count), F32_ONE, plain_scale(s)};
    for (size_t p = 0; p < 2; p++)
        for (size_t i = 0; i < 3; i++) {
            size_t first = 0;
            f->policy = policies[p];
            uint64_t misses = misses_of(f, list, count, scales[i], &first);
            if (misses < best.misses)
                best = (fitted){scales[i], misses, first, i == 0, p == 1};
        }
    return best;
}

/* ---- groups ---------------------------------------------------------------------------------- */

typedef enum sharing { ONE_SCALE, OF_HEAD, OF_TOKEN, OF_TOKEN_HEAD, SHARINGS } sharing;

static size_t group_count(const inspect_report *r, sharing how)
{
    size_t tokens = r->kept_count / (r->heads * r->channels);
    return how == ONE_SCALE  ? 1
           : how == OF_HEAD  ? r->heads
           : how == OF_TOKEN ? tokens
                             : tokens * r->heads;
}

/* The places of the group's codes; their number. */
static size_t group(const inspect_report *r, sharing how, size_t g, size_t *list)
{
    size_t row = r->heads * r->channels, n = 0;
    size_t size = how == OF_TOKEN ? row : how == OF_TOKEN_HEAD ? r->channels : r->kept_count;
    size_t begin = how == OF_TOKEN || how == OF_TOKEN_HEAD ? g * size : 0;
    for (size_t i = begin; i < begin + size; i++)
        if (how != OF_HEAD || i % row / r->channels == g)
            list[n++] = i;
    return n;
}

/* The scales of all groups; *first is that of the first one. */
static fitted fit_all(fit *f, sharing how, fitted *first)
{
    const inspect_report *r = f->r;
    size_t *list = allocate(r->kept_count, sizeof list[0]), groups = group_count(r, how);
    fitted sum = {.first = SIZE_MAX, .of_amax = 1};
    for (size_t g = 0; g < groups; g++) {
        fitted one = fit_group(f, list, group(r, how, g, list));
        if (g == 0)
            *first = one;
        sum.first = one.misses && one.first < sum.first ? one.first : sum.first;
        sum.misses += one.misses;
        sum.of_amax &= one.of_amax;
        sum.no_limit |= one.no_limit;
    }
    free(list);
    return sum;
}

/* ---- the sentence ---------------------------------------------------------------------------- */

/* "token 16, head 0, channel 3", of a place among the values. */
static const char *value_place(const inspect_report *r, size_t i, char text[96])
{
    size_t row = r->heads * r->channels;
    snprintf(text, 96, "token %zu, head %zu, channel %zu", i / row, i % row / r->channels,
             i % r->channels);
    return text;
}

static void say_scale(inspect_report *r, const char *what, sharing how, fitted sum, fitted first)
{
    static const char *const each[] = {"the scale", "a scale for each head, the first",
                                       "a scale for each token, the first",
                                       "a scale for each token and head, the first"};
    char amax[64] = "", misses[160] = "all codes agree", place[96];
    if (sum.of_amax)
        snprintf(amax, sizeof amax, ", amax / %.6g", inspect_value(r, sf8_format_max(r->format)));
    if (sum.misses)
        snprintf(misses, sizeof misses, "%llu of %zu codes do not agree, the first one in %s",
                 (unsigned long long)sum.misses, r->kept_count, value_place(r, sum.first, place));
    inspect_say(r, "The %s were stored with %s %.6g = %08x%s%s: %s.", what, each[how],
                number(first.scale), (unsigned)first.scale, amax,
                sum.no_limit ? ", by a cast without saturation" : "", misses);
}

static void fit_part(inspect_report *r, const inspect_options *o, int part)
{
    const char *what = part ? "values" : "keys", *path = o->stored[part];
    tensor t = tensor_read(path, o->type, (tensor_shape){0, 0});
    size_t count = t.shape.rows * t.shape.columns;
    fit f = {.r = r, .codes = r->kept[part], .values = &t};
    fitted best = {.misses = UINT64_MAX}, best_first = best;
    char place[96];
    if (count != r->kept_count)
        fail_at(input_name(path), 0, "%zu values; %s has %zu codes of %s", count,
                input_name(r->path), r->kept_count, what);
    set_ends(&f);
    for (int how = 0; how < SHARINGS; how++) {
        fitted first = {.first = SIZE_MAX}, sum = fit_all(&f, (sharing)how, &first);
        if (how == ONE_SCALE) {
            best = sum;
            best_first = first;
        }
        if (sum.misses <= r->kept_count / 100) {
            say_scale(r, what, (sharing)how, sum, first);
            tensor_free(&t);
            return;
        }
    }
    inspect_say(
        r, "No scale fits the %s: the best one, %.6g, gives %llu of %zu codes, and not that in %s.",
        what, number(best_first.scale), (unsigned long long)(count - best.misses), count,
        value_place(r, best.first, place));
    tensor_free(&t);
}

void inspect_fit(inspect_report *r, const inspect_options *o)
{
    for (int part = 0; part < 2; part++)
        if (r->kept[part])
            fit_part(r, o, part);
}
