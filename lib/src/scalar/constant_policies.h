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
    policy.overflow_test = SF8_OVERFLOW_TEST_ROUNDED;
    policy.flush = SF8_FLUSH_NONE;
    policy.round_past_max = SF8_ROUND_PAST_MAX_OVERFLOW;
    policy.beyond_max = SF8_BEYOND_MAX_OVERFLOW;
    policy.below_normal = SF8_BELOW_ROUND;
    return policy;
}

static inline int sf8_usual_has(sf8_policy policy)
{
    return policy.round == SF8_RNE && !policy.overflow_test && !policy.flush &&
           !policy.round_past_max && !policy.beyond_max && !policy.below_normal;
}

#endif
