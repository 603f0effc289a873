/* SPDX-License-Identifier: MIT */
/* fuzz.h -- what fuzzers share, including those of the suite and of the command */
#ifndef SF8_TEST_FUZZ_H
#define SF8_TEST_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* How many rows a list has: SF8_POLICIES(FUZZ_ONE). */
#define FUZZ_ONE(...) +1

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
