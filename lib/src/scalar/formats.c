/* SPDX-License-Identifier: MIT */
/* formats.c -- the functions of each narrow format
 *
 * Conversions and the arithmetic that kernels do are compiled for the format, without flags: its row
 * folds into them. The rest hands the row to the functions for any format.
 */
#include "softfp8.h"
#include "softfp8/scalar.h"

/* From bits: the policy is what the caller gives, the formats are constants. */
#define SF8_DEFINE_FROM_BITS(tag, type, wide, f)                                                   \
    uint8_t sf8_##tag##_to_##f(type x, sf8_policy policy)                                          \
    {                                                                                              \
        return (uint8_t)sf8_core_convert(sf8_##f##_format(), sf8_##wide##_format(), x, policy, 0)  \
            .code;                                                                                 \
    }                                                                                              \
    sf8_result sf8_##tag##_to_##f##_flags(type x, sf8_policy policy)                               \
    {                                                                                              \
        return sf8_convert_flags(sf8_##f##_format(), sf8_##wide##_format(), x, policy);            \
    }                                                                                              \
    uint8_t sf8_##tag##_to_##f##_sr(type x, sf8_policy policy, uint32_t random)                    \
    {                                                                                              \
        return (uint8_t)sf8_convert_sr(sf8_##f##_format(), sf8_##wide##_format(), x, policy,       \
                                       random)                                                     \
            .code;                                                                                 \
    }

#define SF8_DEFINE_FROM_VALUE(tag, type, f)                                                        \
    uint8_t sf8_##tag##_to_##f(type x, sf8_policy policy)                                          \
    {                                                                                              \
        return sf8_##tag##bits_to_##f(sf8_##tag##_bits(x), policy);                                \
    }                                                                                              \
    sf8_result sf8_##tag##_to_##f##_flags(type x, sf8_policy policy)                               \
    {                                                                                              \
        return sf8_##tag##bits_to_##f##_flags(sf8_##tag##_bits(x), policy);                        \
    }                                                                                              \
    uint8_t sf8_##tag##_to_##f##_sr(type x, sf8_policy policy, uint32_t random)                    \
    {                                                                                              \
        return sf8_##tag##bits_to_##f##_sr(sf8_##tag##_bits(x), policy, random);                   \
    }

/* Infinity stays infinity, as nothing has been asked for that would replace it. */
#define SF8_DEFINE_TO_BITS(tag, type, wide, f)                                                     \
    type sf8_##f##_to_##tag(uint8_t a)                                                             \
    {                                                                                              \
        return (type)sf8_core_convert(sf8_##wide##_format(), sf8_##f##_format(), a, SF8_OCP_NOSAT, \
                                      0)                                                           \
            .code;                                                                                 \
    }

#define SF8_DEFINE_TO_VALUE(tag, type, f)                                                          \
    type sf8_##f##_to_##tag(uint8_t a)                                                             \
    {                                                                                              \
        return sf8_##tag##_from_bits(sf8_##f##_to_##tag##bits(a));                                 \
    }

#define SF8_DEFINE_INTEGER(tag, type, width, is_signed, kind, f)                                   \
    uint8_t sf8_##tag##_to_##f(type x, sf8_policy policy)                                          \
    {                                                                                              \
        return (uint8_t)sf8_from_##kind(sf8_##f##_format(), x, policy).code;                       \
    }                                                                                              \
    type sf8_##f##_to_##tag(uint8_t a, sf8_policy policy)                                          \
    {                                                                                              \
        return (type)sf8_to_integer(sf8_##f##_format(), a, width, is_signed, policy, 0).code;      \
    }

/* Arithmetic compiled for the format, and with the row handed over. */
#define SF8_DEFINE_FOLDED_2(f, op)                                                                 \
    uint8_t sf8_##f##_##op(uint8_t a, uint8_t b, sf8_policy policy)                                \
    {                                                                                              \
        return (uint8_t)sf8_core_##op(sf8_##f##_format(), a, b, policy, 0).code;                   \
    }                                                                                              \
    sf8_result sf8_##f##_##op##_flags(uint8_t a, uint8_t b, sf8_policy policy)                     \
    {                                                                                              \
        return sf8_##op(sf8_##f##_format(), a, b, policy);                                         \
    }

#define SF8_DEFINE_2(f, op)                                                                        \
    uint8_t sf8_##f##_##op(uint8_t a, uint8_t b, sf8_policy policy)                                \
    {                                                                                              \
        return (uint8_t)sf8_##op(sf8_##f##_format(), a, b, policy).code;                           \
    }                                                                                              \
    sf8_result sf8_##f##_##op##_flags(uint8_t a, uint8_t b, sf8_policy policy)                     \
    {                                                                                              \
        return sf8_##op(sf8_##f##_format(), a, b, policy);                                         \
    }

#define SF8_DEFINE_1(f, op)                                                                        \
    uint8_t sf8_##f##_##op(uint8_t a, sf8_policy policy)                                           \
    {                                                                                              \
        return (uint8_t)sf8_##op(sf8_##f##_format(), a, policy).code;                              \
    }                                                                                              \
    sf8_result sf8_##f##_##op##_flags(uint8_t a, sf8_policy policy)                                \
    {                                                                                              \
        return sf8_##op(sf8_##f##_format(), a, policy);                                            \
    }

#define SF8_DEFINE_CONVERSIONS(f)                                                                  \
    SF8_DEFINE_FROM_BITS(f16, uint16_t, f16, f)                                                    \
    SF8_DEFINE_FROM_BITS(bf16, uint16_t, bf16, f)                                                  \
    SF8_DEFINE_FROM_BITS(tf32, uint32_t, tf32, f)                                                  \
    SF8_DEFINE_FROM_BITS(f32bits, uint32_t, f32, f)                                                \
    SF8_DEFINE_FROM_BITS(f64bits, uint64_t, f64, f)                                                \
    SF8_DEFINE_FROM_VALUE(f32, float, f)                                                           \
    SF8_DEFINE_FROM_VALUE(f64, double, f)                                                          \
    SF8_DEFINE_TO_BITS(f16, uint16_t, f16, f)                                                      \
    SF8_DEFINE_TO_BITS(bf16, uint16_t, bf16, f)                                                    \
    SF8_DEFINE_TO_BITS(tf32, uint32_t, tf32, f)                                                    \
    SF8_DEFINE_TO_BITS(f32bits, uint32_t, f32, f)                                                  \
    SF8_DEFINE_TO_BITS(f64bits, uint64_t, f64, f)                                                  \
    SF8_DEFINE_TO_VALUE(f32, float, f)                                                             \
    SF8_DEFINE_TO_VALUE(f64, double, f)                                                            \
    SF8_DEFINE_INTEGER(i8, int8_t, 8, 1, i64, f)                                                   \
    SF8_DEFINE_INTEGER(i16, int16_t, 16, 1, i64, f)                                                \
    SF8_DEFINE_INTEGER(i32, int32_t, 32, 1, i64, f)                                                \
    SF8_DEFINE_INTEGER(i64, int64_t, 64, 1, i64, f)                                                \
    SF8_DEFINE_INTEGER(u8, uint8_t, 8, 0, u64, f)                                                  \
    SF8_DEFINE_INTEGER(u16, uint16_t, 16, 0, u64, f)                                               \
    SF8_DEFINE_INTEGER(u32, uint32_t, 32, 0, u64, f)                                               \
    SF8_DEFINE_INTEGER(u64, uint64_t, 64, 0, u64, f)

#define SF8_DEFINE_OPERATIONS(f)                                                                   \
    SF8_DEFINE_FOLDED_2(f, add)                                                                    \
    SF8_DEFINE_FOLDED_2(f, sub)                                                                    \
    SF8_DEFINE_FOLDED_2(f, mul)                                                                    \
    SF8_DEFINE_FOLDED_2(f, div)                                                                    \
    SF8_DEFINE_2(f, rem)                                                                           \
    SF8_DEFINE_2(f, minimum)                                                                       \
    SF8_DEFINE_2(f, maximum)                                                                       \
    SF8_DEFINE_2(f, minimum_number)                                                                \
    SF8_DEFINE_2(f, maximum_number)                                                                \
    SF8_DEFINE_2(f, minimum_magnitude)                                                             \
    SF8_DEFINE_2(f, maximum_magnitude)                                                             \
    SF8_DEFINE_2(f, minimum_magnitude_number)                                                      \
    SF8_DEFINE_2(f, maximum_magnitude_number)                                                      \
    SF8_DEFINE_1(f, sqrt)                                                                          \
    SF8_DEFINE_1(f, next_up)                                                                       \
    SF8_DEFINE_1(f, next_down)                                                                     \
    uint8_t sf8_##f##_fma(uint8_t a, uint8_t b, uint8_t c, sf8_policy policy)                      \
    {                                                                                              \
        return (uint8_t)sf8_core_fma(sf8_##f##_format(), a, b, c, policy, 0).code;                 \
    }                                                                                              \
    sf8_result sf8_##f##_fma_flags(uint8_t a, uint8_t b, uint8_t c, sf8_policy policy)             \
    {                                                                                              \
        return sf8_fma(sf8_##f##_format(), a, b, c, policy);                                       \
    }                                                                                              \
    uint8_t sf8_##f##_rint(uint8_t a, sf8_policy policy)                                           \
    {                                                                                              \
        return (uint8_t)sf8_rint(sf8_##f##_format(), a, policy, 0).code;                           \
    }                                                                                              \
    sf8_result sf8_##f##_rint_flags(uint8_t a, sf8_policy policy, int32_t exact)                   \
    {                                                                                              \
        return sf8_rint(sf8_##f##_format(), a, policy, exact);                                     \
    }                                                                                              \
    uint8_t sf8_##f##_scalb(uint8_t a, int32_t n, sf8_policy policy)                               \
    {                                                                                              \
        return (uint8_t)sf8_scalb(sf8_##f##_format(), a, n, policy).code;                          \
    }                                                                                              \
    sf8_result sf8_##f##_scalb_flags(uint8_t a, int32_t n, sf8_policy policy)                      \
    {                                                                                              \
        return sf8_scalb(sf8_##f##_format(), a, n, policy);                                        \
    }

#define SF8_DEFINE_ORDER(f)                                                                        \
    uint8_t sf8_##f##_negate(uint8_t a, sf8_policy policy)                                         \
    {                                                                                              \
        return (uint8_t)sf8_core_negate(sf8_##f##_format(), a, policy).code;                       \
    }                                                                                              \
    uint8_t sf8_##f##_abs(uint8_t a)                                                               \
    {                                                                                              \
        return (uint8_t)sf8_core_abs(sf8_##f##_format(), a);                                       \
    }                                                                                              \
    uint8_t sf8_##f##_copy_sign(uint8_t a, uint8_t b)                                              \
    {                                                                                              \
        return (uint8_t)sf8_core_copy_sign(sf8_##f##_format(), a, b);                              \
    }                                                                                              \
    int32_t sf8_##f##_class(uint8_t a)                                                             \
    {                                                                                              \
        return sf8_core_class(sf8_##f##_format(), a, SF8_OCP);                                     \
    }                                                                                              \
    int32_t sf8_##f##_compare(uint8_t a, uint8_t b)                                                \
    {                                                                                              \
        return sf8_compare(sf8_##f##_format(), a, b, SF8_OCP, NULL);                               \
    }                                                                                              \
    int32_t sf8_##f##_eq(uint8_t a, uint8_t b)                                                     \
    {                                                                                              \
        return sf8_##f##_compare(a, b) == SF8_EQUAL;                                               \
    }                                                                                              \
    int32_t sf8_##f##_lt(uint8_t a, uint8_t b)                                                     \
    {                                                                                              \
        return sf8_##f##_compare(a, b) == SF8_LESS;                                                \
    }                                                                                              \
    int32_t sf8_##f##_le(uint8_t a, uint8_t b)                                                     \
    {                                                                                              \
        int32_t relation = sf8_##f##_compare(a, b);                                                \
        return relation == SF8_LESS || relation == SF8_EQUAL;                                      \
    }                                                                                              \
    int32_t sf8_##f##_total_order(uint8_t a, uint8_t b)                                            \
    {                                                                                              \
        return sf8_total_order(sf8_##f##_format(), a, b, SF8_OCP);                                 \
    }

#define SF8_DEFINE(name, e, m, s, nan, inf, zero, bias)                                            \
    SF8_DEFINE_CONVERSIONS(name)                                                                   \
    SF8_DEFINE_OPERATIONS(name)                                                                    \
    SF8_DEFINE_ORDER(name)
SF8_NARROW_FORMATS(SF8_DEFINE)
#undef SF8_DEFINE
