/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8.h -- small floating-point formats, bit for bit: the public interface
 *
 * A format (sf8_format) and a policy (sf8_policy) are small values that every call takes. A code,
 * which is the bit pattern of a number, is a plain unsigned integer. The library allocates no
 * memory. No result depends on global state, on the floating-point environment or on compiler
 * flags, except the doubles of a report (sf8_block_report, sf8_kv_trace), which plain C computes.
 * The chapters of docs/spec define every result.
 *
 *     uint8_t code = sf8_f32_to_e4m3(500.0f, SF8_OCP);             0x7e: saturates
 *     sf8_result r = sf8_f32_to_e4m3_flags(500.0f, SF8_OCP_NOSAT); 0x7f (NaN), overflow, inexact
 *     float x = sf8_e4m3_to_f32(code);                             448
 *
 * There are four groups of functions:
 *
 *     sf8_<format>_<op>, sf8_<from>_to_<to>   one named format: softfp8_formats.h
 *     sf8_<op>(format, ...)                   any format, also a row that is made at run time
 *     the same names with _sr                 stochastic rounding; the last argument is random
 *     names and text                          formats and policies by name, values as text
 *
 * Where format and policy are both compile-time constants, and on a CUDA device, include
 * softfp8/core.h and call the inline functions sf8_core_*.
 *
 * Threads: any number of threads may call any function of the public headers at once. None of them
 * may write what another one reads or writes. Nothing has to be initialised. The first call of an
 * array function reads the environment variable SOFTFP8_SIMD, and no later call does. The program
 * must not change its environment during that call. docs/compatibility.md says what stays as it is
 * in later versions.
 */
#ifndef SOFTFP8_H
#define SOFTFP8_H

#include <stddef.h>
#include <stdint.h>

#include "softfp8/number/format.h"
#include "softfp8/number/mixed.h"
#include "softfp8/number/policy.h"
#include "softfp8/number/policies.h"

/** @{ The version of these headers; sf8_version() gives that of the library. */
#define SF8_VERSION_MAJOR 0
#define SF8_VERSION_MINOR 2
#define SF8_VERSION_PATCH 0
#define SF8_VERSION "0.2.0"
/** @} */
/** The same as one number, for `#if SF8_VERSION_NUMBER >= 200`: 0.2.0 is 200, 1.4.12 is 10412. */
#define SF8_VERSION_NUMBER (SF8_VERSION_MAJOR * 10000 + SF8_VERSION_MINOR * 100 + SF8_VERSION_PATCH)

#if defined(SF8_SHARED) && defined(_WIN32)
#define SF8_API __declspec(dllimport)
#elif defined(__GNUC__)
#define SF8_API __attribute__((visibility("default")))
#else
#define SF8_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Arguments. A format, a policy, a code, a number or a size may have any bits: what a function does
 * not support it refuses, with a status or with SF8_UNSUPPORTED. Bits of a code above the width of
 * its format are ignored. Two inline functions of softfp8/ need them to be 0, sf8_is_nan and
 * sf8_is_special. An unnamed value of a field of a policy, of a style or of an order is not
 * refused; which named value it acts as is unspecified. A name, a level or a text that is NULL
 * counts as an unknown one. A pointer of an array function of this file that returns a status may
 * be NULL if n is 0, and random words may be if the rounding takes none; else SF8_BAD_CALL is
 * returned. Every other pointer has to be that of an object, unless the function says what NULL
 * means. Pointers to void and to bytes need no alignment; others need that of their type. */

/** The status of functions that take names, text or arrays. The numbers are part of the interface.
 * A function that does not return SF8_OK has written nothing, unless it says otherwise. */
typedef enum sf8_status {
    SF8_OK = 0,
    SF8_UNKNOWN_NAME = 1, /**< no format, policy, recipe, ... has this name */
    SF8_BAD_TEXT = 2,     /**< a text or a value that does not follow its grammar */
    SF8_NO_ROOM = 3,      /**< the caller's buffer is too small */
    SF8_BAD_FORMAT = 4,   /**< an invalid format, or one that the function does not support */
    SF8_BAD_CALL = 5      /**< other invalid arguments, e.g. a size that overflows */
} sf8_status;

/** The flag of an operation that is not supported: the row is invalid (see sf8_format_valid), the
 * format is too precise for arithmetic (more than 24 bits of precision), or an integer is not 8,
 * 16, 32 or 64 bits wide. The code is then 0. Functions that return no flags return 0 instead;
 * sf8_compare returns SF8_UNORDERED and sf8_class returns -1. */
#define SF8_UNSUPPORTED UINT32_C(0x80000000)

/** Returns the version of the library, such as "0.2.0". */
SF8_API const char *sf8_version(void);

/* ---- any format ------------------------------------------------------------------------------ */

/** Converts a code of one format to another, rounding once.
 *
 * @param to     the format of the result
 * @param from   the format of `bits`
 * @param bits   the code; bits above the width of `from` are ignored
 * @param policy rounding, overflow, NaN and everything else where stacks differ. SF8_OCP saturates
 *     in every format: infinity of f32 becomes 7f7f in bf16, its largest number. SF8_OCP_NOSAT
 *     keeps infinity, as IEEE 754 does; the command and softfp8.hpp use it above 8 bits.
 * @return the code in `to`; 0 if a format is invalid. Stochastic rounding uses 0 as the random
 *     number here; see sf8_convert_sr. */
SF8_API uint64_t sf8_convert(sf8_format to, sf8_format from, uint64_t bits, sf8_policy policy);
/** Like sf8_convert, but returns the exception flags (SF8_INEXACT, ...) beside the code. */
SF8_API sf8_result sf8_convert_flags(sf8_format to, sf8_format from, uint64_t bits,
                                     sf8_policy policy);
/** Like sf8_convert_flags, with a random number for stochastic rounding (SF8_SR), of which the low
 * `policy.sr_bits` bits are used. All functions whose names end in _sr take it in this way, and
 * the other rounding modes ignore it. */
SF8_API sf8_result sf8_convert_sr(sf8_format to, sf8_format from, uint64_t bits, sf8_policy policy,
                                  uint32_t random);

/** @{ Converts an integer to a code, rounding once. */
SF8_API sf8_result sf8_from_i64(sf8_format to, int64_t x, sf8_policy policy);
SF8_API sf8_result sf8_from_u64(sf8_format to, uint64_t x, sf8_policy policy);
SF8_API sf8_result sf8_from_i64_sr(sf8_format to, int64_t x, sf8_policy policy, uint32_t random);
SF8_API sf8_result sf8_from_u64_sr(sf8_format to, uint64_t x, sf8_policy policy, uint32_t random);
/** @} */
/** Converts a code to an integer.
 *
 * @param from      the format of `code`
 * @param code      the code to convert
 * @param width     the width of the integer: 8, 16, 32 or 64 bits
 * @param is_signed 1 for a signed integer, 0 for an unsigned one
 * @param policy    its `integer` field says what NaN and values out of range become
 * @param exact     1 to raise SF8_INEXACT where the value was not an integer
 * @return the integer in two's complement, in the low `width` bits; SF8_INVALID for NaN and for a
 *     value that is out of range after rounding */
SF8_API sf8_result sf8_to_integer(sf8_format from, uint64_t code, int32_t width, int32_t is_signed,
                                  sf8_policy policy, int32_t exact);

/** The list of the arithmetic operations on two operands: X(f, name) for each. */
#define SF8_BINARY_ARITHMETIC(X, f) X(f, add) X(f, sub) X(f, mul) X(f, div) X(f, rem)

#define SF8_DECLARE(any, op)                                                                       \
    SF8_API sf8_result sf8_##op(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy);          \
    SF8_API sf8_result sf8_##op##_sr(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy,      \
                                     uint32_t random);
/** @{ a + b, a - b, a * b, a / b and the IEEE 754 remainder of a and b, rounded once to format f.
 * The remainder is exact. */
SF8_BINARY_ARITHMETIC(SF8_DECLARE, any)
/** @} */
#undef SF8_DECLARE

/** @{ The square root of a, rounded once. */
SF8_API sf8_result sf8_sqrt(sf8_format f, uint64_t a, sf8_policy policy);
SF8_API sf8_result sf8_sqrt_sr(sf8_format f, uint64_t a, sf8_policy policy, uint32_t random);
/** @} */
/** @{ a * b + c, rounded once. */
SF8_API sf8_result sf8_fma(sf8_format f, uint64_t a, uint64_t b, uint64_t c, sf8_policy policy);
SF8_API sf8_result sf8_fma_sr(sf8_format f, uint64_t a, uint64_t b, uint64_t c, sf8_policy policy,
                              uint32_t random);
/** @} */
/** @{ Rounds a to an integral value in the same format, in the policy's rounding mode. If `exact`
 * is 1, SF8_INEXACT is raised where a was not integral. */
SF8_API sf8_result sf8_rint(sf8_format f, uint64_t a, sf8_policy policy, int32_t exact);
SF8_API sf8_result sf8_rint_sr(sf8_format f, uint64_t a, sf8_policy policy, int32_t exact,
                               uint32_t random);
/** @} */
/** @{ a * 2^n, rounded once. */
SF8_API sf8_result sf8_scalb(sf8_format f, uint64_t a, int32_t n, sf8_policy policy);
SF8_API sf8_result sf8_scalb_sr(sf8_format f, uint64_t a, int32_t n, sf8_policy policy,
                                uint32_t random);
/** @} */

/** The list of the minima and maxima of IEEE 754-2019: X(f, name, greater, magnitude, number).
 * `greater` is 1 for a maximum, `magnitude` 1 if magnitudes are compared first, and `number` 1 if a
 * number is preferred to a NaN. */
#define SF8_EXTREMA(X, f)                                                                          \
    X(f, minimum, 0, 0, 0)                                                                         \
    X(f, maximum, 1, 0, 0)                                                                         \
    X(f, minimum_number, 0, 0, 1)                                                                  \
    X(f, maximum_number, 1, 0, 1)                                                                  \
    X(f, minimum_magnitude, 0, 1, 0)                                                               \
    X(f, maximum_magnitude, 1, 1, 0)                                                               \
    X(f, minimum_magnitude_number, 0, 1, 1)                                                        \
    X(f, maximum_magnitude_number, 1, 1, 1)

#define SF8_DECLARE(any, op, greater, magnitude, number)                                           \
    SF8_API sf8_result sf8_##op(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy);
/** @{ The smaller or the greater of a and b; -0 is less than +0. A NaN operand gives NaN, except in
 * the functions with _number, which return the other operand. In the P3109 dialect the result is
 * projected; see sf8_abs_flags. */
SF8_EXTREMA(SF8_DECLARE, any)
/** @} */
#undef SF8_DECLARE

/** @{ The least value above a, or the greatest below a. The neighbour of the largest finite number
 * is infinity; in a format without infinity the policy's overflow rule decides. In the P3109
 * dialect NaN stands for a neighbour that does not exist. A signaling NaN raises a flag, and a NaN
 * that the policy does not keep (`nan`, `nan_flags`). No other operand does. */
SF8_API sf8_result sf8_next_up(sf8_format f, uint64_t a, sf8_policy policy);
SF8_API sf8_result sf8_next_down(sf8_format f, uint64_t a, sf8_policy policy);

/** @} */

/** @{ Compares a with b.
 *
 * @param f      the format of both
 * @param a      the first operand
 * @param b      the second operand
 * @param policy says which NaNs are signaling
 * @param flags  if not NULL, receives SF8_INVALID or 0. sf8_compare raises SF8_INVALID for a
 *     signaling NaN, sf8_compare_signaling for any NaN.
 * @return SF8_LESS, SF8_EQUAL, SF8_GREATER, or SF8_UNORDERED if an operand is NaN */
SF8_API int32_t sf8_compare(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy,
                            uint32_t *flags);
SF8_API int32_t sf8_compare_signaling(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy,
                                      uint32_t *flags);
/** @} */
/** Returns 1 if a comes before b, or is the same code, in the total order of IEEE 754; else 0. */
SF8_API int32_t sf8_total_order(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy);

/** Returns the class of a: one of SF8_CLASS_*. */
SF8_API int32_t sf8_class(sf8_format f, uint64_t a, sf8_policy policy);
/** -a. In an unsigned format this is a negative value, for which the policy's `negative` field
 * gives the result. In the P3109 dialect the result is projected; see sf8_abs_flags. */
SF8_API sf8_result sf8_negate(sf8_format f, uint64_t a, sf8_policy policy);
/** a without its sign. A format whose only NaN is the code of -0 keeps that NaN. */
SF8_API uint64_t sf8_abs(sf8_format f, uint64_t a);
/** a with the sign of b. The code of -0, where it is NaN, counts as positive and stays as it is. */
SF8_API uint64_t sf8_copy_sign(sf8_format f, uint64_t a, uint64_t b);
/** @{ Like sf8_abs and sf8_copy_sign, with a policy. They return the same codes and no flags,
 * unless the policy's dialect is SF8_DIALECT_P3109. In that dialect the result is projected, as
 * that of sf8_negate is: the policy decides what an infinity becomes, and what a negative value
 * becomes in an unsigned format. Also, a NaN as the second operand gives NaN, and -0 counts as
 * positive. */
SF8_API sf8_result sf8_abs_flags(sf8_format f, uint64_t a, sf8_policy policy);
SF8_API sf8_result sf8_copy_sign_flags(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy);
/** @} */

/* ---- mixed formats --------------------------------------------------------------------------- */

/** Computes an operation whose operands and result may have different formats; each operand may
 * also have a scale. The exact result is rounded once, also that of an operation that returns an
 * operand. This holds for operands and a result of one format, too: there sf8_maximum and the other
 * functions of one format return an infinity unchanged, and this function applies the policy to it.
 *
 * A NaN operand is converted: abs, negate and copy_sign do not change its sign, and a signaling one
 * raises SF8_INVALID.
 *
 * @param op       the operation. SF8_MIXED_fma is a * b + c, SF8_MIXED_faa a + b + c,
 *     SF8_MIXED_recip 1 / a, SF8_MIXED_rsqrt 1 / sqrt(a), SF8_MIXED_hypot sqrt(a * a + b * b).
 *     SF8_MIXED_clamp is a, or b if that is greater, or c if that is less; b > c is invalid.
 *     SF8_MIXED_minimum_finite and _maximum_finite prefer finite numbers to infinities, and these
 *     to NaN.
 * @param to       the format of the result
 * @param operands one to three, as many as the operation has
 * @param policy   rounding and the rest, but not the field `via`: an operation rounds once. In the
 *     P3109 dialect the results are those of P3109's operations of the same names.
 * @param random   the random number of stochastic rounding
 * @return the result and the flags; the code 0 and SF8_UNSUPPORTED for another `op`, and for a
 *     format that is invalid or has a precision above 24 */
SF8_API sf8_result sf8_mixed(sf8_mixed_op op, sf8_format to, const sf8_operand *operands,
                             sf8_policy policy, uint32_t random);

/** @{ The sum of n elements, their product, and the sum of n products of elements, each exact and
 * rounded once. A sum begins with +0 and a product with 1. The rules of sf8_mixed apply.
 *
 * A product that is finite and not 0 is refused with SF8_UNSUPPORTED if the odd part of its exact
 * significand has more than 25,568 bits. That of 500 elements with their scale always has fewer. */
SF8_API sf8_result sf8_reduce_add(sf8_format to, const sf8_scaled_codes *x, size_t n,
                                  sf8_policy policy, uint32_t random);
SF8_API sf8_result sf8_reduce_mul(sf8_format to, const sf8_scaled_codes *x, size_t n,
                                  sf8_policy policy, uint32_t random);
SF8_API sf8_result sf8_dot(sf8_format to, const sf8_scaled_codes *x, const sf8_scaled_codes *y,
                           size_t n, sf8_policy policy, uint32_t random);
/** @} */

/* ---- arrays ---------------------------------------------------------------------------------- */

/** Converts n elements; every function whose name ends in _n follows the rules stated here.
 *
 * Result: each element is, bit for bit, the result of the function for one value. This holds on
 * every processor and in every floating-point environment, which is left unchanged.
 *
 * Elements: a code takes one byte in formats of up to 8 bits, a uint16_t up to 16 bits, a uint32_t
 * (or float) up to 32, and a uint64_t (or double) above, in native byte order. Bits of an element
 * above its format's width are ignored in operands and 0 in results.
 *
 * Pointers to void and to bytes need no alignment. `dst` may equal `src` if its elements are not
 * the larger ones; any other overlap is undefined. With n = 0 no pointer is used, and each may be
 * NULL.
 *
 * @param to     the format of the results
 * @param dst    n elements of `to`
 * @param from   the format of the operands
 * @param src    n elements of `from`
 * @param n      the number of elements
 * @param policy rounding and the rest
 * @return SF8_BAD_FORMAT for an invalid format. SF8_BAD_CALL for stochastic rounding, which needs
 *     the _sr_n function and its random numbers, and for an n that exceeds the address space, or a
 *     pointer that is NULL. */
SF8_API sf8_status sf8_convert_n(sf8_format to, void *dst, sf8_format from, const void *src,
                                 size_t n, sf8_policy policy);
/** Like sf8_convert_n, with one random number for each element; see sf8_convert_sr. */
SF8_API sf8_status sf8_convert_sr_n(sf8_format to, void *dst, sf8_format from, const void *src,
                                    size_t n, sf8_policy policy, const uint32_t *random);

/** Writes n random words which depend only on `seed` and on their place: element i is number
 * first + i of the words of `seed`. So an array may be cut into pieces, and each piece have the
 * words that the whole array would have.
 *
 * The generator is Philox4x32-10 of Random123. The key is the seed, its lower half first. The
 * counter of words 4 k to 4 k + 3 is k, its lowest word first. first + n is at most 2^64. */
SF8_API void sf8_random_n(uint32_t *words, size_t n, uint64_t seed, uint64_t first);
/** Like sf8_convert_sr_n with the words that sf8_random_n writes, without an array for them. */
SF8_API sf8_status sf8_convert_seeded_n(sf8_format to, void *dst, sf8_format from, const void *src,
                                        size_t n, sf8_policy policy, uint64_t seed, uint64_t first);

/** Like sf8_convert_n, with strides: element i is read at src + i * src_stride and written at
 * dst + i * dst_stride.
 *
 * Strides are counted in elements of their format. A negative stride goes down from the pointer,
 * which is that of element 0. A src_stride of 0 reads one element n times. Elements of dst must not
 * overlap each other: a dst_stride of 0 with n > 1 is SF8_BAD_CALL. `dst` may equal `src` if both
 * formats have elements of one size and the strides are equal; any other overlap is undefined. */
SF8_API sf8_status sf8_convert_strided_n(sf8_format to, void *dst, ptrdiff_t dst_stride,
                                         sf8_format from, const void *src, ptrdiff_t src_stride,
                                         size_t n, sf8_policy policy);

/** Returns the name of the instruction set that array functions use: "portable", "avx2", "avx512",
 * or on AArch64 "portable", "neon".
 *
 * The first call of any array function selects the best one that the processor has. The
 * environment variable SOFTFP8_SIMD may name a lower one; any other value of it is ignored, so ask
 * sf8_simd which one is used. The results are the same on all. */
SF8_API const char *sf8_simd(void);
/** Returns the i-th instruction set (level) that this build and processor support, beginning with
 * the lowest; NULL past the end. */
SF8_API const char *sf8_simd_at(size_t i);
/** Like sf8_convert_n, on a level by its name (see sf8_simd_at), or with "core" by the definition,
 * one value at a time. Returns SF8_UNKNOWN_NAME for another level. */
SF8_API sf8_status sf8_convert_n_at(const char *level, sf8_format to, void *dst, sf8_format from,
                                    const void *src, size_t n, sf8_policy policy);
/** Like sf8_convert_sr_n, on a level. */
SF8_API sf8_status sf8_convert_sr_n_at(const char *level, sf8_format to, void *dst, sf8_format from,
                                       const void *src, size_t n, sf8_policy policy,
                                       const uint32_t *random);

/* ---- arrays: arithmetic and packing ---------------------------------------------------------- */

#define SF8_DECLARE(any, op)                                                                       \
    SF8_API sf8_status sf8_##op##_n(sf8_format f, void *dst, const void *a, const void *b,         \
                                    size_t n, sf8_policy policy);
#define SF8_DECLARE_SR(any, op)                                                                    \
    SF8_DECLARE(any, op)                                                                           \
    SF8_API sf8_status sf8_##op##_sr_n(sf8_format f, void *dst, const void *a, const void *b,      \
                                       size_t n, sf8_policy policy, const uint32_t *random);
#define SF8_DECLARE_EXTREMUM(any, op, greater, magnitude, number) SF8_DECLARE(any, op)
/** @{ dst[i] = a[i] op b[i] for n elements; op is what the function of one element computes. The
 * rules of sf8_convert_n apply; `dst` may equal an operand. Returns SF8_BAD_FORMAT if the function
 * of one element does not support the format. */
SF8_BINARY_ARITHMETIC(SF8_DECLARE_SR, any)
SF8_EXTREMA(SF8_DECLARE_EXTREMUM, any)
/** @} */
#undef SF8_DECLARE
#undef SF8_DECLARE_SR
#undef SF8_DECLARE_EXTREMUM

/** @{ dst[i] = the square root of a[i]; a[i] rounded to an integral value; a[i] * 2^exponents[i]
 * rounded once. The rules of sf8_convert_n apply; `dst` may equal `a`. */
SF8_API sf8_status sf8_sqrt_n(sf8_format f, void *dst, const void *a, size_t n, sf8_policy policy);
SF8_API sf8_status sf8_rint_n(sf8_format f, void *dst, const void *a, size_t n, sf8_policy policy);
SF8_API sf8_status sf8_scalb_n(sf8_format f, void *dst, const void *a, const int32_t *exponents,
                               size_t n, sf8_policy policy);
SF8_API sf8_status sf8_sqrt_sr_n(sf8_format f, void *dst, const void *a, size_t n,
                                 sf8_policy policy, const uint32_t *random);
SF8_API sf8_status sf8_rint_sr_n(sf8_format f, void *dst, const void *a, size_t n,
                                 sf8_policy policy, const uint32_t *random);
SF8_API sf8_status sf8_scalb_sr_n(sf8_format f, void *dst, const void *a, const int32_t *exponents,
                                  size_t n, sf8_policy policy, const uint32_t *random);

/** @} */
/** @{ dst[i] = a[i] * b[i] + c[i], rounded once. The rules of sf8_convert_n apply; `dst` may equal
 * an operand. */
SF8_API sf8_status sf8_fma_n(sf8_format f, void *dst, const void *a, const void *b, const void *c,
                             size_t n, sf8_policy policy);
SF8_API sf8_status sf8_fma_sr_n(sf8_format f, void *dst, const void *a, const void *b,
                                const void *c, size_t n, sf8_policy policy, const uint32_t *random);

/** @} */
/** Returns the number of bytes of n packed codes of `bits` bits. */
SF8_API size_t sf8_packed_size(int32_t bits, size_t n);
/** @{ Packs n codes, one to a byte in `src`, without gaps, and unpacks them again.
 *
 * The first code lies in the low bits of the first byte: FP4 has two codes to a byte, the low
 * nibble first, and FP6 four codes to three bytes. Unused bits of the last byte are written as 0
 * and ignored when read, as are the bits of an unpacked byte above its code. Packing in place
 * (dst == src) is allowed; unpacking in place is not.
 *
 * @param bits the width of a code, 1 to 8; other values give SF8_BAD_FORMAT
 * @param dst  sf8_packed_size(bits, n) bytes when packing, n bytes when unpacking
 * @param src  n bytes when packing, sf8_packed_size(bits, n) bytes when unpacking
 * @param n    the number of codes */
SF8_API sf8_status sf8_pack_n(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n);
SF8_API sf8_status sf8_unpack_n(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n);
/** @} */

/* ---- names ----------------------------------------------------------------------------------- */

/** Returns a format by its name: "e4m3", a P3109 name p3109_k<K>p<P>{s,u}{e,f}, or the name that
 * other projects use: "float8_e4m3fn", "f8E5M2", "bfloat16", "float32", ... A format of your own
 * needs no name: "e=4 m=3 bias=11 nan=top"; see sf8_format_read. The case of letters matters.
 *
 * Names of others keep their meaning: "f8E4M3" of MLIR, "Float8E4M3" of LLVM and "float8_e4m3" of
 * ml_dtypes are e4m3ieee, which has infinity. The e4m3 of this library is their "f8E4M3FN",
 * "Float8E4M3FN" and "float8_e4m3fn". sf8_format_alias_at lists all of these names.
 *
 * @param name   the name
 * @param status if not NULL, receives SF8_OK, or SF8_UNKNOWN_NAME; then e4m3 is returned, which a
 *     caller that passes NULL cannot tell from success */
SF8_API sf8_format sf8_format_named(const char *name, sf8_status *status);
/** Reads a format: a name, fields, or a name and the fields in which it differs.
 *
 * The words are separated by blanks or commas: "e=4 m=3 nan=top", "e4m3,bias=11". The fields are
 * those of sf8_format_field_at. Without a name, `e` and `m` must be given; the others are as in
 * IEEE 754: bias 2^(e-1) - 1, a sign, a zero, and `nan=ieee` if there is a mantissa; an infinity
 * only with `nan=ieee`.
 *
 * @param text   the text
 * @param format receives the format; stays as it was if the result is not SF8_OK
 * @param at     if not NULL, receives the place of the word that is wrong, or the length of the
 *     text if the fields together make no format
 * @return SF8_UNKNOWN_NAME for an unknown name or field, SF8_BAD_TEXT for a value that the field
 *     does not have or that is given twice, SF8_BAD_FORMAT if the fields make no format of this
 *     library: see sf8_format_valid */
SF8_API sf8_status sf8_format_read(const char *text, sf8_format *format, size_t *at);
/** @{ Returns the name of the i-th field of a format, and its values separated by blanks, "" if it
 * is a number; NULL past the end. */
SF8_API const char *sf8_format_field_at(size_t i);
SF8_API const char *sf8_format_field_values(size_t i);
/** @} */
/** Returns the name of the i-th format of the library, or NULL past the end. If `format` is not
 * NULL, it receives the format itself. */
SF8_API const char *sf8_format_at(size_t i, sf8_format *format);

/** Returns the i-th alias of a format ("float8_e4m3fn"), or NULL past the end. If `name` is not
 * NULL, it receives the format's name in this library. */
SF8_API const char *sf8_format_alias_at(size_t i, const char **name);

/** Returns a policy by its name, such as "ocp", or by a text for sf8_policy_read, such as
 * "ocp round=rz". If `status` is not NULL, it receives SF8_OK, or SF8_UNKNOWN_NAME; then the policy
 * `ocp` is returned. */
SF8_API sf8_policy sf8_policy_named(const char *name, sf8_status *status);
/** Reads a policy: a name, fields, or a name and the fields in which it differs, separated by
 * blanks or commas: "cuda-satfinite round=rz". Without a name the fields change `ocp`.
 *
 * @param text   the text
 * @param policy receives the policy; stays as it was if the result is not SF8_OK
 * @param at     if not NULL, receives the place of the word that is wrong
 * @return SF8_UNKNOWN_NAME for an unknown name or field, SF8_BAD_TEXT for a value that the field
 *     does not have, or that is given twice */
SF8_API sf8_status sf8_policy_read(const char *text, sf8_policy *policy, size_t *at);

/** What is known about a named policy. */
typedef struct sf8_policy_row {
    const char *name;
    const char *product;  /**< the product that behaves like this */
    const char *versions; /**< the versions of the product for which the row holds */
    const char *source;   /**< the function of the product, or the rule of a standard */
    const char *evidence; /**< how this is known: see sf8_evidence_rank */
    const char *open;     /**< what is not established; "" if nothing */
    const char *to;       /**< result formats it is meant for, separated by blanks; "" for any */
    const char *from;     /**< operand formats likewise */
} sf8_policy_row;
/** Returns the i-th named policy, or NULL past the end. sf8_policy_named(row->name) gives its
 * fields. */
SF8_API const sf8_policy_row *sf8_policy_at(size_t i);

/** One rule that selects the policy of a product. A product may use different policies for
 * different conversions and versions; the first row that matches applies. */
typedef struct sf8_product_row {
    const char *product;
    const char *first, *last; /**< versions, both included; "" for no limit */
    const char *to, *from;    /**< formats, separated by blanks; "" for any; "p3109" stands for
                                   every format of IEEE P3109 */
    const char *policy_name;
} sf8_product_row;
/** Returns the i-th row of the products, or NULL past the end. */
SF8_API const sf8_product_row *sf8_product_at(size_t i);
/** Returns the i-th alias of a product ("pytorch"), or NULL past the end. If `name` is not NULL, it
 * receives the name that the alias stands for. */
SF8_API const char *sf8_product_alias_at(size_t i, const char **name);
/** Returns the name of the policy that a product uses for a conversion.
 *
 * @param name the name of a policy, which is returned as it is; a product ("torch" means its newest
 *     known release); a product with its version ("torch-2.12"); or an alias of these. A version
 *     newer than all known ones counts as the newest. For a format that CUDA, HIP or P3109 lacks,
 *     "cuda", "hip" and "p3109" name their rule for other formats.
 * @param to   the format of the result
 * @param from the format of the operand
 * @return the policy's name, or NULL if `name` is unknown or the product has no such conversion */
SF8_API const char *sf8_policy_for(const char *name, sf8_format to, sf8_format from);
/** Returns 1 if a policy is meant for a conversion, else 0. It is if its row lists both formats, or
 * if a product uses it for this conversion. The policy works for other conversions too; lists of
 * policies that might explain a result leave it out there. */
SF8_API int32_t sf8_policy_holds(const sf8_policy_row *row, sf8_format to, sf8_format from);

/** Returns how well the row of a policy is established. Its evidence is a list of items, separated
 * by
 * "; ". Each item begins with its kind:
 *
 *     document:     a text that says so, and its section              1
 *     source:       a source file, and its version or commit          2
 *     machine code: a compiler and its target: what the compiled      3
 *                   code of the product computes, which did not run
 *     ran HOW:      a package with its version, how many inputs, ...  4
 *                   and at its end a date, ", 2026-11-22"
 *     verified HOW: the same, and the project has a record of the     5
 *                   results: the matrix of packages, or a file of
 *                   vectors/products; at its end a day or a month
 *     hardware:     which, and what was replayed or recorded on it    6
 *
 * @return the rank of the best item; 0 if an item has no kind, or a `ran` or `verified` item no
 * date, or does not say how it ran, see sf8_evidence_how() */
SF8_API int32_t sf8_evidence_rank(const char *evidence);
/** Returns how the best item of a row's evidence is known:
 *
 *     read                a text, a source or machine code was read
 *     interpreted         source for a GPU compiler, such as Triton's, ran on a CPU operation by
 *                         operation: compiled code may round differently
 *     compiled for a CPU  CUDA source, with a host compiler
 *     on a CPU            the product's own code for a CPU
 *     on a GPU            on the GPU that the item names
 *
 * @return one of these; "" if the rank is 0 */
SF8_API const char *sf8_evidence_how(const char *evidence);
/** Returns the kind of a rank, such as "ran" for 4; "none" for a number that is no rank. */
SF8_API const char *sf8_evidence_name(int32_t rank);

/** Returns the name of the i-th field of a policy, or NULL past the end. */
SF8_API const char *sf8_policy_field_at(size_t i);
/** Returns the names of the values of the i-th field in order, separated by blanks; "" if the field
 * is a number; NULL past the end. */
SF8_API const char *sf8_policy_field_values(size_t i);
/** Writes the value of a field as text: its name, or digits for `sr_bits`.
 *
 * @param policy the policy
 * @param field  the name of the field
 * @param text   receives the text and a closing 0
 * @param size   the size of `text` in bytes
 * @return SF8_UNKNOWN_NAME for an unknown field, SF8_BAD_TEXT if its value has no name, SF8_NO_ROOM
 *     if `size` is too small */
SF8_API sf8_status sf8_policy_get(sf8_policy policy, const char *field, char *text, size_t size);
/** Sets a field by the name of its value; `sr_bits` takes a number from 1 to 32. Returns
 * SF8_UNKNOWN_NAME for an unknown field and SF8_BAD_TEXT for an unknown value. */
SF8_API sf8_status sf8_policy_set(sf8_policy *policy, const char *field, const char *value);

/* ---- for programs in other languages --------------------------------------------------------- */

/** The bit positions of a policy's fields in the integer that sf8_policy_pack returns.
 *
 * The compiler chooses where bit-fields lie in memory; their positions here are fixed. The fields
 * follow one another without gaps in the order of SF8_POLICY_FIELDS, the first in the lowest bits.
 * SF8_POLICY_AT_round, SF8_POLICY_AT_sr_rule, ... are the lowest bits of the fields. A value is the
 * index of its name in that list. Later versions keep the positions and add new fields above, which
 * are 0 where a policy behaves as before. SF8_OCP is 0x200: sr_bits = 16. */
enum {
#define SF8_FIELD(name, width, values)                                                             \
    SF8_POLICY_AT_##name, SF8_POLICY_LAST_##name = SF8_POLICY_AT_##name + (width)-1,
    SF8_POLICY_FIELDS(SF8_FIELD)
#undef SF8_FIELD
        SF8_POLICY_BITS /**< the bits of all fields together; the bits above are 0 */
};
/** Returns a policy as an integer. */
SF8_API uint64_t sf8_policy_pack(sf8_policy policy);
/** Makes a policy from such an integer. Returns SF8_BAD_CALL, and leaves *policy unchanged, if a
 * bit at or above SF8_POLICY_BITS is set or a field has a value without a name. A sr_bits of 0,
 * which no policy with a name has, is accepted: with it stochastic rounding takes no random bits.
 * It then truncates by sr_rule a, and rounds to nearest, ties away from zero, by b and c. */
SF8_API sf8_status sf8_policy_unpack(uint64_t word, sf8_policy *policy);

/** Returns the size in bytes of a structure of the public headers by its name:
 * sf8_structure_size("sf8_policy") is 8. Returns 0 if there is no such structure. */
SF8_API size_t sf8_structure_size(const char *name);
/** Returns the name of the i-th such structure, or NULL past the end. If `size` is not NULL, it
 * receives the structure's size. */
SF8_API const char *sf8_structure_at(size_t i, size_t *size);

/* ---- text ------------------------------------------------------------------------------------ */

/** How a value is written as text. */
typedef enum sf8_text_style {
    /** The fewest decimal digits that read back as the same code, by a policy that rounds to
     * nearest even, such as SF8_OCP. Another rounding mode may read them as a neighbour. The last
     * digits of the largest number may be rounded up, so that a policy with `overflow_test` set may
     * overflow. */
    SF8_TEXT_SHORTEST,
    SF8_TEXT_EXACT, /**< every decimal digit of the value */
    SF8_TEXT_HEX    /**< hexadecimal, such as 0x1.8p-3 */
} sf8_text_style;

/** A buffer size that is always enough for SHORTEST and HEX, and for EXACT in the named formats of
 * up to 32 bits. EXACT needs a buffer of up to 775 bytes in f64, and of up to 1500 in a row with an
 * extreme bias. */
#define SF8_TEXT_SIZE 320

/** Writes the value of a code as text.
 *
 * @param f      the format
 * @param code   the code
 * @param style  decimal or hexadecimal
 * @param text   receives the text and a closing 0
 * @param size   the size of `text` in bytes
 * @param length if not NULL, receives the length without the closing 0
 * @return SF8_BAD_FORMAT for an invalid format; SF8_NO_ROOM if `size` is too small; nothing is
 * written then */
SF8_API sf8_status sf8_to_text(sf8_format f, uint64_t code, sf8_text_style style, char *text,
                               size_t size, size_t *length);
/** Reads a number from text and rounds it once.
 *
 * @param f      the format of the result
 * @param text   a decimal or hexadecimal number, "inf", "nan" or "-nan", with no further characters
 * @param policy rounding and the rest
 * @param result receives the code and the flags
 * @param error  if not NULL, receives for SF8_BAD_TEXT the offset of the first bad character
 * @return SF8_BAD_TEXT if `text` is not such a number */
SF8_API sf8_status sf8_from_text(sf8_format f, const char *text, sf8_policy policy,
                                 sf8_result *result, size_t *error);

#ifdef __cplusplus
}
#endif

#include "softfp8_formats.h"

#endif
