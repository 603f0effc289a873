/* SPDX-License-Identifier: MIT */
/* vectors.c -- what stands in a row of cases, and writing it in six forms */
#include "vectors/vectors.h"
#include "files/tensor_file.h"

#include <stdio.h>
#include <string.h>

const char *const vector_forms[] = {"text", "bin", "readmemh", "c", "npy", "csv", "json", NULL};

static void take_columns(void *place, const cli_option *o, const char *value)
{
    static const char *const names[] = {"operands", "result", "flags"};
    int columns = 0;
    (void)o;
    for (const char *at = value;;) {
        size_t length = strcspn(at, ",");
        int found = 0;
        for (int i = 0; i < 3; i++) {
            if (strlen(names[i]) == length && memcmp(at, names[i], length) == 0)
                found = 1 << i;
        }
        if (!found || (columns & found))
            fail("expected a list of operands, result and flags, for example operands,result");
        columns |= found;
        if (!at[length])
            break;
        at += length + 1;
    }
    *(int *)place = columns;
}

const cli_option form_option[] = {
    {"--format", NULL, "the file format; text is that of TestFloat, json has reasons for each case",
     .kind = OPTION_WORD, .words = vector_forms, .size = sizeof(vector_form)},
    {.kind = OPTION_END},
};

const cli_option columns_option[] = {
    {"--columns", "LIST", "which columns the cases have: a list of operands, result and flags",
     .kind = OPTION_CALL, .take = take_columns, .complete = "columns"},
    {.kind = OPTION_END},
};

static void add_column(layout *l, const char *name, int bits)
{
    column *c = &l->column[l->count++];
    c->name = name;
    c->bits = bits;
    c->digits = word_digits(bits);
    c->bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
    l->bytes += c->bytes;
}

layout layout_of(const sf8_function *function, int random, vector_form form, int columns)
{
    static const char *const names[] = {"a", "b", "c"};
    layout l;
    memset(&l, 0, sizeof l);
    l.form = form;
    l.columns = columns;
    l.result = l.flags = -1;
    if (columns & COLUMNS_OPERANDS) {
        for (int i = 0; i < function->operands; i++)
            add_column(&l, names[i], function->operand[i].bits);
        if (random)
            add_column(&l, "random", 32);
        l.operands = l.count;
    }
    if (columns & COLUMNS_RESULT) {
        l.result = l.count;
        add_column(&l, "result", function->result.bits);
    }
    if (columns & COLUMNS_FLAGS) {
        l.flags = l.count;
        add_column(&l, "flags", 8);
    }
    return l;
}

/* ---- heads and ends -------------------------------------------------------------------------- */

static const char *c_type(int bytes)
{
    return bytes == 1 ? "uint8_t" : bytes == 2 ? "uint16_t" : bytes == 4 ? "uint32_t" : "uint64_t";
}

/* The name of the function as one of C: what is not of an identifier becomes "_". */
static const char *c_name(const vector_title *t, char name[SF8_NAME_SIZE])
{
    snprintf(name, SF8_NAME_SIZE, "%s", t->function->name);
    for (char *c = name; *c; c++) {
        int good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        *c = good ? *c : '_';
    }
    return name;
}

static void begin_c(output *out, const layout *l, const vector_title *t)
{
    char name[SF8_NAME_SIZE];
    c_name(t, name);
    output_print(out, "/* %s, policy %s: %llu cases */\n#include <stdint.h>\n\n", t->function->name,
                 t->policy, (unsigned long long)t->rows);
    if (l->count == 1) {
        output_print(out, "static const %s %s[%llu] = {\n", c_type(l->bytes), name,
                     (unsigned long long)t->rows);
        return;
    }
    output_print(out, "static const struct {\n");
    for (int i = 0; i < l->count; i++)
        output_print(out, "    %s %s;\n", c_type(l->column[i].bytes), l->column[i].name);
    output_print(out, "} %s[%llu] = {\n", name, (unsigned long long)t->rows);
}

void vectors_dtype(const layout *l, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < l->count; i++) {
        const column *c = &l->column[i];
        const char *order = c->bytes == 1 ? "|" : "<";
        if (l->count == 1)
            used += (size_t)snprintf(text + used, size - used, "'%su%d'", order, c->bytes);
        else
            used += (size_t)snprintf(text + used, size - used, "%s('%s', '%su%d')%s",
                                     i ? ", " : "[", c->name, order, c->bytes,
                                     i == l->count - 1 ? "]" : "");
    }
}

static void begin_npy(output *out, const layout *l, const vector_title *t)
{
    char dtype[NPY_DTYPE];
    size_t axis[3] = {(size_t)t->rows};
    int dimensions = 0;
    for (; dimensions < 3 && t->shape_bits[dimensions]; dimensions++)
        axis[dimensions] = (size_t)1 << t->shape_bits[dimensions];
    vectors_dtype(l, dtype, sizeof dtype);
    npy_head_write(out, dtype, axis, dimensions ? dimensions : 1);
}

static void begin_readmemh(output *out, const layout *l, const vector_title *t)
{
    int bits = 0;
    for (int i = 0; i < l->count; i++)
        bits += 4 * l->column[i].digits;
    output_print(out, "// %s, policy %s: ", t->function->name, t->policy);
    if (t->rows)
        output_print(out, "%llu ", (unsigned long long)t->rows);
    output_print(out, "words of %d bits, {", bits);
    for (int i = 0; i < l->count; i++)
        output_print(out, "%s%s[%d:0]", i ? ", " : "", l->column[i].name,
                     4 * l->column[i].digits - 1);
    output_print(out, "}\n");
}

void vectors_begin(output *out, const layout *l, const vector_title *title)
{
    if (l->form == FORM_C)
        begin_c(out, l, title);
    else if (l->form == FORM_NPY)
        begin_npy(out, l, title);
    else if (l->form == FORM_READMEMH)
        begin_readmemh(out, l, title);
    else if (l->form == FORM_CSV) {
        for (int i = 0; i < l->count; i++)
            output_print(out, "%s%s", i ? "," : "", l->column[i].name);
        output_print(out, "\n");
    }
}

void vectors_end(output *out, const layout *l)
{
    if (l->form == FORM_C)
        output_print(out, "};\n");
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* What stands before the first column, between two, and after the last. */
typedef struct punctuation {
    const char *before, *prefix, *between, *after;
    const char *digits;
} punctuation;

static char *put(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    return at;
}

static char *row_text(char *at, const layout *l, const row *r, const punctuation *p)
{
    at = put(at, p->before);
    for (int i = 0; i < l->count; i++) {
        if (i)
            at = put(at, p->between);
        at = put(at, p->prefix);
        at = hex_write(at, r->value[i], l->column[i].digits, p->digits);
    }
    return put(at, p->after);
}

static char *row_bytes(char *at, const layout *l, const row *r)
{
    for (int i = 0; i < l->count; i++) {
        for (int k = 0; k < l->column[i].bytes; k++)
            *at++ = (char)(r->value[i] >> 8 * k & 255);
    }
    return at;
}

void vectors_row(output *out, const layout *l, const row *r)
{
    static const punctuation text = {"", "", " ", "\n", hex_upper};
    static const punctuation readmemh = {"", "", "_", "\n", hex_lower};
    static const punctuation csv = {"", "0x", ",", "\n", hex_lower};
    static const punctuation structure = {"    {", "0x", ", ", "},\n", hex_lower};
    static const punctuation number = {"    ", "0x", "", ",\n", hex_lower};
    char *begin = output_room(out, 256), *at = begin;
    switch (l->form) {
    case FORM_TEXT:
        at = row_text(at, l, r, &text);
        break;
    case FORM_READMEMH:
        at = row_text(at, l, r, &readmemh);
        break;
    case FORM_CSV:
        at = row_text(at, l, r, &csv);
        break;
    case FORM_C:
        at = row_text(at, l, r, l->count == 1 ? &number : &structure);
        break;
    case FORM_BIN:
    case FORM_NPY:
        at = row_bytes(at, l, r);
        break;
    case FORM_JSON:
        break;
    }
    output_used(out, (size_t)(at - begin));
}
