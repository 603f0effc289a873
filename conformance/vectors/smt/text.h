/* SPDX-License-Identifier: MIT */
/* text.h -- the pieces of a text in SMT-LIB: definitions, nested lets, constants
 *
 *   text.c   these pieces
 *   smt.c    the parts of a definition: codes, specials, conversions, operations
 *   round.c  the rounding of an exact number
 */
#ifndef SOFTFP8_CONFORM_VECTORS_SMT_TEXT_H
#define SOFTFP8_CONFORM_VECTORS_SMT_TEXT_H

#include "vectors/smt/smt.h"

enum { SMT_EXPONENT = 16 }; /* bits of an exponent */

typedef struct smt_text {
    smt_put put;
    void *context;
    int open; /* lets that are not closed */
} smt_text;

#if defined(__GNUC__)
#define SMT_PRINTF(at) __attribute__((format(printf, at, at + 1)))
#else
#define SMT_PRINTF(at)
#endif

/* Writes text as it is. */
void smt_print(smt_text *t, const char *format, ...) SMT_PRINTF(2);
/* Begins a definition: "(define-fun NAME (ARGUMENTS) SORT". */
void smt_define(smt_text *t, const char *name, const char *part, const char *arguments, int bits);
/* "(let ((name VALUE))" */
void smt_let(smt_text *t, const char *name, const char *format, ...) SMT_PRINTF(3);
/* The value of a definition; closes it. */
void smt_result(smt_text *t, const char *format, ...) SMT_PRINTF(2);

enum { SMT_CONSTANT = 32 };

/* "(_ bv7 16)": the low `bits` bits of a value, at most 64 of them. */
const char *smt_constant(char text[SMT_CONSTANT], int64_t value, int bits);
/* A result, flags before code, of one constant; and one for each value of a bit `sign`. */
const char *smt_both(char text[SMT_CONSTANT], sf8_format to, sf8_result r);

/* Defines NAME.round: from sign (1 bit), exponent (SMT_EXPONENT) and significand (`width` bits) to
 * flags (5 bits) and code. */
void smt_define_round(smt_text *t, const char *name, sf8_format to, sf8_policy policy, int width);

#endif
