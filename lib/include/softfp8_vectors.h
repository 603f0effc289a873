/* SPDX-License-Identifier: MIT */
/* softfp8_vectors.h -- golden vectors: functions by name, step tables and their text
 *
 * A function is what a vector file is about: `e4m3_add`, `f32_to_e4m3`, `e5m2_lt`, named as
 * TestFloat names them. A step table holds a whole conversion, every input of it: the result is
 * constant from the first word of a row to the word before the next row. vectors/README.md is the
 * grammar of its text. As everywhere in the library nothing is allocated and no file is touched.
 */
#ifndef SOFTFP8_VECTORS_H
#define SOFTFP8_VECTORS_H

#include "softfp8.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- functions by name ----------------------------------------------------------------------- */

#define SF8_NAME_SIZE 48 /* room for the name of any function, closing 0 included */

typedef enum sf8_word_kind {
    SF8_WORD_FLOAT,  /* a code of `format` */
    SF8_WORD_SIGNED, /* an integer in two's complement */
    SF8_WORD_UNSIGNED,
    SF8_WORD_BOOL, /* 0 or 1 */
    SF8_WORD_CLASS /* SF8_CLASS_*, 0 to 9 */
} sf8_word_kind;

/* What an operand or a result is. */
typedef struct sf8_word {
    sf8_word_kind kind;
    int32_t bits;      /* its width; 1 for BOOL, 4 for CLASS */
    sf8_format format; /* if kind is FLOAT */
} sf8_word;

#define SF8_EXTREMUM_FUNCTION(X, op, greater, magnitude, number) X(op, 2, FLOAT)
/*    name in a function, operands, result is a: F float, B bool, C class */
#define SF8_FUNCTION_OPS(X)                                                                        \
    X(add, 2, FLOAT)                                                                               \
    X(sub, 2, FLOAT)                                                                               \
    X(mul, 2, FLOAT)                                                                               \
    X(mulAdd, 3, FLOAT)                                                                            \
    X(div, 2, FLOAT)                                                                               \
    X(rem, 2, FLOAT)                                                                               \
    X(sqrt, 1, FLOAT)                                                                              \
    X(roundToInt, 1, FLOAT)                                                                        \
    X(eq, 2, BOOL)                                                                                 \
    X(le, 2, BOOL)                                                                                 \
    X(lt, 2, BOOL)                                                                                 \
    X(eq_signaling, 2, BOOL)                                                                       \
    X(le_quiet, 2, BOOL)                                                                           \
    X(lt_quiet, 2, BOOL)                                                                           \
    SF8_EXTREMA(SF8_EXTREMUM_FUNCTION, X)                                                          \
    X(total_order, 2, BOOL)                                                                        \
    X(copy_sign, 2, FLOAT)                                                                         \
    X(negate, 1, FLOAT)                                                                            \
    X(abs, 1, FLOAT)                                                                               \
    X(next_up, 1, FLOAT)                                                                           \
    X(next_down, 1, FLOAT)                                                                         \
    X(class, 1, CLASS)

typedef enum sf8_function_op {
    SF8_OP_CONVERT,
    SF8_OP_FROM_INTEGER,
    SF8_OP_TO_INTEGER,
#define SF8_OP_ENUMERATOR(name, operands, result) SF8_OP_##name,
    SF8_FUNCTION_OPS(SF8_OP_ENUMERATOR)
#undef SF8_OP_ENUMERATOR
        SF8_OP_COUNT
} sf8_function_op;

typedef struct sf8_function {
    char name[SF8_NAME_SIZE];
    sf8_function_op op;
    int32_t operands; /* 1 to 3 */
    sf8_word operand[3];
    sf8_word result;
} sf8_function;

/* `<float>_<op>`, `<float>_to_<float>`, `<int>_to_<float>`, `<float>_to_<int>`, where <float> is
 * the name of a format and <int> one of i8 i16 i32 i64 ui8 ui16 ui32 ui64; `fma` and `rint` are
 * taken for mulAdd and roundToInt. SF8_UNKNOWN_NAME if it is none of these; SF8_BAD_FORMAT if the
 * format does not have the operation (arithmetic with a precision above 24). */
SF8_API sf8_status sf8_function_named(const char *name, sf8_function *function);
/* The conversion between two formats by their rows; the name is the caller's to set. */
SF8_API sf8_function sf8_function_convert(sf8_format from, sf8_format to);
/* The name of the i-th operation of SF8_FUNCTION_OPS, or NULL past the end. */
SF8_API const char *sf8_function_op_at(size_t i);
/* A word by its name: a format or an integer. */
SF8_API sf8_status sf8_word_named(const char *name, sf8_word *word);

/* The result. Bits of an operand above its width are ignored. `random` is for stochastic rounding;
 * `exact` makes roundToInt and conversions to integers raise inexact. */
SF8_API sf8_result sf8_function_call(const sf8_function *function, const uint64_t *operands,
                                     sf8_policy policy, uint32_t random, int32_t exact);

/* ---- step tables ----------------------------------------------------------------------------- */

/* From the input word `first` on the result is this. */
typedef struct sf8_step {
    uint64_t first;
    uint64_t code;
    uint32_t flags;
} sf8_step;

/* A walk over the steps of a conversion, in order of the input words. Neighbouring rows differ, and
 * the first row begins at 0. */
typedef struct sf8_steps {
    sf8_format from, to;
    sf8_policy policy;
    uint32_t random;
    int32_t done;
    int32_t every; /* every word is looked at; else see steps.c */
    uint64_t at;   /* the first word of the row that comes next */
    uint64_t next; /* the magnitude of `to` where the stretch of `at` ends */
} sf8_steps;

/* SF8_BAD_FORMAT for an invalid row, or where both formats have more than 20 bits: such a table has
 * more rows than a file should. */
SF8_API sf8_status sf8_steps_begin(sf8_steps *walk, sf8_format from, sf8_format to,
                                   sf8_policy policy, uint32_t random);
/* The next row, or 0 past the last. */
SF8_API int32_t sf8_steps_next(sf8_steps *walk, sf8_step *step);

/* The row that holds an input word, by its index: the last whose `first` is not above it. The rows
 * are in order and steps[0].first is 0. */
SF8_API size_t sf8_steps_find(const sf8_step *steps, size_t count, uint64_t word);

/* What the text of a step table says before its rows. */
typedef struct sf8_steps_head {
    char from_name[SF8_NAME_SIZE], to_name[SF8_NAME_SIZE];
    char policy_name[SF8_NAME_SIZE]; /* the named policy it began from; for the reader's eye, the
                                   fields count */
    sf8_format from, to;
    sf8_policy policy;
    uint32_t random;
} sf8_steps_head;

/* Takes a piece of text; anything but 0 stops the writer. */
typedef int32_t (*sf8_put)(void *context, const char *text, size_t size);

/* Writing: the head, the rows in order, the end. The text closes with the SHA-256 of all that
 * stands before it. Each call returns SF8_OK, or SF8_NO_ROOM if `put` stopped it. What the grammar
 * has no words for is not written: SF8_BAD_TEXT for a name with other characters than letters,
 * digits, `_`, `.`, `-`, and for a policy or a row with a value out of range; SF8_BAD_FORMAT for an
 * invalid format, or one that has the name of another. */
typedef struct sf8_steps_writer {
    sf8_put put;
    void *context;
    int32_t from_digits, to_digits;
    uint64_t rows;
    unsigned char digest[112]; /* of the text so far, for sf8_steps_write_end */
} sf8_steps_writer;

SF8_API sf8_status sf8_steps_write_head(sf8_steps_writer *writer, const sf8_steps_head *head,
                                        sf8_put put, void *context);
SF8_API sf8_status sf8_steps_write_row(sf8_steps_writer *writer, const sf8_step *step);
SF8_API sf8_status sf8_steps_write_end(sf8_steps_writer *writer);
/* All three over the steps of the conversion that the head names. */
SF8_API sf8_status sf8_steps_write(const sf8_steps_head *head, sf8_put put, void *context);

/* Where a text is wrong and what was expected there. */
typedef struct sf8_text_error {
    size_t line;          /* from 1 */
    const char *expected; /* "a row: first-input-word code flags" */
} sf8_text_error;

/* Reads a whole text. *count gets the number of rows; if that is more than `room`, none beyond
 * `room` is stored and the status is SF8_NO_ROOM (a call with room 0 counts and checks). Every rule
 * of the grammar is checked, order, count and digest among them: SF8_BAD_TEXT and *error, and then
 * *count is 0. `text` needs no closing 0; `error` may be NULL. What is accepted is, byte for byte,
 * what sf8_steps_write_* writes of it. */
SF8_API sf8_status sf8_steps_read(const char *text, size_t size, sf8_steps_head *head,
                                  sf8_step *steps, size_t room, size_t *count,
                                  sf8_text_error *error);

#ifdef __cplusplus
}
#endif

#endif
