/* SPDX-License-Identifier: MIT */
/* silicon.h -- matrix units against results of real ones that others published
 *
 * SOFTFP8_SILICON names a folder with a file for each GPU and kind of product:
 *
 *     # gpu H100  instruction wgmma (QGMMA)  inputs E4M3  result fp32  K 32
 *     a b c d     K codes of a and of b run together, the accumulator and the result as words of
 *                 f32; where the result is f16 the accumulator is rounded to it first
 *
 * A case is such a file, its subject the unit. The unit has to give it
 * word for word, and each of its rivals, the unit but for one thing, has to fail on it: what does
 * not refute them proves nothing. What a file cannot tell apart is not among its rivals: results of
 * f16 do not show one bit of the terms more or less, and sums lowered to f16 products seldom lose
 * anything.
 */
#ifndef SOFTFP8_CONFORM_SILICON_H
#define SOFTFP8_CONFORM_SILICON_H

#include "search/mma/rows.h"
#include "suite/family.h"

typedef struct silicon_set {
    const char *file, *unit, *in, *out;
    const char *rivals; /* "fraction=24 unit=hopper-qgmma" */
} silicon_set;

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

/* Its data is the set. */
extern const conform_family published_family;
/* Reads the file of a case. 0 and why, "FILE:LINE: ...", if it is no such file. That there is no
 * folder, or no such file in it, is for the case to say. */
int silicon_prepare(const conform_case *c, char why[CONFORM_LONG]);
void silicon_run(const conform_job *j);

#endif
