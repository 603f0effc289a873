/* SPDX-License-Identifier: MIT */
/* explain.c -- what gives every scale that came, in words
 *
 * A rule of the table, another amax, or one number that is found by looking at the scales: which
 * numbers would give each of them is an interval, and all intervals together are often a narrow
 * one. A number is only sought with SOME scales that are of different blocks, since one scale alone
 * would fit some number always.
 */
#include "diagnose/numbers.h"
#include "diagnose/scales/scales.h"

#include <math.h>
#include <string.h>

enum { SOME = 3, LISTED = 4, MOST_DIGITS = 9 };
#define ERROR 3e-7 /* of two operations of f32, relative */

typedef struct explaining {
    diagnosis_run *run;
    const scales_grid *g;
    size_t count;
    scales_amax amax, other, wide;
    int is_wide; /* some amax is not exact */
    const char *found;
    int fits;
} explaining;

/* ---- one scale ------------------------------------------------------------------------------- */

/* Scales as integers with the order of their values. */
static int64_t key_of(const scales_grid *g, uint32_t code)
{
    uint32_t value = (uint32_t)sf8_convert(SF8_F32, g->recipe->scale, code, SF8_OCP_NOSAT);
    return sf8_f32_is_nan(value) ? INT64_MAX : sf8_f32_order(value);
}

static int64_t key_at(const scales_grid *g, const sf8_program *by, uint32_t amax)
{
    sf8_block b;
    sf8_block_begin(&b, g->g);
    b.variable[SF8_VAR_amax] = amax;
    sf8_block_scale_by(g->recipe, &b, by);
    return key_of(g, b.scale);
}

/* The first number from `low` on, up to `high`, with a scale of at least `want`, or beyond it. */
static uint32_t first_at(const scales_grid *g, const sf8_program *by, uint32_t low, uint32_t high,
                         int64_t want, int64_t sign, int beyond)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int64_t key = sign * key_at(g, by, middle);
        if (beyond ? key > sign * want : key >= sign * want)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int holds(const scales_grid *g, const sf8_program *by, uint32_t least, uint32_t most,
                 uint32_t code)
{
    int64_t want = key_of(g, code), first = key_at(g, by, least);
    int64_t last = most == least ? first : key_at(g, by, most), sign = first <= last ? 1 : -1;
    if (want == first || want == last)
        return 1;
    if (want == INT64_MAX || sign * want < sign * first || sign * want > sign * last)
        return 0;
    return key_at(g, by, first_at(g, by, least, most, want, sign, 0)) == want;
}

int scales_hold(const scales_grid *g, const sf8_program *by, const scales_amax *amax)
{
    size_t count = scales_blocks(g);
    for (size_t i = 0; i < count; i++)
        if (amax->least[i] <= amax->most[i] &&
            !holds(g, by, amax->least[i], amax->most[i], g->got[i]))
            return 0;
    return 1;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void add(explaining *e, const char *words)
{
    if (e->fits++ < LISTED)
        e->found = diagnosis_text(e->run, "%s%s%s", e->found, e->found[0] ? "; or " : "", words);
}

static void try_rules(explaining *e, int pairs)
{
    scales_rule *list = search_allocate(&e->run->context, SCALES_RULES, sizeof *list);
    size_t count = scales_rules(e->g->recipe, list);
    for (size_t i = 0; i < count; i++)
        if ((strstr(list[i].words, "; ") != NULL) == pairs &&
            scales_hold(e->g, &list[i].by, &e->amax))
            add(e, list[i].words);
}

static void try_amax(explaining *e)
{
    const char *words;
    for (size_t i = 0; (words = scales_amax_at(e->run, e->g, i, &e->amax, &e->other)) != NULL; i++)
        if (words[0] && scales_hold(e->g, &e->g->recipe->scale_of, &e->other))
            add(e, words);
}

static void try_statistics(explaining *e)
{
    const char *words;
    for (size_t i = 0; (words = scales_statistic_at(e->run, e->g, i, &e->other)) != NULL; i++)
        if (scales_hold(e->g, &e->g->recipe->scale_of, &e->other))
            add(e, words);
}

/* ---- numbers that are found ------------------------------------------------------------------ */

typedef struct range {
    double low, high;
} range;

static double value_of(uint32_t word)
{
    return sf8_f32_from_bits(word);
}

/* The values of amax that give a scale by the recipe, of all that there are. */
static range inverse(const scales_grid *g, uint32_t code)
{
    const sf8_program *by = &g->recipe->scale_of;
    int64_t want = key_of(g, code);
    int64_t sign = key_at(g, by, 0x00800000u) <= key_at(g, by, 0x7f000000u) ? 1 : -1;
    uint32_t first = first_at(g, by, 0, SF8_F32_INF, want, sign, 0),
             after = first_at(g, by, first, SF8_F32_INF, want, sign, 1);
    uint32_t last = after ? after - 1 : 0; /* below `first` if no amax gives the scale */
    return (range){value_of(first < last ? first : last), value_of(first < last ? last : first)};
}

/* What all amax are multiplied by, and what is added to them. 0 if there are too few. */
static int find_ranges(const explaining *e, range *factor, range *sum)
{
    const scales_grid *g = e->g;
    size_t seen = 0;
    uint32_t amax = 0, got = 0;
    *factor = (range){0, INFINITY};
    *sum = (range){-INFINITY, INFINITY};
    for (size_t i = 0; i < e->count; i++) {
        if (e->amax.most[i] == 0 || e->amax.least[i] > e->amax.most[i])
            continue;
        if (key_of(g, g->got[i]) == INT64_MAX)
            return 0;
        double least = value_of(e->amax.least[i]), most = value_of(e->amax.most[i]);
        range r = inverse(g, g->got[i]);
        double unit = most * 0x1p-22;
        factor->low = fmax(factor->low, r.low / most * (1 - ERROR));
        factor->high = fmin(factor->high,
                            least > 0 ? r.high / least * (1 + ERROR) : (double)INFINITY);
        sum->low = fmax(sum->low, r.low - most - unit);
        sum->high = fmin(sum->high, r.high - least + unit);
        seen += amax != e->amax.most[i] && got != g->got[i];
        amax = e->amax.most[i];
        got = g->got[i];
    }
    return seen >= SOME;
}

/* Numbers that are multiplied or added: before the program or behind it, and perhaps with another
 * rounding. Where amax is not exact anyway, two numbers of f32 more are allowed. */
static int with_number(const explaining *e, double number, uint32_t op)
{
    const sf8_term terms[] = {{SF8_TERM_NUMBER, sf8_f32_bits((float)number)}, {op, 0}};
    sf8_program before = e->g->recipe->scale_of, behind = before;
    if (!scales_behind_amax(&before, terms, 2))
        return 0;
    return scales_hold(e->g, &before, &e->amax) ||
           (op == SF8_TERM_MUL && scales_behind(&behind, terms, 2) &&
            scales_hold(e->g, &behind, &e->amax)) ||
           (e->is_wide && scales_hold(e->g, &before, &e->wide));
}

/* The number with the fewest digits that holds; 0 if none does. */
static double number_that_holds(const explaining *e, range r, uint32_t op, char *text)
{
    double number;
    if (!(r.low > 0) || r.low > r.high || isinf(r.high))
        return 0;
    number_shortest(r.low, r.high, text, &number);
    if (with_number(e, number, op))
        return number;
    for (int digits = 1; digits <= MOST_DIGITS; digits++) {
        number = number_of_digits(r.low, r.high, digits);
        if (number >= r.low && number <= r.high && with_number(e, number, op)) {
            number_shortest(number, number, text, &number);
            return number;
        }
    }
    return 0;
}

/* A program that divides by another number than that of the recipe. */
static int try_divisor(explaining *e, range r)
{
    sf8_program by = e->g->recipe->scale_of;
    uint32_t *last = scales_divisor(&by);
    char text[NUMBER_TEXT], times[NUMBER_TEXT];
    double stated, number, factor;
    if (!last || !(r.low > 0) || isinf(r.high))
        return 0;
    stated = value_of(*last);
    number_shortest(r.low, r.high, times, &factor);
    number_shortest(stated / r.high, stated / r.low, text, &number);
    *last = sf8_f32_bits((float)number);
    if (strlen(text) >= strlen(times) || !scales_hold(e->g, &by, &e->amax))
        return 0;
    add(e, diagnosis_text(e->run, "divides by %s instead of %.9g", text, stated));
    return 1;
}

static double try_numbers(explaining *e)
{
    range factor, sum;
    char text[NUMBER_TEXT];
    if (!find_ranges(e, &factor, &sum))
        return 0;
    double by = 0;
    if (factor.low <= factor.high && !(factor.low <= 1 && factor.high >= 1)) {
        int is_divisor = try_divisor(e, factor);
        by = number_that_holds(e, factor, SF8_TERM_MUL, text);
        if (by > 0 && !is_divisor)
            add(e, diagnosis_text(e->run, "the scale is that of %s times amax", text));
    }
    if (e->fits == 0 && number_that_holds(e, sum, SF8_TERM_ADD, text) > 0)
        add(e, diagnosis_text(e->run, "the scale is that of amax + %s", text));
    return by;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int reads_amax_alone(const sf8_recipe *r)
{
    static const uint32_t others[] = {SF8_VAR_peak, SF8_VAR_low, SF8_VAR_high};
    for (size_t i = 0; i < 3; i++)
        if (sf8_program_reads(&r->scale_of, others[i]) >= 0)
            return 0;
    return sf8_program_reads(&r->scale_of, SF8_VAR_amax) >= 0 && r->second_of.count == 0;
}

static void widen(explaining *e)
{
    e->wide = scales_amax_room(e->run, e->g);
    for (size_t i = 0; i < e->count; i++) {
        uint32_t least = e->amax.least[i], most = e->amax.most[i];
        e->is_wide |= least < most;
        e->wide.least[i] = least < 2 ? 0 : least - 2;
        e->wide.most[i] = most < SF8_F32_INF - 2 ? most + 2 : most;
    }
}

/* 0 if amax alone does not give the scales, or there are none. */
static int begin(explaining *e, diagnosis_run *run, const scales_grid *g)
{
    *e = (explaining){.run = run, .g = g, .count = scales_blocks(g), .found = ""};
    if (e->count == 0 || !reads_amax_alone(g->recipe))
        return 0;
    e->amax = scales_amax_room(run, g);
    scales_amax_of(g, &e->amax);
    return 1;
}

void scales_factors(diagnosis_run *run, const scales_grid *g, double ends[2])
{
    explaining e;
    range factor = {0, INFINITY}, sum;
    if (begin(&e, run, g))
        (void)find_ranges(&e, &factor, &sum);
    ends[0] = factor.low;
    ends[1] = factor.high;
}

const char *scales_explained(diagnosis_run *run, const scales_grid *g, int numbers, double *factor)
{
    explaining e;
    *factor = 0;
    if (!begin(&e, run, g))
        return "";
    e.other = scales_amax_room(run, g);
    widen(&e);
    try_rules(&e, 0);
    try_amax(&e);
    if (e.fits == 0 && numbers) { /* powers of two near a statistic may be those of a factor too */
        *factor = try_numbers(&e);
        try_statistics(&e);
    }
    if (e.fits == 0)
        try_rules(&e, 1);
    return e.fits > LISTED ? diagnosis_text(run, "%s; or %d others", e.found, e.fits - LISTED)
                           : e.found;
}
