/* SPDX-License-Identifier: MIT */
/* failure.h -- results that differ from what was expected: which, why, and how that is said
 *
 *     compare.c   which codes differ
 *     codes.c     what can be seen in the codes alone
 *     why.c       what the implementation did instead
 *     message.c   the text of the failure
 */
#ifndef SOFTFP8_DIAGNOSE_FAILURE_H
#define SOFTFP8_DIAGNOSE_FAILURE_H

#include "diagnose/policy/expected.h"
#include "softfp8_test.h"

enum { FAILURE_TEXT = 2048, FAILURE_MESSAGE = 1 << 14, FAILURE_RANGES = 64 };

/* A failure with its texts, in one block of memory. */
typedef struct failure_report {
    sf8_failure f;
    char message[FAILURE_MESSAGE], expected[FAILURE_TEXT];
    char matches[FAILURE_TEXT], mistake[FAILURE_TEXT], seen[FAILURE_TEXT], nearest[FAILURE_TEXT];
    sf8_failure_range ranges[FAILURE_RANGES];
} failure_report;

typedef struct failure_case {
    search_context context;
    const sf8_test *test;
    size_t count;
    uint64_t *got, *want, *in[3];
    int operands;
    uint8_t *differ;
    size_t wrong;
    size_t *order;             /* of one operand: the elements by their input, then by their code */
    char asked[EXPECTED_TEXT]; /* the policy that was asked for */
    sf8_policy rules;          /* the policy that gives `want`, and */
    const char *expected;      /* its name and fields; NULL: none does */
    failure_report *report;
} failure_case;

/* A text that grows in an array of `size` bytes. */
void failure_add(char *text, size_t size, const char *format, ...)
#if defined __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/* A number with a comma between thousands. */
const char *failure_number(uint64_t n, char text[32]);
/* A code in hexadecimal; its value; and both. */
const char *failure_hex(sf8_format f, uint64_t code, char text[32]);
const char *failure_value(sf8_format f, uint64_t code, char text[SF8_TEXT_SIZE]);
void failure_add_both(char *text, size_t size, sf8_format f, uint64_t code);

/* What can be seen in the codes: a mistake, or with 0 in `seen` alone. */
int failure_in_order(const failure_case *c);
int failure_in_codes(const failure_case *c);
/* Fills in what the implementation did instead. */
void failure_explain(failure_case *c);
/* Writes what was expected, and the whole message. */
void failure_say_expected(failure_case *c);
void failure_write(failure_case *c);

#endif
