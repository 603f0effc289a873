/* SPDX-License-Identifier: MIT */
/* steps.h -- the drawings of an oracle's staircase: the code by the input, and what differs
 *
 * steps.c chooses the part that is drawn, steps_json.c writes it; the page draws it. The inputs of
 * one sign are magnitudes from 0 to the largest finite one. The axis is logarithmic by powers of
 * two and linear between them, as the words are.
 */
#ifndef SOFTFP8_CONFORM_REPORT_STEPS_H
#define SOFTFP8_CONFORM_REPORT_STEPS_H

#include "base/json_writer.h"
#include "report/parts.h"

/* Whether there is a drawing: the operand has more than 8 bits, the result at most 32. */
int has_steps(const report_case *k);
/* "panels": the drawings of the case, an object each, see json.c. */
void put_panels(json_writer *j, const report_case *k);

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

/* Fills the panels of a case; returns how many there are. */
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
