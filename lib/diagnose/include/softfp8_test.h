/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_test.h -- assertions for tests of kernels: a failure says what the kernel did instead
 *
 * Link softfp8_diagnose before softfp8. With plain assert:
 *
 *     SF8_ASSERT_CAST(SF8_F32, x, SF8_E4M3, codes, n, "ocp"); // prints what differs, and aborts
 *
 * With Criterion, GoogleTest, Catch2 or another framework, a check returns NULL or a message:
 *
 *     char *why = sf8_check_cast(SF8_F32, x, SF8_E4M3, codes, n, "ocp");
 *     cr_assert_null(why, "%s", why);                           // Criterion
 *     ASSERT_EQ(why, nullptr) << why;                           // GoogleTest
 *     INFO((why ? why : "")); REQUIRE(why == nullptr);          // Catch2
 *     sf8_check_free(why);
 */
#ifndef SOFTFP8_TEST_H
#define SOFTFP8_TEST_H

#include "softfp8_diagnose.h"
#include "softfp8_judge.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- checks ---------------------------------------------------------------------------------- */

/** Compares the results of a cast with those of softfp8.
 * @param from   the format of the operands
 * @param inputs their codes or, of f32, f16 and f64, the numbers themselves
 * @param to     the format of the results
 * @param got    their codes
 * @param count  how many
 * @param policy the policy, as sf8_cast_results.expected; NULL: "ocp"
 * @return NULL if every code is right; else a message, which sf8_check_free() frees */
SF8_API char *sf8_check_cast(sf8_format from, const void *inputs, sf8_format to, const void *got,
                             size_t count, const char *policy);
/** Compares codes with others.
 * @param f     their format
 * @param got   what the implementation returned
 * @param want  what was expected
 * @param count how many
 * @return as sf8_check_cast() */
SF8_API char *sf8_check_codes(sf8_format f, const void *got, const void *want, size_t count);
/** Judges the results of a cast whose operands are uncertain, as sf8_judge_cast().
 * @param from      the format of the operands
 * @param inputs    the operands
 * @param to        the format of the results
 * @param got       what the implementation returned
 * @param count     how many
 * @param policy    as for sf8_check_cast()
 * @param uncertain how far the values that the kernel rounds may be from the operands: "bf16/2"
 * @return NULL if the uncertainty excuses every code that differs, and the flips are not one-sided;
 *     else a message */
SF8_API char *sf8_check_cast_within(sf8_format from, const void *inputs, sf8_format to,
                                    const void *got, size_t count, const char *policy,
                                    const char *uncertain);
/** Judges scales and codes of blocks, as sf8_judge_blocks().
 * @return as sf8_check_cast_within() */
SF8_API char *sf8_check_blocks_within(const sf8_block_flips *flips);
/** Compares an output of attention with what should have been computed.
 * @param results the request, the output, and the order or the error bound that it should follow
 * @return NULL if it is as expected; else a message, which sf8_check_free() frees */
SF8_API char *sf8_check_attention(const sf8_attention_results *results);
/** Compares two outputs of the same request of attention.
 * @param results both outputs
 * @return NULL if every bit is equal; else a message, which sf8_check_free() frees */
SF8_API char *sf8_check_same_attention(const sf8_same_attention_results *results);
/** Frees a message; NULL is good. */
SF8_API void sf8_check_free(char *message);

/** @{ Prints the message on stderr and aborts, if a check fails. */
#define SF8_ASSERT_CAST(from, inputs, to, got, count, policy)                                      \
    SF8_ASSERT_CHECK(sf8_check_cast(from, inputs, to, got, count, policy))
#define SF8_ASSERT_CODES(f, got, want, count) SF8_ASSERT_CHECK(sf8_check_codes(f, got, want, count))
#define SF8_ASSERT_CAST_WITHIN(from, inputs, to, got, count, policy, uncertain)                    \
    SF8_ASSERT_CHECK(sf8_check_cast_within(from, inputs, to, got, count, policy, uncertain))
#define SF8_ASSERT_BLOCKS_WITHIN(flips) SF8_ASSERT_CHECK(sf8_check_blocks_within(flips))
#define SF8_ASSERT_ATTENTION(results) SF8_ASSERT_CHECK(sf8_check_attention(results))
#define SF8_ASSERT_SAME_ATTENTION(results) SF8_ASSERT_CHECK(sf8_check_same_attention(results))
#define SF8_ASSERT_CHECK(check)                                                                    \
    do {                                                                                           \
        char *sf8_message = (check);                                                               \
        if (sf8_message) {                                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, sf8_message);                       \
            abort();                                                                               \
        }                                                                                          \
    } while (0)
/** @} */

/* ---- all that can be compared ---------------------------------------------------------------- */

/** Results, and what they should be. Arrays have one code after the other, each in 1, 2, 4 or 8
 * bytes, the fewest that hold it. */
typedef struct sf8_test {
    sf8_format to;          /**< of the results */
    const void *got;        /**< the results */
    const void *want;       /**< what should have come; NULL: what the operand converts to */
    size_t count;           /**< how many */
    sf8_format from;        /**< of the operands */
    const void *operand[3]; /**< the operands; NULL after the last */
    const char *policy;     /**< of the conversion, as sf8_cast_results.expected; NULL: "ocp" */
    const uint32_t *random; /**< for stochastic rounding a word for each; or NULL */
    int any_nan;            /**< 1: all codes of NaN count as equal */
    const size_t *shape;    /**< of the tensor, `axes` numbers; NULL: it has one axis */
    size_t axes;
    const char *to_name, *from_name; /**< of the formats, for the message; NULL: the library's */
    const char *mistake;             /**< a mistake that is known already; NULL: it is looked for */
} sf8_test;

/** Inputs that differ: all that were given from one to another. For both: */
typedef struct sf8_failure_range {
    size_t element[2];                      /**< an element that has it */
    uint64_t input[2], got[2], expected[2]; /**< codes */
} sf8_failure_range;

/** What differs. A text that there is not is "". */
typedef struct sf8_failure {
    size_t differ;                   /**< elements that differ */
    const char *message;             /**< all of it in lines, without the last end of line */
    const char *expected;            /**< what was expected: "f32 to e4m3, policy ocp, rne" */
    const char *matches;             /**< what gives every code: "ocp, rz, on all inputs" */
    const char *mistake;             /**< the likely mistake: "rounds toward zero" */
    const char *seen;                /**< where no mistake is known, what can be seen */
    const char *nearest;             /**< where nothing gives every code, what gives most */
    size_t range_count;              /**< ranges of inputs that differ, if there is one operand */
    const sf8_failure_range *ranges; /**< the first of them, 64 at most */
} sf8_failure;

/** Compares results with what they should be.
 * @param test    the results
 * @param failure receives NULL if all are right; else what differs, for sf8_failure_free()
 * @return SF8_OK, also if they differ; SF8_UNKNOWN_NAME if there is no such policy for this
 *     conversion; SF8_BAD_FORMAT; SF8_BAD_CALL if there is neither `want` nor one operand, or a
 *     code is wider than its format; SF8_NO_ROOM without enough memory */
SF8_API sf8_status sf8_test_results(const sf8_test *test, sf8_failure **failure);
/** Frees a failure; NULL is good. */
SF8_API void sf8_failure_free(sf8_failure *failure);

#ifdef __cplusplus
}
#endif

#endif
