/* SPDX-License-Identifier: MIT */
/* sass_table.c -- a C file with the conversion instructions of each kernel, for gpu_device_sass()
 *
 *     sass_table OUTPUT [FILE...]
 *
 * FILE is what `cuobjdump -sass` prints. Of it are taken the lines
 *
 *     Function : _ZN4shim4gridIN3gpu6sampleILi17EEEEEvT_
 *     / *0090* /   @P0 F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R3, R4, R5, RZ ;
 *
 * (without the blanks in the comment): the row's number, and opcodes that begin with F2F, F2I or
 * I2F, each once, in the order in which they come. Without files the table has no rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4096, TEXT = 1024, LINE = 4096 };

typedef struct table {
    char *row[ROWS]; /* opcodes with blanks between; NULL: no such kernel */
    int rows;        /* one more than the highest number */
} table;

/* The number in the name of a subject's kernel, or -1. */
static int row_of(const char *name)
{
    const char *at = strstr(name, "sampleILi");
    char *end;
    if (!at)
        return -1;
    long row = strtol(at + strlen("sampleILi"), &end, 10);
    return *end == 'E' && row >= 0 && row < ROWS ? (int)row : -1;
}

/* The opcode of a line of machine code: its length at *opcode, or 0. */
static size_t opcode_of(const char *line, const char **opcode)
{
    line += strspn(line, " \t");
    const char *end = strstr(line, "*/");
    if (strncmp(line, "/*", 2) != 0 || !end)
        return 0;
    line = end + 2;
    line += strspn(line, " \t{");
    if (*line == '@') {
        line += strcspn(line, " \t\n");
        line += strspn(line, " \t");
    }
    *opcode = line;
    return strcspn(line, " \t\r\n;");
}

static int is_conversion(const char *opcode, size_t length)
{
    return length >= 3 && (strncmp(opcode, "F2F", 3) == 0 || strncmp(opcode, "F2I", 3) == 0 ||
                           strncmp(opcode, "I2F", 3) == 0);
}

/* Whether the opcode is one of the words of the text. */
static int has(const char *text, const char *opcode, size_t length)
{
    while (*text) {
        size_t word = strcspn(text, " ");
        if (word == length && strncmp(text, opcode, length) == 0)
            return 1;
        text += word;
        text += strspn(text, " ");
    }
    return 0;
}

static int add(table *t, int row, const char *opcode, size_t length)
{
    char *text = t->row[row];
    size_t used = strlen(text);
    if (has(text, opcode, length))
        return 1;
    if (used + length + 2 > TEXT)
        return 0;
    if (used)
        text[used++] = ' ';
    memcpy(text + used, opcode, length);
    text[used + length] = 0;
    return 1;
}

static int begin_row(table *t, int row)
{
    if (!t->row[row])
        t->row[row] = calloc(1, TEXT);
    if (row >= t->rows)
        t->rows = row + 1;
    return t->row[row] != NULL;
}

/* Why not, or NULL. */
static const char *read_file(table *t, const char *path)
{
    static char line[LINE];
    FILE *file = fopen(path, "r");
    const char *why = NULL, *opcode;
    int row = -1, functions = 0;
    if (!file)
        return "cannot be read";
    while (!why && fgets(line, sizeof line, file)) {
        const char *name = strstr(line, "Function :");
        size_t length;
        if (name) {
            functions++;
            row = row_of(name);
            if (row >= 0 && !begin_row(t, row))
                why = "no memory";
        } else if (row >= 0 && (length = opcode_of(line, &opcode)) > 0 &&
                   is_conversion(opcode, length) && !add(t, row, opcode, length)) {
            why = "too many opcodes in one kernel";
        }
    }
    fclose(file);
    return why || functions ? why : "has no line 'Function :'";
}

static int write_table(const table *t, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return 0;
    fprintf(out,
            "/* Written by sass_table.c. */\n#include <stddef.h>\n\n"
            "extern const char *const gpu_sass[];\nextern const int gpu_sass_rows;\n"
            "const int gpu_sass_rows = %d;\nconst char *const gpu_sass[] = {\n",
            t->rows);
    for (int i = 0; i < t->rows; i++) {
        if (t->row[i])
            fprintf(out, "    \"%s\",\n", t->row[i]);
        else
            fprintf(out, "    NULL,\n");
    }
    fprintf(out, "    NULL};\n");
    int failed = ferror(out);
    return fclose(out) == 0 && !failed;
}

int main(int argc, char **argv)
{
    static table t;
    if (argc < 2) {
        fprintf(stderr, "sass_table: OUTPUT [FILE...]\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        const char *why = read_file(&t, argv[i]);
        if (why) {
            fprintf(stderr, "sass_table: %s %s\n", argv[i], why);
            return 2;
        }
    }
    if (!write_table(&t, argv[1])) {
        fprintf(stderr, "sass_table: cannot write %s\n", argv[1]);
        return 2;
    }
    for (int i = 0; i < t.rows; i++)
        free(t.row[i]);
    return 0;
}
