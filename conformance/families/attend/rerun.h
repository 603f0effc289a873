/* SPDX-License-Identifier: MIT */
/* rerun.h -- a request of attention run again with something changed
 *
 * What comes is held against the library each time, and against what was kept of another run, or
 * what can be worked out. None of it is in a digest.
 */
#ifndef SOFTFP8_CONFORM_ATTEND_RERUN_H
#define SOFTFP8_CONFORM_ATTEND_RERUN_H

#include "families/attend/device.h"

typedef struct attend_rerun {
    attend_trial *r;
    const char *name, *wrong; /* once something went wrong nothing is run or compared */
    attend_set set;
    attend_batch b;
    uint8_t *kept;
    uint32_t *kept_lse;
} attend_rerun;

/* A word: what is done with a batch that has been made. */
typedef struct attend_word {
    const char *name;
    void (*run)(attend_rerun *w);
    size_t count, keys, queries, kv_heads; /* 0: the usual */
    int all;                               /* no causal mask */
} attend_word;

/* The last has no name. */
extern const attend_word attend_poison_words[], attend_known_words[];

/* ---- runs ------------------------------------------------------------------------------------ */

/* The batch of w->set is made, an earlier one given back; 0 if it could not be. */
int rerun_begin(attend_rerun *w);
void rerun_end(attend_rerun *w);
/* All requests in so many parts, against the library. */
void rerun_run(attend_rerun *w, size_t splits);
void rerun_keep(attend_rerun *w);

/* Where the rows of a query begin; a word of f32 that came. */
size_t rerun_row(const attend_rerun *w, size_t request, size_t query);
uint32_t rerun_word(const attend_rerun *w, size_t row, size_t c);
int rerun_is_same(const attend_rerun *w, size_t row, size_t kept);
/* Rows `first` to `last` - 1 have to be what was kept, of the rows from `kept` on. */
void rerun_same(attend_rerun *w, size_t first, size_t last, size_t kept);
/* Of the rows so many channels have to be NaN, from the first on or, of one, that of element 7. */
void rerun_nans(attend_rerun *w, size_t first, size_t last, size_t channels);
void rerun_differs(attend_rerun *w, const char *what, size_t row);

/* ---- caches ---------------------------------------------------------------------------------- */

/* The place of a position of a request. */
typedef struct rerun_place {
    size_t block, slot;
} rerun_place;

const sf8_attend_cache *rerun_side(const attend_rerun *w, int values);
/* Where a token's scales are, in the image or apart; how many a head has. */
uint8_t *rerun_scales(const sf8_attend_cache *c);
size_t rerun_scales_each(const sf8_kv_layout *l);
rerun_place rerun_place_of(const attend_rerun *w, size_t request, size_t position);
/* A row of each head gets these bytes: all of it and its scales, or element 7 and the first scale,
 * and of 4 bits this alone. */
void rerun_fill(const attend_rerun *w, int values, rerun_place p, int byte, int whole);

#endif
