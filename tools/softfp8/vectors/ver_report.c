/* SPDX-License-Identifier: MIT */
/* ver_report.c -- what both ways of `ver` need: the policy and title of a run, lines of errors */
#include "explain/explain.h"
#include "vectors/ver.h"

#include <stdio.h>
#include <string.h>

static int is_narrow(const sf8_word *word)
{
    return word->kind == SF8_WORD_FLOAT && sf8_format_bits(word->format) <= 8;
}

/* What TestFloat knows is checked as loosely as TestFloat does it; what it does not, strictly. */
static void choose_strictness(verification *v)
{
    int strict = is_narrow(&v->function.operand[0]) || is_narrow(&v->function.result);
    if (v->check_nans < 0)
        v->check_nans = strict;
    if (v->check_integers < 0)
        v->check_integers = strict;
    v->partial |= !strict;
}

void ver_prepare(verification *v)
{
    v->policy = testfloat_policy(&v->t, &v->function, &v->base);
    v->stochastic = v->policy.round == SF8_SR;
    choose_strictness(v);
    testfloat_title(&v->t, &v->function, v->policy, v->base, v->title, sizeof v->title);
}

char *ver_operands(char *at, const verification *v, const uint64_t *operands)
{
    for (int i = 0; i < v->function.operands; i++) {
        if (i)
            at = (char *)memcpy(at, "  ", 2) + 2;
        at = testfloat_word(at, &v->function.operand[i], operands[i]);
    }
    if (v->stochastic) {
        at = (char *)memcpy(at, "  ", 2) + 2;
        at = hex_write(at, operands[v->function.operands], 8, hex_upper);
    }
    return at;
}

void ver_errors(verification *v, uint64_t count)
{
    if (v->errors == 0)
        output_print(v->out, "Errors found in %s:\n", v->title);
    v->errors += count;
}

int ver_error(verification *v)
{
    ver_errors(v, 1);
    v->stopped = v->most_errors && v->errors == v->most_errors;
    return v->stopped;
}

static char *put_text(char *at, const char *text)
{
    size_t length = strlen(text);
    return (char *)memcpy(at, text, length) + length;
}

/* The result and the flags that were found; with x or z as they stand in the file. */
static char *put_found(char *at, const verification *v, const sf8_result *found)
{
    const vector_reader *r = &v->reader;
    at = r->unknown_result[0] ? put_text(at, r->unknown_result)
                              : testfloat_word(at, &v->function.result, found->code);
    if (v->layout.flags < 0)
        return at;
    *at++ = ' ';
    return r->unknown_flags[0] ? put_text(at, r->unknown_flags) : testfloat_flags(at, found->flags);
}

void ver_result(verification *v, const uint64_t *operands, const sf8_result *found,
                const sf8_result *right, const char *more)
{
    char text[256], *at = ver_operands(text, v, operands);
    at = put_found(put_text(at, "  => "), v, found);
    at = testfloat_word(put_text(at, "  expected "), &v->function.result, right->code);
    if (v->layout.flags >= 0)
        at = testfloat_flags((*at = ' ', at + 1), right->flags);
    *at = '\0';
    output_print(v->out, "%s%s\n", text, more);
    ver_values(v, operands, found, right);
    output_flush(v->out); /* what is found is seen, whatever comes after it */
}

/* ---- values ---------------------------------------------------------------------------------- */

/* "7e = 448" */
static void print_value(output *out, const sf8_word *word, uint64_t value)
{
    char digits[20], text[NUMBER_TEXT];
    int unused = 64 - word->bits;
    *hex_write(digits, value, word_digits(word->bits), hex_lower) = '\0';
    if (word->kind == SF8_WORD_FLOAT)
        code_text(word->format, value, text);
    else if (word->kind == SF8_WORD_SIGNED)
        snprintf(text, sizeof text, "%lld", (long long)((int64_t)(value << unused) >> unused));
    else
        snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    output_print(out, "%s = %s", digits, text);
}

static void print_flags(output *out, uint32_t flags)
{
    char text[64];
    output_print(out, "%02x %s", (unsigned)flags, flags_text(flags, text));
}

static void print_difference(const verification *v, const sf8_result *found,
                             const sf8_result *right)
{
    const vector_reader *r = &v->reader;
    output_print(v->out, " => ");
    if (r->unknown_result[0])
        output_print(v->out, "%s", r->unknown_result);
    else
        print_value(v->out, &v->function.result, found->code);
    if (r->unknown_result[0] || found->code != right->code) {
        output_print(v->out, ", expected ");
        print_value(v->out, &v->function.result, right->code);
    }
    if (v->layout.flags < 0 || (!r->unknown_flags[0] && found->flags == right->flags))
        return;
    output_print(v->out, "; flags ");
    if (r->unknown_flags[0])
        output_print(v->out, "%s", r->unknown_flags);
    else
        print_flags(v->out, found->flags);
    output_print(v->out, ", expected ");
    print_flags(v->out, right->flags);
}

/* Where the row that was just read stands. */
static void print_place(const verification *v)
{
    if (!v->in_row)
        return;
    if (v->t.form == FORM_BIN || v->t.form == FORM_NPY)
        output_print(v->out, "row %llu: ", (unsigned long long)v->tests);
    else
        output_print(v->out, "line %llu: ", (unsigned long long)v->reader.in->line);
}

void ver_values(verification *v, const uint64_t *operands, const sf8_result *found,
                const sf8_result *right)
{
    if (!v->values)
        return;
    output_print(v->out, "  ");
    print_place(v);
    for (int i = 0; i < v->function.operands; i++) {
        output_print(v->out, "%s", i ? ", " : "");
        print_value(v->out, &v->function.operand[i], operands[i]);
    }
    if (v->stochastic)
        output_print(v->out, ", random %08llx", (unsigned long long)operands[v->function.operands]);
    if (found)
        print_difference(v, found, right);
    output_print(v->out, "\n");
}
