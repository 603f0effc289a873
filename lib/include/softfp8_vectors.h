/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_vectors.h -- golden vectors: functions by name, step tables and their text
 *
 * A function is what a vector file tests: `e4m3_add`, `f32_to_e4m3`, `e5m2_lt`, with the names of
 * TestFloat. A step table describes a whole conversion, for every input: the result is constant
 * from the first input of a row up to the first input of the next row. vectors/README.md has the
 * grammar of its text. No function of this header opens a file.
 */
#ifndef SOFTFP8_VECTORS_H
#define SOFTFP8_VECTORS_H

#include "softfp8.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- functions by name ----------------------------------------------------------------------- */

#define SF8_NAME_SIZE 128 /**< enough for the name of any function and its closing 0 */

/** What kind of operand or result this is. */
typedef enum sf8_word_kind {
    SF8_WORD_FLOAT,  /**< a code of `format` */
    SF8_WORD_SIGNED, /**< an integer in two's complement */
    SF8_WORD_UNSIGNED,
    SF8_WORD_BOOL, /**< 0 or 1 */
    SF8_WORD_CLASS /**< SF8_CLASS_*, 0 to 9 */
} sf8_word_kind;

/** The type of an operand or a result. */
typedef struct sf8_word {
    sf8_word_kind kind;
    int32_t bits;      /**< its width; 1 for BOOL, 4 for CLASS */
    sf8_format format; /**< if kind is FLOAT */
} sf8_word;

#define SF8_EXTREMUM_FUNCTION(X, op, greater, magnitude, number) X(op, 2, FLOAT, 0)
/** The list of the operations: X(name, number of operands, type of the result, 1 if the result is
 * rounded where operands and result have one format). */
#define SF8_FUNCTION_OPS(X)                                                                        \
    X(add, 2, FLOAT, 1)                                                                            \
    X(sub, 2, FLOAT, 1)                                                                            \
    X(mul, 2, FLOAT, 1)                                                                            \
    X(mulAdd, 3, FLOAT, 1)                                                                         \
    X(div, 2, FLOAT, 1)                                                                            \
    X(rem, 2, FLOAT, 0)                                                                            \
    X(sqrt, 1, FLOAT, 1)                                                                           \
    X(roundToInt, 1, FLOAT, 1)                                                                     \
    X(eq, 2, BOOL, 0)                                                                              \
    X(le, 2, BOOL, 0)                                                                              \
    X(lt, 2, BOOL, 0)                                                                              \
    X(eq_signaling, 2, BOOL, 0)                                                                    \
    X(le_quiet, 2, BOOL, 0)                                                                        \
    X(lt_quiet, 2, BOOL, 0)                                                                        \
    SF8_EXTREMA(SF8_EXTREMUM_FUNCTION, X)                                                          \
    X(total_order, 2, BOOL, 0)                                                                     \
    X(copy_sign, 2, FLOAT, 0)                                                                      \
    X(negate, 1, FLOAT, 0)                                                                         \
    X(abs, 1, FLOAT, 0)                                                                            \
    X(next_up, 1, FLOAT, 0)                                                                        \
    X(next_down, 1, FLOAT, 0)                                                                      \
    X(class, 1, CLASS, 0)                                                                          \
    X(is_one, 1, BOOL, 0)                                                                          \
    X(recip, 1, FLOAT, 1)                                                                          \
    X(rsqrt, 1, FLOAT, 1)                                                                          \
    X(hypot, 2, FLOAT, 1)                                                                          \
    X(faa, 3, FLOAT, 1)                                                                            \
    X(clamp, 3, FLOAT, 0)                                                                          \
    X(minimum_finite, 2, FLOAT, 0)                                                                 \
    X(maximum_finite, 2, FLOAT, 0)

/** An operation. */
typedef enum sf8_function_op {
    SF8_OP_CONVERT,
    SF8_OP_FROM_INTEGER,
    SF8_OP_TO_INTEGER,
#define SF8_OP_ENUMERATOR(name, operands, result, rounds) SF8_OP_##name,
    SF8_FUNCTION_OPS(SF8_OP_ENUMERATOR)
#undef SF8_OP_ENUMERATOR
        SF8_OP_COUNT
} sf8_function_op;

/** A function: an operation with the types of its operands and of its result. */
typedef struct sf8_function {
    char name[SF8_NAME_SIZE];
    sf8_function_op op;
    int32_t operands; /**< 1 to 3 */
    sf8_word operand[3];
    sf8_word result;
} sf8_function;

/** Finds a function by its name.
 *
 * @param name     `<float>_<op>`, `<float>_to_<float>`, `<int>_to_<float>` or `<float>_to_<int>`,
 *     where `<float>` is the name of a format and `<int>` one of i8 i16 i32 i64 ui8 ui16 ui32 ui64;
 *     `fma` and `rint` are accepted for mulAdd and roundToInt. Operations of sf8_mixed may also
 *     be `<float>_..._<op>_to_<float>`, with one format for all operands or one for each, and the
 *     format of the result: `e4m3_e5m2_mul_to_f32`, `f32_add_to_f16`
 * @param function receives the function
 * @return SF8_UNKNOWN_NAME for another name; SF8_BAD_FORMAT if the format does not have the
 *     operation (arithmetic with a precision above 24) */
SF8_API sf8_status sf8_function_named(const char *name, sf8_function *function);
/** Returns the conversion between two formats. Its name is left for the caller to set. */
SF8_API sf8_function sf8_function_convert(sf8_format from, sf8_format to);
/** Returns 1 if the function's result is rounded: a conversion, arithmetic except rem, roundToInt,
 * and each operation whose result has another format than an operand. */
SF8_API int32_t sf8_function_rounds(const sf8_function *function);
/** Returns the name of the i-th operation of SF8_FUNCTION_OPS, or NULL past the end. */
SF8_API const char *sf8_function_op_at(size_t i);
/** Finds a type by its name, a format or an integer. Returns SF8_UNKNOWN_NAME, and leaves *word
 * unchanged, if there is none. */
SF8_API sf8_status sf8_word_named(const char *name, sf8_word *word);

/** Computes a function.
 *
 * @param function the function; an integer has 8, 16, 32 or 64 bits
 * @param operands its operands; bits above their width are ignored
 * @param policy   rounding and the rest
 * @param random   the random number of stochastic rounding
 * @param exact    1: roundToInt and conversions to integers raise SF8_INEXACT
 * @return the result and the flags; the code 0 and SF8_UNSUPPORTED for an invalid format, and for
 *     an integer of another width */
SF8_API sf8_result sf8_function_call(const sf8_function *function, const uint64_t *operands,
                                     sf8_policy policy, uint32_t random, int32_t exact);

/* ---- step tables ----------------------------------------------------------------------------- */

/** A row of a step table: from the input `first` on, the result is `code` with `flags`. */
typedef struct sf8_step {
    uint64_t first;
    uint64_t code;
    uint32_t flags;
} sf8_step;

/** A walk over the steps of a conversion, in the order of the inputs as unsigned integers.
 * Neighbouring rows differ, and the first row begins at 0. The fields are private. */
typedef struct sf8_steps {
    sf8_format from, to;
    sf8_policy policy;
    uint32_t random;
    int32_t done;
    int32_t every; /**< 1: every input is looked at; else see steps.c */
    uint64_t at;   /**< the first input of the next row */
    uint64_t next; /**< the magnitude of `to` where the stretch of `at` ends */
} sf8_steps;

/** Begins a walk over the conversion from `from` to `to`; `random` is the random number of
 * stochastic rounding. Returns SF8_BAD_FORMAT for an invalid format, or if both formats have more
 * than 20 bits: such a table is too large for a file. */
SF8_API sf8_status sf8_steps_begin(sf8_steps *walk, sf8_format from, sf8_format to,
                                   sf8_policy policy, uint32_t random);
/** Writes the next row to *step and returns 1, or returns 0 past the last one. */
SF8_API int32_t sf8_steps_next(sf8_steps *walk, sf8_step *step);

/** Returns the index of the row that applies to an input: the last one whose `first` is not above
 * `word`. The rows must be in order, and steps[0].first must be 0. */
SF8_API size_t sf8_steps_find(const sf8_step *steps, size_t count, uint64_t word);

/** The head of a step table: what its text says before the rows. */
typedef struct sf8_steps_head {
    char from_name[SF8_NAME_SIZE], to_name[SF8_NAME_SIZE];
    char policy_name[SF8_NAME_SIZE]; /**< the named policy it was made from; only `policy` counts */
    sf8_format from, to;
    sf8_policy policy;
    uint32_t random;
} sf8_steps_head;

/** A function that receives a piece of text. It returns 0 to continue, and another value to stop
 * the writer. */
typedef int32_t (*sf8_put)(void *context, const char *text, size_t size);

/** The state of a writer of step tables. Call sf8_steps_write_head, then sf8_steps_write_row for
 * each row in order, then sf8_steps_write_end. The text ends with the SHA-256 of everything before
 * it. */
typedef struct sf8_steps_writer {
    sf8_put put;
    void *context;
    int32_t from_digits, to_digits;
    uint64_t rows;
    unsigned char digest[112]; /**< of the text so far */
} sf8_steps_writer;

/** @{ Writes the head, a row, or the end of a step table.
 *
 * Returns SF8_NO_ROOM if `put` stopped the writer. What the grammar cannot express is refused:
 * SF8_BAD_TEXT for a name with characters other than letters, digits and `_.-=,`, and for a
 * policy or a row with a value out of range; SF8_BAD_FORMAT for an invalid format, or one that has
 * the name of a different format. */
SF8_API sf8_status sf8_steps_write_head(sf8_steps_writer *writer, const sf8_steps_head *head,
                                        sf8_put put, void *context);
SF8_API sf8_status sf8_steps_write_row(sf8_steps_writer *writer, const sf8_step *step);
SF8_API sf8_status sf8_steps_write_end(sf8_steps_writer *writer);
/** @} */
/** Writes the whole step table of the conversion that the head names. Status as above. */
SF8_API sf8_status sf8_steps_write(const sf8_steps_head *head, sf8_put put, void *context);

/** Where a text is wrong, and what was expected there. */
typedef struct sf8_text_error {
    size_t line;          /**< from 1 */
    const char *expected; /**< "a row: first-input-word code flags" */
} sf8_text_error;

/** Reads the text of a whole step table and checks every rule of the grammar, including order,
 * count and digest. A text that is accepted is, byte for byte, what the writer produces.
 *
 * @param text  the text; it needs no closing 0
 * @param size  its size in bytes
 * @param head  receives the head
 * @param steps receives the rows, as far as there is room
 * @param room  the number of rows that `steps` can hold; 0 to count and check only
 * @param count receives the number of rows of the text; 0 for SF8_BAD_TEXT
 * @param error if not NULL, receives the place of the error for SF8_BAD_TEXT
 * @return SF8_NO_ROOM if the text has more than `room` rows; SF8_BAD_TEXT if it is wrong, and then
 *     *head and the steps are undefined */
SF8_API sf8_status sf8_steps_read(const char *text, size_t size, sf8_steps_head *head,
                                  sf8_step *steps, size_t room, size_t *count,
                                  sf8_text_error *error);

#ifdef __cplusplus
}
#endif

#endif
