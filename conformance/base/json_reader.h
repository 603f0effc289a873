/* SPDX-License-Identifier: MIT */
/* json_reader.h -- reads JSON (RFC 8259) one value at a time
 *
 *     json_reader r = json_read(text, size);
 *     char key[32];
 *     for (jr_begin(&r, '{'); jr_member(&r, key, sizeof key);)
 *         if (strcmp(key, "count") == 0)
 *             count = jr_unsigned(&r);
 *         else
 *             jr_skip(&r);
 *     jr_end(&r);
 *     if (r.expected)
 *         printf("line %zu: expected %s\n", jr_line(&r), r.expected);
 *
 * After the first error every function returns 0 and reads nothing, so it is enough to look for the
 * error at the end. A reader is a value: a copy remembers a place to come back to.
 */
#ifndef SOFTFP8_BASE_JSON_READER_H
#define SOFTFP8_BASE_JSON_READER_H

#include <stddef.h>
#include <stdint.h>

enum { JSON_READER_DEPTH = 16 };

typedef struct json_reader {
    const char *begin, *at, *end;
    const char *expected; /* NULL as long as there is no error */
    int depth;
    char close[JSON_READER_DEPTH], any[JSON_READER_DEPTH];
} json_reader;

/* The text needs no closing 0, and must live as long as the reader. */
json_reader json_read(const char *text, size_t size);
/* Goes into an object '{' or an array '['. */
int jr_begin(json_reader *r, char bracket);
/* The key of the next member: 1; 0 after the last one, and the object is left. */
int jr_member(json_reader *r, char *key, size_t size);
/* 1 if another element follows; 0 after the last one, and the array is left. */
int jr_element(json_reader *r);
/* What the next value begins with: { [ " t f n - or a digit; 0 at the end. */
char jr_kind(json_reader *r);
/* A string, in UTF-8 with a closing 0. One that does not fit is an error. */
int jr_text(json_reader *r, char *text, size_t size);
/* A string without escapes: its place and length in the text. */
int jr_span(json_reader *r, const char **text, size_t *length);
/* An integer from 0 to 2^53, without a fraction. */
uint64_t jr_unsigned(json_reader *r);
/* true or false. */
int jr_bool(json_reader *r);
/* Any value. */
void jr_skip(json_reader *r);
/* Only blanks may follow. */
int jr_end(json_reader *r);

/* Reports an error at the current place, unless there is one already. Returns 0. */
int jr_fail(json_reader *r, const char *expected);
/* The line of the current place, from 1. */
size_t jr_line(const json_reader *r);

#endif
