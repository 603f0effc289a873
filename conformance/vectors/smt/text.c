/* SPDX-License-Identifier: MIT */
/* text.c -- the pieces of a text in SMT-LIB: definitions, nested lets, constants */
#include "vectors/smt/text.h"

#include <stdarg.h>
#include <stdio.h>

enum { PIECE = 1024 };

static void print_list(smt_text *t, const char *format, va_list list)
{
    char piece[PIECE];
    int length = vsnprintf(piece, sizeof piece, format, list);
    t->put(t->context, piece, length < PIECE ? (size_t)length : PIECE - 1);
}

void smt_print(smt_text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_list(t, format, list);
    va_end(list);
}

void smt_define(smt_text *t, const char *name, const char *part, const char *arguments, int bits)
{
    smt_print(t, "\n(define-fun %s%s (%s) (_ BitVec %d)", name, part, arguments, bits);
}

void smt_let(smt_text *t, const char *name, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    smt_print(t, "\n  (let ((%s ", name);
    print_list(t, format, list);
    smt_print(t, "))");
    va_end(list);
    t->open++;
}

void smt_result(smt_text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    smt_print(t, "\n  ");
    print_list(t, format, list);
    va_end(list);
    for (; t->open > 0; t->open--)
        smt_print(t, ")");
    smt_print(t, ")\n");
}

const char *smt_constant(char text[SMT_CONSTANT], int64_t value, int bits)
{
    uint64_t low = bits < 64 ? (uint64_t)value & ((UINT64_C(1) << bits) - 1) : (uint64_t)value;
    snprintf(text, SMT_CONSTANT, "(_ bv%llu %d)", (unsigned long long)low, bits);
    return text;
}

const char *smt_both(char text[SMT_CONSTANT], sf8_format to, sf8_result r)
{
    int bits = sf8_format_bits(to);
    snprintf(text, SMT_CONSTANT, "(_ bv%llu %d)",
             (unsigned long long)(r.code | (uint64_t)r.flags << bits), bits + 5);
    return text;
}
