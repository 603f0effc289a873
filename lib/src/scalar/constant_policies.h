/* SPDX-License-Identifier: MIT */
/* constant_policies.h -- policies for which functions of one value are compiled, with fields as
 * constants */
#ifndef SF8_CONSTANT_POLICIES_H
#define SF8_CONSTANT_POLICIES_H

#include "scalar/private.h"

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
