/* SPDX-License-Identifier: MIT */
/* html_stairs.h -- the pieces of a staircase that are drawn: found in one file, drawn in the
 * other
 *
 * Inputs of one sign are magnitudes from 0 to the largest finite one. The axis is logarithmic by
 * powers of two, and linear between two of them, as the words are.
 */
#ifndef SOFTFP8_CONFORM_REPORT_HTML_STAIRS_H
#define SOFTFP8_CONFORM_REPORT_HTML_STAIRS_H

#include "report/html.h"

enum { STAIRS_RUNS = 16, STAIRS_ROWS = 32, STAIRS_PANELS = 3 };

typedef struct axis {
    const oracle *o;
    const sf8_word *source, *target;
    int negative;
    uint64_t top; /* the largest finite magnitude */
} axis;

/* Magnitudes from `first` to `last` that give one code. */
typedef struct run {
    uint64_t first, last, code;
} run;

typedef struct panel {
    axis a;
    const char *title;
    run runs[STAIRS_RUNS];
    int count;
    double lo, hi; /* places of the edges */
    int specials;  /* columns for infinity and NaN */
    uint64_t special[2];
    uint64_t row[STAIRS_ROWS]; /* the codes, from the bottom, in order of magnitude, NaN last */
    int rows;
} panel;

/* The panels of a case: how many there are. */
int panels_of(panel panels[STAIRS_PANELS], const report_case *k);

uint64_t axis_word(const axis *a, uint64_t magnitude);
uint64_t axis_code(const axis *a, uint64_t magnitude);
/* The binary logarithm, linear between powers of two. */
double axis_place(const axis *a, uint64_t magnitude);
/* The finite part of a range that has the axis's sign; 0 if there is none. The input it begins with
 * is *first, or *last for negative integers, whose words go the other way. */
int axis_range(const axis *a, const conform_range *range, uint64_t *first, uint64_t *last);

/* Whether some of the inputs between two places are in the panel. What lies in the run from zero or
 * in that to the largest input is, at the edge. */
int panel_shows(const panel *p, double from, double to);
/* Rows are bounded: what came in further ranges has none. */
int panel_has_row(const panel *p, uint64_t code);

#endif
