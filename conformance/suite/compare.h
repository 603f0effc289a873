/* SPDX-License-Identifier: MIT */
/* compare.h -- codes that came against the right ones: from a subject at hand, or from tables */
#ifndef SOFTFP8_CONFORM_COMPARE_H
#define SOFTFP8_CONFORM_COMPARE_H

#include "softfp8/sha256.h"
#include "suite/oracle.h"

/* What is compared. */
typedef struct comparison {
    const conform_case *c;
    const oracle *oracle; /* of the row, or another that is tried in its place */
    const inputs *inputs;
    uint64_t begin, end; /* the inputs of the part, by index */
} comparison;

/* The codes that came, of each lane, as rows by index, the first of index 0. */
typedef struct code_tables {
    int lanes;
    const gpu_row *row[GPU_LANES];
    size_t rows[GPU_LANES];
} code_tables;

/* Both fill `result`, which is all 0: inputs, differ, the ranges, the digest, the seconds; the
 * status is passed, failed, or broken with its reason. */
void compare_subject(const comparison *k, const gpu_subject *subject, conform_result *result);
void compare_tables(const comparison *k, const code_tables *tables, conform_result *result);

/* Runs a case against another oracle than its row's: the inputs of the quick tier, or those of the
 * record. The result is raw, as that of conform_run_part. */
void conform_run_against(const conform_case *c, const conform_options *o, const oracle *other,
                         conform_result *result);

/* ---- neighbours ------------------------------------------------------------------------------ */

enum { NEIGHBOURS = 1 << 16 };

/* Words for the places of tuples, in no order. */
void neighbours_fill(const oracle *o, uint64_t *words, size_t count);
/* Whether the code that came for a word in a lane is right. What is not is counted in
 * result->crossed. */
void neighbours_check(const comparison *k, uint64_t word, int lane, uint64_t got,
                      conform_result *result);

/* ---- what both do ---------------------------------------------------------------------------- */

/* A result that grows by differences, in order of the inputs. */
typedef struct differences {
    const comparison *k;
    conform_result *result;
    int open;            /* the last range may go on */
    uint64_t last_index; /* of the input that ended it */
} differences;

/* The inputs from `index` to before `end` differ, all with these codes. */
void differences_add(differences *d, uint64_t index, uint64_t end, uint64_t got, uint64_t right);
/* Whether a code is as good as the right one. */
int is_good(const comparison *k, uint64_t got, uint64_t right);
double seconds_now(void);
/* The result is broken, or was not run, and why; returns 0. */
int set_broken(conform_result *result, const char *what, const char *name);
int set_not_run(conform_result *result, const char *why);

/* A run of the kernel of this name: the digest of what comes begins, and the result is passed so
 * far. `list` has `count` entries of `size` bytes; each begins with its name. NULL where none has
 * this one; then the result is broken. */
const void *begin_run(const char *name, const void *list, size_t count, size_t size,
                      sf8_sha256 *hash, conform_result *result);

#endif
