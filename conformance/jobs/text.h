/* SPDX-License-Identifier: MIT */
/* text.h -- texts that end with their digest */
#ifndef SOFTFP8_JOBS_TEXT_H
#define SOFTFP8_JOBS_TEXT_H

#include "base/lines.h"
#include "base/text.h"

/* The last line: "end sha256=" and the digest of all bytes before it. */
void text_end(text_buffer *t);
/* A reader of the lines before the last. Returns 0 if that is missing, or not that of the text. */
int lines_open(line_reader *r, const char *text, size_t size, input_error *error);
/* Takes the next line, "KEY TEXT": the text, closed with 0 in `bytes`, which are those of the
 * reader. NULL if it is another one. */
char *line_value(line_reader *r, char *bytes, const char *key);

#endif
