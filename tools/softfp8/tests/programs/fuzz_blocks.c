/* SPDX-License-Identifier: MIT */
/* fuzz_blocks.c -- the heads of .npy files and of blocks on any bytes: what was read is written so
 * that it is read again the same
 */
#include "files/blocks_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_npy(const char *data, size_t size)
{
    npy_head head, again;
    input_error error = {.text = ""};
    if (!npy_head_read(data, size, &head, &error)) {
        if (!error.text[0] || error.byte > size || error.line)
            abort();
        return;
    }
    if (head.data > size || !tensor_shape_good(head.shape.rows, head.shape.columns))
        abort();
    if (strpbrk(head.descr, "'\n")) /* not as NumPy writes it */
        return;
    char dtype[NPY_DTYPE];
    output *out = output_open_digest();
    snprintf(dtype, sizeof dtype, "'%s'", head.descr);
    npy_head_write(out, dtype, head.axis, head.dimensions);
    if (out->used % 64 || !npy_head_read(out->buffer, out->used, &again, &error) ||
        again.data != out->used || strcmp(again.descr, head.descr) != 0 ||
        again.shape.rows != head.shape.rows || again.shape.columns != head.shape.columns)
        abort();
    output_close(out);
}

static void check_blocks(const char *data, size_t size)
{
    blocks_head head, again;
    input_error error = {.text = ""};
    if (!blocks_head_read(data, size, &head, &error)) {
        if (!error.text[0] || !error.line)
            abort();
        return;
    }
    if (head.data > size || head.codes < head.shape.rows || head.scales < head.shape.rows)
        abort();
    output *out = output_open_digest();
    blocks_head_write(out, &head);
    if (!blocks_head_read(out->buffer, out->used, &again, &error) || again.data != out->used ||
        again.row != head.row || again.from != head.from || again.g != head.g ||
        again.layout != head.layout || again.shape.rows != head.shape.rows ||
        again.shape.columns != head.shape.columns || strcmp(again.sha256, head.sha256) != 0)
        abort();
    output_close(out);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (npy_is(data, size))
        check_npy((const char *)data, size);
    else
        check_blocks((const char *)data, size);
    return 0;
}
