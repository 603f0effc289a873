/* SPDX-License-Identifier: MIT */
/* convert.c -- one conversion, compiled for the most frequent formats and roundings
 *
 * Nothing here changes a result. For the usual formats and roundings the core is compiled with them
 * as constants, and is twice as fast.
 */
#undef SF8_CORE_CALLS
#include "softfp8.h"
#include "softfp8/scalar.h"

#include <string.h>

static inline int sf8_is_same(sf8_format a, sf8_format b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static SF8_NOINLINE uint64_t sf8_convert_any(sf8_format to, sf8_format from, uint64_t bits,
                                             sf8_policy policy)
{
    return sf8_convert_sr(to, from, bits, policy, 0).code;
}

static SF8_NOINLINE uint64_t sf8_convert_f32(sf8_format to, uint64_t bits, sf8_policy policy)
{
    policy.round = SF8_RNE;
    policy.early = 0;
    policy.flush = SF8_FLUSH_NONE;
    return sf8_core_convert(to, SF8_F32, bits, policy, 0).code;
}

uint64_t sf8_convert(sf8_format to, sf8_format from, uint64_t bits, sf8_policy policy)
{
    if (policy.round != SF8_RNE || policy.early || policy.flush || !sf8_is_same(from, SF8_F32))
        return sf8_convert_any(to, from, bits, policy);
    policy.round = SF8_RNE;
    policy.early = 0;
    policy.flush = SF8_FLUSH_NONE;
    if (sf8_is_same(to, SF8_E4M3))
        return sf8_core_convert(SF8_E4M3, SF8_F32, bits, policy, 0).code;
    if (sf8_is_same(to, SF8_E5M2))
        return sf8_core_convert(SF8_E5M2, SF8_F32, bits, policy, 0).code;
    if (sf8_is_same(to, SF8_E2M1))
        return sf8_core_convert(SF8_E2M1, SF8_F32, bits, policy, 0).code;
    return sf8_format_valid(to) ? sf8_convert_f32(to, bits, policy)
                                : sf8_convert_any(to, from, bits, policy);
}
