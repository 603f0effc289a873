/* SPDX-License-Identifier: MIT */
/* fuzz_steps.c -- libFuzzer: any text as a step table, and tables that are almost right
 *
 * The input is read as it is, then with its last lines corrected: the number of the rows above
 * them, and the digest. A text that was read must be the same when it is written again. An input
 * that begins with `T` describes a table instead: formats, policy and random number from its first
 * bytes; the rest are changes to the text, so that the rules beyond the head are reached without a
 * corpus.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softfp8/sha256.h"
#include "fuzz.h"
#include "softfp8_vectors.h"

#define LONGEST 4000
#define ROOM 12000

/* The text that is written must be `text`. */
typedef struct sink {
    const char *text;
    size_t size, at;
} sink;

static int32_t compare(void *context, const char *piece, size_t size)
{
    sink *s = (sink *)context;
    CHECK(size <= s->size - s->at && memcmp(s->text + s->at, piece, size) == 0);
    s->at += size;
    return 0;
}

static void check_written(const char *text, size_t size, const sf8_steps_head *head,
                          const sf8_step *steps, size_t count)
{
    sink same = {text, size, 0};
    sf8_steps_writer writer;
    CHECK(sf8_steps_write_head(&writer, head, compare, &same) == SF8_OK);
    for (size_t i = 0; i < count; i++)
        CHECK(sf8_steps_write_row(&writer, &steps[i]) == SF8_OK);
    CHECK(sf8_steps_write_end(&writer) == SF8_OK && same.at == size);
}

static size_t lines_in(const char *text, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Reads from memory that is just as long as the text. Returns the number of rows. */
static size_t check_read(const char *text, size_t size)
{
    static sf8_step steps[ROOM];
    sf8_steps_head head;
    sf8_text_error error = {0, NULL};
    size_t count, counted;
    char *copy = malloc(size ? size : 1);
    CHECK(copy);
    memcpy(copy, text, size);
    sf8_status status = sf8_steps_read(copy, size, &head, steps, ROOM, &count, &error);
    CHECK(status == SF8_OK || status == SF8_BAD_TEXT);
    CHECK(sf8_steps_read(copy, size, &head, NULL, 0, &counted, NULL) ==
          (status == SF8_OK ? SF8_NO_ROOM : SF8_BAD_TEXT));
    CHECK(counted == count);
    if (status == SF8_OK)
        check_written(copy, size, &head, steps, count);
    else
        CHECK(count == 0 && error.expected && error.line > 0 &&
              error.line <= lines_in(text, size) + 1);
    free(copy);
    return count;
}

/* The text up to its rows' end, with the right last lines after it. */
static size_t with_right_end(char *out, const char *text, size_t size)
{
    size_t at = 0, rows = 0, end = size;
    while (at < size) { /* the rows: all lines that do not begin with '#', after the head */
        const char *next = memchr(text + at, '\n', size - at);
        size_t after = next ? (size_t)(next - text) + 1 : size;
        if (text[at] != '#')
            rows++;
        else if (rows > 0) {
            end = at;
            break;
        }
        at = after;
    }
    sf8_sha256 digest;
    char digits[65];
    memcpy(out, text, end);
    end += (size_t)sprintf(out + end, "# rows: %zu\n", rows);
    sf8_sha256_begin(&digest);
    sf8_sha256_add(&digest, out, end);
    sf8_sha256_end(&digest, digits);
    return end + (size_t)sprintf(out + end, "# sha256: %s\n", digits);
}

typedef struct buffer {
    char text[ROOM];
    size_t size;
} buffer;

static int32_t append(void *context, const char *piece, size_t size)
{
    buffer *b = (buffer *)context;
    if (size > sizeof b->text - b->size)
        return 1;
    memcpy(b->text + b->size, piece, size);
    b->size += size;
    return 0;
}

/* A table of two narrow formats with the changes that the rest of the data says: where (2 bytes)
 * and what, and if it is to be put in there. */
static void table_of(buffer *b, const uint8_t *data, size_t size)
{
    sf8_steps_head head;
    memset(&head, 0, sizeof head);
    strcpy(head.from_name, sf8_format_at(data[0] % (SF8_NARROW_FORMATS(FUZZ_ONE)), &head.from));
    strcpy(head.to_name,
           sf8_format_at(data[1] % (SF8_NARROW_FORMATS(FUZZ_ONE) SF8_WIDE_FORMATS(FUZZ_ONE)), &head.to));
    strcpy(head.policy_name, sf8_policy_at(data[2] % (SF8_POLICIES(FUZZ_ONE)))->name);
    head.policy = sf8_policy_named(head.policy_name, NULL);
    head.policy.round = data[3] % SF8_SR & SF8_ROUND_MASK;
    head.random = data[3] * 0x1010101u;
    b->size = 0;
    CHECK(sf8_steps_write(&head, append, b) == SF8_OK);
    for (size_t i = 4; i + 3 < size && b->size + 1 < sizeof b->text; i += 4) {
        size_t at = (data[i] | (size_t)data[i + 1] << 8) % b->size;
        if (data[i + 2] & 1)
            memmove(b->text + at + 1, b->text + at, b->size++ - at);
        b->text[at] = (char)data[i + 3];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static buffer b;
    static char right[ROOM + 200];
    if (size > LONGEST)
        return 0;
    if (size > 4 && data[0] == 'T') {
        table_of(&b, data + 1, size - 1);
    } else {
        b.size = size;
        memcpy(b.text, data, size);
    }
    check_read(b.text, b.size);
    size_t length = with_right_end(right, b.text, b.size);
    size_t rows = check_read(right, length);
    int unchanged = size > 4 && size <= 8 && data[0] == 'T';
    CHECK(rows > 0 || !unchanged);
    return 0;
}
