/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_formats.h -- the functions of each narrow format: sf8_f32_to_e4m3, sf8_e4m3_add, ...
 *
 * softfp8.h includes this file. Each function is an inline wrapper of the function for any format,
 * with the row of its own format, and gives the same bits. Therefore a format is one row, the
 * library exports nothing for it, and a program compiles only what it calls.
 *
 * The names follow a pattern; in the sources names.txt, beside this file, lists them. The reference
 * shows the functions of e4m3; those of the other formats have the same form.
 *
 *     f      e4m3, e5m2, e2m1, ...: every row of SF8_NARROW_FORMATS
 *     tag    f16, bf16, tf32, f32, f64 (values of C), f32bits, f64bits (their bit patterns),
 *            i8 to i64, u8 to u64
 *
 *     uint8_t    sf8_<tag>_to_<f>(x, policy)
 *     sf8_result sf8_<tag>_to_<f>_flags(x, policy)       not for integers
 *     uint8_t    sf8_<tag>_to_<f>_sr(x, policy, random)  not for integers; stochastic rounding
 *     sf8_status sf8_<tag>_to_<f>_n(dst, src, n, policy), _sr_n(dst, src, n, policy, random);
 *                not for integers
 *     T          sf8_<f>_to_<tag>(a), sf8_status sf8_<f>_to_<tag>_n(dst, src, n); not for integers
 *     T          sf8_<f>_to_<tag>(a, policy)             integers
 *     uint8_t    sf8_<f>_<op>(a, b, policy), _flags, _n  add sub mul div rem, the eight minima and
 *                                                        maxima, fma, sqrt, rint, scalb
 *     uint8_t    sf8_<f>_next_up(a, policy), _next_down, _flags
 *     negate, abs, copy_sign, class, compare, eq, lt, le, total_order
 */
#ifndef SOFTFP8_FORMATS_H
#define SOFTFP8_FORMATS_H

#include "softfp8.h"
#include "softfp8/number/convert.h"

#define SF8_ENTRY static inline

/* ---- conversions ----------------------------------------------------------------------------- */

/* The wide formats: X(f, tag, C type, format, how a value of the type becomes bits, and how it is
 * made of bits). f16 and bf16 are passed as bits, tf32 as the 19 bits of its code. */
#define SF8_EACH_WIDE(X, f)                                                                        \
    X(f, f16, uint16_t, f16, (uint16_t), (uint16_t))                                               \
    X(f, bf16, uint16_t, bf16, (uint16_t), (uint16_t))                                             \
    X(f, tf32, uint32_t, tf32, (uint32_t), (uint32_t))                                             \
    X(f, f32bits, uint32_t, f32, (uint32_t), (uint32_t))                                           \
    X(f, f64bits, uint64_t, f64, (uint64_t), (uint64_t))                                           \
    X(f, f32, float, f32, sf8_f32_bits, sf8_f32_from_bits_of)                                      \
    X(f, f64, double, f64, sf8_f64_bits, sf8_f64_from_bits)

/* The integers: X(f, tag, C type, width, signed, the function for any format). */
#define SF8_EACH_INTEGER(X, f)                                                                     \
    X(f, i8, int8_t, 8, 1, sf8_from_i64)                                                           \
    X(f, i16, int16_t, 16, 1, sf8_from_i64)                                                        \
    X(f, i32, int32_t, 32, 1, sf8_from_i64)                                                        \
    X(f, i64, int64_t, 64, 1, sf8_from_i64)                                                        \
    X(f, u8, uint8_t, 8, 0, sf8_from_u64)                                                          \
    X(f, u16, uint16_t, 16, 0, sf8_from_u64)                                                       \
    X(f, u32, uint32_t, 32, 0, sf8_from_u64)                                                       \
    X(f, u64, uint64_t, 64, 0, sf8_from_u64)

#define SF8_DEFINE_FROM(f, tag, type, wide, bits_of, value_of)                                     \
    /** Converts a wide value to this format, rounding once; see sf8_convert. */                   \
    SF8_ENTRY uint8_t sf8_##tag##_to_##f(type x, sf8_policy policy)                                \
    {                                                                                              \
        return (uint8_t)sf8_convert(sf8_##f##_format(), sf8_##wide##_format(), bits_of(x),         \
                                    policy);                                                       \
    }                                                                                              \
    /** The same, with the exception flags. */                                                     \
    SF8_ENTRY sf8_result sf8_##tag##_to_##f##_flags(type x, sf8_policy policy)                     \
    {                                                                                              \
        return sf8_convert_flags(sf8_##f##_format(), sf8_##wide##_format(), bits_of(x), policy);   \
    }                                                                                              \
    /** The same, with a random number for stochastic rounding; see sf8_convert_sr. */             \
    SF8_ENTRY uint8_t sf8_##tag##_to_##f##_sr(type x, sf8_policy policy, uint32_t random)          \
    {                                                                                              \
        return (uint8_t)sf8_convert_sr(sf8_##f##_format(), sf8_##wide##_format(), bits_of(x),      \
                                       policy, random)                                             \
            .code;                                                                                 \
    }                                                                                              \
    /** Converts n elements; see sf8_convert_n. */                                                 \
    SF8_ENTRY sf8_status sf8_##tag##_to_##f##_n(uint8_t *dst, const type *src, size_t n,           \
                                                sf8_policy policy)                                 \
    {                                                                                              \
        return sf8_convert_n(sf8_##f##_format(), dst, sf8_##wide##_format(), src, n, policy);      \
    }                                                                                              \
    /** Converts n elements, with a random number for each; see sf8_convert_sr_n. */               \
    SF8_ENTRY sf8_status sf8_##tag##_to_##f##_sr_n(uint8_t *dst, const type *src, size_t n,        \
                                                   sf8_policy policy, const uint32_t *random)      \
    {                                                                                              \
        return sf8_convert_sr_n(sf8_##f##_format(), dst, sf8_##wide##_format(), src, n, policy,    \
                                random);                                                           \
    }

/* Widening one code is short enough to be compiled for the format: it calls the core. */
#define SF8_DEFINE_TO(f, tag, type, wide, bits_of, value_of)                                       \
    /** Widens a code. The result is exact, except that e8m0 and ue5m3 to f16 may be rounded. The  \
     * policy is `ocp-nosat`: infinity stays infinity, and NaN becomes the positive quiet NaN. For \
     * another policy, or for the flags, use sf8_convert_flags. */                                 \
    SF8_ENTRY type sf8_##f##_to_##tag(uint8_t a)                                                   \
    {                                                                                              \
        return value_of(                                                                           \
            sf8_core_convert(sf8_##wide##_format(), sf8_##f##_format(), a, SF8_OCP_NOSAT, 0)       \
                .code);                                                                            \
    }                                                                                              \
    /** Widens n codes in the same way. */                                                         \
    SF8_ENTRY sf8_status sf8_##f##_to_##tag##_n(type *dst, const uint8_t *src, size_t n)           \
    {                                                                                              \
        return sf8_convert_n(sf8_##wide##_format(), dst, sf8_##f##_format(), src, n,               \
                             SF8_OCP_NOSAT);                                                       \
    }

#define SF8_DEFINE_INTEGER(f, tag, type, width, is_signed, from)                                   \
    /** Converts an integer to this format, rounding once; see sf8_from_i64. */                    \
    SF8_ENTRY uint8_t sf8_##tag##_to_##f(type x, sf8_policy policy)                                \
    {                                                                                              \
        return (uint8_t)from(sf8_##f##_format(), x, policy).code;                                  \
    }                                                                                              \
    /** Converts a code to an integer; see sf8_to_integer. */                                      \
    SF8_ENTRY type sf8_##f##_to_##tag(uint8_t a, sf8_policy policy)                                \
    {                                                                                              \
        return (type)sf8_to_integer(sf8_##f##_format(), a, width, is_signed, policy, 0).code;      \
    }

/** The f32 with the low 32 of these bits. */
SF8_ENTRY float sf8_f32_from_bits_of(uint64_t bits)
{
    return sf8_f32_from_bits((uint32_t)bits);
}

/* ---- arithmetic and order -------------------------------------------------------------------- */

#define SF8_DEFINE_2(f, op)                                                                        \
    /** The operation on two codes, rounded once; see the function for any format: sf8_add, ... */ \
    SF8_ENTRY uint8_t sf8_##f##_##op(uint8_t a, uint8_t b, sf8_policy policy)                      \
    {                                                                                              \
        return (uint8_t)sf8_##op(sf8_##f##_format(), a, b, policy).code;                           \
    }                                                                                              \
    /** The same, with the exception flags. */                                                     \
    SF8_ENTRY sf8_result sf8_##f##_##op##_flags(uint8_t a, uint8_t b, sf8_policy policy)           \
    {                                                                                              \
        return sf8_##op(sf8_##f##_format(), a, b, policy);                                         \
    }                                                                                              \
    /** The same for n elements; see sf8_add_n. */                                                 \
    SF8_ENTRY sf8_status sf8_##f##_##op##_n(uint8_t *dst, const uint8_t *a, const uint8_t *b,      \
                                            size_t n, sf8_policy policy)                           \
    {                                                                                              \
        return sf8_##op##_n(sf8_##f##_format(), dst, a, b, n, policy);                             \
    }
#define SF8_DEFINE_EXTREMUM(f, op, greater, magnitude, number) SF8_DEFINE_2(f, op)

#define SF8_DEFINE_1(f, op)                                                                        \
    /** The operation on one code; see the function for any format: sf8_sqrt, sf8_next_up, ... */  \
    SF8_ENTRY uint8_t sf8_##f##_##op(uint8_t a, sf8_policy policy)                                 \
    {                                                                                              \
        return (uint8_t)sf8_##op(sf8_##f##_format(), a, policy).code;                              \
    }                                                                                              \
    /** The same, with the exception flags. */                                                     \
    SF8_ENTRY sf8_result sf8_##f##_##op##_flags(uint8_t a, sf8_policy policy)                      \
    {                                                                                              \
        return sf8_##op(sf8_##f##_format(), a, policy);                                            \
    }

#define SF8_DEFINE_MORE(f)                                                                         \
    SF8_DEFINE_1(f, sqrt)                                                                          \
    SF8_DEFINE_1(f, next_up)                                                                       \
    SF8_DEFINE_1(f, next_down)                                                                     \
    /** a * b + c, rounded once. */                                                                \
    SF8_ENTRY uint8_t sf8_##f##_fma(uint8_t a, uint8_t b, uint8_t c, sf8_policy policy)            \
    {                                                                                              \
        return (uint8_t)sf8_fma(sf8_##f##_format(), a, b, c, policy).code;                         \
    }                                                                                              \
    /** The same, with the exception flags. */                                                     \
    SF8_ENTRY sf8_result sf8_##f##_fma_flags(uint8_t a, uint8_t b, uint8_t c, sf8_policy policy)   \
    {                                                                                              \
        return sf8_fma(sf8_##f##_format(), a, b, c, policy);                                       \
    }                                                                                              \
    /** The same for n elements; see sf8_fma_n. */                                                 \
    SF8_ENTRY sf8_status sf8_##f##_fma_n(uint8_t *dst, const uint8_t *a, const uint8_t *b,         \
                                         const uint8_t *c, size_t n, sf8_policy policy)            \
    {                                                                                              \
        return sf8_fma_n(sf8_##f##_format(), dst, a, b, c, n, policy);                             \
    }                                                                                              \
    /** The square roots of n codes; see sf8_sqrt_n. */                                            \
    SF8_ENTRY sf8_status sf8_##f##_sqrt_n(uint8_t *dst, const uint8_t *a, size_t n,                \
                                          sf8_policy policy)                                       \
    {                                                                                              \
        return sf8_sqrt_n(sf8_##f##_format(), dst, a, n, policy);                                  \
    }                                                                                              \
    /** Rounds a code to an integral value; see sf8_rint. */                                       \
    SF8_ENTRY uint8_t sf8_##f##_rint(uint8_t a, sf8_policy policy)                                 \
    {                                                                                              \
        return (uint8_t)sf8_rint(sf8_##f##_format(), a, policy, 0).code;                           \
    }                                                                                              \
    /** The same, with the exception flags. */                                                     \
    SF8_ENTRY sf8_result sf8_##f##_rint_flags(uint8_t a, sf8_policy policy, int32_t exact)         \
    {                                                                                              \
        return sf8_rint(sf8_##f##_format(), a, policy, exact);                                     \
    }                                                                                              \
    /** The same for n elements; see sf8_rint_n. */                                                \
    SF8_ENTRY sf8_status sf8_##f##_rint_n(uint8_t *dst, const uint8_t *a, size_t n,                \
                                          sf8_policy policy)                                       \
    {                                                                                              \
        return sf8_rint_n(sf8_##f##_format(), dst, a, n, policy);                                  \
    }                                                                                              \
    /** a * 2^n, rounded once. */                                                                  \
    SF8_ENTRY uint8_t sf8_##f##_scalb(uint8_t a, int32_t n, sf8_policy policy)                     \
    {                                                                                              \
        return (uint8_t)sf8_scalb(sf8_##f##_format(), a, n, policy).code;                          \
    }                                                                                              \
    /** The same, with the exception flags. */                                                     \
    SF8_ENTRY sf8_result sf8_##f##_scalb_flags(uint8_t a, int32_t n, sf8_policy policy)            \
    {                                                                                              \
        return sf8_scalb(sf8_##f##_format(), a, n, policy);                                        \
    }                                                                                              \
    /** The same for n elements; see sf8_scalb_n. */                                               \
    SF8_ENTRY sf8_status sf8_##f##_scalb_n(uint8_t *dst, const uint8_t *a,                         \
                                           const int32_t *exponents, size_t n, sf8_policy policy)  \
    {                                                                                              \
        return sf8_scalb_n(sf8_##f##_format(), dst, a, exponents, n, policy);                      \
    }

#define SF8_DEFINE_ORDER(f)                                                                        \
    /** -a; see sf8_negate. */                                                                     \
    SF8_ENTRY uint8_t sf8_##f##_negate(uint8_t a, sf8_policy policy)                               \
    {                                                                                              \
        return (uint8_t)sf8_negate(sf8_##f##_format(), a, policy).code;                            \
    }                                                                                              \
    /** a without its sign; see sf8_abs. */                                                        \
    SF8_ENTRY uint8_t sf8_##f##_abs(uint8_t a)                                                     \
    {                                                                                              \
        return (uint8_t)sf8_abs(sf8_##f##_format(), a);                                            \
    }                                                                                              \
    /** a with the sign of b; see sf8_copy_sign. */                                                \
    SF8_ENTRY uint8_t sf8_##f##_copy_sign(uint8_t a, uint8_t b)                                    \
    {                                                                                              \
        return (uint8_t)sf8_copy_sign(sf8_##f##_format(), a, b);                                   \
    }                                                                                              \
    /** The class of a, one of SF8_CLASS_*, under the policy `ocp`. */                             \
    SF8_ENTRY int32_t sf8_##f##_class(uint8_t a)                                                   \
    {                                                                                              \
        return sf8_class(sf8_##f##_format(), a, SF8_OCP);                                          \
    }                                                                                              \
    /** SF8_LESS, SF8_EQUAL, SF8_GREATER or SF8_UNORDERED; see sf8_compare. */                     \
    SF8_ENTRY int32_t sf8_##f##_compare(uint8_t a, uint8_t b)                                      \
    {                                                                                              \
        return sf8_compare(sf8_##f##_format(), a, b, SF8_OCP, NULL);                               \
    }                                                                                              \
    /** 1 if a equals b, else 0. */                                                                \
    SF8_ENTRY int32_t sf8_##f##_eq(uint8_t a, uint8_t b)                                           \
    {                                                                                              \
        return sf8_##f##_compare(a, b) == SF8_EQUAL;                                               \
    }                                                                                              \
    /** 1 if a is less than b, else 0. */                                                          \
    SF8_ENTRY int32_t sf8_##f##_lt(uint8_t a, uint8_t b)                                           \
    {                                                                                              \
        return sf8_##f##_compare(a, b) == SF8_LESS;                                                \
    }                                                                                              \
    /** 1 if a is less than or equal to b, else 0. */                                              \
    SF8_ENTRY int32_t sf8_##f##_le(uint8_t a, uint8_t b)                                           \
    {                                                                                              \
        int32_t relation = sf8_##f##_compare(a, b);                                                \
        return relation == SF8_LESS || relation == SF8_EQUAL;                                      \
    }                                                                                              \
    /** 1 if a does not come after b in the total order, else 0; see sf8_total_order. */           \
    SF8_ENTRY int32_t sf8_##f##_total_order(uint8_t a, uint8_t b)                                  \
    {                                                                                              \
        return sf8_total_order(sf8_##f##_format(), a, b, SF8_OCP);                                 \
    }

#define SF8_DEFINE(f, e, m, s, nan, inf, zero, bias)                                               \
    SF8_EACH_WIDE(SF8_DEFINE_FROM, f)                                                              \
    SF8_EACH_WIDE(SF8_DEFINE_TO, f)                                                                \
    SF8_EACH_INTEGER(SF8_DEFINE_INTEGER, f)                                                        \
    SF8_BINARY_ARITHMETIC(SF8_DEFINE_2, f)                                                         \
    SF8_EXTREMA(SF8_DEFINE_EXTREMUM, f)                                                            \
    SF8_DEFINE_MORE(f)                                                                             \
    SF8_DEFINE_ORDER(f)
SF8_NARROW_FORMATS(SF8_DEFINE)

#undef SF8_DEFINE
#undef SF8_DEFINE_FROM
#undef SF8_DEFINE_TO
#undef SF8_DEFINE_INTEGER
#undef SF8_DEFINE_2
#undef SF8_DEFINE_EXTREMUM
#undef SF8_DEFINE_1
#undef SF8_DEFINE_MORE
#undef SF8_DEFINE_ORDER
#undef SF8_EACH_WIDE
#undef SF8_EACH_INTEGER
#undef SF8_ENTRY

#endif
