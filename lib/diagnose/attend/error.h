/* SPDX-License-Identifier: MIT */
/* error.h -- how far an output of attention may be from the true one, by how it was summed
 *
 * With a the largest sum of the magnitudes of a score's terms, n the keys that take part, s the sum
 * of weight times |value| of a channel, d the elements of a key:
 *
 *     score     f32 d 2^-24 a;  bf16 units ceil(d / 16) (2^-23 + 2^-24) a;  FP8 units of 13 bits
 *               ceil(d / 32) 2^-12 a
 *     weight    twice that and 2^-21 and n 2^-24, and of its format 2^-8 of bf16, 2^-4 of e4m3
 *               with 2^-18 besides
 *     output    weight s, and for its sum n 2^-24 s; of units that keep 13 bits, in one
 *               accumulator ceil(n / 32) 2^-13 s; and half of its own last place
 */
#ifndef SOFTFP8_DIAGNOSE_ATTEND_ERROR_H
#define SOFTFP8_DIAGNOSE_ATTEND_ERROR_H

#include <stddef.h>

#include "softfp8.h"

typedef struct attend_error_bound {
    const char *word, *name;
    double step, of; /* elements of a score to one rounding, and that */
    double weight, least;
    double sum, sum_of; /* keys to one rounding of the output, and that */
    double operand;     /* of query and key, for the log of the sums */
} attend_error_bound;

enum { ATTEND_ERROR_BOUNDS = 6 };
extern const attend_error_bound attend_error_bounds[ATTEND_ERROR_BOUNDS];

/* The bound of that word, or NULL. */
const attend_error_bound *attend_error_bound_named(const char *word);

/* Of a row: what is above, and a channel's s and its true output. */
typedef struct attend_error_row {
    double most, spread, out;
    size_t keys, dim;
} attend_error_row;

/* How far a score of the row may be from the true one. */
double attend_error_score(const attend_error_bound *b, const attend_error_row *row);
/* And the output, in a format. */
double attend_error_out(const attend_error_bound *b, const attend_error_row *row, sf8_format out);

#endif
