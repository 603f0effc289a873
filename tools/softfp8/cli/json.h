/* SPDX-License-Identifier: MIT */
/* json.h -- a reader of JSON, a value at a time
 *
 *     json_open(&j, path);
 *     json_object(&j);
 *     while (json_key(&j, key, sizeof key)) {
 *         if (strcmp(key, "count") == 0)
 *             count = json_number(&j);
 *         else
 *             json_skip(&j);
 *     }
 *     json_close(&j);
 *
 * What is not as it is asked for ends the program with the file and the line.
 */
#ifndef SOFTFP8_JSON_H
#define SOFTFP8_JSON_H

#include "files/io.h"

enum { JSON_DEPTH = 64 };

typedef struct json {
    const char *name;
    char *text;
    size_t size, at;
    uint64_t line;
    int depth;
    int begun[JSON_DEPTH]; /* a member or an element was read there */
} json;

/* The whole file, `most` bytes at the most. */
void json_open(json *j, const char *path, size_t most);
/* Nothing may follow. */
void json_close(json *j);

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

/* "FILE:LINE: message" */
_Noreturn void json_fail(const json *j, const char *message);

#endif
