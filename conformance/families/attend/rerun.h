/* SPDX-License-Identifier: MIT */
/* rerun.h -- a request of attention run again after a change
 *
 * Each result is compared with the library, and with the saved result of another run or a result
 * that was computed by hand. None of it is in a digest.
 */
#ifndef SOFTFP8_CONFORM_ATTEND_RERUN_H
#define SOFTFP8_CONFORM_ATTEND_RERUN_H

#include "families/attend/device.h"

typedef struct attend_rerun {
    kernel_run *r;
    const char *name, *wrong; /* after an error nothing more is run or compared */
    attend_set set;
    attend_batch b;
    uint8_t *kept;
    uint32_t *kept_lse;
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
void rerun_keep(attend_rerun *w);

/* Where the rows of a query begin; an f32 of the results. */
size_t rerun_row(const attend_rerun *w, size_t request, size_t query);
uint32_t rerun_word(const attend_rerun *w, size_t row, size_t c);
int rerun_is_same(const attend_rerun *w, size_t row, size_t kept);
/* Rows `first` to last - 1 must equal the saved ones, beginning with row `kept`. */
void rerun_same(attend_rerun *w, size_t first, size_t last, size_t kept);
/* In these rows, `channels` channels must be NaN: from the first on, or if it is one, that of
 * element 7. */
void rerun_nans(attend_rerun *w, size_t first, size_t last, size_t channels);
void rerun_differs(attend_rerun *w, const char *what, size_t row);

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
/* Fills a row of each head with this byte: all of it and its scales; or element 7 and the first
 * scale, and with 4 bits only that scale. */
void rerun_fill(const attend_rerun *w, int values, rerun_place p, int byte, int whole);

#endif
