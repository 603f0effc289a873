/* SPDX-License-Identifier: MIT */
/* json_writer.h -- writes JSON (RFC 8259) one value at a time
 *
 *     json_writer j = {.put = put, .context = context};
 *     jw_begin(&j, NULL, '{');
 *     jw_text(&j, "name", "e4m3");
 *     jw_begin(&j, "codes", '[');
 *     jw_unsigned(&j, NULL, 448);
 *     jw_end(&j);
 *     jw_end(&j);
 *
 * writes {"name": "e4m3", "codes": [448]} and the end of the line. The writer sets commas, colons,
 * quotes and closing brackets. Each function takes the key of a member, or NULL for an element of
 * an array and for the value of a key that jw_key wrote.
 */
#ifndef SOFTFP8_BASE_JSON_WRITER_H
#define SOFTFP8_BASE_JSON_WRITER_H

#include <stddef.h>
#include <stdint.h>

enum { JSON_WRITER_DEPTH = 32 };

typedef struct json_writer {
    void (*put)(void *context, const char *text, size_t size);
    void *context;
    int compact; /* no blank after commas and colons */
    /* the rest is the writer's own and starts as zeros */
    const char *space;
    int after_key, depth;
    char any[JSON_WRITER_DEPTH], end[JSON_WRITER_DEPTH];
} json_writer;

/* An object or an array begins: '{' or '['. */
void jw_begin(json_writer *j, const char *key, char bracket);
/* The innermost object or array ends, and with the outermost the line. */
void jw_end(json_writer *j);
/* A key alone; its value follows. */
void jw_key(json_writer *j, const char *key);
/* The blanks before the next key, value or closing bracket, in place of the usual ones. Returns j:
 * jw_begin(jw_space(j, "\n  "), NULL, '{'). */
json_writer *jw_space(json_writer *j, const char *blanks);

/* A string, or null for NULL. Control characters become \u escapes, bytes that are not UTF-8
 * become \ufffd. */
void jw_text(json_writer *j, const char *key, const char *text);
/* A string of `digits` hexadecimal digits. */
void jw_hex(json_writer *j, const char *key, uint64_t word, int digits);
void jw_unsigned(json_writer *j, const char *key, uint64_t n);
void jw_signed(json_writer *j, const char *key, int64_t n);
/* Up to `digits` significant digits (%g), or `digits` decimals (%f); null for NaN and infinity,
 * which JSON does not have. */
void jw_real(json_writer *j, const char *key, double x, int digits);
void jw_fixed(json_writer *j, const char *key, double x, int digits);
/* A number that is text already, or null for NULL. */
void jw_number(json_writer *j, const char *key, const char *text);
void jw_bool(json_writer *j, const char *key, int is_true);
void jw_null(json_writer *j, const char *key);

/* How many bytes the UTF-8 character at `text` has; 0 if there is none. */
size_t utf8_length(const char *text);

#endif
