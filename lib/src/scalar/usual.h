/* SPDX-License-Identifier: MIT */
/* usual.h -- policies for which functions of one value are compiled, with fields as constants */
#ifndef SOFTFP8_USUAL_H
#define SOFTFP8_USUAL_H

#include "arrays/array.h"
#include "softfp8.h"

#include <string.h>

static inline uint64_t sf8_usual_word(sf8_policy policy)
{
    uint64_t word;
    memcpy(&word, &policy, sizeof word);
    return word;
}

/* Every bit of every field: there are bits between them, which mean nothing. */
static inline sf8_policy sf8_usual_bits(void)
{
    sf8_policy all;
    memset(&all, 0, sizeof all);
#define SF8_ALL(name, width, values) all.name = (1u << width) - 1;
    SF8_POLICY_FIELDS(SF8_ALL)
#undef SF8_ALL
    return all;
}

/* Returns 1 if all fields of two policies are the same: for a constant, one comparison. */
static inline int sf8_usual_is(sf8_policy a, sf8_policy b)
{
    return ((sf8_usual_word(a) ^ sf8_usual_word(b)) & sf8_usual_word(sf8_usual_bits())) == 0;
}

/* The fields that most policies have alike, as constants, in a policy for which
 * sf8_usual_has(policy). */
static inline sf8_policy sf8_usual(sf8_policy policy)
{
    policy.round = SF8_RNE;
    policy.early = SF8_EARLY_NO;
    policy.flush = SF8_FLUSH_NONE;
    policy.carry = SF8_CARRY_OVERFLOW;
    policy.band = SF8_BAND_OVERFLOW;
    policy.below_normal = SF8_BELOW_ROUND;
    return policy;
}

static inline int sf8_usual_has(sf8_policy policy)
{
    return policy.round == SF8_RNE && !policy.early && !policy.flush && !policy.carry &&
           !policy.band && !policy.below_normal;
}

#endif
