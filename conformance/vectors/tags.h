/* SPDX-License-Identifier: MIT */
/* tags.h -- why a case of a JSON file is worth testing: the tags, each with a sentence
 *
 * A tag is a fact about a case, computed from its inputs. docs/spec/vectors.md has the same table.
 */
#ifndef SOFTFP8_CONFORM_TAGS_H
#define SOFTFP8_CONFORM_TAGS_H

#include <stddef.h>
#include <stdint.h>

/* X(enumerator, name, sentence) */
#define VECTOR_TAGS(X)                                                                             \
    X(EXACT, "exact", "The exact result is a value of the target; nothing is rounded.")            \
    X(ROUNDED, "rounded", "The exact result lies between two values of the target, not halfway.")  \
    X(TIE, "tie", "The exact result lies halfway between two neighbouring values of the target.")  \
    X(NEAR_TIE, "near-tie", "The next smaller or next larger input gives a tie.")                  \
    X(TIE_AT_MAX, "tie-to-even-at-max",                                                            \
      "A tie just above the largest finite number: ties to even overflow only if its code is "     \
      "odd.")                                                                                      \
    X(ABOVE_MAX, "above-max",                                                                      \
      "The exact result is beyond the largest finite number, but rounding does not overflow.")     \
    X(OVERFLOW, "overflow", "The rounded result is beyond the largest finite number.")             \
    X(OVERFLOW_464, "overflow-464",                                                                \
      "The exact result lies between 448 and 480, the next step of e4m3. Up to 464, rounding to "  \
      "nearest gives 448; above, it overflows.")                                                   \
    X(SATURATED, "saturated", "Overflow or infinity becomes the largest finite number.")           \
    X(OVERFLOW_TO_NAN, "overflow-to-nan", "Overflow or infinity becomes NaN.")                     \
    X(OVERFLOW_TO_INFINITY, "overflow-to-infinity", "Overflow becomes infinity.")                  \
    X(SUBNORMAL, "subnormal", "The result is a subnormal number.")                                 \
    X(SUBNORMAL_BOUNDARY, "subnormal-boundary",                                                    \
      "The exact result lies between the largest subnormal and the smallest normal number.")       \
    X(TININESS, "tininess",                                                                        \
      "Underflow depends on whether it is detected before or after rounding.")                     \
    X(UNDERFLOW_TO_ZERO, "underflow-to-zero", "An exact result other than zero becomes zero.")     \
    X(DOUBLE_ROUNDING_F32, "double-rounding-f32",                                                  \
      "Rounding to f32 first and then to the target gives another code.")                          \
    X(DOUBLE_ROUNDING_F16, "double-rounding-f16",                                                  \
      "Rounding to f16 first and then to the target gives another code.")                          \
    X(DOUBLE_ROUNDING_BF16, "double-rounding-bf16",                                                \
      "Rounding to bf16 first and then to the target gives another code.")                         \
    X(FUSED, "fused", "Rounding the product before the addition gives another result.")            \
    X(STOCHASTIC, "stochastic", "The random number decides to which neighbour it is rounded.")     \
    X(FLUSHED, "flushed", "The policy replaces a subnormal input or result by zero.")              \
    X(NAN, "nan", "An input is NaN.")                                                              \
    X(SIGNALING_NAN, "signaling-nan", "An input is a signaling NaN.")                              \
    X(NAN_PAYLOAD, "nan-payload", "An input is a NaN with bits set besides the quiet bit.")        \
    X(MISSING_NAN, "missing-nan", "An input is NaN, and the target has no NaN.")                   \
    X(INFINITE, "infinity", "An input is infinite.")                                               \
    X(NEG_ZERO, "neg-zero", "An input or the result is -0.")                                       \
    X(MISSING_NEG_ZERO, "missing-neg-zero",                                                        \
      "The correctly signed result would be -0, which the target does not have.")                  \
    X(ZERO_SIGN, "zero-sign",                                                                      \
      "The result is an exact zero whose sign depends on the rounding "                            \
      "mode.")                                                                                     \
    X(NEGATIVE_UNSIGNED, "negative-unsigned", "A negative value, and an unsigned target.")         \
    X(INVALID, "invalid", "No input is NaN, but the operation has no number as its result.")       \
    X(DIVBYZERO, "divbyzero", "A finite number is divided by zero.")                               \
    X(OUT_OF_RANGE, "out-of-range", "The value does not fit into the integer.")                    \
    X(AMAX_POWER_OF_TWO, "amax-power-of-two",                                                      \
      "The largest magnitude of a block is a power of two, or next to one.")                       \
    X(ZERO_BLOCK, "zero-block", "All elements of a block are zero.")                               \
    X(SHORT_BLOCK, "short-block", "The last block of a row is not full.")                          \
    X(SCALE_ROUNDED, "scale-rounded", "The scale of a block is rounded when it is stored.")        \
    X(SCALE_TIE, "scale-tie", "A scale lies halfway between two values of its format.")            \
    X(SCALE_SUBNORMAL, "scale-subnormal", "The code of a scale is that of a subnormal number.")    \
    X(SCALE_UNDERFLOW, "scale-underflow",                                                          \
      "A scale other than zero is too small for its format: zero or its smallest code is stored.") \
    X(SCALE_OVERFLOW, "scale-overflow", "A scale is too large for its format.")                    \
    X(SCALE_NAN, "scale-nan", "The code of a scale is NaN.")                                       \
    X(ELEMENT_TIE, "element-tie",                                                                  \
      "An element, after scaling, lies halfway between two codes or integers.")                    \
    X(ELEMENT_SATURATED, "element-saturated",                                                      \
      "An element, after scaling, is beyond the largest code and is clipped.")                     \
    X(ELEMENT_ZERO, "element-underflow-to-zero",                                                   \
      "An element other than zero gets a code of zero.")                                           \
    X(ORDER, "sum-order", "Summing the products in another order gives another result.")           \
    X(FRACTION, "sum-fraction",                                                                    \
      "Keeping one bit more or less of each product gives another result.")                        \
    X(SUM_LENGTH, "sum-length",                                                                    \
      "Summing another number of products at once gives another result.")                          \
    X(SUM_ROUND, "sum-rounding", "Rounding the sum in another mode gives another result.")         \
    X(SUM_CUT, "sum-cut", "Cutting products down instead of toward zero gives another result.")    \
    X(SUM_ZERO, "sum-zero", "The exponent that the unit gives to a zero decides the result.")      \
    X(SUM_FORMAT, "sum-precision",                                                                 \
      "A sum with one bit more or less, or of the result's full precision, gives another result.") \
    X(SUM_UNDERFLOW, "sum-underflow",                                                              \
      "The sum rounds to zero, and the unit decides whether that zero has a sign.")                \
    X(SUM_PRODUCTS, "sum-products",                                                                \
      "Taking the exponent of a product after normalising it gives another result.")               \
    X(EMPTY_PART, "empty-part", "A part has no keys: its lse is minus infinity.")                  \
    X(WEIGHT_UNDERFLOW, "weight-underflow",                                                        \
      "The weight of one part is zero, because its lse is far below that of the other.")           \
    X(EQUAL_LSE, "equal-lse", "Both parts have the same lse.")                                     \
    X(PART_ORDER, "part-order", "Exchanging the two parts gives another result.")                  \
    X(ONE_KEY, "one-key", "There is a single key, whose weight is 1.")                             \
    X(EQUAL_SCORES, "equal-scores", "All keys have the same score.")                               \
    X(IDLE_KEY, "idle-key", "Without one of the keys the result is the same.")                     \
    X(SKIPPED_TOKEN, "skipped-token", "A token has no slot and is not stored.")                    \
    X(SLOTS_ORDER, "slots-out-of-order", "Tokens that follow one another have slots that do not.")    \
    X(PLAIN, "plain", "An ordinary case: none of the other tags holds.")

typedef enum vector_tag {
#define VECTOR_TAG(id, name, text) TAG_##id,
    VECTOR_TAGS(VECTOR_TAG)
#undef VECTOR_TAG
        TAG_COUNT
} vector_tag;

/* A set of tags: bit 1 << TAG_x. */
typedef uint64_t vector_tags;

static inline vector_tags tag_if(int holds, vector_tag tag)
{
    return holds ? UINT64_C(1) << tag : 0;
}

const char *tag_name(vector_tag tag);
const char *tag_text(vector_tag tag);
/* TAG_COUNT if there is no such tag. */
vector_tag tag_named(const char *name);

#endif
