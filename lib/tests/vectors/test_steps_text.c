/* SPDX-License-Identifier: MIT */
/* test_steps_text.c -- step tables as text: written, read back, and refused */
#include "policies/table_text.h"

Test(steps_text, by_hand)
{
    sf8_steps_head head = head_by_hand();
    cr_assert(write_table(&head) == SF8_OK);
    cr_expect(size == strlen(by_hand) && memcmp(text, by_hand, size) == 0, "%.*s", (int)size, text);
    sf8_step rows[16];
    sf8_steps_head read;
    size_t count;
    cr_assert(sf8_steps_read(by_hand, strlen(by_hand), &read, rows, 16, &count, NULL) == SF8_OK);
    cr_expect(memcmp(&read, &head, sizeof head) == 0);
    cr_assert(count == 16);
    cr_expect(rows[15].first == 15 && rows[15].code == 0xc6 && rows[15].flags == 0);
    cr_expect(rows[1].first == 1 && rows[1].code == 0x38);
}

/* ---- round trips ----------------------------------------------------------------------------- */

#define MOST_ROWS 4000

static void check_round_trip(const sf8_steps_head *head)
{
    static sf8_step rows[MOST_ROWS];
    static char copy[ROOM];
    sf8_steps_head read;
    sf8_text_error error = {0, ""};
    size_t count, at = 0;
    cr_assert(write_table(head) == SF8_OK, "%s to %s", head->from_name, head->to_name);
    sf8_status status = sf8_steps_read(text, size, &read, rows, MOST_ROWS, &count, &error);
    cr_assert(status == SF8_OK, "line %zu: expected %s", error.line, error.expected);
    cr_expect(memcmp(&read, head, sizeof read) == 0, "%s to %s", head->from_name, head->to_name);
    sf8_steps walk;
    sf8_step step;
    cr_assert(sf8_steps_begin(&walk, head->from, head->to, head->policy, head->random) == SF8_OK);
    for (; sf8_steps_next(&walk, &step); at++)
        EXPECT(at < count && rows[at].first == step.first && rows[at].code == step.code &&
                   rows[at].flags == step.flags,
               "%s to %s: row %zu", head->from_name, head->to_name, at);
    cr_expect(at == count);
    memcpy(copy, text, size);
    size_t before = size;
    cr_assert(write_table(&read) == SF8_OK);
    cr_expect(size == before && memcmp(text, copy, size) == 0);
}

Test(steps_text, round_trips)
{
    static const struct {
        const char *from, *to, *policy_name;
    } tables[] = {
        {"f16", "e2m1", "ocp"},
        {"f32", "e4m3", "ocp"},
        {"f32", "e8m0", "onnx-nosat"},
        {"f64", "e5m2", "cuda-nosat-f64"},
        {"e4m3", "f64", "torch-decode"},
        {"bf16", "p3109_k3p1uf", "p3109-satnone"},
        {"p3109_k4p2se", "p3109_k8p8ue", "p3109-satfinite"},
    };
    for (size_t i = 0; i < COUNT(tables); i++) {
        sf8_steps_head head = head_of(tables[i].from, tables[i].to, tables[i].policy_name);
        head.random = (uint32_t)i;
        check_round_trip(&head);
    }
}

/* A format without a name of its own, every field at its last value, the longest names. */
Test(steps_text, made_up_format)
{
    sf8_steps_head head = head_of("f16", "e2m1", "ocp");
    head.from = sf8_format_row(3, 1, 1, SF8_NANS_NEG_ZERO, 0, 1, -2048);
    head.to = sf8_format_row(4, 0, 0, SF8_NANS_TOP, 1, 0, 2048);
    memset(head.from_name, 'x', SF8_NAME_SIZE - 1);
    strcpy(head.to_name, "Made_up.to-9");
    memset(head.policy_name, '-', SF8_NAME_SIZE - 1);
    head.random = 0xffffffff;
    head.policy = policy_of(
        "ocp round=sr sr_rule=c sr_bits=32 overflow=zero inf=zero nan=as-missing");
    head.policy.nan_code = SF8_NAN_SIGNALING;
    head.policy.nan_sign = SF8_NAN_SIGN_BIT;
    head.policy.made_nan_sign = SF8_MADE_SIGNED;
    head.policy.missing_nan = SF8_MISSING_OPPOSITE_ZERO;
    head.policy.negative = SF8_NEG_NAN;
    head.policy.missing_zero = SF8_ZERO_NAN_EXACT;
    head.policy.tie_p1 = head.policy.odd = head.policy.tininess = head.policy.quiet = 1;
    head.policy.overflow_test = SF8_OVERFLOW_TEST_EXACT;
    head.policy.flush = SF8_FLUSH_BOTH;
    head.policy.inf_flags = head.policy.nan_flags = SF8_LOST_OVERFLOW;
    head.policy.integer = SF8_INT_PTX;
    head.policy.dialect = SF8_DIALECT_P3109;
    check_round_trip(&head);
}

/* A whole conversion of 2^32 inputs in 20 KB. */
Test(steps_text, small_enough)
{
    static const char *const policies[] = {"ocp", "ocp-nosat"};
    for (size_t i = 0; i < COUNT(policies); i++) {
        sf8_steps_head head = head_of("f32", "e4m3", policies[i]);
        cr_assert(write_table(&head) == SF8_OK);
        EXPECT(size < 20480, "%s: %zu", policies[i], size);
    }
}

Test(steps_text, room)
{
    sf8_step rows[16];
    sf8_steps_head head;
    size_t count = 0;
    memset(rows, 0x55, sizeof rows);
    sf8_status status = sf8_steps_read(by_hand, strlen(by_hand), &head, rows, 15, &count, NULL);
    cr_expect(status == SF8_NO_ROOM && count == 16);
    cr_expect(rows[14].first == 14 && rows[15].first == UINT64_C(0x5555555555555555));
    status = sf8_steps_read(by_hand, strlen(by_hand), &head, NULL, 0, &count, NULL);
    cr_expect(status == SF8_NO_ROOM && count == 16);
}

/* ---- what is not written -----------------------------------------------------------------------
 */

Test(steps_text, refused_heads)
{
    sf8_steps_head bad[12];
    static const sf8_status statuses[] = {
        SF8_BAD_TEXT,   SF8_BAD_TEXT, SF8_BAD_TEXT, SF8_BAD_TEXT, SF8_BAD_FORMAT, SF8_BAD_FORMAT,
        SF8_BAD_FORMAT, SF8_BAD_TEXT, SF8_BAD_TEXT, SF8_BAD_TEXT, SF8_BAD_FORMAT, SF8_BAD_FORMAT,
    };
    for (size_t i = 0; i < COUNT(bad); i++)
        bad[i] = head_by_hand();
    strcpy(bad[0].from_name, "");
    strcpy(bad[1].to_name, "e5 m2");
    strcpy(bad[2].policy_name, "ocp\n");
    memset(bad[3].policy_name, 'x', SF8_NAME_SIZE); /* no closing 0 */
    strcpy(bad[4].to_name, "e4m3");
    strcpy(bad[5].from_name, "i8");
    bad[6].to.exp_bits = 0;
    bad[7].policy.sr_bits = 0;
    bad[8].policy.sr_bits = 33;
    bad[9].policy.missing_nan = 7;
    bad[10].from.nan = 4;
    bad[11] = head_of("f32", "f64", "ocp");
    for (size_t i = 0; i < COUNT(bad); i++) {
        sf8_steps_writer writer;
        EXPECT(write_table(&bad[i]) == statuses[i] && size == 0, "%zu", i);
        if (i == COUNT(bad) - 1) /* has more rows than a file should, but could be written */
            break;
        EXPECT(sf8_steps_write_head(&writer, &bad[i], put, text) == statuses[i] && size == 0, "%zu",
               i);
    }
}

Test(steps_text, refused_rows)
{
    static const sf8_step rows[] = {
        {16, 0, 0}, {0, 0x100, 0}, {0, 0, 0x20}, {0, 0, SF8_UNSUPPORTED}};
    sf8_steps_head head = head_by_hand();
    sf8_steps_writer writer;
    size = 0;
    puts_left = -1;
    cr_assert(sf8_steps_write_head(&writer, &head, put, text) == SF8_OK);
    size_t before = size;
    for (size_t i = 0; i < COUNT(rows); i++)
        EXPECT(sf8_steps_write_row(&writer, &rows[i]) == SF8_BAD_TEXT && size == before, "%zu", i);
}

/* The writer stops when what it writes to does, at any line. */
Test(steps_text, stopped)
{
    sf8_steps_head head = head_by_hand();
    for (int pieces = 0; pieces < 47; pieces++) {
        size = 0;
        puts_left = pieces;
        EXPECT(sf8_steps_write(&head, put, text) == SF8_NO_ROOM, "%d", pieces);
        EXPECT(lines_in(text, size) == (size_t)pieces, "%d", pieces);
    }
    puts_left = 47;
    size = 0;
    cr_expect(sf8_steps_write(&head, put, text) == SF8_OK && size == strlen(by_hand));
}
