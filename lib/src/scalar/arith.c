/* SPDX-License-Identifier: MIT */
/* arith.c -- arithmetic on two or three codes, compiled for e4m3
 *
 * Nothing here changes a result, as in convert.c.
 */
#undef SF8_CORE_CALLS
#include "softfp8.h"
#include "softfp8/scalar.h"

#include <string.h>

/* The usual fields, which become constants, in a policy that has them. */
static inline int sf8_is_usual(sf8_format f, sf8_policy policy)
{
    sf8_format e4m3 = SF8_E4M3;
    return policy.round == SF8_RNE && !policy.early && !policy.flush &&
           memcmp(&f, &e4m3, sizeof f) == 0;
}

static inline sf8_policy sf8_usual(sf8_policy policy)
{
    policy.round = SF8_RNE;
    policy.early = 0;
    policy.flush = SF8_FLUSH_NONE;
    return policy;
}

#define SF8_DEFINE(any, op)                                                                        \
    sf8_result sf8_##op(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy)                   \
    {                                                                                              \
        return sf8_is_usual(f, policy) ? sf8_core_##op(SF8_E4M3, a, b, sf8_usual(policy), 0)       \
                                       : sf8_##op##_sr(f, a, b, policy, 0);                        \
    }
SF8_BINARY_ARITHMETIC(SF8_DEFINE, any)
#undef SF8_DEFINE

sf8_result sf8_fma(sf8_format f, uint64_t a, uint64_t b, uint64_t c, sf8_policy policy)
{
    return sf8_is_usual(f, policy) ? sf8_core_fma(SF8_E4M3, a, b, c, sf8_usual(policy), 0)
                                   : sf8_fma_sr(f, a, b, c, policy, 0);
}
