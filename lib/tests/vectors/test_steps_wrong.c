/* SPDX-License-Identifier: MIT */
/* test_steps_wrong.c -- invalid step tables: the line that is named and what was expected there */
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

typedef struct corruption {
    size_t line;
    const char *instead;
    size_t error_line;
    const char *expected; /* what it begins with */
} corruption;

#define A_ROW "a row: first-input-word code flags"
#define OF_NAMES "\"# function: <from>_to_<to>\" of the two names below"
#define CAN_BE "a valid format (docs/spec/formats.md)"
#define BELONGS "the row that belongs to the name"
#define POLICY "\"# policy: <name>\""
#define ROWS_ABOVE "\"# rows: \" and the number of rows above"
#define ROW "exp=2 man=1 signed=1 nan=none inf=0 zero=1 bias="
#define LONG_NAME                                                                                  \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" /* SF8_NAME_SIZE characters */
/* clang-format off */
static const corruption corruptions[] = {
    {1, "# softfp8: step table 2", 1, "\"# softfp8: step table 1\", the only version there is"},
    {1, "softfp8: step table 1", 1, "\"# softfp8: step table 1\", the only"},
    {1, "# softfp8: step table 1\r", 1, "a line end without a carriage return"},
    {1, NULL, 1, "\"# softfp8: step table 1\", the only"},
    {2, "# function: e2m1_to_e4m3", 2, OF_NAMES},
    {2, "# function: e2m1_to_e5m2 ", 2, OF_NAMES},
    {2, "# function: e2m1_e5m2", 2, OF_NAMES},
    {2, NULL, 3, "\"# from: <name> exp=<n> man=<n> signed=<n> nan=<kind> "
        "inf=<n> zero=<n> bias=<n>\""},
    {3, "# from: e2m1 " ROW "2", 3, BELONGS},
    {3, "# from: i8 " ROW "1", 3, BELONGS},
    {3, "# from: e2m1 " ROW "01", 3, "\"# from: "},
    {3, "# from: e2m1 " ROW "+1", 3, "\"# from: "},
    {3, "# from: e2m1 " ROW, 3, "\"# from: "},
    {3, "# from: e2m1 " ROW "-0", 3, "\"# from: "},
    {3, "# from: e2m1 " ROW "99999999999999999999", 3, "\"# from: "},
    {3, "# from: e2m1 exp=258 man=1 signed=1 nan=none inf=0 zero=1 bias=1", 3, "\"# from: "},
    {3, "# from: e2m1 exp=2 man=1 signed=1 nan=None inf=0 zero=1 bias=1", 3, "\"# from: "},
    {3, "# from: e2m1 exp=2 man=1 signed=1 nan=none inf=0 zero=1", 3, "\"# from: "},
    {3, "# from: e2m1 man=1 exp=2 signed=1 nan=none inf=0 zero=1 bias=1", 3, "\"# from: "},
    {3, "# from: e2m1  " ROW "1", 3, "\"# from: "},
    {3, "# from:  " ROW "1", 3, "\"# from: "},
    {3, "# from: e2/m1 " ROW "1", 3, "\"# from: "},
    {3, "# from: e2m1 " ROW "1 ", 3, "\"# from: "},
    {3, "# from: e0m1 exp=0 man=1 signed=1 nan=none inf=0 zero=1 bias=1", 3, CAN_BE},
    {3, "# from: e9m1 exp=2 man=1 signed=2 nan=none inf=0 zero=1 bias=1", 3, CAN_BE},
    {3, "# from: " LONG_NAME " " ROW "1", 3, "\"# from: "},
    {3, "# from: e2m2 " ROW "1", 2, OF_NAMES},
    {4, "# from: e5m2 exp=5 man=2 signed=1 nan=ieee inf=1 zero=1 bias=15", 4,
        "\"# to: <name> exp=<n> man=<n> signed=<n> nan=<kind> inf=<n> zero=<n> bias=<n>\""},
    {4, "# to: e5m2 exp=5 man=2 signed=1 nan=ieee inf=1 zero=1 bias=16", 4, BELONGS},
    {4, "# to: e5m2 exp=5 man=2 signed=1 nan=ieee inf=0 zero=1 bias=15", 4, CAN_BE},
    {4, "# to: e4m3 exp=4 man=3 signed=1 nan=top inf=0 zero=1 bias=7", 2, OF_NAMES},
    {5, "# policy: ", 5, POLICY},
    {5, "# policy: a b", 5, POLICY},
    {5, "# policy: " LONG_NAME, 5, POLICY},
    {5, NULL, 5, POLICY},
    {6, "# round: RNE", 6, "\"# round: \" and one of " SF8_ROUNDING_NAMES},
    {6, "# round: rn", 6, "\"# round: \" and one of " SF8_ROUNDING_NAMES},
    {6, "# round: rne ", 6, "\"# round: \" and one of"},
    {6, "# round:rne", 6, "\"# round: \" and one of"},
    {6, "# round: ", 6, "\"# round: \" and one of"},
    {6, NULL, 6, "\"# round: \" and one of"},
    {7, "# sr_bits: 7", 7, "\"# sr_rule: \" and one of a b c"},
    {8, "# sr_bits: 0", 8, "\"# sr_bits: \" and a number from 1 to 32"},
    {8, "# sr_bits: 33", 8, "\"# sr_bits: \" and a number from 1 to 32"},
    {8, "# sr_bits: 07", 8, "\"# sr_bits: \" and a number from 1 to 32"},
    {8, "# sr_bits: 007", 8, "\"# sr_bits: \" and a number from 1 to 32"},
    {27, "# dialect: ieee754", 27, "\"# dialect: \" and one of ieee p3109"},
    {28, "# random: 0badcaf", 28, "\"# random: \" and 8 lower-case hexadecimal digits"},
    {28, "# random: 0badcafe0", 28, "\"# random: \" and 8 lower-case"},
    {28, "# random: 0BADCAFE", 28, "\"# random: \" and 8 lower-case"},
    {29, "# columns: first-input-word code", 29, "\"# columns: first-input-word code flags\""},
    {29, NULL, 29, "\"# columns: first-input-word code flags\""},
    {30, "1 00 00", 30, "a first row that begins at word 0"},
    {30, NULL, 30, "a first row that begins at word 0"},
    {30, "# rows: 0", 30, A_ROW},
    {31, "1 38 0", 31, A_ROW},
    {31, "1 38 000", 31, A_ROW},
    {31, "1  38 00", 31, A_ROW},
    {31, "01 38 00", 31, A_ROW},
    {31, "1 3800", 31, A_ROW},
    {31, "1\t38 00", 31, A_ROW},
    {31, "1 38\t00", 31, A_ROW},
    {31, "1 3g 00", 31, A_ROW},
    {31, "g 38 00", 31, A_ROW},
    {31, "1 38 0g", 31, A_ROW},
    {31, "", 31, A_ROW},
    {31, " 1 38 0", 31, A_ROW},
    {40, "A bc 00", 40, A_ROW},
    {31, "1 38 20", 31, "flags of at most 1f"},
    {31, "1 00 00", 31, "a result that differs from that of the row before"},
    {31, "0 38 00", 31, "a word above that of the row before"},
    {32, "1 3c 00", 32, "a word above that of the row before"},
    {32, "0 3c 00", 32, "a word above that of the row before"},
    {32, "2 3c 00\r", 32, "a line end without a carriage return"},
    {31, NULL, 45, ROWS_ABOVE},
    {46, "# rows: 15", 46, ROWS_ABOVE},
    {46, "# rows: 016", 46, ROWS_ABOVE},
    {46, "# rows: 16 ", 46, ROWS_ABOVE},
    {46, "# row: 16", 46, ROWS_ABOVE},
    {46, "#", 46, ROWS_ABOVE},
    {46, NULL, 46, ROWS_ABOVE},
};
/* clang-format on */

Test(steps_wrong, corruptions)
{
    for (size_t i = 0; i < COUNT(corruptions); i++) {
        const corruption *c = &corruptions[i];
        sf8_text_error error;
        make_wrong(c->line, c->instead);
        sf8_status status = read_exactly(text, size, &error);
        EXPECT(status == SF8_BAD_TEXT, "%zu: %s", c->line, c->instead);
        EXPECT(error.line == c->error_line && error.expected &&
                   strncmp(error.expected, c->expected, strlen(c->expected)) == 0,
               "%zu: \"%s\": line %zu: expected %s", c->line, c->instead, error.line,
               error.expected);
    }
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
