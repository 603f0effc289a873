/* SPDX-License-Identifier: MIT */
/* json_reader.h -- a reader of JSON, a value at a time
 *
 *     json_open(&j, text, size);
 *     json_object(&j);
 *     while (json_key(&j, key, sizeof key)) {
 *         if (strcmp(key, "count") == 0)
 *             count = json_number(&j);
 *         else
 *             json_skip(&j);
 *     }
 *     json_close(&j);
 *
 * The first thing that is not as it is asked for is kept, with its line. From then on there is
 * nothing more: objects and arrays end, and values are 0.
 */
#ifndef SOFTFP8_REPORT_JSON_READER_H
#define SOFTFP8_REPORT_JSON_READER_H

#include <stddef.h>
#include <stdint.h>

enum { JSON_DEPTH = 64 };

typedef struct json {
    const char *text;
    size_t size, at;
    uint64_t line;
    int depth;
    int begun[JSON_DEPTH]; /* a member or an element was read there */
    char wrong[256];       /* what was expected, or ""; `line` is where that was */
} json;

/* A text with a 0 behind its end. */
void json_open(json *j, const char *text, size_t size);
/* Nothing may follow. Whether all was as it was asked for. */
int json_close(json *j);

/* An object begins; then each of its keys, until there is none: 0. */
void json_object(json *j);
int json_key(json *j, char *key, size_t size);
/* An array begins; then whether there is one more element. */
void json_array(json *j);
int json_element(json *j);

/* A string, cut off if it is too long; 0 for null, which leaves "". */
int json_text(json *j, char *text, size_t size);
/* An integer that is not negative; a number. */
uint64_t json_integer(json *j);
double json_number(json *j);
int json_boolean(json *j);
/* A value, whatever it is. */
void json_skip(json *j);

/* Something else is wrong there. */
void json_fail(json *j, const char *message);

#endif
