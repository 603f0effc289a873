/* SPDX-License-Identifier: MIT */
/* policy.h -- how an operation rounds and what it gives where a format has no answer
 *
 * A policy belongs to an operation, never to a format. It is a value of 8 bytes, `sf8_policy`,
 * whose fields are listed once, in SF8_POLICY_FIELDS; the named policies are rows of SF8_POLICIES
 * that set some of them. A field that is not set is 0, the first of its values, so a policy of all
 * zeros is a policy too. docs/spec says what each value means, input class by input class.
 */
#ifndef SOFTFP8_POLICY_H
#define SOFTFP8_POLICY_H

#include "softfp8/number/bits.h"

/* round: the one list of the modes but stochastic rounding, which comes last. A mode to nearest
 * differs from the others of its kind in ties alone. */
/*    enumerator name   to nearest */
#define SF8_ROUNDINGS(X)                                                                           \
    X(SF8_RNE, "rne", 1)                                                                           \
    X(SF8_RNA, "rna", 1)                                                                           \
    X(SF8_RZ, "rz", 0)                                                                             \
    X(SF8_RU, "ru", 0)                                                                             \
    X(SF8_RD, "rd", 0)                                                                             \
    X(SF8_RO, "ro", 0)                                                                             \
    X(SF8_RNZ, "rnz", 1)
#define SF8_ROUND_BITS 3 /* of the field */
#define SF8_ROUND_MASK ((1u << SF8_ROUND_BITS) - 1)

#define SF8_ROUNDING_MODE(mode, name, nearest) mode,
enum { SF8_ROUNDINGS(SF8_ROUNDING_MODE) SF8_SR };
#undef SF8_ROUNDING_MODE
/* For an array of the names, and all of them as one text. */
#define SF8_ROUNDING_NAME(mode, name, nearest) name,
#define SF8_ROUNDING_WORD(mode, name, nearest) name " "
#define SF8_ROUNDING_NAMES SF8_ROUNDINGS(SF8_ROUNDING_WORD) "sr"
/* sr_rule: IEEE P3109's StochasticA, B, C, on sr_bits random bits */
enum { SF8_SR_A, SF8_SR_B, SF8_SR_C };
/* overflow (a finite value too large) and inf (an infinite value) */
enum {
    SF8_TO_MAX,     /* the largest finite number */
    SF8_TO_SPECIAL, /* infinity, where there is none NaN, where there is neither the largest */
    SF8_TO_INF,     /* infinity, where there is none the largest finite number */
    SF8_TO_ZERO     /* infinity, where there is none NaN, where there is neither zero */
};
/* nan: a NaN in a format that has one */
enum { SF8_NAN_KEPT, SF8_NAN_AS_MISSING };
/* nan_code: which NaN, in a format of the IEEE kind */
enum {
    SF8_NAN_QUIET,   /* only the quiet bit */
    SF8_NAN_ONES,    /* every mantissa bit */
    SF8_NAN_PAYLOAD, /* the operand's leading mantissa bits, and the quiet bit */
    SF8_NAN_SIGNALING, /* only the last mantissa bit */
    SF8_NAN_BITS /* the operand's leading mantissa bits as they are: infinity if all are 0 */
};
/* nan_sign: the sign of a NaN that came from a NaN operand */
enum {
    SF8_NAN_POSITIVE,
    SF8_NAN_SIGNED,  /* the operand's; the one NaN at the code of -0 counts as positive */
    SF8_NAN_SIGN_BIT /* the operand's sign bit, in the one NaN at the code of -0 too */
};
/* made_nan_sign: the sign of a NaN made from an overflow or an infinity */
enum { SF8_MADE_POSITIVE, SF8_MADE_SIGNED };
/* missing_nan: a NaN in a format without one; its sign is the operand's, whatever nan_sign says but
 * for the one NaN at the code of -0, which is negative under SF8_NAN_SIGN_BIT */
enum {
    SF8_MISSING_MAX,          /* the largest finite number, positive */
    SF8_MISSING_SIGNED_MAX,   /* the same with the sign of the NaN */
    SF8_MISSING_ZERO,         /* +0 */
    SF8_MISSING_SIGNED_ZERO,  /* zero with the sign of the NaN */
    SF8_MISSING_OPPOSITE_ZERO, /* zero with the other sign */
    SF8_MISSING_INF, /* infinity with the NaN's sign; where there is none, the largest number */
    SF8_MISSING_NEG_ZERO /* -0 */
};
/* negative: a value below zero in an unsigned format: 0; its magnitude; NaN, but 0 where the mode
 * rounds it toward zero; NaN */
enum { SF8_NEG_CLAMP, SF8_NEG_ABS, SF8_NEG_NAN, SF8_NEG_NAN_ALL };
/* missing_zero: zero, or a value that rounds to it, in a format without zero */
enum {
    SF8_ZERO_MIN,      /* the smallest number */
    SF8_ZERO_NAN,      /* NaN */
    SF8_ZERO_NAN_EXACT, /* NaN for an exact zero, else the smallest number */
    SF8_ZERO_NAN_BELOW  /* NaN for zero and all below the smallest number, before rounding */
};
/* tie_p1: halfway between two codes where the precision is 1 bit, rounding to nearest even */
enum { SF8_TIE_CODE, SF8_TIE_AWAY };
/* odd: rounding to odd between the largest finite number and what lies above it */
enum { SF8_ODD_NEIGHBOUR, SF8_ODD_BOUNDED };
/* early: overflow is found by comparing the rounded value with the largest number, or the exact
 * one; or it is also a rounded value whose exponent field is all ones, whatever that stands for */
enum { SF8_EARLY_NO, SF8_EARLY_YES, SF8_EARLY_EXPONENT };
/* flush: subnormal operands and results replaced by zero */
enum { SF8_FLUSH_NONE, SF8_FLUSH_INPUTS, SF8_FLUSH_OUTPUTS, SF8_FLUSH_BOTH };
/* tininess is detected on the result rounded as if the exponent had no bound, or before rounding */
enum { SF8_TINY_AFTER, SF8_TINY_BEFORE };
/* quiet: every NaN of a format of 8 bits or less is quiet */
/* inf_flags, nan_flags: raised when an infinity, a NaN is replaced by something else */
enum { SF8_LOST_INVALID, SF8_LOST_NONE, SF8_LOST_INEXACT, SF8_LOST_OVERFLOW };
/* integer: what a conversion to an integer gives for a NaN and for a value out of range */
enum {
    SF8_INT_ZERO,       /* NaN 0; saturates */
    SF8_INT_MAX,        /* NaN the largest; saturates (RISC-V) */
    SF8_INT_INDEFINITE, /* both: the smallest signed, the largest unsigned (x86) */
    SF8_INT_PTX         /* NaN 0, and 2^63 for the 64-bit types; saturates */
};
/* via: from a format that does not fit into this one a conversion is two, by way of it; in
 * SF8_VIA_F32_F16 f64 comes to f16 by way of f32. With SF8_VIA_F32 formats of 8 bits or less are
 * widened to others than f32 by way of it too. */
enum { SF8_VIA_NONE, SF8_VIA_F32, SF8_VIA_F16, SF8_VIA_BF16, SF8_VIA_F32_F16 };
/* carry: a magnitude that is rounded up from the largest finite number */
enum {
    SF8_CARRY_OVERFLOW, /* what `overflow` says */
    SF8_CARRY_NEXT,     /* the next code, whatever it stands for */
    SF8_CARRY_NAN       /* NaN */
};
/* band: a magnitude above the next code's number that still fits the exponent field */
enum {
    SF8_BAND_OVERFLOW, /* what `overflow` says */
    SF8_BAND_NEXT,     /* the code that counting on gives */
    SF8_BAND_MAX       /* the largest finite number, in a format without infinity */
};
/* above_least: rounding to nearest between the two smallest numbers of a format without zero */
enum { SF8_ABOVE_NEAREST, SF8_ABOVE_UP };
/* below_normal: whether a subnormal magnitude may be rounded up to the smallest normal number, or
 * stays the largest subnormal one; in a format without zero there is none */
enum { SF8_BELOW_ROUND, SF8_BELOW_STAY };
/* dialect: P3109 has x/0 = NaN and next_up(inf) = NaN, and orders NaN lowest */
enum { SF8_DIALECT_IEEE, SF8_DIALECT_P3109 };

/*     field          bits  names of the values, in order */
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
    X(early, 2, "no yes exponent")                                                                 \
    X(flush, 2, "none inputs outputs both")                                                        \
    X(tininess, 1, "after before")                                                                 \
    X(quiet, 1, "no yes")                                                                          \
    X(inf_flags, 2, "invalid none inexact overflow")                                               \
    X(nan_flags, 2, "invalid none inexact overflow")                                               \
    X(integer, 2, "zero max indefinite ptx")                                                       \
    X(dialect, 1, "ieee p3109")                                                                    \
    X(via, 3, "none f32 f16 bf16 f32-f16")                                                         \
    X(carry, 2, "overflow next nan")                                                               \
    X(band, 2, "overflow next max")                                                                \
    X(above_least, 1, "nearest up")                                                                \
    X(below_normal, 1, "round stay")

/* All fields are bit-fields of two 32-bit words, so that a policy travels in one register. */
typedef struct sf8_policy {
#define SF8_FIELD(name, width, values) unsigned int name : width;
    SF8_POLICY_FIELDS(SF8_FIELD)
#undef SF8_FIELD
} sf8_policy;

/* The exception flags, TestFloat's bits. */
enum {
    SF8_INEXACT = 1,
    SF8_UNDERFLOW = 2,
    SF8_OVERFLOW = 4,
    SF8_DIVBYZERO = 8,
    SF8_INVALID = 16
};

/* The results of comparisons, and IEEE 754's classes in its order. */
enum { SF8_LESS = -1, SF8_EQUAL = 0, SF8_GREATER = 1, SF8_UNORDERED = 2 };
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

typedef struct sf8_result {
    uint64_t code;
    uint32_t flags;
} sf8_result;

SF8_FN sf8_result sf8_result_of(uint64_t code, uint32_t flags)
{
    sf8_result r;
    r.code = code;
    r.flags = flags;
    return r;
}

/* Whether a mode rounds to nearest, whatever it does with ties. */
SF8_FN int32_t sf8_rounds_to_nearest(uint32_t round)
{
#define SF8_ROUNDING_BIT(mode, name, nearest) | (uint32_t)(nearest) << (mode)
    return (int32_t)((0u SF8_ROUNDINGS(SF8_ROUNDING_BIT)) >> round & 1);
#undef SF8_ROUNDING_BIT
}

/* The policy `ocp`: every field 0 but the number of random bits, 16. (An initialiser of all fields,
 * not memset, so that it folds.) */
SF8_FN sf8_policy sf8_policy_default(void)
{
#define SF8_FIELD(name, width, values) 0,
    sf8_policy policy = {SF8_POLICY_FIELDS(SF8_FIELD)};
#undef SF8_FIELD
    policy.sr_bits = 16;
    return policy;
}

#endif
