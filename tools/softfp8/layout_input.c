/* SPDX-License-Identifier: MIT */
/* layout_input.c -- raw files and those of NumPy, as bytes and as values */
#include "layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- shapes ---------------------------------------------------------------------------------- */

static const char *number(const char *text, size_t *n)
{
    const char *c = text;
    for (*n = 0; *c >= '0' && *c <= '9'; c++) {
        if (*n > ((size_t)1 << 40))
            return NULL;
        *n = 10 * *n + (size_t)(*c - '0');
    }
    return c == text ? NULL : c;
}

void layout_shape(const char *option, const char *text, size_t shape[2])
{
    const char *c = number(text, &shape[0]);
    if (c && *c == ',')
        c = number(c + 1, &shape[1]);
    else
        c = NULL;
    if (!c || *c || shape[0] == 0 || shape[1] == 0 || shape[1] > ((size_t)1 << 40) / shape[0])
        fail("%s %s: expected ROWS,COLUMNS, not 0, of at most 2^40 together", option, text);
}

/* ---- NumPy's head ---------------------------------------------------------------------------- */

/* The text behind 'key': in the head, or NULL. */
static const char *entry(const char *head, const char *key)
{
    const char *at = strstr(head, key);
    at = at ? strchr(at + strlen(key), ':') : NULL;
    while (at && *++at == ' ')
        ;
    return at;
}

static int read_dimensions(const char *at, size_t shape[2])
{
    size_t n[2] = {0, 0};
    int count = 0;
    if (!at || *at++ != '(')
        return 0;
    while (*at != ')') {
        at = count < 2 ? number(at, &n[count]) : NULL;
        if (!at)
            return 0;
        count++;
        while (*at == ',' || *at == ' ')
            at++;
    }
    shape[0] = n[0];
    shape[1] = count == 2 ? n[1] : 0;
    return count;
}

/* The bytes of the head, or 0: "\x93NUMPY", version, its length, a dictionary as Python has it. */
static size_t head_size(const uint8_t *data, size_t size)
{
    if (size < 10 || memcmp(data, "\x93NUMPY", 6) != 0)
        return 0;
    size_t lead = data[6] == 1 ? 10 : 12, length = (size_t)data[8] + ((size_t)data[9] << 8);
    if (lead == 12 && size >= 12)
        length += ((size_t)data[10] << 16) + ((size_t)data[11] << 24);
    return size < lead || length > size - lead ? SIZE_MAX : lead + length;
}

static void read_head(const char *name, char *head, size_t shape[2], char type[16])
{
    size_t own[2] = {0, 0};
    const char *order = entry(head, "'fortran_order'"), *descr = entry(head, "'descr'");
    int dimensions = read_dimensions(entry(head, "'shape'"), own);
    if (!order || !descr || *descr != '\'' || strcspn(descr + 1, "'") > 8 || dimensions == 0)
        fail_at(name, 0, "a head of NumPy that cannot be read");
    if (strncmp(order, "False", 5) != 0)
        fail_at(name, 0, "is in Fortran's order; rows are needed one after another");
    snprintf(type, 16, "%.*s", (int)strcspn(descr + 1, "'"), descr + 1);
    if (shape[0] == 0 && dimensions == 2) {
        shape[0] = own[0];
        shape[1] = own[1];
    } else if (shape[0] != 0 && dimensions == 2 && (own[0] != shape[0] || own[1] != shape[1])) {
        fail_at(name, 0, "is %zu x %zu by its head, expected %zu x %zu", own[0], own[1], shape[0],
                shape[1]);
    }
}

uint8_t *layout_bytes(const char *path, size_t *size, size_t shape[2], char type[16])
{
    uint8_t *data = (uint8_t *)input_whole(path, size, SIZE_MAX / 4);
    size_t head = head_size(data, *size);
    type[0] = '\0';
    if (head == 0)
        return data;
    if (head == SIZE_MAX)
        fail_at(input_name(path), 0, "ends in NumPy's head");
    char *text = allocate(head + 1, 1);
    memcpy(text, data, head);
    for (size_t i = 0; i < head; i++)
        text[i] = text[i] ? text[i] : ' ';
    read_head(input_name(path), text, shape, type);
    free(text);
    *size -= head;
    memmove(data, data + head, *size);
    return data;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The format that a head names; bf16 has no name there, and is given as 2 bytes of something. */
static const char *format_of(const char *name, const char *type, const char *from)
{
    static const char *const known[][2] = {{"<f4", "f32"}, {"<f2", "f16"}, {"<u4", "f32"},
                                           {"<u2", NULL},  {"|V2", NULL},  {"<V2", NULL},
                                           {"<i2", NULL}};
    if (type[0] == '\0')
        return from ? from : "f32";
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *own = known[i][1];
        if (strcmp(known[i][0], type) != 0)
            continue;
        if (own && from && strcmp(own, from) != 0)
            fail_at(name, 0, "has values of %s, but --from is %s", own, from);
        if (!own && (!from || strcmp(from, "f32") == 0))
            fail_at(name, 0, "has words of 2 bytes, '%s': --from bf16 or f16 is needed", type);
        return own ? own : from;
    }
    fail_at(name, 0, "has values of type '%s', expected f32, f16 or bf16, little-endian", type);
}

void layout_values(layout_data *d, const char *path, const char *from)
{
    size_t size, shape[2] = {d->rows, d->columns};
    char type[16];
    uint8_t *data = layout_bytes(path, &size, shape, type);
    if (shape[0] == 0)
        fail("--shape is needed: %s does not have it", input_name(path));
    if (shape[1] > ((size_t)1 << 40) / shape[0])
        fail_at(input_name(path), 0, "is %zu x %zu, of more than 2^40 values", shape[0], shape[1]);
    d->rows = shape[0];
    d->columns = shape[1];
    const char *name = format_of(input_name(path), type, from);
    size_t width = strcmp(name, "f32") == 0 ? 4 : 2, count = d->rows * d->columns;
    if (size != count * width)
        fail_at(input_name(path), 0, "%zu bytes, expected %zu: %zu x %zu values of %s", size,
                count * width, d->rows, d->columns, name);
    d->x = allocate(count, sizeof *d->x);
    sf8_format f = sf8_format_named(name, NULL);
    for (size_t i = 0; i < count; i++) {
        uint32_t word = 0;
        for (size_t k = 0; k < width; k++)
            word |= (uint32_t)data[i * width + k] << 8 * k;
        word = width == 4 ? word : (uint32_t)sf8_convert(SF8_F32, f, word, SF8_OCP_NOSAT);
        memcpy(&d->x[i], &word, 4);
    }
    free(data);
}
