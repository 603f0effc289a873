/* SPDX-License-Identifier: MIT */
/* plain.h -- what check.h needs of Criterion, for programs that run where there is none
 *
 * A program that defines SF8_TEST_PLAIN includes files of tests, calls each test by SUITE_NAME(),
 * and returns plain_failures != 0.
 */
#ifndef SF8_TEST_PLAIN_H
#define SF8_TEST_PLAIN_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static size_t plain_failures;
/* Of the inputs of the short tier one in this many is taken; 0: as SOFTFP8_TIER says. */
static size_t plain_sample;

/* Counts what does not hold, and prints the first ones. */
static inline int plain_expect(int holds, const char *format, ...)
{
    enum { SHOWN = 10 };
    va_list list;
    if (holds || plain_failures++ >= SHOWN)
        return holds;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    return 0;
}

#define cr_expect(...) ((void)plain_expect(__VA_ARGS__, "a test of " __FILE__))
#define cr_assert(...) (plain_expect(__VA_ARGS__, "a test of " __FILE__) ? (void)0 : exit(1))
#define PLAIN_TEST(suite, name, ...) static void suite##_##name(void)
#define Test(...) PLAIN_TEST(__VA_ARGS__, )

#endif
