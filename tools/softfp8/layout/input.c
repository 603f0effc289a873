/* SPDX-License-Identifier: MIT */
/* input.c -- codes, scales and values of files, raw or NumPy's */
#include "layout/layout.h"

#include <stdlib.h>
#include <string.h>

uint8_t *layout_bytes(const char *path, const char *what, size_t width, size_t *size)
{
    char *data = tensor_whole(path, size);
    *size = npy_codes(path, what, data, *size, width);
    return (uint8_t *)data;
}

/* Integers of 4 bytes are scales of e8m0, packed. */
static size_t width_of(const char *descr)
{
    static const char *const of[] = {"|u1", "|V1", "|i1", "<i4", "<u2",
                                     "<V2", "|V2", "<f4", "<u4", NPY_BF16};
    static const uint8_t widths[] = {1, 1, 1, 1, 2, 2, 2, 4, 4, 2};
    for (size_t i = 0; i < sizeof widths; i++) {
        if (strcmp(descr, of[i]) == 0)
            return widths[i];
    }
    return 0;
}

uint8_t *layout_scale_file(const char *path, size_t *size, size_t *width)
{
    npy_head head;
    input_error error;
    char *data = tensor_whole(path, size);
    *width = 0;
    if (!npy_is(data, *size))
        return (uint8_t *)data;
    if (!npy_head_read(data, *size, &head, &error))
        fail_input(input_name(path), &error);
    *width = width_of(head.descr);
    if (*width == 0)
        fail_at(input_name(path), 0,
                "scales: dtype '%s': expected bytes (|u1), f32 (<f4) or the bits of bf16 (<u2)",
                head.descr);
    *size -= head.data;
    memmove(data, data + head.data, *size);
    return (uint8_t *)data;
}

float *layout_values(sf8_layout_results *r, const char *path, const char *from, tensor_shape shape)
{
    size_t size;
    char *bytes = tensor_whole(path, &size);
    int own = npy_is(bytes, size);
    if (!own && !shape.rows)
        fail("--shape is missing: %s does not contain a shape", input_name(path));
    tensor t = tensor_of_bytes(path, bytes, size, own || from ? from : "f32",
                               own ? (tensor_shape){0, 0} : shape);
    size_t count = t.shape.rows * t.shape.columns;
    free(bytes);
    /* A row by its head may be a matrix that was written flat. */
    if (shape.rows && (t.shape.rows != shape.rows || t.shape.columns != shape.columns) &&
        (t.shape.rows != 1 || count != shape.rows * shape.columns))
        fail_at(input_name(path), 0, "the array is %zu x %zu; expected %zu x %zu", t.shape.rows,
                t.shape.columns, shape.rows, shape.columns);
    if (!shape.rows)
        shape = t.shape;
    r->rows = shape.rows;
    r->columns = shape.columns;
    r->from = t.format;
    float *x = allocate(count, sizeof *x);
    int has_values = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t word = tensor_f32(&t, i);
        memcpy(&x[i], &word, 4);
        has_values |= x[i] != 0 && x[i] - x[i] == 0;
    }
    if (!has_values)
        fail_at(input_name(path), 0,
                "all values are 0, infinite or NaN; expected some other values");
    tensor_free(&t);
    return x;
}
