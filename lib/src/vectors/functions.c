/* SPDX-License-Identifier: MIT */
/* functions.c -- the functions that vector files test: by name, and called by number */
#include "softfp8_vectors.h"
#include "softfp8/number/hif8.h"
#include "softfp8/scalar.h"
#include "text/names.h"

#include <string.h>

typedef struct sf8_function_row {
    const char *name;
    int32_t operands;
    sf8_word_kind result;
} sf8_function_row;

#define SF8_OP_ROW(name, operands, result) {#name, operands, SF8_WORD_##result},
static const sf8_function_row sf8_function_rows[] = {SF8_FUNCTION_OPS(SF8_OP_ROW)};
#undef SF8_OP_ROW

enum {
    SF8_OP_FIRST = SF8_OP_TO_INTEGER + 1, /* the op of the first row */
    SF8_FUNCTION_ROWS = sizeof sf8_function_rows / sizeof sf8_function_rows[0]
};

typedef struct sf8_integer_name {
    const char *name;
    int32_t bits;
    int32_t is_signed;
} sf8_integer_name;

static const sf8_integer_name sf8_integer_names[] = {
    {"i8", 8, 1},  {"i16", 16, 1},  {"i32", 32, 1},  {"i64", 64, 1},
    {"ui8", 8, 0}, {"ui16", 16, 0}, {"ui32", 32, 0}, {"ui64", 64, 0},
};

const char *sf8_function_op_at(size_t i)
{
    return i < SF8_FUNCTION_ROWS ? sf8_function_rows[i].name : NULL;
}

/* ---- words ----------------------------------------------------------------------------------- */

static sf8_word sf8_word_of(sf8_word_kind kind, int32_t bits, const sf8_format *format)
{
    sf8_word word;
    memset(&word, 0, sizeof word);
    word.kind = kind;
    word.bits = bits;
    if (format)
        word.format = *format;
    return word;
}

static sf8_word sf8_word_of_format(sf8_format f)
{
    return sf8_word_of(SF8_WORD_FLOAT, sf8_format_bits(f), &f);
}

sf8_status sf8_word_named(const char *name, sf8_word *word)
{
    for (size_t i = 0; i < sizeof sf8_integer_names / sizeof sf8_integer_names[0]; i++) {
        const sf8_integer_name *row = &sf8_integer_names[i];
        if (sf8_is_named(row->name, name)) {
            *word = sf8_word_of(row->is_signed ? SF8_WORD_SIGNED : SF8_WORD_UNSIGNED, row->bits,
                                NULL);
            return SF8_OK;
        }
    }
    sf8_status status;
    sf8_format f = sf8_format_named(name, &status);
    if (status == SF8_OK)
        *word = sf8_word_of_format(f);
    return status;
}

/* The type whose name is the first `length` characters. */
static sf8_status sf8_word_named_by(const char *name, size_t length, sf8_word *word)
{
    char copy[SF8_NAME_SIZE];
    if (length >= sizeof copy)
        return SF8_UNKNOWN_NAME;
    memcpy(copy, name, length);
    copy[length] = '\0';
    return sf8_word_named(copy, word);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void sf8_function_clear(sf8_function *function)
{
    memset(function, 0, sizeof *function);
    for (int i = 0; i < 3; i++)
        function->operand[i] = sf8_word_of(SF8_WORD_UNSIGNED, 0, NULL);
}

static void sf8_function_conversion(sf8_function *function, sf8_word from, sf8_word to)
{
    sf8_function_clear(function);
    function->op = from.kind != SF8_WORD_FLOAT ? SF8_OP_FROM_INTEGER
                   : to.kind != SF8_WORD_FLOAT ? SF8_OP_TO_INTEGER
                                               : SF8_OP_CONVERT;
    function->operands = 1;
    function->operand[0] = from;
    function->result = to;
}

sf8_function sf8_function_convert(sf8_format from, sf8_format to)
{
    sf8_function function;
    sf8_function_conversion(&function, sf8_word_of_format(from), sf8_word_of_format(to));
    return function;
}

/* `<type>_to_<type>`; `to` points at the first "_to_". */
static sf8_status sf8_function_conversion_named(const char *name, const char *to,
                                                sf8_function *function)
{
    sf8_function made;
    sf8_word from_word, to_word;
    if (sf8_word_named_by(name, (size_t)(to - name), &from_word) != SF8_OK ||
        sf8_word_named(to + 4, &to_word) != SF8_OK ||
        (from_word.kind != SF8_WORD_FLOAT && to_word.kind != SF8_WORD_FLOAT))
        return SF8_UNKNOWN_NAME;
    sf8_function_conversion(&made, from_word, to_word);
    if (made.op != SF8_OP_CONVERT && (sf8_is_hif8(from_word.format) || sf8_is_hif8(to_word.format)))
        return SF8_BAD_FORMAT;
    memcpy(made.name, name, strlen(name));
    *function = made;
    return SF8_OK;
}

/* The length of the text before `_<op>`, or 0 if the name does not end in it. */
static size_t sf8_function_prefix(const char *name, const char *op)
{
    size_t length = strlen(name), tail = strlen(op) + 1;
    if (length <= tail || name[length - tail] != '_' || strcmp(name + length - tail + 1, op) != 0)
        return 0;
    return length - tail;
}

static int sf8_function_is_arithmetic(sf8_function_op op)
{
    return op >= SF8_OP_add && op <= SF8_OP_sqrt;
}

/* `<float>_<op>`, where the float is the first `length` characters. */
static sf8_status sf8_function_op_named(const char *name, size_t length, size_t row,
                                        sf8_function *function)
{
    sf8_word word;
    sf8_function_op op = (sf8_function_op)(SF8_OP_FIRST + (int)row);
    if (sf8_word_named_by(name, length, &word) != SF8_OK || word.kind != SF8_WORD_FLOAT)
        return SF8_UNKNOWN_NAME;
    if (!sf8_format_valid(word.format))
        return SF8_BAD_FORMAT; /* HiF8, which is only converted */
    if (sf8_function_is_arithmetic(op) && word.format.man_bits >= SF8_ARITH_PRECISION)
        return SF8_BAD_FORMAT;
    /* The name of the operation may be longer than the one that was given: fma is mulAdd. */
    const char *op_name = sf8_function_rows[row].name;
    if (length + 1 + strlen(op_name) >= SF8_NAME_SIZE)
        return SF8_UNKNOWN_NAME;
    sf8_function_clear(function);
    function->op = op;
    function->operands = sf8_function_rows[row].operands;
    for (int32_t i = 0; i < function->operands; i++)
        function->operand[i] = word;
    function->result = word;
    if (sf8_function_rows[row].result == SF8_WORD_BOOL)
        function->result = sf8_word_of(SF8_WORD_BOOL, 1, NULL);
    else if (sf8_function_rows[row].result == SF8_WORD_CLASS)
        function->result = sf8_word_of(SF8_WORD_CLASS, 4, NULL);
    memcpy(function->name, name, length);
    function->name[length] = '_';
    memcpy(function->name + length + 1, op_name, strlen(op_name) + 1);
    return SF8_OK;
}

sf8_status sf8_function_named(const char *name, sf8_function *function)
{
    if (!name)
        return SF8_UNKNOWN_NAME;
    const char *to = strstr(name, "_to_");
    if (strlen(name) >= SF8_NAME_SIZE)
        return SF8_UNKNOWN_NAME;
    if (to)
        return sf8_function_conversion_named(name, to, function);
    for (size_t row = 0; row < SF8_FUNCTION_ROWS; row++) {
        size_t length = sf8_function_prefix(name, sf8_function_rows[row].name);
        if (row + SF8_OP_FIRST == SF8_OP_mulAdd && length == 0)
            length = sf8_function_prefix(name, "fma");
        if (row + SF8_OP_FIRST == SF8_OP_roundToInt && length == 0)
            length = sf8_function_prefix(name, "rint");
        sf8_status status = SF8_UNKNOWN_NAME;
        if (length != 0)
            status = sf8_function_op_named(name, length, row, function);
        if (status != SF8_UNKNOWN_NAME)
            return status;
    }
    return SF8_UNKNOWN_NAME;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The widths that the core converts from and to. */
static int32_t sf8_function_has_width(sf8_word w)
{
    return w.bits == 8 || w.bits == 16 || w.bits == 32 || w.bits == 64;
}

static sf8_result sf8_function_from_integer(const sf8_function *function, uint64_t a,
                                            sf8_policy policy, uint32_t random)
{
    int32_t above = 64 - function->operand[0].bits;
    if (!sf8_function_has_width(function->operand[0]))
        return sf8_result_of(0, SF8_UNSUPPORTED);
    a = a << above >> above;
    if (function->operand[0].kind == SF8_WORD_UNSIGNED)
        return sf8_from_u64_sr(function->result.format, a, policy, random);
    uint64_t sign = UINT64_C(1) << (63 - above);
    return sf8_from_i64_sr(function->result.format, (int64_t)((a ^ sign) - sign), policy, random);
}

/* Calls the core, since the public interface has no stochastic rounding to integers. */
static sf8_result sf8_function_to_integer(const sf8_function *function, uint64_t a,
                                          sf8_policy policy, uint32_t random, int32_t exact)
{
    sf8_format f = function->operand[0].format;
    if (!sf8_format_valid(f) || !sf8_function_has_width(function->result))
        return sf8_result_of(0, SF8_UNSUPPORTED);
    return sf8_core_to_integer(f, a, function->result.bits,
                               function->result.kind == SF8_WORD_SIGNED, policy, exact, random);
}

static sf8_result sf8_function_compare(sf8_function_op op, sf8_format f, uint64_t a, uint64_t b,
                                       sf8_policy policy)
{
    uint32_t flags;
    int32_t signaling = op == SF8_OP_le || op == SF8_OP_lt || op == SF8_OP_eq_signaling;
    int32_t order = signaling ? sf8_compare_signaling(f, a, b, policy, &flags)
                              : sf8_compare(f, a, b, policy, &flags);
    int32_t holds = order == SF8_LESS;
    if (op == SF8_OP_eq || op == SF8_OP_eq_signaling)
        holds = order == SF8_EQUAL;
    else if (op == SF8_OP_le || op == SF8_OP_le_quiet)
        holds = order == SF8_LESS || order == SF8_EQUAL;
    return sf8_result_of((uint64_t)(holds != 0), flags);
}

/* Results that the public interface returns without flags. */
static sf8_result sf8_function_quiet(sf8_function_op op, sf8_format f, uint64_t a, uint64_t b,
                                     sf8_policy policy)
{
    if (!sf8_format_valid(f))
        return sf8_result_of(0, SF8_UNSUPPORTED);
    if (op == SF8_OP_total_order)
        return sf8_result_of((uint64_t)sf8_total_order(f, a, b, policy), 0);
    return sf8_result_of((uint64_t)sf8_class(f, a, policy), 0);
}

sf8_result sf8_function_call(const sf8_function *function, const uint64_t *operands,
                             sf8_policy policy, uint32_t random, int32_t exact)
{
    sf8_format f = function->operand[0].format;
    uint64_t a = operands[0], b = function->operands > 1 ? operands[1] : 0;
    switch (function->op) {
    case SF8_OP_CONVERT:
        return sf8_convert_sr(function->result.format, f, a, policy, random);
    case SF8_OP_FROM_INTEGER:
        return sf8_function_from_integer(function, a, policy, random);
    case SF8_OP_TO_INTEGER:
        return sf8_function_to_integer(function, a, policy, random, exact);
    case SF8_OP_mulAdd:
        return sf8_fma_sr(f, a, b, operands[2], policy, random);
    case SF8_OP_sqrt:
        return sf8_sqrt_sr(f, a, policy, random);
    case SF8_OP_roundToInt:
        return sf8_rint_sr(f, a, policy, exact, random);
#define SF8_CASE(any, op)                                                                          \
    case SF8_OP_##op:                                                                              \
        return sf8_##op##_sr(f, a, b, policy, random);
        SF8_BINARY_ARITHMETIC(SF8_CASE, any)
#undef SF8_CASE
#define SF8_CASE(any, op, greater, magnitude, number)                                              \
    case SF8_OP_##op:                                                                              \
        return sf8_##op(f, a, b, policy);
        SF8_EXTREMA(SF8_CASE, any)
#undef SF8_CASE
    case SF8_OP_eq:
    case SF8_OP_le:
    case SF8_OP_lt:
    case SF8_OP_eq_signaling:
    case SF8_OP_le_quiet:
    case SF8_OP_lt_quiet:
        return sf8_function_compare(function->op, f, a, b, policy);
    case SF8_OP_total_order:
    case SF8_OP_class:
        return sf8_function_quiet(function->op, f, a, b, policy);
    case SF8_OP_abs:
        return sf8_abs_flags(f, a, policy);
    case SF8_OP_copy_sign:
        return sf8_copy_sign_flags(f, a, b, policy);
    case SF8_OP_negate:
        return sf8_negate(f, a, policy);
    case SF8_OP_next_up:
        return sf8_next_up(f, a, policy);
    case SF8_OP_next_down:
        return sf8_next_down(f, a, policy);
    case SF8_OP_COUNT:
        break;
    }
    return sf8_result_of(0, SF8_UNSUPPORTED);
}
