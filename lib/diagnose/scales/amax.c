/* SPDX-License-Identifier: MIT */
/* amax.c -- largest magnitudes of other elements than those of a block */
#include "diagnose/scales/scales.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t scales_blocks(const scales_grid *g)
{
    return (g->rows + g->high - 1) / g->high * g->across;
}

scales_amax scales_amax_room(diagnosis_run *run, const scales_grid *g)
{
    size_t count = scales_blocks(g);
    return (scales_amax){search_allocate(&run->context, count, sizeof(uint32_t)),
                         search_allocate(&run->context, count, sizeof(uint32_t))};
}

static uint32_t most_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* ---- parts of a block ------------------------------------------------------------------------ */

enum { WHOLE, FIRST_HALF, LAST_HALF, EVEN, ODD, FIRST_QUARTER, SIGNED, PARTS };

static int has(int part, size_t i, size_t n)
{
    switch (part) {
    case FIRST_HALF:
        return 2 * i < n;
    case LAST_HALF:
        return 2 * i >= n;
    case EVEN:
    case ODD:
        return i % 2 == (part == ODD);
    case FIRST_QUARTER:
        return 4 * i < n;
    default:
        return 1;
    }
}

static void take(const scales_grid *g, int part, const scales_amax *of)
{
    size_t count = scales_blocks(g);
    memset(of->least, 0, count * sizeof *of->least);
    memset(of->most, 0, count * sizeof *of->most);
    for (size_t row = 0; row < g->rows; row++)
        for (size_t column = 0; column < g->columns; column++) {
            size_t at = row / g->high * g->across + column / g->wide;
            size_t first = column / g->wide * g->wide;
            size_t n = g->columns - first < g->wide ? g->columns - first : g->wide;
            double v[2];
            if (!has(part, column - first, n))
                continue;
            g->value(g->user, row * g->columns + column, v);
            if (isnan(v[0]) || isnan(v[1]))
                continue; /* the amax of the others counts, where a recipe ignores NaN */
            double least = v[0] <= 0 && v[1] >= 0 ? 0 : fmin(fabs(v[0]), fabs(v[1]));
            double most = fmax(fabs(v[0]), fabs(v[1]));
            if (part == SIGNED) {
                least = fmax(v[0], 0);
                most = fmax(v[1], 0);
            }
            of->least[at] = most_of(of->least[at], sf8_f32_bits((float)least));
            of->most[at] = most_of(of->most[at], sf8_f32_bits((float)most));
        }
}

void scales_amax_of(const scales_grid *g, const scales_amax *of)
{
    take(g, WHOLE, of);
}

/* ---- statistics of a block ------------------------------------------------------------------- */

enum { MEAN, ROOT_MEAN_SQUARE, QUANTILE_999, QUANTILE_99, STATISTICS };

static const char *const statistics[STATISTICS] = {
    [MEAN] = "the scale is that of the mean magnitude, not of the largest",
    [ROOT_MEAN_SQUARE] = "the scale is that of the root mean square, not of the largest magnitude",
    [QUANTILE_999] = "the scale is that of the 99.9 % quantile of magnitudes, not of the largest",
    [QUANTILE_99] = "the scale is that of the 99 % quantile of magnitudes, not of the largest"};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Quantiles between two elements are interpolated, as NumPy and PyTorch do it. */
static double statistic(int which, double *v, size_t n)
{
    double sum = 0, at = (which == QUANTILE_99 ? 0.99 : 0.999) * (double)(n - 1);
    size_t below = (size_t)at;
    if (which == QUANTILE_99 || which == QUANTILE_999) {
        qsort(v, n, sizeof *v, compare);
        return below + 1 < n ? v[below] + (at - (double)below) * (v[below + 1] - v[below])
                             : v[below];
    }
    for (size_t i = 0; i < n; i++)
        sum += which == MEAN ? v[i] : v[i] * v[i];
    return which == MEAN ? sum / (double)n : sqrt(sum / (double)n);
}

/* The magnitudes of a block that are numbers; their least and their greatest. */
static size_t magnitudes(const scales_grid *g, size_t at, double *least, double *most)
{
    size_t row = at / g->across * g->high, column = at % g->across * g->wide, n = 0;
    for (size_t i = row; i < row + g->high && i < g->rows; i++)
        for (size_t j = column; j < column + g->wide && j < g->columns; j++) {
            double v[2];
            g->value(g->user, i * g->columns + j, v);
            if (isnan(v[0]) || isnan(v[1]))
                continue;
            least[n] = v[0] <= 0 && v[1] >= 0 ? 0 : fmin(fabs(v[0]), fabs(v[1]));
            most[n++] = fmax(fabs(v[0]), fabs(v[1]));
        }
    return n;
}

const char *scales_statistic_at(diagnosis_run *run, const scales_grid *g, size_t i,
                                const scales_amax *other)
{
    size_t count = scales_blocks(g), size = g->high * g->wide;
    if (i >= STATISTICS)
        return NULL;
    double *least = search_allocate(&run->context, size, sizeof *least),
           *most = search_allocate(&run->context, size, sizeof *most);
    for (size_t at = 0; at < count; at++) {
        size_t n = magnitudes(g, at, least, most);
        double slack = sqrt((double)n) * 0x1p-22; /* of a sum in f32, in any order */
        double low = n ? statistic((int)i, least, n) : 0, high = n ? statistic((int)i, most, n) : 0;
        other->least[at] = sf8_f32_bits((float)(low * (1 - slack)));
        other->most[at] = sf8_f32_bits((float)(high * (1 + slack)));
    }
    search_free(&run->context, least);
    search_free(&run->context, most);
    return statistics[i];
}

/* ---- more blocks, and others ----------------------------------------------------------------- */

/* Over groups of blocks: `down` in a column of blocks, `along` in a row. */
static void merge(const scales_grid *g, size_t down, size_t along, const scales_amax *of,
                  const scales_amax *other)
{
    size_t count = scales_blocks(g), lines = count / g->across;
    for (size_t i = 0; i < count; i++) {
        size_t row = i / g->across / down * down, column = i % g->across / along * along;
        other->least[i] = other->most[i] = 0;
        for (size_t r = row; r < row + down && r < lines; r++)
            for (size_t c = column; c < column + along && c < g->across; c++) {
                size_t k = r * g->across + c;
                other->least[i] = most_of(other->least[i], of->least[k]);
                other->most[i] = most_of(other->most[i], of->most[k]);
            }
    }
}

/* That of the block `by` places before, or behind; in a row, or in a column. */
static void shift(const scales_grid *g, int by, int is_row, const scales_amax *of,
                  const scales_amax *other)
{
    size_t count = scales_blocks(g), lines = count / g->across;
    for (size_t i = 0; i < count; i++) {
        size_t place = is_row ? i / g->across : i % g->across, n = is_row ? lines : g->across;
        size_t step = is_row ? g->across : 1;
        int is_known = by > 0 ? place > 0 : place + 1 < n;
        other->least[i] = is_known ? of->least[by > 0 ? i - step : i + step] : 1;
        other->most[i] = is_known ? of->most[by > 0 ? i - step : i + step] : 0;
    }
}

/* ---- the list -------------------------------------------------------------------------------- */

static const char *const parts[PARTS] = {
    [WHOLE] = "",
    [FIRST_HALF] = "amax is taken over the first half of the elements of a block",
    [LAST_HALF] = "amax is taken over the last half of the elements of a block",
    [EVEN] = "amax is taken over each second element, from the first on",
    [ODD] = "amax is taken over each second element, from the second on",
    [FIRST_QUARTER] = "amax is taken over the first quarter of the elements of a block",
    [SIGNED] = "amax is the largest element, not the largest magnitude"};

static const struct {
    int is_row, by;
    const char *words;
} shifts[] = {{0, 1, "each block has the scale of the one before it: they are stale"},
              {0, -1, "each block has the scale of the one behind it: they are stale"},
              {1, 1, "each row of blocks has the scales of the one before it: they are stale"},
              {1, -1, "each row of blocks has the scales of the one behind it: they are stale"}};

enum { SHIFTS = sizeof shifts / sizeof shifts[0], MERGES = 12 };

static const char *merged(diagnosis_run *run, const scales_grid *g, size_t i, const scales_amax *of,
                          const scales_amax *other)
{
    size_t lines = scales_blocks(g) / g->across, k = (size_t)2 << i % (MERGES / 2);
    int is_row = i < MERGES / 2;
    size_t n = is_row ? g->across : lines;
    const char *unit = is_row ? "blocks of a row" : "rows of blocks";
    if (k / 2 >= n)
        return "";
    if (k >= n || i % (MERGES / 2) == MERGES / 2 - 1) {
        merge(g, is_row ? 1 : lines, is_row ? g->across : 1, of, other);
        return diagnosis_text(run, "amax is taken over all %s", unit);
    }
    merge(g, is_row ? 1 : k, is_row ? k : 1, of, other);
    return diagnosis_text(run, "amax is taken over %zu %s", k, unit);
}

const char *scales_amax_at(diagnosis_run *run, const scales_grid *g, size_t i,
                           const scales_amax *of, scales_amax *other)
{
    size_t lines = scales_blocks(g) / g->across;
    if (i + 1 < PARTS) {
        size_t part = i + 1;
        size_t n = g->columns < g->wide ? g->columns : g->wide;
        if (n < (part == FIRST_QUARTER ? 4u : 2u))
            return "";
        take(g, (int)part, other);
        return parts[part];
    }
    i -= PARTS - 1;
    if (i < MERGES)
        return merged(run, g, i, of, other);
    i -= MERGES;
    if (i == 0) {
        merge(g, lines, g->across, of, other);
        return lines > 1 && g->across > 1 ? "amax is that of the whole tensor" : "";
    }
    if (--i >= SHIFTS)
        return NULL;
    if ((shifts[i].is_row ? lines : g->across) < 3)
        return "";
    shift(g, shifts[i].by, shifts[i].is_row, of, other);
    return shifts[i].words;
}
