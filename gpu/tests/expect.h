/* SPDX-License-Identifier: MIT */
/* expect.h -- what a check begins with, and counts: a device, and conditions that do not hold */
#ifndef SOFTFP8_GPU_TESTS_EXPECT_H
#define SOFTFP8_GPU_TESTS_EXPECT_H

#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Opens the device. Returns 1 if that is this processor, where accesses are counted too. */
static inline int open_device(void)
{
    gpu_device device;
    const char *missing = gpu_open(&device);
    if (!missing)
        return device.emulated;
    fprintf(stderr, "%s\n", missing);
    exit(3);
}

/* Skips the test where the kernels are compiled for another target, such as "sm_90a". */
static inline void need_target(const char *target)
{
    gpu_device device;
    if (gpu_open(&device) != NULL || device.emulated || strcmp(device.target, target) == 0)
        return;
    fprintf(stderr, "needs %s, built for %s\n", target, device.target);
    exit(3);
}

#endif
