/* SPDX-License-Identifier: MIT */
/* npy_codes.c -- codes and scales in NumPy's .npy files, as the bytes of a raw file */
#include "files/tensor_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "<u4": 4, of the kinds that hold codes: integers, V, as ml_dtypes writes its types, and numbers
 * of f32 where 4 bytes are wanted. 0 for other kinds, and for the order of bytes that a raw file
 * does not have. */
static size_t width_of(const char *descr, size_t wanted)
{
    size_t width = strlen(descr) > 2 ? (size_t)strtoul(descr + 2, NULL, 10) : 0;
    int ordered = descr[0] == '<' || descr[0] == '|' || (descr[0] == '>' && width == 1);
    int is_f32 = wanted == 4 && strcmp(descr, "<f4") == 0;
    return (ordered && strchr("uiV", descr[1])) || is_f32 ? width : 0;
}

int npy_codes_head(const char *data, size_t size, size_t width, size_t *begin, input_error *error)
{
    npy_head head;
    if (!npy_head_read(data, size, &head, error))
        return 0;
    size_t found = width_of(head.descr, width);
    if (found == 0 || (width && found != width))
        return input_wrong(error, 0, "dtype '%s': expected codes of %zu byte%s, such as %su%zu",
                           head.descr, width ? width : 1, width > 1 ? "s" : "",
                           width > 1 ? "<" : "|", width ? width : 1);
    *begin = head.data;
    return 1;
}

size_t npy_codes(const char *path, const char *what, char *data, size_t size, size_t width)
{
    size_t begin;
    input_error error;
    if (!npy_is(data, size))
        return size;
    if (!npy_codes_head(data, size, width, &begin, &error)) {
        if (error.byte != ERROR_NO_BYTE)
            fail_input(input_name(path), &error);
        fail_at(input_name(path), 0, "%s: %s", what, error.text);
    }
    memmove(data, data + begin, size - begin);
    return size - begin;
}
