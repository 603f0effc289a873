/* SPDX-License-Identifier: MIT */
/* testfloat.h -- what `gen` and `ver` share: TestFloat's options and its way to write a case */
#ifndef SOFTFP8_TESTFLOAT_H
#define SOFTFP8_TESTFLOAT_H

#include "vectors/vectors.h"

typedef struct testfloat {
    policy_choice choice;
    const char *name; /* of the function */
    int exact;
    int level;
    int critical;
    uint64_t seed;
    vector_form form;
    int columns;
    const char *path; /* -o for gen, the input for ver */
} testfloat;

testfloat testfloat_defaults(void);
/* The options of TestFloat, and with these all that gen and ver share: a testfloat. */
extern const cli_option testfloat_own_options[], testfloat_options[];
/* The function by its name, or the end with the nearest name. */
sf8_function testfloat_function(const char *name);
/* Fails if the policy's `via` was chosen, and the function is no conversion: only these have it. */
void testfloat_check_via(const sf8_function *function, sf8_policy policy, const char *base);
/* The policy for it; the name of its base to *base. */
sf8_policy testfloat_policy(const testfloat *t, const sf8_function *function, const char **base);

/* "e4m3_add, rounding near_even, tininess after rounding, policy ocp": what the reports call it. */
void testfloat_title(const testfloat *t, const sf8_function *f, sf8_policy policy, const char *base,
                     char *text, size_t size);
/* "+0F.3FF": sign, exponent field, fraction; integers, truth values as hexadecimal. */
char *testfloat_word(char *at, const sf8_word *word, uint64_t value);
/* "v...x" */
char *testfloat_flags(char *at, uint32_t flags);

#endif
