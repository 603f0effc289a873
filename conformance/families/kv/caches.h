/* SPDX-License-Identifier: MIT */
/* caches.h -- caches of keys and values as cases: this build against known words and answers
 *
 * As chain.h: a case is a table of calls of the library, with what they have to give by the stacks'
 * texts, or by a formula written out here. Nothing of a device is in them; they say whether this
 * build computes and decides as it should, so that what a device is held against is right.
 *
 *     caches_policy.c   which scale is kept, cascades, splits, pools
 *     caches_codes.c    codes, by casts, recipes and readers
 *     caches_scales.c   scales of the recipes, and what they make of their blocks
 *     caches_store.c    where stores put them
 *     caches_attend*.c  attention over them
 *     caches_poison.c   merges, and NaN
 */
#ifndef SOFTFP8_CONFORM_CACHES_H
#define SOFTFP8_CONFORM_CACHES_H

#include "suite/family.h"
#include "softfp8/sha256.h"

/* What a table has done so far: the words that came, and whether they were right. */
typedef struct caches_checks {
    conform_result *result;
    sf8_sha256 hash;
} caches_checks;

void caches_check(caches_checks *c, const char *what, uint64_t got, uint64_t right);

/* A row of n words of f32, the scale and the codes that it has to get. */
typedef struct caches_block {
    const char *recipe;
    uint32_t g;
    size_t n;
    uint32_t x[4];
    uint32_t scale;
    uint8_t code[4];
} caches_block;

void caches_check_blocks(caches_checks *c, const caches_block *rows, size_t count);

/* A subject, as the row of the case has it, and what is done. */
typedef struct caches_table {
    const char *subject;
    void (*run)(caches_checks *c);
} caches_table;

/* The last has no subject. */
extern const caches_table caches_policy[], caches_codes[], caches_scales[], caches_store[],
    caches_attend[], caches_attend_known[], caches_attend_scales[], caches_merge[], caches_poison[];

extern const conform_family caches_family;
/* Runs the table of the case's subject. */
void caches_run(const conform_job *j);

#endif
