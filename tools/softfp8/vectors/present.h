/* SPDX-License-Identifier: MIT */
/* present.h -- which of the cases that `gen` writes a file has */
#ifndef SOFTFP8_VECTORS_PRESENT_H
#define SOFTFP8_VECTORS_PRESENT_H

#include "conform/cases.h"
#include "vectors/hash_set.h"

/* A whole table has a bit for each case. Of a chosen set, the first rows of the file are compared
 * with the sequence itself. A set of their operands is kept only of the rows behind the first that
 * differs: a file in gen's order costs no memory. */
typedef struct present {
    cases *cases; /* not its own; nothing else may take cases from it meanwhile */
    unsigned char *seen;
    uint64_t distinct; /* bits in `seen` */
    uint64_t in_order; /* the first rows that are gen's first cases */
    uint64_t others;   /* the rows behind them */
    hash_set other;    /* their operands */
    int too_many;      /* of these: the file is no part of gen's cases */
} present;

present present_open(cases *c);
/* A row of the file. */
void present_row(present *p, const uint64_t *operands);
/* How many of gen's cases were there; to be asked once, behind the last row. Of a chosen set 0 if
 * not even half of the file's rows are among them: then it has cases of its own. */
uint64_t present_count(present *p);
/* The operands of the first case of a whole table that is missing. One has to be. */
void present_first_missing(const present *p, uint64_t operands[4]);
void present_close(present *p);

#endif
