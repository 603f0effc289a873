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

#include "diagnose/mma/rows.h"
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
    unsigned char *codes;      /* what the rows' inputs point to */
    char origin[CONFORM_TEXT]; /* its line "# gpu ...", without "# gpu" */
} silicon_rows;

/* A text and where it is from: its first line has the number `line` + 1 in the file. */
typedef struct silicon_text {
    const char *path, *text;
    size_t size;
    uint64_t line;
} silicon_text;

/* Parses the rows of a text, into memory from malloc. Returns 0 and "FILE:LINE: ..." if it is not
 * such a file. */
int silicon_read(silicon_rows *rows, const silicon_set *s, const silicon_text *text,
                 char why[CONFORM_LONG]);
void silicon_free(silicon_rows *rows);
/* The set of this name, "h100-bf16-fp32", or NULL. */
const silicon_set *silicon_set_named(const char *file);
/* Returns the number of rows on which a rival of the set fails, or SIZE_MAX if there is no such
 * rival. If `fails` is not NULL, fails[i] becomes 1 where it fails on row i, else 0. */
size_t silicon_rival(const silicon_set *s, const silicon_rows *rows, const char *rival,
                     unsigned char *fails);
/* The next of the set's rivals, which *at points to and is moved behind; 0 at the end. */
int silicon_next_rival(const char **at, char rival[48]);
/* Compares the unit and its rivals with the rows. */
void silicon_judge(const silicon_set *s, const silicon_rows *rows, conform_result *result);

/* Its data is the set. */
extern const conform_family silicon_family;
/* Reads the file of a case. Returns 0 and the reason, "FILE:LINE: ...", if it is not valid. A
 * missing folder or file is reported by the case. */
int silicon_prepare(const conform_case *c, char why[CONFORM_LONG]);
void silicon_run(const conform_job *j);

#endif
