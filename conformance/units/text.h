/* SPDX-License-Identifier: MIT */
/* text.h -- texts that end with their digest: writing and reading them line by line */
#ifndef SOFTFP8_UNITS_TEXT_H
#define SOFTFP8_UNITS_TEXT_H

#include "base/text.h"

/* The last line: "end sha256=" and the digest of all bytes before it. */
void text_end(text_buffer *t);

/* A decimal number up to `most` without needless zeros; returns the place behind it, or NULL. */
char *text_number(char *text, uint64_t most, uint64_t *value);

/* The lines of a text whose last line is right. */
typedef struct unit_lines {
    char *bytes; /* a copy */
    size_t at, size, line;
} unit_lines;

/* Returns 0 if the last line is missing, or not that of the text. */
int lines_open(unit_lines *l, const char *text, size_t size);
/* The next line without its end; NULL behind the last, or if the line has a byte 0. It may be
 * changed. */
char *lines_next(unit_lines *l);
/* Returns 1 behind the last. */
int lines_done(const unit_lines *l);
/* The next `size` bytes, which a newline must follow; or NULL. */
char *lines_bytes(unit_lines *l, size_t size);
void lines_close(unit_lines *l);

#endif
