/* SPDX-License-Identifier: MIT */
/* stores.h -- other ways to store keys and values than the one that a request has
 *
 * A kernel may keep them in 16 bits, or store them in another format or with another scale. Each
 * way is a row: a recipe and the rule for its scale. What it gives is computed from the tensor as
 * it was before it was stored.
 */
#ifndef SOFTFP8_DIAGNOSE_ATTEND_STORES_H
#define SOFTFP8_DIAGNOSE_ATTEND_STORES_H

#include "diagnose/attend/attend.h"

/* `name` has the names of the mistake with keys, values, and both; `text` says how they are stored.
 * A rare way comes with no other mistake. */
typedef struct attend_store {
    const char *name[3], *text, *recipe;
    int scale, is_rare;
} attend_store;

enum { ATTEND_STORES = 16 }; /* at least as many as there are */

/* The i-th way, from 1 on; NULL past the last. */
const attend_store *attend_store_at(size_t i);
/* Marks the ways that give other numbers than a side has, and than another way does. */
void attend_stores_of(const attend_problem *r, const attend_kept *side, char has[ATTEND_STORES]);
/* A head of keys or values: `dim` of each key, `step` apart. */
typedef struct attend_head {
    const float *values;
    size_t step;
} attend_head;
/* A head as the i-th way gives it; 0: as it is. It lies in one piece, which is read much faster
 * than one that lies between others. Valid until another one is asked for. */
attend_head attend_head_of(const attend_problem *r, const attend_kept *side, size_t i, size_t kv);
attend_kept_otherwise *attend_stores_new(const attend_problem *r);
void attend_stores_free(const attend_problem *r);

#endif
