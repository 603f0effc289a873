/* SPDX-License-Identifier: MIT */
/* expect.h -- what does not hold is printed, and counted */
#ifndef SOFTFP8_GPU_TESTS_EXPECT_H
#define SOFTFP8_GPU_TESTS_EXPECT_H

#include <stdio.h>

static int failures, checks;

#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        checks++;                                                                                  \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                 \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
        }                                                                                          \
    } while (0)

#endif
