/* SPDX-License-Identifier: MIT */
/* io.h -- input by lines and whole, output that is complete or absent
 *
 * A path NULL or "-" is standard input or output. An output file is written beside its final name
 * and renamed when complete; whatever ends the program before leaves no trace of it, and the file
 * that was there stays. A closed pipe ends the program quietly.
 */
#ifndef SOFTFP8_IO_H
#define SOFTFP8_IO_H

#include "base/hex.h"
#include "cli/cli.h"
#include "softfp8/sha256.h"

/* ---- output ---------------------------------------------------------------------------------- */

enum { OUTPUT_BUFFER = 1 << 16 };

typedef struct output {
    int fd;             /* -1: only digested */
    sf8_sha256 *digest; /* of all that is written, or NULL */
    const char *name;   /* for messages */
    char *final;        /* where to rename to; NULL for standard output */
    char *aside;
    int place; /* in the list of unfinished files, or -1 */
    size_t used;
    uint64_t written; /* bytes, flushed or not */
    char *buffer;     /* OUTPUT_BUFFER bytes */
    /* What output_put and output_print write goes through it; see page.h. NULL: as it is. */
    void (*filter)(struct output *out, const char *text, size_t size);
} output;

output *output_open(const char *path);
/* Fails now if a file could not be written there after a long run; NULL and "-" can. */
void output_check(const char *path);
/* The same of several, NULL among them; and fails where two of them are one file, or one is an
 * input file: by what the paths lead to, not by how they are written. "-" is standard output, of
 * inputs standard input. Devices, as /dev/null, may come twice. */
void outputs_check(const char *const *paths, size_t count, const char *const *inputs,
                   size_t input_count);
/* The same of one output and one input. */
void output_check_input(const char *path, const char *source);
/* True for "-", not for NULL. */
int output_is_standard(const char *path);
/* Nothing is written: the bytes are counted and digested. */
output *output_open_digest(void);
/* The SHA-256 of what was written there. */
void output_digest(output *out, char text[65]);
void output_write(output *out, const void *data, size_t size);
/* output_write with the output as context, for a json_writer and for reports. */
void output_put(void *context, const char *text, size_t size);
void output_print(output *out, const char *format, ...) CLI_PRINTF(2, 3);
void output_flush(output *out);
/* Flushes, checks, renames, frees. */
void output_close(output *out);
/* The same of several, NULL among them: none is renamed before all are whole. */
void outputs_close(output *const *list, size_t count);

/* Room for `size` <= OUTPUT_BUFFER bytes, to be filled; output_used says how many were. */
static inline char *output_room(output *out, size_t size)
{
    if (OUTPUT_BUFFER - out->used < size)
        output_flush(out);
    return out->buffer + out->used;
}

static inline void output_used(output *out, size_t size)
{
    out->used += size;
    out->written += size;
}

/* ---- input ----------------------------------------------------------------------------------- */

enum { INPUT_BUFFER = 1 << 18, INPUT_LINE_MOST = 1 << 16 };

typedef struct input {
    int fd;
    const char *name; /* "standard input" or the path */
    uint64_t line;    /* number of the line last given, from 1 */
    char *buffer;
    size_t at, end; /* the unread part of it */
    int ended;
} input;

input *input_open(const char *path);
/* The next line without its "\n" (and without a "\r" before it), closed with 0; NULL at the end.
 * *length gets its length: a 0 byte inside is seen by it. Fails on a line over INPUT_LINE_MOST. */
char *input_line(input *in, size_t *length);
/* More bytes into the buffer, keeping the unread ones: the number of unread bytes now. 0: the end.
 */
size_t input_more(input *in);
/* As many bytes into the buffer as it holds, or as there are: their number. */
size_t input_fill(input *in);
void input_close(input *in);

/* A whole file with a closing 0 (not counted in *size). Fails if it is longer than `most`. */
char *input_whole(const char *path, size_t *size, size_t most);
/* How a path is called in messages. */
const char *input_name(const char *path);

#endif
