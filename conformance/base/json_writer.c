/* SPDX-License-Identifier: MIT */
/* json_writer.c -- writes JSON one value at a time */
#include "base/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- characters ------------------------------------------------------------------------------ */

size_t utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t n = c[0] < 0x80 ? 1 : c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    if ((c[0] >= 0x80 && c[0] < 0xc2) || c[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    }
    /* longer than needed, a surrogate, or above the last character */
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
        return 0;
    return n;
}

static void put(const json_writer *j, const char *text)
{
    j->put(j->context, text, strlen(text));
}

static void put_quoted(const json_writer *j, const char *text)
{
    put(j, "\"");
    while (*text) {
        unsigned char c = (unsigned char)*text;
        size_t n = utf8_length(text);
        if (n == 0 || c < ' ' || c == 127) {
            char escape[8];
            snprintf(escape, sizeof escape, "\\u%04x", n ? c : 0xfffdu);
            put(j, escape);
        } else {
            if (c == '"' || c == '\\')
                put(j, "\\");
            j->put(j->context, text, n);
        }
        text += n ? n : 1;
    }
    put(j, "\"");
}

/* ---- structure ------------------------------------------------------------------------------- */

/* What stands before a key or a value: a comma if there is one before it, and blanks. */
static void separate(json_writer *j)
{
    int follows = j->any[j->depth] && !j->after_key;
    if (follows)
        put(j, ",");
    if (j->space)
        put(j, j->space);
    else if ((follows || j->after_key) && !j->compact)
        put(j, " ");
    j->space = NULL;
    j->after_key = 0;
    j->any[j->depth] = 1;
}

void jw_key(json_writer *j, const char *key)
{
    separate(j);
    put_quoted(j, key);
    put(j, ":");
    j->after_key = 1;
}

static void begin_value(json_writer *j, const char *key)
{
    if (key)
        jw_key(j, key);
    separate(j);
}

static void put_value(json_writer *j, const char *key, const char *text)
{
    begin_value(j, key);
    put(j, text);
}

void jw_begin(json_writer *j, const char *key, char bracket)
{
    put_value(j, key, bracket == '{' ? "{" : "[");
    j->depth++;
    j->any[j->depth] = 0;
    j->end[j->depth] = bracket == '{' ? '}' : ']';
}

void jw_end(json_writer *j)
{
    if (j->space)
        put(j, j->space);
    j->space = NULL;
    j->put(j->context, &j->end[j->depth], 1);
    j->depth--;
    if (j->depth == 0)
        put(j, "\n");
}

json_writer *jw_space(json_writer *j, const char *blanks)
{
    j->space = blanks;
    return j;
}

/* ---- values ---------------------------------------------------------------------------------- */

void jw_text(json_writer *j, const char *key, const char *text)
{
    begin_value(j, key);
    if (text)
        put_quoted(j, text);
    else
        put(j, "null");
}

void jw_hex(json_writer *j, const char *key, uint64_t word, int digits)
{
    char text[32];
    snprintf(text, sizeof text, "\"%0*llx\"", digits, (unsigned long long)word);
    put_value(j, key, text);
}

void jw_unsigned(json_writer *j, const char *key, uint64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    put_value(j, key, text);
}

void jw_signed(json_writer *j, const char *key, int64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)n);
    put_value(j, key, text);
}

void jw_real(json_writer *j, const char *key, double x, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, x);
    jw_number(j, key, isfinite(x) ? text : NULL);
}

void jw_fixed(json_writer *j, const char *key, double x, int digits)
{
    char text[400];
    snprintf(text, sizeof text, "%.*f", digits, x);
    jw_number(j, key, isfinite(x) ? text : NULL);
}

void jw_number(json_writer *j, const char *key, const char *text)
{
    put_value(j, key, text ? text : "null");
}

void jw_bool(json_writer *j, const char *key, int is_true)
{
    put_value(j, key, is_true ? "true" : "false");
}

void jw_null(json_writer *j, const char *key)
{
    put_value(j, key, "null");
}
