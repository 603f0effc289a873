/* SPDX-License-Identifier: MIT */
/* text_table.c -- tables and paragraphs for people */
#include "cli/text_table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct column {
    const char *before; /* the text of the layout in front of it */
    int before_length, left, width;
} column;

struct text_table {
    char *layout;
    const char *end; /* the text behind the last column */
    column column[TEXT_TABLE_COLUMNS];
    size_t count;
    char **row;
    size_t rows, room;
};

text_table *text_table_new(const char *layout)
{
    text_table *c = allocate(1, sizeof *c);
    char *at = c->layout = allocate(strlen(layout) + 1, 1), *next;
    strcpy(at, layout);
    for (; (next = strchr(at, '%')) != NULL; at = next + 1) {
        column *k = &c->column[c->count];
        if (c->count++ == TEXT_TABLE_COLUMNS)
            fail("internal error: a table of more than %d columns", TEXT_TABLE_COLUMNS);
        k->before = at;
        k->before_length = (int)(next - at);
        k->left = *++next == '-';
        next += k->left;
        k->width = (int)strtol(next, &next, 10);
    }
    c->end = at;
    return c;
}

/* The cell at `text`, its length to *length; the next one, or NULL. */
static const char *next_cell(const char *text, int *length)
{
    size_t n = strcspn(text, "\t");
    *length = (int)n;
    return text[n] ? text + n + 1 : NULL;
}

/* Whether a cell is a remark: the last of a row that has too few. */
static int is_remark(const text_table *c, size_t i, const char *next)
{
    return !next && i + 1 < c->count;
}

static void measure(text_table *c, const char *row)
{
    int length;
    for (size_t i = 0; row && i < c->count; i++) {
        const char *next = next_cell(row, &length);
        if (!is_remark(c, i, next) && length > c->column[i].width && i + 1 < c->count)
            c->column[i].width = length;
        row = next;
    }
}

void text_table_row(text_table *c, const char *format, ...)
{
    char text[4096];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (n < 0 || (size_t)n >= sizeof text)
        fail("internal error: a line of output is too long");
    c->row = grow(c->row, c->rows, &c->room, sizeof *c->row);
    char *row = c->row[c->rows++] = allocate((size_t)n + 1, 1);
    memcpy(row, text, (size_t)n);
    measure(c, row);
}

/* One line of the table into `text`, without blanks at its end; how long it is. */
static size_t line_of(const text_table *c, const char *row, char *text, size_t size)
{
    size_t used = 0;
    int length, n = 0;
    if (!strchr(row, '\t') && c->count > 1)
        return (size_t)snprintf(text, size, "%s\n", row);
    for (size_t i = 0; row && i < c->count; i++) {
        const column *k = &c->column[i];
        const char *next = next_cell(row, &length);
        int width = is_remark(c, i, next) ? 0 : k->left ? -k->width : k->width;
        n = snprintf(text + used, size - used, "%.*s%*.*s", k->before_length, k->before, width,
                     length, row);
        used += (size_t)n;
        if (used >= size)
            fail("internal error: a line of output is too long");
        row = next;
    }
    used += (size_t)snprintf(text + used, size - used, "%s", c->end);
    while (used > 0 && text[used - 1] == ' ')
        used--;
    text[used++] = '\n';
    return used;
}

static void free_all(text_table *c)
{
    for (size_t i = 0; i < c->rows; i++)
        free(c->row[i]);
    free(c->row);
    free(c->layout);
    free(c);
}

void text_table_write(text_table *c, output *out)
{
    char text[8192];
    for (size_t i = 0; i < c->rows; i++)
        output_write(out, text, line_of(c, c->row[i], text, sizeof text));
    free_all(c);
}

void text_table_print(text_table *c, FILE *stream)
{
    char text[8192];
    for (size_t i = 0; i < c->rows; i++)
        fwrite(text, 1, line_of(c, c->row[i], text, sizeof text), stream);
    free_all(c);
}

/* ---- paragraphs ------------------------------------------------------------------------------ */

void text_wrap(output *out, const char *text, size_t length, int at, int indent, int width)
{
    const char *end = text + length;
    for (int first = 1; text < end; first = 0) {
        size_t n = strcspn(text, " ");
        if (n > (size_t)(end - text))
            n = (size_t)(end - text);
        if (!first && at + 1 + (int)n > width) {
            output_print(out, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            output_print(out, " ");
            at++;
        }
        output_write(out, text, n);
        at += (int)n;
        text += n;
        text += *text == ' ';
    }
    output_print(out, "\n");
}

void text_paragraph(output *out, const char *label, int indent, const char *format, ...)
{
    char text[4096];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (n < 0 || (size_t)n >= sizeof text)
        fail("internal error: a line of output is too long");
    output_print(out, "%-*s", indent, label);
    text_wrap(out, text, (size_t)n, indent, indent, 100);
}
