/* SPDX-License-Identifier: MIT */
/* steps.c -- which part of the staircase of an oracle is drawn: near zero, near overflow, and where
 * the case differs
 *
 * The codes are found by asking the oracle: on finite inputs of one sign it is monotone, so the end
 * of a stretch of one code can be searched for by bisection.
 */
#include "report/steps.h"
#include "softfp8/core.h"

#include <string.h>

enum { RUNS = 12 };

/* ---- the axis -------------------------------------------------------------------------------- */

static axis axis_of(const report_case *k, int negative)
{
    axis a = {&k->oracle, oracle_source(&k->oracle), oracle_target(&k->oracle), negative, 0};
    int bits = a.source->bits;
    if (a.source->kind == SF8_WORD_FLOAT)
        a.top = sf8_format_max(a.source->format);
    else if (a.source->kind == SF8_WORD_SIGNED)
        a.top = (UINT64_C(1) << (bits - 1)) - !negative;
    else
        a.top = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return a;
}

uint64_t axis_word(const axis *a, uint64_t magnitude)
{
    if (!a->negative)
        return magnitude;
    if (a->source->kind == SF8_WORD_FLOAT)
        return magnitude | sf8_format_sign_bit(a->source->format);
    return (0 - magnitude) & (a->top | (a->top - 1));
}

uint64_t axis_code(const axis *a, uint64_t magnitude)
{
    return oracle_call(a->o, axis_word(a, magnitude));
}

static int is_negative(const sf8_word *w, uint64_t word)
{
    if (w->kind == SF8_WORD_FLOAT)
        return (word & sf8_format_sign_bit(w->format)) != 0;
    return w->kind == SF8_WORD_SIGNED && word >> (w->bits - 1);
}

/* 0 if the word is not a finite one of this sign. */
static int magnitude_of(const axis *a, uint64_t word, uint64_t *magnitude)
{
    if (is_negative(a->source, word) != a->negative)
        return 0;
    if (a->source->kind == SF8_WORD_FLOAT)
        *magnitude = word & sf8_format_mag_mask(a->source->format);
    else
        *magnitude = a->negative ? 2 * a->top - word : word;
    return *magnitude <= a->top;
}

double axis_place(const axis *a, uint64_t magnitude)
{
    uint64_t sig = magnitude;
    int32_t exponent = 0;
    if (a->source->kind == SF8_WORD_FLOAT) {
        sf8_number x = sf8_core_unpack(a->source->format, magnitude, SF8_OCP);
        sig = x.sig;
        exponent = x.exponent;
    }
    if (sig == 0)
        return -1e9;
    int32_t top = sf8_msb64(sig);
    uint64_t one = UINT64_C(1) << top;
    return (double)exponent + (double)top + (double)(sig - one) / (double)one;
}

int axis_range(const axis *a, const conform_range *range, uint64_t *first, uint64_t *last)
{
    if (!magnitude_of(a, range->first, first))
        return 0;
    if (!magnitude_of(a, range->last, last))
        *last = a->top;
    if (*first > *last) {
        uint64_t swap = *first;
        *first = *last;
        *last = swap;
    }
    return 1;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* The last magnitude, going up (or down), that gives what this one gives. */
static uint64_t end_of(const axis *a, uint64_t magnitude, int up)
{
    uint64_t code = axis_code(a, magnitude), limit = up ? a->top : 0;
    uint64_t inside = magnitude, outside = limit;
    for (uint64_t step = 1; inside != limit; step *= 2) {
        uint64_t left = up ? limit - inside : inside;
        uint64_t next = left <= step ? limit : up ? inside + step : inside - step;
        if (axis_code(a, next) != code) {
            outside = next;
            break;
        }
        inside = next;
    }
    if (inside == limit)
        return limit;
    while ((up ? outside - inside : inside - outside) > 1) {
        uint64_t middle = inside / 2 + outside / 2 + (inside & outside & 1);
        if (axis_code(a, middle) == code)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

static run run_at(const axis *a, uint64_t magnitude)
{
    run r = {end_of(a, magnitude, 0), end_of(a, magnitude, 1), axis_code(a, magnitude)};
    return r;
}

/* `back` runs before the one that holds `magnitude`, and those that follow, `most` in all. */
static void take_runs(panel *p, uint64_t magnitude, int back, int most)
{
    run r = run_at(&p->a, magnitude);
    for (int i = 0; i < back && r.first > 0; i++)
        r = run_at(&p->a, r.first - 1);
    p->count = 0;
    for (;;) {
        p->runs[p->count++] = r;
        if (p->count == most || r.last == p->a.top)
            return;
        r = run_at(&p->a, r.last + 1);
    }
}

/* ---- panels ---------------------------------------------------------------------------------- */

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* From a bit before the first boundary to a bit behind the last one. */
static void set_edges(panel *p)
{
    const axis *a = &p->a;
    const run *last = &p->runs[p->count - 1];
    double first = axis_place(a, p->runs[0].first ? p->runs[0].first : 1);
    double boundary = axis_place(a, p->runs[p->count > 1].first ? p->runs[p->count > 1].first : 1);
    double end = axis_place(a, last->first ? last->first : 1);
    double margin = end > boundary ? least(1.0, (end - boundary) / 4) : 0.5;
    p->lo = boundary - first < margin ? first : boundary - margin;
    if (p->runs[0].first == 0)
        p->lo = boundary - margin;
    p->hi = least(end + margin, axis_place(a, last->last));
    if (p->hi <= p->lo)
        p->hi = p->lo + 1;
}

static void add_row(panel *p, uint64_t code)
{
    if (p->rows < STAIRS_ROWS && !panel_has_row(p, code))
        p->row[p->rows++] = code;
}

/* Grows with the magnitude; NaN is above all. */
static uint64_t rank_of(const sf8_word *w, uint64_t code)
{
    if (w->kind == SF8_WORD_SIGNED && code >> (w->bits - 1))
        return 2 * ((UINT64_C(1) << (w->bits - 1)) - (code & ((UINT64_C(1) << (w->bits - 1)) - 1)));
    if (w->kind != SF8_WORD_FLOAT)
        return 2 * code;
    uint64_t magnitude = code & sf8_format_mag_mask(w->format);
    uint64_t sign = (code & sf8_format_sign_bit(w->format)) != 0;
    if (sf8_is_nan(w->format, code))
        return UINT64_MAX / 2 + magnitude + sign;
    return 2 * magnitude + sign;
}

int panel_shows(const panel *p, double from, double to)
{
    int open_below = p->runs[0].first == 0, open_above = p->runs[p->count - 1].last == p->a.top;
    return (open_below || to >= p->lo) && (open_above || from <= p->hi);
}

static int is_shown(const panel *p, const conform_range *range)
{
    uint64_t first, last;
    return axis_range(&p->a, range, &first, &last) &&
           panel_shows(p, axis_place(&p->a, first), axis_place(&p->a, last));
}

int panel_has_row(const panel *p, uint64_t code)
{
    for (int i = 0; i < p->rows; i++) {
        if (p->row[i] == code)
            return 1;
    }
    return 0;
}

/* The codes of the runs, of infinity and NaN, and of what came at the first input of a range. */
static void set_rows(panel *p, const report_case *k)
{
    for (int i = 0; i < p->count; i++)
        add_row(p, p->runs[i].code);
    for (int i = 0; i < p->specials; i++)
        add_row(p, axis_code(&p->a, p->special[i]));
    for (size_t i = 0; i < kept_ranges(k->r) && p->rows < STAIRS_RUNS + 4; i++) {
        if (is_shown(p, &k->r->range[i]))
            add_row(p, k->r->range[i].got);
    }
    for (int i = 1; i < p->rows; i++) {
        uint64_t code = p->row[i];
        int at = i;
        for (; at > 0 && rank_of(p->a.target, p->row[at - 1]) > rank_of(p->a.target, code); at--)
            p->row[at] = p->row[at - 1];
        p->row[at] = code;
    }
}

static void take_specials(panel *p)
{
    const sf8_word *w = p->a.source;
    if (w->kind != SF8_WORD_FLOAT || w->format.nan != SF8_NANS_IEEE)
        return;
    uint64_t inf = sf8_format_inf(w->format);
    p->special[0] = inf;
    p->special[1] = inf | UINT64_C(1) << (w->format.man_bits - 1);
    p->specials = 2;
}

/* The first finite input of a range that no panel shows, with this sign or the other. */
static int find_hidden(const panel *panels, int count, const report_case *k, axis *a,
                       uint64_t *magnitude)
{
    for (size_t i = 0; i < kept_ranges(k->r); i++) {
        uint64_t last;
        int seen = 0;
        *a = axis_of(k, is_negative(oracle_source(&k->oracle), k->r->range[i].first));
        if (!axis_range(a, &k->r->range[i], magnitude, &last))
            continue;
        for (int n = 0; n < count; n++)
            seen |= panel_shows(&panels[n], axis_place(a, *magnitude), axis_place(a, last));
        if (!seen)
            return 1;
    }
    return 0;
}

/* Whether some range begins with an input of this sign. */
static int any_of_sign(const report_case *k, int negative)
{
    for (size_t i = 0; i < kept_ranges(k->r); i++) {
        if (is_negative(oracle_source(&k->oracle), k->r->range[i].first) == negative)
            return 1;
    }
    return 0;
}

int panels_of(panel panels[STAIRS_PANELS], const report_case *k)
{
    axis a = axis_of(k, !any_of_sign(k, 0) && any_of_sign(k, 1));
    int count = 1;
    uint64_t magnitude;
    memset(panels, 0, STAIRS_PANELS * sizeof panels[0]);
    panels[0].a = a;
    panels[0].title = "Near zero";
    take_runs(&panels[0], 0, 0, RUNS);
    if (panels[0].runs[panels[0].count - 1].last == a.top) {
        panels[0].title = "All finite inputs";
        take_specials(&panels[0]);
    } else {
        panels[0].count = RUNS / 2 + 1;
        panels[1].a = a;
        panels[1].title = "Near overflow";
        take_runs(&panels[1], a.top, RUNS / 2, RUNS);
        take_specials(&panels[1]);
        count = 2;
    }
    for (int i = 0; i < count; i++)
        set_edges(&panels[i]);
    if (find_hidden(panels, count, k, &a, &magnitude)) {
        panels[count].a = a;
        panels[count].title = "Where it differs";
        take_runs(&panels[count], magnitude, 2, RUNS / 2);
        set_edges(&panels[count++]);
    }
    for (int i = 0; i < count; i++)
        set_rows(&panels[i], k);
    return count;
}
