/* SPDX-License-Identifier: MIT */
/* sass_table.c -- a C file with the conversion instructions of each kernel, for gpu_device_sass()
 *
 *     sass_table OUTPUT [FILE...]
 *     sass_table -mma OUTPUT [FILE...]     for gpu_mma_sass()
 *     sass_table -sparse OUTPUT [FILE...]  for gpu_mma_sparse_sass()
 *
 * FILE is the output of `cuobjdump -sass`. These lines are used:
 *
 *     Function : _ZN4shim4gridIN3gpu6sampleILi17EEEEEvT_
 *     / *0090* /   @P0 F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R3, R4, R5, RZ ;
 *
 * (without the blanks in the comment). They give the row's number, and the opcodes that begin with
 * F2F, F2I or I2F, each once, in order; HADD2.F32 too, which converts f16 to f32 on Hopper. For the
 * instructions of matrix units
 *
 *     Function : _ZN4shim6groupsIN3mma8multiplyILi17EEEEEvT_
 *     Function : _ZN4shim6groupsIN3mma6sparseILi17EEEEEvT_
 *
 * they give the opcodes that compute, "2xHMMA.16816.F32", each with its count. Without files the
 * table has no rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4096, TEXT = 1024, LINE = 4096 };

typedef struct table {
    char *row[ROWS]; /* opcodes separated by blanks; NULL: no such kernel */
    int rows;        /* one more than the highest number */
} table;

/* What a table contains. */
typedef struct table_kind {
    const char *kernel;   /* in the names of its functions, before the row's number */
    const char *name;     /* of the table */
    const char *begin[8]; /* how its opcodes begin */
    int counted;          /* opcodes may repeat, and are counted */
} table_kind;

static const table_kind conversions = {"sampleILi", "gpu_sass", {"F2F", "F2I", "I2F", "HADD2.F32", NULL}, 0};
static const table_kind matrix_units = {
    "multiplyILi",
    "gpu_mma_opcodes",
    {"HMMA", "QMMA", "HGMMA", "QGMMA", "F2FP", "FADD", "HADD2", NULL},
    1};
static const table_kind sparse = {
    "mma6sparseILi", "gpu_mma_sparse_opcodes", {"HGMMA", "QGMMA", "FADD", "HADD2", NULL}, 1};

/* The number in the name of a subject's kernel, or -1. */
static int row_of(const table_kind *kind, const char *name)
{
    const char *at = strstr(name, kind->kernel);
    char *end;
    if (!at)
        return -1;
    long row = strtol(at + strlen(kind->kernel), &end, 10);
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

static int is_wanted(const table_kind *kind, const char *opcode, size_t length)
{
    for (const char *const *begin = kind->begin; *begin; begin++) {
        size_t n = strlen(*begin);
        if (length >= n && strncmp(opcode, *begin, n) == 0)
            return 1;
    }
    return 0;
}

/* How often the opcode occurs between the two places. */
static int count_of(const char *text, const char *end, const char *opcode, size_t length)
{
    int count = 0;
    while (text < end && *text) {
        size_t word = strcspn(text, " ");
        count += word == length && strncmp(text, opcode, length) == 0;
        text += word;
        text += strspn(text, " ");
    }
    return count;
}

static int add(table *t, const table_kind *kind, int row, const char *opcode, size_t length)
{
    char *text = t->row[row];
    size_t used = strlen(text);
    if (!kind->counted && count_of(text, text + used, opcode, length))
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

/* Returns an error, or NULL. */
static const char *read_file(table *t, const table_kind *kind, const char *path)
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
            row = row_of(kind, name);
            if (row >= 0 && !begin_row(t, row))
                why = "no memory";
        } else if (row >= 0 && (length = opcode_of(line, &opcode)) > 0 &&
                   is_wanted(kind, opcode, length) && !add(t, kind, row, opcode, length)) {
            why = "too many opcodes in one kernel";
        }
    }
    fclose(file);
    return why || functions ? why : "has no line 'Function :'";
}

/* Each opcode once, with its count. */
static void write_counted(FILE *out, const char *text)
{
    const char *end = text + strlen(text);
    fprintf(out, "    \"");
    for (const char *at = text; at < end;) {
        size_t length = strcspn(at, " ");
        if (count_of(text, at, at, length) == 0)
            fprintf(out, "%s%dx%.*s", at == text ? "" : " ", count_of(at, end, at, length),
                    (int)length, at);
        at += length;
        at += strspn(at, " ");
    }
    fprintf(out, "\",\n");
}

static int write_table(const table *t, const table_kind *kind, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return 0;
    fprintf(out,
            "/* Written by sass_table.c. */\n#include <stddef.h>\n\n"
            "extern const char *const %s[];\nextern const int %s_rows;\n"
            "const int %s_rows = %d;\nconst char *const %s[] = {\n",
            kind->name, kind->name, kind->name, t->rows, kind->name);
    for (int i = 0; i < t->rows; i++) {
        if (t->row[i] && kind->counted)
            write_counted(out, t->row[i]);
        else if (t->row[i])
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
    const table_kind *kind = &conversions;
    if (argc > 1 && strcmp(argv[1], "-mma") == 0) {
        kind = &matrix_units;
        argc--;
        argv++;
    } else if (argc > 1 && strcmp(argv[1], "-sparse") == 0) {
        kind = &sparse;
        argc--;
        argv++;
    }
    if (argc < 2) {
        fprintf(stderr, "sass_table: [-mma | -sparse] OUTPUT [FILE...]\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        const char *why = read_file(&t, kind, argv[i]);
        if (why) {
            fprintf(stderr, "sass_table: %s %s\n", argv[i], why);
            return 2;
        }
    }
    if (!write_table(&t, kind, argv[1])) {
        fprintf(stderr, "sass_table: cannot write %s\n", argv[1]);
        return 2;
    }
    for (int i = 0; i < t.rows; i++)
        free(t.row[i]);
    return 0;
}
