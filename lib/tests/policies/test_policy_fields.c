/* SPDX-License-Identifier: MIT */
/* test_policy_fields.c -- every value of every field of a policy is distinguished from another
 * value
 *
 * A line of policy_fields.txt sets one field of a policy to a value and to another one. Both results
 * are literals, so that the test notices a field that is ignored, and a value that gives the same as
 * another.
 */
#include "table.h"

/* The words of a line. */
/* clang-format off */
enum { FIELD, VALUE, OTHER, OPERATION, TO, FROM, INPUT, RANDOM, CODE, FLAGS, OTHER_CODE, OTHER_FLAGS,
       POLICY };
/* clang-format on */

static table rows;

static void read_rows(void)
{
    rows = table_read("policies/policy_fields.txt");
}

static void free_rows(void)
{
    table_free(&rows);
}

TestSuite(policy_fields, .init = read_rows, .fini = free_rows);

static sf8_result operation(const table_line *row, sf8_policy policy)
{
    const char *op = row->word[OPERATION];
    sf8_format to = format_of(row->word[TO]), from = format_of(row->word[FROM]);
    uint64_t in = table_hex(row, INPUT);
    if (strcmp(op, "to_i32") == 0)
        return sf8_to_integer(from, in, 32, 1, policy, 0);
    if (strcmp(op, "to_u64") == 0)
        return sf8_to_integer(from, in, 64, 0, policy, 0);
    if (strcmp(op, "1/x") == 0)
        return sf8_div(to, 0x38, in, policy);
    if (strcmp(op, "next_up") == 0)
        return sf8_next_up(to, in, policy);
    if (strcmp(op, "class") == 0)
        return (sf8_result){(uint64_t)sf8_class(to, in, policy), 0};
    cr_assert(strcmp(op, "convert") == 0, "no operation %s", op);
    return sf8_convert_sr(to, from, in, policy, (uint32_t)table_hex(row, RANDOM));
}

/* With the value or the other one, and the code and the flags that it must give. */
static void check_half(const table_line *row, int value, int result)
{
    const char *field = row->word[FIELD], *text = row->word[value];
    uint64_t code = table_hex(row, (size_t)result);
    sf8_policy policy = policy_of(table_rest(row, POLICY));
    cr_assert(sf8_policy_set(&policy, field, text) == SF8_OK, "%s=%s", field, text);
    sf8_result r = operation(row, policy);
    EXPECT(r.code == code && r.flags == (uint32_t)table_flags(row->word[result + 1]),
           "%s=%s, %s %s: %" PRIx64 " flags %x, not %s flags %s", field, text, row->word[OPERATION],
           row->word[INPUT], r.code, r.flags, row->word[result], row->word[result + 1]);
    if (strcmp(row->word[OPERATION], "convert") == 0 && policy.round != SF8_SR) {
        uint64_t alone = sf8_convert(format_of(row->word[TO]), format_of(row->word[FROM]),
                                     table_hex(row, INPUT), policy);
        EXPECT(alone == code, "%s=%s, code %" PRIx64 " without flags", field, text, alone);
    }
}

Test(policy_fields, values)
{
    cr_expect(rows.count == 103, "%zu", rows.count);
    for (size_t i = 0; i < rows.count; i++) {
        const table_line *row = &rows.line[i];
        cr_assert(table_hex(row, CODE) != table_hex(row, OTHER_CODE) ||
                      strcmp(row->word[FLAGS], row->word[OTHER_FLAGS]) != 0,
                  "row %zu tells nothing", i);
        check_half(row, VALUE, CODE);
        check_half(row, OTHER, OTHER_CODE);
    }
}

static size_t rows_of(const char *field, const char *value, size_t length)
{
    size_t n = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const char *own = rows.line[i].word[VALUE];
        n += strcmp(rows.line[i].word[FIELD], field) == 0 && strlen(own) == length &&
             strncmp(own, value, length) == 0;
    }
    return n;
}

/* A value without a row would be a rule that nothing checks. */
Test(policy_fields, every_value_has_a_row)
{
    size_t values = 0;
    for (size_t i = 0; sf8_policy_field_at(i); i++) {
        const char *word = sf8_policy_field_values(i);
        if (*word == '\0')
            EXPECT(rows_of(sf8_policy_field_at(i), "32", 2) == 1, "%s", sf8_policy_field_at(i));
        while (*word) {
            size_t length = strcspn(word, " ");
            EXPECT(rows_of(sf8_policy_field_at(i), word, length) >= 1, "%s=%.*s has no row",
                   sf8_policy_field_at(i), (int)length, word);
            values++;
            word += length + (word[length] == ' ');
        }
    }
    cr_expect(values == 92, "%zu values", values);
}
