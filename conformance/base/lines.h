/* SPDX-License-Identifier: MIT */
/* lines.h -- goes through a text that a program wrote: line by line, and through a line from its
 * beginning
 *
 * Each take function moves the cursor behind what it took, or sets the error and returns 0. Only
 * the one canonical way to write something is accepted. What people write is read by words.h.
 */
#ifndef SOFTFP8_BASE_LINES_H
#define SOFTFP8_BASE_LINES_H

#include "base/error.h"

typedef struct line_reader {
    int file; /* for the error */
    const char *text;
    size_t size, next;
    size_t line;                  /* number of the current line, from 1 */
    const char *begin, *at, *end; /* the current line; the rest of it begins at `at` */
    input_error *error;
} line_reader;

line_reader line_reader_of(int file, const char *text, size_t size, input_error *error);
/* Sets the error, at the current line; returns 0. */
int line_wrong(line_reader *r, const char *format, ...) BASE_PRINTF(2, 3);
/* Takes the next line; returns 0 past the last one, or if the file is truncated. `expected`
 * describes the line. */
int line_next(line_reader *r, const char *expected);
/* Returns 1 if the next line begins with this text. */
int line_begins(const line_reader *r, const char *begin);
/* Takes the end of the last line: the digest of everything before it; nothing follows. */
int line_take_end(line_reader *r);

int line_take(line_reader *r, const char *text);
/* A decimal number up to `most`, without leading zeros. */
int line_take_number(line_reader *r, uint64_t most, uint64_t *value);
/* Exactly this many hexadecimal digits, lower case. */
int line_take_hex(line_reader *r, int digits, uint64_t *value);
int line_take_digest(line_reader *r, char digest[65]);
int line_is_done(line_reader *r);

#endif
