/* SPDX-License-Identifier: MIT */
/* arithmetic.h -- the arithmetic of arrays beside that of single values */
#ifndef SF8_TEST_ARRAYS_ARITHMETIC_H
#define SF8_TEST_ARRAYS_ARITHMETIC_H

#include "arrays/level.h"

typedef sf8_status (*array_fn)(sf8_format, void *, const void *, const void *, size_t, sf8_policy);
typedef sf8_result (*scalar_fn)(sf8_format, uint64_t, uint64_t, sf8_policy);

typedef struct operation {
    const char *name;
    array_fn array;
    scalar_fn scalar;
} operation;

#define OPERATION(any, op) {#op, sf8_##op##_n, sf8_##op},
#define OPERATION_EXTREMUM(any, op, greater, magnitude, number) OPERATION(any, op)
static const operation operations[] = {SF8_BINARY_ARITHMETIC(OPERATION, any)
                                           SF8_EXTREMA(OPERATION_EXTREMUM, any)};

#endif
