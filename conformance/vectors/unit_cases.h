/* SPDX-License-Identifier: MIT */
/* unit_cases.h -- a row of a matrix unit, and the rows that are constructed from its parameters */
#ifndef SOFTFP8_CONFORM_UNIT_CASES_H
#define SOFTFP8_CONFORM_UNIT_CASES_H

#include "diagnose/mma/rules.h"

enum { UNIT_K_MOST = 1024 };

/* Room for the operands of a row; x points into it. */
typedef struct unit_row {
    unsigned char a[4 * UNIT_K_MOST], b[4 * UNIT_K_MOST];
    uint8_t scale_a[UNIT_K_MOST], scale_b[UNIT_K_MOST];
    mma_result x;
} unit_row;

/* An empty row of k products: zeros, and scales of 1. */
void unit_row_begin(const sf8_mma *u, size_t k, unit_row *row);

/* The rows of a pool differ in where a small term lies beside the largest one, in the places of the
 * terms, and in what sum they round. Returns 1 with the i-th row; 0 if these formats cannot express
 * it; -1 past the last. */
int unit_pool_row(const sf8_mma *u, size_t i, unit_row *row);

/* Zeros, NaN, infinities, overflow, subnormal numbers, and all kinds of scales. Returns as
 * unit_pool_row; *name is what the row shows. */
int unit_special_row(const sf8_mma *u, size_t i, unit_row *row, const char **name);

#endif
