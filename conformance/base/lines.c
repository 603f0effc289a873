/* SPDX-License-Identifier: MIT */
/* lines.c -- goes through a text that a program wrote */
#include "base/lines.h"
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

line_reader line_reader_of(int file, const char *text, size_t size, input_error *error)
{
    line_reader r = {file, text, size, 0, 0, text, text, text, error};
    return r;
}

int line_wrong(line_reader *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    input_wrong_list(r->error, r->line > 0 ? r->line : 1, format, list);
    va_end(list);
    r->error->file = r->file;
    return 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

int line_next(line_reader *r, const char *expected)
{
    const char *begin = r->text + r->next;
    const char *end = r->next < r->size ? memchr(begin, '\n', r->size - r->next) : NULL;
    r->line++;
    if (r->next >= r->size)
        return line_wrong(r, "the file ends; expected %s", expected);
    if (!end)
        return line_wrong(r, "the file ends within a line; expected %s", expected);
    r->begin = r->at = begin;
    r->end = end;
    r->next = (size_t)(end - r->text) + 1;
    return 1;
}

int line_begins(const line_reader *r, const char *begin)
{
    size_t length = strlen(begin);
    return r->size - r->next >= length && memcmp(r->text + r->next, begin, length) == 0;
}

int line_take_end(line_reader *r)
{
    char digest[65], found[65];
    text_digest(r->text, (size_t)(r->at - r->text), digest);
    if (!line_take_digest(r, found) || !line_is_done(r))
        return 0;
    if (strcmp(digest, found) != 0)
        return line_wrong(r, "wrong digest: a line before it was changed, moved or removed");
    if (r->next < r->size) {
        r->line++;
        return line_wrong(r, "unexpected text after the end");
    }
    return 1;
}

/* ---- what stands in them --------------------------------------------------------------------- */

int line_take(line_reader *r, const char *text)
{
    size_t length = strlen(text);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return line_wrong(r, "expected '%s' in column %zu", text, (size_t)(r->at - r->begin) + 1);
    r->at += length;
    return 1;
}

int line_take_number(line_reader *r, uint64_t most, uint64_t *value)
{
    const char *begin = r->at;
    *value = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        uint64_t digit = (uint64_t)(*r->at - '0');
        if (*value > (most - digit) / 10 || digit > most)
            return line_wrong(r, "a number above %llu", (unsigned long long)most);
        *value = 10 * *value + digit;
    }
    if (r->at == begin || (*begin == '0' && r->at - begin > 1))
        return line_wrong(r, "expected a number, without leading zeros");
    return 1;
}

int line_take_hex(line_reader *r, int digits, uint64_t *value)
{
    *value = 0;
    for (int i = 0; i < digits; i++, r->at++) {
        char c = r->at < r->end ? *r->at : '\0';
        if (c >= '0' && c <= '9')
            *value = *value << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            *value = *value << 4 | (uint64_t)(c - 'a' + 10);
        else
            return line_wrong(r, "expected %d hexadecimal digits, lower case", digits);
    }
    return 1;
}

int line_take_digest(line_reader *r, char digest[65])
{
    const char *begin = r->at;
    uint64_t value;
    for (int i = 0; i < 4; i++) {
        if (!line_take_hex(r, 16, &value))
            return line_wrong(r, "expected a digest: 64 hexadecimal digits, lower case");
    }
    memcpy(digest, begin, 64);
    digest[64] = '\0';
    return 1;
}

int line_is_done(line_reader *r)
{
    return r->at == r->end || line_wrong(r, "unexpected text at the end of the line");
}
