/* SPDX-License-Identifier: MIT */
/* softfp8.h -- small floating-point formats, bit for bit: the public interface
 *
 * Formats (sf8_format) and policies (sf8_policy) are small values passed to every call; nothing is
 * global, nothing is allocated, and nothing depends on the floating-point environment. A code is
 * a plain unsigned integer. docs/spec defines every result.
 *
 *     uint8_t code = sf8_f32_to_e4m3(500.0f, SF8_OCP);            0x7e: saturates
 *     sf8_result r = sf8_f32_to_e4m3_flags(500.0f, SF8_OCP_NOSAT); 0x7f (NaN), overflow, inexact
 *     float x = sf8_e4m3_to_f32(code);                            448
 *
 * Four groups of functions:
 *   sf8_<format>_<op>, sf8_<from>_to_<to>   one format, compiled for it
 *   sf8_<op>(format, ...)                   any format, also a row made at run time
 *   the same with _sr                       stochastic rounding: a random word as last argument
 *   names and text                          formats and policies by name, values as text
 * For format and policy both known when compiling, or on a CUDA device, include
 * <softfp8/core.h> and call the inline sf8_core_*.
 */
#ifndef SOFTFP8_H
#define SOFTFP8_H

#include <stddef.h>
#include <stdint.h>

#include "softfp8/number/format.h"
#include "softfp8/number/policy.h"
#include "softfp8/number/policies.h"

#define SF8_VERSION_MAJOR 0
#define SF8_VERSION_MINOR 2
#define SF8_VERSION_PATCH 0
#define SF8_VERSION "0.2.0"

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

/* Status of the calls that take names, text or arrays. The numbers are part of the interface. */
typedef enum sf8_status {
    SF8_OK = 0,
    SF8_UNKNOWN_NAME = 1,
    SF8_BAD_TEXT = 2,
    SF8_NO_ROOM = 3,
    SF8_BAD_FORMAT = 4,
    SF8_BAD_CALL = 5 /* arrays: stochastic rounding without random words, a size that overflows */
} sf8_status;

/* The flag of an operation that cannot be done: on an invalid row (sf8_format_valid), arithmetic on
 * precisions above 24, integers of other widths. The code then is 0; functions without flags
 * return 0, sf8_compare SF8_UNORDERED and sf8_class -1. */
#define SF8_UNSUPPORTED UINT32_C(0x80000000)

SF8_API const char *sf8_version(void);

/* ---- any format ------------------------------------------------------------------------------ */

SF8_API uint64_t sf8_convert(sf8_format to, sf8_format from, uint64_t bits, sf8_policy policy);
SF8_API sf8_result sf8_convert_flags(sf8_format to, sf8_format from, uint64_t bits,
                                     sf8_policy policy);
SF8_API sf8_result sf8_convert_sr(sf8_format to, sf8_format from, uint64_t bits, sf8_policy policy,
                                  uint32_t random);

SF8_API sf8_result sf8_from_i64(sf8_format to, int64_t x, sf8_policy policy);
SF8_API sf8_result sf8_from_u64(sf8_format to, uint64_t x, sf8_policy policy);
SF8_API sf8_result sf8_from_i64_sr(sf8_format to, int64_t x, sf8_policy policy, uint32_t random);
SF8_API sf8_result sf8_from_u64_sr(sf8_format to, uint64_t x, sf8_policy policy, uint32_t random);
/* The two's complement bits of an integer of `width` = 8, 16, 32 or 64 bits. */
SF8_API sf8_result sf8_to_integer(sf8_format from, uint64_t code, int32_t width, int32_t is_signed,
                                  sf8_policy policy, int32_t exact);

/* The operations of two operands; f is handed on. */
#define SF8_BINARY_ARITHMETIC(X, f) X(f, add) X(f, sub) X(f, mul) X(f, div) X(f, rem)

#define SF8_DECLARE(any, op)                                                                       \
    SF8_API sf8_result sf8_##op(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy);          \
    SF8_API sf8_result sf8_##op##_sr(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy,      \
                                     uint32_t random);
SF8_BINARY_ARITHMETIC(SF8_DECLARE, any)
#undef SF8_DECLARE

SF8_API sf8_result sf8_sqrt(sf8_format f, uint64_t a, sf8_policy policy);
SF8_API sf8_result sf8_sqrt_sr(sf8_format f, uint64_t a, sf8_policy policy, uint32_t random);
SF8_API sf8_result sf8_fma(sf8_format f, uint64_t a, uint64_t b, uint64_t c, sf8_policy policy);
SF8_API sf8_result sf8_fma_sr(sf8_format f, uint64_t a, uint64_t b, uint64_t c, sf8_policy policy,
                              uint32_t random);
SF8_API sf8_result sf8_rint(sf8_format f, uint64_t a, sf8_policy policy, int32_t exact);
SF8_API sf8_result sf8_rint_sr(sf8_format f, uint64_t a, sf8_policy policy, int32_t exact,
                               uint32_t random);
SF8_API sf8_result sf8_scalb(sf8_format f, uint64_t a, int32_t n, sf8_policy policy);
SF8_API sf8_result sf8_scalb_sr(sf8_format f, uint64_t a, int32_t n, sf8_policy policy,
                                uint32_t random);

/*       operation                 greater, by magnitude, numbers preferred */
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
SF8_EXTREMA(SF8_DECLARE, any)
#undef SF8_DECLARE

SF8_API sf8_result sf8_next_up(sf8_format f, uint64_t a, sf8_policy policy);
SF8_API sf8_result sf8_next_down(sf8_format f, uint64_t a, sf8_policy policy);

/* SF8_LESS, SF8_EQUAL, SF8_GREATER or SF8_UNORDERED; the flags, if wanted, to *flags. */
SF8_API int32_t sf8_compare(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy,
                            uint32_t *flags);
SF8_API int32_t sf8_compare_signaling(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy,
                                      uint32_t *flags);
SF8_API int32_t sf8_total_order(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy);

/* SF8_CLASS_*. */
SF8_API int32_t sf8_class(sf8_format f, uint64_t a, sf8_policy policy);
SF8_API sf8_result sf8_negate(sf8_format f, uint64_t a, sf8_policy policy);
SF8_API uint64_t sf8_abs(sf8_format f, uint64_t a);
SF8_API uint64_t sf8_copy_sign(sf8_format f, uint64_t a, uint64_t b);

/* ---- arrays ---------------------------------------------------------------------------------- */

/* These, and the functions of a format whose names end in _n, convert n elements. An element is a
 * code in native byte order: one byte where the format has 8 bits or less, uint16_t up to 16,
 * uint32_t (or float) up to 32, uint64_t (or double) beyond; bits above its width are ignored, and
 * 0 in results. Each result is, bit for bit, that of the function for one value, whatever
 * processor, and in whatever floating-point environment, it is computed; that environment is left
 * as it was.
 *
 * No pointer need be aligned. `dst` may be `src` where its elements are not the larger ones; any
 * other overlap is an error of the caller. With n = 0 no pointer is looked at. SF8_BAD_FORMAT for
 * an invalid row; SF8_BAD_CALL for stochastic rounding in a function that is given no random words,
 * and for an n whose elements would not fit the address space; nothing is written then. */
SF8_API sf8_status sf8_convert_n(sf8_format to, void *dst, sf8_format from, const void *src,
                                 size_t n, sf8_policy policy);
/* With a random word for each element; the roundings that need none ignore them. */
SF8_API sf8_status sf8_convert_sr_n(sf8_format to, void *dst, sf8_format from, const void *src,
                                    size_t n, sf8_policy policy, const uint32_t *random);

/* The same with strides: element i is read at src + i src_stride and written at dst + i dst_stride,
 * both counted in elements of their format. A negative stride goes down from the pointer, which is
 * that of element 0; a src_stride of 0 reads one element n times. Elements of dst must not overlap
 * each other: a dst_stride of 0 is SF8_BAD_CALL where n > 1. dst may be src where the formats have
 * elements of one size and the strides are equal; any other overlap is an error of the caller. */
SF8_API sf8_status sf8_convert_strided_n(sf8_format to, void *dst, ptrdiff_t dst_stride,
                                         sf8_format from, const void *src, ptrdiff_t src_stride,
                                         size_t n, sf8_policy policy);

/* Array functions use what the processor has. That is looked up in the first call; there the
 * environment variable SOFTFP8_SIMD may name a lower level: portable, avx2, avx512 or, on AArch64,
 * portable, neon. The name of the level in use; the i-th level that this build and processor have,
 * from the lowest, or NULL; and a conversion on a level by name, SF8_UNKNOWN_NAME if it is none of
 * these. */
SF8_API const char *sf8_simd(void);
SF8_API const char *sf8_simd_at(size_t i);
SF8_API sf8_status sf8_convert_n_at(const char *level, sf8_format to, void *dst, sf8_format from,
                                    const void *src, size_t n, sf8_policy policy);

/* ---- arrays: arithmetic and packing ---------------------------------------------------------- */

/* Element by element, dst[i] = a[i] op b[i], bit for bit what the function of one element gives. An
 * element is a uint8_t in formats of up to 8 bits, uint16_t up to 16, uint32_t or float up to 32,
 * else uint64_t or double; bits of an operand above the format's are ignored, those of a result
 * are 0. dst may be one of the operands; arrays must not overlap otherwise. SF8_BAD_FORMAT for what
 * the operation of one element does not take; SF8_BAD_CALL for stochastic rounding without random
 * words, which the _sr_n functions take, and for an n beyond the address space; dst then is as it
 * was. With n = 0 any pointers will do. */
#define SF8_DECLARE(any, op)                                                                       \
    SF8_API sf8_status sf8_##op##_n(sf8_format f, void *dst, const void *a, const void *b,         \
                                    size_t n, sf8_policy policy);
#define SF8_DECLARE_SR(any, op)                                                                    \
    SF8_DECLARE(any, op)                                                                           \
    SF8_API sf8_status sf8_##op##_sr_n(sf8_format f, void *dst, const void *a, const void *b,      \
                                       size_t n, sf8_policy policy, const uint32_t *random);
#define SF8_DECLARE_EXTREMUM(any, op, greater, magnitude, number) SF8_DECLARE(any, op)
SF8_BINARY_ARITHMETIC(SF8_DECLARE_SR, any)
SF8_EXTREMA(SF8_DECLARE_EXTREMUM, any)
#undef SF8_DECLARE
#undef SF8_DECLARE_SR
#undef SF8_DECLARE_EXTREMUM

/* dst[i] = sqrt(a[i]); a[i] rounded to an integral value; a[i] * 2^exponents[i], rounded once. dst
 * may be a. */
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

/* dst[i] = a[i] * b[i] + c[i], rounded once. */
SF8_API sf8_status sf8_fma_n(sf8_format f, void *dst, const void *a, const void *b, const void *c,
                             size_t n, sf8_policy policy);
SF8_API sf8_status sf8_fma_sr_n(sf8_format f, void *dst, const void *a, const void *b,
                                const void *c, size_t n, sf8_policy policy, const uint32_t *random);

/* Codes of `bits` bits, 1 to 8, one to a byte, and the same without gaps: the first code in the low
 * bits of the first byte (FP4: two to a byte, the low nibble first; FP6: four to three bytes). n
 * codes take sf8_packed_size(bits, n) bytes packed; unused bits of the last are written as 0 and
 * ignored when read, as are those of a code's byte above its own. Packing in place, dst == src, is
 * allowed; unpacking in place is not. SF8_BAD_FORMAT for other `bits`. */
SF8_API size_t sf8_packed_size(int32_t bits, size_t n);
SF8_API sf8_status sf8_pack_n(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n);
SF8_API sf8_status sf8_unpack_n(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n);

/* ---- names ----------------------------------------------------------------------------------- */

/* A format by name: those of the tables, p3109_k<K>p<P>{s,u}{e,f}, and what others call the same:
 * float8_e4m3fn, f8E5M2, bfloat16, float32, ... */
SF8_API sf8_format sf8_format_named(const char *name, sf8_status *status);
/* The i-th format of the tables, or NULL; its row to *format. */
SF8_API const char *sf8_format_at(size_t i, sf8_format *format);

/* The i-th of those other names, or NULL; the format's name to *name. */
SF8_API const char *sf8_format_alias_at(size_t i, const char **name);

/* A named policy. */
SF8_API sf8_policy sf8_policy_named(const char *name, sf8_status *status);

typedef struct sf8_policy_row {
    const char *name;
    const char *product;  /* whose behaviour this is */
    const char *versions; /* of the product, for which the row holds */
    const char *source;   /* which function of it, which rule */
    const char *evidence; /* how this is known: see sf8_evidence_rank */
    const char *open;     /* what in it is not established; "" if nothing */
    const char *to;       /* the formats that it is for, with blanks between them; "" for any */
    const char *from;
} sf8_policy_row;
/* The i-th named policy, or NULL; its fields by sf8_policy_named(row->name). */
SF8_API const sf8_policy_row *sf8_policy_at(size_t i);

/* A product has one policy for one conversion and another for the next: this row says which, for
 * the versions from `first` to `last` (empty: no limit) and the conversions to and from one of the
 * formats listed (empty: any). The first row that fits holds. */
typedef struct sf8_product_row {
    const char *product;
    const char *first, *last;
    const char *to, *from;
    const char *policy_name;
} sf8_product_row;
/* The i-th row, or NULL. The i-th alias, "pytorch", and what it stands for to *name; or NULL. */
SF8_API const sf8_product_row *sf8_product_at(size_t i);
SF8_API const char *sf8_product_alias_at(size_t i, const char **name);
/* The name of the policy of a conversion: `name` is a policy, a product ("torch": its newest
 * release that is known here), a product with its version ("torch-2.12"), or an alias of these.
 * NULL if it is none of them. For a version newer than all that are known the newest row holds. */
SF8_API const char *sf8_policy_for(const char *name, sf8_format to, sf8_format from);
/* Whether a policy is meant for a conversion: its row has both formats in its lists, or a product
 * has this policy for the conversion. Policies for which it is 0 can be used all the same; lists of
 * policies that might explain a result leave them out. */
SF8_API int32_t sf8_policy_holds(const sf8_policy_row *row, sf8_format to, sf8_format from);

/* How well the row of a product is known. Its evidence is a list of items with "; " between them,
 * each of which begins with its kind:
 *
 *     document: a text that says so, and its section              1
 *     source:   a source file, and its version or commit          2
 *     ran:      a package with its version, how many inputs, ...  3
 *               and at its end a date, ", 2026-11-22"
 *     hardware: which, and what was replayed or recorded on it    4
 *
 * Returns the rank of the best item; 0 where an item has no kind, or one that ran no date. */
SF8_API int32_t sf8_evidence_rank(const char *evidence);
/* The kind of a rank, "ran"; "none" for any other number. */
SF8_API const char *sf8_evidence_name(int32_t rank);

/* Fields of a policy by name: reading gives the value's name (a number for sr_bits). */
SF8_API const char *sf8_policy_field_at(size_t i);
/* The names of its values in order, separated by blanks; "" if it is a number. */
SF8_API const char *sf8_policy_field_values(size_t i);
SF8_API sf8_status sf8_policy_get(sf8_policy policy, const char *field, char *text, size_t size);
SF8_API sf8_status sf8_policy_set(sf8_policy *policy, const char *field, const char *value);

/* ---- for programs in other languages --------------------------------------------------------- */

/* A policy as an integer. Where bit-fields lie in memory is the compiler's choice; where they lie
 * here is fixed: the fields stand one behind the other, in the order of SF8_POLICY_FIELDS, the
 * first in the lowest bits, without gaps. SF8_POLICY_AT_round, SF8_POLICY_AT_sr_rule ... is the
 * lowest bit of each, the number of bits is that of SF8_POLICY_FIELDS, and a value is the place of
 * its name in the list there. A field keeps its place in later versions; new ones are added above,
 * and are 0 where a policy is as before. SF8_OCP is 0x200, sr_bits = 16. */
enum {
#define SF8_FIELD(name, width, values)                                                             \
    SF8_POLICY_AT_##name, SF8_POLICY_LAST_##name = SF8_POLICY_AT_##name + (width)-1,
    SF8_POLICY_FIELDS(SF8_FIELD)
#undef SF8_FIELD
        SF8_POLICY_BITS /* of all fields; those above are 0 */
};
SF8_API uint64_t sf8_policy_pack(sf8_policy policy);
/* SF8_BAD_CALL, and *policy stays, for bits above SF8_POLICY_BITS and for a value without a name.
 */
SF8_API sf8_status sf8_policy_unpack(uint64_t word, sf8_policy *policy);

/* The bytes of a structure of the public headers, by name: sf8_structure_size("sf8_policy") is 8. 0
 * if there is none. The i-th of them, or NULL; its size to *size. */
SF8_API size_t sf8_structure_size(const char *name);
SF8_API const char *sf8_structure_at(size_t i, size_t *size);

/* ---- text ------------------------------------------------------------------------------------ */

typedef enum sf8_text_style {
    SF8_TEXT_SHORTEST, /* the fewest decimal digits that read back as the same code */
    SF8_TEXT_EXACT,    /* every decimal digit of the value */
    SF8_TEXT_HEX       /* 0x1.8p-3 */
} sf8_text_style;

/* Enough for SHORTEST and HEX always, and for EXACT in the named formats of 32 bits or less. (EXACT
 * takes up to 773 characters in f64, and up to 1500 in a row with an extreme bias.) */
#define SF8_TEXT_SIZE 320

/* Writes the value of a code with a closing 0; *length gets the length without it. SF8_NO_ROOM,
 * and nothing written, if `size` is too small. */
SF8_API sf8_status sf8_to_text(sf8_format f, uint64_t code, sf8_text_style style, char *text,
                               size_t size, size_t *length);
/* Reads a decimal or hexadecimal number, "inf", "nan", "-nan": rounded once. SF8_BAD_TEXT if it is
 * not all of `text`, and then *error gets the offset of the first bad character. */
SF8_API sf8_status sf8_from_text(sf8_format f, const char *text, sf8_policy policy,
                                 sf8_result *result, size_t *error);

#ifdef __cplusplus
}
#endif

#include "softfp8_formats.h"

#endif
