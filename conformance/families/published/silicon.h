/* SPDX-License-Identifier: MIT */
/* silicon.h -- matrix units against results of real ones that others published
 *
 * SOFTFP8_SILICON names a folder with a file for each GPU and kind of product:
 *
 *     # gpu H100  instruction wgmma (QGMMA)  inputs E4M3  result fp32  K 32
 *     a b c d     K codes of a and of b run together, the accumulator and the result as words of
 *                 f32; where the result is f16 the accumulator is rounded to it first
 *
 * A case of the domain DOMAIN_ROWS is such a file, its subject the unit. The unit has to give it
 * word for word, and each of its rivals, the unit but for one thing, has to fail on it: what does
 * not refute them proves nothing. What a file cannot tell apart is not among its rivals: results of
 * f16 do not show one bit of the terms more or less, and sums lowered to f16 products seldom lose
 * anything.
 */
#ifndef SOFTFP8_CONFORM_SILICON_H
#define SOFTFP8_CONFORM_SILICON_H

#include "suite/conform.h"
#include "search/mma/rows.h"

typedef struct silicon_set {
    const char *file, *unit, *in, *out;
    const char *rivals; /* "fraction=24 unit=hopper-qgmma" */
} silicon_set;

/* The set of a case, or NULL. */
const silicon_set *silicon_set_of(const conform_case *c);

/* What a file has. */
typedef struct silicon_rows {
    sf8_mma m;
    size_t k, count;
    mma_result *row;
    char origin[CONFORM_TEXT]; /* its line "# gpu ..." without that */
} silicon_rows;

/* The rows of a text, from malloc; 0 and "FILE:LINE: ..." if it is not such a file. */
int silicon_read(silicon_rows *rows, const silicon_set *s, const char *path, const char *text,
                 size_t size, char why[CONFORM_LONG]);

/* Reads the files of the cases that are chosen: before conform_run. 0 and why, "FILE:LINE: ...", if
 * one of them is none. That there is no folder, or no such file in it, is for the cases to say. */
int silicon_load(const conform_options *o, char why[CONFORM_LONG]);

/* Runs a case. */
void silicon_run(const conform_case *c, conform_result *result);

#endif
