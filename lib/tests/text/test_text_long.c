/* SPDX-License-Identifier: MIT */
/* test_text_long.c -- numbers of very many digits */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "softfp8.h"

static sf8_result read_text(const char *text)
{
    sf8_result r = {0, 0};
    size_t error = 0;
    sf8_status status = sf8_from_text(SF8_F64, text, SF8_OCP_NOSAT, &r, &error);
    cr_assert_eq(status, SF8_OK, "%.60s: bad at %zu", text, error);
    return r;
}

#define MILLION 1000000
static char long_text[3 * MILLION];

/* head, `count` times c, tail */
static const char *padded(const char *head, char c, size_t count, const char *tail)
{
    size_t n = strlen(head);
    memcpy(long_text, head, n);
    memset(long_text + n, c, count);
    memcpy(long_text + n + count, tail, strlen(tail) + 1);
    return long_text;
}

Test(text_long, a_million_digits)
{
    static const struct {
        const char *head;
        char c;
        const char *tail;
        uint64_t code;
        uint32_t flags;
    } CASES[] = {
        {"1", '0', "e-1000000", 0x3ff0000000000000, 0},
        {"1", '0', "e-1000001", 0x3fb999999999999a, 1},
        {"0.", '0', "1e1000001", 0x3ff0000000000000, 0},
        {"0.", '0', "1", 0, 3},
        {"", '9', "", 0x7ff0000000000000, 5},
        {"0.", '9', "", 0x3ff0000000000000, 1},
        {"9007199254740993.", '0', "", 0x4340000000000000, 1},
        {"9007199254740993.", '0', "1", 0x4340000000000001, 1},
        {"", '0', "9007199254740993e0", 0x4340000000000000, 1},
        {"0x1", '0', "p-4000000", 0x3ff0000000000000, 0},
        {"0x0.", '0', "1p4000004", 0x3ff0000000000000, 0},
        {"0x20000000000001.", '0', "", 0x4340000000000000, 1},
        {"0x20000000000001.", '0', "1", 0x4340000000000001, 1},
        {"1e", '0', "5", 0x40f86a0000000000, 0},
        {"1e", '9', "", 0x7ff0000000000000, 5},
        {"1e-", '9', "", 0, 3},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const char *text = padded(CASES[i].head, CASES[i].c, MILLION, CASES[i].tail);
        sf8_result r = read_text(text);
        cr_expect(r.code == CASES[i].code && r.flags == CASES[i].flags,
                  "%s%c...%s: %" PRIx64 " flags %x", CASES[i].head, CASES[i].c, CASES[i].tail,
                  r.code, r.flags);
    }
    sf8_result r;
    size_t error;
    const char *text = padded("1", '0', MILLION, "x");
    cr_expect_eq(sf8_from_text(SF8_F64, text, SF8_OCP, &r, &error), SF8_BAD_TEXT);
    cr_expect_eq(error, MILLION + 1);
}

static void check(const char *text, uint64_t code, uint32_t flags)
{
    sf8_result r = read_text(text);
    cr_assert(r.code == code && r.flags == flags, "%.30s... (%zu): %" PRIx64 " flags %x", text,
              strlen(text), r.code, r.flags);
}

/* All lengths about the limits of what is kept exactly and of what is computed at all. */
Test(text_long, every_length)
{
    const uint64_t inf = 0x7ff0000000000000, one = 0x3ff0000000000000;
    for (size_t n = 1; n < 2500; n++) {
        char tail[40];
        snprintf(tail, sizeof tail, "e-%zu", n);
        check(padded("1", '0', n, tail), one, 0);
        if (n > 16)
            check(padded("", '9', n, tail), one, 1);
        check(padded("9007199254740993", '0', n, tail), 0x4340000000000000, 1);
        snprintf(tail, sizeof tail, "1e-%zu", n + 1);
        check(padded("9007199254740993", '0', n, tail), 0x4340000000000001, 1);
        snprintf(tail, sizeof tail, "1e%zu", n + 1);
        check(padded("0.", '0', n, tail), one, 0);
        check(padded("", '9', n, "e1250"), inf, 5);
        check(padded("0.", '0', n, "1e-400"), 0, 3);
        if (n > 308) {
            check(padded("1", '0', n, ""), inf, 5);
            check(padded("1", '0', n, ".5"), inf, 5);
        }
        if (n > 323)
            check(padded("0.", '0', n, "1"), 0, 3);
    }
}
