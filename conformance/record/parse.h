/* SPDX-License-Identifier: MIT */
/* parse.h -- parsing the lines of a record's files
 *
 * A line is parsed from its beginning. Each take function moves the cursor behind what it took, or
 * sets the error and returns 0. Only the one canonical way to write something is accepted.
 */
#ifndef SOFTFP8_CONFORM_RECORD_PARSE_H
#define SOFTFP8_CONFORM_RECORD_PARSE_H

#include "record/text.h"

typedef struct line_reader {
    int file;
    const char *text;
    size_t size, next;
    size_t line;                  /* number of the current line, from 1 */
    const char *begin, *at, *end; /* the current line; the rest of it begins at `at` */
    char before[RECORD_NAME + 1]; /* the first word of the last line with a check */
    record_error *error;
} line_reader;

line_reader line_reader_of(int file, const char *text, size_t size, record_error *error);
/* Sets the error, at the current line; returns 0. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int line_wrong(line_reader *r, const char *format, ...);
/* Takes the next line; returns 0 past the last one, or if the file is truncated. `expected`
 * describes the line. */
int line_next(line_reader *r, const char *expected);
/* The same, and removes its check. */
int line_next_checked(line_reader *r, const char *expected);
/* Returns 1 if the next line begins with this text. */
int line_begins(const line_reader *r, const char *begin);
/* Takes the last line: `begin`, and the digest of everything before it; nothing follows. */
int line_take_end(line_reader *r);

int line_take(line_reader *r, const char *text);
/* A number in decimal without leading zeros. */
int line_take_number(line_reader *r, uint64_t most, uint64_t *value);
int line_take_hex(line_reader *r, int digits, uint64_t *value);
int line_take_digest(line_reader *r, char digest[65]);
/* Requires that nothing is left of the line. */
int line_is_done(line_reader *r);

/* All tables of a file, in order, to r->table. */
int record_read_tables(record_contents *r, line_reader *lines);

#endif
