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
    int32_t rounds;
} sf8_function_row;

#define SF8_OP_ROW(name, operands, result, rounds) {#name, operands, SF8_WORD_##result, rounds},
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

/* The operation of sf8_mixed, or SF8_MIXED_COUNT if it has none. */
static sf8_mixed_op sf8_function_mixed(sf8_function_op op)
{
    switch ((int)op) {
    case SF8_OP_mulAdd:
        return SF8_MIXED_fma;
#define SF8_CASE(name)                                                                             \
    case SF8_OP_##name:                                                                            \
        return SF8_MIXED_##name;
#define SF8_EXTREMUM_CASE(any, name, greater, magnitude, number) SF8_CASE(name)
        SF8_EXTREMA(SF8_EXTREMUM_CASE, any)
        SF8_CASE(add)
        SF8_CASE(sub)
        SF8_CASE(mul)
        SF8_CASE(div)
        SF8_CASE(sqrt)
        SF8_CASE(negate)
        SF8_CASE(abs)
        SF8_CASE(copy_sign)
        SF8_CASE(recip)
        SF8_CASE(rsqrt)
        SF8_CASE(hypot)
        SF8_CASE(faa)
        SF8_CASE(clamp)
        SF8_CASE(minimum_finite)
        SF8_CASE(maximum_finite)
#undef SF8_EXTREMUM_CASE
#undef SF8_CASE
    default:
        return SF8_MIXED_COUNT;
    }
}

static int sf8_function_is_arithmetic(sf8_function_op op)
{
    return (op >= SF8_OP_add && op <= SF8_OP_sqrt) || op >= SF8_OP_recip;
}

/* Whether an operand has another format than the result. */
static int sf8_function_changes_format(const sf8_function *function)
{
    const sf8_format *to = &function->result.format;
    int changes = 0;
    for (int32_t i = 0; i < function->operands; i++)
        changes |= memcmp(&function->operand[i].format, to, sizeof *to) != 0;
    return changes && function->result.kind == SF8_WORD_FLOAT;
}

/* Whether sf8_mixed computes it. */
static int sf8_function_is_mixed(const sf8_function *function)
{
    return (function->op >= SF8_OP_recip || sf8_function_changes_format(function)) &&
           sf8_function_mixed(function->op) != SF8_MIXED_COUNT;
}

int32_t sf8_function_rounds(const sf8_function *function)
{
    int32_t row = (int32_t)function->op - (int32_t)SF8_OP_FIRST;
    if (row < 0)
        return 1; /* conversions */
    return row < (int32_t)SF8_FUNCTION_ROWS &&
           (sf8_function_rows[row].rounds || sf8_function_changes_format(function));
}

/* A format that has an operation. */
static sf8_status sf8_function_takes(sf8_function_op op, const sf8_word *word, int mixed)
{
    if (word->kind != SF8_WORD_FLOAT)
        return SF8_UNKNOWN_NAME;
    if (!sf8_format_valid(word->format))
        return SF8_BAD_FORMAT; /* HiF8, which is only converted */
    if ((mixed || sf8_function_is_arithmetic(op)) && word->format.man_bits >= SF8_ARITH_PRECISION)
        return SF8_BAD_FORMAT;
    return SF8_OK;
}

/* The formats of the operands, in the first `length` characters: one, or one for each. The names
 * have underscores, too. */
static sf8_status sf8_function_operands(const char *name, size_t length, int32_t count,
                                        sf8_word *word)
{
    if (sf8_word_named_by(name, length, &word[0]) == SF8_OK) {
        for (int32_t i = 1; i < count; i++)
            word[i] = word[0];
        return SF8_OK;
    }
    size_t end[2] = {0, 0};
    for (end[0] = 1; count > 1 && end[0] < length; end[0]++) {
        if (name[end[0]] != '_' || sf8_word_named_by(name, end[0], &word[0]) != SF8_OK)
            continue;
        const char *rest = name + end[0] + 1;
        size_t left = length - end[0] - 1;
        if (count == 2 && sf8_word_named_by(rest, left, &word[1]) == SF8_OK)
            return SF8_OK;
        for (end[1] = 1; count == 3 && end[1] < left; end[1]++)
            if (rest[end[1]] == '_' && sf8_word_named_by(rest, end[1], &word[1]) == SF8_OK &&
                sf8_word_named_by(rest + end[1] + 1, left - end[1] - 1, &word[2]) == SF8_OK)
                return SF8_OK;
    }
    return SF8_UNKNOWN_NAME;
}

/* `<float>_<op>`, where the float is the first `length` characters; `<floats>_<op>_to_<float>`,
 * where `to` is the last name and not NULL. */
static sf8_status sf8_function_op_named(const char *name, size_t length, size_t row, const char *to,
                                        sf8_function *function)
{
    const sf8_function_row *r = &sf8_function_rows[row];
    sf8_function made;
    sf8_function_clear(&made);
    made.op = (sf8_function_op)(SF8_OP_FIRST + (int)row);
    made.operands = r->operands;
    int has_mixed = sf8_function_mixed(made.op) != SF8_MIXED_COUNT;
    sf8_status status = to ? sf8_function_operands(name, length, r->operands, made.operand)
                           : sf8_word_named_by(name, length, &made.operand[0]);
    for (int32_t i = 0; status == SF8_OK && i < r->operands; i++) {
        if (!to)
            made.operand[i] = made.operand[0];
        status = sf8_function_takes(made.op, &made.operand[i], to != NULL);
    }
    made.result = made.operand[0];
    if (to && status == SF8_OK)
        status = has_mixed ? sf8_word_named(to, &made.result) : SF8_UNKNOWN_NAME;
    if (to && status == SF8_OK)
        status = sf8_function_takes(made.op, &made.result, 1);
    if (status != SF8_OK)
        return status;
    if (r->result == SF8_WORD_BOOL)
        made.result = sf8_word_of(SF8_WORD_BOOL, 1, NULL);
    else if (r->result == SF8_WORD_CLASS)
        made.result = sf8_word_of(SF8_WORD_CLASS, 4, NULL);
    /* The name of the operation may be longer than the one that was given: fma is mulAdd. */
    size_t op_length = strlen(r->name), to_length = to ? strlen(to) + 4 : 0;
    if (length + 1 + op_length + to_length >= SF8_NAME_SIZE)
        return SF8_UNKNOWN_NAME;
    memcpy(made.name, name, length);
    made.name[length] = '_';
    memcpy(made.name + length + 1, r->name, op_length);
    if (to)
        memcpy(made.name + length + 1 + op_length, to - 4, to_length);
    *function = made;
    return SF8_OK;
}

/* The length of the operands' text before an operation's name, which may be another name for it. */
static size_t sf8_function_operands_length(const char *name, size_t row)
{
    size_t length = sf8_function_prefix(name, sf8_function_rows[row].name);
    if (row + SF8_OP_FIRST == SF8_OP_mulAdd && length == 0)
        length = sf8_function_prefix(name, "fma");
    if (row + SF8_OP_FIRST == SF8_OP_roundToInt && length == 0)
        length = sf8_function_prefix(name, "rint");
    return length;
}

sf8_status sf8_function_named(const char *name, sf8_function *function)
{
    if (!name)
        return SF8_UNKNOWN_NAME;
    const char *to = strstr(name, "_to_");
    char before[SF8_NAME_SIZE];
    if (strlen(name) >= SF8_NAME_SIZE)
        return SF8_UNKNOWN_NAME;
    sf8_status status = SF8_UNKNOWN_NAME;
    if (to)
        status = sf8_function_conversion_named(name, to, function);
    if (status != SF8_UNKNOWN_NAME)
        return status;
    memcpy(before, name, strlen(name) + 1);
    if (to)
        before[to - name] = '\0';
    for (size_t row = 0; row < SF8_FUNCTION_ROWS; row++) {
        size_t length = sf8_function_operands_length(before, row);
        if (length != 0)
            status = sf8_function_op_named(name, length, row, to ? to + 4 : NULL, function);
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

static sf8_result sf8_function_call_mixed(const sf8_function *function, const uint64_t *operands,
                                          sf8_policy policy, uint32_t random)
{
    sf8_operand x[3];
    memset(x, 0, sizeof x);
    for (int32_t i = 0; i < function->operands; i++) {
        x[i].format = function->operand[i].format;
        x[i].code = operands[i];
    }
    return sf8_mixed(sf8_function_mixed(function->op), function->result.format, x, policy, random);
}

/* 1 if the code is that of 1. A format has none if its bias is large or small, and a policy may
 * read a subnormal 1 as 0. */
static sf8_result sf8_function_is_one(sf8_format f, uint64_t a, sf8_policy policy)
{
    if (!sf8_format_valid(f))
        return sf8_result_of(0, SF8_UNSUPPORTED);
    a &= sf8_format_code_mask(f);
    if (sf8_is_special(f, a) || sf8_core_sign(f, a))
        return sf8_result_of(0, 0);
    sf8_number x = sf8_core_unpack(f, a, policy);
    return sf8_result_of(x.exponent <= 0 && x.exponent > -63 && x.sig == UINT64_C(1) << -x.exponent,
                         0);
}

sf8_result sf8_function_call(const sf8_function *function, const uint64_t *operands,
                             sf8_policy policy, uint32_t random, int32_t exact)
{
    sf8_format f = function->operand[0].format;
    uint64_t a = operands[0], b = function->operands > 1 ? operands[1] : 0;
    if (sf8_function_is_mixed(function))
        return sf8_function_call_mixed(function, operands, policy, random);
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
    case SF8_OP_is_one:
        return sf8_function_is_one(f, a, policy);
    default: /* the operations that only sf8_mixed has, and SF8_OP_COUNT */
        break;
    }
    return sf8_result_of(0, SF8_UNSUPPORTED);
}
