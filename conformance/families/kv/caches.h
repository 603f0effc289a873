/* SPDX-License-Identifier: MIT */
/* caches.h -- KV caches as cases: this build against known results
 *
 * As in chain.h, a case is a table of calls of the library with the results that the stacks'
 * sources, or a formula written out here, require. They do not involve a device. They show that
 * this build computes and decides as it should, so that the expected results for a device are
 * right.
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

/* The state of a table: the results so far, and whether they were right. */
typedef struct caches_checks {
    conform_result *result;
    sf8_sha256 hash;
} caches_checks;

void caches_check(caches_checks *c, const char *what, uint64_t got, uint64_t right);

/* A row of n f32, with the expected scale and codes. */
typedef struct caches_block {
    const char *recipe;
    uint32_t g;
    size_t n;
    uint32_t x[4];
    uint32_t scale;
    uint8_t code[4];
} caches_block;

void caches_check_blocks(caches_checks *c, const caches_block *rows, size_t count);

/* A subject, as named in the row of the case, and its function. */
typedef struct caches_table {
    const char *subject;
    void (*run)(caches_checks *c);
} caches_table;

/* The last one has no subject. */
extern const caches_table caches_policy[], caches_codes[], caches_scales[], caches_store[],
    caches_attend[], caches_attend_known[], caches_attend_scales[], caches_merge[], caches_poison[];

extern const conform_family caches_family;
void caches_run(const conform_job *j);
/* Runs the table of the case's subject, which is in one of these lists. */
void caches_run_among(const conform_job *j, const caches_table *const lists[], size_t count);

#endif
