/* SPDX-License-Identifier: MIT */
/* rerun.h -- a request of attention run again after a change
 *
 * Each result is compared with the library, whose results for such requests are those that
 * lib/tests/attend/test_attend_known.c computes by hand. None of it is in a digest.
 */
#ifndef SOFTFP8_CONFORM_ATTEND_RERUN_H
#define SOFTFP8_CONFORM_ATTEND_RERUN_H

#include "families/attend/device.h"

typedef struct attend_rerun {
    kernel_run *r;
    const char *name, *wrong; /* after an error nothing more is run or compared */
    attend_set set;
    attend_batch b;
} attend_rerun;

/* A subject: what is done with a batch. */
typedef struct attend_word {
    const char *name;
    void (*run)(attend_rerun *w);
    size_t count, keys, queries, kv_heads; /* 0: the default */
    int all;                               /* no causal mask */
} attend_word;

/* The last one has no name. */
extern const attend_word attend_poison_words[], attend_known_words[];

/* ---- runs ------------------------------------------------------------------------------------ */

/* Makes the batch of w->set and frees an earlier one; returns 0 on failure. */
int rerun_begin(attend_rerun *w);
void rerun_end(attend_rerun *w);
/* Runs all requests in this many parts, and compares with the library. */
void rerun_run(attend_rerun *w, size_t splits);

/* ---- caches ---------------------------------------------------------------------------------- */

/* The block and slot of a position of a request. */
typedef struct rerun_place {
    size_t block, slot;
} rerun_place;

const sf8_attend_cache *rerun_side(const attend_rerun *w, int values);
/* Where a token's scales are, in the image or apart; how many a head has. */
uint8_t *rerun_scales(const sf8_attend_cache *c);
size_t rerun_scales_each(const sf8_kv_layout *l);
rerun_place rerun_place_of(const attend_rerun *w, size_t request, size_t position);

#endif
