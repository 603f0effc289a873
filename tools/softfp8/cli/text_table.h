/* SPDX-License-Identifier: MIT */
/* text_table.h -- tables and paragraphs for people
 *
 *     text_table *c = text_table_new("%-18s  %5s  %s");
 *     text_table_row(c, "name\tbytes\tsource");
 *     text_table_row(c, "%s\t%zu\t%s", row->name, row->bytes, row->source);
 *     text_table_write(c, out);
 *
 * The layout is what printf would take for a row of strings: the widths are the least ones, and "-"
 * stands for cells on the left of their column. All other text of the layout stands in every row.
 */
#ifndef SOFTFP8_TEXT_TABLE_H
#define SOFTFP8_TEXT_TABLE_H

#include "files/io.h"

#include <stdio.h>

enum { TEXT_TABLE_COLUMNS = 64 };

typedef struct text_table text_table;

text_table *text_table_new(const char *layout);
/* Adds a row, of cells with tabs between them. Where a row has fewer cells than the layout, the
 * last one is a remark: it is written as it is, and does not count for the width. So a text without
 * a tab is a line of its own. */
void text_table_row(text_table *c, const char *format, ...) CLI_PRINTF(2, 3);
/* Writes the table and frees it. */
void text_table_write(text_table *c, output *out);
/* The same to a stream of the C library. */
void text_table_print(text_table *c, FILE *stream);

/* Writes text and the end of its line. It begins in column `at`; a line ends at a blank before
 * column `width`, and the next one begins in column `indent`. */
void text_wrap(output *out, const char *text, size_t length, int at, int indent, int width);
/* A paragraph of lines of up to 100 columns, behind its label: the text is indented by `indent`. */
void text_paragraph(output *out, const char *label, int indent, const char *format, ...)
    CLI_PRINTF(4, 5);

#endif
