/* SPDX-License-Identifier: MIT */
/* arith_named.c -- arithmetic over arrays: the functions of each narrow format by its name */
#include "softfp8.h"

#define SF8_DEFINE_N(f, op)                                                                        \
    sf8_status sf8_##f##_##op##_n(uint8_t *dst, const uint8_t *a, const uint8_t *b, size_t n,      \
                                  sf8_policy policy)                                               \
    {                                                                                              \
        return sf8_##op##_n(sf8_##f##_format(), dst, a, b, n, policy);                             \
    }
#define SF8_DEFINE_ARRAYS(f, e, m, s, nan, inf, zero, bias)                                        \
    SF8_DEFINE_N(f, add)                                                                           \
    SF8_DEFINE_N(f, sub)                                                                           \
    SF8_DEFINE_N(f, mul)                                                                           \
    SF8_DEFINE_N(f, div)                                                                           \
    SF8_DEFINE_N(f, rem)                                                                           \
    SF8_DEFINE_N(f, minimum)                                                                       \
    SF8_DEFINE_N(f, maximum)                                                                       \
    SF8_DEFINE_N(f, minimum_number)                                                                \
    SF8_DEFINE_N(f, maximum_number)                                                                \
    SF8_DEFINE_N(f, minimum_magnitude)                                                             \
    SF8_DEFINE_N(f, maximum_magnitude)                                                             \
    SF8_DEFINE_N(f, minimum_magnitude_number)                                                      \
    SF8_DEFINE_N(f, maximum_magnitude_number)                                                      \
    sf8_status sf8_##f##_fma_n(uint8_t *dst, const uint8_t *a, const uint8_t *b, const uint8_t *c, \
                               size_t n, sf8_policy policy)                                        \
    {                                                                                              \
        return sf8_fma_n(sf8_##f##_format(), dst, a, b, c, n, policy);                             \
    }                                                                                              \
    sf8_status sf8_##f##_sqrt_n(uint8_t *dst, const uint8_t *a, size_t n, sf8_policy policy)       \
    {                                                                                              \
        return sf8_sqrt_n(sf8_##f##_format(), dst, a, n, policy);                                  \
    }                                                                                              \
    sf8_status sf8_##f##_rint_n(uint8_t *dst, const uint8_t *a, size_t n, sf8_policy policy)       \
    {                                                                                              \
        return sf8_rint_n(sf8_##f##_format(), dst, a, n, policy);                                  \
    }                                                                                              \
    sf8_status sf8_##f##_scalb_n(uint8_t *dst, const uint8_t *a, const int32_t *exponents,         \
                                 size_t n, sf8_policy policy)                                      \
    {                                                                                              \
        return sf8_scalb_n(sf8_##f##_format(), dst, a, exponents, n, policy);                      \
    }
SF8_NARROW_FORMATS(SF8_DEFINE_ARRAYS)
#undef SF8_DEFINE_ARRAYS
#undef SF8_DEFINE_N
