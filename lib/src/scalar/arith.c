/* SPDX-License-Identifier: MIT */
/* arith.c -- arithmetic on two or three codes, compiled for e4m3
 *
 * Nothing here changes a result, as in convert.c.
 */
#undef SF8_CORE_CALLS
#include "softfp8.h"
#include "softfp8/scalar.h"
#include "scalar/constant_policies.h"

#define SF8_DEFINE(any, op)                                                                        \
    static SF8_NOINLINE sf8_result sf8_##op##_e4m3(uint64_t a, uint64_t b, sf8_policy policy)      \
    {                                                                                              \
        return sf8_core_##op(SF8_E4M3, a, b, sf8_usual(policy), 0);                                \
    }                                                                                              \
    sf8_result sf8_##op(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy)                   \
    {                                                                                              \
        if (!sf8_same_format(f, SF8_E4M3))                                                         \
            return sf8_##op##_sr(f, a, b, policy, 0);                                              \
        if (sf8_same_policy(policy, SF8_OCP))                                                         \
            return sf8_core_##op(SF8_E4M3, a, b, SF8_OCP, 0);                                      \
        if (sf8_usual_has(policy))                                                                 \
            return sf8_##op##_e4m3(a, b, policy);                                                  \
        return sf8_##op##_sr(f, a, b, policy, 0);                                                  \
    }
SF8_BINARY_ARITHMETIC(SF8_DEFINE, any)
#undef SF8_DEFINE

sf8_result sf8_fma(sf8_format f, uint64_t a, uint64_t b, uint64_t c, sf8_policy policy)
{
    if (sf8_same_format(f, SF8_E4M3) && sf8_same_policy(policy, SF8_OCP))
        return sf8_core_fma(SF8_E4M3, a, b, c, SF8_OCP, 0);
    if (sf8_same_format(f, SF8_E4M3) && sf8_usual_has(policy))
        return sf8_core_fma(SF8_E4M3, a, b, c, sf8_usual(policy), 0);
    return sf8_fma_sr(f, a, b, c, policy, 0);
}
