/* SPDX-License-Identifier: MIT */
/** @file
 * mixed.h -- operations whose operands and result may have different formats: rows and types
 *
 * IEEE P3109 defines all of its operations in this way. Its scaled operations also multiply each
 * operand by a scale, exactly. An operation is a row of one of two lists. exact.h computes both.
 */
#ifndef SOFTFP8_MIXED_H
#define SOFTFP8_MIXED_H

#include "softfp8/number/format.h"

/** The numbers of which a row of SF8_MIXED_SUMS is made: nothing, the operands, 1 and -1. */
enum { SF8_OF_NONE, SF8_OF_A, SF8_OF_B, SF8_OF_C, SF8_OF_ONE, SF8_OF_MINUS };

/** The operations that compute (p q + r s + t u) / d, or the square root of that:
 * X(name, operands, p, q, r, s, t, u, d, root). */
#define SF8_MIXED_SUMS(X)                                                                          \
    X(add, 2, A, ONE, B, ONE, NONE, NONE, ONE, 0)                                                  \
    X(sub, 2, A, ONE, B, MINUS, NONE, NONE, ONE, 0)                                                \
    X(mul, 2, A, B, NONE, NONE, NONE, NONE, ONE, 0)                                                \
    X(div, 2, A, ONE, NONE, NONE, NONE, NONE, B, 0)                                                \
    X(fma, 3, A, B, C, ONE, NONE, NONE, ONE, 0)                                                    \
    X(faa, 3, A, ONE, B, ONE, C, ONE, ONE, 0)                                                      \
    X(recip, 1, ONE, ONE, NONE, NONE, NONE, NONE, A, 0)                                            \
    X(sqrt, 1, A, ONE, NONE, NONE, NONE, NONE, ONE, 1)                                             \
    X(rsqrt, 1, ONE, ONE, NONE, NONE, NONE, NONE, A, 1)                                            \
    X(hypot, 2, A, A, B, B, NONE, NONE, ONE, 1)

/** The operations that return an operand, perhaps with another sign: X(name, operands, greater,
 * magnitude, prefers). The last three matter for minima and maxima. `greater` is 1 for a maximum,
 * `magnitude` 1 if magnitudes are compared first. `prefers` is 1 if a number is preferred to a NaN,
 * and 2 if finite numbers are also preferred to infinities. */
#define SF8_MIXED_CHOICES(X)                                                                       \
    X(convert, 1, 0, 0, 0)                                                                         \
    X(abs, 1, 0, 0, 0)                                                                             \
    X(negate, 1, 0, 0, 0)                                                                          \
    X(copy_sign, 2, 0, 0, 0)                                                                       \
    X(clamp, 3, 0, 0, 0)                                                                           \
    X(minimum, 2, 0, 0, 0)                                                                         \
    X(maximum, 2, 1, 0, 0)                                                                         \
    X(minimum_number, 2, 0, 0, 1)                                                                  \
    X(maximum_number, 2, 1, 0, 1)                                                                  \
    X(minimum_magnitude, 2, 0, 1, 0)                                                               \
    X(maximum_magnitude, 2, 1, 1, 0)                                                               \
    X(minimum_magnitude_number, 2, 0, 1, 1)                                                        \
    X(maximum_magnitude_number, 2, 1, 1, 1)                                                        \
    X(minimum_finite, 2, 0, 0, 2)                                                                  \
    X(maximum_finite, 2, 1, 0, 2)

#define SF8_MIXED_SUM(name, operands, p, q, r, s, t, u, d, root) SF8_MIXED_##name,
#define SF8_MIXED_CHOICE(name, operands, greater, magnitude, prefers) SF8_MIXED_##name,
/** An operation: SF8_MIXED_add, ... */
typedef enum sf8_mixed_op {
    SF8_MIXED_SUMS(SF8_MIXED_SUM) SF8_MIXED_CHOICES(SF8_MIXED_CHOICE) SF8_MIXED_COUNT
} sf8_mixed_op;
#undef SF8_MIXED_SUM
#undef SF8_MIXED_CHOICE

/** An operand: the number of a code, times the scale. A scale_format of all zeros means that there
 * is no scale. */
typedef struct sf8_operand {
    sf8_format format, scale_format;
    uint64_t code, scale;
} sf8_operand;

/** Elements with one scale: an array of codes, as sf8_convert_n takes it. A scale_format of all
 * zeros means that there is no scale. */
typedef struct sf8_scaled_codes {
    sf8_format format, scale_format;
    const void *codes;
    uint64_t scale;
} sf8_scaled_codes;

#endif
