/* SPDX-License-Identifier: MIT */
/* compare.h -- compares results with the right codes: of a subject, or from tables */
#ifndef SOFTFP8_CONFORM_COMPARE_H
#define SOFTFP8_CONFORM_COMPARE_H

#include "softfp8/sha256.h"
#include "suite/oracle.h"

/* What is compared. */
typedef struct comparison {
    const conform_case *c;
    const oracle *oracle; /* the oracle of the row, or another one that is tried in its place */
    const inputs *inputs;
    uint64_t begin, end; /* the inputs of the part, by index */
} comparison;

/* The returned codes of each lane, as rows by index; the first one has index 0. */
typedef struct code_tables {
    int lanes;
    const gpu_row *row[GPU_LANES];
    size_t rows[GPU_LANES];
} code_tables;

/* Both fill `result`, which must be all 0: inputs, differences, the ranges, the digest, the
 * seconds. The status becomes passed, failed, or broken with its reason. */
void compare_subject(const comparison *k, const gpu_subject *subject, conform_result *result);
void compare_tables(const comparison *k, const code_tables *tables, conform_result *result);

/* Runs a case with another oracle than its row's, on the inputs of the quick tier or those of the
 * record. The result is raw, like that of conform_run_part. */
void conform_run_against(const conform_case *c, const conform_options *o, const oracle *other,
                         conform_result *result);

/* ---- neighbours ------------------------------------------------------------------------------ */

enum { NEIGHBOURS = 1 << 16 };

/* The elements of tuples, in any order. */
void neighbours_fill(const oracle *o, uint64_t *words, size_t count);
/* Returns 1 if the code returned for an input in a lane is right. Wrong ones are counted in
 * result->crossed. */
void neighbours_check(const comparison *k, uint64_t word, int lane, uint64_t got,
                      conform_result *result);

/* ---- what both do ---------------------------------------------------------------------------- */

/* A result that collects differences in the order of the inputs. */
typedef struct differences {
    const comparison *k;
    conform_result *result;
    int open;            /* the last range may continue */
    uint64_t last_index; /* of the input that ended it */
} differences;

/* Adds the inputs from `index` to end - 1, which all differ with these codes. */
void differences_add(differences *d, uint64_t index, uint64_t end, uint64_t got, uint64_t right);
/* Returns 1 if a code counts as equal to the right one. */
int is_good(const comparison *k, uint64_t got, uint64_t right);
double seconds_now(void);
/* Makes the result broken or not run, with the reason; returns 0. */
int set_broken(conform_result *result, const char *what, const char *name);
int set_not_run(conform_result *result, const char *why);

#endif
