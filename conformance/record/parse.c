/* SPDX-License-Identifier: MIT */
/* parse.c -- the lines of a record's files that have a check */
#include "record/parse.h"

#include <string.h>

static size_t first_word(const char *at, const char *end)
{
    size_t n = 0;
    while (at + n < end && at[n] != ' ')
        n++;
    return n;
}

int line_next_checked(line_reader *r, const char *expected)
{
    char check[9];
    const char *before = r->begin;
    size_t word = first_word(before, r->end);
    if (!line_next(r, expected))
        return 0;
    size_t size = (size_t)(r->end - r->at);
    if (size < 10 || r->end[-10] != ' ' || r->end[-9] != '#')
        return line_wrong(r, "expected %s, closed by its check, '#' and 8 digits", expected);
    record_check(before, word, r->at, size - 10, check);
    if (memcmp(check, r->end - 8, 8) != 0)
        return line_wrong(
            r, "wrong checksum: this line or the one before it was changed, moved or removed");
    r->end -= 10;
    return first_word(r->at, r->end) <= RECORD_NAME ||
           line_wrong(r, "a field of more than %d characters", RECORD_NAME);
}
