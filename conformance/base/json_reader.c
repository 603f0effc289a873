/* SPDX-License-Identifier: MIT */
/* json_reader.c -- reads JSON one value at a time */
#include "base/json_reader.h"
#include "base/json_writer.h"

#include <string.h>

json_reader json_read(const char *text, size_t size)
{
    json_reader r = {.begin = text, .at = text, .end = text + size};
    return r;
}

int jr_fail(json_reader *r, const char *expected)
{
    if (!r->expected)
        r->expected = expected;
    return 0;
}

size_t jr_line(const json_reader *r)
{
    size_t line = 1;
    for (const char *c = r->begin; c < r->at; c++)
        line += *c == '\n';
    return line;
}

/* ---- structure ------------------------------------------------------------------------------- */

char jr_kind(json_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
    return r->at < r->end && !r->expected ? *r->at : '\0';
}

static int take(json_reader *r, char c, const char *expected)
{
    if (jr_kind(r) != c)
        return jr_fail(r, expected);
    r->at++;
    return 1;
}

int jr_begin(json_reader *r, char bracket)
{
    if (r->depth + 1 == JSON_READER_DEPTH)
        return jr_fail(r, "fewer nested objects and arrays");
    if (!take(r, bracket, bracket == '{' ? "an object, {" : "an array, ["))
        return 0;
    r->depth++;
    r->close[r->depth] = bracket == '{' ? '}' : ']';
    r->any[r->depth] = 0;
    return 1;
}

int jr_element(json_reader *r)
{
    char close = r->close[r->depth];
    if (r->expected)
        return 0;
    if (jr_kind(r) == close) {
        r->at++;
        r->depth--;
        return 0;
    }
    if (r->any[r->depth] && !take(r, ',', close == '}' ? "a comma or }" : "a comma or ]"))
        return 0;
    r->any[r->depth] = 1;
    return 1;
}

int jr_member(json_reader *r, char *key, size_t size)
{
    if (!jr_element(r))
        return 0;
    if (jr_kind(r) != '"')
        return jr_fail(r, "the name of a member, a string");
    return jr_text(r, key, size) && take(r, ':', "a colon after the name of a member");
}

int jr_end(json_reader *r)
{
    if (jr_kind(r))
        return jr_fail(r, "the end of the file");
    return !r->expected;
}

/* ---- strings --------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

/* The four digits after \u. */
static int take_unit(json_reader *r, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        int digit = r->at < r->end ? hex_digit(*r->at) : -1;
        if (digit < 0)
            return jr_fail(r, "four hexadecimal digits after \\u");
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return 1;
}

/* A character as UTF-8: the number of bytes. */
static size_t encode(uint32_t c, char utf8[4])
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        utf8[i] = (char)(0x80 | (c & 0x3f));
    utf8[0] = (char)(c | (n == 1 ? 0u : lead[n]));
    return n;
}

/* What stands behind a backslash. */
static size_t take_escape(json_reader *r, char utf8[4])
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char c = r->at < r->end ? *r->at : '\0';
    const char *at = c ? strchr(names, c) : NULL;
    if (at) {
        r->at++;
        utf8[0] = values[at - names];
        return 1;
    }
    uint32_t high, low;
    if (c != 'u')
        return (size_t)jr_fail(r, "an escape of JSON after \\");
    r->at++;
    if (!take_unit(r, &high))
        return 0;
    if (high == 0)
        return (size_t)jr_fail(r, "a string without \\u0000");
    if (high < 0xd800 || high > 0xdfff)
        return encode(high, utf8);
    if (high > 0xdbff || r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u')
        return (size_t)jr_fail(r, "a pair of surrogates");
    r->at += 2;
    if (!take_unit(r, &low))
        return 0;
    if (low < 0xdc00 || low > 0xdfff)
        return (size_t)jr_fail(r, "a pair of surrogates");
    return encode(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), utf8);
}

/* Bytes of the UTF-8 character at the current place, 0 if it is none. */
static size_t plain_length(const json_reader *r)
{
    char copy[5] = "";
    size_t left = (size_t)(r->end - r->at);
    memcpy(copy, r->at, left < 4 ? left : 4);
    return (unsigned char)copy[0] < ' ' ? 0 : utf8_length(copy);
}

/* The next character of a string, as UTF-8: the number of bytes; 0 at its end or after an error. */
static size_t take_character(json_reader *r, char utf8[4])
{
    if (r->at == r->end)
        return (size_t)jr_fail(r, "the closing quote of a string");
    if (*r->at == '"') {
        r->at++;
        return 0;
    }
    if (*r->at == '\\') {
        r->at++;
        return take_escape(r, utf8);
    }
    size_t n = plain_length(r);
    if (n == 0)
        return (size_t)jr_fail(r, "a string of UTF-8, on one line");
    memcpy(utf8, r->at, n);
    r->at += n;
    return n;
}

int jr_text(json_reader *r, char *text, size_t size)
{
    char utf8[4];
    size_t used = 0, n;
    text[0] = '\0';
    if (!take(r, '"', "a string"))
        return 0;
    while ((n = take_character(r, utf8)) > 0) {
        if (used + n >= size)
            return jr_fail(r, "a shorter string");
        memcpy(text + used, utf8, n);
        used += n;
    }
    text[used] = '\0';
    return !r->expected;
}

int jr_span(json_reader *r, const char **text, size_t *length)
{
    if (!take(r, '"', "a string"))
        return 0;
    *text = r->at;
    while (r->at < r->end && *r->at != '"' && *r->at != '\\' && (unsigned char)*r->at >= ' ')
        r->at++;
    *length = (size_t)(r->at - *text);
    return take(r, '"', "the closing quote of a string without escapes");
}

/* ---- other values ---------------------------------------------------------------------------- */

static int is_digit(const json_reader *r)
{
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static int skip_digits(json_reader *r)
{
    if (!is_digit(r))
        return jr_fail(r, "a digit");
    while (is_digit(r))
        r->at++;
    return 1;
}

static int take_if(json_reader *r, char c)
{
    return r->at < r->end && *r->at == c ? r->at++, 1 : 0;
}

static void skip_number(json_reader *r)
{
    take_if(r, '-');
    if (!take_if(r, '0'))
        skip_digits(r);
    if (take_if(r, '.'))
        skip_digits(r);
    if (take_if(r, 'e') || take_if(r, 'E')) {
        if (!take_if(r, '-'))
            take_if(r, '+');
        skip_digits(r);
    }
}

uint64_t jr_unsigned(json_reader *r)
{
    const uint64_t most = UINT64_C(1) << 53;
    uint64_t n = 0;
    char first = jr_kind(r);
    const char *begin = r->at;
    if (first < '0' || first > '9')
        return (uint64_t)jr_fail(r, "a number of digits alone");
    for (; is_digit(r) && n <= most; r->at++)
        n = 10 * n + (uint64_t)(*r->at - '0');
    if (n > most || (first == '0' && r->at - begin > 1))
        return (uint64_t)jr_fail(r, "a number up to 2^53 without a leading zero");
    return n;
}

static int take_word(json_reader *r, const char *word)
{
    size_t length = strlen(word);
    jr_kind(r);
    if (r->expected || (size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return 0;
    r->at += length;
    return 1;
}

int jr_bool(json_reader *r)
{
    if (take_word(r, "true"))
        return 1;
    if (!take_word(r, "false"))
        jr_fail(r, "true or false");
    return 0;
}

static void skip_text(json_reader *r)
{
    char utf8[4];
    take(r, '"', "a string");
    while (take_character(r, utf8) > 0) {
    }
}

/* Objects and arrays are gone through without calls, so that no input makes the stack deep. */
void jr_skip(json_reader *r)
{
    int outside = r->depth;
    do {
        char kind = jr_kind(r);
        if (kind == '{' || kind == '[')
            jr_begin(r, kind);
        else if (kind == '"')
            skip_text(r);
        else if (kind == '-' || (kind >= '0' && kind <= '9'))
            skip_number(r);
        else if (!take_word(r, "true") && !take_word(r, "false") && !take_word(r, "null"))
            jr_fail(r, "a value");
        while (r->depth > outside && !r->expected && !jr_element(r)) {
        }
        if (r->depth > outside && !r->expected && r->close[r->depth] == '}') {
            skip_text(r);
            take(r, ':', "a colon after the name of a member");
        }
    } while (r->depth > outside && !r->expected);
}
