/* SPDX-License-Identifier: MIT */
/* schedules.h -- words of sums over a long K: the schedules that give them */
#ifndef SOFTFP8_DIAGNOSE_MMA_SCHEDULES_H
#define SOFTFP8_DIAGNOSE_MMA_SCHEDULES_H

#include "diagnose/mma/rows.h"
#include "diagnose/search.h"

/* Where a schedule's scales are applied, by their names. */
enum { MMA_SCALINGS = 3 };
extern const char *const mma_scalings[MMA_SCALINGS];

/* Rows with the words that came; with scales a word for each stretch of each row. */
typedef struct mma_scheduled_rows {
    const mma_result *row;
    const uint32_t *const *words_a, *const *words_b;
    size_t count;
} mma_scheduled_rows;

/* A schedule, perhaps of another unit: "unit=ada-qmma promote=4 splits=1". */
typedef struct mma_schedule_trial {
    char name[64];
    const char *other; /* the unit, if it is another one */
    sf8_mma_schedule schedule;
    size_t explained, changes; /* rows; from what was asked about */
    int known;                 /* a kernel is known to use it */
} mma_schedule_trial;

enum { MMA_SCHEDULES = 1024 };
typedef struct mma_schedules {
    size_t explained; /* rows, by the schedule that was asked about */
    /* best first, then with the fewest changes, then those that are known */
    mma_schedule_trial trial[MMA_SCHEDULES];
    size_t count;
} mma_schedules;

/* The i-th row that has this schedule, from *at on, which is moved behind it; or NULL. */
const sf8_mma_schedule_row *mma_schedule_known(const char *unit, const sf8_mma_schedule *s,
                                               size_t *at);

/* Tries the schedules of a unit and of all others for such operands; *found is all 0. */
void mma_schedules_try(search_context *context, mma_schedules *found, const char *unit,
                       const sf8_mma *m, const sf8_mma_schedule *asked,
                       const mma_scheduled_rows *rows);

#endif
