/* SPDX-License-Identifier: MIT */
/* npy_head.c -- shapes of tensors, and the head of NumPy's .npy files */
#include "files/tensor_file.h"

#include <stdio.h>
#include <string.h>

/* ---- formats and shapes ---------------------------------------------------------------------- */

const char *const tensor_formats[] = {"f32", "bf16", "f16", NULL};

size_t tensor_width(sf8_format f)
{
    return (size_t)sf8_format_bits(f) / 8;
}

int tensor_shape_good(size_t rows, size_t columns)
{
    return rows != 0 && columns != 0 && columns <= PTRDIFF_MAX / 4 / rows;
}

int size_read(const char **text, const char *end, size_t *value)
{
    const char *c = *text;
    uint64_t n = 0;
    for (; c < end && *c >= '0' && *c <= '9'; c++) {
        uint64_t digit = (uint64_t)(*c - '0');
        if (n > (UINT64_MAX - digit) / 10)
            return 0;
        n = 10 * n + digit;
    }
    int some = c > *text;
    *text = c;
    *value = n < SIZE_MAX ? (size_t)n : SIZE_MAX; /* which no memory holds, where it has 32 bits */
    return some;
}

int sizes_read(const char *text, size_t *sizes, int most)
{
    const char *at = text, *end = text + strlen(text);
    size_t words = 1;
    int count = 0;
    do {
        if (count == most || !size_read(&at, end, &sizes[count]))
            return 0;
        if (sizes[count] == 0)
            fail("the shape is empty; expected numbers above 0");
        if (count && !tensor_shape_good(words, sizes[count]))
            fail("too large");
        words *= sizes[count++];
    } while (at < end && *at++ == ',');
    return at == end && at[-1] != ',' ? count : 0;
}

static void take_shape_option(void *place, const cli_option *o, const char *text)
{
    tensor_shape *shape = place;
    const char *c = text, *end = text + strlen(text);
    (void)o;
    if (!size_read(&c, end, &shape->rows) || *c++ != ',' || !size_read(&c, end, &shape->columns) ||
        *c)
        fail("expected ROWS,COLUMNS, for example 128,4096");
    if (shape->rows == 0 || shape->columns == 0)
        fail("the shape is empty; expected numbers above 0");
    if (!tensor_shape_good(shape->rows, shape->columns))
        fail("too large");
}

const cli_option shape_option[] = {
    {"--shape", "ROWS,COLUMNS",
     "the number of rows and columns. Needed unless the file contains it", .kind = OPTION_CALL,
     .take = take_shape_option},
    {.kind = OPTION_END},
};

/* ---- the head of a .npy file ----------------------------------------------------------------- */

static const char npy_magic[] = "\x93NUMPY";
enum { MAGIC = sizeof npy_magic - 1 };

int npy_is(const void *bytes, size_t size)
{
    return size >= MAGIC && memcmp(bytes, npy_magic, MAGIC) == 0;
}

/* The text of a head: a dictionary as Python writes it. */
typedef struct cursor {
    const char *file, *at, *end;
    char *dtype; /* NPY_DTYPE bytes; NULL: columns are an error */
    input_error *error;
} cursor;

static int wrong(const cursor *c, const char *what)
{
    return input_wrong_at(c->error, (size_t)(c->at - c->file), "%s", what);
}

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t'))
        c->at++;
}

/* Takes the character if it comes next. */
static int took(cursor *c, char want)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != want)
        return 0;
    c->at++;
    return 1;
}

static int took_word(cursor *c, const char *want)
{
    size_t n = strlen(want);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, want, n) != 0)
        return 0;
    c->at += n;
    return 1;
}

/* A string in quotes, without escapes. */
static int take_string(cursor *c, char *text, size_t room)
{
    size_t n = 0;
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return wrong(c, "expected a string");
    char quote = *c->at++;
    for (; c->at < c->end && *c->at != quote; c->at++) {
        if (n + 1 >= room)
            return wrong(c, "the string is too long");
        text[n++] = *c->at;
    }
    if (c->at == c->end)
        return wrong(c, "the string does not end");
    c->at++;
    text[n] = '\0';
    return 1;
}

/* A dtype: a string, or if they are allowed columns, with the text as it is written. */
static int take_dtype(cursor *c, npy_head *head)
{
    skip_blanks(c);
    const char *begin = c->at;
    int columns = c->at < c->end && *c->at == '[';
    if (columns && !c->dtype)
        return wrong(c, "a structured dtype; expected <f4, <f2 or <u2");
    while (columns && c->at < c->end && *c->at != ']')
        c->at++;
    if (columns && !took(c, ']'))
        return wrong(c, "expected ']'");
    if (!columns && !take_string(c, head->descr, sizeof head->descr))
        return 0;
    if (c->dtype)
        snprintf(c->dtype, NPY_DTYPE, "%.*s", (int)(c->at - begin), begin);
    return 1;
}

/* The place is that of the whole shape: which number is too much depends on the width of addresses.
 */
static int too_large(cursor *c, const char *begin)
{
    c->at = begin;
    return wrong(c, "the array is too large");
}

/* "(2, 3, 4)": what is before the last is folded. */
static int take_shape(cursor *c, npy_head *head)
{
    tensor_shape s = {1, 0};
    int count = 0;
    skip_blanks(c);
    const char *begin = c->at;
    if (!took(c, '('))
        return wrong(c, "expected a shape in parentheses");
    while (!took(c, ')')) {
        size_t n;
        skip_blanks(c);
        if (!size_read(&c->at, c->end, &n))
            return wrong(c, "expected a number in the shape");
        if (n == 0)
            return wrong(c, "the array is empty");
        if (count == NPY_AXES)
            return wrong(c, "more than 64 dimensions");
        if (count && !tensor_shape_good(s.rows, s.columns))
            return too_large(c, begin);
        head->axis[count++] = n;
        head->inner = s.columns ? s.columns : 1;
        s.rows *= head->inner;
        s.columns = n;
        if (!took(c, ',') && c->at < c->end && *c->at != ')')
            return wrong(c, "expected ',' or ')'");
    }
    if (count == 0)
        return wrong(c, "a single number; expected an array");
    if (!tensor_shape_good(s.rows, s.columns))
        return too_large(c, begin);
    head->shape = s;
    head->dimensions = count;
    return 1;
}

/* One "key: value"; `seen` gets a bit for each. */
static int take_entry(cursor *c, npy_head *head, unsigned *seen)
{
    char key[16];
    if (!take_string(c, key, sizeof key))
        return 0;
    if (!took(c, ':'))
        return wrong(c, "expected ':'");
    unsigned which = strcmp(key, "descr") == 0           ? 1u
                     : strcmp(key, "fortran_order") == 0 ? 2u
                     : strcmp(key, "shape") == 0         ? 4u
                                                         : 0u;
    if (which == 0 || *seen & which)
        return wrong(c, "expected descr, fortran_order and shape, each once");
    *seen |= which;
    if (which == 1)
        return take_dtype(c, head);
    if (which == 4)
        return take_shape(c, head);
    if (took_word(c, "True"))
        return wrong(c, "Fortran order; expected C order: save numpy.ascontiguousarray(x)");
    return took_word(c, "False") || wrong(c, "expected True or False");
}

static int take_dictionary(cursor *c, npy_head *head)
{
    unsigned seen = 0;
    if (!took(c, '{'))
        return wrong(c, "expected '{'");
    while (!took(c, '}')) {
        if (!take_entry(c, head, &seen))
            return 0;
        if (!took(c, ',') && c->at < c->end && *c->at != '}')
            return wrong(c, "expected ',' or '}'");
    }
    if (seen != 7)
        return wrong(c, "expected descr, fortran_order and shape, each once");
    skip_blanks(c);
    return c->at == c->end || wrong(c, "expected the end of the header");
}

int npy_columns_read(const void *bytes, size_t size, npy_head *head, char dtype[NPY_DTYPE],
                     input_error *error)
{
    const unsigned char *b = bytes;
    cursor c = {bytes, bytes, (const char *)bytes + size, dtype, error};
    memset(head, 0, sizeof *head);
    if (!npy_is(bytes, size))
        return wrong(&c, "not a .npy file");
    c.at += MAGIC;
    if (size < MAGIC + 2)
        return wrong(&c, "the header is cut off");
    if (b[6] < 1 || b[6] > 3 || b[7] != 0)
        return wrong(&c, "unsupported .npy version; expected 1.0, 2.0 or 3.0");
    size_t length = 0, digits = b[6] == 1 ? 2 : 4;
    c.at += 2;
    if ((size_t)(c.end - c.at) < digits)
        return wrong(&c, "the header is cut off");
    for (size_t i = digits; i > 0; i--)
        length = length << 8 | (unsigned char)c.at[i - 1];
    c.at += digits;
    if ((size_t)(c.end - c.at) < length)
        return wrong(&c, "the header is cut off");
    c.end = c.at + length;
    head->data = (size_t)(c.end - c.file);
    return take_dictionary(&c, head);
}

int npy_head_read(const void *bytes, size_t size, npy_head *head, input_error *error)
{
    return npy_columns_read(bytes, size, head, NULL, error);
}

void npy_head_write(output *out, const char *dtype, const size_t *axis, int dimensions)
{
    char text[64 + NPY_DTYPE + 24 * NPY_AXES];
    int used = snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': False, 'shape': (",
                        dtype);
    for (int i = 0; i < dimensions; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, i ? ", %zu" : "%zu", axis[i]);
    used += snprintf(text + used, sizeof text - (size_t)used, "%s), }", dimensions == 1 ? "," : "");
    /* The data begins at a multiple of 64 bytes, behind 10 of the head and a line end. */
    int size = (10 + used + 1 + 63) / 64 * 64 - 10;
    const unsigned char head[4] = {1, 0, (unsigned char)size, (unsigned char)(size >> 8)};
    output_write(out, npy_magic, MAGIC);
    output_write(out, head, sizeof head);
    output_print(out, "%-*s\n", size - 1, text);
}
