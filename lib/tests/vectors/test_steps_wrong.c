/* SPDX-License-Identifier: MIT */
/* test_steps_wrong.c -- invalid step tables: the line that is named and what was expected there */
#include "fields.h"
#include "softfp8/sha256.h"
#include "policies/table_text.h"

#include <stdlib.h>

/* Reads from memory that is just as long as the text. */
static sf8_status read_exactly(const char *from, size_t length, sf8_text_error *error)
{
    char *copy = malloc(length ? length : 1);
    sf8_steps_head head;
    size_t count = 1;
    cr_assert(copy);
    memcpy(copy, from, length);
    memset(error, 0, sizeof *error);
    sf8_status status = sf8_steps_read(copy, length, &head, NULL, 0, &count, error);
    EXPECT(status != SF8_BAD_TEXT || count == 0, "%zu rows of a bad text", count);
    free(copy);
    return status;
}

Test(steps_wrong, every_truncation_is_refused)
{
    size_t whole = strlen(by_hand);
    for (size_t length = 0; length < whole; length++) {
        sf8_text_error error;
        sf8_status status = read_exactly(by_hand, length, &error);
        size_t line = lines_in(by_hand, length) + 1;
        EXPECT(status == SF8_BAD_TEXT && error.line == line && error.expected && *error.expected,
               "%zu characters: status %d, line %zu", length, (int)status, error.line);
        int cut = length > 0 && by_hand[length - 1] != '\n';
        EXPECT((strcmp(error.expected, "a line end") == 0) == cut, "%zu: %s", length,
               error.expected);
    }
}

Test(steps_wrong, every_flipped_bit_is_refused)
{
    char copy[sizeof by_hand];
    for (size_t bit = 0; bit < 8 * strlen(by_hand); bit++) {
        sf8_text_error error;
        memcpy(copy, by_hand, sizeof copy);
        copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
        sf8_status status = read_exactly(copy, strlen(by_hand), &error);
        EXPECT(status == SF8_BAD_TEXT && error.line > 0 && error.expected, "bit %zu of %zu",
               bit % 8, bit / 8);
    }
}

Test(steps_wrong, nothing_may_follow)
{
    static const char *const tails[] = {"\n", " ", "# more\n", "0 00 00\n", "#"};
    for (size_t i = 0; i < COUNT(tails); i++) {
        sf8_text_error error;
        snprintf(text, sizeof text, "%s%s", by_hand, tails[i]);
        EXPECT(read_exactly(text, strlen(text), &error) == SF8_BAD_TEXT && error.line == 48 &&
                   strcmp(error.expected, "the end of the text") == 0,
               "line %zu: %s", error.line, error.expected);
    }
    sf8_text_error error;
    sf8_steps_head head;
    size_t count;
    cr_expect(sf8_steps_read(NULL, 0, &head, NULL, 0, &count, &error) == SF8_BAD_TEXT &&
              error.line == 1);
    cr_expect(sf8_steps_read(by_hand, 10, &head, NULL, 0, &count, NULL) == SF8_BAD_TEXT);
}

/* by_hand with one line replaced and the digest made right again; NULL drops the line. */
static void make_wrong(size_t line, const char *instead)
{
    const char *from = by_hand, *end;
    size = 0;
    for (size_t n = 1; n < 47; n++, from = end) {
        end = strchr(from, '\n') + 1;
        size_t length = (size_t)(end - from);
        memcpy(text + size, from, length);
        if (n != line)
            size += length;
        else if (instead)
            size += (size_t)sprintf(text + size, "%s\n", instead);
    }
    sf8_sha256 digest;
    char digits[65];
    sf8_sha256_begin(&digest);
    sf8_sha256_add(&digest, text, size);
    sf8_sha256_end(&digest, digits);
    size += (size_t)sprintf(text + size, "# sha256: %s\n", digits);
}

Test(steps_wrong, corruptions)
{
    fields row = fields_of(SOFTFP8_SOURCE "/lib/tests/vectors/wrong_steps.txt");
    while (fields_next(&row)) {
        const char *instead = row.field[1], *expected = row.field[3];
        sf8_text_error error;
        make_wrong(strtoul(row.field[0], NULL, 10), instead);
        sf8_status status = read_exactly(text, size, &error);
        EXPECT(status == SF8_BAD_TEXT, "%s: %s", row.field[0], instead);
        EXPECT(error.line == strtoul(row.field[2], NULL, 10) && error.expected &&
                   strncmp(error.expected, expected, strlen(expected)) == 0,
               "%s: \"%s\": line %zu: expected %s", row.field[0], instead, error.line,
               error.expected);
    }
    cr_expect(row.line == 84, "%u", row.line);
}

/* What make_wrong changes nothing in is right, and rows may be left out where none is missed. */
Test(steps_wrong, not_wrong)
{
    static const struct {
        size_t line;
        const char *instead;
    } right[] = {{0, NULL}, {31, "1 38 1f"}, {5, "# policy: a-z.A_9"}, {6, "# round: ro"}};
    for (size_t i = 0; i < COUNT(right); i++) {
        sf8_text_error error;
        make_wrong(right[i].line, right[i].instead);
        EXPECT(read_exactly(text, size, &error) == SF8_NO_ROOM, "%zu", i);
    }
}

/* An input of 6 bits in two digits, a code of 6 bits. */
Test(steps_wrong, widths)
{
    static const struct {
        const char *old, *new, *expected;
    } wide[] = {
        {"\n3f ", "\n40 ", "a word within the width of the source format"},
        {" 3f 00\n# rows", " 40 00\n# rows", "a code within the width of the target format"},
    };
    for (size_t i = 0; i < COUNT(wide); i++) {
        sf8_steps_head head = head_of("e3m2", "e3m2", "ocp");
        sf8_text_error error;
        cr_assert(write_table(&head) == SF8_OK);
        text[size] = '\0';
        char *at = strstr(text, wide[i].old);
        cr_assert(at != NULL);
        memcpy(at, wide[i].new, strlen(wide[i].new));
        cr_expect(read_exactly(text, size, &error) == SF8_BAD_TEXT);
        EXPECT(strcmp(error.expected, wide[i].expected) == 0 && error.line == 29 + 64,
               "line %zu: %s", error.line, error.expected);
    }
}

Test(steps_wrong, zero_bytes_and_long_lines)
{
    sf8_text_error error;
    memcpy(text, by_hand, sizeof by_hand);
    *strstr(text, "ocp") = '\0';
    cr_expect(read_exactly(text, sizeof by_hand - 1, &error) == SF8_BAD_TEXT && error.line == 5);
    memset(text, 'x', 1000);
    text[999] = '\n';
    cr_expect(read_exactly(text, 1000, &error) == SF8_BAD_TEXT && error.line == 1);
}
