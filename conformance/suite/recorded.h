/* SPDX-License-Identifier: MIT */
/* recorded.h -- what a record says about a case, and what a family needs to judge it */
#ifndef SOFTFP8_CONFORM_RECORDED_H
#define SOFTFP8_CONFORM_RECORDED_H

#include "suite/compare.h"
#include "suite/family.h"

/* What a record says about one of its cases; conform_case points to it. */
typedef struct record_case {
    const char *origin; /* "NVIDIA H200, driver 580.95.05, CUDA 13.0, 2026-11-21" */
    const char *sass;   /* or NULL: not reported */
    const char *group;  /* of the sources of its kernel then */
    const char *stale;  /* why it proves nothing about the present source, or NULL */
    int emulated;       /* recorded on a processor: a set of inputs is accepted in place of all
                           inputs */
    int whole;          /* every value was an input; else the set with `list_digest` */
    uint64_t inputs;
    const char *list_digest;
    const char *digest; /* of the results, see digest.h */
    const conform_speed *speed;
    size_t speeds;
    code_tables tables; /* their `index` is the input word: record_index() makes it one */
} record_case;

/* Of a replay that has its digest and inputs, "rows": whether they are the record's; if not the
 * result says so. */
int record_agrees(const conform_job *j, const char *what);
/* The tables by index, for these inputs, from malloc, in one piece that *tables points into.
 * Returns NULL, and the reason, if they are not the inputs of the record. */
void *record_index(const record_case *r, const inputs *in, code_tables *tables,
                   char why[CONFORM_TEXT]);

#endif
