/* SPDX-License-Identifier: MIT */
/* fuzz_vectors.c -- the readers of cases on any bytes: rows that were read are read again the same
 *
 * The first byte chooses form, function and columns; the rest is the file.
 */
#include "vectors/vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 4096 };

static void memory_input(input *in, const char *data, size_t size)
{
    static char *buffer;
    if (!buffer)
        buffer = allocate(1, INPUT_BUFFER + 1);
    memset(in, 0, sizeof *in);
    memcpy(buffer, data, size);
    in->fd = -1;
    in->name = "fuzz";
    in->buffer = buffer;
    in->end = size;
    in->ended = 1;
}

/* Reads rows to the end or to an error: their number. */
static int read_rows(const layout *l, const char *data, size_t size, row *rows, int *failed)
{
    input in;
    vector_reader reader;
    input_error error = {.text = ""};
    int n = 0, got = 0;
    memory_input(&in, data, size);
    vectors_open(&reader, &in, l);
    while (n < ROWS_MOST && (got = vectors_read(&reader, &rows[n], &error)) == 1)
        n++;
    *failed = got < 0;
    if (got < 0 && (!error.text[0] || strlen(error.found) >= sizeof error.found))
        abort();
    return n;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const char *const functions[] = {"e2m1_sqrt", "e4m3_mulAdd", "f32_to_e4m3",
                                            "f64_to_f16"};
    static row rows[ROWS_MOST], again[ROWS_MOST];
    if (size < 1 || size > INPUT_BUFFER)
        return 0;
    int choice = data[0], failed;
    sf8_function f;
    sf8_function_named(functions[choice / 6 & 3], &f);
    int columns = choice / 24 % 7 + 1;
    layout l = layout_of(&f, choice / 168, (vector_form)(choice % 6), columns);
    int n = read_rows(&l, (const char *)data + 1, size - 1, rows, &failed);
    if (failed || n == ROWS_MOST)
        return 0;

    output *out = output_open_digest();
    vector_title title = {&f, "fuzz", (uint64_t)n, {0, 0, 0}};
    vectors_begin(out, &l, &title);
    for (int i = 0; i < n; i++)
        vectors_row(out, &l, &rows[i]);
    vectors_end(out, &l);
    if (out->written < OUTPUT_BUFFER) { /* all of it is still in the buffer */
        int m = read_rows(&l, out->buffer, out->used, again, &failed);
        if (failed || m != n)
            abort();
        for (int i = 0; i < n; i++) {
            if (memcmp(rows[i].value, again[i].value, sizeof(uint64_t) * (size_t)l.count) != 0)
                abort();
        }
    }
    output_close(out);
    return 0;
}
