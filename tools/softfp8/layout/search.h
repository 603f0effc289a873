/* SPDX-License-Identifier: MIT */
/* search.h -- between the search of readings and their scores */
#ifndef SOFTFP8_LAYOUT_SEARCH_H
#define SOFTFP8_LAYOUT_SEARCH_H

#include "layout/layout.h"

/* Scores each of the list, from all elements or from a sample of a large matrix. */
void layout_score_all(const layout_data *d, layout_found *list, size_t count, int sample);
/* Fills in `differ`, `by_first` and `by_this`. */
void layout_compare_all(const layout_data *d, layout_found *list, size_t count);

#endif
