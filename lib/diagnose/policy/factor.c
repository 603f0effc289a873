/* SPDX-License-Identifier: MIT */
/* factor.c -- whether a cast gave the codes of its operands times one number
 *
 * The magnitudes of codes never turn back when the factor grows. So the ends of the interval of
 * factors that give all codes are found by bisection over the numbers of f32, and are exact. No
 * element may be an exception.
 */
#include "diagnose/policy/expected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 16, MOST = 1 << 20 }; /* codes that are not 0; operands */
#define ERROR 3e-7
#define SPAN 1048576.0F

typedef struct scaled {
    const identify_set *set;
    float *x; /* the operands that are no NaN */
    uint64_t *got;
    size_t count;
    int is_nan_wrong; /* one that is NaN gave another code */
} scaled;

static uint64_t code_of(const scaled *s, size_t i, float factor)
{
    return sf8_convert(s->set->to, SF8_F32, sf8_f32_bits(s->x[i] * factor), s->set->rules);
}

/* Whether with this factor every magnitude is at least that of the code that came; or one is
 * larger. */
static int reaches(const scaled *s, uint32_t factor, int exceeds)
{
    uint64_t mask = sf8_format_mag_mask(s->set->to);
    for (size_t i = 0; i < s->count; i++) {
        uint64_t key = code_of(s, i, sf8_f32_from_bits(factor)) & mask, got = s->got[i] & mask;
        if (exceeds && key > got)
            return 1;
        if (!exceeds && key < got)
            return 0;
    }
    return !exceeds;
}

/* The least factor for which that holds; it holds for all above that one. */
static uint32_t least(const scaled *s, int exceeds, uint32_t low, uint32_t high)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (reaches(s, middle, exceeds))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* All factors that give the magnitudes that came; 0 if there is none, or no end to them. */
static int find(const scaled *s, uint32_t *first, uint32_t *last)
{
    uint32_t low = sf8_f32_bits(1 / SPAN), high = sf8_f32_bits(SPAN);
    if (!reaches(s, high, 0) || reaches(s, low, 1) || reaches(s, low, 0) || !reaches(s, high, 1))
        return 0;
    *first = least(s, 0, low, high);
    *last = least(s, 1, low, high) - 1;
    return *first <= *last;
}

static int gives(const scaled *s, float factor)
{
    for (size_t i = 0; i < s->count; i++)
        if (code_of(s, i, factor) != s->got[i])
            return 0;
    return 1;
}

/* The shortest number in an interval, give or take the error of two numbers of f32. */
static const char *times(double low, double high, char text[32])
{
    for (int digits = 1; digits < 10; digits++) {
        snprintf(text, 32, "%.*g", digits, (low + high) / 2);
        double x = strtod(text, NULL);
        if (low * (1 - ERROR) <= x && x <= high * (1 + ERROR))
            break;
    }
    return text;
}

/* An interval with as few digits as show that it is one. */
static const char *bounds(double low, double high, char text[80])
{
    for (int digits = 4; digits < 10; digits++) {
        char a[32], b[32];
        snprintf(a, sizeof a, "%.*g", digits, low);
        snprintf(b, sizeof b, "%.*g", digits, high);
        snprintf(text, 80, "of %s", a);
        if (strcmp(a, b) != 0) {
            snprintf(text, 80, "in [%s, %s]", a, b);
            break;
        }
    }
    return text;
}

static void add(scaled *s, uint64_t word, uint64_t code)
{
    if (sf8_is_nan(s->set->from, word)) {
        s->is_nan_wrong |= sf8_convert(s->set->to, s->set->from, word, s->set->rules) != code;
        return;
    }
    s->x[s->count] = sf8_f32_from_bits(
        (uint32_t)sf8_convert(SF8_F32, s->set->from, word, SF8_OCP_NOSAT));
    s->got[s->count++] = code;
}

/* Takes the operands as f32; 0 if too few codes say something. */
static int take(scaled *s)
{
    const identify_set *set = s->set;
    size_t some = 0;
    s->x = search_allocate(set->context, set->inputs, sizeof s->x[0]);
    s->got = search_allocate(set->context, set->inputs, sizeof s->got[0]);
    for (size_t i = 0; i < set->count; i++) {
        uint64_t end = i + 1 < set->count ? set->runs[i + 1].at : set->inputs;
        for (uint64_t at = set->runs[i].at; at < end; at++)
            add(s, set->words ? set->words[at] : at, set->runs[i].code);
    }
    for (size_t i = 0; i < s->count; i++)
        some += (s->got[i] & sf8_format_mag_mask(set->to)) != 0;
    return some >= LEAST && !s->is_nan_wrong;
}

int expected_factor(const identify_set *set, expected_change *change)
{
    scaled s = {.set = set};
    uint32_t first, last;
    char factor[32], scale[32], interval[80];
    if (sf8_format_bits(set->from) > 32 || set->inputs > MOST || !set->to.is_signed || !take(&s) ||
        !find(&s, &first, &last))
        return 0;
    double low = sf8_f32_from_bits(first), high = sf8_f32_from_bits(last);
    if ((low <= 1 && high >= 1) || !gives(&s, sf8_f32_from_bits(first + (last - first) / 2)))
        return 0;
    *change = (expected_change){.policy = set->rules};
    snprintf(change->factor, sizeof change->factor, "%s", times(low, high, factor));
    snprintf(change->words, sizeof change->words,
             "the codes are those of %s times the inputs, as with a scale of %s: all are "
             "consistent with a factor %s",
             factor, times(1 / high, 1 / low, scale), bounds(low, high, interval));
    return 1;
}
