/* SPDX-License-Identifier: MIT */
/* tensor_stream.h -- a tensor in a file, read in pieces: for what is larger than memory
 *
 * The same files as tensor_file.h reads, and the same refusals. The sides of the tensor are kept:
 * of two, or of three.
 */
#ifndef SOFTFP8_TENSOR_STREAM_H
#define SOFTFP8_TENSOR_STREAM_H

#include "files/tensor_file.h"

/* The sides of a tensor, the last the fastest; a count of 0: they are not known. */
typedef struct tensor_sides {
    int count;
    size_t size[3];
} tensor_sides;

/* "A,B" or "A,B,C" of an option; fails. */
void tensor_sides_take(void *place, const cli_option *o, const char *text);

typedef struct tensor_stream {
    input *in;
    const char *path;
    sf8_format format;
    const char *format_name;
    tensor_sides sides;
    size_t words, left; /* in all; not read yet */
    int again;          /* it can be read once more */
    int64_t data;       /* where in the file the words begin */
} tensor_stream;

/* Opens a .npy file of two or three dimensions, or raw words of the format `from` if there are
 * sides. Fails on anything that is not as it says, a size of the file too. */
void tensor_stream_open(tensor_stream *s, const char *path, const char *from, tensor_sides sides);
/* The next values, at most `most`, as f32; their number, 0 at the end. Fails if the input ends
 * before its last word or goes on behind it. */
size_t tensor_stream_read(tensor_stream *s, uint32_t *words, size_t most);
/* To the first word again. */
void tensor_stream_rewind(tensor_stream *s);
void tensor_stream_close(tensor_stream *s);

#endif
