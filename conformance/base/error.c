/* SPDX-License-Identifier: MIT */
/* error.c -- what is wrong in an input, and where */
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { QUOTED = 60 };

static int set(input_error *e, uint64_t line, uint64_t byte, const char *format, va_list list)
{
    memset(e, 0, sizeof *e);
    e->line = line;
    e->byte = byte;
    vsnprintf(e->text, sizeof e->text, format, list);
    return 0;
}

int input_wrong_list(input_error *e, uint64_t line, const char *format, va_list list)
{
    return set(e, line, ERROR_NO_BYTE, format, list);
}

int input_wrong(input_error *e, uint64_t line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    input_wrong_list(e, line, format, list);
    va_end(list);
    return 0;
}

int input_wrong_at(input_error *e, size_t byte, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    set(e, 0, byte, format, list);
    va_end(list);
    return 0;
}

int input_expected(input_error *e, const char *what, const char *found, size_t length,
                   const char *format, ...)
{
    char expected[ERROR_TEXT];
    va_list list;
    snprintf(expected, sizeof expected, "expected %s", format);
    va_start(list, format);
    set(e, 0, ERROR_NO_BYTE, expected, list);
    va_end(list);
    e->what = what;
    memcpy(e->found, found, length < QUOTED ? length : QUOTED);
    if (length > QUOTED)
        strcpy(e->found + QUOTED, "...");
    return 0;
}

const char *input_error_text(const input_error *e, char text[ERROR_WHOLE])
{
    char place[32] = "";
    if (!e->line && e->byte != ERROR_NO_BYTE)
        snprintf(place, sizeof place, "byte %" PRIu64 ": ", e->byte);
    if (e->found[0])
        snprintf(text, ERROR_WHOLE, "%s%.20s%s'%s': %s", place, e->what ? e->what : "",
                 e->what ? " " : "", e->found, e->text);
    else
        snprintf(text, ERROR_WHOLE, "%s%s", place, e->text);
    return text;
}
