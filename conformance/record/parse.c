/* SPDX-License-Identifier: MIT */
/* parse.c -- parsing the lines of a record's files */
#include "record/parse.h"

#include <stdarg.h>
#include <string.h>

line_reader line_reader_of(int file, const char *text, size_t size, record_error *error)
{
    line_reader r;
    memset(&r, 0, sizeof r);
    r.file = file;
    r.text = r.begin = r.at = r.end = text;
    r.size = size;
    r.error = error;
    return r;
}

int line_wrong(line_reader *r, const char *format, ...)
{
    va_list list;
    r->error->file = r->file;
    r->error->line = r->line > 0 ? r->line : 1;
    va_start(list, format);
    vsnprintf(r->error->what, sizeof r->error->what, format, list);
    va_end(list);
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

int line_next_checked(line_reader *r, const char *expected)
{
    char check[9];
    if (!line_next(r, expected))
        return 0;
    size_t size = (size_t)(r->end - r->at);
    if (size < 10 || r->end[-10] != ' ' || r->end[-9] != '#')
        return line_wrong(r, "expected %s, closed by its check, '#' and 8 digits", expected);
    record_check(r->before, r->at, size - 10, check);
    if (memcmp(check, r->end - 8, 8) != 0)
        return line_wrong(
            r, "wrong checksum: this line or the one before it was changed, moved or removed");
    r->end -= 10;
    size_t word = 0;
    while (r->at + word < r->end && r->at[word] != ' ')
        word++;
    if (word > RECORD_NAME)
        return line_wrong(r, "a field of more than %d characters", RECORD_NAME);
    memcpy(r->before, r->at, word);
    r->before[word] = '\0';
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
