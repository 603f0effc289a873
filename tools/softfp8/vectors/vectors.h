/* SPDX-License-Identifier: MIT */
/* vectors.h -- files of cases: what stands in a row, and the forms it is written in
 *
 * A row has the operands, with stochastic rounding the random word, the result, the flags; any of
 * the three groups may be left out. vectors/README.md is the grammar of each form.
 */
#ifndef SOFTFP8_TOOL_VECTORS_H
#define SOFTFP8_TOOL_VECTORS_H

#include "cli/options.h"
#include "conform/cases.h"
#include "files/io.h"

typedef enum vector_form {
    FORM_TEXT,     /* TestFloat's lines */
    FORM_BIN,      /* columns of 1, 2, 4 or 8 bytes, little-endian, packed */
    FORM_READMEMH, /* one word a row, for Verilog's $readmemh */
    FORM_C,        /* an array of structures, or of numbers if there is one column */
    FORM_NPY,      /* NumPy's, a structured dtype, or a plain one if there is one column */
    FORM_CSV,
    FORM_JSON /* a file of its own, with reasons: conformance/vectors; read and written whole */
} vector_form;

extern const char *const vector_forms[]; /* their names, closed with NULL */

enum { COLUMNS_OPERANDS = 1, COLUMNS_RESULT = 2, COLUMNS_FLAGS = 4, COLUMNS_ALL = 7 };

/* --format: a vector_form; --columns, "operands,result,flags" in any choice: an int. */
extern const cli_option form_option[], columns_option[];

enum { COLUMNS_MOST = 6 };

typedef struct column {
    const char *name; /* a b c random result flags */
    int bits;
    int digits; /* hexadecimal */
    int bytes;  /* in binary: 1, 2, 4, 8 */
} column;

typedef struct layout {
    vector_form form;
    int columns; /* COLUMNS_* */
    int count;
    column column[COLUMNS_MOST];
    int operands;      /* of them, the random word included; 0 if left out */
    int result, flags; /* their index, or -1 */
    int bytes;         /* of a row in binary */
} layout;

layout layout_of(const sf8_function *function, int random, vector_form form, int columns);

/* A row: operands (the random word last), result and flags in the order of the columns. */
typedef struct row {
    uint64_t value[COLUMNS_MOST];
} row;

/* ---- writing --------------------------------------------------------------------------------- */

/* What a file says about itself, in formats that can hold it. */
typedef struct vector_title {
    const sf8_function *function;
    const char *policy; /* name of the base, then the fields that differ from it */
    uint64_t rows;
    int shape_bits[3]; /* a whole table: the bits of each operand, else 0 */
} vector_title;

/* NumPy's description of a row. */
void vectors_dtype(const layout *l, char *text, size_t size);
void vectors_begin(output *out, const layout *l, const vector_title *title);
void vectors_row(output *out, const layout *l, const row *r);
void vectors_end(output *out, const layout *l);

/* ---- reading --------------------------------------------------------------------------------- */

enum { TITLE_SIZE = 1024, UNKNOWN_SIZE = 20 };

typedef struct vector_reader {
    input *in;
    layout l;
    uint64_t rows;     /* read so far */
    uint64_t promised; /* by the file's head; UINT64_MAX if it does not say */
    int state;
    /* What its remarks say about the cases, and in which line; "" if they do not. */
    char function[TITLE_SIZE], policy[TITLE_SIZE];
    uint64_t function_line, policy_line;
    /* The digits of the last row's result and flags if a simulator wrote x or z among them, for
     * bits that it does not know; else "". Their number in the row is 0 then. */
    char unknown_result[UNKNOWN_SIZE], unknown_flags[UNKNOWN_SIZE];
} vector_reader;

/* "4 columns of 2, 2, 2 and 2 hexadecimal digits: a, b, result and flags", and what a line of text
 * lacks: "; flags is missing". The text is overwritten by the next one. */
const char *vectors_expected(const layout *l, const char *line, size_t length);
void vectors_open(vector_reader *reader, input *in, const layout *l);
/* 1 with a row, 0 at the end, -1 with an error. */
int vectors_read(vector_reader *reader, row *r, input_error *error);

#endif
