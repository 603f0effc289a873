/* SPDX-License-Identifier: MIT */
/* checks.h -- a check that fails is printed with the actual values, and counted */
#ifndef SOFTFP8_CONFORM_TESTS_CHECKS_H
#define SOFTFP8_CONFORM_TESTS_CHECKS_H

#include <stdio.h>

static int checks, failures;

static void check(int good, const char *what, const char *got)
{
    checks++;
    if (!good) {
        failures++;
        printf("FAILED: %s: %s\n", what, got);
    }
}

#endif
