/* SPDX-License-Identifier: MIT */
/* message.c -- results that differ, as the text of a failure */
#include "diagnose/failure/failure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 4, COLUMNS = 6, CELL = 200 };

void failure_add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

const char *failure_number(uint64_t n, char text[32])
{
    char digits[32];
    int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), at = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

const char *failure_hex(sf8_format f, uint64_t code, char text[32])
{
    snprintf(text, 32, "%0*llx", (sf8_format_bits(f) + 3) / 4, (unsigned long long)code);
    return text;
}

/* Exact for a narrow format, else the shortest that reads back. */
const char *failure_value(sf8_format f, uint64_t code, char text[SF8_TEXT_SIZE])
{
    uint64_t word = sf8_convert(SF8_F64, f, code, SF8_OCP_NOSAT);
    double x;
    memcpy(&x, &word, sizeof x);
    if (sf8_format_bits(f) > 8 &&
        sf8_to_text(f, code, SF8_TEXT_SHORTEST, text, SF8_TEXT_SIZE, NULL) == SF8_OK)
        return text;
    snprintf(text, SF8_TEXT_SIZE, "%.10g", x);
    if (isnan(x))
        strcpy(text, "nan");
    return text;
}

void failure_add_both(char *text, size_t size, sf8_format f, uint64_t code)
{
    char hex[32], value[SF8_TEXT_SIZE];
    failure_add(text, size, "%s = %s", failure_hex(f, code, hex), failure_value(f, code, value));
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Rows of cells, written as lines with columns; the last column is not padded. */
typedef struct table {
    char cell[ROWS][COLUMNS][CELL];
    int rows, columns;
} table;

static void line(failure_case *c, const char *text)
{
    failure_add(c->report->message, FAILURE_MESSAGE, "\n%s", text);
}

static void write_table(failure_case *c, const table *t)
{
    int width[COLUMNS] = {0};
    for (int i = 0; i < t->rows; i++)
        for (int k = 0; k < t->columns - 1; k++)
            if ((int)strlen(t->cell[i][k]) > width[k])
                width[k] = (int)strlen(t->cell[i][k]);
    for (int i = 0; i < t->rows; i++) {
        line(c, "    ");
        for (int k = 0; k < t->columns; k++)
            failure_add(c->report->message, FAILURE_MESSAGE, "%s%-*s", k ? "  " : "", width[k],
                        t->cell[i][k]);
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *name_of(sf8_format f, const char *given, char text[64])
{
    sf8_format known;
    if (given)
        return given;
    for (size_t i = 0; sf8_format_at(i, &known); i++)
        if (memcmp(&known, &f, sizeof f) == 0)
            return sf8_format_at(i, NULL);
    snprintf(text, 64, "a format of %d bits", sf8_format_bits(f));
    return text;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Notes the runs of inputs that differ among those that were given. A range has one sign. Of equal
 * inputs one that is wrong stands for all. */
static void find_ranges(failure_case *c)
{
    const uint64_t *in = c->in[0];
    int sign = sf8_format_bits(c->test->from) - (c->test->from.is_signed ? 1 : 0);
    size_t n = 0, last = SIZE_MAX;
    for (size_t i = 0; i < c->count;) {
        size_t at = c->order[i], next = i;
        for (; next < c->count && in[c->order[next]] == in[at]; next++)
            if (c->differ[c->order[next]] && !c->differ[at])
                at = c->order[next];
        i = next;
        int begins = last == SIZE_MAX || in[last] >> sign != in[at] >> sign;
        n += c->differ[at] && begins;
        for (int end = !begins; c->differ[at] && n <= FAILURE_RANGES && end < 2; end++) {
            sf8_failure_range *r = &c->report->ranges[n - 1];
            r->element[end] = at;
            r->input[end] = in[at];
            r->got[end] = c->got[at];
            r->expected[end] = c->want[at];
        }
        last = c->differ[at] ? at : SIZE_MAX;
    }
    c->report->f.range_count = n;
}

static void span(sf8_format f, const uint64_t codes[2], char *text)
{
    char a[32], b[32];
    failure_hex(f, codes[0], a);
    failure_hex(f, codes[1], b);
    failure_add(text, CELL, codes[0] == codes[1] ? "%s" : "%s..%s", a, b);
}

static void write_ranges(failure_case *c)
{
    table t = {.columns = 4};
    const sf8_test *test = c->test;
    char name[64], count[32];
    size_t n = c->report->f.range_count;
    failure_add(c->report->message, FAILURE_MESSAGE,
                "\n  inputs that differ, %s range%s of %s:", failure_number(n, count),
                n == 1 ? "" : "s", name_of(test->from, test->from_name, name));
    for (; t.rows < ROWS && (size_t)t.rows < n; t.rows++) {
        const sf8_failure_range *r = &c->report->ranges[t.rows];
        char(*cell)[CELL] = t.cell[t.rows], a[SF8_TEXT_SIZE], b[SF8_TEXT_SIZE];
        span(test->from, r->input, cell[0]);
        failure_value(test->from, r->input[0], a);
        failure_value(test->from, r->input[1], b);
        failure_add(cell[1], CELL, r->input[0] == r->input[1] ? "(%s)" : "(%s .. %s)", a, b);
        failure_add(cell[2], CELL, "got ");
        span(test->to, r->got, cell[2]);
        failure_add(cell[3], CELL, "expected ");
        span(test->to, r->expected, cell[3]);
    }
    write_table(c, &t);
    if (n > ROWS)
        failure_add(c->report->message, FAILURE_MESSAGE, "\n    and %s more range%s",
                    failure_number(n - ROWS, count), n - ROWS == 1 ? "" : "s");
}

/* ---- elements -------------------------------------------------------------------------------- */

/* The index of an element in the tensor, given that in the flattened array. */
static void place(const sf8_test *t, size_t i, char *text)
{
    size_t index[32] = {i}, axes = t->shape ? t->axes : 1;
    for (size_t k = t->shape && axes <= 32 ? axes : 0; k-- > 0; i /= t->shape[k])
        index[k] = i % t->shape[k];
    for (size_t k = 0; k < axes && k < 32; k++)
        failure_add(text, CELL, "%s%zu", k ? ", " : "[", index[k]);
    failure_add(text, CELL, axes ? "]" : "[]");
}

static void write_elements(failure_case *c)
{
    table t = {.columns = 3 + c->operands};
    const sf8_test *test = c->test;
    char count[32];
    if (c->wrong > ROWS)
        failure_add(c->report->message, FAILURE_MESSAGE,
                    "\n  the first %d of %s elements that differ:", ROWS,
                    failure_number(c->wrong, count));
    else
        line(c, "  elements that differ:");
    for (size_t i = 0; i < c->count && t.rows < ROWS; i++) {
        char(*cell)[CELL] = t.cell[t.rows];
        if (!c->differ[i])
            continue;
        place(test, i, cell[0]);
        for (int k = 0; k < c->operands; k++) {
            failure_add(cell[1 + k], CELL, c->operands == 1 ? "input " : "inputs[%d] ", k);
            failure_add_both(cell[1 + k], CELL, test->from, c->in[k][i]);
        }
        failure_add(cell[1 + c->operands], CELL, "got ");
        failure_add_both(cell[1 + c->operands], CELL, test->to, c->got[i]);
        failure_add(cell[2 + c->operands], CELL, "expected ");
        failure_add_both(cell[2 + c->operands], CELL, test->to, c->want[i]);
        t.rows++;
    }
    write_table(c, &t);
}

void failure_say_expected(failure_case *c)
{
    const sf8_test *t = c->test;
    char *text = c->report->expected, from[64], to[64], rule[EXPECTED_TEXT];
    if (t->want) {
        failure_add(text, FAILURE_TEXT, "the codes in want");
        return;
    }
    expected_rule(c->asked, c->rules.round, NULL, rule, sizeof rule);
    failure_add(text, FAILURE_TEXT, "%s to %s, policy %s", name_of(t->from, t->from_name, from),
                name_of(t->to, t->to_name, to), rule);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void write_why(failure_case *c, const char *title, const char *text)
{
    if (text[0])
        failure_add(c->report->message, FAILURE_MESSAGE, "\n  %s: %s", title, text);
}

void failure_write(failure_case *c)
{
    failure_report *r = c->report;
    char wrong[32], count[32], name[64];
    failure_add(r->message, FAILURE_MESSAGE, "%s of %s codes of %s differ (%.3g %%)",
                failure_number(c->wrong, wrong), failure_number(c->count, count),
                name_of(c->test->to, c->test->to_name, name),
                100 * (double)c->wrong / (double)c->count);
    write_why(c, "expected", r->expected);
    if (c->operands == 1) {
        find_ranges(c);
        write_ranges(c);
    }
    write_elements(c);
    write_why(c, "matches instead", r->matches);
    write_why(c, "likely mistake", r->mistake);
    if (!r->matches[0] && !r->mistake[0])
        write_why(c, "unexplained",
                  r->seen[0] ? r->seen : "no mistake that is known gives these results");
    write_why(c, "nearest", r->nearest);
}
