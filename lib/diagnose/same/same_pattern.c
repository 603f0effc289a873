/* SPDX-License-Identifier: MIT */
/* same_pattern.c -- where two outputs differ, and which pattern the differences have
 *
 * Each axis is looked at by itself. Two tests, both against differences at random places:
 *
 *     arranged   k of the n units differ, and all of them lie in a set of m: C(m, k) / C(n, k),
 *                times the number of such sets
 *     confined   in a line across the axis c units differ, and all of them are among the k that
 *                differ in some line: C(k, c) / C(n, c), the product over all lines, times C(n, k)
 */
#include "diagnose/attend/output.h"
#include "diagnose/same/same.h"

#include <math.h>

static const double chance_most = -11.5129254649702; /* log 1e-5 */
enum { PERIOD_MOST = 1024, PERIODS_LEAST = 3 };

/* ---- differences ----------------------------------------------------------------------------- */

/* The logarithm of the number of sets of k out of n. */
static double sets(size_t n, size_t k)
{
    if (k > n)
        return -INFINITY;
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

/* A word as an integer whose steps are those of the format. */
static int64_t step_of(sf8_format f, uint32_t word)
{
    uint32_t sign = UINT32_C(1) << (sf8_format_bits(f) - 1);
    int64_t magnitude = (int64_t)(word & (sign - 1));
    return word & sign ? -magnitude : magnitude;
}

static size_t bits_of(uint64_t x)
{
    size_t bits = 0;
    for (; x; x >>= 1)
        bits++;
    return bits;
}

static double value_of(const attend_output *o, size_t i)
{
    uint32_t word = attend_word(o, i);
    if (sf8_format_bits(o->format) != 32)
        word = (uint32_t)sf8_convert(SF8_F32, o->format, word, SF8_OCP_NOSAT);
    return (double)sf8_f32_from_bits(word);
}

/* Two values, of which at least the bits differ; 1 if they count as different. */
static int take_value(const same_outputs *o, size_t i, same_differences *d)
{
    double a = value_of(&o->of[0], i), b = value_of(&o->of[1], i);
    if (isnan(a) && isnan(b))
        return 0;
    d->values++;
    d->not_finite[0] += isfinite(a) ? 0 : 1;
    d->not_finite[1] += isfinite(b) ? 0 : 1;
    if (!isfinite(a) || !isfinite(b))
        return 1;
    sf8_format f = o->of[0].format;
    int64_t apart = step_of(f, attend_word(&o->of[0], i)) - step_of(f, attend_word(&o->of[1], i));
    uint64_t ulps = (uint64_t)(apart < 0 ? -apart : apart);
    double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    double relative = larger > 0 ? fabs(a - b) / larger : 0;
    d->finite++;
    d->apart[bits_of(ulps)]++;
    d->ulps = ulps > d->ulps ? ulps : d->ulps;
    if (relative > d->relative || d->finite == 1) {
        d->relative = relative;
        d->largest = i;
    }
    return 1;
}

/* The largest difference of a row, of the largest finite value in it. */
static void take_apart(const same_outputs *o, size_t row, same_differences *d)
{
    double apart = 0, most = 0;
    for (size_t i = row * o->channels; i < (row + 1) * o->channels; i++) {
        double a = value_of(&o->of[0], i), b = value_of(&o->of[1], i);
        if (!isfinite(a) || !isfinite(b))
            continue;
        apart = fabs(a - b) > apart ? fabs(a - b) : apart;
        most = fabs(a) > most ? fabs(a) : most;
        most = fabs(b) > most ? fabs(b) : most;
    }
    d->of_row = apart > d->of_row * most ? apart / most : d->of_row;
}

/* Marks what differs in a row; the number of its values that do. */
static size_t take_row(const same_outputs *o, size_t row, same_differences *d)
{
    size_t count = 0;
    for (size_t c = 0; c < o->channels; c++) {
        size_t i = row * o->channels + c;
        uint32_t a = attend_word(&o->of[0], i), b = attend_word(&o->of[1], i);
        d->nans += a == b ? isnan(value_of(&o->of[0], i)) != 0
                          : isnan(value_of(&o->of[0], i)) && isnan(value_of(&o->of[1], i));
        if (a == b || !take_value(o, i, d))
            continue;
        d->axis[SAME_CHANNELS].unit[c] = 1;
        count++;
    }
    if (count == 0)
        return 0;
    take_apart(o, row, d);
    if (d->rows++ == 0) {
        d->first = row;
        d->first_values = count;
    }
    d->row[row] = 1;
    d->axis[SAME_QUERIES].unit[row / o->heads] = 1;
    d->axis[SAME_HEADS].unit[row % o->heads] = 1;
    return count;
}

/* One more line across an axis, in which `differ` units differ. */
static void take_line(same_axis *a, size_t differ)
{
    a->confined += sets(a->differ, differ) - sets(a->count, differ);
}

void same_compare(search_context *context, const same_outputs *o, same_differences *d)
{
    const size_t counts[SAME_AXES] = {o->queries, o->heads, o->channels};
    size_t rows = o->queries * o->heads;
    size_t *of_row = search_allocate(context, rows, sizeof *of_row);
    *d = (same_differences){.row = search_allocate(context, rows, 1)};
    for (size_t k = 0; k < SAME_AXES; k++) {
        d->axis[k].count = counts[k];
        d->axis[k].unit = search_allocate(context, counts[k], 1);
    }
    for (size_t row = 0; row < rows; row++)
        of_row[row] = take_row(o, row, d);
    for (size_t k = 0; k < SAME_AXES; k++)
        for (size_t i = 0; i < counts[k]; i++)
            d->axis[k].differ += d->axis[k].unit[i];
    for (size_t row = 0; row < rows; row++)
        take_line(&d->axis[SAME_CHANNELS], of_row[row]);
    for (size_t q = 0; q < o->queries; q++) {
        size_t differ = 0;
        for (size_t h = 0; h < o->heads; h++)
            differ += d->row[q * o->heads + h];
        take_line(&d->axis[SAME_HEADS], differ);
    }
    for (size_t h = 0; h < o->heads; h++) {
        size_t differ = 0;
        for (size_t q = 0; q < o->queries; q++)
            differ += d->row[q * o->heads + h];
        take_line(&d->axis[SAME_QUERIES], differ);
    }
    search_free(context, of_row);
}

void same_free(search_context *context, same_differences *d)
{
    search_free(context, d->row);
    for (size_t k = 0; k < SAME_AXES; k++)
        search_free(context, d->axis[k].unit);
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* The log of the chance that the units that differ lie in one of some sets of m units, of which
 * there are as many as e^tries. */
static double chance(const same_axis *a, double tries, size_t m)
{
    return tries + sets(m, a->differ) - sets(a->count, a->differ);
}

static size_t first_of(const same_axis *a)
{
    size_t i = 0;
    while (!a->unit[i])
        i++;
    return i;
}

static size_t last_of(const same_axis *a)
{
    size_t i = a->count;
    while (!a->unit[i - 1])
        i--;
    return i - 1;
}

/* Each of these fits a set to the units that differ; the log of its chance. */

static double fit_from(const same_axis *a, same_pattern *p)
{
    *p = (same_pattern){SAME_FROM, first_of(a), a->count - 1, 0};
    return chance(a, 0, a->count - p->first);
}

static double fit_up_to(const same_axis *a, same_pattern *p)
{
    *p = (same_pattern){SAME_UP_TO, 0, last_of(a), 0};
    return chance(a, 0, p->last + 1);
}

static double fit_range(const same_axis *a, same_pattern *p)
{
    *p = (same_pattern){SAME_RANGE, first_of(a), last_of(a), 0};
    size_t width = p->last - p->first + 1;
    return chance(a, log((double)(a->count - width + 1)), width);
}

/* The residues of one period in which units differ; 0 if that are all, or the units lie in too few
 * periods. */
static int residues_of(const same_axis *a, size_t period, same_pattern *p, size_t *units)
{
    size_t low = period, high = 0, periods = 0, before = SIZE_MAX;
    for (size_t i = 0; i < a->count; i++) {
        if (!a->unit[i])
            continue;
        low = i % period < low ? i % period : low;
        high = i % period > high ? i % period : high;
        periods += i / period != before;
        before = i / period;
    }
    *p = (same_pattern){SAME_PERIOD, low, high, period};
    *units = 0;
    for (size_t i = 0; i < a->count; i++)
        *units += i % period >= low && i % period <= high;
    return high - low + 1 < period && periods >= PERIODS_LEAST;
}

static double fit_period(const same_axis *a, same_pattern *p)
{
    size_t most = a->count / PERIODS_LEAST < PERIOD_MOST ? a->count / PERIODS_LEAST : PERIOD_MOST;
    double least = INFINITY;
    for (size_t period = 2; period <= most; period++) {
        same_pattern one;
        size_t units;
        if (!residues_of(a, period, &one, &units))
            continue;
        double x = chance(a, log((double)period) + log((double)most), units);
        if (x < least) {
            least = x;
            *p = one;
        }
    }
    return least;
}

/* What the units of an axis may be. Heads and channels have no direction. Of sets that are about as
 * unlikely the first counts. */
static const struct {
    int is_directed;
    double (*fit)(const same_axis *a, same_pattern *p);
} shapes[] = {{1, fit_from}, {1, fit_up_to}, {0, fit_range}, {0, fit_period}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* How many units a set has. */
static size_t size_of(const same_axis *a, const same_pattern *p)
{
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++) {
        size_t at = p->period ? i % p->period : i;
        n += at >= p->first && at <= p->last;
    }
    return n;
}

/* The set that has exactly the units that differ, if these are many; or these units. */
static same_pattern exactly(const same_axis *a)
{
    same_pattern p;
    for (size_t k = 0; k < SHAPES; k++)
        if (a->differ > SAME_LISTED && !shapes[k].is_directed && isfinite(shapes[k].fit(a, &p)) &&
            size_of(a, &p) == a->differ)
            return p;
    return (same_pattern){SAME_SOME, 0, 0, 0};
}

same_pattern same_pattern_of(const same_differences *d, int axis)
{
    const same_axis *a = &d->axis[axis];
    same_pattern best = {SAME_NONE, 0, 0, 0};
    double least = INFINITY;
    if (a->differ == 0 || a->differ == a->count)
        return best;
    for (size_t k = 0; k < SHAPES; k++) {
        same_pattern one;
        if (shapes[k].is_directed && axis != SAME_QUERIES)
            continue;
        double x = shapes[k].fit(a, &one);
        if (x < least - 1) {
            least = x;
            best = one;
        }
    }
    if (least <= chance_most)
        return best;
    if (sets(a->count, a->differ) + a->confined <= chance_most)
        return exactly(a);
    return (same_pattern){SAME_NONE, 0, 0, 0};
}
