/* SPDX-License-Identifier: MIT */
/* line.c -- a line of the input of `convert` taken apart */
#include "convert/line.h"
#include "files/io.h"

#include <stdio.h>
#include <string.h>

enum { RANDOM_DIGITS = 8, FIELDS = 3 };

typedef struct field {
    char *text;
    size_t length;
} field;

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Up to FIELDS fields, each closed with 0; their number. */
static int split(char *text, size_t length, field fields[FIELDS])
{
    char *at = text, *end = text + length;
    int count = 0;
    while (count < FIELDS) {
        while (at < end && is_blank(*at))
            at++;
        if (at == end)
            break;
        fields[count].text = at;
        while (at < end && !is_blank(*at))
            at++;
        fields[count].length = (size_t)(at - fields[count].text);
        count++;
        if (at < end)
            *at++ = '\0';
    }
    return count;
}

/* Exactly this many digits, after "0x" or not. */
static int read_word(field f, int digits, uint64_t *word)
{
    const char *text = f.text;
    size_t length = f.length;
    if (length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        text += 2;
        length -= 2;
    }
    return length == (size_t)digits && hex_read(text, digits, word);
}

static convert_kind bad(convert_line *line, field f, const char *expected)
{
    line->bad = f.text;
    line->bad_length = f.length;
    snprintf(line->expected, sizeof line->expected, "%s", expected);
    return LINE_BAD;
}

static convert_kind bad_word(convert_line *line, field f, int digits, const char *what)
{
    char text[64];
    snprintf(text, sizeof text, "%s%d hexadecimal digits", what, digits);
    return bad(line, f, text);
}

static convert_kind bad_code(convert_line *line, field f, int digits)
{
    char text[sizeof line->expected];
    snprintf(text, sizeof text, "%d hexadecimal digit%s; numbers such as 500 need --values", digits,
             digits == 1 ? "" : "s");
    return bad(line, f, text);
}

convert_kind convert_line_read(convert_form form, char *text, size_t length, convert_line *line)
{
    field fields[FIELDS];
    int count = split(text, length, fields);
    memset(line, 0, sizeof *line);
    if (count == 0 || fields[0].text[0] == '#')
        return LINE_EMPTY;
    if (form.values)
        line->value = fields[0].text;
    if (form.values && strlen(fields[0].text) != fields[0].length)
        return bad(line, fields[0], "a number");
    if (!form.values && !read_word(fields[0], form.digits, &line->word))
        return bad_code(line, fields[0], form.digits);
    if (line->word & ~form.mask) {
        char most[64];
        snprintf(most, sizeof most, "a code up to %0*llx", form.digits,
                 (unsigned long long)form.mask);
        return bad(line, fields[0], most);
    }
    if (count > 1 + form.random)
        return bad(line, fields[1 + form.random], "the end of the line");
    uint64_t random = 0;
    if (form.random && count == 1)
        return bad_word(line, fields[0], RANDOM_DIGITS, "a random number after it, ");
    if (form.random && !read_word(fields[1], RANDOM_DIGITS, &random))
        return bad_word(line, fields[1], RANDOM_DIGITS, "a random number, ");
    line->random = (uint32_t)random;
    return LINE_WORD;
}
