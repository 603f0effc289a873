/* SPDX-License-Identifier: MIT */
/* matrix.h -- the cells of docs/matrix/matrix.json: which package follows which policy */
#ifndef SOFTFP8_TESTS_EVIDENCE_MATRIX_H
#define SOFTFP8_TESTS_EVIDENCE_MATRIX_H

#include <stddef.h>
#include <stdint.h>

enum { MATRIX_NAME = 32, MATRIX_POLICY = 96, MATRIX_CELLS = 8192 };

/* One conversion of one version of a package, in modes that have the same result. */
typedef struct matrix_cell {
    char package[MATRIX_NAME], version[MATRIX_NAME];
    char device[MATRIX_POLICY]; /* the GPU that converted; "": the CPU */
    char from[MATRIX_NAME], to[MATRIX_NAME], status[MATRIX_NAME];
    char operation[MATRIX_NAME];                        /* "": a conversion */
    char policy[MATRIX_POLICY], claimed[MATRIX_POLICY]; /* or recipe; "" if the cell has none */
    uint64_t inputs;
    int all;
} matrix_cell;

typedef struct matrix {
    matrix_cell cell[MATRIX_CELLS];
    size_t count;
    char month[8]; /* "2026-11" */
} matrix;

/* Reads the file. Returns NULL, or what is wrong with it. */
const char *matrix_read(matrix *m, const char *path);
/* Whether a cell belongs to this policy or recipe: the package gives its codes, or differs from
 * them in a known way. A rounding mode may be added to the policy's name. */
int matrix_cell_follows(const matrix_cell *cell, const char *policy);
/* Whether any version of a package was run. */
int matrix_has(const matrix *m, const char *package, size_t length);

/* Whether two cells are of the same version of a package, and ran on the same device. */
int matrix_same_run(const matrix_cell *a, const matrix_cell *b);

/* The item of evidence that a policy has from the cells of the same run as this one:
 * "verified: torch 2.15.0, 8 conversions, all inputs, 2026-11". After the version it names the GPU,
 * as in "torch 2.11.0 on NVIDIA H100 80GB HBM3". Returns 0 if no conversion of that run follows the
 * policy. */
int matrix_item(const matrix *m, const char *policy, const matrix_cell *run, char *text,
                size_t size);

#endif
