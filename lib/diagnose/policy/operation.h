/* SPDX-License-Identifier: MIT */
/* operation.h -- which policy an operation follows, by its results */
#ifndef SOFTFP8_DIAGNOSE_OPERATION_H
#define SOFTFP8_DIAGNOSE_OPERATION_H

#include "softfp8_vectors.h"

typedef struct operation_row {
    uint64_t operand[3], code, line;
    uint32_t flags;
} operation_row;

typedef struct operation_rule {
    const char *policy_name, *field; /* field: one that was changed, or NULL */
    sf8_policy policy;               /* with the rounding and the change */
    const char *through;             /* computed in this format first, and rounded again; or NULL */
    sf8_word wide;                   /* that format */
    size_t codes, flags;             /* rows whose code, and whose flags too, it gives */
} operation_rule;

enum { OPERATION_RULES = 16 };

typedef struct operation_findings {
    size_t rows, found, tried;
    operation_rule rule[OPERATION_RULES]; /* the best first */
} operation_findings;

/* What a rule gives. */
sf8_result operation_result(const sf8_function *function, const operation_rule *rule,
                            const uint64_t *operand, int exact);
/* Tries the policies for the function's format with each rounding; if none gives all codes, the
 * best of them with the operation computed in a wider format first, and with one field changed.
 * Without `has_flags` flags count as given. */
void operation_search(operation_findings *f, const sf8_function *function, int exact,
                      const operation_row *rows, size_t count, int has_flags);

#endif
