/* SPDX-License-Identifier: MIT */
/* text_table.h -- tables for people: each column as wide as its longest cell
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

#endif
