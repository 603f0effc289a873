/* SPDX-License-Identifier: MIT */
/* smt.h -- definitions of functions in SMT-LIB 2, for solvers that have no sort for small formats
 *
 * A definition is a text in the logic QF_BV. It is made of the rows of the formats and the fields
 * of the policy, not of a table of results: unpack, the exact result, one rounding.
 * vectors/README.md describes the text.
 */
#ifndef SOFTFP8_CONFORM_VECTORS_SMT_H
#define SOFTFP8_CONFORM_VECTORS_SMT_H

#include "softfp8_vectors.h"

/* Receives the text, piece by piece. */
typedef void (*smt_put)(void *context, const char *text, size_t size);

/* What is written: a conversion between formats, or add, sub or mul. `policy_text` says the policy
 * in a comment. */
typedef struct smt_function {
    const sf8_function *function;
    sf8_policy policy;
    const char *policy_text;
} smt_function;

/* NULL, or why there is no definition of this function: what was expected. */
const char *smt_expects(const smt_function *s);
/* Writes the definition of a function that smt_expects accepts. */
void smt_write(const smt_function *s, smt_put put, void *context);

#endif
