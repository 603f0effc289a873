/* SPDX-License-Identifier: MIT */
/* matrix.h -- tables of conversions: a row is an input, a column an implementation
 *
 * A column says which policy models the implementation, with which rounding mode where it is not
 * the policy's own, and through which format the implementation goes where it converts in two
 * steps: through f32 and f64 to nearest, through f16 toward zero.
 */
#ifndef SF8_TEST_MATRIX_H
#define SF8_TEST_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#define NONE (-1)
#define MATRIX_COLUMNS 20

typedef struct column {
    const char *policy;
    const char *to;
    const char *round; /* NULL: the policy's own */
    const char *via;   /* NULL: in one step */
    const char *source;
} column;

typedef struct row {
    const char *note;
    uint64_t in;
    int16_t cells[MATRIX_COLUMNS]; /* flags * 256 + code, or NONE */
} row;

typedef struct matrix {
    const char *title;
    const char *from;
    int32_t has_flags; /* else the flags are not known, and the cells are codes */
    size_t n_columns;
    const column *columns;
    size_t n_rows;
    const row *rows;
} matrix;

#ifndef COUNT
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#endif

/* A matrix of the arrays name_columns and name_rows. */
#define MATRIX(name, title, from, flags)                                                           \
    static const matrix name = {title,          from,                                              \
                                flags,          COUNT(name##_columns),                             \
                                name##_columns, COUNT(name##_rows),                                \
                                name##_rows}

#endif
