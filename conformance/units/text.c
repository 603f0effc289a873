/* SPDX-License-Identifier: MIT */
/* text.c -- texts that end with their digest: writing and reading them line by line */
#include "units/text.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const char last[] = "end sha256=";
enum { LAST = sizeof last - 1 + 64 + 1 }; /* bytes of the last line */

void text_end(text_buffer *t)
{
    char digest[65];
    text_digest(t->bytes, t->size, digest);
    text_print(t, "%s%s\n", last, digest);
}

char *text_number(char *text, uint64_t most, uint64_t *value)
{
    *value = 0;
    if (text[0] < '0' || text[0] > '9' || (text[0] == '0' && text[1] >= '0' && text[1] <= '9'))
        return NULL;
    for (; *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (*value > (most - digit) / 10)
            return NULL;
        *value = 10 * *value + digit;
    }
    return text;
}

/* ---- reading --------------------------------------------------------------------------------- */

int lines_open(unit_lines *l, const char *text, size_t size)
{
    char digest[65];
    *l = (unit_lines){NULL, 0, 0, 1};
    if (size < LAST || memcmp(text + size - LAST, last, sizeof last - 1) != 0 ||
        text[size - 1] != '\n')
        return 0;
    size -= LAST;
    text_digest(text, size, digest);
    if (memcmp(text + size + sizeof last - 1, digest, 64) != 0)
        return 0;
    l->bytes = allocate(size + 1, 1);
    memcpy(l->bytes, text, size);
    l->size = size;
    l->line = 0;
    return 1;
}

char *lines_next(unit_lines *l)
{
    char *begin = l->bytes + l->at;
    char *end = l->at < l->size ? memchr(begin, '\n', l->size - l->at) : NULL;
    if (!end)
        return NULL;
    l->line++;
    *end = '\0';
    l->at = (size_t)(end - l->bytes) + 1;
    return strlen(begin) == (size_t)(end - begin) ? begin : NULL;
}

int lines_done(const unit_lines *l)
{
    return l->at == l->size;
}

char *lines_bytes(unit_lines *l, size_t size)
{
    char *begin = l->bytes + l->at;
    l->line++;
    if (size >= l->size - l->at || begin[size] != '\n')
        return NULL;
    begin[size] = '\0';
    l->at += size + 1;
    return begin;
}

void lines_close(unit_lines *l)
{
    free(l->bytes);
}
