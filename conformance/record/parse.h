/* SPDX-License-Identifier: MIT */
/* parse.h -- the lines of a record's files, and what stands in them
 *
 * A line is taken from its begin on: each of the take functions moves the cursor behind what it
 * took, or says what it expected and returns 0. Nothing but the one way to write a thing is taken.
 */
#ifndef SOFTFP8_CONFORM_RECORD_PARSE_H
#define SOFTFP8_CONFORM_RECORD_PARSE_H

#include "record/text.h"

typedef struct line_reader {
    int file;
    const char *text;
    size_t size, next;
    size_t line;                  /* of the line at hand, from 1 */
    const char *begin, *at, *end; /* of it; what is left is from `at` on */
    char before[RECORD_NAME + 1]; /* the first word of the last line with a check */
    record_error *error;
} line_reader;

line_reader line_reader_of(int file, const char *text, size_t size, record_error *error);
/* The error, at the line at hand; returns 0. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int line_wrong(line_reader *r, const char *format, ...);
/* The next line; 0 past the last, or if the file is cut off. `expected` is what should come. */
int line_next(line_reader *r, const char *expected);
/* The same with its check, which is taken away. */
int line_next_checked(line_reader *r, const char *expected);
/* Whether the next line begins so. */
int line_begins(const line_reader *r, const char *begin);
/* The last line: `begin`, the digest of all before it; nothing behind it. */
int line_take_end(line_reader *r);

int line_take(line_reader *r, const char *text);
/* A number in decimal without leading zeros. */
int line_take_number(line_reader *r, uint64_t most, uint64_t *value);
int line_take_hex(line_reader *r, int digits, uint64_t *value);
int line_take_digest(line_reader *r, char digest[65]);
/* Nothing is left. */
int line_is_done(line_reader *r);

/* All tables of a file, in order, to r->table. */
int record_read_tables(record_contents *r, line_reader *lines);

#endif
