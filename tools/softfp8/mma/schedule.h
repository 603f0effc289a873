/* SPDX-License-Identifier: MIT */
/* schedule.h -- softfp8 mma --schedule: sums over a long K as kernels put them together */
#ifndef SOFTFP8_CLI_MMA_SCHEDULE_H
#define SOFTFP8_CLI_MMA_SCHEDULE_H

#include "mma/mma.h"

/* A schedule by name, or fail with the nearest. */
const sf8_mma_schedule_row *mma_schedule_named(const char *name);
/* "promote=4", "splits=2", "scales=product-first": 1 if `name` is one of these; fails for an
 * invalid value. */
int mma_schedule_set(mma_row *row, const char *name, const char *value);
/* The schedule of the row, known to the reader of its lines: how many codes have a scale. */
void mma_schedule_begin(mma_row *row, const sf8_mma_schedule_row *s);
/* The sum of the row by it; 0 if its K does not fit, *expected what would. */
int mma_schedule_sum(mma_row *row, const char **expected);

/* The schedules, for --list. */
void mma_schedule_list(void);
/* The vectors that tell schedules apart, with the word of each: --probe-gemm. */
void mma_schedule_probe(output *out, const mma_row *row);
/* Which schedules give the words that came, best first; the exit status. */
int mma_schedule_identify(output *out, const mma_row *row, const mma_list_of_rows *list);

#endif
