/* SPDX-License-Identifier: MIT */
/* self.h -- KV caches as cases: this build against known results
 *
 * As in chain.h, a case is a table of calls of the library with the results that the stacks'
 * sources, or a formula written out here, require. They do not involve a device. They show that
 * this build computes and decides as it should, so that the expected results for a device are
 * right.
 *
 *     policy.c   which scale is kept, cascades, splits, pools
 *     codes.c    codes, by casts, recipes and readers
 *     scales.c   scales of the recipes, and what they make of their blocks
 *     store.c    where stores put them
 *     attend*.c  attention over them
 *     poison.c   merges, and NaN
 */
#ifndef SOFTFP8_CONFORM_SELF_H
#define SOFTFP8_CONFORM_SELF_H

#include "suite/family.h"
#include "softfp8/sha256.h"

/* The state of a table: the results so far, and whether they were right. */
typedef struct self_checks {
    conform_result *result;
    sf8_sha256 hash;
} self_checks;

void self_check(self_checks *c, const char *what, uint64_t got, uint64_t right);

/* A row of n f32, with the expected scale and codes. */
typedef struct self_block {
    const char *recipe;
    uint32_t g;
    size_t n;
    uint32_t x[4];
    uint32_t scale;
    uint8_t code[4];
} self_block;

void self_check_blocks(self_checks *c, const self_block *rows, size_t count);

/* A subject, as named in the row of the case, and its function. */
typedef struct self_table {
    const char *subject;
    void (*run)(self_checks *c);
} self_table;

/* The last one has no subject. */
extern const self_table self_policy[], self_codes[], self_scales[], self_store[], self_attend[],
    self_attend_known[], self_attend_scales[], self_merge[], self_poison[];

extern const conform_family self_family;
void self_run(const conform_job *j);
/* Runs the table of the case's subject, which is in one of these lists. */
void self_run_among(const conform_job *j, const self_table *const lists[], size_t count);

#endif
