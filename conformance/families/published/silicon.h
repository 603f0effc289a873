/* SPDX-License-Identifier: MIT */
/* silicon.h -- matrix units against results of real hardware that others published
 *
 * SOFTFP8_SILICON names a folder with a file for each GPU and kind of product:
 *
 *     # gpu H100  instruction wgmma (QGMMA)  inputs E4M3  result fp32  K 32
 *     a b c d     K codes of a and of b without separators, the accumulator and the result as f32;
 *                 if the result is f16 the accumulator is rounded to f16 first
 *
 * A case is such a file, and its subject is the unit. The unit must give the results bit for bit.
 * Each of its rivals, which is the unit with one change, must fail on some row: a file that does
 * not refute them proves nothing. Rivals that a file cannot distinguish are not listed: results of
 * f16 do not show one bit more or less in the terms, and sums that are lowered to f16 products
 * seldom lose anything.
 */
#ifndef SOFTFP8_CONFORM_SILICON_H
#define SOFTFP8_CONFORM_SILICON_H

#include "search/mma/rows.h"
#include "suite/family.h"

typedef struct silicon_set {
    const char *file, *unit, *in, *out;
    const char *rivals; /* "fraction=24 unit=hopper-qgmma" */
} silicon_set;

/* The contents of a file. */
typedef struct silicon_rows {
    sf8_mma m;
    size_t k, count;
    mma_result *row;
    char origin[CONFORM_TEXT]; /* its line "# gpu ...", without "# gpu" */
} silicon_rows;

/* Parses the rows of a text, into memory from malloc. Returns 0 and "FILE:LINE: ..." if it is not
 * such a file. */
int silicon_read(silicon_rows *rows, const silicon_set *s, const char *path, const char *text,
                 size_t size, char why[CONFORM_LONG]);

/* Its data is the set. */
extern const conform_family published_family;
/* Reads the file of a case. Returns 0 and the reason, "FILE:LINE: ...", if it is not valid. A
 * missing folder or file is reported by the case. */
int silicon_prepare(const conform_case *c, char why[CONFORM_LONG]);
void silicon_run(const conform_job *j);

#endif
