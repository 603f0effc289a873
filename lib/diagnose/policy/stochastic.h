/* SPDX-License-Identifier: MIT */
/* stochastic.h -- which rule of stochastic rounding made these codes, where the random numbers are
 * known
 */
#ifndef SOFTFP8_DIAGNOSE_STOCHASTIC_H
#define SOFTFP8_DIAGNOSE_STOCHASTIC_H

#include "softfp8.h"

/* An input, the random number of that conversion, and the code that came. */
typedef struct stochastic_row {
    uint64_t input, code, line;
    uint32_t random;
} stochastic_row;

/* How the bits that count are taken from a random number of `width` bits. */
typedef enum stochastic_bits { SR_LOW, SR_HIGH, SR_LOW_INVERTED, SR_HIGH_INVERTED } stochastic_bits;

typedef struct stochastic_rule {
    const char *policy_name;
    sf8_policy policy; /* with the rounding, sr_rule and sr_bits */
    stochastic_bits bits;
    size_t explained; /* rows */
} stochastic_rule;

/* All rules that explain all rows are kept; of others the best. */
enum { STOCHASTIC_BEST = 8, STOCHASTIC_RULES = 512 };

typedef struct stochastic_findings {
    size_t rows, found, tried;
    stochastic_rule rule[STOCHASTIC_RULES]; /* the best; those with the fewest bits first */
    int is_fixed;                           /* a rounding without random numbers explains all */
    stochastic_rule fixed;
} stochastic_findings;

/* What a rule gives for a row. */
uint64_t stochastic_code(sf8_format to, sf8_format from, const stochastic_rule *rule, int width,
                         const stochastic_row *row);
/* Tries each rule with 1 bit to `width` bits, by the policies for the conversion. */
void stochastic_search(stochastic_findings *f, sf8_format to, sf8_format from, int width,
                       const stochastic_row *rows, size_t count);

#endif
