/* SPDX-License-Identifier: MIT */
/* score.h -- between the search of readings and their scores */
#ifndef SOFTFP8_DIAGNOSE_LAYOUT_SCORE_H
#define SOFTFP8_DIAGNOSE_LAYOUT_SCORE_H

#include "diagnose/layout/layout.h"

/* Whether the matrix is so large that a sample is less. */
int layout_has_sample(const layout_data *d);
/* Scores each of the list, from all elements or from a sample of a large matrix. 0 if the time was
 * up before its end. */
int layout_score_all(const layout_data *d, layout_found *list, size_t count, int sample);
/* The factor of each reading of the list that has a free one: with it most of a sample is
 * explained, and of several such factors it is the simplest number. 1 if nothing limits it. */
void layout_fit_all(const layout_data *d, layout_found *list, size_t count);
/* Fills in `differ`, `by_first` and `by_this`. */
void layout_compare_all(const layout_data *d, layout_found *list, size_t count);

#endif
