/* SPDX-License-Identifier: MIT */
/* json_reader.c -- a reader of JSON, a value at a time (RFC 8259) */
#include "report/json_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_fail(json *j, const char *message)
{
    if (!j->wrong[0])
        snprintf(j->wrong, sizeof j->wrong, "%s", message);
    j->at = j->size;
}

/* ---- characters ------------------------------------------------------------------------------ */

/* The next character that is no blank, or 0 at the end; it stays. */
static char peek(json *j)
{
    for (; j->at < j->size; j->at++) {
        char c = j->text[j->at];
        if (c == '\n')
            j->line++;
        else if (c != ' ' && c != '\t' && c != '\r')
            return c;
    }
    return '\0';
}

static int take(json *j, char c)
{
    if (peek(j) != c)
        return 0;
    j->at++;
    return 1;
}

static void expect(json *j, char c, const char *message)
{
    if (!take(j, c))
        json_fail(j, message);
}

static int take_word(json *j, const char *word)
{
    size_t n = strlen(word);
    peek(j);
    if (j->size - j->at < n || memcmp(j->text + j->at, word, n) != 0)
        return 0;
    j->at += n;
    return 1;
}

/* ---- texts ----------------------------------------------------------------------------------- */

void json_open(json *j, const char *text, size_t size)
{
    memset(j, 0, sizeof *j);
    j->line = 1;
    j->text = text;
    j->size = size;
}

int json_close(json *j)
{
    if (peek(j) || j->at < j->size)
        json_fail(j, "expected the end");
    return !j->wrong[0];
}

/* ---- objects and arrays ---------------------------------------------------------------------- */

static void begin(json *j, char bracket, const char *message)
{
    expect(j, bracket, message);
    if (j->depth + 1 >= JSON_DEPTH)
        json_fail(j, "expected fewer objects and arrays within each other");
    else
        j->begun[++j->depth] = 0;
}

/* Whether one more follows, of what ends with `bracket`. */
static int more(json *j, char bracket, const char *message)
{
    if (j->wrong[0])
        return 0;
    if (take(j, bracket)) {
        j->depth--;
        return 0;
    }
    if (j->begun[j->depth])
        expect(j, ',', message);
    j->begun[j->depth] = 1;
    return !j->wrong[0];
}

void json_object(json *j)
{
    begin(j, '{', "expected an object");
}

int json_key(json *j, char *key, size_t size)
{
    if (!more(j, '}', "expected , or }"))
        return 0;
    if (!json_text(j, key, size))
        json_fail(j, "expected a key");
    expect(j, ':', "expected :");
    return !j->wrong[0];
}

void json_array(json *j)
{
    begin(j, '[', "expected an array");
}

int json_element(json *j)
{
    return more(j, ']', "expected , or ]");
}

/* ---- values ---------------------------------------------------------------------------------- */

typedef struct sink {
    char *text;
    size_t size, used;
} sink;

static void put(sink *s, unsigned c)
{
    if (s->used + 1 < s->size)
        s->text[s->used++] = (char)c;
}

static void put_utf8(sink *s, unsigned c)
{
    if (c < 0x80) {
        put(s, c);
    } else if (c < 0x800) {
        put(s, 0xc0 | c >> 6);
        put(s, 0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        put(s, 0xe0 | c >> 12);
        put(s, 0x80 | (c >> 6 & 0x3f));
        put(s, 0x80 | (c & 0x3f));
    } else {
        put(s, 0xf0 | c >> 18);
        put(s, 0x80 | (c >> 12 & 0x3f));
        put(s, 0x80 | (c >> 6 & 0x3f));
        put(s, 0x80 | (c & 0x3f));
    }
}

static unsigned four_digits(json *j)
{
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        char c = j->at < j->size ? j->text[j->at] : '\0';
        const char *digits = "0123456789abcdefABCDEF", *d = c ? strchr(digits, c) : NULL;
        if (!d) {
            json_fail(j, "expected four hexadecimal digits after \\u");
            return 0;
        }
        unsigned digit = (unsigned)(d - digits);
        value = value << 4 | (digit < 16 ? digit : digit - 6);
        j->at++;
    }
    return value;
}

/* Behind a backslash. */
static void take_escape(json *j, sink *s)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = j->at < j->size ? j->text[j->at++] : '\0';
    const char *simple = c ? strchr(from, c) : NULL;
    if (simple) {
        put(s, (unsigned char)to[simple - from]);
        return;
    }
    if (c != 'u') {
        json_fail(j, "expected \" \\ / b f n r t or u after a backslash");
        return;
    }
    unsigned high = four_digits(j);
    if (high < 0xd800 || high > 0xdfff) {
        put_utf8(s, high);
        return;
    }
    if (high > 0xdbff || j->size - j->at < 2 || j->text[j->at] != '\\' || j->text[j->at + 1] != 'u') {
        json_fail(j, "expected the second half of a surrogate pair");
        return;
    }
    j->at += 2;
    unsigned low = four_digits(j);
    if (low < 0xdc00 || low > 0xdfff)
        json_fail(j, "expected the second half of a surrogate pair");
    put_utf8(s, 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff)));
}

int json_text(json *j, char *text, size_t size)
{
    sink s = {text, size, 0};
    text[0] = '\0';
    if (peek(j) != '"' && take_word(j, "null"))
        return 0;
    expect(j, '"', "expected a string");
    for (;;) {
        unsigned char c = j->at < j->size ? (unsigned char)j->text[j->at++] : '\0';
        if (c < 0x20)
            json_fail(j, "expected the end of the string");
        if (c == '"' || j->wrong[0])
            break;
        if (c == '\\')
            take_escape(j, &s);
        else
            put(&s, c);
    }
    text[s.used] = '\0';
    return 1;
}

static int is_digit(const json *j)
{
    return j->at < j->size && j->text[j->at] >= '0' && j->text[j->at] <= '9';
}

static void take_digits(json *j)
{
    if (!is_digit(j))
        json_fail(j, "expected a digit");
    while (is_digit(j))
        j->at++;
}

/* -12, 1.5, 2e-7; from where it begins on. */
static const char *take_number(json *j)
{
    peek(j);
    size_t begin_at = j->at;
    j->at += j->at < j->size && j->text[j->at] == '-';
    if (j->at < j->size && j->text[j->at] == '0')
        j->at++;
    else if (is_digit(j))
        take_digits(j);
    else
        json_fail(j, "expected a number");
    if (j->at < j->size && j->text[j->at] == '.') {
        j->at++;
        take_digits(j);
    }
    if (j->at < j->size && (j->text[j->at] == 'e' || j->text[j->at] == 'E')) {
        j->at++;
        j->at += j->at < j->size && (j->text[j->at] == '-' || j->text[j->at] == '+');
        take_digits(j);
    }
    return j->text + begin_at;
}

uint64_t json_integer(json *j)
{
    char *end;
    const char *at = take_number(j);
    errno = 0;
    unsigned long long value = strtoull(at, &end, 10);
    if (at[0] == '-' || end != j->text + j->at || errno)
        json_fail(j, "expected an integer that is not negative, below 2^64");
    return value;
}

double json_number(json *j)
{
    return strtod(take_number(j), NULL);
}

int json_boolean(json *j)
{
    int value = take_word(j, "true");
    if (!value && !take_word(j, "false"))
        json_fail(j, "expected true or false");
    return value;
}

void json_skip(json *j)
{
    char text[8];
    switch (peek(j)) {
    case '{':
        json_object(j);
        while (json_key(j, text, sizeof text))
            json_skip(j);
        break;
    case '[':
        json_array(j);
        while (json_element(j))
            json_skip(j);
        break;
    case '"':
        json_text(j, text, sizeof text);
        break;
    case 't':
    case 'f':
        json_boolean(j);
        break;
    case 'n':
        if (!take_word(j, "null"))
            json_fail(j, "expected a value");
        break;
    default:
        take_number(j);
        break;
    }
}
