/* SPDX-License-Identifier: MIT */
/* convert.c -- one conversion, compiled for the most frequent formats, roundings and policies
 *
 * Nothing here changes a result. For the usual formats and roundings the core is compiled with them
 * as constants, and is twice as fast; for two policies it is so with all fields.
 */
#undef SF8_CORE_CALLS
#include "softfp8.h"
#include "softfp8/scalar.h"
#include "scalar/constant_policies.h"

static SF8_NOINLINE uint64_t sf8_convert_any(sf8_format to, sf8_format from, uint64_t bits,
                                             sf8_policy policy)
{
    return sf8_convert_sr(to, from, bits, policy, 0).code;
}

static SF8_NOINLINE uint64_t sf8_convert_f32(sf8_format to, uint64_t bits, sf8_policy policy)
{
    return sf8_core_convert(to, SF8_F32, bits, sf8_usual(policy), 0).code;
}

uint64_t sf8_convert(sf8_format to, sf8_format from, uint64_t bits, sf8_policy policy)
{
    if (!sf8_same_format(from, SF8_F32))
        return sf8_convert_any(to, from, bits, policy);
#define SF8_CASE(format)                                                                           \
    if (sf8_same_format(to, format)) {                                                             \
        if (sf8_same_policy(policy, SF8_OCP))                                                         \
            return sf8_core_convert(format, SF8_F32, bits, SF8_OCP, 0).code;                       \
        if (sf8_same_policy(policy, SF8_OCP_NOSAT))                                                   \
            return sf8_core_convert(format, SF8_F32, bits, SF8_OCP_NOSAT, 0).code;                 \
        if (sf8_usual_has(policy))                                                                 \
            return sf8_core_convert(format, SF8_F32, bits, sf8_usual(policy), 0).code;             \
    }
    SF8_CASE(SF8_E4M3)
    SF8_CASE(SF8_E5M2)
#undef SF8_CASE
    if (!sf8_usual_has(policy) || !sf8_format_valid(to))
        return sf8_convert_any(to, from, bits, policy);
    if (sf8_same_format(to, SF8_E2M1))
        return sf8_core_convert(SF8_E2M1, SF8_F32, bits, sf8_usual(policy), 0).code;
    return sf8_convert_f32(to, bits, policy);
}
