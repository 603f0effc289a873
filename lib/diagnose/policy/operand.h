/* SPDX-License-Identifier: MIT */
/* operand.h -- an input on its way through a model, on which mistakes act */
#ifndef SOFTFP8_DIAGNOSE_POLICY_OPERAND_H
#define SOFTFP8_DIAGNOSE_POLICY_OPERAND_H

#include "diagnose/policy/identify.h"

/* A finite value as odd * 2^exponent; its leading one is 2^top. Zero has sig 0. */
typedef struct operand_value {
    uint64_t sig;
    int32_t exponent, top;
    uint32_t sign;
} operand_value;

typedef struct identify_operand {
    const identify_seen *seen;
    sf8_format from, to;
    uint64_t word, code;
    sf8_policy policy;
    uint32_t sign;
    operand_value value; /* of a word that is finite */
} identify_operand;

operand_value operand_value_of(sf8_format from, uint64_t word);
/* Below the smallest normal number; below the smallest number; halfway between two neighbours. */
int operand_is_tiny(operand_value v, sf8_format to);
int operand_is_below_least(operand_value v, sf8_format to);
int operand_is_tie(operand_value v, sf8_format to);
/* Above the largest number; with `or_equal` that number, too. */
int operand_is_over(sf8_format from, sf8_format to, uint64_t word, int or_equal);

/* What the policy gives for another word than the operand's. */
uint64_t operand_convert(const identify_operand *x, uint64_t word);
/* A magnitude of the source, with the operand's sign. */
uint64_t operand_with_sign(const identify_operand *x, uint64_t magnitude);
/* The magnitude that a rounding gives, as if the exponent field of the target were wider. */
uint64_t operand_wide_magnitude(const identify_operand *x, unsigned round);
/* The same with an exponent field so wide that nothing is subnormal: its format, and the code. */
sf8_format operand_free_format(sf8_format to);
uint64_t operand_free_code(const identify_operand *x, unsigned round);

#endif
