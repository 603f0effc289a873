/* SPDX-License-Identifier: MIT */
/* check_text_table.c -- tables: widths by the longest cell, least widths, sides, remarks, lines */
#include "cli/text_table.h"

#include <stdlib.h>
#include <string.h>

static int checks, failures;

static void written(const char *what, text_table *c, const char *expected)
{
    char text[1024] = "";
    FILE *file = tmpfile();
    checks++;
    if (!file)
        fail("no temporary file");
    text_table_print(c, file);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    if (strcmp(text, expected) == 0)
        return;
    failures++;
    printf("%s:\n%sinstead of:\n%s", what, text, expected);
}

int main(void)
{
    text_table *c = text_table_new("%-6s  %3s|%s");
    text_table_row(c, "name\tn\tremark");
    text_table_row(c, "%s\t%d\t%s", "a", 7, "short");
    written("least widths", c, "name      n|remark\na         7|short\n");

    c = text_table_new("%-6s  %3s|%s");
    text_table_row(c, "name\tn\tremark");
    text_table_row(c, "a-long-name\t123456\tx");
    text_table_row(c, "b\t7\ty");
    written("long cells", c,
            "name              n|remark\na-long-name  123456|x\nb                 7|y\n");

    c = text_table_new("  %-2s %2s%s.");
    text_table_row(c, "a\tb\tc");
    text_table_row(c, "a line of its own, as long as it is");
    text_table_row(c, "d\t a remark that is no cell");
    text_table_row(c, "\t\t");
    written("lines and remarks", c,
            "  a   b"
            "c.\na line of its own, as long as it is\n  d   a remark that is no cell.\n"
            "       .\n");

    c = text_table_new("%s");
    text_table_row(c, "one");
    text_table_row(c, "column");
    written("one column", c, "one\ncolumn\n");

    c = text_table_new("%-3s %s");
    for (int i = 0; i < 100; i++)
        text_table_row(c, "%d\t%d", i, i);
    text_table_row(c, "10000\t1");
    char text[1024];
    FILE *file = tmpfile();
    checks++;
    if (!file)
        fail("no temporary file");
    text_table_print(c, file);
    rewind(file);
    if (!fgets(text, sizeof text, file) || strcmp(text, "0     0\n") != 0) {
        failures++;
        printf("many rows: %s", text);
    }
    fclose(file);
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0;
}
