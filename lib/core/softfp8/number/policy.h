/* SPDX-License-Identifier: MIT */
/** @file
 * policy.h -- how an operation rounds, and what it gives where a format has no answer
 *
 * A policy belongs to an operation, never to a format. It is a value of 8 bytes, `sf8_policy`,
 * whose fields are listed once, in SF8_POLICY_FIELDS. The named policies are rows of SF8_POLICIES
 * that set some of the fields. A field that is not set is 0, which is the first of its values, so
 * that a policy of all zeros is valid too. With sr_bits 0, stochastic rounding takes no random
 * bits: by sr_rule a, which is 0 too, it always truncates. Policies with a name have 16.
 * docs/spec/policies.md says what each value means for each class of input.
 */
#ifndef SOFTFP8_POLICY_H
#define SOFTFP8_POLICY_H

#include "softfp8/number/bits.h"

/** The rounding modes but stochastic rounding, SF8_SR, which comes last: X(enumerator, name, 1 if
 * it rounds to nearest). Modes that round to nearest differ in ties alone. */
#define SF8_ROUNDINGS(X)                                                                           \
    X(SF8_RNE, "rne", 1)                                                                           \
    X(SF8_RNA, "rna", 1)                                                                           \
    X(SF8_RZ, "rz", 0)                                                                             \
    X(SF8_RU, "ru", 0)                                                                             \
    X(SF8_RD, "rd", 0)                                                                             \
    X(SF8_RO, "ro", 0)                                                                             \
    X(SF8_RNZ, "rnz", 1)
/** @{ The bits of the field `round`, and a mask of that width. */
#define SF8_ROUND_BITS 3
#define SF8_ROUND_MASK ((1u << SF8_ROUND_BITS) - 1)
/** @} */

#define SF8_ROUNDING_MODE(mode, name, nearest) mode,
/** round: the rounding mode. */
enum { SF8_ROUNDINGS(SF8_ROUNDING_MODE) SF8_SR };
#undef SF8_ROUNDING_MODE
#define SF8_ROUNDING_NAME(mode, name, nearest) name,
#define SF8_ROUNDING_WORD(mode, name, nearest) name " "
/** The names of the modes, separated by blanks. SF8_ROUNDING_NAME makes an array of them. */
#define SF8_ROUNDING_NAMES SF8_ROUNDINGS(SF8_ROUNDING_WORD) "sr"
/** sr_rule: P3109's StochasticA, B or C, with sr_bits random bits */
enum { SF8_SR_A, SF8_SR_B, SF8_SR_C };
/** overflow and inf: what a finite value that is too large, and an infinite value, become */
enum {
    SF8_TO_MAX,     /**< the largest finite number */
    SF8_TO_SPECIAL, /**< infinity; NaN in a format without it; else the largest finite number */
    SF8_TO_INF,     /**< infinity; in a format without it the largest finite number */
    SF8_TO_ZERO     /**< infinity; NaN in a format without it; else zero */
};
/** nan: in a format with NaN, whether a NaN stays NaN or is treated as missing_nan says */
enum { SF8_NAN_KEPT, SF8_NAN_AS_MISSING };
/** nan_code: which NaN, in a format of the IEEE kind */
enum {
    SF8_NAN_QUIET,   /**< only the quiet bit is set */
    SF8_NAN_ONES,    /**< every mantissa bit is set */
    SF8_NAN_PAYLOAD, /**< the operand's leading mantissa bits, and the quiet bit */
    SF8_NAN_SIGNALING, /**< only the last mantissa bit is set */
    SF8_NAN_BITS /**< the operand's leading mantissa bits unchanged: infinity if all are 0 */
};
/** nan_sign: the sign of a NaN that comes from a NaN operand */
enum {
    SF8_NAN_POSITIVE,
    SF8_NAN_SIGNED,  /**< the operand's; a NaN that is the code of -0 counts as positive */
    SF8_NAN_SIGN_BIT /**< the operand's sign bit, also where the code of -0 is NaN */
};
/** made_nan_sign: the sign of a NaN that an overflow or an infinity becomes */
enum { SF8_MADE_POSITIVE, SF8_MADE_SIGNED };
/** missing_nan: what a NaN becomes in a format without NaN. Its sign is the operand's, whatever
 * nan_sign says. A NaN that is the code of -0 is negative only under SF8_NAN_SIGN_BIT. */
enum {
    SF8_MISSING_MAX,          /**< the largest finite number, positive */
    SF8_MISSING_SIGNED_MAX,   /**< the largest finite number, with the sign of the NaN */
    SF8_MISSING_ZERO,         /**< +0 */
    SF8_MISSING_SIGNED_ZERO,  /**< zero with the sign of the NaN */
    SF8_MISSING_OPPOSITE_ZERO, /**< zero with the other sign */
    SF8_MISSING_INF,     /**< infinity, or else the largest number, with the sign of the NaN */
    SF8_MISSING_NEG_ZERO /**< -0 */
};
/** negative: what a value below zero becomes in an unsigned format. SF8_NEG_CLAMP: 0. SF8_NEG_ABS:
 * its magnitude. SF8_NEG_NAN: NaN, or 0 if the mode rounds it toward zero. SF8_NEG_NAN_ALL: NaN. */
enum { SF8_NEG_CLAMP, SF8_NEG_ABS, SF8_NEG_NAN, SF8_NEG_NAN_ALL };
/** missing_zero: what zero, or a value that rounds to zero, becomes in a format without zero */
enum {
    SF8_ZERO_MIN,      /**< the smallest number */
    SF8_ZERO_NAN,      /**< NaN */
    SF8_ZERO_NAN_EXACT, /**< NaN for an exact zero, else the smallest number */
    SF8_ZERO_NAN_BELOW  /**< NaN for all values below the smallest number, before rounding */
};
/** tie_p1: a tie under rounding to nearest even, in a format with 1 bit of precision: to the even
 * code, or away from zero */
enum { SF8_TIE_CODE, SF8_TIE_AWAY };
/** odd: rounding to odd above the largest finite number. With `bounded` the result is that number
 * if its code is odd. With `neighbour` the value overflows, and the field `overflow` decides. */
enum { SF8_ODD_NEIGHBOUR, SF8_ODD_BOUNDED };
/** overflow_test: what is compared with the largest number to detect overflow: the rounded value
 * or the exact one. With `exponent`, a rounded value whose exponent field is all ones
 * overflows too, whatever its code means. */
enum { SF8_OVERFLOW_TEST_ROUNDED, SF8_OVERFLOW_TEST_EXACT, SF8_OVERFLOW_TEST_EXPONENT };
/** flush: whether subnormal operands, results or both are replaced by zero */
enum { SF8_FLUSH_NONE, SF8_FLUSH_INPUTS, SF8_FLUSH_OUTPUTS, SF8_FLUSH_BOTH };
/** tininess: detected after rounding, as if the exponent had no bound, or before rounding */
enum { SF8_TINY_AFTER, SF8_TINY_BEFORE };
/** inf_flags and nan_flags: the flag that is raised when an infinity, or a NaN, is replaced by
 * something else. (The field `quiet` has no enumerators: 1 means that every NaN of a format of 8
 * bits or less is quiet.) */
enum { SF8_LOST_INVALID, SF8_LOST_NONE, SF8_LOST_INEXACT, SF8_LOST_OVERFLOW };
/** integer: what a conversion to an integer gives for NaN and for a value out of range */
enum {
    SF8_INT_ZERO,       /**< NaN gives 0; saturates */
    SF8_INT_MAX,        /**< NaN gives the largest integer; saturates (RISC-V) */
    SF8_INT_INDEFINITE, /**< both give the smallest signed or the largest unsigned integer (x86) */
    SF8_INT_PTX /**< NaN gives 0, or the top bit alone from f64 or to 64 bits; saturates */
};
/** via: a conversion from a format that does not fit into the named format is two conversions, with
 * the named format between them. SF8_VIA_F32_F16 converts a source that does not fit into f32
 * to f32, then to f16, then to the result. With SF8_VIA_F32, formats of 8 bits or less are also
 * widened through f32. The first conversion rounds to nearest even, with _RZ toward zero. */
enum {
    SF8_VIA_NONE,
    SF8_VIA_F32,
    SF8_VIA_F16,
    SF8_VIA_BF16,
    SF8_VIA_F32_F16,
    SF8_VIA_F16_RZ,
    SF8_VIA_BF16_RZ
};
/** round_past_max: what a magnitude becomes that is rounded up from the largest finite number */
enum {
    SF8_ROUND_PAST_MAX_OVERFLOW, /**< as the field `overflow` says */
    SF8_ROUND_PAST_MAX_NEXT,     /**< the next code, whatever it means */
    SF8_ROUND_PAST_MAX_NAN       /**< NaN */
};
/** beyond_max: what a magnitude becomes that lies above the number of the next code and still fits
 * the exponent field */
enum {
    SF8_BEYOND_MAX_OVERFLOW, /**< as the field `overflow` says */
    SF8_BEYOND_MAX_NEXT,     /**< the code that follows by counting on */
    SF8_BEYOND_MAX_MAX       /**< the largest finite number, in a format without infinity */
};
/** above_least: rounding to nearest between the two smallest numbers of a format without zero: to
 * the nearest, or always up */
enum { SF8_ABOVE_NEAREST, SF8_ABOVE_UP };
/** below_normal: whether a subnormal magnitude may be rounded up to the smallest normal number, or
 * becomes the largest subnormal one; formats without zero have no subnormals */
enum { SF8_BELOW_ROUND, SF8_BELOW_STAY };
/** dialect: in P3109 the results of sign operations, minimum and maximum are projected, as those of
 * arithmetic are: the policy's rules for infinity and for negative values hold for them, too. x/0,
 * copy_sign(x, NaN) and a neighbour that does not exist are NaN. NaN is the lowest in the total
 * order. Formats of more than 8 bits have no -0: it is read as 0. */
enum { SF8_DIALECT_IEEE, SF8_DIALECT_P3109 };

/** The fields: X(name, bits, names of the values in order). */
#define SF8_POLICY_FIELDS(X)                                                                       \
    X(round, SF8_ROUND_BITS, SF8_ROUNDING_NAMES)                                                   \
    X(sr_rule, 2, "a b c")                                                                         \
    X(sr_bits, 6, "")                                                                              \
    X(overflow, 2, "max special inf zero")                                                         \
    X(inf, 2, "max special inf zero")                                                              \
    X(nan, 1, "kept as-missing")                                                                   \
    X(nan_code, 3, "quiet ones payload signaling bits")                                            \
    X(nan_sign, 2, "positive signed sign-bit")                                                     \
    X(made_nan_sign, 1, "positive signed")                                                         \
    X(missing_nan, 3, "max signed-max zero signed-zero opposite-zero inf neg-zero")                \
    X(negative, 2, "clamp abs nan nan-all")                                                        \
    X(missing_zero, 2, "min nan nan-exact nan-below")                                              \
    X(tie_p1, 1, "code away")                                                                      \
    X(odd, 1, "neighbour bounded")                                                                 \
    X(overflow_test, 2, "rounded exact exponent")                                                  \
    X(flush, 2, "none inputs outputs both")                                                        \
    X(tininess, 1, "after before")                                                                 \
    X(quiet, 1, "no yes")                                                                          \
    X(inf_flags, 2, "invalid none inexact overflow")                                               \
    X(nan_flags, 2, "invalid none inexact overflow")                                               \
    X(integer, 2, "zero max indefinite ptx")                                                       \
    X(dialect, 1, "ieee p3109")                                                                    \
    X(via, 3, "none f32 f16 bf16 f32-f16 f16:rz bf16:rz")                                          \
    X(round_past_max, 2, "overflow next nan")                                                      \
    X(beyond_max, 2, "overflow next max")                                                          \
    X(above_least, 1, "nearest up")                                                                \
    X(below_normal, 1, "round stay")

/** A policy. Its fields, listed in SF8_POLICY_FIELDS, are bit-fields of two 32-bit words, so that a
 * policy fits in one register. */
typedef struct sf8_policy {
#define SF8_FIELD(name, width, values) unsigned int name : width;
    SF8_POLICY_FIELDS(SF8_FIELD)
#undef SF8_FIELD
} sf8_policy;

/** The exception flags, with the bits of TestFloat. */
enum {
    SF8_INEXACT = 1,
    SF8_UNDERFLOW = 2,
    SF8_OVERFLOW = 4,
    SF8_DIVBYZERO = 8,
    SF8_INVALID = 16
};

/** The results of a comparison. */
enum { SF8_LESS = -1, SF8_EQUAL = 0, SF8_GREATER = 1, SF8_UNORDERED = 2 };
/** The classes of IEEE 754, in its order. */
enum {
    SF8_CLASS_SIGNALING_NAN,
    SF8_CLASS_QUIET_NAN,
    SF8_CLASS_NEG_INFINITY,
    SF8_CLASS_NEG_NORMAL,
    SF8_CLASS_NEG_SUBNORMAL,
    SF8_CLASS_NEG_ZERO,
    SF8_CLASS_POS_ZERO,
    SF8_CLASS_POS_SUBNORMAL,
    SF8_CLASS_POS_NORMAL,
    SF8_CLASS_POS_INFINITY
};

/** A result: a code, and the exception flags that the operation raised. */
typedef struct sf8_result {
    uint64_t code;
    uint32_t flags;
} sf8_result;

/** Returns a result made of its parts. */
SF8_FN sf8_result sf8_result_of(uint64_t code, uint32_t flags)
{
    sf8_result r;
    r.code = code;
    r.flags = flags;
    return r;
}

/** Returns 1 if a mode rounds to nearest, whatever it does with ties. */
SF8_FN int32_t sf8_rounds_to_nearest(uint32_t round)
{
#define SF8_ROUNDING_BIT(mode, name, nearest) | (uint32_t)(nearest) << (mode)
    return (int32_t)((0u SF8_ROUNDINGS(SF8_ROUNDING_BIT)) >> round & 1);
#undef SF8_ROUNDING_BIT
}

/** Returns the policy `ocp`: every field is 0 except sr_bits, which is 16. (It is an initialiser of
 * all fields instead of memset, so that it folds.) */
SF8_FN sf8_policy sf8_policy_default(void)
{
#define SF8_FIELD(name, width, values) 0,
    sf8_policy policy = {SF8_POLICY_FIELDS(SF8_FIELD)};
#undef SF8_FIELD
    policy.sr_bits = 16;
    return policy;
}

#endif
