/* SPDX-License-Identifier: MIT */
/* text.c -- texts that end with their digest */
#include "jobs/text.h"

#include <string.h>

static const char last[] = "end sha256=";
enum { LAST = sizeof last - 1 + 64 + 1 }; /* bytes of the last line */

void text_end(text_buffer *t)
{
    char digest[65];
    text_digest(t->bytes, t->size, digest);
    text_print(t, "%s%s\n", last, digest);
}

int lines_open(line_reader *r, const char *text, size_t size, input_error *error)
{
    char digest[65];
    *r = line_reader_of(0, text, size < LAST ? 0 : size - LAST, error);
    if (size < LAST || memcmp(text + r->size, last, sizeof last - 1) != 0 || text[size - 1] != '\n')
        return 0;
    text_digest(text, r->size, digest);
    return memcmp(text + r->size + sizeof last - 1, digest, 64) == 0;
}

char *line_value(line_reader *r, char *bytes, const char *key)
{
    if (!line_next(r, key) || !line_take(r, key) || !line_take(r, " "))
        return NULL;
    char *value = bytes + (r->at - r->text), *end = bytes + (r->end - r->text);
    *end = '\0';
    return strlen(value) == (size_t)(end - value) ? value : NULL;
}
